/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search_recording.h - a recorded space: every configuration that was tried, its time and what trying it cost. From a
 * T4 file or a Kernel Tuner cache, gzip or plain; a cache of a run that did not finish is closed where it ends.
 */
#ifndef RFT_TESTS_BENCH_SEARCH_RECORDING_H
#define RFT_TESTS_BENCH_SEARCH_RECORDING_H

#include "base/err.h"
#include "support/list_view.h"

typedef struct search_recording {
    char *name; /* of the file, without its folder and suffixes: "convolution_A100"; of a part, "matmul_fp32#3" */
    rft_space_view *view;
    uint64_t count, valid;
    double *seconds;   /* per configuration; NaN: it failed */
    double *cost_s;    /* compile, validation and runs, as recorded; what is not recorded counts 0 */
    double *compile_s; /* of that: the compile */
    double best_s, median_s;
} search_recording;

/* A run of rooftune's own holds one space for each variant on each problem: `part` from 0 chooses, *parts says how many
 * there are; other files have one. What has no valid configuration is no part.
 * RFT_E_RECORDING says what is wrong with the file; one without a valid configuration is such a case. */
int search_recording_open(search_recording **out, const char *path, size_t part, size_t *parts, rft_err *err);
void search_recording_free(search_recording *recording); /* NULL is accepted */

/* One with all costs 1 s, 0.75 of them the compile, for tests; seconds and rows are copied. */
search_recording *search_recording_of(const list_view_spec *spec, const double *seconds);

#endif
