/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded contents and conversions: the device's own text, on the host, against independent arithmetic. */
#include "measure/measure_fixture.h"

#include "measure/device_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MANY 20000

/* Plain decoding by the definition of each format. */
static double decode(uint32_t bits, int man, int exp) {
    int bias = (1 << (exp - 1)) - 1, field = (int)(bits >> man) & ((1 << exp) - 1);
    double fraction = (double)(bits & ((1u << man) - 1)) / (double)(1u << man);
    double value = field == 0 ? ldexp(fraction, 1 - bias) : ldexp(1.0 + fraction, field - bias);
    return (bits >> (man + exp)) & 1 ? -value : value;
}

static double value_of(rft_type type, const void *data, size_t i) {
    const uint8_t *bytes = (const uint8_t *)data + i * rft_type_bytes(type);
    uint32_t word = 0;
    float single;
    double real;
    memcpy(&word, bytes, rft_type_bytes(type) > 4 ? 4 : rft_type_bytes(type));
    switch (type) {
    case RFT_TYPE_F64:
        memcpy(&real, bytes, 8);
        return real;
    case RFT_TYPE_F32:
        memcpy(&single, bytes, 4);
        return single;
    case RFT_TYPE_F16:
        return decode(word, 10, 5);
    case RFT_TYPE_BF16:
        return decode(word, 7, 8);
    case RFT_TYPE_E4M3:
        return decode(word, 3, 4);
    case RFT_TYPE_E5M2:
        return decode(word, 2, 5);
    case RFT_TYPE_I8:
        return (int8_t)word;
    case RFT_TYPE_I16:
        return (int16_t)word;
    case RFT_TYPE_I32:
        return (int32_t)word;
    case RFT_TYPE_I64:
    case RFT_TYPE_U64: {
        int64_t wide;
        memcpy(&wide, bytes, 8);
        return (double)wide;
    }
    default:
        return word;
    }
}

static void *filled(fixture *f, const rft_buffer *buffer, uint64_t seed) {
    rft_protocol *p = (rft_protocol *)f->probe;
    size_t bytes = buffer->count * rft_type_bytes(buffer->type);
    rft_device_ptr memory;
    void *data = malloc(bytes);
    assert_int_equal(rft_kernels_prepare(p, &f->err), 0);
    assert_int_equal(f->gpu->vt->alloc(f->gpu, bytes, &memory, &f->err), 0);
    assert_int_equal(rft_kernel_fill(p, buffer, seed, memory, &f->err), 0);
    assert_int_equal(f->gpu->vt->read(f->gpu, data, memory, bytes, &f->err), 0);
    /* The device decodes as we do. */
    rft_device_ptr doubles;
    double *converted = malloc(buffer->count * sizeof *converted);
    assert_int_equal(f->gpu->vt->alloc(f->gpu, buffer->count * sizeof(double), &doubles, &f->err), 0);
    assert_int_equal(rft_kernel_convert(p, doubles, memory, buffer->type, buffer->count, &f->err), 0);
    assert_int_equal(f->gpu->vt->read(f->gpu, converted, doubles, buffer->count * sizeof(double), &f->err), 0);
    for (size_t i = 0; i < buffer->count; i++) {
        assert_true(converted[i] == value_of(buffer->type, data, i));
    }
    free(converted);
    f->gpu->vt->free(f->gpu, memory);
    f->gpu->vt->free(f->gpu, doubles);
    return data;
}

static void check_uniform(fixture *f, rft_type type, double low, double high) {
    rft_buffer buffer = {
        .name = "x", .type = type, .count = MANY, .fill = {.kind = RFT_FILL_UNIFORM, .low = low, .high = high}};
    void *data = filled(f, &buffer, 1);
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < MANY; i++) {
        double value = value_of(type, data, i);
        if (!(value >= low && value < high)) {
            print_error("%s[%zu] = %g is outside [%g, %g)\n", rft_type_name(type), i, value, low, high);
        }
        assert_true(value >= low && value < high);
        sum += value;
        squares += value * value;
    }
    bool whole = rft_type_significand_bits(type) == 0;
    double mean = sum / MANY, span = high - low, middle = (low + high - (whole ? 1 : 0)) / 2;
    assert_true(fabs(mean - middle) < 0.04 * span);
    double deviation = sqrt(squares / MANY - mean * mean);
    assert_true(fabs(deviation - span / sqrt(12.0)) < 0.04 * span);
    free(data);
}

