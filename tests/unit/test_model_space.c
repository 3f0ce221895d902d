/* SPDX-License-Identifier: Apache-2.0 */
/* Enumeration: order, hoisting, counting, errors, limits, and a million configurations. */
#include "model_fixture.h"

#include "base/hash.h"
#include "model/sweep/space.h"

#include <stdlib.h>
#include <time.h>

/* A sweep whose constraints are C functions, with a count of the calls. */
typedef bool (*holds_fn)(const rft_value *problem, const rft_value *config);
typedef struct fake {
    rft_sweep sweep;
    rft_variant variant;
    rft_param params[8];
    rft_value values[8][128];
    rft_constraint constraints[4];
    size_t named[4][8];
    holds_fn holds[4];
    int fails_with; /* code of the last constraint instead of an answer; 0: none */
    uint64_t calls[4];
} fake;

static int fake_constraint(void *self, size_t variant, size_t constraint, const rft_value *problem,
                           const rft_value *config, bool *holds, rft_err *err) {
    fake *f = self;
    assert_int_equal(variant, 0);
    f->calls[constraint]++;
    if (f->holds[constraint] == NULL) {
        rft_err_set(err, f->fails_with, "attempt to divide by zero (call %d)", (int)f->calls[constraint]);
        return rft_err_place(err, "fake.lua:%zu", constraint + 1);
    }
    *holds = f->holds[constraint](problem, config);
    return 0;
}

static const rft_sweep_vt fake_vt = {.constraint = fake_constraint};

static fake *fake_new(void) {
    fake *f = rft_alloc(sizeof *f);
    f->variant.name = "plain";
    f->variant.params = f->params;
    f->variant.constraints = f->constraints;
    f->sweep = (rft_sweep){.variants = &f->variant, .variant_count = 1, .vt = &fake_vt, .self = f};
    return f;
}

static void fake_param(fake *f, const char *name, size_t count) {
    size_t i = f->variant.param_count++;
    for (size_t v = 0; v < count; v++) {
        f->values[i][v] = rft_value_int((int64_t)v + 1);
    }
    f->params[i] = (rft_param){.name = name, .values = f->values[i], .value_count = count};
    f->params[i].default_value = rft_value_int(1);
}

static void fake_where(fake *f, holds_fn holds, const size_t *params, size_t count) {
    size_t i = f->variant.constraint_count++;
    for (size_t p = 0; p < count; p++) {
        f->named[i][p] = params[p];
    }
    f->constraints[i] = (rft_constraint){.text = "fake", .params = f->named[i], .param_count = count};
    f->holds[i] = holds;
}

static bool never(const rft_value *problem, const rft_value *config) {
    (void)problem, (void)config;
    return false;
}
static bool first_is_even(const rft_value *problem, const rft_value *config) {
    (void)problem;
    return config[0].as.integer % 2 == 0;
}
static bool sum_below_n(const rft_value *problem, const rft_value *config) {
    return config[0].as.integer + config[2].as.integer < problem[0].as.integer;
}

static void order_and_lookup(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_param(f, "A", 4), fake_param(f, "B", 3), fake_param(f, "C", 5);
    fake_where(f, sum_below_n, (const size_t[]){0, 2}, 2);
    rft_value n = rft_value_int(6);
    rft_space *space;
    assert_int_equal(rft_space_new(&space, &f->sweep, 0, &n, NULL, NULL), 0);
    assert_int_equal(rft_space_cartesian(space), 60);
    uint64_t expected = 0;
    rft_value got[3];
    for (int64_t a = 1; a <= 4; a++) { /* brute force, in the same order */
        for (int64_t b = 1; b <= 3; b++) {
            for (int64_t c = 1; c <= 5; c++) {
                rft_value config[] = {rft_value_int(a), rft_value_int(b), rft_value_int(c)};
                if (a + c < 6) {
                    rft_space_get(space, expected, got);
                    assert_true(rft_values_equal(got, config, 3));
                    uint16_t at[3];
                    rft_space_positions(space, expected, at);
                    assert_int_equal(at[2], c - 1);
                    assert_true(rft_space_rank(space, at) == expected);
                    assert_true(rft_space_find(space, config) == expected);
                    expected++;
                } else {
                    assert_true(rft_space_find(space, config) == UINT64_MAX);
                }
            }
        }
    }
    assert_int_equal(rft_space_count(space), expected);
    rft_value strange[] = {rft_value_int(9), rft_value_int(1), rft_value_text("x")};
    assert_true(rft_space_find(space, strange) == UINT64_MAX);
    rft_space_free(space);
    free(f);
}

