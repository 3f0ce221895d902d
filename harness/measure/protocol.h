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
    RFT_BUILTIN_FOLD,
    RFT_BUILTIN_FLUSH_WRITE,
    RFT_BUILTIN_FLUSH_READ,
    RFT_BUILTIN_STAMP,
    RFT_BUILTIN_BLOCK,
    RFT_BUILTIN_EMPTY,
    RFT_BUILTIN_COUNT
} rft_builtin;
#define RFT_BUILTIN_GROUPS 3 /* compiled apart from each other */

/* Every thread of a reducing kernel writes one partial result; the device folds them to a verdict of a few, the host
 * folds those. */
#define RFT_PARTIAL_BLOCKS 256u
#define RFT_PARTIAL_THREADS 256u
#define RFT_PARTIAL_COUNT (RFT_PARTIAL_BLOCKS * RFT_PARTIAL_THREADS)
#define RFT_PARTIAL_BYTES 40u
#define RFT_HALF_COUNT 1024u  /* partial results after the first of two folds */
#define RFT_VERDICT_COUNT 32u /* partial results that reach the host */
#define RFT_VERDICT_BYTES (RFT_VERDICT_COUNT * RFT_PARTIAL_BYTES)

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

#define RFT_LOAD_MARKS 4u /* two batches of launches on their way, an event at both ends */

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
    double scale;             /* OUTPUT, INOUT: mean |reference|, once that is there */
    bool wanted;              /* by the point in hand */
} rft_kept;

/* What is known of the device's clock since the process began (throttling.c). */
typedef struct rft_watch {
    rft_throttle_steady steady;
    rft_throttle_counters counters; /* as read last */
    bool has_read;
    double since_s; /* host clock at the first point */
    double spent_s; /* of it on measuring again, waiting included */
} rft_watch;

typedef struct rft_protocol {
    rft_probe probe;
    rft_gpu *gpu;
    rft_compiler *compiler;
    const rft_clock *clock;
    const rft_log *log;
    rft_gpu_info info;
    rft_meter *meter;   /* borrowed; NULL: none */
    char no_meter[256]; /* then: why */
    rft_watch watch;

    bool ready; /* the members from here on are there */
    rft_module *modules[RFT_BUILTIN_GROUPS];
    rft_function *functions[RFT_BUILTIN_COUNT];
    rft_shot shots[RFT_SHOTS];
    rft_span spans[RFT_SPAN_COUNT];
    rft_module *used;               /* the last point's code, to be unloaded; NULL */
    rft_module *expected;           /* the next point's code, if it comes; NULL */
    char expected_hash[65];         /* of `expected`: its cubin_hash */
    double busy_s;                  /* samples since the point began, or of all ceilings */
    volatile uint32_t *block_words; /* host's view of the blocking kernel's flags (device/block.cu) */
    rft_device_ptr block_device;
    uint32_t ticket;         /* of the last sample */
    rft_device_ptr partials; /* RFT_PARTIAL_COUNT of RFT_PARTIAL_BYTES, and RFT_HALF_COUNT behind them */
    rft_device_ptr verdicts_device;
    unsigned char *verdicts; /* heap; as read last */
    size_t verdict_capacity; /* of both */
    rft_device_ptr flush_out, flush_in;
    uint64_t flush_bytes;                  /* of each of the two; 0: not allocated yet */
    int64_t last_active_ns;                /* when the device last had work; 0: never */
    rft_event *load_marks[RFT_LOAD_MARKS]; /* of the first load on */
    bool blocking;         /* off for a point whose launches cannot be queued behind the blocking kernel */
    double floor_s[2];     /* an empty kernel's time, not flushed and flushed; 0: not read yet */
    rft_device_ptr copies; /* rotation.c: copies of the last point's buffers, one after the other; 0: none */
    uint64_t copies_bytes;

    char *problem_key; /* heap; of what is kept */
    uint64_t seed;
    char reference_hash[65];
    bool reference_done;
    rft_kept *kept;
    size_t kept_count, kept_capacity;

    rft_vendor_source vendor_source;
    rft_vendor *vendor;           /* opened when the first point calls it */
    rft_err vendor_missing;       /* why it could not be; code 0: not tried, or there */
    rft_vendor_plan *vendor_plan; /* of the last point that calls it, and its workspace */
    rft_device_ptr vendor_work;

    const rft_ceilings_request *asked; /* while ceilings are measured; NULL: all, in bursts */

    rft_counting_source counting_source;
    rft_counting *counting;   /* opened when the first point is counted */
    rft_err counting_missing; /* why it could not be; code 0: not tried, or there */
    bool has_counted;         /* at least one point, in this process */

    bool dead;     /* after a sticky error */
    rft_err death; /* that error */
} rft_protocol;

