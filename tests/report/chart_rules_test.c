/* SPDX-License-Identifier: Apache-2.0 */
/* What charts of a run hold to: a mark is judged by the ceilings of its chart, families have charts of their own, bands
 * end where the times turn, and no chart has fewer points than it needs. */
#include "model/roofline/placement.h"
#include "reports/findings/findings.h"
#include "support/arena_fixture.h"
#include "support/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Visits every chart of a finding that these readers have. */
typedef void visit_chart(const rft_chart *chart, void *with);

static void each_chart(const rft_finding *f, unsigned readers, visit_chart *visit, void *with) {
    for (size_t i = 0; f && i < f->item_count; i++) {
        const rft_item *item = &f->items[i];
        for (size_t k = 0; item->kind == RFT_ITEM_CHARTS && rft_is_for(item->where, readers) && k < item->chart_count;
             k++) {
            if (item->charts[k]->series_count > 0) {
                visit(item->charts[k], with);
            }
        }
        for (size_t k = 0; k < item->finding_count; k++) {
            each_chart(item->findings[k], readers, visit, with);
        }
    }
}

/* The highest rate that the solid lines allow at x, NaN beside them. */
static double roof_at(const rft_chart *chart, double x) {
    double roof = NAN;
    for (size_t s = 0; s < chart->series_count; s++) {
        const rft_series *line = &chart->series[s];
        if (line->kind == RFT_SERIES_LINE && line->tone == RFT_TONE_INK && !line->dashed && line->count == 2 &&
            x >= line->x[0] * 0.999 && x <= line->x[1] * 1.001) {
            double part = log(x / line->x[0]) / log(line->x[1] / line->x[0]);
            roof = fmax(roof, line->y[0] * pow(line->y[1] / line->y[0], part));
        }
    }
    return roof;
}

typedef struct seen {
    size_t charts, marks, most_series;
    bool apart; /* series have tones of their own */
    char titles[512];
} seen;

/* No best stands above the lines of its own chart, where all are at most at their ceilings. */
static void check_under_its_lines(const rft_chart *chart, void *with) {
    seen *of = with;
    size_t series = 0;
    for (size_t s = 0; s < chart->series_count; s++) {
        const rft_series *dots = &chart->series[s];
        for (size_t i = 0; dots->kind == RFT_SERIES_DOTS && dots->bold && i < dots->count; i++) {
            assert_true(dots->y[i] <= roof_at(chart, dots->x[i]) * 1.001);
            of->marks++;
        }
        series += dots->kind == RFT_SERIES_DOTS && dots->bold;
        for (size_t k = 0; k < s; k++) { /* told apart */
            bool both = dots->kind == RFT_SERIES_DOTS && dots->bold && chart->series[k].kind == RFT_SERIES_DOTS &&
                        chart->series[k].bold;
            assert_false(of->apart && both && dots->tone == chart->series[k].tone);
        }
    }
    of->most_series = series > of->most_series ? series : of->most_series;
    of->charts++;
    snprintf(of->titles + strlen(of->titles), sizeof of->titles - strlen(of->titles), "[%s]", chart->title);
}

static void source_is(rft_run *run, size_t sweep, const char *source) {
    rft_sweep *of = &run->sweeps[sweep].sweep;
    for (size_t v = 0; v < of->variant_count; v++) {
        of->variants[v].source = source;
    }
}

static void test_many_sweeps_have_a_chart_a_family(void **state) {
    rft_run *run = sample_empty();
    for (size_t i = 0; i < 9; i++) {
        size_t at = sample_add_gemv(run);
        run->sweeps[at].sweep.name = rft_arena_printf(run->arena, "gemv_%zu", i);
        source_is(run, at, i < 6 ? "kernels/many.cu" : i == 6 ? NULL : "kernels/few.cu");
    }
    const rft_finding *f = rft_finding_rooflines(run, *state);
    seen page = {.apart = true}, text = {0};
    each_chart(f, RFT_ON_PAGE, check_under_its_lines, &page);
    each_chart(f, RFT_IN_TEXT, check_under_its_lines, &text);
    assert_string_equal(page.titles, "[gemv_0 and 3 others][gemv_4, gemv_5][gemv_6][gemv_7, gemv_8]");
    assert_int_equal(page.most_series, 4);
    assert_int_equal(text.charts, 1); /* a terminal tells by letters */
    assert_int_equal(page.marks, text.marks);
    rft_run_free(run);
}

