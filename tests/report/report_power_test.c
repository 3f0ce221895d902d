/* SPDX-License-Identifier: Apache-2.0 */
/* Watts, joules and sustained times on paper; what the sensor does not say. */
#include "report/report_sample.h"
#include "report/trace_pages.h"

#include "model/roofline/bound.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define SOAK_S 60
#define SOAK_SAMPLES 1200

static rft_load *add(rft_run *run, rft_point *point, rft_load_kind kind) {
    rft_load *load = rft_arena_alloc(run->arena, sizeof *load);
    *load = rft_load_none(kind, NULL);
    if (point) {
        point->loads[kind] = load;
    } else {
        run->idle = load;
    }
    return load;
}

static void set_power(rft_load *load, double power_w) {
    load->source = "energy counter";
    load->power_w = power_w;
    load->uncertainty_frac = 0.016;
}

static rft_point *best_of_largest(rft_run *run, size_t sweep) {
    const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, rft_run_largest(run, sweep));
    assert_non_null(best);
    return &run->points[best - run->points];
}

static void add_energy(rft_run *run, size_t sweep, double power_w) {
    rft_point *best = best_of_largest(run, sweep);
    rft_load *load = add(run, best, RFT_LOAD_ENERGY);
    set_power(load, power_w);
    load->run_s = rft_point_median_s(best);
    load->joules_per_run = power_w * load->run_s;
    load->clock_mhz = 1755;
}

/* The card keeps its time for 12 s and is `factor` slower from then on. */
static void add_soak(rft_run *run, size_t sweep, double factor) {
    rft_point *best = best_of_largest(run, sweep);
    rft_load *load = add(run, best, RFT_LOAD_SOAK);
    double burst_s = rft_point_median_s(best);
    load->asked_s = SOAK_S;
    load->n = SOAK_SAMPLES;
    load->samples_s = rft_arena_calloc(run->arena, SOAK_SAMPLES, sizeof(double));
    load->at_s = rft_arena_calloc(run->arena, SOAK_SAMPLES, sizeof(double));
    load->clocks_mhz = rft_arena_calloc(run->arena, SOAK_SAMPLES, sizeof(double));
    for (size_t i = 0; i < SOAK_SAMPLES; i++) {
        bool sags = i > SOAK_SAMPLES / 5;
        load->at_s[i] = 0.05 * (double)(i + 1);
        load->samples_s[i] = burst_s * (sags ? factor : 1.0) * (1.0 + 0.002 * (double)(i % 7));
        load->clocks_mhz[i] = sags ? 1980.0 / factor : 1980.0;
    }
    load->stats = rft_stats_of(load->samples_s + 800, 400);
    load->clock_mhz = 1980.0 / factor;
    set_power(load, 690);
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        load->throttled_frac[i] = i == RFT_THROTTLE_POWER_CAP && factor > 1 ? 0.8 : 0.0;
    }
}

static void test_watts_and_two_times(void **state) {
    (void)state;
    rft_run *run = sample_full();
    set_power(add(run, NULL, RFT_LOAD_IDLE), 118);
    for (size_t s = 0; s < run->sweep_count; s++) {
        add_energy(run, s, 500 + 50 * (double)s);
        add_soak(run, s, s == 2 ? 1.15 : 1.0);
    }
    rft_point *copy = best_of_largest(run, 0); /* its ceiling under load is known, those of the others are not */
    rft_placement place = rft_placement_of(run, copy);
    rft_ceiling *ceiling = &run->ceilings.items[rft_placement_ceiling(run, copy, &place)];
    ceiling->sustained = ceiling->stats;
    rft_load *restored = (rft_load *)(uintptr_t)best_of_largest(run, 1)->loads[RFT_LOAD_ENERGY];
    restored->restored = true;
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    assert_int_equal(trace_pages_saying(&pages, "Power and energy"), 3);
    assert_int_equal(trace_pages_saying(&pages, "Burst and sustained"), 3);
    assert_true(trace_says(&pages, "At rest, just after work and with its context open, the device drew 118 W."));
    assert_true(trace_says(&pages, "draws 500 W and takes"));
    assert_true(trace_says(&pages, "B/s/W"));
    assert_true(trace_says(&pages, "FLOP/s/W"));
    assert_true(trace_says(&pages, "copied back before every run"));
    assert_true(trace_says(&pages, "Under 60 s of load"));
    assert_true(trace_says(&pages, "keeps its time."));
    assert_true(trace_says(&pages, "longer than in bursts."));
    assert_true(trace_says(&pages, "power limit, 80.0 % of the time"));
    assert_true(trace_says(&pages, "The rate of its ceiling under load is not known."));
    assert_true(trace_says(&pages, "seconds under load"));
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_no_sensor_has_its_reason(void **state) {
    (void)state;
    rft_run *run = sample_full();
    add(run, NULL, RFT_LOAD_IDLE)->energy_reason = "NVML is not there";
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    assert_true(trace_says(&pages, "Power is not known: NVML is not there."));
    assert_false(trace_says(&pages, "Power and energy"));
    trace_clear(&pages);
    const rft_load left_out =
        rft_load_left_out("not measured: 5.0 s beside a run of 4.3 s; --energy largest measures it");
    *add(run, NULL, RFT_LOAD_IDLE) = left_out;
    pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    assert_true(
        trace_says(&pages, "Power was not measured: 5.0 s beside a run of 4.3 s; --energy largest measures it."));
    trace_clear(&pages);
    add(run, best_of_largest(run, 1), RFT_LOAD_ENERGY)->energy_reason = "the energy counter did not move";
    pages = trace_of(run, NULL);
    assert_true(trace_says(&pages, "No figure: the energy counter did not move."));
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_nobody_asked(void **state) {
    (void)state;
    rft_run *run = sample_full();
    trace_pages pages = trace_of(run, NULL);
    assert_false(trace_says(&pages, "Power and energy"));
    assert_false(trace_says(&pages, "Burst and sustained"));
    assert_false(trace_says(&pages, "At rest"));
    trace_clear(&pages);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watts_and_two_times),
        cmocka_unit_test(test_no_sensor_has_its_reason),
        cmocka_unit_test(test_nobody_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
