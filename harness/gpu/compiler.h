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
#include "base/roots.h"
#include "gpu/library_places.h"
#include "model/sweep/constants.h"
#include "model/sweep/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rft_compile_request {
    const char *source_name;  /* as it appears in messages: base name, so that cubins do not depend on folders */
    const char *source_text;  /* NULL: read from source_path */
    const char *source_path;  /* its folder is searched for user headers; may be NULL with source_text */
    const char *const *names; /* name expressions */
    size_t name_count;
    const char *const *options; /* without architecture and include paths, which the compiler adds */
    size_t option_count;
    const char *arch;       /* "sm_90a"; "compute_90a" asks for PTX */
    const rft_roots *roots; /* what may be read besides the toolkit; NULL: anything. Borrowed */
} rft_compile_request;

/* What is asked for a unit of a point. Borrows everything from `unit` and `arch`. */
rft_compile_request rft_compile_request_of(const rft_unit_spec *unit, const char *arch);

/* A CUDA source, or a header of the user's that it reaches, and the SHA-256 of its contents. */
typedef struct rft_source_hash {
    const char *name; /* the source's base name; a header as it is written in the #include */
    char hex[65];
} rft_source_hash;
/* Of the file at `path` first, then of its headers in the order first met. Array in `arena`. RFT_E_SOURCE: it cannot be
 * read. RFT_E_SCRIPT: one is outside of `roots` (NULL: anything may be read). */
int rft_source_hashes(rft_source_hash **out, size_t *count, const char *path, const rft_roots *roots, rft_arena *arena,
                      rft_err *err);

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
    /* SHA-256, hex, of what the cubin does: all its sections but debug lines and the note of ptxas's command line
     * (cubin_hash.h has the definition). Equal for equal code wherever, whenever and with whatever -lineinfo it was
     * made; not comparable between releases of NVRTC, whose code differs. */
    char cubin_hash[65];
    bool is_ptx;                 /* the driver must finish it: the device is newer than NVRTC, or it is a given one */
    rft_compiled_entry *entries; /* one per name, in order */
    size_t entry_count;
    double seconds; /* of compiling; what it cost when it was made, when from the cache */
    bool from_cache;
} rft_compile_result;

/* The sizes in bytes of the parameters of the kernel `symbol`, in their order, as the cubin or PTX tells them; their
 * number. 0: it takes none, more than `capacity`, or the code does not tell. */
size_t rft_cubin_params(const void *cubin, size_t bytes, const char *symbol, uint32_t *sizes, size_t capacity);

/* The __constant__ and __device__ variables of compiled code, a cubin or PTX, in `arena`; their number. */
size_t rft_code_variables(const void *code, size_t bytes, rft_variable **out, rft_arena *arena);

/* SHA-256, hex, of the sections that cubin_hash is of, less the kernels' names in them: equal where two template
 * instances, or two macros' values, give the same code. False: it cannot be told (PTX). */
bool rft_cubin_code_hash(const void *cubin, size_t bytes, char out[65]);

/* What a kernel asks of its launches, as its code (a cubin or PTX) tells it; 0: nothing. */
typedef struct rft_kernel_needs {
    uint32_t block[3];    /* threads: these and no others */
    uint64_t threads_max; /* of a block */
    uint32_t cluster[3];  /* blocks: these, or none named in the launch */
    bool shared;          /* shared memory, of static or dynamic size; known of a cubin's only kernel: an extern array
                           * is every kernel's that is compiled with it */
} rft_kernel_needs;
rft_kernel_needs rft_cubin_needs(const void *cubin, size_t bytes, const char *symbol);

/* What a given binary (rft_source_is_given()) says it is: "machine code for sm_90a, by ptxas 13.0.88", "PTX 9.0 for
 * sm_90a". In `arena`. */
const char *rft_given_describe(const void *code, size_t bytes, rft_arena *arena);

/* What stands for std::NAME, which is of the host's C++ library, where NVRTC compiles. In `arena`. */
const char *rft_host_library_words(const char *name, rft_arena *arena);

