/* SPDX-License-Identifier: Apache-2.0 */
/* Hardware counters: of a point, and of the best of every problem of a sweep. */
#include "model/roofline/counted.h"
#include "model/transition/refine.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>

#define ROWS_MOST 4  /* problems on a page without `full` */
#define APART_MOST 3 /* disagreements there */
#define APART_IN_BRIEF 2
#define IMPORTED_MOST 3 /* points of which it is said where their counters are from */

/* ---- a point ---- */

static void add_value(rft_finding *values, rft_finding *reasons, const char *name, double value, const char *reason) {
    if (rft_counter_was_asked(value, reason)) {
        rft_finding_set(values, name, rft_datum_number(value));
        if (isnan(value)) {
            rft_finding_set(reasons, name, rft_datum_text(reason ? reason : "no reason was recorded"));
        }
    }
}

static void add_data(rft_finding *f, const rft_counters *counters) {
    rft_finding *values = rft_finding_new(f->arena), *reasons = rft_finding_new(f->arena);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        bool nothing = rft_counter_is_of_nothing((rft_counter)i, counters->values[i]);
        add_value(values, reasons, rft_counter_name((rft_counter)i), nothing ? (double)NAN : counters->values[i],
                  nothing ? RFT_COUNTER_OF_NOTHING : counters->reasons[i]);
    }
    for (size_t i = 0; i < counters->raw_count; i++) {
        add_value(values, reasons, counters->raw[i].name, counters->raw[i].value, counters->raw[i].reason);
    }
    bool known = counters->passes > 0 || !counters->source;
    rft_finding_set(f, "passes", known ? rft_datum_count(counters->passes) : rft_datum_absent());
    rft_finding_set(f, "source", counters->source ? rft_datum_text(counters->source) : rft_datum_absent());
    rft_finding_add(f, "values", values);
    rft_finding_add(f, "reasons", reasons);
}

static void add_line(rft_cell_table *table, const char *label, const char *value) {
    rft_datum *cells = rft_cell_table_row(table)->cells;
    cells[0] = rft_datum_text(label);
    cells[1] = rft_datum_text(value);
}

static void add_values(rft_finding *f, const rft_counters *counters) {
    static const rft_trait fields[] = {{.title = "Counter", .wraps = true},
                                       {.title = "counted", .align = RFT_ALIGN_RIGHT, .wraps = true}};
    rft_cell_table *table = rft_finding_table(f, NULL, fields, 2);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (!isnan(counters->values[i])) {
            add_line(table, rft_counter_label((rft_counter)i),
                     rft_counter_text((rft_counter)i, counters->values[i], f->arena));
        }
    }
    for (size_t i = 0; i < counters->raw_count; i++) {
        const rft_counter_raw *raw = &counters->raw[i];
        add_line(table, raw->name, isnan(raw->value) ? raw->reason : rft_counter_raw_text(raw, f->arena));
    }
}

/* "a, b: why": quantities with the same reason together. */
static void add_missing(rft_finding *f, const rft_counters *counters) {
    bool told[RFT_COUNTER_COUNT] = {false};
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        const char *reason = counters->reasons[i];
        if (told[i] || !isnan(counters->values[i]) || !rft_counter_was_asked(counters->values[i], reason)) {
            continue;
        }
        rft_str names = RFT_STR_INIT;
        for (int k = i; k < RFT_COUNTER_COUNT; k++) {
            if (isnan(counters->values[k]) && rft_text_equal(reason, counters->reasons[k])) {
                told[k] = true;
                rft_str_addf(&names, "%s%s", names.length ? ", " : "", rft_counter_name((rft_counter)k));
            }
        }
        rft_finding_note(f, RFT_TO_PEOPLE, "%s: %s", rft_str_get(&names), reason ? reason : "no reason was recorded");
        rft_str_clear(&names);
    }
}

