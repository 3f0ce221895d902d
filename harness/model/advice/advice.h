/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice.h - what could make a point faster: rules that look at its bound, its facts and its counters. docs/advice.md
 * lists each with its threshold. The decision tree and the chart that the rules name are those of the articles listed
 * in docs/corrections.md.
 *
 * A rule speaks only where something is to be won: at least RFT_ADVICE_LEAST_FRAC of the time. What it says it could
 * win is an upper bound, never a promise nor more than is left, and it says what that bound rests on. A point at its
 * ceiling gets none, nor one whose matrix units are busy. What a rule asks to change is held against all measured
 * points of the problem first (advice_tried.h): what they tried in vain is told as that, not as advice.
 * Of a point that power holds back only less energy an operation makes more (advice_power.c): that stands apart.
 * Rules that would change the work itself (more rows, fewer bits, fusing with a neighbour) stand apart: their gain is
 * no speed-up of the same work. Pure arithmetic on what is stored.
 */
#ifndef RFT_MODEL_ADVICE_H
#define RFT_MODEL_ADVICE_H

#include "model/advice/advice_tried.h"
#include "model/roofline/bound.h"

#define RFT_ADVICE_LEAST_FRAC 0.05 /* what differs by less is not told apart (docs/roofline.md) */
#define RFT_ADVICE_LESS_ENERGY "less energy an operation"
#define RFT_ADVICE_TRIGGERS_MAX 3
#define RFT_ADVICE_CHANGES_MAX 3
#define RFT_ADVICE_RULES_MAX 32

/* A number that made a rule speak, and what it was held against. */
typedef struct rft_advice_trigger {
    const char *name; /* "load_bytes_per_sector": a counter's name, or one that docs/advice.md explains */
    const char *unit; /* "B"; "1" for shares */
    double value;
    double threshold; /* NaN: it is only told */
} rft_advice_trigger;

/* What the rule's number is known from. */
typedef enum rft_advice_evidence {
    RFT_ADVICE_COUNTED,  /* hardware counters */
    RFT_ADVICE_MEASURED, /* times measured in this run */
    RFT_ADVICE_COMPILED, /* the compiler's and the driver's facts: registers, occupancy, waves */
    RFT_ADVICE_MODELLED, /* the kernel's `traffic` */
    RFT_ADVICE_DECLARED  /* the declared work alone */
} rft_advice_evidence;
const char *rft_advice_evidence_name(rft_advice_evidence evidence); /* "counted", "measured", "compiled", ... */

typedef struct rft_advice {
    const char *rule; /* "coalesce"; static */
    const char *text; /* one sentence with the numbers, without a full stop; of the changes those that are open */
    rft_advice_trigger triggers[RFT_ADVICE_TRIGGERS_MAX];
    size_t trigger_count;
    double gain_frac;    /* of the time, at most: 0.75 = four times as fast; RFT_ADVICE_LEAST_FRAC..1 */
    const char *with;    /* NULL: with the same work. Else "other work", "another launch", "less energy an operation" */
    const char *gain_of; /* NULL: of the point's time. Else whose: "the time of a row" */
    const char *rests_on; /* what the bound rests on: "its roof, device memory, read" */
    rft_advice_evidence evidence;
    rft_tried changes[RFT_ADVICE_CHANGES_MAX]; /* what it asks to change, and what the points say of that */
    size_t change_count;
} rft_advice;

/* A rule that could not be judged. */
typedef struct rft_advice_missing {
    const char *rule;
    const char *metric; /* the counter or fact that is not known */
    const char *reason; /* why not; never NULL */
} rft_advice_missing;

typedef struct rft_advice_list {
    rft_advice *items; /* for the same work, most valuable first; equal gains in the order of the decision tree */
    size_t count;
    rft_advice *others; /* for other work, another way to launch it, or less energy; likewise */
    size_t other_count;
    rft_tried *tried; /* changes that rules asked for and points of the problem tried in vain; each once */
    size_t tried_count;
    rft_advice_missing *missing;
    size_t missing_count;
    const char *nothing; /* why there are no items; NULL when there are */
} rft_advice_list;

/* All that can be said of a point, in `arena`. Of a point without a measurement: nothing, with the reason. The best of
 * a problem is held against all points of its variant and of those that come near it, another against its variant's. */
rft_advice_list rft_advice_of(const rft_run *run, const rft_point *point, rft_arena *arena);

/* "loads use 4 of the 32 B of a sector ...: at most 92 % of the time (by its roof, device memory, read; counted)". */
const char *rft_advice_text(const rft_advice *advice, rft_arena *arena);

/* The names of the rules in the order of the decision tree; NULL at `index` beyond the last. For documents and tests.
 */
const char *rft_advice_rule_name(size_t index);

#endif
