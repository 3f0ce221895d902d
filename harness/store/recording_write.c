/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "store/baseline_store.h"
#include "store/counters_store.h"
#include "store/loads_store.h"
#include "store/points.h"
#include "store/recording.h"
#include "store/steps_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *of_record(const rft_fields *fields, const void *record) {
    json_t *object = json_object();
    rft_fields_to_json(object, fields, record, RFT_FORM_RECORDING);
    return object;
}

static json_t *of_env(const rft_env *env) {
    json_t *list = json_array();
    for (size_t i = 0; i < env->count; i++) {
        json_t *item = json_array();
        json_array_append_new(item, rft_json_clean_text(env->items[i].key, 0));
        json_array_append_new(item, rft_json_clean_text(env->items[i].value, 0));
        json_array_append_new(item, rft_json_clean_text(env->items[i].reason, 0));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *of_ceilings(const rft_ceilings *ceilings) {
    json_t *object = json_object();
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        const rft_ceiling *ceiling = &ceilings->items[id];
        json_t *item = of_record(&rft_fields_ceiling, ceiling);
        json_object_set_new(item, "stats", of_record(&rft_fields_stats, &ceiling->stats));
        json_object_set_new(object, rft_ceiling_name((rft_ceiling_id)id), item);
    }
    return object;
}

static json_t *of_axes(const rft_sweep *sweep) {
    json_t *list = json_array();
    for (size_t i = 0; i < sweep->axis_count; i++) {
        json_t *item = of_record(&rft_fields_axis, &sweep->axes[i]);
        json_object_set_new(item, "values", rft_json_of_values(sweep->axes[i].values, sweep->axes[i].value_count));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *of_problems(const rft_sweep *sweep) {
    json_t *list = json_array();
    for (size_t i = 0; i < sweep->problem_count; i++) {
        json_t *item = of_record(&rft_fields_problem, &sweep->problems[i]);
        json_object_set_new(item, "values", rft_json_of_values(sweep->problems[i].values, sweep->axis_count));
        if (sweep->problems[i].refined == 0) {
            json_object_del(item, "refined");
        }
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *of_variant(const rft_variant *variant) {
    json_t *object = of_record(&rft_fields_variant, variant), *params = json_array(), *constraints = json_array();
    for (size_t i = 0; i < variant->param_count; i++) {
        const rft_param *param = &variant->params[i];
        json_t *item = of_record(&rft_fields_param, param);
        json_object_set_new(item, "default", rft_json_of_value(&param->default_value));
        json_object_set_new(item, "values", rft_json_of_values(param->values, param->value_count));
        json_array_append_new(params, item);
    }
    for (size_t i = 0; i < variant->constraint_count; i++) {
        const rft_constraint *constraint = &variant->constraints[i];
        json_t *item = json_object();
        json_object_set_new(item, "text", rft_json_clean_text(constraint->text, 0));
        json_object_set_new(item, "params", rft_json_of_indices(constraint->params, constraint->param_count));
        json_object_set_new(item, "axes", rft_json_of_indices(constraint->axes, constraint->axis_count));
        json_array_append_new(constraints, item);
    }
    json_object_set_new(object, "params", params);
    json_object_set_new(object, "constraints", constraints);
    return object;
}

static json_t *of_counts(const uint64_t *counts, size_t count) {
    if (counts == NULL) {
        return json_null();
    }
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, json_integer((json_int_t)counts[i]));
    }
    return list;
}

static json_t *of_sweep(const rft_run_sweep *run_sweep) {
    const rft_sweep *sweep = &run_sweep->sweep;
    size_t spaces = sweep->variant_count * sweep->problem_count;
    json_t *object = of_record(&rft_fields_sweep, sweep), *variants = json_array();
    rft_fields_to_json(object, &rft_fields_measure_opts, &sweep->measure, RFT_FORM_RECORDING);
    rft_fields_to_json(object, &rft_fields_search_opts, &sweep->search, RFT_FORM_RECORDING);
    for (size_t i = 0; i < sweep->variant_count; i++) {
        json_array_append_new(variants, of_variant(&sweep->variants[i]));
    }
    json_object_set_new(object, "baselines", rft_json_of_texts(sweep->baselines, sweep->baseline_count));
    json_object_set_new(object, "axes", of_axes(sweep));
    json_object_set_new(object, "problems", of_problems(sweep));
    json_object_set_new(object, "variants", variants);
    json_object_set_new(object, "cartesian", of_counts(run_sweep->cartesian, spaces));
    json_object_set_new(object, "valid", of_counts(run_sweep->valid, spaces));
    json_object_set_new(object, "unexplored", rft_json_clean_text(run_sweep->unexplored, 0));
    return object;
}

/* ---- text ---- */

/* Takes the value. */
static void add_member(rft_str *out, const char *separator, const char *name, json_t *value) {
    char *text = rft_json_dump(value, NULL);
    rft_str_addf(out, "%s\"%s\":", separator, name);
    rft_str_add(out, text);
    free(text);
    json_decref(value);
}

/* The record of a point that a table describes; NULL: the point has none, every cell is null. */
typedef const void *(*record_of)(const rft_point *point);

static const void *self(const rft_point *point) {
    return point;
}

static const void *facts(const rft_point *point) {
    return &point->facts;
}

/* An alias has the verification of the point it stands for. */
static const void *verification(const rft_point *point) {
    static const rft_verification none = {0};
    return point->alias_of ? &none : &point->verification;
}

static const void *work(const rft_point *point) {
    return &point->work;
}

static const void *traffic(const rft_point *point) {
    return &point->traffic;
}

static const void *round_0(const rft_point *point) {
    return rft_points_has_round(point, 0) ? &point->rounds[0] : NULL;
}

static const void *round_1(const rft_point *point) {
    return rft_points_has_round(point, 1) ? &point->rounds[1] : NULL;
}

static json_t *of_field(const rft_field *field, const rft_point *point, const void *record) {
    bool is_log = record == point && field->offset == offsetof(rft_point, log);
    return is_log ? rft_json_clean_text(point->log, RFT_RECORDING_LOG_BYTES) : rft_field_json(field, record, true);
}

/* One list per field, with an entry for every point: equal neighbours pack well. A list of nothing is left out. */
static void add_field(rft_str *out, const rft_run *run, const char *prefix, const rft_field *field, record_of record) {
    bool amount = field->kind == RFT_FIELD_AMOUNT || field->kind == RFT_FIELD_COUNT, any = false;
    json_t *list = json_array();
    for (size_t i = 0; i < run->point_count; i++) {
        const void *data = record(&run->points[i]);
        json_t *entry = data == NULL ? json_null() : of_field(field, &run->points[i], data);
        bool nothing = json_is_null(entry) || (amount && json_number_value(entry) == 0.0);
        any = any || !nothing;
        json_array_append_new(list, entry);
    }
    char name[80];
    if (any && field->was) {
        rft_text_format(name, sizeof name, "%s%s", prefix, field->was);
        add_member(out, ",\n", name, json_incref(list));
    }
    if (any) {
        rft_text_format(name, sizeof name, "%s%s", prefix, field->name);
        add_member(out, ",\n", name, json_incref(list));
    }
    json_decref(list);
}

static void add_fields(rft_str *out, const rft_run *run, const char *prefix, const rft_fields *fields,
                       record_of record) {
    for (size_t i = 0; i < fields->count; i++) {
        if (rft_field_is_in(&fields->items[i], RFT_FORM_RECORDING)) {
            add_field(out, run, prefix, &fields->items[i], record);
        }
    }
}

static void add_samples(rft_str *out, const rft_run *run, int round, bool steps) {
    json_t *list = json_array();
    bool any = false;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_measurement *measurement = &run->points[i].rounds[round];
        const double *seconds = steps ? measurement->step_s : measurement->samples_s;
        size_t count = steps ? measurement->step_count : measurement->n;
        bool own = count > 0 && rft_points_has_round(&run->points[i], round);
        any = any || own;
        json_array_append_new(list, own ? rft_t4_milliseconds(seconds, count) : json_null());
    }
    if (any) {
        char name[40];
        rft_text_format(name, sizeof name, "round%d_%s_ms", round, steps ? "step" : "sample");
        add_member(out, ",\n", name, list);
    } else {
        json_decref(list);
    }
}

/* The clock of each sample; NaN is null. A hundredth of a MHz is far below what the stamps can tell. */
static void add_clocks(rft_str *out, const rft_run *run, int round) {
    json_t *list = json_array();
    bool any = false;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_measurement *m = &run->points[i].rounds[round];
        bool own = m->n > 0 && m->clocks_mhz != NULL && rft_points_has_round(&run->points[i], round);
        json_t *clocks = own ? json_array() : json_null();
        for (size_t k = 0; own && k < m->n; k++) {
            json_array_append_new(clocks, rft_json_real_new(nearbyint(m->clocks_mhz[k] * 100.0) / 100.0));
        }
        any = any || own;
        json_array_append_new(list, clocks);
    }
    if (any) {
        char name[40];
        rft_text_format(name, sizeof name, "round%d_sample_mhz", round);
        add_member(out, ",\n", name, list);
    } else {
        json_decref(list);
    }
}

/* What the launches of points of several are; left out when there is none. */
static void add_steps(rft_str *out, const rft_run *run) {
    json_t *list = json_array();
    bool any = false;
    for (size_t i = 0; i < run->point_count; i++) {
        json_t *steps = rft_steps_to_json(&run->points[i]);
        any = any || steps;
        json_array_append_new(list, steps ? steps : json_null());
    }
    if (any) {
        add_member(out, ",\n", "steps", list);
    } else {
        json_decref(list);
    }
}

static void add_points(rft_str *out, const rft_run *run) {
    rft_str_addf(out, ",\n\"points\":{\"count\":%zu", run->point_count);
    add_fields(out, run, "", &rft_fields_point, self);
    add_fields(out, run, "", &rft_fields_facts, facts);
    add_fields(out, run, "", &rft_fields_verification, verification);
    add_fields(out, run, "", &rft_fields_work, work);
    add_fields(out, run, "", &rft_fields_traffic, traffic);
    add_fields(out, run, "round0_", &rft_fields_measurement, round_0);
    add_fields(out, run, "round1_", &rft_fields_measurement, round_1);
    add_samples(out, run, 0, true); /* the samples of round 0 are T4's runtimes */
    add_samples(out, run, 1, false);
    add_samples(out, run, 1, true);
    add_clocks(out, run, 0);
    add_clocks(out, run, 1);
    add_steps(out, run);
    rft_str_add(out, "}");
}

static json_t *of_references(const rft_run *run) {
    json_t *list = json_array();
    for (size_t i = 0; i < run->reference_count; i++) {
        json_array_append_new(list, of_record(&rft_fields_reference, &run->references[i]));
    }
    return list;
}

void rft_recording_text(const rft_run *run, rft_str *out) {
    json_t *sweeps = json_array(), *metadata = json_object();
    json_object_set_new(metadata, "timeunit", json_string("milliseconds"));
    json_object_set_new(metadata, "generator", json_string("rooftune"));
    for (size_t i = 0; i < run->sweep_count; i++) {
        json_array_append_new(sweeps, of_sweep(&run->sweeps[i]));
    }
    add_member(out, "{", "metadata", metadata);
    rft_str_addf(out, ",\n\"rooftune\":{\"schema\":%d", RFT_RECORDING_SCHEMA);
    add_member(out, ",\n", "run", of_record(&rft_fields_info, &run->info));
    add_member(out, ",\n", "gpu", of_record(&rft_fields_gpu, &run->gpu));
    add_member(out, ",\n", "env", of_env(&run->env));
    add_member(out, ",\n", "ceilings", of_ceilings(&run->ceilings));
    add_member(out, ",\n", "sweeps", sweeps);
    if (run->reference_count > 0) {
        add_member(out, ",\n", "references", of_references(run));
    }
    json_t *baselines = rft_baselines_to_json(run);
    if (baselines) {
        add_member(out, ",\n", "baselines", baselines);
    }
    add_points(out, run);
    json_t *counters = rft_counters_to_json(run);
    if (counters) {
        add_member(out, ",\n", "counters", counters);
    }
    json_t *loads = rft_loads_to_json(run);
    if (loads) {
        add_member(out, ",\n", "loads", loads);
    }
    rft_str_add(out, "},\n\"results\":[");
    for (size_t i = 0; i < run->point_count; i++) {
        json_t *result = rft_t4_of_point(run, &run->points[i]);
        char *text = rft_json_dump(result, NULL);
        rft_str_add(out, i ? ",\n" : "\n");
        rft_str_add(out, text);
        free(text);
        json_decref(result);
    }
    rft_str_add(out, "\n]}\n");
}

int rft_recording_write(const rft_run *run, const char *path, rft_err *err) {
    rft_str text = RFT_STR_INIT;
    rft_recording_text(run, &text);
    int code = rft_text_ends(path, ".json") ? rft_fs_write_atomic(path, rft_str_get(&text), text.length, err)
                                            : rft_fs_write_gzip(path, rft_str_get(&text), text.length, err);
    rft_str_clear(&text);
    return code;
}
