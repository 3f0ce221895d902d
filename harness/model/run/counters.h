/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters.h - what hardware counters tell of one configuration on one problem, in quantities of our own: a profiler's
 * names differ from chip to chip (gpu/counting.h finds them), these do not.
 *
 * A value is NaN when it is not known; then there is a reason. Counts are sums over the device and over every launch of
 * the point. A counted pass is never a timed one. docs/counters.md explains each quantity and its traps.
 */
#ifndef RFT_MODEL_COUNTERS_H
#define RFT_MODEL_COUNTERS_H

#include "base/arena.h"
#include "base/err.h"
#include "model/card/gpu_info.h"
#include "model/sweep/work.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFT_WARP_LANES 32.0       /* of a warp, on every architecture so far */
#define RFT_WAVEFRONT_BYTES 128.0 /* that shared memory or L1 serves in a cycle */
#define RFT_SECTOR_BYTES 32.0     /* that the L2 hands out at least */

/* What the stall rows have in common. */
#define RFT_COUNTER_STALLED "warps resident in this state for each instruction issued, per scheduler"

/* identifier, name, unit, label on paper, set (the smallest that holds it), definition. "1": a share, 0 to 1. */
#define RFT_COUNTER_MAP(X)                                                                                             \
    X(TIME, "time_s", "s", "time of the counted pass", DEFAULT,                                                        \
      "from the start of the counted range to its end, gaps between launches included; never the measured time")       \
    X(SM_CLOCK, "sm_clock_hz", "Hz", "SM clock while counting", DEFAULT, "SM cycles over the time of the range")       \
    X(DRAM_READ, "dram_read_bytes", "B", "device memory, read", DEFAULT, "bytes read from device memory")              \
    X(DRAM_WRITE, "dram_write_bytes", "B", "device memory, written", DEFAULT,                                          \
      "bytes written to device memory until the range ended; what was written last may still lie in the L2")           \
    X(L2_READ, "l2_read_sectors", "sectors", "L2, sectors read", DEFAULT,                                              \
      "32-byte sectors the SMs read through the L2, hit or miss")                                                      \
    X(L2_WRITE, "l2_write_sectors", "sectors", "L2, sectors written", DEFAULT,                                         \
      "32-byte sectors the SMs wrote to the L2, atomics left out")                                                     \
    X(L2_HIT, "l2_hit_sectors", "sectors", "L2, sectors that hit", DEFAULT,                                            \
      "of the sectors the SMs asked of the L2 those that were there, writes and atomics included")                     \
    X(L1_LOAD, "l1_load_bytes", "B", "L1, loaded", DEFAULT,                                                            \
      "128 bytes for each cycle in which L1 returned data of local, global or another SM's shared memory; loads only") \
    X(SHARED_WAVEFRONTS, "shared_wavefronts", "wavefronts", "shared memory wavefronts", DEFAULT,                       \
      "cycles in which shared memory served up to 128 bytes, matrix operands included; one per SM and cycle at most")  \
    X(SHARED_CONFLICTS, "shared_conflicts", "wavefronts", "bank conflicts", DEFAULT,                                   \
      "wavefronts of shared memory that bank conflicts added")                                                         \
    X(WARPS_ACTIVE, "warps_active_frac", "1", "achieved occupancy", DEFAULT,                                           \
      "resident warps over the most an SM holds, while it had any")                                                    \
    X(ISSUE, "issue_per_cycle", "1/cycle", "issue rate", DEFAULT,                                                      \
      "instructions issued per cycle of a scheduler with a warp resident; 1 at most")                                  \
    X(WARP_INSTRUCTIONS, "warp_instructions", "instructions", "warp instructions", DEFAULT,                            \
      "instructions executed, one for a whole warp")                                                                   \
    X(FADD, "fp32_add", "instructions", "FP32 additions", DEFAULT, "FADD, per thread, predicated on")                  \
    X(FMUL, "fp32_mul", "instructions", "FP32 multiplications", DEFAULT, "FMUL, per thread, predicated on")            \
    X(FFMA, "fp32_fma", "instructions", "FP32 multiply-adds", DEFAULT, "FFMA, per thread, predicated on")              \
    X(DADD, "fp64_add", "instructions", "FP64 additions", DEFAULT, "DADD, per thread, predicated on")                  \
    X(DMUL, "fp64_mul", "instructions", "FP64 multiplications", DEFAULT, "DMUL, per thread, predicated on")            \
    X(DFMA, "fp64_fma", "instructions", "FP64 multiply-adds", DEFAULT, "DFMA, per thread, predicated on")              \
    X(HADD, "fp16_add", "instructions", "packed half additions", DEFAULT,                                              \
      "HADD2 of fp16 and bf16, per thread; two operations each, also where only one half is used")                     \
    X(HMUL, "fp16_mul", "instructions", "packed half multiplications", DEFAULT, "HMUL2, as HADD2")                     \
    X(HFMA, "fp16_fma", "instructions", "packed half multiply-adds", DEFAULT, "HFMA2, four operations each")           \
    X(LOAD_BYTES_PER_SECTOR, "load_bytes_per_sector", "B", "useful bytes per sector loaded", DEFAULT,                  \
      "of the 32 bytes of each sector a global load touched, how many it asked for")                                   \
    X(STORE_BYTES_PER_SECTOR, "store_bytes_per_sector", "B", "useful bytes per sector stored", DEFAULT,                \
      "the same of global stores")                                                                                     \
    X(TENSOR_FP64, "tensor_fp64_ops", "op", "FP64 tensor operations", ALL, "a multiply-add counted as 2")              \
    X(TENSOR_TF32, "tensor_tf32_ops", "op", "TF32 tensor operations", ALL, "a multiply-add counted as 2")              \
    X(TENSOR_BF16, "tensor_bf16_ops", "op", "BF16 tensor operations", ALL, "a multiply-add counted as 2")              \
    X(TENSOR_FP16, "tensor_fp16_ops", "op", "FP16 tensor operations", ALL, "a multiply-add counted as 2")              \
    X(TENSOR_FP8, "tensor_fp8_ops", "op", "FP8 tensor operations", ALL,                                                \
      "a multiply-add counted as 2; of GB100 together with fp6 and fp4 of the same unit")                              \
    X(TENSOR_INT8, "tensor_int8_ops", "op", "INT8 tensor operations", ALL, "a multiply-add counted as 2")              \
    X(TENSOR_BUSY, "tensor_busy_frac", "1", "tensor pipe busy", ALL, "cycles with the tensor pipe active")             \
    X(L1_HIT, "l1_hit_frac", "1", "L1 hit rate", ALL, "sectors asked of L1 that were there")                           \
    X(SECTORS_PER_LOAD, "sectors_per_load", "sectors", "sectors per load request", DEFAULT,                            \
      "of a warp's global load; 4, 8, 16 are ideal for 4, 8, 16 bytes a thread")                                       \
    X(SECTORS_PER_STORE, "sectors_per_store", "sectors", "sectors per store request", ALL, "of a warp's global store") \
    X(L2_ATOMIC, "l2_atomic_sectors", "sectors", "L2, atomic sectors", ALL, "sectors of atomics and reductions")       \
    X(SHARED_LOADS, "shared_loads", "instructions", "shared loads", ALL, "warp instructions that load shared memory")  \
    X(SHARED_STORES, "shared_stores", "instructions", "shared stores", ALL, "warp instructions that store to it")      \
    X(SHARED_LOAD_WAVEFRONTS, "shared_load_wavefronts", "wavefronts", "wavefronts of shared loads", ALL,               \
      "of shared_wavefronts those of loads")                                                                           \
    X(SHARED_STORE_WAVEFRONTS, "shared_store_wavefronts", "wavefronts", "wavefronts of shared stores", ALL,            \
      "of shared_wavefronts those of stores")                                                                          \
    X(SHARED_ATOMIC_WAVEFRONTS, "shared_atomic_wavefronts", "wavefronts", "wavefronts of shared atomics", ALL,         \
      "of shared_wavefronts those of atomics, tries that failed included")                                             \
    X(SHARED_BYTES, "shared_bytes", "B", "shared memory, bytes asked for", ALL,                                        \
      "what threads loaded from and stored to shared memory")                                                          \
    X(LOCAL, "local_instructions", "instructions", "local memory instructions", ALL,                                   \
      "warp instructions to local memory: spills and indexed arrays")                                                  \
    X(XU, "xu_instructions", "instructions", "special-function warp instructions", ALL,                                \
      "of the XU pipe: ex2, rcp, rsqrt, sin and the like, but conversions too")                                        \
    X(WARPS_ELIGIBLE, "warps_eligible", "warps", "eligible warps", ALL, "per scheduler and cycle, ready to issue")     \
    X(STALL_LONG_SCOREBOARD, "stall_long_scoreboard", "warps", "waiting for global or local memory", ALL,              \
      RFT_COUNTER_STALLED)                                                                                             \
    X(STALL_SHORT_SCOREBOARD, "stall_short_scoreboard", "warps", "waiting for shared memory or XU", ALL,               \
      RFT_COUNTER_STALLED)                                                                                             \
    X(STALL_MATH_PIPE, "stall_math_pipe", "warps", "waiting for an arithmetic pipe", ALL, RFT_COUNTER_STALLED)         \
    X(STALL_MIO, "stall_mio", "warps", "waiting for the memory queue (MIO)", ALL, RFT_COUNTER_STALLED)                 \
    X(STALL_LG, "stall_lg", "warps", "waiting for the global memory queue", ALL, RFT_COUNTER_STALLED)                  \
    X(STALL_TEX, "stall_tex", "warps", "waiting for the texture queue", ALL, RFT_COUNTER_STALLED)                      \
    X(STALL_BARRIER, "stall_barrier", "warps", "waiting at a barrier", ALL, RFT_COUNTER_STALLED)                       \
    X(STALL_MEMBAR, "stall_membar", "warps", "waiting at a memory fence", ALL, RFT_COUNTER_STALLED)                    \
    X(STALL_WAIT, "stall_wait", "warps", "waiting a fixed latency", ALL, RFT_COUNTER_STALLED)                          \
    X(STALL_GMMA, "stall_gmma", "warps", "waiting for a warpgroup's matrix unit", ALL, RFT_COUNTER_STALLED)            \
    X(STALL_NO_INSTRUCTION, "stall_no_instruction", "warps", "waiting for instructions", ALL, RFT_COUNTER_STALLED)     \
    X(STALL_BRANCH, "stall_branch", "warps", "waiting for a branch", ALL, RFT_COUNTER_STALLED)                         \
    X(STALL_DISPATCH, "stall_dispatch", "warps", "waiting for dispatch", ALL, RFT_COUNTER_STALLED)                     \
    X(STALL_DRAIN, "stall_drain", "warps", "waiting for stores at the end", ALL, RFT_COUNTER_STALLED)                  \
    X(STALL_SLEEPING, "stall_sleeping", "warps", "sleeping", ALL, RFT_COUNTER_STALLED)                                 \
    X(STALL_NOT_SELECTED, "stall_not_selected", "warps", "ready, another was chosen", ALL, RFT_COUNTER_STALLED)

