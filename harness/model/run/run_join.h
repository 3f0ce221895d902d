/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_join.h - several runs on one card as one, for readers: a report of sweeps that were run one by one. What is the
 * same for all (device, environment, ceilings) is the first run's; what is lacking there is another's. Hashes of files
 * are those of all runs, a key as often as they differ; the keys of other facts that differ are in `joined.differing`.
 */
#ifndef RFT_MODEL_RUN_JOIN_H
#define RFT_MODEL_RUN_JOIN_H

#include "model/run/run.h"

/* A new run with the sweeps and points of all (1 or more), in the order given; points are numbered anew. Its id comes
 * from theirs, it is of no package; the command names all commands; times and costs are sums, from the first start to
 * the last end. Texts and arrays are borrowed: the runs must outlive it. With one run it is that run's copy, id
 * included.
 *
 * RFT_E_USAGE, with a remedy: another card, a replay among measured runs, or a sweep that two of them hold. */
int rft_run_join(rft_run **out, rft_run *const *runs, size_t count, rft_err *err);

/* The id of a run that is made of others or of a part of one: 12 hex digits, of the texts in their order. In `arena`.
 */
const char *rft_run_id_of(const char *const *texts, size_t count, rft_arena *arena);

#endif
