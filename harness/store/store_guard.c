/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_guard.c - a run file may come from anywhere. Before anything is asked of it: it holds the tables of a run and
 * nothing else, SQLite finds its pages in order, and no statement takes more steps than a file of its size can need.
 */
#include "store/store_parts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Reading a whole run takes about one step a byte. */
enum { STEPS_AT_ONCE = 1000, STEPS_LEAST = 10 * 1000 * 1000, STEPS_A_BYTE = 64, BYTES_LEAST = 1 << 20 };

static int64_t bytes_of(const rft_store *store) {
    struct stat info;
    int64_t wal = rft_store_companion_bytes(store, "-wal");
    return (stat(store->real, &info) == 0 ? (int64_t)info.st_size : 0) + (wal > 0 ? wal : 0);
}

static int count_steps(void *payload) {
    rft_store *store = payload;
    store->steps_left -= STEPS_AT_ONCE;
    return store->steps_left < 0;
}

void rft_store_bound_steps(rft_store *store, bool on) {
    store->steps_left = STEPS_LEAST + STEPS_A_BYTE * bytes_of(store);
    sqlite3_progress_handler(store->db, STEPS_AT_ONCE, on ? count_steps : NULL, store);
}

void rft_store_distrust(rft_store *store) {
    sqlite3 *db = store->db;
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, BYTES_LEAST);
    if (store->mode == RFT_STORE_READ) {
        int64_t bytes = bytes_of(store); /* no value in it can be larger */
        sqlite3_limit(db, SQLITE_LIMIT_LENGTH,
                      bytes < BYTES_LEAST ? BYTES_LEAST
                      : bytes > INT_MAX   ? INT_MAX
                                          : (int)bytes);
    }
    rft_store_bound_steps(store, true);
}

static const char *text_at(sqlite3_stmt *row, int column) {
    return (const char *)sqlite3_column_text(row, column);
}

/* Has the table only columns that hold what was put there? */
static bool has_plain_columns(rft_store *store, const char *table) {
    sqlite3_stmt *columns = NULL;
    bool plain = true;
    if (sqlite3_prepare_v2(store->db, "SELECT hidden FROM pragma_table_xinfo(?)", -1, &columns, NULL) == SQLITE_OK) {
        sqlite3_bind_text(columns, 1, table, -1, SQLITE_TRANSIENT);
        while (sqlite3_step(columns) == SQLITE_ROW) {
            plain = plain && sqlite3_column_int(columns, 0) == 0;
        }
    }
    sqlite3_finalize(columns);
    return plain;
}

/* Where a line of `schema` begins so; NULL. */
static const char *line_of(const char *schema, const char *kind, const char *name) {
    char head[128];
    snprintf(head, sizeof head, "CREATE %s %s ", kind, name);
    const char *found = strstr(schema, head);
    while (found && found != schema && found[-1] != '\n') {
        found = strstr(found + 1, head);
    }
    return found;
}

/* The statement of `schema` that makes the table or view of that name; NULL. */
static const char *statement_of(const char *schema, const char *name) {
    if (!name || !*name || strspn(name, "abcdefghijklmnopqrstuvwxyz_") != strlen(name)) {
        return NULL;
    }
    const char *table = line_of(schema, "TABLE", name);
    return table ? table : line_of(schema, "VIEW", name);
}

/* `row`: name, table and SQL of an index. Those of our tables SQLite makes itself, and finds to which they belong. */
static bool is_own_index(const char *schema, sqlite3_stmt *row) {
    const char *name = text_at(row, 1), *table = text_at(row, 2);
    return name && table && !text_at(row, 3) && rft_text_starts(name, "sqlite_autoindex_") &&
           statement_of(schema, table);
}

/* `row`: type, name, table and SQL of a table or view of the file. The tables of an older schema had fewer columns:
 * they are tables, and compute nothing. */
