/* SPDX-License-Identifier: Apache-2.0 */
#include "store/steps_store.h"

#include "store/column.h"
#include "store/value_json.h"

#define STEPS_MOST 1000

static json_t *of_record(const rft_columns *columns, const void *record) {
    json_t *object = json_object();
    for (size_t i = 0; i < columns->count; i++) {
        const rft_column *column = &columns->items[i];
        rft_cell cell = rft_column_get(column, record);
        bool nothing = cell.kind == RFT_CELL_NULL || (column->kind == RFT_COLUMN_AMOUNT && cell.real == 0.0);
        if (!nothing) {
            json_object_set_new(object, column->name,
                                column->kind == RFT_COLUMN_BOOL ? json_boolean(cell.integer != 0)
                                                                : rft_json_of_cell(&cell, column->rounded));
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
            json_object_set_new(item, "work", of_record(&rft_columns_work, &step->work));
        }
        if (step->traffic.present) {
            json_object_set_new(item, "traffic", of_record(&rft_columns_traffic, &step->traffic));
        }
        json_array_append_new(list, item);
    }
    return list;
}

static const char *to_record(const rft_columns *columns, void *record, const json_t *object, rft_arena *arena) {
    if (!json_is_object(object)) {
        return "work and traffic as objects";
    }
    for (size_t i = 0; i < columns->count; i++) {
        const json_t *member = json_object_get(object, columns->items[i].name);
        rft_cell cell = {.kind = RFT_CELL_NULL};
        const char *expected = "a text, a number, true, false or null";
        if (!member || rft_json_to_cell(&cell, member)) {
            expected = rft_column_set(&columns->items[i], record, &cell, arena);
        }
        if (expected) {
            return expected;
        }
    }
    return NULL;
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
        const char *expected = work ? to_record(&rft_columns_work, &step->work, work, arena) : NULL;
        if (!expected && traffic) {
            expected = to_record(&rft_columns_traffic, &step->traffic, traffic, arena);
        }
        if (expected) {
            return expected;
        }
    }
    return NULL;
}
