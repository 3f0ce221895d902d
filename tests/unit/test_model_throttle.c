/* SPDX-License-Identifier: Apache-2.0 */
/* Throttling: which samples are affected, whether to measure again, what is kept, what the user reads. */
#include "model_fixture.h"

#include "base/hash.h"
#include "model/stats/throttle.h"

static const double none[RFT_THROTTLE_COUNT] = {0};

static void shares(void **state) {
    (void)state;
    rft_throttle_counters before = {.time_s = 100.0, .active_s = {5.0, 0.0, NAN, 9.0, 1.0}};
    rft_throttle_counters after = {.time_s = 102.0, .active_s = {5.5, 0.0, NAN, 8.0, 4.0}};
    double share[RFT_THROTTLE_COUNT];
    rft_throttle_share(share, &before, &after);
    assert_true(share[RFT_THROTTLE_POWER_CAP] == 0.25 && share[RFT_THROTTLE_SYNC_BOOST] == 0.0);
    assert_true(isnan(share[RFT_THROTTLE_SW_THERMAL]));  /* not counted */
    assert_true(isnan(share[RFT_THROTTLE_HW_THERMAL]));  /* went back */
    assert_true(share[RFT_THROTTLE_POWER_BRAKE] == 1.0); /* a step of the counter is longer than the time */
    rft_throttle_share(share, &before, &before);
    assert_true(isnan(share[RFT_THROTTLE_POWER_CAP]));
}

static void steady_state(void **state) {
    (void)state;
    rft_throttle_steady steady = {0};
    rft_throttle_steady_add(&steady, 1980.0);
    rft_throttle_steady_add(&steady, NAN);
    rft_throttle_steady_add(&steady, 1200.0); /* a point in trouble */
    assert_true(isnan(rft_throttle_steady_mhz(&steady)));
    rft_throttle_steady_add(&steady, 1980.0);
    assert_true(rft_throttle_steady_mhz(&steady) == 1980.0);
    for (int i = 0; i < 200; i++) { /* a card that warms up takes its steady state along */
        rft_throttle_steady_add(&steady, 1980.0 - i);
    }
    assert_true(near(rft_throttle_steady_mhz(&steady), 1980.0 - 199.0 + 31.5, 1e-12));
}

static void samples_are_tagged(void **state) {
    (void)state;
    double clocks[] = {1980.0, 1975.0, 1880.0, 1882.0, 1500.0, NAN, 1980.0, 1970.0};
    bool tags[8];
    rft_throttle_attempt a = rft_throttle_judge(tags, clocks, 8, 1980.0, none);
    assert_int_equal(a.affected, 2); /* 1880 is 5.05 % below, 1882 is 4.95 % */
    assert_true(tags[2] && tags[4] && !tags[3] && !tags[5] && !tags[0]);
    assert_true(a.affected_frac == 0.25 && a.clock_mhz == 1970.0 && a.reference_mhz == 1980.0);
    assert_int_equal(a.cause, RFT_THROTTLE_COUNT);
    /* before the run has a steady state: against the attempt's own upper quartile */
    a = rft_throttle_judge(tags, clocks, 8, NAN, NULL);
    assert_true(a.affected == 1 && a.reference_mhz == 1975.0 && isnan(a.share[0]));
    /* no clock at all: only the counters can tell */
    double unknown[] = {NAN, NAN, NAN}, hot[RFT_THROTTLE_COUNT] = {0.9, 0.0, 0.2, NAN, 0.0};
    assert_int_equal(rft_throttle_judge(NULL, unknown, 3, 1980.0, none).affected, 0);
    a = rft_throttle_judge(tags, unknown, 3, 1980.0, hot);
    assert_true(a.affected == 3 && tags[0] && tags[2] && isnan(a.clock_mhz));
    assert_int_equal(a.cause, RFT_THROTTLE_POWER_CAP); /* the larger share */
    hot[RFT_THROTTLE_SW_THERMAL] = 0.0;                /* at its power limit a card does what it should */
    assert_int_equal(rft_throttle_judge(NULL, unknown, 3, 1980.0, hot).affected, 0);
    a = rft_throttle_judge(NULL, NULL, 0, 1980.0, none);
    assert_true(a.n == 0 && a.affected_frac == 0.0);
}

