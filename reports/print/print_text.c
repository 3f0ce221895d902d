/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/print/print.h"

#include "reports/print/layout.h"
#include "reports/print/plot.h"
#include "reports/print/spark.h"

#include <string.h>

#define GAP 2            /* columns between cells */
#define LEAST_WRAPPED 12 /* columns that a cell of words is not made narrower than */
#define WHOLE_WORD 24    /* columns up to which a word of such a cell, "n=16777216", is not torn */
#define HANG 2           /* further lines of a paragraph */
#define HEAD_MOST 32     /* columns of a cell before a paragraph */

typedef struct text_printer {
    rft_str *out;
    rft_arena *arena;
    const rft_print_opts *opts;
    unsigned reader;
    bool begun; /* something was printed */
} text_printer;

/* ---- words in a width ---- */

typedef struct word_lines {
    const char **items;
    size_t count, capacity;
} word_lines;

static void add_line(text_printer *p, word_lines *lines, const char *text, size_t length) {
    lines->items = rft_arena_grown(p->arena, lines->items, lines->count, &lines->capacity, sizeof *lines->items);
    lines->items[lines->count++] = rft_arena_strndup(p->arena, text, length);
}

/* Breaks `words` at spaces; a word that is too long is broken, too. At least one line. Of what is left no more is
 * looked at than a line: a text of a file may be long. */
static word_lines broken(text_printer *p, const char *words, size_t width) {
    word_lines lines = {0};
    for (size_t fitting; words[fitting = rft_layout_fitting(words, width)];) {
        size_t cut = fitting;
        while (cut > 0 && words[cut] != ' ') {
            cut--;
        }
        cut = cut ? cut : fitting ? fitting : 1;
        add_line(p, &lines, words, cut);
        words += cut;
        words += strspn(words, " ");
    }
    add_line(p, &lines, words, strlen(words));
    return lines;
}

static size_t longest_word(const char *words) {
    size_t longest = 0;
    while (*words) {
        char word[80];
        size_t length = strcspn(words, " ");
        rft_text_format(word, sizeof word, "%.*s", (int)length, words);
        longest = rft_layout_columns(word) > longest ? rft_layout_columns(word) : longest;
        words += length + strspn(words + length, " ");
    }
    return longest;
}

/* Behind a number the multiplication sign becomes "x", the dash of a range "-"; in ASCII some signs have forms of their
 * own. */
static const char *plain(const text_printer *p, const char *text) {
    static const struct {
        const char *from, *to;
        bool always; /* behind a digit; else only in ASCII, anywhere */
    } signs[] = {{"\xc3\x97", "x", true},
                 {"\xe2\x80\x93", "-", true},
                 {"\xc2\xb1", "+-", false},
                 {"\xe2\x80\xa6", "...", false}};
    const size_t count = sizeof signs / sizeof *signs;
    rft_str out = RFT_STR_INIT;
    for (bool digit = false; *text; digit = *text >= '0' && *text <= '9', text++) {
        size_t i = 0;
        while (i < count && !((signs[i].always ? digit : p->opts->ascii) && rft_text_starts(text, signs[i].from))) {
            i++;
        }
        if (i < count) {
            rft_str_add(&out, signs[i].to);
            text += strlen(signs[i].from) - 1;
        } else {
            rft_str_add_char(&out, *text);
        }
    }
    const char *kept = rft_arena_strdup(p->arena, rft_str_get(&out));
    rft_str_clear(&out);
    return kept;
}

/* ---- tables ---- */

/* A column as it is printed. */
typedef struct text_column {
    const rft_trait *field;
    size_t at; /* its cell in a row */
    const char *heading;
    size_t width, least;      /* of a wrapping one: its longest word */
    rft_layout_number number; /* of a DECIMAL one */
    word_lines head;
} text_column;

typedef struct text_grid {
    const rft_cell_table *table;
    text_column *columns;
    size_t count;
    const char **notes;
    size_t note_count, note_capacity;
} text_grid;

/* " (a)": the mark of a note, which is registered once. */
static const char *mark_of(text_printer *p, text_grid *grid, const char *note) {
    size_t i = 0;
    while (i < grid->note_count && strcmp(grid->notes[i], note) != 0) {
        i++;
    }
    if (i == grid->note_count) {
        grid->notes = rft_arena_grown(p->arena, grid->notes, i, &grid->note_capacity, sizeof *grid->notes);
        grid->notes[grid->note_count++] = note;
    }
    return i < 26 ? rft_arena_printf(p->arena, " (%c)", (int)('a' + i)) : " (..)";
}

