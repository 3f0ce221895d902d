/* SPDX-License-Identifier: Apache-2.0 */
/* run_part_empty.c - a part of several sweeps, of which constraints leave nothing in some. */
#include "cli/run_part.h"
#include "run/plan/plan.h"

int rft_run_part_leave_out_empty(const rft_run_part *part, const rft_sweep **sweeps, const char **paths, size_t *count,
                                 rft_arena *arena, const rft_log *log, rft_err *err) {
    size_t kept = 0;
    rft_err first = RFT_ERR_INIT;
    if (*count < 2 || !rft_run_part_text(part, arena)) {
        return RFT_OK; /* of one sweep the plan says so */
    }
    for (size_t i = 0; i < *count; i++) {
        rft_plan *alone = NULL;
        rft_err lacks = RFT_ERR_INIT;
        if (rft_plan_new(&alone, &sweeps[i], 1, NULL, &lacks) == RFT_E_SPACE) {
            rft_log_info(log, "left out: %s", lacks.message);
            first = first.code == RFT_OK ? lacks : first;
        } else {
            paths[kept] = paths[i];
            sweeps[kept++] = sweeps[i];
        }
        rft_plan_free(alone);
    }
    if (kept == 0) {
        if (err) {
            *err = first;
        }
        return first.code;
    }
    *count = kept;
    return RFT_OK;
}
