/* SPDX-License-Identifier: Apache-2.0 */
/* What verification catches: nothing wrong may reach timing. */
#include "measure/device_kernels.h"
#include "measure/measure_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct damage {
    int first, end; /* elements of out left unwritten */
    int wrong_at;   /* -1 = none */
    float wrong;    /* written there */
    bool skips_acc; /* the inout is not updated */
    bool spoils_in; /* writes to its input */
} damage;

static void run_damaged(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    const damage *d = self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    float *in = RFT_SCRIPTED_POINTER(launch, 1, float);
    for (int i = 0; i < ELEMENTS; i++) {
        if (i < d->first || i >= d->end) {
            out[i] = i == d->wrong_at ? d->wrong : 2.0f * in[i] + acc[i];
        }
        acc[i] += d->skips_acc ? 0.0f : 1.0f;
    }
    if (d->spoils_in) {
        in[17] = 0.5f;
    }
}

static rft_outcome judge(fixture *f, damage *d) {
    rft_scripted_gpu_kernel(f->scripted, "damaged", run_damaged, d);
    return fixture_outcome(f, "damaged");
}

static void test_good(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_null(f.result.reason);
    assert_true(f.result.verification.done);
    assert_true(f.result.verification.worst_frac <= 1.0);
    assert_int_equal(f.result.verification.wrong_count, 0);
    assert_int_equal(f.result.verification.total_count, 2 * ELEMENTS);
    assert_true(f.result.measurement.n >= 10);
    fixture_stop(&f);
}

static void test_wrong(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    damage d = {.wrong_at = 123, .wrong = 77.0f};
    assert_int_equal(judge(&f, &d), RFT_OUTCOME_WRONG_RESULT);
    const rft_verification *v = &f.result.verification;
    assert_string_equal(v->buffer, "out");
    assert_int_equal(v->index, 123);
    assert_int_equal(v->wrong_count, 1);
    assert_true(v->got == 77.0 && v->worst_frac > 1.0 && fabs(v->worst_abs_error - fabs(77.0 - v->want)) < 1e-12);
    assert_non_null(strstr(f.result.reason, "out[123] is 77, the reference says "));
    assert_non_null(strstr(f.result.reason, "1 of 2000 elements are wrong"));
    assert_int_equal(f.result.measurement.n, 0);
    /* What a wrong kernel left behind does not harm the next. */
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    fixture_stop(&f);
}

/* A difference within the tolerance passes, ten times it does not. */
static void test_tolerance(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    f.spec.check.tol = 1e-3;
    damage d = {.wrong_at = -1};
    assert_int_equal(judge(&f, &d), RFT_OUTCOME_OK);
    d.wrong_at = 5;
    d.wrong = 1e9f;
    assert_int_equal(judge(&f, &d), RFT_OUTCOME_WRONG_RESULT);
    double want = f.result.verification.want;
    d.wrong = (float)(want + 0.5e-3 * fabs(want));
    assert_int_equal(judge(&f, &d), RFT_OUTCOME_OK);
    assert_int_equal(f.result.verification.index, 5);
    assert_true(f.result.verification.worst_frac > 0.0 && f.result.verification.worst_frac < 1.0);
    assert_true(f.result.verification.tol == 1e-3);
    double alone = f.result.verification.worst_frac / sqrt(ELEMENTS); /* the others are right to a hundredth of it */
    assert_true(fabs(f.result.verification.rms_frac / alone - 1.0) < 0.01);
    d.wrong = (float)(want + 10e-3 * (fabs(want) + 1.0));
    assert_int_equal(judge(&f, &d), RFT_OUTCOME_WRONG_RESULT);
    fixture_stop(&f);
}

static void test_nan(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    damage d = {.wrong_at = 9, .wrong = NAN};
    assert_int_equal(judge(&f, &d), RFT_OUTCOME_WRONG_RESULT);
    assert_true(isinf(f.result.verification.worst_frac));
    assert_int_equal(f.result.verification.index, 9);
    assert_true(isnan(f.result.verification.got));
    d.wrong = INFINITY;
    assert_int_equal(judge(&f, &d), RFT_OUTCOME_WRONG_RESULT);
    assert_true(isinf(f.result.verification.worst_frac));
    fixture_stop(&f);
}

