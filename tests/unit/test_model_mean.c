/* SPDX-License-Identifier: Apache-2.0 */
/* The interval of a mean over the problems of two runs (error_sum.h, compare_rule.h): by hand, and in trials with what
 * problems share planted. Prints its figures; docs/statistics.md quotes them. */
#include "model_fixture.h"

#include "model/compare/compare_rule.h"
#include "model/stats/repeat.h"
#include "noise.h"

#include <stdio.h>

enum { PROBLEMS = 20, PROCESSES = 6, TRIALS = DRAWS_LEAST(8000, 1000) };

static double half_of(const double *halves, const double *commons, size_t count) {
    rft_error_sum sum = {0};
    for (size_t i = 0; i < count; i++) {
        rft_error_sum_add(&sum, halves[i], commons[i]);
    }
    return rft_error_sum_half(&sum);
}

static void halves_by_hand(void **state) {
    (void)state;
    const double one[] = {3.0, 1.0, 1.0, 1.0}, none[] = {0.0, 0.0, 0.0, 0.0};
    assert_true(near(half_of(one, none, 1), 3.0, 1e-12));
    assert_true(near(half_of(one, one, 1), 3.0, 1e-12)); /* of one problem it is its own, however it is made up */
    const double some[] = {2.0};
    assert_true(near(half_of(one, some, 1), 3.0, 1e-12));
    assert_true(near(half_of(one, one, 4), 6.0, 1e-12)); /* what all share adds up as it is */
    assert_true(near(half_of(one + 1, none, 3), sqrt(0.85 * 3 + 0.15 * 9), 1e-12));
    const double nan[] = {NAN, 1.0};
    assert_true(isnan(half_of(nan, none, 2)));
}

static rft_compare_ratio ratio_about(double ratio, double half) {
    return (rft_compare_ratio){ratio, ratio * exp(-half), ratio * exp(half), true, 0.0};
}

static rft_compare_ratio mean_of(const rft_compare_ratio *ratios, size_t count, bool additive) {
    rft_compare_mean mean = {.additive = additive};
    for (size_t i = 0; i < count; i++) {
        rft_compare_mean_add(&mean, &ratios[i], i == 0 ? 1.0 : 3.0);
    }
    return rft_compare_mean_of(&mean);
}

static void a_mean_says_what_it_is(void **state) {
    (void)state;
    rft_compare_ratio ratios[] = {ratio_about(2.0, 0.02), ratio_about(1.0, 0.02)};
    rft_compare_ratio mean = mean_of(ratios, 2, false);
    assert_true(near(mean.ratio, pow(2.0, 0.25), 1e-12));
    double half = 0.02 * sqrt(0.85 * (1.0 + 9.0) + 0.15 * 16.0) / 4.0;
    assert_true(near(log(mean.high / mean.ratio), half, 1e-9) && near(log(mean.ratio / mean.low), half, 1e-9));
    assert_int_equal(rft_compare_mean_verdict(&mean), RFT_COMPARE_FASTER);
    mean = mean_of(ratios, 2, true);
    assert_true(near(mean.ratio, 1.25, 1e-12) && mean.low < 1.25 && mean.high > 1.25);
    ratios[1].interval = false; /* one without an interval: the mean has none */
    mean = mean_of(ratios, 2, false);
    assert_false(mean.interval);
    assert_true(isnan(mean.low));
    assert_int_equal(rft_compare_mean_verdict(&mean), RFT_COMPARE_AMBIGUOUS);
    mean = mean_of(ratios, 0, false);
    assert_int_equal(rft_compare_mean_verdict(&mean), RFT_COMPARE_NONE);
    ratios[0] = ratio_about(1.01, 0.02);
    mean = mean_of(ratios, 1, false); /* holds 1 */
    assert_int_equal(rft_compare_mean_verdict(&mean), RFT_COMPARE_AMBIGUOUS);
    ratios[0] = ratio_about(1.001, 0.003); /* holds 1, but nothing beyond 1 % of it */
    mean = mean_of(ratios, 1, false);
    assert_int_equal(rft_compare_mean_verdict(&mean), RFT_COMPARE_SAME);
    ratios[0] = ratio_about(0.97, 0.01);
    mean = mean_of(ratios, 1, false);
    assert_int_equal(rft_compare_mean_verdict(&mean), RFT_COMPARE_SLOWER);
}

/* Times of a run's problems from processes that they share: `shared` of the variance is the process', for all alike. */
static void run_of(double shared, rft_repeat *out, uint64_t *seed) {
    double medians[PROBLEMS][PROCESSES], luck[PROCESSES];
    rft_repeat_item items[PROBLEMS];
    for (size_t p = 0; p < PROCESSES; p++) {
        luck[p] = noise_normal(seed);
    }
    for (size_t k = 0; k < PROBLEMS; k++) {
        double sd = 0.02 / (double)(k + 1); /* as short kernels differ more */
        for (size_t p = 0; p < PROCESSES; p++) {
            medians[k][p] =
                5e-6 * (double)(k + 1) * exp(sd * (sqrt(shared) * luck[p] + sqrt(1.0 - shared) * noise_normal(seed)));
        }
        double sum = 0;
        for (size_t p = 0; p < PROCESSES; p++) {
            sum += log(medians[k][p]) / PROCESSES;
        }
        items[k] = (rft_repeat_item){
            .medians = medians[k], .count = PROCESSES, .pooled = exp(sum), .low = NAN, .high = NAN, .problem = k};
    }
    rft_repeat_of(items, PROBLEMS, PROBLEMS, out);
}

static rft_stats stats_from(const rft_repeat *of) {
    return (rft_stats){.n = 60, .median = of->figure, .low = of->low, .high = of->high, .interval_is_95 = true};
}

/* Two runs of one card: the interval of their mean speed holds 1. */
static double covered(double shared) {
    uint64_t seed = 11;
    size_t held = 0;
    for (size_t i = 0; i < TRIALS; i++) {
        rft_repeat one[PROBLEMS], two[PROBLEMS];
        rft_compare_mean mean = {.additive = false};
        run_of(shared, one, &seed);
        run_of(shared, two, &seed);
        for (size_t k = 0; k < PROBLEMS; k++) {
            rft_stats a = stats_from(&one[k]), b = stats_from(&two[k]);
            rft_compare_ratio ratio = rft_compare_ratio_of(&a, &b);
            ratio.common = hypot(RFT_REPEAT_FLOOR_FRAC, RFT_REPEAT_FLOOR_FRAC);
            rft_compare_mean_add(&mean, &ratio, 1.0);
        }
        const rft_compare_ratio of = rft_compare_mean_of(&mean);
        held += of.low <= 1.0 && of.high >= 1.0;
    }
    double percent = 100.0 * (double)held / TRIALS;
    printf("mean of %d problems, %d processes, %4.2f of the variance shared: %.1f %% covered\n", PROBLEMS, PROCESSES,
           shared, percent);
    return percent;
}

static void two_runs_of_one_card_have_a_speed_of_one(void **state) {
    (void)state;
    double slack = noise_slack(95.0, TRIALS, 8000);
    assert_true(covered(0.0) >= 95.0 - slack);
    assert_true(covered(0.09) >= 95.0 - slack); /* as much as recordings show */
    double most = covered(RFT_ERROR_CORRELATION);
    assert_true(most >= 93.0 - slack && most <= 98.5 + slack);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_by_hand),
        cmocka_unit_test(a_mean_says_what_it_is),
        cmocka_unit_test(two_runs_of_one_card_have_a_speed_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
