/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ceilings.h - what the files that measure ceilings share (private to harness/measure). Method: docs/ceilings.md.
 * Datasheet values and hardware limits are set later, by model/datasheet.h.
 */
#ifndef RFT_MEASURE_CEILINGS_H
#define RFT_MEASURE_CEILINGS_H

#include "measure/protocol.h"

#define RFT_BENCH_VALUES 8

/* One way to drive one level or pipe. */
typedef struct rft_bench {
    rft_function *function;
    rft_grid grid;
    void *values[RFT_BENCH_VALUES]; /* kernel arguments; they live as long as the bench */
    double amount;                  /* bytes or operations of one launch */
    uint32_t steps;                 /* of the kernel's loop; 0: the kernel has none */
    double amount_per_step;         /* with steps: amount = steps * this, steps chosen so that a launch takes 1 ms */
    const char *text;               /* what it does, for people */
} rft_bench;

/* Tries every bench, measures the best few again, and makes the one with the best median the ceiling. */
int rft_bench_best(rft_protocol *p, rft_bench *benches, size_t count, rft_cache_mode cache, rft_ceiling *out,
                   rft_err *err);
/* Blocks of `threads` that all SMs hold at once. */
int rft_bench_resident(rft_protocol *p, rft_function *function, unsigned threads, unsigned *blocks, rft_err *err);

/* Each measures its ceilings into `out`; what cannot be measured gets its reason. Errors only when the device is lost.
 */
int rft_ceilings_memory(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err);
int rft_ceilings_pipes(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err);

/* Turns a failure into the ceilings' reason, unless the device is lost: then returns the failure's code. */
int rft_ceilings_excuse(rft_protocol *p, rft_arena *arena, rft_ceiling *first, size_t count, const rft_err *failure,
                        rft_err *err);

#endif
