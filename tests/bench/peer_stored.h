/* SPDX-License-Identifier: Apache-2.0 */
/* peer_stored.h - peers that a run has measured itself: a baseline of its sweep, in turns with ours in each process of
 * the final round. Nothing is measured anew. */
#ifndef RFT_TESTS_BENCH_PEER_STORED_H
#define RFT_TESTS_BENCH_PEER_STORED_H

#include "bench/peer_ours.h"
#include "bench/peer_text.h"

/* Is every peer of the row a vendor's library, which sweeps have as a baseline ("cuBLASLt, scaled by rows": its short
 * label)? */
bool peer_row_is_stored(const peer_row *row);

/* The processes' medians of ours and of each peer as rounds. A peer that the run has not is left with its reason. */
void peer_take_stored(peer_row_result *result, const peer_ours *ours, rft_arena *arena);

#endif
