/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/axis.h"
#include "reports/doc_transition_charts.h"

#include "base/str.h"

#include <math.h>

enum {
    COLUMN_LINE,
    COLUMN_VERDICT,
    COLUMN_FROM,
    COLUMN_TO,
    COLUMN_WHERE,
    COLUMN_INTERVAL,
    COLUMN_RIDGE,
    COLUMN_EVIDENCE,
    COLUMN_WHY,
    COLUMN_COUNT
};

static const rft_column columns[COLUMN_COUNT] = {
    [COLUMN_LINE] = {.title = "Along", .wraps = true},
    [COLUMN_VERDICT] = {.title = "Transition"},
    [COLUMN_FROM] = {.title = "From", .wraps = true},
    [COLUMN_TO] = {.title = "To", .wraps = true},
    [COLUMN_WHERE] = {.title = "Where", .align = RFT_ALIGN_RIGHT},
    [COLUMN_INTERVAL] = {.title = "Interval", .wraps = true},
    [COLUMN_RIDGE] = {.title = "Ridge formula", .align = RFT_ALIGN_RIGHT},
    [COLUMN_EVIDENCE] = {.title = "Evidence"},
    [COLUMN_WHY] = {.title = "Remark", .wraps = true},
};

/* Grid values as they are; an estimated place never with more than three digits. */
static const char *grid_text(const rft_build *b, double value) {
    return isnan(value) ? "n/a" : rft_axis_label(value, b->arena);
}

const char *rft_build_place_text(const rft_build *b, double value) {
    if (!(value > 0) || !isfinite(value)) {
        return isnan(value) ? "n/a" : rft_figure_plain(b->arena, value, 3);
    }
    double unit = pow(10, floor(log10(value)) - 2);
    return value < 1e5 ? rft_figure_plain(b->arena, value, 3) : rft_axis_label(round(value / unit) * unit, b->arena);
}

static const char *slope_text(const rft_build *b, double value) {
    return isnan(value) ? "n/a" : rft_arena_fixed(b->arena, fabs(value) < 0.005 ? 0.0 : value, 2, ""); /* no "-0.00" */
}

static const char *line_text(const rft_build *b, const rft_profile *profile) {
    const rft_sweep *sweep = &b->run->sweeps[profile->sweep].sweep;
    if (!profile->along_param) {
        return rft_arena_printf(b->arena, "%s: %s", sweep->name, rft_build_line(b, profile));
    }
    const rft_variant *variant = &sweep->variants[profile->variant];
    return rft_arena_printf(b->arena, "%s%s%s, %s", variant->params[profile->index].name,
                            sweep->variant_count > 1 ? " of " : "", sweep->variant_count > 1 ? variant->name : "",
                            rft_words_problem(b->run, profile->sweep, profile->problem, b->arena));
}

static const char *bound_name(const rft_profile *profile, size_t step) {
    return rft_resource_name(profile->steps[step].bound.resource, profile->steps[step].bound.pipe);
}

/* The one bound of a profile without a change, "" when nothing was measured. */
static const char *only_bound(const rft_profile *profile) {
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].best) {
            return bound_name(profile, i);
        }
    }
    return "";
}

/* A place with its interval; places between grid neighbours alone are told by these. */
static const char *interval_text(const rft_build *b, const rft_transition *found) {
    bool estimated = found->by_times && (!isnan(found->where) || found->turn.wide);
    const char *low = estimated ? rft_build_place_text(b, found->low) : grid_text(b, found->low);
    const char *high = estimated ? rft_build_place_text(b, found->high) : grid_text(b, found->high);
    return rft_arena_printf(b->arena, "%s\xe2\x80\x93%s", low, high);
}

/* What is to be said beside a located place: the turn's slopes, and the waves of blocks. */
static const char *located_text(const rft_build *b, rft_table *table, const rft_transition *found) {
    if (!found->by_times) {
        return rft_arena_printf(b->arena, "by its neighbours alone%s",
                                rft_doc_note(b->doc, table,
                                             "Too few values for a turn of the times: the interval is the step "
                                             "of the axis, the place where the branches of both bounds, drawn through "
                                             "the two times beside it, meet."));
    }
    const char *of = found->turn_of == RFT_TURN_OF_TIME            ? "of time"
                     : found->turn_of == RFT_TURN_OF_TIME_PER_WORK ? "of time per work"
                                                                   : "of time per byte over intensity";
    const char *slopes = rft_arena_printf(b->arena, "slope %s to %s %s", slope_text(b, found->turn.slope_before),
                                          slope_text(b, found->turn.slope_after), of);
    if (isfinite(found->scatter_frac)) {
        slopes = rft_arena_printf(b->arena, "%s; the times scatter by %s about two laws, more than their noise", slopes,
                                  rft_arena_fixed(b->arena, 100 * found->scatter_frac, 0, " %"));
    }
    return found->waves_note ? rft_arena_printf(b->arena, "%s; %s", slopes, found->waves_note) : slopes;
}

