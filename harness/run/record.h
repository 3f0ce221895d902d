/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - turns finished jobs into stored points: aliases, points known from an earlier session, the verdict of the
 * odd problem, configurations that are not tried any more, and the comparison of recompiled configurations with their
 * recording. Private to run.
 */
#ifndef RFT_RUN_RECORD_H
#define RFT_RUN_RECORD_H

#include "run/compile/prefetch.h"
#include "run/plan/losses.h"
#include "run/tally.h"

/* Configurations of one sweep that were left untried. */
typedef struct rft_left {
    uint64_t plain;     /* the budget ended, or the run was stopped */
    uint64_t explained; /* for a reason of their own: */
    const char *reason; /* the last one; in run->arena */
    uint64_t reasons;   /* parts of the run that ended for such a reason */
} rft_left;

typedef struct rft_recorder {
    const rft_exec_opts *opts;
    size_t capacity;     /* of run->points, which is a heap array while the run grows */
    rft_key_map known;   /* every point's id by its rft_job_key() */
    rft_key_map aliases; /* id of the point with this rft_job_alias_key() */
    bool *passed;        /* by id - 1, for points of earlier sessions: taken in this one too */
    int64_t earlier;     /* ids of earlier sessions go up to this */
    rft_left *left;      /* per sweep: configurations left untried, and why */
    rft_losses losses;
    rft_tally tally;
    rft_prefetch prefetch;
    int64_t unstored; /* id of the point that rft_recorder_store() is to store; 0: none */
    rft_err failure;  /* what became of it, where that cannot be returned */
} rft_recorder;

void rft_recorder_open(rft_recorder *recorder, const rft_exec_opts *opts);
/* Hands the points over to run->arena and frees the rest. */
void rft_recorder_close(rft_recorder *recorder);

/* The id of the stored point of this rft_job_key(); 0 when there is none. */
int64_t rft_recorder_find(const rft_recorder *recorder, const char *key);
bool rft_recorder_is_earlier(const rft_recorder *recorder, int64_t id); /* was it stored by an earlier session? */
/* Is there a reason to compile it: neither is it stored nor has its configuration cost too many workers? */
bool rft_recorder_needs(const rft_recorder *recorder, const rft_job *job);
/* Was a point taken whose code is the same, so that its numbers are this job's, too? Where it is compiled already. */
bool rft_recorder_has_twin(const rft_recorder *recorder, rft_job *job);
/* Was the point of this id taken in this session? Those of earlier ones are to be taken again, which costs nothing:
 * later points are judged by them. */
bool rft_recorder_passed(const rft_recorder *recorder, int64_t id);

/* Awaits and probes a job of the first round; a point that is stored already is taken as it is. *out is borrowed until
 * the next call. Else rft_recorder_store() is to follow, at the latest while the next one is probed: a failure there is
 * this one's, too. */
int rft_recorder_take(rft_recorder *recorder, rft_job *job, const rft_point **out, rft_err *err);
int rft_recorder_store(rft_recorder *recorder, rft_err *err);
typedef enum rft_turn_end {
    RFT_TURN_AGAIN,  /* there is more to come */
    RFT_TURN_DONE,   /* it is measured, or it failed: both are stored */
    RFT_TURN_NOTHING /* there is nothing to store */
} rft_turn_end;
typedef enum rft_final_way {
    RFT_FINAL_TURN,
    RFT_FINAL_AT_ONCE, /* there is no other point to take turns with */
    RFT_FINAL_PROCESS  /* a block of samples in the process of job->draw; NOT_YET until rft_recorder_end_final() */
} rft_final_way;
/* Probes a job of the final round, one turn of it, and stores it with the point `id`. */
int rft_recorder_final(rft_recorder *recorder, rft_job *job, int64_t id, rft_final_way way, rft_turn_end *end,
                       rft_err *err);
int rft_recorder_end_final(rft_recorder *recorder, int64_t id, rft_stop_reason stop, rft_err *err);
/* Did the point fail in its final round, after it had been measured in the first? */
bool rft_recorder_failed_final(const rft_point *point);

/* Left untried; `reason`: why, NULL where the budget ended or the run was stopped. It is copied. */
void rft_recorder_unexplored(rft_recorder *recorder, size_t sweep, uint64_t count, const char *reason);
int rft_recorder_store_unexplored(rft_recorder *recorder, bool stopped, rft_err *err);

#endif
