/* SPDX-License-Identifier: Apache-2.0 */
/* Points whose samples ran below the run's clock: tagged, measured again, kept; and what that may cost. */
#include "measure/measure_fixture.h"

#include "support/scripted_meter.h"

#include <math.h>
#include <string.h>

#define FULL_MHZ 1980.0
#define LOW_MHZ 1500.0
#define RUN_S 200e-6

typedef struct scene {
    fixture f;
    rft_scripted_meter *meter;
    double low_until_s; /* the clock is low until then, while the kernel "paced" runs */
    double low_mhz;
    unsigned low_runs; /* of every 10 runs of "paced" so many are at the low clock */
    unsigned runs;
} scene;

/* The clock of this run was chosen before its first stamp: that is, by the run before. */
static void run_paced(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    scene *s = self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0f * in[i] + acc[i];
        acc[i] += 1.0f;
    }
    bool low = rft_scripted_now_s(gpu) < s->low_until_s && s->runs++ % 10 < s->low_runs;
    rft_scripted_gpu_clock_mhz(gpu, low ? s->low_mhz : FULL_MHZ);
    rft_scripted_spend(gpu, RUN_S * FULL_MHZ / (low ? s->low_mhz : FULL_MHZ));
}

/* Three points at the full clock: the run has a steady state. */
static void start(scene *s) {
    double run_s = RUN_S;
    *s = (scene){.low_mhz = LOW_MHZ, .low_runs = 10};
    fixture_start(&s->f, NULL);
    s->meter = rft_scripted_meter_new(rft_scripted_gpu_clock(s->f.scripted));
    rft_protocol_meter(s->f.probe, rft_scripted_meter_device(s->meter), NULL);
    rft_scripted_gpu_kernel(s->f.scripted, "paced", run_paced, s);
    rft_scripted_gpu_times(s->f.scripted, "good", &run_s, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fixture_outcome(&s->f, "good"), RFT_OUTCOME_OK);
    }
}

static void stop(scene *s) {
    fixture_stop(&s->f);
    rft_scripted_meter_free(s->meter);
}

static double now_s(const scene *s) {
    return rft_scripted_now_s(s->f.scripted);
}

static const rft_measurement *measure(scene *s) {
    assert_int_equal(fixture_outcome(&s->f, "paced"), RFT_OUTCOME_OK);
    return &s->f.result.measurement;
}

static size_t affected(const rft_measurement *m) {
    size_t count = 0;
    for (size_t i = 0; i < m->n; i++) {
        count += isfinite(m->clock_mhz) ? m->clocks_mhz[i] < (1.0 - RFT_THROTTLE_BELOW_FRAC) * m->throttled_below_mhz
                                        : m->throttled_frac > 0.5;
    }
    return count;
}

static void expect_note(const rft_measurement *m, const char *part) {
    if (!m->throttle_note || !strstr(m->throttle_note, part)) {
        fail_msg("\"%s\" is not in \"%s\"", part, m->throttle_note ? m->throttle_note : "");
    }
}

static void a_clock_that_holds_still_is_left_alone(void **state) {
    (void)state;
    scene s;
    start(&s);
    unsigned reads = rft_scripted_meter_reads(s.meter);
    assert_int_equal(reads, 1); /* before the first point */
    double begun_s = now_s(&s);
    for (int i = 0; i < 200; i++) {
        const rft_measurement *m = measure(&s);
        assert_int_equal(m->attempts, 1);
        assert_true(m->throttled_frac == 0.0);
        assert_null(m->throttle_note);
        assert_null(m->throttled_by);
        assert_true(i == 0 || fabs(m->throttled_below_mhz - FULL_MHZ) < 2.0);
        s.f.probe->rest(s.f.probe);
    }
    assert_true(rft_scripted_meter_reads(s.meter) - reads <= (unsigned)(now_s(&s) - begun_s) + 1); /* one a second */
    stop(&s);
}

static void what_passes_is_measured_again(void **state) {
    (void)state;
    scene s;
    start(&s);
    s.low_until_s = now_s(&s) + 0.1;
    rft_scripted_meter_throttle(s.meter, RFT_THROTTLE_SYNC_BOOST, 1.0);
    double begun_s = now_s(&s);
    const rft_measurement *m = measure(&s);
    assert_int_equal(m->attempts, 2);
    assert_int_equal(affected(m), 0);
    assert_true(m->throttled_frac == 0.0);
    assert_true(fabs(m->stats.median - RUN_S) < 1e-9);
    assert_null(m->throttle_note);
    assert_true(now_s(&s) - begun_s > 0.25 && now_s(&s) - begun_s < 1.0);
    assert_true(m->wall_s > 0.25);
    stop(&s);
}

