/* SPDX-License-Identifier: Apache-2.0 */
/* Replay of a stored run, with a compiler and without: the same points, the same bests. */
#include "run/scene.h"

#include <string.h>

static const scripted_sweep_opts mixed = {
    .fates = {"ok", "odd_wrong", "wrong", "compile_refused", "exits", "too_large"},
    .speeds = {10, 20, 30},
    .cosmetics = 2,
    .sizes = {1000, 2000},
    .odd = 1001,
    .variants = 2};

static void expect_same_bests(const rft_run *a, const rft_run *b) {
    for (size_t p = 0; p < a->sweeps[0].sweep.problem_count; p++) {
        for (size_t v = 0; v < 2; v++) {
            const rft_point *x = rft_run_best(a, 0, v, p), *y = rft_run_best(b, 0, v, p);
            assert_int_equal(x == NULL, y == NULL);
            if (x) {
                assert_true(rft_values_equal(x->config, y->config, PARAM_COUNT));
                assert_true(rft_point_median_s(x) == rft_point_median_s(y));
                assert_int_equal(x->rounds[1].n, y->rounds[1].n);
            }
        }
    }
}

static size_t count_outcome(const rft_run *run, rft_outcome outcome) {
    size_t count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        count += run->points[i].outcome == outcome;
    }
    return count;
}

/* Every point as recorded. Facts of what is excluded by the odd size are known to the compiler alone; what had cost too
 * many workers was not compiled when it was recorded. */
static void expect_same_points(const rft_run *a, const rft_run *b, bool compiled) {
    assert_int_equal(a->point_count, b->point_count);
    for (size_t i = 0; i < a->point_count; i++) {
        const rft_point *x = &a->points[i], *y = &b->points[i];
        assert_true(rft_values_equal(x->config, y->config, PARAM_COUNT));
        assert_int_equal(x->outcome, y->outcome);
        assert_int_equal(x->alias_of, y->alias_of);
        assert_int_equal(x->rounds[0].n, y->rounds[0].n);
        bool untried = x->reason && rft_text_starts(x->reason, "not tried: ");
        if ((compiled && !untried) || rft_outcome_is_measured(x->outcome)) {
            assert_int_equal(x->facts.registers, y->facts.registers);
        }
        if (x->reason || y->reason) {
            assert_string_equal(x->reason, y->reason);
        }
    }
}

static void with_a_compiler_everything_is_made_again(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scene_sweep(&s, &mixed);
    const rft_run *recorded = scene_run(&s, "recorded.db");
    scene_replay(&s, "recorded.db");
    const rft_run *run = scene_run(&s, "replay.db");
    expect_same_points(recorded, run, true);
    expect_same_bests(recorded, run);
    /* What compiles and is not excluded before: ok, odd_wrong, wrong, exits on the odd size, ok alone on the others; of
     * 3 speeds, 2 cosmetics and 2 variants. */
    assert_int_equal(run->info.recompiled, 12 * (4 + 1 + 1));
    assert_int_equal(run->info.recompiled_same, run->info.recompiled);
    assert_int_equal(count_outcome(run, RFT_OUTCOME_NOT_RECORDED), 0);
    scene_close(&s);
}

static void without_a_compiler_the_recording_stands_alone(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scene_sweep(&s, &mixed);
    const rft_run *recorded = scene_run(&s, "recorded.db");
    scene_replay(&s, "recorded.db");
    s.opts.pool = NULL;
    const rft_run *run = scene_run(&s, "replay.db");
    expect_same_points(recorded, run, false);
    expect_same_bests(recorded, run);
    assert_int_equal(run->info.recompiled, 0);
    scene_close(&s);
}

/* The sweep asks for more than was recorded. */
static void what_was_not_recorded_says_so(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {10, 20}, .sizes = {1000}};
    scene_sweep(&s, &opts);
    const rft_run *recorded = scene_run(&s, "recorded.db");
    scene_replay(&s, "recorded.db");
    s.sweep_count = 0;
    opts = (scripted_sweep_opts){.speeds = {5, 10, 20}, .cosmetics = 2, .sizes = {1000}};
    scene_sweep(&s, &opts);
    const rft_run *run = scene_run(&s, "replay.db");
    assert_int_equal(run->point_count, 6);
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        const rft_point *same = scene_point(run, 0, "ok", (int)point->config[PARAM_SPEED].as.integer);
        if (point->config[PARAM_COSMETIC].as.integer == 1) { /* the numbers of a recorded twin are its own: same code */
            bool after = point->id > same->id && same->outcome == RFT_OUTCOME_OK;
            assert_int_equal(point->alias_of, after ? same->id : 0);
            assert_int_equal(point->outcome, after ? RFT_OUTCOME_OK : RFT_OUTCOME_NOT_RECORDED);
        }
    }
    scene_expect(run, scene_point(run, 0, "ok", 5), RFT_OUTCOME_NOT_RECORDED, "no such point");
    scene_expect(run, scene_point(run, 0, "ok", 10), RFT_OUTCOME_OK, NULL);
    expect_same_bests(recorded, run);
    assert_int_equal(run->info.recompiled, 2);
    assert_int_equal(run->info.recompiled_same, 2);
    scene_close(&s);
}

/* Other code than recorded is counted, and the recorded numbers stand. */
static void other_code_is_counted(void **state) {
    (void)state;
    scene s;
    rft_run *recorded = NULL;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {10, 20, 30}};
    scene_sweep(&s, &opts);
    recorded = scene_run(&s, "recorded.db");
    recorded->points[1].facts.registers = 64; /* scene_replay() loads the file anew: store it there */
    rft_store *store = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_store_open(&store, scene_path(&s, "recorded.db"), RFT_STORE_WRITE, &err), RFT_OK);
    assert_int_equal(rft_store_put_point(store, &recorded->points[1], &err), RFT_OK);
    rft_store_close(store);
    scene_replay(&s, "recorded.db");
    const rft_run *run = scene_run(&s, "replay.db");
    assert_int_equal(run->info.recompiled, 3);
    assert_int_equal(run->info.recompiled_same, 2);
    scene_close(&s);
}

/* A replay that is stopped counts on where it was. */
static void a_stopped_replay_counts_on(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {10, 20, 30, 40, 50, 60}};
    scene_sweep(&s, &opts);
    scene_run(&s, "recorded.db");
    scene_replay(&s, "recorded.db");
    s.stop_after = 4;
    assert_int_equal(scene_run(&s, "replay.db")->info.recompiled, 4);
    s.stop_after = 0;
    const rft_run *run = scene_run(&s, "replay.db");
    assert_int_equal(run->info.recompiled, 6);
    assert_true(run->info.finished_unix_ns > 0);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_a_compiler_everything_is_made_again),
        cmocka_unit_test(without_a_compiler_the_recording_stands_alone),
        cmocka_unit_test(what_was_not_recorded_says_so),
        cmocka_unit_test(other_code_is_counted),
        cmocka_unit_test(a_stopped_replay_counts_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
