/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocol_state.h - what the measuring probe keeps from one point to the next (private to harness/measure).
 *
 * One rft_protocol stands on one rft_gpu. Functions that use the device return 0 or a negative rft_code with the
 * driver's text in `err`; protocol.c turns that into the point's outcome. One thread.
 */
#ifndef RFT_MEASURE_PROTOCOL_STATE_H
#define RFT_MEASURE_PROTOCOL_STATE_H

#include "measure/probe.h"

/* ---- the project's own kernels, and what they write to (device_kernels.c; sources in device/) ---- */

typedef enum rft_builtin {
    RFT_BUILTIN_FILL,
    RFT_BUILTIN_CONVERT,
    RFT_BUILTIN_MAGNITUDE,
    RFT_BUILTIN_COMPARE,
    RFT_BUILTIN_CHECKSUM,
    RFT_BUILTIN_FOLD,
    RFT_BUILTIN_GUARD_MARK,
    RFT_BUILTIN_GUARD_CHECK,
    RFT_BUILTIN_FLUSH_WRITE,
    RFT_BUILTIN_FLUSH_READ,
    RFT_BUILTIN_STAMP,
    RFT_BUILTIN_BLOCK,
    RFT_BUILTIN_EMPTY,
    RFT_BUILTIN_COUNT
} rft_builtin;
#define RFT_BUILTIN_GROUPS 4 /* compiled apart from each other */

/* Every thread of a reducing kernel writes one partial result; the device folds them to a verdict of a few, the host
 * folds those. */
#define RFT_PARTIAL_BLOCKS 256u
#define RFT_PARTIAL_THREADS 256u
#define RFT_PARTIAL_COUNT (RFT_PARTIAL_BLOCKS * RFT_PARTIAL_THREADS)
#define RFT_PARTIAL_BYTES 48u
#define RFT_HALF_COUNT 1024u  /* partial results after the first of two folds */
#define RFT_VERDICT_COUNT 32u /* partial results that reach the host */
#define RFT_VERDICT_BYTES (RFT_VERDICT_COUNT * RFT_PARTIAL_BYTES)

typedef struct rft_builtins {
    bool ready; /* everything here, the events and the mapped memory of `sampling` included */
    rft_module *modules[RFT_BUILTIN_GROUPS];
    rft_function *functions[RFT_BUILTIN_COUNT];
    rft_device_ptr partials; /* RFT_PARTIAL_COUNT of RFT_PARTIAL_BYTES, and RFT_HALF_COUNT behind them */
    rft_device_ptr verdicts_device;
    unsigned char *verdicts; /* heap; as read last */
    size_t verdict_capacity; /* of both */
} rft_builtins;

/* ---- samples (sampling.c) ---- */

#define RFT_STAMP_SLOTS 256u /* SMs a stamp has room for */
#define RFT_STAMP_BYTES 32u  /* of a slot */

/* A sample on its way. */
#define RFT_SHOTS 2u
typedef struct rft_shot {
    rft_event *start, *stop, *done; /* around what is timed; behind the second stamp */
    rft_device_ptr stamps_device;   /* two stamps of RFT_STAMP_SLOTS slots, in mapped memory */
    const void *stamps;             /* the host's view of them */
    uint32_t ticket;
    bool blocked; /* queued behind a blocking kernel */
} rft_shot;

typedef struct rft_sampling {
    rft_shot shots[RFT_SHOTS];
    volatile uint32_t *block_words; /* host's view of the blocking kernel's flags (device/block.cu) */
    rft_device_ptr block_device;
    uint32_t ticket; /* of the last sample */
    bool blocking;   /* off for a point whose launches cannot be queued behind the blocking kernel */
    rft_device_ptr flush_out, flush_in;
    uint64_t flush_bytes;   /* of each of the two; 0: not allocated yet */
    int64_t last_active_ns; /* when the device last had work; 0: never */
} rft_sampling;

/* Phases of a point, besides its samples, that count towards rft_measurement.busy_s. */
typedef enum rft_span_id {
    RFT_SPAN_REFERENCE,
    RFT_SPAN_PREPARE,
    RFT_SPAN_RUN, /* the verified run */
    RFT_SPAN_COMPARE,
    RFT_SPAN_WARM,
    RFT_SPAN_COUNT
} rft_span_id;
typedef struct rft_span {
    rft_event *start, *stop;
    bool used; /* since the point began */
} rft_span;
typedef struct rft_busy {
    rft_span spans[RFT_SPAN_COUNT];
    double samples_s; /* since the point began, or of all ceilings */
} rft_busy;

