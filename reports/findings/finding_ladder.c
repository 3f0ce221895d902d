/* SPDX-License-Identifier: Apache-2.0 */
/* The ladder: each variant's best beside the first's and the one before. */
#include "reports/findings/findings.h"
#include "reports/findings/ladder_change.h"
#include "reports/findings/point_cells.h"
#include "reports/findings/words.h"

#include "base/str.h"
#include "model/roofline/bound.h"
#include "model/roofline/counted.h"
#include "model/roofline/placement.h"
#include "model/roofline/reach.h"
#include "model/run/run_drift.h"
#include "model/transition/refine.h"

#include <math.h>

#define RUNGS_MOST 8     /* on a page without --full */
#define RUNGS_ALONE 16   /* the same, of a report that has one sweep: its steps are the lesson */
#define PROBLEMS_MOST 8  /* in the table of all problems, unless all are wanted */
#define VARIANTS_MOST 11 /* columns of it */
#define RATIOS_MOST 6    /* variants whose speed-ups have columns too */

enum {
    PROBLEM,
    VARIANT,
    TIME,
    USEFUL,
    MOVED,
    OPS,
    INTENSITY,
    CEILING,
    FIRST,
    PREVIOUS,
    WHY,
    UNDER,
    FIGURES, /* on a terminal */
    BELOW = FIGURES + RFT_POINT_CELLS,
    STEP,
    FIELDS
};

typedef struct ladder {
    const rft_run *run;
    rft_arena *arena;
    const rft_sweep *sweep;
    size_t index, shown; /* of the sweep; the problem where most variants were measured */
    bool all;            /* problems, on a page */
    bool with_ops;       /* some rung has operations */
    rft_figure_scale bytes_s, ops_s;
} ladder;

static const rft_point *rung(const ladder *l, size_t problem, size_t variant) {
    return rft_run_best(l->run, l->index, variant, problem);
}

static bool is_taken_up(const ladder *l, size_t problem, size_t variant) {
    bool found = false;
    for (size_t i = 0; i < l->run->point_count && !found; i++) {
        const rft_point *point = &l->run->points[i];
        found = point->sweep == l->index && point->variant == variant && point->problem == problem;
    }
    return found;
}

/* The variants that are rungs on this problem: those that were taken up. Returns how many. */
static size_t rungs_of(const ladder *l, size_t problem, size_t **out) {
    size_t *variants = *out = rft_arena_calloc(l->arena, l->sweep->variant_count + 1, sizeof *variants), count = 0;
    for (size_t v = 0; v < l->sweep->variant_count; v++) {
        if (is_taken_up(l, problem, v)) {
            variants[count++] = v;
        }
    }
    return count;
}

/* What the others are held against; NULL: nothing was measured. */
static const rft_point *first_rung(const ladder *l, size_t problem) {
    const rft_point *first = NULL;
    for (size_t v = 0; v < l->sweep->variant_count && !first; v++) {
        first = rung(l, problem, v);
    }
    return first;
}

/* What device memory moved: counted, else by the kernel's own formula. */
static double moved_bytes(const rft_point *point) {
    double counted = rft_counted_traffic(point).level_bytes[RFT_LEVEL_DRAM];
    double modelled = point->traffic.present ? point->traffic.level_bytes[RFT_LEVEL_DRAM] : NAN;
    return isnan(counted) ? modelled : counted;
}

static rft_datum scaled(double value, const rft_figure_scale *scale) {
    return value > 0 ? rft_datum_number(value / scale->factor) : rft_datum_absent();
}

/* Of two that are reported: of one round, and neither known to be the faster. */
static bool is_tie(const ladder *l, const rft_point *before, const rft_point *after, const rft_point_gain *gain) {
    bool by_launch = fabs(rft_point_median_s(before) - rft_point_median_s(after)) < gain->apart_s;
    return before != after && !gain->swept &&
           (by_launch || rft_run_tie(before, after, rft_run_widen_frac(l->run, after->sweep, after->problem)));
}

/* Where one was timed alone and the other in runs in a row: what of the difference may be the launch. */
static const char *apart_words(const ladder *l, const rft_point_gain *gain) {
    return rft_arena_printf(l->arena, "one with its launch, %s", rft_figure_si(l->arena, gain->apart_s, "s"));
}

