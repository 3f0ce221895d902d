/* SPDX-License-Identifier: Apache-2.0 */
/* ncu_import.c - Nsight Compute's counts of a point into a run (docs/counters.md): which launches of the file are the
 * point's, and what their metrics are of our quantities. */
#include "store/exchange/ncu_csv.h"
#include "store/store.h"

#include "base/fs.h"
#include "base/plain.h"
#include "base/str.h"
#include "model/roofline/counted.h"
#include "model/run/counter_metrics.h"
#include "model/sweep/kernel_name.h"

#include <math.h>
#include <string.h>

#define METRICS_MAX 256
#define SHOWN_KERNELS 6
#define FILE_NAME_MAX 120 /* bytes */

#define NO_VALUE "Nsight Compute has no value for it"
#define NO_AVERAGE "an average of each launch alone; the point has several"
#define NOT_WARM "profiled from flushed caches, and the point is measured with what the run before left in them"
#define NOT_TOGETHER "each launch was profiled alone, from flushed caches, not from what the one before left in them"

/* Beside the metrics of our quantities. */
#define REGISTERS "launch__registers_per_thread"
#define PASSES "profiler__replayer_passes"

typedef struct ncu_import {
    rft_run *run;
    rft_point *point;
    const rft_variant *variant;
    const char *what;
    rft_arena *arena;
    rft_err *err;
    const char *metrics[METRICS_MAX];
    size_t metric_count;
    rft_ncu_file file;
    const char **kernels; /* of the point's launches, in their order */
    size_t launch_count;
    const rft_ncu_launch *launches; /* the point's, once found: launch_count of the file */
    rft_ncu_taken *out;
} ncu_import;