typedef enum rft_counter {
#define RFT_COUNTER_ENUM(id, name, unit, label, set, definition) RFT_COUNTER_##id,
    RFT_COUNTER_MAP(RFT_COUNTER_ENUM)
#undef RFT_COUNTER_ENUM
        RFT_COUNTER_COUNT
} rft_counter;

/* What a resident warp does that issues nothing. */
enum { RFT_COUNTER_STATES = RFT_COUNTER_STALL_NOT_SELECTED - RFT_COUNTER_STALL_LONG_SCOREBOARD + 1 };
rft_counter rft_counter_state(size_t i);

const char *rft_counter_name(rft_counter counter);
const char *rft_counter_unit(rft_counter counter);
const char *rft_counter_label(rft_counter counter);
const char *rft_counter_definition(rft_counter counter);
bool rft_counter_in_default(rft_counter counter);
bool rft_counter_from_name(rft_counter *out, const char *name);

/* ---- what to count ---- */
typedef struct rft_counter_set {
    bool wanted[RFT_COUNTER_COUNT];
    const char *const *raw; /* names of the profiler's own, taken as they are ("lts__t_sectors.sum") */
    size_t raw_count;
} rft_counter_set;

rft_counter_set rft_counter_set_none(void);
rft_counter_set rft_counter_set_default(void);
rft_counter_set rft_counter_set_all(void);
bool rft_counter_set_is_empty(const rft_counter_set *set);

