/* SPDX-License-Identifier: Apache-2.0 */
/* cublaslt_api.h - cuBLASLt's functions as opened at run time, and the objects made of them. Private to cublaslt*.c. */
#ifndef RFT_GPU_CUBLASLT_API_H
#define RFT_GPU_CUBLASLT_API_H

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
    bool is_int;
    cublasLtMatmulAlgo_t algos[RFT_VENDOR_ALGOS_MAX];
} lt_plan;

/* 0 for success; else `code` with "what: CUBLAS_STATUS_X". */
int rft_cublaslt_check(const lt_vendor *vendor, cublasStatus_t status, int code, const char *what, rft_err *err);

/* ---- cublaslt_plan.c: the seam's plan() and plan_free() ---- */
int rft_cublaslt_plan(rft_vendor *vendor, const rft_vendor_matmul *matmul, rft_vendor_plan **out, rft_err *err);
void rft_cublaslt_plan_free(rft_vendor *vendor, rft_vendor_plan *plan);

#endif
