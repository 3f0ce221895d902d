/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocol.h - what the files of the measuring probe share (private to harness/measure).
 *
 * One rft_protocol stands on one rft_gpu. Functions that use the device return 0 or a negative rft_code with the
 * driver's text in `err`; protocol.c turns that into the point's outcome. One thread.
 */
#ifndef RFT_MEASURE_PROTOCOL_H
#define RFT_MEASURE_PROTOCOL_H

#include "measure/probe.h"

/* ---- the project's own kernels (device_kernels.c; sources in device/) ---- */

typedef enum rft_builtin {
    RFT_BUILTIN_FILL,
    RFT_BUILTIN_CONVERT,
    RFT_BUILTIN_MAGNITUDE,
    RFT_BUILTIN_COMPARE,
    RFT_BUILTIN_CHECKSUM,
    RFT_BUILTIN_FLUSH_WRITE,
    RFT_BUILTIN_FLUSH_READ,
    RFT_BUILTIN_STAMP,
    RFT_BUILTIN_BLOCK,
    RFT_BUILTIN_EMPTY,
    RFT_BUILTIN_COUNT
} rft_builtin;

/* Every thread of a reducing kernel writes one partial result; the host folds this many in order. */
#define RFT_PARTIAL_BLOCKS 256u
#define RFT_PARTIAL_THREADS 256u
#define RFT_PARTIAL_COUNT (RFT_PARTIAL_BLOCKS * RFT_PARTIAL_THREADS)
#define RFT_PARTIAL_BYTES 24u

#define RFT_STAMP_SLOTS 256u /* SMs a stamp has room for */

/* A buffer of the current problem, kept on the device while the problem stays the same. */
typedef struct rft_kept {
    char *name; /* heap */
    rft_type type;
    uint64_t count;
    rft_buffer_role role;
    rft_fill fill;
    rft_device_ptr data;
    rft_device_ptr original;  /* INOUT: its seeded contents; else 0 */
    rft_device_ptr reference; /* OUTPUT, INOUT: what the reference computed; else 0 */
    uint64_t checksum;        /* INPUT: of its contents */
    bool wanted;              /* by the point in hand */
} rft_kept;

typedef struct rft_protocol {
    rft_probe probe;
    rft_gpu *gpu;
    rft_compiler *compiler;
    const rft_clock *clock;
    const rft_log *log;
    rft_gpu_info info;

    bool ready; /* the members from here on are there */
    rft_module *module;
    rft_function *functions[RFT_BUILTIN_COUNT];
    rft_event *start, *stop;
    volatile uint32_t *block_words; /* host's view of the blocking kernel's flag */
    rft_device_ptr block_device;
    uint32_t ticket;
    rft_device_ptr stamps;   /* two stamps of RFT_STAMP_SLOTS slots */
    rft_device_ptr partials; /* RFT_PARTIAL_COUNT * RFT_PARTIAL_BYTES */
    rft_device_ptr flush_out, flush_in;
    uint64_t flush_bytes;   /* of each of the two; 0: not allocated yet */
    int64_t last_active_ns; /* when the device last had work; 0: never */
    bool blocking;          /* off for a point whose launches cannot be queued behind the blocking kernel */

    char *problem_key; /* heap; of what is kept */
    uint64_t seed;
    char reference_hash[65];
    bool reference_done;
    rft_kept *kept;
    size_t kept_count, kept_capacity;

    bool dead;     /* after a sticky error */
    rft_err death; /* that error */
} rft_protocol;

/* Compiles and loads the kernels, events and work space at the first use. */
int rft_protocol_prepare(rft_protocol *p, rft_err *err);
/* Compiles a group of the embedded sources for the device and loads it. `symbols` (arena): lowered names, in order. */
typedef struct rft_kernel_group {
    const char *title;                 /* as the source is named in messages */
    const unsigned char *const *texts; /* NUL-terminated, put one after the other behind prelude.cuh */
    size_t text_count;
    const char *const *names; /* name expressions */
    size_t name_count;
} rft_kernel_group;
int rft_kernels_load(rft_protocol *p, const rft_kernel_group *group, rft_module **module, rft_function **functions,
                     rft_err *err);

