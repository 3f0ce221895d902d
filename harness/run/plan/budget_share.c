/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan/budget_share.h"

#include "model/transition/refine.h"

#include <math.h>

/* Those with a configuration on this device. */
static uint64_t segment_count(const rft_plan *plan, size_t s) {
    const rft_sweep *sweep = plan->sweeps[s];
    uint64_t count = 0;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        for (size_t p = 0; p < sweep->problem_count; p++) {
            count += !sweep->problems[p].odd && rft_space_count(rft_plan_space(plan, s, v, p)) > 0;
        }
    }
    return count;
}

rft_budget_share rft_budget_share_of_sweep(const rft_sweep *sweep) {
    const rft_search_opts *search = &sweep->search;
    return (rft_budget_share){.points = search->budget_points ? search->budget_points : UINT64_MAX,
                              .seconds = search->budget_s > 0 ? search->budget_s : (double)INFINITY,
                              .gpu_s = search->budget_gpu_s > 0 ? search->budget_gpu_s : (double)INFINITY};
}

rft_budget_share rft_budget_share_of_segment(const rft_plan *plan, size_t s) {
    const rft_sweep *sweep = plan->sweeps[s];
    rft_budget_share share = rft_budget_share_of_sweep(sweep);
    uint64_t parts = segment_count(plan, s);
    bool refines = rft_refine_is_asked(sweep);
    double grid_frac = refines ? 1 - RFT_REFINE_BUDGET_FRAC : 1;
    if (parts == 0) {
        return (rft_budget_share){UINT64_MAX, (double)INFINITY, (double)INFINITY};
    }
    if (share.points != UINT64_MAX) {
        uint64_t points = refines ? (uint64_t)ceil((double)share.points * grid_frac) : share.points;
        share.points = (points + parts - 1) / parts;
    }
    share.seconds = share.seconds * grid_frac / (double)parts;
    share.gpu_s = share.gpu_s * grid_frac / (double)parts;
    return share;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

uint64_t rft_budget_share_planned(const rft_plan *plan, size_t s, uint64_t *odd) {
    const rft_sweep *sweep = plan->sweeps[s];
    uint64_t each = rft_budget_share_of_segment(plan, s).points;
    uint64_t planned = 0;
    *odd = 0;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        uint64_t of_variant = 0;
        for (size_t p = 0; p < sweep->problem_count; p++) {
            uint64_t valid = rft_space_count(rft_plan_space(plan, s, v, p));
            of_variant += sweep->problems[p].odd ? 0 : least(each, valid);
        }
        planned += of_variant;
        const size_t odd_problem = rft_plan_odd_problem(plan, s, v);
        if (odd_problem != SIZE_MAX) {
            *odd += least(of_variant, rft_space_count(rft_plan_space(plan, s, v, odd_problem)));
        }
    }
    return planned;
}
