/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/dynlib.h"

#include "base/fs.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#ifndef RFT_BUILD_CUDA_HOME
#define RFT_BUILD_CUDA_HOME ""
#endif

/* Below a folder that is named: itself, toolkits, wheels of CUDA 13 (one tree) and of 12 (a tree a library). */
static const char *const below[] = {".",
                                    "lib64",
                                    "lib",
                                    "targets/x86_64-linux/lib",
                                    "targets/sbsa-linux/lib",
                                    "extras/CUPTI/lib64",
                                    "cu13/lib",
                                    "cuda_nvrtc/lib",
                                    "cuda_cupti/lib",
                                    "cublas/lib",
                                    "nvidia/cu13/lib",
                                    "nvidia/cuda_nvrtc/lib",
                                    "nvidia/cuda_cupti/lib",
                                    "nvidia/cublas/lib"};

/* What was tried in vain, for the message; only files that exist but do not load are worth a line of their own. */
static void note_failure(rft_str *tried, const char *path) {
    const char *why = dlerror();
    if (tried->length < 1200) {
        /* The loader says of a file for another machine that there is none. */
        const bool is_foreign = why && strchr(path, '/') && rft_text_starts(why, path) && strstr(why, "No such file") &&
                                rft_fs_exists(path);
        rft_str_addf(tried, "\n  %s%s",
                     is_foreign ? path
                     : why      ? why
                                : path,
                     is_foreign ? ": not a library for this machine" : "");
    }
}

static void *open_file(const char *path, rft_str *tried) {
    /* Kept to the end of the process: NVIDIA's libraries start threads and own memory that unloading leaves behind. */
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        note_failure(tried, path);
    }
    return handle;
}

/* A file without a number may be a link to one with a number that is not asked for: /usr/local/cuda has the newest. */
static bool is_another_release(const char *path, const char *const *files) {
    char *file = realpath(path, NULL);
    const char *name = file ? rft_fs_name(file) : "";
    bool numbered = strstr(name, ".so.") != NULL, other = numbered;
    for (; *files && numbered; files++) {
        size_t length = strlen(*files);
        bool same = strncmp(name, *files, length) == 0 && (name[length] == '\0' || name[length] == '.');
        other = other && !(same && strstr(*files, ".so."));
    }
    free(file);
    return other;
}

static bool is_there(const char *path, const char *file, const char *const *files) {
    return rft_fs_exists(path) && (strstr(file, ".so.") || !is_another_release(path, files));
}

static void *open_in_folder(const char *folder, const char *file, const char *const *files, rft_str *tried) {
    void *handle = NULL;
    for (size_t i = 0; i < sizeof below / sizeof *below && !handle; i++) {
        char *place = rft_fs_join(folder, below[i]);
        char *path = rft_fs_join(place, file);
        if (is_there(path, file, files)) {
            handle = open_file(path, tried);
        }
        free(path);
        free(place);
    }
    return handle;
}

/* A file named outright counts only if it is the library asked for ("libnvrtc.so.13.0.88" for "libnvrtc.so.13"). */
static bool is_library_file(const char *path, const char *file) {
    return rft_fs_exists(path) && !rft_fs_is_folder(path) && rft_text_starts(rft_fs_name(path), file);
}

static void *open_in(const char *folder, const char *file, const char *const *files, rft_str *tried) {
    if (!folder || !*folder) {
        return NULL;
    }
    return is_library_file(folder, file) ? open_file(folder, tried) : open_in_folder(folder, file, files, tried);
}

static void *open_first(const rft_dynlib_spec *spec, rft_str *tried) {
    void *handle = NULL;
    for (size_t i = 0; i < spec->named_count && !handle; i++) {
        for (const char *const *file = spec->files; *file && !handle; file++) {
            handle = open_in(spec->folders[i], *file, spec->files, tried);
        }
    }
    for (const char *const *file = spec->files; *file && !handle; file++) {
        for (size_t i = spec->named_count; i < spec->folder_count && !handle; i++) {
            handle = open_in(spec->folders[i], *file, spec->files, tried);
        }
        handle = handle ? handle : open_file(*file, tried);
    }
    return handle;
}

static char *find_in(const char *folder, const char *file, const char *const *files) {
    if (!folder || !*folder) {
        return NULL;
    }
    char *found = is_library_file(folder, file) ? rft_fs_absolute(folder) : NULL;
    for (size_t i = 0; i < sizeof below / sizeof *below && !found; i++) {
        char *place = rft_fs_join(folder, below[i]);
        char *path = rft_fs_join(place, file);
        found = is_there(path, file, files) ? rft_fs_absolute(path) : NULL;
        free(path);
        free(place);
    }
    return found;
}

char *rft_dynlib_find_named(const rft_dynlib_spec *spec) {
    char *found = NULL;
    for (size_t i = 0; i < spec->named_count && !found; i++) {
        for (const char *const *file = spec->files; *file && !found; file++) {
            found = find_in(spec->folders[i], *file, spec->files);
        }
    }
    return found;
}

