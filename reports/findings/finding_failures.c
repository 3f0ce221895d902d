/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include "base/hash.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

#define ON_PAGE_MOST 40
#define IN_BRIEF_MOST 8
#define REASON_BYTES 240 /* of its first line */
#define LOG_LINES 12     /* of a compiler's log, in brief */

/* Failures that say the same but for their numbers. */
typedef struct failure_kind {
    const rft_point *example; /* the first */
    uint64_t hash;            /* of the outcome, and of the reason without its numbers */
    size_t count;
} failure_kind;

static const char *recorded_reason(const rft_point *point) {
    return point->reason && *point->reason ? point->reason : point->log;
}

static int compare_kinds(const void *a, const void *b) {
    const failure_kind *x = a, *y = b;
    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return (x->example->id > y->example->id) - (x->example->id < y->example->id);
}

/* Most frequent first; noisy points, which were measured all the same, among them. */
static size_t kinds_of(const rft_run *run, size_t sweep, rft_arena *arena, failure_kind **out) {
    failure_kind *kinds = NULL;
    size_t count = 0, capacity = 0;
    rft_str key = RFT_STR_INIT;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep != sweep || point->outcome == RFT_OUTCOME_OK || point->alias_of) {
            continue;
        }
        rft_str_truncate(&key, 0);
        rft_str_addf(&key, "%s ", rft_outcome_name(point->outcome));
        rft_outcome_reason_kind(&key, recorded_reason(point));
        uint64_t hash = rft_hash_fnv1a(rft_str_get(&key), key.length);
        size_t k = 0;
        while (k < count && kinds[k].hash != hash) {
            k++;
        }
        if (k == count) {
            kinds = rft_arena_grown(arena, kinds, count, &capacity, sizeof *kinds);
            kinds[count++] = (failure_kind){.example = point, .hash = hash};
        }
        kinds[k].count++;
    }
    rft_str_clear(&key);
    if (count > 1) {
        qsort(kinds, count, sizeof *kinds, compare_kinds);
    }
    *out = kinds;
    return count;
}

/* Its first line, cut between two characters. */
static const char *reason_words(const rft_point *point, rft_arena *arena) {
    const char *text = recorded_reason(point);
    size_t length = text ? strcspn(text, "\n") : 0;
    if (length == 0) {
        return text == NULL && point->outcome == RFT_OUTCOME_NOISY ? "the samples did not settle; measured all the same"
                                                                   : "no reason was recorded";
    }
    if (length <= REASON_BYTES) {
        return rft_arena_strndup(arena, text, length);
    }
    length = REASON_BYTES;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
        length--;
    }
    return rft_arena_printf(arena, "%.*s\xe2\x80\xa6", (int)length, text);
}

/* "n=100 (the odd problem), tiled: VEC=3 BLOCK=96": all of the configuration, as what was not tuned may have failed. */
static const char *example_words(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[point->sweep].sweep;
    const char *problem = rft_run_problem_text(run, point->sweep, point->problem, true, arena);
    const char *config = rft_run_config_text(run, point, false, arena);
    const char *variant = sweep->variant_count > 1 ? sweep->variants[point->variant].name : "";
    bool odd = sweep->problems[point->problem].odd;
    return rft_arena_printf(arena, "%s%s%s%s%s%s", problem, odd ? " (the odd problem)" : "",
                            *problem || odd ? ", " : "", variant, *variant && *config ? ": " : "",
                            *variant || *config ? config : "no parameters");
}

/* The compiler's words. */
static void add_log(rft_finding *f, const char *log, bool in_brief) {
    const char *end = log;
    for (int lines = 0; *end && lines < LOG_LINES; lines++) {
        end += strcspn(end, "\n");
        end += *end == '\n';
    }
    if (in_brief) {
        rft_finding_mono(f, RFT_IN_BRIEF,
                         rft_arena_printf(f->arena, "%.*s%s", (int)(end - log), log,
                                          *end ? "...: `rooftune point --emit log` has all of it" : ""));
    }
    rft_finding_mono(f, RFT_IN_FULL, log);
}

