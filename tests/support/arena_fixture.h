/* SPDX-License-Identifier: Apache-2.0 */
/* arena_fixture.h - cmocka's set-up and tear-down of a test whose state is an arena. */
#ifndef RFT_TESTS_ARENA_FIXTURE_H
#define RFT_TESTS_ARENA_FIXTURE_H

#include "base/arena.h"

static inline int arena_begin(void **state) {
    *state = rft_arena_new();
    return 0;
}

static inline int arena_end(void **state) {
    rft_arena_free(*state);
    return 0;
}

#endif
