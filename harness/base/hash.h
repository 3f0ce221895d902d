/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h - SHA-256 (FIPS 180-4, by libmd) for cache keys, cubins, scripts; FNV-1a and splitmix64 for tables, seeds. */
#ifndef RFT_BASE_HASH_H
#define RFT_BASE_HASH_H

#include <sha2.h>
#include <stddef.h>
#include <stdint.h>

typedef SHA2_CTX rft_sha256;

#define RFT_HASH_HEX_SIZE 65 /* 64 hex digits and the NUL */

void rft_sha256_init(rft_sha256 *hash);
void rft_sha256_add(rft_sha256 *hash, const void *data, size_t size);
/* Adds the text and its length, so that ("ab","c") and ("a","bc") differ. NULL counts as "". */
void rft_sha256_add_text(rft_sha256 *hash, const char *text);
void rft_sha256_hex(rft_sha256 *hash, char out[RFT_HASH_HEX_SIZE]);
void rft_hash_hex(const void *data, size_t size, char out[RFT_HASH_HEX_SIZE]);

uint64_t rft_hash_fnv1a(const void *data, size_t size);
/* The splitmix64 generator (Steele, Lea, Flood 2014): advances *state and returns 64 well mixed bits. */
uint64_t rft_random_next(uint64_t *state);
/* Uniform in [0, n), unbiased; n >= 1. */
uint64_t rft_random_below(uint64_t *state, uint64_t n);
double rft_random_unit(uint64_t *state); /* uniform in [0, 1) */

#endif
