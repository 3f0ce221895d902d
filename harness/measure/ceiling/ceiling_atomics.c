/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/ceiling/ceiling_atomics.h"
#include "measure/ceiling/ceiling_bench.h"
#include "measure/embedded.h"

#define UNROLL 4
#define THREADS 256               /* the shared kernels are written for so many */
#define SECTOR_WORDS 8            /* 32 bytes of the L2 */
#define L2_SHARE 0.4              /* as for its reads */
#define L2_MOST_BYTES (8u << 20)  /* all slices have their part, and every device holds it */
#define L2_LEAST_BYTES (4u << 10) /* more than one line */

enum { SHARED_U32, SHARED_ONE, SHARED_F32, L2_U32, L2_F32, KERNELS };
static const char *const kernels[KERNELS] = {
    "rft_atomics_shared<rft_add_u32, 4>", "rft_atomics_shared<rft_add_one, 4>", "rft_atomics_shared<rft_add_f32, 4>",
    "rft_atomics_l2<rft_add_u32, 4>",     "rft_atomics_l2<rft_add_f32, 4>",
};

/* One way to reach a ceiling: words from lane to lane, and what an addition of one lane counts (docs/sweeps.md). */
typedef struct atomic_way {
    rft_ceiling_id id;
    int kernel;
    uint32_t stride;
    bool lone; /* one lane a warp: whether the lanes of one address are slower together, who knows */
    double count;
    const char *text;
} atomic_way;

static const atomic_way ways[] = {
    {RFT_CEILING_ATOMICS_SHARED, SHARED_U32, 1, false, 1.0, "red.shared.add.u32, a bank for each lane"},
    {RFT_CEILING_ATOMICS_SHARED, SHARED_ONE, 1, false, 1.0, "red.shared.add.u32 of 1, a bank for each lane"},
    {RFT_CEILING_ATOMICS_SHARED_ONE, SHARED_U32, 0, false, 1.0, "red.shared.add.u32, one address in each block"},
    {RFT_CEILING_ATOMICS_L2, L2_U32, 1, false, 1.0 / SECTOR_WORDS, "red.global.add.u32, 8 lanes in each sector"},
    {RFT_CEILING_ATOMICS_L2, L2_U32, SECTOR_WORDS, false, 1.0, "red.global.add.u32, a sector for each lane"},
    {RFT_CEILING_ATOMICS_L2_ONE, L2_U32, 0, false, 1.0, "red.global.add.u32, one address"},
    {RFT_CEILING_ATOMICS_L2_ONE, L2_U32, 0, true, 1.0, "red.global.add.u32, one address, a lane of each warp"},
    {RFT_CEILING_ATOMICS_SHARED_F32, SHARED_F32, 1, false, 1.0, "red.shared.add.f32, a bank for each lane"},
    {RFT_CEILING_ATOMICS_SHARED_F32_ONE, SHARED_F32, 0, false, 1.0, "red.shared.add.f32, one address in each block"},
    {RFT_CEILING_ATOMICS_L2_F32, L2_F32, 1, false, 1.0 / SECTOR_WORDS, "red.global.add.f32, 8 lanes in each sector"},
    {RFT_CEILING_ATOMICS_L2_F32, L2_F32, SECTOR_WORDS, false, 1.0, "red.global.add.f32, a sector for each lane"},
    {RFT_CEILING_ATOMICS_L2_F32_ONE, L2_F32, 0, false, 1.0, "red.global.add.f32, one address"},
    {RFT_CEILING_ATOMICS_L2_F32_ONE, L2_F32, 0, true, 1.0, "red.global.add.f32, one address, a lane of each warp"},
};
enum { WAYS = sizeof ways / sizeof *ways, WAYS_MAX = 2 }; /* of all ceilings; of one */

typedef struct atomics {
    rft_protocol *p;
    rft_arena *arena;
    rft_function *functions[KERNELS];
    rft_device_ptr words; /* of the L2 */
    uint32_t mask;        /* their number, a power of two, less 1 */
    uint32_t never;
} atomics;

void rft_ceilings_atomic_groups(rft_arena *arena, rft_kernel_group *groups, size_t *count) {
    static const unsigned char *const texts[] = {rft_embedded_ceiling_atomics_cu};
    rft_ceiling_set ceilings = 0;
    (void)arena;
    for (int i = 0; i < WAYS; i++) {
        ceilings |= RFT_CEILING_BIT(ways[i].id);
    }
    groups[(*count)++] = (rft_kernel_group){"rooftune_ceiling_atomics.cu", texts, 1, kernels, KERNELS, ceilings};
}

