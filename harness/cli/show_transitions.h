/* SPDX-License-Identifier: Apache-2.0 */
/* show_transitions.h - transitions and fits of a sweep's lines along its axes (docs/roofline.md). */
#ifndef RFT_CLI_SHOW_TRANSITIONS_H
#define RFT_CLI_SHOW_TRANSITIONS_H

#include "cli/show_data.h"
#include "cli/show_parts.h"
#include "model/transition/transition.h"

/* "along n (stride=2)": the axis and what is held fixed. */
const char *rft_show_line_name(const rft_show_page *t, const rft_profile *profile);

/* An object for every transition: "axis", "line_through", "kind", "from", "to", "by", "where", "low", "high", "ridge",
 * slopes and sharpness of the turn, "scatter_frac", "evidence", "why", "waves". Places are null where nothing is
 * located. */
json_t *rft_show_transitions_json(const rft_run *run, size_t sweep, rft_arena *arena);

/* What the bests along each axis reach, as text (show_fit.c); nothing where no line has enough values. */
void rft_show_fits(const rft_show_page *t, size_t sweep);
/* An object for every line: "axis", "line_through", "points", "pipe", "scatter_frac", "why", and "overhead",
 * "bandwidth", "peak", "sharpness", each {"state", "value", "low", "high", "ceiling", "why"}. */
json_t *rft_show_fits_json(const rft_run *run, size_t sweep, rft_arena *arena);

#endif
