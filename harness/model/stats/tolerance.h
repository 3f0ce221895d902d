/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tolerance.h - limits that a share of all cards meets, from a few of them, and the risk of a decision at a limit. Pure
 * arithmetic.
 *
 * One-sided tolerance limit: mean - k s of n values of a normal population is below a share `content` of it, with
 * probability `confidence` (ISO 16269-6:2014; Hahn, Meeker, Statistical Intervals, 4.6; NIST Handbook 7.2.6.3). Without
 * the normal: the r-th smallest of n values (ISO 16269-6:2014, annex; Hahn, Meeker, 5.3). tests/unit/
 * test_model_tolerance.c holds both to printed tables and to trials.
 */
#ifndef RFT_MODEL_TOLERANCE_H
#define RFT_MODEL_TOLERANCE_H

#include <stddef.h>

/* k for n >= 3 values; 0.5 <= content < 1, 0.5 <= confidence < 1. By the noncentral t distribution, integrated:
 * rft_tolerance_factor(10, 0.95, 0.95) = 2.911. */
double rft_tolerance_factor(size_t n, double content, double confidence);

/* The largest r, from 1: as many values as there are is not too many, fewer leave none. 0: there is none, as under 59
 * values for 0.95 and 0.95. */
size_t rft_tolerance_rank(size_t n, double content, double confidence);

/* P(T > t) of Student's t: what rft_student_t() inverts, one-sided. freedom >= 1. */
double rft_student_tail(double t, double freedom);

#endif
