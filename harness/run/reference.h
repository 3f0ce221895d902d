/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h - one configuration of each problem is measured again after every RFT_DRIFT_EVERY points, to tell whether
 * the device changed meanwhile (model/stats/drift.h). It is the fastest of the problem's first RFT_DRIFT_EVERY measured
 * points: readings are short, and a continued run takes the same one. Private to run.
 */
#ifndef RFT_RUN_REFERENCE_H
#define RFT_RUN_REFERENCE_H

#include "run/exec_state.h"

typedef struct rft_reference_keeper {
    rft_exec_state *state; /* borrowed */
    size_t sweep, problem;
    uint64_t measured;                /* points of the problem, known ones among them */
    int64_t id;                       /* of the reference, so far; 0: none yet */
    rft_job *job;                     /* of it, compiled; NULL: not needed yet */
    bool given_up;                    /* it failed once */
    void (*meanwhile)(void *payload); /* rft_probe_request.meanwhile of a reading; NULL */
    void *payload;
} rft_reference_keeper;

/* Before the first point of a problem. */
void rft_reference_begin(rft_reference_keeper *keeper, rft_exec_state *state, size_t sweep, size_t problem);
/* May the next call of rft_reference_after() measure? */
bool rft_reference_may_read(const rft_reference_keeper *keeper);
/* After a point was taken, new or known: measures and stores a reading when one is due and is not there. Points of
 * other problems (the odd one) do not count. Errors as of rft_recorder_take(). */
int rft_reference_after(rft_reference_keeper *keeper, const rft_point *point, rft_err *err);
void rft_reference_end(rft_reference_keeper *keeper);

#endif
