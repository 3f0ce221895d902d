/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration that costs two device workers is not tried again: over problems, over sessions, with its twins. */
#include "run/same_runs.h"
#include "run/scene.h"
#include "support/sanitized.h"

#include <stdio.h>
#include <string.h>

static unsigned workers_lost(const rft_run *run) {
    unsigned lost = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        lost += (unsigned)run->points[i].workers_lost;
    }
    return lost;
}

typedef struct expected {
    rft_outcome outcome;
    int lost;
} expected;

/* The fate on four problems, and what it says where it was not tried. */
static void expect_fate(const char *fate, const expected on[4], const char *verdict) {
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.fates = {fate, "ok"}, .sizes = {64, 128, 256, 512}};
    rft_sweep *sweep = scene_sweep(&s, &opts);
    sweep->measure.point_timeout_s = 0.3;
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 8);
    for (size_t p = 0; p < 4; p++) {
        const rft_point *point = scene_point(run, p, fate, 10);
        bool untried = on[p].outcome == RFT_OUTCOME_SKIPPED;
        assert_int_equal(point->outcome, on[p].outcome);
        assert_int_equal(point->workers_lost, on[p].lost);
        if (untried) {
            assert_string_equal(point->reason, verdict);
            assert_null(point->facts.cubin_hash); /* its compile was not waited for */
            assert_true(point->has_launch && point->work.bytes_read == 4.0 * (64 << p));
        }
        scene_expect(run, scene_point(run, p, "ok", 10), RFT_OUTCOME_OK, NULL);
    }
    assert_int_equal(workers_lost(run), 2);
    scene_close(&s);
}

static void whoever_hangs_hangs_twice(void **state) {
    (void)state;
    const expected on[4] = {
        {RFT_OUTCOME_TIMED_OUT, 1}, {RFT_OUTCOME_TIMED_OUT, 1}, {RFT_OUTCOME_SKIPPED, 0}, {RFT_OUTCOME_SKIPPED, 0}};
    expect_fate(
        "hangs", on,
        "not tried: this configuration ended the device worker twice, on n=64 (timed_out) and n=128 (timed_out)");
}

static void whoever_poisons_the_context_does_so_twice(void **state) {
    (void)state;
    const expected on[4] = {{RFT_OUTCOME_LAUNCH_FAILED, 1},
                            {RFT_OUTCOME_LAUNCH_FAILED, 1},
                            {RFT_OUTCOME_SKIPPED, 0},
                            {RFT_OUTCOME_SKIPPED, 0}};
    expect_fate("sticky", on,
                "not tried: this configuration ended the device worker twice, on n=64 (launch_failed) and n=128 "
                "(launch_failed)");
}

/* Dying may be an accident: the same problem is tried again at once. */
static void whoever_dies_dies_twice_on_one_problem(void **state) {
    (void)state;
    const expected on[4] = {
        {RFT_OUTCOME_CRASHED, 2}, {RFT_OUTCOME_SKIPPED, 0}, {RFT_OUTCOME_SKIPPED, 0}, {RFT_OUTCOME_SKIPPED, 0}};
    expect_fate("killed", on, "not tried: this configuration ended the device worker twice, on n=64 (crashed)");
}

