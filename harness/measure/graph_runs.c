/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a point in CUDA graphs (docs/measuring.md, "Launches as a graph"). Arguments are those of the recording, so
 * each set of rotating buffers is in a graph of its own, or in its own place of one. */
#include "measure/graph_runs.h"
#include "measure/launching.h"
#include "measure/rotation.h"

int rft_graph_record(rft_gpu *gpu, int (*queue)(void *self, rft_err *err), void *self, rft_graph **out, rft_err *err) {
    rft_err ignored = RFT_ERR_INIT;
    *out = NULL;
    int rc = gpu->vt->graph_begin(gpu, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rc = queue(self, err);
    int end = gpu->vt->graph_end(gpu, out, rc == RFT_OK ? err : &ignored); /* also behind a failure: it is open still */
    rc = rc == RFT_OK ? end : rc;
    if (rc != RFT_OK) {
        gpu->vt->graph_free(gpu, *out);
        *out = NULL;
    }
    return rc;
}

typedef struct several_runs {
    rft_point_job *job;
    size_t count;
} several_runs;

static int queue_several(void *self, rft_err *err) {
    const several_runs *runs = self;
    rft_point_job *job = runs->job;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < runs->count; i++) {
        rc = rft_rotation_next(job, err); /* aims only: nothing of it is queued */
        rc = rc == RFT_OK ? rft_launching_queue(job, 0, job->request->spec->launch_count, err) : rc;
    }
    return rc;
}

int rft_graph_runs_record(rft_point_job *job, size_t runs, rft_graph_runs *out, rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    rft_err why = RFT_ERR_INIT;
    size_t count = job->set_count > runs ? job->set_count / runs : 1;
    *out = (rft_graph_runs){rft_arena_calloc(job->arena, count, sizeof *out->items), 0, runs};
    rft_rotation_pass(job, job->set_count - 1 - job->set); /* the first graph begins with the first set */
    several_runs several = {job, runs};
    int rc = RFT_OK;
    while (rc == RFT_OK && out->count < count) {
        rc = rft_graph_record(gpu, queue_several, &several, &out->items[out->count], &why);
        out->count += rc == RFT_OK;
    }
    if (rc == RFT_OK) {
        rc = rft_rotation_begin(job, &why);
    }
    if (rc == RFT_OK) {
        rc = rft_graph_runs_launch(job, out, &why);
    }
    if (rc == RFT_OK) {
        rft_point_job_works(job, false);
        return RFT_OK;
    }
    rft_graph_runs_free(job, out);
    out->count = 0;
    if (gpu->vt->sticky(gpu)) {
        *err = why;
        return rc;
    }
    return rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "measure.mode = \"graph\": %s; \"events\" needs no graph",
                              why.message);
}

int rft_graph_runs_launch(rft_point_job *job, const rft_graph_runs *graphs, rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    int rc = gpu->vt->graph_launch(gpu, graphs->items[job->set / graphs->runs % graphs->count], err);
    rft_rotation_pass(job, graphs->runs - 1);
    return rc;
}

void rft_graph_runs_free(rft_point_job *job, const rft_graph_runs *graphs) {
    for (size_t i = 0; i < graphs->count; i++) {
        job->p->gpu->vt->graph_free(job->p->gpu, graphs->items[i]);
    }
}
