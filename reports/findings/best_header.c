/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/best_header.h"

#include "base/plain.h"
#include "base/units.h"
#include "model/roofline/bound.h"
#include "model/roofline/placement.h"
#include "model/run/run_foreign.h"
#include "model/stats/interval_text.h"
#include "reports/findings/words.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct given_name {
    const char *key;   /* what it stands for */
    const char *macro; /* unique among all */
} given_name;

typedef struct header_writer {
    rft_str *out;
    const rft_run *const *runs;
    size_t count;
    rft_arena *arena;
    given_name *names;
    size_t name_count, name_capacity;
    rft_best_macros *wanted; /* points whose lines are kept besides; NULL = none */
    size_t wanted_count;
    rft_arena *keep;
} header_writer;

/* ---- names ---- */

/* "gemv_fp16 n=4096" -> "GEMV_FP16_N_4096"; begins with a letter, so that it is no reserved name. */
static const char *macro_text(const header_writer *w, const char *text) {
    rft_str name = RFT_STR_INIT;
    rft_str_add(&name, isalpha((unsigned char)*text) && (unsigned char)*text < 0x80 ? "" : "RFT_");
    for (; *text; text++) {
        bool plain = (unsigned char)*text < 0x80 && isalnum((unsigned char)*text);
        rft_str_add_char(&name, plain ? (char)toupper((unsigned char)*text) : '_');
    }
    const char *kept = rft_arena_strdup(w->arena, rft_str_get(&name));
    rft_str_clear(&name);
    return kept;
}

static bool is_taken(const header_writer *w, const char *macro) {
    for (size_t i = 0; i < w->name_count; i++) {
        if (strcmp(w->names[i].macro, macro) == 0) {
            return true;
        }
    }
    return false;
}

/* The macro of `key`: always the same, and no other key's. `wish` is what it would be called alone. */
static const char *macro_name(header_writer *w, const char *key, const char *wish) {
    const char *macro = macro_text(w, wish);
    for (size_t i = 0; i < w->name_count; i++) {
        if (strcmp(w->names[i].key, key) == 0) {
            return w->names[i].macro;
        }
    }
    for (int number = 2; is_taken(w, macro); number++) {
        macro = rft_arena_printf(w->arena, "%s_%d", macro_text(w, wish), number);
    }
    RFT_GROW(w->names, w->name_capacity, w->name_count + 1);
    w->names[w->name_count++] = (given_name){key, macro};
    return macro;
}

static const char *sweep_name(header_writer *w, const rft_sweep *sweep) {
    return macro_name(w, rft_arena_printf(w->arena, "sweep\n%s", sweep->name), sweep->name);
}

/* kind: "for" an axis, "param", "flag" of a text. */
static const char *member_name(header_writer *w, const rft_sweep *sweep, const char *kind, const char *name) {
    const char *of = sweep_name(w, sweep);
    const char *wish = rft_arena_printf(w->arena, strcmp(kind, "for") == 0 ? "%s_FOR_%s" : "%s_%s", of, name);
    return macro_name(w, rft_arena_printf(w->arena, "%s\n%s\n%s", sweep->name, kind, name), wish);
}

static const char *device_name(header_writer *w, const rft_run *run) {
    return macro_name(w, rft_arena_printf(w->arena, "device\n%s", run->gpu.name),
                      rft_arena_printf(w->arena, "RFT_GPU_%s", run->gpu.name));
}

/* ---- texts ---- */

/* Inside of a comment: nothing in it ends it, begins another, or leaves the line. */
static void add_comment(rft_str *out, const char *text) {
    rft_str plain = RFT_STR_INIT;
    rft_plain_add(&plain, text, strlen(text));
    text = rft_str_get(&plain);
    for (char before = 0; *text; before = *text++) {
        bool mark = (before == '*' && *text == '/') || (before == '/' && *text == '*');
        rft_str_add(out, mark ? " " : "");
        rft_str_add_char(out, (unsigned char)*text < 0x20 || *text == '\\' ? ' ' : *text);
    }
    rft_str_clear(&plain);
}

/* A string of C: control characters, what turns the direction of writing, what is no UTF-8, and question marks
 * (trigraphs) as octal escapes. */
static void add_string(rft_str *out, const char *text) {
    rft_str_add_char(out, '"');
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t bytes = rft_utf8_bytes(at);
        bool escaped = *at == '?' || !bytes || rft_plain_hides(rft_utf8_code(at, bytes));
        size_t next = bytes ? bytes : 1;
        for (size_t i = 0; i < next; i++) {
            rft_str_addf(out, escaped ? "\\%03o" : *at == '"' || *at == '\\' ? "\\%c" : "%c", at[i]);
        }
        at += next;
    }
    rft_str_add_char(out, '"');
}

