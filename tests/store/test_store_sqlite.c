/* SPDX-License-Identifier: Apache-2.0 */
/* A run in a file: round trips, the schema and its versions, speed. */
#include "store/sample_run.h"
#include "store/store_test.h"

#include "base/clock.h"
#include "base/fs.h"
#include "store/store.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

static void put_all(const rft_run *run, const char *path) {
    rft_err err = RFT_ERR_INIT;
    rft_store *store = NULL;
    if (rft_store_open(&store, path, RFT_STORE_CREATE, &err) || rft_store_put_run(store, run, &err)) {
        fail_msg("%s", err.message);
    }
    for (size_t i = 0; i < run->point_count; i++) {
        if (rft_store_put_point(store, &run->points[i], &err)) {
            fail_msg("%s", err.message);
        }
    }
    assert_int_equal(rft_store_finish(store, &run->info, &err), 0);
    rft_store_close(store);
}

static void exec_sql(const char *path, const char *sql) {
    sqlite3 *db = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fail_msg("%s", message);
    }
    sqlite3_close(db);
}

static int64_t ask_sql(const char *path, const char *sql) {
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}

static void a_run_comes_back_as_it_was(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    put_all(run, path);
    if (rft_store_load(&back, path, &err)) {
        fail_msg("%s", err.message);
    }
    assert_runs_equal(back, run, 0.0);
    assert_false(rft_fs_exists("run.db-wal"));
    rft_run_free(back);
    rft_run_free(run);
}

/* By what ranks points, both readings are the same run. */
static void figures_can_be_read_alone(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *all = NULL, *figures = NULL;
    put_all(run, path);
    assert_int_equal(rft_store_load(&all, path, &err), 0);
    assert_int_equal(rft_store_load_for(&figures, path, RFT_NEED_FIGURES, &err), 0);
    size_t several = 0;
    assert_int_equal(figures->point_count, all->point_count);
    for (size_t i = 0; i < all->point_count; i++) {
        const rft_measurement *m = rft_point_measurement(&all->points[i]);
        const double median_s = rft_point_median_s(&figures->points[i]);
        assert_true(m ? fabs(median_s / m->stats.median - 1) < 1e-12 : isnan(median_s));
        assert_int_equal(figures->points[i].outcome, all->points[i].outcome);
        assert_null(figures->points[i].config);
        several += m && m->process_count > 1;
    }
    assert_true(several > 0);
    for (size_t s = 0; s < all->sweep_count; s++) {
        for (size_t p = 0; p < all->sweeps[s].sweep.problem_count; p++) {
            const rft_point *best = rft_run_best(all, s, SIZE_MAX, p), *same = rft_run_best(figures, s, SIZE_MAX, p);
            assert_int_equal(best ? best->id : 0, same ? same->id : 0);
        }
    }
    assert_int_equal(figures->baseline_count + figures->reference_count, 0);
    rft_run_free(figures);
    rft_run_free(all);
    rft_run_free(run);
}

static void an_alias_keeps_no_numbers_of_its_own(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_run *run = sample_run_new();
    put_all(run, path);
    assert_int_equal(ask_sql(path, "SELECT count(*) FROM measurement WHERE point = 3"), 0);
    assert_int_equal(ask_sql(path, "SELECT count(*) FROM measurement WHERE point = 2"), 2);
    assert_int_equal(ask_sql(path, "SELECT verified FROM point WHERE id = 3"), 0);
    assert_int_equal(ask_sql(path, "SELECT count(*) FROM measured"), 2); /* no alias, no odd size, nothing failed */
    assert_int_equal(ask_sql(path, "SELECT registers IS NULL FROM point WHERE id = 5"), 1);
    assert_int_equal(ask_sql(path, "SELECT json_extract(config, '$.BLOCK') FROM point WHERE id = 2"), 256);
    rft_run_free(run);
}

