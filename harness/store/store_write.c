/* SPDX-License-Identifier: Apache-2.0 */
#include "store/baseline_store.h"
#include "store/counters_store.h"
#include "store/loads_store.h"
#include "store/points.h"
#include "store/steps_store.h"
#include "store/store_parts.h"
#include "store/value_json.h"

#include <stdlib.h>

static void bind_json(rft_binder *binder, const char *name, json_t *value) {
    char *text = rft_json_dump(value, NULL);
    rft_bind_text(binder, name, text);
    free(text);
    json_decref(value);
}

static int put_only_row(rft_store *store, rft_statement statement, const rft_fields *fields, const void *record,
                        rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, statement, err);
    if (code) {
        return code;
    }
    rft_bind_int(&binder, "only_row", 1);
    rft_bind_fields(&binder, fields, record);
    return rft_bind_end(&binder, "writing the run", err);
}

static int put_env(rft_store *store, const rft_env *env, rft_err *err) {
    int code = 0;
    for (size_t i = 0; i < env->count && !code; i++) {
        rft_binder binder;
        code = rft_bind_begin(&binder, store, RFT_PUT(env), err);
        if (!code) {
            rft_bind_int(&binder, "position", (int64_t)i);
            rft_bind_text(&binder, "key", env->items[i].key);
            rft_bind_text(&binder, "value", env->items[i].value);
            rft_bind_text(&binder, "reason", env->items[i].reason);
            code = rft_bind_end(&binder, "writing the environment", err);
        }
    }
    return code;
}

static int put_ceilings(rft_store *store, const rft_ceilings *ceilings, rft_err *err) {
    int code = 0;
    for (int id = 0; id < RFT_CEILING_COUNT && !code; id++) {
        const rft_ceiling *ceiling = &ceilings->items[id];
        rft_binder binder;
        code = rft_bind_begin(&binder, store, RFT_PUT(ceiling), err);
        if (!code) {
            rft_bind_text(&binder, "name", rft_ceiling_name((rft_ceiling_id)id));
            rft_bind_fields(&binder, &rft_fields_ceiling, ceiling);
            rft_bind_fields(&binder, &rft_fields_stats, &ceiling->stats);
            code = rft_bind_end(&binder, "writing the ceilings", err);
        }
    }
    return code;
}

static int put_problems(rft_store *store, size_t s, const rft_sweep *sweep, size_t first, rft_err *err) {
    int code = 0;
    for (size_t i = first; i < sweep->problem_count && !code; i++) {
        const rft_problem *problem = &sweep->problems[i];
        rft_binder binder;
        code = rft_bind_begin(&binder, store, RFT_PUT(problem), err);
        if (!code) {
            rft_bind_int(&binder, "sweep", (int64_t)s);
            rft_bind_int(&binder, "problem", (int64_t)i);
            rft_bind_fields(&binder, &rft_fields_problem, problem);
            bind_json(&binder, "problem_values", rft_json_of_values(problem->values, sweep->axis_count));
            code = rft_bind_end(&binder, "writing the problems", err);
        }
    }
    return code;
}

static int put_axes(rft_store *store, size_t s, const rft_sweep *sweep, rft_err *err) {
    int code = 0;
    rft_binder binder;
    for (size_t i = 0; i < sweep->axis_count && !code; i++) {
        const rft_axis *axis = &sweep->axes[i];
        code = rft_bind_begin(&binder, store, RFT_PUT(axis), err);
        if (!code) {
            rft_bind_int(&binder, "sweep", (int64_t)s);
            rft_bind_int(&binder, "axis", (int64_t)i);
            rft_bind_fields(&binder, &rft_fields_axis, axis);
            bind_json(&binder, "axis_values", rft_json_of_values(axis->values, axis->value_count));
            code = rft_bind_end(&binder, "writing the axes", err);
        }
    }
    return code ? code : put_problems(store, s, sweep, 0, err);
}

static int put_param(rft_store *store, size_t s, size_t v, size_t i, const rft_param *param, rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_PUT(param), err);
    if (code) {
        return code;
    }
    rft_bind_int(&binder, "sweep", (int64_t)s);
    rft_bind_int(&binder, "variant", (int64_t)v);
    rft_bind_int(&binder, "param", (int64_t)i);
    rft_bind_fields(&binder, &rft_fields_param, param);
    bind_json(&binder, "default_value", rft_json_of_values(&param->default_value, 1));
    bind_json(&binder, "param_values", rft_json_of_values(param->values, param->value_count));
    return rft_bind_end(&binder, "writing the parameters", err);
}

