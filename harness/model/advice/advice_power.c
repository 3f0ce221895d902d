/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice_power.c - rules for points that power, or heat, holds back (bound.h). Their pipe does nearly all that its
 * clock allows, so with the same energy an operation nothing is left: what less of it, or a higher limit, brings is
 * told apart from what the same work could win. The figure to watch is joules an operation.
 */
#include "model/advice/advice_parts.h"

#include <math.h>

#define MUCH_SHARED 0.3 /* ours: of the time, at what the clock allows */
#define IN_PARTS 1.5    /* ours: times the declared operations */
#define MUCH_LOWER 0.85 /* ours: of the run's clock */

/* Operations of the pipe that is held: those that it does, of which the work may declare a part alone. */
static double pipe_ops(const rft_advice_case *c) {
    for (size_t i = 0; i < c->bound.share_count; i++) {
        const rft_share *share = &c->bound.shares[i];
        if (share->resource == RFT_RESOURCE_PIPE && share->pipe == c->bound.pipe) {
            return share->seconds * rft_ceilings_rate(&c->run->ceilings, share->ceiling);
        }
    }
    return 0.0;
}

double rft_case_joules_per_op(const rft_advice_case *c) {
    const rft_load *load = c->point->loads[RFT_LOAD_ENERGY];
    double ops = pipe_ops(c);
    return load && ops > 0.0 ? load->joules_per_run / ops : (double)NAN;
}

/* The same cycles at the run's clock, as far as device memory follows. */
static rft_case_gain at_run_clock(const rft_advice_case *c) {
    double dram_frac = 0.0;
    for (size_t i = 0; i < c->bound.share_count; i++) {
        dram_frac = c->bound.shares[i].resource == RFT_RESOURCE_DRAM ? c->bound.shares[i].frac : dram_frac;
    }
    double least = fmax(c->bound.clock.clock_mhz / c->bound.clock.run_mhz, dram_frac);
    return (rft_case_gain){1.0 - least,
                           rft_arena_printf(c->arena, "the run's clock of %.0f MHz", c->bound.clock.run_mhz)};
}

static rft_rule_verdict offer(const rft_advice_case *c, rft_rule_answer *answer, rft_case_gain gain,
                              rft_advice_evidence evidence, const char *text) {
    rft_case_trigger(answer, "joules_per_op", "J", rft_case_joules_per_op(c), NAN);
    rft_case_trigger(answer, "clock_hz", "Hz", c->bound.clock.clock_mhz * 1e6, c->bound.clock.run_mhz * 1e6);
    answer->advice.with = RFT_ADVICE_LESS_ENERGY;
    return rft_case_offer(answer, gain, evidence, text);
}

/* Operands that come from shared memory again and again cost energy each time. */
rft_rule_verdict rft_rule_power_shared(const rft_advice_case *c, rft_rule_answer *answer) {
    const rft_share *shared = NULL;
    for (size_t i = 0; i < c->bound.share_count; i++) {
        shared = c->bound.shares[i].resource == RFT_RESOURCE_SHARED ? &c->bound.shares[i] : shared;
    }
    if (!shared) {
        return rft_case_lacks_counter(c, answer, RFT_COUNTER_SHARED_WAVEFRONTS);
    }
    if (!(shared->clock_frac > MUCH_SHARED) || rft_case_is_library(c)) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, "shared_frac", "1", shared->clock_frac, MUCH_SHARED);
    rft_case_remedy(answer, RFT_QUANTITY_SHARED_BYTES, false, "keep operands in registers over larger pieces a warp");
    rft_advice_evidence evidence = shared->evidence == RFT_EVIDENCE_COUNTED ? RFT_ADVICE_COUNTED : RFT_ADVICE_MODELLED;
    return offer(c, answer, at_run_clock(c), evidence,
                 rft_arena_printf(c->arena, "fewer bytes through shared memory, which is busy %s of the time",
                                  rft_case_percent(c, shared->clock_frac)));
}

rft_rule_verdict rft_rule_power_bits(const rft_advice_case *c, rft_rule_answer *answer) {
    return offer(c, answer, at_run_clock(c), RFT_ADVICE_MEASURED,
                 rft_case_is_library(c)
                     ? "fewer switched bits: zeros, small values, equal ones side by side in the operands"
                     : "fewer switched bits: an operand that stays while the other moves, zeros and "
                       "small values together");
}

/* The half as wide type of a pipe; RFT_CEILING_COUNT. */
static rft_ceiling_id narrower(rft_pipe pipe) {
    switch (pipe) {
    case RFT_PIPE_FP64:
        return RFT_CEILING_FP32;
    case RFT_PIPE_TENSOR_TF32:
        return RFT_CEILING_TENSOR_FP16;
    case RFT_PIPE_TENSOR_BF16:
    case RFT_PIPE_TENSOR_FP16:
        return RFT_CEILING_TENSOR_FP8;
    default:
        return RFT_CEILING_COUNT;
    }
}

/* Of work that is done in several parts of a narrow type there is no narrower one: its result needs what they sum to.
 */
rft_rule_verdict rft_rule_power_narrow(const rft_advice_case *c, rft_rule_answer *answer) {
    rft_ceiling_id id = narrower(c->bound.pipe);
    bool in_parts = pipe_ops(c) > IN_PARTS * c->point->work.pipe_ops[c->bound.pipe];
    if (id == RFT_CEILING_COUNT || in_parts) {
        return RFT_RULE_SILENT;
    }
    double rate = rft_ceilings_rate(&c->run->ceilings, id);
    rate = isnan(rate) ? c->run->ceilings.items[id].datasheet : rate;
    if (isnan(rate)) {
        return rft_case_lacks(answer, rft_ceiling_name(id),
                              "this ceiling was not measured, nor is it in the datasheet");
    }
    double least_s = fmax(pipe_ops(c) / rate, 0.5 * c->memory_s);
    rft_case_gain gain = {1.0 - least_s / c->median_s,
                          rft_arena_printf(c->arena, "the rate of %s", rft_ceiling_label(id))};
    return offer(c, answer, gain, RFT_ADVICE_DECLARED,
                 rft_arena_printf(c->arena, "a lower precision, if the result allows it: %s reaches %s",
                                  rft_ceiling_label(id), rft_case_si(c, rate, rft_ceiling_unit(id))));
}

/* In cycles memory is nearer at a low clock: less has to be on its way. */
rft_rule_verdict rft_rule_power_tiles(const rft_advice_case *c, rft_rule_answer *answer) {
    double frac = c->bound.clock.clock_mhz / c->bound.clock.run_mhz;
    if (!(frac < MUCH_LOWER) || rft_case_is_library(c)) {
        return RFT_RULE_SILENT;
    }
    rft_case_remedy(answer, RFT_QUANTITY_BLOCK_SHARED, false, "smaller tiles");
    rft_case_remedy(answer, RFT_QUANTITY_STAGES, false, "fewer stages");
    return offer(
        c, answer, at_run_clock(c), RFT_ADVICE_MEASURED,
        rft_arena_printf(c->arena, "at %s of the run's clock memory is fewer cycles away", rft_case_percent(c, frac)));
}
