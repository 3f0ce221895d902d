/* SPDX-License-Identifier: Apache-2.0 */
/* show_data.h - the findings of a run for programs: JSON and CSV. Numbers in base units (seconds, bytes, operations),
 * absent ones null or empty. Locale-independent. */
#ifndef RFT_CLI_SHOW_DATA_H
#define RFT_CLI_SHOW_DATA_H

#include "base/json.h"
#include "base/str.h"
#include "model/run/run.h"

/* One object: run, device, ceilings, and for each sweep counts, best of every problem, ladder, transitions,
 * profiles, progress of the search, failures; the rooflines with their points. */
void rft_show_json(rft_str *out, const rft_run *run);
json_t *rft_show_run_json(const rft_run *run); /* that object */

/* A header line, then a line for every point, aliases and failures too. */
void rft_show_csv(rft_str *out, const rft_run *run);
/* A header line, then a line for every counter of every point that was counted, or the reason why it is not known. */
void rft_show_counters_csv(rft_str *out, const rft_run *run);
/* {"run": ..., "points": [...]}: an object for every point, its members named like those columns; problem and
 * configuration are objects. */
void rft_show_points_json(rft_str *out, const rft_run *run);

/* The pieces of these objects: {"n": 4096}, {"TILE_M": 128}; null for NULL and for what is no UTF-8. */
json_t *rft_show_problem_json(const rft_sweep *sweep, size_t problem);
json_t *rft_show_config_json(const rft_variant *variant, const rft_value *config);
json_t *rft_show_value_json(const rft_value *value);
json_t *rft_show_text_json(const char *text);

#endif
