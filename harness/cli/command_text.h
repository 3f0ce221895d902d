/* SPDX-License-Identifier: Apache-2.0 */
/* command_text.h - command lines as text that a shell reads back as the same words. */
#ifndef RFT_CLI_COMMAND_TEXT_H
#define RFT_CLI_COMMAND_TEXT_H

#include "cli/cli.h"

/* Appends a word, in quotes where a POSIX shell would take it apart or change it. */
void rft_command_add_word(rft_str *out, const char *word);
/* "rooftune run 'my sweep.lua' -o x.db": all words, separated by one space. */
void rft_command_add_words(rft_str *out, const char *const *words, size_t count);

#endif
