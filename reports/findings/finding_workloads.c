/* SPDX-License-Identifier: Apache-2.0 */
/* finding_workloads.c - the times and verdicts of a comparison (compare_findings.h): a row a workload, a column a run.
 * On a page two runs have all in one line; more are stacked, so that eight stay legible, and on a terminal all are. */
#include "base/str.h"
#include "model/stats/interval_text.h"
#include "reports/figures.h"
#include "reports/findings/compare_findings.h"
#include "reports/findings/words.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ON_PAGE_SIDES 4 /* of a stacked table */
#define IN_TEXT_SIDES 3
#define REASONS 40 /* lines of a terminal */

const char *rft_compare_percent(double frac, rft_arena *arena) {
    double shown = fabs(frac * 100.0);
    return isfinite(frac) ? rft_arena_fixed(arena, frac * 100.0,
                                            shown < 0.095  ? 2
                                            : shown < 9.95 ? 1
                                                           : 0,
                                            " %")
                          : "n/a";
}

/* ---- cells ---- */

/* The time; notes say where it is the library's, or why there is none. */
static rft_datum time_cell(const rft_compare_figure *f, rft_arena *arena) {
    rft_datum cell =
        f->present ? rft_datum_said(rft_datum_number(f->stats.median), rft_stats_text(&f->stats, 0.0, "s", arena).value)
                   : rft_datum_text("none");
    if (!f->present) {
        cell.note = rft_arena_printf(arena, "No figure: %s.", f->missing);
    } else if (f->by_vendor) {
        cell.note = rft_arena_printf(arena, "%s, which beats the tuned template there.", f->source);
    }
    return cell;
}

static rft_datum interval_cell(const rft_compare_figure *f, rft_arena *arena) {
    rft_datum cell = {0};
    if (f->present) {
        const char *interval = rft_stats_text(&f->stats, 0.0, "s", arena).interval;
        cell = interval ? rft_datum_text(interval) : rft_datum_absent();
        cell.note =
            f->stats.interval_is_95
                ? NULL
                : "Too few samples for a 95 % interval of the median: under 6, or under 8 that are not independent.";
    }
    return cell;
}

/* "31.8 us ±0.4 %", on one line. */
static rft_datum best_cell(const rft_compare_figure *f, rft_arena *arena) {
    rft_datum cell = time_cell(f, arena);
    if (f->present) {
        rft_interval_text time = rft_stats_text(&f->stats, 0.0, "s", arena);
        cell.words = time.interval
                         ? rft_arena_printf(arena, "%s %s", time.value, rft_words_unbroken(time.interval, arena))
                         : rft_arena_printf(arena, "%s n=%zu", time.value, f->stats.n);
    }
    return cell;
}

/* "1.02x" of "1.02x [1.01, 1.03]". */
static const char *ratio_words(const rft_compare_ratio *ratio, rft_arena *arena) {
    const char *text = rft_compare_ratio_text(ratio, arena);
    return rft_arena_strndup(arena, text, strcspn(text, " "));
}

static const char *interval_words(const rft_compare_ratio *ratio, rft_arena *arena) {
    const char *bracket = strchr(rft_compare_ratio_text(ratio, arena), '[');
    return bracket ? bracket : "n/a";
}

/* The reason stands in a note; that a difference is neither shown nor excluded is what AMBIGUOUS means, but not how
 * many processes would tell. */
static rft_datum verdict_cell(const rft_compare_figure *f, rft_arena *arena) {
    bool judged = f->verdict != RFT_COMPARE_NONE,
         plain = (f->doubt == RFT_DOUBT_NEITHER ? f->processes_wanted == 0 : !f->present) && !f->no_native;
    rft_datum cell = rft_datum_text(judged ? rft_compare_verdict_name(f->verdict) : "not judged");
    if (f->doubt == RFT_DOUBT_NEITHER && f->processes_wanted && !f->no_native) { /* the same note for all of a line */
        cell.note = rft_arena_printf(arena, "It takes about %zu processes each to tell.", f->processes_wanted);
    } else if (f->reason && !plain) {
        cell.note = rft_arena_printf(arena, "%s.", f->reason);
    }
    return cell;
}

