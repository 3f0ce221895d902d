/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_spare.h - a device worker that comes after the one in hand. Loading the driver takes a third of what a
 * process of the final round does before it measures: a spare does it while the first point is compiled, or while the
 * one in hand opens the device; it takes no context, and is at rest before that one measures.
 */
#ifndef RFT_RUN_REMOTE_SPARE_H
#define RFT_RUN_REMOTE_SPARE_H

#include "run/worker/remote_probe.h"

#define RFT_REMOTE_SPARES_MOST 6

typedef struct rft_remote_spare {
    rft_process *process; /* NULL: none; all zero is such a spare */
    bool settled;         /* it has nothing to do any more: it answered, or is gone */
} rft_remote_spare;

/* `PROGRAM worker device ORDINAL ROOT...`, a spare or not. RFT_E_WORKER with a remedy. */
int rft_remote_start_process(rft_process **out, const rft_remote_probe_opts *opts, const rft_process_events *events,
                             rft_err *err);

/* Unless there is one. One that cannot be started is none: the next process is then started when it is wanted, and
 * tells what is wrong. `spare` must stay where it is until it is taken or freed. */
void rft_remote_spare_start(rft_remote_spare *spare, const rft_remote_probe_opts *opts);
/* Until it is at rest; returns at once where there is none. */
void rft_remote_spare_await(rft_remote_spare *spare, rft_loop *loop);
/* The process, which calls `events` from now on and is the caller's; NULL: none lives, or it is not at rest. */
rft_process *rft_remote_spare_take(rft_remote_spare *spare, const rft_process_events *events);
void rft_remote_spare_free(rft_remote_spare *spare); /* ends it */

#endif