rft_finding *rft_finding_counters_of(const rft_counted_of *counted, rft_arena *arena) {
    static const rft_trait fields[] = {{.key = "what"}, {.key = "declared"}, {.key = "counted"}, {.key = "text"}};
    const rft_counters *counters = counted->counters;
    rft_disagreement apart[RFT_DISAGREEMENTS_MAX];
    rft_finding *f = rft_finding_new(arena);
    add_data(f, counters);
    rft_cell_table *table = rft_finding_table(f, "disagreements", fields, 4);
    size_t count = rft_counters_compare(counters, counted->work, counted->l2_bytes, counted->cold, arena, apart);
    for (size_t i = 0; i < count; i++) {
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[0] = rft_datum_text(apart[i].what);
        cells[1] = rft_datum_number(apart[i].declared);
        cells[2] = rft_datum_number(apart[i].counted);
        cells[3] = rft_datum_text(apart[i].text);
    }
    if (counters->source) {
        rft_finding_heading(f, RFT_TO_PEOPLE, 2, "imported from %s", counters->source);
        rft_finding_note(f, RFT_TO_PEOPLE,
                         "rooftune did not count these. Their time and clock are those of the profiler's run.");
    } else if (counters->passes > 0) {
        rft_finding_heading(f, RFT_TO_PEOPLE, 2, "counted in %d runs of its own, with the cache %s", counters->passes,
                            counted->cold ? "cold" : "as the run before left it");
    }
    add_values(f, counters);
    add_missing(f, counters);
    for (size_t i = 0; i < count; i++) {
        rft_finding_note(f, RFT_TO_PEOPLE, "disagrees: %s", apart[i].text);
    }
    return f;
}

rft_finding *rft_finding_counters(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_measurement *m = rft_point_measurement(point);
    const rft_counted_of counted = {point->counters, &point->work, run->gpu.l2_bytes, !m || m->cache != RFT_CACHE_HOT};
    return point->counters ? rft_finding_counters_of(&counted, arena) : NULL;
}

/* ---- a sweep: where counted and declared work are apart ---- */

typedef struct counted_apart {
    const char *text;
    double frac; /* of the declared work */
    size_t at;   /* in the order of the axes */
} counted_apart;

/* The farthest first. */
static int compare_apart(const void *a, const void *b) {
    const counted_apart *x = a, *y = b;
    return x->frac != y->frac ? (x->frac < y->frac) - (x->frac > y->frac) : (x->at > y->at) - (x->at < y->at);
}

static size_t apart_of(const rft_run *run, const rft_point *const *bests, size_t count, counted_apart **out,
                       rft_arena *arena) {
    size_t total = 0;
    *out = rft_arena_calloc(arena, count * RFT_DISAGREEMENTS_MAX + 1, sizeof **out);
    for (size_t i = 0; i < count; i++) {
        rft_disagreement apart[RFT_DISAGREEMENTS_MAX];
        size_t more = rft_counted_disagreements(run, bests[i], arena, apart);
        for (size_t k = 0; k < more; k++, total++) {
            const char *name = rft_words_problem(run, bests[i]->sweep, bests[i]->problem, arena);
            double frac = fabs(apart[k].counted - apart[k].declared) / fmax(apart[k].declared, 1);
            (*out)[total] = (counted_apart){rft_arena_printf(arena, "%s: %s.", name, apart[k].text), frac, total};
        }
    }
    if (total > 1) {
        qsort(*out, total, sizeof **out, compare_apart);
    }
    return total;
}

static void add_left_out(rft_finding *f, unsigned where, size_t count, size_t most) {
    if (count > most) {
        rft_finding_note(f, where, "%s; all of them with --full.",
                         rft_words_plural(count - most, "more such place", "more such places", f->arena));
    }
}

/* Another tuner's file tells no work. */
static bool is_declared(const rft_point *point) {
    bool any = rft_work_bytes(&point->work) > 0;
    for (size_t pipe = 0; pipe < RFT_PIPE_COUNT && !any; pipe++) {
        any = point->work.pipe_ops[pipe] > 0;
    }
    return any;
}

static void add_apart(rft_finding *f, const counted_apart *apart, size_t count, bool declared, bool full) {
    const unsigned at_length = RFT_ON_PAGE | RFT_IN_FULL;
    if (count == 0) {
        rft_finding_note(f, at_length,
                         declared ? "Nowhere are counted and declared work more than 5 %% apart."
                                  : "No work is declared that the counts could be held to.");
        return;
    }
    rft_finding_heading(f, RFT_IN_BRIEF, 2, "Hardware counters (all of them: --full)");
    rft_finding_note(f, RFT_TO_PEOPLE,
                     "Where counted and declared work are more than 5 %% apart (the declared work stays what rates and "
                     "efficiencies are of):");
    for (size_t i = 0; i < count && (full || i < APART_MOST); i++) {
        rft_finding_note(f, i < APART_IN_BRIEF ? RFT_TO_PEOPLE : at_length, "%s", apart[i].text);
    }
    add_left_out(f, RFT_IN_BRIEF, count, APART_IN_BRIEF);
    add_left_out(f, RFT_ON_PAGE, count, full ? count : APART_MOST);
}

/* ---- a sweep: its bests ---- */

