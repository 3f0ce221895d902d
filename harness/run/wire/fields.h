/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h - structs to JSON and back by tables of fields, so that each struct is written down once. */
#ifndef RFT_RUN_FIELDS_H
#define RFT_RUN_FIELDS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

#include <stddef.h>

typedef enum rft_field_kind {
    RFT_FIELD_INT,  /* int, and enums */
    RFT_FIELD_I64,  /* int64_t */
    RFT_FIELD_U64,  /* uint64_t, size_t */
    RFT_FIELD_REAL, /* double; NaN is null */
    RFT_FIELD_BOOL,
    RFT_FIELD_TEXT, /* const char *; NULL is null */
    RFT_FIELD_I64X3,
    RFT_FIELD_INTX3
} rft_field_kind;

typedef struct rft_field {
    const char *name;
    rft_field_kind kind;
    size_t offset;
} rft_field;

#define RFT_FIELD(type, member, kind)                                                                                  \
    { #member, RFT_FIELD_##kind, offsetof(type, member) }
#define RFT_FIELD_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* A JSON string; NULL is null, and bytes that are not UTF-8 (a compiler's log, a path) become "?". */
json_t *rft_fields_text(const char *text);
json_t *rft_fields_encode(const void *item, const rft_field *fields, size_t count);
/* Every field must be there with its type: RFT_E_WORKER names the one that is not. Texts are copied into the arena. */
int rft_fields_decode(void *item, const json_t *object, const rft_field *fields, size_t count, rft_arena *arena,
                      rft_err *err);

/* Numbers in a list; NaN is null. Reading RFT_E_WORKER: `key` of `head` is no list. */
json_t *rft_fields_reals(const double *items, size_t count);
int rft_fields_to_reals(double **out, size_t *count, const json_t *head, const char *key, rft_arena *arena,
                        rft_err *err);

#endif
