/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/over_roof.h"

#include "model/roofline/amount.h"
#include "model/roofline/counted.h"
#include "model/roofline/placement.h"
#include "model/roofline/reach.h"

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
        [RFT_OVER_UNKNOWN] = "unknown",
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
    rft_ceiling_id ceiling;
    double factor;
    bool impossible;       /* less than the hardware's limits allow */
    rft_evidence evidence; /* of what is above; DECLARED: the work */
    rft_unwritten unwritten;
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

static double roof_clock_mhz(const suspect *s) {
    if (s->roof == RFT_RESOURCE_PIPE) {
        rft_ceiling_id id = rft_amount_pipe_ceiling(s->pipe);
        return id < RFT_CEILING_COUNT ? s->run->ceilings.items[id].clock_mhz : (double)NAN;
    }
    return s->roof == RFT_RESOURCE_L2 ? s->run->ceilings.items[RFT_CEILING_L2_READ].clock_mhz : (double)NAN;
}

/* What the writes in the L2 leave of it is under the roof. */
static bool writes_explain(const suspect *s) {
    return s->roof == RFT_RESOURCE_DRAM && s->evidence == RFT_EVIDENCE_DECLARED && s->unwritten.bytes > 0.0 &&
           s->factor * (1.0 - s->unwritten.frac) <= RFT_OVER_ROOF_FRAC;
}

static rft_over_cause cause_of(const suspect *s) {
    double clocks = s->measurement->clock_mhz / roof_clock_mhz(s), counted = counted_frac(s);
    if (s->impossible) {
        return RFT_OVER_LIMIT;
    }
    if (s->evidence == RFT_EVIDENCE_MODELLED) {
        return RFT_OVER_MODELLED;
    }
    if (counted + s->unwritten.frac < LESS_FRAC) {
        return RFT_OVER_COUNTED;
    }
    if (s->roof == RFT_RESOURCE_DRAM && s->measurement->cache == RFT_CACHE_HOT) {
        return RFT_OVER_HOT;
    }
    if (writes_explain(s)) {
        return RFT_OVER_WRITES;
    }
    if (clocks > 1.0 && s->factor <= clocks * RFT_OVER_ROOF_FRAC) {
        return RFT_OVER_CLOCK;
    }
    if (s->evidence == RFT_EVIDENCE_COUNTED || !isnan(counted)) {
        return RFT_OVER_CEILING;
    }
    return s->roof == RFT_RESOURCE_L2 ? RFT_OVER_NEAR : RFT_OVER_UNKNOWN;
}

/* Whether this part of the factor is above the roof. */
static bool is_above(const suspect *s, double part) {
    return rft_bound_is_above(s->run, s->point, s->ceiling, part * s->factor);
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
        return s->roof == RFT_RESOURCE_PIPE
                   ? rft_arena_printf(arena, "its `traffic` says more than %s can do: it is stated too high", name)
                   : rft_arena_printf(arena, "its `traffic` says more than %s can move: a nearer level took part of it",
                                      name);
    case RFT_OVER_HOT:
        return "the cache was not cold: some of its data lay in the L2";
    case RFT_OVER_WRITES:
        return rft_arena_printf(arena, "%s%s", rft_unwritten_text(&s->unwritten, arena),
                                is_above(s, 1.0 - s->unwritten.frac)
                                    ? ", and without them it is above a ceiling that slower kernels measured"
                                    : "");
    case RFT_OVER_CLOCK:
        return rft_arena_printf(arena, "the SM clock was %.0f MHz, and %.0f MHz while the ceiling of %s was measured",
                                s->measurement->clock_mhz, roof_clock_mhz(s), name);
    case RFT_OVER_NEAR:
        return "some of its data came from L1 or shared memory";
    case RFT_OVER_CEILING:
        return rft_arena_printf(
            arena, "the counters confirm its work: the ceiling of %s was measured by slower kernels", name);
    case RFT_OVER_UNKNOWN:
        return rft_arena_printf(arena,
                                "no cause shows: the ceiling of %s was measured too low, or its work is stated too "
                                "high",
                                name);
    case RFT_OVER_NOT:
        break;
    }
    return NULL;
}

/* Of what the time refutes, else of all; at the point's own clock. NULL: there is none. */
static const rft_share *furthest_of(const rft_bound *bound) {
    size_t first = bound->refuted_count > 0 ? bound->share_count : 0;
    const rft_share *furthest = NULL;
    for (size_t i = first; i < bound->share_count + bound->refuted_count; i++) {
        double most = rft_bound_share_most(bound, &bound->shares[i]);
        furthest = !furthest || most > rft_bound_share_most(bound, furthest) ? &bound->shares[i] : furthest;
    }
    return furthest;
}

rft_over_roof rft_over_roof_of(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_placement place = rft_placement_of(run, point);
    suspect s = {.run = run,
                 .point = point,
                 .measurement = rft_point_measurement(point),
                 .roof = place.roof,
                 .pipe = place.roof_pipe,
                 .ceiling = rft_placement_ceiling(run, point, &place),
                 .factor = place.efficiency_frac,
                 .impossible = rft_placement_is_impossible(&place, rft_point_median_s(point)),
                 .evidence = RFT_EVIDENCE_DECLARED,
                 .unwritten = rft_unwritten_of(run, point)};
    if (s.measurement && !is_above(&s, 1.0)) {
        const rft_bound bound = rft_bound_whole_of(run, point);
        const rft_share *nearest = furthest_of(&bound);
        s.factor = (double)NAN;
        if (nearest) {
            s.roof = nearest->resource;
            s.pipe = nearest->pipe;
            s.ceiling = nearest->ceiling;
            s.factor = rft_bound_share_most(&bound, nearest);
            s.evidence = nearest->evidence;
        }
    }
    if (!s.measurement || !is_above(&s, 1.0)) {
        return (rft_over_roof){0};
    }
    rft_over_roof out = {.cause = cause_of(&s), .factor = s.factor};
    out.text = cause_text(&s, out.cause, arena);
    return out;
}
