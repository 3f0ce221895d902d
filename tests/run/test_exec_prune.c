/* SPDX-License-Identifier: Apache-2.0 */
/* What is left out because it cannot win, certificates and goals, GPU time as a budget, and what is tried first. */
#include "run/scene.h"

#include <stdlib.h>
#include <string.h>

#define CANNOT_WIN "cannot win: it needs at least"

static void set_limit(rft_run *run) {
    run->ceilings.items[RFT_CEILING_SHARED_READ].limit = SCRIPTED_SHARED_LIMIT;
}

/* Device memory that needs 100 us for 1000 elements. */
static void set_ceiling(rft_run *run) {
    const double rate = 8.0 * 1000 / 100e-6;
    rft_ceiling *copy = &run->ceilings.items[RFT_CEILING_DRAM_COPY];
    copy->measured = true;
    copy->stats = rft_stats_of(&rate, 1);
    copy = &run->ceilings.items[RFT_CEILING_FP32];
    copy->measured = true;
    copy->stats = rft_stats_of(&rate, 1);
}

/* 64 speeds from 100 us on, of which the later cannot beat the earlier. */
static scripted_sweep_opts many(double modelled_frac) {
    scripted_sweep_opts opts = {.modelled_frac = modelled_frac};
    for (int i = 0; i < 63; i++) {
        opts.speeds[i] = 100 + 10 * i;
    }
    return opts;
}

/* A scene with that sweep, whose shared memory has a limit. */
static rft_sweep *open_many(scene *s, double modelled_frac) {
    scripted_sweep_opts opts = many(modelled_frac);
    scene_open(s, 2);
    s->prepare = set_limit;
    return scene_sweep(s, &opts);
}

static size_t count_skipped(const rft_run *run) {
    size_t count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->outcome == RFT_OUTCOME_SKIPPED) {
            scene_expect(run, point, RFT_OUTCOME_SKIPPED, CANNOT_WIN);
            assert_int_equal(point->rounds[0].n, 0);
            count++;
        }
    }
    return count;
}

/* No point that was left out would have won, and the reason names level, limit and evidence. */
static void what_cannot_win_is_skipped_or_certified(void **state) {
    (void)state;
    scene s;
    open_many(&s, 0.8);
    const rft_run *run = scene_run(&s, "a.db");
    const rft_point *best = rft_run_best(run, 0, 0, 0);
    size_t skipped = count_skipped(run);
    assert_true(skipped > 0);
    assert_true(s.measured < 63);
    assert_true(best->config[PARAM_SPEED].as.integer <= 120); /* 0.8 x 130 us is over 100 */
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].outcome == RFT_OUTCOME_SKIPPED) {
            assert_non_null(strstr(run->points[i].reason, "at the hardware's limit of shared (modelled traffic)"));
        }
    }
    if (run->point_count < 63) {
        assert_non_null(strstr(run->sweeps[0].unexplored, "certified: the hardware's limits leave each at least"));
    }
    assert_true(run->info.finished_unix_ns > 0);
    scene_close(&s);
}

/* Two configurations of 100 us and 61 whose floors are a thousand times that, in a random order. */
static void open_certified(scene *s) {
    scripted_sweep_opts opts = {.modelled_frac = 1.0};
    for (int i = 0; i < 63; i++) {
        opts.speeds[i] = i < 2 ? 100 + i : 100000 + 1000 * i;
    }
    scene_open(s, 2);
    scene_sweep(s, &opts)->search.strategy = "random";
    s->prepare = set_limit;
}

/* Every floor but those of a few is over the best: the search ends before it has asked for all. */
static void a_certificate_ends_the_search(void **state) {
    (void)state;
    scene s;
    open_certified(&s);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(rft_run_best(run, 0, 0, 0)->config[PARAM_SPEED].as.integer, 100);
    scene_expect_once(run);
    assert_true(run->point_count < 63);
    assert_non_null(run->sweeps[0].unexplored);
    assert_non_null(strstr(run->sweeps[0].unexplored, "left untried: certified: the hardware's limits leave each at "
                                                      "least 1"));
    assert_non_null(strstr(run->sweeps[0].unexplored, " by its modelled traffic, the best took 100 us"));
    assert_int_equal(s.last.done, s.last.planned);
    scene_close(&s);
}

/* A model that says more than the device does is not believed, and nothing is lost by it. */
static void a_refuted_model_prunes_nothing_more(void **state) {
    (void)state;
    scene s;
    open_many(&s, 1.5);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 63);
    assert_int_equal(count_skipped(run), 0);
    assert_null(run->sweeps[0].unexplored);
    assert_int_equal(rft_run_best(run, 0, 0, 0)->config[PARAM_SPEED].as.integer, 100);
    scene_close(&s);
}

static void no_prune_measures_all(void **state) {
    (void)state;
    scene s;
    open_many(&s, 0.8);
    s.opts.no_prune = true;
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 63);
    assert_int_equal(count_skipped(run), 0);
    scene_close(&s);
}

