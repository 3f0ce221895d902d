/* SPDX-License-Identifier: Apache-2.0 */
/* compile_worker.h - the compile worker: a loop that answers one request at a time until its input ends. */
#ifndef RFT_RUN_COMPILE_WORKER_H
#define RFT_RUN_COMPILE_WORKER_H

#include "run/worker/worker.h"

/* {"do": "compile", request} -> the result; {"do": "compiler", arch} -> rft_compiler_facts. Each request is served in a
 * child of its own; one that dies over it is answered for: the source does not compile, and the log says how it died.
 * Returns 0 when the input ends, RFT_E_WORKER on broken frames. */
int rft_worker_compile(const rft_worker_host *host, int in_fd, int out_fd, rft_err *err);

#endif
