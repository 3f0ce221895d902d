/* SPDX-License-Identifier: Apache-2.0 */
/* value_json.h - values of parameters and axes as JSON, in the store's text columns and in recordings.
 * An integer is a JSON integer, a real a JSON real, a boolean true or false, a text a string: kinds are kept. */
#ifndef RFT_STORE_VALUE_JSON_H
#define RFT_STORE_VALUE_JSON_H

#include "base/json.h"
#include "model/sweep/sweep.h"

json_t *rft_json_of_value(const rft_value *value);
json_t *rft_json_of_values(const rft_value *values, size_t count);
/* {"TILE_M": 128, ...}: one member per parameter of the variant. */
json_t *rft_json_of_config(const rft_variant *variant, const rft_value *config);
json_t *rft_json_of_indices(const size_t *indices, size_t count);
json_t *rft_json_of_texts(const char *const *texts, size_t count);

/* Readers: NULL when it fits, else what was expected (static text). Everything is copied into the arena; an empty list
 * is NULL with count 0. */
const char *rft_json_to_value(rft_value *out, const json_t *value, rft_arena *arena);
const char *rft_json_to_values(rft_value **out, size_t *count, const json_t *list, rft_arena *arena);
const char *rft_json_to_config(rft_value **out, const rft_variant *variant, const json_t *object, rft_arena *arena);
const char *rft_json_to_indices(size_t **out, size_t *count, size_t limit, const json_t *list, rft_arena *arena);
const char *rft_json_to_texts(const char ***out, size_t *count, const json_t *list, rft_arena *arena);

#endif
