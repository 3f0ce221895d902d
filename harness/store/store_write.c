/* SPDX-License-Identifier: Apache-2.0 */
#include "store/baseline_store.h"
#include "store/counters_store.h"
#include "store/loads_store.h"
#include "store/points.h"
#include "store/steps_store.h"
#include "store/store_sqlite.h"
#include "store/value_json.h"

#include <stdlib.h>

static void bind_json(rft_binder *binder, const char *name, json_t *value) {
    char *text = rft_json_dump(value, NULL);
    rft_bind_text(binder, name, text);
    free(text);
    json_decref(value);
}

static int put_record(rft_store *store, rft_query query, const rft_columns *columns, const void *record, rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, query, err);
    if (code) {
        return code;
    }
    rft_bind_columns(&binder, columns, record);
    return rft_bind_end(&binder, "writing the run", err);
}

static int put_env(rft_store *store, const rft_env *env, rft_err *err) {
    int code = 0;
    for (size_t i = 0; i < env->count && !code; i++) {
        rft_binder binder;
        code = rft_bind_begin(&binder, store, RFT_QUERY_put_env, err);
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
        code = rft_bind_begin(&binder, store, RFT_QUERY_put_ceiling, err);
        if (!code) {
            rft_bind_text(&binder, "name", rft_ceiling_name((rft_ceiling_id)id));
            rft_bind_columns(&binder, &rft_columns_ceiling, ceiling);
            rft_bind_columns(&binder, &rft_columns_stats, &ceiling->stats);
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
        code = rft_bind_begin(&binder, store, RFT_QUERY_put_problem, err);
        if (!code) {
            rft_bind_int(&binder, "sweep", (int64_t)s);
            rft_bind_int(&binder, "problem", (int64_t)i);
            rft_bind_int(&binder, "odd", problem->odd ? 1 : 0);
            bind_json(&binder, "problem_values", rft_json_of_values(problem->values, sweep->axis_count));
            rft_bind_int(&binder, "refined", problem->refined);
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
        code = rft_bind_begin(&binder, store, RFT_QUERY_put_axis, err);
        if (!code) {
            rft_bind_int(&binder, "sweep", (int64_t)s);
            rft_bind_int(&binder, "axis", (int64_t)i);
            rft_bind_columns(&binder, &rft_columns_axis, axis);
            bind_json(&binder, "axis_values", rft_json_of_values(axis->values, axis->value_count));
            code = rft_bind_end(&binder, "writing the axes", err);
        }
    }
    return code ? code : put_problems(store, s, sweep, 0, err);
}

static int put_param(rft_store *store, size_t s, size_t v, size_t i, const rft_param *param, rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_QUERY_put_param, err);
    if (code) {
        return code;
    }
    rft_bind_int(&binder, "sweep", (int64_t)s);
    rft_bind_int(&binder, "variant", (int64_t)v);
    rft_bind_int(&binder, "param", (int64_t)i);
    rft_bind_columns(&binder, &rft_columns_param, param);
    bind_json(&binder, "default_value", rft_json_of_values(&param->default_value, 1));
    bind_json(&binder, "param_values", rft_json_of_values(param->values, param->value_count));
    return rft_bind_end(&binder, "writing the parameters", err);
}

static int put_constraint(rft_store *store, size_t s, size_t v, size_t i, const rft_constraint *constraint,
                          rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_QUERY_put_constraint, err);
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
    int code = rft_bind_begin(&binder, store, RFT_QUERY_put_space, err);
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
    int code = rft_bind_begin(&binder, store, RFT_QUERY_put_variant, err);
    if (!code) {
        rft_bind_int(&binder, "sweep", (int64_t)s);
        rft_bind_int(&binder, "variant", (int64_t)v);
        rft_bind_columns(&binder, &rft_columns_variant, variant);
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
    int code = rft_bind_begin(&binder, store, RFT_QUERY_put_sweep, err);
    if (!code) {
        rft_bind_int(&binder, "sweep", (int64_t)s);
        rft_bind_columns(&binder, &rft_columns_sweep, data);
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
        code = put_sweep_row(store, s, &run->sweeps[s], err);
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
    int code = rft_bind_begin(&binder, store, RFT_QUERY_put_reference, err);
    if (code) {
        return code;
    }
    rft_bind_int(&binder, "position", (int64_t)position);
    rft_bind_columns(&binder, &rft_columns_reference, reference);
    return rft_bind_end(&binder, "writing a reading of the reference", err);
}

static int put_run_rows(rft_store *store, const rft_run *run, rft_err *err) {
    int code = put_record(store, RFT_QUERY_put_info, &rft_columns_info, &run->info, err);
    code = code ? code : put_record(store, RFT_QUERY_put_gpu, &rft_columns_gpu, &run->gpu, err);
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
    int code = rft_bind_begin(&binder, store, RFT_QUERY_put_measurement, err);
    if (code) {
        return code;
    }
    rft_stats stats = measurement->stats;
    stats.n = measurement->n;
    rft_bind_int(&binder, "point", point->id);
    rft_bind_int(&binder, "round", round);
    rft_bind_columns(&binder, &rft_columns_measurement, measurement);
    rft_bind_columns(&binder, &rft_columns_stats, &stats);
    rft_bind_doubles(&binder, "samples", measurement->samples_s, measurement->n);
    rft_bind_doubles(&binder, "clocks", measurement->clocks_mhz, measurement->clocks_mhz ? measurement->n : 0);
    rft_bind_doubles(&binder, "steps", measurement->step_s, measurement->step_count);
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
    int code = rft_bind_begin(&binder, store, RFT_QUERY_put_point, err);
    if (code) {
        return code;
    }
    rft_verification nothing = {0};
    const rft_variant *variant = &shape->sweeps[point->sweep].sweep.variants[point->variant];
    rft_bind_columns(&binder, &rft_columns_point, point);
    bind_json(&binder, "config", rft_json_of_config(variant, point->config));
    rft_bind_columns(&binder, &rft_columns_facts, &point->facts);
    rft_bind_columns(&binder, &rft_columns_verification, point->alias_of ? &nothing : &point->verification);
    rft_bind_columns(&binder, &rft_columns_work, &point->work);
    rft_bind_columns(&binder, &rft_columns_traffic, &point->traffic);
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
    int code = rft_bind_begin(&binder, store, RFT_QUERY_finish, err);
    if (code) {
        return code;
    }
    rft_bind_int(&binder, "finished_unix_ns", info->finished_unix_ns);
    rft_bind_int(&binder, "recompiled", (int64_t)info->recompiled);
    rft_bind_int(&binder, "recompiled_same", (int64_t)info->recompiled_same);
    rft_bind_double(&binder, "elapsed_s", info->elapsed_s);
    rft_bind_double(&binder, "busy_s", info->busy_s);
    rft_bind_double(&binder, "compile_s", info->compile_s);
    return rft_bind_end(&binder, "writing the sums of the run", err);
}

static int put_point_rows(rft_store *store, const rft_point *point, rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_QUERY_drop_measurements, err);
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
    int code = rft_bind_begin(&binder, store, RFT_QUERY_put_unexplored, err);
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
