/* SPDX-License-Identifier: Apache-2.0 */
/* Hardware counters: of the best of every problem in a sweep's chapter, the large set in the appendix. */
#include "reports/doc_build.h"

#include "base/str.h"
#include "model/roofline/counted.h"

#include <math.h>

#define ROWS_MOST 12 /* problems without --full */
#define APART_MOST 6

static bool any_asked(const rft_run *run, size_t sweep) {
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].sweep == sweep && run->points[i].counters) {
            return true;
        }
    }
    return false;
}

/* ---- a sweep's chapter ---- */

static const char *share(const rft_build *b, double frac) {
    return isfinite(frac) ? rft_figure_percent(b->arena, frac) : "n/a";
}

static const char *value(const rft_build *b, const rft_point *point, rft_counter counter) {
    return rft_counter_text(counter, point->counters->values[counter], b->arena);
}

/* Bank conflicts as a share of the wavefronts they are among; n/a where there was no shared memory to speak of. */
static double conflict_frac(const rft_counters *counters) {
    double wavefronts = counters->values[RFT_COUNTER_SHARED_WAVEFRONTS];
    return wavefronts > 0 ? counters->values[RFT_COUNTER_SHARED_CONFLICTS] / wavefronts : (double)NAN;
}

static void add_best(rft_build *b, rft_table *table, const rft_point *best) {
    const rft_counters *counters = best->counters;
    const char *missing = rft_counted_missing(best);
    rft_row *row = rft_doc_row(b->doc, table);
    row->cells[0] = rft_words_problem(b->run, best->sweep, best->problem, b->arena);
    if (missing) {
        row->cells[1] = rft_arena_printf(b->arena, "n/a%s", rft_doc_note(b->doc, table, missing));
        return;
    }
    row->cells[1] = value(b, best, RFT_COUNTER_DRAM_READ);
    row->cells[2] = value(b, best, RFT_COUNTER_DRAM_WRITE);
    row->cells[3] = rft_arena_printf(b->arena, "%s, %s", rft_figure_si(b->arena, best->work.bytes_read, "B"),
                                     rft_figure_si(b->arena, best->work.bytes_written, "B"));
    row->cells[4] = share(b, rft_counters_l2_hit_frac(counters));
    row->cells[5] = share(b, counters->values[RFT_COUNTER_WARPS_ACTIVE]);
    row->cells[6] = value(b, best, RFT_COUNTER_LOAD_BYTES_PER_SECTOR);
    row->cells[7] = share(b, conflict_frac(counters));
}

static void add_disagreements(rft_build *b, size_t s) {
    rft_disagreement apart[RFT_DISAGREEMENTS_MAX];
    bool said = false;
    size_t shown = 0, left_out = 0;
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        size_t count =
            entry->sweep == s && entry->best ? rft_counted_disagreements(b->run, entry->best, b->arena, apart) : 0;
        for (size_t k = 0; k < count; k++) {
            if (!said) {
                rft_doc_text(b->doc, RFT_TEXT_NOTE,
                             "Where counted and declared work are more than 5 % apart (the declared work stays what "
                             "rates and efficiencies are of):");
                said = true;
            }
            if (shown == APART_MOST && !b->opts.full) {
                left_out++;
                continue;
            }
            rft_doc_textf(b->doc, RFT_TEXT_NOTE, "%s: %s.", rft_words_problem(b->run, s, entry->problem, b->arena),
                          apart[k].text);
            shown++;
        }
    }
    if (left_out > 0) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "%s; all of them with --full.",
                      rft_words_plural(left_out, "more such place", "more such places", b->arena));
    }
    if (!said) {
        rft_doc_text(b->doc, RFT_TEXT_NOTE, "Nowhere are counted and declared work more than 5 % apart.");
    }
}

/* Nothing is known of any of them, for one reason; NULL: something is. */
static const char *common_reason(const rft_build *b, size_t s) {
    const char *reason = NULL;
    for (size_t i = 0; i < b->run->point_count; i++) {
        const rft_point *point = &b->run->points[i];
        const char *missing = point->sweep == s && point->counters ? rft_counted_missing(point) : reason;
        if (point->sweep == s && point->counters && (!missing || (reason && !rft_text_equal(reason, missing)))) {
            return NULL;
        }
        reason = missing;
    }
    return reason;
}

