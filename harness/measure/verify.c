/* SPDX-License-Identifier: Apache-2.0 */
/* Every element of every output against the reference, before anything is timed. */
#include "measure/verify.h"
#include "measure/buffers.h"
#include "measure/constant_data.h"
#include "measure/device_kernels.h"
#include "measure/guards.h"
#include "measure/launching.h"
#include "measure/sampling.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

#define REFERENCE_BLOCK 256
#define LATE_POISON 0x5A /* not the outputs' own, so that two unwritten integers do not agree */

static bool is_judged(const rft_buffer *buffer) {
    return buffer->role == RFT_BUFFER_OUTPUT || buffer->role == RFT_BUFFER_INOUT;
}

static bool is_unchanging(const rft_kept *kept) {
    return kept->role == RFT_BUFFER_INPUT || kept->role == RFT_BUFFER_CONSTANT;
}

static bool is_whole(rft_type type) {
    return rft_type_significand_bits(type) == 0;
}

/* The reference's arguments, in the order that model/sweep/spec.h fixes. NULL with an outcome when a dimension is text.
 */
static void **reference_arguments(rft_point_job *job) {
    const rft_point_spec *spec = job->request->spec;
    size_t count = 0;
    void **values = rft_arena_calloc(job->arena, spec->buffer_count + spec->check.problem_count + 1, sizeof *values);
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (rft_buffer_is_argument(&spec->buffers[i])) {
            rft_device_ptr *address = rft_arena_alloc(job->arena, sizeof *address);
            *address = is_judged(&spec->buffers[i]) ? job->kept[i]->reference : job->kept[i]->data;
            values[count++] = address;
        }
    }
    for (size_t i = 0; i < spec->check.problem_count; i++) {
        const rft_value *value = &spec->check.problem[i];
        if (value->kind == RFT_VALUE_TEXT) {
            rft_point_job_fail(job, RFT_OUTCOME_SKIPPED,
                               "problem dimension %zu is text, which no reference kernel can take", i + 1);
            return NULL;
        }
        values[count++] = value->kind == RFT_VALUE_REAL
                              ? rft_arena_memdup(job->arena, &value->as.real, sizeof value->as.real)
                              : rft_arena_memdup(job->arena, &value->as.integer, sizeof value->as.integer);
    }
    return values;
}

/* Inouts hold their original values, outputs something that no reference leaves there. */
static int seed_reference(rft_point_job *job, rft_err *err) {
    const rft_point_spec *spec = job->request->spec;
    rft_gpu *gpu = job->p->gpu;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < spec->buffer_count; i++) {
        const rft_kept *kept = job->kept[i];
        uint64_t bytes = rft_kept_reference_bytes(kept);
        if (kept->role == RFT_BUFFER_OUTPUT) {
            rc = gpu->vt->set(gpu, kept->reference, is_whole(kept->type) ? LATE_POISON : 0xFF, bytes, err);
        } else if (kept->role == RFT_BUFFER_INOUT && is_whole(kept->type)) {
            rc = gpu->vt->copy(gpu, kept->reference, kept->original, bytes, err);
        } else if (kept->role == RFT_BUFFER_INOUT) {
            rc = rft_kernel_convert(job->p, kept->reference, kept->original, kept->type, kept->count, err);
        }
    }
    return rc;
}

/* The scale of each judged buffer, once for all configurations. The only wait of a reference. */
static int read_scales(rft_point_job *job, rft_err *err) {
    const rft_point_spec *spec = job->request->spec;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < spec->buffer_count; i++) {
        if (is_judged(&spec->buffers[i])) {
            const rft_kept *kept = job->kept[i];
            rft_comparison comparison = {.want = kept->reference, .type = kept->type, .count = kept->count};
            rc = rft_verdicts_queue_scale(job->p, &comparison, i, err);
        }
    }
    if (rc == RFT_OK) {
        rc = rft_guards_queue(job, spec->buffer_count, err);
    }
    if (rc == RFT_OK) {
        rc = rft_verdicts_read(job->p, spec->buffer_count + 1, err);
    }
    if (rc == RFT_OK) {
        rft_guards_judge(job, spec->buffer_count, "not verified: the reference");
    }
    for (size_t i = 0; rc == RFT_OK && i < spec->buffer_count; i++) {
        if (is_judged(&spec->buffers[i])) {
            job->kept[i]->scale = rft_verdict_scale(job->p, i);
        }
    }
    return rc;
}

static uint64_t largest_output(const rft_point_spec *spec) {
    uint64_t largest = 0;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (is_judged(&spec->buffers[i]) && spec->buffers[i].count > largest) {
            largest = spec->buffers[i].count;
        }
    }
    return largest;
}

