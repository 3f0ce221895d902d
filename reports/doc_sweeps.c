/* SPDX-License-Identifier: Apache-2.0 */
/* The sweeps' chapters, and before them, once, what several of them would say in the same words. */
#include "reports/doc_build.h"

#include <string.h>

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

/* One that is said again stands before all sweeps; the others stay where they are. */
static void add_with_legends(rft_build *b, const rft_doc *sweeps) {
    bool *again = rft_arena_calloc(b->arena, sweeps->block_count + 1, sizeof *again);
    bool any = false;
    for (size_t i = 0; i < sweeps->block_count; i++) {
        size_t first = is_legend(&sweeps->blocks[i]) ? said_first(sweeps, i) : i;
        again[i] = again[first] = again[i] || first < i;
        any = any || again[i];
    }
    if (any) {
        rft_doc_new_chapter(b->doc);
        rft_doc_heading(b->doc, 1, "How to read a sweep", "reading");
    }
    for (size_t i = 0; i < sweeps->block_count; i++) {
        if (again[i] && said_first(sweeps, i) == i) {
            rft_doc_text(b->doc, RFT_TEXT_NOTE, sweeps->blocks[i].text);
        }
    }
    for (size_t i = 0; i < sweeps->block_count; i++) {
        if (!again[i]) {
            rft_doc_append(b->doc, &sweeps->blocks[i]);
        }
    }
}

/* Once for all forms of the report: it asks for the bests of all problems. */
static void find_macros(rft_build *b) {
    if (b->macros) {
        return;
    }
    b->macros = rft_arena_calloc(b->arena, b->run->sweep_count + 1, sizeof *b->macros);
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        const rft_entry *showcase = rft_build_showcase(b, s);
        b->macros[s].point = showcase ? showcase->best : NULL;
    }
    rft_best_macros_of(b->run, b->macros, b->run->sweep_count, b->arena);
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
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        rft_build_sweep(b, s);
    }
    b->doc = whole;
    add_with_legends(b, &sweeps);
}
