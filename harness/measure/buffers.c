/* SPDX-License-Identifier: Apache-2.0 */
/* The point's buffers on the device. Inputs and reference results stay there while the problem stays the same. */
#include "measure/buffers.h"
#include "measure/device_kernels.h"
#include "measure/filling.h"
#include "measure/guards.h"
#include "measure/rotation.h"
#include "measure/sampling.h"

#include "base/str.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

/* The driver needs some memory for itself: local memory, printf buffers, module code. */
#define RESERVE_BYTES (32ull << 20)

static bool has_reference(rft_buffer_role role) {
    return role == RFT_BUFFER_OUTPUT || role == RFT_BUFFER_INOUT;
}

uint64_t rft_kept_data_bytes(const rft_kept *kept) {
    return kept->count * rft_type_bytes(kept->type);
}

uint64_t rft_kept_reference_bytes(const rft_kept *kept) {
    bool whole = rft_type_significand_bits(kept->type) == 0;
    return has_reference(kept->role) ? kept->count * (whole ? rft_type_bytes(kept->type) : sizeof(double)) : 0;
}

/* As rft_spec_memory_bytes() counts them. */
static uint64_t all_bytes(const rft_kept *kept) {
    uint64_t data_bytes = rft_spec_padded_bytes(rft_kept_data_bytes(kept));
    return data_bytes * (kept->role == RFT_BUFFER_INOUT ? 2 : 1) +
           (has_reference(kept->role) ? rft_spec_padded_bytes(rft_kept_reference_bytes(kept)) : 0);
}

void rft_kept_texts_free(rft_kept *kept) {
    free(kept->name);
    free((char *)kept->fill.identity);
}

static void release_kept(rft_protocol *p, rft_kept *kept) {
    rft_guards_free(p, kept->data, rft_kept_data_bytes(kept));
    rft_guards_free(p, kept->original, rft_kept_data_bytes(kept));
    rft_guards_free(p, kept->reference, rft_kept_reference_bytes(kept));
    rft_kept_texts_free(kept);
}

void rft_buffers_drop(rft_protocol *p) {
    rft_rotation_drop(p);
    for (size_t i = 0; i < p->kept.count; i++) {
        release_kept(p, &p->kept.buffers[i]);
    }
    p->kept.count = 0;
    p->kept.reference_done = false;
    free(p->kept.key);
    p->kept.key = NULL;
}

static bool is_kept_as(const rft_kept *kept, const rft_buffer *buffer) {
    return strcmp(kept->name, buffer->name) == 0 && kept->type == buffer->type && kept->count == buffer->count &&
           kept->role == buffer->role && rft_fill_equal(&kept->fill, &buffer->fill);
}

static rft_kept *find_kept(rft_protocol *p, const rft_buffer *buffer) {
    for (size_t i = 0; i < p->kept.count; i++) {
        if (is_kept_as(&p->kept.buffers[i], buffer)) {
            return &p->kept.buffers[i];
        }
    }
    return NULL;
}

static bool is_complete(rft_protocol *p, const rft_point_spec *spec) {
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (!find_kept(p, &spec->buffers[i])) {
            return false;
        }
    }
    return true;
}

/* Frees what this point has no use for. */
static void sift(rft_point_job *job) {
    rft_protocol *p = job->p;
    const rft_point_spec *spec = job->request->spec;
    const char *key = job->request->problem_key ? job->request->problem_key : "";
    const char *reference_hash = job->request->reference ? job->request->reference->cubin_hash : "";
    if (!rft_text_equal(p->kept.key, key) || p->kept.seed != job->request->measure.seed) {
        rft_buffers_drop(p);
        p->kept.key = rft_strdup(key);
        p->kept.seed = job->request->measure.seed;
    }
    if (!job->request->verified &&
        strcmp(p->kept.reference_hash, reference_hash) != 0) { /* a verified configuration brings none */
        memcpy(p->kept.reference_hash, reference_hash, strlen(reference_hash) + 1);
        p->kept.reference_done = false;
    }
    for (size_t i = 0; i < p->kept.count; i++) {
        p->kept.buffers[i].wanted = false;
    }
    for (size_t i = 0; i < spec->buffer_count; i++) {
        rft_kept *kept = find_kept(p, &spec->buffers[i]);
        if (kept) {
            kept->wanted = true;
        }
    }
    size_t left = 0;
    for (size_t i = 0; i < p->kept.count; i++) {
        if (p->kept.buffers[i].wanted) {
            p->kept.buffers[left++] = p->kept.buffers[i];
        } else { /* a reference may read a constant, or do without */
            p->kept.reference_done = p->kept.reference_done && p->kept.buffers[i].role != RFT_BUFFER_CONSTANT;
            release_kept(p, &p->kept.buffers[i]);
        }
    }
    p->kept.count = left;
}

