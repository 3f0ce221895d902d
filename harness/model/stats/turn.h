/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn.h - where measured times turn along an axis: the place where two branches of them meet, with its interval.
 *
 * A branch is a power law: a straight line of log time over log axis value (memory or arithmetic of a growing problem,
 * a fixed latency: slope 0). Two branches A and B, which meet at `where`:
 *
 *     time = (A^p + B^p)^(1/p)      upward turn: the longer rules; p = 1: they take turns, p infinite: a sharp corner
 *     1/time = (A^-p + B^-p)^(1/p)  downward turn (a stride past the sector, a working set that has left the cache)
 *
 * so that a round knee does not move the place. Work and ceilings are not looked at: this is the times' own word, to be
 * held against the bounds and the ridge. Times with more turns than one, or a step, are "unclear" to rft_turn_find();
 * rft_turns_find() looks for the turns one after another.
 *
 * Memory time of a linear layer is not quite a power law of its rows (weights and activations). Where the work is
 * known, pass x = operations / bytes and time / bytes: both branches are power laws of intensity, whatever the axis,
 * and the place is the intensity at which they take equal time.
 */
#ifndef RFT_MODEL_TURN_H
#define RFT_MODEL_TURN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rft_turn_point {
    double x;      /* place on the axis, > 0; linear or logarithmic steps, in any order */
    double time_s; /* > 0 */
    double
        noise_frac; /* standard deviation of the time over the time (half of a 95 % interval / 1.96); 0, NaN: unknown */
} rft_turn_point;

typedef enum rft_turn_kind {
    RFT_TURN_NONE, /* one power law explains the times as well */
    RFT_TURN_FOUND,
    RFT_TURN_UNCLEAR,     /* something bends, but noise, the edge of the axis or too few points leave it open */
    RFT_TURN_NOT_EXPLORED /* fewer than five usable points, or noise unknown and fewer than eight */
} rft_turn_kind;

typedef struct rft_turn {
    rft_turn_kind kind;
    double where;                     /* unit of the axis; FOUND, and UNCLEAR where something bends; else NaN */
    double low, high;                 /* 95 %; likewise. Values at the ends of the axis: open on that side */
    double slope_before, slope_after; /* of log time over log axis; likewise. NONE: both the slope of the one law */
    double sharpness;                 /* p, 1 to RFT_TURN_SHARPEST; at few points a mere by-product */
    double scatter;   /* of the times about the answer's curve, in units of their noise (1: noise alone);
                         noise unknown: of log time */
    double gain;      /* chi squared that the turn saves against one law; NaN: not explored */
    bool other_shape; /* UNCLEAR because neither one law nor two that meet follow the times: a step, or more turns */
    bool wide; /* UNCLEAR for one reason: the times turn for certain, but the interval is too wide to name a place */
    const char *why; /* UNCLEAR, NOT_EXPLORED; static storage or the arena; else NULL */
} rft_turn;

/* `why` where other_shape is true. */
#define RFT_TURN_NO_SHAPE "the times follow neither one law nor two that meet: a step, or more than one turn"
#define RFT_TURN_POINTS_MIN 5
/* Branches whose slopes differ by less are one branch that is not quite a power law. */
#define RFT_TURN_LEAST 0.1
#define RFT_TURN_SHARPEST 1000.0

/*
 * Locates the turn. FOUND needs all of:
 * - the turn saves more chi squared than noise does in 1 of 100 or fewer straight sweeps (F test of three parameters,
 *   with the noise given, or with the scatter where that is larger), and more than the Bayesian information criterion
 *   (Schwarz 1978) asks for;
 * - the slopes differ by RFT_TURN_LEAST or more, and two values lie on each side of the place;
 * - its interval ends inside the axis and is no wider than the step of the axis around it plus at most twice the
 *   width that noise alone gives when the shape of the knee is known (1.5 times, by the fit's own estimate of it).
 * The interval is that of the profile likelihood, its level set by a bootstrap from `seed` (Bartlett's correction: the
 * mean of the likelihood ratio over `replicates` new sweeps drawn from the fit; 0: 40; none where the times follow
 * another shape, whose interval means little). Equal input, equal answer.
 * About 5 ms for 20 points. `arena` is scratch memory and holds `why`.
 */
rft_turn rft_turn_find(const rft_turn_point *points, size_t count, uint64_t seed, size_t replicates, rft_arena *arena);

/* One entry at least: what rft_turn_find() says of the whole axis, unless that is "other shape" and parts of it turn:
 * then those turns in order, each FOUND, with three values beyond its interval on each side, on the widest part, from
 * the last turn on, that one turn explains. A change within one or two steps of the axis (the working set that leaves a
 * cache between two sizes) stays "unclear": measure between them. `out` and its texts live in `arena`. Up to 40 times
 * the work of rft_turn_find(). */
size_t rft_turns_find(const rft_turn_point *points, size_t count, uint64_t seed, rft_arena *arena, rft_turn **out);

#endif
