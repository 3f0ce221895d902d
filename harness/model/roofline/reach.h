/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reach.h - how much of its roof a configuration reaches once what it wrote is in device memory. A launch ends when its
 * last writes are in the L2: behind a flushed cache they are no part of its time, and a kernel that streams looks
 * faster than device memory is. Launched back to back, each waits for the writes of the one before.
 */
#ifndef RFT_MODEL_REACH_H
#define RFT_MODEL_REACH_H

#include "model/roofline/placement.h"

/* Writes that were still in the L2 when a launch from a flushed cache ended. */
typedef struct rft_unwritten {
    double bytes; /* 0: none, or another cache mode */
    bool counted; /* outputs less the counted writes; else at most so many: outputs, up to the size of the L2 */
    double frac;  /* of the work's bytes */
} rft_unwritten;

rft_unwritten rft_unwritten_of(const rft_run *run, const rft_point *point);
/* "33.4 MB of its writes were still in the L2 when it ended", "up to 62.9 MB of its writes may still have been ..."; in
 * `arena`. Only where bytes > 0. */
const char *rft_unwritten_text(const rft_unwritten *unwritten, rft_arena *arena);

/* They matter where they may make up this much of the share, more than a ceiling's own noise, of a point that is not
 * far below its roof; above it, any do. */
#define RFT_UNWRITTEN_LEAST_FRAC 0.02
#define RFT_UNWRITTEN_NEAR_FRAC 0.5

typedef struct rft_reach {
    /* Of the roof; NaN: not known. Of single launches (rft_placement.efficiency_frac); where device memory makes the
     * roof, writes matter and the point ran back to back without its buffers being restored, of that time, against the
     * sustained ceiling where it was measured. */
    double frac;
    /* So many times as fast at most, of the same time (rft_placement.left_factor); where writes that were counted are
     * still to come, without them. NaN. */
    double left_factor;
    bool back_to_back;
    bool at_most; /* of single launches, and writes matter */
    rft_unwritten unwritten;
} rft_reach;

rft_reach rft_reach_of(const rft_run *run, const rft_point *point);
/* What must be said beside the share, without a full stop: that it is at most that, or what it is back to back, with
 * the size of the writes. NULL: nothing. In `arena`. */
const char *rft_reach_note(const rft_run *run, const rft_point *point, rft_arena *arena);

#endif
