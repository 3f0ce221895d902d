/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/datasheet_device.h"

#include "base/json.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

#define NAMES_SHOWN 6

/* "RTX 4090" -> "rtx4090". */
static char *folded(const char *text, rft_arena *arena) {
    char *out = rft_arena_strdup(arena, text ? text : "");
    char *to = out;
    for (const char *c = out; *c; c++) {
        if (!strchr(" -_", *c)) {
            *to++ = (char)tolower((unsigned char)*c);
        }
    }
    *to = '\0';
    return out;
}

static const char *device_text(const json_t *entry, const char *key) {
    return rft_json_text_or(entry, key, "");
}

/* How an entry may be meant, the surest first. */
enum { BY_SHORT, BY_NAME, BY_MATCH, BY_WORDS, WAYS };

static bool has_every_word(const json_t *entry, const char *word, rft_arena *arena) {
    const char *whole = rft_arena_printf(arena, " %s %s ", device_text(entry, "name"), device_text(entry, "match"));
    char *lower = rft_arena_strdup(arena, whole);
    for (char *c = lower; *c; c++) {
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : ' ';
    }
    bool any = false;
    for (const char *at = word; *at;) {
        size_t length = strcspn(at, " -_");
        if (length > 0) {
            char *piece = rft_arena_printf(arena, " %.*s ", (int)length, at);
            for (char *c = piece; *c; c++) {
                *c = (char)tolower((unsigned char)*c);
            }
            if (!strstr(lower, piece)) {
                return false;
            }
            any = true;
        }
        at += length + (at[length] != '\0');
    }
    return any;
}

static bool is_meant(const json_t *entry, int way, const char *word, rft_arena *arena) {
    const char *wanted = folded(word, arena);
    const char *name = folded(device_text(entry, "name"), arena);
    if (way == BY_WORDS) {
        return has_every_word(entry, word, arena);
    }
    if (way == BY_NAME) {
        return *wanted && (rft_text_equal(wanted, name) ||
                           (rft_text_starts(name, "geforce") && rft_text_equal(wanted, name + strlen("geforce"))));
    }
    return *wanted && rft_text_equal(wanted, folded(device_text(entry, way == BY_SHORT ? "short" : "match"), arena));
}

static int refuse_device(const json_t *table, const char *word, const json_t *const *found, size_t count,
                         rft_arena *arena, rft_err *err) {
    size_t total = json_array_size(table);
    if (count > 1) {
        rft_str names = RFT_STR_INIT;
        for (size_t i = 0; i < count && i < NAMES_SHOWN; i++) {
            rft_str_addf(&names, "%s\"%s\"", i ? ", " : "", device_text(found[i], "name"));
        }
        rft_str_add(&names, count > NAMES_SHOWN ? " ..." : "");
        rft_err_set(err, RFT_E_USAGE, "\"%s\" stands for %zu devices: %s", word, count, rft_str_get(&names));
        rft_str_clear(&names);
        return rft_err_remedy(err, "name one of them in full");
    }
    const char **names = rft_arena_calloc(arena, 3 * total + 1, sizeof *names);
    size_t name_count = 0;
    for (size_t i = 0; i < total; i++) {
        const json_t *entry = json_array_get(table, i);
        const char *each[] = {device_text(entry, "short"), device_text(entry, "match"), device_text(entry, "name")};
        for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
            if (*each[k]) {
                names[name_count++] = each[k];
            }
        }
    }
    const char *near = rft_text_nearest(word, names, name_count);
    rft_err_set(err, RFT_E_USAGE, "no datasheet of a device \"%s\"%s%s%s", word, near ? ", did you mean \"" : "",
                near ? near : "", near ? "\"?" : "");
    return rft_err_remedy(err, "kernels/lib/devices.lua lists the devices; one can be added there, with its source");
}

static int integer_of(const json_t *entry, const char *key) {
    return (int)json_number_value(json_object_get(entry, key));
}

int rft_datasheet_device(rft_gpu_info *out, const char *word, const char *json, rft_arena *arena, rft_err *err) {
    json_t *table = NULL;
    *out = (rft_gpu_info){.name = ""};
    int code = rft_json_parse(&table, json, strlen(json), "devices", err);
    if (code != 0) {
        return code;
    }
    size_t total = json_array_size(table), count = 0;
    const json_t **found = rft_arena_calloc(arena, total + 1, sizeof *found);
    for (int way = 0; way < WAYS && count == 0; way++) {
        for (size_t i = 0; i < total; i++) {
            const json_t *entry = json_array_get(table, i);
            if (is_meant(entry, way, word, arena)) {
                found[count++] = entry;
            }
        }
    }
    if (count != 1) {
        code = refuse_device(table, word, found, count, arena, err);
    } else {
        const int cc = integer_of(found[0], "cc");
        const double memory_gbps = json_number_value(json_object_get(found[0], "memory_gbps"));
        *out = (rft_gpu_info){.name = rft_arena_strdup(arena, device_text(found[0], "match")),
                              .cc_major = cc / 10,
                              .cc_minor = cc % 10,
                              .sms = integer_of(found[0], "sms"),
                              .memory_clock_khz = (int)(memory_gbps / 2.0 * 1e6),
                              .memory_bus_bits = integer_of(found[0], "bus_bits")};
    }
    json_decref(table);
    return code;
}
