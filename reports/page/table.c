/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/table.h"

#include <math.h>
#include <string.h>

#define GAP_LEAST 9.0
#define GAP_MOST 18.0
#define GAP_FULL 32.0 /* where the columns then fill the whole width */
#define LINE_STEP 9.8
#define PADDING 2.2
#define WIDE 170.0  /* a text column may be squeezed to this without breaking words */
#define NARROW 44.0 /* and never below this */
#define CELL_LINES 14
#define METER_WIDTH 30.0 /* of a bar at 1, its mark; what is more is hollow, up to METER_MOST */
#define METER_MOST 1.1
#define METER_ROOM (METER_WIDTH * METER_MOST + 5.0)
#define METER_HEIGHT 5.0
#define SPAN_LINES 2
#define DETAIL_INDENT 10.0 /* what stands under the cells has the whole width else: fewer lines */

static const rft_pen_style plain_style = {RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_INK};
static const rft_pen_style strong_style = {RFT_FONT_BOLD, RFT_SIZE_SMALL, RFT_COLOUR_INK};
static const rft_pen_style link_style = {RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_LINK};
static const rft_pen_style strong_link_style = {RFT_FONT_BOLD, RFT_SIZE_SMALL, RFT_COLOUR_LINK};
static const rft_pen_style quiet_style = {RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_QUIET};

static const rft_pen_style *cell_style(const rft_table *table, const rft_row *row, size_t column) {
    bool leads = column == 0 && row->link;
    if (row->span || row->strong) {
        return leads ? &strong_link_style : &strong_style;
    }
    if (leads) {
        return &link_style;
    }
    /* A plain table may set two pairs of name and value side by side. */
    return row->quiet || (column % 2 == 0 && table->plain) ? &quiet_style : &plain_style;
}

/* Where a number's fraction starts; the whole length when it has none. SIZE_MAX: this is no number. */
static size_t decimal_point(const rft_line *line) {
    size_t i = 0;
    if (line->length == 0 || !strchr("0123456789+-\xb1", line->text[0])) {
        return SIZE_MAX;
    }
    while (i < line->length && strchr("0123456789+-,\xb1", line->text[i])) {
        i++;
    }
    return i;
}

typedef struct column_size {
    double natural, least;
    double whole, fraction; /* DECIMAL */
    bool words;             /* not numbers: may be broken between them */
} column_size;

static column_size measure_column(rft_pen *pen, const rft_table *table, size_t c) {
    const rft_column *column = &table->columns[c];
    column_size size = {.words = column->align == RFT_ALIGN_LEFT};
    if (!table->plain) {
        rft_line unit = rft_pen_encode(pen, column->unit);
        size.least = fmax(rft_pen_longest_word(pen, &strong_style, column->title), rft_pen_width(&unit, &quiet_style));
        rft_line title = rft_pen_encode(pen, column->title);
        size.natural = column->wraps ? fmax(size.least, rft_pen_width(&title, &strong_style)) : size.least;
    }
    double text_width = 0, longest = 0;
    for (size_t r = 0; r < table->row_count; r++) {
        const rft_row *row = &table->rows[r];
        if (row->span) {
            continue;
        }
        const rft_pen_style *style = cell_style(table, row, c);
        rft_line line = rft_pen_encode(pen, row->cells[c]);
        size_t point = column->align == RFT_ALIGN_DECIMAL ? decimal_point(&line) : SIZE_MAX;
        if (point != SIZE_MAX) {
            double whole = rft_font_width(style->font, style->size, line.text, point);
            size.whole = fmax(size.whole, whole);
            size.fraction = fmax(size.fraction, rft_pen_width(&line, style) - whole);
        } else {
            text_width = fmax(text_width, rft_pen_width(&line, style));
        }
        longest = fmax(longest, rft_pen_longest_word(pen, style, row->cells[c]));
    }
    text_width = fmax(text_width, size.whole + size.fraction);
    text_width += column->meter ? METER_ROOM : 0;
    size.natural = fmax(size.natural, text_width);
    bool gives = column->wraps || (text_width > WIDE && !column->meter);
    size.least = fmax(size.least, gives ? fmin(longest, WIDE) : text_width);
    return size;
}

