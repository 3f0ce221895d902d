/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transitions_kept.h - what was found on the lines of a run, for whoever asks for the same line again, as the charts,
 * the rows and the shorter forms of a report do.
 */
#ifndef RFT_MODEL_TRANSITIONS_KEPT_H
#define RFT_MODEL_TRANSITIONS_KEPT_H

#include "model/transition/transition.h"

typedef struct rft_transitions_kept rft_transitions_kept;
rft_transitions_kept *rft_transitions_keep(rft_arena *arena); /* in which it keeps them */
/* rft_transitions_of(). kept: NULL: nothing is kept, and what is found lies in `arena`. */
size_t rft_transitions_kept_of(rft_transitions_kept *kept, const rft_run *run, const rft_profile *profile,
                               rft_arena *arena, const rft_transition **out);

#endif
