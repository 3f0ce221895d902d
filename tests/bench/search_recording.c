/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/search_recording.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MOST ((size_t)2 << 30)
#define MS 1e-3

/* One recorded configuration; `values` is borrowed from the document. */
typedef struct row {
    const json_t *values;
    double seconds, cost_s, compile_s;
    uint64_t space; /* which of the file's; equal numbers, same space */
} row;

typedef struct reading {
    json_t *root;
    char **params; /* names, in the arena */
    size_t param_count;
    row *rows;
    size_t row_count, row_capacity;
    rft_arena *arena;
} reading;

static double number_or_0(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    double number = json_is_number(value) ? json_number_value(value) : 0;
    return isfinite(number) && number > 0 ? number : 0;
}

static double sum_of(const json_t *value) {
    double sum = json_is_number(value) ? json_number_value(value) : 0;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = json_array_get(value, i);
        sum += json_is_number(item) ? json_number_value(item) : 0;
    }
    return isfinite(sum) && sum > 0 ? sum : 0;
}

static double time_or_nan(const json_t *value) {
    double number = json_is_number(value) ? json_number_value(value) : (double)NAN;
    return number > 0 && isfinite(number) ? number * MS : (double)NAN;
}

static void add_row(reading *r, const row *one) {
    RFT_GROW(r->rows, r->row_capacity, r->row_count + 1);
    r->rows[r->row_count++] = *one;
}

static int bad(rft_err *err, const char *path, const char *what) {
    return rft_err_set(err, RFT_E_RECORDING, "%s: %s", path, what);
}

/* ---- the two formats ---- */

static double t4_time(const json_t *result) {
    const char *invalidity = rft_json_text_or(result, "invalidity", "correct");
    const json_t *measurements = json_object_get(result, "measurements");
    for (size_t i = 0; i < json_array_size(measurements) && strcmp(invalidity, "correct") == 0; i++) {
        const json_t *one = json_array_get(measurements, i);
        if (strcmp(rft_json_text_or(one, "name", ""), "time") == 0) {
            return time_or_nan(json_object_get(one, "value"));
        }
    }
    return (double)NAN;
}

