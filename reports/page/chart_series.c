/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/chart_parts.h"

#include <math.h>

#define MARK 4.6
#define MARK_BOLD 6.0
#define MARKS_SOME 24 /* more of them are drawn smaller */
#define MARKS_MANY 60
#define NARROW 160.0 /* points */
#define CAP 3.5
#define BAR_TALL 16.0  /* points: has room for its value */
#define CASING 1.4     /* points of white along a line */
#define OVER_LEAST 3.0 /* what is over a bar's limit is at least so tall */
#define STUB 24.0      /* a ceiling that only cuts a corner of the chart is not drawn */

static double within(double value, double a, double b) {
    return fmax(fmin(a, b), fmin(fmax(a, b), value));
}

static bool spot_of(const rft_plot *plot, double x, double y, rft_spot *spot) {
    *spot = (rft_spot){rft_axis_at(&plot->x, x), rft_axis_at(&plot->y, y)};
    return isfinite(spot->x) && isfinite(spot->y);
}

/* Cuts the line between both spots to the plot area (Liang and Barsky); false when nothing is left. */
static bool clip(const rft_rect *area, rft_spot *from, rft_spot *to) {
    double dx = to->x - from->x, dy = to->y - from->y, first = 0, last = 1;
    const double p[4] = {-dx, dx, -dy, dy};
    const double q[4] = {from->x - area->x, area->x + area->width - from->x, from->y - area->y,
                         area->y + area->height - from->y};
    for (int i = 0; i < 4; i++) {
        if (p[i] == 0 && q[i] < 0) {
            return false;
        }
        if (p[i] < 0) {
            first = fmax(first, q[i] / p[i]);
        } else if (p[i] > 0) {
            last = fmin(last, q[i] / p[i]);
        }
    }
    if (first > last) {
        return false;
    }
    rft_spot start = *from;
    *from = (rft_spot){start.x + first * dx, start.y + first * dy};
    *to = (rft_spot){start.x + last * dx, start.y + last * dy};
    return true;
}

static rft_stroke stroke_of(const rft_series *series) {
    rft_stroke stroke = {rft_pen_tone(series->tone), series->bold ? 1.6 : series->dashed ? 0.8 : 1.1, 0, 0};
    if (series->dashed) {
        stroke.dash_on = 4;
        stroke.dash_off = 3;
    } else if (series->kind == RFT_SERIES_LINE) {
        rft_pen_dashes(series->tone, series->marks, &stroke);
    }
    return stroke;
}

static bool tells_apart(rft_tone tone) {
    return tone != RFT_TONE_INK && tone != RFT_TONE_GREY;
}

/* The parts of a line inside the plot: consecutive spots of `spots`, `counts[i]` of them each. */
typedef struct line_parts {
    rft_spot *spots;
    size_t *counts;
    size_t count, longest, longest_start; /* longest: spots of the part with most */
    double length;                        /* points, of all */
} line_parts;

static line_parts cut_line(rft_plot *plot, const rft_series *series) {
    line_parts parts = {0};
    size_t used = 0, start = 0;
    parts.spots = rft_arena_calloc(plot->pen->arena, series->count * 2 + 1, sizeof *parts.spots);
    parts.counts = rft_arena_calloc(plot->pen->arena, series->count + 1, sizeof *parts.counts);
    for (size_t i = 1; i < series->count; i++) {
        rft_spot from, to;
        if (!spot_of(plot, series->x[i - 1], series->y[i - 1], &from) ||
            !spot_of(plot, series->x[i], series->y[i], &to) || !clip(&plot->lines, &from, &to)) {
            continue;
        }
        bool joins = used > 0 && hypot(parts.spots[used - 1].x - from.x, parts.spots[used - 1].y - from.y) < 0.01;
        if (!joins) {
            start = used;
            parts.count++;
            parts.spots[used++] = from;
        }
        parts.spots[used++] = to;
        parts.counts[parts.count - 1] = used - start;
        parts.length += hypot(to.x - from.x, to.y - from.y);
        if (used - start > parts.longest) {
            parts.longest = used - start;
            parts.longest_start = start;
        }
    }
    return parts;
}

