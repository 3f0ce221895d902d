/* SPDX-License-Identifier: Apache-2.0 */
#include "run/compile/compile_pool.h"

#include "base/clock.h"
#include "run/compile/compile_job.h"
#include "run/compile/compile_memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_BYTES (256u << 20)

/* What one worker is asked before there is anything to compile. */
typedef struct compile_question {
    bool done;
    rft_compiler_facts *facts;
    rft_err failure; /* code RFT_OK: none */
} compile_question;

typedef struct compile_worker {
    rft_compile_pool *pool;
    rft_process *process;    /* NULL: not started yet */
    rft_compile_job *job;    /* NULL: idle */
    double since_s;          /* when it was handed out */
    compile_question *asked; /* NULL: it is not asked anything */
} compile_worker;

struct rft_compile_pool {
    rft_compile_pool_opts opts;
    char memory_text[24]; /* opts.memory_bytes, as an argument */
    rft_compile_jobs jobs;
    rft_compile_job **queue; /* first come, first served */
    size_t queue_count, queue_capacity, queue_next;
    compile_worker *workers;
    bool stirred;  /* something happened: what rft_loop_wait looks at */
    bool answered; /* a worker worked, once */
    double core_s;
};

static double now_s(void) {
    const rft_clock *clock = rft_clock_system();
    return (double)clock->monotonic_ns(clock->self) * 1e-9;
}

/* ---- the queue ---- */

static void enqueue(rft_compile_pool *pool, rft_compile_job *job) {
    size_t waiting = pool->queue_count - pool->queue_next;
    if (pool->queue_next > waiting) { /* what was served is more than half: the rest moves up */
        memmove(pool->queue, pool->queue + pool->queue_next, waiting * sizeof *pool->queue);
        pool->queue_next = 0;
        pool->queue_count = waiting;
    }
    RFT_GROW(pool->queue, pool->queue_capacity, pool->queue_count + 1);
    pool->queue[pool->queue_count++] = job;
}

/* ---- workers ---- */

/* Drops what no caller waits for any more from the front of the queue. */
static bool is_waiting(rft_compile_pool *pool) {
    while (pool->queue_next < pool->queue_count && pool->queue[pool->queue_next]->users == 0) {
        rft_compile_jobs_drop(&pool->jobs, pool->queue[pool->queue_next++]);
    }
    return pool->queue_next < pool->queue_count;
}

static bool any_busy(const rft_compile_pool *pool) {
    for (size_t i = 0; i < pool->opts.workers; i++) {
        if (pool->workers[i].job) {
            return true;
        }
    }
    return false;
}

/* May the next request be handed out? One that ran out of memory waits until nothing else is compiled, and then all
 * others wait for it. */
static bool is_next_due(rft_compile_pool *pool) {
    if (!is_waiting(pool)) {
        return false;
    }
    for (size_t i = 0; i < pool->opts.workers; i++) {
        if (pool->workers[i].job && pool->workers[i].job->alone) {
            return false;
        }
    }
    return !pool->queue[pool->queue_next]->alone || !any_busy(pool);
}

/* The next request must be due. */
static void assign(compile_worker *worker) {
    rft_compile_pool *pool = worker->pool;
    rft_compile_job *job = pool->queue[pool->queue_next++];
    worker->job = job;
    worker->since_s = now_s();
    rft_process_limit(worker->process, job->timeout_s);
    rft_process_send(worker->process, job->head, NULL, 0);
}

/* Behind it the others come in their order. */
static void put_first(rft_compile_pool *pool, rft_compile_job *job) {
    enqueue(pool, job);
    memmove(pool->queue + pool->queue_next + 1, pool->queue + pool->queue_next,
            (pool->queue_count - 1 - pool->queue_next) * sizeof(job));
    pool->queue[pool->queue_next] = job;
}

/* The machine may have been short of memory, or the share of it too small. Once; then it is the configuration. */
static bool try_alone(rft_compile_pool *pool, rft_compile_job *job, const json_t *answer) {
    if (job->alone || !rft_json_bool_or(answer, "starved", false)) {
        return false;
    }
    if (job->users == 0) { /* asked for again it begins anew */
        rft_compile_jobs_drop(&pool->jobs, job);
        return true;
    }
    job->alone = true;
    json_object_set_new(job->head, "memory_bytes", json_integer((json_int_t)pool->opts.alone_bytes));
    put_first(pool, job);
    rft_log_debug(pool->opts.log, "a compiler ran out of memory: its request is tried again, alone");
    return true;
}

