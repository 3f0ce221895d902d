/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_base.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>

/* A configuration at the problems seen so far. */
typedef struct held {
    const rft_point *last;
    size_t problems, worst_problem;
    double log_sum, worst_frac;
} held;

typedef struct table {
    held *slots;
    size_t size; /* a power of two, more than twice the points */
} table;

/* The point whose numbers these are; NULL: it has none. */
static const rft_point *measured(const rft_run *run, const rft_point *point) {
    const rft_point *own =
        point->alias_of > 0 && (size_t)point->alias_of <= run->point_count ? &run->points[point->alias_of - 1] : point;
    return rft_run_is_candidate(run, own) ? own : NULL;
}

static uint64_t hash_of(const rft_point *point, size_t count) {
    uint64_t hash = point->variant + 1;
    for (size_t i = 0; i < count; i++) {
        hash = rft_value_hash(hash, &point->config[i]);
    }
    return hash;
}

static held *held_of(table *t, const rft_run *run, const rft_point *point) {
    size_t count = run->sweeps[point->sweep].sweep.variants[point->variant].param_count;
    size_t at = hash_of(point, count) & (t->size - 1);
    while (t->slots[at].last && !(t->slots[at].last->variant == point->variant &&
                                  rft_values_equal(t->slots[at].last->config, point->config, count))) {
        at = (at + 1) & (t->size - 1);
    }
    return &t->slots[at];
}

/* Once a problem: of a point that was tried twice the first counts. */
static void hold(table *t, const rft_run *run, const rft_point *point, size_t problem, double best_s, size_t before) {
    const rft_point *own = measured(run, point);
    held *h = own ? held_of(t, run, point) : NULL;
    if (!h || h->problems != before) {
        return;
    }
    double frac = fmin(1.0, best_s / rft_point_median_s(own));
    h->last = point;
    h->problems++;
    h->log_sum += log(frac);
    if (before == 0 || frac < h->worst_frac) {
        h->worst_frac = frac;
        h->worst_problem = problem;
    }
}

static table table_of(size_t points) {
    table t = {.size = 16};
    while (t.size < 2 * points + 2) {
        t.size *= 2;
    }
    t.slots = rft_calloc(t.size, sizeof *t.slots);
    return t;
}

rft_base rft_run_base(const rft_run *run, size_t sweep, const bool *counts) {
    rft_base base = {.frac = NAN, .worst_frac = NAN};
    const rft_point *end = NULL, *first = rft_run_span(run, sweep, &end);
    table t = table_of((size_t)(end - first));
    for (size_t problem = 0; problem < run->sweeps[sweep].sweep.problem_count; problem++) {
        bool counted = !counts || counts[problem];
        const rft_point *best = counted ? rft_run_best(run, sweep, SIZE_MAX, problem) : NULL;
        if (!best) {
            continue;
        }
        for (const rft_point *point = first; point < end; point++) {
            if (point->sweep == sweep && point->problem == problem) {
                hold(&t, run, point, problem, rft_point_median_s(best), base.problems);
            }
        }
        base.problems++;
    }
    for (size_t i = 0; i < t.size && base.problems > 0; i++) {
        const held *h = &t.slots[i];
        double frac = h->problems == base.problems ? exp(h->log_sum / (double)h->problems) : (double)NAN;
        base.candidates += h->problems == base.problems;
        bool better = frac > base.frac || !base.point || (frac == base.frac && h->last->id < base.point->id);
        if (h->problems == base.problems && better) {
            base.point = h->last;
            base.frac = frac;
            base.worst_frac = h->worst_frac;
            base.worst_problem = h->worst_problem;
        }
    }
    free(t.slots);
    return base;
}

const rft_point *rft_run_base_at(const rft_run *run, const rft_base *base, size_t problem) {
    const rft_point *of = base->point, *end = NULL;
    for (const rft_point *point = of ? rft_run_span(run, of->sweep, &end) : NULL; point < end; point++) {
        if (point->sweep == of->sweep && point->problem == problem && point->variant == of->variant &&
            rft_values_equal(point->config, of->config,
                             run->sweeps[of->sweep].sweep.variants[of->variant].param_count) &&
            measured(run, point)) {
            return measured(run, point);
        }
    }
    return NULL;
}
