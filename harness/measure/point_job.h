/* SPDX-License-Identifier: Apache-2.0 */
/* point_job.h - one point on its way through the steps of the protocol. */
#ifndef RFT_MEASURE_POINT_JOB_H
#define RFT_MEASURE_POINT_JOB_H

#include "measure/protocol_state.h"

typedef struct rft_point_job {
    rft_protocol *p;
    const rft_probe_request *request;
    struct rft_point_job *of; /* the job that this one is the reference of: it lends its buffers; NULL: a point's own */
    rft_arena *arena;
    rft_probe_result *out;
    bool failed;                        /* `out` holds an outcome other than ok: stop here */
    rft_kept **kept;                    /* per spec buffer */
    rft_device_ptr *data;               /* per spec buffer: where launches find it now, kept->data or a copy of it;
                                           of a constant that kernels can write to the variable */
    int64_t started_ns;                 /* first launch of the point's own kernels */
    rft_module *module;                 /* the configuration's */
    rft_gpu_launch *prepare, *launches; /* bound; function is NULL for a memset */
    int *blocks_per_sm;                 /* per launch; 0 for a memset */
    double run_s;                       /* device time of one run of all launches, as verified */
    double queue_s;                     /* of the host, to queue that run: it may have waited so long in between */
    bool stamped;                       /* that run, so its clock can be read */
    rft_graph *foreseen;                /* of so many runs in a row, recorded while the device judged; NULL */
    size_t foreseen_runs;
    /* buffers.c: the buffers and their copies, used in turn */
    size_t set, set_count;
    size_t stale_sets;                            /* the last so many have run since their inouts were restored */
    uint64_t set_bytes, *set_offsets, *set_rooms; /* rooms: of each buffer in a set; 0: all sets share it */
} rft_point_job;

/* Makes the outcome; returns 0 so that `return rft_point_job_fail(...)` reads well. */
int rft_point_job_fail(rft_point_job *job, rft_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
double rft_point_job_elapsed_s(const rft_point_job *job);      /* since started_ns */
void rft_point_job_enter(rft_point_job *job, rft_phase phase); /* tells the listener */
void rft_point_job_enter_fill(rft_point_job *job, size_t buffer);
void rft_point_job_works(rft_point_job *job, bool timed); /* tells it that the device is at work */
/* Fails the job as timed_out when the point's time is over. */
bool rft_point_job_is_late(rft_point_job *job, const char *during);

/* The argument's value, as a launch wants it, with the buffers where they are now. `to` has room for it and begins at a
 * multiple of RFT_ARGUMENT_ALIGNMENT. */
#define RFT_ARGUMENT_ALIGNMENT 64 /* of tensor maps, in structs too */
int rft_point_job_put_argument(const rft_point_job *job, const rft_arg *arg, unsigned char *to, rft_err *err);
uint64_t rft_argument_bytes(const rft_arg *arg);

#endif
