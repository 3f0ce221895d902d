/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice_parts.h - what every rule of advice is given, and what it answers. Internal to model: advice.c works the case
 * out once and asks the rules of advice_*.c one by one.
 */
#ifndef RFT_MODEL_ADVICE_PARTS_H
#define RFT_MODEL_ADVICE_PARTS_H

#include "model/advice/advice.h"
#include "model/roofline/reach.h"

/* Where a point stands, as a set: a rule names those that it is for. */
#define RFT_CASE_MEMORY                                                                                                \
    1u                      /* by its work memory may be what it waits for: operations at most 1.5 x as long as bytes  \
                             */
#define RFT_CASE_COMPUTE 2u /* by its work arithmetic may be: at least 0.5 x as long. Both: near the ridge */
#define RFT_CASE_LOOSE 4u   /* no ceiling holds it firmly: u < 0.8 */
#define RFT_CASE_SHORT 8u   /* near the launch floor */
#define RFT_CASE_WAITS 16u  /* loose, and its schedulers have cycles to spare: not counted to issue in nearly all */
#define RFT_CASE_POWER 32u  /* power or heat holds it back */

typedef struct rft_advice_case {
    const rft_run *run;
    const rft_point *point;
    rft_arena *arena;
    double median_s;
    rft_placement place;
    rft_bound bound;
    unsigned where;   /* RFT_CASE_* */
    double memory_s;  /* declared bytes at their ceiling; 0: none, NaN: no ceiling */
    double compute_s; /* declared operations of the longest pipe at its ceiling; likewise */
    rft_reach reach;
    double room_frac;      /* 1 - 1 / rft_reach.left_factor: all that the same work could win; NaN = no roof */
    double slack_frac;     /* the same against the nearest ceiling for the traffic it has now; NaN = none */
    double occupancy_frac; /* achieved where counted, else the theoretical one; NaN = not known */
    bool occupancy_counted;
    double floor_s; /* the launch floor: the point's own reading, else the ceilings'; NaN = not measured, or hidden:
                     * samples are batches */
    rft_witnesses witnesses; /* the points that changes are held against */
} rft_advice_case;

typedef enum rft_rule_verdict { RFT_RULE_SILENT, RFT_RULE_SPEAKS, RFT_RULE_MISSING } rft_rule_verdict;

/* One way to mend what a rule found. */
typedef struct rft_remedy {
    rft_quantity quantity; /* NONE: nothing that points could be asked about */
    bool more;
    const char *words; /* "more stages" */
} rft_remedy;

/* What a rule fills in: `advice` when it speaks, `missing` when a metric is missing. */
typedef struct rft_rule_answer {
    rft_advice advice;
    rft_advice_missing missing;
    rft_remedy remedies[RFT_ADVICE_CHANGES_MAX]; /* in the order told */
    size_t remedy_count;
} rft_rule_answer;

typedef rft_rule_verdict rft_rule(const rft_advice_case *c, rft_rule_answer *answer);

/* ---- for the rules (advice.c) ---- */
/* NaN when the point was not counted. */
double rft_case_counter(const rft_advice_case *c, rft_counter counter);
/* MISSING, naming the counter and why it is not known. */
rft_rule_verdict rft_case_lacks_counter(const rft_advice_case *c, rft_rule_answer *answer, rft_counter counter);
rft_rule_verdict rft_case_lacks(rft_rule_answer *answer, const char *metric, const char *reason);
/* Adds a number that made the rule speak; a counter's comes with its own name and unit. */
void rft_case_trigger(rft_rule_answer *answer, const char *name, const char *unit, double value, double threshold);
void rft_case_trigger_counter(const rft_advice_case *c, rft_rule_answer *answer, rft_counter counter, double threshold);
/* Adds what could be done; the words of those that the points leave open follow the rule's text. A rule without any is
 * told as it is, one whose remedies were all tried in vain is not. */
void rft_case_remedy(rft_rule_answer *answer, rft_quantity quantity, bool more, const char *words);

/* What bounds a gain. */
typedef struct rft_case_gain {
    double frac; /* of the time */
    const char *rests_on;
} rft_case_gain;
rft_case_gain rft_case_roof(const rft_advice_case *c);  /* to the roof of its work */
rft_case_gain rft_case_room(const rft_advice_case *c);  /* what is left of that with this launch, at this clock */
rft_case_gain rft_case_slack(const rft_advice_case *c); /* to the nearest ceiling for the traffic it has, or its roof */
/* The smaller of the two; one that is not known (NaN) does not bound. */
rft_case_gain rft_case_least(rft_case_gain a, rft_case_gain b);
/* SPEAKS when the gain is worth it, SILENT when it is not, MISSING when nothing bounds it. */
rft_rule_verdict rft_case_offer(rft_rule_answer *answer, rft_case_gain gain, rft_advice_evidence evidence,
                                const char *text);

