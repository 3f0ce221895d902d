/* SPDX-License-Identifier: Apache-2.0 */
/* edit_bytes.h - edits that know nothing of the format. */
#ifndef RFT_TESTS_FUZZ_EDIT_BYTES_H
#define RFT_TESTS_FUZZ_EDIT_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Up to six small edits of data[0..size), which has room for `room` bytes: flips a bit, sets, inserts, deletes bytes,
 * or copies a part of `other` over it. Returns the new size. */
size_t edit_bytes(char *data, size_t size, size_t room, const char *other, size_t other_size, uint64_t *random);

#endif