static rft_throttle_attempt attempt(double affected_frac, double clock_mhz, rft_throttle_cause cause) {
    rft_throttle_attempt a = {.n = 100,
                              .affected = (size_t)(affected_frac * 100.0 + 0.5),
                              .affected_frac = affected_frac,
                              .clock_mhz = clock_mhz,
                              .reference_mhz = 1980.0,
                              .cause = cause};
    if (cause != RFT_THROTTLE_COUNT) {
        a.share[cause] = 0.5;
    }
    return a;
}

static void clean_points_are_measured_once(void **state) {
    (void)state;
    rft_throttle_case point = {0};
    rft_throttle_attempt a = attempt(0.1, 1980.0, RFT_THROTTLE_COUNT);
    rft_throttle_decision d = rft_throttle_next(&point, &a);
    assert_int_equal(d.verdict, RFT_THROTTLE_CLEAN);
    assert_int_equal(d.best, 0);
    /* a transient: the second attempt is clean and is the one kept */
    point = (rft_throttle_case){0};
    a = attempt(0.6, 1700.0, RFT_THROTTLE_POWER_BRAKE);
    d = rft_throttle_next(&point, &a);
    assert_int_equal(d.verdict, RFT_THROTTLE_AGAIN);
    assert_true(d.wait_s > 0.0);
    a = attempt(0.0, 1980.0, RFT_THROTTLE_COUNT);
    d = rft_throttle_next(&point, &a);
    assert_int_equal(d.verdict, RFT_THROTTLE_CLEAN);
    assert_int_equal(d.best, 1);
}

/* An accelerator at half its clock for good (nvbench issue 231: every sample thrown away, "nan" printed): three more
 * attempts, and then the least affected with all its samples. */
static void gives_up_and_keeps(void **state) {
    (void)state;
    rft_throttle_case point = {0};
    const double fracs[] = {1.0, 0.8, 0.9, 0.95};
    rft_throttle_decision d = {0};
    double waited_s = 0.0;
    for (size_t i = 0; i < 4; i++) {
        rft_throttle_attempt a = attempt(fracs[i], 1000.0 + 10.0 * (double)i, RFT_THROTTLE_HW_THERMAL);
        d = rft_throttle_next(&point, &a);
        assert_int_equal(d.verdict, i < 3 ? RFT_THROTTLE_AGAIN : RFT_THROTTLE_GAVE_UP);
        assert_true(i >= 3 || d.wait_s > waited_s); /* longer each time */
        waited_s = d.wait_s;
    }
    assert_int_equal(d.best, 1);
    assert_int_equal(point.count, 4);
    assert_int_equal(point.attempts[d.best].n, 100);
    char text[RFT_THROTTLE_WORDS_SIZE];
    assert_string_equal(rft_throttle_sentence(&point, &d, text, sizeof text),
                        "80 % of the samples ran more than 5 % below the run's 1980 MHz (temperature, emergency "
                        "slowdown); measured 4 times, the least affected is kept");
}

/* A few of many are neither none nor "0 %". */
static void a_few_samples_are_not_none(void **state) {
    (void)state;
    rft_throttle_attempt a = attempt(0.004, 1980.0, RFT_THROTTLE_COUNT);
    a.affected = 1;
    rft_throttle_case point = {.attempts = {a}, .count = 1};
    char text[RFT_THROTTLE_WORDS_SIZE];
    rft_throttle_decision d = {.verdict = RFT_THROTTLE_CLEAN};
    rft_throttle_sentence(&point, &d, text, sizeof text);
    assert_non_null(strstr(text, "less than 1 % of the samples ran more than 5 % below the run's 1980 MHz"));
}

