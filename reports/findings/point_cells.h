/* SPDX-License-Identifier: Apache-2.0 */
/* point_cells.h - the figures of a point as every table of points on a terminal has them. */
#ifndef RFT_REPORTS_POINT_CELLS_H
#define RFT_REPORTS_POINT_CELLS_H

#include "model/run/run.h"
#include "reports/findings/finding.h"

/* Median, half its 95 % interval, useful rate, share of the measured roof, bound. For people at a terminal alone. */
#define RFT_POINT_CELLS 5
extern const rft_trait rft_point_traits[RFT_POINT_CELLS];
/* Of a point that was measured. */
void rft_point_cells(const rft_run *run, const rft_point *point, rft_datum cells[RFT_POINT_CELLS], rft_arena *arena);

#endif
