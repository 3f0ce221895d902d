/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"
#include "base/str.h"
#include "store/exchange/exchange.h"
#include "store/exchange/ktt_parts.h"
#include "store/points.h"
#include "store/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int rft_ktt_fail(rft_ktt_reader *r, const char *expected, const char *format, ...) {
    if (r->code) {
        return r->code;
    }
    char path[200];
    va_list args;
    va_start(args, format);
    rft_text_vformat(path, sizeof path, format, args);
    va_end(args);
    const rft_exchange_file file = {.what = r->what};
    r->code = rft_exchange_fail(&file, r->err, expected, "%s", path);
    rft_err_remedy(r->err, "the file is not as KTT writes it: let KTT save the results again");
    return r->code;
}

bool rft_ktt_is(const json_t *root) {
    return json_object_get(json_object_get(root, "Metadata"), "KttVersion") != NULL;
}

const char *rft_ktt_text(rft_ktt_reader *r, const json_t *object, const char *key, const char *path) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value) || json_string_length(value) > RFT_KTT_TEXT_MAX) {
        rft_ktt_fail(r, "a text of at most 4,096 bytes", "%s.%s", path, key);
        return "";
    }
    return rft_arena_strdup(r->run->arena, json_string_value(value));
}

/* ---- metadata ---- */

/* Days of the Gregorian calendar since 1970-01-01, after H. Hinnant's days_from_civil. */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    int64_t era = year / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "2024-04-19 22:17:16 UTC"; 0 = not recorded, which is also what any other form means. */
static int64_t unix_ns_of(const char *text) {
    static const char form[] = "dddd-dd-dd dd:dd:dd";
    int64_t fields[6] = {0};
    size_t field = 0;
    for (size_t i = 0; i + 1 < sizeof form; i++) {
        if (form[i] == 'd') {
            if (text[i] < '0' || text[i] > '9') {
                return 0;
            }
            fields[field] = fields[field] * 10 + (text[i] - '0');
        } else if (text[i] != form[i]) {
            return 0;
        } else {
            field++;
        }
    }
    bool real = fields[0] >= 1970 && fields[0] < 2200 && fields[1] >= 1 && fields[1] <= 12 && fields[2] >= 1 &&
                fields[2] <= 31 && fields[3] < 24 && fields[4] < 60 && fields[5] <= 60;
    int64_t seconds = days_of(fields[0], fields[1], fields[2]) * 86400 + fields[3] * 3600 + fields[4] * 60 + fields[5];
    return real ? seconds * 1000000000 : 0;
}

static void read_unit(rft_ktt_reader *r, const json_t *metadata) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"Nanoseconds", 1e-9}, {"Microseconds", 1e-6}, {"Milliseconds", 1e-3}, {"Seconds", 1.0}};
    const char *unit = rft_ktt_text(r, metadata, "TimeUnit", "Metadata");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        r->unit_s = strcmp(unit, units[i].name) == 0 ? units[i].seconds : r->unit_s;
    }
    if (!(r->unit_s > 0.0)) {
        rft_ktt_fail(r, "Nanoseconds, Microseconds, Milliseconds or Seconds", "Metadata.TimeUnit");
    }
}

static void read_metadata(rft_ktt_reader *r, const json_t *metadata) {
    rft_run *run = r->run;
    char digest[RFT_HASH_HEX_SIZE];
    size_t size = 0;
    char *text = rft_json_dump(metadata, &size);
    rft_hash_hex(text, size, digest);
    free(text);
    read_unit(r, metadata);
    const char *version = rft_ktt_text(r, metadata, "KttVersion", "Metadata");
    run->info = (rft_run_info){.id = rft_arena_strndup(run->arena, digest, 12),
                               .tool_version = rft_arena_printf(run->arena, "reading KTT %s", version),
                               .tool_revision = "unknown",
                               .command = "",
                               .elapsed_s = NAN,
                               .busy_s = NAN,
                               .compile_s = NAN};
    run->info.started_unix_ns = unix_ns_of(rft_json_text_or(metadata, "Timestamp", ""));
    run->info.finished_unix_ns = run->info.started_unix_ns;
    run->gpu =
        (rft_gpu_info){.name = rft_ktt_text(r, metadata, "Device", "Metadata"), .arch = "", .uuid = "", .pci_id = ""};
    const char *kind = rft_json_text_or(metadata, "GlobalSizeType", "OpenCL");
    r->in_blocks = strcmp(kind, "OpenCL") != 0;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        run->ceilings.items[id] = rft_ceiling_none("KTT measures no ceilings");
    }
    bool named = *run->gpu.name != '\0';
    rft_env_set(&run->env, run->arena, "gpu.name", named ? run->gpu.name : NULL,
                named ? NULL : "the recording does not name its device");
    run->gpu.name = named ? run->gpu.name : "device not recorded";
}

