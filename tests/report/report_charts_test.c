/* SPDX-License-Identifier: Apache-2.0 */
/* The chart kit, each kind by its trace: nothing overlaps or leaves the page, and marks stand where their values say.
 */
#include "report/trace_pages.h"
#include "reports/page/page.h"
#include "reports/page/pen.h"
#include "support/arena_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static rft_doc *new_doc(rft_arena *arena) {
    rft_doc *doc = rft_arena_calloc(arena, 1, sizeof *doc);
    doc->arena = arena;
    doc->title = doc->subject = doc->keywords = doc->creator = "charts";
    doc->footer_left = "foot";
    return doc;
}

/* Draws, checks that it is sound, and returns what was drawn. */
static trace_pages drawn(rft_doc *doc) {
    rft_canvas canvas = {0};
    rft_err err = RFT_ERR_INIT;
    rft_str raw = RFT_STR_INIT;
    assert_int_equal(rft_canvas_trace_new(&canvas, &err), 0);
    rft_page_layout(doc, &canvas);
    assert_int_equal(rft_canvas_finish(&canvas, &raw, &err), 0);
    rft_canvas_free(&canvas);
    trace_pages pages = trace_read(&raw);
    trace_assert_sound(&pages);
    return pages;
}

static size_t count_of(const trace_pages *pages, const char *operation) {
    size_t count = 0, length = strlen(operation);
    for (const char *line = rft_str_get(&pages->raw); line; line = strchr(line, '\n')) {
        line += *line == '\n';
        count += strncmp(line, operation, length) == 0;
        if (!*line) {
            break;
        }
    }
    return count;
}

static const trace_text *text_of(const trace_pages *pages, const char *text) {
    for (size_t i = 0; i < pages->count; i++) {
        if (strcmp(pages->texts[i].text, text) == 0) {
            return &pages->texts[i];
        }
    }
    fail_msg("nothing says \"%s\"", text);
    return NULL;
}

static void name_axis(rft_arena *arena, rft_chart_axis *axis, const char *title, size_t count) {
    *axis = (rft_chart_axis){.title = title, .low = NAN, .high = NAN, .name_count = count};
    axis->names = rft_arena_calloc(arena, count, sizeof *axis->names);
    for (size_t i = 0; i < count; i++) {
        axis->names[i] = rft_arena_printf(arena, "%zu", (size_t)1 << i);
    }
}

/* A map of columns x rows whose values grow to the upper right; the last cell is empty. */
static rft_chart *map_of(rft_doc *doc, size_t columns, size_t rows) {
    rft_chart *chart = rft_chart_new(doc->arena, "Best rate", 150);
    name_axis(doc->arena, &chart->x, "TILE_M", columns);
    name_axis(doc->arena, &chart->y, "TILE_N", rows);
    rft_series *cells = rft_chart_series(doc->arena, chart, RFT_SERIES_CELLS, columns * rows);
    cells->label = "TFLOP/s";
    for (size_t i = 0; i < cells->count; i++) {
        cells->x[i] = (double)(i % columns);
        cells->y[i] = (double)(i / columns);
        if (i + 1 < cells->count) {
            cells->y2[i] = 10 + (double)i;
            cells->names[i] = rft_arena_printf(doc->arena, "%zu.0", 10 + i);
        }
    }
    return chart;
}

static void test_heat_map_has_its_numbers_and_its_scale(void **state) {
    rft_doc *doc = new_doc(*state);
    rft_chart *charts[2] = {map_of(doc, 4, 3), map_of(doc, 24, 24)};
    rft_doc_charts(doc, charts, 2);
    trace_pages pages = drawn(doc);
    /* Upwards and to the right: 17 ends the row that 14 begins, 18 stands above 14. */
    const trace_text *first = text_of(&pages, "14.0"), *right = text_of(&pages, "17.0"),
                     *above = text_of(&pages, "18.0");
    assert_true(right->x > first->x && fabs(right->y - first->y) < 0.1);
    assert_true(above->y < first->y && fabs(above->x - first->x) < 0.1);
    text_of(&pages, "20.0 TFLOP/s"); /* the scale ends at the largest value: the last cell is empty */
    /* 24 x 24 small cells: no numbers in them, and not every name on the axis. */
    assert_null(strstr(pages.joined, "450.0"));
    assert_true(count_of(&pages, "rect ") >= 11 + 575);
    trace_clear(&pages);
}

