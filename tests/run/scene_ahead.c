/* SPDX-License-Identifier: Apache-2.0 */
#include "run/scene_ahead.h"

void scene_open_ahead(scene *s) {
    enum { PASSED = 17 };
    rft_probe_result result;
    scene_open(s, 1);
    scene_device_worker(s);
    for (int k = 0; k < PASSED; k++) {
        scene_expect_next(s, "ok");
        assert_int_equal(scene_measure(s, "ok", &result), RFT_OK);
        assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    }
}

const ahead_fate ahead_fates[AHEAD_FATES] = {
    {"ok", "ok", RFT_OUTCOME_OK, 0},
    {"wrong", "wrong", RFT_OUTCOME_WRONG_RESULT, 0},
    {"sticky", "sticky", RFT_OUTCOME_LAUNCH_FAILED, 1},
    {"killed", "killed", RFT_OUTCOME_CRASHED, 2},
    {"exits", "exits", RFT_OUTCOME_CRASHED, 2},
    {"garbage", "garbage", RFT_OUTCOME_CRASHED, 2},
    {"hangs", "hangs", RFT_OUTCOME_TIMED_OUT, 1},
    {"hangs_later", "hangs_later", RFT_OUTCOME_TIMED_OUT, 1},
    {"fill_hangs", "fill_hangs", RFT_OUTCOME_TIMED_OUT, 1},
    {"ok", "wrong", RFT_OUTCOME_WRONG_RESULT, 0},
    {"wrong", "ok", RFT_OUTCOME_OK, 0},
    {"exits", "ok", RFT_OUTCOME_OK, 0},
    {"killed", "ok", RFT_OUTCOME_OK, 0},
    {"hangs", "ok", RFT_OUTCOME_OK, 0},
    {"hangs_later", "killed", RFT_OUTCOME_CRASHED, 2},
    {"fill_hangs", "hangs", RFT_OUTCOME_TIMED_OUT, 1},
};

void scene_expect_fate(scene *s, const char *asked, rft_outcome outcome, int lost) {
    rft_probe_result result;
    double begun_s = scene_now_s();
    assert_int_equal(scene_measure(s, asked, &result), RFT_OK);
    if (result.outcome != outcome || result.workers_lost != lost) {
        fail_msg("%s: outcome %d (%s), %d lost", asked, (int)result.outcome, result.reason ? result.reason : "",
                 result.workers_lost);
    }
    /* a time limit once, if what is ahead of it has to be ended twice, and three workers to start */
    assert_true(scene_now_s() - begun_s < 3 * SCENE_POINT_S + 4);
}
