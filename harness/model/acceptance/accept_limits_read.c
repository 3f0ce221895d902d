/* SPDX-License-Identifier: Apache-2.0 */
/* accept_limits_read.c - a table of limits from the JSON of its file. The file may be from anybody: every key is known
 * and every number in its range, or the file is refused with the key's path. */
#include "model/acceptance/accept_limits.h"

#include "base/json.h"
#include "model/sweep/value_given.h"

#include <math.h>
#include <string.h>

#define TEXT_MOST 200 /* bytes */
#define AXES_MOST 64
#define CARDS_MOST 1000000

typedef struct limits_reader {
    const char *path;
    rft_arena *arena;
    rft_err *err;
    const char *at; /* path of the table that is read: "limits[3]"; "": the file's own */
} limits_reader;

static int refuse_limit(const limits_reader *r, const char *key, const char *remedy, const char *message) {
    rft_err_set(r->err, RFT_E_SCRIPT, "%s%s%s: %s", r->at, *r->at && *key ? "." : "", key, message);
    rft_err_place(r->err, "%s", r->path);
    return rft_err_remedy(r->err, "%s", remedy);
}

static int check_keys(const limits_reader *r, const json_t *object, const char *const *keys, size_t count) {
    for (void *at = json_object_iter((json_t *)object); at; at = json_object_iter_next((json_t *)object, at)) {
        const char *key = json_object_iter_key(at);
        bool known = false;
        for (size_t i = 0; i < count; i++) {
            known = known || strcmp(keys[i], key) == 0;
        }
        if (!known) {
            const char *near = rft_text_nearest(key, keys, count);
            rft_str all = RFT_STR_INIT;
            for (size_t i = 0; i < count; i++) {
                rft_str_addf(&all, "%s%s", i ? ", " : "known: ", keys[i]);
            }
            int rc = refuse_limit(r, rft_arena_printf(r->arena, "%.100s", key), rft_str_get(&all),
                                  near ? rft_arena_printf(r->arena, "unknown key, did you mean \"%s\"?", near)
                                       : "unknown key");
            rft_str_clear(&all);
            return rc;
        }
    }
    return RFT_OK;
}

/* NULL where it is not there. */
static int read_text(const limits_reader *r, const json_t *object, const char *key, const char **out) {
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    *out = text ? rft_arena_strdup(r->arena, text) : NULL;
    if (!value || (text && *text && strlen(text) <= TEXT_MOST)) {
        return RFT_OK;
    }
    return refuse_limit(r, key, "leave it out where it is not known",
                        rft_arena_printf(r->arena, "expected a text of 1 to %d bytes", TEXT_MOST));
}

/* Stays as it is where it is not there. */
static int read_number(const limits_reader *r, const json_t *object, const char *key, double least, double most,
                       double *out) {
    const json_t *value = json_object_get(object, key);
    if (!value) {
        return RFT_OK;
    }
    *out = json_is_number(value) ? json_number_value(value) : (double)NAN;
    if (*out >= least && *out <= most) {
        return RFT_OK;
    }
    return refuse_limit(r, key, "in base units: 4.5e12 bytes a second, 125e-6 seconds",
                        rft_arena_printf(r->arena, "expected a number, %g to %g", least, most));
}

/* One of some words; `count` stays where it is not there. */
static int read_word(const limits_reader *r, const json_t *object, const char *key, const char *const *words,
                     size_t count, size_t *out) {
    const char *text = NULL;
    int rc = read_text(r, object, key, &text);
    *out = count;
    for (size_t i = 0; rc == RFT_OK && text && i < count; i++) {
        *out = strcmp(words[i], text) == 0 ? i : *out;
    }
    if (rc != RFT_OK || !text || *out < count) {
        return rc;
    }
    const char *near = rft_text_nearest(text, words, count);
    return refuse_limit(r, key,
                        near ? rft_arena_printf(r->arena, "write \"%s\"", near) : "docs/acceptance.md has the words",
                        rft_arena_printf(r->arena, "\"%.60s\" is not known%s%s%s", text,
                                         near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : ""));
}

/* ---- what a limit is of ---- */

