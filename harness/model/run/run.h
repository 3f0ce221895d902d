/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - a run as data: what the store keeps, a recording carries, the report prints and replay answers from.
 * Everything hangs on one arena.
 */
#ifndef RFT_MODEL_RUN_H
#define RFT_MODEL_RUN_H

#include "base/arena.h"
#include "model/card/gpu_info.h"
#include "model/run/counters.h"
#include "model/run/load.h"
#include "model/run/step.h"
#include "model/stats/stats.h"
#include "model/sweep/outcome.h"
#include "model/sweep/sweep.h"
#include "model/sweep/work.h"

/* ---- environment: every fact with a value, or a reason why it is missing ---- */
typedef struct rft_env_item {
    const char *key;    /* "gpu.power_limit_w", "host.cpu", "nvrtc.version" (docs/environment.md lists all) */
    const char *value;  /* NULL = not known */
    const char *reason; /* why not known; NULL when value is there */
} rft_env_item;

typedef struct rft_env {
    rft_env_item *items;
    size_t count, capacity;
} rft_env;

/* Appends (copies into the arena) or replaces the key. value NULL needs a reason. */
void rft_env_set(rft_env *env, rft_arena *arena, const char *key, const char *value, const char *reason);
const rft_env_item *rft_env_get(const rft_env *env, const char *key); /* NULL when absent */
const char *rft_env_value(const rft_env *env, const char *key);       /* NULL when absent or not known */

/* ---- ceilings ---- */
/* name, what the operation is, unit. */
#define RFT_CEILING_MAP(X)                                                                                             \
    X(DRAM_READ, "dram_read", "device memory, read", "B/s")                                                            \
    X(DRAM_WRITE, "dram_write", "device memory, write", "B/s")                                                         \
    X(DRAM_COPY, "dram_copy", "device memory, copy (1:1)", "B/s")                                                      \
    X(DRAM_2TO1, "dram_2to1", "device memory, 2 reads : 1 write", "B/s")                                               \
    X(L2_READ, "l2_read", "L2, read", "B/s")                                                                           \
    X(L1_READ, "l1_read", "L1, read", "B/s")                                                                           \
    X(SHARED_READ, "shared_read", "shared memory, read", "B/s")                                                        \
    X(FP64, "fp64", "FP64 FMA", "FLOP/s")                                                                              \
    X(FP32, "fp32", "FP32 FMA", "FLOP/s")                                                                              \
    X(FP16, "fp16", "FP16 packed FMA", "FLOP/s")                                                                       \
    X(SFU, "sfu", "ex2", "op/s")                                                                                       \
    RFT_TENSOR_PIPE_MAP(X)                                                                                             \
    X(LAUNCH, "launch", "empty kernel between two events", "s")                                                        \
    X(H2D, "h2d", "copy from host, pinned", "B/s")                                                                     \
    X(D2H, "d2h", "copy to host, pinned", "B/s")

typedef enum rft_ceiling_id {
#define RFT_CEILING_ENUM(name, text, label, unit) RFT_CEILING_##name,
    RFT_CEILING_MAP(RFT_CEILING_ENUM)
#undef RFT_CEILING_ENUM
        RFT_CEILING_COUNT,
    RFT_CEILING_TENSOR_FIRST = RFT_CEILING_TENSOR_FP64, /* the matrix units */
    RFT_CEILING_TENSOR_END = RFT_CEILING_LAUNCH
} rft_ceiling_id;

/* Sets of ceilings, one bit each. */
#define RFT_CEILING_BIT(id) (1u << (id))
#define RFT_CEILINGS_ALL (RFT_CEILING_BIT(RFT_CEILING_COUNT) - 1u)

/* For RFT_CEILING_COUNT ("no ceiling"): "none", "none", "". */
const char *rft_ceiling_name(rft_ceiling_id id);
const char *rft_ceiling_label(rft_ceiling_id id);
const char *rft_ceiling_unit(rft_ceiling_id id);
bool rft_ceiling_from_name(rft_ceiling_id *out, const char *name);

typedef struct rft_ceiling {
    bool measured; /* false: `reason` says why */
    const char *reason;
    rft_stats stats;             /* of the rate, in the ceiling's unit (LAUNCH: seconds) */
    const char *kernel;          /* the operation behind it: "copy, 16-byte loads, 4 in flight, 2 x 2 GiB" */
    double clock_mhz;            /* median SM clock while measuring; NaN = not read */
    double datasheet;            /* NaN = not known */
    const char *datasheet_basis; /* "at 1830 MHz boost" */
    double limit;                /* the hardware's own: bus rate, pipe width x maximum clock; NaN = not known */
    const char *limit_basis;     /* "3201 MHz x 2 x 6144 bit" */
    bool at_least;              /* measured on a path slower than the architecture's own: a lower bound only, printed as
                                 * "at least", and nothing is judged, pruned or certified by it */
    rft_stats sustained;        /* the same operation's rate after seconds of load; n = 0: not measured */
    double sustained_clock_mhz; /* median SM clock meanwhile; NaN = not read */
    int64_t measured_unix_ns;   /* when; 0 = not recorded. Before the run began: it was kept from then */
} rft_ceiling;

