/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/print/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A spreadsheet takes what begins like this for a formula, and some run programs. A number is not taken for one. */
static bool looks_like_formula(const char *text) {
    char *end = NULL;
    (void)strtod(text, &end);
    return *text && text[1] && strchr("=+-@\t\r", *text) && *end;
}

void rft_csv_add_text(rft_str *out, const char *text) {
    text = text ? text : "";
    const char *mark = looks_like_formula(text) ? "'" : "";
    if (strpbrk(text, ",\"\r\n") == NULL) {
        rft_str_addf(out, "%s%s", mark, text);
        return;
    }
    rft_str_addf(out, "\"%s", mark);
    for (; *text; text++) {
        rft_str_add(out, *text == '"' ? "\"" : "");
        rft_str_add_char(out, *text);
    }
    rft_str_add_char(out, '"');
}

static void add_cell(rft_str *out, const rft_datum *cell) {
    switch (cell->kind) {
    case RFT_DATUM_TEXT:
        rft_csv_add_text(out, cell->as.text);
        break;
    case RFT_DATUM_COUNT:
        rft_str_addf(out, "%lld", (long long)cell->as.count);
        break;
    case RFT_DATUM_NUMBER:
        if (isfinite(cell->as.number)) {
            rft_str_add_double(out, cell->as.number);
        }
        break;
    case RFT_DATUM_FLAG:
        rft_str_add(out, cell->as.flag ? "true" : "false");
        break;
    case RFT_DATUM_BLANK:
    case RFT_DATUM_ABSENT:
    case RFT_DATUM_FINDING:
    case RFT_DATUM_BARS:
        break;
    }
}

/* The fields' keys for no row. */
static void add_line(rft_str *out, const rft_cell_table *table, const rft_cell_row *row) {
    bool first = true;
    for (size_t i = 0; i < table->field_count; i++) {
        if (!rft_trait_is_for(&table->fields[i], RFT_IN_CSV)) {
            continue;
        }
        rft_str_add(out, first ? "" : ",");
        first = false;
        if (row) {
            add_cell(out, &row->cells[i]);
        } else {
            rft_str_add(out, table->fields[i].key);
        }
    }
    rft_str_add(out, "\r\n"); /* RFC 4180 */
}

static void add_tables(rft_str *out, const rft_finding *f, bool *headed) {
    for (size_t i = 0; f && i < f->item_count; i++) {
        const rft_item *item = &f->items[i];
        const rft_cell_table *table = item->key && item->kind == RFT_ITEM_TABLE ? item->table : NULL;
        if (!rft_is_for(item->where, RFT_IN_CSV) || (table && !rft_is_for(table->where, RFT_IN_CSV))) {
            continue;
        }
        if (table && !*headed) {
            add_line(out, table, NULL);
            *headed = true;
        }
        for (size_t r = 0; table && r < table->row_count; r++) {
            if (rft_is_for(table->rows[r].where, RFT_IN_CSV)) {
                add_line(out, table, &table->rows[r]);
            }
        }
        for (size_t k = 0; k < item->finding_count; k++) {
            add_tables(out, item->findings[k], headed);
        }
    }
}

void rft_print_csv(rft_str *out, const rft_finding *f) {
    bool headed = false;
    add_tables(out, f, &headed);
}
