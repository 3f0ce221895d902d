/* SPDX-License-Identifier: Apache-2.0 */
/* print_junit.c - verdicts as JUnit XML, as continuous integration reads it (the Ant schema's testsuites). */
#include "reports/print/print.h"

#include "base/plain.h"

#include <string.h>

enum { CARD, LIMIT, VERDICT, REASON, FIELDS };

typedef struct verdict_table {
    const rft_cell_table *table;
    size_t at[FIELDS]; /* columns */
} verdict_table;

static const char *const keys[FIELDS] = {"card", "limit", "verdict", "reason"};

static bool has_fields(verdict_table *out, const rft_cell_table *table) {
    size_t found = 0;
    for (int k = 0; k < FIELDS; k++) {
        for (size_t i = 0; i < table->field_count; i++) {
            if (rft_text_equal(table->fields[i].key, keys[k])) {
                out->at[k] = i;
                found++;
            }
        }
    }
    out->table = table;
    return found == FIELDS;
}

/* XML 1.0 has no place for control characters nor for what is no UTF-8: they are spelled out. */
static void add_xml(rft_str *out, const char *text) {
    rft_str plain = RFT_STR_INIT;
    rft_plain_add(&plain, text, strlen(text));
    for (const char *at = rft_str_get(&plain); *at; at++) {
        const char *word = *at == '&'    ? "&amp;"
                           : *at == '<'  ? "&lt;"
                           : *at == '>'  ? "&gt;"
                           : *at == '"'  ? "&quot;"
                           : *at == '\n' ? "&#10;"
                           : *at == '\t' ? "&#9;"
                           : *at == '\r' ? "&#13;"
                                         : NULL;
        if (word) {
            rft_str_add(out, word);
        } else if (strncmp(at, "\xef\xbf\xbe", 3) == 0 || strncmp(at, "\xef\xbf\xbf", 3) == 0) {
            rft_str_add(out, "\xef\xbf\xbd"); /* U+FFFE and U+FFFF are no characters of XML */
            at += 2;
        } else {
            rft_str_add_char(out, *at);
        }
    }
    rft_str_clear(&plain);
}

static void add_attribute(rft_str *out, const char *name, const char *text) {
    rft_str_addf(out, " %s=\"", name);
    add_xml(out, text);
    rft_str_add(out, "\"");
}

static const char *cell(const verdict_table *t, size_t row, int field) {
    const rft_datum *datum = &t->table->rows[row].cells[t->at[field]];
    return datum->kind == RFT_DATUM_TEXT && datum->as.text ? datum->as.text : "";
}

/* Of the rows from `first` on, up to another card, or all. */
static size_t add_counts(rft_str *out, const verdict_table *t, size_t first, bool all) {
    size_t end = first, failures = 0, skipped = 0;
    while (end < t->table->row_count && (all || strcmp(cell(t, end, CARD), cell(t, first, CARD)) == 0)) {
        failures += strcmp(cell(t, end, VERDICT), "FAIL") == 0;
        skipped += strcmp(cell(t, end, VERDICT), "UNDECIDED") == 0;
        end++;
    }
    rft_str_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"", end - first, failures, skipped);
    return end;
}

static void add_case(rft_str *out, const verdict_table *t, size_t row) {
    const char *verdict = cell(t, row, VERDICT);
    bool failed = strcmp(verdict, "FAIL") == 0;
    rft_str_add(out, "    <testcase");
    add_attribute(out, "classname", cell(t, row, CARD));
    add_attribute(out, "name", cell(t, row, LIMIT));
    if (!failed && strcmp(verdict, "UNDECIDED") != 0) {
        rft_str_add(out, "/>\n");
        return;
    }
    rft_str_addf(out, ">\n      <%s", failed ? "failure" : "skipped");
    add_attribute(out, "message", cell(t, row, REASON));
    rft_str_add(out, "/>\n    </testcase>\n");
}

void rft_print_junit(rft_str *out, const char *name, const rft_finding *f) {
    verdict_table t = {0};
    rft_str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    add_attribute(out, "name", name);
    size_t i = 0;
    while (f && i < f->item_count && !(f->items[i].kind == RFT_ITEM_TABLE && has_fields(&t, f->items[i].table))) {
        i++;
    }
    if (!f || i == f->item_count) {
        rft_str_add(out, "/>\n");
        return;
    }
    add_counts(out, &t, 0, true);
    rft_str_add(out, ">\n");
    for (size_t row = 0; row < t.table->row_count;) {
        rft_str_add(out, "  <testsuite");
        add_attribute(out, "name", cell(&t, row, CARD));
        size_t end = add_counts(out, &t, row, false);
        rft_str_add(out, ">\n");
        for (; row < end; row++) {
            add_case(out, &t, row);
        }
        rft_str_add(out, "  </testsuite>\n");
    }
    rft_str_add(out, "</testsuites>\n");
}