static void a_point_put_again_replaces_the_old_one(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    rft_point first = run->points[1];
    first.rounds[1] = (rft_measurement){.stats = rft_stats_of(NULL, 0)};
    rft_store *store = NULL;
    assert_int_equal(rft_store_open(&store, path, RFT_STORE_CREATE, &err), 0);
    assert_int_equal(rft_store_put_run(store, run, &err), 0);
    assert_int_equal(rft_store_put_point(store, &first, &err), 0);
    assert_int_equal(rft_store_read(store, &back, &err), 0); /* a writer may read, too */
    assert_int_equal(back->points[0].rounds[1].n, 0);
    rft_run_free(back);
    assert_int_equal(rft_store_put_point(store, &run->points[1], &err), 0);
    assert_int_equal(rft_store_put_unexplored(store, 1, "stopped", &err), 0);
    run->sweeps[1].sweep.search.budget_points = 77; /* a later session asks for more */
    run->sweeps[1].sweep.measure.point_timeout_s = 0.125;
    assert_int_equal(rft_store_put_asked(store, run, &err), 0);
    rft_store_close(store);
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_int_equal(back->point_count, 1);
    assert_int_equal(back->points[0].rounds[1].n, 30);
    assert_string_equal(back->sweeps[1].unexplored, "stopped");
    assert_int_equal(back->sweeps[1].sweep.search.budget_points, 77);
    assert_true(back->sweeps[1].sweep.measure.point_timeout_s == 0.125);
    assert_int_equal(back->sweeps[1].sweep.axis_count, run->sweeps[1].sweep.axis_count);
    rft_run_free(back);
    rft_run_free(run);
}

static void a_run_is_continued(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    rft_store *store = NULL;
    assert_int_equal(rft_store_open(&store, path, RFT_STORE_CREATE, &err), 0);
    assert_int_equal(rft_store_put_run(store, run, &err), 0);
    rft_store_close(store);
    for (size_t i = 0; i < run->point_count; i++) {
        assert_int_equal(rft_store_open(&store, path, RFT_STORE_WRITE, &err), 0);
        assert_int_equal(rft_store_put_point(store, &run->points[i], &err), 0);
        rft_store_close(store);
    }
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_runs_equal(back, run, 0.0);
    rft_run_free(back);
    /* What was no point of this run is refused before anything is written. */
    rft_point foreign = run->points[0];
    foreign.problem = 77;
    assert_int_equal(rft_store_open(&store, path, RFT_STORE_WRITE, &err), 0);
    assert_int_equal(rft_store_put_point(store, &foreign, &err), RFT_E_INTERNAL);
    rft_store_close(store);
    rft_run_free(run);
}

static int open_code(const char *path, rft_store_mode mode, rft_err *err) {
    rft_store *store = NULL;
    int code = rft_store_open(&store, path, mode, err);
    rft_store_close(store);
    return code;
}

static void other_schemas_are_named(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new();
    put_all(run, path);
    exec_sql(path, "PRAGMA user_version = 0");
    assert_int_equal(open_code(path, RFT_STORE_READ, &err), RFT_E_SCHEMA);
    assert_non_null(strstr(err.message, "older schema 0"));
    assert_non_null(strstr(err.message, "schema " TEXT(RFT_STORE_SCHEMA)));
    assert_non_null(strstr(err.message, "rooftune 0.1.0"));
    assert_non_null(strstr(err.remedy, "that wrote it"));
    exec_sql(path, "PRAGMA user_version = 99; DROP TABLE run");
    assert_int_equal(open_code(path, RFT_STORE_WRITE, &err), RFT_E_SCHEMA);
    assert_non_null(strstr(err.message, "newer schema 99"));
    assert_non_null(strstr(err.remedy, "newer rooftune"));
    exec_sql(path, "PRAGMA application_id = 1");
    assert_int_equal(open_code(path, RFT_STORE_READ, &err), RFT_E_STORE);
    assert_non_null(strstr(err.message, "not a run of rooftune"));
    rft_run_free(run);
}

