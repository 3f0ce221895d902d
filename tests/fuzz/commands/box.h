/* SPDX-License-Identifier: Apache-2.0 */
/* box.h - the folder that a command runs in, and what it did there. */
#ifndef RFT_TESTS_FUZZ_BOX_H
#define RFT_TESTS_FUZZ_BOX_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One thing below the root, by its path from there. */
typedef struct box_entry {
    const char *path;
    char type;          /* 'f' file, 'd' folder, 'l' link, 'p' anything else */
    const char *target; /* of a link; else NULL */
    uint64_t hash;      /* of a file's content and mode, a link's target */
    char head; /* 's' an SQLite file, 'w' one with a write-ahead log, 'g' gzip, 'n' nothing or a number, '.' else */
} box_entry;

typedef struct box_list {
    box_entry *items; /* in the order of their paths; in the arena */
    size_t count, capacity;
} box_list;

/* Everything below `root`. */
box_list box_look(const char *root, rft_arena *arena);
const box_entry *box_find(const box_list *list, const char *path);

/* Copies of a folder with all it holds, and its end. */
bool box_copy(const char *from, const char *to);
void box_remove(const char *path);

#endif