static void test_bars_have_values_and_intervals(void **state) {
    rft_doc *doc = new_doc(*state);
    rft_chart *chart = rft_chart_new(doc->arena, "ladder", 150);
    name_axis(doc->arena, &chart->x, NULL, 3);
    chart->x.names_wrap = true;
    chart->x.names[0] = "a variant with a name that needs two lines and is still too long for them all";
    rft_series *bars = rft_chart_series(doc->arena, chart, RFT_SERIES_BARS, 3);
    rft_series *whiskers = rft_chart_series(doc->arena, chart, RFT_SERIES_WHISKERS, 3);
    bars = &chart->series[0];
    static const double values[] = {1, 40, 80};
    for (int i = 0; i < 3; i++) {
        bars->x[i] = i - 0.3;
        bars->x2[i] = i + 0.3;
        bars->y[i] = values[i];
        bars->names[i] = rft_arena_printf(doc->arena, "v%d", i);
        whiskers->x[i] = i;
        whiskers->y[i] = values[i] * 0.9;
        whiskers->y2[i] = values[i] * 1.1;
    }
    chart->y = (rft_chart_axis){.title = "useful rate (TFLOP/s)", .low = 0, .high = 100};
    rft_doc_charts(doc, &chart, 1);
    trace_pages pages = drawn(doc);
    const trace_text *low = text_of(&pages, "v0"), *middle = text_of(&pages, "v1"), *high = text_of(&pages, "v2");
    assert_true(low->y > middle->y && middle->y > high->y);
    text_of(&pages, "useful rate (TFLOP/s)");
    trace_clear(&pages);
}

/* Nine variants: three lines each, whole, beside each other; more of them upright, with their second line. */
static void test_many_names_are_read_whole(void **state) {
    (void)state;
    for (int upright = 0; upright < 2; upright++) {
        rft_arena *arena = rft_arena_new();
        rft_doc *doc = new_doc(arena);
        rft_chart *chart = rft_chart_new(doc->arena, "bars", 150);
        size_t count = upright ? 27 : 9;
        name_axis(arena, &chart->x, NULL, count);
        chart->x.names_wrap = !upright;
        chart->x.names_upright = upright;
        chart->x.sub_names = upright ? rft_arena_calloc(arena, count, sizeof(const char *)) : NULL;
        rft_series *bars = rft_chart_series(doc->arena, chart, RFT_SERIES_BARS, count);
        for (size_t i = 0; i < count; i++) {
            chart->x.names[i] = "rows by teams, L2 hints";
            if (upright) {
                chart->x.sub_names[i] = "97 %";
            }
            bars->x[i] = (double)i - 0.3;
            bars->x2[i] = (double)i + 0.3;
            bars->y[i] = 4;
        }
        rft_doc_charts(doc, &chart, 1);
        rft_doc_text(doc, RFT_TEXT_NOTE, "what follows");
        trace_pages pages = drawn(doc);
        size_t found = 0;
        for (size_t i = 0; i < pages.count; i++) {
            found += strcmp(pages.texts[i].text, upright ? "rows by teams, L2 hints   97 %" : "hints") == 0;
        }
        assert_int_equal(found, count);
        assert_true(text_of(&pages, upright ? "rows by teams, L2 hints   97 %" : "hints")->y <
                    text_of(&pages, "what follows")->y - 6);
        trace_clear(&pages);
        rft_arena_free(arena);
    }
}

/* 50,000 points: cells of grey, no more of them than the chart has room for. */
static void test_many_points_become_density(void **state) {
    rft_doc *doc = new_doc(*state);
    rft_chart *chart = rft_chart_new(doc->arena, "cloud", 200);
    rft_series *cloud = rft_chart_series(doc->arena, chart, RFT_SERIES_CLOUD, 50000);
    for (size_t i = 0; i < cloud->count; i++) {
        cloud->x[i] = 1 + (double)(i % 997);
        cloud->y[i] = 1 + (double)(i * 7919 % 1009);
    }
    rft_series *best = rft_chart_series(doc->arena, chart, RFT_SERIES_DOTS, 1);
    best->bold = true;
    best->x[0] = 500;
    best->y[0] = 1009;
    best->names[0] = "the best";
    rft_doc_charts(doc, &chart, 1);
    trace_pages pages = drawn(doc);
    size_t rects = count_of(&pages, "rect ");
    assert_true(rects > 1000 && rects < 15000);
    text_of(&pages, "the best");
    trace_clear(&pages);
}

