/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_counters.h"

#include "cli/show_data.h"
#include "reports/print/layout.h"

#include <math.h>

#define LABEL_COLUMNS 40
#define FARTHEST 2 /* disagreements of a sweep that the table tells */

static bool asked(double value, const char *reason) {
    return !isnan(value) || !rft_text_equal(reason, RFT_COUNTER_NOT_ASKED);
}

/* ---- text ---- */

static void add_line(rft_str *out, const char *label, const char *value) {
    rft_str_add(out, "  ");
    rft_layout_left(out, label, LABEL_COLUMNS);
    rft_str_add(out, rft_layout_columns(label) >= LABEL_COLUMNS ? " " : ""); /* a profiler's names are long */
    rft_layout_right(out, value, 18);
    rft_str_add_char(out, '\n');
}

/* "a, b: why": quantities with the same reason together. */
static void add_missing(rft_str *out, const rft_counters *counters) {
    bool told[RFT_COUNTER_COUNT] = {false};
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        const char *reason = counters->reasons[i];
        if (told[i] || !isnan(counters->values[i]) || !asked(counters->values[i], reason)) {
            continue;
        }
        rft_str names = RFT_STR_INIT;
        size_t count = 0;
        for (int k = i; k < RFT_COUNTER_COUNT; k++) {
            if (isnan(counters->values[k]) && rft_text_equal(reason, counters->reasons[k])) {
                told[k] = true;
                rft_str_addf(&names, "%s%s", count++ ? ", " : "", rft_counter_name((rft_counter)k));
            }
        }
        rft_str_addf(&names, ": %s", reason ? reason : "no reason was recorded");
        rft_layout_wrapped(out, 2, 2, rft_str_get(&names));
        rft_str_clear(&names);
    }
}

static void add_disagreements(rft_str *out, const rft_disagreement *items, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rft_str line = RFT_STR_INIT;
        rft_str_addf(&line, "disagrees: %s", items[i].text);
        rft_layout_wrapped(out, 2, 2, rft_str_get(&line));
        rft_str_clear(&line);
    }
}

void rft_show_counters(rft_str *out, const rft_show_counted *counted, rft_arena *arena) {
    const rft_counters *counters = counted->counters;
    rft_disagreement apart[RFT_DISAGREEMENTS_MAX];
    if (counters->passes > 0) {
        rft_str_addf(out, "counted in %d runs of its own, with the cache %s\n", counters->passes,
                     counted->cold ? "cold" : "as the run before left it");
    }
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (!isnan(counters->values[i])) {
            add_line(out, rft_counter_label((rft_counter)i),
                     rft_counter_text((rft_counter)i, counters->values[i], arena));
        }
    }
    for (size_t i = 0; i < counters->raw_count; i++) {
        const rft_counter_raw *raw = &counters->raw[i];
        add_line(out, raw->name, isnan(raw->value) ? raw->reason : rft_counter_raw_text(raw, arena));
    }
    add_missing(out, counters);
    size_t count = rft_counters_compare(counters, counted->work, counted->l2_bytes, counted->cold, arena, apart);
    add_disagreements(out, apart, count);
}

/* ---- a sweep ---- */

typedef struct column {
    const char *head;
    rft_counter counter; /* RFT_COUNTER_COUNT: the L2's hit rate, which is derived */
} column;

static const column columns[] = {{"DRAM read", RFT_COUNTER_DRAM_READ},
                                 {"written", RFT_COUNTER_DRAM_WRITE},
                                 {"L2 hits", RFT_COUNTER_COUNT},
                                 {"occupancy", RFT_COUNTER_WARPS_ACTIVE},
                                 {"issue", RFT_COUNTER_ISSUE}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const char *cell_of(const rft_counters *counters, const column *of, rft_arena *arena) {
    if (of->counter < RFT_COUNTER_COUNT) {
        return rft_counter_text(of->counter, counters->values[of->counter], arena);
    }
    return rft_counter_text(RFT_COUNTER_WARPS_ACTIVE, rft_counters_l2_hit_frac(counters), arena); /* a share as well */
}

#define NAME_MOST 19u /* columns; a longer name has a line of its own */

static void add_row(rft_str *out, const char *name, const char *const *cells, size_t width) {
    bool fits = rft_layout_columns(name) <= width;
    if (!fits) {
        rft_layout_wrapped(out, 2, 4, name);
    }
    rft_str_add(out, "  ");
    rft_layout_left(out, fits ? name : "", width);
    for (int i = 0; i < COLUMNS; i++) {
        rft_layout_right(out, cells[i], i + 1 == COLUMNS ? 15 : 11);
    }
    rft_str_add_char(out, '\n');
}

static void add_best(rft_str *out, const rft_run *run, const rft_point *best, size_t width, rft_arena *arena) {
    const char *cells[COLUMNS];
    const char *name = rft_run_problem_text(run, best->sweep, best->problem, true, arena);
    const char *missing = rft_counted_missing(best);
    if (missing) {
        rft_layout_wrapped(out, 2, 2, rft_arena_printf(arena, "%s: %s", name, missing));
        return;
    }
    for (int i = 0; i < COLUMNS; i++) {
        cells[i] = cell_of(best->counters, &columns[i], arena);
    }
    add_row(out, name, cells, width);
}

/* The two that are farthest from what was declared, of all bests, and how many there are besides. */
static void add_farthest(rft_str *out, const rft_run *run, size_t sweep, rft_arena *arena) {
    const char *texts[FARTHEST] = {NULL};
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
                const char *name = rft_run_problem_text(run, sweep, p, true, arena);
                texts[at] = rft_arena_printf(arena, "%s disagrees: %s", name, apart[i].text);
                fracs[at] = frac;
            }
        }
    }
    for (size_t i = 0; i < FARTHEST && texts[i]; i++) {
        rft_layout_wrapped(out, 2, 2, texts[i]);
    }
    if (total > FARTHEST) {
        rft_str_addf(out, "  %zu more: `rooftune show --json`\n", total - FARTHEST);
    }
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

