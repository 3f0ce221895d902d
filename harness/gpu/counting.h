/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counting.h - the seam to hardware counters: the caller launches the same work once a pass, between start() and
 * stop(). Implementations: cupti*.c (CUPTI's range profiler: one user range, user replay; opened at run time) and a
 * scripted one of tests/support. No CUPTI type here.
 *
 * Not being able to count is no failure of a point: a run goes on without. Codes: RFT_E_NOT_FOUND (no CUPTI, or not the
 * one this program was built for), RFT_E_LIMIT (it is there, but may not or cannot count here: permission, another
 * profiler, vGPU, confidential computing, MIG), each with a remedy. RFT_E_DEVICE: what was counted faulted; the device
 * object is sticky and the process must end, as after any fault. One thread; between begin() and end() nothing may be
 * timed, for the profiler is attached to the context.
 */
#ifndef RFT_GPU_COUNTING_H
#define RFT_GPU_COUNTING_H

#include "base/arena.h"
#include "base/err.h"
#include "gpu/gpu.h"
#include "model/run/counters.h"

#include <stdbool.h>
#include <stddef.h>

/* What would be counted, and by which of the profiler's names. */
typedef struct rft_counter_plan {
    const char *chip;    /* "GH100" */
    const char *version; /* "CUPTI API 130001, /usr/lib/libcupti.so.13" */
    const char
        *metrics[RFT_COUNTER_COUNT]; /* "128*l1tex__lsu_writeback_active_mem_lgds.sum"; NULL: cannot be counted */
    const char *reasons[RFT_COUNTER_COUNT]; /* of those without a metric: why; NULL otherwise */
    rft_counter_raw *raw;                   /* values are NaN; reason as above */
    size_t raw_count;
    size_t metric_count; /* different metrics asked of the profiler */
    int passes;          /* 0: nothing can be counted */
} rft_counter_plan;

typedef struct rft_counting rft_counting;
typedef struct rft_counting_vt {
    /* Ends a session that is open, too. Before vt->close of the device. */
    void (*close)(rft_counting *counting);
    /* What a set comes to on this device; collects nothing. Strings in `arena`. */
    int (*plan)(rft_counting *counting, const rft_counter_set *set, rft_counter_plan *out, rft_arena *arena,
                rft_err *err);
    /* Opens a session for the set: *passes times start, launches, stop will be needed. 0 when nothing of the set can be
     * counted: then end() at once gives the reasons. */
    int (*begin)(rft_counting *counting, const rft_counter_set *set, int *passes, rft_err *err);
    int (*start)(rft_counting *counting, rft_err *err);
    /* Waits for the launches. *again: another pass is needed. */
    int (*stop)(rft_counting *counting, bool *again, rft_err *err);
    /* Closes the session, whatever it returns; out NULL: its counts are not wanted. Values are checked by
     * rft_counters_check() by the caller, which knows the device. Strings in `arena`. RFT_E_LIMIT when passes are
     * missing or counts were dropped. */
    int (*end)(rft_counting *counting, rft_counters *out, rft_arena *arena, rft_err *err);
    /* Attaching takes as long as all passes of a small kernel, so a session that ended well leaves the profiler
     * attached. Code that was loaded since must stay until this was called, or CUPTI faults a few sessions later. */
    void (*detach)(rft_counting *counting);
} rft_counting_vt;

struct rft_counting {
    const rft_counting_vt *vt;
};

/* Counters of a device opened by rft_cuda_open(), which must outlive them, by the newest CUPTI that the driver takes.
 * places NULL: none. */
int rft_cupti_open(rft_counting **out, rft_gpu *gpu, const rft_library_places *places, rft_err *err);

/* What a set comes to on a chip ("GH100", "GA100", "AD102", "GB100", "GB202"), by the library alone: needs no GPU. A
 * device may have fewer (rft_cupti_open() asks it). Strings in `arena`. RFT_E_NOT_FOUND as above; RFT_E_LIMIT: this
 * CUPTI does not know the chip. */
int rft_cupti_plan_chip(rft_counter_plan *out, const char *chip, const rft_counter_set *set,
                        const rft_library_places *places, rft_arena *arena, rft_err *err);

#endif
