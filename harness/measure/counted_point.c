/* SPDX-License-Identifier: Apache-2.0 */
/* A point's counters (docs/counters.md): the launches as they are timed, once a pass, and nothing timed meanwhile. */
#include "measure/counted_point.h"
#include "measure/buffers.h"
#include "measure/device_kernels.h"
#include "measure/launching.h"
#include "measure/sampling.h"

/* Of the point's time limit: instrumented passes are slower, and there are many. */
#define LATE_TIMES 4.0

void rft_counting_close(rft_protocol *p) {
    if (p->counting.profiler) {
        p->counting.profiler->vt->close(p->counting.profiler);
        p->counting.profiler = NULL;
    }
}

/* At the first request: the profiler changes the process that it is loaded into. */
static int open_counting(rft_protocol *p, rft_err *err) {
    if (p->counting.profiler) {
        return RFT_OK;
    }
    if (p->counting.missing.code == RFT_OK) {
        rft_err_set(&p->counting.missing, RFT_E_NOT_FOUND, "this build has no hardware counters");
        int rc = p->counting.source.open ? p->counting.source.open(p->counting.source.self, p->gpu,
                                                                   &p->counting.profiler, &p->counting.missing)
                                         : RFT_E_NOT_FOUND;
        if (rc == RFT_OK) {
            p->counting.missing = (rft_err)RFT_ERR_INIT;
            return RFT_OK;
        }
    }
    *err = p->counting.missing;
    return err->code;
}

/* Inouts hold what they begin with, and the cache what the sweep's mode says. A rotating point finds the caches as cold
 * as a flushed one: only the hot mode counts what the run before left. */
static int settle(rft_point_job *job, rft_err *err) {
    int rc = rft_buffers_restore(job, err);
    return rc == RFT_OK && job->request->measure.cache != RFT_CACHE_HOT ? rft_timing_flush(job->p, err) : rc;
}

static bool is_late(rft_point_job *job, int pass, int passes) {
    if (rft_point_job_elapsed_s(job) <= LATE_TIMES * job->request->measure.point_timeout_s) {
        return false;
    }
    rft_point_job_fail(job, RFT_OUTCOME_TIMED_OUT, "%d of %d passes took longer than four times measure.timeout", pass,
                       passes);
    return true;
}

static int count_passes(rft_point_job *job, const rft_counter_set *set, rft_counters *out, rft_err *err) {
    rft_counting *counting = job->p->counting.profiler;
    int passes = 0;
    int rc = counting->vt->begin(counting, set, &passes, err);
    if (rc != RFT_OK) {
        return rc;
    }
    bool again = passes > 0;
    for (int pass = 1; rc == RFT_OK && again && !job->failed; pass++) {
        rc = settle(job, err);
        if (rc == RFT_OK) {
            rc = counting->vt->start(counting, err);
        }
        if (rc == RFT_OK) {
            rc = rft_launching_queue(job, 0, job->request->spec->launch_count, err);
        }
        if (rc == RFT_OK) {
            rc = counting->vt->stop(counting, &again, err);
        }
        if (rc == RFT_OK && again) {
            is_late(job, pass, passes);
        }
    }
    bool good = rc == RFT_OK && !job->failed;
    int ended = counting->vt->end(counting, good ? out : NULL, job->arena, good ? err : NULL);
    return good ? ended : rc;
}

/* Up to the first counted launch: as for measuring, without the comparison, which was made then. The run before the
 * first pass loads what is loaded at a first launch, and warms what the hot mode finds warm. */
static int prepare(rft_point_job *job, rft_err *err) {
    int rc = rft_launching_start(job, err);
    if (rc != RFT_OK || job->failed) {
        return rc;
    }
    rc = rft_buffers_poison(job, err);
    if (rc == RFT_OK) {
        rc = rft_buffers_restore(job, err);
    }
    if (rc == RFT_OK) {
        rc = rft_launching_queue_prepare(job, err);
    }
    if (rc == RFT_OK) {
        rc = rft_launching_queue(job, 0, job->request->spec->launch_count, err);
    }
    return rc == RFT_OK ? job->p->gpu->vt->sync(job->p->gpu, err) : rc;
}

/* A device that may not count once may not at all; one that has counted, and fails now, fails over this point. */
static bool is_refusal(const rft_protocol *p, int rc) {
    return !p->counting.has_counted && (rc == RFT_E_LIMIT || rc == RFT_E_NOT_FOUND);
}

static int carry_out(rft_point_job *job, const rft_counter_set *set, rft_count_result *out, rft_err *err) {
    rft_protocol *p = job->p;
    rft_err failure = RFT_ERR_INIT;
    int rc = prepare(job, &failure);
    bool counting = rc == RFT_OK && !job->failed;
    if (counting) {
        rc = count_passes(job, set, &out->counters, &failure);
    }
    p->code.used = job->module;
    if (p->gpu->vt->sticky(p->gpu)) {
        p->dead = true;
        p->death = failure;
        out->counters = rft_counters_refused(
            set, rft_arena_printf(job->arena, "the counted launch failed: %s", failure.message), job->arena);
    } else if (counting && is_refusal(p, rc)) {
        *err = failure;
        return rc;
    } else if (rc != RFT_OK || job->failed) {
        const char *reason = rc == RFT_OK ? job->out->reason : failure.message;
        out->counters = rft_counters_refused(set, reason, job->arena);
    } else {
        p->counting.has_counted = out->counters.passes > 0 || p->counting.has_counted;
        rft_counters_check(&out->counters, &p->info, job->arena);
    }
    return RFT_OK;
}

int rft_count_point(rft_protocol *p, const rft_probe_request *request, const rft_counter_set *set, rft_arena *arena,
                    rft_count_result *out, rft_err *err) {
    int rc = open_counting(p, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rft_probe_result unused;
    rft_point_job job = {.p = p,
                         .request = request,
                         .arena = arena,
                         .out = &unused,
                         .started_ns = p->clock->monotonic_ns(p->clock->self)};
    rc = carry_out(&job, set, out, err);
    p->sampling.last_active_ns = p->clock->monotonic_ns(p->clock->self);
    return rc;
}
