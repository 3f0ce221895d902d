/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_data.h"

#include "base/units.h"
#include "cli/show_text.h"
#include "cli/timing_json.h"
#include "model/roofline/counted.h"
#include "model/roofline/over_roof.h"
#include "model/roofline/placement.h"
#include "model/roofline/ridge.h"
#include "model/run/field.h"
#include "model/run/run_foreign.h"
#include "model/transition/refine.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"
#include "reports/print/print.h"

#include <math.h>
#include <stdlib.h>
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

static void set_real(json_t *object, const char *name, double value) {
    json_object_set_new(object, name, rft_json_real_new(value));
}

/* Null under the roof. */
static json_t *of_over_roof(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_over_roof over = rft_over_roof_of(run, point, arena);
    return over.text ? json_pack("{s:o,s:s,s:o}", "factor", rft_json_real_new(over.factor), "cause",
                                 rft_over_cause_name(over.cause), "text", rft_show_text_json(over.text))
                     : json_null();
}

json_t *rft_show_best_json(const rft_run *run, const rft_point *best, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[best->sweep].sweep;
    const rft_variant *variant = &sweep->variants[best->variant];
    const rft_stats *stats = &rft_point_measurement(best)->stats;
    rft_placement place = rft_placement_of(run, best);
    rft_bound bound = rft_bound_of(run, best);
    json_t *object = json_object();
    json_object_set_new(object, "point", json_integer(best->id));
    json_object_set_new(object, "problem", rft_show_problem_json(sweep, best->problem));
    json_object_set_new(object, "refined", json_integer(sweep->problems[best->problem].refined));
    json_object_set_new(object, "refined_text",
                        rft_show_text_json(rft_refine_text(run, best->sweep, best->problem, arena)));
    json_object_set_new(object, "variant", rft_show_text_json(variant->name));
    json_object_set_new(object, "configuration", rft_show_config_json(variant, best->config));
    set_real(object, "median_s", stats->median);
    set_real(object, "low_s", stats->low);
    set_real(object, "high_s", stats->high);
    json_object_set_new(object, "interval_is_95", json_boolean(stats->interval_is_95));
    json_object_set_new(object, "samples", json_integer((json_int_t)stats->n));
    rft_timing_set_json(object, rft_point_measurement(best));
    json_object_set_new(object, "note",
                        rft_show_text_json(rft_measurement_note(rft_point_measurement(best), &run->ceilings, arena)));
    json_object_set_new(object, "ties", json_integer((json_int_t)rft_ties_of(run, best, arena)));
    set_real(object, "rate_bytes_s", place.rate_bytes_s);
    set_real(object, "rate_ops_s", place.rate_ops_s);
    set_real(object, "rate_items_s", best->work.items > 0 ? best->work.items / stats->median : (double)NAN);
    set_real(object, "intensity_ops_byte", place.intensity);
    set_real(object, "efficiency_frac", place.efficiency_frac);
    set_real(object, "gap_factor", rft_gap_factor(place.efficiency_frac));
    json_object_set_new(object, "band", rft_show_text_json(rft_efficiency_band(place.efficiency_frac)));
    set_real(object, "datasheet_frac", place.datasheet_frac);
    json_object_set_new(object, "over_roof", of_over_roof(run, best, arena));
    json_object_set_new(object, "bound", json_string(rft_resource_name(bound.resource, bound.pipe)));
    set_real(object, "bound_frac", bound.frac);
    json_object_set_new(object, "evidence", json_string(rft_evidence_name(bound.evidence)));
    json_object_set_new(object, "counters", rft_print_json(rft_finding_counters(run, best, arena)));
    json_object_set_new(object, "energy", rft_print_json(rft_finding_energy(run, best, arena)));
    json_object_set_new(object, "sustained", rft_print_json(rft_finding_sustained(run, best, arena)));
    json_object_set_new(object, "bound_text", rft_show_text_json(rft_bound_text(&bound, arena)));
    json_object_set_new(object, "steps", rft_print_json(rft_finding_steps(run, best, arena)));
    json_object_set_new(object, "baselines",
                        rft_print_json(rft_finding_baselines(run, best->sweep, best->problem, arena)));
    json_object_set_new(object, "advice", rft_print_json(rft_finding_advice(run, best, false, arena)));
    return object;
}

