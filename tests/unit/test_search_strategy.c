/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/hash.h"
#include "search/strategy.h"
#include "support/list_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIGURATIONS = 1000, SIDE = 12, PARAMS = 4, ROOM = SIDE * SIDE * SIDE * SIDE };

/* A space of one parameter with CONFIGURATIONS values and no constraint. */
typedef struct plain_space {
    rft_value values[CONFIGURATIONS];
    rft_param param;
    rft_variant variant;
    rft_sweep_vt vt;
    rft_sweep sweep;
    rft_space *space;
} plain_space;

static int open_space(void **state) {
    plain_space *plain = rft_alloc(sizeof *plain);
    for (int i = 0; i < CONFIGURATIONS; i++) {
        plain->values[i] = rft_value_int((i * 7) % CONFIGURATIONS + 1); /* listed in disorder */
    }
    plain->param = (rft_param){.name = "BLOCK", .help = "", .values = plain->values, .value_count = CONFIGURATIONS};
    plain->variant = (rft_variant){.name = "v", .params = &plain->param, .param_count = 1};
    plain->sweep = (rft_sweep){.name = "s", .variants = &plain->variant, .variant_count = 1, .vt = &plain->vt};
    *state = plain;
    return rft_space_new(&plain->space, &plain->sweep, 0, NULL, NULL, NULL);
}

static int close_space(void **state) {
    plain_space *plain = *state;
    rft_space_free(plain->space);
    free(plain);
    return 0;
}

/* ---- lists: PARAMS parameters of SIDE values, without those that a constraint cuts ---- */

static bool is_valid(const uint16_t *at) {
    return at[0] + at[1] < 18 && (at[2] % 3 == 0 || at[3] % 2 == 0);
}

static rft_space_view *box(void) {
    static const uint32_t counts[PARAMS] = {SIDE, SIDE, SIDE, SIDE};
    static uint16_t rows[ROOM * PARAMS];
    uint64_t count = 0;
    for (unsigned i = 0; i < ROOM; i++) {
        uint16_t at[PARAMS] = {(uint16_t)(i % SIDE), (uint16_t)(i / SIDE % SIDE), (uint16_t)(i / SIDE / SIDE % SIDE),
                               (uint16_t)(i / SIDE / SIDE / SIDE)};
        if (is_valid(at)) {
            memcpy(rows + count++ * PARAMS, at, sizeof at);
        }
    }
    return list_view_new(&(list_view_spec){count, PARAMS, rows, counts, NULL});
}

/* A bowl with ripples, steeper along some parameters; every ninth configuration fails. */
static double seconds_of(const rft_space_view *view, uint64_t index) {
    uint16_t at[PARAMS];
    view->positions(view, index, at);
    double far = pow(at[0] - 8.0, 2) + 0.5 * pow(at[1] - 3.0, 2) + 2 * pow(at[2] - 6.0, 2) + 0.1 * pow(at[3] - 5.0, 2);
    uint64_t mixed = index;
    return rft_random_below(&mixed, 9) == 0 ? (double)NAN : 1e-3 * (1 + 0.05 * far + 0.1 * ((at[0] + at[3]) % 3));
}

static rft_tell tell_of(const rft_space_view *view, uint64_t index) {
    double seconds = view->param_count == PARAMS ? seconds_of(view, index) : 1e-6;
    return (rft_tell){.index = index,
                      .outcome = isnan(seconds) ? RFT_OUTCOME_COMPILE_FAILED : RFT_OUTCOME_OK,
                      .seconds = seconds,
                      .hints = RFT_HINTS_INIT};
}

/* How a strategy is driven: asked in `portion`s, with so many ahead. */
typedef struct drive {
    const char *name;
    uint64_t seed;
    size_t portion, ahead, most;
} drive;

