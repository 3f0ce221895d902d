/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe.h - point in, measurement out. Implementations: protocol.c (measures over gpu.h), replay.c (answers from a
 * recording), and the client of the device worker in run.
 */
#ifndef RFT_MEASURE_PROBE_H
#define RFT_MEASURE_PROBE_H

#include "base/clock.h"
#include "gpu/compiler.h"
#include "gpu/gpu.h"
#include "model/run.h"

typedef struct rft_probe_request {
    const char *key; /* names it among the requests of a session, with `round`; NULL: nothing is expected */
    /* Who it is: what replay looks up. */
    const rft_sweep *sweep;
    size_t variant;
    const rft_problem *problem;
    const rft_value *config;
    int round;        /* 0 .. RFT_ROUNDS - 1 */
    bool verify_only; /* odd problems: check, do not time */
    /* What to do: */
    const rft_point_spec *spec;
    const rft_compile_result *unit;
    const rft_compile_result *reference;
    const char *problem_key;  /* equal keys: same inputs and reference results may be kept on the device */
    rft_measure_opts measure; /* of this round */
    double rival_s; /* median of the best so far on this problem: who is clearly slower stops early; 0: none */
    /* NULL, or: called at most once, while another process is at work on the request. May call expect(), nothing else
     * of the probe. */
    void (*meanwhile)(void *payload);
    void *payload;
} rft_probe_request;

typedef struct rft_probe_result {
    rft_outcome outcome;
    const char *reason; /* NULL when ok */
    const char *log;    /* NULL */
    rft_facts facts;    /* occupancy, waves, registers as the driver sees them */
    rft_verification verification;
    rft_measurement measurement;
    /* Worker processes that ended over this point: 0 to 2. 1 with a poisoned context, a time limit, or an accident that
     * the second attempt did not repeat; 2 when the second attempt's worker ended too. Always 0 without workers. */
    int workers_lost;
} rft_probe_result;

typedef struct rft_probe rft_probe;
struct rft_probe {
    /* Results live in `arena`. A failing point is an outcome and returns 0; an error (RFT_E_WORKER, RFT_E_DEVICE)
     * means the probe itself is lost. */
    int (*measure)(rft_probe *self, const rft_probe_request *request, rft_arena *arena, rft_probe_result *out,
                   rft_err *err);
    /* Measures (or looks up) all ceilings. */
    int (*ceilings)(rft_probe *self, rft_arena *arena, rft_ceilings *out, rft_err *err);
    /* Facts of the device, and the environment. */
    int (*device)(rft_probe *self, rft_arena *arena, rft_gpu_info *gpu, rft_env *env, rft_err *err);
    void (*free)(rft_probe *self);
    /* NULL, or: what can wait until the answer is given (unloading code), so that it is done while the other side
     * thinks. The next call does it otherwise. */
    void (*rest)(rft_probe *self);
    /* NULL, or: this request will likely be the next. What takes no notice of the device's work may be done ahead:
     * handing it over, loading its code. It promises nothing; the request may differ then in rival_s and meanwhile. */
    void (*expect)(rft_probe *self, const rft_probe_request *request);
};

/* Measures on `gpu`. Compiles its own small kernels (fill, poison, flush, compare, stamps, ceilings) with `compiler`.
 * Borrows all three. */
int rft_protocol_new(rft_probe **out, rft_gpu *gpu, rft_compiler *compiler, const rft_clock *clock, const rft_log *log,
                     rft_err *err);

/* What the protocol compiles for itself on a device of this architecture, so that compile workers can have it in the
 * cubin cache before the device worker asks: the kernels every point needs first, then those of the ceilings. Returns
 * the number of requests; they live in `arena`. */
size_t rft_protocol_units(const char *arch, rft_arena *arena, rft_compile_request **out, size_t *first_of_ceilings);

/* Answers from `recording` (borrowed). Problems, variants and configurations are matched by name and value, sweeps by
 * name, so a sweep script may have changed its order. */
int rft_replay_new(rft_probe **out, const rft_run *recording, rft_err *err);

#endif