/* "1.46x the first", and what keeps the ratio from being that of the medians, or from saying anything. */
static const char *gain_words(const ladder *l, const rft_point *before, const rft_point *after, const char *than) {
    const rft_point_gain gain = rft_point_gain_of(before, after);
    return rft_arena_printf(l->arena, "%s %s%s", rft_arena_fixed(l->arena, gain.ratio, 2, "x"), than,
                            gain.swept                        ? " (in the first round)"
                            : is_tie(l, before, after, &gain) ? " (a tie)"
                            : gain.apart_s > 0 ? rft_arena_printf(l->arena, " (%s)", apart_words(l, &gain))
                                               : "");
}

/* On a page the same in notes. */
static rft_datum gain_cell(const ladder *l, const rft_point *before, const rft_point *after) {
    const rft_point_gain gain = rft_point_gain_of(before, after);
    return rft_datum_noted(rft_datum_number(gain.ratio),
                           gain.swept ? "Of the first round's times, not of the medians here: the final round did not "
                                        "measure both."
                           : is_tie(l, before, after, &gain) ? "A tie: which is faster is not known."
                           : gain.apart_s > 0
                               ? rft_arena_printf(l->arena,
                                                  "One was timed with its launch, %s at most, the other in runs in a "
                                                  "row, which hide it.",
                                                  rft_figure_si(l->arena, gain.apart_s, "s"))
                               : NULL);
}

/* ---- the rungs of a problem ---- */

/* Units that suit all rungs. */
static void set_scales(ladder *l) {
    double *bytes = rft_arena_calloc(l->arena, l->sweep->variant_count + 1, sizeof *bytes);
    double *ops = rft_arena_calloc(l->arena, l->sweep->variant_count + 1, sizeof *ops);
    rft_placement best = rft_placement_of(l->run, rung(l, l->shown, SIZE_MAX));
    size_t count = 0;
    for (size_t v = 0; v < l->sweep->variant_count; v++) {
        const rft_point *point = rung(l, l->shown, v);
        if (point) {
            rft_placement place = rft_placement_of(l->run, point);
            bytes[count] = place.rate_bytes_s > 0 ? place.rate_bytes_s : NAN;
            l->with_ops = l->with_ops || place.rate_ops_s > 0;
            ops[count++] = place.rate_ops_s > 0 ? place.rate_ops_s : NAN;
        }
    }
    l->bytes_s = rft_figure_scale_of(l->arena, bytes, count, "B/s");
    l->ops_s = rft_figure_scale_of(l->arena, ops, count, rft_rate_in_ops(&best) ? rft_rate_unit(&best) : "FLOP/s");
}

/* In the same words for all rungs; how much stands with the points: show, --full. */
static const char *share_note(const ladder *l, const rft_point *point) {
    const rft_reach reach = rft_reach_of(l->run, point);
    return reach.at_most || reach.back_to_back ? "At most: part of what it wrote was still in the L2 when it ended."
                                               : rft_words_share_note(l->run, point, l->arena);
}

/* `before`: the first rung with a measurement, and the last before this one; NULL: this is the first. */
static void fill_rung(const ladder *l, rft_cell_row *row, const rft_point *point, const rft_point *const before[2]) {
    rft_placement place = rft_placement_of(l->run, point);
    rft_bound bound = rft_bound_of(l->run, point);
    double time_s = rft_point_median_s(point);
    const char *config = rft_run_config_text(l->run, point, true, l->arena);
    bool first = !before[0];
    row->cells[UNDER] = rft_datum_text(config);
    row->cells[TIME] = rft_datum_number(time_s);
    row->cells[USEFUL] = scaled(place.rate_bytes_s, &l->bytes_s);
    row->cells[MOVED] = scaled(moved_bytes(point) / time_s, &l->bytes_s);
    row->cells[OPS] = scaled(place.rate_ops_s, &l->ops_s);
    row->cells[INTENSITY] = place.intensity > 0 ? rft_datum_number(place.intensity) : rft_datum_absent();
    row->cells[CEILING] =
        rft_datum_noted(rft_datum_number(place.efficiency_frac),
                        l->all ? rft_words_share_note(l->run, point, l->arena) : share_note(l, point));
    row->cells[FIRST] = gain_cell(l, first ? point : before[0], point);
    row->cells[PREVIOUS] = first ? (rft_datum){0} : gain_cell(l, before[1], point);
    row->cells[WHY] = rft_datum_text(rft_bound_text(&bound, l->arena));
    row->cells[WHY].words = rft_words_bound(&bound, l->arena);
    rft_point_cells(l->run, point, row->cells + FIGURES, l->arena);
    row->cells[BELOW] = rft_datum_text(before[0] ? rft_arena_printf(l->arena, "%s%s%s, %s", config, *config ? "; " : "",
                                                                    gain_words(l, before[0], point, "the first"),
                                                                    gain_words(l, before[1], point, "the one before"))
                                                 : config);
}