/* Labels of lines that all but coincide stand apart; a full chart sends what has no place to the key. */
static void test_labels_of_close_lines_stand_apart(void **state) {
    rft_doc *doc = new_doc(*state);
    rft_chart *chart = rft_chart_new(doc->arena, "lines", 160);
    for (int i = 0; i < 9; i++) {
        rft_series *line = rft_chart_series(doc->arena, chart, RFT_SERIES_LINE, 2);
        line->label = rft_arena_printf(doc->arena, "a ceiling with a long name, number %d, 65.4 TFLOP/s", i);
        line->x[0] = 0;
        line->x[1] = 10;
        line->y[0] = line->y[1] = 50 + 0.2 * i;
    }
    chart->y = (rft_chart_axis){.title = "y", .low = 0, .high = 60};
    rft_doc_charts(doc, &chart, 1);
    trace_pages pages = drawn(doc);
    for (int i = 0; i < 9; i++) {
        text_of(&pages, rft_arena_printf(doc->arena, "a ceiling with a long name, number %d, 65.4 TFLOP/s", i));
    }
    trace_clear(&pages);
}

/* Whatever its span: an axis once had none where a number's room came out as less than nothing. Values that all but
 * coincide are no cliff: the axis goes beyond their last digits. */
static void test_axes_of_numbers_have_numbers(void **state) {
    rft_doc *doc = new_doc(*state);
    rft_chart *chart = rft_chart_new(doc->arena, "along n", 160);
    static double ticks[] = {1024, 4096, 16384};
    rft_series *line = rft_chart_series(doc->arena, chart, RFT_SERIES_LINE, 3);
    for (int i = 0; i < 3; i++) {
        line->x[i] = ticks[i];
        line->y[i] = 455.5 + 0.001 * i;
    }
    chart->x = (rft_chart_axis){
        .title = "n", .low = NAN, .high = NAN, .log = true, .ticks = ticks, .tick_count = sizeof ticks / sizeof *ticks};
    chart->y = (rft_chart_axis){.title = "GB/s", .low = NAN, .high = NAN};
    rft_doc_charts(doc, &chart, 1);
    trace_pages pages = drawn(doc);
    text_of(&pages, "1024");
    text_of(&pages, "16384");
    assert_false(trace_says(&pages, "455.5"));
    trace_clear(&pages);
}

/* Marks of a chart by their outlines: corners, where the first one points, and the rings that lie in each other. */
static void describe_mark(const trace_pages *pages, size_t *at, char *out, size_t size) {
    const trace_mark *outer = &pages->marks[*at];
    double middle_x = (outer->box.corners[0].x + outer->box.corners[1].x) / 2;
    double least = INFINITY, most = 0, edge = 0, whole = outer->box.corners[1].x - outer->box.corners[0].x;
    size_t rings = 0;
    for (; *at < pages->mark_count; (*at)++) {
        const trace_mark *ring = &pages->marks[*at];
        double middle = (ring->box.corners[0].x + ring->box.corners[1].x) / 2;
        double width = ring->box.corners[1].x - ring->box.corners[0].x;
        if (fabs(middle - middle_x) > 1 || ring->corners != outer->corners) {
            break;
        }
        least = fmin(least, width);
        most = fmax(most, width);
        edge = rings == 1 ? width : edge; /* behind the white around it */
        rings++;
    }
    bool hollow = least < 0.65 * edge;
    double turn = atan2(outer->spots[0].y - (outer->box.corners[0].y + outer->box.corners[2].y) / 2,
                        outer->spots[0].x - middle_x);
    snprintf(out, size, "%zu corners, first at %.0f, %s", outer->corners, turn * 180 / 3.14159,
             hollow ? "hollow" : "filled");
    assert_true(rings >= 2 && most <= whole + 0.01);
}

