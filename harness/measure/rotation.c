/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a point's buffers that runs use in turn (docs/measuring.md, "Cold, hot or rotating"). */
#include "measure/protocol.h"

#include "base/units.h"

#define ALIGNMENT 512ull /* at least what the driver gives to an allocation of its own */
#define CACHES 2ull      /* the copies together are larger than this many L2 */

static uint64_t bytes_of(const rft_kept *kept) {
    return kept->count * rft_type_bytes(kept->type);
}

static uint64_t room_of(const rft_kept *kept) {
    return (bytes_of(kept) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void rft_rotation_drop(rft_protocol *p) {
    if (p->copies) {
        p->gpu->vt->free(p->gpu, p->copies);
        p->copies = 0;
        p->copies_bytes = 0;
    }
}

/* Room for all copies but the first, which is the buffers themselves. */
static int take_room(rft_job *job, uint64_t need_bytes, rft_err *err) {
    rft_protocol *p = job->p;
    if (p->copies_bytes >= need_bytes) {
        return RFT_OK;
    }
    rft_rotation_drop(p);
    int rc = p->gpu->vt->alloc(p->gpu, need_bytes, &p->copies, err);
    if (rc == RFT_OK) {
        p->copies_bytes = need_bytes;
    } else if (rc == RFT_E_LIMIT) {
        uint64_t free_bytes = 0;
        char need[32], have[32];
        p->copies = 0;
        rc = p->gpu->vt->memory_free(p->gpu, &free_bytes, err);
        rft_units_format_bytes(need, sizeof need, need_bytes);
        rft_units_format_bytes(have, sizeof have, free_bytes);
        return rc != RFT_OK ? rc
                            : rft_job_fail(job, RFT_OUTCOME_SKIPPED,
                                           "measure.cache = \"rotating\" needs %s for %zu more copies of the buffers, "
                                           "%s are free; \"cold\" needs none",
                                           need, job->set_count - 1, have);
    }
    return rc;
}

/* As the verified run left the buffers, inouts as they were before it. Then what is there is doubled until it is
 * enough: thousands of copies of small buffers are a few large ones. */
static int fill(rft_job *job, rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    uint64_t done_bytes = job->set_bytes, all_bytes = (job->set_count - 1) * job->set_bytes;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < job->request->spec->buffer_count; i++) {
        const rft_kept *kept = job->kept[i];
        rft_device_ptr from = kept->role == RFT_BUFFER_INOUT ? kept->original : kept->data;
        rc = gpu->vt->copy(gpu, job->p->copies + job->set_offsets[i], from, bytes_of(kept), err);
    }
    while (rc == RFT_OK && done_bytes < all_bytes) {
        uint64_t more_bytes = all_bytes - done_bytes < done_bytes ? all_bytes - done_bytes : done_bytes;
        rc = gpu->vt->copy(gpu, job->p->copies + done_bytes, job->p->copies, more_bytes, err);
        done_bytes += more_bytes;
    }
    return rc == RFT_OK ? rft_timing_flush(job->p, err) : rc; /* no dirty lines of these copies in the samples */
}

int rft_rotation_take(rft_job *job, rft_err *err) {
    const rft_point_spec *spec = job->request->spec;
    uint64_t cache_bytes = job->p->info.l2_bytes > 0 ? CACHES * (uint64_t)job->p->info.l2_bytes : 0;
    job->set = 0;
    job->set_count = 1;
    job->stale_sets = 1;
    if (job->request->measure.cache != RFT_CACHE_ROTATING) {
        return RFT_OK;
    }
    job->set_bytes = 0;
    job->set_offsets = rft_arena_calloc(job->arena, spec->buffer_count + 1, sizeof *job->set_offsets);
    for (size_t i = 0; i < spec->buffer_count; i++) {
        job->set_offsets[i] = job->set_bytes;
        job->set_bytes += room_of(job->kept[i]);
    }
    if (job->set_bytes == 0 || job->set_bytes > cache_bytes) {
        return RFT_OK; /* one is enough: nothing of its beginning is left at its end */
    }
    job->set_count = (size_t)(cache_bytes / job->set_bytes) + 1;
    int rc = take_room(job, (job->set_count - 1) * job->set_bytes, err);
    return rc == RFT_OK && !job->failed ? fill(job, err) : rc;
}

static rft_device_ptr address_of(const rft_job *job, size_t buffer, size_t set) {
    return set == 0 ? job->kept[buffer]->data : job->p->copies + (set - 1) * job->set_bytes + job->set_offsets[buffer];
}

static int aim_launch(rft_job *job, const rft_launch *launch, rft_gpu_launch *bound, rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < launch->arg_count; i++) {
        const rft_arg *arg = &launch->args[i];
        if (arg->kind == RFT_ARG_BUFFER) {
            *(rft_device_ptr *)bound->values[i] = job->data[arg->buffer] + arg->offset_bytes;
        } else if (arg->kind == RFT_ARG_TENSOR_MAP) {
            rc = gpu->vt->tensor_map(gpu, &arg->map, job->kept[arg->buffer]->type, job->data[arg->buffer],
                                     bound->values[i], err);
        }
    }
    if (launch->window.bytes) {
        bound->window_base = job->data[launch->window.buffer] + launch->window.offset_bytes;
    }
    return rc;
}

int rft_rotation_next(rft_job *job, rft_err *err) {
    const rft_point_spec *spec = job->request->spec;
    int rc = RFT_OK;
    job->stale_sets += job->stale_sets < job->set_count;
    if (job->set_count < 2) {
        return RFT_OK;
    }
    job->set = (job->set + 1) % job->set_count;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        job->data[i] = address_of(job, i, job->set);
    }
    for (size_t i = 0; rc == RFT_OK && i < spec->launch_count; i++) {
        if (spec->launches[i].kind == RFT_LAUNCH_KERNEL) {
            rc = aim_launch(job, &spec->launches[i], &job->launches[i], err);
        }
    }
    return rc;
}

int rft_rotation_begin(rft_job *job, rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    int rc = RFT_OK;
    for (size_t k = 0; rc == RFT_OK && k < job->stale_sets; k++) {
        size_t set = job->set >= k ? job->set - k : job->set + job->set_count - k;
        for (size_t i = 0; rc == RFT_OK && i < job->request->spec->buffer_count; i++) {
            const rft_kept *kept = job->kept[i];
            if (kept->role == RFT_BUFFER_INOUT) {
                rc = gpu->vt->copy(gpu, address_of(job, i, set), kept->original, bytes_of(kept), err);
            }
        }
    }
    job->stale_sets = 0;
    return rc == RFT_OK ? rft_rotation_next(job, err) : rc;
}
