/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/page.h"

#include "reports/page/chart.h"
#include "reports/page/table.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define CAPTION_ROOM 44.0 /* a chart's title, and two lines below it */
#define TOP RFT_PAGE_MARGIN
#define BOTTOM (RFT_PAGE_HEIGHT - 66.0) /* of the text; the footer is below */
#define LEFT RFT_PAGE_MARGIN
#define WIDTH (RFT_PAGE_WIDTH - 2 * RFT_PAGE_MARGIN)
#define GUTTER RFT_PAGE_GUTTER
#define CHAPTER_ROOM 0.24 /* of a page: a chapter goes on where so much of it is left */
#define PAGE_LEAST 0.36   /* of a page; with less on it the next chapter does not begin a new one */
#define TABLE_WHOLE 0.27
#define CHAPTER_GAP 14.0
#define PART_GAP 6.0
#define NOTE_INDENT 18.0
#define NOTE_GAP 12.0
#define NOTE_COLUMNS_MOST 3
#define MONO_MANY 6 /* short lines of preformatted text */
#define MONO_ROWS_MOST 40
#define CHARTS_MANY 3    /* in a row: small ones, whose rows stand on one page where they fit */
#define CHARTS_LATE 0.60 /* of a page: behind it small charts begin the next one */
#define MONO_TOGETHER 24 /* lines of it that are not torn apart */
#define LINES_TOGETHER 6 /* a text of so many lines is not torn apart */
#define FIGURES_HEIGHT 58.0
#define THIRD_LINE 6.0
#define FIGURES_MOST 4
#define CONTENTS_MOST 6  /* chapters in one column */
#define CONTENTS_MANY 26 /* more stand in three columns, smaller */
#define CONTENTS_GAP 30.0
#define CONTENTS_FRAC 0.7 /* of a page at most */
#define CONTENTS_STEP 15.0
#define CONTENTS_STEP_MANY 12.0

static const rft_pen_style footer_style = {RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_QUIET};
static const rft_pen_style footer_strong_style = {RFT_FONT_BOLD, RFT_SIZE_SMALL, RFT_COLOUR_INK};
static const rft_pen_style figure_style = {RFT_FONT_BOLD, RFT_SIZE_TITLE, RFT_COLOUR_INK};
static const rft_pen_style note_style = {RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_QUIET};
static const rft_pen_style contents_small_style = {RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_LINK};
static const rft_pen_style contents_style = {RFT_FONT_REGULAR, RFT_SIZE_BODY, RFT_COLOUR_LINK};

typedef struct text_look {
    rft_pen_style style;
    double step, after; /* points from line to line; below the last one */
} text_look;

static const text_look text_looks[] = {
    [RFT_TEXT_BODY] = {{RFT_FONT_REGULAR, RFT_SIZE_BODY, RFT_COLOUR_INK}, 13.5, 6},
    [RFT_TEXT_LEAD] = {{RFT_FONT_REGULAR, RFT_SIZE_TITLE, RFT_COLOUR_INK}, 20, 10},
    [RFT_TEXT_STRONG] = {{RFT_FONT_BOLD, RFT_SIZE_BODY, RFT_COLOUR_INK}, 13.5, 6},
    [RFT_TEXT_NOTE] = {{RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_QUIET}, 10, 3},
    [RFT_TEXT_LEGEND] = {{RFT_FONT_REGULAR, RFT_SIZE_SMALL, RFT_COLOUR_QUIET}, 10, 3},
    [RFT_TEXT_MONO] = {{RFT_FONT_MONO, RFT_SIZE_SMALL, RFT_COLOUR_INK}, 9.5, 6},
};

typedef struct heading_look {
    rft_pen_style style;
    double before, step, after;
} heading_look;

static const heading_look heading_looks[] = {
    {{RFT_FONT_BOLD, RFT_SIZE_TITLE, RFT_COLOUR_INK}, 18, 20, 6},
    {{RFT_FONT_BOLD, RFT_SIZE_BODY, RFT_COLOUR_INK}, 10, 13, 2},
    {{RFT_FONT_BOLD, RFT_SIZE_SMALL, RFT_COLOUR_INK}, 6, 10, 2},
};

