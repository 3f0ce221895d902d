/* SPDX-License-Identifier: Apache-2.0 */
/* Every element of every output against the reference, before anything is timed. */
#include "measure/verify.h"
#include "measure/buffers.h"
#include "measure/device_kernels.h"
#include "measure/guards.h"
#include "measure/launching.h"
#include "measure/reference_run.h"
#include "measure/sampling.h"
#include "measure/timing.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>
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

static int queue_comparison(rft_point_job *job, size_t buffer, size_t slot, rft_err *err) {
    const rft_kept *kept = job->kept[buffer];
    double tol = rft_spec_tolerance(job->request->spec, buffer);
    rft_comparison comparison = {kept->data, kept->reference, kept->type, kept->count, tol, kept->scale};
    return rft_verdicts_queue_compare(job->p, &comparison, slot, err);
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
            rc = queue_comparison(job, i, i, err);
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

/* `launch`: which of them, where it is launched again and again; 0: the verified run. */
static int fail_wrong(rft_point_job *job, int launch, const rft_verification *found) {
    rft_str text = RFT_STR_INIT;
    if (launch > 0) {
        rft_str_addf(&text, "launch %d of %d: ", launch, job->request->repeats);
    }
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
        return fail_wrong(job, 0, &found);
    }
    judge_inputs(job);
    return RFT_OK;
}

/* What judges is queued while it runs. Where the run fails, that does, too: the run's failure is told. */
static int run_and_judge(rft_point_job *job, rft_err *err) {
    rft_err unqueued = RFT_ERR_INIT;
    const int queued = queue_judging(job, &unqueued);
    rft_point_job_works(job, true);
    rft_launching_unload(job->p);
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
    rft_timing_foresee(job);
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

/* ---- launched again and again: what depends on who comes first shows now and then only ---- */

#define REPEATS_AT_ONCE 50 /* verdicts are read behind so many */

typedef struct repeats {
    rft_point_job *job;
    size_t outputs;   /* each with two verdicts a launch: its bits' checksum and the comparison */
    uint64_t *first;  /* checksums of the first launch; heap */
    int done, differ; /* launches; those whose bits are not the first's */
} repeats;

static size_t count_outputs(const rft_point_spec *spec) {
    size_t count = 0;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        count += is_judged(&spec->buffers[i]) ? 1 : 0;
    }
    return count;
}

/* From poisoned outputs, so that what one launch leaves out is not there from the one before. */
static int queue_repeat(const repeats *r, size_t slot, rft_err *err) {
    rft_point_job *job = r->job;
    const rft_point_spec *spec = job->request->spec;
    int rc = rft_buffers_poison(job, err);
    rc = rc == RFT_OK ? rft_buffers_restore(job, err) : rc;
    rc = rc == RFT_OK && spec->prepare_count > 0 ? rft_launching_queue_prepare(job, err) : rc;
    rc = rc == RFT_OK ? rft_launching_queue(job, 0, spec->launch_count, err) : rc;
    for (size_t i = 0; rc == RFT_OK && i < spec->buffer_count; i++) {
        const rft_kept *kept = job->kept[i];
        if (is_judged(&spec->buffers[i])) {
            uint64_t bytes = kept->count * rft_type_bytes(kept->type);
            rc = rft_verdicts_queue_checksum(job->p, kept->data, bytes, slot++, err);
            rc = rc == RFT_OK ? queue_comparison(job, i, slot++, err) : rc;
        }
    }
    return rc;
}

static void judge_repeat(repeats *r, size_t slot) {
    const rft_point_spec *spec = r->job->request->spec;
    rft_verification found = {.worst_frac = -1.0, .rms_frac = NAN};
    bool differs = false;
    size_t output = 0;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (!is_judged(&spec->buffers[i])) {
            continue;
        }
        uint64_t checksum = rft_verdict_checksum(r->job->p, slot++);
        rft_difference difference = rft_verdict_difference(r->job->p, slot++);
        r->first[output] = r->done == 0 ? checksum : r->first[output];
        differs = differs || checksum != r->first[output];
        output++;
        keep_worst(&found, &difference, r->job->kept[i], rft_spec_tolerance(spec, i));
    }
    r->done++;
    r->differ += differs ? 1 : 0;
    if (found.wrong_count > 0) {
        fail_wrong(r->job, r->done, &found);
    }
}

static int repeat_some(repeats *r, rft_err *err) {
    const int left = r->job->request->repeats - r->done, count = left < REPEATS_AT_ONCE ? left : REPEATS_AT_ONCE;
    const size_t each = 2 * r->outputs;
    int rc = RFT_OK;
    for (int i = 0; i < count && rc == RFT_OK; i++) {
        rc = queue_repeat(r, (size_t)i * each, err);
    }
    rc = rc == RFT_OK ? rft_verdicts_read(r->job->p, (size_t)count * each, err) : rc;
    for (int i = 0; i < count && rc == RFT_OK && !r->job->failed; i++) {
        judge_repeat(r, (size_t)i * each);
    }
    return rc;
}

int rft_verify_repeats(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    repeats r = {.job = job, .outputs = count_outputs(job->request->spec)};
    r.first = rft_calloc(r.outputs, sizeof *r.first);
    job->started_ns = p->clock->monotonic_ns(p->clock->self);
    rft_point_job_enter(job, RFT_PHASE_TIME);
    int rc = rft_verdicts_take(p, REPEATS_AT_ONCE * 2 * r.outputs, err);
    while (rc == RFT_OK && !job->failed && r.done < job->request->repeats) {
        rc = repeat_some(&r, err);
        if (rc == RFT_OK && !job->failed && r.done < job->request->repeats) {
            rft_point_job_is_late(job, "launching it again and again");
        }
    }
    free(r.first);
    rc = rc == RFT_OK && !job->failed ? queue_judging(job, err) : rc; /* of the last: inputs and padding, too */
    rc = rc == RFT_OK && !job->failed ? rft_verdicts_read(p, job->request->spec->buffer_count + 1, err) : rc;
    rc = rc == RFT_OK && !job->failed ? judge_outputs(job) : rc;
    job->out->repeats = r.done;
    job->out->repeats_differ = r.differ;
    return rc;
}
