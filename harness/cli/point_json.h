/* SPDX-License-Identifier: Apache-2.0 */
/* point_json.h - `rooftune point --json`: one point with every sample, for programs that compare it with others. */
#ifndef RFT_CLI_POINT_JSON_H
#define RFT_CLI_POINT_JSON_H

#include "cli/cli.h"
#include "cli/point_choice.h"
#include "run/once.h"

typedef struct rft_point_told {
    const rft_sweep *sweep;
    const rft_point_choice *choice;
    const rft_once_result *result;
} rft_point_told; /* all borrowed */

/*
 * Writes one line to `path` ("-": stdout), an object with
 *   sweep, variant, problem {axis: value}, config {parameter: value}, outcome, reason (null when ok)
 *   samples_s   every sample in the order taken; empty where it was not measured
 *   median_s, low_s, high_s, interval_is_95, stop   what follows from them; null where it was not measured
 *   useful_bytes, useful_ops   the kernel's work; null where it was not measured
 *   verified    {worst_frac, rms_frac, elements}; null where nothing was verified
 * and what rft_finding_timing() adds. Errors: those of rft_cli_write().
 */
int rft_point_write_json(rft_cli *cli, const char *path, const rft_point_told *told, rft_err *err);

#endif