typedef struct layout {
    const rft_doc *doc;
    rft_pen pen;
    double y;
    int page, total;    /* total: 0 while it is being counted */
    int most;           /* more are not laid out */
    int *heading_pages; /* per block; filled by the measuring pass */
} layout;

static void draw_footer(layout *l) {
    double y = RFT_PAGE_HEIGHT - 46;
    rft_pen_rule(&l->pen, (rft_spot){LEFT, y - 11}, (rft_spot){LEFT + WIDTH, y - 11}, RFT_COLOUR_RULE, 0.5);
    size_t replaced = l->pen.replaced;
    double room = WIDTH - 90; /* beside the page number */
    rft_lines left = rft_pen_wrap(&l->pen, &footer_style, l->doc->footer_left, room);
    rft_pen_shorten(&l->pen, &footer_style, &left, 1, room);
    rft_pen_put(&l->pen, (rft_spot){LEFT, y}, 0, &footer_style, &left.items[0]);
    rft_pen_text(&l->pen, (rft_spot){LEFT + WIDTH, y}, 1, &footer_style,
                 rft_arena_printf(l->pen.arena, "page %d of %d", l->page, l->total));
    if (l->doc->footer_extra) {
        y += 10;
        rft_lines lines = rft_pen_wrap(&l->pen, &footer_strong_style, l->doc->footer_extra, WIDTH);
        rft_pen_shorten(&l->pen, &footer_strong_style, &lines, 1, WIDTH);
        rft_pen_put(&l->pen, (rft_spot){LEFT, y}, 0, &footer_strong_style, &lines.items[0]);
    }
    if (replaced + l->pen.replaced > 0) {
        y += 10;
        rft_pen_text(&l->pen, (rft_spot){LEFT, y}, 0, &footer_style,
                     "On this page \"?\" also stands for characters that the PDF's fonts lack (--font FILE.ttf).");
    }
    l->pen.replaced = 0;
}

static void start_page(layout *l) {
    l->pen.cell = (rft_rect){0};
    if (l->page > 0) {
        draw_footer(l);
    }
    l->page++;
    l->y = TOP;
    rft_canvas_page(l->pen.canvas, RFT_PAGE_WIDTH, RFT_PAGE_HEIGHT);
}

static bool at_top(const layout *l) {
    return l->y <= TOP + 0.5;
}

static void need(layout *l, double height) {
    if (l->y + height > BOTTOM && !at_top(l)) {
        start_page(l);
    }
}

static double charts_height(const rft_block *block) {
    double height = 0;
    for (size_t i = 0; i < block->chart_count; i++) {
        height = fmax(height, block->charts[i]->height);
    }
    return height;
}

/* Of this row of charts, and of those that follow where all are small and fit on a page. */
static double rows_height(const layout *l, size_t index) {
    double all = 0;
    const rft_block *block = &l->doc->blocks[index];
    for (size_t i = index; i < l->doc->block_count; i++, block++) {
        if (block->kind != RFT_BLOCK_CHARTS || block->chart_count < CHARTS_MANY) {
            break;
        }
        all += charts_height(block) + 10;
    }
    bool late = l->y > TOP + (BOTTOM - TOP) * CHARTS_LATE;
    return late && all <= BOTTOM - TOP ? fmax(all, charts_height(&l->doc->blocks[index]))
                                       : charts_height(&l->doc->blocks[index]);
}

/* Height of the note that explains a table or charts: it stays with the last row of them. */
static double note_below(layout *l, const rft_block *block) {
    const rft_block *next = block + 1;
    if (next == l->doc->blocks + l->doc->block_count || next->kind != RFT_BLOCK_TEXT ||
        (next->style != RFT_TEXT_NOTE && next->style != RFT_TEXT_LEGEND)) {
        return 0;
    }
    size_t replaced = l->pen.replaced;
    rft_lines lines = rft_pen_wrap(&l->pen, &note_style, next->text, WIDTH);
    l->pen.replaced = replaced;
    return text_looks[RFT_TEXT_NOTE].step * (double)(lines.count <= LINES_TOGETHER ? lines.count : 2);
}

