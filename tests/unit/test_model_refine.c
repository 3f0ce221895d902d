/* SPDX-License-Identifier: Apache-2.0 */
/* Which values refine() adds: the value halfway, flips and turns, depth after depth until none is left. */
#include "model_fixture.h"

#include "model/transition/refine.h"

/* ---- the value halfway ---- */

static rft_axis axis_of(rft_arena *arena, const int64_t *values, size_t count) {
    rft_axis axis = {.name = "m", .swept = true, .along = true, .refine_depth = 2, .value_count = count};
    axis.values = rft_arena_calloc(arena, count, sizeof *axis.values);
    for (size_t i = 0; i < count; i++) {
        axis.values[i] = rft_value_int(values[i]);
    }
    return axis;
}

/* 0: nothing lies between. */
static int64_t middle(const rft_axis *axis, int64_t low, int64_t high) {
    rft_value a = rft_value_int(low), b = rft_value_int(high), out;
    bool found = rft_refine_middle(axis, &a, &b, &out);
    if (found) {
        assert_int_equal(out.kind, RFT_VALUE_INT);
        assert_true(out.as.integer > low && out.as.integer < high);
    }
    return found ? out.as.integer : 0;
}

static void the_value_halfway_is_as_aligned_as_its_ends(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    const int64_t powers[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
    rft_axis axis = axis_of(arena, powers, 13);
    assert_int_equal(middle(&axis, 128, 256), 192); /* not 181 */
    assert_int_equal(middle(&axis, 128, 192), 160);
    assert_int_equal(middle(&axis, 192, 256), 224);
    assert_int_equal(middle(&axis, 2048, 4096), 3072);
    assert_int_equal(middle(&axis, 64, 4096), 512); /* the geometric mean is as aligned already */
    assert_int_equal(middle(&axis, 96, 128), 112);
    assert_int_equal(middle(&axis, 1000, 3000), 1736); /* a multiple of 8 next to 1732.1 */
    assert_int_equal(middle(&axis, 1001, 3001), 1733);
    assert_int_equal(middle(&axis, 2, 4), 3);
    assert_int_equal(middle(&axis, 1, 2), 0);
    assert_int_equal(middle(&axis, 4, 4), 0);
    const int64_t even[] = {1000, 2000, 3000, 4000}; /* a factor of 4, not more, and no equal factors */
    axis = axis_of(arena, even, 4);
    assert_int_equal(middle(&axis, 1000, 2000), 1504); /* arithmetic */
    assert_int_equal(middle(&axis, 3000, 4000), 3504);
    const int64_t with_zero[] = {0, 64, 4096};
    axis = axis_of(arena, with_zero, 3);
    assert_int_equal(middle(&axis, 0, 64), 32);
    assert_int_equal(middle(&axis, 64, 4096), 2112); /* 2080, a multiple of 64 next to it */
    const int64_t below[] = {-64, -32, 0};
    axis = axis_of(arena, below, 3);
    assert_int_equal(middle(&axis, -64, -32), -48);
    rft_arena_free(arena);
}

static void between_reals_lies_a_real(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_axis axis = {.name = "x", .value_count = 3};
    rft_value out;
    axis.values = rft_arena_calloc(arena, 3, sizeof *axis.values);
    axis.values[0] = rft_value_real(0.5);
    axis.values[1] = rft_value_int(1);
    axis.values[2] = rft_value_real(1.5);
    assert_true(rft_refine_middle(&axis, &axis.values[0], &axis.values[1], &out));
    assert_true(out.kind == RFT_VALUE_REAL && out.as.real == 0.75);
    axis.values[2] = rft_value_real(12.5);
    assert_true(rft_refine_middle(&axis, &axis.values[1], &axis.values[2], &out));
    assert_true(near(rft_value_number(&out), sqrt(12.5), 1e-12));
    rft_value next = rft_value_real(nextafter(0.5, 1.0));
    assert_false(rft_refine_middle(&axis, &axis.values[0], &next, &out));
    rft_arena_free(arena);
}

/* ---- flips ---- */

/* A linear layer of N = K = 8192 in bf16 over M rows; on the fixture's ceilings its knee lies near 165 rows. */
#define NK 8192.0
static rft_work linear_work(double m) {
    rft_work work = {.bytes_read = 2.0 * (NK * NK + m * NK), .bytes_written = 2.0 * m * NK};
    work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 2.0 * m * NK * NK;
    return work;
}

static void add_m(rft_run *run, int64_t m, double time_s, int refined) {
    size_t problem = fixture_problem(run, &m);
    run->sweeps[0].sweep.problems[problem].refined = refined;
    if (time_s > 0) {
        fixture_point(run, problem, NULL, time_s)->work = linear_work((double)m);
    }
}

static double layer_s(double m) {
    rft_work work = linear_work(m);
    return fmax(rft_work_bytes(&work) / 4.2e12, rft_work_ops(&work) / 690e12) * 1.02;
}

static rft_run *along_m(const int64_t *grid, size_t count, int depth) {
    rft_run *run = fixture_run();
    fixture_axis(run, "m", true, true);
    rft_axis *axis = &run->sweeps[0].sweep.axes[0];
    *axis = axis_of(run->arena, grid, count);
    axis->refine_depth = depth;
    for (size_t i = 0; i < count; i++) {
        add_m(run, grid[i], layer_s((double)grid[i]), 0);
    }
    return run;
}

static size_t values_of(rft_run *run, rft_refine_value **out) {
    rft_profile *profiles = NULL;
    assert_int_equal(rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles), 1);
    return rft_refine_values(run, &profiles[0], run->arena, out);
}

