/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for what the SMs hold back: the arithmetic side of the decision tree, shared memory, registers. */
#include "model/advice/advice_parts.h"
#include "model/card/occupancy.h"

#include <math.h>

#define TENSOR_BUSY_ENOUGH 0.8 /* decision tree */
#define OCCUPANCY_ENOUGH 0.5   /* decision tree */
#define MOST_CONFLICTS 0.5     /* ours: of the shared-memory wavefronts */
#define MATH_ENOUGH 0.8        /* ours: a good SGEMM has 0.94 (64 FFMA beside 4 wide shared loads) */

static rft_pipe main_pipe(const rft_advice_case *c) {
    return rft_work_main_pipe(&c->point->work);
}

/* Decision tree, compute 1. */
rft_rule_verdict rft_rule_tensor_use(const rft_advice_case *c, rft_rule_answer *answer) {
    rft_pipe pipe = main_pipe(c);
    if (!rft_pipe_is_tensor(pipe)) {
        return RFT_RULE_SILENT;
    }
    double busy = rft_case_counter(c, RFT_COUNTER_TENSOR_BUSY);
    if (isnan(busy)) {
        return rft_case_lacks_counter(c, answer, RFT_COUNTER_TENSOR_BUSY);
    }
    if (busy >= TENSOR_BUSY_ENOUGH) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger_counter(c, answer, RFT_COUNTER_TENSOR_BUSY, TENSOR_BUSY_ENOUGH);
    rft_case_remedy(answer, RFT_QUANTITY_TENSOR_BUSY, true, "check tile shapes and alignment");
    rft_case_remedy(answer, RFT_QUANTITY_STAGES, true, "add stages");
    rft_case_gain idle = {1.0 - busy, "the cycles without a matrix instruction"};
    return rft_case_offer(answer, rft_case_least(idle, rft_case_room(c)), RFT_ADVICE_COUNTED,
                          rft_arena_printf(c->arena, "keep the matrix units busy: they work in %s of the cycles",
                                           rft_case_percent(c, busy)));
}

/* What of a level or of atomics is carried too often, and what would carry less; NULL: that is no such thing. */
static const char *carried_closer(const rft_advice_case *c, const rft_share *share, rft_quantity *carried) {
    switch (share->resource) {
    case RFT_RESOURCE_L2:
        *carried = RFT_QUANTITY_L2_BYTES;
        return "larger tiles in shared memory";
    case RFT_RESOURCE_L1:
        *carried = RFT_QUANTITY_L1_BYTES;
        return "stage what threads share in shared memory, or keep more in registers";
    case RFT_RESOURCE_SHARED: /* what conflicts add is theirs to mend */
        *carried = RFT_QUANTITY_SHARED_BYTES;
        return rft_case_counter(c, RFT_COUNTER_SHARED_CONFLICTS) >
                       MOST_CONFLICTS * rft_case_counter(c, RFT_COUNTER_SHARED_WAVEFRONTS)
                   ? NULL
                   : "more results a thread (register tiles), wider shared loads";
    case RFT_RESOURCE_PIPE:
        *carried = RFT_QUANTITY_NONE;
        return rft_pipe_is_atomic(share->pipe) ? "add within a warp or a block before" : NULL;
    default:
        return NULL;
    }
}

/* docs/corrections.md, E18: what a level inside the SM carries too often is kept closer instead. */
rft_rule_verdict rft_rule_reuse(const rft_advice_case *c, rft_rule_answer *answer) {
    if (c->bound.share_count == 0 || c->bound.firmness == RFT_FIRM_NONE) {
        return RFT_RULE_SILENT;
    }
    const rft_share *share = &c->bound.shares[0];
    rft_quantity carried = RFT_QUANTITY_NONE;
    const char *closer = c->bound.resource == share->resource ? carried_closer(c, share, &carried) : NULL;
    if (!closer || c->place.roof == share->resource) {
        return RFT_RULE_SILENT;
    }
    double next = c->bound.share_count > 1 ? c->bound.shares[1].frac : 0.0;
    rft_case_trigger(answer, "bound_frac", "1", share->frac, NAN);
    rft_case_gain gain = {1.0 - next, "the next ceiling"};
    rft_case_remedy(answer, carried, false, closer);
    const char *name = rft_resource_name(share->resource, share->pipe), *taken = rft_case_percent(c, share->frac);
    return rft_case_offer(
        answer, rft_case_least(gain, rft_case_room(c)),
        share->evidence == RFT_EVIDENCE_COUNTED ? RFT_ADVICE_COUNTED : RFT_ADVICE_MODELLED,
        share->resource == RFT_RESOURCE_PIPE
            ? rft_arena_printf(c->arena, "fewer atomics: %s take %s of the time", name, taken)
            : rft_arena_printf(c->arena, "reuse closer to the arithmetic: %s carries as much as takes %s of the time",
                               name, taken));
}

