/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorded_sweep.h - a stored run as sweeps to ask again: what `rooftune run RECORDING -d replay:` searches.
 *
 * The valid configurations of a variant on a problem are those that the run has a point of, whatever became of it. They
 * are told by constraints, one a parameter: "there is a point that begins with these values". So a space is cut as
 * early as any, and nothing proportional to the Cartesian product is looked at.
 */
#ifndef RFT_MODEL_RECORDED_SWEEP_H
#define RFT_MODEL_RECORDED_SWEEP_H

#include "model/run/run.h"

typedef struct rft_recorded rft_recorded;

/* Borrows the run, which must outlive it. `path`: what the sweeps name as their script. RFT_E_SPACE: the run has no
 * points. */
int rft_recorded_new(rft_recorded **out, const rft_run *run, const char *path, rft_err *err);
void rft_recorded_free(rft_recorded *recorded); /* NULL is accepted */

size_t rft_recorded_count(const rft_recorded *recorded);
/* A bare space: its points are spelled out with the recorded work and traffic, and nothing that could be compiled or
 * launched. Dies with `recorded`. */
const rft_sweep *rft_recorded_sweep(const rft_recorded *recorded, size_t index);

#endif
