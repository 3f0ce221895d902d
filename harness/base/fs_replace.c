/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is replaced as a whole: readers, and whoever comes after a killed writer, find the old one or the new
 * one. It is written before it has a name (O_TMPFILE). What replaces nothing gets its name at once; else it takes a
 * second name for the one moment until it is renamed. Who is killed in that moment leaves it there, and the next writer
 * of the same file, which takes the same second name, removes it. File systems that want names for all their files get
 * a temporary one, which stays behind when its writer is killed.
 */
#include "base/arena.h"
#include "base/fs.h"
#include "base/fs_parts.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
static int fill(int fd, const void *data, size_t size, const struct stat *old) {
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

/* Two who write it at the same moment may take each other's second name away: either file is whole, and one of them is
 * in its place then. */
static int rename_over(int fd, const char *target) {
    char *second = second_name(target);
    int cause = EEXIST;
    for (int attempt = 0; attempt < ATTEMPTS && cause == EEXIST; attempt++) {
        cause = rft_fs_give_name(fd, second);
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
    int fd = rft_fs_open_nameless(target);
    if (fd < 0) {
        int cause = errno;
        *able = !rft_fs_wants_names(cause);
        return cause;
    }
    int cause = fill(fd, data, size, old);
    if (!cause) {
        cause = old ? EEXIST : rft_fs_give_name(fd, target);
        cause = cause == EEXIST ? rename_over(fd, target) : cause;
        *able = !rft_fs_cannot_name(cause);
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
    int cause = fill(fd, data, size, old);
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
