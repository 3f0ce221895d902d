/* SPDX-License-Identifier: Apache-2.0 */
/* One file that any browser, wiki or mail shows, and that is XML, too: no scripts, nothing from elsewhere, and a
 * browser is told to allow neither. Every text goes through rft_plain_add_xml(). */
#include "reports/print/print.h"

#include "base/plain.h"
#include "base/units.h"
#include "reports/doc.h"

#include <string.h>

/* Colours and sizes are the pages' own (page/pen.h, page/font.h). */
static const char style[] =
    "body{font:10pt/1.4 \"Liberation Sans\",Arial,Helvetica,sans-serif;color:#1a1a1a;background:#fff;"
    "max-width:60em;margin:2em auto;padding:0 1em}"
    "h1{font-size:16pt}h2{font-size:14pt;margin-top:2em;border-top:1px solid "
    "#a6a6a6;padding-top:.6em}h3{font-size:12pt}"
    "h4{font-size:10pt}a{color:#1f4e8c;text-decoration:none}.lead{font-size:14pt}.note,figcaption{color:#595959;"
    "font-size:8.5pt}pre{white-space:pre-wrap;overflow-wrap:anywhere;font:9pt \"Liberation Mono\","
    "\"Courier New\",monospace}.table{overflow-x:auto}table{border-collapse:collapse;margin:.6em 0;"
    "font-variant-numeric:tabular-nums}td,th{padding:.2em .8em .2em 0;text-align:left;vertical-align:top;"
    "border-bottom:1px solid #dedede}thead th{vertical-align:bottom;border-bottom:1px solid #1a1a1a}"
    "th small{font-weight:normal;color:#595959}.right{text-align:right}td.right{white-space:nowrap}.strong "
    "td{font-weight:bold}"
    ".quiet td{color:#595959}.more td{border-bottom:none;padding-bottom:0}.rule td,.rule th{border-top:1px solid "
    "#a6a6a6}dl.figures,.charts{display:flex;"
    "flex-wrap:wrap;gap:1.2em;margin:.8em 0}.figures div{flex:1;min-width:9em;border-top:1px solid #1a1a1a}"
    ".figures div{display:flex;flex-direction:column-reverse;justify-content:flex-end}.figures "
    "dt{color:#595959;font-size:8.5pt}.figures dd{margin:0;font-size:14pt;font-weight:bold}"
    "figure{margin:0;max-width:100%}svg{max-width:100%;height:auto}nav ul{columns:2;list-style:none;padding:0}"
    "footer{margin-top:2em;border-top:1px solid #a6a6a6}";

static void add_element(rft_str *out, const char *tag, const char *attributes, const char *text) {
    rft_str_addf(out, "<%s%s>", tag, attributes);
    rft_plain_add_xml(out, text ? text : "");
    rft_str_addf(out, "</%s>", tag);
}

static void add_line(rft_str *out, const char *tag, const char *attributes, const char *text) {
    add_element(out, tag, attributes, text);
    rft_str_add_char(out, '\n');
}

static void add_attribute(rft_str *out, const char *name, const char *value) {
    rft_str_addf(out, " %s=\"", name);
    rft_plain_add_xml(out, value);
    rft_str_add_char(out, '"');
}

/* The heading of that name; links lead to the first. */
static const rft_block *placed(const rft_doc *doc, const char *anchor) {
    for (size_t i = 0; anchor && i < doc->block_count; i++) {
        const rft_block *block = &doc->blocks[i];
        if (block->kind == RFT_BLOCK_HEADING && block->anchor && strcmp(block->anchor, anchor) == 0) {
            return block;
        }
    }
    return NULL;
}

static void add_link(rft_str *out, const rft_doc *doc, const char *anchor, const char *text) {
    const rft_block *target = placed(doc, anchor);
    rft_str link = RFT_STR_INIT;
    if (target) {
        rft_str_add(&link, "#");
        rft_str_add(&link, anchor);
        rft_str_add(out, "<a");
        add_attribute(out, "href", rft_str_get(&link));
        rft_str_add_char(out, '>');
    }
    rft_plain_add_xml(out, text ? text : "");
    rft_str_add(out, target ? "</a>" : "");
    rft_str_clear(&link);
}

