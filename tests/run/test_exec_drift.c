/* SPDX-License-Identifier: Apache-2.0 */
/* The reference that is measured again and again, what it tells, and the turns of the final round. */
#include "run/same_runs.h"
#include "run/scene.h"

#include "base/fs.h"
#include "model/run/run_drift.h"
#include "model/stats/drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPEEDS = 50 };

/* Far apart: only the best few come into the final round. */
static scripted_sweep_opts many(int count) {
    scripted_sweep_opts opts = {.sizes = {1000}};
    for (int i = 0; i < count && i < SPEEDS; i++) {
        opts.speeds[i] = 1000 + 20 * i;
    }
    return opts;
}

/* ---- the reference ---- */

static void a_reading_after_every_twenty_points(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = many(45);
    opts.sizes[1] = 2000;
    scene_sweep(&s, &opts);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 90);
    assert_int_equal(run->reference_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const rft_reference *reading = &run->references[i];
        assert_int_equal(reading->problem, i / 2);
        assert_int_equal(reading->after_point, (i / 2) * 45 + (i % 2 + 1) * RFT_DRIFT_EVERY);
        for (int64_t id = (int64_t)(i / 2) * 45 + 1; id <= (int64_t)(i / 2) * 45 + RFT_DRIFT_EVERY; id++) {
            double median_s = run->points[id - 1].rounds[0].stats.median;
            assert_true(run->points[reading->point - 1].rounds[0].stats.median <= median_s);
        }
        assert_int_equal(reading->n, 6);
        assert_true(fabs(reading->median / run->points[reading->point - 1].rounds[0].stats.median - 1) < 1e-6);
        assert_true(reading->clock_mhz > 1900 && reading->time_s > 0);
        assert_true(i == 0 || reading->time_s >= run->references[i - 1].time_s);
    }
    rft_drift drift = rft_run_drift(run);
    assert_int_equal(drift.kind, RFT_DRIFT_UNKNOWN);
    scene_close(&s);
}

static void a_reading_of_what_takes_long_has_few_samples(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scripted_sweep_opts opts = many(RFT_DRIFT_EVERY);
    for (size_t i = 0; i < RFT_DRIFT_EVERY; i++) {
        opts.speeds[i] *= 12;
    }
    scene_sweep(&s, &opts);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->reference_count, 1);
    assert_int_equal(run->references[0].n, 3);
    assert_float_equal(run->references[0].median, 12e-3, 1e-6);
    scene_close(&s);
}

static void a_stopped_run_takes_the_same_readings(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = many(50);
    opts.cosmetics = 2; /* aliases are no measured points */
    scene_sweep(&s, &opts);
    const rft_run *whole = scene_run(&s, "whole.db");
    unsigned at_one_go = s.measured, sessions = 0;
    assert_int_equal(whole->reference_count, 2);
    s.measured = 0;
    s.stopped = true;
    for (s.stop_measured = 7; s.stopped; s.stop_measured += 7) {
        assert_true(++sessions < 40);
        assert_int_equal(scene_session(&s, "parts.db", 1), RFT_OK);
    }
    assert_true(sessions > 5);
    expect_same_runs(whole, scene_load(&s, "parts.db"));
    assert_int_equal(s.measured, at_one_go);
    scene_close(&s);
}

static void a_replay_knows_the_readings(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = many(50);
    scene_sweep(&s, &opts);
    const rft_run *measured = scene_run(&s, "a.db");
    assert_int_equal(measured->reference_count, 2);
    scene_replay(&s, "a.db");
    const rft_run *replayed = scene_run(&s, "b.db");
    assert_int_equal(replayed->reference_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_memory_equal(&replayed->references[i], &measured->references[i], sizeof *measured->references);
    }
    scene_close(&s);
}

static void a_device_that_drifts_is_found_out(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = many(SPEEDS);
    opts.variants = 3; /* 150 points, 7 readings */
    scene_sweep(&s, &opts);
    s.sweeps[0]->measure.no_race = true;
    setenv("SCRIPTED_DRIFT_PPM", "10", 1); /* some 2000 launches: 2 % */
    const rft_run *run = scene_run(&s, "a.db");
    unsetenv("SCRIPTED_DRIFT_PPM");
    assert_int_equal(run->reference_count, 7);
    rft_drift drift = rft_run_drift(run);
    assert_int_equal(drift.kind, RFT_DRIFT_TREND);
    assert_true(drift.amount_frac > 0.005);
    assert_true(rft_run_widen_frac(run, 0, 0) >= drift.amount_frac / 2 * 0.9);
    const char *words = rft_run_drift_sentence(run, s.arena);
    assert_non_null(strstr(words, "the reference became "));
    assert_non_null(strstr(words, " slower"));
    scene_close(&s);
}

