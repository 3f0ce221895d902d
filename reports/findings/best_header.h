/* SPDX-License-Identifier: Apache-2.0 */
/*
 * best_header.h - best configurations as a C header that builds include: an `#if` for every device, in it one for every
 * problem of a sweep that has several, in it a macro for every parameter. C90 and C++98 read it, and it warns of
 * nothing.
 *
 * Names: RFT_GPU_<DEVICE>, <SWEEP>_FOR_<AXIS>, <SWEEP>_<PARAMETER>, in capitals, with _ for what no name may have; two
 * that would come out the same are told apart by a number at the end. docs/exchange.md has the scheme for users.
 */
#ifndef RFT_REPORTS_BEST_HEADER_H
#define RFT_REPORTS_BEST_HEADER_H

#include "base/err.h"
#include "base/str.h"
#include "model/run/run.h"

/* How it begins: what was written by `best` is known by it. */
#define RFT_BEST_HEADER_HEAD "/* Best configurations, written by `rooftune best --format header`."

/* Appends the header. Several runs are several devices, or other sweeps of the same device: RFT_E_USAGE when two runs
 * of one device have a sweep of one name. Problems without a measured configuration are left out. */
int rft_best_header(rft_str *out, const rft_run *const *runs, size_t count, rft_err *err);

/* The header's lines for one point, which is the best of its problem: a comment, then "#define GEMV_BLOCK 256" ... */
typedef struct rft_best_macros {
    const rft_point *point;
    const char *text; /* "" for a point that it does not hold */
} rft_best_macros;
/* "-DVEC=4 -DSTREAM=1": the parameters of a point as a shell hands them to a compiler; "" without any. */
const char *rft_best_options(const rft_run *run, const rft_point *point, rft_arena *arena);
void rft_best_macros_of(const rft_run *run, rft_best_macros *wanted, size_t count, rft_arena *arena);

#endif
