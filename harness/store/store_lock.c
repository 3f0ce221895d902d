/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_lock.c - which process may write a run. FILE-lock is locked with flock(2), which ends with its process, and has
 * the number of that process in it. Only the holder takes the file away, and it looks first whether the name is still
 * its own. What is no lock of rooftune's is left as it is.
 */
#include "store/store_parts.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WAITS = 400, WAIT_NS = 5000000, NUMBER_SIZE = 32 };

typedef enum attempt { TAKEN, HELD, FOREIGN, UNABLE, NO_LOCKS } attempt;

/* The name may have been unlinked by its last holder between our open and our lock: then it locks nothing. */
static bool is_still_there(int fd, const char *path) {
    struct stat ours, theirs;
    return fstat(fd, &ours) == 0 && lstat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
           ours.st_dev == theirs.st_dev;
}

/* The number in it, 0 where there is none yet, -1 where it holds anything else. */
static long number_in(int fd) {
    char text[NUMBER_SIZE] = "";
    char *end = text;
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    long number = got > 0 && text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : 0;
    bool whole = got == 0 || (got > 0 && end > text && end + (*end == '\n') == text + got);
    return whole ? number : -1;
}

/* Why this is no lock; NULL: it is one. */
static const char *foreign_thing(int fd) {
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return "no regular file";
    }
    if (info.st_nlink > 1) {
        return "a file with several names";
    }
    return number_in(fd) < 0 ? "a file with something else in it" : NULL;
}

/* `why` is set with FOREIGN, `holder` with HELD (0: it has not said yet), errno with UNABLE. */
static attempt try_lock(rft_store *store, const char **why, long *holder) {
    for (;;) {
        int fd = open(store->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
        if (fd < 0) {
            *why = errno == ELOOP ? "a symbolic link" : errno == EISDIR ? "a folder" : "no regular file";
            return errno == ELOOP || errno == EISDIR || errno == ENXIO ? FOREIGN : UNABLE;
        }
        *why = foreign_thing(fd);
        if (!*why && flock(fd, LOCK_EX | LOCK_NB) != 0) {
            bool held = errno == EWOULDBLOCK;
            *holder = held ? number_in(fd) : 0;
            close(fd);
            return held ? HELD : NO_LOCKS;
        }
        if (!*why && is_still_there(fd, store->lock_path)) {
            store->lock_fd = fd;
            /* The number of a killed holder may be another process's by now. Where it stays, messages are worse. */
            if (ftruncate(fd, 0) != 0) {
                errno = 0;
            }
            return TAKEN;
        }
        close(fd);
        if (*why) {
            return FOREIGN;
        }
    }
}

/* A holder that was killed can live on for a moment in a child that it was just starting: one that has not become its
 * own program yet, and so has not let go of the lock. */
static bool is_dead(long holder) {
    return holder > 0 && kill((pid_t)holder, 0) != 0 && errno == ESRCH;
}

static int held_by_other(const rft_store *store, long holder, rft_err *err) {
    rft_str process = RFT_STR_INIT;
    if (holder > 0) {
        rft_str_addf(&process, ": process %ld", holder);
    }
    rft_err_set(err, RFT_E_STORE, "another rooftune is writing %s%s", store->path, rft_str_get(&process));
    rft_err_remedy(err, "wait until it has finished, or write to another file with -o");
    rft_str_clear(&process);
    return RFT_E_STORE;
}

static int unable(const rft_store *store, int cause, rft_err *err) {
    bool there = rft_fs_exists(store->real);
    rft_err_set(err, RFT_E_IO, "cannot %s %s%s: %s", there ? "write" : "create", store->path, there ? "-lock" : "",
                strerror(cause));
    return rft_err_remedy(err, "a run is written in a folder that exists and that you may write to: name another one "
                               "with -o");
}

static int foreign(const rft_store *store, const char *why, rft_err *err) {
    rft_err_set(err, RFT_E_STORE, "%s-lock is %s, not the lock of a run", store->path, why);
    return rft_err_remedy(err, "move it away, or write to another file with -o");
}

/* The number only makes the message of others better: a full disk must not stop a writer here. */
static void say_who(int fd) {
    char text[NUMBER_SIZE];
    int length = rft_text_format(text, sizeof text, "%ld\n", (long)getpid());
    if (pwrite(fd, text, (size_t)length, 0) != length) {
        errno = 0;
    }
}

int rft_store_lock(rft_store *store, rft_err *err) {
    for (int waits = 0;; waits++) {
        const char *why = NULL;
        long holder = 0;
        switch (try_lock(store, &why, &holder)) {
        case TAKEN:
            say_who(store->lock_fd);
            return 0;
        case NO_LOCKS:
            return 0;
        case FOREIGN:
            return foreign(store, why, err);
        case UNABLE:
            return unable(store, errno, err);
        case HELD:
            /* Without a number it is one that is about to say it, or a reader that tidies up. */
            if (waits >= WAITS || (holder > 0 && !is_dead(holder))) {
                return held_by_other(store, holder, err);
            }
            nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
        }
    }
}

bool rft_store_lock_to_tidy(rft_store *store) {
    const char *why = NULL;
    long holder = 0;
    return try_lock(store, &why, &holder) == TAKEN;
}

void rft_store_unlock(rft_store *store) {
    if (store->lock_fd >= 0) {
        if (is_still_there(store->lock_fd, store->lock_path)) {
            unlink(store->lock_path);
        }
        close(store->lock_fd);
        store->lock_fd = -1;
    }
}
