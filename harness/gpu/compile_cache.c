/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files "<key>.rftc" in one folder: a header of 96 bytes (magic, SHA-256 of the rest in hex, length of the JSON), JSON
 * (everything but the code), then the code. The key covers all the result depends on, so files are never out of date,
 * only unused; two processes that compile the same thing write the same file, each by rename. Only sources that
 * compile are kept: a failure may be the installation's (a missing header of the toolkit) and is cheap to repeat.
 */
#include "gpu/compiler.h"

#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/str.h"
#include "gpu/include_scan.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* To be raised when the options that nvrtc.c adds, or what is stored, change. */
#define CACHE_EPOCH "rooftune cubin cache 1"
#define MAGIC "RFTCUBIN"

enum { MAGIC_SIZE = 8, HASH_SIZE = 64, LENGTH_SIZE = 16, HEADER_SIZE = 96 };
static const uint64_t limit_bytes = (uint64_t)1 << 30;

typedef struct cache_compiler {
    rft_compiler base; /* first: the vtable */
    rft_compiler *inner;
    char *folder;
    const rft_log *log;
    bool writable;
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

/* ---- a result as JSON ---- */
static json_t *entry_to_json(const rft_compiled_entry *entry) {
    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:I, s:i}", "name", entry->name, "symbol",
                     entry->symbol ? entry->symbol : "", "registers", entry->registers, "spill_store_bytes",
                     entry->spill_store_bytes, "spill_load_bytes", entry->spill_load_bytes, "stack_bytes",
                     entry->stack_bytes, "shared_bytes", (json_int_t)entry->shared_bytes, "barriers", entry->barriers);
}

static json_t *result_to_json(const rft_compile_result *result) {
    json_t *entries = json_array();
    for (size_t i = 0; i < result->entry_count; i++) {
        json_array_append_new(entries, entry_to_json(&result->entries[i]));
    }
    json_t *root = json_object();
    json_object_set_new(root, "log", json_string(result->log));
    json_object_set_new(root, "cubin_hash", json_string(result->cubin_hash));
    json_object_set_new(root, "is_ptx", json_boolean(result->is_ptx));
    json_object_set_new(root, "seconds", rft_json_real_new(result->seconds));
    json_object_set_new(root, "entries", entries);
    return root;
}

static void entry_from_json(rft_compiled_entry *out, const json_t *json, rft_arena *arena) {
    *out = (rft_compiled_entry){
        .name = rft_arena_strdup(arena, rft_json_text_or(json, "name", "")),
        .symbol = rft_arena_strdup(arena, rft_json_text_or(json, "symbol", "")),
        .registers = (int)rft_json_int_or(json, "registers", -1),
        .spill_store_bytes = (int)rft_json_int_or(json, "spill_store_bytes", -1),
        .spill_load_bytes = (int)rft_json_int_or(json, "spill_load_bytes", -1),
        .stack_bytes = (int)rft_json_int_or(json, "stack_bytes", -1),
        .shared_bytes = (long)rft_json_int_or(json, "shared_bytes", -1),
        .barriers = (int)rft_json_int_or(json, "barriers", -1),
    };
}

static bool result_from_json(rft_compile_result *out, const json_t *root, rft_arena *arena) {
    const json_t *entries = json_object_get(root, "entries");
    const char *hash = rft_json_text_or(root, "cubin_hash", "");
    if (!json_is_array(entries) || strlen(hash) != sizeof out->cubin_hash - 1) {
        return false;
    }
    out->entry_count = json_array_size(entries);
    out->entries = rft_arena_calloc(arena, out->entry_count + 1, sizeof *out->entries);
    for (size_t i = 0; i < out->entry_count; i++) {
        entry_from_json(&out->entries[i], json_array_get(entries, i), arena);
    }
    out->ok = true;
    out->log = rft_arena_strdup(arena, rft_json_text_or(root, "log", ""));
    memcpy(out->cubin_hash, hash, sizeof out->cubin_hash);
    out->is_ptx = rft_json_bool_or(root, "is_ptx", false);
    out->seconds = rft_json_real_or(root, "seconds", 0);
    out->from_cache = true;
    return true;
}

