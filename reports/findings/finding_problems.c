/* SPDX-License-Identifier: Apache-2.0 */
/* The best of every problem: figures, configuration, how it stands to baselines, notes. */
#include "reports/findings/findings.h"
#include "reports/findings/point_cells.h"
#include "reports/findings/point_state.h"
#include "reports/findings/words.h"

#include "base/str.h"
#include "model/run/baseline.h"
#include "model/run/run_drift.h"
#include "model/transition/refine.h"

#include <math.h>
#include <string.h>

#define IN_BRIEF_MOST 12
#define NOTES_MOST 26 /* letters */
#define NOTE_KINDS 3

/* What must be said beside a number: in brief by a letter, below the table in words. */
typedef struct lettered_note {
    const char *kind; /* without its numbers */
    const char *text; /* of the first */
    bool differs;     /* others have other numbers */
} lettered_note;

typedef struct problems {
    const rft_run *run;
    rft_arena *arena;
    size_t sweep;
    lettered_note notes[NOTES_MOST];
    size_t note_count;
} problems;

static void texts_of(const problems *p, const rft_point *best, const char *texts[NOTE_KINDS]) {
    texts[0] = rft_words_share_note(p->run, best, p->arena);
    texts[1] = rft_measurement_note(rft_point_measurement(best), &p->run->ceilings, p->arena);
    texts[2] = rft_refine_text(p->run, best->sweep, best->problem, p->arena);
}

/* ---- letters ---- */

/* What says the same but for its numbers has the same letter. */
static char letter_of(problems *p, const char *text) {
    rft_str key = RFT_STR_INIT;
    rft_outcome_reason_kind(&key, text);
    size_t i = 0;
    while (i < p->note_count && strcmp(p->notes[i].kind, rft_str_get(&key)) != 0) {
        i++;
    }
    if (i == p->note_count && i < NOTES_MOST) {
        p->notes[p->note_count++] = (lettered_note){rft_arena_strdup(p->arena, rft_str_get(&key)), text, false};
    }
    i = i < NOTES_MOST ? i : NOTES_MOST - 1;
    p->notes[i].differs = p->notes[i].differs || strcmp(p->notes[i].text, text) != 0;
    rft_str_clear(&key);
    return (char)('a' + (int)i);
}

/* "near the timer floor of 3 us; the samples are not independent ..." -> "[a b]"; NULL where nothing is to be said. */
static const char *letters_of(problems *p, const rft_point *best) {
    const char *texts[NOTE_KINDS], *letters = NULL;
    texts_of(p, best, texts);
    for (size_t i = 0; i < NOTE_KINDS; i++) {
        for (const char *at = texts[i]; at && *at;) {
            const char *end = strstr(at, "; ");
            size_t length = end ? (size_t)(end - at) : strlen(at);
            char letter = letter_of(p, rft_arena_strndup(p->arena, at, length));
            letters = rft_arena_printf(p->arena, "%s%s%c", letters ? letters : "", letters ? " " : "[", letter);
            at = end ? end + 2 : NULL;
        }
    }
    return letters ? rft_arena_printf(p->arena, "%s]", letters) : NULL;
}

/* ---- below the figures ---- */

/* "VEC=8 (tie with 2 others), 5.12 M rows/s" */
static const char *config_words(const problems *p, const rft_point *best) {
    size_t ties = rft_ties_of(p->run, best, p->arena);
    double items = best->work.items > 0 ? best->work.items / rft_point_median_s(best) : (double)NAN;
    const char *words =
        rft_arena_printf(p->arena, "%s%s%s", rft_words_config(p->run, best, p->arena),
                         ties ? rft_arena_printf(p->arena, " (tie with %zu other%s)", ties, ties > 1 ? "s" : "") : "",
                         isnan(items) ? ""
                                      : rft_arena_printf(p->arena, ", %s %ss/s", rft_figure_si(p->arena, items, ""),
                                                         best->work.item_name ? best->work.item_name : "item"));
    return rft_words_with_state(words, p->run, best, p->arena);
}

/* "98.0 % [97.8, 98.2] of cuBLASLt; 62.5 % of torch.matmul (other protocol)"; NULL without baselines. */
static const char *versus_words(const problems *p, const rft_point *best) {
    const rft_baseline **found = NULL;
    size_t count = rft_run_baselines(p->run, best->sweep, best->problem, p->arena, &found);
    const char *words = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(found[i]->which, RFT_BASELINE_FIRST) != 0 && rft_baseline_is_measured(found[i])) {
            words = rft_arena_printf(p->arena, "%s%s%s", words ? words : "", words ? "; " : "",
                                     rft_words_unbroken(rft_versus_text(p->run, best, found[i], p->arena), p->arena));
        }
    }
    return words;
}

static const char *joined(const problems *p, const char *words, const char *more) {
    return more ? rft_arena_printf(p->arena, "%s; %s", words, more) : words;
}

