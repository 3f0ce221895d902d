/* SPDX-License-Identifier: Apache-2.0 */
/* assert_runs_equal(): every field of two runs, the first that differs fails the test. */
#include "store/sample_run.h"

#include "store/store_test.h"

#include "model/run/baseline.h"
#include "model/run/field.h"

#include <math.h>
#include <string.h>

static double tolerance;

/* `size`: of what was rounded; a difference over it (iqr_frac) is as wrong as its parts. */
static bool same_real(double a, double b, double size) {
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= tolerance * size;
}

static bool same_content(const rft_content *a, const rft_content *b, const rft_field *field, bool rounded) {
    if (a->kind != b->kind) {
        return false;
    }
    double size = !rounded && !(field->flags & RFT_FIELD_ROUNDED) ? 0.0
                  : strcmp(field->name, "iqr_frac") == 0          ? 1.0
                                                                  : fabs(b->real);
    return a->kind == RFT_CONTENT_NULL || (a->kind == RFT_CONTENT_INT && a->integer == b->integer) ||
           (a->kind == RFT_CONTENT_REAL && same_real(a->real, b->real, size)) ||
           (a->kind == RFT_CONTENT_COUNTS && a->count == b->count &&
            memcmp(a->counts, b->counts, a->count * sizeof *a->counts) == 0) ||
           (a->kind == RFT_CONTENT_REALS && a->count == b->count) || /* their numbers are compared below */
           (a->kind == RFT_CONTENT_TEXT && strcmp(a->text, b->text) == 0);
}

static void assert_records_equal(const rft_fields *fields, const void *got, const void *want, bool rounded,
                                 const char *where) {
    for (size_t i = 0; i < fields->count; i++) {
        rft_content a = rft_field_get(&fields->items[i], got), b = rft_field_get(&fields->items[i], want);
        if (!same_content(&a, &b, &fields->items[i], rounded)) {
            fail_msg("%s: %s differs (kind %d/%d, integer %lld/%lld, real %.17g/%.17g, text %s/%s)", where,
                     fields->items[i].name, a.kind, b.kind, (long long)a.integer, (long long)b.integer, a.real, b.real,
                     a.text ? a.text : "-", b.text ? b.text : "-");
        }
    }
}

static void assert_values_equal(const rft_value *got, size_t got_count, const rft_value *want, size_t want_count) {
    assert_int_equal(got_count, want_count);
    assert_true(rft_values_equal(got, want, want_count));
}

static void assert_text(const char *got, const char *want) {
    if (!rft_text_equal(got, want)) {
        fail_msg("\"%s\" is not \"%s\"", got ? got : "NULL", want ? want : "NULL");
    }
}

static void assert_variants_equal(const rft_variant *got, const rft_variant *want) {
    assert_records_equal(&rft_fields_variant, got, want, false, "variant");
    assert_int_equal(got->param_count, want->param_count);
    for (size_t i = 0; i < want->param_count; i++) {
        const rft_param *a = &got->params[i], *b = &want->params[i];
        assert_records_equal(&rft_fields_param, a, b, false, "param");
        assert_true(rft_value_equal(&a->default_value, &b->default_value));
        assert_values_equal(a->values, a->value_count, b->values, b->value_count);
    }
    assert_int_equal(got->constraint_count, want->constraint_count);
    for (size_t i = 0; i < want->constraint_count; i++) {
        const rft_constraint *a = &got->constraints[i], *b = &want->constraints[i];
        assert_text(a->text, b->text);
        assert_int_equal(a->param_count, b->param_count);
        assert_int_equal(a->axis_count, b->axis_count);
        assert_memory_equal(a->params, b->params, b->param_count * sizeof *b->params);
        assert_memory_equal(a->axes, b->axes, b->axis_count * sizeof *b->axes);
    }
}

