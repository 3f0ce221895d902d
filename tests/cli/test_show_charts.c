/* SPDX-License-Identifier: Apache-2.0 */
/* What `rooftune show` draws: bars, rooflines, profiles, on made-up runs and on every recording of the tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "cli/show_data.h"
#include "cli/show_text.h"
#include "reports/figures.h"
#include "reports/findings/finding.h"
#include "reports/print/layout.h"
#include "reports/print/plot.h"
#include "reports/print/raster.h"
#include "reports/print/spark.h"
#include "store/store.h"
#include "support/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pieces ---- */

static const char *spark(rft_str *out, const double *values, size_t count, rft_spark_scale scale) {
    rft_str_truncate(out, 0);
    rft_spark_add(out, values, count, &scale);
    return rft_str_get(out);
}

static void bars_have_the_height_of_their_values(void **state) {
    rft_str out = RFT_STR_INIT;
    const double values[] = {0, 1, 2.5, 4, 8, 9, -1, NAN};
    (void)state;
    assert_string_equal(spark(&out, values, 8, (rft_spark_scale){0, 8, true}), "1124881.");
    assert_string_equal(spark(&out, values, 5, (rft_spark_scale){0, 8, false}), "▁▁▂▄█");
    assert_string_equal(spark(&out, values + 7, 1, (rft_spark_scale){0, 8, false}), "·");
    assert_string_equal(spark(&out, values, 2, (rft_spark_scale){3, 3, true}), "88");
    assert_true(rft_bars_floor(1, 2) == 0); /* half as fast is half as high */
    assert_true(rft_bars_floor(90, 100) == 88.5);
    rft_str_clear(&out);
}

static void columns_are_those_of_a_terminal(void **state) {
    rft_str out = RFT_STR_INIT;
    (void)state;
    assert_int_equal(rft_layout_columns("矩阵乘法"), 8);
    assert_int_equal(rft_layout_columns("πλάτος"), 6);
    assert_int_equal(rft_layout_columns("a\xcc\x81"
                                        "b"),
                     2);                                 /* combining acute */
    assert_int_equal(rft_layout_columns("\xff\xe7"), 2); /* no UTF-8 */
    rft_layout_left(&out, "矩阵", 6);
    rft_layout_cut(&out, "矩阵乘法", 7);
    rft_layout_cut(&out, "λx", 3);
    assert_string_equal(rft_str_get(&out), "矩阵  矩阵.. λx ");
    rft_layout_to_ascii(&out, strlen("矩阵"));
    assert_string_equal(rft_str_get(&out), "矩阵  ????.. ?x ");
    rft_str_truncate(&out, 0);
    const rft_layout_number room = {3, 3, 3};
    rft_layout_decimal(&out, "6.24 us", &room);
    rft_layout_decimal(&out, "380 ms", &room);
    rft_layout_decimal(&out, "n/a", &room);
    rft_layout_decimal(&out, "4 min 10 s", &room);
    assert_string_equal(rft_str_get(&out), "  6.24 us380    ms      n/a4 min 10 s");
    rft_str_clear(&out);
}

