/* SPDX-License-Identifier: Apache-2.0 */
/* target.h - what -d names: a device measured by a worker process, or a recording that answers for one. */
#ifndef RFT_CLI_TARGET_H
#define RFT_CLI_TARGET_H

#include "cli/cli.h"
#include "measure/probe.h"
#include "run/compile_pool.h"

typedef struct rft_target {
    rft_arena *arena;
    rft_loop *loop;
    rft_probe *probe;
    rft_run *recording; /* replay only */
    const char *recording_path;
    rft_compile_pool *pool; /* NULL when a replay has no compiler: `no_compiler` says why */
    const char *no_compiler;
    rft_gpu *device;        /* in this process only */
    rft_compiler *compiler; /* in this process only */
    rft_gpu_info gpu;
    rft_env env;
} rft_target;

/* Opens "0", "1" ... or "replay:FILE"; NULL: device 0. With in_process the device is opened in this process,
 * for profilers and debuggers. RFT_E_DEVICE, RFT_E_COMPILER, RFT_E_RECORDING with remedies. */
int rft_target_open(rft_target **out, rft_cli *cli, const char *device, bool in_process, rft_err *err);
void rft_target_close(rft_target *target); /* NULL is accepted */

#endif
