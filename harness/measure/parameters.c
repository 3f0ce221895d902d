/* SPDX-License-Identifier: Apache-2.0 */
/* The driver answers a launch with too few arguments by CUDA_ERROR_INVALID_VALUE at best. This says what is wrong. */
#include "measure/protocol.h"

#include "base/str.h"

static void add_scalar(rft_str *text, const rft_arg *arg) {
    rft_str_addf(text, "one %s", rft_type_name(arg->type));
}

static void add_separator(rft_str *text) {
    rft_str_add(text, text->length ? ", " : "");
}

static int compare(rft_job *job, rft_function *function, const char *who, size_t given, const rft_str *list,
                   rft_err *err) {
    int takes = 0;
    int rc = job->p->gpu->vt->function_params(job->p->gpu, function, &takes, err);
    if (rc != RFT_OK || takes < 0 || (size_t)takes <= given) {
        return rc; /* what is given beyond the last parameter is never read */
    }
    return rft_job_fail(job, RFT_OUTCOME_LAUNCH_FAILED, "%s takes %d parameter%s, %zu %s given%s%s", who, takes,
                        takes == 1 ? "" : "s", given, given == 1 ? "is" : "are", given ? ": " : "",
                        given ? rft_str_get(list) : "");
}

int rft_parameters_check(rft_job *job, rft_function *function, const rft_launch *launch, rft_err *err) {
    rft_str list = RFT_STR_INIT;
    for (size_t i = 0; i < launch->arg_count; i++) {
        const rft_arg *arg = &launch->args[i];
        add_separator(&list);
        if (arg->kind == RFT_ARG_SCALAR) {
            add_scalar(&list, arg);
        } else {
            rft_str_add(&list, arg->kind == RFT_ARG_BUFFER ? "" : "a tensor map of ");
            rft_str_add(&list, job->request->spec->buffers[arg->buffer].name);
        }
    }
    int rc = compare(job, function, launch->entry, launch->arg_count, &list, err);
    rft_str_clear(&list);
    return rc;
}

/* The names of the problem's dimensions stay with the coordinator: their values stand for them. */
int rft_parameters_check_reference(rft_job *job, rft_function *function, rft_err *err) {
    const rft_point_spec *spec = job->request->spec;
    rft_str list = RFT_STR_INIT;
    size_t given = 0;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (spec->buffers[i].role != RFT_BUFFER_TEMP) {
            add_separator(&list);
            rft_str_add(&list, spec->buffers[i].name);
            given++;
        }
    }
    rft_str_add(&list, given ? " (buffers)" : "");
    for (size_t i = 0; i < spec->check.problem_count; i++) {
        add_separator(&list);
        rft_value_format(&list, &spec->check.problem[i]);
    }
    rft_str_add(&list, spec->check.problem_count ? " (the problem, 64 bits each)" : "");
    given += spec->check.problem_count;
    int rc = compare(job, function, "the reference", given, &list, err);
    rft_str_clear(&list);
    return rc;
}
