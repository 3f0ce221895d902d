/* SPDX-License-Identifier: Apache-2.0 */
/* exchange_t4_read.c - T4 JSON without a rooftune section: files of other tuners, as the schema has them and as the hub
 * of the autotuning community really spells them ("miliseconds", times.compilation for times.compilation_time). */
#include "store/exchange/foreign_run.h"
#include "store/recording.h"

#include <math.h>
#include <string.h>

typedef struct t4 {
    const rft_exchange_file *file;
    rft_run *run;
    double per_second; /* of the unit of all times, unless a measurement says otherwise */
    rft_err *err;
} t4;

static bool unit_of(double *per_second, const char *name) {
    static const struct {
        const char *name;
        double per_second;
    } units[] = {{"miliseconds", 1e3},  {"milliseconds", 1e3}, {"ms", 1e3},          {"seconds", 1}, {"s", 1},
                 {"microseconds", 1e6}, {"us", 1e6},           {"nanoseconds", 1e9}, {"ns", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].name, name) == 0) {
            *per_second = units[i].per_second;
            return true;
        }
    }
    return false;
}

static bool outcome_of(rft_outcome *out, const char *invalidity) {
    static const struct {
        const char *name;
        rft_outcome outcome;
    } kinds[] = {{"correct", RFT_OUTCOME_OK},
                 {"timeout", RFT_OUTCOME_TIMED_OUT},
                 {"compile", RFT_OUTCOME_COMPILE_FAILED},
                 {"runtime", RFT_OUTCOME_LAUNCH_FAILED},
                 {"correctness", RFT_OUTCOME_WRONG_RESULT},
                 {"constraints", RFT_OUTCOME_SKIPPED}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, invalidity) == 0) {
            *out = kinds[i].outcome;
            return true;
        }
    }
    return false;
}

/* A time that may be left out: NaN. False: it is there, and is no number from 0. */
static bool time_of(double *out_s, const json_t *times, const char *name, double per_second) {
    const json_t *value = json_object_get(times, name);
    *out_s = NAN;
    if (value == NULL || json_is_null(value)) {
        return true;
    }
    *out_s = json_is_number(value) ? json_number_value(value) / per_second : (double)NAN;
    return *out_s >= 0 && *out_s <= RFT_SAMPLE_MAX_S;
}

static double or_zero(double value) {
    return isnan(value) ? 0.0 : value;
}

static int read_times(t4 *t, size_t index, const json_t *times, rft_foreign_times *out) {
    static const char *const names[] = {"compilation", "compilation_time", "validation", "framework",
                                        "search_algorithm"};
    double seconds[5];
    if (times != NULL && !json_is_object(times)) {
        return rft_exchange_fail(t->file, t->err, "an object", "results[%zu].times", index);
    }
    for (size_t i = 0; i < 5; i++) {
        if (!time_of(&seconds[i], times, names[i], t->per_second)) {
            return rft_exchange_fail(t->file, t->err, "a time from 0 to a billion seconds, or null",
                                     "results[%zu].times.%s", index, names[i]);
        }
    }
    out->compile_s = isnan(seconds[0]) ? seconds[1] : seconds[0];
    out->verify_s = or_zero(seconds[2]);
    out->rest_s = or_zero(seconds[3]) + or_zero(seconds[4]);
    const json_t *runtimes = json_object_get(times, "runtimes");
    if (runtimes == NULL || json_is_null(runtimes)) {
        return 0;
    }
    out->n = json_array_size(runtimes);
    out->samples_s = rft_arena_calloc(t->run->arena, out->n + 1, sizeof *out->samples_s);
    for (size_t i = 0; i < out->n; i++) {
        const json_t *value = json_array_get(runtimes, i);
        out->samples_s[i] = json_number_value(value) / t->per_second;
        if (!json_is_number(value) || !(out->samples_s[i] >= 0 && out->samples_s[i] <= RFT_SAMPLE_MAX_S)) {
            return rft_exchange_fail(t->file, t->err, "a time from 0 to a billion seconds",
                                     "results[%zu].times.runtimes[%zu]", index, i);
        }
    }
    return json_is_array(runtimes)
               ? 0
               : rft_exchange_fail(t->file, t->err, "a list of times", "results[%zu].times.runtimes", index);
}

/* Where the single runs are not there, the measurement named `time` is the one sample. */
static int read_measurement(t4 *t, size_t index, const json_t *result, rft_foreign_times *out) {
    const json_t *list = json_object_get(result, "measurements");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i), *value = json_object_get(item, "value");
        const char *name = json_string_value(json_object_get(item, "name"));
        const char *unit = json_string_value(json_object_get(item, "unit"));
        double per_second = t->per_second;
        if (!name || strcmp(name, "time") != 0) {
            continue;
        }
        if (unit && *unit && !unit_of(&per_second, unit)) {
            return rft_exchange_fail(t->file, t->err, "a unit of time", "results[%zu].measurements[%zu].unit", index,
                                     i);
        }
        if (!json_is_number(value) ||
            !(json_number_value(value) >= 0 && json_number_value(value) / per_second <= RFT_SAMPLE_MAX_S)) {
            return rft_exchange_fail(t->file, t->err, "a time", "results[%zu].measurements[%zu].value", index, i);
        }
        out->samples_s = rft_arena_calloc(t->run->arena, 1, sizeof *out->samples_s);
        out->samples_s[0] = json_number_value(value) / per_second;
        out->n = 1;
        return 0;
    }
    return rft_exchange_fail(t->file, t->err, "times.runtimes, or a measurement named \"time\"", "results[%zu]", index);
}

