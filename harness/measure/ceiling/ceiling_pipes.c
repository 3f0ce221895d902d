/* SPDX-License-Identifier: Apache-2.0 */
/* FP32, FP64, packed FP16, ex2 and INT32. */
#include "measure/ceiling/ceiling_pipes.h"
#include "measure/ceiling/ceiling_bench.h"
#include "measure/embedded.h"

#include <string.h>

#define UNROLL 16
#define THREADS 256

static const int chain_counts[] = {8, 16};
enum { CHAIN_COUNTS = 2, PIPES = 6, UNITS = 3, UNIT_PIPES = PIPES / UNITS, UNIT_NAMES = UNIT_PIPES * CHAIN_COUNTS };

typedef union never_value {
    float f;
    double d;
    uint32_t u;
} never_value;

typedef struct pipe_kernel {
    const char *name, *text;
    rft_ceiling_id id;
    double ops;        /* of one step of a chain */
    never_value never; /* that a sum of the chains is hardly ever */
} pipe_kernel;

static const pipe_kernel pipes[PIPES] = {
    {"rft_pipe_fp32", "fma.rn.f32", RFT_CEILING_FP32, 2.0, {.f = -1e30f}},
    {"rft_pipe_fp64", "fma.rn.f64", RFT_CEILING_FP64, 2.0, {.d = -1e300}},
    {"rft_pipe_fp16", "fma.rn.f16x2", RFT_CEILING_FP16, 4.0, {.u = 0x7FEDCBA9u}},
    {"rft_pipe_sfu", "ex2.approx.ftz.f32", RFT_CEILING_SFU, 1.0, {.f = -1e30f}},
    {"rft_pipe_int32_mix", "mad.lo.u32 and xor.b32", RFT_CEILING_INT32, 3.0, {.u = 0x7FEDCBA9u}},
    {"rft_pipe_int32_mad", "mad.lo.u32", RFT_CEILING_INT32, 2.0, {.u = 0x7FEDCBA9u}}, /* the faster of the two counts */
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
        benches[c].values[2] = &p->builtins.partials;
        benches[c].text = rft_arena_printf(arena, "%s, %d independent chains a thread, %u blocks of %d threads",
                                           pipe->text, chain_counts[c], resident, THREADS);
    }
    return rft_bench_best(p, benches, CHAIN_COUNTS, RFT_CACHE_HOT, out, err);
}

void rft_ceilings_pipe_groups(rft_arena *arena, rft_kernel_group *groups, size_t *count) {
    static const unsigned char *const texts[] = {rft_embedded_ceiling_pipes_cu};
    static const char *const titles[UNITS] = {"rooftune_ceiling_fp32.cu", "rooftune_ceiling_fp16.cu",
                                              "rooftune_ceiling_int32.cu"};
    for (int unit = 0; unit < UNITS; unit++) {
        const char **names = rft_arena_calloc(arena, UNIT_NAMES, sizeof *names);
        for (int i = 0; i < UNIT_NAMES; i++) {
            const pipe_kernel *pipe = &pipes[unit * UNIT_PIPES + i / CHAIN_COUNTS];
            names[i] = rft_arena_printf(arena, "%s<%d, %d>", pipe->name, chain_counts[i % CHAIN_COUNTS], UNROLL);
        }
        rft_ceiling_set ceilings = 0;
        for (int i = 0; i < UNIT_PIPES; i++) {
            ceilings |= RFT_CEILING_BIT(pipes[unit * UNIT_PIPES + i].id);
        }
        groups[(*count)++] = (rft_kernel_group){titles[unit], texts, 1, names, UNIT_NAMES, ceilings};
    }
}

static int measure_unit(rft_protocol *p, rft_arena *arena, int unit, const rft_kernel_group *group, rft_ceilings *out,
                        rft_err *err) {
    rft_function *functions[UNIT_NAMES];
    rft_module *module = NULL;
    int rc = rft_kernels_load(p, group, &module, functions, err);
    for (int i = 0; rc == RFT_OK && i < UNIT_PIPES; i++) {
        const pipe_kernel *pipe = &pipes[unit * UNIT_PIPES + i];
        if (rft_ceilings_asked(p, pipe->id)) {
            rc = measure_pipe(p, arena, pipe, functions + (size_t)i * CHAIN_COUNTS, &out->items[pipe->id], err);
        }
    }
    if (module && !p->gpu->vt->sticky(p->gpu)) {
        p->gpu->vt->module_free(p->gpu, module);
    }
    return rc;
}

int rft_ceilings_pipes(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    rft_kernel_group groups[UNITS];
    size_t count = 0;
    int rc = RFT_OK;
    rft_ceilings_pipe_groups(arena, groups, &count);
    for (int unit = 0; rc == RFT_OK && unit < UNITS; unit++) {
        rft_err failure = RFT_ERR_INIT;
        if (p->asked && !(groups[unit].ceilings & p->asked->wanted)) {
            continue;
        }
        int failed = measure_unit(p, arena, unit, &groups[unit], out, &failure);
        for (int i = 0; failed != RFT_OK && rc == RFT_OK && i < UNIT_PIPES; i++) {
            rft_ceiling *ceiling = &out->items[pipes[unit * UNIT_PIPES + i].id];
            rc = rft_ceilings_excuse(p, arena, ceiling, 1, &failure, err);
        }
    }
    return rc;
}