/* With a note where refine() added values to the line: "m=192: 6 configurations measured there, ...". */
static const char *noted_line(const rft_build *b, rft_table *table, const rft_profile *profile) {
    const char *line = line_text(b, profile);
    rft_str note = RFT_STR_INIT;
    for (size_t i = 0; i < profile->step_count && !profile->along_param; i++) {
        const rft_profile_step *step = &profile->steps[i];
        if (step->refined > 0 && step->best) {
            const rft_axis *axis = &b->run->sweeps[profile->sweep].sweep.axes[profile->index];
            rft_str_add(&note, note.length ? "; " : "Refined: ");
            rft_values_format(&note, &axis->name, &step->value, 1);
            rft_str_addf(&note, " (%zu)", step->measured);
        }
    }
    if (note.length) {
        rft_str_add(&note, ". In brackets: configurations measured there, from the winners of both ends.");
        line = rft_arena_printf(b->arena, "%s%s", line, rft_doc_note(b->doc, table, rft_str_get(&note)));
    }
    rft_str_clear(&note);
    return line;
}

static void add_transition(rft_build *b, rft_table *table, const rft_profile *profile, const rft_transition *found,
                           bool first) {
    rft_row *row = rft_doc_row(b->doc, table);
    bool located = found->kind == RFT_TRANSITION_FOUND || found->kind == RFT_TRANSITION_TURN;
    row->cells[COLUMN_LINE] = first ? noted_line(b, table, profile) : NULL;
    row->strong = found->kind == RFT_TRANSITION_FOUND;
    row->cells[COLUMN_VERDICT] = rft_transition_kind_name(found->kind);
    if (!found->at_steps) {
        bool none = found->kind == RFT_TRANSITION_NONE;
        row->cells[COLUMN_FROM] = none ? only_bound(profile) : NULL;
        row->cells[COLUMN_WHY] = found->why ? found->why : none ? "one bound all along" : NULL;
        return;
    }
    row->cells[COLUMN_FROM] = bound_name(profile, found->from);
    row->cells[COLUMN_TO] = bound_name(profile, found->to);
    row->cells[COLUMN_WHERE] = rft_build_place_text(b, found->where);
    row->cells[COLUMN_INTERVAL] = interval_text(b, found);
    row->cells[COLUMN_RIDGE] = isfinite(found->ridge_datasheet)
                                   ? rft_arena_printf(b->arena, "%s (%s)", rft_build_place_text(b, found->ridge),
                                                      rft_build_place_text(b, found->ridge_datasheet))
                                   : rft_build_place_text(b, found->ridge);
    row->cells[COLUMN_EVIDENCE] = rft_evidence_name(found->evidence);
    row->cells[COLUMN_WHY] = located ? located_text(b, table, found) : found->why;
}

static size_t add_profile(rft_build *b, rft_table *table, const rft_found *line) {
    size_t found_count = 0;
    for (size_t k = 0; k < line->count; k++) {
        add_transition(b, table, line->profile, &line->items[k], k == 0);
        found_count += line->items[k].kind == RFT_TRANSITION_FOUND;
    }
    return found_count;
}

static rft_found find(rft_build *b, const rft_profile *profile) {
    rft_transition *items = NULL;
    rft_found found = {.profile = profile};
    found.count = rft_transitions_of(b->run, profile, b->arena, &items);
    found.items = items;
    return found;
}

/* All lines of the run; each takes some milliseconds. */
static size_t find_lines(rft_build *b, rft_found **out) {
    rft_found *lines = NULL;
    size_t used = 0;
    rft_profile **profiles = rft_arena_calloc(b->arena, b->run->sweep_count, sizeof(rft_profile *));
    size_t *counts = rft_arena_calloc(b->arena, b->run->sweep_count, sizeof *counts), total = 0;
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        counts[s] = rft_profiles_along_axes(b->run, s, SIZE_MAX, b->arena, &profiles[s]);
        total += counts[s];
    }
    lines = rft_arena_calloc(b->arena, total + 1, sizeof *lines);
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        for (size_t i = 0; i < counts[s]; i++) {
            lines[used++] = find(b, &profiles[s][i]);
        }
    }
    *out = lines;
    return used;
}

static void add_along_axes(rft_build *b) {
    rft_found *lines = NULL;
    size_t found = 0, next = 0, count = find_lines(b, &lines);
    rft_doc_heading(b->doc, 2, "Along axes", NULL);
    rft_build_transition_charts(b, lines, count);
    rft_table *table = rft_doc_table(b->doc, columns, COLUMN_COUNT);
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        size_t first = next;
        for (; next < count && lines[next].profile->sweep == s; next++) {
            found += add_profile(b, table, &lines[next]);
        }
        if (next == first) {
            rft_row *row = rft_doc_row(b->doc, table);
            row->cells[COLUMN_LINE] = b->run->sweeps[s].sweep.name;
            row->cells[COLUMN_VERDICT] = rft_transition_kind_name(RFT_TRANSITION_NOT_EXPLORED);
            row->cells[COLUMN_WHY] = "the sweep names no axis to look along";
        }
    }
    rft_doc_text(b->doc, RFT_TEXT_BODY,
                 rft_arena_printf(b->arena, "%s.",
                                  found == 0 ? "No transition along an axis is established by this run"
                                             : rft_words_plural(found, "transition along an axis is established",
                                                                "transitions along axes are established", b->arena)));
}