/* The odd size counts, and what it costs does not depend on how often the run is stopped. */
static void a_continued_run_knows(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.fates = {"hangs", "exits", "ok"}, .cosmetics = 2, .sizes = {64, 128, 256}, .odd = 33};
    rft_sweep *sweep = scene_sweep(&s, &opts);
    sweep->measure.point_timeout_s = 0.1;
    const rft_run *whole = scene_run(&s, "whole.db");
    /* Of each fate one of the twins: dying on the odd size alone, hanging there and on one size more. */
    assert_int_equal(workers_lost(whole), 2 + 2);
    for (size_t i = 0; i < whole->point_count; i++) {
        const rft_point *point = &whole->points[i];
        const char *fate = point->config[PARAM_FATE].as.text;
        if (point->problem > 1 && strcmp(fate, "ok") != 0) {
            bool hangs = strcmp(fate, "hangs") == 0;
            scene_expect(whole, point, RFT_OUTCOME_SKIPPED,
                         hangs ? "twice, on n=33 (timed_out) and n=64 (timed_out)" : "twice, on n=33 (crashed)");
        }
    }
    unsigned sessions = 0;
    s.stopped = true;
    for (; s.stopped; sessions++) {
        s.stop_after = 1 + 5 * sessions;
        assert_int_equal(scene_session(&s, "parts.db", 1), RFT_OK);
    }
    assert_true(sessions > 5);
    expect_same_runs(whole, scene_load(&s, "parts.db"));
    scene_close(&s);
}

/* ---- amid sound ones: whatever was at work on them by then, they pay for nothing ---- */

enum { SOUND = 40 };

static rft_sweep *open_amid(scene *s, const char *fate) {
    scripted_sweep_opts opts = {.fates = {"ok"}, .sizes = {64}};
    scene_open(s, 2);
    s->opts.in_order = false; /* else nothing is measured ahead */
    for (int i = 1; i < SOUND; i++) {
        opts.fates[i] = rft_arena_printf(s->arena, "sound_%d", i);
    }
    memmove(opts.fates + SOUND / 2 + 1, opts.fates + SOUND / 2, SOUND / 2 * sizeof *opts.fates);
    opts.fates[SOUND / 2] = fate;
    return scene_sweep(s, &opts);
}

static void expect_alone(const rft_run *run, const char *fate, const expected *on) {
    assert_int_equal(run->point_count, SOUND + 1);
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        const bool sound = strcmp(point->config[PARAM_FATE].as.text, fate) != 0;
        if (sound) {
            scene_expect(run, point, RFT_OUTCOME_OK, NULL);
        }
        assert_int_equal(point->outcome, sound ? RFT_OUTCOME_OK : on->outcome);
        assert_int_equal(point->workers_lost, sound ? 0 : on->lost);
    }
}

static void one_among_many_costs_itself_alone(void **state) {
    (void)state;
    static const struct {
        const char *fate;
        expected on;
    } rows[] = {{"hangs", {RFT_OUTCOME_TIMED_OUT, 1}},      {"hangs_later", {RFT_OUTCOME_TIMED_OUT, 1}},
                {"sticky", {RFT_OUTCOME_LAUNCH_FAILED, 1}}, {"killed", {RFT_OUTCOME_CRASHED, 2}},
                {"exits", {RFT_OUTCOME_CRASHED, 2}},        {"garbage", {RFT_OUTCOME_CRASHED, 2}},
                {"wrong", {RFT_OUTCOME_WRONG_RESULT, 0}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene s;
        unsigned sessions = 0;
        rft_sweep *sweep = open_amid(&s, rows[i].fate);
        sweep->measure.point_timeout_s = SANITIZED ? 5.0 : 0.5;
        const rft_run *whole = scene_run(&s, "whole.db");
        expect_alone(whole, rows[i].fate, &rows[i].on);
        for (s.stopped = true; s.stopped; sessions++) { /* with a point ahead at every stop */
            s.stop_after = 19 * (sessions + 1);
            assert_int_equal(scene_session(&s, "parts.db", 1), RFT_OK);
        }
        assert_true(sessions > 2);
        expect_alone(scene_load(&s, "parts.db"), rows[i].fate, &rows[i].on);
        scene_expect_once(scene_load(&s, "parts.db"));
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_among_many_costs_itself_alone),
        cmocka_unit_test(whoever_hangs_hangs_twice),
        cmocka_unit_test(whoever_poisons_the_context_does_so_twice),
        cmocka_unit_test(whoever_dies_dies_twice_on_one_problem),
        cmocka_unit_test(a_continued_run_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
