/* SPDX-License-Identifier: Apache-2.0 */
/* nvml_meter.c against a libnvidia-ml.so.1 of our own, on any machine: what it asks for, in which units it answers,
 * what it says where there is no answer. LD_LIBRARY_PATH must lead to the fake (ctest sets it). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/fake_nvml.h"
#include "gpu/gpu.h"
#include "gpu/meter_names.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static fake_nvml_state *fake;

/* A clock that moves on by 7 us whenever it is looked at. */
static int64_t now_ns;
static int64_t tick(void *self) {
    (void)self;
    return now_ns += 7000;
}
static const rft_clock ticking = {tick, tick, NULL, NULL};

static int reset(void **state) {
    (void)state;
    *fake = (fake_nvml_state){.driver_version = "580.159.04",
                              .energy_mj = 123456789,
                              .reasons = 4 | 64,
                              .sm_mhz = 1980,
                              .memory_mhz = 3201,
                              .temperature_c = 41,
                              .power_mw = 99000,
                              .persistence = 1};
    static const unsigned supported[] = {74, 75, 76, 82, 185, 186};
    for (size_t i = 0; i < sizeof supported / sizeof *supported; i++) {
        fake->has_field[supported[i]] = 1;
        fake->field[supported[i]] = supported[i] * 1000ull;
    }
    return 0;
}

static rft_meter *open_meter(void) {
    rft_meter *meter = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_nvml_meter_open(&meter, "GPU-fake", NULL, &ticking, &err) != 0) {
        fail_msg("%s", err.message);
    }
    return meter;
}

static void devices_are_found(void **state) {
    (void)state;
    rft_meter *meter = open_meter();
    meter->vt->close(meter);
    assert_int_equal(rft_nvml_meter_open(&meter, "GPU-other", "0000:AB:00.0", &ticking, NULL), 0);
    meter->vt->close(meter);
    rft_err err = RFT_ERR_INIT;
    /* The power of a whole card is not that of its slice. */
    assert_int_equal(rft_nvml_meter_open(&meter, "MIG-other", "0000:AB:00.0", &ticking, NULL), RFT_E_NOT_FOUND);
    assert_int_equal(rft_nvml_meter_open(&meter, "GPU-other", "", &ticking, &err), RFT_E_NOT_FOUND);
    assert_null(meter);
    assert_string_equal(err.message, "NVML does not know device GPU-other: Not Found");
    assert_non_null(strstr(err.remedy, "nvidia-smi -L"));
    assert_int_equal(rft_nvml_meter_open(&meter, NULL, NULL, &ticking, &err), RFT_E_NOT_FOUND);
    fake->init_status = FAKE_NVML_NOT_SUPPORTED;
    assert_int_equal(rft_nvml_meter_open(&meter, "GPU-fake", NULL, &ticking, &err), RFT_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "does not start: Not Supported"));
    assert_int_equal(fake->started, 0);
}

static void everything_is_read_in_base_units(void **state) {
    (void)state;
    for (unsigned id = 251; id <= 253; id++) {
        fake->has_field[id] = 1;
        fake->field[id] = id * 1000000000ull;
    }
    rft_meter *meter = open_meter();
    rft_meter_snapshot s;
    int64_t begun_ns = now_ns;
    meter->vt->read(meter, RFT_METER_ALL, &s);
    for (int i = 0; i < RFT_METER_FACT_COUNT; i++) {
        if (isnan(s.values[i]) || s.reasons[i]) {
            fail_msg("%s: %s", meter_names[i], s.reasons[i]);
        }
    }
    assert_true(s.values[RFT_METER_ENERGY_J] == 123456.789);
    assert_true(s.values[RFT_METER_POWER_AVERAGE_W] == 185.0 && s.values[RFT_METER_POWER_INSTANT_W] == 186.0);
    assert_true(s.values[RFT_METER_SM_CLOCK_MHZ] == 1980.0 && s.values[RFT_METER_MEMORY_CLOCK_MHZ] == 3201.0);
    assert_true(s.values[RFT_METER_TEMPERATURE_C] == 41.0 && s.values[RFT_METER_MEMORY_TEMPERATURE_C] == 82000.0);
    assert_true(s.values[RFT_METER_POWER_CAP_S] == 74000.0 / 1e9);
    assert_true(s.values[RFT_METER_SW_THERMAL_S] == 251.0 && s.values[RFT_METER_HW_THERMAL_S] == 252.0);
    assert_true(s.values[RFT_METER_POWER_BRAKE_S] == 253.0);
    assert_int_equal(fake->field_calls, 1); /* one question for all of them */
    assert_true(s.cost_ns == 7000 && s.time_ns == begun_ns + 7000 + 3500);
    char text[200];
    assert_string_equal(rft_meter_reasons_text(s.values[RFT_METER_EVENT_REASONS], text, sizeof text),
                        "software power cap, hardware thermal slowdown");
    assert_string_equal(rft_meter_reasons_text(0.0, text, sizeof text), "none");
    assert_string_equal(rft_meter_reasons_text(NAN, text, sizeof text), "");
    assert_string_equal(rft_meter_reasons_text(512.0 + 1.0, text, sizeof text), "idle, unknown (0x201)");
    rft_throttle_counters counters = rft_meter_counters(&s);
    assert_true(counters.active_s[RFT_THROTTLE_POWER_BRAKE] == 253.0);
    assert_true(counters.active_s[RFT_THROTTLE_SYNC_BOOST] == 76000.0 / 1e9);
    rft_energy_reading reading = rft_meter_energy(&s, s.time_ns - 2000000000);
    assert_true(reading.time_s == 2.0 && reading.energy_j == 123456.789 && reading.power_w == 186.0);
    meter->vt->close(meter);
    assert_int_equal(fake->started, 0);
}