/* One kind, on a terminal and as data. */
static rft_finding *finding_of_kind(const rft_run *run, const failure_kind *kind, bool in_brief, rft_arena *arena) {
    static const rft_trait line[] = {
        {.title = "points"}, {.title = "outcome", .lead = " "}, {.title = "reason", .lead = ": "}};
    const rft_point *example = kind->example;
    const rft_sweep *sweep = &run->sweeps[example->sweep].sweep;
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "count", rft_datum_count((int64_t)kind->count));
    rft_finding_set(f, "outcome", rft_datum_text(rft_outcome_name(example->outcome)));
    rft_finding_set(f, "reason", rft_datum_text(example->reason));
    rft_finding_set(f, "log", rft_datum_text(example->log));
    rft_finding_set(f, "example_point", rft_datum_count(example->id));
    rft_finding_set(f, "problem", rft_datum_finding(rft_finding_problem(sweep, example->problem, arena)));
    rft_finding_set(f, "configuration", rft_datum_finding(rft_finding_config(sweep, example, arena)));
    rft_cell_table *table = rft_finding_table(f, NULL, line, 3);
    table->where = in_brief ? RFT_IN_TEXT : RFT_IN_FULL;
    table->lines = true;
    rft_cell_row *row = rft_cell_table_row(table);
    row->cells[0] = rft_datum_count((int64_t)kind->count);
    row->cells[1] = rft_datum_text(rft_outcome_name(example->outcome));
    row->cells[2] = rft_datum_text(reason_words(example, arena));
    row->detail = rft_arena_printf(arena, "e.g. %s", example_words(run, example, arena));
    if (example->log && example->outcome == RFT_OUTCOME_COMPILE_FAILED) {
        add_log(f, example->log, in_brief);
    }
    return f;
}

static void add_page_table(rft_finding *f, const rft_run *run, const failure_kind *kinds, size_t count) {
    static const rft_trait columns[] = {{.title = "Outcome"},
                                        {.title = "Points", .align = RFT_ALIGN_RIGHT},
                                        {.title = "Reason (of the example)", .wraps = true},
                                        {.title = "Example", .wraps = true}};
    rft_cell_table *table = rft_finding_table(f, NULL, columns, 4);
    size_t others = 0;
    table->where = RFT_ON_PAGE;
    for (size_t i = 0; i < count; i++) {
        if (i >= ON_PAGE_MOST) {
            others += kinds[i].count;
            continue;
        }
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[0] = rft_datum_text(rft_outcome_name(kinds[i].example->outcome));
        row->cells[1] = rft_datum_count((int64_t)kinds[i].count);
        row->cells[2] = rft_datum_text(reason_words(kinds[i].example, f->arena));
        row->cells[3] = rft_datum_text(example_words(run, kinds[i].example, f->arena));
    }
    if (others > 0) {
        rft_finding_note(f, RFT_ON_PAGE, "%s more for other reasons; the run file has them all.",
                         rft_words_plural(others, "point", "points", f->arena));
    }
}

rft_finding *rft_finding_failures(const rft_run *run, size_t sweep, rft_arena *arena) {
    failure_kind *kinds = NULL;
    size_t count = kinds_of(run, sweep, arena, &kinds), failed = 0;
    rft_finding *f = rft_finding_new(arena);
    for (size_t i = 0; i < count; i++) {
        failed += !rft_outcome_is_measured(kinds[i].example->outcome);
    }
    if (count > 0) {
        rft_finding_heading(f, failed > 0 ? RFT_TO_PEOPLE : RFT_ON_PAGE, 2, "%s",
                            failed == 0 ? "What was measured, but is not steady" : "What was not measured, and why");
        add_page_table(f, run, kinds, count);
    }
    rft_finding *list = rft_finding_new(arena);
    rft_item *items = rft_finding_list(list, "");
    for (size_t i = 0, told = 0; i < count; i++) {
        if (!rft_outcome_is_measured(kinds[i].example->outcome)) {
            rft_finding_append(list, items, finding_of_kind(run, &kinds[i], told++ < IN_BRIEF_MOST, arena));
        }
    }
    rft_finding_add(f, "", list);
    if (failed > IN_BRIEF_MOST) {
        rft_finding_note(f, RFT_IN_BRIEF, "%zu more kinds: --full", failed - IN_BRIEF_MOST);
    }
    return f;
}
