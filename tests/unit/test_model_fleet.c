/* SPDX-License-Identifier: Apache-2.0 */
/* Fleets with planted slow cards: how many are found, and how many others are told. -DRFT_ALL_DRAWS: more fleets. */
#include "base/hash.h"
#include "model/compare/fleet.h"
#include "model/stats/least_squares.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef RFT_ALL_DRAWS
enum { ALL = 1, FLEETS = 30 };
#else
enum { ALL = 0, FLEETS = 6 };
#endif
enum { PLANTED = 10, A_HOST = 8, DAYS = 3 };

typedef struct plan {
    size_t cards;
    size_t figures;   /* ceilings, independent */
    size_t slow_on;   /* so many of them, by */
    double slow_frac; /* this share */
    double common;    /* standard deviation of what all figures of a card share */
    double host_frac; /* the third host is slower by this share */
    double step;      /* of the timer, as a share of each figure; 0: none */
    size_t alike;     /* more ceilings, which are the same on all cards */
} plan;

static rft_fleet *make(const plan *p, size_t planted, uint64_t *seed) {
    rft_fleet *fleet = rft_fleet_new();
    for (size_t c = 0; c < p->cards; c++) {
        rft_run *run = rft_run_new();
        const double shared = p->common * rft_normal(seed);
        run->info.id = rft_arena_printf(run->arena, "%zu", c);
        run->info.tool_version = run->info.tool_revision = "1";
        run->info.started_unix_ns = (int64_t)(c % DAYS) * 86400 * 1000000000;
        run->info.finished_unix_ns = run->info.started_unix_ns + 1;
        run->gpu = (rft_gpu_info){.name = "card", .uuid = rft_arena_printf(run->arena, "GPU-%04zu", c), .pci_id = "0"};
        rft_env_set(&run->env, run->arena, "host.id", rft_arena_printf(run->arena, "h%02zu", c / A_HOST), NULL);
        for (size_t f = 0; f < p->figures; f++) {
            rft_ceiling *ceiling = &run->ceilings.items[f];
            const double off = shared + 0.01 * rft_normal(seed);
            const bool slow = c < planted && f < p->slow_on;
            ceiling->measured = true;
            ceiling->stats.median = 1e12 * exp(off) * (slow ? 1 - p->slow_frac : 1);
            ceiling->stats.median *= c / A_HOST == 2 ? 1 - p->host_frac : 1;
            if (p->step > 0) {
                ceiling->stats.median = 1e12 * p->step * round(ceiling->stats.median / 1e12 / p->step);
            }
        }
        for (size_t f = p->figures; f < p->figures + p->alike; f++) {
            run->ceilings.items[f].measured = true;
            run->ceilings.items[f].stats.median = 1e12;
        }
        rft_fleet_add(fleet, run, run->gpu.uuid);
        rft_run_free(run);
    }
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fleet_judge(fleet, &err), RFT_OK);
    return fleet;
}

typedef struct outcome {
    double found_frac, false_alarms; /* of those planted; of others, a fleet */
} outcome;

static outcome play(const plan *p, size_t planted, const char *what) {
    uint64_t seed = 7;
    outcome o = {0, 0};
    for (int i = 0; i < FLEETS; i++) {
        rft_fleet *fleet = make(p, planted, &seed);
        for (size_t c = 0; c < fleet->card_count; c++) {
            const bool is_planted = (size_t)atoi(fleet->cards[c].name + 4) < planted;
            o.found_frac += fleet->cards[c].falls_out && is_planted;
            o.false_alarms += fleet->cards[c].falls_out && !is_planted;
        }
        rft_fleet_free(fleet);
    }
    o.found_frac /= planted ? (double)(FLEETS * planted) : 1;
    o.false_alarms /= FLEETS;
    printf("%-44s found %5.1f %%, false alarms %.3f a fleet of %zu\n", what, 100 * o.found_frac, o.false_alarms,
           p->cards);
    return o;
}

