/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/projection.h"

#include "model/roofline/placement.h"

#include <math.h>

#define LAUNCH_FLOORS 3.0 /* as bound.c has them */
#define NEAR_FRAC 0.6

const char *rft_projected_side_name(rft_projected_side side) {
    static const char *const names[] = {"unknown", "memory", "compute", "latency", "launch"};
    return names[side];
}

/* ---- the other device ---- */

static rft_ceiling known_at(double rate, const char *kernel) {
    rft_ceiling ceiling = rft_ceiling_none(NULL);
    ceiling.measured = true; /* the rate to judge by; that it is a projection is the caller's to say */
    ceiling.stats = rft_stats_of(&rate, 1);
    ceiling.kernel = kernel;
    return ceiling;
}

void rft_projection_convert(rft_ceilings *out, const rft_ceilings *here, const rft_ceilings *sheet, rft_arena *arena) {
    *out = (rft_ceilings){0};
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        rft_ceiling_id id = (rft_ceiling_id)i;
        double rate = rft_ceilings_rate(here, id), own = here->items[i].datasheet, other = sheet->items[i].datasheet;
        if (id == RFT_CEILING_LAUNCH && !isnan(rate)) {
            out->items[i] = known_at(rate, "taken from this card");
        } else if (isnan(rate)) {
            out->items[i] = rft_ceiling_none("not measured here");
        } else if (isnan(own)) {
            out->items[i] = rft_ceiling_none("not in this card's datasheet");
        } else if (isnan(other)) {
            out->items[i] = rft_ceiling_none("not in the other's datasheet");
        } else {
            const char *share = rft_arena_fixed(arena, 100.0 * rate / own, 1, " % of the datasheet, as here");
            out->items[i] = known_at(other * (rate / own), share);
        }
        out->items[i].datasheet = other;
    }
}

rft_run rft_projection_run(const rft_run *run, const rft_gpu_info *gpu, const rft_ceilings *ceilings) {
    rft_run there = *run;
    there.gpu = *gpu;
    there.gpu.l2_bytes = gpu->l2_bytes ? gpu->l2_bytes : run->gpu.l2_bytes;
    there.ceilings = *ceilings;
    return there;
}

/* ---- a point ---- */

static rft_projected_side side_of(rft_resource resource) {
    switch (resource) {
    case RFT_RESOURCE_DRAM:
    case RFT_RESOURCE_L2:
    case RFT_RESOURCE_L1:
    case RFT_RESOURCE_SHARED:
        return RFT_PROJECTED_MEMORY;
    case RFT_RESOURCE_PIPE:
    case RFT_RESOURCE_ISSUE:
        return RFT_PROJECTED_COMPUTE;
    case RFT_RESOURCE_POWER:
    case RFT_RESOURCE_THERMAL:
    case RFT_RESOURCE_CLOCK: /* asked of what is busy (rft_bound_limit()) */
        break;
    case RFT_RESOURCE_LATENCY:
        return RFT_PROJECTED_LATENCY;
    case RFT_RESOURCE_LAUNCH:
        return RFT_PROJECTED_LAUNCH;
    case RFT_RESOURCE_UNKNOWN:
        break;
    }
    return RFT_PROJECTED_UNKNOWN;
}

/* Among `count` shares from `first` on. */
static bool has(const rft_bound *bound, size_t first, size_t count, const rft_share *share) {
    for (size_t i = first; i < first + count; i++) {
        if (bound->shares[i].resource == share->resource && bound->shares[i].pipe == share->pipe) {
            return true;
        }
    }
    return false;
}

/* The time was measured here: only what it refutes here is refuted. */
static const rft_share *nearest_of(const rft_bound *here, const rft_bound *there) {
    const rft_share *nearest = NULL;
    for (size_t i = 0; i < there->share_count + there->refuted_count; i++) {
        const rft_share *share = &there->shares[i];
        bool larger = !nearest || share->seconds > nearest->seconds;
        nearest = larger && !has(here, here->share_count, here->refuted_count, share) ? share : nearest;
    }
    return nearest;
}

