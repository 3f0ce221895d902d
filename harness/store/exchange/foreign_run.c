/* SPDX-License-Identifier: Apache-2.0 */
#include "store/exchange/foreign_run.h"

#include "base/fs.h"
#include "base/hash.h"
#include "model/run/field.h"
#include "model/run/run_foreign.h"
#include "store/points.h"
#include "store/recording.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "a/convolution_A100.t4.json.gz" -> "convolution_A100" */
static const char *stem(rft_arena *arena, const char *what) {
    static const char *const endings[] = {".gz", ".json", ".t4", ".kt", ".ktt"};
    char *name = rft_arena_strdup(arena, rft_fs_name(what));
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t length = strlen(name), ending = strlen(endings[i]);
        if (length > ending && rft_text_ends(name, endings[i])) {
            name[length - ending] = '\0';
        }
    }
    return *name ? name : "recording";
}

static void describe(rft_run *run, const rft_exchange_file *file, const rft_foreign_origin *origin) {
    char hash[RFT_HASH_HEX_SIZE];
    rft_hash_hex(file->text, file->size, hash);
    run->info =
        (rft_run_info){.id = rft_arena_strndup(run->arena, hash, 12),
                       .tool_version = "none",
                       .tool_revision = "none",
                       .command = rft_arena_printf(run->arena, "not rooftune's: read from %s", rft_fs_name(file->what)),
                       .elapsed_s = NAN,
                       .busy_s = NAN,
                       .compile_s = NAN};
    const char *device = origin->device && *origin->device ? origin->device : NULL;
    run->gpu.name = device ? rft_arena_strdup(run->arena, device) : "device not recorded";
    run->gpu.arch = run->gpu.uuid = run->gpu.pci_id = "";
    rft_env_set(&run->env, run->arena, RFT_ENV_FOREIGN, origin->format, NULL);
    rft_env_set(&run->env, run->arena, "gpu.name", device, "the recording does not name its device");
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        run->ceilings.items[i] = rft_ceiling_none(RFT_FOREIGN_NO_CEILING);
    }
}

static void make_sweep(rft_run *run, const rft_exchange_file *file, const rft_foreign_origin *origin) {
    run->sweep_count = 1;
    run->sweeps = rft_arena_calloc(run->arena, 2, sizeof *run->sweeps);
    rft_sweep *sweep = &run->sweeps[0].sweep;
    *sweep = (rft_sweep){.name = stem(run->arena, file->what),
                         .path = rft_arena_strdup(run->arena, rft_fs_name(file->what)),
                         .script_hash = "",
                         .bare_space = true,
                         .diagnostic = -1,
                         .measure = RFT_MEASURE_OPTS_INIT,
                         .problem_count = 1,
                         .variant_count = 1};
    if (origin->kernel && *origin->kernel) {
        sweep->name = rft_arena_strdup(run->arena, origin->kernel);
    }
    sweep->measure.cache = RFT_CACHE_HOT; /* not flushed, as far as is known */
    sweep->search = (rft_search_opts){.strategy = "not recorded", .seed = 1};
    sweep->problems = rft_arena_calloc(run->arena, 2, sizeof *sweep->problems);
    sweep->variants = rft_arena_calloc(run->arena, 2, sizeof *sweep->variants);
    sweep->variants[0] = (rft_variant){.name = RFT_FOREIGN_SPACE, .kernel = sweep->name, .source = "", .entry = ""};
}

rft_run *rft_foreign_new(const rft_exchange_file *file, const rft_foreign_origin *origin, size_t point_count) {
    rft_run *run = rft_run_new();
    describe(run, file, origin);
    make_sweep(run, file, origin);
    run->point_count = point_count;
    run->points = rft_arena_calloc(run->arena, point_count + 1, sizeof *run->points);
    for (size_t i = 0; i < point_count; i++) {
        rft_point *point = &run->points[i];
        point->id = (int64_t)i + 1;
        point->prior = (double)NAN;
        point->facts = rft_facts_unknown();
        point->traffic = rft_traffic_unknown();
        rft_points_no_measurement(point);
    }
    return run;
}

void rft_foreign_params(rft_run *run, const rft_foreign_param *params, size_t count) {
    rft_variant *variant = &run->sweeps[0].sweep.variants[0];
    variant->param_count = count;
    variant->params = rft_arena_calloc(run->arena, count + 1, sizeof *variant->params);
    for (size_t i = 0; i < count; i++) {
        variant->params[i] = (rft_param){.name = rft_arena_strdup(run->arena, params[i].name),
                                         .help = "",
                                         .values = rft_values_copy(run->arena, params[i].values, params[i].value_count),
                                         .value_count = params[i].value_count};
    }
}