/* A wavefront that a conflict adds takes a cycle of its SM. */
rft_rule_verdict rft_rule_bank_conflicts(const rft_advice_case *c, rft_rule_answer *answer) {
    double conflicts = rft_case_counter(c, RFT_COUNTER_SHARED_CONFLICTS);
    double wavefronts = rft_case_counter(c, RFT_COUNTER_SHARED_WAVEFRONTS);
    if (c->point->facts.shared_static_bytes == 0 && c->point->facts.shared_dynamic_bytes == 0) {
        return RFT_RULE_SILENT;
    }
    if (isnan(conflicts) || isnan(wavefronts)) {
        return rft_case_lacks_counter(c, answer, RFT_COUNTER_SHARED_CONFLICTS);
    }
    if (conflicts <= RFT_ADVICE_LEAST_FRAC * wavefronts || rft_case_memory_holds(c)) {
        return RFT_RULE_SILENT;
    }
    const rft_measurement *measured = rft_point_measurement(c->point);
    double cycles = (double)c->run->gpu.sms * measured->clock_mhz * 1e6 * c->median_s;
    if (!(cycles > 0.0)) {
        return rft_case_lacks(answer, "sm_clock", "no clock was read beside the samples");
    }
    rft_case_remedy(answer, RFT_QUANTITY_CONFLICTS, false, "pad rows or swizzle");
    rft_case_trigger(answer, "conflict_frac", "1", conflicts / wavefronts, RFT_ADVICE_LEAST_FRAC);
    rft_case_gain gain = {conflicts / cycles, "a cycle of an SM for each wavefront that conflicts add"};
    return rft_case_offer(answer, rft_case_least(gain, rft_case_room(c)), RFT_ADVICE_COUNTED,
                          rft_arena_printf(c->arena,
                                           "avoid bank conflicts: they make %s of the shared-memory wavefronts",
                                           rft_case_percent(c, conflicts / wavefronts)));
}

/* Too many registers. */
rft_rule_verdict rft_rule_spills(const rft_advice_case *c, rft_rule_answer *answer) {
    int spilled = c->point->facts.spill_bytes;
    double local = rft_case_counter(c, RFT_COUNTER_LOCAL);
    if (spilled < 0 && isnan(local)) {
        return rft_case_lacks(answer, "spill_bytes", "the compiler's log was not kept");
    }
    if (!(spilled > 0) || local == 0.0) { /* spilled, but never executed */
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, "spill_bytes", "B", spilled, 0.0);
    rft_case_remedy(answer, RFT_QUANTITY_SPILLS, false, "smaller tiles a thread, or fewer threads a block");
    bool counted = !isnan(local);
    if (counted) {
        rft_case_trigger_counter(c, answer, RFT_COUNTER_LOCAL, 0.0);
    }
    return rft_case_offer(answer, rft_case_slack(c), counted ? RFT_ADVICE_COUNTED : RFT_ADVICE_COMPILED,
                          rft_arena_printf(c->arena,
                                           "stop spilling: %d B of registers go to local memory at %d registers a "
                                           "thread",
                                           spilled, c->point->facts.registers));
}

