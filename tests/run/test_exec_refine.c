/* SPDX-License-Identifier: Apache-2.0 */
/* refine(): a kernel with a known knee, measured between the values of its grid; stopped, continued, replayed. */
#include "run/same_runs.h"
#include "run/scene.h"

#include "model/transition/refine.h"

#include <string.h>

/* Bound by latency up to n = 7875 (0.6 of the time at the ceiling), by memory from there; the times turn near 12,000.
 * Between 4000 and 8000, and between 8000 and 16000, at most two bisections each. */
static const scripted_sweep_opts knee = {.fates = {"knee"},
                                         .speeds = {10, 20, 30, 40},
                                         .sizes = {500, 1000, 2000, 4000, 8000, 16000, 32000},
                                         .odd = 501,
                                         .refine = 2};
enum { GRID = 8 }; /* problems, with the odd one */

static void begin(scene *s, const scripted_sweep_opts *opts) {
    scene_open(s, 2);
    scene_sweep(s, opts);
    s->opts.ceilings = scene_give_ceilings;
}

static int64_t n_of(const rft_run *run, size_t problem) {
    return run->sweeps[0].sweep.problems[problem].values[0].as.integer;
}

static const rft_profile *profile_of(const rft_run *run) {
    rft_profile *profiles = NULL;
    assert_int_equal(rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles), 1);
    return profiles;
}

static bool has_speed(const rft_run *run, size_t problem, int speed) {
    return scene_point(run, problem, "knee", speed) != NULL;
}

static void a_flip_is_bisected_by_the_winners_of_both_ends(void **state) {
    (void)state;
    scene s;
    begin(&s, &knee);
    const rft_run *run = scene_run(&s, "a.db");
    const rft_sweep *sweep = &run->sweeps[0].sweep;
    rft_refine_value *left = NULL;
    for (size_t p = GRID; p < sweep->problem_count; p++) {
        print_message("n=%lld, depth %d: %s\n", (long long)n_of(run, p), sweep->problems[p].refined,
                      rft_refine_text(run, 0, p, run->arena));
    }
    assert_true(sweep->problem_count > GRID);
    assert_int_equal(n_of(run, GRID), 5664); /* 5657, as a multiple of 32 */
    assert_int_equal(sweep->problems[GRID].refined, 1);
    const rft_profile *profile = profile_of(run);
    for (size_t i = 0; i + 1 < profile->step_count; i++) {
        double low = rft_value_number(&profile->steps[i].value), high = rft_value_number(&profile->steps[i + 1].value);
        if (profile->steps[i].bound.resource != profile->steps[i + 1].bound.resource) {
            assert_true(low < 7875 && 7875 <= high);
            assert_true(high / low < 1.2); /* a factor of 2 halved twice */
        }
    }
    assert_int_equal(rft_refine_values(run, profile, run->arena, &left), 0); /* nothing is left to do */
    for (size_t p = GRID; p < sweep->problem_count; p++) {
        assert_true(has_speed(run, p, 10));
        assert_int_equal(has_speed(run, p, 20), n_of(run, p) > 8000); /* it wins at 16000 */
        assert_false(has_speed(run, p, 30) || has_speed(run, p, 40));
        assert_true(rft_run_best(run, 0, SIZE_MAX, p)->rounds[1].n > 0); /* they are in the final round, too */
    }
    scene_expect_once(run);
    assert_null(run->sweeps[0].unexplored);
    assert_int_equal(s.last.done, s.last.planned);
    assert_true(s.last.refined >= 2 && s.last.refined < 10);
    assert_int_equal(s.last.planned, 4 * GRID + s.last.refined);
    scene_close(&s);
}

/* Of many configurations the fast ones win at the ends, and the prior's choices lie behind all others. */
static double slow_first(const rft_value *config) {
    return 1.0 / (double)config[PARAM_SPEED].as.integer;
}

