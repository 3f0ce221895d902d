/* SPDX-License-Identifier: Apache-2.0 */
#include "run/same_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/run/field.h"

#include <string.h>

static bool is_chance(const char *name) {
    static const char *const chance[] = {"compile_s", "from_cache", "wall_s", "verify_s", "busy_s"};
    for (size_t i = 0; i < sizeof chance / sizeof *chance; i++) {
        if (strcmp(name, chance[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool same_content(const rft_content *a, const rft_content *b) {
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case RFT_CONTENT_INT:
        return a->integer == b->integer;
    case RFT_CONTENT_REAL:
        return a->real == b->real;
    case RFT_CONTENT_TEXT:
        return strcmp(a->text, b->text) == 0;
    default:
        return true;
    }
}

static void print_content(const char *which, const rft_content *content) {
    print_error("%s: %s %lld %.17g \"%s\"\n", which, content->kind == RFT_CONTENT_NULL ? "null" : "",
                (long long)content->integer, content->real, content->text ? content->text : "");
}

static void expect_same_record(const rft_fields *fields, const void *a, const void *b, const char *what, size_t at) {
    for (size_t i = 0; i < fields->count; i++) {
        const rft_field *field = &fields->items[i];
        rft_content x = rft_field_get(field, a), y = rft_field_get(field, b);
        if (!is_chance(field->name) && !same_content(&x, &y)) {
            print_content("one", &x);
            print_content("other", &y);
            fail_msg("%s of %s %zu differs", field->name, what, at);
        }
    }
}

static void expect_same_doubles(const double *a, const double *b, size_t count, const char *what, size_t at) {
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i]) {
            fail_msg("%s of point %zu: %.17g and %.17g", what, at, a[i], b[i]);
        }
    }
}

/* When it was is the clock's business. */
static void expect_same_references(const rft_run *a, const rft_run *b) {
    assert_int_equal(a->reference_count, b->reference_count);
    for (size_t i = 0; i < a->reference_count; i++) {
        rft_reference x = a->references[i], y = b->references[i];
        x.time_s = y.time_s = 0;
        expect_same_record(&rft_fields_reference, &x, &y, "reading", i);
    }
}

static void expect_same_point(const rft_run *run, const rft_point *a, const rft_point *b) {
    size_t id = (size_t)a->id;
    expect_same_record(&rft_fields_point, a, b, "point", id);
    assert_true(rft_values_equal(a->config, b->config, run->sweeps[a->sweep].sweep.variants[a->variant].param_count));
    expect_same_record(&rft_fields_facts, &a->facts, &b->facts, "point", id);
    expect_same_record(&rft_fields_verification, &a->verification, &b->verification, "point", id);
    expect_same_record(&rft_fields_work, &a->work, &b->work, "point", id);
    expect_same_record(&rft_fields_traffic, &a->traffic, &b->traffic, "point", id);
    for (int round = 0; round < RFT_ROUNDS; round++) {
        const rft_measurement *x = &a->rounds[round], *y = &b->rounds[round];
        expect_same_record(&rft_fields_measurement, x, y, "a round of point", id);
        assert_int_equal(x->n, y->n);
        assert_int_equal(x->step_count, y->step_count);
        expect_same_doubles(x->samples_s, y->samples_s, x->n, "samples", id);
        expect_same_doubles(x->step_s, y->step_s, x->step_count, "steps", id);
    }
}

/* With those that refine() has added. */
static void expect_same_problems(const rft_run_sweep *a, const rft_run_sweep *b) {
    assert_int_equal(a->sweep.problem_count, b->sweep.problem_count);
    for (size_t p = 0; p < a->sweep.problem_count; p++) {
        const rft_problem *x = &a->sweep.problems[p], *y = &b->sweep.problems[p];
        assert_int_equal(x->odd, y->odd);
        assert_int_equal(x->refined, y->refined);
        assert_true(rft_values_equal(x->values, y->values, a->sweep.axis_count));
    }
    for (size_t i = 0; a->valid && i < a->sweep.variant_count * a->sweep.problem_count; i++) {
        assert_int_equal(a->valid[i], b->valid[i]);
        assert_int_equal(a->cartesian[i], b->cartesian[i]);
    }
}

void expect_same_runs(const rft_run *a, const rft_run *b) {
    expect_same_record(&rft_fields_gpu, &a->gpu, &b->gpu, "gpu", 0);
    assert_int_equal(a->info.seed, b->info.seed);
    assert_int_equal(a->info.recompiled, b->info.recompiled);
    assert_int_equal(a->info.recompiled_same, b->info.recompiled_same);
    assert_int_equal(a->info.finished_unix_ns != 0, b->info.finished_unix_ns != 0);
    assert_int_equal(a->sweep_count, b->sweep_count);
    for (size_t s = 0; s < a->sweep_count; s++) {
        const char *x = a->sweeps[s].unexplored, *y = b->sweeps[s].unexplored;
        const rft_sweep *one = &a->sweeps[s].sweep, *other = &b->sweeps[s].sweep;
        expect_same_record(&rft_fields_sweep, one, other, "sweep", s);
        expect_same_record(&rft_fields_measure_opts, &one->measure, &other->measure, "sweep", s);
        expect_same_record(&rft_fields_search_opts, &one->search, &other->search, "sweep", s);
        assert_true(x && y ? strcmp(x, y) == 0 : x == y);
        expect_same_problems(&a->sweeps[s], &b->sweeps[s]);
    }
    expect_same_references(a, b);
    assert_int_equal(a->point_count, b->point_count);
    for (size_t i = 0; i < a->point_count; i++) {
        expect_same_point(a, &a->points[i], &b->points[i]);
    }
}
