/* SPDX-License-Identifier: Apache-2.0 */
/* "All problems": for the engineer, every problem's best with what the summary has no room for. */
#include "reports/doc_build.h"

#include "base/str.h"
#include "model/roofline/placement.h"
#include "model/transition/refine.h"
#include "reports/findings/point_state.h"

#include <math.h>

enum {
    COLUMN_PROBLEM,
    COLUMN_MEASURED,
    COLUMN_TIME,
    COLUMN_MIN,
    COLUMN_Q3,
    COLUMN_SAMPLES,
    COLUMN_CLOCK,
    COLUMN_BYTES,
    COLUMN_OPS,
    COLUMN_INTENSITY,
    COLUMN_FRAC,
    COLUMN_COUNT
};

static const rft_column columns[COLUMN_COUNT] = {
    [COLUMN_PROBLEM] = {.title = "Problem", .wraps = true},
    [COLUMN_MEASURED] = {.title = "Measured", .align = RFT_ALIGN_RIGHT},
    [COLUMN_TIME] = {.title = "Median", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_MIN] = {.title = "min", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_Q3] = {.title = "q3", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_SAMPLES] = {.title = "n", .align = RFT_ALIGN_RIGHT},
    [COLUMN_CLOCK] = {.title = "Clock", .unit = "MHz", .align = RFT_ALIGN_RIGHT},
    [COLUMN_BYTES] = {.title = "Bytes", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_OPS] = {.title = "Operations", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_INTENSITY] = {.title = "op/B", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_FRAC] = {.title = "of ceiling", .unit = "%", .align = RFT_ALIGN_DECIMAL},
};

static void add_sentence(const rft_build *b, rft_str *out, const char *text) {
    rft_str_addf(out, "%s%s", out->length ? " " : "", rft_words_sentence(text, b->arena));
}

static const char *detail_text(const rft_build *b, const rft_entry *entry) {
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%s.",
                 rft_words_with_state(rft_words_config(b->run, entry->best, b->arena), b->run, entry->best, b->arena));
    if (entry->rival) {
        rft_str_addf(&text, " A tie with %s", rft_words_config(b->run, entry->rival, b->arena));
        if (entry->tied > 1) {
            rft_str_addf(&text, " and %zu more", entry->tied - 1);
        }
        rft_str_add(&text, ".");
    }
    add_sentence(b, &text, rft_bound_text(&entry->bound, b->arena));
    const char *note = rft_words_share_note(b->run, entry->best, b->arena);
    if (note) {
        add_sentence(b, &text, note);
    }
    const char *refined = rft_refine_text(b->run, entry->sweep, entry->problem, b->arena);
    if (refined) {
        add_sentence(b, &text, refined);
    }
    if (entry->best->outcome == RFT_OUTCOME_NOISY) {
        add_sentence(b, &text, "noisy: the samples did not settle");
    }
    const char *kept = rft_arena_strdup(b->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static void add_entry(rft_build *b, rft_table *table, const rft_entry *entry) {
    rft_row *row = rft_doc_row(b->doc, table);
    const char *text = rft_run_problem_text(b->run, entry->sweep, entry->problem, true, b->arena);
    row->cells[COLUMN_PROBLEM] = text && *text ? text : "the only one";
    row->link = rft_build_anchor(b, entry->sweep);
    row->cells[COLUMN_MEASURED] = rft_figure_count(b->arena, entry->measured);
    if (!entry->best) {
        row->cells[COLUMN_TIME] = "n/a";
        row->detail = "No valid measurement.";
        return;
    }
    const rft_measurement *own = rft_point_measurement(entry->best);
    const rft_placement *place = &entry->place;
    row->cells[COLUMN_TIME] = rft_figure_si(b->arena, own->stats.median, "s");
    row->cells[COLUMN_MIN] = rft_figure_si(b->arena, own->stats.min, "s");
    row->cells[COLUMN_Q3] = rft_figure_si(b->arena, own->stats.q3, "s");
    row->cells[COLUMN_SAMPLES] = rft_figure_count(b->arena, own->n);
    row->cells[COLUMN_CLOCK] = isnan(own->clock_mhz) ? "n/a" : rft_figure_plain(b->arena, own->clock_mhz, 4);
    row->cells[COLUMN_BYTES] = place->rate_bytes_s > 0 ? rft_figure_si(b->arena, place->rate_bytes_s, "B/s") : "n/a";
    row->cells[COLUMN_OPS] = place->rate_ops_s > 0 ? rft_figure_si(b->arena, place->rate_ops_s, "op/s") : "n/a";
    row->cells[COLUMN_INTENSITY] = rft_figure_plain(b->arena, place->intensity, 3);
    row->cells[COLUMN_FRAC] = rft_figure_percent_bare(b->arena, place->efficiency_frac);
    row->detail = detail_text(b, entry);
}

void rft_build_problems(rft_build *b) {
    if (b->entry_count == 0 || b->detail != RFT_DETAIL_FULL) {
        return;
    }
    rft_doc_new_page(b->doc);
    rft_doc_heading(b->doc, 1, "All problems", "problems");
    rft_doc_text(b->doc, RFT_TEXT_NOTE,
                 "The best of every problem. Measured: how many configurations it is the best of. The spread is from "
                 "the fastest sample (min) to the third quartile (q3) of n; it is not the interval of the median, "
                 "which the summary gives. Bytes and operations: compulsory ones a second. Below each row: the "
                 "configuration, its ties, and the bound with its evidence.");
    rft_table *table = rft_doc_table(b->doc, columns, COLUMN_COUNT);
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        if (i == 0 || entry->sweep != b->entries[i - 1].sweep) {
            rft_row *group = rft_doc_row(b->doc, table);
            group->span = true;
            group->rule = i > 0;
            group->cells[0] = b->run->sweeps[entry->sweep].sweep.name;
            group->link = rft_build_anchor(b, entry->sweep);
        }
        add_entry(b, table, entry);
    }
}
