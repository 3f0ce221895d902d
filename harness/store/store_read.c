/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_cards.h"
#include "model/run/run_repeat.h"
#include "store/baseline_store.h"
#include "store/counters_store.h"
#include "store/loads_store.h"
#include "store/points.h"
#include "store/run_check.h"
#include "store/steps_store.h"
#include "store/store_parts.h"
#include "store/value_json.h"

#include <stdlib.h>
#include <string.h>

/* Rows arrive ordered, so counting them is enough to know where each belongs; `expected` is the number it must have. */
static void check_position(rft_store_row *row, const char *name, size_t expected) {
    int64_t found = rft_row_int(row, name);
    if (!row->code && (found < 0 || (uint64_t)found != expected)) {
        rft_row_fail(row, "%s %lld where %zu should be", name, (long long)found, expected);
    }
}

static json_t *row_json(rft_store_row *row, const char *name) {
    const char *text = rft_row_text(row, name);
    json_t *value = NULL;
    if (text == NULL || rft_json_parse(&value, text, strlen(text), name, NULL) != RFT_OK) {
        rft_row_fail(row, "%s: expected JSON", name);
    }
    return value;
}

static void row_fits(rft_store_row *row, const char *name, const char *expected) {
    if (expected) {
        rft_row_fail(row, "%s: expected %s", name, expected);
    }
}

static rft_value *row_values(rft_store_row *row, const char *name, size_t *count) {
    rft_value *values = NULL;
    json_t *list = row_json(row, name);
    *count = 0;
    if (list) {
        row_fits(row, name, rft_json_to_values(&values, count, list, row->arena));
    }
    json_decref(list);
    return values;
}

/* The one row of `run` or `gpu`. */
static int read_only_row(rft_store *store, rft_statement statement, const rft_fields *fields, void *record,
                         rft_arena *arena, rft_err *err) {
    rft_store_row row;
    bool found = false;
    if (rft_row_begin(&row, store, statement, arena, err)) {
        return row.code;
    }
    while (rft_row_next(&row)) {
        rft_row_fields(&row, fields, record);
        found = true;
    }
    if (!row.code && !found) {
        if (statement == RFT_GET(run)) {
            return rft_store_not_begun(store, err);
        }
        rft_err_set(err, RFT_E_STORE, "there is no run in %s: a part of it is missing", store->path);
        return rft_err_remedy(err, "use a copy of the file");
    }
    return row.code;
}

static int read_env(rft_store *store, rft_run *run, rft_err *err) {
    rft_store_row row;
    if (rft_row_begin(&row, store, RFT_GET(env), run->arena, err)) {
        return row.code;
    }
    while (rft_row_next(&row)) {
        const char *key = rft_row_text(&row, "key"), *value = rft_row_text(&row, "value");
        const char *reason = rft_row_text(&row, "reason");
        if (!row.code && key) {
            rft_env_set(&run->env, run->arena, key, value, reason);
        }
    }
    return row.code;
}

static int read_ceilings(rft_store *store, rft_run *run, rft_err *err) {
    rft_store_row row;
    if (rft_row_begin(&row, store, RFT_GET(ceiling), run->arena, err)) {
        return row.code;
    }
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        run->ceilings.items[id].reason = "not recorded"; /* that of a run older than the ceiling */
    }
    while (rft_row_next(&row)) {
        rft_ceiling_id id;
        const char *name = rft_row_text(&row, "name");
        if (name == NULL || !rft_ceiling_from_name(&id, name)) {
            rft_row_fail(&row, "no ceiling is called %s", name ? name : "NULL");
            continue;
        }
        rft_row_fields(&row, &rft_fields_ceiling, &run->ceilings.items[id]);
        rft_row_fields(&row, &rft_fields_stats, &run->ceilings.items[id].stats);
    }
    return row.code;
}

/* ---- sweeps ---- */

static rft_sweep *row_sweep(rft_store_row *row, rft_run *run) {
    size_t sweep = rft_row_index(row, "sweep", run->sweep_count);
    return row->code ? NULL : &run->sweeps[sweep].sweep;
}

