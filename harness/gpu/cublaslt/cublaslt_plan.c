/* SPDX-License-Identifier: Apache-2.0 */
/* The library's matrices are by columns: a D by rows is its D transposed, so A and B change places there. */
#include "gpu/cublaslt/cublaslt_plan.h"

#include "base/arena.h"
#include "base/str.h"
#include "gpu/cublaslt/cublaslt_names.h"
#include "gpu/driver/driver_stream.h"

#include <math.h>
#include <stdlib.h>

#define WORKSPACE_BYTES ((uint64_t)64 << 20)

int rft_cublaslt_check(const lt_vendor *vendor, cublasStatus_t status, int code, const char *what, rft_err *err) {
    return status == CUBLAS_STATUS_SUCCESS
               ? RFT_OK
               : rft_err_set(err, code, "%s: %s", what, vendor->api.cublasLtGetStatusName(status));
}

static int set_attribute(const lt_vendor *vendor, const lt_plan *plan, cublasLtMatmulDescAttributes_t attribute,
                         const void *value, size_t bytes, rft_err *err) {
    return rft_cublaslt_check(vendor,
                              vendor->api.cublasLtMatmulDescSetAttribute(plan->operation, attribute, value, bytes),
                              RFT_E_LIMIT, "cuBLASLt: describing the multiplication", err);
}

/* ---- scales ---- */
static int point_at_scales(const lt_vendor *vendor, const lt_plan *plan, rft_device_ptr a, rft_device_ptr b,
                           rft_err *err) {
    if (plan->base.matmul.scale == RFT_VENDOR_SCALE_NONE) {
        return RFT_OK;
    }
    const void *first = (const void *)(uintptr_t)(plan->swapped ? b : a);
    const void *second = (const void *)(uintptr_t)(plan->swapped ? a : b);
    int rc = set_attribute(vendor, plan, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &first, sizeof first, err);
    return rc == RFT_OK ? set_attribute(vendor, plan, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &second, sizeof second, err)
                        : rc;
}

#define SCALES_SINCE 120900 /* cuBLAS 12.9: of rows and of blocks */

static int no_scales(const rft_vendor_matmul *m, const char *whose, size_t version, rft_err *err) {
    rft_err_set(err, RFT_E_LIMIT, "cuBLASLt: %s %zu.%zu has no scales by %s", whose, version / 10000,
                version / 100 % 100, rft_vendor_scale_name(m->scale));
    return rft_err_remedy(err, "they begin with cuBLAS 12.9, of the library and of the header rooftune is built with");
}

/* What the scales of A and of B are. The heuristic is asked before there are any: PLACE stands for them until then. */
static int describe_scales(const lt_vendor *vendor, const lt_plan *plan, rft_err *err) {
    enum { PLACE = 256 };
    const rft_vendor_matmul *m = &plan->base.matmul;
    if (m->scale == RFT_VENDOR_SCALE_NONE) {
        return RFT_OK;
    }
    if (m->scale != RFT_VENDOR_SCALE_TENSOR) {
#if CUBLAS_VERSION < SCALES_SINCE
        return no_scales(m, "the header of cuBLAS", CUBLAS_VERSION, err);
#else
        size_t version = vendor->api.cublasLtGetVersion();
        if (version < SCALES_SINCE) {
            return no_scales(m, "cuBLAS", version, err);
        }
        bool rows = m->scale == RFT_VENDOR_SCALE_ROWS;
        int32_t a = rows ? CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F : CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
        int32_t b = rows ? CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F : CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
        int32_t first = plan->swapped ? b : a, second = plan->swapped ? a : b;
        int rc = set_attribute(vendor, plan, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &first, sizeof first, err);
        if (rc == RFT_OK) {
            rc = set_attribute(vendor, plan, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &second, sizeof second, err);
        }
        if (rc != RFT_OK) {
            return rc;
        }
#endif
    }
    return point_at_scales(vendor, plan, PLACE, PLACE, err);
}

/* ---- epilogues ---- */
static int point_at_bias(const lt_vendor *vendor, const lt_plan *plan, rft_device_ptr bias, rft_err *err) {
    const void *place = (const void *)(uintptr_t)bias;
    return rft_vendor_epilogue_has_bias(plan->base.matmul.epilogue)
               ? set_attribute(vendor, plan, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &place, sizeof place, err)
               : RFT_OK;
}