static int skip_for_memory(rft_point_job *job, uint64_t need_bytes, uint64_t free_bytes) {
    char need[32], have[32];
    rft_units_format_bytes(need, sizeof need, need_bytes);
    rft_units_format_bytes(have, sizeof have, free_bytes);
    return rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "needs %s of %s free", need, have);
}

static int check_memory(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    uint64_t free_bytes = 0, kept_bytes = 0, need_bytes = rft_spec_memory_bytes(job->request->spec);
    uint64_t flush_bytes = p->sampling.flush_bytes ? 0 : 4 * (uint64_t)p->info.l2_bytes;
    rft_rotation_drop(p); /* of the last point: these buffers come first */
    int rc = p->gpu->vt->memory_free(p->gpu, &free_bytes, err);
    if (rc != RFT_OK) {
        return rc;
    }
    for (size_t i = 0; i < p->kept.count; i++) {
        kept_bytes += all_bytes(&p->kept.buffers[i]);
    }
    free_bytes += kept_bytes;
    uint64_t reserve = flush_bytes + (free_bytes > 16 * RESERVE_BYTES ? RESERVE_BYTES : 0);
    if (need_bytes > free_bytes || free_bytes - need_bytes < reserve) {
        return skip_for_memory(job, need_bytes, free_bytes);
    }
    return RFT_OK;
}

static int allocate(rft_protocol *p, rft_kept *kept, rft_err *err) {
    int rc = rft_guards_alloc(p, rft_kept_data_bytes(kept), &kept->data, err);
    if (rc == RFT_OK && kept->role == RFT_BUFFER_INOUT) {
        rc = rft_guards_alloc(p, rft_kept_data_bytes(kept), &kept->original, err);
    }
    if (rc == RFT_OK && has_reference(kept->role)) {
        rc = rft_guards_alloc(p, rft_kept_reference_bytes(kept), &kept->reference, err);
    }
    return rc;
}

/* A buffer that is not there yet, not filled so far. New contents or a new output make the reference results void. */
static int add_kept(rft_protocol *p, const rft_buffer *buffer, rft_err *err) {
    RFT_GROW(p->kept.buffers, p->kept.capacity, p->kept.count + 1);
    rft_kept *kept = &p->kept.buffers[p->kept.count++];
    *kept = (rft_kept){.name = rft_strdup(buffer->name),
                       .type = buffer->type,
                       .count = buffer->count,
                       .role = buffer->role,
                       .fill = buffer->fill};
    kept->fill.identity = buffer->fill.identity ? rft_strdup(buffer->fill.identity) : NULL;
    kept->fill.kernel = NULL; /* the point's, which goes */
    kept->fill.file = NULL;
    if (buffer->role != RFT_BUFFER_TEMP) {
        p->kept.reference_done = false;
    }
    return allocate(p, kept, err);
}

static void point_at_kept(rft_point_job *job) {
    const rft_point_spec *spec = job->request->spec;
    job->kept = rft_arena_calloc(job->arena, spec->buffer_count + 1, sizeof *job->kept);
    job->data = rft_arena_calloc(job->arena, spec->buffer_count + 1, sizeof *job->data);
    for (size_t i = 0; i < spec->buffer_count; i++) {
        job->kept[i] = find_kept(job->p, &spec->buffers[i]);
        job->data[i] = job->kept[i]->data;
    }
}

int rft_buffers_take(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    const rft_point_spec *spec = job->request->spec;
    sift(job);
    /* Asking for free memory takes the driver longer than everything else here: only when some is needed. */
    int rc = is_complete(p, spec) && p->sampling.flush_bytes ? RFT_OK : check_memory(job, err);
    if (rc != RFT_OK || job->failed) {
        return rc;
    }
    rc = rft_timing_take_flush(p, err);
    if (rc == RFT_OK) {
        rc = rft_verdicts_take(p, spec->buffer_count + 1, err); /* one is of what was written outside */
    }
    for (size_t i = 0; rc == RFT_OK && i < spec->buffer_count; i++) {
        if (!find_kept(p, &spec->buffers[i])) {
            rc = add_kept(p, &spec->buffers[i], err);
        }
    }
    if (rc == RFT_OK) {
        point_at_kept(job);
        rc = rft_filling_take(job, err);
    }
    if (rc == RFT_OK && job->failed) {
        rft_buffers_drop(p);
    }
    if (rc != RFT_OK) {
        rft_buffers_drop(p);
        if (rc == RFT_E_LIMIT) {
            uint64_t free_bytes = 0;
            rc = p->gpu->vt->memory_free(p->gpu, &free_bytes, err);
            return rc == RFT_OK ? skip_for_memory(job, rft_spec_memory_bytes(spec), free_bytes) : rc;
        }
    }
    return rc;
}

