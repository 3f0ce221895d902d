/* SPDX-License-Identifier: Apache-2.0 */
/* check_baseline.h - given binaries among a sweep's baselines, as `rooftune check` looks at variants. */
#ifndef RFT_CLI_CHECK_BASELINE_H
#define RFT_CLI_CHECK_BASELINE_H

#include "cli/check_sample.h"

/* For the last of the timed problems. Errors as of rft_check_sweep(). */
int rft_check_baselines(rft_check_state *state, const rft_plan *plan, size_t sweep, rft_err *err);

#endif
