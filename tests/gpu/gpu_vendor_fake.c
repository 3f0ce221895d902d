/* SPDX-License-Identifier: Apache-2.0 */
/* cublaslt*.c against a libcuda.so.1 and a libcublasLt of our own, on any machine: orders of matrices, what is asked
 * for and with which types, names of algorithms, refusals. LD_LIBRARY_PATH must lead to the fake driver (ctest sets
 * it). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/cublaslt/cublaslt_names.h"
#include "gpu/fake_cublaslt.h"
#include "gpu/vendor.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rft_gpu *gpu;
static fake_cublaslt_state *fake;
static const char *const folders[] = {RFT_FAKE_CUBLASLT};
static const rft_library_places places = {.folders = folders, .count = 1, .named_count = 1};

static int reset(void **state) {
    (void)state;
    *fake = (fake_cublaslt_state){.version = 0};
    return 0;
}

static rft_vendor *open_vendor(void) {
    rft_vendor *vendor = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_cublaslt_open(&vendor, gpu, &places, &err) != 0) {
        fail_msg("%s", err.message);
    }
    return vendor;
}

static rft_device_ptr new_memory(const void *data, size_t bytes) {
    rft_device_ptr memory = 0;
    assert_int_equal(gpu->vt->alloc(gpu, bytes, &memory, NULL), 0);
    if (data) {
        assert_int_equal(gpu->vt->write(gpu, memory, data, bytes, NULL), 0);
    }
    return memory;
}

enum { M = 3, N = 4, K = 5 };

static size_t at(rft_vendor_order order, size_t row, size_t column, size_t rows, size_t columns) {
    return order == RFT_VENDOR_ROW ? row * columns + column : column * rows + row;
}

static int a_value(size_t row, size_t k) {
    return (int)(row * 7 + k * 3 + 1) % 11 - 5;
}

static int b_value(size_t k, size_t column) {
    return (int)(k * 5 + column * 2 + 3) % 13 - 6;
}

/* Multiplies by `vendor` with these orders and compares with sums on the host. */
static void multiply(rft_vendor *vendor, rft_vendor_math math, const rft_vendor_order order[3]) {
    float a_real[M * K], b_real[K * N], d_real[M * N];
    double a_wide[M * K], b_wide[K * N], d_wide[M * N];
    signed char a_int[M * K], b_int[K * N];
    int d_int[M * N];
    bool is_int = math == RFT_VENDOR_INT8, is_wide = math == RFT_VENDOR_FP64;
    for (size_t k = 0; k < K; k++) {
        for (size_t i = 0; i < M; i++) {
            a_real[at(order[0], i, k, M, K)] = (float)a_value(i, k);
            a_wide[at(order[0], i, k, M, K)] = a_value(i, k);
            a_int[at(order[0], i, k, M, K)] = (signed char)a_value(i, k);
        }
        for (size_t j = 0; j < N; j++) {
            b_real[at(order[1], k, j, K, N)] = (float)b_value(k, j);
            b_wide[at(order[1], k, j, K, N)] = b_value(k, j);
            b_int[at(order[1], k, j, K, N)] = (signed char)b_value(k, j);
        }
    }
    rft_vendor_matmul matmul = {.math = math,
                                .d = rft_vendor_output_type(math),
                                .m = M,
                                .n = N,
                                .k = K,
                                .a_order = order[0],
                                .b_order = order[1],
                                .d_order = order[2]};
    rft_vendor_plan *plan = NULL;
    rft_err err = RFT_ERR_INIT;
    if (vendor->vt->plan(vendor, &matmul, &plan, &err) != 0) {
        fail_msg("%s", err.message);
    }
    rft_vendor_buffers buffers = {.a = is_int    ? new_memory(a_int, sizeof a_int)
                                       : is_wide ? new_memory(a_wide, sizeof a_wide)
                                                 : new_memory(a_real, sizeof a_real),
                                  .b = is_int    ? new_memory(b_int, sizeof b_int)
                                       : is_wide ? new_memory(b_wide, sizeof b_wide)
                                                 : new_memory(b_real, sizeof b_real),
                                  .d = new_memory(NULL, sizeof d_wide),
                                  .workspace = new_memory(NULL, plan->workspace_bytes)};
    assert_int_equal(vendor->vt->launch(vendor, plan, 1, &buffers, NULL), 0);
    assert_int_equal(gpu->vt->read(gpu, d_wide, buffers.d, sizeof d_wide, NULL), 0);
    memcpy(d_real, d_wide, sizeof d_real);
    memcpy(d_int, d_wide, sizeof d_int);
    for (size_t i = 0; i < M; i++) {
        for (size_t j = 0; j < N; j++) {
            int sum = 0;
            for (size_t k = 0; k < K; k++) {
                sum += a_value(i, k) * b_value(k, j);
            }
            size_t where = at(order[2], i, j, M, N);
            assert_int_equal(is_int ? d_int[where] : is_wide ? (int)d_wide[where] : (int)d_real[where], sum);
        }
    }
    gpu->vt->free(gpu, buffers.a);
    gpu->vt->free(gpu, buffers.b);
    gpu->vt->free(gpu, buffers.d);
    gpu->vt->free(gpu, buffers.workspace);
    vendor->vt->plan_free(vendor, plan);
}

