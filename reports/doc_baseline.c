/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines beside the best of each problem: the sweep's section, and the summary's cell. */
#include "model/run/baseline.h"
#include "reports/doc_build.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

enum {
    COLUMN_PROBLEM,
    COLUMN_NAME,
    COLUMN_TIME,
    COLUMN_HALF,
    COLUMN_RATE,
    COLUMN_FRAC,
    COLUMN_RANGE,
    COLUMN_VERDICT,
    COLUMN_COUNT
};

static const rft_column columns[COLUMN_COUNT] = {
    [COLUMN_PROBLEM] = {.title = "Problem", .wraps = true},
    [COLUMN_NAME] = {.title = "Baseline", .wraps = true},
    [COLUMN_TIME] = {.title = "Median", .align = RFT_ALIGN_RIGHT},
    [COLUMN_HALF] = {.title = "\xc2\xb1", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_RATE] = {.title = "Useful rate", .align = RFT_ALIGN_RIGHT},
    [COLUMN_FRAC] = {.title = "the best is", .unit = "% of it", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_RANGE] = {.title = "between", .unit = "%", .align = RFT_ALIGN_RIGHT},
    [COLUMN_VERDICT] = {.title = "Verdict", .wraps = true},
};

static bool is_first(const rft_baseline *baseline) {
    return strcmp(baseline->which, RFT_BASELINE_FIRST) == 0;
}

static const char *verdict_text(const rft_versus *versus, const rft_baseline *baseline) {
    if (!rft_baseline_is_measured(baseline)) {
        return rft_outcome_name(baseline->outcome);
    }
    if (isnan(versus->frac)) {
        return "nothing to compare";
    }
    if (!baseline->same_protocol) {
        return "not judged";
    }
    return versus->tie ? "a tie" : versus->frac > 1 ? "faster" : "slower";
}

/* What it is and where it is from, beside its name. */
static const char *name_text(rft_build *b, rft_table *table, const rft_baseline *baseline) {
    const char *label = rft_baseline_label(baseline, b->arena);
    const char *note = NULL;
    if (baseline->library) {
        note = rft_arena_printf(b->arena, "%s%s%s.", baseline->library, baseline->algo ? ": " : "",
                                baseline->algo ? baseline->algo : "");
    } else if (baseline->source) {
        note = rft_arena_printf(b->arena, "Imported, measured by another protocol: %s.", baseline->source);
    }
    if (baseline->reason) {
        const char *why = rft_arena_printf(b->arena, "%s: %s.", rft_outcome_name(baseline->outcome), baseline->reason);
        note = note ? rft_arena_printf(b->arena, "%s %s", note, why) : why;
    }
    return note ? rft_arena_printf(b->arena, "%s%s", label, rft_doc_note(b->doc, table, note)) : label;
}

static void add_row(rft_build *b, rft_table *table, const rft_entry *entry, const rft_baseline *baseline, bool first) {
    const rft_stats *stats = &baseline->measurement.stats;
    rft_versus versus = rft_versus_of(b->run, entry->best, baseline);
    rft_row *row = rft_doc_row(b->doc, table);
    row->rule = first && table->row_count > 1;
    row->cells[COLUMN_PROBLEM] =
        first ? rft_run_problem_text(b->run, entry->sweep, entry->problem, true, b->arena) : NULL;
    row->cells[COLUMN_NAME] = name_text(b, table, baseline);
    row->cells[COLUMN_VERDICT] = verdict_text(&versus, baseline);
    if (!rft_baseline_is_measured(baseline)) {
        row->cells[COLUMN_TIME] = row->cells[COLUMN_RATE] = "n/a";
        return;
    }
    double half_frac = rft_stats_half_width_frac(stats);
    row->cells[COLUMN_TIME] = rft_figure_si(b->arena, stats->median, "s");
    row->cells[COLUMN_HALF] = isfinite(half_frac) ? rft_figure_plain(b->arena, half_frac * 100, 2) : "n/a";
    if (entry->best) { /* the same work */
        double rate = rft_rate_of(&entry->place) * rft_point_median_s(entry->best) / stats->median;
        row->cells[COLUMN_RATE] = rft_figure_si(b->arena, rate, rft_rate_unit(&entry->place));
    } else {
        row->cells[COLUMN_RATE] = "n/a";
    }
    row->cells[COLUMN_FRAC] = isnan(versus.frac) ? "n/a" : rft_figure_percent_bare(b->arena, versus.frac);
    row->cells[COLUMN_RANGE] =
        isfinite(versus.low) && isfinite(versus.high)
            ? rft_arena_printf(b->arena, "%s to %s", rft_figure_percent_bare(b->arena, versus.low),
                               rft_figure_percent_bare(b->arena, versus.high))
            : "n/a";
}

