/* SPDX-License-Identifier: Apache-2.0 */
/* peer_theirs.h - the other side of a row of build/bench/peers: torch in a process that stays, CUB as a program. */
#ifndef RFT_TESTS_BENCH_PEER_THEIRS_H
#define RFT_TESTS_BENCH_PEER_THEIRS_H

#include "bench/peer_ours.h"
#include "bench/peer_text.h"

typedef struct peer_theirs peer_theirs;

/* `script`: peers/torch_peer.py. Texts that are returned live in `arena`, which must outlive it. */
peer_theirs *peer_theirs_new(const char *script, rft_arena *arena);
void peer_theirs_free(peer_theirs *theirs); /* NULL is accepted */

/* Starts torch. "torch 2.11.0, triton 3.6.0, on NVIDIA H200", or "no torch: why". */
const char *peer_theirs_meet(peer_theirs *theirs);

/* What flushes the L2 in front of the peers' samples, from here on: for `arch`, NULL: cannot be told. */
void peer_theirs_flush_for(peer_theirs *theirs, const char *arch);

/* Makes the row's data for one peer, compiles and warms up. NULL, or why it cannot be measured. */
const char *peer_theirs_prepare(peer_theirs *theirs, const peer_row *row, const peer_goal *goal);

/* Adds a round to peer->series: the median of as many samples as ours had, with the same cache. NaN and peer->reason
 * where it failed; whoever has a reason is not asked. */
void peer_theirs_time(peer_theirs *theirs, const peer_row *row, peer_result *peer, const peer_shot *ours);

void peer_theirs_drop(peer_theirs *theirs); /* what was prepared, and its memory */

#endif
