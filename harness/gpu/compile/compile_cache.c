/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key covers all the result depends on, so entries are never out of date, only unused. Only sources that compile
 * are kept: a failure may be the installation's (a missing header of the toolkit) and is cheap to repeat. What an entry
 * is made of: cache_entry.h; files, locks and room: cache_folder.h.
 */
#include "gpu/compiler.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "gpu/compile/cache_entry.h"
#include "gpu/compile/cache_folder.h"
#include "gpu/compile/include_scan.h"
#include "model/sweep/sweep.h"

#include <stdlib.h>

/* To be raised when the options that nvrtc.c adds, or what is stored, change. */
#define CACHE_EPOCH "rooftune cubin cache 2"

typedef struct cache_compiler {
    rft_compiler base; /* first: the vtable */
    rft_compiler *inner;
    rft_cache_folder folder;
} cache_compiler;

/* ---- key ---- */
static void add_list(rft_sha256 *hash, const char *const *texts, size_t count) {
    rft_sha256_add(hash, &(uint64_t){count}, sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        rft_sha256_add_text(hash, texts[i]);
    }
}

static void make_key(cache_compiler *self, const rft_compile_request *request, const rft_include_set *sources,
                     char key[RFT_HASH_HEX_SIZE]) {
    rft_sha256 hash;
    rft_sha256_init(&hash);
    rft_sha256_add_text(&hash, CACHE_EPOCH);
    rft_sha256_add_text(&hash, self->inner->version(self->inner));
    rft_sha256_add_text(&hash, request->arch);
    rft_sha256_add_text(&hash, request->source_name);
    rft_sha256_add_text(&hash, sources->source);
    add_list(&hash, request->names, request->name_count);
    add_list(&hash, request->options, request->option_count);
    rft_sha256_add(&hash, &(uint64_t){sources->count}, sizeof(uint64_t));
    for (size_t i = 0; i < sources->count; i++) {
        rft_sha256_add_text(&hash, sources->items[i].spelled);
        rft_sha256_add(&hash, &(uint64_t){sources->items[i].bytes}, sizeof(uint64_t));
        rft_sha256_add(&hash, sources->items[i].text, sources->items[i].bytes);
    }
    rft_sha256_hex(&hash, key);
}

/* ---- the seam ---- */
/* True and *out filled when the cache has it; anything wrong with the file is a miss. */
static bool lookup(cache_compiler *self, const char *key, const rft_compile_request *request, rft_arena *arena,
                   rft_compile_result *out) {
    size_t size = 0;
    char *data = rft_cache_folder_read(&self->folder, key, &size);
    bool hit = data && rft_cache_entry_decode(out, data, size, key, request, arena);
    free(data);
    if (hit) {
        rft_cache_folder_touch(&self->folder, key);
    }
    return hit;
}

static void keep_result(cache_compiler *self, const char *key, const rft_compile_result *result) {
    size_t size = 0;
    char *data = rft_cache_entry_encode(&size, key, result);
    if (data) {
        rft_cache_folder_write(&self->folder, key, data, size);
    }
    free(data);
}

static int cache_compile(rft_compiler *base, const rft_compile_request *request, rft_arena *arena,
                         rft_compile_result *out, rft_err *err) {
    cache_compiler *self = (cache_compiler *)base;
    rft_include_set sources;
    if (request->source_path && rft_source_is_given(request->source_path)) {
        return self->inner->compile(self->inner, request, arena, out, err); /* it is compiled already */
    }
    int rc = rft_include_scan(&sources, request, arena, err);
    if (rc != 0) {
        return rc;
    }
    if (sources.computed) { /* not all that it reads is in the key */
        return self->inner->compile(self->inner, request, arena, out, err);
    }
    char key[RFT_HASH_HEX_SIZE];
    make_key(self, request, &sources, key);
    *out = (rft_compile_result){.log = ""};
    if (lookup(self, key, request, arena, out)) {
        return 0;
    }
    /* Another process may have it in hand, or have ended it just now. */
    int lock = rft_cache_folder_lock(&self->folder, key);
    if (lock < 0 || !lookup(self, key, request, arena, out)) {
        rc = self->inner->compile(self->inner, request, arena, out, err);
        if (rc == 0 && out->ok) {
            keep_result(self, key, out);
        }
    }
    rft_cache_folder_unlock(lock);
    return rc;
}

static const char *cache_version(rft_compiler *base) {
    cache_compiler *self = (cache_compiler *)base;
    return self->inner->version(self->inner);
}

static size_t cache_folders(rft_compiler *base, const char *const **out) {
    cache_compiler *self = (cache_compiler *)base;
    return self->inner->folders ? self->inner->folders(self->inner, out) : 0;
}

static bool cache_knows_arch(rft_compiler *base, const char *arch) {
    cache_compiler *self = (cache_compiler *)base;
    return self->inner->knows_arch(self->inner, arch);
}

static void cache_free(rft_compiler *base) {
    cache_compiler *self = (cache_compiler *)base;
    if (self) {
        if (self->inner) {
            self->inner->free(self->inner);
        }
        rft_cache_folder_close(&self->folder);
        free(self);
    }
}

rft_compiler *rft_compile_cache_new(rft_compiler *inner, const rft_compile_cache_opts *opts) {
    cache_compiler *self = rft_alloc(sizeof *self);
    self->base = (rft_compiler){.compile = cache_compile,
                                .version = cache_version,
                                .knows_arch = cache_knows_arch,
                                .folders = cache_folders,
                                .free = cache_free};
    self->inner = inner;
    rft_cache_folder_open(&self->folder, opts);
    return &self->base;
}

/* ---- requests ---- */

rft_compile_request rft_compile_request_of(const rft_unit_spec *unit, const char *arch) {
    return (rft_compile_request){
        .source_name = rft_fs_name(unit->source),
        .source_path = unit->source,
        .names = (const char *const *)unit->names,
        .name_count = unit->name_count,
        .options = (const char *const *)unit->options,
        .option_count = unit->option_count,
        .arch = arch,
    };
}
