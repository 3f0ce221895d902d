/* SPDX-License-Identifier: Apache-2.0 */
/* The rooflines that the bests along each axis follow: what these kernels reach, beside the ceilings. */
#include "model/roofline/reach.h"
#include "reports/findings/findings.h"
#include "reports/findings/profile_charts.h"
#include "reports/findings/words.h"

#include <math.h>
#include <string.h>

#define LINES_MOST 8 /* on a terminal, of a sweep */

enum {
    LINE,
    AXIS,
    THROUGH,
    POINTS,
    PIPE,
    SCATTER_DATA,
    WHY,
    OVERHEAD_DATA, /* and as many more as RFT_FIT_PARAM_COUNT says */
    OVERHEAD_TEXT = OVERHEAD_DATA + RFT_FIT_PARAM_COUNT,
    MEMORY,
    PEAK,
    OVERHEAD,
    KNEE,
    SCATTER,
    FIELDS
};

static rft_cell_table *fit_table(rft_finding *f, const char *key) {
    rft_trait fields[FIELDS] = {
        [LINE] = {.title = "Along", .wraps = true},
        [AXIS] = {.key = "axis"},
        [THROUGH] = {.key = "line_through"},
        [POINTS] = {.key = "points"},
        [PIPE] = {.key = "pipe"},
        [SCATTER_DATA] = {.key = "scatter_frac"},
        [WHY] = {.key = "why"},
        [OVERHEAD_TEXT] = {.title = "Overhead", .where = RFT_IN_TEXT, .lead = ": "},
        [MEMORY] = {.title = "Bandwidth, of the ceiling", .lead = "; ", .wraps = true},
        [PEAK] = {.title = "Peak, of the ceiling", .lead = "; ", .wraps = true},
        [OVERHEAD] = {.title = "Overhead", .where = RFT_ON_PAGE, .wraps = true},
        [KNEE] = {.title = "Sharpness", .lead = "; ", .wraps = true},
        [SCATTER] = {.title = "Scatter", .lead = "; ", .style = RFT_AS_PERCENT, .align = RFT_ALIGN_RIGHT},
    };
    for (int i = 0; i < RFT_FIT_PARAM_COUNT; i++) {
        fields[OVERHEAD_DATA + i] = (rft_trait){.key = rft_fit_param_name((rft_fit_name)i)};
    }
    rft_cell_table *table = rft_finding_table(f, key, fields, FIELDS);
    table->lines = true;
    return table;
}

static const char *figure_text(const rft_profile_fit *fit, rft_fit_name name, double value, rft_arena *arena) {
    switch (name) {
    case RFT_FIT_OVERHEAD:
        return rft_figure_si(arena, value, "s");
    case RFT_FIT_BANDWIDTH:
        return rft_figure_si(arena, value, "B/s");
    case RFT_FIT_PEAK:
        return rft_figure_si(arena, value, fit->peak < RFT_CEILING_COUNT ? rft_ceiling_unit(fit->peak) : "op/s");
    case RFT_FIT_SHARPNESS:
    case RFT_FIT_PARAM_COUNT:
        break;
    }
    return rft_figure_plain(arena, value, 2);
}

/* "4.31-4.86 TB/s": the unit once where both ends have it. */
static const char *range_text(const char *low, const char *high, const char *joint, rft_arena *arena) {
    const char *of_low = strchr(low, ' '), *of_high = strchr(high, ' ');
    bool same = of_low && of_high && strcmp(of_low, of_high) == 0;
    return rft_arena_printf(arena, "%.*s%s%s", (int)(same ? (size_t)(of_low - low) : strlen(low)), low, joint, high);
}

/* "4.55 TB/s (4.31-4.86 TB/s), 99 %"; "at least 4.46 TFLOP/s, 7 % (a)"; "unknown (b)": notes say why. */
static const char *param_text(const rft_profile_fit *fit, rft_fit_name name, bool brief, rft_arena *arena) {
    const rft_fit_param *param = &fit->fit.params[name];
    const char *text = "unknown", *between = "";
    double value = NAN;
    if (param->state == RFT_FIT_KNOWN) {
        value = param->value;
        text = figure_text(fit, name, value, arena);
        between = rft_arena_printf(arena, " (%s)",
                                   range_text(figure_text(fit, name, param->low, arena),
                                              figure_text(fit, name, param->high, arena),
                                              brief ? " to " : "\xe2\x80\x93", arena));
    } else if (param->state != RFT_FIT_UNKNOWN) {
        bool least = param->state == RFT_FIT_AT_LEAST;
        value = least ? param->low : NAN;
        text = rft_arena_printf(arena, "at %s %s", least ? "least" : "most",
                                figure_text(fit, name, least ? param->low : param->high, arena));
    }
    double share = value / rft_profile_fit_ceiling(fit, name);
    const char *of =
        isfinite(share) ? rft_arena_printf(arena, ", %s", rft_arena_fixed(arena, 100 * share, 0, " %")) : "";
    return rft_arena_printf(arena, "%s%s%s%s", text, between, of, *of && brief ? " of the ceiling" : "");
}

