/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_foreign.h - runs that another program measured (docs/exchange.md). They stand in the same structs as rooftune's
 * own, and everything that prints has to say what they lack: nothing was verified by rooftune, no ceiling was measured
 * beside them, no work is declared, and how the times were taken is that program's own affair.
 */
#ifndef RFT_MODEL_RUN_FOREIGN_H
#define RFT_MODEL_RUN_FOREIGN_H

#include "model/run/run.h"

/* The fact of the environment that marks such a run; it goes into run files, recordings and replays as every other. */
#define RFT_ENV_FOREIGN "recording.format"

/* What the times were read from ("a Kernel Tuner cache"); NULL: rooftune measured them. */
const char *rft_run_foreign(const rft_run *run);

/* "another tuner's measurements (a Kernel Tuner cache): not verified by rooftune, no ceilings"; NULL likewise. */
const char *rft_run_foreign_notice(const rft_run *run, rft_arena *arena);

/* The device's name; NULL: it is not recorded. */
const char *rft_run_device(const rft_run *run);

/* Why a foreign run has no ceilings. Static. */
#define RFT_FOREIGN_NO_CEILING "another tuner's recording: no ceiling was measured beside it"

/*
 * The work of one run of a foreign kernel: time times recorded rate, which is the same for every configuration where
 * the rate counts the problem's work. The rate is of the time that was recorded beside the samples; where that is not
 * there, of their mean, median or least: the one is taken that agrees best. Where any measured configuration has no
 * rate, or one is further than RFT_FOREIGN_WORK_FRAC from their median, the work is not known: the rate was not of one
 * work.
 */
#define RFT_FOREIGN_WORK_FRAC 0.01
typedef struct rft_foreign_amount {
    double amount;      /* of one run; NaN: not known */
    double apart_frac;  /* the configuration that is furthest from it */
    const char *reason; /* why it is not known; NULL */
} rft_foreign_amount;
typedef struct rft_foreign_work {
    rft_foreign_amount flop, bytes;
} rft_foreign_work;
/* Texts in `arena`. */
rft_foreign_work rft_foreign_work_of(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena);
/* Why neither is known; NULL: one is. */
const char *rft_foreign_work_missing(const rft_foreign_work *work);
/* "7.55 GFLOP", "78.6 GB": `digits` significant digits. */
const char *rft_foreign_amount_text(double amount, bool bytes, int digits, rft_arena *arena);
/* "one run does 7.55 GFLOP, by time and recorded rate", or why that is not known; NULL where rooftune measured, or
 * there is more than one problem. */
const char *rft_run_foreign_work_notice(const rft_run *run, rft_arena *arena);

#endif
