/* SPDX-License-Identifier: Apache-2.0 */
/* hostile.h - texts and numbers that programs trip over. Every pick advances *random and depends on it alone. */
#ifndef RFT_TESTS_FUZZ_HOSTILE_H
#define RFT_TESTS_FUZZ_HOSTILE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* True once in `n` times. */
bool hostile_chance(uint64_t *random, uint64_t n);

/* Adds a text: empty, control and bidirectional characters, quotes, paths, formats, up to 70,000 bytes. Never an
 * absolute path: it may end up as the name of an output. `utf8`: only such as are valid UTF-8. */
void hostile_text(rft_str *out, bool utf8, uint64_t *random);
/* "-1", "1e308", "nan", "0x1p70", "9223372036854775808": as people and programs write numbers. Static storage. */
const char *hostile_number(uint64_t *random);
int64_t hostile_int(uint64_t *random);
double hostile_real(uint64_t *random); /* finite */
/* A name for a file, without '/' and not longer than a file system takes; mostly an odd one. */
void hostile_name(rft_str *out, uint64_t *random);

#endif
