/* SPDX-License-Identifier: Apache-2.0 */
/* compare_fleet.h - `rooftune compare` of more runs than stand beside each other: a fleet. */
#ifndef RFT_CLI_COMPARE_FLEET_H
#define RFT_CLI_COMPARE_FLEET_H

#include "cli/cli.h"

typedef struct rft_compare_fleet_opts {
    const char *drawn, *json, *csv; /* NULL: not asked for */
    const char *expected;           /* file of UUIDs or serial numbers, a card a line; NULL */
} rft_compare_fleet_opts;

/* One file after another: only what compares is kept. What cannot be read or is no part of it is left out, and told.
 * RFT_E_NOT_FOUND: nothing is left to compare. RFT_E_USAGE: the list has a line without a card. RFT_E_IO, RFT_E_REPORT.
 */
int rft_compare_fleet(rft_cli *cli, const rft_words *paths, const rft_compare_fleet_opts *opts, rft_err *err);

#endif