static void heat_that_stays_is_said_and_nothing_is_thrown_away(void **state) {
    (void)state;
    scene s;
    start(&s);
    s.low_until_s = INFINITY;
    rft_scripted_meter_throttle(s.meter, RFT_THROTTLE_SW_THERMAL, 0.8);
    double begun_s = now_s(&s);
    const rft_measurement *m = measure(&s);
    assert_int_equal(m->attempts, 4);
    assert_true(m->n >= 10);
    assert_int_equal(affected(m), m->n);
    assert_true(m->throttled_frac == 1.0);
    assert_true(fabs(m->clock_mhz - LOW_MHZ) < 2.0);
    assert_string_equal(m->throttled_by, "sw_thermal");
    expect_note(m, "100 % of the samples ran more than 5 % below the run's 1980 MHz (temperature); measured 4 times, "
                   "the least affected is kept");
    assert_true(now_s(&s) - begun_s > 7.0); /* 1, 2 and 4 s */
    stop(&s);
}

static void the_least_affected_attempt_is_kept(void **state) {
    (void)state;
    scene s;
    start(&s);
    s.low_runs = 3;
    s.low_until_s = INFINITY;
    const rft_measurement *m = measure(&s);
    assert_true(m->attempts > 1);
    assert_in_range(affected(m), 1, m->n / 2);
    expect_note(m, "the least affected is kept");
    assert_true(fabs((double)affected(m) - m->throttled_frac * (double)m->n) < 0.5);
    stop(&s);
}

static void the_clock_of_a_load_is_believed_the_second_time(void **state) {
    (void)state;
    scene s;
    start(&s);
    s.low_until_s = INFINITY;
    rft_scripted_meter_throttle(s.meter, RFT_THROTTLE_POWER_CAP, 1.0);
    const rft_measurement *m = measure(&s);
    assert_int_equal(m->attempts, 2);
    assert_string_equal(m->throttled_by, "power_cap");
    expect_note(m, "(power limit); 1500 MHz again when measured again: the clock this load gets");
    stop(&s);
}

/* Of several processes none waits for what the load itself brings, and for heat not long. */
static void a_process_of_many_does_not_wait(void **state) {
    (void)state;
    static const rft_throttle_cause causes[] = {RFT_THROTTLE_POWER_CAP, RFT_THROTTLE_SW_THERMAL};
    for (int i = 0; i < 2; i++) {
        scene s;
        start(&s);
        s.low_until_s = INFINITY;
        s.f.request.draw = 7;
        rft_scripted_meter_throttle(s.meter, causes[i], 1.0);
        double begun_s = now_s(&s);
        const rft_measurement *m = measure(&s);
        assert_int_equal(m->attempts, i == 0 ? 1 : 2);
        assert_string_equal(m->throttled_by, rft_throttle_name(causes[i]));
        assert_true(m->throttled_frac == 1.0);
        expect_note(m, "not measured again here: further processes measure it");
        assert_true(now_s(&s) - begun_s < (i == 0 ? 0.25 : 2.5));
        stop(&s);
    }
}

/* Back to back this kernel falls to the power limit's clock: `late_s` after it began. */
typedef struct regulated {
    double begun_s, late_s;
    bool restless; /* it never holds still */
} regulated;

static void run_regulated(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    regulated *r = self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0f * in[i] + acc[i];
        acc[i] += 1.0f;
    }
    double passed_s = rft_scripted_now_s(gpu) - r->begun_s;
    bool low = r->restless ? (int)(passed_s / 0.02) % 2 : passed_s > r->late_s;
    double mhz = !low ? FULL_MHZ : r->restless ? 0.97 * FULL_MHZ : LOW_MHZ;
    rft_scripted_gpu_clock_mhz(gpu, mhz);
    rft_scripted_spend(gpu, 2e-3 * FULL_MHZ / mhz);
}

static const rft_measurement *measure_regulated(scene *s, regulated *r, bool held) {
    rft_scripted_gpu_kernel(s->f.scripted, "regulated", run_regulated, r);
    r->begun_s = now_s(s);
    s->f.request.draw = 7;
    s->f.request.held = held;
    s->f.request.measure.min_samples = s->f.request.measure.max_samples = 7;
    assert_int_equal(fixture_outcome(&s->f, "regulated"), RFT_OUTCOME_OK);
    return &s->f.result.measurement;
}

