/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of metrics in the sources (docs/corrections.md A20, E10, E20): which of them exist on an H100, by CUPTI's host
 * library. Skipped where it cannot be opened.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/counting.h"
#include "support/arena_fixture.h"
#include "support/without_cupti.h"

static bool exists(rft_arena *arena, const char *name) {
    rft_counter_set set;
    rft_counter_plan plan;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_counter_set_parse(&set, name, arena, &err), 0);
    assert_int_equal(rft_cupti_plan_chip(&plan, "GH100", &set, NULL, arena, &err), 0);
    assert_int_equal(plan.raw_count, 1);
    if ((plan.raw[0].reason == NULL) != (plan.metric_count == 1)) {
        fail_msg("%s: %zu metrics", name, plan.metric_count);
    }
    return plan.raw[0].reason == NULL;
}

static void check_all(void **state, const char *const *names, size_t count, bool expected) {
    for (size_t i = 0; i < count; i++) {
        if (exists(*state, names[i]) != expected) {
            fail_msg("%s %s", names[i], expected ? "does not exist" : "exists");
        }
    }
}

static void a20_names_that_are_right(void **state) {
    static const char *const names[] = {
        "dram__bytes_read.sum",
        "dram__bytes_write.sum",
        "dram__sectors_read.sum",
        "dram__sectors_write.sum",
        "dram__bytes.sum.per_second",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    };
    check_all(state, names, sizeof names / sizeof *names, true);
}

static void e10_throughput_names(void **state) {
    static const char *const wrong[] = {
        "l2__throughput_percentage",
        "sm__throughput_percentage",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.avg",
    };
    static const char *const right[] = {
        "lts__throughput.avg.pct_of_peak_sustained_elapsed",
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
    };
    check_all(state, wrong, sizeof wrong / sizeof *wrong, false);
    check_all(state, right, sizeof right / sizeof *right, true);
}

/* Operations of the matrix units by type; hmma leaves wgmma out, which gmma counts. */
static void e20_tensor_operations(void **state) {
    static const char *const names[] = {
        "sm__ops_path_tensor_src_fp16.sum",
        "sm__inst_executed_pipe_tensor_op_gmma.sum",
        "sm__inst_executed_pipe_tensor_op_hmma.sum",
    };
    check_all(state, names, sizeof names / sizeof *names, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a20_names_that_are_right),
        cmocka_unit_test(e10_throughput_names),
        cmocka_unit_test(e20_tensor_operations),
    };
    int missing = without_cupti();
    return missing ? missing : cmocka_run_group_tests(tests, arena_begin, arena_end);
}
