/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/value.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

/* Beyond +-2^53 not every integer is a double, so an integral real says nothing about what was meant. */
#define EXACT_INTEGERS 9007199254740992.0

rft_value rft_value_int(int64_t integer) {
    return (rft_value){.kind = RFT_VALUE_INT, .as.integer = integer};
}

rft_value rft_value_real(double real) {
    if (fabs(real) <= EXACT_INTEGERS && real == floor(real)) {
        return rft_value_int((int64_t)real);
    }
    return (rft_value){.kind = RFT_VALUE_REAL, .as.real = real};
}

rft_value rft_value_bool(bool truth) {
    return (rft_value){.kind = RFT_VALUE_BOOL, .as.integer = truth ? 1 : 0};
}

rft_value rft_value_text(const char *text) {
    return (rft_value){.kind = RFT_VALUE_TEXT, .as.text = text};
}

bool rft_value_equal(const rft_value *a, const rft_value *b) {
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case RFT_VALUE_INT:
    case RFT_VALUE_BOOL:
        return a->as.integer == b->as.integer;
    case RFT_VALUE_REAL:
        return a->as.real == b->as.real;
    case RFT_VALUE_TEXT:
        return rft_text_equal(a->as.text, b->as.text);
    }
    return false;
}

uint64_t rft_value_hash(uint64_t hash, const rft_value *value) {
    uint64_t parts[3] = {hash, (uint64_t)value->kind, 0};
    if (value->kind == RFT_VALUE_TEXT) {
        parts[2] = rft_hash_fnv1a(value->as.text, strlen(value->as.text));
    } else {
        memcpy(&parts[2], &value->as, sizeof parts[2]);
    }
    hash = rft_hash_fnv1a(parts, sizeof parts);
    return hash ? hash : 1;
}

bool rft_values_equal(const rft_value *a, const rft_value *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!rft_value_equal(&a[i], &b[i])) {
            return false;
        }
    }
    return true;
}

bool rft_value_is_number(const rft_value *value) {
    return value->kind == RFT_VALUE_INT || value->kind == RFT_VALUE_REAL;
}

double rft_value_number(const rft_value *value) {
    switch (value->kind) {
    case RFT_VALUE_INT:
    case RFT_VALUE_BOOL:
        return (double)value->as.integer;
    case RFT_VALUE_REAL:
        return value->as.real;
    case RFT_VALUE_TEXT:
        break;
    }
    return NAN;
}

void rft_value_format(rft_str *out, const rft_value *value) {
    switch (value->kind) {
    case RFT_VALUE_INT:
        rft_str_addf(out, "%lld", (long long)value->as.integer);
        break;
    case RFT_VALUE_REAL:
        rft_str_add_double(out, value->as.real);
        break;
    case RFT_VALUE_BOOL:
        rft_str_add(out, value->as.integer ? "true" : "false");
        break;
    case RFT_VALUE_TEXT:
        rft_str_add(out, value->as.text ? value->as.text : "");
        break;
    }
}

void rft_values_format(rft_str *out, const char *const *names, const rft_value *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            rft_str_add_char(out, ' ');
        }
        rft_str_add(out, names[i]);
        rft_str_add_char(out, '=');
        rft_value_format(out, &values[i]);
    }
}

rft_value rft_value_copy(rft_arena *arena, const rft_value *value) {
    rft_value copy = *value;
    if (copy.kind == RFT_VALUE_TEXT) {
        copy.as.text = rft_arena_strdup(arena, value->as.text);
    }
    return copy;
}

rft_value *rft_values_copy(rft_arena *arena, const rft_value *values, size_t count) {
    rft_value *copies = rft_arena_calloc(arena, count, sizeof *copies);
    for (size_t i = 0; i < count; i++) {
        copies[i] = rft_value_copy(arena, &values[i]);
    }
    return copies;
}

typedef struct type_row {
    const char *name;
    size_t bytes;
    int significand_bits;
} type_row;

static const type_row types[RFT_TYPE_COUNT] = {
#define TYPE_ROW(name, text, bytes, bits) {text, bytes, bits},
    RFT_TYPE_MAP(TYPE_ROW)
#undef TYPE_ROW
};

const char *rft_type_name(rft_type type) {
    return types[type].name;
}

size_t rft_type_bytes(rft_type type) {
    return types[type].bytes;
}

int rft_type_significand_bits(rft_type type) {
    return types[type].significand_bits;
}

bool rft_type_from_name(rft_type *out, const char *name) {
    for (size_t i = 0; i < RFT_TYPE_COUNT; i++) {
        if (rft_text_equal(types[i].name, name)) {
            *out = (rft_type)i;
            return true;
        }
    }
    return false;
}
