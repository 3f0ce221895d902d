/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - one configuration on its way: spelled out, compiling, then a point. Private to run. */
#ifndef RFT_RUN_JOB_H
#define RFT_RUN_JOB_H

#include "base/hash.h"
#include "run/exec_opts.h"

#define RFT_JOB_REFERENCES 2

typedef struct rft_job {
    rft_arena *arena; /* everything of the job; freed with it */
    size_t sweep, variant, problem;
    uint64_t index; /* in the space */
    rft_value *config;
    char key[RFT_HASH_HEX_SIZE];           /* which point it is: rft_job_key() */
    char alias_key[RFT_HASH_HEX_SIZE];     /* of rft_job_alias_key(), for this cubin: */
    const char *alias_cubin;               /* NULL: not asked for yet */
    char reference_key[RFT_HASH_HEX_SIZE]; /* rft_job_reference_key() of its spec; "": not asked for yet */
    int round;
    int turn;                         /* of the final round */
    size_t samples;                   /* so many and no more; 0: as the sweep's rule says */
    int repeats;                      /* rft_probe_request.repeats */
    bool verified;                    /* by an earlier request: no reference is compiled for it */
    bool transferred;                 /* rft_point.transferred */
    double prior;                     /* rft_point.prior */
    uint64_t draw;                    /* rft_probe_request.draw */
    double steady_mhz;                /* rft_probe_request.steady_mhz */
    bool held;                        /* rft_probe_request.held */
    unsigned process;                 /* that answered last; 0: none yet */
    size_t reading;                   /* of the problem's reference: 1, 2, ...; 0: it is a point */
    rft_load_order load;              /* wanted: in place of timing */
    double rival_s;                   /* median of the best so far on its problem; 0: none, or it does not race */
    rft_race_limits few;              /* rft_probe_request.few */
    bool is_default;                  /* every parameter has its default */
    void (*meanwhile)(void *payload); /* rft_probe_request.meanwhile; NULL */
    void *payload;
    bool spelled; /* the spec is there */
    rft_point_spec spec;
    const rft_err *stopped; /* the script was, and the run ends: rft_job_await() says so. NULL: no */
    bool failed;            /* before it could run: outcome and reason say how */
    rft_outcome outcome;
    const char *reason;
    bool awaited;            /* rft_job_await() has nothing more to do than to say... */
    const char *log;         /* ...this; NULL */
    const char *problem_key; /* rft_probe_request.problem_key; NULL: not asked for yet */
    rft_compile_pool *pool;  /* it is compiling there; NULL: not asked for */
    size_t reference_count;  /* of units that are compiled to verify it: the reference's, then that one's own */
    rft_ticket unit, references[RFT_JOB_REFERENCES];
    const rft_compile_result *compiled, *compiled_references[RFT_JOB_REFERENCES]; /* once waited for */
    rft_ticket *fills; /* per spec.buffers, of those that a kernel fills; NULL: none does, or nothing is compiled */
    const rft_compile_result **compiled_fills;
} rft_job;

/* The name of a point: equal for the same sweep, variant, problem and configuration of one plan. */
typedef struct rft_job_place {
    size_t sweep, variant, problem;
} rft_job_place;
void rft_job_key(rft_job_place place, const rft_value *config, size_t param_count, char out[RFT_HASH_HEX_SIZE]);

/* Evaluates the script's functions and checks the device's limits. */
rft_job *rft_job_new(const rft_exec_opts *opts, rft_job_place place, const rft_value *config);
/* The baseline `index` of the sweep on this problem (place.variant is 0): its spec calls the vendor's library. */
rft_job *rft_job_new_baseline(const rft_exec_opts *opts, rft_job_place place, size_t index);
/* Queues the compilation, unless the job failed or there is no pool. */
void rft_job_compile(const rft_exec_opts *opts, rft_job *job);
/* It is not to run: its outcome is SKIPPED. `reason` lives as long as the job. */
void rft_job_skip(rft_job *job, const char *reason);
void rft_job_free(rft_job *job); /* NULL is accepted */

/* Waits for the compiler. Sets outcome and reason when it failed. RFT_E_SCRIPT_STOPPED when the script was. */
int rft_job_await(const rft_exec_opts *opts, rft_job *job, const char **log, rft_err *err);
/* Only for its reference and what fills its inputs. RFT_E_SOURCE: one does not compile, or takes other arguments than
 * it is given. */
int rft_job_await_others(const rft_exec_opts *opts, rft_job *job, rft_err *err);
/* What it waits for in the pool; how many. */
#define RFT_JOB_TICKETS_MAX (RFT_BUFFERS_MAX + 1 + RFT_JOB_REFERENCES)
size_t rft_job_tickets(const rft_job *job, rft_ticket out[RFT_JOB_TICKETS_MAX]);

/* The rule by which its samples end, in its round; without a rival. */
rft_stop_rule rft_job_rule(const rft_exec_opts *opts, const rft_job *job);

#define RFT_PROCESSES_LEAST 2 /* of the final round, where it decides itself how many */
/* How many samples one of several processes takes of what takes so long: enough to know its median well against what
 * processes differ by. */
size_t rft_job_block(const rft_exec_opts *opts, const rft_job *job, double median_s);

/* Verifies and measures. */
int rft_job_probe(const rft_exec_opts *opts, rft_job *job, bool verify_only, rft_probe_result *out, rft_err *err);
/* Its code, where that is compiled already; else NULL. */
const rft_compile_result *rft_job_peek(const rft_job *job);
/* Lets the probe know that this job will likely be the next, if all that it needs is compiled already. */
void rft_job_expect(const rft_exec_opts *opts, rft_job *job, bool verify_only, bool surely);

/* Counts; results as of rft_probe.count, in the job's arena. */
int rft_job_count(const rft_exec_opts *opts, rft_job *job, const rft_counter_set *set, rft_count_result *out,
                  rft_err *err);

/* SHA-256 of the problem, the cubin's hash, buffers, launches and check: equal for aliases. Lives in the job. */
const char *rft_job_alias_key(rft_job *job, const char *cubin_hash);

/* SHA-256 of buffers and launches, less the kernels' names: equal where only the code can differ. */
void rft_job_launch_key(const rft_point_spec *spec, char out[RFT_HASH_HEX_SIZE]);

/* SHA-256 of the reference's code, buffers and launches as the script says them: whose results are the same. */
void rft_job_reference_key(const rft_point_spec *spec, char out[RFT_HASH_HEX_SIZE]);
/* The same of a job, worked out once. Lives in the job. */
const char *rft_job_reference(rft_job *job);

/* Fills in what the job knows of the point (work, traffic, launch shape, static facts); texts go to run->arena. */
void rft_job_describe(const rft_exec_opts *opts, const rft_job *job, rft_point *point);

#endif
