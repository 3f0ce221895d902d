/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_ceilings.h - where a run gets its ceilings from: those of the last day on this card where they are kept; the rest
 * of what its work needs is measured after its first point, so that a mistake in a kernel shows at once and the
 * compilers work meanwhile. A replay has them before it, from the recording.
 *
 * Until they are measured the run file says "not measured yet" of each. A session that finds them so measures them,
 * whichever session stored the points that are there.
 */
#ifndef RFT_CLI_RUN_CEILINGS_H
#define RFT_CLI_RUN_CEILINGS_H

#include "cli/cli.h"
#include "measure/probe.h"
#include "run/plan/plan.h"
#include "store/store.h"

typedef struct rft_run_ceilings {
    rft_cli *cli;
    rft_probe *probe;
    rft_run *run;
    rft_store *store;
    const rft_plan *plan; /* what its sweeps need; NULL: everything */
    bool again;           /* whatever is kept */
} rft_run_ceilings;

/* Which a run of this plan is judged by: device memory, caches, plain pipes and the launch, half a second together, and
 * of the matrix units those that the sweeps' work or traffic names. */
rft_ceiling_set rft_run_ceilings_wanted(const rft_plan *plan);
/* What a new run has before its first point: what is kept, and why not of the rest; limits and datasheet values. */
int rft_run_ceilings_postpone(const rft_run_ceilings *c, rft_err *err);
/* Which are still to be measured: RFT_CEILING_BIT()s; 0: none. */
rft_ceiling_set rft_run_ceilings_due(const rft_run *run);
/* Measures those into the run and the store, with limits and datasheet values, says so, and keeps them. */
int rft_run_ceilings_measure(const rft_run_ceilings *c, rft_err *err);
/* Those of the recording that answers, into the run alone. */
int rft_run_ceilings_replay(const rft_run_ceilings *c, rft_err *err);

/* Keeps what was measured; that it cannot be is said at --verbose only. */
void rft_ceilings_keep(rft_cli *cli, const rft_gpu_info *gpu, const rft_env *env, const rft_ceilings *ceilings);

#endif
