/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accept_reading.h - what a card reads for each figure of a table of limits, and how well that is known; or why it says
 * nothing. Pure.
 *
 * A time is the figure of its processes, with the standard deviation from run to run of stats/repeat.h: the repeat
 * interval's. A ceiling is measured in one process: the 95 % interval of its samples and RFT_PEERS_MARGIN_FRAC, by
 * which two cards or two days differ, in quadrature; where the reference cards of its limit differ by less than half of
 * that, their standard deviation in its place, since runs are a part of it. Several runs of a card: the mean of the
 * logarithms, with the largest of their deviations, or what they differ by where that is more, over the root of how
 * many they are.
 */
#ifndef RFT_MODEL_ACCEPT_READING_H
#define RFT_MODEL_ACCEPT_READING_H

#include "model/acceptance/accept_limits.h"

/* Reason codes: name, as programs read it. */
#define RFT_ACCEPT_CODE_MAP(X)                                                                                         \
    X(MET, "met")                     /* PASS */                                                                       \
    X(SLOWER, "slower")               /* FAIL */                                                                       \
    X(NEAR, "near")                   /* within the guard band; and all that follows: UNDECIDED */                     \
    X(ONE_PROCESS, "one_process")     /* what another run reads is not known */                                        \
    X(MISSING, "missing")             /* the figure was not measured */                                                \
    X(OTHER_PROBLEM, "other_problem") /* the sweep is there, the problem is not */                                     \
    X(OTHER_SOURCE, "other_source")   /* the sweep's script or sources are others */                                   \
    X(OTHER_CACHE, "other_cache")     /* another cache mode */                                                         \
    X(OTHER_DEVICE, "other_device")                                                                                    \
    X(SLICE, "slice")       /* MIG */                                                                                  \
    X(NAMELESS, "nameless") /* no UUID */                                                                              \
    X(REPLAY, "replay")                                                                                                \
    X(IMPOSSIBLE, "impossible") /* above what the hardware can do, or outside its own samples */                       \
    X(FOREIGN, "foreign")       /* measured by another program */

typedef enum rft_accept_code {
#define RFT_ACCEPT_CODE_ENUM(name, text) RFT_ACCEPT_##name,
    RFT_ACCEPT_CODE_MAP(RFT_ACCEPT_CODE_ENUM)
#undef RFT_ACCEPT_CODE_ENUM
        RFT_ACCEPT_CODE_COUNT
} rft_accept_code;
const char *rft_accept_code_name(rft_accept_code code);

typedef struct rft_accept_reading {
    double value;         /* the limit's unit; NaN: it says nothing, and why is told by: */
    double deviation;     /* standard deviation of ln(value) from run to run; NaN: not known */
    double freedom;       /* degrees of freedom of that; 0: not known */
    size_t processes;     /* of a time, the fewest of its runs; 0: of a ceiling */
    size_t runs;          /* that have it */
    rft_accept_code code; /* MET: it may be judged */
    const char *reason;   /* NULL then; no full stop */
} rft_accept_reading;

/* Degrees of freedom of a deviation that rests on experience. */
#define RFT_ACCEPT_MANY 1000.0

/* One for each of the limits, of one card's runs. In `arena`. */
rft_accept_reading *rft_accept_read(const rft_limits *limits, const rft_run *const *runs, size_t count,
                                    rft_arena *arena);

/* Why a run says nothing at all of a card of this name (NULL: of any name); MET: it does. */
rft_accept_code rft_accept_refuses(const rft_run *run, const char *device, const char **reason, rft_arena *arena);

/* Names script and sources of a sweep: SHA-256 over the script's hash and those of its kernels' files, 32 hex digits.
 * NULL: not recorded. In `arena`. */
const char *rft_accept_source(const rft_run *run, size_t sweep, rft_arena *arena);

#endif
