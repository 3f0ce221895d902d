/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a measurement beside its median: cycles, the timer floor, batches, samples that are not independent.
 */
#include "model_fixture.h"

#include "model/run/run_repeat.h"
#include "model/stats/drift.h"

#include <math.h>

enum { N = 20 };
static double samples[N], clocks[N];

static rft_measurement measured(double median_s) {
    rft_measurement m = rft_measurement_none();
    for (size_t i = 0; i < N; i++) {
        samples[i] = median_s * (1.0 + 0.0004 * (double)(i * 7 % N) / N);
        clocks[i] = 1980.0;
    }
    m.samples_s = samples;
    m.clocks_mhz = clocks;
    m.n = N;
    m.stats = rft_stats_of(samples, N);
    return m;
}

/* Half of the samples at 1980 MHz, half at 1500: the same cycles in another time. */
static void cycles_do_not_depend_on_the_clock(void **state) {
    (void)state;
    rft_measurement m = measured(1e-3);
    for (size_t i = 0; i < N; i++) {
        clocks[i] = i % 2 ? 1500.0 : 1980.0;
        samples[i] = 1.98e6 / (clocks[i] * 1e6);
    }
    assert_true(fabs(rft_measurement_cycles(&m) - 1.98e6) < 1.0);
    for (size_t i = 0; i < N - 1; i++) {
        clocks[i] = NAN;
    }
    assert_true(fabs(rft_measurement_cycles(&m) - 1.98e6) < 1.0); /* of the one that is known */
    clocks[N - 1] = NAN;
    assert_true(isnan(rft_measurement_cycles(&m)));
    m.clocks_mhz = NULL;
    assert_true(isnan(rft_measurement_cycles(&m)));
    rft_measurement none = rft_measurement_none();
    assert_true(isnan(rft_measurement_cycles(&none)) && isnan(none.floor_s) && none.batch == 0);
}

/* Two processes, the same cycles at 1500 and 1320 MHz: the clock beside the figure is the one that gives them. */
static void the_clock_is_that_of_the_figure(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    fixture_axis(run, "n", true, true);
    fixture_param(run, 0, "B", (const int64_t[]){1}, 1);
    fixture_point(run, fixture_problem(run, (const int64_t[]){4096}), (const int64_t[]){1}, 1e-3);
    rft_measurement *m = &run->points[0].rounds[0];
    double time_s[N], clock_mhz[N];
    size_t of_process[] = {N / 3, N - N / 3};
    for (size_t i = 0; i < N; i++) {
        clock_mhz[i] = i < N / 3 ? 1500.0 : 1320.0;
        time_s[i] = 4.2e6 / (clock_mhz[i] * 1e6);
    }
    m->samples_s = time_s;
    m->clocks_mhz = clock_mhz;
    m->n = N;
    m->process_n = of_process;
    m->process_count = 2;
    m->clock_mhz = 1320.0;
    rft_run_fill_repeats(run);
    assert_true(fabs(m->clock_mhz - sqrt(1500.0 * 1320.0)) < 0.01);
    assert_true(fabs(m->clock_mhz * 1e6 * m->stats.median - 4.2e6) < 100.0);
    clock_mhz[N - 1] = NAN;
    m->process_n = (size_t[]){N - 1, 1};
    rft_run_fill_repeats(run);
    assert_true(fabs(m->clock_mhz - sqrt(1500.0 * 1320.0)) < 0.01); /* of one process no clock is known: as it was */
    rft_run_free(run);
}

static void the_floor_is_named_where_it_is_near(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_ceilings ceilings = {0};
    rft_measurement m = measured(9e-6);
    assert_true(isnan(rft_measurement_near_floor_s(&m, NULL)));
    assert_true(isnan(rft_measurement_near_floor_s(&m, &ceilings)));
    assert_null(rft_measurement_note(&m, &ceilings, arena));
    ceilings.items[RFT_CEILING_LAUNCH] = (rft_ceiling){.measured = true, .stats = {.median = 2.7e-6}};
    assert_true(rft_measurement_near_floor_s(&m, &ceilings) == 2.7e-6);
    assert_string_equal(rft_measurement_note(&m, &ceilings, arena), "near the timer floor of 2.70 us");
    m.floor_s = 0.5e-6; /* its own reading comes first, and is far away */
    assert_true(isnan(rft_measurement_near_floor_s(&m, &ceilings)));
    m.floor_s = 2e-6;
    assert_true(rft_measurement_near_floor_s(&m, NULL) == 2e-6);
    m.batch = 32;
    assert_true(isnan(rft_measurement_near_floor_s(&m, NULL)));
    assert_string_equal(rft_measurement_note(&m, NULL, arena),
                        "each sample is 32 runs in a row; an empty kernel takes 2.00 us");
    rft_arena_free(arena);
}

static void dependent_samples_are_flagged(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_measurement m = measured(1e-3);
    assert_null(rft_measurement_note(&m, NULL, arena));
    for (size_t i = 0; i < N; i++) {
        samples[i] = 1e-3 * (1.0 + 0.01 * (double)i / (N - 1));
    }
    m.stats = rft_stats_of(samples, N);
    const char *note = rft_measurement_note(&m, NULL, arena);
    assert_non_null(note);
    assert_non_null(
        strstr(note, "the samples are not independent (trend of 1.0 %), so the interval is that of batches of them"));
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_do_not_depend_on_the_clock),
        cmocka_unit_test(the_clock_is_that_of_the_figure),
        cmocka_unit_test(the_floor_is_named_where_it_is_near),
        cmocka_unit_test(dependent_samples_are_flagged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
