/* SPDX-License-Identifier: Apache-2.0 */
/* scene_ahead.h - a device worker that measures before it is asked: its scene, and what may become of the point. */
#ifndef RFT_TEST_SCENE_AHEAD_H
#define RFT_TEST_SCENE_AHEAD_H

#include "run/scene_probe.h"

#define LEFT_AHEAD_S 0.2 /* until the worker is at it */

/* So many points have passed that the next one is measured before it is asked for. */
void scene_open_ahead(scene *s);

/* What becomes of it is told when it is asked for, and costs what it costs then; what is asked for in its place is
 * measured all the same. */
typedef struct ahead_fate {
    const char *expected, *asked;
    rft_outcome outcome;
    int lost;
} ahead_fate;

enum { AHEAD_FATES = 16 };
extern const ahead_fate ahead_fates[AHEAD_FATES];

/* Asks for that fate; within the time that it may take. */
void scene_expect_fate(scene *s, const char *asked, rft_outcome outcome, int lost);

#endif
