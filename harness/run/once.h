/* SPDX-License-Identifier: Apache-2.0 */
/* once.h - one point alone, outside any run: for `rooftune point` and `rooftune check`. */
#ifndef RFT_RUN_ONCE_H
#define RFT_RUN_ONCE_H

#include "measure/probe.h"
#include "run/compile/compile_pool.h"

typedef struct rft_once_request {
    const rft_sweep *sweep;
    size_t variant;
    const rft_value *problem; /* one per axis, complete */
    const rft_value *config;  /* one per parameter */
    const rft_gpu_info *gpu;
    rft_compile_pool *pool;
    rft_probe *probe;         /* NULL: compile only */
    bool bare;                /* one run of its launches, neither compared nor timed: for a sanitizer */
    int repeats;              /* so many launches, each compared, none timed; 0: it is timed */
    rft_counter_set counters; /* counted after the times are known; empty: not */
    rft_log log;
} rft_once_request;

typedef struct rft_once_result {
    rft_point_spec spec;
    const rft_compile_result *compiled; /* borrowed from the pool; NULL when not reached */
    rft_facts facts;                    /* what the compiler said */
    int64_t grid[3], block[3];
    const rft_counters *counters; /* NULL: not asked for, not measured, or refused: */
    rft_err refusal;              /* why nothing can be counted here, with a remedy; code 0: not so */
    rft_probe_result probed;      /* outcome SKIPPED, SCRIPT_FAILED, COMPILE_FAILED ... when it never ran */
} rft_once_result;

/* It could run, but is the vendor's library: there is nothing to compile, and no facts of the compiler. */
bool rft_once_has_no_code(const rft_once_result *result);

/* Has the request compiled while others are waited for: rft_once() of the same then finds it begun. The pool keeps it.
 * RFT_E_SCRIPT_STOPPED: the script was. */
int rft_once_queue(const rft_once_request *request, rft_err *err);

/* Results live in `arena`. Errors as in exec.h. */
int rft_once(const rft_once_request *request, rft_arena *arena, rft_once_result *out, rft_err *err);

#endif
