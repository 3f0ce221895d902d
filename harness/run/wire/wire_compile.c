/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, compile requests and results on the wire. */
#include "run/wire/wire.h"

#include <stdio.h>
#include <string.h>

json_t *rft_wire_of_err(const rft_err *err) {
    return json_pack("{s:{s:i,s:o,s:o,s:o}}", "error", "code", err->code, "place", rft_json_clean_text(err->place, 0),
                     "message", rft_json_clean_text(err->message, 0), "remedy", rft_json_clean_text(err->remedy, 0));
}

int rft_wire_to_err(rft_err *err, const json_t *head) {
    const json_t *error = json_object_get(head, "error");
    if (!error) {
        return RFT_OK;
    }
    int code = (int)rft_json_int_or(error, "code", RFT_E_INTERNAL);
    rft_err_set(err, code < 0 ? code : RFT_E_INTERNAL, "%s", rft_json_text_or(error, "message", "unknown error"));
    rft_err_place(err, "%s", rft_json_text_or(error, "place", ""));
    rft_err_remedy(err, "%s", rft_json_text_or(error, "remedy", ""));
    return code < 0 ? code : RFT_E_INTERNAL;
}

static json_t *texts(const char *const *items, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(array, rft_json_clean_text(items[i], 0));
    }
    return array;
}

static int to_texts(const char *const **out, size_t *count, const json_t *head, const char *key, rft_arena *arena,
                    rft_err *err) {
    json_t *array = NULL;
    int rc = rft_json_array(&array, head, key, "frame", err);
    if (rc != RFT_OK) {
        return rc;
    }
    *count = json_array_size(array);
    const char **items = rft_arena_calloc(arena, *count + 1, sizeof *items);
    for (size_t i = 0; i < *count; i++) {
        const json_t *item = json_array_get(array, i);
        if (!json_is_string(item)) {
            return rft_err_set(err, RFT_E_WORKER, "frame.%s: expected strings", key);
        }
        items[i] = rft_arena_strdup(arena, json_string_value(item));
    }
    *out = items;
    return RFT_OK;
}

json_t *rft_wire_of_compiler_facts(const rft_compiler_facts *facts) {
    return json_pack("{s:s,s:b,s:b}", "version", facts->version, "knows_arch", facts->knows_arch, "compiles",
                     facts->compiles);
}

void rft_wire_to_compiler_facts(rft_compiler_facts *out, const json_t *head) {
    snprintf(out->version, sizeof out->version, "%s", rft_json_text_or(head, "version", ""));
    out->knows_arch = rft_json_bool_or(head, "knows_arch", false);
    out->compiles = rft_json_bool_or(head, "compiles", false);
}

static const rft_field request_items[] = {
    RFT_WIRE_FIELD(rft_compile_request, source_name, TEXT),
    RFT_WIRE_FIELD(rft_compile_request, source_text, TEXT),
    RFT_WIRE_FIELD(rft_compile_request, source_path, TEXT),
    RFT_WIRE_FIELD(rft_compile_request, arch, TEXT),
};
static const rft_fields request_fields = RFT_WIRE_TABLE(request_items);

json_t *rft_wire_of_compile_request(const rft_compile_request *request) {
    json_t *head = rft_wire_of_fields(&request_fields, request);
    json_object_set_new(head, "names", texts(request->names, request->name_count));
    json_object_set_new(head, "options", texts(request->options, request->option_count));
    return head;
}

int rft_wire_to_compile_request(rft_compile_request *out, const json_t *head, rft_arena *arena, rft_err *err) {
    *out = (rft_compile_request){0};
    int rc = rft_wire_to_fields(&request_fields, out, head, arena, err);
    if (rc == RFT_OK) {
        rc = to_texts(&out->names, &out->name_count, head, "names", arena, err);
    }
    if (rc == RFT_OK) {
        rc = to_texts(&out->options, &out->option_count, head, "options", arena, err);
    }
    return rc;
}

static const rft_field result_items[] = {
    RFT_WIRE_FIELD(rft_compile_result, ok, BOOL),      RFT_WIRE_FIELD(rft_compile_result, log, TEXT),
    RFT_WIRE_FIELD(rft_compile_result, is_ptx, BOOL),  RFT_WIRE_FIELD(rft_compile_result, cubin_bytes, UINT64),
    RFT_WIRE_FIELD(rft_compile_result, seconds, REAL), RFT_WIRE_FIELD(rft_compile_result, from_cache, BOOL),
};
static const rft_fields result_fields = RFT_WIRE_TABLE(result_items);

/* shared_bytes is a long: 64 bits on every platform rooftune runs on. */
_Static_assert(sizeof(long) == sizeof(int64_t), "long is expected to be 64 bits");

static const rft_field entry_items[] = {
    RFT_WIRE_FIELD(rft_compiled_entry, name, TEXT),
    RFT_WIRE_FIELD(rft_compiled_entry, symbol, TEXT),
    RFT_WIRE_FIELD(rft_compiled_entry, registers, INT),
    RFT_WIRE_FIELD(rft_compiled_entry, spill_store_bytes, INT),
    RFT_WIRE_FIELD(rft_compiled_entry, spill_load_bytes, INT),
    RFT_WIRE_FIELD(rft_compiled_entry, stack_bytes, INT),
    RFT_WIRE_FIELD(rft_compiled_entry, shared_bytes, INT64),
    RFT_WIRE_FIELD(rft_compiled_entry, barriers, INT),
};
static const rft_fields entry_fields = RFT_WIRE_TABLE(entry_items);

json_t *rft_wire_of_compile_result(const rft_compile_result *result) {
    json_t *head = rft_wire_of_fields(&result_fields, result);
    json_object_set_new(head, "cubin_hash", json_string(result->cubin_hash));
    json_t *entries = json_array();
    for (size_t i = 0; i < result->entry_count; i++) {
        json_array_append_new(entries, rft_wire_of_fields(&entry_fields, &result->entries[i]));
    }
    json_object_set_new(head, "entries", entries);
    return head;
}

int rft_wire_to_compile_result(rft_compile_result *out, const json_t *head, const void *blob, size_t blob_bytes,
                               rft_arena *arena, rft_err *err) {
    *out = (rft_compile_result){0};
    json_t *entries = NULL;
    int rc = rft_wire_to_fields(&result_fields, out, head, arena, err);
    if (rc == RFT_OK) {
        rc = rft_json_array(&entries, head, "entries", "frame", err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    if (out->cubin_bytes > blob_bytes) {
        return rft_err_set(err, RFT_E_WORKER, "frame: the cubin is longer than its blob");
    }
    out->cubin = rft_arena_memdup(arena, blob, out->cubin_bytes);
    snprintf(out->cubin_hash, sizeof out->cubin_hash, "%s", rft_json_text_or(head, "cubin_hash", ""));
    out->entry_count = json_array_size(entries);
    out->entries = rft_arena_calloc(arena, out->entry_count + 1, sizeof *out->entries);
    for (size_t i = 0; i < out->entry_count && rc == RFT_OK; i++) {
        rc = rft_wire_to_fields(&entry_fields, &out->entries[i], json_array_get(entries, i), arena, err);
    }
    return rc;
}