enum { BEST_OF, READ, WRITTEN, DECLARED, L2_HITS, OCCUPANCY, ISSUE, USEFUL, CONFLICTS, FIELDS };

static const rft_trait fields[FIELDS] = {
    [BEST_OF] = {.title = "Best of", .wraps = true},
    [READ] = {.title = "DRAM read", .align = RFT_ALIGN_RIGHT},
    [WRITTEN] = {.title = "written", .align = RFT_ALIGN_RIGHT},
    [DECLARED] = {.title = "declared read, written", .where = RFT_ON_PAGE, .align = RFT_ALIGN_RIGHT},
    [L2_HITS] = {.title = "L2 hits", .align = RFT_ALIGN_RIGHT},
    [OCCUPANCY] = {.title = "occupancy", .align = RFT_ALIGN_RIGHT},
    [ISSUE] = {.title = "issue", .where = RFT_IN_TEXT, .align = RFT_ALIGN_RIGHT},
    [USEFUL] = {.title = "useful of 32 B", .where = RFT_ON_PAGE, .align = RFT_ALIGN_RIGHT},
    [CONFLICTS] = {.title = "conflicts", .where = RFT_ON_PAGE, .align = RFT_ALIGN_RIGHT},
};

static rft_datum share(double frac, rft_arena *arena) {
    return isfinite(frac) ? rft_datum_text(rft_figure_percent(arena, frac)) : rft_datum_absent();
}

static rft_datum value(const rft_point *point, rft_counter counter, rft_arena *arena) {
    return rft_datum_text(rft_counter_text(counter, point->counters->values[counter], arena));
}

/* Bank conflicts as a share of the wavefronts they are among; n/a where there was no shared memory to speak of. */
static double conflict_frac(const rft_counters *counters) {
    double wavefronts = counters->values[RFT_COUNTER_SHARED_WAVEFRONTS];
    return wavefronts > 0 ? counters->values[RFT_COUNTER_SHARED_CONFLICTS] / wavefronts : (double)NAN;
}

static void add_best(rft_cell_table *table, const rft_run *run, const rft_point *best, unsigned where) {
    const char *missing = rft_counted_missing(best);
    rft_arena *arena = table->arena;
    rft_cell_row *row = rft_cell_table_row(table);
    rft_datum *cells = row->cells;
    row->where = where;
    row->strong = best->problem == rft_run_largest(run, best->sweep);
    cells[BEST_OF] = rft_datum_text(rft_words_problem(run, best->sweep, best->problem, arena));
    cells[BEST_OF].brief = rft_run_problem_text(run, best->sweep, best->problem, true, arena);
    if (missing) {
        cells[READ] = rft_datum_noted(rft_datum_absent(), missing);
        return;
    }
    cells[READ] = value(best, RFT_COUNTER_DRAM_READ, arena);
    cells[WRITTEN] = value(best, RFT_COUNTER_DRAM_WRITE, arena);
    cells[DECLARED] =
        is_declared(best)
            ? rft_datum_text(rft_arena_printf(arena, "%s, %s", rft_figure_si(arena, best->work.bytes_read, "B"),
                                              rft_figure_si(arena, best->work.bytes_written, "B")))
            : rft_datum_absent();
    cells[L2_HITS] = share(rft_counters_l2_hit_frac(best->counters), arena);
    cells[OCCUPANCY] = share(best->counters->values[RFT_COUNTER_WARPS_ACTIVE], arena);
    cells[ISSUE] = value(best, RFT_COUNTER_ISSUE, arena);
    cells[USEFUL] = value(best, RFT_COUNTER_LOAD_BYTES_PER_SECTOR, arena);
    cells[CONFLICTS] = share(conflict_frac(best->counters), arena);
}

/* All of them for a terminal's full form; a page without `full` has some, the longest problem among them. */
static void add_bests(rft_finding *f, const rft_run *run, const rft_point *const *bests, size_t count, bool full) {
    rft_cell_table *table = rft_finding_table(f, NULL, fields, FIELDS);
    size_t every = full ? 1 : (count + ROWS_MOST - 1) / ROWS_MOST, shown = 0;
    table->where = RFT_ON_PAGE | RFT_IN_FULL;
    for (size_t i = 0; i < count; i++) {
        bool chosen = i % every == 0 || bests[i]->problem == rft_run_largest(run, bests[i]->sweep);
        add_best(table, run, bests[i], chosen ? 0 : RFT_IN_TEXT);
        shown += chosen;
    }
    if (shown < count) {
        rft_finding_note(f, RFT_ON_PAGE, "%zu of %zu problems are shown; all of them with --full.", shown, count);
    }
}