/* Does the log of a failed compile say that the source has no kernel of the entry's name? So would it say of every
 * configuration. */
bool rft_log_lacks_kernel(const char *log);

typedef struct rft_compiler rft_compiler;
struct rft_compiler {
    /* Compiles; results live in `arena`. 0 also when the source does not compile (result.ok = false). A given binary
     * (rft_source_is_given()) is looked at in its place: PTX is finished by nvJitLink where that lies beside NVRTC.
     * RFT_E_SOURCE: source cannot be read. RFT_E_SCRIPT: an option is not allowed (model/sweep/compile_option.h), or a
     * path is outside of the request's roots. RFT_E_COMPILER: NVRTC itself failed. */
    int (*compile)(rft_compiler *self, const rft_compile_request *request, rft_arena *arena, rft_compile_result *out,
                   rft_err *err);
    /* "13.0.88": the release of ptxas inside, read from a cubin; "13.0" where it does not say. Lives as long as self.
     */
    const char *(*version)(rft_compiler *self);
    /* Does it know this architecture ("sm_90a")? */
    bool (*knows_arch)(rft_compiler *self, const char *arch);
    /* The folders of its own that it reads while it compiles: its library's, the toolkit's headers. They live as long
     * as self. NULL: it has none. */
    size_t (*folders)(rft_compiler *self, const char *const **out);
    void (*free)(rft_compiler *self);
};

/* Does it know any architecture older than this one, so that its PTX can be finished for it? */
bool rft_compiler_knows_below(rft_compiler *compiler, const char *arch);

/* Opens the newest NVRTC that the driver takes, of CUDA 12 or 13 (any, without a driver), at run time.
 * RFT_E_COMPILER with a remedy when there is none. `opts` may be NULL.
 *
 * What it adds to every request: the architecture, --ptxas-options=-v (read, then taken out of the log),
 * -default-device,
 * --std=c++17 unless the options name another, --no-cache, the source's folder and the headers' folders with -I. User
 * headers go in by memory under the name they are included by, so that messages, assert() and the cubin hold no folder.
 * A device newer than NVRTC gets PTX of the newest architecture below it (is_ptx), an older one RFT_E_COMPILER.
 * Several threads may compile with one object. */
typedef struct rft_nvrtc_opts {
    rft_library_places libraries;
    /* Where cuda_fp16.h and friends may be when they are not beside the library; the first that has those of its major
     * release is used, with its "cccl", then the toolkit found at build time. */
    const char *const *include_folders;
    size_t include_folder_count;
} rft_nvrtc_opts;
int rft_nvrtc_new(rft_compiler **out, const rft_nvrtc_opts *opts, rft_err *err);

typedef struct rft_compile_cache_opts {
    const char *folder;     /* made when it is not there */
    uint64_t limit_bytes;   /* of all entries together; 0: 1 GiB */
    const rft_log *log;     /* must outlive the object; NULL says nothing */
    uint64_t run_id;        /* the same in all processes of a run: of them only one warns; 0: a process for itself */
    bool is_told;           /* another process of the run warns when the folder cannot be written at all */
    double wait_s;          /* the longest wait for another process that compiles the same; 0: 5 s */
    bool named_temporaries; /* write as on file systems without nameless files; for tests */
} rft_compile_cache_opts;

/* A decorator (`inner` NULL: it only looks at the folder and warns): keeps results under a folder, keyed by source, the
 * user headers it includes ("..." form, recursively), options, names, compiler version and architecture; verified by
 * hash when read; whole or absent whenever the process is killed. Takes ownership of `inner`. Not kept: failures, and
 * sources that include a header by a macro's name or by an option. A folder that cannot be written warns once and
 * caches nothing.
 *
 * Several processes may share a folder, and an object may be used by a process and the children it forks. What two want
 * at once is compiled by one of them, if that takes less than wait_s. The entries unused longest are removed when the
 * folder is above its limit: looked for every ten minutes by one of the processes that start, and by those that write.
 */
rft_compiler *rft_compile_cache_new(rft_compiler *inner, const rft_compile_cache_opts *opts);

#endif
