/* SPDX-License-Identifier: Apache-2.0 */
/* budget.h - how long a search may go on, as users write it: "500", "10m", "gpu:30s", or several of them with commas
 * between ("500,10m"): what ends first ends it. */
#ifndef RFT_MODEL_BUDGET_H
#define RFT_MODEL_BUDGET_H

#include "base/err.h"

#include <stdint.h>

/* 0 = none of the kind. */
typedef struct rft_budget {
    double seconds;  /* of wall time */
    uint64_t points; /* configurations, over all problems */
    double gpu_s;    /* seconds that the GPU verifies and measures (rft_measurement.busy_s) */
} rft_budget;

/* RFT_E_USAGE names the part that is not a budget, or is there twice. */
int rft_budget_parse(rft_budget *out, const char *text, rft_err *err);

#endif
