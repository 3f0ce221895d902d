/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/amount.h"

#include "model/roofline/counted.h"
#include "model/roofline/held_clock.h"

#include <math.h>

/* Every measured ceiling of a working kernel lies above half its hardware limit (docs/roofline.md). */
#define LEAST_OF_LIMIT 0.5
/* Lanes of an SM that every architecture from 7.5 on has at least: CUDA C++ Programming Guide, throughput of native
 * arithmetic instructions (32-bit integer add; exp2). */
#define LEAST_INT32_LANES 64.0
#define LEAST_SFU_LANES 16.0
#define ISSUE_SLOTS 4.0 /* warp instructions per SM and clock */

#define CEILING_OF(name, ...) [RFT_PIPE_##name] = RFT_CEILING_##name,
static const rft_ceiling_id pipe_ceilings[RFT_PIPE_COUNT] = {RFT_PIPE_MAP(CEILING_OF)};

rft_ceiling_id rft_amount_pipe_ceiling(rft_pipe pipe) {
    return pipe < RFT_PIPE_COUNT ? pipe_ceilings[pipe] : RFT_CEILING_COUNT;
}

#define PIPE_CASE(name, ...) case RFT_PIPE_##name:

/* A rate reached for certain by a ceiling: measured, or half the hardware's limit. */
static double least_of_ceiling(const rft_ceilings *ceilings, rft_ceiling_id id) {
    if (id >= RFT_CEILING_COUNT) {
        return NAN;
    }
    const rft_ceiling *ceiling = &ceilings->items[id]; /* a lower bound is certain, too */
    return ceiling->measured ? ceiling->stats.median : LEAST_OF_LIMIT * ceiling->limit;
}

static double least_of_pipe(const rft_run *run, rft_pipe pipe) {
    double rate = least_of_ceiling(&run->ceilings, rft_amount_pipe_ceiling(pipe));
    if (!isnan(rate)) {
        return rate;
    }
    double sm_clocks = (double)run->gpu.sms * (double)run->gpu.sm_clock_khz * 1e3;
    switch (pipe) {
    case RFT_PIPE_INT32:
        return sm_clocks > 0.0 ? LEAST_OF_LIMIT * LEAST_INT32_LANES * sm_clocks : NAN;
    case RFT_PIPE_SFU:
        return sm_clocks > 0.0 ? LEAST_OF_LIMIT * LEAST_SFU_LANES * sm_clocks : NAN;
    case RFT_PIPE_TENSOR_FP64:
        return least_of_ceiling(&run->ceilings, RFT_CEILING_FP64);
    case RFT_PIPE_FP64:
        RFT_ATOMIC_PIPE_MAP(PIPE_CASE)
        return NAN;
    default: /* packed halves and tensor cores are nowhere slower than FP32 */
        return least_of_ceiling(&run->ceilings, RFT_CEILING_FP32);
    }
}

bool rft_amount_fits_l2(const rft_run *run, const rft_point *point) {
    const rft_measurement *measurement = rft_point_measurement(point);
    return measurement != NULL && measurement->cache == RFT_CACHE_HOT &&
           rft_work_bytes(&point->work) <= (double)run->gpu.l2_bytes;
}

static rft_amount amount_at(const rft_run *run, rft_resource resource, rft_ceiling_id ceiling, double amount,
                            rft_evidence evidence) {
    return (rft_amount){.resource = resource,
                        .pipe = RFT_PIPE_COUNT,
                        .amount = amount,
                        .ceiling = ceiling,
                        .rate = rft_ceilings_rate(&run->ceilings, ceiling),
                        .least_rate = least_of_ceiling(&run->ceilings, ceiling),
                        .evidence = evidence};
}

/* ISSUE has no ceiling: its rate is at the point's clock already. */
static size_t with_clock_rates(const rft_run *run, const rft_point *point, rft_amount *amounts, size_t count) {
    const rft_measurement *measurement = rft_point_measurement(point);
    double clock_mhz = measurement ? measurement->clock_mhz : (double)NAN;
    for (size_t i = 0; i < count; i++) {
        rft_amount *amount = &amounts[i];
        amount->clock_rate = amount->resource == RFT_RESOURCE_ISSUE
                                 ? amount->rate
                                 : rft_ceiling_rate_at(&run->ceilings, amount->ceiling, clock_mhz);
    }
    return count;
}

static rft_amount amount_on_pipe(const rft_run *run, rft_pipe pipe, double ops, rft_evidence evidence) {
    rft_amount amount = amount_at(run, RFT_RESOURCE_PIPE, rft_amount_pipe_ceiling(pipe), ops, evidence);
    amount.pipe = pipe;
    amount.least_rate = least_of_pipe(run, pipe);
    return amount;
}

static rft_amount declared_bytes(const rft_run *run, const rft_point *point) {
    double bytes = rft_work_bytes(&point->work);
    if (rft_amount_fits_l2(run, point)) {
        return amount_at(run, RFT_RESOURCE_L2, RFT_CEILING_L2_READ, bytes, RFT_EVIDENCE_DECLARED);
    }
    rft_ceiling_id ceiling = rft_bound_dram_ceiling(&run->ceilings, rft_work_read_frac(&point->work));
    return amount_at(run, RFT_RESOURCE_DRAM, ceiling, bytes, RFT_EVIDENCE_DECLARED);
}