static rft_variant *row_variant(rft_store_row *row, rft_run *run) {
    rft_sweep *sweep = row_sweep(row, run);
    if (sweep == NULL) {
        return NULL;
    }
    size_t variant = rft_row_index(row, "variant", sweep->variant_count);
    return row->code ? NULL : &sweep->variants[variant];
}

static void row_of_sweep(rft_store_row *row, rft_run *run) {
    run->sweeps = rft_arena_doubled(run->arena, run->sweeps, run->sweep_count, sizeof *run->sweeps);
    check_position(row, "sweep", run->sweep_count);
    rft_run_sweep *sweep = &run->sweeps[run->sweep_count++];
    rft_row_fields(row, &rft_fields_sweep, &sweep->sweep);
    rft_row_fields(row, &rft_fields_measure_opts, &sweep->sweep.measure);
    rft_row_fields(row, &rft_fields_search_opts, &sweep->sweep.search);
    json_t *baselines = row->code ? NULL : row_json(row, "baselines");
    if (baselines) {
        row_fits(row, "baselines",
                 rft_json_to_texts(&sweep->sweep.baselines, &sweep->sweep.baseline_count, baselines, row->arena));
        json_decref(baselines);
        sweep->unexplored = rft_row_text(row, "unexplored");
    }
}

static void row_of_axis(rft_store_row *row, rft_run *run) {
    rft_sweep *sweep = row_sweep(row, run);
    if (sweep == NULL) {
        return;
    }
    sweep->axes = rft_arena_doubled(run->arena, sweep->axes, sweep->axis_count, sizeof *sweep->axes);
    check_position(row, "axis", sweep->axis_count);
    rft_axis *axis = &sweep->axes[sweep->axis_count++];
    rft_row_fields(row, &rft_fields_axis, axis);
    if (!row->code) {
        axis->values = row_values(row, "axis_values", &axis->value_count);
    }
}

static void row_of_problem(rft_store_row *row, rft_run *run) {
    rft_sweep *sweep = row_sweep(row, run);
    if (sweep == NULL) {
        return;
    }
    sweep->problems = rft_arena_doubled(run->arena, sweep->problems, sweep->problem_count, sizeof *sweep->problems);
    check_position(row, "problem", sweep->problem_count);
    rft_problem *problem = &sweep->problems[sweep->problem_count++];
    rft_row_fields(row, &rft_fields_problem, problem);
    size_t count = 0;
    problem->values = row->code ? NULL : row_values(row, "problem_values", &count);
    if (!row->code && count != sweep->axis_count) {
        rft_row_fail(row, "problem with %zu values for %zu axes", count, sweep->axis_count);
    }
}

static void row_of_variant(rft_store_row *row, rft_run *run) {
    rft_sweep *sweep = row_sweep(row, run);
    if (sweep == NULL) {
        return;
    }
    sweep->variants = rft_arena_doubled(run->arena, sweep->variants, sweep->variant_count, sizeof *sweep->variants);
    check_position(row, "variant", sweep->variant_count);
    rft_row_fields(row, &rft_fields_variant, &sweep->variants[sweep->variant_count++]);
}

static void row_of_param(rft_store_row *row, rft_run *run) {
    rft_variant *variant = row_variant(row, run);
    if (variant == NULL) {
        return;
    }
    variant->params = rft_arena_doubled(run->arena, variant->params, variant->param_count, sizeof *variant->params);
    check_position(row, "param", variant->param_count);
    rft_param *param = &variant->params[variant->param_count++];
    rft_row_fields(row, &rft_fields_param, param);
    if (!row->code && param->name == NULL) {
        rft_row_fail(row, "a parameter without a name");
    }
    size_t count = 0;
    rft_value *fallback = row->code ? NULL : row_values(row, "default_value", &count);
    if (!row->code && count != 1) {
        rft_row_fail(row, "default_value: expected a list of one value");
    }
    if (!row->code) {
        param->default_value = fallback[0];
        param->values = row_values(row, "param_values", &param->value_count);
    }
}

