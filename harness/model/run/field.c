/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/field.h"

#include "base/str.h"
#include "model/run/load.h"
#include "model/sweep/outcome.h"
#include "model/sweep/sweep.h"
#include "model/sweep/work.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define PLACE(type_, record, field) (*(type_ *)((char *)(uintptr_t)(record) + (field)->offset))
#define COUNTED(record, field) (*(size_t *)((char *)(uintptr_t)(record) + (field)->count_offset))

#define WHOLE_MAX 9007199254740992.0 /* 2^53: a double counts no further */
#define PROTOCOL_SAME "same"
#define PROTOCOL_OTHER "other"

const char *rft_field_unit(const rft_field *field) {
    static const char *const ends[][2] = {{"_unix_ns", "ns since 1970"},
                                          {"_s", "s"},
                                          {"_mhz", "MHz"},
                                          {"_khz", "kHz"},
                                          {"_bytes", "B"},
                                          {"_w", "W"},
                                          {"_c", "degrees C"}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !field->unit; i++) {
        if (rft_text_ends(field->name, ends[i][0])) {
            return ends[i][1];
        }
    }
    return field->unit ? field->unit : "";
}

/* ---- what is kept by name ---- */

/* kind, how many names, the name of `value`, what is expected in a name's place */
#define NAMED_KINDS(X)                                                                                                 \
    X(OUTCOME, RFT_OUTCOME_COUNT, rft_outcome_name((rft_outcome)value), "an outcome")                                  \
    X(STOP, RFT_STOP_COUNT, rft_stop_reason_name((rft_stop_reason)value), "a reason to stop")                          \
    X(CACHE, RFT_CACHE_COUNT, rft_cache_mode_name((rft_cache_mode)value), "\"cold\", \"hot\" or \"rotating\"")         \
    X(TIMING, RFT_TIMING_COUNT, rft_timing_mode_names[value], "\"events\" or \"graph\"")                               \
    X(EVIDENCE, RFT_EVIDENCE_DECLARED + 1, rft_evidence_name((rft_evidence)value), "a class of evidence")              \
    X(LOAD_KIND, RFT_LOAD_KINDS, rft_load_kind_name((rft_load_kind)value), "a kind of load")                           \
    X(OBJECTIVE, RFT_OBJECTIVE_COUNT, rft_objective_name((rft_objective)value), "\"time\", \"energy\" or \"edp\"")

#define NAMED_ROW(kind, count, name, expected) [RFT_FIELD_##kind] = {count, expected},
static const struct {
    int count; /* 0: not kept by name */
    const char *expected;
} named[] = {NAMED_KINDS(NAMED_ROW)};
#undef NAMED_ROW

static int name_count(rft_field_kind kind) {
    return (size_t)kind < sizeof named / sizeof *named ? named[kind].count : 0;
}

static const char *name_at(rft_field_kind kind, int value) {
    switch (kind) {
#define NAMED_CASE(kind_, count, name, expected)                                                                       \
    case RFT_FIELD_##kind_:                                                                                            \
        return name;
        NAMED_KINDS(NAMED_CASE)
#undef NAMED_CASE
    default:
        return "";
    }
}

/* ---- reading a field ---- */

static rft_content null_content(void) {
    return (rft_content){.kind = RFT_CONTENT_NULL};
}

static rft_content int_content(int64_t integer) {
    return (rft_content){.kind = RFT_CONTENT_INT, .integer = integer};
}

static rft_content real_content(double real) {
    return isnan(real) ? null_content() : (rft_content){.kind = RFT_CONTENT_REAL, .real = real};
}

static rft_content text_content(const char *text) {
    return text ? (rft_content){.kind = RFT_CONTENT_TEXT, .text = text} : null_content();
}

