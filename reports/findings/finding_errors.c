/* SPDX-License-Identifier: Apache-2.0 */
/* How exact results are beside a library's: the largest error and the root mean square. */
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include "model/run/baseline.h"
#include "model/transition/refine.h"

#include <math.h>
#include <string.h>

enum { PROBLEM, PROBLEM_DATA, WHO, MOST, RMS, OVER, MOST_OVER, RMS_OVER, AS_EXACT, VERDICT, FIELDS };

static const rft_trait fields[FIELDS] = {
    [PROBLEM] = {.title = "Problem", .wraps = true},
    [PROBLEM_DATA] = {.key = "problem"},
    [WHO] = {.key = "computed_by", .title = "Computed by", .wraps = true},
    [MOST] = {.key = "largest_error", .title = "Largest error", .align = RFT_ALIGN_RIGHT},
    [RMS] = {.key = "rms_error", .title = "RMS", .align = RFT_ALIGN_RIGHT},
    [OVER] = {.key = "over"},
    [MOST_OVER] = {.key = "largest_over", .title = "Largest / its", .style = RFT_AS_RATIO, .align = RFT_ALIGN_RIGHT},
    [RMS_OVER] = {.key = "rms_over", .title = "RMS / its", .style = RFT_AS_RATIO, .align = RFT_ALIGN_RIGHT},
    [AS_EXACT] = {.key = "as_exact"},
    [VERDICT] = {.title = "Verdict"},
};

static bool is_verified(const rft_baseline *baseline) {
    return baseline->same_protocol && rft_baseline_is_measured(baseline) &&
           rft_errors_of(&baseline->verification).rms > 0;
}

/* The sweep's first baseline that was verified here; NULL. */
static const rft_baseline *yardstick_of(const rft_baseline *const *all, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (is_verified(all[i])) {
            return all[i];
        }
    }
    return NULL;
}

typedef struct errors_told {
    const rft_run *run;
    size_t sweep;
    rft_arena *arena;
    rft_cell_table *table;
    const rft_baseline *yardstick; /* of the problem */
} errors_told;

static rft_datum error_cell(double error, rft_arena *arena) {
    return rft_datum_said(rft_datum_number(error), rft_figure_small(arena, error, 2));
}

static rft_datum *new_row(const errors_told *t, const char *who, const rft_errors *own) {
    rft_datum *cells = rft_cell_table_row(t->table)->cells;
    const rft_sweep *data = &t->run->sweeps[t->sweep].sweep;
    cells[PROBLEM_DATA] = rft_datum_finding(rft_finding_problem(data, t->yardstick->problem, t->arena));
    cells[WHO] = rft_datum_text(who);
    cells[MOST] = error_cell(own->most, t->arena);
    cells[RMS] = error_cell(own->rms, t->arena);
    cells[OVER] = rft_datum_text(t->yardstick->name);
    return cells;
}

static void add_compared(const errors_told *t, const char *who, const rft_verification *check) {
    rft_errors own = rft_errors_of(check), its = rft_errors_of(&t->yardstick->verification);
    if (!rft_errors_comparable(&own, &its)) {
        return;
    }
    double most = own.most / its.most, rms = own.rms / its.rms;
    bool as_exact = most <= 1 && rms <= 1;
    rft_datum *cells = new_row(t, who, &own);
    cells[MOST_OVER] = rft_datum_number(most);
    cells[RMS_OVER] = rft_datum_number(rms);
    cells[AS_EXACT] = rft_datum_flag(as_exact);
    cells[VERDICT] = rft_datum_text(as_exact ? "as exact" : most > 1 && rms > 1 ? "less exact" : "mixed");
}

/* The yardstick's own line, which the others follow. */
static void begin_problem(const errors_told *t) {
    rft_errors its = rft_errors_of(&t->yardstick->verification);
    size_t before = t->table->row_count;
    rft_datum *cells = new_row(t, rft_baseline_label(t->yardstick, t->arena), &its);
    cells[PROBLEM] = rft_datum_text(rft_run_problem_text(t->run, t->sweep, t->yardstick->problem, true, t->arena));
    t->table->rows[before].rule = before > 0;
}

static bool is_notable(const errors_told *t, const rft_verification *check) {
    const rft_verification *its = &t->yardstick->verification;
    return rft_errors_larger(check, its) || rft_errors_larger(its, check);
}

/* Other libraries, and each variant's best: all of them, where one is notable. */
static void add_errors_of(errors_told *t, size_t problem) {
    const rft_sweep *data = &t->run->sweeps[t->sweep].sweep;
    const rft_baseline **all = NULL;
    size_t count = rft_run_baselines(t->run, t->sweep, problem, t->arena, &all), told = 0;
    const char **who = rft_arena_calloc(t->arena, count + data->variant_count + 1, sizeof *who);
    const rft_verification **checks = rft_arena_calloc(t->arena, count + data->variant_count + 1, sizeof *checks);
    bool notable = false;
    t->yardstick = yardstick_of(all, count);
    for (size_t i = 0; t->yardstick && i < count + data->variant_count; i++) {
        const rft_point *best = i < count ? NULL : rft_run_best(t->run, t->sweep, i - count, problem);
        if (best) {
            who[told] = data->variants[i - count].name;
            checks[told++] = &best->verification;
        } else if (i < count && is_verified(all[i]) && strcmp(all[i]->name, t->yardstick->name) != 0) {
            who[told] = rft_baseline_label(all[i], t->arena);
            checks[told++] = &all[i]->verification;
        }
    }
    for (size_t i = 0; i < told; i++) {
        notable = notable || is_notable(t, checks[i]);
    }
    if (notable) {
        begin_problem(t);
    }
    for (size_t i = 0; notable && i < told; i++) {
        add_compared(t, who[i], checks[i]);
    }
}

rft_finding *rft_finding_errors(const rft_run *run, size_t sweep, rft_arena *arena) {
    const size_t *order = rft_refine_order(&run->sweeps[sweep].sweep, arena);
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_TO_PEOPLE, 2, "How exact");
    rft_finding_note(f, RFT_TO_PEOPLE,
                     "Errors |o - r| of each variant's best over |r| + the mean |r|, r by the reference. \"as exact\": "
                     "neither the largest nor the root mean square (RMS) is above that of the library in the problem's "
                     "first line.");
    errors_told t = {.run = run, .sweep = sweep, .arena = arena, .table = rft_finding_table(f, "", fields, FIELDS)};
    for (size_t i = 0; i < run->sweeps[sweep].sweep.problem_count; i++) {
        add_errors_of(&t, order[i]);
    }
    return t.table->row_count > 0 ? f : NULL;
}
