/* SPDX-License-Identifier: Apache-2.0 */
/* exchange_write.c - one space of a run for other programs: plain T4, or a cache file that Kernel Tuner's simulation
 * mode loads. What rooftune knows beyond them stays behind; a recording (recording_write.c) keeps it. */
#include "store/points.h"
#include "store/recording.h"

#include "base/fs.h"
#include "base/units.h"
#include "model/run/run_foreign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_picked(const rft_exchange_pick *pick, const rft_point *point) {
    return point->sweep == pick->sweep && point->variant == pick->variant && point->problem == pick->problem &&
           point->outcome != RFT_OUTCOME_NOT_RECORDED;
}

static void add_json(rft_str *out, json_t *value) {
    char *text = rft_json_dump(value, NULL);
    rft_str_add(out, text);
    free(text);
    json_decref(value);
}

static void set_device(json_t *head, const rft_run *run) {
    const char *device = rft_run_device(run);
    if (device) {
        json_object_set_new(head, "device_name", json_string(device));
    }
}

static size_t t4_text(const rft_run *run, const rft_exchange_pick *pick, rft_str *out) {
    size_t count = 0;
    json_t *metadata = json_pack("{s:s, s:s}", "timeunit", "milliseconds", "generator", "rooftune");
    set_device(metadata, run);
    rft_str_add(out, "{\"schema_version\":\"1.0.0\",\"metadata\":");
    add_json(out, metadata);
    rft_str_add(out, ",\n\"results\":[");
    for (size_t i = 0; i < run->point_count; i++) {
        rft_point point = run->points[i];
        if (is_picked(pick, &point)) {
            point.alias_of = 0; /* here it stands alone, with the numbers that it shares */
            rft_str_add(out, count++ ? ",\n" : "\n");
            add_json(out, rft_t4_of_point(run, &point));
        }
    }
    rft_str_add(out, "\n]}\n");
    return count;
}

/* ---- Kernel Tuner ---- */

/* str() of Python: what the key of an entry is made of, and what simulation mode looks up. */
static void add_python(rft_str *out, const rft_value *value) {
    if (value->kind == RFT_VALUE_BOOL) {
        rft_str_add(out, value->as.integer ? "True" : "False");
    } else if (value->kind == RFT_VALUE_TEXT) {
        rft_str_add(out, value->as.text);
    } else {
        rft_value_format(out, value);
    }
}

static double ms_of(double seconds) {
    return isfinite(seconds) ? rft_round_9_digits(rft_round_9_digits(seconds) * 1e3) : 0.0;
}

static const char *failure_of(rft_outcome outcome) {
    switch (outcome) {
    case RFT_OUTCOME_COMPILE_FAILED:
        return "CompilationFailedConfig";
    case RFT_OUTCOME_SKIPPED:
    case RFT_OUTCOME_SCRIPT_FAILED:
        return "InvalidConfig";
    default:
        return "RuntimeFailedConfig";
    }
}

static void set_rate(json_t *entry, const char *name, double rate) {
    if (isfinite(rate)) {
        json_object_set_new(entry, name, json_real(rate / 1e9));
    }
}

static json_t *kt_entry(const rft_run *run, const rft_variant *variant, const rft_point *point) {
    const rft_measurement *sweep = &point->rounds[0];
    json_t *entry = rft_json_of_config(variant, point->config);
    char stamp[40];
    rft_units_format_iso(stamp, sizeof stamp, run->info.started_unix_ns);
    if (rft_outcome_is_measured(point->outcome)) {
        double time_s = isfinite(sweep->recorded_s) ? sweep->recorded_s : rft_point_median_s(point);
        json_object_set_new(entry, "time", rft_json_real_new(ms_of(time_s)));
        json_object_set_new(entry, "times", rft_t4_milliseconds(sweep->samples_s, sweep->n));
        set_rate(entry, "GFLOP/s", sweep->recorded_flop_s);
        set_rate(entry, "GB/s", sweep->recorded_bytes_s);
    } else {
        json_object_set_new(entry, "time", json_string(failure_of(point->outcome)));
    }
    json_object_set_new(entry, "compile_time", json_real(ms_of(point->facts.compile_s)));
    json_object_set_new(entry, "verification_time", json_real(ms_of(sweep->verify_s)));
    json_object_set_new(entry, "benchmark_time", json_real(ms_of(fmax(0.0, sweep->wall_s - sweep->verify_s))));
    json_object_set_new(entry, "strategy_time", json_integer(0));
    json_object_set_new(entry, "framework_time", json_integer(0));
    json_object_set_new(entry, "timestamp", json_string(stamp));
    return entry;
}