/* With every note in words. */
static const char *full_words(const problems *p, const rft_point *best) {
    const char *texts[NOTE_KINDS], *words = config_words(p, best);
    double cycles = rft_measurement_cycles(rft_point_measurement(best));
    words =
        isnan(cycles) ? words : rft_arena_printf(p->arena, "%s, %s", words, rft_figure_si(p->arena, cycles, "cycles"));
    texts_of(p, best, texts);
    for (size_t i = 0; i < NOTE_KINDS; i++) {
        words = joined(p, words, texts[i]);
    }
    return words;
}

/* ---- the table ---- */

enum { PROBLEM, FIGURES, LETTERS = FIGURES + RFT_POINT_CELLS, IN_BRIEF, IN_FULL, VERSUS, FIELDS };

/* `best` NULL: nothing was measured, and `more` follows; else the problem where `name` does not say it. NULL. */
static void add_best(problems *p, rft_cell_table *table, const char *name, const char *more, const rft_point *best,
                     bool in_brief) {
    rft_cell_row *row = rft_cell_table_row(table);
    row->where = in_brief ? RFT_IN_TEXT : RFT_IN_FULL;
    row->cells[PROBLEM] = rft_datum_text(name);
    if (!best) {
        row->spans = true;
        row->cells[PROBLEM].as.text = rft_arena_printf(p->arena, "%s: nothing measured%s", name, more ? more : "");
        return;
    }
    rft_point_cells(p->run, best, row->cells + FIGURES, p->arena);
    row->cells[LETTERS] = rft_datum_text(in_brief ? letters_of(p, best) : NULL);
    const char *words = joined(p, config_words(p, best), versus_words(p, best));
    row->cells[IN_BRIEF] = rft_datum_text(more ? rft_arena_printf(p->arena, "%s; %s", more, words) : words);
    row->cells[IN_FULL] = rft_datum_text(full_words(p, best));
    row->cells[VERSUS] = rft_datum_text(versus_words(p, best));
}

static void add_problem(problems *p, rft_cell_table *table, size_t problem, bool in_brief) {
    const rft_point *best = rft_run_best(p->run, p->sweep, SIZE_MAX, problem);
    bool refined = !best && p->run->sweeps[p->sweep].sweep.problems[problem].refined;
    const char *name = rft_run_problem_text(p->run, p->sweep, problem, true, p->arena);
    add_best(p, table, name, refined ? " (refined)" : NULL, best, in_brief);
}

static rft_cell_table *table_of(rft_finding *f, const char *first) {
    rft_trait fields[FIELDS] = {[PROBLEM] = {.title = first, .wraps = true},
                                [LETTERS] = {.title = "", .where = RFT_IN_BRIEF},
                                [IN_BRIEF] = {.title = "", .where = RFT_IN_BRIEF, .below = true},
                                [IN_FULL] = {.title = "", .where = RFT_IN_FULL, .below = true},
                                [VERSUS] = {.title = "", .where = RFT_IN_FULL, .below = true}};
    memcpy(fields + FIGURES, rft_point_traits, sizeof rft_point_traits);
    rft_cell_table *table = rft_finding_table(f, NULL, fields, FIELDS);
    table->where = RFT_IN_TEXT;
    return table;
}

static void add_notes(const problems *p, rft_finding *f) {
    for (size_t i = 0; i < p->note_count; i++) {
        rft_finding_note(f, RFT_IN_BRIEF, "[%c] %s%s", (int)('a' + i), p->notes[i].differs ? "e.g. " : "",
                         p->notes[i].text);
    }
}

rft_finding *rft_finding_sweeps(const rft_run *run, rft_arena *arena) {
    problems p = {.run = run, .arena = arena};
    rft_finding *f = rft_finding_new(arena);
    rft_cell_table *table = table_of(f, "sweep");
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_sweep *sweep = &run->sweeps[s].sweep;
        size_t problem = rft_run_largest(run, s);
        bool named = problem != SIZE_MAX && sweep->axis_count > 0;
        p.sweep = s;
        add_best(&p, table, sweep->name, named ? rft_run_problem_text(run, s, problem, true, arena) : NULL,
                 problem == SIZE_MAX ? NULL : rft_run_best(run, s, SIZE_MAX, problem), true);
    }
    add_notes(&p, f);
    return f;
}

rft_finding *rft_finding_problems(const rft_run *run, size_t sweep, rft_arena *arena) {
    problems p = {.run = run, .arena = arena, .sweep = sweep};
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    const size_t *order = rft_refine_order(data, arena);
    size_t count = 0, shown = 0, at = 0;
    rft_finding *f = rft_finding_new(arena);
    rft_cell_table *table = table_of(f, "problem");
    for (size_t i = 0; i < data->problem_count; i++) {
        count += !data->problems[i].odd;
    }
    for (size_t i = 0; i < data->problem_count; i++) { /* in brief some, from the first to the last */
        if (!data->problems[order[i]].odd) {
            bool in_brief = count <= IN_BRIEF_MOST || at == shown * (count - 1) / (IN_BRIEF_MOST - 1);
            shown += in_brief;
            at++;
            add_problem(&p, table, order[i], in_brief);
        }
    }
    if (shown < count) {
        rft_finding_note(f, RFT_IN_BRIEF,
                         "%zu of %zu problems, from the first to the last; all: `rooftune show --full`", shown, count);
    }
    add_notes(&p, f);
    return f;
}