/* The heuristic goes by the bias's alignment and is asked before there is one: ALIGNED stands for it until then. */
static int describe_epilogue(const lt_vendor *vendor, const lt_plan *plan, rft_err *err) {
    enum { ALIGNED = 256 };
    static const uint32_t numbers[RFT_VENDOR_EPILOGUE_COUNT] = {
        [RFT_VENDOR_EPILOGUE_NONE] = CUBLASLT_EPILOGUE_DEFAULT,
        [RFT_VENDOR_EPILOGUE_BIAS] = CUBLASLT_EPILOGUE_BIAS,
        [RFT_VENDOR_EPILOGUE_BIAS_RELU] = CUBLASLT_EPILOGUE_RELU_BIAS,
        [RFT_VENDOR_EPILOGUE_BIAS_GELU] = CUBLASLT_EPILOGUE_GELU_BIAS,
        [RFT_VENDOR_EPILOGUE_RESIDUAL] = CUBLASLT_EPILOGUE_DEFAULT, /* it is C, and beta 1 */
    };
    uint32_t number = numbers[plan->base.matmul.epilogue];
    if (number == CUBLASLT_EPILOGUE_DEFAULT) {
        return RFT_OK;
    }
    int rc = set_attribute(vendor, plan, CUBLASLT_MATMUL_DESC_EPILOGUE, &number, sizeof number, err);
    return rc == RFT_OK ? point_at_bias(vendor, plan, ALIGNED, err) : rc;
}

int rft_cublaslt_point_at(const lt_vendor *vendor, const lt_plan *plan, const rft_vendor_buffers *buffers,
                          rft_err *err) {
    int rc = point_at_scales(vendor, plan, buffers->a_scale, buffers->b_scale, err);
    return rc == RFT_OK ? point_at_bias(vendor, plan, buffers->extra, err) : rc;
}

/* ---- describing ---- */

static cudaDataType data_type(rft_type type) {
    switch (type) {
    case RFT_TYPE_F16:
        return CUDA_R_16F;
    case RFT_TYPE_BF16:
        return CUDA_R_16BF;
    case RFT_TYPE_E4M3:
        return CUDA_R_8F_E4M3;
    case RFT_TYPE_E5M2:
        return CUDA_R_8F_E5M2;
    case RFT_TYPE_I8:
        return CUDA_R_8I;
    case RFT_TYPE_I32:
        return CUDA_R_32I;
    case RFT_TYPE_F64:
        return CUDA_R_64F;
    default:
        return CUDA_R_32F;
    }
}

static int first_cc(rft_vendor_math math) {
    static const int first[] = {
#define VENDOR_CC(name, in, out, text, cc) cc,
        RFT_VENDOR_MATH_MAP(VENDOR_CC)
#undef VENDOR_CC
    };
    return first[math];
}

/* What is plain without asking the library, whose own answer is only "not supported". */
static int check_matmul(const lt_vendor *vendor, const rft_vendor_matmul *matmul, rft_err *err) {
    const char *name = rft_vendor_math_name(matmul->math);
    int cc = vendor->info.cc_major * 10 + vendor->info.cc_minor, need = first_cc(matmul->math);
    if (matmul->m < 1 || matmul->n < 1 || matmul->k < 1) {
        return rft_err_set(err, RFT_E_LIMIT, "cuBLASLt: m, n and k must be at least 1");
    }
    if (!rft_vendor_math_writes(matmul->math, matmul->d)) {
        rft_err_set(err, RFT_E_LIMIT, "cuBLASLt: %s has no results of type %s", name, rft_type_name(matmul->d));
        return rft_err_remedy(err, "take %s", rft_type_name(rft_vendor_output_type(matmul->math)));
    }
    if (matmul->scale != RFT_VENDOR_SCALE_NONE && matmul->math != RFT_VENDOR_FP8) {
        return rft_err_set(err, RFT_E_LIMIT, "cuBLASLt: %s has no scales, fp8 has", name);
    }
    if (matmul->epilogue != RFT_VENDOR_EPILOGUE_NONE &&
        (matmul->math == RFT_VENDOR_INT8 || matmul->math == RFT_VENDOR_FP64)) {
        return rft_err_set(err, RFT_E_LIMIT, "cuBLASLt: %s has no epilogue", name);
    }
    if (rft_vendor_epilogue_has_bias(matmul->epilogue) && matmul->d_order != RFT_VENDOR_ROW) {
        return rft_err_set(err, RFT_E_LIMIT, "cuBLASLt adds a bias to the columns of a D by rows alone");
    }
    if (cc < need) {
        rft_err_set(err, RFT_E_LIMIT, "cuBLASLt: %s is not there on %s (sm_%d)", name, vendor->info.name, cc);
        return rft_err_remedy(err, "it begins with sm_%d", need);
    }
    return RFT_OK;
}