static const char *bars_of(text_printer *p, const rft_bars *bars) {
    rft_str text = RFT_STR_INIT;
    rft_spark_add(&text, bars->values, bars->count, &(rft_spark_scale){bars->low, bars->high, p->opts->ascii});
    const char *kept = rft_arena_strdup(p->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static const char *words_of(text_printer *p, text_grid *grid, const rft_cell_row *row, size_t at) {
    const rft_datum *cell = &row->cells[at];
    const char *words = cell->kind == RFT_DATUM_BARS
                            ? bars_of(p, &cell->as.bars)
                            : plain(p, rft_datum_words(cell, &grid->table->fields[at], true, p->arena));
    return cell->note && *words ? rft_arena_printf(p->arena, "%s%s", words, mark_of(p, grid, cell->note)) : words;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Room for its cells, and for its heading with that broken at every space. */
static void fit_column(text_printer *p, text_grid *grid, text_column *column) {
    for (size_t r = 0; r < grid->table->row_count; r++) {
        const rft_cell_row *row = &grid->table->rows[r];
        if (row->spans || !rft_is_for(row->where, p->reader)) {
            continue;
        }
        const char *words = words_of(p, grid, row, column->at);
        size_t word = column->field->wraps ? longest_word(words) : 0;
        rft_layout_number parts = {0};
        column->least = larger(column->least, word <= WHOLE_WORD ? word : 0);
        if (column->field->align == RFT_ALIGN_DECIMAL && rft_layout_split(words, &parts)) {
            column->number.whole = larger(column->number.whole, parts.whole);
            column->number.fraction = larger(column->number.fraction, parts.fraction);
            column->number.unit = larger(column->number.unit, parts.unit);
        } else {
            column->width = larger(column->width, rft_layout_columns(words));
        }
    }
    column->width = larger(column->width, column->number.whole + column->number.fraction + column->number.unit);
    column->width = larger(column->width, grid->table->lines ? 0 : longest_word(column->heading));
}

static size_t gap_before(const text_grid *grid, size_t c) {
    return c == 0 ? 0 : grid->columns[c].field->bar ? GAP + 1 : GAP;
}

/* Headings stand on one line where there is room for all of them. */
static void spread_headings(const text_printer *p, text_grid *grid) {
    size_t total = p->opts->indent;
    for (size_t c = 0; c < grid->count; c++) {
        total += gap_before(grid, c) + larger(grid->columns[c].width, rft_layout_columns(grid->columns[c].heading));
    }
    for (size_t c = 0; c < grid->count && total <= RFT_LAYOUT_WIDTH; c++) {
        grid->columns[c].width = larger(grid->columns[c].width, rft_layout_columns(grid->columns[c].heading));
    }
}

static text_grid fitted(text_printer *p, const rft_cell_table *table) {
    text_grid grid = {.table = table};
    grid.columns = rft_arena_calloc(p->arena, table->field_count + 1, sizeof *grid.columns);
    for (size_t i = 0; i < table->field_count; i++) {
        const rft_trait *field = &table->fields[i];
        if (rft_trait_is_for(field, p->reader) && !field->below) {
            text_column *column = &grid.columns[grid.count++];
            *column =
                (text_column){.field = field, .at = i, .heading = plain(p, field->brief ? field->brief : field->title)};
            if (!table->lines || grid.count <= table->heads) {
                fit_column(p, &grid, column);
            }
        }
    }
    if (!table->lines) {
        spread_headings(p, &grid);
    }
    return grid;
}

/* Whether it fits into 80 columns, its widest wrapping columns made narrower where they must be. */
static bool narrowed(const text_printer *p, text_grid *grid) {
    for (;;) {
        size_t width = p->opts->indent, widest = SIZE_MAX;
        for (size_t c = 0; c < grid->count; c++) {
            const text_column *column = &grid->columns[c];
            width += gap_before(grid, c) + column->width;
            if (column->field->wraps && column->width > larger(column->least, LEAST_WRAPPED) &&
                (widest == SIZE_MAX || column->width > grid->columns[widest].width)) {
                widest = c;
            }
        }
        if (width <= RFT_LAYOUT_WIDTH || widest == SIZE_MAX) {
            return width <= RFT_LAYOUT_WIDTH;
        }
        grid->columns[widest].width--;
    }
}

static void end_line(text_printer *p) {
    size_t length = p->out->length;
    while (length > 0 && p->out->data[length - 1] == ' ') {
        length--;
    }
    rft_str_truncate(p->out, length);
    rft_str_add_char(p->out, '\n');
}

static void put_cell(text_printer *p, const text_column *column, const char *words) {
    if (column->field->align == RFT_ALIGN_LEFT) {
        rft_layout_left(p->out, words, column->width);
    } else if (column->field->align == RFT_ALIGN_RIGHT) {
        rft_layout_right(p->out, words, column->width);
    } else {
        size_t used = column->number.whole + column->number.fraction + column->number.unit;
        rft_layout_number parts;
        if (rft_layout_split(words, &parts)) {
            rft_layout_spaces(p->out, column->width - used);
            rft_layout_decimal(p->out, words, &column->number);
        } else {
            rft_layout_right(p->out, words, column->width);
        }
    }
}

/* Cells of several lines, from their first line on or up to their last. */
static void put_lines(text_printer *p, const text_grid *grid, const word_lines *cells, bool at_foot) {
    size_t height = 1;
    for (size_t c = 0; c < grid->count; c++) {
        height = larger(height, cells[c].count);
    }
    for (size_t i = 0; i < height; i++) {
        rft_layout_spaces(p->out, p->opts->indent);
        for (size_t c = 0; c < grid->count; c++) {
            size_t missing = at_foot ? height - cells[c].count : 0;
            const char *words = i >= missing && i - missing < cells[c].count ? cells[c].items[i - missing] : "";
            rft_str_add(p->out, c == 0 ? "" : grid->columns[c].field->bar ? " | " : "  ");
            if (at_foot && grid->columns[c].field->align != RFT_ALIGN_LEFT) {
                rft_layout_right(p->out, words, grid->columns[c].width);
            } else {
                at_foot ? rft_layout_left(p->out, words, grid->columns[c].width)
                        : put_cell(p, &grid->columns[c], words);
            }
        }
        end_line(p);
    }
}

static void put_below(text_printer *p, text_grid *grid, const rft_cell_row *row) {
    for (size_t i = 0; i < grid->table->field_count; i++) {
        const rft_trait *field = &grid->table->fields[i];
        const char *words = field->below && rft_trait_is_for(field, p->reader) ? words_of(p, grid, row, i) : "";
        if (*words) {
            rft_layout_wrapped(p->out, p->opts->indent + HANG, HANG, words);
        }
    }
    if (row->detail) {
        rft_layout_wrapped(p->out, p->opts->indent + HANG, HANG, plain(p, row->detail));
    }
}

static void put_row(text_printer *p, text_grid *grid, const rft_cell_row *row) {
    word_lines *cells = rft_arena_calloc(p->arena, grid->count, sizeof *cells);
    if (row->spans) {
        rft_layout_wrapped(p->out, p->opts->indent, HANG, words_of(p, grid, row, grid->columns[0].at));
    } else {
        for (size_t c = 0; c < grid->count; c++) {
            cells[c] = broken(p, words_of(p, grid, row, grid->columns[c].at), grid->columns[c].width);
        }
        put_lines(p, grid, cells, false);
    }
    put_below(p, grid, row);
}

static void put_grid(text_printer *p, text_grid *grid) {
    word_lines *heads = rft_arena_calloc(p->arena, grid->count, sizeof *heads);
    for (size_t c = 0; c < grid->count; c++) {
        heads[c] = broken(p, grid->columns[c].heading, grid->columns[c].width);
    }
    if (rft_cell_table_headed(grid->table)) {
        put_lines(p, grid, heads, true);
    }
    for (size_t r = 0; r < grid->table->row_count; r++) {
        if (rft_is_for(grid->table->rows[r].where, p->reader)) {
            put_row(p, grid, &grid->table->rows[r]);
        }
    }
}

/* The columns before a paragraph: what is too long for them is cut. Returns where the paragraph begins. */
static size_t put_heads(text_printer *p, text_grid *grid, const rft_cell_row *row) {
    size_t at = p->opts->indent;
    rft_layout_spaces(p->out, at);
    for (size_t c = 0; c < grid->table->heads; c++) {
        size_t width = grid->columns[c].width < HEAD_MOST ? grid->columns[c].width : HEAD_MOST;
        rft_str_add(p->out, c ? " " : "");
        rft_layout_cut(p->out, words_of(p, grid, row, grid->columns[c].at), width);
        at += width + (c > 0);
    }
    return at;
}

/* A paragraph a row: "1. scan: 4.00 us, 20 %; bound by dram". A table that is too wide has its headings in it. */
static void put_paragraph(text_printer *p, text_grid *grid, const rft_cell_row *row) {
    rft_str line = RFT_STR_INIT;
    for (size_t c = grid->table->heads; c < grid->count; c++) {
        const text_column *column = &grid->columns[c];
        const rft_datum *cell = &row->cells[column->at];
        bool left_out = grid->table->lines && cell->kind == RFT_DATUM_ABSENT && !cell->words && !cell->brief;
        const char *words = left_out ? "" : words_of(p, grid, row, column->at), *lead = column->field->lead;
        bool named = !grid->table->lines && c > 0 && *column->heading;
        if (*words) {
            rft_str_addf(&line, "%s%s%s%s",
                         line.length == 0 ? ""
                         : lead           ? lead
                                          : ", ",
                         named ? column->heading : "", named ? " " : "", words);
        }
    }
    if (grid->table->heads > 0) {
        size_t at = put_heads(p, grid, row);
        rft_layout_continued(p->out, at + 1, rft_str_get(&line));
    } else {
        rft_layout_wrapped(p->out, p->opts->indent, HANG, rft_str_get(&line));
    }
    rft_str_clear(&line);
    put_below(p, grid, row);
}

static void put_table(text_printer *p, const rft_cell_table *table) {
    text_grid grid = fitted(p, table);
    if (grid.count == 0 || rft_cell_table_rows(table, p->reader) == 0) {
        return;
    }
    p->begun = true;
    if (!table->lines && narrowed(p, &grid)) {
        put_grid(p, &grid);
    } else {
        for (size_t r = 0; r < table->row_count; r++) {
            if (rft_is_for(table->rows[r].where, p->reader)) {
                put_paragraph(p, &grid, &table->rows[r]);
            }
        }
    }
    for (size_t i = 0; i < grid.note_count; i++) {
        rft_layout_wrapped(p->out, p->opts->indent, 4,
                           rft_arena_printf(p->arena, "%s %s", mark_of(p, &grid, grid.notes[i]) + 1, grid.notes[i]));
    }
}

/* ---- other items ---- */

static void add_words(text_printer *p, size_t indent, const char *words) {
    p->begun = true;
    rft_layout_wrapped(p->out, *words ? indent : 0, HANG, plain(p, words));
}

/* Lines as they came, such as carets under what they mean; longer ones are wrapped. */
static void add_mono(text_printer *p, const char *text) {
    size_t indent = p->opts->indent + HANG;
    p->begun = true;
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (indent + length > RFT_LAYOUT_WIDTH) {
            rft_layout_wrapped(p->out, indent, HANG, rft_arena_strndup(p->arena, text, length));
        } else {
            rft_layout_spaces(p->out, length ? indent : 0);
            rft_str_add_n(p->out, text, length);
            rft_str_add_char(p->out, '\n');
        }
        text += length + (text[length] == '\n');
    }
}

static void add_fact(text_printer *p, const rft_item *fact) {
    if (rft_trait_is_for(&fact->field, p->reader)) {
        const char *name = fact->field.brief ? fact->field.brief : fact->field.title;
        add_words(
            p, p->opts->indent,
            rft_arena_printf(p->arena, "%s: %s", name, rft_datum_words(&fact->cell, &fact->field, true, p->arena)));
    }
}

static void add_bars(text_printer *p, const rft_bars *bars) {
    p->begun = true;
    rft_layout_spaces(p->out, p->opts->indent);
    rft_str_addf(p->out, "%s\n", bars_of(p, bars));
}

static void add_finding(text_printer *p, const rft_finding *f) {
    for (size_t i = 0; f && i < f->item_count; i++) {
        const rft_item *item = &f->items[i];
        if (!rft_is_for(item->where, p->reader)) {
            continue;
        }
        switch (item->kind) {
        case RFT_ITEM_HEADING: /* what follows stands two columns further in */
            rft_str_add(p->out, p->begun ? "\n" : "");
            add_words(p, p->opts->indent > HANG ? p->opts->indent - HANG : 0, item->text);
            break;
        case RFT_ITEM_SENTENCE:
            if (item->style == RFT_TEXT_MONO) {
                add_mono(p, item->text);
            } else if (item->text) {
                add_words(p, p->opts->indent, item->text);
            }
            break;
        case RFT_ITEM_TABLE:
            put_table(p, item->table);
            break;
        case RFT_ITEM_FACT:
            add_fact(p, item);
            break;
        case RFT_ITEM_BARS:
            add_bars(p, &item->bars);
            break;
        case RFT_ITEM_FINDING:
        case RFT_ITEM_LIST:
            for (size_t k = 0; k < item->finding_count; k++) {
                add_finding(p, item->findings[k]);
            }
            break;
        case RFT_ITEM_CHARTS:
            p->begun = true;
            rft_plot_add(p->out, item->charts[0], &(rft_plot_opts){p->opts->ascii, p->opts->full});
            break;
        }
    }
}

void rft_print_text(rft_str *out, const rft_finding *f, const rft_print_opts *opts) {
    rft_str text = RFT_STR_INIT;
    rft_arena *arena = rft_arena_new();
    text_printer p = {&text, arena, opts, opts->full ? RFT_IN_FULL : RFT_IN_BRIEF, false};
    add_finding(&p, f);
    if (p.begun && opts->label && *opts->label) { /* it takes the first line's indent */
        rft_layout_left(out, opts->label, opts->indent);
        rft_str_add(out, rft_str_get(&text) + strspn(rft_str_get(&text), " "));
    } else if (p.begun) {
        rft_str_add(out, opts->label ? "" : "\n");
        rft_str_add(out, rft_str_get(&text));
    }
    rft_arena_free(arena);
    rft_str_clear(&text);
}