/* ---- tables ---- */

static const char *aligned(const rft_column *column) {
    return column->align == RFT_ALIGN_LEFT ? "" : " class=\"right\"";
}

static void add_table_head(rft_str *out, const rft_table *table) {
    rft_str_add(out, "<thead><tr>");
    for (size_t c = 0; c < table->column_count; c++) {
        const rft_column *column = &table->columns[c];
        rft_str_addf(out, "<th scope=\"col\"%s>", aligned(column));
        rft_plain_add_xml(out, column->title);
        if (column->unit) {
            rft_str_add(out, "<br/>");
            add_element(out, "small", "", column->unit);
        }
        rft_str_add(out, "</th>");
    }
    rft_str_add(out, "</tr></thead>\n");
}

static void add_row(rft_str *out, const rft_doc *doc, const rft_table *table, const rft_row *row) {
    rft_str_add(out, "<tr");
    if (row->strong || row->quiet || row->rule || row->detail) {
        rft_str_addf(out, " class=\"%s%s%s%s\"", row->strong ? "strong " : "", row->quiet ? "quiet " : "",
                     row->rule ? "rule " : "", row->detail ? "more" : "");
    }
    rft_str_add_char(out, '>');
    for (size_t c = 0; c < (row->span ? 1 : table->column_count); c++) {
        if (row->span) {
            rft_str_addf(out, "<th scope=\"rowgroup\" colspan=\"%zu\">", table->column_count);
        } else {
            rft_str_addf(out, "<td%s>", aligned(&table->columns[c]));
        }
        if (table->columns[c].meter && row->meter > 0) {
            rft_str_addf(out, "<meter value=\"%.3f\"></meter> ", row->meter);
        }
        add_link(out, doc, c == 0 ? row->link : NULL, row->cells[c]);
        rft_str_add(out, row->span ? "</th>" : "</td>");
    }
    rft_str_add(out, "</tr>\n");
    if (row->detail) {
        rft_str_addf(out, "<tr class=\"quiet detail\"><td colspan=\"%zu\">", table->column_count);
        rft_plain_add_xml(out, row->detail);
        rft_str_add(out, "</td></tr>\n");
    }
}

static void add_table(rft_str *out, const rft_doc *doc, const rft_table *table) {
    if (table->row_count == 0) {
        return;
    }
    rft_str_add(out, "<div class=\"table\"><table>\n");
    if (!table->plain) {
        add_table_head(out, table);
    }
    rft_str_add(out, "<tbody>\n");
    for (size_t r = 0; r < table->row_count; r++) {
        add_row(out, doc, table, &table->rows[r]);
    }
    rft_str_add(out, "</tbody></table></div>\n");
    for (size_t i = 0; i < table->note_count; i++) {
        char mark[RFT_NOTE_MARK];
        rft_str_addf(out, "<p class=\"note\">%s ", rft_doc_note_mark(mark, i));
        rft_plain_add_xml(out, table->notes[i]);
        rft_str_add(out, "</p>\n");
    }
}

/* ---- other blocks ---- */

static void add_text(rft_str *out, const rft_block *block) {
    switch (block->style) {
    case RFT_TEXT_MONO:
        add_line(out, "pre", "", block->text);
        break;
    case RFT_TEXT_STRONG:
        rft_str_add(out, "<p>");
        add_element(out, "strong", "", block->text);
        rft_str_add(out, "</p>\n");
        break;
    case RFT_TEXT_LEAD:
        add_line(out, "p", " class=\"lead\"", block->text);
        break;
    case RFT_TEXT_NOTE:
    case RFT_TEXT_LEGEND:
        add_line(out, "p", " class=\"note\"", block->text);
        break;
    case RFT_TEXT_BODY:
        add_line(out, "p", "", block->text);
        break;
    }
}

static void add_figures(rft_str *out, const rft_block *block) {
    rft_str_add(out, "<dl class=\"figures\">\n");
    for (size_t i = 0; i < block->figure_count; i++) {
        rft_str_add(out, "<div>");
        add_element(out, "dt", "", block->figures[i].label);
        add_element(out, "dd", "", block->figures[i].value);
        rft_str_add(out, "</div>\n");
    }
    rft_str_add(out, "</dl>\n");
}