/* Indexed by rft_ceiling_id. */
typedef struct rft_ceilings {
    rft_ceiling items[RFT_CEILING_COUNT];
    double busy_s; /* the GPU ran the measuring kernels, all tries together; 0 = nothing was measured in this session */
} rft_ceilings;

/* Nothing measured, for this reason; nothing known. */
rft_ceiling rft_ceiling_none(const char *reason);

/* The rate to judge by; NaN when not measured, where it is only a lower bound, and for RFT_CEILING_COUNT. */
double rft_ceilings_rate(const rft_ceilings *ceilings, rft_ceiling_id id);
/* The rate under seconds of load; NaN when not measured, or only a lower bound, and for RFT_CEILING_COUNT. */
double rft_ceilings_sustained_rate(const rft_ceilings *ceilings, rft_ceiling_id id);
/* "at least " or "", to print before the rate. Static. */
const char *rft_ceiling_prefix(const rft_ceiling *ceiling);
/* Burst and sustained rate differ by more than 3 %: both are worth showing. */
bool rft_ceiling_sags(const rft_ceiling *ceiling);
/* When the oldest of what is measured was measured; 0 = nothing is, or not recorded. */
int64_t rft_ceilings_measured_unix_ns(const rft_ceilings *ceilings);
/* "3 h", "12 min", "5 s": how old the oldest was at that time; NULL when it was not there before, or is not recorded.
 * For a run's beginning: how long its ceilings had been kept. In `arena`. */
const char *rft_ceilings_age_text(const rft_ceilings *ceilings, int64_t at_unix_ns, rft_arena *arena);

/* ---- points ---- */
/* Static facts of the compiled configuration, and what the device makes of it. -1 / NaN = not known. */
typedef struct rft_facts {
    int registers;   /* per thread, maximum over the launches */
    int spill_bytes; /* spill stores + loads, sum over entries */
    int stack_bytes;
    int64_t shared_static_bytes;
    int64_t shared_dynamic_bytes;
    int blocks_per_sm;      /* resident, of the longest launch */
    double occupancy_frac;  /* theoretical: resident warps / maximum */
    double waves;           /* grid blocks / (blocks_per_sm * SMs) */
    const char *cubin_hash; /* SHA-256 hex; NULL */
    double compile_s;       /* 0 when it came from the cache */
    bool from_cache;
} rft_facts;
rft_facts rft_facts_unknown(void);

typedef struct rft_verification {
    bool done;
    double tol;             /* the tolerance judged by, of the worst buffer */
    double worst_frac;      /* max of |o - r| / (tol * (|r| + scale)): <= 1 passes; for integers 0 or inf */
    double worst_abs_error; /* |o - r| at that element */
    double got, want;       /* there */
    const char *buffer;     /* there */
    uint64_t index;         /* element */
    uint64_t wrong_count, total_count;
} rft_verification;

typedef struct rft_measurement {
    double *samples_s;  /* seconds of one run of the point, every one, in order taken; NULL when n = 0 */
    double *clocks_mhz; /* SM clock during each of these samples, NaN where it was not read; NULL = not recorded */
    size_t n;
    rft_stats stats; /* of samples_s */
    rft_stop_reason stop;
    rft_cache_mode cache;
    double clock_mhz; /* median SM clock over the samples; NaN = not read */
    double wall_s;    /* time spent */
    double verify_s;
    double busy_s;  /* the GPU ran what is verified and measured: reference, comparison, warm-up and timed launches; not
                     * flushing, not spinning, not waiting for the host. NaN = not recorded */
    double *step_s; /* final round: median of each launch alone; NULL otherwise */
    size_t step_count;
    int batch; /* runs of the point between the two events of a sample, which is their mean; 0 = not recorded: one */
    double floor_s; /* an empty kernel between the same two events. NaN = not read: the point is much longer, or it was
                     * recorded before. Never subtracted */
    /* Throttling (model/stats/throttle.h). attempts 0: nobody looked, or it was not recorded; then the rest is NaN and
     * NULL.
     */
    int attempts;               /* at these samples; the least affected one is kept */
    double affected_frac;       /* of the samples kept that ran below the run's clock */
    double steady_mhz;          /* that clock; NaN = there was nothing to compare with */
    const char *throttle_cause; /* rft_throttle_name(): what held the clock down; NULL: no sample is affected */
    const char *throttle_note;  /* a sentence on it, without a full stop; NULL likewise */
    /* Final round: turns its samples were taken in, joined in order; it goes on while `stop` is NOT_YET. 0: at once, or
     * not recorded. */
    int turns;
} rft_measurement;
/* Not measured: no samples, NaN where a number may be absent. */
rft_measurement rft_measurement_none(void);
/* SM cycles of one run: median over the samples of seconds x clock; NaN where the samples' clocks are not there. */
double rft_measurement_cycles(const rft_measurement *m);
/* A time under this many times the floor is near it: part of it is the launch. */
#define RFT_NEAR_FLOOR 10.0
/* The floor that a sample of one run is near to: its own reading of it, else the ceilings' (NULL = none). NaN where the
 * time is far from it, it is not known, or the samples are batches, which hide it. */
