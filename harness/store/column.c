/* SPDX-License-Identifier: Apache-2.0 */
#include "store/column.h"

#include "base/str.h"
#include "model/stats/stats.h"
#include "model/sweep/outcome.h"
#include "model/sweep/sweep.h"
#include "model/sweep/work.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define FIELD(kind_, record, column) (*(kind_ *)((char *)(uintptr_t)(record) + (column)->offset))

static rft_cell null_cell(void) {
    return (rft_cell){.kind = RFT_CELL_NULL};
}

static rft_cell int_cell(int64_t integer) {
    return (rft_cell){.kind = RFT_CELL_INT, .integer = integer};
}

static rft_cell real_cell(double real) {
    return isnan(real) ? null_cell() : (rft_cell){.kind = RFT_CELL_REAL, .real = real};
}

static rft_cell text_cell(const char *text) {
    return text ? (rft_cell){.kind = RFT_CELL_TEXT, .text = text} : null_cell();
}

rft_cell rft_column_get(const rft_column *column, const void *record) {
    switch (column->kind) {
    case RFT_COLUMN_INT:
    case RFT_COLUMN_COUNT:
        return int_cell(FIELD(int, record, column));
    case RFT_COLUMN_KNOWN:
        return FIELD(int, record, column) == -1 ? null_cell() : int_cell(FIELD(int, record, column));
    case RFT_COLUMN_INT64:
    case RFT_COLUMN_COUNT64:
        return int_cell(FIELD(int64_t, record, column));
    case RFT_COLUMN_BYTES:
        return FIELD(int64_t, record, column) == -1 ? null_cell() : int_cell(FIELD(int64_t, record, column));
    case RFT_COLUMN_UINT64:
        return int_cell((int64_t)FIELD(uint64_t, record, column));
    case RFT_COLUMN_SIZE:
    case RFT_COLUMN_LENGTH:
        return int_cell((int64_t)FIELD(size_t, record, column));
    case RFT_COLUMN_REAL:
    case RFT_COLUMN_AMOUNT:
        return real_cell(FIELD(double, record, column));
    case RFT_COLUMN_BOOL:
    case RFT_COLUMN_FLAG:
        return int_cell(FIELD(bool, record, column) ? 1 : 0);
    case RFT_COLUMN_TEXT:
    case RFT_COLUMN_NAME:
        return text_cell(FIELD(const char *, record, column));
    case RFT_COLUMN_OUTCOME:
        return text_cell(rft_outcome_name(FIELD(rft_outcome, record, column)));
    case RFT_COLUMN_STOP:
        return text_cell(rft_stop_reason_name(FIELD(rft_stop_reason, record, column)));
    case RFT_COLUMN_CACHE:
        return text_cell(rft_cache_mode_name(FIELD(rft_cache_mode, record, column)));
    case RFT_COLUMN_EVIDENCE:
        return text_cell(rft_evidence_name(FIELD(rft_evidence, record, column)));
    case RFT_COLUMN_OBJECTIVE:
        return text_cell(rft_objective_name(FIELD(rft_objective, record, column)));
    }
    return null_cell();
}

static const char *set_int(int *out, const rft_cell *cell) {
    if (cell->kind != RFT_CELL_INT || cell->integer < INT_MIN || cell->integer > INT_MAX) {
        return "a whole number of at most 31 bits";
    }
    *out = (int)cell->integer;
    return NULL;
}

static const char *set_int64(int64_t *out, const rft_cell *cell) {
    if (cell->kind != RFT_CELL_INT) {
        return "a whole number";
    }
    *out = cell->integer;
    return NULL;
}

static const char *set_size(size_t *out, const rft_cell *cell) {
    if (cell->kind != RFT_CELL_INT || cell->integer < 0) {
        return "a whole number from 0";
    }
    *out = (size_t)cell->integer;
    return NULL;
}

