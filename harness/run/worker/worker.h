/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.h - the worker's side of the frames: a loop that answers one request at a time until its input ends. Workers
 * are copies of this executable; they ignore SIGINT, SIGTERM and SIGHUP (the coordinator decides), leave no core file,
 * and die with the coordinator.
 */
#ifndef RFT_RUN_WORKER_H
#define RFT_RUN_WORKER_H

#include "gpu/compiler.h"
#include "gpu/counting.h"
#include "gpu/gpu.h"
#include "gpu/meter.h"
#include "gpu/vendor.h"

#include "base/clock.h"
#include "run/worker/confine.h"

/* What cli puts behind the seams in this process. */
typedef struct rft_worker_host {
    /* The device worker calls it on a thread of its own, while the driver is loaded and the device opened. */
    int (*compiler_new)(void *self, rft_compiler **out, rft_err *err);
    /* The device's facts without opening it: no context, no memory, whatever uses it. Loads the driver. */
    int (*gpu_identify)(void *self, rft_arena *arena, rft_gpu_info *out, rft_err *err);
    int (*gpu_open)(void *self, rft_gpu **out, rft_err *err);
    /* Adds what is known of the device beyond its driver (NVML). May be NULL. */
    void (*describe)(void *self, const rft_gpu_info *gpu, rft_env *env, rft_arena *arena);
    /* What watches that device while it works. NULL, or an error (RFT_E_NOT_FOUND): the run goes on without. */
    int (*meter_open)(void *self, const rft_gpu_info *gpu, rft_meter **out, rft_err *err);
    /* The vendor's library, when the first point calls it. NULL: such points are skipped. */
    int (*vendor_open)(void *self, rft_gpu *gpu, rft_vendor **out, rft_err *err);
    /* What counts on it, at the first request to count. NULL, or an error (RFT_E_NOT_FOUND, RFT_E_LIMIT) with a remedy:
     * the run goes on without. */
    int (*counting_open)(void *self, rft_gpu *gpu, rft_counting **out, rft_err *err);
    const rft_clock *clock;
    const rft_log *log;
    void *self;
    const rft_roots *roots; /* what a source may read besides the toolkit; NULL: anything */
    /* What this process keeps of the file system once its libraries are loaded (and the device is open); a compile
     * worker also keeps what its compiler reads. NULL: it is not confined. */
    const rft_confinement *confinement;
    uint64_t compile_memory_bytes; /* what the compiler may take for one request; 0: no limit */
} rft_worker_host;

/* {"do": "identify"|"device"|"ceilings"|"measure"|"idle"|"count"|"rest"}. Loads driver and compiler before it is asked
 * anything; opens the device at the first request but "identify". Ends by itself after a fault that poisoned the
 * device's context: the answer is sent first and says so ("ending"), a new worker takes over. A "draw" in the first
 * request but "identify" makes its memory a new layout. */
int rft_worker_device(const rft_worker_host *host, int in_fd, int out_fd, rft_err *err);

#endif
