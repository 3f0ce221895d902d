/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - child processes that speak frames, on one event loop (libuv). Everything is called back on the thread
 * that waits; there are no threads here.
 */
#ifndef RFT_RUN_PROCESS_H
#define RFT_RUN_PROCESS_H

#include "run/wire/wire.h"

#include <stdbool.h>

typedef struct rft_loop rft_loop;
typedef struct rft_process rft_process;

/* SIGPIPE is ignored from then on: a child may die while a request is written to it. */
int rft_loop_new(rft_loop **out, rft_err *err);
void rft_loop_free(rft_loop *loop); /* NULL is accepted; its processes must have been freed */

/* Serves events until *done is true. There must be something under way that will make it true. */
void rft_loop_wait(rft_loop *loop, const bool *done);
/* For what comes soon: without sleep at first (awake.h). */
void rft_loop_wait_awake(rft_loop *loop, const bool *done);
/* The same, but asks `stop` several times a second; false when it said so, and *done is not true. */
bool rft_loop_wait_unless(rft_loop *loop, const bool *done, bool (*stop)(void *payload), void *payload);
/* Serves what is there without waiting. */
void rft_loop_turn(rft_loop *loop);

/* None of these may free a living process; starting others, sending and setting limits is fine. */
typedef struct rft_process_events {
    /* An answer came; the frame is owned by the callback. */
    void (*frame)(void *payload, rft_frame *frame);
    /* NULL: there are none. A word about the request in hand, which is not its answer ("phase" in docs/processes.md).
     */
    void (*phase)(void *payload, const char *name);
    /* The process ended (by itself, by its limit, or because it sent garbage, an answer without a request, or
     * closed its output); called once, and the last of its calls. `why` continues "the worker ...": "was ended by
     * signal 11 (Segmentation fault)". */
    void (*gone)(void *payload, const char *why);
    void *payload;
} rft_process_events;

/* Starts argv[0] with argv; the child reads frames on descriptor 3 and writes them on 4. It has a session of its own,
 * so that a terminal's Ctrl-C and Ctrl-Z reach the coordinator alone. RFT_E_WORKER with a remedy. */
int rft_process_start(rft_process **out, rft_loop *loop, const char *const *argv, const rft_process_events *events,
                      rft_err *err);
/* Queues one frame. The answer must carry "number", which counts the requests of this process from 1. */
void rft_process_send(rft_process *process, const json_t *head, const void *blob, size_t blob_bytes);
/* Queues one frame that is not answered. */
void rft_process_tell(rft_process *process, const json_t *head, const void *blob, size_t blob_bytes);
/* The child is ended (SIGKILL) when `seconds` pass without another call; INFINITY takes the limit away. */
void rft_process_limit(rft_process *process, double seconds);

/* From now on these are told. */
void rft_process_listen(rft_process *process, const rft_process_events *events);

/* Valid from the callback `gone` on: */
bool rft_process_is_gone(const rft_process *process);
bool rft_process_was_late(const rft_process *process);     /* it was its limit that ended it */
bool rft_process_ended_itself(const rft_process *process); /* by an exit status, not by a signal */

/* Ends the child without waiting for it; no callback comes any more, only rft_process_free() is left. Ending many, or
 * one that holds a device, takes a while that other work can fill. NULL is accepted. */
void rft_process_dismiss(rft_process *process);

/* Ends the child if it lives and waits until it is reaped. No callback comes any more. NULL is accepted. */
void rft_process_free(rft_process *process);

#endif
