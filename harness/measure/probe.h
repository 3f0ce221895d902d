/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe.h - point in, measurement out. Implementations: protocol.h (measures over gpu.h), replay.h (answers from a
 * recording), and the client of the device worker in run.
 */
#ifndef RFT_MEASURE_PROBE_H
#define RFT_MEASURE_PROBE_H

#include "base/clock.h"
#include "base/hash.h"
#include "gpu/compiler.h"
#include "gpu/counting.h"
#include "gpu/gpu.h"
#include "gpu/meter.h"
#include "gpu/vendor.h"
#include "model/run/run.h"

/* What a point is put under load for. */
typedef struct rft_load_order {
    bool wanted;
    rft_load_kind kind;
    double seconds; /* ENERGY and IDLE: at least; up to RFT_LOAD_PATIENCE times as long where the sensor is slow */
    /* Asked now and then meanwhile: true ends it, and the load is `cut`. NULL: never. */
    bool (*stop)(void *payload);
    void *payload;
} rft_load_order;
#define RFT_LOAD_PATIENCE 4.0
#define RFT_LOAD_LEAD_S 0.15 /* ENERGY: not counted, until the power stands still */
#define RFT_LOAD_REST_S 0.5  /* IDLE: before it, the clocks come down */

/* What a point is at, in this order; each may be passed over, TIME comes again with every attempt, and PREPARE behind
 * each FILL. */
typedef enum rft_phase {
    RFT_PHASE_PREPARE, /* loading code, filling buffers; of a vendor's call its algorithms */
    RFT_PHASE_FILL,    /* a kernel of the sweep's fills a buffer; once for each, and only where it is not filled yet */
    RFT_PHASE_REFERENCE, /* the reference is launched, once for a problem */
    RFT_PHASE_RUN,       /* the first run of the point's own launches */
    RFT_PHASE_COMPARE,   /* its results; what is needed before timing */
    RFT_PHASE_TIME,      /* samples */
    RFT_PHASE_LOAD,      /* without a pause, for as long as `load` says */
    RFT_PHASE_COUNT
} rft_phase;

typedef struct rft_probe_request {
    const char *key; /* names it among the requests of a session, with `round`; NULL: nothing is expected */
    /* Which point it is: what replay looks up. */
    const rft_sweep *sweep;
    size_t variant;
    const rft_problem *problem;
    const rft_value *config;
    int round;        /* 0 .. RFT_ROUNDS - 1 */
    bool verify_only; /* odd problems: check, do not time */
    int repeats;      /* in place of timing it is launched so often, and every result is compared; 0: not */
    /* What to do: */
    const rft_point_spec *spec;
    const rft_compile_result *unit;
    const rft_compile_result *reference;    /* of spec->check.reference; NULL: there is none */
    const rft_compile_result *truth;        /* of that one's, where it is a variant; NULL */
    const rft_compile_result *const *fills; /* per spec->buffers: of those that a kernel fills; NULL: none does */
    const char *problem_key;  /* equal keys: same inputs and reference results may be kept on the device */
    rft_measure_opts measure; /* of this round */
    rft_load_order load;      /* wanted: in place of timing, behind the verification */
    double rival_s;      /* median of the best so far on this problem: a clearly slower point stops early; 0: none */
    rft_race_limits few; /* with it: what the verified run and few samples tell */
    /* NULL, or: called at most once, while another process is at work on the request. May call expect(), nothing else
     * of the probe. */
    void (*meanwhile)(void *payload);
    /* NULL, or: told of every phase but the first PREPARE as it begins. Never between samples. It may change rival_s
     * and few, and with COMPARE verify_only. */
    void (*enter)(void *payload, rft_phase phase, size_t buffer); /* FILL: which of spec->buffers; else 0 */
    /* NULL, or: called now and then while the device is at work. May call expect() where that is not timed, nothing
     * else of the probe. */
    void (*works)(void *payload, bool timed);
    void *payload; /* of all three */
    bool verified; /* by an earlier request: it is run once and timed, nothing is compared */
    bool surely;   /* expect(): as far as can be known it comes next, and may be measured before it is asked for */
    int turn;      /* final round: 0, 1, 2, ... of the turns it is measured in; steps are timed in the first */
    uint64_t draw; /* 0, or: a process of its own serves all requests of this number; without processes nothing does */
    double steady_mhz; /* of the run (model/stats/throttle.h), for a process that has seen little of it; 0: its own */
    bool held;         /* its clock is held below the run's: it is loaded in before its samples (timing.c) */
    size_t reading; /* 0, or: this is reading 1, 2, ... of the problem's reference, of which replay knows the numbers */
} rft_probe_request;

