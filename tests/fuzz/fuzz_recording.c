/* SPDX-License-Identifier: Apache-2.0 */
/* A recording or a package from elsewhere: an error with words, or a run that can be written and read again. Never a
 * crash. */
#include "fuzz/fuzz.h"
#include "store/package.h"
#include "store/recording.h"

#include <stdlib.h>
#include <string.h>

static void use(const rft_run *run) {
    rft_arena *arena = rft_arena_new();
    for (size_t s = 0; s < run->sweep_count; s++) {
        for (size_t p = 0; p < run->sweeps[s].sweep.problem_count; p++) {
            (void)rft_run_problem_text(run, s, p, true, arena);
            (void)rft_run_best(run, s, SIZE_MAX, p);
        }
    }
    for (size_t i = 0; i < run->point_count; i++) {
        (void)rft_run_config_text(run, &run->points[i], false, arena);
        (void)rft_point_median_s(&run->points[i]);
    }
    rft_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rft_run *run = NULL, *again = NULL;
    rft_err err = RFT_ERR_INIT;
    const char *bytes = (const char *)data;
    int code = rft_package_is(bytes, size) ? rft_package_parse(&run, bytes, size, "fuzz", &err)
                                           : rft_recording_parse(&run, bytes, size, "fuzz", &err);
    if (code) {
        require((code == RFT_E_RECORDING || code == RFT_E_SCHEMA) && err.message[0] && run == NULL);
        return 0;
    }
    use(run);
    rft_str text = RFT_STR_INIT, second = RFT_STR_INIT;
    rft_recording_text(run, &text);
    require(rft_recording_parse(&again, rft_str_get(&text), text.length, "again", &err) == 0);
    rft_recording_text(again, &second);
    require(strcmp(rft_str_get(&text), rft_str_get(&second)) == 0);
    rft_str_clear(&text);
    rft_str_clear(&second);
    rft_run_free(again);
    rft_run_free(run);
    return 0;
}
