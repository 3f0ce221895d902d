/* SPDX-License-Identifier: Apache-2.0 */
#include "model/transition/refine.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include "base/str.h"

static void count_point(rft_counts *counts, const rft_problem *problem, const rft_point *point) {
    bool measured = rft_outcome_is_measured(point->outcome);
    counts->failed += point->outcome != RFT_OUTCOME_OK && point->alias_of == 0;
    if (problem->odd) {
        counts->odd_checked++;
        counts->odd_measured += measured;
        counts->odd_passed += point->verification.done && measured;
        return;
    }
    if (point->alias_of != 0) {
        counts->aliases++;
        return;
    }
    counts->points++;
    counts->refined += problem->refined > 0;
    counts->outcomes[point->outcome]++;
    switch (point->outcome) {
    case RFT_OUTCOME_OK:
    case RFT_OUTCOME_NOISY:
        counts->measured++;
        counts->verified += point->verification.done;
        /* fall through */
    case RFT_OUTCOME_WRONG_RESULT:
        counts->ran++;
        /* fall through */
    case RFT_OUTCOME_LAUNCH_FAILED:
    case RFT_OUTCOME_TIMED_OUT:
    case RFT_OUTCOME_CRASHED:
        counts->compiled++;
        break;
    default:
        break;
    }
}

rft_counts rft_counts_of(const rft_run *run, size_t sweep) {
    const rft_run_sweep *kept = &run->sweeps[sweep];
    rft_counts counts = {.refined_problems = rft_refine_added(&kept->sweep)};
    for (size_t at = 0; at < kept->sweep.variant_count * kept->sweep.problem_count; at++) {
        const rft_problem *problem = &kept->sweep.problems[at % kept->sweep.problem_count];
        bool in_grid = !problem->odd && problem->refined == 0;
        counts.cartesian += kept->cartesian && in_grid ? kept->cartesian[at] : 0;
        counts.valid += kept->valid && in_grid ? kept->valid[at] : 0;
    }
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == sweep) {
            count_point(&counts, &kept->sweep.problems[point->problem], point);
        }
    }
    return counts;
}

/* ---- the finding ---- */

static void add_data(rft_finding *f, const rft_counts *counts) {
    for (int outcome = 0; outcome < RFT_OUTCOME_COUNT; outcome++) {
        rft_finding_set(f, rft_outcome_name((rft_outcome)outcome), rft_datum_count((int64_t)counts->outcomes[outcome]));
    }
    rft_finding_set(f, "aliases", rft_datum_count((int64_t)counts->aliases));
    rft_finding_set(f, "checked_on_odd_size", rft_datum_count((int64_t)counts->odd_checked));
    rft_finding_set(f, "failed_on_odd_size", rft_datum_count((int64_t)(counts->odd_checked - counts->odd_measured)));
    rft_finding_set(f, "refined_problems", rft_datum_count((int64_t)counts->refined_problems));
    rft_finding_set(f, "refined", rft_datum_count((int64_t)counts->refined));
    rft_finding_set(f, "cartesian", rft_datum_count((int64_t)counts->cartesian));
    rft_finding_set(f, "valid", rft_datum_count((int64_t)counts->valid));
}

static void add_page_table(rft_finding *f, const rft_run_sweep *kept, const rft_counts *counts) {
    static const rft_trait columns[] = {
        {.title = "all combinations", .align = RFT_ALIGN_RIGHT},  {.title = "valid", .align = RFT_ALIGN_RIGHT},
        {.title = "taken up", .align = RFT_ALIGN_RIGHT},          {.title = "aliases", .align = RFT_ALIGN_RIGHT},
        {.title = "compiled", .align = RFT_ALIGN_RIGHT},          {.title = "ran", .align = RFT_ALIGN_RIGHT},
        {.title = "verified", .align = RFT_ALIGN_RIGHT},          {.title = "measured", .align = RFT_ALIGN_RIGHT},
        {.title = "odd problem passed", .align = RFT_ALIGN_RIGHT}};
    const size_t known[] = {counts->points, counts->aliases,  counts->compiled,
                            counts->ran,    counts->verified, counts->measured};
    rft_cell_table *table = rft_finding_table(f, NULL, columns, sizeof columns / sizeof *columns);
    table->where = RFT_ON_PAGE;
    rft_datum *cells = rft_cell_table_row(table)->cells;
    cells[0] = kept->cartesian ? rft_datum_count((int64_t)counts->cartesian) : rft_datum_absent();
    cells[1] = kept->valid ? rft_datum_count((int64_t)counts->valid) : rft_datum_absent();
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        cells[2 + i] = rft_datum_count((int64_t)known[i]);
    }
    cells[8] = rft_datum_text(counts->odd_checked
                                  ? rft_arena_printf(f->arena, "%zu of %zu", counts->odd_passed, counts->odd_checked)
                                  : "none checked");
}

