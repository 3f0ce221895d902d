/* SPDX-License-Identifier: Apache-2.0 */
#include "run/compile/compile_job.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_BYTES (16u << 10)

/* What is kept of it; an arena takes a block however little is in it. */
static size_t job_bytes(const rft_compile_job *job) {
    return sizeof *job + (job->arena ? ARENA_BLOCK_BYTES + rft_arena_used_bytes(job->arena) : 0);
}

static void free_job(rft_compile_job *job) {
    if (job) {
        json_decref(job->head);
        rft_arena_free(job->arena);
        free(job);
    }
}

void rft_compile_jobs_clear(rft_compile_jobs *jobs) {
    for (size_t i = 0; i < jobs->count; i++) {
        free_job(jobs->jobs[i]);
    }
    rft_key_map_clear(&jobs->tickets);
    free(jobs->jobs);
    free(jobs->free_tickets);
    *jobs = (rft_compile_jobs){0};
}

static rft_compile_job *new_compile_job(rft_compile_jobs *jobs, json_t *head, const char *key) {
    rft_compile_job *job = rft_alloc(sizeof *job);
    json_object_set_new(head, "do", json_string("compile"));
    job->head = head;
    memcpy(job->key, key, sizeof job->key);
    if (jobs->free_count) {
        job->ticket = jobs->free_tickets[--jobs->free_count];
    } else {
        RFT_GROW(jobs->jobs, jobs->capacity, jobs->count + 1);
        job->ticket = jobs->count++;
    }
    jobs->jobs[job->ticket] = job;
    rft_key_map_put(&jobs->tickets, key, (int64_t)job->ticket);
    return job;
}

void rft_compile_jobs_drop(rft_compile_jobs *jobs, rft_compile_job *job) {
    rft_key_map_remove(&jobs->tickets, job->key);
    jobs->jobs[job->ticket] = NULL;
    RFT_GROW(jobs->free_tickets, jobs->free_capacity, jobs->free_count + 1);
    jobs->free_tickets[jobs->free_count++] = job->ticket;
    free_job(job);
}

static void take_out(rft_compile_jobs *jobs, rft_compile_job *job) {
    *(job->older ? &job->older->newer : &jobs->oldest) = job->newer;
    *(job->newer ? &job->newer->older : &jobs->newest) = job->older;
    job->older = job->newer = NULL;
    jobs->kept_bytes -= job_bytes(job);
}

static void put_by(rft_compile_jobs *jobs, rft_compile_job *job) {
    if (job->failure) { /* that worker failed; another may not */
        rft_compile_jobs_drop(jobs, job);
        return;
    }
    job->older = jobs->newest;
    *(jobs->newest ? &jobs->newest->newer : &jobs->oldest) = job;
    jobs->newest = job;
    jobs->kept_bytes += job_bytes(job);
    while (jobs->oldest && jobs->kept_bytes > jobs->limit_bytes) {
        rft_compile_job *forgotten = jobs->oldest;
        take_out(jobs, forgotten);
        rft_compile_jobs_drop(jobs, forgotten);
    }
}

rft_compile_job *rft_compile_jobs_use(rft_compile_jobs *jobs, json_t *head, bool *is_new) {
    size_t length = 0;
    char key[RFT_HASH_HEX_SIZE];
    char *text = rft_json_dump(head, &length);
    rft_hash_hex(text, length, key);
    free(text);
    int64_t known = rft_key_map_get(&jobs->tickets, key, -1);
    rft_compile_job *job = known >= 0 ? jobs->jobs[known] : new_compile_job(jobs, head, key);
    *is_new = known < 0;
    if (known >= 0) {
        json_decref(head);
    }
    if (job->done && job->users == 0) {
        take_out(jobs, job);
    }
    job->users++;
    return job;
}

rft_compile_job *rft_compile_jobs_at(const rft_compile_jobs *jobs, rft_ticket ticket) {
    return ticket < jobs->count ? jobs->jobs[ticket] : NULL;
}

void rft_compile_jobs_let_go(rft_compile_jobs *jobs, rft_compile_job *job) {
    if (job->users > 0 && --job->users == 0 && job->done) {
        put_by(jobs, job);
    }
}

void rft_compile_job_begin_answer(rft_compile_job *job) {
    job->arena = rft_arena_new();
    job->result = rft_arena_alloc(job->arena, sizeof *job->result);
}

void rft_compile_job_fail(rft_compile_job *job, const rft_err *failure) {
    job->failure = rft_arena_memdup(job->arena, failure, sizeof *failure);
}

void rft_compile_jobs_finish(rft_compile_jobs *jobs, rft_compile_job *job) {
    json_decref(job->head);
    job->head = NULL;
    job->done = true;
    if (job->users == 0) {
        put_by(jobs, job);
    }
}
