/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/nvrtc_api.h"

#include "base/fs.h"
#include "base/str.h"
#include "gpu/dynlib.h"

#include <cuda.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_MAJOR (CUDA_VERSION / 1000)

static const rft_dynlib_symbol symbols[] = {
#define NVRTC_SYMBOL(name, optional) {#name, offsetof(rft_nvrtc_api, name), optional},
    RFT_NVRTC_MAP(NVRTC_SYMBOL)
#undef NVRTC_SYMBOL
};

/* ---- the library ---- */
static int refuse_version(void *handle, int major, int minor, rft_err *err) {
    char *path = rft_dynlib_path(handle);
    rft_err_set(err, RFT_E_COMPILER,
                "NVRTC %d.%d (%s) does not fit this program, which was built with CUDA %d.%d's headers", major, minor,
                path, HEADER_MAJOR, CUDA_VERSION % 1000 / 10);
    rft_err_remedy(err,
                   "install NVRTC %d (pip install nvidia-cuda-nvrtc-cu%d or nvidia-cuda-nvrtc==%d.*, or CUDA "
                   "toolkit %d), or build rooftune again with the CUDA %d headers",
                   HEADER_MAJOR, HEADER_MAJOR, HEADER_MAJOR, HEADER_MAJOR, major);
    free(path);
    return RFT_E_COMPILER;
}

int rft_nvrtc_open(void **handle, rft_nvrtc_api *api, const rft_nvrtc_opts *opts, rft_err *err) {
    /* The right one first; the others only so that the message can name what was found instead. */
#if CUDA_VERSION / 1000 == 13
    static const char *const files[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.14", "libnvrtc.so", NULL};
#elif CUDA_VERSION / 1000 == 12
    static const char *const files[] = {"libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so", NULL};
#else
    static const char *const files[] = {"libnvrtc.so", NULL};
#endif
    rft_arena *arena = rft_arena_new();
    const char **folders = NULL;
    size_t folder_count = rft_dynlib_folders(&folders, opts->library_folders, opts->library_folder_count, arena);
    const rft_dynlib_spec spec = {
        .title = "NVRTC",
        .files = files,
        .folders = folders,
        .folder_count = folder_count,
        .symbols = symbols,
        .symbol_count = sizeof symbols / sizeof *symbols,
        .code = RFT_E_COMPILER,
        .remedy = "install the CUDA toolkit, or NVIDIA's wheel (pip install nvidia-cuda-nvrtc), and name its folder in "
                  "RFT_NVRTC or CUDA_HOME",
    };
    void *opened = NULL;
    int rc = rft_dynlib_open(&opened, api, &spec, err);
    rft_arena_free(arena);
    if (rc != 0) {
        return rc;
    }
    int major = 0, minor = 0;
    nvrtcResult status = api->nvrtcVersion(&major, &minor);
    if (status != NVRTC_SUCCESS) {
        rc = rft_err_set(err, RFT_E_COMPILER, "NVRTC does not tell its version: %s", api->nvrtcGetErrorString(status));
    } else if (major != HEADER_MAJOR) {
        rc = refuse_version(opened, major, minor, err);
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
static bool holds_headers(const char *folder) {
    char *path = rft_fs_join(folder, "cuda_fp16.h");
    bool there = rft_fs_exists(path);
    free(path);
    return there;
}

enum { FOLDERS_MAX = 3 };

/* Makes `folder` and the CUDA C++ core libraries beside it the list, if it has the headers; returns how many. One set
 * only: headers of two releases do not mix, and a folder such as /usr/include would bring C headers NVRTC cannot read.
 */
static size_t add_if_headers(const char **folders, const char *folder, rft_arena *arena) {
    if (!holds_headers(folder)) {
        return 0;
    }
    size_t n = 0;
    static const char *const companions[] = {"cccl", "../../cuda_cccl/include"};
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

size_t rft_nvrtc_include_folders(const char ***out, void *handle, const rft_nvrtc_opts *opts, rft_arena *arena) {
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
        n = add_if_headers(folders, path, arena);
        free(path);
    }
    for (size_t i = 0; i < opts->include_folder_count && n == 0; i++) {
        n = opts->include_folders[i] ? add_if_headers(folders, opts->include_folders[i], arena) : 0;
    }
    if (n == 0) {
        n = add_if_headers(folders, built_with, arena);
    }
    free(built_with);
    free(library_folder);
    free(library);
    *out = folders;
    return n;
}
