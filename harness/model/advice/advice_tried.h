/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice_tried.h - what the measured points of a problem say of a change that advice asks for: how many went that way,
 * and whether the best of them gained (docs/advice.md, "Held against the points").
 *
 * Points differ in more than one thing. So the best time on either side is compared, not pairs or averages: what goes
 * that way and does all else as well as the sweep could must be faster than what does not.
 */
#ifndef RFT_MODEL_ADVICE_TRIED_H
#define RFT_MODEL_ADVICE_TRIED_H

#include "model/run/run.h"

/* identifier, name, unit ("1": a share; "": a number). Where it is read from: advice_tried.c. */
#define RFT_QUANTITY_MAP(X)                                                                                            \
    X(OCCUPANCY, "occupancy", "1")                                                                                     \
    X(WAVES, "waves", "")                                                                                              \
    X(EVEN_WAVES, "evenness of waves", "1")                                                                            \
    X(THREADS, "threads a block", "")                                                                                  \
    X(BLOCK_SHARED, "shared memory a block", "B")                                                                      \
    X(SPILLS, "spilled bytes", "B")                                                                                    \
    X(LOAD_BYTES, "bytes a thread loads at once", "B")                                                                 \
    X(LOAD_USEFUL, "useful bytes a sector loaded", "B")                                                                \
    X(STORE_USEFUL, "useful bytes a sector stored", "B")                                                               \
    X(SECTORS, "sectors a load", "")                                                                                   \
    X(L2_HITS, "L2 hits", "1")                                                                                         \
    X(DRAM_BYTES, "bytes through device memory", "B")                                                                  \
    X(L2_BYTES, "bytes through the L2", "B")                                                                           \
    X(L1_BYTES, "bytes through L1", "B")                                                                               \
    X(SHARED_BYTES, "bytes through shared memory", "B")                                                                \
    X(CONFLICTS, "bank conflicts", "1")                                                                                \
    X(TENSOR_BUSY, "busy matrix units", "1")                                                                           \
    X(MATH_SHARE, "share of arithmetic instructions", "1")                                                             \
    X(STAGES, "stages", "")                                                                                            \
    X(LOADS, "loads a thread", "")                                                                                     \
    X(NONE, "", "") /* nothing that is known of more than one point */

typedef enum rft_quantity {
#define RFT_QUANTITY_ENUM(id, name, unit) RFT_QUANTITY_##id,
    RFT_QUANTITY_MAP(RFT_QUANTITY_ENUM)
#undef RFT_QUANTITY_ENUM
        RFT_QUANTITY_COUNT
} rft_quantity;
const char *rft_quantity_name(rft_quantity quantity);

typedef struct rft_change {
    rft_quantity quantity;
    bool more; /* else less */
} rft_change;

/* "Went that way" and "gained" need more than this share. */
#define RFT_TRIED_STEP_FRAC 0.05
/* Enough points to judge by: RFT_TRIED_LEAST, and RFT_TRIED_SHARE of those known; RFT_TRIED_ALWAYS do in any case (the
 * best of 30 random ones is among the fastest tenth at 96 %). */
#define RFT_TRIED_LEAST 3
#define RFT_TRIED_SHARE 0.01
#define RFT_TRIED_ALWAYS 30
#define RFT_TRIED_BINS 5

typedef enum rft_tried_verdict {
    RFT_TRIED_OPEN,   /* not known of several points, or too few went there, or they gained */
    RFT_TRIED_IN_VAIN /* enough went that way, and none gained beyond the intervals */
} rft_tried_verdict;

/* Values side by side: those like the point's own, the lesser and the larger ones. */
typedef struct rft_tried_bin {
    double low, high; /* of the quantity */
    size_t points;
    const rft_point *best;
    double best_s; /* its time in the final round where the bests of all bins have one, else in the sweep's round */
} rft_tried_bin;

typedef struct rft_tried {
    rft_change change;
    const char *param; /* the parameter that the quantity was read from; NULL: facts, counters, traffic */
    rft_tried_verdict verdict;
    double own;     /* of the point that is advised; NaN: not known */
    size_t points;  /* of the problem whose quantity is known, aliases once; 0: nothing could be asked */
    size_t there;   /* of them have clearly more (less) */
    size_t behind;  /* of them have clearly less (more): they tell whether the way so far gained */
    double there_s; /* the best time there; NaN: none */
    bool gained;    /* the best there is faster than the best of the rest, and they are no tie */
    rft_tried_bin bins[RFT_TRIED_BINS];
    size_t bin_count, best_bin;
    bool swept; /* the bins' times are of the sweep's round */
} rft_tried;

/* The quantity of one point from facts, counters or traffic; NaN. */
double rft_quantity_of(rft_quantity quantity, const rft_point *point);

/* The measured points of a problem that are asked, the point that is advised among them. */
typedef struct rft_witnesses {
    const rft_point **points;
    size_t count;
    double widen_frac; /* rft_run_widen_frac() of the problem */
} rft_witnesses;

rft_tried rft_tried_of(const rft_run *run, const rft_point *point, rft_change change, const rft_witnesses *witnesses,
                       rft_arena *arena);

/* What was read: "occupancy", or a parameter's name; and where the way leads: "more", "less". */
const char *rft_tried_name(const rft_tried *tried);
const char *rft_tried_direction(const rft_tried *tried);
/* "3.1 to 12 %": the values of a bin. */
const char *rft_tried_range(const rft_tried *tried, size_t bin, rft_arena *arena);
/* "occupancy: tried, 5,208 points, 4,076 of them with more: best at 3.1 to 12 % (379 us); 16 to 19 %: 383 us; ...". */
const char *rft_tried_text(const rft_tried *tried, rft_arena *arena);
/* What is said beside a change that stays advice: "tried by 3 of 5,208 points"; NULL: nothing. */
const char *rft_tried_note(const rft_tried *tried, rft_arena *arena);

#endif