static void row_of_constraint(rft_store_row *row, rft_run *run) {
    rft_variant *variant = row_variant(row, run);
    if (variant == NULL) {
        return;
    }
    size_t sweep = (size_t)sqlite3_column_int64(row->statement, 0); /* row_variant has checked it */
    size_t axes = run->sweeps[sweep].sweep.axis_count;
    variant->constraints =
        rft_arena_doubled(run->arena, variant->constraints, variant->constraint_count, sizeof *variant->constraints);
    check_position(row, "position", variant->constraint_count);
    rft_constraint *constraint = &variant->constraints[variant->constraint_count++];
    constraint->text = rft_row_text(row, "text");
    json_t *params = row_json(row, "params"), *needs = row_json(row, "axes");
    if (params && needs) {
        row_fits(row, "params",
                 rft_json_to_indices(&constraint->params, &constraint->param_count, variant->param_count, params,
                                     row->arena));
        row_fits(row, "axes", rft_json_to_indices(&constraint->axes, &constraint->axis_count, axes, needs, row->arena));
    }
    json_decref(params);
    json_decref(needs);
}

static void row_of_space(rft_store_row *row, rft_run *run) {
    size_t at = rft_row_index(row, "sweep", run->sweep_count);
    if (row->code) {
        return;
    }
    rft_run_sweep *counts = &run->sweeps[at];
    const rft_sweep *sweep = &counts->sweep;
    size_t variant = rft_row_index(row, "variant", sweep->variant_count);
    size_t problem = rft_row_index(row, "problem", sweep->problem_count);
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
    counts->cartesian[variant * sweep->problem_count + problem] = (uint64_t)rft_row_int(row, "cartesian");
    counts->valid[variant * sweep->problem_count + problem] = (uint64_t)rft_row_int(row, "valid");
}

static int read_rows(rft_store *store, rft_statement statement, void (*take)(rft_store_row *row, rft_run *run),
                     rft_run *run, rft_err *err) {
    rft_store_row row;
    if (rft_row_begin(&row, store, statement, run->arena, err)) {
        return row.code;
    }
    while (rft_row_next(&row)) {
        take(&row, run);
    }
    return row.code;
}

