/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix units, by wgmma where the architecture has it, else by mma.sync. */
#include "measure/ceiling/ceiling_tensor.h"
#include "measure/ceiling/ceiling_bench.h"
#include "measure/embedded.h"
#include "measure/vendor_point.h"

#include "base/str.h"

#include <string.h>

#define TENSOR_FIRST RFT_CEILING_TENSOR_FIRST
#define TENSOR_COUNT (RFT_CEILING_TENSOR_END - RFT_CEILING_TENSOR_FIRST)
#define GRIDS 2 /* one block an SM, and as many as fit */

#define MMA_THREADS 256
#define MMA_REPEATS 4
#define WGMMA_THREADS 128 /* of a warpgroup */
#define WGMMA_SLICES 4    /* of K in a row of 128 bytes */
#define WGMMA_REPEATS 4

/* FP64 has kernels of its own. `k` of one instruction, by wgmma and mma.sync alike. */
typedef struct tensor_type {
    rft_ceiling_id id;
    const char *name, *label;
    int k, cc_first, cc_last; /* the compute capabilities that have units for it */
    rft_vendor_math math;     /* what the vendor's library calls it; RFT_VENDOR_MATH_COUNT: it is not asked */
} tensor_type;

#define ALL_LATER 999
static const tensor_type types[TENSOR_COUNT] = {
    {RFT_CEILING_TENSOR_FP64, "fp64", "FP64", 0, 80, ALL_LATER, RFT_VENDOR_MATH_COUNT},
    {RFT_CEILING_TENSOR_TF32, "tf32", "TF32", 8, 80, ALL_LATER, RFT_VENDOR_TF32},
    {RFT_CEILING_TENSOR_BF16, "bf16", "BF16", 16, 80, ALL_LATER, RFT_VENDOR_BF16},
    {RFT_CEILING_TENSOR_FP16, "fp16", "FP16", 16, 80, ALL_LATER, RFT_VENDOR_FP16},
    {RFT_CEILING_TENSOR_FP8, "fp8", "FP8 (e4m3)", 32, 89, ALL_LATER, RFT_VENDOR_FP8},
    {RFT_CEILING_TENSOR_INT8, "int8", "INT8", 32, 80, ALL_LATER, RFT_VENDOR_INT8},
};

static const tensor_type *type_of(rft_ceiling_id id) {
    size_t i = 0;
    while (types[i].id != id) {
        i++;
    }
    return &types[i];
}

/* ---- what there is to compile ---- */

static const unsigned char *const wgmma_texts[] = {rft_embedded_ceiling_tensor_data_cu,
                                                   rft_embedded_ceiling_tensor_wgmma_cu};
static const unsigned char *const mma_texts[] = {rft_embedded_ceiling_tensor_data_cu,
                                                 rft_embedded_ceiling_tensor_mma_cu};

typedef struct mma_shape {
    const char *kernel; /* name without "rft_mma_" */
    int m, n, k;
    int a, b; /* fragments of the operands a warp holds; a * b accumulators */
    int cc;   /* from this compute capability on, and where `only`, on no other */
    bool only;
} mma_shape;

/* DMMA of m16n8k8 and m16n8k16 exists on sm_90 alone: elsewhere ptxas takes them apart (seen in the code it makes). */
static const mma_shape fp64_shapes[] = {
    {"fp64_k4", 8, 8, 4, 4, 4, 80, false},
    {"fp64_k4", 8, 8, 4, 2, 2, 80, false},
    {"fp64_k8", 16, 8, 8, 2, 2, 90, true},
    {"fp64_k16", 16, 8, 16, 2, 2, 90, true},
};

