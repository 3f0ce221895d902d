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
    double *times = rft_calloc(fit->count, sizeof *times);
    for (size_t i = 0; i < fit->count; i++) {
        times[i] = measured_time(order[i]);
    }
    fit->middle_frac = rft_stats_of(times, fit->count).median / measured_time(fit->best) - 1;
    free(times);
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

/* Which part a point is of; SIZE_MAX: of none. `together`: the variants that have their problems in common; NULL: each
 * has its own. */
static size_t part_of(const rft_run *run, size_t sweep, const bool *together, const rft_point *point) {
    size_t problems = run->sweeps[sweep].sweep.problem_count;
    bool of_one = point->sweep == sweep && counts(run, point) && (!together || together[point->variant]);
    return of_one ? (together ? 0 : point->variant * problems) + point->problem : SIZE_MAX;
}

static parted part_points(const rft_run *run, size_t sweep, const bool *together) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    parted p = {.count = (together ? 1 : data->variant_count) * data->problem_count};
    p.ends = rft_calloc(p.count + 2, sizeof *p.ends);
    p.points = rft_calloc(run->point_count + 1, sizeof *p.points);
    for (size_t i = 0; i < run->point_count; i++) {
        size_t part = part_of(run, sweep, together, &run->points[i]);
        if (part != SIZE_MAX) {
            p.ends[part + 2]++;
        }
    }
    for (size_t i = 1; i < p.count + 2; i++) {
        p.ends[i] += p.ends[i - 1];
    }
    for (size_t i = 0; i < run->point_count; i++) { /* ends[i + 1] grows from the beginning of part i to its end */
        size_t part = part_of(run, sweep, together, &run->points[i]);
        if (part != SIZE_MAX) {
            p.points[p.ends[part + 1]++] = &run->points[i];
        }
    }
    return p;
}

static size_t fits_of(const rft_run *run, size_t sweep, const bool *together, rft_arena *arena, rft_prior_fit **out) {
    parted p = part_points(run, sweep, together);
    size_t problems = run->sweeps[sweep].sweep.problem_count, made = 0;
    *out = rft_arena_calloc(arena, p.count + 1, sizeof **out);
    for (size_t part = 0; part < p.count; part++) {
        const rft_point **order = p.points + p.ends[part];
        rft_prior_fit fit = {.variant = together ? SIZE_MAX : part / problems, .problem = part % problems};
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

size_t rft_prior_fits(const rft_run *run, size_t sweep, rft_arena *arena, rft_prior_fit **out) {
    return fits_of(run, sweep, NULL, arena, out);
}

size_t rft_prior_fits_together(const rft_run *run, size_t sweep, rft_arena *arena, rft_prior_fit **out) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    bool *few = rft_calloc(data->variant_count + 1, sizeof *few);
    parted p = part_points(run, sweep, NULL);
    size_t variants = 0;
    for (size_t v = 0; v < data->variant_count; v++) {
        size_t most = 0;
        for (size_t part = v * data->problem_count; part < (v + 1) * data->problem_count; part++) {
            size_t count = p.ends[part + 1] - p.ends[part];
            most = count > most ? count : most;
        }
        few[v] = most > 0 && most < RFT_RANK_LEAST;
        variants += few[v];
    }
    size_t made = variants > 1 ? fits_of(run, sweep, few, arena, out) : 0;
    free(p.points);
    free(p.ends);
    free(few);
    return made;
}
