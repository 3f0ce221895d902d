/* SPDX-License-Identifier: Apache-2.0 */
/* What the interval of the median is worth, over 10,000 synthetic experiments a case: of fixed size, and under the real
 * stopping rule, whose looking lowers it. Prints its figures; docs/statistics.md quotes them. */
#include "model_fixture.h"

#include "base/hash.h"
#include "model/stats/drift.h"
#include "model/stats/stats.h"
#include "unit/noise.h"

enum { EXPERIMENTS = DRAWS(10000), MOST_SAMPLES = 100 };

static const rft_stop_rule rule = {
    .min_samples = 10, .max_samples = MOST_SAMPLES, .noise_frac = 0.005, .max_seconds = 0.25};

static bool covers(const rft_stats *stats, double truth) {
    return stats->low <= truth && truth <= stats->high;
}

static void fixed_sizes(void **state) {
    (void)state;
    static const size_t sizes[] = {6, 7, 10, 15, 30, 100};
    uint64_t seed = 20261121;
    double worst = 100.0;
    for (int shape = 0; shape < NOISE_COUNT; shape++) {
        double truth = noise_median((noise_shape)shape, 0.01);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int covered = 0;
            for (int e = 0; e < EXPERIMENTS; e++) {
                double samples[MOST_SAMPLES];
                for (size_t i = 0; i < sizes[s]; i++) {
                    samples[i] = noise_factor((noise_shape)shape, 0.01, &seed);
                }
                rft_stats stats = rft_stats_of(samples, sizes[s]);
                covered += covers(&stats, truth);
            }
            double percent = covered * 100.0 / EXPERIMENTS;
            print_message("coverage %-11s n = %-3zu %.2f %%\n", noise_name((noise_shape)shape), sizes[s], percent);
            worst = fmin(worst, percent);
        }
    }
    print_message("the least of them: %.2f %%\n", worst);
    assert_true(worst >= 93.0);
}

/* ---- under the stopping rule ---- */
typedef struct stopped {
    double samples[MOST_SAMPLES];
    size_t n;
    rft_stop_reason reason;
} stopped;

/* As harness/measure/timing.c: a look after every sample. */
static stopped run_rule(size_t least, noise_shape shape, double spread_frac, uint64_t *seed) {
    rft_stop_rule looked = rule;
    stopped out = {.n = 0, .reason = RFT_STOP_NOT_YET};
    looked.few.least = least;
    while (out.reason == RFT_STOP_NOT_YET) {
        out.samples[out.n++] = noise_factor(shape, spread_frac, seed);
        out.reason = rft_stop_decide(&looked, out.samples, out.n, 0.0);
    }
    return out;
}

typedef struct tally {
    double covered, settled; /* per cent */
    double samples, half_width_percent;
} tally;

static tally repeat(size_t least, noise_shape shape, double spread_frac, int experiments) {
    tally out = {0};
    double truth = noise_median(shape, spread_frac), each = 1.0 / experiments;
    uint64_t seed = 4;
    for (int e = 0; e < experiments; e++) {
        stopped run = run_rule(least, shape, spread_frac, &seed);
        rft_stats stats = rft_stats_of(run.samples, run.n);
        out.covered += covers(&stats, truth) * 100.0 * each;
        out.settled += (run.reason == RFT_STOP_SETTLED) * 100.0 * each;
        out.samples += (double)run.n * each;
        out.half_width_percent += rft_stats_half_width_frac(&stats) * 100.0 * each;
    }
    return out;
}

static void under_the_stopping_rule(void **state) {
    (void)state;
    static const double spreads[] = {0.002, 0.005, 0.01, 0.03}; /* the last is slow to tell: fewer experiments */
    double worst = 100.0;
    for (int shape = 0; shape < NOISE_COUNT; shape++) {
        for (size_t c = 0; c < sizeof spreads / sizeof *spreads; c++) {
            tally t = repeat(0, (noise_shape)shape, spreads[c], spreads[c] < 0.02 ? EXPERIMENTS : EXPERIMENTS / 5);
            print_message("stopped %-11s %.1f %%: covered %5.2f %%, %4.1f samples, +-%.2f %%, %3.0f %% settled\n",
                          noise_name((noise_shape)shape), spreads[c] * 100.0, t.covered, t.samples,
                          t.half_width_percent, t.settled);
            worst = fmin(worst, t.covered);
            if (shape == NOISE_NORMAL && spreads[c] <= 0.002) {
                assert_true(t.samples < 10.1); /* a quiet kernel takes no more than it must */
            }
        }
    }
    print_message("under the stopping rule: at worst %.2f %% of %d experiments a case\n", worst, EXPERIMENTS);
    assert_true(worst >= 93.0);
}

/* Where samples lie close together the race lets fewer settle a point. */
static void in_quiet_sweeps(void **state) {
    (void)state;
    for (int shape = 0; shape < NOISE_COUNT; shape++) {
        tally t = repeat(RFT_RACE_LEAST, (noise_shape)shape, 0.002, EXPERIMENTS);
        print_message("quiet   %-11s 0.2 %%: covered %5.2f %%, %4.1f samples\n", noise_name((noise_shape)shape),
                      t.covered, t.samples);
        assert_true(t.covered >= 94.0);
        assert_true(shape != NOISE_NORMAL || t.samples < 8.1);
    }
}

