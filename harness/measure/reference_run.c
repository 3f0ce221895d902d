/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/reference_run.h"
#include "measure/buffers.h"
#include "measure/device_kernels.h"
#include "measure/guards.h"
#include "measure/launching.h"
#include "measure/sampling.h"
#include "measure/verify.h"

#include "base/str.h"
#include "model/sweep/reference_spec.h"

#define LATE_POISON 0x5A /* not the outputs' own, so that two unwritten integers do not agree */

static bool is_judged(const rft_buffer *buffer) {
    return buffer->role == RFT_BUFFER_OUTPUT || buffer->role == RFT_BUFFER_INOUT;
}

static bool is_whole(rft_type type) {
    return rft_type_significand_bits(type) == 0;
}

/* Inouts hold their original values, outputs and scratch something that no reference leaves there. */
static int seed(rft_point_job *own, rft_err *err) {
    const rft_point_spec *spec = own->request->spec;
    rft_gpu *gpu = own->p->gpu;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < spec->buffer_count; i++) {
        const rft_kept *kept = own->kept[i];
        uint64_t bytes = spec->buffers[i].count * rft_type_bytes(spec->buffers[i].type);
        if (kept->role == RFT_BUFFER_OUTPUT || kept->role == RFT_BUFFER_TEMP) {
            rc = gpu->vt->set(gpu, own->data[i], is_whole(kept->type) ? LATE_POISON : 0xFF, bytes, err);
        } else if (kept->role == RFT_BUFFER_INOUT && is_whole(kept->type)) {
            rc = gpu->vt->copy(gpu, own->data[i], kept->original, bytes, err);
        } else if (kept->role == RFT_BUFFER_INOUT) {
            rc = rft_kernel_convert(own->p, own->data[i], kept->original, kept->type, kept->count, err);
        }
    }
    return rc;
}

static int run_kernels(rft_point_job *own, rft_err *err) {
    int rc = seed(own, err);
    rft_point_job_enter(own->of, RFT_PHASE_REFERENCE);
    if (rc == RFT_OK) {
        rc = rft_busy_begin(own->p, RFT_SPAN_REFERENCE, err);
    }
    if (rc == RFT_OK) {
        rc = rft_launching_queue(own, 0, own->request->spec->launch_count, err);
    }
    return rc == RFT_OK ? rft_busy_end(own->p, RFT_SPAN_REFERENCE, err) : rc;
}

/* What a variant wrote, as the comparison takes it. */
static int take_results(rft_point_job *own, rft_err *err) {
    const rft_point_spec *spec = own->request->spec;
    rft_gpu *gpu = own->p->gpu;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < spec->buffer_count; i++) {
        const rft_kept *kept = own->kept[i];
        if (!is_judged(&spec->buffers[i])) {
            continue;
        }
        rc = is_whole(kept->type)
                 ? gpu->vt->copy(gpu, kept->reference, kept->data, rft_kept_reference_bytes(kept), err)
                 : rft_kernel_convert(own->p, kept->reference, kept->data, kept->type, kept->count, err);
    }
    return rc;
}

/* As a point is run: over the point's own buffers, which are written again before anything else is looked at. */
static int run_variant(rft_point_job *own, rft_err *err) {
    static const rft_span_id within[] = {RFT_SPAN_PREPARE, RFT_SPAN_RUN, RFT_SPAN_COMPARE};
    bool has_truth = own->request->spec->check.reference != NULL;
    rft_point_job_enter(own->of, RFT_PHASE_REFERENCE);
    int rc = rft_busy_begin(own->p, RFT_SPAN_REFERENCE, err);
    if (rc == RFT_OK) {
        rc = has_truth ? rft_verify_point(own, err) : rft_verify_run(own, err);
    }
    if (rc == RFT_OK && !own->failed) {
        rc = take_results(own, err);
    }
    for (size_t i = 0; i < sizeof within / sizeof *within; i++) { /* they count once, within the reference's */
        own->p->busy.spans[within[i]].used = false;
    }
    return rc == RFT_OK ? rft_busy_end(own->p, RFT_SPAN_REFERENCE, err) : rc;
}

/* Behind the buffers' verdicts: bands around the point's buffers, and around the reference's scratch. */
#define BANDS 2