static void samples_are_uniform(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_param(f, "A", 4), fake_param(f, "B", 3), fake_param(f, "C", 5);
    fake_where(f, sum_below_n, (const size_t[]){0, 2}, 2);
    rft_value n = rft_value_int(6);
    rft_space *space;
    assert_int_equal(rft_space_new(&space, &f->sweep, 0, &n, NULL, NULL), 0);
    uint64_t count = rft_space_count(space), drawn[64] = {0}, random = 7;
    assert_true(rft_space_exact(space) && rft_space_index_end(space) == count);
    for (int i = 0; i < 30000; i++) {
        uint64_t index = rft_space_sample(space, rft_random_next(&random));
        assert_true(index < count);
        drawn[index]++;
    }
    for (uint64_t i = 0; i < count; i++) { /* 1,000 each with 30 valid; six standard deviations */
        assert_true(llabs((int64_t)drawn[i] - (int64_t)(30000 / count)) < 6 * 32);
    }
    rft_space_free(space);
    free(f);
}

static void constraints_cut_where_their_last_parameter_is_bound(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_param(f, "A", 10), fake_param(f, "B", 10), fake_param(f, "C", 10);
    fake_where(f, sum_below_n, (const size_t[]){2, 0}, 2);
    fake_where(f, first_is_even, (const size_t[]){0}, 1);
    rft_value n = rft_value_int(100);
    rft_space *space;
    assert_int_equal(rft_space_new(&space, &f->sweep, 0, &n, NULL, NULL), 0);
    assert_int_equal(f->calls[1], 10);
    assert_int_equal(f->calls[0], 50); /* only for the five even ones, and not again for every B */
    assert_int_equal(rft_space_count(space), 500);
    rft_space_free(space);
    free(f);
}

static void a_constraint_on_the_problem_alone_comes_first(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_param(f, "A", 100), fake_param(f, "B", 100);
    fake_where(f, never, NULL, 0);
    rft_value n = rft_value_int(1);
    rft_space *space;
    assert_int_equal(rft_space_new(&space, &f->sweep, 0, &n, NULL, NULL), 0);
    assert_int_equal(f->calls[0], 1);
    assert_int_equal(rft_space_count(space), 0);
    rft_value config[] = {rft_value_int(1), rft_value_int(1)};
    assert_true(rft_space_find(space, config) == UINT64_MAX);
    rft_space_free(space);
    free(f);
}

static void errors_remove_and_are_counted(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_param(f, "A", 6), fake_param(f, "B", 2);
    fake_where(f, first_is_even, (const size_t[]){0}, 1);
    fake_where(f, NULL, (const size_t[]){0, 1}, 2);
    f->fails_with = RFT_E_SCRIPT;
    rft_value n = rft_value_int(1);
    rft_space *space;
    assert_int_equal(rft_space_new(&space, &f->sweep, 0, &n, NULL, NULL), 0);
    assert_int_equal(rft_space_count(space), 0);
    assert_int_equal(rft_space_errors(space), 6);
    assert_string_equal(rft_space_first_error(space), "A=2 B=1: fake.lua:2: attempt to divide by zero (call 1)");
    rft_space_free(space);

    f->fails_with = RFT_E_INTERRUPTED; /* not the script's fault: the enumeration ends */
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_space_new(&space, &f->sweep, 0, &n, NULL, &err), RFT_E_INTERRUPTED);
    assert_null(space);
    assert_int_equal(err.code, RFT_E_INTERRUPTED);
    free(f);
}