/* A block of 7 samples would all run at the clock that the kernel before has left. */
static void what_the_power_limit_holds_is_loaded_in(void **state) {
    (void)state;
    scene s;
    start(&s);
    regulated r = {.late_s = 0.022};
    const rft_measurement *m = measure_regulated(&s, &r, false);
    assert_int_equal(m->n, 7);
    assert_true(fabs(m->clock_mhz - FULL_MHZ) < 2.0);
    assert_true(now_s(&s) - r.begun_s < 0.022);
    m = measure_regulated(&s, &r, true);
    assert_true(fabs(m->clock_mhz - LOW_MHZ) < 2.0);
    assert_int_equal(affected(m), m->n);
    assert_true(m->n >= 5 && (double)m->n * m->stats.median >= 20e-3);
    assert_true(now_s(&s) - r.begun_s < 0.15);
    r.late_s = 0.0;
    m = measure_regulated(&s, &r, true); /* it holds still from the beginning */
    assert_true(now_s(&s) - r.begun_s < 0.07);
    stop(&s);
}

static void loading_in_has_an_end(void **state) {
    (void)state;
    scene s;
    start(&s);
    regulated r = {.restless = true};
    const rft_measurement *m = measure_regulated(&s, &r, true);
    assert_true(m->n >= 7);
    assert_true(now_s(&s) - r.begun_s > 0.3 && now_s(&s) - r.begun_s < 0.4);
    s.f.request.measure.point_timeout_s = 0.1; /* nor does it cost the point its samples */
    m = measure_regulated(&s, &r, true);
    assert_true(m->n >= 7 && now_s(&s) - r.begun_s < 0.1);
    stop(&s);
}

/* A new process compares with the run's clock, not with the first it sees. */
static void the_runs_clock_is_handed_over(void **state) {
    (void)state;
    scene s;
    start(&s);
    s.f.request.steady_mhz = 1.1 * FULL_MHZ;
    s.f.request.draw = 7;
    const rft_measurement *m = measure(&s);
    assert_true(m->throttled_frac == 1.0 && m->throttled_below_mhz == 1.1 * FULL_MHZ);
    s.f.request.steady_mhz = 0;
    m = measure(&s);
    assert_true(m->throttled_frac == 0.0 && m->throttled_below_mhz < 1.01 * FULL_MHZ);
    stop(&s);
}

/* Every other point draws the power limit's clock: they are not all waited for. */
static void measuring_again_has_a_share_of_the_time(void **state) {
    (void)state;
    scene s;
    unsigned again = 0, spared = 0;
    start(&s);
    s.low_until_s = INFINITY;
    rft_scripted_meter_throttle(s.meter, RFT_THROTTLE_POWER_CAP, 1.0);
    double begun_s = now_s(&s);
    for (int i = 0; i < 400; i++) {
        const rft_measurement *m = measure(&s);
        again += m->attempts > 1;
        spared += m->throttle_note && strstr(m->throttle_note, "that has taken its share of the run's time");
        rft_scripted_gpu_clock_mhz(s.f.scripted, FULL_MHZ);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(fixture_outcome(&s.f, "good"), RFT_OUTCOME_OK);
        }
    }
    assert_true(again >= 5);
    assert_true(spared > 300);
    double passed_s = now_s(&s) - begun_s;
    assert_true((double)again * 0.25 < 2.5 + 0.06 * passed_s);
    stop(&s);
}

static void who_is_out_of_the_race_anyway_is_not_waited_for(void **state) {
    (void)state;
    scene s;
    start(&s);
    s.low_until_s = INFINITY;
    s.f.request.rival_s = RUN_S / 2;
    const rft_measurement *m = measure(&s);
    assert_int_equal(m->stop, RFT_STOP_SLOWER);
    assert_int_equal(m->attempts, 1);
    expect_note(m, "not measured again: it would be out of the race at the full clock as well");
    /* Only the low clock puts this one out: it gets its chance. */
    s.f.request.rival_s = RUN_S;
    s.low_until_s = now_s(&s) + 0.1;
    m = measure(&s);
    assert_int_equal(m->attempts, 2);
    assert_true(m->stop != RFT_STOP_SLOWER && m->throttled_frac == 0.0);
    stop(&s);
}

static void without_a_meter_the_cause_is_not_known(void **state) {
    (void)state;
    scene s;
    start(&s);
    rft_protocol_meter(s.f.probe, NULL, "no NVML");
    s.low_until_s = INFINITY;
    const rft_measurement *m = measure(&s);
    assert_int_equal(m->attempts, 2);
    assert_null(m->throttled_by);
    expect_note(m, "(cause not known)");
    stop(&s);
}

/* The counters move in steps of 0.1 s, a burst is over before: then what acts at its end is the cause. */
static void what_acts_at_the_end_of_a_burst_is_the_cause(void **state) {
    (void)state;
    scene s;
    start(&s);
    s.low_until_s = INFINITY;
    rft_scripted_meter_fact(s.meter, RFT_METER_EVENT_REASONS, 0x4);
    assert_string_equal(measure(&s)->throttled_by, "power_cap");
    rft_scripted_meter_fact(s.meter, RFT_METER_EVENT_REASONS, 0x24); /* heat beside it */
    assert_string_equal(measure(&s)->throttled_by, "sw_thermal");
    rft_scripted_meter_fact(s.meter, RFT_METER_EVENT_REASONS, 0x2); /* application clocks: chosen, not held down */
    assert_null(measure(&s)->throttled_by);
    stop(&s);
}

