/* SPDX-License-Identifier: Apache-2.0 */
/* store_row.c - the tables and statements of a run file, made from schema.sql and the fields (model/run/field.h);
 * binding and reading rows by the names of their columns (store_parts.h). */
#include "store/store_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char rft_embedded_schema_sql[];

/* ---- the schema ---- */

#define FIELDS_MARK "  -- fields: "

static const char *type_of(rft_field_kind kind) {
    switch (kind) {
    case RFT_FIELD_INT:
    case RFT_FIELD_KNOWN:
    case RFT_FIELD_INT64:
    case RFT_FIELD_COUNT:
    case RFT_FIELD_COUNT64:
    case RFT_FIELD_LENGTH:
    case RFT_FIELD_BYTES:
    case RFT_FIELD_UINT64:
    case RFT_FIELD_SIZE:
    case RFT_FIELD_BOOL:
    case RFT_FIELD_FLAG:
        return "INTEGER";
    case RFT_FIELD_REAL:
    case RFT_FIELD_AMOUNT:
        return "REAL";
    case RFT_FIELD_REALS:
    case RFT_FIELD_BESIDE:
    case RFT_FIELD_COUNTS:
        return "BLOB";
    default:
        return "TEXT";
    }
}

static bool is_stored(const rft_field *field) {
    return !(field->flags & RFT_FIELD_UNSTORED);
}

static void add_columns(rft_str *out, const rft_fields *fields) {
    for (size_t i = 0; i < fields->count; i++) {
        const rft_field *field = &fields->items[i];
        const char *unit = rft_field_unit(field);
        if (is_stored(field)) {
            rft_str_addf(out, "  %s %s%s, -- %s%s%s%s\n", field->name, type_of(field->kind),
                         rft_field_may_be_null(field) ? "" : " NOT NULL", field->help, *unit ? " (" : "", unit,
                         *unit ? ")" : "");
        }
    }
}

/* `names`: of tables of fields, up to the line's end. */
static void add_named(rft_str *out, const char *names, size_t length) {
    for (size_t at = 0; at < length;) {
        size_t word = strcspn(names + at, " \n");
        for (size_t i = 0; i < RFT_FIELDS_COUNT; i++) {
            const char *name = rft_fields_all[i]->name;
            if (strlen(name) == word && strncmp(names + at, name, word) == 0) {
                add_columns(out, rft_fields_all[i]);
            }
        }
        at += word + 1;
    }
}

void rft_store_schema_text(rft_str *out) {
    const char *at = (const char *)rft_embedded_schema_sql;
    while (*at) {
        size_t length = strcspn(at, "\n");
        if (rft_text_starts(at, FIELDS_MARK)) {
            add_named(out, at + strlen(FIELDS_MARK), length - strlen(FIELDS_MARK));
        } else {
            rft_str_add_n(out, at, length);
            rft_str_add_char(out, '\n');
        }
        at += length + (at[length] == '\n');
    }
}

/* ---- statements ---- */

static const struct {
    const char *table, *put, *order;
} tables[RFT_STORED_COUNT] = {
#define TABLE_WORDS(name, put, order) {#name, put, order},
    RFT_STORED_MAP(TABLE_WORDS)
#undef TABLE_WORDS
};

static const char *const plain_statements[RFT_STATEMENT_COUNT - RFT_DO_begin] = {
#define STATEMENT_TEXT(name, text) text,
    RFT_STATEMENT_MAP(STATEMENT_TEXT)
#undef STATEMENT_TEXT
};

/* "INSERT INTO table (a, b) VALUES (:a, :b)", of the columns that the table has. */
static int put_text(rft_store *store, rft_store_table table, rft_str *out) {
    sqlite3_stmt *columns = NULL;
    rft_str values = RFT_STR_INIT;
    int status = sqlite3_prepare_v2(store->db, "SELECT name FROM pragma_table_info(?)", -1, &columns, NULL);
    if (status == SQLITE_OK) {
        sqlite3_bind_text(columns, 1, tables[table].table, -1, SQLITE_STATIC);
    }
    rft_str_addf(out, "%s INTO %s (", tables[table].put, tables[table].table);
    while (status == SQLITE_OK && sqlite3_step(columns) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(columns, 0);
        rft_str_addf(out, "%s%s", values.length ? ", " : "", name);
        rft_str_addf(&values, "%s:%s", values.length ? ", " : "", name);
    }
    rft_str_addf(out, ") VALUES (%s)", rft_str_get(&values));
    rft_str_clear(&values);
    sqlite3_finalize(columns);
    return status;
}

