/* SPDX-License-Identifier: Apache-2.0 */
/* From counted quantities to traffic, and against declared work. Formulas and directions: docs/counters.md. */
#include "model/run/counters.h"

#include "base/str.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

#define SECTOR_BYTES 32.0
#define APART_FRAC 0.05
#define REGISTERS_SET_FRAC 0.02   /* of all instructions */
#define READ_FLOOR_BYTES 262144.0 /* code, arguments, page tables */
#define WRITE_L2_SIZES 10.0       /* outputs below this many L2s may lie there when the kernel ends */

static double value_of(const rft_counters *counters, rft_counter counter) {
    return counters->values[counter];
}

/* ---- formulas ---- */
static double l2_sectors(const rft_counters *c) {
    double atomic = value_of(c, RFT_COUNTER_L2_ATOMIC); /* counted by the large set alone, and rarely there */
    return value_of(c, RFT_COUNTER_L2_READ) + value_of(c, RFT_COUNTER_L2_WRITE) + (isnan(atomic) ? 0.0 : atomic);
}

/* Operations of the plain pipes: (add + mul + 2 x fma) x lanes in one instruction. NaN when one is not known. */
static double pipe_ops(const rft_counters *c, rft_counter add, rft_counter mul, rft_counter fma_, double lanes) {
    return lanes * (value_of(c, add) + value_of(c, mul) + 2.0 * value_of(c, fma_));
}

#define TENSOR_CASE(name, ...)                                                                                         \
    case RFT_PIPE_##name:                                                                                              \
        return value_of(c, RFT_COUNTER_##name);

static double counted_ops(const rft_counters *c, rft_pipe pipe) {
    switch (pipe) {
    case RFT_PIPE_FP64:
        return pipe_ops(c, RFT_COUNTER_DADD, RFT_COUNTER_DMUL, RFT_COUNTER_DFMA, 1.0);
    case RFT_PIPE_FP32:
        return pipe_ops(c, RFT_COUNTER_FADD, RFT_COUNTER_FMUL, RFT_COUNTER_FFMA, 1.0);
    case RFT_PIPE_FP16:
        return pipe_ops(c, RFT_COUNTER_HADD, RFT_COUNTER_HMUL, RFT_COUNTER_HFMA, 2.0);
        RFT_TENSOR_PIPE_MAP(TENSOR_CASE)
    default: /* nothing tells these apart */
        break;
    }
    return NAN;
}

double rft_counters_atomics(const rft_counters *counters, rft_pipe pipe) {
    switch (pipe) {
    case RFT_PIPE_ATOMICS_SHARED:
    case RFT_PIPE_ATOMICS_SHARED_F32:
        return RFT_WARP_LANES * value_of(counters, RFT_COUNTER_SHARED_ATOMIC_WAVEFRONTS);
    case RFT_PIPE_ATOMICS_L2:
    case RFT_PIPE_ATOMICS_L2_F32:
        return value_of(counters, RFT_COUNTER_L2_ATOMIC);
    default:
        return NAN;
    }
}

rft_traffic rft_counters_traffic(const rft_counters *counters) {
    rft_traffic traffic = rft_traffic_unknown();
    double read = value_of(counters, RFT_COUNTER_DRAM_READ);
    double dram = read + value_of(counters, RFT_COUNTER_DRAM_WRITE);
    traffic.level_bytes[RFT_LEVEL_DRAM] = dram;
    traffic.level_bytes[RFT_LEVEL_L2] = SECTOR_BYTES * l2_sectors(counters);
    traffic.level_bytes[RFT_LEVEL_L1] = value_of(counters, RFT_COUNTER_L1_LOAD);
    traffic.level_bytes[RFT_LEVEL_SHARED] = RFT_WAVEFRONT_BYTES * value_of(counters, RFT_COUNTER_SHARED_WAVEFRONTS);
    traffic.dram_read_frac = dram > 0.0 ? read / dram : NAN;
    traffic.warp_instructions = value_of(counters, RFT_COUNTER_WARP_INSTRUCTIONS);
    traffic.present = !isnan(traffic.warp_instructions);
    for (int i = 0; i < RFT_LEVEL_COUNT; i++) {
        traffic.present = traffic.present || !isnan(traffic.level_bytes[i]);
    }
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        traffic.pipe_ops[i] = counted_ops(counters, (rft_pipe)i);
        traffic.present = traffic.present || !isnan(traffic.pipe_ops[i]);
    }
    if (traffic.present) {
        traffic.evidence = RFT_EVIDENCE_COUNTED;
    }
    return traffic;
}

static double ratio(double part, double whole) {
    return whole > 0.0 ? part / whole : NAN;
}

rft_counter rft_counter_state(size_t i) {
    return (rft_counter)(RFT_COUNTER_STALL_LONG_SCOREBOARD + (int)i);
}

