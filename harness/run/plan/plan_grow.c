/* SPDX-License-Identifier: Apache-2.0 */
/* plan_grow.c - problems that are added to a plan while it is carried out (plan.h). */
#include "run/plan/plan.h"

#include <stdlib.h>
#include <string.h>

static size_t find_problem(const rft_sweep *sweep, const rft_value *values) {
    for (size_t p = 0; p < sweep->problem_count; p++) {
        if (rft_values_equal(sweep->problems[p].values, values, sweep->axis_count)) {
            return p;
        }
    }
    return SIZE_MAX;
}

/* A copy with one problem more: who holds the sweep of before, keeps that. */
static rft_sweep *with_problem(rft_arena *arena, const rft_sweep *sweep, const rft_problem *added) {
    rft_sweep *grown = rft_arena_memdup(arena, sweep, sizeof *sweep);
    grown->problems = rft_arena_calloc(arena, sweep->problem_count + 1, sizeof *grown->problems);
    memcpy(grown->problems, sweep->problems, sweep->problem_count * sizeof *sweep->problems);
    grown->problems[grown->problem_count++] = *added;
    return grown;
}

/* Makes the spaces of the last problem; those of the others move to where the longer list has them. */
static int grow_spaces(rft_plan *plan, size_t s, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[s];
    size_t count = sweep->problem_count, before = count - 1;
    rft_space **spaces = rft_calloc(sweep->variant_count * count + 1, sizeof *spaces);
    int rc = RFT_OK;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        memcpy(&spaces[v * count], &plan->spaces[s][v * before], before * sizeof *spaces);
    }
    free(plan->spaces[s]);
    plan->spaces[s] = spaces;
    for (size_t v = 0; v < sweep->variant_count && rc == RFT_OK; v++) {
        rft_space_opts opts = {0};
        rc = rft_space_new(&spaces[v * count + before], sweep, v, sweep->problems[before].values, &opts, err);
    }
    return rc == RFT_OK ? RFT_OK : rft_err_context(err, "sweep %s", sweep->name);
}

int rft_plan_add_problem(rft_plan *plan, size_t s, const rft_problem *problem, rft_plan_added *out, rft_err *err) {
    const rft_sweep *sweep = plan->sweeps[s];
    rft_err raised = RFT_ERR_INIT;
    rft_problem added = *problem;
    *out = (rft_plan_added){.problem = SIZE_MAX};
    added.values = rft_values_copy(plan->arena, problem->values, sweep->axis_count);
    int rc = sweep->vt->complete(sweep->self, added.values, plan->arena, &raised);
    if (rc == RFT_E_SCRIPT_STOPPED) {
        if (err) {
            *err = raised;
        }
        return rc;
    }
    if (rc != RFT_OK) {
        out->why = rft_arena_printf(plan->arena, "%s%s%s", raised.place, *raised.place ? ": " : "", raised.message);
        return RFT_OK;
    }
    if (find_problem(sweep, added.values) != SIZE_MAX) {
        return RFT_OK;
    }
    plan->sweeps[s] = with_problem(plan->arena, sweep, &added);
    out->problem = sweep->problem_count;
    return grow_spaces(plan, s, err);
}
