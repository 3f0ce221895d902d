/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stats/stats.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE 0.95

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void rft_sort_doubles(double *items, size_t n) {
    if (n > 0) {
        qsort(items, n, sizeof *items, compare_doubles);
    }
}

double rft_median_of(double *items, size_t n) {
    rft_sort_doubles(items, n);
    return n > 0 ? (items[(n - 1) / 2] + items[n / 2]) / 2.0 : (double)NAN;
}

/* Hyndman & Fan type 7: h = (n - 1) p, linear between the neighbours. */
double rft_quantile(const double *sorted, size_t n, double p) {
    double h = (double)(n - 1) * p;
    size_t below = (size_t)floor(h);
    if (below + 1 >= n) {
        return sorted[n - 1];
    }
    return sorted[below] + (h - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* The largest rank j (1-based) for which [x_(j), x_(n+1-j)] covers the median with at least 95 %: its coverage is
 * 1 - 2 P(B <= j - 1), B binomial(n, 1/2). 0 when not even j = 1 does. Logarithms, because 2^-n underflows. */
static size_t median_rank(size_t n) {
    double log_pmf = -(double)n * log(2.0); /* of B = 0 */
    double tail = 0.0;                      /* P(B <= j - 1) */
    size_t rank = 0;
    for (size_t k = 0; 2 * k < n; k++) {
        tail += exp(log_pmf);
        if (1.0 - 2.0 * tail < CONFIDENCE) {
            break;
        }
        rank = k + 1;
        log_pmf += log((double)(n - k) / (double)(k + 1));
    }
    return rank;
}

static rft_stats stats_of_sorted(const double *sorted, size_t n) {
    rft_stats stats = {.n = n,
                       .min = sorted[0],
                       .q1 = rft_quantile(sorted, n, 0.25),
                       .median = rft_quantile(sorted, n, 0.5),
                       .q3 = rft_quantile(sorted, n, 0.75),
                       .max = sorted[n - 1]};
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += sorted[i];
    }
    stats.mean = sum / (double)n;
    size_t rank = median_rank(n);
    stats.interval_is_95 = rank > 0;
    stats.low = rank > 0 ? sorted[rank - 1] : stats.min;
    stats.high = rank > 0 ? sorted[n - rank] : stats.max;
    stats.iqr_frac = (stats.q3 - stats.q1) / stats.median;
    return stats;
}

rft_stats rft_stats_of(const double *samples, size_t n) {
    if (n == 0) {
        return (rft_stats){.min = NAN,
                           .q1 = NAN,
                           .median = NAN,
                           .q3 = NAN,
                           .max = NAN,
                           .mean = NAN,
                           .low = NAN,
                           .high = NAN,
                           .iqr_frac = NAN};
    }
    double *sorted = rft_calloc(n, sizeof *sorted);
    memcpy(sorted, samples, n * sizeof *sorted);
    rft_sort_doubles(sorted, n);
    rft_stats stats = stats_of_sorted(sorted, n);
    free(sorted);
    return stats;
}

double rft_stats_half_width_frac(const rft_stats *stats) {
    return (stats->high - stats->low) / 2.0 / stats->median;
}

bool rft_stats_tie(const rft_stats *a, const rft_stats *b) {
    if (a->low <= b->high && b->low <= a->high) {
        return true;
    }
    return fabs(a->median - b->median) < RFT_STATS_TIE_FRAC * fmin(fabs(a->median), fabs(b->median));
}

/* Event times arrive as float: what differs by less is the same value. */
#define FLOAT_NOISE 2e-6

double rft_stats_step(const double *samples, size_t n) {
    double *sorted = rft_calloc(n + 1, sizeof *sorted), step = 0.0;
    if (n > 0) {
        memcpy(sorted, samples, n * sizeof *sorted);
        rft_sort_doubles(sorted, n);
    }
    for (size_t i = 1; i < n; i++) {
        double gap = sorted[i] - sorted[i - 1];
        if (gap > FLOAT_NOISE * sorted[i] && (step == 0.0 || gap < step)) {
            step = gap;
        }
    }
    free(sorted);
    return step;
}

/* ---- the stopping rule ---- */

#define SETTLED_LOOKS 3     /* at which the interval is narrow, one after the other */
#define PLATEAU_FIRST 5     /* samples in the first noise reading */
#define PLATEAU_READINGS 16 /* readings looked at */
#define PLATEAU_FRAC 0.05   /* relative standard deviation among them */
#define TIME_MIN_SAMPLES 5
#define TIME_PATIENCE 4.0 /* times max_seconds, after which even too few samples have to do */

static const char *const reason_names[] = {"not yet", "settled", "plateau", "samples", "time", "slower"};

const char *rft_stop_reason_name(rft_stop_reason reason) {
    return reason_names[reason];
}

static void insert_sorted(double *sorted, size_t n, double value) {
    size_t at = n;
    while (at > 0 && sorted[at - 1] > value) {
        at--;
    }
    memmove(sorted + at + 1, sorted + at, (n - at) * sizeof *sorted);
    sorted[at] = value;
}

/* Whether the noise has stopped falling: the readings over the last 16 prefixes hardly differ. Recomputed from the
 * samples each time, so that the rule needs no state. */
static bool noise_is_flat(const double *samples, size_t n) {
    if (n < PLATEAU_FIRST + PLATEAU_READINGS - 1) {
        return false;
    }
    size_t first = n - (PLATEAU_READINGS - 1);
    double *sorted = rft_calloc(n, sizeof *sorted);
    memcpy(sorted, samples, first * sizeof *sorted);
    rft_sort_doubles(sorted, first);
    double readings[PLATEAU_READINGS], sum = 0.0;
    for (size_t i = 0; i < PLATEAU_READINGS; i++) {
        if (i > 0) {
            insert_sorted(sorted, first + i - 1, samples[first + i - 1]);
        }
        rft_stats stats = stats_of_sorted(sorted, first + i);
        readings[i] = rft_stats_half_width_frac(&stats);
        sum += readings[i];
    }
    free(sorted);
    double mean = sum / PLATEAU_READINGS, squares = 0.0;
    for (size_t i = 0; i < PLATEAU_READINGS; i++) {
        squares += (readings[i] - mean) * (readings[i] - mean);
    }
    return sqrt(squares / (PLATEAU_READINGS - 1)) < PLATEAU_FRAC * mean;
}

static bool out_of_the_race(const rft_stop_rule *rule, const double *taken, size_t n) {
    const double *samples = rule->judged ? rule->judged : taken;
    return (n >= RFT_RACE_THREE && rft_race_all_above(samples, n, rule->few.three_s)) ||
           (n >= RFT_RACE_SIX && rft_race_all_above(samples, n, rule->few.six_s)) ||
           (n >= RFT_RACE_MIN_SAMPLES && rft_race_all_above(samples, n, (1.0 + RFT_RACE_MARGIN_FRAC) * rule->rival_s));
}

static bool is_narrow(const rft_stop_rule *rule, const rft_stats *stats) {
    return stats->interval_is_95 && rft_stats_half_width_frac(stats) <= rule->noise_frac;
}

/* Stopping at the first narrow interval favours those that are narrow by luck; luck does not last three looks. The
 * looks before min_samples count, so that a quiet kernel stops as early as ever. */
static bool stays_narrow(const rft_stop_rule *rule, const double *samples, size_t n) {
    for (size_t back = 1; back < SETTLED_LOOKS; back++) {
        rft_stats before = rft_stats_of(samples, n > back ? n - back : 0);
        if (!is_narrow(rule, &before)) {
            return false;
        }
    }
    return true;
}

static size_t least_samples(const rft_stop_rule *rule) {
    size_t asked = rule->min_samples > 0 ? (size_t)rule->min_samples : 1;
    return rule->few.least > 0 && rule->few.least < asked && asked <= RFT_RACE_LEAST_OF ? rule->few.least : asked;
}

static bool has_the_time(const rft_stop_rule *rule, const double *samples, size_t n) {
    double sum_s = 0.0;
    for (size_t i = 0; rule->min_seconds > 0.0 && i < n; i++) {
        sum_s += samples[i];
    }
    return sum_s >= rule->min_seconds;
}

/* Narrow, flat, or as many as allowed. */
static rft_stop_reason by_samples(const rft_stop_rule *rule, const double *samples, size_t n) {
    if (n >= least_samples(rule)) {
        rft_stats stats = rft_stats_of(samples, n);
        if (is_narrow(rule, &stats) && stays_narrow(rule, samples, n)) {
            return RFT_STOP_SETTLED;
        }
        if (rule->rival_s > 0.0 && stats.interval_is_95 && stats.low > (1.0 + RFT_RACE_CLOSE_FRAC) * rule->rival_s) {
            return RFT_STOP_SLOWER;
        }
        if (noise_is_flat(samples, n)) {
            return RFT_STOP_PLATEAU;
        }
    }
    return rule->max_samples > 0 && n >= (size_t)rule->max_samples ? RFT_STOP_SAMPLES : RFT_STOP_NOT_YET;
}

rft_stop_reason rft_stop_decide(const rft_stop_rule *rule, const double *samples, size_t n, double elapsed_s) {
    if (out_of_the_race(rule, samples, n)) {
        return RFT_STOP_SLOWER;
    }
    rft_stop_reason reason = has_the_time(rule, samples, n) ? by_samples(rule, samples, n) : RFT_STOP_NOT_YET;
    if (reason != RFT_STOP_NOT_YET) {
        return reason;
    }
    bool enough = n >= TIME_MIN_SAMPLES && n >= least_samples(rule);
    double most_s = fmax(rule->max_seconds, RFT_MIN_TIME_PATIENCE * rule->min_seconds);
    return n > 0 && elapsed_s >= most_s * (enough ? 1.0 : TIME_PATIENCE) ? RFT_STOP_TIME : RFT_STOP_NOT_YET;
}
