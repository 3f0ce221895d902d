/* SPDX-License-Identifier: Apache-2.0 */
/* Values, element types, names, and what a point's specification needs. */
#include "model_fixture.h"

#include "model/sweep/spec.h"
#include "model/sweep/sweep.h"

#include <stdlib.h>

static void values_know_their_kind(void **state) {
    (void)state;
    assert_int_equal(rft_value_real(1048576.0).kind, RFT_VALUE_INT);
    assert_int_equal(rft_value_real(-3.0).as.integer, -3);
    assert_int_equal(rft_value_real(0.5).kind, RFT_VALUE_REAL);
    assert_int_equal(rft_value_real(1e300).kind, RFT_VALUE_REAL);
    assert_int_equal(rft_value_real(NAN).kind, RFT_VALUE_REAL);
    rft_value one = rft_value_int(1), yes = rft_value_bool(true), text = rft_value_text("1");
    assert_false(rft_value_equal(&one, &yes));
    assert_false(rft_value_equal(&one, &text));
    assert_true(rft_value_is_number(&one));
    assert_false(rft_value_is_number(&yes));
    assert_true(rft_value_number(&yes) == 1.0);
    assert_true(isnan(rft_value_number(&text)));
}

static void values_as_text(void **state) {
    (void)state;
    const char *names[] = {"n", "scale", "causal", "COPY"};
    rft_value values[] = {rft_value_int(4096), rft_value_real(0.5), rft_value_bool(true), rft_value_text("tma")};
    rft_str text = RFT_STR_INIT;
    rft_values_format(&text, names, values, 4);
    assert_string_equal(rft_str_get(&text), "n=4096 scale=0.5 causal=true COPY=tma");
    rft_str_clear(&text);
}

static void copies_own_their_text(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    char word[] = "tma";
    rft_value values[] = {rft_value_text(word), rft_value_int(7)};
    rft_value *copies = rft_values_copy(arena, values, 2);
    word[0] = 'x';
    assert_string_equal(copies[0].as.text, "tma");
    assert_false(rft_values_equal(values, copies, 2));
    assert_true(rft_values_equal(values + 1, copies + 1, 1));
    rft_arena_free(arena);
}

static void names_read_back(void **state) {
    (void)state;
    for (int i = 0; i < RFT_TYPE_COUNT; i++) {
        rft_type type;
        assert_true(rft_type_from_name(&type, rft_type_name((rft_type)i)));
        assert_int_equal(type, i);
    }
    for (int i = 0; i < RFT_OUTCOME_COUNT; i++) {
        rft_outcome outcome;
        assert_true(rft_outcome_from_name(&outcome, rft_outcome_name((rft_outcome)i)));
        assert_int_equal(outcome, i);
        assert_int_equal(rft_outcome_is_measured(outcome), i == RFT_OUTCOME_OK || i == RFT_OUTCOME_NOISY);
    }
    rft_type type;
    assert_false(rft_type_from_name(&type, "f8"));
    assert_string_equal(rft_pipe_label(RFT_PIPE_TENSOR_BF16), "BF16 tensor");
    assert_string_equal(rft_level_label(RFT_LEVEL_DRAM), "device memory");
    assert_string_equal(rft_evidence_name(RFT_EVIDENCE_COUNTED), "counted");
    assert_string_equal(rft_cache_mode_name(RFT_CACHE_HOT), "hot");
    assert_int_equal(rft_type_bytes(RFT_TYPE_BF16), 2);
    assert_int_equal(rft_type_significand_bits(RFT_TYPE_I8), 0);
}

static void work_adds_up(void **state) {
    (void)state;
    rft_work work = {.bytes_read = 8.0, .bytes_written = 4.0};
    assert_int_equal(rft_work_main_pipe(&work), RFT_PIPE_COUNT);
    work.pipe_ops[RFT_PIPE_FP32] = 2.0;
    work.pipe_ops[RFT_PIPE_SFU] = 4.0;
    assert_true(rft_work_bytes(&work) == 12.0 && rft_work_ops(&work) == 6.0);
    assert_int_equal(rft_work_main_pipe(&work), RFT_PIPE_SFU);
    assert_true(rft_work_intensity(&work) == 0.5);
    assert_true(near(rft_work_read_frac(&work), 2.0 / 3.0, 1e-12));
    rft_work none = {0};
    assert_true(isnan(rft_work_intensity(&none)));
    assert_true(rft_work_read_frac(&none) == 0.5);
    rft_traffic unknown = rft_traffic_unknown();
    assert_false(unknown.present);
    assert_true(isnan(unknown.level_bytes[RFT_LEVEL_SHARED]) && isnan(unknown.pipe_ops[RFT_PIPE_FP64]));
}

static rft_buffer buffers[] = {
    {.name = "a", .type = RFT_TYPE_F16, .count = 100, .role = RFT_BUFFER_INPUT},
    {.name = "b", .type = RFT_TYPE_F32, .count = 10, .role = RFT_BUFFER_INOUT},
    {.name = "c", .type = RFT_TYPE_I32, .count = 10, .role = RFT_BUFFER_OUTPUT},
    {.name = "d", .type = RFT_TYPE_F64, .count = 10, .role = RFT_BUFFER_TEMP},
};

static void tolerance_in_order_of_preference(void **state) {
    (void)state;
    rft_point_spec spec = {.buffers = buffers, .buffer_count = 4};
    spec.check.tol = NAN;
    spec.check.length = 4096.0;
    double half = 2.0 / 2048.0 + 8.0 / 16777216.0 * 64.0;
    assert_true(near(rft_spec_tolerance(&spec, 0), half, 1e-12));
    assert_true(rft_spec_tolerance(&spec, 2) == 0.0);
    assert_true(rft_spec_tolerance(&spec, 3) < 1e-12); /* f64 accumulates in f64 */
    spec.check.tol = 1e-3;
    assert_true(rft_spec_tolerance(&spec, 0) == 1e-3);
    double own[] = {NAN, 2e-4, NAN, NAN};
    spec.check.buffer_tol = own;
    assert_true(rft_spec_tolerance(&spec, 0) == 1e-3);
    assert_true(rft_spec_tolerance(&spec, 1) == 2e-4);
}

static void memory_counts_originals_and_references(void **state) {
    (void)state;
    rft_point_spec spec = {.buffers = buffers, .buffer_count = 4};
    /* a 200; b 40 + its original 40 + fp64 reference 80; c 40 + reference 40; d 80; seven with padding on both sides */
    assert_int_equal(rft_spec_memory_bytes(&spec), 200 + 160 + 80 + 80 + 7 * 2 * RFT_GUARD_BYTES);
    rft_buffer huge = {.name = "x", .type = RFT_TYPE_F64, .count = UINT64_MAX / 4, .role = RFT_BUFFER_INPUT};
    rft_point_spec too_much = {.buffers = &huge, .buffer_count = 1};
    assert_true(rft_spec_memory_bytes(&too_much) == UINT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_know_their_kind),
        cmocka_unit_test(values_as_text),
        cmocka_unit_test(copies_own_their_text),
        cmocka_unit_test(names_read_back),
        cmocka_unit_test(work_adds_up),
        cmocka_unit_test(tolerance_in_order_of_preference),
        cmocka_unit_test(memory_counts_originals_and_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
