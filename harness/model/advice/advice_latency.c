/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for points that are near no ceiling: the grid, bytes in flight, waiting, the launch. */
#include "model/advice/advice_parts.h"
#include "model/run/baseline.h"

#include <math.h>

#define MOSTLY_MEMORY_WAIT 0.5 /* ours: of the cycles warps wait */
#define MUCH_BARRIER_WAIT 0.2  /* ours */
#define NEAR_OPTIMAL 0.8       /* chart: within 80 % of the roof */
#define LOADED_LATENCY_S 1e-6  /* what 16 KB an SM mean on an A100: 16 KiB x 108 / 1.77 TB/s */
#define H200_BUS_BYTES_S 4e12  /* between an H100 (3.35 TB/s) and an H200 (4.8 TB/s) */

/* Are there blocks for all SMs, as many as fit? */
rft_rule_verdict rft_rule_fill(const rft_advice_case *c, rft_rule_answer *answer) {
    double waves = c->point->facts.waves;
    if (isnan(waves)) {
        return rft_case_lacks(answer, "waves", "the launch's blocks a wave are not known");
    }
    if (waves >= 1.0) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, "waves", "1", waves, 1.0);
    rft_case_remedy(answer, RFT_QUANTITY_WAVES, true, "smaller tiles, or split the long dimension (split-k)");
    const char *blocks = "";
    if (c->point->has_launch) {
        double count = (double)c->point->grid[0] * (double)c->point->grid[1] * (double)c->point->grid[2];
        blocks = rft_arena_printf(c->arena, " (%.0f blocks on %d SMs)", count, c->run->gpu.sms);
        rft_case_trigger(answer, "blocks", "1", count, c->run->gpu.sms);
    }
    rft_case_gain empty = {1.0 - waves, "the room for blocks that stays empty"};
    return rft_case_offer(answer, rft_case_least(empty, rft_case_slack(c)), RFT_ADVICE_COMPILED,
                          rft_arena_printf(c->arena, "fill the device: the grid is %s of what fits at once%s",
                                           rft_case_percent(c, waves), blocks));
}

/* docs/corrections.md, E3: the last wave is not full. Blocks are taken to last equally long. */
rft_rule_verdict rft_rule_tail(const rft_advice_case *c, rft_rule_answer *answer) {
    double waves = c->point->facts.waves;
    if (isnan(waves)) {
        return rft_case_lacks(answer, "waves", "the launch's blocks a wave are not known");
    }
    double used = rft_quantity_of(RFT_QUANTITY_EVEN_WAVES, c->point);
    if (waves < 1.0) { /* `fill` speaks of that */
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, "waves", "1", waves, NAN);
    rft_case_remedy(answer, RFT_QUANTITY_EVEN_WAVES, true,
                    "another tile, split-k or resident blocks that share the work");
    rft_case_gain gain = {1.0 - used, "full waves of equally long blocks"};
    return rft_case_offer(answer, rft_case_least(gain, rft_case_room(c)), RFT_ADVICE_COMPILED,
                          rft_arena_printf(c->arena, "even out the waves: %s waves take the time of %.0f",
                                           rft_arena_fixed(c->arena, waves, 2, ""), ceil(waves)));
}

/* Bytes that must be on their way to an SM at any time for device memory to be busy: Little's law. CUB's measured rule
 * for what it knows (tuning_transform.cuh), else latency under load x rate. NaN = not known. */
static double bytes_needed(const rft_advice_case *c) {
    const rft_gpu_info *gpu = &c->run->gpu;
    double bus = 2.0 * (double)gpu->memory_clock_khz * 1e3 * (double)gpu->memory_bus_bits / 8.0;
    int cc = 10 * gpu->cc_major + gpu->cc_minor;
    switch (cc) {
    case 70:
        return 12.0 * 1024.0;
    case 80:
        return 16.0 * 1024.0;
    case 90:
        return (bus > H200_BUS_BYTES_S ? 48.0 : 32.0) * 1024.0;
    case 100:
        return 64.0 * 1024.0;
    default:
        break;
    }
    double rate = rft_ceilings_rate(&c->run->ceilings, RFT_CEILING_DRAM_READ);
    return gpu->sms > 0 ? LOADED_LATENCY_S * rate / (double)gpu->sms : (double)NAN;
}

static bool waits_on_dram(const rft_advice_case *c) {
    return c->place.roof == RFT_RESOURCE_DRAM;
}

