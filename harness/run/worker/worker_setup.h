/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker_setup.h - what a device worker measures with: driver, device, compiler, probe, meter, and its confinement once
 * they are open. Private to run.
 */
#ifndef RFT_RUN_WORKER_SETUP_H
#define RFT_RUN_WORKER_SETUP_H

#include "measure/probe.h"
#include "run/worker/worker.h"

#include <pthread.h>

typedef struct rft_worker_setup {
    const rft_worker_host *host; /* set by the caller; all else is zero before begin() */
    rft_compiler *compiler;
    rft_gpu *gpu;
    rft_probe *probe;
    rft_meter *meter; /* NULL: none */
    bool meter_asked;
    rft_err no_meter; /* why there is none */
    uint64_t draw;    /* of this process, set by the caller before ready(); 0: none */
    rft_device_ptr spacer;
    bool confined;
    /* What is done before the first request: loading the driver and NVRTC takes a tenth of a second and more. */
    pthread_t opening;
    bool opening_started;
    rft_compiler *opened; /* by that thread */
    rft_err opening_err;
    rft_arena *arena; /* of the identity */
    rft_gpu_info identity;
    int identified; /* rft_code */
    rft_err identity_err;
} rft_worker_setup;

/* Before the first request: the device is identified, the compiler loads meanwhile. */
void rft_worker_setup_begin(rft_worker_setup *setup);
/* At the first request that needs them, so that a missing driver is an answer and not a dead process: opens device,
 * compiler and probe. Does nothing when they are open. */
int rft_worker_setup_ready(rft_worker_setup *setup, rft_err *err);
/* Once; a process that follows another does it before it has the device. */
void rft_worker_setup_meter(rft_worker_setup *setup, const rft_gpu_info *info);
void rft_worker_setup_close(rft_worker_setup *setup);

#endif
