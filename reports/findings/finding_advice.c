/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "model/advice/advice.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include <string.h>

#define BRIEFLY 3 /* on a terminal and a page, unless all is asked for */

enum { SAID, RULE, WITH, TEXT, GAIN, GAIN_OF, RESTS_ON, EVIDENCE, NUMBERS, CHANGES, FIELDS };

static const rft_trait fields[FIELDS] = {
    [SAID] = {.title = "", .where = RFT_IN_TEXT},
    [RULE] = {.key = "rule"},
    [TEXT] = {.key = "text", .title = "Advice", .where = RFT_ON_PAGE | RFT_IN_DATA, .wraps = true},
    [GAIN] = {.key = "gain_frac",
              .title = "at most",
              .style = RFT_AS_PERCENT,
              .align = RFT_ALIGN_RIGHT,
              .where = RFT_ON_PAGE | RFT_IN_DATA},
    [WITH] = {.key = "with"},
    [GAIN_OF] = {.key = "gain_of"},
    [RESTS_ON] = {.key = "rests_on", .title = "that rests on", .where = RFT_ON_PAGE | RFT_IN_DATA, .wraps = true},
    [EVIDENCE] = {.key = "evidence", .title = "known from", .where = RFT_ON_PAGE | RFT_IN_DATA},
    [NUMBERS] = {.key = "numbers"},
    [CHANGES] = {.key = "changes"},
};

enum {
    TRIED_SAID,
    WHAT,
    PARAMETER,
    DIRECTION,
    IN_VAIN,
    OWN,
    POINTS,
    THERE,
    BEST_THERE,
    GAINED,
    BEST_AT,
    BINS,
    TRIED_FIELDS
};

static const rft_trait tried_fields[TRIED_FIELDS] = {
    [TRIED_SAID] = {.title = "Tried in vain", .where = RFT_TO_PEOPLE, .wraps = true},
    [WHAT] = {.key = "quantity"},
    [PARAMETER] = {.key = "parameter"},
    [DIRECTION] = {.key = "direction"},
    [IN_VAIN] = {.key = "in_vain"},
    [OWN] = {.key = "own"},
    [POINTS] = {.key = "points"},
    [THERE] = {.key = "there"},
    [BEST_THERE] = {.key = "there_s"},
    [GAINED] = {.key = "gained"},
    [BEST_AT] = {.key = "best_at"},
    [BINS] = {.key = "bins"},
};

static rft_finding *bins_of(const rft_tried *tried, rft_arena *arena) {
    static const rft_trait columns[] = {{.key = "low"}, {.key = "high"}, {.key = "points"}, {.key = "best_s"}};
    rft_finding *f = rft_finding_new(arena);
    rft_cell_table *table = rft_finding_table(f, "", columns, 4);
    for (size_t i = 0; i < tried->bin_count; i++) {
        const rft_tried_bin *bin = &tried->bins[i];
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[0] = rft_datum_number(bin->low);
        row->cells[1] = rft_datum_number(bin->high);
        row->cells[2] = rft_datum_count((int64_t)bin->points);
        row->cells[3] = rft_datum_number(bin->best_s);
    }
    return f;
}

/* Changes that nothing is known of but at the point itself are left out. */
static void add_tried(rft_finding *f, const char *key, const rft_tried *items, size_t count) {
    rft_cell_table *table = rft_finding_table(f, key, tried_fields, TRIED_FIELDS);
    table->lines = true;
    for (size_t i = 0; i < count; i++) {
        const rft_tried *tried = &items[i];
        if (tried->points == 0) {
            continue;
        }
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[TRIED_SAID] = rft_datum_text(rft_tried_text(tried, f->arena));
        row->cells[WHAT] = rft_datum_text(rft_quantity_name(tried->change.quantity));
        row->cells[PARAMETER] = rft_datum_text(tried->param);
        row->cells[DIRECTION] = rft_datum_text(rft_tried_direction(tried));
        row->cells[IN_VAIN] = rft_datum_flag(tried->verdict == RFT_TRIED_IN_VAIN);
        row->cells[OWN] = rft_datum_number(tried->own);
        row->cells[POINTS] = rft_datum_count((int64_t)tried->points);
        row->cells[THERE] = rft_datum_count((int64_t)tried->there);
        row->cells[BEST_THERE] = rft_datum_number(tried->there_s);
        row->cells[GAINED] = rft_datum_flag(tried->gained);
        row->cells[BEST_AT] = rft_datum_text(rft_tried_range(tried, tried->best_bin, f->arena));
        row->cells[BINS] = rft_datum_finding(bins_of(tried, f->arena));
    }
}

static rft_finding *triggers_of(const rft_advice *advice, rft_arena *arena) {
    static const rft_trait columns[] = {{.key = "name"}, {.key = "unit"}, {.key = "value"}, {.key = "threshold"}};
    rft_finding *f = rft_finding_new(arena);
    rft_cell_table *table = rft_finding_table(f, "", columns, 4);
    for (size_t i = 0; i < advice->trigger_count; i++) {
        const rft_advice_trigger *one = &advice->triggers[i];
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[0] = rft_datum_text(one->name);
        row->cells[1] = rft_datum_text(one->unit);
        row->cells[2] = rft_datum_number(one->value);
        row->cells[3] = rft_datum_number(one->threshold);
    }
    return f;
}

static rft_finding *changes_of(const rft_advice *advice, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    add_tried(f, "", advice->changes, advice->change_count);
    return f;
}

