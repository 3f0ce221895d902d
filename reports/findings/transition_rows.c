/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/transition_rows.h"

#include "base/str.h"
#include "reports/findings/words.h"

#include <math.h>
#include <string.h>

#define CHANGES_TOLD 6      /* of the first variant, in a sentence */
#define ALTERNATION_LEAST 3 /* changes that a line sums up, without --full */
#define NEAR_FRAC 0.25      /* ceilings so near are told */

enum {
    LINE,
    KIND,
    FROM,
    FROM_TURNS,
    TO,
    TO_TURNS,
    BY,
    WHERE,
    INTERVAL,
    LOW,
    HIGH,
    SLOPES_TEXT,
    RIDGE,
    RIDGE_SHEET,
    SLOPE_BEFORE,
    SLOPE_AFTER,
    SLOPES,
    SHARPNESS,
    SCATTER,
    EVIDENCE,
    REMARK,
    WHY,
    WAVES,
    VARIANT,
    AXIS,
    THROUGH,
    FIELDS
};

static const rft_trait fields[FIELDS] = {
    [LINE] = {.title = "Along", .wraps = true},
    [KIND] = {.key = "kind", .title = "Transition", .lead = ": "},
    [FROM] = {.key = "from", .title = "From", .wraps = true},
    [FROM_TURNS] = {.key = "from_turns"},
    [TO] = {.key = "to", .title = "To", .lead = " to ", .wraps = true},
    [TO_TURNS] = {.key = "to_turns"},
    [BY] = {.key = "by"},
    [WHERE] = {.key = "where", .title = "Where", .lead = " at ", .align = RFT_ALIGN_RIGHT},
    [INTERVAL] = {.title = "Interval", .wraps = true},
    [LOW] = {.key = "low"},
    [HIGH] = {.key = "high"},
    [SLOPES_TEXT] = {.title = "Slopes", .where = RFT_IN_TEXT},
    [RIDGE] = {.key = "ridge", .title = "Ridge formula", .lead = ", ridge formula ", .align = RFT_ALIGN_RIGHT},
    [RIDGE_SHEET] = {.key = "ridge_datasheet"},
    [SLOPE_BEFORE] = {.key = "slope_before"},
    [SLOPE_AFTER] = {.key = "slope_after"},
    [SLOPES] = {.key = "slopes"},
    [SHARPNESS] = {.key = "sharpness"},
    [SCATTER] = {.key = "scatter_frac"},
    [EVIDENCE] = {.key = "evidence", .title = "Evidence", .lead = ", "},
    [REMARK] = {.title = "Remark", .lead = "; ", .wraps = true},
    [WHY] = {.key = "why"},
    [WAVES] = {.key = "waves"},
    [VARIANT] = {.key = "variant"},
    [AXIS] = {.key = "axis"},
    [THROUGH] = {.key = "line_through"},
};

rft_cell_table *rft_transition_table(rft_finding *f, const char *name) {
    return rft_finding_table(f, name, fields, FIELDS);
}

/* Not of the bests, but of the first variant alone (rft_ladder_lines()). */
static bool is_of_first(const rft_profile *profile) {
    return !profile->along_param && profile->variant != SIZE_MAX;
}

rft_found_line rft_found_line_on(const rft_transitions_told *t, const rft_profile *profile) {
    rft_found_line found = {.profile = profile};
    found.count = rft_transitions_kept_of(t->kept, t->run, profile, t->arena, &found.items);
    return found;
}

static bool is_located(const rft_transition *found) {
    return found->kind == RFT_TRANSITION_FOUND || found->kind == RFT_TRANSITION_TURN ||
           found->kind == RFT_TRANSITION_CHANGE;
}

/* ---- words ---- */

static const char *slope_text(const rft_transitions_told *t, double value) {
    return isnan(value) ? "n/a" : rft_arena_fixed(t->arena, fabs(value) < 0.005 ? 0.0 : value, 2, ""); /* no "-0.00" */
}

static const char *slopes_of(rft_turn_of of) {
    return of == RFT_TURN_OF_TIME            ? "of time"
           : of == RFT_TURN_OF_TIME_PER_WORK ? "of time per work"
                                             : "of time per byte over intensity";
}

/* Of a turn; NULL. */
static const char *turn_text(const rft_transitions_told *t, const rft_transition *found) {
    return found->by_times && is_located(found)
               ? rft_arena_printf(t->arena, "slope %s to %s %s", slope_text(t, found->turn.slope_before),
                                  slope_text(t, found->turn.slope_after), slopes_of(found->turn_of))
               : NULL;
}

