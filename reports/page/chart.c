/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/chart.h"

#include "reports/page/chart_parts.h"

#include <math.h>
#include <string.h>

#define TITLE_HEIGHT 14.0
#define TITLE_STEP 9.5
#define TITLE_LINES_MOST 2
#define NO_TITLE_HEIGHT 4.0
#define TICK 2.6
#define LABEL_STEP 9.6
#define LEGEND_STEP 10.5
#define BAND_ROW 11.5
#define NAME_MOST 70.0 /* of a name left of the y axis */
#define UPRIGHT_MOST 150.0
#define UPRIGHT_LEAVES 34.0 /* of the chart's height to all the rest */
#define NAME_LINES_MOST 6   /* of a name under the axis; longer ones stand upright */
#define NAMES_THINNED 8     /* more names on an axis than that: only every so many-th is written where room is short */

static const rft_pen_style title_style = {RFT_FONT_BOLD, RFT_SIZE_SMALL, RFT_COLOUR_INK};
static const rft_pen_style tick_style = {RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_QUIET};
static const rft_pen_style label_style = {RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_INK};

static void widen_span(double value, bool log, double *low, double *high) {
    if (isfinite(value) && (!log || value > 0)) {
        *low = !(value >= *low) ? value : *low; /* also when *low is NaN */
        *high = !(value <= *high) ? value : *high;
    }
}

static void find_ranges(const rft_chart *chart, rft_plot_axis *x, rft_plot_axis *y) {
    double x_low = NAN, x_high = NAN, y_low = NAN, y_high = NAN;
    for (size_t s = 0; s < chart->series_count; s++) {
        const rft_series *series = &chart->series[s];
        for (size_t i = 0; i < series->count && series->kind != RFT_SERIES_BAND; i++) {
            widen_span(series->x[i], chart->x.log, &x_low, &x_high);
            widen_span(series->x2[i], chart->x.log, &x_low, &x_high);
            widen_span(series->y[i], chart->y.log, &y_low, &y_high);
            if (series->kind != RFT_SERIES_CELLS) { /* whose y2 is no place */
                widen_span(series->y2[i], chart->y.log, &y_low, &y_high);
            }
        }
    }
    *x = rft_axis_fit(&chart->x, x_low, x_high);
    *y = rft_axis_fit(&chart->y, y_low, y_high);
}

static double widest_label(rft_pen *pen, const rft_ticks *ticks) {
    double widest = 0;
    for (size_t i = 0; i < ticks->count; i++) {
        if (ticks->items[i].label) {
            rft_line line = rft_pen_encode(pen, ticks->items[i].label);
            widest = fmax(widest, rft_pen_width(&line, &tick_style));
        }
    }
    return widest;
}

/* What a name has beside its neighbours, points: the axis may go on at both ends. */
static double name_slot(const rft_plot *plot) {
    double count = (double)plot->chart->x.name_count;
    return plot->area.width / fmax(fmax(count, 1), plot->x.high - plot->x.low) - 3;
}

/* Every how many-th name is written, for names that need `gap` points each in slots of `slot`. */
static size_t name_step(const rft_chart_axis *spec, double gap, double slot) {
    return spec->names && spec->name_count > NAMES_THINNED && slot < gap ? (size_t)ceil(gap / fmax(slot, 0.1)) : 1;
}

static void put_shortened(rft_plot *plot, rft_spot at, double share, const rft_pen_style *style, const char *text,
                          double width) {
    rft_lines lines = rft_pen_wrap(plot->pen, style, text, width);
    rft_pen_shorten(plot->pen, style, &lines, 1, width);
    rft_pen_put(plot->pen, at, share, style, &lines.items[0]);
}

/* Two strokes across the foot of an axis that does not begin at zero. */
static void draw_cut(rft_plot *plot) {
    double x = plot->area.x, foot = plot->area.y + plot->area.height;
    for (int i = 0; i < 2; i++) {
        double y = foot - 3.5 - 2.2 * i;
        rft_pen_rule(plot->pen, (rft_spot){x - 2.6, y + 1.2}, (rft_spot){x + 2.6, y - 1.2}, RFT_COLOUR_QUIET, 0.6);
    }
}

