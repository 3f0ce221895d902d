/* SPDX-License-Identifier: Apache-2.0 */
/* What is written outside of a buffer is found out, told by place, and harms no other buffer. */
#include "measure/measure_fixture.h"

#include <string.h>

/* Also changes `bytes` at a distance from the start of one of its buffers; the rest is right. */
typedef struct stray {
    size_t buffer;
    int64_t at; /* bytes from its start */
    size_t bytes;
    bool wrong;                        /* out[0] is not right either */
    rft_device_ptr seen[BUFFER_COUNT]; /* where its buffers were */
} stray;

/* So that each byte is another one, whatever the pattern is. */
static void invert(char *at, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (char)~at[i];
    }
}

static void run_stray(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    stray *s = self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0f * in[i] + acc[i];
        acc[i] += 1.0f;
    }
    out[0] += s->wrong ? 1.0f : 0.0f;
    invert(RFT_SCRIPTED_POINTER(launch, s->buffer, char) + s->at, s->bytes);
    for (size_t i = 0; i < BUFFER_COUNT; i++) {
        s->seen[i] = RFT_SCRIPTED_ARG(launch, i, rft_device_ptr);
    }
}

static rft_outcome judge(fixture *f, stray *s) {
    rft_scripted_gpu_kernel(f->scripted, "stray", run_stray, s);
    return fixture_outcome(f, "stray");
}

static void expect_told(fixture *f, stray s, const char *told) {
    assert_int_equal(judge(f, &s), RFT_OUTCOME_WRONG_RESULT);
    assert_int_equal(f->result.measurement.n, 0);
    if (!strstr(f->result.reason, told)) {
        print_error("\"%s\" does not say \"%s\"\n", f->result.reason, told);
    }
    assert_non_null(strstr(f->result.reason, told));
    assert_true(f->result.verification.done); /* what was compared is kept beside it */
    assert_int_equal(fixture_outcome(f, "good"), RFT_OUTCOME_OK);
}

static void one_element_is_told_by_its_place(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    f.buffers[BUFFER_SCRATCH].count = 777; /* odd, and not the others' */
    expect_told(&f, (stray){.buffer = BUFFER_OUT, .at = 4 * ELEMENTS, .bytes = 4},
                "the kernel wrote outside of out: 1 element behind its end (out[1000], byte 4000); 4 bytes");
    expect_told(
        &f, (stray){.buffer = BUFFER_OUT, .at = -4, .bytes = 4},
        "before its start (out[-1], byte -1); 4 bytes around the buffers are changed; is an if (i < n) missing?");
    expect_told(&f, (stray){.buffer = BUFFER_IN, .at = 4 * ELEMENTS + 8, .bytes = 4},
                "of in: 3 elements behind its end (in[1002], byte 4008)");
    expect_told(&f, (stray){.buffer = BUFFER_ACC, .at = -12, .bytes = 8},
                "of acc: 2 elements before its start (acc[-2], byte -5); 8 bytes");
    expect_told(
        &f, (stray){.buffer = BUFFER_SCRATCH, .at = 4 * 777, .bytes = 16},
        "of scratch: 1 element behind its end (scratch[777], byte 3108); 16 bytes around the buffers are changed; "
        "a temp has to hold what all blocks write");
    f.request.verify_only = true; /* an odd problem */
    expect_told(&f, (stray){.buffer = BUFFER_SCRATCH, .at = -16, .bytes = 16},
                "of scratch: 1 element before its start (scratch[-1]");
    fixture_stop(&f);
}

/* The reason is the write outside: it may have made the element wrong. */
static void a_wrong_element_beside_it_is_counted(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    expect_told(&f, (stray){.buffer = BUFFER_OUT, .at = 4 * ELEMENTS, .bytes = 4, .wrong = true},
                "wrote outside of out");
    stray s = {.buffer = BUFFER_OUT, .at = 4 * ELEMENTS, .bytes = 4, .wrong = true};
    judge(&f, &s);
    assert_int_equal(f.result.verification.wrong_count, 1);
    fixture_stop(&f);
}

static void the_whole_band_is_watched(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    expect_told(&f, (stray){.buffer = BUFFER_OUT, .at = 4 * ELEMENTS + RFT_GUARD_BYTES - 1, .bytes = 1},
                "16384 elements behind its end");
    expect_told(&f, (stray){.buffer = BUFFER_OUT, .at = -(int64_t)RFT_GUARD_BYTES, .bytes = 1},
                "16384 elements before its start");
    stray inside = {.buffer = BUFFER_SCRATCH, .at = 4 * ELEMENTS - 4, .bytes = 4};
    assert_int_equal(judge(&f, &inside), RFT_OUTCOME_OK);
    fixture_stop(&f);
}

/* A run of bytes through one band and the next buffer's belongs to the buffer that it began at. */
static void a_long_overrun_is_told_of_the_nearest_buffer(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    stray s = {.buffer = BUFFER_OUT, .at = 4 * ELEMENTS, .bytes = RFT_GUARD_BYTES};
    expect_told(&f, s, "of out: 1 element behind its end");
    fixture_stop(&f);
}

