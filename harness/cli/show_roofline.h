/* SPDX-License-Identifier: Apache-2.0 */
/* show_roofline.h - the rooflines of a run, one for each pipe, drawn in characters and as JSON. Both are of
 * model/roofline/roofline_chart.h, as the report's are. */
#ifndef RFT_CLI_SHOW_ROOFLINE_H
#define RFT_CLI_SHOW_ROOFLINE_H

#include "base/json.h"
#include "cli/show_parts.h"

/* The drawing area in cells, for whoever computes where a point must be: both axes logarithmic from edge to edge. */
#define RFT_SHOW_ROOFLINE_COLUMNS 68
#define RFT_SHOW_ROOFLINE_ROWS 16

/* A chart with its ceilings and marks explained; nothing where no work has a place on one. */
void rft_show_rooflines(const rft_show_page *t);
/* [{"pipe", "unit", "x_low", ..., "ceilings", "ridges", "best": [...], "points": [...]}]. */
json_t *rft_show_rooflines_json(const rft_run *run);

#endif