void rft_build_counters(rft_build *b, size_t s) {
    static const rft_column columns[] = {{.title = "Best of", .wraps = true},
                                         {.title = "DRAM read", .align = RFT_ALIGN_RIGHT},
                                         {.title = "written", .align = RFT_ALIGN_RIGHT},
                                         {.title = "declared read, written", .align = RFT_ALIGN_RIGHT},
                                         {.title = "L2 hits", .align = RFT_ALIGN_RIGHT},
                                         {.title = "occupancy", .align = RFT_ALIGN_RIGHT},
                                         {.title = "useful of 32 B", .align = RFT_ALIGN_RIGHT},
                                         {.title = "conflicts", .align = RFT_ALIGN_RIGHT}};
    if (!any_asked(b->run, s)) {
        return;
    }
    rft_doc_heading(b->doc, 2, "Hardware counters", NULL);
    const char *reason = common_reason(b, s);
    if (reason) {
        rft_doc_textf(b->doc, RFT_TEXT_BODY,
                      "None were counted: %s. What holds a point back is judged by declared and modelled work alone.",
                      reason);
        return;
    }
    rft_table *table = rft_doc_table(b->doc, columns, sizeof columns / sizeof *columns);
    const rft_entry *showcase = rft_build_showcase(b, s);
    size_t problems = 0, index = 0;
    for (size_t i = 0; i < b->entry_count; i++) {
        problems += b->entries[i].sweep == s && b->entries[i].best;
    }
    size_t every = b->opts.full ? 1 : (problems + ROWS_MOST - 1) / ROWS_MOST;
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        if (entry->sweep == s && entry->best && (index++ % every == 0 || entry == showcase)) {
            add_best(b, table, entry->best);
        }
    }
    if (table->row_count < problems) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "%zu of %zu problems are shown; all of them with --full.",
                      table->row_count, problems);
    }
    rft_doc_text(
        b->doc, RFT_TEXT_NOTE,
        "Counted in runs of their own, never in a timed one. DRAM: bytes to and from device memory until the "
        "kernel ended; what was written last may still lie in the L2. L2 hits: of the sectors the SMs asked "
        "for. Occupancy: resident warps of the most an SM holds. Useful: bytes that loads used of each 32-byte "
        "sector. Conflicts: of the shared-memory wavefronts those that bank conflicts added.");
    add_disagreements(b, s);
}

/* ---- appendix ---- */

/* The points with the large set, by rank. */
typedef struct counted_points {
    rft_counted_choice *items;
    size_t count;
    size_t best_count, best_left_out; /* among the fastest; of the others of them: for want of time */
} counted_points;

static bool has_large(const rft_point *point) {
    for (int i = 0; point->counters && i < RFT_COUNTER_COUNT; i++) {
        if (!rft_counter_in_default((rft_counter)i) && !isnan(point->counters->values[i])) {
            return true;
        }
    }
    return false;
}

static counted_points large_of(const rft_build *b, size_t s) {
    counted_points found = {.items = NULL};
    rft_counted_choice *all = NULL;
    size_t count = rft_counted_choose(b->run, s, b->arena, &all);
    found.items = rft_arena_calloc(b->arena, count + 1, sizeof *found.items);
    for (size_t i = 0; i < count; i++) {
        bool among = all[i].large && all[i].place <= RFT_COUNTED_BEST;
        if (all[i].large && has_large(all[i].point)) {
            found.items[found.count++] = all[i];
            found.best_count += among ? 1 : 0;
        } else if (among && all[i].point->counters && rft_counted_left_out(all[i].point->counters)) {
            found.best_left_out++;
        }
    }
    return found;
}

static const rft_point *with_role(const counted_points *points, rft_counted_role role) {
    for (size_t i = 0; i < points->count; i++) {
        bool is_default = role == RFT_COUNTED_DEFAULT && points->items[i].point->is_default;
        if (points->items[i].role == role || is_default) {
            return points->items[i].point;
        }
    }
    return NULL;
}