rft_content rft_field_get(const rft_field *field, const void *record) {
    if (field->derived) {
        return real_content(field->derived(record));
    }
    switch (field->kind) {
    case RFT_FIELD_INT:
    case RFT_FIELD_COUNT:
        return int_content(PLACE(int, record, field));
    case RFT_FIELD_KNOWN:
        return PLACE(int, record, field) == -1 ? null_content() : int_content(PLACE(int, record, field));
    case RFT_FIELD_INT64:
    case RFT_FIELD_COUNT64:
        return int_content(PLACE(int64_t, record, field));
    case RFT_FIELD_BYTES:
        return PLACE(int64_t, record, field) == -1 ? null_content() : int_content(PLACE(int64_t, record, field));
    case RFT_FIELD_UINT64:
        return int_content((int64_t)PLACE(uint64_t, record, field));
    case RFT_FIELD_SIZE:
    case RFT_FIELD_LENGTH:
        return int_content((int64_t)PLACE(size_t, record, field));
    case RFT_FIELD_REAL:
    case RFT_FIELD_AMOUNT:
        return real_content(PLACE(double, record, field));
    case RFT_FIELD_BOOL:
    case RFT_FIELD_FLAG:
        return int_content(PLACE(bool, record, field) ? 1 : 0);
    case RFT_FIELD_TEXT:
    case RFT_FIELD_NAME:
        return text_content(PLACE(const char *, record, field));
    case RFT_FIELD_BESIDE:
    case RFT_FIELD_REALS: {
        double *reals = PLACE(double *, record, field);
        return reals || field->kind == RFT_FIELD_REALS
                   ? (rft_content){.kind = RFT_CONTENT_REALS, .reals = reals, .count = COUNTED(record, field)}
                   : null_content();
    }
    case RFT_FIELD_COUNTS: {
        size_t count = COUNTED(record, field);
        return count
                   ? (rft_content){.kind = RFT_CONTENT_COUNTS, .counts = PLACE(size_t *, record, field), .count = count}
                   : null_content();
    }
    case RFT_FIELD_PROTOCOL:
        return text_content(PLACE(bool, record, field) ? PROTOCOL_SAME : PROTOCOL_OTHER);
    default: /* an enum */
        return text_content(name_at(field->kind, PLACE(int, record, field)));
    }
}

rft_content rft_field_shown(const rft_field *field, const void *record) {
    rft_content content = rft_field_get(field, record);
    bool count = field->kind == RFT_FIELD_COUNT || field->kind == RFT_FIELD_COUNT64;
    return count && content.integer == 0 ? null_content() : content;
}

/* ---- setting it ---- */

/* False: null has no meaning for it. */
static bool set_null(const rft_field *field, void *record) {
    switch (field->kind) {
    case RFT_FIELD_COUNT:
        PLACE(int, record, field) = 0;
        return true;
    case RFT_FIELD_KNOWN:
        PLACE(int, record, field) = -1;
        return true;
    case RFT_FIELD_COUNT64:
        PLACE(int64_t, record, field) = 0;
        return true;
    case RFT_FIELD_BYTES:
        PLACE(int64_t, record, field) = -1;
        return true;
    case RFT_FIELD_LENGTH:
        PLACE(size_t, record, field) = 0;
        return true;
    case RFT_FIELD_REAL:
        PLACE(double, record, field) = NAN;
        return true;
    case RFT_FIELD_AMOUNT:
        PLACE(double, record, field) = 0.0;
        return true;
    case RFT_FIELD_FLAG:
        PLACE(bool, record, field) = false;
        return true;
    case RFT_FIELD_NAME:
        PLACE(const char *, record, field) = "";
        return true;
    case RFT_FIELD_TEXT:
        PLACE(const char *, record, field) = NULL;
        return true;
    case RFT_FIELD_REALS:
        COUNTED(record, field) = 0;
        PLACE(double *, record, field) = NULL;
        return true;
    case RFT_FIELD_COUNTS:
        COUNTED(record, field) = 0;
        PLACE(size_t *, record, field) = NULL;
        return true;
    case RFT_FIELD_BESIDE:
        PLACE(double *, record, field) = NULL;
        return true;
    case RFT_FIELD_OBJECTIVE:
        PLACE(rft_objective, record, field) = RFT_OBJECTIVE_TIME;
        return true;
    case RFT_FIELD_TIMING:
        PLACE(rft_timing_mode, record, field) = RFT_TIMING_EVENTS;
        return true;
    default:
        return false;
    }
}

bool rft_field_may_be_null(const rft_field *field) {
    union {
        double real;
        const void *pointer;
        int64_t integer;
    } room[2];
    rft_field alone = *field;
    alone.offset = 0;
    alone.count_offset = sizeof *room;
    return set_null(&alone, room);
}

static const char *set_int(int *out, const rft_content *content) {
    if (content->kind != RFT_CONTENT_INT || content->integer < INT_MIN || content->integer > INT_MAX) {
        return "a whole number of at most 31 bits";
    }
    *out = (int)content->integer;
    return NULL;
}

static const char *set_int64(int64_t *out, const rft_content *content) {
    if (content->kind != RFT_CONTENT_INT) {
        return "a whole number";
    }
    *out = content->integer;
    return NULL;
}

static const char *set_size(size_t *out, const rft_content *content) {
    if (content->kind != RFT_CONTENT_INT || content->integer < 0) {
        return "a whole number from 0";
    }
    *out = (size_t)content->integer;
    return NULL;
}

