/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - one configuration on its way: spelled out, compiling, then a point. Private to run. */
#ifndef RFT_RUN_JOB_H
#define RFT_RUN_JOB_H

#include "run/exec.h"

typedef struct rft_job {
    rft_arena *arena; /* everything of the job; freed with it */
    size_t sweep, variant, problem;
    uint64_t index; /* in the space */
    rft_value *config;
    int round;
    rft_point_spec spec;
    bool failed; /* before compiling: outcome and reason say how */
    rft_outcome outcome;
    const char *reason;
    bool compiling;
    rft_ticket unit, reference;
    const rft_compile_result *compiled, *compiled_reference; /* once waited for */
} rft_job;

/* Evaluates the script's functions and checks the device's limits. */
rft_job *rft_job_new(const rft_exec_opts *opts, size_t sweep, size_t variant, size_t problem, const rft_value *config);
void rft_job_free(rft_job *job);
/* Queues the compilation, where there is a compiler and nothing failed so far. */
void rft_job_compile(const rft_exec_opts *opts, rft_job *job);

/* Waits for the compiler. Sets outcome and reason when it failed. */
int rft_job_await(const rft_exec_opts *opts, rft_job *job, const char **log, rft_err *err);

/* Verifies and measures. */
int rft_job_probe(const rft_exec_opts *opts, rft_job *job, bool verify_only, rft_probe_result *out, rft_err *err);

/* SHA-256 of the cubin's hash and the launches: equal for aliases. */
void rft_job_alias_key(const rft_job *job, const char *cubin_hash, char out[65]);

/* Fills in what the job knows of the point (work, traffic, launch shape, static facts); texts go to run->arena. */
void rft_job_describe(const rft_exec_opts *opts, const rft_job *job, rft_point *point);

#endif
