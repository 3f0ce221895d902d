/* SPDX-License-Identifier: Apache-2.0 */
/* option_table.h - the program's commands and options as its --help tells them, and what a command line means. */
#ifndef RFT_TESTS_FUZZ_OPTION_TABLE_H
#define RFT_TESTS_FUZZ_OPTION_TABLE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct known_option {
    char letter; /* 0: none */
    const char *name;
    const char *argument; /* NULL: a flag */
    const char *help;     /* its first line */
} known_option;

typedef struct known_command {
    const char *name;
    known_option items[32];
    size_t count;
} known_command;

typedef struct option_table {
    known_command items[24];
    size_t count;
} option_table;

/* Adds the commands that `help`, the text of `rooftune --help`, lists; options come from option_table_add(). */
void option_table_read(option_table *table, const char *help, rft_arena *arena);
void option_table_add(known_command *to, const char *help, rft_arena *arena);
const known_command *option_table_find(const option_table *table, const char *name);

/* What a command line names. */
typedef struct meaning {
    const char *command;
    const char *inputs[64]; /* files it may read: words, --mix, --reference, replay:FILE, ... */
    size_t input_count;
    const char *outputs[16]; /* files it may write; "-" is one where a command knows no other meaning */
    size_t output_count;
    const char *output; /* of -o; NULL: not given */
    bool to_stdout;     /* results for programs go there: JSON, CSV, what the compiler made */
    bool json_stdout;   /* and it is one JSON value */
    bool adds;          /* import --baseline, --counters: writes into its input */
    bool help;
} meaning;

/* Reads the words as the program does. Inputs of a wrong line are those before the mistake. */
meaning option_table_meaning(const option_table *table, const char *const *words);

#endif