static void draw_y_axis(rft_plot *plot, const rft_ticks *ticks) {
    const rft_rect *area = &plot->area;
    const rft_chart_axis *spec = &plot->chart->y;
    size_t step =
        name_step(spec, tick_style.size + 1, area->height / (double)(spec->name_count ? spec->name_count : 1));
    for (size_t i = 0; i < ticks->count; i++) {
        double y = rft_axis_at(&plot->y, ticks->items[i].value);
        if (ticks->items[i].label && !spec->names && y >= plot->lines.y) { /* not through the names of bands */
            rft_pen_rule(plot->pen, (rft_spot){area->x, y}, (rft_spot){area->x + area->width, y}, RFT_COLOUR_FAINT,
                         0.4);
        }
        if (ticks->items[i].label && i % step == 0) {
            put_shortened(plot, (rft_spot){area->x - TICK - 2, y + 2.8}, 1, &tick_style, ticks->items[i].label,
                          NAME_MOST);
        }
        rft_pen_rule(plot->pen, (rft_spot){area->x - (ticks->items[i].label ? TICK : TICK / 2), y},
                     (rft_spot){area->x, y}, RFT_COLOUR_QUIET, 0.5);
    }
    rft_pen_rule(plot->pen, (rft_spot){area->x, area->y}, (rft_spot){area->x, area->y + area->height}, RFT_COLOUR_QUIET,
                 0.6);
    if (!plot->y.log && !spec->names && plot->y.low > 0) {
        draw_cut(plot);
    }
}

static void put_wrapped(rft_plot *plot, rft_spot at, const char *text, double width) {
    rft_lines lines = rft_pen_wrap(plot->pen, &tick_style, text, width);
    rft_pen_shorten(plot->pen, &tick_style, &lines, plot->name_lines, width);
    for (size_t i = 0; i < lines.count; i++) {
        rft_pen_put(plot->pen, (rft_spot){at.x, at.y + (double)i * LABEL_STEP}, 0.5, &tick_style, &lines.items[i]);
    }
}

/* "name   second line" of each, upwards to the axis; "name, n 38" where the second line has a title. */
static const char *upright_name(const rft_plot *plot, size_t i) {
    const rft_chart_axis *spec = &plot->chart->x;
    if (!spec->sub_names || !spec->sub_names[i]) {
        return spec->names[i];
    }
    return spec->sub_title
               ? rft_arena_printf(plot->pen->arena, "%s, %s %s", spec->names[i], spec->sub_title, spec->sub_names[i])
               : rft_arena_printf(plot->pen->arena, "%s   %s", spec->names[i], spec->sub_names[i]);
}

/* The room below the axis that they need; longer names are cut. */
static double upright_room(const rft_plot *plot) {
    double widest = 0;
    for (size_t i = 0; i < plot->chart->x.name_count; i++) {
        rft_line line = rft_pen_encode(plot->pen, upright_name(plot, i));
        widest = fmax(widest, rft_pen_width(&line, &tick_style));
    }
    return fmin(widest, plot->names_most);
}

static void draw_upright_names(rft_plot *plot) {
    double bottom = plot->area.y + plot->area.height;
    size_t count = plot->chart->x.name_count;
    size_t step = name_step(&plot->chart->x, tick_style.size + 1, plot->area.width / (double)(count ? count : 1));
    for (size_t i = 0; i < count; i += step) {
        double x = rft_axis_at(&plot->x, (double)i);
        rft_lines lines = rft_pen_wrap(plot->pen, &tick_style, upright_name(plot, i), plot->names_most);
        rft_pen_shorten(plot->pen, &tick_style, &lines, 1, plot->names_most);
        rft_text_run run = rft_pen_run((rft_spot){x + 2.6, bottom + TICK + 2}, 1, true, &tick_style, &lines.items[0]);
        rft_canvas_text(plot->pen->canvas, &run);
        rft_pen_rule(plot->pen, (rft_spot){x, bottom}, (rft_spot){x, bottom + TICK}, RFT_COLOUR_QUIET, 0.5);
    }
    rft_pen_rule(plot->pen, (rft_spot){plot->area.x, bottom}, (rft_spot){plot->area.x + plot->area.width, bottom},
                 RFT_COLOUR_QUIET, 0.6);
}

