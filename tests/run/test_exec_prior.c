/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep's prior: a search begins with its first choices, a whole space keeps its order; spills, serialised code. */
#include "run/prior_rank.h"
#include "run/scene.h"

#include <math.h>
#include <string.h>

enum { SPEEDS = 60, BUDGET = 20, SEEDS = BUDGET / 5 };

/* Near enough to the truth. */
static double good_prior(const rft_value *config) {
    return (double)config[PARAM_SPEED].as.integer * 1e-6;
}

static double bad_prior(const rft_value *config) {
    return 1.0 / (double)config[PARAM_SPEED].as.integer;
}

static double partial_prior(const rft_value *config) {
    return config[PARAM_SPEED].as.integer % 20 == 0 ? good_prior(config) : -1;
}

static double spilling_prior(const rft_value *config) {
    return (strcmp(config[PARAM_FATE].as.text, "spills") == 0 ? 1 : 2) * good_prior(config);
}

static rft_sweep *open_sweep(scene *s, double (*prior)(const rft_value *config), const char *second_fate) {
    scripted_sweep_opts opts = {.prior = prior, .fates = {"ok", second_fate}};
    for (int i = 0; i < SPEEDS; i++) {
        opts.speeds[i] = 100 + 10 * ((i * 37) % SPEEDS);
    }
    scene_open(s, 2);
    return scene_sweep(s, &opts);
}

static int64_t speed_at(const rft_run *run, size_t i) {
    return run->points[i].config[PARAM_SPEED].as.integer;
}

static void a_search_begins_with_its_first_choices(void **state) {
    (void)state;
    scene s;
    open_sweep(&s, good_prior, NULL)->search.budget_points = BUDGET;
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, BUDGET);
    scene_expect_once(run);
    for (size_t i = 0; i < SEEDS; i++) {
        assert_int_equal(speed_at(run, i), 100 + 10 * (int)i);
        assert_false(run->points[i].transferred);
    }
    for (size_t i = 0; i < run->point_count; i++) { /* kept with every point */
        assert_true(run->points[i].prior == good_prior(run->points[i].config));
    }
    assert_int_equal(rft_run_best(run, 0, 0, 0)->config[PARAM_SPEED].as.integer, 100);
    scene_close(&s);
}

/* What it costs is bounded by the seeds: all else is the course that there is without it. */
static void a_misleading_one_costs_its_seeds(void **state) {
    (void)state;
    scene s;
    rft_sweep *sweep = open_sweep(&s, bad_prior, NULL);
    sweep->search.budget_points = BUDGET;
    sweep->search.strategy = "random";
    const rft_run *misled = scene_run(&s, "a.db");
    scene plain_scene;
    rft_sweep *plain_sweep = open_sweep(&plain_scene, NULL, NULL);
    plain_sweep->search.budget_points = BUDGET;
    plain_sweep->search.strategy = "random";
    const rft_run *plain = scene_run(&plain_scene, "a.db");
    size_t same = SEEDS;
    for (size_t i = 0; i < plain->point_count; i++) { /* the random order, but for the seeds in it */
        assert_true(isnan(plain->points[i].prior));
        bool is_seed = speed_at(plain, i) > 100 + 10 * (SPEEDS - 1 - SEEDS);
        if (!is_seed && same < misled->point_count) {
            assert_int_equal(speed_at(misled, same++), speed_at(plain, i));
        }
    }
    assert_int_equal(same, BUDGET);
    scene_close(&plain_scene);
    scene_close(&s);
}

/* Nothing is left out, and the order stays a fair sample of what an interrupt leaves. */
static void a_whole_space_keeps_its_order(void **state) {
    (void)state;
    scene s, plain_scene;
    open_sweep(&s, good_prior, NULL);
    const rft_run *run = scene_run(&s, "a.db");
    open_sweep(&plain_scene, NULL, NULL);
    const rft_run *plain = scene_run(&plain_scene, "a.db");
    assert_int_equal(run->point_count, SPEEDS);
    assert_int_equal(plain->point_count, SPEEDS);
    for (size_t i = 0; i < SPEEDS; i++) {
        assert_int_equal(speed_at(run, i), speed_at(plain, i));
    }
    scene_close(&plain_scene);
    scene_close(&s);
}

