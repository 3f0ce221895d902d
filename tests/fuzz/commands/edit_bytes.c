/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/commands/edit_bytes.h"

#include "base/hash.h"

#include <string.h>

static size_t edit_once(char *data, size_t size, size_t room, const char *other, size_t other_size, uint64_t *random) {
    static const char interesting[] = "0123456789{}[]()\"\\,.:-+eE%\n\0\377 xnNiI";
    size_t at = size ? rft_random_below(random, size) : 0;
    uint64_t kind = rft_random_below(random, size ? 5 : 1);
    if (kind == 0 && size < room) {
        memmove(data + at + 1, data + at, size - at);
        data[at] = interesting[rft_random_below(random, sizeof interesting - 1)];
        return size + 1;
    }
    if (kind == 1) {
        data[at] = (char)(data[at] ^ (1 << rft_random_below(random, 8)));
    } else if (kind == 2) {
        data[at] = interesting[rft_random_below(random, sizeof interesting - 1)];
    } else if (kind == 3) {
        size_t gone = 1 + rft_random_below(random, size - at);
        memmove(data + at, data + at + gone, size - at - gone);
        return size - gone;
    } else if (kind == 4 && other_size) {
        size_t from = rft_random_below(random, other_size);
        size_t taken = other_size - from < size - at ? other_size - from : size - at;
        memcpy(data + at, other + from, taken);
    }
    return size;
}

size_t edit_bytes(char *data, size_t size, size_t room, const char *other, size_t other_size, uint64_t *random) {
    size_t edits = 1 + rft_random_below(random, 6);
    for (size_t i = 0; i < edits; i++) {
        size = edit_once(data, size, room, other, other_size, random);
    }
    return size;
}
