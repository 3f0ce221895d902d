/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_lock.h - one rooftune a GPU: two that measure on the same one would time each other.
 *
 * The lock is a listening unix socket in the abstract name space (unix(7)), "\0rooftune-gpu-UUID": the kernel lets one
 * process have the name, gives it back when that process is gone, however it went, and leaves no file. A process that
 * is turned away connects and reads the holder's process id (SO_PEERCRED). It holds for all users of one network name
 * space: containers with networks of their own do not see each other's locks.
 */
#ifndef RFT_CLI_GPU_LOCK_H
#define RFT_CLI_GPU_LOCK_H

#include "base/err.h"
#include "base/log.h"

#include <stdbool.h>

typedef struct rft_gpu_lock rft_gpu_lock;

typedef struct rft_gpu_lock_opts {
    const char *uuid;   /* of the GPU; at most 90 bytes count */
    const char *device; /* its name, for messages */
    bool wait;          /* for as long as it takes, saying so; a signal ends the process */
    const rft_log *log;
} rft_gpu_lock_opts;

/* RFT_E_BUSY: another process has it (which, in the message). Where the system gives no such sockets *out stays NULL,
 * with a warning: a lock that cannot be had is no reason not to measure. */
int rft_gpu_lock_take(rft_gpu_lock **out, const rft_gpu_lock_opts *opts, rft_err *err);
void rft_gpu_lock_free(rft_gpu_lock *lock); /* NULL is accepted */

#endif
