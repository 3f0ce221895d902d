/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor's matrix multiplication on a real device: exact results of a small problem by every algorithm and order,
 * and the rates of a large one, printed; on an H200 they are held against those measured there through other programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "gpu/gpu_device.h"
#include "gpu/gpu_tests.h"
#include "gpu/vendor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rft_gpu *gpu;
static rft_gpu_info info;
static rft_vendor *vendor;

static rft_device_ptr new_memory(uint64_t bytes) {
    rft_device_ptr memory = 0;
    OK(gpu->vt->alloc(gpu, bytes, &memory, &failure));
    return memory;
}

/* ---- a small problem ---- */
enum { M = 48, N = 80, K = 64 }; /* sums of 64 products of -1, 0 and 1 are exact in every type of result */

static int a_value(size_t row, size_t k) {
    return (int)((row * 7 + k * 3 + row * k) % 3) - 1;
}

static int b_value(size_t k, size_t column) {
    return (int)((k * 5 + column * 2 + k * column * 3) % 3) - 1;
}

static void encode(unsigned char *to, rft_type type, int value) {
    double wide = value;
    uint32_t sign = value < 0, bits32 = value ? 0x3F800000u | sign << 31 : 0;
    uint16_t bits16 = (uint16_t)(bits32 >> 16), half = (uint16_t)(value ? 0x3C00u | sign << 15 : 0);
    int8_t byte = (int8_t)value;
    switch (type) {
    case RFT_TYPE_F64:
        memcpy(to, &wide, 8);
        break;
    case RFT_TYPE_F32:
        memcpy(to, &bits32, 4);
        break;
    case RFT_TYPE_BF16:
        memcpy(to, &bits16, 2);
        break;
    case RFT_TYPE_F16:
        memcpy(to, &half, 2);
        break;
    case RFT_TYPE_E4M3:
        *to = (unsigned char)(value ? 0x38u | sign << 7 : 0);
        break;
    default:
        memcpy(to, &byte, 1);
    }
}

static double decode(const unsigned char *from, rft_type type) {
    uint16_t half = 0;
    uint32_t bits = 0;
    float real = 0;
    double wide = 0;
    int32_t integer = 0;
    switch (type) {
    case RFT_TYPE_F64:
        memcpy(&wide, from, 8);
        return wide;
    case RFT_TYPE_I32:
        memcpy(&integer, from, 4);
        return integer;
    case RFT_TYPE_F16: /* no result here is subnormal */
        memcpy(&half, from, 2);
        real = (half & 0x7C00) ? ldexpf(1.0f + (float)(half & 0x3FF) / 1024.0f, (half >> 10 & 31) - 15) : 0.0f;
        return half & 0x8000 ? -real : real;
    case RFT_TYPE_BF16:
        memcpy(&half, from, 2);
        bits = (uint32_t)half << 16;
        memcpy(&real, &bits, 4);
        return real;
    default:
        memcpy(&real, from, 4);
        return real;
    }
}

static size_t at(rft_vendor_order order, size_t row, size_t column, size_t rows, size_t columns) {
    return order == RFT_VENDOR_ROW ? row * columns + column : column * rows + row;
}

static rft_device_ptr upload(rft_type type, rft_vendor_order order, size_t rows, size_t columns,
                             int (*value)(size_t, size_t)) {
    size_t bytes = rft_type_bytes(type);
    unsigned char *host = calloc(rows * columns, bytes);
    assert_non_null(host);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            encode(host + at(order, i, j, rows, columns) * bytes, type, value(i, j));
        }
    }
    rft_device_ptr memory = new_memory(rows * columns * bytes);
    OK(gpu->vt->write(gpu, memory, host, rows * columns * bytes, &failure));
    free(host);
    return memory;
}

/* Of a residual; of a bias the first row. */
static int extra_value(size_t row, size_t column) {
    return (int)((row * 5 + column * 3 + row * column) % 3) - 1;
}

/* What the epilogue makes of a sum, and how far the library's may lie beside it. */
static double after_epilogue(rft_vendor_epilogue epilogue, int sum, size_t row, size_t column, double *apart) {
    bool has_bias = rft_vendor_epilogue_has_bias(epilogue);
    double x = sum + (epilogue == RFT_VENDOR_EPILOGUE_NONE ? 0 : extra_value(has_bias ? 0 : row, column));
    *apart = 0.0;
    if (epilogue == RFT_VENDOR_EPILOGUE_BIAS_GELU) {
        *apart = 0.01 * (1.0 + fabs(x));
        return x / 2.0 * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    }
    return epilogue == RFT_VENDOR_EPILOGUE_BIAS_RELU ? fmax(x, 0.0) : x;
}

