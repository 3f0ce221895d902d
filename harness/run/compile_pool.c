/* SPDX-License-Identifier: Apache-2.0 */
#include "run/compile_pool.h"

#include "run/key_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_BYTES (256u << 20)

typedef struct job {
    json_t *head; /* the request, until it is answered and again after it was forgotten */
    double timeout_s;
    size_t users;     /* submits less releases */
    bool queued;      /* in the queue or with a worker */
    bool done;        /* answered */
    rft_arena *arena; /* of what follows */
    rft_compile_result *result;
    rft_err *failure; /* of the worker itself; NULL */
    bool timed_out;
} job;

typedef struct compile_worker {
    rft_compile_pool *pool;
    rft_process *process; /* NULL: not started yet */
    job *job;             /* NULL: idle */
} compile_worker;

struct rft_compile_pool {
    rft_compile_pool_opts opts;
    rft_key_map tickets; /* by the request's hash */
    job **jobs;          /* by ticket; each on the heap so that pointers stay */
    size_t job_count, job_capacity;
    job **queue; /* first come, first served */
    size_t queue_count, queue_capacity, queue_next;
    compile_worker *workers;
    bool stirred;  /* something happened: what rft_loop_wait looks at */
    bool answered; /* a worker worked, once */
    size_t kept_bytes, forget_next;
};

/* ---- jobs ---- */

static size_t job_bytes(const job *j) {
    return j->arena ? rft_arena_used_bytes(j->arena) : 0;
}

static void begin_answer(job *j) {
    j->arena = rft_arena_new();
    j->result = rft_arena_alloc(j->arena, sizeof *j->result);
    j->failure = NULL;
    j->timed_out = false;
}

static void finish(rft_compile_pool *pool, job *j) {
    j->done = true;
    j->queued = false;
    pool->kept_bytes += job_bytes(j);
    pool->stirred = true;
}

static void fail(job *j, const rft_err *failure) {
    j->failure = rft_arena_memdup(j->arena, failure, sizeof *failure);
}

static void forget(rft_compile_pool *pool, job *j) {
    pool->kept_bytes -= job_bytes(j);
    rft_arena_free(j->arena);
    j->arena = NULL;
    j->result = NULL;
    j->failure = NULL;
    j->done = false;
}

static void enqueue(rft_compile_pool *pool, job *j) {
    if (pool->queue_next == pool->queue_count) {
        pool->queue_next = pool->queue_count = 0;
    }
    RFT_GROW(pool->queue, pool->queue_capacity, pool->queue_count + 1);
    pool->queue[pool->queue_count++] = j;
    j->queued = true;
}

/* ---- workers ---- */

/* Drops what nobody waits for any more from the front of the queue. */
static bool is_waiting(rft_compile_pool *pool) {
    while (pool->queue_next < pool->queue_count && pool->queue[pool->queue_next]->users == 0) {
        pool->queue[pool->queue_next++]->queued = false;
    }
    return pool->queue_next < pool->queue_count;
}

/* Something must be waiting. */
static void assign(compile_worker *worker) {
    rft_compile_pool *pool = worker->pool;
    job *j = pool->queue[pool->queue_next++];
    worker->job = j;
    rft_process_limit(worker->process, j->timeout_s);
    rft_process_send(worker->process, j->head, NULL, 0);
}

static void on_frame(void *payload, rft_frame *frame) {
    compile_worker *worker = payload;
    rft_compile_pool *pool = worker->pool;
    job *j = worker->job;
    if (j) {
        rft_err failure = RFT_ERR_INIT;
        begin_answer(j);
        if (rft_wire_to_err(&failure, frame->head) != RFT_OK ||
            rft_wire_to_compile_result(j->result, frame->head, frame->blob, frame->blob_bytes, j->arena, &failure) !=
                RFT_OK) {
            fail(j, &failure);
        }
        worker->job = NULL;
        pool->answered = true;
        finish(pool, j);
        rft_process_limit(worker->process, INFINITY);
        if (is_waiting(pool)) {
            assign(worker);
        }
    }
    rft_frame_clear(frame);
}

static int hand_out(rft_compile_pool *pool, rft_err *err);

/* The worker died: its configuration failed to compile, with the way it died as the log. */
static void on_gone(void *payload, const char *why) {
    compile_worker *worker = payload;
    rft_compile_pool *pool = worker->pool;
    job *j = worker->job;
    worker->job = NULL;
    pool->stirred = true;
    if (j) {
        begin_answer(j);
        j->timed_out = rft_process_was_late(worker->process);
        *j->result = (rft_compile_result){.ok = false};
        j->result->log =
            j->timed_out
                ? rft_arena_printf(j->arena, "no end after %g s: compiling was ended (measure.compile_timeout)",
                                   j->timeout_s)
                : rft_arena_printf(j->arena, "the compiler's process %s", why);
        if (!pool->answered && rft_process_ended_itself(worker->process)) {
            rft_err failure = RFT_ERR_INIT;
            rft_err_set(&failure, RFT_E_WORKER, "the compiler's process %s before it answered anything", why);
            rft_err_remedy(&failure, "`rooftune devices` says which libraries open here; what the process said is "
                                     "above");
            fail(j, &failure);
        }
        finish(pool, j);
    }
    rft_err ignored = RFT_ERR_INIT; /* wait() meets it again */
    (void)hand_out(pool, &ignored);
}

