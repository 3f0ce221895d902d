/* SPDX-License-Identifier: Apache-2.0 */
/* remote_probe.h - a probe that lives in a device worker process, replaced when a kernel takes it down. */
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
} rft_remote_probe_opts;

int rft_remote_probe_new(rft_probe **out, const rft_remote_probe_opts *opts, rft_err *err);

#endif