/* Of a measurement either its name or its unit says that it is a rate. */
static void read_rates(const t4 *t, const json_t *result, rft_foreign_times *out) {
    const json_t *list = json_object_get(result, "measurements");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i), *value = json_object_get(item, "value");
        const char *name = json_string_value(json_object_get(item, "name"));
        const char *unit = json_string_value(json_object_get(item, "unit"));
        double per_second = t->per_second;
        if (name && strcmp(name, "time") == 0 && (!unit || !*unit || unit_of(&per_second, unit))) {
            out->time_s = json_number_value(value) / per_second;
        }
        rft_foreign_rate(out, name, value);
        rft_foreign_rate(out, unit, value);
    }
}

/* "the recording says: compile (CompilationFailedConfig)" */
static const char *reason_of(t4 *t, const char *invalidity, const json_t *result) {
    const json_t *list = json_object_get(result, "measurements");
    const char *more = NULL;
    for (size_t i = 0; i < json_array_size(list) && !more; i++) {
        more = json_string_value(json_object_get(json_array_get(list, i), "value"));
    }
    return rft_arena_printf(t->run->arena, "the recording says: %s%s%s%s", invalidity, more ? " (" : "",
                            more ? more : "", more ? ")" : "");
}

static int read_result(t4 *t, size_t index, const json_t *result) {
    rft_point *point = &t->run->points[index];
    rft_foreign_times times = {.compile_s = NAN};
    rft_outcome outcome = RFT_OUTCOME_OK;
    const char *expected = rft_foreign_config(t->run, point, json_object_get(result, "configuration"));
    if (expected) {
        return rft_exchange_fail(t->file, t->err, expected, "results[%zu].configuration", index);
    }
    const char *invalidity = json_string_value(json_object_get(result, "invalidity"));
    if (!invalidity || !outcome_of(&outcome, invalidity)) {
        return rft_exchange_fail(t->file, t->err, "correct, timeout, compile, runtime, correctness or constraints",
                                 "results[%zu].invalidity", index);
    }
    int code = read_times(t, index, json_object_get(result, "times"), &times);
    if (!code && outcome == RFT_OUTCOME_OK && times.n == 0) {
        code = read_measurement(t, index, result, &times);
    }
    if (!code && outcome == RFT_OUTCOME_OK) {
        read_rates(t, result, &times);
        rft_foreign_measured(point, &times);
    } else if (!code) {
        rft_foreign_failed(point, outcome, reason_of(t, invalidity, result), &times);
    }
    rft_foreign_stamp(t->run, json_string_value(json_object_get(result, "timestamp")));
    return code;
}

static int read_params(t4 *t, const json_t *configuration) {
    json_t *object = (json_t *)(uintptr_t)configuration; /* jansson's iterators take no const */
    size_t count = 0, size = json_object_size(object);
    if (!json_is_object(object) || size == 0 || size > RFT_RECORDING_MAX_ENTRIES) {
        return rft_exchange_fail(t->file, t->err, "an object of 1 to 10,000 parameters", "results[0].configuration");
    }
    rft_foreign_param *params = rft_arena_calloc(t->run->arena, size, sizeof *params);
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        params[count++].name = json_object_iter_key(at);
    }
    rft_foreign_params(t->run, params, count);
    return 0;
}

static int read_unit(t4 *t) {
    const json_t *unit = json_object_get(json_object_get(t->file->root, "metadata"), "timeunit");
    t->per_second = 1e3; /* what the schema says */
    if (unit && (!json_is_string(unit) || !unit_of(&t->per_second, json_string_value(unit)))) {
        return rft_exchange_fail(t->file, t->err, "a unit of time such as \"milliseconds\"", "metadata.timeunit");
    }
    return 0;
}

int rft_exchange_read_t4(rft_run **out, const rft_exchange_file *file, rft_err *err) {
    const json_t *results = json_object_get(file->root, "results");
    size_t count = json_array_size(results);
    t4 t = {.file = file, .err = err};
    *out = NULL;
    if (count == 0 || count > RFT_RECORDING_MAX_POINTS) {
        return rft_exchange_fail(file, err, "a list of 1 to a million results (and no rooftune section says more)",
                                 "results");
    }
    const json_t *metadata = json_object_get(file->root, "metadata");
    rft_foreign_origin origin = {.format = "T4", .device = json_string_value(json_object_get(metadata, "device_name"))};
    t.run = rft_foreign_new(file, &origin, count);
    int code = read_unit(&t);
    code = code ? code : read_params(&t, json_object_get(json_array_get(results, 0), "configuration"));
    for (size_t i = 0; i < count && !code; i++) {
        code = read_result(&t, i, json_array_get(results, i));
    }
    if (code) {
        rft_run_free(t.run);
        return code;
    }
    rft_foreign_finish(t.run);
    *out = t.run;
    return 0;
}
