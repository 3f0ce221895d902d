/* SPDX-License-Identifier: Apache-2.0 */
/* stats.h - statistics of samples. Pure arithmetic. */
#ifndef RFT_MODEL_STATS_H
#define RFT_MODEL_STATS_H

#include "model/stats/race.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct rft_stats {
    size_t n;
    double min, q1, median, q3, max; /* unit of the samples */
    double mean;
    /* 95 % confidence interval of the median from order statistics (binomial; David & Nagaraja, Order Statistics,
     * section 7.1). With n < 6 no such interval exists: then [min, max], and interval_is_95 is false. */
    double low, high;
    bool interval_is_95;
    double iqr_frac; /* (q3 - q1) / median */
} rft_stats;

/* Ascending; none of them is NaN. */
void rft_sort_doubles(double *items, size_t n);
/* Of sorted numbers, by linear interpolation (Hyndman & Fan type 7); n >= 1, 0 <= p <= 1. */
double rft_quantile(const double *sorted, size_t n, double p);
/* Sorts the numbers. NaN without any. */
double rft_median_of(double *items, size_t n);

/* n = 0 gives NaN everywhere. Quartiles by linear interpolation (Hyndman & Fan type 7). */
rft_stats rft_stats_of(const double *samples, size_t n);

/* Half the interval's width over the median. */
double rft_stats_half_width_frac(const rft_stats *stats);

#define RFT_STATS_TIE_FRAC 0.005 /* of the lesser of two medians: what differs by less is a tie in any case */
/* Two medians whose 95 % intervals overlap, or differ by under RFT_STATS_TIE_FRAC, are a tie. */
bool rft_stats_tie(const rft_stats *a, const rft_stats *b);

/* The smallest step between the distinct values of these samples that is no rounding of a float: the timer's own where
 * the samples are short and quantised. 0: they are all equal, or fewer than two. */
double rft_stats_step(const double *samples, size_t n);

/* The stopping rule (docs/measuring.md). */
typedef enum rft_stop_reason {
    RFT_STOP_NOT_YET,
    RFT_STOP_SETTLED, /* the interval is narrow enough, at three looks in a row */
    RFT_STOP_PLATEAU, /* more samples no longer narrow it: relative stdev of the last noise readings < 5 % */
    RFT_STOP_SAMPLES, /* the cap on samples */
    RFT_STOP_TIME,    /* the cap on time */
    RFT_STOP_SLOWER,  /* out of the race: clearly slower than the best so far */
    RFT_STOP_COUNT
} rft_stop_reason;
const char *rft_stop_reason_name(rft_stop_reason reason); /* "settled", "plateau", "samples", "time", "slower" */

typedef struct rft_stop_rule {
    int min_samples, max_samples;
    double noise_frac;    /* half width of the interval over the median */
    double max_seconds;   /* of wall time spent on the point's samples; RFT_MIN_TIME_PATIENCE * min_seconds if more */
    double min_seconds;   /* sum of the samples before which only the race and the clock end it; 0: none */
    double rival_s;       /* median of the best so far on this problem; 0: none, no race */
    rft_race_limits few;  /* what fewer samples tell */
    const double *judged; /* what each sample counts for in the race (rft_race_judged()); NULL: what it took */
} rft_stop_rule;

/* Between samples the caches are flushed and the launches queued: a demand for GPU time needs several times the wall
 * time. Beyond this a kernel so short is given up on ("time"). */
#define RFT_MIN_TIME_PATIENCE 10.0

/* A configuration whose fastest sample is this much slower than the best so far is out of the race... */
#define RFT_RACE_MARGIN_FRAC 0.10
/* ...once it has this many samples, also where min_samples is higher. */
#define RFT_RACE_MIN_SAMPLES 5
/* From min_samples on so is one whose 95 % interval lies wholly this much above the best. */
#define RFT_RACE_CLOSE_FRAC 0.01

/* Pure: the decision after `n` samples and `elapsed_s` seconds. Never stops for time under 5 samples or before
 * min_samples unless 4 * max_seconds have passed. `max_samples` holds once min_seconds are reached. */
rft_stop_reason rft_stop_decide(const rft_stop_rule *rule, const double *samples, size_t n, double elapsed_s);

#endif