static rft_cell_row *add_advice(rft_cell_table *table, const rft_advice *advice) {
    rft_arena *arena = table->arena;
    rft_cell_row *row = rft_cell_table_row(table);
    row->cells[SAID] = rft_datum_text(rft_advice_text(advice, arena));
    row->cells[RULE] = rft_datum_text(advice->rule);
    row->cells[TEXT] = rft_datum_text(advice->text);
    row->cells[GAIN] = rft_datum_number(advice->gain_frac);
    row->cells[GAIN].note = advice->gain_of ? rft_arena_printf(arena, "Of %s.", advice->gain_of) : NULL;
    row->cells[WITH] = rft_datum_text(advice->with);
    row->cells[GAIN_OF] = rft_datum_text(advice->gain_of);
    row->cells[RESTS_ON] = rft_datum_text(advice->rests_on);
    row->cells[EVIDENCE] = rft_datum_text(rft_advice_evidence_name(advice->evidence));
    row->cells[NUMBERS] = rft_datum_finding(triggers_of(advice, arena));
    row->cells[CHANGES] = rft_datum_finding(changes_of(advice, arena));
    return row;
}

static unsigned readers_of(size_t rank) {
    return RFT_IN_FULL | RFT_ON_FULL_PAGE | (rank < BRIEFLY ? RFT_IN_BRIEF | RFT_ON_PAGE : 0);
}

static bool needs_energy(const rft_advice_list *list) {
    bool any = false;
    for (size_t i = 0; i < list->other_count; i++) {
        any = any || strcmp(list->others[i].with, RFT_ADVICE_LESS_ENERGY) == 0;
    }
    return any;
}

/* All of it in one table: a page has a line between the two kinds, a terminal names the second. */
static void add_for_people(rft_finding *f, const rft_advice_list *list) {
    rft_cell_table *table = rft_finding_table(f, NULL, fields, FIELDS);
    table->lines = true;
    for (size_t i = 0; i < list->count; i++) {
        add_advice(table, &list->items[i])->where = readers_of(i);
    }
    for (size_t i = 0; i < list->other_count; i++) {
        rft_cell_row *row = add_advice(table, &list->others[i]);
        row->cells[SAID].as.text =
            rft_arena_printf(f->arena, "with %s: %s", list->others[i].with, row->cells[SAID].as.text);
        row->where = readers_of(list->count + i);
        row->rule = i == 0;
    }
    size_t count = list->count + list->other_count;
    if (count > BRIEFLY) {
        rft_finding_note(f, RFT_IN_BRIEF, "%zu more: --full", count - BRIEFLY);
    }
    if (count > 0) {
        rft_finding_legend(f, "At most: the share of the time that no change of this kind can exceed, not a "
                              "forecast. Below the line: advice that changes the work or its launch: more rows, fewer "
                              "bits, another division into kernels.");
    }
    if (needs_energy(list)) {
        rft_finding_legend(f,
                           "With less energy an operation: power or heat holds the clock down; it then rises, to the "
                           "run's at most.");
    }
}

static void add_for_programs(rft_finding *f, const char *key, const rft_advice *items, size_t count) {
    rft_cell_table *table = rft_finding_table(f, key, fields, FIELDS);
    table->where = RFT_IN_DATA;
    for (size_t i = 0; i < count; i++) {
        add_advice(table, &items[i]);
    }
}

static void add_missing(rft_finding *f, const rft_advice_list *list) {
    static const rft_trait columns[] = {{.key = "rule"}, {.key = "metric"}, {.key = "reason"}};
    rft_cell_table *table = rft_finding_table(f, "not_evaluated", columns, 3);
    rft_str names = RFT_STR_INIT;
    for (size_t i = 0; i < list->missing_count; i++) {
        const rft_advice_missing *one = &list->missing[i];
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[0] = rft_datum_text(one->rule);
        row->cells[1] = rft_datum_text(one->metric);
        row->cells[2] = rft_datum_text(one->reason);
        rft_str_addf(&names, "%s%s (%s)", i ? ", " : "", one->rule, one->metric);
    }
    if (list->missing_count > 0) {
        rft_finding_note(f, 0, "Not evaluated, for want of the number in brackets: %s.", rft_str_get(&names));
    }
    rft_str_clear(&names);
}

rft_finding *rft_finding_advice(const rft_run *run, const rft_point *point, rft_arena *arena) {
    if (!point) {
        return NULL;
    }
    const rft_advice_list list = rft_advice_of(run, point, arena);
    const char *name = rft_words_problem(run, point->sweep, point->problem, arena);
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_ON_PAGE, 2, "What could be won");
    rft_finding_heading(f, RFT_IN_TEXT, 2, "advice for %s", name);
    if (list.nothing) {
        rft_finding_note(f, RFT_ON_PAGE, "The best of %s: %s.", name, list.nothing);
    }
    if (list.nothing) {
        rft_finding_body(f, RFT_IN_TEXT, "%s", list.nothing);
    }
    if (list.count == 0) { /* they are the reason */
        add_tried(f, "tried", list.tried, list.tried_count);
    }
    add_for_people(f, &list);
    if (list.count > 0) {
        add_tried(f, "tried", list.tried, list.tried_count);
    }
    add_for_programs(f, "same_work", list.items, list.count);
    add_for_programs(f, "other_work", list.others, list.other_count);
    add_missing(f, &list);
    rft_finding_set(f, "nothing", rft_datum_text(list.nothing));
    return f;
}