/* Draws the line, keeps labels off it, and asks for its own. */
static void draw_line(rft_plot *plot, const rft_series *series) {
    line_parts parts = cut_line(plot, series);
    rft_stroke stroke = stroke_of(series);
    if (!series->marks && series->label && parts.length < STUB) {
        return;
    }
    const rft_spot *spots = parts.spots;
    for (size_t i = 0; i < parts.count; spots += parts.counts[i], i++) {
        if (tells_apart(series->tone)) { /* stands out from what lies behind */
            rft_stroke casing = {0xffffffU, stroke.width + CASING, 0, 0};
            rft_canvas_line(plot->pen->canvas, spots, parts.counts[i], &casing);
        }
        rft_canvas_line(plot->pen->canvas, spots, parts.counts[i], &stroke);
        for (size_t k = 1; k < parts.counts[i]; k++) {
            rft_label_avoid_line(&plot->field, spots[k - 1], spots[k], stroke.width + 0.6);
        }
    }
    if (series->label && parts.longest > 0) {
        rft_plot_label_line(plot, series, parts.spots + parts.longest_start, parts.longest);
    }
}

/* Smaller in a small chart, and where there are many. */
static double mark_size(const rft_plot *plot, const rft_series *series) {
    double size = series->bold ? MARK_BOLD : MARK;
    if (series->count > MARKS_MANY) {
        return size * 0.55;
    }
    return size * (series->count > MARKS_SOME || plot->area.width < NARROW ? 0.75 : 1);
}

static void draw_marks(rft_plot *plot, const rft_series *series) {
    double size = mark_size(plot, series);
    for (size_t i = 0; i < series->count; i++) {
        rft_spot at;
        if (!rft_axis_holds(&plot->x, series->x[i]) || !rft_axis_holds(&plot->y, series->y[i]) ||
            !spot_of(plot, series->x[i], series->y[i], &at)) {
            continue;
        }
        rft_pen_mark(plot->pen, at, series->tone, size);
        double reach = rft_pen_mark_reach(size);
        rft_rect box = {at.x - reach, at.y - reach, 2 * reach, 2 * reach};
        rft_quad quad = rft_quad_of_rect(&box);
        rft_label_take(&plot->field, &quad);
        if (series->names[i]) {
            rft_plot_label_mark(plot, series->names[i], at, series->bold, series->tone);
        }
    }
}

static void draw_ranges(rft_plot *plot, const rft_series *series) {
    double width = series->bold ? 4.0 : 2.4;
    rft_rect *rects = rft_arena_calloc(plot->pen->arena, series->count + 1, sizeof *rects);
    size_t used = 0;
    for (size_t i = 0; i < series->count; i++) {
        rft_spot a, b;
        if (rft_axis_holds(&plot->x, series->x[i]) && spot_of(plot, series->x[i], series->y[i], &a) &&
            spot_of(plot, series->x[i], series->y2[i], &b)) {
            double top = plot->area.y, bottom = plot->area.y + plot->area.height;
            double ya = within(a.y, top, bottom), yb = within(b.y, top, bottom);
            rects[used++] = (rft_rect){a.x - width / 2, fmin(ya, yb), width, fmax(fabs(ya - yb), 0.4)};
            rft_quad quad = rft_quad_of_rect(&rects[used - 1]);
            rft_label_take(&plot->field, &quad);
        }
    }
    rft_canvas_rects(plot->pen->canvas, rects, used,
                     series->tone == RFT_TONE_GREY ? 0xc4c4c4U : rft_pen_tone(series->tone));
}

static void draw_whiskers(rft_plot *plot, const rft_series *series) {
    rft_stroke stroke = {rft_pen_tone(series->tone), 0.9, 0, 0};
    double top = plot->area.y, bottom = plot->area.y + plot->area.height;
    for (size_t i = 0; i < series->count; i++) {
        rft_spot a, b;
        if (!rft_axis_holds(&plot->x, series->x[i]) || !spot_of(plot, series->x[i], series->y[i], &a) ||
            !spot_of(plot, series->x[i], series->y2[i], &b)) {
            continue;
        }
        double ya = within(a.y, top, bottom), yb = within(b.y, top, bottom);
        const rft_spot stem[2] = {{a.x, ya}, {a.x, yb}};
        const rft_spot low[2] = {{a.x - CAP, ya}, {a.x + CAP, ya}}, high[2] = {{a.x - CAP, yb}, {a.x + CAP, yb}};
        if (fabs(ya - yb) > 0.05) {
            rft_canvas_line(plot->pen->canvas, stem, 2, &stroke);
        }
        rft_canvas_line(plot->pen->canvas, low, 2, &stroke);
        rft_canvas_line(plot->pen->canvas, high, 2, &stroke);
        rft_rect box = {a.x - CAP, fmin(ya, yb) - 0.5, 2 * CAP, fabs(ya - yb) + 1};
        rft_quad quad = rft_quad_of_rect(&box);
        rft_label_take(&plot->field, &quad);
    }
}