/* Launches a kernel with plain arguments. */
typedef struct rft_grid {
    unsigned blocks, threads;
} rft_grid;
int rft_kernel_launch(rft_protocol *p, rft_function *function, rft_grid grid, void **values, rft_err *err);
/* Seeds `count` elements; equal name, seed and fill give equal contents. */
int rft_kernel_fill(rft_protocol *p, const rft_buffer *buffer, uint64_t seed, rft_device_ptr to, rft_err *err);
int rft_kernel_convert(rft_protocol *p, rft_device_ptr to, rft_device_ptr from, rft_type type, uint64_t count,
                       rft_err *err);
int rft_kernel_checksum(rft_protocol *p, rft_device_ptr data, uint64_t bytes, uint64_t *out, rft_err *err);

/* What to judge: `want` is double for floating-point types, `type` otherwise. */
typedef struct rft_comparison {
    rft_device_ptr got, want;
    rft_type type;
    uint64_t count;
    double tol;
} rft_comparison;
typedef struct rft_difference {
    double worst_frac;
    uint64_t index, wrong_count;
    double got, want; /* at index */
} rft_difference;
int rft_kernel_compare(rft_protocol *p, const rft_comparison *comparison, rft_difference *out, rft_err *err);

/* ---- one point (protocol.c) ---- */

typedef struct rft_job {
    rft_protocol *p;
    const rft_probe_request *request;
    rft_arena *arena;
    rft_probe_result *out;
    bool failed;                        /* `out` holds an outcome other than ok: stop here */
    rft_kept **kept;                    /* per spec buffer */
    int64_t started_ns;                 /* first launch of the point's own kernels */
    rft_module *module;                 /* the configuration's */
    rft_gpu_launch *prepare, *launches; /* bound; function is NULL for a memset */
    int *blocks_per_sm;                 /* per launch; 0 for a memset */
    double run_s;                       /* one run of all launches, as verified */
} rft_job;

/* Makes the outcome; returns 0 so that `return rft_job_fail(...)` reads well. */
int rft_job_fail(rft_job *job, rft_outcome outcome, const char *format, ...) __attribute__((format(printf, 3, 4)));
double rft_job_elapsed_s(const rft_job *job); /* since started_ns */
/* Fails the job as timed_out when the point's time is over. */
bool rft_job_is_late(rft_job *job, const char *during);

/* buffers.c. Keeps what the last point left where it fits, allocates, seeds. Skips the point when memory is short. */
int rft_buffers_take(rft_job *job, rft_err *err);
/* The two buffers that make the cache cold, once for all points. */
int rft_buffers_take_flush(rft_protocol *p, rft_err *err);
int rft_buffers_poison(rft_job *job, rft_err *err);  /* outputs and temps */
int rft_buffers_restore(rft_job *job, rft_err *err); /* inouts, in stream order */
void rft_buffers_drop(rft_protocol *p);              /* forgets all */

/* launching.c */
/* Skips the point when the device cannot launch what the spec asks for. Needs no device memory yet. */
void rft_launching_check(rft_job *job);
/* Loads the module, looks up functions, checks what only they tell, binds arguments, fills the facts. */
int rft_launching_bind(rft_job *job, rft_err *err);
int rft_launching_queue_prepare(rft_job *job, rft_err *err);
/* Queues launches first .. end - 1. */
int rft_launching_queue(rft_job *job, size_t first, size_t end, rft_err *err);
/* Occupancy and waves of one launch into the facts; SIZE_MAX = of the one with the most threads. */
void rft_launching_describe(rft_job *job, size_t launch);

/* verify.c. One run from poisoned outputs, all elements compared. */
int rft_verify_point(rft_job *job, rft_err *err);

/* timing.c */
typedef struct rft_timed {
    int (*before)(void *self, rft_err *err); /* untimed, in stream order; NULL = nothing */
    int (*queue)(void *self, rft_err *err);  /* what is timed */
    void *self;
    rft_cache_mode cache;
} rft_timed;
typedef struct rft_sample {
    double seconds;
    double clock_mhz; /* NaN when the stamps are not plausible */
} rft_sample;
/* Takes one sample. */
int rft_timing_sample(rft_protocol *p, const rft_timed *timed, rft_sample *out, rft_err *err);
/* After a pause: keeps the device busy until its clock holds still. */
int rft_timing_wake(rft_protocol *p, rft_err *err);
/* Median that ignores NaN; NaN when nothing is left. Reorders. */
double rft_timing_median(double *items, size_t count);
int rft_timing_point(rft_job *job, rft_err *err);

/* ceilings.c */
int rft_ceilings_measure(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err);

#endif