/* The scatter about two laws, and the waves of blocks; "". */
static const char *beside_text(const rft_transitions_told *t, const rft_transition *found) {
    const char *scatter =
        isfinite(found->scatter_frac)
            ? rft_arena_printf(t->arena, "the times scatter by %s about two laws, more than their noise",
                               rft_arena_fixed(t->arena, 100 * found->scatter_frac, 0, " %"))
            : "";
    const char *waves = found->waves_note ? found->waves_note : "";
    return rft_arena_printf(t->arena, "%s%s%s", scatter, *scatter && *waves ? "; " : "", waves);
}

static const char *bound_name(const rft_profile *profile, size_t step) {
    return rft_resource_name(profile->steps[step].bound.resource, profile->steps[step].bound.pipe);
}

/* The name, and beside it what is met in turns; for people behind it, where the reason does not say so. */
static void put_bound(const rft_transitions_told *t, rft_datum cells[2], const rft_bound *bound, const char *why) {
    const char *turns = rft_words_turns(bound, t->arena);
    bool said = turns && why && strstr(why, rft_bound_turns_word(bound));
    cells[0] = rft_datum_text(rft_resource_name(bound->resource, bound->pipe));
    cells[0].words = said ? NULL : rft_words_bound_name(bound, t->arena);
    cells[1] = rft_datum_text(turns);
}

/* The one bound of a profile without a change; NULL when nothing was measured. */
static const char *only_bound(const rft_transitions_told *t, const rft_profile *profile) {
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].best) {
            return rft_words_bound_name(&profile->steps[i].bound, t->arena);
        }
    }
    return NULL;
}

/* "matmul: n, with batch=4"; `names`: of parameters. */
static const char *line_text(const rft_transitions_told *t, const rft_profile *profile, const char *names) {
    const rft_sweep *sweep = &t->run->sweeps[profile->sweep].sweep;
    if (is_of_first(profile)) { /* beneath the bests of the same line */
        return rft_arena_printf(t->arena, "of %s", sweep->variants[profile->variant].name);
    }
    if (!profile->along_param) {
        return rft_arena_printf(t->arena, "%s: %s", sweep->name, rft_words_line(t->run, profile, t->arena));
    }
    bool several = sweep->variant_count > 1;
    return rft_arena_printf(t->arena, "%s%s%s, %s", names, several ? " of " : "",
                            several ? sweep->variants[profile->variant].name : "",
                            rft_words_problem(t->run, profile->sweep, profile->problem, t->arena));
}

/* "Refined: m=192 (6). ..." where refine() added values to the line; NULL. */
static const char *refined_note(const rft_transitions_told *t, const rft_profile *profile) {
    rft_str note = RFT_STR_INIT;
    for (size_t i = 0; i < profile->step_count && !profile->along_param; i++) {
        const rft_profile_step *step = &profile->steps[i];
        if (step->refined > 0 && step->best) {
            const rft_axis *axis = &t->run->sweeps[profile->sweep].sweep.axes[profile->index];
            rft_str_add(&note, note.length ? "; " : "Refined: ");
            rft_values_format(&note, &axis->name, &step->value, 1);
            rft_str_addf(&note, " (%zu)", step->measured);
        }
    }
    rft_str_add(&note, note.length ? ". In brackets: configurations measured there." : "");
    const char *kept = note.length ? rft_arena_strdup(t->arena, rft_str_get(&note)) : NULL;
    rft_str_clear(&note);
    return kept;
}

/* ---- rows ---- */