/* The lower end of an interval drawn over the bar at `middle`; its top where there is none. */
static double below_interval(const rft_plot *plot, double middle, double top) {
    for (size_t s = 0; s < plot->chart->series_count; s++) {
        const rft_series *series = &plot->chart->series[s];
        for (size_t i = 0; i < series->count && series->kind == RFT_SERIES_WHISKERS; i++) {
            rft_spot end;
            if (spot_of(plot, series->x[i], fmin(series->y[i], series->y2[i]), &end) && fabs(end.x - middle) < CAP) {
                return fmax(top, end.y + 1);
            }
        }
    }
    return top;
}

/* A bar's value: inside it, so that the line of a ceiling does not cross it; above a low one. Never over another. */
static void name_bar(rft_plot *plot, const char *name, double middle, double y) {
    static const rft_pen_style style = {RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_INK};
    rft_line line = rft_pen_encode(plot->pen, name);
    double width = rft_pen_width(&line, &style);
    double free_y = below_interval(plot, middle, y);
    bool tall = plot->area.y + plot->area.height - free_y > BAR_TALL;
    rft_spot at = {middle, tall ? free_y + 11 : fmax(y - 3, plot->area.y + 8)};
    rft_text_run run = rft_pen_run(at, 0.5, false, &style, &line);
    rft_quad quad = rft_quad_of_text(&run, width);
    for (size_t i = 0; i < plot->field.taken_count; i++) {
        if (rft_quad_meets(&quad, &plot->field.taken[i])) {
            return;
        }
    }
    rft_label_take(&plot->field, &quad);
    rft_canvas_text(plot->pen->canvas, &run);
}

/* Hollow, with an edge. */
static void draw_hollow(rft_plot *plot, const rft_rect *part, rft_colour edge, rft_colour inside) {
    const rft_rect inner = {part->x + 0.8, part->y + 0.8, fmax(part->width - 1.6, 0.1), fmax(part->height - 0.8, 0.1)};
    rft_canvas_rects(plot->pen->canvas, part, 1, edge);
    rft_canvas_rects(plot->pen->canvas, &inner, 1, inside);
}

/* What is over the bar's limit stands out, so that a line along the limit does not hide it. */
static rft_rect over_part(const rft_plot *plot, const rft_rect *bar, double limit_y) {
    double top = fmax(fmin(bar->y, limit_y - OVER_LEAST), plot->area.y);
    return (rft_rect){bar->x, top, bar->width, limit_y - top};
}

/* Grey bars are hollow: on grey paper they would look like others. */
static void fill_bars(rft_plot *plot, const rft_series *series, const rft_rect *bars, size_t count) {
    if (series->tone != RFT_TONE_GREY) {
        rft_canvas_rects(plot->pen->canvas, bars, count, rft_pen_tone(series->tone));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        draw_hollow(plot, &bars[i], RFT_COLOUR_QUIET, RFT_COLOUR_BAND);
    }
}

/* Labels stay off bars; a bar's own value, written first, stands in it. */
static void draw_bars(rft_plot *plot, const rft_series *series) {
    rft_rect *rects = rft_arena_calloc(plot->pen->arena, series->count + 1, sizeof *rects);
    size_t *from = rft_arena_calloc(plot->pen->arena, series->count + 1, sizeof *from), used = 0;
    double floor_y = plot->area.y + plot->area.height;
    for (size_t i = 0; i < series->count; i++) {
        rft_spot a, b;
        if (series->y[i] > 0 && spot_of(plot, series->x[i], series->y[i], &a) &&
            spot_of(plot, series->x2[i], series->y[i], &b)) {
            double left = within(a.x, plot->area.x, plot->area.x + plot->area.width);
            double right = within(b.x, plot->area.x, plot->area.x + plot->area.width);
            double y = within(a.y, plot->area.y, floor_y);
            from[used] = i;
            rects[used++] = (rft_rect){left + 0.3, y, fmax(right - left - 0.6, 0.3), floor_y - y};
        }
    }
    fill_bars(plot, series, rects, used);
    for (size_t i = 0; i < used; i++) {
        double limit_y = rft_axis_at(&plot->y, series->y2[from[i]]);
        if (series->y[from[i]] > series->y2[from[i]] && limit_y > plot->area.y) {
            const rft_rect part = over_part(plot, &rects[i], limit_y);
            draw_hollow(plot, &part, RFT_COLOUR_INK, 0xffffffU);
            rects[i] = (rft_rect){part.x, part.y, part.width, floor_y - part.y};
        }
        if (series->names[from[i]]) {
            name_bar(plot, series->names[from[i]], rects[i].x + rects[i].width / 2, rects[i].y);
        }
    }
    for (size_t i = 0; i < used; i++) {
        rft_quad quad = rft_quad_of_rect(&rects[i]);
        rft_label_take(&plot->field, &quad);
    }
}

