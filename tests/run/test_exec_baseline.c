/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines in a run: the fastest of the library's list and its first, once, carried by replays, and reasons where
 * there is nothing to measure. */
#include "run/scene.h"

#include "model/run/baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const scripted_sweep_opts asked = {
    .speeds = {10, 20}, .sizes = {1000, 2000}, .odd = 1001, .baselines = {"the library"}};

static const rft_baseline *find(const rft_run *run, size_t problem, const char *name, const char *which) {
    rft_baseline like = {.problem = problem, .name = name, .which = which, .same_protocol = true};
    const rft_baseline *found = rft_run_find_baseline(run, &like);
    if (!found) {
        fail_msg("no baseline %s, %s, of problem %zu", name, which, problem);
    }
    return found;
}

/* The worker's list: 15 us, wrong, 12 us, 13 us, then slower ones; the last two would be faster but are beyond the
 * eight that are tried. */
static void expect_measured(const rft_run *run, size_t problem, const char *name) {
    rft_arena *arena = rft_arena_new();
    const rft_baseline *best = find(run, problem, name, RFT_BASELINE_BEST);
    const rft_baseline *first = find(run, problem, name, RFT_BASELINE_FIRST);
    const rft_baseline *both[] = {best, first};
    assert_string_equal(best->algo, "algo 62");
    assert_string_equal(first->algo, "algo 60");
    assert_true(fabs(best->measurement.stats.median / 12e-6 - 1) < 1e-3);
    assert_true(fabs(first->measurement.stats.median / 15e-6 - 1) < 1e-3);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(both[i]->outcome, RFT_OUTCOME_OK);
        assert_null(both[i]->reason);
        assert_int_equal(both[i]->tried, 7);
        assert_string_equal(both[i]->library, "cuBLASLt 99.1.2");
        assert_true(both[i]->verification.done && both[i]->verification.worst_frac <= 1);
        assert_int_equal(both[i]->measurement.cache, RFT_CACHE_COLD);
        assert_true(both[i]->measurement.n >= 10 && both[i]->measurement.samples_s);
        assert_true(both[i]->measurement.stats.low <= both[i]->measurement.stats.high);
    }
    assert_string_equal(rft_baseline_label(best, arena),
                        rft_arena_printf(arena, "%s, best of 7 heuristics", best->name));
    assert_string_equal(rft_baseline_label(first, arena), rft_arena_printf(arena, "%s, first heuristic", first->name));
    const rft_point *ours = rft_run_best(run, 0, SIZE_MAX, problem);
    assert_true(fabs(rft_versus_of(run, ours, best).frac - 1.2) < 0.01); /* 10 us against 12 */
    assert_false(rft_versus_of(run, ours, best).tie);
    rft_arena_free(arena);
}

static void the_fastest_of_the_list_and_its_first(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scene_sweep(&s, &asked);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->baseline_count, 4);
    expect_measured(run, 1, "the library");
    expect_measured(run, 2, "the library");
    assert_int_equal(run->point_count, 6); /* no configuration more */
    assert_true(run->info.finished_unix_ns > 0);
    unsigned measured = s.measured;
    scene_run(&s, "a.db"); /* it is all there */
    assert_int_equal(s.measured, measured);
    scene_close(&s);
}

/* Stopped at every place there is: what comes out is the same, and nothing that was stored is measured again. */
static void a_stopped_run_goes_on(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scene_sweep(&s, &asked);
    s.measure_log = scene_path(&s, "log");
    scene_run(&s, "whole.db");
    unsigned whole = s.measured;
    s.measured = 0;
    size_t before = 0;
    for (unsigned stop_after = 1; stop_after < 40; stop_after++) {
        s.stop_after = stop_after > 12 ? 0 : stop_after;
        assert_int_equal(scene_session(&s, "parts.db", 1), RFT_OK);
        const rft_run *run = scene_load(&s, "parts.db");
        assert_true(run->baseline_count >= before && run->baseline_count % 2 == 0);
        before = run->baseline_count;
        if (!s.stopped) {
            break;
        }
    }
    assert_false(s.stopped);
    const rft_run *run = scene_load(&s, "parts.db");
    assert_int_equal(run->baseline_count, 4);
    expect_measured(run, 1, "the library");
    expect_measured(run, 2, "the library");
    assert_int_equal(s.measured, whole);
    scene_close(&s);
}

