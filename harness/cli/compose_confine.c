/* SPDX-License-Identifier: Apache-2.0 */
/* compose_confine.c - the tables of what workers keep of the file system (docs/security.md). */
#include "cli/compose.h"
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

/* What the C library and NVRTC 13.0 were seen to open while they compile, and libraries that they may still load. */
static const char *const compiler_reads[] = {"/usr/lib",       "/usr/lib64",          "/lib",      "/lib64",
                                             "/etc/localtime", "/usr/share/zoneinfo", "/dev/null", "/dev/urandom"};

/* What the driver (580.159), NVML, CUPTI and cuBLASLt were seen to open on an H200 once the context is there. NVIDIA's
 * libraries may lie in /opt, in folders of LD_LIBRARY_PATH and of the variables below. */
static const char *const device_reads[] = {"/usr", "/lib", "/lib64", "/opt", "/etc", "/proc", "/sys"};
static const char *const device_writes[] = {"/dev", "/proc/self"}; /* the card's files; names of threads */
static const char *const library_variables[] = {"RFT_NVRTC", "RFT_CUBLASLT", "RFT_CUPTI", "CUDA_HOME"};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static void add_cache(rft_confinement *confinement, rft_arena *arena) {
    const char *cache = rft_compose_cache_folder(arena);
    if (cache) {
        rft_confinement_add_write(confinement, cache, arena);
    }
}

rft_confinement rft_compose_compile_confinement(const rft_roots *roots, rft_arena *arena) {
    rft_confinement confinement = {0};
    for (size_t i = 0; i < COUNT(compiler_reads); i++) {
        rft_confinement_add_read(&confinement, compiler_reads[i], arena);
    }
    for (size_t i = 0; i < roots->count; i++) {
        rft_confinement_add_read(&confinement, roots->folders[i], arena);
    }
    add_cache(&confinement, arena);
    return confinement;
}

static void add_library_path(rft_confinement *confinement, rft_arena *arena) {
    const char *at = getenv("LD_LIBRARY_PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        if (length) {
            rft_confinement_add_read(confinement, rft_arena_strndup(arena, at, length), arena);
        }
        at += length + (at[length] == ':');
    }
}

/* The driver keeps what it finished of PTX. */
static void add_driver_cache(rft_confinement *confinement, rft_arena *arena) {
    const char *own = getenv("CUDA_CACHE_PATH");
    const char *home = getenv("HOME");
    if (own && *own) {
        rft_confinement_add_write(confinement, own, arena);
    } else if (home && *home == '/') {
        rft_confinement_add_write(confinement, rft_arena_printf(arena, "%s/.nv", home), arena);
    }
}

rft_confinement rft_compose_device_confinement(rft_arena *arena) {
    rft_confinement confinement = {0};
    const char **folders = NULL;
    size_t count = rft_libraries_folders(&folders, arena);
    for (size_t i = 0; i < COUNT(device_reads); i++) {
        rft_confinement_add_read(&confinement, device_reads[i], arena);
    }
    for (size_t i = 0; i < count; i++) {
        if (*folders[i]) {
            rft_confinement_add_read(&confinement, folders[i], arena);
        }
    }
    for (size_t i = 0; i < COUNT(library_variables); i++) {
        const char *folder = getenv(library_variables[i]);
        if (folder && *folder) {
            rft_confinement_add_read(&confinement, folder, arena);
        }
    }
    add_library_path(&confinement, arena);
    for (size_t i = 0; i < COUNT(device_writes); i++) {
        rft_confinement_add_write(&confinement, device_writes[i], arena);
    }
    add_driver_cache(&confinement, arena);
    add_cache(&confinement, arena);
    return confinement;
}
