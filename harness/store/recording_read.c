/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "model/run/run_cards.h"
#include "model/run/run_repeat.h"
#include "store/baseline_store.h"
#include "store/counters_store.h"
#include "store/exchange/exchange.h"
#include "store/loads_store.h"
#include "store/package.h"
#include "store/points.h"
#include "store/recording.h"
#include "store/run_check.h"
#include "store/steps_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    rft_run *run;
    const char *what; /* the file, for messages */
    rft_err *err;
    int code; /* first failure */
} reader;

static int fail(reader *r, const char *expected, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "FILE: rooftune.points.registers[12]: expected a whole number" */
static int fail(reader *r, const char *expected, const char *format, ...) {
    if (r->code) {
        return r->code;
    }
    char path[200];
    va_list args;
    va_start(args, format);
    rft_text_vformat(path, sizeof path, format, args);
    va_end(args);
    rft_err_set(r->err, RFT_E_RECORDING, "%s: %s: expected %s", r->what, path, expected);
    rft_err_remedy(r->err, "the recording is damaged or was edited: copy or download it again");
    r->code = RFT_E_RECORDING;
    return r->code;
}

static void to_record(reader *r, const rft_fields *fields, void *record, const json_t *object, const char *path) {
    const rft_field *wrong = NULL;
    const char *expected =
        r->code ? NULL : rft_fields_from_json(fields, record, object, RFT_FORM_RECORDING, r->run->arena, &wrong);
    if (expected) {
        fail(r, expected, "%s%s%s", path, wrong ? "." : "", wrong ? wrong->name : "");
    }
}

/* The list `name` of an object, its length in *count. */
static const json_t *to_list(reader *r, const json_t *object, const char *name, const char *path, size_t *count) {
    const json_t *list = json_object_get(object, name);
    *count = json_array_size(list);
    if (!json_is_array(list) || *count > RFT_RECORDING_MAX_ENTRIES) {
        fail(r, "a list of at most 10,000", "%s.%s", path, name);
        *count = 0;
    }
    return r->code ? NULL : list;
}

static const char *to_text(reader *r, const json_t *object, const char *name, const char *path) {
    const json_t *value = json_object_get(object, name);
    if (value && !json_is_string(value) && !json_is_null(value)) {
        fail(r, "a text or null", "%s.%s", path, name);
    }
    return rft_arena_strdup(r->run->arena, json_string_value(value));
}

static void to_values(reader *r, const json_t *object, const char *path, rft_value **out, size_t *count) {
    const char *expected = rft_json_to_values(out, count, json_object_get(object, "values"), r->run->arena);
    if (expected) {
        fail(r, expected, "%s.values", path);
    }
}

static void to_env(reader *r, const json_t *list) {
    if (!json_is_array(list) || json_array_size(list) > RFT_RECORDING_MAX_ENTRIES) {
        fail(r, "a list of at most 10,000", "rooftune.env");
    }
    for (size_t i = 0; i < json_array_size(list) && !r->code; i++) {
        const json_t *item = json_array_get(list, i);
        const json_t *key = json_array_get(item, 0), *value = json_array_get(item, 1), *why = json_array_get(item, 2);
        if (!json_is_string(key) || !(json_is_string(value) || json_is_null(value)) ||
            !(json_is_string(why) || json_is_null(why))) {
            fail(r, "[key, value or null, reason or null]", "rooftune.env[%zu]", i);
            return;
        }
        rft_env_set(&r->run->env, r->run->arena, json_string_value(key), json_string_value(value),
                    json_string_value(why));
    }
}

static void to_ceilings(reader *r, const json_t *object) {
    if (!json_is_object(object)) {
        fail(r, "an object", "rooftune.ceilings");
    }
    for (int id = 0; id < RFT_CEILING_COUNT && !r->code; id++) {
        const json_t *item = json_object_get(object, rft_ceiling_name((rft_ceiling_id)id));
        rft_ceiling *ceiling = &r->run->ceilings.items[id];
        ceiling->reason = "not recorded"; /* that of a recording older than the ceiling */
        char path[80];
        rft_text_format(path, sizeof path, "rooftune.ceilings.%s", rft_ceiling_name((rft_ceiling_id)id));
        if (item) {
            to_record(r, &rft_fields_ceiling, ceiling, item, path);
            to_record(r, &rft_fields_stats, &ceiling->stats, json_object_get(item, "stats"), path);
        }
    }
}

/* ---- sweeps ---- */

static void to_axes(reader *r, rft_sweep *sweep, const json_t *object, const char *path) {
    const json_t *list = to_list(r, object, "axes", path, &sweep->axis_count);
    sweep->axes = rft_arena_calloc(r->run->arena, sweep->axis_count + 1, sizeof *sweep->axes);
    for (size_t i = 0; i < sweep->axis_count && !r->code; i++) {
        char where[120];
        rft_text_format(where, sizeof where, "%s.axes[%zu]", path, i);
        to_record(r, &rft_fields_axis, &sweep->axes[i], json_array_get(list, i), where);
        to_values(r, json_array_get(list, i), where, &sweep->axes[i].values, &sweep->axes[i].value_count);
    }
}

static void to_problems(reader *r, rft_sweep *sweep, const json_t *object, const char *path) {
    const json_t *list = to_list(r, object, "problems", path, &sweep->problem_count);
    sweep->problems = rft_arena_calloc(r->run->arena, sweep->problem_count + 1, sizeof *sweep->problems);
    for (size_t i = 0; i < sweep->problem_count && !r->code; i++) {
        char where[120];
        size_t count = 0;
        const json_t *item = json_array_get(list, i);
        rft_text_format(where, sizeof where, "%s.problems[%zu]", path, i);
        to_values(r, item, where, &sweep->problems[i].values, &count);
        to_record(r, &rft_fields_problem, &sweep->problems[i], item, where);
        if (count != sweep->axis_count) {
            fail(r, "a value for every axis", "%s.values", where);
        }
    }
}

static void to_param(reader *r, rft_param *param, const json_t *object, const char *path) {
    to_record(r, &rft_fields_param, param, object, path);
    if (r->code) {
        return;
    }
    const char *expected = rft_json_to_value(&param->default_value, json_object_get(object, "default"), r->run->arena);
    if (expected) {
        fail(r, expected, "%s.default", path);
    }
    to_values(r, object, path, &param->values, &param->value_count);
}

static void to_constraint(reader *r, const rft_sweep *sweep, const rft_variant *variant, rft_constraint *out,
                          const json_t *object, const char *path) {
    out->text = to_text(r, object, "text", path);
    const char *expected = rft_json_to_indices(&out->params, &out->param_count, variant->param_count,
                                               json_object_get(object, "params"), r->run->arena);
    if (expected) {
        fail(r, expected, "%s.params", path);
    }
    expected = rft_json_to_indices(&out->axes, &out->axis_count, sweep->axis_count, json_object_get(object, "axes"),
                                   r->run->arena);
    if (expected) {
        fail(r, expected, "%s.axes", path);
    }
}

static void to_variant(reader *r, const rft_sweep *sweep, rft_variant *variant, const json_t *object,
                       const char *path) {
    to_record(r, &rft_fields_variant, variant, object, path);
    const json_t *params = to_list(r, object, "params", path, &variant->param_count);
    const json_t *constraints = to_list(r, object, "constraints", path, &variant->constraint_count);
    variant->params = rft_arena_calloc(r->run->arena, variant->param_count + 1, sizeof *variant->params);
    variant->constraints = rft_arena_calloc(r->run->arena, variant->constraint_count + 1, sizeof *variant->constraints);
    char where[160];
    for (size_t i = 0; i < variant->param_count && !r->code; i++) {
        rft_text_format(where, sizeof where, "%s.params[%zu]", path, i);
        to_param(r, &variant->params[i], json_array_get(params, i), where);
    }
    for (size_t i = 0; i < variant->constraint_count && !r->code; i++) {
        rft_text_format(where, sizeof where, "%s.constraints[%zu]", path, i);
        to_constraint(r, sweep, variant, &variant->constraints[i], json_array_get(constraints, i), where);
    }
}

static uint64_t *to_counts(reader *r, const json_t *object, const char *name, size_t expected, const char *path) {
    const json_t *list = json_object_get(object, name);
    if (list == NULL || json_is_null(list)) {
        return NULL;
    }
    if (!json_is_array(list) || json_array_size(list) != expected) {
        fail(r, "a number for every variant and problem", "%s.%s", path, name);
        return NULL;
    }
    uint64_t *counts = rft_arena_calloc(r->run->arena, expected + 1, sizeof *counts);
    for (size_t i = 0; i < expected; i++) {
        const json_t *value = json_array_get(list, i);
        if (!json_is_integer(value)) {
            fail(r, "a whole number", "%s.%s[%zu]", path, name, i);
        }
        counts[i] = (uint64_t)json_integer_value(value);
    }
    return counts;
}

static void to_sweep(reader *r, rft_run_sweep *out, const json_t *object, const char *path) {
    rft_sweep *sweep = &out->sweep;
    to_record(r, &rft_fields_sweep, sweep, object, path);
    to_record(r, &rft_fields_measure_opts, &sweep->measure, object, path);
    to_record(r, &rft_fields_search_opts, &sweep->search, object, path);
    if (r->code) {
        return;
    }
    const char *expected = rft_json_to_texts(&sweep->baselines, &sweep->baseline_count,
                                             json_object_get(object, "baselines"), r->run->arena);
    if (expected) {
        fail(r, expected, "%s.baselines", path);
    }
    to_axes(r, sweep, object, path);
    to_problems(r, sweep, object, path);
    const json_t *variants = to_list(r, object, "variants", path, &sweep->variant_count);
    sweep->variants = rft_arena_calloc(r->run->arena, sweep->variant_count + 1, sizeof *sweep->variants);
    for (size_t i = 0; i < sweep->variant_count && !r->code; i++) {
        char where[120];
        rft_text_format(where, sizeof where, "%s.variants[%zu]", path, i);
        to_variant(r, sweep, &sweep->variants[i], json_array_get(variants, i), where);
    }
    size_t spaces = sweep->variant_count * sweep->problem_count;
    out->cartesian = to_counts(r, object, "cartesian", spaces, path);
    out->valid = to_counts(r, object, "valid", spaces, path);
    out->unexplored = to_text(r, object, "unexplored", path);
}

static void to_sweeps(reader *r, const json_t *section) {
    rft_run *run = r->run;
    const json_t *list = to_list(r, section, "sweeps", "rooftune", &run->sweep_count);
    run->sweeps = rft_arena_calloc(run->arena, run->sweep_count + 1, sizeof *run->sweeps);
    for (size_t i = 0; i < run->sweep_count && !r->code; i++) {
        char where[80];
        rft_text_format(where, sizeof where, "rooftune.sweeps[%zu]", i);
        to_sweep(r, &run->sweeps[i], json_array_get(list, i), where);
    }
}

/* ---- points ---- */

/* The list of a field with a cell for every point; NULL when it was left out: then every cell is null. */
static const json_t *point_list(reader *r, const json_t *points, const char *name) {
    const json_t *list = json_object_get(points, name);
    if (list && (!json_is_array(list) || json_array_size(list) != r->run->point_count)) {
        fail(r, "a list with an entry for every point", "rooftune.points.%s", name);
    }
    return list;
}

/* The list of `prefix` and the field's name, or of what it was called before. */
static const json_t *field_list(reader *r, const json_t *points, const char *prefix, const rft_field *field, char *name,
                                size_t size) {
    rft_text_format(name, size, "%s%s", prefix, field->name);
    if (field->was && !json_object_get(points, name)) {
        rft_text_format(name, size, "%s%s", prefix, field->was);
    }
    return point_list(r, points, name);
}

/* `offset`: of the record that the table describes, in rft_point. With a prefix the record is a round, and is left
 * alone where the round's `stop` is null. */
static void to_lists(reader *r, const json_t *points, const char *prefix, const rft_fields *fields, size_t offset) {
    char name[80];
    rft_text_format(name, sizeof name, "%sstop", prefix);
    const json_t *stops = *prefix ? point_list(r, points, name) : NULL;
    for (size_t f = 0; f < fields->count && !r->code; f++) {
        const rft_field *field = &fields->items[f];
        if (!rft_field_is_in(field, RFT_FORM_RECORDING)) {
            continue;
        }
        const json_t *list = field_list(r, points, prefix, field, name, sizeof name);
        for (size_t i = 0; i < r->run->point_count && !r->code; i++) {
            if (*prefix && (stops == NULL || json_is_null(json_array_get(stops, i)))) {
                continue;
            }
            rft_content content;
            const char *expected = "a text, a number, true, false or null";
            if (rft_content_from_json(&content, json_array_get(list, i), r->run->arena)) {
                expected = rft_field_set(field, (char *)&r->run->points[i] + offset, &content, r->run->arena);
            }
            if (expected) {
                fail(r, expected, "rooftune.points.%s[%zu]", name, i);
            }
        }
    }
}

static void to_samples(reader *r, const json_t *points, int round, bool steps) {
    char name[40];
    rft_text_format(name, sizeof name, "round%d_%s_ms", round, steps ? "step" : "sample");
    const json_t *list = point_list(r, points, name);
    for (size_t i = 0; list && i < r->run->point_count && !r->code; i++) {
        rft_measurement *measurement = &r->run->points[i].rounds[round];
        const json_t *item = json_array_get(list, i);
        if (json_is_null(item)) {
            continue;
        }
        double *seconds = NULL;
        size_t count = 0;
        const char *expected = rft_t4_seconds(&seconds, &count, item, r->run->arena);
        if (expected) {
            fail(r, expected, "rooftune.points.%s[%zu]", name, i);
        } else if (steps) {
            measurement->step_s = seconds;
            measurement->step_count = count;
        } else {
            measurement->samples_s = seconds;
            measurement->n = count;
            measurement->stats = rft_stats_of(seconds, count);
        }
    }
}

/* The clock of each sample; left out by recordings of before. */
static void to_clocks(reader *r, const json_t *points, int round) {
    char name[40];
    rft_text_format(name, sizeof name, "round%d_sample_mhz", round);
    const json_t *list = point_list(r, points, name);
    for (size_t i = 0; list && i < r->run->point_count && !r->code; i++) {
        rft_measurement *m = &r->run->points[i].rounds[round];
        const json_t *item = json_array_get(list, i);
        if (json_is_null(item)) {
            continue;
        }
        if (!json_is_array(item) || json_array_size(item) != m->n || m->n == 0) {
            fail(r, "a clock for each sample", "rooftune.points.%s[%zu]", name, i);
            return;
        }
        m->clocks_mhz = rft_arena_calloc(r->run->arena, m->n, sizeof *m->clocks_mhz);
        for (size_t k = 0; k < m->n; k++) {
            const json_t *value = json_array_get(item, k);
            if (!json_is_number(value) && !json_is_null(value)) {
                fail(r, "a number or null", "rooftune.points.%s[%zu][%zu]", name, i, k);
            }
            m->clocks_mhz[k] = json_is_number(value) ? json_number_value(value) : (double)NAN;
        }
    }
}

/* Recordings of before, and of points of one launch, have none. */
static void to_steps(reader *r, const json_t *points) {
    const json_t *list = point_list(r, points, "steps");
    for (size_t i = 0; list && i < r->run->point_count && !r->code; i++) {
        const char *expected = rft_steps_from_json(&r->run->points[i], json_array_get(list, i), r->run->arena);
        if (expected) {
            fail(r, expected, "rooftune.points.steps[%zu]", i);
        }
    }
}

/* Indices are good and ids ascend: from here on they may be used. */
static void check_points(reader *r) {
    const rft_run *run = r->run;
    for (size_t i = 0; i < run->point_count && !r->code; i++) {
        const rft_point *point = &run->points[i];
        if (point->id <= (i ? run->points[i - 1].id : 0)) {
            fail(r, "ascending ids from 1", "rooftune.points.id[%zu]", i);
        } else if (point->sweep >= run->sweep_count) {
            fail(r, "the index of a sweep", "rooftune.points.sweep[%zu]", i);
        } else if (point->variant >= run->sweeps[point->sweep].sweep.variant_count) {
            fail(r, "the index of a variant", "rooftune.points.variant[%zu]", i);
        } else if (point->problem >= run->sweeps[point->sweep].sweep.problem_count) {
            fail(r, "the index of a problem", "rooftune.points.problem[%zu]", i);
        }
    }
}

static void to_results(reader *r, const json_t *results) {
    for (size_t i = 0; i < r->run->point_count && !r->code; i++) {
        const char *where = "";
        const char *expected = rft_t4_to_point(r->run, &r->run->points[i], json_array_get(results, i), &where);
        if (expected) {
            fail(r, expected, "results[%zu].%s", i, where);
        }
    }
}

static void to_baselines(reader *r, const json_t *list) {
    char where[120];
    const char *expected = r->code ? NULL : rft_baselines_from_json(r->run, list, where, sizeof where);
    if (expected) {
        fail(r, expected, "rooftune.baselines%s", where);
    }
}

static void to_points(reader *r, const json_t *section, const json_t *results) {
    const json_t *points = json_object_get(section, "points"), *counters = json_object_get(section, "counters");
    rft_run *run = r->run;
    size_t count = json_array_size(results);
    if (!json_is_object(points)) {
        fail(r, "an object", "rooftune.points");
    } else if (!json_is_array(results) || count > RFT_RECORDING_MAX_POINTS) {
        fail(r, "a list of at most a million", "results");
    } else if (count > 0 && !json_is_array(json_object_get(points, "id"))) {
        fail(r, "a list with an entry for every point", "rooftune.points.id");
    }
    if (r->code) {
        return;
    }
    run->point_count = count;
    run->points = rft_arena_calloc(run->arena, count + 1, sizeof *run->points);
    for (size_t i = 0; i < count; i++) {
        rft_points_no_measurement(&run->points[i]);
    }
    to_lists(r, points, "", &rft_fields_point, 0);
    to_lists(r, points, "", &rft_fields_facts, offsetof(rft_point, facts));
    to_lists(r, points, "", &rft_fields_verification, offsetof(rft_point, verification));
    to_lists(r, points, "", &rft_fields_work, offsetof(rft_point, work));
    to_lists(r, points, "", &rft_fields_traffic, offsetof(rft_point, traffic));
    to_lists(r, points, "round0_", &rft_fields_measurement, offsetof(rft_point, rounds[0]));
    to_lists(r, points, "round1_", &rft_fields_measurement, offsetof(rft_point, rounds[1]));
    check_points(r);
    to_results(r, results);
    to_samples(r, points, 0, true);
    to_samples(r, points, 1, false);
    to_samples(r, points, 1, true);
    to_clocks(r, points, 0);
    to_clocks(r, points, 1);
    to_steps(r, points);
    char where[120];
    const char *expected = r->code ? NULL : rft_counters_from_json(run, counters, where, sizeof where);
    if (expected) {
        fail(r, expected, "rooftune.counters%s", where);
    }
    expected = r->code ? NULL : rft_loads_from_json(run, json_object_get(section, "loads"), where, sizeof where);
    if (expected) {
        fail(r, expected, "rooftune.loads%s", where);
    }
    int64_t lost = r->code ? 0 : rft_points_resolve_aliases(run->points, run->point_count);
    if (lost) {
        fail(r, "the id of a point that is no alias", "rooftune.points.alias_of of point %lld", (long long)lost);
    }
}

/* Recordings of before have none. */
static void to_references(reader *r, const json_t *section) {
    size_t count = 0;
    const json_t *list = json_object_get(section, "references") && !r->code
                             ? to_list(r, section, "references", "rooftune", &count)
                             : NULL;
    for (size_t i = 0; i < count && !r->code; i++) {
        rft_reference reference = {0};
        char path[80];
        rft_text_format(path, sizeof path, "rooftune.references[%zu]", i);
        to_record(r, &rft_fields_reference, &reference, json_array_get(list, i), path);
        if (!r->code && (reference.sweep >= r->run->sweep_count ||
                         reference.problem >= r->run->sweeps[reference.sweep].sweep.problem_count)) {
            fail(r, "the index of a problem", "%s.problem", path);
        }
        if (!r->code) {
            rft_run_add_reference(r->run, &reference);
        }
    }
}

/* ---- the file ---- */

static int check_section(const json_t *root, const char *what, rft_err *err) {
    const json_t *section = json_object_get(root, "rooftune"), *schema = json_object_get(section, "schema");
    if (!json_is_integer(schema)) {
        rft_err_set(err, RFT_E_RECORDING, "%s: rooftune.schema: expected a whole number", what);
        rft_err_remedy(err, "the recording is damaged or was edited: copy or download it again");
        return RFT_E_RECORDING;
    }
    long long version = json_integer_value(schema);
    if (version == RFT_RECORDING_SCHEMA) {
        return 0;
    }
    const char *writer = rft_json_text_or(json_object_get(section, "run"), "tool_version", "an unknown version");
    rft_err_set(err, RFT_E_SCHEMA,
                "%s has the %s schema %lld (written by rooftune %.32s); this rooftune reads schema %d", what,
                version < RFT_RECORDING_SCHEMA ? "older" : "newer", version, writer, RFT_RECORDING_SCHEMA);
    rft_err_remedy(err, version < RFT_RECORDING_SCHEMA ? "record again, or read it with the rooftune that wrote it"
                                                       : "use a newer rooftune, at least the one that wrote it");
    return RFT_E_SCHEMA;
}

#define POINT_ROOM_BASE ((size_t)16 << 20) /* bytes of points that any file may have, and per byte of its text */
#define POINT_ROOM_FACTOR 16

/* Points take a kilobyte each in memory, whatever the file says of them: not of "{}". All formats, before any is read.
 */
static int check_room(const json_t *root, size_t size, const char *what, rft_err *err) {
    size_t counts[] = {json_array_size(json_object_get(root, "results")),
                       json_array_size(json_object_get(root, "Results")),
                       json_object_size(json_object_get(root, "cache"))};
    size_t most = (POINT_ROOM_BASE + POINT_ROOM_FACTOR * size) / sizeof(rft_point);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i] > most) {
            rft_err_set(err, RFT_E_RECORDING, "%s: expected at most %zu results in %zu bytes, found %zu", what, most,
                        size, counts[i]);
            return rft_err_remedy(err, "no results are as short as these: copy or download the file again");
        }
    }
    return 0;
}