/* The columns of `table` in `schema`, as a list. Heap. */
static void columns_of(rft_str *out, sqlite3 *db, const char *schema, const char *table) {
    char sql[200];
    sqlite3_stmt *statement = NULL;
    rft_text_format(sql, sizeof sql, "SELECT name FROM pragma_table_info('%s', '%s')", table, schema);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        rft_str_addf(out, "%s%s", out->length ? ", " : "", (const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    assert_true(out->length > 0);
}

/* Copies a run file into one of schema 2, as the rooftune of that time would have written it. */
static void make_schema_2(const char *from, const char *to) {
    char *schema = NULL;
    size_t size = 0;
    sqlite3 *db = NULL;
    sqlite3_stmt *tables = NULL;
    rft_str sql = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fs_read(&schema, &size, RFT_SCHEMA_2, 0, &err), 0);
    assert_int_equal(sqlite3_open(to, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, schema, NULL, NULL, NULL), SQLITE_OK);
    rft_str_addf(&sql, "PRAGMA user_version = 2; PRAGMA application_id = %d; ATTACH '%s' AS new;", 0x52665475, from);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &tables, NULL),
                     SQLITE_OK);
    while (sqlite3_step(tables) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(tables, 0);
        rft_str columns = RFT_STR_INIT;
        columns_of(&columns, db, "main", table);
        rft_str_addf(&sql, "INSERT INTO main.%s SELECT %s FROM new.%s;", table, rft_str_get(&columns), table);
        rft_str_clear(&columns);
    }
    sqlite3_finalize(tables);
    char *message = NULL;
    if (sqlite3_exec(db, rft_str_get(&sql), NULL, NULL, &message) != SQLITE_OK) {
        fail_msg("%s", message);
    }
    sqlite3_close(db);
    rft_str_clear(&sql);
    free(schema);
}

/* What schema 2 had is read as it was; what came since is "not recorded". It cannot be continued. */
static void schema_2_can_be_read(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db"), *older = temporary_path(1, "older.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    rft_ceiling *copy = &run->ceilings.items[RFT_CEILING_DRAM_COPY];
    copy->at_least = true;
    copy->measured_unix_ns = 5;
    copy->sustained = copy->stats;
    put_all(run, path);
    make_schema_2(path, older);
    if (rft_store_load(&back, older, &err)) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(back->point_count, run->point_count);
    /* How many processes took them is not known there: the median is that of all samples. */
    const rft_measurement *sampled = rft_point_measurement(&run->points[1]);
    assert_true(rft_point_median_s(&back->points[1]) == rft_stats_of(sampled->samples_s, sampled->n).median);
    const rft_ceiling *read = &back->ceilings.items[RFT_CEILING_DRAM_COPY];
    assert_true(read->measured && read->stats.median == copy->stats.median);
    assert_false(read->at_least);
    assert_int_equal(read->measured_unix_ns, 0);
    assert_int_equal(read->sustained.n, 0);
    assert_true(read->sustained.median != read->sustained.median &&
                read->sustained_clock_mhz != read->sustained_clock_mhz &&
                read->sustained_power_w != read->sustained_power_w);
    assert_int_equal(run->sweeps[0].sweep.problems[2].refined, 2);
    assert_int_equal(back->sweeps[0].sweep.problems[2].refined, 0);
    assert_true(run->sweeps[0].sweep.diagnostic == 1 && back->sweeps[0].sweep.diagnostic == -1);
    assert_int_equal(open_code(older, RFT_STORE_WRITE, &err), RFT_E_SCHEMA);
    assert_non_null(strstr(err.remedy, "can be read, not continued"));
    rft_run_free(back);
    rft_run_free(run);
}