/* A variable of the code may have the name of a buffer: then it is another thing. */
static rft_kept *lent(const rft_point_job *of, const rft_buffer *buffer) {
    const rft_point_spec *spec = of->request->spec;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_buffer *its = &spec->buffers[i];
        bool alike = (its->role == RFT_BUFFER_CONSTANT) == (buffer->role == RFT_BUFFER_CONSTANT);
        if (alike && its->role != RFT_BUFFER_TEMP && strcmp(its->name, buffer->name) == 0) {
            return of->kept[i];
        }
    }
    return NULL;
}

static int take_scratch(rft_point_job *job, size_t i, rft_err *err) {
    const rft_buffer *buffer = &job->request->spec->buffers[i];
    rft_kept *kept = rft_arena_calloc(job->arena, 1, sizeof *kept);
    *kept = (rft_kept){.name = rft_arena_strdup(job->arena, buffer->name),
                       .type = buffer->type,
                       .count = buffer->count,
                       .role = RFT_BUFFER_TEMP};
    job->kept[i] = kept;
    int rc = rft_guards_alloc(job->p, rft_kept_data_bytes(kept), &kept->data, err);
    if (rc != RFT_E_LIMIT) {
        return rc;
    }
    char need[32];
    rft_units_format_bytes(need, sizeof need, rft_kept_data_bytes(kept));
    return rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "no memory for its %s of %s", kept->name, need);
}

int rft_buffers_borrow(rft_point_job *job, rft_err *err) {
    const rft_point_spec *spec = job->request->spec;
    int rc = rft_verdicts_take(job->p, spec->buffer_count + 1, err);
    job->kept = rft_arena_calloc(job->arena, spec->buffer_count + 1, sizeof *job->kept);
    job->data = rft_arena_calloc(job->arena, spec->buffer_count + 1, sizeof *job->data);
    for (size_t i = 0; rc == RFT_OK && !job->failed && i < spec->buffer_count; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        if (buffer->role == RFT_BUFFER_TEMP) {
            rc = take_scratch(job, i, err);
        } else if (!(job->kept[i] = lent(job->of, buffer))) {
            rc = rft_err_set(err, RFT_E_INTERNAL, "the point has no buffer %s", buffer->name);
        }
        if (rc == RFT_OK && !job->failed) {
            bool beside = has_reference(buffer->role) && !spec->is_variant;
            job->data[i] = beside ? job->kept[i]->reference : job->kept[i]->data;
        }
    }
    return rc;
}

void rft_buffers_give_back(rft_point_job *job) {
    const rft_point_spec *spec = job->request->spec;
    for (size_t i = 0; job->kept && i < spec->buffer_count; i++) {
        if (spec->buffers[i].role == RFT_BUFFER_TEMP && job->kept[i]) {
            rft_guards_free(job->p, job->kept[i]->data, rft_kept_data_bytes(job->kept[i]));
            job->kept[i]->data = 0;
        }
    }
}

/* 0xFF in every byte is a NaN in each floating-point type; 0xA5.. is an unlikely integer. */
int rft_buffers_poison(rft_point_job *job, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < job->request->spec->buffer_count; i++) {
        const rft_kept *kept = job->kept[i];
        if (kept->role == RFT_BUFFER_OUTPUT || kept->role == RFT_BUFFER_TEMP) {
            int byte = rft_type_significand_bits(kept->type) > 0 ? 0xFF : 0xA5;
            rc = job->p->gpu->vt->set(job->p->gpu, kept->data, byte, rft_kept_data_bytes(kept), err);
        }
    }
    return rc;
}

int rft_buffers_restore(rft_point_job *job, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < job->request->spec->buffer_count; i++) {
        const rft_kept *kept = job->kept[i];
        if (kept->role == RFT_BUFFER_INOUT) {
            rc = job->p->gpu->vt->copy(job->p->gpu, kept->data, kept->original, rft_kept_data_bytes(kept), err);
        }
    }
    return rc;
}