/* Compiles and loads the kernels, events and work space at the first use. */
int rft_protocol_prepare(rft_protocol *p, rft_err *err);
/* RFT_E_DEVICE: what the context died of. */
int rft_protocol_refuse_dead(const rft_protocol *p, rft_err *err);
/* Compiles a group of the embedded sources for the device and loads it. `symbols` (arena): lowered names, in order. */
typedef struct rft_kernel_group {
    const char *title;                 /* as the source is named in messages */
    const unsigned char *const *texts; /* NUL-terminated, put one after the other behind prelude.cuh */
    size_t text_count;
    const char *const *names; /* name expressions */
    size_t name_count;
    uint32_t ceilings; /* RFT_CEILING_BIT()s of what is measured with them; 0: points need them */
} rft_kernel_group;
int rft_kernels_load(rft_protocol *p, const rft_kernel_group *group, rft_module **module, rft_function **functions,
                     rft_err *err);
/* What rft_kernels_load() asks the compiler for. Lives in `arena`; borrows the group. */
rft_compile_request rft_kernels_request(const rft_kernel_group *group, const char *arch, rft_arena *arena);
/* The kernels that every point needs, apart from each other so that they can be compiled side by side. Their names
 * together are in the order of rft_builtin. */
extern const rft_kernel_group rft_builtin_groups[RFT_BUILTIN_GROUPS];

/* Launches a kernel with plain arguments. */
typedef struct rft_grid {
    unsigned blocks, threads;
} rft_grid;
int rft_kernel_launch(rft_protocol *p, rft_function *function, rft_grid grid, void **values, rft_err *err);
/* Seeds `count` elements; equal name, seed and fill give equal contents. */
int rft_kernel_fill(rft_protocol *p, const rft_buffer *buffer, uint64_t seed, rft_device_ptr to, rft_err *err);
int rft_kernel_convert(rft_protocol *p, rft_device_ptr to, rft_device_ptr from, rft_type type, uint64_t count,
                       rft_err *err);

/* ---- verdict.c: results of reducing kernels. Queue any number, each into a slot of its own, then read all ---- */

/* What to judge: `want` is double for floating-point types, `type` otherwise. */
typedef struct rft_comparison {
    rft_device_ptr got, want;
    rft_type type;
    uint64_t count;
    double tol;
    double scale; /* mean |want| */
} rft_comparison;
typedef struct rft_difference {
    double worst_frac;
    uint64_t index, wrong_count;
    double got, want; /* at index */
} rft_difference;
/* Room for `slots` verdicts. Before the first is queued: the old ones are lost. */
int rft_verdicts_take(rft_protocol *p, size_t slots, rft_err *err);
int rft_verdicts_queue_compare(rft_protocol *p, const rft_comparison *comparison, size_t slot, rft_err *err);
int rft_verdicts_queue_checksum(rft_protocol *p, rft_device_ptr data, uint64_t bytes, size_t slot, rft_err *err);
/* Mean |value| of `count` elements of a comparison's `want`. */
int rft_verdicts_queue_scale(rft_protocol *p, const rft_comparison *comparison, size_t slot, rft_err *err);
int rft_verdicts_read(rft_protocol *p, size_t slots, rft_err *err); /* waits for the stream */
rft_difference rft_verdict_difference(const rft_protocol *p, size_t slot);
uint64_t rft_verdict_checksum(const rft_protocol *p, size_t slot);
double rft_verdict_scale(const rft_protocol *p, size_t slot); /* 0 when no value is finite */
/* Queues one, and waits for it. */
int rft_kernel_checksum(rft_protocol *p, rft_device_ptr data, uint64_t bytes, uint64_t *out, rft_err *err);