/* Of the problem's axes; of a cache that was read, what it had. NULL: it is not said, and Kernel Tuner then does not
 * ask.
 */
static json_t *problem_size(const rft_run *run, const rft_exchange_pick *pick) {
    const rft_sweep *sweep = &run->sweeps[pick->sweep].sweep;
    const char *recorded = rft_env_value(&run->env, "recording.problem_size");
    if (sweep->axis_count > 0) {
        return rft_json_of_values(sweep->problems[pick->problem].values, sweep->axis_count);
    }
    json_t *read = NULL;
    bool scalar = recorded && !strchr("[{", recorded[strspn(recorded, " \t\r\n")]);
    if (scalar) {
        read = json_loads(recorded, JSON_DECODE_ANY, NULL);
    } else if (recorded) {
        (void)rft_json_parse(&read, recorded, strlen(recorded), "recording.problem_size", NULL);
    }
    return read;
}

static json_t *kt_head(const rft_run *run, const rft_exchange_pick *pick) {
    const rft_sweep *sweep = &run->sweeps[pick->sweep].sweep;
    const rft_variant *variant = &sweep->variants[pick->variant];
    json_t *head = json_object(), *keys = json_array(), *params = json_object();
    json_t *size = problem_size(run, pick);
    for (size_t i = 0; i < variant->param_count; i++) {
        const rft_param *param = &variant->params[i];
        json_array_append_new(keys, json_string(param->name));
        json_object_set_new(params, param->name, rft_json_of_values(param->values, param->value_count));
    }
    set_device(head, run);
    json_object_set_new(head, "kernel_name", json_string(variant->kernel));
    if (size) {
        json_object_set_new(head, "problem_size", size);
    }
    json_object_set_new(head, "tune_params_keys", keys);
    json_object_set_new(head, "tune_params", params);
    json_object_set_new(head, "objective", json_string("time"));
    return head;
}

static size_t kt_text(const rft_run *run, const rft_exchange_pick *pick, rft_str *out) {
    const rft_variant *variant = &run->sweeps[pick->sweep].sweep.variants[pick->variant];
    size_t count = 0;
    rft_str key = RFT_STR_INIT;
    add_json(out, kt_head(run, pick));
    rft_str_truncate(out, out->length - 1); /* the brace */
    rft_str_add(out, ",\n\"cache\":{");
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (!is_picked(pick, point)) {
            continue;
        }
        rft_str_truncate(&key, 0);
        for (size_t p = 0; p < variant->param_count; p++) {
            rft_str_add(&key, p ? "," : "");
            add_python(&key, &point->config[p]);
        }
        rft_str_add(out, count++ ? ",\n" : "\n");
        add_json(out, json_string(rft_str_get(&key)));
        rft_str_add(out, ": ");
        add_json(out, kt_entry(run, variant, point));
    }
    rft_str_add(out, "}\n}"); /* as Kernel Tuner ends a closed file: it looks at the last three characters */
    rft_str_clear(&key);
    return count;
}

int rft_exchange_write(const rft_run *run, const rft_exchange_pick *pick, rft_exchange_kind kind, const char *path,
                       size_t *count, rft_err *err) {
    rft_str text = RFT_STR_INIT;
    *count = kind == RFT_EXCHANGE_KT ? kt_text(run, pick, &text) : t4_text(run, pick, &text);
    int code = 0;
    if (*count == 0) {
        rft_err_set(err, RFT_E_NOT_FOUND, "no point of this space was measured: there is nothing to export");
        code = rft_err_remedy(err, "`rooftune show` says what became of them");
    } else if (rft_text_ends(path, ".gz")) {
        code = rft_fs_write_gzip(path, rft_str_get(&text), text.length, err);
    } else {
        code = rft_fs_write_atomic(path, rft_str_get(&text), text.length, err);
    }
    rft_str_clear(&text);
    return code;
}