/* Little's law: is one load by every resident thread enough? */
rft_rule_verdict rft_rule_in_flight(const rft_advice_case *c, rft_rule_answer *answer) {
    double needed = bytes_needed(c), sectors = rft_case_counter(c, RFT_COUNTER_SECTORS_PER_LOAD);
    double useful = fmin(rft_case_counter(c, RFT_COUNTER_LOAD_BYTES_PER_SECTOR), 32.0);
    if (!waits_on_dram(c) || rft_case_is_copied(c)) {
        return RFT_RULE_SILENT;
    }
    if (isnan(needed)) {
        return rft_case_lacks(answer, "dram_read", "this ceiling was not measured");
    }
    if (isnan(c->occupancy_frac)) {
        return rft_case_lacks_counter(c, answer, RFT_COUNTER_WARPS_ACTIVE);
    }
    if (isnan(sectors) || !(useful > 0.0)) {
        return rft_case_lacks_counter(
            c, answer, isnan(sectors) ? RFT_COUNTER_SECTORS_PER_LOAD : RFT_COUNTER_LOAD_BYTES_PER_SECTOR);
    }
    double warps = c->occupancy_frac * (double)c->run->gpu.max_threads_per_sm / RFT_WARP_LANES;
    double one_each = warps * sectors * 32.0; /* whole sectors are on their way */
    if (!(one_each > 0.0 && one_each < needed) || rft_case_adds(c)) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, "bytes_in_flight_per_sm", "B", one_each, needed);
    rft_case_remedy(answer, RFT_QUANTITY_LOADS, true,
                    rft_arena_printf(c->arena, "%.0f independent loads a thread", ceil(needed / one_each)));
    rft_case_remedy(answer, RFT_QUANTITY_OCCUPANCY, true, "more warps");
    rft_case_gain lacking = {1.0 - one_each / needed, "the bytes in flight that are missing"}; /* or fewer are */
    return rft_case_offer(answer, rft_case_least(lacking, rft_case_slack(c)), RFT_ADVICE_COUNTED,
                          rft_arena_printf(c->arena,
                                           "more bytes in flight: one load by each of %.0f resident warps is %s an SM "
                                           "and memory needs %s (Little's law)",
                                           warps, rft_case_si(c, one_each, "B"), rft_case_si(c, needed, "B")));
}

/* All states in which warps wait; what was not counted is left out. */
static double stalls(const rft_advice_case *c) {
    double sum = 0.0;
    for (int i = RFT_COUNTER_STALL_LONG_SCOREBOARD; i < RFT_COUNTER_STALL_NOT_SELECTED; i++) {
        double value = rft_case_counter(c, (rft_counter)i);
        sum += isnan(value) ? 0.0 : value;
    }
    return sum;
}

typedef struct wait {
    rft_counter state;
    double threshold;
    const char *what, *where; /* "load ahead", "for global memory" */
} wait;

static rft_rule_verdict waiting(const rft_advice_case *c, rft_rule_answer *answer, const wait *w) {
    double value = rft_case_counter(c, w->state);
    if (isnan(value)) {
        return rft_case_lacks_counter(c, answer, w->state);
    }
    double frac = value / stalls(c);
    if (!(frac >= w->threshold)) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, rft_arena_printf(c->arena, "%s_frac", rft_counter_name(w->state)), "1", frac,
                     w->threshold);
    rft_case_gain waited = {frac, "the share of that waiting"};
    return rft_case_offer(
        answer, rft_case_least(waited, rft_case_slack(c)), RFT_ADVICE_COUNTED,
        rft_arena_printf(c->arena, "%s: %s of the waiting is %s", w->what, rft_case_percent(c, frac), w->where));
}

/* The fix for latency is to ask earlier. */
rft_rule_verdict rft_rule_prefetch(const rft_advice_case *c, rft_rule_answer *answer) {
    const wait w = {RFT_COUNTER_STALL_LONG_SCOREBOARD, MOSTLY_MEMORY_WAIT, "load ahead", "for global memory"};
    rft_case_remedy(answer, RFT_QUANTITY_STAGES, true, "prefetch the next piece before this one is used");
    rft_case_remedy(answer, RFT_QUANTITY_LOADS, true, "unroll");
    rft_case_remedy(answer, RFT_QUANTITY_NONE, true, "copy asynchronously");
    return waiting(c, answer, &w);
}