/* All columns: rows are read by their names. A file of an older schema may have no such table: then there is no row. */
static void get_text(rft_store *store, rft_store_table table, rft_str *out) {
    const char *name = tables[table].table;
    bool older = store->schema < RFT_STORE_SCHEMA;
    if (older && sqlite3_table_column_metadata(store->db, NULL, name, NULL, NULL, NULL, NULL, NULL, NULL)) {
        rft_str_add(out, "SELECT NULL WHERE 0");
    } else {
        rft_str_addf(out, "SELECT * FROM %s ORDER BY %s", name, tables[table].order);
    }
}

/* "UPDATE table SET a = :a, b = :b ..." of the fields that are written again. */
static void update_text(rft_str *out, const char *table, const rft_fields *const *parts, size_t count) {
    const char *separator = " SET ";
    rft_str_addf(out, "UPDATE %s", table);
    for (size_t i = 0; i < count; i++) {
        for (size_t f = 0; f < parts[i]->count; f++) {
            const rft_field *field = &parts[i]->items[f];
            if (field->flags & RFT_FIELD_UPDATED) {
                rft_str_addf(out, "%s%s = :%s", separator, field->name, field->name);
                separator = ", ";
            }
        }
    }
}

static int statement_text(rft_store *store, rft_statement statement, rft_str *out) {
    const rft_fields *sums[] = {&rft_fields_info}, *asked[] = {&rft_fields_measure_opts, &rft_fields_search_opts};
    if (statement < RFT_STATEMENT_GET) {
        return put_text(store, (rft_store_table)statement, out);
    }
    if (statement < RFT_DO_begin) {
        get_text(store, (rft_store_table)(statement - RFT_STATEMENT_GET), out);
    } else if (statement == RFT_DO_sums) {
        update_text(out, "run", sums, 1);
    } else if (statement == RFT_DO_asked) {
        update_text(out, "sweep", asked, 2);
        rft_str_add(out, " WHERE sweep = :sweep");
    } else {
        rft_str_add(out, plain_statements[statement - RFT_DO_begin]);
    }
    return SQLITE_OK;
}

