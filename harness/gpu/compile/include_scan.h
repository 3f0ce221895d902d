/* SPDX-License-Identifier: Apache-2.0 */
/*
 * include_scan.h - the user's own headers of a CUDA source, found by reading its #include lines.
 *
 * Two need them: the compile cache (a changed header is another key) and NVRTC, which gets them in memory so that no
 * folder's name reaches messages, assert() or the cubin. Comments and #if are not understood: one header too many does
 * no harm. Headers that are in none of the user's folders (the toolkit's, misspelt ones) are left out.
 */
#ifndef RFT_GPU_INCLUDE_SCAN_H
#define RFT_GPU_INCLUDE_SCAN_H

#include "base/arena.h"
#include "base/err.h"
#include "gpu/compiler.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct rft_include {
    const char *spelled; /* as written between the quotes */
    const char *path;    /* the file, links resolved */
    const char *text;    /* its contents */
    size_t bytes;
} rft_include;

typedef struct rft_include_set {
    const char *source; /* the source text itself, from the request or from its file */
    size_t source_bytes;
    const char *source_folder; /* NULL when the request has no path */
    const char **folders;      /* to be searched behind those of the options: the source's, then the libraries' */
    size_t folder_count;
    rft_include *items; /* in the order first met */
    size_t count, capacity;
    bool computed;  /* some #include names a macro, or an option includes a header: the set is not complete */
    bool ambiguous; /* one spelling for two files, or one file under two spellings */
} rft_include_set;

/* Reads the request's source and every user header it reaches ("..." beside the including file; both forms in the
 * request's -I folders, then the source's folder, then `lib` in and beside each of these). Lives in `arena`.
 * RFT_E_SOURCE: the source cannot be read, holds a NUL byte, or includes more than 1000 headers. RFT_E_SCRIPT: an
 * option is not allowed, or a path that the source, an #include or -I names is outside of the request's roots. */
int rft_include_scan(rft_include_set *out, const rft_compile_request *request, rft_arena *arena, rft_err *err);

#endif
