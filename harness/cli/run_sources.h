/* SPDX-License-Identifier: Apache-2.0 */
/* run_sources.h - what a run was made from, by hash: so that a reader can tell whether the files are the same. */
#ifndef RFT_CLI_RUN_SOURCES_H
#define RFT_CLI_RUN_SOURCES_H

#include "base/roots.h"
#include "model/run/run.h"
#include "run/plan/plan.h"

/* Adds "source.FILE" for every template and given binary of the plan and for what fills its inputs, "header.FILE" for
 * the user's headers these reach, "data.FILE" for the files that inputs are read from: SHA-256 of the contents, or the
 * reason why not; nothing is read outside of `roots`. In a replay, where the recording's own are there already,
 * "replay." stands before. */
void rft_run_sources_describe(rft_run *run, const rft_plan *plan, const rft_roots *roots, bool replayed);
/* The name of a given binary, or of a file that inputs are filled by (headers too) or read from, that is another than
 * when `run` began; NULL: none is. */
const char *rft_run_sources_changed(const rft_run *run, const rft_plan *plan, rft_arena *arena);

#endif
