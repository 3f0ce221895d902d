/* SPDX-License-Identifier: Apache-2.0 */
/*
 * floor.h - the least time that the hardware's own limits leave a configuration: bus width x clock, pipe width x clock.
 * Never a measured ceiling, which a better kernel may beat. What lies above the best so far cannot win, so it need not
 * be launched; when that holds for all that is left, the search is over with a certificate (docs/pruning.md).
 *
 *     floor = max over amounts of amount / limit
 *
 * Amounts: the work's operations per pipe; the bytes device memory must move in any case (compulsory bytes, less what
 * the L2 can hold of them); and, where the kernel models its traffic, its bytes through L2, L1 and shared memory and
 * its own operations. The evidence says on which the floor rests. Traffic modelled for device memory is left out: how
 * much of it the L2 keeps is not certain. Bytes through the L2 are set against what the SMs can take in, since one read
 * of the L2 may serve several of them.
 */
#ifndef RFT_MODEL_FLOOR_H
#define RFT_MODEL_FLOOR_H

#include "model/roofline/bound.h"

typedef struct rft_floor {
    double seconds;        /* NaN: nothing with a limit is known */
    rft_resource resource; /* what takes so long: DRAM, L2, L1, SHARED or PIPE; else UNKNOWN */
    rft_pipe pipe;
    rft_evidence evidence; /* DECLARED (work) or MODELLED (the kernel's traffic) */
    double sum_s;          /* all the times at limits one after the other: no bound, but it tells configurations apart
                            * whose floors are one and the same; NaN */
} rft_floor;

/* `run` gives the limits and the size of the L2; the cache mode decides what of the bytes is compulsory. */
rft_floor rft_floor_of(const rft_run *run, const rft_work *work, const rft_traffic *traffic, rft_cache_mode cache);

/* The amounts one by one: seconds at their limits; 0 where there is no amount, or no limit is known. */
typedef struct rft_limit_times {
    double level_s[RFT_LEVEL_COUNT]; /* DRAM: of the modelled traffic where there is one, else of what must be moved */
    double pipe_s[RFT_PIPE_COUNT];   /* of the modelled operations where there are some, else of the work's */
    rft_floor floor;
} rft_limit_times;
rft_limit_times rft_limit_times_of(const rft_run *run, const rft_work *work, const rft_traffic *traffic,
                                   rft_cache_mode cache);

/* Fills in the limits that `run` lacks, by its device's clocks and widths: before anything was measured, and so that a
 * continued run, whose ceilings are there from the start, sees what it saw. Texts in `arena`. */
void rft_limits_complete(rft_run *run, rft_arena *arena);

/* "1.31 ms at the hardware's limit of shared memory (modelled traffic)"; in `arena`. Only where seconds is known. */
const char *rft_floor_text(const rft_floor *floor, rft_arena *arena);

#endif
