/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include "base/fs.h"
#include "base/plain.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What jansson's tree of the text takes, a quarter too much rather than too little: an object of its hash table, an
 * array of its first eight places, a member of its pair. Of numbers the commas beside them are counted. */
static size_t tree_bytes(const char *text, size_t size) {
    enum { OBJECT = 256, ARRAY = 128, MEMBER = 64, STRING = 64, ELEMENT = 48 };
    size_t bytes = 0;
    for (size_t i = 0; i < size; i++) {
        size_t start = i;
        switch (text[i]) {
        case '{':
            bytes += OBJECT;
            break;
        case '[':
            bytes += ARRAY;
            break;
        case ':':
            bytes += MEMBER;
            break;
        case ',':
            bytes += ELEMENT;
            break;
        case '"':
            for (i++; i < size && text[i] != '"'; i++) {
                i += text[i] == '\\';
            }
            bytes += STRING + (i - start);
            break;
        default:
            break;
        }
    }
    return bytes;
}

int rft_json_parse(json_t **out, const char *text, size_t size, const char *what, rft_err *err) {
    json_error_t where;
    size_t needed = tree_bytes(text, size), most = RFT_JSON_TREE_BASE + RFT_JSON_TREE_FACTOR * size;
    *out = NULL;
    if (needed > most) {
        rft_err_set(err, RFT_E_RECORDING,
                    "%s is %zu bytes of JSON, made of so many small values that it would take %zu MiB to read; a file "
                    "of its size may take %zu MiB",
                    what, size, needed >> 20, most >> 20);
        rft_err_remedy(err, "no file of measurements looks like this: copy or download it again");
        return RFT_E_RECORDING;
    }
    *out = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
    if (*out) {
        return 0;
    }
    if (!*where.text || json_error_code(&where) == json_error_out_of_memory) { /* jansson may not even say that */
        rft_err_set(err, RFT_E_LIMIT, "%s takes more memory to read than this process may have", what);
        return rft_err_remedy(err, "free memory, or raise the limit on it (ulimit -v, the container's or the job's)");
    }
    rft_err_set(err, RFT_E_RECORDING, "%s is not JSON: %s", what, where.text);
    rft_err_place(err, "%s:%d:%d", what, where.line, where.column);
    return RFT_E_RECORDING;
}

int rft_json_read_file(json_t **out, const char *path, size_t max_bytes, rft_err *err) {
    char *text = NULL;
    size_t size = 0;
    *out = NULL;
    int code = rft_fs_is_gzip(path) ? rft_fs_read_gzip(&text, &size, path, max_bytes, err)
                                    : rft_fs_read(&text, &size, path, max_bytes, err);
    if (!code) {
        code = rft_json_parse(out, text, size, path, err);
    }
    free(text);
    return code;
}

/* How much of it stands as it is: printable ASCII, which nearly all is. */
static size_t plain_length(const unsigned char *at, const unsigned char *end) {
    const unsigned char *from = at;
    while (at < end && *at >= ' ' && *at < 0x7f && *at != '"' && *at != '\\') {
        at++;
    }
    return (size_t)(at - from);
}

/* Also what would act on a terminal is written as an escape: the same text to a reader of JSON. */
static void dump_text(rft_str *out, const char *text, size_t length) {
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    rft_str_add_char(out, '"');
    while (at < end) {
        size_t plain = plain_length(at, end);
        rft_str_add_n(out, (const char *)at, plain);
        at += plain;
        if (at == end) {
            break;
        }
        size_t bytes = rft_utf8_bytes(at);
        unsigned code = bytes ? rft_utf8_code(at, bytes) : *at;
        if (code == '"' || code == '\\') {
            rft_str_addf(out, "\\%c", (int)code);
        } else if (code == '\n') {
            rft_str_add(out, "\\n");
        } else if (bytes && rft_plain_hides(code)) {
            rft_str_addf(out, "\\u%04x", code);
        } else {
            rft_str_add_n(out, (const char *)at, bytes ? bytes : 1);
        }
        at += bytes ? bytes : 1;
    }
    rft_str_add_char(out, '"');
}

/* jansson would write 17 digits (0.10000000000000001); a real keeps a mark that it is none of the integers. */
static void dump_real(rft_str *out, double value) {
    if (!isfinite(value)) {
        rft_str_add(out, "null");
        return;
    }
    size_t start = out->length;
    rft_str_add_double(out, value);
    if (!strpbrk(out->data + start, ".e")) {
        rft_str_add(out, ".0");
    }
}

static void dump(rft_str *out, const json_t *value);