static int read_ceiling(const limits_reader *r, const json_t *object, rft_limit *out) {
    const char *names[RFT_CEILING_COUNT];
    size_t id = 0;
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        names[i] = rft_ceiling_name((rft_ceiling_id)i);
    }
    int rc = read_word(r, object, "ceiling", names, RFT_CEILING_COUNT, &id);
    const json_t *sustained = json_object_get(object, "sustained");
    out->is_ceiling = true;
    out->ceiling = (rft_ceiling_id)id;
    out->sustained = json_is_true(sustained);
    if (rc == RFT_OK && sustained && !json_is_boolean(sustained)) {
        rc = refuse_limit(r, "sustained", "sustained = true", "expected true or false");
    }
    if (rc == RFT_OK && (json_object_get(object, "problem") || json_object_get(object, "sweep"))) {
        rc = refuse_limit(r, "", "make two limits of them", "a limit is of a ceiling or of a sweep, not of both");
    }
    return rc;
}

static int read_problem(const limits_reader *r, const json_t *object, rft_limit *out) {
    json_t *problem = json_object_get(object, "problem");
    size_t most = json_object_size(problem);
    out->problem.count = 1.0;
    int rc = read_text(r, object, "sweep", &out->problem.operation);
    if (rc == RFT_OK && (!json_is_object(problem) || most > AXES_MOST)) {
        rc = refuse_limit(r, "problem", "problem = { n = 16384 }",
                          rft_arena_printf(r->arena, "expected up to %d dimensions by name", AXES_MOST));
    }
    out->problem.axes = rft_arena_calloc(r->arena, most + 1, sizeof *out->problem.axes);
    out->problem.values = rft_arena_calloc(r->arena, most + 1, sizeof *out->problem.values);
    for (void *at = json_object_iter(problem); at && rc == RFT_OK; at = json_object_iter_next(problem, at)) {
        size_t i = out->problem.axis_count++;
        out->problem.axes[i] = rft_arena_strdup(r->arena, json_object_iter_key(at));
        if (!rft_value_given(&out->problem.values[i], json_object_iter_value(at), r->arena)) {
            rc = refuse_limit(r, rft_arena_printf(r->arena, "problem.%.60s", json_object_iter_key(at)), "n = 16384",
                              "expected a number, a boolean or text");
        }
    }
    if (rc == RFT_OK && json_object_get(object, "sustained")) {
        rc = refuse_limit(r, "sustained", "leave it out", "only ceilings have rates under load here");
    }
    return rc;
}

/* ---- how much ---- */

static int read_amount(const limits_reader *r, const json_t *object, rft_limit *out) {
    bool least = json_object_get(object, "at_least") != NULL, most = json_object_get(object, "at_most") != NULL;
    bool time = strcmp(rft_limit_unit(out), "s") == 0;
    const char *key = time ? "at_most" : "at_least", *unit = NULL;
    if (least == most || most != time) {
        return refuse_limit(r, key, time ? "at_most = 125e-6: seconds" : "at_least = 4.5e12: per second",
                            least && most ? "there are two limits"
                            : least || most
                                ? rft_arena_printf(r->arena, "a %s is limited by %s", time ? "time" : "rate", key)
                                : "the limit is missing");
    }
    out->at_most = most;
    int rc = read_number(r, object, key, RFT_LIMIT_LEAST, RFT_LIMIT_HIGHEST, &out->value);
    rc = rc ? rc : read_text(r, object, "unit", &unit);
    if (rc == RFT_OK && unit && strcmp(unit, rft_limit_unit(out)) != 0) {
        rc = refuse_limit(r, "unit",
                          rft_arena_printf(r->arena, "unit = \"%s\", and the number in it", rft_limit_unit(out)),
                          rft_arena_printf(r->arena, "\"%.30s\" is not the unit of this figure", unit));
    }
    return rc;
}

static bool same_figure(const rft_limit *a, const rft_limit *b) {
    if (a->is_ceiling || b->is_ceiling) {
        return a->is_ceiling == b->is_ceiling && a->ceiling == b->ceiling && a->sustained == b->sustained;
    }
    bool same =
        strcmp(a->problem.operation, b->problem.operation) == 0 && a->problem.axis_count == b->problem.axis_count;
    for (size_t i = 0; same && i < a->problem.axis_count; i++) { /* axes are in alphabetical order */
        same = strcmp(a->problem.axes[i], b->problem.axes[i]) == 0 &&
               rft_value_equal(&a->problem.values[i], &b->problem.values[i]);
    }
    return same;
}