static void a_continued_run_goes_on_as_it_would(void **state) {
    (void)state;
    scene s;
    open_sweep(&s, good_prior, NULL)->search.budget_points = BUDGET;
    const rft_run *whole = scene_run(&s, "whole.db");
    s.stop_after = 1;
    scene_run(&s, "parts.db");
    assert_true(s.stopped);
    s.stop_after = 0;
    const rft_run *parts = scene_run(&s, "parts.db");
    assert_int_equal(parts->point_count, whole->point_count);
    for (size_t i = 0; i < whole->point_count; i++) {
        assert_int_equal(speed_at(parts, i), speed_at(whole, i));
    }
    scene_close(&s);
}

/* What spills is known once it is compiled: the next in line takes its place. */
static void what_spills_gives_its_place_away(void **state) {
    (void)state;
    scene s;
    open_sweep(&s, spilling_prior, "spills")->search.budget_points = 20;
    const rft_run *run = scene_run(&s, "a.db");
    size_t spilled = 0, among_first = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        bool spills = strcmp(point->config[PARAM_FATE].as.text, "spills") == 0;
        assert_int_equal(point->facts.spill_bytes > 0, spills);
        among_first += spills && i < 4;
        spilled += spills && point->prior <= 7.001e-4 && speed_at(run, i) < 180;
    }
    assert_int_equal(among_first, 4); /* a fifth of the budget */
    assert_true(spilled >= 8);        /* and as many in their place: all of them spill */
    scene_close(&s);
}

static void a_prior_that_fails_has_no_opinion(void **state) {
    (void)state;
    scene s;
    open_sweep(&s, partial_prior, NULL)->search.budget_points = BUDGET;
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, BUDGET);
    for (size_t i = 0; i < run->point_count; i++) {
        scene_expect(run, &run->points[i], RFT_OUTCOME_OK, NULL);
        assert_int_equal(isnan(run->points[i].prior), speed_at(run, i) % 20 != 0);
    }
    for (int i = 0; i < SEEDS; i++) {
        assert_int_equal(speed_at(run, (size_t)i), 100 + 20 * i);
    }
    scene_close(&s);
}

/* Whatever ptxas calls it: the configuration is not measured, and its words are kept. */
static void serialized_code_is_skipped(void **state) {
    (void)state;
    scene s;
    scripted_sweep_opts opts = {.fates = {"ok", "serialized"}};
    scene_open(&s, 2);
    scene_sweep(&s, &opts);
    const rft_run *run = scene_run(&s, "a.db");
    const rft_point *point = scene_point(run, 0, "serialized", 10);
    scene_expect(run, point, RFT_OUTCOME_SKIPPED, "the compiler runs its wgmma one by one: (C7510) Potential");
    assert_int_equal(point->rounds[0].n, 0);
    assert_non_null(strstr(point->log, "(C7510)"));
    scene_expect(run, scene_point(run, 0, "ok", 10), RFT_OUTCOME_OK, NULL);
    scene_close(&s);
}

static void seeds_are_a_fifth(void **state) {
    (void)state;
    assert_int_equal(rft_prior_seeds(3), 1);
    assert_int_equal(rft_prior_seeds(30), 6);
    assert_int_equal(rft_prior_seeds(10000), RFT_PRIOR_SEEDS);
    assert_int_equal(rft_prior_seeds(UINT64_MAX), RFT_PRIOR_SEEDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_begins_with_its_first_choices),
        cmocka_unit_test(a_misleading_one_costs_its_seeds),
        cmocka_unit_test(a_whole_space_keeps_its_order),
        cmocka_unit_test(a_continued_run_goes_on_as_it_would),
        cmocka_unit_test(what_spills_gives_its_place_away),
        cmocka_unit_test(a_prior_that_fails_has_no_opinion),
        cmocka_unit_test(serialized_code_is_skipped),
        cmocka_unit_test(seeds_are_a_fifth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