static int parse(rft_run **out, const char *text, size_t size, const char *what, rft_err *err) {
    json_t *root = NULL;
    bool mended = false;
    *out = NULL;
    int code = rft_exchange_parse(&root, &mended, text, size, what, err);
    code = code ? code : check_room(root, size, what, err);
    if (!code && !json_object_get(root, "rooftune")) {
        code = rft_exchange_read(out, &(rft_exchange_file){root, text, size, what, mended}, err);
        json_decref(root);
        return code;
    }
    code = code ? code : check_section(root, what, err);
    if (code) {
        json_decref(root);
        return code;
    }
    reader r = {.run = rft_run_new(), .what = what, .err = err};
    const json_t *section = json_object_get(root, "rooftune");
    to_record(&r, &rft_fields_info, &r.run->info, json_object_get(section, "run"), "rooftune.run");
    to_record(&r, &rft_fields_gpu, &r.run->gpu, json_object_get(section, "gpu"), "rooftune.gpu");
    to_env(&r, json_object_get(section, "env"));
    to_ceilings(&r, json_object_get(section, "ceilings"));
    to_sweeps(&r, section);
    to_references(&r, section);
    to_baselines(&r, json_object_get(section, "baselines"));
    to_points(&r, section, json_object_get(root, "results"));
    json_decref(root);
    if (r.code) {
        rft_run_free(r.run);
        return r.code;
    }
    *out = r.run;
    return 0;
}