static const char *set_double(double *out, const rft_content *content) {
    bool text = content->kind == RFT_CONTENT_TEXT;
    if (text && (strcmp(content->text, "inf") == 0 || strcmp(content->text, "-inf") == 0)) {
        *out = content->text[0] == '-' ? -INFINITY : INFINITY;
        return NULL;
    }
    if (content->kind != RFT_CONTENT_INT && content->kind != RFT_CONTENT_REAL) {
        return "a number or null";
    }
    *out = content->kind == RFT_CONTENT_INT ? (double)content->integer : content->real;
    return NULL;
}

static const char *set_bool(bool *out, const rft_content *content) {
    if (content->kind != RFT_CONTENT_INT || content->integer < 0 || content->integer > 1) {
        return "true or false";
    }
    *out = content->integer == 1;
    return NULL;
}

static const char *set_copied_text(const char **out, const rft_content *content, rft_arena *arena) {
    if (content->kind != RFT_CONTENT_TEXT) {
        return "a text or null";
    }
    *out = rft_arena_strdup(arena, content->text);
    return NULL;
}

static const char *set_protocol(bool *same, const rft_content *content) {
    bool text = content->kind == RFT_CONTENT_TEXT;
    *same = text && strcmp(content->text, PROTOCOL_SAME) == 0;
    return *same || (text && strcmp(content->text, PROTOCOL_OTHER) == 0) ? NULL
                                                                         : "\"" PROTOCOL_SAME "\" or \"" PROTOCOL_OTHER
                                                                           "\"";
}

static const char *set_list(const rft_field *field, void *record, const rft_content *content) {
    bool beside = field->kind == RFT_FIELD_BESIDE;
    if (content->kind != RFT_CONTENT_REALS) {
        return "a list of numbers";
    }
    if (beside && content->count != COUNTED(record, field) && content->count != 0) {
        return "as many as there are samples";
    }
    COUNTED(record, field) = beside ? COUNTED(record, field) : content->count;
    PLACE(double *, record, field) = content->count ? content->reals : NULL;
    return NULL;
}

/* Files and frames have them as numbers. */
static const char *set_counts(const rft_field *field, void *record, const rft_content *content, rft_arena *arena) {
    bool counts = content->kind == RFT_CONTENT_COUNTS, fits = counts || content->kind == RFT_CONTENT_REALS;
    size_t *list = fits ? rft_arena_calloc(arena, content->count + 1, sizeof *list) : NULL;
    for (size_t i = 0; fits && i < content->count; i++) {
        double real = counts ? (double)content->counts[i] : content->reals[i];
        fits = real >= 0 && real <= WHOLE_MAX && real == floor(real);
        list[i] = fits ? (size_t)real : 0;
    }
    if (!fits) {
        return "a list of whole numbers";
    }
    COUNTED(record, field) = content->count;
    PLACE(size_t *, record, field) = content->count ? list : NULL;
    return NULL;
}

static const char *set_enum(const rft_field *field, void *record, const rft_content *content) {
    for (int i = 0; content->kind == RFT_CONTENT_TEXT && i < name_count(field->kind); i++) {
        if (strcmp(name_at(field->kind, i), content->text) == 0) {
            PLACE(int, record, field) = i;
            return NULL;
        }
    }
    return named[field->kind].expected;
}

static const char *set(const rft_field *field, void *record, const rft_content *content, rft_arena *arena) {
    switch (field->kind) {
    case RFT_FIELD_INT:
    case RFT_FIELD_KNOWN:
    case RFT_FIELD_COUNT:
        return set_int(&PLACE(int, record, field), content);
    case RFT_FIELD_INT64:
    case RFT_FIELD_UINT64:
    case RFT_FIELD_COUNT64:
    case RFT_FIELD_BYTES:
        return set_int64(&PLACE(int64_t, record, field), content);
    case RFT_FIELD_SIZE:
    case RFT_FIELD_LENGTH:
        return set_size(&PLACE(size_t, record, field), content);
    case RFT_FIELD_REAL:
    case RFT_FIELD_AMOUNT:
        return set_double(&PLACE(double, record, field), content);
    case RFT_FIELD_BOOL:
    case RFT_FIELD_FLAG:
        return set_bool(&PLACE(bool, record, field), content);
    case RFT_FIELD_TEXT:
    case RFT_FIELD_NAME:
        return set_copied_text(&PLACE(const char *, record, field), content, arena);
    case RFT_FIELD_REALS:
    case RFT_FIELD_BESIDE:
        return set_list(field, record, content);
    case RFT_FIELD_COUNTS:
        return set_counts(field, record, content, arena);
    case RFT_FIELD_PROTOCOL:
        return set_protocol(&PLACE(bool, record, field), content);
    default:
        return set_enum(field, record, content);
    }
}

/* ---- what it may be ---- */

