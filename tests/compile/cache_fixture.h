/* SPDX-License-Identifier: Apache-2.0 */
/* cache_fixture.h - a cubin cache in a folder of its own, before a compiler that counts and makes code from the source.
 */
#ifndef RFT_TESTS_CACHE_FIXTURE_H
#define RFT_TESTS_CACHE_FIXTURE_H

#include "base/arena.h"
#include "compile/scratch_folder.h"
#include "gpu/compiler.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct counting_compiler {
    rft_compiler base;
    /* Shared with processes that a test forks. */
    struct counts {
        atomic_int compiles; /* ended */
        atomic_int begun;
    } * counts;
    int64_t takes_ns;  /* how long a compile takes */
    size_t code_bytes; /* how long the code is */
    bool fails;
    bool freed;
    const char *release;
} counting_compiler;

typedef struct cache_fixture {
    scratch s;
    counting_compiler inner;
    rft_compiler *cache;
    rft_compile_cache_opts opts;
    rft_arena *arena;
    char *folder; /* of the cache */
    char *source; /* FOLDER/k.cu, which includes value.cuh */
    rft_log log;
    int warnings;
    char last_warning[512];
} cache_fixture;

/* The cache is open, the folder new. For cmocka. */
int cache_set_up(void **state);
int cache_tear_down(void **state);

/* Closes the cache and opens it with f->opts, as another process would. */
void cache_reopen(cache_fixture *f);
int cache_compiles(const cache_fixture *f);

/* Two names and two options over f->source. */
rft_compile_request cache_request(const cache_fixture *f);
/* The same over the N-th source text; text in `arena`. */
rft_compile_request cache_request_of_text(cache_fixture *f, int n);
rft_compile_result cache_ask(cache_fixture *f, const rft_compile_request *request);
/* True when the result is what the counting compiler makes of this request. */
bool cache_is_right(const cache_fixture *f, const rft_compile_request *request, const rft_compile_result *result);

/* The names in the cache's folder that end in `suffix`. */
size_t cache_count_files(const cache_fixture *f, const char *suffix);
uint64_t cache_total_bytes(const cache_fixture *f);
/* The path of the only entry; free() it. */
char *cache_only_entry(const cache_fixture *f);
/* Sets a file's times back, against the clock. */
void cache_age(const char *path, int64_t seconds);
/* Makes the next opening look for room. */
void cache_age_stamp(const cache_fixture *f);

#endif
