/* SPDX-License-Identifier: Apache-2.0 */
/* A CSV that Nsight Compute or another program wrote: an error with words, place and remedy, and the run as it was, or
 * the default set's counters of the point with their source. Never a crash. */
#include "fuzz/fuzz.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One point: gemv<VEC> on n = 4096, launched with (2, 1, 1) x (64, 1, 1). */
static rft_run *new_run(void) {
    rft_run *run = rft_run_new();
    run->sweep_count = 1;
    run->sweeps = rft_arena_calloc(run->arena, 1, sizeof *run->sweeps);
    rft_sweep *sweep = &run->sweeps[0].sweep;
    *sweep = (rft_sweep){.name = "gemv", .path = "", .script_hash = "", .measure = RFT_MEASURE_OPTS_INIT};
    sweep->axis_count = sweep->problem_count = sweep->variant_count = 1;
    sweep->axes = rft_arena_calloc(run->arena, 1, sizeof *sweep->axes);
    sweep->axes[0].name = "n";
    sweep->problems = rft_arena_calloc(run->arena, 1, sizeof *sweep->problems);
    sweep->problems[0].values = rft_arena_calloc(run->arena, 1, sizeof *sweep->problems[0].values);
    sweep->problems[0].values[0] = rft_value_int(4096);
    sweep->variants = rft_arena_calloc(run->arena, 1, sizeof *sweep->variants);
    sweep->variants[0] = (rft_variant){.name = "x", .kernel = "gemv", .source = "g.cu", .entry = "gemv<VEC>"};
    sweep->variants[0].param_count = 1;
    sweep->variants[0].params = rft_arena_calloc(run->arena, 1, sizeof *sweep->variants[0].params);
    sweep->variants[0].params[0].name = "VEC";
    run->point_count = 1;
    run->points = rft_arena_calloc(run->arena, 1, sizeof *run->points);
    run->points[0] = (rft_point){.id = 1, .has_launch = true, .grid = {2, 1, 1}, .block = {64, 1, 1}};
    run->points[0].facts = rft_facts_unknown();
    run->points[0].config = rft_arena_calloc(run->arena, 1, sizeof *run->points[0].config);
    run->points[0].config[0] = rft_value_int(8);
    return run;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rft_run *run = new_run();
    rft_ncu_taken taken = {0};
    rft_err err = RFT_ERR_INIT;
    int code = rft_ncu_import(run, 1, (const char *)data, size, "fuzz.csv", &taken, &err);
    const rft_counters *counters = run->points[0].counters;
    if (code) {
        require(code == RFT_E_RECORDING && err.message[0] && err.remedy[0] && strstr(err.place, "fuzz.csv"));
        require(!counters);
    } else {
        require(counters && counters->source && strstr(counters->source, "fuzz.csv") && taken.runs > 0);
        for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
            double value = counters->values[i];
            require(isnan(value) ? counters->reasons[i] && *counters->reasons[i] : isfinite(value) && value >= 0);
        }
    }
    rft_run_free(run);
    return 0;
}
