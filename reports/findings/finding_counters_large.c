/* SPDX-License-Identifier: Apache-2.0 */
/* The large set of hardware counters: of each sweep's largest problem the best, the ten best, the default, the worst.
 */
#include "model/roofline/counted.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include <math.h>

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

static counted_points large_of(const rft_run *run, size_t sweep, rft_arena *arena) {
    counted_points found = {.items = NULL};
    rft_counted_choice *all = NULL;
    size_t count = rft_counted_choose(run, sweep, arena, &all);
    found.items = rft_arena_calloc(arena, count + 1, sizeof *found.items);
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
static rft_datum range_cell(const counted_points *points, rft_counter counter, rft_arena *arena) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < points->count; i++) {
        double one = points->items[i].point->counters->values[counter];
        bool among = points->items[i].place <= RFT_COUNTED_BEST;
        low = among && one < low ? one : low;
        high = among && one > high ? one : high;
    }
    if (!(low <= high)) {
        return rft_datum_absent();
    }
    const char *lowest = rft_counter_text(counter, low, arena);
    return rft_datum_text(
        low == high ? lowest : rft_arena_printf(arena, "%s to %s", lowest, rft_counter_text(counter, high, arena)));
}

/* Blank for no point. */
static rft_datum noted_value(const rft_point *point, rft_counter counter, rft_arena *arena) {
    if (!point) {
        return rft_datum_text(NULL);
    }
    const char *reason = point->counters->reasons[counter];
    return isnan(point->counters->values[counter]) && reason
               ? rft_datum_noted(rft_datum_absent(), reason)
               : rft_datum_text(rft_counter_text(counter, point->counters->values[counter], arena));
}

static bool asked_anywhere(const counted_points *points, rft_counter counter) {
    for (size_t i = 0; i < points->count; i++) {
        const rft_counters *counters = points->items[i].point->counters;
        if (rft_counter_was_asked(counters->values[counter], counters->reasons[counter])) {
            return true;
        }
    }
    return false;
}

/* "Best: VEC=4 BLOCK=128. "; "" for NULL. */
static const char *role_text(const rft_run *run, const char *role, const rft_point *point, rft_arena *arena) {
    return point ? rft_arena_printf(arena, "%s: %s. ", role, rft_words_config(run, point, arena)) : "";
}

static void add_large(rft_finding *f, const rft_run *run, const counted_points *points, size_t sweep) {
    static const rft_trait columns[] = {{.title = "Counter", .wraps = true},
                                        {.title = "best", .align = RFT_ALIGN_RIGHT},
                                        {.title = "ten best", .align = RFT_ALIGN_RIGHT},
                                        {.title = "default", .align = RFT_ALIGN_RIGHT},
                                        {.title = "worst", .align = RFT_ALIGN_RIGHT}};
    const rft_point *best = with_role(points, RFT_COUNTED_BEST_OF_PROBLEM);
    const rft_point *worst = with_role(points, RFT_COUNTED_WORST);
    const rft_point *reference = with_role(points, RFT_COUNTED_DEFAULT);
    rft_finding_heading(f, 0, 3, "%s", rft_words_problem(run, sweep, points->items[0].point->problem, f->arena));
    rft_cell_table *table = rft_finding_table(f, NULL, columns, 5);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        rft_counter counter = (rft_counter)i;
        if (asked_anywhere(points, counter)) {
            rft_datum *cells = rft_cell_table_row(table)->cells;
            cells[0] = rft_datum_text(rft_counter_label(counter));
            cells[1] = noted_value(best, counter, f->arena);
            cells[2] = range_cell(points, counter, f->arena);
            cells[3] = noted_value(reference, counter, f->arena);
            cells[4] = noted_value(worst, counter, f->arena);
        }
    }
    rft_finding_note(f, 0, "%s%s%s", role_text(run, "Best", best, f->arena),
                     role_text(run, "Default", reference, f->arena), role_text(run, "Worst", worst, f->arena));
    if (points->best_left_out > 0) {
        rft_finding_note(f, 0, "Of the ten best %zu were counted; %zu were " RFT_COUNTED_LEFT_OUT ".",
                         points->best_count, points->best_left_out);
    }
}

rft_finding *rft_finding_counters_large(const rft_run *run, rft_arena *arena) {
    rft_finding *f = NULL;
    for (size_t s = 0; s < run->sweep_count; s++) {
        const counted_points points = large_of(run, s, arena);
        if (points.count > 0 && !f) {
            f = rft_finding_new(arena);
            rft_finding_heading(f, 0, 2, "Hardware counters, the large set");
            rft_finding_note(f, 0,
                             "Of the largest problem of each sweep: the best configuration, the ten best from lowest "
                             "to highest, the default, and the worst. Warps waiting: resident in that state for each "
                             "instruction issued. What each counter means is in docs/counters.md.");
        }
        if (points.count > 0) {
            add_large(f, run, &points, s);
        }
    }
    return f;
}
