/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/print/print.h"

#include "base/str.h"
#include "reports/doc.h"

/* Who reads this document. */
static unsigned readers_of(const rft_doc *doc) {
    return RFT_ON_PAGE | (doc->full ? RFT_ON_FULL_PAGE : 0);
}

/* With the mark of its note; NULL for a blank one. */
static const char *words_of(rft_doc *doc, rft_table *to, const rft_datum *cell, const rft_trait *field) {
    const char *words = rft_datum_words(cell, field, false, doc->arena);
    if (cell->note) {
        words = rft_arena_printf(doc->arena, "%s%s", words, rft_doc_note(doc, to, cell->note));
    }
    return *words ? words : NULL;
}

/* The unit that stands under a column's title. */
static const char *unit_under(const rft_trait *field) {
    return field->headed || (field->style == RFT_AS_PERCENT && field->unit) ? field->unit
           : field->style == RFT_AS_PERCENT                                 ? "%"
                                                                            : NULL;
}

static size_t columns_of(const rft_cell_table *table, unsigned readers, rft_column *columns, size_t *from) {
    size_t used = 0;
    for (size_t i = 0; i < table->field_count; i++) {
        const rft_trait *field = &table->fields[i];
        if (rft_trait_is_for(field, readers) && !field->under) {
            from[used] = i;
            columns[used++] = (rft_column){.title = field->title,
                                           .unit = unit_under(field),
                                           .align = field->align,
                                           .wraps = field->wraps,
                                           .meter = field->meter};
        }
    }
    return used;
}

/* What stands under a row. */
static const char *under_of(rft_doc *doc, rft_table *to, const rft_cell_table *table, const rft_cell_row *row) {
    for (size_t i = 0; i < table->field_count; i++) {
        if (table->fields[i].under && rft_trait_is_for(&table->fields[i], readers_of(doc))) {
            return words_of(doc, to, &row->cells[i], &table->fields[i]);
        }
    }
    return row->detail;
}

static void add_table(rft_doc *doc, const rft_cell_table *table) {
    rft_column *columns = rft_arena_calloc(doc->arena, table->field_count + 1, sizeof *columns);
    size_t *from = rft_arena_calloc(doc->arena, table->field_count + 1, sizeof *from);
    size_t count = columns_of(table, readers_of(doc), columns, from);
    if (count == 0 || rft_cell_table_rows(table, readers_of(doc)) == 0) {
        return;
    }
    rft_table *to = rft_doc_table(doc, columns, count);
    to->plain = !rft_cell_table_headed(table);
    for (size_t r = 0; r < table->row_count; r++) {
        const rft_cell_row *row = &table->rows[r];
        if (!rft_is_for(row->where, readers_of(doc))) {
            continue;
        }
        rft_row *drawn = rft_doc_row(doc, to);
        drawn->strong = row->strong;
        drawn->quiet = row->quiet;
        drawn->rule = row->rule;
        drawn->span = row->spans;
        drawn->link = row->link;
        drawn->detail = under_of(doc, to, table, row);
        for (size_t c = 0; c < count; c++) {
            const rft_datum *cell = &row->cells[from[c]];
            drawn->cells[c] = words_of(doc, to, cell, &table->fields[from[c]]);
            drawn->meter = columns[c].meter && cell->kind == RFT_DATUM_NUMBER ? cell->as.number : drawn->meter;
        }
    }
}

/* Facts that follow each other share a table; returns the last one's index. */
static size_t put_facts(rft_doc *doc, const rft_finding *f, size_t i) {
    static const rft_column columns[] = {{.title = ""}, {.title = "", .wraps = true}};
    rft_table *table = NULL;
    size_t last = i;
    for (; i < f->item_count && f->items[i].kind == RFT_ITEM_FACT; last = i++) {
        const rft_item *fact = &f->items[i];
        if (rft_trait_is_for(&fact->field, RFT_ON_PAGE)) {
            if (!table) {
                table = rft_doc_table(doc, columns, 2);
                table->plain = true;
            }
            rft_doc_pair(doc, table, fact->field.title, words_of(doc, table, &fact->cell, &fact->field));
        }
    }
    return last;
}

