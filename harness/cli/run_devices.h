/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_devices.h - `rooftune run` on several devices: one ordinary run for each, as a child process, all at once.
 *
 * Not one coordinator for all: nothing that goes wrong with one run can touch another, and each is what it is alone
 * (its lock, its workers, its file, its report). The children share the cubin cache. They are stopped with this
 * process, and asked to stop when it is gone.
 */
#ifndef RFT_CLI_RUN_DEVICES_H
#define RFT_CLI_RUN_DEVICES_H

#include "cli/run_options.h"

/* Does -d name several: "0,1", "all", "replay:A,replay:B"? "all" may turn out to be one. */
bool rft_run_devices_several(const char *device);

/* "SWEEP-DATE", of what is written where -o names nothing. In `arena`. */
const char *rft_run_devices_name(const rft_run_options *o, rft_arena *arena);

/* Runs them into the folder o->output (NULL: SWEEP-DATE), UUID.db and UUID.pdf for each. What they say is shown line by
 * line with the device before it, their results when they end. The exit status is the largest of theirs.
 * RFT_E_USAGE, RFT_E_DEVICE, RFT_E_RECORDING, RFT_E_IO before any is started. */
int rft_run_devices(rft_cli *cli, const rft_run_options *o, rft_err *err);

#endif
