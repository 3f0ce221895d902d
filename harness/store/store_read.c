/* SPDX-License-Identifier: Apache-2.0 */
#include "store/baseline_store.h"
#include "store/counters_store.h"
#include "store/loads_store.h"
#include "store/points.h"
#include "store/run_check.h"
#include "store/steps_store.h"
#include "store/store_sqlite.h"
#include "store/value_json.h"

#include <stdlib.h>
#include <string.h>

/* Rows arrive ordered, so counting them is enough to know where each belongs; `expected` is the number it must have. */
static void check_position(rft_row *row, size_t expected) {
    int64_t found = rft_row_int(row);
    if (!row->code && (found < 0 || (uint64_t)found != expected)) {
        rft_row_fail(row, "%s %lld where %zu should be", sqlite3_column_name(row->statement, row->at - 1),
                     (long long)found, expected);
    }
}

static json_t *row_json(rft_row *row) {
    const char *name = sqlite3_column_name(row->statement, row->at);
    const char *text = rft_row_text(row);
    json_t *value = NULL;
    if (text == NULL || rft_json_parse(&value, text, strlen(text), name, NULL) != RFT_OK) {
        rft_row_fail(row, "%s: expected JSON", name);
    }
    return value;
}

static void row_fits(rft_row *row, const char *name, const char *expected) {
    if (expected) {
        rft_row_fail(row, "%s: expected %s", name, expected);
    }
}

static rft_value *row_values(rft_row *row, size_t *count) {
    rft_value *values = NULL;
    const char *name = sqlite3_column_name(row->statement, row->at);
    json_t *list = row_json(row);
    *count = 0;
    if (list) {
        row_fits(row, name, rft_json_to_values(&values, count, list, row->arena));
    }
    json_decref(list);
    return values;
}

/* The one row of `run` or `gpu`. */
static int read_only_row(rft_store *store, rft_query query, const rft_columns *columns, void *record, rft_arena *arena,
                         rft_err *err) {
    rft_row row;
    bool found = false;
    if (rft_row_begin(&row, store, query, arena, err)) {
        return row.code;
    }
    while (rft_row_next(&row)) {
        rft_row_columns(&row, columns, record);
        found = true;
    }
    if (!row.code && !found) {
        if (query == RFT_QUERY_get_info) {
            return rft_store_not_begun(store, err);
        }
        rft_err_set(err, RFT_E_STORE, "there is no run in %s: a part of it is missing", store->path);
        return rft_err_remedy(err, "use a copy of the file");
    }
    return row.code;
}

static int read_env(rft_store *store, rft_run *run, rft_err *err) {
    rft_row row;
    if (rft_row_begin(&row, store, RFT_QUERY_get_env, run->arena, err)) {
        return row.code;
    }
    while (rft_row_next(&row)) {
        rft_row_int(&row);
        const char *key = rft_row_text(&row), *value = rft_row_text(&row), *reason = rft_row_text(&row);
        if (!row.code && key) {
            rft_env_set(&run->env, run->arena, key, value, reason);
        }
    }
    return row.code;
}

static int read_ceilings(rft_store *store, rft_run *run, rft_err *err) {
    rft_row row;
    if (rft_row_begin(&row, store, RFT_QUERY_get_ceilings, run->arena, err)) {
        return row.code;
    }
    while (rft_row_next(&row)) {
        rft_ceiling_id id;
        const char *name = rft_row_text(&row);
        if (name == NULL || !rft_ceiling_from_name(&id, name)) {
            rft_row_fail(&row, "no ceiling is called %s", name ? name : "NULL");
            continue;
        }
        rft_row_columns(&row, &rft_columns_ceiling, &run->ceilings.items[id]);
        rft_row_columns(&row, &rft_columns_stats, &run->ceilings.items[id].stats);
    }
    return row.code;
}

/* ---- sweeps ---- */

/* Appends to an array in the arena that is only known to grow: doubles its room by copying. */
static void *grow(rft_arena *arena, void *items, size_t count, size_t size) {
    if (count & (count - 1)) {
        return items;
    }
    void *larger = rft_arena_calloc(arena, count ? 2 * count : 1, size);
    if (count) {
        memcpy(larger, items, count * size);
    }
    return larger;
}

static rft_sweep *row_sweep(rft_row *row, rft_run *run) {
    size_t sweep = rft_row_index(row, run->sweep_count);
    return row->code ? NULL : &run->sweeps[sweep].sweep;
}

