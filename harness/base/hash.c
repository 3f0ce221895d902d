/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <string.h>

void rft_sha256_init(rft_sha256 *hash) {
    SHA256Init(hash);
}

void rft_sha256_add(rft_sha256 *hash, const void *data, size_t size) {
    SHA256Update(hash, data, size);
}

void rft_sha256_add_text(rft_sha256 *hash, const char *text) {
    size_t length = text ? strlen(text) : 0;
    unsigned char prefix[8];
    for (size_t i = 0; i < 8; i++) {
        prefix[i] = (unsigned char)((uint64_t)length >> (8 * i));
    }
    rft_sha256_add(hash, prefix, sizeof prefix);
    if (length) {
        rft_sha256_add(hash, text, length);
    }
}

void rft_sha256_hex(rft_sha256 *hash, char out[RFT_HASH_HEX_SIZE]) {
    SHA256End(hash, out);
}

void rft_hash_hex(const void *data, size_t size, char out[RFT_HASH_HEX_SIZE]) {
    SHA256Data(data, size, out);
}

uint64_t rft_hash_fnv1a(const void *data, size_t size) {
    const unsigned char *bytes = data;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash;
}

uint64_t rft_random_next(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t rft_random_below(uint64_t *state, uint64_t n) {
    uint64_t refused = (0 - n) % n; /* 2^64 mod n: drawing again below it removes the bias of the remainder */
    uint64_t bits = rft_random_next(state);
    while (bits < refused) {
        bits = rft_random_next(state);
    }
    return bits % n;
}

double rft_random_unit(uint64_t *state) {
    return (double)(rft_random_next(state) >> 11) * 0x1p-53;
}