static void a_replay_carries_them(void **state) {
    (void)state;
    scene s;
    scripted_sweep_opts more = asked;
    more.baselines[1] = "another";
    scene_open(&s, 1);
    scene_sweep(&s, &asked);
    const rft_run *recorded = scene_run(&s, "recorded.db");
    scene_replay(&s, "recorded.db");
    s.sweep_count = 0;
    scene_sweep(&s, &more);
    const rft_run *run = scene_run(&s, "replay.db");
    assert_int_equal(run->baseline_count, 6);
    for (size_t p = 1; p <= 2; p++) {
        expect_measured(run, p, "the library");
        const rft_baseline *a = find(recorded, p, "the library", RFT_BASELINE_BEST);
        const rft_baseline *b = find(run, p, "the library", RFT_BASELINE_BEST);
        assert_int_equal(a->measurement.n, b->measurement.n);
        assert_memory_equal(a->measurement.samples_s, b->measurement.samples_s, a->measurement.n * sizeof(double));
        const rft_baseline *missing = find(run, p, "another", RFT_BASELINE_BEST);
        assert_int_equal(missing->outcome, RFT_OUTCOME_NOT_RECORDED);
        assert_string_equal(missing->reason, "the recording has no such baseline");
        assert_true(isnan(missing->measurement.stats.median));
    }
    scene_close(&s);
}

typedef struct talk {
    unsigned warnings;
    char last[2000];
} talk;

static void hear(void *self, rft_log_level level, const char *text) {
    talk *t = self;
    if (level == RFT_LOG_WARN) {
        t->warnings++;
        snprintf(t->last, sizeof t->last, "%s", text);
    }
}

static void expect_reason(scene *s, const char *name, rft_outcome outcome, const char *reason) {
    talk t = {0};
    const rft_log log = {hear, &t};
    s->opts.log = &log;
    const rft_run *run = scene_run(s, name);
    assert_int_equal(run->baseline_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const rft_baseline *b = &run->baselines[i];
        assert_int_equal(b->outcome, outcome);
        assert_string_equal(b->reason, reason);
        assert_int_equal(b->measurement.n, 0);
        assert_true(isnan(b->measurement.stats.median) && isnan(b->measurement.clock_mhz));
        assert_false(b->verification.done);
        assert_true(isnan(rft_versus_of(run, rft_run_best(run, 0, SIZE_MAX, b->problem), b).frac));
    }
    assert_non_null(rft_run_best(run, 0, SIZE_MAX, 1)); /* the run went on */
    assert_int_equal(t.warnings, 1);                    /* for all four */
    assert_non_null(strstr(t.last, reason));
    s->opts.log = NULL;
}

static void without_the_library_the_run_goes_on(void **state) {
    (void)state;
    scene s;
    setenv("SCRIPTED_NO_VENDOR", "1", 1);
    scene_open(&s, 1);
    scene_sweep(&s, &asked);
    expect_reason(&s, "a.db", RFT_OUTCOME_SKIPPED,
                  "the scripted library was not found; remedy: unset SCRIPTED_NO_VENDOR");
    unsetenv("SCRIPTED_NO_VENDOR");
    scene_close(&s);
}

static void a_failing_script_is_an_outcome_with_its_place(void **state) {
    (void)state;
    scene s;
    scripted_sweep_opts opts = asked;
    opts.baseline_error = true;
    scene_open(&s, 1);
    scene_sweep(&s, &opts);
    expect_reason(&s, "a.db", RFT_OUTCOME_SCRIPT_FAILED,
                  "scripted.lua:9: vendor.matmul.a: no buffer has the name \"a\"");
    scene_close(&s);
}

/* A given binary is measured as the library is, in as many processes; it has no list and so no first of it. */
static void a_given_binary_has_one_row(void **state) {
    (void)state;
    scene s;
    scripted_sweep_opts opts = asked;
    opts.baseline_binary = true;
    scene_open(&s, 1);
    scene_sweep(&s, &opts)->measure.processes = 3;
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->baseline_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const rft_baseline *b = find(run, i + 1, "the library", RFT_BASELINE_BINARY);
        assert_int_equal(b->outcome, RFT_OUTCOME_OK);
        assert_true(b->same_protocol && b->verification.done && b->verification.worst_frac <= 1);
        assert_true(fabs(b->measurement.stats.median / 10e-6 - 1) < 1e-2);
        assert_int_equal(b->measurement.process_count, 3);
        assert_int_equal(b->measurement.stop, RFT_STOP_SAMPLES);
        assert_string_equal(rft_baseline_label(b, run->arena), "the library, given binary");
        assert_ptr_equal(rft_run_chief_baseline(run, 0, i + 1, run->arena), b);
    }
    unsigned measured = s.measured;
    scene_run(&s, "a.db"); /* it is all there */
    assert_int_equal(s.measured, measured);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_of_the_list_and_its_first),
        cmocka_unit_test(a_stopped_run_goes_on),
        cmocka_unit_test(a_replay_carries_them),
        cmocka_unit_test(without_the_library_the_run_goes_on),
        cmocka_unit_test(a_failing_script_is_an_outcome_with_its_place),
        cmocka_unit_test(a_given_binary_has_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