static void no_word_is_too_long(void **state) {
    rft_str out = RFT_STR_INIT;
    char word[301] = "";
    (void)state;
    for (size_t i = 0; i < 300; i += 3) {
        memcpy(word + i, "矩", 3);
    }
    rft_layout_wrapped(&out, 4, 2, word);
    const char *line = rft_str_get(&out);
    size_t lines = 0, bytes = 0;
    for (; *line; line += strcspn(line, "\n") + 1, lines++) {
        char text[400];
        rft_text_format(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        assert_true(rft_layout_columns(text) <= RFT_LAYOUT_WIDTH);
        bytes += strlen(text) - strspn(text, " ");
    }
    assert_int_equal(bytes, 300);
    assert_int_equal(lines, 3);
    rft_str_clear(&out);
}

/* Held together, and longer than a line: broken between two words, never in one. */
static void joints_give_way_before_words_do(void **state) {
    rft_str out = RFT_STR_INIT;
    (void)state;
    rft_layout_wrapped(&out, 6, 0,
                       "before 105.7" RFT_LAYOUT_JOINT "%" RFT_LAYOUT_JOINT "[93.5," RFT_LAYOUT_JOINT
                       "119.5]" RFT_LAYOUT_JOINT "of" RFT_LAYOUT_JOINT "cuBLASLt," RFT_LAYOUT_JOINT
                       "exact" RFT_LAYOUT_JOINT "accumulation," RFT_LAYOUT_JOINT "scaled" RFT_LAYOUT_JOINT
                       "by" RFT_LAYOUT_JOINT "rows," RFT_LAYOUT_JOINT "a" RFT_LAYOUT_JOINT "tie; after");
    assert_string_equal(rft_str_get(&out),
                        "      before\n"
                        "      105.7 % [93.5, 119.5] of cuBLASLt, exact accumulation, scaled by rows, a\n"
                        "      tie; after\n");
    rft_str_clear(&out);
}

static void lines_and_marks_lie_where_they_should(void **state) {
    rft_arena *arena = rft_arena_new();
    rft_str out = RFT_STR_INIT;
    (void)state;
    rft_raster grid = rft_raster_new(4, 2, false, arena);
    rft_raster_line(&grid, (const double[]){0, 0}, (const double[]){1, 0}, 1, '-');
    rft_raster_mark(&grid, 1, 1, "A");
    rft_raster_mark(&grid, 1.1, 0.5, "B"); /* outside */
    rft_raster_row(&grid, 0, &out);
    rft_str_add_char(&out, '|');
    rft_raster_row(&grid, 1, &out);
    assert_string_equal(rft_str_get(&out), "   A|⣀⣀⣀⣀");
    rft_str_truncate(&out, 0);
    grid = rft_raster_new(4, 4, true, arena);
    rft_raster_line(&grid, (const double[]){0, 0}, (const double[]){1, 1}, 1, '/');
    rft_raster_row(&grid, 0, &out);
    rft_raster_row(&grid, 3, &out);
    assert_string_equal(rft_str_get(&out), "   //");
    rft_str_clear(&out);
    rft_arena_free(arena);
}

/* ---- whole runs ---- */

static void assert_fits(const char *text, bool ascii, const char *what) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        char line[1024];
        rft_text_format(line, sizeof line, "%.*s", (int)length, text);
        if (rft_layout_columns(line) > RFT_LAYOUT_WIDTH) {
            fail_msg("%s: over 80 columns: %s", what, line);
        }
        for (size_t i = 0; ascii && i < length; i++) {
            if ((unsigned char)line[i] < 0x20 || (unsigned char)line[i] > 0x7e) {
                fail_msg("%s: not ASCII: %s", what, line);
            }
        }
        text += length + (text[length] == '\n');
    }
}

static json_t *findings(const rft_run *run) {
    rft_str text = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    json_t *root = NULL;
    rft_show_json(&text, run);
    assert_int_equal(rft_json_parse(&root, rft_str_get(&text), text.length, "show", &err), RFT_OK);
    rft_str_clear(&text);
    return root;
}

static double real(const json_t *object, const char *name) {
    return json_number_value(json_object_get(object, name));
}

/* The character of an ASCII chart at the place that JSON's axes give to a point. */
static char mark_at(const char *chart, const json_t *of, const json_t *point) {
    double x = log(real(point, "intensity_ops_byte") / real(of, "x_low")) / log(real(of, "x_high") / real(of, "x_low"));
    double y = log(real(point, "rate_ops_s") / real(of, "y_low")) / log(real(of, "y_high") / real(of, "y_low"));
    size_t column = (size_t)(x * RFT_PLOT_COLUMNS), up = (size_t)(y * RFT_PLOT_ROWS);
    const char *line = chart;
    for (size_t row = 0; row < RFT_PLOT_ROWS - up; row++) { /* one more: the title */
        line = strchr(line, '\n') + 1;
    }
    return column + RFT_PLOT_MARGIN < strcspn(line, "\n") ? line[RFT_PLOT_MARGIN + column] : ' ';
}

/* Every best is where its numbers say, and the last drawn of a sweep is the one that takes longest. */
static void assert_bests_are_placed(const rft_run *run, const char *what) {
    rft_str text = RFT_STR_INIT;
    json_t *root = findings(run);
    const json_t *charts = json_object_get(root, "rooflines");
    rft_show_run(&text, run, &(rft_show_opts){.ascii = true});
    const char *chart = rft_str_get(&text);
    assert_fits(chart, true, what);
    for (size_t i = 0; i < json_array_size(charts); i++) {
        const json_t *of = json_array_get(charts, i), *best = json_object_get(of, "best");
        if (json_array_size(best) == 0) {
            continue; /* a pipe on which only slower variants work has no chart */
        }
        chart = strstr(chart, "\nRoofline, ");
        assert_non_null(chart);
        chart++;
        assert_true(json_array_size(json_object_get(of, "points")) >= json_array_size(best));
        for (size_t k = 0; k < json_array_size(best); k++) {
            char mark = mark_at(chart, of, json_array_get(best, k));
            if (!((mark >= 'a' && mark <= 'z') || (mark >= 'A' && mark <= 'Z'))) {
                fail_msg("%s: chart %zu has '%c' where best %zu is:\n%.1600s", what, i, mark, k, chart);
            }
        }
    }
    assert_null(strstr(chart + 1, "\nRoofline, "));
    json_decref(root);
    rft_str_clear(&text);
}

