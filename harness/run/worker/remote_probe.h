/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_probe.h - a probe that lives in a device worker process, replaced when a kernel takes it down.
 *
 * measure(): a worker that gives no end costs the point (timed_out): a launch has measure.timeout, everything else
 * limits of its own (phase.h). A reference or fill that does not end is not launched again for that problem. One that
 * dies or sends garbage may have met with an accident (the OOM killer, an administrator), so the point is tried once
 * more in a new worker; when that goes too, the point has crashed. A worker that cannot open the device is an error,
 * with the worker's own words and remedy: every other point would end the same way.
 */
#ifndef RFT_RUN_REMOTE_PROBE_H
#define RFT_RUN_REMOTE_PROBE_H

#include "base/log.h"
#include "base/roots.h"
#include "measure/probe.h"
#include "run/worker/process.h"

typedef struct rft_remote_probe_opts {
    rft_loop *loop;      /* borrowed */
    const char *program; /* this executable */
    int device;          /* ordinal */
    const rft_log *log;
    const rft_roots *roots; /* what inputs may be read from; borrowed, NULL: nothing */
    double grace_s;         /* beside its timeout, for each of: loading and inputs, the reference, comparing; 0: 30 s */
} rft_remote_probe_opts;

int rft_remote_probe_new(rft_probe **out, const rft_remote_probe_opts *opts, rft_err *err);

/* Ends the worker without waiting for it; nothing but free is left. `probe` is one of rft_remote_probe_new(). */
void rft_remote_probe_dismiss(rft_probe *probe);

/* ---- before the first request; `probe` is one of rft_remote_probe_new() ---- */

/* Starts the worker and asks nothing: it loads the driver while the caller does something else. Without this the first
 * request starts it. RFT_E_WORKER with a remedy. */
int rft_remote_probe_start(rft_probe *probe, rft_err *err);

/* Which GPU the worker would open: its facts (uuid, name, arch, ...) as far as the driver tells them without a context.
 * Nothing is taken on that GPU, which may be in use by another process: a lock per GPU is asked for with this uuid
 * before device(), ceilings() and measure(), which open it. memory_free_bytes is memory_bytes. Texts live in `arena`.
 * RFT_E_DEVICE with the worker's words and remedy: no driver, no such device. */
int rft_remote_probe_identify(rft_probe *probe, rft_arena *arena, rft_gpu_info *gpu, rft_err *err);

/* Has the worker open the GPU (its context, the protocol's own kernels) and returns at once; device(), which must be
 * the next request, waits for what is left of it. Optional. */
int rft_remote_probe_open(rft_probe *probe, rft_err *err);

#endif