/* Of all warp instructions those of the main pipe's arithmetic; NaN where they are not counted, or are matrix
 * instructions. */
double rft_math_share(const rft_point *point);

/* Of the sectors read those that plain loads can have asked for, 0..1: what bulk and asynchronous copies fetch is not
 * theirs, L1 answers a load in a cycle or more, and from at most so many sectors a cycle. 1 where it is not known. */
double rft_case_plain_share(const rft_advice_case *c);
/* Those copies bring most of what it reads: what its loads are like says nothing of that. */
bool rft_case_is_copied(const rft_advice_case *c);
/* And matrix units do the work: a few warps that feed and wait for them are how it is meant to be. */
bool rft_case_is_fed(const rft_advice_case *c);
/* Atomics are what is nearest its ceiling: what its loads are like matters less. */
bool rft_case_adds(const rft_advice_case *c);
/* Device memory or the L2 holds it firmly: what the SMs do meanwhile hardly matters. */
bool rft_case_memory_holds(const rft_advice_case *c);

/* Its kernel is a vendor's: it can be called otherwise, not changed. */
bool rft_case_is_library(const rft_advice_case *c);
/* Of the busy pipe's operations, as the load back to back had them; NaN where it was not taken. */
double rft_case_joules_per_op(const rft_advice_case *c);

/* "62 %"; "4.31 TB/s". In the case's arena. */
const char *rft_case_percent(const rft_advice_case *c, double frac);
const char *rft_case_si(const rft_advice_case *c, double value, const char *unit);

/* ---- the rules: name, for which cases (0: all), whether the work stays the same. Order: the decision tree's ---- */
#define RFT_RULE_MAP(X)                                                                                                \
    X(coalesce, RFT_CASE_MEMORY | RFT_CASE_LOOSE, true)                                                                \
    X(align, RFT_CASE_MEMORY, true)                                                                                    \
    X(vectorise, RFT_CASE_MEMORY, true)                                                                                \
    X(l2_residency, RFT_CASE_MEMORY, true)                                                                             \
    X(reread, RFT_CASE_MEMORY | RFT_CASE_COMPUTE, true)                                                                \
    X(overlap, RFT_CASE_MEMORY | RFT_CASE_COMPUTE, true)                                                               \
    X(tensor_use, RFT_CASE_COMPUTE, true)                                                                              \
    X(reuse, RFT_CASE_MEMORY | RFT_CASE_COMPUTE, true)                                                                 \
    X(bank_conflicts, RFT_CASE_MEMORY | RFT_CASE_COMPUTE, true)                                                        \
    X(spills, RFT_CASE_MEMORY | RFT_CASE_COMPUTE, true)                                                                \
    X(occupancy, RFT_CASE_WAITS, true)                                                                                 \
    X(instructions, RFT_CASE_COMPUTE, true)                                                                            \
    X(fill, RFT_CASE_LOOSE | RFT_CASE_SHORT, true)                                                                     \
    X(tail, RFT_CASE_COMPUTE, true)                                                                                    \
    X(in_flight, RFT_CASE_WAITS, true)                                                                                 \
    X(prefetch, RFT_CASE_WAITS, true)                                                                                  \
    X(barrier, RFT_CASE_WAITS, true)                                                                                   \
    X(graph, RFT_CASE_SHORT, false)                                                                                    \
    X(baseline, 0, true)                                                                                               \
    X(batch, RFT_CASE_LOOSE | RFT_CASE_SHORT, false)                                                                   \
    X(raise_m, RFT_CASE_MEMORY, false)                                                                                 \
    X(quantise, RFT_CASE_MEMORY, false)                                                                                \
    X(narrow, RFT_CASE_MEMORY, false)                                                                                  \
    X(fuse, RFT_CASE_MEMORY | RFT_CASE_SHORT, false)                                                                   \
    X(tensor_cores, RFT_CASE_COMPUTE, false)                                                                           \
    X(power_shared, RFT_CASE_POWER, false)                                                                             \
    X(power_bits, RFT_CASE_POWER, false)                                                                               \
    X(power_tiles, RFT_CASE_POWER, false)                                                                              \
    X(power_narrow, RFT_CASE_POWER, false)

#define RFT_RULE_DECLARE(name, cases, same_work) rft_rule rft_rule_##name;
RFT_RULE_MAP(RFT_RULE_DECLARE)
#undef RFT_RULE_DECLARE

#endif
