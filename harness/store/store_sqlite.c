/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store_parts.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* SQLite tries to read what it could not make beside the file, and then knows no cause but "No such file". The folder
 * tells. */
static void cannot_make(rft_store *store, const char *doing, rft_err *err) {
    rft_err why = RFT_ERR_INIT;
    char *folder = rft_fs_folder(store->real);
    if (rft_fs_can_write(folder, &why) != 0) {
        rft_err_set(err, RFT_E_STORE, "%s failed in %s: %s", doing, store->path, why.message);
    }
    free(folder);
    rft_err_remedy(err, "check the permissions of the file, of its folder, and of what lies beside it (-wal, -shm, "
                        "-journal), and whether there is room");
}

int rft_store_fail(rft_store *store, const char *doing, rft_err *err) {
    int left = errno; /* after a failed commit SQLite has forgotten the cause, but errno still has it */
    int status = sqlite3_extended_errcode(store->db) & 0xff;
    int cause = sqlite3_system_errno(store->db);
    cause = cause == 0 && status == SQLITE_IOERR ? left : cause;
    bool full = cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
    if (status == SQLITE_FULL || (status == SQLITE_IOERR && full)) {
        rft_err_set(err, RFT_E_STORE, "disk full while %s in %s%s%s", doing, store->path, full ? ": " : "",
                    full ? strerror(cause) : "");
        rft_err_remedy(err, "%s, then run the same command again: what was committed is kept",
                       cause == EFBIG ? "allow larger files (ulimit -f)" : "make room there");
        return RFT_E_STORE;
    }
    if (status == SQLITE_INTERRUPT) {
        rft_err_set(err, RFT_E_STORE, "%s is damaged: %s it takes more steps than a run of its size can need",
                    store->path, doing);
        return rft_err_remedy(err, RFT_STORE_DAMAGED);
    }
    rft_err_set(err, RFT_E_STORE, "%s failed in %s: %s%s%s", doing, store->path, sqlite3_errmsg(store->db),
                cause ? ": " : "", cause ? strerror(cause) : "");
    if (status == SQLITE_NOMEM) {
        rft_err_remedy(err, RFT_STORE_MEMORY);
    } else if (status == SQLITE_BUSY || status == SQLITE_LOCKED) {
        rft_err_remedy(err, "another program holds the file: close it and try again");
    } else if (status == SQLITE_CORRUPT || status == SQLITE_NOTADB) {
        rft_err_remedy(err, RFT_STORE_DAMAGED);
    } else if (status == SQLITE_IOERR) {
        rft_err_remedy(err, "check the disk, then run the same command again: what was committed is kept");
    } else if (status == SQLITE_CANTOPEN || status == SQLITE_READONLY) {
        cannot_make(store, doing, err);
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
    code = code ? code : rft_bind_begin(&binder, store, RFT_DO_begin, err);
    return code ? code : rft_bind_end(&binder, "starting to write", err);
}

int rft_store_end(rft_store *store, int code, rft_err *err) {
    if (!code) {
        rft_binder binder;
        code = rft_bind_begin(&binder, store, RFT_DO_commit, err);
        code = code ? code : rft_bind_end(&binder, "writing", err);
    }
    if (code) {
        /* Some failures (a full disk) have rolled back by themselves: then this one has nothing to do. */
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    }
    return code;
}