/* Proposals in order into `out`; returns how many came. */
static size_t follow(const rft_space_view *view, const drive *how, uint64_t *out) {
    rft_strategy *strategy = NULL;
    rft_strategy_opts opts = {.seed = how->seed, .may_end_early = true};
    assert_int_equal(rft_strategy_new_on(&strategy, how->name, view, &opts, NULL), 0);
    size_t asked = 0, told = 0;
    for (bool more = true; more || told < asked;) {
        while (more && asked < how->most && asked - told < how->ahead) {
            size_t room = how->ahead - (asked - told), most = how->portion < room ? how->portion : room;
            most = most < how->most - asked ? most : how->most - asked;
            size_t given = strategy->ask(strategy, out + asked, most);
            assert_true(given <= most);
            more = given > 0;
            asked += given;
        }
        more = more && asked < how->most;
        if (told < asked) {
            rft_tell tell = tell_of(view, out[told++]);
            strategy->tell(strategy, &tell);
        }
    }
    strategy->free(strategy);
    return asked;
}

static void check_each_once(const uint64_t *order, size_t count, uint64_t below) {
    bool *seen = rft_calloc(below + 1, sizeof *seen);
    for (size_t i = 0; i < count; i++) {
        assert_true(order[i] < below);
        assert_false(seen[order[i]]);
        seen[order[i]] = true;
    }
    free(seen);
}

static void each_exactly_once_and_the_seed_decides(void **state) {
    (void)state;
    static uint64_t first[ROOM + 1], again[ROOM + 1], other[ROOM + 1];
    rft_space_view *view = box();
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
        drive how = {entry->name, 1, 5, 8, 700};
        assert_int_equal(follow(view, &how, first), 700);
        assert_int_equal(follow(view, &how, again), 700);
        how.seed = 2;
        assert_int_equal(follow(view, &how, other), 700);
        assert_memory_equal(first, again, 700 * sizeof *first);
        assert_memory_not_equal(first, other, 700 * sizeof *first);
        check_each_once(first, 700, view->count);
    }
    view->free(view);
}

/* Asked for everything, a strategy gives everything, and then nothing; also where results come late. */
static void everything_is_tried_in_the_end(void **state) {
    (void)state;
    static const uint32_t counts[3] = {5, 1, 8};
    static uint16_t rows[40 * 3];
    uint64_t order[64];
    for (unsigned i = 0; i < 40; i++) {
        rows[3 * i] = (uint16_t)(i % 5);
        rows[3 * i + 2] = (uint16_t)(i / 5);
    }
    rft_space_view *view = list_view_new(&(list_view_spec){40, 3, rows, counts, NULL});
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
        for (size_t ahead = 1; ahead <= 64; ahead *= 4) {
            drive how = {entry->name, ahead, ahead, ahead, 64};
            assert_int_equal(follow(view, &how, order), 40);
            check_each_once(order, 40, 40);
        }
    }
    view->free(view);
}

static void the_smallest_spaces(void **state) {
    (void)state;
    static const uint32_t one[2] = {1, 1}, line[1] = {7};
    static const uint16_t corner[2] = {0, 0}, along[7] = {0, 1, 2, 3, 4, 5, 6};
    uint64_t order[16];
    rft_space_view *views[] = {list_view_new(&(list_view_spec){1, 2, corner, one, NULL}),
                               list_view_new(&(list_view_spec){7, 1, along, line, NULL}),
                               list_view_new(&(list_view_spec){0, 1, along, line, NULL})};
    static const size_t counts[] = {1, 7, 0};
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
        for (size_t v = 0; v < 3; v++) {
            drive how = {entry->name, 3, 1, 2, 16};
            assert_int_equal(follow(views[v], &how, order), counts[v]);
            check_each_once(order, counts[v], counts[v]);
        }
    }
    for (size_t v = 0; v < 3; v++) {
        views[v]->free(views[v]);
    }
}

/* Nothing but failures: no strategy stops, repeats itself, or takes one for a result. */
static void failures_alone(void **state) {
    (void)state;
    uint64_t order[300];
    rft_space_view *view = box();
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
        rft_strategy *strategy = NULL;
        rft_strategy_opts opts = {.seed = 4, .may_end_early = true};
        assert_int_equal(rft_strategy_new_on(&strategy, entry->name, view, &opts, NULL), 0);
        for (size_t i = 0; i < 300; i++) {
            assert_int_equal(strategy->ask(strategy, order + i, 1), 1);
            rft_outcome outcome = i % 2 ? RFT_OUTCOME_WRONG_RESULT : RFT_OUTCOME_CRASHED;
            rft_tell tell = {order[i], outcome, i % 3 ? (double)NAN : 1e-9, RFT_HINTS_INIT};
            strategy->tell(strategy, &tell);
        }
        check_each_once(order, 300, view->count);
        strategy->free(strategy);
    }
    view->free(view);
}