/* Every algorithm of the plan; the result is poisoned before each. */
static void check_results(const rft_vendor_plan *plan, const rft_vendor_buffers *buffers) {
    const rft_vendor_matmul *m = &plan->matmul;
    size_t bytes = rft_type_bytes(m->d);
    unsigned char *host = calloc(M * N, bytes);
    assert_non_null(host);
    for (size_t algo = 0; algo < plan->algo_count; algo++) {
        OK(gpu->vt->set(gpu, buffers->d, 0xFF, M * N * bytes, &failure));
        OK(vendor->vt->launch(vendor, plan, algo, buffers, &failure));
        OK(gpu->vt->read(gpu, host, buffers->d, M * N * bytes, &failure));
        for (size_t i = 0; i < M; i++) {
            for (size_t j = 0; j < N; j++) {
                int sum = 0;
                for (size_t k = 0; k < K; k++) {
                    sum += a_value(i, k) * b_value(k, j);
                }
                double got = decode(host + at(m->d_order, i, j, M, N) * bytes, m->d), apart = 0.0;
                double expected = after_epilogue(m->epilogue, sum, i, j, &apart);
                if (!(fabs(got - expected) <= apart)) {
                    fail_msg("%s, epilogue %s, %s: element (%zu, %zu) is %g, not %g", rft_vendor_math_name(m->math),
                             rft_vendor_epilogue_name(m->epilogue), plan->algos[algo].name, i, j, got, expected);
                }
            }
        }
    }
    free(host);
}

/* Returns the number of algorithms checked; 0 when the library has none, with a reason. */
static size_t small_problem(rft_vendor_math math, rft_type d, unsigned orders, rft_vendor_epilogue epilogue) {
    rft_vendor_matmul matmul = {.math = math,
                                .epilogue = epilogue,
                                .d = d,
                                .m = M,
                                .n = N,
                                .k = K,
                                .a_order = (rft_vendor_order)(orders & 1),
                                .b_order = (rft_vendor_order)(orders >> 1 & 1),
                                .d_order = (rft_vendor_order)(orders >> 2 & 1)};
    rft_vendor_plan *plan = NULL;
    rft_err err = RFT_ERR_INIT;
    if (vendor->vt->plan(vendor, &matmul, &plan, &err) != 0) {
        assert_int_equal(err.code, RFT_E_LIMIT);
        assert_true(err.message[0] != '\0' && err.remedy[0] != '\0');
        return 0;
    }
    rft_type in = rft_vendor_input_type(math);
    rft_vendor_buffers buffers = {.a = upload(in, matmul.a_order, M, K, a_value),
                                  .b = upload(in, matmul.b_order, K, N, b_value),
                                  .d = new_memory(M * N * rft_type_bytes(d)),
                                  .extra = upload(d, matmul.d_order, M, N, extra_value),
                                  .workspace = new_memory(plan->workspace_bytes)};
    check_results(plan, &buffers);
    size_t count = plan->algo_count;
    gpu->vt->free(gpu, buffers.extra);
    gpu->vt->free(gpu, buffers.a);
    gpu->vt->free(gpu, buffers.b);
    gpu->vt->free(gpu, buffers.d);
    gpu->vt->free(gpu, buffers.workspace);
    vendor->vt->plan_free(vendor, plan);
    return count;
}

static void results_are_right(void **state) {
    (void)state;
    for (int math = 0; math < RFT_VENDOR_MATH_COUNT; math++) {
        rft_type usual = rft_vendor_output_type((rft_vendor_math)math);
        size_t usual_count = 0, wide_count = 0, orders_found = 0;
        for (unsigned orders = 0; orders < 8; orders++) {
            size_t count = small_problem((rft_vendor_math)math, usual, orders, RFT_VENDOR_EPILOGUE_NONE);
            usual_count += count;
            orders_found += count > 0;
            if (usual != RFT_TYPE_F32 && usual != RFT_TYPE_I32) {
                wide_count += small_problem((rft_vendor_math)math, RFT_TYPE_F32, orders, RFT_VENDOR_EPILOGUE_NONE);
            }
        }
        print_message("%s: %zu algorithms right over %zu of 8 orders (%zu more with results in f32)\n",
                      rft_vendor_math_name((rft_vendor_math)math), usual_count, orders_found, wide_count);
        if (info.cc_major >= 9) {
            assert_true(orders_found >= 1);
        }
        if (math <= RFT_VENDOR_BF16 && info.cc_major >= 8) {
            assert_int_equal(orders_found, 8);
        }
    }
}

