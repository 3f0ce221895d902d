/* SPDX-License-Identifier: Apache-2.0 */
/* show_text.h - a run as text for a terminal, at most 80 columns where names allow it. Pure: nothing is printed. */
#ifndef RFT_CLI_SHOW_TEXT_H
#define RFT_CLI_SHOW_TEXT_H

#include "base/str.h"
#include "model/roofline/bound.h"
#include "model/roofline/placement.h"
#include "model/run/run.h"

typedef struct rft_show_opts {
    bool ascii; /* nothing but ASCII: charts of plain characters, "?" for the letters of foreign names */
    bool full;  /* all there is, many screens of it; else every section is kept short */
} rft_show_opts;

/* Everything `rooftune show` prints: device and date, ceilings, and for each sweep what became of its configurations,
 * the best of every problem, the ladder, transitions and failures. */
void rft_show_run(rft_str *out, const rft_run *run, const rft_show_opts *opts);

/* The last words of `rooftune run`: device, then a table of the best for each sweep. */
void rft_show_summary(rft_str *out, const rft_run *run);

#endif