/* The place, the interval, the formula's place. */
static void put_places(const rft_transitions_told *t, rft_datum *cells, const rft_transition *found) {
    bool between = found->kind == RFT_TRANSITION_CHANGE || isnan(found->where); /* two values, and no place */
    bool estimated = found->by_times && (!isnan(found->where) || found->turn.wide);
    const char *low = rft_words_place(found->low, estimated, t->arena);
    const char *high = rft_words_place(found->high, estimated, t->arena);
    const char *ridge = rft_words_place(found->ridge, true, t->arena);
    const char *sheet = rft_words_place(found->ridge_datasheet, true, t->arena);
    cells[WHERE].words = between && is_located(found) ? "" : rft_words_place(found->where, true, t->arena);
    cells[WHERE].brief = is_located(found) && !between ? NULL : "";
    cells[INTERVAL].words = rft_arena_printf(t->arena, "%s\xe2\x80\x93%s", low, high);
    cells[INTERVAL].brief =
        !is_located(found) || between || found->by_clock ? rft_arena_printf(t->arena, "between %s and %s", low, high)
        : found->by_times                                ? rft_arena_printf(t->arena, "95 %% %s to %s", low, high)
                          : rft_arena_printf(t->arena, "by its grid neighbours alone, between %s and %s", low, high);
    bool both = isfinite(found->ridge) && isfinite(found->ridge_datasheet);
    cells[RIDGE].words = isfinite(found->ridge_datasheet) ? rft_arena_printf(t->arena, "%s (%s)", ridge, sheet)
                         : between && is_located(found)   ? ""
                                                          : ridge;
    cells[RIDGE].brief = isfinite(found->ridge_datasheet) ? rft_arena_printf(t->arena, "%s%s%s by datasheet",
                                                                             both ? ridge : "", both ? ", " : "", sheet)
                         : isfinite(found->ridge)         ? ridge
                                                          : "";
}

static void put_remark(const rft_transitions_told *t, rft_datum *cells, const rft_transition *found) {
    const char *turn = turn_text(t, found), *beside = beside_text(t, found);
    cells[SLOPES_TEXT] = rft_datum_text(turn);
    if (!is_located(found)) {
        cells[REMARK].words = found->why;
    } else if (found->by_clock) {
        cells[REMARK].words = "by clock and rate at the values beside it";
    } else if (turn) {
        cells[REMARK].words = rft_arena_printf(t->arena, "%s%s%s", turn, *beside ? "; " : "", beside);
        cells[REMARK].brief = beside;
    } else if (found->kind == RFT_TRANSITION_CHANGE) {
        cells[REMARK].words = beside;
    } else {
        cells[REMARK].words = "by its neighbours alone";
        cells[REMARK].brief = beside;
        cells[REMARK].note = "Too few values for a turn of the times: the interval is the step of the axis, the place "
                             "where the branches of both bounds, drawn through the two times beside it, meet.";
    }
}

static void put_data(const rft_transitions_told *t, rft_datum *cells, const rft_profile *profile,
                     const rft_transition *found) {
    const rft_sweep *sweep = &t->run->sweeps[profile->sweep].sweep;
    bool located = is_located(found);
    cells[KIND] = rft_datum_text(rft_transition_kind_name(found->kind));
    cells[FROM] = cells[FROM_TURNS] = cells[TO] = cells[TO_TURNS] = rft_datum_text(NULL);
    if (found->at_steps) {
        put_bound(t, &cells[FROM], &profile->steps[found->from].bound, found->why);
        put_bound(t, &cells[TO], &profile->steps[found->to].bound, found->why);
    }
    cells[BY] = rft_datum_text(found->by_times ? "times" : found->by_clock ? "clock" : "neighbours");
    cells[WHERE] = rft_datum_number(located ? found->where : (double)NAN);
    cells[LOW] = rft_datum_number(located ? found->low : (double)NAN);
    cells[HIGH] = rft_datum_number(located ? found->high : (double)NAN);
    cells[RIDGE] = rft_datum_number(found->ridge);
    cells[RIDGE_SHEET] = rft_datum_number(found->ridge_datasheet);
    cells[SLOPE_BEFORE] = rft_datum_number(located ? found->turn.slope_before : (double)NAN);
    cells[SLOPE_AFTER] = rft_datum_number(located ? found->turn.slope_after : (double)NAN);
    cells[SLOPES] = rft_datum_text(located && found->by_times ? slopes_of(found->turn_of) : NULL);
    cells[SHARPNESS] = rft_datum_number(located ? found->turn.sharpness : (double)NAN);
    cells[SCATTER] = rft_datum_number(found->scatter_frac);
    cells[EVIDENCE] = rft_datum_text(rft_evidence_name(found->evidence));
    cells[WHY] = rft_datum_text(found->why);
    cells[WAVES] = rft_datum_text(found->waves_note);
    if (!profile->along_param) {
        cells[VARIANT] = rft_datum_text(is_of_first(profile) ? sweep->variants[profile->variant].name : NULL);
        cells[AXIS] = rft_datum_text(sweep->axes[profile->index].name);
        cells[THROUGH] = rft_datum_finding(rft_finding_problem(sweep, profile->problem, t->arena));
    }
}

