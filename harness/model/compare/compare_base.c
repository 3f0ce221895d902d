/* SPDX-License-Identifier: Apache-2.0 */
/* compare_base.c - base and peak of the sides of a comparison (compare.h): what one configuration for all problems of a
 * sweep keeps of the speed of the best for each, and how both stand against the first side's. */
#include "model/compare/compare_parts.h"

#include "base/arena.h"
#include "model/run/run_drift.h"
#include "model/stats/repeat.h"

#include <math.h>
#include <stdlib.h>

/* A sweep of a side, and the problems of it that count. */
typedef struct part {
    const rft_run *run;
    size_t sweep;
    bool *counts;
    rft_base base;
} part;

typedef struct sums {
    rft_compare_mean keeps, peak, speed;
} sums;

static rft_stats time_of(const rft_compare_figure *of, const rft_point *point, double *common_frac) {
    const rft_measurement *m = rft_point_measurement(point);
    *common_frac = m->process_count > 1 ? RFT_REPEAT_FLOOR_FRAC : of->drift_frac;
    return rft_measurement_apart(m, of->drift_frac);
}

rft_compare_ratio rft_compare_times(const rft_compare_figure *of_a, const rft_point *a, const rft_compare_figure *of_b,
                                    const rft_point *b) {
    double common_a, common_b;
    rft_stats first = time_of(of_a, a, &common_a), other = time_of(of_b, b, &common_b);
    rft_compare_ratio ratio = rft_compare_ratio_of(&first, &other);
    ratio.common = hypot(common_a, common_b);
    return a == b ? (rft_compare_ratio){1.0, 1.0, 1.0, true, 0.0} : ratio;
}

/* NULL counts: the side has no best there. `with`: only what that side has, too, as equal work. */
static part part_of(const rft_compare *c, size_t first, size_t end, size_t side, size_t with) {
    part of = {.run = c->sides[side].run, .sweep = SIZE_MAX};
    for (size_t w = first; w < end; w++) {
        const rft_compare_figure *f = &c->workloads[w].figures[side], *other = &c->workloads[w].figures[with];
        bool equal = with == side || isfinite(c->workloads[w].versus[with * c->side_count + side].ratio.ratio);
        if (!f->best || !other->best || !equal) {
            continue;
        }
        if (!of.counts) {
            of.sweep = f->sweep;
            of.counts = rft_calloc(of.run->sweeps[of.sweep].sweep.problem_count, sizeof *of.counts);
        }
        of.counts[f->problem] = true;
    }
    if (of.counts) {
        of.base = rft_run_base(of.run, of.sweep, of.counts);
    }
    return of;
}

/* What the one keeps of the best is at most all of it. */
static rft_compare_ratio kept(const rft_compare_figure *of, const rft_point *base) {
    rft_compare_ratio ratio = rft_compare_times(of, of->best, of, base);
    ratio.ratio = fmin(ratio.ratio, 1.0);
    ratio.low = fmin(ratio.low, 1.0);
    ratio.high = fmin(ratio.high, 1.0);
    return ratio;
}

static bool has_base(const part *of) {
    return of->counts && of->base.point && of->base.problems > 1;
}

static void add_kept(sums *to, rft_compare_base *out, const rft_compare *c, size_t first, size_t end, size_t side) {
    part own = part_of(c, first, end, side, side);
    for (size_t w = first; w < end && has_base(&own); w++) {
        const rft_compare_figure *f = &c->workloads[w].figures[side];
        const rft_point *base = f->best ? rft_run_base_at(own.run, &own.base, f->problem) : NULL;
        if (base) {
            const rft_compare_ratio ratio = kept(f, base);
            rft_compare_mean_add(&to->keeps, &ratio, 1.0);
            out->workloads++;
        }
    }
    if (has_base(&own)) {
        bool worse = out->sweeps == 0 || own.base.worst_frac < out->base.worst_frac;
        out->base = worse ? own.base : out->base;
        out->sweep = worse ? own.sweep : out->sweep;
        out->sweeps++;
    }
    out->lacking += own.counts && own.base.problems > 1 && !own.base.point;
    free(own.counts);
}

static void add_against(sums *to, rft_compare_base *out, const rft_compare *c, size_t first, size_t end, size_t side) {
    part own = part_of(c, first, end, side, 0), theirs = part_of(c, first, end, 0, side);
    for (size_t w = first; w < end && has_base(&own) && has_base(&theirs); w++) {
        const rft_compare_figure *f = &c->workloads[w].figures[side], *a = &c->workloads[w].figures[0];
        bool counted = f->best && a->best && isfinite(c->workloads[w].versus[side].ratio.ratio);
        const rft_point *base = counted ? rft_run_base_at(own.run, &own.base, f->problem) : NULL;
        const rft_point *first_base = counted ? rft_run_base_at(theirs.run, &theirs.base, a->problem) : NULL;
        if (base && first_base) {
            const rft_compare_ratio peak = rft_compare_times(a, a->best, f, f->best);
            const rft_compare_ratio speed = rft_compare_times(a, first_base, f, base);
            rft_compare_mean_add(&to->peak, &peak, 1.0);
            rft_compare_mean_add(&to->speed, &speed, 1.0);
            out->shared++;
        }
    }
    free(own.counts);
    free(theirs.counts);
}

rft_compare_base rft_compare_base_of(const rft_compare *compare, size_t first, size_t end, size_t side) {
    sums all = {.keeps = {0}, .peak = {0}, .speed = {0}};
    rft_compare_base out = {.sweep = SIZE_MAX};
    for (size_t w = first; w < end; w = rft_compare_next_sweep(compare, w)) {
        size_t next = rft_compare_next_sweep(compare, w);
        add_kept(&all, &out, compare, w, next < end ? next : end, side);
        if (side > 0) {
            add_against(&all, &out, compare, w, next < end ? next : end, side);
        }
    }
    out.keeps = rft_compare_mean_of(&all.keeps);
    out.peak = rft_compare_mean_of(&all.peak);
    out.speed = rft_compare_mean_of(&all.speed);
    return out;
}
