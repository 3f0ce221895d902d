/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error_sum.h - how surely a sum or a mean over several problems is known: from half widths of 95 % to one. Pure
 * arithmetic; docs/statistics.md tells users.
 *
 * The problems of a run are measured in the same processes, so their errors are not independent. Of a half width h_i,
 * weighted already, the part c_i is shared by all of them (drift, what runs differ by beyond processes); what is left,
 * s_i = sqrt(h_i^2 - c_i^2), is alike between any two by RFT_ERROR_CORRELATION:
 *
 *     half^2 = (1 - r) sum s_i^2 + r (sum s_i)^2 + (sum c_i)^2
 *
 * which is h of one problem alone, and no more than the sum of all. Sides of an interval are added apart.
 */
#ifndef RFT_MODEL_ERROR_SUM_H
#define RFT_MODEL_ERROR_SUM_H

/* Between the medians of two problems, over the processes they share. Source: 23 recordings of two H200s, 850 pairs of
 * problems, 3 to 13 processes: 0.06 by pairs, 0.09 by recordings with a standard error of 0.03. Their upper end. */
#define RFT_ERROR_CORRELATION 0.15

typedef struct rft_error_sum { /* all zero: nothing was added */
    double squares, sum, common;
} rft_error_sum;

/* half >= common >= 0, in the unit of the sum; an infinite or unknown (NaN) one makes the sum so. */
void rft_error_sum_add(rft_error_sum *to, double half, double common);
double rft_error_sum_half(const rft_error_sum *of);

#endif
