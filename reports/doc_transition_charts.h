/* SPDX-License-Identifier: Apache-2.0 */
/* doc_transition_charts.h - the charts over the table of transitions along axes. */
#ifndef RFT_REPORTS_DOC_TRANSITION_CHARTS_H
#define RFT_REPORTS_DOC_TRANSITION_CHARTS_H

#include "reports/doc_sweep_parts.h"

/* An axis profile with what was found on it. */
typedef struct rft_found {
    const rft_profile *profile;
    const rft_transition *items; /* in order */
    size_t count;
} rft_found;

/* Every line that can be drawn: those with a change first. At most six of them without --full; the rest is counted in
 * words. Nothing where no line has two measured values. */
void rft_build_transition_charts(rft_build *b, const rft_found *lines, size_t count);

#endif