static json_t *of_sweep(const rft_run *run, size_t sweep, rft_arena *arena) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    json_t *object = json_object(), *best = json_array(), *ladder = json_array();
    const size_t *order = rft_refine_order(data, arena);
    for (size_t i = 0; i < data->problem_count; i++) {
        const rft_point *point = rft_run_best(run, sweep, SIZE_MAX, order[i]);
        if (point) {
            json_array_append_new(best, rft_show_best_json(run, point, arena));
        }
    }
    size_t largest = data->variant_count > 1 ? rft_counted_ladder(run, sweep) : SIZE_MAX;
    for (size_t v = 0; v < data->variant_count && largest != SIZE_MAX; v++) {
        const rft_point *point = rft_run_best(run, sweep, v, largest);
        if (point) {
            json_array_append_new(ladder, rft_show_best_json(run, point, arena));
        }
    }
    json_object_set_new(object, "name", rft_show_text_json(data->name));
    json_object_set_new(object, "cache", json_string(rft_cache_mode_name(data->measure.cache)));
    json_object_set_new(object, "objective", json_string(rft_objective_name(data->search.objective)));
    json_object_set_new(object, "counts", rft_print_json(rft_finding_counts(run, sweep, arena)));
    json_object_set_new(object, "unexplored", rft_show_text_json(run->sweeps[sweep].unexplored));
    json_object_set_new(object, "best", best);
    json_object_set_new(object, "ladder", ladder);
    json_object_set_new(object, "baselines", rft_print_json(rft_finding_baselines(run, sweep, SIZE_MAX, arena)));
    json_object_set_new(object, "counted", rft_print_json(rft_finding_counted(run, sweep, false, arena)));
    json_object_set_new(object, "loads", rft_print_json(rft_finding_loads(run, sweep, arena)));
    json_object_set_new(object, "transitions", rft_print_json(rft_finding_transitions(run, sweep, arena)));
    json_object_set_new(object, "fits", rft_print_json(rft_finding_fits(run, sweep, arena)));
    json_object_set_new(object, "profiles", rft_print_json(rft_finding_profiles(run, sweep, arena)));
    json_object_set_new(object, "progress",
                        rft_print_json(rft_finding_progress(run, sweep, rft_run_largest(run, sweep), arena)));
    json_object_set_new(object, "failures", rft_print_json(rft_finding_failures(run, sweep, arena)));
    return object;
}

json_t *rft_show_run_json(const rft_run *run) {
    rft_arena *arena = rft_arena_new();
    json_t *root = rft_print_json(rft_finding_head(run, arena)), *sweeps = json_array();
    json_object_update_new(root, rft_print_json(rft_finding_steadiness(run, true, arena)));
    json_object_set_new(root, "idle", rft_print_json(rft_finding_idle(run, arena)));
    json_object_set_new(root, "ceilings", rft_print_json(rft_finding_ceilings(run, arena)));
    json_object_set_new(root, "ridges", rft_print_json(rft_finding_ridges(run, arena)));
    for (size_t s = 0; s < run->sweep_count; s++) {
        json_array_append_new(sweeps, of_sweep(run, s, arena));
    }
    json_object_set_new(root, "sweeps", sweeps);
    json_object_set_new(root, "rooflines", rft_print_json(rft_finding_rooflines(run, arena)));
    rft_arena_free(arena);
    return root;
}

void rft_show_json(rft_str *out, const rft_run *run) {
    json_t *root = rft_show_run_json(run);
    char *text = rft_json_dump(root, NULL);
    rft_str_add(out, text);
    rft_str_add_char(out, '\n');
    free(text);
    json_decref(root);
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

static void add_point(rft_str *out, const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[point->sweep].sweep;
    const rft_measurement *measurement = rft_point_measurement(point);
    const rft_load *energy = point->loads[RFT_LOAD_ENERGY];
    rft_measurement told = measurement ? rft_timing_told(measurement) : rft_measurement_none();
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
    rft_str_add(out, ",sustained_s,refined,watts\n");
    for (size_t i = 0; i < run->point_count; i++) {
        add_point(out, run, &run->points[i], arena);
        rft_arena_reset(arena);
    }
    rft_arena_free(arena);
}
