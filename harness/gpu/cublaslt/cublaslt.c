/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLASLt, opened at run time. */
#include "gpu/vendor.h"

#include "base/arena.h"
#include "base/str.h"
#include "gpu/cublaslt/cublaslt_plan.h"
#include "gpu/cuda_release.h"
#include "gpu/driver/driver_stream.h"
#include "gpu/dynlib.h"

#include <stdlib.h>

static const rft_dynlib_symbol symbols[] = {
#define LT_SYMBOL(name) {#name, offsetof(lt_api, name), false},
    LT_MAP(LT_SYMBOL)
#undef LT_SYMBOL
};

static int launch(rft_vendor *base, const rft_vendor_plan *plan_base, size_t algo, const rft_vendor_buffers *buffers,
                  rft_err *err) {
    static const float one = 1.0f, zero = 0.0f;
    static const int32_t int_one = 1, int_zero = 0;
    static const double wide_one = 1.0, wide_zero = 0.0;
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
    bool residual = plan->base.matmul.epilogue == RFT_VENDOR_EPILOGUE_RESIDUAL;
    const void *c = residual ? (const void *)(uintptr_t)buffers->extra : d;
    if ((rc = rft_cublaslt_point_at(vendor, plan, buffers, err)) != RFT_OK) {
        return rc;
    }
    const void *alpha = &one, *beta = residual ? &one : &zero;
    if (plan->scale == CUDA_R_32I) {
        alpha = &int_one;
        beta = &int_zero;
    } else if (plan->scale == CUDA_R_64F) {
        alpha = &wide_one;
        beta = &wide_zero;
    }
    cublasStatus_t status = vendor->api.cublasLtMatmul(
        vendor->handle, plan->operation, alpha, plan->swapped ? b : a, plan->first, plan->swapped ? a : b, plan->second,
        beta, c, plan->result, d, plan->result, &plan->algos[algo], (void *)(uintptr_t)buffers->workspace,
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
                                     .plan = rft_cublaslt_plan_make,
                                     .plan_free = rft_cublaslt_plan_free,
                                     .launch = launch};

/* ---- opening ---- */
static int open_library(lt_vendor *vendor, const rft_library_places *places, rft_err *err) {
    int rc = rft_cuda_library_open(&vendor->library, &vendor->api, &rft_cuda_cublaslt, symbols,
                                   sizeof symbols / sizeof *symbols, places, err);
    if (rc != RFT_OK) {
        return rc;
    }
    const size_t packed = vendor->api.cublasLtGetVersion();
    char *path = rft_dynlib_path(vendor->library);
    char text[48];
    rft_text_format(text, sizeof text, "%zu.%zu.%zu", packed / 10000, packed / 100 % 100, packed % 100);
    rft_text_format(vendor->version, sizeof vendor->version, "cuBLASLt %s, %s", text, path);
    rc = rft_cuda_library_check(&rft_cuda_cublaslt, (int)(packed / 10000), text, path, err);
    free(path);
    return rc;
}

int rft_cublaslt_open(rft_vendor **out, rft_gpu *gpu, const rft_library_places *places, rft_err *err) {
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
        rc = open_library(vendor, places, err);
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