enum { SPEEDS = 40 };
static scripted_sweep_opts many_with(double (*prior)(const rft_value *config)) {
    scripted_sweep_opts opts = knee;
    opts.prior = prior;
    for (int i = 0; i < SPEEDS; i++) {
        opts.speeds[i] = 10 * (i + 1);
    }
    return opts;
}

static bool is_of_prior(const rft_point *point) {
    return point->config[PARAM_SPEED].as.integer > 10 * (SPEEDS - RFT_REFINE_FIRSTS);
}

static void a_prior_has_its_first_choices_there_too(void **state) {
    (void)state;
    scene s;
    const scripted_sweep_opts plain = many_with(NULL), opts = many_with(slow_first);
    begin(&s, &plain);
    const rft_run *without = scene_run(&s, "plain.db");
    s.sweep_count = 0;
    scene_sweep(&s, &opts);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->sweeps[0].sweep.problem_count, without->sweeps[0].sweep.problem_count);
    for (size_t p = GRID; p < run->sweeps[0].sweep.problem_count; p++) {
        for (int speed = 10; speed <= 10 * SPEEDS; speed += 10) {
            bool chosen = speed > 10 * (SPEEDS - RFT_REFINE_FIRSTS);
            assert_int_equal(has_speed(run, p, speed), chosen || has_speed(without, p, speed));
            assert_false(chosen && has_speed(without, p, speed));
        }
        assert_non_null(strstr(rft_refine_text(run, 0, p, run->arena), " among them"));
    }
    scene_expect_once(run);
    assert_int_equal(s.last.done, s.last.planned);
    scene_close(&s);
}

/* They were not all in the grid: what was not verified on the odd problem yet is, and nothing goes beyond the plan. */
static void its_choices_are_verified(void **state) {
    (void)state;
    scene s;
    const scripted_sweep_opts opts = many_with(slow_first);
    begin(&s, &opts);
    s.sweeps[0]->search.budget_points = 40; /* 32: five on each of seven, and five are left */
    const rft_run *run = scene_run(&s, "a.db");
    size_t of_prior = 0, timed = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        timed += !run->sweeps[0].sweep.problems[point->problem].odd;
        of_prior += point->problem >= GRID && is_of_prior(point);
        assert_non_null(scene_point(run, 0, "knee", (int)point->config[PARAM_SPEED].as.integer));
    }
    assert_true(of_prior > 0);
    assert_int_equal(timed, 40);
    assert_false(s.went_back);
    assert_int_equal(s.last.done, s.last.planned);
    scene_close(&s);
}

static void without_depth_nothing_is_added(void **state) {
    (void)state;
    scene s;
    scripted_sweep_opts opts = knee;
    opts.refine = 0;
    begin(&s, &opts);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->sweeps[0].sweep.problem_count, GRID);
    assert_int_equal(s.last.refined, 0);
    scene_close(&s);
}

/* Stopped after every five reports, through refining and the final round. */
static void stopped_again_and_again(const scripted_sweep_opts *opts) {
    scene s;
    begin(&s, opts);
    const rft_run *whole = scene_run(&s, "whole.db");
    const rft_run *before = NULL;
    unsigned at_one_go = s.measured, sessions = 0;
    s.measured = 0;
    for (s.stopped = true; s.stopped; sessions++) {
        assert_true(sessions < 60);
        s.stop_after = (before ? (unsigned)before->point_count : 0) + 5;
        assert_int_equal(scene_session(&s, "parts.db", 1), RFT_OK);
        before = scene_load(&s, "parts.db");
    }
    assert_true(sessions > 6);
    expect_same_runs(whole, before);
    assert_int_equal(s.measured, at_one_go);
    scene_close(&s);
}

static void stopped_again_and_again_it_adds_the_same(void **state) {
    (void)state;
    stopped_again_and_again(&knee);
    scripted_sweep_opts opts = knee;
    opts.prior = slow_first;
    opts.speeds[4] = 50; /* the last three are the prior's */
    stopped_again_and_again(&opts);
}