/* ---- quality ---- */

static double mean_best(const rft_space_view *view, const char *name, size_t ahead) {
    double sum = 0;
    uint64_t order[150];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        drive how = {name, seed, 1, ahead, 150};
        double best = (double)INFINITY;
        assert_int_equal(follow(view, &how, order), 150);
        for (size_t i = 0; i < 150; i++) {
            best = fmin(best, seconds_of(view, order[i]));
        }
        sum += best / 20;
    }
    return sum;
}

static void who_learns_is_better_than_random(void **state) {
    (void)state;
    rft_space_view *view = box();
    double random = mean_best(view, "random", 1);
    double optimum = (double)INFINITY;
    for (uint64_t i = 0; i < view->count; i++) {
        optimum = fmin(optimum, seconds_of(view, i));
    }
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
        bool learns = strcmp(entry->name, "random") != 0 && strcmp(entry->name, "exhaustive") != 0;
        double far = (mean_best(view, entry->name, 1) - optimum) / (random - optimum);
        double far_ahead = (mean_best(view, entry->name, 16) - optimum) / (random - optimum);
        if (learns) {
            assert_true(far < 0.8);
            assert_true(far_ahead < 0.9);
        }
    }
    double chosen = (mean_best(view, "auto", 1) - optimum) / (random - optimum);
    assert_true(chosen < 0.25);
    view->free(view);
}

/* 20 % below what a configuration can take, and not known of every third. */
static double floor_of(const rft_space_view *view, uint64_t index) {
    uint16_t at[PARAMS];
    view->positions(view, index, at);
    double far = pow(at[0] - 8.0, 2) + 0.5 * pow(at[1] - 3.0, 2) + 2 * pow(at[2] - 6.0, 2) + 0.1 * pow(at[3] - 5.0, 2);
    return index % 3 == 0 ? (double)NAN : 0.8e-3 * (1 + 0.05 * far);
}

static rft_outlook outlook_of(void *payload, uint64_t index) {
    double floor_s = floor_of(payload, index);
    return (rft_outlook){floor_s, 1.5 * floor_s};
}

/* Sum over seeds of the best of 60, and how many of those proposals could not win by their floor. */
static double with_floors(rft_space_view *view, bool has_floors, unsigned *hopeless) {
    double sum = 0;
    *hopeless = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        rft_strategy_opts opts = {.seed = seed, .may_end_early = true, .payload = view};
        opts.outlook = has_floors ? outlook_of : NULL;
        rft_strategy *strategy = NULL;
        double best = (double)INFINITY;
        assert_int_equal(rft_strategy_new_on(&strategy, "memetic", view, &opts, NULL), 0);
        for (int i = 0; i < 60; i++) {
            uint64_t index;
            assert_int_equal(strategy->ask(strategy, &index, 1), 1);
            *hopeless += floor_of(view, index) > best;
            rft_tell tell = tell_of(view, index);
            best = fmin(best, tell.seconds);
            strategy->tell(strategy, &tell);
        }
        sum += best;
        strategy->free(strategy);
    }
    return sum;
}

static void floors_save_hopeless_proposals(void **state) {
    (void)state;
    unsigned without = 0, with = 0;
    rft_space_view *view = box();
    double plain = with_floors(view, false, &without), guided = with_floors(view, true, &with);
    assert_true(without > 40 * 10); /* else there was nothing to save */
    assert_true(with < without / 4);
    assert_true(guided < plain);
    view->free(view);
}

/* ---- results that are still out ---- */