static bool is_as_known(rft_store *store, sqlite3_stmt *row, const char *known) {
    const char *type = text_at(row, 0), *name = text_at(row, 1), *table = text_at(row, 2), *sql = text_at(row, 3);
    const bool is_table = known && rft_text_starts(known, "CREATE TABLE ");
    if (!known || !type || strcmp(type, is_table ? "table" : "view") != 0 || !table || strcmp(name, table) != 0 ||
        !sql) {
        return false;
    }
    if (store->schema == RFT_STORE_SCHEMA) {
        const size_t length = strlen(sql);
        return strncmp(known, sql, length) == 0 && known[length] == ';';
    }
    return !is_table || (rft_text_starts(sql, "CREATE TABLE ") && has_plain_columns(store, name));
}

static int foreign(rft_store *store, sqlite3_stmt *row, bool altered, rft_err *err) {
    const char *type = text_at(row, 0), *name = text_at(row, 1);
    rft_err_set(err, RFT_E_STORE, "%s holds the %.20s %.100s%s", store->path, type ? type : "object",
                name ? name : "without a name",
                altered ? ", which is not as rooftune makes it" : ", which no run of rooftune has");
    return rft_err_remedy(err, "another program changed the file: name the run as rooftune wrote it, or its recording");
}

static int compare(rft_store *store, sqlite3_stmt *rows, const char *schema, rft_err *err) {
    int code = 0, status = SQLITE_OK;
    while (!code && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *type = text_at(rows, 0), *known = statement_of(schema, text_at(rows, 1));
        const bool is_index = type && strcmp(type, "index") == 0;
        const bool right = is_index ? is_own_index(schema, rows) : is_as_known(store, rows, known);
        code = right ? 0 : foreign(store, rows, known != NULL, err);
    }
    return code || status == SQLITE_DONE ? code : rft_store_fail(store, "reading", err);
}

int rft_store_check_objects(rft_store *store, rft_err *err) {
    sqlite3_stmt *rows = NULL;
    rft_str schema = RFT_STR_INIT;
    int code = 0;
    if (sqlite3_prepare_v2(store->db, "SELECT type, name, tbl_name, sql FROM sqlite_master", -1, &rows, NULL)) {
        code = rft_store_fail(store, "reading", err);
    } else {
        rft_store_schema_text(&schema);
        code = compare(store, rows, rft_str_get(&schema), err);
    }
    rft_str_clear(&schema);
    sqlite3_finalize(rows);
    return code;
}

/* Each page is used once, each row is whole and has values of its columns' types: behind this a file yields no more
 * than it holds. */
int rft_store_check_pages(rft_store *store, rft_err *err) {
    sqlite3_stmt *check = NULL;
    /* What the checks of a foreign file's tables compute does not matter here. */
    int code = rft_store_exec(store, "PRAGMA ignore_check_constraints = ON", "reading", err);
    if (code) {
        return code;
    }
    int status = sqlite3_prepare_v2(store->db, "PRAGMA quick_check(1)", -1, &check, NULL);
    status = status == SQLITE_OK ? sqlite3_step(check) : status;
    const char *said = status == SQLITE_ROW ? text_at(check, 0) : NULL;
    if (!said) {
        code = rft_store_fail(store, "reading", err);
    } else if (rft_text_ends(said, "error code=7")) { /* SQLITE_NOMEM: no page of the file is at fault */
        rft_err_set(err, RFT_E_STORE, "%s cannot be checked: out of memory", store->path);
        code = rft_err_remedy(err, RFT_STORE_MEMORY);
    } else if (strcmp(said, "ok") != 0) {
        const char *line = strchr(said, '\n');
        rft_err_set(err, RFT_E_STORE, "%s is damaged: %.200s", store->path, line ? line + 1 : said);
        code = rft_err_remedy(err, RFT_STORE_DAMAGED);
    }
    sqlite3_finalize(check);
    return code ? code : rft_store_exec(store, "PRAGMA ignore_check_constraints = OFF", "reading", err);
}
