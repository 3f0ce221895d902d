/* SPDX-License-Identifier: Apache-2.0 */
/* The meter on a real card: what a reading costs, what the card tells, and joules of a load of known length. Prints its
 * figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/gpu.h"
#include "gpu/gpu_tests.h"
#include "gpu/meter_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { POLLS_MAX = 4096, LOAD_BYTES = 1 << 30, BATCH = 16 };

static rft_gpu *gpu;
static rft_meter *meter;

static double now_s(void) {
    const rft_clock *clock = rft_clock_system();
    return (double)clock->monotonic_ns(clock->self) * 1e-9;
}

static int compare_int64(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double median_cost_us(unsigned groups) {
    int64_t costs_ns[51];
    rft_meter_snapshot s;
    for (int i = 0; i < 51; i++) {
        meter->vt->read(meter, groups, &s);
        costs_ns[i] = s.cost_ns;
    }
    qsort(costs_ns, 51, sizeof *costs_ns, compare_int64);
    return (double)costs_ns[25] * 1e-3;
}

static void reading_is_cheap(void **state) {
    (void)state;
    static const struct {
        unsigned groups;
        const char *name;
    } cases[] = {{RFT_METER_ENERGY, "energy"}, {RFT_METER_POWER, "power"},   {RFT_METER_CLOCKS, "clocks"},
                 {RFT_METER_HEAT, "heat"},     {RFT_METER_EVENTS, "events"}, {RFT_METER_THROTTLE, "throttle"},
                 {RFT_METER_ALL, "all"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double cost_us = median_cost_us(cases[i].groups);
        print_message("reading %-8s costs %8.1f us\n", cases[i].name, cost_us);
        assert_true(cost_us < 20000.0); /* the counters are read twice a point */
    }
}

static void the_card_tells(void **state) {
    (void)state;
    rft_meter_snapshot s;
    char reasons[200];
    int known = 0;
    meter->vt->read(meter, RFT_METER_ALL, &s);
    for (int i = 0; i < RFT_METER_FACT_COUNT; i++) {
        assert_true(isnan(s.values[i]) == (s.reasons[i] != NULL));
        known += !isnan(s.values[i]);
        if (s.reasons[i]) {
            print_message("%-24s n/a: %s\n", meter_names[i], s.reasons[i]);
        } else {
            print_message("%-24s %.6f\n", meter_names[i], s.values[i]);
        }
    }
    print_message("now: %s\n", rft_meter_reasons_text(s.values[RFT_METER_EVENT_REASONS], reasons, sizeof reasons));
    assert_true(known >= 5);
    assert_true(isnan(s.values[RFT_METER_SM_CLOCK_MHZ]) ||
                (s.values[RFT_METER_SM_CLOCK_MHZ] >= 100.0 && s.values[RFT_METER_SM_CLOCK_MHZ] < 5000.0));
    assert_true(isnan(s.values[RFT_METER_TEMPERATURE_C]) ||
                (s.values[RFT_METER_TEMPERATURE_C] > 5.0 && s.values[RFT_METER_TEMPERATURE_C] < 110.0));
    double seconds_of_a_decade = 3.2e8;
    for (int i = RFT_METER_POWER_CAP_S; i <= RFT_METER_POWER_BRAKE_S; i++) {
        assert_true(isnan(s.values[i]) || (s.values[i] >= 0.0 && s.values[i] < seconds_of_a_decade));
    }
    const unsigned own[] = {(unsigned)getpid()};
    rft_meter_state who;
    meter->vt->state(meter, own, 1, &who);
    print_message("%zu other processes, %zu our own; MIG %d, persistence %d\n", who.user_count, who.own_count,
                  (int)who.mig, (int)who.persistence);
    assert_true((who.mig == RFT_METER_UNKNOWN) == (who.mig_reason != NULL));
    for (size_t i = 0; i < who.user_count; i++) {
        assert_true(who.users[i].pid != own[0]);
    }
}

typedef struct watched {
    rft_energy_reading readings[POLLS_MAX];
    size_t count;
    uint64_t launches;
    double begun_s, ended_s;
    double share[RFT_THROTTLE_COUNT];
} watched;

/* Fills memory for `seconds` (or does nothing), polling every 20 ms while the device is busy. */
static void watch(watched *w, double seconds, rft_device_ptr memory) {
    rft_err err = RFT_ERR_INIT;
    rft_meter_snapshot first, s;
    double next_poll_s = 0.0;
    *w = (watched){.begun_s = now_s()};
    meter->vt->read(meter, RFT_METER_THROTTLE, &first);
    while (now_s() - w->begun_s < seconds && w->count < POLLS_MAX) {
        for (int i = 0; memory && i < BATCH; i++) {
            assert_int_equal(gpu->vt->set(gpu, memory, i, LOAD_BYTES, &err), 0);
            w->launches++;
        }
        if (now_s() >= next_poll_s) {
            next_poll_s = now_s() + 0.02;
            meter->vt->read(meter, RFT_METER_ENERGY | RFT_METER_POWER, &s);
            w->readings[w->count++] = rft_meter_energy(&s, 0);
        }
        if (memory) {
            assert_int_equal(gpu->vt->sync(gpu, &err), 0);
        } else {
            usleep(2000);
        }
    }
    w->ended_s = now_s();
    meter->vt->read(meter, RFT_METER_THROTTLE, &s);
    rft_throttle_counters before = rft_meter_counters(&first), after = rft_meter_counters(&s);
    rft_throttle_share(w->share, &before, &after);
}