static int hand_out(rft_compile_pool *pool, rft_err *err);

static int read_answer(rft_compile_job *job, const rft_frame *frame, rft_err *failure) {
    int rc = rft_wire_to_err(failure, frame->head);
    if (rc == RFT_OK && rft_wire_to_compile_result(job->result, frame->head, frame->blob, frame->blob_bytes, job->arena,
                                                   failure) != RFT_OK) {
        rft_err_place(failure, "a compile worker's answer");
        rc = rft_err_remedy(failure, "was the program replaced while it ran? Start it again");
    }
    return rc;
}

static void take_facts(compile_worker *worker, const json_t *head) {
    compile_question *asked = worker->asked;
    worker->asked = NULL;
    asked->done = true;
    if (rft_wire_to_err(&asked->failure, head) == RFT_OK) {
        rft_wire_to_compiler_facts(asked->facts, head);
    }
}

static void on_frame(void *payload, rft_frame *frame) {
    compile_worker *worker = payload;
    rft_compile_pool *pool = worker->pool;
    rft_compile_job *job = worker->job;
    if (worker->asked) {
        take_facts(worker, frame->head);
    } else if (job) {
        rft_err failure = RFT_ERR_INIT;
        double core_s = rft_json_real_or(frame->head, "core_s", 0);
        worker->job = NULL;
        pool->answered = true;
        pool->core_s += core_s > 0 ? core_s : 0;
        pool->stirred = true;
        rft_process_limit(worker->process, INFINITY);
        if (!try_alone(pool, job, frame->head)) {
            rft_compile_job_begin_answer(job);
            if (read_answer(job, frame, &failure) != RFT_OK) {
                rft_compile_job_fail(job, &failure);
            }
            rft_compile_jobs_finish(&pool->jobs, job);
        }
        if (is_next_due(pool)) {
            assign(worker);
        }
        (void)hand_out(pool, &failure); /* others may have waited for this one; wait() meets an error again */
    }
    rft_frame_clear(frame);
}

/* A compiler that crashes takes its child along, not its worker: what ends a worker is an accident (the OOM killer, an
 * administrator), and the request is not to blame. Once; then it is. */
static bool try_again(rft_compile_pool *pool, rft_compile_job *job) {
    if (job->worker_lost) {
        return false;
    }
    job->worker_lost = true;
    put_first(pool, job);
    return true;
}

static void tell_silent(rft_err *failure, const char *why) {
    rft_err_set(failure, RFT_E_WORKER, "the compile worker %s before it answered anything", why);
    rft_err_remedy(failure, "`rooftune devices` says which libraries open here; what the process said is above");
}

/* How a worker that died over its request answers it. */
static void answer_for_the_dead(compile_worker *worker, rft_compile_job *job, const char *why) {
    rft_compile_job_begin_answer(job);
    job->timed_out = rft_process_was_late(worker->process);
    *job->result = (rft_compile_result){.ok = false};
    job->result->log =
        job->timed_out
            ? rft_arena_printf(job->arena, "no end after %g s: compiling was ended (measure.compile_timeout)",
                               job->timeout_s)
            : rft_arena_printf(job->arena, "the compile worker %s%s", why, job->worker_lost ? ", twice" : "");
    if (!worker->pool->answered && rft_process_ended_itself(worker->process)) {
        rft_err failure = RFT_ERR_INIT;
        tell_silent(&failure, why);
        rft_compile_job_fail(job, &failure);
    }
}

