/* SPDX-License-Identifier: Apache-2.0 */
/* A file of baselines from elsewhere: an error with words and a remedy, or baselines of another protocol that can be
 * recorded. Never a crash. */
#include "fuzz/fuzz.h"
#include "model/run/baseline.h"
#include "store/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two problems of one sweep, with a whole, a real and a boolean axis. */
static rft_run *new_run(void) {
    rft_run *run = rft_run_new();
    run->sweep_count = 1;
    run->sweeps = rft_arena_calloc(run->arena, 1, sizeof *run->sweeps);
    rft_sweep *sweep = &run->sweeps[0].sweep;
    *sweep = (rft_sweep){.name = "gemv", .path = "", .script_hash = "", .measure = RFT_MEASURE_OPTS_INIT};
    sweep->search.strategy = "auto";
    sweep->axis_count = 3;
    sweep->axes = rft_arena_calloc(run->arena, 3, sizeof *sweep->axes);
    sweep->axes[0].name = "n";
    sweep->axes[1].name = "scale";
    sweep->axes[2].name = "causal";
    sweep->problem_count = 2;
    sweep->problems = rft_arena_calloc(run->arena, 2, sizeof *sweep->problems);
    for (int i = 0; i < 2; i++) {
        rft_value *values = rft_arena_calloc(run->arena, 3, sizeof *values);
        values[0] = rft_value_int(i ? 4096 : 1024);
        values[1] = rft_value_real(0.5);
        values[2] = rft_value_bool(i == 0);
        sweep->problems[i].values = values;
    }
    return run;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rft_run *run = new_run();
    rft_import_counts counts = {0};
    rft_err err = RFT_ERR_INIT;
    int code = rft_baselines_import(run, (const char *)data, size, "fuzz", &counts, &err);
    if (code) {
        require((code == RFT_E_RECORDING || code == RFT_E_NOT_FOUND) && err.message[0] && err.remedy[0]);
        require(run->baseline_count == 0);
    } else {
        rft_str text = RFT_STR_INIT;
        rft_run *again = NULL;
        require(counts.taken == run->baseline_count && counts.taken > 0);
        for (size_t i = 0; i < run->baseline_count; i++) {
            const rft_baseline *b = &run->baselines[i];
            require(!b->same_protocol && b->measurement.stats.median > 0 && b->source && b->problem < 2);
            require(strstr(rft_baseline_label(b, run->arena), "(other protocol)") != NULL);
        }
        rft_recording_text(run, &text);
        require(rft_recording_parse(&again, rft_str_get(&text), text.length, "again", &err) == 0);
        require(again->baseline_count == run->baseline_count);
        rft_str_clear(&text);
        rft_run_free(again);
    }
    rft_run_free(run);
    return 0;
}
