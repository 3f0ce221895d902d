/* SPDX-License-Identifier: Apache-2.0 */
/* Counted quantities: their names and sets, the formulas to traffic with known answers, what cannot be true, and counts
 * against declared work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/str.h"
#include "model/run/counters.h"
#include "support/arena_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rft_counters nothing(void) {
    return rft_counters_unknown("not asked for");
}

static void set(rft_counters *c, rft_counter counter, double value) {
    c->values[counter] = value;
    c->reasons[counter] = NULL;
}

/* What an H200 would count for y = x of 2^28 floats, one sector of code and arguments left out. */
static rft_counters of_copy(void) {
    rft_counters c = nothing();
    const double bytes = 4.0 * 268435456.0;
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (rft_counter_in_default((rft_counter)i)) {
            set(&c, (rft_counter)i, 0.0);
        }
    }
    set(&c, RFT_COUNTER_TIME, 506e-6);
    set(&c, RFT_COUNTER_SM_CLOCK, 1.98e9);
    set(&c, RFT_COUNTER_DRAM_READ, bytes);
    set(&c, RFT_COUNTER_DRAM_WRITE, bytes - 40e6); /* the end of it is still in the L2 */
    set(&c, RFT_COUNTER_L2_READ, bytes / 32);
    set(&c, RFT_COUNTER_L2_WRITE, bytes / 32);
    set(&c, RFT_COUNTER_L2_HIT, bytes / 32);
    set(&c, RFT_COUNTER_L1_LOAD, bytes);
    set(&c, RFT_COUNTER_WARPS_ACTIVE, 0.93);
    set(&c, RFT_COUNTER_ISSUE, 0.05);
    set(&c, RFT_COUNTER_WARP_INSTRUCTIONS, 268435456.0 / 4 / 32 * 12);
    set(&c, RFT_COUNTER_LOAD_BYTES_PER_SECTOR, 32);
    set(&c, RFT_COUNTER_STORE_BYTES_PER_SECTOR, 32);
    return c;
}

/* C = A B in bf16, 8192 each way, from shared memory tiles. */
static rft_counters of_matmul(void) {
    rft_counters c = of_copy();
    const double n = 8192.0;
    set(&c, RFT_COUNTER_TIME, 1.6e-3);
    set(&c, RFT_COUNTER_TENSOR_BF16, 2 * n * n * n);
    set(&c, RFT_COUNTER_TENSOR_FP16, 0);
    set(&c, RFT_COUNTER_DRAM_READ, 1.0e9);
    set(&c, RFT_COUNTER_DRAM_WRITE, 2 * n * n);
    set(&c, RFT_COUNTER_FADD, 0);
    set(&c, RFT_COUNTER_FMUL, n * n); /* alpha */
    set(&c, RFT_COUNTER_FFMA, 0);
    set(&c, RFT_COUNTER_SHARED_WAVEFRONTS, 1e8);
    return c;
}

static rft_gpu_info h200(void) {
    rft_gpu_info gpu = {0};
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_90a", NULL), 0);
    gpu.sm_clock_khz = 1980000;
    gpu.memory_clock_khz = 3201000;
    gpu.memory_bus_bits = 6144;
    gpu.l2_bytes = 60 << 20;
    return gpu;
}

#define NEAR(got, want) assert_true(fabs((got) - (want)) <= 1e-9 * fabs(want))

/* ---- names and sets ---- */
static void every_counter_says_what_it_is(void **state) {
    (void)state;
    int in_default = 0;
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        rft_counter counter = (rft_counter)i, found = RFT_COUNTER_COUNT;
        assert_true(rft_counter_from_name(&found, rft_counter_name(counter)));
        assert_int_equal(found, counter); /* no name twice */
        assert_null(strstr(rft_counter_name(counter), "__"));
        assert_true(strlen(rft_counter_label(counter)) > 3 && strlen(rft_counter_definition(counter)) > 8);
        assert_true(rft_counter_unit(counter)[0] != '\0');
        in_default += rft_counter_in_default(counter);
    }
    assert_int_equal(in_default, 25);
    rft_counter none = RFT_COUNTER_COUNT;
    assert_false(rft_counter_from_name(&none, "dram"));
    assert_false(rft_counter_from_name(&none, NULL));
}

