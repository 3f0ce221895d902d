/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ceiling_bench.h - ways to drive one level or pipe, and the best of them.
 * Method: docs/ceilings.md.
 */
#ifndef RFT_MEASURE_CEILING_BENCH_H
#define RFT_MEASURE_CEILING_BENCH_H

#include "measure/device_kernels.h"

#define RFT_BENCH_VALUES 8

/* How much a launch does. */
typedef struct rft_bench_size {
    rft_grid_1d grid;
    uint64_t vectors; /* 16 bytes each, of every buffer; 0 where the kernel has a loop instead */
    double amount;    /* bytes or operations; not used with steps */
} rft_bench_size;

/* One way to drive one level or pipe. */
typedef struct rft_bench {
    rft_function *function;
    rft_grid_1d grid;
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
/* Blocks of `threads` that all SMs hold at once. */
int rft_bench_resident(rft_protocol *p, rft_function *function, unsigned threads, unsigned *blocks, rft_err *err);

/* The least time between two events that any point can show: the same events, blocking kernel and cache state. */
int rft_ceilings_launch(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err);

/* Whether it is among those that are measured now. */
bool rft_ceilings_asked(const rft_protocol *p, rft_ceiling_id id);

/* Turns a failure into the ceilings' reason, unless the device is lost: then returns the failure's code. */
int rft_ceilings_excuse(rft_protocol *p, rft_arena *arena, rft_ceiling *first, size_t count, const rft_err *failure,
                        rft_err *err);

#endif
