/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/placement.h"

#include "model/roofline/amount.h"

#include <math.h>

static double datasheet_of(const rft_ceilings *ceilings, rft_ceiling_id id) {
    return id < RFT_CEILING_COUNT ? ceilings->items[id].datasheet : NAN;
}

static double limit_of(const rft_ceilings *ceilings, rft_ceiling_id id) {
    return id < RFT_CEILING_COUNT ? ceilings->items[id].limit : NAN;
}

/* The roof: the longest of the times at measured ceilings. Without one when an amount whose ceiling was not measured
 * may take longer than that. */
static void find_roof(const rft_amount *amounts, size_t count, rft_placement *out) {
    for (size_t i = 0; i < count; i++) {
        double seconds = amounts[i].amount / amounts[i].rate;
        if (!isnan(seconds) && !(seconds <= out->roof_s)) {
            out->roof_s = seconds;
            out->roof = amounts[i].resource;
            out->roof_pipe = amounts[i].pipe;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (isnan(amounts[i].rate) && !(amounts[i].amount / amounts[i].least_rate <= out->roof_s)) {
            out->roof_s = NAN;
            out->roof = RFT_RESOURCE_UNKNOWN;
            out->roof_pipe = RFT_PIPE_COUNT;
            return;
        }
    }
}

/* The time that the ceilings allow at the point's own clock; NaN when that of one of them is not known. */
static double clock_seconds(const rft_amount *amounts, size_t count) {
    double longest_s = NAN;
    for (size_t i = 0; i < count; i++) {
        if (isnan(amounts[i].clock_rate) && !isnan(amounts[i].rate)) {
            return NAN;
        }
        longest_s = fmax(longest_s, amounts[i].amount / amounts[i].clock_rate);
    }
    return longest_s;
}

/* A launch costs its floor whatever it does, and the time that roof and clock allow comes on top. */
static double left_of(const rft_run *run, const rft_point *point, const rft_placement *place) {
    const rft_measurement *measurement = rft_point_measurement(point);
    bool below = !isnan(place->clock_frac) && rft_held_clock_of(run, point).below;
    double allowed_s = below ? place->clock_frac * measurement->stats.median : place->roof_s;
    double floor_s = rft_measurement_near_floor_s(measurement, &run->ceilings);
    return fmax(measurement->stats.median / (allowed_s + (isnan(floor_s) ? 0.0 : floor_s)), 1.0);
}

/* Against datasheet values: needs at least the value that the roof stands on. */
static double datasheet_frac(const rft_run *run, const rft_amount *amounts, size_t count,
                             const rft_placement *placement, double median_s) {
    double longest_s = NAN;
    bool roof_known = false;
    for (size_t i = 0; i < count; i++) {
        double seconds = amounts[i].amount / datasheet_of(&run->ceilings, amounts[i].ceiling);
        if (isnan(seconds)) {
            continue;
        }
        longest_s = fmax(longest_s, seconds);
        roof_known = roof_known || (amounts[i].resource == placement->roof && amounts[i].pipe == placement->roof_pipe);
    }
    return roof_known ? longest_s / median_s : NAN;
}

static double limit_seconds(const rft_run *run, const rft_point *point, const rft_amount *amounts, size_t count,
                            rft_cache_mode cache) {
    rft_ceiling_id dram = rft_bound_dram_ceiling(&run->ceilings, rft_work_read_frac(&point->work));
    double longest_s = NAN;
    if (rft_work_bytes(&point->work) > 0.0) {
        longest_s = rft_amount_certain_dram_bytes(run, &point->work, cache) / limit_of(&run->ceilings, dram);
    }
    for (size_t i = 0; i < count; i++) {
        if (amounts[i].resource == RFT_RESOURCE_PIPE) {
            longest_s = fmax(longest_s, amounts[i].amount / limit_of(&run->ceilings, amounts[i].ceiling));
        }
    }
    return longest_s;
}

rft_placement rft_placement_of(const rft_run *run, const rft_point *point) {
    rft_placement out = {.rate_bytes_s = NAN,
                         .rate_ops_s = NAN,
                         .intensity = NAN,
                         .roof_s = NAN,
                         .efficiency_frac = NAN,
                         .low_frac = NAN,
                         .high_frac = NAN,
                         .clock_frac = NAN,
                         .left_factor = NAN,
                         .roof = RFT_RESOURCE_UNKNOWN,
                         .roof_pipe = RFT_PIPE_COUNT,
                         .datasheet_frac = NAN,
                         .limit_s = NAN};
    const rft_measurement *measurement = rft_point_measurement(point);
    if (measurement == NULL || !(measurement->stats.median > 0.0)) {
        return out;
    }
    const rft_stats *stats = &measurement->stats;
    double bytes = rft_work_bytes(&point->work);
    rft_pipe pipe = rft_work_main_pipe(&point->work);
    if (bytes > 0.0) {
        out.rate_bytes_s = bytes / stats->median;
    }
    if (pipe != RFT_PIPE_COUNT) {
        out.rate_ops_s = point->work.pipe_ops[pipe] / stats->median;
        out.intensity = bytes > 0.0 ? point->work.pipe_ops[pipe] / bytes : NAN;
    }
    rft_amount amounts[RFT_AMOUNTS_MAX];
    size_t count = rft_amounts_of_work(run, point, amounts);
    find_roof(amounts, count, &out);
    out.efficiency_frac = out.roof_s / stats->median;
    out.low_frac = out.roof_s / stats->high;
    out.high_frac = out.roof_s / stats->low;
    out.clock_frac = isnan(out.roof_s) ? (double)NAN : clock_seconds(amounts, count) / stats->median;
    out.left_factor = isnan(out.roof_s) ? (double)NAN : left_of(run, point, &out);
    out.datasheet_frac = datasheet_frac(run, amounts, count, &out, stats->median);
    out.limit_s = limit_seconds(run, point, amounts, count, measurement->cache);
    return out;
}

bool rft_placement_is_impossible(const rft_placement *place, double time_s) {
    return time_s * (1.0 + RFT_LIMIT_KNOWN_FRAC) < place->limit_s;
}

/* ---- burst and sustained are two numbers, each under the ceiling of the same kind ---- */

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
        if (ceiling->sustained.n > 0) {
            ceiling->stats = ceiling->sustained;
            ceiling->clock_mhz = ceiling->sustained_clock_mhz;
        }
    }
    for (int round = 0; round < RFT_ROUNDS; round++) {
        soaked.rounds[round].cache = burst ? burst->cache : RFT_CACHE_COLD;
        soaked.rounds[round].n = soak ? soak->stats.n : 0;
        soaked.rounds[round].clock_mhz = soak ? soak->clock_mhz : (double)NAN;
        soaked.rounds[round].stats = soak ? soak->stats : rft_stats_of(NULL, 0);
    }
    rft_placement place = rft_placement_of(&sustained, &soaked);
    rft_ceiling_id roof = rft_placement_ceiling(&sustained, &soaked, &place);
    if (roof == RFT_CEILING_COUNT || run->ceilings.items[roof].sustained.n == 0) {
        place.roof_s = place.efficiency_frac = place.low_frac = place.high_frac = NAN;
        place.clock_frac = place.left_factor = NAN;
    }
    return place;
}
