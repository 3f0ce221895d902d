/* SPDX-License-Identifier: Apache-2.0 */
/* The ladder: each variant's best beside the first's and the one before. */
#include "reports/doc_sweep_parts.h"

#include "model/roofline/counted.h"
#include "model/roofline/placement.h"

#include <math.h>
#include <string.h>

#define PROBLEMS_MOST 8  /* in the table of all problems, without --full */
#define VARIANTS_MOST 11 /* columns of it */
#define RATIOS_MOST 6    /* variants whose speed-ups have columns too */

enum {
    COLUMN_PROBLEM,
    COLUMN_VARIANT,
    COLUMN_TIME,
    COLUMN_USEFUL,
    COLUMN_MOVED,
    COLUMN_OPS,
    COLUMN_INTENSITY,
    COLUMN_CEILING,
    COLUMN_FIRST,
    COLUMN_PREVIOUS,
    COLUMN_BOUND,
    COLUMN_COUNT
};

static const rft_point *rung(const rft_build *b, const rft_entry *entry, size_t variant) {
    return rft_run_best(b->run, entry->sweep, variant, entry->problem);
}

const rft_entry *rft_build_ladder_entry(const rft_build *b, size_t s) {
    size_t problem = rft_counted_ladder(b->run, s);
    for (size_t i = 0; i < b->entry_count; i++) {
        if (b->entries[i].sweep == s && b->entries[i].problem == problem) {
            return b->entries[i].best ? &b->entries[i] : NULL;
        }
    }
    return NULL;
}

static bool was_tried(const rft_run *run, const rft_entry *entry, size_t variant) {
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == entry->sweep && point->variant == variant && point->problem == entry->problem) {
            return true;
        }
    }
    return false;
}

static const char *why_missing(const rft_build *b, const rft_entry *entry, size_t variant) {
    return was_tried(b->run, entry, variant) ? "no valid measurement" : "none was taken up here";
}

/* What device memory moved: counted, else by the kernel's own formula. */
static double moved_bytes(const rft_point *point) {
    double counted = rft_counted_traffic(point).level_bytes[RFT_LEVEL_DRAM];
    double modelled = point->traffic.present ? point->traffic.level_bytes[RFT_LEVEL_DRAM] : NAN;
    return isnan(counted) ? modelled : counted;
}

static const char *scaled(const rft_build *b, double value, const rft_figure_scale *scale) {
    return value > 0 ? rft_figure_plain(b->arena, value / scale->factor, 3) : "n/a";
}

/* ---- the table of rungs ---- */
typedef struct scales {
    rft_figure_scale bytes_s, ops_s;
    const char *ops_unit;
} scales;

static scales scales_of(rft_build *b, const rft_entry *entry) {
    const rft_sweep *sweep = &b->run->sweeps[entry->sweep].sweep;
    double *bytes = rft_arena_calloc(b->arena, sweep->variant_count + 1, sizeof *bytes);
    double *ops = rft_arena_calloc(b->arena, sweep->variant_count + 1, sizeof *ops);
    size_t count = 0;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        const rft_point *best = rung(b, entry, v);
        if (best) {
            rft_placement place = rft_placement_of(b->run, best);
            bytes[count] = place.rate_bytes_s > 0 ? place.rate_bytes_s : NAN;
            ops[count++] = place.rate_ops_s > 0 ? place.rate_ops_s : NAN;
        }
    }
    const char *unit = rft_rate_in_ops(&entry->place) ? rft_rate_unit(&entry->place) : "FLOP/s";
    return (scales){rft_figure_scale_of(b->arena, bytes, count, "B/s"), rft_figure_scale_of(b->arena, ops, count, unit),
                    unit};
}

