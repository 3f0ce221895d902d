/* SPDX-License-Identifier: Apache-2.0 */
/* placement_sustained.c - burst and sustained are two numbers, each under the ceiling of the same kind (bound.h). */
#include "model/roofline/amount.h"
#include "model/roofline/bound.h"

#include <math.h>

double rft_point_sustained_s(const rft_point *point) {
    const rft_load *soak = point->loads[RFT_LOAD_SOAK];
    return soak && !soak->reason ? soak->stats.median : (double)NAN;
}

bool rft_point_sags(const rft_point *point) {
    double ratio = rft_point_sustained_s(point) / rft_point_median_s(point);
    return fabs(ratio - 1.0) > RFT_LOAD_APART_FRAC; /* false for NaN */
}

size_t rft_run_largest(const rft_run *run, size_t sweep) {
    size_t largest = SIZE_MAX;
    double longest_s = 0.0;
    for (size_t p = 0; p < run->sweeps[sweep].sweep.problem_count; p++) {
        const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, p);
        if (best && rft_point_median_s(best) > longest_s) {
            largest = p;
            longest_s = rft_point_median_s(best);
        }
    }
    return largest;
}

rft_ceiling_id rft_placement_ceiling(const rft_run *run, const rft_point *point, const rft_placement *place) {
    return place->roof == RFT_RESOURCE_DRAM   ? rft_bound_dram_ceiling(&run->ceilings, rft_work_read_frac(&point->work))
           : place->roof == RFT_RESOURCE_L2   ? RFT_CEILING_L2_READ
           : place->roof == RFT_RESOURCE_PIPE ? rft_amount_pipe_ceiling(place->roof_pipe)
                                              : RFT_CEILING_COUNT;
}

/* Where no sustained rate is known the burst rate stands for it, so that the roof can be found; if that is the roof
 * itself, nothing is told. */
rft_placement rft_placement_sustained(const rft_run *run, const rft_point *point) {
    rft_run sustained = *run;
    rft_point soaked = *point;
    const rft_load *soak = point->loads[RFT_LOAD_SOAK];
    const rft_measurement *burst = rft_point_measurement(point);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        rft_ceiling *ceiling = &sustained.ceilings.items[id];
        ceiling->stats = ceiling->sustained.n > 0 ? ceiling->sustained : ceiling->stats;
    }
    for (int round = 0; round < RFT_ROUNDS; round++) {
        soaked.rounds[round].cache = burst ? burst->cache : RFT_CACHE_COLD;
        soaked.rounds[round].n = soak ? soak->stats.n : 0;
        soaked.rounds[round].stats = soak ? soak->stats : rft_stats_of(NULL, 0);
    }
    rft_placement place = rft_placement_of(&sustained, &soaked);
    rft_ceiling_id roof = rft_placement_ceiling(&sustained, &soaked, &place);
    if (roof == RFT_CEILING_COUNT || run->ceilings.items[roof].sustained.n == 0) {
        place.roof_s = place.efficiency_frac = place.low_frac = place.high_frac = NAN;
    }
    return place;
}
