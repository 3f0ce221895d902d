/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_repeat.h"

#include "model/stats/drift.h"

#include <math.h>
#include <stdlib.h>

#define STEP_WORTH_FRAC 1e-5 /* of a time: a finer step is no timer's, but the nearest two of many samples */

/* What is reported of a run. */
typedef struct reported {
    rft_measurement **all;
    size_t *problems;       /* of each */
    rft_repeat_item *items; /* of those that are no alias: an alias' samples are another's */
    size_t count, own;      /* the first `own` are no aliases */
} reported;

static void add(reported *r, rft_measurement *m, size_t problem) {
    r->problems[r->count] = problem;
    r->all[r->count++] = m;
}

/* What is not recorded was one process. */
static size_t processes_of(const rft_measurement *m) {
    return m->process_count > 1 ? m->process_count : 1;
}

/* Of all problems of all sweeps. */
static size_t problem_key(size_t sweep, size_t problem) {
    return (sweep << 32) | problem;
}

static void collect(reported *r, rft_run *run, size_t processes_least) {
    for (int aliases = 0; aliases < 2; aliases++) {
        for (size_t i = 0; i < run->point_count; i++) {
            rft_point *point = &run->points[i];
            const rft_measurement *m = rft_point_measurement(point);
            if (m && m->samples_s && processes_of(m) >= processes_least && (point->alias_of != 0) == (aliases != 0)) {
                add(r, &point->rounds[m - point->rounds], problem_key(point->sweep, point->problem));
            }
        }
        for (size_t i = 0; i < run->baseline_count && !aliases; i++) {
            rft_baseline *b = &run->baselines[i];
            const rft_measurement *m = &b->measurement;
            if (m->n > 0 && m->samples_s && processes_of(m) >= processes_least) {
                add(r, &b->measurement, problem_key(b->sweep, b->problem));
            }
        }
        r->own = aliases ? r->own : r->count;
    }
}

/* The samples of process p alone, whose first is the measurement's sample `begin`. */
static rft_measurement of_process(const rft_measurement *m, size_t p, size_t begin) {
    rft_measurement part = *m;
    part.samples_s = m->samples_s + begin;
    part.clocks_mhz = m->clocks_mhz ? m->clocks_mhz + begin : NULL;
    part.n = m->process_count > 1 ? m->process_n[p] : m->n;
    return part;
}

static rft_repeat_item item_of(const rft_measurement *m, size_t problem) {
    size_t count = processes_of(m), begin = 0;
    double *medians = rft_calloc(count, sizeof *medians);
    medians[0] = m->stats.median; /* of one alone */
    for (size_t p = 0; p < count && count > 1; p++) {
        rft_measurement part = of_process(m, p, begin);
        medians[p] = rft_stats_of(part.samples_s, part.n).median;
        begin += part.n;
    }
    int batch = m->batch > 1 ? m->batch : 1;
    return (rft_repeat_item){.medians = medians,
                             .problem = problem,
                             .count = count,
                             .pooled = m->stats.median,
                             .low = m->stats.low,
                             .high = m->stats.high,
                             .step = count > 1 ? rft_stats_step(m->samples_s, m->n) / batch : 0.0};
}

static void take(rft_measurement *m, const rft_repeat *repeat) {
    m->repeat = *repeat;
    m->repeat.processes = m->process_count;
    if (repeat->freedom > 0.0) {
        m->stats.median = repeat->figure;
        m->stats.low = repeat->low;
        m->stats.high = repeat->high;
        m->stats.interval_is_95 = true;
    }
}

/* Hz: median cycles over the median time; NaN: the clocks are not known. */
static double clock_of(const rft_measurement *m) {
    return rft_measurement_cycles(m) / rft_stats_of(m->samples_s, m->n).median;
}

/* Under a power limit each process gets a clock of its own, and times differ by what the clocks do: cycles do not. The
 * mean over processes is taken as the figure's is. */
static void tell_clock(rft_measurement *m) {
    if (m->n == 0 || !m->samples_s || !m->clocks_mhz) {
        return;
    }
    size_t count = processes_of(m), begin = 0;
    double logarithms = 0.0;
    for (size_t p = 0; p < count; p++) {
        rft_measurement part = of_process(m, p, begin);
        logarithms += log(clock_of(&part));
        begin += part.n;
    }
    double clock_mhz = exp(logarithms / (double)count) * 1e-6;
    m->clock_mhz = isfinite(clock_mhz) ? clock_mhz : m->clock_mhz;
}

/* Of every round, reported or not, so that a run reads the same once it has been stored. */
static void tell_clocks(rft_run *run) {
    for (size_t i = 0; i < run->point_count; i++) {
        for (int round = 0; round < RFT_ROUNDS; round++) {
            tell_clock(&run->points[i].rounds[round]);
        }
    }
    for (size_t i = 0; i < run->baseline_count; i++) {
        tell_clock(&run->baselines[i].measurement);
    }
}

double rft_run_timer_step_s(const rft_run *run) {
    double step = 0.0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_measurement *m = rft_point_measurement(&run->points[i]);
        if (m && m->batch <= 1 && m->n > 5) {
            double own = rft_stats_step(m->samples_s, m->n);
            step = own > 0.0 && (step == 0.0 || own < step) ? own : step;
        }
    }
    return step;
}

/* Several processes know what they differ by (repeat.h); of one, what its own samples tell. */
static rft_stats stats_of(const rft_measurement *m, double step_s) {
    if (m->process_count > 1) {
        return rft_stats_of(m->samples_s, m->n);
    }
    rft_stats stats = rft_drift_stats_of(m->samples_s, m->n);
    double step_frac = step_s / 2.0 / (m->batch > 1 ? m->batch : 1) / stats.median;
    return step_frac > STEP_WORTH_FRAC ? rft_drift_widened(&stats, step_frac) : stats;
}

void rft_measurement_fill(rft_measurement *m) {
    if (m->n > 0 && m->samples_s) {
        m->stats = stats_of(m, m->batch > 1 ? 0.0 : rft_stats_step(m->samples_s, m->n));
    }
}

/* Of what was taken in `processes_least` or more. */
static void fill(rft_run *run, size_t processes_least) {
    double step_s = processes_least > 1 ? 0.0 : rft_run_timer_step_s(run);
    size_t most = run->point_count + run->baseline_count + 1;
    reported r = {.all = rft_calloc(most, sizeof *r.all), .problems = rft_calloc(most, sizeof *r.problems)};
    collect(&r, run, processes_least);
    r.items = rft_calloc(r.count + 1, sizeof *r.items);
    rft_repeat *repeats = rft_calloc(r.count + 1, sizeof *repeats);
    for (size_t i = 0; i < r.count; i++) {
        r.all[i]->stats = stats_of(r.all[i], step_s);
        r.items[i] = item_of(r.all[i], r.problems[i]);
    }
    rft_repeat_of(r.items, r.own, r.count, repeats);
    for (size_t i = 0; i < r.count; i++) {
        take(r.all[i], &repeats[i]);
        free((double *)r.items[i].medians);
    }
    free(repeats);
    free(r.items);
    free(r.problems);
    free(r.all);
}

void rft_run_fill_repeats(rft_run *run) {
    fill(run, 1);
    tell_clocks(run);
}

void rft_run_fill_figures(rft_run *run) {
    fill(run, 2);
}

bool rft_run_has_processes(const rft_run *run) {
    bool several = false;
    for (size_t i = 0; i < run->point_count && !several; i++) {
        const rft_measurement *m = rft_point_measurement(&run->points[i]);
        several = m && m->process_count > 1;
    }
    return several;
}
