/* SPDX-License-Identifier: Apache-2.0 */
/* Every element of every output against the reference, before anything is timed. */
#include "measure/verify.h"
#include "measure/buffers.h"
#include "measure/device_kernels.h"
#include "measure/guards.h"
#include "measure/launching.h"
#include "measure/reference_run.h"
#include "measure/sampling.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

static bool is_judged(const rft_buffer *buffer) {
    return buffer->role == RFT_BUFFER_OUTPUT || buffer->role == RFT_BUFFER_INOUT;
}

static bool is_unchanging(const rft_kept *kept) {
    return kept->role == RFT_BUFFER_INPUT || kept->role == RFT_BUFFER_CONSTANT;
}

/* Stamped where its time alone may tell that it is slower: not of a clock that was held down. */
static int queue_run(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    job->stamped = job->request->few.alone_s > 0.0 && !job->request->verified;
    int rc = job->stamped ? rft_timing_stamp_run(p, 0, err) : RFT_OK;
    int64_t begun_ns = p->clock->monotonic_ns(p->clock->self);
    rc = rc == RFT_OK ? rft_busy_begin(p, RFT_SPAN_RUN, err) : rc;
    rc = rc == RFT_OK ? rft_launching_queue(job, 0, job->request->spec->launch_count, err) : rc;
    rc = rc == RFT_OK ? rft_busy_end(p, RFT_SPAN_RUN, err) : rc;
    job->queue_s = rft_timing_since_s(p, begun_ns);
    return rc == RFT_OK && job->stamped ? rft_timing_stamp_run(p, 1, err) : rc;
}

static int queue_all(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    int rc = rft_buffers_poison(job, err);
    if (rc == RFT_OK) {
        rc = rft_buffers_restore(job, err);
    }
    rft_point_job_enter(job, RFT_PHASE_RUN);
    job->started_ns = p->clock->monotonic_ns(p->clock->self);
    if (rc == RFT_OK && job->request->spec->prepare_count > 0) {
        rc = rft_busy_begin(p, RFT_SPAN_PREPARE, err);
        if (rc == RFT_OK) {
            rc = rft_launching_queue_prepare(job, err);
        }
        if (rc == RFT_OK) {
            rc = rft_busy_end(p, RFT_SPAN_PREPARE, err);
        }
    }
    return rc == RFT_OK ? queue_run(job, err) : rc;
}

static int await_run(rft_point_job *job, rft_err *err) {
    int rc = rft_busy_span(job->p, RFT_SPAN_RUN, &job->run_s, err);
    if (rc == RFT_OK) {
        rft_point_job_is_late(job, "its first run");
        rft_point_job_enter(job, RFT_PHASE_COMPARE);
    }
    return rc;
}

int rft_verify_run(rft_point_job *job, rft_err *err) {
    int rc = queue_all(job, err);
    return rc == RFT_OK ? await_run(job, err) : rc;
}

/* A verdict for every output, inout (the comparison) and input (its checksum), in the buffers' order; then one of what
 * was written outside of all. */
static int queue_judging(rft_point_job *job, rft_err *err) {
    const rft_point_spec *spec = job->request->spec;
    rft_protocol *p = job->p;
    int rc = rft_busy_begin(p, RFT_SPAN_COMPARE, err);
    for (size_t i = 0; rc == RFT_OK && i < spec->buffer_count; i++) {
        const rft_kept *kept = job->kept[i];
        if (is_judged(&spec->buffers[i])) {
            rft_comparison comparison = {
                kept->data, kept->reference, kept->type, kept->count, rft_spec_tolerance(spec, i), kept->scale};
            rc = rft_verdicts_queue_compare(p, &comparison, i, err);
        } else if (is_unchanging(kept)) {
            rc = rft_verdicts_queue_checksum(p, job->data[i], kept->count * rft_type_bytes(kept->type), i, err);
        }
    }
    rc = rc == RFT_OK ? rft_guards_queue(job, spec->buffer_count, err) : rc;
    return rc == RFT_OK ? rft_busy_end(p, RFT_SPAN_COMPARE, err) : rc;
}

