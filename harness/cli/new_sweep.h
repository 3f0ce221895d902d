/* SPDX-License-Identifier: Apache-2.0 */
/* new_sweep.h - the first sweep of a kernel that is there: guesses that compile, and a TODO where they are one. */
#ifndef RFT_CLI_NEW_SWEEP_H
#define RFT_CLI_NEW_SWEEP_H

#include "base/str.h"
#include "cli/cuda_scan.h"
#include "cli/opt.h"
#include "script/script_t1.h"

#define RFT_NEW_OPTIONS_MAX 16

typedef struct rft_new_request {
    const rft_cuda_file *file;
    const rft_cuda_entry *entry;
    const rft_cuda_entry *truth;              /* the kernel that is the reference; NULL: a file to fill in */
    const char *source;                       /* path for the sweep's `source` */
    const char *name;                         /* of the sweep: NAME.lua */
    const char *reference;                    /* file name of the reference */
    const rft_words *sizes;                   /* "n=1048576" or "n=1024,4096" */
    const char *copied;                       /* the file whose device code `source` is; NULL: it is the file */
    const char *options[RFT_NEW_OPTIONS_MAX]; /* for NVRTC */
    size_t option_count;
} rft_new_request;

/* Appends the sweep and, without `truth`, its reference. RFT_E_USAGE: a size that names nothing of the kernel or is no
 * number, a truth that takes other parameters;
 * RFT_E_SOURCE: a parameter that a sweep cannot give (texture, struct, tensor map), by its name and line. */
int rft_new_sweep(rft_str *sweep, rft_str *reference, const rft_new_request *request, rft_arena *arena, rft_err *err);

typedef struct rft_given_request {
    const rft_t1_kernel *kernel;
    const rft_cuda_file *file;
    const rft_cuda_entry *entry;
    const rft_cuda_entry *truth;              /* the kernel that is the reference; NULL: the default configuration is */
    const char *source;                       /* path for the sweep's `source` */
    const char *name;                         /* of the sweep: NAME.lua */
    const char *from;                         /* what it was made from, for messages */
    const char *folder;                       /* of `from`, absolute: options name headers from there */
    const rft_words *sizes;                   /* "points=40000": elements of an argument */
    const char *options[RFT_NEW_OPTIONS_MAX]; /* for NVRTC, besides the kernel's */
    size_t option_count;
} rft_given_request;

/* Do both take the same parameters? RFT_E_USAGE. */
int rft_new_same_params(const rft_cuda_entry *entry, const rft_cuda_entry *truth, rft_err *err);

/* Appends the sweep of a T1 file or a call of Kernel Tuner's. RFT_E_SCRIPT, RFT_E_SOURCE: arguments and the kernel's
 * parameters do not fit; RFT_E_SPACE: the conditions leave nothing; RFT_E_USAGE: a size that names no argument. */
int rft_new_given(rft_str *sweep, const rft_given_request *request, rft_arena *arena, rft_err *err);

#endif
