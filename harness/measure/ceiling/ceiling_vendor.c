/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix multiplications of the vendor's library, to be tried beside our own loops: the higher counts. */
#include "measure/ceiling/ceilings_more.h"

#include <string.h>

/* Large enough to fill every SM many times over, and that reading and writing the matrices is no part of the time. */
#define EDGE 8192
#define LEAST_EDGE 2048
#define MEMORY_SHARE 4 /* at most a quarter of the free device memory */

typedef struct vendor_call {
    rft_protocol *p;
    const rft_vendor_benches *benches;
    size_t algo;
} vendor_call;

static int queue_call(void *self, rft_err *err) {
    const vendor_call *call = self;
    rft_vendor *vendor = call->p->vendor;
    return vendor->vt->launch(vendor, call->benches->plan, call->algo, &call->benches->buffers, err);
}

static bool math_of(rft_ceiling_id id, rft_vendor_math *out) {
    static const struct {
        rft_ceiling_id id;
        rft_vendor_math math;
    } rows[] = {{RFT_CEILING_TENSOR_TF32, RFT_VENDOR_TF32},
                {RFT_CEILING_TENSOR_BF16, RFT_VENDOR_BF16},
                {RFT_CEILING_TENSOR_FP16, RFT_VENDOR_FP16},
                {RFT_CEILING_TENSOR_FP8, RFT_VENDOR_FP8},
                {RFT_CEILING_TENSOR_INT8, RFT_VENDOR_INT8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].id == id) {
            *out = rows[i].math;
            return true;
        }
    }
    return false;
}

static uint64_t matrix_bytes(int64_t edge, rft_type type) {
    return (uint64_t)edge * (uint64_t)edge * rft_type_bytes(type);
}

/* The largest edge whose three matrices have room; 0: none. */
static int64_t edge_that_fits(rft_protocol *p, rft_vendor_math math) {
    uint64_t free_bytes = 0;
    if (p->gpu->vt->memory_free(p->gpu, &free_bytes, NULL) != RFT_OK) {
        return 0;
    }
    for (int64_t edge = EDGE; edge >= LEAST_EDGE; edge /= 2) {
        uint64_t bytes =
            2 * matrix_bytes(edge, rft_vendor_input_type(math)) + matrix_bytes(edge, rft_vendor_output_type(math));
        if (bytes <= free_bytes / MEMORY_SHARE) {
            return edge;
        }
    }
    return 0;
}

static int take_input(rft_protocol *p, const char *name, rft_type type, int64_t edge, rft_device_ptr *out,
                      rft_err *err) {
    rft_buffer buffer = {.name = name,
                         .type = type,
                         .count = (uint64_t)(edge * edge),
                         .fill = {.kind = RFT_FILL_UNIFORM, .low = -1.0, .high = 1.0}};
    if (type == RFT_TYPE_I8) {
        buffer.fill = (rft_fill){.kind = RFT_FILL_INTEGERS, .below = 128};
    }
    int rc = p->gpu->vt->alloc(p->gpu, matrix_bytes(edge, type), out, err);
    return rc == RFT_OK ? rft_kernel_fill(p, &buffer, 1, *out, err) : rc;
}

static int take_matrices(rft_vendor_benches *b, rft_protocol *p, const rft_vendor_matmul *matmul, rft_err *err) {
    rft_vendor_buffers *buffers = &b->buffers;
    rft_type type = rft_vendor_input_type(matmul->math);
    int rc = take_input(p, "a", type, matmul->m, &buffers->a, err);
    if (rc == RFT_OK) {
        rc = take_input(p, "b", type, matmul->m, &buffers->b, err);
    }
    if (rc == RFT_OK) {
        rc = p->gpu->vt->alloc(p->gpu, matrix_bytes(matmul->m, matmul->d), &buffers->d, err);
    }
    if (rc == RFT_OK && b->plan->workspace_bytes > 0) {
        rc = p->gpu->vt->alloc(p->gpu, b->plan->workspace_bytes, &buffers->workspace, err);
    }
    return rc;
}

static void add_benches(rft_vendor_benches *b, rft_protocol *p, rft_arena *arena, rft_bench *benches) {
    const rft_vendor_matmul *matmul = &b->plan->matmul;
    const char *version = p->vendor->vt->version(p->vendor);
    int name_length = (int)strcspn(version, ",");
    for (size_t i = 0; i < b->plan->algo_count && b->count < RFT_VENDOR_BENCHES; i++) {
        vendor_call *call = rft_arena_alloc(arena, sizeof *call);
        *call = (vendor_call){p, b, i};
        rft_bench *bench = &benches[b->count++];
        double edge = (double)matmul->m;
        *bench = (rft_bench){
            .grid = {1, 1}, .amount = 2.0 * edge * edge * edge, .queue = queue_call, .self = call, .cools = true};
        bench->text = rft_arena_printf(arena, "%.*s, %s matmul of %lld x %lld x %lld, random operands, %s", name_length,
                                       version, rft_vendor_math_name(matmul->math), (long long)matmul->m,
                                       (long long)matmul->n, (long long)matmul->k, b->plan->algos[i].name);
    }
}

int rft_vendor_benches_take(rft_vendor_benches *out, rft_protocol *p, rft_arena *arena, rft_ceiling_id id,
                            rft_bench *benches, rft_err *err) {
    rft_vendor_math math;
    rft_err why = RFT_ERR_INIT;
    if (!math_of(id, &math)) {
        return RFT_OK;
    }
    rft_vendor_find(p);
    int64_t edge = p->vendor ? edge_that_fits(p, math) : 0;
    if (edge == 0) {
        return p->gpu->vt->sticky(p->gpu) ? rft_err_set(err, RFT_E_DEVICE, "%s", p->vendor_missing.message) : RFT_OK;
    }
    const rft_vendor_matmul matmul = {.math = math,
                                      .d = rft_vendor_output_type(math),
                                      .m = edge,
                                      .n = edge,
                                      .k = edge,
                                      .a_order = RFT_VENDOR_ROW,
                                      .b_order = RFT_VENDOR_COLUMN, /* which every type has */
                                      .d_order = RFT_VENDOR_ROW};
    int rc = p->vendor->vt->plan(p->vendor, &matmul, &out->plan, &why);
    if (rc == RFT_OK) {
        rc = take_matrices(out, p, &matmul, &why);
    }
    if (rc == RFT_OK) {
        add_benches(out, p, arena, benches);
    } else if (!p->gpu->vt->sticky(p->gpu)) {
        rft_log_debug(p->log, "%s: our own kernels alone: %s", rft_ceiling_name(id), why.message);
        rc = RFT_OK;
    } else if (err) {
        *err = why;
    }
    return rc;
}

void rft_vendor_benches_give_back(rft_vendor_benches *b, rft_protocol *p) {
    rft_device_ptr spaces[] = {b->buffers.a, b->buffers.b, b->buffers.d, b->buffers.workspace};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces && !p->gpu->vt->sticky(p->gpu); i++) {
        if (spaces[i]) {
            p->gpu->vt->free(p->gpu, spaces[i]);
        }
    }
    if (b->plan) {
        p->vendor->vt->plan_free(p->vendor, b->plan);
    }
}
