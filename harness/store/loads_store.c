/* SPDX-License-Identifier: Apache-2.0 */
#include "store/loads_store.h"

#include "store/points.h"
#include "store/recording.h"

#include <math.h>
#include <string.h>

#define IDLE_POINT 0 /* ids of points begin at 1 */

/* Where it belongs. False: no such point, or one of the same kind is there already. */
static bool attach(rft_run *run, int64_t id, const rft_load *load) {
    rft_point *point = rft_points_find(run->points, run->point_count, id);
    const rft_load **place = load->kind == RFT_LOAD_IDLE ? (id == IDLE_POINT ? &run->idle : NULL)
                             : point                     ? &point->loads[load->kind]
                                                         : NULL;
    if (!place || *place) {
        return false;
    }
    *place = load;
    return true;
}

/* ---- rows ---- */

static int put_load(rft_store *store, int64_t point, const rft_load *load, rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_PUT(load), err);
    if (code) {
        return code;
    }
    rft_bind_int(&binder, "point", point);
    rft_bind_fields(&binder, &rft_fields_load, load);
    return rft_bind_end(&binder, "writing a load", err);
}

int rft_loads_put_rows(rft_store *store, const rft_point *point, rft_err *err) {
    int code = 0;
    for (int kind = 0; kind < RFT_LOAD_POINT_KINDS && !code && !point->alias_of; kind++) {
        code = point->loads[kind] ? put_load(store, point->id, point->loads[kind], err) : 0;
    }
    return code;
}

int rft_loads_put_idle(rft_store *store, const rft_load *idle, rft_err *err) {
    return idle ? put_load(store, IDLE_POINT, idle, err) : 0;
}

int rft_store_put_idle(rft_store *store, const rft_load *idle, rft_err *err) {
    int code = rft_store_begin(store, err);
    return code ? code : rft_store_end(store, rft_loads_put_idle(store, idle, err), err);
}

void rft_loads_take_row(rft_store_row *row, rft_run *run) {
    int64_t point = rft_row_int(row, "point");
    rft_load *load = rft_arena_alloc(run->arena, sizeof *load);
    rft_row_fields(row, &rft_fields_load, load);
    if (!row->code && !rft_load_count(load, load->stats.n)) {
        rft_row_fail(row, "the samples of a load of point %lld do not fit together", (long long)point);
    } else if (!row->code && !attach(run, point, load)) {
        rft_row_fail(row, "a load of point %lld, which is not there", (long long)point);
    }
}

/* ---- JSON ---- */

/* Nine digits, as samples have them. */
static json_t *of_readings(const double *values, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, rft_json_real_new(rft_round_9_digits(values[i])));
    }
    return list;
}

static json_t *of_load(int64_t point, const rft_load *load) {
    json_t *object = json_object();
    json_object_set_new(object, "point", load->kind == RFT_LOAD_IDLE ? json_null() : json_integer(point));
    json_object_set_new(object, "kind", json_string(rft_load_kind_name(load->kind)));
    rft_fields_to_json(object, &rft_fields_load, load, RFT_FORM_RECORDING);
    if (load->n > 0) {
        json_object_set_new(object, "sustained_n", json_integer((json_int_t)load->stats.n));
        json_object_set_new(object, "sample_ms", rft_t4_milliseconds(load->samples_s, load->n));
        json_object_set_new(object, "at_s", of_readings(load->at_s, load->n));
        json_object_set_new(object, "clock_mhz_of_samples", of_readings(load->clocks_mhz, load->n));
    }
    return object;
}

json_t *rft_loads_to_json(const rft_run *run) {
    json_t *list = json_array();
    if (run->idle) {
        json_array_append_new(list, of_load(IDLE_POINT, run->idle));
    }
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        for (int kind = 0; kind < RFT_LOAD_POINT_KINDS && !point->alias_of; kind++) {
            if (point->loads[kind]) {
                json_array_append_new(list, of_load(point->id, point->loads[kind]));
            }
        }
    }
    if (json_array_size(list) == 0) {
        json_decref(list);
        return NULL;
    }
    return list;
}

/* Of one number a sample; null is NaN. NULL: it is no such list. */
static double *to_readings(const json_t *list, size_t count, rft_arena *arena) {
    double *values = rft_arena_calloc(arena, count + 1, sizeof *values);
    if (json_array_size(list) != count) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_number(item) && !json_is_null(item)) {
            return NULL;
        }
        values[i] = json_is_number(item) ? json_number_value(item) : (double)NAN;
    }
    return values;
}

static const char *to_samples(rft_load *load, const json_t *item, rft_arena *arena) {
    const json_t *samples = json_object_get(item, "sample_ms"), *counted = json_object_get(item, "sustained_n");
    if (!samples) {
        return rft_load_count(load, 0) ? NULL : "no samples";
    }
    const char *expected = rft_t4_seconds(&load->samples_s, &load->n, samples, arena);
    if (expected) {
        return expected;
    }
    load->at_s = to_readings(json_object_get(item, "at_s"), load->n, arena);
    load->clocks_mhz = to_readings(json_object_get(item, "clock_mhz_of_samples"), load->n, arena);
    return load->at_s && load->clocks_mhz && json_is_integer(counted) &&
                   rft_load_count(load, (uint64_t)json_integer_value(counted))
               ? NULL
               : "time and clock of each sample, and how many count";
}

static const char *to_load(rft_load *load, const json_t *item, rft_arena *arena) {
    const char *kind = json_string_value(json_object_get(item, "kind"));
    if (!kind || !rft_load_kind_from_name(&load->kind, kind)) {
        return "a kind of load";
    }
    const rft_field *wrong = NULL;
    const char *expected = rft_fields_from_json(&rft_fields_load, load, item, RFT_FORM_RECORDING, arena, &wrong);
    if (expected) {
        return rft_arena_printf(arena, "%s as %s", expected, wrong ? wrong->name : "a load");
    }
    return to_samples(load, item, arena);
}

const char *rft_loads_from_json(rft_run *run, const json_t *list, char *where, size_t size) {
    rft_text_format(where, size, "%s", "");
    if (list && (!json_is_array(list) || json_array_size(list) > RFT_LOAD_KINDS * (run->point_count + 1))) {
        return "a list with a few entries a point at most";
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        rft_load *load = rft_arena_alloc(run->arena, sizeof *load);
        rft_text_format(where, size, "[%zu]", i);
        const char *expected = to_load(load, item, run->arena);
        if (expected) {
            return expected;
        }
        if (!attach(run, json_integer_value(json_object_get(item, "point")), load)) {
            return "a point that has no other load of this kind";
        }
    }
    return NULL;
}
