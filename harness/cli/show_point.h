/* SPDX-License-Identifier: Apache-2.0 */
/* show_point.h - one point of a run. */
#ifndef RFT_CLI_SHOW_POINT_H
#define RFT_CLI_SHOW_POINT_H

#include "base/str.h"
#include "model/run/run.h"

/* Everything about one point, for `rooftune show --point`. RFT_E_NOT_FOUND with the ids there are. */
int rft_show_point(rft_str *out, const rft_run *run, int64_t id, rft_err *err);

#endif
