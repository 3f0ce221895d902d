/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_power.h"

#include "base/units.h"
#include "cli/show_data.h"
#include "model/roofline/placement.h"
#include "reports/print/layout.h"

#include <math.h>

/* The work that the rate of a point is told in: operations of its main pipe, or bytes. */
static double work_of(const rft_run *run, const rft_point *point, const char **unit) {
    rft_placement place = rft_placement_of(run, point);
    double rate = rft_show_rate(&place, &point->work, unit);
    return rate * rft_point_median_s(point);
}

static double per_watt(const rft_run *run, const rft_point *point, const char **unit) {
    double work = work_of(run, point, unit);
    return rft_load_per_joule(point->loads[RFT_LOAD_ENERGY], work);
}

/* ---- text ---- */

static void add_percent(rft_str *line, const char *before, double frac, const char *after) {
    rft_str_add(line, before);
    rft_str_add_fixed(line, frac * 100.0, fabs(frac) < 0.0995 ? 1 : 0);
    rft_str_addf(line, " %%%s", after);
}

static void add_watts(rft_str *line, const rft_load *load, const char *pm) {
    rft_str_add_fixed(line, load->power_w, load->power_w < 99.5 ? 1 : 0);
    rft_str_add(line, " W");
    if (isfinite(load->uncertainty_frac)) {
        rft_str_addf(line, " %s ", pm);
        add_percent(line, "", load->uncertainty_frac, "");
    }
}

static void add_energy(rft_str *line, const rft_run *run, const rft_point *point, const char *pm) {
    const rft_load *load = point->loads[RFT_LOAD_ENERGY];
    char text[48];
    const char *unit = "";
    if (!load->source) {
        rft_str_addf(line, "no figure: %s", load->energy_reason ? load->energy_reason : "no reason was recorded");
        return;
    }
    double rate = per_watt(run, point, &unit);
    add_watts(line, load, pm);
    rft_units_format_si(text, sizeof text, load->joules_per_run, 3, "J");
    rft_str_addf(line, ", %s a run", text);
    if (isfinite(rate)) {
        rft_units_format_si(text, sizeof text, rate, 3, unit);
        rft_str_addf(line, ", %s/W", text);
    }
    rft_units_format_seconds(text, sizeof text, load->run_s, 3);
    rft_str_addf(line, "; %s a run back to back", text);
    if (isfinite(load->clock_mhz)) {
        rft_str_addf(line, ", %.0f MHz", load->clock_mhz);
    }
    rft_str_add(line, load->restored ? ", inouts copied back in between" : "");
}

static void add_causes(rft_str *line, const rft_load *load) {
    rft_throttle_cause cause = rft_load_cause(load);
    if (cause != RFT_THROTTLE_COUNT) {
        rft_str_addf(line, ", clock held down by %s ", rft_throttle_words(cause));
        add_percent(line, "", load->throttled_frac[cause], " of the time");
    }
}

static void add_sustained(rft_str *line, const rft_run *run, const rft_point *point, const char *pm) {
    const rft_load *soak = point->loads[RFT_LOAD_SOAK];
    char burst[48], sustained[48];
    if (soak->reason) {
        rft_str_addf(line, "no figure: %s", soak->reason);
        return;
    }
    double burst_frac = rft_placement_of(run, point).efficiency_frac;
    double frac = rft_placement_sustained(run, point).efficiency_frac;
    rft_units_format_seconds(burst, sizeof burst, rft_point_median_s(point), 3);
    rft_units_format_seconds(sustained, sizeof sustained, soak->stats.median, 3);
    rft_str_addf(line, "burst %s", burst);
    if (isfinite(burst_frac)) {
        add_percent(line, ", ", burst_frac, " of the roof");
    }
    rft_str_addf(line, "; sustained %s", sustained);
    if (rft_point_sags(point)) {
        double change = soak->stats.median / rft_point_median_s(point) - 1.0;
        add_percent(line, change > 0 ? " (+" : " (", change, ")");
    } else {
        rft_str_add(line, " (no different)");
    }
    if (isfinite(frac)) {
        add_percent(line, ", ", frac, " of the roof under load");
    } else if (isfinite(burst_frac)) {
        rft_str_add(line, ", the roof under load is not known");
    }
    if (isfinite(soak->clock_mhz)) {
        rft_str_addf(line, ", %.0f MHz", soak->clock_mhz);
    }
    if (soak->source) {
        rft_str_add(line, ", ");
        add_watts(line, soak, pm);
    }
    add_causes(line, soak);
}

static void add_point(const rft_show_page *t, const rft_point *point, rft_load_kind kind) {
    rft_str line = RFT_STR_INIT;
    const char *problem = rft_run_problem_text(t->run, point->sweep, point->problem, true, t->arena);
    rft_str_addf(&line, "%s%s%s: ", problem, *problem ? ", " : "", rft_show_config_name(t, point));
    (kind == RFT_LOAD_SOAK ? add_sustained : add_energy)(&line, t->run, point, t->plus_minus);
    rft_layout_wrapped(t->out, 4, 2, rft_str_get(&line));
    rft_str_clear(&line);
}

static bool is_in(const rft_point *point, size_t sweep, rft_load_kind kind) {
    return point->sweep == sweep && !point->alias_of && point->loads[kind] && rft_point_measurement(point);
}

