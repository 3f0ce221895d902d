/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units.h - one table-driven parser and formatter for quantities: "2s", "64MiB", "10m", "4.31 TB/s".
 */
#ifndef RFT_BASE_UNITS_H
#define RFT_BASE_UNITS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* "250us", "2s", "10m", "1.5h", "7d" -> seconds; a bare number is seconds. Negative values are refused. */
int rft_units_parse_seconds(double *out_s, const char *text, rft_err *err);

/* "64MiB", "2GB", "512", "1.5KiB" -> bytes (KiB, MiB, GiB, TiB are powers of 1024; kB, MB, GB, TB of 1000). */
int rft_units_parse_bytes(uint64_t *out_bytes, const char *text, rft_err *err);

/* The names a sweep may use as constants, and their value in base units (seconds, bytes): KiB, MiB, GiB, us, ms, s ...
 * Terminated by an entry whose name is NULL. */
typedef struct rft_unit {
    const char *name;
    double factor;
} rft_unit;
const rft_unit *rft_units_constants(void);

/* Formatting, always C locale, `digits` significant digits (1..9): 4.31e12, "B/s" -> "4.31 TB/s". SI prefixes from
 * n to E; 0 is "0 B/s"; NaN is "n/a". `out` of `size` bytes is always terminated; returns `out`. */
char *rft_units_format_si(char *out, size_t size, double value, int digits, const char *unit);
/* Binary prefixes: 65536 -> "64 KiB". */
char *rft_units_format_bytes(char *out, size_t size, uint64_t bytes);
/* A duration in seconds with a fitting unit: "2.70 us", "1.25 ms", "4 min 10 s". */
char *rft_units_format_seconds(char *out, size_t size, double seconds, int digits);
/* An integer with thousands separators: "1,536". */
char *rft_units_format_count(char *out, size_t size, uint64_t value);
/* "2026-11-21 09:30:00 UTC" / ISO form "2026-11-21T09:30:00Z" of nanoseconds since the epoch. */
char *rft_units_format_utc(char *out, size_t size, int64_t unix_ns);
char *rft_units_format_iso(char *out, size_t size, int64_t unix_ns);

#endif
