/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store_sqlite.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const unsigned char rft_embedded_schema_sql[];

static const char magic[16] = "SQLite format 3";

int rft_store_fail(rft_store *store, const char *doing, rft_err *err) {
    int left = errno; /* after a failed commit SQLite has forgotten the cause, but errno still has it */
    int status = sqlite3_extended_errcode(store->db) & 0xff;
    int cause = sqlite3_system_errno(store->db);
    cause = cause == 0 && status == SQLITE_IOERR ? left : cause;
    bool full = cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
    if (status == SQLITE_FULL || (status == SQLITE_IOERR && full)) {
        rft_err_set(err, RFT_E_STORE, "disk full while %s in %s%s%s", doing, store->path, full ? ": " : "",
                    full ? strerror(cause) : "");
        rft_err_remedy(err, "make room there, then run the same command again: what was committed is kept");
        return RFT_E_STORE;
    }
    rft_err_set(err, RFT_E_STORE, "%s failed in %s: %s", doing, store->path, sqlite3_errmsg(store->db));
    if (status == SQLITE_BUSY || status == SQLITE_LOCKED) {
        rft_err_remedy(err, "another program holds the file: close it and try again");
    } else if (status == SQLITE_CORRUPT || status == SQLITE_NOTADB) {
        rft_err_remedy(err, "the file is damaged: use a copy of it, or `sqlite3 FILE .recover` to save what is left");
    } else if (status == SQLITE_IOERR && cause) {
        rft_err_remedy(err, "the system says \"%s\": check the disk", strerror(cause));
    } else if (status == SQLITE_READONLY) {
        rft_err_remedy(err, "the file is write protected: change its permissions or work on a copy");
    }
    return RFT_E_STORE;
}

int rft_store_exec(rft_store *store, const char *sql, const char *doing, rft_err *err) {
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : rft_store_fail(store, doing, err);
}

int rft_store_not_begun(rft_store *store, rft_err *err) {
    rft_err_set(err, RFT_E_NOT_FOUND, "there is no run in %s: it ended before it began", store->path);
    return rft_err_remedy(err, "the same `rooftune run` begins it again");
}

/* SQLite would go on with a file that has no name any more, and all would be lost when it is closed. */
static int check_name(rft_store *store, rft_err *err) {
    struct stat now;
    if (stat(store->path, &now) == 0 && now.st_ino == store->inode && now.st_dev == store->device) {
        return 0;
    }
    rft_err_set(err, RFT_E_STORE, "%s was removed, renamed or replaced while the run was written to it", store->path);
    return rft_err_remedy(err, "put it back where it was if you have it, then run the same command again");
}

int rft_store_begin(rft_store *store, rft_err *err) {
    rft_binder binder;
    int code = check_name(store, err);
    code = code ? code : rft_bind_begin(&binder, store, RFT_QUERY_begin, err);
    return code ? code : rft_bind_end(&binder, "starting to write", err);
}

int rft_store_end(rft_store *store, int code, rft_err *err) {
    if (!code) {
        rft_binder binder;
        code = rft_bind_begin(&binder, store, RFT_QUERY_commit, err);
        code = code ? code : rft_bind_end(&binder, "writing", err);
    }
    if (code) {
        /* Some failures (a full disk) have rolled back by themselves: then this one has nothing to do. */
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    }
    return code;
}

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
    rft_str_addf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;", RFT_STORE_APPLICATION_ID,
                 RFT_STORE_SCHEMA);
    int code = rft_store_begin(store, err);
    if (!code) {
        code = rft_store_exec(store, (const char *)rft_embedded_schema_sql, "creating the tables", err);
        code = code ? code : rft_store_exec(store, rft_str_get(&sql), "creating the tables", err);
        code = rft_store_end(store, code, err);
    }
    /* Into the file itself: whoever copies it without its WAL still gets something that says what it is. */
    sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    rft_str_clear(&sql);
    return code;
}

/* Looks at the file with plain system calls first: they say why a path cannot be used, SQLite only says that. */
static int check_file(const char *path, rft_store_mode mode, rft_err *err) {
    char head[sizeof magic] = {0};
    bool create = mode == RFT_STORE_CREATE;
    int fd = open(path, create ? O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0666);
    int cause = errno;
    if (fd < 0 && create && cause == EEXIST) {
        rft_err_set(err, RFT_E_STORE, "%s exists already", path);
        rft_err_remedy(err, "name another file, or remove this one");
        return RFT_E_STORE;
    }
    if (fd < 0 || (rft_fs_is_folder(path) && (cause = EISDIR))) {
        rft_err_set(err, RFT_E_IO, "cannot %s %s: %s", create ? "create" : "open", path, strerror(cause));
        rft_err_remedy(err, create ? "name a file in a folder that exists and that you may write to"
                                   : "check the spelling and who may read it");
        if (fd >= 0) {
            close(fd);
        }
        return RFT_E_IO;
    }
    ssize_t got = create ? 0 : read(fd, head, sizeof head);
    close(fd);
    if (create || (got == (ssize_t)sizeof head && memcmp(head, magic, sizeof head) == 0)) {
        return 0;
    }
    rft_err_set(err, RFT_E_STORE, "%s is not a run file%s", path, got == 0 ? ": it is empty" : "");
    rft_err_remedy(err, (unsigned char)head[0] == 0x1f || head[0] == '{'
                            ? "it looks like a recording: `rooftune import` makes a run file of it"
                            : "name a file that `rooftune run` or `rooftune import` wrote");
    return RFT_E_STORE;
}

