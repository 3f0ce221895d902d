/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stats/energy.h"

#include "base/arena.h"
#include "base/str.h"
#include "model/stats/stats.h"

#include <math.h>
#include <stdlib.h>

#define NORMAL_95 1.96

const char *rft_energy_source_name(rft_energy_source source) {
    static const char *const names[] = {"none", "energy counter", "power sensor"};
    return names[source];
}

/* When a reading differs from the one before it, the sensor has updated in between: time and value of each update. */
typedef struct updates {
    size_t count, polls; /* polls: readings in the window that had a value */
    double *time_s, *value;
    double poll_s; /* longest time between two polls at an update: how late one may have been seen */
} updates;

static double counter_value(const rft_energy_reading *reading) {
    return reading->energy_j;
}

static double sensor_value(const rft_energy_reading *reading) {
    return reading->power_w;
}

static updates find_updates(const rft_energy_window *w, double from_s, double (*value_of)(const rft_energy_reading *)) {
    updates u = {.time_s = rft_calloc(w->count + 1, sizeof(double)), .value = rft_calloc(w->count + 1, sizeof(double))};
    double before = NAN, before_s = NAN;
    for (size_t i = 0; i < w->count; i++) {
        const rft_energy_reading *reading = &w->readings[i];
        double value = value_of(reading);
        if (!isfinite(value) || reading->time_s < from_s || reading->time_s > w->end_s) {
            continue;
        }
        if (isfinite(before) && value != before) {
            u.time_s[u.count] = reading->time_s;
            u.value[u.count++] = value;
            u.poll_s = fmax(u.poll_s, reading->time_s - before_s);
        }
        u.polls++;
        before = value;
        before_s = reading->time_s;
    }
    return u;
}

static void free_updates(updates *u) {
    free(u->time_s);
    free(u->value);
}

static double median_gap(const updates *u) {
    if (u->count < 2) {
        return NAN;
    }
    double *gaps = rft_calloc(u->count, sizeof *gaps);
    for (size_t i = 1; i < u->count; i++) {
        gaps[i - 1] = u->time_s[i] - u->time_s[i - 1];
    }
    rft_sort_doubles(gaps, u->count - 1);
    double gap = gaps[(u->count - 1) / 2];
    free(gaps);
    return gap;
}

/* False, with the reason, when the updates do not carry a figure. */
static bool long_enough(rft_energy *out, const updates *u, const char *what) {
    out->update_s = median_gap(u);
    out->span_s = u->count >= 2 ? u->time_s[u->count - 1] - u->time_s[0] : 0.0;
    if (u->count > RFT_ENERGY_MIN_UPDATES && out->span_s >= RFT_ENERGY_MIN_S * 0.8) {
        return true;
    }
    if (u->count < 2) {
        rft_text_format(out->reason, sizeof out->reason, "the %s did not move in the window", what);
    } else {
        double need_s = fmax(RFT_ENERGY_MIN_S, (RFT_ENERGY_MIN_UPDATES + 2) * out->update_s);
        rft_text_format(out->reason, sizeof out->reason,
                        "window too short: the %s updates every %.0f ms, %.1f s are needed", what, out->update_s * 1e3,
                        need_s);
    }
    return false;
}

static void from_counter(rft_energy *out, const updates *u) {
    size_t last = u->count - 1;
    for (size_t i = 1; i <= last; i++) {
        if (u->value[i] < u->value[i - 1]) {
            rft_text_format(out->reason, sizeof out->reason,
                            "the energy counter went back: the driver was loaded anew");
            return;
        }
    }
    out->source = RFT_ENERGY_COUNTER;
    out->power_w = (u->value[last] - u->value[0]) / out->span_s;
    out->uncertainty_frac = u->poll_s / out->span_s;
}

static void from_sensor(rft_energy *out, const updates *u) {
    double sum = 0.0, squares = 0.0, n = (double)u->count;
    for (size_t i = 0; i < u->count; i++) {
        sum += u->value[i];
    }
    double mean = sum / n;
    for (size_t i = 0; i < u->count; i++) {
        squares += (u->value[i] - mean) * (u->value[i] - mean);
    }
    double error_frac = NORMAL_95 * sqrt(squares / (n - 1.0) / n) / mean;
    out->source = RFT_ENERGY_SENSOR;
    out->power_w = mean;
    out->uncertainty_frac = hypot(error_frac, out->update_s / out->span_s);
}

static bool has_value(const rft_energy_window *w, double (*value_of)(const rft_energy_reading *)) {
    for (size_t i = 0; i < w->count; i++) {
        if (isfinite(value_of(&w->readings[i]))) {
            return true;
        }
    }
    return false;
}

rft_energy rft_energy_of(const rft_energy_window *window) {
    rft_energy out = {
        .power_w = NAN, .joules_per_launch = NAN, .uncertainty_frac = NAN, .update_s = NAN, .span_s = 0.0};
    if (has_value(window, counter_value)) {
        updates u = find_updates(window, window->begin_s, counter_value);
        if (long_enough(&out, &u, "energy counter")) {
            from_counter(&out, &u);
        }
        free_updates(&u);
    } else if (has_value(window, sensor_value)) {
        updates u = find_updates(window, window->begin_s + window->averaging_s, sensor_value);
        if (long_enough(&out, &u, "power sensor")) {
            from_sensor(&out, &u);
        }
        free_updates(&u);
    } else {
        rft_text_format(out.reason, sizeof out.reason, "the device gives neither energy nor power");
    }
    if (out.source != RFT_ENERGY_NONE && window->launches > 0) {
        out.joules_per_launch = out.power_w * (window->end_s - window->begin_s) / (double)window->launches;
    }
    return out;
}
