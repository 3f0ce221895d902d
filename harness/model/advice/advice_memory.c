/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for what memory holds back: the memory side of the decision tree and the reading of the chart. */
#include "model/advice/advice_parts.h"
#include "model/roofline/amount.h"
#include "model/roofline/counted.h"

#include <math.h>

#define COALESCED_BYTES 28.0 /* decision tree: 87.5 % of a sector */
#define VECTOR_BYTES 16.0    /* decision tree: 128-bit accesses */
#define LOW_L2_HITS 0.3      /* decision tree */
#define REREAD 1.1           /* ours: twice the 5 % at which counted and declared bytes disagree */
#define IN_SERIES 0.9        /* ours: that much of memory's and arithmetic's time one after the other */
#define IN_SERIES_MOST 1.05  /* ours: beyond, they overlap in part already */
#define MUCH_WASTE 0.25      /* ours: of all sectors, where by its work arithmetic is what it waits for */
#define SECTORS_A_CYCLE 16.0 /* strided loads of a word reach 14 on an H200 */
#define FULL_LINE_SLACK 0.02 /* ours: of a whole number of sectors */

/* A sector's useful bytes: lanes that read the same word count it each, so there may be more than it holds. */
static double useful_of(const rft_advice_case *c, rft_counter counter) {
    return fmin(rft_case_counter(c, counter), RFT_SECTOR_BYTES);
}

/* Of all sectors between the SMs and the L2 those read, or written; NaN = not counted. */
static double sector_share(const rft_advice_case *c, bool reads) {
    double read = rft_case_counter(c, RFT_COUNTER_L2_READ), write = rft_case_counter(c, RFT_COUNTER_L2_WRITE);
    return read + write > 0.0 ? (reads ? read : write) / (read + write) : (double)NAN;
}

/* Asynchronous and bulk copies are no loads to this counter: it reads 0 where nothing else is loaded. */
static bool has_plain_loads(const rft_advice_case *c) {
    return rft_case_counter(c, RFT_COUNTER_LOAD_BYTES_PER_SECTOR) > 0.0;
}

double rft_case_plain_share(const rft_advice_case *c) {
    double cycles = rft_case_counter(c, RFT_COUNTER_L1_LOAD) / RFT_WAVEFRONT_BYTES;
    double each = fmin(rft_case_counter(c, RFT_COUNTER_SECTORS_PER_LOAD), SECTORS_A_CYCLE);
    double share = cycles * each / rft_case_counter(c, RFT_COUNTER_L2_READ);
    return share < 1.0 ? share : 1.0;
}

bool rft_case_is_copied(const rft_advice_case *c) {
    return rft_case_plain_share(c) < 0.5;
}

bool rft_case_is_fed(const rft_advice_case *c) {
    return rft_pipe_is_tensor(rft_work_main_pipe(&c->point->work)) && rft_case_is_copied(c);
}

bool rft_case_adds(const rft_advice_case *c) {
    return c->bound.share_count > 0 && rft_pipe_is_atomic(c->bound.shares[0].pipe);
}

bool rft_case_memory_holds(const rft_advice_case *c) {
    bool memory = c->bound.resource == RFT_RESOURCE_DRAM || c->bound.resource == RFT_RESOURCE_L2;
    return memory && c->bound.firmness == RFT_FIRM_BOUND;
}

/* A whole warp's piece of memory, without gaps, that starts within a sector: one sector more than it needs. */
static bool is_misaligned(const rft_advice_case *c) {
    double sectors = rft_case_counter(c, RFT_COUNTER_SECTORS_PER_LOAD);
    double pieces = sectors * useful_of(c, RFT_COUNTER_LOAD_BYTES_PER_SECTOR) / (4.0 * RFT_SECTOR_BYTES);
    bool whole = fabs(pieces - round(pieces)) < FULL_LINE_SLACK * pieces && round(pieces) >= 1.0;
    double more = sectors - 4.0 * pieces;
    return whole && more > 0.5 && more < 1.5;
}

