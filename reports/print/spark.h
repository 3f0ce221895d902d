/* SPDX-License-Identifier: Apache-2.0 */
/* spark.h - a row of numbers as bars of eight heights, one column each. */
#ifndef RFT_REPORTS_SPARK_H
#define RFT_REPORTS_SPARK_H

#include "base/str.h"

/* From `low` (the lowest bar) to `high`, which alone is a full one; what lies outside is cut to them. NaN is a dot:
 * nothing was measured there. ASCII: digits 1 to 8, "." for NaN. With high <= low every bar is full. */
typedef struct rft_spark_scale {
    double low, high;
    bool ascii;
} rft_spark_scale;
/* 1..8; 0 for NaN. */
int rft_spark_height(double value, const rft_spark_scale *scale);
void rft_spark_add(rft_str *out, const double *values, size_t count, const rft_spark_scale *scale);

#endif