static int get_statement(rft_store *store, rft_statement which, sqlite3_stmt **out, rft_err *err) {
    sqlite3_stmt **statement = &store->statements[which];
    if (*statement == NULL) {
        rft_str text = RFT_STR_INIT;
        int status = statement_text(store, which, &text);
        status =
            status ? status
                   : sqlite3_prepare_v3(store->db, rft_str_get(&text), -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
        rft_str_clear(&text);
        if (status != SQLITE_OK) {
            return rft_store_fail(store, "preparing a statement", err);
        }
    }
    sqlite3_reset(*statement);
    *out = *statement;
    return 0;
}

/* ---- writing ---- */

int rft_bind_begin(rft_binder *binder, rft_store *store, rft_statement statement, rft_err *err) {
    *binder = (rft_binder){.store = store, .which = statement};
    return get_statement(store, statement, &binder->statement, err);
}

/* Names are compared the first time only: SQLite looks for each from the beginning of its list. */
static int next_parameter(rft_binder *binder, const char *name) {
    binder->at++;
    if (!binder->store->checked[binder->which]) {
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

static void bind_reals(rft_binder *binder, const char *name, const double *values, size_t count) {
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

static void bind_counts(rft_binder *binder, const char *name, const size_t *counts, size_t count) {
    double *values = rft_calloc(count + 1, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = (double)counts[i];
    }
    bind_reals(binder, name, values, count);
    free(values);
}

static void bind_field(rft_binder *binder, const rft_field *field, const void *record) {
    rft_content content = rft_field_get(field, record);
    if (content.kind == RFT_CONTENT_INT) {
        rft_bind_int(binder, field->name, content.integer);
    } else if (content.kind == RFT_CONTENT_REAL) {
        rft_bind_double(binder, field->name, content.real);
    } else if (content.kind == RFT_CONTENT_REALS) {
        bind_reals(binder, field->name, content.reals, content.count);
    } else if (content.kind == RFT_CONTENT_COUNTS) {
        bind_counts(binder, field->name, content.counts, content.count);
    } else {
        rft_bind_text(binder, field->name, content.kind == RFT_CONTENT_TEXT ? content.text : NULL);
    }
}

void rft_bind_fields(rft_binder *binder, const rft_fields *fields, const void *record) {
    bool update = binder->which == RFT_DO_sums || binder->which == RFT_DO_asked;
    for (size_t i = 0; i < fields->count; i++) {
        const rft_field *field = &fields->items[i];
        if (update ? field->flags & RFT_FIELD_UPDATED : is_stored(field)) {
            bind_field(binder, field, record);
        }
    }
}

int rft_bind_end(rft_binder *binder, const char *doing, rft_err *err) {
    if (binder->wrong || binder->at != sqlite3_bind_parameter_count(binder->statement)) {
        return rft_err_set(err, RFT_E_INTERNAL, "the tables and what is put into them disagree at %s while %s",
                           binder->wrong ? binder->wrong : "the end", doing);
    }
    binder->store->checked[binder->which] = true;
    int status = sqlite3_step(binder->statement);
    int code = status == SQLITE_DONE ? 0 : rft_store_fail(binder->store, doing, err);
    sqlite3_reset(binder->statement);
    return code;
}

/* ---- reading ---- */

int rft_row_begin(rft_store_row *row, rft_store *store, rft_statement statement, rft_arena *arena, rft_err *err) {
    *row = (rft_store_row){.store = store, .arena = arena, .err = err};
    row->code = get_statement(store, statement, &row->statement, err);
    return row->code;
}

bool rft_row_next(rft_store_row *row) {
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

int rft_row_fail(rft_store_row *row, const char *format, ...) {
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

/* The column `name`, looked for behind the one that was read last, where it nearly always is; -1: there is none. */
static int column_at(rft_store_row *row, const char *name) {
    int count = sqlite3_column_count(row->statement);
    for (int i = 0; i < count; i++) {
        int at = row->at + i < count ? row->at + i : row->at + i - count;
        if (strcmp(sqlite3_column_name(row->statement, at), name) == 0) {
            row->at = at + 1;
            return at;
        }
    }
    return -1;
}

static bool to_reals(rft_store_row *row, int at, rft_content *out) {
    const unsigned char *bytes = sqlite3_column_blob(row->statement, at);
    size_t size = (size_t)sqlite3_column_bytes(row->statement, at);
    double *reals = rft_arena_calloc(row->arena, size / 8 + 1, sizeof *reals);
    for (size_t i = 0; i < size / 8; i++) {
        uint64_t bits = 0;
        for (size_t b = 0; b < 8; b++) {
            bits |= (uint64_t)bytes[8 * i + b] << (8 * b);
        }
        memcpy(&reals[i], &bits, 8);
    }
    *out = (rft_content){.kind = RFT_CONTENT_REALS, .reals = reals, .count = size / 8};
    return size % 8 == 0;
}

/* What a file of an older schema has not is null. */
static rft_content content_of(rft_store_row *row, const char *name, const char *was) {
    int at = column_at(row, name);
    at = at < 0 && was ? column_at(row, was) : at;
    rft_content content = {.kind = RFT_CONTENT_NULL};
    if (at < 0 && row->store->schema == RFT_STORE_SCHEMA && !row->code) {
        row->code = rft_err_set(row->err, RFT_E_INTERNAL, "the tables and what is read of them disagree at %s", name);
    }
    switch (at < 0 ? SQLITE_NULL : sqlite3_column_type(row->statement, at)) {
    case SQLITE_INTEGER:
        return (rft_content){.kind = RFT_CONTENT_INT, .integer = sqlite3_column_int64(row->statement, at)};
    case SQLITE_FLOAT:
        return (rft_content){.kind = RFT_CONTENT_REAL, .real = sqlite3_column_double(row->statement, at)};
    case SQLITE_TEXT:
        return (rft_content){.kind = RFT_CONTENT_TEXT, .text = (const char *)sqlite3_column_text(row->statement, at)};
    case SQLITE_BLOB:
        if (!to_reals(row, at, &content)) {
            rft_row_fail(row, "%s: %d bytes are no whole number of doubles", name,
                         sqlite3_column_bytes(row->statement, at));
        }
        return content;
    default:
        return content;
    }
}

void rft_row_fields(rft_store_row *row, const rft_fields *fields, void *record) {
    for (size_t i = 0; i < fields->count && !row->code; i++) {
        const rft_field *field = &fields->items[i];
        if (!is_stored(field)) {
            continue;
        }
        rft_content content = content_of(row, field->name, field->was);
        const char *expected = row->code ? NULL : rft_field_set(field, record, &content, row->arena);
        if (expected) {
            rft_row_fail(row, "%s: expected %s", field->name, expected);
        }
    }
}

int64_t rft_row_int(rft_store_row *row, const char *name) {
    rft_content content = content_of(row, name, NULL);
    if (content.kind != RFT_CONTENT_INT) {
        rft_row_fail(row, "%s: expected a whole number", name);
        return 0;
    }
    return content.integer;
}

size_t rft_row_index(rft_store_row *row, const char *name, size_t limit) {
    int64_t value = rft_row_int(row, name);
    if (value < 0 || (uint64_t)value >= limit) {
        rft_row_fail(row, "%s %lld is out of range", name, (long long)value);
        return 0;
    }
    return (size_t)value;
}

const char *rft_row_text(rft_store_row *row, const char *name) {
    rft_content content = content_of(row, name, NULL);
    if (content.kind != RFT_CONTENT_TEXT && content.kind != RFT_CONTENT_NULL) {
        rft_row_fail(row, "%s: expected a text", name);
        return NULL;
    }
    return content.kind == RFT_CONTENT_TEXT ? rft_arena_strdup(row->arena, content.text) : NULL;
}