/* The worker died, by its limit or by itself. */
static void on_gone(void *payload, const char *why) {
    compile_worker *worker = payload;
    rft_compile_pool *pool = worker->pool;
    rft_compile_job *job = worker->job;
    worker->job = NULL;
    pool->stirred = true;
    if (worker->asked) {
        tell_silent(&worker->asked->failure, why);
        worker->asked->done = true;
        worker->asked = NULL;
    }
    if (job) {
        pool->core_s += now_s() - worker->since_s;
        if (job->users == 0) {
            rft_compile_jobs_drop(&pool->jobs, job);
        } else if (rft_process_was_late(worker->process) || !try_again(pool, job)) {
            answer_for_the_dead(worker, job, why);
            rft_compile_jobs_finish(&pool->jobs, job);
        }
    }
    rft_err ignored = RFT_ERR_INIT; /* wait() meets it again */
    (void)hand_out(pool, &ignored);
}

static int start_worker(compile_worker *worker, rft_err *err) {
    const rft_compile_pool_opts *opts = &worker->pool->opts;
    const char **argv = rft_calloc(opts->roots.count + 5, sizeof *argv);
    argv[0] = opts->program;
    argv[1] = "worker";
    argv[2] = "compile";
    argv[3] = worker->pool->memory_text;
    for (size_t i = 0; i < opts->roots.count; i++) {
        argv[4 + i] = opts->roots.folders[i];
    }
    rft_process_events events = {.frame = on_frame, .gone = on_gone, .payload = worker};
    rft_process_free(worker->process);
    worker->process = NULL;
    int rc = rft_process_start(&worker->process, opts->loop, argv, &events, err);
    free(argv);
    return rc;
}

static bool is_alive(const compile_worker *worker) {
    return worker->process && !rft_process_is_gone(worker->process);
}