/* ---- files ---- */
static char *entry_path(const cache_compiler *self, const char *key) {
    rft_str name = RFT_STR_INIT;
    rft_str_addf(&name, "%s.rftc", key);
    char *path = rft_fs_join(self->folder, rft_str_get(&name));
    rft_str_clear(&name);
    return path;
}

/* The JSON's length if the file is whole and unaltered, 0 otherwise. */
static size_t checked_json_length(const char *data, size_t size) {
    char hash[RFT_HASH_HEX_SIZE], digits[LENGTH_SIZE + 1] = {0};
    if (size < HEADER_SIZE || memcmp(data, MAGIC, MAGIC_SIZE) != 0) {
        return 0;
    }
    rft_hash_hex(data + MAGIC_SIZE + HASH_SIZE, size - MAGIC_SIZE - HASH_SIZE, hash);
    if (memcmp(hash, data + MAGIC_SIZE, HASH_SIZE) != 0) {
        return 0;
    }
    memcpy(digits, data + MAGIC_SIZE + HASH_SIZE, LENGTH_SIZE);
    uint64_t length = strtoull(digits, NULL, 16);
    return length <= size - HEADER_SIZE ? (size_t)length : 0;
}

static bool decode(rft_compile_result *out, const char *data, size_t size, rft_arena *arena) {
    size_t json_length = checked_json_length(data, size);
    json_t *root = NULL;
    if (json_length == 0 || rft_json_parse(&root, data + HEADER_SIZE, json_length, "cubin cache", NULL) != 0) {
        return false;
    }
    bool ok = result_from_json(out, root, arena);
    json_decref(root);
    if (ok) {
        const char *code = data + HEADER_SIZE + json_length;
        out->cubin_bytes = size - HEADER_SIZE - json_length;
        char *copy = rft_arena_alloc(arena, out->cubin_bytes + 1); /* PTX is text: a NUL follows */
        memcpy(copy, code, out->cubin_bytes);
        out->cubin = copy;
    }
    return ok;
}

/* True and *out filled when the cache has it; anything wrong with the file is a miss. */
static bool lookup(cache_compiler *self, const char *path, rft_arena *arena, rft_compile_result *out) {
    char *data = NULL;
    size_t size = 0;
    if (!rft_fs_exists(path) || rft_fs_read(&data, &size, path, 0, NULL) != 0) {
        return false;
    }
    bool hit = decode(out, data, size, arena);
    free(data);
    if (hit && self->writable) {
        utimensat(AT_FDCWD, path, NULL, 0); /* used just now: goes last when room is made; failing does no harm */
    }
    return hit;
}

static void keep(cache_compiler *self, const char *path, const rft_compile_result *result) {
    json_t *root = result_to_json(result);
    if (!json_object_get(root, "log") || json_array_size(json_object_get(root, "entries")) != result->entry_count) {
        json_decref(root); /* a log or a name that is not UTF-8 would come back changed */
        return;
    }
    size_t json_size = 0;
    char *json = rft_json_dump(root, &json_size);
    json_decref(root);
    size_t size = HEADER_SIZE + json_size + result->cubin_bytes;
    char *data = rft_alloc(size + 1);
    char length[32];
    snprintf(length, sizeof length, "%016" PRIx64, (uint64_t)json_size);
    memcpy(data, MAGIC, MAGIC_SIZE);
    memcpy(data + MAGIC_SIZE + HASH_SIZE, length, LENGTH_SIZE);
    memset(data + MAGIC_SIZE + HASH_SIZE + LENGTH_SIZE, '-', HEADER_SIZE - MAGIC_SIZE - HASH_SIZE - LENGTH_SIZE);
    memcpy(data + HEADER_SIZE, json, json_size);
    memcpy(data + HEADER_SIZE + json_size, result->cubin, result->cubin_bytes);
    char hash[RFT_HASH_HEX_SIZE];
    rft_hash_hex(data + MAGIC_SIZE + HASH_SIZE, size - MAGIC_SIZE - HASH_SIZE, hash);
    memcpy(data + MAGIC_SIZE, hash, HASH_SIZE);
    rft_err err = RFT_ERR_INIT;
    if (rft_fs_write_atomic(path, data, size, &err) != 0) {
        self->writable = false;
        rft_log_warn(self->log, "compiled kernels are no longer cached: %s; free space or name another cache folder",
                     err.message);
    }
    free(json);
    free(data);
}

