/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/option_table.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

static const char *line_end(const char *at) {
    return at + strcspn(at, "\n");
}

/* "  run       measure a sweep": a command, where two blanks and a letter begin the line. */
void option_table_read(option_table *table, const char *help, rft_arena *arena) {
    const size_t room = sizeof table->items / sizeof *table->items;
    for (const char *at = help; *at && table->count < room; at = line_end(at) + (*line_end(at) == '\n')) {
        if (strncmp(at, "  ", 2) == 0 && islower((unsigned char)at[2])) {
            size_t length = strcspn(at + 2, " \n");
            table->items[table->count++].name = rft_arena_strndup(arena, at + 2, length);
        }
    }
}

/* "  -d, --device DEVICES         0, or 0,1, or all": an option. */
void option_table_add(known_command *to, const char *help, rft_arena *arena) {
    const size_t room = sizeof to->items / sizeof *to->items;
    for (const char *at = help; *at && to->count < room; at = line_end(at) + (*line_end(at) == '\n')) {
        bool letter = strncmp(at, "  -", 3) == 0 && strncmp(at + 4, ", --", 4) == 0;
        if (!letter && strncmp(at, "      --", 8) != 0) {
            continue;
        }
        known_option *next = &to->items[to->count++];
        const char *name = at + 8;
        size_t length = strcspn(name, " \n"), taken = 0;
        next->letter = (char)(letter ? at[3] : 0);
        next->name = rft_arena_strndup(arena, name, length);
        if (name[length] == ' ' && name[length + 1] != ' ') {
            const char *argument = name + length + 1;
            taken = strcspn(argument, " \n");
            next->argument = rft_arena_strndup(arena, argument, taken);
            taken++;
        }
        const char *rest = name + length + taken;
        rest += strspn(rest, " ");
        next->help = rft_arena_strndup(arena, rest, (size_t)(line_end(rest) - rest));
    }
}

const known_command *option_table_find(const option_table *table, const char *name) {
    for (size_t i = 0; name && i < table->count; i++) {
        if (strcmp(table->items[i].name, name) == 0) {
            return &table->items[i];
        }
    }
    return NULL;
}

static const known_option *find(const known_command *in, const char *word, size_t length) {
    for (size_t i = 0; i < in->count; i++) {
        const known_option *o = &in->items[i];
        bool same = word[1] == '-' ? strlen(o->name) == length - 2 && strncmp(o->name, word + 2, length - 2) == 0
                                   : o->letter == word[1];
        if (same) {
            return o;
        }
    }
    return NULL;
}

static void add_input(meaning *m, const char *name) {
    if (m->input_count < sizeof m->inputs / sizeof *m->inputs) {
        m->inputs[m->input_count++] = name;
    }
}

static bool is_one_of(const char *word, const char *const *names) {
    while (*names && strcmp(word, *names) != 0) {
        names++;
    }
    return *names != NULL;
}

static void take_option(meaning *m, const known_option *o, const char *value) {
    static const char *const outputs[] = {"output", "report",     "json",    "csv",    "points",  "events",
                                          "junit",  "limits-out", "package", "bundle", "csv-dir", NULL};
    static const char *const inputs[] = {"mix",     "reference",  "font",     "baseline", "device",
                                         "devices", "allow-path", "expected", "from",     NULL};
    bool best = strcmp(m->command, "best") == 0;
    bool counters = strcmp(m->command, "import") == 0 && strcmp(o->name, "counters") == 0;
    if (strcmp(o->name, "emit") == 0 || (best && strcmp(o->name, "format") == 0)) {
        m->to_stdout = true; /* header, lua and csv are for programs too */
    }
    if (strcmp(o->name, "json") == 0) {
        m->json_stdout = strcmp(value, "-") == 0; /* the last one counts */
    }
    if (is_one_of(o->name, outputs)) {
        if (strcmp(value, "-") == 0) {
            m->to_stdout = true;
        }
        if (m->output_count < sizeof m->outputs / sizeof *m->outputs) {
            m->outputs[m->output_count++] = value;
        }
        m->output = strcmp(o->name, "output") == 0 ? value : m->output;
    } else if (counters || is_one_of(o->name, inputs)) {
        add_input(m, rft_text_starts(value, "replay:") ? value + strlen("replay:") : value);
    }
    m->adds = m->adds || counters || strcmp(o->name, "baseline") == 0;
}

meaning option_table_meaning(const option_table *table, const char *const *words) {
    meaning m = {.command = words[0] ? words[0] : ""};
    const known_command *in = option_table_find(table, words[0]);
    for (size_t i = 1; in && words[i]; i++) {
        const char *word = words[i], *equal = strchr(word, '=');
        if (strcmp(word, "--") == 0) {
            break;
        }
        if (word[0] != '-' || !word[1]) {
            add_input(&m, word);
            continue;
        }
        bool named = word[1] == '-';
        m.help = m.help || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
        const known_option *o = find(in, word, named && equal ? (size_t)(equal - word) : strlen(word));
        if (!o) {
            break;
        }
        if (o->argument) {
            const char *value = named ? (equal ? equal + 1 : NULL) : (word[2] ? word + 2 : NULL);
            value = value ? value : words[i + 1] ? words[++i] : NULL;
            if (value) {
                take_option(&m, o, value);
            }
        }
    }
    return m;
}