const char *rft_foreign_config(rft_run *run, rft_point *point, const json_t *object) {
    const rft_variant *variant = &run->sweeps[0].sweep.variants[0];
    const char *expected = rft_json_to_config(&point->config, variant, object, run->arena);
    for (size_t i = 0; !expected && i < variant->param_count; i++) {
        if (point->config[i].kind == RFT_VALUE_REAL) {
            if (!isfinite(point->config[i].as.real)) {
                return "a value for every parameter, none of them null";
            }
            point->config[i] = rft_value_real(point->config[i].as.real); /* 16.0 is 16 */
        }
    }
    return expected ? "an object with the same parameters as the first" : NULL;
}

/* ---- rates ---- */

/* Whole names, in small letters; of bits ("Gb/s") and of a watt ("GFLOPS/W") nothing is kept. */
static const struct {
    const char *name;
    bool bytes;
} rate_names[] = {{"flop/s", false}, {"flops/s", false}, {"flops", false}, {"byte/s", true}, {"bytes/s", true}};

static bool same_letters(const char *text, const char *small) {
    while (*text && tolower((unsigned char)*text) == *small) {
        text++;
        small++;
    }
    return *text == *small;
}

/* A prefix of SI, or of 1024 with an i behind it; *factor stays 1 without one. What is behind it. */
static const char *prefix_of(const char *name, double *factor) {
    static const char letters[] = "kMGTPE";
    const char *letter = *name ? strchr(letters, *name == 'K' ? 'k' : *name) : NULL;
    if (letter) {
        bool binary = name[1] == 'i';
        *factor = pow(binary ? 1024.0 : 1000.0, (double)(letter - letters + 1));
        name += binary ? 2 : 1;
    }
    return name;
}

void rft_foreign_rate(rft_foreign_times *times, const char *name, const json_t *value) {
    double factor = 1.0;
    const char *unit = prefix_of(name ? name : "", &factor);
    bool bytes = strcmp(unit, "B/s") == 0, known = bytes;
    for (size_t i = 0; i < sizeof rate_names / sizeof *rate_names && !known; i++) {
        known = same_letters(unit, rate_names[i].name);
        bytes = known && rate_names[i].bytes;
    }
    double rate = json_is_number(value) ? json_number_value(value) * factor : 0.0;
    double *to = bytes ? &times->bytes_s : &times->flop_s;
    if (known && *to == 0.0 && rate > 0.0 && rate <= RFT_NUMBER_MAX) {
        *to = rate;
    }
}

static void add_times(rft_point *point, const rft_foreign_times *times) {
    rft_measurement *m = &point->rounds[0];
    point->facts.compile_s = times->compile_s;
    m->samples_s = times->samples_s;
    m->n = times->n;
    m->stats = rft_stats_of(times->samples_s, times->n);
    m->stop = RFT_STOP_SAMPLES;
    m->cache = RFT_CACHE_HOT;
    m->recorded_s =
        times->time_s >= RFT_SAMPLE_MIN_S && times->time_s <= RFT_SAMPLE_MAX_S ? times->time_s : (double)NAN;
    m->recorded_flop_s = times->flop_s > 0.0 ? times->flop_s : (double)NAN;
    m->recorded_bytes_s = times->bytes_s > 0.0 ? times->bytes_s : (double)NAN;
    m->verify_s = times->verify_s;
    m->wall_s = times->verify_s + times->rest_s;
    for (size_t i = 0; i < times->n; i++) {
        m->wall_s += times->samples_s[i];
    }
}

void rft_foreign_measured(rft_point *point, const rft_foreign_times *times) {
    point->outcome = RFT_OUTCOME_OK;
    add_times(point, times);
}

void rft_foreign_failed(rft_point *point, rft_outcome outcome, const char *reason, const rft_foreign_times *times) {
    rft_foreign_times spent = *times;
    spent.samples_s = NULL;
    spent.n = 0;
    spent.time_s = spent.flop_s = spent.bytes_s = 0.0;
    add_times(point, &spent);
    point->outcome = outcome;
    point->reason = reason;
}

/* ---- dates ---- */

