/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/reference_spec.h"

#include <math.h>
#include <string.h>

static bool is_judged(const rft_buffer *buffer) {
    return buffer->role == RFT_BUFFER_OUTPUT || buffer->role == RFT_BUFFER_INOUT;
}

rft_point_spec *rft_reference_spec_new(const rft_point_spec *spec, const char *told, rft_arena *arena) {
    rft_point_spec *reference = rft_arena_calloc(arena, 1, sizeof *reference);
    reference->told = rft_arena_strdup(arena, told);
    reference->traffic = rft_traffic_unknown();
    reference->check.tol = (double)NAN;
    reference->check.length = 1.0;
    reference->buffers = rft_arena_calloc(arena, RFT_BUFFERS_MAX, sizeof *reference->buffers);
    for (size_t i = 0; i < spec->buffer_count && reference->buffer_count < RFT_BUFFERS_MAX; i++) {
        if (spec->buffers[i].role == RFT_BUFFER_TEMP) {
            continue;
        }
        rft_buffer *buffer = &reference->buffers[reference->buffer_count++];
        *buffer = spec->buffers[i];
        buffer->fill = (rft_fill){.kind = RFT_FILL_NONE}; /* the point's is filled */
        if (is_judged(buffer) && rft_type_significand_bits(buffer->type) > 0) {
            buffer->type = RFT_TYPE_F64;
        }
    }
    return reference;
}

void rft_reference_spec_args(const rft_point_spec *reference, const rft_reference_dims *dims, rft_launch *out,
                             rft_arena *arena) {
    out->args = rft_arena_calloc(arena, reference->buffer_count + dims->count + 1, sizeof *out->args);
    out->arg_count = 0;
    for (size_t i = 0; i < reference->buffer_count; i++) {
        if (rft_buffer_is_argument(&reference->buffers[i])) {
            out->args[out->arg_count++] = (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = i};
        }
    }
    for (size_t i = 0; i < dims->count; i++) {
        const rft_value *value = &dims->values[i];
        bool real = value->kind == RFT_VALUE_REAL;
        rft_arg *arg = &out->args[out->arg_count++];
        *arg = (rft_arg){.kind = RFT_ARG_SCALAR,
                         .type = real ? RFT_TYPE_F64 : RFT_TYPE_I64,
                         .is_macro = dims->is_macro && dims->is_macro[i],
                         .dim = dims->names ? dims->names[i] : NULL};
        memcpy(arg->scalar, real ? (const void *)&value->as.real : &value->as.integer, sizeof arg->scalar);
    }
}

int64_t rft_reference_spec_blocks(const rft_point_spec *reference, int64_t threads) {
    uint64_t largest = 1;
    for (size_t i = 0; i < reference->buffer_count; i++) {
        if (is_judged(&reference->buffers[i]) && reference->buffers[i].count > largest) {
            largest = reference->buffers[i].count;
        }
    }
    return (int64_t)((largest - 1) / (uint64_t)threads + 1);
}

const char *rft_reference_spec_size(const rft_point_spec *reference, rft_arena *arena) {
    const char *told = reference->told ? reference->told : "";
    const rft_launch *launch = reference->launches;
    double threads = 1.0;
    if (reference->is_variant || reference->launch_count != 1 || launch->kind != RFT_LAUNCH_KERNEL ||
        launch->grid[0] == 0) {
        return told;
    }
    for (int i = 0; i < 3; i++) {
        threads *= (double)launch->grid[i] * (double)launch->block[i];
    }
    return rft_arena_printf(arena, "%s (%.0f threads in all)", told, threads);
}
