/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/load.h"

#include "model/run/field.h"

#include <math.h>
#include <string.h>

static const char *const kind_names[RFT_LOAD_KINDS] = {"energy", "soak", "idle"};

const char *rft_load_kind_name(rft_load_kind kind) {
    return kind_names[kind];
}

bool rft_load_kind_from_name(rft_load_kind *out, const char *name) {
    for (int i = 0; i < RFT_LOAD_KINDS; i++) {
        if (strcmp(name, kind_names[i]) == 0) {
            *out = (rft_load_kind)i;
            return true;
        }
    }
    return false;
}

rft_load rft_load_none(rft_load_kind kind, const char *reason) {
    rft_load load = {0};
    rft_fields_clear(&rft_fields_load, &load);
    load.kind = kind;
    load.reason = load.energy_reason = reason;
    load.stats = rft_stats_of(NULL, 0);
    return load;
}

bool rft_load_count(rft_load *load, uint64_t counted) {
    if (counted > load->n) {
        return false;
    }
    load->stats = rft_stats_of(load->samples_s ? load->samples_s + (load->n - counted) : NULL, counted);
    return true;
}

rft_load rft_load_left_out(const char *reason) {
    rft_load load = rft_load_none(RFT_LOAD_IDLE, NULL);
    load.energy_reason = reason;
    load.asked_s = 0.0;
    return load;
}

bool rft_load_is_left_out(const rft_load *load) {
    return load && load->kind == RFT_LOAD_IDLE && load->asked_s == 0.0;
}

void rft_load_set_energy(rft_load *load, const rft_energy *energy, const char *reason) {
    bool known = energy->source != RFT_ENERGY_NONE;
    load->source = known ? rft_energy_source_name(energy->source) : NULL;
    load->energy_reason = known ? NULL : reason;
    load->power_w = energy->power_w;
    load->joules_per_run = energy->joules_per_launch;
    load->uncertainty_frac = energy->uncertainty_frac;
    load->update_s = energy->update_s;
}

double rft_load_per_joule(const rft_load *load, double work_per_run) {
    return load->joules_per_run > 0.0 && work_per_run > 0.0 ? work_per_run / load->joules_per_run : (double)NAN;
}

rft_throttle_cause rft_load_cause(const rft_load *load) {
    int largest = RFT_THROTTLE_COUNT;
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        double least = largest < RFT_THROTTLE_COUNT ? load->throttled_frac[largest] : 0.0;
        largest = load->throttled_frac[i] > least ? i : largest;
    }
    return (rft_throttle_cause)largest;
}

size_t rft_load_first_at(const double *at_s, size_t n, double from_s) {
    size_t first = 0;
    while (first < n && at_s[first] < from_s) {
        first++;
    }
    return first;
}
