/* SPDX-License-Identifier: Apache-2.0 */
#include "base/roots.h"

#include "base/fs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_below(const char *folder, const char *path) {
    size_t length = strlen(folder);
    return strcmp(folder, "/") == 0 ||
           (strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0'));
}

void rft_roots_add(rft_roots *roots, const char *folder, rft_arena *arena) {
    char *real = realpath(folder, NULL);
    bool known = !real;
    for (size_t i = 0; i < roots->count && !known; i++) {
        known = strcmp(roots->folders[i], real) == 0;
    }
    if (!known) {
        roots->folders = rft_arena_grown(arena, roots->folders, roots->count, &roots->capacity, sizeof *roots->folders);
        roots->folders[roots->count++] = rft_arena_strdup(arena, real);
    }
    free(real);
}

static void add_kernels_upwards(rft_roots *roots, const char *folder, rft_arena *arena) {
    char *at = rft_fs_absolute(folder);
    for (bool top = false; !top;) {
        char *kernels = rft_fs_join(at, "kernels");
        rft_roots_add(roots, kernels, arena);
        free(kernels);
        top = strcmp(at, "/") == 0 || strcmp(at, ".") == 0;
        char *parent = rft_fs_folder(at);
        free(at);
        at = parent;
    }
    free(at);
}

void rft_roots_add_tree(rft_roots *roots, const char *sweep, rft_arena *arena) {
    char *real = rft_fs_absolute(sweep);
    char *folders[] = {rft_fs_folder(sweep), rft_fs_folder(real)};
    for (size_t i = 0; i < 2; i++) {
        rft_roots_add(roots, folders[i], arena);
        add_kernels_upwards(roots, folders[i], arena);
        free(folders[i]);
    }
    free(real);
}

/* Of what does not exist, the longest part that does, with the rest behind it as written. Heap string. */
static char *resolve(const char *path) {
    char *real = realpath(path, NULL);
    if (real) {
        return real;
    }
    char *absolute = rft_fs_absolute(path);
    char *folder = rft_fs_folder(absolute);
    if (strcmp(folder, absolute) == 0 || strcmp(folder, ".") == 0) {
        free(folder);
        return absolute;
    }
    char *above = resolve(folder);
    char *joined = rft_fs_join(above, rft_fs_name(absolute));
    free(above);
    free(folder);
    free(absolute);
    return joined;
}

static bool holds(const rft_roots *roots, const char *real) {
    bool held = false;
    for (size_t i = 0; i < roots->count && !held; i++) {
        held = is_below(roots->folders[i], real);
    }
    return held;
}

int rft_roots_check(const rft_roots *roots, const char *path, rft_err *err) {
    if (!roots) {
        return 0;
    }
    char *real = resolve(path);
    int rc = 0;
    if (!holds(roots, real)) {
        char *folder = rft_fs_is_folder(real) ? rft_strdup(real) : rft_fs_folder(real);
        bool same = strcmp(path, real) == 0;
        rc = rft_err_set(err, RFT_E_SCRIPT, "%.300s%s%.300s%s is outside of what a sweep may read", path,
                         same ? "" : " (", same ? "" : real, same ? "" : ")");
        rft_err_remedy(err,
                       "a sweep reads its own folder, folders named kernels beside and above it, rooftune's own "
                       "kernels and CUDA's headers; --allow-path %.200s adds one",
                       folder);
        free(folder);
    }
    free(real);
    return rc;
}
