/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the device while a run was on: turns joined, throttled points counted, readings of the references.
 */
#include "model_fixture.h"

#include "model/run/run_drift.h"
#include "model/run/run_throttled.h"

static rft_measurement taken(rft_arena *arena, double median_s, double clock_mhz, size_t n) {
    rft_measurement m = rft_measurement_none();
    m.samples_s = rft_arena_calloc(arena, n, sizeof *m.samples_s);
    m.clocks_mhz = isnan(clock_mhz) ? NULL : rft_arena_calloc(arena, n, sizeof *m.clocks_mhz);
    for (size_t i = 0; i < n; i++) {
        m.samples_s[i] = median_s * (1.0 + 1e-4 * ((double)i - (double)(n - 1) / 2));
        if (m.clocks_mhz) {
            m.clocks_mhz[i] = clock_mhz;
        }
    }
    m.n = n;
    m.stats = rft_stats_of(m.samples_s, n);
    m.stop = RFT_STOP_SAMPLES;
    m.clock_mhz = clock_mhz;
    m.wall_s = 0.1;
    m.verify_s = 0.02;
    m.busy_s = 0.01;
    m.attempts = 1;
    m.throttled_frac = 0.0;
    m.throttled_below_mhz = 1980.0;
    return m;
}

static void turns_are_joined_in_order(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_measurement joined = rft_measurement_none();
    rft_measurement first = taken(arena, 1e-3, 1980.0, 5), second = taken(arena, 1.1e-3, 1700.0, 10);
    double steps[] = {0.4e-3, 0.6e-3};
    first.step_s = steps;
    first.step_count = 2;
    second.attempts = 4;
    second.throttled_frac = 1.0;
    second.throttled_by = "sw_thermal";
    second.throttle_note = "it was hot";
    rft_measurement_join(&joined, &first, true, arena);
    assert_int_equal(joined.turns, 1);
    assert_true(joined.samples_s != first.samples_s); /* its own */
    rft_measurement_join(&joined, &second, true, arena);
    assert_int_equal(joined.turns, 2);
    assert_int_equal(joined.n, 15);
    assert_int_equal(joined.stats.n, 15);
    assert_memory_equal(joined.samples_s, first.samples_s, 5 * sizeof(double));
    assert_memory_equal(joined.samples_s + 5, second.samples_s, 10 * sizeof(double));
    assert_true(joined.clocks_mhz[4] == 1980.0 && joined.clocks_mhz[5] == 1700.0);
    assert_true(joined.clock_mhz == 1700.0);
    assert_true(near(joined.wall_s, 0.2, 1e-12) && near(joined.verify_s, 0.04, 1e-12));
    assert_true(near(joined.busy_s, 0.02, 1e-12));
    assert_true(joined.step_count == 2 && joined.step_s[1] == 0.6e-3);
    assert_int_equal(joined.attempts, 4);
    assert_true(near(joined.throttled_frac, 10.0 / 15.0, 1e-12));
    assert_string_equal(joined.throttled_by, "sw_thermal");
    joined.throttle_note =
        "5 % ran below it (cause not known); measured twice"; /* of one process: the others saw more */
    assert_non_null(strstr(rft_measurement_note(&joined, NULL, arena), "below it (temperature); measured twice"));
    rft_arena_free(arena);
}

/* 5 and 10 of one process, 5 of another; a block that is of a process of its own says so itself. */
static void samples_know_their_process(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_measurement joined = rft_measurement_none(), five = taken(arena, 1e-3, 1980.0, 5);
    rft_measurement ten = taken(arena, 1e-3, 1980.0, 10), copy;
    size_t blocks[] = {2, 3};
    rft_measurement_join(&joined, &five, false, arena);
    rft_measurement_join(&joined, &ten, true, arena);
    rft_measurement_join(&joined, &five, false, arena);
    five.process_n = blocks;
    five.process_count = 2;
    rft_measurement_join(&joined, &five, true, arena);
    const size_t want[] = {15, 7, 3};
    assert_int_equal(joined.process_count, 3);
    assert_memory_equal(joined.process_n, want, sizeof want);
    assert_true(rft_measurement_processes_fit(&joined));
    copy = rft_measurement_copy(&joined, arena);
    joined.process_n[2] = 4;
    assert_false(rft_measurement_processes_fit(&joined));
    assert_true(rft_measurement_processes_fit(&copy));
    joined.process_n[2] = 3;
    joined.process_count = 2;
    assert_false(rft_measurement_processes_fit(&joined));
    rft_arena_free(arena);
}

static void turns_without_clocks_stay_without(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_measurement joined = rft_measurement_none(), turn = taken(arena, 1e-3, NAN, 5);
    turn.busy_s = NAN;
    rft_measurement_join(&joined, &turn, true, arena);
    rft_measurement_join(&joined, &turn, true, arena);
    assert_null(joined.clocks_mhz);
    assert_true(isnan(joined.clock_mhz) && isnan(joined.busy_s));
    turn.clocks_mhz = taken(arena, 1e-3, 1980.0, 5).clocks_mhz;
    rft_measurement_join(&joined, &turn, true, arena);
    assert_true(isnan(joined.clocks_mhz[9]) && joined.clocks_mhz[10] == 1980.0);
    rft_arena_free(arena);
}

