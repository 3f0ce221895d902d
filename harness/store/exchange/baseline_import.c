/* SPDX-License-Identifier: Apache-2.0 */
/* baseline_import.c - baselines that others measured, from a JSON or CSV file (docs/baselines.md). Both become rows of
 * texts first, so that there is one set of rules and of messages. */
#include "model/run/field.h"
#include "store/store.h"

#include "base/csv.h"
#include "base/json.h"
#include "base/str.h"
#include "base/units.h"
#include "model/run/baseline.h"
#include "model/sweep/names.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 100000
#define CELLS_MAX 64
#define TEXT_MAX 200 /* bytes of a name or source, which stand in tables */
#define FORM                                                                                                           \
    "name, seconds, source, and a value for each axis that tells the problems apart; low, high, sweep if you like"

enum { KEY_NAME, KEY_SWEEP, KEY_SECONDS, KEY_LOW, KEY_HIGH, KEY_SOURCE, KEY_COUNT };
static const char *const keys[KEY_COUNT] = {"name", "sweep", "seconds", "low", "high", "source"};

/* One baseline, in words. */
typedef struct import_row {
    char where[80];               /* "line 5", "baselines[3]" */
    const char *texts[KEY_COUNT]; /* NULL: not given */
    const char *axes[CELLS_MAX], *values[CELLS_MAX];
    size_t axis_count;
} import_row;

typedef struct importer {
    rft_run *run;
    const char *what; /* the file */
    rft_arena *arena; /* of rows */
    rft_import_counts *counts;
    size_t before; /* baselines that were there already */
    rft_err *err;
} importer;

