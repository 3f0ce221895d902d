/* SPDX-License-Identifier: Apache-2.0 */
/* FP32, FP64, packed FP16 and ex2. */
#include "measure/ceilings.h"
#include "measure/embedded.h"

#include <string.h>

#define UNROLL 16
#define THREADS 256

static const int chain_counts[] = {8, 16};
enum { CHAIN_COUNTS = 2, PIPES = 4, NAMES = CHAIN_COUNTS * PIPES };

typedef union never_value {
    float f;
    double d;
    uint32_t u;
} never_value;

typedef struct pipe_kernel {
    const char *name, *text;
    rft_ceiling_id id;
    double ops;        /* of one instruction in one thread */
    never_value never; /* no sum of the chains is ever this */
} pipe_kernel;

static const pipe_kernel pipes[PIPES] = {
    {"rft_pipe_fp32", "fma.rn.f32", RFT_CEILING_FP32, 2.0, {.f = -1e30f}},
    {"rft_pipe_fp64", "fma.rn.f64", RFT_CEILING_FP64, 2.0, {.d = -1e300}},
    {"rft_pipe_fp16", "fma.rn.f16x2", RFT_CEILING_FP16, 4.0, {.u = 0x7FEDCBA9u}},
    {"rft_pipe_sfu", "ex2.approx.ftz.f32", RFT_CEILING_SFU, 1.0, {.f = -1e30f}},
};

static int measure_pipe(rft_protocol *p, rft_arena *arena, const pipe_kernel *pipe, rft_function *const *functions,
                        rft_ceiling *out, rft_err *err) {
    rft_bench *benches = rft_arena_calloc(arena, CHAIN_COUNTS, sizeof *benches);
    never_value *never = rft_arena_memdup(arena, &pipe->never, sizeof pipe->never);
    for (int c = 0; c < CHAIN_COUNTS; c++) {
        unsigned resident = 0;
        int rc = rft_bench_resident(p, functions[c], THREADS, &resident, err);
        if (rc != RFT_OK) {
            return rc;
        }
        double per_step = (double)resident * THREADS * chain_counts[c] * UNROLL * pipe->ops;
        benches[c] =
            (rft_bench){.function = functions[c], .grid = {resident, THREADS}, .steps = 1, .amount_per_step = per_step};
        benches[c].values[0] = &benches[c].steps;
        benches[c].values[1] = never;
        benches[c].values[2] = &p->partials;
        benches[c].text = rft_arena_printf(arena, "%s, %d independent chains a thread, %u blocks of %d threads",
                                           pipe->text, chain_counts[c], resident, THREADS);
    }
    return rft_bench_best(p, benches, CHAIN_COUNTS, RFT_CACHE_HOT, out, err);
}

int rft_ceilings_pipes(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    const char *names[NAMES];
    const unsigned char *texts[] = {rft_embedded_ceiling_pipes_cu};
    rft_kernel_group group = {"rooftune_ceiling_pipes.cu", texts, 1, names, NAMES};
    rft_function *functions[NAMES];
    rft_module *module = NULL;
    rft_err failure = RFT_ERR_INIT;
    for (int i = 0; i < NAMES; i++) {
        names[i] =
            rft_arena_printf(arena, "%s<%d, %d>", pipes[i / CHAIN_COUNTS].name, chain_counts[i % CHAIN_COUNTS], UNROLL);
    }
    int rc = rft_kernels_load(p, &group, &module, functions, &failure);
    for (int i = 0; rc == RFT_OK && i < PIPES; i++) {
        rc =
            measure_pipe(p, arena, &pipes[i], functions + (size_t)i * CHAIN_COUNTS, &out->items[pipes[i].id], &failure);
    }
    for (int i = 0; rc != RFT_OK && i < PIPES; i++) {
        int excused = rft_ceilings_excuse(p, arena, &out->items[pipes[i].id], 1, &failure, err);
        if (excused != RFT_OK) {
            return excused;
        }
    }
    if (module) {
        p->gpu->vt->module_free(p->gpu, module);
    }
    return RFT_OK;
}