static void every_order_of_matrices(void **state) {
    (void)state;
    rft_vendor *vendor = open_vendor();
    for (unsigned bits = 0; bits < 8; bits++) {
        const rft_vendor_order order[3] = {(rft_vendor_order)(bits & 1), (rft_vendor_order)(bits >> 1 & 1),
                                           (rft_vendor_order)(bits >> 2 & 1)};
        multiply(vendor, RFT_VENDOR_FP32, order);
        assert_int_equal(fake->compute_type, CUBLAS_COMPUTE_32F);
        multiply(vendor, RFT_VENDOR_TF32, order);
        assert_int_equal(fake->compute_type, CUBLAS_COMPUTE_32F_FAST_TF32);
        multiply(vendor, RFT_VENDOR_INT8, order);
        assert_true(fake->compute_type == CUBLAS_COMPUTE_32I && fake->scale_type == CUDA_R_32I);
        multiply(vendor, RFT_VENDOR_FP64, order);
        assert_true(fake->compute_type == CUBLAS_COMPUTE_64F && fake->scale_type == CUDA_R_64F);
    }
    assert_int_equal(fake->algo, 62); /* the second that can run */
    assert_int_equal(fake->workspace_bytes, 2048);
    assert_non_null(fake->stream);
    vendor->vt->close(vendor);
    assert_true(fake->handles == 0 && fake->operations == 0 && fake->layouts == 0 && fake->preferences == 0);
}

static void algorithms_are_listed_and_named(void **state) {
    (void)state;
    rft_vendor *vendor = open_vendor();
    rft_vendor_matmul matmul = {.math = RFT_VENDOR_BF16, .d = RFT_TYPE_F32, .m = 64, .n = 64, .k = 64};
    rft_vendor_plan *plan = NULL;
    assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, NULL), 0);
    assert_int_equal(plan->algo_count, 2);
    assert_string_equal(plan->algos[0].name, "algo 60, tile 128x256, stages 64x4, cluster 2x1x1");
    assert_string_equal(plan->algos[1].name, "algo 62, tile number 5000, stages 64x4, split-k 4, option 7");
    assert_true(plan->algos[0].tile_m == 128 && plan->algos[0].tile_n == 256 && plan->algos[1].tile_m == 0);
    assert_true(plan->algos[0].waves == 0.5 && isnan(plan->algos[1].waves));
    assert_true(plan->workspace_bytes == 2048 && plan->algos[1].split_k == 4);
    assert_true(fake->workspace_max_bytes == 64ull << 20);
    assert_int_equal(vendor->vt->launch(vendor, plan, 2, &(rft_vendor_buffers){0}, NULL), RFT_E_INTERNAL);
    vendor->vt->plan_free(vendor, plan);
    vendor->vt->plan_free(vendor, NULL);
    assert_non_null(strstr(vendor->vt->version(vendor), "cuBLASLt "));
    assert_non_null(strstr(vendor->vt->version(vendor), "libcublasLt.so"));
    vendor->vt->close(vendor);
}

