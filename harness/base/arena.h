/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - memory that is freed whole, and checked allocation.
 *
 * One arena per run, sweep, report or request; what is allocated from it dies with it. Allocation never returns
 * NULL: a host that is out of memory for the few megabytes rooftune needs cannot be helped, so rft_alloc() writes
 * one line to stderr and aborts. This is the only place below cli that ends the process.
 * An arena belongs to one thread at a time.
 */
#ifndef RFT_BASE_ARENA_H
#define RFT_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#define RFT_NEVER_NULL __attribute__((returns_nonnull)) /* callers and analysers need not look */

typedef struct rft_arena rft_arena;

rft_arena *rft_arena_new(void) RFT_NEVER_NULL;
void rft_arena_free(rft_arena *arena); /* NULL is accepted */

/* Forgets everything allocated so far but keeps the first block. */
void rft_arena_reset(rft_arena *arena);

/* Zeroed memory, aligned for any type. count * size is checked for overflow (aborts). */
void *rft_arena_alloc(rft_arena *arena, size_t size) RFT_NEVER_NULL;
void *rft_arena_calloc(rft_arena *arena, size_t count, size_t size) RFT_NEVER_NULL;

/* Room for one more element behind `count` of an array in the arena, zeroed; what is outgrown stays there. */
void *rft_arena_grown(rft_arena *arena, void *items, size_t count, size_t *capacity, size_t size) RFT_NEVER_NULL;
/* The same of an array that keeps no capacity: its room is always the power of two that `count` fits into. */
void *rft_arena_doubled(rft_arena *arena, void *items, size_t count, size_t size);

/* Copies. rft_arena_strdup(arena, NULL) is NULL. */
void *rft_arena_memdup(rft_arena *arena, const void *data, size_t size) RFT_NEVER_NULL;
char *rft_arena_strdup(rft_arena *arena, const char *text);
char *rft_arena_strndup(rft_arena *arena, const char *text, size_t length) RFT_NEVER_NULL;
char *rft_arena_printf(rft_arena *arena, const char *format, ...) RFT_NEVER_NULL __attribute__((format(printf, 2, 3)));
/* "62.4 %": a number with so many decimals, in the C locale, and what comes after it. */
char *rft_arena_fixed(rft_arena *arena, double value, int decimals, const char *after) RFT_NEVER_NULL;

/* Bytes handed out so far. */
size_t rft_arena_used_bytes(const rft_arena *arena);

/* Runs release(payload) when the arena is freed or reset, last registered first. */
void rft_arena_on_free(rft_arena *arena, void (*release)(void *payload), void *payload);

/* Checked heap allocation for what outlives any arena; released with free(). */
void *rft_alloc(size_t size) RFT_NEVER_NULL;                               /* zeroed */
void *rft_calloc(size_t count, size_t size) RFT_NEVER_NULL;                /* zeroed */
void *rft_realloc(void *memory, size_t count, size_t size) RFT_NEVER_NULL; /* the new part is not zeroed */
char *rft_strdup(const char *text);

/* Makes room for at least `need` elements: grows *capacity by doubling and reallocates the heap array `items`. */
#define RFT_GROW(items, capacity, need)                                                                                \
    do {                                                                                                               \
        if ((size_t)(need) > (size_t)(capacity)) {                                                                     \
            size_t rft_grow_to = (capacity) ? (size_t)(capacity)*2 : 8;                                                \
            while (rft_grow_to < (size_t)(need)) {                                                                     \
                rft_grow_to *= 2;                                                                                      \
            }                                                                                                          \
            (items) = rft_realloc((items), rft_grow_to, sizeof *(items));                                              \
            (capacity) = rft_grow_to;                                                                                  \
        }                                                                                                              \
    } while (0)

#endif