/* A column that had another name is read by it. */
static void former_names_are_read(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    put_all(run, path);
    exec_sql(path, "ALTER TABLE measurement RENAME COLUMN throttled_frac TO affected_frac;"
                   "ALTER TABLE measurement RENAME COLUMN throttled_below_mhz TO steady_mhz;"
                   "ALTER TABLE measurement RENAME COLUMN throttled_by TO throttle_cause;"
                   "ALTER TABLE measurement DROP COLUMN turns;"
                   "ALTER TABLE measurement DROP COLUMN process_n;"
                   "DELETE FROM ceiling WHERE name = 'atomics_l2'; PRAGMA user_version = 5");
    if (rft_store_load(&back, path, &err)) {
        fail_msg("%s", err.message);
    }
    const rft_measurement *m = &back->points[1].rounds[1], *want = &run->points[1].rounds[1];
    assert_true(m->throttled_frac == want->throttled_frac && m->throttled_below_mhz == want->throttled_below_mhz);
    assert_string_equal(m->throttled_by, want->throttled_by);
    assert_string_equal(back->ceilings.items[RFT_CEILING_ATOMICS_L2].reason, "not recorded");
    assert_true(m->process_count == 0 && m->process_n == NULL && want->process_count == 2);
    rft_run_free(back);
    exec_sql(path, "ALTER TABLE measurement DROP COLUMN affected_frac");
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_true(back->points[1].rounds[1].throttled_frac != back->points[1].rounds[1].throttled_frac);
    rft_run_free(back);
    rft_run_free(run);
}

/* What a field says stands beside its column. */
static void the_schema_explains_itself(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_run *run = sample_run_new();
    put_all(run, path);
    assert_int_equal(ask_sql(path, "SELECT count(*) FROM sqlite_master WHERE name = 'measurement' AND sql LIKE "
                                   "'%clock_mhz REAL, -- SM clock at which the median run took its cycles (MHz)%'"),
                     1);
    assert_int_equal(ask_sql(path, "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%-- fields%'"), 0);
    rft_run_free(run);
}

static void what_cannot_be_opened_says_why(void **state) {
    (void)state;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(open_code("/nowhere/run.db", RFT_STORE_CREATE, &err), RFT_E_IO);
    assert_non_null(strstr(err.message, "cannot create /nowhere/run.db: No such file"));
    assert_true(err.remedy[0] != '\0');
    assert_int_equal(open_code("/nowhere/run.db", RFT_STORE_READ, &err), RFT_E_IO);
    assert_int_equal(open_code("/tmp", RFT_STORE_READ, &err), RFT_E_IO);
    assert_non_null(strstr(err.message, "directory"));
    const char *path = temporary_path(0, "text.db");
    assert_int_equal(rft_fs_write_atomic(path, "SQLite is a nice thing", 22, &err), 0);
    assert_int_equal(open_code(path, RFT_STORE_CREATE, &err), RFT_E_STORE);
    assert_non_null(strstr(err.message, "exists already"));
    assert_int_equal(open_code(path, RFT_STORE_WRITE, &err), RFT_E_STORE);
    assert_non_null(strstr(err.message, "is not a run file"));
    assert_int_equal(rft_fs_write_atomic(path, "", 0, &err), 0);
    assert_int_equal(open_code(path, RFT_STORE_READ, &err), RFT_E_STORE);
    assert_non_null(strstr(err.message, "empty"));
    assert_int_equal(rft_fs_write_gzip(path, "{}", 2, &err), 0);
    assert_int_equal(open_code(path, RFT_STORE_READ, &err), RFT_E_STORE);
    assert_non_null(strstr(err.remedy, "rooftune import"));
}

