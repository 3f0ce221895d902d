/* SPDX-License-Identifier: Apache-2.0 */
/* Counters and sets of them, there and back. */
#include "run/wire/wire.h"

#include <math.h>

json_t *rft_wire_of_counter_set(const rft_counter_set *set) {
    json_t *names = json_array(), *raw = json_array();
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (set->wanted[i]) {
            json_array_append_new(names, json_string(rft_counter_name((rft_counter)i)));
        }
    }
    for (size_t i = 0; i < set->raw_count; i++) {
        json_array_append_new(raw, rft_json_clean_text(set->raw[i], 0));
    }
    return json_pack("{s:o,s:o}", "names", names, "raw", raw);
}

int rft_wire_to_counter_set(rft_counter_set *out, const json_t *object, rft_arena *arena, rft_err *err) {
    const json_t *names = json_object_get(object, "names"), *raw = json_object_get(object, "raw");
    *out = rft_counter_set_none();
    if (!json_is_array(names) || !json_is_array(raw)) {
        return rft_err_set(err, RFT_E_WORKER, "frame.counters: expected lists of names");
    }
    for (size_t i = 0; i < json_array_size(names); i++) {
        rft_counter counter;
        const char *name = json_string_value(json_array_get(names, i));
        if (!name || !rft_counter_from_name(&counter, name)) {
            return rft_err_set(err, RFT_E_WORKER, "frame.counters.names[%zu]: no counter", i);
        }
        out->wanted[counter] = true;
    }
    const char **texts = rft_arena_calloc(arena, json_array_size(raw) + 1, sizeof *texts);
    for (size_t i = 0; i < json_array_size(raw); i++) {
        texts[i] = rft_arena_strdup(arena, json_string_value(json_array_get(raw, i)));
        if (!texts[i]) {
            return rft_err_set(err, RFT_E_WORKER, "frame.counters.raw[%zu]: expected a name", i);
        }
    }
    out->raw = texts;
    out->raw_count = json_array_size(raw);
    return RFT_OK;
}

static json_t *of_value(double value, const char *reason) {
    return json_pack("[o,o]", rft_json_real_new(value), rft_json_clean_text(reason, 0));
}

static bool to_value(double *value, const char **reason, const json_t *pair, rft_arena *arena) {
    const json_t *number = json_array_get(pair, 0), *why = json_array_get(pair, 1);
    *value = json_is_number(number) ? json_number_value(number) : (double)NAN;
    *reason = rft_arena_strdup(arena, json_string_value(why));
    return json_is_number(number) || (json_is_null(number) && *reason);
}

json_t *rft_wire_of_counters(const rft_counters *counters) {
    json_t *values = json_object(), *raw = json_array();
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        json_object_set_new(values, rft_counter_name((rft_counter)i),
                            of_value(counters->values[i], counters->reasons[i]));
    }
    for (size_t i = 0; i < counters->raw_count; i++) {
        const rft_counter_raw *item = &counters->raw[i];
        json_array_append_new(
            raw, json_pack("[o,o]", rft_json_clean_text(item->name, 0), of_value(item->value, item->reason)));
    }
    return json_pack("{s:i,s:o,s:o}", "passes", counters->passes, "values", values, "raw", raw);
}

int rft_wire_to_counters(rft_counters *out, const json_t *head, rft_arena *arena, rft_err *err) {
    const json_t *values = json_object_get(head, "values"), *raw = json_object_get(head, "raw");
    *out = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    out->passes = (int)json_integer_value(json_object_get(head, "passes"));
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        const char *name = rft_counter_name((rft_counter)i);
        if (!to_value(&out->values[i], &out->reasons[i], json_object_get(values, name), arena)) {
            return rft_err_set(err, RFT_E_WORKER, "frame.values.%s: expected a number or a reason", name);
        }
    }
    out->raw_count = json_array_size(raw);
    out->raw = rft_arena_calloc(arena, out->raw_count + 1, sizeof *out->raw);
    for (size_t i = 0; i < out->raw_count; i++) {
        rft_counter_raw *item = &out->raw[i];
        const json_t *pair = json_array_get(raw, i);
        item->name = rft_arena_strdup(arena, json_string_value(json_array_get(pair, 0)));
        if (!item->name || !to_value(&item->value, &item->reason, json_array_get(pair, 1), arena)) {
            return rft_err_set(err, RFT_E_WORKER, "frame.raw[%zu]: expected a name and a value", i);
        }
    }
    return RFT_OK;
}
