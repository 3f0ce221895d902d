/* SPDX-License-Identifier: Apache-2.0 */
#include "run/wire/fields.h"

#include "base/str.h"

#include <math.h>
#include <stdint.h>

/* Bytes of the UTF-8 sequence that begins here; 0 when it is none that jansson takes. */
static size_t sequence_bytes(const char *text) {
    for (size_t bytes = 1; bytes <= 4; bytes++) {
        json_t *value = json_stringn(text, bytes);
        if (value) {
            json_decref(value);
            return bytes;
        }
        if (text[bytes] == '\0') {
            break;
        }
    }
    return 0;
}

json_t *rft_fields_text(const char *text) {
    json_t *value = text ? json_string(text) : json_null();
    if (value) {
        return value;
    }
    rft_str clean = RFT_STR_INIT;
    while (text && *text) {
        size_t bytes = sequence_bytes(text);
        if (bytes > 0) {
            rft_str_add_n(&clean, text, bytes);
        } else {
            rft_str_add_char(&clean, '?');
        }
        text += bytes > 0 ? bytes : 1;
    }
    value = json_string(rft_str_get(&clean));
    rft_str_clear(&clean);
    return value;
}

static json_t *encode_one(const char *at, rft_field_kind kind) {
    switch (kind) {
    case RFT_FIELD_INT:
        return json_integer(*(const int *)at);
    case RFT_FIELD_I64:
        return json_integer(*(const int64_t *)at);
    case RFT_FIELD_U64:
        return json_integer((json_int_t) * (const uint64_t *)at);
    case RFT_FIELD_REAL:
        return rft_json_real_new(*(const double *)at);
    case RFT_FIELD_BOOL:
        return json_boolean(*(const bool *)at);
    case RFT_FIELD_TEXT:
        return rft_fields_text(*(const char *const *)at);
    case RFT_FIELD_I64X3: {
        const int64_t *v = (const int64_t *)at;
        return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
    }
    case RFT_FIELD_INTX3: {
        const int *v = (const int *)at;
        return json_pack("[i,i,i]", v[0], v[1], v[2]);
    }
    }
    return json_null();
}

json_t *rft_fields_encode(const void *item, const rft_field *fields, size_t count) {
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        json_object_set_new(object, fields[i].name, encode_one((const char *)item + fields[i].offset, fields[i].kind));
    }
    return object;
}

static bool decode_triple(char *at, const json_t *value, bool wide) {
    if (!json_is_array(value) || json_array_size(value) != 3) {
        return false;
    }
    for (size_t i = 0; i < 3; i++) {
        const json_t *one = json_array_get(value, i);
        if (!json_is_integer(one)) {
            return false;
        }
        if (wide) {
            ((int64_t *)at)[i] = json_integer_value(one);
        } else {
            ((int *)at)[i] = (int)json_integer_value(one);
        }
    }
    return true;
}

static bool decode_one(char *at, rft_field_kind kind, const json_t *value, rft_arena *arena) {
    switch (kind) {
    case RFT_FIELD_INT:
        *(int *)at = (int)json_integer_value(value);
        return json_is_integer(value);
    case RFT_FIELD_I64:
        *(int64_t *)at = json_integer_value(value);
        return json_is_integer(value);
    case RFT_FIELD_U64:
        *(uint64_t *)at = (uint64_t)json_integer_value(value);
        return json_is_integer(value);
    case RFT_FIELD_REAL:
        *(double *)at = json_is_number(value) ? json_number_value(value) : NAN;
        return json_is_number(value) || json_is_null(value);
    case RFT_FIELD_BOOL:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value);
    case RFT_FIELD_TEXT:
        *(const char **)at = rft_arena_strdup(arena, json_string_value(value));
        return json_is_string(value) || json_is_null(value);
    case RFT_FIELD_I64X3:
        return decode_triple(at, value, true);
    case RFT_FIELD_INTX3:
        return decode_triple(at, value, false);
    }
    return false;
}

int rft_fields_decode(void *item, const json_t *object, const rft_field *fields, size_t count, rft_arena *arena,
                      rft_err *err) {
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(object, fields[i].name);
        if (!value || !decode_one((char *)item + fields[i].offset, fields[i].kind, value, arena)) {
            return rft_err_set(err, RFT_E_WORKER, "frame: field \"%s\" is missing or of the wrong type",
                               fields[i].name);
        }
    }
    return RFT_OK;
}

json_t *rft_fields_reals(const double *items, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(array, rft_json_real_new(items[i]));
    }
    return array;
}

int rft_fields_to_reals(double **out, size_t *count, const json_t *head, const char *key, rft_arena *arena,
                        rft_err *err) {
    const json_t *array = json_object_get(head, key);
    if (!json_is_array(array)) {
        return rft_err_set(err, RFT_E_WORKER, "frame.%s: expected an array", key);
    }
    *count = json_array_size(array);
    *out = *count ? rft_arena_calloc(arena, *count, sizeof **out) : NULL;
    for (size_t i = 0; i < *count; i++) {
        const json_t *item = json_array_get(array, i);
        (*out)[i] = json_is_number(item) ? json_number_value(item) : (double)NAN;
    }
    return RFT_OK;
}
