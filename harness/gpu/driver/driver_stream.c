/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/driver/driver_stream.h"

#include "gpu/driver/driver.h"

int rft_cuda_stream(rft_gpu *base, void **out, rft_err *err) {
    *out = NULL;
    if (base->vt->launch != rft_cuda_launch) { /* another library's object: nothing of it may be touched */
        return rft_err_set(err, RFT_E_DEVICE, "this device has no CUDA stream");
    }
    cuda_gpu *gpu = (cuda_gpu *)base;
    int rc = rft_cuda_usable(gpu, err);
    if (rc == RFT_OK) {
        rc = rft_cuda_check(gpu, gpu->api.cuCtxSetCurrent(gpu->context), RFT_E_DEVICE, "using the context", err);
    }
    if (rc == RFT_OK) {
        *out = gpu->stream;
    }
    return rc;
}