static void add_value(rft_str *out, const rft_value *value) {
    bool negative = rft_value_is_number(value) && rft_value_number(value) < 0;
    if (value->kind == RFT_VALUE_TEXT) {
        add_string(out, value->as.text);
    } else if (value->kind == RFT_VALUE_BOOL) {
        rft_str_add(out, value->as.integer ? "1" : "0");
    } else if (value->kind == RFT_VALUE_INT && value->as.integer == INT64_MIN) {
        rft_str_add(out, "(-9223372036854775807 - 1)");
    } else {
        rft_str_add(out, negative ? "(" : "");
        rft_value_format(out, value);
        rft_str_add(out, negative ? ")" : "");
    }
}

/* ---- one configuration ---- */

/* "n=4096: 800 us +- 0.3 %, 87 % of the roof, bound by dram (87 %, declared), tie with 2 others" */
static void add_verdict(const header_writer *w, const rft_run *run, const rft_point *best) {
    const rft_stats *stats = &rft_point_measurement(best)->stats;
    rft_reach reach = rft_reach_of(run, best);
    rft_bound bound = rft_bound_of(run, best);
    const char *problem = rft_run_problem_text(run, best->sweep, best->problem, false, w->arena);
    size_t ties = rft_ties_of(run, best, w->arena);
    rft_str text = RFT_STR_INIT;
    rft_interval_text time = rft_stats_text(stats, 0.0, "s", w->arena);
    rft_str_addf(&text, "%s%s%s", problem, *problem ? ": " : "", time.value);
    if (time.interval) {
        bool ends = *time.interval == '['; /* C90 has no plus-minus */
        rft_str_addf(&text, " %s%s", ends ? "" : "+-", time.interval + (ends ? 0 : strlen("\xc2\xb1")));
    } else {
        rft_str_addf(&text, " (%zu sample%s: no interval)", stats->n, stats->n == 1 ? "" : "s");
    }
    if (isfinite(reach.frac)) {
        rft_str_addf(&text, ", %s of the measured ceiling", rft_words_reach(&reach, w->arena));
    }
    if (bound.resource != RFT_RESOURCE_UNKNOWN) {
        rft_str_addf(&text, ", %s", rft_bound_text(&bound, w->arena));
    }
    if (ties > 0) {
        rft_str_addf(&text, ", tie with %zu other%s", ties, ties == 1 ? "" : "s");
    }
    const char *unverified = rft_words_unverified(&run->sweeps[best->sweep].sweep.variants[best->variant], w->arena);
    if (unverified) {
        rft_str_addf(&text, "; %s", unverified);
    }
    rft_str_add(w->out, "/* ");
    add_comment(w->out, rft_str_get(&text));
    rft_str_add(w->out, " */\n");
    rft_str_clear(&text);
}

static void add_define(header_writer *w, const char *macro, const rft_value *value) {
    rft_str_addf(w->out, "#define %s ", macro);
    add_value(w->out, value);
    rft_str_add_char(w->out, '\n');
}

static void add_best_macros(header_writer *w, const rft_run *run, const rft_point *best) {
    const rft_sweep *sweep = &run->sweeps[best->sweep].sweep;
    const rft_variant *variant = &sweep->variants[best->variant];
    const rft_value name = rft_value_text(variant->name);
    add_verdict(w, run, best);
    rft_str_addf(w->out, "#define %s 1\n", member_name(w, sweep, "param", "TUNED"));
    add_define(w, member_name(w, sweep, "param", "VARIANT"), &name);
    if (sweep->variant_count > 1) { /* the preprocessor compares no strings */
        const char *flag = rft_arena_printf(w->arena, "VARIANT_%s", variant->name);
        rft_str_addf(w->out, "#define %s 1\n", member_name(w, sweep, "flag", flag));
    }
    for (size_t i = 0; i < variant->param_count; i++) {
        const rft_param *param = &variant->params[i];
        /* "p:" keeps a parameter called VARIANT apart from the macro above. */
        const char *key = rft_arena_printf(w->arena, "%s\np:\n%s", sweep->name, param->name);
        const char *wish = rft_arena_printf(w->arena, "%s_%s", sweep_name(w, sweep), param->name);
        add_define(w, macro_name(w, key, wish), &best->config[i]);
        if (best->config[i].kind == RFT_VALUE_TEXT) {
            const char *flag = rft_arena_printf(w->arena, "%s_%s", param->name, best->config[i].as.text);
            rft_str_addf(w->out, "#define %s 1\n", member_name(w, sweep, "flag", flag));
        }
    }
}

/* ---- a sweep: its problems ---- */