/* In grey, too: by shape, and by being filled or not. */
static void test_sixteen_series_have_sixteen_marks(void **state) {
    rft_doc *doc = new_doc(*state);
    rft_chart *chart = rft_chart_new(doc->arena, "sixteen", 160);
    for (size_t s = 0; s < RFT_TONES; s++) {
        rft_series *dots = rft_chart_series(doc->arena, chart, RFT_SERIES_DOTS, 1);
        dots->tone = rft_tone_of(s);
        dots->x[0] = (double)s;
        dots->y[0] = 1;
    }
    rft_doc_charts(doc, &chart, 1);
    trace_pages pages = drawn(doc);
    char looks[RFT_TONES][64];
    size_t at = 0;
    for (size_t s = 0; s < RFT_TONES; s++) {
        describe_mark(&pages, &at, looks[s], sizeof looks[s]);
        for (size_t k = 0; k < s; k++) {
            if (strcmp(looks[k], looks[s]) == 0) {
                fail_msg("series %zu and %zu look alike: %s", k, s, looks[s]);
            }
        }
    }
    assert_int_equal(at, pages.mark_count);
    trace_clear(&pages);
}

/* Lines of one colour: one is solid, the other dotted. */
static void test_lines_of_a_colour_differ(void **state) {
    (void)state;
    for (size_t s = 0; s < RFT_TONES; s++) {
        for (size_t k = 0; k < s; k++) {
            rft_stroke one = {0}, other = {0};
            rft_pen_dashes(rft_tone_of(s), true, &one);
            rft_pen_dashes(rft_tone_of(k), true, &other);
            assert_true(rft_pen_tone(rft_tone_of(s)) != rft_pen_tone(rft_tone_of(k)) || one.dash_on != other.dash_on);
            rft_pen_dashes(rft_tone_of(s), false, &one);
            rft_pen_dashes(rft_tone_of(k), false, &other);
            assert_true(one.dash_on != other.dash_on || one.dash_off != other.dash_off);
        }
    }
}

/* Of many lines all names are in the key, each beside its mark: in the chart it is not seen whose they are. */
static void test_names_of_many_marked_lines_are_in_the_key(void **state) {
    for (int many = 0; many < 2; many++) {
        rft_doc *doc = new_doc(*state);
        rft_chart *chart = rft_chart_new(doc->arena, "lines", 160);
        const int lines = many ? 7 : 6;
        for (int i = 0; i < lines; i++) {
            rft_series *line = rft_chart_series(doc->arena, chart, RFT_SERIES_LINE, 2);
            line->tone = rft_tone_of((size_t)i);
            line->marks = true;
            line->label = rft_arena_printf(doc->arena, "variant %d", i);
            line->x[0] = 0;
            line->x[1] = 10;
            line->y[0] = line->y[1] = 10 + 10 * i;
        }
        chart->y = (rft_chart_axis){.title = "y", .low = 0, .high = 90};
        rft_doc_charts(doc, &chart, 1);
        trace_pages pages = drawn(doc);
        const double foot = text_of(&pages, "0")->y;
        for (int i = 0; i < lines; i++) {
            const trace_text *name = text_of(&pages, rft_arena_printf(doc->arena, "variant %d", i));
            assert_true(many == (name->y > foot));
        }
        trace_clear(&pages);
    }
}

/* Names of marks between bars, ranges and whiskers: none lies on any, what has no place is in the key. */
static void test_labels_stay_off_marks(void **state) {
    rft_doc *doc = new_doc(*state);
    rft_chart *chart = rft_chart_new(doc->arena, "crowd", 150);
    name_axis(doc->arena, &chart->x, NULL, 12);
    rft_series *bars = rft_chart_series(doc->arena, chart, RFT_SERIES_BARS, 12);
    for (int i = 0; i < 12; i++) {
        bars->x[i] = i - 0.3;
        bars->x2[i] = i + 0.3;
        bars->y[i] = 60 + 3 * i;
    }
    rft_series *dots = rft_chart_series(doc->arena, chart, RFT_SERIES_DOTS, 12);
    for (int i = 0; i < 12; i++) {
        dots->x[i] = i;
        dots->y[i] = 70;
        dots->names[i] = rft_arena_printf(doc->arena, "the library %d", i);
    }
    chart->y = (rft_chart_axis){.title = "%", .low = 0, .high = 110};
    rft_doc_charts(doc, &chart, 1);
    trace_pages pages = drawn(doc); /* asserts it of marks */
    for (int i = 0; i < 12; i++) {
        const trace_text *name = text_of(&pages, rft_arena_printf(doc->arena, "the library %d", i));
        for (const char *line = strstr(rft_str_get(&pages.raw), "rect "); line; line = strstr(line + 1, "\nrect ")) {
            rft_rect bar;
            line += *line == '\n';
            assert_int_equal(sscanf(line, "rect %lf %lf %lf %lf", &bar.x, &bar.y, &bar.width, &bar.height), 4);
            rft_quad quad = rft_quad_of_rect(&bar);
            assert_false(rft_quad_meets(&name->box, &quad));
        }
    }
    trace_clear(&pages);
}

