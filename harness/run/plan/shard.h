/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shard.h - a run divided among machines: each configuration belongs to one of N shards, by a hash of what it is. The
 * same in every process and on every machine, and whatever else the sweep has.
 */
#ifndef RFT_RUN_SHARD_H
#define RFT_RUN_SHARD_H

#include "model/sweep/space.h"

typedef struct rft_shard {
    unsigned number; /* 1 to of */
    unsigned of;     /* 0: the run is not divided */
} rft_shard;

#define RFT_SHARDS_MOST 10000

/* "2/8". RFT_E_USAGE. */
int rft_shard_parse(rft_shard *out, const char *text, rft_err *err);
/* A search that depends on results would be one of its own in every shard. RFT_E_USAGE: the sweep is not measured as a
 * whole, in any order. */
int rft_shard_check(const rft_sweep *sweep, rft_err *err);

/* Indices of the space's configurations that belong to the shard, in the order of their hashes, so that what was
 * measured before a stop is a fair sample; their number. In `arena`. The space must be exact. */
size_t rft_shard_list(rft_shard shard, const rft_sweep *sweep, size_t variant, const rft_value *problem,
                      const rft_space *space, rft_arena *arena, uint64_t **out);

#endif
