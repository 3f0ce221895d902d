/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ncu_csv.h - what Nsight Compute prints with --csv: --page raw (a column a metric, a line of units) and --page details
 * (a line a metric), between what ncu and the program said. Private to store/exchange.
 */
#ifndef RFT_STORE_NCU_CSV_H
#define RFT_STORE_NCU_CSV_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define RFT_NCU_LAUNCHES_MAX 10000

typedef struct rft_ncu_value {
    double value;       /* in CUPTI's unit (ncu_number.h); NaN: the profiler has none */
    const char *metric; /* NULL: the file does not have it */
} rft_ncu_value;

/* One launch that was profiled, in the file's order. */
typedef struct rft_ncu_launch {
    const char *kernel; /* as shown: "void gemv<(int)4>(const float *)" */
    int64_t grid[3], block[3];
    int cc;                      /* 90 for "9.0"; 0: not told */
    size_t line;                 /* where it begins */
    const rft_ncu_value *values; /* one for each metric that was asked for */
} rft_ncu_launch;

typedef struct rft_ncu_file {
    const char *version; /* "2025.3.0.0"; NULL: the file does not say */
    const rft_ncu_launch *launches;
    size_t count; /* at least one */
} rft_ncu_file;

/* Everything in `arena`. `what` names the file in messages; metrics[i] is kept as values[i] of each launch.
 * RFT_E_RECORDING, with line and remedy: no table (then with ncu's own error, if it is there), a table that is damaged
 * or without what tells launches apart, a value that is no number or of another unit, more than RFT_NCU_LAUNCHES_MAX
 * launches. */
int rft_ncu_read(rft_ncu_file *out, const char *text, size_t size, const char *what, const char *const *metrics,
                 size_t metric_count, rft_arena *arena, rft_err *err);

#endif
