/* SPDX-License-Identifier: Apache-2.0 */
/* again_rate.h - shares with bounds, and where the variance of repeated runs lies. Pure arithmetic of same_again. */
#ifndef RFT_TESTS_AGAIN_RATE_H
#define RFT_TESTS_AGAIN_RATE_H

#include <stddef.h>

/* k of n trials. */
typedef struct again_rate {
    size_t k, n;
} again_rate;
double again_share(const again_rate *rate); /* k / n; NaN without trials */
/* One-sided 95 % bounds of the probability, for independent trials (Clopper & Pearson, Biometrika 26 (1934) 404-413):
 * the largest p for which k or fewer come in 5 % of experiments; the least for which k or more do. NaN without trials.
 */
double again_at_most(const again_rate *rate);
double again_at_least(const again_rate *rate);

/* Trials in clusters, whose members are not independent (kernels of one pair of runs): as many independent ones as
 * scatter no less from cluster to cluster (Korn & Graubard, Survey Methodology 24 (1998) 193-201). Where all are equal,
 * as many as there are clusters. Bounds as above; NaN without trials. */
typedef struct again_clustered {
    again_rate rate;    /* of all trials */
    size_t clusters;    /* that have any */
    size_t independent; /* 1 .. rate.n */
    double at_least, at_most;
} again_clustered;
again_clustered again_clustered_of(const again_rate *clusters, size_t count);

/* The 95th percentile of the mean of shares that are drawn again with replacement, each from another kernel (cluster
 * bootstrap: what comes from one kernel is not independent). But never below what no event in `independent` trials
 * excludes. NaN without shares. */
double again_bootstrap_at_most(const double *shares, size_t count, size_t independent);

/* One kernel's processes: those of run r are medians_s[r][0 .. counts[r]-1], its noise[r][p] the variance of ln median
 * that is from the samples of that process alone. Runs of fewer than two processes are passed over. */
typedef struct again_nest {
    size_t run_count;
    const size_t *counts;
    const double *const *medians_s, *const *noise;
} again_nest;

/* Variances of logarithms, so of fractions. Nested analysis of variance (Searle, Casella & McCulloch, Variance
 * Components, section 3.6); a component is never below 0. */
typedef struct again_levels {
    size_t cluster;           /* kernels of one problem on one card share it, and luck; the caller's */
    size_t runs, processes;   /* that count; runs under 2: all else is NaN */
    double between_runs;      /* of run means, beyond what processes give */
    double between_processes; /* of process medians within a run, beyond their samples' own noise */
    double within_process;    /* of a process' median, by its samples */
    double scatter;           /* of process medians within a run: the two above together */
    double run_means;         /* observed, of the means of runs */
    double by_processes;      /* what that would be if runs were nothing but draws of processes */
} again_levels;
again_levels again_levels_of(const again_nest *nest);

#define AGAIN_QUANTILE 1.96 /* deviations are printed as so many standard deviations */
double again_deviation_frac(double variance);

/* Which share of the variance between runs do processes reproduce? Sums over the kernels, at most 1. */
typedef struct again_reproduced {
    size_t kernels;
    double share;      /* of the variance between run means summed over all kernels: what processes give over it */
    double low, high;  /* 90 %, by drawing clusters again; NaN under five of them */
    double floor_frac; /* AGAIN_QUANTILE standard deviations between runs beyond processes, root mean square over the
                          kernels */
    double floor_low, floor_high; /* as low and high */
} again_reproduced;
again_reproduced again_reproduced_of(const again_levels *levels, size_t count);

#endif