static void assert_sweeps_equal(const rft_run_sweep *got, const rft_run_sweep *want) {
    const rft_sweep *a = &got->sweep, *b = &want->sweep;
    assert_records_equal(&rft_fields_sweep, a, b, false, "sweep");
    assert_records_equal(&rft_fields_measure_opts, &a->measure, &b->measure, false, "sweep");
    assert_records_equal(&rft_fields_search_opts, &a->search, &b->search, false, "sweep");
    assert_text(got->unexplored, want->unexplored);
    assert_int_equal(a->baseline_count, b->baseline_count);
    for (size_t i = 0; i < b->baseline_count; i++) {
        assert_text(a->baselines[i], b->baselines[i]);
    }
    assert_int_equal(a->axis_count, b->axis_count);
    for (size_t i = 0; i < b->axis_count; i++) {
        assert_records_equal(&rft_fields_axis, &a->axes[i], &b->axes[i], false, "axis");
        assert_values_equal(a->axes[i].values, a->axes[i].value_count, b->axes[i].values, b->axes[i].value_count);
    }
    assert_int_equal(a->problem_count, b->problem_count);
    for (size_t i = 0; i < b->problem_count; i++) {
        assert_int_equal(a->problems[i].odd, b->problems[i].odd);
        assert_int_equal(a->problems[i].refined, b->problems[i].refined);
        assert_values_equal(a->problems[i].values, a->axis_count, b->problems[i].values, b->axis_count);
    }
    assert_int_equal(a->variant_count, b->variant_count);
    for (size_t i = 0; i < b->variant_count; i++) {
        assert_variants_equal(&a->variants[i], &b->variants[i]);
    }
    assert_int_equal(got->cartesian != NULL, want->cartesian != NULL);
    size_t spaces = want->cartesian ? b->variant_count * b->problem_count : 0;
    for (size_t i = 0; i < spaces; i++) {
        assert_int_equal(got->cartesian[i], want->cartesian[i]);
        assert_int_equal(got->valid[i], want->valid[i]);
    }
}

static void assert_reals_equal(const double *got, size_t got_count, const double *want, size_t want_count) {
    assert_int_equal(got_count, want_count);
    for (size_t i = 0; i < want_count; i++) {
        if (!same_real(got[i], want[i], fabs(want[i]))) {
            fail_msg("sample %zu: %.17g is not %.17g", i, got[i], want[i]);
        }
    }
}

static void assert_loads_equal(const rft_load *got, const rft_load *want, const char *where) {
    assert_int_equal(got == NULL, want == NULL);
    if (want) {
        assert_int_equal(got->kind, want->kind);
        assert_records_equal(&rft_fields_load, got, want, true, where);
        assert_reals_equal(got->samples_s, got->n, want->samples_s, want->n);
        assert_reals_equal(got->at_s, got->n, want->at_s, want->n);
        assert_reals_equal(got->clocks_mhz, got->n, want->clocks_mhz, want->n);
        assert_records_equal(&rft_fields_stats, &got->stats, &want->stats, true, where);
    }
}

static void assert_value_equal(double got, const char *got_why, double want, const char *want_why) {
    assert_true((isnan(got) && isnan(want)) || got == want);
    assert_true(rft_text_equal(got_why, want_why));
}

static void assert_counters_equal(const rft_counters *got, const rft_counters *want) {
    assert_int_equal(got != NULL, want != NULL);
    if (!want) {
        return;
    }
    assert_int_equal(got->passes, want->passes);
    assert_true(rft_text_equal(got->source, want->source));
    assert_int_equal(got->raw_count, want->raw_count);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        assert_value_equal(got->values[i], got->reasons[i], want->values[i], want->reasons[i]);
    }
    for (size_t i = 0; i < want->raw_count; i++) {
        assert_string_equal(got->raw[i].name, want->raw[i].name);
        assert_value_equal(got->raw[i].value, got->raw[i].reason, want->raw[i].value, want->raw[i].reason);
    }
}

static void assert_points_equal(const rft_run *run, const rft_point *got, const rft_point *want) {
    char where[32];
    rft_text_format(where, sizeof where, "point %lld", (long long)want->id);
    assert_records_equal(&rft_fields_point, got, want, false, where);
    assert_true(rft_values_equal(got->config, want->config,
                                 run->sweeps[want->sweep].sweep.variants[want->variant].param_count));
    assert_records_equal(&rft_fields_facts, &got->facts, &want->facts, false, where);
    assert_records_equal(&rft_fields_verification, &got->verification, &want->verification, false, where);
    assert_records_equal(&rft_fields_work, &got->work, &want->work, false, where);
    assert_records_equal(&rft_fields_traffic, &got->traffic, &want->traffic, false, where);
    assert_int_equal(got->step_count, want->step_count);
    for (size_t i = 0; i < want->step_count; i++) {
        const rft_step *a = &got->steps[i], *b = &want->steps[i];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->has_work, b->has_work);
        assert_records_equal(&rft_fields_work, &a->work, &b->work, false, where);
        assert_records_equal(&rft_fields_traffic, &a->traffic, &b->traffic, false, where);
    }
    assert_counters_equal(got->counters, want->counters);
    for (int kind = 0; kind < RFT_LOAD_POINT_KINDS; kind++) {
        assert_loads_equal(got->loads[kind], want->loads[kind], where);
    }
    for (int round = 0; round < RFT_ROUNDS; round++) {
        const rft_measurement *a = &got->rounds[round], *b = &want->rounds[round];
        assert_records_equal(&rft_fields_measurement, a, b, true, where);
        assert_records_equal(&rft_fields_stats, &a->stats, &b->stats, true, where);
        assert_reals_equal(a->samples_s, a->n, b->samples_s, b->n);
        assert_int_equal(a->clocks_mhz != NULL, b->clocks_mhz != NULL);
        assert_reals_equal(a->clocks_mhz, a->clocks_mhz ? a->n : 0, b->clocks_mhz, b->clocks_mhz ? b->n : 0);
        assert_reals_equal(a->step_s, a->step_count, b->step_s, b->step_count);
    }
}

