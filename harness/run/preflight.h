/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.h - what would fail hours later, looked for before the first point: one configuration of each variant and
 * every reference, compiled side by side and held against what they are given. Private to run.
 *
 * Nothing is measured later for it: what is not compiled when the first point could be measured is looked at between
 * points. What is compiled here is what the first points need.
 */
#ifndef RFT_RUN_PREFLIGHT_H
#define RFT_RUN_PREFLIGHT_H

#include "run/exec_opts.h"
#include "run/plan/job.h"

typedef struct rft_preflight {
    const rft_exec_opts *opts;
    rft_job **jobs; /* one a variant; NULL where it was looked at. Heap */
    size_t count, left;
} rft_preflight;

/* Queues the compiles. Nothing in a replay, without a compiler, and where points are known already.
 * RFT_E_NOTHING: every configuration of the plan exceeds the device. */
int rft_preflight_begin(rft_preflight *preflight, const rft_exec_opts *opts, rft_err *err);
/* Until a job's code and reference are compiled, or it is clear that they will not be; INFINITY: however long it takes.
 * False: patience_s went by. */
bool rft_preflight_wait_for(const rft_job *job, double patience_s);
/* Waits `patience_s` at most for what is not compiled yet, and looks at what is. RFT_E_SOURCE: a reference does not
 * compile, or takes other arguments; so does a kernel; or its source has none of that name. Other failures to compile
 * are warned of: another configuration may do. RFT_E_SCRIPT_STOPPED, RFT_E_WORKER as of rft_job_await(). */
int rft_preflight_look(rft_preflight *preflight, double patience_s, rft_err *err);
void rft_preflight_end(rft_preflight *preflight);

#endif