/* What --counters takes is written down. */
static void every_counter_is_documented(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(rft_fs_read(&text, &size, RFT_SOURCE_DIR "/docs/counters.md", 1 << 20, NULL), 0);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (!strstr(text, rft_counter_name((rft_counter)i))) {
            fail_msg("docs/counters.md does not name %s", rft_counter_name((rft_counter)i));
        }
    }
    rft_str count = RFT_STR_INIT;
    rft_str_addf(&count, "| all | %d |", (int)RFT_COUNTER_COUNT);
    if (!strstr(text, rft_str_get(&count))) {
        fail_msg("docs/counters.md does not say \"%s\"", rft_str_get(&count));
    }
    rft_str_clear(&count);
    free(text);
}

static void a_set_is_read_from_words(void **state) {
    rft_arena *arena = *state;
    rft_counter_set out;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_counter_set_parse(&out, "none", arena, &err), 0);
    assert_true(rft_counter_set_is_empty(&out));
    assert_int_equal(rft_counter_set_parse(&out, "default", arena, &err), 0);
    rft_counter_set wanted = rft_counter_set_default();
    assert_memory_equal(out.wanted, wanted.wanted, sizeof wanted.wanted);
    assert_int_equal(rft_counter_set_parse(&out, "all", arena, &err), 0);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        assert_true(out.wanted[i]);
    }
    assert_int_equal(
        rft_counter_set_parse(&out, "dram_read_bytes, lts__t_sectors.sum ,stall_wait,a__b.sum", arena, &err), 0);
    assert_true(out.wanted[RFT_COUNTER_DRAM_READ] && out.wanted[RFT_COUNTER_STALL_WAIT]);
    assert_false(out.wanted[RFT_COUNTER_DRAM_WRITE]);
    assert_int_equal(out.raw_count, 2);
    assert_string_equal(out.raw[0], "lts__t_sectors.sum");
    assert_string_equal(out.raw[1], "a__b.sum");
    assert_false(rft_counter_set_is_empty(&out));

    assert_int_equal(rft_counter_set_parse(&out, "default,dram_read_byte", arena, &err), RFT_E_USAGE);
    assert_non_null(strstr(err.message, "\"dram_read_bytes\""));
    assert_true(err.remedy[0] != '\0');
    assert_int_equal(rft_counter_set_parse(&out, "", arena, &err), RFT_E_USAGE);
    assert_int_equal(rft_counter_set_parse(&out, "default,", arena, &err), RFT_E_USAGE);
}

/* ---- formulas ---- */
static void nothing_counted_is_no_traffic(void **state) {
    (void)state;
    rft_counters c = nothing();
    rft_traffic traffic = rft_counters_traffic(&c);
    assert_false(traffic.present);
    assert_true(isnan(traffic.level_bytes[RFT_LEVEL_DRAM]) && isnan(traffic.pipe_ops[RFT_PIPE_FP32]));
    assert_string_equal(c.reasons[RFT_COUNTER_TIME], "not asked for");
    /* Half of a sum is not the sum. */
    set(&c, RFT_COUNTER_DRAM_READ, 4096);
    assert_true(isnan(rft_counters_traffic(&c).level_bytes[RFT_LEVEL_DRAM]));
    assert_false(rft_counters_traffic(&c).present);
    set(&c, RFT_COUNTER_FFMA, 4096);
    assert_true(isnan(rft_counters_traffic(&c).pipe_ops[RFT_PIPE_FP32]));
}