/* Reads "none", "default", "all" or a list of these, of our names and of raw ones, which have "__" in them:
 * "default,lts__t_sectors.sum". Lives in `arena`. RFT_E_USAGE names the nearest known name. */
int rft_counter_set_parse(rft_counter_set *out, const char *text, rft_arena *arena, rft_err *err);

/* ---- what was counted ---- */
typedef struct rft_counter_raw {
    const char *name;
    double value;       /* in the profiler's unit; NaN = not known */
    const char *reason; /* NULL when known */
} rft_counter_raw;

typedef struct rft_counters {
    double values[RFT_COUNTER_COUNT];       /* NaN = not known */
    const char *reasons[RFT_COUNTER_COUNT]; /* why not; NULL when known */
    rft_counter_raw *raw;
    size_t raw_count;
    int passes;         /* times the point ran for these; 0 = nothing was counted, or not known of what was imported */
    const char *source; /* "Nsight Compute 2025.3.0.0, ncu.csv": imported; NULL: rooftune counted itself */
} rft_counters;

/* The reason of what was not among the quantities asked for. */
#define RFT_COUNTER_NOT_ASKED "not asked for"
/* Is there a value, or another reason why there is none? */
bool rft_counter_was_asked(double value, const char *reason);

/* Nothing known, everything for this reason (kept as pointer). */
rft_counters rft_counters_unknown(const char *reason);
/* The same of a set: `reason` for what it asks for, RFT_COUNTER_NOT_ASKED for the rest. Copies into the arena. */
rft_counters rft_counters_refused(const rft_counter_set *set, const char *reason, rft_arena *arena);
/* A copy that lives in the arena. */
rft_counters *rft_counters_copy(const rft_counters *counters, rft_arena *arena);

