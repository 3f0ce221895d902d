/* SPDX-License-Identifier: Apache-2.0 */
/* figures.h - numbers as a report prints them: three significant digits, SI prefixes, "n/a" for what is absent, a
 * common prefix for a column. Locale-independent; all texts live in the arena. */
#ifndef RFT_REPORTS_FIGURES_H
#define RFT_REPORTS_FIGURES_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

/* "4.05 TB/s"; "n/a" for NaN. */
const char *rft_figure_si(rft_arena *arena, double value, const char *unit);
/* `digits` significant digits without an exponent: 4.05, 40.5, 405, 4050. "n/a" for NaN, "inf" for infinities. */
const char *rft_figure_plain(rft_arena *arena, double value, int digits);
/* "1.2e-6" below 0.001, else as rft_figure_plain(). */
const char *rft_figure_small(rft_arena *arena, double value, int digits);
/* 0.673 -> "67.3 %" / "67.3"; one decimal below 1000 %. */
const char *rft_figure_percent(rft_arena *arena, double frac);
const char *rft_figure_percent_bare(rft_arena *arena, double frac);
/* 1.5 -> "1.50x" */
const char *rft_figure_ratio(rft_arena *arena, double ratio);
const char *rft_figure_count(rft_arena *arena, uint64_t count);
/* 65536 -> "64 KiB" for exact multiples, else with one decimal. */
const char *rft_figure_bytes(rft_arena *arena, int64_t bytes);
/* "2026-11-21"; "unknown" for 0. */
const char *rft_figure_date(rft_arena *arena, int64_t unix_ns);
const char *rft_figure_time(rft_arena *arena, int64_t unix_ns); /* with time and "UTC" */

/* A prefix that suits a whole column: the median value reads 1..999. */
typedef struct rft_figure_scale {
    double factor;    /* value / factor is printed */
    const char *unit; /* "us", "TB/s" */
} rft_figure_scale;
rft_figure_scale rft_figure_scale_of(rft_arena *arena, const double *values, size_t count, const char *unit);

#endif
