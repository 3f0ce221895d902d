/* SPDX-License-Identifier: Apache-2.0 */
/* finding_compare_base.c - base and peak of the runs of a comparison, sweep by sweep (compare_findings.h). */
#include "base/str.h"
#include "reports/figures.h"
#include "reports/findings/compare_findings.h"
#include "reports/findings/findings.h"

#include <math.h>
#include <string.h>

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

/* Runs in one row: one, or of many all that are not told apart from the first. */
typedef struct together {
    const rft_compare_base *of; /* one a run of the comparison */
    const size_t *sides;
    size_t count;
} together;

static bool is_apart(const rft_compare_ratio *mean) {
    rft_compare_verdict verdict = rft_compare_mean_verdict(mean);
    return verdict == RFT_COMPARE_FASTER || verdict == RFT_COMPARE_SLOWER;
}

static bool goes_with_the_first(const rft_compare_base *first, const rft_compare_base *of) {
    return first->sweeps > 0 && of->sweeps > 0 && of->workloads == first->workloads && isfinite(of->peak.ratio) &&
           isfinite(of->speed.ratio) && isfinite(of->keeps.ratio) && !is_apart(&of->peak) && !is_apart(&of->speed);
}

/* "A", "A, C", "A to H" */
static const char *letters_text(const rft_compare *c, const together *t, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < t->count; i++) {
        size_t last = i;
        while (last + 1 < t->count && t->sides[last + 1] == t->sides[last] + 1) {
            last++;
        }
        rft_str_addf(&text, "%s%s", i ? ", " : "", rft_compare_letter(c, t->sides[i], arena));
        if (last > i + 1) {
            rft_str_addf(&text, " to %s", rft_compare_letter(c, t->sides[last], arena));
            i = last;
        }
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static const char *span_text(double low, double high, const char *(*figure)(rft_arena *, double), rft_arena *arena) {
    const char *from = figure(arena, low), *to = figure(arena, high);
    return strcmp(from, to) == 0 ? from : rft_arena_printf(arena, "%s to %s", from, to);
}

typedef enum figure_of { PEAK_OF, BASE_OF, KEEPS_OF } figure_of;

static const rft_compare_ratio *ratio_of(const rft_compare_base *of, figure_of what) {
    return what == PEAK_OF ? &of->peak : what == BASE_OF ? &of->speed : &of->keeps;
}

/* Of one run with its interval, of several the lowest and the highest. Of the first run the ratio to itself is 1. */
static const char *figure_text(const together *t, figure_of what, rft_arena *arena) {
    const rft_compare_ratio *own = ratio_of(&t->of[t->sides[0]], what);
    if (t->count == 1) {
        return what == KEEPS_OF ? rft_compare_kept_text(own, arena) : versus_text(own, t->sides[0], arena);
    }
    double low = INFINITY, high = -INFINITY;
    for (size_t i = what == KEEPS_OF ? 0 : 1; i < t->count; i++) {
        const double ratio = ratio_of(&t->of[t->sides[i]], what)->ratio;
        low = fmin(low, ratio);
        high = fmax(high, ratio);
    }
    return what == KEEPS_OF ? span_text(low, high, rft_figure_percent, arena)
                            : span_text(low, high, rft_figure_ratio, arena);
}

/* Of several runs the first's; ties take others by chance. */
static const char *configs_text(const rft_compare *c, const together *t, rft_arena *arena) {
    const rft_compare_base *own = &t->of[t->sides[0]];
    const char *first = config_text(c->sides[t->sides[0]].run, own->sweep, own->base.point, arena);
    size_t others = 0;
    for (size_t i = 1; i < t->count; i++) {
        const rft_compare_base *of = &t->of[t->sides[i]];
        others += strcmp(first, config_text(c->sides[t->sides[i]].run, of->sweep, of->base.point, arena)) != 0;
    }
    return others == 0 ? first
                       : rft_arena_printf(arena, "%s: %s; %zu of the others have another",
                                          rft_compare_letter(c, t->sides[0], arena), *first ? first : "nothing to tune",
                                          others);
}

/* Of the run that loses most. */
static const char *worst_text(const rft_compare *c, const together *t, rft_arena *arena) {
    size_t side = t->sides[0];
    for (size_t i = 1; i < t->count; i++) {
        side = t->of[t->sides[i]].base.worst_frac < t->of[side].base.worst_frac ? t->sides[i] : side;
    }
    const rft_compare_base *of = &t->of[side];
    return rft_arena_printf(arena, "%s at %s", rft_figure_percent(arena, of->base.worst_frac),
                            rft_run_problem_text(c->sides[side].run, of->sweep, of->base.worst_problem, true, arena));
}

static void add_row(rft_cell_table *table, const rft_compare *c, const char *sweep, const together *t, bool named) {
    rft_arena *arena = table->arena;
    const rft_compare_base *of = &t->of[t->sides[0]];
    rft_cell_row *row = rft_cell_table_row(table);
    const char *letters = letters_text(c, t, arena);
    row->rule = !named && table->row_count > 1;
    row->cells[SWEEP] = rft_datum_text(named ? NULL : sweep);
    row->cells[RUN] = rft_datum_text(letters);
    if (of->sweeps == 0) {
        row->cells[CONFIG] = rft_datum_text("none was measured at all its problems");
        row->cells[SAID] = rft_datum_text(
            rft_arena_printf(arena, "%s, %s: no configuration was measured at all its problems", letters, sweep));
        return;
    }
    const char *kept = figure_text(t, KEEPS_OF, arena), *worst = worst_text(c, t, arena),
               *config = configs_text(c, t, arena);
    row->cells[PROBLEMS] = rft_datum_count((int64_t)of->workloads);
    row->cells[PEAK] = rft_datum_text(figure_text(t, PEAK_OF, arena));
    row->cells[BASE] = rft_datum_text(figure_text(t, BASE_OF, arena));
    row->cells[KEEPS] = rft_datum_text(kept);
    row->cells[WORST] = rft_datum_text(worst);
    row->cells[CONFIG] = rft_datum_text(*config ? config : NULL);
    row->cells[SAID] = rft_datum_text(rft_arena_printf(arena, "%s, %s: %s of the speed, %s: %s", letters, sweep, kept,
                                                       worst, *config ? config : "nothing to tune"));
}

/* A row a run; of more than RFT_COMPARE_ROOMY one for all that are not told apart from the first, as equal cards are.
 * Whether any are together. */
static bool add_sweep(rft_cell_table *table, const rft_compare *c, size_t first, size_t end) {
    rft_compare_base *of = rft_arena_calloc(table->arena, c->side_count, sizeof *of);
    size_t *sides = rft_arena_calloc(table->arena, c->side_count, sizeof *sides);
    bool *taken = rft_arena_calloc(table->arena, c->side_count, sizeof *taken), named = false, any = false;
    for (size_t side = 0; side < c->side_count; side++) {
        of[side] = rft_compare_base_of(c, first, end, side);
        taken[side] = of[side].sweeps + of[side].lacking == 0;
    }
    for (size_t side = 0; side < c->side_count; side++) {
        together t = {.of = of, .sides = sides, .count = 1};
        sides[0] = side;
        for (size_t other = 1; side == 0 && c->side_count > RFT_COMPARE_ROOMY && other < c->side_count; other++) {
            if (!taken[0] && !taken[other] && goes_with_the_first(&of[0], &of[other])) {
                taken[other] = true;
                sides[t.count++] = other;
            }
        }
        if (!taken[side]) {
            add_row(table, c, c->workloads[first].sweep_name, &t, named);
            named = true;
        }
        any = any || t.count > 1;
    }
    return any;
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
    bool shared = false;
    for (size_t first = 0; first < c->workload_count; first = rft_compare_next_sweep(c, first)) {
        shared = add_sweep(table, c, first, rft_compare_next_sweep(c, first)) || shared;
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
    if (shared) {
        rft_finding_note(f, RFT_TO_PEOPLE,
                         "Runs that are not told apart from A share a row: the lowest and the highest of their "
                         "figures, the worst of all. Each run's own: --json.");
    }
    return f;
}
