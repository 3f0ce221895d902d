/* SPDX-License-Identifier: Apache-2.0 */
/* Reducing kernels: what of 65,536 partial results reaches the host is 32 a verdict, read all at once. */
#include "measure/protocol.h"

#include <assert.h>
#include <stdlib.h>

/* Layouts and numbers of device/compare.cu. */
typedef struct magnitude_partial {
    double sum;
    uint64_t count;
} magnitude_partial;
typedef struct compare_partial {
    double worst;
    uint64_t index, wrong;
    double got, want;
} compare_partial;
static_assert(sizeof(compare_partial) <= RFT_PARTIAL_BYTES, "room for partial results");
static_assert(RFT_PARTIAL_COUNT % RFT_HALF_COUNT == 0 && RFT_HALF_COUNT % RFT_VERDICT_COUNT == 0,
              "folds come out even");
enum { FOLD_MAGNITUDE, FOLD_COMPARE, FOLD_CHECKSUM };

static const rft_grid reducing = {RFT_PARTIAL_BLOCKS, RFT_PARTIAL_THREADS};

int rft_verdicts_take(rft_protocol *p, size_t slots, rft_err *err) {
    if (slots <= p->verdict_capacity) {
        return RFT_OK;
    }
    size_t capacity = slots < 16 ? 16 : slots;
    rft_device_ptr memory = 0;
    int rc = p->gpu->vt->alloc(p->gpu, capacity * RFT_VERDICT_BYTES, &memory, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (p->verdicts_device) {
        p->gpu->vt->free(p->gpu, p->verdicts_device);
    }
    p->verdicts_device = memory;
    p->verdicts = rft_realloc(p->verdicts, capacity, RFT_VERDICT_BYTES);
    p->verdict_capacity = capacity;
    return RFT_OK;
}

static int fold(rft_protocol *p, int what, rft_device_ptr from, rft_device_ptr to, rft_grid grid, uint32_t per,
                rft_err *err) {
    void *values[] = {&what, &from, &per, &to};
    return rft_kernel_launch(p, p->functions[RFT_BUILTIN_FOLD], grid, values, err);
}

/* A reducing kernel, which writes to p->partials, and its two folds. One after the other: the stream keeps order. */
static int reduce(rft_protocol *p, rft_builtin which, void **values, int what, size_t slot, rft_err *err) {
    rft_device_ptr half = p->partials + (uint64_t)RFT_PARTIAL_COUNT * RFT_PARTIAL_BYTES;
    rft_device_ptr verdict = p->verdicts_device + slot * RFT_VERDICT_BYTES;
    int rc = rft_kernel_launch(p, p->functions[which], reducing, values, err);
    if (rc == RFT_OK) {
        rft_grid spread = {RFT_HALF_COUNT / 32, 32}; /* over as many SMs as there are blocks: each reads little */
        rc = fold(p, what, p->partials, half, spread, RFT_PARTIAL_COUNT / RFT_HALF_COUNT, err);
    }
    if (rc == RFT_OK) {
        rc = fold(p, what, half, verdict, (rft_grid){1, RFT_VERDICT_COUNT}, RFT_HALF_COUNT / RFT_VERDICT_COUNT, err);
    }
    return rc;
}

static rft_type want_type(const rft_comparison *comparison) {
    return rft_type_significand_bits(comparison->type) == 0 ? comparison->type : RFT_TYPE_F64;
}

int rft_verdicts_queue_compare(rft_protocol *p, const rft_comparison *comparison, size_t slot, rft_err *err) {
    rft_comparison c = *comparison;
    int got_number = (int)c.type, want_number = (int)want_type(comparison);
    void *values[] = {&c.got, &got_number, &c.want, &want_number, &c.count, &c.tol, &c.scale, &p->partials};
    return reduce(p, RFT_BUILTIN_COMPARE, values, FOLD_COMPARE, slot, err);
}

int rft_verdicts_queue_checksum(rft_protocol *p, rft_device_ptr data, uint64_t bytes, size_t slot, rft_err *err) {
    uint64_t words = bytes / sizeof(uint64_t);
    void *values[] = {&data, &words, &p->partials};
    return reduce(p, RFT_BUILTIN_CHECKSUM, values, FOLD_CHECKSUM, slot, err);
}

int rft_verdicts_queue_scale(rft_protocol *p, const rft_comparison *comparison, size_t slot, rft_err *err) {
    rft_comparison c = *comparison;
    int want_number = (int)want_type(comparison);
    void *values[] = {&c.want, &want_number, &c.count, &p->partials};
    return reduce(p, RFT_BUILTIN_MAGNITUDE, values, FOLD_MAGNITUDE, slot, err);
}

int rft_verdicts_read(rft_protocol *p, size_t slots, rft_err *err) {
    return p->gpu->vt->read(p->gpu, p->verdicts, p->verdicts_device, slots * RFT_VERDICT_BYTES, err);
}

static const void *verdict_of(const rft_protocol *p, size_t slot) {
    return p->verdicts + slot * RFT_VERDICT_BYTES;
}

rft_difference rft_verdict_difference(const rft_protocol *p, size_t slot) {
    const compare_partial *partials = verdict_of(p, slot);
    rft_difference out = {.worst_frac = -1.0};
    for (size_t i = 0; i < RFT_VERDICT_COUNT; i++) {
        const compare_partial *partial = &partials[i];
        bool earlier = partial->worst == out.worst_frac && partial->index < out.index;
        out.wrong_count += partial->wrong;
        if (partial->worst > out.worst_frac || (earlier && partial->worst >= 0.0)) {
            out.worst_frac = partial->worst;
            out.index = partial->index;
            out.got = partial->got;
            out.want = partial->want;
        }
    }
    return out;
}

uint64_t rft_verdict_checksum(const rft_protocol *p, size_t slot) {
    const uint64_t *partials = verdict_of(p, slot);
    uint64_t sum = 0;
    for (size_t i = 0; i < RFT_VERDICT_COUNT; i++) {
        sum += partials[i];
    }
    return sum;
}

double rft_verdict_scale(const rft_protocol *p, size_t slot) {
    const magnitude_partial *partials = verdict_of(p, slot);
    double sum = 0.0;
    uint64_t finite = 0;
    for (size_t i = 0; i < RFT_VERDICT_COUNT; i++) {
        sum += partials[i].sum;
        finite += partials[i].count;
    }
    return finite ? sum / (double)finite : 0.0;
}

int rft_kernel_checksum(rft_protocol *p, rft_device_ptr data, uint64_t bytes, uint64_t *out, rft_err *err) {
    int rc = rft_verdicts_take(p, 1, err);
    if (rc == RFT_OK) {
        rc = rft_verdicts_queue_checksum(p, data, bytes, 0, err);
    }
    if (rc == RFT_OK) {
        rc = rft_verdicts_read(p, 1, err);
    }
    *out = rc == RFT_OK ? rft_verdict_checksum(p, 0) : 0;
    return rc;
}
