/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - how a sweep is measured and searched, and how each of it is asked: in the language by a key of
 * `measure = { ... }` or `search = { ... }`, on the command line by an option. A setting is one row; both ways read it
 * by the same rules.
 */
#ifndef RFT_MODEL_SETTINGS_H
#define RFT_MODEL_SETTINGS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the L2 holds when a sample begins (docs/measuring.md). */
typedef enum rft_cache_mode {
    RFT_CACHE_COLD,     /* flushed before every sample */
    RFT_CACHE_HOT,      /* whatever the run before left */
    RFT_CACHE_ROTATING, /* as HOT, but every run on another copy of the buffers; together more than twice the L2 */
    RFT_CACHE_COUNT
} rft_cache_mode;
const char *rft_cache_mode_name(rft_cache_mode mode); /* "cold", "hot", "rotating" */

/* How the launches of a run reach the device. Times of one are not ranked against times of the other. */
typedef enum rft_timing_mode {
    RFT_TIMING_EVENTS, /* one by one, into the stream, between two events */
    RFT_TIMING_GRAPH,  /* as a CUDA graph between two events: what lies between launches of a stream is not there */
    RFT_TIMING_COUNT
} rft_timing_mode;
/* "cold cache"; "cold cache, CUDA graph". */
const char *rft_protocol_words(rft_cache_mode cache, rft_timing_mode mode);
/* "cold"; "cold, graph": for tables. */
const char *rft_protocol_name(rft_cache_mode cache, rft_timing_mode mode);

typedef struct rft_measure_opts {
    rft_cache_mode cache;     /* default cold */
    rft_timing_mode mode;     /* default events */
    double compile_timeout_s; /* default 60 */
    double point_timeout_s;   /* default 10: one point, all its launches */
    int min_samples;          /* default 10 */
    int max_samples;          /* default 100 */
    double noise_frac;        /* stop when the 95 % interval's half width over the median is below; default 0.005 */
    double max_seconds;       /* cap on timing one point; default 0.25 */
    double min_seconds;       /* GPU time that a point's samples take at least; default 0: no such demand */
    uint64_t seed;            /* inputs; default 1 */
    bool no_race;             /* what is clearly slower is measured to the end all the same */
    int processes;            /* device processes of the final round; default RFT_PROCESSES_AUTO */
} rft_measure_opts;
/* As many as the repeat intervals take (run/process_round.h). */
#define RFT_PROCESSES_AUTO 0
#define RFT_MEASURE_OPTS_INIT                                                                                          \
    { RFT_CACHE_COLD, RFT_TIMING_EVENTS, 60.0, 10.0, 10, 100, 0.005, 0.25, 0.0, 1, false, RFT_PROCESSES_AUTO }

/* What the best of a problem is best in. */
typedef enum rft_objective {
    RFT_OBJECTIVE_TIME,
    RFT_OBJECTIVE_ENERGY, /* joules of one run, as measured under load (model/run/load.h) */
    RFT_OBJECTIVE_EDP,    /* energy-delay product: joules x seconds */
    RFT_OBJECTIVE_COUNT
} rft_objective;
const char *rft_objective_name(rft_objective objective); /* "time", "energy", "edp" */
/* Half a sentence for readers: "the best takes the fewest joules"; NULL for TIME. */
const char *rft_objective_text(rft_objective objective);

typedef struct rft_search_opts {
    const char *strategy;   /* "auto" when not given */
    double budget_s;        /* 0 = none */
    uint64_t budget_points; /* 0 = none */
    uint64_t seed;          /* default 1 */
    bool seed_given;
    double budget_gpu_s; /* of verifying and measuring; 0 = none */
    double goal_frac;    /* stop where the best reaches this share of its roof; 0 = none */
    rft_objective objective;
} rft_search_opts;
#define RFT_SEARCH_OPTS_INIT                                                                                           \
    { .strategy = "auto", .seed = 1 }

/* ---- asking ---- */

typedef enum rft_setting_kind {
    RFT_SETTING_TEXT,    /* const char * */
    RFT_SETTING_FLAG,    /* bool: true where the option is given. The key in the language says the opposite: race */
    RFT_SETTING_SECONDS, /* double > 0; "2s" */
    RFT_SETTING_SHARE,   /* double, above 0 and at most 1; "0.95", "95%" */
    RFT_SETTING_WHOLE,   /* int, 1 to RFT_SETTING_WHOLE_MOST */
    RFT_SETTING_AUTO,    /* int, 1 to RFT_SETTING_AUTO_MOST, or 0: "auto" */
    RFT_SETTING_SEED,    /* uint64_t; a whole number from 0 */
    RFT_SETTING_CHOICE,  /* an enum, by name */
    RFT_SETTING_BUDGET   /* rft_search_opts: what of the three is given */
} rft_setting_kind;
#define RFT_SETTING_WHOLE_MOST 1000000
#define RFT_SETTING_AUTO_MOST 1000

