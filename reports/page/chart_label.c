/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/chart_parts.h"

#include <math.h>
#include <string.h>

#define MARK_GAP 5.2
#define NARROW 160.0 /* points */
#define LINE_GAP 2.2
#define SLOTS 16      /* places tried along a straight piece of a line */
#define PIECES_MOST 8 /* straight pieces tried */
#define RINGS 3       /* distances from the line tried */
#define RANKS 3       /* of labels */
#define STEEPEST 4.0  /* text is not written along steeper lines */
#define MARKED_MOST 6 /* lines with marks: of more it is not seen which one a name stands beside */

static double text_width(rft_plot *plot, const char *text, bool bold) {
    rft_pen_style style = {bold ? RFT_FONT_BOLD : RFT_FONT_REGULAR, RFT_PLOT_LABEL_SIZE, RFT_COLOUR_INK};
    rft_line line = rft_pen_encode(plot->pen, text);
    return rft_pen_width(&line, &style);
}

static rft_plot_label *ask(rft_plot *plot, const char *text, size_t spots) {
    plot->labels =
        rft_arena_grown(plot->pen->arena, plot->labels, plot->label_count, &plot->label_capacity, sizeof *plot->labels);
    rft_plot_label *label = &plot->labels[plot->label_count++];
    memset(label, 0, sizeof *label);
    label->text = text;
    label->spots.items = rft_arena_calloc(plot->pen->arena, spots, sizeof *label->spots.items);
    return label;
}

static void add_spot(rft_plot_label *label, double x, double y, double angle) {
    label->spots.items[label->spots.count++] = (rft_label_spot){.at = {x, y}, .angle = angle};
}

static void add_tied(rft_plot_label *label, double x, double y, rft_spot tie) {
    label->spots.items[label->spots.count++] = (rft_label_spot){.at = {x, y}, .tied = true, .tie = tie};
}

void rft_plot_label_mark(rft_plot *plot, const char *text, rft_spot at, bool bold, rft_tone tone) {
    static const double distances[] = {MARK_GAP, 10, 20, 34, 50, 70, 95, 120};
    size_t rings = sizeof distances / sizeof *distances;
    double width = text_width(plot, text, bold), height = RFT_PLOT_LABEL_SIZE * RFT_FONT_ASCENT;
    rft_plot_label *label = ask(plot, text, rings * 10);
    label->bold = bold;
    label->tone = tone;
    label->clear = plot->area.width < NARROW; /* there a line through it hides much of both: then the key has it */
    for (size_t i = 0; i < rings; i++) {
        double d = distances[i], s = d * 0.75;
        add_tied(label, at.x + d, at.y + height / 2, at);
        add_tied(label, at.x - d - width, at.y + height / 2, at);
        /* Below first: above are the roofs. */
        add_tied(label, at.x + s, at.y + s + height, at);
        add_tied(label, at.x - s - width, at.y + s + height, at);
        add_tied(label, at.x - width / 2, at.y + d + height + 1, at);
        add_tied(label, at.x - width + MARK_GAP, at.y + d + height + 1, at);
        add_tied(label, at.x - MARK_GAP, at.y + d + height + 1, at);
        add_tied(label, at.x + s, at.y - s, at);
        add_tied(label, at.x - s - width, at.y - s, at);
        add_tied(label, at.x - width / 2, at.y - d - 1, at);
    }
}

void rft_plot_label_band(rft_plot *plot, const char *text) {
    ask(plot, text, 1)->band = true; /* without a place: the key has it */
}

/* Places along one straight piece, from its far end back, above it and below. */
static void along_piece(rft_plot_label *label, rft_spot from, rft_spot to, double width, double further) {
    if (to.x < from.x) {
        rft_spot swap = from;
        from = to;
        to = swap;
    }
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    if (length < width + 4 && fabs(dy) < 0.5) { /* a level one too short for it: above, from its far end back */
        add_spot(label, to.x - width - 2, to.y - LINE_GAP - further - RFT_FONT_DESCENT * RFT_PLOT_LABEL_SIZE, 0);
    }
    if (length < width + 4 || fabs(dy) > STEEPEST * fabs(dx)) {
        return;
    }
    double turn = atan2(-dy, dx), angle = turn * 180 / 3.14159265358979323846;
    double below = LINE_GAP + further + RFT_FONT_ASCENT * RFT_PLOT_LABEL_SIZE;
    double above = LINE_GAP + further + RFT_FONT_DESCENT * RFT_PLOT_LABEL_SIZE;
    for (int i = 0; i < SLOTS; i++) {
        double start = 2 + (length - width - 4) * (SLOTS - 1 - i) / (SLOTS - 1);
        for (int side = 0; side < 2; side++) {
            double up = side ? -below : above;
            add_spot(label, from.x + dx / length * start - sin(turn) * up,
                     from.y + dy / length * start - cos(turn) * up, angle);
        }
    }
}

