/* SPDX-License-Identifier: Apache-2.0 */
/* exchange_kt_read.c - cache files of Kernel Tuner (kernel_tuner/util.py, process_cache() and store_cache()): an object
 * with the space, and an entry for every configuration under the comma-separated text of its values. */
#include "store/exchange/foreign_run.h"
#include "store/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct kt {
    const rft_exchange_file *file;
    rft_run *run;
    rft_err *err;
} kt;

static int read_values(kt *k, rft_foreign_param *param) {
    const json_t *lists = json_object_get(k->file->root, "tune_params");
    const json_t *list = json_object_get(lists, param->name);
    rft_value *values = NULL;
    if (list == NULL && !lists) {
        return 0; /* caches of before 2020 have the keys alone */
    }
    const char *expected = rft_json_to_values(&values, &param->value_count, list, k->run->arena);
    for (size_t i = 0; !expected && i < param->value_count; i++) {
        if (values[i].kind == RFT_VALUE_REAL && !isfinite(values[i].as.real)) {
            expected = "a list of values, none of them null";
        } else if (values[i].kind == RFT_VALUE_REAL) {
            values[i] = rft_value_real(values[i].as.real);
        }
    }
    param->values = values;
    return expected ? rft_exchange_fail(k->file, k->err, expected, "tune_params.%s", param->name) : 0;
}

static int read_params(kt *k) {
    const json_t *keys = json_object_get(k->file->root, "tune_params_keys");
    size_t count = json_array_size(keys);
    int code = 0;
    if (count == 0 || count > RFT_RECORDING_MAX_ENTRIES) {
        return rft_exchange_fail(k->file, k->err, "a list of 1 to 10,000 names", "tune_params_keys");
    }
    rft_foreign_param *params = rft_arena_calloc(k->run->arena, count, sizeof *params);
    for (size_t i = 0; i < count && !code; i++) {
        params[i].name = json_string_value(json_array_get(keys, i));
        code = params[i].name ? read_values(k, &params[i])
                              : rft_exchange_fail(k->file, k->err, "a name", "tune_params_keys[%zu]", i);
    }
    if (!code) {
        rft_foreign_params(k->run, params, count);
    }
    return code;
}

/* ---- entries ---- */

static bool outcome_of(rft_outcome *out, const char *failure) {
    static const struct {
        const char *name;
        rft_outcome outcome;
    } kinds[] = {{"CompilationFailedConfig", RFT_OUTCOME_COMPILE_FAILED},
                 {"RuntimeFailedConfig", RFT_OUTCOME_LAUNCH_FAILED},
                 {"InvalidConfig", RFT_OUTCOME_SKIPPED},
                 {"ErrorConfig", RFT_OUTCOME_LAUNCH_FAILED}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, failure) == 0) {
            *out = kinds[i].outcome;
            return true;
        }
    }
    return false;
}

/* The text in place of a number: Kernel Tuner puts it under the objective's name, since 1.1 under "__error__". */
static const char *failure_of(const json_t *entry, rft_outcome *outcome) {
    json_t *object = (json_t *)(uintptr_t)entry; /* jansson's iterators take no const */
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        const char *text = json_string_value(json_object_iter_value(at));
        if (text && outcome_of(outcome, text)) {
            return text;
        }
    }
    return NULL;
}

/* Milliseconds of the entry, 0 where they are left out. False: there, and no number from 0. */
static bool seconds_of(double *out_s, const json_t *entry, const char *name) {
    const json_t *value = json_object_get(entry, name);
    *out_s = value ? json_number_value(value) / 1e3 : 0.0;
    return value == NULL || json_is_null(value) || (json_is_number(value) && *out_s >= 0 && *out_s <= RFT_SAMPLE_MAX_S);
}

static int read_spent(kt *k, const char *key, const json_t *entry, rft_foreign_times *out) {
    static const char *const names[] = {"compile_time", "verification_time", "benchmark_time", "strategy_time",
                                        "framework_time"};
    double seconds[5];
    for (size_t i = 0; i < 5; i++) {
        if (!seconds_of(&seconds[i], entry, names[i])) {
            return rft_exchange_fail(k->file, k->err, "a number from 0", "cache[\"%.80s\"].%s", key, names[i]);
        }
    }
    out->compile_s = json_object_get(entry, "compile_time") ? seconds[0] : (double)NAN;
    out->verify_s = seconds[1];
    out->rest_s = seconds[2] + seconds[3] + seconds[4];
    return 0;
}

