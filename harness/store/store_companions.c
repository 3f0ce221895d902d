/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_companions.c - what SQLite keeps beside a run while it is written: FILE-wal, FILE-shm, FILE-journal. It takes,
 * empties and deletes whatever has such a name, and a journal may name one more file to delete. So each is looked at
 * before SQLite sees it.
 */
#include "store/store_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_SUFFIX "-lock" /* store_lock.c */

enum { HEAD = 8 };

typedef struct companion {
    const char *suffix;
    const char *what;
    bool (*fits)(const unsigned char *head, size_t size);
} companion;

static bool is_zero(const unsigned char *head, size_t size) {
    static const unsigned char zeros[HEAD];
    return memcmp(head, zeros, size) == 0;
}

/* Its last bit says in which order the sums were made. */
static bool is_wal(const unsigned char *head, size_t size) {
    static const unsigned char magic[] = {0x37, 0x7f, 0x06, 0x82};
    return size < sizeof magic ? memcmp(head, magic, size) == 0
                               : memcmp(head, magic, 3) == 0 && (head[3] & 0xfe) == magic[3];
}

/* Zeros until it is used. SQLite cuts one that was left to its first three bytes. */
static bool is_shm(const unsigned char *head, size_t size) {
    static const uint32_t version = 3007000; /* the format's, in the machine's own order */
    size = size < sizeof version ? size : sizeof version;
    return is_zero(head, size) || memcmp(head, &version, size) == 0;
}

static const unsigned char journal_magic[HEAD] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

static bool is_journal(const unsigned char *head, size_t size) {
    return memcmp(head, journal_magic, size) == 0 || is_zero(head, size);
}

static const companion companions[] = {
    {"-wal", "write-ahead log", is_wal}, {"-shm", "shared index", is_shm}, {"-journal", "journal", is_journal}};
enum { COMPANIONS = sizeof companions / sizeof *companions };

static char *name_of(const rft_store *store, const char *suffix) {
    rft_str name = RFT_STR_INIT;
    rft_str_addf(&name, "%s%s", store->real, suffix);
    return rft_str_take(&name);
}

/* Why this is no companion; NULL: it is one, or there is none. */
static const char *foreign_thing(const companion *c, const char *path) {
    unsigned char head[HEAD] = {0}, tail[HEAD] = {0};
    struct stat info;
    if (lstat(path, &info) != 0) {
        return NULL;
    }
    if (!S_ISREG(info.st_mode)) {
        return S_ISLNK(info.st_mode) ? "a symbolic link" : "no regular file";
    }
    if (info.st_nlink > 1) {
        return "a file with several names";
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        return NULL; /* SQLite says why */
    }
    ssize_t got = pread(fd, head, sizeof head, 0);
    ssize_t end = info.st_size > HEAD ? pread(fd, tail, sizeof tail, info.st_size - HEAD) : 0;
    close(fd);
    if (got > 0 && !c->fits(head, (size_t)got)) {
        return "a file with something else in it";
    }
    /* What ends like this has the name of another journal before it, which SQLite deletes when it is done. */
    bool names_another = c->fits == is_journal && end == HEAD && memcmp(tail, journal_magic, HEAD) == 0;
    return names_another ? "a journal that names another file" : NULL;
}

int rft_store_check_companions(const rft_store *store, rft_err *err) {
    for (size_t i = 0; i < COMPANIONS; i++) {
        char *path = name_of(store, companions[i].suffix);
        const char *why = foreign_thing(&companions[i], path);
        free(path);
        if (why) {
            rft_err_set(err, RFT_E_STORE, "%s%s is %s, not the %s of a run", store->path, companions[i].suffix, why,
                        companions[i].what);
            return rft_err_remedy(err, "move it away: as it is named it would be used, changed and deleted with %s",
                                  store->path);
        }
    }
    return 0;
}

int64_t rft_store_companion_bytes(const rft_store *store, const char *suffix) {
    struct stat info;
    char *path = name_of(store, suffix);
    bool there = lstat(path, &info) == 0;
    free(path);
    return there ? (int64_t)info.st_size : -1;
}

bool rft_store_has_companions(const rft_store *store) {
    bool any = rft_store_companion_bytes(store, LOCK_SUFFIX) >= 0;
    for (size_t i = 0; i < COMPANIONS && !any; i++) {
        any = rft_store_companion_bytes(store, companions[i].suffix) >= 0;
    }
    return any;
}

bool rft_store_index_is_idle(const rft_store *store) {
    /* Every connection of SQLite holds a lock on this byte as long as it uses the index (os_unix.c, UNIX_SHM_DMS). */
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 128, .l_len = 1};
    char *path = name_of(store, "-shm");
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    free(path);
    bool idle = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
    if (fd >= 0) {
        close(fd);
    }
    return idle;
}

void rft_store_remove_index(const rft_store *store) {
    char *path = name_of(store, "-shm");
    unlink(path);
    free(path);
}

int rft_store_remove_files(const rft_store *store) {
    int cause = 0;
    for (size_t i = 0; i <= COMPANIONS && !cause; i++) {
        char *path = name_of(store, i == 0 ? "" : companions[i - 1].suffix);
        cause = unlink(path) == 0 || errno == ENOENT ? 0 : errno;
        free(path);
    }
    return cause;
}

size_t rft_store_companion_of(const char *path) {
    for (size_t i = 0; i <= COMPANIONS; i++) {
        const char *suffix = i < COMPANIONS ? companions[i].suffix : LOCK_SUFFIX;
        if (rft_text_ends(path, suffix)) {
            return strlen(path) - strlen(suffix);
        }
    }
    return 0;
}
