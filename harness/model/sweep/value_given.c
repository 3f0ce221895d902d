/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/value_given.h"

bool rft_value_given(rft_value *out, const json_t *value, rft_arena *arena) {
    if (json_is_string(value)) {
        *out = rft_value_text(rft_arena_strdup(arena, json_string_value(value)));
    } else if (json_is_boolean(value)) {
        *out = rft_value_bool(json_is_true(value));
    } else if (json_is_integer(value)) {
        *out = rft_value_int(json_integer_value(value));
    } else {
        *out = rft_value_real(json_number_value(value));
    }
    return json_is_string(value) || json_is_boolean(value) || json_is_number(value);
}
