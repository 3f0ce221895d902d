/* SPDX-License-Identifier: Apache-2.0 */
/* Counts that cannot be: a wrong number with a good name is worse than none. */
#include "model/run/counters.h"

#include "base/str.h"

#include <math.h>

#define SLACK 1.02 /* readings of several passes, each with its own clock */
#define WARP 32.0

typedef struct checking {
    rft_counters *counters;
    rft_arena *arena;
    size_t withdrawn;
} checking;

static double value_of(const checking *c, rft_counter counter) {
    return c->counters->values[counter];
}

static void withdraw(checking *c, rft_counter counter, const char *why) {
    if (isnan(value_of(c, counter))) {
        return;
    }
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "counted ");
    rft_str_add_double(&text, value_of(c, counter));
    rft_str_addf(&text, " %s, %s", rft_counter_unit(counter), why);
    c->counters->values[counter] = NAN;
    c->counters->reasons[counter] = rft_arena_strdup(c->arena, rft_str_get(&text));
    c->withdrawn++;
    rft_str_clear(&text);
}

static void check_each(checking *c) {
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        rft_counter counter = (rft_counter)i;
        double value = value_of(c, counter);
        bool is_share = rft_text_equal(rft_counter_unit(counter), "1") || counter == RFT_COUNTER_ISSUE;
        if (isinf(value)) {
            withdraw(c, counter, "which is no number");
        } else if (value < 0.0) {
            withdraw(c, counter, "which is below zero");
        } else if (is_share && value > SLACK) {
            withdraw(c, counter, "which is more than there is");
        } else if (isnan(value) && !c->counters->reasons[counter]) {
            c->counters->reasons[counter] = "the profiler gave no number";
        }
    }
    const rft_counter per_sector[] = {RFT_COUNTER_LOAD_BYTES_PER_SECTOR, RFT_COUNTER_STORE_BYTES_PER_SECTOR};
    for (size_t i = 0; i < 2; i++) {
        /* Lanes that read the same word count it for each: more than 32 bytes a sector are possible, 32 x 32 at most.
         */
        if (value_of(c, per_sector[i]) > 32.0 * WARP) {
            withdraw(c, per_sector[i], "more than a warp can ask of a sector");
        }
    }
    if (value_of(c, RFT_COUNTER_TIME) == 0.0) {
        withdraw(c, RFT_COUNTER_TIME, "though something ran");
    }
}

static void check_together(checking *c) {
    double sectors = value_of(c, RFT_COUNTER_L2_READ) + value_of(c, RFT_COUNTER_L2_WRITE);
    double atomic = value_of(c, RFT_COUNTER_L2_ATOMIC);
    if (!isnan(atomic) && value_of(c, RFT_COUNTER_L2_HIT) > SLACK * (sectors + atomic)) {
        withdraw(c, RFT_COUNTER_L2_HIT, "more than the sectors asked for");
    }
    if (value_of(c, RFT_COUNTER_SHARED_CONFLICTS) > SLACK * value_of(c, RFT_COUNTER_SHARED_WAVEFRONTS)) {
        withdraw(c, RFT_COUNTER_SHARED_CONFLICTS, "more than all wavefronts");
    }
    static const rft_counter arithmetic[] = {RFT_COUNTER_FADD, RFT_COUNTER_FMUL, RFT_COUNTER_FFMA,
                                             RFT_COUNTER_DADD, RFT_COUNTER_DMUL, RFT_COUNTER_DFMA,
                                             RFT_COUNTER_HADD, RFT_COUNTER_HMUL, RFT_COUNTER_HFMA};
    double executed = WARP * value_of(c, RFT_COUNTER_WARP_INSTRUCTIONS), sum = 0.0;
    for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++) {
        double value = value_of(c, arithmetic[i]);
        sum += isnan(value) ? 0.0 : value;
    }
    /* Twice: Blackwell's packed FP32 instructions are counted as the two that they do. */
    if (sum > 2.0 * SLACK * executed) {
        withdraw(c, RFT_COUNTER_WARP_INSTRUCTIONS, "fewer than its arithmetic takes");
    }
}

static void check_device(checking *c, const rft_gpu_info *gpu) {
    double seconds = value_of(c, RFT_COUNTER_TIME);
    double bus = 2.0 * (double)gpu->memory_clock_khz * 1e3 * (double)gpu->memory_bus_bits / 8.0;
    double dram = value_of(c, RFT_COUNTER_DRAM_READ) + value_of(c, RFT_COUNTER_DRAM_WRITE);
    if (bus > 0.0 && dram > SLACK * bus * seconds) {
        withdraw(c, RFT_COUNTER_DRAM_READ, "with the writes more than the bus can carry in that time");
        withdraw(c, RFT_COUNTER_DRAM_WRITE, "with the reads more than the bus can carry in that time");
    }
    double cycles = (double)gpu->sm_clock_khz * 1e3 * seconds * (double)gpu->sms;
    if (cycles > 0.0 && value_of(c, RFT_COUNTER_FFMA) > SLACK * cycles * (double)rft_gpu_info_fp32_lanes(gpu) &&
        rft_gpu_info_fp32_lanes(gpu) > 0) {
        withdraw(c, RFT_COUNTER_FFMA, "more than the lanes can do in that time");
    }
    if (gpu->sm_clock_khz > 0 && value_of(c, RFT_COUNTER_SM_CLOCK) > SLACK * (double)gpu->sm_clock_khz * 1e3) {
        withdraw(c, RFT_COUNTER_SM_CLOCK, "above the highest clock");
    }
    if (cycles > 0.0 && value_of(c, RFT_COUNTER_SHARED_WAVEFRONTS) > SLACK * cycles) {
        withdraw(c, RFT_COUNTER_SHARED_WAVEFRONTS, "more than one per SM and cycle");
    }
}

size_t rft_counters_check(rft_counters *counters, const rft_gpu_info *gpu, rft_arena *arena) {
    checking c = {.counters = counters, .arena = arena};
    check_each(&c);
    check_together(&c);
    if (gpu) {
        check_device(&c, gpu);
    }
    return c.withdrawn;
}