/* What keeps more blocks off an SM: taken away, more would fit. */
static const char *limiter(const rft_advice_case *c) {
    const rft_facts *facts = &c->point->facts;
    const rft_gpu_info *gpu = &c->run->gpu;
    int64_t threads = c->point->has_launch ? c->point->block[0] * c->point->block[1] * c->point->block[2] : 0;
    if (facts->waves < 1.0 && !(facts->occupancy_frac <= facts->waves)) {
        return "the grid is small";
    }
    if (threads < 1 || threads > gpu->max_threads_per_block || facts->registers < 0 || facts->shared_static_bytes < 0) {
        return "cut registers or shared memory";
    }
    int64_t shared = facts->shared_static_bytes + (facts->shared_dynamic_bytes > 0 ? facts->shared_dynamic_bytes : 0);
    int now = rft_occupancy_blocks(gpu, (int)threads, facts->registers, shared);
    bool by_registers = rft_occupancy_blocks(gpu, (int)threads, -1, shared) > now;
    bool by_shared = rft_occupancy_blocks(gpu, (int)threads, facts->registers, 0) > now;
    if (by_registers && !by_shared) {
        return rft_arena_printf(c->arena, "%d registers a thread limit it", facts->registers);
    }
    if (by_shared && !by_registers) {
        return rft_arena_printf(c->arena, "%s of shared memory a block limit it", rft_case_si(c, (double)shared, "B"));
    }
    return by_registers ? "registers and shared memory limit it"
                        : rft_arena_printf(c->arena, "registers (%d) and shared memory (%s) limit it only together",
                                           facts->registers, rft_case_si(c, (double)shared, "B"));
}

static double resident_of(const rft_point *point) {
    return point->facts.occupancy_frac * fmin(point->facts.waves, 1.0);
}

/* The same kernel reaches a ceiling on another problem with as few: they are enough for it. */
static bool is_enough_elsewhere(const rft_advice_case *c) {
    const rft_point *own = c->point;
    for (size_t p = 0; p < c->run->sweeps[own->sweep].sweep.problem_count; p++) {
        const rft_point *other = p == own->problem ? NULL : rft_run_best(c->run, own->sweep, own->variant, p);
        if (other && resident_of(other) <= (1.0 + RFT_TRIED_STEP_FRAC) * resident_of(own) &&
            rft_bound_whole_of(c->run, other).firmness == RFT_FIRM_BOUND) {
            return true;
        }
    }
    return false;
}

/* Decision tree, compute 2; "128 registers are 25 %". Only where no ceiling is near: few warps may well be enough. */
rft_rule_verdict rft_rule_occupancy(const rft_advice_case *c, rft_rule_answer *answer) {
    if (isnan(c->occupancy_frac)) {
        return rft_case_lacks_counter(c, answer, RFT_COUNTER_WARPS_ACTIVE);
    }
    if (c->occupancy_frac >= OCCUPANCY_ENOUGH || rft_case_is_fed(c) || is_enough_elsewhere(c)) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, rft_counter_name(RFT_COUNTER_WARPS_ACTIVE), "1", c->occupancy_frac, OCCUPANCY_ENOUGH);
    rft_case_remedy(answer, RFT_QUANTITY_OCCUPANCY, true, "raise the occupancy, or give each warp more to do at once");
    if (c->point->facts.registers >= 0) {
        rft_case_trigger(answer, "registers", "1", c->point->facts.registers, NAN);
    }
    return rft_case_offer(answer, rft_case_slack(c), c->occupancy_counted ? RFT_ADVICE_COUNTED : RFT_ADVICE_COMPILED,
                          rft_arena_printf(c->arena, "few warps: %s of those that an SM holds are there (%s)",
                                           rft_case_percent(c, c->occupancy_frac), limiter(c)));
}

double rft_math_share(const rft_point *point) {
    static const rft_counter kinds[][3] = {
        {RFT_COUNTER_FADD, RFT_COUNTER_FMUL, RFT_COUNTER_FFMA},
        {RFT_COUNTER_DADD, RFT_COUNTER_DMUL, RFT_COUNTER_DFMA},
        {RFT_COUNTER_HADD, RFT_COUNTER_HMUL, RFT_COUNTER_HFMA},
    };
    rft_pipe pipe = rft_work_main_pipe(&point->work);
    size_t kind = pipe == RFT_PIPE_FP32 ? 0 : pipe == RFT_PIPE_FP64 ? 1 : pipe == RFT_PIPE_FP16 ? 2 : 3;
    if (kind > 2 || !point->counters) {
        return NAN;
    }
    const double *values = point->counters->values;
    double sum = values[kinds[kind][0]] + values[kinds[kind][1]] + values[kinds[kind][2]];
    return sum / RFT_WARP_LANES / values[RFT_COUNTER_WARP_INSTRUCTIONS];
}

