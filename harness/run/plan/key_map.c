/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan/key_map.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Where the key is, or the empty slot where it would go. */
static rft_key_slot *find_slot(rft_key_slot *slots, size_t slot_count, const char *key) {
    size_t at = rft_hash_fnv1a(key, RFT_HASH_HEX_SIZE - 1) & (slot_count - 1);
    while (*slots[at].key && strcmp(slots[at].key, key) != 0) {
        at = (at + 1) & (slot_count - 1);
    }
    return &slots[at];
}

void rft_key_map_clear(rft_key_map *map) {
    free(map->slots);
    *map = (rft_key_map){0};
}

int64_t rft_key_map_get(const rft_key_map *map, const char *key, int64_t fallback) {
    const rft_key_slot *slot = map->slots ? find_slot(map->slots, map->slot_count, key) : NULL;
    return slot && *slot->key ? slot->value : fallback;
}

static void grow(rft_key_map *map) {
    size_t larger = map->slot_count ? map->slot_count * 2 : 64;
    rft_key_slot *slots = rft_calloc(larger, sizeof *slots);
    for (size_t i = 0; i < map->slot_count; i++) {
        if (*map->slots[i].key) {
            *find_slot(slots, larger, map->slots[i].key) = map->slots[i];
        }
    }
    free(map->slots);
    map->slots = slots;
    map->slot_count = larger;
}

void rft_key_map_put(rft_key_map *map, const char *key, int64_t value) {
    if (2 * (map->used + 1) > map->slot_count) {
        grow(map);
    }
    rft_key_slot *slot = find_slot(map->slots, map->slot_count, key);
    map->used += *slot->key ? 0 : 1;
    memcpy(slot->key, key, sizeof slot->key);
    slot->value = value;
}

/* Those behind the gap that a search would not reach any more move up (Knuth, 6.4, algorithm R). */
void rft_key_map_remove(rft_key_map *map, const char *key) {
    rft_key_slot *gap = map->slots ? find_slot(map->slots, map->slot_count, key) : NULL;
    if (!gap || !*gap->key) {
        return;
    }
    size_t mask = map->slot_count - 1;
    size_t hole = (size_t)(gap - map->slots);
    map->used--;
    for (size_t at = (hole + 1) & mask; *map->slots[at].key; at = (at + 1) & mask) {
        size_t home = rft_hash_fnv1a(map->slots[at].key, RFT_HASH_HEX_SIZE - 1) & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
    }
    *map->slots[hole].key = '\0';
}
