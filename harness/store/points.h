/* SPDX-License-Identifier: Apache-2.0 */
/* points.h - what both readers (store, recording) do with the points they have read. */
#ifndef RFT_STORE_POINTS_H
#define RFT_STORE_POINTS_H

#include "model/run/run.h"

/* The point of that id in an array ordered by id; NULL. */
rft_point *rft_points_find(rft_point *points, size_t count, int64_t id);

/* Both rounds as they are when nothing was measured: no samples, NaN statistics. */
void rft_points_no_measurement(rft_point *point);

/* Something is known of that round of the point's own: samples, steps, or at least time that was spent. */
bool rft_points_has_round(const rft_point *point, int round);

/* Aliases get outcome, reason, verification, rounds and counters of the point they stand for (shared, not copied).
 * Returns 0, or the id of an alias whose point is not there or is an alias itself. */
int64_t rft_points_resolve_aliases(rft_point *points, size_t count);

#endif
