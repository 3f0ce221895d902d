/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transition_parts.h - what the files of a transition share (transition.c, transition_grid.c, transition_times.c,
 * transition_clock.c, transition_turn.c, transition_waves.c). Private to model.
 */
#ifndef RFT_MODEL_TRANSITION_PARTS_H
#define RFT_MODEL_TRANSITION_PARTS_H

#include "model/transition/transition.h"

/* A profile without the steps at which nothing was measured. Indices below are into `measured`. */
typedef struct rft_profile_line {
    const rft_run *run;
    const rft_profile *profile;
    const size_t *measured; /* indices of the profile's steps, ascending */
    size_t count;
    rft_arena *arena; /* of texts and scratch */
} rft_profile_line;

const rft_profile_step *rft_line_step(const rft_profile_line *line, size_t at);
/* The share of `of`'s resource (and pipe) at a step; NULL when its amount or ceiling is not known there. */
const rft_share *rft_line_share(const rft_profile_line *line, size_t at, const rft_bound *of);
/* Is the bound a rate (a level or a pipe), and firm? */
bool rft_bound_is_firm(const rft_bound *bound);

/* Widens a finite interval on the axis to the tried values around it; an end beyond all of them stays. */
void rft_line_bracket(const rft_profile_line *line, double *low, double *high);

/* A transition without anything set but the kind and the reason. */
rft_transition rft_transition_plain(rft_transition_kind kind, const char *why);

/* Judges the change of bound between `at` and the next step by these two and their neighbours alone. */
rft_transition rft_transition_on_grid(const rft_profile_line *line, size_t at);

/* A change of bound between two steps of the line; those between them, if any, have none that is firm. */
typedef struct rft_line_change {
    size_t left, right;
    bool used; /* told, or covered by one that is */
} rft_line_change;

typedef struct rft_line_turns {
    rft_turn_of of;
    rft_turn *turns; /* `count` found ones, places on the axis, ascending */
    size_t count;
    rft_turn whole;      /* when none is found: what is said of the whole line */
    double scatter_frac; /* as in rft_transition */
} rft_line_turns;
/* The turns of the line's times; `axis` has its values, > 0 and rising. */
rft_line_turns rft_line_turns_of(const rft_profile_line *line, const double *axis, const rft_line_change *changes,
                                 size_t change_count);

/* All transitions of a line by the turns of its times, in order of place; 0: times cannot tell (too few values, or
 * values that are no positive numbers). `out` has room for 3 * count. */
size_t rft_transitions_by_turns(const rft_profile_line *line, rft_transition *out);

/* The changes along an axis between a pipe or a level and a clock that holds it back, in order; `out` has room for
 * `count` of the line. */
size_t rft_transitions_by_clock(const rft_profile_line *line, rft_transition *out);

/* What the ridge formula compares. */
typedef struct rft_ridge_of {
    const rft_bound *first, *second;
    const double *stretch; /* one per step, lengthens the time of `second`; NULL */
    bool datasheet;        /* by its values in place of the measured ceilings */
} rft_ridge_of;

/* Where `second` takes as long as `first` by rates alone, as a place on the axis. NaN: not on this line. */
double rft_line_ridge(const rft_profile_line *line, const rft_ridge_of *of);
/* The bounds that the ridge formula compares at a transition: both sides, or, where one is latency or launch, the
 * pipe and the memory level of its other side. False when there are none. */
bool rft_transition_ridge_bounds(const rft_profile_line *line, const rft_transition *of, rft_bound *first,
                                 rft_bound *second);
/* The note on waves for a located transition; NULL. */
const char *rft_transition_waves(const rft_profile_line *line, const rft_transition *of);

#endif
