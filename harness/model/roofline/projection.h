/* SPDX-License-Identifier: Apache-2.0 */
/*
 * projection.h - a point measured on one device, seen under the ceilings of another: a projection, never a measurement.
 *
 * Roofline in its time form (docs/roofline.md): each amount of work or traffic over its ceiling, here and there. What
 * the point reached of its nearest ceiling here is its share. The roofline itself only says what no kernel can beat
 * there; that the share stays what it is, is an assumption, and so is that latency stays what it is.
 */
#ifndef RFT_MODEL_PROJECTION_H
#define RFT_MODEL_PROJECTION_H

#include "model/roofline/bound.h"

typedef enum rft_projected_side {
    RFT_PROJECTED_UNKNOWN,
    RFT_PROJECTED_MEMORY,  /* device memory, L2, L1 or shared memory */
    RFT_PROJECTED_COMPUTE, /* a pipe, or issue slots */
    RFT_PROJECTED_LATENCY, /* no ceiling is near */
    RFT_PROJECTED_LAUNCH
} rft_projected_side;
const char *rft_projected_side_name(rft_projected_side side); /* "unknown", "memory", ... */

/*
 * Ceilings of a device that is known by its datasheet alone: each its datasheet value times the share of the datasheet
 * that this card's ceiling of the same kind reaches (a datasheet value is never held against a measured one). Reads
 * `datasheet` of both and the measured rates of `here`. What one of the three does not have is not measured in `out`,
 * with the reason. The launch overhead is taken to be this card's.
 */
void rft_projection_convert(rft_ceilings *out, const rft_ceilings *here, const rft_ceilings *sheet, rft_arena *arena);

/* The run as another device would have to explain it: a shallow copy with these ceilings and this device; valid as long
 * as both live. The size of the L2 is this card's where `gpu` does not say (0). */
rft_run rft_projection_run(const rft_run *run, const rft_gpu_info *gpu, const rft_ceilings *ceilings);

typedef struct rft_projected {
    rft_projected_side here, there;
    rft_resource nearest_here, nearest_there; /* the nearest ceiling; UNKNOWN when there is none */
    rft_pipe pipe_here, pipe_there;           /* where that is PIPE */
    rft_evidence evidence;                    /* of the nearest ceiling's amount here */
    double median_s;                          /* measured here */
    double share_frac;                        /* of the nearest ceiling here; above 1 where it is beaten */
    double roof_here_s, roof_there_s;         /* of the work: what the ceilings allow; NaN = unknown */
    double estimate_s; /* time there at the same share of the nearest ceiling there; NaN where none is near here */
    /* Speed-up over here: at the same share, and at the roof there. NaN = not known. */
    double low, high;
    bool same_time;          /* nothing is near a ceiling here: `low` is what it takes to wait as long there */
    bool changes;            /* both sides are known and differ */
    unsigned left_out;       /* 1u << rft_resource of what has a ceiling here and none there */
    unsigned left_out_pipes; /* where that is PIPE: 1u << rft_pipe */
    const char *reason;      /* why the side there is not known; NULL. Static */
} rft_projected;

/* `there` from rft_projection_run(). What has no ceiling there is judged at this card's: where a ceiling is near here
 * and it is that one, or the longest of all, the side there is unknown. */
rft_projected rft_projection_of(const rft_run *run, const rft_run *there, const rft_point *point);

typedef struct rft_projection_device {
    const char *asked;  /* as typed */
    const char *name;   /* "B200 (HGX)", "NVIDIA H200" */
    const char *source; /* the datasheet's, or the recording's run */
    bool measured;      /* its ceilings were measured: from a run; else converted from its datasheet */
    rft_run there;      /* rft_projection_run() */
} rft_projection_device;

typedef struct rft_projection_answer {
    const rft_run *run;
    rft_projection_device *devices;
    size_t device_count;
} rft_projection_answer;

#endif
