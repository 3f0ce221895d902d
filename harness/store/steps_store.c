/* SPDX-License-Identifier: Apache-2.0 */
#include "store/steps_store.h"

#include "model/run/field.h"
#include "store/value_json.h"

#define STEPS_MOST 1000

/* What there is nothing of is left out. */
static json_t *of_record(const rft_fields *fields, const void *record) {
    json_t *object = json_object();
    for (size_t i = 0; i < fields->count; i++) {
        const rft_field *field = &fields->items[i];
        rft_content content = rft_field_get(field, record);
        if (content.kind != RFT_CONTENT_NULL && (field->kind != RFT_FIELD_AMOUNT || content.real != 0.0)) {
            json_object_set_new(object, field->name, rft_field_json(field, record, true));
        }
    }
    return object;
}

json_t *rft_steps_to_json(const rft_point *point) {
    json_t *list = point->step_count > 0 ? json_array() : NULL;
    for (size_t i = 0; i < point->step_count; i++) {
        const rft_step *step = &point->steps[i];
        json_t *item = json_object();
        json_object_set_new(item, "name", rft_json_clean_text(step->name, 0));
        if (step->has_work) {
            json_object_set_new(item, "work", of_record(&rft_fields_work, &step->work));
        }
        if (step->traffic.present) {
            json_object_set_new(item, "traffic", of_record(&rft_fields_traffic, &step->traffic));
        }
        json_array_append_new(list, item);
    }
    return list;
}

const char *rft_steps_from_json(rft_point *point, const json_t *list, rft_arena *arena) {
    size_t count = json_array_size(list);
    if (!list || json_is_null(list)) {
        return NULL;
    }
    if (!json_is_array(list) || count == 0 || count > STEPS_MOST) {
        return "a list of at most a thousand launches";
    }
    point->steps = rft_arena_calloc(arena, count, sizeof *point->steps);
    point->step_count = count;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i), *work = json_object_get(item, "work");
        const json_t *name = json_object_get(item, "name"), *traffic = json_object_get(item, "traffic");
        rft_step *step = &point->steps[i];
        if (!json_is_string(name)) {
            return "a launch with its name";
        }
        *step = (rft_step){.name = rft_arena_strdup(arena, json_string_value(name)), .traffic = rft_traffic_unknown()};
        step->has_work = work != NULL;
        const rft_field *wrong = NULL;
        const char *expected =
            work ? rft_fields_from_json(&rft_fields_work, &step->work, work, RFT_FORM_RECORDING, arena, &wrong) : NULL;
        if (!expected && traffic) {
            expected =
                rft_fields_from_json(&rft_fields_traffic, &step->traffic, traffic, RFT_FORM_RECORDING, arena, &wrong);
        }
        if (expected) {
            return expected;
        }
    }
    return NULL;
}
