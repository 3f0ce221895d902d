/* SPDX-License-Identifier: Apache-2.0 */
/* new_sweep.h - the first sweep of a kernel that somebody has: guesses that compile, and a TODO where they are one. */
#ifndef RFT_CLI_NEW_SWEEP_H
#define RFT_CLI_NEW_SWEEP_H

#include "base/str.h"
#include "cli/cuda_scan.h"
#include "cli/opt.h"

typedef struct rft_new_request {
    const rft_cuda_file *file;
    const rft_cuda_entry *entry;
    const char *source;     /* path for the sweep's `source` */
    const char *name;       /* of the sweep: NAME.lua */
    const char *reference;  /* file name of the reference */
    const rft_words *sizes; /* "n=1048576" or "n=1024,4096" */
} rft_new_request;

/* Appends the sweep and its reference. RFT_E_USAGE: a size that names nothing of the kernel or is no number;
 * RFT_E_SOURCE: a parameter that a sweep cannot give (texture, struct, tensor map), by its name and line. */
int rft_new_sweep(rft_str *sweep, rft_str *reference, const rft_new_request *request, rft_arena *arena, rft_err *err);

#endif