/* Mean over seeds of the best of 80, proposed 16 ahead. */
static double with_16_ahead(rft_space_view *view, const char *name) {
    enum { AHEAD = 16, POINTS = 80, SEEDS = 40 };
    double sum = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const rft_strategy_opts opts = {.seed = seed, .may_end_early = true};
        uint64_t asked[POINTS + AHEAD];
        size_t count = 0;
        rft_strategy *strategy = NULL;
        double best = (double)INFINITY;
        assert_int_equal(rft_strategy_new_on(&strategy, name, view, &opts, NULL), 0);
        for (size_t told = 0; told < POINTS; told++) {
            count += strategy->ask(strategy, asked + count, told + AHEAD - count);
            rft_tell tell = tell_of(view, asked[told]);
            best = tell.seconds > 0 ? fmin(best, tell.seconds) : best;
            strategy->tell(strategy, &tell);
        }
        sum += best;
        strategy->free(strategy);
    }
    return sum / SEEDS;
}

static void neighbours_make_up_for_what_is_out(void **state) {
    (void)state;
    rft_space_view *view = box();
    double bred = with_16_ahead(view, "genetic_algorithm"), guessed = with_16_ahead(view, "memetic");
    assert_true(guessed < 0.97 * bred);
    view->free(view);
}

/* By turns what promises most and what was compiled first; what wraps a strategy hands its promises on. */
static void what_promises_most_is_next(void **state) {
    const plain_space *plain = *state;
    const rft_strategy_opts opts = {.seed = 5, .may_end_early = true};
    rft_strategy *strategy = NULL;
    const uint64_t far_off = 999;
    uint64_t asked[40];
    assert_int_equal(rft_strategy_new(&strategy, "memetic", plain->space, &opts, NULL), 0);
    strategy = rft_strategy_seed_with(strategy, &far_off, 1, 0);
    assert_int_equal(strategy->ask(strategy, asked, 40), 40);
    for (size_t i = 40; i > 0; i--) { /* in another order than asked */
        rft_tell tell = {.index = asked[i - 1], .outcome = RFT_OUTCOME_OK, .hints = RFT_HINTS_INIT};
        tell.seconds = 1.0 + (double)(asked[i - 1] * 7 % CONFIGURATIONS); /* ascending with the value */
        strategy->tell(strategy, &tell);
    }
    const rft_ready ready[] = {{700, 1}, {400, 2}, {3, 3}, {900, 4}};
    assert_int_equal(rft_strategy_next_of(strategy, ready, 4, 0), 2);
    assert_int_equal(rft_strategy_next_of(strategy, ready, 4, 1), 0);
    strategy->free(strategy);
    assert_int_equal(rft_strategy_new(&strategy, "greedy_ils", plain->space, &opts, NULL), 0);
    assert_null(strategy->promise); /* it hears of its proposals in order */
    strategy->free(strategy);
}

/* ---- seeds of a prior ---- */

/* Best of 30 in the mean, with the four best or the four worst configurations as seeds, or with none. */
static double with_seeds(rft_space_view *view, const char *name, const uint64_t *seeds, size_t count, int points) {
    double sum = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        rft_strategy_opts opts = {.seed = seed, .may_end_early = true};
        rft_strategy *strategy = NULL;
        double best = (double)INFINITY;
        assert_int_equal(rft_strategy_new_on(&strategy, name, view, &opts, NULL), 0);
        strategy = rft_strategy_seed_with(strategy, seeds, count, 0);
        for (int i = 0; i < points; i++) {
            uint64_t index;
            assert_int_equal(strategy->ask(strategy, &index, 1), 1);
            assert_true((size_t)i >= count || index == seeds[i]);
            rft_tell tell = tell_of(view, index);
            best = tell.seconds > 0 ? fmin(best, tell.seconds) : best;
            strategy->tell(strategy, &tell);
        }
        sum += best;
        strategy->free(strategy);
    }
    return sum / 40;
}

