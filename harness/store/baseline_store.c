/* SPDX-License-Identifier: Apache-2.0 */
#include "store/baseline_store.h"

#include "model/run/baseline.h"
#include "store/recording.h"

#include <math.h>
#include <string.h>

#define PROTOCOL_SAME "same"
#define PROTOCOL_OTHER "other"
#define BASELINES_MAX 100000

#define AS(name_, member, kind_)                                                                                       \
    { .name = (name_), .kind = RFT_COLUMN_##kind_, .offset = offsetof(rft_baseline, member) }
#define READING(name_, member)                                                                                         \
    { .name = (name_), .kind = RFT_COLUMN_REAL, .rounded = true, .offset = offsetof(rft_baseline, measurement.member) }
static const rft_column who[] = {AS("sweep", sweep, SIZE), AS("problem", problem, SIZE), AS("name", name, NAME),
                                 AS("which", which, NAME)};
static const rft_column what[] = {AS("tried", tried, COUNT),
                                  AS("outcome", outcome, OUTCOME),
                                  AS("reason", reason, TEXT),
                                  AS("library", library, TEXT),
                                  AS("algorithm", algo, TEXT),
                                  AS("source", source, TEXT),
                                  AS("stop", measurement.stop, STOP),
                                  AS("cache", measurement.cache, CACHE),
                                  AS("batch", measurement.batch, COUNT),
                                  READING("floor_s", floor_s),
                                  READING("clock_mhz", clock_mhz),
                                  READING("wall_s", wall_s),
                                  READING("verify_s", verify_s),
                                  READING("busy_s", busy_s)};
static const rft_columns who_columns = {who, sizeof who / sizeof *who};
static const rft_columns what_columns = {what, sizeof what / sizeof *what};

static const char *protocol_name(const rft_baseline *baseline) {
    return baseline->same_protocol ? PROTOCOL_SAME : PROTOCOL_OTHER;
}

static bool protocol_from_name(rft_baseline *baseline, const char *name) {
    baseline->same_protocol = rft_text_equal(name, PROTOCOL_SAME);
    return baseline->same_protocol || rft_text_equal(name, PROTOCOL_OTHER);
}

static bool is_of_run(const rft_run *run, const rft_baseline *baseline) {
    return baseline->sweep < run->sweep_count && baseline->problem < run->sweeps[baseline->sweep].sweep.problem_count;
}

/* ---- rows ---- */

int rft_baseline_put_row(rft_store *store, const rft_baseline *baseline, rft_err *err) {
    const rft_measurement *m = &baseline->measurement;
    rft_stats stats = m->stats;
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_QUERY_put_baseline, err);
    if (code) {
        return code;
    }
    stats.n = m->n;
    rft_bind_columns(&binder, &who_columns, baseline);
    rft_bind_text(&binder, "protocol", protocol_name(baseline));
    rft_bind_columns(&binder, &what_columns, baseline);
    rft_bind_columns(&binder, &rft_columns_verification, &baseline->verification);
    rft_bind_columns(&binder, &rft_columns_stats, &stats);
    rft_bind_doubles(&binder, "samples", m->samples_s, m->n);
    rft_bind_doubles(&binder, "clocks", m->clocks_mhz, m->clocks_mhz ? m->n : 0);
    return rft_bind_end(&binder, "writing a baseline", err);
}

void rft_baseline_take_row(rft_row *row, rft_run *run) {
    rft_baseline found = {.measurement = rft_measurement_none()};
    size_t clocks = 0;
    rft_row_columns(row, &who_columns, &found);
    const char *protocol = row->code ? NULL : rft_row_text(row);
    rft_row_columns(row, &what_columns, &found);
    rft_row_columns(row, &rft_columns_verification, &found.verification);
    rft_row_columns(row, &rft_columns_stats, &found.measurement.stats);
    if (row->code) {
        return;
    }
    found.measurement.samples_s = rft_row_doubles(row, &found.measurement.n);
    found.measurement.clocks_mhz = rft_row_doubles(row, &clocks);
    if (!row->code && !protocol_from_name(&found, protocol)) {
        rft_row_fail(row, "protocol: expected \"" PROTOCOL_SAME "\" or \"" PROTOCOL_OTHER "\"");
    } else if (!row->code && !is_of_run(run, &found)) {
        rft_row_fail(row, "the baseline %s belongs to no problem", found.name);
    } else if (!row->code &&
               (found.measurement.n != found.measurement.stats.n || (clocks != 0 && clocks != found.measurement.n))) {
        rft_row_fail(row, "the baseline %s has not as many samples as it says", found.name);
    }
    if (!row->code) {
        rft_run_put_baseline(run, &found);
    }
}

/* ---- JSON ---- */

static void add_record(json_t *object, const rft_columns *columns, const void *record) {
    for (size_t i = 0; i < columns->count; i++) {
        rft_cell cell = rft_column_get(&columns->items[i], record);
        bool flag = columns->items[i].kind == RFT_COLUMN_BOOL || columns->items[i].kind == RFT_COLUMN_FLAG;
        json_object_set_new(object, columns->items[i].name,
                            flag ? json_boolean(cell.integer != 0)
                                 : rft_json_of_cell(&cell, columns->items[i].rounded));
    }
}

static json_t *clocks_of(const rft_measurement *m) {
    json_t *list = json_array();
    for (size_t i = 0; i < m->n; i++) {
        json_array_append_new(list, rft_json_real_new(nearbyint(m->clocks_mhz[i] * 100.0) / 100.0));
    }
    return list;
}