static void draw_x_axis(rft_plot *plot, const rft_ticks *ticks) {
    const rft_rect *area = &plot->area;
    const rft_chart_axis *spec = &plot->chart->x;
    double bottom = area->y + area->height;
    double slot = spec->names && spec->name_count ? name_slot(plot) : area->width;
    size_t step = spec->names_wrap ? 1 : name_step(spec, widest_label(plot->pen, ticks), slot);
    slot = (slot + 3) * (double)step - 3;
    for (size_t i = 0; i < ticks->count; i++) {
        double x = rft_axis_at(&plot->x, ticks->items[i].value);
        bool labelled = ticks->items[i].label != NULL;
        if (labelled && !spec->names) {
            rft_pen_rule(plot->pen, (rft_spot){x, plot->lines.y}, (rft_spot){x, bottom}, RFT_COLOUR_FAINT, 0.4);
        }
        rft_pen_rule(plot->pen, (rft_spot){x, bottom}, (rft_spot){x, bottom + (labelled ? TICK : TICK / 2)},
                     RFT_COLOUR_QUIET, 0.5);
        if (labelled && slot > 6 && spec->names_wrap) {
            put_wrapped(plot, (rft_spot){x, bottom + TICK + 8}, ticks->items[i].label, slot);
        } else if (labelled && slot > 6 && i % step == 0) {
            put_shortened(plot, (rft_spot){x, bottom + TICK + 8}, 0.5, &tick_style, ticks->items[i].label, slot);
        }
        if (spec->names && spec->sub_names && spec->sub_names[i] && slot > 6 && i % step == 0) {
            double below = bottom + TICK + 8 + LABEL_STEP * (spec->names_wrap ? (double)plot->name_lines : 1);
            put_shortened(plot, (rft_spot){x, below}, 0.5, &tick_style, spec->sub_names[i], slot);
        }
    }
    if (spec->sub_title) {
        rft_pen_text(plot->pen, (rft_spot){area->x - TICK - 2, bottom + TICK + 8 + LABEL_STEP}, 1, &tick_style,
                     spec->sub_title);
    }
    rft_pen_rule(plot->pen, (rft_spot){area->x, bottom}, (rft_spot){area->x + area->width, bottom}, RFT_COLOUR_QUIET,
                 0.6);
}

/* Beside the axis; longer ones may begin at the foot of the chart, and where even that is too short the unit alone
 * stands there. */
static void draw_y_title(rft_plot *plot, const rft_rect *box) {
    const rft_rect *area = &plot->area;
    const char *title = plot->chart->y.title, *bracket = strrchr(title, '(');
    double room = box->y + box->height - area->y;
    rft_line line = rft_pen_encode(plot->pen, title);
    if (rft_pen_width(&line, &label_style) > room && bracket) {
        title = rft_arena_strndup(plot->pen->arena, bracket + 1, strcspn(bracket + 1, ")"));
    }
    rft_lines lines = rft_pen_wrap(plot->pen, &label_style, title, room);
    rft_pen_shorten(plot->pen, &label_style, &lines, 1, room);
    double width = rft_pen_width(&lines.items[0], &label_style), below = area->y + area->height / 2 + width / 2;
    double over = area->y - (below - width);
    below += over > 0 ? over : 0;
    rft_text_run run = rft_pen_run((rft_spot){box->x + 7, below}, 0, true, &label_style, &lines.items[0]);
    rft_canvas_text(plot->pen->canvas, &run);
}

/* In as many lines as it needs: a small chart of a problem with many axes has two; beside a scale there is one. */
static rft_lines title_lines(const rft_plot *plot, double room) {
    size_t most = TITLE_LINES_MOST;
    for (size_t s = 0; s < plot->chart->series_count; s++) {
        most = plot->chart->series[s].kind == RFT_SERIES_CELLS ? 1 : most;
    }
    rft_lines title = rft_pen_wrap(plot->pen, &title_style, plot->chart->title, fmax(room, 10));
    rft_pen_shorten(plot->pen, &title_style, &title, most, fmax(room, 10));
    return title;
}

