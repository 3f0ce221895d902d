/* SPDX-License-Identifier: Apache-2.0 */
/* The map from hashes to numbers, with taking out: the same as a plain table after any order of steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/plan/key_map.h"

#include <stdio.h>
#include <string.h>

enum { KEYS = 700, STEPS = 200000 };

static void make_key(int number, char key[RFT_HASH_HEX_SIZE]) {
    rft_hash_hex(&number, sizeof number, key);
}

static void it_holds_what_a_plain_table_holds(void **state) {
    (void)state;
    static int64_t table[KEYS];
    static char keys[KEYS][RFT_HASH_HEX_SIZE];
    rft_key_map map = {0};
    uint64_t random = 1;
    size_t used = 0;
    for (int i = 0; i < KEYS; i++) {
        table[i] = -1;
        make_key(i, keys[i]);
    }
    rft_key_map_remove(&map, keys[0]); /* of an empty one */
    for (int step = 0; step < STEPS; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int i = (int)(random >> 33) % KEYS;
        if (random >> 20 & 1) {
            used += table[i] < 0;
            table[i] = step;
            rft_key_map_put(&map, keys[i], step);
        } else {
            used -= table[i] >= 0;
            table[i] = -1;
            rft_key_map_remove(&map, keys[i]);
        }
        int other = (int)(random >> 45) % KEYS;
        assert_int_equal(rft_key_map_get(&map, keys[other], -1), table[other]);
        assert_int_equal(map.used, used);
    }
    for (int i = 0; i < KEYS; i++) {
        assert_int_equal(rft_key_map_get(&map, keys[i], -1), table[i]);
    }
    assert_true(map.slot_count <= 4 * KEYS); /* what was taken out takes no room */
    rft_key_map_clear(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_holds_what_a_plain_table_holds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