static void test_uniform(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (int type = RFT_TYPE_F64; type <= RFT_TYPE_E5M2; type++) {
        check_uniform(&f, (rft_type)type, -1.0, 1.0);
        check_uniform(&f, (rft_type)type, 0.0, 0.5);
        check_uniform(&f, (rft_type)type, -4.0, 0.0);
    }
    for (int type = RFT_TYPE_I8; type <= RFT_TYPE_U64; type++) {
        check_uniform(&f, (rft_type)type, 0.0, 100.0);
        if (type % 2 == RFT_TYPE_I8 % 2) { /* the signed ones */
            check_uniform(&f, (rft_type)type, -100.0, 28.0);
        }
    }
    fixture_stop(&f);
}

static void test_integers(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_buffer buffer = {.name = "index",
                         .type = RFT_TYPE_I32,
                         .count = MANY,
                         .fill = {.kind = RFT_FILL_INTEGERS, .below = 1000, .order = RFT_ORDER_RANDOM}};
    int counts[1000] = {0};
    int32_t *data = filled(&f, &buffer, 1);
    for (size_t i = 0; i < MANY; i++) {
        assert_in_range(data[i], 0, 999);
        counts[data[i]]++;
    }
    for (size_t i = 0; i < 1000; i++) {
        assert_in_range(counts[i], 1, 60); /* 20 expected */
    }
    free(data);
    buffer.fill.order = RFT_ORDER_SORTED;
    data = filled(&f, &buffer, 1);
    assert_in_range(data[0], 0, 1);
    assert_in_range(data[MANY - 1], 998, 999);
    for (size_t i = 1; i < MANY; i++) {
        assert_true(data[i] >= data[i - 1]);
    }
    free(data);
    buffer.fill.order = RFT_ORDER_ZIPF;
    data = filled(&f, &buffer, 1);
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < MANY; i++) {
        assert_in_range(data[i], 0, 999);
        counts[data[i]]++;
    }
    /* P(0) = ln 2 / ln 1001 = 0.1003; P(9) = ln(11/10) / ln 1001 = 0.0138. */
    assert_true(abs(counts[0] - 2006) < 200);
    assert_true(abs(counts[9] - 276) < 70);
    free(data);
    fixture_stop(&f);
}

static void test_seeds(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_buffer buffer = {
        .name = "x", .type = RFT_TYPE_F32, .count = MANY, .fill = {.kind = RFT_FILL_UNIFORM, .low = 0.0, .high = 1.0}};
    size_t bytes = MANY * sizeof(float);
    void *a = filled(&f, &buffer, 1), *b = filled(&f, &buffer, 1), *c = filled(&f, &buffer, 2);
    buffer.name = "y";
    void *d = filled(&f, &buffer, 1);
    assert_memory_equal(a, b, bytes);
    assert_memory_not_equal(a, c, bytes);
    assert_memory_not_equal(a, d, bytes);
    /* A longer buffer begins with the same elements. */
    buffer.name = "x";
    buffer.count = 2 * MANY;
    void *e = filled(&f, &buffer, 1);
    assert_memory_equal(a, e, bytes);
    free(a), free(b), free(c), free(d), free(e);
    fixture_stop(&f);
}

/* Values beyond the type are the largest finite one; every small float survives a round trip. */
static void test_small_floats(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_buffer buffer = {
        .name = "x", .type = RFT_TYPE_E4M3, .count = 64, .fill = {.kind = RFT_FILL_UNIFORM, .low = 1e6, .high = 2e6}};
    uint8_t *data = filled(&f, &buffer, 1);
    for (size_t i = 0; i < 64; i++) {
        assert_true(value_of(RFT_TYPE_E4M3, data, i) == 448.0);
    }
    free(data);
    buffer.type = RFT_TYPE_F16;
    buffer.fill.low = -2e6;
    buffer.fill.high = -1e6;
    data = filled(&f, &buffer, 1);
    for (size_t i = 0; i < 64; i++) {
        double value = value_of(RFT_TYPE_F16, data, i);
        assert_true(value == -65504.0);
    }
    free(data);
    /* Subnormals of f16: multiples of 2^-24. */
    buffer.fill.low = 0.0;
    buffer.fill.high = ldexp(1.0, -20);
    data = filled(&f, &buffer, 1);
    for (size_t i = 0; i < 64; i++) {
        double units = ldexp(value_of(RFT_TYPE_F16, data, i), 24);
        assert_true(units == floor(units) && units >= 0.0 && units < 16.0);
    }
    free(data);
    fixture_stop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_small_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
