/* SPDX-License-Identifier: Apache-2.0 */
/* baseline_store.h - inside of the store room: baselines of problems, as rows and as JSON. */
#ifndef RFT_STORE_BASELINE_STORE_H
#define RFT_STORE_BASELINE_STORE_H

#include "store/store_parts.h"

#include "base/json.h"

/* In place of the one of the same problem, name and which. Inside a transaction. */
int rft_baseline_put_row(rft_store *store, const rft_baseline *baseline, rft_err *err);
/* One row of get_baselines. */
void rft_baseline_take_row(rft_store_row *row, rft_run *run);

/* A list; NULL when there are none. */
json_t *rft_baselines_to_json(const rft_run *run);
/* NULL, or what was expected; *where (size bytes) is the path behind "baselines". `list` NULL: nothing was recorded. */
const char *rft_baselines_from_json(rft_run *run, const json_t *list, char *where, size_t size);

#endif
