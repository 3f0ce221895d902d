/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"

#include "base/arena.h"
#include "base/fs_parts.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t default_max_bytes = (size_t)1 << 30;

/* One place turns errno into message and remedy, so that a full disk reads the same everywhere. */
int rft_fs_error(rft_err *err, const char *verb, const char *path, int cause) {
    rft_err_set(err, RFT_E_IO, "cannot %s %s: %s", verb, path, strerror(cause));
    switch (cause) {
    case ENOSPC:
    case EDQUOT:
        rft_err_remedy(err, "make room on that disk, or name a file on another one");
        break;
    case EACCES:
    case EPERM:
    case EROFS:
        rft_err_remedy(err, "check who may use it, or name another place");
        break;
    case ENOENT:
        rft_err_remedy(err, "check the spelling; paths count from the folder you are in");
        break;
    case EISDIR:
        rft_err_remedy(err, "name a file, not a folder");
        break;
    case EIO:
        rft_err_remedy(err, "check that disk, or name a file on another one");
        break;
    default:
        break;
    }
    return RFT_E_IO;
}

static int too_large(const char *path, size_t max_bytes, rft_err *err) {
    return rft_err_set(err, RFT_E_LIMIT, "%s is larger than the %zu bytes that are read at most", path, max_bytes);
}

static int read_all(char **out, size_t *size, int fd, const char *path, size_t max_bytes, rft_err *err) {
    char *data = NULL;
    size_t used = 0, capacity = 0;
    struct stat info;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
        if ((uint64_t)info.st_size > max_bytes) { /* by its size, before gigabytes are read */
            return too_large(path, max_bytes, err);
        }
        RFT_GROW(data, capacity, (size_t)info.st_size + 2);
    }
    for (;;) {
        RFT_GROW(data, capacity, used + 2);
        ssize_t got = read(fd, data + used, capacity - used - 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            int cause = errno;
            free(data);
            return rft_fs_error(err, "read", path, cause);
        }
        if (got == 0) {
            break;
        }
        used += (size_t)got;
        if (used > max_bytes) {
            free(data);
            return too_large(path, max_bytes, err);
        }
    }
    data[used] = '\0';
    *out = data;
    *size = used;
    return 0;
}

int rft_fs_read(char **out, size_t *size, const char *path, size_t max_bytes, rft_err *err) {
    *out = NULL;
    *size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return rft_fs_error(err, "read", path, errno);
    }
    int code = read_all(out, size, fd, path, max_bytes ? max_bytes : default_max_bytes, err);
    close(fd);
    return code;
}

int rft_fs_write_all(int fd, const void *data, size_t size) {
    const char *bytes = data;
    while (size) {
        ssize_t put = write(fd, bytes, size);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return put < 0 ? errno : EIO;
        }
        bytes += put;
        size -= (size_t)put;
    }
    return 0;
}

int rft_fs_open_beside(char **temporary, const char *target, mode_t mode) {
    for (int attempt = 0; attempt < 1000; attempt++) {
        rft_str name = RFT_STR_INIT;
        rft_str_addf(&name, "%s.%ld.%d.tmp", target, (long)getpid(), attempt);
        int fd = open(rft_str_get(&name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0) {
            *temporary = rft_str_take(&name);
            return fd;
        }
        rft_str_clear(&name);
        if (errno != EEXIST) {
            break;
        }
    }
    return -1;
}

bool rft_fs_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

bool rft_fs_is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int rft_fs_make_folders(const char *path, rft_err *err) {
    char *text = rft_strdup(path);
    int cause = 0;
    for (char *slash = text; !cause && *slash;) {
        slash += strspn(slash, "/");
        slash += strcspn(slash, "/");
        char kept = *slash;
        *slash = '\0';
        if (mkdir(text, 0777) != 0) {
            cause = errno;
            if (rft_fs_is_folder(text)) {
                cause = 0;
            } else if (cause == EEXIST) {
                cause = ENOTDIR;
            }
        }
        *slash = kept;
    }
    free(text);
    return cause ? rft_fs_error(err, "make the folder", path, cause) : 0;
}

int rft_fs_remove(const char *path, rft_err *err) {
    if (unlink(path) != 0 && errno != ENOENT) {
        return rft_fs_error(err, "remove", path, errno);
    }
    return 0;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int rft_fs_list(char ***out, size_t *count, const char *folder, const char *suffix, rft_err *err) {
    *out = NULL;
    *count = 0;
    DIR *directory = opendir(folder);
    if (!directory) {
        return rft_fs_error(err, "list", folder, errno);
    }
    char **names = NULL;
    size_t used = 0, capacity = 0;
    const struct dirent *entry;
    while ((errno = 0, entry = readdir(directory))) {
        bool self = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (!self && (!suffix || rft_text_ends(entry->d_name, suffix))) {
            RFT_GROW(names, capacity, used + 1);
            names[used++] = rft_strdup(entry->d_name);
        }
    }
    int cause = errno;
    closedir(directory);
    if (cause) {
        rft_fs_list_free(names, used);
        return rft_fs_error(err, "list", folder, cause);
    }
    if (used) {
        qsort(names, used, sizeof *names, compare_names);
    }
    *out = names;
    *count = used;
    return 0;
}

void rft_fs_list_free(char **names, size_t count) {
    for (size_t i = 0; names && i < count; i++) {
        free(names[i]);
    }
    free(names);
}
