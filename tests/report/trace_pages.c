/* SPDX-License-Identifier: Apache-2.0 */
#include "report/trace_pages.h"

#include "base/arena.h"
#include "reports/page/page.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOOTER_TOP (RFT_PAGE_HEIGHT - 60.0)

/* `cell`: of the line before; cleared. */
static void add_text(trace_pages *pages, const char *line, rft_rect *cell) {
    char font[16];
    int used = 0;
    RFT_GROW(pages->texts, pages->capacity, pages->count + 1);
    trace_text *text = &pages->texts[pages->count++];
    memset(text, 0, sizeof *text);
    text->page = pages->pages;
    text->cell = *cell;
    *cell = (rft_rect){0};
    int read = sscanf(line, "text %lf %lf %lf %lf %15s %lf |%n", &text->x, &text->y, &text->width, &text->size, font,
                      &text->angle, &used);
    assert_int_equal(read, 6);
    assert_true(used > 0);
    snprintf(text->text, sizeof text->text, "%s", line + used);
    rft_text_run run = {.x = text->x, .y = text->y, .angle = text->angle, .size = text->size};
    text->box = rft_quad_of_text(&run, text->width);
}

static void add_mark(trace_pages *pages, const char *line) {
    RFT_GROW(pages->marks, pages->mark_capacity, pages->mark_count + 1);
    trace_mark *mark = &pages->marks[pages->mark_count++];
    *mark = (trace_mark){.page = pages->pages};
    double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
    char *end = NULL;
    for (const char *at = line + strlen("area "); mark->corners < 16; at = end) {
        double x = strtod(at, &end), y = end == at ? 0 : strtod(end, &end);
        if (end == at) {
            break;
        }
        mark->spots[mark->corners++] = (rft_spot){x, y};
        left = fmin(left, x);
        right = fmax(right, x);
        top = fmin(top, y);
        bottom = fmax(bottom, y);
    }
    rft_rect box = {left, top, right - left, bottom - top};
    mark->box = rft_quad_of_rect(&box);
}

static void join_texts(trace_pages *pages) {
    rft_str all = RFT_STR_INIT;
    for (size_t i = 0; i < pages->count; i++) {
        rft_str_add(&all, pages->texts[i].text);
        rft_str_add_char(&all, ' ');
    }
    pages->joined = rft_str_take(&all);
}

trace_pages trace_of(const rft_run *run, const rft_report_opts *opts) {
    trace_pages pages = {0};
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_report_trace(run, opts, &pages.raw, &err), 0);
    return trace_read(&pages.raw);
}

trace_pages trace_read(rft_str *raw) {
    trace_pages pages = {.raw = *raw};
    *raw = (rft_str)RFT_STR_INIT;
    char *copy = rft_strdup(rft_str_get(&pages.raw)), *rest = NULL;
    rft_rect cell = {0};
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "page ", 5) == 0) {
            pages.pages++;
        } else if (strncmp(line, "text ", 5) == 0) {
            add_text(&pages, line, &cell);
        } else if (strncmp(line, "cell ", 5) == 0) {
            assert_int_equal(sscanf(line, "cell %lf %lf %lf %lf", &cell.x, &cell.y, &cell.width, &cell.height), 4);
        } else if (strncmp(line, "area ", 5) == 0) {
            add_mark(&pages, line);
        }
    }
    free(copy);
    join_texts(&pages);
    return pages;
}

void trace_clear(trace_pages *pages) {
    rft_str_clear(&pages->raw);
    free(pages->texts);
    free(pages->marks);
    free(pages->joined);
    memset(pages, 0, sizeof *pages);
}

bool trace_says(const trace_pages *pages, const char *text) {
    return strstr(pages->joined, text) != NULL;
}

bool trace_page_says(const trace_pages *pages, int page, const char *text) {
    rft_str all = RFT_STR_INIT;
    for (size_t i = 0; i < pages->count; i++) {
        if (pages->texts[i].page == page) {
            rft_str_add(&all, pages->texts[i].text);
            rft_str_add_char(&all, ' ');
        }
    }
    bool found = strstr(rft_str_get(&all), text) != NULL;
    rft_str_clear(&all);
    return found;
}

int trace_pages_saying(const trace_pages *pages, const char *text) {
    int found = 0, last = 0;
    for (size_t i = 0; i < pages->count; i++) {
        if (pages->texts[i].page != last && strstr(pages->texts[i].text, text)) {
            last = pages->texts[i].page;
            found++;
        }
    }
    return found;
}

/* Neither beside nor below what belongs to it: there its neighbour stands. */
static void assert_in_cell(const trace_text *text) {
    const rft_rect *cell = &text->cell;
    bool beside = text->x < cell->x - 0.1 || text->x + text->width > cell->x + cell->width + 0.1;
    if (cell->width > 0 && (beside || text->y < cell->y || text->y > cell->y + cell->height)) {
        fail_msg("page %d: \"%s\" from %.1f to %.1f at %.1f leaves its cell, %.1f to %.1f at %.1f", text->page,
                 text->text, text->x, text->x + text->width, text->y, cell->x, cell->x + cell->width, cell->y);
    }
}

