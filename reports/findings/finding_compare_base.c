/* SPDX-License-Identifier: Apache-2.0 */
/* finding_compare_base.c - base and peak of the runs of a comparison, sweep by sweep (compare_findings.h). */
#include "reports/figures.h"
#include "reports/findings/compare_findings.h"
#include "reports/findings/findings.h"

#include <math.h>

enum { SWEEP, RUN, PROBLEMS, PEAK, BASE, KEEPS, WORST, CONFIG, SAID, FIELDS };

static const rft_trait fields[FIELDS] = {
    [SWEEP] = {.title = "Sweep", .where = RFT_ON_PAGE, .wraps = true},
    [RUN] = {.title = "Run", .where = RFT_ON_PAGE},
    [PROBLEMS] = {.title = "Problems", .where = RFT_ON_PAGE, .align = RFT_ALIGN_RIGHT},
    [PEAK] = {.title = "Peak, A = 1", .where = RFT_ON_PAGE},
    [BASE] = {.title = "Base, A = 1", .where = RFT_ON_PAGE},
    [KEEPS] = {.title = "Base of peak", .where = RFT_ON_PAGE},
    [WORST] = {.title = "At worst", .where = RFT_ON_PAGE, .wraps = true},
    [CONFIG] = {.title = "Configuration", .where = RFT_ON_PAGE, .under = true},
    [SAID] = {.title = "", .where = RFT_IN_TEXT},
};

const char *rft_compare_kept_ends(const rft_compare_ratio *kept, rft_arena *arena) {
    const rft_compare_ratio percent = {100 * kept->ratio, 100 * kept->low, 100 * kept->high, kept->interval, 0.0};
    return isnan(kept->ratio) ? NULL : kept->interval ? rft_compare_mean_ends(&percent, arena) : "not known";
}

const char *rft_compare_kept_text(const rft_compare_ratio *kept, rft_arena *arena) {
    const char *percent = rft_figure_percent(arena, kept->ratio);
    return !kept->interval ? rft_arena_printf(arena, "%s, interval not known", percent)
           : kept->low == kept->high /* the same measurement */
               ? percent
               : rft_arena_printf(arena, "%s (%s)", percent, rft_compare_kept_ends(kept, arena));
}

static const char *versus_text(const rft_compare_ratio *mean, size_t side, rft_arena *arena) {
    return side == 0 ? "1" : rft_compare_mean_words(mean, arena);
}

static const char *config_text(const rft_run *run, size_t sweep, const rft_point *point, rft_arena *arena) {
    const rft_sweep *of = &run->sweeps[sweep].sweep;
    const char *config = rft_run_config_text(run, point, true, arena);
    return of->variant_count > 1
               ? rft_arena_printf(arena, "%s%s%s", of->variants[point->variant].name, *config ? ": " : "", config)
               : config;
}

static void add_row(rft_cell_table *table, const rft_compare *c, size_t first, size_t end, size_t side, bool *named) {
    rft_arena *arena = table->arena;
    const rft_compare_base of = rft_compare_base_of(c, first, end, side);
    const rft_run *run = c->sides[side].run;
    if (of.sweeps + of.lacking == 0) {
        return;
    }
    rft_cell_row *row = rft_cell_table_row(table);
    const char *letter = rft_compare_letter(c, side, arena), *sweep = c->workloads[first].sweep_name;
    row->rule = !*named && table->row_count > 1;
    row->cells[SWEEP] = rft_datum_text(*named ? NULL : sweep);
    row->cells[RUN] = rft_datum_text(letter);
    *named = true;
    if (of.sweeps == 0) {
        row->cells[CONFIG] = rft_datum_text("none was measured at all its problems");
        row->cells[SAID] = rft_datum_text(
            rft_arena_printf(arena, "%s, %s: no configuration was measured at all its problems", letter, sweep));
        return;
    }
    const char *kept = rft_compare_kept_text(&of.keeps, arena);
    const char *worst = rft_arena_printf(arena, "%s at %s", rft_figure_percent(arena, of.base.worst_frac),
                                         rft_run_problem_text(run, of.sweep, of.base.worst_problem, true, arena));
    const char *config = config_text(run, of.sweep, of.base.point, arena);
    row->cells[PROBLEMS] = rft_datum_count((int64_t)of.workloads);
    row->cells[PEAK] = rft_datum_text(versus_text(&of.peak, side, arena));
    row->cells[BASE] = rft_datum_text(versus_text(&of.speed, side, arena));
    row->cells[KEEPS] = rft_datum_text(kept);
    row->cells[WORST] = rft_datum_text(worst);
    row->cells[CONFIG] = rft_datum_text(*config ? config : NULL);
    row->cells[SAID] = rft_datum_text(rft_arena_printf(arena, "%s, %s: %s of the speed, %s: %s", letter, sweep, kept,
                                                       worst, *config ? config : "nothing to tune"));
}

/* For programs: what `show` tells of the sweep, of each run. */
static void add_data(rft_finding *f, const rft_compare *c) {
    rft_item *list = rft_finding_list(f, "bases");
    list->where = RFT_IN_DATA;
    for (size_t first = 0; first < c->workload_count; first = rft_compare_next_sweep(c, first)) {
        for (size_t side = 0; side < c->side_count; side++) {
            const rft_compare_base of = rft_compare_base_of(c, first, rft_compare_next_sweep(c, first), side);
            rft_finding *item = of.sweeps ? rft_finding_new(f->arena) : NULL;
            if (item) {
                rft_finding_set(item, "sweep", rft_datum_text(c->workloads[first].sweep_name));
                rft_finding_set(item, "letter", rft_datum_text(rft_compare_letter(c, side, f->arena)));
                rft_compare_set_mean(item, "peak_ratio", &of.peak);
                rft_compare_set_mean(item, "base_ratio", &of.speed);
                rft_compare_set_mean(item, "base_of_peak_frac", &of.keeps);
                rft_finding_join(item, rft_finding_base_of(c->sides[side].run, of.sweep, &of.base, f->arena));
                rft_finding_append(f, list, item);
            }
        }
    }
}

rft_finding *rft_finding_compared_bases(const rft_compare *c, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_ON_PAGE, 2, "Base and peak: one configuration, or the best for each problem");
    rft_finding_heading(f, RFT_IN_TEXT, 2, "base and peak (one configuration for all problems of a sweep keeps)");
    rft_cell_table *table = rft_finding_table(f, NULL, fields, FIELDS);
    table->lines = true;
    for (size_t first = 0; first < c->workload_count; first = rft_compare_next_sweep(c, first)) {
        bool named = false;
        for (size_t side = 0; side < c->side_count; side++) {
            add_row(table, c, first, rft_compare_next_sweep(c, first), side, &named);
        }
    }
    bool any = table->row_count > 0;
    add_data(f, c);
    rft_finding_note(
        f, RFT_ON_PAGE, "%s",
        any ? "Of the tuned template, in the words of SPEC: peak is the best configuration for each "
              "problem, base one for all problems of a sweep, each run its own, told under its row. What "
              "base loses is what a "
              "library pays that ships one configuration. Geometric means with 95 % intervals; not known where one of "
              "the times is of under six samples."
            : "No sweep here has two problems: one configuration for all of them is the best for each.");
    return f;
}
