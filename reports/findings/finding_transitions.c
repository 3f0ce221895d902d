/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "reports/findings/findings.h"
#include "reports/findings/profile_charts.h"
#include "reports/findings/transition_rows.h"
#include "reports/findings/words.h"

#define CHARTS_MOST 2 /* without --full, of lines with a change */
#define HEIGHT 168.0
#define HEIGHT_ALONE 140.0 /* over the whole width */

/* ---- along axes ---- */

static const rft_found_line *find_first(const rft_transitions_told *t, const rft_profile *profile) {
    rft_found_line *found = rft_arena_alloc(t->arena, sizeof *found);
    *found = rft_found_line_on(t, profile);
    return found;
}

/* The lines of sweeps [first, end); each takes some milliseconds. */
static size_t find_lines(const rft_transitions_told *t, size_t first, size_t end, rft_found_line **out) {
    size_t used = 0, capacity = 0;
    *out = NULL;
    for (size_t s = first; s < end; s++) {
        rft_ladder_line *lines = NULL;
        size_t count = rft_ladder_lines(t->run, s, t->arena, &lines);
        for (size_t i = 0; i < count; i++) {
            *out = rft_arena_grown(t->arena, *out, used, &capacity, sizeof **out);
            (*out)[used] = rft_found_line_on(t, lines[i].best);
            (*out)[used++].first = lines[i].first ? find_first(t, lines[i].first) : NULL;
        }
    }
    return used;
}

static rft_chart *chart_of(const rft_transitions_told *t, const rft_found_line *line) {
    const char *title = rft_arena_printf(t->arena, "%s: %s", t->run->sweeps[line->profile->sweep].sweep.name,
                                         rft_words_line(t->run, line->profile, t->arena));
    const rft_along_opts opts = {.title = title,
                                 .height = HEIGHT,
                                 .best_alone = true,
                                 .first = line->first ? line->first->profile : NULL,
                                 .transitions = line->items,
                                 .transition_count = line->count};
    return rft_along_chart(t->run, line->profile, &opts, t->arena);
}

/* On the line, or on that of the first variant. */
static bool has_change(const rft_found_line *line) {
    for (size_t i = 0; i < line->count; i++) {
        if (line->items[i].kind != RFT_TRANSITION_NONE && line->items[i].kind != RFT_TRANSITION_NOT_EXPLORED) {
            return true;
        }
    }
    return line->first && has_change(line->first);
}

static const char chart_legend[] =
    "Transitions: marks, the best over all variants at every value, and the first variant; grey lines: what the "
    "measured ceilings allow for "
    "the same work; shaded, with its name or, where it is narrow, its number from the left: what holds the best back. "
    "Dashed: where the times turn, the thick line at its foot and the brackets give the 95 % interval.";

/* The profile of the bests, the ceilings along the axis, bands of bound, and the places: lines with a change first,
 * those without one with `full` alone. */
static void add_charts(rft_finding *f, const rft_transitions_told *t, const rft_found_line *lines, size_t count,
                       bool full) {
    rft_chart **charts = rft_arena_calloc(t->arena, count + 1, sizeof(rft_chart *));
    size_t used = 0, drawable = 0, most = full ? count : CHARTS_MOST;
    for (int changed = 1; changed >= !full; changed--) {
        for (size_t i = 0; i < count; i++) {
            if (rft_profile_measured(lines[i].profile) > 1 && has_change(&lines[i]) == (changed == 1)) {
                drawable++;
                if (used < most) {
                    charts[used++] = chart_of(t, &lines[i]);
                }
            }
        }
    }
    if (used == 0) {
        return;
    }
    charts[0]->height = used == 1 ? HEIGHT_ALONE : HEIGHT;
    rft_finding_chart_rows(f, charts, used, rft_finding_chart_columns(used));
    if (used < drawable) {
        rft_finding_note(f, RFT_ON_PAGE, "%s; --full draws all.",
                         rft_words_plural(drawable - used, "line with a change is not drawn",
                                          "lines with a change are not drawn", t->arena));
    }
    rft_finding_legend(f, chart_legend);
}

rft_finding *rft_finding_transitions(const rft_run *run, size_t sweep, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_transitions_told t = {.run = run, .arena = arena};
    rft_found_line *lines = NULL;
    size_t count = find_lines(&t, sweep, sweep + 1, &lines);
    if (count > 0) {
        rft_finding_heading(f, RFT_IN_TEXT, 2, "transitions");
    }
    t.table = rft_transition_table(f, "");
    t.table->lines = true;
    for (size_t i = 0; i < count; i++) {
        rft_transition_rows_add(&t, &lines[i], NULL);
    }
    return f;
}

/* ---- along parameters ---- */