/* Axes that follow the swept ones (`with`), or never change, need no word of the user. */
static bool is_asked(const rft_sweep *sweep, size_t axis) {
    bool any_swept = false, varies = false;
    for (size_t i = 0; i < sweep->axis_count; i++) {
        any_swept = any_swept || sweep->axes[i].swept;
    }
    const rft_value *first = NULL;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        const rft_value *value = &sweep->problems[p].values[axis];
        if (!sweep->problems[p].odd) {
            varies = varies || (first && !rft_value_equal(first, value));
            first = value;
        }
    }
    return varies && (sweep->axes[axis].swept || !any_swept);
}

/* Whole numbers and truths the preprocessor compares; of other axes a macro for each value is there or is not. */
static void add_condition(header_writer *w, const rft_run *run, const rft_point *best) {
    const rft_sweep *sweep = &run->sweeps[best->sweep].sweep;
    const rft_value *problem = sweep->problems[best->problem].values;
    size_t written = 0;
    for (size_t i = 0; i < sweep->axis_count; i++) {
        const rft_value *value = &problem[i];
        bool compares = value->kind == RFT_VALUE_INT || value->kind == RFT_VALUE_BOOL;
        if (!is_asked(sweep, i)) {
            continue;
        }
        rft_str_add(w->out, written++ ? " && " : "");
        if (compares) {
            const char *macro = member_name(w, sweep, "for", sweep->axes[i].name);
            rft_str_addf(w->out, "defined(%s) && %s == ", macro, macro);
            add_value(w->out, value);
        } else {
            rft_str text = RFT_STR_INIT;
            rft_value_format(&text, value);
            const char *flag = rft_arena_printf(w->arena, "%s_%s", sweep->axes[i].name, rft_str_get(&text));
            rft_str_addf(w->out, "defined(%s)", member_name(w, sweep, "for", flag));
            rft_str_clear(&text);
        }
    }
    rft_str_add(w->out, written ? "" : "1");
}

static void add_sweep(header_writer *w, const rft_run *run, size_t index) {
    const rft_sweep *sweep = &run->sweeps[index].sweep;
    size_t timed = 0, written = 0;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        timed += sweep->problems[p].odd ? 0 : 1;
    }
    rft_str_add(w->out, "\n/* sweep ");
    add_comment(w->out, sweep->name);
    rft_str_add(w->out, timed > 1 ? ": say which problem */\n" : " */\n");
    for (size_t p = 0; p < sweep->problem_count; p++) {
        const rft_point *best = rft_run_best(run, index, SIZE_MAX, p);
        if (!best) {
            continue;
        }
        if (timed > 1) {
            rft_str_add(w->out, written++ ? "#elif " : "#if ");
            add_condition(w, run, best);
            rft_str_add_char(w->out, '\n');
        }
        size_t from = w->out->length;
        add_best_macros(w, run, best);
        for (size_t i = 0; i < w->wanted_count; i++) {
            if (w->wanted[i].point == best) {
                w->wanted[i].text = rft_arena_strdup(w->keep, rft_str_get(w->out) + from);
            }
        }
    }
    rft_str_add(w->out, written ? "#endif\n" : "");
}

/* ---- devices ---- */

static void add_origin(const header_writer *w, const rft_run *run) {
    char date[40];
    rft_units_format_iso(date, sizeof date, run->info.started_unix_ns);
    date[10] = '\0';
    const char *foreign = rft_run_foreign_notice(run, w->arena), *replay = rft_words_replay(run, w->arena);
    const char *driver = rft_env_value(&run->env, "driver.version"), *nvrtc = rft_env_value(&run->env, "nvrtc.version");
    driver = driver ? driver : rft_env_value(&run->env, "nvml.driver_version");
    rft_str_add(w->out, "/* ");
    add_comment(w->out, rft_arena_printf(w->arena, "%s%s%s: run %s, %s, driver %s, NVRTC %s, rooftune %s",
                                         run->gpu.name, *run->gpu.arch ? ", " : "", run->gpu.arch, run->info.id, date,
                                         driver ? driver : "not recorded", nvrtc ? nvrtc : "not recorded",
                                         run->info.tool_version));
    if (replay || foreign) {
        rft_str_add(w->out, "\n * ");
        add_comment(w->out, rft_arena_printf(w->arena, "%s%s%s", replay ? replay : "", replay && foreign ? "; " : "",
                                             foreign ? foreign : ""));
    }
    rft_str_add(w->out, " */\n");
}

/* The first run of every device stands for it. */
static bool is_first_of_device(const header_writer *w, size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (strcmp(w->runs[i]->gpu.name, w->runs[index]->gpu.name) == 0) {
            return false;
        }
    }
    return true;
}

