/* SPDX-License-Identifier: Apache-2.0 */
/* The least time that limits leave, and budgets as they are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/roofline/floor.h"
#include "model/sweep/budget.h"

#include <math.h>
#include <string.h>

static void near_to(double got, double want) {
    if (!(fabs(got / want - 1) < 1e-12)) {
        fail_msg("%.17g instead of %.17g", got, want);
    }
}

static rft_run *new_run(void) {
    rft_run *run = rft_run_new();
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        run->ceilings.items[id].limit = NAN;
    }
    run->gpu.l2_bytes = 1000000;
    for (int id = RFT_CEILING_DRAM_READ; id <= RFT_CEILING_DRAM_2TO1; id++) {
        run->ceilings.items[id].limit = 4e12;
    }
    run->ceilings.items[RFT_CEILING_FP32].limit = 60e12;
    run->ceilings.items[RFT_CEILING_L2_READ].limit = 10e12;
    run->ceilings.items[RFT_CEILING_SHARED_READ].limit = 30e12;
    return run;
}

static void compulsory_bytes_less_what_the_l2_holds(void **state) {
    (void)state;
    rft_run *run = new_run();
    rft_traffic traffic = rft_traffic_unknown();
    rft_work work = {.bytes_read = 8e6, .bytes_written = 5e6};
    rft_floor cold = rft_floor_of(run, &work, &traffic, RFT_CACHE_COLD);
    near_to(cold.seconds, 12e6 / 4e12);
    assert_int_equal(cold.resource, RFT_RESOURCE_DRAM);
    assert_int_equal(cold.evidence, RFT_EVIDENCE_DECLARED);
    near_to(rft_floor_of(run, &work, &traffic, RFT_CACHE_HOT).seconds, 11e6 / 4e12);
    work = (rft_work){.bytes_written = 5e5};
    assert_true(isnan(rft_floor_of(run, &work, &traffic, RFT_CACHE_COLD).seconds));
    work.pipe_ops[RFT_PIPE_FP32] = 6e9;
    near_to(rft_floor_of(run, &work, &traffic, RFT_CACHE_COLD).seconds, 1e-4);
    work.pipe_ops[RFT_PIPE_INT32] = 6e15; /* no limit is known for it */
    near_to(rft_floor_of(run, &work, &traffic, RFT_CACHE_COLD).seconds, 1e-4);
    rft_run_free(run);
}

static void modelled_traffic_counts_inside_the_chip(void **state) {
    (void)state;
    rft_run *run = new_run();
    rft_arena *arena = rft_arena_new();
    rft_traffic traffic = rft_traffic_unknown();
    rft_work work = {.bytes_read = 8e6};
    traffic.present = true;
    traffic.evidence = RFT_EVIDENCE_MODELLED;
    traffic.level_bytes[RFT_LEVEL_DRAM] = 1e15; /* the L2 may keep any of it */
    traffic.level_bytes[RFT_LEVEL_SHARED] = 60e6;
    near_to(rft_floor_of(run, &work, &traffic, RFT_CACHE_COLD).seconds, 2e-6);
    traffic.level_bytes[RFT_LEVEL_SHARED] = 90e6;
    rft_floor floor = rft_floor_of(run, &work, &traffic, RFT_CACHE_COLD);
    near_to(floor.seconds, 3e-6);
    assert_string_equal(rft_floor_text(&floor, arena), "3.00 us at the hardware's limit of shared (modelled traffic)");
    traffic.level_bytes[RFT_LEVEL_L2] = 50e6;
    assert_int_equal(rft_floor_of(run, &work, &traffic, RFT_CACHE_COLD).resource, RFT_RESOURCE_L2);
    near_to(rft_floor_of(run, &work, &traffic, RFT_CACHE_COLD).seconds, 5e-6);
    run->gpu.sms = 132; /* which take in 12.5e12 bytes a second: one read of the L2 may serve several */
    run->gpu.sm_clock_khz = 1479640;
    near_to(rft_floor_of(run, &work, &traffic, RFT_CACHE_COLD).seconds, 50e6 / (132 * 64 * 1.47964e9));
    near_to(rft_limit_times_of(run, &work, &traffic, RFT_CACHE_COLD).level_s[RFT_LEVEL_L2], 5e-6);
    traffic.pipe_ops[RFT_PIPE_FP32] = 6e9;
    assert_int_equal(rft_floor_of(run, &work, &traffic, RFT_CACHE_COLD).pipe, RFT_PIPE_FP32);
    rft_arena_free(arena);
    rft_run_free(run);
}

static void expect_budget(const char *text, double seconds, uint64_t points, double gpu_s) {
    rft_budget budget;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_budget_parse(&budget, text, &err), RFT_OK);
    assert_true(budget.seconds == seconds && budget.points == points && budget.gpu_s == gpu_s);
}

static void expect_no_budget(const char *text, const char *part) {
    rft_budget budget;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_budget_parse(&budget, text, &err), RFT_E_USAGE);
    assert_non_null(strstr(err.message, part));
    assert_non_null(strstr(err.remedy, "gpu:30s"));
}

static void budgets(void **state) {
    (void)state;
    expect_budget("500", 0, 500, 0);
    expect_budget("10m", 600, 0, 0);
    expect_budget("gpu:30s", 0, 0, 30);
    expect_budget("500,10m,gpu:1.5s", 600, 500, 1.5);
    expect_no_budget("", "\"\" is no budget");
    expect_no_budget("0", "\"0\" leaves nothing to do");
    expect_no_budget("-3", "\"-3\" leaves nothing to do");
    expect_no_budget("0s", "\"0s\" leaves nothing to do");
    expect_no_budget("10m,5m", "\"5m\" is given twice");
    expect_no_budget("10,20", "\"20\" is given twice");
    expect_no_budget("10m,", "\"\" is no budget");
    expect_no_budget("gpu:", "\"gpu:\" is no budget");
    expect_no_budget("cpu:3s", "\"cpu:3s\" is no budget");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compulsory_bytes_less_what_the_l2_holds),
        cmocka_unit_test(modelled_traffic_counts_inside_the_chip),
        cmocka_unit_test(budgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
