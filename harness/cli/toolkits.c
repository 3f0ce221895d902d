/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/toolkits.h"

#include "base/fs.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED_MAX = 3, PYTHONS_MAX = 8, HEADERS_MAX = 6 };

/* By release: python3.9 before python3.12. */
static int compare_releases(const void *a, const void *b) {
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* `prefix`/lib/python3.N/site-packages, the newest Python's first; dist-packages where Debian's pip installs. */
static size_t add_site_packages(const char **folders, const char *prefix, rft_arena *arena) {
    static const char *const kinds[] = {"site-packages", "dist-packages"};
    const char *lib = rft_arena_printf(arena, "%s/lib", prefix);
    char **names = NULL;
    size_t count = 0, n = 0;
    if (rft_fs_list(&names, &count, lib, NULL, NULL) != 0) {
        return 0;
    }
    if (count > 0) {
        qsort(names, count, sizeof *names, compare_releases);
    }
    for (size_t i = 2 * count; i-- > 0 && n < PYTHONS_MAX;) {
        const char *site = rft_arena_printf(arena, "%s/%s/%s", lib, names[i / 2], kinds[i % 2]);
        if (rft_text_starts(names[i / 2], "python3") && rft_fs_is_folder(site)) {
            folders[n++] = site;
        }
    }
    rft_fs_list_free(names, count);
    return n;
}

rft_library_places rft_toolkits_places(const char *variable, rft_arena *arena) {
    const char *const named[NAMED_MAX] = {variable ? getenv(variable) : NULL, getenv("RFT_CUDA_ROOT"),
                                          getenv("CUDA_HOME")};
    const char *const prefixes[] = {getenv("VIRTUAL_ENV"), getenv("CONDA_PREFIX")};
    const char *home = getenv("HOME");
    const char **folders = rft_arena_calloc(arena, NAMED_MAX + 4 * PYTHONS_MAX + 2, sizeof *folders);
    rft_library_places places = {.folders = folders};
    for (size_t i = 0; i < NAMED_MAX; i++) {
        if (named[i] && *named[i]) {
            folders[places.count++] = named[i];
        }
    }
    places.named_count = places.count;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (prefixes[i] && *prefixes[i] == '/') {
            folders[places.count++] = prefixes[i];
            places.count += add_site_packages(folders + places.count, prefixes[i], arena);
        }
    }
    if (home && *home == '/') {
        places.count += add_site_packages(folders + places.count, rft_arena_printf(arena, "%s/.local", home), arena);
    }
    places.count += add_site_packages(folders + places.count, "/usr/local", arena);
    return places;
}

size_t rft_toolkits_headers(const char ***out, const char *program, rft_arena *arena) {
    char *folder = rft_fs_folder(program);
    const char *const homes[] = {folder, rft_arena_printf(arena, "%s/..", folder), getenv("RFT_CUDA_ROOT"),
                                 getenv("CUDA_HOME"), "/usr/local/cuda"};
    const char **headers = rft_arena_calloc(arena, HEADERS_MAX, sizeof *headers);
    size_t n = 0;
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        if (homes[i] && *homes[i]) {
            headers[n++] = rft_arena_printf(arena, "%s/include", homes[i]);
        }
    }
    free(folder);
    *out = headers;
    return n;
}
