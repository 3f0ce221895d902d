/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/box.h"

#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static box_entry entry_of(const char *full, const char *path, rft_arena *arena) {
    box_entry entry = {.path = rft_arena_strdup(arena, path), .type = 'p', .head = '.'};
    struct stat info;
    char target[4096];
    if (lstat(full, &info) != 0) {
        return entry;
    }
    if (S_ISDIR(info.st_mode)) {
        entry.type = 'd';
    } else if (S_ISLNK(info.st_mode)) {
        entry.type = 'l';
        ssize_t length = readlink(full, target, sizeof target);
        entry.target = rft_arena_strndup(arena, target, length > 0 ? (size_t)length : 0);
        entry.hash = rft_hash_fnv1a(entry.target, strlen(entry.target));
    } else if (S_ISREG(info.st_mode)) {
        char *data = NULL;
        size_t size = 0;
        entry.type = 'f';
        if (rft_fs_read(&data, &size, full, 0, NULL) == RFT_OK) {
            entry.hash = rft_hash_fnv1a(data, size) ^ (uint64_t)info.st_mode;
            entry.head = strspn(data, "0123456789\n") == size ? 'n' : entry.head;
            entry.head = size > 15 && memcmp(data, "SQLite format 3", 15) == 0 ? 's' : entry.head;
            entry.head = entry.head == 's' && size > 19 && (data[18] == 2 || data[19] == 2) ? 'w' : entry.head;
            entry.head = size > 1 && memcmp(data, "\x1f\x8b", 2) == 0 ? 'g' : entry.head;
        }
        free(data);
    }
    return entry;
}

static void look_into(box_list *list, const char *root, const char *below, rft_arena *arena) {
    char **names = NULL;
    size_t count = 0;
    char *folder = rft_fs_join(root, below);
    if (rft_fs_list(&names, &count, *below ? folder : root, NULL, NULL) != RFT_OK) {
        count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        char *path = *below ? rft_fs_join(below, names[i]) : rft_strdup(names[i]);
        char *full = rft_fs_join(root, path);
        if (list->count == list->capacity) {
            list->capacity = list->capacity ? 2 * list->capacity : 16;
            list->items = rft_realloc(list->items, list->capacity, sizeof *list->items);
        }
        list->items[list->count] = entry_of(full, path, arena);
        if (list->items[list->count++].type == 'd') {
            look_into(list, root, path, arena);
        }
        free(full);
        free(path);
    }
    rft_fs_list_free(names, count);
    free(folder);
}

box_list box_look(const char *root, rft_arena *arena) {
    box_list list = {0};
    look_into(&list, root, "", arena);
    if (list.items) {
        rft_arena_on_free(arena, free, list.items);
    }
    return list;
}

const box_entry *box_find(const box_list *list, const char *path) {
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].path, path) == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

static bool copy_one(const char *from, const char *to, char type) {
    char target[4096];
    if (type == 'd') {
        return mkdir(to, 0777) == 0;
    }
    if (type == 'l') {
        ssize_t length = readlink(from, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        return length > 0 && symlink(target, to) == 0;
    }
    if (type == 'p') {
        return mkfifo(to, 0666) == 0;
    }
    char *data = NULL;
    size_t size = 0;
    bool done = rft_fs_read(&data, &size, from, 0, NULL) == RFT_OK && rft_fs_put(to, data, size, true, NULL) == RFT_OK;
    free(data);
    return done;
}

bool box_copy(const char *from, const char *to) {
    rft_arena *arena = rft_arena_new();
    box_list list = box_look(from, arena);
    bool done = rft_fs_make_folders(to, NULL) == RFT_OK;
    for (size_t i = 0; i < list.count; i++) { /* a folder stands before what is in it */
        char *source = rft_fs_join(from, list.items[i].path), *target = rft_fs_join(to, list.items[i].path);
        done = copy_one(source, target, list.items[i].type) && done;
        free(source);
        free(target);
    }
    rft_arena_free(arena);
    return done;
}

void box_remove(const char *path) {
    rft_arena *arena = rft_arena_new();
    box_list list = box_look(path, arena);
    for (size_t i = list.count; i-- > 0;) {
        char *full = rft_fs_join(path, list.items[i].path);
        if (list.items[i].type == 'd') {
            (void)rmdir(full);
        } else {
            (void)unlink(full);
        }
        free(full);
    }
    (void)rmdir(path);
    rft_arena_free(arena);
}
