/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/print/print.h"

#include "base/plain.h"
#include "reports/doc.h"

#include <ctype.h>
#include <string.h>

/* A sign that would begin or end a style where it stands; "_" within a name does not, nor does a dot but behind the
 * number that begins a line. */
static bool is_special(const char *text, const char *at) {
    if (*at == '_') {
        return at == text || !isalnum((unsigned char)at[-1]) || !isalnum((unsigned char)at[1]);
    }
    if (*at == '.' || *at == ')') {
        return at > text && strspn(text, "0123456789") == (size_t)(at - text) && strchr(" ", at[1]) != NULL;
    }
    return strchr("\\`*<>[]|~&", *at) != NULL || (at == text && strchr("#+-=", *at) != NULL);
}

/* On one line. */
static void add_escaped(rft_str *out, const char *text) {
    rft_str plain = RFT_STR_INIT;
    rft_plain_add(&plain, text ? text : "", text ? strlen(text) : 0);
    for (const char *from = rft_str_get(&plain), *at = from; *at; at++) {
        if (is_special(from, at)) {
            rft_str_add_char(out, '\\');
        }
        rft_str_add_char(out, iscntrl((unsigned char)*at) ? ' ' : *at);
    }
    rft_str_clear(&plain);
}

/* As it is, between fences longer than any run of backticks in it. */
static void add_code(rft_str *out, const char *text) {
    size_t longest = 2;
    for (const char *at = strchr(text, '`'); at; at = strchr(at, '`')) {
        size_t ticks = strspn(at, "`");
        longest = ticks > longest ? ticks : longest;
        at += ticks;
    }
    for (int i = 0; i < 2; i++) {
        rft_str_add_char(out, '\n');
        for (size_t k = 0; k <= longest; k++) {
            rft_str_add_char(out, '`');
        }
        if (i == 0) {
            rft_str_add_char(out, '\n');
            rft_plain_add(out, text, strlen(text));
        }
    }
    rft_str_add_char(out, '\n');
}

static void add_styled(rft_str *out, const char *mark, const char *text) {
    const char *around = text && *text ? mark : "";
    rft_str_add(out, around);
    add_escaped(out, text);
    rft_str_add(out, around);
}

static void add_paragraph(rft_str *out, const char *before, const char *text) {
    rft_str_addf(out, "\n%s", before);
    add_escaped(out, text);
    rft_str_add_char(out, '\n');
}

/* ---- tables ---- */

static void mark_table_head(rft_str *out, const rft_table *table) {
    rft_str_add(out, "\n|");
    for (size_t c = 0; c < table->column_count; c++) {
        const rft_column *column = &table->columns[c];
        rft_str_add_char(out, ' ');
        add_escaped(out, table->plain ? "" : column->title);
        if (!table->plain && column->unit) {
            rft_str_add(out, " (");
            add_escaped(out, column->unit);
            rft_str_add_char(out, ')');
        }
        rft_str_add(out, " |");
    }
    rft_str_add(out, "\n|");
    for (size_t c = 0; c < table->column_count; c++) {
        rft_str_add(out, table->columns[c].align == RFT_ALIGN_LEFT ? " --- |" : " ---: |");
    }
    rft_str_add_char(out, '\n');
}

/* As on a page: below the row's name; of a row without one in a row of its own. */
static void mark_row(rft_str *out, const rft_table *table, const rft_row *row) {
    const bool named = row->cells[0] && *row->cells[0];
    for (size_t c = 0; c < table->column_count; c++) {
        rft_str_add(out, c ? " " : "| ");
        add_styled(out, row->strong || row->span ? "**" : "", row->cells[c]);
        if (row->detail && c == 0 && named) {
            rft_str_add(out, "<br>");
            add_escaped(out, row->detail);
        }
        rft_str_add(out, " |");
    }
    for (size_t c = 0; row->detail && !named && c < table->column_count; c++) {
        rft_str_add(out, c ? " " : "\n| ");
        add_escaped(out, c ? "" : row->detail);
        rft_str_add(out, " |");
    }
    rft_str_add_char(out, '\n');
}

static void mark_table(rft_str *out, const rft_table *table) {
    if (table->row_count == 0) {
        return;
    }
    mark_table_head(out, table);
    for (size_t r = 0; r < table->row_count; r++) {
        mark_row(out, table, &table->rows[r]);
    }
    for (size_t i = 0; i < table->note_count; i++) {
        char mark[RFT_NOTE_MARK], before[RFT_NOTE_MARK + 1];
        rft_text_format(before, sizeof before, "%s ", rft_doc_note_mark(mark, i));
        add_paragraph(out, before, table->notes[i]);
    }
}

/* ---- other blocks ---- */

static void add_figures(rft_str *out, const rft_block *block) {
    rft_str_add(out, "\n|");
    for (size_t i = 0; i < block->figure_count; i++) {
        rft_str_add_char(out, ' ');
        add_escaped(out, block->figures[i].label);
        rft_str_add(out, " |");
    }
    rft_str_add(out, "\n|");
    for (size_t i = 0; i < block->figure_count; i++) {
        rft_str_add(out, " --- |");
    }
    rft_str_add(out, "\n|");
    for (size_t i = 0; i < block->figure_count; i++) {
        rft_str_add_char(out, ' ');
        add_styled(out, "**", block->figures[i].value);
        rft_str_add(out, " |");
    }
    rft_str_add_char(out, '\n');
}

/* Their names, and what is said below them. */
static void add_charts(rft_str *out, const rft_block *block) {
    for (size_t i = 0; i < block->chart_count; i++) {
        const rft_chart *chart = block->charts[i];
        if (*chart->title) {
            add_paragraph(out, "Chart: ", chart->title);
        }
        if (chart->caption) {
            add_paragraph(out, *chart->title ? "" : "Chart: ", chart->caption);
        }
    }
}

static void add_text_block(rft_str *out, const rft_block *block) {
    if (block->style == RFT_TEXT_MONO) {
        add_code(out, block->text);
    } else if (block->style == RFT_TEXT_STRONG || block->style == RFT_TEXT_LEAD) {
        rft_str_add_char(out, '\n');
        add_styled(out, "**", block->text);
        rft_str_add_char(out, '\n');
    } else {
        add_paragraph(out, "", block->text);
    }
}

void rft_print_markdown(rft_str *out, const rft_doc *doc) {
    static const char *const levels[] = {"# ", "## ", "### "};
    if (doc->footer_extra) {
        add_paragraph(out, "> ", doc->footer_extra);
    }
    for (size_t i = 0; i < doc->block_count; i++) {
        const rft_block *block = &doc->blocks[i];
        switch (block->kind) {
        case RFT_BLOCK_HEADING: /* what shows Markdown has contents of its own */
            if (i + 1 < doc->block_count && block[1].kind == RFT_BLOCK_CONTENTS) {
                break;
            }
            add_paragraph(out, levels[block->level - 1], block->text);
            break;
        case RFT_BLOCK_TEXT:
            add_text_block(out, block);
            break;
        case RFT_BLOCK_TABLE:
            mark_table(out, block->table);
            break;
        case RFT_BLOCK_CHARTS:
            add_charts(out, block);
            break;
        case RFT_BLOCK_FIGURES:
            add_figures(out, block);
            break;
        case RFT_BLOCK_CONTENTS:
        case RFT_BLOCK_NEW_PAGE:
        case RFT_BLOCK_NEW_CHAPTER:
            break;
        }
    }
    add_paragraph(out, "", doc->footer_left);
}
