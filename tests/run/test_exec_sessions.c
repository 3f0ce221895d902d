/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that are stopped, killed and continued; the order of points. */
#include "run/same_runs.h"
#include "run/scene.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* 5 speeds, twins of each, one fate that fails and one that is wrong on the odd size only. */
static const scripted_sweep_opts mixed = {.fates = {"ok", "odd_wrong", "compile_refused"},
                                          .speeds = {10, 20, 30, 40, 50},
                                          .cosmetics = 2,
                                          .sizes = {1000, 2000},
                                          .odd = 1001};
enum { MIXED_CONFIGS = 30, MIXED_POINTS = 90 };

static bool same_samples(const rft_measurement *a, const rft_measurement *b) {
    return a->n == b->n && (a->n == 0 || memcmp(a->samples_s, b->samples_s, a->n * sizeof *a->samples_s) == 0);
}

/* However many compile, and however long it takes each: more configurations than are compiled ahead, two variants. */
static void the_order_depends_on_the_seed_alone(void **state) {
    (void)state;
    const size_t workers[] = {1, 2, 14};
    scripted_sweep_opts opts = mixed;
    const rft_run *first = NULL;
    scene scenes[3];
    opts.variants = 2;
    setenv("SCRIPTED_COMPILE_MS", "20", 1);
    for (size_t i = 0; i < 3; i++) {
        scene_open(&scenes[i], workers[i]);
        scene_sweep(&scenes[i], &opts);
        const rft_run *run = scene_run(&scenes[i], "a.db");
        assert_int_equal(run->point_count, 2 * MIXED_POINTS);
        first = first ? first : run;
        expect_same_runs(first, run);
    }
    unsetenv("SCRIPTED_COMPILE_MS");
    assert_int_equal(scene_session(&scenes[0], "other.db", 2), RFT_OK);
    const rft_run *other = scene_load(&scenes[0], "other.db");
    bool same = true;
    assert_int_equal(other->point_count, first->point_count);
    for (size_t i = 0; i < first->point_count; i++) {
        same = same && rft_values_equal(first->points[i].config, other->points[i].config, PARAM_COUNT);
    }
    assert_false(same);
    for (size_t i = 0; i < 3; i++) {
        scene_close(&scenes[i]);
    }
}

static void expect_same_configurations(const rft_run *a, const rft_run *b) {
    assert_int_equal(a->point_count, b->point_count);
    for (size_t i = 0; i < a->point_count; i++) {
        assert_int_equal(a->points[i].problem, b->points[i].problem);
        assert_true(rft_values_equal(a->points[i].config, b->points[i].config, PARAM_COUNT));
    }
}

static void expect_kept(const rft_run *before, const rft_run *after) {
    assert_true(after->point_count >= before->point_count);
    for (size_t i = 0; i < before->point_count; i++) {
        assert_true(same_samples(&before->points[i].rounds[0], &after->points[i].rounds[0]));
        assert_true(before->points[i].rounds[1].n == 0 ||
                    same_samples(&before->points[i].rounds[1], &after->points[i].rounds[1]));
    }
}

/* Stopped after every 11 reports, through both rounds: the same course as at one go, no measure more. */
static void a_run_stopped_again_and_again_takes_the_same_course(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scene_sweep(&s, &mixed);
    const rft_run *whole = scene_run(&s, "whole.db");
    unsigned at_one_go = s.measured;
    const rft_run *before = NULL;
    int sessions = 0;
    s.measured = 0;
    s.stopped = true;
    for (; s.stopped; sessions++) {
        assert_true(sessions < 60);
        /* Those of earlier sessions are reported too, as they are passed by. */
        s.stop_after = (before ? (unsigned)before->point_count : 0) + 11;
        assert_int_equal(scene_session(&s, "parts.db", 1), RFT_OK);
        const rft_run *now = scene_load(&s, "parts.db");
        assert_int_equal(now->info.finished_unix_ns == 0, s.stopped);
        if (before) {
            expect_kept(before, now);
        }
        before = now;
    }
    assert_true(sessions > 4);
    expect_same_runs(whole, before);
    assert_int_equal(s.measured, at_one_go);
    scene_expect_once(before);
    assert_null(before->sweeps[0].unexplored);
    scene_close(&s);
}

/* Strategies that learn: what was stored is told again, in the order asked, and neither stops nor workers change what
 * is tried. Some fail, and a batch is verified on the odd size before it is timed. */
static void a_strategy_that_learns_goes_on_as_it_would_have(void **state) {
    (void)state;
    static const char *const names[] = {"memetic", "greedy_ils", "trees"};
    const scripted_sweep_opts opts = {.fates = {"ok", "compile_refused"},
                                      .speeds = {90, 80, 70, 60, 50, 40, 30, 20, 10, 15, 25, 35, 45, 55, 65, 75, 85},
                                      .cosmetics = 2,
                                      .sizes = {1000},
                                      .odd = 1001};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        scene s, other;
        scene_open(&s, 2);
        scene_open(&other, 14);
        scene_sweep(&s, &opts);
        scene_sweep(&other, &opts);
        s.sweeps[0]->search.strategy = other.sweeps[0]->search.strategy = names[i];
        s.sweeps[0]->search.budget_points = other.sweeps[0]->search.budget_points = 48;
        const rft_run *whole = scene_run(&s, "whole.db");
        expect_same_configurations(whole, scene_run(&other, "whole.db"));
        s.stopped = true;
        for (unsigned sessions = 1; s.stopped; sessions++) { /* into the final round and through it */
            assert_true(sessions < 60);
            s.stop_after = 23 * sessions;
            assert_int_equal(scene_session(&s, "parts.db", 1), RFT_OK);
        }
        expect_same_runs(whole, scene_load(&s, "parts.db"));
        scene_expect_once(whole);
        scene_close(&other);
        scene_close(&s);
    }
}

