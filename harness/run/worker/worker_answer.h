/* SPDX-License-Identifier: Apache-2.0 */
/* worker_answer.h - what both kinds of workers begin with, and how they answer. Private to run. */
#ifndef RFT_RUN_WORKER_ANSWER_H
#define RFT_RUN_WORKER_ANSWER_H

#include "run/wire/wire.h"

/* Makes the calling process a worker of the process that made the socket `in_fd`: signals of the terminal are ignored,
 * it leaves no core file, and it dies with its coordinator. Ends the process when that is gone already. */
void rft_worker_become(int in_fd);

/* `head` when rc is RFT_OK and there is one (taken over), else the error in its place. Owned. */
json_t *rft_worker_answer_of(int rc, json_t *head, rft_err *failure);

/* Writes the answer to request `number` (the first of a worker is 1) and lets go of `head`. */
typedef struct rft_worker_blob {
    const void *data;
    size_t bytes;
} rft_worker_blob;
int rft_worker_answer(int out_fd, json_t *head, rft_worker_blob blob, int64_t number, rft_err *err);

#endif
