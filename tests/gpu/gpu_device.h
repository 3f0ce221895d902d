/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_device.h - the device 0 that a GPU test runs on, and NVRTC behind the cache that $RFT_CACHE names, as run-tests
 * has it, so that children and later rounds need not compile the same again.
 */
#ifndef RFT_TESTS_GPU_DEVICE_H
#define RFT_TESTS_GPU_DEVICE_H

#include "gpu/compiler.h"
#include "gpu/gpu.h"

typedef struct gpu_device {
    rft_arena *arena;
    rft_gpu *gpu; /* NULL: there is none */
    rft_gpu_info info;
    rft_compiler *compiler;
} gpu_device;

/* Zeroed before. What was opened before a failure stays open until gpu_device_close(), or the process ends. */
int gpu_device_open(gpu_device *device, rft_err *err);

/* What the compiler refuses is RFT_E_SOURCE with its log. `code` lives as long as the device's arena. */
int gpu_device_compile(gpu_device *device, const char *name, const unsigned char *text, const char *const *entries,
                       size_t count, rft_compile_result *code, rft_err *err);

/* Says why the test cannot run. Returns its exit status: a device that is there but does not work is a failure, not a
 * reason to skip. */
int gpu_device_skipped(const gpu_device *device, const rft_err *err);

void gpu_device_close(gpu_device *device);

extern rft_err failure; /* of the last OK(); calls within OK() name it */

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != 0) {                                                                                             \
            fail_msg("%s: %s", #call, failure.message);                                                                \
        }                                                                                                              \
    } while (0)

#endif