static void a_copy_is_its_bytes(void **state) {
    (void)state;
    rft_counters c = of_copy();
    rft_traffic traffic = rft_counters_traffic(&c);
    const double bytes = 1073741824.0;
    assert_true(traffic.present);
    assert_int_equal(traffic.evidence, RFT_EVIDENCE_COUNTED);
    NEAR(traffic.level_bytes[RFT_LEVEL_DRAM], 2 * bytes - 40e6);
    NEAR(traffic.dram_read_frac, bytes / (2 * bytes - 40e6));
    NEAR(traffic.level_bytes[RFT_LEVEL_L2], 2 * bytes);
    NEAR(traffic.level_bytes[RFT_LEVEL_L1], bytes); /* loads only */
    assert_true(traffic.level_bytes[RFT_LEVEL_SHARED] == 0.0);
    assert_true(traffic.pipe_ops[RFT_PIPE_FP32] == 0.0);
    assert_true(isnan(traffic.pipe_ops[RFT_PIPE_TENSOR_BF16])); /* the default set does not count it */
    assert_true(isnan(traffic.pipe_ops[RFT_PIPE_SFU]) && isnan(traffic.pipe_ops[RFT_PIPE_INT32]));
    NEAR(traffic.warp_instructions, 25165824.0);
    NEAR(rft_counters_l2_hit_frac(&c), 0.5);
    set(&c, RFT_COUNTER_L2_ATOMIC, 1000.0);
    NEAR(rft_counters_traffic(&c).level_bytes[RFT_LEVEL_L2], 2 * bytes + 32000.0);
}

static void a_matrix_product_is_its_operations(void **state) {
    (void)state;
    rft_counters c = of_matmul();
    rft_traffic traffic = rft_counters_traffic(&c);
    NEAR(traffic.pipe_ops[RFT_PIPE_TENSOR_BF16], 1099511627776.0);
    assert_true(traffic.pipe_ops[RFT_PIPE_TENSOR_FP16] == 0.0);
    NEAR(traffic.pipe_ops[RFT_PIPE_FP32], 67108864.0);
    NEAR(traffic.level_bytes[RFT_LEVEL_SHARED], 1.28e10);
    assert_true(isnan(traffic.pipe_ops[RFT_PIPE_TENSOR_FP8]));
}

static void every_pipe_has_its_weights(void **state) {
    (void)state;
    rft_counters c = nothing();
    const rft_counter first[] = {RFT_COUNTER_FADD, RFT_COUNTER_DADD, RFT_COUNTER_HADD};
    for (int i = 0; i < 3; i++) {
        set(&c, first[i], 10);
        set(&c, first[i] + 1, 200);
        set(&c, first[i] + 2, 3000);
    }
    rft_traffic traffic = rft_counters_traffic(&c);
    NEAR(traffic.pipe_ops[RFT_PIPE_FP32], 6210.0);
    NEAR(traffic.pipe_ops[RFT_PIPE_FP64], 6210.0);
    NEAR(traffic.pipe_ops[RFT_PIPE_FP16], 12420.0);
}

/* ---- what cannot be ---- */
static void plausible_counts_stand(void **state) {
    rft_gpu_info gpu = h200();
    rft_counters copy = of_copy(), matmul = of_matmul();
    assert_int_equal(rft_counters_check(&copy, &gpu, *state), 0);
    assert_int_equal(rft_counters_check(&matmul, &gpu, *state), 0);
    assert_int_equal(rft_counters_check(&copy, NULL, *state), 0);
}

static void withdrawn(rft_arena *arena, rft_counter counter, double value, const char *word) {
    rft_gpu_info gpu = h200();
    rft_counters c = of_copy();
    set(&c, RFT_COUNTER_L2_ATOMIC, 0);
    set(&c, counter, value);
    if (rft_counters_check(&c, &gpu, arena) == 0 || !isnan(c.values[counter])) {
        fail_msg("%s = %g stands", rft_counter_name(counter), value);
    }
    assert_non_null(c.reasons[counter]);
    if (!strstr(c.reasons[counter], word)) {
        fail_msg("%s: \"%s\" does not say \"%s\"", rft_counter_name(counter), c.reasons[counter], word);
    }
}

