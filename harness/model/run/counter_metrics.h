/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counter_metrics.h - which of NVIDIA's metrics, as CUPTI and Nsight Compute name them, is which of our quantities.
 * Names differ from chip to chip, so each quantity has alternatives.
 */
#ifndef RFT_MODEL_COUNTER_METRICS_H
#define RFT_MODEL_COUNTER_METRICS_H

#include "model/run/counters.h"

#define RFT_COUNTER_TERMS_MAX 4

/* A quantity: the sum of factor x metric. Metrics are in CUPTI's units: bytes, nanoseconds, hertz, per cent. */
typedef struct rft_counter_formula {
    const char *text; /* "128*a.sum + 2*b.sum"; NULL: there is none */
    double factors[RFT_COUNTER_TERMS_MAX];
    const char *metrics[RFT_COUNTER_TERMS_MAX];
    size_t count;
} rft_counter_formula;

/* The alternatives of a quantity in order of preference; NULL beyond the last. */
const char *rft_counter_alternative(rft_counter counter, size_t index);
/* Splits "F*metric + metric" (strings in `arena`). False when it is not of that form. */
bool rft_counter_formula_parse(rft_counter_formula *out, const char *text, rft_arena *arena);

#endif
