/* SPDX-License-Identifier: Apache-2.0 */
/* placement.h - where a point stands under the roof, by its work alone. */
#ifndef RFT_MODEL_PLACEMENT_H
#define RFT_MODEL_PLACEMENT_H

#include "model/roofline/bound.h"

/* The placement of a point: everything from work, never from traffic. */
typedef struct rft_placement {
    double rate_bytes_s; /* useful bytes / median */
    double rate_ops_s;   /* on the main pipe */
    double intensity;    /* op/B of the main pipe, so that the point lies under its slope; NaN without bytes or ops */
    double roof_s;       /* max of work / ceiling: the time the ceilings allow; NaN = unknown */
    double efficiency_frac;     /* roof_s / median */
    double low_frac, high_frac; /* with the interval of the median */
    double clock_frac;          /* the same at the rates that its own SM clock allows (held_clock.h); NaN = unknown */
    double left_factor; /* so many times as fast at most: to what its clock allows where that is below the run's, else
                         * to the roof; near the launch floor (rft_measurement_near_floor_s()) that comes on top; 1 =
                         * nothing; NaN = unknown */
    rft_resource roof;  /* which ceiling makes the roof: DRAM (hot and inside the L2: L2), PIPE; else UNKNOWN */
    rft_pipe roof_pipe;
    double datasheet_frac; /* against datasheet values; NaN when not known */
    double limit_s;        /* time the hardware's own limits allow; NaN = unknown. median < limit_s is an error. Written
                              bytes that fit the L2 are left out: they may still be there when the kernel ends */
} rft_placement;

rft_placement rft_placement_of(const rft_run *run, const rft_point *point);
/* Is a time of that point's work less than the hardware's limits allow, by more than they are known? A limit is that of
 * the highest clock that the driver tells. */
#define RFT_LIMIT_KNOWN_FRAC 0.02
bool rft_placement_is_impossible(const rft_placement *place, double time_s);
/* The ceiling that makes the roof of a point's placement; RFT_CEILING_COUNT when nothing does. */
rft_ceiling_id rft_placement_ceiling(const rft_run *run, const rft_point *point, const rft_placement *place);
/* The same for the time under sustained load, against the ceilings of the same kind; all NaN without a soak. */
rft_placement rft_placement_sustained(const rft_run *run, const rft_point *point);

#endif