static void dump_object(rft_str *out, const json_t *object) {
    json_t *map = (json_t *)(uintptr_t)object; /* jansson's iterators take no const */
    const char *separator = "";
    rft_str_add_char(out, '{');
    for (void *at = json_object_iter(map); at; at = json_object_iter_next(map, at)) {
        const char *key = json_object_iter_key(at);
        rft_str_add(out, separator);
        dump_text(out, key, strlen(key));
        rft_str_add_char(out, ':');
        dump(out, json_object_iter_value(at));
        separator = ",";
    }
    rft_str_add_char(out, '}');
}

static void dump(rft_str *out, const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        dump_object(out, value);
        break;
    case JSON_ARRAY:
        rft_str_add_char(out, '[');
        for (size_t i = 0; i < json_array_size(value); i++) {
            if (i) {
                rft_str_add_char(out, ',');
            }
            dump(out, json_array_get(value, i));
        }
        rft_str_add_char(out, ']');
        break;
    case JSON_STRING:
        dump_text(out, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        rft_str_add_int(out, json_integer_value(value));
        break;
    case JSON_REAL:
        dump_real(out, json_real_value(value));
        break;
    case JSON_TRUE:
        rft_str_add(out, "true");
        break;
    case JSON_FALSE:
        rft_str_add(out, "false");
        break;
    case JSON_NULL:
        rft_str_add(out, "null");
        break;
    }
}

char *rft_json_dump(const json_t *value, size_t *size) {
    rft_str out = RFT_STR_INIT;
    dump(&out, value);
    if (size) {
        *size = out.length;
    }
    return rft_str_take(&out);
}

static int expected(rft_err *err, const char *path, const char *key, const char *what, const json_t *found) {
    const char *dot = path && *path ? "." : "";
    if (!found) {
        return rft_err_set(err, RFT_E_RECORDING, "%s%s%s: missing, expected %s", path ? path : "", dot, key, what);
    }
    static const char *const kinds[] = {"an object", "an array", "a text", "an integer",
                                        "a number",  "true",     "false",  "null"};
    return rft_err_set(err, RFT_E_RECORDING, "%s%s%s: expected %s, found %s", path ? path : "", dot, key, what,
                       kinds[json_typeof(found)]);
}

static bool to_int(const json_t *value, int64_t *out) {
    if (json_is_integer(value)) {
        *out = json_integer_value(value);
        return true;
    }
    double real = json_is_real(value) ? json_real_value(value) : NAN;
    if (!(fabs(real) <= 9007199254740992.0) || real != trunc(real)) {
        return false;
    }
    *out = (int64_t)real;
    return true;
}

int rft_json_text(const char **out, const json_t *object, const char *key, const char *path, rft_err *err) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value)) {
        return expected(err, path, key, "a text", value);
    }
    *out = json_string_value(value);
    return 0;
}

int rft_json_array(json_t **out, const json_t *object, const char *key, const char *path, rft_err *err) {
    json_t *value = json_object_get(object, key);
    if (!json_is_array(value)) {
        return expected(err, path, key, "an array", value);
    }
    *out = value;
    return 0;
}

int rft_json_object(json_t **out, const json_t *object, const char *key, const char *path, rft_err *err) {
    json_t *value = json_object_get(object, key);
    if (!json_is_object(value)) {
        return expected(err, path, key, "an object", value);
    }
    *out = value;
    return 0;
}

const char *rft_json_text_or(const json_t *object, const char *key, const char *fallback) {
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? json_string_value(value) : fallback;
}

int64_t rft_json_int_or(const json_t *object, const char *key, int64_t fallback) {
    int64_t found = fallback;
    const json_t *value = json_object_get(object, key);
    return value && to_int(value, &found) ? found : fallback;
}

double rft_json_real_or(const json_t *object, const char *key, double fallback) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

bool rft_json_bool_or(const json_t *object, const char *key, bool fallback) {
    const json_t *value = json_object_get(object, key);
    return json_is_boolean(value) ? json_is_true(value) : fallback;
}

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

json_t *rft_json_clean_text(const char *text, size_t max_bytes) {
    if (!text) {
        return json_null();
    }
    json_t *as_is = max_bytes == 0 ? json_string(text) : NULL;
    if (as_is) {
        return as_is;
    }
    rft_str clean = RFT_STR_INIT;
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        size_t bytes = rft_utf8_bytes(at);
        const char *piece = bytes ? (const char *)at : REPLACEMENT;
        size_t length = bytes ? bytes : strlen(REPLACEMENT);
        if (max_bytes && clean.length + length > max_bytes) {
            break;
        }
        rft_str_add_n(&clean, piece, length);
        at += bytes ? bytes : 1;
    }
    json_t *value = json_stringn(rft_str_get(&clean), clean.length);
    rft_str_clear(&clean);
    return value;
}

json_t *rft_json_real_new(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}
