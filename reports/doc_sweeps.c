/* SPDX-License-Identifier: Apache-2.0 */
/* The sweeps' chapters, and behind them, once, what several of them would say in the same words. */
#include "reports/doc_build.h"

#include <string.h>

#define NAME_MOST 40 /* bytes of what a legend begins with */

static bool is_legend(const rft_block *block) {
    return block->kind == RFT_BLOCK_TEXT && block->style == RFT_TEXT_LEGEND;
}

/* The first block that says so. */
static size_t said_first(const rft_doc *doc, size_t at) {
    size_t i = 0;
    while (i < at && !(is_legend(&doc->blocks[i]) && strcmp(doc->blocks[i].text, doc->blocks[at].text) == 0)) {
        i++;
    }
    return i;
}

/* "Heat map: of the best's variant" as name and text; what begins with no name has an empty one. */
static void add_reading(rft_build *b, rft_table *table, const char *text) {
    const char *colon = strstr(text, ": ");
    size_t length = colon ? (size_t)(colon - text) : 0;
    bool named = length > 0 && length <= NAME_MOST;
    const char *first = named ? colon + 2 : text;
    rft_doc_pair(b->doc, table, named ? rft_arena_printf(b->arena, "%.*s", (int)length, text) : "",
                 rft_arena_printf(b->arena, "%s", first));
}

/* What is said again stands behind all sweeps; the rest stays where it is. */
static void add_with_legends(rft_build *b, const rft_doc *sweeps) {
    static const rft_column columns[] = {{.title = ""}, {.title = "", .wraps = true}};
    bool *again = rft_arena_calloc(b->arena, sweeps->block_count + 1, sizeof *again);
    bool any = false;
    for (size_t i = 0; i < sweeps->block_count; i++) {
        size_t first = is_legend(&sweeps->blocks[i]) ? said_first(sweeps, i) : i;
        again[i] = again[first] = again[i] || first < i;
        any = any || again[i];
    }
    for (size_t i = 0; i < sweeps->block_count; i++) {
        if (!again[i]) {
            rft_doc_append(b->doc, &sweeps->blocks[i]);
        }
    }
    if (!any) {
        return;
    }
    rft_doc_new_chapter(b->doc);
    rft_doc_heading(b->doc, 1, "How to read a sweep", "reading");
    rft_table *table = rft_doc_table(b->doc, columns, 2);
    table->plain = true;
    for (size_t i = 0; i < sweeps->block_count; i++) {
        if (again[i] && said_first(sweeps, i) == i) {
            add_reading(b, table, sweeps->blocks[i].text);
        }
    }
}

bool rft_build_experiments_apart(const rft_build *b) {
    size_t experiments = 0;
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        experiments += b->run->sweeps[s].sweep.diagnostic == 1;
    }
    return b->run->sweep_count > RFT_SWEEPS_MANY && experiments > 0 && experiments < b->run->sweep_count;
}

/* Once for all forms of the report: it asks for the bests of all problems. */
static void find_macros(rft_build *b) {
    if (b->macros) {
        return;
    }
    b->macros = rft_arena_calloc(b->shared, b->run->sweep_count + 1, sizeof *b->macros);
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        const rft_entry *showcase = rft_build_showcase(b, s);
        b->macros[s].point = showcase ? showcase->best : NULL;
    }
    rft_best_macros_of(b->run, b->macros, b->run->sweep_count, b->shared);
}

void rft_build_sweeps(rft_build *b) {
    rft_doc sweeps = {.arena = b->arena, .full = b->doc->full};
    rft_doc *whole = b->doc;
    if (b->run->sweep_count == 0) {
        rft_doc_text(b->doc, RFT_TEXT_NOTE, "Not explored: the run has no sweep.");
        return;
    }
    find_macros(b);
    b->doc = &sweeps;
    bool apart = rft_build_experiments_apart(b);
    for (size_t i = 0, count = b->run->sweep_count; i < (apart ? 2 : 1) * count; i++) {
        if (i == count && b->detail <= RFT_DETAIL_BRIEF) {
            rft_doc_new_chapter(b->doc);
            rft_doc_heading(b->doc, 1, "Experiments", "experiments");
            rft_doc_text(b->doc, RFT_TEXT_NOTE,
                         "Each explains the card; none is a workload, and no summary counts it.");
        }
        if (!apart || (b->run->sweeps[i % count].sweep.diagnostic == 1) == (i >= count)) {
            rft_build_sweep(b, i % count);
        }
    }
    b->doc = whole;
    add_with_legends(b, &sweeps);
}