static void a_budget_leaves_a_fifth_to_it(void **state) {
    (void)state;
    scene s;
    begin(&s, &knee);
    s.sweeps[0]->search.budget_points = 20; /* 16 for the grid: three on each of seven, so that one more fits none */
    const rft_run *run = scene_run(&s, "a.db");
    size_t timed = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        timed += !run->sweeps[0].sweep.problems[run->points[i].problem].odd;
    }
    assert_true(timed <= 21); /* a part is whole points */
    scene_close(&s);
    begin(&s, &knee);
    s.sweeps[0]->search.budget_points = 30; /* 24: four on each, 28, and two are left */
    run = scene_run(&s, "b.db");
    const rft_sweep *sweep = &run->sweeps[0].sweep;
    timed = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        timed += !sweep->problems[run->points[i].problem].odd;
    }
    assert_int_equal(timed, 30);
    assert_true(sweep->problem_count > GRID);
    scene_close(&s);
}

static size_t not_recorded(const rft_run *run) {
    size_t count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        count += run->points[i].outcome == RFT_OUTCOME_NOT_RECORDED;
    }
    return count;
}

static void replay(const scripted_sweep_opts *recorded_opts, const scripted_sweep_opts *opts) {
    scene s;
    begin(&s, recorded_opts);
    const rft_run *recorded = scene_run(&s, "recorded.db");
    scene_replay(&s, "recorded.db");
    s.sweep_count = 0;
    scene_sweep(&s, opts);
    const rft_run *run = scene_run(&s, "replay.db");
    assert_int_equal(not_recorded(run), 0);
    assert_int_equal(run->sweeps[0].sweep.problem_count, recorded->sweeps[0].sweep.problem_count);
    for (size_t p = 0; p < run->sweeps[0].sweep.problem_count; p++) {
        assert_int_equal(n_of(run, p), n_of(recorded, p));
        assert_int_equal(run->sweeps[0].sweep.problems[p].refined, recorded->sweeps[0].sweep.problems[p].refined);
    }
    assert_int_equal(run->point_count, recorded->point_count);
    scene_close(&s);
}

/* The same where the recording is of before there was a prior, or it chose by another. */
static void a_replay_has_what_was_recorded(void **state) {
    (void)state;
    const scripted_sweep_opts plain = many_with(NULL), opts = many_with(slow_first);
    replay(&knee, &knee);
    replay(&opts, &opts);
    replay(&plain, &opts);
}

static void count_warnings(void *self, rft_log_level level, const char *text) {
    size_t *count = self;
    *count += level == RFT_LOG_WARN && strstr(text, "which the recording does not have") != NULL;
}

/* A recording of before: it is said what would be measured, once for each flip. */
static void what_the_recording_lacks_is_said(void **state) {
    (void)state;
    scene s;
    scripted_sweep_opts opts = knee;
    size_t warnings = 0;
    rft_log log = {count_warnings, &warnings};
    opts.refine = 0;
    begin(&s, &opts);
    scene_run(&s, "recorded.db");
    scene_replay(&s, "recorded.db");
    s.sweep_count = 0;
    scene_sweep(&s, &knee);
    s.opts.log = &log;
    const rft_run *run = scene_run(&s, "replay.db");
    const rft_sweep *sweep = &run->sweeps[0].sweep;
    assert_true(sweep->problem_count > GRID);
    assert_int_equal(warnings, sweep->problem_count - GRID);
    for (size_t p = GRID; p < sweep->problem_count; p++) {
        assert_int_equal(sweep->problems[p].refined, 1); /* what is not known is not bisected further */
    }
    assert_true(not_recorded(run) >= warnings);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flip_is_bisected_by_the_winners_of_both_ends),
        cmocka_unit_test(a_prior_has_its_first_choices_there_too),
        cmocka_unit_test(its_choices_are_verified),
        cmocka_unit_test(without_depth_nothing_is_added),
        cmocka_unit_test(stopped_again_and_again_it_adds_the_same),
        cmocka_unit_test(a_budget_leaves_a_fifth_to_it),
        cmocka_unit_test(a_replay_has_what_was_recorded),
        cmocka_unit_test(what_the_recording_lacks_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
