/* SPDX-License-Identifier: Apache-2.0 */
/* doc_sweep_parts.h - what the files of a sweep's chapter share: single charts. */
#ifndef RFT_REPORTS_DOC_SWEEP_PARTS_H
#define RFT_REPORTS_DOC_SWEEP_PARTS_H

#include "reports/doc_build.h"

/* The problem the ladder is shown on: where most variants were measured, of these the longest-running one. NULL when
 * nothing was measured. */
const rft_entry *rft_build_ladder_entry(const rft_build *b, size_t sweep);
/* What explains best why the second is faster or slower than the first: "device memory, read: 3.22 GB to 1.07 GB
 * (counted)"; in the report's arena (doc_ladder_change.c). */
const char *rft_build_change_text(rft_build *b, const rft_point *before, const rft_point *after);
/* Bars with 95 % intervals: the variants' bests and the baselines on that problem. NULL with fewer than two. */
rft_chart *rft_build_ladder_chart(rft_build *b, size_t sweep, double height);

#endif
