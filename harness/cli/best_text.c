/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/best_text.h"

#include "base/units.h"
#include "cli/show_data.h"
#include "cli/show_text.h"
#include "model/roofline/placement.h"
#include "model/run/run_foreign.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"
#include "reports/print/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct best_writer {
    rft_str *out;
    const rft_run *run;
    rft_arena *arena;
    bool several; /* runs: each says its device */
} best_writer;

typedef void (*take_best)(const best_writer *w, const rft_point *best, size_t index);

/* Calls take for the best of every problem of a sweep. Returns how many there are. */
static size_t for_each(const best_writer *w, size_t sweep, take_best take) {
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

static const rft_sweep *sweep_of(const best_writer *w, const rft_point *point) {
    return &w->run->sweeps[point->sweep].sweep;
}

static const rft_variant *variant_of(const best_writer *w, const rft_point *point) {
    return &sweep_of(w, point)->variants[point->variant];
}

static const char *problem_of(const best_writer *w, const rft_point *point) {
    return rft_run_problem_text(w->run, point->sweep, point->problem, true, w->arena);
}

/* "NVIDIA H200, run 0123, 2026-11-21", and that it is a replay. */
static const char *origin_of(const best_writer *w) {
    const rft_run *run = w->run;
    char date[40];
    rft_units_format_iso(date, sizeof date, run->info.started_unix_ns);
    date[10] = '\0';
    const char *replay = rft_words_replay(run, w->arena), *foreign = rft_run_foreign_notice(run, w->arena);
    return rft_arena_printf(w->arena, *run->gpu.arch ? "%s (%s), run %s, %s%s%s%s%s%s" : "%s%s, run %s, %s%s%s%s%s%s",
                            run->gpu.name, run->gpu.arch, run->info.id, date, foreign && !replay ? "" : ", rooftune ",
                            foreign && !replay ? "" : run->info.tool_version, replay ? "; " : "", replay ? replay : "",
                            foreign ? rft_arena_printf(w->arena, "; %s", foreign) : "");
}

/* ---- text ---- */

static void best_line(const best_writer *w, const rft_point *best, size_t index) {
    char time[48];
    rft_units_format_seconds(time, sizeof time, rft_point_median_s(best), 3);
    if (index == 0) {
        rft_str_addf(w->out, "%s\n", sweep_of(w, best)->name);
    }
    rft_str_addf(w->out, *problem_of(w, best) ? "  %s: " : "  %s", problem_of(w, best));
    if (sweep_of(w, best)->variant_count > 1) {
        rft_str_addf(w->out, "%s, ", variant_of(w, best)->name);
    }
    const char *unverified = rft_words_unverified(variant_of(w, best), w->arena);
    rft_str_addf(w->out, "%s  %s%s%s\n", rft_run_config_text(w->run, best, false, w->arena), time,
                 unverified ? "; " : "", unverified ? unverified : "");
}

/* ---- JSON and CSV ---- */

static json_t *json_of(const best_writer *w) {
    json_t *root = json_object(), *sweeps = json_object();
    for (size_t s = 0; s < w->run->sweep_count; s++) {
        json_t *list = json_array();
        for (size_t p = 0; p < w->run->sweeps[s].sweep.problem_count; p++) {
            const rft_point *best = rft_run_best(w->run, s, SIZE_MAX, p);
            if (best) {
                json_array_append_new(list, rft_print_json(rft_finding_best(w->run, best, w->arena)));
            }
        }
        json_object_set_new(sweeps, w->run->sweeps[s].sweep.name, list);
    }
    json_object_set_new(root, "origin", json_string(origin_of(w)));
    json_object_set_new(root, "device", json_string(w->run->gpu.name));
    json_object_set_new(root, "best", sweeps);
    return root;
}

static void csv_of(const best_writer *w, const rft_point *best, size_t index) {
    const rft_stats *stats = &rft_point_measurement(best)->stats;
    rft_placement place = rft_placement_of(w->run, best);
    const char *texts[] = {sweep_of(w, best)->name, problem_of(w, best), variant_of(w, best)->name,
                           rft_run_config_text(w->run, best, false, w->arena)};
    const double numbers[] = {stats->median,      stats->low,       stats->high,
                              place.rate_bytes_s, place.rate_ops_s, place.efficiency_frac};
    (void)index;
    if (w->several) {
        rft_csv_add_text(w->out, w->run->gpu.name);
        rft_str_add_char(w->out, ',');
    }
    for (size_t i = 0; i < 4; i++) {
        rft_str_add(w->out, i ? "," : "");
        rft_csv_add_text(w->out, texts[i]);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        rft_str_add_char(w->out, ',');
        if (isfinite(numbers[i])) {
            rft_str_add_double(w->out, numbers[i]);
        }
    }
    rft_str_add(w->out, "\r\n"); /* RFC 4180 */
}

/* ---- Lua ---- */

static void add_lua_values(const best_writer *w, const char *field, const char *const *names, const rft_value *values,
                           size_t count) {
    rft_str_addf(w->out, "%s = {", field);
    for (size_t i = 0; i < count; i++) {
        rft_str_add(w->out, i ? ", [" : " [");
        rft_str_add_lua(w->out, names[i]);
        rft_str_add(w->out, "] = ");
        if (values[i].kind == RFT_VALUE_TEXT) {
            rft_str_add_lua(w->out, values[i].as.text);
        } else {
            rft_value_format(w->out, &values[i]);
        }
    }
    rft_str_add(w->out, " }");
}

static void lua_of(const best_writer *w, const rft_point *best, size_t index) {
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
        rft_str_add_lua(w->out, sweep->name);
        rft_str_add(w->out, "] = {\n");
    }
    rft_str_add(w->out, "    { ");
    add_lua_values(w, "problem", names, sweep->problems[best->problem].values, sweep->axis_count);
    rft_str_add(w->out, ", variant = ");
    rft_str_add_lua(w->out, variant->name);
    rft_str_add(w->out, ",\n      ");
    add_lua_values(w, "config", names + sweep->axis_count, best->config, variant->param_count);
    rft_str_add(w->out, ", median_s = ");
    rft_str_add_double(w->out, rft_point_median_s(best));
    if (variant->unverified_reference) {
        rft_str_add(w->out, ", unverified_reference = ");
        rft_str_add_lua(w->out, variant->unverified_reference);
    }
    rft_str_add(w->out, " },\n");
}

