/* SPDX-License-Identifier: Apache-2.0 */
/* peer_process.h - a program that stays and answers JSON lines: peers/torch_peer.py. One question at a time. */
#ifndef RFT_TESTS_BENCH_PEER_PROCESS_H
#define RFT_TESTS_BENCH_PEER_PROCESS_H

#include "base/json.h"

#include <stdbool.h>

typedef struct peer_process peer_process;

/* Starts python3 with this script; what it says on stderr goes into the file `log`. It starts again by itself when it
 * ended between two questions, what it had prepared being gone then. */
peer_process *peer_process_new(const char *script, const char *log);
void peer_process_free(peer_process *process); /* ends it; NULL is accepted */

/* The reply to a request, which is taken: an object whose "ok" is true. Owned: json_decref(). RFT_E_NOTHING: the peer
 * said why not (message). RFT_E_WORKER: it ended, or did not answer within `limit_s` and was ended. */
int peer_process_ask(peer_process *process, json_t *request, double limit_s, json_t **out, rft_err *err);

#endif
