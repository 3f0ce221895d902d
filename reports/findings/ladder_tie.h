/* SPDX-License-Identifier: Apache-2.0 */
/* ladder_tie.h - what a step of the ladder changed, and what holds both of its rungs back. */
#ifndef RFT_REPORTS_LADDER_TIE_H
#define RFT_REPORTS_LADDER_TIE_H

#include "model/roofline/bound.h"

/* Of two points, before and after, and their bounds as wholes. */

/* "L2 34 % less, instructions 12 % more (counted)": what takes another time at its ceiling, the most first; that no
 * count did; NULL: nothing was counted, and nothing is known to have changed. */
const char *rft_ladder_changes(const rft_point *const points[2], const rft_bound bounds[2], rft_arena *arena);
/* "BF16 tensor holds both, at 83 and 84 % of its ceiling (counted)", with what their clocks allow where these are
 * held down, or what warps wait for where no ceiling is near. NULL: not known. */
const char *rft_ladder_holds(const rft_point *const points[2], const rft_bound bounds[2], rft_arena *arena);
/* Both: why a step does not pay. */
const char *rft_ladder_tie(const rft_point *const points[2], const rft_bound bounds[2], rft_arena *arena);

#endif