static void add_charts(rft_str *out, const rft_block *block, rft_print_chart *draw) {
    rft_str_add(out, "<div class=\"charts\">\n");
    for (size_t i = 0; i < block->chart_count; i++) {
        rft_str_add(out, "<figure");
        if (*block->charts[i]->title) {
            add_attribute(out, "aria-label", block->charts[i]->title);
        }
        rft_str_add(out, ">\n");
        draw(out, block->charts[i], block->chart_count);
        if (block->charts[i]->caption) {
            add_line(out, "figcaption", "", block->charts[i]->caption);
        }
        rft_str_add(out, "</figure>\n");
    }
    rft_str_add(out, "</div>\n");
}

static void add_contents(rft_str *out, const rft_doc *doc, const rft_block *from) {
    rft_str_add(out, "<nav><ul>\n");
    for (const rft_block *block = from; block < doc->blocks + doc->block_count; block++) {
        if (block->kind == RFT_BLOCK_HEADING && block->level == 1) {
            rft_str_add(out, "<li>");
            add_link(out, doc, block->anchor, block->text);
            rft_str_add(out, "</li>\n");
        }
    }
    rft_str_add(out, "</ul></nav>\n");
}

/* The first one is the document's; chapters come below it. */
static void add_heading(rft_str *out, const rft_doc *doc, const rft_block *block, bool *titled) {
    int level = block->level + (*titled ? 1 : 0);
    *titled = true;
    rft_str_addf(out, "<h%d", level);
    if (placed(doc, block->anchor) == block) {
        add_attribute(out, "id", block->anchor);
    }
    rft_str_add_char(out, '>');
    rft_plain_add_xml(out, block->text);
    rft_str_addf(out, "</h%d>\n", level);
}

static void add_meta(rft_str *out, const char *name, const char *content) {
    if (content && *content) {
        rft_str_addf(out, "<meta name=\"%s\"", name);
        add_attribute(out, "content", content);
        rft_str_add(out, "/>\n");
    }
}

static void add_head(rft_str *out, const rft_doc *doc) {
    char date[32] = "";
    if (doc->created_unix_ns > 0) {
        rft_units_format_iso(date, sizeof date, doc->created_unix_ns);
    }
    rft_str_add(out, "<!DOCTYPE html>\n<html lang=\"" RFT_DOC_LANGUAGE "\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                     "'unsafe-inline'\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n");
    add_line(out, "title", "", doc->title);
    add_meta(out, "description", doc->subject);
    add_meta(out, "author", doc->author);
    add_meta(out, "keywords", doc->keywords);
    add_meta(out, "generator", doc->creator);
    add_meta(out, "date", date);
    rft_str_addf(out, "<style>%s</style>\n</head>\n<body>\n", style);
}

void rft_print_html(rft_str *out, const rft_doc *doc, rft_print_chart *draw) {
    bool titled = false;
    add_head(out, doc);
    if (doc->footer_extra) {
        add_line(out, "p", " class=\"note\"", doc->footer_extra);
    }
    for (size_t i = 0; i < doc->block_count; i++) {
        const rft_block *block = &doc->blocks[i];
        switch (block->kind) {
        case RFT_BLOCK_HEADING:
            add_heading(out, doc, block, &titled);
            break;
        case RFT_BLOCK_TEXT:
            add_text(out, block);
            break;
        case RFT_BLOCK_TABLE:
            add_table(out, doc, block->table);
            break;
        case RFT_BLOCK_CHARTS:
            add_charts(out, block, draw);
            break;
        case RFT_BLOCK_FIGURES:
            add_figures(out, block);
            break;
        case RFT_BLOCK_CONTENTS:
            add_contents(out, doc, block + 1);
            break;
        case RFT_BLOCK_NEW_PAGE:
        case RFT_BLOCK_NEW_CHAPTER:
            break;
        }
    }
    rft_str_add(out, "<footer>");
    add_element(out, "p", " class=\"note\"", doc->footer_left);
    rft_str_add(out, "</footer>\n</body>\n</html>\n");
}
