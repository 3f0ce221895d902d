/* SPDX-License-Identifier: Apache-2.0 */
/* check_sample.h - the sample of `rooftune check`: its configurations compiled, and what is told of them. */
#ifndef RFT_CLI_CHECK_SAMPLE_H
#define RFT_CLI_CHECK_SAMPLE_H

#include "cli/check_facts.h"
#include "cli/check_logs.h"
#include "cli/check_reference.h"
#include "cli/check_rows.h"
#include "cli/check_warnings.h"

typedef struct rft_check_state {
    const rft_gpu_info *gpu;
    rft_arena *arena;
    rft_compile_pool *pool; /* NULL: no compiler */
    uint64_t sample;        /* configurations a variant; 0: count only */
    bool all;               /* each configuration of each problem instead */
    rft_str out;
    rft_str references_told; /* of the variant in hand: below its configurations */
    json_t *rows;
    rft_check_rows lost; /* of the problem in hand: what does not compile or cannot run */
    rft_check_logs logs;
    rft_check_warnings warnings;
    rft_check_references references;
    rft_check_compiles compiles;
    bool options_told, amounts_told, unread_told, unfilled_told, other_type_told; /* of the variant in hand */
    const char *place;                                                            /* of it, for warnings */
    size_t lost_problems;     /* of it: on which nothing of the sample can run */
    const char *lost_problem; /* the first of them, and why */
    uint64_t compiled, no_code, failed, spilling, skipped;
} rft_check_state;

/* Everything begins empty. */
void rft_check_state_init(rft_check_state *state, rft_arena *arena);
void rft_check_state_clear(rft_check_state *state);

/* Counts the variants of a sweep and compiles their samples. RFT_E_LIMIT: all of a space that is estimated is asked
 * for. Others as of rft_once(). */
int rft_check_sweep(rft_check_state *state, const rft_plan *plan, size_t sweep, rft_err *err);

#endif
