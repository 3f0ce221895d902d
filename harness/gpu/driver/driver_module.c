/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/driver/driver.h"

#include <stdlib.h>
#include <string.h>

enum { JIT_LOG_BYTES = 4096, PARAMS_MAX = 32764 /* bytes of them, the most there is */ };

int rft_cuda_module_load(rft_gpu *base, const void *cubin, size_t bytes, rft_module **out, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    int rc = rft_cuda_usable(gpu, err);
    if (rc != 0) {
        return rc;
    }
    char log[JIT_LOG_BYTES] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule handle = NULL;
    /* The driver wants PTX to end in a NUL, and finds a cubin's end by itself. */
    char *image = rft_alloc(bytes + 1);
    memcpy(image, cubin, bytes);
    CUresult status = gpu->api.cuModuleLoadDataEx(&handle, image, 2, options, values);
    free(image);
    log[sizeof log - 1] = '\0';
    rc = rft_cuda_check(gpu, status, RFT_E_DEVICE, log[0] ? log : "loading the compiled code", err);
    if (rc == 0) {
        rft_module *module = rft_alloc(sizeof *module);
        module->handle = handle;
        *out = module;
    }
    return rc;
}

void rft_cuda_module_free(rft_gpu *base, rft_module *module) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    if (!module) {
        return;
    }
    if (!gpu->is_sticky) {
        rft_cuda_window_end(gpu);
        rft_cuda_check(gpu, gpu->api.cuModuleUnload(module->handle), RFT_E_DEVICE, "unloading code", NULL);
    }
    while (module->functions) {
        rft_function *next = module->functions->next;
        free(module->functions);
        module->functions = next;
    }
    free(module);
}

int rft_cuda_function(rft_gpu *base, rft_module *module, const char *symbol, rft_function **out, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    CUfunction handle = NULL;
    int rc =
        rft_cuda_check(gpu, gpu->api.cuModuleGetFunction(&handle, module->handle, symbol), RFT_E_DEVICE, symbol, err);
    if (rc == 0 && gpu->api.function_load) {
        /* Lazy loading would put this into the first launch, which is timed or counted as a warm-up. */
        rc = rft_cuda_check(gpu, gpu->api.function_load(handle), RFT_E_DEVICE, symbol, err);
    }
    if (rc == 0) {
        rft_function *function = rft_alloc(sizeof *function);
        *function = (rft_function){.handle = handle, .next = module->functions};
        module->functions = function;
        *out = function;
    }
    return rc;
}

int rft_cuda_variable(rft_gpu *base, rft_module *module, const char *symbol, rft_device_ptr *out, uint64_t *bytes,
                      rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    CUdeviceptr address = 0;
    size_t size = 0;
    int rc = rft_cuda_check(gpu, gpu->api.cuModuleGetGlobal(&address, &size, module->handle, symbol), RFT_E_DEVICE,
                            symbol, err);
    *out = (rft_device_ptr)address;
    *bytes = size;
    return rc;
}

int rft_cuda_function_facts(rft_gpu *base, rft_function *function, rft_function_facts *out, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    static const CUfunction_attribute attributes[] = {CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                                      CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK};
    int values[sizeof attributes / sizeof *attributes] = {0};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        CUresult status = gpu->api.cuFuncGetAttribute(&values[i], attributes[i], function->handle);
        int rc = rft_cuda_check(gpu, status, RFT_E_DEVICE, "asking for a kernel's attributes", err);
        if (rc != 0) {
            return rc;
        }
    }
    *out = (rft_function_facts){
        .registers = values[0], .shared_static_bytes = values[1], .max_threads_per_block = values[2]};
    return 0;
}

int rft_cuda_function_params(rft_gpu *base, rft_function *function, int *count, uint32_t *bytes, size_t capacity,
                             rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    size_t offset = 0, size = 0;
    *count = -1;
    int rc = rft_cuda_usable(gpu, err);
    if (rc != 0 || !gpu->api.function_param) {
        return rc;
    }
    CUresult status = CUDA_SUCCESS;
    do {
        (*count)++;
        status = *count < PARAMS_MAX ? gpu->api.function_param(function->handle, (size_t)*count, &offset, &size)
                                     : CUDA_ERROR_INVALID_VALUE;
        if (status == CUDA_SUCCESS && (size_t)*count < capacity) {
            bytes[*count] = (uint32_t)size;
        }
    } while (status == CUDA_SUCCESS);
    if (status == CUDA_ERROR_INVALID_VALUE) { /* the end of the list */
        return 0;
    }
    *count = -1;
    return rft_cuda_check(gpu, status, RFT_E_DEVICE, "asking for a kernel's parameters", err);
}

int rft_cuda_function_shared(rft_gpu *base, rft_function *function, unsigned bytes, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    if (bytes <= function->shared_bytes) {
        return 0;
    }
    CUresult status =
        gpu->api.cuFuncSetAttribute(function->handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
    int rc = rft_cuda_check(gpu, status, RFT_E_LIMIT, "asking for dynamic shared memory", err);
    if (rc == 0) {
        function->shared_bytes = bytes;
    } else if (rc == RFT_E_LIMIT) {
        rft_err_set(err, rc,
                    "%u bytes of dynamic shared memory are more than %s allows a block (%lld, static included)", bytes,
                    gpu->info.name, (long long)gpu->info.shared_per_block);
    }
    return rc;
}
