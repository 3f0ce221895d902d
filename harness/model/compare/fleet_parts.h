/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_parts.h - what fleet.c, fleet_gather.c and fleet_judge.c share. */
#ifndef RFT_MODEL_FLEET_PARTS_H
#define RFT_MODEL_FLEET_PARTS_H

#include "model/compare/fleet.h"

typedef struct fleet_value {
    size_t figure;
    double log; /* of the value */
} fleet_value;

typedef struct fleet_run {
    const char *path, *tool;
    const char *device;  /* NULL: not known */
    const char **sweeps; /* names */
    size_t sweep_count;
    const char *id, *uuid, *serial, *host, *pci;
    int64_t day;
    int64_t at_ns;
    size_t card, host_at; /* indices, once they are known; SIZE_MAX: no host */
    fleet_value *values;
    size_t count;
} fleet_run;

typedef struct fleet_state {
    fleet_run *runs; /* heap */
    size_t run_capacity, figure_capacity;
    size_t *slots; /* figures by the hash of their name, open addressing; heap */
    size_t slot_count;
    double *logs;  /* [run][figure]; NaN */
    double *cards; /* [card][figure]: log; NaN */
    double *z;     /* the same, towards slow */
} fleet_state;

/* z of units by figures, where figures are `figure_count`; `own`: of each unit. Fills p, test, worst, falls_out;
 * *level. */
typedef struct fleet_table {
    rft_fleet_unit *units;
    size_t unit_count, figure_count;
    const double *z, *slow; /* [unit][figure]; NaN: not known */
} fleet_table;
size_t rft_fleet_judge_units(const fleet_table *table, double *level);

/* Robust location and scale of n values, which are sorted; scale NaN under RFT_FLEET_LEAST. */
double rft_fleet_scale(double *values, size_t n, double *location);

/* A standard deviation to divide by: none below RFT_FLEET_STEP is believed; NaN stays. */
double rft_fleet_believed(double scale);

/* Keeps the runs of the model of card and the sweep that most of them share, and their figures; leaves out the others.
 */
void rft_fleet_keep_most(rft_fleet *fleet);

void rft_fleet_fill_shares(rft_fleet *fleet);

#endif
