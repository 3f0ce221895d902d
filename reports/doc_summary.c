/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/doc_build.h"

#include "base/str.h"
#include "model/refine.h"
#include "model/run_drift.h"
#include "model/run_throttled.h"

#include <math.h>

enum {
    COLUMN_PROBLEM,
    COLUMN_CONFIG,
    COLUMN_TIME,
    COLUMN_HALF,
    COLUMN_RATE,
    COLUMN_CEILING,
    COLUMN_SHEET,
    COLUMN_BOUND,
    COLUMN_DEFAULT,
    COLUMN_BASELINE, /* last: left out where there are none */
    COLUMN_COUNT
};

static const rft_column columns[COLUMN_COUNT] = {
    [COLUMN_PROBLEM] = {.title = "Problem", .wraps = true},
    [COLUMN_CONFIG] = {.title = "Best configuration", .wraps = true},
    [COLUMN_TIME] = {.title = "Median", .align = RFT_ALIGN_RIGHT},
    [COLUMN_HALF] = {.title = "\xc2\xb1", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_RATE] = {.title = "Useful rate", .align = RFT_ALIGN_RIGHT},
    [COLUMN_CEILING] = {.title = "of ceiling", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_SHEET] = {.title = "of datasheet", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_BOUND] = {.title = "Bound", .wraps = true},
    [COLUMN_DEFAULT] = {.title = "over default", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_BASELINE] = {.title = "of baseline", .unit = "%", .align = RFT_ALIGN_DECIMAL},
};

static const char *half_text(const rft_build *b, rft_table *table, const rft_measurement *measurement) {
    if (!measurement->stats.interval_is_95) {
        const char *why = rft_arena_printf(b->arena, "Under 6 samples give no 95 %% interval of the median.");
        return rft_arena_printf(b->arena, "n/a%s", rft_doc_note(b->doc, table, why));
    }
    return rft_figure_plain(b->arena, rft_stats_half_width_frac(&measurement->stats) * 100, 2);
}

static const char *config_text(const rft_build *b, rft_table *table, const rft_entry *entry) {
    const char *config = rft_build_config(b, entry->best);
    if (entry->rival) {
        const char *more = entry->tied > 1 ? rft_arena_printf(b->arena, " and %zu more", entry->tied - 1) : "";
        config = rft_arena_printf(
            b->arena, "%s%s", config,
            rft_doc_note(b->doc, table,
                         rft_arena_printf(b->arena, "A tie with %s%s.", rft_build_config(b, entry->rival), more)));
    }
    if (entry->best->outcome == RFT_OUTCOME_NOISY) {
        config = rft_arena_printf(
            b->arena, "%s%s", config,
            rft_doc_note(b->doc, table, "Noisy: the samples did not settle; the interval says how far."));
    }
    if (!entry->best->verification.done) {
        config = rft_arena_printf(b->arena, "%s%s", config,
                                  rft_doc_note(b->doc, table,
                                               "Not verified: its results were not compared with a "
                                               "reference."));
    }
    return config;
}

static const char *share_text(const rft_build *b, rft_table *table, double frac, const char *why) {
    if (!isnan(frac)) {
        return rft_figure_percent_bare(b->arena, frac);
    }
    return rft_arena_printf(b->arena, "n/a%s", rft_doc_note(b->doc, table, why));
}

/* What refine() added is marked: its best is the best of a few. */
static const char *problem_text(const rft_build *b, rft_table *table, const rft_entry *entry) {
    const char *name = rft_build_name(b, entry->sweep, entry->problem);
    const char *refined = rft_refine_text(b->run, entry->sweep, entry->problem, b->arena);
    return refined ? rft_arena_printf(b->arena, "%s%s", name,
                                      rft_doc_note(b->doc, table, rft_arena_printf(b->arena, "R%s.", refined + 1)))
                   : name;
}

