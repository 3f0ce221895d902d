/* SPDX-License-Identifier: Apache-2.0 */
/* show_ceilings.h - a run's ceilings for people: the lines of `show`, and the table of `rooftune ceilings`. */
#ifndef RFT_CLI_SHOW_CEILINGS_H
#define RFT_CLI_SHOW_CEILINGS_H

#include "base/str.h"
#include "model/run/run.h"

/* A heading, a line for each that was measured, and those that were not, by reason. */
void rft_show_ceilings(rft_str *out, const rft_run *run, rft_arena *arena);
/* Every ceiling with what it was measured by, datasheet and limit; the sustained rate where one was measured. */
void rft_show_ceilings_table(rft_str *out, const rft_run *run, rft_arena *arena);
#endif