/* Under a rung: its configuration, and what explains the step from the one before. */
static void add_change(const ladder *l, rft_cell_row *row, const rft_point *before, const rft_point *point) {
    const char *why = rft_ladder_change(l->run, before, point, l->arena);
    const char *config = rft_run_config_text(l->run, point, true, l->arena);
    row->cells[UNDER] = rft_datum_text(
        rft_arena_printf(l->arena, "%s%sExplains the step: %s", config, *config ? ". " : "", why ? why : "n/a"));
    row->cells[STEP] = rft_datum_text(rft_arena_printf(l->arena, "explains the step: %s", why ? why : "n/a"));
}

static void add_rungs(const ladder *l, rft_cell_table *table, size_t problem) {
    const rft_point *best = rung(l, problem, SIZE_MAX), *before[2] = {NULL, NULL};
    bool rule = table->row_count > 0;
    size_t *variants = NULL, count = rungs_of(l, problem, &variants);
    for (size_t r = 0; r < count; r++) {
        const rft_point *point = rung(l, problem, variants[r]);
        rft_cell_row *row = rft_cell_table_row(table);
        row->where = problem == l->shown ? 0 : RFT_ON_PAGE;
        row->rule = rule && r == 0;
        row->strong = point && point == best;
        row->cells[PROBLEM] =
            rft_datum_text(r == 0 ? rft_run_problem_text(l->run, l->index, problem, true, l->arena) : NULL);
        row->cells[VARIANT] = rft_datum_text(l->sweep->variants[variants[r]].name);
        if (!point) {
            row->cells[TIME] = row->cells[CEILING] = rft_datum_absent();
            row->cells[WHY] = row->cells[BELOW] = rft_datum_text("no valid measurement");
            continue;
        }
        fill_rung(l, row, point, before);
        if (before[1] && problem == l->shown) {
            add_change(l, row, before[1], point);
        }
        before[0] = before[0] ? before[0] : point;
        before[1] = point;
    }
}

/* Of every variant at the problem that is shown; infinite without one. */
static const double *rung_medians(const ladder *l, rft_arena *arena) {
    double *medians = rft_arena_calloc(arena, l->sweep->variant_count + 1, sizeof *medians);
    for (size_t v = 0; v < l->sweep->variant_count; v++) {
        const rft_point *point = rung(l, l->shown, v);
        medians[v] = point ? rft_point_median_s(point) : (double)INFINITY;
    }
    return medians;
}

/* How many variants of the problem are faster. */
static size_t faster_than(const ladder *l, const double *medians, size_t variant) {
    size_t faster = 0;
    for (size_t v = 0; v < l->sweep->variant_count; v++) {
        faster += medians[v] < medians[variant];
    }
    return faster;
}

/* Of many rungs a page has the first and the fastest; the step is then that from the one above it on the page. */
static void keep_few(rft_finding *f, const ladder *l, rft_cell_table *table) {
    size_t *variants = NULL, left = 0, most = l->run->sweep_count > 1 ? RUNGS_MOST : RUNGS_ALONE;
    bool parted = false; /* from the one above it on the page */
    rungs_of(l, l->shown, &variants);
    const rft_point *above = rung(l, l->shown, variants[0]);
    const double *medians = rung_medians(l, f->arena);
    for (size_t r = 1; r < table->row_count && !l->all && table->row_count > most; r++) {
        rft_cell_row *row = &table->rows[r];
        if (faster_than(l, medians, variants[r]) + 1 >= most) {
            row->where = RFT_ON_FULL_PAGE | RFT_IN_TEXT;
            parted = true;
            left++;
            continue;
        }
        const rft_point *point = rung(l, l->shown, variants[r]);
        if (parted && above && point) {
            row->cells[PREVIOUS] = gain_cell(l, above, point);
            add_change(l, row, above, point);
        }
        above = point ? point : above;
        parted = false;
    }
    if (left > 0) {
        rft_finding_note(f, RFT_ON_PAGE, "The first variant and the fastest; %zu more with --full.", left);
    }
}