static rft_energy energy_of(const watched *w, bool counter) {
    rft_energy_reading *readings = calloc(w->count + 1, sizeof *readings);
    assert_non_null(readings);
    for (size_t i = 0; i < w->count; i++) {
        readings[i] = w->readings[i];
        readings[i].energy_j = counter ? readings[i].energy_j : (double)NAN;
    }
    rft_energy_window window = {.readings = readings,
                                .count = w->count,
                                .begin_s = w->begun_s,
                                .end_s = w->ended_s,
                                .launches = w->launches,
                                .averaging_s = 1.0};
    rft_energy energy = rft_energy_of(&window);
    free(readings);
    return energy;
}

static void print_energy(const char *what, const rft_energy *e) {
    print_message("%-14s %-14s %7.2f W +-%.2f %%, %.6f J a launch, updates every %.0f ms over %.2f s %s\n", what,
                  rft_energy_source_name(e->source), e->power_w, e->uncertainty_frac * 100.0, e->joules_per_launch,
                  e->update_s * 1e3, e->span_s, e->reason);
}

static void joules_of_a_load(void **state) {
    (void)state;
    rft_device_ptr memory = 0;
    assert_int_equal(gpu->vt->alloc(gpu, LOAD_BYTES, &memory, NULL), 0);
    watched *idle = calloc(1, sizeof *idle), *busy = calloc(1, sizeof *busy);
    assert_non_null(idle);
    assert_non_null(busy);
    watch(idle, 2.5, 0);
    rft_energy e_idle = energy_of(idle, true);
    watch(busy, 0.5, memory);                                             /* until the power stands still */
    watch(busy, e_idle.source == RFT_ENERGY_COUNTER ? 3.0 : 4.0, memory); /* the sensor knows less of a second */
    rft_energy e_busy = energy_of(busy, true), sensor = energy_of(busy, false);
    print_energy("idle", &e_idle);
    print_energy("filling", &e_busy);
    print_energy("filling", &sensor);
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        print_message("throttled by %-12s %.3f of the time\n", rft_throttle_name((rft_throttle_cause)i),
                      busy->share[i]);
        assert_true(isnan(busy->share[i]) || (busy->share[i] >= 0.0 && busy->share[i] <= 1.0));
    }
    if (e_busy.source != RFT_ENERGY_NONE && e_idle.source != RFT_ENERGY_NONE) {
        assert_true(e_busy.power_w > 1.2 * e_idle.power_w && e_busy.power_w < 2000.0);
        assert_true(e_busy.uncertainty_frac < 0.05);
    } else {
        assert_true(e_busy.reason[0] != '\0' || e_idle.reason[0] != '\0');
    }
    if (e_busy.source == RFT_ENERGY_COUNTER && sensor.source == RFT_ENERGY_SENSOR) {
        /* two ways to the same figure, each with what it says of itself; the sensor's own average lags besides */
        double allowed = 0.05 + e_busy.uncertainty_frac + sensor.uncertainty_frac;
        assert_true(fabs(e_busy.power_w / sensor.power_w - 1.0) < allowed);
    }
    /* half a second of anything is too short, and says so */
    watch(busy, 0.3, memory);
    rft_energy e_short = energy_of(busy, true);
    assert_true(e_short.source == RFT_ENERGY_NONE && e_short.reason[0] != '\0');
    print_message("0.3 s: %s\n", e_short.reason);
    gpu->vt->free(gpu, memory);
    free(idle);
    free(busy);
}

int gpu_meter(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_is_cheap),
        cmocka_unit_test(the_card_tells),
        cmocka_unit_test(joules_of_a_load),
    };
    rft_err err = RFT_ERR_INIT;
    if (rft_cuda_open(&gpu, 0, &err) != 0) {
        printf("skipped: %s\n", err.message);
        return 77;
    }
    rft_gpu_info info;
    if (gpu->vt->info(gpu, &info, &err) != 0 ||
        rft_nvml_meter_open(&meter, info.uuid, info.pci_id, rft_clock_system(), &err) != 0) {
        printf("skipped: %s (%s)\n", err.message, err.remedy);
        gpu->vt->close(gpu);
        return 77;
    }
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    meter->vt->close(meter);
    gpu->vt->close(gpu);
    return status;
}
