/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/baseline.h"
#include "reports/doc_build.h"

#include "base/str.h"
#include "model/run/run_drift.h"
#include "model/run/run_throttled.h"

#include <math.h>

/* Problems that fit on the summary's one page, so that cover, summary and card fill four at most. */
#define ROWS_MOST 24
#define PAGE_ROOM 552.0        /* points for the table's rows */
#define SECOND_PAGE_ROOM 680.0 /* on the next one, where no mix takes it */
#define SWEEPS_MANY 10         /* more have a row each */
#define ROW_HEIGHT 24.0        /* with the configuration under the numbers */
#define LINE_HEIGHT 14.2       /* a sweep's name; a sustained time */

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
    rft_str_addf(&text, "All times are with a %s cache", rft_cache_mode_name(usual));
    const char *joint = " but for ";
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        const rft_sweep *sweep = &b->run->sweeps[s].sweep;
        if (sweep->measure.cache != usual) {
            rft_str_addf(&text, "%s%s (%s)", joint, sweep->name, rft_cache_mode_name(sweep->measure.cache));
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
    for (size_t i = 0; i < b->entry_count; i++) {
        bool first = i == 0 || b->entries[i].sweep != b->entries[i - 1].sweep, is_shown = false;
        for (size_t k = 0; k < count && first; k++) {
            is_shown = is_shown || shown[k]->sweep == b->entries[i].sweep;
        }
        if (first && !is_shown) {
            rft_str_addf(text, "%s%s",
                         left++ ? ", " : "Not here for want of room: ", b->run->sweeps[b->entries[i].sweep].sweep.name);
        }
    }
    rft_str_add(text, left ? ". " : "");
}

/* What the columns mean, and which problems are not here. */
static void add_legend(rft_build *b, const rft_entry *const *shown, size_t count, bool detailed) {
    const char *vendor = rft_run_chief_name(b->run, b->arena);
    rft_str text = RFT_STR_INIT;
    if (count < b->entry_count) {
        rft_str_addf(&text, "The %zu most telling of %zu problems; %s. ", count, b->entry_count,
                     b->detail == RFT_DETAIL_FULL ? "\"All problems\" lists all" : "best.csv of --csv-dir lists all");
        add_left_out(b, &text, shown, count);
    }
    rft_str_addf(
        &text,
        "%s95 %%: interval of the median; of one process unless noted. Useful rate: compulsory bytes or "
        "operations only, "
        "never what a configuration moves besides. Of ceiling: of the rate measured on this card; of sheet: "
        "of the vendor's figure. Left: what that ceiling would still allow at the launches' own clock, behind "
        "the launch floor. Bound: what takes the time, dram (device memory), l2, shared, a unit's name, issue "
        "(instructions), launch (starting it), latency (waiting), or what holds the clock down, power, "
        "temperature, clock (not known); by hardware counters, * modelled, ** declared. Over default: the same "
        "kernel with every parameter at its default.",
        detailed ? "In grey: the best configuration. " : "");
    if (vendor) {
        rft_str_addf(&text, " Over vendor: %s.", vendor);
    }
    if (has_energy(shown, count)) {
        rft_str_add(&text, " Energy: by the board's sensor, informative; empty where it was not measured.");
    }
    rft_str_addf(&text, " Tie of 3: three configurations whose intervals overlap; the one named was fastest. %s",
                 cache_text(b));
    rft_doc_text(b->doc, RFT_TEXT_NOTE, rft_str_get(&text));
    rft_str_clear(&text);
}

/* Rows of a line under a problem's own, its time back to back; and the note on writes in the L2. */
static double room_of_lines(const rft_build *b) {
    size_t lines = 0, note = 0;
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        lines += entry->best && isfinite(rft_point_back_to_back_s(entry->best));
        note = entry->best && (entry->reach.at_most || entry->reach.back_to_back) ? 2 : note;
    }
    return LINE_HEIGHT * (double)(lines + note);
}

/* A row each, of as many sweeps as four pages have room for. */
static size_t sweeps_most(const rft_build *b) {
    double room = PAGE_ROOM + (b->opts.mix_count == 0 ? SECOND_PAGE_ROOM : 0) - room_of_lines(b);
    return (size_t)(room / ROW_HEIGHT);
}

static size_t rows_most(const rft_build *b) {
    size_t sweeps = b->run->sweep_count;
    if (sweeps > SWEEPS_MANY && b->entry_count > ROWS_MOST) {
        size_t most = sweeps_most(b);
        return sweeps < most ? sweeps : most;
    }
    double room = PAGE_ROOM - room_of_lines(b) - LINE_HEIGHT * (double)(b->entry_count > sweeps ? sweeps : 0);
    size_t most = room > 0 ? (size_t)(room / ROW_HEIGHT) : 0;
    size_t least = sweeps < ROWS_MOST - 2 ? sweeps : ROWS_MOST - 2; /* one a sweep: then their names need no line */
    most = most > least ? most : least;
    return most < ROWS_MOST ? most : ROWS_MOST;
}

void rft_build_summary(rft_build *b) {
    rft_doc_new_chapter(b->doc);
    rft_doc_heading(b->doc, 1, "Summary", "summary");
    if (b->entry_count == 0) {
        rft_doc_text(b->doc, RFT_TEXT_BODY, "The run has no problems: there is nothing to summarise.");
        return;
    }
    const rft_entry **shown = NULL;
    size_t count = rft_build_choose(b, rows_most(b), &shown);
    add_steadiness(b);
    const rft_table *table = rft_build_results(b, shown, count);
    bool detailed = false;
    for (size_t i = 0; i < table->row_count; i++) {
        detailed = detailed || table->rows[i].detail;
    }
    add_legend(b, shown, count, detailed);
}
