/* SPDX-License-Identifier: Apache-2.0 */
/* A point under load: joules with a known answer, sensors that are missing or slow, soaks of a card that sags, the user
 * who does not want to wait. */
#include "measure/measure_fixture.h"

#include "support/scripted_meter.h"

#include <math.h>
#include <string.h>

typedef struct watched {
    fixture f;
    rft_scripted_meter *meter;
    double sags_at_s, sagged_s, run_s; /* the kernel takes run_s, from sags_at_s on sagged_s */
    unsigned stop_after, asked;        /* 0: never */
    bool frozen;                       /* acc is an input: it is left alone */
} watched;

static void run_sagging(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    watched *w = self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0f * in[i] + acc[i];
        acc[i] += w->frozen ? 0.0f : 1.0f;
    }
    bool sags = rft_scripted_now_s(gpu) >= w->sags_at_s;
    if (sags) {
        rft_scripted_gpu_clock_mhz(gpu, 1800.0);
    }
    rft_scripted_spend(gpu, sags ? w->sagged_s : w->run_s);
}

/* acc, in, out, n: with acc as an input. */
static void run_frozen_reference(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu, (void)self;
    const float *acc = RFT_SCRIPTED_POINTER(launch, 0, const float), *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    double *out = RFT_SCRIPTED_POINTER(launch, 2, double);
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0 * in[i] + acc[i];
    }
}

static bool stop(void *payload) {
    watched *w = payload;
    return w->stop_after > 0 && ++w->asked > w->stop_after;
}

static void start(watched *w) {
    *w = (watched){.sags_at_s = INFINITY, .run_s = 1e-3};
    fixture_start(&w->f, NULL);
    w->meter = rft_scripted_meter_new(rft_scripted_gpu_clock(w->f.scripted));
    rft_protocol_meter(w->f.probe, rft_scripted_meter_device(w->meter), NULL);
    rft_scripted_gpu_kernel(w->f.scripted, "sagging", run_sagging, w);
    w->f.request.load = (rft_load_order){.wanted = true, .kind = RFT_LOAD_ENERGY, .seconds = 1.0, .stop = stop};
    w->f.request.load.payload = w;
}

static void end(watched *w) {
    fixture_stop(&w->f);
    rft_scripted_meter_free(w->meter);
}

static const rft_load *load_of(watched *w) {
    assert_int_equal(fixture_outcome(&w->f, "sagging"), RFT_OUTCOME_OK);
    assert_non_null(w->f.result.load);
    return w->f.result.load;
}

/* 500 W for 1 ms a run is half a joule; the copy that restores the inout takes the scripted device 1 us. */
static void joules_are_right(void **state) {
    (void)state;
    watched w;
    start(&w);
    rft_scripted_meter_power(w.meter, 500.0);
    const rft_load *load = load_of(&w);
    assert_int_equal(load->kind, RFT_LOAD_ENERGY);
    assert_null(load->reason);
    assert_null(load->energy_reason);
    assert_string_equal(load->source, "energy counter");
    assert_true(load->restored);
    assert_true(load->uncertainty_frac > 0.0 && load->uncertainty_frac < 0.05);
    assert_true(fabs(load->power_w / 500.0 - 1.0) <= load->uncertainty_frac);
    assert_true(fabs(load->joules_per_run / (500.0 * 1.001e-3) - 1.0) <= load->uncertainty_frac);
    assert_true(fabs(load->run_s / 1.001e-3 - 1.0) < 0.01);
    assert_true(load->window_s >= 1.0 && load->window_s < 2.0); /* until eleven updates of 0.1 s were seen, no longer */
    assert_true(fabs((double)load->runs * load->run_s / load->window_s - 1.0) < 0.01);
    assert_true(load->clock_mhz == 1980.0 && load->temperature_start_c == 40.0 && load->temperature_end_c == 40.0);
    assert_true(load->throttled_frac[RFT_THROTTLE_POWER_CAP] == 0.0);
    assert_int_equal(rft_load_cause(load), RFT_THROTTLE_COUNT);
    assert_int_equal(load->n, 0); /* no samples are taken: nothing but the launches */
    assert_true(fabs(rft_load_per_joule(load, 1e9) * 0.5005 / 1e9 - 1.0) <= load->uncertainty_frac);
    assert_true(w.f.result.measurement.n == 0 && w.f.result.measurement.busy_s > 1.0);
    end(&w);
}

/* As many as the host queues; the joules are of those that ran. */
static void short_kernels(void **state) {
    (void)state;
    watched w;
    start(&w);
    w.run_s = 5e-6;
    rft_scripted_meter_power(w.meter, 300.0);
    const rft_load *load = load_of(&w);
    assert_non_null(load->source);
    assert_true(fabs(load->joules_per_run / (load->power_w * load->window_s / (double)load->runs) - 1.0) < 1e-9);
    assert_true(fabs(load->power_w / 300.0 - 1.0) <= load->uncertainty_frac);
    end(&w);
}