static void add_mma(rft_tensor_group *out, const mma_shape *shape, const char *label, rft_arena *arena) {
    rft_tensor_kernel *kernel = &out->kernels[out->count++];
    double instructions = MMA_THREADS / 32.0 * MMA_REPEATS * shape->a * shape->b;
    kernel->entry = rft_arena_printf(arena, "rft_mma_%s<%d, %d, %d>", shape->kernel, shape->a, shape->b, MMA_REPEATS);
    kernel->text =
        rft_arena_printf(arena, "%s, mma.sync m%dn%dk%d, random operands in registers, %d accumulators a warp", label,
                         shape->m, shape->n, shape->k, shape->a * shape->b);
    kernel->threads = MMA_THREADS;
    kernel->ops_per_step = instructions * 2.0 * shape->m * shape->n * shape->k;
}

static void add_wgmma(rft_tensor_group *out, const tensor_type *type, int n, bool in_registers, rft_arena *arena) {
    const int groups = 2; /* with one, nothing computes while it waits for its own */
    rft_tensor_kernel *kernel = &out->kernels[out->count++];
    kernel->entry =
        rft_arena_printf(arena, "rft_wgmma_%s<%d, %d, %d, %d>", type->name, n, groups, in_registers, WGMMA_REPEATS);
    kernel->text = rft_arena_printf(arena, "%s, wgmma m64n%dk%d, random operands, A from %s, %d warpgroups a block",
                                    type->label, n, type->k, in_registers ? "registers" : "shared memory", groups);
    kernel->threads = (unsigned)groups * WGMMA_THREADS;
    kernel->ops_per_step = (double)groups * WGMMA_SLICES * WGMMA_REPEATS * 2.0 * 64 * n * type->k;
}

static void add_fp64(rft_tensor_group *out, int cc, rft_arena *arena) {
    if (cc != 80 && cc != 90 && cc != 100 && cc != 103) {
        out->reason = "no FP64 tensor units on this architecture";
        return;
    }
    for (size_t i = 0; i < sizeof fp64_shapes / sizeof *fp64_shapes; i++) {
        const mma_shape *shape = &fp64_shapes[i];
        if (shape->only ? shape->cc == cc : shape->cc <= cc) {
            add_mma(out, shape, "FP64", arena);
        }
    }
}

static bool mma_is_native(int cc) {
    return (cc >= 80 && cc < 90) || cc == 120 || cc == 121;
}

void rft_tensor_group_of(rft_tensor_group *out, rft_ceiling_id id, const rft_gpu_info *gpu, rft_arena *arena) {
    const tensor_type *type = type_of(id);
    int cc = gpu->cc_major * 10 + gpu->cc_minor;
    bool wgmma = rft_text_equal(gpu->arch, "sm_90a") && id != RFT_CEILING_TENSOR_FP64;
    *out = (rft_tensor_group){.id = id, .texts = wgmma ? wgmma_texts : mma_texts};
    if (cc < 80) {
        out->reason = "the tensor kernels need compute capability 8.0 or newer";
    } else if (id == RFT_CEILING_TENSOR_FP64) {
        add_fp64(out, cc, arena);
    } else if (cc < type->cc_first || cc > type->cc_last) {
        out->reason = rft_arena_printf(arena, "no %s units on this architecture", rft_ceiling_label(id));
    } else if (wgmma) {
        for (int i = 0; i < 4; i++) {
            add_wgmma(out, type, i < 2 ? 256 : 128, i % 2 == 1, arena);
        }
    } else {
        out->at_least = !mma_is_native(cc);
        for (int a = 2; a <= 4; a += 2) {
            add_mma(out, &(mma_shape){type->name, 16, 8, type->k, a, 4, 0, false}, type->label, arena);
        }
    }
}

/* ---- the vendor's library beside our own loops: the higher counts ---- */

/* Large enough to fill every SM many times over, and that reading and writing the matrices is no part of the time. */
#define EDGE 8192
#define LEAST_EDGE 2048
#define MEMORY_SHARE 4   /* at most a quarter of the free device memory */
#define VENDOR_BENCHES 8 /* the first of the list that it would choose from */

typedef struct vendor_benches {
    rft_vendor_plan *plan; /* NULL: the library has nothing for this, or is not there */
    rft_vendor_buffers buffers;
    size_t count; /* of benches */
} vendor_benches;