static int launch_reference(rft_point_job *job, rft_module *module, void **values, rft_err *err) {
    const rft_compile_result *reference = job->request->reference;
    rft_protocol *p = job->p;
    rft_function *function = NULL;
    uint64_t largest = largest_output(job->request->spec);
    uint64_t blocks = (largest + REFERENCE_BLOCK - 1) / REFERENCE_BLOCK;
    if (blocks > (uint64_t)p->info.max_grid[0]) {
        return rft_point_job_fail(job, RFT_OUTCOME_SKIPPED,
                                  "an output of %llu elements is too large for the reference's grid",
                                  (unsigned long long)largest);
    }
    int rc = p->gpu->vt->function(p->gpu, module, reference->entries[0].symbol, &function, err);
    if (rc == RFT_OK) {
        rc = rft_launching_check_reference(job, function, err);
    }
    if (rc != RFT_OK || job->failed) {
        return rc;
    }
    rc = seed_reference(job, err);
    rft_point_job_enter(job, RFT_PHASE_REFERENCE);
    if (rc == RFT_OK) {
        rc = rft_busy_begin(p, RFT_SPAN_REFERENCE, err);
    }
    if (rc == RFT_OK) {
        rc = rft_kernel_launch(p, function, (rft_grid_1d){(unsigned)blocks, REFERENCE_BLOCK}, values, err);
    }
    if (rc == RFT_OK) {
        rc = rft_busy_end(p, RFT_SPAN_REFERENCE, err);
    }
    return rc == RFT_OK ? read_scales(job, err) : rc;
}

static int run_reference(rft_point_job *job, rft_err *err) {
    const rft_compile_result *reference = job->request->reference;
    rft_gpu *gpu = job->p->gpu;
    if (job->p->kept.reference_done) {
        return RFT_OK;
    }
    if (!reference || !reference->ok || reference->entry_count == 0) {
        const char *log = reference && !reference->ok ? reference->log : NULL;
        job->out->log = log ? rft_arena_strdup(job->arena, log) : NULL;
        return rft_point_job_fail(job, RFT_OUTCOME_WRONG_RESULT, "not verified: %s",
                                  log ? "the reference does not compile" : "there is no reference");
    }
    void **values = reference_arguments(job);
    if (!values) {
        return RFT_OK;
    }
    rft_module *module = NULL;
    int rc = gpu->vt->module_load(gpu, reference->cubin, reference->cubin_bytes, &module, err);
    if (rc == RFT_OK) {
        rc = rft_constants_write(job, module, reference, RFT_CONSTANTS_OF_REFERENCE, err);
        if (rc == RFT_OK && !job->failed) {
            rc = launch_reference(job, module, values, err);
        }
        gpu->vt->module_free(gpu, module);
    }
    job->p->kept.reference_done = rc == RFT_OK && !job->failed;
    return rc == RFT_OK ? rc : rft_err_context(err, "the reference kernel");
}

/* One run from poisoned outputs, to its end. */
static int run_once(rft_point_job *job, rft_err *err) {
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
    if (rc == RFT_OK) {
        rc = rft_busy_begin(p, RFT_SPAN_RUN, err);
    }
    if (rc == RFT_OK) {
        rc = rft_launching_queue(job, 0, job->request->spec->launch_count, err);
    }
    if (rc == RFT_OK) {
        rc = rft_busy_end(p, RFT_SPAN_RUN, err);
    }
    if (rc == RFT_OK) {
        rc = rft_busy_span(p, RFT_SPAN_RUN, &job->run_s, err);
    }
    if (rc == RFT_OK) {
        rft_point_job_is_late(job, "its first run");
        rft_point_job_enter(job, RFT_PHASE_COMPARE);
    }
    return rc;
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
        rft_str_add(&text, " (not written, or computed as NaN)");
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
    rft_verification found = {.worst_frac = -1.0};
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

int rft_verify_point(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    int64_t begun_ns = p->clock->monotonic_ns(p->clock->self);
    if (job->request->verified) { /* by another request: one run, the first of the warm-up, says how long it takes */
        return run_once(job, err);
    }
    int rc = run_reference(job, err);
    if (rc == RFT_OK && !job->failed) {
        rc = run_once(job, err);
    }
    if (rc == RFT_OK && !job->failed) {
        rc = queue_judging(job, err);
        if (rc == RFT_OK) {
            rc = rft_verdicts_read(p, job->request->spec->buffer_count + 1, err);
        }
        if (rc == RFT_OK) {
            rc = judge_outputs(job);
        }
    }
    job->out->measurement.verify_s = rft_timing_since_s(p, begun_ns);
    return rc;
}
