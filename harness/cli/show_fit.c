/* SPDX-License-Identifier: Apache-2.0 */
/* show_fit.c - the rooflines that the bests along each axis follow, as text and as JSON (show_transitions.h). */
#include "base/units.h"
#include "cli/show_transitions.h"
#include "model/transition/profile_fit.h"
#include "reports/print/layout.h"

#include <math.h>

/* Fewer values on a line give no fit, which needs no saying each time. */
#define POINTS_MIN 4
#define LINES_MAX 8 /* of a sweep */

static const char *unit_of(const rft_profile_fit *fit, rft_fit_name name) {
    return name == RFT_FIT_BANDWIDTH ? "B/s"
           : name == RFT_FIT_PEAK    ? (fit->peak < RFT_CEILING_COUNT ? rft_ceiling_unit(fit->peak) : "op/s")
                                     : "";
}

static const char *figure(const rft_show_page *t, const rft_profile_fit *fit, rft_fit_name name, double value) {
    char buffer[64];
    switch (name) {
    case RFT_FIT_OVERHEAD:
        return rft_arena_strdup(t->arena, rft_units_format_seconds(buffer, sizeof buffer, value, 3));
    case RFT_FIT_BANDWIDTH:
    case RFT_FIT_PEAK:
        return rft_arena_strdup(t->arena, rft_units_format_si(buffer, sizeof buffer, value, 3, unit_of(fit, name)));
    case RFT_FIT_SHARPNESS:
    case RFT_FIT_PARAM_COUNT:
        break;
    }
    return rft_show_number(t, value, 1, "");
}

/* "bandwidth 4.11 TB/s (4.05 TB/s to 4.17 TB/s), 94 % of 4.38 TB/s" */
static void add_param(rft_str *line, const rft_show_page *t, const rft_profile_fit *fit, rft_fit_name name) {
    const rft_fit_param *param = &fit->fit.params[name];
    double ceiling = rft_profile_fit_ceiling(fit, name), value = NAN;
    rft_str_addf(line, "%s ", rft_fit_param_name(name));
    switch (param->state) {
    case RFT_FIT_KNOWN:
        value = param->value;
        rft_str_addf(line, "%s (%s to ", figure(t, fit, name, value), figure(t, fit, name, param->low));
        rft_str_addf(line, "%s)", figure(t, fit, name, param->high));
        break;
    case RFT_FIT_AT_LEAST:
        value = param->low;
        rft_str_addf(line, "at least %s", figure(t, fit, name, value));
        break;
    case RFT_FIT_AT_MOST:
        rft_str_addf(line, "at most %s", figure(t, fit, name, param->high));
        break;
    case RFT_FIT_UNKNOWN:
        rft_str_add(line, "unknown");
        break;
    }
    if (isfinite(ceiling) && isfinite(value)) {
        rft_str_addf(line, ", %s of the ceiling", rft_show_number(t, 100.0 * value / ceiling, 0, " %"));
    }
    if (param->why) {
        rft_str_addf(line, " (%s)", param->why);
    }
}

static void add_fit(const rft_show_page *t, const rft_profile *profile, const rft_profile_fit *fit) {
    rft_str line = RFT_STR_INIT;
    rft_str_addf(&line, "%s: ", rft_show_line_name(t, profile));
    if (fit->fit.why) {
        rft_str_addf(&line, "no fit: %s", fit->fit.why);
    } else {
        for (int i = 0; i < RFT_FIT_PARAM_COUNT; i++) {
            bool idle = i == RFT_FIT_PEAK && fit->pipe == RFT_PIPE_COUNT;
            if (!idle) {
                add_param(&line, t, fit, (rft_fit_name)i);
                rft_str_add(&line, "; ");
            }
        }
        rft_str_addf(&line, "scatter %s of %zu values", rft_show_number(t, 100.0 * fit->fit.scatter_frac, 1, " %"),
                     fit->fit.point_count);
    }
    rft_layout_wrapped(t->out, 4, 2, rft_str_get(&line));
    rft_str_clear(&line);
}

void rft_show_fits(const rft_show_page *t, size_t sweep) {
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_axes(t->run, sweep, SIZE_MAX, t->arena, &profiles);
    size_t shown = 0, i = 0;
    for (; i < count && shown < LINES_MAX; i++) {
        rft_profile_fit fit = rft_profile_fit_of(t->run, &profiles[i], t->arena);
        if (fit.count >= POINTS_MIN) {
            rft_str_add(t->out, shown ? "" : "\n  fit of the bests: what these kernels reach\n");
            add_fit(t, &profiles[i], &fit);
            shown++;
        }
    }
    if (i < count) {
        rft_str_addf(t->out, "    %zu more: --json\n", count - i);
    }
}

static json_t *of_param(const rft_profile_fit *fit, rft_fit_name name) {
    const rft_fit_param *param = &fit->fit.params[name];
    json_t *object = json_object();
    json_object_set_new(object, "state", json_string(rft_fit_state_name(param->state)));
    json_object_set_new(object, "value", rft_json_real_new(param->value));
    json_object_set_new(object, "low", rft_json_real_new(param->low));
    json_object_set_new(object, "high", rft_json_real_new(param->high));
    json_object_set_new(object, "ceiling", rft_json_real_new(rft_profile_fit_ceiling(fit, name)));
    json_object_set_new(object, "why", rft_show_text_json(param->why));
    return object;
}

json_t *rft_show_fits_json(const rft_run *run, size_t sweep, rft_arena *arena) {
    json_t *list = json_array();
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_axes(run, sweep, SIZE_MAX, arena, &profiles);
    for (size_t i = 0; i < count; i++) {
        rft_profile_fit fit = rft_profile_fit_of(run, &profiles[i], arena);
        json_t *item = json_object();
        json_object_set_new(item, "axis", rft_show_text_json(data->axes[profiles[i].index].name));
        json_object_set_new(item, "line_through", rft_show_problem_json(data, profiles[i].problem));
        json_object_set_new(item, "points", json_integer((json_int_t)fit.count));
        json_object_set_new(item, "pipe",
                            fit.pipe != RFT_PIPE_COUNT ? json_string(rft_pipe_name(fit.pipe)) : json_null());
        json_object_set_new(item, "scatter_frac", rft_json_real_new(fit.fit.scatter_frac));
        json_object_set_new(item, "why", rft_show_text_json(fit.fit.why));
        for (int k = 0; k < RFT_FIT_PARAM_COUNT; k++) {
            json_object_set_new(item, rft_fit_param_name((rft_fit_name)k), of_param(&fit, (rft_fit_name)k));
        }
        json_array_append_new(list, item);
    }
    return list;
}
