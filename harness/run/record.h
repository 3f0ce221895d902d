/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - turns finished jobs into stored points: aliases, points known from an earlier session, the verdict of the
 * odd problem, and the comparison of recompiled configurations with their recording. Private to run.
 */
#ifndef RFT_RUN_RECORD_H
#define RFT_RUN_RECORD_H

#include "run/job.h"

typedef struct rft_alias_key {
    char key[65];
    int64_t id;
} rft_alias_key;

typedef struct rft_odd_verdict {
    size_t sweep, variant;
    const rft_value *config;
    const char *reason;
} rft_odd_verdict;

typedef struct rft_recorder {
    const rft_exec_opts *opts;
    size_t capacity;        /* of run->points, which is a heap array while the run grows */
    size_t known;           /* points that were stored before this session */
    rft_alias_key *aliases; /* of the current problem */
    size_t alias_count, alias_capacity;
    rft_odd_verdict *odd; /* configurations that were wrong on an odd problem */
    size_t odd_count, odd_capacity;
    uint64_t *unexplored; /* per sweep: configurations left untried */
} rft_recorder;

int rft_recorder_open(rft_recorder *recorder, const rft_exec_opts *opts, rft_err *err);
/* Hands the points over to run->arena and frees the rest. */
void rft_recorder_close(rft_recorder *recorder);

/* Aliases are looked for within one problem only. */
void rft_recorder_new_problem(rft_recorder *recorder);

/* Was the job's point stored in an earlier session? */
bool rft_recorder_knows(const rft_recorder *recorder, const rft_job *job);
/* Awaits, probes and stores a job of the first round. *out is borrowed until the next call. */
int rft_recorder_take(rft_recorder *recorder, rft_job *job, const rft_point **out, rft_err *err);
/* Probes a job of the final round and stores it with the point `id`. */
int rft_recorder_final(rft_recorder *recorder, rft_job *job, int64_t id, rft_err *err);

void rft_recorder_unexplored(rft_recorder *recorder, size_t sweep, uint64_t count);
int rft_recorder_store_unexplored(rft_recorder *recorder, rft_err *err);

#endif