/* No place of its own to tell: one bound all along, or not explored. */
static bool is_placeless(const rft_found_line *line) {
    return line->count == 1 && !line->items[0].at_steps;
}

static bool say_the_same(const rft_found_line *a, const rft_found_line *z) {
    return is_placeless(a) && is_placeless(z) && a->items[0].kind == z->items[0].kind &&
           rft_text_equal(a->items[0].why ? a->items[0].why : "", z->items[0].why ? z->items[0].why : "");
}

/* The parameters of these lines, the first leading, that say what the first does. */
static const char *same_names(const rft_transitions_told *t, const rft_found_line *lines, size_t count) {
    const rft_profile *first = lines[0].profile;
    const rft_param *params = t->run->sweeps[first->sweep].sweep.variants[first->variant].params;
    rft_str names = RFT_STR_INIT;
    rft_str_add(&names, params[first->index].name);
    for (size_t i = 1; i < count; i++) {
        if (say_the_same(&lines[0], &lines[i])) {
            rft_str_addf(&names, ", %s", params[lines[i].profile->index].name);
        }
    }
    const char *kept = rft_arena_strdup(t->arena, rft_str_get(&names));
    rft_str_clear(&names);
    return kept;
}

/* Those that say the same share a row: there are many of them, and little to say of each. */
static void add_params(const rft_transitions_told *t, size_t sweep) {
    size_t problem = rft_run_largest(t->run, sweep);
    const rft_point *best = problem == SIZE_MAX ? NULL : rft_run_best(t->run, sweep, SIZE_MAX, problem);
    if (!best || best->variant >= t->run->sweeps[sweep].sweep.variant_count) {
        return;
    }
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_params(t->run, sweep, best->variant, problem, t->arena, &profiles);
    rft_found_line *lines = rft_arena_calloc(t->arena, count + 1, sizeof *lines);
    bool *said = rft_arena_calloc(t->arena, count + 1, sizeof *said); /* by one before it */
    for (size_t i = 0; i < count; i++) {
        lines[i] = rft_found_line_on(t, &profiles[i]);
        bool is_told = false;
        for (size_t k = 0; k < i; k++) {
            is_told = is_told || say_the_same(&lines[k], &lines[i]);
        }
        said[i] = is_told;
    }
    for (size_t i = 0; i < count; i++) {
        if (!said[i]) {
            rft_transition_rows_add(t, &lines[i], same_names(t, &lines[i], count - i));
        }
    }
}

static const char legend[] =
    "Bound transitions: where what holds the best configuration back changes; under it the same of a ladder's first "
    "variant. A transition is found only where the measured times turn; place and 95 % interval are those of the turn, "
    "elsewhere the neighbouring values stand. By clock and rate it is found where the SM clock begins to hold back "
    "what is busy. A turn without a change of bound is told as such, a change of bound without a turn is \"none\" or "
    "\"unclear\", with the reason. The ridge formula's place is where work / ceiling of both are equal, in brackets by "
    "the datasheet's values. Evidence: counted (hardware counters), modelled (the kernel's own traffic formula) or "
    "declared (the work alone).";
static const char params_legend[] =
    "Along parameters: on the longest-running problem, best variant, the best over the other parameters.";

rft_finding *rft_finding_transitions_paged(const rft_run *run, size_t sweep, const rft_transition_view *view,
                                           rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_transitions_told t = {.run = run, .arena = arena, .full = view->full, .paged = true, .kept = view->kept};
    rft_found_line *lines = NULL;
    size_t count = find_lines(&t, sweep, sweep + 1, &lines);
    if (!view->all && count == 0) {
        return NULL;
    }
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || has_change(&lines[i]);
    }
    if (!view->all && !any) {
        rft_finding_note(f, RFT_ON_PAGE, "Bound transitions: none found along %s.",
                         rft_words_plural(count, "line", "lines", arena));
        return f;
    }
    rft_finding_heading(f, RFT_ON_PAGE, 2, "Bound transitions");
    if (view->charts) {
        add_charts(f, &t, lines, count, view->full);
    }
    t.table = rft_transition_table(f, NULL);
    for (size_t i = 0; i < count; i++) {
        if (view->all || has_change(&lines[i])) {
            rft_transition_rows_add(&t, &lines[i], NULL);
        }
    }
    size_t along_axes = t.table->row_count;
    if (view->all) {
        add_params(&t, sweep);
    }
    const bool params = t.table->row_count > along_axes;
    if (params && along_axes > 0) {
        t.table->rows[along_axes].rule = true;
    }
    if (along_axes == 0) {
        rft_finding_note(f, RFT_ON_PAGE, "Along axes: not explored, the sweep names no axis to look along.");
    }
    if (t.table->row_count > 0) {
        rft_finding_legend(f, params ? rft_arena_printf(arena, "%s %s", legend, params_legend) : legend);
    }
    return f;
}
