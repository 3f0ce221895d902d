/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <string.h>

/* FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned bits) {
    return (x >> bits) | (x << (32 - bits));
}

static void compress(rft_sha256 *hash, const unsigned char *block) {
    uint32_t w[64];
    for (size_t i = 0; i < 16; i++) {
        const unsigned char *p = block + 4 * i;
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    }
    for (size_t i = 16; i < 64; i++) {
        uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t v[8];
    memcpy(v, hash->state, sizeof v);
    for (size_t i = 0; i < 64; i++) {
        uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + choice + round_constants[i] + w[i];
        uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (size_t i = 0; i < 8; i++) {
        hash->state[i] += v[i];
    }
}

void rft_sha256_init(rft_sha256 *hash) {
    *hash = (rft_sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void rft_sha256_add(rft_sha256 *hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    hash->length_bytes += size;
    while (size) {
        if (hash->used == 0 && size >= sizeof hash->block) {
            compress(hash, bytes);
            bytes += sizeof hash->block;
            size -= sizeof hash->block;
            continue;
        }
        size_t part = sizeof hash->block - hash->used;
        part = part < size ? part : size;
        memcpy(hash->block + hash->used, bytes, part);
        hash->used += part;
        bytes += part;
        size -= part;
        if (hash->used == sizeof hash->block) {
            compress(hash, hash->block);
            hash->used = 0;
        }
    }
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
    uint64_t bits = hash->length_bytes * 8;
    unsigned char tail[72] = {0x80};
    size_t zeros = (hash->used < 56 ? 56 : 120) - hash->used;
    for (size_t i = 0; i < 8; i++) {
        tail[zeros + i] = (unsigned char)(bits >> (56 - 8 * i));
    }
    rft_sha256_add(hash, tail, zeros + 8);
    for (size_t i = 0; i < 64; i++) {
        out[i] = "0123456789abcdef"[hash->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    }
    out[64] = '\0';
}

void rft_hash_hex(const void *data, size_t size, char out[RFT_HASH_HEX_SIZE]) {
    rft_sha256 hash;
    rft_sha256_init(&hash);
    rft_sha256_add(&hash, data, size);
    rft_sha256_hex(&hash, out);
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
