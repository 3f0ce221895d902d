/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h - what every target is and asks. */
#ifndef RFT_TESTS_FUZZ_H
#define RFT_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* libFuzzer's name for a target; 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A target's expectation: what fails it ends the program, which keeps the input. */
static inline void require(bool holds) {
    if (!holds) {
        abort();
    }
}

#endif
