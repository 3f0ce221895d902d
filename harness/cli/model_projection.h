/* SPDX-License-Identifier: Apache-2.0 */
/* model_projection.h - `rooftune model RUN.db|FILE.json.gz --devices ...`: a run under the ceilings of others. */
#ifndef RFT_CLI_MODEL_PROJECTION_H
#define RFT_CLI_MODEL_PROJECTION_H

#include "cli/cli.h"
#include "reports/findings/finding.h"

/* Whether the words behind `model` name a run rather than models: the first ends as run files do, or is the only word
 * and a file. */
bool rft_model_names_run(const rft_words *words);

/* Devices by datasheet name, or other runs by their files, between commas. `json`: FILE, "-" or NULL.
 * RFT_E_USAGE: more than one run, unknown devices; and the errors of reading a run. */
int rft_model_project(rft_cli *cli, const rft_words *words, const char *devices, const char *json, rft_arena *arena,
                      rft_err *err);

/* An answer: as text to stdout, unless `json` is "-"; as JSON to `json`, which may be NULL. */
int rft_model_print(rft_cli *cli, const rft_finding *answer, const char *json, rft_err *err);

#endif
