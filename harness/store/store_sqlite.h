/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_sqlite.h - inside of the store room: the open file, its statements, binding and reading by column tables.
 * The statements are in query.sql; nothing else in the program sees sqlite3.h.
 */
#ifndef RFT_STORE_STORE_SQLITE_H
#define RFT_STORE_STORE_SQLITE_H

#include "base/str.h"
#include "store/column.h"
#include "store/store.h"

#include <sqlite3.h>
#include <sys/types.h>

#define RFT_STORE_DAMAGED "the file is damaged: use a copy of it, or `sqlite3 FILE .recover` to save what is left"
#define RFT_STORE_APPLICATION_ID 0x52665475 /* "RfTu" */

/* Names of the statements in query.sql. */
#define RFT_QUERY_MAP(X)                                                                                               \
    X(put_info)                                                                                                        \
    X(put_gpu)                                                                                                         \
    X(put_env)                                                                                                         \
    X(put_ceiling)                                                                                                     \
    X(put_sweep)                                                                                                       \
    X(put_axis)                                                                                                        \
    X(put_problem)                                                                                                     \
    X(put_variant)                                                                                                     \
    X(put_param)                                                                                                       \
    X(put_constraint)                                                                                                  \
    X(put_space)                                                                                                       \
    X(put_point)                                                                                                       \
    X(put_measurement)                                                                                                 \
    X(put_reference)                                                                                                   \
    X(drop_measurements)                                                                                               \
    X(drop_counters)                                                                                                   \
    X(put_counter)                                                                                                     \
    X(put_load)                                                                                                        \
    X(put_baseline)                                                                                                    \
    X(begin)                                                                                                           \
    X(commit)                                                                                                          \
    X(put_unexplored)                                                                                                  \
    X(finish)                                                                                                          \
    X(get_info)                                                                                                        \
    X(get_gpu)                                                                                                         \
    X(get_env)                                                                                                         \
    X(get_ceilings)                                                                                                    \
    X(get_sweeps)                                                                                                      \
    X(get_axes)                                                                                                        \
    X(get_problems)                                                                                                    \
    X(get_variants)                                                                                                    \
    X(get_params)                                                                                                      \
    X(get_constraints)                                                                                                 \
    X(get_spaces)                                                                                                      \
    X(get_points)                                                                                                      \
    X(get_measurements)                                                                                                \
    X(get_counters)                                                                                                    \
    X(get_baselines)                                                                                                   \
    X(get_loads)                                                                                                       \
    X(get_references)

typedef enum rft_query {
#define RFT_QUERY_ENUM(name) RFT_QUERY_##name,
    RFT_QUERY_MAP(RFT_QUERY_ENUM)
#undef RFT_QUERY_ENUM
        RFT_QUERY_COUNT
} rft_query;

struct rft_store {
    sqlite3 *db;
    char *path; /* as the user wrote it, for messages */
    char *real; /* absolute, links resolved: what is opened, and what its companions and its lock are called by */
    rft_store_mode mode;
    int schema;  /* of the file */
    ino_t inode; /* of the file that was opened */
    dev_t device;
    int lock_fd; /* -1: none */
    char *lock_path;
    bool created;                              /* by this process, under the lock */
    bool writing;                              /* it was opened for writing, and is a run */
    int64_t steps_left;                        /* of the virtual machine, see rft_store_bound_steps() */
    sqlite3_stmt *statements[RFT_QUERY_COUNT]; /* prepared at first use */
    bool checked[RFT_QUERY_COUNT];             /* its parameters were bound by their names, once */
    rft_run *shape; /* the sweeps alone, as they are in the file; read when the first point is put */
};

/* ---- the lock (store_lock.c) ---- */
/* The writer's lock: FILE-lock beside the file, held with flock(2) until released, so that it dies with the process.
 * RFT_E_STORE when another rooftune holds it (it is named), or when something else has that name: that is left alone.
 * RFT_E_IO: nothing can be written there. A file system that knows no locks is written without. */
int rft_store_lock(rft_store *store, rft_err *err);
/* For a moment, without waiting and without a name: writers wait for it. False: somebody has it, or it cannot be had.
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

/* The reading statement `text` for a file of an older schema: columns and tables it has not read as NULL, and as no
 * row. Appends to `out`. */
void rft_store_older_query(rft_store *store, const char *text, size_t length, rft_str *out);

/* ---- writing ---- */
typedef struct rft_binder {
    rft_store *store;
    rft_query query;
    sqlite3_stmt *statement;
    int at;            /* parameters bound so far */
    const char *wrong; /* name that query.sql has not at this place; NULL = all in order */
} rft_binder;

int rft_bind_begin(rft_binder *binder, rft_store *store, rft_query query, rft_err *err);
void rft_bind_int(rft_binder *binder, const char *name, int64_t value);
void rft_bind_double(rft_binder *binder, const char *name, double value);   /* NaN <-> NULL */
void rft_bind_text(rft_binder *binder, const char *name, const char *text); /* NULL <-> NULL; copied */
void rft_bind_columns(rft_binder *binder, const rft_columns *columns, const void *record);
/* As little-endian doubles. */
void rft_bind_doubles(rft_binder *binder, const char *name, const double *values, size_t count);
/* Runs the statement. */
int rft_bind_end(rft_binder *binder, const char *doing, rft_err *err);

/* ---- reading ---- */
typedef struct rft_row {
    rft_store *store;
    sqlite3_stmt *statement;
    int at; /* columns read so far of this row */
    rft_arena *arena;
    rft_err *err;
    int code; /* first failure; the readers below do nothing after it */
} rft_row;

int rft_row_begin(rft_row *row, rft_store *store, rft_query query, rft_arena *arena, rft_err *err);
/* The next row. False at the end and after a failure (row->code). */
bool rft_row_next(rft_row *row);
void rft_row_columns(rft_row *row, const rft_columns *columns, void *record);
int64_t rft_row_int(rft_row *row);
/* An index that must be below `limit`; 0 and a failure otherwise. */
size_t rft_row_index(rft_row *row, size_t limit);
const char *rft_row_text(rft_row *row); /* in the arena; NULL for NULL */
/* In the arena; NULL when count is 0. */
double *rft_row_doubles(rft_row *row, size_t *count);
/* RFT_E_STORE: "FILE is damaged: TABLE: what". Returns the code, also in row->code. */
int rft_row_fail(rft_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
