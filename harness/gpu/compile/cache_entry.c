/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/cache_entry.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "RFTCUBIN"

enum { MAGIC_SIZE = 8, HASH_SIZE = 64, LENGTH_SIZE = 16, HEADER_SIZE = 96 };

/* ---- to bytes ---- */
static json_t *entry_to_json(const rft_compiled_entry *entry) {
    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:I, s:i}", "name", entry->name, "symbol",
                     entry->symbol ? entry->symbol : "", "registers", entry->registers, "spill_store_bytes",
                     entry->spill_store_bytes, "spill_load_bytes", entry->spill_load_bytes, "stack_bytes",
                     entry->stack_bytes, "shared_bytes", (json_int_t)entry->shared_bytes, "barriers", entry->barriers);
}

static json_t *result_to_json(const rft_compile_result *result, const char *key) {
    json_t *entries = json_array();
    for (size_t i = 0; i < result->entry_count; i++) {
        json_array_append_new(entries, entry_to_json(&result->entries[i]));
    }
    json_t *root = json_object();
    json_object_set_new(root, "key", json_string(key));
    json_object_set_new(root, "log", json_string(result->log));
    json_object_set_new(root, "cubin_hash", json_string(result->cubin_hash));
    json_object_set_new(root, "is_ptx", json_boolean(result->is_ptx));
    json_object_set_new(root, "seconds", rft_json_real_new(result->seconds));
    json_object_set_new(root, "entries", entries);
    return root;
}

char *rft_cache_entry_encode(size_t *size, const char *key, const rft_compile_result *result) {
    json_t *root = result_to_json(result, key);
    if (!json_object_get(root, "log") || json_array_size(json_object_get(root, "entries")) != result->entry_count) {
        json_decref(root);
        return NULL;
    }
    size_t json_size = 0;
    char *json = rft_json_dump(root, &json_size);
    json_decref(root);
    *size = HEADER_SIZE + json_size + result->cubin_bytes;
    char *data = rft_alloc(*size + 1);
    char length[32];
    snprintf(length, sizeof length, "%016" PRIx64, (uint64_t)json_size);
    memcpy(data, MAGIC, MAGIC_SIZE);
    memcpy(data + MAGIC_SIZE + HASH_SIZE, length, LENGTH_SIZE);
    memset(data + MAGIC_SIZE + HASH_SIZE + LENGTH_SIZE, '-', HEADER_SIZE - MAGIC_SIZE - HASH_SIZE - LENGTH_SIZE);
    memcpy(data + HEADER_SIZE, json, json_size);
    if (result->cubin_bytes) {
        memcpy(data + HEADER_SIZE + json_size, result->cubin, result->cubin_bytes);
    }
    free(json);
    char hash[RFT_HASH_HEX_SIZE];
    rft_hash_hex(data + MAGIC_SIZE + HASH_SIZE, *size - MAGIC_SIZE - HASH_SIZE, hash);
    memcpy(data + MAGIC_SIZE, hash, HASH_SIZE);
    return data;
}

/* ---- and back ---- */
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

static bool result_from_json(rft_compile_result *out, const json_t *root, const rft_compile_request *request,
                             rft_arena *arena) {
    const json_t *entries = json_object_get(root, "entries");
    const char *hash = rft_json_text_or(root, "cubin_hash", "");
    if (json_array_size(entries) != request->name_count || strlen(hash) != sizeof out->cubin_hash - 1) {
        return false;
    }
    out->entry_count = request->name_count;
    out->entries = rft_arena_calloc(arena, out->entry_count + 1, sizeof *out->entries);
    for (size_t i = 0; i < out->entry_count; i++) {
        entry_from_json(&out->entries[i], json_array_get(entries, i), arena);
        if (!rft_text_equal(out->entries[i].name, request->names[i])) {
            return false;
        }
    }
    out->ok = true;
    out->log = rft_arena_strdup(arena, rft_json_text_or(root, "log", ""));
    memcpy(out->cubin_hash, hash, sizeof out->cubin_hash);
    out->is_ptx = rft_json_bool_or(root, "is_ptx", false);
    out->seconds = rft_json_real_or(root, "seconds", 0);
    out->from_cache = true;
    return true;
}

/* The JSON's length if the bytes are whole and unaltered, 0 otherwise. */
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

bool rft_cache_entry_decode(rft_compile_result *out, const char *data, size_t size, const char *key,
                            const rft_compile_request *request, rft_arena *arena) {
    size_t json_length = checked_json_length(data, size);
    json_t *root = NULL;
    *out = (rft_compile_result){.log = ""};
    if (json_length == 0 || rft_json_parse(&root, data + HEADER_SIZE, json_length, "cubin cache", NULL) != 0) {
        return false;
    }
    /* A file under another's name is whole, and wrong. */
    bool ok = rft_text_equal(rft_json_text_or(root, "key", ""), key) && result_from_json(out, root, request, arena);
    json_decref(root);
    if (!ok) {
        *out = (rft_compile_result){.log = ""};
        return false;
    }
    out->cubin_bytes = size - HEADER_SIZE - json_length;
    char *copy = rft_arena_alloc(arena, out->cubin_bytes + 1); /* PTX is text: a NUL follows */
    memcpy(copy, data + HEADER_SIZE + json_length, out->cubin_bytes);
    out->cubin = copy;
    return true;
}
