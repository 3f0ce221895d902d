/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ceiling.h - the rates that a device was seen to reach, one for each level and pipe, beside what its datasheet and the
 * hardware say.
 */
#ifndef RFT_MODEL_CEILING_H
#define RFT_MODEL_CEILING_H

#include "base/arena.h"
#include "model/stats/stats.h"
#include "model/sweep/work.h"

#include <stdbool.h>
#include <stdint.h>

/* name, what the operation is, unit. */
#define RFT_CEILING_MAP(X)                                                                                             \
    X(DRAM_READ, "dram_read", "device memory, read", "B/s")                                                            \
    X(DRAM_WRITE, "dram_write", "device memory, write", "B/s")                                                         \
    X(DRAM_COPY, "dram_copy", "device memory, copy (1:1)", "B/s")                                                      \
    X(DRAM_2TO1, "dram_2to1", "device memory, 2 reads : 1 write", "B/s")                                               \
    X(L2_READ, "l2_read", "L2, read", "B/s")                                                                           \
    X(L1_READ, "l1_read", "L1, read", "B/s")                                                                           \
    X(SHARED_READ, "shared_read", "shared memory, read", "B/s")                                                        \
    X(FP64, "fp64", "FP64 FMA", "FLOP/s")                                                                              \
    X(FP32, "fp32", "FP32 FMA", "FLOP/s")                                                                              \
    X(FP16, "fp16", "FP16 packed FMA", "FLOP/s")                                                                       \
    X(SFU, "sfu", "ex2", "op/s")                                                                                       \
    X(INT32, "int32", "INT32 multiply-add and logic", "op/s")                                                          \
    RFT_ATOMIC_PIPE_MAP(X)                                                                                             \
    RFT_TENSOR_PIPE_MAP(X)                                                                                             \
    X(LAUNCH, "launch", "empty kernel between two events", "s")                                                        \
    X(H2D, "h2d", "copy from host, pinned", "B/s")                                                                     \
    X(D2H, "d2h", "copy to host, pinned", "B/s")                                                                       \
    X(H2D_D2H, "h2d_d2h", "copies from and to host at once, pinned", "B/s")                                            \
    X(H2D_ALL, "h2d_all", "copy from host, all cards at once", "B/s")                                                  \
    X(D2H_ALL, "d2h_all", "copy to host, all cards at once", "B/s")                                                    \
    X(P2P, "p2p", "copy to another card, slowest pair", "B/s")                                                         \
    X(P2P_BOTH, "p2p_both", "copies to and from another card at once", "B/s")

typedef enum rft_ceiling_id {
#define RFT_CEILING_ENUM(name, text, label, unit) RFT_CEILING_##name,
    RFT_CEILING_MAP(RFT_CEILING_ENUM)
#undef RFT_CEILING_ENUM
        RFT_CEILING_COUNT,
    RFT_CEILING_ATOMICS_FIRST = RFT_CEILING_ATOMICS_SHARED,
    RFT_CEILING_ATOMICS_END = RFT_CEILING_TENSOR_FP64,
    RFT_CEILING_TENSOR_FIRST = RFT_CEILING_TENSOR_FP64, /* the matrix units */
    RFT_CEILING_TENSOR_END = RFT_CEILING_LAUNCH,
    RFT_CEILING_SEVERAL_FIRST = RFT_CEILING_H2D_ALL /* from here on: of a card among several (links.h) */
} rft_ceiling_id;

/* Sets of ceilings, one bit each. */
typedef uint64_t rft_ceiling_set;
#define RFT_CEILING_BIT(id) ((rft_ceiling_set)1 << (id))
#define RFT_CEILINGS_ALL (RFT_CEILING_BIT(RFT_CEILING_COUNT) - 1)

/* For RFT_CEILING_COUNT ("no ceiling"): "none", "none", "". */
const char *rft_ceiling_name(rft_ceiling_id id);
const char *rft_ceiling_label(rft_ceiling_id id);
const char *rft_ceiling_unit(rft_ceiling_id id);
bool rft_ceiling_from_name(rft_ceiling_id *out, const char *name);

typedef struct rft_ceiling {
    bool measured; /* false: `reason` says why */
    const char *reason;
    rft_stats stats;             /* of the rate, in the ceiling's unit (LAUNCH: seconds) */
    const char *kernel;          /* the operation behind it: "copy, 16-byte loads, 4 in flight, 2 x 2 GiB" */
    double clock_mhz;            /* median SM clock while measuring; NaN = not read */
    double datasheet;            /* NaN = not known */
    const char *datasheet_basis; /* "at 1830 MHz boost" */
    double limit;                /* the hardware's own: bus rate, pipe width x maximum clock; NaN = not known */
    const char *limit_basis;     /* "3201 MHz x 2 x 6144 bit" */
    bool at_least;              /* measured on a path slower than the architecture's own: a lower bound only, printed as
                                 * "at least", and nothing is judged, pruned or certified by it */
    rft_stats sustained;        /* the same operation's rate after seconds of load; n = 0: not measured */
    double sustained_clock_mhz; /* median SM clock meanwhile; NaN = not read */
    double sustained_power_w;   /* of the whole card in the last second of it; NaN = not read, or under a second */
    int64_t measured_unix_ns;   /* when; 0 = not recorded. Before the run began: it was kept from then */
} rft_ceiling;

/* Indexed by rft_ceiling_id. */
typedef struct rft_ceilings {
    rft_ceiling items[RFT_CEILING_COUNT];
    double busy_s; /* the GPU ran the measuring kernels, all tries together; 0 = nothing was measured in this session */
} rft_ceilings;

/* Why it is not measured where nobody asked for it: what does measure it. */
const char *rft_ceiling_not_asked(rft_ceiling_id id);
/* Nothing measured, for this reason; nothing known. */
rft_ceiling rft_ceiling_none(const char *reason);

/* The rate to judge by; NaN when not measured, where it is only a lower bound, and for RFT_CEILING_COUNT. */
double rft_ceilings_rate(const rft_ceilings *ceilings, rft_ceiling_id id);
/* The rate under seconds of load; NaN when not measured, or only a lower bound, and for RFT_CEILING_COUNT. */
double rft_ceilings_sustained_rate(const rft_ceilings *ceilings, rft_ceiling_id id);
/* How much a cycle of the SM clock: bytes or operations of the whole device, in bursts and under load. NaN without a
 * rate to judge by or its clock, and where the rate does not follow that clock: device memory, host, launches. */
double rft_ceilings_per_cycle(const rft_ceilings *ceilings, rft_ceiling_id id);
double rft_ceilings_sustained_per_cycle(const rft_ceilings *ceilings, rft_ceiling_id id);
/* "at least " or "", to print before the rate. Static. */
const char *rft_ceiling_prefix(const rft_ceiling *ceiling);
/* Burst and sustained rate differ by more than 3 %: both are worth showing. */
bool rft_ceiling_sags(const rft_ceiling *ceiling);
/* When the oldest of what is measured was measured; 0 = nothing is, or not recorded. */
int64_t rft_ceilings_measured_unix_ns(const rft_ceilings *ceilings);
/* "3 h", "12 min", "5 s": how old the oldest was at that time; NULL when it was not there before, or is not recorded.
 * For a run's beginning: how long its ceilings had been kept. In `arena`. */
const char *rft_ceilings_age_text(const rft_ceilings *ceilings, int64_t at_unix_ns, rft_arena *arena);

#endif
