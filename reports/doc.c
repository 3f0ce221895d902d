/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/doc.h"

#include "base/str.h"

#include <string.h>

static rft_block *add_block(rft_doc *doc, rft_block_kind kind) {
    doc->blocks = rft_arena_grown(doc->arena, doc->blocks, doc->block_count, &doc->block_capacity, sizeof *doc->blocks);
    rft_block *block = &doc->blocks[doc->block_count++];
    memset(block, 0, sizeof *block);
    block->kind = kind;
    return block;
}

void rft_doc_heading(rft_doc *doc, int level, const char *text, const char *anchor) {
    rft_block *block = add_block(doc, RFT_BLOCK_HEADING);
    block->level = level;
    block->text = rft_arena_strdup(doc->arena, text);
    block->anchor = rft_arena_strdup(doc->arena, anchor);
}

void rft_doc_text(rft_doc *doc, rft_text_style style, const char *text) {
    rft_block *block = add_block(doc, RFT_BLOCK_TEXT);
    block->style = style;
    block->text = rft_arena_strdup(doc->arena, text);
}

void rft_doc_textf(rft_doc *doc, rft_text_style style, const char *format, ...) {
    rft_str text = RFT_STR_INIT;
    va_list args;
    va_start(args, format);
    rft_str_addv(&text, format, args);
    va_end(args);
    rft_doc_text(doc, style, rft_str_get(&text));
    rft_str_clear(&text);
}

void rft_doc_append(rft_doc *doc, const rft_block *block) {
    *add_block(doc, block->kind) = *block;
}

void rft_doc_contents(rft_doc *doc) {
    add_block(doc, RFT_BLOCK_CONTENTS);
}

void rft_doc_new_page(rft_doc *doc) {
    add_block(doc, RFT_BLOCK_NEW_PAGE);
}

void rft_doc_new_chapter(rft_doc *doc) {
    add_block(doc, RFT_BLOCK_NEW_CHAPTER);
}

rft_table *rft_doc_table(rft_doc *doc, const rft_column *columns, size_t count) {
    rft_table *table = rft_arena_calloc(doc->arena, 1, sizeof *table);
    table->columns = rft_arena_memdup(doc->arena, columns, count * sizeof *columns);
    table->column_count = count;
    add_block(doc, RFT_BLOCK_TABLE)->table = table;
    return table;
}

rft_row *rft_doc_row(rft_doc *doc, rft_table *table) {
    table->rows = rft_arena_grown(doc->arena, table->rows, table->row_count, &table->row_capacity, sizeof *table->rows);
    rft_row *row = &table->rows[table->row_count++];
    memset(row, 0, sizeof *row);
    row->cells = rft_arena_calloc(doc->arena, table->column_count, sizeof *row->cells);
    return row;
}

void rft_doc_pair(rft_doc *doc, rft_table *table, const char *name, const char *value) {
    rft_row *row = rft_doc_row(doc, table);
    row->cells[0] = rft_arena_strdup(doc->arena, name);
    row->cells[1] = rft_arena_strdup(doc->arena, value);
}

#define FOLDED_BYTES 56 /* of a value that half the width has room for */

void rft_doc_fold(rft_doc *doc, rft_table *table) {
    static const rft_column pairs[] = {
        {.title = ""}, {.title = "", .wraps = true}, {.title = ""}, {.title = "", .wraps = true}};
    static const rft_column single[] = {{.title = ""}, {.title = "", .wraps = true}};
    if (doc->block_count == 0 || doc->blocks[doc->block_count - 1].table != table || table->note_count) {
        return;
    }
    rft_row *rows = table->rows, **few = rft_arena_calloc(doc->arena, table->row_count + 1, sizeof *few);
    size_t count = table->row_count, folded = 0;
    for (size_t r = 0; r < count; r++) {
        if (strlen(rows[r].cells[1]) <= FOLDED_BYTES) {
            few[folded++] = &rows[r];
        }
    }
    doc->block_count--;
    rft_table *to = rft_doc_table(doc, pairs, 4), *rest = NULL;
    to->plain = true;
    size_t half = (folded + 1) / 2;
    for (size_t r = 0; r < half; r++) {
        rft_row *row = rft_doc_row(doc, to);
        memcpy(row->cells, few[r]->cells, 2 * sizeof *row->cells);
        if (half + r < folded) {
            memcpy(row->cells + 2, few[half + r]->cells, 2 * sizeof *row->cells);
        }
    }
    for (size_t r = 0; r < count; r++) {
        if (strlen(rows[r].cells[1]) > FOLDED_BYTES) {
            rest = rest ? rest : rft_doc_table(doc, single, 2);
            rest->plain = true;
            rft_doc_pair(doc, rest, rows[r].cells[0], rows[r].cells[1]);
        }
    }
}

const char *rft_doc_note_mark(char out[RFT_NOTE_MARK], size_t index) {
    if (index < 26) {
        rft_text_format(out, RFT_NOTE_MARK, "(%c)", (int)('a' + index));
    } else {
        rft_text_format(out, RFT_NOTE_MARK, "(%c%c)", (int)('a' + index / 26 - 1), (int)('a' + index % 26));
    }
    return out;
}

