/* SPDX-License-Identifier: Apache-2.0 */
#include "store/counters_store.h"

#include "store/points.h"
#include "store/recording.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static size_t count_of(const rft_counters *counters) {
    return RFT_COUNTER_COUNT + counters->raw_count;
}

/* The i-th of them. False: it was not asked for. */
static bool counted_at(const rft_counters *counters, size_t i, rft_counter_raw *out) {
    if (i < RFT_COUNTER_COUNT) {
        *out = (rft_counter_raw){rft_counter_name((rft_counter)i), counters->values[i], counters->reasons[i]};
    } else {
        const rft_counter_raw *raw = &counters->raw[i - RFT_COUNTER_COUNT];
        *out = (rft_counter_raw){raw->name, raw->value, raw->reason};
    }
    return rft_counter_was_asked(out->value, out->reason);
}

/* Of the point while it is being read. */
static rft_counters *counters_of(rft_point *point, rft_arena *arena) {
    if (!point->counters) {
        rft_counters nothing = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
        point->counters = rft_arena_memdup(arena, &nothing, sizeof nothing);
    }
    return (rft_counters *)(uintptr_t)point->counters;
}

/* False: no such counter. */
static bool add(rft_counters *counters, const rft_counter_raw *one, rft_arena *arena) {
    rft_counter counter;
    const char *reason = isnan(one->value) && !one->reason ? "no reason was recorded" : one->reason;
    if (rft_counter_from_name(&counter, one->name)) {
        counters->values[counter] = one->value;
        counters->reasons[counter] = reason;
        return true;
    }
    if (!strstr(one->name, "__")) {
        return false;
    }
    size_t count = counters->raw_count;
    counters->raw = rft_arena_doubled(arena, counters->raw, count, sizeof *counters->raw);
    counters->raw[counters->raw_count++] = (rft_counter_raw){one->name, one->value, reason};
    return true;
}

/* ---- rows ---- */

int rft_counters_put_rows(rft_store *store, const rft_point *point, rft_err *err) {
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_DO_drop_counters, err);
    if (!code) {
        rft_bind_int(&binder, "point", point->id);
        code = rft_bind_end(&binder, "writing the counters", err);
    }
    size_t count = point->counters && !point->alias_of ? count_of(point->counters) : 0;
    for (size_t i = 0; i < count && !code; i++) {
        rft_counter_raw one;
        if (!counted_at(point->counters, i, &one)) {
            continue;
        }
        code = rft_bind_begin(&binder, store, RFT_PUT(counter), err);
        if (!code) {
            rft_bind_int(&binder, "point", point->id);
            rft_bind_fields(&binder, &rft_fields_counter, &one);
            rft_bind_int(&binder, "passes", point->counters->passes);
            rft_bind_text(&binder, "source", point->counters->source);
            code = rft_bind_end(&binder, "writing the counters", err);
        }
    }
    return code;
}

void rft_counters_take_row(rft_store_row *row, rft_run *run) {
    int64_t id = rft_row_int(row, "point");
    rft_counter_raw found = {0};
    rft_row_fields(row, &rft_fields_counter, &found);
    int passes = (int)rft_row_index(row, "passes", INT_MAX);
    const char *source = row->code ? NULL : rft_row_text(row, "source");
    rft_point *point = rft_points_find(run->points, run->point_count, id);
    if (row->code || !point) {
        rft_row_fail(row, "counters of point %lld, which is not there", (long long)id);
        return;
    }
    rft_counters *counters = counters_of(point, run->arena);
    counters->passes = passes;
    counters->source = source;
    if (!add(counters, &found, run->arena)) {
        rft_row_fail(row, "no counter is called %s", found.name);
    }
}

/* ---- JSON ---- */

static json_t *of_point(const rft_point *point) {
    json_t *values = json_object(), *reasons = json_object();
    for (size_t i = 0; i < count_of(point->counters); i++) {
        rft_counter_raw one;
        if (counted_at(point->counters, i, &one)) {
            json_object_set_new(values, one.name, rft_json_real_new(one.value));
            if (one.reason) {
                json_object_set_new(reasons, one.name, rft_json_clean_text(one.reason, 0));
            }
        }
    }
    json_t *item = json_pack("{s:I,s:i,s:o,s:o}", "point", (json_int_t)point->id, "passes", point->counters->passes,
                             "values", values, "reasons", reasons);
    if (point->counters->source) {
        json_object_set_new(item, "source", rft_json_clean_text(point->counters->source, 0));
    }
    return item;
}

json_t *rft_counters_to_json(const rft_run *run) {
    json_t *list = NULL;
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].counters && !run->points[i].alias_of) {
            list = list ? list : json_array();
            json_array_append_new(list, of_point(&run->points[i]));
        }
    }
    return list;
}

static const char *from_values(rft_counters *counters, const json_t *item, rft_arena *arena, char *where, size_t size) {
    const json_t *reasons = json_object_get(item, "reasons");
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach((json_t *)(uintptr_t)json_object_get(item, "values"), name, value) {
        const rft_counter_raw one = {rft_arena_strdup(arena, name),
                                     json_is_number(value) ? json_number_value(value) : (double)NAN,
                                     rft_arena_strdup(arena, json_string_value(json_object_get(reasons, name)))};
        rft_text_format(where, size, ".values.%.60s", name);
        if (!json_is_number(value) && !json_is_null(value)) {
            return "a number or null";
        }
        if (!add(counters, &one, arena)) {
            return "the name of a counter";
        }
    }
    return NULL;
}

const char *rft_counters_from_json(rft_run *run, const json_t *list, char *where, size_t size) {
    rft_text_format(where, size, "%s", "");
    if (list && (!json_is_array(list) || json_array_size(list) > run->point_count)) {
        return "a list with at most an entry for every point";
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i), *passes = json_object_get(item, "passes");
        const json_t *id = json_object_get(item, "point");
        rft_point *point = rft_points_find(run->points, run->point_count, json_integer_value(id));
        rft_text_format(where, size, "[%zu]", i);
        if (!json_is_integer(id) || !point || point->counters) {
            return "a point of its own";
        }
        if (!json_is_integer(passes) || json_integer_value(passes) < 0 || json_integer_value(passes) > 100000 ||
            !json_is_object(json_object_get(item, "values"))) {
            return "passes and values";
        }
        rft_counters *counters = counters_of(point, run->arena);
        counters->passes = (int)json_integer_value(passes);
        counters->source = rft_arena_strdup(run->arena, json_string_value(json_object_get(item, "source")));
        char inside[100] = "";
        const char *expected = from_values(counters, item, run->arena, inside, sizeof inside);
        if (expected) {
            rft_text_format(where, size, "[%zu]%s", i, inside);
            return expected;
        }
    }
    return NULL;
}
