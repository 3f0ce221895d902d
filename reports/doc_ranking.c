/* SPDX-License-Identifier: Apache-2.0 */
/* The best and the worst of one problem. */
#include "reports/doc_build.h"

#include "model/roofline/placement.h"
#include "model/run/run_drift.h"
#include "model/stats/interval_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMN_RANK,
    COLUMN_TIME,
    COLUMN_INTERVAL,
    COLUMN_RATE,
    COLUMN_BEHIND,
    COLUMN_REGISTERS,
    COLUMN_SPILLS,
    COLUMN_OCCUPANCY,
    COLUMN_COUNT
};

static const rft_column columns[COLUMN_COUNT] = {
    [COLUMN_RANK] = {.title = "Rank"},
    [COLUMN_TIME] = {.title = "Median", .align = RFT_ALIGN_RIGHT},
    [COLUMN_INTERVAL] = {.title = "95 %", .align = RFT_ALIGN_RIGHT},
    [COLUMN_RATE] = {.title = "Useful rate", .align = RFT_ALIGN_RIGHT},
    [COLUMN_BEHIND] = {.title = "vs best", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_REGISTERS] = {.title = "Registers", .align = RFT_ALIGN_RIGHT},
    [COLUMN_SPILLS] = {.title = "Spills", .unit = "B", .align = RFT_ALIGN_RIGHT},
    [COLUMN_OCCUPANCY] = {.title = "Occupancy", .unit = "%", .align = RFT_ALIGN_RIGHT},
};

static const char *known_int(const rft_build *b, int value) {
    return value < 0 ? "n/a" : rft_arena_printf(b->arena, "%d", value);
}

static const char *why_no_interval(const rft_measurement *own) {
    return own->stop == RFT_STOP_SLOWER
               ? "Out of the race after a few samples, all clearly slower than the best so far: "
                 "too few for a 95 % interval of the median (6, or 8 that are not independent)."
               : "Too few samples for a 95 % interval of the median: under 6, or under 8 that are not independent.";
}

/* How the number was come by, where that is not as usual. */
static const char *time_text(const rft_build *b, rft_table *table, const rft_measurement *own) {
    const char *note = rft_measurement_note(own, &b->run->ceilings, b->arena);
    const char *time = rft_stats_text(&own->stats, 0.0, "s", b->arena).value;
    if (note == NULL) {
        return time;
    }
    note = rft_words_sentence(note, b->arena);
    return rft_arena_printf(b->arena, "%s%s", time, rft_doc_note(b->doc, table, note));
}

static void add_ranked(rft_build *b, rft_table *table, const rft_entry *entry, const rft_point *point,
                       const char *rank) {
    const rft_measurement *own = rft_point_measurement(point);
    rft_placement place = rft_placement_of(b->run, point);
    rft_row *row = rft_doc_row(b->doc, table);
    row->strong = point == entry->best;
    row->cells[COLUMN_RANK] = rank;
    row->detail = rft_words_config(b->run, point, b->arena);
    if (point->outcome == RFT_OUTCOME_NOISY) {
        row->detail = rft_arena_printf(b->arena, "%s%s", row->detail,
                                       rft_doc_note(b->doc, table, "Noisy: the samples did not settle."));
    }
    row->cells[COLUMN_TIME] = time_text(b, table, own);
    row->cells[COLUMN_INTERVAL] =
        own->stats.interval_is_95
            ? rft_stats_text(&own->stats, 0.0, "s", b->arena).interval
            : rft_arena_printf(b->arena, "n/a%s", rft_doc_note(b->doc, table, why_no_interval(own)));
    row->cells[COLUMN_RATE] = rft_words_rate(&place, b->arena);
    const rft_point_gain gain = rft_point_gain_of(entry->best, point);
    row->cells[COLUMN_BEHIND] = rft_arena_printf(
        b->arena, "%s%s", rft_figure_plain(b->arena, 1 / gain.ratio, 3),
        gain.swept ? rft_doc_note(b->doc, table,
                                  "Both of the first round, in which alone this one was measured; the best's median "
                                  "here is of the final one, on a warmer card.")
                   : "");
    row->cells[COLUMN_REGISTERS] = known_int(b, point->facts.registers);
    row->cells[COLUMN_SPILLS] = known_int(b, point->facts.spill_bytes);
    row->cells[COLUMN_OCCUPANCY] =
        isnan(point->facts.occupancy_frac) ? "n/a" : rft_figure_plain(b->arena, point->facts.occupancy_frac * 100, 3);
}

/* "; the best takes 41.2 kcycles at 1980 MHz": nothing where the samples' clocks are not there. */
static const char *cycles_text(const rft_build *b, const rft_point *best) {
    const rft_measurement *own = rft_point_measurement(best);
    double cycles = rft_measurement_cycles(own);
    return isnan(cycles)
               ? ""
               : rft_arena_printf(b->arena, "; the best takes %s cycles at %s MHz", rft_figure_si(b->arena, cycles, ""),
                                  rft_figure_plain(b->arena, own->clock_mhz, 4));
}

/* The best first, whichever round it was measured in; then by time. */
static int by_median(const void *a, const void *b) {
    const rft_point *x = *(const rft_point *const *)a, *y = *(const rft_point *const *)b;
    double s = rft_point_median_s(x), t = rft_point_median_s(y);
    return s != t ? (s < t ? -1 : 1) : x->id < y->id ? -1 : x->id > y->id;
}

void rft_build_ranking(rft_build *b, const rft_entry *entry, size_t most) {
    const rft_point **ranked = NULL;
    size_t count = rft_run_ranked(b->run, entry->sweep, SIZE_MAX, entry->problem, b->arena, &ranked);
    double widen_frac = rft_run_widen_frac(b->run, entry->sweep, entry->problem);
    /* ranked[0] is the best; those of the final round follow it, which is not the order of time. */
    qsort(ranked + 1, count - 1, sizeof *ranked, by_median);
    size_t shown = count < most ? count : most;
    rft_doc_heading(b->doc, 2,
                    rft_arena_printf(b->arena, "Best and worst on %s",
                                     rft_words_problem(b->run, entry->sweep, entry->problem, b->arena)),
                    NULL);
    rft_doc_textf(
        b->doc, RFT_TEXT_NOTE, "Times with a %s%s.",
        rft_protocol_words(rft_point_measurement(entry->best)->cache, rft_point_measurement(entry->best)->mode),
        cycles_text(b, entry->best));
    if (entry->tied > 0) {
        bool foretold = rft_repeat_is_known(&rft_point_measurement(entry->best)->repeat);
        const char *how = foretold ? "one of the two lies where another run of the other would read,"
                                   : "their 95 % intervals overlap";
        rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                      "\"1 =\": a tie with the best; %s%s or the medians differ by under 0.5 %%.", how,
                      widen_frac < RFT_DRIFT_MIN_FRAC
                          ? ""
                          : rft_arena_printf(b->arena, " (outside the last round widened by %s on each side for drift)",
                                             rft_figure_percent(b->arena, widen_frac)));
    }
    rft_table *table = rft_doc_table(b->doc, columns, COLUMN_COUNT);
    for (size_t i = 0; i < shown; i++) {
        bool tie = entry->tied > 0 && rft_run_tie(entry->best, ranked[i], widen_frac);
        add_ranked(b, table, entry, ranked[i], tie ? "1 =" : rft_arena_printf(b->arena, "%zu", i + 1));
    }
    if (count > shown) {
        add_ranked(b, table, entry, ranked[count - 1], "worst");
        table->rows[table->row_count - 1].rule = true;
    }
}