static void fp8_accumulates_fast_unless_told(void **state) {
    (void)state;
    rft_vendor *vendor = open_vendor();
    rft_vendor_matmul matmul = {
        .math = RFT_VENDOR_FP8, .d = RFT_TYPE_BF16, .m = 64, .n = 64, .k = 64, .b_order = RFT_VENDOR_COLUMN};
    rft_vendor_buffers buffers = {.a = 256, .b = 512, .d = 768, .workspace = 1024};
    for (int exact = 0; exact < 2; exact++) {
        rft_vendor_plan *plan = NULL;
        matmul.exact_accumulation = exact;
        assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, NULL), 0);
        assert_int_equal(vendor->vt->launch(vendor, plan, 0, &buffers, NULL), 0);
        assert_int_equal(fake->fast_accumulation, !exact);
        assert_true(fake->transposes[0] == CUBLAS_OP_T && fake->transposes[1] == CUBLAS_OP_N);
        vendor->vt->plan_free(vendor, plan);
    }
    vendor->vt->close(vendor);
}

/* C by rows is C transposed to the library, so B's scales are those of its first matrix. */
static void scales_reach_the_library(void **state) {
    (void)state;
    static const int modes[][2] = {
        [RFT_VENDOR_SCALE_NONE] = {0, 0},
        [RFT_VENDOR_SCALE_TENSOR] = {0, 0},
        [RFT_VENDOR_SCALE_ROWS] = {CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F,
                                   CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F},
        [RFT_VENDOR_SCALE_BLOCKS] = {CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F,
                                     CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F},
    };
    rft_vendor *vendor = open_vendor();
    rft_vendor_matmul matmul = {
        .math = RFT_VENDOR_FP8, .d = RFT_TYPE_BF16, .m = 64, .n = 64, .k = 64, .b_order = RFT_VENDOR_COLUMN};
    rft_vendor_buffers buffers = {.a = 256, .b = 512, .d = 768, .workspace = 1024, .a_scale = 2048, .b_scale = 4096};
    for (int scale = 0; scale < RFT_VENDOR_SCALE_COUNT; scale++) {
        rft_vendor_plan *plan = NULL;
        matmul.scale = (rft_vendor_scale)scale;
        matmul.a_e5m2 = scale == RFT_VENDOR_SCALE_ROWS;
        assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, NULL), 0);
        assert_int_equal(vendor->vt->launch(vendor, plan, 0, &buffers, NULL), 0);
        assert_int_equal(fake->types[0], CUDA_R_8F_E4M3);
        assert_int_equal(fake->types[1], matmul.a_e5m2 ? CUDA_R_8F_E5M2 : CUDA_R_8F_E4M3);
        assert_memory_equal(fake->scale_modes, modes[scale], sizeof modes[scale]);
        assert_true((uintptr_t)fake->scales[0] == (scale ? 4096 : 0));
        assert_true((uintptr_t)fake->scales[1] == (scale ? 2048 : 0));
        vendor->vt->plan_free(vendor, plan);
    }
    rft_vendor_plan *plan = NULL;
    rft_err err = RFT_ERR_INIT;
    matmul.b_order = RFT_VENDOR_ROW;
    assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "D by rows, bf16, scaled by blocks)"));
    matmul.math = RFT_VENDOR_BF16;
    assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, &err), RFT_E_LIMIT);
    assert_string_equal(err.message, "cuBLASLt: bf16 has no scales, fp8 has");
    vendor->vt->close(vendor);
}