/* The middle of three is too narrow for its name: a number in its place, the name in the key. */
static void test_narrow_bands_are_named_too(void **state) {
    rft_doc *doc = new_doc(*state);
    rft_chart *chart = rft_chart_new(doc->arena, "bands", 150);
    static const double edges[] = {0, 50, 54, 100};
    static const char *const names[] = {"dram", "FP16 tensor", "power"};
    rft_series *bands = rft_chart_series(doc->arena, chart, RFT_SERIES_BAND, 3);
    for (int i = 0; i < 3; i++) {
        bands->x[i] = edges[i];
        bands->x2[i] = edges[i + 1];
        bands->names[i] = names[i];
    }
    rft_series *line = rft_chart_series(doc->arena, chart, RFT_SERIES_LINE, 2);
    line->x[0] = 0, line->x[1] = 100;
    line->y[0] = 1, line->y[1] = 2;
    rft_doc_charts(doc, &chart, 1);
    trace_pages pages = drawn(doc);
    const trace_text *left = text_of(&pages, "dram"), *number = text_of(&pages, "2"), *right = text_of(&pages, "power");
    assert_true(left->x < number->x && number->x < right->x && fabs(left->y - number->y) < 0.1);
    assert_true(text_of(&pages, "2: FP16 tensor")->y > number->y + 50);
    trace_clear(&pages);
}

/* 100.4 % and 101 %: what is over the limit stands out by itself, above the line at the limit. */
static void test_bars_over_their_limit_show_it(void **state) {
    rft_doc *doc = new_doc(*state);
    rft_chart *chart = rft_chart_new(doc->arena, "cover", 140);
    static const double values[] = {97, 100.4, 101};
    rft_series *bars = rft_chart_series(doc->arena, chart, RFT_SERIES_BARS, 3);
    for (int i = 0; i < 3; i++) {
        bars->x[i] = i - 0.3;
        bars->x2[i] = i + 0.3;
        bars->y[i] = values[i];
        bars->y2[i] = 100;
    }
    chart->y = (rft_chart_axis){.title = "% of ceiling", .low = 0, .high = 110};
    rft_doc_charts(doc, &chart, 1);
    trace_pages pages = drawn(doc);
    size_t over = 0;
    double limit = NAN;
    for (const char *line = strstr(rft_str_get(&pages.raw), "rect "); line; line = strstr(line + 1, "rect ")) {
        rft_rect rect;
        assert_int_equal(sscanf(line, "rect %lf %lf %lf %lf", &rect.x, &rect.y, &rect.width, &rect.height), 4);
        if (rect.height < 20 && rect.height >= 2.99) {
            assert_true(isnan(limit) || fabs(limit - rect.y - rect.height) < 0.1); /* both stand on the limit */
            limit = rect.y + rect.height;
            over++;
        }
    }
    assert_int_equal(over, 2);
    trace_clear(&pages);
}

static void test_four_charts_stand_in_a_row(void **state) {
    rft_doc *doc = new_doc(*state);
    rft_chart *charts[4];
    for (size_t k = 0; k < 4; k++) {
        charts[k] = rft_chart_new(doc->arena, "", 108);
        name_axis(doc->arena, &charts[k]->x, "PARAMETER", 4);
        charts[k]->x.sub_names = charts[k]->x.names;
        charts[k]->x.sub_title = "n";
        rft_series *line = rft_chart_series(doc->arena, charts[k], RFT_SERIES_LINE, 4);
        line->marks = true;
        for (int i = 0; i < 4; i++) {
            line->x[i] = i;
            line->y[i] = 40 + i;
        }
    }
    rft_doc_charts(doc, charts, 4);
    trace_pages pages = drawn(doc);
    size_t titles = 0;
    double y = NAN;
    for (size_t i = 0; i < pages.count; i++) {
        if (strcmp(pages.texts[i].text, "PARAMETER") == 0) {
            assert_true(isnan(y) || fabs(y - pages.texts[i].y) < 0.1);
            y = pages.texts[i].y;
            titles++;
        }
    }
    assert_int_equal(titles, 4);
    trace_clear(&pages);
}