static void impossible_counts_are_withdrawn(void **state) {
    rft_arena *arena = *state;
    withdrawn(arena, RFT_COUNTER_DRAM_WRITE, -1.0, "below zero");
    withdrawn(arena, RFT_COUNTER_FADD, INFINITY, "not a number");
    withdrawn(arena, RFT_COUNTER_WARPS_ACTIVE, 1.5, "more than there is");
    withdrawn(arena, RFT_COUNTER_ISSUE, 2.0, "more than there is");
    withdrawn(arena, RFT_COUNTER_TIME, 0.0, "ran");
    withdrawn(arena, RFT_COUNTER_DRAM_READ, 1e10, "bus"); /* in half a millisecond */
    withdrawn(arena, RFT_COUNTER_L2_HIT, 1e9, "sectors");
    withdrawn(arena, RFT_COUNTER_SHARED_CONFLICTS, 5.0, "wavefronts");
    withdrawn(arena, RFT_COUNTER_SHARED_WAVEFRONTS, 1e12, "per SM");
    withdrawn(arena, RFT_COUNTER_SM_CLOCK, 3e9, "clock");
    withdrawn(arena, RFT_COUNTER_FFMA, 1e14, "lanes");
    withdrawn(arena, RFT_COUNTER_LOAD_BYTES_PER_SECTOR, 5000.0, "warp");

    rft_counters c = of_copy(); /* 1e9 additions of 3.3e6 warps: the additions may be right */
    set(&c, RFT_COUNTER_FADD, 1e9);
    set(&c, RFT_COUNTER_WARP_INSTRUCTIONS, 1e6);
    assert_int_equal(rft_counters_check(&c, NULL, arena), 1);
    assert_true(isnan(c.values[RFT_COUNTER_WARP_INSTRUCTIONS]) && c.values[RFT_COUNTER_FADD] == 1e9);

    c = of_copy();
    set(&c, RFT_COUNTER_ISSUE, NAN);
    assert_int_equal(rft_counters_check(&c, NULL, arena), 0);
    assert_non_null(c.reasons[RFT_COUNTER_ISSUE]); /* NaN never stands without a reason */
}

/* ---- counted against declared ---- */
enum { L2 = 60 << 20 };

static rft_work work_of_copy(void) {
    return (rft_work){.bytes_read = 1073741824.0, .bytes_written = 1073741824.0};
}

static void an_honest_copy_agrees(void **state) {
    rft_counters c = of_copy();
    rft_work work = work_of_copy();
    rft_disagreement out[RFT_DISAGREEMENTS_MAX];
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 0);
    c = nothing(); /* what was not counted disagrees with nothing */
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 0);
}

static void reads_beyond_5_percent_are_named(void **state) {
    rft_counters c = of_copy();
    rft_work work = work_of_copy();
    rft_disagreement out[RFT_DISAGREEMENTS_MAX];
    set(&c, RFT_COUNTER_DRAM_READ, 1.051 * work.bytes_read);
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 1);
    assert_string_equal(out[0].what, "dram reads");
    assert_string_equal(out[0].text, "dram reads: counted 1.129 GB, declared 1.074 GB (5.1 % more)");
    assert_int_equal(rft_counters_compare(&c, &work, L2, false, *state, out), 0); /* warm: no word on reads */
    set(&c, RFT_COUNTER_DRAM_READ, 1.049 * work.bytes_read);
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 0);
    set(&c, RFT_COUNTER_DRAM_READ, 32.0 * work.bytes_read);
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 1);
    assert_non_null(strstr(out[0].text, "32.0 times"));
    work.bytes_read = 4096; /* code and arguments alone are more than 5 % of that */
    set(&c, RFT_COUNTER_DRAM_READ, 70000);
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 0);
}