static int refuse(importer *im, const char *where, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static int refuse(importer *im, const char *where, const char *remedy, const char *format, ...) {
    va_list args;
    va_start(args, format);
    rft_err_setv(im->err, RFT_E_RECORDING, format, args);
    va_end(args);
    rft_err_place(im->err, "%s%s%s", im->what, *where ? ": " : "", where);
    rft_err_remedy(im->err, "%s", remedy);
    return RFT_E_RECORDING;
}

/* ---- a row into the run ---- */

static int read_seconds(importer *im, const import_row *row, int key, double *out) {
    rft_err why = RFT_ERR_INIT;
    *out = NAN;
    if (!row->texts[key]) {
        return RFT_OK;
    }
    if (rft_units_parse_seconds(out, row->texts[key], &why) != RFT_OK || !(*out > 0 && *out <= RFT_SAMPLE_MAX_S)) {
        return refuse(im, row->where, "a time is a number of seconds, or has a unit: 0.00123, \"1.23ms\"",
                      "%s is no time: \"%.60s\"", keys[key], row->texts[key]);
    }
    return RFT_OK;
}

static int read_times(importer *im, const import_row *row, rft_stats *stats) {
    static const int which[] = {KEY_SECONDS, KEY_LOW, KEY_HIGH};
    double *const times[] = {&stats->median, &stats->low, &stats->high};
    for (size_t i = 0; i < 3; i++) {
        int rc = read_seconds(im, row, which[i], times[i]);
        if (rc != RFT_OK) {
            return rc;
        }
    }
    if (isnan(stats->low) != isnan(stats->high)) {
        return refuse(im, row->where, "give both ends of the interval, or neither", "%s is there without %s",
                      isnan(stats->low) ? "high" : "low", isnan(stats->low) ? "low" : "high");
    }
    if (stats->low > stats->median || stats->high < stats->median) {
        return refuse(im, row->where, "low <= seconds <= high", "seconds lies outside low and high");
    }
    return RFT_OK;
}

static int check_texts(importer *im, const import_row *row) {
    static const int needed[] = {KEY_NAME, KEY_SECONDS, KEY_SOURCE};
    for (size_t i = 0; i < 3; i++) {
        const char *text = row->texts[needed[i]];
        if (!text || !*text) {
            return refuse(im, row->where,
                          needed[i] == KEY_SOURCE
                              ? "say where the number is from: source = \"torch 2.9, do_bench, H200, 2026-11-20\""
                              : "each baseline has " FORM,
                          "%s is missing", keys[needed[i]]);
        }
        const char *expected = rft_name_fault(text, TEXT_MAX, im->arena);
        if (expected) {
            return refuse(im, row->where, "it stands in tables: give it a shorter text, of one line of UTF-8",
                          "%s: expected %s", keys[needed[i]], expected);
        }
    }
    return RFT_OK;
}

/* "4096" is 4096 and 4096.0; a text or a truth value is as it is written. */
static bool is_value(const char *text, const rft_value *value) {
    double number = 0;
    if (value->kind == RFT_VALUE_INT || value->kind == RFT_VALUE_REAL) {
        double own = value->kind == RFT_VALUE_INT ? (double)value->as.integer : value->as.real;
        return rft_text_to_double(text, &number) && number == own;
    }
    rft_str written = RFT_STR_INIT;
    rft_value_format(&written, value);
    bool same = rft_text_equal(text, rft_str_get(&written));
    rft_str_clear(&written);
    return same;
}

static size_t axis_of(const rft_sweep *sweep, const char *name) {
    size_t axis = 0;
    while (axis < sweep->axis_count && !rft_text_equal(sweep->axes[axis].name, name)) {
        axis++;
    }
    return axis;
}

static bool fits(const import_row *row, const rft_sweep *sweep, const rft_problem *problem) {
    for (size_t i = 0; i < row->axis_count; i++) {
        if (!is_value(row->values[i], &problem->values[axis_of(sweep, row->axes[i])])) {
            return false;
        }
    }
    return !problem->odd;
}

/* Does the sweep have all dimensions that the row names? `unknown`: one that it has not. */
static bool has_axes(const import_row *row, const rft_sweep *sweep, const char **unknown) {
    for (size_t i = 0; i < row->axis_count; i++) {
        if (axis_of(sweep, row->axes[i]) == sweep->axis_count) {
            *unknown = row->axes[i];
            return false;
        }
    }
    return true;
}

static int put(importer *im, const import_row *row, size_t sweep, size_t problem, const rft_stats *stats) {
    rft_run *run = im->run;
    rft_baseline made = rft_baseline_none(run->arena, sweep, problem, row->texts[KEY_NAME], RFT_BASELINE_GIVEN);
    made.source = rft_arena_strdup(run->arena, row->texts[KEY_SOURCE]);
    made.measurement.stats = *stats;
    const rft_baseline *there = rft_run_find_baseline(run, &made);
    if (there && (size_t)(there - run->baselines) >= im->before) {
        return refuse(im, row->where, "leave one of them out, or give them other names",
                      "%s is there twice for the same problem", made.name);
    }
    rft_run_put_baseline(run, &made);
    im->counts->taken++;
    return RFT_OK;
}

/* Where the row belongs: one problem of one sweep. */
static int place(importer *im, const import_row *row, const rft_stats *stats) {
    const char *unknown = NULL;
    size_t sweeps = 0, found = 0, at_sweep = 0, at_problem = 0;
    for (size_t s = 0; s < im->run->sweep_count; s++) {
        const rft_sweep *sweep = &im->run->sweeps[s].sweep;
        if (row->texts[KEY_SWEEP] && !rft_text_equal(row->texts[KEY_SWEEP], sweep->name)) {
            continue;
        }
        if (!has_axes(row, sweep, &unknown)) {
            continue;
        }
        sweeps++;
        for (size_t p = 0; p < sweep->problem_count; p++) {
            if (fits(row, sweep, &sweep->problems[p])) {
                found++;
                at_sweep = s;
                at_problem = p;
            }
        }
    }
    if (sweeps == 0 && unknown) {
        return refuse(im, row->where,
                      "what is not name, sweep, seconds, low, high or source names an axis of the sweep",
                      "no sweep of the run has an axis \"%.60s\"", unknown);
    }
    if (found > 1) {
        return refuse(im, row->where, "name the sweep, or more of its axes",
                      "%zu problems of the run fit: what is meant is not clear", found);
    }
    if (found == 0) {
        im->counts->elsewhere++;
        return RFT_OK;
    }
    return put(im, row, at_sweep, at_problem, stats);
}

static int take(importer *im, const import_row *row) {
    rft_stats stats = rft_stats_of(NULL, 0);
    int rc = check_texts(im, row);
    rc = rc ? rc : read_times(im, row, &stats);
    return rc ? rc : place(im, row, &stats);
}

static int add_cell(importer *im, import_row *row, const char *name, const char *text) {
    for (int key = 0; key < KEY_COUNT; key++) {
        if (rft_text_equal(name, keys[key])) {
            row->texts[key] = *text ? text : NULL;
            return RFT_OK;
        }
    }
    if (!*text) {
        return RFT_OK; /* an axis that this row does not name */
    }
    if (row->axis_count == CELLS_MAX) {
        return refuse(im, row->where, "each baseline has " FORM, "more than %d axes", CELLS_MAX);
    }
    row->axes[row->axis_count] = name;
    row->values[row->axis_count++] = text;
    return RFT_OK;
}

/* ---- JSON ---- */

/* NULL for what is no single value. */
static const char *text_of(importer *im, const json_t *value) {
    rft_str number = RFT_STR_INIT;
    const char *text = NULL;
    if (json_is_string(value)) {
        return rft_arena_strdup(im->arena, json_string_value(value));
    }
    if (json_is_integer(value)) {
        return rft_arena_printf(im->arena, "%lld", (long long)json_integer_value(value));
    }
    if (json_is_boolean(value)) {
        return json_is_true(value) ? "true" : "false";
    }
    if (json_is_real(value)) {
        rft_str_add_double(&number, json_real_value(value));
        text = rft_arena_strdup(im->arena, rft_str_get(&number));
        rft_str_clear(&number);
    }
    return json_is_null(value) ? "" : text;
}

static int add_members(importer *im, import_row *row, const json_t *object, bool axes) {
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach((json_t *)(uintptr_t)object, name, value) {
        if (!axes && strcmp(name, "problem") == 0) {
            int rc = json_is_object(value)
                         ? add_members(im, row, value, true)
                         : refuse(im, row->where, "\"problem\": { \"n\": 4096 }", "problem is not an object");
            if (rc != RFT_OK) {
                return rc;
            }
            continue;
        }
        const char *text = text_of(im, value);
        if (!text) {
            return refuse(im, row->where, "each baseline has " FORM, "%.60s is not a single value", name);
        }
        int rc = add_cell(im, row, rft_arena_strdup(im->arena, name), text);
        if (rc != RFT_OK) {
            return rc;
        }
    }
    return RFT_OK;
}

static int import_json(importer *im, const char *text, size_t size) {
    json_t *root = NULL;
    int rc = rft_json_parse(&root, text, size, im->what, im->err);
    if (rc != RFT_OK) {
        rft_err_remedy(im->err,
                       "a file of baselines is JSON, [{\"name\": ..., \"problem\": {\"n\": 4096}, ...}], or CSV");
        return rc;
    }
    const json_t *list = json_is_object(root) ? json_object_get(root, "baselines") : root;
    if (!json_is_array(list) || json_array_size(list) > ROWS_MAX) {
        rc = refuse(im, "", "[{\"name\": ..., \"problem\": {\"n\": 4096}, \"seconds\": ..., \"source\": ...}]",
                    "there is no list of at most %d baselines", ROWS_MAX);
    }
    for (size_t i = 0; rc == RFT_OK && i < json_array_size(list); i++) {
        import_row row = {.axis_count = 0};
        const json_t *item = json_array_get(list, i);
        rft_text_format(row.where, sizeof row.where, "baselines[%zu]", i);
        rc = json_is_object(item) ? add_members(im, &row, item, false)
                                  : refuse(im, row.where, "each baseline has " FORM, "it is no object");
        rc = rc ? rc : take(im, &row);
    }
    json_decref(root);
    return rc;
}

/* ---- CSV ---- */

static int import_csv(importer *im, const char *text, size_t size) {
    rft_csv_cell cells[CELLS_MAX];
    const char *head[CELLS_MAX];
    rft_csv csv = rft_csv_of_copy(im->arena, text, size, cells, CELLS_MAX);
    int rc = RFT_OK;
    if (!rft_csv_next(&csv) || csv.count > CELLS_MAX || csv.count < 3) {
        return refuse(im, "line 1", "name,n,seconds,source", "the first line names the columns: " FORM);
    }
    size_t columns = csv.count;
    for (size_t i = 0; i < columns; i++) {
        head[i] = cells[i].text;
    }
    for (size_t rows = 0; rc == RFT_OK && rft_csv_next(&csv); rows++) {
        import_row row = {.axis_count = 0};
        rft_text_format(row.where, sizeof row.where, "line %zu", csv.line);
        if (csv.count != columns) {
            return refuse(im, row.where, "a cell for each column; what holds a comma stands in quotes",
                          "%zu cells for %zu columns", csv.count, columns);
        }
        if (rows == ROWS_MAX) {
            return refuse(im, row.where, "split the file", "more than %d lines", ROWS_MAX);
        }
        for (size_t i = 0; i < columns && rc == RFT_OK; i++) {
            rc = add_cell(im, &row, head[i], cells[i].text);
        }
        rc = rc ? rc : take(im, &row);
    }
    if (csv.fault && rc == RFT_OK) {
        return refuse(im, rft_arena_printf(im->arena, "line %zu", csv.line),
                      "what holds a comma or a quote stands in quotes, a quote within it twice", "%s", csv.fault);
    }
    return rc;
}

int rft_baselines_import(rft_run *run, const char *text, size_t size, const char *what, rft_import_counts *out,
                         rft_err *err) {
    rft_err ignored = RFT_ERR_INIT;
    importer im = {run, what, rft_arena_new(), out, run->baseline_count, err ? err : &ignored};
    size_t start = 0;
    *out = (rft_import_counts){0};
    while (start < size && isspace((unsigned char)text[start])) {
        start++;
    }
    bool is_json = start < size && (text[start] == '[' || text[start] == '{');
    int rc = is_json ? import_json(&im, text, size) : import_csv(&im, text, size);
    if (rc == RFT_OK && out->taken == 0) {
        rft_err_set(im.err, RFT_E_NOT_FOUND, "none of the %zu baselines in it is of a problem of this run",
                    out->elsewhere);
        rft_err_place(im.err, "%s", what);
        rc = rft_err_remedy(im.err, "`rooftune show` lists the problems of a run; an odd size is no problem of it");
    }
    rft_arena_free(im.arena);
    if (rc != RFT_OK) {
        run->baseline_count = im.before; /* what was replaced before the mistake is in the file as it was */
    }
    return rc;
}