/* No place of its own to tell: one bound all along, or not explored. */
static bool is_placeless(const rft_found *line) {
    return line->count == 1 && !line->items[0].at_steps;
}

static bool say_the_same(const rft_found *a, const rft_found *z) {
    return is_placeless(a) && is_placeless(z) && a->items[0].kind == z->items[0].kind &&
           rft_text_equal(a->items[0].why ? a->items[0].why : "", z->items[0].why ? z->items[0].why : "");
}

/* Parameters of one variant that say the same share a row: there are many of them, and little to say of each. `first`
 * leads the rest. */
static void add_same(rft_build *b, rft_table *table, const rft_found *first, size_t count) {
    rft_str names = RFT_STR_INIT;
    const rft_profile *profile = first->profile;
    const rft_sweep *sweep = &b->run->sweeps[profile->sweep].sweep;
    const rft_variant *variant = &sweep->variants[profile->variant];
    for (size_t i = 0; i < count; i++) {
        if (say_the_same(first, &first[i])) {
            rft_str_addf(&names, "%s%s", i ? ", " : "", variant->params[first[i].profile->index].name);
        }
    }
    rft_row *row = rft_doc_row(b->doc, table);
    row->cells[COLUMN_LINE] =
        rft_arena_printf(b->arena, "%s%s%s, %s", rft_str_get(&names), sweep->variant_count > 1 ? " of " : "",
                         sweep->variant_count > 1 ? variant->name : "",
                         rft_words_problem(b->run, profile->sweep, profile->problem, b->arena));
    bool none = first->items[0].kind == RFT_TRANSITION_NONE;
    row->cells[COLUMN_VERDICT] = rft_transition_kind_name(first->items[0].kind);
    row->cells[COLUMN_FROM] = none ? only_bound(profile) : NULL;
    row->cells[COLUMN_WHY] = first->items[0].why ? first->items[0].why : none ? "one bound all along" : NULL;
    rft_str_clear(&names);
}

static void add_params_of(rft_build *b, rft_table *table, const rft_found *lines, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool told = false;
        for (size_t k = 0; k < i; k++) {
            told = told || say_the_same(&lines[k], &lines[i]);
        }
        if (!is_placeless(&lines[i])) {
            add_profile(b, table, &lines[i]);
        } else if (!told) {
            add_same(b, table, &lines[i], count - i);
        }
    }
}

static void add_along_params(rft_build *b) {
    rft_doc_heading(b->doc, 2, "Along parameters", NULL);
    rft_table *table = rft_doc_table(b->doc, columns, COLUMN_COUNT);
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        const rft_entry *entry = rft_build_showcase(b, s);
        if (entry && entry->best->variant < b->run->sweeps[s].sweep.variant_count) {
            rft_profile *profiles = NULL;
            size_t count = rft_build_param_profiles(b, s, entry->best->variant, entry->problem, &profiles);
            rft_found *lines = rft_arena_calloc(b->arena, count + 1, sizeof *lines);
            for (size_t i = 0; i < count; i++) {
                lines[i] = find(b, &profiles[i]);
            }
            add_params_of(b, table, lines, count);
        }
    }
    rft_doc_text(b->doc, RFT_TEXT_NOTE,
                 table->row_count == 0
                     ? "Not explored: no parameter was measured at more than one value."
                     : "On each sweep's longest-running problem, best variant, the best over the other parameters.");
}

void rft_build_transitions(rft_build *b) {
    rft_doc_new_chapter(b->doc);
    rft_doc_heading(b->doc, 1, "Bound transitions", "transitions");
    if (b->run->sweep_count == 0) {
        rft_doc_text(b->doc, RFT_TEXT_BODY, "Not explored: the run has no sweep.");
        return;
    }
    rft_doc_text(b->doc, RFT_TEXT_NOTE,
                 "Where what holds the best configuration back changes. A transition is found only where the measured "
                 "times turn; place and 95 % interval are those of the turn, elsewhere the neighbouring values stand. "
                 "A turn without a change of bound is told as "
                 "such, a change of bound without a turn is \"none\" or \"unclear\", with the reason. The ridge "
                 "formula's place is where work / ceiling of both are equal, in brackets by the datasheet's values. "
                 "Evidence: counted (hardware counters), modelled (the kernel's own traffic formula) or declared (the "
                 "work alone).");
    add_along_axes(b);
    add_along_params(b);
}