static void assert_shows(const rft_run *run, bool ascii, bool full, const char *what) {
    rft_str text = RFT_STR_INIT;
    rft_show_run(&text, run, &(rft_show_opts){.ascii = ascii, .full = full});
    assert_fits(rft_str_get(&text), ascii, what);
    rft_str_clear(&text);
}

static void assert_sound(const rft_run *run, const char *what) {
    for (int i = 0; i < 4; i++) {
        assert_shows(run, i % 2 == 1, i >= 2, what);
    }
    assert_bests_are_placed(run, what);
}

/* Recording i in short and in full, each in one of the alphabets. All four with RFT_ALL_DRAWS. */
static void assert_recorded(const rft_run *run, size_t i, const char *what) {
#ifdef RFT_ALL_DRAWS
    (void)i;
    assert_sound(run, what);
#else
    if (i % 2 == 0) { /* in ASCII all are, for their bests */
        assert_shows(run, false, false, what);
    }
    assert_shows(run, i % 2 == 0, true, what);
    assert_bests_are_placed(run, what);
#endif
}

static void recordings_are_readable(void **state) {
    rft_err err = RFT_ERR_INIT;
    char **names = NULL;
    size_t count = 0;
    const char *folder = RFT_SOURCE_DIR "/sweeps/recorded/nvidia-h200";
    (void)state;
    if (rft_fs_list(&names, &count, folder, ".json.gz", &err) != RFT_OK || count == 0) {
        skip();
    }
    for (size_t i = 0; i < count; i++) {
        rft_run *run = NULL;
        char *path = rft_fs_join(folder, names[i]);
        assert_int_equal(rft_store_load(&run, path, &err), RFT_OK);
        assert_recorded(run, i, names[i]);
        rft_run_free(run);
        free(path);
    }
    rft_fs_list_free(names, count);
}

static const char *shown(rft_str *text, const rft_run *run, bool full) {
    rft_str_truncate(text, 0);
    rft_show_run(text, run, &(rft_show_opts){.ascii = true, .full = full});
    return rft_str_get(text);
}

static void assert_has(const char *text, const char *words) {
    if (!strstr(text, words)) {
        fail_msg("\"%s\" is not in:\n%s", words, text);
    }
}

/* What is missing is said, and nothing breaks. */
static void poor_runs_are_sound(void **state) {
    rft_str text = RFT_STR_INIT;
    (void)state;
    rft_run *run = sample_empty();
    assert_sound(run, "empty");
    rft_run_free(run);

    run = sample_findings();
    assert_sound(run, "every finding");
    rft_run_free(run);

    run = sample_full();
    assert_sound(run, "full");
    sample_forget_ceilings(run);
    assert_sound(run, "no ceilings");
    assert_has(shown(&text, run, false), "no line (no ceiling was measured)");
    sample_fail_all(run, RFT_OUTCOME_LAUNCH_FAILED, "an illegal memory access was encountered");
    assert_sound(run, "all failed");
    assert_has(shown(&text, run, false), "nothing measured\n");
    assert_null(strstr(rft_str_get(&text), "Roofline"));
    assert_null(strstr(rft_str_get(&text), "\n  parameters of"));
    rft_run_free(run);

    run = sample_empty();
    sample_add_single(run);
    assert_sound(run, "one point");
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        run->points[0].work.pipe_ops[i] = 0;
    }
    assert_has(shown(&text, run, false),
               "\nOn no roofline\n  1 problem is without operations or without bytes in the work");
    rft_run_free(run);

    run = sample_empty();
    sample_add_many(run, 50000);
    assert_sound(run, "many");
    assert_has(shown(&text, run, false), "search");
    rft_run_free(run);
    rft_str_clear(&text);
}

static void foreign_names_keep_the_columns(void **state) {
    rft_str text = RFT_STR_INIT;
    rft_run *run = sample_full();
    (void)state;
    run->gpu.name = "某公司的一张名字长得一行放不下的显卡，某公司的一张名字长得一行放不下的显卡";
    for (size_t s = 0; s < run->sweep_count; s++) {
        rft_sweep *sweep = &run->sweeps[s].sweep;
        sweep->name = "矩阵乘法与转置的很长很长很长很长很长很长很长很长很长很长很长很长很长很长的名字";
        for (size_t v = 0; v < sweep->variant_count; v++) {
            rft_variant *variant = (rft_variant *)(uintptr_t)&sweep->variants[v];
            variant->name = v ? "πλακίδια_καταχωρητών_με_πολύ_μακρύ_όνομα_που_δεν_χωρά_πουθενά_σε_μία_γραμμή" : "朴素";
        }
        for (size_t a = 0; a < sweep->axis_count; a++) {
            ((rft_axis *)(uintptr_t)&sweep->axes[a])->name = "μήκος_ακολουθίας";
        }
    }
    assert_sound(run, "foreign names");
    rft_run_free(run);
    rft_str_clear(&text);
}

