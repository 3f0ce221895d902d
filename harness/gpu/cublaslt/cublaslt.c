/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLASLt, opened at run time. Descriptors live from plan to plan_free; a launch only passes them on. */
#include "gpu/cublaslt/cublaslt_api.h"
#include "gpu/driver/driver_stream.h"
#include "gpu/dynlib.h"

#include "base/str.h"

#include <stdlib.h>

#define VERSION_MAJOR(version) ((int)((version) / 10000))

static const rft_dynlib_symbol symbols[] = {
#define LT_SYMBOL(name) {#name, offsetof(lt_api, name), false},
    LT_MAP(LT_SYMBOL)
#undef LT_SYMBOL
};

int rft_cublaslt_check(const lt_vendor *vendor, cublasStatus_t status, int code, const char *what, rft_err *err) {
    return status == CUBLAS_STATUS_SUCCESS
               ? RFT_OK
               : rft_err_set(err, code, "%s: %s", what, vendor->api.cublasLtGetStatusName(status));
}

/* ---- the seam ---- */
static int launch(rft_vendor *base, const rft_vendor_plan *plan_base, size_t algo, const rft_vendor_buffers *buffers,
                  rft_err *err) {
    static const float one = 1.0f, zero = 0.0f;
    static const int32_t int_one = 1, int_zero = 0;
    const lt_vendor *vendor = (const lt_vendor *)base;
    const lt_plan *plan = (const lt_plan *)plan_base;
    void *stream = NULL;
    int rc = rft_cuda_stream(vendor->gpu, &stream, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (algo >= plan->base.algo_count) {
        return rft_err_set(err, RFT_E_INTERNAL, "cuBLASLt: algorithm %zu of %zu", algo, plan->base.algo_count);
    }
    const void *a = (const void *)(uintptr_t)buffers->a, *b = (const void *)(uintptr_t)buffers->b;
    void *d = (void *)(uintptr_t)buffers->d;
    const void *alpha = plan->is_int ? (const void *)&int_one : &one;
    const void *beta = plan->is_int ? (const void *)&int_zero : &zero;
    cublasStatus_t status = vendor->api.cublasLtMatmul(
        vendor->handle, plan->operation, alpha, plan->swapped ? b : a, plan->first, plan->swapped ? a : b, plan->second,
        beta, d, plan->result, d, plan->result, &plan->algos[algo], (void *)(uintptr_t)buffers->workspace,
        plan->base.algos[algo].workspace_bytes, (cudaStream_t)stream);
    if (status == CUBLAS_STATUS_SUCCESS) {
        return RFT_OK;
    }
    /* A fault of an earlier launch comes back here too: the device object must learn of it, and knows its words. */
    if (status == CUBLAS_STATUS_EXECUTION_FAILED && (rc = vendor->gpu->vt->sync(vendor->gpu, err)) != RFT_OK) {
        return rc;
    }
    return rft_err_set(err, RFT_E_LIMIT, "cuBLASLt refuses %s: %s", plan->base.algos[algo].name,
                       vendor->api.cublasLtGetStatusName(status));
}

static const char *version(rft_vendor *base) {
    return ((lt_vendor *)base)->version;
}

static void lt_close(rft_vendor *base) {
    lt_vendor *vendor = (lt_vendor *)base;
    if (vendor) {
        if (vendor->handle && !vendor->gpu->vt->sticky(vendor->gpu)) {
            vendor->api.cublasLtDestroy(vendor->handle);
        }
        rft_dynlib_close(vendor->library);
        free(vendor);
    }
}

static const rft_vendor_vt vtable = {.close = lt_close,
                                     .version = version,
                                     .plan = rft_cublaslt_plan,
                                     .plan_free = rft_cublaslt_plan_free,
                                     .launch = launch};

/* ---- opening ---- */
static int open_library(lt_vendor *vendor, const char *const *first, size_t first_count, rft_err *err) {
    static const char *const files_13[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so", NULL};
    static const char *const files_12[] = {"libcublasLt.so.12", "libcublasLt.so.13", "libcublasLt.so", NULL};
    rft_arena *arena = rft_arena_new();
    const char **folders = NULL;
    size_t folder_count = rft_dynlib_folders(&folders, first, first_count, arena);
    const rft_dynlib_spec spec = {
        .title = "cuBLASLt",
        .files = CUBLAS_VER_MAJOR >= 13 ? files_13 : files_12,
        .folders = folders,
        .folder_count = folder_count,
        .symbols = symbols,
        .symbol_count = sizeof symbols / sizeof *symbols,
        .code = RFT_E_NOT_FOUND,
        .remedy =
            "install the CUDA toolkit's cuBLAS or NVIDIA's wheel (pip install nvidia-cublas), and name its folder "
            "in CUDA_HOME or LD_LIBRARY_PATH if it is not found then",
    };
    int rc = rft_dynlib_open(&vendor->library, &vendor->api, &spec, err);
    rft_arena_free(arena);
    if (rc != RFT_OK) {
        return rc;
    }
    size_t packed = vendor->api.cublasLtGetVersion();
    char *path = rft_dynlib_path(vendor->library);
    rft_text_format(vendor->version, sizeof vendor->version, "cuBLASLt %zu.%zu.%zu, %s", packed / 10000,
                    packed / 100 % 100, packed % 100, path);
    free(path);
    if (VERSION_MAJOR(packed) != CUBLAS_VER_MAJOR) {
        rft_err_set(err, RFT_E_NOT_FOUND, "%s does not fit this program, which was built with the headers of cuBLAS %d",
                    vendor->version, CUBLAS_VER_MAJOR);
        rft_err_remedy(err, "install cuBLAS %d, or build rooftune again with the headers of cuBLAS %d",
                       CUBLAS_VER_MAJOR, VERSION_MAJOR(packed));
        return RFT_E_NOT_FOUND;
    }
    return RFT_OK;
}

int rft_cublaslt_open(rft_vendor **out, rft_gpu *gpu, const char *const *folders, size_t folder_count, rft_err *err) {
    lt_vendor *vendor = rft_alloc(sizeof *vendor);
    void *stream = NULL;
    vendor->base.vt = &vtable;
    vendor->gpu = gpu;
    *out = NULL;
    int rc = rft_cuda_stream(gpu, &stream, err);
    if (rc == RFT_OK) {
        rc = gpu->vt->info(gpu, &vendor->info, err);
    }
    if (rc == RFT_OK) {
        rc = open_library(vendor, folders, folder_count, err);
    }
    if (rc == RFT_OK) {
        rc = rft_cublaslt_check(vendor, vendor->api.cublasLtCreate(&vendor->handle), RFT_E_DEVICE, "starting cuBLASLt",
                                err);
    }
    if (rc != RFT_OK) {
        lt_close(&vendor->base);
        return rc;
    }
    *out = &vendor->base;
    return RFT_OK;
}
