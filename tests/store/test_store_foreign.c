/* SPDX-License-Identifier: Apache-2.0 */
/* Run files from anywhere: what is not as rooftune makes it is refused, quickly, and nothing in it is run. */
#include "store/sample_run.h"
#include "store/store_test.h"

#include "base/clock.h"
#include "base/fs.h"
#include "store/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rows without end, each of them cheap. */
#define ENDLESS "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x"

static void put_sample(const char *path) {
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new();
    rft_store *store = NULL;
    if (rft_store_open(&store, path, RFT_STORE_CREATE, &err) || rft_store_put_whole(store, run, &err)) {
        fail_msg("%s", err.message);
    }
    rft_store_close(store);
    rft_run_free(run);
}

static void exec_sql(const char *path, const char *sql) {
    sqlite3 *db = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fail_msg("%s: %s", sql, message);
    }
    sqlite3_close(db);
}

static int code_of(const char *path, rft_store_mode mode, rft_err *err) {
    rft_store *store = NULL;
    rft_run *run = NULL;
    int code = rft_store_open(&store, path, mode, err);
    code = code ? code : rft_store_read(store, &run, err);
    rft_run_free(run);
    rft_store_close(store);
    return code;
}

static double seconds(void) {
    const rft_clock *clock = rft_clock_system();
    return (double)clock->monotonic_ns(clock->self) * 1e-9;
}

/* What was done to it, and what is said of it. */
static const char *const changes[][2] = {
    {"DROP VIEW measured; DROP TABLE env; CREATE VIEW env(position, key, value, reason) AS " ENDLESS ", x, x, x FROM c",
     "the view env, which is not as rooftune makes it"},
    {"CREATE TRIGGER t AFTER INSERT ON point BEGIN DELETE FROM run; END", "the trigger t, which no run"},
    {"CREATE VIEW more AS SELECT * FROM point", "the view more, which no run"},
    {"CREATE TABLE more(x)", "the table more, which no run"},
    {"CREATE INDEX i ON point(abs(id))", "the index i, which no run"},
    {"CREATE INDEX i ON point(id) WHERE id > 5", "the index i, which no run"},
    {"ANALYZE", "the table sqlite_stat1, which no run"},
    {"CREATE VIRTUAL TABLE v USING fts5(x)", "the table v"},
    {"DROP VIEW measured; DROP TABLE env; CREATE TABLE env(position INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, "
     "value TEXT AS (hex(zeroblob(100000000))), reason TEXT) STRICT",
     "the table env, which is not as rooftune makes it"},
    {"ALTER TABLE env ADD COLUMN more TEXT", "the table env, which is not as rooftune makes it"},
    {"DROP VIEW measured; CREATE VIEW measured AS " ENDLESS " FROM c", "the view measured, which is not as"},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'only_row = 1', "
     "'length(randomblob(900000000)) > 0') WHERE name = 'run'",
     "the table run, which is not as rooftune makes it"}};

static void only_the_objects_of_a_run_are_read(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        static const rft_store_mode modes[] = {RFT_STORE_READ, RFT_STORE_WRITE, RFT_STORE_BEGIN, RFT_STORE_FRESH};
        const char *path = temporary_path(0, "run.db");
        put_sample(path);
        exec_sql(path, changes[i][0]);
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
            rft_err err = RFT_ERR_INIT;
            double start = seconds();
            assert_int_equal(code_of(path, modes[m], &err), RFT_E_STORE);
            if (!strstr(err.message, changes[i][1]) || !strstr(err.message, path) || !*err.remedy) {
                fail_msg("%s: said \"%s\"", changes[i][0], err.message);
            }
            assert_true(seconds() - start < 5.0);
        }
    }
}

/* Files of older schemas had fewer tables and columns, which were tables and columns all the same. */
static void older_files_are_held_to_it_too(void **state) {
    (void)state;
    static const char *const older[][2] = {
        {"DROP VIEW measured; DROP TABLE env; CREATE VIEW env AS " ENDLESS " AS position, 'k' AS key, 'v' AS value, "
         "NULL AS reason FROM c",
         "the view env"},
        {"CREATE TRIGGER t AFTER INSERT ON point BEGIN DELETE FROM run; END", "the trigger t"},
        {"CREATE INDEX i ON point(abs(id))", "the index i"},
        {"DROP VIEW measured; DROP TABLE env; CREATE TABLE env(position INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, "
         "value TEXT AS (hex(zeroblob(100000000))), reason TEXT)",
         "the table env"},
        {"DROP VIEW measured; DROP TABLE env; CREATE VIRTUAL TABLE env USING fts5(position, key, value, reason)",
         "env"}};
    for (size_t i = 0; i < sizeof older / sizeof *older; i++) {
        const char *path = temporary_path(0, "run.db");
        rft_err err = RFT_ERR_INIT;
        put_sample(path);
        exec_sql(path, older[i][0]);
        exec_sql(path, "PRAGMA user_version = 4");
        assert_int_equal(code_of(path, RFT_STORE_READ, &err), RFT_E_STORE);
        if (!strstr(err.message, older[i][1]) || !strstr(err.message, path)) {
            fail_msg("%s: said \"%s\"", older[i][0], err.message);
        }
    }
    const char *path = temporary_path(1, "fine.db");
    rft_err err = RFT_ERR_INIT;
    put_sample(path);
    exec_sql(path, "ALTER TABLE point DROP COLUMN steps; DROP TABLE load; PRAGMA user_version = 4");
    if (code_of(path, RFT_STORE_READ, &err)) {
        fail_msg("%s", err.message);
    }
}

