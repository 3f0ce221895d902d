/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/reach.h"

#include "base/units.h"

#include <math.h>

rft_unwritten rft_unwritten_of(const rft_run *run, const rft_point *point) {
    const rft_measurement *measurement = rft_point_measurement(point);
    rft_unwritten out = {0};
    if (!measurement || measurement->cache != RFT_CACHE_COLD || !(point->work.bytes_written > 0.0)) {
        return out;
    }
    double most = fmin(point->work.bytes_written, (double)run->gpu.l2_bytes);
    double counted = point->counters ? point->counters->values[RFT_COUNTER_DRAM_WRITE] : (double)NAN;
    out.counted = isfinite(counted);
    out.bytes = out.counted ? fmin(fmax(point->work.bytes_written - counted, 0.0), most) : most;
    out.frac = out.bytes / rft_work_bytes(&point->work);
    return out;
}

const char *rft_unwritten_text(const rft_unwritten *unwritten, rft_arena *arena) {
    char bytes[48];
    rft_units_format_si(bytes, sizeof bytes, unwritten->bytes, 3, "B");
    return rft_arena_printf(arena,
                            unwritten->counted ? "%s of its writes were still in the L2 when it ended"
                                               : "up to %s of its writes may still have been in the L2 when it ended",
                            bytes);
}

/* Seconds of a run back to back, each from where the one before left off; NaN: not taken, or with buffers restored in
 * between. */
static double back_to_back_s(const rft_point *point) {
    const rft_load *load = point->loads[RFT_LOAD_ENERGY];
    return load && !load->reason && !load->restored && load->runs > 0 ? load->run_s : (double)NAN;
}

/* Seconds that the roof allows under seconds of load. */
static double sustained_roof_s(const rft_run *run, const rft_point *point, const rft_placement *place) {
    rft_ceiling_id id = rft_placement_ceiling(run, point, place);
    double burst = rft_ceilings_rate(&run->ceilings, id);
    double sustained = rft_ceilings_sustained_rate(&run->ceilings, id);
    return isnan(sustained) ? place->roof_s : place->roof_s * burst / sustained;
}

rft_reach rft_reach_of(const rft_run *run, const rft_point *point) {
    rft_placement place = rft_placement_of(run, point);
    rft_reach out = {.frac = place.efficiency_frac, .left_factor = place.left_factor};
    if (place.roof != RFT_RESOURCE_DRAM) {
        return out;
    }
    out.unwritten = rft_unwritten_of(run, point);
    double least = out.frac > 1.0 ? 0.0 : RFT_UNWRITTEN_LEAST_FRAC;
    bool matters =
        out.frac >= RFT_UNWRITTEN_NEAR_FRAC && out.unwritten.bytes > 0.0 && out.frac * out.unwritten.frac >= least;
    double back_s = matters ? back_to_back_s(point) : (double)NAN;
    out.back_to_back = back_s > rft_point_median_s(point);
    out.at_most = matters && !out.back_to_back;
    if (out.at_most && out.unwritten.counted) { /* the writes are still to come; the launch's floor stays */
        out.left_factor = 1.0 / (1.0 / out.left_factor - fmin(out.frac, 1.0) * out.unwritten.frac);
    }
    if (out.back_to_back) {
        out.frac = sustained_roof_s(run, point, &place) / back_s;
        out.left_factor = fmax(1.0 / out.frac, 1.0);
    }
    return out;
}

/* What device memory did until the launch ended, where that was counted: the bound says so, and the share says more. */
static const char *moved_text(const rft_run *run, const rft_point *point, rft_arena *arena) {
    rft_bound bound = rft_bound_whole_of(run, point);
    for (size_t i = 0; i < bound.share_count; i++) {
        if (bound.shares[i].resource == RFT_RESOURCE_DRAM && bound.shares[i].evidence == RFT_EVIDENCE_COUNTED) {
            return rft_arena_printf(arena, ", until then device memory moved %s of what it can (counted)",
                                    rft_arena_fixed(arena, 100.0 * bound.shares[i].frac, 0, " %"));
        }
    }
    return "";
}

const char *rft_reach_note(const rft_run *run, const rft_point *point, rft_arena *arena) {
    rft_reach reach = rft_reach_of(run, point);
    if (!reach.back_to_back && !reach.at_most) {
        return NULL;
    }
    const char *writes = rft_unwritten_text(&reach.unwritten, arena), *moved = moved_text(run, point, arena);
    return reach.at_most ? rft_arena_printf(arena, "at most that share of its roof: %s%s", writes, moved)
                         : rft_arena_printf(arena, "back to back %s of its roof: of a launch alone %s%s",
                                            rft_arena_fixed(arena, 100.0 * reach.frac, 1, " %"), writes, moved);
}
