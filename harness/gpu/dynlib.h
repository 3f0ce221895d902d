/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dynlib.h - NVIDIA's libraries, opened while the program runs: nothing of theirs is linked, so one binary works on a
 * laptop and on a node. Private to the gpu room. Knows files and symbols, nothing of what they do.
 */
#ifndef RFT_GPU_DYNLIB_H
#define RFT_GPU_DYNLIB_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "gpu/library_places.h"

#include <stdbool.h>
#include <stddef.h>

/* One function pointer of a table: the exported name, and where in the table its address goes. */
typedef struct rft_dynlib_symbol {
    const char *name;
    size_t offset;
    bool optional; /* absent = NULL in the table, and no error */
} rft_dynlib_symbol;

typedef struct rft_dynlib_spec {
    const char *title;        /* "NVRTC": begins the message */
    const char *const *files; /* file names in order of preference, NULL-terminated: "libnvrtc.so.13" */
    /* Searched before the loader's own path, in order: a folder (itself and the places below it where toolkits and
     * wheels keep libraries), or a library file. NULL entries and missing ones are passed over. */
    const char *const *folders;
    size_t folder_count;
    size_t named_count; /* the first of them, which were asked for by name: any file there goes before any elsewhere */
    const rft_dynlib_symbol *symbols; /* may be NULL with symbol_count 0 */
    size_t symbol_count;
    int code;           /* of the error when it cannot be opened */
    const char *remedy; /* for a library that is not there */
} rft_dynlib_spec;

/* Opens the first of the files that loads and fills `table`. The message lists why each candidate was refused.
 * *handle is owned: rft_dynlib_close(), which ends the
 * use of it but unloads nothing. Errors: spec->code. */
int rft_dynlib_open(void **handle, void *table, const rft_dynlib_spec *spec, rft_err *err);
void rft_dynlib_close(void *handle); /* NULL is accepted */

/* The file that rft_dynlib_open() would try first, links resolved, without loading it: of spec only files and folders
 * are read, and the loader's path is guessed (LD_LIBRARY_PATH is not). Heap string, owned; NULL when there is none. */
char *rft_dynlib_find(const rft_dynlib_spec *spec);
char *rft_dynlib_find_named(const rft_dynlib_spec *spec); /* in the folders that were asked for by name alone */

/* Where this program looks for NVIDIA's libraries before the loader's path, in `arena`: `places` (may be NULL), the
 * program's own folder and its ../lib, NVIDIA's wheels where pip installed it, the toolkit found at build time,
 * /usr/local/cuda, and the toolkits beside it (cuda-12.9), the newest first. */
size_t rft_dynlib_folders(const char ***out, const rft_library_places *places, rft_arena *arena);

/* The toolkit found at build time, "" without one. Static. */
const char *rft_dynlib_build_home(void);

/* Loads `file` from the folder that `handle` came from, if it lies there, and keeps it: a library that opens others by
 * their bare name then gets that one. NVIDIA's wheels need it, they carry no run path. */
void rft_dynlib_bring(void *handle, const char *file);

/* The file a handle came from, links resolved; heap string, owned. "" when the loader does not say. */
char *rft_dynlib_path(void *handle);

#endif
