/* SPDX-License-Identifier: Apache-2.0 */
/* The generator of kernels/lib/philox.cuh, compiled for the host, against the known answers of its authors (Random123,
 * tests/kat_vectors: philox4x32, 7 and 10 rounds), and the share that bias_dropout drops. */
#define __device__
#define __forceinline__ inline
#include "philox.cuh"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

static void gives(int rounds, const unsigned counter[4], const unsigned key[2], const unsigned want[4]) {
    unsigned word[4] = {counter[0], counter[1], counter[2], counter[3]};
    philox_4x32(word, key[0], key[1], rounds);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(word[i], want[i]);
    }
}

static void known_answers(void **state) {
    static const unsigned zeros[4] = {0, 0, 0, 0}, ones[4] = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
    static const unsigned pi[4] = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                          more_pi[2] = {0xa4093822, 0x299f31d0};
    (void)state;
    gives(7, zeros, zeros, (const unsigned[]){0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48});
    gives(10, zeros, zeros, (const unsigned[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    gives(10, ones, ones, (const unsigned[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    gives(10, pi, more_pi, (const unsigned[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

/* Each of the eight places of a call drops 3277 of 32768: within five standard deviations in 2^18 calls. */
static void every_place_drops_its_share(void **state) {
    static const int rounds[] = {7, 10};
    (void)state;
    for (int r = 0; r < 2; r++) {
        int dropped[8] = {0};
        for (unsigned call = 0; call < 1u << 18; call++) {
            unsigned word[4] = {call, 0, 7, 0};
            philox_4x32(word, 0x89abcdef, 0x01234567, rounds[r]);
            for (int place = 0; place < 8; place++) {
                dropped[place] += (word[place / 2] >> 16 * (place % 2) & 0x7fff) < 3277;
            }
        }
        double calls = 1 << 18, share = 3277.0 / 32768;
        for (int place = 0; place < 8; place++) {
            assert_true(fabs(dropped[place] - calls * share) < 5 * sqrt(calls * share * (1 - share)));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(every_place_drops_its_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
