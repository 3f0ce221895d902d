/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a row that hide the timer's floor (docs/measuring.md, "Near the timer floor"). */
#include "measure/batching.h"
#include "measure/device_kernels.h"
#include "measure/graph_runs.h"

#include <math.h>

#define FLOOR_SAMPLES 11
#define FLOOR_MOST_S 100e-6 /* no device's floor is a tenth of this: what takes longer is far from it */
#define BATCH_FLOORS 100.0  /* a batch lasts this many floors: what is left of the floor is about 1 % */
#define BATCH_SURE 10.0     /* the verified run may be this many times too long: the host's gaps are in it */

typedef struct empty_run {
    rft_protocol *p;
    rft_graph *graph; /* NULL: the kernel into the stream */
} empty_run;

static int queue_empty(void *self, rft_err *err) {
    const empty_run *run = self;
    rft_protocol *p = run->p;
    return run->graph ? p->gpu->vt->graph_launch(p->gpu, run->graph, err)
                      : rft_kernel_launch(p, p->builtins.functions[RFT_BUILTIN_EMPTY], (rft_grid_1d){1, 32}, NULL, err);
}

int rft_batch_floor(rft_protocol *p, const rft_measure_opts *opts, double *out, rft_err *err) {
    bool cold = opts->cache == RFT_CACHE_COLD;
    double *known_s = &p->floor_s[opts->mode][cold];
    if (*known_s == 0.0) {
        empty_run run = {.p = p};
        rft_timed timed = {.queue = queue_empty, .self = &run, .cache = cold ? RFT_CACHE_COLD : RFT_CACHE_HOT};
        rft_sample samples[FLOOR_SAMPLES];
        double seconds[FLOOR_SAMPLES];
        int rc = opts->mode == RFT_TIMING_GRAPH ? rft_graph_record(p->gpu, queue_empty, &run, &run.graph, err) : RFT_OK;
        rc = rc == RFT_OK ? rft_timing_series(p, &timed, FLOOR_SAMPLES, samples, err) : rc;
        p->gpu->vt->graph_free(p->gpu, run.graph);
        if (rc != RFT_OK) {
            return rc;
        }
        for (size_t i = 0; i < FLOOR_SAMPLES; i++) {
            seconds[i] = samples[i].seconds;
        }
        *known_s = p->sampling.blocking ? rft_timing_median(seconds, FLOOR_SAMPLES) : 0.0;
    }
    *out = *known_s > 0.0 ? *known_s : (double)NAN;
    return RFT_OK;
}

bool rft_batch_may_be_near(double seconds) {
    return seconds < FLOOR_MOST_S;
}

/* How many runs may follow each other without anything between them. */
static size_t most_runs(const rft_point_job *job) {
    const rft_point_spec *spec = job->request->spec;
    size_t most = spec->launch_count > 0 ? RFT_HELD_LAUNCHES / spec->launch_count : 0;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (spec->buffers[i].role == RFT_BUFFER_INOUT && job->set_count < most) {
            most = job->set_count; /* each must find its inouts restored */
        }
    }
    return most;
}

/* 1: far from the floor. */
static size_t runs_of(double seconds, double floor_s, size_t most) {
    double wanted = seconds < RFT_NEAR_FLOOR * floor_s ? BATCH_FLOORS * floor_s / seconds : 0.0;
    size_t runs = 1;
    while (runs < wanted && 2 * runs <= most) {
        runs *= 2;
    }
    return runs;
}

size_t rft_batch_foresee(const rft_point_job *job) {
    const rft_protocol *p = job->p;
    const rft_measure_opts *opts = &job->request->measure;
    const bool plain = opts->cache == RFT_CACHE_HOT && opts->mode == RFT_TIMING_EVENTS;
    const double floor_s = p->floor_s[RFT_TIMING_EVENTS][false];
    return plain && floor_s > 0.0 && p->alone_frac > 0.0 ? runs_of(job->run_s * p->alone_frac, floor_s, most_runs(job))
                                                         : 1;
}

int rft_batch_choose(rft_point_job *job, const rft_timed *single, size_t *runs, double *floor_s, rft_err *err) {
    rft_protocol *p = job->p;
    size_t most = most_runs(job);
    rft_measure_opts by_events = job->request->measure; /* as `single` is launched */
    by_events.mode = RFT_TIMING_EVENTS;
    rft_sample sample;
    *runs = 1;
    *floor_s = NAN;
    if (job->request->measure.cache == RFT_CACHE_COLD || most < 2 || !p->sampling.blocking ||
        job->run_s > BATCH_SURE * FLOOR_MOST_S) {
        return RFT_OK;
    }
    int rc = rft_timing_sample(p, single, &sample, err);
    if (rc != RFT_OK) {
        return rc;
    }
    p->busy.samples_s += sample.seconds;
    p->alone_frac = job->run_s > 0.0 ? sample.seconds / job->run_s : 0.0;
    if (!rft_batch_may_be_near(sample.seconds)) {
        return RFT_OK;
    }
    rc = rft_batch_floor(p, &by_events, floor_s, err);
    *runs = rc == RFT_OK ? runs_of(sample.seconds, *floor_s, most) : 1;
    *floor_s = *runs > 1 ? *floor_s : (double)NAN;
    return rc;
}

/* Was it foreseen? */
static int record(rft_point_job *job, const rft_timed *batch, size_t runs, rft_graph **out, rft_err *err) {
    if (job->foreseen && job->foreseen_runs == runs) {
        *out = job->foreseen;
        job->foreseen = NULL;
        return RFT_OK;
    }
    return rft_graph_record(job->p->gpu, batch->queue, batch->self, out, err);
}

int rft_batch_record(rft_point_job *job, const rft_timed *batch, size_t runs, rft_graph **out, rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    rft_err failure = RFT_ERR_INIT;
    *out = NULL;
    if (job->set_count > 1) {
        return RFT_OK;
    }
    int rc = record(job, batch, runs, out, &failure);
    if (rc == RFT_OK) {
        rc = gpu->vt->graph_launch(gpu, *out, &failure);
    }
    if (rc == RFT_OK) {
        rft_point_job_works(job, false);
        return RFT_OK;
    }
    gpu->vt->graph_free(gpu, *out);
    *out = NULL;
    rft_log_debug(job->p->log, "runs in a row are launched one by one: %s", failure.message);
    if (gpu->vt->sticky(gpu)) {
        *err = failure;
        return rc;
    }
    return RFT_OK;
}