/* What is put with a point fits it at every moment. */
static void a_step_carries_the_sums(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    rft_store *store = NULL;
    run->info.elapsed_s = run->info.busy_s = run->info.compile_s = 0;
    run->info.finished_unix_ns = 0;
    assert_int_equal(rft_store_open(&store, path, RFT_STORE_CREATE, &err), 0);
    assert_int_equal(rft_store_put_run(store, run, &err), 0);
    run->info.elapsed_s = 1.5;
    run->info.busy_s = 0.5;
    run->info.compile_s = 4;
    run->info.recompiled = 77;
    assert_int_equal(rft_store_put_step(store, &run->points[0], &run->info, &err), 0);
    rft_point foreign = run->points[1];
    foreign.problem = 77;
    run->info.recompiled = 78;
    assert_int_equal(rft_store_put_step(store, &foreign, &run->info, &err), RFT_E_INTERNAL);
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_int_equal(back->point_count, 1);
    assert_int_equal(back->info.recompiled, 77);
    assert_true(back->info.elapsed_s == 1.5 && back->info.busy_s == 0.5 && back->info.compile_s == 4);
    assert_int_equal(back->info.finished_unix_ns, 0);
    rft_run_free(back);
    rft_store_close(store);
    rft_run_free(run);
}

/* A run that was killed between creating its file and describing itself. */
static void a_run_without_a_beginning_is_told(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *back = NULL;
    assert_int_equal(open_code(path, RFT_STORE_CREATE, &err), 0);
    assert_int_equal(rft_store_load(&back, path, &err), RFT_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "no run in"));
    assert_null(back);
    /* Or before its tables were there. */
    const char *bare = temporary_path(1, "bare.db");
    exec_sql(bare, "PRAGMA journal_mode = WAL; CREATE TABLE t(x); DROP TABLE t");
    assert_int_equal(open_code(bare, RFT_STORE_WRITE, &err), RFT_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "ended before it began"));
    assert_non_null(strstr(err.remedy, "begins it again"));
}

static void damaged_rows_are_refused(void **state) {
    (void)state;
    static const char *const damages[][2] = {
        {"UPDATE point SET problem = 1000 WHERE id = 2", "belongs to no sweep"},
        {"UPDATE point SET config = '[1,' WHERE id = 2", "config: expected JSON"},
        {"UPDATE point SET config = '{\"VEC\": 1}' WHERE id = 2", "a value for every parameter"},
        {"UPDATE point SET outcome = 'splendid' WHERE id = 2", "expected an outcome"},
        {"UPDATE point SET registers = 99999999999 WHERE id = 2", "31 bits"},
        {"UPDATE point SET alias_of = 3 WHERE id = 2", "stands for a point that is not there"},
        {"UPDATE measurement SET samples = x'0011' WHERE point = 2", "no whole number of doubles"},
        {"UPDATE measurement SET process_n = x'0000000000000040' WHERE point = 2", "whose sum is that of the samples"},
        {"UPDATE measurement SET process_n = x'000000000000f0bf' WHERE point = 2", "a list of whole numbers"},
        {"UPDATE measurement SET n = 3 WHERE point = 2", "samples"},
        {"UPDATE measurement SET round = 7 WHERE round = 1", "round 7 is out of range"},
        {"DELETE FROM axis WHERE axis = 0 AND sweep = 0", "axis 1 where 0 should be"},
        {"UPDATE problem SET problem_values = '[1]' WHERE sweep = 0", "1 values for 2 axes"},
        {"UPDATE param SET param_values = '{}'", "a list of values"},
        {"UPDATE space_constraint SET axes = '[5]'", "indices of what is there"},
        {"UPDATE gpu SET warp_size = -32", "warp_size: expected a number from 0 to 1024, found -32"},
        {"UPDATE point SET grid_z = 9007199254740992 WHERE id = 1",
         "grid_z: expected a number from 0 to 1099511627776"},
        {"UPDATE point SET waves = 9e999 WHERE id = 1", "waves: expected a number from 0 to"},
        {"UPDATE measurement SET samples = CAST(zeroblob(8 * n - 8) || x'000000000000f07f' AS BLOB) WHERE point = 2",
         "samples: expected a number from 1e-12 to"},
        {"UPDATE axis SET refine_depth = 64", "refine_depth: expected a number from 0 to 20, found 64"},
        {"UPDATE variant SET kernel = printf('%.*c', 257, 'k') WHERE variant = 0 AND sweep = 0",
         "sweeps[0].variants[0].kernel: expected one line of at most 256 bytes, found 257"},
        {"UPDATE gpu SET name = 'H' || char(27) || '[2J'", "gpu.name: expected one line without control characters"},
        {"UPDATE ceiling SET name = 'sky' WHERE name = 'fp64'", "no ceiling is called sky"},
        {"DELETE FROM gpu", "no run in"},
        {"DROP TABLE point", "no such table"}};
    rft_run *run = sample_run_new();
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        const char *path = temporary_path(0, "run.db");
        rft_err err = RFT_ERR_INIT;
        rft_run *back = NULL;
        put_all(run, path);
        exec_sql(path, damages[i][0]);
        assert_int_equal(rft_store_load(&back, path, &err), RFT_E_STORE);
        if (strstr(err.message, damages[i][1]) == NULL) {
            fail_msg("%s: said \"%s\"", damages[i][0], err.message);
        }
    }
    rft_run_free(run);
}

