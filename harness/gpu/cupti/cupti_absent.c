/* SPDX-License-Identifier: Apache-2.0 */
/* What a build without CUPTI's headers says instead of counting. */
#include "gpu/counting.h"

static int absent(rft_err *err) {
    rft_err_set(err, RFT_E_NOT_FOUND, "hardware counters: this program was built without CUPTI headers");
    rft_err_remedy(err, "install the CUDA toolkit's CUPTI or NVIDIA's wheel (nvidia-cuda-cupti; 12.8 or newer), then "
                        "configure and build again; --counters none goes without");
    return RFT_E_NOT_FOUND;
}

int rft_cupti_open(rft_counting **out, rft_gpu *gpu, const rft_library_places *places, rft_err *err) {
    (void)out;
    (void)gpu;
    (void)places;
    return absent(err);
}

int rft_cupti_plan_chip(rft_counter_plan *out, const char *chip, const rft_counter_set *set,
                        const rft_library_places *places, rft_arena *arena, rft_err *err) {
    (void)out;
    (void)chip;
    (void)set;
    (void)places;
    (void)arena;
    return absent(err);
}
