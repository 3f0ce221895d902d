/* SPDX-License-Identifier: Apache-2.0 */
#include "store/baseline_store.h"

#include "model/run/baseline.h"
#include "store/recording.h"

#include <math.h>
#include <string.h>

#define BASELINES_MAX 100000

static bool is_of_run(const rft_run *run, const rft_baseline *baseline) {
    return baseline->sweep < run->sweep_count && baseline->problem < run->sweeps[baseline->sweep].sweep.problem_count;
}

/* ---- rows ---- */

int rft_baseline_put_row(rft_store *store, const rft_baseline *baseline, rft_err *err) {
    rft_stats stats = baseline->measurement.stats;
    rft_binder binder;
    int code = rft_bind_begin(&binder, store, RFT_PUT(baseline), err);
    if (code) {
        return code;
    }
    stats.n = baseline->measurement.n;
    rft_bind_fields(&binder, &rft_fields_baseline, baseline);
    rft_bind_fields(&binder, &rft_fields_measurement, &baseline->measurement);
    rft_bind_fields(&binder, &rft_fields_verification, &baseline->verification);
    rft_bind_fields(&binder, &rft_fields_stats, &stats);
    return rft_bind_end(&binder, "writing a baseline", err);
}

void rft_baseline_take_row(rft_store_row *row, rft_run *run) {
    rft_baseline found = {.measurement = rft_measurement_none()};
    rft_row_fields(row, &rft_fields_baseline, &found);
    rft_row_fields(row, &rft_fields_measurement, &found.measurement);
    rft_row_fields(row, &rft_fields_verification, &found.verification);
    rft_row_fields(row, &rft_fields_stats, &found.measurement.stats);
    if (!row->code && !is_of_run(run, &found)) {
        rft_row_fail(row, "the baseline %s belongs to no problem", found.name);
    } else if (!row->code && found.measurement.n != found.measurement.stats.n) {
        rft_row_fail(row, "the baseline %s has not as many samples as it says", found.name);
    }
    if (!row->code) {
        rft_run_put_baseline(run, &found);
    }
}

/* ---- JSON ---- */

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
    rft_fields_to_json(object, &rft_fields_baseline, baseline, RFT_FORM_RECORDING);
    rft_fields_to_json(object, &rft_fields_measurement, m, RFT_FORM_RECORDING);
    if (baseline->verification.done) {
        json_t *verification = json_object();
        rft_fields_to_json(verification, &rft_fields_verification, &baseline->verification, RFT_FORM_RECORDING);
        json_object_set_new(object, "verification", verification);
    }
    if (m->n > 0) {
        json_object_set_new(object, "sample_ms", rft_t4_milliseconds(m->samples_s, m->n));
    } else if (isfinite(m->stats.median)) {
        json_t *stats = json_object();
        rft_fields_to_json(stats, &rft_fields_stats, &m->stats, RFT_FORM_RECORDING);
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

static const char *to_record(baseline_reader *r, const rft_fields *fields, void *record, const char *member) {
    const json_t *object = *member ? json_object_get(r->item, member) : r->item;
    const rft_field *wrong = NULL;
    const char *expected = rft_fields_from_json(fields, record, object, RFT_FORM_RECORDING, r->arena, &wrong);
    rft_text_format(r->where, r->size, ".%s%s%s", member, *member ? "." : "", wrong ? wrong->name : "");
    return expected;
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
    const char *expected = to_record(r, &rft_fields_baseline, out, "");
    expected = expected ? expected : to_record(r, &rft_fields_measurement, &out->measurement, "");
    if (!expected && json_is_object(json_object_get(r->item, "verification"))) {
        expected = to_record(r, &rft_fields_verification, &out->verification, "verification");
    }
    if (!expected && json_is_object(json_object_get(r->item, "stats"))) {
        expected = to_record(r, &rft_fields_stats, &out->measurement.stats, "stats");
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