static int start_worker(compile_worker *worker, rft_err *err) {
    const char *argv[] = {worker->pool->opts.program, "worker", "compile", NULL};
    rft_process_events events = {.frame = on_frame, .gone = on_gone, .payload = worker};
    rft_process_free(worker->process);
    worker->process = NULL;
    return rft_process_start(&worker->process, worker->pool->opts.loop, argv, &events, err);
}

static bool is_alive(const compile_worker *worker) {
    return worker->process && !rft_process_is_gone(worker->process);
}

/* Living workers first: starting one takes longer than most compiles from the cache. */
static int hand_out(rft_compile_pool *pool, rft_err *err) {
    for (size_t i = 0; i < pool->opts.workers && is_waiting(pool); i++) {
        if (!pool->workers[i].job && is_alive(&pool->workers[i])) {
            assign(&pool->workers[i]);
        }
    }
    for (size_t i = 0; i < pool->opts.workers && is_waiting(pool); i++) {
        if (!is_alive(&pool->workers[i])) {
            int rc = start_worker(&pool->workers[i], err);
            if (rc != RFT_OK) {
                return rc;
            }
            assign(&pool->workers[i]);
        }
    }
    return RFT_OK;
}

static bool any_busy(const rft_compile_pool *pool) {
    for (size_t i = 0; i < pool->opts.workers; i++) {
        if (pool->workers[i].job) {
            return true;
        }
    }
    return false;
}

/* ---- the pool ---- */

int rft_compile_pool_new(rft_compile_pool **out, const rft_compile_pool_opts *opts, rft_err *err) {
    (void)err;
    rft_compile_pool *pool = rft_alloc(sizeof *pool);
    pool->opts = *opts;
    pool->opts.workers = opts->workers ? opts->workers : 1;
    pool->opts.kept_bytes = opts->kept_bytes ? opts->kept_bytes : KEPT_BYTES;
    pool->workers = rft_calloc(pool->opts.workers, sizeof *pool->workers);
    for (size_t i = 0; i < pool->opts.workers; i++) {
        pool->workers[i].pool = pool;
    }
    *out = pool;
    return RFT_OK;
}

void rft_compile_pool_free(rft_compile_pool *pool) {
    if (!pool) {
        return;
    }
    pool->queue_next = pool->queue_count; /* ending one worker serves the others' answers: nothing new for them */
    for (size_t i = 0; i < pool->opts.workers; i++) {
        rft_process_free(pool->workers[i].process);
    }
    for (size_t i = 0; i < pool->job_count; i++) {
        json_decref(pool->jobs[i]->head);
        rft_arena_free(pool->jobs[i]->arena);
        free(pool->jobs[i]);
    }
    rft_key_map_clear(&pool->tickets);
    free(pool->jobs);
    free(pool->queue);
    free(pool->workers);
    free(pool);
}

static job *new_job(rft_compile_pool *pool, json_t *head) {
    job *j = rft_alloc(sizeof *j);
    json_object_set_new(head, "do", json_string("compile"));
    j->head = head;
    RFT_GROW(pool->jobs, pool->job_capacity, pool->job_count + 1);
    pool->jobs[pool->job_count++] = j;
    return j;
}

rft_ticket rft_compile_pool_submit(rft_compile_pool *pool, const rft_compile_request *request, double timeout_s) {
    size_t length = 0;
    json_t *head = rft_wire_of_compile_request(request);
    char *text = rft_json_dump(head, &length);
    char key[RFT_HASH_HEX_SIZE];
    rft_hash_hex(text, length, key);
    free(text);
    rft_ticket ticket = (rft_ticket)rft_key_map_get(&pool->tickets, key, (int64_t)pool->job_count);
    job *j = NULL;
    if (ticket < pool->job_count) {
        j = pool->jobs[ticket];
        json_decref(head);
    } else {
        j = new_job(pool, head);
        rft_key_map_put(&pool->tickets, key, (int64_t)ticket);
    }
    if (j->failure && j->users == 0) {
        forget(pool, j); /* that worker failed; another may not */
    }
    j->users++;
    if (!j->done && !j->queued) {
        j->timeout_s = timeout_s;
        enqueue(pool, j);
        rft_err ignored = RFT_ERR_INIT; /* a worker that cannot start is reported by wait() */
        (void)hand_out(pool, &ignored);
    }
    return ticket;
}

int rft_compile_pool_wait(rft_compile_pool *pool, rft_ticket ticket, const rft_compile_result **out, bool *timed_out,
                          rft_err *err) {
    job *j = pool->jobs[ticket];
    while (!j->done) {
        rft_err unable = RFT_ERR_INIT;
        pool->stirred = false;
        if (hand_out(pool, &unable) != RFT_OK && !any_busy(pool)) {
            if (err) {
                *err = unable;
            }
            return unable.code;
        }
        rft_loop_wait(pool->opts.loop, &pool->stirred);
    }
    if (j->failure) {
        if (err) {
            *err = *j->failure;
        }
        return j->failure->code;
    }
    *timed_out = j->timed_out;
    *out = j->result;
    return RFT_OK;
}

bool rft_compile_pool_idle(rft_compile_pool *pool) {
    return !is_waiting(pool) && !any_busy(pool);
}

void rft_compile_pool_release(rft_compile_pool *pool, rft_ticket ticket) {
    job *released = pool->jobs[ticket];
    released->users -= released->users > 0 ? 1 : 0;
    for (size_t i = 0; i < pool->job_count && pool->kept_bytes > pool->opts.kept_bytes; i++) {
        job *j = pool->jobs[pool->forget_next++ % pool->job_count];
        if (j->done && j->users == 0) {
            forget(pool, j);
        }
    }
}