/* The numbers of the three counters are another release's on each side of 580.82; asking by the wrong ones gives
 * figures of something else. */
static void counters_are_asked_by_the_numbers_of_the_driver(void **state) {
    (void)state;
    static const struct {
        const char *driver;
        unsigned first, wrong;
    } cases[] = {{"580.159.04", 251, 269}, {"580.82.07", 251, 269}, {"590.44.01", 251, 269},
                 {"580.65.06", 269, 251},  {"570.86.15", 269, 251}, {"not a number", 269, 251}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset(NULL);
        fake->driver_version = cases[i].driver;
        for (unsigned k = 0; k < 3; k++) {
            fake->has_field[cases[i].first + k] = fake->has_field[cases[i].wrong + k] = 1;
            fake->field[cases[i].first + k] = (k + 1) * 1000000000ull;
            fake->field[cases[i].wrong + k] = 77;
        }
        rft_meter *meter = open_meter();
        rft_meter_snapshot s;
        meter->vt->read(meter, RFT_METER_THROTTLE, &s);
        assert_true(s.values[RFT_METER_SW_THERMAL_S] == 1.0 && s.values[RFT_METER_HW_THERMAL_S] == 2.0);
        assert_true(s.values[RFT_METER_POWER_BRAKE_S] == 3.0);
        assert_false(fake->asked_field[cases[i].wrong]);
        meter->vt->close(meter);
    }
}

static void what_is_absent_has_a_reason(void **state) {
    (void)state;
    rft_meter *meter = open_meter();
    rft_meter_snapshot s;
    fake->energy_status = FAKE_NVML_NOT_SUPPORTED;
    fake->has_field[185] = fake->has_field[186] = 0;
    meter->vt->read(meter, RFT_METER_ENERGY | RFT_METER_POWER | RFT_METER_THROTTLE, &s);
    assert_true(isnan(s.values[RFT_METER_ENERGY_J]));
    assert_string_equal(s.reasons[RFT_METER_ENERGY_J], "Not Supported");
    assert_true(isnan(s.values[RFT_METER_POWER_INSTANT_W]));
    assert_true(s.values[RFT_METER_POWER_AVERAGE_W] == 99.0); /* the older question */
    assert_true(rft_meter_energy(&s, 0).power_w == 99.0);
    assert_true(s.values[RFT_METER_SW_THERMAL_S] == 75000.0 / 1e9); /* its older name */
    assert_string_equal(s.reasons[RFT_METER_HW_THERMAL_S], "Not Supported");
    assert_string_equal(s.reasons[RFT_METER_SM_CLOCK_MHZ], "not asked for");
    assert_true(isnan(s.values[RFT_METER_SM_CLOCK_MHZ]) && isnan(rft_meter_counters(&s).active_s[3]));
    fake->fields_status = FAKE_NVML_INVALID;
    meter->vt->read(meter, RFT_METER_THROTTLE, &s);
    for (int i = RFT_METER_POWER_CAP_S; i <= RFT_METER_POWER_BRAKE_S; i++) {
        assert_true(isnan(s.values[i]) && strcmp(s.reasons[i], "Another Error") == 0);
    }
    meter->vt->close(meter);
}

