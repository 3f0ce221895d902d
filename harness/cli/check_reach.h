/* SPDX-License-Identifier: Apache-2.0 */
/* check_reach.h - what threads of a kernel certainly reach, outside of the buffers and the shared memory they are
 * given. */
#ifndef RFT_CLI_CHECK_REACH_H
#define RFT_CLI_CHECK_REACH_H

#include "cli/check_warnings.h"
#include "run/once.h"
#include "run/plan/plan.h"

typedef struct rft_check_reach {
    const rft_plan *plan;
    size_t sweep, variant, problem;
    const char *place;
    const rft_gpu_info *gpu;
    rft_compile_pool *pool;
    rft_check_warnings *warnings;
} rft_check_reach;

/* Follows threads of the first and the last block of each launch through the PTX (model/sweep/ptx_walk.h) of the
 * default configuration and of those with the smallest and the largest values, on the problem and, where the code is
 * the same, on the odd one, and warns of what lies outside. What does not compile, is given or cannot be followed is
 * left alone. Errors as of rft_compile_pool_wait().
 */
int rft_check_reaches(const rft_check_reach *look, rft_err *err);

#endif