/* "0.42 to 0.48": over the ten best. */
static const char *range_text(const rft_build *b, const counted_points *points, rft_counter counter) {
    double low = INFINITY;
    double high = -INFINITY;
    for (size_t i = 0; i < points->count; i++) {
        double one = points->items[i].point->counters->values[counter];
        bool among = points->items[i].place <= RFT_COUNTED_BEST;
        low = among && one < low ? one : low;
        high = among && one > high ? one : high;
    }
    if (!(low <= high)) {
        return "n/a";
    }
    return low == high ? rft_counter_text(counter, low, b->arena)
                       : rft_arena_printf(b->arena, "%s to %s", rft_counter_text(counter, low, b->arena),
                                          rft_counter_text(counter, high, b->arena));
}

static const char *cell_of(const rft_build *b, rft_table *table, const rft_point *point, rft_counter counter) {
    if (!point) {
        return NULL;
    }
    double found = point->counters->values[counter];
    const char *reason = point->counters->reasons[counter];
    return isnan(found) && reason ? rft_arena_printf(b->arena, "n/a%s", rft_doc_note(b->doc, table, reason))
                                  : rft_counter_text(counter, found, b->arena);
}

static bool asked_anywhere(const counted_points *points, rft_counter counter) {
    for (size_t i = 0; i < points->count; i++) {
        const rft_counters *counters = points->items[i].point->counters;
        if (!isnan(counters->values[counter]) || !rft_text_equal(counters->reasons[counter], RFT_COUNTER_NOT_ASKED)) {
            return true;
        }
    }
    return false;
}

/* "Best: VEC=4 BLOCK=128. "; "" for NULL. */
static const char *role_text(const rft_build *b, const char *role, const rft_point *point) {
    return point ? rft_arena_printf(b->arena, "%s: %s. ", role, rft_words_config(b->run, point, b->arena)) : "";
}

static void add_large(rft_build *b, size_t s) {
    static const rft_column columns[] = {{.title = "Counter", .wraps = true},
                                         {.title = "best", .align = RFT_ALIGN_RIGHT},
                                         {.title = "ten best", .align = RFT_ALIGN_RIGHT},
                                         {.title = "default", .align = RFT_ALIGN_RIGHT},
                                         {.title = "worst", .align = RFT_ALIGN_RIGHT}};
    counted_points points = large_of(b, s);
    if (points.count == 0) {
        return;
    }
    const rft_point *best = with_role(&points, RFT_COUNTED_BEST_OF_PROBLEM);
    const rft_point *worst = with_role(&points, RFT_COUNTED_WORST);
    const rft_point *reference = with_role(&points, RFT_COUNTED_DEFAULT);
    rft_doc_heading(b->doc, 3, rft_words_problem(b->run, s, points.items[0].point->problem, b->arena), NULL);
    rft_table *table = rft_doc_table(b->doc, columns, 5);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        rft_counter counter = (rft_counter)i;
        if (!asked_anywhere(&points, counter)) {
            continue;
        }
        rft_row *row = rft_doc_row(b->doc, table);
        row->cells[0] = rft_counter_label(counter);
        row->cells[1] = cell_of(b, table, best, counter);
        row->cells[2] = range_text(b, &points, counter);
        row->cells[3] = cell_of(b, table, reference, counter);
        row->cells[4] = cell_of(b, table, worst, counter);
    }
    rft_doc_textf(b->doc, RFT_TEXT_NOTE, "%s%s%s", role_text(b, "Best", best), role_text(b, "Default", reference),
                  role_text(b, "Worst", worst));
    if (points.best_left_out > 0) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "Of the ten best %zu were counted; %zu were " RFT_COUNTED_LEFT_OUT ".",
                      points.best_count, points.best_left_out);
    }
}

void rft_build_counters_appendix(rft_build *b) {
    bool any = false;
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        any = any || large_of(b, s).count > 0;
    }
    if (!any) {
        return;
    }
    rft_doc_heading(b->doc, 2, "Hardware counters, the large set", NULL);
    rft_doc_text(b->doc, RFT_TEXT_NOTE,
                 "Of the largest problem of each sweep: the best configuration, the ten best from lowest to highest, "
                 "the default, and the worst. Warps waiting: resident in that state for each instruction issued. What "
                 "each counter means is in docs/counters.md.");
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        add_large(b, s);
    }
}
