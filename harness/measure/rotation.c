/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a point's buffers that runs use in turn (docs/measuring.md, "Cold, hot or rotating"). */
#include "measure/rotation.h"
#include "measure/buffers.h"
#include "measure/sampling.h"

#include "base/units.h"

#define COPY_ALIGNMENT 512ull /* at least what the driver gives to an allocation of its own */
#define CACHES 2ull           /* the copies together are larger than this many L2 */

void rft_rotation_drop(rft_protocol *p) {
    if (p->kept.copies) {
        p->gpu->vt->free(p->gpu, p->kept.copies);
        p->kept.copies = 0;
        p->kept.copies_bytes = 0;
    }
}

static bool argument_has(const rft_arg *arg, size_t buffer) {
    bool has = (arg->kind == RFT_ARG_BUFFER || arg->kind == RFT_ARG_TENSOR_MAP) && arg->buffer == buffer;
    for (size_t i = 0; i < arg->field_count && !has; i++) {
        has = argument_has(&arg->fields[i], buffer);
    }
    return has;
}

static bool launch_has(const rft_launch *launch, size_t buffer) {
    bool has =
        launch->kind == RFT_LAUNCH_VENDOR || (launch->kind == RFT_LAUNCH_MEMSET && launch->memset_buffer == buffer);
    for (size_t i = 0; i < launch->arg_count && !has; i++) {
        has = argument_has(&launch->args[i], buffer);
    }
    return has || (launch->window.bytes && launch->window.buffer == buffer);
}

/* Of a copy of the buffer, bytes. None of constants, which are where the code has them, nor of what no timed launch
 * gets (weights before `prepare` packs them): copies of that would be as if the cache were larger. */
static uint64_t room_of(const rft_point_job *job, size_t buffer) {
    const rft_point_spec *spec = job->request->spec;
    const rft_kept *kept = job->kept[buffer];
    bool has = false;
    for (size_t i = 0; i < spec->launch_count && !has && kept->role != RFT_BUFFER_CONSTANT; i++) {
        has = launch_has(&spec->launches[i], buffer);
    }
    return has ? (rft_kept_data_bytes(kept) + COPY_ALIGNMENT - 1) / COPY_ALIGNMENT * COPY_ALIGNMENT : 0;
}

/* Room for all copies but the first, which is the buffers themselves. */
static int take_copies(rft_point_job *job, uint64_t need_bytes, rft_err *err) {
    rft_protocol *p = job->p;
    if (p->kept.copies_bytes >= need_bytes) {
        return RFT_OK;
    }
    rft_rotation_drop(p);
    int rc = p->gpu->vt->alloc(p->gpu, need_bytes, &p->kept.copies, err);
    if (rc == RFT_OK) {
        p->kept.copies_bytes = need_bytes;
    } else if (rc == RFT_E_LIMIT) {
        uint64_t free_bytes = 0;
        char need[32], have[32];
        p->kept.copies = 0;
        rc = p->gpu->vt->memory_free(p->gpu, &free_bytes, err);
        rft_units_format_bytes(need, sizeof need, need_bytes);
        rft_units_format_bytes(have, sizeof have, free_bytes);
        return rc != RFT_OK
                   ? rc
                   : rft_point_job_fail(job, RFT_OUTCOME_SKIPPED,
                                        "measure.cache = \"rotating\" needs %s for %zu more copies of the buffers, "
                                        "%s are free; \"cold\" needs none",
                                        need, job->set_count - 1, have);
    }
    return rc;
}

/* As the verified run left the buffers, inouts as they were before it. Then what is there is doubled until it is
 * enough: thousands of copies of small buffers are a few large ones. */