static void lua_sweeps(const best_writer *w) {
    for (size_t s = 0; s < w->run->sweep_count; s++) {
        if (for_each(w, s, lua_of)) {
            rft_str_add(w->out, "  },\n");
        }
    }
}

/* ---- all ---- */

static void each_best(const best_writer *w, take_best take) {
    for (size_t s = 0; s < w->run->sweep_count; s++) {
        for_each(w, s, take);
    }
}

static void all_text(best_writer *w, const rft_run *const *runs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        w->run = runs[i];
        rft_str_addf(w->out, "%s%s\n", i ? "\n" : "", origin_of(w));
        each_best(w, best_line);
    }
}

static void all_json(best_writer *w, const rft_run *const *runs, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        w->run = runs[i];
        json_array_append_new(list, json_of(w));
    }
    char *text = rft_json_dump(count == 1 ? json_array_get(list, 0) : list, NULL);
    rft_str_addf(w->out, "%s\n", text);
    free(text);
    json_decref(list);
}

static void all_lua(best_writer *w, const rft_run *const *runs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        w->run = runs[i];
        rft_str_addf(w->out, RFT_BEST_LUA_HEAD "%s\n", origin_of(w));
    }
    rft_str_add(w->out, count == 1 ? "return {\n" : "return {\n-- a table for each of them, in this order\n");
    for (size_t i = 0; i < count; i++) {
        w->run = runs[i];
        rft_str_add(w->out, count == 1 ? "" : "{\n");
        lua_sweeps(w);
        rft_str_add(w->out, count == 1 ? "" : "},\n");
    }
    rft_str_add(w->out, "}\n");
}

static void all_csv(best_writer *w, const rft_run *const *runs, size_t count) {
    rft_str_addf(w->out,
                 "%ssweep,problem,variant,configuration,median_s,low_s,high_s,rate_bytes_s,rate_ops_s,"
                 "efficiency_frac\r\n",
                 w->several ? "device," : "");
    for (size_t i = 0; i < count; i++) {
        w->run = runs[i];
        each_best(w, csv_of);
    }
}

int rft_best_text(rft_str *out, const rft_run *const *runs, size_t count, const char *format, rft_err *err) {
    static const char *const formats[] = {"text", "json", "lua", "csv", "header"};
    static void (*const writers[])(best_writer *, const rft_run *const *, size_t) = {all_text, all_json, all_lua,
                                                                                     all_csv};
    size_t chosen = 0;
    while (chosen < 5 && strcmp(format, formats[chosen]) != 0) {
        chosen++;
    }
    if (chosen == 5) {
        rft_err_set(err, RFT_E_USAGE, "unknown format \"%s\"", format);
        return rft_err_remedy(err, "--format takes text, json, lua, csv or header");
    }
    best_writer w = {.out = out, .arena = rft_arena_new(), .several = count > 1};
    int code = RFT_OK;
    for (size_t i = 0; i < count && code == RFT_OK; i++) {
        size_t found = 0;
        w.run = runs[i];
        for (size_t s = 0; s < w.run->sweep_count; s++) {
            found += for_each(&w, s, NULL);
        }
        if (found == 0) {
            rft_err_set(err, RFT_E_NOT_FOUND, "no configuration of %s has a verified measurement",
                        count == 1 ? "this run" : origin_of(&w));
            code = rft_err_remedy(err, "`rooftune show` says what became of them");
        }
    }
    if (code == RFT_OK && chosen == 4) {
        code = rft_best_header(out, runs, count, err);
    } else if (code == RFT_OK) {
        writers[chosen](&w, runs, count);
    }
    rft_arena_free(w.arena);
    return code;
}
