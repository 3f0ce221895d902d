/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/finding.h"

#include "base/str.h"
#include "base/units.h"
#include "reports/figures.h"

#include <math.h>
#include <string.h>

/* ---- cells ---- */

rft_datum rft_datum_absent(void) {
    return (rft_datum){.kind = RFT_DATUM_ABSENT};
}

rft_datum rft_datum_text(const char *text) {
    return text ? (rft_datum){.kind = RFT_DATUM_TEXT, .as.text = text} : (rft_datum){0};
}

rft_datum rft_datum_count(int64_t count) {
    return (rft_datum){.kind = RFT_DATUM_COUNT, .as.count = count};
}

rft_datum rft_datum_number(double number) {
    return isnan(number) ? rft_datum_absent() : (rft_datum){.kind = RFT_DATUM_NUMBER, .as.number = number};
}

rft_datum rft_datum_flag(bool flag) {
    return (rft_datum){.kind = RFT_DATUM_FLAG, .as.flag = flag};
}

rft_datum rft_datum_bars(const rft_bars *bars) {
    return (rft_datum){.kind = RFT_DATUM_BARS, .as.bars = *bars};
}

rft_datum rft_datum_finding(const rft_finding *finding) {
    return finding ? (rft_datum){.kind = RFT_DATUM_FINDING, .as.finding = finding} : (rft_datum){0};
}

rft_datum rft_datum_value(const rft_value *value) {
    switch (value->kind) {
    case RFT_VALUE_INT:
        return rft_datum_count(value->as.integer);
    case RFT_VALUE_BOOL:
        return rft_datum_flag(value->as.integer != 0);
    case RFT_VALUE_TEXT:
        return rft_datum_text(value->as.text);
    case RFT_VALUE_REAL:
        break;
    }
    return rft_datum_number(value->as.real);
}

rft_datum rft_datum_said(rft_datum cell, const char *words) {
    cell.words = words;
    return cell;
}

rft_datum rft_datum_or(rft_datum cell, const char *words) {
    return cell.kind == RFT_DATUM_ABSENT ? rft_datum_said(cell, words) : cell;
}

rft_datum rft_datum_noted(rft_datum cell, const char *note) {
    cell.note = note;
    return cell;
}

rft_datum rft_datum_rate(double number, const char *unit) {
    rft_datum cell = rft_datum_number(number);
    cell.unit = unit;
    return cell;
}

static const char *number_words(const rft_datum *cell, const rft_trait *field, bool text, rft_arena *arena) {
    double number = cell->as.number;
    int digits = text && field->text_digits ? field->text_digits : field->digits;
    int decimals = digits ? digits : text ? 0 : 1; /* of a percentage */
    const char *unit = cell->unit ? cell->unit : field->unit ? field->unit : "";
    const char *behind = *unit && (text || !field->headed) ? rft_arena_printf(arena, " %s", unit) : "";
    char words[64];
    digits = digits ? digits : 3;
    switch (field->style) {
    case RFT_AS_SI:
        if (!text) {
            return rft_figure_si(arena, number, unit);
        }
        return rft_arena_strdup(arena, strcmp(unit, "s") == 0
                                           ? rft_units_format_seconds(words, sizeof words, number, digits)
                                           : rft_units_format_si(words, sizeof words, number, digits, unit));
    case RFT_AS_PERCENT: /* on a page "%" stands in the heading */
        return text                ? rft_arena_fixed(arena, number * 100, decimals, " %")
               : field->digits > 0 ? rft_arena_fixed(arena, number * 100, decimals, "")
                                   : rft_figure_percent_bare(arena, number);
    case RFT_AS_RATIO:
        return text ? rft_arena_printf(arena, "%sx", rft_figure_plain(arena, number, digits))
                    : rft_figure_ratio(arena, number);
    case RFT_AS_FIXED:
        return rft_arena_fixed(arena, number, digits, behind);
    case RFT_AS_BYTES:
        return rft_figure_bytes(arena, (int64_t)number);
    case RFT_AS_PLAIN:
        break;
    }
    return rft_arena_printf(arena, "%s%s", rft_figure_plain(arena, number, digits), behind);
}

