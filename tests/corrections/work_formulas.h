/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work_formulas.h - operations and compulsory bytes of the operations that docs/corrections.md speaks of, from first
 * principles. In C and apart from kernels/, so that the product's own formulas can be held against them. `bytes` is
 * the size of an element; every matrix is counted once. All operations lie on one pipe: only their sum matters here.
 */
#ifndef RFT_TESTS_WORK_FORMULAS_H
#define RFT_TESTS_WORK_FORMULAS_H

#include "model/sweep/work.h"

/* Any operation given per element: `ops` operations, `reads` and `writes` of `bytes` each. */
rft_work work_per_element(double ops, double reads, double writes, double bytes);

/* C[m,n] = A[m,k] B[k,n]: 2 m n k operations. */
rft_work work_gemm(double m, double n, double k, double bytes);
/* The same with weights B of another size an element (quantised weights). */
rft_work work_gemm_weights(double m, double n, double k, double bytes, double weight_bytes);

/* Attention of one head, not causal: Q K^T and P V, 2 l^2 d each, and `softmax_ops` per score. `score_passes`: how
 * often an l x l matrix of scores goes through memory; 0: never (flash attention). */
rft_work work_attention(double l, double d, double bytes, double softmax_ops, double score_passes);

double work_intensity_gemm(double m, double n, double k, double bytes);

/* Operations per second that the roofline allows: the lower of peak and bandwidth x intensity. */
double work_roof(double intensity, double peak, double bandwidth);

/* The m from which an m x n x k layer is compute-bound: the intensity of work_gemm() is `ridge` there. m = r b n k /
 * (2 n k - r b (n + k)); infinite where the denominator is not positive. */
double work_ridge_m(double n, double k, double bytes, double ridge);

/* x rounded to a half, to nearest even; |x| below 65520. */
double work_round_half(double x);

/* Bytes of the pieces of `piece_bytes` that `count` accesses of `size_bytes` touch; each piece counts once. Addresses
 * ascend. */
double work_touched_bytes(const double *addresses, int count, double size_bytes, double piece_bytes);

#endif
