/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/best_text.h"

#include "base/units.h"
#include "cli/show_data.h"
#include "cli/show_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    rft_str *out;
    const rft_run *run;
    rft_arena *arena;
} writer;

typedef void (*take_best)(const writer *w, const rft_point *best, size_t index);

/* Calls take for the best of every problem of a sweep. Returns how many there are. */
static size_t for_each(const writer *w, size_t sweep, take_best take) {
    size_t count = 0;
    for (size_t p = 0; p < w->run->sweeps[sweep].sweep.problem_count; p++) {
        const rft_point *best = rft_run_best(w->run, sweep, SIZE_MAX, p);
        if (best && take) {
            take(w, best, count);
        }
        count += best != NULL;
    }
    return count;
}

static const rft_sweep *sweep_of(const writer *w, const rft_point *point) {
    return &w->run->sweeps[point->sweep].sweep;
}

static const rft_variant *variant_of(const writer *w, const rft_point *point) {
    return &sweep_of(w, point)->variants[point->variant];
}

static const char *problem_of(const writer *w, const rft_point *point) {
    return rft_run_problem_text(w->run, point->sweep, point->problem, true, w->arena);
}

/* "NVIDIA H200, run 0123, 2026-11-21", and that it is a replay. */
static const char *origin_of(const writer *w) {
    const rft_run *run = w->run;
    char date[40];
    rft_units_format_iso(date, sizeof date, run->info.started_unix_ns);
    date[10] = '\0';
    const char *replay = rft_show_replay_notice(run, w->arena);
    return rft_arena_printf(w->arena, "%s (%s), run %s, %s, rooftune %s%s%s", run->gpu.name, run->gpu.arch,
                            run->info.id, date, run->info.tool_version, replay ? "; " : "", replay ? replay : "");
}

/* ---- text ---- */

static void text_of(const writer *w, const rft_point *best, size_t index) {
    char time[48];
    rft_units_format_seconds(time, sizeof time, rft_point_median_s(best), 3);
    if (index == 0) {
        rft_str_addf(w->out, "%s\n", sweep_of(w, best)->name);
    }
    rft_str_addf(w->out, "  %s: ", problem_of(w, best));
    if (sweep_of(w, best)->variant_count > 1) {
        rft_str_addf(w->out, "%s, ", variant_of(w, best)->name);
    }
    rft_str_addf(w->out, "%s  %s\n", rft_run_config_text(w->run, best, false, w->arena), time);
}

/* ---- JSON and CSV ---- */

static void json_text(const writer *w) {
    json_t *root = json_object(), *sweeps = json_object();
    for (size_t s = 0; s < w->run->sweep_count; s++) {
        json_t *list = json_array();
        for (size_t p = 0; p < w->run->sweeps[s].sweep.problem_count; p++) {
            const rft_point *best = rft_run_best(w->run, s, SIZE_MAX, p);
            if (best) {
                json_array_append_new(list, rft_show_best_json(w->run, best, w->arena));
            }
        }
        json_object_set_new(sweeps, w->run->sweeps[s].sweep.name, list);
    }
    json_object_set_new(root, "origin", json_string(origin_of(w)));
    json_object_set_new(root, "best", sweeps);
    char *text = rft_json_dump(root, NULL);
    rft_str_addf(w->out, "%s\n", text);
    free(text);
    json_decref(root);
}

static void csv_of(const writer *w, const rft_point *best, size_t index) {
    const rft_stats *stats = &rft_point_measurement(best)->stats;
    rft_placement place = rft_placement_of(w->run, best);
    const char *texts[] = {sweep_of(w, best)->name, problem_of(w, best), variant_of(w, best)->name,
                           rft_run_config_text(w->run, best, false, w->arena)};
    const double numbers[] = {stats->median,      stats->low,       stats->high,
                              place.rate_bytes_s, place.rate_ops_s, place.efficiency_frac};
    (void)index;
    for (size_t i = 0; i < 4; i++) {
        rft_str_add(w->out, i ? "," : "");
        rft_show_csv_text(w->out, texts[i]);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        rft_str_add_char(w->out, ',');
        if (isfinite(numbers[i])) {
            rft_str_add_double(w->out, numbers[i]);
        }
    }
    rft_str_add_char(w->out, '\n');
}

/* ---- Lua ---- */

/* A string literal that both Lua and C read as the same bytes. */
static void add_quoted(rft_str *out, const char *text) {
    rft_str_add_char(out, '"');
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\') {
            rft_str_addf(out, "\\%c", *at);
        } else if (*at == '\n') {
            rft_str_add(out, "\\n");
        } else {
            rft_str_add_char(out, *at < 0x20 ? '?' : (char)*at); /* their escapes differ, and no name has such */
        }
    }
    rft_str_add_char(out, '"');
}

static void add_lua_values(const writer *w, const char *field, const char *const *names, const rft_value *values,
                           size_t count) {
    rft_str_addf(w->out, "%s = {", field);
    for (size_t i = 0; i < count; i++) {
        rft_str_add(w->out, i ? ", [" : " [");
        add_quoted(w->out, names[i]);
        rft_str_add(w->out, "] = ");
        if (values[i].kind == RFT_VALUE_TEXT) {
            add_quoted(w->out, values[i].as.text);
        } else {
            rft_value_format(w->out, &values[i]);
        }
    }
    rft_str_add(w->out, " }");
}

