/* SPDX-License-Identifier: Apache-2.0 */
/* key_map.h - from SHA-256 keys (hex) to numbers. Private to run. */
#ifndef RFT_RUN_KEY_MAP_H
#define RFT_RUN_KEY_MAP_H

#include "base/hash.h"

typedef struct rft_key_slot {
    char key[RFT_HASH_HEX_SIZE]; /* "": empty */
    int64_t value;
} rft_key_slot;

/* All zero is an empty map. */
typedef struct rft_key_map {
    rft_key_slot *slots; /* open addressing, at most half full; heap */
    size_t slot_count, used;
} rft_key_map;

void rft_key_map_clear(rft_key_map *map);
/* The value of the key, or `fallback`. */
int64_t rft_key_map_get(const rft_key_map *map, const char *key, int64_t fallback);
/* Adds the key or replaces its value. */
void rft_key_map_put(rft_key_map *map, const char *key, int64_t value);
void rft_key_map_remove(rft_key_map *map, const char *key); /* a key that is not there is no error */

#endif