const char *rft_datum_words(const rft_datum *cell, const rft_trait *field, bool text, rft_arena *arena) {
    if (cell->words || (text && cell->brief)) {
        return text && cell->brief ? cell->brief : cell->words;
    }
    switch (cell->kind) {
    case RFT_DATUM_ABSENT:
        return "n/a";
    case RFT_DATUM_TEXT:
        return cell->as.text;
    case RFT_DATUM_COUNT:
        return field->style == RFT_AS_BYTES ? rft_figure_bytes(arena, cell->as.count)
               : cell->as.count < 0         ? rft_arena_printf(arena, "%lld", (long long)cell->as.count)
                                            : rft_figure_count(arena, (uint64_t)cell->as.count);
    case RFT_DATUM_NUMBER:
        return number_words(cell, field, text, arena);
    case RFT_DATUM_FLAG:
        return cell->as.flag ? "yes" : "no";
    case RFT_DATUM_BLANK:
    case RFT_DATUM_BARS:
    case RFT_DATUM_FINDING:
        break;
    }
    return "";
}

/* ---- readers ---- */

bool rft_trait_is_for(const rft_trait *field, unsigned readers) {
    unsigned can = (field->key ? RFT_IN_DATA | RFT_IN_CSV : 0) | (field->title ? RFT_TO_PEOPLE : 0);
    return (can & (field->where ? field->where : ~0u) & readers) != 0;
}

bool rft_is_for(unsigned where, unsigned readers) {
    return ((where ? where : ~0u) & readers) != 0;
}

/* ---- items ---- */

rft_finding *rft_finding_new(rft_arena *arena) {
    rft_finding *f = rft_arena_calloc(arena, 1, sizeof *f);
    f->arena = arena;
    return f;
}

static rft_item *add_item(rft_finding *f, rft_item_kind kind, unsigned where, const char *key) {
    f->items = rft_arena_grown(f->arena, f->items, f->item_count, &f->item_capacity, sizeof *f->items);
    rft_item *item = &f->items[f->item_count++];
    *item = (rft_item){.kind = kind, .where = where, .key = key};
    return item;
}