/* Any byte of the file may be wrong: an error or a run, but no crash. */
static void flipped_bytes_do_not_crash(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db"), *copy = temporary_path(1, "copy.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new();
    char *data = NULL;
    size_t size = 0, refused = 0;
    put_all(run, path);
    assert_int_equal(rft_fs_read(&data, &size, path, 0, &err), 0);
    for (size_t at = 0; at < size; at += 509) {
        rft_run *back = NULL;
        data[at] = (char)(data[at] ^ 0x5a);
        assert_int_equal(rft_fs_write_atomic(copy, data, size, &err), 0);
        int code = rft_store_load(&back, copy, &err);
        refused += code != 0;
        assert_int_equal(code != 0, back == NULL);
        rft_run_free(back);
        data[at] = (char)(data[at] ^ 0x5a);
    }
    assert_true(refused > 0);
    free(data);
    rft_run_free(run);
}

static void thousands_of_points_a_second(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_large(4000, 20);
    const rft_clock *clock = rft_clock_system();
    rft_store *store = NULL;
    assert_int_equal(rft_store_open(&store, path, RFT_STORE_CREATE, &err), 0);
    assert_int_equal(rft_store_put_run(store, run, &err), 0);
    int64_t start_ns = clock->monotonic_ns(clock->self);
    for (size_t i = 0; i < run->point_count; i++) {
        assert_int_equal(rft_store_put_point(store, &run->points[i], &err), 0);
    }
    double seconds = (double)(clock->monotonic_ns(clock->self) - start_ns) * 1e-9;
    rft_store_close(store);
    print_message("%.0f points/s\n", 4000.0 / seconds);
    /* 2000 is asked for; a loaded test machine with sanitizers is given room. */
    assert_true(4000.0 / seconds > 200.0);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_comes_back_as_it_was),
                                       cmocka_unit_test(figures_can_be_read_alone),
                                       cmocka_unit_test(an_alias_keeps_no_numbers_of_its_own),
                                       cmocka_unit_test(a_point_put_again_replaces_the_old_one),
                                       cmocka_unit_test(a_run_is_continued),
                                       cmocka_unit_test(a_step_carries_the_sums),
                                       cmocka_unit_test(other_schemas_are_named),
                                       cmocka_unit_test(schema_2_can_be_read),
                                       cmocka_unit_test(former_names_are_read),
                                       cmocka_unit_test(the_schema_explains_itself),
                                       cmocka_unit_test(what_cannot_be_opened_says_why),
                                       cmocka_unit_test(a_run_without_a_beginning_is_told),
                                       cmocka_unit_test(damaged_rows_are_refused),
                                       cmocka_unit_test(flipped_bytes_do_not_crash),
                                       cmocka_unit_test(thousands_of_points_a_second)};
    return cmocka_run_group_tests(tests, NULL, remove_temporary_paths);
}