/* "36 points: 30 ok, 6 skipped; 2 more are aliases (same cubin and launch)" */
static const char *count_line(const rft_counts *counts, rft_arena *arena) {
    rft_str line = RFT_STR_INIT;
    rft_str_addf(&line, "%s%s", rft_words_plural(counts->points, "point", "points", arena), counts->points ? ":" : "");
    const char *separator = " ";
    for (int outcome = 0; outcome < RFT_OUTCOME_COUNT; outcome++) {
        if (counts->outcomes[outcome]) {
            rft_str_addf(&line, "%s%s %s", separator, rft_figure_count(arena, counts->outcomes[outcome]),
                         rft_outcome_name((rft_outcome)outcome));
            separator = ", ";
        }
    }
    if (counts->aliases) {
        rft_str_addf(&line, "; %s more are aliases (same cubin and launch)", rft_figure_count(arena, counts->aliases));
    }
    if (counts->odd_checked) {
        rft_str_addf(&line, "; %s checked on an odd size, %s failed", rft_figure_count(arena, counts->odd_checked),
                     rft_figure_count(arena, counts->odd_checked - counts->odd_measured));
    }
    if (counts->cartesian) {
        rft_str_addf(&line, "; %s of %s combinations are valid", rft_figure_count(arena, counts->valid),
                     rft_figure_count(arena, counts->cartesian));
    }
    if (counts->refined_problems) {
        rft_str_addf(&line, "; %s of the points are on %s that refine() added",
                     rft_figure_count(arena, counts->refined),
                     rft_words_plural(counts->refined_problems, "problem", "problems", arena));
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&line));
    rft_str_clear(&line);
    return kept;
}

const char *rft_counts_text(const rft_run *run, size_t sweep, rft_arena *arena) {
    const rft_counts counts = rft_counts_of(run, sweep);
    return count_line(&counts, arena);
}

rft_finding *rft_finding_counts(const rft_run *run, size_t sweep, rft_arena *arena) {
    const rft_run_sweep *kept = &run->sweeps[sweep];
    rft_counts counts = rft_counts_of(run, sweep);
    rft_finding *f = rft_finding_new(arena);
    add_data(f, &counts);
    add_page_table(f, kept, &counts);
    rft_finding_body(f, RFT_IN_TEXT, "%s", count_line(&counts, arena));
    if (counts.aliases > 0) {
        rft_finding_note(
            f, RFT_ON_PAGE,
            "Aliases have the same machine code and launch as another configuration; they are measured once.");
    }
    if (counts.failed == 0 && counts.points > 0) {
        rft_finding_note(f, RFT_ON_PAGE, "Every point that was taken up was measured; none failed, none was noisy.");
    }
    if (counts.points + counts.odd_checked + counts.aliases == 0) {
        rft_finding_note(f, RFT_ON_PAGE, "No configuration was taken up.");
    }
    rft_finding_join(f, rft_finding_unverified(run, sweep, arena));
    const char *objective = rft_objective_text(kept->sweep.search.objective);
    if (objective) {
        rft_finding_note(f, RFT_TO_PEOPLE, "The objective is not time: %s.", objective);
    }
    if (kept->sweep.diagnostic == 1) {
        rft_finding_note(f, RFT_TO_PEOPLE,
                         "Diagnostic: it explains the card and is no workload; no summary counts it.");
    }
    if (kept->unexplored) {
        rft_finding_note(f, RFT_TO_PEOPLE, "Not every valid configuration was tried: %s.", kept->unexplored);
    }
    return f;
}