/* "Held back by another resource: A dram 98 %; B launch"; NULL where it is one. */
static const char *bounds_words(const rft_compare *c, const rft_compare_workload *of, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    for (size_t side = 0; side < c->side_count && of->changed_side; side++) {
        if (of->figures[side].best) {
            rft_str_addf(&text, "%s %c %s", text.length ? ";" : "", c->sides[side].letter,
                         rft_bound_text(&of->figures[side].bound, arena));
        }
    }
    const char *words = of->changed_side ? rft_arena_strdup(arena, rft_str_get(&text)) : NULL;
    rft_str_clear(&text);
    return words;
}

static rft_datum name_cell(const rft_compare *c, size_t w, bool noted, rft_arena *arena) {
    const char *bounds = bounds_words(c, &c->workloads[w], arena);
    rft_datum cell = rft_datum_text(rft_arena_printf(arena, "%zu  %s", w + 1, c->workloads[w].name));
    cell.note = bounds && noted ? rft_arena_printf(arena, "Held back by another resource:%s.", bounds) : NULL;
    return cell;
}

/* ---- two runs on a page: one line each ---- */

static void add_pair(rft_finding *f, const rft_compare *c) {
    enum { NAME, A, A_INTERVAL, B, B_INTERVAL, RATIO, INTERVAL, VERDICT, FIELDS };
    static const rft_trait fields[FIELDS] = {
        [NAME] = {.title = "Workload", .wraps = true},
        [A] = {.title = "A", .unit = "s", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
        [A_INTERVAL] = {.title = "95 %", .align = RFT_ALIGN_RIGHT},
        [B] = {.title = "B", .unit = "s", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
        [B_INTERVAL] = {.title = "95 %", .align = RFT_ALIGN_RIGHT},
        [RATIO] = {.title = "Speed, A = 1", .align = RFT_ALIGN_DECIMAL},
        [INTERVAL] = {.title = "95 %"},
        [VERDICT] = {.title = "Verdict"},
    };
    rft_cell_table *table = rft_finding_table(f, NULL, fields, FIELDS);
    table->where = RFT_ON_PAGE;
    for (size_t w = 0; w < c->workload_count; w++) {
        const rft_compare_figure *a = &c->workloads[w].figures[0], *b = &c->workloads[w].figures[1];
        rft_cell_row *row = rft_cell_table_row(table);
        row->rule = w > 0 && c->workloads[w].group != c->workloads[w - 1].group;
        row->cells[NAME] = name_cell(c, w, true, f->arena);
        row->cells[A] = time_cell(a, f->arena);
        row->cells[A_INTERVAL] = interval_cell(a, f->arena);
        row->cells[B] = time_cell(b, f->arena);
        row->cells[B_INTERVAL] = interval_cell(b, f->arena);
        if (b->verdict != RFT_COMPARE_NONE) {
            row->cells[RATIO] = rft_datum_text(ratio_words(&b->ratio, f->arena));
            row->cells[INTERVAL] = rft_datum_text(interval_words(&b->ratio, f->arena));
        }
        row->cells[VERDICT] = verdict_cell(b, f->arena);
    }
}

/* ---- stacked ---- */

enum { LINE_BEST, LINE_RATIO, LINE_INTERVAL, LINES };

/* One line of a run's figure. A terminal has the reasons in a list of their own. */
static rft_datum stacked_cell(const rft_compare_figure *f, size_t side, int line, bool noted, rft_arena *arena) {
    rft_datum cell = {0};
    if (line == LINE_BEST) {
        cell = best_cell(f, arena);
    } else if (line == LINE_RATIO && side == 0) {
        cell = rft_datum_text(f->present ? "first" : NULL);
    } else if (line == LINE_RATIO && f->verdict != RFT_COMPARE_NONE) {
        cell = verdict_cell(f, arena);
        cell.words = rft_arena_printf(arena, "%s %s", ratio_words(&f->ratio, arena), cell.as.text);
    } else if (line == LINE_RATIO) {
        cell = f->present || f->no_native ? verdict_cell(f, arena) : cell;
    } else if (side > 0 && f->verdict != RFT_COMPARE_NONE) {
        cell = rft_datum_text(interval_words(&f->ratio, arena));
    }
    cell.note = noted ? cell.note : NULL;
    return cell;
}

static bool any_has(const rft_compare_workload *w, size_t first, size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || w->figures[first + i].problem != SIZE_MAX;
    }
    return any;
}

static void add_stack(rft_finding *f, const rft_compare *c, size_t first, size_t count, unsigned where) {
    static const char *const lines[LINES] = {"best", "against A", "95 %"};
    bool noted = where == RFT_ON_PAGE;
    rft_trait fields[2 + ON_PAGE_SIDES] = {{.title = "Workload", .wraps = true}, {.title = ""}};
    for (size_t i = 0; i < count; i++) {
        fields[2 + i] = (rft_trait){.title = rft_compare_side_name(c, first + i, f->arena), .wraps = !noted};
    }
    rft_cell_table *table = rft_finding_table(f, NULL, fields, 2 + count);
    table->where = where;
    for (size_t w = 0; w < c->workload_count; w++) {
        const rft_compare_workload *of = &c->workloads[w];
        int most = of->figures[0].present ? LINES : 1;
        for (int line = 0; any_has(of, first, count) && line < most; line++) {
            rft_cell_row *row = rft_cell_table_row(table);
            row->rule = line == 0 && table->row_count > 1;
            row->cells[0] = line == 0 ? name_cell(c, w, noted, f->arena) : (rft_datum){0};
            row->cells[1] = rft_datum_text(lines[line]);
            for (size_t i = 0; i < count; i++) {
                row->cells[2 + i] = stacked_cell(&of->figures[first + i], first + i, line, noted, f->arena);
            }
        }
    }
}

static void add_stacks(rft_finding *f, const rft_compare *c, size_t most, unsigned where) {
    for (size_t first = 0; first < c->side_count; first += most) {
        size_t left = c->side_count - first;
        add_stack(f, c, first, left < most ? left : most, where);
    }
}

/* ---- why ---- */

rft_finding *rft_finding_reasons(const rft_compare *c, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    static const rft_trait said[] = {{.title = ""}};
    rft_cell_table *table = NULL;
    size_t all = 0;
    for (size_t w = 0; w < c->workload_count; w++) {
        const rft_compare_workload *of = &c->workloads[w];
        const char *bounds = bounds_words(c, of, f->arena);
        for (size_t side = 0; side <= c->side_count; side++) { /* the last: the bounds */
            const char *reason = side < c->side_count ? of->figures[side].reason : bounds;
            if (!reason || all++ >= REASONS) {
                continue;
            }
            if (!table) {
                rft_finding_heading(f, RFT_IN_TEXT, 2, "beside the verdicts");
                table = rft_finding_table(f, NULL, said, 1);
                table->where = RFT_IN_TEXT;
                table->lines = true;
            }
            const char *of_what = side < c->side_count ? rft_compare_letter(c, side, f->arena) : "bounds differ";
            rft_cell_table_row(table)->cells[0] =
                rft_datum_text(rft_arena_printf(f->arena, "%s, %s: %s", of->name, of_what, reason));
        }
    }
    if (all > REASONS) {
        rft_finding_body(f, RFT_IN_TEXT, "and %zu more: --json has all", all - REASONS);
    }
    return f;
}

/* ---- for programs ---- */

static rft_finding *effort_data(const rft_compare_effort *effort, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "valid", effort->valid ? rft_datum_count((int64_t)effort->valid) : rft_datum_absent());
    rft_finding_set(f, "tried", rft_datum_count((int64_t)effort->tried));
    rft_finding_set(f, "measured", rft_datum_count((int64_t)effort->measured));
    rft_finding_set(f, "recorded", rft_datum_flag(effort->recorded));
    rft_finding_set(f, "complete", rft_datum_flag(effort->complete));
    rft_finding_set(f, "strategy", rft_datum_text(effort->recorded ? effort->strategy : NULL));
    rft_finding_set(f, "budget", rft_datum_text(effort->budget));
    rft_finding_set(f, "objective", rft_datum_text(effort->objective));
    rft_finding_set(f, "race", rft_datum_flag(effort->race));
    rft_finding_set(f, "library_tried", rft_datum_count(effort->library_tried));
    return f;
}

