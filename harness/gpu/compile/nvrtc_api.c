/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/nvrtc_api.h"

#include "base/fs.h"
#include "base/str.h"
#include "gpu/cuda_release.h"
#include "gpu/dynlib.h"

#include <stdlib.h>
#include <string.h>

static const rft_dynlib_symbol symbols[] = {
#define NVRTC_SYMBOL(name, optional) {#name, offsetof(rft_nvrtc_api, name), optional},
    RFT_NVRTC_MAP(NVRTC_SYMBOL)
#undef NVRTC_SYMBOL
};

/* ---- the library ---- */
int rft_nvrtc_open(void **handle, rft_nvrtc_api *api, const rft_nvrtc_opts *opts, rft_err *err) {
    void *opened = NULL;
    int rc = rft_cuda_library_open(&opened, api, &rft_cuda_nvrtc, symbols, sizeof symbols / sizeof *symbols,
                                   &opts->libraries, err);
    if (rc != 0) {
        return rc;
    }
    int major = 0, minor = 0;
    char version[32];
    nvrtcResult status = api->nvrtcVersion(&major, &minor);
    if (status != NVRTC_SUCCESS) {
        rc = rft_err_set(err, RFT_E_COMPILER, "NVRTC does not tell its version: %s", api->nvrtcGetErrorString(status));
    } else {
        char *path = rft_dynlib_path(opened);
        rft_text_format(version, sizeof version, "%d.%d", major, minor);
        rc = rft_cuda_library_check(&rft_cuda_nvrtc, major, version, path, err);
        free(path);
    }
    if (rc != 0) {
        rft_dynlib_close(opened);
        return RFT_E_COMPILER;
    }
    char builtins[64];
    rft_text_format(builtins, sizeof builtins, "libnvrtc-builtins.so.%d.%d", major, minor);
    rft_dynlib_bring(opened, builtins);
    *handle = opened;
    return 0;
}

/* ---- the headers ---- */
/* The major release of the headers in a folder; 0: they do not tell. */
static int headers_major(const char *folder) {
    static const char define[] = "#define CUDART_VERSION";
    char *path = rft_fs_join(folder, "cuda_runtime_api.h"), *text = NULL;
    size_t size = 0;
    const char *at = rft_fs_read(&text, &size, path, 8u << 20, NULL) == 0 ? strstr(text, define) : NULL;
    const int release = at ? atoi(at + sizeof define - 1) : 0;
    free(text);
    free(path);
    return release / 1000;
}

/* Headers of another major release use what this compiler does not have. */
static bool holds_headers(const char *folder, int major) {
    char *path = rft_fs_join(folder, "cuda_fp16.h");
    bool there = rft_fs_exists(path);
    free(path);
    const int found = there ? headers_major(folder) : 0;
    return there && (found == 0 || found == major);
}

enum { FOLDERS_MAX = 4 };

/* Makes `folder` and the CUDA C++ core libraries beside it the list, if it has the headers; returns how many. One set
 * only: headers of two releases do not mix, and a folder such as /usr/include would bring C headers NVRTC cannot read.
 */
static size_t add_if_headers(const char **folders, const char *folder, int major, rft_arena *arena) {
    if (!holds_headers(folder, major)) {
        return 0;
    }
    size_t n = 0;
    static const char *const companions[] = {"cccl", "../../cuda_cccl/include", "../../cuda_nvcc/include"};
    char *absolute = rft_fs_absolute(folder);
    folders[n++] = rft_arena_strdup(arena, absolute);
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++) {
        char *path = rft_fs_join(absolute, companions[i]);
        if (rft_fs_is_folder(path)) {
            folders[n++] = rft_arena_strdup(arena, path);
        }
        free(path);
    }
    free(absolute);
    return n;
}

size_t rft_nvrtc_include_folders(const char ***out, void *handle, int major, const rft_nvrtc_opts *opts,
                                 rft_arena *arena) {
    /* Relative to the library: toolkits (lib64, targets/.../lib) and wheels of 13; wheels of 12. */
    static const char *const beside[] = {"../include", "../../cuda_runtime/include", "../../include"};
    const size_t beside_count = sizeof beside / sizeof *beside;
    const char **folders = rft_arena_calloc(arena, FOLDERS_MAX, sizeof *folders);
    size_t n = 0;
    char *library = rft_dynlib_path(handle);
    char *library_folder = rft_fs_folder(library);
    char *built_with = rft_fs_join(rft_dynlib_build_home(), "include");
    for (size_t i = 0; i < beside_count && n == 0; i++) {
        char *path = rft_fs_join(library_folder, beside[i]);
        n = add_if_headers(folders, path, major, arena);
        free(path);
    }
    for (size_t i = 0; i < opts->include_folder_count && n == 0; i++) {
        n = opts->include_folders[i] ? add_if_headers(folders, opts->include_folders[i], major, arena) : 0;
    }
    if (n == 0) {
        n = add_if_headers(folders, built_with, major, arena);
    }
    free(built_with);
    free(library_folder);
    free(library);
    *out = folders;
    return n;
}