static void writes_count_only_beyond_the_cache(void **state) {
    rft_counters c = of_copy();
    rft_work work = work_of_copy();
    rft_disagreement out[RFT_DISAGREEMENTS_MAX];
    set(&c, RFT_COUNTER_DRAM_WRITE, 0.5 * work.bytes_written);
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 1);
    assert_string_equal(out[0].what, "dram writes");
    assert_non_null(strstr(out[0].text, "50.0 % less"));
    work.bytes_written = 9.9 * L2;
    set(&c, RFT_COUNTER_DRAM_WRITE, 0);
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 0);
}

static void operations_beyond_5_percent_are_named(void **state) {
    rft_counters c = of_matmul();
    const double ops = 1099511627776.0;
    rft_work work = {.bytes_read = 1.0e9, .bytes_written = 134217728.0};
    rft_disagreement out[RFT_DISAGREEMENTS_MAX];
    work.pipe_ops[RFT_PIPE_TENSOR_BF16] = ops;
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 0); /* the epilogue is no disagreement */
    work.pipe_ops[RFT_PIPE_TENSOR_BF16] = ops / 2;
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 1);
    assert_string_equal(out[0].what, "tensor_bf16");
    assert_true(out[0].counted == ops && out[0].declared == ops / 2);
    /* Declared on the wrong pipe: both are named. */
    work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 0;
    work.pipe_ops[RFT_PIPE_TENSOR_FP16] = ops;
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 2);
    assert_string_equal(out[0].what, "tensor_bf16");
    assert_non_null(strstr(out[0].text, "none was declared"));
    assert_string_equal(out[1].what, "tensor_fp16");
    assert_non_null(strstr(out[1].text, "counted 0 op"));
    /* Declared, not counted. */
    work.pipe_ops[RFT_PIPE_TENSOR_FP16] = 0;
    work.pipe_ops[RFT_PIPE_TENSOR_BF16] = ops;
    work.pipe_ops[RFT_PIPE_SFU] = ops;
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 0);
}

static void registers_set_by_half_instructions_are_no_work(void **state) {
    rft_counters c = of_copy();
    rft_work work = work_of_copy();
    rft_disagreement out[RFT_DISAGREEMENTS_MAX];
    work.pipe_ops[RFT_PIPE_FP32] = 3e9;
    set(&c, RFT_COUNTER_FADD, 2e9);
    set(&c, RFT_COUNTER_FMUL, 0);
    set(&c, RFT_COUNTER_FFMA, 0);
    set(&c, RFT_COUNTER_HADD, 0);
    set(&c, RFT_COUNTER_HMUL, 0);
    set(&c, RFT_COUNTER_WARP_INSTRUCTIONS, 1e9);
    set(&c, RFT_COUNTER_HFMA, 0.02 * 32 * 1e9);
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 1);
    assert_string_equal(out[0].text, "fp32: counted 2.000 Gop, declared 3.000 Gop (33.3 % less; minima, maxima and "
                                     "comparisons are not counted)");
    set(&c, RFT_COUNTER_HFMA, 0.03 * 32 * 1e9);
    assert_int_equal(rft_counters_compare(&c, &work, L2, true, *state, out), 2);
    assert_string_equal(out[1].what, "fp16");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_counter_says_what_it_is),
        cmocka_unit_test(every_counter_is_documented),
        cmocka_unit_test(a_set_is_read_from_words),
        cmocka_unit_test(nothing_counted_is_no_traffic),
        cmocka_unit_test(a_copy_is_its_bytes),
        cmocka_unit_test(a_matrix_product_is_its_operations),
        cmocka_unit_test(every_pipe_has_its_weights),
        cmocka_unit_test(plausible_counts_stand),
        cmocka_unit_test(impossible_counts_are_withdrawn),
        cmocka_unit_test(an_honest_copy_agrees),
        cmocka_unit_test(reads_beyond_5_percent_are_named),
        cmocka_unit_test(writes_count_only_beyond_the_cache),
        cmocka_unit_test(operations_beyond_5_percent_are_named),
        cmocka_unit_test(registers_set_by_half_instructions_are_no_work),
    };
    return cmocka_run_group_tests(tests, arena_begin, arena_end);
}