static int fill_copies(rft_point_job *job, rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    uint64_t done_bytes = job->set_bytes, all_bytes = (job->set_count - 1) * job->set_bytes;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < job->request->spec->buffer_count; i++) {
        const rft_kept *kept = job->kept[i];
        rft_device_ptr from = kept->role == RFT_BUFFER_INOUT ? kept->original : kept->data;
        if (job->set_rooms[i] > 0) {
            rc = gpu->vt->copy(gpu, job->p->kept.copies + job->set_offsets[i], from, rft_kept_data_bytes(kept), err);
        }
    }
    while (rc == RFT_OK && done_bytes < all_bytes) {
        uint64_t more_bytes = all_bytes - done_bytes < done_bytes ? all_bytes - done_bytes : done_bytes;
        rc = gpu->vt->copy(gpu, job->p->kept.copies + done_bytes, job->p->kept.copies, more_bytes, err);
        done_bytes += more_bytes;
    }
    return rc == RFT_OK ? rft_timing_flush(job->p, err) : rc; /* no dirty lines of these copies in the samples */
}

/* The least that is not below. */
static size_t power_of_two(size_t count) {
    size_t power = 1;
    while (power < count) {
        power *= 2;
    }
    return power;
}

int rft_rotation_take(rft_point_job *job, rft_err *err) {
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
    job->set_rooms = rft_arena_calloc(job->arena, spec->buffer_count + 1, sizeof *job->set_rooms);
    for (size_t i = 0; i < spec->buffer_count; i++) {
        job->set_offsets[i] = job->set_bytes;
        job->set_rooms[i] = room_of(job, i);
        job->set_bytes += job->set_rooms[i];
    }
    if (job->set_bytes == 0 || job->set_bytes > cache_bytes) {
        return RFT_OK; /* one is enough: nothing of its beginning is left at its end */
    }
    job->set_count = (size_t)(cache_bytes / job->set_bytes) + 1;
    if (job->request->measure.mode == RFT_TIMING_GRAPH) {
        job->set_count = power_of_two(job->set_count); /* as runs of a graph are: graphs take turns evenly */
    }
    int rc = take_copies(job, (job->set_count - 1) * job->set_bytes, err);
    return rc == RFT_OK && !job->failed ? fill_copies(job, err) : rc;
}

static rft_device_ptr address_of(const rft_point_job *job, size_t buffer, size_t set) {
    return set == 0 || job->set_rooms[buffer] == 0
               ? job->kept[buffer]->data
               : job->p->kept.copies + (set - 1) * job->set_bytes + job->set_offsets[buffer];
}

static int aim_launch(rft_point_job *job, const rft_launch *launch, rft_gpu_launch *bound, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < launch->arg_count; i++) {
        rc = rft_point_job_put_argument(job, &launch->args[i], bound->values[i], err);
    }
    if (launch->window.bytes) {
        bound->window_base = job->data[launch->window.buffer] + launch->window.offset_bytes;
    }
    return rc;
}

int rft_rotation_next(rft_point_job *job, rft_err *err) {
    const rft_point_spec *spec = job->request->spec;
    int rc = RFT_OK;
    job->stale_sets += job->stale_sets < job->set_count;
    if (job->set_count < 2) {
        return RFT_OK;
    }
    job->set = (job->set + 1) % job->set_count;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (job->set_rooms[i] > 0) {
            job->data[i] = address_of(job, i, job->set);
        }
    }
    for (size_t i = 0; rc == RFT_OK && i < spec->launch_count; i++) {
        if (spec->launches[i].kind == RFT_LAUNCH_KERNEL) {
            rc = aim_launch(job, &spec->launches[i], &job->launches[i], err);
        }
    }
    return rc;
}

void rft_rotation_pass(rft_point_job *job, size_t sets) {
    size_t stale = job->stale_sets + sets;
    job->set = (job->set + sets) % job->set_count;
    job->stale_sets = stale < job->set_count ? stale : job->set_count;
}

int rft_rotation_begin(rft_point_job *job, rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    int rc = RFT_OK;
    for (size_t k = 0; rc == RFT_OK && k < job->stale_sets; k++) {
        size_t set = job->set >= k ? job->set - k : job->set + job->set_count - k;
        for (size_t i = 0; rc == RFT_OK && i < job->request->spec->buffer_count; i++) {
            const rft_kept *kept = job->kept[i];
            if (kept->role == RFT_BUFFER_INOUT) {
                rc = gpu->vt->copy(gpu, address_of(job, i, set), kept->original, rft_kept_data_bytes(kept), err);
            }
        }
    }
    job->stale_sets = 0;
    return rc == RFT_OK ? rft_rotation_next(job, err) : rc;
}