/* Widths that fit: natural if there is room, else the wide ones give way in proportion to what they can give. */
static void share_width(const column_size *sizes, double *widths, size_t count, double room) {
    double natural = 0, least = 0;
    for (size_t c = 0; c < count; c++) {
        natural += sizes[c].natural;
        least += sizes[c].least;
    }
    for (size_t c = 0; c < count; c++) {
        double give = sizes[c].natural - sizes[c].least;
        if (natural <= room) {
            widths[c] = sizes[c].natural;
        } else if (least <= room) {
            widths[c] = sizes[c].natural - give * (natural - room) / (natural - least);
        } else {
            widths[c] = sizes[c].least;
        }
    }
    /* Even the longest words do not fit: the widest column of words gives until they do, then the widest of all. */
    for (int any = 0; any < 2; any++) {
        for (double over = least - room; least > room && over > 0.01;) {
            size_t widest = SIZE_MAX;
            double step = 0;
            for (size_t c = 0; c < count; c++) {
                bool may = (any || sizes[c].words) && widths[c] > NARROW;
                widest = may && (widest == SIZE_MAX || widths[c] > widths[widest]) ? c : widest;
            }
            if (widest == SIZE_MAX) {
                break;
            }
            step = fmin(over, fmax(widths[widest] * 0.1, 0.5));
            widths[widest] -= step;
            over -= step;
            least -= step;
        }
    }
}

static void plan_header(rft_pen *pen, rft_table_plan *plan) {
    const rft_table *table = plan->table;
    size_t most = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        const rft_column *column = &table->columns[c];
        rft_lines title = rft_pen_wrap(pen, &strong_style, column->title, plan->widths[c]);
        rft_lines unit = rft_pen_wrap(pen, &quiet_style, column->unit, plan->widths[c]);
        size_t units = column->unit ? unit.count : 0;
        rft_lines both = {rft_arena_calloc(pen->arena, title.count + units, sizeof(rft_line)), title.count + units};
        memcpy(both.items, title.items, title.count * sizeof(rft_line));
        if (units) {
            memcpy(both.items + title.count, unit.items, units * sizeof(rft_line));
        }
        plan->headers[c] = both;
        plan->title_lines[c] = title.count;
        most = both.count > most ? both.count : most;
    }
    plan->header_height = table->plain ? 0 : (double)most * LINE_STEP + 2 * PADDING;
}

static void plan_rows(rft_pen *pen, rft_table_plan *plan) {
    const rft_table *table = plan->table;
    plan->rows = rft_arena_calloc(pen->arena, table->row_count ? table->row_count : 1, sizeof *plan->rows);
    for (size_t r = 0; r < table->row_count; r++) {
        rft_table_row *row = &plan->rows[r];
        size_t most = 1;
        bool span = table->rows[r].span;
        row->cells = rft_arena_calloc(pen->arena, table->column_count, sizeof *row->cells);
        for (size_t c = 0; c < (span ? 1 : table->column_count); c++) {
            const rft_pen_style *style = cell_style(table, &table->rows[r], c);
            double width = span ? plan->width : plan->widths[c];
            row->cells[c] = rft_pen_wrap(pen, style, table->rows[r].cells[c], width + 0.01);
            rft_pen_shorten(pen, style, &row->cells[c], span ? SPAN_LINES : CELL_LINES, width);
            most = row->cells[c].count > most ? row->cells[c].count : most;
        }
        const char *detail = table->rows[r].detail;
        double detail_width = plan->room - DETAIL_INDENT;
        row->detail = detail ? rft_pen_wrap(pen, &quiet_style, detail, detail_width) : (rft_lines){NULL, 0};
        rft_pen_shorten(pen, &quiet_style, &row->detail, CELL_LINES, detail_width);
        row->height = (double)(most + row->detail.count) * LINE_STEP + 2 * PADDING;
    }
}

