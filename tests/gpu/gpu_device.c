/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/gpu_device.h"

#include <stdio.h>
#include <stdlib.h>

rft_err failure;

static int open_compiler(rft_compiler **out, rft_err *err) {
    const char *folder = getenv("RFT_CACHE");
    int rc = rft_nvrtc_new(out, NULL, err);
    if (rc == 0 && folder && *folder == '/') { /* "off" is none */
        rft_compile_cache_opts opts = {.folder = folder};
        *out = rft_compile_cache_new(*out, &opts);
    }
    return rc;
}

int gpu_device_open(gpu_device *device, rft_err *err) {
    device->arena = rft_arena_new();
    int rc = rft_cuda_open(&device->gpu, 0, err);
    if (rc == 0) {
        rc = device->gpu->vt->info(device->gpu, &device->info, err);
    }
    return rc == 0 ? open_compiler(&device->compiler, err) : rc;
}

int gpu_device_compile(gpu_device *device, const char *name, const unsigned char *text, const char *const *entries,
                       size_t count, rft_compile_result *code, rft_err *err) {
    rft_compile_request request = {.source_name = name,
                                   .source_text = (const char *)text,
                                   .names = entries,
                                   .name_count = count,
                                   .arch = device->info.arch};
    int rc = device->compiler->compile(device->compiler, &request, device->arena, code, err);
    return rc == 0 && !code->ok ? rft_err_set(err, RFT_E_SOURCE, "%s", code->log) : rc;
}

int gpu_device_skipped(const gpu_device *device, const rft_err *err) {
    printf("skipped: %s\n", err->message);
    return device->gpu && err->code != RFT_E_COMPILER ? 1 : 77;
}

void gpu_device_close(gpu_device *device) {
    device->gpu->vt->close(device->gpu);
    device->compiler->free(device->compiler);
    rft_arena_free(device->arena);
}
