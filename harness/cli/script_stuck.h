/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_stuck.h - the end of a process whose script does not come back, where nothing inside the script can be
 * interrupted (script.h). What a run has stored is stored: no write is under way while a script is asked.
 */
#ifndef RFT_CLI_SCRIPT_STUCK_H
#define RFT_CLI_SCRIPT_STUCK_H

#include "script/script.h"

/* rft_script_opts.stuck: says so and ends the process, with the status of the error. The payload is not used. */
void rft_script_stuck(void *payload, const rft_err *err);

/* The usual limits, one clock for all scripts and data files of the command, and this. */
const rft_script_opts *rft_script_usual_opts(void);

#endif
