/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that appear whole or not at all, also when the writer is killed: on Linux a file may be written before it has a
 * name (O_TMPFILE, then linkat), and one without a name is gone with its writer. Network and stacked file systems that
 * cannot do this get a temporary name; what a killed writer leaves there is found by its lock, which died with it.
 */
#include "base/arena.h"
#include "base/fs.h"
#include "base/fs_parts.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LINK_ATTEMPTS = 16, YOUNG_S = 10, ABANDONED_S = 3600 };

int rft_fs_open_nameless(const char *path) {
    char *folder = rft_fs_folder(path);
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    int cause = errno;
    free(folder);
    errno = cause;
    return fd;
}

bool rft_fs_wants_names(int cause) {
    return cause == EOPNOTSUPP || cause == EISDIR || cause == EINVAL;
}

int rft_fs_give_name(int fd, const char *path) {
    char self[64];
    rft_text_format(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

bool rft_fs_cannot_name(int cause) {
    return cause && cause != EISDIR && cause != EEXIST && cause != ENOSPC && cause != EDQUOT;
}

/* A name in the place of what has it now. A rename would replace in one step, but only from a name, and a name is what
 * a kill must not leave: for a moment readers may find nothing. */
static int name_over(int fd, const char *path) {
    for (int attempt = 0; attempt < LINK_ATTEMPTS; attempt++) {
        int cause = rft_fs_give_name(fd, path);
        if (cause != EEXIST) {
            return cause;
        }
        if (unlink(path) != 0 && errno != ENOENT) {
            return errno;
        }
    }
    return EEXIST; /* others write it over and over: theirs is there */
}

/* 0 or an errno; *able false: this file system wants names. */
static int put_nameless(const char *path, const void *data, size_t size, bool *able) {
    int fd = rft_fs_open_nameless(path);
    if (fd < 0) {
        int cause = errno;
        *able = !rft_fs_wants_names(cause);
        return cause;
    }
    int cause = rft_fs_write_all(fd, data, size);
    if (!cause && (cause = name_over(fd, path)) != 0) {
        *able = !rft_fs_cannot_name(cause);
    }
    close(fd);
    return cause;
}

static int put_named(const char *path, const void *data, size_t size) {
    char *temporary = NULL;
    int fd = rft_fs_open_beside(&temporary, path, 0666);
    if (fd < 0) {
        return errno;
    }
    (void)flock(fd, LOCK_EX | LOCK_NB); /* a file system without locks has its age alone, see the header */
    int cause = rft_fs_write_all(fd, data, size);
    if (!cause && rename(temporary, path) != 0) {
        cause = errno;
    }
    if (cause) {
        unlink(temporary);
    }
    close(fd);
    free(temporary);
    return cause;
}

int rft_fs_put(const char *path, const void *data, size_t size, bool named, rft_err *err) {
    bool able = !named;
    int cause = able ? put_nameless(path, data, size, &able) : 0;
    if (!able) {
        cause = put_named(path, data, size);
    }
    return cause ? rft_fs_error(err, "write", path, cause) : 0;
}

int rft_fs_can_write(const char *folder, rft_err *err) {
    char *temporary = NULL, *name = rft_fs_join(folder, ".try");
    int fd = rft_fs_open_nameless(name);
    if (fd < 0) {
        fd = rft_fs_open_beside(&temporary, name, 0666);
    }
    free(name);
    int cause = fd < 0 ? errno : rft_fs_write_all(fd, "", 1);
    if (temporary) {
        unlink(temporary);
    }
    if (fd >= 0) {
        close(fd);
    }
    free(temporary);
    return cause ? rft_fs_error(err, "write in the folder", folder, cause) : 0;
}

bool rft_fs_drop_temporary(const char *path) {
    struct stat status;
    bool dropped = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        return false;
    }
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        int64_t age_s = (int64_t)time(NULL) - (int64_t)status.st_mtim.tv_sec;
        bool free_of_locks = flock(fd, LOCK_EX | LOCK_NB) == 0;
        bool held = !free_of_locks && errno == EWOULDBLOCK;
        /* Young ones may not have their lock yet. A clock that was set back makes old ones seem young, for a while. */
        if (!held && age_s > (free_of_locks ? YOUNG_S : ABANDONED_S)) {
            dropped = unlink(path) == 0;
        }
    }
    close(fd);
    return dropped;
}
