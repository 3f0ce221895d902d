/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/placement.h"
#include "model/run/baseline.h"
#include "model/stats/interval_text.h"
#include "model/transition/refine.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include <math.h>
#include <string.h>

enum {
    PROBLEM,
    NAME,
    WHICH,
    LABEL,
    PROTOCOL,
    PROBLEM_DATA,
    OUTCOME,
    REASON,
    LIBRARY,
    ALGORITHM,
    TRIED,
    SOURCE,
    MEDIAN,
    LOW,
    HIGH,
    REPEAT_LOW,
    REPEAT_HIGH,
    PROCESSES,
    SAMPLES,
    CACHE,
    CLOCK,
    VERIFIED,
    WORST,
    RMS,
    INTERVAL,
    RATE,
    FRAC,
    FRAC_LOW,
    FRAC_HIGH,
    TIE,
    RANGE,
    VERDICT,
    FIELDS
};

static const rft_trait fields[FIELDS] = {
    [PROBLEM] = {.title = "Problem", .wraps = true},
    [NAME] = {.key = "name"},
    [WHICH] = {.key = "which"},
    [LABEL] = {.key = "label", .title = "Baseline", .wraps = true, .below = true},
    [PROTOCOL] = {.key = "protocol"},
    [PROBLEM_DATA] = {.key = "problem"},
    [OUTCOME] = {.key = "outcome"},
    [REASON] = {.key = "reason"},
    [LIBRARY] = {.key = "library"},
    [ALGORITHM] = {.key = "algorithm"},
    [TRIED] = {.key = "tried"},
    [SOURCE] = {.key = "source"},
    [MEDIAN] = {.key = "median_s", .title = "Median", .style = RFT_AS_SI, .unit = "s", .align = RFT_ALIGN_RIGHT},
    [LOW] = {.key = "low_s"},
    [HIGH] = {.key = "high_s"},
    [REPEAT_LOW] = {.key = "repeat_low_s"},
    [REPEAT_HIGH] = {.key = "repeat_high_s"},
    [PROCESSES] = {.key = "processes"},
    [SAMPLES] = {.key = "samples"},
    [CACHE] = {.key = "cache"},
    [CLOCK] = {.key = "clock_mhz"},
    [VERIFIED] = {.key = "verified"},
    [WORST] = {.key = "worst_frac"},
    [RMS] = {.key = "rms_frac"},
    [INTERVAL] = {.title = "95 %", .align = RFT_ALIGN_RIGHT},
    [RATE] = {.title = "Useful rate", .style = RFT_AS_SI, .align = RFT_ALIGN_RIGHT},
    [FRAC] = {.key = "best_frac",
              .title = "Best",
              .brief = "the best is",
              .unit = "% of it",
              .style = RFT_AS_PERCENT,
              .text_digits = 1,
              .align = RFT_ALIGN_DECIMAL},
    [FRAC_LOW] = {.key = "best_frac_low"},
    [FRAC_HIGH] = {.key = "best_frac_high"},
    [TIE] = {.key = "tie"},
    [RANGE] = {.title = "between", .where = RFT_ON_PAGE, .unit = "%", .headed = true, .align = RFT_ALIGN_RIGHT},
    [VERDICT] = {.title = "Verdict", .wraps = true},
};

static const char *verdict_text(const rft_versus *versus, const rft_point *best, const rft_baseline *baseline,
                                rft_arena *arena) {
    if (!rft_baseline_is_measured(baseline)) {
        return rft_outcome_name(baseline->outcome);
    }
    if (isnan(versus->frac)) {
        return "nothing to compare";
    }
    if (!baseline->same_protocol) {
        return "not judged";
    }
    const char *verdict = versus->tie ? "a tie" : versus->frac > 1 ? "faster" : "slower";
    const rft_verification *own = &best->verification, *its = &baseline->verification;
    return rft_errors_larger(own, its)   ? rft_arena_printf(arena, "%s, less exact", verdict)
           : rft_errors_larger(its, own) ? rft_arena_printf(arena, "%s, more exact", verdict)
                                         : verdict;
}

/* Where it is from, and why it is missing or rough; NULL. */
static const char *note_text(const rft_baseline *baseline, rft_arena *arena) {
    const char *note = NULL;
    if (baseline->library) {
        note = rft_arena_printf(arena, "%s%s%s.", baseline->library, baseline->algo ? ": " : "",
                                baseline->algo ? baseline->algo : "");
    } else if (baseline->source) {
        note = rft_arena_printf(arena, "Imported, measured by another protocol: %s.", baseline->source);
    }
    if (baseline->reason) {
        const char *why = rft_arena_printf(arena, "%s: %s.", rft_outcome_name(baseline->outcome), baseline->reason);
        note = note ? rft_arena_printf(arena, "%s %s", note, why) : why;
    }
    return note;
}