/* Counts of every kind add up to what was not measured; --full has each with its example. */
static void failures_are_counted(void **state) {
    rft_str text = RFT_STR_INIT;
    rft_arena *arena = rft_arena_new();
    rft_run *run = sample_empty();
    size_t sweep = sample_add_matmul(run), failed = 0, counted = 0;
    (void)state;
    for (size_t i = 0; i < run->point_count; i++) {
        failed += !rft_outcome_is_measured(run->points[i].outcome) && !run->points[i].alias_of;
    }
    assert_true(failed > 0);
    const char *shown_text = shown(&text, run, true);
    json_t *root = findings(run);
    const json_t *list = json_object_get(json_array_get(json_object_get(root, "sweeps"), sweep), "failures");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *kind = json_array_get(list, i);
        char start[80];
        size_t count = (size_t)json_integer_value(json_object_get(kind, "count"));
        counted += count;
        rft_text_format(start, sizeof start, "\n    %zu %s: ", count,
                        json_string_value(json_object_get(kind, "outcome")));
        assert_has(shown_text, start);
    }
    assert_int_equal(counted, failed);
    json_decref(root);
    rft_run_free(run);
    rft_arena_free(arena);
    rft_str_clear(&text);
}

/* A profile of a sample, by hand: each value's best is the least time among the points with it. */
static void profiles_are_the_best_over_the_rest(void **state) {
    rft_str text = RFT_STR_INIT;
    rft_run *run = sample_empty();
    size_t sweep = sample_add_many(run, 400);
    (void)state;
    const rft_variant *variant = &run->sweeps[sweep].sweep.variants[0];
    json_t *root = findings(run);
    const json_t *of = json_array_get(json_object_get(root, "sweeps"), 0), *first = NULL;
    const json_t *profiles = json_object_get(of, "profiles");
    for (size_t i = json_array_size(profiles); i-- > 0;) {
        const json_t *one = json_array_get(profiles, i);
        bool own = strcmp(json_string_value(json_object_get(one, "name")), variant->params[0].name) == 0;
        first = own && strcmp(json_string_value(json_object_get(one, "along")), "parameter") == 0 ? one : first;
    }
    assert_non_null(first);
    const json_t *values = json_object_get(first, "values");
    double lowest = INFINITY, highest = 0;
    size_t total = 0;
    for (size_t k = 0; k < json_array_size(values); k++) {
        const json_t *value = json_array_get(values, k);
        double least = INFINITY, value_is = real(value, "value");
        size_t measured = 0;
        for (size_t i = 0; i < run->point_count; i++) {
            bool same = rft_value_number(&run->points[i].config[0]) == value_is;
            if (same && rft_run_is_candidate(run, &run->points[i])) {
                least = fmin(least, rft_point_median_s(&run->points[i]));
                measured++;
            }
        }
        if (measured == 0) {
            assert_true(json_is_null(json_object_get(value, "median_s")));
            continue;
        }
        if (!(real(value, "median_s") == least)) {
            fail_msg("best at %g: %.17g, by hand %.17g of %zu", value_is, real(value, "median_s"), least, measured);
        }
        assert_int_equal(json_integer_value(json_object_get(value, "measured")), measured);
        lowest = fmin(lowest, least);
        highest = fmax(highest, least);
        total += measured;
    }
    assert_true(total > 300);
    assert_true(fabs(real(first, "costs_factor") - highest / lowest) < 1e-12);
    char costs[40];
    rft_text_format(costs, sizeof costs, " costs at best %.2fx", highest / lowest);
    assert_has(shown(&text, run, false), costs);
    /* The best of the search is the best of the sweep; it was met when its point was tried. */
    const json_t *progress = json_object_get(of, "progress"), *better = json_object_get(progress, "better");
    const json_t *last = json_array_get(better, json_array_size(better) - 1);
    assert_true(real(last, "median_s") == lowest);
    assert_int_equal(json_integer_value(json_object_get(progress, "best_at")),
                     json_integer_value(json_object_get(last, "at")));
    json_decref(root);
    rft_run_free(run);
    rft_str_clear(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_have_the_height_of_their_values),
        cmocka_unit_test(columns_are_those_of_a_terminal),
        cmocka_unit_test(no_word_is_too_long),
        cmocka_unit_test(joints_give_way_before_words_do),
        cmocka_unit_test(lines_and_marks_lie_where_they_should),
        cmocka_unit_test(recordings_are_readable),
        cmocka_unit_test(poor_runs_are_sound),
        cmocka_unit_test(foreign_names_keep_the_columns),
        cmocka_unit_test(failures_are_counted),
        cmocka_unit_test(profiles_are_the_best_over_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