/* Decision tree, memory 1; docs/corrections.md, E9. Sectors fetched for a few of their bytes. */
rft_rule_verdict rft_rule_coalesce(const rft_advice_case *c, rft_rule_answer *answer) {
    double load_waste = NAN, store_waste = NAN;
    if (has_plain_loads(c)) {
        double wasted = 1.0 - useful_of(c, RFT_COUNTER_LOAD_BYTES_PER_SECTOR) / RFT_SECTOR_BYTES;
        load_waste = rft_case_is_copied(c) ? 0.0 : sector_share(c, true) * rft_case_plain_share(c) * wasted;
    }
    if (rft_case_counter(c, RFT_COUNTER_STORE_BYTES_PER_SECTOR) > 0.0) {
        store_waste =
            sector_share(c, false) * (1.0 - useful_of(c, RFT_COUNTER_STORE_BYTES_PER_SECTOR) / RFT_SECTOR_BYTES);
    }
    if (isnan(load_waste) && isnan(store_waste)) {
        return rft_case_lacks_counter(c, answer, RFT_COUNTER_LOAD_BYTES_PER_SECTOR);
    }
    bool stores = isnan(load_waste) || store_waste > load_waste;
    rft_counter counter = stores ? RFT_COUNTER_STORE_BYTES_PER_SECTOR : RFT_COUNTER_LOAD_BYTES_PER_SECTOR;
    double useful = useful_of(c, counter), waste = stores ? store_waste : load_waste;
    double least = c->where & RFT_CASE_MEMORY ? RFT_ADVICE_LEAST_FRAC : MUCH_WASTE;
    if (!(useful < COALESCED_BYTES) || waste < least || (!stores && is_misaligned(c))) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger_counter(c, answer, counter, COALESCED_BYTES);
    rft_case_remedy(answer, stores ? RFT_QUANTITY_STORE_USEFUL : RFT_QUANTITY_LOAD_USEFUL, true,
                    stores ? "let neighbouring threads write neighbouring words, change the layout, or sort by index"
                           : "let neighbouring threads read neighbouring words, change the layout, or sort by index");
    return rft_case_offer(answer, rft_case_room(c), RFT_ADVICE_COUNTED,
                          rft_arena_printf(c->arena, "fix coalescing: %s use %s of the 32 B of a sector",
                                           stores ? "stores" : "loads", rft_arena_fixed(c->arena, useful, 1, " B")));
}

/* Pad to aligned access. */
rft_rule_verdict rft_rule_align(const rft_advice_case *c, rft_rule_answer *answer) {
    double sectors = rft_case_counter(c, RFT_COUNTER_SECTORS_PER_LOAD);
    if (isnan(sectors) || !has_plain_loads(c)) {
        return rft_case_lacks_counter(
            c, answer, isnan(sectors) ? RFT_COUNTER_SECTORS_PER_LOAD : RFT_COUNTER_LOAD_BYTES_PER_SECTOR);
    }
    if (!is_misaligned(c)) {
        return RFT_RULE_SILENT;
    }
    double needed = round(sectors - 1.0);
    rft_case_trigger_counter(c, answer, RFT_COUNTER_SECTORS_PER_LOAD, needed);
    rft_case_remedy(answer, RFT_QUANTITY_SECTORS, false, "start rows and buffers at multiples of 128 B (pad)");
    rft_case_gain waste = {sector_share(c, true) * rft_case_plain_share(c) * (1.0 - needed / sectors),
                           "the sectors loaded beyond those needed"};
    return rft_case_offer(answer, rft_case_least(waste, rft_case_room(c)), RFT_ADVICE_COUNTED,
                          rft_arena_printf(c->arena, "align: a warp's load takes %s sectors where %.0f would do",
                                           rft_arena_fixed(c->arena, sectors, 1, ""), needed));
}

/* Decision tree, memory 2; docs/corrections.md, E32: wide accesses need fewer instructions and keep more bytes in
 * flight. */