/* What was measured of it, and of the best beside it; by the work of the best: a baseline answers the same problem. */
static void add_figures(rft_datum *cells, const rft_run *run, const rft_point *best, const rft_baseline *baseline,
                        const rft_versus *versus, rft_arena *arena) {
    const rft_measurement *m = &baseline->measurement;
    cells[LOW] = rft_datum_number(m->stats.low);
    cells[HIGH] = rft_datum_number(m->stats.high);
    bool known = rft_repeat_is_known(&m->repeat);
    cells[REPEAT_LOW] = rft_datum_number(known ? m->repeat.repeat_low : (double)NAN);
    cells[REPEAT_HIGH] = rft_datum_number(known ? m->repeat.repeat_high : (double)NAN);
    cells[PROCESSES] = m->process_count ? rft_datum_count((int64_t)m->process_count) : rft_datum_absent();
    cells[SAMPLES] = m->n ? rft_datum_count((int64_t)m->n) : rft_datum_absent();
    cells[CACHE] = rft_datum_text(m->n ? rft_protocol_name(m->cache, m->mode) : NULL);
    cells[CLOCK] = rft_datum_number(m->clock_mhz);
    cells[MEDIAN] = rft_datum_number(m->stats.median);
    cells[RATE] = rft_datum_absent();
    if (!rft_baseline_is_measured(baseline)) {
        return;
    }
    rft_interval_text time = /* an imported one's, too */
        rft_interval_text_of(m->stats.median, m->stats.low, m->stats.high, 0.0, "s", arena);
    cells[MEDIAN].words = time.value;
    cells[INTERVAL] = time.interval ? rft_datum_text(time.interval) : rft_datum_absent();
    if (best) {
        rft_placement place = rft_placement_of(run, best);
        cells[RATE] =
            rft_datum_rate(rft_rate_of(&place) * rft_point_median_s(best) / m->stats.median, rft_rate_unit(&place));
    }
    cells[FRAC] = rft_datum_number(versus->frac);
    cells[FRAC_LOW] = rft_datum_number(versus->low);
    cells[FRAC_HIGH] = rft_datum_number(versus->high);
    cells[RANGE] = isfinite(versus->low) && isfinite(versus->high)
                       ? rft_datum_text(rft_arena_printf(arena, "%s to %s", rft_figure_percent_bare(arena, versus->low),
                                                         rft_figure_percent_bare(arena, versus->high)))
                       : rft_datum_absent();
}

/* `first`: of its problem. */
static void add_baseline(rft_cell_table *table, const rft_run *run, const rft_baseline *baseline, bool first) {
    const rft_point *best = rft_run_best(run, baseline->sweep, SIZE_MAX, baseline->problem);
    const rft_verification *check = &baseline->verification;
    rft_versus versus = rft_versus_of(run, best, baseline);
    rft_arena *arena = table->arena;
    rft_cell_row *row = rft_cell_table_row(table);
    rft_datum *cells = row->cells;
    row->rule = first && table->row_count > 1;
    if (first) {
        cells[PROBLEM] = rft_datum_text(rft_run_problem_text(run, baseline->sweep, baseline->problem, true, arena));
    }
    cells[NAME] = rft_datum_text(baseline->name);
    cells[WHICH] = rft_datum_text(baseline->which);
    cells[LABEL] = rft_datum_noted(rft_datum_text(rft_baseline_label(baseline, arena)), note_text(baseline, arena));
    cells[PROTOCOL] = rft_datum_text(baseline->same_protocol ? "same" : "other");
    cells[PROBLEM_DATA] =
        rft_datum_finding(rft_finding_problem(&run->sweeps[baseline->sweep].sweep, baseline->problem, arena));
    cells[OUTCOME] = rft_datum_text(rft_outcome_name(baseline->outcome));
    cells[REASON] = rft_datum_text(baseline->reason);
    cells[LIBRARY] = rft_datum_text(baseline->library);
    cells[ALGORITHM] = rft_datum_text(baseline->algo);
    cells[SOURCE] = rft_datum_text(baseline->source);
    add_figures(cells, run, best, baseline, &versus, arena);
    if (baseline->same_protocol) {
        cells[TRIED] = rft_datum_count(baseline->tried);
        cells[VERIFIED] = rft_datum_flag(check->done);
        cells[TIE] = isfinite(versus.frac) ? rft_datum_flag(versus.tie) : rft_datum_absent();
    }
    cells[WORST] = rft_datum_number(check->done ? check->worst_frac : (double)NAN);
    cells[RMS] = rft_datum_number(check->done ? check->rms_frac : (double)NAN);
    cells[VERDICT] = rft_datum_text(verdict_text(&versus, best, baseline, arena));
}

