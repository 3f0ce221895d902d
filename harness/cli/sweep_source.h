/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_source.h - what stands for a sweep on the command line: a script, a space in T1 JSON, or a recording or run
 * file, which means the space of its own points. */
#ifndef RFT_CLI_SWEEP_SOURCE_H
#define RFT_CLI_SWEEP_SOURCE_H

#include "cli/cli.h"
#include "model/card/gpu_info.h"
#include "model/run/recorded_sweep.h"
#include "script/script.h"

typedef struct rft_sweep_source {
    rft_script *script; /* NULL: it is recorded */
    rft_run *run;
    rft_recorded *recorded;
} rft_sweep_source;

/* By content: a run file, or anything that rft_store_load() reads as one. */
bool rft_sweep_source_is_recording(const char *path);

/* RFT_E_IO where one of them cannot be opened for reading: known before a device is opened, which takes seconds. */
int rft_sweep_source_check(const rft_words *paths, rft_err *err);

/* Errors: those of rft_compose_script(), rft_store_load() and rft_recorded_new(). Close it also then. */
int rft_sweep_source_open(rft_sweep_source *out, rft_cli *cli, const char *path, const rft_gpu_info *gpu,
                          const rft_words *script_args, rft_err *err);
void rft_sweep_source_close(rft_sweep_source *source);

size_t rft_sweep_source_count(const rft_sweep_source *source);
const rft_sweep *rft_sweep_source_sweep(const rft_sweep_source *source, size_t index); /* dies with the source */

#endif