/* Whether writes of one of its points may still have been in the L2 when its launch ended. */
static bool left_writes(const rft_run *run, const rft_fitted *of) {
    bool left = false;
    for (size_t i = 0; i < of->fit.count && !left; i++) {
        const rft_reach reach = rft_reach_of(run, of->profile->steps[of->fit.steps[i]].best);
        left = reach.at_most || reach.back_to_back;
    }
    return left;
}

/* What is wholly above its ceiling names its cause; else the fit's own reason, or NULL. */
static const char *why_text(const rft_run *run, const rft_fitted *of, rft_fit_name name) {
    const rft_fit_param *param = &of->fit.fit.params[name];
    bool above = param->state == RFT_FIT_KNOWN && param->low > rft_profile_fit_ceiling(&of->fit, name);
    if (!above) {
        return param->why;
    }
    return name == RFT_FIT_BANDWIDTH && left_writes(run, of)
               ? "above the ceiling: some writes were still in the L2 when launches ended, and the overhead is taken "
                 "off "
                 "the times as if nothing went on meanwhile"
               : "above the ceiling: the overhead is taken off the times as if nothing went on meanwhile";
}

static rft_datum param_cell(const rft_run *run, const rft_fitted *of, rft_fit_name name, rft_arena *arena) {
    const rft_profile_fit *fit = &of->fit;
    return (rft_datum){
        .words = param_text(fit, name, false, arena),
        .brief = rft_arena_printf(arena, "%s %s", rft_fit_param_name(name), param_text(fit, name, true, arena)),
        .note = why_text(run, of, name)};
}

static const rft_finding *param_data(const rft_profile_fit *fit, rft_fit_name name, rft_arena *arena) {
    const rft_fit_param *param = &fit->fit.params[name];
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "state", rft_datum_text(rft_fit_state_name(param->state)));
    rft_finding_set(f, "value", rft_datum_number(param->value));
    rft_finding_set(f, "low", rft_datum_number(param->low));
    rft_finding_set(f, "high", rft_datum_number(param->high));
    rft_finding_set(f, "ceiling", rft_datum_number(rft_profile_fit_ceiling(fit, name)));
    rft_finding_set(f, "why", rft_datum_text(param->why));
    return f;
}

static void put_params(rft_datum *cells, const rft_run *run, const rft_fitted *of, rft_arena *arena) {
    const rft_profile_fit *fit = &of->fit;
    if (fit->fit.why) {
        cells[OVERHEAD_TEXT] = (rft_datum){.words = "no fit", .note = fit->fit.why};
        cells[MEMORY] = (rft_datum){.words = "no fit", .brief = "", .note = fit->fit.why};
        cells[SCATTER].brief = "";
        return;
    }
    cells[OVERHEAD] = cells[OVERHEAD_TEXT] = param_cell(run, of, RFT_FIT_OVERHEAD, arena);
    cells[MEMORY] = param_cell(run, of, RFT_FIT_BANDWIDTH, arena);
    cells[PEAK] = fit->pipe == RFT_PIPE_COUNT ? (rft_datum){.words = "no operations", .brief = ""}
                                              : param_cell(run, of, RFT_FIT_PEAK, arena);
    cells[KNEE] = param_cell(run, of, RFT_FIT_SHARPNESS, arena);
}