static void add_rungs(rft_build *b, rft_table *table, const rft_entry *entry, const scales *units, bool rule) {
    double first = NAN, previous = NAN;
    const rft_sweep *sweep = &b->run->sweeps[entry->sweep].sweep;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        const rft_point *best = rung(b, entry, v);
        rft_row *row = rft_doc_row(b->doc, table);
        row->rule = rule && v == 0;
        row->strong = best && best == entry->best;
        row->cells[COLUMN_PROBLEM] =
            v == 0 ? rft_run_problem_text(b->run, entry->sweep, entry->problem, true, b->arena) : NULL;
        row->cells[COLUMN_VARIANT] = sweep->variants[v].name;
        if (!best) {
            row->cells[COLUMN_TIME] = row->cells[COLUMN_CEILING] = "n/a";
            row->cells[COLUMN_BOUND] = why_missing(b, entry, v);
            previous = NAN;
            continue;
        }
        rft_placement place = rft_placement_of(b->run, best);
        rft_bound bound = rft_bound_of(b->run, best);
        double time_s = rft_point_median_s(best);
        row->cells[COLUMN_TIME] = rft_figure_si(b->arena, time_s, "s");
        row->cells[COLUMN_USEFUL] = scaled(b, place.rate_bytes_s, &units->bytes_s);
        row->cells[COLUMN_MOVED] = scaled(b, moved_bytes(best) / time_s, &units->bytes_s);
        row->cells[COLUMN_OPS] = scaled(b, place.rate_ops_s, &units->ops_s);
        row->cells[COLUMN_INTENSITY] = place.intensity > 0 ? rft_figure_plain(b->arena, place.intensity, 3) : "n/a";
        row->cells[COLUMN_CEILING] = rft_figure_percent_bare(b->arena, place.efficiency_frac);
        row->cells[COLUMN_BOUND] = rft_bound_text(&bound, b->arena);
        row->cells[COLUMN_FIRST] =
            isnan(first) ? (v == 0 ? "1.00\xc3\x97" : "n/a") : rft_figure_ratio(b->arena, first / time_s);
        row->cells[COLUMN_PREVIOUS] =
            isnan(previous) ? (v == 0 ? "" : "n/a") : rft_figure_ratio(b->arena, previous / time_s);
        first = v == 0 ? time_s : first;
        previous = time_s;
    }
}

static void add_rung_table(rft_build *b, size_t s, const rft_entry *shown) {
    scales units = scales_of(b, shown);
    const rft_column columns[COLUMN_COUNT] = {
        [COLUMN_PROBLEM] = {.title = "Problem", .wraps = true},
        [COLUMN_VARIANT] = {.title = "Variant", .wraps = true},
        [COLUMN_TIME] = {.title = "Median", .align = RFT_ALIGN_RIGHT},
        [COLUMN_USEFUL] = {.title = "useful", .unit = units.bytes_s.unit, .align = RFT_ALIGN_DECIMAL},
        [COLUMN_MOVED] = {.title = "moved", .unit = units.bytes_s.unit, .align = RFT_ALIGN_DECIMAL},
        [COLUMN_OPS] = {.title = "rate", .unit = units.ops_s.unit, .align = RFT_ALIGN_DECIMAL},
        [COLUMN_INTENSITY] = {.title = "inten- sity", .unit = "op/B", .align = RFT_ALIGN_DECIMAL},
        [COLUMN_CEILING] = {.title = "of ceiling", .unit = "%", .align = RFT_ALIGN_DECIMAL},
        [COLUMN_FIRST] = {.title = "over first", .align = RFT_ALIGN_DECIMAL},
        [COLUMN_PREVIOUS] = {.title = "over previous", .align = RFT_ALIGN_DECIMAL},
        [COLUMN_BOUND] = {.title = "Bound", .wraps = true}};
    rft_table *table = rft_doc_table(b->doc, columns, COLUMN_COUNT);
    size_t rows = 0;
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        if (entry->sweep == s && (b->opts.full ? entry->best != NULL : entry == shown)) {
            add_rungs(b, table, entry, &units, rows++ > 0);
        }
    }
    rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                  "%suseful: the work's own bytes over the median; moved: what device memory moved over the median, "
                  "counted where it was, else by the kernel's own formula.",
                  b->opts.full ? "" : "On the problem where most variants were measured. ");
}

static void add_configurations(rft_build *b, const rft_entry *entry) {
    static const rft_column columns[] = {{.title = "Variant", .wraps = true},
                                         {.title = "Its best configuration", .wraps = true},
                                         {.title = "Changed most against the one before", .wraps = true}};
    const rft_sweep *sweep = &b->run->sweeps[entry->sweep].sweep;
    const rft_point *before = NULL;
    rft_table *table = rft_doc_table(b->doc, columns, 3);
    for (size_t v = 0; v < sweep->variant_count; v++) {
        const rft_point *best = rung(b, entry, v);
        rft_row *row = rft_doc_row(b->doc, table);
        row->strong = best && best == entry->best;
        row->cells[0] = sweep->variants[v].name;
        row->cells[1] = best ? rft_run_config_text(b->run, best, true, b->arena) : why_missing(b, entry, v);
        row->cells[2] = best && before ? rft_build_change_text(b, before, best) : v == 0 ? "" : "n/a";
        before = best;
    }
}

