/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/spec.h"

#include "base/hash.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

bool rft_fill_equal(const rft_fill *a, const rft_fill *b) {
    return a->kind == b->kind && a->low == b->low && a->high == b->high && a->below == b->below &&
           a->order == b->order && rft_text_equal(a->identity, b->identity);
}

uint64_t rft_fill_seed(const char *buffer, uint64_t seed) {
    uint64_t state = seed;
    return rft_random_next(&state) ^ rft_hash_fnv1a(buffer, strlen(buffer));
}

bool rft_buffer_is_argument(const rft_buffer *buffer) {
    return buffer->role != RFT_BUFFER_TEMP && buffer->role != RFT_BUFFER_CONSTANT;
}

double rft_spec_tolerance(const rft_point_spec *spec, size_t buffer) {
    const rft_check *check = &spec->check;
    if (check->buffer_tol != NULL && !isnan(check->buffer_tol[buffer])) {
        return check->buffer_tol[buffer];
    }
    if (!isnan(check->tol)) {
        return check->tol;
    }
    int bits = rft_type_significand_bits(spec->buffers[buffer].type);
    if (bits == 0) {
        return 0.0;
    }
    double length = check->length >= 1.0 ? check->length : 1.0;
    int accumulator_bits = bits > 24 ? bits : 24;
    return 2.0 * ldexp(1.0, -bits) + 8.0 * ldexp(1.0, -accumulator_bits) * sqrt(length);
}

#define PAGE_BYTES (2ull << 20) /* an allocation of at least half of one has pages of its own */

static bool has_own_pages(uint64_t bytes) {
    return bytes >= PAGE_BYTES / 2;
}

uint64_t rft_spec_padding_before(uint64_t bytes) {
    return has_own_pages(bytes) ? PAGE_BYTES : RFT_GUARD_BYTES;
}

uint64_t rft_spec_padded_bytes(uint64_t bytes) {
    uint64_t padded;
    if (__builtin_add_overflow(bytes, rft_spec_padding_before(bytes) + RFT_GUARD_BYTES + PAGE_BYTES, &padded)) {
        return UINT64_MAX;
    }
    padded -= PAGE_BYTES;
    return has_own_pages(bytes) ? (padded + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES : padded;
}

static uint64_t add_buffer(uint64_t total, uint64_t count, uint64_t size) {
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(total, rft_spec_padded_bytes(bytes), &total)) {
        return UINT64_MAX;
    }
    return total;
}

uint64_t rft_spec_scratch_bytes(const rft_point_spec *spec) {
    uint64_t total = 0;
    for (const rft_point_spec *r = spec->check.reference; r; r = r->check.reference) {
        for (size_t i = 0; i < r->buffer_count; i++) {
            if (r->buffers[i].role == RFT_BUFFER_TEMP) {
                total = add_buffer(total, r->buffers[i].count, rft_type_bytes(r->buffers[i].type));
            }
        }
    }
    return total;
}

uint64_t rft_spec_memory_bytes(const rft_point_spec *spec) {
    uint64_t total = rft_spec_scratch_bytes(spec);
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        uint64_t size = rft_type_bytes(buffer->type);
        total = add_buffer(total, buffer->count, size);
        if (buffer->role == RFT_BUFFER_INOUT) {
            total = add_buffer(total, buffer->count, size);
        }
        if (buffer->role == RFT_BUFFER_INOUT || buffer->role == RFT_BUFFER_OUTPUT) {
            bool integer = rft_type_significand_bits(buffer->type) == 0;
            total = add_buffer(total, buffer->count, integer ? size : sizeof(double));
        }
    }
    return total;
}