/* Living workers first: starting one takes longer than most compiles from the cache. */
static int hand_out(rft_compile_pool *pool, rft_err *err) {
    for (size_t i = 0; i < pool->opts.workers && is_next_due(pool); i++) {
        if (!pool->workers[i].job && is_alive(&pool->workers[i])) {
            assign(&pool->workers[i]);
        }
    }
    for (size_t i = 0; i < pool->opts.workers && is_next_due(pool); i++) {
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

int rft_compile_pool_start(rft_compile_pool *pool, size_t count, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; i < pool->opts.workers && i < count && rc == RFT_OK; i++) {
        rc = is_alive(&pool->workers[i]) ? RFT_OK : start_worker(&pool->workers[i], err);
    }
    return rc;
}

int rft_compile_pool_compiler(rft_compile_pool *pool, const char *arch, rft_compiler_facts *out, rft_err *err) {
    compile_worker *worker = &pool->workers[0];
    compile_question asked = {.facts = out};
    int rc = rft_compile_pool_start(pool, 1, err);
    if (rc != RFT_OK) {
        return rc;
    }
    json_t *head = json_pack("{s:s,s:s}", "do", "compiler", "arch", arch);
    worker->asked = &asked;
    rft_process_send(worker->process, head, NULL, 0);
    json_decref(head);
    rft_loop_wait(pool->opts.loop, &asked.done);
    if (asked.failure.code != RFT_OK && err) {
        *err = asked.failure;
    }
    return asked.failure.code;
}

/* ---- the pool ---- */

int rft_compile_pool_new(rft_compile_pool **out, const rft_compile_pool_opts *opts, rft_err *err) {
    (void)err;
    rft_compile_pool *pool = rft_alloc(sizeof *pool);
    pool->opts = *opts;
    pool->opts.workers = opts->workers ? opts->workers : 1;
    pool->jobs.limit_bytes = opts->kept_bytes ? opts->kept_bytes : KEPT_BYTES;
    pool->opts.memory_bytes = opts->memory_bytes ? opts->memory_bytes : rft_compile_memory_bytes(pool->opts.workers);
    pool->opts.alone_bytes = opts->alone_bytes ? opts->alone_bytes : rft_compile_memory_alone_bytes();
    rft_text_format(pool->memory_text, sizeof pool->memory_text, "%" PRIu64, pool->opts.memory_bytes);
    pool->workers = rft_calloc(pool->opts.workers, sizeof *pool->workers);
    for (size_t i = 0; i < pool->opts.workers; i++) {
        pool->workers[i].pool = pool;
    }
    *out = pool;
    return RFT_OK;
}

void rft_compile_pool_dismiss(rft_compile_pool *pool) {
    if (!pool) {
        return;
    }
    pool->queue_next = pool->queue_count; /* ending one worker serves the others' answers: nothing new for them */
    for (size_t i = 0; i < pool->opts.workers; i++) {
        rft_process_dismiss(pool->workers[i].process);
    }
}

void rft_compile_pool_free(rft_compile_pool *pool) {
    if (!pool) {
        return;
    }
    rft_compile_pool_dismiss(pool);
    for (size_t i = 0; i < pool->opts.workers; i++) {
        rft_process_free(pool->workers[i].process);
    }
    rft_compile_jobs_clear(&pool->jobs);
    free(pool->queue);
    free(pool->workers);
    free(pool);
}

rft_ticket rft_compile_pool_submit(rft_compile_pool *pool, const rft_compile_request *request, double timeout_s) {
    bool is_new = false;
    rft_compile_job *job = rft_compile_jobs_use(&pool->jobs, rft_wire_of_compile_request(request), &is_new);
    if (is_new) {
        job->timeout_s = timeout_s;
        enqueue(pool, job);
        rft_err ignored = RFT_ERR_INIT; /* a worker that cannot start is reported by wait() */
        (void)hand_out(pool, &ignored);
    }
    return job->ticket;
}

int rft_compile_pool_wait(rft_compile_pool *pool, rft_ticket ticket, const rft_compile_result **out, bool *timed_out,
                          rft_err *err) {
    rft_compile_job *job = rft_compile_jobs_at(&pool->jobs, ticket);
    if (!job) {
        return rft_err_set(err, RFT_E_INTERNAL, "a compile was waited for that was not asked for");
    }
    while (!job->done) {
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
    if (job->failure) {
        if (err) {
            *err = *job->failure;
        }
        return job->failure->code;
    }
    *timed_out = job->timed_out;
    *out = job->result;
    return RFT_OK;
}

int rft_compile_pool_wait_any(rft_compile_pool *pool, rft_err *err) {
    pool->stirred = false;
    int rc = hand_out(pool, err);
    if (any_busy(pool)) {
        rft_loop_wait(pool->opts.loop, &pool->stirred);
        return RFT_OK;
    }
    return rc;
}

size_t rft_compile_pool_workers(const rft_compile_pool *pool) {
    return pool->opts.workers;
}

const rft_compile_result *rft_compile_pool_peek(rft_compile_pool *pool, rft_ticket ticket) {
    const rft_compile_job *job = rft_compile_jobs_at(&pool->jobs, ticket);
    return job && job->done && !job->failure && job->result->ok ? job->result : NULL;
}

bool rft_compile_pool_is_answered(rft_compile_pool *pool, rft_ticket ticket) {
    const rft_compile_job *job = rft_compile_jobs_at(&pool->jobs, ticket);
    return !job || job->done;
}

static bool is_late(void *payload) {
    const rft_clock *clock = rft_clock_system();
    return clock->monotonic_ns(clock->self) >= *(const int64_t *)payload;
}

void rft_compile_pool_settle(rft_compile_pool *pool, const rft_ticket *tickets, size_t count, double seconds) {
    const rft_clock *clock = rft_clock_system();
    int64_t end_ns = clock->monotonic_ns(clock->self) + (int64_t)(seconds * 1e9);
    for (size_t i = 0; i < count && !is_late(&end_ns);) {
        rft_err ignored = RFT_ERR_INIT; /* wait() tells it */
        pool->stirred = false;
        if (rft_compile_pool_is_answered(pool, tickets[i])) {
            i++;
        } else if (hand_out(pool, &ignored) != RFT_OK && !any_busy(pool)) {
            return;
        } else {
            (void)rft_loop_wait_unless(pool->opts.loop, &pool->stirred, is_late, &end_ns);
        }
    }
}

bool rft_compile_pool_idle(rft_compile_pool *pool) {
    return !is_waiting(pool) && !any_busy(pool);
}

double rft_compile_pool_seconds(const rft_compile_pool *pool) {
    return pool->core_s;
}

void rft_compile_pool_release(rft_compile_pool *pool, rft_ticket ticket) {
    rft_compile_job *job = rft_compile_jobs_at(&pool->jobs, ticket);
    if (job) {
        rft_compile_jobs_let_go(&pool->jobs, job);
    }
}
