/* SPDX-License-Identifier: Apache-2.0 */
/* counters_store.h - inside of the store room: hardware counters of points, as rows and as JSON. What was not asked for
 * is left out in both. */
#ifndef RFT_STORE_COUNTERS_STORE_H
#define RFT_STORE_COUNTERS_STORE_H

#include "store/store_parts.h"

#include "base/json.h"

/* The point's own counters in place of what is there; an alias has none. Inside a transaction. */
int rft_counters_put_rows(rft_store *store, const rft_point *point, rft_err *err);
/* One row of get_counters. */
void rft_counters_take_row(rft_store_row *row, rft_run *run);

/* [{"point": id, "passes": n, "values": {name: number or null}, "reasons": {name: why}}], with "source" where they were
 * imported; NULL when no point was counted. */
json_t *rft_counters_to_json(const rft_run *run);
/* NULL, or what was expected; *where (size bytes) is the path behind "counters". `list` NULL: nothing was recorded. */
const char *rft_counters_from_json(rft_run *run, const json_t *list, char *where, size_t size);

#endif
