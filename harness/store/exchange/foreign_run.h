/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign_run.h - inside of the store room: another tuner's measurements on their way into a run. One sweep without a
 * kernel, one variant ("space"), one problem without axes; its parameters are what the configurations name, their
 * values what occurs. What the file does not say is null with a reason: device, ceilings, work, facts of the code.
 */
#ifndef RFT_STORE_FOREIGN_RUN_H
#define RFT_STORE_FOREIGN_RUN_H

#include "store/exchange/exchange.h"

#define RFT_FOREIGN_SPACE "space" /* the variant's name, as a bare space in Lua has it */

typedef struct rft_foreign_origin {
    const char *format; /* as in the table of formats */
    const char *kernel; /* NULL: the file's name stands for it */
    const char *device; /* NULL: not recorded */
} rft_foreign_origin;

/* An empty run of that many points, ids and outcomes to be filled in; nothing is measured yet. Names are set by
 * rft_foreign_params(). Owned by the caller. */
rft_run *rft_foreign_new(const rft_exchange_file *file, const rft_foreign_origin *origin, size_t point_count);

/* The parameters, copied. `declared`: an array of values, or a null, for each, in the order in which the file lists
 * them; NULL: none. */
typedef struct rft_foreign_param {
    const char *name;
    const rft_value *values;
    size_t value_count;
} rft_foreign_param;
void rft_foreign_params(rft_run *run, const rft_foreign_param *params, size_t count);

/* The members of `object` named like the parameters, into point->config. NULL, or what was expected. */
const char *rft_foreign_config(rft_run *run, rft_point *point, const json_t *object);

/* What the round costs beside compiling, in seconds; samples are the point's own (NULL, 0: none). */
typedef struct rft_foreign_times {
    double *samples_s; /* in the run's arena */
    size_t n;
    double compile_s; /* NaN: not recorded */
    double verify_s, rest_s;
    double time_s;          /* the one that the file tells of the samples; 0: none */
    double flop_s, bytes_s; /* as recorded; 0: none */
} rft_foreign_times;
/* A recorded number by its name. Rates of operations and bytes ("GFLOP/s", "TFLOPS", "GB/s", "GiB/s") are kept, the
 * first of each; what is none, or no positive number, is passed over. `value` may be NULL. */
void rft_foreign_rate(rft_foreign_times *times, const char *name, const json_t *value);
void rft_foreign_measured(rft_point *point, const rft_foreign_times *times);
void rft_foreign_failed(rft_point *point, rft_outcome outcome, const char *reason, const rft_foreign_times *times);

/* "2023-12-22 09:54:05.502007+00:00" widens the run's beginning and end; anything else is passed over. */
void rft_foreign_stamp(rft_run *run, const char *timestamp);

/* Values of the parameters from the points: as declared, then what occurs beside, ascending; counts of the space. */
void rft_foreign_finish(rft_run *run);

#endif