/* A finalist fails the second time. It stays one of the few: a continued run does not take another in its place. */
static void who_fails_in_the_final_round_makes_no_room(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {1000, 1001, 1002, 1003, 1004, 1005, 1006}, .sizes = {1000, 2000}};
    scene_sweep(&s, &opts);
    s.doomed = "1000 ok 1001 0";
    const rft_run *whole = scene_run(&s, "whole.db");
    scene_expect(whole, scene_point(whole, 0, "ok", 1001), RFT_OUTCOME_CRASHED, "in the final round: doomed");
    assert_int_equal(s.last.outcomes[RFT_OUTCOME_CRASHED], 1);
    assert_int_equal(s.last.failed, 1);
    unsigned sessions = 0;
    s.stopped = true;
    for (; s.stopped; sessions++) { /* a report for each point, and one more of the final round every time */
        s.stop_after = 14 + 1;
        assert_int_equal(scene_session(&s, "parts.db", 1), RFT_OK);
    }
    assert_int_equal(sessions, 2 * RFT_FINALISTS);
    expect_same_runs(whole, scene_load(&s, "parts.db"));
    assert_int_equal(s.last.outcomes[RFT_OUTCOME_CRASHED], 1);
    scene_close(&s);
}

static void what_a_stop_leaves_is_counted_and_made_up_for(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {1, 2, 3, 4, 5, 6}, .sizes = {1000, 2000}, .variants = 2};
    scene_sweep(&s, &opts);
    s.stop_after = 7;
    const rft_run *stopped = scene_run(&s, "a.db");
    assert_true(s.stopped);
    assert_int_equal(stopped->point_count, 7);
    assert_string_equal(stopped->sweeps[0].unexplored, "17 configurations left untried: the run was stopped");
    s.stop_after = 0;
    const rft_run *whole = scene_run(&s, "a.db");
    assert_int_equal(whole->point_count, 24);
    assert_null(whole->sweeps[0].unexplored);
    scene_close(&s);
}

/* The coordinator is killed in the middle of a measure: its workers die with it, and its file is continued. */
static void a_killed_coordinator_leaves_no_worker_behind(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.fates = {"ok", "hangs", "compile_endless"}, .speeds = {1, 2, 3}};
    rft_sweep *sweep = scene_sweep(&s, &opts);
    sweep->measure.point_timeout_s = 60;
    sweep->measure.compile_timeout_s = 60;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        scene_workers(&s, 2);
        scene_session(&s, "a.db", 1);
        _exit(0);
    }
    assert_true(scene_wait_processes(&s, 3, 20)); /* two compilers, of which one never ends, and the device's */
    scene_sleep_s(0.3);
    kill(child, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_true(scene_wait_end(&s, 5));
    size_t before = scene_load(&s, "a.db")->point_count;
    sweep->measure.point_timeout_s = 0.3;
    sweep->measure.compile_timeout_s = 0.3;
    const rft_run *run = scene_run(&s, "a.db");
    assert_true(run->point_count > before);
    assert_int_equal(run->point_count, 9);
    scene_expect_once(run);
    assert_true(run->info.finished_unix_ns > 0);
    scene_close(&s);
}

/* Signals of the terminal and of a batch system reach the group: the point in hand is not spoiled by them. */
static void workers_leave_signals_to_the_coordinator(void **state) {
    (void)state;
    scene s;
    long ids[8];
    scene_open(&s, 1);
    scripted_sweep_opts opts = {.speeds = {1, 2}};
    scene_sweep(&s, &opts);
    scene_run(&s, "a.db");
    size_t count = scene_processes(&s, ids, 8);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++) {
        assert_true(getpgid((pid_t)ids[i]) != getpgrp());
        kill((pid_t)ids[i], SIGINT);
        kill((pid_t)ids[i], SIGTERM);
        kill((pid_t)ids[i], SIGHUP);
    }
    scene_run(&s, "b.db");
    long again[8];
    assert_int_equal(scene_processes(&s, again, 8), 2);
    assert_memory_equal(ids, again, 2 * sizeof *ids);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_depends_on_the_seed_alone),
        cmocka_unit_test(a_run_stopped_again_and_again_takes_the_same_course),
        cmocka_unit_test(a_strategy_that_learns_goes_on_as_it_would_have),
        cmocka_unit_test(who_fails_in_the_final_round_makes_no_room),
        cmocka_unit_test(what_a_stop_leaves_is_counted_and_made_up_for),
        cmocka_unit_test(a_killed_coordinator_leaves_no_worker_behind),
        cmocka_unit_test(workers_leave_signals_to_the_coordinator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
