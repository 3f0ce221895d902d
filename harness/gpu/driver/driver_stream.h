/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_stream.h - the stream of a device object in the driver's own terms, for adapters of NVIDIA's libraries that
 * queue work on it, so that events, flushing and the holding kernel apply to that work too. Private to the gpu room.
 */
#ifndef RFT_GPU_DRIVER_STREAM_H
#define RFT_GPU_DRIVER_STREAM_H

#include "gpu/gpu.h"

/* *out: the CUstream of `gpu` (the same type as cudaStream_t), whose primary context is made current on this thread.
 * RFT_E_DEVICE when `gpu` is not a CUDA device (a scripted one has no stream) or is sticky. */
int rft_cuda_stream(rft_gpu *gpu, void **out, rft_err *err);

#endif
