/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cubin_hash.h - a name for what a cubin does, equal wherever and whenever it was compiled.
 *
 * SHA-256 over the cubin's sections in file order: name, type, flags, size, and contents unless the section has none in
 * the file. Left out are the ELF header and section table (offsets only), debug sections (".debug_*", ".nv_debug_*":
 * with -lineinfo they hold absolute paths and the working folder), their relocations, and ".note.nv.tkinfo" (the
 * command line and release of ptxas). What is no 64-bit ELF (PTX) is hashed byte by byte.
 */
#ifndef RFT_GPU_CUBIN_HASH_H
#define RFT_GPU_CUBIN_HASH_H

#include "base/hash.h"

#include <stddef.h>

void rft_cubin_hash(const void *cubin, size_t bytes, char out[RFT_HASH_HEX_SIZE]);

/* The release of ptxas that a cubin names ("13.0.88"), copied to `out` of `size` bytes; "" when it names none. */
void rft_cubin_toolchain(const void *cubin, size_t bytes, char *out, size_t size);

#endif
