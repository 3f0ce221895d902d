/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/edit_sqlite.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/str.h"
#include "fuzz/commands/edit_json.h"
#include "fuzz/commands/hostile.h"

#include <sqlite3.h>
#include <string.h>

typedef struct names {
    char **items;
    size_t count, capacity;
} names;

typedef struct editor {
    sqlite3 *db;
    rft_arena *arena;
    uint64_t *random;
} editor;

/* Errors are expected: constraints, damaged pages, statements that do not fit. */
static void do_sql(const editor *e, const char *sql) {
    sqlite3_exec(e->db, sql, NULL, NULL, NULL);
}

/* The first column of every row. */
static names ask(const editor *e, const char *sql) {
    names out = {0};
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(e->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return out;
    }
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        char **items = rft_arena_calloc(e->arena, out.count + 1, sizeof *items);
        if (out.count) {
            memcpy(items, out.items, out.count * sizeof *items);
        }
        out.items = items;
        out.items[out.count++] = rft_arena_strdup(e->arena, text ? text : "");
    }
    sqlite3_finalize(statement);
    return out;
}

static const char *one_of(const editor *e, const names *from) {
    return from->count ? from->items[rft_random_below(e->random, from->count)] : "none";
}

static const char *any_table(const editor *e) {
    names all = ask(e, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    return one_of(e, &all);
}

static const char *any_column(const editor *e, const char *table) {
    names all = ask(e, rft_arena_printf(e->arena, "SELECT name FROM pragma_table_info('%s')", table));
    return one_of(e, &all);
}

/* The value that stands there, with another in one place of its tree. */
static bool bind_edited_json(const editor *e, sqlite3_stmt *statement, const char *table, const char *column) {
    names old = ask(e, rft_arena_printf(e->arena, "SELECT \"%s\" FROM \"%s\"", column, table));
    const char *text = one_of(e, &old);
    json_t *tree = json_loads(text, 0, NULL);
    if (!tree) {
        return false;
    }
    rft_str edited = RFT_STR_INIT;
    edit_json(&edited, tree, e->random);
    json_decref(tree);
    sqlite3_bind_text(statement, 1, rft_str_get(&edited), (int)edited.length, SQLITE_TRANSIENT);
    rft_str_clear(&edited);
    return true;
}

static void bind_hostile(const editor *e, sqlite3_stmt *statement, const char *table, const char *column) {
    rft_str text = RFT_STR_INIT;
    switch (rft_random_below(e->random, 7)) {
    case 0:
        sqlite3_bind_null(statement, 1);
        break;
    case 1:
        sqlite3_bind_double(statement, 1, hostile_chance(e->random, 8) ? 1e308 * 10 : hostile_real(e->random));
        break;
    case 2:
        hostile_text(&text, false, e->random);
        sqlite3_bind_blob(statement, 1, rft_str_get(&text), (int)text.length, SQLITE_TRANSIENT);
        break;
    case 3:
        hostile_text(&text, false, e->random);
        sqlite3_bind_text(statement, 1, rft_str_get(&text), (int)text.length, SQLITE_TRANSIENT);
        break;
    case 4:
        if (bind_edited_json(e, statement, table, column)) {
            break;
        } /* fallthrough */
    default:
        sqlite3_bind_int64(statement, 1, hostile_int(e->random));
        break;
    }
    rft_str_clear(&text);
}

static void update(const editor *e) {
    const char *table = any_table(e), *column = any_column(e, table);
    sqlite3_stmt *statement = NULL;
    const char *which =
        hostile_chance(e->random, 4)
            ? "" /* every row */
            : rft_arena_printf(e->arena, " WHERE \"%s\" IS (SELECT \"%s\" FROM \"%s\" LIMIT 1 OFFSET %d)", column,
                               column, table, (int)rft_random_below(e->random, 6));
    char *sql = rft_arena_printf(e->arena, "UPDATE OR REPLACE \"%s\" SET \"%s\" = ?%s", table, column, which);
    if (sqlite3_prepare_v2(e->db, sql, -1, &statement, NULL) == SQLITE_OK) {
        bind_hostile(e, statement, table, column);
        sqlite3_step(statement);
        sqlite3_finalize(statement);
    }
}

static void change_rows(const editor *e) {
    const char *table = any_table(e), *column = any_column(e, table);
    static const char *const forms[] = {
        "DELETE FROM \"%s\" WHERE \"%s\" IS (SELECT \"%s\" FROM \"%s\" LIMIT 1 OFFSET 1)",
        "DELETE FROM \"%s\" WHERE \"%s\" IS NOT (SELECT \"%s\" FROM \"%s\" LIMIT 1)",
        "UPDATE OR IGNORE \"%s\" SET \"%s\" = (SELECT max(\"%s\") FROM \"%s\")",
        "UPDATE OR IGNORE \"%s\" SET \"%s\" = 1 + (SELECT max(\"%s\") FROM \"%s\")",
        "UPDATE OR REPLACE \"%s\" SET \"%s\" = -\"%s\" -- %s",
        "DELETE FROM \"%s\" -- %s %s %s",
    };
    const char *form = forms[rft_random_below(e->random, sizeof forms / sizeof *forms)];
    rft_str sql = RFT_STR_INIT;
    const char *parts[] = {
        table,
        column,
        column,
        table,
    };
    size_t part = 0;
    for (const char *at = form; *at; at++) {
        if (at[0] == '%' && part < 4) {
            rft_str_add(&sql, parts[part++]);
            at++;
        } else {
            rft_str_add_char(&sql, *at);
        }
    }
    do_sql(e, rft_str_get(&sql));
    rft_str_clear(&sql);
}

/* Objects that were not there, or in place of those that were. */
static void change_schema(const editor *e) {
    const char *t = any_table(e), *c = any_column(e, t);
    const char *forms[] = {
        rft_arena_printf(e->arena, "DROP TABLE \"%s\"", t),
        rft_arena_printf(e->arena, "ALTER TABLE \"%s\" RENAME TO other", t),
        rft_arena_printf(e->arena, "ALTER TABLE \"%s\" RENAME COLUMN \"%s\" TO other", t, c),
        rft_arena_printf(e->arena, "ALTER TABLE \"%s\" DROP COLUMN \"%s\"", t, c),
        rft_arena_printf(e->arena, "ALTER TABLE \"%s\" ADD COLUMN other TEXT", t),
        rft_arena_printf(e->arena, "ALTER TABLE \"%s\" RENAME TO kept; CREATE VIEW \"%s\" AS SELECT * FROM kept", t, t),
        rft_arena_printf(
            e->arena,
            "ALTER TABLE \"%s\" RENAME TO kept; CREATE VIEW \"%s\" AS WITH RECURSIVE r(n) AS (SELECT 1 UNION "
            "ALL SELECT n + 1 FROM r) SELECT kept.* FROM kept, r",
            t, t),
        rft_arena_printf(e->arena, "CREATE TRIGGER extra AFTER INSERT ON \"%s\" BEGIN DELETE FROM \"%s\"; END", t, t),
        rft_arena_printf(e->arena,
                         "CREATE TRIGGER extra BEFORE UPDATE ON run BEGIN UPDATE gpu SET name = 'other'; END"),
        rft_arena_printf(e->arena, "CREATE INDEX extra ON \"%s\" (abs(random()), \"%s\")", t, c),
        rft_arena_printf(e->arena, "CREATE INDEX extra ON \"%s\" (\"%s\") WHERE \"%s\" IS NOT NULL", t, c, c),
        rft_arena_printf(e->arena, "CREATE VIEW extra AS SELECT * FROM extra"),
        rft_arena_printf(e->arena, "CREATE TABLE \"sqlite_x\x1b[31m\" (a); CREATE TABLE extra (a)"),
        rft_arena_printf(e->arena, "CREATE VIRTUAL TABLE extra USING fts5(a)"),
        rft_arena_printf(e->arena, "DROP TABLE \"%s\"; CREATE VIRTUAL TABLE \"%s\" USING fts5(\"%s\")", t, t, c),
        rft_arena_printf(
            e->arena,
            "CREATE TABLE extra AS SELECT * FROM \"%s\"; DROP TABLE \"%s\"; ALTER TABLE extra RENAME TO \"%s\"", t, t,
            t),
        rft_arena_printf(e->arena,
                         "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = %d WHERE name = '%s'",
                         (int)rft_random_below(e->random, 40), t),
        rft_arena_printf(
            e->arena,
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '%s', 'x%s') WHERE name = '%s'",
            c, c, t),
        rft_arena_printf(
            e->arena,
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = NULL, type = 'view' WHERE name = '%s'", t),
        rft_arena_printf(e->arena, "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '%s'", t),
    };
    do_sql(e, forms[rft_random_below(e->random, sizeof forms / sizeof *forms)]);
}

static void change_file(const editor *e) {
    static const char *const forms[] = {
        "PRAGMA user_version = 0",          "PRAGMA user_version = 1",
        "PRAGMA user_version = 2",          "PRAGMA user_version = 3",
        "PRAGMA user_version = 4",          "PRAGMA user_version = 99",
        "PRAGMA user_version = -1",         "PRAGMA application_id = 0",
        "PRAGMA journal_mode = WAL",        "PRAGMA journal_mode = DELETE",
        "PRAGMA auto_vacuum = 1; VACUUM",   "PRAGMA page_size = 512; VACUUM",
        "PRAGMA page_size = 65536; VACUUM", "PRAGMA encoding = 'UTF-16le'; VACUUM",
    };
    do_sql(e, forms[rft_random_below(e->random, sizeof forms / sizeof *forms)]);
}

/* Without the rules that keep odd values out; the text of the schema can be put back over them. */
static void loosen(const editor *e) {
    do_sql(
        e,
        "PRAGMA writable_schema = ON;"
        "CREATE TEMP TABLE kept_schema AS SELECT name, sql FROM sqlite_schema;"
        "UPDATE sqlite_schema SET sql = replace(replace(replace(replace(sql, 'STRICT, WITHOUT', 'WITHOUT'), 'STRICT', "
        "''), 'NOT NULL', ''), 'CHECK (only_row = 1)', '') WHERE type = 'table';"
        "PRAGMA writable_schema = RESET");
}

static void restore(const editor *e) {
    do_sql(e,
           "PRAGMA writable_schema = ON;"
           "UPDATE sqlite_schema AS s SET sql = coalesce((SELECT k.sql FROM kept_schema AS k WHERE k.name = s.name), "
           "sql) WHERE type = 'table';"
           "PRAGMA writable_schema = RESET");
}

static void edit_once(const editor *e) {
    switch (rft_random_below(e->random, 12)) {
    case 0:
        change_schema(e);
        break;
    case 1:
        change_file(e);
        break;
    case 2:
    case 3:
        change_rows(e);
        break;
    default:
        update(e);
        break;
    }
}

void edit_sqlite_rows(const char *path, uint64_t *random) {
    editor e = {.arena = rft_arena_new(), .random = random};
    if (sqlite3_open_v2(path, &e.db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK) {
        do_sql(&e, "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF");
        bool loose = hostile_chance(random, 2);
        if (loose) {
            loosen(&e);
        }
        for (size_t left = 1 + rft_random_below(random, 3); left; left--) {
            edit_once(&e);
        }
        if (loose && !hostile_chance(random, 6)) {
            restore(&e);
        }
    }
    sqlite3_close(e.db);
    rft_arena_free(e.arena);
}

size_t edit_sqlite_pages(char *data, size_t size, uint64_t *random) {
    static const unsigned char bytes[] = {
        0, 1, 2, 5, 10, 13, 127, 128, 255,
    };
    size_t page = size > 18 ? (size_t)(unsigned char)data[16] << 8 | (unsigned char)data[17] : 0;
    page = page >= 512 && page <= size ? page : 4096;
    for (size_t left = 1 + rft_random_below(random, 8); left && size > 200; left--) {
        size_t pages = size / page;
        size_t start = (pages ? rft_random_below(random, pages) : 0) * page;
        size_t within = hostile_chance(random, 3) ? rft_random_below(random, 100) : rft_random_below(random, page);
        size_t at = hostile_chance(random, 5) ? rft_random_below(random, 100) : start + within;
        if (at < size) {
            data[at] = (char)bytes[rft_random_below(random, sizeof bytes)];
        }
        if (hostile_chance(random, 12)) { /* one page in another's place */
            size_t from = (pages ? rft_random_below(random, pages) : 0) * page;
            memmove(data + start, data + from, page <= size - start && page <= size - from ? page : 0);
        }
    }
    if (hostile_chance(random, 6)) {
        return rft_random_below(random, size + 1);
    }
    if (hostile_chance(random, 12)) {
        memset(data + size, 0, size);
        return size + rft_random_below(random, size + 1);
    }
    return size;
}