static rft_variant *row_variant(rft_row *row, rft_run *run) {
    rft_sweep *sweep = row_sweep(row, run);
    if (sweep == NULL) {
        return NULL;
    }
    size_t variant = rft_row_index(row, sweep->variant_count);
    return row->code ? NULL : &sweep->variants[variant];
}

static void row_of_sweep(rft_row *row, rft_run *run) {
    run->sweeps = grow(run->arena, run->sweeps, run->sweep_count, sizeof *run->sweeps);
    check_position(row, run->sweep_count);
    rft_run_sweep *sweep = &run->sweeps[run->sweep_count++];
    rft_row_columns(row, &rft_columns_sweep, &sweep->sweep);
    json_t *baselines = row->code ? NULL : row_json(row);
    if (baselines) {
        row_fits(row, "baselines",
                 rft_json_to_texts(&sweep->sweep.baselines, &sweep->sweep.baseline_count, baselines, row->arena));
        json_decref(baselines);
        sweep->unexplored = rft_row_text(row);
    }
}

static void row_of_axis(rft_row *row, rft_run *run) {
    rft_sweep *sweep = row_sweep(row, run);
    if (sweep == NULL) {
        return;
    }
    sweep->axes = grow(run->arena, sweep->axes, sweep->axis_count, sizeof *sweep->axes);
    check_position(row, sweep->axis_count);
    rft_axis *axis = &sweep->axes[sweep->axis_count++];
    rft_row_columns(row, &rft_columns_axis, axis);
    if (!row->code) {
        axis->values = row_values(row, &axis->value_count);
    }
}

/* NULL: from before refine() did anything. */
static int row_refined(rft_row *row) {
    if (!row->code && sqlite3_column_type(row->statement, row->at) == SQLITE_NULL) {
        return 0;
    }
    return row->code ? 0 : (int)rft_row_index(row, RFT_REFINED_MAX + 1);
}

static void row_of_problem(rft_row *row, rft_run *run) {
    rft_sweep *sweep = row_sweep(row, run);
    if (sweep == NULL) {
        return;
    }
    sweep->problems = grow(run->arena, sweep->problems, sweep->problem_count, sizeof *sweep->problems);
    check_position(row, sweep->problem_count);
    rft_problem *problem = &sweep->problems[sweep->problem_count++];
    problem->odd = rft_row_int(row) != 0;
    size_t count = 0;
    problem->values = row->code ? NULL : row_values(row, &count);
    if (!row->code && count != sweep->axis_count) {
        rft_row_fail(row, "problem with %zu values for %zu axes", count, sweep->axis_count);
    }
    problem->refined = row_refined(row);
}

static void row_of_variant(rft_row *row, rft_run *run) {
    rft_sweep *sweep = row_sweep(row, run);
    if (sweep == NULL) {
        return;
    }
    sweep->variants = grow(run->arena, sweep->variants, sweep->variant_count, sizeof *sweep->variants);
    check_position(row, sweep->variant_count);
    rft_row_columns(row, &rft_columns_variant, &sweep->variants[sweep->variant_count++]);
}

static void row_of_param(rft_row *row, rft_run *run) {
    rft_variant *variant = row_variant(row, run);
    if (variant == NULL) {
        return;
    }
    variant->params = grow(run->arena, variant->params, variant->param_count, sizeof *variant->params);
    check_position(row, variant->param_count);
    rft_param *param = &variant->params[variant->param_count++];
    rft_row_columns(row, &rft_columns_param, param);
    if (!row->code && param->name == NULL) {
        rft_row_fail(row, "a parameter without a name");
    }
    size_t count = 0;
    rft_value *fallback = row->code ? NULL : row_values(row, &count);
    if (!row->code && count != 1) {
        rft_row_fail(row, "default_value: expected a list of one value");
    }
    if (!row->code) {
        param->default_value = fallback[0];
        param->values = row_values(row, &param->value_count);
    }
}