/* What copies without a guard copies the padding, too. */
static void run_copying(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    stray nowhere = {.bytes = 0};
    (void)self;
    run_stray(gpu, launch, &nowhere);
    memcpy(RFT_SCRIPTED_POINTER(launch, 3, float) + ELEMENTS, RFT_SCRIPTED_POINTER(launch, 1, float) + ELEMENTS, 4096);
}

static void padding_copied_into_padding_is_found(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_scripted_gpu_kernel(f.scripted, "copying", run_copying, NULL);
    assert_int_equal(fixture_outcome(&f, "copying"), RFT_OUTCOME_WRONG_RESULT);
    assert_non_null(strstr(f.result.reason, "of scratch: 1 element behind its end"));
    fixture_stop(&f);
}

/* acc, in, out, n; the results are right. */
static void run_long_reference(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu, (void)self;
    double *acc = RFT_SCRIPTED_POINTER(launch, 0, double), *out = RFT_SCRIPTED_POINTER(launch, 2, double);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    for (int64_t i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0 * in[i] + acc[i];
        acc[i] += 1.0;
    }
    invert((char *)&out[ELEMENTS], sizeof *out);
}

static void a_reference_that_writes_outside_verifies_nothing(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_scripted_gpu_kernel(f.scripted, "reference", run_long_reference, NULL);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_WRONG_RESULT);
    assert_non_null(strstr(f.result.reason,
                           "not verified: the reference reference wrote outside of the reference's out: 1 element "
                           "behind its end (out[1000], byte 8000); 8 bytes"));
    assert_int_equal(rft_scripted_launches(f.scripted, "good"), 0);
    fixture_stop(&f);
}

/* Buffers keep what the driver gives them: 2 MiB where they are large, 512 B where they are small. */
static void alignment_stays(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    f.buffers[BUFFER_SCRATCH].count = (1 << 20) + 1;
    stray s = {.buffer = BUFFER_SCRATCH, .bytes = 0};
    assert_int_equal(judge(&f, &s), RFT_OUTCOME_OK);
    for (size_t i = 0; i < BUFFER_COUNT; i++) {
        assert_int_equal(s.seen[i] % (i == BUFFER_SCRATCH ? 2 << 20 : 512), 0);
    }
    const int64_t end = 4 * ((1 << 20) + 1);
    expect_told(&f, (stray){.buffer = BUFFER_SCRATCH, .at = end, .bytes = 4},
                "of scratch: 1 element behind its end (scratch[1048577]");
    expect_told(&f, (stray){.buffer = BUFFER_SCRATCH, .at = -4, .bytes = 4}, "of scratch: 1 element before its start");
    fixture_stop(&f);
}

/* What is asked of the device is what the plan and "needs x of y free" count. */
static void padding_is_counted(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    uint64_t before = rft_scripted_memory_used(f.scripted), counted = rft_spec_memory_bytes(&f.spec);
    f.buffers[BUFFER_SCRATCH].count = 1 << 20; /* 4 MiB, 2 MiB before it and a page behind it */
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(rft_spec_memory_bytes(&f.spec) - counted, (8 << 20) - (4 * ELEMENTS + 2 * RFT_GUARD_BYTES));
    assert_int_equal(rft_scripted_memory_used(f.scripted) - before, rft_spec_memory_bytes(&f.spec) - counted);
    rft_scripted_opts opts = rft_scripted_defaults();
    fixture_stop(&f);
    opts.info.memory_bytes = (8 << 20) + (1 << 20);
    fixture_start(&f, &opts);
    f.buffers[BUFFER_SCRATCH].count = 1 << 20;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_SKIPPED);
    assert_non_null(strstr(f.result.reason, "needs 8.7"));
    f.buffers[BUFFER_OUT].count = UINT64_MAX / 4;
    assert_true(rft_spec_memory_bytes(&f.spec) == UINT64_MAX);
    fixture_stop(&f);
}

/* For compute-sanitizer: what it sees of a buffer is the buffer. One run, and no reference that would take minutes. */
static void a_bare_point_has_no_padding(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_protocol_bare(f.probe);
    f.request.verified = f.request.verify_only = true;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_launches(f.scripted, "good"), 1);
    assert_int_equal(rft_scripted_launches(f.scripted, "reference"), 0);
    assert_int_equal(rft_scripted_launches(f.scripted, "rft_guard_mark_kernel"), 0);
    uint64_t used = rft_scripted_memory_used(f.scripted);
    f.buffers[BUFFER_SCRATCH].count = ELEMENTS + (1 << 20);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_memory_used(f.scripted) - used, 4 << 20);
    f.request.verified = f.request.verify_only = false; /* verified as always, but for the padding */
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    fixture_stop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_element_is_told_by_its_place),
        cmocka_unit_test(a_wrong_element_beside_it_is_counted),
        cmocka_unit_test(the_whole_band_is_watched),
        cmocka_unit_test(a_long_overrun_is_told_of_the_nearest_buffer),
        cmocka_unit_test(padding_copied_into_padding_is_found),
        cmocka_unit_test(a_reference_that_writes_outside_verifies_nothing),
        cmocka_unit_test(alignment_stays),
        cmocka_unit_test(padding_is_counted),
        cmocka_unit_test(a_bare_point_has_no_padding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
