/* SPDX-License-Identifier: Apache-2.0 */
/* Which of CUPTI's metrics stands for each quantity on each chip, and in how many passes: its host library answers
 * without a GPU. Skipped where it cannot be opened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "gpu/counting.h"
#include "support/arena_fixture.h"
#include "support/without_cupti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const chips[] = {"GH100", "GA100", "AD102", "GB100", "GB202"};
enum { CHIPS = 5 };

static rft_counter_plan plan_of(rft_arena *arena, const char *chip, rft_counter_set set) {
    rft_counter_plan plan;
    rft_err err = RFT_ERR_INIT;
    if (rft_cupti_plan_chip(&plan, chip, &set, NULL, arena, &err) != 0) {
        fail_msg("%s: %s", chip, err.message);
    }
    return plan;
}

/* "name name" of what is wanted but has no metric; each with a reason that names the chip. */
static const char *missing(rft_arena *arena, const rft_counter_plan *plan, const rft_counter_set *set) {
    rft_str text = RFT_STR_INIT;
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        assert_true((plan->metrics[i] != NULL) != (plan->reasons[i] != NULL));
        if (set->wanted[i] && !plan->metrics[i]) {
            assert_non_null(strstr(plan->reasons[i], plan->chip));
            rft_str_addf(&text, "%s%s", text.length ? " " : "", rft_counter_name((rft_counter)i));
        }
    }
    const char *out = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return out;
}

/* One pass more than before the sectors of a load request, two where they need an own: no step of a ladder can be told
 * apart without them. */
static void the_default_set_is_whole_in_few_passes(void **state) {
    static const int passes[CHIPS] = {4, 5, 5, 5, 5};
    rft_counter_set set = rft_counter_set_default();
    for (int i = 0; i < CHIPS; i++) {
        rft_counter_plan plan = plan_of(*state, chips[i], set);
        printf("    %s: %zu metrics in %d passes\n", chips[i], plan.metric_count, plan.passes);
        assert_string_equal(plan.chip, chips[i]);
        assert_string_equal(missing(*state, &plan, &set), "");
        assert_int_equal(plan.passes, passes[i]);
        assert_non_null(strstr(plan.version, "libcupti"));
        assert_string_equal(plan.reasons[RFT_COUNTER_STALL_WAIT], "not asked for");
    }
}

static void the_large_set_lacks_what_the_chip_lacks(void **state) {
    static const char *const lacking[CHIPS] = {"", "tensor_fp8_ops stall_gmma", "stall_gmma", "stall_gmma",
                                               "stall_gmma"};
    rft_counter_set set = rft_counter_set_all();
    for (int i = 0; i < CHIPS; i++) {
        rft_counter_plan plan = plan_of(*state, chips[i], set);
        printf("    %s: %zu metrics in %d passes; none for: %s\n", chips[i], plan.metric_count, plan.passes,
               missing(*state, &plan, &set));
        assert_string_equal(missing(*state, &plan, &set), lacking[i]);
        assert_in_range(plan.passes, 4, 20);
    }
}

/* The first name accepted is kept: what differs between chips. */
static void names_follow_the_chip(void **state) {
    static const struct {
        const char *chip;
        rft_counter counter;
        const char *metric;
    } rows[] = {
        {"GH100", RFT_COUNTER_DRAM_READ, "dram__bytes_read.sum"},
        {"GB202", RFT_COUNTER_DRAM_READ, "dram__bytes_op_read.sum"},
        {"GB202", RFT_COUNTER_DRAM_WRITE, "dram__bytes_op_write.sum"},
        {"GH100", RFT_COUNTER_L1_LOAD, "128*l1tex__lsu_writeback_active_mem_lgds.sum"},
        {"GA100", RFT_COUNTER_L1_LOAD, "128*l1tex__lsu_writeback_active_mem_lg.sum"},
        {"AD102", RFT_COUNTER_L1_LOAD, "128*l1tex__lsu_writeback_active_mem_lg.sum"},
        {"GH100", RFT_COUNTER_L2_READ, "lts__t_sectors_srcunit_tex_op_read.sum"},
        {"GH100", RFT_COUNTER_FFMA, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"},
        {"GB100", RFT_COUNTER_FFMA,
         "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum + "
         "2*smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum"},
        {"GB202", RFT_COUNTER_FFMA, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"},
        {"GH100", RFT_COUNTER_TENSOR_FP16, "sm__ops_path_tensor_src_fp16.sum"},
        {"GA100", RFT_COUNTER_TENSOR_FP16,
         "sm__ops_path_tensor_src_fp16_dst_fp16.sum + sm__ops_path_tensor_src_fp16_dst_fp32.sum"},
        {"AD102", RFT_COUNTER_TENSOR_FP8, "sm__ops_path_tensor_src_fp8.sum"},
        {"GB202", RFT_COUNTER_TENSOR_FP8,
         "sm__ops_path_tensor_src_fp8_dst_fp16.sum + sm__ops_path_tensor_src_fp8_dst_fp32.sum"},
        {"GB100", RFT_COUNTER_TENSOR_FP8,
         "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16.sum + sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rft_counter_set set = rft_counter_set_none();
        set.wanted[rows[i].counter] = true;
        rft_counter_plan plan = plan_of(*state, rows[i].chip, set);
        assert_string_equal(plan.metrics[rows[i].counter], rows[i].metric);
    }
}

static void raw_names_are_taken_as_they_are(void **state) {
    rft_counter_set set;
    assert_int_equal(rft_counter_set_parse(&set, "dram_read_bytes,lts__t_sectors.sum,lts__nonsense.sum", *state, NULL),
                     0);
    rft_counter_plan plan = plan_of(*state, "GH100", set);
    assert_int_equal(plan.raw_count, 2);
    assert_string_equal(plan.raw[0].name, "lts__t_sectors.sum");
    assert_null(plan.raw[0].reason);
    assert_non_null(strstr(plan.raw[1].reason, "GH100"));
    assert_int_equal(plan.metric_count, 2);
    assert_int_equal(plan.passes, 1);

    assert_int_equal(rft_counter_set_parse(&set, "lts__nonsense.sum", *state, NULL), 0);
    plan = plan_of(*state, "GH100", set);
    assert_int_equal(plan.passes, 0);
    plan = plan_of(*state, "GH100", rft_counter_set_none());
    assert_int_equal(plan.passes, 0);
    assert_string_equal(plan.reasons[RFT_COUNTER_TIME], "not asked for");
}

static void an_unknown_chip_has_a_remedy(void **state) {
    rft_counter_plan plan;
    rft_counter_set set = rft_counter_set_default();
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_cupti_plan_chip(&plan, "ZZ999", &set, NULL, *state, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "ZZ999"));
    assert_non_null(strstr(err.remedy, "newer CUDA release"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_set_is_whole_in_few_passes),
        cmocka_unit_test(the_large_set_lacks_what_the_chip_lacks),
        cmocka_unit_test(names_follow_the_chip),
        cmocka_unit_test(raw_names_are_taken_as_they_are),
        cmocka_unit_test(an_unknown_chip_has_a_remedy),
    };
    int missing = without_cupti();
    return missing ? missing : cmocka_run_group_tests(tests, arena_begin, arena_end);
}
