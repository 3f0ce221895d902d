/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_text.h"

#include "base/units.h"
#include "cli/show_advice.h"
#include "cli/show_baselines.h"
#include "cli/show_ceilings.h"
#include "cli/show_counters.h"
#include "cli/show_layout.h"
#include "cli/show_parts.h"
#include "cli/show_power.h"
#include "cli/show_steadiness.h"
#include "cli/show_transitions.h"

#include "model/over_roof.h"
#include "model/refine.h"
#include "model/run_foreign.h"

#include <math.h>
#include <string.h>

static const char *seconds_text(const rft_show_page *t, double seconds) {
    char buffer[48] = "n/a";
    if (isfinite(seconds)) {
        rft_units_format_seconds(buffer, sizeof buffer, seconds, 3);
    }
    return rft_arena_strdup(t->arena, buffer);
}

static const char *si_text(const rft_show_page *t, double value, const char *unit) {
    char buffer[48];
    rft_units_format_si(buffer, sizeof buffer, value, 3, unit);
    return rft_arena_strdup(t->arena, buffer);
}

const char *rft_show_number(const rft_show_page *t, double value, int decimals, const char *after) {
    return isfinite(value) ? rft_arena_fixed(t->arena, value, decimals, after) : "n/a";
}

static const char *percent_text(const rft_show_page *t, double frac) {
    return rft_show_number(t, frac * 100.0, frac < 0.1 ? 1 : 0, " %");
}

const char *rft_show_count(const rft_show_page *t, uint64_t count) {
    char buffer[32];
    return rft_arena_strdup(t->arena, rft_units_format_count(buffer, sizeof buffer, count));
}

/* ---- head ---- */

/* What a replay compiled for real, and how that compares. A text in t->arena; NULL: nothing to say. */
static const char *recompiled_text(const rft_show_page *t) {
    const rft_run *run = t->run;
    const char *here = rft_env_value(&run->env, "replay.nvrtc.version");
    const char *there = rft_env_value(&run->env, "nvrtc.version");
    const rft_env_item *item = rft_env_get(&run->env, "replay.nvrtc.version");
    if (run->info.recompiled == 0) {
        return item && item->reason ? rft_arena_printf(t->arena, "nothing was compiled here: %s", item->reason) : NULL;
    }
    bool differs = here && there && strcmp(here, there) != 0;
    return rft_arena_printf(
        t->arena, "%s configurations compiled here%s%s, %s with the recorded registers and spills%s",
        rft_show_count(t, run->info.recompiled), here ? " with NVRTC " : "", here ? here : "",
        rft_show_count(t, run->info.recompiled_same),
        differs ? rft_arena_printf(t->arena, " (recorded with NVRTC %s: releases differ in their code)", there) : "");
}

static void add_head(const rft_show_page *t) {
    const rft_run *run = t->run;
    const rft_run_info *info = &run->info;
    char date[40];
    rft_units_format_utc(date, sizeof date, info->started_unix_ns);
    rft_str_addf(t->out, *run->gpu.arch ? "%s (%s%s)\n" : "%s%s%s\n", run->gpu.name, run->gpu.arch,
                 run->gpu.representative ? ", stands for the architecture" : "");
    const char *foreign = rft_run_foreign_notice(run, t->arena);
    if (foreign) {
        rft_layout_wrapped(t->out, 0, 2, foreign);
    }
    const char *replayed = rft_show_replay_notice(run, t->arena);
    if (replayed) {
        rft_str_addf(t->out, "%s\n", replayed);
    }
    const char *recompiled = replayed ? recompiled_text(t) : NULL;
    if (recompiled) {
        rft_layout_wrapped(t->out, 0, 2, recompiled);
    }
    if (foreign && !replayed) {
        rft_str_addf(t->out, "run %s, %s, %s\n", info->id, date, *info->command ? info->command : "not rooftune's");
    } else {
        rft_str_addf(t->out, "run %s, %s, rooftune %s (%s)\n", info->id, date, info->tool_version, info->tool_revision);
    }
    const char *cost = rft_show_cost(run, t->arena);
    if (cost) {
        rft_layout_wrapped(t->out, 0, 2, cost);
    }
    if (info->finished_unix_ns == 0) {
        rft_layout_wrapped(t->out, 0, 2, "not finished: the same command with -o and this file continues it");
    }
}

/* ---- a sweep: what became of it ---- */

