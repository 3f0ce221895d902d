/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/edit_json.h"

#include "base/hash.h"
#include "fuzz/commands/hostile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the tree as the texts "@@0", "@@1", ...: what jansson cannot write. */
static const char *const foreign[] = {
    "NaN",
    "-Infinity",
    "1e400",
    "-1e400",
    "0x10",
    "01",
    "+1",
    ".5",
    "1e99999",
    "9223372036854775808",
    "-9223372036854775809",
    "123456789012345678901234567890123456789012345678901234567890",
    "\"\xff\xfe\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\xc0\xaf\"",
    "\"a\\u0000b\"",
    "undefined",
    "'text'",
    "1.0000000000000000000000000000000000001",
    "-0.0",
    "5e-324",
    "\"\x1b[2J\"",
    "",
};
enum { FOREIGN_COUNT = sizeof foreign / sizeof *foreign };
#define TWICE "@=" /* before a key that stands there a second time */

typedef struct place {
    json_t *parent; /* NULL: the root */
    const char *key;
    size_t index;
    json_t *value;
} place;

static place child_of(json_t *parent, uint64_t *random) {
    place at = {.parent = parent};
    if (json_is_array(parent)) {
        at.index = rft_random_below(random, json_array_size(parent));
        at.value = json_array_get(parent, at.index);
        return at;
    }
    size_t steps = rft_random_below(random, json_object_size(parent));
    void *item = json_object_iter(parent);
    while (steps--) {
        item = json_object_iter_next(parent, item);
    }
    at.key = json_object_iter_key(item);
    at.value = json_object_iter_value(item);
    return at;
}

static size_t size_of(const json_t *value) {
    return json_is_array(value) ? json_array_size(value) : json_is_object(value) ? json_object_size(value) : 0;
}

/* Descends at random, so that a rare branch is met as often as one with a million leaves. */
static place pick(json_t *root, uint64_t *random) {
    place at = {.value = root};
    while (size_of(at.value) && (!at.parent || !hostile_chance(random, 6))) {
        at = child_of(at.value, random);
    }
    return at;
}

static void put(const place *at, json_t *value) {
    if (!at->parent) {
        json_decref(value);
    } else if (json_is_array(at->parent)) {
        json_array_set_new(at->parent, at->index, value);
    } else {
        char *key = rft_strdup(at->key); /* dies with the value otherwise */
        json_object_set_new(at->parent, key, value);
        free(key);
    }
}

static void take_out(const place *at) {
    if (json_is_array(at->parent)) {
        json_array_remove(at->parent, at->index);
    } else if (at->parent) {
        char *key = rft_strdup(at->key);
        json_object_del(at->parent, key);
        free(key);
    }
}

static json_t *hostile_string(uint64_t *random) {
    rft_str text = RFT_STR_INIT;
    hostile_text(&text, true, random);
    json_t *value = json_string(rft_str_get(&text));
    rft_str_clear(&text);
    return value;
}

static json_t *deep(uint64_t *random) {
    static const size_t depths[] = {
        3, 100, 1000, 2040, 2100,
    };
    json_t *value = json_integer(1);
    bool lists = hostile_chance(random, 2);
    for (size_t left = depths[rft_random_below(random, 5)]; left; left--) {
        json_t *outer = lists ? json_array() : json_object();
        if (lists) {
            json_array_append_new(outer, value);
        } else {
            json_object_set_new(outer, "a", value);
        }
        value = outer;
    }
    return value;
}

static json_t *other_scalar(uint64_t *random) {
    switch (rft_random_below(random, 8)) {
    case 0:
        return json_null();
    case 1:
        return json_boolean(hostile_chance(random, 2));
    case 2:
        return json_real(hostile_real(random));
    case 3:
        return json_integer(hostile_int(random));
    case 4:
        return json_sprintf("@@%d", (int)rft_random_below(random, FOREIGN_COUNT));
    case 5:
        return hostile_chance(random, 4) ? deep(random) : json_array();
    case 6:
        return json_object();
    default:
        return hostile_string(random);
    }
}

/* A value of the same type, or nearly so: what passes a check of types. */
static json_t *same_type(const json_t *old, uint64_t *random) {
    if (json_is_string(old)) {
        return hostile_string(random);
    }
    if (json_is_boolean(old)) {
        return json_boolean(!json_is_true(old));
    }
    if (json_is_number(old)) {
        switch (rft_random_below(random, 4)) {
        case 0:
            return json_real(json_number_value(old) * -1);
        case 1:
            return json_integer((json_int_t)(fabs(json_number_value(old)) < 1e15 ? json_number_value(old) : 0) + 1);
        case 2:
            return json_is_real(old) ? json_real(hostile_real(random)) : json_integer(hostile_int(random));
        default:
            return json_integer(hostile_int(random));
        }
    }
    return other_scalar(random);
}