/* What has no rung is not passed over in silence. */
static void name_left_out(rft_finding *f, const ladder *l) {
    rft_str names = RFT_STR_INIT;
    for (size_t v = 0; v < l->sweep->variant_count; v++) {
        if (!is_taken_up(l, l->shown, v)) {
            rft_str_addf(&names, "%s%s", names.length ? "; " : "", l->sweep->variants[v].name);
        }
    }
    if (names.length && l->all) {
        rft_finding_note(f, 0, "A variant of which nothing was taken up on a problem has no row there.");
    } else if (names.length) {
        rft_finding_note(f, 0, "Not taken up here: %s.", rft_str_get(&names));
    }
    rft_str_clear(&names);
}

static void add_rung_table(rft_finding *f, const ladder *l) {
    rft_trait fields[FIELDS] = {
        [PROBLEM] = {.title = "Problem", .wraps = true, .where = RFT_ON_PAGE},
        [VARIANT] = {.title = "Variant", .brief = "variant", .wraps = true},
        [TIME] = {.title = "Median", .style = RFT_AS_SI, .unit = "s", .align = RFT_ALIGN_RIGHT, .where = RFT_ON_PAGE},
        [USEFUL] = {.title = "useful",
                    .unit = l->bytes_s.unit,
                    .headed = true,
                    .align = RFT_ALIGN_DECIMAL,
                    .where = RFT_ON_PAGE},
        [MOVED] = {.title = "moved",
                   .unit = l->bytes_s.unit,
                   .headed = true,
                   .align = RFT_ALIGN_DECIMAL,
                   .where = RFT_ON_PAGE},
        [OPS] =
            {.title = "rate", .unit = l->ops_s.unit, .headed = true, .align = RFT_ALIGN_DECIMAL, .where = RFT_ON_PAGE},
        [INTENSITY] =
            {.title = "inten- sity", .unit = "op/B", .headed = true, .align = RFT_ALIGN_DECIMAL, .where = RFT_ON_PAGE},
        [CEILING] = {.title = "of ceiling", .style = RFT_AS_PERCENT, .align = RFT_ALIGN_DECIMAL, .where = RFT_ON_PAGE},
        [FIRST] = {.title = "over first", .style = RFT_AS_RATIO, .align = RFT_ALIGN_DECIMAL, .where = RFT_ON_PAGE},
        [PREVIOUS] = {.title = "over previous",
                      .style = RFT_AS_RATIO,
                      .align = RFT_ALIGN_DECIMAL,
                      .where = RFT_ON_PAGE},
        [WHY] = {.title = "Bound", .wraps = true, .where = RFT_ON_PAGE},
        [UNDER] = {.title = "", .where = RFT_ON_PAGE, .under = true},
        [BELOW] = {.title = "", .where = RFT_IN_TEXT, .below = true},
        [STEP] = {.title = "", .where = RFT_IN_FULL, .below = true}};
    if (!l->all) {
        fields[PROBLEM].title = NULL; /* the heading has it */
    }
    if (!l->with_ops) {
        fields[OPS].title = fields[INTENSITY].title = NULL;
    }
    for (size_t i = 0; i < RFT_POINT_CELLS; i++) {
        fields[FIGURES + i] = rft_point_traits[i];
    }
    rft_cell_table *table = rft_finding_table(f, NULL, fields, FIELDS);
    const size_t *order = rft_refine_order(l->sweep, l->arena);
    for (size_t i = 0; i < l->sweep->problem_count; i++) {
        bool told = order[i] == l->shown || (l->all && !l->sweep->problems[order[i]].odd);
        if (told && rung(l, order[i], SIZE_MAX)) {
            add_rungs(l, table, order[i]);
        }
    }
    keep_few(f, l, table);
    name_left_out(f, l);
    if (!l->all) {
        rft_finding_legend(f, "The ladder of variants: on the problem where most variants were measured.");
    }
    rft_finding_legend(f, "Useful and moved: the work's own bytes over the median; what device memory moved over "
                          "the median, counted where it was, else by the kernel's own formula.");
}

/* ---- all problems, one row each ---- */

static size_t rate_column(size_t variant, size_t variants) {
    return variants > RATIOS_MOST ? 2 + variant : variant == 0 ? 2 : 1 + 2 * variant;
}

