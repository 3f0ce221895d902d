/* SPDX-License-Identifier: Apache-2.0 */
#include "run/compile_pool.h"

#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_DONE } job_state;

typedef struct job {
    char key[RFT_HASH_HEX_SIZE];
    json_t *head; /* the request, until sent for good */
    double timeout_s;
    job_state state;
    bool done; /* what rft_loop_wait looks at */
    bool timed_out;
    int rc;
    rft_err failure;
    rft_compile_result result;
} job;

typedef struct compile_worker {
    rft_compile_pool *pool;
    rft_process *process; /* NULL: not started or gone */
    job *job;             /* NULL: idle */
    double deadline_s;
    bool late; /* ended because its time was up */
} compile_worker;

struct rft_compile_pool {
    rft_compile_pool_opts opts;
    rft_arena *arena; /* results */
    job **jobs;       /* by ticket; each on the heap so that pointers stay */
    size_t job_count, job_capacity;
    size_t next_queued;
    compile_worker *workers;
};

static void finish(job *j) {
    j->state = JOB_DONE;
    j->done = true;
    json_decref(j->head);
    j->head = NULL;
}

static void on_frame(void *payload, rft_frame *frame) {
    compile_worker *worker = payload;
    job *j = worker->job;
    if (j) {
        j->rc = rft_wire_to_err(&j->failure, frame->head);
        if (j->rc == RFT_OK) {
            j->rc = rft_wire_to_compile_result(&j->result, frame->head, frame->blob, frame->blob_bytes,
                                               worker->pool->arena, &j->failure);
        }
        worker->job = NULL;
        finish(j);
    }
    rft_frame_clear(frame);
}

/* The worker died: its configuration failed to compile, with the way it died as the log. */
static void on_gone(void *payload, const char *why) {
    compile_worker *worker = payload;
    job *j = worker->job;
    if (!j) {
        return;
    }
    j->result = (rft_compile_result){.ok = false};
    j->timed_out = worker->late;
    j->result.log = worker->late ? rft_arena_printf(worker->pool->arena,
                                                    "compiling took longer than %.0f s and was "
                                                    "ended (compile_timeout)",
                                                    j->timeout_s)
                                 : rft_arena_printf(worker->pool->arena, "the compiler process %s", why);
    worker->job = NULL;
    finish(j);
}

static int start_worker(compile_worker *worker, rft_err *err) {
    const char *argv[] = {worker->pool->opts.program, "worker", "compile", NULL};
    rft_process_events events = {.frame = on_frame, .gone = on_gone, .payload = worker};
    if (worker->process && rft_process_is_gone(worker->process)) {
        rft_process_free(worker->process);
        worker->process = NULL;
    }
    worker->late = false;
    return worker->process ? RFT_OK : rft_process_start(&worker->process, worker->pool->opts.loop, argv, &events, err);
}

static int hand_out(rft_compile_pool *pool, rft_err *err) {
    for (size_t i = 0; i < pool->opts.workers && pool->next_queued < pool->job_count; i++) {
        compile_worker *worker = &pool->workers[i];
        if (worker->job) {
            continue;
        }
        int rc = start_worker(worker, err);
        if (rc != RFT_OK) {
            return rc;
        }
        job *j = pool->jobs[pool->next_queued++];
        j->state = JOB_RUNNING;
        worker->job = j;
        worker->deadline_s = rft_loop_now_s(pool->opts.loop) + j->timeout_s;
        rft_process_send(worker->process, j->head, NULL, 0);
    }
    return RFT_OK;
}

/* Ends workers whose time is up; returns the seconds until the next one would be. */
static double enforce(rft_compile_pool *pool) {
    double now = rft_loop_now_s(pool->opts.loop);
    double next = INFINITY;
    for (size_t i = 0; i < pool->opts.workers; i++) {
        compile_worker *worker = &pool->workers[i];
        if (!worker->job || worker->late) {
            continue;
        }
        if (now >= worker->deadline_s) {
            worker->late = true;
            rft_process_kill(worker->process);
        } else if (worker->deadline_s - now < next) {
            next = worker->deadline_s - now;
        }
    }
    return next;
}

int rft_compile_pool_new(rft_compile_pool **out, const rft_compile_pool_opts *opts, rft_err *err) {
    (void)err;
    rft_compile_pool *pool = rft_alloc(sizeof *pool);
    pool->opts = *opts;
    pool->opts.workers = opts->workers ? opts->workers : 1;
    pool->arena = rft_arena_new();
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
    for (size_t i = 0; i < pool->opts.workers; i++) {
        rft_process_free(pool->workers[i].process);
    }
    for (size_t i = 0; i < pool->job_count; i++) {
        json_decref(pool->jobs[i]->head);
        free(pool->jobs[i]);
    }
    free(pool->jobs);
    free(pool->workers);
    rft_arena_free(pool->arena);
    free(pool);
}

rft_ticket rft_compile_pool_submit(rft_compile_pool *pool, const rft_compile_request *request, double timeout_s) {
    size_t length = 0;
    json_t *head = rft_wire_of_compile_request(request);
    char *text = rft_json_dump(head, &length);
    char key[RFT_HASH_HEX_SIZE];
    rft_hash_hex(text, length, key);
    free(text);
    for (size_t i = pool->job_count; i-- > 0;) {
        if (memcmp(pool->jobs[i]->key, key, sizeof key) == 0) {
            json_decref(head);
            return i;
        }
    }
    job *j = rft_alloc(sizeof *j);
    memcpy(j->key, key, sizeof key);
    json_object_set_new(head, "do", json_string("compile"));
    j->head = head;
    j->timeout_s = timeout_s;
    RFT_GROW(pool->jobs, pool->job_capacity, pool->job_count + 1);
    pool->jobs[pool->job_count++] = j;
    rft_err ignored = RFT_ERR_INIT; /* a worker that cannot start is reported by wait() */
    (void)hand_out(pool, &ignored);
    return pool->job_count - 1;
}

int rft_compile_pool_wait(rft_compile_pool *pool, rft_ticket ticket, const rft_compile_result **out, bool *timed_out,
                          rft_err *err) {
    job *j = pool->jobs[ticket];
    while (!j->done) {
        int rc = hand_out(pool, err);
        if (rc != RFT_OK) {
            return rc;
        }
        double patience = enforce(pool);
        /* Another worker's answer must free it for the queue, so waiting is done in short turns. */
        rft_loop_wait(pool->opts.loop, &j->done, patience < 0.02 ? patience : 0.02);
    }
    (void)hand_out(pool, err);
    if (j->rc != RFT_OK) {
        if (err) {
            *err = j->failure;
        }
        return j->rc;
    }
    *timed_out = j->timed_out;
    *out = &j->result;
    return RFT_OK;
}