static void test_power(void **state) {
    (void)state;
    const outcome one =
        play(&(plan){.cards = 500, .figures = 1, .slow_on = 1, .slow_frac = 0.046}, PLANTED, "4.6 % on one ceiling");
    const outcome three =
        play(&(plan){.cards = 500, .figures = 3, .slow_on = 3, .slow_frac = 0.03}, PLANTED, "3 % on three");
    const outcome alike = play(&(plan){.cards = 500, .figures = 10, .common = 0.02}, 0, "nothing, ten that share 80 %");
    /* Of 60 cards at 95 % (and six fleets at 1) chance alone takes so many once in a thousand times. */
    assert_true(one.found_frac > (ALL ? 0.94 : 0.86) && three.found_frac > (ALL ? 0.95 : 0.86));
    assert_true(one.false_alarms < (ALL ? 1.1 : 2) && three.false_alarms < (ALL ? 1.1 : 2));
    assert_true(alike.false_alarms < (ALL ? 1 : 2));
    /* Half of the cards read the same where the timer's step is long, and figures that do not vary tell of no other. */
    const double steps[] = {0.005, 0.02};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const outcome o =
            play(&(plan){.cards = 500, .figures = 3, .step = steps[i]}, 0, "nothing, in the timer's steps");
        assert_true(o.false_alarms < (ALL ? 1.3 : 2));
    }
    const outcome same = play(&(plan){.cards = 500, .figures = 3, .slow_on = 3, .slow_frac = 0.03, .alike = 6}, PLANTED,
                              "3 % on three, six the same on all");
    assert_true(same.false_alarms < (ALL ? 1.1 : 2) && same.found_frac > 0.5);
    if (ALL) {
        play(&(plan){.cards = 500, .figures = 10, .slow_on = 3, .slow_frac = 0.03}, PLANTED, "3 % on three of ten");
        play(&(plan){.cards = 500, .figures = 10, .slow_on = 1, .slow_frac = 0.046}, PLANTED, "4.6 % on one of ten");
        play(&(plan){.cards = 500, .figures = 10}, 0, "nothing, ten");
        play(&(plan){.cards = 10, .figures = 10}, 0, "nothing, ten");
        play(&(plan){.cards = 30, .figures = 10}, 0, "nothing, ten");
        play(&(plan){.cards = 100, .figures = 20, .common = 0.01}, 0, "nothing, twenty that share 50 %");
    }
}

static void test_three_least(void **state) {
    (void)state;
    uint64_t seed = 3;
    int below[2] = {0};
    const double limits[] = {-12, -16};
    enum { DRAWS = 200000, COUNT = 10 };
    for (int i = 0; i < DRAWS; i++) {
        double least[3] = {1, 1, 1};
        for (int k = 0; k < COUNT; k++) {
            double p = rft_random_unit(&seed);
            for (int j = 0; j < 3; j++) {
                if (p < least[j]) {
                    const double other = least[j];
                    least[j] = p;
                    p = other;
                }
            }
        }
        for (int l = 0; l < 2; l++) {
            below[l] += log(least[0]) + log(least[1]) + log(least[2]) < limits[l];
        }
    }
    for (int l = 0; l < 2; l++) {
        const double drawn = (double)below[l] / DRAWS, said = rft_fleet_three_least(limits[l], COUNT);
        printf("three least of %d below exp(%g): drawn %.5f, said %.5f\n", COUNT, limits[l], drawn, said);
        assert_true(fabs(drawn - said) < 4 * sqrt(said / DRAWS) + 0.01 * said);
    }
}

static void test_host_and_shares(void **state) {
    (void)state;
    uint64_t seed = 11;
    rft_fleet *fleet = make(&(plan){.cards = 500, .figures = 3, .host_frac = 0.03}, 0, &seed);
    const rft_fleet_unit *worst = &fleet->hosts[fleet->host_order[0]];
    assert_string_equal(worst->name, "h02");
    assert_true(worst->falls_out);
    assert_in_range(fleet->hosts_out, 1, 2);
    assert_true(fleet->shares[RFT_FLEET_HOSTS].median > 0.03);
    assert_true(fleet->shares[RFT_FLEET_DAYS].median < 0.02);
    assert_non_null(fleet->shares[RFT_FLEET_CARDS].why); /* none was measured twice */
    const char *list[] = {"GPU-0007", "GPU-9999"};
    rft_fleet_expect(fleet, list, 2);
    assert_int_equal(fleet->missing_count, 1);
    assert_string_equal(fleet->missing[0], "GPU-9999");
    assert_int_equal(fleet->stranger_count, 499);
    rft_fleet_free(fleet);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_power), cmocka_unit_test(test_three_least),
                                       cmocka_unit_test(test_host_and_shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