double rft_measurement_near_floor_s(const rft_measurement *m, const rft_ceilings *ceilings);
/* What must be said beside the number, in words without a full stop: that it is near the floor, that samples are
 * batches, that they are not independent. NULL = nothing. Text in `arena`. */
const char *rft_measurement_note(const rft_measurement *m, const rft_ceilings *ceilings, rft_arena *arena);
/* Did sample `i` run more than RFT_THROTTLE_BELOW_FRAC below the run's clock? Where no clock was read, all did or none.
 */
bool rft_measurement_affected(const rft_measurement *m, size_t i);
/* Adds a further turn's samples, with all that was spent on them; `into` may be none so far. `stop` is left to who
 * decides on more turns. What it needs is copied into the arena. */
void rft_measurement_join(rft_measurement *into, const rft_measurement *turn, rft_arena *arena);

#define RFT_ROUNDS 2 /* 0: the sweep; 1: the final round of the best few, in turns */

typedef struct rft_point {
    int64_t id;                     /* 1.. in the order committed */
    size_t sweep, variant, problem; /* indices into the run's sweeps and the sweep's variants and problems */
    rft_value *config;              /* one per parameter of the variant */
    rft_outcome outcome;
    const char *reason; /* NULL when ok */
    const char *log;    /* compiler log or fault text; NULL */
    int64_t alias_of;   /* id of the point with the same cubin and launch, whose numbers these are; 0 = own */
    int workers_lost;   /* device workers that ended over it, both rounds together; 0 for an alias */
    bool is_default;    /* every parameter at its default */
    bool transferred;   /* tried before others because it was among the best on another problem */
    bool has_launch;    /* the first kernel launch's shape is known: */
    int64_t grid[3], block[3];
    rft_facts facts;
    rft_verification verification;
    rft_measurement rounds[RFT_ROUNDS];          /* n = 0: not in that round */
    const rft_load *loads[RFT_LOAD_POINT_KINDS]; /* energy and soak, by kind; NULL: not taken. An alias has none */
    rft_work work;
    rft_traffic traffic; /* modelled; what was counted stands beside it (model/roofline/counted.h) */
    rft_step *steps;     /* its launches where there are several; NULL: one, or not recorded */
    size_t step_count;
    /* What hardware counters said, an alias' those of the point it stands for; NULL: not counted, or not recorded. */
    const rft_counters *counters;
} rft_point;

/* The round that is reported: the final one if there was one. NULL when not measured. */
const rft_measurement *rft_point_measurement(const rft_point *point);
double rft_point_median_s(const rft_point *point); /* NaN when not measured */

/* One reading of a problem's reference, which is measured again after every RFT_DRIFT_EVERY points
 * (model/stats/drift.h). */
typedef struct rft_reference {
    size_t sweep, problem;
    int64_t point;       /* id of the reference */
    int64_t after_point; /* id of the point it was measured behind */
    double time_s;       /* since the run began, its sessions one behind the other; NaN = not known */
    size_t n;            /* samples */
    double median;       /* seconds; NaN: it failed */
    double low, high;    /* as rft_stats has them */
    double clock_mhz;    /* median SM clock; NaN = not read */
} rft_reference;

/* ---- baselines: what the best of a problem is compared with (model/run/baseline.h, docs/baselines.md) ---- */
#define RFT_BASELINE_BEST "best"   /* the fastest of the library's list */
#define RFT_BASELINE_FIRST "first" /* the one that the library would take itself */
#define RFT_BASELINE_GIVEN "given" /* imported */

typedef struct rft_baseline {
    size_t sweep, problem;
    const char *name;           /* "cuBLASLt" */
    const char *which;          /* one of the above */
    bool same_protocol;         /* measured in this run, as its points are; false: imported, and labelled everywhere */
    int tried;                  /* algorithms of the library's list that were timed; 0: imported, or none was */
    rft_outcome outcome;        /* not measured: `reason` */
    const char *reason;         /* NULL when ok */
    const char *library, *algo; /* "cuBLASLt 13.1.0"; "algo 66, tile 128x256"; NULL */
    const char *source;         /* imported: where it is from; NULL otherwise */
    rft_verification verification;
    rft_measurement measurement; /* imported: n = 0; the stats' median, and low and high where they are given */
} rft_baseline;

