/* SPDX-License-Identifier: Apache-2.0 */
/* What a device worker has measured ahead: told when it is asked for, and the limits of its own. */
#include "run/scene_ahead.h"

static void what_is_measured_ahead_is_told_when_it_is_asked_for(void **state) {
    (void)state;
    for (size_t i = 0; i < AHEAD_FATES; i++) {
        const ahead_fate *row = &ahead_fates[i];
        scene s;
        scene_open_ahead(&s);
        scene_expect_next(&s, row->expected);
        scene_sleep_s(LEFT_AHEAD_S);
        scene_expect_fate(&s, row->asked, row->outcome, row->lost);
        scene_expect_fate(&s, "ok", RFT_OUTCOME_OK, 0);
        scene_close(&s);
    }
}

/* A point does not pay for what it had to wait to be asked for. */
static void what_is_asked_for_late_is_not_late(void **state) {
    (void)state;
    static const char *const fates[] = {"ok", "slow"}; /* measured to its end, and as far as its first run */
    for (size_t i = 0; i < sizeof fates / sizeof *fates; i++) {
        scene s;
        scene_open_ahead(&s);
        scene_expect_next(&s, fates[i]);
        scene_sleep_s(SCENE_POINT_S + 0.5);
        scene_expect_fate(&s, fates[i], RFT_OUTCOME_OK, 0);
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_measured_ahead_is_told_when_it_is_asked_for),
        cmocka_unit_test(what_is_asked_for_late_is_not_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
