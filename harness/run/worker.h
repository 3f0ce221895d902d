/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.h - the worker's side of the frames: a loop that answers one request at a time until its input ends. Workers
 * are copies of this executable; they ignore SIGINT, SIGTERM and SIGHUP (the coordinator decides) and die with the
 * coordinator.
 */
#ifndef RFT_RUN_WORKER_H
#define RFT_RUN_WORKER_H

#include "gpu/compiler.h"
#include "gpu/gpu.h"

#include "base/clock.h"

/* What cli puts behind the seams in this process. */
typedef struct rft_worker_host {
    int (*compiler_new)(void *self, rft_compiler **out, rft_err *err);
    int (*gpu_open)(void *self, rft_gpu **out, rft_err *err);
    /* Adds what is known of the device beyond its driver (NVML). May be NULL. */
    void (*describe)(void *self, const rft_gpu_info *gpu, rft_env *env, rft_arena *arena);
    const rft_clock *clock;
    const rft_log *log;
    void *self;
} rft_worker_host;

/* {"do": "compile", request} -> the result. Returns 0 when the input ends, RFT_E_WORKER on broken frames.
 */
int rft_worker_compile(const rft_worker_host *host, int in_fd, int out_fd, rft_err *err);

/* {"do": "device"|"ceilings"|"measure"}. Ends by itself after a fault that poisoned the device's context: the answer is
 * sent first and says so ("ending"), a new worker takes over. */
int rft_worker_device(const rft_worker_host *host, int in_fd, int out_fd, rft_err *err);

#endif
