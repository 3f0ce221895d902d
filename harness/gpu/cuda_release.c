/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/cuda_release.h"

#include <stdlib.h>

const rft_cuda_library rft_cuda_nvrtc = {"NVRTC", "libnvrtc", "nvidia-cuda-nvrtc", RFT_E_COMPILER};
const rft_cuda_library rft_cuda_cupti = {"CUPTI", "libcupti", "nvidia-cuda-cupti", RFT_E_NOT_FOUND};
const rft_cuda_library rft_cuda_cublaslt = {"cuBLASLt", "libcublasLt", "nvidia-cublas", RFT_E_NOT_FOUND};

int rft_cuda_cupti_major(unsigned version) {
    return version >= 10000 ? (int)(version / 10000) : version >= 19 ? 12 : version >= 13 ? 11 : 10;
}

typedef struct driver_table {
    int (*version)(int *version);
} driver_table;

int rft_cuda_driver_release(void) {
    static const char *const files[] = {"libcuda.so.1", NULL};
    static const rft_dynlib_symbol symbol = {"cuDriverGetVersion", offsetof(driver_table, version), false};
    static const rft_dynlib_spec spec = {
        .title = "the NVIDIA driver", .files = files, .symbols = &symbol, .symbol_count = 1, .code = RFT_E_NOT_FOUND};
    driver_table table = {0};
    void *handle = NULL;
    int release = 0;
    if (rft_dynlib_open(&handle, &table, &spec, NULL) != 0) {
        return 0;
    }
    release = table.version(&release) == 0 ? release : 0;
    rft_dynlib_close(handle);
    return release;
}

/* The newest major release that a driver takes; one that is newer than all takes all. */
static int newest_major(int release) {
    return release > 0 && release / 1000 < RFT_CUDA_NEWEST ? release / 1000 : RFT_CUDA_NEWEST;
}

const char *const *rft_cuda_library_files(const rft_cuda_library *library, int release, rft_arena *arena) {
    const char **files = rft_arena_calloc(arena, RFT_CUDA_NEWEST - RFT_CUDA_OLDEST + 3, sizeof *files);
    size_t n = 0;
    for (int major = newest_major(release); major >= RFT_CUDA_OLDEST; major--) {
        files[n++] = rft_arena_printf(arena, "%s.so.%d", library->stem, major);
    }
    files[n] = rft_arena_printf(arena, "%s.so", library->stem);
    return files;
}

/* "CUDA 12.4" */
static const char *release_text(int release, rft_arena *arena) {
    return rft_arena_printf(arena, "CUDA %d.%d", release / 1000, release % 1000 / 10);
}

static const char *wheel_of(const rft_cuda_library *library, int major, rft_arena *arena) {
    return major == RFT_CUDA_NEWEST ? library->wheel : rft_arena_printf(arena, "%s-cu%d", library->wheel, major);
}

static const char *remedy(const rft_cuda_library *library, int release, rft_arena *arena) {
    const int major = newest_major(release);
    if (major < RFT_CUDA_OLDEST) {
        return RFT_CUDA_DRIVER_REMEDY;
    }
    const char *driver = major == RFT_CUDA_NEWEST ? "" : ", or update the driver (CUDA 13 needs release 580)";
    return rft_arena_printf(arena,
                            "install CUDA toolkit %d, or NVIDIA's wheel (pip install %s), and name its folder in "
                            "RFT_CUDA_ROOT%s",
                            major, wheel_of(library, major, arena), driver);
}

/* A file of a release that this driver does not take; NULL: there is none. Heap string, owned. */
static char *too_new(const rft_cuda_library *library, const rft_dynlib_spec *spec, int release, rft_arena *arena) {
    char *path = NULL;
    for (int major = newest_major(release) + 1; major <= RFT_CUDA_NEWEST && !path; major++) {
        const char *const files[] = {rft_arena_printf(arena, "%s.so.%d", library->stem, major), NULL};
        rft_dynlib_spec other = *spec;
        other.files = files;
        path = rft_dynlib_find(&other);
    }
    return path;
}

int rft_cuda_library_open(void **handle, void *table, const rft_cuda_library *library, const rft_dynlib_symbol *symbols,
                          size_t symbol_count, const rft_library_places *places, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    const int release = rft_cuda_driver_release();
    const char **folders = NULL;
    const size_t folder_count = rft_dynlib_folders(&folders, places, arena);
    const rft_dynlib_spec spec = {
        .title = library->title,
        .files = rft_cuda_library_files(library, release, arena),
        .folders = folders,
        .folder_count = folder_count,
        .named_count = places ? places->named_count : 0,
        .symbols = symbols,
        .symbol_count = symbol_count,
        .code = library->code,
        .remedy = remedy(library, release, arena),
    };
    int rc = rft_dynlib_open(handle, table, &spec, err);
    char *path = rc != 0 ? too_new(library, &spec, release, arena) : NULL;
    if (path) {
        rc = rft_err_set(err, library->code, "the driver takes %s, and only a newer %s is there: %s",
                         release_text(release, arena), library->title, path);
        rft_err_remedy(err, "%s", spec.remedy);
    }
    free(path);
    rft_arena_free(arena);
    return rc;
}

int rft_cuda_library_check(const rft_cuda_library *library, int major, const char *version, const char *path,
                           rft_err *err) {
    const int release = rft_cuda_driver_release();
    rft_arena *arena = rft_arena_new();
    int rc = 0;
    if (major > newest_major(release) && major <= RFT_CUDA_NEWEST) {
        rc = rft_err_set(err, library->code, "%s %s (%s) is newer than the driver, which takes %s", library->title,
                         version, path, release_text(release, arena));
    } else if (major < RFT_CUDA_OLDEST || major > RFT_CUDA_NEWEST) {
        rc = rft_err_set(err, library->code, "%s %s (%s): rooftune works with those of CUDA %d to %d", library->title,
                         version, path, RFT_CUDA_OLDEST, RFT_CUDA_NEWEST);
    }
    if (rc != 0) {
        rft_err_remedy(err, "%s", remedy(library, release, arena));
    }
    rft_arena_free(arena);
    return rc;
}
