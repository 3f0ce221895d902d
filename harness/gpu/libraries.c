/* SPDX-License-Identifier: Apache-2.0 */
/* What of NVIDIA's opens here, and its version: for `rooftune devices`. Needs no header of theirs. */
#include "gpu/cuda_release.h"
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

typedef struct version_table {
    int (*cuda)(int *version);
    int (*nvrtc)(int *major, int *minor);
    int (*nvml)(char *text, unsigned size);
    int (*cupti)(uint32_t *version);
    size_t (*cublaslt)(void);
} version_table;

typedef struct library_row {
    const char *key;
    const rft_cuda_library *library; /* of the toolkit; NULL: of the driver, that is: */
    const char *title, *file, *remedy;
    rft_dynlib_symbol symbol;
} library_row;

static const library_row rows[] = {
    {"cuda",
     NULL,
     "the NVIDIA driver",
     "libcuda.so.1",
     "install the NVIDIA driver and check that nvidia-smi works",
     {"cuDriverGetVersion", offsetof(version_table, cuda), false}},
    {"nvrtc", &rft_cuda_nvrtc, NULL, NULL, NULL, {"nvrtcVersion", offsetof(version_table, nvrtc), false}},
    {"nvml",
     NULL,
     "NVML",
     "libnvidia-ml.so.1",
     "it comes with the NVIDIA driver; a container must be given it",
     {"nvmlSystemGetNVMLVersion", offsetof(version_table, nvml), false}},
    {"cupti", &rft_cuda_cupti, NULL, NULL, NULL, {"cuptiGetVersion", offsetof(version_table, cupti), false}},
    {"cublaslt",
     &rft_cuda_cublaslt,
     NULL,
     NULL,
     NULL,
     {"cublasLtGetVersion", offsetof(version_table, cublaslt), false}},
};

/* "13.0" and its major number (0 = not told). */
static const char *read_version(const version_table *table, const char *key, int *major, rft_arena *arena) {
    char text[80] = "";
    int minor = 0, packed = 0;
    uint32_t api = 0;
    *major = 0;
    if (strcmp(key, "cuda") == 0 && table->cuda(&packed) == 0) {
        return rft_arena_printf(arena, "supports CUDA %d.%d", packed / 1000, packed % 1000 / 10);
    }
    if (strcmp(key, "nvrtc") == 0 && table->nvrtc(major, &minor) == 0) {
        return rft_arena_printf(arena, "%d.%d", *major, minor);
    }
    if (strcmp(key, "nvml") == 0 && table->nvml(text, sizeof text) == 0) {
        return rft_arena_strdup(arena, text);
    }
    if (strcmp(key, "cupti") == 0 && table->cupti(&api) == 0) {
        *major = rft_cuda_cupti_major(api);
        return rft_arena_printf(arena, "API %u", (unsigned)api);
    }
    if (strcmp(key, "cublaslt") == 0) {
        size_t version = table->cublaslt();
        *major = (int)(version / 10000);
        return rft_arena_printf(arena, "%zu.%zu.%zu", version / 10000, version / 100 % 100, version % 100);
    }
    return "version not told";
}

static const char *one_line(const rft_err *err, rft_arena *arena) {
    char *text = err->remedy[0] ? rft_arena_printf(arena, "%s; %s", err->message, err->remedy)
                                : rft_arena_strdup(arena, err->message);
    for (char *p = text; *p; p++) {
        *p = *p == '\n' ? ' ' : *p;
    }
    return text;
}

static int open_row(void **handle, version_table *table, const library_row *row, const rft_library_places *places,
                    rft_err *err) {
    if (row->library) {
        return rft_cuda_library_open(handle, table, row->library, &row->symbol, 1, places, err);
    }
    const char *const files[] = {row->file, NULL};
    const rft_dynlib_spec spec = {.title = row->title,
                                  .files = files,
                                  .symbols = &row->symbol,
                                  .symbol_count = 1,
                                  .code = RFT_E_NOT_FOUND,
                                  .remedy = row->remedy};
    return rft_dynlib_open(handle, table, &spec, err);
}

static void describe_library(const library_row *row, const rft_library_places *places, rft_env *env, rft_arena *arena) {
    rft_err err = RFT_ERR_INIT;
    version_table table = {0};
    void *handle = NULL;
    if (open_row(&handle, &table, row, places, &err) != 0) {
        rft_env_set(env, arena, row->key, NULL, one_line(&err, arena));
        return;
    }
    int major = 0;
    char *path = rft_dynlib_path(handle);
    const char *version = read_version(&table, row->key, &major, arena);
    if (row->library && major > 0 && rft_cuda_library_check(row->library, major, version, path, &err) != 0) {
        rft_env_set(env, arena, row->key, NULL, one_line(&err, arena));
    } else {
        rft_env_set(env, arena, row->key, rft_arena_printf(arena, "%s, %s", version, path), NULL);
    }
    free(path);
    rft_dynlib_close(handle);
}

void rft_libraries_describe(rft_env *env, const char *key, const rft_library_places *places, rft_arena *arena) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!key || strcmp(key, rows[i].key) == 0) {
            describe_library(&rows[i], places, env, arena);
        }
    }
}

const char *rft_libraries_unfit(const char *folder, rft_arena *arena) {
    const int release = rft_cuda_driver_release();
    bool any = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].library) {
            continue;
        }
        const rft_dynlib_spec spec = {
            .files = rft_cuda_library_files(rows[i].library, release, arena), .folders = &folder, .named_count = 1};
        char *path = rft_dynlib_find_named(&spec);
        const char *const file[] = {path, NULL};
        const rft_dynlib_spec alone = {.title = rows[i].library->title, .files = file, .code = RFT_E_NOT_FOUND};
        rft_err err = RFT_ERR_INIT;
        void *handle = NULL;
        const int rc = path ? rft_dynlib_open(&handle, NULL, &alone, &err) : RFT_OK;
        any = any || path;
        rft_dynlib_close(handle);
        free(path);
        if (rc != RFT_OK) {
            return one_line(&err, arena);
        }
    }
    return any ? NULL
               : rft_arena_printf(arena, "in %s is neither NVRTC, CUPTI nor cuBLASLt%s", folder,
                                  release ? " of a release that the driver takes" : "");
}

/* "13.1.0.3" of "libcublasLt.so.13.1.0.3". */
static const char *version_of_name(const char *path) {
    const char *so = strstr(path, ".so.");
    return so && so[4] ? so + 4 : "a version its name does not tell";
}

void rft_libraries_versions(rft_env *env, const rft_library_places *places, rft_arena *arena) {
    const char **all = NULL;
    const size_t count = rft_dynlib_folders(&all, places, arena);
    const int release = rft_cuda_driver_release();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rft_cuda_library *library = rows[i].library;
        if (!library || library == &rft_cuda_nvrtc) {
            continue;
        }
        const rft_dynlib_spec spec = {.files = rft_cuda_library_files(library, release, arena),
                                      .folders = all,
                                      .folder_count = count,
                                      .named_count = places ? places->named_count : 0};
        char *path = rft_dynlib_find(&spec);
        rft_env_set(env, arena, rft_arena_printf(arena, "%s.version", rows[i].key),
                    path ? rft_arena_printf(arena, "%s, %s", version_of_name(path), path) : NULL,
                    path ? NULL : rft_arena_printf(arena, "%s is not where it is looked for", library->title));
        free(path);
    }
}

size_t rft_libraries_folders(const char ***out, rft_arena *arena) {
    return rft_dynlib_folders(out, NULL, arena);
}
