/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_ceilings.h - when a run gets its ceilings: a measured one after its first point, so that a mistake in a kernel
 * shows at once and the compilers work meanwhile; a replay before it, from the recording.
 *
 * Until then the run file says "not measured yet" of each. A session that finds them so measures them, whichever
 * session stored the points that are there.
 */
#ifndef RFT_CLI_RUN_CEILINGS_H
#define RFT_CLI_RUN_CEILINGS_H

#include "cli/cli.h"
#include "measure/probe.h"
#include "store/store.h"

typedef struct rft_run_ceilings {
    rft_cli *cli;
    rft_probe *probe;
    rft_run *run;
    rft_store *store;
} rft_run_ceilings;

/* What a new run has before its ceilings: none, with the reason; limits and datasheet values are known already. */
int rft_run_ceilings_postpone(const rft_run_ceilings *c, rft_err *err);
/* Are they still to be measured? */
bool rft_run_ceilings_due(const rft_run *run);
/* Measures them into the run and the store, with limits and datasheet values, and says so. */
int rft_run_ceilings_measure(const rft_run_ceilings *c, rft_err *err);
/* Those of the recording that answers, into the run alone. */
int rft_run_ceilings_replay(const rft_run_ceilings *c, rft_err *err);

#endif