static void test_unwritten(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    damage all = {.first = 0, .end = ELEMENTS, .wrong_at = -1}, part = {.first = 600, .end = 610, .wrong_at = -1};
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK); /* leaves right values in memory */
    assert_int_equal(judge(&f, &all), RFT_OUTCOME_WRONG_RESULT);
    assert_int_equal(f.result.verification.wrong_count, ELEMENTS);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(judge(&f, &part), RFT_OUTCOME_WRONG_RESULT);
    assert_int_equal(f.result.verification.wrong_count, 10);
    assert_int_equal(f.result.verification.index, 600);
    assert_non_null(strstr(f.result.reason, "not written"));
    fixture_stop(&f);
}

static void test_inout(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    damage d = {.wrong_at = -1, .skips_acc = true};
    assert_int_equal(judge(&f, &d), RFT_OUTCOME_WRONG_RESULT);
    assert_string_equal(f.result.verification.buffer, "acc");
    assert_int_equal(f.result.verification.wrong_count, ELEMENTS);
    fixture_stop(&f);
}

static void test_spoiled_input(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    damage d = {.wrong_at = -1, .spoils_in = true};
    assert_int_equal(judge(&f, &d), RFT_OUTCOME_WRONG_RESULT);
    assert_string_equal(f.result.reason, "the kernel wrote to its input in");
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    fixture_stop(&f);
}

static uint64_t checksum_of(fixture *f, const unsigned char *data, uint64_t bytes) {
    uint64_t sum = 0;
    rft_err err = {0};
    assert_int_equal(rft_kernel_checksum((rft_protocol *)f->probe, (rft_device_ptr)(uintptr_t)data, bytes, &sum, &err),
                     0);
    return sum;
}

/* Three floats, a struct of 13 bytes; a variable of a module on 4 bytes: every byte counts, none behind the end does.
 */
static void test_every_byte_of_an_input(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    for (size_t at = 0; at < 8; at++) {
        for (uint64_t bytes = 1; bytes < 20; bytes++) {
            _Alignas(8) unsigned char data[32];
            for (size_t i = 0; i < sizeof data; i++) {
                data[i] = (unsigned char)(i >= at ? i - at + 1 : 0xee);
            }
            uint64_t sum = checksum_of(&f, data + at, bytes);
            data[at + bytes] ^= 1;
            assert_int_equal(checksum_of(&f, data + at, bytes), sum);
            for (uint64_t i = 0; i < bytes; i++) {
                data[at + i] ^= 1;
                assert_int_not_equal(checksum_of(&f, data + at, bytes), sum);
                data[at + i] ^= 1;
            }
        }
    }
    fixture_stop(&f);
}

/* ---- integers ---- */

static void run_integers(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    int32_t *acc = RFT_SCRIPTED_POINTER(launch, 0, int32_t), *out = RFT_SCRIPTED_POINTER(launch, 2, int32_t);
    const int32_t *in = RFT_SCRIPTED_POINTER(launch, 1, const int32_t);
    const int *wrong_at = self;
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 3 * in[i] - acc[i] + (wrong_at && *wrong_at == i ? 1 : 0);
        acc[i] = -acc[i];
    }
}