int rft_recording_parse(rft_run **out, const char *text, size_t size, const char *what, rft_err *err) {
    int code = parse(out, text, size, what, err);
    const char *fault = code ? NULL : rft_run_fault(*out);
    if (fault) {
        code = rft_err_set(err, RFT_E_RECORDING, "%s: %s", what, fault);
        rft_err_remedy(err, "the recording is damaged or was edited: copy or download it again");
        rft_run_free(*out);
        *out = NULL;
    } else if (code == RFT_OK) {
        rft_run_fill_cards(*out);
        rft_run_fill_repeats(*out);
    }
    return code;
}

int rft_recording_read(rft_run **out, const char *path, rft_err *err) {
    char *text = NULL;
    size_t size = 0;
    *out = NULL;
    /* What is called .gz has to be gzip, so that a wrong file is called by its name. */
    bool plain = !rft_text_ends(path, ".gz") && !rft_fs_is_gzip(path);
    int code = plain ? rft_fs_read(&text, &size, path, RFT_RECORDING_MAX_BYTES, err)
                     : rft_fs_read_gzip(&text, &size, path, RFT_RECORDING_MAX_BYTES, err);
    bool package = code == RFT_OK && rft_package_is(text, size);
    code = code      ? code
           : package ? rft_package_parse(out, text, size, path, err)
                     : rft_recording_parse(out, text, size, path, err);
    free(text);
    return code;
}