/* Where the file says what swept the space: the names of axes, which are no parameters (a run of rooftune's own). */
static bool is_axis(const reading *r, const char *name) {
    const json_t *sweeps = json_object_get(json_object_get(r->root, "rooftune"), "sweeps");
    for (size_t s = 0; s < json_array_size(sweeps); s++) {
        const json_t *axes = json_object_get(json_array_get(sweeps, s), "axes");
        for (size_t a = 0; a < json_array_size(axes); a++) {
            if (strcmp(rft_json_text_or(json_array_get(axes, a), "name", ""), name) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Variants differ in their parameters, problems in the values of axes. */
static uint64_t space_of(const reading *r, json_t *configuration) {
    uint64_t hash = 0;
    const char *key;
    json_t *value;
    json_object_foreach(configuration, key, value) {
        double number = json_is_number(value) && is_axis(r, key) ? json_number_value(value) : 0;
        uint64_t mixed = rft_hash_fnv1a(key, strlen(key)) ^ rft_hash_fnv1a(&number, sizeof number);
        hash += rft_random_next(&mixed); /* whatever the order of keys */
    }
    return hash;
}

static int read_t4(reading *r, const char *path, rft_err *err) {
    const json_t *results = json_object_get(r->root, "results");
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *result = json_array_get(results, i);
        const json_t *times = json_object_get(result, "times");
        json_t *configuration = json_object_get(result, "configuration");
        if (!json_is_object(configuration)) {
            return bad(err, path, "a result has no configuration");
        }
        double compile_ms = number_or_0(times, "compilation") + number_or_0(times, "compilation_time");
        double cost_ms = compile_ms + number_or_0(times, "validation") + sum_of(json_object_get(times, "runtimes"));
        add_row(r, &(row){configuration, t4_time(result), cost_ms * MS, compile_ms * MS, space_of(r, configuration)});
    }
    return RFT_OK;
}

static int read_cache(reading *r, const char *path, rft_err *err) {
    const json_t *names = json_object_get(r->root, "tune_params_keys");
    r->params = rft_arena_calloc(r->arena, json_array_size(names) + 1, sizeof *r->params);
    for (size_t i = 0; i < json_array_size(names); i++) {
        if (!json_is_string(json_array_get(names, i))) {
            return bad(err, path, "tune_params_keys holds something else than names");
        }
        r->params[r->param_count++] = rft_arena_strdup(r->arena, json_string_value(json_array_get(names, i)));
    }
    const char *key;
    json_t *entry;
    json_object_foreach(json_object_get(r->root, "cache"), key, entry) {
        double compile_ms = number_or_0(entry, "compile_time");
        double cost_ms = compile_ms + number_or_0(entry, "verification_time") + number_or_0(entry, "benchmark_time");
        add_row(r, &(row){entry, time_or_nan(json_object_get(entry, "time")), cost_ms * MS, compile_ms * MS, 0});
    }
    return RFT_OK;
}

/* ---- values to positions ---- */

static int by_value(const void *a, const void *b) {
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    bool x_text = json_is_string(x), y_text = json_is_string(y);
    if (x_text || y_text) {
        return x_text && y_text ? strcmp(json_string_value(x), json_string_value(y)) : x_text - y_text;
    }
    double u = json_is_true(x) ? 1 : json_number_value(x), v = json_is_true(y) ? 1 : json_number_value(y);
    return (u > v) - (u < v);
}

/* The distinct values of one parameter, ascending; the count into *count. */
static const json_t **distinct_values(reading *r, size_t p, size_t *count) {
    const json_t **values = rft_arena_calloc(r->arena, r->row_count + 1, sizeof(json_t *));
    for (size_t i = 0; i < r->row_count; i++) {
        values[i] = json_object_get(r->rows[i].values, r->params[p]);
        if (!values[i] || json_is_object(values[i]) || json_is_array(values[i])) {
            return NULL;
        }
    }
    qsort(values, r->row_count, sizeof(json_t *), by_value);
    *count = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        if (*count == 0 || by_value(&values[i], &values[*count - 1]) != 0) {
            values[(*count)++] = values[i];
        }
    }
    return values;
}

static const double *numbers_of(rft_arena *arena, const json_t *const *values, size_t count) {
    double *numbers = rft_arena_calloc(arena, count + 1, sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        if (json_is_string(values[i]) || json_is_null(values[i])) {
            return NULL;
        }
        numbers[i] = json_is_true(values[i]) ? 1 : json_number_value(values[i]);
    }
    return numbers;
}

static int by_number(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarise(search_recording *out) {
    double *sorted = rft_calloc(out->count + 1, sizeof *sorted);
    out->valid = 0;
    for (uint64_t i = 0; i < out->count; i++) {
        if (!isnan(out->seconds[i])) {
            sorted[out->valid++] = out->seconds[i];
        }
    }
    qsort(sorted, out->valid, sizeof *sorted, by_number);
    out->best_s = out->valid ? sorted[0] : (double)NAN;
    out->median_s = out->valid ? 0.5 * (sorted[(out->valid - 1) / 2] + sorted[out->valid / 2]) : (double)NAN;
    free(sorted);
}

static int to_view(reading *r, search_recording *out, const char *path, rft_err *err) {
    uint16_t *rows = rft_arena_calloc(r->arena, r->row_count * r->param_count + 1, sizeof *rows);
    uint32_t *counts = rft_arena_calloc(r->arena, r->param_count + 1, sizeof *counts);
    const double **numbers = rft_arena_calloc(r->arena, r->param_count + 1, sizeof *numbers);
    for (size_t p = 0; p < r->param_count; p++) {
        size_t count = 0;
        const json_t **values = distinct_values(r, p, &count);
        if (!values || count > UINT16_MAX) {
            return bad(err, path, values ? "a parameter has more than 65535 values" : "a parameter has no value");
        }
        counts[p] = (uint32_t)count;
        numbers[p] = numbers_of(r->arena, values, count);
        for (size_t i = 0; i < r->row_count; i++) {
            const json_t *value = json_object_get(r->rows[i].values, r->params[p]);
            const json_t **held = bsearch(&value, values, count, sizeof(json_t *), by_value);
            rows[i * r->param_count + p] = (uint16_t)(held - values);
        }
    }
    out->count = r->row_count;
    out->seconds = rft_calloc(r->row_count, sizeof *out->seconds);
    out->cost_s = rft_calloc(r->row_count, sizeof *out->cost_s);
    out->compile_s = rft_calloc(r->row_count, sizeof *out->compile_s);
    for (size_t i = 0; i < r->row_count; i++) {
        out->seconds[i] = r->rows[i].seconds;
        out->cost_s[i] = r->rows[i].cost_s;
        out->compile_s[i] = r->rows[i].compile_s;
    }
    out->view = list_view_new(&(list_view_spec){r->row_count, r->param_count, rows, counts, numbers});
    return RFT_OK;
}

/* ---- the file ---- */

/* Also the cache of a run that did not finish: it ends with a comma, and without its last two braces. */
static int parse(reading *r, const char *path, rft_err *err) {
    char *text = NULL;
    size_t size = 0;
    int rc = rft_fs_is_gzip(path) ? rft_fs_read_gzip(&text, &size, path, FILE_BYTES_MOST, err)
                                  : rft_fs_read(&text, &size, path, FILE_BYTES_MOST, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rc = rft_json_parse(&r->root, text, size, path, err);
    if (rc != RFT_OK && size > 0) {
        while (size > 0 && strchr(" \r\n\t,", text[size - 1])) {
            size--;
        }
        text = rft_realloc(text, size + 3, 1);
        memcpy(text + size, "}}", 3);
        rft_err ignored = RFT_ERR_INIT;
        rc = rft_json_parse(&r->root, text, size + 2, path, &ignored) == RFT_OK ? RFT_OK : rc;
    }
    free(text);
    return rc;
}

static char *name_of(const char *path, size_t part, size_t parts) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strcspn(name, ".");
    rft_str out = RFT_STR_INIT;
    rft_str_add_n(&out, name, length ? length : strlen(name));
    if (parts > 1) {
        rft_str_addf(&out, "#%zu", part + 1);
    }
    return rft_str_take(&out);
}

/* Counts the spaces of which a configuration has a time, and leaves the rows of one. */
static size_t keep_part(reading *r, size_t part) {
    uint64_t *spaces = rft_calloc(r->row_count + 1, sizeof *spaces);
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        size_t at = 0;
        while (at < count && spaces[at] != r->rows[i].space) {
            at++;
        }
        if (at == count && !isnan(r->rows[i].seconds)) {
            spaces[count++] = r->rows[i].space;
        }
    }
    for (size_t i = 0; i < r->row_count && part < count; i++) {
        if (r->rows[i].space == spaces[part]) {
            r->rows[kept++] = r->rows[i];
        }
    }
    r->row_count = kept;
    free(spaces);
    return count;
}

/* A T4 file names its parameters in its configurations alone. */
static void take_params(reading *r) {
    json_t *first = json_object_get(json_array_get(json_object_get(r->root, "results"), 0), "configuration");
    for (size_t i = 0; i < json_array_size(json_object_get(r->root, "results")) && r->row_count > 0; i++) {
        first = json_object_get(json_array_get(json_object_get(r->root, "results"), i), "configuration");
        if (first == r->rows[0].values) {
            break;
        }
    }
    r->params = rft_arena_calloc(r->arena, json_object_size(first) + 1, sizeof *r->params);
    const char *key;
    json_t *value;
    json_object_foreach(first, key, value) {
        if (!is_axis(r, key)) {
            r->params[r->param_count++] = rft_arena_strdup(r->arena, key);
        }
    }
}

int search_recording_open(search_recording **out, const char *path, size_t part, size_t *parts, rft_err *err) {
    *out = NULL;
    reading r = {.arena = rft_arena_new()};
    search_recording *made = rft_alloc(sizeof *made);
    int rc = parse(&r, path, err);
    if (rc == RFT_OK && json_is_array(json_object_get(r.root, "results"))) {
        rc = read_t4(&r, path, err);
    } else if (rc == RFT_OK && json_is_object(json_object_get(r.root, "cache"))) {
        rc = read_cache(&r, path, err);
    } else if (rc == RFT_OK) {
        rc = bad(err, path, "neither a T4 file (results) nor a Kernel Tuner cache (cache)");
    }
    if (rc == RFT_OK) {
        *parts = keep_part(&r, part);
        rc = r.row_count ? RFT_OK : bad(err, path, "no configuration has a time");
    }
    if (rc == RFT_OK && r.param_count == 0) {
        take_params(&r);
    }
    rc = rc == RFT_OK ? to_view(&r, made, path, err) : rc;
    if (rc == RFT_OK) {
        summarise(made);
        made->name = name_of(path, part, *parts);
    }
    json_decref(r.root);
    free(r.rows);
    rft_arena_free(r.arena);
    if (rc != RFT_OK) {
        search_recording_free(made);
        return rc;
    }
    *out = made;
    return RFT_OK;
}

search_recording *search_recording_of(const list_view_spec *spec, const double *seconds) {
    search_recording *made = rft_alloc(sizeof *made);
    made->name = rft_strdup("made");
    made->view = list_view_new(spec);
    made->count = spec->count;
    made->seconds = rft_calloc(spec->count + 1, sizeof *made->seconds);
    made->cost_s = rft_calloc(spec->count + 1, sizeof *made->cost_s);
    made->compile_s = rft_calloc(spec->count + 1, sizeof *made->compile_s);
    for (uint64_t i = 0; i < spec->count; i++) {
        made->seconds[i] = seconds[i];
        made->cost_s[i] = 1;
        made->compile_s[i] = 0.75;
    }
    summarise(made);
    return made;
}

void search_recording_free(search_recording *recording) {
    if (recording) {
        if (recording->view) {
            recording->view->free(recording->view);
        }
        free(recording->name);
        free(recording->seconds);
        free(recording->cost_s);
        free(recording->compile_s);
        free(recording);
    }
}
