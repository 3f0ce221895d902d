/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* Vectors of FIPS 180-4 (NIST's example files). */
static void sha256_vectors(void **state) {
    (void)state;
    static const struct {
        const char *text, *hex;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char hex[RFT_HASH_HEX_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_hash_hex(cases[i].text, strlen(cases[i].text), hex);
        assert_string_equal(hex, cases[i].hex);
    }
    rft_sha256 hash;
    rft_sha256_init(&hash);
    for (int i = 0; i < 10000; i++) {
        rft_sha256_add(&hash,
                       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                       "aaaaaaaaaaaaa",
                       100);
    }
    rft_sha256_hex(&hash, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void pieces_give_the_whole(void **state) {
    (void)state;
    unsigned char data[300];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)(i * 7);
    }
    for (size_t size = 0; size < sizeof data; size++) {
        char whole[RFT_HASH_HEX_SIZE], pieces[RFT_HASH_HEX_SIZE];
        rft_hash_hex(data, size, whole);
        rft_sha256 hash;
        rft_sha256_init(&hash);
        for (size_t at = 0, step = 1; at < size; at += step, step = step % 70 + 3) {
            rft_sha256_add(&hash, data + at, step < size - at ? step : size - at);
        }
        rft_sha256_hex(&hash, pieces);
        assert_string_equal(pieces, whole);
    }
}

static void texts_do_not_run_together(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"ab", "c"}, {"a", "bc"}, {"abc", ""}, {"", "abc"}};
    char hex[4][RFT_HASH_HEX_SIZE];
    for (size_t i = 0; i < 4; i++) {
        rft_sha256 hash;
        rft_sha256_init(&hash);
        rft_sha256_add_text(&hash, pairs[i][0]);
        rft_sha256_add_text(&hash, pairs[i][1]);
        rft_sha256_hex(&hash, hex[i]);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(hex[i], hex[j]);
        }
    }
    rft_sha256 none, empty;
    char a[RFT_HASH_HEX_SIZE], b[RFT_HASH_HEX_SIZE];
    rft_sha256_init(&none);
    rft_sha256_init(&empty);
    rft_sha256_add_text(&none, NULL);
    rft_sha256_add_text(&empty, "");
    rft_sha256_hex(&none, a);
    rft_sha256_hex(&empty, b);
    assert_string_equal(a, b);
}

static void known_values(void **state) {
    (void)state;
    assert_true(rft_hash_fnv1a("", 0) == 0xcbf29ce484222325u);
    assert_true(rft_hash_fnv1a("foobar", 6) == 0x85944171f73967e8u);
    uint64_t seed = 1234567; /* the reference implementation's first outputs for this seed */
    assert_true(rft_random_next(&seed) == 6457827717110365317u);
    assert_true(rft_random_next(&seed) == 3203168211198807973u);
}

static void below_is_in_range_and_even(void **state) {
    (void)state;
    uint64_t seed = 1;
    unsigned seen[7] = {0};
    for (int i = 0; i < 70000; i++) {
        seen[rft_random_below(&seed, 7)]++;
    }
    for (size_t i = 0; i < 7; i++) {
        assert_in_range(seen[i], 9600, 10400); /* 10000 +- 4 sigma */
    }
    assert_true(rft_random_below(&seed, 1) == 0);
    double sum = 0;
    for (int i = 0; i < 100000; i++) {
        double unit = rft_random_unit(&seed);
        assert_true(unit >= 0 && unit < 1);
        sum += unit;
    }
    assert_float_equal(sum / 100000, 0.5, 0.005);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_vectors),
        cmocka_unit_test(pieces_give_the_whole),
        cmocka_unit_test(texts_do_not_run_together),
        cmocka_unit_test(known_values),
        cmocka_unit_test(below_is_in_range_and_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
