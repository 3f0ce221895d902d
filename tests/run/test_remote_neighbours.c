/* SPDX-License-Identifier: Apache-2.0 */
/* What a device worker has measured ahead, and the point before it and the requests behind it. */
#include "run/scene_ahead.h"

/* Whatever becomes of the next point, the one before it is not held back and pays for nothing. */
static void what_is_measured_ahead_costs_its_neighbours_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < AHEAD_FATES; i++) {
        const ahead_fate *row = &ahead_fates[i];
        scene s;
        rft_probe_result result;
        scene_open_ahead(&s);
        scene_expect_next(&s, "ok");
        scene_sleep_s(LEFT_AHEAD_S);
        double begun_s = scene_now_s();
        assert_int_equal(scene_measure_and_expect(&s, "ok", row->expected, &result), RFT_OK);
        assert_int_equal(result.outcome, RFT_OUTCOME_OK);
        assert_int_equal(result.workers_lost, 0);
        assert_true(scene_now_s() - begun_s < SCENE_POINT_S);
        scene_expect_fate(&s, row->asked, row->outcome, row->lost);
        scene_expect_fate(&s, "ok", RFT_OUTCOME_OK, 0);
        scene_close(&s);
    }
}

/* What is no point, neither. */
static void other_requests_do_not_wait_for_what_hangs_ahead(void **state) {
    (void)state;
    static const char *const fates[] = {"hangs", "killed", "exits"};
    for (size_t i = 0; i < sizeof fates / sizeof *fates; i++) {
        scene s;
        rft_ceilings ceilings;
        rft_gpu_info gpu;
        scene_open_ahead(&s);
        scene_expect_next(&s, fates[i]);
        scene_sleep_s(LEFT_AHEAD_S);
        if (i % 2 == 0) {
            assert_int_equal(s.probe->ceilings(s.probe, NULL, s.arena, &ceilings, &s.err), RFT_OK);
        } else {
            assert_int_equal(rft_remote_probe_identify(s.remote, s.arena, &gpu, &s.err), RFT_OK);
        }
        scene_expect_fate(&s, "ok", RFT_OUTCOME_OK, 0);
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_measured_ahead_costs_its_neighbours_nothing),
        cmocka_unit_test(other_requests_do_not_wait_for_what_hangs_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