void rft_print_page(rft_doc *doc, const rft_finding *f) {
    for (size_t i = 0; f && i < f->item_count; i++) {
        const rft_item *item = &f->items[i];
        if (!rft_is_for(item->where, readers_of(doc))) {
            continue;
        }
        switch (item->kind) {
        case RFT_ITEM_HEADING:
            rft_doc_heading(doc, item->level, item->text, item->anchor);
            break;
        case RFT_ITEM_SENTENCE:
            if (item->text) {
                rft_doc_text(doc, item->style, item->text);
            }
            break;
        case RFT_ITEM_TABLE:
            add_table(doc, item->table);
            break;
        case RFT_ITEM_FACT:
            i = put_facts(doc, f, i);
            break;
        case RFT_ITEM_CHARTS:
            rft_doc_charts(doc, item->charts, item->chart_count);
            if (item->text) {
                rft_doc_text(doc, RFT_TEXT_NOTE, item->text);
            }
            break;
        case RFT_ITEM_FINDING:
        case RFT_ITEM_LIST:
            for (size_t k = 0; k < item->finding_count; k++) {
                rft_print_page(doc, item->findings[k]);
            }
            break;
        case RFT_ITEM_BARS:
            break;
        }
    }
}

/* ---- briefly ---- */

/* "n=64 (TILE=8): Power 694 W, Energy a run 94.5 mJ": the cells that are there, and the notes at any. How many cells,
 * without what stands under a row. */
static size_t add_cells(rft_doc *doc, rft_str *out, rft_str *notes, const rft_cell_table *table,
                        const rft_cell_row *row) {
    const char *joint = "";
    size_t said = 0;
    for (size_t i = 0; i < table->field_count; i++) {
        const rft_trait *field = &table->fields[i];
        const rft_datum *cell = &row->cells[i];
        const char *words = rft_datum_words(cell, field, false, doc->arena), *unit = unit_under(field);
        if (!rft_trait_is_for(field, RFT_ON_PAGE) || !*words) {
            continue;
        }
        if (cell->note) {
            rft_str_addf(notes, " %s", cell->note);
        }
        if (cell->kind == RFT_DATUM_ABSENT) {
            continue;
        }
        if (field->under) {
            rft_str_addf(out, " (%s)", words);
            continue;
        }
        rft_str_addf(out, "%s%s%s%s%s%s", joint, cell->kind == RFT_DATUM_TEXT && i == 0 ? "" : field->title,
                     cell->kind == RFT_DATUM_TEXT && i == 0 ? "" : " ", words, unit && !cell->words ? " " : "",
                     unit && !cell->words ? unit : "");
        joint = i == 0 ? ": " : ", ";
        said++;
    }
    return said;
}

/* The strong row, or the first. */
static void put_row(rft_doc *doc, const char *heading, const rft_cell_table *table) {
    const rft_cell_row *chosen = NULL;
    for (size_t r = 0; r < table->row_count && rft_is_for(table->where, RFT_ON_PAGE); r++) {
        const rft_cell_row *row = &table->rows[r];
        bool better = !chosen || (row->strong && !chosen->strong);
        chosen = rft_is_for(row->where, RFT_ON_PAGE) && better ? row : chosen;
    }
    rft_str text = RFT_STR_INIT, notes = RFT_STR_INIT;
    size_t said = chosen ? add_cells(doc, &text, &notes, table, chosen) : 0;
    if (said == 1 && notes.length) { /* a name, and why there is no more */
        rft_doc_textf(doc, RFT_TEXT_NOTE, "%s%s%s:%s", heading, *heading ? ", " : "", rft_str_get(&text),
                      rft_str_get(&notes));
    } else if (said) {
        rft_doc_textf(doc, RFT_TEXT_NOTE, "%s%s%s.%s", heading, *heading ? ", " : "", rft_str_get(&text),
                      rft_str_get(&notes));
    }
    rft_str_clear(&notes);
    rft_str_clear(&text);
}

void rft_print_page_briefly(rft_doc *doc, const rft_finding *f) {
    const char *heading = "";
    for (size_t i = 0; f && i < f->item_count; i++) {
        const rft_item *item = &f->items[i];
        if (!rft_is_for(item->where, RFT_ON_PAGE)) {
            continue;
        }
        heading = item->kind == RFT_ITEM_HEADING ? item->text : heading;
        if (item->kind == RFT_ITEM_TABLE) {
            put_row(doc, heading, item->table);
        } else if (item->kind == RFT_ITEM_SENTENCE && item->text && item->style == RFT_TEXT_BODY) {
            rft_doc_textf(doc, RFT_TEXT_NOTE, "%s%s%s", heading, *heading ? ": " : "", item->text);
        }
    }
}
