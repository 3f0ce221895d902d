/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that appear whole or not at all, also when the writer is killed: on Linux a file may be written before it has a
 * name (O_TMPFILE, then linkat), and one without a name is gone with its writer. Network and stacked file systems that
 * cannot do this get a temporary name; what a killed writer leaves there is found by its lock, which died with it.
 */
#include "base/fs.h"

#include "base/arena.h"
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

/* A file without a name in the folder of `path`, open for writing, which is gone with its writer. -1 with errno. */
static int open_nameless(const char *path) {
    char *folder = rft_fs_folder(path);
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    int cause = errno;
    free(folder);
    errno = cause;
    return fd;
}

/* That file system wants names for its files: what open_nameless() said. */
static bool wants_names(int cause) {
    return cause == EOPNOTSUPP || cause == EISDIR || cause == EINVAL;
}

/* Gives the nameless file a name that is free. 0 or an errno: EEXIST when it is not free. */
static int give_name(int fd, const char *path) {
    char self[64];
    rft_text_format(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/* Nothing can be named here (no /proc, no links): what give_name() said. Another way says better what else is wrong. */
static bool cannot_name(int cause) {
    return cause && cause != EISDIR && cause != EEXIST && cause != ENOSPC && cause != EDQUOT;
}

/* A name in the place of what has it now. A rename would replace in one step, but only from a name, and a name is what
 * a kill must not leave: for a moment readers may find nothing. */
static int name_over(int fd, const char *path) {
    for (int attempt = 0; attempt < LINK_ATTEMPTS; attempt++) {
        int cause = give_name(fd, path);
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
    int fd = open_nameless(path);
    if (fd < 0) {
        int cause = errno;
        *able = !wants_names(cause);
        return cause;
    }
    int cause = rft_fs_write_all(fd, data, size);
    if (!cause && (cause = name_over(fd, path)) != 0) {
        *able = !cannot_name(cause);
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
    int fd = open_nameless(name);
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

/*
 * ---- a file that is replaced as a whole ----
 *
 * Readers, and the next writer after a killed one, find the old one or the new
 * one. It is written before it has a name (O_TMPFILE). What replaces nothing gets its name at once; else it takes a
 * second name for the one moment until it is renamed. A writer that is killed in that moment leaves it there, and the
 * next writer of the same file, which takes the same second name, removes it. File systems that want names for all
 * their files get a temporary one, which stays behind when its writer is killed.
 */

enum { ATTEMPTS = 16 };

/* `old`: of what has the name, links followed; NULL: nothing has. */
static int check_replaceable(const char *path, const struct stat *old, rft_err *err) {
    struct stat link;
    const char *why = NULL;
    if (!old) {
        why = lstat(path, &link) == 0 && S_ISLNK(link.st_mode) ? "a symbolic link to nothing" : NULL;
    } else if (S_ISDIR(old->st_mode)) {
        return rft_fs_error(err, "write", path, EISDIR);
    } else if (!S_ISREG(old->st_mode)) {
        why = S_ISFIFO(old->st_mode) ? "a pipe" : S_ISSOCK(old->st_mode) ? "a socket" : "a device";
    }
    if (why) {
        rft_err_set(err, RFT_E_IO, "cannot write %s: it is %s", path, why);
        rft_err_remedy(err, "name a file; where stdout may be meant it is called -");
        return RFT_E_IO;
    }
    return 0;
}

int rft_fs_check_replaceable(const char *path, rft_err *err) {
    struct stat info;
    return check_replaceable(path, stat(path, &info) == 0 ? &info : NULL, err);
}

/* To the disk, with the permissions of what it replaces (NULL: nothing). */
static int fill_file(int fd, const void *data, size_t size, const struct stat *old) {
    int cause = rft_fs_write_all(fd, data, size);
    if (!cause && fsync(fd) != 0) {
        cause = errno;
    }
    if (!cause && old && fchmod(fd, old->st_mode & 07777) != 0) {
        cause = errno;
    }
    return cause;
}

/* Beside it: ".NAME.rooftune-new". */
static char *second_name(const char *target) {
    char *folder = rft_fs_folder(target);
    rft_str name = RFT_STR_INIT;
    rft_str_addf(&name, "%s/.%s.rooftune-new", folder, rft_fs_name(target));
    free(folder);
    return rft_str_take(&name);
}

/* Two writers at the same moment may take each other's second name away: either file is whole, and one of them is
 * in its place then. */
static int rename_over(int fd, const char *target) {
    char *second = second_name(target);
    int cause = EEXIST;
    for (int attempt = 0; attempt < ATTEMPTS && cause == EEXIST; attempt++) {
        cause = give_name(fd, second);
        if (cause == EEXIST && unlink(second) != 0 && errno != ENOENT) {
            cause = errno;
        }
    }
    if (!cause && rename(second, target) != 0) {
        cause = errno == ENOENT && rft_fs_exists(target) ? 0 : errno;
        unlink(second);
    }
    free(second);
    return cause;
}

/* 0 or an errno; *able false: this file system wants names. */
static int replace_nameless(const char *target, const void *data, size_t size, const struct stat *old, bool *able) {
    int fd = open_nameless(target);
    if (fd < 0) {
        int cause = errno;
        *able = !wants_names(cause);
        return cause;
    }
    int cause = fill_file(fd, data, size, old);
    if (!cause) {
        cause = old ? EEXIST : give_name(fd, target);
        cause = cause == EEXIST ? rename_over(fd, target) : cause;
        *able = !cannot_name(cause);
    }
    if (close(fd) != 0 && !cause) {
        cause = errno;
    }
    return cause;
}

static int replace_named(const char *target, const void *data, size_t size, const struct stat *old) {
    char *temporary = NULL;
    int fd = rft_fs_open_beside(&temporary, target, 0666);
    if (fd < 0) {
        return errno;
    }
    int cause = fill_file(fd, data, size, old);
    if (close(fd) != 0 && !cause) {
        cause = errno;
    }
    if (!cause && rename(temporary, target) != 0) {
        cause = errno;
    }
    if (cause) {
        unlink(temporary);
    }
    free(temporary);
    return cause;
}

int rft_fs_write_atomic(const char *path, const void *data, size_t size, rft_err *err) {
    struct stat info;
    const struct stat *old = stat(path, &info) == 0 ? &info : NULL;
    int code = check_replaceable(path, old, err);
    if (code) {
        return code;
    }
    /* A link stays a link: its target is replaced. */
    char *target = old ? realpath(path, NULL) : rft_strdup(path);
    bool able = true;
    int cause = target ? replace_nameless(target, data, size, old, &able) : errno;
    if (!able) {
        cause = replace_named(target, data, size, old);
    }
    free(target);
    return cause ? rft_fs_error(err, "write", path, cause) : 0;
}
