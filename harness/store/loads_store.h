/* SPDX-License-Identifier: Apache-2.0 */
/* loads_store.h - inside of the store room: points under load and the idle device (model/run/load.h), as rows and as
 * JSON.
 */
#ifndef RFT_STORE_LOADS_STORE_H
#define RFT_STORE_LOADS_STORE_H

#include "store/store_parts.h"

#include "base/json.h"

/* The loads that the point has; none is ever taken away. Inside a transaction, as all three. */
int rft_loads_put_rows(rft_store *store, const rft_point *point, rft_err *err);
int rft_loads_put_idle(rft_store *store, const rft_load *idle, rft_err *err); /* NULL: nothing to do */
/* One row of get_loads. */
void rft_loads_take_row(rft_store_row *row, rft_run *run);

/* [{"point": id, or null for the idle device, "kind": "energy", ...}]; NULL when there is none. */
json_t *rft_loads_to_json(const rft_run *run);
/* NULL, or what was expected; *where (size bytes) is the path behind "loads". `list` NULL: nothing was recorded. */
const char *rft_loads_from_json(rft_run *run, const json_t *list, char *where, size_t size);

#endif