static void add_entry(rft_build *b, rft_table *table, const rft_entry *entry, bool first) {
    rft_row *row = rft_doc_row(b->doc, table);
    row->rule = first && table->row_count > 1;
    row->cells[COLUMN_PROBLEM] = problem_text(b, table, entry);
    row->link = b->opts.part == 1 ? NULL : rft_build_anchor(b, entry->sweep);
    if (!entry->best) {
        const rft_tally *tally = &b->tallies[entry->sweep];
        row->cells[COLUMN_CONFIG] = rft_arena_printf(
            b->arena, "none%s",
            rft_doc_note(b->doc, table,
                         tally->points == 0 ? "No configuration of it was taken up."
                                            : "No configuration of it gave a verified measurement; the sweep's "
                                              "section lists the failures."));
        row->cells[COLUMN_TIME] = row->cells[COLUMN_RATE] = "n/a";
        return;
    }
    const rft_measurement *measurement = rft_point_measurement(entry->best);
    const rft_placement *place = &entry->place;
    row->cells[COLUMN_CONFIG] = config_text(b, table, entry);
    row->cells[COLUMN_TIME] = rft_figure_si(b->arena, measurement->stats.median, "s");
    row->cells[COLUMN_HALF] = half_text(b, table, measurement);
    row->cells[COLUMN_RATE] = rft_build_rate_text(b, place);
    row->cells[COLUMN_CEILING] =
        share_text(b, table, place->efficiency_frac, "The ceiling that would bound this problem was not measured.");
    row->cells[COLUMN_SHEET] =
        share_text(b, table, place->datasheet_frac, "No datasheet value is known for this device.");
    row->cells[COLUMN_BOUND] = rft_bound_text(&entry->bound, b->arena);
    row->cells[COLUMN_DEFAULT] =
        isnan(entry->over_default)
            ? rft_arena_printf(b->arena, "n/a%s",
                               rft_doc_note(b->doc, table,
                                            rft_arena_printf(b->arena, "No ratio: %s.",
                                                             entry->why_default ? entry->why_default : "not known")))
            : rft_figure_ratio(b->arena, entry->over_default);
    if (table->column_count > COLUMN_BASELINE) {
        row->cells[COLUMN_BASELINE] = rft_build_baseline_text(b, table, entry);
    }
}

/* "All times are with a cold cache." or which sweep has which. */
static const char *cache_text(const rft_build *b) {
    const rft_run_sweep *sweeps = b->run->sweeps;
    rft_str text = RFT_STR_INIT;
    bool same = true;
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        const rft_sweep *sweep = &sweeps[s].sweep;
        same = same && sweep->measure.cache == sweeps[0].sweep.measure.cache;
        rft_str_addf(&text, "%s%s (%s)", s ? ", " : "Cache when a sample begins: ", sweep->name,
                     rft_cache_mode_name(sweep->measure.cache));
    }
    rft_str_add(&text, ".");
    const char *kept = same ? rft_arena_printf(b->arena, "All times are with a %s cache.",
                                               rft_cache_mode_name(sweeps[0].sweep.measure.cache))
                            : rft_arena_strdup(b->arena, rft_str_get(&text));
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

void rft_build_summary(rft_build *b) {
    rft_doc_heading(b->doc, 1, "Summary", "summary");
    if (b->entry_count == 0) {
        rft_doc_text(b->doc, RFT_TEXT_BODY, "The run has no problems: there is nothing to summarise.");
        return;
    }
    rft_doc_text(b->doc, RFT_TEXT_NOTE,
                 "\xc2\xb1 is half the 95 % interval of the median. The useful rate counts compulsory bytes or "
                 "operations only, never what a configuration moves besides. \"of ceiling\" is against the rate "
                 "measured on this card, \"of datasheet\" against the vendor's figure. The default is the same "
                 "kernel with every parameter at its default.");
    rft_doc_text(b->doc, RFT_TEXT_NOTE, cache_text(b));
    add_steadiness(b);
    bool compared = rft_build_has_baselines(b, SIZE_MAX);
    rft_table *table = rft_doc_table(b->doc, columns, compared ? COLUMN_COUNT : COLUMN_BASELINE);
    for (size_t i = 0; i < b->entry_count; i++) {
        add_entry(b, table, &b->entries[i], i == 0 || b->entries[i].sweep != b->entries[i - 1].sweep);
    }
    rft_build_power_summary(b);
}
