/* SPDX-License-Identifier: Apache-2.0 */
/* ladder_change.h - why a rung of the ladder of variants is faster or slower than the one before. */
#ifndef RFT_REPORTS_LADDER_CHANGE_H
#define RFT_REPORTS_LADDER_CHANGE_H

#include "model/run/run.h"

/* What accounts for half to twice the change of the times (docs/report.md), with how much: "device memory, read: 3.22
 * GB to 1.07 GB (counted), at its ceiling 97 % of the difference"; else "not known", or that it is a tie, or as fast,
 * with why (ladder_tie.h). Where the SM clock differs and the step follows it, its gain at one clock stands behind. */
const char *rft_ladder_change(const rft_run *run, const rft_point *before, const rft_point *after, rft_arena *arena);

#endif