/* ---- what is not independent, and the edges ---- */
static void dependence_is_flagged(void **state) {
    (void)state;
    uint64_t seed = 11;
    int flagged[4] = {0}, covered[4] = {0};
    static const char *const names[] = {"independent", "slow drift of 2 %", "step of 1 %", "clock that stays a while"};
    enum { RUNS = 400, N = 40 };
    for (int kind = 0; kind < 4; kind++) {
        for (int e = 0; e < RUNS; e++) {
            double samples[N], level = 0.01;
            for (size_t i = 0; i < N; i++) {
                level = rft_random_unit(&seed) < 0.1 ? -level : level;
                double moved = kind == 1 ? 0.02 * (double)i / N : kind == 2 ? (i < N / 2 ? 0.0 : 0.01) : 0.0;
                samples[i] = 1.0 + moved + (kind == 3 ? level : 0.0) + 0.003 * noise_normal(&seed);
            }
            rft_drift drift = rft_drift_of_samples(samples, N);
            rft_stats stats = rft_stats_of(samples, N);
            flagged[kind] += rft_drift_found(&drift);
            covered[kind] += covers(&stats, 1.0);
        }
        print_message("%-24s flagged in %5.1f %%; interval holds the first level in %5.1f %%\n", names[kind],
                      flagged[kind] * 100.0 / RUNS, covered[kind] * 100.0 / RUNS);
    }
    assert_true(flagged[0] <= RUNS * 6 / 100); /* 4 % meant */
    assert_true(flagged[1] >= RUNS * 99 / 100 && flagged[2] >= RUNS * 99 / 100);
    assert_true(flagged[3] >= RUNS * 70 / 100);
    assert_true(covered[1] < RUNS / 2 && covered[2] < RUNS / 2); /* so it must be said */
}

/* Ten thousand samples of one short kernel, and thousands of readings of a long run: by medians of neighbours and by
 * the incomplete method, with the same answers. */
static void long_series(void **state) {
    (void)state;
    enum { N = 10000, RUNS = 60 };
    static double samples[N];
    static rft_drift_reading readings[N];
    uint64_t seed = 12;
    int flagged = 0;
    for (int e = 0; e < RUNS; e++) {
        for (size_t i = 0; i < N; i++) {
            samples[i] = 1.0 + 0.01 * noise_normal(&seed);
        }
        rft_drift none = rft_drift_of_samples(samples, N);
        flagged += rft_drift_found(&none);
    }
    assert_true(flagged <= RUNS / 8); /* 4 % meant */
    for (size_t i = 0; i < N; i++) {
        samples[i] += 0.02 * (double)i / N;
        readings[i] = (rft_drift_reading){.time_s = (double)i, .median = samples[i], .half_width = NAN};
    }
    rft_drift trend = rft_drift_of_samples(samples, N), run = rft_drift_of(readings, N);
    assert_int_equal(trend.kind, RFT_DRIFT_TREND);
    assert_int_equal(run.kind, RFT_DRIFT_TREND);
    assert_int_equal(trend.n, N);
    assert_float_equal(trend.amount_frac, 0.02, 0.001);
    assert_float_equal(run.amount_frac, 0.02, 0.001);
}

static void edges(void **state) {
    (void)state;
    double same[20], one = 2.5;
    for (size_t i = 0; i < 20; i++) {
        same[i] = 1e-4;
    }
    rft_stats stats = rft_stats_of(same, 20);
    assert_true(stats.low == 1e-4 && stats.high == 1e-4 && stats.iqr_frac == 0.0 && stats.interval_is_95);
    assert_int_equal(rft_stop_decide(&rule, same, 9, 0.0), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&rule, same, 10, 0.0), RFT_STOP_SETTLED);
    rft_drift drift = rft_drift_of_samples(same, 20);
    assert_int_equal(drift.kind, RFT_DRIFT_NONE);
    assert_true(drift.p == 1.0 && drift.noise_frac == 0.0 && drift.widen_frac == 0.0);
    stats = rft_stats_of(&one, 1);
    assert_true(stats.low == 2.5 && stats.high == 2.5 && !stats.interval_is_95); /* marked: not an interval */
    assert_int_equal(rft_stop_decide(&rule, &one, 1, 0.0), RFT_STOP_NOT_YET);
    drift = rft_drift_of_samples(&one, 1);
    assert_int_equal(drift.kind, RFT_DRIFT_UNKNOWN);
    /* Two clocks 4 % apart: the rule must not settle on one of them as if it were sure. */
    uint64_t seed = 5;
    int narrow = 0;
    for (int e = 0; e < 1000; e++) {
        stopped run = run_rule(0, NOISE_CLOCKS, 0.001, &seed);
        rft_stats two = rft_stats_of(run.samples, run.n);
        narrow += !covers(&two, 1.0);
    }
    print_message("two clocks 4 %% apart: the interval misses the middle in %.1f %%\n", narrow / 10.0);
    assert_true(narrow <= 70);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_sizes),     cmocka_unit_test(under_the_stopping_rule),
        cmocka_unit_test(in_quiet_sweeps), cmocka_unit_test(dependence_is_flagged),
        cmocka_unit_test(long_series),     cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