static uint32_t big_endian(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* A page that is its own child would be walked for ever. */
static void a_tree_that_bites_its_tail_ends(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db"), *twisted = temporary_path(1, "twisted.db");
    rft_err err = RFT_ERR_INIT;
    char *data = NULL;
    size_t size = 0, twists = 0;
    rft_run *run = sample_run_large(400, 20);
    rft_store *store = NULL;
    assert_int_equal(rft_store_open(&store, path, RFT_STORE_CREATE, &err), 0);
    assert_int_equal(rft_store_put_whole(store, run, &err), 0);
    rft_store_close(store);
    assert_int_equal(rft_fs_read(&data, &size, path, 0, &err), 0);
    unsigned char *bytes = (unsigned char *)data;
    size_t page = (size_t)bytes[16] << 8 | bytes[17];
    for (size_t at = page; at + page <= size; at += page) {
        bool interior = bytes[at] == 5 || bytes[at] == 2;
        size_t cells = (size_t)bytes[at + 3] << 8 | bytes[at + 4];
        if (!interior || cells < 2) {
            continue;
        }
        /* All children are the last one. */
        unsigned char last[4];
        memcpy(last, bytes + at + 8, 4);
        for (size_t c = 0; c < cells; c++) {
            size_t cell = (size_t)bytes[at + 12 + 2 * c] << 8 | bytes[at + 13 + 2 * c];
            memcpy(bytes + at + cell, last, 4);
        }
        assert_true(big_endian(last) * page <= size);
        twists++;
    }
    assert_true(twists > 0);
    assert_int_equal(rft_fs_put(twisted, data, size, false, &err), 0);
    double start = seconds();
    assert_int_equal(code_of(twisted, RFT_STORE_READ, &err), RFT_E_STORE);
    assert_non_null(strstr(err.message, "damaged"));
    assert_true(seconds() - start < 5.0);
    free(data);
    rft_run_free(run);
}

/* Another program's database beside its log: neither is touched. */
static void a_foreign_database_is_left_alone(void **state) {
    (void)state;
    static const rft_store_mode modes[] = {RFT_STORE_READ, RFT_STORE_WRITE, RFT_STORE_BEGIN, RFT_STORE_FRESH,
                                           RFT_STORE_CREATE};
    const char *path = temporary_path(0, "other.db"), *log = temporary_path(1, "log");
    char wal[600];
    rft_err err = RFT_ERR_INIT;
    sqlite3 *db = NULL;
    rft_text_format(wal, sizeof wal, "%s-wal", path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1)", NULL, NULL, NULL),
        SQLITE_OK);
    char *before = NULL, *after = NULL, *log_before = NULL, *log_after = NULL;
    size_t size = 0, log_size = 0, now = 0;
    assert_int_equal(rft_fs_read(&before, &size, path, 0, &err), 0);
    assert_int_equal(rft_fs_read(&log_before, &log_size, wal, 0, &err), 0);
    /* Its owner is gone: no process holds a lock that would keep others from tidying up. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    assert_int_equal(rename(wal, log), 0);
    sqlite3_close(db);
    assert_int_equal(rename(log, wal), 0);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        assert_int_equal(code_of(path, modes[m], &err), RFT_E_STORE);
        assert_int_equal(rft_fs_read(&after, &now, path, 0, &err), 0);
        assert_int_equal(now, size);
        assert_memory_equal(after, before, size);
        assert_int_equal(rft_fs_read(&log_after, &now, wal, 0, &err), 0);
        assert_int_equal(now, log_size);
        assert_memory_equal(log_after, log_before, log_size);
        free(after);
        free(log_after);
    }
    free(before);
    free(log_before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_objects_of_a_run_are_read), cmocka_unit_test(older_files_are_held_to_it_too),
        cmocka_unit_test(a_tree_that_bites_its_tail_ends), cmocka_unit_test(a_foreign_database_is_left_alone)};
    return cmocka_run_group_tests(tests, NULL, remove_temporary_paths);
}