static const char *set_real(double *out, const rft_cell *cell) {
    switch (cell->kind) {
    case RFT_CELL_NULL:
        *out = NAN;
        return NULL;
    case RFT_CELL_INT:
        *out = (double)cell->integer;
        return NULL;
    case RFT_CELL_REAL:
        *out = cell->real;
        return NULL;
    case RFT_CELL_TEXT:
        if (strcmp(cell->text, "inf") == 0 || strcmp(cell->text, "-inf") == 0) {
            *out = cell->text[0] == '-' ? -INFINITY : INFINITY;
            return NULL;
        }
    }
    return "a number or null";
}

/* `count` names from `name`; *found is left alone when none is equal. */
#define FIND_NAME(type_, name_, count_)                                                                                \
    for (int i = 0; cell->kind == RFT_CELL_TEXT && i < (int)(count_); i++) {                                           \
        if (strcmp(name_((type_)i), cell->text) == 0) {                                                                \
            FIELD(type_, record, column) = (type_)i;                                                                   \
            return NULL;                                                                                               \
        }                                                                                                              \
    }

static const char *set_enum(const rft_column *column, void *record, const rft_cell *cell) {
    if (column->kind == RFT_COLUMN_OUTCOME) {
        FIND_NAME(rft_outcome, rft_outcome_name, RFT_OUTCOME_COUNT)
        return "an outcome";
    }
    if (column->kind == RFT_COLUMN_STOP) {
        FIND_NAME(rft_stop_reason, rft_stop_reason_name, RFT_STOP_COUNT)
        return "a reason to stop";
    }
    if (column->kind == RFT_COLUMN_CACHE) {
        FIND_NAME(rft_cache_mode, rft_cache_mode_name, RFT_CACHE_COUNT)
        return "\"cold\", \"hot\" or \"rotating\"";
    }
    if (column->kind == RFT_COLUMN_OBJECTIVE) {
        if (cell->kind == RFT_CELL_NULL) {
            FIELD(rft_objective, record, column) = RFT_OBJECTIVE_TIME;
            return NULL;
        }
        FIND_NAME(rft_objective, rft_objective_name, RFT_OBJECTIVE_COUNT)
        return "\"time\", \"energy\" or \"edp\"";
    }
    FIND_NAME(rft_evidence, rft_evidence_name, RFT_EVIDENCE_DECLARED + 1)
    return "a class of evidence";
}

static const char *set_bool(bool *out, const rft_cell *cell) {
    if (cell->kind != RFT_CELL_INT || cell->integer < 0 || cell->integer > 1) {
        return "true or false";
    }
    *out = cell->integer == 1;
    return NULL;
}

/* Kinds that were added to files after others had been written: what is not there reads as nothing. */
static void set_absent(const rft_column *column, void *record) {
    if (column->kind == RFT_COLUMN_COUNT64) {
        FIELD(int64_t, record, column) = 0;
    } else if (column->kind == RFT_COLUMN_LENGTH) {
        FIELD(size_t, record, column) = 0;
    } else {
        FIELD(bool, record, column) = false;
    }
}

static const char *set_recent(const rft_column *column, void *record, const rft_cell *cell) {
    if (cell->kind == RFT_CELL_NULL) {
        set_absent(column, record);
        return NULL;
    }
    if (column->kind == RFT_COLUMN_FLAG) {
        return set_bool(&FIELD(bool, record, column), cell);
    }
    return column->kind == RFT_COLUMN_LENGTH ? set_size(&FIELD(size_t, record, column), cell)
                                             : set_int64(&FIELD(int64_t, record, column), cell);
}

static rft_range range_of(const rft_column *column) {
    if (column->range.low != 0 || column->range.high != 0) {
        return column->range;
    }
    switch (column->kind) {
    case RFT_COLUMN_INT:
    case RFT_COLUMN_KNOWN:
    case RFT_COLUMN_COUNT:
        return (rft_range){0, INT_MAX};
    case RFT_COLUMN_LENGTH:
    case RFT_COLUMN_BYTES:
    case RFT_COLUMN_SIZE:
        return (rft_range){0, 9007199254740992.0};
    case RFT_COLUMN_INT64:
    case RFT_COLUMN_COUNT64:
        return (rft_range){0, 9.2e18};
    case RFT_COLUMN_REAL:
    case RFT_COLUMN_AMOUNT:
        return (rft_range){0, RFT_NUMBER_MAX};
    default:
        return (rft_range){-INFINITY, INFINITY};
    }
}