static int read_limit(const limits_reader *r, const json_t *object, rft_limit *out) {
    static const char *const keys[] = {"ceiling", "sustained", "sweep", "problem", "at_least", "at_most", "unit",
                                       "from",    "source",    "cache", "cards",   "spread",   "note"};
    static const char *const sources[] = {"tolerance", "contract", "datasheet"};
    size_t from = RFT_LIMIT_FROM_CONTRACT;
    double cards = 0.0;
    *out = (rft_limit){.value = NAN, .spread = NAN, .reading = NAN, .datasheet = NAN};
    if (!json_is_object(object)) {
        return refuse_limit(r, "", "{ ceiling = \"dram_read\", at_least = 4.5e12 }", "expected a table");
    }
    int rc = check_keys(r, object, keys, sizeof keys / sizeof *keys);
    if (rc == RFT_OK && !json_object_get(object, "ceiling") && !json_object_get(object, "sweep")) {
        rc = refuse_limit(r, "", "ceiling = \"dram_read\", or sweep = \"gemv\", problem = { n = 16384 }",
                          "what the limit is of is missing");
    }
    rc = rc ? rc : json_object_get(object, "ceiling") ? read_ceiling(r, object, out) : read_problem(r, object, out);
    rc = rc ? rc : read_amount(r, object, out);
    rc = rc ? rc : read_word(r, object, "from", sources, RFT_LIMIT_FROM_COUNT, &from);
    rc = rc ? rc : read_text(r, object, "source", &out->source);
    rc = rc ? rc : read_text(r, object, "cache", &out->cache);
    rc = rc ? rc : read_text(r, object, "note", &out->note);
    rc = rc ? rc : read_number(r, object, "cards", 1, CARDS_MOST, &cards);
    rc = rc ? rc : read_number(r, object, "spread", 1e-9, 1, &out->spread);
    out->from = from < RFT_LIMIT_FROM_COUNT ? (rft_limit_from)from : RFT_LIMIT_FROM_CONTRACT;
    out->cards = cards >= 1 ? (size_t)cards : 0;
    return rc;
}

static int read_limits(limits_reader *r, const json_t *list, rft_limits *out) {
    size_t count = json_array_size(list);
    int rc = RFT_OK;
    if (count < 1 || count > RFT_LIMITS_MOST) {
        return refuse_limit(r, "limits", "limits = { { ceiling = \"dram_read\", at_least = 4.5e12 }, ... }",
                            rft_arena_printf(r->arena, "expected a list of 1 to %d limits", RFT_LIMITS_MOST));
    }
    out->items = rft_arena_calloc(r->arena, count, sizeof *out->items);
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        r->at = rft_arena_printf(r->arena, "limits[%zu]", i + 1);
        rc = read_limit(r, json_array_get(list, i), &out->items[i]);
        for (size_t k = 0; k < i && rc == RFT_OK; k++) {
            if (same_figure(&out->items[i], &out->items[k])) {
                rc = refuse_limit(r, "", "leave one out",
                                  rft_arena_printf(r->arena, "limits[%zu] is of the same figure", k + 1));
            }
        }
    }
    out->count = count;
    return rc;
}

int rft_limits_read(rft_limits **out, const char *json, const char *path, rft_arena *arena, rft_err *err) {
    static const char *const keys[] = {"device", "name", "risk", "share", "confidence", "limits"};
    limits_reader r = {path, arena, err, ""};
    json_t *root = NULL;
    rft_limits *limits = rft_arena_calloc(arena, 1, sizeof *limits);
    *limits = (rft_limits){.risk = RFT_LIMITS_RISK, .share = RFT_LIMITS_SHARE, .confidence = RFT_LIMITS_CONFIDENCE};
    int rc = rft_json_parse(&root, json, strlen(json), path, err);
    if (rc == RFT_OK && (!json_is_object(root) || !json_object_get(root, "limits"))) {
        rc = refuse_limit(&r, "limits", "return { device = \"NVIDIA H200\", limits = { ... } }",
                          "the file does not return a table of limits");
    }
    rc = rc ? rc : check_keys(&r, root, keys, sizeof keys / sizeof *keys);
    rc = rc ? rc : read_text(&r, root, "device", &limits->device);
    if (rc == RFT_OK && !limits->device) {
        rc = refuse_limit(&r, "device", "device = \"NVIDIA H200\", as `rooftune devices` prints it",
                          "the device is missing");
    }
    rc = rc ? rc : read_text(&r, root, "name", &limits->name);
    rc = rc ? rc : read_number(&r, root, "risk", 1e-6, 0.5, &limits->risk);
    rc = rc ? rc : read_number(&r, root, "share", 0.5, 0.999999, &limits->share);
    rc = rc ? rc : read_number(&r, root, "confidence", 0.5, 0.999999, &limits->confidence);
    rc = rc ? rc : read_limits(&r, json_object_get(root, "limits"), limits);
    json_decref(root);
    *out = limits;
    return rc;
}