static int take_words(atomics *a, rft_err *err) {
    uint64_t bytes = L2_LEAST_BYTES;
    while (bytes < L2_MOST_BYTES && 2.0 * (double)bytes <= L2_SHARE * (double)a->p->info.l2_bytes) {
        bytes *= 2;
    }
    a->mask = (uint32_t)(bytes / sizeof(uint32_t)) - 1;
    rft_buffer buffer = {.name = "atomics",
                         .type = RFT_TYPE_F32,
                         .count = bytes / sizeof(uint32_t),
                         .fill = {.kind = RFT_FILL_UNIFORM, .low = -1.0, .high = 1.0}};
    int rc = a->p->gpu->vt->alloc(a->p->gpu, bytes, &a->words, err);
    return rc == RFT_OK ? rft_kernel_fill(a->p, &buffer, 1, a->words, err) : rc;
}

/* As many blocks as fit; on one address of whole warps a block an SM, more would only wait. */
static int add_way(atomics *a, const atomic_way *from, rft_bench *bench, rft_err *err) {
    rft_function *function = a->functions[from->kernel];
    unsigned blocks = (unsigned)a->p->info.sms, threads = from->lone ? 1 : THREADS;
    int rc = from->stride > 0 || from->lone ? rft_bench_resident(a->p, function, threads, &blocks, err) : RFT_OK;
    *bench = (rft_bench){.function = function,
                         .grid = {blocks, threads},
                         .steps = 1,
                         .amount_per_step = (double)blocks * threads * UNROLL * from->count};
    bench->text =
        rft_arena_printf(a->arena, "%s, %u blocks of %u thread%s", from->text, blocks, threads, threads > 1 ? "s" : "");
    uint32_t *stride = rft_arena_memdup(a->arena, &from->stride, sizeof from->stride);
    void *const shared_values[] = {&bench->steps, stride, &a->never, &a->p->builtins.partials};
    void *const l2_values[] = {&a->words, &bench->steps, &a->mask, stride};
    for (int i = 0; i < 4; i++) {
        bench->values[i] = from->kernel < L2_U32 ? shared_values[i] : l2_values[i];
    }
    return rc;
}

static int measure_one(atomics *a, rft_ceiling_id id, rft_ceiling *out, rft_err *err) {
    rft_bench *benches = rft_arena_calloc(a->arena, WAYS_MAX, sizeof *benches);
    size_t count = 0;
    int rc = RFT_OK;
    for (int i = 0; rc == RFT_OK && i < WAYS; i++) {
        if (ways[i].id == id) {
            rc = add_way(a, &ways[i], &benches[count++], err);
        }
    }
    return rc == RFT_OK ? rft_bench_best(a->p, benches, count, RFT_CACHE_HOT, out, err) : rc;
}

static int measure_all(atomics *a, rft_ceilings *out, rft_err *err) {
    rft_kernel_group group;
    rft_module *module = NULL;
    size_t count = 0;
    rft_ceilings_atomic_groups(a->arena, &group, &count);
    int rc = rft_kernels_load(a->p, &group, &module, a->functions, err);
    rc = rc == RFT_OK ? take_words(a, err) : rc;
    for (int id = RFT_CEILING_ATOMICS_FIRST; rc == RFT_OK && id < RFT_CEILING_ATOMICS_END; id++) {
        if (rft_ceilings_asked(a->p, (rft_ceiling_id)id)) {
            rc = measure_one(a, (rft_ceiling_id)id, &out->items[id], err);
        }
    }
    if (module && !a->p->gpu->vt->sticky(a->p->gpu)) {
        a->p->gpu->vt->module_free(a->p->gpu, module);
    }
    return rc;
}

int rft_ceilings_atomics(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    atomics a = {.p = p, .arena = arena, .never = 0x7FEDCBA9u};
    rft_err failure = RFT_ERR_INIT;
    int rc = measure_all(&a, out, &failure);
    if (rc != RFT_OK) {
        rc = rft_ceilings_excuse(p, arena, &out->items[RFT_CEILING_ATOMICS_FIRST],
                                 RFT_CEILING_ATOMICS_END - RFT_CEILING_ATOMICS_FIRST, &failure, err);
    }
    if (rc == RFT_OK && a.words) {
        p->gpu->vt->free(p->gpu, a.words);
    }
    return rc;
}