char *rft_dynlib_find(const rft_dynlib_spec *spec) {
    static const char *const usual[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                                        "/usr/lib", "/usr/local/lib"};
    char *found = rft_dynlib_find_named(spec);
    for (const char *const *file = spec->files; *file && !found; file++) {
        for (size_t i = spec->named_count; i < spec->folder_count && !found; i++) {
            found = find_in(spec->folders[i], *file, spec->files);
        }
        for (size_t i = 0; i < sizeof usual / sizeof *usual && !found; i++) {
            char *path = rft_fs_join(usual[i], *file);
            found = rft_fs_exists(path) ? rft_fs_absolute(path) : NULL;
            free(path);
        }
    }
    return found;
}

/* Function pointers cannot be cast from dlsym()'s result in ISO C; POSIX promises that their bytes are the same. */
static const char *fill_table(void *handle, void *table, const rft_dynlib_symbol *symbols, size_t count) {
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(handle, symbols[i].name);
        if (!address && !symbols[i].optional) {
            return symbols[i].name;
        }
        memcpy((char *)table + symbols[i].offset, &address, sizeof address);
    }
    return NULL;
}

int rft_dynlib_open(void **handle, void *table, const rft_dynlib_spec *spec, rft_err *err) {
    rft_str tried = RFT_STR_INIT;
    void *opened = open_first(spec, &tried);
    int rc = 0;
    if (!opened) {
        rft_err_set(err, spec->code, "%s cannot be opened:%s", spec->title, rft_str_get(&tried));
        rc = spec->code;
        rft_err_remedy(err, "%s", spec->remedy ? spec->remedy : "");
        goto done;
    }
    const char *missing = fill_table(opened, table, spec->symbols, spec->symbol_count);
    if (missing) {
        char *path = rft_dynlib_path(opened);
        rft_err_set(err, spec->code, "%s (%s) has no function %s", spec->title, path, missing);
        rc = spec->code;
        rft_err_remedy(err, "install a newer release of it");
        free(path);
        goto done;
    }
    *handle = opened;
    opened = NULL;
done:
    rft_dynlib_close(opened);
    rft_str_clear(&tried);
    return rc;
}

void rft_dynlib_close(void *handle) {
    if (handle) {
        dlclose(handle);
    }
}

/* "SITE/nvidia" of a program that lies in a Python package, "SITE/rooftune/bin/rooftune", as pip installs it: NVIDIA's
 * wheels are beside the package. Only there: above a folder of another kind anybody may have put a library. NULL: none.
 */
static const char *wheels_folder(const char *program_folder, rft_arena *arena) {
    bool is_package = rft_text_equal(rft_fs_name(program_folder), "bin") &&
                      rft_fs_exists(rft_arena_printf(arena, "%s/../__init__.py", program_folder));
    return is_package ? rft_arena_printf(arena, "%s/../../nvidia", program_folder) : NULL;
}

/* By release: cuda-9.2 before cuda-12.9. */
static int compare_toolkits(const void *a, const void *b) {
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* /usr/local/cuda is one of several, which need not be the one that fits. */
static size_t add_toolkits(const char **folders, size_t capacity, rft_arena *arena) {
    char **names = NULL;
    size_t count = 0, n = 0;
    if (rft_fs_list(&names, &count, "/usr/local", NULL, NULL) == 0 && count > 0) {
        qsort(names, count, sizeof *names, compare_toolkits);
    }
    for (size_t i = count; i-- > 0 && n < capacity;) {
        if (rft_text_starts(names[i], "cuda-")) {
            folders[n++] = rft_arena_printf(arena, "/usr/local/%s", names[i]);
        }
    }
    rft_fs_list_free(names, count);
    return n;
}

enum { TOOLKITS_MAX = 16 };

size_t rft_dynlib_folders(const char ***out, const rft_library_places *places, rft_arena *arena) {
    const size_t first_count = places ? places->count : 0;
    const char **folders = rft_arena_calloc(arena, first_count + 6 + TOOLKITS_MAX, sizeof *folders);
    size_t n = 0;
    while (n < first_count) {
        folders[n] = places->folders[n];
        n++;
    }
    char *program = rft_fs_program();
    if (program) {
        char *folder = rft_fs_folder(program);
        folders[n++] = rft_arena_strdup(arena, folder);
        folders[n++] = rft_arena_printf(arena, "%s/../lib", folder);
        const char *wheels = wheels_folder(folder, arena);
        if (wheels) {
            folders[n++] = wheels;
        }
        free(folder);
        free(program);
    }
    folders[n++] = RFT_BUILD_CUDA_HOME;
    folders[n++] = "/usr/local/cuda";
    n += add_toolkits(folders + n, TOOLKITS_MAX, arena);
    *out = folders;
    return n;
}

const char *rft_dynlib_build_home(void) {
    return RFT_BUILD_CUDA_HOME;
}

void rft_dynlib_bring(void *handle, const char *file) {
    char *path = rft_dynlib_path(handle);
    char *folder = rft_fs_folder(path);
    char *beside = rft_fs_join(folder, file);
    if (rft_fs_exists(beside)) {
        (void)dlopen(beside, RTLD_NOW | RTLD_LOCAL); /* a failure shows in the library that wanted it */
    }
    free(beside);
    free(folder);
    free(path);
}

char *rft_dynlib_path(void *handle) {
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name || !map->l_name[0]) {
        return rft_strdup("");
    }
    return rft_fs_absolute(map->l_name);
}
