/* SPDX-License-Identifier: Apache-2.0 */
/* Quartiles, the interval of the median and its coverage, ties, and the stopping rule. */
#include "model_fixture.h"

#include "base/hash.h"
#include "model/stats/stats.h"

#include <stdio.h>
#include <stdlib.h>

static void quartiles_are_type_7(void **state) {
    (void)state;
    double samples[] = {4.0, 1.0, 3.0, 2.0};
    rft_stats stats = rft_stats_of(samples, 4);
    assert_true(stats.min == 1.0 && stats.max == 4.0 && stats.mean == 2.5);
    assert_true(stats.q1 == 1.75 && stats.median == 2.5 && stats.q3 == 3.25);
    assert_true(near(stats.iqr_frac, 0.6, 1e-12));
    assert_false(stats.interval_is_95);
    assert_true(stats.low == 1.0 && stats.high == 4.0);
    assert_true(samples[0] == 4.0); /* untouched */
}

static void nothing_and_one(void **state) {
    (void)state;
    rft_stats none = rft_stats_of(NULL, 0);
    assert_true(none.n == 0 && isnan(none.median) && isnan(none.low) && isnan(none.iqr_frac));
    double one = 3.0;
    rft_stats single = rft_stats_of(&one, 1);
    assert_true(single.median == 3.0 && single.low == 3.0 && single.high == 3.0 && single.q3 == 3.0);
    assert_true(rft_stats_half_width_frac(&single) == 0.0);
    assert_false(single.interval_is_95);
}

/* Ranks from the tables of the binomial distribution: n -> the 1-based rank of the lower end. */
static void interval_ranks(void **state) {
    (void)state;
    const struct {
        size_t n, rank;
    } known[] = {{6, 1}, {8, 1}, {9, 2}, {10, 2}, {15, 4}, {20, 6}, {25, 8}, {50, 18}, {100, 40}};
    double samples[100];
    for (size_t i = 0; i < 100; i++) {
        samples[i] = (double)(i + 1);
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        rft_stats stats = rft_stats_of(samples, known[i].n);
        assert_true(stats.interval_is_95);
        assert_true(stats.low == (double)known[i].rank);
        assert_true(stats.high == (double)(known[i].n + 1 - known[i].rank));
    }
    double *many = rft_calloc(5000, sizeof *many); /* 2^-5000 is no double */
    for (size_t i = 0; i < 5000; i++) {
        many[i] = (double)(i + 1);
    }
    rft_stats stats = rft_stats_of(many, 5000);
    assert_true(fabs(stats.low - (2500.0 - 1.96 * 0.5 * sqrt(5000.0))) < 2.0);
    free(many);
}

static double normal(uint64_t *seed) {
    return sqrt(-2.0 * log(1.0 - rft_random_unit(seed))) * cos(6.283185307179586 * rft_random_unit(seed));
}

static double draw(int shape, uint64_t *seed) {
    switch (shape) {
    case 0:
        return 10.0 + normal(seed); /* median 10 */
    case 1:
        return 10.0 - log(2.0) - log(1.0 - rft_random_unit(seed)); /* exponential */
    case 2:
        return 9.0 + exp(normal(seed)); /* log-normal: the long tail of timings */
    default:
        return 10.0 + (rft_random_unit(seed) < 0.5 ? -1.0 : 1.0) * (0.01 + rft_random_unit(seed)); /* two clocks */
    }
}

/* The share of experiments whose interval holds the true median. The binomial argument promises >= 95 % for every
 * continuous distribution; 10,000 experiments see that within about 0.5 %. */
static void interval_covers(void **state) {
    (void)state;
    const char *shapes[] = {"normal", "exponential", "log-normal", "two clocks"};
    const size_t sizes[] = {6, 10, 15, 30, 60, 100};
    uint64_t seed = 20261121;
    for (int shape = 0; shape < 4; shape++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int covered = 0;
            for (int experiment = 0; experiment < 10000; experiment++) {
                double samples[100];
                for (size_t i = 0; i < sizes[s]; i++) {
                    samples[i] = draw(shape, &seed);
                }
                rft_stats stats = rft_stats_of(samples, sizes[s]);
                covered += stats.low <= 10.0 && 10.0 <= stats.high;
            }
            print_message("coverage %-11s n=%-3zu %.2f %%\n", shapes[shape], sizes[s], covered / 100.0);
            assert_true(covered >= 9300);
            assert_true(covered <= 9950); /* and it is not merely [min, max] of everything */
        }
    }
}

