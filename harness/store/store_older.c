/* SPDX-License-Identifier: Apache-2.0 */
/* store_older.c - reading files of an older schema: missing columns are read as NULL, which every column added since
 * takes for "not recorded" (column.h). */
#include "store/store_sqlite.h"

#include <string.h>

#define SPACE " \n\t"

/* The word at *at, behind spaces; its length, 0 at a comma or the end. */
static size_t word_at(const char **at, const char *end) {
    *at += strspn(*at, SPACE);
    size_t length = *at < end ? strcspn(*at, SPACE ",;") : 0;
    return *at + length <= end ? length : 0;
}

static bool has_column(sqlite3 *db, const char *table, const char *column) {
    return sqlite3_table_column_metadata(db, NULL, table, column, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

/* "SELECT a, b, c FROM table ...": the form of every reading statement of query.sql. */
void rft_store_older_query(rft_store *store, const char *text, size_t length, rft_str *out) {
    const char *end = text + length;
    const char *from = strstr(text, "\nFROM ");
    const char *at = text;
    size_t size = word_at(&at, end);
    if (!from || from >= end || size != strlen("SELECT") || strncmp(at, "SELECT", size) != 0) {
        rft_str_add_n(out, text, length);
        return;
    }
    const char *name = from + strlen("\nFROM ");
    char table[64];
    char column[64];
    rft_text_format(table, sizeof table, "%.*s", (int)word_at(&name, end), name);
    bool has_table = has_column(store->db, table, NULL);
    rft_str_add(out, "SELECT ");
    for (at += size; (size = word_at(&at, from)) > 0; at += strspn(at, SPACE ",")) {
        rft_text_format(column, sizeof column, "%.*s", (int)size, at);
        at += size;
        bool known = has_table && has_column(store->db, table, column);
        rft_str_addf(out, "%s%s%s", out->length > strlen("SELECT ") ? ", " : "", known ? "" : "NULL AS ", column);
    }
    if (has_table) {
        rft_str_add_n(out, from, (size_t)(end - from));
    } else {
        rft_str_add(out, " WHERE 0;");
    }
}