static void row_of_constraint(rft_row *row, rft_run *run) {
    rft_variant *variant = row_variant(row, run);
    if (variant == NULL) {
        return;
    }
    size_t sweep = (size_t)sqlite3_column_int64(row->statement, 0); /* row_variant has checked it */
    size_t axes = run->sweeps[sweep].sweep.axis_count;
    variant->constraints =
        grow(run->arena, variant->constraints, variant->constraint_count, sizeof *variant->constraints);
    check_position(row, variant->constraint_count);
    rft_constraint *constraint = &variant->constraints[variant->constraint_count++];
    constraint->text = rft_row_text(row);
    json_t *params = row_json(row), *needs = row_json(row);
    if (params && needs) {
        row_fits(row, "params",
                 rft_json_to_indices(&constraint->params, &constraint->param_count, variant->param_count, params,
                                     row->arena));
        row_fits(row, "axes", rft_json_to_indices(&constraint->axes, &constraint->axis_count, axes, needs, row->arena));
    }
    json_decref(params);
    json_decref(needs);
}

static void row_of_space(rft_row *row, rft_run *run) {
    size_t at = rft_row_index(row, run->sweep_count);
    if (row->code) {
        return;
    }
    rft_run_sweep *counts = &run->sweeps[at];
    const rft_sweep *sweep = &counts->sweep;
    size_t variant = rft_row_index(row, sweep->variant_count), problem = rft_row_index(row, sweep->problem_count);
    if (row->code) {
        return;
    }
    if (counts->cartesian == NULL && sweep->problem_count > RFT_SPACES_MAX / sweep->variant_count) {
        rft_row_fail(row, "%zu variants on %zu problems, a million together are read at most", sweep->variant_count,
                     sweep->problem_count);
        return;
    }
    if (counts->cartesian == NULL) {
        counts->cartesian = rft_arena_calloc(run->arena, sweep->variant_count * sweep->problem_count, sizeof(uint64_t));
        counts->valid = rft_arena_calloc(run->arena, sweep->variant_count * sweep->problem_count, sizeof(uint64_t));
    }
    counts->cartesian[variant * sweep->problem_count + problem] = (uint64_t)rft_row_int(row);
    counts->valid[variant * sweep->problem_count + problem] = (uint64_t)rft_row_int(row);
}

static int read_rows(rft_store *store, rft_query query, void (*take)(rft_row *row, rft_run *run), rft_run *run,
                     rft_err *err) {
    rft_row row;
    if (rft_row_begin(&row, store, query, run->arena, err)) {
        return row.code;
    }
    while (rft_row_next(&row)) {
        take(&row, run);
    }
    return row.code;
}

static int read_sweeps(rft_store *store, rft_run *run, rft_err *err) {
    static const struct {
        rft_query query;
        void (*take)(rft_row *row, rft_run *run);
    } parts[] = {{RFT_QUERY_get_sweeps, row_of_sweep},     {RFT_QUERY_get_axes, row_of_axis},
                 {RFT_QUERY_get_problems, row_of_problem}, {RFT_QUERY_get_variants, row_of_variant},
                 {RFT_QUERY_get_params, row_of_param},     {RFT_QUERY_get_constraints, row_of_constraint},
                 {RFT_QUERY_get_spaces, row_of_space}};
    int code = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && !code; i++) {
        code = read_rows(store, parts[i].query, parts[i].take, run, err);
    }
    return code;
}

int rft_store_shape(rft_store *store, rft_err *err) {
    if (store->shape) {
        return 0;
    }
    rft_run *shape = rft_run_new();
    int code = read_sweeps(store, shape, err);
    if (code) {
        rft_run_free(shape);
        return code;
    }
    store->shape = shape;
    return 0;
}

/* ---- points ---- */

static void row_of_point(rft_row *row, rft_run *run) {
    rft_point point = {0};
    rft_row_columns(row, &rft_columns_point, &point);
    if (row->code) {
        return;
    }
    if (point.sweep >= run->sweep_count || point.variant >= run->sweeps[point.sweep].sweep.variant_count ||
        point.problem >= run->sweeps[point.sweep].sweep.problem_count) {
        rft_row_fail(row, "point %lld belongs to no sweep", (long long)point.id);
        return;
    }
    const rft_variant *variant = &run->sweeps[point.sweep].sweep.variants[point.variant];
    json_t *config = row_json(row);
    if (config) {
        row_fits(row, "config", rft_json_to_config(&point.config, variant, config, row->arena));
        json_decref(config);
    }
    rft_row_columns(row, &rft_columns_facts, &point.facts);
    rft_row_columns(row, &rft_columns_verification, &point.verification);
    rft_row_columns(row, &rft_columns_work, &point.work);
    rft_row_columns(row, &rft_columns_traffic, &point.traffic);
    const char *text = row->code ? NULL : rft_row_text(row);
    json_t *steps = NULL;
    if (text) {
        (void)rft_json_parse(&steps, text, strlen(text), "steps", NULL);
    }
    row_fits(row, "steps", text && !steps ? "JSON" : rft_steps_from_json(&point, steps, row->arena));
    json_decref(steps);
    rft_points_no_measurement(&point);
    if (!row->code) {
        run->points = grow(run->arena, run->points, run->point_count, sizeof *run->points);
        run->points[run->point_count++] = point;
    }
}

