/* SPDX-License-Identifier: Apache-2.0 */
/* The fit of a profile: which points, which pipe, which ceilings; and what intensity counts. */
#include "model_fixture.h"

#include "model/roofline/bound.h"
#include "model/roofline/placement.h"
#include "model/transition/profile.h"

static rft_profile_fit fit_of(rft_run *run) {
    rft_profile *profiles;
    assert_int_equal(rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles), 1);
    return rft_profile_fit_of(run, &profiles[0], run->arena);
}

/* Softmax-like: five FP32 operations and one exponential an element, of which the few take the longer. */
static rft_point *add_softmax(rft_run *run, int64_t n, double time_s) {
    rft_point *point = fixture_point(run, fixture_problem(run, &n), NULL, time_s);
    point->work.bytes_read = 4.0 * (double)n;
    point->work.pipe_ops[RFT_PIPE_FP32] = 5.0 * 64.0 * (double)n;
    point->work.pipe_ops[RFT_PIPE_SFU] = 64.0 * (double)n;
    return point;
}

static void the_slowest_pipe_is_fitted(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    fixture_ceiling(run, RFT_CEILING_SFU, 4e12);
    fixture_axis(run, "n", true, true);
    for (int64_t n = 1 << 20; n <= 1 << 28; n *= 4) {
        add_softmax(run, n, 5e-6 + 64.0 * (double)n / 3e12);
    }
    rft_profile_fit fit = fit_of(run);
    assert_int_equal(fit.pipe, RFT_PIPE_SFU);
    assert_int_equal(fit.peak, RFT_CEILING_SFU);
    assert_int_equal(fit.memory, RFT_CEILING_DRAM_READ);
    assert_int_equal(fit.count, 5);
    assert_true(fit.points[0].ops == 64.0 * (1 << 20) && fit.points[0].bytes == 4.0 * (1 << 20));
    assert_true(fit.points[0].noise_frac > 0.0 && fit.points[0].noise_frac < 0.01);
    assert_null(fit.fit.why);
    assert_int_equal(fit.fit.params[RFT_FIT_PEAK].state, RFT_FIT_KNOWN);
    assert_true(near(fit.fit.params[RFT_FIT_PEAK].value, 3e12, 0.01));
    assert_true(rft_profile_fit_ceiling(&fit, RFT_FIT_PEAK) == 4e12);
    assert_true(isnan(rft_profile_fit_ceiling(&fit, RFT_FIT_OVERHEAD)));

    /* The main pipe of a placement, and so its chart, is the one with most operations, whatever the ceilings. */
    rft_placement place = rft_placement_of(run, &run->points[0]);
    assert_true(near(place.intensity, 80.0, 1e-9) && near(rft_work_intensity(&run->points[0].work), 96.0, 1e-9));
    assert_int_equal(place.roof_pipe, RFT_PIPE_SFU);
    rft_run_free(run);
}

static void what_stays_in_the_l2_is_left_out(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    fixture_axis(run, "n", true, true);
    for (int64_t n = 1 << 20; n <= 1 << 30; n *= 4) {
        rft_point *point = fixture_point(run, fixture_problem(run, &n), NULL, 4.0 * (double)n / 4e12);
        point->work.bytes_read = 4.0 * (double)n;
        point->rounds[0].cache = RFT_CACHE_HOT;
    }
    rft_profile_fit fit = fit_of(run);
    assert_int_equal(fit.left_out, 2); /* 4 and 16 MiB of 60 */
    assert_int_equal(fit.count, 4);
    assert_int_equal(fit.steps[0], 2);
    assert_int_equal(fit.pipe, RFT_PIPE_COUNT);
    assert_null(fit.fit.why);
    assert_true(near(fit.fit.params[RFT_FIT_BANDWIDTH].value, 4e12, 0.01));

    run->gpu.l2_bytes = 2000 << 20;
    fit = fit_of(run);
    assert_int_equal(fit.left_out, 5);
    assert_non_null(strstr(fit.fit.why, "(5 more ran out of the L2)"));
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_pipe_is_fitted),
        cmocka_unit_test(what_stays_in_the_l2_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
