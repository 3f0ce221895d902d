/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of rft_sweep_settings take and refuse, as texts. Both ways of asking: tests/cli/cases/asked.sh. */
#include "model_fixture.h"

#include "model/sweep/sweep.h"

static const rft_setting *setting_of(const char *group, const char *key) {
    for (size_t i = 0; i < RFT_SWEEP_SETTINGS; i++) {
        if (strcmp(rft_sweep_settings[i].group, group) == 0 && strcmp(rft_sweep_settings[i].key, key) == 0) {
            return &rft_sweep_settings[i];
        }
    }
    fail_msg("no setting %s.%s", group, key);
    return NULL;
}

static rft_sweep sweep;

static void takes(const char *group, const char *key, const char *text) {
    rft_err err = RFT_ERR_INIT;
    if (rft_setting_read(setting_of(group, key), &sweep, text, &err) != RFT_OK) {
        fail_msg("%s.%s = %s: %s", group, key, text, err.message);
    }
}

static void refuses(const char *group, const char *key, const char *text, const char *message) {
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_setting_read(setting_of(group, key), &sweep, text, &err), RFT_E_USAGE);
    if (!strstr(err.message, message)) {
        fail_msg("%s.%s = %s: \"%s\"", group, key, text, err.message);
    }
}

static void test_texts(void **state) {
    (void)state;
    for (int i = 0; i < RFT_CACHE_COUNT; i++) {
        takes("measure", "cache", rft_cache_mode_name((rft_cache_mode)i));
        assert_int_equal(sweep.measure.cache, i);
    }
    for (int i = 0; i < RFT_OBJECTIVE_COUNT; i++) {
        takes("search", "objective", rft_objective_name((rft_objective)i));
        assert_int_equal(sweep.search.objective, i);
    }
    takes("measure", "timeout", "250ms");
    takes("measure", "max_samples", "50");
    takes("measure", "noise", "0.01");
    takes("measure", "race", "");
    assert_true(sweep.measure.point_timeout_s == 0.25 && sweep.measure.max_samples == 50);
    assert_true(sweep.measure.noise_frac == 0.01 && sweep.measure.no_race);
    takes("search", "seed", "0");
    takes("search", "goal", "95%");
    takes("search", "strategy", "random");
    assert_true(sweep.search.seed == 0 && sweep.search.goal_frac == 0.95);
    assert_string_equal(sweep.search.strategy, "random");
}

/* What is given of a budget is put in, and the rest stays. */
static void test_budget(void **state) {
    (void)state;
    takes("search", "budget", "10m,500");
    takes("search", "budget", "gpu:30s,7");
    assert_true(sweep.search.budget_s == 600 && sweep.search.budget_points == 7 && sweep.search.budget_gpu_s == 30);
    refuses("search", "budget", "soon", "is no budget");
}

static void test_refused(void **state) {
    (void)state;
    refuses("measure", "cache", "warm", "expected \"cold\", \"hot\" or \"rotating\", got \"warm\"");
    refuses("measure", "timeout", "0s", "0s leaves no time at all");
    refuses("measure", "timeout", "long", "long");
    refuses("measure", "min_samples", "0", "expected a whole number from 1 on, got \"0\"");
    refuses("measure", "min_samples", "1000001", "expected a whole number");
    refuses("search", "seed", "-1", "expected a whole number from 0 on, got \"-1\"");
    refuses("search", "seed", "1.5", "expected a whole number");
    refuses("search", "goal", "0", "expected a share above 0 and at most 1, got \"0\"");
    refuses("search", "goal", "101%", "expected a share above 0 and at most 1, got \"101%\"");
    refuses("search", "goal", "", "expected a share");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts), cmocka_unit_test(test_budget),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