double rft_amount_certain_dram_bytes(const rft_run *run, const rft_work *work, rft_cache_mode cache) {
    double l2_bytes = (double)run->gpu.l2_bytes;
    if (cache == RFT_CACHE_HOT) {
        return fmax(0.0, rft_work_bytes(work) - 2.0 * l2_bytes);
    }
    return work->bytes_read + fmax(0.0, work->bytes_written - l2_bytes);
}

size_t rft_amounts_of_work(const rft_run *run, const rft_point *point, rft_amount *out) {
    size_t count = 0;
    if (rft_work_bytes(&point->work) > 0.0) {
        out[count++] = declared_bytes(run, point);
    }
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        if (point->work.pipe_ops[i] > 0.0) {
            out[count++] = amount_on_pipe(run, (rft_pipe)i, point->work.pipe_ops[i], RFT_EVIDENCE_DECLARED);
        }
    }
    return with_clock_rates(run, point, out, count);
}

/* What is known of a point beside its work: counted where it was counted, else modelled. */
typedef struct known_traffic {
    rft_traffic counted, modelled;
} known_traffic;

typedef struct known_amount {
    double amount; /* NaN = not known */
    rft_evidence evidence;
} known_amount;

static known_amount known_of(const known_traffic *known, double counted, double modelled) {
    if (known->counted.present && !isnan(counted)) {
        return (known_amount){counted, known->counted.evidence};
    }
    return (known_amount){known->modelled.present ? modelled : (double)NAN, known->modelled.evidence};
}

static known_amount level_of(const known_traffic *known, int level) {
    return known_of(known, known->counted.level_bytes[level], known->modelled.level_bytes[level]);
}

/* Levels as traffic has them. The declared bytes stand in at the one level they are judged at. */
static size_t levels_with_traffic(const rft_run *run, const rft_point *point, const known_traffic *known,
                                  rft_amount *out) {
    static const struct {
        rft_resource resource;
        rft_ceiling_id ceiling;
    } levels[RFT_LEVEL_COUNT] = {[RFT_LEVEL_DRAM] = {RFT_RESOURCE_DRAM, RFT_CEILING_DRAM_COPY},
                                 [RFT_LEVEL_L2] = {RFT_RESOURCE_L2, RFT_CEILING_L2_READ},
                                 [RFT_LEVEL_L1] = {RFT_RESOURCE_L1, RFT_CEILING_L1_READ},
                                 [RFT_LEVEL_SHARED] = {RFT_RESOURCE_SHARED, RFT_CEILING_SHARED_READ}};
    bool declared_needed = rft_work_bytes(&point->work) > 0.0;
    rft_amount declared = {0};
    if (declared_needed) {
        declared = declared_bytes(run, point);
    }
    size_t count = 0;
    for (int i = 0; i < RFT_LEVEL_COUNT; i++) {
        known_amount bytes = level_of(known, i);
        if (isnan(bytes.amount)) {
            continue;
        }
        declared_needed = declared_needed && declared.resource != levels[i].resource;
        rft_ceiling_id ceiling = levels[i].ceiling;
        if (i == RFT_LEVEL_DRAM) {
            bool counted = known->counted.present && !isnan(known->counted.level_bytes[i]);
            double read_frac = counted ? known->counted.dram_read_frac : known->modelled.dram_read_frac;
            ceiling =
                rft_bound_dram_ceiling(&run->ceilings, isnan(read_frac) ? rft_work_read_frac(&point->work) : read_frac);
        }
        if (bytes.amount > 0.0) {
            out[count++] = amount_at(run, levels[i].resource, ceiling, bytes.amount, bytes.evidence);
        }
    }
    if (declared_needed) {
        out[count++] = declared;
    }
    return count;
}

size_t rft_amounts_with_traffic(const rft_run *run, const rft_point *point, rft_amount *out) {
    const known_traffic known = {rft_counted_traffic(point), point->traffic};
    if (!known.counted.present && !known.modelled.present) {
        return rft_amounts_of_work(run, point, out);
    }
    size_t count = levels_with_traffic(run, point, &known, out);
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        known_amount ops = known_of(&known, known.counted.pipe_ops[i], known.modelled.pipe_ops[i]);
        if (isnan(ops.amount)) {
            ops = (known_amount){point->work.pipe_ops[i], RFT_EVIDENCE_DECLARED};
        }
        if (ops.amount > 0.0) {
            out[count++] = amount_on_pipe(run, (rft_pipe)i, ops.amount, ops.evidence);
        }
    }
    const rft_measurement *measurement = rft_point_measurement(point);
    double clock_mhz = measurement ? measurement->clock_mhz : NAN;
    known_amount issued = known_of(&known, known.counted.warp_instructions, known.modelled.warp_instructions);
    if (issued.amount > 0.0 && clock_mhz > 0.0 && run->gpu.sms > 0) {
        out[count] = amount_at(run, RFT_RESOURCE_ISSUE, RFT_CEILING_COUNT, issued.amount, issued.evidence);
        out[count].rate = ISSUE_SLOTS * (double)run->gpu.sms * clock_mhz * 1e6;
        out[count].least_rate = out[count].rate;
        count++;
    }
    return with_clock_rates(run, point, out, count);
}