static rft_range range_of(const rft_field *field) {
    if (field->range.low != 0 || field->range.high != 0) {
        return field->range;
    }
    switch (field->kind) {
    case RFT_FIELD_INT:
    case RFT_FIELD_KNOWN:
    case RFT_FIELD_COUNT:
        return (rft_range){0, INT_MAX};
    case RFT_FIELD_LENGTH:
    case RFT_FIELD_BYTES:
    case RFT_FIELD_SIZE:
        return (rft_range){0, WHOLE_MAX};
    case RFT_FIELD_INT64:
    case RFT_FIELD_COUNT64:
        return (rft_range){0, 9.2e18};
    case RFT_FIELD_REAL:
    case RFT_FIELD_AMOUNT:
    case RFT_FIELD_REALS:
    case RFT_FIELD_BESIDE:
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

static const char *check_list(rft_range range, const double *values, size_t count, rft_arena *arena) {
    for (size_t i = 0; values && i < count; i++) {
        const char *expected =
            values[i] >= range.low && values[i] <= range.high ? NULL : rft_range_check(range, values[i], arena);
        if (expected) {
            return rft_arena_printf(arena, "%s at [%zu]", expected, i);
        }
    }
    return NULL;
}

const char *rft_field_check(const rft_field *field, const void *record, rft_arena *arena) {
    const rft_range range = range_of(field);
    if (isinf(range.high)) { /* anything will do: texts, for one */
        return NULL;
    }
    rft_content found = field->derived ? null_content() : rft_field_get(field, record);
    switch (found.kind) {
    case RFT_CONTENT_INT:
        return rft_range_check(range, (double)found.integer, arena);
    case RFT_CONTENT_REAL:
        return rft_range_check(range, found.real, arena);
    case RFT_CONTENT_REALS:
        return check_list(range, found.reals, found.count, arena);
    default:
        return NULL;
    }
}

/* Of the field as it was set: "inf" is a number too, and what null stands for is in every range. */
const char *rft_field_set(const rft_field *field, void *record, const rft_content *content, rft_arena *arena) {
    if (content->kind == RFT_CONTENT_NULL && set_null(field, record)) {
        return NULL;
    }
    const char *expected = set(field, record, content, arena);
    return expected ? expected : rft_field_check(field, record, arena);
}

/* ---- all of a table ---- */

static size_t size_of(rft_field_kind kind) {
    switch (kind) {
    case RFT_FIELD_BOOL:
    case RFT_FIELD_FLAG:
    case RFT_FIELD_PROTOCOL:
        return sizeof(bool);
    case RFT_FIELD_INT64:
    case RFT_FIELD_UINT64:
    case RFT_FIELD_SIZE:
        return sizeof(int64_t);
    default: /* INT and enums; the others have a null */
        return sizeof(int);
    }
}

void rft_fields_clear(const rft_fields *fields, void *record) {
    for (size_t i = 0; i < fields->count; i++) {
        const rft_field *field = &fields->items[i];
        if (!field->derived && !set_null(field, record)) {
            memset((char *)record + field->offset, 0, size_of(field->kind));
        }
    }
}

void rft_fields_own(const rft_fields *fields, void *record, rft_arena *arena) {
    for (size_t i = 0; i < fields->count; i++) {
        const rft_field *field = &fields->items[i];
        if (field->derived) {
            continue;
        }
        if (field->kind == RFT_FIELD_TEXT || field->kind == RFT_FIELD_NAME) {
            const char **text = &PLACE(const char *, record, field);
            *text = rft_arena_strdup(arena, *text);
        } else if (field->kind == RFT_FIELD_REALS || field->kind == RFT_FIELD_BESIDE) {
            double **list = &PLACE(double *, record, field);
            size_t count = COUNTED(record, field);
            *list = *list && count ? rft_arena_memdup(arena, *list, count * sizeof **list) : NULL;
        } else if (field->kind == RFT_FIELD_COUNTS) {
            size_t **list = &PLACE(size_t *, record, field);
            *list = rft_arena_memdup(arena, *list, COUNTED(record, field) * sizeof **list);
        }
    }
}

static double round_9_digits_as_text(double value) {
    char text[40];
    double rounded;
    rft_text_format(text, sizeof text, "%.9g", value);
    return rft_text_to_double(text, &rounded) ? rounded : value;
}

/* A whole number and a power of ten up to 1e22 are exact, and so is the nearest double of their quotient; what lies in
 * the middle of two numbers is left to the text. */
double rft_round_9_digits(double value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    size_t digits = 0;
    if (!(value >= 1e-13 && value < 1e9)) {
        return round_9_digits_as_text(value);
    }
    while (value * powers[digits] < 1e8) {
        digits++;
    }
    const double shifted = value * powers[digits], whole = rint(shifted);
    return fabs(fabs(shifted - whole) - 0.5) < 1e-6 ? round_9_digits_as_text(value) : whole / powers[digits];
}