/* The device has work while the host waits for the meter. */
static void a_costly_reading(void **state) {
    (void)state;
    watched w;
    start(&w);
    rft_scripted_meter_power(w.meter, 700.0);
    rft_scripted_meter_cost(w.meter, 0.004);
    const rft_load *load = load_of(&w);
    assert_true(fabs(load->power_w / 700.0 - 1.0) <= load->uncertainty_frac);
    end(&w);
}

static void the_power_sensor_alone(void **state) {
    (void)state;
    watched w;
    start(&w);
    rft_scripted_meter_power(w.meter, 500.0);
    rft_scripted_meter_missing(w.meter, RFT_METER_ENERGY_J, "not supported");
    /* a sensor that always says the same has not moved: nothing tells that it works */
    const rft_load *load = load_of(&w);
    assert_null(load->source);
    assert_non_null(strstr(load->energy_reason, "power sensor did not move"));
    assert_true(isnan(load->power_w) && isnan(load->joules_per_run));
    assert_true(load->window_s > 3.5 && load->window_s < 4.5); /* patience, and no more */
    end(&w);
}

static void no_sensor(void **state) {
    (void)state;
    watched w;
    start(&w);
    rft_scripted_meter_missing(w.meter, RFT_METER_ENERGY_J, "energy is not supported");
    rft_scripted_meter_missing(w.meter, RFT_METER_POWER_INSTANT_W, "no field");
    rft_scripted_meter_missing(w.meter, RFT_METER_POWER_AVERAGE_W, "power is not supported");
    const rft_load *load = load_of(&w);
    assert_null(load->source);
    assert_string_equal(load->energy_reason, "the device gives neither energy (energy is not supported) nor power "
                                             "(power is not supported)");
    assert_true(isnan(load->power_w) && load->runs == 0);
    assert_int_equal(rft_scripted_launches(w.f.scripted, "sagging"), 1); /* verified; no window for nothing */
    rft_protocol_meter(w.f.probe, NULL, "no NVML here");
    assert_string_equal(load_of(&w)->energy_reason, "no NVML here");
    rft_load idle;
    const rft_load_order order = {.wanted = true, .kind = RFT_LOAD_IDLE, .seconds = 1.0};
    assert_int_equal(w.f.probe->idle(w.f.probe, &order, w.f.arena, &idle, &w.f.err), 0);
    assert_null(idle.source);
    assert_string_equal(idle.energy_reason, "no NVML here");
    /* a soak needs no sensor for its time */
    w.f.request.load.kind = RFT_LOAD_SOAK;
    w.f.request.load.seconds = 3.0;
    load = load_of(&w);
    assert_null(load->reason);
    assert_string_equal(load->energy_reason, "no NVML here");
    assert_true(fabs(load->stats.median - 1e-3) < 1e-6 && isnan(load->power_w));
    end(&w);
}

static void idle_power(void **state) {
    (void)state;
    watched w;
    start(&w);
    rft_load idle;
    const rft_load_order order = {.wanted = true, .kind = RFT_LOAD_IDLE, .seconds = 1.0};
    rft_scripted_meter_power(w.meter, 76.0);
    assert_int_equal(w.f.probe->idle(w.f.probe, &order, w.f.arena, &idle, &w.f.err), 0);
    assert_int_equal(idle.kind, RFT_LOAD_IDLE);
    assert_string_equal(idle.source, "energy counter");
    assert_true(fabs(idle.power_w / 76.0 - 1.0) <= idle.uncertainty_frac);
    assert_true(isnan(idle.joules_per_run) && idle.runs == 0 && idle.window_s >= 1.0);
    assert_int_equal(rft_scripted_launches(w.f.scripted, "sagging"), 0);
    end(&w);
}

/* From the third second on the card runs a tenth slower under its power limit. */
static void a_soak_of_a_card_that_sags(void **state) {
    (void)state;
    watched w;
    start(&w);
    w.f.request.load.kind = RFT_LOAD_SOAK;
    w.f.request.load.seconds = 12.0;
    w.sagged_s = 1.1e-3;
    w.sags_at_s = rft_scripted_now_s(w.f.scripted) + 3.0;
    rft_scripted_meter_power(w.meter, 690.0);
    rft_scripted_meter_throttle(w.meter, RFT_THROTTLE_POWER_CAP, 0.8);
    const rft_load *load = load_of(&w);
    assert_null(load->reason);
    assert_true(load->asked_s == 12.0 && load->n > 100);
    assert_true(fabs(load->samples_s[0] - 1e-3) < 1e-6);            /* burst */
    assert_true(fabs(load->stats.median - 1.1e-3) < 1e-6);          /* sustained */
    assert_true(load->window_s > 3.9 && load->window_s < 4.2);      /* the last third */
    assert_true(load->stats.n > 20 && load->stats.n < load->n / 2); /* of the samples, too */
    for (size_t i = 1; i < load->n; i++) {
        assert_true(load->at_s[i] > load->at_s[i - 1]);
    }
    assert_true(load->at_s[load->n - 1] < 12.1 && fabs(load->clock_mhz - 1800.0) < 1.0);
    assert_true(fabs(load->clocks_mhz[0] - 1980.0) < 1.0);
    assert_true(fabs(load->power_w / 690.0 - 1.0) <= load->uncertainty_frac);
    assert_true(isnan(load->joules_per_run)); /* emptying the cache is in these watts */
    assert_int_equal(rft_load_cause(load), RFT_THROTTLE_POWER_CAP);
    assert_true(fabs(load->throttled_frac[RFT_THROTTLE_POWER_CAP] - 0.8) < 0.01);
    end(&w);
}

