/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache_entry.h - one result of the compiler as the bytes of a file, and back. Private to the cubin cache.
 *
 * A header of 96 bytes (magic, SHA-256 of all that follows it in hex, length of the JSON in hex, dashes), the JSON
 * (everything but the code, and the key), the code. Bytes that are cut off, altered, or another key's are refused.
 */
#ifndef RFT_GPU_CACHE_ENTRY_H
#define RFT_GPU_CACHE_ENTRY_H

#include "base/arena.h"
#include "gpu/compiler.h"

#include <stdbool.h>
#include <stddef.h>

/* Heap bytes; NULL when the result would come back changed (a log or a name that is no UTF-8). `key` is 64 hex digits.
 */
char *rft_cache_entry_encode(size_t *size, const char *key, const rft_compile_result *result);

/* True and *out filled, in `arena`, when the bytes are whole and answer `request` under `key`. */
bool rft_cache_entry_decode(rft_compile_result *out, const char *data, size_t size, const char *key,
                            const rft_compile_request *request, rft_arena *arena);

#endif
