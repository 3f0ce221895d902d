/* SPDX-License-Identifier: Apache-2.0 */
/* doc_sweep_parts.h - what the files of a sweep's chapter share: single charts. */
#ifndef RFT_REPORTS_DOC_SWEEP_PARTS_H
#define RFT_REPORTS_DOC_SWEEP_PARTS_H

#include "reports/doc_build.h"

/* Single charts for one problem; NULL where there is too little to show. Heights are points. */
rft_chart *rft_build_distribution_chart(rft_build *b, const rft_entry *entry, double height);
/* Of the best's variant, over the two parameters that matter most; `caption` says which cells are empty. */
rft_chart *rft_build_heat_chart(rft_build *b, const rft_entry *entry, double height);
/* Parameter profiles where there are one or two of them (0: none, or so many that they stand by themselves). */
size_t rft_build_few_profiles(rft_build *b, const rft_entry *entry, double height, rft_chart *charts[2],
                              const char **caption);
/* An axis profile under its ceilings, over bands of bound (doc_axes.c). */
typedef struct rft_along_opts {
    double height;
    bool best_alone;                   /* one line; else one a variant */
    const rft_transition *transitions; /* their places are drawn; NULL = none */
    size_t transition_count;
    const char *title;
} rft_along_opts;
rft_chart *rft_build_along_chart(rft_build *b, const rft_profile *profile, const rft_along_opts *opts);

/* The problem the ladder is shown on: where most variants were measured, of these the longest-running one. NULL when
 * nothing was measured. */
const rft_entry *rft_build_ladder_entry(const rft_build *b, size_t sweep);
/* What explains best why the second is faster or slower than the first: "device memory, read: 3.22 GB to 1.07 GB
 * (counted)"; in the report's arena (doc_ladder_change.c). */
const char *rft_build_change_text(rft_build *b, const rft_point *before, const rft_point *after);
/* Bars with 95 % intervals: the variants' bests and the baselines on that problem. NULL with fewer than two. */
rft_chart *rft_build_ladder_chart(rft_build *b, size_t sweep, double height);

/* A place on an axis with three digits: "179", "4.75M". */
const char *rft_build_place_text(const rft_build *b, double value);

/* Columns for so many charts without holes: 1, 2, 3, 2 x 2, 3 x 2 ... */
size_t rft_build_columns(size_t count);
/* Appends charts in rows of `columns` (1..4); the last row is filled up with nothing, so that columns stay in line. */
void rft_build_chart_rows(rft_build *b, rft_chart *const *charts, size_t count, size_t columns);

#endif
