/* SPDX-License-Identifier: Apache-2.0 */
/* The point's buffers on the device. Inputs and reference results stay there while the problem stays the same. */
#include "measure/protocol.h"

#include "base/str.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

/* The driver needs some memory for itself: local memory, printf buffers, module code. */
#define RESERVE_BYTES (32ull << 20)

static bool has_reference(rft_buffer_role role) {
    return role == RFT_BUFFER_OUTPUT || role == RFT_BUFFER_INOUT;
}

static uint64_t data_bytes(const rft_kept *kept) {
    return kept->count * rft_type_bytes(kept->type);
}

static uint64_t reference_bytes(const rft_kept *kept) {
    bool whole = rft_type_significand_bits(kept->type) == 0;
    return has_reference(kept->role) ? kept->count * (whole ? rft_type_bytes(kept->type) : sizeof(double)) : 0;
}

static uint64_t all_bytes(const rft_kept *kept) {
    return data_bytes(kept) * (kept->role == RFT_BUFFER_INOUT ? 2 : 1) + reference_bytes(kept);
}

static void free_memory(rft_protocol *p, rft_device_ptr memory) {
    if (memory) {
        p->gpu->vt->free(p->gpu, memory);
    }
}

static void release(rft_protocol *p, rft_kept *kept) {
    free_memory(p, kept->data);
    free_memory(p, kept->original);
    free_memory(p, kept->reference);
    free(kept->name);
}

void rft_buffers_drop(rft_protocol *p) {
    rft_rotation_drop(p);
    for (size_t i = 0; i < p->kept_count; i++) {
        release(p, &p->kept[i]);
    }
    p->kept_count = 0;
    p->reference_done = false;
    free(p->problem_key);
    p->problem_key = NULL;
}

static bool fits(const rft_kept *kept, const rft_buffer *buffer) {
    const rft_fill *a = &kept->fill, *b = &buffer->fill;
    return strcmp(kept->name, buffer->name) == 0 && kept->type == buffer->type && kept->count == buffer->count &&
           kept->role == buffer->role && a->kind == b->kind && a->low == b->low && a->high == b->high &&
           a->below == b->below && a->order == b->order;
}

static rft_kept *find(rft_protocol *p, const rft_buffer *buffer) {
    for (size_t i = 0; i < p->kept_count; i++) {
        if (fits(&p->kept[i], buffer)) {
            return &p->kept[i];
        }
    }
    return NULL;
}

static bool is_complete(rft_protocol *p, const rft_point_spec *spec) {
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (!find(p, &spec->buffers[i])) {
            return false;
        }
    }
    return true;
}

/* Frees what this point has no use for. */
static void sift(rft_job *job) {
    rft_protocol *p = job->p;
    const rft_point_spec *spec = job->request->spec;
    const char *key = job->request->problem_key ? job->request->problem_key : "";
    const char *reference_hash = job->request->reference ? job->request->reference->cubin_hash : "";
    if (!rft_text_equal(p->problem_key, key) || p->seed != job->request->measure.seed) {
        rft_buffers_drop(p);
        p->problem_key = rft_strdup(key);
        p->seed = job->request->measure.seed;
    }
    if (!job->request->verified && strcmp(p->reference_hash, reference_hash) != 0) { /* who is verified brings none */
        memcpy(p->reference_hash, reference_hash, strlen(reference_hash) + 1);
        p->reference_done = false;
    }
    for (size_t i = 0; i < p->kept_count; i++) {
        p->kept[i].wanted = false;
    }
    for (size_t i = 0; i < spec->buffer_count; i++) {
        rft_kept *kept = find(p, &spec->buffers[i]);
        if (kept) {
            kept->wanted = true;
        }
    }
    size_t left = 0;
    for (size_t i = 0; i < p->kept_count; i++) {
        if (p->kept[i].wanted) {
            p->kept[left++] = p->kept[i];
        } else {
            release(p, &p->kept[i]);
        }
    }
    p->kept_count = left;
}

static int skip_for_memory(rft_job *job, uint64_t need_bytes, uint64_t free_bytes) {
    char need[32], have[32];
    rft_units_format_bytes(need, sizeof need, need_bytes);
    rft_units_format_bytes(have, sizeof have, free_bytes);
    return rft_job_fail(job, RFT_OUTCOME_SKIPPED, "needs %s of %s free", need, have);
}

static int check_memory(rft_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    uint64_t free_bytes = 0, kept_bytes = 0, need_bytes = rft_spec_memory_bytes(job->request->spec);
    uint64_t flush_bytes = p->flush_bytes ? 0 : 4 * (uint64_t)p->info.l2_bytes;
    rft_rotation_drop(p); /* of the last point: these buffers come first */
    int rc = p->gpu->vt->memory_free(p->gpu, &free_bytes, err);
    if (rc != RFT_OK) {
        return rc;
    }
    for (size_t i = 0; i < p->kept_count; i++) {
        kept_bytes += all_bytes(&p->kept[i]);
    }
    free_bytes += kept_bytes;
    uint64_t reserve = flush_bytes + (free_bytes > 16 * RESERVE_BYTES ? RESERVE_BYTES : 0);
    if (need_bytes > free_bytes || free_bytes - need_bytes < reserve) {
        return skip_for_memory(job, need_bytes, free_bytes);
    }
    return RFT_OK;
}