/* ---- the current problem's buffers (buffers.c) ---- */

/* A buffer of the current problem, kept on the device while the problem stays the same. */
typedef struct rft_kept {
    char *name; /* heap */
    rft_type type;
    uint64_t count;
    rft_buffer_role role;
    rft_fill fill; /* its text on the heap; without what belongs to a point */
    bool filled;
    rft_device_ptr data;      /* CONSTANT: what is copied to the variable of each module */
    rft_device_ptr original;  /* INOUT: its seeded contents; else 0 */
    rft_device_ptr reference; /* OUTPUT, INOUT: what the reference computed; else 0 */
    uint64_t checksum;        /* INPUT, CONSTANT: of its contents */
    double scale;             /* OUTPUT, INOUT: mean |reference|, once that is there */
    bool wanted;              /* by the point in hand */
} rft_kept;
typedef struct rft_kept_problem {
    char *key; /* heap */
    uint64_t seed;
    char reference_hash[65];
    bool reference_done;
    rft_kept *buffers;
    size_t count, capacity;
    rft_device_ptr copies; /* of the last point's buffers, one after the other; 0: none */
    uint64_t copies_bytes;
} rft_kept_problem;

/* ---- what else outlives a point ---- */

/* What is known of the device's clock since the process began (throttling.c). */
typedef struct rft_clock_watch {
    rft_throttle_steady steady;
    rft_throttle_counters counters; /* as read last */
    bool has_read;
    double since_s; /* host clock at the first point */
    double spent_s; /* of it on measuring again, waiting included */
} rft_clock_watch;

/* The vendor's library (vendor_point.c). */
typedef struct rft_vendor_use {
    rft_vendor_source source;
    rft_vendor *library;   /* opened when the first point calls it */
    rft_err missing;       /* why it could not be; code 0: not tried, or there */
    rft_vendor_plan *plan; /* of the last point that calls it, and its workspace */
    rft_device_ptr work;
} rft_vendor_use;

/* The profiler (counted_point.c). */
typedef struct rft_counting_use {
    rft_counting_source source;
    rft_counting *profiler; /* opened when the first point is counted */
    rft_err missing;        /* why it could not be; code 0: not tried, or there */
    bool has_counted;       /* at least one point, in this process */
} rft_counting_use;

/* Code of other points than the one in hand. */
typedef struct rft_other_code {
    rft_module *used;     /* the last point's, to be unloaded; NULL */
    bool lingers;         /* it may be there while other code runs */
    rft_module **counted; /* likewise, of points that were counted: they stay until the profiler is detached; heap */
    size_t counted_count, counted_room;
    rft_module *expected;   /* the next point's, if it comes; NULL */
    char expected_hash[65]; /* its cubin_hash */
} rft_other_code;

#define RFT_LOAD_MARKS 4u /* two batches of launches on their way, an event at both ends */

typedef struct rft_protocol {
    rft_probe probe;
    rft_gpu *gpu;
    rft_compiler *compiler;
    const rft_clock *clock;
    const rft_log *log;
    rft_gpu_info info;
    rft_meter *meter;   /* borrowed; NULL: none */
    char no_meter[256]; /* then: why */
    bool bare;          /* buffers have no padding: a sanitizer sees where they end */
    bool dead;          /* after a sticky error */
    rft_err death;      /* that error */

    rft_builtins builtins;
    rft_sampling sampling;
    rft_busy busy;
    rft_other_code code;
    rft_kept_problem kept;
    rft_clock_watch watch;
    rft_vendor_use vendor;
    rft_counting_use counting;
    /* timing.c: an empty kernel's time, not flushed and flushed; 0: not read yet */
    double floor_s[RFT_TIMING_COUNT][2];
    double alone_frac; /* batching.c: a sample of one run over the verified run, as of the last such point; 0: none */
    rft_event *load_marks[RFT_LOAD_MARKS]; /* loading.c: of the first load on */
    const rft_ceilings_request *asked;     /* while ceilings are measured; NULL: all, in bursts */
} rft_protocol;

#endif
