/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - a value of a parameter or an axis, and the names of element types. Pure data. */
#ifndef RFT_MODEL_VALUE_H
#define RFT_MODEL_VALUE_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rft_value_kind { RFT_VALUE_INT, RFT_VALUE_REAL, RFT_VALUE_BOOL, RFT_VALUE_TEXT } rft_value_kind;

typedef struct rft_value {
    rft_value_kind kind;
    union {
        int64_t integer;  /* INT, and BOOL as 0 or 1 */
        double real;      /* REAL: never integral; integral floats become INT when read */
        const char *text; /* TEXT: borrowed from the arena of the value's maker */
    } as;
} rft_value;

rft_value rft_value_int(int64_t integer);
rft_value rft_value_real(double real); /* an integral real within +-2^53 becomes INT */
rft_value rft_value_bool(bool truth);
rft_value rft_value_text(const char *text);

bool rft_value_equal(const rft_value *a, const rft_value *b);
bool rft_values_equal(const rft_value *a, const rft_value *b, size_t count);
/* For tables: of equal values equal, never 0. `hash`: of what stands before. */
uint64_t rft_value_hash(uint64_t hash, const rft_value *value);
bool rft_value_is_number(const rft_value *value); /* INT or REAL */
double rft_value_number(const rft_value *value);  /* NaN for TEXT; 0 or 1 for BOOL */
/* "128", "0.5", "true", "tma": what screens, stores and reports show. */
void rft_value_format(rft_str *out, const rft_value *value);
/* "n=4096 stride=2": names and values side by side. */
void rft_values_format(rft_str *out, const char *const *names, const rft_value *values, size_t count);
rft_value rft_value_copy(rft_arena *arena, const rft_value *value);
rft_value *rft_values_copy(rft_arena *arena, const rft_value *values, size_t count);

/* Element types of buffers and scalars. name (as written in a sweep), bytes, bits of significand (0 = integer). */
#define RFT_TYPE_MAP(X)                                                                                                \
    X(F64, "f64", 8, 53)                                                                                               \
    X(F32, "f32", 4, 24)                                                                                               \
    X(F16, "f16", 2, 11)                                                                                               \
    X(BF16, "bf16", 2, 8)                                                                                              \
    X(E4M3, "e4m3", 1, 4)                                                                                              \
    X(E5M2, "e5m2", 1, 3)                                                                                              \
    X(I8, "i8", 1, 0)                                                                                                  \
    X(U8, "u8", 1, 0)                                                                                                  \
    X(I16, "i16", 2, 0)                                                                                                \
    X(U16, "u16", 2, 0)                                                                                                \
    X(I32, "i32", 4, 0)                                                                                                \
    X(U32, "u32", 4, 0)                                                                                                \
    X(I64, "i64", 8, 0)                                                                                                \
    X(U64, "u64", 8, 0)

typedef enum rft_type {
#define RFT_TYPE_ENUM(name, text, bytes, bits) RFT_TYPE_##name,
    RFT_TYPE_MAP(RFT_TYPE_ENUM)
#undef RFT_TYPE_ENUM
        RFT_TYPE_COUNT
} rft_type;

const char *rft_type_name(rft_type type);
size_t rft_type_bytes(rft_type type);
int rft_type_significand_bits(rft_type type); /* 0 for integers */
bool rft_type_from_name(rft_type *out, const char *name);

#endif