/* ---- the run ---- */
typedef struct rft_run_sweep {
    rft_sweep sweep;     /* data only: vt is NULL. `with` axes are in every problem's values */
    uint64_t *cartesian; /* per variant * problem_count + problem */
    uint64_t *valid;
    const char *unexplored; /* why configurations were left untried ("budget of 500"), NULL = all were tried */
} rft_run_sweep;

typedef struct rft_run_info {
    const char *id;                            /* 12 hex digits */
    const char *tool_version;                  /* "0.1.0" */
    const char *tool_revision;                 /* git hash, "+" when dirty, "unknown" */
    const char *command;                       /* as typed */
    int64_t started_unix_ns, finished_unix_ns; /* finished 0: not finished */
    uint64_t seed;
    const char *replay_of;                /* id of the recording's run when replayed; NULL = measured */
    const char *replay_path;              /* recording's file name */
    int64_t replay_started_unix_ns;       /* the recording's date */
    uint64_t recompiled, recompiled_same; /* replay: configurations compiled for real; facts equal to the recording's */
    /* Sums over all sessions; NaN = not recorded. */
    double elapsed_s; /* wall time of the sessions, from the first request to a worker to the last point */
    double busy_s;    /* of it the GPU was verifying and measuring, ceilings included (rft_measurement.busy_s) */
    double compile_s; /* core-seconds of compile workers; what came from the cache took none */
} rft_run_info;

typedef struct rft_run {
    rft_arena *arena; /* owned */
    rft_run_info info;
    rft_gpu_info gpu;
    rft_env env;
    rft_ceilings ceilings;
    const rft_load *idle; /* what the device draws when it does nothing; NULL: not taken */
    rft_run_sweep *sweeps;
    size_t sweep_count;
    rft_point *points; /* by id */
    size_t point_count;
    rft_reference *references; /* in the order taken */
    size_t reference_count, reference_capacity;
    rft_baseline *baselines; /* in the order stored */
    size_t baseline_count, baseline_capacity;
} rft_run;

/* Appends a copy. */
void rft_run_add_reference(rft_run *run, const rft_reference *reference);

rft_run *rft_run_new(void);
void rft_run_free(rft_run *run); /* NULL is accepted */

/* How long the run's ceilings had been kept when it began, or what it replays began: "3 h"; NULL when they were
 * measured in it, or it is not recorded. In `arena`. */
const char *rft_run_ceilings_age_text(const rft_run *run, rft_arena *arena);

/* What its sweep is searched for the least of: seconds, joules of one run, or joules x seconds; NaN when it is not
 * known.
 */
double rft_point_objective(const rft_run *run, const rft_point *point);
/* Is the point a candidate for best: measured, no alias, not an odd problem. */
bool rft_run_is_candidate(const rft_run *run, const rft_point *point);
/* The best candidate of a problem by its sweep's objective (where that is energy, of those whose energy is known, if
 * there are any; else the fastest); variant SIZE_MAX = over all variants. A measurement of the final round is
 * preferred to one of the sweep where both exist for the problem. NULL when none. */
const rft_point *rft_run_best(const rft_run *run, size_t sweep, size_t variant, size_t problem);
/* Candidates of a problem (variant SIZE_MAX = all), best first. Array in `arena`. */
size_t rft_run_ranked(const rft_run *run, size_t sweep, size_t variant, size_t problem, rft_arena *arena,
                      const rft_point ***out);
/* The problem of a sweep whose best takes longest: what details are shown for, and power is measured of. SIZE_MAX when
 * none was measured. */
size_t rft_run_largest(const rft_run *run, size_t sweep);
/* The median under sustained load; NaN when there was no soak. */
double rft_point_sustained_s(const rft_point *point);
/* Burst and sustained time differ by more than RFT_LOAD_APART_FRAC: both are worth telling. */
bool rft_point_sags(const rft_point *point);
/* The point of the default configuration; NULL. */
const rft_point *rft_run_default(const rft_run *run, size_t sweep, size_t variant, size_t problem);

/* "n=4096" / "TILE_M=128 TILE_N=64": heap-free text in `arena`. Only swept axes when `swept_only`. */
const char *rft_run_problem_text(const rft_run *run, size_t sweep, size_t problem, bool swept_only, rft_arena *arena);
const char *rft_run_config_text(const rft_run *run, const rft_point *point, bool tuned_only, rft_arena *arena);

#endif
