/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.h - the fields of a run's structs, each described once: its name everywhere, what it says, what it may be, and
 * where it goes. The run file (its tables, INSERT, SELECT, files of older schemas), recordings, the frames between
 * processes, `show --json`, events, `show --csv` and the table in docs/show.md all follow from these descriptions.
 */
#ifndef RFT_MODEL_FIELD_H
#define RFT_MODEL_FIELD_H

#include "base/arena.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a field becomes on its way. */
typedef enum rft_content_kind {
    RFT_CONTENT_NULL,
    RFT_CONTENT_INT,
    RFT_CONTENT_REAL,
    RFT_CONTENT_TEXT,
    RFT_CONTENT_REALS,
    RFT_CONTENT_COUNTS
} rft_content_kind;

typedef struct rft_content {
    rft_content_kind kind;
    int64_t integer;
    double real;          /* never NaN: that is RFT_CONTENT_NULL */
    const char *text;     /* borrowed */
    double *reals;        /* borrowed; NaN is not known */
    const size_t *counts; /* borrowed */
    size_t count;         /* of either */
} rft_content;

typedef enum rft_field_kind {
    RFT_FIELD_INT,     /* int */
    RFT_FIELD_KNOWN,   /* int; -1 (not known) <-> null */
    RFT_FIELD_INT64,   /* int64_t */
    RFT_FIELD_COUNT,   /* int >= 0; null reads as 0: none of it */
    RFT_FIELD_COUNT64, /* int64_t >= 0; null reads as 0: not recorded */
    RFT_FIELD_LENGTH,  /* size_t; null reads as 0: none, or not recorded */
    RFT_FIELD_BYTES,   /* int64_t; -1 (not known) <-> null */
    RFT_FIELD_UINT64,  /* uint64_t, kept as the signed number of the same bits */
    RFT_FIELD_SIZE,    /* size_t */
    RFT_FIELD_REAL,    /* double; NaN <-> null; infinities are the texts "inf" and "-inf" where null or number is all
                          there is */
    RFT_FIELD_AMOUNT,  /* double; null reads as 0: nothing of it */
    RFT_FIELD_BOOL,
    RFT_FIELD_FLAG,   /* bool; null reads as false: not recorded */
    RFT_FIELD_TEXT,   /* const char *; NULL <-> null */
    RFT_FIELD_NAME,   /* const char *; null reads as "": never NULL in a run that was read */
    RFT_FIELD_REALS,  /* double *, and at count_offset a size_t: how many */
    RFT_FIELD_BESIDE, /* double *: as many as the REALS with the same count_offset, before it, or NULL */
    RFT_FIELD_COUNTS, /* size_t *, and at count_offset a size_t: how many; none <-> null: not recorded */
    /* kept by name */
    RFT_FIELD_OUTCOME,
    RFT_FIELD_STOP,
    RFT_FIELD_CACHE,
    RFT_FIELD_TIMING, /* null reads as events: not recorded */
    RFT_FIELD_EVIDENCE,
    RFT_FIELD_LOAD_KIND,
    RFT_FIELD_OBJECTIVE, /* null reads as time: not recorded */
    RFT_FIELD_PROTOCOL   /* bool: "same" or "other" */
} rft_field_kind;

/* What a number may be, both ends included. Files come from anywhere: what is read is divided by, multiplied and
 * counted to, so nothing outside gets into a run. A field without a range of its own has that of its kind: whole
 * numbers from 0 as far as the type goes (at most 2^53), numbers from 0 to RFT_NUMBER_MAX and no infinity; UINT64
 * (seeds) any. */
typedef struct rft_range {
    double low, high; /* 0, 0: that of the kind */
} rft_range;
#define RFT_NUMBER_MAX 1e18    /* of what is measured or declared: no rate, amount or time comes near */
#define RFT_SAMPLE_MIN_S 1e-12 /* of a sample: nothing takes no time, and rates are divided by it */
#define RFT_SAMPLE_MAX_S 1e9   /* of a sample */
#define RFT_CLOCK_MAX_MHZ 1e6  /* of a clock */

/* Where it goes beside the run file, recordings and frames. */
enum {
    RFT_FIELD_ROUNDED = 1,     /* a reading of a clock: recordings keep 9 significant digits of it */
    RFT_FIELD_SHOWN = 2,       /* of a point: in `show --json`, `point --json` and events ... */
    RFT_FIELD_CSV = 4,         /* ... and in `show --csv` */
    RFT_FIELD_UPDATED = 8,     /* written again as the run goes on, or is continued */
    RFT_FIELD_UNSTORED = 16,   /* not in run files: in frames alone, or `derived` and only shown */
    RFT_FIELD_UNRECORDED = 32, /* not in recordings by this name: they have a form of their own for it */
};