static size_t marked_lines(const rft_chart *chart) {
    size_t count = 0;
    for (size_t i = 0; i < chart->series_count; i++) {
        count += chart->series[i].kind == RFT_SERIES_LINE && chart->series[i].marks;
    }
    return count;
}

void rft_plot_label_line(rft_plot *plot, const rft_series *series, const rft_spot *spots, size_t count) {
    double width = text_width(plot, series->label, series->bold);
    rft_plot_label *label = ask(plot, series->label, RINGS * PIECES_MOST * SLOTS * 2 + count * 4);
    label->tone = series->tone;
    label->line = label->clear = true;
    label->rank = series->bold ? 1 : 2;
    label->dashed = series->dashed;
    label->marks = series->marks;
    label->bold = series->bold;
    if (series->marks && marked_lines(plot->chart) > MARKED_MOST) {
        return; /* without a place: the key has it, beside its mark */
    }
    size_t pieces = 0;
    int rings =
        series->bold || series->marks ? RINGS : 1; /* of a thin line the name stays close: others run beside it */
    for (int ring = 0; ring < rings; ring++) {
        pieces = 0;
        for (size_t i = count; i-- > 1 && pieces < PIECES_MOST;) {
            size_t before = label->spots.count;
            along_piece(label, spots[i - 1], spots[i], width, 5.0 * ring);
            pieces += label->spots.count > before;
        }
    }
    /* A bent line: beside its points, the last ones first. */
    double height = RFT_PLOT_LABEL_SIZE * RFT_FONT_ASCENT;
    for (size_t i = count; i-- > 0 && pieces == 0;) {
        rft_spot at = spots[i];
        add_spot(label, at.x - width / 2, at.y - 4.5, 0);
        add_spot(label, at.x - width / 2, at.y + 5 + height, 0);
        add_spot(label, at.x - width - 4, at.y - 3, 0);
        add_spot(label, at.x + 4, at.y + 3 + height, 0);
    }
}

void rft_plot_label_upright(rft_plot *plot, const char *text, double x, bool dashed) {
    static const double offsets[] = {3, 16, 32, 56};
    const char *interval = plot->area.width < NARROW ? strstr(text, " [") : NULL; /* the line at its foot tells it */
    text = interval ? rft_arena_strndup(plot->pen->arena, text, (size_t)(interval - text)) : text;
    enum { STEPS = 6, OFFSETS = sizeof offsets / sizeof *offsets };
    double width = text_width(plot, text, false);
    rft_plot_label *label = ask(plot, text, STEPS * OFFSETS * 2);
    label->line = true;
    label->dashed = dashed;
    label->tone = RFT_TONE_INK;
    for (int k = 0; k < OFFSETS; k++) {
        for (int i = 0; i < STEPS; i++) {
            double y = plot->area.y + 9 + i * 10;
            rft_spot tie = {x - 2, y - 3};
            add_tied(label, x + offsets[k], y, tie);
            tie.x = x + 2;
            add_tied(label, x - offsets[k] - width, y, tie);
        }
    }
}

void rft_plot_place_labels(rft_plot *plot) {
    plot->field.mark_count = plot->field.taken_count;
    plot->left_over = rft_arena_calloc(plot->pen->arena, plot->label_count + 1, sizeof *plot->left_over);
    for (size_t n = 0; n < plot->label_count * RANKS; n++) {
        const rft_plot_label *label = &plot->labels[n % plot->label_count];
        if (label->rank != (int)(n / plot->label_count)) {
            continue; /* what has few places goes before what has many */
        }
        rft_pen_style style = {label->bold ? RFT_FONT_BOLD : RFT_FONT_REGULAR, RFT_PLOT_LABEL_SIZE, RFT_COLOUR_INK};
        rft_line line = rft_pen_encode(plot->pen, label->text);
        double width = rft_pen_width(&line, &style);
        size_t chosen;
        if (!rft_label_place(&plot->field, width, style.size, &label->spots, label->clear, &chosen)) {
            plot->left_over[plot->left_over_count++] = *label;
            continue;
        }
        rft_label_spot spot = label->spots.items[chosen];
        rft_spot from, to;
        if (rft_label_leader(&spot, width, style.size, &from, &to)) {
            rft_pen_rule(plot->pen, from, to, RFT_COLOUR_QUIET, 0.4);
        }
        rft_text_run run = {.x = spot.at.x,
                            .y = spot.at.y,
                            .angle = spot.angle,
                            .font = style.font,
                            .size = style.size,
                            .colour = style.colour,
                            .text = line.text,
                            .length = line.length};
        rft_canvas_text(plot->pen->canvas, &run);
    }
}
