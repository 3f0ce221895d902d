/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/floor.h"

#include "base/units.h"
#include "model/roofline/amount.h"
#include "model/roofline/datasheet.h"

#include <math.h>

#define SM_INTAKE_BYTES 64 /* per SM and clock, from the L2, on architectures from 7.0 to 9.0 */

static void consider(rft_floor *floor, double seconds, rft_resource resource, rft_pipe pipe, rft_evidence evidence) {
    if (!isfinite(seconds) || seconds <= 0) {
        return;
    }
    if (!(seconds <= floor->seconds)) {
        floor->seconds = seconds;
        floor->resource = resource;
        floor->pipe = pipe;
        floor->evidence = evidence;
    }
}

static double limit_of(const rft_run *run, rft_ceiling_id id) {
    return id < RFT_CEILING_COUNT ? run->ceilings.items[id].limit : NAN;
}

/* The sum counts a pipe once: its own operations where they are modelled, else the work's. */
static void add_floor(rft_floor *floor, double seconds) {
    if (isfinite(seconds) && seconds > 0) {
        floor->sum_s = isnan(floor->sum_s) ? seconds : floor->sum_s + seconds;
    }
}

static const struct {
    rft_level level;
    rft_resource resource;
    rft_ceiling_id ceiling;
} cached_levels[] = {
    {RFT_LEVEL_L2, RFT_RESOURCE_L2, RFT_CEILING_L2_READ},
    {RFT_LEVEL_L1, RFT_RESOURCE_L1, RFT_CEILING_L1_READ},
    {RFT_LEVEL_SHARED, RFT_RESOURCE_SHARED, RFT_CEILING_SHARED_READ},
};
#define CACHED_LEVELS (sizeof cached_levels / sizeof *cached_levels)

/* Traffic is modelled as what the SMs ask for. Where several SMs want a line at one time, the L2 is asked once: an H200
 * counted 0.43 to 1.2 of the bytes that tiles of a matrix product ask for, and such tiles came 1.5 times faster than
 * the L2 can read. So the L2 leaves the time that the SMs need to take the bytes in, where that is the shorter one. */
static double certain_rate(const rft_run *run, rft_ceiling_id id) {
    double rate = limit_of(run, id);
    double intake = (double)run->gpu.sms * SM_INTAKE_BYTES * run->gpu.sm_clock_khz * 1e3;
    return id == RFT_CEILING_L2_READ && intake > rate ? intake : rate;
}

static void consider_traffic(rft_floor *floor, const rft_run *run, const rft_traffic *traffic) {
    for (size_t i = 0; i < CACHED_LEVELS; i++) {
        double bytes = traffic->level_bytes[cached_levels[i].level];
        consider(floor, bytes / certain_rate(run, cached_levels[i].ceiling), cached_levels[i].resource, RFT_PIPE_COUNT,
                 traffic->evidence);
        add_floor(floor, bytes / limit_of(run, cached_levels[i].ceiling));
    }
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        double seconds = traffic->pipe_ops[pipe] / limit_of(run, rft_amount_pipe_ceiling((rft_pipe)pipe));
        consider(floor, seconds, RFT_RESOURCE_PIPE, (rft_pipe)pipe, traffic->evidence);
        add_floor(floor, seconds);
    }
}

rft_floor rft_floor_of(const rft_run *run, const rft_work *work, const rft_traffic *traffic, rft_cache_mode cache) {
    rft_floor floor = {NAN, RFT_RESOURCE_UNKNOWN, RFT_PIPE_COUNT, RFT_EVIDENCE_DECLARED, NAN};
    rft_ceiling_id dram = rft_bound_dram_ceiling(&run->ceilings, rft_work_read_frac(work));
    double bytes = rft_amount_certain_dram_bytes(run, work, cache);
    consider(&floor, bytes / limit_of(run, dram), RFT_RESOURCE_DRAM, RFT_PIPE_COUNT, RFT_EVIDENCE_DECLARED);
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        double seconds = work->pipe_ops[pipe] / limit_of(run, rft_amount_pipe_ceiling((rft_pipe)pipe));
        consider(&floor, seconds, RFT_RESOURCE_PIPE, (rft_pipe)pipe, RFT_EVIDENCE_DECLARED);
        if (!traffic->present || isnan(traffic->pipe_ops[pipe])) {
            add_floor(&floor, seconds);
        }
    }
    add_floor(&floor, bytes / limit_of(run, dram));
    if (traffic->present) {
        consider_traffic(&floor, run, traffic);
    }
    return floor;
}

/* 0 where one of both is not known. */
static double time_of(double amount, double limit) {
    double seconds = amount / limit;
    return isfinite(seconds) && seconds > 0 ? seconds : 0;
}

rft_limit_times rft_limit_times_of(const rft_run *run, const rft_work *work, const rft_traffic *traffic,
                                   rft_cache_mode cache) {
    rft_limit_times times = {.floor = rft_floor_of(run, work, traffic, cache)};
    rft_ceiling_id dram = rft_bound_dram_ceiling(&run->ceilings, rft_work_read_frac(work));
    double modelled = traffic->present ? traffic->level_bytes[RFT_LEVEL_DRAM] : NAN;
    double bytes = isnan(modelled) ? rft_amount_certain_dram_bytes(run, work, cache) : modelled;
    times.level_s[RFT_LEVEL_DRAM] = time_of(bytes, limit_of(run, dram));
    for (size_t i = 0; i < CACHED_LEVELS && traffic->present; i++) {
        rft_level level = cached_levels[i].level;
        times.level_s[level] = time_of(traffic->level_bytes[level], limit_of(run, cached_levels[i].ceiling));
    }
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        bool is_modelled = traffic->present && !isnan(traffic->pipe_ops[pipe]);
        double ops = is_modelled ? traffic->pipe_ops[pipe] : work->pipe_ops[pipe];
        times.pipe_s[pipe] = time_of(ops, limit_of(run, rft_amount_pipe_ceiling((rft_pipe)pipe)));
    }
    return times;
}

void rft_limits_complete(rft_run *run, rft_arena *arena) {
    rft_ceilings computed = {0};
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        computed.items[id] = rft_ceiling_none("");
    }
    rft_limits_apply(&computed, &run->gpu, arena);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        rft_ceiling *ceiling = &run->ceilings.items[id];
        ceiling->limit = ceiling->limit > 0 ? ceiling->limit : computed.items[id].limit;
    }
}

const char *rft_floor_text(const rft_floor *floor, rft_arena *arena) {
    char time[32];
    rft_units_format_seconds(time, sizeof time, floor->seconds, 3);
    return rft_arena_printf(arena, "%s at the hardware's limit of %s (%s)", time,
                            rft_resource_name(floor->resource, floor->pipe),
                            floor->evidence == RFT_EVIDENCE_DECLARED ? "declared work" : "modelled traffic");
}
