/* SPDX-License-Identifier: Apache-2.0 */
/* A point whose launch is a call of the vendor's library: everything around the call is the protocol's own, so it is
 * verified and timed like a kernel. */
#include "measure/vendor_point.h"

#include "base/str.h"
#include "base/units.h"

#include <string.h>

/* The first line of a message (paths that were tried follow it), and what to do. */
static int skip(rft_point_job *job, const rft_err *why) {
    size_t length = strcspn(why->message, "\n");
    length -= length > 0 && why->message[length - 1] == ':' ? 1 : 0;
    return rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "%.*s%s%s", (int)length, why->message,
                              *why->remedy ? "; remedy: " : "", why->remedy);
}

/* Once: what is missing is missing for every point of this process. */
void rft_vendor_find(rft_protocol *p) {
    if (p->vendor.library || p->vendor.missing.code != RFT_OK) {
        return;
    }
    if (!p->vendor.source.open) {
        rft_err_set(&p->vendor.missing, RFT_E_NOT_FOUND, "no vendor library is opened here");
        return;
    }
    int rc = p->vendor.source.open(p->vendor.source.self, p->gpu, &p->vendor.library, &p->vendor.missing);
    if (rc != RFT_OK) {
        p->vendor.library = NULL;
    }
}

static rft_vendor_matmul matmul_of(const rft_point_job *job, const rft_vendor_call *call) {
    const rft_buffer *buffers = job->request->spec->buffers;
    return (rft_vendor_matmul){.math = call->math,
                               .d = buffers[call->d].type,
                               .m = call->m,
                               .n = call->n,
                               .k = call->k,
                               .a_order = call->a_order,
                               .b_order = call->b_order,
                               .d_order = call->d_order,
                               .exact_accumulation = call->exact_accumulation,
                               .a_e5m2 = buffers[call->a].type == RFT_TYPE_E5M2,
                               .b_e5m2 = buffers[call->b].type == RFT_TYPE_E5M2,
                               .scale = call->scale,
                               .epilogue = call->epilogue};
}

/* What the result says of the library and of the algorithm. */
static void describe_algo(rft_point_job *job, int algo) {
    const rft_protocol *p = job->p;
    const char *version = p->vendor.library->vt->version(p->vendor.library);
    job->out->library = rft_arena_strndup(job->arena, version, strcspn(version, ",")); /* the path is the machine's */
    job->out->algo = rft_arena_strdup(job->arena, p->vendor.plan->algos[algo].name);
    job->out->algo_count = (int)p->vendor.plan->algo_count;
}

static int take_workspace(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    uint64_t bytes = p->vendor.plan->workspace_bytes;
    int rc = bytes ? p->gpu->vt->alloc(p->gpu, bytes, &p->vendor.work, err) : RFT_OK;
    if (rc == RFT_E_LIMIT) {
        char need[32];
        rft_units_format_bytes(need, sizeof need, bytes);
        return rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "no memory for the library's workspace of %s", need);
    }
    return rc;
}

int rft_vendor_bind(rft_point_job *job, const rft_vendor_call *call, rft_err *err) {
    rft_protocol *p = job->p;
    rft_err why = RFT_ERR_INIT;
    if (p->vendor.plan) {
        return rft_err_set(err, RFT_E_INTERNAL, "a point calls the vendor's library once");
    }
    rft_vendor_find(p);
    if (!p->vendor.library) {
        return p->gpu->vt->sticky(p->gpu) ? rft_err_set(err, RFT_E_DEVICE, "%s", p->vendor.missing.message)
                                          : skip(job, &p->vendor.missing);
    }
    const rft_vendor_matmul matmul = matmul_of(job, call);
    int rc = p->vendor.library->vt->plan(p->vendor.library, &matmul, &p->vendor.plan, &why);
    if (rc == RFT_E_LIMIT) {
        return skip(job, &why);
    }
    if (rc != RFT_OK) {
        return rft_err_set(err, rc, "%s", why.message);
    }
    if (call->algo < 0 || (size_t)call->algo >= p->vendor.plan->algo_count) {
        return rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "the library's list has %zu algorithms, not %d",
                                  p->vendor.plan->algo_count, call->algo + 1);
    }
    describe_algo(job, call->algo);
    return take_workspace(job, err);
}

int rft_vendor_queue(rft_point_job *job, const rft_vendor_call *call, rft_err *err) {
    const rft_protocol *p = job->p;
    bool has_extra = call->epilogue != RFT_VENDOR_EPILOGUE_NONE;
    bool scaled = call->scale != RFT_VENDOR_SCALE_NONE;
    const rft_vendor_buffers buffers = {.a = job->data[call->a],
                                        .b = job->data[call->b],
                                        .d = job->data[call->d],
                                        .workspace = p->vendor.work,
                                        .extra = has_extra ? job->data[call->extra] : 0,
                                        .a_scale = scaled ? job->data[call->a_scale] : 0,
                                        .b_scale = scaled ? job->data[call->b_scale] : 0};
    return p->vendor.library->vt->launch(p->vendor.library, p->vendor.plan, (size_t)call->algo, &buffers, err);
}

void rft_vendor_rest(rft_protocol *p) {
    if (p->vendor.plan) {
        p->vendor.library->vt->plan_free(p->vendor.library, p->vendor.plan);
        p->vendor.plan = NULL;
    }
    if (p->vendor.work && !p->gpu->vt->sticky(p->gpu)) {
        p->gpu->vt->free(p->gpu, p->vendor.work);
    }
    p->vendor.work = 0;
}

void rft_vendor_close(rft_protocol *p) {
    rft_vendor_rest(p);
    if (p->vendor.library) {
        p->vendor.library->vt->close(p->vendor.library);
        p->vendor.library = NULL;
    }
}
