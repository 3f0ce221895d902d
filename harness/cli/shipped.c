/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shipped.h"

#include "base/fs.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

size_t rft_shipped_folders(const char *program, rft_arena *arena, const char ***out) {
    const char *names[] = {"share/rooftune", "../share/rooftune", "..", ".", RFT_SOURCE_DIR};
    const size_t most = sizeof names / sizeof *names;
    const char **folders = rft_arena_calloc(arena, most + 1, sizeof *folders);
    char *beside = rft_fs_folder(program);
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        const char *folder = *names[i] == '/' ? names[i] : rft_arena_printf(arena, "%s/%s", beside, names[i]);
        if (rft_fs_is_folder(rft_arena_printf(arena, "%s/kernels", folder))) {
            folders[count++] = folder;
        }
    }
    free(beside);
    *out = folders;
    return count;
}

const char *rft_shipped_find(const char *program, const char *word, rft_arena *arena) {
    const char *prefix = rft_text_starts(word, "replay:") ? "replay:" : "";
    const char *name = word + strlen(prefix);
    if (!rft_text_starts(name, "sweeps/") || strstr(name, "..") || rft_fs_exists(name)) {
        return word;
    }
    const char **folders = NULL;
    size_t count = rft_shipped_folders(program, arena, &folders);
    for (size_t i = 0; i < count; i++) {
        char *path = rft_fs_absolute(rft_arena_printf(arena, "%s/%s", folders[i], name));
        const char *found = rft_fs_exists(path) ? rft_arena_printf(arena, "%s%s", prefix, path) : NULL;
        free(path);
        if (found) {
            return found;
        }
    }
    return word;
}
