/* SPDX-License-Identifier: Apache-2.0 */
#include "store/value_json.h"

#include <math.h>

json_t *rft_json_of_value(const rft_value *value) {
    switch (value->kind) {
    case RFT_VALUE_INT:
        return json_integer(value->as.integer);
    case RFT_VALUE_REAL:
        return rft_json_real_new(value->as.real);
    case RFT_VALUE_BOOL:
        return json_boolean(value->as.integer != 0);
    case RFT_VALUE_TEXT:
        return rft_json_clean_text(value->as.text ? value->as.text : "", 0);
    }
    return json_null();
}

json_t *rft_json_of_values(const rft_value *values, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, rft_json_of_value(&values[i]));
    }
    return list;
}

json_t *rft_json_of_config(const rft_variant *variant, const rft_value *config) {
    json_t *object = json_object();
    for (size_t i = 0; i < variant->param_count; i++) {
        json_object_set_new(object, variant->params[i].name, rft_json_of_value(&config[i]));
    }
    return object;
}

json_t *rft_json_of_indices(const size_t *indices, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, json_integer((json_int_t)indices[i]));
    }
    return list;
}

json_t *rft_json_of_texts(const char *const *texts, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, rft_json_clean_text(texts[i], 0));
    }
    return list;
}

const char *rft_json_to_value(rft_value *out, const json_t *value, rft_arena *arena) {
    switch (value ? json_typeof(value) : JSON_ARRAY) {
    case JSON_INTEGER:
        *out = rft_value_int(json_integer_value(value));
        return NULL;
    case JSON_REAL: /* not rft_value_real(): a real stays one */
        *out = (rft_value){.kind = RFT_VALUE_REAL, .as.real = json_real_value(value)};
        return NULL;
    case JSON_NULL:
        *out = (rft_value){.kind = RFT_VALUE_REAL, .as.real = NAN};
        return NULL;
    case JSON_TRUE:
    case JSON_FALSE:
        *out = rft_value_bool(json_is_true(value));
        return NULL;
    case JSON_STRING:
        *out = rft_value_text(rft_arena_strdup(arena, json_string_value(value)));
        return NULL;
    default:
        return "a number, true, false or a text";
    }
}

const char *rft_json_to_values(rft_value **out, size_t *count, const json_t *list, rft_arena *arena) {
    *out = NULL;
    *count = 0;
    if (!json_is_array(list)) {
        return "a list of values";
    }
    size_t size = json_array_size(list);
    rft_value *values = size ? rft_arena_calloc(arena, size, sizeof *values) : NULL;
    for (size_t i = 0; i < size; i++) {
        const char *expected = rft_json_to_value(&values[i], json_array_get(list, i), arena);
        if (expected) {
            return expected;
        }
    }
    *out = values;
    *count = size;
    return NULL;
}

const char *rft_json_to_config(rft_value **out, const rft_variant *variant, const json_t *object, rft_arena *arena) {
    *out = NULL;
    if (!json_is_object(object)) {
        return "an object with a value for every parameter";
    }
    rft_value *config = rft_arena_calloc(arena, variant->param_count + 1, sizeof *config);
    for (size_t i = 0; i < variant->param_count; i++) {
        const json_t *value = json_object_get(object, variant->params[i].name);
        if (value == NULL || rft_json_to_value(&config[i], value, arena) != NULL) {
            return "a value for every parameter of the variant";
        }
    }
    *out = config;
    return NULL;
}

const char *rft_json_to_indices(size_t **out, size_t *count, size_t limit, const json_t *list, rft_arena *arena) {
    *out = NULL;
    *count = 0;
    if (!json_is_array(list)) {
        return "a list of indices";
    }
    size_t size = json_array_size(list);
    size_t *indices = size ? rft_arena_calloc(arena, size, sizeof *indices) : NULL;
    for (size_t i = 0; i < size; i++) {
        const json_t *value = json_array_get(list, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) >= limit) {
            return "indices of what is there";
        }
        indices[i] = (size_t)json_integer_value(value);
    }
    *out = indices;
    *count = size;
    return NULL;
}

const char *rft_json_to_texts(const char ***out, size_t *count, const json_t *list, rft_arena *arena) {
    *out = NULL;
    *count = 0;
    if (!json_is_array(list)) {
        return "a list of texts";
    }
    size_t size = json_array_size(list);
    const char **texts = size ? rft_arena_calloc(arena, size, sizeof *texts) : NULL;
    for (size_t i = 0; i < size; i++) {
        const json_t *value = json_array_get(list, i);
        if (!json_is_string(value)) {
            return "a list of texts";
        }
        texts[i] = rft_arena_strdup(arena, json_string_value(value));
    }
    *out = texts;
    *count = size;
    return NULL;
}