static void ties(void **state) {
    (void)state;
    rft_stats a = {.median = 1.0, .low = 0.999, .high = 1.001}, b = {.median = 1.01, .low = 1.009, .high = 1.011};
    rft_stats close = {.median = 1.004, .low = 1.0039, .high = 1.0041};
    rft_stats wide = {.median = 1.1, .low = 1.0, .high = 1.2}, none = rft_stats_of(NULL, 0);
    assert_false(rft_stats_tie(&a, &b));
    assert_true(rft_stats_tie(&a, &close));
    assert_true(rft_stats_tie(&a, &wide) && rft_stats_tie(&wide, &a));
    assert_false(rft_stats_tie(&a, &none));
}

static const rft_stop_rule rule = {.min_samples = 10, .max_samples = 100, .noise_frac = 0.005, .max_seconds = 0.25};

static void settles(void **state) {
    (void)state;
    double samples[100];
    uint64_t seed = 1;
    for (size_t i = 0; i < 100; i++) {
        samples[i] = 1e-3 * (1.0 + 0.0005 * normal(&seed));
    }
    assert_int_equal(rft_stop_decide(&rule, samples, 9, 0.01), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&rule, samples, 10, 0.01), RFT_STOP_SETTLED);
    rft_stop_rule few = rule;
    few.min_samples = 3; /* with under 6 samples there is no 95 % interval to be narrow */
    assert_int_equal(rft_stop_decide(&few, samples, 5, 0.01), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&few, samples, 7, 0.01), RFT_STOP_NOT_YET); /* narrow at 6 and 7 only */
    assert_int_equal(rft_stop_decide(&few, samples, 8, 0.01), RFT_STOP_SETTLED);
}

/* A demand for GPU time: neither a narrow interval nor max_samples ends it sooner; the race and the clock do. */
static void takes_the_time_asked_for(void **state) {
    (void)state;
    double samples[100];
    for (size_t i = 0; i < 100; i++) {
        samples[i] = 1e-3;
    }
    rft_stop_rule full = rule;
    full.min_seconds = 0.0495;
    assert_int_equal(rft_stop_decide(&full, samples, 49, 0.05), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&full, samples, 50, 0.05), RFT_STOP_SETTLED);
    full.max_samples = 20;
    assert_int_equal(rft_stop_decide(&full, samples, 49, 0.05), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&full, samples, 49, 0.494), RFT_STOP_NOT_YET); /* max_seconds 0.25 gives way */
    assert_int_equal(rft_stop_decide(&full, samples, 49, 0.496), RFT_STOP_TIME);
    full.rival_s = 0.5e-3;
    assert_int_equal(rft_stop_decide(&full, samples, 5, 0.01), RFT_STOP_SLOWER);
}

/* Samples that never come within 0.5 %: the rule gives up once more samples stop helping, before the cap. */
static void noise_ends_in_a_plateau(void **state) {
    (void)state;
    int plateaus = 0, capped = 0;
    for (uint64_t experiment = 0; experiment < 200; experiment++) {
        double samples[400];
        uint64_t seed = experiment;
        rft_stop_rule patient = rule;
        patient.max_samples = 400;
        rft_stop_reason reason = RFT_STOP_NOT_YET;
        size_t n = 0;
        while (reason == RFT_STOP_NOT_YET) {
            samples[n] = 1e-5 * (1.0 + 0.2 * rft_random_unit(&seed) + (n % 2 ? 0.3 : 0.0));
            n++;
            reason = rft_stop_decide(&patient, samples, n, 0.0);
        }
        plateaus += reason == RFT_STOP_PLATEAU;
        capped += reason == RFT_STOP_SAMPLES;
        assert_true(n >= 20); /* 16 readings, the first over 5 samples */
    }
    print_message("noisy timings: %d of 200 end in a plateau, %d at the cap\n", plateaus, capped);
    assert_true(plateaus > 180);
}

/* Stopping when the interval looks narrow favours samples that look narrow: the interval that is reported covers less
 * than one of a fixed n. docs/measuring.md quotes this figure. */
static void coverage_after_stopping(void **state) {
    (void)state;
    uint64_t seed = 7;
    const double spreads[] = {0.002, 0.01, 0.03};
    for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
        int covered = 0, samples_used = 0;
        for (int experiment = 0; experiment < 2000; experiment++) {
            double samples[100];
            size_t n = 0;
            do {
                samples[n++] = 1.0 + spreads[s] * normal(&seed);
            } while (rft_stop_decide(&rule, samples, n, 0.0) == RFT_STOP_NOT_YET);
            rft_stats stats = rft_stats_of(samples, n);
            covered += stats.low <= 1.0 && 1.0 <= stats.high;
            samples_used += (int)n;
        }
        print_message("coverage after stopping, spread %.1f %%: %.1f %%, %.0f samples\n", 100.0 * spreads[s],
                      covered / 20.0, samples_used / 2000.0);
        assert_true(covered >= 2000 * 88 / 100);
    }
}