typedef struct rft_field {
    const char *name; /* of the column, the member and the heading */
    rft_field_kind kind;
    unsigned flags;
    size_t offset, count_offset;
    rft_range range;
    const char *unit; /* NULL: what the name's end says, see rft_field_unit() */
    const char *help; /* one sentence without a full stop */
    const char *was;  /* its name until 0.1.0: read as well, and recordings write it beside; NULL */
    double (*derived)(const void *record); /* REAL that is computed from the others; NULL */
} rft_field;

typedef struct rft_fields {
    const char *name; /* "point" */
    const rft_field *items;
    size_t count;
} rft_fields;

/* ---- the tables (field_tables.c) ---- */
extern const rft_fields rft_fields_info;         /* rft_run_info */
extern const rft_fields rft_fields_gpu;          /* rft_gpu_info */
extern const rft_fields rft_fields_ceiling;      /* rft_ceiling without its stats */
extern const rft_fields rft_fields_stats;        /* rft_stats; their unit is that of what they are of */
extern const rft_fields rft_fields_sweep;        /* rft_sweep: its scalars */
extern const rft_fields rft_fields_measure_opts; /* rft_measure_opts */
extern const rft_fields rft_fields_search_opts;  /* rft_search_opts */
extern const rft_fields rft_fields_axis;         /* rft_axis: its scalars */
extern const rft_fields rft_fields_problem;      /* rft_problem without its values */
extern const rft_fields rft_fields_variant;      /* rft_variant: its texts */
extern const rft_fields rft_fields_param;        /* rft_param: its scalars */
extern const rft_fields rft_fields_point;        /* rft_point: its scalars */
extern const rft_fields rft_fields_facts;        /* rft_facts */
extern const rft_fields rft_fields_verification; /* rft_verification */
extern const rft_fields rft_fields_measurement;  /* rft_measurement without its stats */
extern const rft_fields rft_fields_load;         /* rft_load */
extern const rft_fields rft_fields_counter;      /* rft_counter_raw */
extern const rft_fields rft_fields_reference;    /* rft_reference */
extern const rft_fields rft_fields_baseline;     /* rft_baseline without measurement and verification */
extern const rft_fields rft_fields_work;         /* rft_work */
extern const rft_fields rft_fields_traffic;      /* rft_traffic */

#define RFT_FIELDS_COUNT 21
extern const rft_fields *const rft_fields_all[RFT_FIELDS_COUNT];

/* "MHz", "s", "B"; "" for what has none. */
const char *rft_field_unit(const rft_field *field);

/* ---- one field of a record ---- */
/* Texts and lists are borrowed from the record. */
rft_content rft_field_get(const rft_field *field, const void *record);

/* As readers are told it: a count of nothing is null. */
rft_content rft_field_shown(const rft_field *field, const void *record);

/* Sets the field; texts are copied into the arena, lists (which must live in it) are kept. NULL when it fits, else what
 * was expected instead ("an outcome", "a number from 1 to 1024, found 0"): static, or in the arena. */
const char *rft_field_set(const rft_field *field, void *record, const rft_content *content, rft_arena *arena);

/* The same of a field as it stands: NULL when its number is in its range. */
const char *rft_field_check(const rft_field *field, const void *record, rft_arena *arena);

/* Null has a meaning for it: not known, none, or not recorded. */
bool rft_field_may_be_null(const rft_field *field);

/* ---- all of a table ---- */
/* Nothing known: what null reads as; 0 where it has no meaning. */
void rft_fields_clear(const rft_fields *fields, void *record);
/* Of a record that was copied: its texts and lists are copied into the arena as well. */
void rft_fields_own(const rft_fields *fields, void *record, rft_arena *arena);

/* ---- JSON (field_json.c) ---- */
typedef enum rft_field_form {
    RFT_FORM_WIRE,     /* exact; each field must be there */
    RFT_FORM_BRIEF,    /* the same, but zeros and NULL texts are left out, and what is not there reads as that */
    RFT_FORM_RECORDING /* readings are rounded, what is not there is null, former names are read and written beside */
} rft_field_form;
json_t *rft_field_json(const rft_field *field, const void *record, bool rounded);
bool rft_field_is_in(const rft_field *field, rft_field_form form);
/* Sets a member for each field. */
void rft_fields_to_json(json_t *object, const rft_fields *fields, const void *record, rft_field_form form);
/* NULL, or what was expected and where: *wrong is the field, NULL where no object is. */
const char *rft_fields_from_json(const rft_fields *fields, void *record, const json_t *object, rft_field_form form,
                                 rft_arena *arena, const rft_field **wrong);
/* What a member is, lists of numbers and nulls in the arena; absent is null. False: an object, or another list. */
bool rft_content_from_json(rft_content *out, const json_t *value, rft_arena *arena);

/* A number that is no field: NULL when it is in the range, else what was expected, in the arena. NaN is in every range.
 */
const char *rft_range_check(rft_range range, double value, rft_arena *arena);

/* Nearest double that has 9 significant decimal digits. */
double rft_round_9_digits(double value);

#endif