/* f32, D by rows: a bias for each of its columns, or a matrix like it. */
static void epilogues_reach_the_library(void **state) {
    (void)state;
    static const unsigned numbers[] = {0, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS,
                                       CUBLASLT_EPILOGUE_GELU_BIAS, 0};
    rft_vendor *vendor = open_vendor();
    float a[M * K], b[K * N], extra[M * N], d[M * N];
    for (size_t i = 0; i < M * K; i++) {
        a[i] = (float)a_value(i / K, i % K);
    }
    for (size_t i = 0; i < K * N; i++) {
        b[i] = (float)b_value(i / N, i % N);
    }
    for (size_t i = 0; i < M * N; i++) {
        extra[i] = (float)i * 3.0f - 7.0f;
    }
    rft_vendor_buffers buffers = {.a = new_memory(a, sizeof a),
                                  .b = new_memory(b, sizeof b),
                                  .d = new_memory(NULL, sizeof d),
                                  .extra = new_memory(extra, sizeof extra),
                                  .workspace = new_memory(NULL, 4096)};
    rft_vendor_matmul matmul = {.math = RFT_VENDOR_FP32, .d = RFT_TYPE_F32, .m = M, .n = N, .k = K};
    rft_vendor_plan *plan = NULL;
    rft_err err = RFT_ERR_INIT;
    for (int epilogue = 0; epilogue < RFT_VENDOR_EPILOGUE_COUNT; epilogue++) {
        matmul.epilogue = (rft_vendor_epilogue)epilogue;
        assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, &err), 0);
        assert_int_equal(fake->epilogue, numbers[epilogue]);
        assert_int_equal(vendor->vt->launch(vendor, plan, 0, &buffers, &err), 0);
        assert_int_equal(gpu->vt->read(gpu, d, buffers.d, sizeof d, NULL), 0);
        for (size_t i = 0; i < M * N; i++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a[i / N * K + k] * b[k * N + i % N];
            }
            sum += epilogue == RFT_VENDOR_EPILOGUE_NONE       ? 0.0f
                   : epilogue == RFT_VENDOR_EPILOGUE_RESIDUAL ? extra[i]
                                                              : extra[i % N];
            assert_true(d[i] == (epilogue == RFT_VENDOR_EPILOGUE_BIAS_RELU && sum < 0.0f ? 0.0f : sum));
        }
        vendor->vt->plan_free(vendor, plan);
    }
    matmul.epilogue = RFT_VENDOR_EPILOGUE_BIAS;
    matmul.d_order = RFT_VENDOR_COLUMN;
    assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, &err), RFT_E_LIMIT);
    assert_string_equal(err.message, "cuBLASLt adds a bias to the columns of a D by rows alone");
    matmul = (rft_vendor_matmul){.math = RFT_VENDOR_FP64, .d = RFT_TYPE_F64, .m = M, .n = N, .k = K, .epilogue = 4};
    assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, &err), RFT_E_LIMIT);
    assert_string_equal(err.message, "cuBLASLt: fp64 has no epilogue");
    fake->empty = 1;
    matmul = (rft_vendor_matmul){.math = RFT_VENDOR_FP32, .d = RFT_TYPE_F32, .m = M, .n = N, .k = K, .epilogue = 3};
    assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "D by rows, f32, epilogue bias_gelu)"));
    const rft_device_ptr taken[] = {buffers.a, buffers.b, buffers.d, buffers.extra, buffers.workspace};
    for (size_t i = 0; i < 5; i++) {
        gpu->vt->free(gpu, taken[i]);
    }
    vendor->vt->close(vendor);
}

static void refusals_have_reasons(void **state) {
    (void)state;
    rft_vendor *vendor = open_vendor();
    rft_vendor_matmul matmul = {.math = RFT_VENDOR_FP8, .d = RFT_TYPE_BF16, .m = 64, .n = 32, .k = 16};
    rft_vendor_plan *plan = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, &err), RFT_E_LIMIT);
    assert_null(plan);
    assert_non_null(strstr(err.message, "no algorithm for fp8 64 x 32 x 16 (A by rows, B by rows, D by rows, bf16)"));
    assert_non_null(strstr(err.message, "CUBLAS_STATUS_NOT_SUPPORTED"));
    assert_non_null(strstr(err.remedy, "B by columns"));
    matmul.d = RFT_TYPE_I32;
    assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, &err), RFT_E_LIMIT);
    assert_string_equal(err.message, "cuBLASLt: fp8 has no results of type i32");
    matmul = (rft_vendor_matmul){.math = RFT_VENDOR_FP32, .d = RFT_TYPE_F32, .m = 8, .n = 8};
    assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, &err), RFT_E_LIMIT); /* k = 0 */
    matmul.k = 8;
    fake->empty = 1;
    assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "its list is empty"));
    fake->empty = 0;
    assert_int_equal(vendor->vt->plan(vendor, &matmul, &plan, &err), 0);
    fake->fails = 1;
    rft_vendor_buffers buffers = {.a = 256, .b = 512, .d = 768};
    assert_int_equal(vendor->vt->launch(vendor, plan, 0, &buffers, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "refuses algo 60"));
    vendor->vt->plan_free(vendor, plan);
    vendor->vt->close(vendor);
    assert_true(fake->operations == 0 && fake->layouts == 0 && fake->preferences == 0);
}