/* The flush buffers outlive points; both have twice the size of the L2. */
int rft_buffers_take_flush(rft_protocol *p, rft_err *err) {
    if (p->flush_bytes || p->info.l2_bytes <= 0) {
        return RFT_OK;
    }
    uint64_t bytes = 2 * (uint64_t)p->info.l2_bytes;
    int rc = p->gpu->vt->alloc(p->gpu, bytes, &p->flush_out, err);
    if (rc == RFT_OK) {
        rc = p->gpu->vt->alloc(p->gpu, bytes, &p->flush_in, err);
    }
    if (rc == RFT_OK) {
        rc = p->gpu->vt->set(p->gpu, p->flush_in, 0x5A, bytes, err);
    }
    if (rc != RFT_OK) {
        free_memory(p, p->flush_out);
        free_memory(p, p->flush_in);
        p->flush_out = p->flush_in = 0;
        return rc;
    }
    p->flush_bytes = bytes;
    return RFT_OK;
}

static int allocate(rft_protocol *p, rft_kept *kept, rft_err *err) {
    int rc = p->gpu->vt->alloc(p->gpu, data_bytes(kept), &kept->data, err);
    if (rc == RFT_OK && kept->role == RFT_BUFFER_INOUT) {
        rc = p->gpu->vt->alloc(p->gpu, data_bytes(kept), &kept->original, err);
    }
    if (rc == RFT_OK && has_reference(kept->role)) {
        rc = p->gpu->vt->alloc(p->gpu, reference_bytes(kept), &kept->reference, err);
    }
    return rc;
}

/* A buffer that is not there yet. New contents or a new output make the reference results void. */
static int add(rft_protocol *p, const rft_buffer *buffer, rft_err *err) {
    RFT_GROW(p->kept, p->kept_capacity, p->kept_count + 1);
    rft_kept *kept = &p->kept[p->kept_count++];
    *kept = (rft_kept){.name = rft_strdup(buffer->name),
                       .type = buffer->type,
                       .count = buffer->count,
                       .role = buffer->role,
                       .fill = buffer->fill};
    if (buffer->role != RFT_BUFFER_TEMP) {
        p->reference_done = false;
    }
    int rc = allocate(p, kept, err);
    if (rc == RFT_OK && buffer->role == RFT_BUFFER_INPUT) {
        rc = rft_kernel_fill(p, buffer, p->seed, kept->data, err);
        if (rc == RFT_OK) {
            rc = rft_kernel_checksum(p, kept->data, data_bytes(kept), &kept->checksum, err);
        }
    } else if (rc == RFT_OK && buffer->role == RFT_BUFFER_INOUT) {
        rc = rft_kernel_fill(p, buffer, p->seed, kept->original, err);
    }
    return rc;
}

int rft_buffers_take(rft_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    const rft_point_spec *spec = job->request->spec;
    sift(job);
    /* Asking for free memory takes the driver longer than everything else here: only when some is needed. */
    int rc = is_complete(p, spec) && p->flush_bytes ? RFT_OK : check_memory(job, err);
    if (rc != RFT_OK || job->failed) {
        return rc;
    }
    rc = rft_buffers_take_flush(p, err);
    if (rc == RFT_OK) {
        rc = rft_verdicts_take(p, spec->buffer_count, err);
    }
    for (size_t i = 0; rc == RFT_OK && i < spec->buffer_count; i++) {
        if (!find(p, &spec->buffers[i])) {
            rc = add(p, &spec->buffers[i], err);
        }
    }
    if (rc != RFT_OK) {
        rft_buffers_drop(p);
        if (rc == RFT_E_LIMIT) {
            uint64_t free_bytes = 0;
            rc = p->gpu->vt->memory_free(p->gpu, &free_bytes, err);
            return rc == RFT_OK ? skip_for_memory(job, rft_spec_memory_bytes(spec), free_bytes) : rc;
        }
        return rc;
    }
    job->kept = rft_arena_calloc(job->arena, spec->buffer_count + 1, sizeof *job->kept);
    job->data = rft_arena_calloc(job->arena, spec->buffer_count + 1, sizeof *job->data);
    for (size_t i = 0; i < spec->buffer_count; i++) {
        job->kept[i] = find(p, &spec->buffers[i]);
        job->data[i] = job->kept[i]->data;
    }
    return RFT_OK;
}

/* 0xFF in every byte is a NaN in each floating-point type; 0xA5.. is an unlikely integer. */
int rft_buffers_poison(rft_job *job, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < job->request->spec->buffer_count; i++) {
        const rft_kept *kept = job->kept[i];
        if (kept->role == RFT_BUFFER_OUTPUT || kept->role == RFT_BUFFER_TEMP) {
            int byte = rft_type_significand_bits(kept->type) > 0 ? 0xFF : 0xA5;
            rc = job->p->gpu->vt->set(job->p->gpu, kept->data, byte, data_bytes(kept), err);
        }
    }
    return rc;
}

int rft_buffers_restore(rft_job *job, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < job->request->spec->buffer_count; i++) {
        const rft_kept *kept = job->kept[i];
        if (kept->role == RFT_BUFFER_INOUT) {
            rc = job->p->gpu->vt->copy(job->p->gpu, kept->data, kept->original, data_bytes(kept), err);
        }
    }
    return rc;
}
