/* SPDX-License-Identifier: Apache-2.0 */
/*
 * again_pairs.h - verdicts between two runs of one card by rft_compare_runs(), and what their intervals cover.
 *
 * Disjoint pairs are run i and run i + half of the runs: as far apart in time as that goes. "Dealt" pairs are made up:
 * two runs of the group lend everything but the samples of the final round, whose processes come, without replacement,
 * from those of all the group's runs. So what differs between runs beyond processes is spread over both: dealt pairs
 * say what many processes do, disjoint ones what runs do.
 */
#ifndef RFT_TESTS_AGAIN_PAIRS_H
#define RFT_TESTS_AGAIN_PAIRS_H

#include "bench/again_runs.h"

/* Two runs made up as told, from run a and run b of the group. They live in `arena` and borrow from the group. */
void again_deal(rft_run dealt[2], const again_group *group, size_t a, size_t b, uint64_t *seed, rft_arena *arena);

/* Fills the tallies of every kernel of the group. */
void again_judge_group(again_group *group, size_t draws);

#endif
