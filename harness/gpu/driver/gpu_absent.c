/* SPDX-License-Identifier: Apache-2.0 */
/* What a build without CUDA's headers says instead of compiling and measuring. Replay and reports need neither. */
#include "gpu/compiler.h"
#include "gpu/gpu.h"

static const char remedy[] = "install CUDA's headers (cuda.h, nvrtc.h; 12.8 or newer), then configure again with "
                             "-DRFT_CUDA=ON -DRFT_CUDA_ROOT=FOLDER; or replay a recording: -d replay:FILE";

static int absent(rft_err *err, int code, const char *what) {
    rft_err_set(err, code, "%s: this program was built without CUDA headers", what);
    rft_err_remedy(err, "%s", remedy);
    return code;
}

int rft_nvrtc_new(rft_compiler **out, const rft_nvrtc_opts *opts, rft_err *err) {
    (void)out;
    (void)opts;
    return absent(err, RFT_E_COMPILER, "NVRTC");
}

int rft_cuda_open(rft_gpu **out, int ordinal, rft_err *err) {
    (void)out;
    (void)ordinal;
    return absent(err, RFT_E_DEVICE, "CUDA device");
}

int rft_cuda_list(rft_gpu_info **out, size_t *count, rft_arena *arena, rft_err *err) {
    (void)arena;
    *out = NULL;
    *count = 0;
    return absent(err, RFT_E_DEVICE, "CUDA devices");
}