static int refuse_import(const ncu_import *im, int code, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static int refuse_import(const ncu_import *im, int code, const char *remedy, const char *format, ...) {
    va_list args;
    va_start(args, format);
    rft_err_setv(im->err, code, format, args);
    va_end(args);
    rft_err_place(im->err, "%s", im->what);
    rft_err_remedy(im->err, "%s", remedy);
    return code;
}

/* ---- what is looked for ---- */

static size_t metric_at(ncu_import *im, const char *metric) {
    size_t i = 0;
    while (i < im->metric_count && strcmp(im->metrics[i], metric) != 0) {
        i++;
    }
    if (i == im->metric_count && i < METRICS_MAX) {
        im->metrics[im->metric_count++] = metric;
    }
    return i;
}

static void list_metrics(ncu_import *im) {
    rft_counter_formula formula;
    for (int c = 0; c < RFT_COUNTER_COUNT; c++) {
        for (size_t a = 0; rft_counter_alternative((rft_counter)c, a); a++) {
            bool good = rft_counter_formula_parse(&formula, rft_counter_alternative((rft_counter)c, a), im->arena);
            for (size_t t = 0; good && t < formula.count; t++) {
                (void)metric_at(im, formula.metrics[t]);
            }
        }
    }
    (void)metric_at(im, REGISTERS);
    (void)metric_at(im, PASSES);
}

/* "gemv<4, 256>": the entry with the point's values. */
static const char *entry_of(const ncu_import *im) {
    const rft_sweep *sweep = &im->run->sweeps[im->point->sweep].sweep;
    const rft_variant *variant = im->variant;
    size_t count = variant->param_count + sweep->axis_count;
    const char **names = rft_arena_calloc(im->arena, count + 1, sizeof *names);
    const char **texts = rft_arena_calloc(im->arena, count + 1, sizeof *texts);
    bool *used = rft_arena_calloc(im->arena, count + 1, sizeof *used);
    for (size_t i = 0; i < count; i++) {
        size_t axis = i - variant->param_count;
        bool param = i < variant->param_count;
        rft_str text = RFT_STR_INIT;
        rft_value_format(&text, param ? &im->point->config[i] : &sweep->problems[im->point->problem].values[axis]);
        names[i] = param ? variant->params[i].name : sweep->axes[axis].name;
        texts[i] = rft_arena_strdup(im->arena, rft_str_get(&text));
        rft_str_clear(&text);
    }
    return rft_entry_substitute(im->arena, variant->entry, names, texts, count, used);
}

static int list_kernels(ncu_import *im) {
    const rft_point *point = im->point;
    im->kernels = rft_arena_calloc(im->arena, point->step_count + 1, sizeof *im->kernels);
    for (size_t i = 0; i < point->step_count; i++) {
        const char *name = point->steps[i].name;
        if (rft_text_starts(name, "vendor.")) {
            im->launch_count = 0;
            break;
        }
        if (!rft_text_starts(name, "memset ")) {
            im->kernels[im->launch_count++] = name;
        }
    }
    if (point->step_count == 0 && point->has_launch && !rft_variant_is_library(im->variant) && *im->variant->entry) {
        im->kernels[im->launch_count++] = entry_of(im);
    }
    if (im->launch_count == 0) {
        return refuse_import(
            im, RFT_E_USAGE, "choose a point whose kernels the sweep names",
            "point %lld calls a library, or its kernel was not recorded: its launches cannot be known by name",
            (long long)point->id);
    }
    return RFT_OK;
}

/* ---- which launches are the point's ---- */

static bool same_shape(const ncu_import *im, const rft_ncu_launch *launch) {
    return memcmp(launch->grid, im->point->grid, sizeof launch->grid) == 0 &&
           memcmp(launch->block, im->point->block, sizeof launch->block) == 0;
}

/* Of the launches that are one of the point's by name, as many as agree with the first so far. */
typedef struct ncu_found {
    size_t named, same_arguments, same_shape; /* launches of its first kernel */
    const rft_ncu_launch *other;              /* the last that is not it */
} ncu_found;

static void look_at(const ncu_import *im, const rft_ncu_launch *launch, ncu_found *found) {
    rft_kernel_likeness likeness = rft_kernel_compare(launch->kernel, im->kernels[0]);
    bool same = likeness == RFT_KERNEL_SAME, shape = same && same_shape(im, launch);
    found->named += likeness != RFT_KERNEL_OTHER ? 1 : 0;
    found->same_arguments += same ? 1 : 0;
    found->same_shape += shape ? 1 : 0;
    if (likeness != RFT_KERNEL_OTHER && !shape && (same || found->same_arguments == 0)) {
        found->other = launch;
    }
}

static bool is_run(const ncu_import *im, const rft_ncu_launch *launches) {
    for (size_t i = 0; i < im->launch_count; i++) {
        if (rft_kernel_compare(launches[i].kernel, im->kernels[i]) != RFT_KERNEL_SAME) {
            return false;
        }
    }
    return same_shape(im, launches);
}

/* "a, b and 3 more". */
static const char *kernels_there(const ncu_import *im) {
    rft_str text = RFT_STR_INIT;
    const char *shown[SHOWN_KERNELS];
    size_t count = 0, more = 0;
    for (size_t i = 0; i < im->file.count; i++) {
        const char *full = im->file.launches[i].kernel, *name = rft_kernel_base_name(full, im->arena);
        name = *name ? name : full;
        bool is_new = true;
        for (size_t k = 0; k < count; k++) {
            is_new = is_new && strcmp(shown[k], name) != 0;
        }
        more += is_new && count == SHOWN_KERNELS ? 1 : 0;
        if (is_new && count < SHOWN_KERNELS) {
            shown[count++] = name;
            rft_str_addf(&text, "%s%.80s", count > 1 ? ", " : "", name);
        }
    }
    rft_str_add(&text, more ? ", ..." : "");
    const char *kept = rft_arena_strdup(im->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static const char *shape_text(const int64_t grid[3], const int64_t block[3], rft_arena *arena) {
    return rft_arena_printf(arena, "grid %lld x %lld x %lld, block %lld x %lld x %lld", (long long)grid[0],
                            (long long)grid[1], (long long)grid[2], (long long)block[0], (long long)block[1],
                            (long long)block[2]);
}

static int not_found(const ncu_import *im, const ncu_found *found) {
    static const char remedy[] = "name the point that was profiled (--at, --variant, --set), or profile this one: "
                                 "`rooftune point ... --ncu` prints how";
    const char *kernel = im->kernels[0];
    if (found->named == 0) {
        return refuse_import(im, RFT_E_RECORDING, remedy, "no launch of %.200s in it; its kernels: %s", kernel,
                             kernels_there(im));
    }
    if (found->same_arguments == 0) {
        return refuse_import(im, RFT_E_RECORDING, remedy, "the point launches %.200s; the file has %.300s", kernel,
                             found->other->kernel);
    }
    if (found->same_shape == 0) {
        return refuse_import(im, RFT_E_RECORDING, remedy, "%.200s was launched with %s; point %lld has %s", kernel,
                             shape_text(found->other->grid, found->other->block, im->arena), (long long)im->point->id,
                             shape_text(im->point->grid, im->point->block, im->arena));
    }
    return refuse_import(im, RFT_E_RECORDING, "profile all kernels of the point, in one run of ncu",
                         "the %zu launches of the point do not follow each other in it", im->launch_count);
}

/* The last whole run of the point in the file: those before may have been warming up. Launches of other kernels in
 * between, which fill buffers and flush caches, are left out. */
static int find_launches(ncu_import *im) {
    rft_ncu_launch *own = rft_arena_calloc(im->arena, im->file.count, sizeof *own);
    size_t count = 0;
    ncu_found found = {0};
    for (size_t i = 0; i < im->file.count; i++) {
        const rft_ncu_launch *launch = &im->file.launches[i];
        bool ours = false;
        for (size_t k = 0; k < im->launch_count && !ours; k++) {
            ours = rft_kernel_compare(launch->kernel, im->kernels[k]) == RFT_KERNEL_SAME;
        }
        look_at(im, launch, &found);
        if (ours) {
            own[count++] = *launch;
        }
    }
    for (size_t i = 0; i + im->launch_count <= count; i++) {
        if (is_run(im, &own[i])) {
            im->launches = &own[i];
            im->out->runs++;
        }
    }
    return im->launches ? RFT_OK : not_found(im, &found);
}

/* ---- is it the same code, on the same kind of card? ---- */

/* The largest of the launches; NaN: one does not have it. */
static double largest(ncu_import *im, const char *metric) {
    size_t at = metric_at(im, metric);
    double most = 0;
    for (size_t i = 0; i < im->launch_count; i++) {
        double value = im->launches[i].values[at].value;
        most = isnan(value) || value > most ? value : most;
    }
    return most;
}

static int check_identity(ncu_import *im) {
    const rft_gpu_info *gpu = &im->run->gpu;
    int cc = im->launches[0].cc, own_cc = gpu->cc_major * 10 + gpu->cc_minor;
    double registers = largest(im, REGISTERS);
    if (cc > 0 && own_cc > 0 && cc != own_cc) {
        return refuse_import(im, RFT_E_RECORDING, "profile the point on a card of the run's kind",
                             "counted on compute capability %d.%d; the run is of %d.%d (%.100s)", cc / 10, cc % 10,
                             gpu->cc_major, gpu->cc_minor, gpu->name);
    }
    if (im->point->facts.registers > 0 && registers > 0 && registers != im->point->facts.registers) {
        return refuse_import(im, RFT_E_RECORDING,
                             "compile both with the same NVRTC; `rooftune devices` tells its version",
                             "it is other code: %.0f registers a thread, point %lld has %d", registers,
                             (long long)im->point->id, im->point->facts.registers);
    }
    return RFT_OK;
}

/* ---- values ---- */

/* Over all launches of the point. NaN: `reason`. */
static double value_of(ncu_import *im, const rft_counter_formula *formula, const char **reason) {
    double sum = 0, single = 0;
    bool adds_up = true;
    *reason = NULL;
    for (size_t t = 0; t < formula->count; t++) {
        size_t at = metric_at(im, formula->metrics[t]);
        adds_up = adds_up && rft_text_ends(formula->metrics[t], ".sum");
        single += formula->factors[t] * im->launches[0].values[at].value;
        for (size_t i = 0; i < im->launch_count; i++) {
            sum += formula->factors[t] * im->launches[i].values[at].value;
        }
    }
    double value = im->launch_count == 1 ? single : adds_up ? sum : (double)NAN;
    *reason = !isnan(value) ? NULL : im->launch_count > 1 && !adds_up ? NO_AVERAGE : NO_VALUE;
    return value;
}

static bool has_all(ncu_import *im, const rft_counter_formula *formula) {
    for (size_t t = 0; t < formula->count; t++) {
        for (size_t i = 0; i < im->launch_count; i++) {
            if (!im->launches[i].values[metric_at(im, formula->metrics[t])].metric) {
                return false;
            }
        }
    }
    return true;
}

/* What the caches held when a launch began decides it. */
static const char *cache_reason(const ncu_import *im, rft_counter counter) {
    const rft_measurement *m = rft_point_measurement(im->point);
    bool depends =
        counter == RFT_COUNTER_DRAM_READ || counter == RFT_COUNTER_DRAM_WRITE || counter == RFT_COUNTER_L2_HIT;
    return !depends ? NULL : im->launch_count > 1 ? NOT_TOGETHER : m && m->cache == RFT_CACHE_HOT ? NOT_WARM : NULL;
}

/* The first alternative that the file has; false: none. */
static bool take_counter(ncu_import *im, rft_counter counter, rft_counters *counters) {
    rft_counter_formula formula;
    bool found = false;
    for (size_t a = 0; rft_counter_alternative(counter, a) && (!found || isnan(counters->values[counter])); a++) {
        bool good = rft_counter_formula_parse(&formula, rft_counter_alternative(counter, a), im->arena);
        if (good && has_all(im, &formula)) {
            found = true;
            counters->values[counter] = value_of(im, &formula, &counters->reasons[counter]);
        }
    }
    const char *reason = found ? cache_reason(im, counter) : NULL;
    if (reason) {
        counters->values[counter] = NAN;
        counters->reasons[counter] = reason;
    }
    return found;
}

/* The metrics of the first alternative that the file does not have. */
static void add_lacking(ncu_import *im, rft_counter counter, rft_str *lacking) {
    rft_counter_formula formula;
    if (!rft_counter_formula_parse(&formula, rft_counter_alternative(counter, 0), im->arena)) {
        return;
    }
    for (size_t t = 0; t < formula.count; t++) {
        if (!im->launches[0].values[metric_at(im, formula.metrics[t])].metric) {
            rft_str_addf(lacking, "%s%s", lacking->length ? ", " : "", formula.metrics[t]);
        }
    }
}

static int take_counters(ncu_import *im, rft_counters *counters) {
    rft_str lacking = RFT_STR_INIT;
    int rc = RFT_OK;
    *counters = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    for (int c = 0; c < RFT_COUNTER_COUNT; c++) {
        bool found = take_counter(im, (rft_counter)c, counters);
        if (!found && rft_counter_in_default((rft_counter)c)) {
            add_lacking(im, (rft_counter)c, &lacking);
            im->out->lacking++;
        }
    }
    if (im->out->lacking > 0) {
        rc = refuse_import(im, RFT_E_RECORDING, "`rooftune point ... --ncu` prints the command line that counts them",
                           "%zu of the default set's quantities %s not in it, for want of %s", im->out->lacking,
                           im->out->lacking == 1 ? "is" : "are", rft_str_get(&lacking));
    }
    rft_str_clear(&lacking);
    return rc;
}

/* The file's name as it can stand in a sentence: a line of text, and not too long. */
static const char *file_text(const ncu_import *im) {
    rft_str text = RFT_STR_INIT;
    const unsigned char *at = (const unsigned char *)rft_fs_name(im->what);
    while (*at && text.length < FILE_NAME_MAX) {
        size_t bytes = rft_utf8_bytes(at);
        bool plain =
            bytes > 0 && *at != '\n' && *at != '\t' && *at != '\r' && !rft_plain_hides(rft_utf8_code(at, bytes));
        rft_str_add_n(&text, plain ? (const char *)at : "?", plain ? bytes : 1);
        at += bytes > 0 ? bytes : 1;
    }
    const char *kept = rft_arena_strdup(im->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static void put(ncu_import *im, rft_counters *counters) {
    rft_run *run = im->run;
    double passes = largest(im, PASSES);
    counters->passes = passes > 0 && passes <= 100000 ? (int)passes : 0;
    counters->source =
        rft_arena_printf(run->arena, "Nsight Compute%s%s, %s", im->file.version ? " " : "",
                         im->file.version ? im->file.version : " (the file does not say which)", file_text(im));
    (void)rft_counters_check(counters, &run->gpu, run->arena);
    im->point->counters = rft_counters_copy(counters, run->arena);
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].alias_of == im->point->id) {
            run->points[i].counters = im->point->counters;
        }
    }
    im->out->source = im->point->counters->source;
    im->out->point = im->point->id;
}

static int import(ncu_import *im, const char *text, size_t size) {
    int rc = RFT_OK;
    rft_counters counters;
    if (rft_counted_any(im->point) && !im->point->counters->source) {
        return refuse_import(im, RFT_E_USAGE, "choose another point: what rooftune counted itself is kept",
                             "point %lld has counters of its own", (long long)im->point->id);
    }
    rc = list_kernels(im);
    list_metrics(im);
    rc = rc ? rc : rft_ncu_read(&im->file, text, size, im->what, im->metrics, im->metric_count, im->arena, im->err);
    rc = rc ? rc : find_launches(im);
    rc = rc ? rc : check_identity(im);
    rc = rc ? rc : take_counters(im, &counters);
    if (rc == RFT_OK) {
        put(im, &counters);
    }
    return rc;
}

int rft_ncu_import(rft_run *run, int64_t point, const char *text, size_t size, const char *what, rft_ncu_taken *out,
                   rft_err *err) {
    rft_err ignored = RFT_ERR_INIT;
    *out = (rft_ncu_taken){.lacking = 0};
    ncu_import im = {.run = run, .what = what, .arena = rft_arena_new(), .err = err ? err : &ignored, .out = out};
    for (size_t i = 0; i < run->point_count; i++) {
        int64_t own = run->points[i].id;
        im.point = own == point && !im.point ? &run->points[i] : im.point;
    }
    for (size_t i = 0; im.point && im.point->alias_of && i < run->point_count; i++) {
        im.point = run->points[i].id == im.point->alias_of ? &run->points[i] : im.point;
    }
    int rc = RFT_OK;
    if (im.point) {
        im.variant = &run->sweeps[im.point->sweep].sweep.variants[im.point->variant];
        rc = import(&im, text, size);
    } else {
        rc = refuse_import(&im, RFT_E_NOT_FOUND, "`rooftune show --csv -` lists every point with its id",
                           "the run has no point %lld", (long long)point);
    }
    rft_arena_free(im.arena);
    return rc;
}