static void test_integers(void **state) {
    (void)state;
    fixture f;
    int wrong_at = 42;
    fixture_start(&f, NULL);
    fixture_type(&f, RFT_TYPE_I32);
    f.buffers[BUFFER_IN].fill = (rft_fill){.kind = RFT_FILL_INTEGERS, .below = 1000};
    f.buffers[BUFFER_ACC].fill = (rft_fill){.kind = RFT_FILL_UNIFORM, .low = -50, .high = 50};
    rft_scripted_gpu_kernel(f.scripted, "reference", run_integers, NULL);
    rft_scripted_gpu_kernel(f.scripted, "exact", run_integers, NULL);
    rft_scripted_gpu_kernel(f.scripted, "off", run_integers, &wrong_at);
    assert_int_equal(fixture_outcome(&f, "exact"), RFT_OUTCOME_OK);
    assert_true(f.result.verification.worst_frac == 0.0);
    assert_int_equal(fixture_outcome(&f, "off"), RFT_OUTCOME_WRONG_RESULT);
    assert_true(isinf(f.result.verification.worst_frac));
    assert_int_equal(f.result.verification.index, 42);
    f.spec.check.tol = 0.5; /* then one off is allowed */
    assert_int_equal(fixture_outcome(&f, "off"), RFT_OUTCOME_OK);
    fixture_stop(&f);
}

/* ---- the reference ---- */

static void test_reference_once(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(fixture_outcome(&f, "good<2>"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_launches(f.scripted, "reference"), 1);
    f.request.problem_key = "n=1001";
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_launches(f.scripted, "reference"), 2);
    f.request.measure.seed = 9;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_launches(f.scripted, "reference"), 3);
    fixture_stop(&f);
}

typedef struct next_point {
    fixture *f;
    rft_compile_result unit;
    rft_probe_request request;
    int calls;
} next_point;

static void load_next(void *payload, bool timed) {
    next_point *next = payload;
    const char *history = rft_scripted_history(next->f->scripted);
    const char *compared = strstr(history, "launch rft_compare_kernel");
    if (timed) {
        return;
    }
    next->calls++;
    assert_non_null(compared);
    assert_null(strstr(compared, "sync")); /* nobody has waited for it */
    next->f->probe->expect(next->f->probe, &next->request);
}

/* The host loads the next point's code while the device compares this one's results. */
static void test_loading_while_comparing(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    next_point next = {.f = &f};
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    next.unit = *f.request.unit;
    next.request = f.request;
    next.request.unit = &next.unit;
    snprintf(next.unit.cubin_hash, sizeof next.unit.cubin_hash, "next");
    f.request.works = load_next;
    f.request.payload = &next;
    rft_scripted_gpu_times(f.scripted, "good", &(double){1e-3}, 1);
    rft_scripted_history_clear(f.scripted);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(next.calls, 1);
    unsigned loads = rft_scripted_loads(f.scripted);
    rft_probe_result result;
    next.request.works = NULL;
    assert_int_equal(f.probe->measure(f.probe, &next.request, f.arena, &result, &f.err), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_loads(f.scripted), loads); /* it was there */
    fixture_stop(&f);
}

static void test_no_reference(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    f.request.reference = NULL;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_WRONG_RESULT);
    assert_false(f.result.verification.done);
    assert_int_equal(f.result.measurement.n, 0);
    rft_compile_result broken = {.log = "reference.cu(3): error"};
    f.request.reference = &broken;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_WRONG_RESULT);
    assert_string_equal(f.result.log, "reference.cu(3): error");
    fixture_stop(&f);
}

/* A temp of another size is not carried over; inputs are. */
static void test_verify_only(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    f.request.verify_only = true;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_true(f.result.verification.done);
    assert_int_equal(f.result.measurement.n, 0);
    assert_int_equal(rft_scripted_launches(f.scripted, "good"), 1);
    uint64_t used = rft_scripted_memory_used(f.scripted);
    f.buffers[BUFFER_SCRATCH].count = 2 * ELEMENTS;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_memory_used(f.scripted), used + ELEMENTS * sizeof(float));
    assert_int_equal(rft_scripted_launches(f.scripted, "reference"), 1);
    fixture_stop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_loading_while_comparing),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_unwritten),
        cmocka_unit_test(test_inout),
        cmocka_unit_test(test_spoiled_input),
        cmocka_unit_test(test_every_byte_of_an_input),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_reference_once),
        cmocka_unit_test(test_no_reference),
        cmocka_unit_test(test_verify_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
