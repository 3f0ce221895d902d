/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_probe.h - a probe that lives in a device worker process, replaced when a kernel takes it down.
 *
 * measure(): a worker that dies, sends garbage or gives no end costs the point (crashed, timed_out). A worker that
 * cannot open the device is an error, with the worker's own words and remedy: every other point would end the same way.
 */
#ifndef RFT_RUN_REMOTE_PROBE_H
#define RFT_RUN_REMOTE_PROBE_H

#include "base/log.h"
#include "measure/probe.h"
#include "run/process.h"

typedef struct rft_remote_probe_opts {
    rft_loop *loop;      /* borrowed */
    const char *program; /* this executable */
    int device;          /* ordinal */
    const rft_log *log;
    double grace_s; /* a point may take longer than its timeout: inputs, fp64 reference, reading back; 0: 30 s */
} rft_remote_probe_opts;

int rft_remote_probe_new(rft_probe **out, const rft_remote_probe_opts *opts, rft_err *err);

#endif