rft_table_plan rft_table_fit(rft_pen *pen, const rft_table *table, double width) {
    rft_table_plan plan = {0};
    size_t count = table->column_count;
    plan.table = table;
    plan.room = width;
    plan.lefts = rft_arena_calloc(pen->arena, count, sizeof(double));
    plan.widths = rft_arena_calloc(pen->arena, count, sizeof(double));
    plan.fractions = rft_arena_calloc(pen->arena, count, sizeof(double));
    plan.headers = rft_arena_calloc(pen->arena, count, sizeof(rft_lines));
    plan.title_lines = rft_arena_calloc(pen->arena, count, sizeof(size_t));
    column_size *sizes = rft_arena_calloc(pen->arena, count, sizeof *sizes);
    for (size_t c = 0; c < count; c++) {
        sizes[c] = measure_column(pen, table, c);
        plan.fractions[c] = sizes[c].fraction;
    }
    double gaps = (double)(count - 1);
    share_width(sizes, plan.widths, count, width - gaps * GAP_LEAST);
    double used = 0;
    for (size_t c = 0; c < count; c++) {
        used += plan.widths[c];
    }
    double gap = gaps > 0 ? (width - used) / gaps : 0;
    gap = table->plain || gap > GAP_FULL ? fmin(gap, GAP_MOST) : gap;
    for (size_t c = 0; c < count; c++) {
        plan.lefts[c] = plan.width;
        plan.width += plan.widths[c] + (c + 1 < count ? gap : 0);
    }
    plan.width = table->plain ? plan.width : width; /* rules of one length on all pages */
    plan_header(pen, &plan);
    plan_rows(pen, &plan);
    return plan;
}

void rft_table_draw_header(rft_pen *pen, const rft_table_plan *plan, double x, double y) {
    const rft_table *table = plan->table;
    if (table->plain) {
        return;
    }
    for (size_t c = 0; c < table->column_count; c++) {
        bool left = table->columns[c].align == RFT_ALIGN_LEFT;
        const rft_lines *lines = &plan->headers[c];
        pen->cell = (rft_rect){x + plan->lefts[c], y, plan->widths[c], plan->header_height};
        for (size_t i = 0; i < lines->count; i++) {
            /* Headers stand on the rule, whatever the number of their lines. */
            double up = (double)(lines->count - 1 - i) * LINE_STEP;
            rft_spot at = {x + plan->lefts[c] + (left ? 0 : plan->widths[c]),
                           y + plan->header_height - PADDING - 2.4 - up};
            rft_pen_put(pen, at, left ? 0 : 1, i < plan->title_lines[c] ? &strong_style : &quiet_style,
                        &lines->items[i]);
        }
    }
    pen->cell = (rft_rect){0};
    double rule = y + plan->header_height;
    rft_pen_rule(pen, (rft_spot){x, rule}, (rft_spot){x + plan->width, rule}, RFT_COLOUR_INK, 0.6);
}

static void draw_cell(rft_pen *pen, const rft_table_plan *plan, size_t r, size_t c, rft_spot corner) {
    const rft_pen_style *style = cell_style(plan->table, &plan->table->rows[r], c);
    const rft_lines *lines = &plan->rows[r].cells[c];
    rft_align align = plan->table->columns[c].align;
    double width = plan->table->rows[r].span ? plan->room : plan->widths[c];
    pen->cell = (rft_rect){corner.x + plan->lefts[c], corner.y, width, plan->rows[r].height};
    for (size_t i = 0; i < lines->count; i++) {
        const rft_line *line = &lines->items[i];
        rft_spot at = {corner.x + plan->lefts[c], corner.y + PADDING + 7.4 + (double)i * LINE_STEP};
        size_t point = align == RFT_ALIGN_DECIMAL && lines->count == 1 ? decimal_point(line) : SIZE_MAX;
        if (point != SIZE_MAX) {
            double whole = rft_font_width(style->font, style->size, line->text, point);
            at.x += fmax(plan->widths[c] - plan->fractions[c] - whole, 0); /* of a column that had to give room */
            rft_pen_put(pen, at, 0, style, line);
        } else if (align != RFT_ALIGN_LEFT) {
            at.x += plan->widths[c];
            rft_pen_put(pen, at, 1, style, line);
        } else {
            rft_pen_put(pen, at, 0, style, line);
        }
    }
    pen->cell = (rft_rect){0};
}