static void caps(void **state) {
    (void)state;
    double samples[100];
    for (size_t i = 0; i < 100; i++) {
        samples[i] = (double)(i * i + 1); /* only ever noisier */
    }
    rft_stop_rule short_rule = rule;
    short_rule.max_samples = 15; /* before a plateau can be seen */
    assert_int_equal(rft_stop_decide(&short_rule, samples, 14, 0.1), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&short_rule, samples, 15, 0.1), RFT_STOP_SAMPLES);
    assert_int_equal(rft_stop_decide(&rule, samples, 12, 0.24), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&rule, samples, 12, 0.25), RFT_STOP_TIME);
    assert_int_equal(rft_stop_decide(&rule, samples, 9, 0.5), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&rule, samples, 9, 1.0), RFT_STOP_TIME);
    assert_int_equal(rft_stop_decide(&rule, samples, 0, 9.0), RFT_STOP_NOT_YET);
    rft_stop_rule few = rule;
    few.min_samples = 2;
    assert_int_equal(rft_stop_decide(&few, samples, 4, 0.3), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&few, samples, 5, 0.3), RFT_STOP_TIME);
}

/* Who is more than 10 % slower than the best so far, in every sample, stops at five: also with a higher min_samples,
 * and also when it has settled or its time is over. */
static void the_race(void **state) {
    (void)state;
    double samples[20];
    for (size_t i = 0; i < 20; i++) {
        samples[i] = 1.2e-3;
    }
    rft_stop_rule race = rule;
    race.rival_s = 1e-3;
    assert_int_equal(rft_stop_decide(&race, samples, 4, 0.01), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&race, samples, 5, 0.01), RFT_STOP_SLOWER);
    assert_int_equal(rft_stop_decide(&race, samples, 10, 9.0), RFT_STOP_SLOWER);
    assert_int_equal(rft_stop_decide(&rule, samples, 5, 0.01), RFT_STOP_NOT_YET); /* nothing to race against */
    samples[2] = 1.0999e-3; /* one sample within reach: it stays in */
    assert_int_equal(rft_stop_decide(&race, samples, 5, 0.01), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&race, samples, 9, 0.01), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&race, samples, 10, 0.01), RFT_STOP_SLOWER); /* narrow, but of 8 it was not */
    assert_int_equal(rft_stop_decide(&race, samples, 11, 0.01), RFT_STOP_SETTLED);
    assert_int_equal(rft_stop_decide(&rule, samples, 10, 0.01), RFT_STOP_NOT_YET);
    samples[2] = 1.2e-3;
    race.rival_s = 1.2e-3 / (1.0 + RFT_RACE_MARGIN_FRAC) * 1.0001; /* all within 10 % */
    assert_int_equal(rft_stop_decide(&race, samples, 5, 0.01), RFT_STOP_NOT_YET);
    race.rival_s = 2e-3; /* the new best */
    assert_int_equal(rft_stop_decide(&race, samples, 5, 0.01), RFT_STOP_NOT_YET);
    race.rival_s = 1e-3;
    for (size_t i = 0; i < 20; i++) { /* close behind, and not settled: its interval cannot reach the best any more */
        samples[i] = i % 2 ? 1.05e-3 : 1.08e-3;
    }
    assert_int_equal(rft_stop_decide(&race, samples, 9, 0.01), RFT_STOP_NOT_YET);
    assert_int_equal(rft_stop_decide(&race, samples, 10, 0.01), RFT_STOP_SLOWER);
    race.rival_s = 1.045e-3; /* less than 1 % above: it may still be a tie */
    assert_int_equal(rft_stop_decide(&race, samples, 10, 0.01), RFT_STOP_NOT_YET);
    race.max_samples = 4; /* the cap comes first */
    assert_int_equal(rft_stop_decide(&race, samples, 4, 0.01), RFT_STOP_SAMPLES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quartiles_are_type_7),
        cmocka_unit_test(nothing_and_one),
        cmocka_unit_test(interval_ranks),
        cmocka_unit_test(interval_covers),
        cmocka_unit_test(ties),
        cmocka_unit_test(settles),
        cmocka_unit_test(takes_the_time_asked_for),
        cmocka_unit_test(noise_ends_in_a_plateau),
        cmocka_unit_test(coverage_after_stopping),
        cmocka_unit_test(caps),
        cmocka_unit_test(the_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
