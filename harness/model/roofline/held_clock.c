/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/held_clock.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>

/* Of a load's window: less is what the driver's steps of 0.1 s leave open. */
#define ACTIVE_FRAC 0.05

double rft_ceiling_rate_at(const rft_ceilings *ceilings, rft_ceiling_id id, double clock_mhz) {
    return id <= RFT_CEILING_L2_READ ? rft_ceilings_rate(ceilings, id)
                                     : rft_ceilings_per_cycle(ceilings, id) * clock_mhz * 1e6;
}

double rft_run_power_limit_w(const rft_run *run) {
    const char *value = rft_env_value(&run->env, "nvml.power_limit_enforced_w");
    value = value ? value : rft_env_value(&run->env, "nvml.power_limit_w");
    double watts = value ? strtod(value, NULL) : (double)NAN;
    return watts > 0.0 ? watts : (double)NAN;
}

bool rft_run_power_limit_is_highest(const rft_run *run) {
    const char *most = rft_env_value(&run->env, "nvml.power_limit_max_w");
    double watts = most ? strtod(most, NULL) : (double)NAN;
    return watts > 0.0 && rft_run_power_limit_w(run) >= watts;
}

/* Not the launch floor's: it is read over three microseconds. */
double rft_ceilings_clock_mhz(const rft_ceilings *ceilings) {
    double highest = NAN;
    for (int id = 0; id < RFT_CEILING_TENSOR_END; id++) {
        if (ceilings->items[id].measured) {
            highest = fmax(highest, ceilings->items[id].clock_mhz);
        }
    }
    return highest;
}

static rft_throttle_cause cause_of_load(const rft_run *run, const rft_load *load) {
    if (!load || load->reason) {
        return RFT_THROTTLE_COUNT;
    }
    rft_throttle_cause cause = rft_load_cause(load);
    if (cause != RFT_THROTTLE_COUNT && load->throttled_frac[cause] > ACTIVE_FRAC) {
        return cause;
    }
    return load->power_w >= RFT_POWER_AT_LIMIT_FRAC * rft_run_power_limit_w(run) ? RFT_THROTTLE_POWER_CAP
                                                                                 : RFT_THROTTLE_COUNT;
}

static rft_throttle_cause cause_of(const rft_run *run, const rft_point *point, const rft_measurement *m) {
    rft_throttle_cause cause = rft_throttle_from_name(m->throttled_by);
    for (int kind = 0; kind < RFT_LOAD_POINT_KINDS && cause == RFT_THROTTLE_COUNT; kind++) {
        cause = cause_of_load(run, point->loads[kind]);
    }
    return cause;
}

rft_held_clock rft_held_clock_of(const rft_run *run, const rft_point *point) {
    const rft_measurement *m = rft_point_measurement(point);
    rft_held_clock out = {.clock_mhz = NAN, .run_mhz = NAN, .cause = RFT_THROTTLE_COUNT};
    if (!m) {
        return out;
    }
    out.clock_mhz = m->clock_mhz;
    out.run_mhz = fmax(rft_ceilings_clock_mhz(&run->ceilings), m->throttled_below_mhz);
    out.below = out.clock_mhz < (1.0 - RFT_THROTTLE_BELOW_FRAC) * out.run_mhz; /* false for NaN */
    if (out.below) {
        out.cause = cause_of(run, point, m);
    }
    return out;
}