static bool open_db(rft_store *store, const char *name, int flags) {
    sqlite3_close(store->db);
    store->db = NULL;
    return sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
           sqlite3_exec(store->db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) == SQLITE_OK;
}

/* A run in WAL mode on a medium that cannot be written: there is nobody who could write it, so no locks are needed. */
static bool open_immutable(rft_store *store, const char *path) {
    rft_str uri = RFT_STR_INIT;
    rft_str_add(&uri, "file:");
    for (const char *at = path; *at; at++) {
        if (strchr("%?#", *at)) {
            rft_str_addf(&uri, "%%%02x", (unsigned)(unsigned char)*at);
        } else {
            rft_str_add_char(&uri, *at);
        }
    }
    rft_str_add(&uri, "?immutable=1");
    bool opened = open_db(store, rft_str_get(&uri), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    rft_str_clear(&uri);
    return opened;
}

static int open_file(rft_store *store, rft_err *err) {
    char *path = rft_fs_absolute(store->path); /* ":memory:" is a file name like any other */
    bool reading = store->mode == RFT_STORE_READ;
    bool opened = open_db(store, path, reading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
    if (!opened && reading && (sqlite3_errcode(store->db) & 0xff) == SQLITE_READONLY) {
        /* Its last writer was killed, or found no room, as it changed the file: that has to be undone before anybody
         * can read it. */
        opened = open_db(store, path, SQLITE_OPEN_READWRITE);
    }
    if (!opened && reading && (sqlite3_errcode(store->db) & 0xff) == SQLITE_CANTOPEN) {
        opened = open_immutable(store, path);
    }
    free(path);
    if (!opened) {
        return rft_store_fail(store, "opening", err);
    }
    sqlite3_busy_timeout(store->db, 5000);
    struct stat status;
    if (stat(store->path, &status) == 0) {
        store->inode = status.st_ino;
        store->device = status.st_dev;
    }
    if (!reading && sqlite3_db_readonly(store->db, "main") == 1) {
        rft_err_set(err, RFT_E_IO, "%s is write protected", store->path);
        rft_err_remedy(err, "change its permissions, or work on a copy");
        return RFT_E_IO;
    }
    if (store->mode == RFT_STORE_CREATE) {
        return 0;
    }
    return check_identity(store, err);
}

int rft_store_open(rft_store **out, const char *path, rft_store_mode mode, rft_err *err) {
    rft_store *store = rft_alloc(sizeof *store);
    *out = NULL;
    store->path = rft_strdup(path);
    store->mode = mode;
    store->schema = RFT_STORE_SCHEMA;
    store->lock_fd = -1;
    bool created = false;
    int code = check_file(path, mode, err);
    if (code) {
        goto done;
    }
    created = mode == RFT_STORE_CREATE;
    code = mode == RFT_STORE_READ ? 0 : rft_store_lock(store, err);
    code = code ? code : open_file(store, err);
    if (!code && mode != RFT_STORE_READ) {
        /* NORMAL: a killed process loses nothing that was committed; a power cut may lose the last commits. */
        code = rft_store_exec(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", "opening", err);
    }
    if (!code && created) {
        code = create_schema(store, err);
    }
done:
    if (code) {
        rft_store_close(store);
        if (created) {
            unlink(path);
        }
        return code;
    }
    *out = store;
    return 0;
}

void rft_store_close(rft_store *store) {
    if (store == NULL) {
        return;
    }
    for (size_t i = 0; i < RFT_QUERY_COUNT; i++) {
        sqlite3_finalize(store->statements[i]);
    }
    if (store->db && store->mode != RFT_STORE_READ) {
        /* One file without companions is easier to copy and can be read where nothing can be written. While somebody
         * reads this fails, and the next writer's close does it. */
        sqlite3_busy_timeout(store->db, 0);
        sqlite3_exec(store->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    sqlite3_close(store->db);
    rft_store_unlock(store);
    rft_run_free(store->shape);
    free(store->path);
    free(store);
}
