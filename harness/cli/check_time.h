/* SPDX-License-Identifier: Apache-2.0 */
/* check_time.h - the least GPU time that a run of a sweep can take. */
#ifndef RFT_CLI_CHECK_TIME_H
#define RFT_CLI_CHECK_TIME_H

#include "cli/cli.h"
#include "run/plan/plan.h"

/* Of all sweeps of the plan: every configuration, as far as its budget goes, is launched for verification and for as
 * many samples as a loser of the race has (one, and both launches slower by what that takes), each at the device's
 * rates (datasheet or limit, whichever is higher).
 * Where traffic is modelled, most may be left out: then as many as nothing can be left out before. Of many problems
 * only the first thousands are counted, which keeps it a lower bound. NaN: nothing with a rate is declared.
 * RFT_E_SCRIPT: the table of datasheets is wrong. */
int rft_check_gpu_seconds(rft_cli *cli, const rft_plan *plan, const rft_gpu_info *gpu, double *out_s, rft_err *err);

#endif