/* ---- points ---- */

static void read_status(rft_ktt_reader *r, rft_point *point, const json_t *result, size_t index) {
    static const struct {
        const char *name;
        rft_outcome outcome;
    } states[] = {{"Ok", RFT_OUTCOME_OK},
                  {"ComputationFailed", RFT_OUTCOME_LAUNCH_FAILED},
                  {"ValidationFailed", RFT_OUTCOME_WRONG_RESULT},
                  {"CompilationFailed", RFT_OUTCOME_COMPILE_FAILED},
                  {"DeviceLimitsExceeded", RFT_OUTCOME_SKIPPED}};
    const char *status = rft_json_text_or(result, "Status", "");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (strcmp(status, states[i].name) == 0) {
            point->outcome = states[i].outcome;
            point->reason = i ? rft_arena_printf(r->run->arena, "KTT says %s", status) : NULL;
            return;
        }
    }
    rft_ktt_fail(r, "Ok, ComputationFailed, ValidationFailed, CompilationFailed or DeviceLimitsExceeded",
                 "Results[%zu].Status", index);
}

static bool read_size(int64_t out[3], const json_t *object, int64_t most) {
    static const char *const axes[] = {"X", "Y", "Z"};
    for (int i = 0; i < 3; i++) {
        const json_t *value = json_object_get(object, axes[i]);
        out[i] = json_integer_value(value);
        if (!json_is_integer(value) || out[i] < 1 || out[i] > most) {
            return false;
        }
    }
    return true;
}

static void read_launch(const rft_ktt_reader *r, rft_point *point, const json_t *computation) {
    point->has_launch = read_size(point->grid, json_object_get(computation, "GlobalSize"), INT32_MAX) &&
                        read_size(point->block, json_object_get(computation, "LocalSize"), 1 << 20);
    for (int i = 0; i < 3 && point->has_launch && !r->in_blocks; i++) {
        point->has_launch = point->grid[i] % point->block[i] == 0;
        point->grid[i] /= point->block[i];
    }
    for (int i = 0; i < 3 && !point->has_launch; i++) {
        point->grid[i] = point->block[i] = 0;
    }
}

static bool to_size(int64_t *out, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value)) {
        *out = json_integer_value(value);
    }
    return !value || (json_is_integer(value) && *out >= 0 && *out <= INT32_MAX);
}

/* KTT's words are OpenCL's: its local memory is CUDA's shared, its private memory CUDA's local. */
static void read_facts(rft_ktt_reader *r, rft_point *point, const json_t *data, size_t index) {
    int64_t registers = -1, stack = -1, shared = -1;
    if (!to_size(&registers, data, "RegistersCount") || !to_size(&stack, data, "PrivateMemorySize") ||
        !to_size(&shared, data, "LocalMemorySize")) {
        rft_ktt_fail(r, "whole numbers from 0", "Results[%zu].ComputationResults[0].CompilationData", index);
        return;
    }
    point->facts.registers = (int)registers;
    point->facts.stack_bytes = (int)stack;
    point->facts.shared_static_bytes = shared;
}