/* Every point draws the power limit's clock: that is the run's steady state, and no sample is below it. */
static void a_low_steady_state_has_a_cause(void **state) {
    (void)state;
    scene s;
    start(&s);
    s.low_until_s = INFINITY;
    rft_scripted_meter_fact(s.meter, RFT_METER_EVENT_REASONS, 0x4);
    const rft_measurement *m = NULL;
    for (int i = 0; i < 8; i++) {
        m = measure(&s);
    }
    assert_true(m->throttled_frac == 0.0 && m->attempts == 1);
    assert_true(fabs(m->throttled_below_mhz - LOW_MHZ) < 2.0);
    assert_string_equal(m->throttled_by, "power_cap");
    assert_null(m->throttle_note);
    stop(&s);
}

/* An attempt that comes to no end does not take away what there was. */
static void time_that_is_over_leaves_what_there_is(void **state) {
    (void)state;
    scene s;
    start(&s);
    s.low_until_s = INFINITY;
    rft_scripted_meter_throttle(s.meter, RFT_THROTTLE_SW_THERMAL, 1.0);
    s.f.request.measure.point_timeout_s = 0.005; /* one attempt takes more than half of it */
    const rft_measurement *m = measure(&s);
    assert_true(m->attempts < 4);
    assert_true(m->n > 0);
    expect_note(m, "not measured again: its time is over");
    stop(&s);
}

static void what_was_verified_is_only_timed(void **state) {
    (void)state;
    scene s;
    start(&s);
    unsigned compared = rft_scripted_launches(s.f.scripted, "rft_compare_kernel");
    s.f.request.verified = true;
    s.f.request.round = 1;
    s.f.spec.launch_count = 2;
    s.f.request.turn = 1;
    const rft_measurement *m = measure(&s);
    assert_true(m->n >= 10 && m->step_count == 0);
    assert_false(s.f.result.verification.done);
    s.f.request.turn = 0;
    assert_int_equal(measure(&s)->step_count, 2);
    assert_int_equal(rft_scripted_launches(s.f.scripted, "rft_compare_kernel"), compared);
    stop(&s);
}

static void the_environment_says_what_can_be_told(void **state) {
    (void)state;
    scene s;
    rft_gpu_info gpu;
    rft_env env = {0};
    start(&s);
    rft_scripted_meter_missing(s.meter, RFT_METER_HW_THERMAL_S, "Not Supported");
    assert_int_equal(s.f.probe->device(s.f.probe, s.f.arena, &gpu, &env, &s.f.err), 0);
    assert_string_equal(rft_env_value(&env, "nvml.throttle_counters"),
                        "power_cap, sync_boost, sw_thermal, power_brake");
    rft_protocol_meter(s.f.probe, NULL, "there is no NVML");
    assert_int_equal(s.f.probe->device(s.f.probe, s.f.arena, &gpu, &env, &s.f.err), 0);
    assert_null(rft_env_value(&env, "nvml.throttle_counters"));
    assert_string_equal(rft_env_get(&env, "nvml.throttle_counters")->reason, "there is no NVML");
    stop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_that_holds_still_is_left_alone),
        cmocka_unit_test(what_passes_is_measured_again),
        cmocka_unit_test(heat_that_stays_is_said_and_nothing_is_thrown_away),
        cmocka_unit_test(the_least_affected_attempt_is_kept),
        cmocka_unit_test(the_clock_of_a_load_is_believed_the_second_time),
        cmocka_unit_test(a_process_of_many_does_not_wait),
        cmocka_unit_test(what_the_power_limit_holds_is_loaded_in),
        cmocka_unit_test(loading_in_has_an_end),
        cmocka_unit_test(the_runs_clock_is_handed_over),
        cmocka_unit_test(measuring_again_has_a_share_of_the_time),
        cmocka_unit_test(who_is_out_of_the_race_anyway_is_not_waited_for),
        cmocka_unit_test(without_a_meter_the_cause_is_not_known),
        cmocka_unit_test(what_acts_at_the_end_of_a_burst_is_the_cause),
        cmocka_unit_test(a_low_steady_state_has_a_cause),
        cmocka_unit_test(time_that_is_over_leaves_what_there_is),
        cmocka_unit_test(what_was_verified_is_only_timed),
        cmocka_unit_test(the_environment_says_what_can_be_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
