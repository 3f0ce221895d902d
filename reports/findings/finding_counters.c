/* SPDX-License-Identifier: Apache-2.0 */
/* Hardware counters: what was counted of a point, why not, and what disagrees with the declared work. */
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include "base/str.h"

#include <math.h>

#define FARTHEST 2 /* disagreements of a sweep that are told */

static bool was_asked(double value, const char *reason) {
    return !isnan(value) || !rft_text_equal(reason, RFT_COUNTER_NOT_ASKED);
}

static const char *reason_of(const char *reason) {
    return reason ? reason : "no reason was recorded";
}

/* ---- a point ---- */

static void set_value(rft_finding *values, rft_finding *reasons, const char *name, double value, const char *reason) {
    if (was_asked(value, reason)) {
        rft_finding_set(values, name, rft_datum_number(value));
        if (isnan(value)) {
            rft_finding_set(reasons, name, rft_datum_text(reason_of(reason)));
        }
    }
}

static void add_data(rft_finding *f, const rft_counters *counters, const rft_disagreement *apart, size_t count) {
    static const rft_trait fields[] = {{.key = "what"}, {.key = "declared"}, {.key = "counted"}, {.key = "text"}};
    rft_finding *values = rft_finding_new(f->arena), *reasons = rft_finding_new(f->arena);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        set_value(values, reasons, rft_counter_name((rft_counter)i), counters->values[i], counters->reasons[i]);
    }
    for (size_t i = 0; i < counters->raw_count; i++) {
        set_value(values, reasons, counters->raw[i].name, counters->raw[i].value, counters->raw[i].reason);
    }
    rft_finding_set(f, "passes", rft_datum_count(counters->passes));
    rft_finding_add(f, "values", values);
    rft_finding_add(f, "reasons", reasons);
    rft_cell_table *table = rft_finding_table(f, "disagreements", fields, 4);
    for (size_t i = 0; i < count; i++) {
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[0] = rft_datum_text(apart[i].what);
        cells[1] = rft_datum_number(apart[i].declared);
        cells[2] = rft_datum_number(apart[i].counted);
        cells[3] = rft_datum_text(apart[i].text);
    }
}

static void add_value(rft_cell_table *table, const char *label, const char *value) {
    rft_datum *cells = rft_cell_table_row(table)->cells;
    cells[0] = rft_datum_text(label);
    cells[1] = rft_datum_text(value);
}

/* "a, b: why": quantities with the same reason together. */
static void add_unknown(rft_finding *f, const rft_counters *counters) {
    bool told[RFT_COUNTER_COUNT] = {false};
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        const char *reason = counters->reasons[i], *names = NULL;
        if (told[i] || !isnan(counters->values[i]) || !was_asked(counters->values[i], reason)) {
            continue;
        }
        for (int k = i; k < RFT_COUNTER_COUNT; k++) {
            if (isnan(counters->values[k]) && rft_text_equal(reason, counters->reasons[k])) {
                told[k] = true;
                names = rft_arena_printf(f->arena, "%s%s%s", names ? names : "", names ? ", " : "",
                                         rft_counter_name((rft_counter)k));
            }
        }
        rft_finding_note(f, RFT_IN_TEXT, "%s: %s", names, reason_of(reason));
    }
}

rft_finding *rft_finding_counters_of(const rft_counted_of *counted, rft_arena *arena) {
    static const rft_trait line[] = {{.title = "", .wraps = true}, {.title = "", .align = RFT_ALIGN_RIGHT}};
    const rft_counters *counters = counted->counters;
    rft_disagreement apart[RFT_DISAGREEMENTS_MAX];
    size_t count = rft_counters_compare(counters, counted->work, counted->l2_bytes, counted->cold, arena, apart);
    rft_finding *f = rft_finding_new(arena);
    add_data(f, counters, apart, count);
    if (counters->passes > 0) {
        rft_finding_note(f, RFT_IN_TEXT, "counted in %d runs of its own, with the cache %s", counters->passes,
                         counted->cold ? "cold" : "as the run before left it");
    }
    rft_cell_table *table = rft_finding_table(f, NULL, line, 2);
    table->where = RFT_IN_TEXT;
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (!isnan(counters->values[i])) {
            add_value(table, rft_counter_label((rft_counter)i),
                      rft_counter_text((rft_counter)i, counters->values[i], arena));
        }
    }
    for (size_t i = 0; i < counters->raw_count; i++) {
        const rft_counter_raw *raw = &counters->raw[i];
        add_value(table, raw->name, isnan(raw->value) ? raw->reason : rft_counter_raw_text(raw, arena));
    }
    add_unknown(f, counters);
    for (size_t i = 0; i < count; i++) {
        rft_finding_note(f, RFT_IN_TEXT, "disagrees: %s", apart[i].text);
    }
    return f;
}

rft_finding *rft_finding_counters(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_measurement *m = rft_point_measurement(point);
    return point->counters ? rft_finding_counters_of(&(rft_counted_of){point->counters, &point->work, run->gpu.l2_bytes,
                                                                       !m || m->cache != RFT_CACHE_HOT},
                                                     arena)
                           : NULL;
}

/* ---- a sweep ---- */