static bool any_asked(const rft_run *run, size_t sweep) {
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].sweep == sweep && run->points[i].counters) {
            return true;
        }
    }
    return false;
}

/* Not asked for, or nothing was counted, which is said. */
static bool is_uncounted(rft_str *out, const rft_run *run, size_t sweep, rft_arena *arena) {
    if (!any_asked(run, sweep)) {
        return true;
    }
    const char *reason = common_reason(run, sweep);
    if (reason) {
        rft_str_add_char(out, '\n');
        rft_layout_wrapped(out, 2, 2, rft_arena_printf(arena, "hardware counters: none (%s)", reason));
    }
    return reason != NULL;
}

void rft_show_counted_apart(rft_str *out, const rft_run *run, size_t sweep, rft_arena *arena) {
    if (!is_uncounted(out, run, sweep, arena)) {
        rft_str lines = RFT_STR_INIT;
        add_farthest(&lines, run, sweep, arena);
        rft_str_addf(out, "%s%s", lines.length ? "\n  hardware counters (all of them: --full)\n" : "",
                     rft_str_get(&lines));
        rft_str_clear(&lines);
    }
}

void rft_show_counted_sweep(rft_str *out, const rft_run *run, size_t sweep, rft_arena *arena) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    const char *heads[COLUMNS];
    size_t width = 8;
    if (is_uncounted(out, run, sweep, arena)) {
        return;
    }
    for (size_t p = 0; p < data->problem_count; p++) {
        size_t columns_wide = rft_layout_columns(rft_run_problem_text(run, sweep, p, true, arena));
        width = columns_wide > width && columns_wide <= NAME_MOST ? columns_wide : width;
    }
    for (int i = 0; i < COLUMNS; i++) {
        heads[i] = columns[i].head;
    }
    rft_str_add(out, "\n  hardware counters of the best (runs of their own)\n");
    add_row(out, "problem", heads, width);
    for (size_t p = 0; p < data->problem_count; p++) {
        const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, p);
        if (best) {
            add_best(out, run, best, width, arena);
        }
    }
    add_farthest(out, run, sweep, arena);
}

/* ---- JSON ---- */

static json_t *of_reason(const char *reason) {
    json_t *text = reason ? json_string(reason) : NULL;
    return text ? text : json_string("no reason was recorded");
}

static void set_value(json_t *values, json_t *reasons, const char *name, double value, const char *reason) {
    if (asked(value, reason)) {
        json_object_set_new(values, name, rft_json_real_new(value));
        if (isnan(value)) {
            json_object_set_new(reasons, name, of_reason(reason));
        }
    }
}

json_t *rft_show_counters_json(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_counters *counters = point->counters;
    rft_disagreement apart[RFT_DISAGREEMENTS_MAX];
    if (!counters) {
        return json_null();
    }
    json_t *values = json_object();
    json_t *reasons = json_object();
    json_t *list = json_array();
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        set_value(values, reasons, rft_counter_name((rft_counter)i), counters->values[i], counters->reasons[i]);
    }
    for (size_t i = 0; i < counters->raw_count; i++) {
        set_value(values, reasons, counters->raw[i].name, counters->raw[i].value, counters->raw[i].reason);
    }
    size_t count = rft_counted_disagreements(run, point, arena, apart);
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, json_pack("{s:s,s:o,s:o,s:s}", "what", apart[i].what, "declared",
                                              rft_json_real_new(apart[i].declared), "counted",
                                              rft_json_real_new(apart[i].counted), "text", apart[i].text));
    }
    return json_pack("{s:i,s:o,s:o,s:o}", "passes", counters->passes, "values", values, "reasons", reasons,
                     "disagreements", list);
}

json_t *rft_show_counted_json(const rft_run *run, size_t sweep, rft_arena *arena) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    json_t *list = json_array();
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep != sweep || !point->counters || point->alias_of) {
            continue;
        }
        const rft_variant *variant = &data->variants[point->variant];
        json_array_append_new(list, json_pack("{s:I,s:o,s:o,s:o,s:o}", "point", (json_int_t)point->id, "problem",
                                              rft_show_problem_json(data, point->problem), "variant",
                                              rft_show_text_json(variant->name), "configuration",
                                              rft_show_config_json(variant, point->config), "counters",
                                              rft_show_counters_json(run, point, arena)));
    }
    return list;
}