static int put_constraint(rft_store *store, size_t s, size_t v, size_t i, const rft_constraint *constraint,
                          rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_PUT(space_constraint), err);
    if (code) {
        return code;
    }
    rft_bind_int(&binder, "sweep", (int64_t)s);
    rft_bind_int(&binder, "variant", (int64_t)v);
    rft_bind_int(&binder, "position", (int64_t)i);
    rft_bind_text(&binder, "text", constraint->text);
    bind_json(&binder, "params", rft_json_of_indices(constraint->params, constraint->param_count));
    bind_json(&binder, "axes", rft_json_of_indices(constraint->axes, constraint->axis_count));
    return rft_bind_end(&binder, "writing the constraints", err);
}

static int put_space(rft_store *store, size_t s, size_t v, size_t p, const rft_run_sweep *sweep, rft_err *err) {
    size_t at = v * sweep->sweep.problem_count + p;
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_PUT(space), err);
    if (code) {
        return code;
    }
    rft_bind_int(&binder, "sweep", (int64_t)s);
    rft_bind_int(&binder, "variant", (int64_t)v);
    rft_bind_int(&binder, "problem", (int64_t)p);
    rft_bind_int(&binder, "cartesian", (int64_t)sweep->cartesian[at]);
    rft_bind_int(&binder, "valid", (int64_t)sweep->valid[at]);
    return rft_bind_end(&binder, "writing the sizes of the spaces", err);
}

static int put_variant(rft_store *store, size_t s, size_t v, const rft_run_sweep *sweep, rft_err *err) {
    const rft_variant *variant = &sweep->sweep.variants[v];
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_PUT(variant), err);
    if (!code) {
        rft_bind_int(&binder, "sweep", (int64_t)s);
        rft_bind_int(&binder, "variant", (int64_t)v);
        rft_bind_fields(&binder, &rft_fields_variant, variant);
        code = rft_bind_end(&binder, "writing the variants", err);
    }
    for (size_t i = 0; i < variant->param_count && !code; i++) {
        code = put_param(store, s, v, i, &variant->params[i], err);
    }
    for (size_t i = 0; i < variant->constraint_count && !code; i++) {
        code = put_constraint(store, s, v, i, &variant->constraints[i], err);
    }
    bool counted = sweep->cartesian != NULL && sweep->valid != NULL;
    for (size_t p = 0; counted && p < sweep->sweep.problem_count && !code; p++) {
        code = put_space(store, s, v, p, sweep, err);
    }
    return code;
}

int rft_store_put_problems(rft_store *store, const rft_run *run, size_t sweep, size_t first, rft_err *err) {
    const rft_run_sweep *data = &run->sweeps[sweep];
    int code = rft_store_begin(store, err);
    if (code) {
        return code;
    }
    code = put_problems(store, sweep, &data->sweep, first, err);
    for (size_t v = 0; v < data->sweep.variant_count && !code; v++) {
        for (size_t p = first; p < data->sweep.problem_count && !code; p++) {
            code = put_space(store, sweep, v, p, data, err);
        }
    }
    rft_run_free(store->shape); /* it is read again before the next point */
    store->shape = NULL;
    return rft_store_end(store, code, err);
}

static int put_sweep_row(rft_store *store, size_t s, const rft_run_sweep *sweep, rft_err *err) {
    const rft_sweep *data = &sweep->sweep;
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_PUT(sweep), err);
    if (!code) {
        rft_bind_int(&binder, "sweep", (int64_t)s);
        rft_bind_fields(&binder, &rft_fields_sweep, data);
        rft_bind_fields(&binder, &rft_fields_measure_opts, &data->measure);
        rft_bind_fields(&binder, &rft_fields_search_opts, &data->search);
        bind_json(&binder, "baselines", rft_json_of_texts(data->baselines, data->baseline_count));
        rft_bind_text(&binder, "unexplored", sweep->unexplored);
        code = rft_bind_end(&binder, "writing the sweeps", err);
    }
    return code;
}

int rft_store_put_asked(rft_store *store, const rft_run *run, rft_err *err) {
    int code = rft_store_begin(store, err);
    if (code) {
        return code;
    }
    for (size_t s = 0; s < run->sweep_count && !code; s++) {
        const rft_sweep *sweep = &run->sweeps[s].sweep;
        rft_binder binder;
        code = rft_bind_begin(&binder, store, RFT_DO_asked, err);
        if (!code) {
            rft_bind_fields(&binder, &rft_fields_measure_opts, &sweep->measure);
            rft_bind_fields(&binder, &rft_fields_search_opts, &sweep->search);
            rft_bind_int(&binder, "sweep", (int64_t)s);
            code = rft_bind_end(&binder, "writing what is asked for", err);
        }
    }
    return rft_store_end(store, code, err);
}

