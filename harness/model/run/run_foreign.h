/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_foreign.h - runs that another program measured (docs/exchange.md). They stand in the same structs as rooftune's
 * own, and everything that prints has to say what they lack: nothing was verified by rooftune, no ceiling was measured
 * beside them, no work is declared, and how the times were taken is that program's own affair.
 */
#ifndef RFT_MODEL_RUN_FOREIGN_H
#define RFT_MODEL_RUN_FOREIGN_H

#include "model/run/run.h"

/* The fact of the environment that marks such a run; it goes into run files, recordings and replays as every other. */
#define RFT_ENV_FOREIGN "recording.format"

/* What the times were read from ("a Kernel Tuner cache"); NULL: rooftune measured them. */
const char *rft_run_foreign(const rft_run *run);

/* "another tuner's measurements (a Kernel Tuner cache): not verified by rooftune, no ceilings"; NULL likewise. */
const char *rft_run_foreign_notice(const rft_run *run, rft_arena *arena);

/* Why a foreign run has no ceilings. Static. */
#define RFT_FOREIGN_NO_CEILING "another tuner's recording: no ceiling was measured beside it"

#endif
