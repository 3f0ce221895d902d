/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amount.h - what a point needs of each memory level and pipe, and the ceiling it is judged by. Internal to model:
 * bound.c and placement.c stand on it, so that both judge the same bytes by the same ceiling.
 */
#ifndef RFT_MODEL_AMOUNT_H
#define RFT_MODEL_AMOUNT_H

#include "model/roofline/bound.h"

typedef struct rft_amount {
    rft_resource resource;
    rft_pipe pipe;          /* when resource is PIPE; else RFT_PIPE_COUNT */
    rft_ceiling_id ceiling; /* RFT_CEILING_COUNT: none exists (ISSUE) */
    rft_evidence evidence;
    double amount;     /* bytes or operations, > 0 */
    double rate;       /* per second at the measured ceiling; NaN = not measured */
    double clock_rate; /* the same at the point's own SM clock (held_clock.h); NaN = not known */
    double least_rate; /* a rate the device reaches for certain: what is negligible at it is negligible; NaN */
} rft_amount;

#define RFT_AMOUNTS_MAX RFT_SHARES_MAX

/* The ceiling of a pipe; RFT_CEILING_COUNT for RFT_PIPE_COUNT. */
rft_ceiling_id rft_amount_pipe_ceiling(rft_pipe pipe);

/* Whether the declared bytes need not come from device memory: hot mode, and they fit the L2. */
bool rft_amount_fits_l2(const rft_run *run, const rft_point *point);

/* Bytes that device memory must move while a kernel runs, whatever it does. What was written may still lie in the L2 at
 * its end; with a warm cache, what is read may have been there at its start. */
double rft_amount_certain_dram_bytes(const rft_run *run, const rft_work *work, rft_cache_mode cache);

/* The work: declared bytes at the level they are judged at, operations per pipe. At most RFT_AMOUNTS_MAX. */
size_t rft_amounts_of_work(const rft_run *run, const rft_point *point, rft_amount *out);

/* The same with traffic in place of the work wherever traffic is known, and the levels only traffic can name. */
size_t rft_amounts_with_traffic(const rft_run *run, const rft_point *point, rft_amount *out);

#endif