/* In the row of the names, where it fits. */
static bool put_in_band(rft_plot *plot, const char *text, double left, double right) {
    static const rft_pen_style style = {RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_QUIET};
    rft_line line = rft_pen_encode(plot->pen, text);
    double width = rft_pen_width(&line, &style);
    if (width > right - left - 2) {
        return false;
    }
    const rft_spot middle = {(left + right) / 2, plot->area.y + 8.5};
    rft_text_run run = rft_pen_run(middle, 0.5, false, &style, &line);
    rft_quad quad = rft_quad_of_text(&run, width);
    rft_label_take(&plot->field, &quad);
    rft_canvas_text(plot->pen->canvas, &run);
    return true;
}

/* A narrow one has its number from the left, and its name in the key. */
static void name_band(rft_plot *plot, const char *name, size_t at, double left, double right) {
    if (!put_in_band(plot, name, left, right)) {
        const char *number = rft_arena_printf(plot->pen->arena, "%zu", at + 1);
        put_in_band(plot, number, left, right);
        rft_plot_label_band(plot, rft_arena_printf(plot->pen->arena, "%s: %s", number, name));
    }
}

static void draw_bands(rft_plot *plot, const rft_series *series) {
    for (size_t i = 0; i < series->count; i++) {
        double right_end = plot->area.x + plot->area.width;
        double left = within(rft_axis_at(&plot->x, series->x[i]), plot->area.x, right_end);
        double right = within(rft_axis_at(&plot->x, series->x2[i]), plot->area.x, right_end);
        if (!isfinite(left) || !isfinite(right) || right - left < 0.2) {
            continue;
        }
        /* Every second band is shaded, so that neighbours are told apart. */
        if (i % 2 == 0) {
            rft_rect rect = {left, plot->area.y, right - left, plot->area.height};
            rft_canvas_rects(plot->pen->canvas, &rect, 1, RFT_COLOUR_BAND);
        }
        if (series->names[i]) {
            name_band(plot, series->names[i], i, left, right);
        }
    }
}

static void draw_uprights(rft_plot *plot, const rft_series *series) {
    rft_stroke stroke = stroke_of(series);
    for (size_t i = 0; i < series->count; i++) {
        double x = rft_axis_at(&plot->x, series->x[i]);
        if (!rft_axis_holds(&plot->x, series->x[i]) || !isfinite(x)) {
            continue;
        }
        rft_spot spots[2] = {{x, plot->area.y}, {x, plot->area.y + plot->area.height}};
        rft_canvas_line(plot->pen->canvas, spots, 2, &stroke);
        rft_label_avoid_line(&plot->field, spots[0], spots[1], 1);
        if (series->names[i]) {
            rft_plot_label_upright(plot, series->names[i], x, series->dashed);
        }
    }
}

static void draw_series(rft_plot *plot, const rft_series *series) {
    switch (series->kind) {
    case RFT_SERIES_LINE:
        draw_line(plot, series);
        if (series->marks) {
            draw_marks(plot, series);
        }
        break;
    case RFT_SERIES_DOTS:
        draw_marks(plot, series);
        break;
    case RFT_SERIES_CLOUD:
        rft_plot_cloud(plot, series);
        break;
    case RFT_SERIES_RANGE:
        draw_ranges(plot, series);
        break;
    case RFT_SERIES_BARS:
        draw_bars(plot, series);
        break;
    case RFT_SERIES_BAND:
        break; /* drawn before the grid */
    case RFT_SERIES_WHISKERS:
        draw_whiskers(plot, series);
        break;
    case RFT_SERIES_CELLS:
        rft_plot_cells(plot, series);
        break;
    case RFT_SERIES_AT_X:
        draw_uprights(plot, series);
        break;
    }
}

void rft_plot_shading(rft_plot *plot) {
    for (size_t i = 0; i < plot->chart->series_count; i++) {
        if (plot->chart->series[i].kind == RFT_SERIES_BAND) {
            draw_bands(plot, &plot->chart->series[i]);
        }
    }
}

void rft_plot_series(rft_plot *plot) {
    for (size_t i = 0; i < plot->chart->series_count; i++) {
        draw_series(plot, &plot->chart->series[i]);
    }
}
