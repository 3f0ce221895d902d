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

/* ---- every point: CSV and JSON ---- */

enum { COLUMNS_MOST = 96 };

/* A line: its cells in the order of columns(). */
typedef struct row {
    rft_content cells[COLUMNS_MOST];
    size_t count;
} row;

static void add(row *r, rft_content content) {
    if (r->count < COLUMNS_MOST) {
        r->cells[r->count++] = content;
    }
}

static void add_text(row *r, const char *text) {
    add(r, (rft_content){.kind = RFT_CONTENT_TEXT, .text = text});
}

static void add_real(row *r, double value) {
    add(r, (rft_content){.kind = isfinite(value) ? RFT_CONTENT_REAL : RFT_CONTENT_NULL, .real = value});
}

static void add_int(row *r, int64_t value) {
    add(r, (rft_content){.kind = RFT_CONTENT_INT, .integer = value});
}

/* Cells of the fields that go there; empty without a record. */
static void add_fields(row *r, const rft_fields *fields, const void *record) {
    for (size_t i = 0; i < fields->count; i++) {
        if (fields->items[i].flags & RFT_FIELD_CSV) {
            add(r, record ? rft_field_shown(&fields->items[i], record) : (rft_content){.kind = RFT_CONTENT_NULL});
        }
    }
}

/* Of what its own clock allows; what is left; times and rates back to back. */
static void add_state(row *r, const rft_run *run, const rft_placement *place, const rft_point *point) {
    double back_s = place ? rft_point_back_to_back_s(point) : (double)NAN;
    double part = rft_point_median_s(point) / back_s;
    add_real(r, place ? place->clock_frac : (double)NAN);
    add_real(r, place ? rft_reach_of(run, point).left_factor : (double)NAN);
    add_real(r, back_s);
    add_real(r, place ? place->rate_bytes_s * part : (double)NAN);
    add_real(r, place ? place->rate_ops_s * part : (double)NAN);
}

/* The texts of its cells are the run's, or in `arena`. */
static void add_point(row *r, const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[point->sweep].sweep;
    const rft_measurement *measurement = rft_point_measurement(point);
    const rft_load *energy = point->loads[RFT_LOAD_ENERGY];
    rft_measurement *told = rft_arena_alloc(arena, sizeof *told);
    *told = measurement ? rft_words_measurement(measurement) : rft_measurement_none();
    rft_placement place = rft_placement_of(run, point);
    rft_bound bound = rft_bound_of(run, point);
    add_int(r, point->id);
    add_text(r, sweep->name);
    add_text(r, sweep->variants[point->variant].name);
    add_text(r, rft_run_problem_text(run, point->sweep, point->problem, false, arena));
    add_text(r, rft_run_config_text(run, point, false, arena));
    add_fields(r, &rft_fields_point, point);
    add_int(r, (int64_t)told->stats.n);
    add_real(r, told->stats.median);
    add_real(r, told->stats.low);
    add_real(r, told->stats.high);
    add_real(r, told->stats.min);
    add_real(r, measurement ? place.rate_bytes_s : (double)NAN);
    add_real(r, measurement ? place.rate_ops_s : (double)NAN);
    add_real(r, measurement ? place.efficiency_frac : (double)NAN);
    add_text(r, measurement ? rft_resource_name(bound.resource, bound.pipe) : NULL);
    add_fields(r, &rft_fields_facts, &point->facts);
    add_fields(r, &rft_fields_measurement, measurement ? told : NULL);
    add_fields(r, &rft_fields_load, energy);
    add_real(r, rft_point_sustained_s(point));
    add_int(r, sweep->problems[point->problem].refined);
    add_state(r, run, measurement ? &place : NULL, point);
    add_real(r, told->process_count > 0 ? (double)told->process_count : (double)NAN);
    bool known = rft_repeat_is_known(&told->repeat);
    add_real(r, known ? told->repeat.repeat_low : (double)NAN);
    add_real(r, known ? told->repeat.repeat_high : (double)NAN);
    add_real(r, energy ? energy->power_w : (double)NAN); /* power_w by its name until 0.1.0 */
}

typedef struct columns {
    const char *names[COLUMNS_MOST];
    size_t count;
} columns;

static void name_columns(columns *c, const char *const *names, size_t count) {
    for (size_t i = 0; i < count && c->count < COLUMNS_MOST; i++) {
        c->names[c->count++] = names[i];
    }
}

static void name_fields(columns *c, const rft_fields *fields) {
    for (size_t i = 0; i < fields->count; i++) {
        if (fields->items[i].flags & RFT_FIELD_CSV) {
            name_columns(c, &fields->items[i].name, 1);
        }
    }
}

