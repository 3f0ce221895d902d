/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/cache_folder.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const uint64_t default_limit_bytes = (uint64_t)1 << 30;
#define ENTRY_MAX ((uint64_t)64 << 20)
static const double default_wait_s = 5.0;
static const int64_t keys_begin = (int64_t)1 << 61;

/* Room is made when a process starts and none has done it for so long, and during a run after so many writes. */
enum { ROOM_PERIOD_S = 600, ROOM_WRITES = 256, ROOM_SHARE = 64 };

/* ---- locks ---- */
int rft_cache_lock_byte(int fd, int64_t byte) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    int rc = 0;
    do {
        rc = fcntl(fd, F_OFD_SETLK, &lock);
    } while (rc != 0 && errno == EINTR);
    return rc == 0 ? 0 : errno == EACCES ? EAGAIN : errno;
}

int rft_cache_open_lock(const rft_cache_folder *folder) {
    return open(folder->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
}

/* An own description for each holder: those that parent and child share would not end with the child. */
int rft_cache_folder_lock(const rft_cache_folder *folder, const char *key) {
    char digits[16] = "";
    memcpy(digits, key, sizeof digits - 1);
    const int64_t byte = keys_begin + (int64_t)strtoull(digits, NULL, 16);
    const rft_clock *clock = rft_clock_system();
    const int64_t start_ns = clock->monotonic_ns(clock->self), wait_ns = (int64_t)(folder->wait_s * 1e9);
    int fd = folder->shared->writable ? rft_cache_open_lock(folder) : -1;
    if (fd < 0) {
        return -1;
    }
    int cause = rft_cache_lock_byte(fd, byte);
    /* Asking again and again, since only an alarm ends F_OFD_SETLKW, and signals belong to the program. */
    for (int64_t pause_ns = 1000000; cause == EAGAIN && clock->monotonic_ns(clock->self) - start_ns < wait_ns;) {
        clock->sleep_ns(clock->self, pause_ns);
        pause_ns += pause_ns < 16000000 ? pause_ns / 2 : 0;
        cause = rft_cache_lock_byte(fd, byte);
    }
    if (cause != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

void rft_cache_folder_unlock(int lock) {
    if (lock >= 0) {
        close(lock);
    }
}

/* ---- warnings ---- */
/* A full disk is met by every worker of a run; one of them says so. The lock stays with this process. */
static void warn_once(rft_cache_folder *folder, const char *what, const char *why, const char *remedy) {
    const int64_t byte = 1 + (int64_t)(folder->run_id & 0xffffffffu);
    if (atomic_exchange(&folder->shared->warned, true) ||
        (folder->run_id && folder->lock_fd >= 0 && rft_cache_lock_byte(folder->lock_fd, byte) == EAGAIN)) {
        return;
    }
    rft_log_warn(folder->log, "%s: %s; %s", what, why, remedy);
}

/* ---- opening ---- */
static bool is_room_due(const rft_cache_folder *folder, bool existed) {
    struct stat status;
    if (!existed || folder->lock_fd < 0 || fstat(folder->lock_fd, &status) != 0) {
        return true;
    }
    int64_t age_s = (int64_t)time(NULL) - (int64_t)status.st_mtim.tv_sec;
    return age_s > ROOM_PERIOD_S || age_s < -ROOM_PERIOD_S;
}

void rft_cache_folder_open(rft_cache_folder *out, const rft_compile_cache_opts *opts) {
    rft_err why = RFT_ERR_INIT;
    *out = (rft_cache_folder){.path = rft_strdup(opts->folder),
                              .lock_path = rft_fs_join(opts->folder, ".lock"),
                              .limit_bytes = opts->limit_bytes ? opts->limit_bytes : default_limit_bytes,
                              .wait_s = opts->wait_s > 0 ? opts->wait_s : default_wait_s,
                              .log = opts->log,
                              .run_id = opts->run_id,
                              .named_temporaries = opts->named_temporaries,
                              .lock_fd = -1};
    void *shared = mmap(NULL, sizeof *out->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    out->shared = shared == MAP_FAILED ? &out->own : shared;
    const bool made = rft_fs_make_folders(out->path, &why) == 0;
    const char *others = rft_fs_is_others(out->path);
    if (others) {
        out->others = true;
        rft_err_set(&why, RFT_E_IO, "%s %s, who would choose what runs on your GPU", out->path, others);
    }
    if (others || !made || rft_fs_can_write(out->path, &why) != 0) {
        if (!opts->is_told) {
            warn_once(out, "compiled kernels are not cached", why.message,
                      others ? "let RFT_CACHE name a folder of your own"
                             : "let RFT_CACHE name a folder that can be written");
        }
        return;
    }
    out->shared->writable = true;
    const bool existed = rft_fs_exists(out->lock_path);
    out->lock_fd = rft_cache_open_lock(out);
    if (is_room_due(out, existed)) {
        rft_cache_make_room(out);
    }
}

void rft_cache_folder_close(rft_cache_folder *folder) {
    if (folder->lock_fd >= 0) {
        close(folder->lock_fd);
    }
    if (folder->shared != &folder->own) {
        munmap(folder->shared, sizeof *folder->shared);
    }
    free(folder->lock_path);
    free(folder->path);
}

/* ---- entries ---- */
static char *entry_path(const rft_cache_folder *folder, const char *key) {
    rft_str name = RFT_STR_INIT;
    rft_str_addf(&name, "%s.rftc", key);
    char *path = rft_fs_join(folder->path, rft_str_get(&name));
    rft_str_clear(&name);
    return path;
}

/* Of an entry, written or read: no cubin comes near, and a file made large is not worth its seconds. */
static size_t entry_limit(const rft_cache_folder *folder) {
    return folder->limit_bytes < ENTRY_MAX ? folder->limit_bytes : ENTRY_MAX;
}

char *rft_cache_folder_read(const rft_cache_folder *folder, const char *key, size_t *size) {
    struct stat status;
    char *data = NULL, *path = entry_path(folder, key);
    /* A pipe would be waited for, and a folder is no file. */
    if (!folder->others && stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        rft_fs_read(&data, size, path, entry_limit(folder), NULL);
    }
    free(path);
    return data;
}

void rft_cache_folder_touch(const rft_cache_folder *folder, const char *key) {
    char *path = entry_path(folder, key);
    if (folder->shared->writable) {
        utimensat(AT_FDCWD, path, NULL, 0); /* failing does no harm */
    }
    free(path);
}

/* The folder may be deleted at any time: it is made anew. */
static int put_file(const rft_cache_folder *folder, const char *path, const void *data, size_t size, rft_err *err) {
    int rc = rft_fs_put(path, data, size, folder->named_temporaries, err);
    if (rc != 0 && !rft_fs_exists(folder->path) && rft_fs_make_folders(folder->path, err) == 0) {
        rc = rft_fs_put(path, data, size, folder->named_temporaries, err);
    }
    return rc;
}

static bool is_room_short(rft_cache_folder *folder, size_t size) {
    uint64_t bytes = atomic_fetch_add(&folder->shared->unchecked_bytes, size) + size;
    unsigned count = atomic_fetch_add(&folder->shared->unchecked_count, 1) + 1;
    return bytes > folder->limit_bytes / ROOM_SHARE || count >= ROOM_WRITES;
}

void rft_cache_folder_write(rft_cache_folder *folder, const char *key, const void *data, size_t size) {
    rft_err why = RFT_ERR_INIT;
    if (!folder->shared->writable || size > entry_limit(folder)) {
        return;
    }
    char *path = entry_path(folder, key);
    if (put_file(folder, path, data, size, &why) == 0) {
        if (is_room_short(folder, size)) {
            rft_cache_make_room(folder);
        }
    } else if (rft_fs_is_folder(path)) {
        warn_once(folder, "a compiled kernel is not cached", why.message, "remove that folder");
    } else {
        folder->shared->writable = false;
        warn_once(folder, "compiled kernels are no longer cached", why.message,
                  "free space or name another cache folder");
    }
    free(path);
}

/* ---- room: what was used longest ago goes ---- */

enum { KEY_SIZE = 64 };

typedef struct cached_file {
    char *name;
    int64_t used_ns;
    uint64_t bytes;
} cached_file;

typedef struct listing {
    cached_file *files;
    size_t count, capacity;
    uint64_t total_bytes;
} listing;

/* A folder named by mistake may hold valuable files: only names this cache gives are touched. */
static bool begins_as_entry(const char *name) {
    return strspn(name, "0123456789abcdef") == KEY_SIZE && rft_text_starts(name + KEY_SIZE, ".rftc");
}

static bool is_entry(const char *name) {
    return begins_as_entry(name) && rft_text_equal(name + KEY_SIZE, ".rftc");
}

static bool is_temporary(const char *name) {
    return rft_text_ends(name, ".tmp") && (begins_as_entry(name) || rft_text_starts(name, ".try."));
}

static void take_entry(listing *out, const char *name, const struct stat *status) {
    if (S_ISREG(status->st_mode)) {
        RFT_GROW(out->files, out->capacity, out->count + 1);
        out->files[out->count++] =
            (cached_file){.name = rft_strdup(name),
                          .used_ns = (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec,
                          .bytes = (uint64_t)status->st_size};
        out->total_bytes += (uint64_t)status->st_size;
    }
}

static void list_entries(listing *out, const rft_cache_folder *folder, DIR *directory) {
    const struct dirent *found;
    while ((found = readdir(directory)) != NULL) {
        struct stat status;
        if (is_temporary(found->d_name)) {
            char *path = rft_fs_join(folder->path, found->d_name);
            rft_fs_drop_temporary(path);
            free(path);
        } else if (is_entry(found->d_name) &&
                   fstatat(dirfd(directory), found->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
            take_entry(out, found->d_name, &status);
        }
    }
}

static int by_age(const void *a, const void *b) {
    const cached_file *x = a, *y = b;
    return (x->used_ns > y->used_ns) - (x->used_ns < y->used_ns);
}

static void remove_oldest(listing *in, int folder_fd, uint64_t limit_bytes) {
    if (in->total_bytes > limit_bytes) {
        qsort(in->files, in->count, sizeof *in->files, by_age);
        for (size_t i = 0; i < in->count && in->total_bytes > limit_bytes / 10 * 9; i++) {
            if (unlinkat(folder_fd, in->files[i].name, 0) == 0) {
                in->total_bytes -= in->files[i].bytes;
            }
        }
    }
}

void rft_cache_make_room(rft_cache_folder *folder) {
    listing found = {0};
    /* An own description: with one shared by parent and child the lock would outlive a child that is killed here. */
    int lock = rft_cache_open_lock(folder);
    atomic_store(&folder->shared->unchecked_bytes, 0);
    atomic_store(&folder->shared->unchecked_count, 0);
    if (lock >= 0 && rft_cache_lock_byte(lock, 0) == EAGAIN) {
        close(lock);
        return;
    }
    if (lock >= 0) {
        futimens(lock, NULL); /* before the work: a process that starts now need not wait for its end */
    }
    DIR *directory = opendir(folder->path);
    if (directory) {
        list_entries(&found, folder, directory);
        remove_oldest(&found, dirfd(directory), folder->limit_bytes);
        closedir(directory);
    }
    for (size_t i = 0; i < found.count; i++) {
        free(found.files[i].name);
    }
    free(found.files);
    if (lock >= 0) {
        close(lock);
    }
}
