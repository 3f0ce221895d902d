/* SPDX-License-Identifier: Apache-2.0 */
/* cublaslt_plan.h - one multiplication described to cuBLASLt, and the algorithms that it offers. Private to
 * cublaslt*.c. Descriptors live from plan to plan_free; a launch only passes them on. */
#ifndef RFT_GPU_CUBLASLT_PLAN_H
#define RFT_GPU_CUBLASLT_PLAN_H

#include "gpu/vendor.h"

#include <cublasLt.h>

#define LT_MAP(X)                                                                                                      \
    X(cublasLtGetVersion)                                                                                              \
    X(cublasLtGetStatusName)                                                                                           \
    X(cublasLtCreate)                                                                                                  \
    X(cublasLtDestroy)                                                                                                 \
    X(cublasLtMatmulDescCreate)                                                                                        \
    X(cublasLtMatmulDescDestroy)                                                                                       \
    X(cublasLtMatmulDescSetAttribute)                                                                                  \
    X(cublasLtMatrixLayoutCreate)                                                                                      \
    X(cublasLtMatrixLayoutDestroy)                                                                                     \
    X(cublasLtMatmulPreferenceCreate)                                                                                  \
    X(cublasLtMatmulPreferenceDestroy)                                                                                 \
    X(cublasLtMatmulPreferenceSetAttribute)                                                                            \
    X(cublasLtMatmulAlgoGetHeuristic)                                                                                  \
    X(cublasLtMatmulAlgoConfigGetAttribute)                                                                            \
    X(cublasLtMatmul)

typedef struct lt_api {
#define LT_FIELD(name) __typeof__(&name) name;
    LT_MAP(LT_FIELD)
#undef LT_FIELD
} lt_api;

typedef struct lt_vendor {
    rft_vendor base; /* first: the vtable */
    lt_api api;
    void *library;
    cublasLtHandle_t handle;
    rft_gpu *gpu;
    rft_gpu_info info;
    char version[600];
} lt_vendor;

typedef struct lt_plan {
    rft_vendor_plan base; /* first */
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t first, second, result; /* in the library's order */
    bool swapped;                                 /* first is B */
    cudaDataType scale;                           /* of alpha and beta */
    cublasLtMatmulAlgo_t algos[RFT_VENDOR_ALGOS_MAX];
} lt_plan;

/* `status` of a call as an error of this code: "WHAT: CUBLAS_STATUS_...". */
int rft_cublaslt_check(const lt_vendor *vendor, cublasStatus_t status, int code, const char *what, rft_err *err);

/* As rft_vendor_vt has them. Errors: RFT_E_LIMIT for what the library or the device does not do. */
int rft_cublaslt_plan_make(rft_vendor *base, const rft_vendor_matmul *matmul, rft_vendor_plan **out, rft_err *err);
void rft_cublaslt_plan_free(rft_vendor *base, rft_vendor_plan *plan); /* NULL is accepted */

/* Says where a launch's scales and bias lie. */
int rft_cublaslt_point_at(const lt_vendor *vendor, const lt_plan *plan, const rft_vendor_buffers *buffers,
                          rft_err *err);

#endif
