/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/over_roof.h"

#include "model/roofline/amount.h"
#include "model/roofline/counted.h"
#include "model/roofline/placement.h"

#include <math.h>

#define LESS_FRAC 0.95 /* counted over declared, from which on the counters disagree */

const char *rft_over_cause_name(rft_over_cause cause) {
    static const char *const names[] = {
        [RFT_OVER_NOT] = "",
        [RFT_OVER_LIMIT] = "limit",
        [RFT_OVER_COUNTED] = "counted",
        [RFT_OVER_MODELLED] = "modelled traffic",
        [RFT_OVER_HOT] = "hot cache",
        [RFT_OVER_WRITES] = "writes in the L2",
        [RFT_OVER_CLOCK] = "clock",
        [RFT_OVER_NEAR] = "near cache",
        [RFT_OVER_CEILING] = "ceiling",
    };
    return names[cause];
}

/* What is above its roof, and by what. */
typedef struct suspect {
    const rft_run *run;
    const rft_point *point;
    const rft_measurement *measurement;
    rft_resource roof;
    rft_pipe pipe;
    double factor;
    bool modelled; /* it is the modelled traffic that is above */
} suspect;

static int percent(double frac) {
    return (int)lround(frac * 100.0);
}

/* What was counted of the amount that makes the roof, over the declared; NaN = not counted. */
static double counted_frac(const suspect *s) {
    const rft_traffic counted = rft_counted_traffic(s->point);
    if (!counted.present) {
        return NAN;
    }
    if (s->roof == RFT_RESOURCE_PIPE) {
        return counted.pipe_ops[s->pipe] / s->point->work.pipe_ops[s->pipe];
    }
    return s->roof == RFT_RESOURCE_DRAM ? counted.level_bytes[RFT_LEVEL_DRAM] / rft_work_bytes(&s->point->work)
                                        : (double)NAN;
}

/* Bytes written that may still lie in the L2 when the kernel ends: they are no part of its time. */
static double unwritten_bytes(const suspect *s) {
    return fmin(s->point->work.bytes_written, (double)s->run->gpu.l2_bytes);
}

static double roof_clock_mhz(const suspect *s) {
    if (s->roof == RFT_RESOURCE_PIPE) {
        rft_ceiling_id id = rft_amount_pipe_ceiling(s->pipe);
        return id < RFT_CEILING_COUNT ? s->run->ceilings.items[id].clock_mhz : (double)NAN;
    }
    return s->roof == RFT_RESOURCE_L2 ? s->run->ceilings.items[RFT_CEILING_L2_READ].clock_mhz : (double)NAN;
}

static rft_over_cause cause_of(const suspect *s) {
    double limit_s = rft_placement_of(s->run, s->point).limit_s;
    double bytes = rft_work_bytes(&s->point->work), clocks = s->measurement->clock_mhz / roof_clock_mhz(s);
    if (s->measurement->stats.median < limit_s) {
        return RFT_OVER_LIMIT;
    }
    if (s->modelled) {
        return RFT_OVER_MODELLED;
    }
    if (counted_frac(s) < LESS_FRAC) {
        return RFT_OVER_COUNTED;
    }
    if (s->roof == RFT_RESOURCE_DRAM && s->measurement->cache == RFT_CACHE_HOT) {
        return RFT_OVER_HOT;
    }
    if (s->roof == RFT_RESOURCE_DRAM && s->factor * (1.0 - unwritten_bytes(s) / bytes) <= RFT_OVER_ROOF_FRAC) {
        return RFT_OVER_WRITES;
    }
    if (clocks > 1.0 && s->factor <= clocks * RFT_OVER_ROOF_FRAC) {
        return RFT_OVER_CLOCK;
    }
    return s->roof == RFT_RESOURCE_L2 ? RFT_OVER_NEAR : RFT_OVER_CEILING;
}

static const char *cause_text(const suspect *s, rft_over_cause cause, rft_arena *arena) {
    const char *name = rft_resource_name(s->roof, s->pipe);
    switch (cause) {
    case RFT_OVER_LIMIT:
        return "faster than the hardware can be: its work is stated too high, its result is not what it should be, or "
               "its time is wrong";
    case RFT_OVER_COUNTED:
        return s->roof == RFT_RESOURCE_PIPE
                   ? rft_arena_printf(arena, "%d %% of its operations were counted: its work is stated too high",
                                      percent(counted_frac(s)))
                   : rft_arena_printf(
                         arena,
                         "device memory moved %d %% of its bytes (counted): the rest came from a cache, or "
                         "its work is stated too high",
                         percent(counted_frac(s)));
    case RFT_OVER_MODELLED:
        return rft_arena_printf(arena, "its `traffic` says more than %s can move: a nearer level took part of it",
                                name);
    case RFT_OVER_HOT:
        return "the cache was not cold: some of its data lay in the L2";
    case RFT_OVER_WRITES:
        return rft_arena_printf(arena, "up to %d %% of its bytes are written last and still lie in the L2 when it ends",
                                percent(unwritten_bytes(s) / rft_work_bytes(&s->point->work)));
    case RFT_OVER_CLOCK:
        return rft_arena_printf(arena, "the SM clock was %.0f MHz, and %.0f MHz while the ceiling of %s was measured",
                                s->measurement->clock_mhz, roof_clock_mhz(s), name);
    case RFT_OVER_NEAR:
        return "some of its data came from L1 or shared memory";
    case RFT_OVER_CEILING:
        return rft_arena_printf(arena,
                                "no cause shows: the ceiling of %s was measured too low, or its work is stated too "
                                "high",
                                name);
    case RFT_OVER_NOT:
        break;
    }
    return NULL;
}

rft_over_roof rft_over_roof_of(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_placement place = rft_placement_of(run, point);
    suspect s = {.run = run,
                 .point = point,
                 .measurement = rft_point_measurement(point),
                 .roof = place.roof,
                 .pipe = place.roof_pipe,
                 .factor = place.efficiency_frac};
    if (s.measurement && !(s.factor > RFT_OVER_ROOF_FRAC)) {
        const rft_bound bound = rft_bound_whole_of(run, point);
        if (bound.over_roof_frac > 1.0) {
            s.roof = bound.shares[0].resource;
            s.pipe = bound.shares[0].pipe;
            s.factor = bound.over_roof_frac;
            s.modelled = bound.shares[0].evidence == RFT_EVIDENCE_MODELLED;
        }
    }
    if (!s.measurement || !(s.factor > RFT_OVER_ROOF_FRAC)) {
        return (rft_over_roof){0};
    }
    rft_over_roof out = {.cause = cause_of(&s), .factor = s.factor};
    out.text = cause_text(&s, out.cause, arena);
    return out;
}
