/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/cache_folder.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* A folder named by mistake may hold what is dear to somebody: only names this cache gives are touched. */
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
        futimens(lock, NULL); /* before the work: who starts now need not wait for its end */
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
