/* SPDX-License-Identifier: Apache-2.0 */
/* recording.h - inside of the store room: the text of a recording (docs/recording.md), before gzip and files. */
#ifndef RFT_STORE_RECORDING_H
#define RFT_STORE_RECORDING_H

#include "base/json.h"
#include "base/str.h"
#include "model/run/field.h"
#include "store/store.h"
#include "store/value_json.h"

#define RFT_RECORDING_SCHEMA 1
/* What a reader believes. The largest recordings of the project have 20 MB of text. */
#define RFT_RECORDING_MAX_BYTES ((size_t)64 << 20) /* of text */
#define RFT_RECORDING_MAX_ENTRIES 10000            /* sweeps, problems, variants, parameters ... in one list */
#define RFT_RECORDING_MAX_POINTS 1000000
#define RFT_RECORDING_LOG_BYTES 2048 /* of each log are kept */

/* Appends the whole text. Equal runs give equal bytes. */
void rft_recording_text(const rft_run *run, rft_str *out);

/* Reads the text; `what` names it in messages. RFT_E_RECORDING with the JSON path, RFT_E_SCHEMA. */
int rft_recording_parse(rft_run **out, const char *text, size_t size, const char *what, rft_err *err);

/* ---- the T4 part (recording_t4.c) ---- */
/* One element of `results`: what any T4 reader understands. An alias has no runtimes of its own. */
json_t *rft_t4_of_point(const rft_run *run, const rft_point *point);
/* Configuration and samples of round 0. NULL, or what was expected; *where is the member. */
const char *rft_t4_to_point(const rft_run *run, rft_point *point, const json_t *result, const char **where);

/* Seconds as a list of milliseconds of 9 significant digits, and back. Reading: NULL or what was expected. */
json_t *rft_t4_milliseconds(const double *seconds, size_t count);
const char *rft_t4_seconds(double **out, size_t *count, const json_t *list, rft_arena *arena);

#endif
