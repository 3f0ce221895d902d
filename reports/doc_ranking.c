/* SPDX-License-Identifier: Apache-2.0 */
/* The best and the worst of one problem, and what failed. */
#include "reports/doc_build.h"

#include "base/hash.h"
#include "model/roofline/placement.h"
#include "model/run/run_drift.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BEST_SHOWN 10
#define REASONS_MOST 40
#define REASON_LENGTH 240

enum {
    COLUMN_RANK,
    COLUMN_CONFIG,
    COLUMN_TIME,
    COLUMN_HALF,
    COLUMN_RATE,
    COLUMN_BEHIND,
    COLUMN_REGISTERS,
    COLUMN_SPILLS,
    COLUMN_OCCUPANCY,
    COLUMN_COUNT
};

static const rft_column columns[COLUMN_COUNT] = {
    [COLUMN_RANK] = {.title = "Rank"},
    [COLUMN_CONFIG] = {.title = "Configuration", .wraps = true},
    [COLUMN_TIME] = {.title = "Median", .align = RFT_ALIGN_RIGHT},
    [COLUMN_HALF] = {.title = "\xc2\xb1", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_RATE] = {.title = "Useful rate", .align = RFT_ALIGN_RIGHT},
    [COLUMN_BEHIND] = {.title = "vs best", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_REGISTERS] = {.title = "Regis- ters", .align = RFT_ALIGN_RIGHT},
    [COLUMN_SPILLS] = {.title = "Spills", .unit = "B", .align = RFT_ALIGN_RIGHT},
    [COLUMN_OCCUPANCY] = {.title = "Occu- pancy", .unit = "%", .align = RFT_ALIGN_RIGHT},
};

static const char *known_int(const rft_build *b, int value) {
    return value < 0 ? "n/a" : rft_arena_printf(b->arena, "%d", value);
}

static const char *why_no_interval(const rft_measurement *own) {
    return own->stop == RFT_STOP_SLOWER
               ? "Out of the race after a few samples, all clearly slower than the best so far: "
                 "under 6 samples give no 95 % interval of the median."
               : "Under 6 samples give no 95 % interval of the median.";
}

/* How the number was come by, where that is not as usual. */
static const char *time_text(const rft_build *b, rft_table *table, const rft_measurement *own) {
    const char *note = rft_measurement_note(own, &b->run->ceilings, b->arena);
    const char *time = rft_figure_si(b->arena, own->stats.median, "s");
    if (note == NULL) {
        return time;
    }
    note = rft_arena_printf(b->arena, "%c%s.", toupper((unsigned char)note[0]), note + 1);
    return rft_arena_printf(b->arena, "%s%s", time, rft_doc_note(b->doc, table, note));
}