/* Variants that have a time on one of the problems, at most VARIANTS_MOST of them. */
typedef struct told_columns {
    size_t variants[VARIANTS_MOST], count, all;
} told_columns;

static bool has_time(const ladder *l, const size_t *problems, size_t count, size_t variant) {
    bool any = false;
    for (size_t i = 0; i < count && !any; i++) {
        any = rung(l, problems[i], variant) != NULL;
    }
    return any;
}

static told_columns told_of(const ladder *l, const size_t *problems, size_t count) {
    told_columns t = {.count = 0};
    for (size_t v = 0; v < l->sweep->variant_count; v++) {
        bool has = has_time(l, problems, count, v);
        t.all += has;
        if (has && t.count < VARIANTS_MOST) {
            t.variants[t.count++] = v;
        }
    }
    return t;
}

static void add_problem(const ladder *l, rft_cell_table *table, size_t problem, const told_columns *t) {
    const rft_point *best = rung(l, problem, SIZE_MAX);
    rft_placement place = rft_placement_of(l->run, best);
    rft_cell_row *row = rft_cell_table_row(table);
    double best_rate = rft_rate_of(&place), amount = best_rate * rft_point_median_s(best);
    rft_figure_scale scale = rft_figure_scale_of(l->arena, &best_rate, 1, rft_rate_unit(&place));
    row->cells[0] = rft_datum_text(rft_run_problem_text(l->run, l->index, problem, true, l->arena));
    row->cells[1] = isnan(best_rate) ? rft_datum_absent() : rft_datum_text(scale.unit);
    size_t variants = t->count;
    for (size_t v = 0; v < variants; v++) {
        const rft_point *point = rung(l, problem, t->variants[v]);
        row->cells[rate_column(v, variants)] = scaled(point ? amount / rft_point_median_s(point) : NAN, &scale);
        if (v > 0 && variants <= RATIOS_MOST) {
            row->cells[rate_column(v, variants) + 1] =
                point ? gain_cell(l, first_rung(l, problem), point) : rft_datum_absent();
        }
    }
}

/* Those with a measurement, in the order of the axes. */
static size_t measured_problems(const ladder *l, size_t **out) {
    const size_t *order = rft_refine_order(l->sweep, l->arena);
    size_t *list = rft_arena_calloc(l->arena, l->sweep->problem_count + 1, sizeof *list), count = 0;
    for (size_t i = 0; i < l->sweep->problem_count; i++) {
        if (!l->sweep->problems[order[i]].odd && rung(l, order[i], SIZE_MAX)) {
            list[count++] = order[i];
        }
    }
    *out = list;
    return count;
}

static void add_problems(rft_finding *f, const ladder *l) {
    size_t *list = NULL, count = measured_problems(l, &list);
    size_t *shown = rft_arena_calloc(l->arena, count + 1, sizeof *shown), rows = 0;
    size_t every = l->all ? 1 : (count + PROBLEMS_MOST - 1) / PROBLEMS_MOST;
    for (size_t i = 0; i < count; i++) {
        if (i % every == 0 || i + 1 == count) {
            shown[rows++] = list[i];
        }
    }
    told_columns t = told_of(l, shown, rows);
    size_t variants = t.count;
    bool ratios = variants <= RATIOS_MOST;
    rft_trait fields[2 + 2 * VARIANTS_MOST] = {{.title = "Problem", .wraps = true}, {.title = "in"}};
    if (count < 2) {
        return;
    }
    for (size_t v = 0; v < variants; v++) {
        size_t at = rate_column(v, variants);
        fields[at] = (rft_trait){.title = l->sweep->variants[t.variants[v]].name, .align = RFT_ALIGN_DECIMAL};
        if (v > 0 && ratios) {
            fields[at + 1] = (rft_trait){.title = "over first", .style = RFT_AS_RATIO, .align = RFT_ALIGN_DECIMAL};
        }
    }
    rft_finding_heading(f, RFT_ON_PAGE, 2, "The variants on other problems");
    rft_cell_table *table = rft_finding_table(f, NULL, fields, ratios ? 1 + 2 * variants : 2 + variants);
    table->where = RFT_ON_PAGE;
    for (size_t i = 0; i < rows; i++) {
        add_problem(l, table, shown[i], &t);
    }
    rft_finding_note(
        f, RFT_ON_PAGE, "Useful rate of each variant's best%s.%s%s", ratios ? ", with the speed-up over the first" : "",
        rows < count
            ? rft_arena_printf(l->arena, " %zu of %zu problems are shown; all of them with --full.", rows, count)
            : "",
        variants < t.all ? " The first eleven variants are shown." : "");
}