/* Decision tree, compute 3: instructions that are no arithmetic take issue slots. */
rft_rule_verdict rft_rule_instructions(const rft_advice_case *c, rft_rule_answer *answer) {
    rft_pipe pipe = main_pipe(c);
    if (pipe != RFT_PIPE_FP32 && pipe != RFT_PIPE_FP64 && pipe != RFT_PIPE_FP16) {
        return RFT_RULE_SILENT;
    }
    double frac = rft_math_share(c->point);
    if (isnan(frac)) {
        bool none = isnan(rft_case_counter(c, RFT_COUNTER_WARP_INSTRUCTIONS));
        return rft_case_lacks_counter(c, answer, none ? RFT_COUNTER_WARP_INSTRUCTIONS : RFT_COUNTER_FFMA);
    }
    if (!(frac < MATH_ENOUGH) || rft_case_memory_holds(c)) {
        return RFT_RULE_SILENT;
    }
    rft_case_gain slots = {NAN, ""};
    for (size_t i = 0; i < c->bound.share_count; i++) {
        if (c->bound.shares[i].resource == RFT_RESOURCE_ISSUE) {
            slots = (rft_case_gain){(1.0 - frac) * c->bound.shares[i].frac, "the issue slots that they take"};
        }
    }
    rft_case_remedy(answer, RFT_QUANTITY_LOADS, true, "unroll");
    rft_case_remedy(answer, RFT_QUANTITY_MATH_SHARE, true, "hoist addresses");
    rft_case_remedy(answer, RFT_QUANTITY_LOAD_BYTES, true, "load wider");
    rft_case_trigger(answer, "arithmetic_instruction_frac", "1", frac, MATH_ENOUGH);
    return rft_case_offer(answer, rft_case_least(slots, rft_case_room(c)), RFT_ADVICE_COUNTED,
                          rft_arena_printf(c->arena, "cut what is no arithmetic: only %s of the instructions are %s",
                                           rft_case_percent(c, frac), rft_pipe_label(pipe)));
}

/* Another precision, so other work. */
rft_rule_verdict rft_rule_tensor_cores(const rft_advice_case *c, rft_rule_answer *answer) {
    rft_pipe pipe = main_pipe(c);
    rft_ceiling_id ceiling = pipe == RFT_PIPE_FP32   ? RFT_CEILING_TENSOR_TF32
                             : pipe == RFT_PIPE_FP16 ? RFT_CEILING_TENSOR_FP16
                             : pipe == RFT_PIPE_FP64 ? RFT_CEILING_TENSOR_FP64
                                                     : RFT_CEILING_COUNT;
    if (ceiling == RFT_CEILING_COUNT || c->place.roof != RFT_RESOURCE_PIPE) {
        return RFT_RULE_SILENT;
    }
    double rate = rft_ceilings_rate(&c->run->ceilings, ceiling);
    if (isnan(rate)) {
        return rft_case_lacks(answer, rft_ceiling_name(ceiling), "this ceiling was not measured");
    }
    double floor_s = fmax(c->point->work.pipe_ops[pipe] / rate, c->memory_s);
    rft_case_trigger(answer, rft_ceiling_name(ceiling), rft_ceiling_unit(ceiling), rate, NAN);
    rft_case_gain gain = {1.0 - floor_s / c->median_s, "the ceilings of the matrix units and of memory"};
    return rft_case_offer(answer, gain, RFT_ADVICE_DECLARED,
                          rft_arena_printf(c->arena,
                                           "if it is a product of matrices and may round as %s does: the matrix units "
                                           "reach %s",
                                           rft_ceiling_label(ceiling),
                                           rft_case_si(c, rate, rft_ceiling_unit(ceiling))));
}