/* Whether it stands clear of the number, in a table that had to give room. */
static bool meter_fits(const rft_table_plan *plan, size_t row, size_t c) {
    const rft_lines *lines = &plan->rows[row].cells[c];
    const rft_pen_style *style = cell_style(plan->table, &plan->table->rows[row], c);
    return lines->count == 1 && rft_pen_width(&lines->items[0], style) + METER_ROOM <= plan->widths[c] + 0.1;
}

/* Before the number, on its line. */
static void draw_meter(rft_pen *pen, double share, rft_spot corner) {
    double full = fmin(share, 1) * METER_WIDTH, top = corner.y + PADDING + 2.4;
    double more = (fmin(share, METER_MOST) - 1) * METER_WIDTH, mark = corner.x + METER_WIDTH;
    rft_canvas_rects(pen->canvas, &(rft_rect){corner.x, top, full, METER_HEIGHT}, 1, rft_pen_tone(RFT_TONE_C));
    if (more > 0.5) {
        const rft_stroke edge = {rft_pen_tone(RFT_TONE_C), 0.5, 0, 0};
        const rft_spot round[] = {{mark, top + 0.25},
                                  {mark + more, top + 0.25},
                                  {mark + more, top + METER_HEIGHT - 0.25},
                                  {mark, top + METER_HEIGHT - 0.25}};
        rft_canvas_line(pen->canvas, round, 4, &edge);
    }
    rft_pen_rule(pen, (rft_spot){mark, top - 1.5}, (rft_spot){mark, top + METER_HEIGHT + 1.5}, RFT_COLOUR_INK, 0.6);
}

void rft_table_draw_row(rft_pen *pen, const rft_table_plan *plan, size_t row, double x, double y) {
    const rft_row *data = &plan->table->rows[row];
    double height = plan->rows[row].height;
    if (data->rule) {
        rft_pen_rule(pen, (rft_spot){x, y}, (rft_spot){x + plan->width, y}, RFT_COLOUR_RULE, 0.5);
    }
    for (size_t c = 0; c < (data->span ? 1 : plan->table->column_count); c++) {
        draw_cell(pen, plan, row, c, (rft_spot){x, y});
        if (plan->table->columns[c].meter && data->meter > 0 && meter_fits(plan, row, c)) {
            draw_meter(pen, data->meter, (rft_spot){x + plan->lefts[c], y});
        }
    }
    const rft_lines *detail = &plan->rows[row].detail;
    pen->cell = (rft_rect){x + DETAIL_INDENT, y, plan->room - DETAIL_INDENT, height};
    for (size_t i = 0; i < detail->count; i++) {
        double up = (double)(detail->count - 1 - i) * LINE_STEP;
        rft_spot at = {x + DETAIL_INDENT, y + height - PADDING - 2.4 - up};
        rft_pen_put(pen, at, 0, &quiet_style, &detail->items[i]);
    }
    pen->cell = (rft_rect){0};
    if (data->link) {
        rft_rect box = {x + plan->lefts[0], y, data->span ? plan->width : plan->widths[0], height};
        rft_canvas_link(pen->canvas, &box, data->link);
    }
    if (!plan->table->plain) {
        rft_pen_rule(pen, (rft_spot){x, y + height}, (rft_spot){x + plan->width, y + height}, RFT_COLOUR_FAINT, 0.4);
    }
}
