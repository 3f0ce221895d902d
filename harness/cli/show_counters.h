/* SPDX-License-Identifier: Apache-2.0 */
/* show_counters.h - hardware counters of a point, as text and as JSON. */
#ifndef RFT_CLI_SHOW_COUNTERS_H
#define RFT_CLI_SHOW_COUNTERS_H

#include "base/json.h"
#include "base/str.h"
#include "model/roofline/counted.h"

/* One line a counter: what it is, its value; then, once, why others have none, and what disagrees with the declared
 * work. `work` and `l2_bytes` are of the point; `cold`: its cache was flushed. */
typedef struct rft_show_counted {
    const rft_counters *counters;
    const rft_work *work;
    int64_t l2_bytes;
    bool cold;
} rft_show_counted;
void rft_show_counters(rft_str *out, const rft_show_counted *counted, rft_arena *arena);

/* Of a run's sweep: the counters of the best of every problem as a table, and the two largest disagreements with what
 * was declared; nothing when nothing was counted. */
/* Only these disagreements, or why nothing was counted. */
void rft_show_counted_apart(rft_str *out, const rft_run *run, size_t sweep, rft_arena *arena);
void rft_show_counted_sweep(rft_str *out, const rft_run *run, size_t sweep, rft_arena *arena);

/* {"passes": n, "values": {name: number or null}, "reasons": {name: why}, "disagreements": [{what, declared, counted,
 * text}]}; null when the point was not counted. */
json_t *rft_show_counters_json(const rft_run *run, const rft_point *point, rft_arena *arena);

/* All points of the sweep that were counted: id, problem, configuration, counters as above. */
json_t *rft_show_counted_json(const rft_run *run, size_t sweep, rft_arena *arena);

/* Everything about one point, for `rooftune show --point`. RFT_E_NOT_FOUND with the ids there are. */
int rft_show_point(rft_str *out, const rft_run *run, int64_t id, rft_err *err);

#endif
