/* SPDX-License-Identifier: Apache-2.0 */
/*
 * throttle.h - which samples ran below the clock of the run, why, and whether to measure again. Pure: a state machine
 * fed with clocks of samples (docs/measuring.md) and NVML's cumulative counters (gpu/meter.h).
 *
 * Nothing is thrown away: affected samples are tagged, a point is measured again at most three times, and the least
 * affected attempt is kept with all its samples.
 */
#ifndef RFT_MODEL_THROTTLE_H
#define RFT_MODEL_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>

/* NVML's cumulative counters of time during which the clock was held down. name, words. */
#define RFT_THROTTLE_MAP(X)                                                                                            \
    X(POWER_CAP, "power_cap", "power limit")                                                                           \
    X(SYNC_BOOST, "sync_boost", "clock held back for another GPU")                                                     \
    X(SW_THERMAL, "sw_thermal", "temperature")                                                                         \
    X(HW_THERMAL, "hw_thermal", "temperature, emergency slowdown")                                                     \
    X(POWER_BRAKE, "power_brake", "power supply's brake")

typedef enum rft_throttle_cause {
#define RFT_THROTTLE_ENUM(name, text, words) RFT_THROTTLE_##name,
    RFT_THROTTLE_MAP(RFT_THROTTLE_ENUM)
#undef RFT_THROTTLE_ENUM
        RFT_THROTTLE_COUNT
} rft_throttle_cause;
const char *rft_throttle_name(rft_throttle_cause cause);     /* "power_cap"; for COUNT: "none" */
rft_throttle_cause rft_throttle_from_name(const char *name); /* COUNT for any other text, and for NULL */
const char *rft_throttle_words(rft_throttle_cause cause);    /* "power limit"; for COUNT: "cause not known" */

/* One reading of the counters; NaN where the device does not count. */
typedef struct rft_throttle_counters {
    double time_s; /* host clock */
    double active_s[RFT_THROTTLE_COUNT];
} rft_throttle_counters;

/* Share of the time between two readings, 0 to 1; NaN where either is not known or the counter went back (driver
 * loaded anew). The driver advances the counters in steps of about 0.1 s: over a shorter time a share is 0 or 1. */
void rft_throttle_share(double share[RFT_THROTTLE_COUNT], const rft_throttle_counters *before,
                        const rft_throttle_counters *after);

/* ---- the run's steady state ---- */
#define RFT_THROTTLE_BELOW_FRAC 0.05 /* a sample this far below the steady clock is affected */
#define RFT_THROTTLE_STEADY_MIN 3u   /* points before the run has a steady state */
#define RFT_THROTTLE_STEADY_SIZE 64u

/* The clocks of the last points, {0} at the beginning. Their median is the steady state, so that a few points in
 * trouble do not move it and a card that warms up takes it along. */
typedef struct rft_throttle_steady {
    double clocks_mhz[RFT_THROTTLE_STEADY_SIZE];
    size_t added; /* ever */
} rft_throttle_steady;
void rft_throttle_steady_add(rft_throttle_steady *steady, double clock_mhz); /* of a point that is kept; NaN: ignored */
double rft_throttle_steady_mhz(const rft_throttle_steady *steady);           /* NaN before the third point */

/* ---- one attempt at a point ---- */
typedef struct rft_throttle_attempt {
    size_t n;        /* samples */
    size_t affected; /* of them */
    double affected_frac;
    double clock_mhz;         /* median of the samples' clocks; NaN = none was read */
    double reference_mhz;     /* what they were compared with; NaN = nothing to compare with */
    rft_throttle_cause cause; /* of the largest share, COUNT when all are 0 or not known; meaningful when affected */
    double share[RFT_THROTTLE_COUNT];
} rft_throttle_attempt;

/*
 * Judges the samples of one attempt; tags[i] says whether sample i is affected (`tags` may be NULL). The reference is
 * `steady_mhz`, or where that is NaN the third quartile of the attempt's own clocks (a clock that falls meanwhile is
 * seen, one that was low throughout is not). Samples without a clock (too short to read one) count as affected only
 * when no sample has one and a thermal cause or the power brake was active for over 5 % of the time. `share` may be
 * NULL: not known.
 */
rft_throttle_attempt rft_throttle_judge(bool *tags, const double *clocks_mhz, size_t n, double steady_mhz,
                                        const double *share);

/* ---- again? ---- */
#define RFT_THROTTLE_RETRIES 3u
#define RFT_THROTTLE_TOLERATED_FRAC 0.10 /* of the samples: the median does not mind */

typedef enum rft_throttle_verdict {
    RFT_THROTTLE_AGAIN,
    RFT_THROTTLE_CLEAN,   /* at most a tenth of the samples affected */
    RFT_THROTTLE_ITS_OWN, /* the same low clock twice, under no cause or under the power limit: what this load gets */
    RFT_THROTTLE_GAVE_UP  /* affected in every attempt */
} rft_throttle_verdict;

/* Attempts at one point in order, {0} at the beginning. */
typedef struct rft_throttle_case {
    rft_throttle_attempt attempts[1 + RFT_THROTTLE_RETRIES];
    size_t count;
} rft_throttle_case;

typedef struct rft_throttle_decision {
    rft_throttle_verdict verdict;
    size_t best;   /* the attempt to keep when it is not AGAIN: of the smallest affected share, the first of equals */
    double wait_s; /* AGAIN: leave the device alone for so long first */
} rft_throttle_decision;

/* Adds an attempt and decides. Not to be called after a decision other than AGAIN. */
rft_throttle_decision rft_throttle_next(rft_throttle_case *point, const rft_throttle_attempt *attempt);

/* One sentence without a full stop: "62 % of the samples ran more than 5 % below the run's 1980 MHz (power limit);
 * measured 4 times, the least affected is kept". "" when nothing was affected. Returns `out`, always terminated. */
#define RFT_THROTTLE_WORDS_SIZE 256u
char *rft_throttle_sentence(const rft_throttle_case *point, const rft_throttle_decision *decision, char *out,
                            size_t size);

#endif
