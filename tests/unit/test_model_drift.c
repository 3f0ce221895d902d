/* SPDX-License-Identifier: Apache-2.0 */
/* Drift of the reference: how often a steady device is called drifting, how often a drifting one is seen, how much is
 * reported, and what the user reads. */
#include "model_fixture.h"

#include "base/hash.h"
#include "model/stats/drift.h"
#include "unit/noise.h"

enum { MOST = 64 };

typedef struct device {
    noise_shape shape;
    double noise_frac; /* of the medians of the readings */
    double trend_frac; /* from first to last */
    double step_frac;  /* at half of the run */
} device;

static void read_reference(rft_drift_reading *out, size_t n, const device *d, uint64_t *seed) {
    for (size_t i = 0; i < n; i++) {
        double at = n > 1 ? (double)i / (double)(n - 1) : 0.0;
        double level = 1.0 + d->trend_frac * at + (2 * i >= n ? d->step_frac : 0.0);
        out[i] = (rft_drift_reading){.time_s = 12.0 * (double)i,
                                     .median = 3e-4 * level * noise_factor(d->shape, d->noise_frac, seed),
                                     .half_width = NAN};
    }
}

static double found_percent(size_t n, const device *d, int runs, uint64_t *seed) {
    int found = 0;
    for (int e = 0; e < runs; e++) {
        rft_drift_reading readings[MOST];
        read_reference(readings, n, d, seed);
        rft_drift drift = rft_drift_of(readings, n);
        found += rft_drift_found(&drift);
    }
    return found * 100.0 / runs;
}

static void false_alarms(void **state) {
    (void)state;
    static const size_t sizes[] = {5, 10, 20, 50};
    uint64_t seed = 1;
    for (int shape = 0; shape < NOISE_COUNT; shape++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            device steady = {(noise_shape)shape, 0.003, 0.0, 0.0};
            int all = sizes[s] > 20 ? 2000 : 10000, runs = DRAWS(all);
            double percent = found_percent(sizes[s], &steady, runs, &seed);
            print_message("steady, %-11s %2zu readings: called drifting in %.2f %%\n", noise_name((noise_shape)shape),
                          sizes[s], percent);
            assert_true(percent < 5.0 + noise_slack(5.0, runs, all));
        }
    }
}

/* A reading of the reference is a measurement of ten samples or more. Where the samples scatter by 0.3 %, its median
 * scatters by 0.12 %. Where the medians themselves scatter by 0.3 %, no test can see a trend of 1 % over ten readings
 * in 95 % of runs at 5 % false alarms: even with the noise known beforehand it is 92 %. */
static void power(void **state) {
    (void)state;
    static const struct {
        const char *what;
        device d;
        size_t n;
        double least;
    } cases[] = {
        {"trend of 1 %, samples of 0.3 %, 10 readings", {NOISE_NORMAL, 0.0012, 0.01, 0.0}, 10, 95.0},
        {"step of 1 %, samples of 0.3 %, 10 readings", {NOISE_NORMAL, 0.0012, 0.0, 0.01}, 10, 95.0},
        {"trend of 1 %, the same with heavy tails", {NOISE_HEAVY, 0.0012, 0.01, 0.0}, 10, 95.0},
        {"step of 1 %, medians of 0.3 %, 10 readings", {NOISE_NORMAL, 0.003, 0.0, 0.01}, 10, 80.0},
        {"trend of 1 %, medians of 0.3 %, 10 readings", {NOISE_NORMAL, 0.003, 0.01, 0.0}, 10, 60.0},
        {"trend of 1 %, medians of 0.3 %, 20 readings", {NOISE_NORMAL, 0.003, 0.01, 0.0}, 20, 90.0},
        {"trend of -1 %, medians of 0.3 %, 30 readings", {NOISE_NORMAL, 0.003, -0.01, 0.0}, 30, 95.0},
        {"step of 1 %, medians of 0.3 %, 20 readings", {NOISE_NORMAL, 0.003, 0.0, 0.01}, 20, 95.0},
    };
    uint64_t seed = 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double percent = found_percent(cases[i].n, &cases[i].d, 2000, &seed);
        print_message("%-46s seen in %.1f %%\n", cases[i].what, percent);
        assert_true(percent >= cases[i].least);
    }
}

static void kind_and_amount(void **state) {
    (void)state;
    uint64_t seed = 3;
    int right[2] = {0};
    double amount[2] = {0.0}, widen[2] = {0.0};
    for (int which = 0; which < 2; which++) {
        device d = {NOISE_NORMAL, 0.001, which == 0 ? 0.02 : 0.0, which == 1 ? 0.02 : 0.0};
        for (int e = 0; e < 500; e++) {
            rft_drift_reading readings[MOST];
            read_reference(readings, 12, &d, &seed);
            rft_drift drift = rft_drift_of(readings, 12);
            right[which] += drift.kind == (which == 0 ? RFT_DRIFT_TREND : RFT_DRIFT_STEP);
            amount[which] += drift.amount_frac / 500.0;
            widen[which] += drift.widen_frac / 500.0;
            assert_true(drift.p > 0.0 && drift.p <= RFT_DRIFT_LEVEL);
            assert_true(near(drift.span_s, 132.0, 1e-9));
        }
        print_message("%s of 2 %%: told right in %.0f %%, %.2f %% on average, widened by %.2f %%\n",
                      which == 0 ? "trend" : "step", right[which] / 5.0, amount[which] * 100.0, widen[which] * 100.0);
        assert_true(right[which] >= 475);
        assert_true(near(amount[which], 0.02, 0.05));
        assert_true(widen[which] >= 0.010 && widen[which] < 0.014); /* half of it, and the noise between readings */
    }
}

