/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_parts.h - inside of the store room: the open file, its statements, binding and reading by fields. Nothing else
 * in the program sees sqlite3.h.
 */
#ifndef RFT_STORE_PARTS_H
#define RFT_STORE_PARTS_H

#include "base/str.h"
#include "model/run/field.h"
#include "store/store.h"

#include <sqlite3.h>
#include <sys/types.h>

#define RFT_STORE_MEMORY "free memory, or raise the limit on it (ulimit -v, the container's or the job's)"
#define RFT_STORE_DAMAGED "the file is damaged: use a copy of it, or `sqlite3 FILE .recover` to save what is left"
#define RFT_STORE_APPLICATION_ID 0x52665475 /* "RfTu" */

/* The tables of schema.sql: how a row is put, and the order they are read in. */
#define RFT_STORED_MAP(X)                                                                                              \
    X(run, "INSERT", "only_row")                                                                                       \
    X(gpu, "INSERT", "only_row")                                                                                       \
    X(env, "INSERT", "position")                                                                                       \
    X(ceiling, "INSERT OR REPLACE", "name")                                                                            \
    X(sweep, "INSERT", "sweep")                                                                                        \
    X(axis, "INSERT", "sweep, axis")                                                                                   \
    X(problem, "INSERT", "sweep, problem")                                                                             \
    X(variant, "INSERT", "sweep, variant")                                                                             \
    X(param, "INSERT", "sweep, variant, param")                                                                        \
    X(space_constraint, "INSERT", "sweep, variant, position")                                                          \
    X(space, "INSERT", "sweep, variant, problem")                                                                      \
    X(point, "INSERT OR REPLACE", "id")                                                                                \
    X(measurement, "INSERT OR REPLACE", "point, round")                                                                \
    X(counter, "INSERT OR REPLACE", "point, rowid")                                                                    \
    X(load, "INSERT OR REPLACE", "point, kind")                                                                        \
    X(baseline, "INSERT OR REPLACE", "rowid")                                                                          \
    X(reference, "INSERT OR REPLACE", "position")

typedef enum rft_store_table {
#define RFT_STORED_ENUM(name, put, order) RFT_STORED_##name,
    RFT_STORED_MAP(RFT_STORED_ENUM)
#undef RFT_STORED_ENUM
        RFT_STORED_COUNT
} rft_store_table;

/* What else is said to SQLite. NULL: made from the fields that are UPDATED, of the run and of a sweep. */
#define RFT_STATEMENT_MAP(X)                                                                                           \
    X(begin, "BEGIN IMMEDIATE")                                                                                        \
    X(commit, "COMMIT")                                                                                                \
    X(sums, NULL)                                                                                                      \
    X(asked, NULL)                                                                                                     \
    X(unexplored, "UPDATE sweep SET unexplored = :unexplored WHERE sweep = :sweep")                                    \
    X(drop_measurements, "DELETE FROM measurement WHERE point = :point")                                               \
    X(drop_counters, "DELETE FROM counter WHERE point = :point")                                                       \
    X(drop_gpu, "DELETE FROM gpu")                                                                                     \
    X(drop_env, "DELETE FROM env")

/* A statement is one of these, or RFT_PUT() or RFT_GET() of a table. */
typedef enum rft_statement {
    RFT_STATEMENT_PUT,
    RFT_STATEMENT_GET = RFT_STORED_COUNT,
    RFT_STATEMENT_DO = 2 * RFT_STORED_COUNT - 1,
#define RFT_STATEMENT_ENUM(name, text) RFT_DO_##name,
    RFT_STATEMENT_MAP(RFT_STATEMENT_ENUM)
#undef RFT_STATEMENT_ENUM
        RFT_STATEMENT_COUNT
} rft_statement;
#define RFT_PUT(table) ((rft_statement)(RFT_STATEMENT_PUT + RFT_STORED_##table))
#define RFT_GET(table) ((rft_statement)(RFT_STATEMENT_GET + RFT_STORED_##table))

struct rft_store {
    sqlite3 *db;
    char *path; /* as the user wrote it, for messages */
    char *real; /* absolute, links resolved: what is opened, and what its companions and its lock are called by */
    rft_store_mode mode;
    rft_store_need need; /* of rft_store_read() */
    int schema;          /* of the file */
    ino_t inode;         /* of the file that was opened */
    dev_t device;
    int lock_fd; /* -1: none */
    char *lock_path;
    bool created;                                  /* by this process, under the lock */
    bool writing;                                  /* it was opened for writing, and is a run */
    int64_t steps_left;                            /* of the virtual machine, see rft_store_bound_steps() */
    sqlite3_stmt *statements[RFT_STATEMENT_COUNT]; /* prepared at first use */
    bool checked[RFT_STATEMENT_COUNT];             /* its parameters were bound by their names, once */
    rft_run *shape; /* the sweeps alone, as they are in the file; read when the first point is put */
};

