/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/point_job.h"

#include "base/str.h"

#include <stdarg.h>
#include <string.h>

int rft_point_job_fail(rft_point_job *job, rft_outcome outcome, const char *format, ...) {
    rft_err text;
    va_list args;
    va_start(args, format);
    rft_err_setv(&text, RFT_E_INTERNAL, format, args);
    va_end(args);
    job->failed = true;
    job->out->outcome = outcome;
    job->out->reason = rft_arena_strdup(job->arena, text.message);
    return RFT_OK;
}

/* enter() may wait until the point is asked for: that wait does not count as the point's time. */
static void enter(rft_point_job *job, rft_phase phase, size_t buffer) {
    const rft_clock *clock = job->p->clock;
    if (job->request->enter) {
        const int64_t begun_ns = clock->monotonic_ns(clock->self);
        job->request->enter(job->request->payload, phase, buffer);
        job->started_ns += clock->monotonic_ns(clock->self) - begun_ns;
    }
}

void rft_point_job_enter(rft_point_job *job, rft_phase phase) {
    enter(job, phase, 0);
}

void rft_point_job_enter_fill(rft_point_job *job, size_t buffer) {
    enter(job, RFT_PHASE_FILL, buffer);
}

void rft_point_job_works(rft_point_job *job, bool timed) {
    if (job->request->works) {
        job->request->works(job->request->payload, timed);
    }
}

#define TENSOR_MAP_BYTES 128

uint64_t rft_argument_bytes(const rft_arg *arg) {
    return arg->kind == RFT_ARG_STRUCT       ? arg->bytes
           : arg->kind == RFT_ARG_TENSOR_MAP ? TENSOR_MAP_BYTES
           : arg->kind == RFT_ARG_SCALAR     ? sizeof arg->scalar
                                             : sizeof(rft_device_ptr);
}

static int put_struct(const rft_point_job *job, const rft_arg *arg, unsigned char *to, rft_err *err) {
    int rc = rft_text_to_bytes(arg->hex, to, arg->bytes)
                 ? RFT_OK
                 : rft_err_set(err, RFT_E_INTERNAL, "what a struct holds are no bytes");
    for (size_t i = 0; i < arg->field_count && rc == RFT_OK; i++) {
        rc = rft_point_job_put_argument(job, &arg->fields[i], to + arg->fields[i].at, err);
    }
    return rc;
}

int rft_point_job_put_argument(const rft_point_job *job, const rft_arg *arg, unsigned char *to, rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    if (arg->kind == RFT_ARG_STRUCT) {
        return put_struct(job, arg, to, err);
    }
    if (arg->kind == RFT_ARG_SCALAR) {
        memcpy(to, arg->scalar, sizeof arg->scalar);
        return RFT_OK;
    }
    if (arg->kind == RFT_ARG_BUFFER) {
        rft_device_ptr address = job->data[arg->buffer] + arg->offset_bytes;
        memcpy(to, &address, sizeof address);
        return RFT_OK;
    }
    const rft_buffer *buffer = &job->request->spec->buffers[arg->buffer];
    int rc = gpu->vt->tensor_map(gpu, &arg->map, buffer->type, job->data[arg->buffer], to, err);
    return rc == RFT_OK ? rc : rft_err_context(err, "tensor map over %s", buffer->name);
}

double rft_point_job_elapsed_s(const rft_point_job *job) {
    return (double)(job->p->clock->monotonic_ns(job->p->clock->self) - job->started_ns) * 1e-9;
}

bool rft_point_job_is_late(rft_point_job *job, const char *during) {
    double elapsed_s = rft_point_job_elapsed_s(job), limit_s = job->request->measure.point_timeout_s;
    if (elapsed_s <= limit_s) {
        return false;
    }
    rft_str text = RFT_STR_INIT;
    rft_str_add_fixed(&text, elapsed_s, 1);
    rft_str_addf(&text, " s have passed after %s, measure.timeout is ", during);
    rft_str_add_double(&text, limit_s);
    rft_point_job_fail(job, RFT_OUTCOME_TIMED_OUT, "%s s", rft_str_get(&text));
    rft_str_clear(&text);
    return true;
}
