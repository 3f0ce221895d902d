/* SPDX-License-Identifier: Apache-2.0 */
#include "model/datasheet.h"

#include "base/json.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const rft_ceiling_id dram_mixes[] = {RFT_CEILING_DRAM_READ, RFT_CEILING_DRAM_WRITE, RFT_CEILING_DRAM_COPY,
                                            RFT_CEILING_DRAM_2TO1};

static bool word_char(char c) {
    return isalnum((unsigned char)c) != 0;
}

/* Whether `name` contains `pattern` as whole words. */
static bool contains_words(const char *name, const char *pattern) {
    size_t length = strlen(pattern);
    for (const char *at = strstr(name, pattern); length > 0 && at != NULL; at = strstr(at + 1, pattern)) {
        if ((at == name || !word_char(at[-1])) && !word_char(at[length])) {
            return true;
        }
    }
    return false;
}

static bool is_text_key(const char *key) {
    return strcmp(key, "match") == 0 || strcmp(key, "name") == 0 || strcmp(key, "source") == 0 ||
           strcmp(key, "basis") == 0;
}

/* Every key of an entry is a text, "dram", or a ceiling with a positive number. */
static int check_entry(const json_t *entry, size_t index, rft_err *err) {
    if (!json_is_object(entry)) {
        rft_err_set(err, RFT_E_SCRIPT, "expected a table");
        rft_err_place(err, "devices[%zu]", index + 1);
        return RFT_E_SCRIPT;
    }
    json_t *map = (json_t *)(uintptr_t)entry; /* jansson's iterators take no const */
    for (void *at = json_object_iter(map); at != NULL; at = json_object_iter_next(map, at)) {
        const char *key = json_object_iter_key(at);
        const json_t *value = json_object_iter_value(at);
        rft_ceiling_id id;
        const char *wrong = NULL;
        if (is_text_key(key)) {
            wrong = json_is_string(value) ? NULL : "expected a text";
        } else if (strcmp(key, "dram") == 0 || rft_ceiling_from_name(&id, key)) {
            wrong = json_is_number(value) && json_number_value(value) > 0.0 ? NULL : "expected a positive number";
        } else {
            wrong = "unknown key: neither a ceiling nor match, name, source, basis";
        }
        if (wrong != NULL) {
            rft_err_set(err, RFT_E_SCRIPT, "%s", wrong);
            rft_err_place(err, "devices[%zu].%s", index + 1, key);
            return RFT_E_SCRIPT;
        }
    }
    if (!json_is_string(json_object_get(entry, "match"))) {
        rft_err_set(err, RFT_E_SCRIPT, "needs `match`, part of the device's name");
        rft_err_place(err, "devices[%zu]", index + 1);
        return RFT_E_SCRIPT;
    }
    return 0;
}

/* The entry with the longest match; NULL in *out when there is none. Checks them all. */
static int find_entry(const json_t *table, const char *device, const json_t **out, rft_err *err) {
    *out = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *entry = json_array_get(table, i);
        int code = check_entry(entry, i, err);
        if (code != 0) {
            return code;
        }
        const char *match = json_string_value(json_object_get(entry, "match"));
        if (strlen(match) > longest && contains_words(device, match)) {
            longest = strlen(match);
            *out = entry;
        }
    }
    return 0;
}

static void set_value(rft_ceiling *ceiling, double value, const char *basis) {
    ceiling->datasheet = value;
    ceiling->datasheet_basis = basis;
}

static void apply_entry(rft_ceilings *ceilings, const json_t *entry, rft_arena *arena) {
    const char *clock = rft_json_text_or(entry, "basis", "");
    const char *source = rft_json_text_or(entry, "source", "");
    const char *basis =
        rft_arena_printf(arena, "%s%s%s", clock, clock[0] != '\0' && source[0] != '\0' ? "; " : "", source);
    const json_t *dram = json_object_get(entry, "dram");
    for (size_t i = 0; dram != NULL && i < sizeof dram_mixes / sizeof *dram_mixes; i++) {
        set_value(&ceilings->items[dram_mixes[i]], json_number_value(dram), basis);
    }
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        const json_t *value = json_object_get(entry, rft_ceiling_name((rft_ceiling_id)i));
        if (value != NULL) {
            set_value(&ceilings->items[i], json_number_value(value), basis);
        }
    }
}

int rft_datasheet_apply(rft_ceilings *ceilings, const rft_gpu_info *gpu, const char *json, rft_arena *arena,
                        rft_err *err) {
    json_t *table = NULL;
    const json_t *entry = NULL;
    int code = rft_json_parse(&table, json, strlen(json), "devices", err);
    if (code != 0) {
        return code;
    }
    /* A Lua table without entries reads as an object. */
    if (!json_is_array(table) && json_object_size(table) > 0) {
        code = rft_err_set(err, RFT_E_SCRIPT, "devices: expected a list of tables");
        code = code != 0 ? code : RFT_E_SCRIPT;
        goto done;
    }
    code = find_entry(table, gpu->name, &entry, err);
    if (code == 0 && entry != NULL && strstr(gpu->name, " MIG ") == NULL) {
        apply_entry(ceilings, entry, arena);
    }
done:
    json_decref(table);
    return code;
}
