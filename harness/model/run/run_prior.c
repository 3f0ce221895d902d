/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_prior.h"

#include <math.h>
#include <stdlib.h>

static double measured_time(const rft_point *point) {
    return point->rounds[0].stats.median;
}

static bool spills(const rft_point *point) {
    return point->facts.spill_bytes > 0;
}

/* Where the prior puts it, from the front. */
static int by_prior(const void *a, const void *b) {
    const rft_point *x = *(const rft_point *const *)a, *y = *(const rft_point *const *)b;
    if (spills(x) != spills(y)) {
        return spills(x) ? 1 : -1;
    }
    if (x->prior != y->prior) {
        return x->prior < y->prior ? -1 : 1;
    }
    return (measured_time(x) > measured_time(y)) - (measured_time(x) < measured_time(y));
}

static bool same_place(const rft_point *a, const rft_point *b) {
    return spills(a) == spills(b) && a->prior == b->prior;
}

static void correlate(rft_prior_fit *fit, const rft_point *const *order) {
    double *places = rft_calloc(fit->count, sizeof *places), *times = rft_calloc(fit->count, sizeof *times);
    for (size_t i = 0; i < fit->count; i++) {
        places[i] = i > 0 && same_place(order[i], order[i - 1]) ? places[i - 1] : (double)i;
        times[i] = measured_time(order[i]);
    }
    fit->of = rft_rank_correlation_of(places, times, fit->count);
    free(places);
    free(times);
}

/* Half the 95 % interval of a median, in logarithms; NaN: it has none. */
static double half_width(const rft_point *point) {
    const rft_stats *stats = &point->rounds[0].stats;
    return stats->interval_is_95 && stats->low > 0 ? 0.5 * log(stats->high / stats->low) : (double)NAN;
}

static void judge_first(rft_prior_fit *fit, const rft_point *const *order) {
    fit->best = order[0];
    for (size_t i = 0; i < fit->count; i++) {
        fit->best = measured_time(order[i]) < measured_time(fit->best) ? order[i] : fit->best;
        fit->equal += same_place(order[i], order[0]);
        fit->spilling += spills(order[i]);
    }
    fit->first = order[fit->equal / 2];
    double ratio = measured_time(fit->first) / measured_time(fit->best);
    fit->loss_frac = ratio - 1;
    fit->loss_low_frac = fit->loss_high_frac = fit->first == fit->best ? 0 : (double)NAN;
    if (fit->first != fit->best) {
        double half = hypot(half_width(fit->first), half_width(fit->best));
        fit->loss_low_frac = ratio * exp(-half) - 1;
        fit->loss_high_frac = ratio * exp(half) - 1;
    }
}

static bool counts(const rft_run *run, const rft_point *point) {
    return rft_run_is_candidate(run, point) && point->prior > 0 && point->rounds[0].n > 0 && measured_time(point) > 0;
}

/* Points of one part stand together: those of part i from ends[i] to ends[i + 1]. Heap. */
typedef struct parted {
    const rft_point **points;
    size_t *ends;
    size_t count; /* parts */
} parted;

static size_t part_of(const rft_sweep *sweep, const rft_point *point) {
    return point->variant * sweep->problem_count + point->problem;
}

static parted part_points(const rft_run *run, size_t sweep) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    parted p = {.count = data->variant_count * data->problem_count};
    p.ends = rft_calloc(p.count + 2, sizeof *p.ends);
    p.points = rft_calloc(run->point_count + 1, sizeof *p.points);
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].sweep == sweep && counts(run, &run->points[i])) {
            p.ends[part_of(data, &run->points[i]) + 2]++;
        }
    }
    for (size_t i = 1; i < p.count + 2; i++) {
        p.ends[i] += p.ends[i - 1];
    }
    for (size_t i = 0; i < run->point_count; i++) { /* ends[i + 1] grows from the beginning of part i to its end */
        if (run->points[i].sweep == sweep && counts(run, &run->points[i])) {
            p.points[p.ends[part_of(data, &run->points[i]) + 1]++] = &run->points[i];
        }
    }
    return p;
}

size_t rft_prior_fits(const rft_run *run, size_t sweep, rft_arena *arena, rft_prior_fit **out) {
    parted p = part_points(run, sweep);
    size_t problems = run->sweeps[sweep].sweep.problem_count, made = 0;
    *out = rft_arena_calloc(arena, p.count + 1, sizeof **out);
    for (size_t part = 0; part < p.count; part++) {
        const rft_point **order = p.points + p.ends[part];
        rft_prior_fit fit = {.variant = part / problems, .problem = part % problems};
        fit.count = p.ends[part + 1] - p.ends[part];
        if (fit.count > 1) {
            qsort(order, fit.count, sizeof *order, by_prior);
            correlate(&fit, order);
            judge_first(&fit, order);
            (*out)[made++] = fit;
        }
    }
    free(p.points);
    free(p.ends);
    return made;
}
