/* SPDX-License-Identifier: Apache-2.0 */
/* show_problems.c - the columns of a point, and the table of a sweep's bests (show_parts.h). */
#include "base/units.h"
#include "cli/show_baselines.h"
#include "cli/show_parts.h"
#include "model/roofline/over_roof.h"
#include "model/roofline/placement.h"
#include "model/transition/refine.h"
#include "reports/print/layout.h"

#include <math.h>
#include <string.h>

#define FIGURES 45       /* columns of the numbers between name and bound, with the space before that */
#define NAME_LEAST 8     /* columns of a name */
#define PROBLEMS_MOST 12 /* shown without --full */
#define NOTES_MOST 26    /* letters */

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

/* ---- figures ---- */

static const char *bound_text(const rft_show_page *t, const rft_point *point) {
    rft_bound bound = rft_bound_of(t->run, point);
    return rft_arena_printf(t->arena, "%s%s", bound.firmness == RFT_FIRM_MOSTLY ? "mostly " : "",
                            rft_resource_name(bound.resource, bound.pipe));
}

/* "± 0.3 %" of the median; a range where no 95 % interval exists. */
static void add_interval(const rft_show_page *t, const rft_stats *stats) {
    if (!stats->interval_is_95) {
        rft_layout_right(t->out, rft_arena_printf(t->arena, "n = %zu", stats->n), 10);
        return;
    }
    double percent = rft_stats_half_width_frac(stats) * 100.0;
    int decimals = percent < 0.095 ? 2 : percent < 9.95 ? 1 : 0;
    rft_layout_right(t->out, t->plus_minus, 3);
    rft_layout_decimal(t->out, rft_show_number(t, percent, decimals, " %"), &(rft_layout_number){2, 3, 2});
}

void rft_show_figures(const rft_show_page *t, const rft_point *point) {
    const rft_stats *stats = &rft_point_measurement(point)->stats;
    rft_placement place = rft_placement_of(t->run, point);
    const char *unit = "";
    double rate = rft_show_rate(&place, &point->work, &unit);
    rft_layout_decimal(t->out, seconds_text(t, stats->median), &(rft_layout_number){4, 3, 3});
    add_interval(t, stats);
    rft_layout_decimal(t->out, isnan(rate) ? "n/a" : si_text(t, rate, unit), &(rft_layout_number){4, 3, 8});
    rft_layout_decimal(t->out, rft_show_number(t, place.efficiency_frac * 100.0, 1, " %"),
                       &(rft_layout_number){4, 2, 2});
    rft_str_addf(t->out, "  %s\n", bound_text(t, point));
}

void rft_show_table_head(const rft_show_page *t, const char *first, size_t width) {
    rft_str_add(t->out, "  ");
    rft_layout_left(t->out, first, width);
    rft_layout_right(t->out, "median", 10);
    rft_layout_right(t->out, rft_arena_printf(t->arena, "%s95 %%", t->plus_minus), 10);
    rft_layout_right(t->out, "useful rate", 15);
    rft_layout_right(t->out, "roof", 8);
    rft_str_add(t->out, "  bound\n");
}

size_t rft_show_name_room(const rft_show_page *t, size_t sweep) {
    const rft_sweep *data = &t->run->sweeps[sweep].sweep;
    size_t widest = 5; /* "bound" */
    for (size_t p = 0; p < data->problem_count; p++) {
        for (size_t v = 0; v < data->variant_count; v++) {
            const rft_point *best = rft_run_best(t->run, sweep, v, p);
            widest = best ? rft_show_widest(widest, bound_text(t, best), 20) : widest;
        }
    }
    return RFT_LAYOUT_WIDTH - 2 - FIGURES - widest;
}

void rft_show_name(const rft_show_page *t, const char *name, size_t width) {
    if (rft_layout_columns(name) > width) {
        rft_layout_wrapped(t->out, 2, 2, name);
        rft_layout_spaces(t->out, 2 + width);
    } else {
        rft_str_add(t->out, "  ");
        rft_layout_left(t->out, name, width);
    }
}

