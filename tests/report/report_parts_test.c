/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces a page is made of: figures, characters, axes, labels. */
#include "reports/figures.h"
#include "reports/page/axis.h"
#include "reports/page/font.h"
#include "reports/page/label.h"
#include "reports/page/pen.h"
#include "support/arena_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_figures_have_three_digits(void **state) {
    rft_arena *arena = *state;
    assert_string_equal(rft_figure_plain(arena, 4.0499, 3), "4.05");
    assert_string_equal(rft_figure_plain(arena, 40.499, 3), "40.5");
    assert_string_equal(rft_figure_plain(arena, 404.99, 3), "405");
    assert_string_equal(rft_figure_plain(arena, 40499, 3), "40500");
    assert_string_equal(rft_figure_plain(arena, 9.996, 3), "10.0");
    assert_string_equal(rft_figure_plain(arena, 0.99951, 3), "1.00");
    assert_string_equal(rft_figure_plain(arena, 0.012345, 3), "0.0123");
    assert_string_equal(rft_figure_plain(arena, 0, 3), "0");
    assert_string_equal(rft_figure_plain(arena, -2.5, 2), "-2.5");
    assert_string_equal(rft_figure_si(arena, 4.31e12, "B/s"), "4.31 TB/s");
    assert_string_equal(rft_figure_si(arena, 2.72e-6, "s"), "2.72 us");
    assert_string_equal(rft_figure_percent(arena, 0.6734), "67.3 %");
    assert_string_equal(rft_figure_ratio(arena, 1.5), "1.50\xc3\x97");
    assert_string_equal(rft_figure_small(arena, 1.2e-6, 2), "1.2e-6");
    assert_string_equal(rft_figure_small(arena, 0.02, 2), "0.020");
}

static void test_absent_is_not_zero(void **state) {
    rft_arena *arena = *state;
    assert_string_equal(rft_figure_plain(arena, NAN, 3), "n/a");
    assert_string_equal(rft_figure_si(arena, NAN, "B/s"), "n/a");
    assert_string_equal(rft_figure_percent(arena, NAN), "n/a");
    assert_string_equal(rft_figure_ratio(arena, NAN), "n/a");
    assert_string_equal(rft_figure_bytes(arena, -1), "n/a");
    assert_string_equal(rft_figure_date(arena, 0), "unknown");
}

static void test_column_scale_suits_the_median(void **state) {
    const double rates[] = {NAN, 3.9e12, 4.2e12, 8e11};
    rft_figure_scale scale = rft_figure_scale_of(*state, rates, 4, "B/s");
    assert_string_equal(scale.unit, "TB/s");
    assert_true(scale.factor == 1e12);
    const double times[] = {4e-6, 35e-6, 500e-6};
    assert_string_equal(rft_figure_scale_of(*state, times, 3, "s").unit, "us");
    assert_string_equal(rft_figure_scale_of(*state, times, 0, "s").unit, "s");
}

static void test_characters_are_kept_spelled_or_replaced(void **state) {
    rft_arena *arena = *state;
    size_t replaced = 0;
    assert_string_equal(rft_font_encode(arena, "\xc2\xb1 \xc2\xb5 \xc3\x97 \xe2\x80\x93", &replaced),
                        "\xb1 \xb5 \xd7 \x96");
    assert_string_equal(rft_font_encode(arena, "a\tb\nc", &replaced), "a b c");
    assert_string_equal(rft_font_encode(arena, "\xe2\x89\xa5 \xe2\x86\x92 \xce\xbc", &replaced), ">= -> \xb5");
    assert_int_equal(replaced, 0);
    assert_string_equal(rft_font_encode(arena, "\xe8\xa1\x8c", &replaced), "?");
    assert_int_equal(replaced, 1);
    /* Not UTF-8: a lone continuation byte, an overlong slash, a cut character, a byte that never occurs. */
    assert_string_equal(rft_font_encode(arena, "\x80", &replaced), "?");
    assert_string_equal(rft_font_encode(arena, "\xc0\xaf", &replaced), "??");
    assert_string_equal(rft_font_encode(arena, "\xe8\xa1", &replaced), "??");
    assert_string_equal(rft_font_encode(arena,
                                        "\xff"
                                        "x",
                                        &replaced),
                        "?x");
    assert_string_equal(rft_font_encode(arena, NULL, &replaced), "");
    assert_string_equal(rft_font_decode(arena, "\xb1\x85", 2), "\xc2\xb1\xe2\x80\xa6");
}

static void test_wrapping_keeps_words_and_breaks_what_must(void **state) {
    rft_pen pen = {.arena = *state};
    rft_pen_style style = {RFT_FONT_MONO, 10, 0}; /* 6 points a character */
    rft_lines lines = rft_pen_wrap(&pen, &style, "one two three", 8 * 6);
    assert_int_equal(lines.count, 2);
    assert_int_equal(lines.items[0].length, 7);
    assert_memory_equal(lines.items[0].text, "one two", 7);
    lines = rft_pen_wrap(&pen, &style, "abcdefghijklmnop", 5 * 6);
    assert_int_equal(lines.count, 4);
    lines = rft_pen_wrap(&pen, &style, "up to 90 % of it", 8 * 6);
    assert_memory_equal(lines.items[1].text, "90 % of", 7);
    assert_int_equal(rft_pen_wrap(&pen, &style, "", 30).count, 1);
    lines = rft_pen_wrap(&pen, &style, "a b c d e f g h", 6);
    rft_pen_shorten(&pen, &style, &lines, 2, 6 * 3);
    assert_int_equal(lines.count, 2);
    assert_int_equal((unsigned char)lines.items[1].text[lines.items[1].length - 1], 0x85);
}

