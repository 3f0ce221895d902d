/* SPDX-License-Identifier: Apache-2.0 */
/* target.h - what -d names: a device measured by a worker process, or a recording that answers for one. */
#ifndef RFT_CLI_TARGET_H
#define RFT_CLI_TARGET_H

#include "cli/cli.h"
#include "cli/gpu_lock.h"
#include "measure/probe.h"
#include "run/compile/prefetch.h"

typedef struct rft_target {
    rft_arena *arena;
    rft_loop *loop;
    rft_probe *probe;
    rft_run *recording; /* replay only */
    const char *recording_path;
    const char *recording_hash; /* SHA-256 of the file */
    rft_roots roots;            /* what the sweeps and their sources may read */
    rft_compile_pool *pool;     /* NULL when a replay has no compiler: `no_compiler` says why */
    const char *no_compiler;
    rft_prefetch own;       /* what every point needs, compiled while the device is opened */
    rft_gpu *device;        /* in this process only */
    rft_compiler *compiler; /* in this process only */
    rft_gpu_lock *lock;     /* of the device; NULL for a recording */
    rft_gpu_info gpu;
    rft_env env;
} rft_target;

typedef struct rft_target_opts {
    const rft_words *sweeps; /* whose kernels are compiled; NULL: none */
    const char *device;      /* "0", "1" ... or "replay:FILE"; NULL: device 0 */
    const char *arch;        /* in a device's place, its facts alone: "sm_90a". Nothing runs. NULL: a device */
    bool in_process;         /* the device is opened in this process, for profilers and debuggers */
    bool bare;               /* the same, and buffers have no padding: for a sanitizer */
    bool wait;               /* for a device that another rooftune uses, until it is free */
    bool nothing_to_compile; /* what is asked of the recording has no source here */
    bool facts_only;         /* a device is only asked what it is: no lock, no context, no compiler */
    unsigned cards;          /* runs that share this machine's cores at the same time; 0: this one alone */
    size_t compile_workers;  /* started while the device is opened; the others when there is work for them */
} rft_target_opts;

/* Opens what `device` names, locked against other rooftunes before anything is started on it. RFT_E_DEVICE, RFT_E_BUSY,
 * RFT_E_COMPILER, RFT_E_RECORDING with remedies. */
int rft_target_open(rft_target **out, rft_cli *cli, const rft_target_opts *opts, rft_err *err);
/* A device's number; NULL: 0. RFT_E_USAGE. */
int rft_target_ordinal(int *out, const char *device, rft_err *err);
/* Nothing more is asked of the device: ends the workers without waiting, so that what is left to do (the report) goes
 * on while they go. The device stays locked. */
void rft_target_dismiss(rft_target *target);
/* The same, and waits: another process may have the device when this returns. */
void rft_target_leave(rft_target *target);
void rft_target_close(rft_target *target); /* NULL is accepted */

#endif
