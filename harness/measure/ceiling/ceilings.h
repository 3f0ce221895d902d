/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ceilings.h - what the files that measure ceilings share (private to harness/measure). Method: docs/ceilings.md.
 * Datasheet values and hardware limits are set later, by model/roofline/datasheet.h.
 */
#ifndef RFT_MEASURE_CEILINGS_H
#define RFT_MEASURE_CEILINGS_H

#include "measure/protocol.h"

#define RFT_BENCH_VALUES 8

/* How much a launch does. */
typedef struct rft_bench_size {
    rft_grid grid;
    uint64_t vectors; /* 16 bytes each, of every buffer; 0 where the kernel has a loop instead */
    double amount;    /* bytes or operations; not used with steps */
} rft_bench_size;

/* One way to drive one level or pipe. */
typedef struct rft_bench {
    rft_function *function;
    rft_grid grid;
    void *values[RFT_BENCH_VALUES]; /* kernel arguments; they live as long as the bench */
    double amount;                  /* bytes or operations of one launch */
    uint64_t vectors;               /* 16 bytes each, of every buffer: an argument where there is no loop */
    uint32_t steps;                 /* of the kernel's loop; 0: the kernel has none */
    double amount_per_step;         /* with steps: amount = steps * this, steps chosen so that a launch takes 1 ms */
    rft_bench_size part;            /* what it is tried on, of its buffers; no blocks: on the whole */
    const char *text;               /* what it does when measured, for people */
    /* Instead of a kernel: queues a launch of `amount` (no vectors, no steps); NULL = none. */
    int (*queue)(void *self, rft_err *err);
    void *self;
    bool at_least; /* a slower path than the architecture's own */
    bool cools;    /* it draws the card's full power: the device is left alone before its last series */
} rft_bench;

/* Tries every bench, measures the best few again, and makes the one with the best median the ceiling. */
int rft_bench_best(rft_protocol *p, rft_bench *benches, size_t count, rft_cache_mode cache, rft_ceiling *out,
                   rft_err *err);
/* The rate after seconds of the same load, launch after launch, into out->sustained: of the last second of
 * `soak_s`. ceiling_soak.c. */
int rft_bench_soak(rft_protocol *p, const rft_timed *load, double amount, rft_ceiling *out, rft_err *err);
/* Blocks of `threads` that all SMs hold at once. */
int rft_bench_resident(rft_protocol *p, rft_function *function, unsigned threads, unsigned *blocks, rft_err *err);

/* Whether it is among those that are measured now. */
bool rft_ceilings_asked(const rft_protocol *p, rft_ceiling_id id);

/* What the ceilings compile, apart from each other so that it can be done side by side. The three append to `groups`,
 * which has room for RFT_CEILINGS_GROUPS; names live in `arena`. */
#define RFT_CEILINGS_GROUPS 13
void rft_ceilings_memory_groups(rft_arena *arena, rft_kernel_group *groups, size_t *count);
void rft_ceilings_pipe_groups(rft_arena *arena, rft_kernel_group *groups, size_t *count);
/* Those of the `wanted` ceilings on this device (its architecture and compute capability). */
size_t rft_ceilings_groups(rft_arena *arena, const rft_gpu_info *gpu, uint32_t wanted, rft_kernel_group **out);

/* Each measures its ceilings into `out`; what cannot be measured gets its reason. Errors only when the device is lost.
 */
int rft_ceilings_memory(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err);
int rft_ceilings_pipes(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err);

/* Turns a failure into the ceilings' reason, unless the device is lost: then returns the failure's code. */
int rft_ceilings_excuse(rft_protocol *p, rft_arena *arena, rft_ceiling *first, size_t count, const rft_err *failure,
                        rft_err *err);

#endif
