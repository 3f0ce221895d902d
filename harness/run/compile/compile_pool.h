/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile_pool.h - compile workers: one request each at a time, a crash or an endless compile costs one configuration;
 * a worker that is lost by accident costs nothing, its request is tried once more; so is one whose compiler ran out of
 * memory, alone and with more of it.
 * Answers are kept by request, so a cubin that serves many problems is compiled once a run. Whatever waits on the loop,
 * for a compile or for the device, keeps the workers busy: an answer hands the worker its next request.
 */
#ifndef RFT_RUN_COMPILE_POOL_H
#define RFT_RUN_COMPILE_POOL_H

#include "base/log.h"
#include "gpu/compiler.h"
#include "run/worker/process.h"

typedef struct rft_compile_pool rft_compile_pool;

typedef struct rft_compile_pool_opts {
    rft_loop *loop;      /* borrowed */
    const char *program; /* this executable */
    size_t workers;      /* >= 1; started as they are needed, or by start() */
    const rft_log *log;
    size_t kept_bytes;     /* results that no caller looks at are forgotten when all take more; 0: 256 MiB */
    rft_roots roots;       /* what the sources may read besides the toolkit; borrowed */
    uint64_t memory_bytes; /* what the compiler may take for one request; 0: rft_compile_memory_bytes(workers) */
    uint64_t alone_bytes;  /* the same for the second attempt at one; 0: rft_compile_memory_alone_bytes() */
} rft_compile_pool_opts;

/* Valid from submit() to the release() that belongs to it. */
typedef size_t rft_ticket;

int rft_compile_pool_new(rft_compile_pool **out, const rft_compile_pool_opts *opts, rft_err *err);
void rft_compile_pool_free(rft_compile_pool *pool); /* ends the workers; NULL is accepted */
/* Ends the workers without waiting for them; nothing but free is left. NULL is accepted. */
void rft_compile_pool_dismiss(rft_compile_pool *pool);

/* Starts workers until there are `count` (at most opts.workers), without waiting for any of them: each loads its
 * compiler on its own meanwhile. Optional. RFT_E_WORKER with a remedy when one cannot be started. */
int rft_compile_pool_start(rft_compile_pool *pool, size_t count, rft_err *err);

/* What compiler the workers have, as one of them says, which is started if need be; before anything is submitted.
 * RFT_E_COMPILER with a remedy: they have none. RFT_E_WORKER. */
int rft_compile_pool_compiler(rft_compile_pool *pool, const char *arch, rft_compiler_facts *out, rft_err *err);

/* Queues a request (copied) and returns its ticket; the same request gets the same ticket. `timeout_s` counts from the
 * moment a worker takes it. */
rft_ticket rft_compile_pool_submit(rft_compile_pool *pool, const rft_compile_request *request, double timeout_s);

/* Waits for the answer. The result is borrowed until the ticket is released. *timed_out is set when the time limit
 * ended it (then result->ok is false and the log says so). RFT_E_COMPILER, RFT_E_SOURCE: what the worker reported;
 * RFT_E_WORKER: no worker can be started, or they end before they answer anything. */
int rft_compile_pool_wait(rft_compile_pool *pool, rft_ticket ticket, const rft_compile_result **out, bool *timed_out,
                          rft_err *err);

/* Is there an answer, whatever it says? wait() then returns at once. */
bool rft_compile_pool_is_answered(rft_compile_pool *pool, rft_ticket ticket);
/* Serves the workers until all of these are answered, or `seconds` have passed (by steps of 50 ms). */
void rft_compile_pool_settle(rft_compile_pool *pool, const rft_ticket *tickets, size_t count, double seconds);

/* Waits until a request is answered, or a worker lost; returns at once when nothing is under way. RFT_E_WORKER as of
 * wait(). */
int rft_compile_pool_wait_any(rft_compile_pool *pool, rft_err *err);
size_t rft_compile_pool_workers(const rft_compile_pool *pool);

/* The answer, when it is there and the code compiled; NULL otherwise. Borrowed as that of wait(). */
const rft_compile_result *rft_compile_pool_peek(rft_compile_pool *pool, rft_ticket ticket);

/* Core-seconds that requests took so far: the processor time of the processes that served them, from the cache or not,
 * as the system counts it; where one was ended by its limit or died with its worker, the time since it was handed out.
 */
double rft_compile_pool_seconds(const rft_compile_pool *pool);

/* Is nothing queued and no worker busy? */
bool rft_compile_pool_idle(rft_compile_pool *pool);

/* One for each submit, at most: the result is not looked at any more, and not computed if that has not begun. What is
 * forgotten is compiled again when it is asked for again. Never released: kept as long as the pool. */
void rft_compile_pool_release(rft_compile_pool *pool, rft_ticket ticket);

#endif