/* What add_point() adds, in the same order. */
static columns all_columns(void) {
    static const char *const which[] = {"point", "sweep", "variant", "problem", "configuration"};
    static const char *const timing[] = {"samples",      "median_s",   "low_s",           "high_s", "min_s",
                                         "rate_bytes_s", "rate_ops_s", "efficiency_frac", "bound"};
    static const char *const state[] = {
        "sustained_s",        "refined",   "clock_frac",   "left_factor",   "back_to_back_s", "back_to_back_bytes_s",
        "back_to_back_ops_s", "processes", "repeat_low_s", "repeat_high_s", "watts"};
    columns c = {0};
    name_columns(&c, which, sizeof which / sizeof *which);
    name_fields(&c, &rft_fields_point);
    name_columns(&c, timing, sizeof timing / sizeof *timing);
    name_fields(&c, &rft_fields_facts);
    name_fields(&c, &rft_fields_measurement);
    name_fields(&c, &rft_fields_load);
    name_columns(&c, state, sizeof state / sizeof *state);
    return c;
}

static void put_cell(rft_str *out, const rft_content *cell) {
    if (cell->kind == RFT_CONTENT_INT) {
        rft_str_addf(out, "%lld", (long long)cell->integer);
    } else if (cell->kind == RFT_CONTENT_REAL && isfinite(cell->real)) {
        rft_str_add_double(out, cell->real);
    } else if (cell->kind == RFT_CONTENT_TEXT) {
        rft_csv_add_text(out, cell->text);
    }
}

void rft_show_csv(rft_str *out, const rft_run *run) {
    rft_arena *arena = rft_arena_new();
    const columns c = all_columns();
    for (size_t i = 0; i < c.count; i++) {
        rft_str_addf(out, "%s%s", i ? "," : "", c.names[i]);
    }
    for (size_t i = 0; i < run->point_count; i++) {
        row r = {.count = 0};
        add_point(&r, run, &run->points[i], arena);
        for (size_t k = 0; k < r.count; k++) {
            rft_str_add_char(out, k ? ',' : '\n');
            put_cell(out, &r.cells[k]);
        }
        rft_arena_reset(arena);
    }
    rft_str_add_char(out, '\n');
    rft_arena_free(arena);
}

void rft_show_counters_csv(rft_str *out, const rft_run *run) {
    rft_arena *arena = rft_arena_new();
    rft_str_add(out, "point,sweep,problem,configuration,counter,value,reason\n");
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        for (int k = 0; k < RFT_COUNTER_COUNT && point->counters && !point->alias_of; k++) {
            double value = point->counters->values[k];
            const char *reason = point->counters->reasons[k];
            const char *texts[] = {run->sweeps[point->sweep].sweep.name,
                                   rft_run_problem_text(run, point->sweep, point->problem, true, arena),
                                   rft_words_config(run, point, arena), rft_counter_name((rft_counter)k)};
            if (!isfinite(value) && !reason) {
                continue; /* was not asked for */
            }
            rft_str_addf(out, "%lld", (long long)point->id);
            for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
                rft_str_add_char(out, ',');
                rft_csv_add_text(out, texts[t]);
            }
            rft_str_add_char(out, ',');
            if (isfinite(value)) {
                rft_str_add_double(out, value);
            }
            rft_str_add_char(out, ',');
            rft_csv_add_text(out, isfinite(value) ? NULL : reason);
            rft_str_add_char(out, '\n');
        }
        rft_arena_reset(arena);
    }
    rft_arena_free(arena);
}

static json_t *cell_json(const rft_content *cell) {
    switch (cell->kind) {
    case RFT_CONTENT_INT:
        return json_integer(cell->integer);
    case RFT_CONTENT_REAL:
        return rft_json_real_new(cell->real);
    case RFT_CONTENT_TEXT:
        return rft_show_text_json(cell->text);
    default:
        return json_null();
    }
}

static json_t *point_json(const rft_run *run, const rft_point *point, const columns *c, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[point->sweep].sweep;
    json_t *object = json_object();
    row r = {.count = 0};
    add_point(&r, run, point, arena);
    for (size_t i = 0; i < r.count; i++) {
        json_object_set_new(object, c->names[i], cell_json(&r.cells[i]));
    }
    json_object_set_new(object, "problem", rft_show_problem_json(sweep, point->problem));
    json_object_set_new(object, "configuration", rft_show_config_json(&sweep->variants[point->variant], point->config));
    return object;
}

void rft_show_points_json(rft_str *out, const rft_run *run) {
    rft_arena *arena = rft_arena_new();
    const columns c = all_columns();
    json_t *list = json_array();
    for (size_t i = 0; i < run->point_count; i++) {
        json_array_append_new(list, point_json(run, &run->points[i], &c, arena));
        rft_arena_reset(arena);
    }
    json_t *root = json_object();
    json_object_set_new(root, "run", rft_show_text_json(run->info.id));
    json_object_set_new(root, "points", list);
    rft_print_json_line(out, root);
    rft_arena_free(arena);
}