/* What of a table must be together. */
static double table_least(layout *l, const rft_block *block, const rft_table_plan *plan) {
    double height = plan->header_height, whole = height;
    for (size_t r = 0; r < plan->table->row_count; r++) {
        whole += plan->rows[r].height;
        height += r < 3 ? plan->rows[r].height : 0;
    }
    /* What fits on a quarter of a page is not torn apart; more would leave too much of the page before empty. */
    whole += block->table->note_count == 0 ? note_below(l, block) + 12 : 0;
    return whole < (BOTTOM - TOP) * TABLE_WHOLE ? whole : fmin(height, BOTTOM - TOP);
}

/* The chapters that follow the contents: in columns where they are many. */
typedef struct contents_plan {
    size_t count, columns, rows;
    double step;
} contents_plan;

static contents_plan plan_contents(const rft_doc *doc, size_t index) {
    contents_plan plan = {0};
    for (size_t i = index + 1; i < doc->block_count; i++) {
        plan.count += doc->blocks[i].kind == RFT_BLOCK_HEADING && doc->blocks[i].level == 1;
    }
    plan.count = doc->blocks[index].level > 0 ? (size_t)doc->blocks[index].level : plan.count;
    plan.columns = plan.count > CONTENTS_MANY ? 3 : plan.count > CONTENTS_MOST ? 2 : 1;
    plan.step = plan.columns > 2 ? CONTENTS_STEP_MANY : CONTENTS_STEP;
    size_t most = plan.columns * (size_t)((BOTTOM - TOP) * CONTENTS_FRAC / plan.step);
    plan.count = plan.count < most ? plan.count : most; /* the bookmarks have them all */
    plan.rows = (plan.count + plan.columns - 1) / plan.columns;
    return plan;
}

static double mono_height(layout *l, const char *text);

/* What must fit below a heading so that it does not stand alone. */
static double least_height(layout *l, size_t index, int texts) {
    if (index >= l->doc->block_count) {
        return 0;
    }
    const rft_block *block = &l->doc->blocks[index];
    switch (block->kind) {
    case RFT_BLOCK_HEADING: {
        const heading_look *look = &heading_looks[block->level - 1];
        return look->before + look->step + look->after + least_height(l, index + 1, texts);
    }
    case RFT_BLOCK_TEXT: {
        /* Up to three short texts introduce what follows them. */
        const text_look *look = &text_looks[block->style];
        if (block->style == RFT_TEXT_MONO) { /* and what else there is to copy */
            const rft_block *next = index + 1 < l->doc->block_count ? block + 1 : NULL;
            bool goes_on = next && next->kind == RFT_BLOCK_TEXT && next->style == RFT_TEXT_MONO;
            return mono_height(l, block->text) + (goes_on ? look->after + least_height(l, index + 1, texts) : 0);
        }
        rft_lines lines = rft_pen_wrap(&l->pen, &look->style, block->text, WIDTH);
        if (lines.count <= 3 && texts > 0 && index + 1 < l->doc->block_count &&
            (l->doc->blocks[index + 1].kind != RFT_BLOCK_HEADING || l->doc->blocks[index + 1].level == 2)) {
            return look->step * (double)lines.count + look->after + least_height(l, index + 1, texts - 1);
        }
        return look->step * (double)(lines.count < 2 ? lines.count : 2);
    }
    case RFT_BLOCK_TABLE: {
        rft_table_plan plan = rft_table_fit(&l->pen, block->table, WIDTH);
        return table_least(l, block, &plan);
    }
    case RFT_BLOCK_CHARTS:
        return rows_height(l, index) + 14 + note_below(l, block);
    case RFT_BLOCK_CONTENTS: {
        contents_plan plan = plan_contents(l->doc, index);
        return plan.step * (double)plan.rows;
    }
    case RFT_BLOCK_FIGURES:
        return 60;
    case RFT_BLOCK_NEW_PAGE:
    case RFT_BLOCK_NEW_CHAPTER:
        return 0;
    }
    return 0;
}

/* What is put from here on stays in this box of the text's column; width 0: anywhere. */
static void stay_in(layout *l, double x, double y, double width, double height) {
    l->pen.cell = (rft_rect){x, y, width, height};
}