/* A pipe that only slower variants work on would be a chart of lines alone. */
static void test_a_pipe_without_a_best_has_no_chart(void **state) {
    rft_run *run = sample_full();
    const rft_point *best = NULL;
    seen before = {.apart = true}, after = {.apart = true};
    each_chart(rft_finding_rooflines(run, *state), RFT_ON_PAGE, check_under_its_lines, &before);
    for (size_t i = 0; i < run->point_count && !best; i++) {
        const rft_point *own = rft_run_best(run, run->points[i].sweep, SIZE_MAX, run->points[i].problem);
        rft_point *point = &run->points[i];
        if (own && own != point && rft_run_is_candidate(run, point) && point->work.pipe_ops[RFT_PIPE_FP32] > 0) {
            best = own;
            point->work.pipe_ops[RFT_PIPE_TENSOR_TF32] = point->work.pipe_ops[RFT_PIPE_FP32];
            point->work.pipe_ops[RFT_PIPE_FP32] = 0;
        }
    }
    assert_non_null(best);
    each_chart(rft_finding_rooflines(run, *state), RFT_ON_PAGE, check_under_its_lines, &after);
    assert_int_equal(before.charts, after.charts);
    rft_run_free(run);
}

/* Reads alone are judged by the read ceiling, a matmul by that of two reads and a write: both lines are there. */
static void test_marks_stand_under_the_ceiling_that_judges_them(void **state) {
    rft_run *run = sample_full();
    seen page = {.apart = true};
    for (size_t i = 0; i < run->point_count; i++) { /* all at 99 % of what judges them */
        rft_measurement *m = &run->points[i].rounds[0];
        const rft_placement place = rft_placement_of(run, &run->points[i]);
        for (size_t k = 0; isfinite(place.roof_s) && k < m->n; k++) {
            m->samples_s[k] = place.roof_s / 0.99;
        }
        m->stats = m->n ? rft_stats_of(m->samples_s, m->n) : m->stats;
        run->points[i].rounds[1].n = 0;
    }
    each_chart(rft_finding_rooflines(run, *state), RFT_ON_PAGE, check_under_its_lines, &page);
    assert_true(page.charts > 0 && page.marks > 5);
    rft_run_free(run);
}

typedef struct bands {
    double end;
    size_t count;
    const char *names[4];
} bands;

static void read_bands(const rft_chart *chart, void *with) {
    bands *of = with;
    const rft_series *series = &chart->series[0];
    if (series->kind != RFT_SERIES_BAND) {
        return;
    }
    of->count = series->count;
    of->end = series->x2[0];
    for (size_t i = 0; i < series->count && i < 4; i++) {
        of->names[i] = series->names[i];
    }
}

static void test_bands_end_where_the_times_turn(void **state) {
    rft_run *run = sample_empty();
    size_t sweep = sample_add_turn(run);
    rft_profile *profiles = NULL;
    assert_int_equal(rft_profiles_along_axes(run, sweep, SIZE_MAX, *state, &profiles), 1);
    rft_transition *found = NULL;
    assert_int_equal(rft_transitions_of(run, &profiles[0], *state, &found), 1);
    assert_int_equal(found[0].kind, RFT_TRANSITION_FOUND);
    bands of = {0};
    each_chart(rft_finding_transitions_paged(run, sweep, &(rft_transition_view){.charts = true, .all = true}, *state),
               RFT_ON_PAGE, read_bands, &of);
    assert_int_equal(of.count, 2);
    assert_true(fabs(of.end - found[0].where) < 1e-9 * found[0].where);
    assert_string_equal(of.names[0], "dram");
    of = (bands){0};
    each_chart(rft_finding_axes(run, sweep, true, true, NULL, *state), RFT_ON_PAGE, read_bands, &of);
    assert_true(of.count == 0 || fabs(of.end - found[0].where) < 1e-9 * found[0].where);
    rft_run_free(run);
}

static void note_title(const rft_chart *chart, void *with) {
    seen *of = with;
    snprintf(of->titles + strlen(of->titles), sizeof of->titles - strlen(of->titles), "[%s]", chart->title);
}

static seen titles_of(size_t count, bool diagonal, rft_arena *arena) {
    rft_run *run = sample_empty();
    seen of = {0};
    size_t sweep = sample_add_many(run, count);
    for (size_t i = 0; diagonal && i < run->point_count; i++) {
        run->points[i].config[0] = run->points[i].config[1] = rft_value_int((int64_t)(i % 7) + 1);
    }
    each_chart(rft_finding_distribution(run, sample_best(run, sweep), true, arena), RFT_ON_PAGE, note_title, &of);
    rft_run_free(run);
    return of;
}

static void test_charts_have_the_points_they_need(void **state) {
    assert_non_null(strstr(titles_of(20, false, *state).titles, "Distribution of 20"));
    assert_null(strstr(titles_of(19, false, *state).titles, "Distribution"));
    assert_non_null(strstr(titles_of(12, false, *state).titles, "Progress"));
    assert_null(strstr(titles_of(11, false, *state).titles, "Progress"));
    assert_non_null(strstr(titles_of(5000, false, *state).titles, "Best"));
    assert_null(strstr(titles_of(5000, true, *state).titles, "Best")); /* a diagonal is no map */
}

/* The line of the one variant, and the dashed one of its prior. */
typedef struct foretold {
    const rft_series *measured, *prior;
} foretold;

static void read_prior(const rft_chart *chart, void *with) {
    foretold *of = with;
    for (size_t s = 0; s < chart->series_count; s++) {
        const rft_series *line = &chart->series[s];
        of->measured = line->kind == RFT_SERIES_LINE && line->marks ? line : of->measured;
        of->prior = line->kind == RFT_SERIES_LINE && line->dashed && line->count > 1 ? line : of->prior;
    }
}

