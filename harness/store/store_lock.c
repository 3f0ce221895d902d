/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEAD_WAITS = 400, DEAD_WAIT_NS = 5000000 };

/* The name may have been unlinked by its last holder between our open and our lock: then it locks nothing. */
static bool is_still_there(int fd, const char *path) {
    struct stat ours, theirs;
    return fstat(fd, &ours) == 0 && stat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
           ours.st_dev == theirs.st_dev;
}

/* Who wrote its number there; 0 when nobody did. */
static long holder_of(int fd) {
    char pid[32] = "";
    ssize_t got = pread(fd, pid, sizeof pid - 1, 0);
    pid[got > 0 ? got : 0] = '\0';
    return strtol(pid, NULL, 10);
}

/* A holder that was killed can live on for a moment in a child that it was just starting: one that has not become its
 * own program yet, and so has not let go of the lock. */
static bool is_dead(long holder) {
    return holder > 0 && kill((pid_t)holder, 0) != 0 && errno == ESRCH;
}

static int held_by_other(rft_store *store, long holder, rft_err *err) {
    rft_str process = RFT_STR_INIT;
    if (holder > 0) {
        rft_str_addf(&process, ": process %ld", holder);
    }
    rft_err_set(err, RFT_E_STORE, "another rooftune is writing %s%s", store->path, rft_str_get(&process));
    rft_err_remedy(err, "wait until it has finished, or write to another file with -o");
    rft_str_clear(&process);
    return RFT_E_STORE;
}

int rft_store_lock(rft_store *store, rft_err *err) {
    rft_str name = RFT_STR_INIT;
    rft_str_addf(&name, "%s-lock", store->path);
    store->lock_path = rft_str_take(&name);
    for (int waits = 0;;) {
        int fd = open(store->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) {
            int cause = errno;
            rft_err_set(err, RFT_E_IO, "cannot write %s: %s", store->lock_path, strerror(cause));
            rft_err_remedy(err, "a run is written in a folder that you may write to: name another one with -o");
            return RFT_E_IO;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            bool held = errno == EWOULDBLOCK;
            long holder = held ? holder_of(fd) : 0;
            close(fd);
            if (held && is_dead(holder) && waits++ < DEAD_WAITS) {
                nanosleep(&(struct timespec){.tv_nsec = DEAD_WAIT_NS}, NULL);
                continue;
            }
            return held ? held_by_other(store, holder, err) : 0;
        }
        if (is_still_there(fd, store->lock_path)) {
            char pid[32];
            int length = rft_text_format(pid, sizeof pid, "%ld\n", (long)getpid());
            /* The number only makes the message better: a full disk must not stop anybody here. */
            if (ftruncate(fd, 0) != 0 || pwrite(fd, pid, (size_t)length, 0) != length) {
                errno = 0;
            }
            store->lock_fd = fd;
            return 0;
        }
        close(fd);
    }
}

void rft_store_unlock(rft_store *store) {
    if (store->lock_fd >= 0) {
        unlink(store->lock_path);
        close(store->lock_fd);
        store->lock_fd = -1;
    }
    free(store->lock_path);
    store->lock_path = NULL;
}
