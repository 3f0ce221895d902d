/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race.h - how few samples tell that a configuration is far slower than others (docs/measuring.md, "When sampling
 * stops"). Pure arithmetic.
 *
 * One sample may lie high by chance. So the limits move out by how far samples of this problem were seen to lie above
 * their own medians so far, and one sample counts only where the verified run, the launch before it, says the same.
 * Where the clock is known a sample that ran at a lower one counts as if it had run at that of the best.
 */
#ifndef RFT_MODEL_RACE_H
#define RFT_MODEL_RACE_H

#include <stdbool.h>
#include <stddef.h>

/* Seconds; 0: there is no such limit. */
typedef struct rft_race_limits {
    double run_s;     /* the verified run alone tells it of a configuration that took longer, at whatever clock */
    double alone_s;   /* likewise, at a clock that is known */
    double one_s;     /* the verified run and a single sample */
    double three_s;   /* three samples */
    double six_s;     /* six samples */
    double clock_mhz; /* of the best of its variant: rft_race_judged(); 0: samples count as they are */
    size_t least; /* so many samples may settle it where the sweep asks for RFT_RACE_LEAST_OF or fewer; 0: no fewer */
} rft_race_limits;

/* Slower than the best of its own variant by this much... */
#define RFT_RACE_ONE_FRAC 0.5
#define RFT_RACE_THREE_FRAC 0.2
#define RFT_RACE_THREE 3
#define RFT_RACE_SIX 6 /* the fewest that have a 95 % interval */
/* The same where samples lie close together: within so much of their medians, of so many samples at least. What takes
 * long may scatter more: there the verified run is as good as a sample, and both must say so. It tells alone of what is
 * slower still, free of what the host took to queue it. */
#define RFT_RACE_QUIET_FRAC 0.01
#define RFT_RACE_QUIET_LONG_FRAC 0.03
#define RFT_RACE_LONG_S 0.5e-3
#define RFT_RACE_QUIET_SAMPLES 30
#define RFT_RACE_QUIET_ALONE_FRAC 0.3
#define RFT_RACE_QUIET_ONE_FRAC 0.1
#define RFT_RACE_QUIET_THREE_FRAC 0.07
#define RFT_RACE_QUIET_SIX_FRAC 0.05
/* The same of what takes long at a clock that is known. The run alone tells it where so many first runs lay within so
 * much of their medians; the limit is wider by that, too. */
#define RFT_RACE_STEADY_ONE_FRAC 0.04
#define RFT_RACE_STEADY_THREE_FRAC 0.03
#define RFT_RACE_STEADY_SIX_FRAC 0.0125
#define RFT_RACE_STEADY_ALONE_FRAC 0.03
#define RFT_RACE_STEADY_RUNS 8
#define RFT_RACE_STEADY_RUNS_FRAC 0.03
#define RFT_RACE_LEAST 8 /* three looks (model/stats/stats.c), the first at the fewest that have an interval */
#define RFT_RACE_LEAST_OF 10
/* ...or so many times slower than the best of the problem: its place within its variant is then of little interest. */
#define RFT_RACE_HOPELESS_FACTOR 10.0
/* What a first launch may take longer by, beside the kernel: loading code, making room for its local memory. */
#define RFT_RACE_FIRST_RUN_S 5e-3
/* The same of every launch, where the host's gap before it is in the run: at least this. */
#define RFT_RACE_GAP_S 20e-6

/* How far samples lie above the medians of their points: a count for each half of a per cent. */
#define RFT_RACE_NOISE_BINS 200
typedef struct rft_race_noise {
    size_t counts[RFT_RACE_NOISE_BINS], beyond, total;
    size_t runs;      /* first runs that were held against the median behind them */
    double runs_frac; /* how far the worst of them lay above it; at least 0 */
} rft_race_noise;

/* Adds a point's samples; fewer than RFT_RACE_MIN_SAMPLES (stats.h) tell nothing, and are left out. */
void rft_race_noise_add(rft_race_noise *noise, const double *samples, size_t n);
/* Adds a first run and the median of the samples behind it, which may be one; NaN: it is not known. */
void rft_race_noise_add_run(rft_race_noise *noise, double run_s, double median_s);
/* What 99 % of the samples stay below, as a share of the median; of under 100 samples all. INFINITY: beyond 100 %. */
double rft_race_noise_frac(const rft_race_noise *noise);

/* Do they lie so close together that smaller differences count, for what takes so long? */
bool rft_race_is_quiet(const rft_race_noise *noise, double kin_s);

/* best_s, kin_s: median of the best so far on the problem, and of its variant; 0: none. */
rft_race_limits rft_race_limits_of(double best_s, double kin_s, double noise_frac, bool quiet);
/* The same by all that was seen so far. kin_mhz: median clock of the best of the variant, NaN: not known; highest_mhz:
 * that of the card under a load that does not hold it down, NaN: not known. Where the clock is known to be held down a
 * run alone tells nothing within a variant: power lets the clock fall by a third between two launches. */
rft_race_limits rft_race_limits_seen(const rft_race_noise *noise, double best_s, double kin_s, double kin_mhz,
                                     double highest_mhz);

/* What a sample counts for: less where it ran at a lower clock than the best of its variant, nothing (0) where its
 * clock is not known and that one's is. */
double rft_race_judged(const rft_race_limits *limits, double seconds, double clock_mhz);

/* Is the verified run, of so many launches that the host took host_s to queue, above one of these limits for certain?
 * False without a limit. */
bool rft_race_run_tells(double limit_s, double run_s, double host_s, size_t launches);

/* Is every one of the samples above `limit_s`? False without a limit. */
bool rft_race_all_above(const double *samples, size_t n, double limit_s);

#endif