enum {
    WORKLOAD,
    LETTER,
    DEVICE,
    RUN,
    DATE,
    MISSING,
    SOURCE,
    VARIANT,
    CONFIG,
    MEDIAN,
    LOW,
    HIGH,
    REPEAT_LOW,
    REPEAT_HIGH,
    PROCESSES,
    IS_95,
    WIDENED,
    RATE,
    UNIT,
    PER_WATT,
    PER_PRICE,
    ROOF,
    BOUND,
    RATIO,
    RATIO_LOW,
    RATIO_HIGH,
    VERDICT,
    WANTED,
    REASON,
    EFFORT,
    FIGURE_FIELDS
};
static const rft_trait figure_fields[FIGURE_FIELDS] = {
    [WORKLOAD] = {.key = "workload", .where = RFT_IN_CSV},
    [LETTER] = {.key = "letter"},
    [DEVICE] = {.key = "device", .where = RFT_IN_CSV},
    [RUN] = {.key = "run", .where = RFT_IN_CSV},
    [DATE] = {.key = "date", .where = RFT_IN_CSV},
    [MISSING] = {.key = "missing", .where = RFT_IN_DATA},
    [SOURCE] = {.key = "source"},
    [VARIANT] = {.key = "variant", .where = RFT_IN_DATA},
    [CONFIG] = {.key = "configuration", .where = RFT_IN_DATA},
    [MEDIAN] = {.key = "median_s"},
    [LOW] = {.key = "low_s"},
    [HIGH] = {.key = "high_s"},
    [REPEAT_LOW] = {.key = "repeat_low_s"},
    [REPEAT_HIGH] = {.key = "repeat_high_s"},
    [PROCESSES] = {.key = "processes"},
    [IS_95] = {.key = "interval_is_95", .where = RFT_IN_DATA},
    [WIDENED] = {.key = "widened_frac", .where = RFT_IN_DATA},
    [RATE] = {.key = "rate"},
    [UNIT] = {.key = "unit"},
    [PER_WATT] = {.key = "rate_per_watt"},
    [PER_PRICE] = {.key = "rate_per_price"},
    [ROOF] = {.key = "roof_distance"},
    [BOUND] = {.key = "bound"},
    [RATIO] = {.key = "ratio"},
    [RATIO_LOW] = {.key = "ratio_low"},
    [RATIO_HIGH] = {.key = "ratio_high"},
    [VERDICT] = {.key = "verdict"},
    [WANTED] = {.key = "processes_wanted", .where = RFT_IN_DATA},
    [REASON] = {.key = "reason"},
    [EFFORT] = {.key = "effort", .where = RFT_IN_DATA},
};

