/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drift.h - did the device change while the run was on? One reference configuration is measured every 20 points; this
 * judges the readings. Pure arithmetic. docs/drift.md says what is tested and how often it errs.
 */
#ifndef RFT_MODEL_DRIFT_H
#define RFT_MODEL_DRIFT_H

#include "model/stats/stats.h"

#include <stdbool.h>
#include <stddef.h>

#define RFT_DRIFT_EVERY 20        /* points between two readings of the reference */
#define RFT_DRIFT_MIN_READINGS 5  /* below, no order of readings is unlikely enough */
#define RFT_DRIFT_LEVEL 0.04      /* share of steady runs that are called drifting: under 5 % */
#define RFT_DRIFT_MIN_FRAC 0.001  /* of the median; what is less matters to no comparison and is not called drift */
#define RFT_DRIFT_WORDS_SIZE 256u /* bytes that hold any text of rft_drift_words() */

/* One measurement of the reference, in the order taken. */
typedef struct rft_drift_reading {
    double time_s;     /* since the run began; NaN in any reading: all are taken as equally spaced */
    double median;     /* seconds, or any unit; a reading that is NaN or not positive is passed over */
    double half_width; /* of its 95 % interval, same unit; NaN = not known */
} rft_drift_reading;

typedef enum rft_drift_kind {
    RFT_DRIFT_UNKNOWN, /* too few readings */
    RFT_DRIFT_NONE,
    RFT_DRIFT_TREND,  /* steadily slower or faster */
    RFT_DRIFT_STEP,   /* at once */
    RFT_DRIFT_WANDER, /* neighbours are alike, without a direction */
    RFT_DRIFT_COUNT
} rft_drift_kind;
const char *rft_drift_kind_name(rft_drift_kind kind); /* "unknown", "none", "trend", "step", "wander" */

typedef struct rft_drift {
    rft_drift_kind kind;
    size_t n;           /* readings that counted */
    double p;           /* how often a steady device looks like this by chance; NaN when UNKNOWN. Where it is large it
                         * is an estimate from fewer permutations */
    double amount_frac; /* of the median: from first to last (TREND), after against before (STEP), positive = slower;
                         * highest against lowest (WANDER); 0 for NONE; NaN when UNKNOWN */
    double step_s;      /* STEP: between the last reading before it and the first after; else NaN */
    double span_s;      /* first to last reading; NaN without times */
    double noise_frac;  /* scatter of the readings about trend, step or median, as a standard deviation over the
                         * median (1.4826 x median absolute deviation); NaN when UNKNOWN */
    /* Add this, times the median, to both sides of an interval before it is compared with one of another run: half the
     * drift (a point may stand anywhere in it), and 1.96 x the part of the noise between readings that the intervals
     * of single readings do not show. NaN when UNKNOWN. */
    double widen_frac;
} rft_drift;

/*
 * A permutation test: whatever the distribution of the noise, independent readings are called drifting in at
 * most RFT_DRIFT_LEVEL of runs. Three shapes are looked for at once (a trend, a step with two readings or more on each
 * side, likeness of neighbours); the seed is fixed, so that equal readings give equal answers. About 1 ms for 100.
 */
rft_drift rft_drift_of(const rft_drift_reading *readings, size_t count);

/* The same for the samples of one measurement: are they independent, as its interval assumes? By a fifth of the
 * permutations, and of more than 512 samples by the medians of so many groups of neighbours: there are thousands of
 * points, and a short kernel under --min-time has ten thousand samples. */
rft_drift rft_drift_of_samples(const double *samples, size_t n);

/* Half the 95 % interval of the level of samples that are not independent, from the scatter of the medians of batches
 * of neighbours (method of batch means: Law & Kelton, Simulation Modeling and Analysis, section 9.5). How long samples
 * remember is not known: the widest by 3 to 10 batches, with 8 samples or more in each of the many. In the samples'
 * unit; NaN under 8 samples. */
double rft_drift_batch_half_width(const double *samples, size_t n);

/* rft_stats_of() of samples in the order taken; where they are not independent, the interval is as wide as their
 * batches ask for, and no 95 % interval where there are too few for batches. */
rft_stats rft_drift_stats_of(const double *samples, size_t n);

bool rft_drift_found(const rft_drift *drift); /* TREND, STEP or WANDER */

/* `stats` with low and high moved out by widen_frac x median; NaN leaves it as it is. */
rft_stats rft_drift_widened(const rft_stats *stats, double widen_frac);

/* One sentence for the report and the screen, without a full stop; `unit` of time is chosen to fit:
 * "the reference became 1.1 % slower over 38 min (12 readings), so intervals are 0.6 % wider when runs are compared".
 * Returns `out`, always terminated; RFT_DRIFT_WORDS_SIZE bytes suffice. */
char *rft_drift_words(const rft_drift *drift, char *out, size_t size);

#endif