/* The statistics of samples follow from them; those of an imported baseline are all there is. */
static json_t *of_baseline(const rft_baseline *baseline) {
    const rft_measurement *m = &baseline->measurement;
    json_t *object = json_object();
    add_record(object, &who_columns, baseline);
    json_object_set_new(object, "protocol", json_string(protocol_name(baseline)));
    add_record(object, &what_columns, baseline);
    if (baseline->verification.done) {
        json_t *verification = json_object();
        add_record(verification, &rft_columns_verification, &baseline->verification);
        json_object_set_new(object, "verification", verification);
    }
    if (m->n > 0) {
        json_object_set_new(object, "sample_ms", rft_t4_milliseconds(m->samples_s, m->n));
    } else if (isfinite(m->stats.median)) {
        json_t *stats = json_object();
        add_record(stats, &rft_columns_stats, &m->stats);
        json_object_set_new(object, "stats", stats);
    }
    if (m->n > 0 && m->clocks_mhz) {
        json_object_set_new(object, "sample_mhz", clocks_of(m));
    }
    return object;
}

json_t *rft_baselines_to_json(const rft_run *run) {
    json_t *list = run->baseline_count ? json_array() : NULL;
    for (size_t i = 0; i < run->baseline_count; i++) {
        json_array_append_new(list, of_baseline(&run->baselines[i]));
    }
    return list;
}

/* Reads one of them; `where` has room for a member's name. */
typedef struct baseline_reader {
    rft_arena *arena;
    const json_t *item;
    rft_baseline *out;
    char *where;
    size_t size;
} baseline_reader;

static const char *to_record(baseline_reader *r, const rft_columns *columns, void *record, const char *member) {
    const json_t *object = *member ? json_object_get(r->item, member) : r->item;
    for (size_t i = 0; i < columns->count; i++) {
        rft_cell cell;
        const char *expected = "a text, a number, true, false or null";
        if (rft_json_to_cell(&cell, json_object_get(object, columns->items[i].name))) {
            expected = rft_column_set(&columns->items[i], record, &cell, r->arena);
        }
        if (expected) {
            rft_text_format(r->where, r->size, ".%s%s%s", member, *member ? "." : "", columns->items[i].name);
            return expected;
        }
    }
    return NULL;
}

static const char *to_samples(baseline_reader *r) {
    rft_measurement *m = &r->out->measurement;
    const json_t *samples = json_object_get(r->item, "sample_ms"), *clocks = json_object_get(r->item, "sample_mhz");
    const char *expected = samples ? rft_t4_seconds(&m->samples_s, &m->n, samples, r->arena) : NULL;
    rft_text_format(r->where, r->size, ".sample_ms");
    if (expected || !samples) {
        return expected;
    }
    m->stats = rft_stats_of(m->samples_s, m->n);
    rft_text_format(r->where, r->size, ".sample_mhz");
    if (clocks && (!json_is_array(clocks) || json_array_size(clocks) != m->n)) {
        return "a clock for each sample";
    }
    m->clocks_mhz = clocks && m->n ? rft_arena_calloc(r->arena, m->n, sizeof *m->clocks_mhz) : NULL;
    for (size_t i = 0; m->clocks_mhz && i < m->n; i++) {
        const json_t *value = json_array_get(clocks, i);
        if (!json_is_number(value) && !json_is_null(value)) {
            return "numbers and nulls";
        }
        m->clocks_mhz[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
    }
    return NULL;
}

static const char *to_baseline(baseline_reader *r) {
    rft_baseline *out = r->out;
    if (!json_is_object(r->item)) {
        return "an object";
    }
    const char *expected = to_record(r, &who_columns, out, "");
    expected = expected ? expected : to_record(r, &what_columns, out, "");
    if (!expected && !protocol_from_name(out, json_string_value(json_object_get(r->item, "protocol")))) {
        rft_text_format(r->where, r->size, ".protocol");
        expected = "\"" PROTOCOL_SAME "\" or \"" PROTOCOL_OTHER "\"";
    }
    if (!expected && json_is_object(json_object_get(r->item, "verification"))) {
        expected = to_record(r, &rft_columns_verification, &out->verification, "verification");
    }
    if (!expected && json_is_object(json_object_get(r->item, "stats"))) {
        expected = to_record(r, &rft_columns_stats, &out->measurement.stats, "stats");
        out->measurement.stats.n = 0; /* of samples that are not there */
    }
    return expected ? expected : to_samples(r);
}

const char *rft_baselines_from_json(rft_run *run, const json_t *list, char *where, size_t size) {
    rft_text_format(where, size, "%s", "");
    if (list && (!json_is_array(list) || json_array_size(list) > BASELINES_MAX)) {
        return "a list of at most 100,000";
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        char inside[60] = "";
        rft_baseline found = {.measurement = rft_measurement_none()};
        baseline_reader r = {run->arena, json_array_get(list, i), &found, inside, sizeof inside};
        const char *expected = to_baseline(&r);
        if (!expected && !is_of_run(run, &found)) {
            rft_text_format(inside, sizeof inside, ".problem");
            expected = "a problem of the run";
        }
        if (expected) {
            rft_text_format(where, size, "[%zu]%s", i, inside);
            return expected;
        }
        rft_run_put_baseline(run, &found);
    }
    return NULL;
}