/* ---- all problems, one row each ---- */
static size_t rate_column(size_t variant, size_t variants) {
    return variants > RATIOS_MOST ? 2 + variant : variant == 0 ? 2 : 1 + 2 * variant;
}

static void add_problem(rft_build *b, rft_table *table, const rft_entry *entry, size_t variants) {
    rft_row *row = rft_doc_row(b->doc, table);
    double best_rate = rft_rate_of(&entry->place), first_s = NAN;
    double amount = best_rate * rft_point_median_s(entry->best);
    rft_figure_scale scale = rft_figure_scale_of(b->arena, &best_rate, 1, rft_rate_unit(&entry->place));
    row->cells[0] = rft_run_problem_text(b->run, entry->sweep, entry->problem, true, b->arena);
    row->cells[1] = isnan(best_rate) ? "n/a" : scale.unit;
    for (size_t v = 0; v < variants; v++) {
        const rft_point *best = rung(b, entry, v);
        double time_s = best ? rft_point_median_s(best) : NAN;
        first_s = v == 0 ? time_s : first_s;
        row->cells[rate_column(v, variants)] = scaled(b, amount / time_s, &scale);
        if (v > 0 && variants <= RATIOS_MOST) {
            row->cells[rate_column(v, variants) + 1] =
                isnan(first_s / time_s) ? "n/a" : rft_figure_ratio(b->arena, first_s / time_s);
        }
    }
}

static void add_problems(rft_build *b, size_t s, size_t problems) {
    const rft_sweep *sweep = &b->run->sweeps[s].sweep;
    size_t variants = sweep->variant_count < VARIANTS_MOST ? sweep->variant_count : VARIANTS_MOST;
    bool ratios = variants <= RATIOS_MOST;
    rft_column columns[2 + 2 * VARIANTS_MOST] = {{.title = "Problem", .wraps = true}, {.title = "in"}};
    for (size_t v = 0; v < variants; v++) {
        rft_column rate = {.title = sweep->variants[v].name, .align = RFT_ALIGN_DECIMAL};
        columns[rate_column(v, variants)] = rate;
        if (v > 0 && ratios) {
            columns[rate_column(v, variants) + 1] = (rft_column){.title = "over first", .align = RFT_ALIGN_DECIMAL};
        }
    }
    size_t every = b->opts.full ? 1 : (problems + PROBLEMS_MOST - 1) / PROBLEMS_MOST, index = 0, shown = 0;
    rft_table *table = rft_doc_table(b->doc, columns, ratios ? 1 + 2 * variants : 2 + variants);
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        if (entry->sweep == s && entry->best && (index++ % every == 0 || index == problems)) {
            add_problem(b, table, entry, variants);
            shown++;
        }
    }
    rft_doc_textf(b->doc, RFT_TEXT_NOTE, "Useful rate of each variant's best%s.%s%s",
                  ratios ? ", with the speed-up over the first" : "",
                  shown < problems ? rft_arena_printf(b->arena,
                                                      " %zu of %zu problems are shown; all of them with "
                                                      "--full.",
                                                      shown, problems)
                                   : "",
                  variants < sweep->variant_count ? " The first eleven variants are shown." : "");
}

void rft_build_ladder(rft_build *b, size_t s) {
    const rft_entry *shown = rft_build_ladder_entry(b, s);
    size_t problems = 0;
    if (b->run->sweeps[s].sweep.variant_count < 2 || !shown) {
        return;
    }
    for (size_t i = 0; i < b->entry_count; i++) {
        problems += b->entries[i].sweep == s && b->entries[i].best;
    }
    rft_doc_heading(b->doc, 2, "The ladder of variants", NULL);
    add_rung_table(b, s, shown);
    add_configurations(b, shown);
    if (problems > 1) {
        add_problems(b, s, problems);
    }
}