/* ---- busy.c: how long the device worked on what is verified and measured ---- */
int rft_busy_begin(rft_protocol *p, rft_span_id id, rft_err *err);
int rft_busy_end(rft_protocol *p, rft_span_id id, rft_err *err);
/* Device seconds of a span; waits for its end. 0 when it was not used. */
int rft_busy_span(rft_protocol *p, rft_span_id id, double *out, rft_err *err);
/* Spans and samples since the last call, together. NaN after a fault, which leaves nothing to read. */
double rft_busy_take(rft_protocol *p);

/* ---- one point (protocol.c) ---- */

typedef struct rft_job {
    rft_protocol *p;
    const rft_probe_request *request;
    rft_arena *arena;
    rft_probe_result *out;
    bool failed;                        /* `out` holds an outcome other than ok: stop here */
    rft_kept **kept;                    /* per spec buffer */
    rft_device_ptr *data;               /* per spec buffer: where launches find it now, kept->data or a copy of it */
    int64_t started_ns;                 /* first launch of the point's own kernels */
    rft_module *module;                 /* the configuration's */
    rft_gpu_launch *prepare, *launches; /* bound; function is NULL for a memset */
    int *blocks_per_sm;                 /* per launch; 0 for a memset */
    double run_s;                       /* device time of one run of all launches, as verified */
    /* rotation.c: the buffers and their copies, used in turn */
    size_t set, set_count;
    size_t stale_sets; /* the last so many have run since their inouts were restored */
    uint64_t set_bytes, *set_offsets;
} rft_job;

/* Up to the first launch: the compiler's facts or its refusal, limits, buffers, code and arguments. */
int rft_job_start(rft_job *job, rft_err *err);
/* Makes the outcome; returns 0 so that `return rft_job_fail(...)` reads well. */
int rft_job_fail(rft_job *job, rft_outcome outcome, const char *format, ...) __attribute__((format(printf, 3, 4)));
double rft_job_elapsed_s(const rft_job *job);      /* since started_ns */
void rft_job_enter(rft_job *job, rft_phase phase); /* tells who wants to know */
/* Fails the job as timed_out when the point's time is over. */
bool rft_job_is_late(rft_job *job, const char *during);

/* buffers.c. Keeps what the last point left where it fits, allocates, seeds. Skips the point when memory is short. */
int rft_buffers_take(rft_job *job, rft_err *err);
/* The two buffers that make the cache cold, once for all points. */
int rft_buffers_take_flush(rft_protocol *p, rft_err *err);
int rft_buffers_poison(rft_job *job, rft_err *err);  /* outputs and temps */
int rft_buffers_restore(rft_job *job, rft_err *err); /* inouts, in stream order */
void rft_buffers_drop(rft_protocol *p);              /* forgets all */

/* rotation.c. Between verifying and timing: the copies that measure.cache = "rotating" needs, equal to the buffers
 * (there is one set otherwise). Skips the point when they do not fit. */
int rft_rotation_take(rft_job *job, rft_err *err);
/* Before a sample, untimed: restores the inouts of all sets that ran, and aims the launches (arguments, tensor maps,
 * windows, job->data) at the next set. */
int rft_rotation_begin(rft_job *job, rft_err *err);
/* Before each further run of the same sample: aims at the next set. */
int rft_rotation_next(rft_job *job, rft_err *err);
void rft_rotation_drop(rft_protocol *p); /* gives the copies' memory back */

/* parameters.c */
/* Fails the job when the kernel takes more parameters than it is given: the driver would read beyond them. `given` are
 * the launch's arguments. */
int rft_parameters_check(rft_job *job, rft_function *function, const rft_launch *launch, rft_err *err);
/* The same for the reference, which is given buffers and the problem. */
int rft_parameters_check_reference(rft_job *job, rft_function *function, rft_err *err);

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

/* vendor_point.c */
/* Opens the library at the first call; afterwards p->vendor is there, or p->vendor_missing says why not. */
void rft_vendor_find(rft_protocol *p);
/* Opens the library, asks it for this problem's algorithms, and takes the workspace. Skips the point when one of them
 * is not to be had. */