/* A table whose last row and note would stand alone takes a row more with it; short notes stand beside each other. */
static void test_no_row_or_note_stands_alone(void **state) {
    for (size_t rows = 30; rows < 60; rows++) {
        rft_arena *arena = rft_arena_new();
        rft_doc *doc = new_doc(arena);
        const rft_column columns[] = {{.title = "row"}, {.title = "value"}};
        rft_table *table = rft_doc_table(doc, columns, 2);
        for (size_t i = 0; i < rows; i++) {
            rft_doc_pair(doc, table, i + 1 == rows ? "last row" : "row", "1");
        }
        rft_doc_text(doc, RFT_TEXT_NOTE, "what it means");
        trace_pages pages = drawn(doc);
        const trace_text *last = text_of(&pages, "last row"), *note = text_of(&pages, "what it means");
        assert_int_equal(last->page, note->page);
        size_t beside = 0;
        for (size_t i = 0; i < pages.count; i++) {
            beside += pages.texts[i].page == last->page && strstr(pages.texts[i].text, "row") != NULL;
        }
        assert_true(beside >= 3); /* the header's title, and two rows */
        trace_clear(&pages);
        rft_arena_free(arena);
    }
    (void)state;
}

/* Wherever on the page it comes: a heading, the notes below it, the chart and the note that explains the chart. */
static void test_heading_chart_and_note_stay_together(void **state) {
    for (int lines = 20; lines < 75; lines++) {
        rft_arena *arena = rft_arena_new();
        rft_doc *doc = new_doc(arena);
        for (int i = 0; i < lines; i++) {
            rft_doc_text(doc, RFT_TEXT_NOTE, "filler");
        }
        rft_doc_heading(doc, 2, "The heading", NULL);
        rft_doc_text(doc, RFT_TEXT_NOTE, "An introduction.");
        rft_doc_text(doc, RFT_TEXT_NOTE, "One more of them.");
        rft_chart *chart = map_of(doc, 4, 3);
        rft_doc_charts(doc, &chart, 1);
        rft_doc_text(doc, RFT_TEXT_NOTE, "What the cells are.");
        trace_pages pages = drawn(doc);
        int page = text_of(&pages, "Best rate")->page;
        assert_int_equal(text_of(&pages, "The heading")->page, page);
        assert_int_equal(text_of(&pages, "One more of them.")->page, page);
        assert_int_equal(text_of(&pages, "What the cells are.")->page, page);
        trace_clear(&pages);
        rft_arena_free(arena);
    }
    (void)state;
}

static void test_short_notes_share_a_line(void **state) {
    rft_doc *doc = new_doc(*state);
    const rft_column columns[] = {{.title = "name"}, {.title = "value"}};
    rft_table *table = rft_doc_table(doc, columns, 2);
    for (int i = 0; i < 7; i++) {
        const char *note = rft_doc_note(doc, table, rft_arena_printf(doc->arena, "note %d", i));
        rft_doc_pair(doc, table, "x", note);
    }
    trace_pages pages = drawn(doc);
    assert_true(fabs(text_of(&pages, "note 0")->y - text_of(&pages, "note 2")->y) < 0.1);
    assert_true(text_of(&pages, "note 3")->y > text_of(&pages, "note 2")->y + 5);
    trace_clear(&pages);
}

int main(void) {
#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, arena_begin, arena_end)
    const struct CMUnitTest tests[] = {
        WITH_ARENA(test_heat_map_has_its_numbers_and_its_scale),
        WITH_ARENA(test_bars_have_values_and_intervals),
        WITH_ARENA(test_many_names_are_read_whole),
        WITH_ARENA(test_many_points_become_density),
        WITH_ARENA(test_labels_of_close_lines_stand_apart),
        WITH_ARENA(test_axes_of_numbers_have_numbers),
        WITH_ARENA(test_sixteen_series_have_sixteen_marks),
        WITH_ARENA(test_lines_of_a_colour_differ),
        WITH_ARENA(test_names_of_many_marked_lines_are_in_the_key),
        WITH_ARENA(test_labels_stay_off_marks),
        WITH_ARENA(test_bars_over_their_limit_show_it),
        WITH_ARENA(test_narrow_bands_are_named_too),
        WITH_ARENA(test_four_charts_stand_in_a_row),
        WITH_ARENA(test_no_row_or_note_stands_alone),
        WITH_ARENA(test_heading_chart_and_note_stay_together),
        WITH_ARENA(test_short_notes_share_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