typedef struct operand {
    rft_type type;
    int64_t rows, columns; /* of the matrix */
    rft_vendor_order order;
} operand;

/* A matrix by rows is, to the library, the transposed one by columns. */
static int make_layout(const lt_vendor *vendor, cublasLtMatrixLayout_t *out, const operand *matrix, rft_err *err) {
    bool by_rows = matrix->order == RFT_VENDOR_ROW;
    uint64_t rows = (uint64_t)(by_rows ? matrix->columns : matrix->rows);
    uint64_t columns = (uint64_t)(by_rows ? matrix->rows : matrix->columns);
    return rft_cublaslt_check(
        vendor, vendor->api.cublasLtMatrixLayoutCreate(out, data_type(matrix->type), rows, columns, (int64_t)rows),
        RFT_E_LIMIT, "cuBLASLt: describing a matrix", err);
}

static cublasComputeType_t compute_type(rft_vendor_math math) {
    return math == RFT_VENDOR_TF32   ? CUBLAS_COMPUTE_32F_FAST_TF32
           : math == RFT_VENDOR_INT8 ? CUBLAS_COMPUTE_32I
           : math == RFT_VENDOR_FP64 ? CUBLAS_COMPUTE_64F
                                     : CUBLAS_COMPUTE_32F;
}

/* first x second, in the library's order, must come out as `result` by columns: where the memory holds the transposed
 * of what it is to be, the library transposes. */
static int make_operation(const lt_vendor *vendor, lt_plan *plan, rft_err *err) {
    const rft_vendor_matmul *m = &plan->base.matmul;
    /* by columns: as it is when not swapped; swapped, B' = B transposed is what a B by rows looks like */
    bool a_as_is = (m->a_order == RFT_VENDOR_COLUMN) != plan->swapped;
    bool b_as_is = (m->b_order == RFT_VENDOR_COLUMN) != plan->swapped;
    int32_t first = (plan->swapped ? b_as_is : a_as_is) ? CUBLAS_OP_N : CUBLAS_OP_T;
    int32_t second = (plan->swapped ? a_as_is : b_as_is) ? CUBLAS_OP_N : CUBLAS_OP_T;
    int8_t fast = 1;
    int rc = rft_cublaslt_check(
        vendor, vendor->api.cublasLtMatmulDescCreate(&plan->operation, compute_type(m->math), plan->scale), RFT_E_LIMIT,
        "cuBLASLt: describing the multiplication", err);
    if (rc == RFT_OK) {
        rc = set_attribute(vendor, plan, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first, err);
    }
    if (rc == RFT_OK) {
        rc = set_attribute(vendor, plan, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second, err);
    }
    if (rc == RFT_OK && m->math == RFT_VENDOR_FP8 && !m->exact_accumulation) {
        rc = set_attribute(vendor, plan, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast, err);
    }
    if (rc == RFT_OK) {
        rc = describe_scales(vendor, plan, err);
    }
    return rc == RFT_OK ? describe_epilogue(vendor, plan, err) : rc;
}

static int describe_algos(const lt_vendor *vendor, lt_plan *plan, rft_err *err) {
    const rft_vendor_matmul *m = &plan->base.matmul;
    rft_type input = rft_vendor_input_type(m->math);
    const operand a = {m->a_e5m2 ? RFT_TYPE_E5M2 : input, m->m, m->k, m->a_order};
    const operand b = {m->b_e5m2 ? RFT_TYPE_E5M2 : input, m->k, m->n, m->b_order};
    const operand d = {m->d, m->m, m->n, m->d_order};
    plan->swapped = m->d_order == RFT_VENDOR_ROW;
    plan->scale = m->math == RFT_VENDOR_INT8 ? CUDA_R_32I : m->math == RFT_VENDOR_FP64 ? CUDA_R_64F : CUDA_R_32F;
    int rc = make_operation(vendor, plan, err);
    if (rc == RFT_OK) {
        rc = make_layout(vendor, &plan->first, plan->swapped ? &b : &a, err);
    }
    if (rc == RFT_OK) {
        rc = make_layout(vendor, &plan->second, plan->swapped ? &a : &b, err);
    }
    return rc == RFT_OK ? make_layout(vendor, &plan->result, &d, err) : rc;
}