/* The 20th to 23rd best, so that there is something left to find; and the worst that have a time. */
static void good_and_bad(const rft_space_view *view, uint64_t good[4], uint64_t bad[4]) {
    enum { PLACES = 24 };
    uint64_t best[PLACES], worst[PLACES];
    size_t count = 0;
    for (uint64_t i = 0; i < view->count; i++) {
        double seconds = tell_of(view, i).seconds;
        if (!(seconds > 0)) {
            continue;
        }
        size_t at = count < PLACES ? count : PLACES - 1;
        if (count < PLACES || seconds < seconds_of(view, best[at])) {
            for (; at > 0 && seconds_of(view, best[at - 1]) > seconds; at--) {
                best[at] = best[at - 1];
            }
            best[at] = i;
        }
        at = count < PLACES ? count : PLACES - 1;
        if (count < PLACES || seconds > seconds_of(view, worst[at])) {
            for (; at > 0 && seconds_of(view, worst[at - 1]) < seconds; at--) {
                worst[at] = worst[at - 1];
            }
            worst[at] = i;
        }
        count++;
    }
    memcpy(good, best + PLACES - 4, 4 * sizeof *good);
    memcpy(bad, worst, 4 * sizeof *bad);
}

static void seeds_help_and_cost_no_more_than_themselves(void **state) {
    (void)state;
    rft_space_view *view = box();
    uint64_t good[4], bad[4];
    good_and_bad(view, good, bad);
    static const char *const names[] = {"memetic", "greedy_ils", "genetic_algorithm", "trees", "simulated_annealing"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        double none = with_seeds(view, names[i], NULL, 0, 30), helped = with_seeds(view, names[i], good, 4, 30);
        assert_true(helped < none);
        assert_true(helped < seconds_of(view, good[0])); /* the strategy went on from there */
    }
    /* What misleads costs its own evaluations, and hardly more. */
    double fewer = with_seeds(view, "memetic", NULL, 0, 26), misled = with_seeds(view, "memetic", bad, 4, 30);
    assert_true(misled < 1.1 * fewer);
    view->free(view);
}

/* What has no time or spills gives its place to the next, which a strategy may have asked for itself meanwhile. */
static void a_poor_seed_gives_its_place_to_the_next(void **state) {
    (void)state;
    rft_space_view *view = box();
    const uint64_t seeds[] = {500, 40, 7, 900};
    rft_strategy_opts opts = {.seed = 3, .may_end_early = true};
    rft_strategy *strategy = NULL;
    assert_int_equal(rft_strategy_new_on(&strategy, "memetic", view, &opts, NULL), 0);
    strategy = rft_strategy_seed_with(strategy, seeds, 2, 2);
    uint64_t asked[3];
    assert_int_equal(strategy->ask(strategy, asked, 3), 3);
    assert_true(asked[0] == 500 && asked[1] == 40 && asked[2] != 7 && asked[2] != 900);
    rft_tell tell = {.index = 500, .outcome = RFT_OUTCOME_SKIPPED, .seconds = (double)NAN, .hints = RFT_HINTS_INIT};
    strategy->tell(strategy, &tell);
    assert_int_equal(strategy->ask(strategy, asked, 1), 1);
    assert_int_equal(asked[0], 7);
    tell = (rft_tell){.index = 40, .outcome = RFT_OUTCOME_OK, .seconds = 1e-3, .hints = RFT_HINTS_INIT};
    tell.hints.spill_bytes = 8;
    strategy->tell(strategy, &tell);
    assert_int_equal(strategy->ask(strategy, asked, 1), 1);
    assert_int_equal(asked[0], 900);
    tell.index = 7;
    strategy->tell(strategy, &tell); /* there are no more */
    assert_int_equal(strategy->ask(strategy, asked, 1), 1);
    for (size_t i = 0; i < 4; i++) {
        assert_int_not_equal(asked[0], seeds[i]);
    }
    strategy->free(strategy);
    view->free(view);
}

/* ---- auto, and spaces of the model ---- */