/* Stopped after so many reports and continued, it leaves out the same and ends for the same reason. */
static void expect_same_course(scene *s, unsigned stop_after) {
    const rft_run *whole = scene_run(s, "whole.db");
    s->stop_after = stop_after;
    scene_run(s, "parts.db");
    assert_true(s->stopped);
    s->stop_after = 0;
    const rft_run *parts = scene_run(s, "parts.db");
    assert_int_equal(parts->point_count, whole->point_count);
    for (size_t i = 0; i < whole->point_count; i++) {
        assert_int_equal(parts->points[i].outcome, whole->points[i].outcome);
        assert_true(rft_values_equal(parts->points[i].config, whole->points[i].config, PARAM_COUNT));
    }
    assert_int_equal(parts->sweeps[0].unexplored == NULL, whole->sweeps[0].unexplored == NULL);
    assert_true(!whole->sweeps[0].unexplored || strcmp(parts->sweeps[0].unexplored, whole->sweeps[0].unexplored) == 0);
}

static void a_continued_run_prunes_the_same(void **state) {
    (void)state;
    scene s;
    open_many(&s, 0.8);
    expect_same_course(&s, 17);
    scene_close(&s);
}

static void a_continued_run_is_certified_at_the_same_point(void **state) {
    (void)state;
    scene s;
    open_certified(&s);
    expect_same_course(&s, 4);
    scene_close(&s);
}

static void a_goal_that_is_met_ends_the_search(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = many(0);
    scene_sweep(&s, &opts)->search.goal_frac = 0.8;
    s.prepare = set_ceiling;
    const rft_run *run = scene_run(&s, "a.db");
    const rft_point *best = rft_run_best(run, 0, 0, 0);
    assert_true(best->config[PARAM_SPEED].as.integer <= 125);
    assert_true(run->point_count < 63);
    assert_non_null(strstr(run->sweeps[0].unexplored, "left untried: the goal was met: "));
    assert_non_null(strstr(run->sweeps[0].unexplored, "% of the roof, 80.0 % were asked for"));
    s.sweeps[0]->search.goal_frac = 1; /* 100 us is the roof itself */
    run = scene_run(&s, "b.db");
    assert_int_equal(rft_run_best(run, 0, 0, 0)->config[PARAM_SPEED].as.integer, 100);
    scene_close(&s);
}

static void gpu_time_is_a_budget(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.sizes = {1000, 2000}};
    for (int i = 0; i < 40; i++) {
        opts.speeds[i] = 1000 + i;
    }
    scene_sweep(&s, &opts);
    s.sweeps[0]->measure.no_race = true;
    const rft_run *all = scene_run(&s, "all.db");
    double each_s = all->points[0].rounds[0].busy_s;
    assert_true(each_s > 0);
    s.sweeps[0]->search.budget_gpu_s = 20.5 * each_s; /* half of it for each of both parts */
    const rft_run *run = scene_run(&s, "a.db");
    assert_in_range(run->point_count, 18, 26);
    assert_non_null(strstr(run->sweeps[0].unexplored, "left untried: the budget ended"));
    scene_close(&s);
}

/* What was best on the problems before goes first, nearest first; it is marked, and nothing is tried twice. */
static void the_best_elsewhere_goes_first(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {50, 20, 40, 10, 30, 60}, .sizes = {1000, 2000, 3000}};
    scene_sweep(&s, &opts);
    const rft_run *run = scene_run(&s, "a.db");
    scene_expect_once(run);
    assert_int_equal(run->point_count, 18);
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        bool first_of_later = i == 6 || i == 12;
        assert_int_equal(point->transferred, first_of_later);
        if (first_of_later) {
            assert_int_equal(point->config[PARAM_SPEED].as.integer, 10);
        }
    }
    scene_close(&s);
}

/* Energy as objective: all who may still win are put under load, who cannot is told why, and the best is by joules. */
static void energy_as_objective(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    setenv("SCRIPTED_WATTS", "400", 1); /* always: a time over the best cannot win at idle power either */
    scripted_sweep_opts opts = {.speeds = {20000, 30000, 40000}};
    rft_sweep *sweep = scene_sweep(&s, &opts);
    sweep->measure.point_timeout_s = 30;
    sweep->search.objective = RFT_OBJECTIVE_ENERGY;
    const rft_run *run = scene_run(&s, "a.db");
    const rft_point *best = rft_run_best(run, 0, 0, 0);
    assert_int_equal(best->config[PARAM_SPEED].as.integer, 20000);
    assert_true(rft_point_objective(run, best) > 7.5 && rft_point_objective(run, best) < 8.5);
    size_t with_energy = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_load *load = run->points[i].loads[RFT_LOAD_ENERGY];
        assert_non_null(load);
        with_energy += load->reason == NULL;
        assert_true(!load->reason || strstr(load->reason, "cannot win: at idle power alone it takes"));
    }
    assert_int_equal(with_energy, 1);
    assert_int_equal(run->sweeps[0].sweep.search.objective, RFT_OBJECTIVE_ENERGY);
    unsetenv("SCRIPTED_WATTS");
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_win_is_skipped_or_certified),
        cmocka_unit_test(a_certificate_ends_the_search),
        cmocka_unit_test(a_refuted_model_prunes_nothing_more),
        cmocka_unit_test(no_prune_measures_all),
        cmocka_unit_test(a_continued_run_prunes_the_same),
        cmocka_unit_test(a_continued_run_is_certified_at_the_same_point),
        cmocka_unit_test(a_goal_that_is_met_ends_the_search),
        cmocka_unit_test(gpu_time_is_a_budget),
        cmocka_unit_test(the_best_elsewhere_goes_first),
        cmocka_unit_test(energy_as_objective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