static const int64_t powers[] = {16, 32, 64, 128, 256, 512, 1024};
#define POWERS 7

static void a_flip_is_halved_to_its_depth_and_no_further(void **state) {
    (void)state;
    static const int64_t expected[] = {192, 160, 176, 168};
    for (int depth = 0; depth <= 4; depth++) {
        rft_run *run = along_m(powers, POWERS, depth);
        rft_refine_value *found = NULL;
        for (int level = 1; level <= depth; level++) {
            assert_int_equal(values_of(run, &found), 1);
            assert_int_equal(found[0].depth, level);
            assert_int_equal(found[0].value.as.integer, expected[level - 1]);
            add_m(run, found[0].value.as.integer, layer_s((double)found[0].value.as.integer), level);
        }
        assert_int_equal(values_of(run, &found), 0);
        rft_profile *profiles = NULL;
        rft_transition *t = NULL;
        rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles);
        assert_int_equal(rft_transitions_of(run, &profiles[0], run->arena, &t), 1);
        const rft_profile_step *step = &profiles[0].steps[t[0].step];
        double width = rft_value_number(&step[1].value) - rft_value_number(&step[0].value);
        assert_true(width == 128 / pow(2, depth));
        rft_run_free(run);
    }
}

static void integers_end_it(void **state) {
    (void)state;
    const int64_t grid[] = {16, 160, 162, 1024};
    rft_run *run = along_m(grid, 4, 20);
    rft_refine_value *found = NULL;
    for (int level = 1; level <= 20 && values_of(run, &found) > 0; level++) {
        for (size_t i = 0; i < 1; i++) {
            add_m(run, found[i].value.as.integer, layer_s((double)found[i].value.as.integer), found[i].depth);
        }
    }
    const rft_sweep *sweep = &run->sweeps[0].sweep;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        for (size_t q = 0; q < p; q++) {
            assert_false(rft_value_equal(&sweep->problems[p].values[0], &sweep->problems[q].values[0]));
        }
    }
    assert_true(rft_refine_added(sweep) > 5);
    rft_run_free(run);
}

/* Where the middle was tried and nothing could be measured, the flip stays; so it does beside an unknown bound. */
static void what_could_not_be_measured_is_not_tried_again(void **state) {
    (void)state;
    rft_run *run = along_m(powers, POWERS, 3);
    rft_refine_value *found = NULL;
    add_m(run, 192, 0, 1);
    assert_int_equal(values_of(run, &found), 0);
    rft_run_free(run);
    run = along_m(powers, POWERS, 3);
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        run->ceilings.items[i].measured = false;
    }
    for (size_t i = 0; i < run->point_count; i++) { /* and the times do not turn */
        run->points[i].rounds[0] = fixture_measurement(run, 1e-6 * (double)powers[i]);
    }
    assert_int_equal(values_of(run, &found), 0);
    rft_run_free(run);
}

