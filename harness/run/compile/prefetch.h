/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefetch.h - rooftune's own kernels, compiled by the pool before the device worker asks for them: it finds them in
 * the cubin cache, and they are compiled side by side while it opens the device.
 */
#ifndef RFT_RUN_PREFETCH_H
#define RFT_RUN_PREFETCH_H

#include "run/compile/compile_pool.h"

typedef enum rft_prefetch_group {
    RFT_PREFETCH_POINTS,   /* what every point needs */
    RFT_PREFETCH_CEILINGS, /* what the ceilings need besides */
    RFT_PREFETCH_GROUPS
} rft_prefetch_group;

typedef struct rft_prefetch {
    rft_compile_pool *pool; /* NULL: nothing is compiled ahead */
    rft_ticket *tickets;    /* heap */
    size_t first[RFT_PREFETCH_GROUPS + 1];
    bool awaited[RFT_PREFETCH_GROUPS];
} rft_prefetch;

/* Queues what points need and what the `wanted` ceilings (RFT_CEILING_BIT()s) need. `pool` NULL: nothing. */
void rft_prefetch_begin(rft_prefetch *prefetch, rft_compile_pool *pool, const rft_gpu_info *gpu,
                        rft_ceiling_set wanted);
/* Waits for a group, once. What did not compile is left to the device worker, which says why. */
void rft_prefetch_await(rft_prefetch *prefetch, rft_prefetch_group group);
/* Gives back what was not waited for. */
void rft_prefetch_end(rft_prefetch *prefetch);

#endif