static void add_figure(rft_cell_table *table, const rft_compare *c, const rft_compare_workload *of, size_t at) {
    const rft_compare_figure *f = &of->figures[at];
    const rft_compare_side *side = &c->sides[at];
    rft_arena *arena = table->arena;
    rft_datum *cells = rft_cell_table_row(table)->cells;
    cells[WORKLOAD] = rft_datum_text(of->name);
    cells[LETTER] = rft_datum_text(rft_compare_letter(c, at, arena));
    cells[DEVICE] = rft_datum_text(side->device);
    cells[RUN] = rft_datum_text(side->run->info.id);
    cells[DATE] = rft_datum_text(side->date);
    cells[MISSING] = rft_datum_text(f->missing);
    cells[SOURCE] = rft_datum_text(f->present ? f->source : NULL);
    if (f->best) {
        cells[VARIANT] = rft_datum_text(side->run->sweeps[f->sweep].sweep.variants[f->best->variant].name);
        cells[CONFIG] = rft_datum_text(rft_run_config_text(side->run, f->best, false, arena));
        cells[BOUND] = rft_datum_text(rft_bound_text(&f->bound, arena));
    }
    cells[MEDIAN] = rft_datum_number(f->stats.median);
    cells[LOW] = rft_datum_number(f->stats.low);
    cells[HIGH] = rft_datum_number(f->stats.high);
    cells[REPEAT_LOW] = rft_datum_number(f->repeat.repeat_low);
    cells[REPEAT_HIGH] = rft_datum_number(f->repeat.repeat_high);
    cells[PROCESSES] = f->repeat.processes ? rft_datum_count((int64_t)f->repeat.processes) : rft_datum_absent();
    cells[IS_95] = rft_datum_flag(f->stats.interval_is_95);
    cells[WIDENED] = rft_datum_number(f->widen_frac);
    cells[RATE] = rft_datum_number(f->rate);
    cells[UNIT] = rft_datum_text(f->present ? rft_arena_printf(arena, "%s/s", f->unit) : NULL);
    cells[PER_WATT] = rft_datum_number(f->per_joule);
    cells[PER_PRICE] = rft_datum_number(f->per_price);
    cells[ROOF] = rft_datum_number(f->roof);
    cells[RATIO] = rft_datum_number(f->ratio.ratio);
    cells[RATIO_LOW] = rft_datum_number(f->ratio.low);
    cells[RATIO_HIGH] = rft_datum_number(f->ratio.high);
    cells[VERDICT] = rft_datum_text(f->verdict == RFT_COMPARE_NONE ? NULL : rft_compare_verdict_name(f->verdict));
    cells[WANTED] = f->processes_wanted ? rft_datum_count((int64_t)f->processes_wanted) : rft_datum_absent();
    cells[REASON] = rft_datum_text(f->reason);
    cells[EFFORT] = rft_datum_finding(f->problem == SIZE_MAX ? NULL : effort_data(&f->effort, arena));
}