/* What has a ceiling here and none there. Returns whether it could be what holds the point back there: at this card's
 * rate nothing of a point without a near ceiling here is. */
static bool leave_out(rft_projected *out, const rft_bound *here, const rft_bound *there, const rft_share *nearest) {
    double longest_s = nearest ? nearest->seconds : 0.0;
    bool matters = !nearest;
    for (size_t i = 0; i < here->share_count; i++) {
        if (!has(there, 0, there->share_count + there->refuted_count, &here->shares[i])) {
            out->left_out |= 1u << here->shares[i].resource;
            out->left_out_pipes |= here->shares[i].resource == RFT_RESOURCE_PIPE ? 1u << here->shares[i].pipe : 0;
            matters = matters || i == 0 || here->shares[i].seconds > longest_s;
        }
    }
    return matters && here->firmness != RFT_FIRM_NONE;
}

/* The point is as near its ceiling there as here. */
static void carry_share(rft_projected *out, const rft_share *nearest) {
    out->estimate_s = nearest->seconds / fmin(out->share_frac, 1.0);
    out->there = side_of(nearest->resource);
    out->low = out->median_s / out->estimate_s;
}

/* No ceiling is near here. One is there when it alone takes most of the time measured here; else what the point waits
 * for is taken to last as long. */
static void carry_time(rft_projected *out, const rft_share *nearest) {
    out->same_time = true;
    out->there = nearest && nearest->seconds >= NEAR_FRAC * out->median_s ? side_of(nearest->resource) : out->here;
    out->low = 1.0;
}

/* No time is below that of an empty kernel. */
static void mind_launch(rft_projected *out, double floor_s) {
    if (!isnan(floor_s)) {
        out->high = fmin(out->high, out->median_s / floor_s);
        if (out->estimate_s < LAUNCH_FLOORS * floor_s) {
            out->there = RFT_PROJECTED_LAUNCH;
        }
    }
}

rft_projected rft_projection_of(const rft_run *run, const rft_run *there, const rft_point *point) {
    rft_bound bound = rft_bound_of(run, point), bound_there = rft_bound_of(there, point);
    const rft_share *nearest = nearest_of(&bound, &bound_there);
    rft_projected out = {.here = side_of(rft_bound_limit(&bound)),
                         .nearest_here = bound.share_count ? bound.shares[0].resource : RFT_RESOURCE_UNKNOWN,
                         .nearest_there = nearest ? nearest->resource : RFT_RESOURCE_UNKNOWN,
                         .pipe_here = bound.share_count ? bound.shares[0].pipe : RFT_PIPE_COUNT,
                         .pipe_there = nearest ? nearest->pipe : RFT_PIPE_COUNT,
                         .evidence = bound.evidence,
                         .median_s = rft_point_median_s(point),
                         .share_frac = bound.share_count ? bound.shares[0].frac : (double)NAN,
                         .roof_here_s = rft_placement_of(run, point).roof_s,
                         .roof_there_s = rft_placement_of(there, point).roof_s,
                         .estimate_s = NAN,
                         .low = NAN,
                         .high = NAN};
    bool hidden = leave_out(&out, &bound, &bound_there, nearest);
    if (out.here == RFT_PROJECTED_UNKNOWN) {
        out.reason = "no bound is known here";
        return out;
    }
    bool near = bound.firmness != RFT_FIRM_NONE;
    if (hidden || (near && !nearest)) {
        out.reason = "what holds it back here has no ceiling there";
        return out;
    }
    out.high = out.median_s / out.roof_there_s;
    if (near && nearest) {
        carry_share(&out, nearest);
    } else {
        carry_time(&out, nearest);
    }
    mind_launch(&out, rft_ceilings_rate(&there->ceilings, RFT_CEILING_LAUNCH));
    out.low = fmin(out.low, out.high); /* fmin() leaves a NaN aside */
    out.changes = out.here != out.there;
    return out;
}
