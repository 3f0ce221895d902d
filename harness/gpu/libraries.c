/* SPDX-License-Identifier: Apache-2.0 */
/* What of NVIDIA's opens here, and its version: for `rooftune devices`. Needs no header of theirs. */
#include "gpu/dynlib.h"
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<cuda.h>)
#include <cuda.h>
#endif
#endif
#ifdef CUDA_VERSION
enum { HEADER_MAJOR = CUDA_VERSION / 1000 };
#else
enum { HEADER_MAJOR = 0 }; /* built without them: any will do */
#endif

typedef struct version_table {
    int (*cuda)(int *version);
    int (*nvrtc)(int *major, int *minor);
    int (*nvml)(char *text, unsigned size);
    int (*cupti)(uint32_t *version);
    size_t (*cublaslt)(void);
} version_table;

typedef struct library_row {
    const char *key, *title;
    const char *files[4];
    rft_dynlib_symbol symbol;
    const char *remedy;
    bool versioned; /* its major version is the toolkit's, and must be the headers' */
} library_row;

static const library_row rows[] = {
    {"cuda",
     "the NVIDIA driver",
     {"libcuda.so.1"},
     {"cuDriverGetVersion", offsetof(version_table, cuda), false},
     "install the NVIDIA driver and check that nvidia-smi works",
     false},
    {"nvrtc",
     "NVRTC",
     {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"},
     {"nvrtcVersion", offsetof(version_table, nvrtc), false},
     "install the CUDA toolkit or the wheel nvidia-cuda-nvrtc, and name its folder in RFT_NVRTC or CUDA_HOME",
     true},
    {"nvml",
     "NVML",
     {"libnvidia-ml.so.1"},
     {"nvmlSystemGetNVMLVersion", offsetof(version_table, nvml), false},
     "it comes with the NVIDIA driver; a container must be given it",
     false},
    {"cupti",
     "CUPTI",
     {"libcupti.so.13", "libcupti.so.12", "libcupti.so"},
     {"cuptiGetVersion", offsetof(version_table, cupti), false},
     "install the CUDA toolkit's extras/CUPTI or the wheel nvidia-cuda-cupti",
     true},
    {"cublaslt",
     "cuBLASLt",
     {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"},
     {"cublasLtGetVersion", offsetof(version_table, cublaslt), false},
     "install the CUDA toolkit or the wheel nvidia-cublas",
     true},
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
        *major = api >= 10000 ? (int)(api / 10000) : api >= 19 ? 12 : 11; /* 130000 since 13.0; before, a count */
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

static void describe_library(const library_row *row, const rft_dynlib_spec *spec, rft_env *env, rft_arena *arena) {
    rft_err err = RFT_ERR_INIT;
    version_table table = {0};
    void *handle = NULL;
    if (rft_dynlib_open(&handle, &table, spec, &err) != 0) {
        rft_env_set(env, arena, row->key, NULL, one_line(&err, arena));
        return;
    }
    int major = 0;
    char *path = rft_dynlib_path(handle);
    const char *version = read_version(&table, row->key, &major, arena);
    const char *text = rft_arena_printf(arena, "%s, %s", version, path);
    if (row->versioned && HEADER_MAJOR > 0 && major > 0 && major != HEADER_MAJOR) {
        rft_env_set(env, arena, row->key, NULL,
                    rft_arena_printf(arena,
                                     "%s: this program was built with the headers of CUDA %d; install that "
                                     "major version, or build with these headers",
                                     text, HEADER_MAJOR));
    } else {
        rft_env_set(env, arena, row->key, text, NULL);
    }
    free(path);
    rft_dynlib_close(handle);
}

void rft_libraries_describe(rft_env *env, rft_arena *arena) {
    const char **folders = NULL;
    size_t folder_count = rft_dynlib_folders(&folders, NULL, 0, arena);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *files[5] = {0};
        size_t n = 0;
        /* The headers' own major version first. */
        for (size_t pass = 0; pass < 2; pass++) {
            for (size_t k = 0; k < 4 && rows[i].files[k]; k++) {
                const char *dot = strrchr(rows[i].files[k], '.');
                bool fits = !rows[i].versioned || HEADER_MAJOR == 0 || atoi(dot + 1) == HEADER_MAJOR;
                if (fits == (pass == 0)) {
                    files[n++] = rows[i].files[k];
                }
            }
        }
        const rft_dynlib_spec spec = {
            .title = rows[i].title,
            .files = files,
            .folders = folders,
            .folder_count = rows[i].versioned ? folder_count : 0,
            .symbols = &rows[i].symbol,
            .symbol_count = 1,
            .code = RFT_E_NOT_FOUND,
            .remedy = rows[i].remedy,
        };
        describe_library(&rows[i], &spec, env, arena);
    }
}

/* "13.1.0.3" of "libcublasLt.so.13.1.0.3". */
static const char *version_of_name(const char *path) {
    const char *so = strstr(path, ".so.");
    return so && so[4] ? so + 4 : "a version its name does not tell";
}

void rft_libraries_versions(rft_env *env, const char *const *folders, size_t folder_count, rft_arena *arena) {
    const char **all = NULL;
    size_t count = rft_dynlib_folders(&all, folders, folder_count, arena);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].key, "cupti") != 0 && strcmp(rows[i].key, "cublaslt") != 0) {
            continue;
        }
        const rft_dynlib_spec spec = {.files = rows[i].files, .folders = all, .folder_count = count};
        char *path = rft_dynlib_find(&spec);
        rft_env_set(env, arena, rft_arena_printf(arena, "%s.version", rows[i].key),
                    path ? rft_arena_printf(arena, "%s, %s", version_of_name(path), path) : NULL,
                    path ? NULL : rft_arena_printf(arena, "%s is not where it is looked for", rows[i].title));
        free(path);
    }
}

size_t rft_libraries_folders(const char ***out, rft_arena *arena) {
    return rft_dynlib_folders(out, NULL, 0, arena);
}