static rft_finding *workload_data(const rft_compare *c, size_t w, rft_arena *arena) {
    const rft_compare_workload *of = &c->workloads[w];
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "workload", rft_datum_text(of->name));
    rft_finding_set(f, "sweep", rft_datum_text(of->sweep_name));
    rft_finding_set(f, "bounds_differ", rft_datum_flag(of->changed_side));
    rft_cell_table *table = rft_finding_table(f, "sides", figure_fields, FIGURE_FIELDS);
    for (size_t side = 0; side < c->side_count; side++) {
        add_figure(table, c, of, side);
    }
    return f;
}

/* ---- the findings ---- */

rft_finding *rft_finding_workloads(const rft_compare *c, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_body(
        f, RFT_ON_PAGE,
        "Best median time of each run with its 95 %% interval, the speed against A with its 95 %% interval "
        "(above 1 is faster) and the verdict. AMBIGUOUS without a note: a difference is neither shown nor "
        "excluded. Workloads of which A has no figure are not judged.");
    if (c->side_count == 2) {
        add_pair(f, c);
    } else {
        add_stacks(f, c, ON_PAGE_SIDES, RFT_ON_PAGE);
    }
    add_stacks(f, c, IN_TEXT_SIDES, RFT_IN_TEXT);
    rft_finding_note(f, RFT_IN_TEXT,
                     "Best time with its 95 %% interval; speed against A (above 1 is faster), verdict, and the speed's "
                     "95 %% interval.");
    rft_item *list = rft_finding_list(f, "workloads");
    for (size_t w = 0; w < c->workload_count; w++) {
        rft_finding_append(f, list, workload_data(c, w, arena));
    }
    return f;
}

typedef struct rate_kind {
    const char *title, *per;
    size_t offset;    /* of the number in a figure */
    const char *none; /* said where no run has it; NULL: nothing */
} rate_kind;

static double rate_at(const rft_compare_figure *f, const rate_kind *kind) {
    return *(const double *)((const char *)f + kind->offset);
}

