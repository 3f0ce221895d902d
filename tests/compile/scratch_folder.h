/* SPDX-License-Identifier: Apache-2.0 */
/* scratch_folder.h - a folder of its own for each test program, and text files in it. */
#ifndef RFT_TESTS_SCRATCH_FOLDER_H
#define RFT_TESTS_SCRATCH_FOLDER_H

#include "base/fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct scratch {
    char folder[64];
} scratch;

/* False when no folder can be made. */
static inline bool scratch_open(scratch *s) {
    strcpy(s->folder, "/tmp/rooftune-test-XXXXXX");
    return mkdtemp(s->folder) != NULL;
}

static inline void scratch_remove(const char *folder) {
    char **names = NULL;
    size_t count = 0;
    if (rft_fs_list(&names, &count, folder, NULL, NULL) == 0) {
        for (size_t i = 0; i < count; i++) {
            char *path = rft_fs_join(folder, names[i]);
            if (rft_fs_is_folder(path)) {
                scratch_remove(path);
            } else {
                rft_fs_remove(path, NULL);
            }
            free(path);
        }
        rft_fs_list_free(names, count);
    }
    rmdir(folder);
}

/* Writes FOLDER/name (folders on the way are made); returns the heap path. */
static inline char *scratch_write(const scratch *s, const char *name, const char *text) {
    char *path = rft_fs_join(s->folder, name);
    char *folder = rft_fs_folder(path);
    int rc = rft_fs_make_folders(folder, NULL);
    free(folder);
    if (rc != 0 || rft_fs_write_atomic(path, text, strlen(text), NULL) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        abort();
    }
    return path;
}

#endif
