/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/print/print.h"

#include <stdlib.h>

static json_t *of_text(const char *text) {
    json_t *value = text ? json_string(text) : NULL;
    return value ? value : json_null(); /* no UTF-8: a name from a foreign locale */
}

static json_t *of_cell(const rft_datum *cell) {
    switch (cell->kind) {
    case RFT_DATUM_TEXT:
        return of_text(cell->as.text);
    case RFT_DATUM_COUNT:
        return json_integer((json_int_t)cell->as.count);
    case RFT_DATUM_NUMBER:
        return rft_json_real_new(cell->as.number);
    case RFT_DATUM_FLAG:
        return json_boolean(cell->as.flag);
    case RFT_DATUM_FINDING:
        return rft_print_json(cell->as.finding);
    case RFT_DATUM_BLANK:
    case RFT_DATUM_BARS:
    case RFT_DATUM_ABSENT:
        break;
    }
    return json_null();
}

static json_t *of_row(const rft_cell_table *table, const rft_cell_row *row) {
    json_t *object = json_object();
    for (size_t i = 0; i < table->field_count; i++) {
        if (rft_trait_is_for(&table->fields[i], RFT_IN_DATA)) {
            json_object_set_new(object, table->fields[i].key, of_cell(&row->cells[i]));
        }
    }
    return object;
}

static json_t *of_table(const rft_cell_table *table) {
    json_t *all = table->keyed ? json_object() : json_array();
    for (size_t i = 0; i < table->row_count; i++) {
        if (!rft_is_for(table->rows[i].where, RFT_IN_DATA)) {
            continue;
        }
        json_t *row = of_row(table, &table->rows[i]);
        if (table->keyed) {
            json_object_set_new(all, table->rows[i].key, row);
        } else {
            json_array_append_new(all, row);
        }
    }
    return all;
}

static json_t *of_list(const rft_item *item) {
    json_t *list = json_array();
    for (size_t i = 0; i < item->finding_count; i++) {
        json_array_append_new(list, rft_print_json(item->findings[i]));
    }
    return list;
}

static json_t *of_item(const rft_item *item) {
    switch (item->kind) {
    case RFT_ITEM_TABLE:
        return of_table(item->table);
    case RFT_ITEM_FACT:
        return of_cell(&item->cell);
    case RFT_ITEM_FINDING:
        return rft_print_json(item->findings[0]);
    case RFT_ITEM_LIST:
        return of_list(item);
    case RFT_ITEM_HEADING:
    case RFT_ITEM_SENTENCE:
    case RFT_ITEM_CHARTS:
    case RFT_ITEM_BARS:
        break;
    }
    return json_null();
}

/* Sentences of one key are an array; returns `object`, or the array that stands in its place. */
static json_t *with_listed(json_t *object, const rft_item *item) {
    json_t *list = json_is_array(object) ? object : json_object_get(object, item->key);
    if (!list && *item->key == '\0') {
        json_decref(object);
        object = list = json_array();
    } else if (!list) {
        list = json_array();
        json_object_set_new(object, item->key, list);
    }
    if (item->text) {
        json_array_append_new(list, of_text(item->text));
    }
    return object;
}

json_t *rft_print_json(const rft_finding *f) {
    json_t *object = f ? json_object() : json_null();
    for (size_t i = 0; f && i < f->item_count; i++) {
        const rft_item *item = &f->items[i];
        if (!item->key || !rft_is_for(item->where, RFT_IN_DATA)) {
            continue;
        }
        if (item->kind == RFT_ITEM_SENTENCE) {
            object = with_listed(object, item);
        } else if (*item->key != '\0') {
            json_object_set_new(object, item->key, of_item(item));
        } else if (json_is_array(object)) {
            json_t *more = of_item(item);
            json_array_extend(object, more);
            json_decref(more);
        } else {
            json_decref(object);
            object = of_item(item);
        }
    }
    return object;
}

void rft_print_json_line(rft_str *out, json_t *root) {
    char *text = rft_json_dump(root, NULL);
    rft_str_addf(out, "%s\n", text);
    free(text);
    json_decref(root);
}