/* `names`: of the parameters that say the same. */
static rft_cell_row *add_transition(const rft_transitions_told *t, const rft_profile *profile,
                                    const rft_transition *found, const char *names) {
    rft_cell_row *row = rft_cell_table_row(t->table);
    put_data(t, row->cells, profile, found);
    row->cells[LINE] = rft_datum_text(line_text(t, profile, names));
    row->cells[LINE].brief =
        profile->along_param ? NULL : rft_arena_printf(t->arena, "along %s", rft_words_line(t->run, profile, t->arena));
    row->strong = found->kind == RFT_TRANSITION_FOUND;
    if (found->at_steps) {
        put_places(t, row->cells, found);
        put_remark(t, row->cells, found);
        return row;
    }
    bool none = found->kind == RFT_TRANSITION_NONE;
    row->cells[FROM].words = none ? only_bound(t, profile) : NULL;
    row->cells[WHERE].words = row->cells[RIDGE].words = row->cells[EVIDENCE].words = "";
    row->cells[REMARK] = rft_datum_text(found->why ? found->why : none ? "one bound all along" : NULL);
    return row;
}

/* ---- bounds in turns ---- */

/* Items [first, end) of a line: from the first change without a place to the last. */
typedef struct alternation {
    size_t first, end;
} alternation;

/* Where two ceilings are as near, the bound changes with every tile more, and no place says anything: many changes,
 * most of them without a place. Empty otherwise. */
static alternation alternation_of(const rft_found_line *line) {
    alternation c = {SIZE_MAX, 0};
    size_t unclear = 0;
    for (size_t k = 0; k < line->count; k++) {
        if (line->items[k].kind == RFT_TRANSITION_UNCLEAR && line->items[k].at_steps) {
            c.first = c.first == SIZE_MAX ? k : c.first;
            c.end = k + 1;
            unclear++;
        }
    }
    return c.end >= ALTERNATION_LEAST + (unclear ? c.first : 0) && 2 * unclear > c.end - c.first ? c
                                                                                                 : (alternation){0, 0};
}

/* The bounds of the changes, each once. */
static const char *alternation_names(const rft_transitions_told *t, const rft_found_line *line, alternation c) {
    rft_str names = RFT_STR_INIT;
    for (size_t k = 2 * c.first; k < 2 * c.end; k++) {
        const rft_transition *found = &line->items[k / 2];
        const char *name = bound_name(line->profile, k % 2 ? found->to : found->from);
        if (!strstr(rft_str_get(&names), name)) {
            rft_str_addf(&names, "%s%s", names.length ? ", " : "", name);
        }
    }
    const char *kept = rft_arena_strdup(t->arena, rft_str_get(&names));
    rft_str_clear(&names);
    return kept;
}

/* By how much the second ceiling is behind the nearest at most, from value to value, in the middle. */
static double alternation_gap(const rft_transitions_told *t, const rft_found_line *line, alternation c) {
    size_t from = line->items[c.first].from, to = line->items[c.end - 1].to, count = 0;
    double *gaps = rft_arena_calloc(t->arena, to - from + 1, sizeof *gaps);
    for (size_t i = from; i <= to; i++) {
        const rft_bound *bound = &line->profile->steps[i].bound;
        if (line->profile->steps[i].best && bound->share_count > 1) {
            gaps[count++] =
                1 - rft_bound_share_most(bound, &bound->shares[1]) / rft_bound_share_most(bound, &bound->shares[0]);
        }
    }
    return count > 0 ? fabs(rft_stats_of(gaps, count).median) : (double)NAN;
}

static void add_alternation(const rft_transitions_told *t, const rft_found_line *line, alternation c,
                            const char *names) {
    const rft_transition *first = &line->items[c.first], *last = &line->items[c.end - 1];
    rft_transition all = *first;
    all.to = last->to;
    all.high = last->high;
    all.ridge = all.ridge_datasheet = NAN;
    double gap = alternation_gap(t, line, c);
    all.why = rft_arena_printf(
        t->arena, "%zu changes of %s%s: they hold it back in turns", c.end - c.first, alternation_names(t, line, c),
        gap < NEAR_FRAC ? rft_arena_printf(t->arena, ", the nearest two %.0f %% apart in the middle", 100 * gap) : "");
    rft_cell_row *row = add_transition(t, line->profile, &all, names);
    row->where = RFT_ON_PAGE | RFT_IN_BRIEF;
    row->cells[LINE].note = c.first == 0 ? refined_note(t, line->profile) : NULL;
    if (c.first > 0) {
        row->cells[LINE] = (rft_datum){.brief = row->cells[LINE].brief};
    }
}