static void place_heading(layout *l, size_t index) {
    const rft_block *block = &l->doc->blocks[index];
    const heading_look *look = &heading_looks[block->level - 1];
    size_t replaced = l->pen.replaced;
    double least = least_height(l, index, l->doc->tight ? 2 : 3);
    l->pen.replaced = replaced; /* measuring ahead is not yet this page's text */
    need(l, least);
    if (!at_top(l)) {
        l->y += look->before;
    }
    l->heading_pages[index] = l->page;
    rft_lines title = rft_pen_wrap(&l->pen, &contents_style, block->text, WIDTH);
    rft_pen_shorten(&l->pen, &contents_style, &title, 1, WIDTH);
    rft_canvas_bookmark(l->pen.canvas, block->level,
                        rft_arena_strndup(l->pen.arena, title.items[0].text, title.items[0].length), l->y);
    rft_canvas_place(l->pen.canvas, block->anchor, l->y);
    rft_lines lines = rft_pen_wrap(&l->pen, &look->style, block->text, WIDTH);
    rft_pen_shorten(&l->pen, &look->style, &lines, 4, WIDTH);
    for (size_t i = 0; i < lines.count; i++) {
        stay_in(l, LEFT, l->y, WIDTH, look->step);
        l->y += look->step;
        rft_pen_put(&l->pen, (rft_spot){LEFT, l->y - 0.2 * look->style.size}, 0, &look->style, &lines.items[i]);
    }
    stay_in(l, 0, 0, 0, 0);
    l->y += look->after;
}

static void place_lines(layout *l, const text_look *look, const char *text, double indent) {
    rft_lines lines = rft_pen_wrap(&l->pen, &look->style, text, WIDTH - indent);
    need(l, look->step * (double)(lines.count <= LINES_TOGETHER ? lines.count : 2));
    for (size_t i = 0; i < lines.count; i++) {
        need(l, look->step);
        stay_in(l, LEFT + indent, l->y, WIDTH - indent, look->step);
        l->y += look->step;
        rft_pen_put(&l->pen, (rft_spot){LEFT + indent, l->y - 0.25 * look->style.size}, 0, &look->style,
                    &lines.items[i]);
    }
    stay_in(l, 0, 0, 0, 0);
    l->y += look->after;
}

/* How many lines at `text` are short enough to stand two to a row. */
static size_t short_lines(layout *l, const char *text) {
    size_t count = 0;
    for (; *text; count++) {
        size_t length = strcspn(text, "\n");
        rft_line line = rft_pen_encode(&l->pen, rft_arena_strndup(l->pen.arena, text, length));
        if (rft_pen_width(&line, &text_looks[RFT_TEXT_MONO].style) > (WIDTH - GUTTER) / 2) {
            break;
        }
        text += length + (text[length] == '\n');
    }
    return count;
}

/* The rows from `text` on: of more than one the lines stand in two columns. */
static size_t mono_rows(layout *l, const char *text) {
    size_t count = short_lines(l, text), rows = (count + 1) / 2;
    return count < MONO_MANY ? 1 : rows < MONO_ROWS_MOST ? rows : MONO_ROWS_MOST;
}

/* What of a preformatted text must be together: all of it, or the first lines where it is long. */
static double mono_height(layout *l, const char *text) {
    size_t lines = 0, replaced = l->pen.replaced;
    while (*text) {
        size_t rows = mono_rows(l, text);
        for (size_t i = 0; i < (rows > 1 ? 2 * rows : 1) && *text; i++) {
            size_t length = strcspn(text, "\n");
            lines += rows > 1 ? 0
                              : rft_pen_wrap(&l->pen, &text_looks[RFT_TEXT_MONO].style,
                                             rft_arena_strndup(l->pen.arena, text, length), WIDTH)
                                    .count;
            text += length + (text[length] == '\n');
        }
        lines += rows > 1 ? rows : 0;
    }
    l->pen.replaced = replaced; /* it is counted when it is drawn */
    return text_looks[RFT_TEXT_MONO].step * (double)(lines <= MONO_TOGETHER ? lines : 2);
}

/* Preformatted text: a line each, and what is too long for one is broken. Many short ones stand in two columns, the
 * left one first also for who copies them. */