/* The two that are farthest from what was declared, of all bests, and how many there are besides. */
static size_t find_farthest(const rft_run *run, size_t sweep, const char *texts[FARTHEST], rft_arena *arena) {
    double fracs[FARTHEST] = {0};
    size_t total = 0;
    for (size_t p = 0; p < run->sweeps[sweep].sweep.problem_count; p++) {
        const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, p);
        rft_disagreement apart[RFT_DISAGREEMENTS_MAX];
        size_t count = best ? rft_counted_disagreements(run, best, arena, apart) : 0;
        for (size_t i = 0; i < count; i++, total++) {
            double frac = fabs(apart[i].counted - apart[i].declared) / fmax(apart[i].declared, 1);
            int at = FARTHEST;
            for (; at > 0 && (!texts[at - 1] || frac > fracs[at - 1]); at--) {
                if (at < FARTHEST) {
                    texts[at] = texts[at - 1];
                    fracs[at] = fracs[at - 1];
                }
            }
            if (at < FARTHEST) {
                texts[at] = rft_arena_printf(arena, "%s disagrees: %s",
                                             rft_run_problem_text(run, sweep, p, true, arena), apart[i].text);
                fracs[at] = frac;
            }
        }
    }
    return total;
}

/* All for one reason: then it is said once. NULL: not so. */
static const char *common_reason(const rft_run *run, size_t sweep) {
    const char *reason = NULL;
    for (size_t p = 0; p < run->sweeps[sweep].sweep.problem_count; p++) {
        const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, p);
        const char *missing = best ? rft_counted_missing(best) : reason;
        if (best && (!missing || (reason && !rft_text_equal(reason, missing)))) {
            return NULL;
        }
        reason = missing;
    }
    return reason;
}

static void add_bests(rft_finding *f, const rft_run *run, size_t sweep) {
    static const rft_counter shown[] = {RFT_COUNTER_DRAM_READ, RFT_COUNTER_DRAM_WRITE, RFT_COUNTER_COUNT,
                                        RFT_COUNTER_WARPS_ACTIVE, RFT_COUNTER_ISSUE};
    static const rft_trait fields[] = {{.title = "problem", .wraps = true},
                                       {.title = "DRAM read", .align = RFT_ALIGN_RIGHT},
                                       {.title = "written", .align = RFT_ALIGN_RIGHT},
                                       {.title = "L2 hits", .align = RFT_ALIGN_RIGHT},
                                       {.title = "occupancy", .align = RFT_ALIGN_RIGHT},
                                       {.title = "issue", .align = RFT_ALIGN_RIGHT}};
    rft_cell_table *table = rft_finding_table(f, NULL, fields, 6);
    table->where = RFT_IN_FULL;
    for (size_t p = 0; p < run->sweeps[sweep].sweep.problem_count; p++) {
        const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, p);
        if (!best) {
            continue;
        }
        rft_cell_row *row = rft_cell_table_row(table);
        const char *name = rft_run_problem_text(run, sweep, p, true, f->arena), *missing = rft_counted_missing(best);
        row->spans = missing != NULL;
        row->cells[0] = rft_datum_text(missing ? rft_arena_printf(f->arena, "%s: %s", name, missing) : name);
        for (size_t i = 0; i < sizeof shown / sizeof *shown && !missing; i++) { /* COUNT: the L2's hit rate, a share */
            row->cells[1 + i] = rft_datum_text(
                shown[i] < RFT_COUNTER_COUNT
                    ? rft_counter_text(shown[i], best->counters->values[shown[i]], f->arena)
                    : rft_counter_text(RFT_COUNTER_WARPS_ACTIVE, rft_counters_l2_hit_frac(best->counters), f->arena));
        }
    }
}

static void add_text(rft_finding *f, const rft_run *run, size_t sweep) {
    const char *reason = common_reason(run, sweep), *farthest[FARTHEST] = {NULL};
    if (reason) {
        rft_finding_heading(f, RFT_IN_TEXT, 2, "hardware counters: none (%s)", reason);
        return;
    }
    size_t total = find_farthest(run, sweep, farthest, f->arena);
    rft_finding_heading(f, RFT_IN_FULL, 2, "hardware counters of the best (runs of their own)");
    add_bests(f, run, sweep);
    if (total > 0) {
        rft_finding_heading(f, RFT_IN_BRIEF, 2, "hardware counters (all of them: --full)");
    }
    for (size_t i = 0; i < FARTHEST && farthest[i]; i++) {
        rft_finding_note(f, RFT_IN_TEXT, "%s", farthest[i]);
    }
    if (total > FARTHEST) {
        rft_finding_note(f, RFT_IN_TEXT, "%zu more: `rooftune show --json`", total - FARTHEST);
    }
}

rft_finding *rft_finding_counted(const rft_run *run, size_t sweep, rft_arena *arena) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    rft_finding *f = rft_finding_new(arena);
    rft_item *list = rft_finding_list(f, "");
    bool asked = false;
    list->where = RFT_IN_DATA;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        asked = asked || (point->sweep == sweep && point->counters);
        if (point->sweep == sweep && point->counters && !point->alias_of) {
            rft_finding *item = rft_finding_new(arena);
            rft_finding_set(item, "point", rft_datum_count(point->id));
            rft_finding_add(item, "problem", rft_finding_problem(data, point->problem, arena));
            rft_finding_set(item, "variant", rft_datum_text(data->variants[point->variant].name));
            rft_finding_add(item, "configuration", rft_finding_config(data, point, arena));
            rft_finding_add(item, "counters", rft_finding_counters(run, point, arena));
            rft_finding_append(f, list, item);
        }
    }
    if (asked) {
        add_text(f, run, sweep);
    }
    return f;
}