/* Days since 1970 of a proleptic Gregorian date (Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    int64_t era = year / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* `count` digits at *text, then one of the characters of `after` (which may be the end of the text). */
static bool digits(const char **text, int count, const char *after, int64_t *out) {
    *out = 0;
    for (int i = 0; i < count; i++) {
        if (!isdigit((unsigned char)(*text)[i])) {
            return false;
        }
        *out = *out * 10 + ((*text)[i] - '0');
    }
    *text += count;
    if (**text == '\0') {
        return after[0] == '\0' || strchr(after, '$') != NULL;
    }
    if (!strchr(after, **text)) {
        return false;
    }
    (*text)++;
    return true;
}

void rft_foreign_stamp(rft_run *run, const char *timestamp) {
    int64_t year, month, day, hour, minute, second;
    const char *at = timestamp ? timestamp : "";
    bool good = digits(&at, 4, "-", &year) && digits(&at, 2, "-", &month) && digits(&at, 2, "T ", &day) &&
                digits(&at, 2, ":", &hour) && digits(&at, 2, ":", &minute) && digits(&at, 2, "$.,+-Z", &second);
    if (!good || year < 1970 || year > 2200 || month < 1 || month > 12) {
        return;
    }
    int64_t seconds = ((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    int64_t unix_ns = seconds * 1000000000;
    rft_run_info *info = &run->info;
    info->started_unix_ns = info->started_unix_ns && info->started_unix_ns < unix_ns ? info->started_unix_ns : unix_ns;
    info->finished_unix_ns = info->finished_unix_ns > unix_ns ? info->finished_unix_ns : unix_ns;
}

/* ---- the space ---- */

static int compare_values(const void *left, const void *right) {
    const rft_value *a = left, *b = right;
    bool a_text = a->kind == RFT_VALUE_TEXT, b_text = b->kind == RFT_VALUE_TEXT;
    if (a_text || b_text) {
        return a_text && b_text ? strcmp(a->as.text, b->as.text) : a_text ? 1 : -1;
    }
    if (a->kind == RFT_VALUE_INT && b->kind == RFT_VALUE_INT) {
        return (a->as.integer > b->as.integer) - (a->as.integer < b->as.integer);
    }
    double x = rft_value_number(a), y = rft_value_number(b);
    return x != y ? (x > y) - (x < y) : (int)a->kind - (int)b->kind;
}

/* Sorted, each once. */
static size_t unique(rft_value *values, size_t count) {
    size_t kept = 0;
    qsort(values, count, sizeof *values, compare_values);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || !rft_value_equal(&values[kept - 1], &values[i])) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

static void finish_param(rft_run *run, rft_param *param, size_t index) {
    rft_value *seen = rft_calloc(run->point_count + 1, sizeof *seen);
    rft_value *declared = rft_calloc(param->value_count + 1, sizeof *declared);
    size_t declared_count = param->value_count;
    for (size_t i = 0; i < run->point_count; i++) {
        seen[i] = run->points[i].config[index];
    }
    size_t seen_count = unique(seen, run->point_count);
    if (declared_count > 0) {
        memcpy(declared, param->values, declared_count * sizeof *declared);
        declared_count = unique(declared, declared_count);
    }
    rft_value *values = rft_arena_calloc(run->arena, param->value_count + seen_count + 1, sizeof *values);
    /* A list that repeats a value is sorted: its own order would need a second look-up. */
    const rft_value *first = declared_count == param->value_count ? param->values : declared;
    size_t count = declared_count;
    if (count > 0) {
        memcpy(values, first, count * sizeof *values);
    }
    for (size_t i = 0; i < seen_count; i++) {
        if (!bsearch(&seen[i], declared, declared_count, sizeof *declared, compare_values)) {
            values[count++] = seen[i];
        }
    }
    param->values = values;
    param->value_count = count;
    param->default_value = count > 0 ? values[0] : rft_value_int(0);
    free(seen);
    free(declared);
}

void rft_foreign_finish(rft_run *run) {
    rft_run_sweep *of = &run->sweeps[0];
    rft_variant *variant = &of->sweep.variants[0];
    uint64_t cartesian = 1;
    for (size_t i = 0; i < variant->param_count; i++) {
        uint64_t count;
        finish_param(run, &variant->params[i], i);
        count = variant->params[i].value_count;
        cartesian = count && cartesian > UINT64_MAX / count ? UINT64_MAX : cartesian * count;
    }
    of->cartesian = rft_arena_calloc(run->arena, 1, sizeof *of->cartesian);
    of->valid = rft_arena_calloc(run->arena, 1, sizeof *of->valid);
    of->cartesian[0] = cartesian;
    of->valid[0] = run->point_count;
}