typedef struct rft_probe_result {
    rft_outcome outcome;
    const char *reason; /* NULL when ok */
    const char *log;    /* NULL */
    rft_facts facts;    /* occupancy, waves, registers as the driver sees them */
    rft_verification verification;
    rft_measurement measurement;
    const rft_load *load; /* when it was wanted and the outcome is ok; else NULL */
    /* Worker processes that ended over this point: 0 to 2. 1 with a poisoned context, a time limit, or an accident that
     * the second attempt did not repeat; 2 when the second attempt's worker ended too. Always 0 without workers. */
    int workers_lost;
    unsigned process; /* which of the probe's processes answered, from 1; 0: it has none */
    double reading_s; /* replay, of a reading of the reference: since its run began. NaN: now */
    /* Of a call of the vendor's library; NULL and 0 for kernels, and where the library is not there. */
    const char *library; /* "cuBLASLt 13.1.0" */
    const char *algo;    /* "algo 66, tile 128x256" */
    int algo_count;      /* how many its list has for this problem */
    int repeats;         /* launches that were compared, all within the tolerance; 0: not asked for */
    int repeats_differ;  /* of these, whose outputs are not bit by bit those of the first */
} rft_probe_result;

/* Which ceilings, and how. */
typedef struct rft_ceilings_request {
    rft_ceiling_set wanted; /* RFT_CEILING_BIT()s; the others come back not measured, with rft_ceiling_not_asked() */
    double soak_s;          /* seconds of load before the sustained rate of each is read; 0: burst alone */
} rft_ceilings_request;

typedef struct rft_count_result {
    rft_counters counters; /* what could not be counted has its reason */
    bool worker_lost;      /* the worker process ended over it, or had to be ended */
} rft_count_result;

typedef struct rft_probe rft_probe;
struct rft_probe {
    /* Results live in `arena`. A failing point is an outcome and returns 0; an error (RFT_E_WORKER, RFT_E_DEVICE)
     * means the probe itself is lost. */
    int (*measure)(rft_probe *self, const rft_probe_request *request, rft_arena *arena, rft_probe_result *out,
                   rft_err *err);
    /* Measures ceilings; a replay looks them up, whatever is asked. `request` NULL: all of them, in bursts. */
    int (*ceilings)(rft_probe *self, const rft_ceilings_request *request, rft_arena *arena, rft_ceilings *out,
                    rft_err *err);
    /* What the device draws when it does nothing; order->kind is IDLE. A meter that is missing is told in *out. */
    int (*idle)(rft_probe *self, const rft_load_order *order, rft_arena *arena, rft_load *out, rft_err *err);
    /* Facts of the device, and the environment. */
    int (*device)(rft_probe *self, rft_arena *arena, rft_gpu_info *gpu, rft_env *env, rft_err *err);
    /* Counts what the point's launches do, in runs of their own that nothing times; verifies nothing. Where there are
     * processes, in one of its own: nothing is timed where the profiler was opened. `round` and
     * `rival_s` do not matter. What goes wrong over this point is a reason in the result, and returns 0. RFT_E_LIMIT,
     * RFT_E_NOT_FOUND, with a remedy: nothing can be counted here at all (a replay: of this point, "not recorded").
     * NULL: this probe counts nothing. */
    int (*count)(rft_probe *self, const rft_probe_request *request, const rft_counter_set *set, rft_arena *arena,
                 rft_count_result *out, rft_err *err);
    /* NULL, or (replay): the recorded baselines of a problem. The array lives in `arena`, what it points to as long as
     * the recording. */
    size_t (*baselines)(rft_probe *self, const rft_sweep *sweep, const rft_problem *problem, rft_arena *arena,
                        const rft_baseline ***out);
    void (*free)(rft_probe *self);
    /* NULL, or: what can wait until the answer is given (unloading code), so that it is done while the other side
     * thinks. The next call does it otherwise. */
    void (*rest)(rft_probe *self);
    /* NULL, or: this request will likely be the next. What takes no notice of the device's work may be done ahead:
     * handing it over, loading its code. It promises nothing; the request may differ then in rival_s, few and
     * meanwhile. */
    void (*expect)(rft_probe *self, const rft_probe_request *request);
    /* NULL, or: so many processes of the final round will follow. Called while nothing else can be done: what they need
     * before they have the device may be done ahead. */
    void (*follow)(rft_probe *self, size_t processes);
};

/* How the protocol opens the vendor's library and the profiler: see protocol.h. */
typedef struct rft_vendor_source {
    int (*open)(void *self, rft_gpu *gpu, rft_vendor **out, rft_err *err);
    void *self;
} rft_vendor_source;
typedef struct rft_counting_source {
    int (*open)(void *self, rft_gpu *gpu, rft_counting **out, rft_err *err);
    void *self;
} rft_counting_source;

#endif
