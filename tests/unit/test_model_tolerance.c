/* SPDX-License-Identifier: Apache-2.0 */
/* Tolerance limits against printed tables and trials; the tail of Student's t. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/stats/repeat.h"
#include "model/stats/stats.h"
#include "model/stats/tolerance.h"
#include "unit/noise.h"

#include <stdio.h>

static void factors_are_the_printed_ones(void **state) {
    /* Hahn, Meeker, Statistical Intervals, table A.12b; the fourth: NIST Handbook 7.2.6.3. */
    static const struct {
        size_t n;
        double content, confidence, factor;
    } rows[] = {{8, 0.95, 0.95, 3.187},  {10, 0.95, 0.95, 2.911}, {10, 0.99, 0.95, 3.981},
                {43, 0.90, 0.99, 1.874}, {20, 0.95, 0.95, 2.396}, {100, 0.95, 0.95, 1.927}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double factor = rft_tolerance_factor(rows[i].n, rows[i].content, rows[i].confidence);
        assert_true(fabs(factor - rows[i].factor) < 0.0006);
    }
}

static void ranks_are_wilks(void **state) {
    (void)state;
    assert_int_equal(rft_tolerance_rank(58, 0.95, 0.95), 0);
    assert_int_equal(rft_tolerance_rank(59, 0.95, 0.95), 1);
    assert_int_equal(rft_tolerance_rank(92, 0.95, 0.95), 1);
    assert_int_equal(rft_tolerance_rank(93, 0.95, 0.95), 2);
    assert_int_equal(rft_tolerance_rank(8, 0.5, 0.95), 2);
    assert_int_equal(rft_tolerance_rank(0, 0.95, 0.95), 0);
}

static void tails_are_the_quantiles_back(void **state) {
    (void)state;
    assert_true(fabs(rft_student_tail(2.570582, 5) - 0.025) < 1e-5);
    assert_true(fabs(rft_student_tail(9.678, 5) / 1e-4 - 1.0) < 1e-3);
    assert_true(fabs(rft_student_tail(-1.0, 10) - 0.82955) < 1e-4);
    assert_true(rft_student_tail(0.0, 5) == 0.5 && rft_student_tail(1e9, 1000) < 1e-12);
    assert_true(isnan(rft_student_tail(NAN, 5)));
}

/* How often does a limit of n cards hold back what it says? */
static double covered(size_t n, double content, double confidence, int draws, uint64_t *seed) {
    double factor = rft_tolerance_factor(n, content, confidence), z = rft_normal_quantile(2.0 * (1.0 - content));
    int held = 0;
    for (int i = 0; i < draws; i++) {
        double sum = 0.0, squares = 0.0;
        for (size_t k = 0; k < n; k++) {
            double x = noise_normal(seed);
            sum += x;
            squares += x * x;
        }
        double s = sqrt((squares - sum * sum / (double)n) / (double)(n - 1));
        held += sum / (double)n - factor * s <= -z;
    }
    return 100.0 * held / draws;
}

static void limits_cover_as_they_say(void **state) {
    static const size_t cards[] = {8, 12, 40};
    const int all = 80000, draws = DRAWS(all);
    uint64_t seed = 20;
    (void)state;
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        for (double content = 0.95; content < 0.999; content += 0.04) {
            double percent = covered(cards[i], content, 0.95, draws, &seed);
            printf("%3zu cards, content %.2f: limits hold in %.1f %% (95)\n", cards[i], content, percent);
            assert_true(fabs(percent - 95.0) < 0.4 + noise_slack(95.0, draws, all));
        }
    }
}

/* The share that all limits together leave is divided: cards like the references meet all of them. */
static void all_limits_together_leave_the_share(void **state) {
    enum { LIMITS = 12, CARDS = 10 };
    const int all = 16000, draws = DRAWS(all);
    double content = 1.0 - 0.05 / LIMITS, factor = rft_tolerance_factor(CARDS, content, 0.95);
    uint64_t seed = 7;
    int missed = 0;
    (void)state;
    for (int i = 0; i < draws; i++) {
        bool misses = false;
        for (int l = 0; l < LIMITS; l++) {
            double values[CARDS], sum = 0.0, squares = 0.0;
            for (int k = 0; k < CARDS; k++) {
                values[k] = noise_normal(&seed);
                sum += values[k];
                squares += values[k] * values[k];
            }
            double s = sqrt((squares - sum * sum / CARDS) / (CARDS - 1));
            misses = noise_normal(&seed) < sum / CARDS - factor * s || misses;
        }
        missed += misses;
    }
    printf("a good card misses one of %d limits in %.2f %% (at most 5)\n", LIMITS, 100.0 * missed / draws);
    assert_true(100.0 * missed / draws <= 5.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_the_printed_ones),        cmocka_unit_test(ranks_are_wilks),
        cmocka_unit_test(tails_are_the_quantiles_back),        cmocka_unit_test(limits_cover_as_they_say),
        cmocka_unit_test(all_limits_together_leave_the_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