typedef struct rft_setting {
    const char *group; /* the table of the language, and the heading in --help: "measure" */
    const char *key;   /* in the language; NULL: not there */
    rft_setting_kind kind;
    size_t offset;               /* of its field, in a record that the table of settings names */
    const char *const *choices;  /* of CHOICE: names in the order of the enum, ended by NULL */
    const char *option;          /* on the command line, without "--"; NULL: not there */
    char letter;                 /* 'o' for -o; 0: none */
    const char *argument, *help; /* for --help; no argument where the option alone says it (FLAG) */
} rft_setting;

/* Names in the language, ended by NULL. */
extern const char *const rft_cache_mode_names[RFT_CACHE_COUNT + 1];
extern const char *const rft_timing_mode_names[RFT_TIMING_COUNT + 1];
extern const char *const rft_objective_names[RFT_OBJECTIVE_COUNT + 1];

/* X(key, kind, field of rft_sweep, choices, option, argument, help) */
#define RFT_MEASURE_SETTINGS(X)                                                                                        \
    X("cache", CHOICE, measure.cache, rft_cache_mode_names, NULL, NULL, NULL)                                          \
    X("mode", CHOICE, measure.mode, rft_timing_mode_names, NULL, NULL, NULL)                                           \
    X("timeout", SECONDS, measure.point_timeout_s, NULL, "timeout", "2s",                                              \
      "limit of one point (default: as the sweep says, else 10s)")                                                     \
    X("compile_timeout", SECONDS, measure.compile_timeout_s, NULL, "compile-timeout", "30s",                           \
      "limit of one compile (default: as the sweep says, else 60s)")                                                   \
    X("min_samples", WHOLE, measure.min_samples, NULL, NULL, NULL, NULL)                                               \
    X("max_samples", WHOLE, measure.max_samples, NULL, NULL, NULL, NULL)                                               \
    X("noise", SHARE, measure.noise_frac, NULL, NULL, NULL, NULL)                                                      \
    X("max_time", SECONDS, measure.max_seconds, NULL, NULL, NULL, NULL)                                                \
    X("min_time", SECONDS, measure.min_seconds, NULL, "min-time", "0.1s",                                              \
      "GPU time of a point's samples at least (default: as the sweep says)")                                           \
    X("processes", AUTO, measure.processes, NULL, "processes", "auto|N",                                               \
      "device processes of the final round (default: the sweep's, else auto)")                                         \
    X("race", FLAG, measure.no_race, NULL, "no-race", NULL,                                                            \
      "keep measuring configurations that are clearly slower than the best")                                           \
    X("seed", SEED, measure.seed, NULL, NULL, NULL, NULL)
#define RFT_SEARCH_SETTINGS(X)                                                                                         \
    X("strategy", TEXT, search.strategy, NULL, "strategy", "NAME", NULL)                                               \
    X("seed", SEED, search.seed, NULL, "seed", "N", "order of trying (default: as the sweep says, else 1)")            \
    X("budget", BUDGET, search, NULL, "budget", "10m|500",                                                             \
      "stop after a time, a number of configurations, or gpu:30s of GPU time")                                         \
    X("goal", SHARE, search.goal_frac, NULL, "goal", "95%", "stop where the best reaches this share of its roof")      \
    X("objective", CHOICE, search.objective, rft_objective_names, "objective", "WHAT",                                 \
      "the best is best in time, energy or edp (default: as the sweep says)")

#define RFT_SETTING_ONE(...) +1
#define RFT_SWEEP_SETTINGS (RFT_MEASURE_SETTINGS(RFT_SETTING_ONE) RFT_SEARCH_SETTINGS(RFT_SETTING_ONE))
/* Both, measure first; the offsets are those of rft_sweep. */
extern const rft_setting rft_sweep_settings[RFT_SWEEP_SETTINGS];

/* What `text` asks goes into the setting's field of `record`; texts are borrowed. RFT_E_USAGE with a remedy, without
 * the name of what was asked. */
int rft_setting_read(const rft_setting *setting, void *record, const char *text, rft_err *err);

#endif
