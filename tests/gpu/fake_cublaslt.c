/* SPDX-License-Identifier: Apache-2.0 */
/* A libcublasLt for tests: three algorithms, of which the second cannot run; fp8 only with the first operand transposed
 * and the second not, as on real devices. */
#include "gpu/fake_cublaslt.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

extern fake_cublaslt_state fake_cublaslt;
fake_cublaslt_state fake_cublaslt;

typedef struct operation {
    int compute, scale, transpose[2], scale_mode[2];
    const void *scales[2];
    signed char fast;
    uint32_t epilogue;
    const float *bias;
} operation;

typedef struct layout {
    cudaDataType type;
    uint64_t rows, columns;
    int64_t leading;
} layout;

size_t cublasLtGetVersion(void) {
    return fake_cublaslt.version ? fake_cublaslt.version : CUBLAS_VERSION;
}
const char *cublasLtGetStatusName(cublasStatus_t status) {
    return status == CUBLAS_STATUS_NOT_SUPPORTED      ? "CUBLAS_STATUS_NOT_SUPPORTED"
           : status == CUBLAS_STATUS_EXECUTION_FAILED ? "CUBLAS_STATUS_EXECUTION_FAILED"
                                                      : "CUBLAS_STATUS_OTHER";
}
cublasStatus_t cublasLtCreate(cublasLtHandle_t *out) {
    *out = (cublasLtHandle_t)&fake_cublaslt;
    fake_cublaslt.handles++;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    (void)handle;
    fake_cublaslt.handles--;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *out, cublasComputeType_t compute, cudaDataType_t scale) {
    operation *made = calloc(1, sizeof *made);
    made->compute = (int)compute;
    made->scale = (int)scale;
    *out = (cublasLtMatmulDesc_t)made;
    fake_cublaslt.operations++;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
    free(desc);
    fake_cublaslt.operations--;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t bytes) {
    operation *op = (operation *)desc;
    if (attribute == CUBLASLT_MATMUL_DESC_FAST_ACCUM && bytes == sizeof op->fast) {
        memcpy(&op->fast, value, bytes);
        return CUBLAS_STATUS_SUCCESS;
    }
    bool second = attribute == CUBLASLT_MATMUL_DESC_B_SCALE_POINTER || attribute == CUBLASLT_MATMUL_DESC_B_SCALE_MODE;
    if ((second || attribute == CUBLASLT_MATMUL_DESC_A_SCALE_POINTER) && bytes == sizeof *op->scales) {
        memcpy(&op->scales[second], value, bytes);
        return CUBLAS_STATUS_SUCCESS;
    }
    if ((second || attribute == CUBLASLT_MATMUL_DESC_A_SCALE_MODE) && bytes == sizeof *op->scale_mode) {
        memcpy(&op->scale_mode[second], value, bytes);
        return CUBLAS_STATUS_SUCCESS;
    }
    if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE && bytes == sizeof op->epilogue) {
        memcpy(&op->epilogue, value, bytes);
        return CUBLAS_STATUS_SUCCESS;
    }
    if (attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER && bytes == sizeof op->bias) {
        memcpy(&op->bias, value, bytes);
        return CUBLAS_STATUS_SUCCESS;
    }
    if (bytes != sizeof(int32_t) ||
        (attribute != CUBLASLT_MATMUL_DESC_TRANSA && attribute != CUBLASLT_MATMUL_DESC_TRANSB)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memcpy(&op->transpose[attribute == CUBLASLT_MATMUL_DESC_TRANSB], value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *out, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading) {
    layout *made = calloc(1, sizeof *made);
    *made = (layout){type, rows, columns, leading};
    *out = (cublasLtMatrixLayout_t)made;
    fake_cublaslt.layouts++;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t desc) {
    free(desc);
    fake_cublaslt.layouts--;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *out) {
    *out = (cublasLtMatmulPreference_t)&fake_cublaslt;
    fake_cublaslt.preferences++;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    (void)preference;
    fake_cublaslt.preferences--;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void *value,
                                                    size_t bytes) {
    (void)preference;
    if (attribute != CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES || bytes != sizeof(uint64_t)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    uint64_t most = 0;
    memcpy(&most, value, bytes);
    fake_cublaslt.workspace_max_bytes = most;
    return CUBLAS_STATUS_SUCCESS;
}

/* The product's shapes agree, and the matrices are dense. */
static int fits(const operation *op, const layout *a, const layout *b, const layout *d) {
    uint64_t m = op->transpose[0] == CUBLAS_OP_T ? a->columns : a->rows;
    uint64_t k = op->transpose[0] == CUBLAS_OP_T ? a->rows : a->columns;
    uint64_t k_too = op->transpose[1] == CUBLAS_OP_T ? b->columns : b->rows;
    uint64_t n = op->transpose[1] == CUBLAS_OP_T ? b->rows : b->columns;
    return m == d->rows && n == d->columns && k == k_too && a->leading == (int64_t)a->rows &&
           b->leading == (int64_t)b->rows && d->leading == (int64_t)d->rows;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t results[], int *count) {
    (void)handle;
    (void)preference;
    const operation *op = (const operation *)desc;
    const layout *first = (const layout *)a;
    if (c != d || most < 3 || !fits(op, first, (const layout *)b, (const layout *)d)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (op->scale_mode[0] == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F && !op->scales[0]) {
        return CUBLAS_STATUS_INVALID_VALUE; /* scales that are not there */
    }
    if (first->type == CUDA_R_8F_E4M3 && (op->transpose[0] != CUBLAS_OP_T || op->transpose[1] != CUBLAS_OP_N)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    fake_cublaslt.epilogue = op->epilogue;
    if ((op->epilogue & CUBLASLT_EPILOGUE_BIAS) && (!op->bias || (uintptr_t)op->bias % 16 != 0)) {
        return CUBLAS_STATUS_NOT_SUPPORTED; /* what is known of its alignment then */
    }
    *count = fake_cublaslt.empty ? 0 : 3;
    for (int i = 0; i < *count; i++) {
        results[i] = (cublasLtMatmulHeuristicResult_t){
            .workspaceSize = (size_t)i * 1024,
            .state = i == 1 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS,
            .wavesCount = i == 0 ? 0.5f : 0.0f,
        };
        results[i].algo.data[0] = 60 + (uint64_t)i;
    }
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, void *out,
                                                    size_t bytes, size_t *written) {
    int id = (int)algo->data[0], last = id == 62;
    int value = attribute == CUBLASLT_ALGO_CONFIG_ID                 ? id
                : attribute == CUBLASLT_ALGO_CONFIG_TILE_ID          ? (last ? 5000 : CUBLASLT_MATMUL_TILE_128x256)
                : attribute == CUBLASLT_ALGO_CONFIG_SPLITK_NUM       ? (last ? 4 : 1)
                : attribute == CUBLASLT_ALGO_CONFIG_STAGES_ID        ? CUBLASLT_MATMUL_STAGES_64x4
                : attribute == CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID ? (last ? 0 : CUBLASLT_CLUSTER_SHAPE_2x1x1)
                : attribute == CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION    ? (last ? 7 : 0)
                                                                     : 0;
    int narrow = attribute == CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID;
    if (bytes != (narrow ? sizeof(uint16_t) : sizeof(int32_t))) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    uint16_t small = (uint16_t)value;
    memcpy(out, narrow ? (void *)&small : (void *)&value, bytes);
    *written = bytes;
    return CUBLAS_STATUS_SUCCESS;
}

static double element(const void *data, const layout *l, int transpose, uint64_t row, uint64_t column) {
    uint64_t at = transpose == CUBLAS_OP_T ? column + row * (uint64_t)l->leading : row + column * (uint64_t)l->leading;
    return l->type == CUDA_R_8I    ? ((const signed char *)data)[at]
           : l->type == CUDA_R_64F ? ((const double *)data)[at]
                                   : (double)((const float *)data)[at];
}

static double scalar(const void *value, int type) {
    return type == CUDA_R_32I   ? *(const int *)value
           : type == CUDA_R_64F ? *(const double *)value
                                : (double)*(const float *)value;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *A,
                              cublasLtMatrixLayout_t a_layout, const void *B, cublasLtMatrixLayout_t b_layout,
                              const void *beta, const void *C, cublasLtMatrixLayout_t c_layout, void *D,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
    (void)handle;
    (void)workspace;
    const operation *op = (const operation *)desc;
    const layout *a = (const layout *)a_layout, *b = (const layout *)b_layout, *d = (const layout *)d_layout;
    double one = scalar(alpha, op->scale), zero = scalar(beta, op->scale);
    if (fake_cublaslt.fails) {
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    if (one != 1.0 || (C == D ? zero != 0.0 : zero != 1.0) || c_layout != d_layout || !stream) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    fake_cublaslt.algo = (int)algo->data[0];
    fake_cublaslt.workspace_bytes = workspace_bytes;
    fake_cublaslt.stream = stream;
    fake_cublaslt.fast_accumulation = op->fast;
    fake_cublaslt.compute_type = op->compute;
    fake_cublaslt.scale_type = op->scale;
    fake_cublaslt.types[0] = (int)a->type;
    fake_cublaslt.types[1] = (int)b->type;
    memcpy(fake_cublaslt.transposes, op->transpose, sizeof op->transpose);
    memcpy(fake_cublaslt.scale_modes, op->scale_mode, sizeof op->scale_mode);
    memcpy(fake_cublaslt.scales, op->scales, sizeof op->scales);
    if (a->type != CUDA_R_32F && a->type != CUDA_R_8I && a->type != CUDA_R_64F) {
        return CUBLAS_STATUS_SUCCESS; /* only written down */
    }
    uint64_t inner = op->transpose[0] == CUBLAS_OP_T ? a->rows : a->columns;
    for (uint64_t column = 0; column < d->columns; column++) {
        for (uint64_t row = 0; row < d->rows; row++) {
            double sum = 0.0;
            for (uint64_t k = 0; k < inner; k++) {
                sum += element(A, a, op->transpose[0], row, k) * element(B, b, op->transpose[1], k, column);
            }
            uint64_t at = row + column * (uint64_t)d->leading;
            sum += C == D ? 0.0 : element(C, d, CUBLAS_OP_N, row, column);
            sum += op->bias ? (double)op->bias[row] : 0.0;
            sum = op->epilogue == CUBLASLT_EPILOGUE_RELU_BIAS && sum < 0.0 ? 0.0 : sum;
            if (d->type == CUDA_R_32I) {
                ((int *)D)[at] = (int)sum;
            } else if (d->type == CUDA_R_64F) {
                ((double *)D)[at] = sum;
            } else {
                ((float *)D)[at] = (float)sum;
            }
        }
    }
    return CUBLAS_STATUS_SUCCESS;
}