/* Takes back what cannot be: NaN, negative, shares above 1, more bytes or operations than the device can move or do in
 * the time counted, hits beyond the sectors asked for, fewer instructions than operations need. Such a value becomes
 * NaN with a reason in `arena`. Returns how many were taken back. `gpu` may be NULL: no limits of a device are known.
 */
size_t rft_counters_check(rft_counters *counters, const rft_gpu_info *gpu, rft_arena *arena);

/* The counted traffic: dram = read + written; l2 = 32 x sectors read, written and atomic; l1 = loads only; shared = 128
 * x wavefronts, so conflicts count; operations per pipe where all of a pipe's instructions were counted (an FMA is 2,
 * packed halves twice that). What was not counted is NaN; sfu and int32 always are: no counter tells their operations
 * from others of the same pipe; and atomics: no counter tells the types apart (rft_counters_atomics()). `present` is
 * false when nothing at all was counted. */
rft_traffic rft_counters_traffic(const rft_counters *counters);
/* What an atomic pipe would have done, had all counted atomics of its level been its own: 32 x wavefronts in shared
 * memory, sectors in the L2. NaN for the others, those of one address among them, and where it was not counted. */
double rft_counters_atomics(const rft_counters *counters, rft_pipe pipe);

/* The share of their time that resident warps spend in each state; false: not all states were counted. A warp that
 * issues is in none of them, which is 1 for each instruction. */
bool rft_counters_states(const rft_counters *counters, double frac[RFT_COUNTER_STATES]);

double rft_counters_l2_hit_frac(const rft_counters *counters); /* 0..1; NaN when a part of it is not known */

/* An average over accesses of which none took place, which the profiler says as 0: it is not known. */
bool rft_counter_is_of_nothing(rft_counter counter, double value);
#define RFT_COUNTER_OF_NOTHING "no such access took place"

/* "268.4 MB", "12.3 %", "14.2 warps", "n/a": a value with its unit, in `arena` or static. A raw one as it is. */
const char *rft_counter_text(rft_counter counter, double value, rft_arena *arena);
const char *rft_counter_raw_text(const rft_counter_raw *raw, rft_arena *arena);

/* ---- counted against declared ---- */
typedef struct rft_disagreement {
    const char *what; /* "dram reads", "dram writes", or a pipe's name ("fp32") */
    double declared, counted;
    const char *text; /* one sentence with both figures */
} rft_disagreement;
#define RFT_DISAGREEMENTS_MAX (2 + RFT_PIPE_COUNT)

/* Where counts and declared work are more than 5 % apart: device memory reads (when they differ by more than 256 KiB,
 * which code, arguments and page tables may take), writes only when the outputs exceed 10 x the L2 (else they may still
 * lie there), and operations per pipe; on a pipe without declared work when they exceed 5 % of all declared. Counts of
 * a pass with a warm cache say nothing of reads: the caller passes `cold`. Returns how many of `out` were filled. */
size_t rft_counters_compare(const rft_counters *counters, const rft_work *work, int64_t l2_bytes, bool cold,
                            rft_arena *arena, rft_disagreement out[RFT_DISAGREEMENTS_MAX]);

#endif
