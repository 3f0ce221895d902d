/* SPDX-License-Identifier: Apache-2.0 */
/* store_row.c - statements by name; binding and reading rows by column tables (store_sqlite.h). */
#include "store/store_sqlite.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char rft_embedded_query_sql[];

static const char *const query_names[RFT_QUERY_COUNT] = {
#define QUERY_NAME(name) #name,
    RFT_QUERY_MAP(QUERY_NAME)
#undef QUERY_NAME
};

#define NAME_MARK "-- name: "

/* The text of a statement in query.sql: from its name to the next one. */
static const char *query_text(const char *name, size_t *length) {
    size_t name_length = strlen(name), mark_length = strlen(NAME_MARK);
    const char *at = (const char *)rft_embedded_query_sql;
    while ((at = strstr(at, NAME_MARK)) != NULL) {
        at += mark_length;
        if (strncmp(at, name, name_length) == 0 && at[name_length] == '\n') {
            at += name_length;
            const char *end = strstr(at, NAME_MARK);
            *length = end ? (size_t)(end - at) : strlen(at);
            return at;
        }
    }
    return NULL;
}

static int get_statement(rft_store *store, rft_query query, sqlite3_stmt **out, rft_err *err) {
    sqlite3_stmt **statement = &store->statements[query];
    if (*statement == NULL) {
        size_t length = 0;
        const char *text = query_text(query_names[query], &length);
        if (text == NULL || length > INT_MAX) {
            return rft_err_set(err, RFT_E_INTERNAL, "query.sql has no statement %s", query_names[query]);
        }
        rft_str older = RFT_STR_INIT;
        if (store->schema < RFT_STORE_SCHEMA) {
            rft_store_older_query(store, text, length, &older);
            text = rft_str_get(&older);
            length = older.length;
        }
        int status = sqlite3_prepare_v3(store->db, text, (int)length, SQLITE_PREPARE_PERSISTENT, statement, NULL);
        rft_str_clear(&older);
        if (status != SQLITE_OK) {
            return rft_store_fail(store, query_names[query], err);
        }
    }
    sqlite3_reset(*statement);
    *out = *statement;
    return 0;
}

/* ---- writing ---- */

int rft_bind_begin(rft_binder *binder, rft_store *store, rft_query query, rft_err *err) {
    *binder = (rft_binder){.store = store, .query = query};
    return get_statement(store, query, &binder->statement, err);
}

/* Names are compared the first time only: SQLite looks for each from the beginning of its list. */
static int next_parameter(rft_binder *binder, const char *name) {
    binder->at++;
    if (!binder->store->checked[binder->query]) {
        const char *expected = sqlite3_bind_parameter_name(binder->statement, binder->at);
        if (expected == NULL || strcmp(expected + 1, name) != 0) {
            binder->wrong = name;
        }
    }
    return binder->at;
}

void rft_bind_int(rft_binder *binder, const char *name, int64_t value) {
    sqlite3_bind_int64(binder->statement, next_parameter(binder, name), value);
}

void rft_bind_double(rft_binder *binder, const char *name, double value) {
    sqlite3_bind_double(binder->statement, next_parameter(binder, name), value);
}

void rft_bind_text(rft_binder *binder, const char *name, const char *text) {
    int at = next_parameter(binder, name);
    if (text) {
        sqlite3_bind_text64(binder->statement, at, text, strlen(text), SQLITE_TRANSIENT, SQLITE_UTF8);
    } else {
        sqlite3_bind_null(binder->statement, at);
    }
}

void rft_bind_columns(rft_binder *binder, const rft_columns *columns, const void *record) {
    for (size_t i = 0; i < columns->count; i++) {
        rft_cell cell = rft_column_get(&columns->items[i], record);
        const char *name = columns->items[i].name;
        if (cell.kind == RFT_CELL_INT) {
            rft_bind_int(binder, name, cell.integer);
        } else if (cell.kind == RFT_CELL_REAL) {
            rft_bind_double(binder, name, cell.real);
        } else {
            rft_bind_text(binder, name, cell.kind == RFT_CELL_TEXT ? cell.text : NULL);
        }
    }
}

void rft_bind_doubles(rft_binder *binder, const char *name, const double *values, size_t count) {
    unsigned char *bytes = rft_alloc(count * 8 + 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], 8);
        for (size_t b = 0; b < 8; b++) {
            bytes[8 * i + b] = (unsigned char)(bits >> (8 * b));
        }
    }
    sqlite3_bind_blob64(binder->statement, next_parameter(binder, name), bytes, count * 8, SQLITE_TRANSIENT);
    free(bytes);
}

int rft_bind_end(rft_binder *binder, const char *doing, rft_err *err) {
    if (binder->wrong || binder->at != sqlite3_bind_parameter_count(binder->statement)) {
        return rft_err_set(err, RFT_E_INTERNAL, "query.sql and the column tables disagree at %s while %s",
                           binder->wrong ? binder->wrong : "the end", doing);
    }
    binder->store->checked[binder->query] = true;
    int status = sqlite3_step(binder->statement);
    int code = status == SQLITE_DONE ? 0 : rft_store_fail(binder->store, doing, err);
    sqlite3_reset(binder->statement);
    return code;
}

