/* SPDX-License-Identifier: Apache-2.0 */
/* ncu_command.h - the command line by which Nsight Compute counts a point, where CUPTI is refused but ncu is not:
 * `rooftune point ... --ncu`, whose output `rooftune import --counters` reads. */
#ifndef RFT_CLI_NCU_COMMAND_H
#define RFT_CLI_NCU_COMMAND_H

#include "base/str.h"
#include "cli/opt.h"
#include "cli/point_choice.h"
#include "model/card/gpu_info.h"
#include "model/run/counters.h"

typedef struct rft_ncu_order {
    const rft_sweep *sweep;
    const rft_point_choice *choice;
    const rft_gpu_info *gpu;
    rft_counter_set set;
    const char *file; /* the sweep's, as typed */
    const rft_words *script_args, *allow_paths;
} rft_ncu_order;

/* Appends two command lines, to count and to import. Metrics are those that CUPTI knows of the chip; where it is not
 * there, or does not know the chip, the names that most chips have, and the log says so. RFT_E_NOT_FOUND: the point
 * launches no kernel of its own. Errors of the script. */
int rft_ncu_command(rft_cli *cli, const rft_ncu_order *order, rft_str *out, rft_arena *arena, rft_err *err);

#endif