/* The samples are those of a measurement: the cache is emptied before each in cold mode, and only then. */
static void samples_have_the_sweeps_cache(void **state) {
    (void)state;
    watched w;
    start(&w);
    w.f.request.load.kind = RFT_LOAD_SOAK;
    w.f.request.load.seconds = 3.0;
    size_t n = load_of(&w)->n;
    unsigned before = rft_scripted_launches(w.f.scripted, "rft_flush_write_kernel");
    assert_true(n > 50 && before >= n && before <= n + 1); /* one when the two buffers were new */
    n = load_of(&w)->n;
    unsigned after = rft_scripted_launches(w.f.scripted, "rft_flush_write_kernel");
    assert_int_equal(after - before, n);
    w.f.request.measure.cache = RFT_CACHE_HOT;
    assert_true(load_of(&w)->n > 50);
    assert_int_equal(rft_scripted_launches(w.f.scripted, "rft_flush_write_kernel"), after);
    end(&w);
}

/* Near the timer's floor a sample is a batch, as in a measurement: its mean is told. */
static void a_soak_near_the_floor(void **state) {
    (void)state;
    watched w;
    start(&w);
    w.f.buffers[BUFFER_ACC].role = RFT_BUFFER_INPUT;
    rft_scripted_gpu_kernel(w.f.scripted, "reference", run_frozen_reference, NULL);
    w.f.request.load.kind = RFT_LOAD_SOAK;
    w.f.request.load.seconds = 3.0;
    w.f.request.measure.cache = RFT_CACHE_HOT;
    w.run_s = 4e-6;
    w.frozen = true;
    const rft_load *load = load_of(&w);
    assert_null(load->reason);
    assert_true(fabs(load->stats.median / 4e-6 - 1.0) < 0.05);
    end(&w);
}

static void who_does_not_want_to_wait(void **state) {
    (void)state;
    watched w;
    start(&w);
    w.f.request.load.kind = RFT_LOAD_SOAK;
    w.f.request.load.seconds = 3600.0;
    w.stop_after = 100;
    double begun_s = rft_scripted_now_s(w.f.scripted);
    const rft_load *load = load_of(&w);
    assert_true(load->cut);
    assert_true(rft_scripted_now_s(w.f.scripted) - begun_s < 10.0);
    end(&w);
}

static void a_fault_under_load(void **state) {
    (void)state;
    watched w;
    start(&w);
    rft_scripted_gpu_fault(w.f.scripted, "sagging", RFT_SCRIPTED_ILLEGAL, 500);
    assert_int_equal(fixture_outcome(&w.f, "sagging"), RFT_OUTCOME_LAUNCH_FAILED);
    assert_null(w.f.result.load);
    assert_non_null(strstr(w.f.result.reason, "illegal memory access"));
    end(&w);
}

static void a_wrong_kernel_gets_no_load(void **state) {
    (void)state;
    watched w;
    start(&w);
    w.f.buffers[BUFFER_OUT].count = ELEMENTS + 1; /* its last element is never written */
    assert_int_equal(fixture_outcome(&w.f, "sagging"), RFT_OUTCOME_WRONG_RESULT);
    assert_null(w.f.result.load);
    assert_int_equal(rft_scripted_launches(w.f.scripted, "sagging"), 1);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joules_are_right),
        cmocka_unit_test(short_kernels),
        cmocka_unit_test(a_costly_reading),
        cmocka_unit_test(the_power_sensor_alone),
        cmocka_unit_test(no_sensor),
        cmocka_unit_test(idle_power),
        cmocka_unit_test(a_soak_of_a_card_that_sags),
        cmocka_unit_test(samples_have_the_sweeps_cache),
        cmocka_unit_test(a_soak_near_the_floor),
        cmocka_unit_test(who_does_not_want_to_wait),
        cmocka_unit_test(a_fault_under_load),
        cmocka_unit_test(a_wrong_kernel_gets_no_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
