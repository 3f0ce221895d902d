/* SPDX-License-Identifier: Apache-2.0 */
/*
 * npy.h - NumPy's .npy files, versions 1 to 3: what lies in one, and where. Headers are data from anywhere; the
 * elements are read by others.
 */
#ifndef RFT_BASE_NPY_H
#define RFT_BASE_NPY_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFT_NPY_HEADER_MAX (64u << 10) /* bytes in front of the elements; NumPy itself reads 10,000 */

/* An array in C order, little endian where that matters. */
typedef struct rft_npy {
    char kind;             /* NumPy's: 'f', 'i', 'u', 'b' (truth values) or 'V' (bytes without a meaning) */
    uint32_t item_bytes;   /* 1 to 16 */
    uint64_t count;        /* elements, of all dimensions together */
    uint64_t offset_bytes; /* of the first element in the file */
    char dtype[16];        /* as written: "<f4" */
} rft_npy;

/* A file that was looked at, and how to tell that it is still that one. */
typedef struct rft_npy_file {
    const char *path;
    uint64_t offset_bytes; /* of the first element */
    uint64_t file_bytes;   /* of the whole file */
    int64_t modified_ns;   /* when it was written to last, Unix time */
} rft_npy_file;

/* The header at the front of `data`, the file's first `size` bytes. RFT_E_SOURCE with a remedy: it is none, or says
 * what is not read (Fortran's order, big endian, objects, records). */
int rft_npy_parse(rft_npy *out, const void *data, size_t size, rft_err *err);

/* Reads the header of a file, which must be a regular one and as long as its header says: errors as above, RFT_E_SOURCE
 * where there is none, RFT_E_IO. `file` borrows `path`. */
int rft_npy_look(rft_npy *out, rft_npy_file *file, const char *path, rft_err *err);

/* A descriptor of the file that was looked at, for the caller to close; negative: an error's code. RFT_E_SOURCE: it was
 * written to since, as far as its size and time tell. */
int rft_npy_reopen(const rft_npy_file *as, rft_err *err);
int rft_npy_check_same(int fd, const rft_npy_file *as, rft_err *err);
/* `bytes` of the array from byte `at` of it on. */
int rft_npy_read(int fd, const rft_npy_file *as, void *to, size_t bytes, uint64_t at, rft_err *err);

/* SHA-256 of the whole file, read piece by piece; of a larger one none is made (RFT_E_LIMIT): a file of holes takes no
 * room and as long as any. `stop` is asked before each piece (RFT_E_INTERRUPTED); NULL: never. */
#define RFT_NPY_HASHED_MAX ((uint64_t)16 << 30)
int rft_npy_hash(char out[65], const char *path, bool (*stop)(void), rft_err *err);

#endif
