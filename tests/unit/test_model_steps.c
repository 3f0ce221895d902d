/* SPDX-License-Identifier: Apache-2.0 */
/* Points of several launches: each by its own work and time, the point by the longest of them. */
#include "model_fixture.h"

#include "model/roofline/bound.h"

/* 10 ms altogether, of which the steps take what they take. */
static rft_point *point_of(rft_run *run, size_t count, const double *step_s) {
    rft_point *point = fixture_point(run, 0, NULL, 10e-3);
    point->rounds[1] = point->rounds[0];
    point->rounds[1].step_s = rft_arena_memdup(run->arena, step_s, count * sizeof *step_s);
    point->rounds[1].step_count = count;
    point->steps = rft_arena_calloc(run->arena, count, sizeof *point->steps);
    point->step_count = count;
    for (size_t i = 0; i < count; i++) {
        point->steps[i] = (rft_step){.name = rft_arena_printf(run->arena, "step%zu", i + 1)};
        point->steps[i].traffic = rft_traffic_unknown();
    }
    point->work.bytes_read = 4.4e9; /* 1 ms: the whole is latency */
    return point;
}

static rft_run *one_problem(void) {
    rft_run *run = fixture_run();
    fixture_axis(run, "n", true, true);
    fixture_problem(run, (const int64_t[]){1024});
    fixture_ceiling(run, RFT_CEILING_L2_READ, 10e12);
    return run;
}

static void declare(rft_point *point, size_t i, double bytes, rft_pipe pipe, double ops) {
    point->steps[i].has_work = true;
    point->steps[i].work.bytes_read = bytes;
    if (pipe < RFT_PIPE_COUNT) {
        point->steps[i].work.pipe_ops[pipe] = ops;
    }
}

static void expect(rft_run *run, const rft_point *point, size_t i, const char *text) {
    rft_step_bound step = rft_step_bound_of(run, point, i);
    assert_string_equal(rft_step_bound_text(&step, run->arena), text);
}

static void expect_point(rft_run *run, const rft_point *point, const char *text) {
    rft_bound bound = rft_bound_of(run, point);
    assert_string_equal(rft_bound_text(&bound, run->arena), text);
}

static void each_step_by_its_own_work(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 3, (const double[]){1.1e-3, 6.6e-3, 2.3e-3});
    declare(point, 0, 4.4e9, RFT_PIPE_COUNT, 0);    /* 1 ms of reading */
    declare(point, 1, 4.4e9, RFT_PIPE_FP32, 36e10); /* 6 ms of FP32 */
    assert_int_equal(rft_step_bound_count(point), 3);
    assert_int_equal(rft_step_bound_longest(point), 1);
    expect(run, point, 0, "bound by dram (91 %, declared)");
    expect(run, point, 1, "bound by FP32 (91 %, declared)");
    expect(run, point, 2, "unknown: the launch declares no work of its own");
    rft_step_bound last = rft_step_bound_of(run, point, 2);
    assert_true(near(last.frac, 0.23, 1e-9) && last.seconds == 2.3e-3);
    assert_int_equal(last.bound.resource, RFT_RESOURCE_UNKNOWN);
    assert_true(isnan(last.bound.frac));
    expect_point(run, point, "bound by FP32 (91 %, declared), step 2, step2, 66 % of the launches' time");
    rft_bound whole = rft_bound_whole_of(run, point);
    assert_int_equal(whole.resource, RFT_RESOURCE_LATENCY);
    assert_int_equal(whole.step, 0);
    rft_run_free(run);
}

/* The longest says nothing: then the whole is judged as it always was, not by a shorter one. */
static void the_longest_or_the_whole(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 2, (const double[]){1.1e-3, 8.9e-3});
    declare(point, 0, 4.4e9, RFT_PIPE_COUNT, 0);
    expect_point(run, point, "latency: nearest ceiling dram 10 %");
    declare(point, 1, 4.4e9, RFT_PIPE_INT32, 1e15); /* no ceiling, and it may be what takes the time */
    assert_int_equal(rft_step_bound_of(run, point, 1).bound.resource, RFT_RESOURCE_UNKNOWN);
    assert_int_equal(rft_bound_of(run, point).step, 0);
    rft_run_free(run);
}

/* Behind the first step, bytes that fit the L2 may come from there. */
static void small_steps_behind_others(void **state) {
    (void)state;
    rft_run *run = one_problem();
    const double small = 44e6; /* 10 us of memory, 4.4 us of L2 */
    rft_point *point = point_of(run, 2, (const double[]){11e-6, 11e-6});
    declare(point, 0, small, RFT_PIPE_COUNT, 0);
    declare(point, 1, small, RFT_PIPE_COUNT, 0);
    expect(run, point, 0, "bound by dram (91 %, declared)"); /* it was flushed before the first */
    rft_step_bound second = rft_step_bound_of(run, point, 1);
    assert_int_equal(second.bound.resource, RFT_RESOURCE_UNKNOWN);
    assert_non_null(strstr(second.reason, "may come from there or from device memory"));
    point->steps[1].traffic.present = true;
    point->steps[1].traffic.evidence = RFT_EVIDENCE_MODELLED;
    point->steps[1].traffic.level_bytes[RFT_LEVEL_DRAM] = small;
    expect(run, point, 1, "bound by dram (91 %, modelled)");
    /* where both ways say the same there is nothing to doubt */
    point->steps[1].traffic = rft_traffic_unknown();
    declare(point, 1, small, RFT_PIPE_FP32, 6.3e8);
    point->rounds[1].step_s[1] = 11e-6;
    expect(run, point, 1, "bound by FP32 (95 %, declared)");
    rft_run_free(run);
}

/* Counters are of all launches together: they judge the whole, never a step. */
static void counters_are_the_wholes(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 2, (const double[]){9e-3, 1e-3});
    rft_counters counters = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    counters.values[RFT_COUNTER_DRAM_READ] = 39.6e9; /* 9 ms */
    counters.values[RFT_COUNTER_DRAM_WRITE] = 0;
    point->counters = &counters;
    declare(point, 0, 4.4e9, RFT_PIPE_COUNT, 0);
    expect(run, point, 0, "latency: nearest ceiling dram 11 %");
    assert_int_equal(rft_bound_whole_of(run, point).evidence, RFT_EVIDENCE_COUNTED);
    point->steps[0].has_work = false;
    expect_point(run, point, "bound by dram (90 %, counted)");
    rft_run_free(run);
}

static void what_cannot_be_told_apart(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 2, (const double[]){6e-3, 4e-3});
    point->step_count = 1; /* a recording that does not fit */
    assert_int_equal(rft_step_bound_count(point), 0);
    assert_true(rft_step_bound_longest(point) == SIZE_MAX);
    point->step_count = 2;
    point->rounds[1] = rft_measurement_none(); /* no final round */
    assert_int_equal(rft_step_bound_count(point), 0);
    assert_int_equal(rft_bound_of(run, point).step, 0);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_step_by_its_own_work), cmocka_unit_test(the_longest_or_the_whole),
        cmocka_unit_test(small_steps_behind_others), cmocka_unit_test(counters_are_the_wholes),
        cmocka_unit_test(what_cannot_be_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