size_t rft_show_widest(size_t width, const char *cell, size_t limit) {
    size_t columns = rft_layout_columns(cell);
    return columns <= limit && columns > width ? columns : width;
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

/* ---- notes: what must be said beside a number ---- */

typedef struct note {
    const char *kind; /* without its numbers */
    const char *text; /* of the first */
    bool differs;     /* others have other numbers */
} note;

typedef struct notes {
    note items[NOTES_MOST];
    size_t count;
} notes;

/* Its letter; what says the same but for its numbers has the same. */
static char note_letter(const rft_show_page *t, notes *all, const char *text) {
    rft_str key = RFT_STR_INIT;
    rft_outcome_reason_kind(&key, text);
    size_t i = 0;
    while (i < all->count && strcmp(all->items[i].kind, rft_str_get(&key)) != 0) {
        i++;
    }
    if (i == all->count && i < NOTES_MOST) {
        all->items[all->count++] = (note){rft_arena_strdup(t->arena, rft_str_get(&key)), text, false};
    }
    i = i < NOTES_MOST ? i : NOTES_MOST - 1;
    all->items[i].differs = all->items[i].differs || strcmp(all->items[i].text, text) != 0;
    rft_str_clear(&key);
    return (char)('a' + (int)i);
}

/* "near the timer floor of 3 us; the samples are not independent ..." -> " [a b]" */
static void add_letters(rft_str *line, const rft_show_page *t, notes *all, const char *const texts[], size_t count) {
    const char *before = " [";
    for (size_t i = 0; i < count; i++) {
        for (const char *at = texts[i]; at && *at;) {
            const char *end = strstr(at, "; ");
            size_t length = end ? (size_t)(end - at) : strlen(at);
            rft_str_addf(line, "%s%c", before,
                         note_letter(t, all, rft_arena_printf(t->arena, "%.*s", (int)length, at)));
            before = " ";
            at = end ? end + 2 : NULL;
        }
    }
    rft_str_add(line, *before == ' ' && before[1] == '[' ? "" : "]");
}

static void add_notes(const rft_show_page *t, const notes *all) {
    for (size_t i = 0; i < all->count; i++) {
        rft_layout_wrapped(t->out, 2, 4,
                           rft_arena_printf(t->arena, "[%c] %s%s", (char)('a' + (int)i),
                                            all->items[i].differs ? "e.g. " : "", all->items[i].text));
    }
}

/* ---- the best of every problem ---- */

#define NOTE_KINDS 3

static void notes_of(const rft_show_page *t, const rft_point *best, const char *texts[NOTE_KINDS]) {
    const rft_over_roof over = rft_over_roof_of(t->run, best, t->arena);
    const char *times = over.text ? rft_show_number(t, over.factor * 100.0, 0, " %") : "";
    texts[0] = over.text ? rft_arena_printf(t->arena, "%s of its roof: %s", times, over.text) : NULL;
    texts[1] = rft_measurement_note(rft_point_measurement(best), &t->run->ceilings, t->arena);
    texts[2] = rft_refine_text(t->run, best->sweep, best->problem, t->arena);
}

/* "VEC=8 (tie with 2 others), 5.12 M rows/s" */
static void add_config(rft_str *line, const rft_show_page *t, const rft_point *best) {
    size_t ties = rft_show_ties(t->run, best, t->arena);
    double items = best->work.items > 0 ? best->work.items / rft_point_median_s(best) : (double)NAN;
    rft_str_add(line, rft_show_config_name(t, best));
    if (ties) {
        rft_str_addf(line, " (tie with %zu other%s)", ties, ties > 1 ? "s" : "");
    }
    if (!isnan(items)) {
        rft_str_addf(line, ", %s %ss/s", si_text(t, items, ""), best->work.item_name ? best->work.item_name : "item");
    }
}

/* All in words. */
static void add_full(const rft_show_page *t, const rft_point *best) {
    const char *texts[NOTE_KINDS];
    rft_str line = RFT_STR_INIT;
    double cycles = rft_measurement_cycles(rft_point_measurement(best));
    add_config(&line, t, best);
    rft_str_addf(&line, "%s%s", isnan(cycles) ? "" : ", ", isnan(cycles) ? "" : si_text(t, cycles, "cycles"));
    notes_of(t, best, texts);
    for (size_t i = 0; i < NOTE_KINDS; i++) {
        rft_str_addf(&line, "%s%s", texts[i] ? "; " : "", texts[i] ? texts[i] : "");
    }
    rft_layout_wrapped(t->out, 4, 2, rft_str_get(&line));
    rft_str_clear(&line);
    rft_show_versus(t, best);
}

/* Behind the line that was just ended, if it has room. */
static bool append(rft_str *out, const char *text) {
    const char *line = rft_str_get(out) + out->length - 1;
    while (line > rft_str_get(out) && line[-1] != '\n') {
        line--;
    }
    if (rft_layout_columns(line) - 1 + rft_layout_columns(text) > RFT_LAYOUT_WIDTH) {
        return false;
    }
    rft_str_truncate(out, out->length - 1);
    rft_str_addf(out, "%s\n", text);
    return true;
}

/* Notes by letter behind the figures; one more line where it fits: configuration, baselines. */
static void add_short(const rft_show_page *t, const rft_point *best, notes *all) {
    const char *texts[NOTE_KINDS];
    rft_str line = RFT_STR_INIT, letters = RFT_STR_INIT;
    add_config(&line, t, best);
    notes_of(t, best, texts);
    add_letters(&letters, t, all, texts, NOTE_KINDS);
    if (!append(t->out, rft_str_get(&letters))) {
        rft_str_add(&line, rft_str_get(&letters));
    }
    rft_str_clear(&letters);
    size_t without = line.length;
    rft_show_versus_add(&line, t, best);
    bool fits = 4 + rft_layout_columns(rft_str_get(&line)) <= RFT_LAYOUT_WIDTH;
    rft_str_truncate(&line, fits ? line.length : without);
    rft_layout_wrapped(t->out, 4, 2, rft_str_get(&line));
    if (!fits) {
        rft_show_versus(t, best);
    }
    rft_str_clear(&line);
}

static void add_problem(const rft_show_page *t, size_t sweep, size_t problem, size_t width, notes *all) {
    const rft_point *best = rft_run_best(t->run, sweep, SIZE_MAX, problem);
    rft_show_name(t, rft_run_problem_text(t->run, sweep, problem, true, t->arena), width);
    if (best == NULL) {
        rft_str_add(t->out, t->run->sweeps[sweep].sweep.problems[problem].refined ? "  nothing measured (refined)\n"
                                                                                  : "  nothing measured\n");
        return;
    }
    rft_show_figures(t, best);
    if (t->full) {
        add_full(t, best);
    } else {
        add_short(t, best, all);
    }
}

/* The problems to show, in the order of the axes: all, or some from the first to the last. */
static size_t choose(const rft_show_page *t, size_t sweep, size_t **out, size_t *all) {
    const rft_sweep *data = &t->run->sweeps[sweep].sweep;
    const size_t *order = rft_refine_order(data, t->arena);
    size_t *chosen = rft_arena_calloc(t->arena, data->problem_count + 1, sizeof *chosen), count = 0;
    for (size_t i = 0; i < data->problem_count; i++) {
        if (!data->problems[order[i]].odd) {
            chosen[count++] = order[i];
        }
    }
    *out = chosen;
    *all = count;
    if (t->full || count <= PROBLEMS_MOST) {
        return count;
    }
    for (size_t i = 0; i < PROBLEMS_MOST; i++) {
        chosen[i] = chosen[i * (count - 1) / (PROBLEMS_MOST - 1)];
    }
    return PROBLEMS_MOST;
}

void rft_show_problems(const rft_show_page *t, size_t sweep) {
    size_t *chosen = NULL, all = 0, width = NAME_LEAST, room = rft_show_name_room(t, sweep);
    notes found = {.count = 0};
    size_t count = choose(t, sweep, &chosen, &all);
    for (size_t i = 0; i < count; i++) {
        width = rft_show_widest(width, rft_run_problem_text(t->run, sweep, chosen[i], true, t->arena), room);
    }
    rft_str_add_char(t->out, '\n');
    rft_show_table_head(t, "problem", width);
    for (size_t i = 0; i < count; i++) {
        add_problem(t, sweep, chosen[i], width, &found);
    }
    if (count < all) {
        rft_str_addf(t->out, "  %zu of %zu problems, from the first to the last; all: `rooftune show --full`\n", count,
                     all);
    }
    add_notes(t, &found);
}
