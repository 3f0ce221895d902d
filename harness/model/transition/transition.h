/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transition.h - the transitions on a profile.
 *
 * A transition is a change of bound along
 * a profile, located where the measured times turn (turn.h), with the interval of that; the ridge formula's place
 * stands beside it. Where the times do not turn it is "none" or "unclear". With declared work alone no transition along
 * a parameter is stated. The rule, step by step: docs/roofline.md.
 */
#ifndef RFT_MODEL_TRANSITION_H
#define RFT_MODEL_TRANSITION_H

#include "model/stats/turn.h"
#include "model/transition/profile.h"

typedef enum rft_transition_kind {
    RFT_TRANSITION_NONE,         /* one bound all along; or (`why`) declared work crosses the ridge, the times go on */
    RFT_TRANSITION_FOUND,        /* the bound changes, and the measured times turn */
    RFT_TRANSITION_TURN,         /* the measured times turn, the bound does not change there */
    RFT_TRANSITION_CHANGE,       /* FOUND along a parameter: it lies between two values that were tried */
    RFT_TRANSITION_UNCLEAR,      /* the bound changes but one side is not firm, or the times do not turn for certain */
    RFT_TRANSITION_NOT_EXPLORED, /* under two values measured, or declared work along a parameter */
    RFT_TRANSITION_KIND_COUNT
} rft_transition_kind;
/* "none", "found", "turn of the times", "change", "unclear", "not explored" */
const char *rft_transition_kind_name(rft_transition_kind kind);

/* The times that a turn is looked for in. Both quotients take the work's own bends out of them. */
typedef enum rft_turn_of {
    RFT_TURN_OF_TIME,          /* log time over log axis */
    RFT_TURN_OF_TIME_PER_WORK, /* time per byte or operation of the one bound, over the axis */
    RFT_TURN_OVER_INTENSITY    /* time per unit of the first bound's amount, over second / first: where work is known
                                * and two rates follow each other */
} rft_turn_of;

typedef struct rft_transition {
    rft_transition_kind kind;
    bool at_steps;    /* `step`, `from`, `to` are set: FOUND, TURN, UNCLEAR, and NONE with a reason of its own */
    size_t step;      /* between steps[step] and the next measured one */
    size_t from, to;  /* steps whose bounds are those before and after */
    bool by_times;    /* located by a turn of the times; false: by the two neighbours alone, when too few values or
                       * values that are no positive numbers leave nothing better */
    bool by_clock;    /* FOUND: the clock begins or ceases to hold the point back (bound.h): between two values with
                       * clear verdicts, by what was read there; the times need not turn */
    double low, high; /* the interval on the axis: 95 % when by_times, else the neighbours' values. Along a parameter,
                       * which has no values between those that were tried, the tried values around it */
    double where;     /* best estimate; NaN: not located, and along a parameter */
    double ridge;     /* where the plain ridge formula puts it on this profile; NaN */
    double ridge_datasheet; /* the same by the datasheet's values; NaN */
    rft_turn turn;          /* by_times: slopes, sharpness, scatter; places as above; else kind NOT_EXPLORED */
    rft_turn_of turn_of;    /* what these slopes are slopes of */
    double scatter_frac;   /* by_times: the times follow no two laws within their noise, and scatter by this about those
                              that were fitted; the interval stands on that scatter. NaN: noise alone */
    rft_evidence evidence; /* the weaker of both sides */
    const char *why;       /* for UNCLEAR, NOT_EXPLORED, some NONE: reason in words; else NULL */
    const char *waves_note; /* what waves of blocks have to do with place and ridge, without a full stop; NULL: nothing
                             * or not known */
} rft_transition;

/* The transitions of a profile, in order: at least one entry (NONE, NOT_EXPLORED) always. Some milliseconds a profile.
 */
size_t rft_transitions_of(const rft_run *run, const rft_profile *profile, rft_arena *arena, rft_transition **out);

#endif