static void assert_references_equal(const rft_run *got, const rft_run *want) {
    assert_int_equal(got->reference_count, want->reference_count);
    for (size_t i = 0; i < want->reference_count; i++) {
        assert_records_equal(&rft_fields_reference, &got->references[i], &want->references[i], true, "reference");
    }
}

static void assert_baselines_equal(const rft_run *got, const rft_run *want) {
    assert_int_equal(got->baseline_count, want->baseline_count);
    for (size_t i = 0; i < want->baseline_count; i++) {
        const rft_baseline *a = &got->baselines[i], *b = &want->baselines[i];
        assert_true(a->sweep == b->sweep && a->problem == b->problem && a->same_protocol == b->same_protocol);
        assert_text(a->name, b->name);
        assert_text(a->which, b->which);
        assert_int_equal(a->outcome, b->outcome);
        assert_int_equal(a->tried, b->tried);
        assert_text(a->reason, b->reason);
        assert_text(a->library, b->library);
        assert_text(a->algo, b->algo);
        assert_text(a->source, b->source);
        assert_records_equal(&rft_fields_verification, &a->verification, &b->verification, false, "baseline");
        assert_records_equal(&rft_fields_measurement, &a->measurement, &b->measurement, true, "baseline");
        assert_records_equal(&rft_fields_stats, &a->measurement.stats, &b->measurement.stats, true, "baseline");
        assert_int_equal(a->measurement.stop, b->measurement.stop);
        assert_true(same_real(a->measurement.clock_mhz, b->measurement.clock_mhz, 2000));
        assert_true(same_real(a->measurement.busy_s, b->measurement.busy_s, 1));
        assert_int_equal(a->measurement.n, b->measurement.n);
        assert_true(!a->measurement.clocks_mhz == !b->measurement.clocks_mhz);
        for (size_t k = 0; k < b->measurement.n; k++) {
            assert_true(same_real(a->measurement.samples_s[k], b->measurement.samples_s[k], 1e-3));
            assert_true(!b->measurement.clocks_mhz ||
                        same_real(a->measurement.clocks_mhz[k], b->measurement.clocks_mhz[k], 1e6));
        }
    }
}

void assert_runs_equal(const rft_run *got, const rft_run *want, double tolerance_frac) {
    tolerance = tolerance_frac;
    assert_references_equal(got, want);
    assert_records_equal(&rft_fields_info, &got->info, &want->info, false, "info");
    assert_records_equal(&rft_fields_gpu, &got->gpu, &want->gpu, false, "gpu");
    assert_int_equal(got->env.count, want->env.count);
    for (size_t i = 0; i < want->env.count; i++) {
        assert_text(got->env.items[i].key, want->env.items[i].key);
        assert_text(got->env.items[i].value, want->env.items[i].value);
        assert_text(got->env.items[i].reason, want->env.items[i].reason);
    }
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        const rft_ceiling *a = &got->ceilings.items[id], *b = &want->ceilings.items[id];
        assert_records_equal(&rft_fields_ceiling, a, b, false, rft_ceiling_name((rft_ceiling_id)id));
        assert_records_equal(&rft_fields_stats, &a->stats, &b->stats, false, rft_ceiling_name((rft_ceiling_id)id));
    }
    assert_int_equal(got->sweep_count, want->sweep_count);
    for (size_t i = 0; i < want->sweep_count; i++) {
        assert_sweeps_equal(&got->sweeps[i], &want->sweeps[i]);
    }
    assert_loads_equal(got->idle, want->idle, "idle");
    assert_baselines_equal(got, want);
    assert_int_equal(got->point_count, want->point_count);
    for (size_t i = 0; i < want->point_count; i++) {
        assert_points_equal(want, &got->points[i], &want->points[i]);
    }
}