typedef struct vendor_call {
    rft_protocol *p;
    const vendor_benches *benches;
    size_t algo;
} vendor_call;

static int queue_call(void *self, rft_err *err) {
    const vendor_call *call = self;
    rft_vendor *vendor = call->p->vendor.library;
    return vendor->vt->launch(vendor, call->benches->plan, call->algo, &call->benches->buffers, err);
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

static int take_matrices(vendor_benches *b, rft_protocol *p, const rft_vendor_matmul *matmul, rft_err *err) {
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

static void add_benches(vendor_benches *b, rft_protocol *p, rft_arena *arena, rft_bench *benches) {
    const rft_vendor_matmul *matmul = &b->plan->matmul;
    const char *version = p->vendor.library->vt->version(p->vendor.library);
    int name_length = (int)strcspn(version, ",");
    for (size_t i = 0; i < b->plan->algo_count && b->count < VENDOR_BENCHES; i++) {
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

/* Writes up to VENDOR_BENCHES ways to multiply two large square matrices of this type; none without the library, or
 * where it or the memory has no room for them. Errors: RFT_E_DEVICE, when the device is lost. */
static int take_vendor_benches(vendor_benches *out, rft_protocol *p, rft_arena *arena, rft_ceiling_id id,
                               rft_bench *benches, rft_err *err) {
    const rft_vendor_math math = type_of(id)->math;
    rft_err why = RFT_ERR_INIT;
    if (math == RFT_VENDOR_MATH_COUNT) {
        return RFT_OK;
    }
    rft_vendor_find(p);
    int64_t edge = p->vendor.library ? edge_that_fits(p, math) : 0;
    if (edge == 0) {
        return p->gpu->vt->sticky(p->gpu) ? rft_err_set(err, RFT_E_DEVICE, "%s", p->vendor.missing.message) : RFT_OK;
    }
    const rft_vendor_matmul matmul = {.math = math,
                                      .d = rft_vendor_output_type(math),
                                      .m = edge,
                                      .n = edge,
                                      .k = edge,
                                      .a_order = RFT_VENDOR_ROW,
                                      .b_order = RFT_VENDOR_COLUMN, /* which every type has */
                                      .d_order = RFT_VENDOR_ROW};
    int rc = p->vendor.library->vt->plan(p->vendor.library, &matmul, &out->plan, &why);
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

static void give_back_vendor_benches(vendor_benches *b, rft_protocol *p) {
    rft_device_ptr spaces[] = {b->buffers.a, b->buffers.b, b->buffers.d, b->buffers.workspace};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces && !p->gpu->vt->sticky(p->gpu); i++) {
        if (spaces[i]) {
            p->gpu->vt->free(p->gpu, spaces[i]);
        }
    }
    if (b->plan) {
        p->vendor.library->vt->plan_free(p->vendor.library, b->plan);
    }
}

/* ---- measuring ---- */

typedef struct tensor_benches {
    rft_protocol *p;
    rft_arena *arena;
    uint32_t never; /* no sum of accumulators is ever this, but once in 2^32: then one word is written */
    rft_bench items[RFT_TENSOR_KERNELS * GRIDS + VENDOR_BENCHES];
    size_t count;
} tensor_benches;

static void add_bench(tensor_benches *b, const rft_tensor_kernel *kernel, rft_function *function, unsigned blocks,
                      bool at_least) {
    rft_bench *bench = &b->items[b->count++];
    *bench = (rft_bench){.function = function,
                         .grid = {blocks, kernel->threads},
                         .steps = 1,
                         .amount_per_step = blocks * kernel->ops_per_step,
                         .at_least = at_least,
                         .cools = true};
    bench->values[0] = &bench->steps;
    bench->values[1] = &b->never;
    bench->values[2] = &b->p->builtins.partials;
    bench->text = rft_arena_printf(b->arena, "%s, %u blocks of %u threads", kernel->text, blocks, kernel->threads);
}

static int measure_group(tensor_benches *b, const rft_tensor_group *group, rft_function *const *functions,
                         rft_ceiling *out, rft_err *err) {
    unsigned sms = (unsigned)b->p->info.sms;
    for (size_t i = 0; i < group->count; i++) {
        unsigned resident = 0;
        int rc = rft_bench_resident(b->p, functions[i], group->kernels[i].threads, &resident, err);
        if (rc != RFT_OK) {
            return rc;
        }
        add_bench(b, &group->kernels[i], functions[i], resident, group->at_least);
        if (resident > sms) {
            add_bench(b, &group->kernels[i], functions[i], sms, group->at_least);
        }
    }
    vendor_benches vendor = {0};
    int rc = take_vendor_benches(&vendor, b->p, b->arena, group->id, &b->items[b->count], err);
    b->count += vendor.count;
    if (rc == RFT_OK) {
        rc = rft_bench_best(b->p, b->items, b->count, RFT_CACHE_HOT, out, err);
    }
    give_back_vendor_benches(&vendor, b->p);
    return rc;
}

/* A module for each type: one that does not compile costs only its own ceiling. */
static rft_kernel_group code_of(const rft_tensor_group *group, rft_arena *arena) {
    const char **names = rft_arena_calloc(arena, RFT_TENSOR_KERNELS, sizeof *names);
    for (size_t i = 0; i < group->count; i++) {
        names[i] = group->kernels[i].entry;
    }
    const char *title = rft_arena_printf(arena, "rooftune_ceiling_%s.cu", rft_ceiling_name(group->id));
    return (rft_kernel_group){title, group->texts, 2, names, group->count, RFT_CEILING_BIT(group->id)};
}

void rft_ceilings_tensor_groups(rft_arena *arena, const rft_gpu_info *gpu, rft_kernel_group *groups, size_t *count) {
    for (int i = 0; i < TENSOR_COUNT; i++) {
        rft_tensor_group group;
        rft_tensor_group_of(&group, (rft_ceiling_id)(TENSOR_FIRST + i), gpu, arena);
        if (group.count > 0) {
            groups[(*count)++] = code_of(&group, arena);
        }
    }
}

int rft_tensor_group_measure(rft_protocol *p, rft_arena *arena, const rft_tensor_group *group, rft_ceiling *out,
                             rft_err *err) {
    rft_function *functions[RFT_TENSOR_KERNELS];
    rft_module *module = NULL;
    tensor_benches *benches = rft_arena_calloc(arena, 1, sizeof *benches);
    *benches = (tensor_benches){.p = p, .arena = arena, .never = 0x7FEDCBA9u};
    rft_kernel_group code = code_of(group, arena);
    int rc = rft_kernels_load(p, &code, &module, functions, err);
    if (rc == RFT_OK) {
        rc = measure_group(benches, group, functions, out, err);
    }
    if (module && !p->gpu->vt->sticky(p->gpu)) {
        p->gpu->vt->module_free(p->gpu, module);
    }
    return rc;
}

int rft_ceilings_tensor(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    for (int i = 0; i < TENSOR_COUNT; i++) {
        rft_ceiling *ceiling = &out->items[TENSOR_FIRST + i];
        rft_tensor_group group;
        rft_err failure = RFT_ERR_INIT;
        rft_tensor_group_of(&group, (rft_ceiling_id)(TENSOR_FIRST + i), &p->info, arena);
        if (!rft_ceilings_asked(p, group.id)) {
            continue;
        }
        if (group.count == 0) {
            ceiling->reason = group.reason;
        } else if (rft_tensor_group_measure(p, arena, &group, ceiling, &failure) != RFT_OK) {
            int rc = rft_ceilings_excuse(p, arena, ceiling, 1, &failure, err);
            if (rc != RFT_OK) {
                return rc;
            }
        }
    }
    return RFT_OK;
}