static void users_are_counted_once_and_without_us(void **state) {
    (void)state;
    const unsigned own[] = {10, 11};
    rft_meter *meter = open_meter();
    rft_meter_state s;
    fake->compute = (fake_nvml_list){.count = 3, .pids = {10, 20, 30}, .bytes = {1, 4096, ~0ull}};
    fake->graphics = (fake_nvml_list){.count = 2, .pids = {20, 40}, .bytes = {4096, 5}};
    fake->mps.status = FAKE_NVML_NOT_SUPPORTED;
    meter->vt->state(meter, own, 2, &s);
    assert_int_equal(s.user_count, 3);
    assert_true(s.users[0].pid == 20 && s.users[0].used_bytes == 4096 && s.users[0].kind == RFT_METER_COMPUTE);
    assert_true(s.users[1].pid == 30 && s.users[1].used_bytes == -1);
    assert_true(s.users[2].pid == 40 && s.users[2].kind == RFT_METER_GRAPHICS);
    assert_int_equal(s.own_count, 1);
    assert_null(s.users_reason);
    assert_true(s.mig == RFT_METER_OFF && s.persistence == RFT_METER_ON);
    assert_true(!s.mig_reason && !s.persistence_reason);
    fake->mps = (fake_nvml_list){.count = 1, .pids = {50}, .bytes = {7}};
    fake->mig = 1;
    meter->vt->state(meter, NULL, 0, &s);
    assert_true(s.user_count == 5 && s.users[4].kind == RFT_METER_MPS && s.mig == RFT_METER_ON);
    fake->compute.count = FAKE_NVML_PROCESSES; /* more than fit */
    fake->mig_status = FAKE_NVML_NOT_SUPPORTED;
    meter->vt->state(meter, NULL, 0, &s);
    assert_string_equal(s.users_reason, "more processes than can be listed");
    assert_int_equal(s.mig, RFT_METER_UNKNOWN);
    assert_string_equal(s.mig_reason, "Not Supported");
    fake->compute.status = fake->graphics.status = fake->mps.status = FAKE_NVML_NOT_SUPPORTED;
    meter->vt->state(meter, NULL, 0, &s);
    assert_int_equal(s.user_count, 0);
    assert_string_equal(s.users_reason, "Not Supported"); /* not known, which is not the same as none */
    meter->vt->close(meter);
}

static void the_cards_health_is_a_fact_or_has_a_reason(void **state) {
    (void)state;
    rft_env env = {0};
    rft_arena *arena = rft_arena_new();
    fake->errors[0][0] = 7;
    fake->errors[1][0] = 1;
    fake->errors[1][1] = 4;
    fake->rows[0] = 2;
    fake->rows[1] = 3;
    fake->links = 18;
    rft_nvml_describe("0000:AB:00.0", &env, arena);
    assert_string_equal(rft_env_value(&env, "nvml.ecc_corrected"), "7");
    assert_string_equal(rft_env_value(&env, "nvml.ecc_uncorrected"), "1");
    assert_string_equal(rft_env_value(&env, "nvml.ecc_uncorrected_lifetime"), "4");
    assert_string_equal(rft_env_value(&env, "nvml.rows_remapped"), "5");
    assert_string_equal(rft_env_value(&env, "nvml.row_remapping"), "ok");
    assert_string_equal(rft_env_value(&env, "nvml.pcie_replays"), "5");
    assert_string_equal(rft_env_value(&env, "nvml.nvlinks"), "17 of 18");
    fake->rows[2] = 1;
    fake->links = 0;
    rft_nvml_describe("0000:AB:00.0", &env, arena);
    assert_string_equal(rft_env_value(&env, "nvml.row_remapping"), "pending");
    assert_null(rft_env_value(&env, "nvml.nvlinks"));
    assert_string_equal(rft_env_get(&env, "nvml.nvlinks")->reason, "Not Supported");
    fake->rows[3] = 1;
    rft_nvml_describe("0000:AB:00.0", &env, arena);
    assert_string_equal(rft_env_value(&env, "nvml.row_remapping"), "failed");
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(devices_are_found, reset),
        cmocka_unit_test_setup(everything_is_read_in_base_units, reset),
        cmocka_unit_test_setup(counters_are_asked_by_the_numbers_of_the_driver, reset),
        cmocka_unit_test_setup(what_is_absent_has_a_reason, reset),
        cmocka_unit_test_setup(users_are_counted_once_and_without_us, reset),
        cmocka_unit_test_setup(the_cards_health_is_a_fact_or_has_a_reason, reset),
    };
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    fake = library ? dlsym(library, "fake_nvml") : NULL;
    if (!fake) {
        printf("skipped: libnvidia-ml.so.1 is not the fake one; run this through ctest\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
