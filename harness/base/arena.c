/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = _Alignof(max_align_t), FIRST_BLOCK_BYTES = 16 << 10, LARGEST_BLOCK_BYTES = 1 << 20 };

typedef struct block {
    struct block *next; /* the one filled before */
    size_t used, size;  /* bytes of data */
    _Alignas(max_align_t) unsigned char data[];
} block;

typedef struct release_entry {
    struct release_entry *next;
    void (*release)(void *payload);
    void *payload;
} release_entry;

struct rft_arena {
    block *newest;
    release_entry *releases;
    size_t used_bytes;
};

static _Noreturn void out_of_memory(size_t count, size_t size) {
    fprintf(stderr,
            "rooftune: out of memory (asked for %zu x %zu bytes)\n  remedy: free memory, or raise the limit on it "
            "(ulimit -v, the container's or the job's); what was stored stays\n",
            count, size);
    abort();
}

static size_t product(size_t count, size_t size) {
    if (size && count > PTRDIFF_MAX / size) {
        out_of_memory(count, size);
    }
    return count * size;
}

static block *block_new(size_t size, block *next) {
    block *fresh = rft_alloc(sizeof *fresh + size);
    fresh->size = size;
    fresh->next = next;
    return fresh;
}

rft_arena *rft_arena_new(void) {
    rft_arena *arena = rft_alloc(sizeof *arena);
    arena->newest = block_new(FIRST_BLOCK_BYTES, NULL);
    return arena;
}

static void run_releases(rft_arena *arena) {
    while (arena->releases) {
        release_entry *entry = arena->releases;
        arena->releases = entry->next;
        entry->release(entry->payload);
    }
}

/* What is left is the first block. */
static void free_later_blocks(rft_arena *arena) {
    while (arena->newest->next) {
        block *old = arena->newest;
        arena->newest = old->next;
        free(old);
    }
}

void rft_arena_reset(rft_arena *arena) {
    run_releases(arena);
    free_later_blocks(arena);
    memset(arena->newest->data, 0, arena->newest->used);
    arena->newest->used = 0;
    arena->used_bytes = 0;
}

void rft_arena_free(rft_arena *arena) {
    if (!arena) {
        return;
    }
    run_releases(arena);
    free_later_blocks(arena);
    free(arena->newest);
    free(arena);
}

void *rft_arena_alloc(rft_arena *arena, size_t size) {
    if (size > PTRDIFF_MAX - sizeof(block) - ALIGNMENT) {
        out_of_memory(1, size);
    }
    size_t rounded = size ? (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    block *current = arena->newest;
    if (rounded > current->size - current->used) {
        size_t grown = current->size < LARGEST_BLOCK_BYTES ? current->size * 2 : (size_t)LARGEST_BLOCK_BYTES;
        current = block_new(rounded > grown ? rounded : grown, current);
        arena->newest = current;
    }
    void *memory = current->data + current->used;
    current->used += rounded;
    arena->used_bytes += size;
    return memory;
}

void *rft_arena_calloc(rft_arena *arena, size_t count, size_t size) {
    return rft_arena_alloc(arena, product(count, size));
}

void *rft_arena_grown(rft_arena *arena, void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) {
        return items;
    }
    *capacity = *capacity ? *capacity * 2 : 8;
    void *bigger = rft_arena_calloc(arena, *capacity, size);
    if (count > 0) {
        memcpy(bigger, items, count * size);
    }
    return bigger;
}

void *rft_arena_doubled(rft_arena *arena, void *items, size_t count, size_t size) {
    if (count & (count - 1)) {
        return items;
    }
    void *bigger = rft_arena_calloc(arena, count ? 2 * count : 1, size);
    if (count > 0) {
        memcpy(bigger, items, count * size);
    }
    return bigger;
}

void *rft_arena_memdup(rft_arena *arena, const void *data, size_t size) {
    void *copy = rft_arena_alloc(arena, size);
    if (size) {
        memcpy(copy, data, size);
    }
    return copy;
}

char *rft_arena_strdup(rft_arena *arena, const char *text) {
    return text ? rft_arena_memdup(arena, text, strlen(text) + 1) : NULL;
}

char *rft_arena_strndup(rft_arena *arena, const char *text, size_t length) {
    size_t kept = text ? strnlen(text, length) : 0;
    char *copy = rft_arena_alloc(arena, kept + 1);
    if (kept) {
        memcpy(copy, text, kept);
    }
    return copy;
}

char *rft_arena_printf(rft_arena *arena, const char *format, ...) {
    rft_str text = RFT_STR_INIT;
    va_list args;
    va_start(args, format);
    rft_str_addv(&text, format, args);
    va_end(args);
    char *copy = rft_arena_memdup(arena, rft_str_get(&text), text.length + 1);
    rft_str_clear(&text);
    return copy;
}

char *rft_arena_fixed(rft_arena *arena, double value, int decimals, const char *after) {
    rft_str text = RFT_STR_INIT;
    rft_str_add_fixed(&text, value, decimals);
    rft_str_add(&text, after);
    char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

size_t rft_arena_used_bytes(const rft_arena *arena) {
    return arena->used_bytes;
}

void rft_arena_on_free(rft_arena *arena, void (*release)(void *payload), void *payload) {
    release_entry *entry = rft_arena_alloc(arena, sizeof *entry);
    *entry = (release_entry){.next = arena->releases, .release = release, .payload = payload};
    arena->releases = entry;
}

void *rft_alloc(size_t size) {
    return rft_calloc(1, size);
}

void *rft_calloc(size_t count, size_t size) {
    size_t total = product(count, size);
    void *memory = calloc(1, total ? total : 1);
    if (!memory) {
        out_of_memory(count, size);
    }
    return memory;
}

void *rft_realloc(void *memory, size_t count, size_t size) {
    size_t total = product(count, size);
    void *grown = realloc(memory, total ? total : 1);
    if (!grown) {
        out_of_memory(count, size);
    }
    return grown;
}

char *rft_strdup(const char *text) {
    if (!text) {
        return NULL;
    }
    size_t size = strlen(text) + 1;
    return memcpy(rft_alloc(size), text, size);
}
