/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookahead.h - the configurations that a strategy proposed and that were not taken yet, compiling meanwhile. Private
 * to run.
 *
 * In order: as they were proposed, so that a strategy that learns hears of them so. As compiled: what is ready goes
 * first, so that a slow compile holds nothing back; the first of those in the order of proposing, or the one that a
 * strategy with promises chooses. A continued run takes what it knows in the order of its ids, and so as it was taken
 * before.
 */
#ifndef RFT_RUN_LOOKAHEAD_H
#define RFT_RUN_LOOKAHEAD_H

#include "run/plan/prune.h"
#include "run/record.h"
#include "search/strategy.h"

/* A configuration that was asked for, and its verification on the odd problem while that is still to be done. */
typedef struct rft_lookahead_entry {
    rft_job *job;
    rft_job *odd;       /* NULL: done, or there is nothing to do */
    uint64_t batch;     /* verified on the odd problem together, before the first of them is timed */
    bool guessed;       /* it was compiled before it was asked for (run/foresight.h) */
    bool ready;         /* its job is compiled, or needs no compiling */
    double ready_since; /* then: after so many others */
    size_t bytes;       /* then: what it holds */
    int64_t id, odd_id; /* of its points, where an earlier session took them and this has not yet; 0 */
} rft_lookahead_entry;

/* What is compiled and waits for the device takes no more than this; what waits for a compiler is counted, so that
 * every worker has its next request. */
#define RFT_LOOKAHEAD_BYTES ((size_t)256 << 20)
#define RFT_LOOKAHEAD_ENTRY_BYTES ((size_t)64 << 10) /* of a configuration beside its cubin */

typedef struct rft_lookahead {
    const rft_recorder *recorder;
    bool as_compiled;
    rft_lookahead_entry *all; /* in the order of proposing; heap */
    size_t count, capacity;
    size_t compiling, held_bytes; /* as of the last look */
    size_t readied, turn;         /* configurations that became ready, and that were taken */
    rft_strategy *chooser;        /* among what is ready, by promises; NULL: the first */
    bool verifying;               /* as compiled: on the odd problem, until a batch of them is */
    const rft_job *expected;      /* chosen before, and handed over; NULL */
} rft_lookahead;

/* Makes the jobs of a configuration and queues what is to be compiled for them. `odd_problem`: where it is verified
 * unless that was done; SIZE_MAX: nowhere. `pruner`: of its part; NULL: none judges it yet. */
rft_lookahead_entry rft_lookahead_entry_new(const rft_recorder *recorder, rft_job_place place, uint64_t index,
                                            size_t odd_problem, const rft_pruner *pruner);
/* Was the configuration verified on the odd problem, in this session's course? */
bool rft_lookahead_is_verified(const rft_recorder *recorder, rft_job_place odd, const rft_value *config);
void rft_lookahead_entry_free(rft_lookahead_entry *entry); /* its jobs */

void rft_lookahead_begin(rft_lookahead *ahead, const rft_recorder *recorder, bool as_compiled);
void rft_lookahead_end(rft_lookahead *ahead); /* frees what was not taken */

/* Takes both jobs over. */
void rft_lookahead_put(rft_lookahead *ahead, const rft_lookahead_entry *entry);
/* As compiled: is there room for one more, so that `workers` have enough to do? */
bool rft_lookahead_has_room(rft_lookahead *ahead, size_t workers);
/* The same with what `before` has, which goes first, counted too. */
bool rft_lookahead_has_room_behind(rft_lookahead *ahead, rft_lookahead *before, size_t workers);

/* Is something that was asked for still compiling, while a worker has nothing to do, with what lies `behind` counted?
 */
bool rft_lookahead_is_starving(rft_lookahead *ahead, rft_lookahead *behind, size_t workers);

/* The job that would be taken now; NULL: none is ready. Nothing is waited for. */
rft_job *rft_lookahead_next(rft_lookahead *ahead, bool *is_odd);
/* The one that `expected` says, if it was not taken; else NULL. */
rft_job *rft_lookahead_expected(const rft_lookahead *ahead, bool *is_odd);
/* Is its code there, or none needed? */
bool rft_lookahead_is_ready(const rft_job *job);
/* Takes that job out; the caller frees it. */
void rft_lookahead_take(rft_lookahead *ahead, const rft_job *job);

#endif