rft_rule_verdict rft_rule_vectorise(const rft_advice_case *c, rft_rule_answer *answer) {
    double sectors = rft_case_counter(c, RFT_COUNTER_SECTORS_PER_LOAD);
    if (isnan(sectors) || !has_plain_loads(c)) {
        return rft_case_lacks_counter(
            c, answer, isnan(sectors) ? RFT_COUNTER_SECTORS_PER_LOAD : RFT_COUNTER_LOAD_BYTES_PER_SECTOR);
    }
    double useful = useful_of(c, RFT_COUNTER_LOAD_BYTES_PER_SECTOR);
    double bytes = rft_quantity_of(RFT_QUANTITY_LOAD_BYTES, c->point);
    if (useful < COALESCED_BYTES || rft_case_is_copied(c) || rft_case_adds(c) ||
        !(bytes > 0.0 && bytes <= 0.75 * VECTOR_BYTES)) { /* ids and partly filled warps lower the mean */
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, "bytes_per_thread_load", "B", bytes, VECTOR_BYTES);
    rft_case_remedy(answer, RFT_QUANTITY_LOAD_BYTES, true, "load 16 B (float4, uint4)");
    return rft_case_offer(answer, rft_case_slack(c), RFT_ADVICE_COUNTED,
                          rft_arena_printf(c->arena, "vectorise: a thread loads %s at a time",
                                           rft_arena_fixed(c->arena, bytes, 1, " B")));
}

/* Bytes that device memory moved, counted or modelled; NaN. */
static double dram_bytes(const rft_advice_case *c, rft_advice_evidence *evidence) {
    rft_traffic counted = rft_counted_traffic(c->point);
    *evidence = RFT_ADVICE_COUNTED;
    if (counted.present && !isnan(counted.level_bytes[RFT_LEVEL_DRAM])) {
        return counted.level_bytes[RFT_LEVEL_DRAM];
    }
    *evidence = RFT_ADVICE_MODELLED;
    return c->point->traffic.present ? c->point->traffic.level_bytes[RFT_LEVEL_DRAM] : (double)NAN;
}

/* What could be saved if only the compulsory bytes moved. */
static rft_case_gain excess_gain(const rft_advice_case *c, double bytes) {
    double rate = rft_work_bytes(&c->point->work) / c->memory_s;
    rft_case_gain gain = {(bytes - rft_work_bytes(&c->point->work)) / rate / c->median_s,
                          "the bytes beyond the compulsory ones, at device memory's ceiling"};
    return rft_case_least(gain, rft_case_room(c));
}

/* Decision tree, memory 3; docs/corrections.md, E11. With a cold cache the compulsory misses are no fault: only what is
 * fetched again is. */
rft_rule_verdict rft_rule_l2_residency(const rft_advice_case *c, rft_rule_answer *answer) {
    double compulsory = rft_work_bytes(&c->point->work), hits = NAN;
    if (c->run->gpu.l2_bytes <= 0 || compulsory > (double)c->run->gpu.l2_bytes) {
        return RFT_RULE_SILENT;
    }
    if (c->point->counters) {
        hits = rft_counters_l2_hit_frac(c->point->counters);
    }
    if (isnan(hits)) {
        return rft_case_lacks_counter(c, answer, RFT_COUNTER_L2_HIT);
    }
    rft_advice_evidence evidence;
    double moved = dram_bytes(c, &evidence);
    if (hits >= LOW_L2_HITS || !(moved > REREAD * compulsory)) {
        return RFT_RULE_SILENT;
    }
    rft_case_remedy(answer, RFT_QUANTITY_L2_HITS, true,
                    "reuse sooner, stream what is used once, or set a persisting window");
    rft_case_trigger(answer, "l2_hit_frac", "1", hits, LOW_L2_HITS);
    rft_case_trigger(answer, "compulsory_bytes", "B", compulsory, (double)c->run->gpu.l2_bytes);
    return rft_case_offer(answer, excess_gain(c, moved), RFT_ADVICE_COUNTED,
                          rft_arena_printf(c->arena, "keep it in the L2: its %s fit, yet only %s of the sectors hit",
                                           rft_case_si(c, compulsory, "B"), rft_case_percent(c, hits)));
}

