/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/baseline.h"
#include "reports/doc_build.h"

#include "base/str.h"
#include "model/run/run_drift.h"
#include "model/run/run_throttled.h"
#include "reports/page/page.h"

#include <math.h>
#include <string.h>

#define ROWS_MOST 24       /* problems, of few sweeps */
#define CHAPTERS_FRAME 8   /* of a report beside its sweeps and mixes */
#define TWO_PAGES_MOST 200 /* rows that two pages never have room for */

/* "All times are with a cold cache but for working_set (hot)." The mode of most sweeps, of the first where as many. */
static const char *cache_text(const rft_build *b) {
    size_t count[RFT_CACHE_COUNT] = {0};
    rft_cache_mode usual = b->run->sweeps[0].sweep.measure.cache;
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        count[b->run->sweeps[s].sweep.measure.cache]++;
    }
    for (int mode = 0; mode < RFT_CACHE_COUNT; mode++) {
        usual = count[mode] > count[usual] ? (rft_cache_mode)mode : usual;
    }
    rft_str text = RFT_STR_INIT;
    bool apart = rft_build_experiments_apart(b);
    rft_str_addf(&text, "All times are with a %s cache", rft_cache_mode_name(usual));
    const char *joint = " but for ";
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        const rft_sweep *sweep = &b->run->sweeps[s].sweep;
        if (apart && sweep->diagnostic == 1) {
            continue;
        }
        if (sweep->measure.cache != usual || sweep->measure.mode != RFT_TIMING_EVENTS) {
            rft_str_addf(&text, "%s%s (%s)", joint, sweep->name,
                         rft_protocol_name(sweep->measure.cache, sweep->measure.mode));
            joint = ", ";
        }
    }
    rft_str_add_char(&text, '.');
    const char *kept = rft_arena_strdup(b->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* What changes how the numbers are to be read; nothing where they are as usual. */
static void add_steadiness(rft_build *b) {
    rft_drift drift = rft_run_drift(b->run);
    if (rft_drift_found(&drift)) {
        rft_doc_textf(b->doc, RFT_TEXT_STRONG, "The device drifted: %s.", rft_run_drift_sentence(b->run, b->arena));
    }
    if (rft_run_throttled_of(b->run).affected > 0) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "Clock: %s.", rft_run_throttled_sentence(b->run, b->arena));
    }
}

static bool has_energy(const rft_entry *const *shown, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const rft_load *load = shown[i]->best ? shown[i]->best->loads[RFT_LOAD_ENERGY] : NULL;
        if (load && load->source) {
            return true;
        }
    }
    return false;
}

/* "Not here for want of room: a, b. " */
static void add_left_out(const rft_build *b, rft_str *text, const rft_entry *const *shown, size_t count) {
    size_t left = 0;
    bool apart = rft_build_experiments_apart(b);
    for (size_t i = 0; i < b->entry_count; i++) {
        bool first = i == 0 || b->entries[i].sweep != b->entries[i - 1].sweep, is_shown = false;
        for (size_t k = 0; k < count && first; k++) {
            is_shown = is_shown || shown[k]->sweep == b->entries[i].sweep;
        }
        if (first && !is_shown && !(apart && b->run->sweeps[b->entries[i].sweep].sweep.diagnostic == 1)) {
            rft_str_addf(text, "%s%s",
                         left++ ? ", " : "Not here for want of room: ", b->run->sweeps[b->entries[i].sweep].sweep.name);
        }
    }
    rft_str_add(text, left ? ". " : "");
    rft_str_add(text, apart ? "Experiments, which explain the card, have chapters alone. " : "");
}

static bool is_many(const rft_build *b) {
    return b->run->sweep_count > RFT_SWEEPS_MANY && b->entry_count > ROWS_MOST;
}

/* Whether the vendor's column, which some row has, says nothing of another. */
static bool has_blank_vendor(const rft_build *b, const rft_entry *const *shown, size_t count) {
    size_t with = 0;
    for (size_t i = 0; i < count; i++) {
        with += rft_run_chief_baseline(b->run, shown[i]->sweep, shown[i]->problem, b->arena) != NULL;
    }
    return with > 0 && with < count;
}

/* What the columns mean, and which problems are not here. */
static void add_legend(rft_build *b, const rft_entry *const *shown, size_t count, bool detailed) {
    const char *vendor = rft_run_chief_name(b->run, b->arena);
    const bool bare = !detailed && is_many(b); /* its columns are few */
    rft_str text = RFT_STR_INIT;
    if (count < b->entry_count) {
        const char *all =
            b->detail == RFT_DETAIL_FULL ? "\"All problems\" lists all" : "best.csv of --csv-dir lists all";
        if (bare) {
            rft_str_addf(&text, "Of each sweep its longest problem, of %zu in all; %s, and a chapter its own. ",
                         b->entry_count, all);
        } else {
            rft_str_addf(&text, "The %zu most telling of %zu problems; %s. ", count, b->entry_count, all);
        }
        add_left_out(b, &text, shown, count);
    }
    rft_str_addf(
        &text,
        "%s95 %%: interval of the median; %s. Useful rate: compulsory bytes or operations only, never what a "
        "configuration moves besides. Of ceiling: of the rate measured on this card%s. "
        "Left: what that ceiling would still allow at the launches' own clock, behind the launch floor. Bound: what "
        "takes the time, dram (device memory), l2, shared, a unit's name, issue (instructions), launch (starting it), "
        "latency (waiting), or what holds the clock down, power, thermal (heat), clock (not known); by hardware "
        "counters, "
        "* modelled, ** declared.%s",
        detailed ? "In grey: the best configuration. " : "",
        rft_build_mostly_repeated(shown, count)
            ? rft_build_all_repeated(shown, count) ? "of several processes each (`show --full` tells more)"
                                                   : "of several processes each unless noted (`show --full` tells more)"
            : "of one process unless noted",
        bare ? "" : "; of sheet: of the vendor's figure",
        bare ? "" : " Over default: the same kernel with every parameter at its default.");
    if (vendor) {
        rft_str_addf(&text, " Over vendor: %s.", vendor);
    }
    const char *library = bare && !vendor ? rft_build_vendor(b, shown, count) : NULL;
    if (library) {
        rft_str_addf(&text, " Over vendor: %s, the fastest of its heuristics for the same result.", library);
    }
    if (bare && has_blank_vendor(b, shown, count)) {
        rft_str_add(&text, " It is empty where no library's kernel was beside it.");
    }
    if (!bare && has_energy(shown, count)) {
        rft_str_add(&text, " Energy: by the board's sensor, informative; empty where it was not measured.");
    }
    rft_str_addf(&text, "%s %s",
                 bare ? "" : " Tie of 3: three configurations whose intervals overlap; the one named was fastest.",
                 cache_text(b));
    rft_doc_text(b->doc, RFT_TEXT_NOTE, rft_str_get(&text));
    rft_str_clear(&text);
}

