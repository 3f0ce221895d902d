/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiler.h - the seam to a run-time compiler of CUDA C++. Implementations: nvrtc.c, compile_cache.c (a decorator that
 * keeps cubins on disk), and the scripted one of tests/support. No CUDA type appears here.
 */
#ifndef RFT_GPU_COMPILER_H
#define RFT_GPU_COMPILER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct rft_compile_request {
    const char *source_name;  /* as it appears in messages: base name, so that cubins do not depend on folders */
    const char *source_text;  /* NULL: read from source_path */
    const char *source_path;  /* its folder is searched for user headers; may be NULL with source_text */
    const char *const *names; /* name expressions */
    size_t name_count;
    const char *const *options; /* without architecture and include paths, which the compiler adds */
    size_t option_count;
    const char *arch; /* "sm_90a" */
} rft_compile_request;

typedef struct rft_compiled_entry {
    const char *name;                                     /* the expression asked for */
    const char *symbol;                                   /* lowered name in the cubin */
    int registers;                                        /* per thread; -1 = not known */
    int spill_store_bytes, spill_load_bytes, stack_bytes; /* -1 = not known */
    long shared_bytes;                                    /* static; -1 = not known */
    int barriers;                                         /* -1 = not known */
} rft_compiled_entry;

typedef struct rft_compile_result {
    bool ok;         /* false: `log` says why; this is data, not an rft_err */
    const char *log; /* without the ptxas -v statistics when ok; "" when empty */
    const void *cubin;
    size_t cubin_bytes;
    char cubin_hash[65];         /* SHA-256, hex */
    bool is_ptx;                 /* the driver must finish it: the device is newer than NVRTC (marked everywhere) */
    rft_compiled_entry *entries; /* one per name, in order */
    size_t entry_count;
    double seconds; /* of compiling; what it cost when it was made, when from the cache */
    bool from_cache;
} rft_compile_result;

typedef struct rft_compiler rft_compiler;
struct rft_compiler {
    /* Compiles; results live in `arena`. 0 also when the source does not compile (result.ok = false).
     * RFT_E_SOURCE: source cannot be read. RFT_E_COMPILER: NVRTC itself failed. */
    int (*compile)(rft_compiler *self, const rft_compile_request *request, rft_arena *arena, rft_compile_result *out,
                   rft_err *err);
    /* "13.0.88"-like, as precise as NVRTC tells ("13.0"). Static for the compiler's life. */
    const char *(*version)(rft_compiler *self);
    /* Does it know this architecture ("sm_90a")? */
    bool (*knows_arch)(rft_compiler *self, const char *arch);
    void (*free)(rft_compiler *self);
};

/* Opens NVRTC at run time. Looks in: RFT_NVRTC (set by cli from the environment, passed in opts), the program's own
 * folder and ../lib, the folder found at build time, CUDA_HOME, the loader's path. A major version other than the
 * headers' is refused. RFT_E_COMPILER with a remedy when there is none. */
typedef struct rft_nvrtc_opts {
    const char *const *library_folders; /* searched first, in order */
    size_t library_folder_count;
    const char *const *include_folders; /* for cuda_fp16.h and friends; folders that do not exist are left out */
    size_t include_folder_count;
} rft_nvrtc_opts;
int rft_nvrtc_new(rft_compiler **out, const rft_nvrtc_opts *opts, rft_err *err);

/* A decorator: keeps results under `folder` (created), keyed by source, the user headers it includes ("..." form,
 * recursively), options, names, compiler version and architecture; verified by hash when read; written atomically.
 * Takes ownership of `inner`. A folder that cannot be written warns once and caches nothing. */
int rft_compile_cache_new(rft_compiler **out, rft_compiler *inner, const char *folder, const rft_log *log,
                          rft_err *err);

#endif