/* Thrashing: more bytes through device memory than anyone must move, though its sectors are well used. */
rft_rule_verdict rft_rule_reread(const rft_advice_case *c, rft_rule_answer *answer) {
    rft_advice_evidence evidence;
    double compulsory = rft_work_bytes(&c->point->work), moved = dram_bytes(c, &evidence);
    if (isnan(moved)) {
        return rft_case_lacks_counter(c, answer, RFT_COUNTER_DRAM_READ);
    }
    bool scattered = has_plain_loads(c) && useful_of(c, RFT_COUNTER_LOAD_BYTES_PER_SECTOR) < COALESCED_BYTES;
    double asked = rft_case_counter(c, RFT_COUNTER_L2_READ) + rft_case_counter(c, RFT_COUNTER_L2_WRITE);
    bool once =
        asked * RFT_SECTOR_BYTES <= REREAD * compulsory; /* device memory brings two sectors for one, or writes */
    if (!(compulsory > 0.0) || !(moved > REREAD * compulsory) || scattered || once) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, "dram_bytes", "B", moved, REREAD * compulsory);
    rft_case_remedy(answer, RFT_QUANTITY_DRAM_BYTES, false,
                    "larger tiles, or an order of blocks that shares what is in the L2");
    return rft_case_offer(answer, excess_gain(c, moved), evidence,
                          rft_arena_printf(c->arena, "read it once: device memory moves %s where %s must move",
                                           rft_case_si(c, moved, "B"), rft_case_si(c, compulsory, "B")));
}

/* Decision tree, memory 6. Memory and arithmetic that take turns: their times add up to the whole. */
rft_rule_verdict rft_rule_overlap(const rft_advice_case *c, rft_rule_answer *answer) {
    const rft_share *memory = NULL, *arithmetic = NULL;
    for (size_t i = 0; i < c->bound.share_count; i++) { /* largest first */
        const rft_share *share = &c->bound.shares[i];
        bool pipe = share->resource == RFT_RESOURCE_PIPE;
        memory = !memory && !pipe && share->resource <= RFT_RESOURCE_SHARED ? share : memory;
        arithmetic = !arithmetic && pipe ? share : arithmetic;
    }
    if (!memory || !arithmetic) {
        return RFT_RULE_SILENT;
    }
    double sum = memory->frac + arithmetic->frac, lesser = fmin(memory->frac, arithmetic->frac);
    double greater = fmax(memory->frac, arithmetic->frac);
    if (sum < IN_SERIES || sum > IN_SERIES_MOST || c->bound.firmness == RFT_FIRM_BOUND) {
        return RFT_RULE_SILENT;
    }
    rft_case_trigger(answer, "memory_and_arithmetic_frac", "1", sum, IN_SERIES);
    rft_case_gain shorter = {lesser, "the shorter of the two"};
    rft_case_gain rest = {1.0 - greater, rft_arena_printf(c->arena, "what the longer of the two, %s, leaves",
                                                          rft_case_percent(c, greater))};
    rft_case_remedy(answer, RFT_QUANTITY_STAGES, true, "pipeline the copies (more stages)");
    rft_advice_evidence evidence = memory->evidence == RFT_EVIDENCE_COUNTED    ? RFT_ADVICE_COUNTED
                                   : memory->evidence == RFT_EVIDENCE_MODELLED ? RFT_ADVICE_MODELLED
                                                                               : RFT_ADVICE_DECLARED;
    return rft_case_offer(
        answer, rft_case_least(rft_case_least(shorter, rest), rft_case_room(c)), evidence,
        rft_arena_printf(
            c->arena, "overlap: %s (%s of the time) and %s (%s) add up to all of it, as if one waited for the other",
            rft_resource_name(memory->resource, memory->pipe), rft_case_percent(c, memory->frac),
            rft_resource_name(arithmetic->resource, arithmetic->pipe), rft_case_percent(c, arithmetic->frac)));
}
