/* SPDX-License-Identifier: Apache-2.0 */
/* How right a prior was: the correlation of ranks and its interval, the first choice, spills, equals. */
#include "model_fixture.h"

#include "base/hash.h"
#include "model/run/run_prior.h"
#include "unit/noise.h"

#include <string.h>

static void ranks_of_known_lists(void **state) {
    (void)state;
    const double a[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, up[] = {1, 4, 9, 16, 25, 36, 49, 64, 81, 1000};
    const double down[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, same[] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
    /* IQ and hours of television: 1 - 6 * 194 / (10 * 99) = -29 / 165, the usual textbook case. */
    const double iq[] = {86, 97, 99, 100, 101, 103, 106, 110, 112, 113},
                 hours[] = {2, 20, 28, 27, 50, 29, 7, 17, 6, 12};
    const double pairs_a[] = {1, 1, 2, 2, 3, 3, 4, 4}, pairs_b[] = {1, 2, 2, 1, 4, 3, 3, 4};
    assert_true(rft_rank_correlation_of(a, up, 10).rho == 1);
    assert_true(rft_rank_correlation_of(a, down, 10).rho == -1);
    assert_true(rft_rank_correlation_of(a, up, 10).low == 1); /* nothing about it is left to chance */
    rft_rank_correlation iq_hours = rft_rank_correlation_of(iq, hours, 10);
    assert_true(fabs(iq_hours.rho - -29.0 / 165) < 1e-12);
    assert_true(iq_hours.low < -0.6 && iq_hours.high > 0.4);
    assert_true(isnan(rft_rank_correlation_of(a, same, 10).rho) && isnan(rft_rank_correlation_of(a, same, 10).low));
    assert_true(isnan(rft_rank_correlation_of(a, up, RFT_RANK_LEAST - 1).rho));
    /* Equal values at their mean rank: Pearson of {1.5, 1.5, 3.5 ...} with itself shuffled in pairs. */
    assert_true(fabs(rft_rank_correlation_of(pairs_a, pairs_b, 8).rho - 0.8) < 1e-12);
}

/* Pairs of a normal distribution with r: Spearman's rho of all of it is 6 / pi asin(r / 2). */
static void the_interval_covers(void **state) {
    (void)state;
    enum { PAIRS = 40, TRIALS = 1000 };
    const double tries[] = {0, 0.6, 0.9};
    uint64_t seed = 11;
    for (size_t i = 0; i < 3; i++) {
        double truth = 6 / 3.141592653589793 * asin(tries[i] / 2);
        int covered = 0;
        for (int t = 0; t < TRIALS; t++) {
            double a[PAIRS], b[PAIRS];
            for (int k = 0; k < PAIRS; k++) {
                a[k] = noise_normal(&seed);
                b[k] = tries[i] * a[k] + sqrt(1 - tries[i] * tries[i]) * noise_normal(&seed);
            }
            rft_rank_correlation of = rft_rank_correlation_of(a, b, PAIRS);
            covered += of.low <= truth && truth <= of.high;
        }
        assert_in_range(covered, 0.925 * TRIALS, 0.975 * TRIALS);
    }
}

/* A run of one variant with so many points of 1 us, 2 us ...; medians with an interval of +- 1 %. */
static rft_run *run_of(size_t count) {
    rft_run *run = rft_run_new();
    run->sweep_count = 1;
    run->sweeps = rft_arena_calloc(run->arena, 1, sizeof *run->sweeps);
    rft_sweep *sweep = &run->sweeps[0].sweep;
    sweep->variants = rft_arena_calloc(run->arena, 2, sizeof *sweep->variants);
    sweep->variant_count = 2;
    sweep->problems = rft_arena_calloc(run->arena, 3, sizeof *sweep->problems);
    sweep->problem_count = 3;
    run->points = rft_arena_calloc(run->arena, count, sizeof *run->points);
    run->point_count = count;
    for (size_t i = 0; i < count; i++) {
        rft_point *p = &run->points[i];
        double median = 1e-6 * (double)(i + 1);
        *p = (rft_point){.id = (int64_t)i + 1, .variant = 1, .problem = 2, .outcome = RFT_OUTCOME_OK};
        p->facts = rft_facts_unknown();
        p->rounds[0] = p->rounds[1] = rft_measurement_none();
        p->rounds[0].n = 20;
        p->rounds[0].stats = (rft_stats){.n = 20, .median = median, .low = median / 1.01, .high = median * 1.01};
        p->rounds[0].stats.interval_is_95 = true;
        p->prior = (double)(i + 1);
    }
    return run;
}

static rft_prior_fit only_fit(const rft_run *run) {
    rft_arena *arena = rft_arena_new();
    rft_prior_fit *fits = NULL;
    assert_int_equal(rft_prior_fits(run, 0, arena, &fits), 1);
    rft_prior_fit fit = fits[0];
    rft_arena_free(arena);
    return fit;
}

/* Five of one variant and five of another: too few each, and together in the right order. */
static void variants_of_too_few_are_ranked_together(void **state) {
    (void)state;
    rft_run *run = run_of(10);
    rft_prior_fit *fits = NULL;
    assert_int_equal(rft_prior_fits_together(run, 0, run->arena, &fits), 0); /* ten are no few */
    for (size_t i = 0; i < 10; i += 2) {
        run->points[i].variant = 0;
    }
    assert_int_equal(rft_prior_fits(run, 0, run->arena, &fits), 2);
    assert_true(isnan(fits[0].of.rho));
    assert_int_equal(rft_prior_fits_together(run, 0, run->arena, &fits), 1);
    assert_int_equal(fits[0].count, 10);
    assert_true(fits[0].of.rho == 1 && fits[0].variant == SIZE_MAX && fits[0].problem == 2);
    assert_true(fabs(fits[0].middle_frac - 4.5) < 1e-9);
    rft_run_free(run);
}

static void a_prior_that_is_right(void **state) {
    (void)state;
    rft_run *run = run_of(10);
    rft_prior_fit fit = only_fit(run);
    assert_true(fit.of.rho == 1 && fit.count == 10 && fit.equal == 1 && fit.spilling == 0);
    assert_int_equal(fit.variant, 1);
    assert_int_equal(fit.problem, 2);
    assert_true(fit.first == &run->points[0] && fit.best == fit.first);
    assert_true(fit.loss_frac == 0 && fit.loss_low_frac == 0 && fit.loss_high_frac == 0);
    rft_run_free(run);
}

static void its_first_choice_has_its_interval(void **state) {
    (void)state;
    rft_run *run = run_of(10);
    run->points[2].prior = 0.5; /* takes 3 us, the best 1 us */
    rft_prior_fit fit = only_fit(run);
    assert_true(fit.first == &run->points[2] && fit.best == &run->points[0]);
    assert_true(fabs(fit.loss_frac - 2) < 1e-9);
    double half = sqrt(2) * log(1.01);
    assert_true(fabs(fit.loss_low_frac - (3 * exp(-half) - 1)) < 1e-9);
    assert_true(fabs(fit.loss_high_frac - (3 * exp(half) - 1)) < 1e-9);
    run->points[0].rounds[0].stats.interval_is_95 = false;
    fit = only_fit(run);
    assert_true(fabs(fit.loss_frac - 2) < 1e-9 && isnan(fit.loss_low_frac));
    rft_run_free(run);
}

static void what_spills_goes_last(void **state) {
    (void)state;
    rft_run *run = run_of(10);
    run->points[0].facts.spill_bytes = 8;
    rft_prior_fit fit = only_fit(run);
    assert_true(fit.first == &run->points[1] && fit.best == &run->points[0] && fit.spilling == 1);
    assert_true(fit.of.rho < 1); /* its time is the least, its place the last */
    for (size_t i = 0; i < 10; i++) {
        run->points[i].facts.spill_bytes = 8; /* all alike: the prior's order again */
    }
    fit = only_fit(run);
    assert_true(fit.of.rho == 1 && fit.first == &run->points[0] && fit.spilling == 10);
    rft_run_free(run);
}

static void of_equals_the_middle_one_counts(void **state) {
    (void)state;
    rft_run *run = run_of(10);
    for (size_t i = 0; i < 10; i++) {
        run->points[i].prior = i % 2 ? 7 : 3;
    }
    rft_prior_fit fit = only_fit(run);
    assert_int_equal(fit.equal, 5);
    assert_true(fit.first == &run->points[4]); /* of 1, 3, 5, 7, 9 us */
    rft_run_free(run);
}

/* What failed, has no prior, is an alias or an odd problem's counts for nothing. */
static void only_what_was_measured_counts(void **state) {
    (void)state;
    rft_run *run = run_of(10);
    rft_arena *arena = rft_arena_new();
    rft_prior_fit *fits = NULL;
    run->points[0].outcome = RFT_OUTCOME_WRONG_RESULT;
    run->points[1].prior = (double)NAN;
    run->points[2].alias_of = 2;
    run->points[3].prior = 0;
    assert_int_equal(only_fit(run).count, 6);
    assert_true(isnan(only_fit(run).of.rho));
    run->points[4].problem = 0;
    run->points[5].problem = 0;
    run->points[6].variant = 0;
    assert_int_equal(rft_prior_fits(run, 0, arena, &fits), 2); /* one alone is no order */
    assert_true(fits[0].variant == 1 && fits[0].problem == 0 && fits[0].count == 2);
    assert_true(fits[1].variant == 1 && fits[1].problem == 2 && fits[1].count == 3);
    run->sweeps[0].sweep.problems[2].odd = true;
    assert_int_equal(rft_prior_fits(run, 0, arena, &fits), 1);
    rft_arena_free(arena);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_of_known_lists),
        cmocka_unit_test(the_interval_covers),
        cmocka_unit_test(variants_of_too_few_are_ranked_together),
        cmocka_unit_test(a_prior_that_is_right),
        cmocka_unit_test(its_first_choice_has_its_interval),
        cmocka_unit_test(what_spills_goes_last),
        cmocka_unit_test(of_equals_the_middle_one_counts),
        cmocka_unit_test(only_what_was_measured_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