/* ---- algorithms ---- */
static int config_of(const lt_vendor *vendor, const cublasLtMatmulAlgo_t *algo,
                     cublasLtMatmulAlgoConfigAttributes_t attribute, size_t bytes) {
    union {
        int32_t wide;
        uint16_t narrow;
    } value = {0};
    size_t written = 0;
    cublasStatus_t status = vendor->api.cublasLtMatmulAlgoConfigGetAttribute(algo, attribute, &value, bytes, &written);
    if (status != CUBLAS_STATUS_SUCCESS) {
        return 0;
    }
    return bytes == sizeof value.narrow ? value.narrow : value.wide;
}

static void name_algo(const lt_vendor *vendor, const cublasLtMatmulAlgo_t *algo, rft_vendor_algo *out) {
    rft_str name = RFT_STR_INIT;
    out->id = config_of(vendor, algo, CUBLASLT_ALGO_CONFIG_ID, sizeof(int32_t));
    out->split_k = config_of(vendor, algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, sizeof(int32_t));
    int tile = config_of(vendor, algo, CUBLASLT_ALGO_CONFIG_TILE_ID, sizeof(int32_t));
    int stages_id = config_of(vendor, algo, CUBLASLT_ALGO_CONFIG_STAGES_ID, sizeof(int32_t));
    int swizzle = config_of(vendor, algo, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, sizeof(int32_t));
    int custom = config_of(vendor, algo, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, sizeof(int32_t));
    const char *stages = rft_cublaslt_stages(stages_id);
    const char *cluster =
        rft_cublaslt_cluster(config_of(vendor, algo, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, sizeof(uint16_t)));
    rft_str_addf(&name, "algo %d", out->id);
    if (rft_cublaslt_tile(tile, &out->tile_m, &out->tile_n)) {
        rft_str_addf(&name, ", tile %dx%d", out->tile_m, out->tile_n);
    } else if (tile > 0) {
        rft_str_addf(&name, ", tile number %d", tile);
    }
    if (stages) {
        rft_str_addf(&name, ", stages %s", stages);
    } else if (stages_id > 0) {
        rft_str_addf(&name, ", stages number %d", stages_id);
    }
    if (cluster) {
        rft_str_addf(&name, ", cluster %s", cluster);
    }
    if (out->split_k > 1) {
        rft_str_addf(&name, ", split-k %d", out->split_k);
    }
    if (swizzle > 0) {
        rft_str_addf(&name, ", swizzle %d", swizzle);
    }
    if (custom > 0) {
        rft_str_addf(&name, ", option %d", custom);
    }
    rft_text_format(out->name, sizeof out->name, "%s", rft_str_get(&name));
    rft_str_clear(&name);
}

static int none_found(const lt_vendor *vendor, const rft_vendor_matmul *m, const char *why, rft_err *err) {
    static const char *const orders[] = {"rows", "columns"};
    rft_err_set(err, RFT_E_LIMIT,
                "cuBLASLt has no algorithm for %s %lld x %lld x %lld (A by %s, B by %s, D by %s, %s%s%s%s%s) on %s: %s",
                rft_vendor_math_name(m->math), (long long)m->m, (long long)m->n, (long long)m->k, orders[m->a_order],
                orders[m->b_order], orders[m->d_order], rft_type_name(m->d),
                m->scale == RFT_VENDOR_SCALE_NONE ? "" : ", scaled by ",
                m->scale == RFT_VENDOR_SCALE_NONE ? "" : rft_vendor_scale_name(m->scale),
                m->epilogue == RFT_VENDOR_EPILOGUE_NONE ? "" : ", epilogue ",
                m->epilogue == RFT_VENDOR_EPILOGUE_NONE ? "" : rft_vendor_epilogue_name(m->epilogue), vendor->info.name,
                why);
    if (m->math == RFT_VENDOR_FP8 || m->math == RFT_VENDOR_INT8) {
        return rft_err_remedy(err, "%s wants A by rows, B by columns, and m, n and k that are multiples of 16",
                              rft_vendor_math_name(m->math));
    }
    return rft_err_remedy(err, "sizes that are multiples of 8, or more workspace, may be supported");
}

