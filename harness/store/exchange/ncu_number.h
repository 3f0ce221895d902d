/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ncu_number.h - numbers as Nsight Compute prints them: in the locale of whoever ran it, and in a unit that fits the
 * value. Private to store/exchange.
 */
#ifndef RFT_STORE_NCU_NUMBER_H
#define RFT_STORE_NCU_NUMBER_H

#include <stdbool.h>

/* How a file writes numbers: what its cells prove together. "1,205.5" and "0,5" do alone; "1,205" does where the metric
 * is whole, since a byte has no parts: files of whole numbers alone are told by it. */
typedef struct rft_ncu_style {
    char decimal;       /* '.' or ','; 0: nothing seen proves either, which reads as '.' */
    bool contradictory; /* some prove the one, some the other */
} rft_ncu_style;

/* Looks at one more cell. */
void rft_ncu_style_look(rft_ncu_style *style, const char *text, bool is_whole);

/* The metric counts, in a unit that has no parts: ".sum" in bytes, nanoseconds, instructions. Kbyte and us have. */
bool rft_ncu_is_whole(const char *metric, const char *unit);

typedef enum rft_ncu_reading {
    RFT_NCU_NUMBER,
    RFT_NCU_NOTHING, /* "n/a", "nan", an empty cell: the profiler has no value */
    RFT_NCU_DAMAGED  /* neither */
} rft_ncu_reading;
/* Groups may be parted by the other of point and comma, blanks or apostrophes. What stands behind a blank and a
 * parenthesis, values of instances, is passed over. */
rft_ncu_reading rft_ncu_number(const char *text, const rft_ncu_style *style, double *out);

/* What turns a value of the metric in this unit into CUPTI's (bytes, nanoseconds, hertz, per cent, plain numbers):
 * *factor, and NULL; else the units that are known for such a metric, static. */
const char *rft_ncu_scale(const char *metric, const char *unit, double *factor);

#endif
