/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - a run as data: what the store keeps, a recording carries, the report prints and replay answers from.
 * Everything hangs on one arena.
 */
#ifndef RFT_MODEL_RUN_H
#define RFT_MODEL_RUN_H

#include "base/arena.h"
#include "model/card/gpu_info.h"
#include "model/run/ceiling.h"
#include "model/run/counters.h"
#include "model/run/load.h"
#include "model/run/measurement.h"
#include "model/run/step.h"
#include "model/stats/stats.h"
#include "model/sweep/outcome.h"
#include "model/sweep/sweep.h"
#include "model/sweep/work.h"

/* ---- environment: every fact with a value, or a reason why it is missing ---- */
typedef struct rft_env_item {
    const char *key;    /* "gpu.ecc", "host.cpu", "nvrtc.version" (docs/environment.md lists all) */
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
/* The file that a key has the hash of: "gemv_fp16.cu" of "source.gemv_fp16.cu"; "" of a replayed recording; NULL: it is
 * no hash. */
const char *rft_env_hashed(const char *key);

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
    double rms_frac;        /* root mean square of the same over the worst buffer; NaN: not recorded */
    double worst_abs_error; /* |o - r| at that element */
    double got, want;       /* there */
    const char *buffer;     /* there */
    uint64_t index;         /* element */
    uint64_t wrong_count, total_count;
    /* What compute-sanitizer says of accesses: RFT_SANITIZER_CLEAN, "2 errors: ...", "not run: ..."; NULL: not
     * asked for. */
    const char *sanitizer;
} rft_verification;
#define RFT_SANITIZER_CLEAN "clean"

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
    double prior;       /* what the sweep's prior says: the lower, the better it should be; NaN: none */
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
/* As the sweep's own round read it, where it is in that: many points are held beside each other by this, since only a
 * few are in the final round, minutes later and on a warmer card. */
double rft_point_swept_s(const rft_point *point);
/* How much faster `after` is than `before`, both of one round: the final one where both are in it, else the sweep's
 * own. NaN where one was not measured. */
typedef struct rft_point_gain {
    double ratio;
    bool swept;     /* of the sweep's own round, though what is reported of one of them is of the final one */
    double apart_s; /* the launch floor, which one of them was timed with, and the other in runs in a row, which hide
                     * it; 0: both alike */
} rft_point_gain;
rft_point_gain rft_point_gain_of(const rft_point *before, const rft_point *after);

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
#define RFT_BASELINE_BEST "best"     /* the fastest of the library's list */
#define RFT_BASELINE_FIRST "first"   /* the one that the library would take itself */
#define RFT_BASELINE_GIVEN "given"   /* imported */
#define RFT_BASELINE_BINARY "binary" /* a kernel that was given compiled */

typedef struct rft_baseline {
    size_t sweep, problem;
    const char *name;           /* "cuBLASLt" */
    const char *which;          /* one of the above */
    bool same_protocol;         /* measured in this run, as its points are; false: imported, and labelled everywhere */
    int tried;                  /* algorithms of the library's list that were timed; 0: imported, or none was */
    rft_outcome outcome;        /* not measured: `reason` */
    const char *reason;         /* NULL when ok */
    const char *library, *algo; /* "cuBLASLt 13.1.0"; "algo 66, tile 128x256"; NULL */
    int algo_at;                /* that one's place in the library's list, from 0; -1: imported, or not recorded */
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

/* What a run came in (docs/mix.md#packages). Not stored. */
typedef struct rft_run_package {
    const char *digest; /* SHA-256 of its list of checksums, in hex */
    const char *mixes;  /* JSON: a list of mixes that it was run for; NULL: none */
} rft_run_package;

/* Between which points those of each sweep lie, of a run whose points are all there: a reader asks for the best of a
 * problem many times. Not stored. */
typedef struct rft_run_spans {
    size_t *first, *end;
    size_t point_count; /* when they were marked: a run that has another is looked through whole */
} rft_run_spans;

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
    rft_run_spans spans;
    rft_reference *references; /* in the order taken */
    size_t reference_count, reference_capacity;
    rft_baseline *baselines; /* in the order stored */
    size_t baseline_count, baseline_capacity;
    const struct rft_run_card *cards; /* that measured it (model/run/run_cards.h); none: its own alone */
    size_t card_count;
    const rft_run_package *package; /* NULL: a run file or a recording */
} rft_run;

/* Whoever has filled a run, or put other points into it, marks its spans. */
void rft_run_mark_spans(rft_run *run);
/* The first point that may be of the sweep; *end: behind the last. */
const rft_point *rft_run_span(const rft_run *run, size_t sweep, const rft_point **end);

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
/* Is the point a candidate for best: measured on the run's own card, no alias, not an odd problem. */
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
/* One run of many launched back to back: of the load whose energy was read, else the median under sustained load. NaN:
 * not taken, or inouts were copied back in between. */
double rft_point_back_to_back_s(const rft_point *point);
/* Burst and sustained time differ by more than RFT_LOAD_APART_FRAC: both are worth telling. */
bool rft_point_sags(const rft_point *point);
/* The point of the default configuration; NULL. */
const rft_point *rft_run_default(const rft_run *run, size_t sweep, size_t variant, size_t problem);

/* "n=4096" / "TILE_M=128 TILE_N=64", "given binary" where nothing can be chosen: heap-free text in `arena`. Only swept
 * axes when `swept_only`. */
const char *rft_run_problem_text(const rft_run *run, size_t sweep, size_t problem, bool swept_only, rft_arena *arena);
const char *rft_run_config_text(const rft_run *run, const rft_point *point, bool tuned_only, rft_arena *arena);

#endif