/* ---- without the table: where they are from, and why some are missing ---- */

static void say_once(rft_finding *f, const char *text) {
    for (size_t i = 0; i < f->item_count; i++) {
        if (f->items[i].kind == RFT_ITEM_SENTENCE && rft_text_equal(f->items[i].text, text)) {
            return;
        }
    }
    rft_finding_note(f, RFT_IN_BRIEF, "%s", text);
}

/* With its problem, unless others say the same. */
static void add_reason(rft_finding *f, const rft_run *run, const rft_baseline *const *all, size_t count, size_t at) {
    const rft_baseline *baseline = all[at];
    const char *where = rft_run_problem_text(run, baseline->sweep, baseline->problem, true, f->arena);
    size_t same = 0;
    for (size_t k = 0; k < count; k++) {
        same += rft_text_equal(all[k]->reason, baseline->reason) && strcmp(all[k]->name, baseline->name) == 0;
    }
    bool alone = same == 1 && *where;
    say_once(f, rft_arena_printf(f->arena, "%s%s%s: %s", alone ? where : "", alone ? ", " : "", baseline->name,
                                 baseline->reason));
}

static void add_brief(rft_finding *f, const rft_run *run, const rft_baseline *const *all, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *from = all[i]->library ? all[i]->library : all[i]->source;
        if (from) {
            say_once(f, rft_arena_printf(f->arena, "%s: %s %s", all[i]->name, all[i]->library ? "with" : "from", from));
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (all[i]->reason) {
            add_reason(f, run, all, count, i);
        }
    }
}

/* ---- the findings ---- */

static size_t of_sweep(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena, const rft_baseline ***out) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    const size_t *order = rft_refine_order(data, arena);
    size_t count = 0;
    *out = rft_arena_calloc(arena, run->baseline_count + 1, sizeof **out);
    for (size_t p = 0; p < data->problem_count; p++) {
        const rft_baseline **found = NULL;
        bool wanted = problem == SIZE_MAX || problem == order[p];
        size_t more = wanted ? rft_run_baselines(run, sweep, order[p], arena, &found) : 0;
        for (size_t i = 0; i < more; i++) {
            (*out)[count++] = found[i];
        }
    }
    return count;
}

static const char how[] =
    "a library is measured in this run as the configurations are: the same inputs and reference, the same cache, clock "
    "stamps, events and stopping rule, in the final round. \"first heuristic\" is what a caller gets that does not "
    "search, \"best\" the fastest of the library's own list. The best configuration's rate is given over the "
    "baseline's; the range follows from the intervals of both.";

rft_finding *rft_finding_baselines(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena) {
    const rft_baseline **all = NULL;
    size_t count = of_sweep(run, sweep, problem, arena, &all);
    bool foreign = false;
    rft_finding *f = rft_finding_new(arena);
    for (size_t i = 0; i < count; i++) {
        foreign = foreign || !all[i]->same_protocol;
    }
    if (count) {
        rft_finding_heading(f, RFT_TO_PEOPLE, 2, "Beside the baselines");
        rft_finding_note(f, RFT_IN_FULL, "%s", how);
        rft_finding_legend(f, rft_arena_printf(arena, "Baselines: %s", how));
    }
    if (foreign) {
        rft_finding_note(f, RFT_ON_PAGE | RFT_IN_FULL,
                         "\"other protocol\" marks numbers that were imported: how they were taken is not known here, "
                         "and nothing is judged by them.");
    }
    rft_cell_table *table = rft_finding_table(f, "", fields, FIELDS);
    table->where = RFT_ON_PAGE | RFT_IN_FULL | RFT_IN_DATA;
    for (size_t i = 0; i < count; i++) {
        add_baseline(table, run, all[i], i == 0 || all[i]->problem != all[i - 1]->problem);
    }
    add_brief(f, run, all, count);
    return f;
}

rft_finding *rft_finding_baseline(const rft_run *run, const rft_baseline *baseline, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    add_baseline(rft_finding_table(f, "", fields, FIELDS), run, baseline, true);
    return f;
}
