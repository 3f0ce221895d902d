/* SPDX-License-Identifier: Apache-2.0 */
/* check_unchanged.h - parameters of which no value changes the code or the launch. */
#ifndef RFT_CLI_CHECK_UNCHANGED_H
#define RFT_CLI_CHECK_UNCHANGED_H

#include "cli/check_warnings.h"
#include "run/once.h"
#include "run/plan/plan.h"

typedef struct rft_check_unchanged {
    const rft_plan *plan;
    size_t sweep, variant;
    const rft_gpu_info *gpu;
    rft_compile_pool *pool;
    rft_check_warnings *warnings;
} rft_check_unchanged;
#define RFT_CHECK_BEGUN 16 /* configurations to begin from, spread over the space */

/* Warns of each tuned parameter whose other values were given the same buffers, launches and code wherever it was
 * tried. Launches are compared first, which compiles nothing; of the rest most differ in the first pair that is
 * compiled. What is the same on one problem is looked at on others. A space that is not exact is left alone. Errors as
 * of rft_once().
 */
int rft_check_unchanged_params(const rft_check_unchanged *look, rft_err *err);

#endif