/* ---- turns ---- */

/* The lines of the log that are of the final round. */
static size_t final_lines(scene *s, const char *name, const char *lines[], size_t most) {
    char *text = NULL;
    size_t size = 0, count = 0;
    assert_int_equal(rft_fs_read(&text, &size, scene_path(s, name), 0, NULL), RFT_OK);
    char *copy = rft_arena_strdup(s->arena, text);
    free(text);
    for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n")) {
        if (strstr(line, "round 1") && count < most) {
            lines[count++] = line;
        }
    }
    return count;
}

static const scripted_sweep_opts close_by = {.speeds = {1000, 1001, 1002, 1300, 1400}, .sizes = {1000}};

static void finalists_take_turns(void **state) {
    (void)state;
    scene s;
    const char *lines[64];
    scene_open(&s, 2);
    scene_sweep(&s, &close_by);
    s.measure_log = scene_path(&s, "measured");
    const rft_run *run = scene_run(&s, "a.db");
    size_t count = final_lines(&s, "measured", lines, 64);
    assert_int_equal(count, 6); /* A B C A B C */
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(lines[i], lines[3 + i]);
        assert_true(i == 0 || strcmp(lines[i], lines[i - 1]) != 0);
    }
    for (int speed = 1000; speed <= 1002; speed++) {
        const rft_measurement *m = &scene_point(run, 0, "ok", speed)->rounds[1];
        assert_int_equal(m->turns, 2);
        assert_int_equal(m->n, 10);
        assert_int_equal(m->stop, RFT_STOP_SETTLED);
        assert_true(fabs(m->stats.median - speed * 1e-6) < 1e-9);
        assert_true(m->clocks_mhz[9] > 1900);
    }
    scene_close(&s);
}

/* After every single request of the final round. */
static void a_run_stopped_between_turns_ends_them_first(void **state) {
    (void)state;
    scene s;
    const char *lines[64], *again[64];
    unsigned sessions = 0;
    scene_open(&s, 2);
    scene_sweep(&s, &close_by);
    s.measure_log = scene_path(&s, "measured");
    const rft_run *whole = scene_run(&s, "whole.db");
    unsigned at_one_go = s.measured;
    size_t count = final_lines(&s, "measured", lines, 64);
    s.measure_log = scene_path(&s, "parts");
    s.measured = 0;
    s.stopped = true;
    for (s.stop_measured = 1; s.stopped; s.stop_measured++) {
        assert_true(++sessions < 40);
        assert_int_equal(scene_session(&s, "parts.db", 1), RFT_OK);
        const rft_run *now = scene_load(&s, "parts.db");
        const rft_point *first = scene_point(now, 0, "ok", 1000);
        if (first && first->rounds[1].turns == 1) { /* half done: told from done */
            assert_int_equal(first->rounds[1].n, 5);
            assert_int_equal(first->rounds[1].stop, RFT_STOP_NOT_YET);
        }
    }
    assert_int_equal(s.measured, at_one_go);
    expect_same_runs(whole, scene_load(&s, "parts.db"));
    assert_int_equal(final_lines(&s, "parts", again, 64), count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(lines[i], again[i]);
    }
    scene_close(&s);
}

static void who_is_alone_needs_no_turns(void **state) {
    (void)state;
    scene s;
    const char *lines[64];
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {1000, 1300}, .sizes = {1000}};
    scene_sweep(&s, &opts);
    s.measure_log = scene_path(&s, "measured");
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(final_lines(&s, "measured", lines, 64), 1);
    assert_int_equal(scene_point(run, 0, "ok", 1000)->rounds[1].turns, 0);
    assert_int_equal(scene_point(run, 0, "ok", 1000)->rounds[1].n, 10);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reading_after_every_twenty_points),
        cmocka_unit_test(a_reading_of_what_takes_long_has_few_samples),
        cmocka_unit_test(a_stopped_run_takes_the_same_readings),
        cmocka_unit_test(a_replay_knows_the_readings),
        cmocka_unit_test(a_device_that_drifts_is_found_out),
        cmocka_unit_test(finalists_take_turns),
        cmocka_unit_test(a_run_stopped_between_turns_ends_them_first),
        cmocka_unit_test(who_is_alone_needs_no_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
