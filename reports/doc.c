/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/doc.h"

#include "base/str.h"

#include <string.h>

static rft_block *add_block(rft_doc *doc, rft_block_kind kind) {
    doc->blocks = rft_grown_in(doc->arena, doc->blocks, doc->block_count, &doc->block_capacity, sizeof *doc->blocks);
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
    table->rows = rft_grown_in(doc->arena, table->rows, table->row_count, &table->row_capacity, sizeof *table->rows);
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
            rft_grown_in(doc->arena, table->notes, table->note_count, &table->note_capacity, sizeof *table->notes);
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

/* Where "us" stands as a unit behind a number; NULL: nowhere. */
static const char *find_micro(const char *text) {
    for (const char *at = strstr(text, " us"); at; at = strstr(at + 3, " us")) {
        bool number = at > text && at[-1] >= '0' && at[-1] <= '9';
        bool ends = !((at[3] >= 'a' && at[3] <= 'z') || (at[3] >= 'A' && at[3] <= 'Z') || at[3] == '_');
        if (number && ends) {
            return at;
        }
    }
    return NULL;
}

static const char *spelled(rft_doc *doc, const char *text) {
    const char *at = text ? find_micro(text) : NULL;
    if (!at) {
        return text;
    }
    rft_str out = RFT_STR_INIT;
    for (; at; at = find_micro(text)) {
        rft_str_add_n(&out, text, (size_t)(at - text));
        rft_str_add(&out, " \xc2\xb5s");
        text = at + strlen(" us");
    }
    rft_str_add(&out, text);
    const char *kept = rft_arena_strdup(doc->arena, rft_str_get(&out));
    rft_str_clear(&out);
    return kept;
}

void rft_doc_spell_units(rft_doc *doc) {
    for (size_t i = 0; i < doc->block_count; i++) {
        rft_block *block = &doc->blocks[i];
        rft_table *table = block->table;
        if (block->kind == RFT_BLOCK_TEXT && block->style != RFT_TEXT_MONO) {
            block->text = spelled(doc, block->text);
        }
        for (size_t r = 0; table && r < table->row_count; r++) {
            for (size_t c = 0; c < table->column_count; c++) {
                table->rows[r].cells[c] = spelled(doc, table->rows[r].cells[c]);
            }
            table->rows[r].detail = spelled(doc, table->rows[r].detail);
        }
        for (size_t n = 0; table && n < table->note_count; n++) {
            table->notes[n] = spelled(doc, table->notes[n]);
        }
    }
}
