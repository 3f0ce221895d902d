/* SPDX-License-Identifier: Apache-2.0 */
/* What a build without cuBLASLt's header says instead of multiplying. */
#include "gpu/vendor.h"

int rft_cublaslt_open(rft_vendor **out, rft_gpu *gpu, const rft_library_places *places, rft_err *err) {
    (void)gpu;
    (void)places;
    *out = NULL;
    rft_err_set(err, RFT_E_NOT_FOUND, "cuBLASLt: this program was built without its header");
    rft_err_remedy(err, "install cublasLt.h beside cuda.h (CUDA toolkit, or pip install nvidia-cublas), then configure "
                        "and build again");
    return RFT_E_NOT_FOUND;
}