static const char *formatted(rft_arena *arena, const char *format, va_list args) {
    rft_str text = RFT_STR_INIT;
    rft_str_addv(&text, format, args);
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

void rft_finding_heading(rft_finding *f, unsigned where, int level, const char *format, ...) {
    rft_item *item = add_item(f, RFT_ITEM_HEADING, where, NULL);
    va_list args;
    va_start(args, format);
    item->level = level;
    item->text = formatted(f->arena, format, args);
    va_end(args);
}

void rft_finding_chapter(rft_finding *f, int level, const char *text, const char *anchor) {
    rft_finding_heading(f, RFT_ON_PAGE, level, "%s", text);
    f->items[f->item_count - 1].anchor = anchor;
}

void rft_finding_note(rft_finding *f, unsigned where, const char *format, ...) {
    rft_item *item = add_item(f, RFT_ITEM_SENTENCE, where, NULL);
    va_list args;
    va_start(args, format);
    item->style = RFT_TEXT_NOTE;
    item->text = formatted(f->arena, format, args);
    va_end(args);
}

void rft_finding_legend(rft_finding *f, const char *text) {
    rft_item *item = add_item(f, RFT_ITEM_SENTENCE, RFT_ON_PAGE, NULL);
    item->style = RFT_TEXT_LEGEND;
    item->text = text;
}

void rft_finding_body(rft_finding *f, unsigned where, const char *format, ...) {
    rft_item *item = add_item(f, RFT_ITEM_SENTENCE, where, NULL);
    va_list args;
    va_start(args, format);
    item->text = formatted(f->arena, format, args);
    va_end(args);
}

void rft_finding_strong(rft_finding *f, unsigned where, const char *text) {
    rft_item *item = add_item(f, RFT_ITEM_SENTENCE, where, NULL);
    item->style = RFT_TEXT_STRONG;
    item->text = text;
}

void rft_finding_mono(rft_finding *f, unsigned where, const char *text) {
    rft_item *item = add_item(f, RFT_ITEM_SENTENCE, where, NULL);
    item->style = RFT_TEXT_MONO;
    item->text = text;
}

rft_cell_table *rft_finding_table(rft_finding *f, const char *key, const rft_trait *fields, size_t count) {
    rft_cell_table *table = rft_arena_calloc(f->arena, 1, sizeof *table);
    table->arena = f->arena;
    table->fields = rft_arena_memdup(f->arena, fields, count * sizeof *fields);
    table->field_count = count;
    add_item(f, RFT_ITEM_TABLE, 0, key)->table = table;
    return table;
}

rft_cell_row *rft_cell_table_row(rft_cell_table *table) {
    table->rows =
        rft_arena_grown(table->arena, table->rows, table->row_count, &table->row_capacity, sizeof *table->rows);
    rft_cell_row *row = &table->rows[table->row_count++];
    *row = (rft_cell_row){.cells = rft_arena_calloc(table->arena, table->field_count, sizeof *row->cells)};
    return row;
}

size_t rft_cell_table_rows(const rft_cell_table *table, unsigned readers) {
    size_t count = 0;
    for (size_t i = 0; i < table->row_count && rft_is_for(table->where, readers); i++) {
        count += rft_is_for(table->rows[i].where, readers);
    }
    return count;
}

bool rft_cell_table_headed(const rft_cell_table *table) {
    bool headed = false;
    for (size_t i = 0; i < table->field_count; i++) {
        headed = headed || (table->fields[i].title && *table->fields[i].title);
    }
    return headed;
}

void rft_finding_fact(rft_finding *f, const rft_trait *field, rft_datum cell) {
    rft_item *item = add_item(f, RFT_ITEM_FACT, field->where, field->key);
    item->field = *field;
    item->cell = cell;
}

void rft_finding_listed(rft_finding *f, unsigned where, const char *key, const char *text) {
    rft_item *item = add_item(f, RFT_ITEM_SENTENCE, where, key);
    item->text = text;
}

rft_finding *rft_finding_texts(const char *const *texts, size_t count, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_listed(f, RFT_IN_DATA, "", NULL);
    for (size_t i = 0; i < count; i++) {
        rft_finding_listed(f, RFT_IN_DATA, "", texts[i]);
    }
    return f;
}

void rft_finding_set(rft_finding *f, const char *key, rft_datum cell) {
    rft_finding_fact(f, &(rft_trait){.key = key}, cell);
}

void rft_finding_charts(rft_finding *f, rft_chart *const *charts, size_t count, const char *caption) {
    rft_item *item = add_item(f, RFT_ITEM_CHARTS, RFT_ON_PAGE, NULL);
    item->charts = rft_arena_memdup(f->arena, charts, count * sizeof *charts);
    item->chart_count = count;
    item->text = caption;
}

void rft_finding_plot(rft_finding *f, rft_chart *chart) {
    rft_finding_charts(f, &chart, 1, NULL);
    f->items[f->item_count - 1].where = RFT_ON_PAGE | RFT_IN_TEXT;
}

void rft_finding_chart_rows(rft_finding *f, rft_chart *const *charts, size_t count, size_t columns) {
    rft_chart *row[4];
    for (size_t i = 0; i < count; i += columns) {
        for (size_t k = 0; k < columns; k++) {
            row[k] = i + k < count ? charts[i + k] : rft_chart_new(f->arena, "", 0);
        }
        rft_finding_charts(f, row, columns, NULL);
    }
}

size_t rft_finding_chart_columns(size_t count) {
    return count == 1 ? 1 : count == 2 || count == 4 ? 2 : 3;
}

double rft_bars_floor(double lowest, double highest) {
    return lowest > 0.6 * highest ? lowest - 0.15 * (highest - lowest) : 0;
}

void rft_finding_bars(rft_finding *f, unsigned where, const rft_bars *bars) {
    rft_item *item = add_item(f, RFT_ITEM_BARS, where & RFT_IN_TEXT, NULL);
    item->bars = *bars;
    item->bars.values = rft_arena_memdup(f->arena, bars->values, bars->count * sizeof *bars->values);
}

void rft_finding_join(rft_finding *f, const rft_finding *other) {
    for (size_t i = 0; other && i < other->item_count; i++) {
        *add_item(f, other->items[i].kind, 0, NULL) = other->items[i];
    }
}

rft_item *rft_finding_list(rft_finding *f, const char *key) {
    return add_item(f, RFT_ITEM_LIST, 0, key);
}

void rft_finding_append(rft_finding *f, rft_item *list, const rft_finding *child) {
    list->findings =
        rft_arena_grown(f->arena, list->findings, list->finding_count, &list->finding_capacity, sizeof *list->findings);
    list->findings[list->finding_count++] = child;
}

void rft_finding_add(rft_finding *f, const char *key, const rft_finding *child) {
    rft_finding_append(f, add_item(f, RFT_ITEM_FINDING, 0, key), child);
}

const rft_item *rft_finding_find(const rft_finding *f, rft_item_kind kind) {
    for (size_t i = 0; f && i < f->item_count; i++) {
        if (f->items[i].kind == kind) {
            return &f->items[i];
        }
    }
    return NULL;
}
