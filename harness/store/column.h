/* SPDX-License-Identifier: Apache-2.0 */
/*
 * column.h - the fields of a run's structs, each written down once: SQL columns and JSON members both follow these
 * tables. A cell is what either of them can hold; the kind of a column says how a C field becomes one.
 */
#ifndef RFT_STORE_COLUMN_H
#define RFT_STORE_COLUMN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rft_cell_kind { RFT_CELL_NULL, RFT_CELL_INT, RFT_CELL_REAL, RFT_CELL_TEXT } rft_cell_kind;

typedef struct rft_cell {
    rft_cell_kind kind;
    int64_t integer;
    double real;      /* never NaN: that is RFT_CELL_NULL */
    const char *text; /* borrowed */
} rft_cell;

typedef enum rft_column_kind {
    RFT_COLUMN_INT,     /* int */
    RFT_COLUMN_KNOWN,   /* int; -1 (not known) <-> null */
    RFT_COLUMN_INT64,   /* int64_t */
    RFT_COLUMN_COUNT,   /* int >= 0; null reads as 0: none of it */
    RFT_COLUMN_COUNT64, /* int64_t >= 0; null reads as 0: not recorded */
    RFT_COLUMN_LENGTH,  /* size_t; null reads as 0: none, or not recorded */
    RFT_COLUMN_BYTES,   /* int64_t; -1 (not known) <-> null */
    RFT_COLUMN_UINT64,  /* uint64_t, kept as the signed number of the same bits */
    RFT_COLUMN_SIZE,    /* size_t */
    RFT_COLUMN_REAL,    /* double; NaN <-> null; infinities are the texts "inf" and "-inf" where null or number is all
                           there is */
    RFT_COLUMN_AMOUNT,  /* double; null reads as 0: nothing of it */
    RFT_COLUMN_BOOL,
    RFT_COLUMN_FLAG, /* bool; null reads as false: not recorded */
    RFT_COLUMN_TEXT, /* const char *; NULL <-> null */
    RFT_COLUMN_NAME, /* const char *; null reads as "": never NULL in a run that was read */
    /* enums, kept by name */
    RFT_COLUMN_OUTCOME,
    RFT_COLUMN_STOP,
    RFT_COLUMN_CACHE,
    RFT_COLUMN_EVIDENCE,
    RFT_COLUMN_OBJECTIVE /* null reads as time: not recorded */
} rft_column_kind;

/* What a number may be, both ends included. Files come from anywhere: what is read is divided by, multiplied and
 * counted to, so nothing outside gets into a run. A field without a range of its own has that of its kind: whole
 * numbers from 0 as far as the type goes (at most 2^53), numbers from 0 to RFT_NUMBER_MAX and no infinity; INT64 and
 * UINT64 (dates, seeds) any. */
typedef struct rft_range {
    double low, high; /* 0, 0: that of the kind */
} rft_range;
#define RFT_NUMBER_MAX 1e18    /* of what is measured or declared: no rate, amount or time comes near */
#define RFT_SAMPLE_MIN_S 1e-12 /* of a sample: nothing takes no time, and rates are divided by it */
#define RFT_SAMPLE_MAX_S 1e9   /* of a sample */
#define RFT_CLOCK_MAX_MHZ 1e6  /* of a clock */

typedef struct rft_column {
    const char *name; /* of the SQL column and the JSON member */
    rft_column_kind kind;
    bool rounded; /* a reading of a clock: recordings keep 9 significant digits of it */
    size_t offset;
    rft_range range;
} rft_column;

typedef struct rft_columns {
    const rft_column *items;
    size_t count;
} rft_columns;

extern const rft_columns rft_columns_info;         /* rft_run_info */
extern const rft_columns rft_columns_gpu;          /* rft_gpu_info */
extern const rft_columns rft_columns_ceiling;      /* rft_ceiling without its stats */
extern const rft_columns rft_columns_stats;        /* rft_stats */
extern const rft_columns rft_columns_sweep;        /* rft_sweep: its scalars, measure and search options */
extern const rft_columns rft_columns_axis;         /* rft_axis: its scalars */
extern const rft_columns rft_columns_variant;      /* rft_variant: its texts */
extern const rft_columns rft_columns_param;        /* rft_param: its scalars */
extern const rft_columns rft_columns_point;        /* rft_point: its scalars */
extern const rft_columns rft_columns_facts;        /* rft_facts */
extern const rft_columns rft_columns_verification; /* rft_verification */
extern const rft_columns rft_columns_measurement;  /* rft_measurement without samples, stats, steps */
extern const rft_columns rft_columns_load;         /* rft_load: what is neither its kind nor a sample */
extern const rft_columns rft_columns_reference;    /* rft_reference */
extern const rft_columns rft_columns_work;         /* rft_work */
extern const rft_columns rft_columns_traffic;      /* rft_traffic */

/* The field's value. Texts are borrowed from the record. */
rft_cell rft_column_get(const rft_column *column, const void *record);

/* Sets the field; texts are copied into the arena. NULL when it fits, else what was expected instead ("an outcome", "a
 * number from 1 to 1024, found 0"): static, or in the arena. */
const char *rft_column_set(const rft_column *column, void *record, const rft_cell *cell, rft_arena *arena);

/* The same of a field as it stands: NULL when its number is in its range. */
const char *rft_column_check(const rft_column *column, const void *record, rft_arena *arena);

/* A number that is no field: NULL when it is in the range, else what was expected, in the arena. NaN is in every range.
 */
const char *rft_range_check(rft_range range, double value, rft_arena *arena);

/* Nearest double that has 9 significant decimal digits. */
double rft_round_9_digits(double value);

#endif