static int put_sweep(rft_store *store, size_t s, const rft_run_sweep *sweep, rft_err *err) {
    const rft_sweep *data = &sweep->sweep;
    int code = put_sweep_row(store, s, sweep, err);
    code = code ? code : put_axes(store, s, data, err);
    for (size_t v = 0; v < data->variant_count && !code; v++) {
        code = put_variant(store, s, v, sweep, err);
    }
    return code;
}

static int put_reference(rft_store *store, size_t position, const rft_reference *reference, rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_PUT(reference), err);
    if (code) {
        return code;
    }
    rft_bind_int(&binder, "position", (int64_t)position);
    rft_bind_fields(&binder, &rft_fields_reference, reference);
    return rft_bind_end(&binder, "writing a reading of the reference", err);
}

static int put_run_rows(rft_store *store, const rft_run *run, rft_err *err) {
    int code = put_only_row(store, RFT_PUT(run), &rft_fields_info, &run->info, err);
    code = code ? code : put_only_row(store, RFT_PUT(gpu), &rft_fields_gpu, &run->gpu, err);
    code = code ? code : put_env(store, &run->env, err);
    code = code ? code : put_ceilings(store, &run->ceilings, err);
    code = code ? code : rft_loads_put_idle(store, run->idle, err);
    for (size_t s = 0; s < run->sweep_count && !code; s++) {
        code = put_sweep(store, s, &run->sweeps[s], err);
    }
    for (size_t i = 0; i < run->reference_count && !code; i++) {
        code = put_reference(store, i, &run->references[i], err);
    }
    for (size_t i = 0; i < run->baseline_count && !code; i++) {
        code = rft_baseline_put_row(store, &run->baselines[i], err);
    }
    return code;
}

int rft_store_put_run(rft_store *store, const rft_run *run, rft_err *err) {
    int code = rft_store_begin(store, err);
    return code ? code : rft_store_end(store, put_run_rows(store, run, err), err);
}

int rft_store_put_device(rft_store *store, const rft_run *run, rft_err *err) {
    int code = rft_store_begin(store, err);
    if (code) {
        return code;
    }
    const rft_statement drops[] = {RFT_DO_drop_gpu, RFT_DO_drop_env};
    for (size_t i = 0; i < sizeof drops / sizeof *drops && !code; i++) {
        rft_binder binder;
        code = rft_bind_begin(&binder, store, drops[i], err);
        code = code ? code : rft_bind_end(&binder, "writing the device", err);
    }
    code = code ? code : put_only_row(store, RFT_PUT(gpu), &rft_fields_gpu, &run->gpu, err);
    code = code ? code : put_env(store, &run->env, err);
    code = code ? code : put_ceilings(store, &run->ceilings, err);
    return rft_store_end(store, code, err);
}

int rft_store_put_ceilings(rft_store *store, const rft_ceilings *ceilings, rft_err *err) {
    int code = rft_store_begin(store, err);
    return code ? code : rft_store_end(store, put_ceilings(store, ceilings, err), err);
}

/* ---- points ---- */

static int put_measurement(rft_store *store, const rft_point *point, int round, rft_err *err) {
    const rft_measurement *measurement = &point->rounds[round];
    if (!rft_points_has_round(point, round)) {
        return 0;
    }
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_PUT(measurement), err);
    if (code) {
        return code;
    }
    rft_stats stats = measurement->stats;
    stats.n = measurement->n;
    rft_bind_int(&binder, "point", point->id);
    rft_bind_int(&binder, "round", round);
    rft_bind_fields(&binder, &rft_fields_measurement, measurement);
    rft_bind_fields(&binder, &rft_fields_stats, &stats);
    return rft_bind_end(&binder, "writing a measurement", err);
}

