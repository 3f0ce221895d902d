/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/point_job.h"

#include "base/str.h"

#include <stdarg.h>

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

void rft_point_job_enter(rft_point_job *job, rft_phase phase) {
    if (job->request->enter) {
        job->request->enter(job->request->payload, phase);
    }
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
