/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "search/strategies.h"
#include "search/strategy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIGURATIONS = 1000 };

/* A space of one parameter with CONFIGURATIONS values and no constraint. */
typedef struct plain_space {
    rft_value values[CONFIGURATIONS];
    rft_param param;
    rft_variant variant;
    rft_sweep_vt vt;
    rft_sweep sweep;
    rft_space *space;
} plain_space;

static int open_space(void **state) {
    plain_space *plain = rft_alloc(sizeof *plain);
    for (int i = 0; i < CONFIGURATIONS; i++) {
        plain->values[i] = rft_value_int(i + 1);
    }
    plain->param = (rft_param){.name = "BLOCK", .help = "", .values = plain->values, .value_count = CONFIGURATIONS};
    plain->variant = (rft_variant){.name = "v", .params = &plain->param, .param_count = 1};
    plain->sweep = (rft_sweep){.name = "s", .variants = &plain->variant, .variant_count = 1, .vt = &plain->vt};
    *state = plain;
    return rft_space_new(&plain->space, &plain->sweep, 0, NULL, NULL, NULL);
}

static int close_space(void **state) {
    plain_space *plain = *state;
    rft_space_free(plain->space);
    free(plain);
    return 0;
}

/* Asks in uneven portions until nothing is left; tells each as measured. */
static size_t drain(rft_strategy *strategy, uint64_t *out, size_t room) {
    size_t used = 0, portion = 1;
    for (;;) {
        size_t most = portion < room - used ? portion : room - used;
        size_t given = strategy->ask(strategy, out + used, most);
        assert_true(given <= most);
        if (!given) {
            return used;
        }
        for (size_t i = 0; i < given; i++) {
            rft_tell tell = {out[used + i], RFT_OUTCOME_OK, 1e-6};
            strategy->tell(strategy, &tell);
        }
        used += given;
        portion = portion % 17 + 1;
    }
}

static void order_of(const rft_space *space, const char *name, uint64_t seed, uint64_t *out) {
    rft_strategy *strategy = NULL;
    uint64_t drawn[CONFIGURATIONS + 10];
    assert_int_equal(rft_strategy_new(&strategy, name, space, seed, NULL), 0);
    assert_int_equal(drain(strategy, drawn, CONFIGURATIONS + 10), CONFIGURATIONS);
    strategy->free(strategy);
    memcpy(out, drawn, CONFIGURATIONS * sizeof *out);
}

static void each_exactly_once_and_the_seed_decides(void **state) {
    const plain_space *plain = *state;
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
        uint64_t first[CONFIGURATIONS], again[CONFIGURATIONS], other[CONFIGURATIONS];
        order_of(plain->space, entry->name, 1, first);
        order_of(plain->space, entry->name, 1, again);
        order_of(plain->space, entry->name, 2, other);
        assert_memory_equal(first, again, sizeof first);
        assert_memory_not_equal(first, other, sizeof first);
        bool seen[CONFIGURATIONS] = {false};
        for (size_t i = 0; i < CONFIGURATIONS; i++) {
            assert_true(first[i] < CONFIGURATIONS);
            assert_false(seen[first[i]]);
            seen[first[i]] = true;
        }
    }
}

static void auto_is_exhaustive_and_random_is_not(void **state) {
    const plain_space *plain = *state;
    uint64_t automatic[CONFIGURATIONS], exhaustive[CONFIGURATIONS], drawn[CONFIGURATIONS];
    order_of(plain->space, "auto", 5, automatic);
    order_of(plain->space, "exhaustive", 5, exhaustive);
    order_of(plain->space, "random", 5, drawn);
    assert_memory_equal(automatic, exhaustive, sizeof automatic);
    assert_memory_not_equal(drawn, exhaustive, sizeof drawn);
}

/* A budget that ends early saw a fair sample: the mean of the first tenth over many seeds is the middle. */
static void an_early_end_is_a_fair_sample(void **state) {
    (void)state;
    static rft_strategy *(*const constructors[])(uint64_t, uint64_t) = {rft_exhaustive_new, rft_random_new};
    for (size_t c = 0; c < 2; c++) {
        double sum = 0;
        for (uint64_t seed = 0; seed < 400; seed++) {
            uint64_t out[10];
            rft_strategy *strategy = constructors[c](100, seed);
            assert_int_equal(strategy->ask(strategy, out, 10), 10);
            for (size_t i = 0; i < 10; i++) {
                sum += (double)out[i];
            }
            strategy->free(strategy);
        }
        assert_float_equal(sum / 4000, 49.5, 2.0); /* sigma of the mean is 0.43 */
    }
}

static void an_empty_space_and_a_huge_one(void **state) {
    (void)state;
    uint64_t out[100];
    rft_strategy *none = rft_exhaustive_new(0, 1);
    assert_int_equal(none->ask(none, out, 100), 0);
    none->free(none);
    none = rft_random_new(0, 1);
    assert_int_equal(none->ask(none, out, 100), 0);
    none->free(none);
    rft_strategy *huge = rft_random_new((uint64_t)1 << 50, 1); /* would be petabytes as a permutation */
    assert_int_equal(huge->ask(huge, out, 100), 100);
    for (size_t i = 0; i < 100; i++) {
        assert_true(out[i] < (uint64_t)1 << 50);
        for (size_t j = 0; j < i; j++) {
            assert_true(out[i] != out[j]);
        }
    }
    huge->free(huge);
}

static void an_unknown_name_lists_the_known(void **state) {
    const plain_space *plain = *state;
    rft_strategy *strategy = (rft_strategy *)plain->space;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_strategy_new(&strategy, "exhastive", plain->space, 1, &err), RFT_E_USAGE);
    assert_null(strategy);
    assert_non_null(strstr(err.message, "\"exhastive\""));
    assert_non_null(strstr(err.remedy, "did you mean \"exhaustive\"?"));
    assert_int_equal(rft_strategy_new(&strategy, "simulated_annealing", plain->space, 1, &err), RFT_E_USAGE);
    assert_null(strstr(err.remedy, "did you mean"));
    for (const rft_strategy_entry *entry = rft_strategy_list(); entry->name; entry++) {
        assert_non_null(strstr(err.remedy, entry->name));
        assert_true(strlen(entry->help) > 10);
    }
    assert_int_equal(rft_strategy_new(&strategy, NULL, plain->space, 1, &err), RFT_E_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_exactly_once_and_the_seed_decides),
        cmocka_unit_test(auto_is_exhaustive_and_random_is_not),
        cmocka_unit_test(an_early_end_is_a_fair_sample),
        cmocka_unit_test(an_empty_space_and_a_huge_one),
        cmocka_unit_test(an_unknown_name_lists_the_known),
    };
    return cmocka_run_group_tests(tests, open_space, close_space);
}
