/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tuning_rate [N [verified]]: Kernel Tuner and rooftune on the same kernel, space and size (default 4096), each from
 * start to finish with empty caches, one after the other; rooftune before it with the final round's processes, and
 * behind it with one. Kernel Tuner's time leaves out Python's start and imports; rooftune's is the whole command: its
 * ceilings, final round and report included, without energy and hardware counters, which Kernel Tuner does not take
 * either. "verified" leaves out Kernel Tuner without verification. `python3` must have kernel_tuner 1.5.
 */
#include "bench/bench_program.h"

#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOAL_RATIO 12.0
#define GOAL_RATIO_ONE 15.0 /* with --processes 1 */
#define GOAL_LAUNCHES 2.5   /* GPU seconds over what one launch of each configuration takes */
#define GOAL_BEST_FRAC 0.01

typedef struct tuned {
    double seconds, best_s;
    size_t points, ok;
    size_t least_samples;           /* of any configuration */
    size_t least_samples_near_best; /* of those within 5 % of the best */
} tuned;

static tuned kernel_tuner(const char *n, const char *how) {
    const char *words[] = {"python3", bench_file("sgemm/kernel_tuner_sgemm.py"), n, how, NULL};
    bench_empty_caches();
    bench_run_well(words, NULL);
    json_t *line = NULL;
    const char *text = strrchr(bench_out(), '{');
    rft_err err = RFT_ERR_INIT;
    if (!text || rft_json_parse(&line, text, strcspn(text, "\n"), "kernel_tuner_sgemm.py", &err) != RFT_OK) {
        fprintf(stderr, "Kernel Tuner printed no result: %s\n%s", err.message, bench_out());
        exit(1);
    }
    tuned result = {.seconds = rft_json_real_or(line, "seconds", (double)NAN),
                    .best_s = rft_json_real_or(line, "best_s", (double)NAN),
                    .points = (size_t)rft_json_int_or(line, "configurations", 0),
                    .ok = (size_t)rft_json_int_or(line, "ok", 0)};
    json_decref(line);
    return result;
}

static size_t samples_of(const rft_point *point) {
    size_t n = 0;
    for (int round = 0; round < RFT_ROUNDS; round++) {
        n += point->rounds[round].n;
    }
    return n;
}

static void print_stops(const rft_run *run) {
    size_t stops[RFT_STOP_COUNT] = {0};
    size_t samples = 0;
    double sampled_s = 0, busy_s = 0, launch_s = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_measurement *first = &run->points[i].rounds[0];
        stops[first->stop < RFT_STOP_COUNT ? first->stop : 0]++;
        samples += first->n;
        sampled_s += first->n > 0 ? first->stats.mean * (double)first->n : 0;
        busy_s += isfinite(first->busy_s) && first->n > 0 ? first->busy_s : 0;
        launch_s += first->n > 0 ? first->stats.median : 0;
    }
    bench_line("  first round", "GPU busy %.2f s, %.2f launches of each configuration (goal: at most %g)", busy_s,
               busy_s / launch_s, GOAL_LAUNCHES);
    bench_line("  its samples", "%zu in %.1f s; stopped: %zu slower, %zu settled, %zu plateau, %zu samples, %zu time",
               samples, sampled_s, stops[RFT_STOP_SLOWER], stops[RFT_STOP_SETTLED], stops[RFT_STOP_PLATEAU],
               stops[RFT_STOP_SAMPLES], stops[RFT_STOP_TIME]);
}

/* When each part of the command ended, by its events. */
static void print_parts(double wall_s) {
    const bench_parts parts = bench_parts_of_out();
    bench_line("  ended after", "%.2f s first point, %.2f first round, %.2f last of final, %.2f run, %.2f command",
               parts.first_s, parts.round_s, parts.last_s, parts.end_s, wall_s);
}

static tuned rooftune(const char *n, const char *processes) {
    const char *more[] = {"--processes", processes, "--", n, NULL};
    bench_empty_caches();
    tuned result = {
        .seconds = bench_run_sgemm(more, NULL).wall_s, .least_samples = SIZE_MAX, .least_samples_near_best = SIZE_MAX};
    print_parts(result.seconds);
    rft_run *run = bench_load("sgemm.db");
    size_t problem = 0;
    while (run->sweeps[0].sweep.problems[problem].odd) { /* no configuration fits the odd size */
        problem++;
    }
    const rft_point *best = rft_run_best(run, 0, SIZE_MAX, problem);
    result.points = run->point_count;
    result.best_s = best ? rft_point_median_s(best) : (double)NAN;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        size_t samples = samples_of(point);
        if (point->outcome != RFT_OUTCOME_OK || !point->verification.done) {
            continue;
        }
        result.ok++;
        result.least_samples = samples < result.least_samples ? samples : result.least_samples;
        if (rft_point_median_s(point) <= 1.05 * result.best_s && samples < result.least_samples_near_best) {
            result.least_samples_near_best = samples;
        }
    }
    bench_line("  its parts", "GPU busy %.1f s, compiled %.1f core-s, first to last point %.1f s", run->info.busy_s,
               run->info.compile_s, run->info.elapsed_s);
    print_stops(run);
    rft_run_free(run);
    return result;
}

static void print_tuned(const char *name, const tuned *t) {
    bench_line(name, "%6.2f s, %zu of %zu configurations ok, best %.3f ms", t->seconds, t->ok, t->points,
               t->best_s * 1e3);
}

static void print_ratios(const char *name, const tuned *peer, const tuned *ours, const tuned *one) {
    bench_line(name, "%.2f times, with one process %.2f (goals against verified: %g, %g)",
               peer->seconds / ours->seconds, peer->seconds / one->seconds, GOAL_RATIO, GOAL_RATIO_ONE);
}

int main(int argc, char **argv) {
    const char *n = argc > 1 ? argv[1] : "4096";
    const bool verified_alone = argc > 2 && strcmp(argv[2], "verified") == 0;
    bench_open();
    printf("sgemm, n = %s, 128 configurations, empty caches\n", n);
    tuned ours = rooftune(n, "auto");
    print_tuned("rooftune", &ours);
    tuned peer = kernel_tuner(n, "verified");
    print_tuned("Kernel Tuner, verified", &peer);
    tuned unverified = {.seconds = (double)NAN};
    if (!verified_alone) {
        unverified = kernel_tuner(n, "unverified");
        print_tuned("Kernel Tuner, unverified", &unverified);
    }
    tuned one = rooftune(n, "1");
    print_tuned("rooftune --processes 1", &one);
    bench_line("samples of rooftune", "at least %zu each, %zu within 5 %% of the best (goals: 1, 8)",
               ours.least_samples, ours.least_samples_near_best);
    print_ratios("faster than verified", &peer, &ours, &one);
    if (!verified_alone) {
        print_ratios("faster than unverified", &unverified, &ours, &one);
    }
    bench_line("best against Kernel Tuner's", "%+.2f %% and %+.2f %% in time (goal: at most +%g %%)",
               (ours.best_s / peer.best_s - 1) * 100, (one.best_s / peer.best_s - 1) * 100, GOAL_BEST_FRAC * 100);
    bench_close();
    return ours.ok == 128 && one.ok == 128 ? 0 : 1;
}
