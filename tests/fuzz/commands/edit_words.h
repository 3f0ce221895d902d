/* SPDX-License-Identifier: Apache-2.0 */
/* edit_words.h - edits of a command line: real options with odd values, words in each other's places. */
#ifndef RFT_TESTS_FUZZ_EDIT_WORDS_H
#define RFT_TESTS_FUZZ_EDIT_WORDS_H

#include "fuzz/commands/option_table.h"

#include <stddef.h>
#include <stdint.h>

/* words[0..room) ends with NULL; new words come from the arena. folder: whose files are taken for others. */
void edit_words(const char **words, size_t room, const option_table *options, const char *folder, rft_arena *arena,
                uint64_t *random);

/* Adds one option of the command with a value that mostly fits. */
void edit_words_add_option(const char **words, size_t room, const option_table *options, rft_arena *arena,
                           uint64_t *random);

#endif