static rft_cell_row *add_row(const rft_run *run, rft_cell_table *table, const rft_fitted *of) {
    const rft_sweep *sweep = &run->sweeps[of->profile->sweep].sweep;
    const rft_profile_fit *fit = &of->fit;
    rft_arena *arena = table->arena;
    const char *line = rft_words_line(run, of->profile, arena);
    rft_cell_row *row = rft_cell_table_row(table);
    row->cells[LINE].words = rft_arena_printf(arena, "%s: %s, %zu values", sweep->name, line, fit->count);
    row->cells[LINE].brief = rft_arena_printf(arena, "along %s", line);
    row->cells[AXIS] = rft_datum_text(sweep->axes[of->profile->index].name);
    row->cells[THROUGH] = rft_datum_finding(rft_finding_problem(sweep, of->profile->problem, arena));
    row->cells[POINTS] = rft_datum_count((int64_t)fit->count);
    row->cells[PIPE] = rft_datum_text(fit->pipe != RFT_PIPE_COUNT ? rft_pipe_name(fit->pipe) : NULL);
    row->cells[SCATTER_DATA] = rft_datum_number(fit->fit.scatter_frac);
    row->cells[WHY] = rft_datum_text(fit->fit.why);
    for (int i = 0; i < RFT_FIT_PARAM_COUNT; i++) {
        row->cells[OVERHEAD_DATA + i] = rft_datum_finding(param_data(fit, (rft_fit_name)i, arena));
    }
    const char *scatter =
        isfinite(fit->fit.scatter_frac) ? rft_figure_plain(arena, 100 * fit->fit.scatter_frac, 2) : NULL;
    row->cells[SCATTER].words = scatter ? scatter : "n/a";
    row->cells[SCATTER].brief = rft_arena_printf(arena, "scatter %s%s of %zu values", row->cells[SCATTER].words,
                                                 scatter ? " %" : "", fit->fit.point_count);
    put_params(row->cells, run, of, arena);
    return row;
}

rft_finding *rft_finding_fits(const rft_run *run, size_t sweep, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_axes(run, sweep, SIZE_MAX, arena, &profiles), lines = 0;
    for (size_t i = 0; i < count; i++) {
        lines += rft_profile_measured(&profiles[i]) >= RFT_FIT_LEAST;
    }
    if (lines > 0) {
        rft_finding_heading(f, RFT_IN_FULL, 2, "fit of the bests: what these kernels reach");
    }
    rft_cell_table *table = fit_table(f, "");
    for (size_t i = 0, told = 0; i < count; i++) {
        const rft_fitted of = {&profiles[i], rft_profile_fit_of(run, &profiles[i], arena)};
        bool tells = rft_profile_measured(&profiles[i]) >= RFT_FIT_LEAST && told++ < LINES_MOST;
        add_row(run, table, &of)->where = RFT_IN_DATA | (tells ? RFT_IN_FULL : 0);
    }
    if (lines > LINES_MOST) {
        rft_finding_note(f, RFT_IN_FULL, "%zu more: --json", lines - LINES_MOST);
    }
    return f;
}

/* Of many sweeps: what was fitted to an experiment, or could not be fitted. */
static bool says_little(const rft_run *run, const rft_fitted *of) {
    return run->sweep_count > RFT_SWEEPS_MANY &&
           (of->fit.fit.why || run->sweeps[of->profile->sweep].sweep.diagnostic == 1);
}

rft_finding *rft_finding_fits_of(const rft_run *run, const rft_fitted *fits, size_t count, size_t left_out,
                                 rft_arena *arena) {
    rft_finding *f = count ? rft_finding_new(arena) : NULL;
    if (!f) {
        return NULL;
    }
    rft_finding_chapter(f, 2, "What these kernels reach", "fits");
    rft_finding_note(
        f, RFT_ON_PAGE,
        "A roofline fitted to the best configurations along each axis: time = overhead + ((bytes / "
        "bandwidth)^p + (operations / peak)^p)^(1/p), with the work's own bytes and operations; p is the "
        "sharpness of the knee (1: memory and arithmetic take turns). Intervals: 95 %%. What the points do "
        "not carry is bounded or unknown, with the reason. Scatter: of the times about the fit.");
    rft_cell_table *table = fit_table(f, NULL);
    table->where = RFT_ON_PAGE;
    for (size_t i = 0; i < count; i++) {
        if (says_little(run, &fits[i])) {
            left_out++;
            continue;
        }
        add_row(run, table, &fits[i]);
    }
    if (left_out > 0) {
        rft_finding_note(f, RFT_ON_PAGE, "%s: rooftune show --json has the fits of all.",
                         rft_words_plural(left_out, "line more", "lines more", arena));
    }
    return f;
}
