/* SPDX-License-Identifier: Apache-2.0 */
/* run_take.h - some sweeps of a run as a run: a recording of one sweep where many were measured at once. */
#ifndef RFT_MODEL_RUN_TAKE_H
#define RFT_MODEL_RUN_TAKE_H

#include "model/run/run.h"

/* A new run with the `count` sweeps of these names, in the run's order; points are numbered anew. Its id comes from the
 * run's and the names. GPU and compile time are those of its points, the ceilings' included; how long its part of the
 * run took is not known. Texts and arrays are borrowed: the run must outlive it.
 *
 * RFT_E_USAGE, with a remedy: the run has no such sweep. */
int rft_run_take(rft_run **out, const rft_run *run, const char *const *names, size_t count, rft_err *err);

#endif