void trace_assert_whole(const trace_pages *pages) {
    static const char ellipsis[] = "\xe2\x80\xa6";
    for (size_t i = 0; i < pages->count; i++) {
        const trace_text *text = &pages->texts[i];
        /* Behind a space it stands for values between: "1, 2, ... (20 in all)". */
        if (rft_text_ends(text->text, ellipsis) && !rft_text_ends(text->text, " \xe2\x80\xa6")) {
            fail_msg("page %d: \"%s\" is cut", text->page, text->text);
        }
    }
}

/* The lowest y of what an operation draws above the footer; 0: it draws nothing there. */
static double lowest_of(const char *line) {
    bool path = strncmp(line, "line ", 5) == 0 || strncmp(line, "area ", 5) == 0, box = strncmp(line, "rect ", 5) == 0;
    double lowest = 0, value[4] = {0};
    char *at = NULL;
    if (strncmp(line, "text ", 5) == 0 || box) {
        for (int i = 0; i < 4; i++) {
            value[i] = strtod(i ? at : line + 5, &at);
        }
        lowest = value[1] + (box ? value[3] : 0);
    }
    for (const char *next = line + 5; path && *next; next = at) {
        (void)strtod(next, &at);
        lowest = fmax(lowest, strtod(at, &at));
    }
    return lowest < FOOTER_TOP ? lowest : 0;
}

void trace_assert_filled(const trace_pages *pages) {
    char *copy = rft_strdup(rft_str_get(&pages->raw)), *rest = NULL;
    double lowest = INFINITY, least = RFT_PAGE_MARGIN + (FOOTER_TOP - RFT_PAGE_MARGIN) / 3;
    int page = 0;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "page ", 5) != 0) {
            lowest = fmax(lowest, lowest_of(line));
            continue;
        }
        if (lowest < least) {
            fail_msg("page %d of %d ends at %.0f: it is less than a third full", page, pages->pages, lowest);
        }
        lowest = 0;
        page++;
    }
    free(copy);
}

static void assert_inside(double x, double y, const char *what) {
    if (!(x >= 0 && x <= RFT_PAGE_WIDTH && y >= 0 && y <= RFT_PAGE_HEIGHT)) {
        fail_msg("outside the page at %d %d: %s", (int)x, (int)y, what);
    }
}

/* Coordinates of every line, area, rect and link. */
static void assert_shapes_inside(const trace_pages *pages) {
    char *copy = rft_strdup(rft_str_get(&pages->raw)), *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        bool path = strncmp(line, "line ", 5) == 0 || strncmp(line, "area ", 5) == 0;
        bool box = strncmp(line, "rect ", 5) == 0 || strncmp(line, "link ", 5) == 0;
        char *at = line + 5;
        while (path && *at) {
            double x = strtod(at, &at), y = strtod(at, &at);
            assert_inside(x, y, line);
        }
        if (box) {
            double x = strtod(at, &at), y = strtod(at, &at);
            assert_inside(x, y, line);
            double width = strtod(at, &at), height = strtod(at, &at);
            assert_true(width >= 0 && height >= 0);
            assert_inside(x + width, y + height, line);
        }
    }
    free(copy);
}

void trace_assert_sound(const trace_pages *pages) {
    for (size_t i = 0; i < pages->count; i++) {
        const trace_text *text = &pages->texts[i];
        for (int c = 0; c < 4; c++) {
            assert_inside(text->box.corners[c].x, text->box.corners[c].y, text->text);
        }
        assert_in_cell(text);
        for (size_t k = i + 1; k < pages->count && pages->texts[k].page == text->page; k++) {
            if (rft_quad_meets(&text->box, &pages->texts[k].box)) {
                fail_msg("page %d: \"%s\" at %d,%d lies on \"%s\" at %d,%d", text->page, pages->texts[k].text,
                         (int)pages->texts[k].x, (int)pages->texts[k].y, text->text, (int)text->x, (int)text->y);
            }
        }
    }
    for (size_t i = 0, m = 0; i < pages->count; i++) {
        while (m < pages->mark_count && pages->marks[m].page < pages->texts[i].page) {
            m++;
        }
        for (size_t k = m; k < pages->mark_count && pages->marks[k].page == pages->texts[i].page; k++) {
            if (rft_quad_meets(&pages->texts[i].box, &pages->marks[k].box)) {
                fail_msg("page %d: \"%s\" at %d,%d lies on a mark", pages->texts[i].page, pages->texts[i].text,
                         (int)pages->texts[i].x, (int)pages->texts[i].y);
            }
        }
    }
    assert_shapes_inside(pages);
    for (const char *nan = rft_str_get(&pages->raw); (nan = strstr(nan, "nan")) != NULL; nan++) {
        assert_true(isalpha((unsigned char)nan[3])); /* "nanoseconds", and no number */
    }
    assert_null(strstr(rft_str_get(&pages->raw), "-inf"));
}
