/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speed.h - how fast a card is on a workload, as one figure: its speed against a named reference card. Pure; for users:
 * docs/report.md.
 *
 * The workload is a mix where one is given. Else it is what the sweeps of the run ask, but for those that are marked
 * diagnostic (sweep.h): each family of kernels (run_family.h) weighs the same, in a family
 * each sweep, in a sweep each problem. What refine() added depends on the card and is left out.
 *
 *   of families   speed = exp(sum of weight x ln(time of the reference / time of this card))   a geometric mean
 *   of a mix      speed = time of a pass on the reference / on this card                       the times add up
 *
 * The times and what makes them comparable are those of compare.h: the better of tuned kernel and vendor library, of
 * equal work, cache mode and program. A family counts where both cards have the same set of problems, all measured;
 * else it is refused, with the reason, and the others share its weight. A mix counts whole or not at all. The 95 %
 * interval is that of rft_compare_mean_of(): the problems of a run share some of their errors. It knows nothing of
 * other cards.
 */
#ifndef RFT_MODEL_SPEED_H
#define RFT_MODEL_SPEED_H

#include "model/compare/compare_rule.h"
#include "model/mix/mix_total.h"
#include "model/roofline/bound.h"
#include "model/roofline/reach.h"
#include "model/run/run_sample.h"

/* ---- what is asked ---- */

typedef struct rft_speed_item {
    size_t sweep, problem; /* of the run */
    size_t part;
    double weight;         /* those of all items are 1 together */
    const rft_point *best; /* of the tuned kernels; NULL: none was measured */
    double time_s;         /* of it, or of the library where that is faster; NaN */
    rft_reach reach;       /* of best */
    rft_bound bound;       /* of best; UNKNOWN without one */
} rft_speed_item;

/* A family of kernels, or an operation of the mix. */
typedef struct rft_speed_part {
    const char *name;
    double weight;
    size_t items;
    size_t longest; /* its item that takes longest; SIZE_MAX: none was measured */
} rft_speed_part;

typedef struct rft_speed_asked {
    const rft_run *run;
    const rft_mix_total *mix; /* NULL: families */
    rft_speed_item *items;
    size_t item_count;
    rft_speed_part *parts;
    size_t part_count;
    const char **diagnostic; /* sweeps that were left out */
    size_t diagnostic_count;
    bool all_diagnostic; /* there is nothing else in the run: they count after all */
    size_t unmarked;     /* sweeps stored before there was the mark: they count */
    const char *missing; /* why there is no item; NULL */
} rft_speed_asked;

/* `mix` NULL: the families of the run. Everything is borrowed or in `arena`. */
rft_speed_asked *rft_speed_asked_of(const rft_run *run, const rft_mix_total *mix, rft_arena *arena);
typedef struct rft_speed_share {
    double frac;      /* mean over what has one, by its weight; NaN */
    double low, high; /* its 95 % interval: what another run would read, with those of the ceilings, which are taken to
                       * err together; NaN: not known of one of them */
    bool at_most;     /* in part of it writes may still have been in the L2 (reach.h) */
    size_t count;     /* problems that have one */
} rft_speed_share;
/* Of the card's own measured limits, of a part, or with SIZE_MAX of all. Never compares cards. */
rft_speed_share rft_speed_share_of(const rft_speed_asked *asked, size_t part);

/* ---- against a reference ---- */

typedef struct rft_speed_reference {
    const char *device; /* "NVIDIA H200" */
    const rft_run **runs;
    size_t count;
    bool shipped; /* the recordings that come with the program */
} rft_speed_reference;

/* One a device of `runs`, in the order met; the last `shipped` of them come with the program and are one of their own,
 * behind the others. Runs of the device itself that were named are last. In `arena`. */
size_t rft_speed_references_of(const rft_run *run, const rft_run *const *runs, size_t count, size_t shipped,
                               rft_arena *arena, rft_speed_reference **out);

typedef struct rft_speed {
    const rft_speed_reference *reference;
    rft_compare_ratio ratio;       /* above 1: this card is faster; NaN: */
    const char *missing;           /* why there is no figure */
    bool itself;                   /* these are the reference's own runs */
    rft_compare_ratio *parts;      /* one a part of what is asked; NaN where: */
    const char **refused;          /* why; NULL */
    double *weights;               /* of the parts that count: 1 together; 0 for the others */
    size_t part_count, item_count; /* that count */
    double covered;                /* their share of what is asked, by its weights: 0 to 1 */
    size_t unequal;                /* items that were not searched for as hard on both sides */
    const char *no_native;         /* what has no way to run on this card and has on the reference, and why; NULL */
    bool by_library;               /* there the library's figure counts */
    const char *unlike;            /* how measuring differed from the reference's; NULL: it did not */
    uint32_t set;                  /* names problems and weights that count: figures of one set and reference compare */
    rft_run_sample sample;         /* of the reference's runs that the figure rests on; of all where there is none */
} rft_speed;

rft_speed rft_speed_of(const rft_speed_asked *asked, const rft_speed_reference *reference, rft_arena *arena);

/* There is a figure, and it is of at least half of what is asked: of a minority it speaks for nothing else. */
bool rft_speed_stands(const rft_speed *speed);

#endif