static int ask_heuristic(const lt_vendor *vendor, lt_plan *plan, rft_err *err) {
    rft_vendor_plan *out = &plan->base;
    const uint64_t workspace_bytes = WORKSPACE_BYTES;
    cublasLtMatmulHeuristicResult_t found[RFT_VENDOR_ALGOS_MAX] = {0};
    cublasLtMatmulPreference_t preference = NULL;
    int count = 0;
    int rc = rft_cublaslt_check(vendor, vendor->api.cublasLtMatmulPreferenceCreate(&preference), RFT_E_LIMIT,
                                "cuBLASLt: describing what is preferred", err);
    if (rc != RFT_OK) {
        return rc;
    }
    rc = rft_cublaslt_check(vendor,
                            vendor->api.cublasLtMatmulPreferenceSetAttribute(preference,
                                                                             CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                                             &workspace_bytes, sizeof workspace_bytes),
                            RFT_E_LIMIT, "cuBLASLt: describing what is preferred", err);
    if (rc != RFT_OK) {
        goto done;
    }
    cublasStatus_t status = vendor->api.cublasLtMatmulAlgoGetHeuristic(vendor->handle, plan->operation, plan->first,
                                                                       plan->second, plan->result, plan->result,
                                                                       preference, RFT_VENDOR_ALGOS_MAX, found, &count);
    for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < count && i < RFT_VENDOR_ALGOS_MAX; i++) {
        if (found[i].state == CUBLAS_STATUS_SUCCESS) {
            rft_vendor_algo *algo = &out->algos[out->algo_count];
            plan->algos[out->algo_count++] = found[i].algo;
            name_algo(vendor, &found[i].algo, algo);
            algo->workspace_bytes = found[i].workspaceSize;
            algo->waves = found[i].wavesCount > 0.0f ? (double)found[i].wavesCount : (double)NAN;
            out->workspace_bytes =
                algo->workspace_bytes > out->workspace_bytes ? algo->workspace_bytes : out->workspace_bytes;
        }
    }
    if (out->algo_count == 0) {
        const char *why =
            status == CUBLAS_STATUS_SUCCESS ? "its list is empty" : vendor->api.cublasLtGetStatusName(status);
        rc = none_found(vendor, &out->matmul, why, err);
    }
done:
    vendor->api.cublasLtMatmulPreferenceDestroy(preference);
    return rc;
}

/* ---- making one ---- */
void rft_cublaslt_plan_free(rft_vendor *base, rft_vendor_plan *plan_base) {
    const lt_vendor *vendor = (const lt_vendor *)base;
    lt_plan *plan = (lt_plan *)plan_base;
    if (!plan) {
        return;
    }
    cublasLtMatrixLayout_t layouts[] = {plan->first, plan->second, plan->result};
    for (size_t i = 0; i < 3; i++) {
        if (layouts[i]) {
            vendor->api.cublasLtMatrixLayoutDestroy(layouts[i]);
        }
    }
    if (plan->operation) {
        vendor->api.cublasLtMatmulDescDestroy(plan->operation);
    }
    free(plan);
}

int rft_cublaslt_plan_make(rft_vendor *base, const rft_vendor_matmul *matmul, rft_vendor_plan **out, rft_err *err) {
    lt_vendor *vendor = (lt_vendor *)base;
    void *stream = NULL;
    *out = NULL;
    int rc = check_matmul(vendor, matmul, err);
    if (rc == RFT_OK) {
        rc = rft_cuda_stream(vendor->gpu, &stream, err); /* makes the context current */
    }
    if (rc != RFT_OK) {
        return rc;
    }
    lt_plan *plan = rft_alloc(sizeof *plan);
    plan->base.matmul = *matmul;
    rc = describe_algos(vendor, plan, err);
    if (rc == RFT_OK) {
        rc = ask_heuristic(vendor, plan, err);
    }
    if (rc != RFT_OK) {
        rft_cublaslt_plan_free(base, &plan->base);
        return rc;
    }
    *out = &plan->base;
    return RFT_OK;
}