static void place_mono(layout *l, const char *text) {
    text_look look = text_looks[RFT_TEXT_MONO];
    look.after = 0;
    need(l, mono_height(l, text));
    while (*text) {
        size_t rows = mono_rows(l, text);
        need(l, rows > 1 ? look.step * (double)rows : 0);
        double top = l->y;
        for (size_t i = 0; i < (rows > 1 ? 2 * rows : 1) && *text; i++) {
            size_t length = strcspn(text, "\n");
            const char *line = rft_arena_strndup(l->pen.arena, text, length);
            l->y = i == rows && rows > 1 ? top : l->y;
            place_lines(l, &look, line, i >= rows ? (WIDTH + GUTTER) / 2 : 0);
            text += length + (text[length] == '\n');
        }
        l->y = rows > 1 ? top + look.step * (double)rows : l->y;
    }
    l->y += text_looks[RFT_TEXT_MONO].after;
}

/* Short notes stand beside each other: how many columns of them there are. */
static size_t note_columns(layout *l, const rft_table *table) {
    double widest = 0;
    for (size_t i = 0; i < table->note_count; i++) {
        rft_line line = rft_pen_encode(&l->pen, table->notes[i]);
        widest = fmax(widest, rft_pen_width(&line, &note_style));
    }
    size_t columns = (size_t)((WIDTH + NOTE_GAP) / (widest + NOTE_INDENT + NOTE_GAP));
    return columns < 1 || table->note_count < 3 ? 1 : columns > NOTE_COLUMNS_MOST ? NOTE_COLUMNS_MOST : columns;
}

static void place_notes(layout *l, const rft_table *table) {
    size_t columns = note_columns(l, table);
    double step = text_looks[RFT_TEXT_NOTE].step;
    double width = (WIDTH - NOTE_GAP * (double)(columns - 1)) / (double)columns;
    /* All of them under the table's last rows, where they are few. */
    size_t rows = (table->note_count + columns - 1) / columns;
    need(l, step * (double)(rows <= LINES_TOGETHER ? rows : 2));
    for (size_t i = 0; i < table->note_count; i++) {
        size_t column = i % columns;
        if (column == 0) {
            need(l, step);
        }
        double x = LEFT + (double)column * (width + NOTE_GAP);
        const char *mark = i < 26
                               ? rft_arena_printf(l->pen.arena, "(%c)", (int)('a' + i))
                               : rft_arena_printf(l->pen.arena, "(%c%c)", (int)('a' + i / 26 - 1), (int)('a' + i % 26));
        rft_pen_text(&l->pen, (rft_spot){x, l->y + step - 2}, 0, &note_style, mark);
        if (columns == 1) {
            text_look look = text_looks[RFT_TEXT_NOTE];
            look.after = 0;
            place_lines(l, &look, table->notes[i], NOTE_INDENT);
            continue;
        }
        stay_in(l, x + NOTE_INDENT, l->y, width - NOTE_INDENT, step);
        rft_pen_text(&l->pen, (rft_spot){x + NOTE_INDENT, l->y + step - 2}, 0, &note_style, table->notes[i]);
        stay_in(l, 0, 0, 0, 0);
        if (column + 1 == columns || i + 1 == table->note_count) {
            l->y += step;
        }
    }
}

/* Of a few notes, which stay under their table; 0 of many. */
static double notes_height(layout *l, const rft_table *table) {
    size_t columns = note_columns(l, table), lines = 0, replaced = l->pen.replaced;
    for (size_t i = 0; i < table->note_count && columns == 1; i++) {
        lines += rft_pen_wrap(&l->pen, &note_style, table->notes[i], WIDTH - NOTE_INDENT).count;
    }
    l->pen.replaced = replaced;
    lines = columns == 1 ? lines : (table->note_count + columns - 1) / columns;
    return lines <= LINES_TOGETHER ? 4 + text_looks[RFT_TEXT_NOTE].step * (double)lines : 0;
}

/* Small print above is no part of what follows it. */
static void part_from_note(layout *l, const rft_block *block) {
    const rft_block *before = block - 1;
    bool note = block > l->doc->blocks && before->kind == RFT_BLOCK_TEXT && before->style == RFT_TEXT_NOTE;
    l->y += note && !at_top(l) ? PART_GAP : 0;
}