static void row_of_measurement(rft_row *row, rft_run *run) {
    int64_t id = rft_row_int(row);
    size_t round = rft_row_index(row, RFT_ROUNDS);
    rft_point *point = rft_points_find(run->points, run->point_count, id);
    if (row->code || point == NULL) {
        rft_row_fail(row, "a measurement of point %lld, which is not there", (long long)id);
        return;
    }
    rft_measurement *measurement = &point->rounds[round];
    rft_row_columns(row, &rft_columns_measurement, measurement);
    rft_row_columns(row, &rft_columns_stats, &measurement->stats);
    if (row->code) {
        return;
    }
    measurement->samples_s = rft_row_doubles(row, &measurement->n);
    size_t clock_count = 0;
    measurement->clocks_mhz = rft_row_doubles(row, &clock_count);
    measurement->step_s = rft_row_doubles(row, &measurement->step_count);
    if (!row->code && measurement->n != measurement->stats.n) {
        rft_row_fail(row, "point %lld has %zu samples, not %zu", (long long)id, measurement->n, measurement->stats.n);
    }
    if (!row->code && measurement->clocks_mhz && clock_count != measurement->n) {
        rft_row_fail(row, "point %lld has clocks of %zu samples, not %zu", (long long)id, clock_count, measurement->n);
    }
}

static void row_of_reference(rft_row *row, rft_run *run) {
    rft_reference reference;
    check_position(row, run->reference_count);
    rft_row_columns(row, &rft_columns_reference, &reference);
    if (!row->code && (reference.sweep >= run->sweep_count ||
                       reference.problem >= run->sweeps[reference.sweep].sweep.problem_count)) {
        rft_row_fail(row, "reading %zu of a reference belongs to no problem", run->reference_count);
    }
    if (!row->code) {
        rft_run_add_reference(run, &reference);
    }
}

int rft_store_read(rft_store *store, rft_run **out, rft_err *err) {
    rft_run *run = rft_run_new();
    *out = NULL;
    rft_store_bound_steps(store, true);
    /* One transaction, so that a run that goes on meanwhile is seen at one moment. */
    int code = rft_store_exec(store, "BEGIN", "reading", err);
    if (!code) {
        code = read_only_row(store, RFT_QUERY_get_info, &rft_columns_info, &run->info, run->arena, err);
        code = code ? code : read_only_row(store, RFT_QUERY_get_gpu, &rft_columns_gpu, &run->gpu, run->arena, err);
        code = code ? code : read_env(store, run, err);
        code = code ? code : read_ceilings(store, run, err);
        code = code ? code : read_sweeps(store, run, err);
        code = code ? code : read_rows(store, RFT_QUERY_get_points, row_of_point, run, err);
        code = code ? code : read_rows(store, RFT_QUERY_get_measurements, row_of_measurement, run, err);
        code = code ? code : read_rows(store, RFT_QUERY_get_counters, rft_counters_take_row, run, err);
        code = code ? code : read_rows(store, RFT_QUERY_get_loads, rft_loads_take_row, run, err);
        code = code ? code : read_rows(store, RFT_QUERY_get_baselines, rft_baseline_take_row, run, err);
        code = code ? code : read_rows(store, RFT_QUERY_get_references, row_of_reference, run, err);
        sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    }
    rft_store_bound_steps(store, false);
    int64_t lost = code ? 0 : rft_points_resolve_aliases(run->points, run->point_count);
    if (lost) {
        rft_err_set(err, RFT_E_STORE, "%s is damaged: point %lld stands for a point that is not there", store->path,
                    (long long)lost);
        code = rft_err_remedy(err, "use a copy of it, or measure again into another file (-o)");
    }
    const char *fault = code ? NULL : rft_run_fault(run);
    if (fault) {
        rft_err_set(err, RFT_E_STORE, "%s is damaged: %s", store->path, fault);
        code = rft_err_remedy(err, "use a copy of it, or measure again into another file (-o)");
    }
    if (code) {
        rft_run_free(run);
        return code;
    }
    *out = run;
    return 0;
}
