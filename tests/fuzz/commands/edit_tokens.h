/* SPDX-License-Identifier: Apache-2.0 */
/* edit_tokens.h - edits of a program text or a table: names, numbers, strings and signs in each other's places. */
#ifndef RFT_TESTS_FUZZ_EDIT_TOKENS_H
#define RFT_TESTS_FUZZ_EDIT_TOKENS_H

#include "base/str.h"

/* Up to four edits of `text`, added to *out. snippets: whole expressions to put in a value's place; may be 0. */
void edit_tokens(rft_str *out, const char *text, size_t size, const char *const *snippets, size_t snippet_count,
                 uint64_t *random);

/* Expressions for a sweep script: endless, huge, of wrong types, reaching out. */
const char *const *edit_tokens_lua(size_t *count);

#endif
