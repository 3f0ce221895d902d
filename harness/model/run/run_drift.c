/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_drift.h"

#include <math.h>
#include <stdlib.h>

static bool is_of(const rft_reference *reading, const rft_reference *other) {
    return reading->sweep == other->sweep && reading->problem == other->problem;
}

static rft_drift_reading reading_over(const rft_reference *reading, double unit) {
    return (rft_drift_reading){.time_s = reading->time_s,
                               .median = reading->median / unit,
                               .half_width = (reading->high - reading->low) / 2.0 / unit};
}

/* The median of its problem's readings; `own` has room for all. */
static double unit_of(const rft_run *run, const rft_reference *reading, double *own) {
    size_t known = 0;
    for (size_t k = 0; k < run->reference_count; k++) {
        if (is_of(&run->references[k], reading) && isfinite(run->references[k].median)) {
            own[known++] = run->references[k].median;
        }
    }
    return rft_stats_of(own, known).median;
}

/* Readings as they are; `like` NULL: of all problems, each over the median of its own. */
static rft_drift drift_of(const rft_run *run, const rft_reference *like) {
    const size_t all = run->reference_count;
    rft_drift_reading *readings = rft_calloc(all + 1, sizeof *readings);
    double *own = rft_calloc(all + 1, sizeof *own), *units = rft_calloc(all + 1, sizeof *units);
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
        const rft_reference *reading = &run->references[i];
        size_t before = 0; /* the first of its problem, which has worked the unit out */
        if (like && !is_of(reading, like)) {
            continue;
        }
        while (!like && before < i && !is_of(&run->references[before], reading)) {
            before++;
        }
        units[i] = like ? 1.0 : before < i ? units[before] : unit_of(run, reading, own);
        readings[count++] = reading_over(reading, units[i]);
    }
    rft_drift drift = rft_drift_of(readings, count);
    free(units);
    free(own);
    free(readings);
    return drift;
}

rft_drift rft_run_drift_of(const rft_run *run, size_t sweep, size_t problem) {
    rft_reference like = {.sweep = sweep, .problem = problem};
    return drift_of(run, &like);
}

rft_drift rft_run_drift(const rft_run *run) {
    return drift_of(run, NULL);
}

double rft_run_widen_frac(const rft_run *run, size_t sweep, size_t problem) {
    double widen_frac = rft_run_drift_of(run, sweep, problem).widen_frac;
    return isfinite(widen_frac) ? widen_frac : 0.0;
}

static double own_widen_frac(const rft_measurement *m, double widen_frac) {
    return m->process_count > 1 ? 0.0 : widen_frac;
}

rft_stats rft_measurement_apart(const rft_measurement *m, double widen_frac) {
    return rft_drift_widened(&m->stats, own_widen_frac(m, widen_frac));
}

bool rft_measurement_tie(const rft_measurement *a, const rft_measurement *b, double widen_frac) {
    if (rft_repeat_is_known(&a->repeat) && rft_repeat_is_known(&b->repeat)) {
        return rft_repeat_tie(&a->repeat, own_widen_frac(a, widen_frac), &b->repeat, own_widen_frac(b, widen_frac));
    }
    rft_stats x = rft_measurement_apart(a, widen_frac), y = rft_measurement_apart(b, widen_frac);
    return rft_stats_tie(&x, &y);
}

/* Few samples tell what is far slower than the best, no finer differences among themselves. */
static bool is_few(const rft_measurement *m) {
    return m->stop == RFT_STOP_SLOWER && m->n < RFT_RACE_MIN_SAMPLES;
}

static bool few_tie(const rft_measurement *a, const rft_measurement *b) {
    double frac = a->n < RFT_RACE_THREE || b->n < RFT_RACE_THREE ? RFT_RACE_ONE_FRAC : RFT_RACE_THREE_FRAC;
    double x = a->stats.median, y = b->stats.median;
    return fmax(x, y) <= (1.0 + frac) * fmin(x, y);
}

bool rft_run_tie(const rft_point *a, const rft_point *b, double widen_frac) {
    const rft_measurement *x = rft_point_measurement(a), *y = rft_point_measurement(b);
    if (is_few(x) && is_few(y)) {
        return few_tie(x, y);
    }
    int last = RFT_ROUNDS - 1;
    bool turns = x == &a->rounds[last] && y == &b->rounds[last];
    return rft_measurement_tie(x, y, turns ? 0.0 : widen_frac);
}

const char *rft_run_drift_sentence(const rft_run *run, rft_arena *arena) {
    char words[RFT_DRIFT_WORDS_SIZE];
    if (run->reference_count == 0) {
        return NULL;
    }
    rft_drift drift = rft_run_drift(run);
    return rft_arena_strdup(arena, rft_drift_words(&drift, words, sizeof words));
}