static void auto_depends_on_the_budget(void **state) {
    const plain_space *plain = *state;
    static const struct {
        rft_strategy_opts opts;
        bool all;
    } cases[] = {{{.seed = 5}, true},
                 {{.seed = 5, .budget_points = CONFIGURATIONS}, true},
                 {{.seed = 5, .budget_points = CONFIGURATIONS, .may_end_early = true}, true},
                 {{.seed = 5, .budget_points = CONFIGURATIONS - 1}, false},
                 {{.seed = 5, .may_end_early = true}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rft_strategy *strategy = NULL;
        assert_int_equal(rft_strategy_new(&strategy, "auto", plain->space, &cases[i].opts, NULL), 0);
        assert_string_equal(strategy->name, cases[i].all ? "exhaustive" : "memetic");
        strategy->free(strategy);
    }
}

/* Positions ascend with the values, however the script lists them. */
static void a_view_sorts_numbers(void **state) {
    const plain_space *plain = *state;
    rft_space_view *view = rft_view_of_space(plain->space);
    rft_value value;
    uint16_t at;
    assert_int_equal(view->count, CONFIGURATIONS);
    assert_int_equal(view->value_counts[0], CONFIGURATIONS);
    for (uint64_t i = 0; i < CONFIGURATIONS; i++) {
        view->positions(view, i, &at);
        rft_space_get(plain->space, i, &value);
        assert_int_equal(at, value.as.integer - 1);
        assert_true(view->values[0][at] == rft_value_number(&value));
        assert_int_equal(view->find(view, &at), i);
    }
    view->free(view);
}

/* A budget that ends early saw a fair sample: the mean of the first tenth over many seeds is the middle. */
static void an_early_end_is_a_fair_sample(void **state) {
    const plain_space *plain = *state;
    static const char *const names[] = {"exhaustive", "random"};
    for (size_t c = 0; c < 2; c++) {
        double sum = 0;
        for (uint64_t seed = 0; seed < 400; seed++) {
            uint64_t out[10];
            rft_strategy *strategy = NULL;
            assert_int_equal(
                rft_strategy_new(&strategy, names[c], plain->space, &(rft_strategy_opts){.seed = seed}, NULL), 0);
            assert_int_equal(strategy->ask(strategy, out, 10), 10);
            for (size_t i = 0; i < 10; i++) {
                sum += (double)out[i];
            }
            strategy->free(strategy);
        }
        assert_float_equal(sum / 4000, 499.5, 20.0); /* sigma of the mean is 4.6 */
    }
}

/* ---- a space that cannot be listed: 10^12 configurations, and one whose indices are not dense ---- */

static void huge_positions(const rft_space_view *view, uint64_t index, uint16_t *out) {
    for (size_t p = view->param_count; p > 0; p--) {
        out[p - 1] = (uint16_t)(index % view->value_counts[p - 1]);
        index /= view->value_counts[p - 1];
    }
}

static uint64_t huge_find(const rft_space_view *view, const uint16_t *positions) {
    uint64_t index = 0;
    unsigned sum = 0;
    for (size_t p = 0; p < view->param_count; p++) {
        index = index * view->value_counts[p] + positions[p];
        sum += positions[p];
    }
    return view->exact || sum % 2 == 0 ? index : UINT64_MAX;
}

static uint64_t huge_sample(const rft_space_view *view, uint64_t random64) {
    for (;;) {
        uint16_t at[12];
        huge_positions(view, rft_random_below(&random64, 1000000000000), at);
        uint64_t found = huge_find(view, at);
        if (found != UINT64_MAX) {
            return found;
        }
    }
}

static void a_space_of_10_to_the_12(void **state) {
    (void)state;
    static const uint32_t counts[12] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10};
    for (int exact = 0; exact < 2; exact++) {
        rft_space_view view = {.count = 1000000000000,
                               .exact = exact,
                               .param_count = 12,
                               .value_counts = counts,
                               .values = (const double *const[12]){NULL},
                               .positions = huge_positions,
                               .find = huge_find,
                               .sample = huge_sample};
        for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
            uint64_t order[400];
            if (exact && strcmp(entry->name, "exhaustive") == 0) {
                continue; /* a permutation of all */
            }
            assert_int_equal(follow(&view, &(drive){entry->name, 1, 3, 8, 400}, order), 400);
            for (size_t i = 0; i < 400; i++) {
                uint16_t at[12];
                huge_positions(&view, order[i], at);
                assert_true(huge_find(&view, at) == order[i]);
                for (size_t j = 0; j < i; j++) {
                    assert_true(order[i] != order[j]);
                }
            }
        }
    }
}