static void draw_titles(rft_plot *plot, const rft_rect *box, double title_y) {
    const rft_rect *area = &plot->area;
    rft_lines title = title_lines(plot, box->width - rft_plot_cells_scale(plot, box));
    for (size_t i = 0; i < title.count; i++) {
        rft_pen_put(plot->pen, (rft_spot){box->x, box->y + 8 + (double)i * TITLE_STEP}, 0, &title_style,
                    &title.items[i]);
    }
    if (plot->chart->x.title) {
        rft_line line = rft_pen_encode(plot->pen, plot->chart->x.title);
        double half = fmin(rft_pen_width(&line, &label_style), box->width) / 2;
        double middle = fmin(area->x + area->width / 2, box->x + box->width - half);
        put_shortened(plot, (rft_spot){middle, title_y}, 0.5, &label_style, plot->chart->x.title, box->width);
    }
    if (plot->chart->y.title) {
        draw_y_title(plot, box);
    }
}

static void draw_line_sample(rft_plot *plot, const rft_plot_label *label, rft_spot at) {
    const rft_spot ends[2] = {at, {at.x + 12, at.y}};
    rft_stroke stroke = {rft_pen_tone(label->tone), label->bold ? 1.6 : 1.2, 0, 0};
    if (label->dashed) {
        stroke.dash_on = 4;
        stroke.dash_off = 3;
    } else {
        rft_pen_dashes(label->tone, label->marks, &stroke);
    }
    rft_canvas_line(plot->pen->canvas, ends, 2, &stroke);
    if (label->marks) {
        rft_pen_mark(plot->pen, (rft_spot){at.x + 6, at.y}, label->tone, 4.4);
    }
}

/* Labels that found no place: a key, as many to a row as fit. Draws only when `y` is not NaN; returns the rows. */
static size_t legend(rft_plot *plot, const rft_rect *box, double y) {
    double x = box->x;
    size_t rows = plot->left_over_count > 0;
    for (size_t i = 0; i < plot->left_over_count; i++) {
        const rft_plot_label *label = &plot->left_over[i];
        rft_lines lines = rft_pen_wrap(plot->pen, &label_style, label->text, box->width - 20);
        rft_pen_shorten(plot->pen, &label_style, &lines, 1, box->width - 20);
        double sample = label->band ? 0 : 15; /* a band has its number */
        double width = rft_pen_width(&lines.items[0], &label_style) + sample + (label->band ? 9 : 13);
        if (x > box->x && x + width > box->x + box->width) {
            x = box->x;
            rows++;
        }
        if (!isnan(y)) {
            double base = y + (double)rows * LEGEND_STEP - 2;
            if (label->line) {
                draw_line_sample(plot, label, (rft_spot){x, base - 2.8});
            } else if (!label->band) {
                rft_pen_mark(plot->pen, (rft_spot){x + 6, base - 2.8}, label->tone, 4.6);
            }
            rft_pen_put(plot->pen, (rft_spot){x + sample, base}, 0, &label_style, &lines.items[0]);
        }
        x += width;
    }
    return rows;
}

static bool has_bands(const rft_chart *chart) {
    bool found = false;
    for (size_t i = 0; i < chart->series_count; i++) {
        found = found || chart->series[i].kind == RFT_SERIES_BAND;
    }
    return found;
}

/* No line ends inside a word, unless at a sign that joins its parts. */
static bool ends_well(const rft_lines *lines) {
    for (size_t i = 0; i + 1 < lines->count; i++) {
        const rft_line *line = &lines->items[i];
        const char *end = line->text + line->length;
        if (line->length && lines->items[i + 1].text == end && !strchr("-/,;_=.", end[-1])) {
            return false;
        }
    }
    return true;
}

/* How the names under the axis stand, so that none is cut: on so many lines, or upright. */
static void fit_names(rft_plot *plot) {
    const rft_chart_axis *spec = &plot->chart->x;
    size_t count = spec->name_count;
    double slot = name_slot(plot), widest = 0;
    for (size_t i = 0; spec->names && i < count && !plot->upright; i++) {
        if (!spec->names_wrap) {
            rft_line line = rft_pen_encode(plot->pen, spec->names[i]);
            widest = fmax(widest, rft_pen_width(&line, &tick_style));
            continue;
        }
        rft_lines lines = rft_pen_wrap(plot->pen, &tick_style, spec->names[i], slot);
        plot->name_lines = lines.count > plot->name_lines ? lines.count : plot->name_lines;
        plot->upright = plot->name_lines > NAME_LINES_MOST || !ends_well(&lines);
    }
    /* An axis of numbers has ticks. */
    plot->upright = plot->upright || (spec->names && widest > slot && name_step(spec, widest, slot) == 1);
}