/* Declared bytes say dram all along; the times leave a cache. */
static void a_turn_of_the_times_is_a_flip_too(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    fixture_axis(run, "m", true, true);
    int64_t grid[12];
    for (int i = 0; i < 12; i++) {
        grid[i] = (int64_t)1024 << i;
    }
    run->sweeps[0].sweep.axes[0] = axis_of(run->arena, grid, 12);
    rft_refine_value *found = NULL;
    for (int i = 0; i < 12; i++) {
        size_t problem = fixture_problem(run, &grid[i]);
        double m = (double)grid[i], time_s = fmax(3e-4, 3e-4 * m / 50000.0);
        fixture_point(run, problem, NULL, time_s)->work = (rft_work){.bytes_read = time_s * 4.4e12 * 0.95};
    }
    assert_int_equal(values_of(run, &found), 1);
    assert_int_equal(found[0].value.as.integer, 49152);
    rft_run_free(run);
}

/* ---- a sweep of two axes ---- */

static void a_line_of_added_points_alone_is_no_profile(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    rft_sweep *sweep = &run->sweeps[0].sweep;
    const int64_t m[] = {128, 256}, n[] = {1, 2};
    fixture_axis(run, "m", true, true);
    fixture_axis(run, "n", true, true);
    sweep->axes[0] = axis_of(run->arena, m, 2);
    sweep->axes[1] = axis_of(run->arena, n, 2);
    sweep->axes[1].refine_depth = 0;
    for (size_t i = 0; i < 4; i++) {
        const int64_t values[] = {m[i / 2], n[i % 2]};
        size_t problem = fixture_problem(run, values);
        fixture_point(run, problem, NULL, layer_s((double)values[0]))->work = linear_work((double)values[0]);
    }
    rft_profile *profiles = NULL;
    assert_int_equal(rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles), 4);
    const int64_t added[] = {192, 2};
    size_t problem = fixture_problem(run, added);
    sweep->problems[problem].refined = 1;
    fixture_point(run, problem, NULL, layer_s(192))->work = linear_work(192);
    assert_int_equal(rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles), 4);
    assert_int_equal(profiles[0].step_count, 2);
    assert_int_equal(profiles[1].step_count, 3);
    assert_int_equal(profiles[1].steps[1].refined, 1);
    const size_t *order = rft_refine_order(sweep, run->arena);
    const size_t expected[] = {0, 1, 4, 2, 3};
    assert_memory_equal(order, expected, sizeof expected);
    rft_refine_ends ends;
    assert_true(rft_refine_ends_of(sweep, problem, &ends));
    assert_int_equal(ends.axis, 0);
    assert_int_equal(ends.left, 1);
    assert_int_equal(ends.right, 3);
    assert_false(rft_refine_ends_of(sweep, 1, &ends));
    assert_string_equal(rft_refine_text(run, 0, problem, run->arena),
                        "refined: 1 configuration measured there, from the winners of m=128 and m=256");
    fixture_point(run, problem, NULL, layer_s(192))->prior = 1;
    assert_string_equal(rft_refine_text(run, 0, problem, run->arena),
                        "refined: 2 configurations measured there, the winners of m=128 and m=256 among them");
    assert_null(rft_refine_text(run, 0, 1, run->arena));
    assert_int_equal(rft_refine_most(sweep), 2 * 3); /* two lines, three values in the one interval */
    assert_true(rft_refine_is_asked(sweep));
    sweep->axes[0].refine_depth = 20;
    assert_int_equal(rft_refine_most(sweep), 2 * 127); /* there are no more integers */
    sweep->bare_space = true;
    assert_int_equal(rft_refine_most(sweep), 0);
    assert_false(rft_refine_is_asked(sweep));
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_value_halfway_is_as_aligned_as_its_ends),
        cmocka_unit_test(between_reals_lies_a_real),
        cmocka_unit_test(a_flip_is_halved_to_its_depth_and_no_further),
        cmocka_unit_test(integers_end_it),
        cmocka_unit_test(what_could_not_be_measured_is_not_tried_again),
        cmocka_unit_test(a_turn_of_the_times_is_a_flip_too),
        cmocka_unit_test(a_line_of_added_points_alone_is_no_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