static void throttled_points_are_counted_with_their_causes(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    rft_point points[4];
    for (int i = 0; i < 4; i++) {
        points[i] = (rft_point){.id = i + 1, .outcome = RFT_OUTCOME_OK};
        points[i].rounds[0] = taken(run->arena, 1e-3, 1980.0, 10);
        points[i].rounds[1] = rft_measurement_none();
    }
    run->points = points;
    run->point_count = 4;
    assert_string_equal(rft_run_throttled_sentence(run, run->arena),
                        "none of 4 points ran below the run's steady clock");
    points[0].rounds[0].throttled_frac = 0.05; /* too few to matter */
    points[1].rounds[0].throttled_frac = 1.0;
    points[1].rounds[0].throttled_by = "power_cap";
    points[1].rounds[0].attempts = 2;
    points[2].rounds[0].throttled_frac = 0.5;
    points[3].alias_of = 2;
    points[3].rounds[0] = points[1].rounds[0];
    assert_string_equal(
        rft_run_throttled_sentence(run, run->arena),
        "2 of 3 points ran below the run's steady clock (1 power limit, 1 cause not known); 1 was measured "
        "again");
    for (int i = 0; i < 4; i++) {
        points[i].rounds[0].attempts = 0; /* an old recording */
    }
    assert_null(rft_run_throttled_sentence(run, run->arena));
    rft_run_free(run);
}

/* ---- readings ---- */

static void read_at(rft_run *run, size_t problem, double time_s, double median_s) {
    rft_reference reading = {.problem = problem,
                             .point = 1,
                             .after_point = (int64_t)run->reference_count,
                             .time_s = time_s,
                             .n = 10,
                             .median = median_s,
                             .low = median_s * 0.9995,
                             .high = median_s * 1.0005,
                             .clock_mhz = 1980.0};
    rft_run_add_reference(run, &reading);
}

static void readings_of_all_problems_speak_together(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    assert_null(rft_run_drift_sentence(run, run->arena));
    for (int i = 0; i < 4; i++) {
        read_at(run, 0, 10.0 * i, 1e-3 * (1.0 + 0.002 * i));
    }
    assert_int_equal(rft_run_drift_of(run, 0, 0).kind, RFT_DRIFT_UNKNOWN);
    assert_true(rft_run_widen_frac(run, 0, 0) == 0.0);
    assert_non_null(strstr(rft_run_drift_sentence(run, run->arena), "is not known: 4 readings"));
    for (int i = 0; i < 80; i++) { /* over the capacity of the first array, too */
        read_at(run, 1, 40.0 + 10.0 * i, 5e-3 * (1.0 + 0.0005 * i));
    }
    assert_int_equal(run->reference_count, 84);
    rft_drift drift = rft_run_drift(run);
    assert_int_equal(drift.n, 84);
    assert_int_equal(drift.kind, RFT_DRIFT_TREND);
    assert_true(near(drift.amount_frac, 0.04, 0.15));
    assert_int_equal(rft_run_drift_of(run, 0, 1).n, 80);
    assert_true(rft_run_widen_frac(run, 0, 1) > 0.015);
    assert_non_null(strstr(rft_run_drift_sentence(run, run->arena), "% slower over "));
    rft_run_free(run);
}

/* 1 % apart with narrow intervals: a tie when the device drifted by more, unless both were measured in turns. */
static void drift_makes_ties_of_different_times(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    rft_point a = {.outcome = RFT_OUTCOME_OK}, b = {.outcome = RFT_OUTCOME_OK};
    a.rounds[0] = taken(run->arena, 1.00e-3, 1980.0, 10);
    b.rounds[0] = taken(run->arena, 1.01e-3, 1980.0, 10);
    a.rounds[1] = b.rounds[1] = rft_measurement_none();
    assert_false(rft_run_tie(&a, &b, 0.0));
    assert_true(rft_run_tie(&a, &b, 0.02));
    a.rounds[1] = a.rounds[0];
    assert_true(rft_run_tie(&a, &b, 0.02));
    b.rounds[1] = b.rounds[0];
    assert_false(rft_run_tie(&a, &b, 0.02));
    rft_run_free(run);
}

/* One sample each tells that both are far slower than the best: 10 % between them is no difference that it shows. */
static void few_samples_tell_no_finer_differences(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    rft_point a = {.outcome = RFT_OUTCOME_OK}, b = {.outcome = RFT_OUTCOME_OK}, best = {.outcome = RFT_OUTCOME_OK};
    best.rounds[0] = taken(run->arena, 1.00e-3, 1980.0, 10);
    a.rounds[0] = taken(run->arena, 2.00e-3, 1980.0, 1);
    b.rounds[0] = taken(run->arena, 2.20e-3, 1980.0, 1);
    a.rounds[0].stop = b.rounds[0].stop = RFT_STOP_SLOWER;
    a.rounds[1] = b.rounds[1] = best.rounds[1] = rft_measurement_none();
    assert_true(rft_run_tie(&a, &b, 0.0));
    assert_false(rft_run_tie(&best, &a, 0.0) || rft_run_tie(&b, &best, 0.0));
    b.rounds[0] = taken(run->arena, 3.10e-3, 1980.0, 1);
    b.rounds[0].stop = RFT_STOP_SLOWER;
    assert_false(rft_run_tie(&a, &b, 0.0));
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_are_joined_in_order),
        cmocka_unit_test(few_samples_tell_no_finer_differences),
        cmocka_unit_test(samples_know_their_process),
        cmocka_unit_test(turns_without_clocks_stay_without),
        cmocka_unit_test(throttled_points_are_counted_with_their_causes),
        cmocka_unit_test(readings_of_all_problems_speak_together),
        cmocka_unit_test(drift_makes_ties_of_different_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