/* "unclear, 256-512, ridge formula 330", "found at 758, 95 % 575 to 886" */
static const char *change_text(const rft_transitions_told *t, const rft_transition *found) {
    rft_datum cells[FIELDS] = {{0}};
    put_places(t, cells, found);
    const bool placed = !cells[WHERE].brief;
    return rft_arena_printf(t->arena, "%s%s%s, %s%s%s", rft_transition_kind_name(found->kind), placed ? " at " : "",
                            placed ? cells[WHERE].words : "", placed ? cells[INTERVAL].brief : cells[INTERVAL].words,
                            *cells[RIDGE].brief ? ", ridge formula " : "", cells[RIDGE].brief);
}

/* All changes of a line, without their reasons: "dram to l2 (unclear, 256-512) to latency (found at 758,
 * 95 % 575 to 886), modelled". */
static const char *changes_text(const rft_transitions_told *t, const rft_found_line *line) {
    const rft_profile_step *steps = line->profile->steps;
    if (!line->items[0].at_steps) {
        const char *why = line->items[0].why;
        return line->items[0].kind != RFT_TRANSITION_NONE
                   ? why
                   : rft_arena_printf(t->arena, "%s all along%s%s", only_bound(t, line->profile), why ? "; " : "",
                                      why ? why : "");
    }
    rft_str text = RFT_STR_INIT;
    rft_evidence weaker = RFT_EVIDENCE_COUNTED;
    for (size_t k = 0; k < line->count; k++) {
        const rft_transition *found = &line->items[k];
        const rft_bound *from = &steps[found->from].bound, *to = &steps[found->to].bound;
        if (k == 0 || !rft_bound_same(from, &steps[found[-1].to].bound)) {
            rft_str_addf(&text, "%s%s", k > 0 ? "; " : "", rft_words_bound_name(from, t->arena));
        }
        rft_str_addf(&text, " to %s (%s)", rft_words_bound_name(to, t->arena), change_text(t, found));
        weaker = found->evidence > weaker ? found->evidence : weaker;
    }
    rft_str_addf(&text, ", %s", rft_evidence_name(weaker));
    const char *kept = rft_arena_strdup(t->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* The first variant's line in a sentence, of each change a row in data and with --full alone. On a page under the rows
 * of the bests, which stand before it. */
static void add_sentence(const rft_transitions_told *t, const rft_found_line *line) {
    const char *name = t->run->sweeps[line->profile->sweep].sweep.variants[line->profile->variant].name;
    const alternation all = {0, line->count};
    const char *said = line->count > CHANGES_TOLD ? rft_arena_printf(t->arena, "%zu changes of %s", line->count,
                                                                     alternation_names(t, line, all))
                                                  : changes_text(t, line);
    rft_cell_row *row = &t->table->rows[t->table->row_count - 1];
    if (t->paged) {
        while (!rft_is_for(row->where, RFT_ON_PAGE)) {
            row--;
        }
        row->detail = rft_arena_printf(t->arena, "%s: %s", name, said);
        return;
    }
    row = rft_cell_table_row(t->table);
    row->cells[LINE].brief = rft_arena_printf(t->arena, "along %s", rft_words_line(t->run, line->profile, t->arena));
    row->cells[KIND].brief = said;
    row->where = RFT_IN_BRIEF;
}

void rft_transition_rows_add(const rft_transitions_told *t, const rft_found_line *line, const char *names) {
    const bool first = !t->full && is_of_first(line->profile);
    const alternation c = t->full ? (alternation){0, 0} : first ? (alternation){0, line->count} : alternation_of(line);
    if (first) {
        add_sentence(t, line);
    }
    for (size_t k = 0; k < line->count; k++) {
        if (k == c.first && c.end > 0 && !first) {
            add_alternation(t, line, c, names);
        }
        rft_cell_row *row = add_transition(t, line->profile, &line->items[k], names);
        if (k == 0) {
            row->cells[LINE].note = refined_note(t, line->profile);
        } else {
            row->cells[LINE] = (rft_datum){.brief = row->cells[LINE].brief};
        }
        row->where = k >= c.first && k < c.end ? RFT_IN_DATA | RFT_IN_FULL : 0;
    }
    if (line->first) {
        rft_transition_rows_add(t, line->first, NULL);
    }
}
