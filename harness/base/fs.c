/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"

#include "base/arena.h"
#include "base/fs_parts.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static const size_t default_max_bytes = (size_t)1 << 30;

/* One place turns errno into message and remedy, so that a full disk reads the same everywhere. */
int rft_fs_error(rft_err *err, const char *verb, const char *path, int cause) {
    rft_err_set(err, RFT_E_IO, "cannot %s %.1000s: %s", verb, path, strerror(cause));
    switch (cause) {
    case ENOSPC:
    case EDQUOT:
        rft_err_remedy(err, "make room on that disk, or name a file on another one");
        break;
    case EACCES:
    case EPERM:
    case EROFS:
        rft_err_remedy(err, "check its permissions, or name another place");
        break;
    case ENOENT:
        rft_err_remedy(err, "check the spelling; paths count from the folder you are in");
        break;
    case EMFILE:
    case ENFILE:
        rft_err_remedy(err, "allow more open files (ulimit -n)");
        break;
    case EFBIG:
        rft_err_remedy(err, "allow larger files (ulimit -f)");
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

int rft_fs_open_file(const char *path, rft_err *err) {
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool known = fd >= 0 && fstat(fd, &info) == 0;
    if (known && S_ISREG(info.st_mode)) {
        return fd;
    }
    int cause = !known ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
    if (fd >= 0) {
        close(fd);
    }
    if (cause && cause != ENXIO) { /* a socket, or a device that is not there */
        return rft_fs_error(err, "read", path, cause);
    }
    rft_err_set(err, RFT_E_IO, "%s is a device, a pipe or a socket, not a file", path);
    rft_err_remedy(err, "name a file; write into one first what a pipe brings");
    return RFT_E_IO;
}

size_t rft_fs_head(const char *path, void *to, size_t size) {
    int fd = rft_fs_open_file(path, NULL);
    ssize_t got = fd >= 0 ? read(fd, to, size) : 0;
    if (fd >= 0) {
        close(fd);
    }
    return got > 0 ? (size_t)got : 0;
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
    int fd = rft_fs_open_file(path, err);
    if (fd < 0) {
        return fd;
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

bool rft_fs_is_barred(const char *path) {
    struct stat info;
    return stat(path, &info) != 0 && errno == EACCES;
}

bool rft_fs_is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

const char *rft_fs_is_others(const char *folder) {
    struct stat info;
    if (stat(folder, &info) != 0) {
        return NULL;
    }
    return info.st_uid != geteuid() && info.st_uid != 0 ? "belongs to another user"
           : info.st_mode & S_IWOTH                     ? "may be written by anyone"
                                                        : NULL;
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

/* ---- paths ---- */

static char *copy_n(const char *text, size_t length) {
    char *copy = rft_alloc(length + 1);
    if (length) {
        memcpy(copy, text, length);
    }
    return copy;
}

char *rft_fs_join(const char *folder, const char *name) {
    if (name[0] == '/' || !folder || !folder[0]) {
        return rft_strdup(name);
    }
    rft_str path = RFT_STR_INIT;
    rft_str_add(&path, folder);
    if (!rft_text_ends(folder, "/")) {
        rft_str_add_char(&path, '/');
    }
    rft_str_add(&path, name);
    return rft_str_take(&path);
}

const char *rft_fs_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *rft_fs_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return rft_strdup(".");
    }
    while (slash > path && slash[-1] == '/') {
        slash--;
    }
    return slash == path ? rft_strdup("/") : copy_n(path, (size_t)(slash - path));
}

char *rft_fs_stem(const char *path) {
    const char *name = rft_fs_name(path);
    const char *dot = strrchr(name, '.');
    return copy_n(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

char *rft_fs_absolute(const char *path) {
    char *real = realpath(path, NULL);
    if (real) {
        return real;
    }
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    char *joined = rft_fs_join(here, path);
    free(here);
    return joined;
}

char *rft_fs_program(void) {
    size_t size = 256;
    char *path = rft_alloc(size);
    for (;;) {
        ssize_t length = readlink("/proc/self/exe", path, size - 1);
        if (length >= 0 && (size_t)length < size - 1) {
            path[length] = '\0';
            return path;
        }
        if (length < 0) {
            free(path);
            return rft_strdup("rooftune"); /* no /proc: found through PATH */
        }
        size *= 2;
        path = rft_realloc(path, size, 1);
    }
}

/* ---- gzip ---- */

enum { GZIP_WINDOW_BITS = 15 + 16 }; /* zlib: +16 selects the gzip wrapper */

typedef struct text {
    char *data;
    size_t used, capacity;
} text;

bool rft_fs_is_gzip(const char *path) {
    unsigned char magic[2] = {0};
    return rft_fs_head(path, magic, sizeof magic) == sizeof magic && magic[0] == 0x1f && magic[1] == 0x8b;
}

static int damaged(rft_err *err, const char *path, const char *how) {
    rft_err_set(err, RFT_E_RECORDING, "%s %s", path, how);
    rft_err_remedy(err, "copy or download the file again, and try `gzip -t` on it");
    return RFT_E_RECORDING;
}

/* Inflates every member (gzip files may be concatenated). */
static int inflate_all(text *out, z_stream *stream, const char *path, size_t max_bytes, rft_err *err) {
    int status = Z_OK;
    for (;;) {
        RFT_GROW(out->data, out->capacity, out->used + 4096);
        size_t room = out->capacity - out->used - 1;
        stream->next_out = (unsigned char *)out->data + out->used;
        stream->avail_out = room > UINT_MAX ? UINT_MAX : (uInt)room;
        uInt offered = stream->avail_out;
        status = inflate(stream, Z_NO_FLUSH);
        out->used += offered - stream->avail_out;
        if (out->used > max_bytes) {
            return rft_err_set(err, RFT_E_LIMIT, "%s inflates to more than the %zu bytes that are read at most", path,
                               max_bytes);
        }
        if (status == Z_STREAM_END) {
            if (stream->avail_in == 0) {
                return 0;
            }
            if (inflateReset(stream) != Z_OK) {
                return rft_err_set(err, RFT_E_INTERNAL, "zlib cannot start again");
            }
        } else if (status == Z_BUF_ERROR || (status == Z_OK && stream->avail_in == 0 && stream->avail_out != 0)) {
            return damaged(err, path, "ends in the middle: it is truncated");
        } else if (status != Z_OK) {
            return damaged(err, path, "is damaged: it does not inflate");
        }
    }
}

int rft_fs_read_gzip(char **out, size_t *size, const char *path, size_t max_bytes, rft_err *err) {
    char *packed = NULL;
    size_t packed_size = 0;
    text inflated = {0};
    z_stream stream = {0};
    *out = NULL;
    *size = 0;
    max_bytes = max_bytes ? max_bytes : (size_t)1 << 30;
    size_t most = max_bytes + max_bytes / 8; /* what does not pack grows a little */
    int code = rft_fs_read(&packed, &packed_size, path, most < UINT_MAX ? most : UINT_MAX, err);
    if (code) {
        return code;
    }
    if (packed_size < 2 || (unsigned char)packed[0] != 0x1f || (unsigned char)packed[1] != 0x8b) {
        code = damaged(err, path, packed_size ? "is not a gzip file" : "is empty");
        goto done;
    }
    if (inflateInit2(&stream, GZIP_WINDOW_BITS) != Z_OK) {
        code = rft_err_set(err, RFT_E_INTERNAL, "zlib cannot start");
        goto done;
    }
    stream.next_in = (unsigned char *)packed;
    stream.avail_in = (uInt)packed_size;
    code = inflate_all(&inflated, &stream, path, max_bytes, err);
    inflateEnd(&stream);
    if (!code) {
        inflated.data[inflated.used] = '\0';
        *out = inflated.data;
        *size = inflated.used;
        inflated.data = NULL;
    }
done:
    free(inflated.data);
    free(packed);
    return code;
}

int rft_fs_write_gzip(const char *path, const void *data, size_t size, rft_err *err) {
    z_stream stream = {0};
    if (size > UINT_MAX / 2) {
        return rft_err_set(err, RFT_E_LIMIT, "cannot write %s: more than 2 GiB", path);
    }
    if (deflateInit2(&stream, 7, Z_DEFLATED, GZIP_WINDOW_BITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        return rft_err_set(err, RFT_E_INTERNAL, "zlib cannot start");
    }
    uLong bound = deflateBound(&stream, (uLong)size);
    unsigned char *packed = rft_alloc(bound);
    stream.next_in = (unsigned char *)(uintptr_t)data;
    stream.avail_in = (uInt)size;
    stream.next_out = packed;
    stream.avail_out = (uInt)bound;
    int status = deflate(&stream, Z_FINISH);
    size_t packed_size = stream.total_out;
    deflateEnd(&stream);
    int code = status == Z_STREAM_END ? rft_fs_write_atomic(path, packed, packed_size, err)
                                      : rft_err_set(err, RFT_E_INTERNAL, "zlib cannot deflate %s", path);
    free(packed);
    return code;
}