static bool has_rate(const rft_compare *c, size_t side, const rate_kind *kind) {
    bool any = false;
    for (size_t w = 0; w < c->workload_count; w++) {
        any = any || isfinite(rate_at(&c->workloads[w].figures[side], kind));
    }
    return any;
}

/* Which runs have none of them, where others do. */
static void add_without(rft_finding *f, const rft_compare *c, const rate_kind *kind) {
    rft_str text = RFT_STR_INIT;
    for (size_t side = 0; side < c->side_count; side++) {
        if (!has_rate(c, side, kind)) {
            rft_str_addf(&text, "%s%c", text.length ? ", " : "", c->sides[side].letter);
        }
    }
    if (text.length) {
        rft_finding_note(f, 0, "Without: %s.", rft_str_get(&text));
    }
    rft_str_clear(&text);
}

/* Any of so many runs has one. */
static bool any_rate(const rft_compare *c, size_t w, size_t first, size_t count, const rate_kind *kind) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || isfinite(rate_at(&c->workloads[w].figures[first + i], kind));
    }
    return any;
}

static void add_rate_table(rft_finding *f, const rft_compare *c, size_t first, size_t count, const rate_kind *kind) {
    rft_trait fields[1 + RFT_COMPARE_MOST] = {{.title = "Workload", .wraps = true}};
    for (size_t i = 0; i < count; i++) {
        bool has = has_rate(c, first + i, kind);
        fields[1 + i] =
            (rft_trait){.title = has ? rft_compare_letter(c, first + i, f->arena) : NULL, .align = RFT_ALIGN_RIGHT};
    }
    rft_cell_table *table = rft_finding_table(f, NULL, fields, 1 + count);
    for (size_t w = 0; w < c->workload_count; w++) {
        rft_cell_row *row = any_rate(c, w, first, count, kind) ? rft_cell_table_row(table) : NULL;
        for (size_t i = 0; row && i < count; i++) {
            const rft_compare_figure *figure = &c->workloads[w].figures[first + i];
            double rate = rate_at(figure, kind);
            row->cells[0] = name_cell(c, w, false, f->arena);
            row->cells[1 + i] = rft_datum_text(
                isfinite(rate)
                    ? rft_figure_si(f->arena, rate, rft_arena_printf(f->arena, "%s/%s", figure->unit, kind->per))
                : figure->present ? "n/a"
                                  : NULL);
        }
    }
}

/* Of many runs several tables: beside eight rates a workload's name would be torn. */
static void add_rates(rft_finding *f, const rft_compare *c, const rate_kind *kind) {
    bool any = false;
    for (size_t w = 0; w < c->workload_count; w++) {
        any = any || any_rate(c, w, 0, c->side_count, kind);
    }
    if (!any) {
        if (kind->none) {
            rft_finding_note(f, 0, "%s", kind->none);
        }
        return;
    }
    rft_finding_heading(f, 0, 2, "%s", kind->title);
    for (size_t first = 0; first < c->side_count; first += ON_PAGE_SIDES) {
        size_t left = c->side_count - first;
        add_rate_table(f, c, first, left < ON_PAGE_SIDES ? left : ON_PAGE_SIDES, kind);
    }
    add_without(f, c, kind);
}

rft_finding *rft_finding_compared_rates(const rft_compare *c, rft_arena *arena) {
    const char *currency = "unit of price";
    for (size_t i = 0; i < c->side_count; i++) {
        currency = c->sides[i].price.currency ? c->sides[i].price.currency : currency;
    }
    const rate_kind kinds[] = {
        {"Useful rate", "s", offsetof(rft_compare_figure, rate),
         "The work is not known: there are times, and no useful rates."},
        {"Useful rate per watt (board sensor, informative)", "s/W", offsetof(rft_compare_figure, per_joule),
         "No run has energy of these workloads: no rate per watt."},
        {"Useful rate per price of the device", rft_arena_printf(arena, "s per %s", currency),
         offsetof(rft_compare_figure, per_price), NULL},
    };
    rft_finding *f = rft_finding_new(arena);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        add_rates(f, c, &kinds[i]);
    }
    return f;
}