/* ---- the lock (store_lock.c) ---- */
/* The writer's lock: FILE-lock beside the file, held with flock(2) until released, so that it dies with the process.
 * RFT_E_STORE when another rooftune holds it (it is named), or when something else has that name: that is left alone.
 * RFT_E_IO: nothing can be written there. A file system that knows no locks is written without. */
int rft_store_lock(rft_store *store, rft_err *err);
/* For a moment, without waiting and without a name: writers wait for it. False: another process has it, or it cannot be
 * had.
 */
bool rft_store_lock_to_tidy(rft_store *store);
void rft_store_unlock(rft_store *store);

/* ---- what SQLite keeps beside the file (store_companions.c) ---- */
/* RFT_E_STORE: one of the names belongs to something that is none of them. */
int rft_store_check_companions(const rft_store *store, rft_err *err);
/* Is any there, or a lock? */
bool rft_store_has_companions(const rft_store *store);
int64_t rft_store_companion_bytes(const rft_store *store, const char *suffix); /* -1: not there */
/* It is there, and no process uses it. Only while this one does not either: closing a file lets go of its locks. */
bool rft_store_index_is_idle(const rft_store *store);
/* The index of a log that is gone, which SQLite would leave there for good. Only with the lock. */
void rft_store_remove_index(const rft_store *store);
/* The file and its companions. Only with the lock, and what was checked to be a run. 0 or an errno: something is left.
 */
int rft_store_remove_files(const rft_store *store);

/* ---- files from anywhere (store_guard.c) ---- */
/* Settings of a connection that was just opened: nothing that a file defines is run, steps are bounded. */
void rft_store_distrust(rft_store *store);
/* Statements end with an error after as many steps as all of them together can need for a file of this size. */
void rft_store_bound_steps(rft_store *store, bool on);
/* RFT_E_STORE: tables, views, triggers or indices that are not those of a run of store->schema. */
int rft_store_check_objects(rft_store *store, rft_err *err);
/* RFT_E_STORE: pages or rows that are out of order. Behind it a file yields no more than it holds. */
int rft_store_check_pages(rft_store *store, rft_err *err);

/* The last SQLite error in words: RFT_E_STORE, or RFT_E_IO when the file cannot be used. `doing` = "writing a point".
 */
int rft_store_fail(rft_store *store, const char *doing, rft_err *err);

/* RFT_E_NOT_FOUND: the run in the file ended before it began. */
int rft_store_not_begun(rft_store *store, rft_err *err);

int rft_store_exec(rft_store *store, const char *sql, const char *doing, rft_err *err);
int rft_store_begin(rft_store *store, rft_err *err);
/* Commits when code is 0, else rolls back. Returns code, or the failure of the commit. */
int rft_store_end(rft_store *store, int code, rft_err *err);

/* Makes sure that store->shape is there. */
int rft_store_shape(rft_store *store, rft_err *err);

/* Appends the SQL that makes the tables: schema.sql with the columns of the fields. */
void rft_store_schema_text(rft_str *out);

/* ---- writing ---- */
typedef struct rft_binder {
    rft_store *store;
    rft_statement which;
    sqlite3_stmt *statement;
    int at;            /* parameters bound so far */
    const char *wrong; /* name that the statement has not at this place; NULL = all in order */
} rft_binder;

/* What is bound comes in the order of the table's columns. */
int rft_bind_begin(rft_binder *binder, rft_store *store, rft_statement statement, rft_err *err);
void rft_bind_int(rft_binder *binder, const char *name, int64_t value);
void rft_bind_double(rft_binder *binder, const char *name, double value);   /* NaN <-> NULL */
void rft_bind_text(rft_binder *binder, const char *name, const char *text); /* NULL <-> NULL; copied */
/* Those that are stored; of RFT_DO_sums and RFT_DO_asked those that are UPDATED. */
void rft_bind_fields(rft_binder *binder, const rft_fields *fields, const void *record);
/* Runs the statement. */
int rft_bind_end(rft_binder *binder, const char *doing, rft_err *err);

/* ---- reading ---- */
typedef struct rft_store_row {
    rft_store *store;
    sqlite3_stmt *statement;
    int at; /* behind the column that was read last */
    rft_arena *arena;
    rft_err *err;
    int code; /* first failure; the readers below do nothing after it */
} rft_store_row;

int rft_row_begin(rft_store_row *row, rft_store *store, rft_statement statement, rft_arena *arena, rft_err *err);
/* The next row. False at the end and after a failure (row->code). */
bool rft_row_next(rft_store_row *row);
/* Columns by their names. One that a file of an older schema has not is NULL. */
void rft_row_fields(rft_store_row *row, const rft_fields *fields, void *record);
int64_t rft_row_int(rft_store_row *row, const char *name);
/* An index that must be below `limit`; 0 and a failure otherwise. */
size_t rft_row_index(rft_store_row *row, const char *name, size_t limit);
const char *rft_row_text(rft_store_row *row, const char *name); /* in the arena; NULL for NULL */
/* RFT_E_STORE: "FILE is damaged: TABLE: what". Returns the code, also in row->code. */
int rft_row_fail(rft_store_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
