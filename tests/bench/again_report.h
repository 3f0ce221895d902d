/* SPDX-License-Identifier: Apache-2.0 */
/* again_report.h - what same_again prints of runs, and whether its goals are met. */
#ifndef RFT_TESTS_AGAIN_REPORT_H
#define RFT_TESTS_AGAIN_REPORT_H

#include "bench/again_runs.h"

/* Sorts, judges and prints to stdout: a line a kernel, shares by sweep and over all, goals. Returns the exit status: 1
 * where a goal is missed, or no two runs are of the same sweeps on one card. */
int again_report(again_set *set, size_t draws);

#endif
