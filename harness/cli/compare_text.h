/* SPDX-License-Identifier: Apache-2.0 */
/* compare_text.h - a comparison (model/compare/compare.h) for the terminal at 80 columns, and for programs as JSON and
 * CSV. Numbers in base units (seconds, joules, operations, bytes), absent ones null or empty. Locale-independent. */
#ifndef RFT_CLI_COMPARE_TEXT_H
#define RFT_CLI_COMPARE_TEXT_H

#include "base/str.h"
#include "model/compare/compare.h"

/* Sides, the table (a row a workload, a column a device; over three devices in several blocks), why, what carries over,
 * effort, variation, what has no partner, caveats. */
void rft_compare_text(rft_str *out, const rft_compare *compare);

/* One object. */
void rft_compare_json(rft_str *out, const rft_compare *compare);

/* A header line, then a line for every workload and side. */
void rft_compare_csv(rft_str *out, const rft_compare *compare);

#endif
