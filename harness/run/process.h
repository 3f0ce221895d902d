/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - child processes that speak frames, on one event loop (libuv). Everything is called back on the thread
 * that waits; there are no threads here.
 */
#ifndef RFT_RUN_PROCESS_H
#define RFT_RUN_PROCESS_H

#include "run/wire.h"

#include <stdbool.h>

typedef struct rft_loop rft_loop;
typedef struct rft_process rft_process;

int rft_loop_new(rft_loop **out, rft_err *err);
void rft_loop_free(rft_loop *loop); /* NULL is accepted; its processes must be gone */

/* Serves events until *done is true or `timeout_s` passed (INFINITY: none). Returns true when *done. */
bool rft_loop_wait(rft_loop *loop, const bool *done, double timeout_s);
/* Serves what is there without waiting. */
void rft_loop_turn(rft_loop *loop);
double rft_loop_now_s(rft_loop *loop); /* monotonic */

typedef struct rft_process_events {
    /* An answer came; the frame is owned by the callback. */
    void (*frame)(void *payload, rft_frame *frame);
    /* The process ended (or sent garbage and was ended); called once. `why` says how: "ended by signal 11". */
    void (*gone)(void *payload, const char *why);
    void *payload;
} rft_process_events;

/* Starts `program worker KIND [argument]`; the child reads frames on descriptor 3 and writes them on 4. */
int rft_process_start(rft_process **out, rft_loop *loop, const char *const *argv, const rft_process_events *events,
                      rft_err *err);
/* Queues one frame. */
void rft_process_send(rft_process *process, const json_t *head, const void *blob, size_t blob_bytes);
bool rft_process_is_gone(const rft_process *process);
/* Ends the child now (SIGKILL); `gone` is called from the loop. */
void rft_process_kill(rft_process *process);
/* Ends the child if it lives and waits until it is reaped. No callback comes any more. NULL is accepted. */
void rft_process_free(rft_process *process);

#endif
