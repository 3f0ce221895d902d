/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/meter.h"

#include "base/str.h"

#include <math.h>

rft_throttle_counters rft_meter_counters(const rft_meter_snapshot *snapshot) {
    rft_throttle_counters counters = {.time_s = (double)snapshot->time_ns * 1e-9};
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        counters.active_s[i] = snapshot->values[RFT_METER_POWER_CAP_S + i];
    }
    return counters;
}

rft_energy_reading rft_meter_energy(const rft_meter_snapshot *snapshot, int64_t from_ns) {
    double instant_w = snapshot->values[RFT_METER_POWER_INSTANT_W];
    return (rft_energy_reading){.time_s = (double)(snapshot->time_ns - from_ns) * 1e-9,
                                .energy_j = snapshot->values[RFT_METER_ENERGY_J],
                                .power_w = isnan(instant_w) ? snapshot->values[RFT_METER_POWER_AVERAGE_W] : instant_w};
}

/* nvml.h, "Clocks event reasons"; what passes by itself least comes first. */
rft_throttle_cause rft_meter_cause(const rft_meter_snapshot *snapshot) {
    static const struct {
        uint64_t bit;
        rft_throttle_cause cause;
    } causes[] = {{0x40, RFT_THROTTLE_HW_THERMAL},
                  {0x80, RFT_THROTTLE_POWER_BRAKE},
                  {0x20, RFT_THROTTLE_SW_THERMAL},
                  {0x04, RFT_THROTTLE_POWER_CAP},
                  {0x10, RFT_THROTTLE_SYNC_BOOST}};
    double reasons = snapshot->values[RFT_METER_EVENT_REASONS];
    uint64_t bits = reasons >= 0.0 && reasons < 9007199254740992.0 ? (uint64_t)reasons : 0;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        if (bits & causes[i].bit) {
            return causes[i].cause;
        }
    }
    return RFT_THROTTLE_COUNT;
}

/* nvml.h, "Clocks event reasons": one bit each. */
char *rft_meter_reasons_text(double reasons, char *out, size_t size) {
    static const char *const names[] = {
        "idle",          "application clocks",        "software power cap",        "hardware slowdown",
        "sync boost",    "software thermal slowdown", "hardware thermal slowdown", "power brake",
        "display clocks"};
    rft_str text = RFT_STR_INIT;
    uint64_t bits = reasons >= 0.0 && reasons < 9007199254740992.0 ? (uint64_t)reasons : 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (bits >> i & 1) {
            rft_str_addf(&text, "%s%s", text.length ? ", " : "", names[i]);
        }
    }
    if (bits >> (sizeof names / sizeof *names)) {
        rft_str_addf(&text, "%sunknown (0x%llx)", text.length ? ", " : "", (unsigned long long)bits);
    }
    if (text.length == 0 && !isnan(reasons)) {
        rft_str_add(&text, "none");
    }
    rft_text_format(out, size, "%s", rft_str_get(&text));
    rft_str_clear(&text);
    return out;
}