/* The last row does not stand alone on a page, nor do the notes below it. */
static double with_last(layout *l, const rft_block *block, const rft_table_plan *plan, size_t row) {
    size_t count = block->table->row_count;
    double note = block->table->note_count == 0 ? note_below(l, block) + 12 : notes_height(l, block->table);
    return row > 0 && row + 1 == count ? note : row > 0 && row + 2 == count ? plan->rows[row + 1].height + note : 0;
}

static void place_table(layout *l, const rft_block *block) {
    const rft_table *table = block->table;
    if (table->row_count == 0) {
        return;
    }
    size_t replaced = l->pen.replaced;
    l->pen.replaced = 0;
    rft_table_plan plan = rft_table_fit(&l->pen, table, WIDTH);
    size_t in_table = l->pen.replaced;
    l->pen.replaced = replaced;
    part_from_note(l, block);
    need(l, table_least(l, block, &plan));
    l->pen.replaced += in_table;
    rft_table_draw_header(&l->pen, &plan, LEFT, l->y);
    l->y += plan.header_height;
    for (size_t r = 0; r < table->row_count; r++) {
        bool leads = table->rows[r].span && r + 1 < table->row_count; /* never alone at the foot of a page */
        double height = plan.rows[r].height + (leads ? plan.rows[r + 1].height : 0);
        if (l->y + height + with_last(l, block, &plan, r) > BOTTOM && !at_top(l)) {
            start_page(l);
            l->pen.replaced = in_table;
            rft_table_draw_header(&l->pen, &plan, LEFT, l->y);
            l->y += plan.header_height;
        }
        rft_table_draw_row(&l->pen, &plan, r, LEFT, l->y);
        l->y += plan.rows[r].height;
    }
    l->y += 4;
    place_notes(l, table);
    l->y += 8;
}

static void place_charts(layout *l, const rft_block *block) {
    double height = charts_height(block);
    double count = (double)block->chart_count;
    double width = (WIDTH - GUTTER * (count - 1)) / count;
    part_from_note(l, block);
    need(l, height + 14 + note_below(l, block));
    for (size_t i = 0; i < block->chart_count; i++) {
        rft_rect box = {LEFT + (double)i * (width + GUTTER), l->y, width, block->charts[i]->height};
        rft_chart_draw(&l->pen, block->charts[i], &box);
    }
    l->y += height + 4;
    for (size_t i = 0; i < block->chart_count; i++) {
        if (block->charts[i]->caption) {
            place_lines(l, &text_looks[RFT_TEXT_NOTE], block->charts[i]->caption, 0);
        }
    }
    l->y += 6;
}

/* A large number and three small lines each at most, under a rule of its own. */
static void place_figures(layout *l, const rft_block *block) {
    double width = (WIDTH - GUTTER * (FIGURES_MOST - 1)) / FIGURES_MOST; /* fewer leave room at the right */
    double more = 0;                                                     /* below a third line */
    need(l, FIGURES_HEIGHT);
    for (size_t i = 0; i < block->figure_count; i++) {
        double x = LEFT + (double)i * (width + GUTTER), y = l->y + 4;
        rft_pen_rule(&l->pen, (rft_spot){x, y}, (rft_spot){x + width, y}, RFT_COLOUR_INK, 0.8);
        rft_lines value = rft_pen_wrap(&l->pen, &figure_style, block->figures[i].value, width);
        rft_pen_shorten(&l->pen, &figure_style, &value, 1, width);
        stay_in(l, x, y, width, FIGURES_HEIGHT);
        rft_pen_put(&l->pen, (rft_spot){x, y + 19}, 0, &figure_style, &value.items[0]);
        rft_lines label = rft_pen_wrap(&l->pen, &note_style, block->figures[i].label, width);
        rft_pen_shorten(&l->pen, &note_style, &label, 3, width);
        more = label.count > 2 ? THIRD_LINE : more;
        for (size_t k = 0; k < label.count; k++) {
            rft_pen_put(&l->pen, (rft_spot){x, y + 31 + 10 * (double)k}, 0, &note_style, &label.items[k]);
        }
    }
    stay_in(l, 0, 0, 0, 0);
    l->y += FIGURES_HEIGHT + more;
}

