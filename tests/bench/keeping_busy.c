/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeping_busy [N...]: how much of a run is neither compiling nor the GPU's work, on a sweep of over 500 configurations
 * at each n (default 2048 and 4096).
 *   cold     wall time over 1.15 * max(compile core-seconds / workers, GPU seconds) + the longest compile + 2 s, empty
 *            cache
 *   warm     GPU busy (verifying and measuring; not flushing, not spinning) over wall time; time to the first point
 *   overhead a small problem, caches left hot, nothing to compile, ceilings kept: from the first point to the last of
 *            the first round, less what the GPU was busy with, a point. What the blocking kernel spins counts in it,
 *            readings of the reference do not;
 * the same of the whole session, with its start and its end, is printed beside it. GPU seconds are rft_run_info.busy_s,
 * the strictest reading. Energy, hardware counters and further processes of the final round are left out: their
 * windows, passes and starts are no work of tuning.
 */
#include "bench/bench_program.h"

#include <math.h>
#include <stdio.h>

#define GOAL_WALL_FACTOR 1.15
#define GOAL_WALL_EXTRA_S 2.0
#define GOAL_BUSY_FRAC 0.85
#define GOAL_FIRST_S 0.5
#define GOAL_OVERHEAD_S 0.4e-3
#define FIRST_POINT "\"event\":\"point\""

static bench_result run_sweep(const char *n, const char *cache, const char *ceilings, rft_run **run) {
    const char *more[] = {"--processes", "1", "--ceilings", ceilings, "--", n, "wide", cache, NULL};
    bench_result result = bench_run_sgemm(more, FIRST_POINT);
    *run = bench_load("sgemm.db");
    return result;
}

static void cold(const char *n) {
    rft_run *run = NULL;
    bench_empty_caches();
    bench_result result = run_sweep(n, "cold", "again", &run);
    double compile_s = run->info.compile_s / bench_compile_workers();
    double longest_s = 0.0;
    for (size_t i = 0; i < run->point_count; i++) {
        longest_s = fmax(longest_s, run->points[i].facts.compile_s);
    }
    double limit_s = GOAL_WALL_FACTOR * fmax(compile_s, run->info.busy_s) + longest_s + GOAL_WALL_EXTRA_S;
    bench_line("cold: wall time", "%.1f s, %.2f of the limit %.1f s; %zu points", result.wall_s,
               result.wall_s / limit_s, limit_s, run->point_count);
    bench_line("  compiling", "%.1f core-s on %u workers: %.1f s", run->info.compile_s, bench_compile_workers(),
               compile_s);
    bench_line("  GPU busy", "%.1f s, %.1f %% of the wall time", run->info.busy_s,
               run->info.busy_s / result.wall_s * 100);
    rft_run_free(run);
}

static void warm(const char *n) {
    rft_run *run = NULL;
    bench_result result = run_sweep(n, "cold", "again", &run);
    bench_line("warm: GPU busy", "%.1f %% of %.1f s (goal: %.0f %%)", run->info.busy_s / result.wall_s * 100,
               result.wall_s, GOAL_BUSY_FRAC * 100);
    bench_line("  first point after", "%.2f s (goal: %g s)", result.first_s, GOAL_FIRST_S);
    bench_line("  compiled", "%.1f core-s", run->info.compile_s);
    rft_run_free(run);
}

/* All that the GPU was busy with but the ceilings, the final round and the first point: what is no point's is the
 * readings' of the reference configuration. */
static double overhead_of(const rft_run *run) {
    const bench_parts parts = bench_parts_of_out();
    double busy_s = run->info.busy_s - run->ceilings.busy_s;
    for (size_t i = 0; i < run->point_count; i++) {
        for (int round = i == 0 ? 0 : 1; round < RFT_ROUNDS && !run->points[i].alias_of; round++) {
            const rft_measurement *m = &run->points[i].rounds[round];
            busy_s -= isfinite(m->busy_s) ? m->busy_s : 0.0;
        }
    }
    return (parts.round_s - parts.first_s - busy_s) / (double)(run->point_count - 1);
}

static void overhead(void) {
    rft_run *run = NULL;
    run_sweep("256", "hot", "again", &run); /* fills the cache */
    rft_run_free(run);
    bench_result result = run_sweep("256", "hot", "kept", &run);
    double whole_s = (run->info.elapsed_s - run->info.busy_s) / (double)run->point_count;
    bench_line("overhead a point", "%.2f ms (goal: %g ms), of the whole session %.2f; %zu points of n = 256 in %.1f s",
               overhead_of(run) * 1e3, GOAL_OVERHEAD_S * 1e3, whole_s * 1e3, run->point_count, result.wall_s);
    rft_run_free(run);
}

int main(int argc, char **argv) {
    const char *defaults[] = {"2048", "4096", NULL};
    bench_open();
    for (int i = 0; argc > 1 ? i < argc - 1 : defaults[i] != NULL; i++) {
        const char *n = argc > 1 ? argv[i + 1] : defaults[i];
        printf("sgemm, n = %s\n", n);
        cold(n);
        warm(n);
    }
    overhead();
    bench_close();
    return 0;
}