static bool is_detailed(const rft_table *table) {
    bool detailed = false;
    for (size_t i = 0; i < table->row_count; i++) {
        detailed = detailed || table->rows[i].detail;
    }
    return detailed;
}

/* Over two pages the legend goes before its table: behind, it may head a third, without a row. */
static void add_rows(rft_build *b, const rft_entry *const *shown, size_t count) {
    rft_doc aside = {.arena = b->arena};
    rft_build trial = *b;
    trial.doc = &aside;
    if (is_many(b)) {
        add_legend(b, shown, count, is_detailed(rft_build_results(&trial, shown, count)));
        rft_build_results(b, shown, count);
    } else {
        add_legend(b, shown, count, is_detailed(rft_build_results(b, shown, count)));
    }
}

static void add_head(rft_build *b) {
    rft_doc_new_chapter(b->doc);
    rft_doc_heading(b->doc, 1, "Summary", "summary");
    add_steadiness(b);
}

/* The contents before it, while the chapters are not there yet. */
static void add_contents(const rft_build *b, rft_doc *doc) {
    rft_build on = *b;
    on.doc = doc;
    rft_build_contents(&on);
    doc->blocks[doc->block_count - 1].level = CHAPTERS_FRAME + (int)(b->run->sweep_count + b->opts.mix_count);
}

/* Whether the contents found no room below the card, and take it from this page. */
static bool are_contents_here(const rft_build *b) {
    rft_doc before = *b->doc;
    bool any = before.block_count > 1 && before.blocks[before.block_count - 1].kind == RFT_BLOCK_CONTENTS;
    if (!any) {
        return false;
    }
    before.block_count -= 2; /* and their heading */
    before.block_capacity = before.block_count;
    before.blocks = rft_arena_calloc(b->arena, before.block_count + 1, sizeof *before.blocks);
    memcpy(before.blocks, b->doc->blocks, before.block_count * sizeof *before.blocks);
    int pages = rft_page_layout(&before, NULL);
    add_contents(b, &before);
    return rft_page_layout(&before, NULL) > pages;
}

/* How many pages it takes with so many problems. */
static int pages_with(const rft_build *b, bool contents, size_t most) {
    rft_doc trial = {.arena = b->arena};
    if (contents) {
        add_contents(b, &trial);
    }
    rft_build on = *b;
    const rft_entry **shown = NULL;
    size_t count = rft_build_choose(b, most, &shown);
    on.doc = &trial;
    add_head(&on);
    add_rows(&on, shown, count);
    return rft_page_layout(&trial, NULL);
}

/* As many problems as one page has room for; of more than RFT_SWEEPS_MANY sweeps, which have a row each, two pages
 * where no mix takes the second, and of more than two pages have room for a third. */
static size_t rows_most(const rft_build *b) {
    bool many = is_many(b);
    int pages = many && b->opts.mix_count == 0 ? 2 : 1;
    size_t sweeps = rft_build_summed(b);
    size_t most = !many ? ROWS_MOST : sweeps < TWO_PAGES_MOST ? sweeps : TWO_PAGES_MOST;
    most = most < b->entry_count ? most : b->entry_count;
    bool contents = !many && are_contents_here(b);
    if (pages_with(b, contents, most) <= pages || (pages == 2 && pages_with(b, contents, most) == 3)) {
        return most;
    }
    size_t fits = 1; /* whatever it takes; halving, since a run may have thousands of sweeps */
    while (most - fits > 1) {
        size_t middle = fits + (most - fits) / 2;
        *(pages_with(b, contents, middle) <= pages ? &fits : &most) = middle;
    }
    return fits;
}

void rft_build_summary(rft_build *b) {
    if (b->entry_count == 0) {
        rft_doc_new_chapter(b->doc);
        rft_doc_heading(b->doc, 1, "Summary", "summary");
        rft_doc_text(b->doc, RFT_TEXT_BODY, "The run has no problems: there is nothing to summarise.");
        return;
    }
    const rft_entry **shown = NULL;
    size_t count = rft_build_choose(b, rows_most(b), &shown);
    add_head(b);
    add_rows(b, shown, count);
    rft_print_page(b->doc, rft_finding_families(b->buyer, b->arena));
}
