/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/edit_words.h"

#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"
#include "fuzz/commands/hostile.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static size_t count_of(const char *const *words) {
    size_t count = 0;
    while (words[count]) {
        count++;
    }
    return count;
}

static void insert(const char **words, size_t room, size_t at, const char *word) {
    size_t count = count_of(words);
    if (count + 1 < room) {
        memmove(&words[at + 1], &words[at], (count + 1 - at) * sizeof *words);
        words[at] = word;
    }
}

static const char *hostile_word(rft_arena *arena, uint64_t *random) {
    rft_str text = RFT_STR_INIT;
    if (hostile_chance(random, 2)) {
        rft_str_add(&text, hostile_number(random));
    } else {
        hostile_text(&text, false, random);
    }
    const char *word = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return *word == '/' ? word + 1 : word; /* never an absolute path: it may be an output */
}

/* One of the words between '|', ',' and blanks, as help and arguments list them. */
static const char *listed_word(const char *list, rft_arena *arena, uint64_t *random) {
    static const char between[] = "|, ;():";
    size_t wanted = rft_random_below(random, 8);
    const char *at = list + strspn(list, between), *last = at;
    for (size_t i = 0; i <= wanted && *at; i++) {
        last = at;
        at += strcspn(at, between);
        at += strspn(at, between);
    }
    return rft_arena_strndup(arena, last, strcspn(last, between));
}

static const char *output_value(const known_option *o, rft_arena *arena, uint64_t *random) {
    static const char *const names[] = {
        "o.json", "o.csv",          "o.pdf", "o.db", "o.svg",    "o.json.gz", "o",
        "-",      "no/such/o.json", ".",     "fifo", "link.out", "dangling",
    };
    if (hostile_chance(random, 2)) {
        return strcmp(o->name, "output") == 0 ? names[rft_random_below(random, COUNT(names))]
                                              : rft_arena_printf(arena, "o.%s", o->name);
    }
    return names[rft_random_below(random, COUNT(names))];
}

static const char *value_of(const known_option *o, rft_arena *arena, uint64_t *random) {
    static const char *const outputs[] = {
        "output", "report", "json", "csv", "points", "events", "junit", "limits-out", "package", "bundle",
    };
    for (size_t i = 0; i < COUNT(outputs); i++) {
        if (strcmp(o->name, outputs[i]) == 0) {
            return output_value(o, arena, random);
        }
    }
    switch (rft_random_below(random, 4)) {
    case 0:
        return hostile_word(arena, random);
    case 1:
        return listed_word(o->help, arena, random);
    default:
        return listed_word(o->argument, arena, random);
    }
}

void edit_words_add_option(const char **words, size_t room, const option_table *options, rft_arena *arena,
                           uint64_t *random) {
    const known_command *in = option_table_find(options, words[0]);
    if (!in || in->count == 0) {
        return;
    }
    const known_option *o = &in->items[rft_random_below(random, in->count)];
    const char *name = o->letter && hostile_chance(random, 2) ? rft_arena_printf(arena, "-%c", o->letter)
                                                              : rft_arena_printf(arena, "--%s", o->name);
    size_t at = count_of(words);
    if (!o->argument) {
        insert(words, room, at, name);
        return;
    }
    const char *value = value_of(o, arena, random);
    if (name[1] == '-' && hostile_chance(random, 4)) {
        insert(words, room, at, rft_arena_printf(arena, "%s=%s", name, value));
        return;
    }
    insert(words, room, at, name);
    insert(words, room, at + 1, value);
}

/* Not the FIFO: reading one waits for its writer, as it should. */
static const char *any_file(const char *folder, rft_arena *arena, uint64_t *random) {
    char **names = NULL;
    size_t count = 0;
    const char *name = "missing";
    if (rft_fs_list(&names, &count, folder, NULL, NULL) == RFT_OK && count) {
        const char *one = names[rft_random_below(random, count)];
        name = strcmp(one, "fifo") == 0 ? name : rft_arena_strdup(arena, one);
    }
    rft_fs_list_free(names, count);
    return hostile_chance(random, 8) ? rft_arena_printf(arena, "./%s", name) : name;
}

static void edit_once(const char **words, size_t room, const option_table *options, const char *folder,
                      rft_arena *arena, uint64_t *random) {
    size_t count = count_of(words);
    size_t at = count > 1 ? 1 + rft_random_below(random, count - 1) : 0, other = 0;
    switch (rft_random_below(random, 9)) {
    case 0: /* a word less */
        if (at) {
            memmove(&words[at], &words[at + 1], (count - at) * sizeof *words);
        }
        break;
    case 1: /* a word twice */
        if (at) {
            insert(words, room, at, words[at]);
        }
        break;
    case 2: /* another of the line in its place: outputs that are inputs */
        other = rft_random_below(random, count);
        words[at] = at ? words[other] : words[at];
        break;
    case 3:
        words[at] = at ? hostile_word(arena, random) : words[at];
        break;
    case 4:
    case 5: /* a file of another kind */
        words[at] = at && words[at][0] != '-' ? any_file(folder, arena, random) : words[at];
        break;
    case 6:
        insert(words, room, count, any_file(folder, arena, random));
        break;
    default:
        edit_words_add_option(words, room, options, arena, random);
        break;
    }
}

void edit_words(const char **words, size_t room, const option_table *options, const char *folder, rft_arena *arena,
                uint64_t *random) {
    for (size_t left = 1 + rft_random_below(random, 4); left; left--) {
        edit_once(words, room, options, folder, arena, random);
    }
}