static void wandering(void **state) {
    (void)state;
    uint64_t seed = 4;
    int found = 0, wander = 0;
    for (int e = 0; e < 200; e++) {
        rft_drift_reading readings[MOST];
        for (size_t i = 0; i < 40; i++) {
            double wave = 0.01 * sin((double)i / 40.0 * 3.0 * 6.283185307179586);
            readings[i] = (rft_drift_reading){NAN, 1.0 + wave + 0.002 * noise_normal(&seed), NAN};
        }
        rft_drift drift = rft_drift_of(readings, 40);
        found += rft_drift_found(&drift);
        wander += drift.kind == RFT_DRIFT_WANDER && drift.amount_frac > 0.015 && drift.amount_frac < 0.03;
        assert_true(isnan(drift.span_s));
    }
    assert_true(found >= 195 && wander >= 190);
}

/* Widened by the drift and by the scatter between readings that single intervals do not show, and by nothing else. */
static void widening(void **state) {
    (void)state;
    uint64_t seed = 5;
    rft_drift_reading readings[MOST];
    device steady = {NOISE_NORMAL, 0.004, 0.0, 0.0};
    read_reference(readings, 40, &steady, &seed);
    for (size_t i = 0; i < 40; i++) {
        readings[i].half_width = 1.96 * 0.008 * 3e-4; /* the readings say so themselves */
    }
    rft_drift honest = rft_drift_of(readings, 40);
    assert_int_equal(honest.kind, RFT_DRIFT_NONE);
    assert_true(honest.widen_frac == 0.0 && near(honest.noise_frac, 0.004, 0.4));
    for (size_t i = 0; i < 40; i++) {
        readings[i].half_width = 1.96 * 0.0005 * 3e-4; /* they claim to be sharper than they repeat */
    }
    rft_drift sharp = rft_drift_of(readings, 40);
    assert_true(near(sharp.widen_frac, 1.96 * 0.004, 0.4));
    rft_stats stats = {.median = 2.0, .low = 1.9, .high = 2.2};
    rft_stats wide = rft_drift_widened(&stats, 0.01);
    assert_true(near(wide.low, 1.88, 1e-12) && near(wide.high, 2.22, 1e-12) && wide.median == 2.0);
    wide = rft_drift_widened(&stats, NAN);
    assert_true(wide.low == 1.9 && wide.high == 2.2);
}

static void too_little(void **state) {
    (void)state;
    rft_drift_reading readings[6] = {{0, 1, NAN}, {1, 2, NAN}, {2, NAN, NAN}, {3, 3, NAN}, {4, 4, NAN}, {5, 0.0, NAN}};
    rft_drift drift = rft_drift_of(readings, 6); /* four that count */
    assert_int_equal(drift.kind, RFT_DRIFT_UNKNOWN);
    assert_true(drift.n == 4 && isnan(drift.p) && isnan(drift.amount_frac) && isnan(drift.widen_frac));
    assert_int_equal(rft_drift_of(NULL, 0).kind, RFT_DRIFT_UNKNOWN);
    readings[2].median = 2.5;
    drift = rft_drift_of(readings, 6); /* five, each slower than the one before: 2 of 120 orders are as straight */
    assert_int_equal(drift.kind, RFT_DRIFT_TREND);
    assert_true(drift.p < RFT_DRIFT_LEVEL && near(drift.p, 2.0 / 120.0, 0.6));
    /* significant, but too little to matter to anybody */
    double samples[30];
    for (size_t i = 0; i < 30; i++) {
        samples[i] = 1.0 + 1e-5 * (double)i;
    }
    drift = rft_drift_of_samples(samples, 30);
    assert_int_equal(drift.kind, RFT_DRIFT_NONE);
    assert_true(drift.p < 0.01 && drift.amount_frac == 0.0);
}

static void words(void **state) {
    (void)state;
    char text[RFT_DRIFT_WORDS_SIZE];
    rft_drift drift = {.kind = RFT_DRIFT_TREND,
                       .n = 12,
                       .p = 0.001,
                       .amount_frac = 0.011,
                       .span_s = 2280.0,
                       .step_s = NAN,
                       .noise_frac = 0.002,
                       .widen_frac = 0.0062};
    assert_string_equal(rft_drift_words(&drift, text, sizeof text),
                        "the reference became 1.1 % slower over 38 min (12 readings), so intervals are 0.6 % wider on "
                        "each side when runs are compared");
    drift.kind = RFT_DRIFT_STEP;
    drift.amount_frac = -0.02;
    drift.step_s = 90.0;
    assert_non_null(strstr(rft_drift_words(&drift, text, sizeof text), "became 2.0 % faster at once, "));
    assert_non_null(strstr(text, " into the run (12 readings)"));
    drift.kind = RFT_DRIFT_WANDER;
    assert_non_null(strstr(rft_drift_words(&drift, text, sizeof text), "wandered over 2.0 % within 38 min"));
    drift.kind = RFT_DRIFT_NONE;
    drift.widen_frac = 0.0;
    assert_string_equal(rft_drift_words(&drift, text, sizeof text),
                        "no drift: 12 readings of the reference over 38 min scatter by 0.2 %");
    drift = rft_drift_of(NULL, 0);
    assert_string_equal(rft_drift_words(&drift, text, sizeof text),
                        "whether the device drifted is not known: 0 readings of the reference, 5 are needed");
    for (int i = 0; i < RFT_DRIFT_COUNT; i++) {
        assert_true(strlen(rft_drift_kind_name((rft_drift_kind)i)) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(false_alarms), cmocka_unit_test(power),    cmocka_unit_test(kind_and_amount),
        cmocka_unit_test(wandering),    cmocka_unit_test(widening), cmocka_unit_test(too_little),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