rft_finding *rft_finding_ladder(const rft_run *run, size_t sweep, bool all, rft_arena *arena) {
    ladder l = {.run = run, .arena = arena, .sweep = &run->sweeps[sweep].sweep, .index = sweep, .all = all};
    l.shown = rft_counted_ladder(run, sweep);
    if (l.sweep->variant_count < 2 || l.shown == SIZE_MAX || !rung(&l, l.shown, SIZE_MAX)) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    set_scales(&l);
    const char *name = rft_run_problem_text(run, sweep, l.shown, true, arena);
    rft_finding_heading(f, RFT_ON_PAGE, 2, "The ladder of variants%s%s", all || !*name ? "" : " on ", all ? "" : name);
    rft_finding_heading(f, RFT_IN_TEXT, 2, "ladder at %s", name);
    add_rung_table(f, &l);
    return f;
}

/* "naive 8.0 ms; tiles 4.1x; swizzled 1.02x (a tie)"; *largest: the rung of the step that wins most, with the one
 * before it. */
static const char *rungs_line(const ladder *l, const rft_point *largest[2]) {
    size_t *variants = NULL, count = rungs_of(l, l->shown, &variants), told = 0;
    double most = 1.0;
    const rft_point *before = NULL;
    rft_str text = RFT_STR_INIT;
    for (size_t r = 0; r < count; r++) {
        const rft_point *point = rung(l, l->shown, variants[r]);
        const rft_point_gain gain = point && before ? rft_point_gain_of(before, point) : (rft_point_gain){0};
        bool tie = point && before && is_tie(l, before, point, &gain);
        if (!point) {
            continue;
        }
        if (told++ < RUNGS_ALONE) {
            rft_str_addf(&text, "%s%s %s%s", before ? "; " : "", l->sweep->variants[variants[r]].name,
                         before ? rft_figure_ratio(l->arena, gain.ratio)
                                : rft_figure_si(l->arena, rft_point_median_s(point), "s"),
                         tie ? " (a tie)" : "");
        }
        if (before && !tie && gain.ratio > most) {
            most = gain.ratio;
            largest[0] = before;
            largest[1] = point;
        }
        before = point;
    }
    if (told > RUNGS_ALONE) {
        rft_str_addf(&text, "; %zu more", told - RUNGS_ALONE);
    }
    const char *kept = rft_arena_strdup(l->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

const char *rft_finding_ladder_line(const rft_run *run, size_t sweep, rft_arena *arena) {
    ladder l = {.run = run, .arena = arena, .sweep = &run->sweeps[sweep].sweep, .index = sweep};
    const rft_point *largest[2] = {NULL, NULL};
    l.shown = rft_counted_ladder(run, sweep);
    if (l.sweep->variant_count < 2 || l.shown == SIZE_MAX || !rung(&l, l.shown, SIZE_MAX)) {
        return NULL;
    }
    const char *rungs = rungs_line(&l, largest), *problem = rft_run_problem_text(run, sweep, l.shown, true, arena);
    const rft_point_gain all = rft_point_gain_of(first_rung(&l, l.shown), rung(&l, l.shown, SIZE_MAX));
    const char *why = largest[1] ? rft_ladder_change(run, largest[0], largest[1], arena) : NULL;
    return rft_arena_printf(arena, "Ladder%s%s, each over the one before: %s. In all %s.%s%s%s%s",
                            *problem ? " on " : "", problem, rungs, rft_figure_ratio(arena, all.ratio),
                            why ? " Explains the largest step, " : "",
                            why ? l.sweep->variants[largest[1]->variant].name : "", why ? ": " : "",
                            why ? rft_words_sentence(why, arena) : "");
}

rft_finding *rft_finding_ladder_problems(const rft_run *run, size_t sweep, bool all, rft_arena *arena) {
    ladder l = {.run = run, .arena = arena, .sweep = &run->sweeps[sweep].sweep, .index = sweep, .all = all};
    if (l.sweep->variant_count < 2) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    add_problems(f, &l);
    return f;
}