int rft_vendor_bind(rft_job *job, const rft_vendor_call *call, rft_err *err);
int rft_vendor_queue(rft_job *job, const rft_vendor_call *call, rft_err *err);
void rft_vendor_rest(rft_protocol *p);  /* gives back what the last point took */
void rft_vendor_close(rft_protocol *p); /* all of it, before the device is closed */

/* counting.c */
int rft_protocol_count(rft_probe *self, const rft_probe_request *request, const rft_counter_set *set, rft_arena *arena,
                       rft_count_result *out, rft_err *err);
void rft_counting_close(rft_protocol *p); /* before the device is closed */

/* verify.c. One run from poisoned outputs, all elements compared. */
int rft_verify_point(rft_job *job, rft_err *err);

/* sampling.c */
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
/* Who says how many samples there are to be. */
typedef struct rft_sampler {
    /* Is one more to be queued, while `in_flight` (0 or 1) are not taken yet? With 1 a guess will do: false only means
     * that the host waits for that one first. */
    bool (*wants)(void *self, size_t in_flight);
    void (*take)(void *self, const rft_sample *sample); /* every sample, in order */
    void *self;
    bool one_at_a_time; /* so many launches that two samples do not fit the driver's queue */
} rft_sampler;
#define RFT_HELD_LAUNCHES 256u /* the driver queues about a thousand; beyond it the host waits for the device */
/* Takes samples as long as they are wanted. */
int rft_timing_many(rft_protocol *p, const rft_timed *timed, const rft_sampler *sampler, rft_err *err);
/* Takes `count` samples. */
int rft_timing_series(rft_protocol *p, const rft_timed *timed, size_t count, rft_sample *out, rft_err *err);
/* Takes one sample. */
int rft_timing_sample(rft_protocol *p, const rft_timed *timed, rft_sample *out, rft_err *err);
/* Makes the cache cold, in stream order. */
int rft_timing_flush(rft_protocol *p, rft_err *err);
double rft_timing_since_s(const rft_protocol *p, int64_t begun_ns);
/* After a pause: keeps the device busy until its clock holds still. */
int rft_timing_wake(rft_protocol *p, rft_err *err);
/* Median that ignores NaN; NaN when nothing is left. Reorders. */
double rft_timing_median(double *items, size_t count);

/* batch.c */
/* An empty kernel between the two events, once for each process; NaN where it cannot be held back. */
int rft_batch_floor(rft_protocol *p, rft_cache_mode cache, double *out, rft_err *err);
/* Could so short a time be near the floor, whatever that is? */
bool rft_batch_may_be_near(double seconds);
/* How many runs make a sample: 1 where one is long enough, the cache is to be cold, or one run must not follow another.
 * Takes a sample of `single` where it cannot be said without; floor_s is NaN where the point is far from it. */
int rft_batch_choose(rft_job *job, const rft_timed *single, size_t *runs, double *floor_s, rft_err *err);
/* These runs as one graph, launched once already, untimed; NULL where there is to be none: the buffers change between
 * runs, or the driver cannot record them. */
int rft_batch_record(rft_job *job, const rft_timed *batch, rft_graph **out, rft_err *err);

/* timing.c. Warm-up, samples, steps. */
int rft_timing_point(rft_job *job, rft_err *err);

/* throttling.c */
/* rft_timing_point(), again while its samples ran below the run's clock; the least affected attempt is kept. */
int rft_throttling_point(rft_job *job, rft_err *err);
void rft_throttling_rest(rft_protocol *p); /* reads the counters when that was long ago */
/* Which causes can be told. */
void rft_throttling_describe(rft_protocol *p, rft_env *env, rft_arena *arena);

/* loading.c. The verified point's launches without a pause for as long as the request says, the meter being polled. */
int rft_load_point(rft_job *job, rft_err *err);
int rft_load_idle(rft_protocol *p, const rft_load_order *order, rft_arena *arena, rft_load *out, rft_err *err);

/* ceilings.c */
int rft_ceilings_measure(rft_protocol *p, const rft_ceilings_request *request, rft_arena *arena, rft_ceilings *out,
                         rft_err *err);

#endif