static void read_time(rft_ktt_reader *r, rft_point *point, const json_t *result, size_t index) {
    const json_t *list = json_object_get(result, "ComputationResults"),
                 *total = json_object_get(result, "TotalDuration");
    double sum = 0.0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        sum += json_number_value(json_object_get(json_array_get(list, i), "Duration"));
    }
    double units = total ? json_number_value(total) : sum;
    if (!(units > 0.0) || !(units * r->unit_s < 1e6)) { /* 0 is also what no number is */
        rft_ktt_fail(r, "a positive time", "Results[%zu].TotalDuration", index);
        return;
    }
    rft_measurement *m = &point->rounds[0];
    m->samples_s = rft_arena_calloc(r->run->arena, 1, sizeof *m->samples_s);
    m->samples_s[0] = units * r->unit_s;
    m->n = 1;
    m->stats = rft_stats_of(m->samples_s, 1);
    m->stop = RFT_STOP_SAMPLES;
    m->cache = RFT_CACHE_HOT;
}

static void read_computation(rft_ktt_reader *r, rft_point *point, const json_t *computation, size_t index) {
    const json_t *profile = json_object_get(computation, "ProfilingData");
    const char *where = "", *expected = NULL;
    read_launch(r, point, computation);
    read_facts(r, point, json_object_get(computation, "CompilationData"), index);
    if (profile) {
        expected = rft_ktt_counters(point, json_object_get(profile, "Counters"), r->counted, r->run->arena, &where);
        r->counted = point->counters ? point : r->counted;
    }
    if (expected) {
        rft_ktt_fail(r, expected, "Results[%zu].ComputationResults[0].ProfilingData.%s", index, where);
    }
}

static void read_point(rft_ktt_reader *r, const json_t *result, size_t index) {
    rft_point *point = &r->run->points[index];
    if (!json_is_object(result)) {
        rft_ktt_fail(r, "an object", "Results[%zu]", index);
        return;
    }
    *point = (rft_point){
        .id = (int64_t)index + 1, .prior = (double)NAN, .facts = rft_facts_unknown(), .traffic = rft_traffic_unknown()};
    rft_points_no_measurement(point);
    point->sweep = rft_ktt_sweep_of(r, result, index);
    read_status(r, point, result, index);
    if (r->code) {
        return;
    }
    const json_t *list = json_object_get(result, "ComputationResults");
    rft_ktt_config(r, point, json_object_get(result, "Configuration"), index);
    if (list && !json_is_array(list)) {
        rft_ktt_fail(r, "a list", "Results[%zu].ComputationResults", index);
    } else if (json_array_size(list) == 1) { /* counters and facts of several launches are of none of them */
        read_computation(r, point, json_array_get(list, 0), index);
    }
    if (!r->code && rft_outcome_is_measured(point->outcome)) {
        read_time(r, point, result, index);
    }
}

static void read_points(rft_ktt_reader *r, const json_t *results) {
    size_t count = json_array_size(results);
    if (!json_is_array(results) || count > RFT_RECORDING_MAX_POINTS) {
        rft_ktt_fail(r, "a list of at most a million", "Results");
        return;
    }
    rft_run *run = r->run;
    run->sweeps = rft_arena_calloc(run->arena, RFT_KTT_SWEEPS_MAX, sizeof *run->sweeps);
    run->points = rft_arena_calloc(run->arena, count + 1, sizeof *run->points);
    for (size_t i = 0; i < count && !r->code; i++) {
        run->point_count = i + 1;
        read_point(r, json_array_get(results, i), i);
    }
    for (size_t s = 0; s < run->sweep_count && !r->code; s++) {
        rft_ktt_gather_values(run, s);
    }
}

int rft_ktt_read(rft_run **out, const json_t *root, const char *what, rft_err *err) {
    rft_ktt_reader r = {.run = rft_run_new(), .what = what, .err = err};
    read_metadata(&r, json_object_get(root, "Metadata"));
    if (!r.code) {
        read_points(&r, json_object_get(root, "Results"));
    }
    *out = NULL;
    if (r.code) {
        rft_run_free(r.run);
    } else {
        *out = r.run;
    }
    return r.code;
}