static void test_log_axis_has_decades_and_minor_ticks(void **state) {
    rft_chart_axis spec = {.log = true, .low = 1, .high = 1000};
    rft_plot_axis axis = rft_axis_fit(&spec, NAN, NAN);
    axis.start = 0;
    axis.end = 150; /* too narrow for more than the decades */
    rft_ticks ticks = rft_axis_ticks(&spec, &axis, 30, *state);
    size_t labelled = 0, minor = 0;
    for (size_t i = 0; i < ticks.count; i++) {
        labelled += ticks.items[i].label != NULL;
        minor += ticks.items[i].label == NULL;
    }
    assert_int_equal(labelled, 4);
    assert_int_equal(minor, 24);
    assert_true(fabs(rft_axis_at(&axis, 10) - 50) < 1e-9);
    assert_true(isnan(rft_axis_at(&axis, 0)));
}

static void test_axis_of_one_value_is_not_empty(void **state) {
    (void)state;
    rft_chart_axis log_spec = {.log = true, .low = NAN, .high = NAN}, spec = {.low = NAN, .high = NAN};
    const double values[] = {4096, 0, -3, 1e-12};
    for (size_t i = 0; i < 4; i++) {
        rft_plot_axis axis = rft_axis_fit(&spec, values[i], values[i]);
        assert_true(axis.low < axis.high);
        axis = rft_axis_fit(&log_spec, values[i], values[i]);
        assert_true(axis.low < axis.high && axis.low > 0);
    }
    rft_plot_axis axis = rft_axis_fit(&log_spec, NAN, NAN);
    assert_true(axis.low < axis.high);
}

static void test_axis_labels(void **state) {
    rft_arena *arena = *state;
    assert_string_equal(rft_axis_label(0.1 + 0.2, arena), "0.3");
    assert_string_equal(rft_axis_label(4096, arena), "4096");
    assert_string_equal(rft_axis_label(1048576, arena), "2^20");
    assert_string_equal(rft_axis_label(1500000, arena), "1.5M");
    assert_string_equal(rft_axis_label(-0.0, arena), "0");
    assert_string_equal(rft_axis_label(0.001, arena), "0.001");
}

static void test_boxes_meet_only_when_they_do(void **state) {
    (void)state;
    rft_quad a = rft_quad_of_rect(&(rft_rect){0, 0, 10, 10}), b = rft_quad_of_rect(&(rft_rect){9, 9, 5, 5});
    rft_quad touching = rft_quad_of_rect(&(rft_rect){10, 0, 5, 5});
    assert_true(rft_quad_meets(&a, &b));
    assert_false(rft_quad_meets(&a, &touching));
    /* A diamond past the corner: bounding boxes meet, the shapes do not. */
    rft_quad diamond = {{{14, 4}, {24, 14}, {14, 24}, {4, 14}}};
    rft_quad corner = rft_quad_of_rect(&(rft_rect){0, 0, 8, 8});
    assert_false(rft_quad_meets(&corner, &diamond));
}

static void test_labels_never_cover_each_other(void **state) {
    rft_label_field field = {.bounds = {0, 0, 100, 40}, .arena = *state};
    /* Four labels of 40 x 9 that all want the same corner and may go to a few other places. */
    rft_label_spot spots[] = {{.at = {5, 10}}, {.at = {50, 10}}, {.at = {5, 25}}, {.at = {95, 10}}};
    rft_label_spots places = {spots, 4};
    size_t chosen[4];
    for (int i = 0; i < 3; i++) {
        assert_true(rft_label_place(&field, 40, 8, &places, false, &chosen[i]));
        for (int k = 0; k < i; k++) {
            assert_int_not_equal(chosen[i], chosen[k]);
        }
    }
    /* The last place is outside. */
    assert_false(rft_label_place(&field, 40, 8, &places, false, &chosen[3]));
}

/* Where a key can have the name, its leader crosses no other label. */
static void test_a_leader_crosses_no_label_where_a_key_is(void **state) {
    size_t chosen;
    for (int clear = 0; clear < 2; clear++) {
        rft_label_field field = {.bounds = {0, 0, 100, 100}, .arena = *state};
        rft_label_spot between = {.at = {30, 50}}, below = {.at = {30, 90}, .tied = true, .tie = {50, 10}};
        rft_label_spots first = {&between, 1}, second = {&below, 1};
        assert_true(rft_label_place(&field, 40, 8, &first, clear, &chosen));
        assert_true(rft_label_place(&field, 40, 8, &second, clear, &chosen) == !clear);
    }
}

int main(void) {
#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, arena_begin, arena_end)
    const struct CMUnitTest tests[] = {
        WITH_ARENA(test_figures_have_three_digits),
        WITH_ARENA(test_absent_is_not_zero),
        WITH_ARENA(test_column_scale_suits_the_median),
        WITH_ARENA(test_characters_are_kept_spelled_or_replaced),
        WITH_ARENA(test_wrapping_keeps_words_and_breaks_what_must),
        WITH_ARENA(test_log_axis_has_decades_and_minor_ticks),
        WITH_ARENA(test_axis_of_one_value_is_not_empty),
        WITH_ARENA(test_axis_labels),
        WITH_ARENA(test_boxes_meet_only_when_they_do),
        WITH_ARENA(test_labels_never_cover_each_other),
        WITH_ARENA(test_a_leader_crosses_no_label_where_a_key_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