/* The same through the model's own space. */
static void a_space_of_the_model_of_10_to_the_12(void **state) {
    (void)state;
    rft_value values[10];
    rft_param params[12];
    rft_sweep_vt vt = {0};
    for (int i = 0; i < 10; i++) {
        values[i] = rft_value_int(1 << i);
    }
    for (size_t p = 0; p < 12; p++) {
        params[p] = (rft_param){.name = "P", .help = "", .values = values, .value_count = 10};
    }
    rft_variant variant = {.name = "v", .params = params, .param_count = 12};
    rft_sweep sweep = {.name = "s", .variants = &variant, .variant_count = 1, .vt = &vt};
    rft_space *space = NULL;
    assert_int_equal(rft_space_new(&space, &sweep, 0, NULL, NULL, NULL), 0);
    assert_true(rft_space_count(space) == 1000000000000);
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
        rft_strategy *strategy = NULL;
        rft_strategy_opts opts = {.seed = 9, .budget_points = 300};
        uint64_t order[300];
        if (strcmp(entry->name, "exhaustive") == 0) {
            continue;
        }
        assert_int_equal(rft_strategy_new(&strategy, entry->name, space, &opts, NULL), 0);
        for (size_t i = 0; i < 300; i++) {
            uint16_t at[12];
            assert_int_equal(strategy->ask(strategy, order + i, 1), 1);
            assert_true(order[i] < 1000000000000);
            rft_space_positions(space, order[i], at);
            rft_tell tell = {order[i], RFT_OUTCOME_OK, 1e-3 * (1 + at[0] + at[5] + at[11]), RFT_HINTS_INIT};
            strategy->tell(strategy, &tell);
            for (size_t j = 0; j < i; j++) {
                assert_true(order[i] != order[j]);
            }
        }
        strategy->free(strategy);
    }
    rft_space_free(space);
}

static void an_unknown_name_lists_the_known(void **state) {
    const plain_space *plain = *state;
    rft_strategy_opts opts = {.seed = 1};
    rft_strategy *strategy = (rft_strategy *)plain->space;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_strategy_new(&strategy, "exhastive", plain->space, &opts, &err), RFT_E_USAGE);
    assert_null(strategy);
    assert_non_null(strstr(err.message, "\"exhastive\""));
    assert_non_null(strstr(err.remedy, "did you mean \"exhaustive\"?"));
    assert_int_equal(rft_strategy_new(&strategy, "sequential_halving", plain->space, &opts, &err), RFT_E_USAGE);
    assert_null(strstr(err.remedy, "did you mean"));
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
        assert_non_null(strstr(err.remedy, entry->name));
        assert_true(strlen(entry->help) > 10);
    }
    assert_int_equal(rft_strategy_new(&strategy, NULL, plain->space, &opts, &err), RFT_E_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_exactly_once_and_the_seed_decides),
        cmocka_unit_test(everything_is_tried_in_the_end),
        cmocka_unit_test(the_smallest_spaces),
        cmocka_unit_test(failures_alone),
        cmocka_unit_test(who_learns_is_better_than_random),
        cmocka_unit_test(floors_save_hopeless_proposals),
        cmocka_unit_test(seeds_help_and_cost_no_more_than_themselves),
        cmocka_unit_test(neighbours_make_up_for_what_is_out),
        cmocka_unit_test(what_promises_most_is_next),
        cmocka_unit_test(a_poor_seed_gives_its_place_to_the_next),
        cmocka_unit_test(auto_depends_on_the_budget),
        cmocka_unit_test(a_view_sorts_numbers),
        cmocka_unit_test(an_early_end_is_a_fair_sample),
        cmocka_unit_test(a_space_of_10_to_the_12),
        cmocka_unit_test(a_space_of_the_model_of_10_to_the_12),
        cmocka_unit_test(an_unknown_name_lists_the_known),
    };
    return cmocka_run_group_tests(tests, open_space, close_space);
}