static void add_counts(const rft_show_page *t, size_t sweep) {
    rft_show_tally tally = rft_show_tally_of(t->run, sweep);
    rft_str line = RFT_STR_INIT;
    size_t points = 0;
    for (int outcome = 0; outcome < RFT_OUTCOME_COUNT; outcome++) {
        points += tally.outcomes[outcome];
    }
    rft_str_addf(&line, "%s point%s%s", rft_show_count(t, points), points == 1 ? "" : "s", points ? ":" : "");
    const char *separator = " ";
    for (int outcome = 0; outcome < RFT_OUTCOME_COUNT; outcome++) {
        if (tally.outcomes[outcome]) {
            rft_str_addf(&line, "%s%s %s", separator, rft_show_count(t, tally.outcomes[outcome]),
                         rft_outcome_name((rft_outcome)outcome));
            separator = ", ";
        }
    }
    if (tally.aliases) {
        rft_str_addf(&line, "; %s more are aliases (same cubin and launch)", rft_show_count(t, tally.aliases));
    }
    if (tally.odd) {
        rft_str_addf(&line, "; %s checked on an odd size, %s failed", rft_show_count(t, tally.odd),
                     rft_show_count(t, tally.odd_failed));
    }
    if (tally.cartesian) {
        rft_str_addf(&line, "; %s of %s combinations are valid", rft_show_count(t, tally.valid),
                     rft_show_count(t, tally.cartesian));
    }
    if (tally.refined_problems) {
        rft_str_addf(&line, "; %s of the points are on %s problem%s that refine() added",
                     rft_show_count(t, tally.refined), rft_show_count(t, tally.refined_problems),
                     tally.refined_problems == 1 ? "" : "s");
    }
    rft_layout_wrapped(t->out, 2, 2, rft_str_get(&line));
    rft_str_clear(&line);
    const char *objective = rft_objective_text(t->run->sweeps[sweep].sweep.search.objective);
    if (objective) {
        rft_layout_wrapped(t->out, 2, 2, objective);
    }
    if (t->run->sweeps[sweep].unexplored) {
        rft_layout_wrapped(t->out, 2, 2,
                           rft_arena_printf(t->arena, "not all were tried: %s", t->run->sweeps[sweep].unexplored));
    }
}

/* ---- a sweep: the best of every problem ---- */

/* "± 0.3 %" of the median; a range where no 95 % interval exists. */
static const char *interval_text(const rft_show_page *t, const rft_stats *stats) {
    if (!stats->interval_is_95) {
        return rft_arena_printf(t->arena, "n = %zu", stats->n);
    }
    double percent = rft_stats_half_width_frac(stats) * 100.0;
    int decimals = percent < 0.095 ? 2 : percent < 9.95 ? 1 : 0;
    return rft_arena_printf(t->arena, "%s %s", t->plus_minus, rft_show_number(t, percent, decimals, " %"));
}

void rft_show_figures(const rft_show_page *t, const rft_point *point) {
    const rft_stats *stats = &rft_point_measurement(point)->stats;
    rft_placement place = rft_placement_of(t->run, point);
    rft_bound bound = rft_bound_of(t->run, point);
    const char *unit = "";
    double rate = rft_show_rate(&place, &point->work, &unit);
    rft_layout_right(t->out, seconds_text(t, stats->median), 10);
    rft_layout_right(t->out, interval_text(t, stats), 10);
    rft_layout_right(t->out, isnan(rate) ? "n/a" : si_text(t, rate, unit), 14);
    rft_layout_right(t->out, percent_text(t, place.efficiency_frac), 7);
    rft_str_addf(t->out, "  %s", bound.firmness == RFT_FIRM_MOSTLY ? "mostly " : "");
    rft_str_add(t->out, rft_resource_name(bound.resource, bound.pipe));
    rft_str_add_char(t->out, '\n');
}

void rft_show_table_head(const rft_show_page *t, const char *first, size_t width) {
    rft_str_add(t->out, "  ");
    rft_layout_left(t->out, first, width);
    rft_layout_right(t->out, "median", 10);
    rft_layout_right(t->out, rft_arena_printf(t->arena, "%s95 %%", t->plus_minus), 10);
    rft_layout_right(t->out, "useful rate", 14);
    rft_layout_right(t->out, "roof", 7);
    rft_str_add(t->out, "  bound\n");
}

const char *rft_show_config_name(const rft_show_page *t, const rft_point *point) {
    const rft_sweep *sweep = &t->run->sweeps[point->sweep].sweep;
    const char *config = rft_run_config_text(t->run, point, true, t->arena);
    if (sweep->variant_count < 2) {
        return *config ? config : "(nothing to tune)";
    }
    const char *name = sweep->variants[point->variant].name;
    return *config ? rft_arena_printf(t->arena, "%s: %s", name, config) : name;
}

size_t rft_show_widest(size_t width, const char *cell, size_t limit) {
    size_t columns = rft_layout_columns(cell);
    columns = columns > limit ? limit : columns;
    return columns > width ? columns : width;
}

