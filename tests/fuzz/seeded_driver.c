/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seeded_driver.c - stands in for libFuzzer where there is none: runs every corpus file, then seeded mutations of them
 * until a count or a time is reached. The same binary and corpus give the same inputs, in the same order.
 */
#include "base/arena.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MUTATIONS = 100000, LARGEST_INPUT_BYTES = 64 << 10 };
static const int64_t longest_ns = 2500000000;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
    char *data;
    size_t size;
} input;

typedef struct corpus {
    input *items;
    size_t count;
} corpus;

static int load_corpus(corpus *out, const char *folder) {
    char **names = NULL;
    size_t count = 0;
    rft_err err = RFT_ERR_INIT;
    out->items = rft_calloc(1, sizeof *out->items); /* the empty input */
    out->count = 1;
    if (!folder || !rft_fs_is_folder(folder)) {
        return 0;
    }
    int code = rft_fs_list(&names, &count, folder, NULL, &err);
    out->items = rft_realloc(out->items, count + 1, sizeof *out->items);
    for (size_t i = 0; !code && i < count; i++) {
        char *path = rft_fs_join(folder, names[i]);
        input *item = &out->items[out->count];
        code = rft_fs_read(&item->data, &item->size, path, LARGEST_INPUT_BYTES, &err);
        out->count += code == 0;
        free(path);
    }
    rft_fs_list_free(names, count);
    if (code) {
        fprintf(stderr, "%s\n", err.message);
    }
    return code;
}

/* A few small edits: flip a bit, set, insert, delete or repeat bytes, or splice in another input's part. */
static size_t mutate(char *data, size_t size, const corpus *seeds, uint64_t *random) {
    static const char interesting[] = "0123456789{}[]()\"\\,.:-+eE%\n\0\377 xnNiI";
    size_t edits = 1 + rft_random_below(random, 6);
    for (size_t i = 0; i < edits; i++) {
        size_t at = size ? rft_random_below(random, size) : 0;
        uint64_t kind = rft_random_below(random, size ? 5 : 1);
        size_t room = LARGEST_INPUT_BYTES - size;
        if (kind == 0 && room) {
            memmove(data + at + 1, data + at, size - at);
            data[at] = interesting[rft_random_below(random, sizeof interesting - 1)];
            size++;
        } else if (kind == 1) {
            data[at] = (char)(data[at] ^ (1 << rft_random_below(random, 8)));
        } else if (kind == 2) {
            data[at] = interesting[rft_random_below(random, sizeof interesting - 1)];
        } else if (kind == 3) {
            size_t gone = 1 + rft_random_below(random, size - at);
            memmove(data + at, data + at + gone, size - at - gone);
            size -= gone;
        } else {
            const input *other = &seeds->items[rft_random_below(random, seeds->count)];
            size_t from = other->size ? rft_random_below(random, other->size) : 0;
            size_t taken = other->size - from;
            taken = taken < size - at ? taken : size - at;
            if (taken) {
                memcpy(data + at, other->data + from, taken);
            }
        }
    }
    return size;
}

static void run_one(const char *data, size_t size) {
    char *exact = malloc(size ? size : 1); /* a block of its own size, so that a sanitizer sees reads beyond */
    if (size && exact) {
        memcpy(exact, data, size);
    }
    LLVMFuzzerTestOneInput((const uint8_t *)exact, size);
    free(exact);
}

int main(int argc, char **argv) {
    corpus seeds = {0};
    if (load_corpus(&seeds, argc > 1 ? argv[1] : NULL)) {
        return 1;
    }
    for (size_t i = 0; i < seeds.count; i++) {
        run_one(seeds.items[i].data, seeds.items[i].size);
    }
    const rft_clock *clock = rft_clock_system();
    int64_t start_ns = clock->monotonic_ns(clock->self);
    char *data = rft_alloc(LARGEST_INPUT_BYTES);
    uint64_t random = 1;
    size_t done = 0;
    while (done < MUTATIONS && clock->monotonic_ns(clock->self) - start_ns < longest_ns) {
        const input *seed = &seeds.items[rft_random_below(&random, seeds.count)];
        if (seed->size) {
            memcpy(data, seed->data, seed->size);
        }
        run_one(data, mutate(data, seed->size, &seeds, &random));
        done++;
    }
    printf("%zu corpus inputs, %zu mutations\n", seeds.count, done);
    for (size_t i = 0; i < seeds.count; i++) {
        free(seeds.items[i].data);
    }
    free(seeds.items);
    free(data);
    return 0;
}