/* Nothing is known of any of them, for one reason; NULL: something is. */
static const char *common_reason(const rft_run *run, size_t sweep) {
    const char *reason = NULL;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == sweep && point->counters) {
            const char *missing = rft_counted_missing(point);
            if (!missing || (reason && !rft_text_equal(reason, missing))) {
                return NULL;
            }
            reason = missing;
        }
    }
    return reason;
}

/* For programs: all points that were counted. Returns whether any was asked. */
static bool add_counted(rft_finding *f, const rft_run *run, size_t sweep) {
    static const rft_trait data[] = {
        {.key = "point"}, {.key = "problem"}, {.key = "variant"}, {.key = "configuration"}, {.key = "counters"}};
    const rft_sweep *of = &run->sweeps[sweep].sweep;
    rft_cell_table *table = rft_finding_table(f, "", data, 5);
    bool any = false;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        bool asked = point->sweep == sweep && point->counters;
        any = any || asked;
        if (asked && !point->alias_of) {
            rft_datum *cells = rft_cell_table_row(table)->cells;
            cells[0] = rft_datum_count(point->id);
            cells[1] = rft_datum_finding(rft_finding_problem(of, point->problem, f->arena));
            cells[2] = rft_datum_text(of->variants[point->variant].name);
            cells[3] = rft_datum_finding(rft_finding_config(of, point, f->arena));
            cells[4] = rft_datum_finding(rft_finding_counters(run, point, f->arena));
        }
    }
    return any;
}

static size_t bests_of(const rft_run *run, size_t sweep, const rft_point ***out, rft_arena *arena) {
    const rft_sweep *of = &run->sweeps[sweep].sweep;
    const size_t *order = rft_refine_order(of, arena);
    size_t count = 0;
    *out = rft_arena_calloc(arena, of->problem_count + 1, sizeof **out);
    for (size_t i = 0; i < of->problem_count; i++) {
        const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, order[i]);
        if (best) {
            (*out)[count++] = best;
        }
    }
    return count;
}

/* "Imported, not counted here: n=4096 VEC=4 (Nsight Compute 2025.3.0.0, ncu.csv)." */
static void add_imported(rft_finding *f, const rft_run *run, size_t sweep) {
    rft_str text = RFT_STR_INIT;
    size_t count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep != sweep || !point->counters || !point->counters->source || point->alias_of) {
            continue;
        }
        if (count++ < IMPORTED_MOST) {
            rft_str_addf(&text, "%s%s %s (%s)", text.length ? ", " : "",
                         rft_words_problem(run, sweep, point->problem, f->arena),
                         rft_words_config(run, point, f->arena), point->counters->source);
        }
    }
    if (count > 0) {
        rft_finding_note(
            f, RFT_TO_PEOPLE, "Counters that were imported, not counted by rooftune: %s%s.", rft_str_get(&text),
            count > IMPORTED_MOST ? rft_arena_printf(f->arena, " and %zu more", count - IMPORTED_MOST) : "");
    }
    rft_str_clear(&text);
}

rft_finding *rft_finding_counted(const rft_run *run, size_t sweep, bool full, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    const rft_point **bests = NULL;
    counted_apart *apart = NULL;
    if (!add_counted(f, run, sweep)) {
        return f;
    }
    const char *reason = common_reason(run, sweep);
    if (reason) {
        rft_finding_heading(f, RFT_TO_PEOPLE, 2, "Hardware counters");
        rft_finding_body(
            f, RFT_TO_PEOPLE,
            "None were counted: %s. What holds a point back is judged by declared and modelled work alone.", reason);
        return f;
    }
    size_t count = bests_of(run, sweep, &bests, arena);
    rft_finding_heading(f, RFT_ON_PAGE, 2, "Hardware counters");
    rft_finding_heading(f, RFT_IN_FULL, 2, "Hardware counters of the best (runs of their own)");
    add_bests(f, run, bests, count, full);
    rft_finding_legend(
        f,
        "Hardware counters: counted in runs of their own, never in a timed one. DRAM: bytes to and from device memory "
        "until the kernel ended; what was written last may still lie in the L2. L2 hits: of the sectors the SMs "
        "asked for. Occupancy: resident warps of the most an SM holds. Useful: bytes that loads used of each 32-byte "
        "sector. Conflicts: of the shared-memory wavefronts those that bank conflicts added.");
    size_t apart_count = apart_of(run, bests, count, &apart, arena);
    add_apart(f, apart, apart_count, count > 0 && is_declared(bests[0]), full);
    add_imported(f, run, sweep);
    return f;
}
