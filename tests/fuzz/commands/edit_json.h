/* SPDX-License-Identifier: Apache-2.0 */
/* edit_json.h - edits of a JSON tree: what a careless or hostile program would have written in its place. */
#ifndef RFT_TESTS_FUZZ_EDIT_JSON_H
#define RFT_TESTS_FUZZ_EDIT_JSON_H

#include "base/json.h"
#include "base/str.h"

/* Makes up to four edits and adds the text, which may hold what no JSON library writes (NaN, a key twice, broken
 * UTF-8). The tree is changed. */
void edit_json(rft_str *out, json_t *root, uint64_t *random);

#endif