static void edit_array(json_t *list, uint64_t *random) {
    size_t count = json_array_size(list), at = 0;
    switch (rft_random_below(random, 6)) {
    case 0:
        json_array_clear(list);
        break;
    case 1: /* doubled */
        for (size_t i = 0; i < count && i < 4096; i++) {
            json_array_append_new(list, json_deep_copy(json_array_get(list, i)));
        }
        break;
    case 2: /* reversed */
        for (size_t i = 1; i < count; i++) {
            json_array_insert(list, 0, json_array_get(list, i));
            json_array_remove(list, i + 1);
        }
        break;
    case 3: /* all of it one value */
        if (count) {
            json_t *value = same_type(json_array_get(list, rft_random_below(random, count)), random);
            for (size_t i = 0; i < count; i++) {
                json_array_set(list, i, value);
            }
            json_decref(value);
        }
        break;
    case 4:
        at = rft_random_below(random, count + 1); /* in an order of its own: compilers differ in that of arguments */
        json_array_insert_new(list, at, other_scalar(random));
        break;
    default: /* nested */
        json_array_append_new(list, json_deep_copy(list));
        break;
    }
}

static void edit_object(json_t *object, uint64_t *random) {
    if (json_object_size(object) == 0 || hostile_chance(random, 8)) {
        json_object_clear(object);
        json_object_set_new(object, "a", other_scalar(random));
        return;
    }
    place at = child_of(object, random);
    rft_str key = RFT_STR_INIT;
    json_t *kept = json_deep_copy(at.value);
    switch (rft_random_below(random, 3)) {
    case 0: /* the key twice */
        rft_str_addf(&key, TWICE "%s", at.key);
        if (hostile_chance(random, 2)) {
            json_decref(kept);
            kept = other_scalar(random);
        }
        break;
    case 1: /* renamed */
        hostile_text(&key, true, random);
        take_out(&at);
        break;
    default: /* the value under another's key */
        rft_str_add(&key, child_of(object, random).key);
        break;
    }
    json_object_set_new(object, rft_str_get(&key), kept);
    rft_str_clear(&key);
}

static void edit_once(json_t *root, uint64_t *random) {
    place at = pick(root, random);
    switch (rft_random_below(random, 10)) {
    case 0:
        put(&at, other_scalar(random));
        break;
    case 1:
        take_out(&at);
        break;
    case 2: /* what stands elsewhere */
        put(&at, json_deep_copy(pick(root, random).value));
        break;
    case 3:
    case 4:
    case 5:
        if (json_is_array(at.value)) {
            edit_array(at.value, random);
            break;
        }
        if (json_is_object(at.value)) {
            edit_object(at.value, random);
            break;
        }
        if (at.parent && hostile_chance(random, 3)) {
            if (json_is_array(at.parent)) {
                edit_array(at.parent, random);
            } else {
                edit_object(at.parent, random);
            }
            break;
        } /* fallthrough */
    default:
        put(&at, size_of(at.value) ? other_scalar(random) : same_type(at.value, random));
        break;
    }
}

/* Puts the foreign words and the second keys into the text. */
static void write_out(rft_str *out, const char *text) {
    for (const char *at = text; *at;) {
        const char *mark = strstr(at, "\"@");
        if (!mark) {
            rft_str_add(out, at);
            return;
        }
        rft_str_add_n(out, at, (size_t)(mark - at));
        at = mark + 1;
        char *end = NULL;
        if (at[1] == '@') {
            unsigned long which = strtoul(at + 2, &end, 10);
            if (end > at + 2 && *end == '"' && which < FOREIGN_COUNT) {
                rft_str_add(out, foreign[which]);
                at = end + 1;
                continue;
            }
        }
        rft_str_add_char(out, '"');
        at += at[1] == '=' ? strlen(TWICE) : 0;
    }
}

void edit_json(rft_str *out, json_t *root, uint64_t *random) {
    for (size_t left = 1 + rft_random_below(random, hostile_chance(random, 3) ? 4 : 1); left; left--) {
        edit_once(root, random);
    }
    char *text = json_dumps(root, JSON_ENCODE_ANY | (hostile_chance(random, 2) ? JSON_COMPACT : JSON_ENSURE_ASCII));
    write_out(out, text ? text : "null"); /* NULL: deeper than jansson writes */
    free(text);
}