static int read_sweeps(rft_store *store, rft_run *run, rft_err *err) {
    static const struct {
        rft_statement statement;
        void (*take)(rft_store_row *row, rft_run *run);
    } parts[] = {{RFT_GET(sweep), row_of_sweep},     {RFT_GET(axis), row_of_axis},
                 {RFT_GET(problem), row_of_problem}, {RFT_GET(variant), row_of_variant},
                 {RFT_GET(param), row_of_param},     {RFT_GET(space_constraint), row_of_constraint},
                 {RFT_GET(space), row_of_space}};
    int code = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && !code; i++) {
        code = read_rows(store, parts[i].statement, parts[i].take, run, err);
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

/* What it is and how it was made, beside what ranks it. */
static void row_of_makeup(rft_store_row *row, rft_point *point, const rft_variant *variant) {
    json_t *config = row_json(row, "config");
    if (config) {
        row_fits(row, "config", rft_json_to_config(&point->config, variant, config, row->arena));
        json_decref(config);
    }
    rft_row_fields(row, &rft_fields_facts, &point->facts);
    rft_row_fields(row, &rft_fields_verification, &point->verification);
    rft_row_fields(row, &rft_fields_work, &point->work);
    rft_row_fields(row, &rft_fields_traffic, &point->traffic);
    const char *text = row->code ? NULL : rft_row_text(row, "steps");
    json_t *steps = NULL;
    if (text) {
        (void)rft_json_parse(&steps, text, strlen(text), "steps", NULL);
    }
    row_fits(row, "steps", text && !steps ? "JSON" : rft_steps_from_json(point, steps, row->arena));
    json_decref(steps);
}

static void row_of_point(rft_store_row *row, rft_run *run) {
    rft_point point = {0};
    rft_row_fields(row, &rft_fields_point, &point);
    if (row->code) {
        return;
    }
    if (point.sweep >= run->sweep_count || point.variant >= run->sweeps[point.sweep].sweep.variant_count ||
        point.problem >= run->sweeps[point.sweep].sweep.problem_count) {
        rft_row_fail(row, "point %lld belongs to no sweep", (long long)point.id);
        return;
    }
    if (row->store->need == RFT_NEED_ALL) {
        row_of_makeup(row, &point, &run->sweeps[point.sweep].sweep.variants[point.variant]);
    }
    rft_points_no_measurement(&point);
    if (!row->code) {
        run->points = rft_arena_doubled(run->arena, run->points, run->point_count, sizeof *run->points);
        run->points[run->point_count++] = point;
    }
}

static void row_of_measurement(rft_store_row *row, rft_run *run) {
    int64_t id = rft_row_int(row, "point");
    size_t round = rft_row_index(row, "round", RFT_ROUNDS);
    rft_point *point = rft_points_find(run->points, run->point_count, id);
    if (row->code || point == NULL) {
        rft_row_fail(row, "a measurement of point %lld, which is not there", (long long)id);
        return;
    }
    rft_measurement *measurement = &point->rounds[round];
    rft_row_fields(row, &rft_fields_measurement, measurement);
    rft_row_fields(row, &rft_fields_stats, &measurement->stats);
    if (!row->code && measurement->n != measurement->stats.n) {
        rft_row_fail(row, "point %lld has %zu samples, not %zu", (long long)id, measurement->n, measurement->stats.n);
    }
}

static void row_of_reference(rft_store_row *row, rft_run *run) {
    rft_reference reference;
    check_position(row, "position", run->reference_count);
    rft_row_fields(row, &rft_fields_reference, &reference);
    if (!row->code && (reference.sweep >= run->sweep_count ||
                       reference.problem >= run->sweeps[reference.sweep].sweep.problem_count)) {
        rft_row_fail(row, "reading %zu of a reference belongs to no problem", run->reference_count);
    }
    if (!row->code) {
        rft_run_add_reference(run, &reference);
    }
}

static int read_parts(rft_store *store, rft_run *run, rft_err *err) {
    const bool all = store->need == RFT_NEED_ALL;
    int code = read_only_row(store, RFT_GET(run), &rft_fields_info, &run->info, run->arena, err);
    code = code ? code : read_only_row(store, RFT_GET(gpu), &rft_fields_gpu, &run->gpu, run->arena, err);
    code = code ? code : read_env(store, run, err);
    code = code ? code : read_ceilings(store, run, err);
    code = code ? code : read_sweeps(store, run, err);
    code = code ? code : read_rows(store, RFT_GET(point), row_of_point, run, err);
    code = code ? code : read_rows(store, RFT_GET(measurement), row_of_measurement, run, err);
    code = code ? code : read_rows(store, RFT_GET(load), rft_loads_take_row, run, err);
    code = code || !all ? code : read_rows(store, RFT_GET(counter), rft_counters_take_row, run, err);
    code = code || !all ? code : read_rows(store, RFT_GET(baseline), rft_baseline_take_row, run, err);
    return code || !all ? code : read_rows(store, RFT_GET(reference), row_of_reference, run, err);
}

int rft_store_read(rft_store *store, rft_run **out, rft_err *err) {
    rft_run *run = rft_run_new();
    *out = NULL;
    rft_store_bound_steps(store, true);
    /* One transaction, so that a run that goes on meanwhile is seen at one moment. */
    int code = rft_store_exec(store, "BEGIN", "reading", err);
    if (!code) {
        code = read_parts(store, run, err);
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
    rft_run_fill_cards(run);
    if (store->need == RFT_NEED_ALL) {
        rft_run_fill_repeats(run);
    } else {
        rft_run_fill_figures(run);
    }
    *out = run;
    return 0;
}