static int put_point_row(rft_store *store, const rft_point *point, rft_err *err) {
    const rft_run *shape = store->shape;
    if (point->sweep >= shape->sweep_count || point->variant >= shape->sweeps[point->sweep].sweep.variant_count ||
        point->problem >= shape->sweeps[point->sweep].sweep.problem_count || point->config == NULL) {
        return rft_err_set(err, RFT_E_INTERNAL, "point %lld belongs to no sweep of the run in %s", (long long)point->id,
                           store->path);
    }
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_PUT(point), err);
    if (code) {
        return code;
    }
    rft_verification nothing = {0};
    const rft_variant *variant = &shape->sweeps[point->sweep].sweep.variants[point->variant];
    rft_bind_fields(&binder, &rft_fields_point, point);
    bind_json(&binder, "config", rft_json_of_config(variant, point->config));
    rft_bind_fields(&binder, &rft_fields_facts, &point->facts);
    rft_bind_fields(&binder, &rft_fields_verification, point->alias_of ? &nothing : &point->verification);
    rft_bind_fields(&binder, &rft_fields_work, &point->work);
    rft_bind_fields(&binder, &rft_fields_traffic, &point->traffic);
    json_t *steps = rft_steps_to_json(point);
    if (steps) {
        bind_json(&binder, "steps", steps);
    } else {
        rft_bind_text(&binder, "steps", NULL);
    }
    return rft_bind_end(&binder, "writing a point", err);
}

static int put_sums(rft_store *store, const rft_run_info *info, rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_DO_sums, err);
    if (code) {
        return code;
    }
    rft_bind_fields(&binder, &rft_fields_info, info);
    return rft_bind_end(&binder, "writing the sums of the run", err);
}

static int put_point_rows(rft_store *store, const rft_point *point, rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_DO_drop_measurements, err);
    if (!code) {
        rft_bind_int(&binder, "point", point->id);
        code = rft_bind_end(&binder, "writing a point", err);
    }
    code = code ? code : put_point_row(store, point, err);
    for (int round = 0; round < RFT_ROUNDS && !code; round++) {
        code = put_measurement(store, point, round, err);
    }
    code = code ? code : rft_counters_put_rows(store, point, err);
    return code ? code : rft_loads_put_rows(store, point, err);
}

/* `info` may be NULL. */
static int put_step(rft_store *store, const rft_point *point, const rft_run_info *info, rft_err *err) {
    int code = rft_store_shape(store, err);
    code = code ? code : rft_store_begin(store, err);
    if (code) {
        return code;
    }
    code = put_point_rows(store, point, err);
    code = code || !info ? code : put_sums(store, info, err);
    return rft_store_end(store, code, err);
}

int rft_store_put_whole(rft_store *store, const rft_run *run, rft_err *err) {
    int code = rft_store_begin(store, err);
    if (code) {
        return code;
    }
    code = put_run_rows(store, run, err);
    code = code ? code : rft_store_shape(store, err);
    for (size_t i = 0; i < run->point_count && !code; i++) {
        code = put_point_rows(store, &run->points[i], err);
    }
    return rft_store_end(store, code, err);
}

int rft_store_put_point(rft_store *store, const rft_point *point, rft_err *err) {
    return put_step(store, point, NULL, err);
}

int rft_store_put_step(rft_store *store, const rft_point *point, const rft_run_info *info, rft_err *err) {
    return put_step(store, point, info, err);
}

int rft_store_put_reference(rft_store *store, size_t position, const rft_reference *reference, const rft_run_info *info,
                            rft_err *err) {
    int code = rft_store_begin(store, err);
    if (code) {
        return code;
    }
    code = put_reference(store, position, reference, err);
    code = code || !info ? code : put_sums(store, info, err);
    return rft_store_end(store, code, err);
}

int rft_store_put_baselines(rft_store *store, const rft_baseline *baselines, size_t count, const rft_run_info *info,
                            rft_err *err) {
    int code = rft_store_begin(store, err);
    if (code) {
        return code;
    }
    for (size_t i = 0; i < count && !code; i++) {
        code = rft_baseline_put_row(store, &baselines[i], err);
    }
    code = code ? code : put_sums(store, info, err);
    return rft_store_end(store, code, err);
}

static int put_unexplored(rft_store *store, size_t sweep, const char *why, rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_DO_unexplored, err);
    if (code) {
        return code;
    }
    rft_bind_text(&binder, "unexplored", why);
    rft_bind_int(&binder, "sweep", (int64_t)sweep);
    return rft_bind_end(&binder, "writing what was left untried", err);
}

int rft_store_put_unexplored(rft_store *store, size_t sweep, const char *why, rft_err *err) {
    int code = rft_store_begin(store, err);
    return code ? code : rft_store_end(store, put_unexplored(store, sweep, why, err), err);
}

int rft_store_finish(rft_store *store, const rft_run_info *info, rft_err *err) {
    int code = rft_store_begin(store, err);
    return code ? code : rft_store_end(store, put_sums(store, info, err), err);
}