static void opening_is_refused_with_a_remedy(void **state) {
    (void)state;
    rft_vendor *vendor = NULL;
    rft_err err = RFT_ERR_INIT;
    fake->version = 11 * 10000 + 9 * 100;
    assert_int_equal(rft_cublaslt_open(&vendor, gpu, &places, &err), RFT_E_NOT_FOUND);
    assert_null(vendor);
    assert_non_null(strstr(err.message, "works with those of CUDA 12 to 13"));
    assert_non_null(strstr(err.remedy, "nvidia-cublas"));
    assert_int_equal(fake->handles, 0);
    fake->version = 0;
    rft_gpu_vt other = *gpu->vt;
    other.launch = NULL;
    rft_gpu not_cuda = {&other};
    assert_int_equal(rft_cublaslt_open(&vendor, &not_cuda, &places, &err), RFT_E_DEVICE);
    assert_non_null(strstr(err.message, "no CUDA stream"));
}

static void numbers_have_the_headers_names(void **state) {
    (void)state;
#define TILE(r, c)                                                                                                     \
    { CUBLASLT_MATMUL_TILE_##r##x##c, r, c }
    static const struct {
        int id, rows, columns;
    } tiles[] = {TILE(8, 8),     TILE(128, 256), TILE(256, 128), TILE(192, 128), TILE(256, 32),  TILE(8, 128),
                 TILE(24, 768),  TILE(32, 192),  TILE(64, 192),  TILE(72, 640),  TILE(128, 320), TILE(160, 192),
                 TILE(256, 192), TILE(384, 128), TILE(392, 64),  TILE(768, 64)};
#undef TILE
    int rows = 0, columns = 0;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        assert_true(rft_cublaslt_tile(tiles[i].id, &rows, &columns));
        assert_true(rows == tiles[i].rows && columns == tiles[i].columns);
    }
    assert_false(rft_cublaslt_tile(CUBLASLT_MATMUL_TILE_UNDEFINED, &rows, &columns));
    assert_false(rft_cublaslt_tile(100000, &rows, &columns));
    for (int id = 1; id < (int)CUBLASLT_MATMUL_TILE_END; id++) {
        assert_true(rft_cublaslt_tile(id, &rows, &columns));
    }
    assert_string_equal(rft_cublaslt_stages(CUBLASLT_MATMUL_STAGES_128x3), "128x3");
    assert_string_equal(rft_cublaslt_stages(CUBLASLT_MATMUL_STAGES_64xAUTO), "64xauto");
    assert_null(rft_cublaslt_stages(CUBLASLT_MATMUL_STAGES_UNDEFINED));
    assert_null(rft_cublaslt_stages(-1));
    assert_string_equal(rft_cublaslt_cluster(CUBLASLT_CLUSTER_SHAPE_1x1x1), "1x1x1");
    assert_string_equal(rft_cublaslt_cluster(CUBLASLT_CLUSTER_SHAPE_7x2x1), "7x2x1");
    assert_null(rft_cublaslt_cluster(CUBLASLT_CLUSTER_SHAPE_AUTO));
    rft_vendor_math math = RFT_VENDOR_FP32;
    assert_true(rft_vendor_math_from_name(&math, "int8") && math == RFT_VENDOR_INT8);
    assert_false(rft_vendor_math_from_name(&math, "fp7"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_order_of_matrices, reset),
        cmocka_unit_test_setup(algorithms_are_listed_and_named, reset),
        cmocka_unit_test_setup(fp8_accumulates_fast_unless_told, reset),
        cmocka_unit_test_setup(scales_reach_the_library, reset),
        cmocka_unit_test_setup(epilogues_reach_the_library, reset),
        cmocka_unit_test_setup(refusals_have_reasons, reset),
        cmocka_unit_test_setup(opening_is_refused_with_a_remedy, reset),
        cmocka_unit_test(numbers_have_the_headers_names),
    };
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *library = dlopen(RFT_FAKE_CUBLASLT, RTLD_NOW | RTLD_LOCAL);
    fake = library ? dlsym(library, "fake_cublaslt") : NULL;
    if (!fake || !driver || !dlsym(driver, "fake_state")) {
        printf("skipped: libcuda.so.1 is not the fake one; run this through ctest\n");
        return 77;
    }
    rft_err err = RFT_ERR_INIT;
    if (rft_cuda_open(&gpu, 0, &err) != 0) {
        printf("%s\n", err.message);
        return 1;
    }
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    gpu->vt->close(gpu);
    return status;
}
