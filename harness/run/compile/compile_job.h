/* SPDX-License-Identifier: Apache-2.0 */
/* compile_job.h - what was asked of the compilers: requests by ticket and by hash, and results that are kept although
 * no caller looks at them. Private to run. */
#ifndef RFT_RUN_COMPILE_JOB_H
#define RFT_RUN_COMPILE_JOB_H

#include "gpu/compiler.h"
#include "run/compile/compile_pool.h"
#include "run/plan/key_map.h"

/* Known from its first submit until it is released and its result forgotten; then nothing is left of it, so that a
 * million configurations take no more room than those in hand. */
typedef struct rft_compile_job {
    rft_ticket ticket;
    char key[RFT_HASH_HEX_SIZE]; /* the request's hash */
    json_t *head;                /* the request, until it is answered */
    double timeout_s;
    size_t users;     /* submits less releases */
    bool worker_lost; /* a worker died over it; it was tried again */
    bool alone;       /* it ran out of memory; it is tried again while nothing else is compiled */
    bool done;        /* answered */
    rft_arena *arena; /* of what follows; all of it when done */
    rft_compile_result *result;
    rft_err *failure; /* of the worker itself; NULL */
    bool timed_out;
    struct rft_compile_job *older, *newer; /* among those done that no caller looks at */
} rft_compile_job;

/* All zero but limit_bytes: no jobs. */
typedef struct rft_compile_jobs {
    rft_key_map tickets;    /* by the request's hash */
    rft_compile_job **jobs; /* by ticket; NULL: free */
    size_t count, capacity;
    rft_ticket *free_tickets;
    size_t free_count, free_capacity;
    rft_compile_job *oldest, *newest; /* of those done that no caller looks at */
    size_t kept_bytes, limit_bytes;   /* of those */
} rft_compile_jobs;

void rft_compile_jobs_clear(rft_compile_jobs *jobs);

/* The job of this request with one user more; *is_new: it was not known and must be queued. Takes `head`. */
rft_compile_job *rft_compile_jobs_use(rft_compile_jobs *jobs, json_t *head, bool *is_new);
/* NULL: no such ticket. */
rft_compile_job *rft_compile_jobs_at(const rft_compile_jobs *jobs, rft_ticket ticket);
/* One user less; what is done and has none is kept as long as there is room. */
void rft_compile_jobs_let_go(rft_compile_jobs *jobs, rft_compile_job *job);
/* Forgets a job that has no users and is not kept. */
void rft_compile_jobs_drop(rft_compile_jobs *jobs, rft_compile_job *job);

/* Arena and result are there from here on, and are filled in before finish(). */
void rft_compile_job_begin_answer(rft_compile_job *job);
void rft_compile_job_fail(rft_compile_job *job, const rft_err *failure); /* copied */
void rft_compile_jobs_finish(rft_compile_jobs *jobs, rft_compile_job *job);

#endif
