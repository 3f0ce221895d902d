/* SPDX-License-Identifier: Apache-2.0 */
/* doc_sweep_parts.h - what the files of a sweep's chapter share: single charts. */
#ifndef RFT_REPORTS_DOC_SWEEP_PARTS_H
#define RFT_REPORTS_DOC_SWEEP_PARTS_H

#include "reports/doc_build.h"

/* Bars with 95 % intervals: the variants' bests and the baselines on that problem. NULL with fewer than two. */
rft_chart *rft_build_ladder_chart(rft_build *b, size_t sweep, double height);

#endif