static void add_problem(const rft_show_page *t, size_t sweep, size_t problem, size_t width) {
    const rft_sweep *data = &t->run->sweeps[sweep].sweep;
    const char *name = rft_run_problem_text(t->run, sweep, problem, true, t->arena);
    const rft_point *best = rft_run_best(t->run, sweep, SIZE_MAX, problem);
    rft_str_add(t->out, "  ");
    rft_layout_left(t->out, name, width);
    if (rft_layout_columns(name) > width) {
        rft_str_add_char(t->out, '\n');
        rft_layout_spaces(t->out, 2 + width);
    }
    if (best == NULL) {
        rft_str_add(t->out,
                    data->problems[problem].refined ? "  nothing measured (refined)\n" : "  nothing measured\n");
        return;
    }
    rft_show_figures(t, best);
    size_t ties = rft_show_ties(t->run, best, t->arena);
    const char *tie = ties ? rft_arena_printf(t->arena, " (tie with %zu other%s)", ties, ties > 1 ? "s" : "") : "";
    double items = best->work.items > 0 ? best->work.items / rft_point_median_s(best) : (double)NAN;
    const char *rate = isnan(items) ? "" : rft_arena_printf(t->arena, ", %s", si_text(t, items, ""));
    const char *item = isnan(items) ? "" : best->work.item_name ? best->work.item_name : "item";
    const rft_measurement *m = rft_point_measurement(best);
    const char *note = rft_measurement_note(m, &t->run->ceilings, t->arena);
    const char *refined = rft_refine_text(t->run, sweep, problem, t->arena);
    double cycles = rft_measurement_cycles(m);
    const rft_over_roof over = rft_over_roof_of(t->run, best, t->arena);
    const char *beyond =
        over.text ? rft_arena_printf(t->arena, "; %s of its roof: %s", percent_text(t, over.factor), over.text) : "";
    rft_layout_wrapped(
        t->out, 4, 2,
        rft_arena_printf(t->arena, "%s%s%s%s%s%s%s%s%s%s%s", rft_show_config_name(t, best), tie, rate, *item ? " " : "",
                         *item ? rft_arena_printf(t->arena, "%ss/s", item) : "",
                         isnan(cycles) ? "" : rft_arena_printf(t->arena, ", %s", si_text(t, cycles, "cycles")), beyond,
                         note ? "; " : "", note ? note : "", refined ? "; " : "", refined ? refined : ""));
    rft_show_versus(t, best);
}

static void add_problems(const rft_show_page *t, size_t sweep) {
    const rft_sweep *data = &t->run->sweeps[sweep].sweep;
    size_t width = 8;
    for (size_t p = 0; p < data->problem_count; p++) {
        width = data->problems[p].odd
                    ? width
                    : rft_show_widest(width, rft_run_problem_text(t->run, sweep, p, true, t->arena), 24);
    }
    rft_str_add_char(t->out, '\n');
    rft_show_table_head(t, "problem", width);
    const size_t *order = rft_refine_order(data, t->arena);
    for (size_t i = 0; i < data->problem_count; i++) {
        if (!data->problems[order[i]].odd) {
            add_problem(t, sweep, order[i], width);
        }
    }
}

static rft_show_page begin(rft_str *out, const rft_run *run, bool ascii) {
    return (rft_show_page){.out = out, .run = run, .arena = rft_arena_new(), .plus_minus = ascii ? "+-" : "\xc2\xb1"};
}

/* With the kernel's name where neither the sweep nor a ladder says it. */
static void add_title(rft_show_page *t, size_t s) {
    const rft_sweep *sweep = &t->run->sweeps[s].sweep;
    const char *kernel = sweep->variant_count == 1 ? sweep->variants[0].kernel : NULL;
    bool told = !kernel || !*kernel || strstr(kernel, sweep->name) != NULL;
    rft_str_addf(t->out, "\n%s (%s%s%s cache)\n", sweep->name, told ? "" : kernel, told ? "" : ", ",
                 rft_cache_mode_name(sweep->measure.cache));
}

void rft_show_run(rft_str *out, const rft_run *run, const rft_show_opts *opts) {
    rft_show_page t = begin(out, run, opts->ascii);
    add_head(&t);
    rft_show_steadiness(out, run, true, t.arena);
    rft_show_idle(&t);
    rft_show_ceilings(out, run, t.arena);
    for (size_t s = 0; s < run->sweep_count; s++) {
        add_title(&t, s);
        add_counts(&t, s);
        add_problems(&t, s);
        rft_show_ladder(&t, s);
        rft_show_baselines(&t, s);
        rft_show_power_sweep(&t, s);
        rft_show_counted_sweep(out, run, s, t.arena);
        rft_show_transitions(&t, s);
        rft_show_fits(&t, s);
        rft_show_advice(out, run, s, t.arena);
        rft_show_failures(&t, s);
    }
    rft_arena_free(t.arena);
}

void rft_show_summary(rft_str *out, const rft_run *run) {
    rft_show_page t = begin(out, run, false);
    add_head(&t);
    rft_show_steadiness(out, run, false, t.arena);
    for (size_t s = 0; s < run->sweep_count; s++) {
        add_title(&t, s);
        add_counts(&t, s);
        add_problems(&t, s);
        rft_show_ladder(&t, s);
        rft_show_power_sweep(&t, s);
        rft_show_failures(&t, s);
    }
    rft_arena_free(t.arena);
}