static void add_ranked(rft_build *b, rft_table *table, const rft_entry *entry, const rft_point *point,
                       const char *rank) {
    const rft_measurement *own = rft_point_measurement(point);
    rft_placement place = rft_placement_of(b->run, point);
    rft_row *row = rft_doc_row(b->doc, table);
    row->strong = point == entry->best;
    row->cells[COLUMN_RANK] = rank;
    row->cells[COLUMN_CONFIG] = rft_words_config(b->run, point, b->arena);
    if (point->outcome == RFT_OUTCOME_NOISY) {
        row->cells[COLUMN_CONFIG] = rft_arena_printf(b->arena, "%s%s", row->cells[COLUMN_CONFIG],
                                                     rft_doc_note(b->doc, table, "Noisy: the samples did not settle."));
    }
    row->cells[COLUMN_TIME] = time_text(b, table, own);
    row->cells[COLUMN_HALF] =
        own->stats.interval_is_95
            ? rft_figure_plain(b->arena, rft_stats_half_width_frac(&own->stats) * 100, 2)
            : rft_arena_printf(b->arena, "n/a%s", rft_doc_note(b->doc, table, why_no_interval(own)));
    row->cells[COLUMN_RATE] = rft_words_rate(&place, b->arena);
    row->cells[COLUMN_BEHIND] = rft_figure_plain(b->arena, own->stats.median / rft_point_median_s(entry->best), 3);
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

void rft_build_ranking(rft_build *b, const rft_entry *entry) {
    const rft_point **ranked = NULL;
    size_t count = rft_run_ranked(b->run, entry->sweep, SIZE_MAX, entry->problem, b->arena, &ranked);
    double widen_frac = rft_run_widen_frac(b->run, entry->sweep, entry->problem);
    /* ranked[0] is the best; those of the final round follow it, which is not the order of time. */
    qsort(ranked + 1, count - 1, sizeof *ranked, by_median);
    size_t shown = count < BEST_SHOWN ? count : BEST_SHOWN;
    rft_doc_heading(b->doc, 2,
                    rft_arena_printf(b->arena, "Best and worst on %s",
                                     rft_words_problem(b->run, entry->sweep, entry->problem, b->arena)),
                    NULL);
    rft_doc_textf(b->doc, RFT_TEXT_NOTE, "Times with a %s cache%s.",
                  rft_cache_mode_name(rft_point_measurement(entry->best)->cache), cycles_text(b, entry->best));
    if (entry->tied > 0) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                      "\"1 =\": a tie with the best; their 95 %% intervals overlap%s or the medians differ by under "
                      "0.5 %%.",
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

/* ---- failures ---- */
typedef struct reason_group {
    rft_outcome outcome;
    const char *reason;
    const rft_point *example;
    uint64_t kind; /* hash of outcome and kind of reason */
    size_t count;
} reason_group;

static const char *reason_of(const rft_build *b, const rft_point *point) {
    const char *text = point->reason && *point->reason ? point->reason : point->log && *point->log ? point->log : NULL;
    if (!text && point->outcome == RFT_OUTCOME_NOISY) {
        return "the samples did not settle; measured all the same";
    }
    if (!text) {
        return "no reason was recorded";
    }
    size_t length = strcspn(text, "\n");
    if (length == 0) {
        return "no reason was recorded";
    }
    if (length <= REASON_LENGTH) {
        return rft_arena_strndup(b->arena, text, length);
    }
    length = REASON_LENGTH;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
        length--; /* not inside a character */
    }
    return rft_arena_printf(b->arena, "%.*s\xe2\x80\xa6", (int)length, text);
}

static int by_count(const void *a, const void *b) {
    const reason_group *x = a, *y = b;
    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return x->example->id < y->example->id ? -1 : 1;
}

static int by_outcome_and_count(const void *a, const void *b) {
    const reason_group *x = a, *y = b;
    if (x->outcome != y->outcome) {
        return x->outcome < y->outcome ? -1 : 1;
    }
    return by_count(a, b);
}

/* One group a kind of reason, on the heap. */
static size_t group_reasons(rft_build *b, size_t s, reason_group **out) {
    reason_group *groups = NULL;
    size_t used = 0, capacity = 0;
    rft_str key = RFT_STR_INIT;
    for (size_t i = 0; i < b->run->point_count; i++) {
        const rft_point *point = &b->run->points[i];
        if (point->sweep != s || point->outcome == RFT_OUTCOME_OK || point->alias_of != 0) {
            continue;
        }
        const char *reason = reason_of(b, point);
        rft_str_truncate(&key, 0);
        rft_str_addf(&key, "%s ", rft_outcome_name(point->outcome));
        rft_outcome_reason_kind(&key, point->reason && *point->reason ? point->reason : point->log);
        uint64_t kind = rft_hash_fnv1a(rft_str_get(&key), key.length);
        size_t g = 0;
        while (g < used && groups[g].kind != kind) {
            g++;
        }
        if (g == used) {
            RFT_GROW(groups, capacity, used + 1);
            groups[used++] = (reason_group){point->outcome, reason, point, kind, 0};
        }
        groups[g].count++;
    }
    rft_str_clear(&key);
    *out = groups;
    return used;
}

void rft_build_failures(rft_build *b, size_t s) {
    static const rft_column failure_columns[] = {{.title = "Outcome"},
                                                 {.title = "Points", .align = RFT_ALIGN_RIGHT},
                                                 {.title = "Reason (of the example)", .wraps = true},
                                                 {.title = "Example", .wraps = true}};
    reason_group *groups = NULL;
    size_t others = 0, count = group_reasons(b, s, &groups), kinds = count;
    rft_doc_heading(b->doc, 2, "What was not measured, and why", NULL);
    if (count > REASONS_MOST) { /* the most frequent are shown */
        qsort(groups, count, sizeof *groups, by_count);
        for (count = REASONS_MOST; kinds > REASONS_MOST; kinds--) {
            others += groups[kinds - 1].count;
        }
    }
    if (count > 1) {
        qsort(groups, count, sizeof *groups, by_outcome_and_count);
    }
    rft_table *table = rft_doc_table(b->doc, failure_columns, 4);
    for (size_t g = 0; g < count; g++) {
        const rft_point *point = groups[g].example;
        bool odd = b->run->sweeps[s].sweep.problems[point->problem].odd;
        rft_row *row = rft_doc_row(b->doc, table);
        row->cells[0] = rft_outcome_name(groups[g].outcome);
        row->cells[1] = rft_figure_count(b->arena, groups[g].count);
        row->cells[2] = groups[g].reason;
        const char *problem = rft_run_problem_text(b->run, s, point->problem, true, b->arena);
        row->cells[3] = rft_arena_printf(b->arena, "%s%s%s%s", problem, odd ? " (the odd problem)" : "",
                                         *problem ? ", " : "", rft_words_config(b->run, point, b->arena));
    }
    if (others > 0) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "%s more for other reasons; the run file has them all.",
                      rft_words_plural(others, "point", "points", b->arena));
    }
    free(groups);
}