static void degenerate_spaces(void **state) {
    (void)state;
    fake *f = fake_new();
    rft_value n = rft_value_int(1);
    rft_space *space;
    assert_int_equal(rft_space_new(&space, &f->sweep, 0, &n, NULL, NULL), 0);
    assert_int_equal(rft_space_cartesian(space), 1); /* nothing to tune: one configuration */
    assert_int_equal(rft_space_count(space), 1);
    rft_space_get(space, 0, NULL);
    assert_true(rft_space_find(space, NULL) == 0);
    assert_string_equal(rft_space_first_error(space), "");
    rft_space_free(space);
    rft_space_free(NULL);
    fake_param(f, "A", 0);
    assert_int_equal(rft_space_new(&space, &f->sweep, 0, &n, NULL, NULL), 0);
    assert_int_equal(rft_space_count(space), 0);
    rft_space_free(space);
    free(f);
}

static void limits_are_errors(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_param(f, "A", 100), fake_param(f, "B", 100);
    rft_value n = rft_value_int(1);
    rft_space *space;
    rft_err err = RFT_ERR_INIT;
    f->params[1].value_count = 65537;
    assert_int_equal(rft_space_new(&space, &f->sweep, 0, &n, NULL, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "B"));
    free(f);
}

static void the_product_saturates(void **state) {
    (void)state;
    fake *f = fake_new();
    rft_value *values = rft_calloc(65536, sizeof *values);
    for (size_t i = 0; i < 8; i++) {
        fake_param(f, "P", 1);
        f->params[i].values = values;
        f->params[i].value_count = 65536;
    }
    fake_where(f, never, NULL, 0);
    rft_value n = rft_value_int(1);
    rft_space *space;
    assert_int_equal(rft_space_new(&space, &f->sweep, 0, &n, NULL, NULL), 0);
    assert_true(rft_space_cartesian(space) == UINT64_MAX);
    rft_space_free(space);
    free(values);
    free(f);
}

static void a_million_configurations(void **state) {
    (void)state;
    fake *f = fake_new();
    fake_param(f, "A", 100), fake_param(f, "B", 100), fake_param(f, "C", 128), fake_param(f, "D", 2);
    fake_where(f, first_is_even, (const size_t[]){0}, 1);
    fake_where(f, sum_below_n, (const size_t[]){0, 2}, 2);
    rft_value n = rft_value_int(300);
    rft_space *space;
    clock_t start = clock();
    assert_int_equal(rft_space_new(&space, &f->sweep, 0, &n, NULL, NULL), 0);
    double enumerate_s = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(rft_space_count(space), 50 * 100 * 128 * 2);
    uint64_t seed = 1;
    start = clock();
    for (int i = 0; i < 10000; i++) {
        uint64_t index = rft_random_below(&seed, rft_space_count(space));
        rft_value config[4];
        rft_space_get(space, index, config);
        assert_true(rft_space_find(space, config) == index);
    }
    double find_s = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("1,280,000 configurations: enumerated in %.3f s, 10,000 found in %.3f s\n", enumerate_s, find_s);
    assert_true(enumerate_s < 5.0);
    rft_space_free(space);
    free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_and_lookup),
        cmocka_unit_test(samples_are_uniform),
        cmocka_unit_test(constraints_cut_where_their_last_parameter_is_bound),
        cmocka_unit_test(a_constraint_on_the_problem_alone_comes_first),
        cmocka_unit_test(errors_remove_and_are_counted),
        cmocka_unit_test(degenerate_spaces),
        cmocka_unit_test(limits_are_errors),
        cmocka_unit_test(the_product_saturates),
        cmocka_unit_test(a_million_configurations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