/* A heavy kernel in a run of light ones draws the power limit's clock again and again: seen after one more attempt. */
static void a_load_of_its_own_clock(void **state) {
    (void)state;
    rft_throttle_case point = {0};
    rft_throttle_attempt a = attempt(1.0, 1605.0, RFT_THROTTLE_POWER_CAP);
    assert_int_equal(rft_throttle_next(&point, &a).verdict, RFT_THROTTLE_AGAIN);
    a.clock_mhz = 1590.0;
    rft_throttle_decision d = rft_throttle_next(&point, &a);
    assert_int_equal(d.verdict, RFT_THROTTLE_ITS_OWN);
    char text[RFT_THROTTLE_WORDS_SIZE];
    assert_non_null(strstr(rft_throttle_sentence(&point, &d, text, sizeof text), "(power limit); 1605 MHz again"));
    /* but not when it is the heat */
    point = (rft_throttle_case){0};
    a = attempt(1.0, 1605.0, RFT_THROTTLE_SW_THERMAL);
    rft_throttle_next(&point, &a);
    assert_int_equal(rft_throttle_next(&point, &a).verdict, RFT_THROTTLE_AGAIN);
    /* nor when the clock is another each time */
    point = (rft_throttle_case){0};
    a = attempt(1.0, 1605.0, RFT_THROTTLE_POWER_CAP);
    rft_throttle_next(&point, &a);
    a.clock_mhz = 1400.0;
    assert_int_equal(rft_throttle_next(&point, &a).verdict, RFT_THROTTLE_AGAIN);
    rft_throttle_case quiet = {0};
    a = attempt(0.0, 1980.0, RFT_THROTTLE_COUNT);
    d = rft_throttle_next(&quiet, &a);
    assert_string_equal(rft_throttle_sentence(&quiet, &d, text, sizeof text), "");
}

/* A run of 300 points on a card that brakes for a while: every point keeps samples, few are measured again, and the
 * steady state is not dragged down. */
static void a_run_with_a_bad_spell(void **state) {
    (void)state;
    uint64_t seed = 9;
    rft_throttle_steady steady = {0};
    int attempts = 0, again = 0, time = 0;
    for (int p = 0; p < 300; p++) {
        rft_throttle_case point = {0};
        rft_throttle_decision d = {.verdict = RFT_THROTTLE_AGAIN};
        while (d.verdict == RFT_THROTTLE_AGAIN) {
            double clocks[20], share[RFT_THROTTLE_COUNT] = {0};
            bool bad = time >= 100 && time < 130;
            time++;
            for (int i = 0; i < 20; i++) {
                clocks[i] = (bad ? 1300.0 : 1980.0) * (1.0 - 0.01 * rft_random_unit(&seed));
            }
            share[RFT_THROTTLE_POWER_BRAKE] = bad ? 1.0 : 0.0;
            rft_throttle_attempt a = rft_throttle_judge(NULL, clocks, 20, rft_throttle_steady_mhz(&steady), share);
            d = rft_throttle_next(&point, &a);
            attempts++;
            again += d.verdict == RFT_THROTTLE_AGAIN;
        }
        assert_true(point.attempts[d.best].n == 20 && point.count <= 4);
        rft_throttle_steady_add(&steady, point.attempts[d.best].clock_mhz);
    }
    assert_true(again > 15 && again < 30 && attempts < 330);
    assert_true(rft_throttle_steady_mhz(&steady) > 1950.0);
}

static void names(void **state) {
    (void)state;
    assert_string_equal(rft_throttle_name(RFT_THROTTLE_POWER_CAP), "power_cap");
    assert_string_equal(rft_throttle_name(RFT_THROTTLE_COUNT), "none");
    for (int i = 0; i <= RFT_THROTTLE_COUNT; i++) {
        assert_true(strlen(rft_throttle_words((rft_throttle_cause)i)) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares),
        cmocka_unit_test(steady_state),
        cmocka_unit_test(samples_are_tagged),
        cmocka_unit_test(clean_points_are_measured_once),
        cmocka_unit_test(gives_up_and_keeps),
        cmocka_unit_test(a_few_samples_are_not_none),
        cmocka_unit_test(a_load_of_its_own_clock),
        cmocka_unit_test(a_run_with_a_bad_spell),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
