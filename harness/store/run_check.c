/* SPDX-License-Identifier: Apache-2.0 */
#include "store/run_check.h"

#include "model/run/field.h"
#include "model/sweep/names.h"

static const char *at(const rft_run *run, const char *expected, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static const char *at(const rft_run *run, const char *expected, const char *format, ...) {
    char where[120];
    va_list args;
    va_start(args, format);
    rft_text_vformat(where, sizeof where, format, args);
    va_end(args);
    return rft_arena_printf(run->arena, "%s: expected %s", where, expected);
}

static const char *fields_fault(const rft_run *run, const rft_fields *fields, const void *record, const char *where) {
    for (size_t i = 0; i < fields->count; i++) {
        const char *expected = rft_field_check(&fields->items[i], record, run->arena);
        if (expected) {
            return at(run, expected, "%s.%s", where, fields->items[i].name);
        }
    }
    return NULL;
}

static const char *measurement_fault(const rft_run *run, const rft_measurement *m, const char *where) {
    const char *fault = fields_fault(run, &rft_fields_measurement, m, where);
    /* A run file says both. */
    bool fits = m->n == 0 || (m->stats.median >= RFT_SAMPLE_MIN_S && m->stats.median <= RFT_SAMPLE_MAX_S);
    fault = fault || fits ? fault : at(run, "a time", "%s.median", where);
    fits = rft_measurement_processes_fit(m);
    return fault || fits ? fault : at(run, "counts whose sum is that of the samples", "%s.process_n", where);
}

static const char *load_fault(const rft_run *run, const rft_load *load, const char *where) {
    return load ? fields_fault(run, &rft_fields_load, load, where) : NULL;
}

/* Fields too: what other tuners' files say went into them past the fields. */
static const char *point_fault(const rft_run *run, const rft_point *point, size_t index) {
    char where[60];
    rft_text_format(where, sizeof where, "points[%zu]", index);
    const char *fault = fields_fault(run, &rft_fields_point, point, where);
    fault = fault ? fault : fields_fault(run, &rft_fields_facts, &point->facts, where);
    fault = fault ? fault : fields_fault(run, &rft_fields_traffic, &point->traffic, where);
    for (int kind = 0; kind < RFT_LOAD_POINT_KINDS && !fault; kind++) {
        rft_text_format(where, sizeof where, "points[%zu].loads[%d]", index, kind);
        fault = load_fault(run, point->loads[kind], where);
    }
    for (int round = 0; round < RFT_ROUNDS && !fault; round++) {
        rft_text_format(where, sizeof where, "points[%zu].rounds[%d]", index, round);
        fault = measurement_fault(run, &point->rounds[round], where);
        fault = fault ? fault : fields_fault(run, &rft_fields_stats, &point->rounds[round].stats, where);
        bool fits =
            point->rounds[round].n == 0 || point->rounds[round].mode == run->sweeps[point->sweep].sweep.measure.mode;
        fault = fault || fits ? fault : at(run, "the mode of its sweep: others are ranked apart", "%s.mode", where);
    }
    return fault;
}

static const char *sweep_fault(const rft_run *run, size_t s) {
    const rft_sweep *sweep = &run->sweeps[s].sweep;
    const char *fault = rft_sweep_names_fault(sweep, run->arena);
    if (fault) {
        return rft_arena_printf(run->arena, "sweeps[%zu].%s", s, fault);
    }
    if (sweep->variant_count > 0 && sweep->problem_count > RFT_SPACES_MAX / sweep->variant_count) {
        return rft_arena_printf(run->arena,
                                "sweeps[%zu]: expected at most a million variants x problems, found %zu x %zu", s,
                                sweep->variant_count, sweep->problem_count);
    }
    return NULL;
}

const char *rft_run_fault(const rft_run *run) {
    const char *expected = rft_name_fault(run->gpu.name, RFT_NAME_MAX, run->arena);
    const char *fault = expected ? at(run, expected, "gpu.name") : load_fault(run, run->idle, "idle");
    for (size_t s = 0; s < run->sweep_count && !fault; s++) {
        fault = sweep_fault(run, s);
    }
    for (size_t i = 0; i < run->point_count && !fault; i++) {
        fault = point_fault(run, &run->points[i], i);
    }
    for (size_t i = 0; i < run->baseline_count && !fault; i++) {
        const rft_baseline *b = &run->baselines[i];
        char where[60];
        rft_text_format(where, sizeof where, "baselines[%zu]", i);
        fault = measurement_fault(run, &b->measurement, where);
        expected = fault ? NULL : rft_name_fault(b->name, RFT_NAME_MAX, run->arena);
        fault = expected ? at(run, expected, "%s.name", where) : fault;
    }
    return fault;
}