/* Where the plot lies in its box; the y axis' ticks. */
static rft_ticks place_area(rft_plot *plot, const rft_rect *box, size_t legend_rows) {
    const rft_chart *chart = plot->chart;
    bool wraps = chart->x.names_wrap;
    plot->below = TICK + 2 * LABEL_STEP + 3 + (chart->x.sub_names || wraps ? LABEL_STEP : 0) -
                  (chart->x.title ? 0 : LABEL_STEP) +
                  (wraps ? ((double)plot->name_lines - (chart->x.sub_names ? 1 : 2)) * LABEL_STEP : 0);
    if (plot->upright) {
        plot->below = TICK + 4 + upright_room(plot) + (chart->x.title ? LABEL_STEP + 2 : 0);
    }
    double above = NO_TITLE_HEIGHT;
    if (*chart->title) {
        above = TITLE_HEIGHT + (double)(title_lines(plot, box->width).count - 1) * TITLE_STEP;
    }
    plot->area.y = box->y + above;
    plot->area.height = fmax(box->height - above - plot->below - (double)legend_rows * LEGEND_STEP, 20);
    plot->y.start = plot->area.y + plot->area.height;
    plot->y.end = plot->area.y;
    rft_ticks y_ticks = rft_axis_ticks(&chart->y, &plot->y, 16, plot->pen->arena);
    double left = fmin(widest_label(plot->pen, &y_ticks), NAME_MOST) + TICK + 3 + (chart->y.title ? 11 : 0);
    plot->area.x = box->x + left;
    plot->area.width = fmax(box->width - left - 6, 20);
    return y_ticks;
}

/* One try at the whole chart; with a NULL canvas it finds out how many rows the legend needs. */
static size_t draw_with(rft_pen *pen, const rft_chart *chart, const rft_rect *box, size_t legend_rows) {
    rft_plot plot = {.pen = pen,
                     .chart = chart,
                     .name_lines = chart->x.sub_names ? 1 : 2,
                     .names_most = fmin(UPRIGHT_MOST, fmax(box->height - UPRIGHT_LEAVES, 20)),
                     .upright = chart->x.names_upright};
    find_ranges(chart, &plot.x, &plot.y);
    (void)place_area(&plot, box, legend_rows);
    fit_names(&plot);
    rft_ticks y_ticks = place_area(&plot, box, legend_rows);
    plot.x.start = plot.area.x;
    plot.x.end = plot.area.x + plot.area.width;
    rft_ticks x_ticks = rft_axis_ticks(&chart->x, &plot.x, 24, pen->arena);
    double gap = widest_label(pen, &x_ticks) + 6;
    if (gap > 24) {
        x_ticks = rft_axis_ticks(&chart->x, &plot.x, gap, pen->arena);
    }
    plot.field.bounds = plot.lines = plot.area;
    if (has_bands(chart)) {
        plot.lines.y += BAND_ROW;
        plot.lines.height -= BAND_ROW;
    }
    plot.field.arena = pen->arena;
    draw_titles(&plot, box, plot.area.y + plot.area.height + plot.below - 2.5);
    rft_plot_shading(&plot);
    draw_y_axis(&plot, &y_ticks);
    if (plot.upright) {
        draw_upright_names(&plot);
    } else {
        draw_x_axis(&plot, &x_ticks);
    }
    rft_plot_series(&plot);
    rft_plot_place_labels(&plot);
    return legend(&plot, box, pen->canvas ? plot.area.y + plot.area.height + plot.below : NAN);
}

void rft_chart_draw(rft_pen *pen, const rft_chart *chart, const rft_rect *box) {
    if (!pen->canvas || chart->height <= 0) {
        return; /* a chart's height is given: there is nothing to measure */
    }
    rft_pen trial = {.arena = pen->arena, .foreign = pen->foreign};
    size_t rows = 0;
    /* The smaller plot may leave more labels over, until there are none. */
    for (size_t needed = draw_with(&trial, chart, box, rows); needed > rows;) {
        rows = needed;
        needed = draw_with(&trial, chart, box, rows);
    }
    draw_with(pen, chart, box, rows);
}