/* B by columns, which fp8 wants. */
static void epilogues_are_right(void **state) {
    (void)state;
    for (int math = 0; math < RFT_VENDOR_INT8; math++) {
        for (int epilogue = 1; epilogue < RFT_VENDOR_EPILOGUE_COUNT; epilogue++) {
            size_t count = small_problem((rft_vendor_math)math, rft_vendor_output_type((rft_vendor_math)math), 2,
                                         (rft_vendor_epilogue)epilogue);
            print_message("%s, %s: %zu algorithms right\n", rft_vendor_math_name((rft_vendor_math)math),
                          rft_vendor_epilogue_name((rft_vendor_epilogue)epilogue), count);
            if (math == RFT_VENDOR_BF16 && info.cc_major >= 9) {
                assert_true(count >= 1);
            }
        }
    }
}

/* ---- a large one ---- */
enum { SIDE = 4096, WARM = 10, SAMPLES = 25 };
static const uint64_t flush_bytes = 256u << 20;

/* Bits that are a number below 2 in size in every type: real data, because zeros draw less power and run faster. */
static rft_device_ptr random_memory(rft_type type, uint64_t seed) {
    size_t bytes = rft_type_bytes(type), count = (size_t)SIDE * SIDE;
    unsigned char *host = calloc(count, bytes);
    assert_non_null(host);
    for (size_t i = 0; i < count; i++) {
        float value = (float)(2.0 * rft_random_unit(&seed) - 1.0);
        uint32_t bits = 0;
        memcpy(&bits, &value, 4);
        if (type == RFT_TYPE_F32) {
            memcpy(host + 4 * i, &bits, 4);
        } else if (type == RFT_TYPE_BF16) {
            uint16_t upper = (uint16_t)(bits >> 16);
            memcpy(host + 2 * i, &upper, 2);
        } else if (type == RFT_TYPE_F16) {
            uint16_t half = (uint16_t)((bits >> 16 & 0x8000u) | (12u + (bits >> 20 & 3u)) << 10 | (bits & 0x3FFu));
            memcpy(host + 2 * i, &half, 2);
        } else if (type == RFT_TYPE_E4M3) {
            host[i] = (unsigned char)(bits & 0xBFu);
        } else {
            host[i] = (unsigned char)bits;
        }
    }
    rft_device_ptr memory = new_memory(count * bytes);
    OK(gpu->vt->write(gpu, memory, host, count * bytes, &failure));
    free(host);
    return memory;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct bench {
    rft_vendor_plan *plan;
    rft_vendor_buffers buffers;
    rft_device_ptr flush;
    rft_event *start, *stop;
} bench;

/* Flushing takes long enough for everything behind it to be queued before it ends. */
static double median_s(const bench *b, size_t algo) {
    double samples[SAMPLES];
    for (int i = 0; i < WARM; i++) {
        OK(vendor->vt->launch(vendor, b->plan, algo, &b->buffers, &failure));
    }
    for (int i = 0; i < SAMPLES; i++) {
        OK(gpu->vt->set(gpu, b->flush, i, flush_bytes, &failure));
        OK(gpu->vt->event_record(gpu, b->start, &failure));
        OK(vendor->vt->launch(vendor, b->plan, algo, &b->buffers, &failure));
        OK(gpu->vt->event_record(gpu, b->stop, &failure));
        OK(gpu->vt->event_elapsed(gpu, b->start, b->stop, &samples[i], &failure));
    }
    qsort(samples, SAMPLES, sizeof *samples, compare_doubles);
    return samples[SAMPLES / 2];
}

typedef struct expected {
    rft_vendor_math math;
    rft_vendor_order b_order;
    double h200_tera;    /* what other programs reached there with this library */
    double ceiling_tera; /* what no program can: the matrix units at 1980 MHz */
} expected;

static void one_rate(const expected *e) {
    rft_vendor_matmul matmul = {
        .math = e->math, .d = rft_vendor_output_type(e->math), .m = SIDE, .n = SIDE, .k = SIDE, .b_order = e->b_order};
    rft_type in = rft_vendor_input_type(e->math);
    bench b = {.plan = NULL};
    rft_err err = RFT_ERR_INIT;
    if (vendor->vt->plan(vendor, &matmul, &b.plan, &err) != 0) {
        print_message("%s: %s (%s)\n", rft_vendor_math_name(e->math), err.message, err.remedy);
        assert_true(info.cc_major < 9);
        return;
    }
    b.buffers = (rft_vendor_buffers){.a = random_memory(in, 1),
                                     .b = random_memory(in, 2),
                                     .d = new_memory((uint64_t)SIDE * SIDE * rft_type_bytes(matmul.d)),
                                     .workspace = new_memory(b.plan->workspace_bytes)};
    b.flush = new_memory(flush_bytes);
    OK(gpu->vt->event_new(gpu, &b.start, &failure));
    OK(gpu->vt->event_new(gpu, &b.stop, &failure));
    double first_s = 0.0, best_s = INFINITY;
    size_t best = 0;
    for (size_t i = 0; i < b.plan->algo_count; i++) {
        double seconds = median_s(&b, i);
        first_s = i == 0 ? seconds : first_s;
        best = seconds < best_s ? i : best;
        best_s = fmin(best_s, seconds);
    }
    double again_s = median_s(&b, best), operations = 2.0 * SIDE * (double)SIDE * SIDE;
    double first = operations / first_s * 1e-12, best_tera = operations / again_s * 1e-12;
    print_message("%s: first %.1f, best %.1f Tera/s (elsewhere %.0f) of %zu; first: %s; best: %s; %.1f MiB workspace\n",
                  rft_vendor_math_name(e->math), first, best_tera, e->h200_tera, b.plan->algo_count,
                  b.plan->algos[0].name, b.plan->algos[best].name, (double)b.plan->workspace_bytes / 1048576.0);
    assert_true(operations / best_s * 1e-12 >= first);
    if (strstr(info.name, "H200") && !strstr(info.name, "MIG")) {
        assert_true(best_tera >= 0.85 * e->h200_tera);
        assert_true(best_tera <= 1.03 * e->ceiling_tera);
        if (best_tera > 1.15 * e->h200_tera) {
            print_message("  more than 15 %% above what was reached elsewhere\n");
        }
    }
    gpu->vt->free(gpu, b.buffers.a);
    gpu->vt->free(gpu, b.buffers.b);
    gpu->vt->free(gpu, b.buffers.d);
    gpu->vt->free(gpu, b.buffers.workspace);
    gpu->vt->free(gpu, b.flush);
    vendor->vt->plan_free(vendor, b.plan);
}

static void rates_are_as_expected(void **state) {
    (void)state;
    static const expected all[] = {
        {RFT_VENDOR_FP32, RFT_VENDOR_ROW, 51.0, 66.9},       {RFT_VENDOR_TF32, RFT_VENDOR_ROW, 355.0, 535.0},
        {RFT_VENDOR_BF16, RFT_VENDOR_ROW, 731.0, 1071.0},    {RFT_VENDOR_FP16, RFT_VENDOR_ROW, 692.0, 1071.0},
        {RFT_VENDOR_FP8, RFT_VENDOR_COLUMN, 1331.0, 2141.0}, {RFT_VENDOR_INT8, RFT_VENDOR_COLUMN, 849.0, 2141.0}};
    print_message("%s, %s\n", vendor->vt->version(vendor), info.name);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        one_rate(&all[i]);
    }
}

int gpu_vendor(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_right),
        cmocka_unit_test(epilogues_are_right),
        cmocka_unit_test(rates_are_as_expected),
    };
    rft_err err = RFT_ERR_INIT;
    if (rft_cuda_open(&gpu, 0, &err) != 0) {
        printf("skipped: %s\n", err.message);
        return 77;
    }
    if (gpu->vt->info(gpu, &info, &err) != 0 || rft_cublaslt_open(&vendor, gpu, NULL, &err) != 0) {
        printf("skipped: %s (%s)\n", err.message, err.remedy);
        gpu->vt->close(gpu);
        return 77;
    }
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    vendor->vt->close(vendor);
    gpu->vt->close(gpu);
    return status;
}