const char *rft_range_check(rft_range range, double value, rft_arena *arena) {
    if (isnan(value) || (value >= range.low && value <= range.high)) {
        return NULL;
    }
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, "a number from ");
    rft_str_add_double(&text, range.low);
    rft_str_add(&text, " to ");
    rft_str_add_double(&text, range.high);
    rft_str_add(&text, ", found ");
    rft_str_add_double(&text, value);
    const char *expected = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return expected;
}

static const char *set(const rft_column *column, void *record, const rft_cell *cell, rft_arena *arena) {
    bool null = cell->kind == RFT_CELL_NULL;
    switch (column->kind) {
    case RFT_COLUMN_COUNT64:
    case RFT_COLUMN_LENGTH:
    case RFT_COLUMN_FLAG:
        return set_recent(column, record, cell);
    case RFT_COLUMN_KNOWN:
        if (null) {
            FIELD(int, record, column) = -1;
            return NULL;
        }
        return set_int(&FIELD(int, record, column), cell);
    case RFT_COLUMN_COUNT:
        if (null) {
            FIELD(int, record, column) = 0;
            return NULL;
        }
        return set_int(&FIELD(int, record, column), cell);
    case RFT_COLUMN_INT:
        return set_int(&FIELD(int, record, column), cell);
    case RFT_COLUMN_BYTES:
        if (null) {
            FIELD(int64_t, record, column) = -1;
            return NULL;
        }
        return set_int64(&FIELD(int64_t, record, column), cell);
    case RFT_COLUMN_INT64:
    case RFT_COLUMN_UINT64:
        return set_int64(&FIELD(int64_t, record, column), cell);
    case RFT_COLUMN_SIZE:
        return set_size(&FIELD(size_t, record, column), cell);
    case RFT_COLUMN_AMOUNT:
        if (null) {
            FIELD(double, record, column) = 0.0;
            return NULL;
        }
        return set_real(&FIELD(double, record, column), cell);
    case RFT_COLUMN_REAL:
        return set_real(&FIELD(double, record, column), cell);
    case RFT_COLUMN_BOOL:
        return set_bool(&FIELD(bool, record, column), cell);
    case RFT_COLUMN_TEXT:
    case RFT_COLUMN_NAME:
        if (!null && cell->kind != RFT_CELL_TEXT) {
            return "a text or null";
        }
        FIELD(const char *, record, column) = !null                             ? rft_arena_strdup(arena, cell->text)
                                              : column->kind == RFT_COLUMN_NAME ? ""
                                                                                : NULL;
        return NULL;
    default:
        return set_enum(column, record, cell);
    }
}

const char *rft_column_check(const rft_column *column, const void *record, rft_arena *arena) {
    rft_cell found = rft_column_get(column, record);
    switch (found.kind) {
    case RFT_CELL_INT:
        return rft_range_check(range_of(column), (double)found.integer, arena);
    case RFT_CELL_REAL:
        return rft_range_check(range_of(column), found.real, arena);
    default:
        return NULL;
    }
}

/* Of the field as it was set: "inf" is a number too, and what null stands for is in every range. */
const char *rft_column_set(const rft_column *column, void *record, const rft_cell *cell, rft_arena *arena) {
    const char *expected = set(column, record, cell, arena);
    return expected || cell->kind == RFT_CELL_NULL ? expected : rft_column_check(column, record, arena);
}

double rft_round_9_digits(double value) {
    char text[40];
    double rounded;
    rft_text_format(text, sizeof text, "%.9g", value);
    return rft_text_to_double(text, &rounded) ? rounded : value;
}
