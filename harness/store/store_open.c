/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_open.c - opening and closing a run file. A writer takes the lock first, and looks at what is there only then;
 * it takes away nothing but what it made, and a run that it was asked to replace. A reader that finds what a killed
 * writer left tidies up, if it may.
 */
#include "store/store_parts.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[16] = RFT_STORE_MAGIC;

enum { BUSY_MS = 5000 }; /* while another process begins, ends or tidies up the file: moments */

static int pragma_int(rft_store *store, const char *sql, int *out, rft_err *err) {
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    if (status == SQLITE_OK) {
        status = sqlite3_step(statement);
        *out = status == SQLITE_ROW ? sqlite3_column_int(statement, 0) : 0;
    }
    int code = status == SQLITE_ROW ? 0 : rft_store_fail(store, "reading", err);
    sqlite3_finalize(statement);
    return code;
}

/* "0.2.0", of the run in the file; "another rooftune" when a foreign schema does not have it there. */
static void writer_of(rft_store *store, char *out, size_t size) {
    sqlite3_stmt *statement = NULL;
    rft_text_format(out, size, "another rooftune");
    if (sqlite3_prepare_v2(store->db, "SELECT tool_version FROM run", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0)) {
        rft_text_format(out, size, "rooftune %.32s", (const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
}

static int check_identity(rft_store *store, rft_err *err) {
    int application = 0, version = 0, tables = 0;
    char writer[64];
    int code = pragma_int(store, "PRAGMA application_id", &application, err);
    code = code ? code : pragma_int(store, "PRAGMA user_version", &version, err);
    code = code ? code : pragma_int(store, "SELECT count(*) FROM sqlite_master", &tables, err);
    if (code) {
        return code;
    }
    if (application == 0 && version == 0 && tables == 0) {
        return rft_store_not_begun(store, err); /* killed before the tables were there */
    }
    if (application != RFT_STORE_APPLICATION_ID) {
        rft_err_set(err, RFT_E_STORE, "%s is an SQLite database, but not a run of rooftune", store->path);
        rft_err_remedy(err, "name a file that `rooftune run` or `rooftune import` wrote");
        return RFT_E_STORE;
    }
    store->schema = version;
    bool readable = store->mode == RFT_STORE_READ && version >= RFT_STORE_SCHEMA_READ;
    if (version == RFT_STORE_SCHEMA || (readable && version < RFT_STORE_SCHEMA)) {
        return 0;
    }
    writer_of(store, writer, sizeof writer);
    rft_err_set(err, RFT_E_SCHEMA, "%s has the %s schema %d (written by %s); this rooftune reads and writes schema %d",
                store->path, version < RFT_STORE_SCHEMA ? "older" : "newer", version, writer, RFT_STORE_SCHEMA);
    rft_err_remedy(err, "%s",
                   version > RFT_STORE_SCHEMA
                       ? "use a newer rooftune, at least the one that wrote it, or another file (-o)"
                   : version >= RFT_STORE_SCHEMA_READ
                       ? "it can be read, not continued: continue it with the rooftune that wrote it, or measure again "
                         "into another file (-o)"
                       : "read it with the rooftune that wrote it, or measure again into another file (-o)");
    return RFT_E_SCHEMA;
}

static int create_schema(rft_store *store, rft_err *err) {
    rft_str sql = RFT_STR_INIT;
    rft_store_schema_text(&sql);
    rft_str_addf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;", RFT_STORE_APPLICATION_ID,
                 RFT_STORE_SCHEMA);
    int code = rft_store_begin(store, err);
    if (!code) {
        code = rft_store_exec(store, rft_str_get(&sql), "creating the tables", err);
        code = rft_store_end(store, code, err);
    }
    /* Into the file itself: a copy without its WAL still is something that says what it is. */
    sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    rft_str_clear(&sql);
    return code;
}

/* ---- what is there ---- */

static int cannot(const rft_store *store, const char *verb, int cause, rft_err *err) {
    rft_err_set(err, RFT_E_IO, "cannot %s %s: %s", verb, store->path, strerror(cause));
    return rft_err_remedy(err, strcmp(verb, "open") == 0
                                   ? "check the spelling and the permissions"
                                   : "name a file in a folder that exists and that you may write to");
}

/* Looks at the file with plain system calls first: they say why a path cannot be used, SQLite only says that. */
static int check_file(const rft_store *store, rft_err *err) {
    char head[sizeof magic] = {0};
    int fd = rft_fs_open_file(store->path, err);
    if (fd < 0) {
        return fd;
    }
    ssize_t got = read(fd, head, sizeof head);
    close(fd);
    if (got == (ssize_t)sizeof head && memcmp(head, magic, sizeof head) == 0) {
        return 0;
    }
    rft_err_set(err, RFT_E_STORE, "%s is not a run file%s", store->path, got == 0 ? ": it is empty" : "");
    return rft_err_remedy(err, (unsigned char)head[0] == 0x1f || head[0] == '{'
                                   ? "it looks like a recording: `rooftune import` makes a run file of it"
                                   : "name a file that `rooftune run` or `rooftune import` wrote");
}

/* ---- opening ---- */

static bool open_db(rft_store *store, const char *name, int flags) {
    sqlite3_close(store->db);
    store->db = NULL;
    if (sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        return false;
    }
    sqlite3_busy_timeout(store->db, BUSY_MS);
    /* A close that cannot lock its index takes the log for copied and deletes it; rft_store_complete() asks in words.
     */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    rft_store_distrust(store);
    return sqlite3_exec(store->db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) == SQLITE_OK;
}

/* A run in WAL mode on a medium that cannot be written: nothing can write it, so no locks are needed.
 * `how`: "immutable" is blind for a log that was left beside it, the VFS without locks is not. */
static bool open_unlocked(rft_store *store, const char *how) {
    rft_str uri = RFT_STR_INIT;
    rft_str_add(&uri, "file:");
    for (const char *at = store->real; *at; at++) {
        if (strchr("%?#", *at)) {
            rft_str_addf(&uri, "%%%02x", (unsigned)(unsigned char)*at);
        } else {
            rft_str_add_char(&uri, *at);
        }
    }
    rft_str_addf(&uri, "?%s", how);
    bool opened = open_db(store, rft_str_get(&uri), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    rft_str_clear(&uri);
    return opened;
}

static bool open_unwritable(rft_store *store) {
    if (rft_store_companion_bytes(store, "-wal") <= 0) {
        return open_unlocked(store, "immutable=1");
    }
    /* An index of the log in memory, since there can be none beside it. */
    open_unlocked(store, "vfs=unix-none");
    return sqlite3_exec(store->db, "PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_master", NULL, NULL,
                        NULL) == SQLITE_OK;
}

static bool open_to_read(rft_store *store) {
    bool opened = open_db(store, store->real, SQLITE_OPEN_READONLY);
    if (!opened && (sqlite3_errcode(store->db) & 0xff) == SQLITE_READONLY) {
        /* Its last writer was killed, or found no room, as it changed the file: that has to be undone before anything
         * can read it. */
        opened = open_db(store, store->real, SQLITE_OPEN_READWRITE);
    }
    return opened || ((sqlite3_errcode(store->db) & 0xff) == SQLITE_CANTOPEN && open_unwritable(store));
}

static void keep_identity(rft_store *store) {
    struct stat info;
    if (stat(store->real, &info) == 0) {
        store->inode = info.st_ino;
        store->device = info.st_dev;
    }
}

static int open_file(rft_store *store, bool reading, rft_err *err) {
    bool opened = reading ? open_to_read(store) : open_db(store, store->real, SQLITE_OPEN_READWRITE);
    if (!opened) {
        return rft_store_fail(store, "opening", err);
    }
    keep_identity(store);
    if (!reading && sqlite3_db_readonly(store->db, "main") == 1) {
        rft_err_set(err, RFT_E_IO, "%s is write protected", store->path);
        return rft_err_remedy(err, "change its permissions, or work on a copy");
    }
    return 0;
}

/* One file without companions, where that can be. Only with the lock; the database is closed then. */
static void make_whole(rft_store *store) {
    bool alone = open_db(store, store->real, SQLITE_OPEN_READWRITE);
    if (alone) {
        sqlite3_busy_timeout(store->db, 0);
        alone = sqlite3_exec(store->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) == SQLITE_OK;
    }
    sqlite3_close(store->db);
    store->db = NULL;
    if (alone) {
        rft_store_remove_index(store);
    }
}

static bool has_index(const rft_store *store) {
    return rft_store_companion_bytes(store, "-shm") >= 0;
}

/* SQLite made an index of a log to look at what is refused then: it goes again. Only with the lock, and where no other
 * program has come to use it meanwhile: what is refused may be that program's. */
static void drop_index(rft_store *store) {
    sqlite3_close(store->db);
    store->db = NULL;
    if (rft_store_index_is_idle(store)) {
        rft_store_remove_index(store);
    }
}

/* ---- reading ---- */

/* What a killed writer left is put into the file, and its companions go. Not where another process writes or reads, and
 * not where that is not allowed: then SQLite reads both together. */
static void tidy_up(rft_store *store) {
    struct stat info;
    bool may = stat(store->real, &info) == 0 && info.st_nlink == 1 && access(store->real, W_OK) == 0;
    if (may && rft_store_has_companions(store) && rft_store_lock_to_tidy(store)) {
        make_whole(store);
        rft_store_unlock(store);
    }
}

static int start_reading(rft_store *store, rft_err *err) {
    bool had_index = has_index(store);
    int code = check_file(store, err);
    code = code ? code : rft_store_check_companions(store, err);
    code = code ? code : open_file(store, true, err);
    code = code ? code : check_identity(store, err);
    code = code ? code : rft_store_check_objects(store, err);
    code = code ? code : rft_store_check_pages(store, err);
    if (!code) {
        tidy_up(store);
        code = store->db ? 0 : open_file(store, true, err);
    } else if (!had_index && has_index(store) && rft_store_lock_to_tidy(store)) {
        drop_index(store);
        rft_store_unlock(store);
    }
    return code;
}

/* ---- writing ---- */

static int check_has_begun(rft_store *store, rft_err *err) {
    int runs = 0, points = 0;
    int code = pragma_int(store, "SELECT count(*) FROM run", &runs, err);
    code = code ? code : pragma_int(store, "SELECT count(*) FROM point", &points, err);
    if (!code && runs == 0 && points > 0) { /* somebody took the run away: what was measured is not replaced */
        rft_err_set(err, RFT_E_STORE, "%s holds %d points and no run", store->path, points);
        return rft_err_remedy(err, RFT_STORE_DAMAGED);
    }
    return code || runs > 0 ? code : rft_store_not_begun(store, err);
}

static int exists(const rft_store *store, rft_err *err) {
    rft_err_set(err, RFT_E_STORE, "%s exists already", store->path);
    return rft_err_remedy(err, "name another file, or remove this one");
}

/* Another program's database is seen by a reader alone: a writer would tidy up there. */
static int open_own(rft_store *store, rft_err *err) {
    int code = open_file(store, true, err);
    code = code ? code : check_identity(store, err);
    if (store->mode == RFT_STORE_CREATE) {
        code = code ? code : check_has_begun(store, err);
        if (!code) {
            make_whole(store); /* its writer may have been killed while closing it */
        }
        return code == RFT_E_NOT_FOUND ? code : exists(store, err);
    }
    code = code ? code : open_file(store, false, err);
    code = code ? code : rft_store_check_objects(store, err);
    code = code ? code : rft_store_check_pages(store, err);
    return code || store->mode == RFT_STORE_WRITE ? code : check_has_begun(store, err);
}

/* What a new run may replace is taken away: one that never began, and with FRESH any run. With CREATE, what is anything
 * else stays as it is. */
static int open_or_replace(rft_store *store, rft_err *err) {
    bool create = store->mode == RFT_STORE_CREATE;
    int code = check_file(store, err);
    if (code) {
        return create ? exists(store, err) : code;
    }
    bool had_index = has_index(store);
    code = open_own(store, err);
    bool replace = store->mode == RFT_STORE_FRESH ? !code || code == RFT_E_SCHEMA || code == RFT_E_NOT_FOUND
                                                  : store->mode != RFT_STORE_WRITE && code == RFT_E_NOT_FOUND;
    if (replace) {
        sqlite3_close(store->db);
        store->db = NULL;
        int cause = rft_store_remove_files(store);
        code = cause ? cannot(store, "replace", cause, err) : 0;
    } else if (code && !had_index) {
        drop_index(store);
    }
    return code;
}

/* Opens what is there; without a database behind it there is none. Only with the lock. */
static int open_existing(rft_store *store, rft_err *err) {
    struct stat info;
    if (stat(store->real, &info) != 0) {
        int cause = errno;
        if (lstat(store->real, &info) == 0) {
            rft_err_set(err, RFT_E_IO, "%s is a symbolic link to nothing", store->path);
            return rft_err_remedy(err, "name a file, or remove the link");
        }
        return cause == ENOENT && store->mode != RFT_STORE_WRITE ? 0 : cannot(store, "open", cause, err);
    }
    if (S_ISREG(info.st_mode) && info.st_nlink > 1 && store->mode != RFT_STORE_CREATE) {
        rft_err_set(err, RFT_E_STORE, "%s has another name as well (a hard link)", store->path);
        return rft_err_remedy(err, "a run is written under one name: copy it, and write to the copy");
    }
    bool empty = S_ISREG(info.st_mode) && info.st_size == 0 && store->mode != RFT_STORE_WRITE;
    return empty ? 0 : open_or_replace(store, err);
}

static int create(rft_store *store, rft_err *err) {
    int fd = open(store->real, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) {
        return cannot(store, "create", errno, err);
    }
    close(fd);
    keep_identity(store);
    store->created = true;
    return open_file(store, false, err);
}

static int start_writing(rft_store *store, rft_err *err) {
    int code = store->mode == RFT_STORE_WRITE  ? check_file(store, err)
               : rft_fs_is_folder(store->real) ? cannot(store, "create", EISDIR, err)
                                               : 0;
    code = code ? code : rft_store_lock(store, err);
    code = code ? code : rft_store_check_companions(store, err);
    code = code ? code : open_existing(store, err);
    code = code || store->db ? code : create(store, err);
    /* NORMAL: a killed process loses nothing that was committed; a power cut may lose the last commits. */
    code =
        code ? code : rft_store_exec(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", "opening", err);
    if (code) {
        return code;
    }
    store->writing = true;
    rft_store_bound_steps(store, false);
    return store->created ? create_schema(store, err) : 0;
}

int rft_store_open(rft_store **out, const char *path, rft_store_mode mode, rft_err *err) {
    rft_store *store = rft_alloc(sizeof *store);
    rft_str name = RFT_STR_INIT;
    store->path = rft_strdup(path);
    store->real = rft_fs_absolute(path); /* ":memory:" is a file name like any other */
    rft_str_addf(&name, "%s-lock", store->real);
    store->lock_path = rft_str_take(&name);
    store->mode = mode;
    store->schema = RFT_STORE_SCHEMA;
    store->lock_fd = -1;
    int code = mode == RFT_STORE_READ ? start_reading(store, err) : start_writing(store, err);
    if (code) {
        rft_store_discard(store);
        store = NULL;
    }
    *out = store;
    return code;
}

bool rft_store_is_new(const rft_store *store) {
    return store->created;
}

/* ---- closing ---- */

int rft_store_complete(rft_store *store, rft_err *err) {
    sqlite3_busy_timeout(store->db, 0);
    int status = sqlite3_exec(store->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    store->writing = status == SQLITE_BUSY || status == SQLITE_LOCKED; /* closing tries once more */
    if (status == SQLITE_OK || store->writing) {
        return 0;
    }
    rft_store_fail(store, "making one file of what was written", err);
    return rft_err_remedy(err,
                          "nothing is lost: keep the files beside %s (-wal, -journal); the next command that reads "
                          "it makes it whole, when the disk allows it",
                          store->path);
}

static void close_store(rft_store *store, bool discard) {
    for (size_t i = 0; i < RFT_STATEMENT_COUNT; i++) {
        sqlite3_finalize(store->statements[i]);
    }
    if (store->writing) {
        (void)rft_store_complete(store, NULL);
    }
    sqlite3_close(store->db);
    struct stat info;
    if (discard && store->created && stat(store->real, &info) == 0 && info.st_ino == store->inode &&
        info.st_dev == store->device) {
        (void)rft_store_remove_files(store);
    }
    rft_store_unlock(store);
    rft_run_free(store->shape);
    free(store->lock_path);
    free(store->real);
    free(store->path);
    free(store);
}

void rft_store_close(rft_store *store) {
    if (store) {
        close_store(store, false);
    }
}

void rft_store_discard(rft_store *store) {
    if (store) {
        close_store(store, true);
    }
}
