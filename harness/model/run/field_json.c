/* SPDX-License-Identifier: Apache-2.0 */
/* field_json.c - records as JSON objects and back (field.h). */
#include "model/run/field.h"

#include <math.h>

static json_t *of_reals(const double *reals, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, rft_json_real_new(reals[i]));
    }
    return list;
}

static json_t *of_counts(const size_t *counts, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, json_integer((json_int_t)counts[i]));
    }
    return list;
}

static json_t *of_content(const rft_field *field, rft_content content, bool rounded) {
    switch (content.kind) {
    case RFT_CONTENT_INT:
        return field->kind == RFT_FIELD_BOOL || field->kind == RFT_FIELD_FLAG ? json_boolean(content.integer != 0)
                                                                              : json_integer(content.integer);
    case RFT_CONTENT_REAL:
        if (isinf(content.real)) { /* where it may not be, it is not known */
            return !isinf(field->range.high) ? json_null() : json_string(content.real < 0 ? "-inf" : "inf");
        }
        return json_real(rounded && (field->flags & RFT_FIELD_ROUNDED) ? rft_round_9_digits(content.real)
                                                                       : content.real);
    case RFT_CONTENT_TEXT:
        return rft_json_clean_text(content.text, 0);
    case RFT_CONTENT_REALS:
        return of_reals(content.reals, content.count);
    case RFT_CONTENT_COUNTS:
        return of_counts(content.counts, content.count);
    case RFT_CONTENT_NULL:
        break;
    }
    return json_null();
}

json_t *rft_field_json(const rft_field *field, const void *record, bool rounded) {
    return of_content(field, rft_field_get(field, record), rounded);
}

bool rft_field_is_in(const rft_field *field, rft_field_form form) {
    return !field->derived && (form != RFT_FORM_RECORDING || !(field->flags & RFT_FIELD_UNRECORDED));
}

static rft_content left_out(const rft_field *field) {
    return (rft_content){.kind = field->kind == RFT_FIELD_TEXT   ? RFT_CONTENT_NULL
                                 : field->kind == RFT_FIELD_REAL ? RFT_CONTENT_REAL
                                                                 : RFT_CONTENT_INT};
}

static bool may_be_left_out(const rft_field *field, const void *record) {
    const rft_content content = rft_field_get(field, record);
    return content.kind == left_out(field).kind && content.integer == 0 && content.real == 0.0;
}

void rft_fields_to_json(json_t *object, const rft_fields *fields, const void *record, rft_field_form form) {
    bool recording = form == RFT_FORM_RECORDING;
    for (size_t i = 0; i < fields->count; i++) {
        const rft_field *field = &fields->items[i];
        if (!rft_field_is_in(field, form) || (form == RFT_FORM_BRIEF && may_be_left_out(field, record))) {
            continue;
        }
        json_object_set_new(object, field->name, rft_field_json(field, record, recording));
        if (recording && field->was) {
            json_object_set(object, field->was, json_object_get(object, field->name));
        }
    }
}

bool rft_content_from_json(rft_content *out, const json_t *value, rft_arena *arena) {
    *out = (rft_content){.kind = RFT_CONTENT_NULL};
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_INTEGER:
        out->kind = RFT_CONTENT_INT;
        out->integer = json_integer_value(value);
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        out->kind = RFT_CONTENT_INT;
        out->integer = json_is_true(value) ? 1 : 0;
        return true;
    case JSON_REAL:
        out->kind = RFT_CONTENT_REAL;
        out->real = json_real_value(value);
        return true;
    case JSON_STRING:
        out->kind = RFT_CONTENT_TEXT;
        out->text = json_string_value(value);
        return true;
    case JSON_NULL:
        return true;
    case JSON_ARRAY:
        out->kind = RFT_CONTENT_REALS;
        out->count = json_array_size(value);
        out->reals = out->count ? rft_arena_calloc(arena, out->count, sizeof *out->reals) : NULL;
        for (size_t i = 0; i < out->count; i++) {
            const json_t *item = json_array_get(value, i);
            if (!json_is_number(item) && !json_is_null(item)) {
                return false;
            }
            out->reals[i] = json_is_number(item) ? json_number_value(item) : (double)NAN;
        }
        return true;
    default:
        return false;
    }
}

const char *rft_fields_from_json(const rft_fields *fields, void *record, const json_t *object, rft_field_form form,
                                 rft_arena *arena, const rft_field **wrong) {
    *wrong = NULL;
    if (!json_is_object(object)) {
        return "an object";
    }
    for (size_t i = 0; i < fields->count; i++) {
        const rft_field *field = &fields->items[i];
        if (!rft_field_is_in(field, form)) {
            continue;
        }
        const json_t *member = json_object_get(object, field->name);
        if (!member && field->was && form == RFT_FORM_RECORDING) {
            member = json_object_get(object, field->was);
        }
        *wrong = field;
        if (!member && form == RFT_FORM_WIRE && field->kind != RFT_FIELD_BESIDE) {
            return "a value, and it is missing";
        }
        rft_content content = left_out(field);
        const char *expected = (!member && form == RFT_FORM_BRIEF) || rft_content_from_json(&content, member, arena)
                                   ? rft_field_set(field, record, &content, arena)
                                   : "a text, a number, true, false or null";
        if (expected) {
            return expected;
        }
    }
    *wrong = NULL;
    return NULL;
}