/* The single runs, or else their mean as the one sample. */
static int read_samples(kt *k, const char *key, const json_t *entry, rft_foreign_times *out) {
    const json_t *list = json_object_get(entry, "times"), *mean = json_object_get(entry, "time");
    size_t count = json_array_size(list);
    out->n = count ? count : 1;
    out->samples_s = rft_arena_calloc(k->run->arena, out->n, sizeof *out->samples_s);
    for (size_t i = 0; i < out->n; i++) {
        const json_t *value = count ? json_array_get(list, i) : mean;
        out->samples_s[i] = json_number_value(value) / 1e3;
        if (!json_is_number(value) || !(out->samples_s[i] >= 0 && out->samples_s[i] <= RFT_SAMPLE_MAX_S)) {
            return rft_exchange_fail(k->file, k->err, "milliseconds from 0, or the kind of a failure",
                                     "cache[\"%.80s\"].%s", key, count ? "times" : "time");
        }
        /* benchmark_time has the runs in it, which add_times() adds again */
        out->rest_s = count ? fmax(0.0, out->rest_s - out->samples_s[i]) : out->rest_s;
    }
    return 0;
}

static void read_rates(const json_t *entry, rft_foreign_times *out) {
    out->time_s = json_number_value(json_object_get(entry, "time")) / 1e3;
    json_t *object = (json_t *)(uintptr_t)entry; /* as above */
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        rft_foreign_rate(out, json_object_iter_key(at), json_object_iter_value(at));
    }
}

static int read_entry(kt *k, rft_point *point, const char *key, const json_t *entry) {
    rft_foreign_times times = {.compile_s = NAN};
    rft_outcome outcome = RFT_OUTCOME_OK;
    const char *expected = rft_foreign_config(k->run, point, entry);
    if (expected) {
        return rft_exchange_fail(k->file, k->err, "an object with every parameter", "cache[\"%.80s\"]", key);
    }
    int code = read_spent(k, key, entry, &times);
    if (code) {
        return code;
    }
    rft_foreign_stamp(k->run, json_string_value(json_object_get(entry, "timestamp")));
    const char *failure = failure_of(entry, &outcome);
    if (failure) {
        rft_foreign_failed(point, outcome, rft_arena_printf(k->run->arena, "the recording says: %s", failure), &times);
        return 0;
    }
    code = read_samples(k, key, entry, &times);
    if (!code) {
        read_rates(entry, &times);
        rft_foreign_measured(point, &times);
    }
    return code;
}

static void add_facts(kt *k) {
    const json_t *size = json_object_get(k->file->root, "problem_size");
    const char *objective = json_string_value(json_object_get(k->file->root, "objective"));
    if (size) {
        char *text = rft_json_dump(size, NULL);
        rft_env_set(&k->run->env, k->run->arena, "recording.problem_size", text, NULL);
        free(text);
    }
    if (objective) {
        rft_env_set(&k->run->env, k->run->arena, "recording.objective", objective, NULL);
    }
    if (k->file->mended) {
        k->run->sweeps[0].unexplored = "the tuner was stopped: its cache file has no end";
    }
}

int rft_exchange_read_kt(rft_run **out, const rft_exchange_file *file, rft_err *err) {
    json_t *cache = json_object_get(file->root, "cache");
    size_t count = json_object_size(cache), index = 0;
    kt k = {.file = file, .err = err};
    *out = NULL;
    if (!json_is_object(cache) || count == 0 || count > RFT_RECORDING_MAX_POINTS) {
        return rft_exchange_fail(file, err, "an object of 1 to a million configurations", "cache");
    }
    rft_foreign_origin origin = {.format = "a Kernel Tuner cache",
                                 .kernel = json_string_value(json_object_get(file->root, "kernel_name")),
                                 .device = json_string_value(json_object_get(file->root, "device_name"))};
    k.run = rft_foreign_new(file, &origin, count);
    int code = read_params(&k);
    for (void *at = json_object_iter(cache); at && !code; at = json_object_iter_next(cache, at)) {
        code = read_entry(&k, &k.run->points[index++], json_object_iter_key(at), json_object_iter_value(at));
    }
    if (code) {
        rft_run_free(k.run);
        return code;
    }
    add_facts(&k);
    rft_foreign_finish(k.run);
    *out = k.run;
    return 0;
}