static int queue_judging(rft_point_job *job, rft_point_job *own, rft_err *err) {
    const rft_point_spec *spec = job->request->spec;
    rft_protocol *p = job->p;
    int rc = rft_verdicts_take(p, spec->buffer_count + BANDS, err);
    for (size_t i = 0; rc == RFT_OK && i < spec->buffer_count; i++) {
        const rft_kept *kept = job->kept[i];
        if (is_judged(&spec->buffers[i])) {
            rft_comparison comparison = {.want = kept->reference, .type = kept->type, .count = kept->count};
            rc = rft_verdicts_queue_scale(p, &comparison, i, err);
        } else if (kept->role == RFT_BUFFER_INPUT) {
            rc = rft_verdicts_queue_checksum(p, kept->data, rft_kept_data_bytes(kept), i, err);
        }
    }
    if (rc == RFT_OK) {
        rc = rft_guards_queue(job, spec->buffer_count, err);
    }
    return rc == RFT_OK ? rft_guards_queue(own, spec->buffer_count + 1, err) : rc;
}

/* The scale of each judged buffer, once for all configurations, and that nothing else was written. The only wait of a
 * reference. */
static int judge_traces(rft_point_job *job, rft_point_job *own, const char *who, rft_err *err) {
    const rft_point_spec *spec = job->request->spec;
    int rc = queue_judging(job, own, err);
    if (rc == RFT_OK) {
        rc = rft_verdicts_read(job->p, spec->buffer_count + BANDS, err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    rft_guards_judge(job, spec->buffer_count, who);
    if (!job->failed) {
        rft_guards_judge(own, spec->buffer_count + 1, who);
    }
    for (size_t i = 0; i < spec->buffer_count; i++) {
        rft_kept *kept = job->kept[i];
        if (is_judged(&spec->buffers[i])) {
            kept->scale = rft_verdict_scale(job->p, i);
        } else if (!job->failed && kept->role == RFT_BUFFER_INPUT &&
                   rft_verdict_checksum(job->p, i) != kept->checksum) {
            rft_point_job_fail(job, RFT_OUTCOME_WRONG_RESULT, "%s wrote to the input %s", who, kept->name);
        }
    }
    return RFT_OK;
}

static int run(rft_point_job *job, rft_point_job *own, const char *who, rft_err *err) {
    int rc = rft_launching_start(own, err);
    if (rc == RFT_OK && !own->failed) {
        rc = own->request->spec->is_variant ? run_variant(own, err) : run_kernels(own, err);
    }
    return rc == RFT_OK && !own->failed ? judge_traces(job, own, who, err) : rc;
}

static void end(rft_point_job *own) {
    if (own->p->gpu->vt->sticky(own->p->gpu)) {
        return;
    }
    rft_buffers_give_back(own);
    if (own->module) {
        own->p->gpu->vt->module_free(own->p->gpu, own->module);
    }
}

/* What went wrong with the reference is told of the point. */
static void hand_over(rft_point_job *job, const rft_point_job *own, const char *who) {
    if (own->failed && !job->failed) {
        bool wrong = own->out->outcome == RFT_OUTCOME_WRONG_RESULT;
        rft_point_job_fail(job, own->out->outcome, "%s%s: %s", who, wrong ? " is wrong itself" : "", own->out->reason);
    }
}

int rft_reference_run(rft_point_job *job, rft_err *err) {
    const rft_point_spec *spec = job->request->spec->check.reference;
    const rft_compile_result *compiled = job->request->reference;
    if (job->p->kept.reference_done) {
        return RFT_OK;
    }
    if (!spec || !compiled || !compiled->ok) {
        const char *log = compiled && !compiled->ok ? compiled->log : NULL;
        job->out->log = log ? rft_arena_strdup(job->arena, log) : NULL;
        return rft_point_job_fail(job, RFT_OUTCOME_WRONG_RESULT, "not verified: %s",
                                  log ? "the reference does not compile" : "there is no reference");
    }
    const char *who = rft_arena_printf(job->arena, "not verified: the reference %s", spec->told ? spec->told : "");
    rft_probe_request request = *job->request;
    request.spec = spec;
    request.unit = compiled;
    request.reference = job->request->truth;
    request.truth = NULL;
    request.enter = NULL;
    rft_probe_result result;
    rft_point_job own = {.p = job->p, .request = &request, .of = job, .arena = job->arena, .out = &result};
    own.started_ns = job->p->clock->monotonic_ns(job->p->clock->self);
    int rc = run(job, &own, who, err);
    end(&own);
    if (rc == RFT_OK) {
        hand_over(job, &own, who);
    }
    job->p->kept.reference_done = rc == RFT_OK && !job->failed;
    return rc == RFT_OK ? rc : rft_err_context(err, "the reference %s", rft_reference_spec_size(spec, job->arena));
}
