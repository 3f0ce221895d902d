/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_guard.c - a run file may come from anywhere. Before anything is asked of it: it holds the tables of a run and
 * nothing else, SQLite finds its pages in order, and no statement takes more steps than a file of its size can need.
 */
#include "store/store_parts.h"

#include <limits.h>
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

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
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

/* `row`: type, name, table and SQL of an object of the file; `known`: those of the one of this name that a run has. The
 * tables of an older schema had fewer columns: they are tables, and compute nothing. */
static bool is_as_known(rft_store *store, sqlite3_stmt *row, sqlite3_stmt *known) {
    const char *type = text_at(row, 0), *name = text_at(row, 1), *sql = text_at(row, 3);
    if (!type || !name || !same_text(type, text_at(known, 0)) || !same_text(text_at(row, 2), text_at(known, 2))) {
        return false;
    }
    if (store->schema == RFT_STORE_SCHEMA) {
        return same_text(sql, text_at(known, 3));
    }
    if (strcmp(type, "table") == 0) {
        return sql && rft_text_starts(sql, "CREATE TABLE ") && has_plain_columns(store, name);
    }
    return (sql == NULL) == (text_at(known, 3) == NULL);
}

static int foreign(rft_store *store, sqlite3_stmt *row, bool altered, rft_err *err) {
    const char *type = text_at(row, 0), *name = text_at(row, 1);
    rft_err_set(err, RFT_E_STORE, "%s holds the %.20s %.100s%s", store->path, type ? type : "object",
                name ? name : "without a name",
                altered ? ", which is not as rooftune makes it" : ", which no run of rooftune has");
    return rft_err_remedy(err, "another program changed the file: name the run as rooftune wrote it, or its recording");
}

static int compare(rft_store *store, sqlite3_stmt *rows, sqlite3_stmt *known, rft_err *err) {
    int code = 0, status = SQLITE_OK;
    while (!code && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        sqlite3_bind_text(known, 1, text_at(rows, 1), -1, SQLITE_TRANSIENT);
        bool found = sqlite3_step(known) == SQLITE_ROW;
        if (!found || !is_as_known(store, rows, known)) {
            code = foreign(store, rows, found, err);
        }
        sqlite3_reset(known);
    }
    return code || status == SQLITE_DONE ? code : rft_store_fail(store, "reading", err);
}

int rft_store_check_objects(rft_store *store, rft_err *err) {
    sqlite3 *model = NULL;
    sqlite3_stmt *rows = NULL, *known = NULL;
    rft_str schema = RFT_STR_INIT;
    int code = 0;
    rft_store_schema_text(&schema);
    if (sqlite3_open_v2(":memory:", &model, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) ||
        sqlite3_exec(model, rft_str_get(&schema), NULL, NULL, NULL) ||
        sqlite3_prepare_v2(model, "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name = ?", -1, &known,
                           NULL)) {
        code = rft_err_set(err, RFT_E_INTERNAL, "the tables of a run cannot be made: %s", sqlite3_errmsg(model));
    } else if (sqlite3_prepare_v2(store->db, "SELECT type, name, tbl_name, sql FROM sqlite_master", -1, &rows, NULL)) {
        code = rft_store_fail(store, "reading", err);
    } else {
        code = compare(store, rows, known, err);
    }
    rft_str_clear(&schema);
    sqlite3_finalize(rows);
    sqlite3_finalize(known);
    sqlite3_close(model);
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
