/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_files [RECORDING]: `rooftune compare` of 1,000 run files of 500 points, of cards that differ by 1 %: wall time
 * and memory. No GPU; the files are made from a recording, that of bias_dropout on an H200 where none is named.
 */
#include "bench/bench_program.h"
#include "model/stats/least_squares.h"
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { FILES = 1000, POINTS = 500 };
#define GOAL_S 10.0
#define GOAL_MIB 500.0

static void give_up(const rft_err *err) {
    fprintf(stderr, "fleet_files: %s\n", err->message);
    exit(1);
}

/* The first points, and of theirs what refers to no other. */
static void shorten(rft_run *run) {
    run->point_count = run->point_count < POINTS ? run->point_count : POINTS;
    run->reference_count = run->baseline_count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        run->points[i].alias_of = run->points[i].alias_of > POINTS ? 0 : run->points[i].alias_of;
    }
}

static const char *write_card(rft_run *run, int number, uint64_t *seed) {
    const double rates[] = {1 + 0.01 * rft_normal(seed), 1 + 0.01 * rft_normal(seed)};
    rft_ceilings before = run->ceilings;
    rft_store *store = NULL;
    rft_err err = RFT_ERR_INIT;
    const char *path = rft_arena_printf(run->arena, "card%04d.db", number);
    run->info.id = rft_arena_printf(run->arena, "%012x", number);
    run->gpu.uuid = rft_arena_printf(run->arena, "GPU-%08d-0000-0000-0000-000000000000", number);
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        run->ceilings.items[i].stats.median *= rates[i % 2];
    }
    if (rft_store_open(&store, path, RFT_STORE_CREATE, &err) || rft_store_put_whole(store, run, &err) ||
        rft_store_complete(store, &err)) {
        give_up(&err);
    }
    rft_store_close(store);
    run->ceilings = before;
    return path;
}

int main(int argc, char **argv) {
    static const char *words[FILES + 4] = {"rooftune", "compare"};
    rft_run *run = NULL;
    rft_err err = RFT_ERR_INIT;
    struct rusage usage;
    uint64_t seed = 1;
    const char *recording = argc > 1 ? argv[1] : bench_file("../../sweeps/recorded/nvidia-h200/bias_dropout.json.gz");
    if (rft_store_load(&run, recording, &err) != RFT_OK) {
        give_up(&err);
    }
    bench_open_anywhere();
    shorten(run);
    for (int i = 0; i < FILES; i++) {
        words[2 + i] = write_card(run, i, &seed);
    }
    const bench_result result = bench_run_well(words, NULL);
    getrusage(RUSAGE_CHILDREN, &usage);
    if (!strstr(bench_out(), "1,000 runs of 1,000 cards")) {
        fprintf(stderr, "fleet_files: not all files were taken:\n%.2000s\n", bench_out());
        return 1;
    }
    printf("compare of %d run files of %zu points\n", FILES, run->point_count);
    bench_line("wall time", "%.1f s (goal: %g)", result.wall_s, GOAL_S);
    bench_line("CPU time", "%.1f s",
               (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec));
    bench_line("memory at most", "%.0f MiB (goal: %g)", (double)usage.ru_maxrss / 1024, GOAL_MIB);
    rft_run_free(run);
    bench_close();
    return 0;
}