const char *rft_doc_note(rft_doc *doc, rft_table *table, const char *text) {
    size_t i = 0;
    while (i < table->note_count && strcmp(table->notes[i], text) != 0) {
        i++;
    }
    if (i == table->note_count) {
        table->notes =
            rft_arena_grown(doc->arena, table->notes, table->note_count, &table->note_capacity, sizeof *table->notes);
        table->notes[table->note_count++] = rft_arena_strdup(doc->arena, text);
    }
    char mark[RFT_NOTE_MARK];
    return rft_arena_printf(doc->arena, " %s", rft_doc_note_mark(mark, i));
}

rft_block *rft_doc_charts(rft_doc *doc, rft_chart *const *charts, size_t count) {
    rft_block *block = add_block(doc, RFT_BLOCK_CHARTS);
    block->charts = rft_arena_memdup(doc->arena, charts, count * sizeof *charts);
    block->chart_count = count;
    return block;
}

void rft_doc_figures(rft_doc *doc, const rft_figure_box *figures, size_t count) {
    rft_block *block = add_block(doc, RFT_BLOCK_FIGURES);
    block->figures = rft_arena_memdup(doc->arena, figures, count * sizeof *figures);
    block->figure_count = count;
}

/* The "u" of "us", "uJ" or "uW" as a unit: behind a number, in brackets or alone; NULL: nowhere. */
static const char *find_micro(const char *text, const char *from) {
    for (const char *at = strchr(from, 'u'); at; at = strchr(at + 1, 'u')) {
        bool unit = at[1] && strchr("sJW", at[1]);
        char behind = at[1] ? at[2] : '\0';
        bool letter = (behind >= 'a' && behind <= 'z') || (behind >= 'A' && behind <= 'Z') || behind == '_';
        bool number = at > text + 1 && at[-1] == ' ' && at[-2] >= '0' && at[-2] <= '9';
        bool apart = at == text ? behind == '\0' : at[-1] == '(' && behind == ')';
        if (unit && ((number && !letter) || apart)) {
            return at;
        }
    }
    return NULL;
}

/* "+-" before a number; NULL: nowhere. */
static const char *find_plus_minus(const char *from) {
    const char *at = strstr(from, "+-");
    while (at && !(at[2] >= '0' && at[2] <= '9')) {
        at = strstr(at + 2, "+-");
    }
    return at;
}

static const char *spelled(rft_doc *doc, const char *text) {
    const char *from = text, *micro = text ? find_micro(text, text) : NULL, *sign = text ? find_plus_minus(text) : NULL;
    if (!micro && !sign) {
        return text;
    }
    rft_str out = RFT_STR_INIT;
    while (micro || sign) {
        bool is_sign = sign && (!micro || sign < micro);
        const char *at = is_sign ? sign : micro;
        rft_str_add_n(&out, from, (size_t)(at - from));
        rft_str_add(&out, is_sign ? "\xc2\xb1" : "\xc2\xb5");
        from = at + (is_sign ? 2 : 1);
        micro = find_micro(text, from);
        sign = find_plus_minus(from);
    }
    rft_str_add(&out, from);
    const char *kept = rft_arena_strdup(doc->arena, rft_str_get(&out));
    rft_str_clear(&out);
    return kept;
}

static void spell_all(rft_doc *doc, const char **texts, size_t count) {
    for (size_t i = 0; texts && i < count; i++) {
        texts[i] = spelled(doc, texts[i]);
    }
}

static void spell_table(rft_doc *doc, rft_table *table) {
    for (size_t c = 0; c < table->column_count; c++) {
        table->columns[c].title = spelled(doc, table->columns[c].title);
        table->columns[c].unit = spelled(doc, table->columns[c].unit);
    }
    for (size_t r = 0; r < table->row_count; r++) {
        spell_all(doc, table->rows[r].cells, table->column_count);
        table->rows[r].detail = spelled(doc, table->rows[r].detail);
    }
    spell_all(doc, table->notes, table->note_count);
}

static void spell_axis(rft_doc *doc, rft_chart_axis *axis) {
    axis->title = spelled(doc, axis->title);
    axis->sub_title = spelled(doc, axis->sub_title);
    spell_all(doc, axis->names, axis->name_count);
    spell_all(doc, axis->sub_names, axis->name_count);
}

static void spell_chart(rft_doc *doc, rft_chart *chart) {
    chart->title = spelled(doc, chart->title);
    chart->caption = spelled(doc, chart->caption);
    spell_axis(doc, &chart->x);
    spell_axis(doc, &chart->y);
    for (size_t i = 0; i < chart->series_count; i++) {
        chart->series[i].label = spelled(doc, chart->series[i].label);
        spell_all(doc, chart->series[i].names, chart->series[i].count);
    }
}

void rft_doc_spell_units(rft_doc *doc) {
    for (size_t i = 0; i < doc->block_count; i++) {
        rft_block *block = &doc->blocks[i];
        if (block->style != RFT_TEXT_MONO) {
            block->text = spelled(doc, block->text);
        }
        if (block->table) {
            spell_table(doc, block->table);
        }
        for (size_t c = 0; c < block->chart_count; c++) {
            spell_chart(doc, block->charts[c]);
        }
        for (size_t k = 0; k < block->figure_count; k++) {
            block->figures[k].value = spelled(doc, block->figures[k].value);
            block->figures[k].label = spelled(doc, block->figures[k].label);
        }
    }
}