static int check_sweeps(const header_writer *w, rft_err *err) {
    for (size_t a = 0; a < w->count; a++) {
        for (size_t b = 0; b < a; b++) {
            const rft_run *x = w->runs[a], *y = w->runs[b];
            for (size_t i = 0; i < x->sweep_count * y->sweep_count && strcmp(x->gpu.name, y->gpu.name) == 0; i++) {
                const char *name = x->sweeps[i / y->sweep_count].sweep.name;
                if (strcmp(name, y->sweeps[i % y->sweep_count].sweep.name) == 0) {
                    rft_err_set(err, RFT_E_USAGE, "two runs of %s have a sweep named %s", x->gpu.name, name);
                    return rft_err_remedy(err, "name one run of it: the header could hold only one of them");
                }
            }
        }
    }
    return RFT_OK;
}

static const char head[] = RFT_BEST_HEADER_HEAD
    " Include it where kernels are compiled.\n"
    " *\n"
    " * Which device:  define the macro of its block below, such as -D%s.\n"
    " * Which problem: where a sweep has several, define what its #if asks for (SWEEP_FOR_AXIS), such as\n"
    " *                -DSWEEP_FOR_N=4096; for axes that are no whole numbers a macro without a value.\n"
    " * What is there: SWEEP_TUNED is 1, SWEEP_PARAMETER has the value of the best configuration, SWEEP_VARIANT its\n"
    " *                variant; for texts also SWEEP_PARAMETER_TEXT and SWEEP_VARIANT_NAME are 1. Nothing of a sweep "
    "is\n"
    " *                defined where its problem is not among those measured. */\n"
    "#ifndef ROOFTUNE_BEST_H\n"
    "#define ROOFTUNE_BEST_H\n";

static int write_header(header_writer w, rft_err *err) {
    rft_str *out = w.out;
    const rft_run *const *runs = w.runs;
    size_t count = w.count;
    w.arena = rft_arena_new();
    int code = check_sweeps(&w, err);
    const char *devices = "";
    size_t written = 0;
    if (!code) {
        rft_str_addf(out, head, device_name(&w, runs[0]));
    }
    for (size_t i = 0; i < count && !code; i++) {
        if (!is_first_of_device(&w, i)) {
            continue;
        }
        const char *device = device_name(&w, runs[i]);
        devices = rft_arena_printf(w.arena, "%s%s%s", devices, *devices ? " or " : "", device);
        rft_str_addf(out, "\n#%s defined(%s)\n", written++ ? "elif" : "if", device);
        for (size_t k = i; k < count; k++) {
            if (strcmp(runs[k]->gpu.name, runs[i]->gpu.name) == 0) {
                add_origin(&w, runs[k]);
                for (size_t s = 0; s < runs[k]->sweep_count; s++) {
                    add_sweep(&w, runs[k], s);
                }
            }
        }
    }
    if (!code) {
        rft_str_addf(out, "\n#else\n#error \"say for which device: define %s\"\n#endif\n\n#endif\n", devices);
    }
    free(w.names);
    rft_arena_free(w.arena);
    return code;
}

int rft_best_header(rft_str *out, const rft_run *const *runs, size_t count, rft_err *err) {
    return write_header((header_writer){.out = out, .runs = runs, .count = count}, err);
}

void rft_best_macros_of(const rft_run *run, rft_best_macros *wanted, size_t count, rft_arena *arena) {
    rft_str all = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT; /* one run has every sweep once */
    header_writer w = {.out = &all, .runs = &run, .count = 1, .wanted = wanted, .wanted_count = count, .keep = arena};
    for (size_t i = 0; i < count; i++) {
        wanted[i].text = "";
    }
    if (count > 0 && run->gpu.name) { /* its block has the card's name */
        (void)write_header(w, &err);
    }
    rft_str_clear(&all);
}

/* As one word of a shell. */
static void add_shell_word(rft_str *out, const char *text) {
    bool plain = *text && text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-")] == 0;
    if (plain) {
        rft_str_add(out, text);
        return;
    }
    rft_str_add_char(out, '\'');
    for (; *text; text++) {
        if (*text == '\'') {
            rft_str_add(out, "'\\''");
        } else {
            rft_str_add_char(out, *text);
        }
    }
    rft_str_add_char(out, '\'');
}

const char *rft_best_options(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_variant *variant = &run->sweeps[point->sweep].sweep.variants[point->variant];
    rft_str line = RFT_STR_INIT, value = RFT_STR_INIT;
    for (size_t i = 0; i < variant->param_count; i++) {
        rft_str_truncate(&value, 0);
        if (point->config[i].kind == RFT_VALUE_BOOL) {
            rft_str_add(&value, point->config[i].as.integer ? "1" : "0");
        } else {
            rft_value_format(&value, &point->config[i]);
        }
        rft_str_addf(&line, "%s-D%s=", i ? " " : "", variant->params[i].name);
        add_shell_word(&line, rft_str_get(&value));
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&line));
    rft_str_clear(&value);
    rft_str_clear(&line);
    return kept;
}