static void keep_worst(rft_verification *found, const rft_difference *difference, const rft_kept *kept, double tol) {
    found->wrong_count += difference->wrong_count;
    found->total_count += kept->count;
    if (found->buffer && !(difference->worst_frac > found->worst_frac)) {
        return;
    }
    found->buffer = kept->name;
    found->tol = tol;
    found->worst_frac = difference->worst_frac;
    found->rms_frac = sqrt(difference->squares / (double)kept->count);
    found->worst_abs_error = difference->got == difference->want ? 0.0 : fabs(difference->got - difference->want);
    found->got = difference->got;
    found->want = difference->want;
    found->index = difference->index;
}

static int fail_wrong(rft_point_job *job, const rft_verification *found) {
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%s[%llu] is ", found->buffer, (unsigned long long)found->index);
    rft_str_add_double(&text, found->got);
    rft_str_add(&text, ", the reference says ");
    rft_str_add_double(&text, found->want);
    if (isfinite(found->worst_frac)) {
        rft_str_add(&text, " (");
        rft_str_add_fixed(&text, found->worst_frac, 1);
        rft_str_add(&text, " times the tolerance)");
    } else if (isnan(found->got)) {
        rft_str_add(&text, isnan(found->want)
                               ? " (NaN on both sides: neither wrote it, or both read what nothing wrote: an output "
                                 "that is added to is an `inout`, reads outside are told by --sanitize; or the inputs "
                                 "lead to NaN)"
                               : " (not written, or computed as NaN)");
    }
    rft_str_addf(&text, "; %llu of %llu elements are wrong", (unsigned long long)found->wrong_count,
                 (unsigned long long)found->total_count);
    rft_point_job_fail(job, RFT_OUTCOME_WRONG_RESULT, "%s", rft_str_get(&text));
    rft_str_clear(&text);
    return RFT_OK;
}

/* A kernel that writes to its inputs would make every later configuration look wrong. */
static void judge_inputs(rft_point_job *job) {
    for (size_t i = 0; !job->failed && i < job->request->spec->buffer_count; i++) {
        const rft_kept *kept = job->kept[i];
        if (is_unchanging(kept) && rft_verdict_checksum(job->p, i) != kept->checksum) {
            rft_point_job_fail(job, RFT_OUTCOME_WRONG_RESULT, "the kernel wrote to its %s %s",
                               kept->role == RFT_BUFFER_CONSTANT ? "constant" : "input", kept->name);
        }
    }
}

static int judge_outputs(rft_point_job *job) {
    const rft_point_spec *spec = job->request->spec;
    rft_verification found = {.worst_frac = -1.0, .rms_frac = NAN};
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (is_judged(&spec->buffers[i])) {
            rft_difference difference = rft_verdict_difference(job->p, i);
            keep_worst(&found, &difference, job->kept[i], rft_spec_tolerance(spec, i));
        }
    }
    if (!found.buffer) {
        return rft_point_job_fail(job, RFT_OUTCOME_WRONG_RESULT, "not verified: there is no output to check");
    }
    found.done = true;
    found.buffer = rft_arena_strdup(job->arena, found.buffer);
    job->out->verification = found;
    rft_guards_judge(job, spec->buffer_count, "the kernel");
    if (!job->failed && found.wrong_count > 0) {
        return fail_wrong(job, &found);
    }
    judge_inputs(job);
    return RFT_OK;
}

/* What judges is queued while it runs. Where the run fails, that does, too: the run's failure is told. */
static int run_and_judge(rft_point_job *job, rft_err *err) {
    rft_err unqueued = RFT_ERR_INIT;
    const int queued = queue_judging(job, &unqueued);
    int rc = await_run(job, err);
    if (rc != RFT_OK || job->failed) {
        return rc;
    }
    if (queued != RFT_OK) {
        *err = unqueued;
        return queued;
    }
    if (job->run_s >= RFT_RACE_LONG_S) { /* else samples will take longer than comparing */
        rft_point_job_works(job, false);
    }
    rc = rft_verdicts_read(job->p, job->request->spec->buffer_count + 1, err);
    return rc == RFT_OK ? judge_outputs(job) : rc;
}

int rft_verify_point(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    int64_t begun_ns = p->clock->monotonic_ns(p->clock->self);
    if (job->request->verified) { /* by another request: one run, the first of the warm-up, says how long it takes */
        return rft_verify_run(job, err);
    }
    int rc = rft_reference_run(job, err);
    if (rc == RFT_OK && !job->failed) {
        rc = queue_all(job, err);
    }
    if (rc == RFT_OK && !job->failed) {
        rc = run_and_judge(job, err);
    }
    job->out->measurement.verify_s = rft_timing_since_s(p, begun_ns);
    return rc;
}
