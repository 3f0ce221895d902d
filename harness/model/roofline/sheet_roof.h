/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sheet_roof.h - work under the datasheet's rates: what the plain roofline says before anything is measured.
 *
 * Roofline in its time form (docs/roofline.md): each amount of the work over its rate, the largest is the floor. All
 * rates are the datasheet's, which no run reaches: a model, never a verdict on a measurement.
 */
#ifndef RFT_MODEL_SHEET_ROOF_H
#define RFT_MODEL_SHEET_ROOF_H

#include "model/roofline/datasheet.h"

typedef enum rft_side { RFT_SIDE_UNKNOWN, RFT_SIDE_MEMORY, RFT_SIDE_COMPUTE } rft_side;
const char *rft_side_name(rft_side side); /* "unknown", "memory", "compute" */

typedef struct rft_sheet_roof {
    rft_ceiling_id bound; /* the rate that the floor is at; RFT_CEILING_COUNT = no amount has one */
    rft_side side;        /* unknown when the rate of the main pipe, or of memory, is not in the datasheet */
    double intensity;     /* operations on the main pipe per compulsory byte; NaN without bytes or operations */
    double ridge;         /* main pipe's rate / memory's; NaN when either is not known */
    double ceiling; /* operations per second, of all pipes together, at the floor; NaN without operations, or without
                     * the main pipe's rate */
    double time_floor_s; /* of the amounts whose rates are known; NaN when none is */
    unsigned missing;    /* pipes that have work but no rate in the datasheet: 1u << rft_pipe */
} rft_sheet_roof;

/* `ceilings`: only `datasheet` is read (rft_datasheet_apply()). Device memory has one rate for reads and writes. */
rft_sheet_roof rft_sheet_roof_of(const rft_work *work, const rft_ceilings *ceilings);

/* The floor on one device over that on another: the speed-up that the model allows. NaN unless both sides are known. */
double rft_sheet_speedup(const rft_sheet_roof *from, const rft_sheet_roof *to);

/* ---- an answer: several workloads on several devices ---- */

/* One model with one value for every key: the words that kernels/lib/intensity.lua reads. Texts live in an arena. */
typedef struct rft_workload {
    const char *model;
    const char **keys, **values; /* "m", "512", as typed; dtype is always among them */
    size_t count;
} rft_workload;

typedef struct rft_modelled_device {
    const char *asked; /* as typed: "h100" */
    rft_datasheet_facts facts;
    rft_ceilings ceilings; /* datasheet values only */
} rft_modelled_device;

typedef struct rft_modelled_work {
    const rft_workload *workload;
    const char *label;
    rft_work work;
    rft_sheet_roof *roofs; /* one a device */
    double *turns;         /* one a device: where the side changes along the axis; NaN = nowhere. NULL: not asked, or
                            * the model has no such dimension */
} rft_modelled_work;

typedef struct rft_model_answer {
    rft_modelled_device *devices;
    size_t device_count;
    rft_modelled_work *works;
    size_t work_count;
    const char *axis; /* of the turns; NULL */
} rft_model_answer;

#endif