static void test_prior_of_one_configuration_stands_beside_it(void **state) {
    rft_run *run = sample_empty();
    size_t sweep = sample_add_turn(run);
    foretold several = {0}, one = {0};
    for (size_t i = 0; i < run->point_count; i++) {
        run->points[i].prior = rft_point_median_s(&run->points[i]) / 3;
    }
    each_chart(rft_finding_axes(run, sweep, true, false, NULL, *state), RFT_ON_PAGE, read_prior, &several);
    assert_true(several.measured && !several.prior); /* it puts them in order */
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].config[0].as.integer != 128) {
            sample_fail(&run->points[i], RFT_OUTCOME_SKIPPED, "not this time");
        } else if (run->points[i].problem == 2) {
            run->points[i].prior *= 2;
        }
    }
    each_chart(rft_finding_axes(run, sweep, true, false, NULL, *state), RFT_ON_PAGE, read_prior, &one);
    assert_true(one.measured && one.prior);
    assert_int_equal(one.prior->count, one.measured->count);
    for (size_t i = 0; i < one.prior->count; i++) {
        assert_float_equal(one.prior->y[i] / one.measured->y[i], i == 2 ? 0.5 : 1.0, 1e-9);
    }
    rft_run_free(run);
}

static void count_lines(const rft_chart *chart, void *with) {
    size_t *lines = with;
    for (size_t s = 0; s < chart->series_count; s++) {
        *lines += chart->series[s].kind == RFT_SERIES_LINE && chart->series[s].marks;
    }
}

/* A line a variant; their names would leave no room for those of forty. */
static void test_of_many_variants_few_have_a_line(void **state) {
    rft_run *run = sample_empty();
    const size_t sweep = sample_add_turn(run);
    rft_sweep *data = &run->sweeps[sweep].sweep;
    rft_variant *variants = rft_arena_calloc(run->arena, 40, sizeof *variants);
    size_t lines = 0;
    each_chart(rft_finding_axes(run, sweep, true, false, NULL, *state), RFT_ON_PAGE, count_lines, &lines);
    assert_int_equal(lines, 1);
    for (size_t v = 0; v < 40; v++) {
        variants[v] = data->variants[0];
        variants[v].name = rft_arena_printf(run->arena, "variant %zu", v);
    }
    data->variants = variants;
    data->variant_count = 40;
    for (size_t i = 0; i < run->point_count; i++) {
        run->points[i].variant = i % 40;
    }
    lines = 0;
    each_chart(rft_finding_axes(run, sweep, true, false, NULL, *state), RFT_ON_PAGE, count_lines, &lines);
    assert_in_range(lines, 2, 16);
    rft_run_free(run);
}

static void read_foot(const rft_chart *chart, void *with) {
    if (!chart->y.log) {
        *(double *)with = chart->y.low;
    }
}

/* Where the axis begins when every problem's times are at so much of the roof, every third at less. */
static double foot_of(double share, double third, rft_arena *arena) {
    rft_run *run = sample_empty();
    size_t sweep = sample_add_turn(run);
    double foot = NAN;
    for (size_t i = 0; i < run->point_count; i++) {
        rft_measurement *m = &run->points[i].rounds[0];
        const double at = run->points[i].problem % 3 == 0 ? third : share;
        run->points[i].work = run->points[0].work; /* one roof for all */
        const rft_placement place = rft_placement_of(run, &run->points[i]);
        for (size_t k = 0; k < m->n; k++) {
            m->samples_s[k] = place.roof_s / at;
        }
        m->stats = rft_stats_of(m->samples_s, m->n);
        run->points[i].rounds[1].n = 0;
    }
    each_chart(rft_finding_axes(run, sweep, true, false, NULL, arena), RFT_ON_PAGE, read_foot, &foot);
    rft_run_free(run);
    return foot;
}

/* Waves of a tenth would be flat above a zero; noise is left flat. */
static void test_teeth_are_not_hidden_by_a_zero(void **state) {
    assert_true(foot_of(0.9, 0.75, *state) > 0);
    assert_true(foot_of(0.9, 0.89, *state) == 0);
    assert_true(foot_of(0.9, 0.4, *state) == 0);
}

int main(void) {
#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, arena_begin, arena_end)
    const struct CMUnitTest tests[] = {
        WITH_ARENA(test_many_sweeps_have_a_chart_a_family),
        WITH_ARENA(test_a_pipe_without_a_best_has_no_chart),
        WITH_ARENA(test_marks_stand_under_the_ceiling_that_judges_them),
        WITH_ARENA(test_bands_end_where_the_times_turn),
        WITH_ARENA(test_charts_have_the_points_they_need),
        WITH_ARENA(test_prior_of_one_configuration_stands_beside_it),
        WITH_ARENA(test_of_many_variants_few_have_a_line),
        WITH_ARENA(test_teeth_are_not_hidden_by_a_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