static bool has_other_protocol(const rft_build *b, size_t sweep) {
    for (size_t i = 0; i < b->run->baseline_count; i++) {
        if (b->run->baselines[i].sweep == sweep && !b->run->baselines[i].same_protocol) {
            return true;
        }
    }
    return false;
}

bool rft_build_has_baselines(const rft_build *b, size_t sweep) {
    for (size_t i = 0; i < b->run->baseline_count; i++) {
        if (sweep == SIZE_MAX || b->run->baselines[i].sweep == sweep) {
            return true;
        }
    }
    return false;
}

void rft_build_baselines(rft_build *b, size_t s) {
    if (!rft_build_has_baselines(b, s)) {
        return;
    }
    rft_doc_heading(b->doc, 2, "Beside the baselines", NULL);
    rft_doc_text(b->doc, RFT_TEXT_NOTE,
                 "A library is measured in this run as the configurations are: the same inputs and reference, the same "
                 "cache, clock stamps, events and stopping rule, in the final round. \"first heuristic\" is what a "
                 "caller gets that does not search, \"best\" the fastest of the library's own list. The best "
                 "configuration's rate is given over the baseline's; the range follows from the intervals of both.");
    if (has_other_protocol(b, s)) {
        rft_doc_text(b->doc, RFT_TEXT_NOTE,
                     "\"other protocol\" marks numbers that were imported: how they were taken is not known here, and "
                     "nothing is judged by them.");
    }
    rft_table *table = rft_doc_table(b->doc, columns, COLUMN_COUNT);
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        const rft_baseline **found = NULL;
        size_t count = entry->sweep == s ? rft_run_baselines(b->run, s, entry->problem, b->arena, &found) : 0;
        for (size_t k = 0; k < count; k++) {
            add_row(b, table, entry, found[k], k == 0);
        }
    }
}

/* ---- the summary's cell ---- */

/* The one that a reader wants first: measured here before imported, the best of a list before its first. */
const rft_baseline *rft_build_chief(const rft_build *b, const rft_entry *entry) {
    const rft_baseline **found = NULL;
    const rft_baseline *chief = NULL;
    size_t count = rft_run_baselines(b->run, entry->sweep, entry->problem, b->arena, &found);
    for (size_t i = 0; i < count; i++) {
        bool better = !chief || (!rft_baseline_is_measured(chief) && rft_baseline_is_measured(found[i])) ||
                      (!chief->same_protocol && found[i]->same_protocol && rft_baseline_is_measured(found[i]));
        chief = !is_first(found[i]) && better ? found[i] : chief;
    }
    return chief;
}

const char *rft_build_baseline_text(rft_build *b, rft_table *table, const rft_entry *entry) {
    const rft_baseline *chief = rft_build_chief(b, entry);
    if (!chief) {
        return "n/a";
    }
    const char *label = rft_baseline_label(chief, b->arena);
    rft_versus versus = rft_versus_of(b->run, entry->best, chief);
    if (isnan(versus.frac)) {
        const char *why = chief->reason ? chief->reason : "nothing to compare";
        return rft_arena_printf(b->arena, "n/a%s",
                                rft_doc_note(b->doc, table, rft_arena_printf(b->arena, "%s: %s.", label, why)));
    }
    const char *ratio =
        rft_arena_printf(b->arena, "%s%s", rft_figure_ratio(b->arena, versus.frac), versus.tie ? " tie" : "");
    return rft_build_baseline_name(b)
               ? ratio
               : rft_arena_printf(b->arena, "%s%s", ratio,
                                  rft_doc_note(b->doc, table, rft_arena_printf(b->arena, "Over %s.", label)));
}

const char *rft_build_baseline_name(const rft_build *b) {
    const char *name = NULL;
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_baseline *chief = rft_build_chief(b, &b->entries[i]);
        const char *label = chief ? rft_baseline_short_label(chief, b->arena) : name;
        if (name && label && strcmp(name, label) != 0) {
            return NULL;
        }
        name = label;
    }
    return name;
}