static void place_contents(layout *l, size_t index) {
    contents_plan plan = plan_contents(l->doc, index);
    size_t placed = 0;
    double width = (WIDTH - CONTENTS_GAP * (double)(plan.columns - 1)) / (double)plan.columns;
    const rft_pen_style *style = plan.columns > 2 ? &contents_small_style : &contents_style;
    const rft_pen_style *number = &text_looks[plan.columns > 2 ? RFT_TEXT_NOTE : RFT_TEXT_BODY].style;
    need(l, plan.step * (double)plan.rows);
    double top = l->y;
    for (size_t i = index + 1; i < l->doc->block_count && placed < plan.count; i++) {
        const rft_block *block = &l->doc->blocks[i];
        if (block->kind != RFT_BLOCK_HEADING || block->level != 1) {
            continue;
        }
        double left = LEFT + (double)(placed / plan.rows) * (width + CONTENTS_GAP);
        l->y = placed % plan.rows == 0 ? top : l->y;
        rft_lines lines = rft_pen_wrap(&l->pen, style, block->text, width - 24);
        rft_pen_shorten(&l->pen, style, &lines, 1, width - 24);
        l->y += plan.step;
        rft_pen_put(&l->pen, (rft_spot){left, l->y - 3}, 0, style, &lines.items[0]);
        rft_pen_text(&l->pen, (rft_spot){left + width, l->y - 3}, 1, number,
                     rft_arena_printf(l->pen.arena, "%d", l->heading_pages[i]));
        rft_rect box = {left, l->y - plan.step, width, plan.step};
        rft_canvas_link(l->pen.canvas, &box, block->anchor);
        placed++;
    }
    l->y = top + plan.step * (double)plan.rows + 6;
}

static void place_block(layout *l, size_t index) {
    const rft_block *block = &l->doc->blocks[index];
    switch (block->kind) {
    case RFT_BLOCK_HEADING:
        place_heading(l, index);
        break;
    case RFT_BLOCK_TEXT:
        if (block->style == RFT_TEXT_MONO) {
            place_mono(l, block->text);
        } else {
            place_lines(l, &text_looks[block->style], block->text, 0);
        }
        break;
    case RFT_BLOCK_TABLE:
        place_table(l, block);
        break;
    case RFT_BLOCK_CHARTS:
        if (!block->optional || l->y + charts_height(block) + CAPTION_ROOM <= BOTTOM) {
            place_charts(l, block);
        }
        break;
    case RFT_BLOCK_CONTENTS:
        place_contents(l, index);
        break;
    case RFT_BLOCK_FIGURES:
        place_figures(l, block);
        break;
    case RFT_BLOCK_NEW_PAGE:
        /* A page that has next to nothing on it is gone on with. */
        need(l, l->y < TOP + (BOTTOM - TOP) * PAGE_LEAST ? 0 : BOTTOM);
        l->y += at_top(l) ? 0 : CHAPTER_GAP;
        break;
    case RFT_BLOCK_NEW_CHAPTER:
        need(l, (BOTTOM - TOP) * CHAPTER_ROOM);
        l->y += at_top(l) ? 0 : CHAPTER_GAP;
        break;
    }
}

static void run_pass(layout *l, rft_canvas *canvas) {
    l->pen = (rft_pen){.canvas = canvas, .arena = rft_arena_new(), .foreign = l->doc->foreign};
    l->page = 0;
    start_page(l);
    for (size_t i = 0; i < l->doc->block_count && l->page <= l->most; i++) {
        place_block(l, i);
        rft_arena_reset(l->pen.arena);
    }
    draw_footer(l);
    rft_arena_free(l->pen.arena);
}

int rft_page_layout(const rft_doc *doc, rft_canvas *canvas) {
    layout l = {.doc = doc, .most = INT_MAX};
    l.heading_pages = rft_arena_calloc(doc->arena, doc->block_count ? doc->block_count : 1, sizeof(int));
    run_pass(&l, NULL);
    l.total = l.page;
    run_pass(&l, canvas);
    return l.page;
}

bool rft_page_exceeds(const rft_doc *doc, int most) {
    layout l = {.doc = doc, .most = most};
    l.heading_pages = rft_arena_calloc(doc->arena, doc->block_count ? doc->block_count : 1, sizeof(int));
    run_pass(&l, NULL);
    return l.page > most;
}
