/* SPDX-License-Identifier: Apache-2.0 */
#include "support/scripted_meter.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

#define PERIOD_S 0.1

struct rft_scripted_meter {
    rft_meter base;
    const rft_clock *clock;
    double at_s; /* the sums below go up to here */
    double power_w, energy_j;
    double share[RFT_THROTTLE_COUNT], active_s[RFT_THROTTLE_COUNT];
    double shown_s, shown_j, shown_w; /* as of the sensor's last update */
    double values[RFT_METER_FACT_COUNT];
    const char *reasons[RFT_METER_FACT_COUNT];
    double cost_s;
    unsigned reads;
};

static double now_s(const rft_scripted_meter *meter) {
    return (double)meter->clock->monotonic_ns(meter->clock->self) * 1e-9;
}

static void pass_to(rft_scripted_meter *meter, double to_s) {
    double passed_s = to_s > meter->at_s ? to_s - meter->at_s : 0.0;
    meter->energy_j += meter->power_w * passed_s;
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        meter->active_s[i] += meter->share[i] * passed_s;
    }
    meter->at_s += passed_s;
}

static void catch_up(rft_scripted_meter *meter) {
    double until_s = now_s(meter), update_s = floor(until_s / PERIOD_S) * PERIOD_S;
    if (update_s > meter->shown_s) {
        pass_to(meter, update_s);
        meter->shown_s = update_s;
        meter->shown_j = meter->energy_j;
        meter->shown_w = meter->power_w;
    }
    pass_to(meter, until_s);
}

static void close_meter(rft_meter *base) {
    rft_scripted_meter_free((rft_scripted_meter *)base);
}

static unsigned group_of(int fact) {
    static const unsigned groups[] = {
#define METER_GROUP(name, group) RFT_METER_##group,
        RFT_METER_MAP(METER_GROUP)
#undef METER_GROUP
    };
    return groups[fact];
}

static void read_meter(rft_meter *base, unsigned groups, rft_meter_snapshot *out) {
    rft_scripted_meter *meter = (rft_scripted_meter *)base;
    meter->reads++;
    if (groups & RFT_METER_ENERGY) {
        meter->clock->sleep_ns(meter->clock->self, (int64_t)(meter->cost_s * 1e9));
    }
    catch_up(meter);
    meter->values[RFT_METER_ENERGY_J] = meter->shown_j;
    meter->values[RFT_METER_POWER_INSTANT_W] = meter->values[RFT_METER_POWER_AVERAGE_W] = meter->shown_w;
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        meter->values[RFT_METER_POWER_CAP_S + i] = meter->active_s[i];
    }
    *out = (rft_meter_snapshot){.time_ns = (int64_t)(meter->at_s * 1e9), .cost_ns = (int64_t)(meter->cost_s * 1e9)};
    for (int fact = 0; fact < RFT_METER_FACT_COUNT; fact++) {
        bool asked = (groups & group_of(fact)) != 0;
        out->reasons[fact] = asked ? meter->reasons[fact] : "not asked for";
        out->values[fact] = out->reasons[fact] ? (double)NAN : meter->values[fact];
    }
}

static void state_of(rft_meter *base, const unsigned *own_pids, size_t own_count, rft_meter_state *out) {
    (void)base;
    (void)own_pids;
    (void)own_count;
    *out = (rft_meter_state){.mig = RFT_METER_OFF, .persistence = RFT_METER_ON};
}

static const rft_meter_vt scripted_meter_vt = {.close = close_meter, .read = read_meter, .state = state_of};

rft_scripted_meter *rft_scripted_meter_new(const rft_clock *clock) {
    rft_scripted_meter *meter = rft_alloc(sizeof *meter);
    meter->base.vt = &scripted_meter_vt;
    meter->clock = clock;
    meter->at_s = meter->shown_s = now_s(meter);
    meter->power_w = meter->shown_w = 100.0;
    meter->values[RFT_METER_SM_CLOCK_MHZ] = 1980.0;
    meter->values[RFT_METER_MEMORY_CLOCK_MHZ] = 3201.0;
    meter->values[RFT_METER_TEMPERATURE_C] = meter->values[RFT_METER_MEMORY_TEMPERATURE_C] = 40.0;
    return meter;
}

void rft_scripted_meter_free(rft_scripted_meter *meter) {
    free(meter);
}

rft_meter *rft_scripted_meter_device(rft_scripted_meter *meter) {
    return &meter->base;
}

void rft_scripted_meter_power(rft_scripted_meter *meter, double power_w) {
    catch_up(meter);
    meter->power_w = power_w;
}

void rft_scripted_meter_throttle(rft_scripted_meter *meter, rft_throttle_cause cause, double share) {
    catch_up(meter);
    meter->share[cause] = share;
}

void rft_scripted_meter_fact(rft_scripted_meter *meter, rft_meter_fact fact, double value) {
    meter->values[fact] = value;
}

void rft_scripted_meter_missing(rft_scripted_meter *meter, rft_meter_fact fact, const char *reason) {
    meter->reasons[fact] = reason;
}

void rft_scripted_meter_cost(rft_scripted_meter *meter, double cost_s) {
    meter->cost_s = cost_s;
}

unsigned rft_scripted_meter_reads(const rft_scripted_meter *meter) {
    return meter->reads;
}