/* ---- reading ---- */

int rft_row_begin(rft_row *row, rft_store *store, rft_query query, rft_arena *arena, rft_err *err) {
    *row = (rft_row){.store = store, .arena = arena, .err = err};
    row->code = get_statement(store, query, &row->statement, err);
    return row->code;
}

bool rft_row_next(rft_row *row) {
    row->at = 0;
    if (row->code) {
        sqlite3_reset(row->statement);
        return false;
    }
    int status = sqlite3_step(row->statement);
    if (status == SQLITE_ROW) {
        return true;
    }
    if (status != SQLITE_DONE) {
        row->code = rft_store_fail(row->store, "reading", row->err);
    }
    sqlite3_reset(row->statement);
    return false;
}

int rft_row_fail(rft_row *row, const char *format, ...) {
    if (row->code) {
        return row->code;
    }
    char what[256];
    va_list args;
    va_start(args, format);
    rft_text_vformat(what, sizeof what, format, args);
    va_end(args);
    rft_err_set(row->err, RFT_E_STORE, "%s is damaged: %s", row->store->path, what);
    rft_err_remedy(row->err, "use a copy of it, or measure again into another file (-o)");
    row->code = RFT_E_STORE;
    return row->code;
}

static rft_cell next_cell(rft_row *row) {
    int at = row->at++;
    switch (sqlite3_column_type(row->statement, at)) {
    case SQLITE_INTEGER:
        return (rft_cell){.kind = RFT_CELL_INT, .integer = sqlite3_column_int64(row->statement, at)};
    case SQLITE_FLOAT:
        return (rft_cell){.kind = RFT_CELL_REAL, .real = sqlite3_column_double(row->statement, at)};
    case SQLITE_TEXT:
        return (rft_cell){.kind = RFT_CELL_TEXT, .text = (const char *)sqlite3_column_text(row->statement, at)};
    default:
        return (rft_cell){.kind = RFT_CELL_NULL};
    }
}

void rft_row_columns(rft_row *row, const rft_columns *columns, void *record) {
    for (size_t i = 0; i < columns->count && !row->code; i++) {
        const char *found = sqlite3_column_name(row->statement, row->at);
        if (found == NULL || strcmp(found, columns->items[i].name) != 0) {
            row->code = rft_err_set(row->err, RFT_E_INTERNAL, "query.sql and the column tables disagree at %s",
                                    columns->items[i].name);
            return;
        }
        rft_cell cell = next_cell(row);
        const char *expected = rft_column_set(&columns->items[i], record, &cell, row->arena);
        if (expected) {
            rft_row_fail(row, "%s: expected %s", columns->items[i].name, expected);
        }
    }
}

int64_t rft_row_int(rft_row *row) {
    rft_cell cell = next_cell(row);
    if (cell.kind != RFT_CELL_INT) {
        rft_row_fail(row, "%s: expected a whole number", sqlite3_column_name(row->statement, row->at - 1));
        return 0;
    }
    return cell.integer;
}

size_t rft_row_index(rft_row *row, size_t limit) {
    int64_t value = rft_row_int(row);
    if (value < 0 || (uint64_t)value >= limit) {
        rft_row_fail(row, "%s %lld is out of range", sqlite3_column_name(row->statement, row->at - 1),
                     (long long)value);
        return 0;
    }
    return (size_t)value;
}

const char *rft_row_text(rft_row *row) {
    rft_cell cell = next_cell(row);
    if (cell.kind == RFT_CELL_INT || cell.kind == RFT_CELL_REAL) {
        rft_row_fail(row, "%s: expected a text", sqlite3_column_name(row->statement, row->at - 1));
        return NULL;
    }
    return cell.kind == RFT_CELL_TEXT ? rft_arena_strdup(row->arena, cell.text) : NULL;
}

double *rft_row_doubles(rft_row *row, size_t *count) {
    int at = row->at++;
    const unsigned char *bytes = sqlite3_column_blob(row->statement, at);
    size_t size = (size_t)sqlite3_column_bytes(row->statement, at);
    *count = size / 8;
    if (size % 8 != 0) {
        rft_row_fail(row, "%s: %zu bytes are no whole number of doubles", sqlite3_column_name(row->statement, at),
                     size);
        *count = 0;
    }
    if (*count == 0) {
        return NULL;
    }
    double *values = rft_arena_calloc(row->arena, *count, sizeof *values);
    for (size_t i = 0; i < *count; i++) {
        uint64_t bits = 0;
        for (size_t b = 0; b < 8; b++) {
            bits |= (uint64_t)bytes[8 * i + b] << (8 * b);
        }
        memcpy(&values[i], &bits, 8);
    }
    return values;
}
