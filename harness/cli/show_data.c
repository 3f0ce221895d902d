/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_data.h"

#include "model/roofline/reach.h"
#include "model/run/field.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"
#include "reports/print/print.h"

#include <math.h>
#include <string.h>

json_t *rft_show_text_json(const char *text) {
    json_t *value = text ? json_string(text) : NULL;
    return value ? value : json_null(); /* no UTF-8: a name from a foreign locale */
}

json_t *rft_show_value_json(const rft_value *value) {
    switch (value->kind) {
    case RFT_VALUE_INT:
        return json_integer(value->as.integer);
    case RFT_VALUE_BOOL:
        return json_boolean(value->as.integer != 0);
    case RFT_VALUE_TEXT:
        return rft_show_text_json(value->as.text);
    case RFT_VALUE_REAL:
        break;
    }
    return rft_json_real_new(value->as.real);
}

json_t *rft_show_problem_json(const rft_sweep *sweep, size_t problem) {
    json_t *object = json_object();
    for (size_t i = 0; i < sweep->axis_count; i++) {
        json_object_set_new(object, sweep->axes[i].name, rft_show_value_json(&sweep->problems[problem].values[i]));
    }
    return object;
}

json_t *rft_show_config_json(const rft_variant *variant, const rft_value *config) {
    json_t *object = json_object();
    for (size_t i = 0; i < variant->param_count; i++) {
        json_object_set_new(object, variant->params[i].name, rft_show_value_json(&config[i]));
    }
    return object;
}

json_t *rft_show_run_json(const rft_run *run) {
    rft_arena *arena = rft_arena_new();
    json_t *root = rft_print_json(rft_finding_run(run, arena));
    rft_arena_free(arena);
    return root;
}

void rft_show_json(rft_str *out, const rft_run *run) {
    rft_print_json_line(out, rft_show_run_json(run));
}

/* ---- CSV ---- */

static void add_text(rft_str *out, const char *text) {
    rft_str_add_char(out, ',');
    rft_csv_add_text(out, text);
}

static void add_real(rft_str *out, double value) {
    rft_str_add_char(out, ',');
    if (isfinite(value)) {
        rft_str_add_double(out, value);
    }
}

static void add_int(rft_str *out, int64_t value) {
    rft_str_addf(out, ",%lld", (long long)value);
}

/* Cells of the fields that go there; empty without a record. */
static void add_fields(rft_str *out, const rft_fields *fields, const void *record) {
    for (size_t i = 0; i < fields->count; i++) {
        if (!(fields->items[i].flags & RFT_FIELD_CSV)) {
            continue;
        }
        rft_content content =
            record ? rft_field_shown(&fields->items[i], record) : (rft_content){.kind = RFT_CONTENT_NULL};
        if (content.kind == RFT_CONTENT_INT) {
            add_int(out, content.integer);
        } else if (content.kind == RFT_CONTENT_REAL) {
            add_real(out, content.real);
        } else {
            add_text(out, content.text);
        }
    }
}

/* Their names, in the same order. */
static void add_heading(rft_str *out, const rft_fields *fields) {
    for (size_t i = 0; i < fields->count; i++) {
        if (fields->items[i].flags & RFT_FIELD_CSV) {
            rft_str_addf(out, ",%s", fields->items[i].name);
        }
    }
}

/* Of what its own clock allows; what is left; times and rates back to back. */
static void add_state(rft_str *out, const rft_run *run, const rft_placement *place, const rft_point *point) {
    double back_s = place ? rft_point_back_to_back_s(point) : (double)NAN;
    double part = rft_point_median_s(point) / back_s;
    add_real(out, place ? place->clock_frac : (double)NAN);
    add_real(out, place ? rft_reach_of(run, point).left_factor : (double)NAN);
    add_real(out, back_s);
    add_real(out, place ? place->rate_bytes_s * part : (double)NAN);
    add_real(out, place ? place->rate_ops_s * part : (double)NAN);
}

static void add_point(rft_str *out, const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[point->sweep].sweep;
    const rft_measurement *measurement = rft_point_measurement(point);
    const rft_load *energy = point->loads[RFT_LOAD_ENERGY];
    rft_measurement told = measurement ? rft_words_measurement(measurement) : rft_measurement_none();
    rft_placement place = rft_placement_of(run, point);
    rft_bound bound = rft_bound_of(run, point);
    rft_str_addf(out, "%lld", (long long)point->id);
    add_text(out, sweep->name);
    add_text(out, sweep->variants[point->variant].name);
    add_text(out, rft_run_problem_text(run, point->sweep, point->problem, false, arena));
    add_text(out, rft_run_config_text(run, point, false, arena));
    add_fields(out, &rft_fields_point, point);
    add_int(out, (int64_t)told.stats.n);
    add_real(out, told.stats.median);
    add_real(out, told.stats.low);
    add_real(out, told.stats.high);
    add_real(out, told.stats.min);
    add_real(out, measurement ? place.rate_bytes_s : (double)NAN);
    add_real(out, measurement ? place.rate_ops_s : (double)NAN);
    add_real(out, measurement ? place.efficiency_frac : (double)NAN);
    add_text(out, measurement ? rft_resource_name(bound.resource, bound.pipe) : "");
    add_fields(out, &rft_fields_facts, &point->facts);
    add_fields(out, &rft_fields_measurement, measurement ? &told : NULL);
    add_fields(out, &rft_fields_load, energy);
    add_real(out, rft_point_sustained_s(point));
    add_int(out, sweep->problems[point->problem].refined);
    add_state(out, run, measurement ? &place : NULL, point);
    add_real(out, told.process_count > 0 ? (double)told.process_count : (double)NAN);
    bool known = rft_repeat_is_known(&told.repeat);
    add_real(out, known ? told.repeat.repeat_low : (double)NAN);
    add_real(out, known ? told.repeat.repeat_high : (double)NAN);
    add_real(out, energy ? energy->power_w : (double)NAN); /* power_w by its name until 0.1.0 */
    rft_str_add_char(out, '\n');
}

void rft_show_csv(rft_str *out, const rft_run *run) {
    rft_arena *arena = rft_arena_new();
    rft_str_add(out, "point,sweep,variant,problem,configuration");
    add_heading(out, &rft_fields_point);
    rft_str_add(out, ",samples,median_s,low_s,high_s,min_s,rate_bytes_s,rate_ops_s,efficiency_frac,bound");
    add_heading(out, &rft_fields_facts);
    add_heading(out, &rft_fields_measurement);
    add_heading(out, &rft_fields_load);
    rft_str_add(out, ",sustained_s,refined,clock_frac,left_factor,back_to_back_s,back_to_back_bytes_s,"
                     "back_to_back_ops_s,processes,repeat_low_s,repeat_high_s,watts\n");
    for (size_t i = 0; i < run->point_count; i++) {
        add_point(out, run, &run->points[i], arena);
        rft_arena_reset(arena);
    }
    rft_arena_free(arena);
}