static void lua_of(const writer *w, const rft_point *best, size_t index) {
    const rft_sweep *sweep = sweep_of(w, best);
    const rft_variant *variant = variant_of(w, best);
    size_t most = sweep->axis_count + variant->param_count;
    const char **names = rft_arena_calloc(w->arena, most + 1, sizeof *names);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        names[i] = sweep->axes[i].name;
    }
    for (size_t i = 0; i < variant->param_count; i++) {
        names[sweep->axis_count + i] = variant->params[i].name;
    }
    if (index == 0) {
        rft_str_add(w->out, "  [");
        add_quoted(w->out, sweep->name);
        rft_str_add(w->out, "] = {\n");
    }
    rft_str_add(w->out, "    { ");
    add_lua_values(w, "problem", names, sweep->problems[best->problem].values, sweep->axis_count);
    rft_str_add(w->out, ", variant = ");
    add_quoted(w->out, variant->name);
    rft_str_add(w->out, ",\n      ");
    add_lua_values(w, "config", names + sweep->axis_count, best->config, variant->param_count);
    rft_str_add(w->out, ", median_s = ");
    rft_str_add_double(w->out, rft_point_median_s(best));
    rft_str_add(w->out, " },\n");
}

static void lua_text(const writer *w) {
    rft_str_addf(w->out, "-- best configurations: %s\nreturn {\n", origin_of(w));
    for (size_t s = 0; s < w->run->sweep_count; s++) {
        if (for_each(w, s, lua_of)) {
            rft_str_add(w->out, "  },\n");
        }
    }
    rft_str_add(w->out, "}\n");
}

/* ---- C header ---- */

/* "gemv_fp16 n=4096" -> "GEMV_FP16_N_4096" */
static void add_macro_name(rft_str *out, const char *text) {
    for (; *text; text++) {
        bool plain = isalnum((unsigned char)*text) && (unsigned char)*text < 0x80;
        rft_str_add_char(out, plain ? (char)toupper((unsigned char)*text) : '_');
    }
}

static void header_of(const writer *w, const rft_point *best, size_t index) {
    const rft_variant *variant = variant_of(w, best);
    rft_str prefix = RFT_STR_INIT;
    char time[48];
    (void)index;
    if (!isalpha((unsigned char)sweep_of(w, best)->name[0])) {
        rft_str_add(&prefix, "RFT_");
    }
    add_macro_name(&prefix, sweep_of(w, best)->name);
    rft_str_add_char(&prefix, '_');
    add_macro_name(&prefix, problem_of(w, best));
    rft_units_format_seconds(time, sizeof time, rft_point_median_s(best), 3);
    rft_str_addf(w->out, "\n#define %s_VARIANT ", rft_str_get(&prefix));
    add_quoted(w->out, variant->name);
    rft_str_addf(w->out, " /* %s */\n", time);
    for (size_t i = 0; i < variant->param_count; i++) {
        const rft_value *value = &best->config[i];
        rft_str_addf(w->out, "#define %s_", rft_str_get(&prefix));
        add_macro_name(w->out, variant->params[i].name);
        rft_str_add_char(w->out, ' ');
        if (value->kind == RFT_VALUE_TEXT) {
            add_quoted(w->out, value->as.text);
        } else if (value->kind == RFT_VALUE_BOOL) {
            rft_str_add(w->out, value->as.integer ? "1" : "0");
        } else {
            rft_value_format(w->out, value);
        }
        rft_str_add_char(w->out, '\n');
    }
    rft_str_clear(&prefix);
}

static void header_text(const writer *w) {
    rft_str_addf(w->out, "/* Best configurations: %s. */\n#ifndef ROOFTUNE_BEST_H\n#define ROOFTUNE_BEST_H\n",
                 origin_of(w));
    for (size_t s = 0; s < w->run->sweep_count; s++) {
        for_each(w, s, header_of);
    }
    rft_str_add(w->out, "\n#endif\n");
}

/* ---- all ---- */

static void each_text(const writer *w, take_best take) {
    for (size_t s = 0; s < w->run->sweep_count; s++) {
        for_each(w, s, take);
    }
}

int rft_best_text(rft_str *out, const rft_run *run, const char *format, rft_err *err) {
    static const char *const formats[] = {"text", "json", "lua", "csv", "header"};
    size_t chosen = 0, found = 0;
    while (chosen < 5 && strcmp(format, formats[chosen]) != 0) {
        chosen++;
    }
    if (chosen == 5) {
        rft_err_set(err, RFT_E_USAGE, "unknown format \"%s\"", format);
        return rft_err_remedy(err, "--format takes text, json, lua, csv or header");
    }
    writer w = {.out = out, .run = run, .arena = rft_arena_new()};
    for (size_t s = 0; s < run->sweep_count; s++) {
        found += for_each(&w, s, NULL);
    }
    if (found == 0) {
        rft_arena_free(w.arena);
        rft_err_set(err, RFT_E_NOT_FOUND, "no configuration of this run has a verified measurement");
        return rft_err_remedy(err, "`rooftune show` says what became of them");
    }
    switch (chosen) {
    case 0:
        rft_str_addf(out, "%s\n", origin_of(&w));
        each_text(&w, text_of);
        break;
    case 1:
        json_text(&w);
        break;
    case 2:
        lua_text(&w);
        break;
    case 3:
        rft_str_add(out, "sweep,problem,variant,configuration,median_s,low_s,high_s,rate_bytes_s,rate_ops_s,"
                         "efficiency_frac\n");
        each_text(&w, csv_of);
        break;
    default:
        header_text(&w);
        break;
    }
    rft_arena_free(w.arena);
    return RFT_OK;
}
