/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accept_limits.h - what a delivered card must read: a table of figures with limits, made from runs or written by hand,
 * kept as a Lua file (docs/acceptance.md). accept.h holds cards to it. Pure.
 */
#ifndef RFT_MODEL_ACCEPT_LIMITS_H
#define RFT_MODEL_ACCEPT_LIMITS_H

#include "base/str.h"
#include "model/mix/mix.h"
#include "model/run/run.h"

/* Where a limit is from: an interval over reference cards, what buyer and seller agree on, the datasheet. */
#define RFT_LIMIT_FROM_MAP(X)                                                                                          \
    X(TOLERANCE, "tolerance")                                                                                          \
    X(CONTRACT, "contract")                                                                                            \
    X(DATASHEET, "datasheet")

typedef enum rft_limit_from {
#define RFT_LIMIT_FROM_ENUM(name, text) RFT_LIMIT_FROM_##name,
    RFT_LIMIT_FROM_MAP(RFT_LIMIT_FROM_ENUM)
#undef RFT_LIMIT_FROM_ENUM
        RFT_LIMIT_FROM_COUNT
} rft_limit_from;
const char *rft_limit_from_name(rft_limit_from from);

typedef struct rft_limit {
    /* A ceiling (ceiling.h), in bursts or under load; else the best time of a problem of a sweep. */
    bool is_ceiling, sustained;
    rft_ceiling_id ceiling;
    rft_mix_item problem; /* operation, axes, values; count 1 */
    const char *source;   /* rft_accept_source() of the sweep; NULL: any */
    const char *cache;    /* rft_cache_mode_name(); NULL: any */
    double value;         /* the ceiling's unit, or seconds; > 0 */
    bool at_most;         /* of times; else at least */
    rft_limit_from from;
    size_t cards;     /* that a TOLERANCE limit rests on; 0: not told */
    double spread;    /* standard deviation of the logarithms of their readings; NaN: not told */
    const char *note; /* "clause 4.2"; NULL */
    double reading;   /* of the card that the limits were made beside; NaN: of a file */
    double datasheet; /* of the ceiling; NaN: not known, or of a file */
} rft_limit;

typedef struct rft_limits {
    const char *device; /* cards of this name */
    const char *name;   /* "delivery of May"; NULL */
    double risk;        /* of a wrong PASS or FAIL by what measuring leaves open, over cards x limits together */
    double share;       /* of cards like the reference cards passes all TOLERANCE limits... */
    double confidence;  /* ...which each of the limits bounds with this */
    rft_limit *items;
    size_t count;    /* at least 1 */
    size_t cards;    /* reference cards at hand when made; 0: of a file */
    size_t left_out; /* runs of another model, of no known card, slices, replays, other programs' */
} rft_limits;

#define RFT_LIMITS_RISK 0.05
#define RFT_LIMITS_SHARE 0.95
#define RFT_LIMITS_CONFIDENCE 0.95
/* Under so many cards there is no tolerance limit: with eight it lies 3.2 standard deviations below their mean for one
 * figure, with four 5.1. */
#define RFT_LIMITS_CARDS_LEAST 8u
/* A TOLERANCE limit leaves room for the guard bands of a delivery of so many cards: what is like the reference cards is
 * to pass, not to stay open. */
#define RFT_LIMITS_DELIVERY 16u
/* A CONTRACT limit is proposed so far below what the card reads. Cards of one model were seen to differ by 1.2 % in the
 * median of workloads and by 7.9 % at most (docs/statistics.md). */
#define RFT_LIMITS_PROPOSED_FRAC 0.05
#define RFT_LIMITS_MOST 1024  /* in a file */
#define RFT_LIMIT_LEAST 1e-12 /* a picosecond */
#define RFT_LIMIT_HIGHEST 1e21

/* How a file begins that rooftune wrote: it may be replaced. */
#define RFT_LIMITS_HEAD "-- Acceptance limits, written by rooftune"

/* Limits of every ceiling but launches (sustained where that was measured) and of the problem of each script (but
 * of diagnostic sweeps) whose best takes longest, as the first `own` runs have them, which are of one card. The other
 * runs are references: with RFT_LIMITS_CARDS_LEAST cards of the model, this one included, a figure's limit is a
 * tolerance limit, else 5 % off this card's reading for a CONTRACT (a time as much as another run of it may read, where
 * that is more), and no more than the DATASHEET. A card of several runs counts once. In `arena`; texts are borrowed
 * from the runs. RFT_E_NOT_FOUND: the card is not known, or nothing was measured on it. */
int rft_limits_make(rft_limits **out, const rft_run *const *runs, size_t count, size_t own, rft_arena *arena,
                    rft_err *err);

/* Appends the Lua file. */
void rft_limits_write(rft_str *out, const rft_limits *limits);

/* From the JSON of such a file (script.h: rft_script_read_table()). Copied into the arena. RFT_E_SCRIPT with the path
 * of the key: unknown, of another type, out of range, a figure twice. */
int rft_limits_read(rft_limits **out, const char *json, const char *path, rft_arena *arena, rft_err *err);

/* "device memory, read", "... (sustained)"; "gemv n=16384 k=16384". In `arena`. */
const char *rft_limit_text(const rft_limit *limit, rft_arena *arena);
const char *rft_limit_unit(const rft_limit *limit);

#endif