/* ---- room ---- */
typedef struct cached_file {
    char *path;
    int64_t used_ns;
    uint64_t bytes;
} cached_file;

static int by_age(const void *a, const void *b) {
    const cached_file *x = a, *y = b;
    return (x->used_ns > y->used_ns) - (x->used_ns < y->used_ns);
}

/* Removes the longest unused files until the folder is a tenth below its limit. */
static void make_room(cache_compiler *self) {
    char **names = NULL;
    size_t count = 0, n = 0;
    uint64_t total_bytes = 0;
    if (rft_fs_list(&names, &count, self->folder, NULL, NULL) != 0) {
        return;
    }
    cached_file *files = rft_calloc(count + 1, sizeof *files);
    for (size_t i = 0; i < count; i++) {
        struct stat status;
        char *path = rft_fs_join(self->folder, names[i]);
        if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
            free(path);
            continue;
        }
        files[n++] = (cached_file){.path = path,
                                   .used_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec,
                                   .bytes = (uint64_t)status.st_size};
        total_bytes += (uint64_t)status.st_size;
    }
    if (total_bytes > limit_bytes) {
        qsort(files, n, sizeof *files, by_age);
        for (size_t i = 0; i < n && total_bytes > limit_bytes / 10 * 9; i++) {
            if (rft_fs_remove(files[i].path, NULL) == 0) {
                total_bytes -= files[i].bytes;
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        free(files[i].path);
    }
    free(files);
    rft_fs_list_free(names, count);
}

/* ---- the seam ---- */
static int cache_compile(rft_compiler *base, const rft_compile_request *request, rft_arena *arena,
                         rft_compile_result *out, rft_err *err) {
    cache_compiler *self = (cache_compiler *)base;
    rft_include_set sources;
    int rc = rft_include_scan(&sources, request, arena, err);
    if (rc != 0) {
        return rc;
    }
    if (sources.computed) { /* a header named by a macro is not in the key */
        return self->inner->compile(self->inner, request, arena, out, err);
    }
    char key[RFT_HASH_HEX_SIZE];
    make_key(self, request, &sources, key);
    char *path = entry_path(self, key);
    *out = (rft_compile_result){.log = ""};
    if (!lookup(self, path, arena, out)) {
        rc = self->inner->compile(self->inner, request, arena, out, err);
        if (rc == 0 && out->ok && self->writable) {
            keep(self, path, out);
        }
    }
    free(path);
    return rc;
}

static const char *cache_version(rft_compiler *base) {
    cache_compiler *self = (cache_compiler *)base;
    return self->inner->version(self->inner);
}

static bool cache_knows_arch(rft_compiler *base, const char *arch) {
    cache_compiler *self = (cache_compiler *)base;
    return self->inner->knows_arch(self->inner, arch);
}

static void cache_free(rft_compiler *base) {
    cache_compiler *self = (cache_compiler *)base;
    if (self) {
        self->inner->free(self->inner);
        free(self->folder);
        free(self);
    }
}

/* Only writing tells whether one can write (access() does not know of full or read-only network disks). */
static bool can_write(const char *folder, rft_err *err) {
    char *path = rft_fs_join(folder, ".writable");
    bool ok = rft_fs_make_folders(folder, err) == 0 && rft_fs_write_atomic(path, "", 0, err) == 0;
    free(path);
    return ok;
}

int rft_compile_cache_new(rft_compiler **out, rft_compiler *inner, const char *folder, const rft_log *log,
                          rft_err *err) {
    (void)err; /* a cache that cannot be kept is a warning, never an error */
    cache_compiler *self = rft_alloc(sizeof *self);
    rft_err why = RFT_ERR_INIT;
    self->base = (rft_compiler){
        .compile = cache_compile, .version = cache_version, .knows_arch = cache_knows_arch, .free = cache_free};
    self->inner = inner;
    self->folder = rft_strdup(folder);
    self->log = log;
    self->writable = can_write(folder, &why);
    if (self->writable) {
        make_room(self);
    } else {
        rft_log_warn(log, "compiled kernels are not cached: %s; name a folder that can be written to", why.message);
    }
    *out = &self->base;
    return 0;
}
