/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seeded_driver.c - stands in for libFuzzer where there is none: runs every corpus file, then seeded mutations of them
 * until a count or a time is reached. The same binary and corpus give the same inputs, in the same order.
 */
#include "base/arena.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "fuzz/commands/edit_bytes.h"
#include "support/sanitized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MUTATIONS = 100000, LARGEST_INPUT_BYTES = 64 << 10 };
/* Without a sanitizer few of the faults show: the time is the sanitizers' build's. */
static const int64_t longest_ns = SANITIZED ? 2500000000 : 500000000;

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
        const input *other = &seeds.items[rft_random_below(&random, seeds.count)];
        run_one(data, edit_bytes(data, seed->size, LARGEST_INPUT_BYTES, other->data, other->size, &random));
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
