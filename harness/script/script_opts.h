/* SPDX-License-Identifier: Apache-2.0 */
/* script_opts.h - what a script is run with. */
#ifndef RFT_SCRIPT_SCRIPT_OPTS_H
#define RFT_SCRIPT_SCRIPT_OPTS_H

#include "base/err.h"
#include "base/log.h"
#include "base/roots.h"
#include "model/card/gpu_info.h"

#include <stdatomic.h>

typedef struct rft_script rft_script;

typedef struct rft_script_opts {
    const rft_gpu_info *gpu; /* what `gpu` is in the script; borrowed, must outlive the script */
    const char *const *args; /* after "--" on the command line: the script's `arg` table */
    size_t arg_count;
    const char *const *module_folders; /* searched by require() after the script's folder and its ancestors: folders
                                          that contain `kernels/` */
    size_t module_folder_count;
    const rft_roots *more_roots; /* what a script may read besides its tree (roots.h) and the module folders' `kernels`;
                                    NULL: nothing */
    size_t memory_limit_bytes;   /* 0 = 256 MiB */
    double call_limit_s;         /* 0 = 10 s for one call into the script */
    double all_limit_s;          /* 0 = 300 s for all calls together; a tenth of the script's age is added */
    atomic_llong *spent_us;      /* microseconds of all calls so far, shared by the scripts of a command: their limit is
                                    one. NULL: of this script alone. Borrowed, must outlive the script */
    /* A call does not come back: Lua's own C code does not end, where nothing can interrupt it. Called once grace_s
     * (0 = 2 s) have passed behind a limit, by the watching thread, while the call goes on; it is expected to end the
     * process. NULL: the call is waited for. */
    void (*stuck)(void *payload, const rft_err *err);
    double grace_s;
    void *payload;
    const rft_log *log; /* print() in a script goes here: 64 KiB at most */
} rft_script_opts;

#endif