bool rft_counters_states(const rft_counters *counters, double frac[RFT_COUNTER_STATES]) {
    double sum = 1;
    for (size_t i = 0; i < RFT_COUNTER_STATES; i++) {
        frac[i] = counters->values[rft_counter_state(i)];
        sum += frac[i];
    }
    for (size_t i = 0; i < RFT_COUNTER_STATES; i++) {
        frac[i] /= sum;
    }
    return isfinite(sum);
}

double rft_counters_l2_hit_frac(const rft_counters *counters) {
    double frac = ratio(value_of(counters, RFT_COUNTER_L2_HIT), l2_sectors(counters));
    return fmin(frac, 1.0) == frac ? frac : NAN; /* above 1: atomics hit that were not counted */
}

/* ---- counted against declared ---- */
typedef struct comparison {
    rft_disagreement *out;
    size_t count;
    rft_arena *arena;
} comparison;

static const char *amount_text(comparison *to, double amount, const char *unit) {
    char text[64];
    return rft_arena_strdup(to->arena, rft_units_format_si(text, sizeof text, amount, 4, unit));
}

static void add_comparison(comparison *to, const char *what, double declared, double counted, const char *unit) {
    const char *difference = "none was declared";
    if (declared > 0.0 && counted < 10.0 * declared) {
        rft_str percent = RFT_STR_INIT;
        rft_str_add_fixed(&percent, fabs(counted / declared - 1.0) * 100.0, 1);
        const char *more = counted > declared ? "more" : "less";
        bool uncounted = counted < declared && strcmp(unit, "op") == 0;
        difference = rft_arena_printf(to->arena, "%s %% %s%s", rft_str_get(&percent), more,
                                      uncounted ? "; minima, maxima and comparisons are not counted" : "");
        rft_str_clear(&percent);
    } else if (declared > 0.0) {
        rft_str times = RFT_STR_INIT;
        rft_str_add_fixed(&times, counted / declared, 1);
        difference = rft_arena_printf(to->arena, "%s times as much", rft_str_get(&times));
        rft_str_clear(&times);
    }
    to->out[to->count++] = (rft_disagreement){.what = what,
                                              .declared = declared,
                                              .counted = counted,
                                              .text = rft_arena_printf(to->arena, "%s: counted %s, declared %s (%s)",
                                                                       what, amount_text(to, counted, unit),
                                                                       amount_text(to, declared, unit), difference)};
}

/* A packed half multiply-add now and then is how the compiler sets a register. */
static bool sets_registers(const rft_counters *counters, rft_pipe pipe) {
    return pipe == RFT_PIPE_FP16 && value_of(counters, RFT_COUNTER_HADD) == 0 &&
           value_of(counters, RFT_COUNTER_HMUL) == 0 &&
           value_of(counters, RFT_COUNTER_HFMA) <=
               REGISTERS_SET_FRAC * RFT_WARP_LANES * value_of(counters, RFT_COUNTER_WARP_INSTRUCTIONS);
}

static void compare_pipes(comparison *to, const rft_counters *counters, const rft_work *work) {
    double all_declared = rft_work_ops(work);
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        double declared = work->pipe_ops[i];
        double counted = counted_ops(counters, (rft_pipe)i);
        /* What a kernel computes beside its work (addresses, an epilogue) counts against all of the work. */
        double scale = declared > 0.0 ? declared : all_declared;
        if (declared <= 0.0 && sets_registers(counters, (rft_pipe)i)) {
            continue;
        }
        if (scale > 0.0 && fabs(counted - declared) > APART_FRAC * scale) {
            add_comparison(to, rft_pipe_name((rft_pipe)i), declared, counted, "op");
        }
    }
}

size_t rft_counters_compare(const rft_counters *counters, const rft_work *work, int64_t l2_bytes, bool cold,
                            rft_arena *arena, rft_disagreement out[RFT_DISAGREEMENTS_MAX]) {
    comparison to = {.out = out, .arena = arena};
    double read = value_of(counters, RFT_COUNTER_DRAM_READ);
    double written = value_of(counters, RFT_COUNTER_DRAM_WRITE);
    double apart = fabs(read - work->bytes_read);
    if (cold && work->bytes_read > 0.0 && apart > APART_FRAC * work->bytes_read && apart > READ_FLOOR_BYTES) {
        add_comparison(&to, "dram reads", work->bytes_read, read, "B");
    }
    if (l2_bytes > 0 && work->bytes_written > WRITE_L2_SIZES * (double)l2_bytes &&
        fabs(written - work->bytes_written) > APART_FRAC * work->bytes_written) {
        add_comparison(&to, "dram writes", work->bytes_written, written, "B");
    }
    compare_pipes(&to, counters, work);
    return to.count;
}
