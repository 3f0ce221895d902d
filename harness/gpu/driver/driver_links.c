/* SPDX-License-Identifier: Apache-2.0 */
/* Copies at once: both ways between host and device, and between devices. */
#include "gpu/driver/driver.h"

/* ---- both ways ---- */

static int make_back(cuda_gpu *gpu, rft_err *err) {
    if (gpu->back) {
        return 0;
    }
    int rc = gpu->forked ? 0 : gpu->base.vt->event_new(&gpu->base, &gpu->forked, err);
    rc = rc == 0 && !gpu->joined ? gpu->base.vt->event_new(&gpu->base, &gpu->joined, err) : rc;
    return rc != 0 ? rc
                   : rft_cuda_check(gpu, gpu->api.cuStreamCreate(&gpu->back, CU_STREAM_NON_BLOCKING), RFT_E_DEVICE,
                                    "creating a second stream", err);
}

/* What is queued in `later` from now on waits for all that is queued in `first`. */
static int order(cuda_gpu *gpu, CUstream first, CUstream later, const rft_event *mark, rft_err *err) {
    int rc = rft_cuda_check(gpu, gpu->api.cuEventRecord(mark->handle, first), RFT_E_DEVICE, "recording an event", err);
    return rc != 0 ? rc
                   : rft_cuda_check(gpu, gpu->api.cuStreamWaitEvent(later, mark->handle, 0), RFT_E_DEVICE,
                                    "ordering two streams", err);
}

int rft_cuda_host_both_ways(rft_gpu *base, rft_device_ptr to, const void *from, void *back, rft_device_ptr out,
                            uint64_t bytes, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    int rc = make_back(gpu, err);
    rc = rc == 0 ? order(gpu, gpu->stream, gpu->back, gpu->forked, err) : rc;
    rc = rc == 0 ? rft_cuda_host_to_device(base, to, from, bytes, err) : rc;
    rc = rc == 0 ? rft_cuda_check(gpu, gpu->api.cuMemcpyDtoHAsync(back, out, bytes, gpu->back), RFT_E_DEVICE,
                                  "copying from the device", err)
                 : rc;
    return rc == 0 ? order(gpu, gpu->back, gpu->stream, gpu->joined, err) : rc;
}

/* ---- devices ---- */

int rft_cuda_use(rft_gpu *base, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    int rc = rft_cuda_usable(gpu, err);
    return rc != 0
               ? rc
               : rft_cuda_check(gpu, gpu->api.cuCtxSetCurrent(gpu->context), RFT_E_DEVICE, "using the context", err);
}

int rft_cuda_peer_open(rft_gpu *from, rft_gpu *to, bool *direct, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)from;
    const cuda_gpu *peer = (const cuda_gpu *)to;
    int can = 0;
    int rc = rft_cuda_check(gpu, gpu->api.cuDeviceCanAccessPeer(&can, gpu->device, peer->device), RFT_E_DEVICE,
                            "asking for peer access", err);
    *direct = false;
    if (rc != 0 || !can) {
        return rc;
    }
    CUresult status = gpu->api.cuCtxEnablePeerAccess(peer->context, 0);
    *direct = status == CUDA_SUCCESS || status == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    return *direct || status == CUDA_ERROR_TOO_MANY_PEERS
               ? 0
               : rft_cuda_check(gpu, status, RFT_E_DEVICE, "opening a peer's memory", err);
}

int rft_cuda_copy_to_peer(rft_gpu *from, rft_device_ptr source, rft_gpu *to, rft_device_ptr target, uint64_t bytes,
                          rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)from;
    const cuda_gpu *peer = (const cuda_gpu *)to;
    return bytes == 0
               ? 0
               : rft_cuda_check(
                     gpu, gpu->api.cuMemcpyPeerAsync(target, peer->context, source, gpu->context, bytes, gpu->stream),
                     RFT_E_DEVICE, "copying to another device", err);
}
