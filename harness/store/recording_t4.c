/* SPDX-License-Identifier: Apache-2.0 */
/* recording_t4.c - points as results of the T4 format of the autotuning community: times in milliseconds, one result a
 * configuration. Axes stand beside the parameters, because T4 knows no problems. */
#include "store/points.h"
#include "store/recording.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

/* What T4 calls it when a configuration gave no time. */
static const char *invalidity(rft_outcome outcome) {
    switch (outcome) {
    case RFT_OUTCOME_OK:
    case RFT_OUTCOME_NOISY:
        return "correct";
    case RFT_OUTCOME_SKIPPED:
    case RFT_OUTCOME_SCRIPT_FAILED:
        return "constraints";
    case RFT_OUTCOME_COMPILE_FAILED:
        return "compile";
    case RFT_OUTCOME_WRONG_RESULT:
        return "correctness";
    case RFT_OUTCOME_TIMED_OUT:
        return "timeout";
    default:
        return "runtime";
    }
}

/* Whatever is computed here is computed from rounded numbers: what was read writes the same text again. */
static double rounded_ms(double seconds) {
    return rft_round_9_digits(seconds * 1e3);
}

static json_t *milliseconds(double seconds) {
    return rft_json_real_new(rounded_ms(seconds));
}

json_t *rft_t4_milliseconds(const double *seconds, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, milliseconds(seconds[i]));
    }
    return list;
}

/* Events tell milliseconds as float, which nine digits hold: the very number that was measured comes back, so that
 * equal medians are equal again and a replay makes the same choices. What is no float stays as it is written. */
static double measured_seconds(double ms) {
    double event_ms = ms < 1e30 ? (double)(float)ms : ms;
    bool is_near = fabs(event_ms - ms) <= 1e-8 * ms; /* else the text below is not worth its time */
    return is_near && rft_round_9_digits(event_ms) == ms ? event_ms * 1e-3 : ms / 1e3;
}

const char *rft_t4_seconds(double **out, size_t *count, const json_t *list, rft_arena *arena) {
    *out = NULL;
    *count = 0;
    if (!json_is_array(list)) {
        return "a list of milliseconds";
    }
    size_t size = json_array_size(list);
    double *seconds = size ? rft_arena_calloc(arena, size, sizeof *seconds) : NULL;
    for (size_t i = 0; i < size; i++) {
        const json_t *value = json_array_get(list, i);
        if (!json_is_number(value)) {
            return "a list of milliseconds";
        }
        seconds[i] = measured_seconds(json_number_value(value));
    }
    *out = seconds;
    *count = size;
    return NULL;
}

static json_t *configuration(const rft_sweep *sweep, const rft_point *point) {
    const rft_variant *variant = &sweep->variants[point->variant];
    const rft_value *problem = sweep->problems[point->problem].values;
    json_t *object = json_object();
    for (size_t i = 0; i < sweep->axis_count; i++) {
        json_object_set_new(object, sweep->axes[i].name, rft_json_of_value(&problem[i]));
    }
    json_t *config = rft_json_of_config(variant, point->config);
    json_object_update(object, config);
    json_decref(config);
    return object;
}

static json_t *times(const rft_point *point) {
    const rft_measurement *sweep = &point->rounds[0];
    bool timed = rft_points_has_round(point, 0);
    double verify_ms = timed ? rounded_ms(rft_round_9_digits(sweep->verify_s)) : 0.0;
    double rest_ms = timed ? rft_round_9_digits(sweep->wall_s) * 1e3 - verify_ms : 0.0;
    for (size_t i = 0; timed && i < sweep->n; i++) {
        rest_ms -= rounded_ms(sweep->samples_s[i]);
    }
    json_t *object = json_object();
    json_object_set_new(object, "compilation", milliseconds(rft_round_9_digits(point->facts.compile_s)));
    /* Warm-up, cache flushes and waiting. The search is not timed apart: T4 wants a number. */
    json_object_set_new(object, "framework", rft_json_real_new(rft_round_9_digits(fmax(0.0, rest_ms))));
    json_object_set_new(object, "search_algorithm", json_integer(0));
    json_object_set_new(object, "validation", rft_json_real_new(verify_ms));
    json_object_set_new(object, "runtimes", rft_t4_milliseconds(sweep->samples_s, timed ? sweep->n : 0));
    return object;
}

static double rounded_median_ms(const rft_measurement *measurement) {
    double *ms = rft_calloc(measurement->n + 1, sizeof *ms);
    for (size_t i = 0; i < measurement->n; i++) {
        ms[i] = rounded_ms(measurement->samples_s[i]);
    }
    double median_ms = rft_stats_of(ms, measurement->n).median;
    free(ms);
    return rft_round_9_digits(median_ms);
}

static void add_rate(json_t *measurements, const char *name, double rate) {
    if (isfinite(rate)) {
        json_array_append_new(measurements,
                              json_pack("{s:s, s:f, s:s}", "name", name, "value", rate / 1e9, "unit", name));
    }
}

json_t *rft_t4_of_point(const rft_run *run, const rft_point *point) {
    const rft_measurement *measurement = rft_point_measurement(point);
    char started[40];
    rft_units_format_iso(started, sizeof started, run->info.started_unix_ns);
    json_t *object = json_object();
    json_object_set_new(object, "timestamp", json_string(started));
    json_object_set_new(object, "configuration", configuration(&run->sweeps[point->sweep].sweep, point));
    json_object_set_new(object, "times", times(point));
    json_object_set_new(object, "invalidity", json_string(invalidity(point->outcome)));
    json_object_set_new(object, "correctness", json_integer(rft_outcome_is_measured(point->outcome) ? 1 : 0));
    json_t *measurements = json_array(), *objectives = json_array();
    if (measurement) {
        double recorded_s = measurement->recorded_s; /* another tuner's own */
        double time_ms = isfinite(recorded_s) ? rounded_ms(recorded_s) : rounded_median_ms(measurement);
        json_array_append_new(measurements, json_pack("{s:s, s:o, s:s}", "name", "time", "value",
                                                      rft_json_real_new(time_ms), "unit", "ms"));
        add_rate(measurements, "GFLOP/s", measurement->recorded_flop_s);
        add_rate(measurements, "GB/s", measurement->recorded_bytes_s);
        json_array_append_new(objectives, json_string("time"));
    }
    json_object_set_new(object, "measurements", measurements);
    json_object_set_new(object, "objectives", objectives);
    return object;
}

const char *rft_t4_to_point(const rft_run *run, rft_point *point, const json_t *result, const char **where) {
    const rft_variant *variant = &run->sweeps[point->sweep].sweep.variants[point->variant];
    rft_measurement *sweep = &point->rounds[0];
    *where = "configuration";
    const char *expected =
        rft_json_to_config(&point->config, variant, json_object_get(result, "configuration"), run->arena);
    if (!expected) {
        *where = "times.runtimes";
        const json_t *list = json_object_get(json_object_get(result, "times"), "runtimes");
        expected = rft_t4_seconds(&sweep->samples_s, &sweep->n, list, run->arena);
    }
    if (!expected) {
        sweep->stats = rft_stats_of(sweep->samples_s, sweep->n);
    }
    return expected;
}