/* The chart: synchronisation. */
rft_rule_verdict rft_rule_barrier(const rft_advice_case *c, rft_rule_answer *answer) {
    const wait w = {RFT_COUNTER_STALL_BARRIER, MUCH_BARRIER_WAIT, "synchronise less", "at barriers"};
    bool fed = rft_case_is_fed(c);
    if (!fed) {
        rft_case_remedy(answer, RFT_QUANTITY_THREADS, false, "smaller blocks");
    }
    rft_case_remedy(answer, RFT_QUANTITY_STAGES, true, "more stages");
    if (!fed) {
        rft_case_remedy(answer, RFT_QUANTITY_NONE, true, "shuffles within a warp");
    }
    return waiting(c, answer, &w);
}

static rft_rule_verdict lacks_floor(const rft_advice_case *c, rft_rule_answer *answer) {
    bool batch = rft_point_measurement(c->point)->batch > 1;
    return rft_case_lacks(answer, "launch_floor", batch ? "samples are batches, which hide it" : "not measured");
}

/* Launch overhead. */
rft_rule_verdict rft_rule_graph(const rft_advice_case *c, rft_rule_answer *answer) {
    double floor_s = c->floor_s;
    if (isnan(floor_s)) {
        return lacks_floor(c, answer);
    }
    rft_case_trigger(answer, "launch_floor", "s", floor_s, NAN);
    rft_case_trigger(answer, "launch_floor_frac", "1", floor_s / c->median_s, 1.0 / RFT_NEAR_FLOOR);
    rft_case_gain gain = {floor_s / c->median_s, "an empty kernel between the same two events"};
    answer->advice.with = "another launch";
    return rft_case_offer(answer, rft_case_least(gain, rft_case_roof(c)), RFT_ADVICE_MEASURED,
                          rft_arena_printf(c->arena,
                                           "launch less: an empty kernel takes %s of its %s; replay a CUDA graph, or "
                                           "launch the next kernel early (programmatic dependent launch)",
                                           rft_case_si(c, floor_s, "s"), rft_case_si(c, c->median_s, "s")));
}

/* Another implementation, as exact, may be faster already. The only gain here that is proven. */
rft_rule_verdict rft_rule_baseline(const rft_advice_case *c, rft_rule_answer *answer) {
    const rft_baseline **baselines = NULL;
    size_t count = rft_run_baselines(c->run, c->point->sweep, c->point->problem, c->arena, &baselines);
    const rft_baseline *fastest = NULL;
    for (size_t i = 0; i < count; i++) {
        bool fair = baselines[i]->same_protocol && rft_baseline_is_measured(baselines[i]) &&
                    !rft_versus_of(c->run, c->point, baselines[i]).tie &&
                    !rft_errors_larger(&baselines[i]->verification, &c->point->verification);
        double time_s = baselines[i]->measurement.stats.median;
        if (fair && (!fastest || time_s < fastest->measurement.stats.median)) {
            fastest = baselines[i];
        }
    }
    if (!fastest) {
        return RFT_RULE_SILENT;
    }
    double time_s = fastest->measurement.stats.median;
    rft_case_trigger(answer, "baseline_time", "s", time_s, c->median_s);
    rft_case_gain gain = {1.0 - time_s / c->median_s, "a kernel that exists, measured in this run"};
    return rft_case_offer(answer, gain, RFT_ADVICE_MEASURED,
                          rft_arena_printf(c->arena, "look at what is faster: %s needs %s, this %s%s%s",
                                           rft_baseline_label(fastest, c->arena), rft_case_si(c, time_s, "s"),
                                           rft_case_si(c, c->median_s, "s"), fastest->algo ? "; it uses " : "",
                                           fastest->algo ? fastest->algo : ""));
}

/* Group what is too small to keep memory busy while its first bytes are on their way. */
rft_rule_verdict rft_rule_batch(const rft_advice_case *c, rft_rule_answer *answer) {
    double needed = bytes_needed(c);
    double own = rft_work_bytes(&c->point->work) / (double)c->run->gpu.sms;
    if (!waits_on_dram(c) || !(own / (own + needed) < NEAR_OPTIMAL)) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, "bytes_per_sm", "B", own, needed * NEAR_OPTIMAL / (1.0 - NEAR_OPTIMAL));
    answer->advice.gain_of = "the time of one problem";
    return rft_case_offer(
        answer, rft_case_roof(c), RFT_ADVICE_DECLARED,
        rft_arena_printf(c->arena,
                         "batch: all its data is %s an SM, and memory needs %s on the way at any time; "
                         "take several problems in one launch, or prefetch the next into the L2",
                         rft_case_si(c, own, "B"), rft_case_si(c, needed, "B")));
}
