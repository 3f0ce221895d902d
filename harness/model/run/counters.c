/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/counters.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

enum { SET_DEFAULT, SET_ALL };

typedef struct counter_row {
    const char *name, *unit, *label, *definition;
    int set;
} counter_row;

static const counter_row rows[RFT_COUNTER_COUNT] = {
#define COUNTER_ROW(id, name, unit, label, set, definition) {name, unit, label, definition, SET_##set},
    RFT_COUNTER_MAP(COUNTER_ROW)
#undef COUNTER_ROW
};

const char *rft_counter_name(rft_counter counter) {
    return rows[counter].name;
}

const char *rft_counter_unit(rft_counter counter) {
    return rows[counter].unit;
}

const char *rft_counter_label(rft_counter counter) {
    return rows[counter].label;
}

const char *rft_counter_definition(rft_counter counter) {
    return rows[counter].definition;
}

bool rft_counter_in_default(rft_counter counter) {
    return rows[counter].set == SET_DEFAULT;
}

bool rft_counter_from_name(rft_counter *out, const char *name) {
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (rft_text_equal(rows[i].name, name)) {
            *out = (rft_counter)i;
            return true;
        }
    }
    return false;
}

/* ---- sets ---- */
rft_counter_set rft_counter_set_none(void) {
    return (rft_counter_set){.raw = NULL};
}

static void want(rft_counter_set *set, int most) {
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        set->wanted[i] = set->wanted[i] || rows[i].set <= most;
    }
}

rft_counter_set rft_counter_set_default(void) {
    rft_counter_set set = rft_counter_set_none();
    want(&set, SET_DEFAULT);
    return set;
}

rft_counter_set rft_counter_set_all(void) {
    rft_counter_set set = rft_counter_set_none();
    want(&set, SET_ALL);
    return set;
}

bool rft_counter_set_is_empty(const rft_counter_set *set) {
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (set->wanted[i]) {
            return false;
        }
    }
    return set->raw_count == 0;
}

static int unknown_name(const char *word, rft_err *err) {
    const char *candidates[RFT_COUNTER_COUNT + 3] = {"none", "default", "all"};
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        candidates[i + 3] = rows[i].name;
    }
    const char *nearest = rft_text_nearest(word, candidates, sizeof candidates / sizeof *candidates);
    rft_err_set(err, RFT_E_USAGE, "there is no counter \"%s\"%s%s%s", word, nearest ? "; did you mean \"" : "",
                nearest ? nearest : "", nearest ? "\"?" : "");
    rft_err_remedy(err,
                   "none, default, all, or a list of names from docs/counters.md; a name with \"__\" in it is taken "
                   "as CUPTI's own");
    return RFT_E_USAGE;
}

static int add_word(rft_counter_set *set, const char **raw, const char *word, rft_err *err) {
    rft_counter counter = RFT_COUNTER_COUNT;
    if (strcmp(word, "none") == 0) {
        return 0;
    }
    if (strcmp(word, "default") == 0 || strcmp(word, "all") == 0) {
        want(set, word[0] == 'd' ? SET_DEFAULT : SET_ALL);
    } else if (rft_counter_from_name(&counter, word)) {
        set->wanted[counter] = true;
    } else if (strstr(word, "__")) {
        raw[set->raw_count++] = word;
    } else {
        return unknown_name(word, err);
    }
    return 0;
}

int rft_counter_set_parse(rft_counter_set *out, const char *text, rft_arena *arena, rft_err *err) {
    rft_counter_set set = rft_counter_set_none();
    size_t words = 1;
    for (const char *p = text; *p; p++) {
        words += *p == ',';
    }
    const char **raw = rft_arena_calloc(arena, words, sizeof *raw);
    const char *at = text;
    for (size_t i = 0; i < words; i++) {
        size_t length = strcspn(at, ",");
        size_t spaces = strspn(at, " ");
        const char *begin = at + (spaces < length ? spaces : length);
        const char *end = at + length;
        while (end > begin && end[-1] == ' ') {
            end--;
        }
        int rc = add_word(&set, raw, rft_arena_strndup(arena, begin, (size_t)(end - begin)), err);
        if (rc != 0) {
            return rc;
        }
        at += length + 1;
    }
    set.raw = raw;
    *out = set;
    return 0;
}

rft_counters rft_counters_unknown(const char *reason) {
    rft_counters counters = {.raw = NULL};
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        counters.values[i] = NAN;
        counters.reasons[i] = reason;
    }
    return counters;
}

rft_counters rft_counters_refused(const rft_counter_set *set, const char *reason, rft_arena *arena) {
    rft_counters counters = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    const char *kept = rft_arena_strdup(arena, reason);
    counters.raw_count = set->raw_count;
    counters.raw = rft_arena_calloc(arena, set->raw_count + 1, sizeof *counters.raw);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        counters.reasons[i] = set->wanted[i] ? kept : counters.reasons[i];
    }
    for (size_t i = 0; i < set->raw_count; i++) {
        counters.raw[i] = (rft_counter_raw){rft_arena_strdup(arena, set->raw[i]), NAN, kept};
    }
    return counters;
}

rft_counters *rft_counters_copy(const rft_counters *counters, rft_arena *arena) {
    rft_counters *copy = rft_arena_memdup(arena, counters, sizeof *counters);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        copy->reasons[i] = rft_arena_strdup(arena, counters->reasons[i]);
    }
    copy->raw = rft_arena_calloc(arena, counters->raw_count + 1, sizeof *copy->raw);
    for (size_t i = 0; i < counters->raw_count; i++) {
        const rft_counter_raw *raw = &counters->raw[i];
        copy->raw[i] =
            (rft_counter_raw){rft_arena_strdup(arena, raw->name), raw->value, rft_arena_strdup(arena, raw->reason)};
    }
    return copy;
}
