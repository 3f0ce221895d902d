/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_rule.h - FASTER, SLOWER, SAME or AMBIGUOUS: the verdict on two measured times, by intervals and never by two
 * bare numbers. Pure arithmetic; compare.h finds the figures, docs/compare.md tells the rule to users with its shares.
 *
 * ratio = time of the first over time of the other: above 1 the other is faster. Its 95 % interval follows from those
 * of both medians by the method of variance estimates recovery on logarithms (Zou & Donner, Statistics in Medicine 27
 * (2008) 1693-1702; Newcombe 2016): with d = ln m1 - ln m2 and intervals [l1, u1], [l2, u2] of the medians
 *
 *     low  = d - sqrt((ln m1 - ln l1)^2 + (ln u2 - ln m2)^2)
 *     high = d + sqrt((ln u1 - ln m1)^2 + (ln m2 - ln l2)^2)
 *
 * Touching intervals would be a test at far less than 5 %, and would lose half of the differences that are there. The
 * intervals of medians are those of repeat.h: what another process reads is in them, so of two runs of one card with
 * equal numbers of processes the interval of the ratio holds 1 when the one reads what the other's repeat interval
 * foretold. What was measured in one process knows less (compare.h), and says so.
 *
 *   FASTER, SLOWER  the interval at 99 %, which is RFT_COMPARE_SHOWN_WIDER times as wide in logarithms, lies wholly
 * more than RFT_COMPARE_SHOWN_FRAC from 1 (the margin of nvbench's FAST and SLOW: NVIDIA/nvbench,
 *                   docs/nvbench_compare_robust.md; and of rft_stats_tie()). A false verdict is one of these between
 * two runs of one card. SAME            the interval lies wholly within RFT_COMPARE_MARGIN_FRAC of 1. AMBIGUOUS all
 * else: a difference that is neither shown nor excluded. And whatever the interval says:
 *                   - a side has no 95 % interval (under 6 samples, or 8 that are not independent; a bare number);
 *                   - the workloads are not one and the same (cache mode, declared work);
 *                   - the search effort of the sides differs and the gap does not exceed both roof distances: more
 *                     search on one side could close it. SAME stands there only if no side can gain the margin;
 *                   - runs of one and the same model differ among themselves by as much as the gap between two models.
 */
#ifndef RFT_MODEL_COMPARE_RULE_H
#define RFT_MODEL_COMPARE_RULE_H

#include "model/stats/error_sum.h"
#include "model/stats/stats.h"

typedef enum rft_compare_verdict {
    RFT_COMPARE_NONE, /* nothing to judge: one side has no figure, or it is the first itself */
    RFT_COMPARE_FASTER,
    RFT_COMPARE_SLOWER,
    RFT_COMPARE_SAME,
    RFT_COMPARE_AMBIGUOUS,
    RFT_COMPARE_VERDICTS
} rft_compare_verdict;
const char *rft_compare_verdict_name(rft_compare_verdict verdict); /* "none", "FASTER", "SLOWER", "SAME", "AMBIGUOUS" */

/* The constants of the rule; docs/compare.md tells them to users. */
#define RFT_COMPARE_SHOWN_FRAC 0.005 /* what a difference must exceed to be told, */
#define RFT_COMPARE_SHOWN_WIDER 1.4  /* by 99 %: Student's t at 99 % over that at 95 %, for ten degrees of freedom */
#define RFT_COMPARE_MARGIN_FRAC 0.01 /* what differs by no more is the same */
/* A repeat interval of this half width leaves SAME to nine of ten equal pairs: both runs' medians scatter too. */
#define RFT_COMPARE_REPEAT_FRAC (RFT_COMPARE_MARGIN_FRAC / 2.0)

typedef struct rft_compare_ratio {
    double ratio, low, high; /* time of the first over time of the other; NaN: a side has no number */
    bool interval;           /* low and high are a 95 % interval: both sides have one */
    double common;           /* half width, in logarithms, that all problems of the two runs share; part of the above */
} rft_compare_ratio;
rft_compare_ratio rft_compare_ratio_of(const rft_stats *first, const rft_stats *other);

/* ---- a mean of ratios over workloads ---- */

/* Geometric, or `additive`: the sum of weight x ratio. All zero: nothing was added. */
typedef struct rft_compare_mean {
    bool additive, no_interval;
    size_t count;
    double sum, weight;
    rft_error_sum down, up;
} rft_compare_mean;
/* The ratio is a number; weight > 0. */
void rft_compare_mean_add(rft_compare_mean *to, const rft_compare_ratio *ratio, double weight);
/* Over the sum of the weights; NaN where nothing was added. The interval is that of error_sum.h, none where one of the
 * ratios has none. */
rft_compare_ratio rft_compare_mean_of(const rft_compare_mean *of);
/* What may be said of a mean: SAME where its interval lies wholly within RFT_COMPARE_MARGIN_FRAC of 1, else AMBIGUOUS
 * ("unclear") where it holds 1 or is not known. NONE: there is no mean. */
rft_compare_verdict rft_compare_mean_verdict(const rft_compare_ratio *mean);

/* Why a verdict is AMBIGUOUS though numbers are there. */
typedef enum rft_compare_doubt {
    RFT_DOUBT_NONE,
    RFT_DOUBT_NEITHER,  /* neither shown nor excluded */
    RFT_DOUBT_INTERVAL, /* no 95 % interval on a side */
    RFT_DOUBT_WORKLOAD, /* not the same workload */
    RFT_DOUBT_EFFORT,   /* search effort differs, and the gap is within reach of a roof */
    RFT_DOUBT_SPREAD,   /* runs of one model differ by as much */
    RFT_DOUBT_COUNT
} rft_compare_doubt;

typedef struct rft_compare_case {
    rft_compare_ratio ratio;
    bool other_workload;
    bool effort_differs;
    /* Roof distances: what is left (rft_reach.left_factor), >= 1; NaN = not known, which is taken for "any". */
    double first_roof, other_roof;
    double spread; /* slowest over fastest among runs of one model, the larger of both sides'; 1 or NaN: not known */
} rft_compare_case;

/* `doubt` may be NULL. */
rft_compare_verdict rft_compare_judge(const rft_compare_case *of, rft_compare_doubt *doubt);

#endif