static void add_kind(const rft_show_page *t, size_t sweep, rft_load_kind kind) {
    bool first = true;
    for (size_t i = 0; i < t->run->point_count; i++) {
        const rft_point *point = &t->run->points[i];
        if (!is_in(point, sweep, kind)) {
            continue;
        }
        if (first && kind == RFT_LOAD_SOAK) {
            rft_str_addf(t->out, "\n  under load for %g s\n", point->loads[kind]->asked_s);
        } else if (first) {
            rft_str_add(t->out, "\n  energy, launches back to back (the device's own sensor: informative)\n");
        }
        first = false;
        add_point(t, point, kind);
    }
}

void rft_show_power_sweep(const rft_show_page *t, size_t sweep) {
    add_kind(t, sweep, RFT_LOAD_ENERGY);
    add_kind(t, sweep, RFT_LOAD_SOAK);
}

void rft_show_power_point(rft_str *out, const rft_run *run, const rft_point *point) {
    for (int kind = 0; kind < RFT_LOAD_POINT_KINDS; kind++) {
        if (is_in(point, point->sweep, (rft_load_kind)kind)) {
            rft_str line = RFT_STR_INIT;
            rft_str_add(&line, kind == RFT_LOAD_SOAK ? "soak         " : "energy       ");
            (kind == RFT_LOAD_SOAK ? add_sustained : add_energy)(&line, run, point, "+-");
            rft_str_addf(out, "%s\n", rft_str_get(&line));
            rft_str_clear(&line);
        }
    }
}

void rft_show_idle(const rft_show_page *t) {
    const rft_load *idle = t->run->idle;
    rft_str line = RFT_STR_INIT;
    if (!idle) {
        return;
    }
    if (idle->source) {
        rft_str_add(&line, "at rest, context open: ");
        add_watts(&line, idle, t->plus_minus);
    } else if (rft_load_is_left_out(idle)) {
        rft_str_addf(&line, "power %s", idle->energy_reason ? idle->energy_reason : "not measured");
    } else {
        rft_str_addf(&line, "power is not known: %s",
                     idle->energy_reason ? idle->energy_reason : "no reason was recorded");
    }
    rft_layout_wrapped(t->out, 0, 2, rft_str_get(&line));
    rft_str_clear(&line);
}

/* ---- JSON ---- */

static void set_real(json_t *object, const char *name, double value) {
    json_object_set_new(object, name, rft_json_real_new(value));
}

static json_t *of_load(const rft_load *load) {
    json_t *object = json_object(), *throttled = json_object();
    for (int i = 0; i < RFT_THROTTLE_COUNT; i++) {
        set_real(throttled, rft_throttle_name((rft_throttle_cause)i), load->throttled_frac[i]);
    }
    set_real(object, "power_w", load->power_w);
    set_real(object, "watts", load->power_w); /* power_w until 0.1.0 */
    set_real(object, "uncertainty_frac", load->uncertainty_frac);
    json_object_set_new(object, "source", rft_show_text_json(load->source));
    json_object_set_new(object, "reason", rft_show_text_json(load->reason ? load->reason : load->energy_reason));
    set_real(object, "window_s", load->window_s);
    set_real(object, "clock_mhz", load->clock_mhz);
    set_real(object, "temperature_start_c", load->temperature_start_c);
    set_real(object, "temperature_end_c", load->temperature_end_c);
    json_object_set_new(object, "throttled_frac", throttled);
    return object;
}

json_t *rft_show_energy_json(const rft_run *run, const rft_point *point) {
    const rft_load *load = point->loads[RFT_LOAD_ENERGY];
    const char *unit = "";
    if (!load || !rft_point_measurement(point)) {
        return json_null();
    }
    json_t *object = of_load(load);
    double rate = per_watt(run, point, &unit);
    double idle_w = run->idle ? run->idle->power_w : (double)NAN;
    set_real(object, "joules_per_run", load->joules_per_run);
    set_real(object, "joules_above_idle", load->joules_per_run * (1.0 - idle_w / load->power_w));
    set_real(object, "per_watt", rate);
    json_object_set_new(object, "per_watt_of", isfinite(rate) ? json_string(unit) : json_null());
    set_real(object, "run_s", load->run_s);
    json_object_set_new(object, "runs", json_integer((json_int_t)load->runs));
    json_object_set_new(object, "restored", json_boolean(load->restored));
    json_object_set_new(object, "inouts_copied_back", json_boolean(load->restored)); /* restored until 0.1.0 */
    return object;
}

json_t *rft_show_sustained_json(const rft_run *run, const rft_point *point) {
    const rft_load *soak = point->loads[RFT_LOAD_SOAK];
    if (!soak || !rft_point_measurement(point)) {
        return json_null();
    }
    json_t *object = of_load(soak);
    set_real(object, "soak_s", soak->asked_s);
    set_real(object, "median_s", rft_point_sustained_s(point));
    set_real(object, "low_s", soak->stats.low);
    set_real(object, "high_s", soak->stats.high);
    json_object_set_new(object, "samples", json_integer((json_int_t)soak->stats.n));
    set_real(object, "efficiency_frac", rft_placement_sustained(run, point).efficiency_frac);
    json_object_set_new(object, "differs_from_burst", json_boolean(rft_point_sags(point)));
    return object;
}

json_t *rft_show_idle_json(const rft_run *run) {
    return run->idle ? of_load(run->idle) : json_null();
}

json_t *rft_show_power_json(const rft_run *run, size_t sweep) {
    json_t *list = json_array();
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (is_in(point, sweep, RFT_LOAD_ENERGY) || is_in(point, sweep, RFT_LOAD_SOAK)) {
            json_array_append_new(list, json_pack("{s:I,s:o,s:o}", "point", (json_int_t)point->id, "energy",
                                                  rft_show_energy_json(run, point), "sustained",
                                                  rft_show_sustained_json(run, point)));
        }
    }
    return list;
}
