/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces against brute force: random ones, ones too large for their diagram, huge ones, and the memory of a million. */
#include "model_fixture.h"

#include "base/hash.h"
#include "model/sweep/space.h"
#include "search/strategy.h"
#include "support/sanitized.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define PARAMS 16
#define RULES 24

typedef struct made {
    rft_arena *arena;
    rft_sweep sweep;
    rft_variant variant;
    rft_param params[PARAMS];
    rft_constraint constraints[RULES];
    const rft_expr *exprs[RULES]; /* also of those that the space does not get to see */
    uint64_t calls;
} made;

static bool holds(const made *m, size_t constraint, const rft_value *config) {
    rft_expr_value slots[PARAMS], value;
    for (size_t i = 0; i < m->variant.param_count; i++) {
        slots[i] = rft_expr_value_of(&config[i]);
    }
    return rft_expr_eval(m->exprs[constraint], slots, &value) && value.as.integer;
}

static int ask(void *self, size_t variant, size_t constraint, const rft_value *problem, const rft_value *config,
               bool *out, rft_err *err) {
    made *m = self;
    (void)variant, (void)problem, (void)err;
    m->calls++;
    *out = holds(m, constraint, config);
    return 0;
}

static int ask_along(void *self, const rft_sweep_along *call, unsigned *next, uint64_t *out, rft_err *err) {
    rft_value config[PARAMS];
    made *m = self;
    (void)err;
    memcpy(config, call->config, m->variant.param_count * sizeof *config);
    for (; *next < 64; ++*next) {
        if (call->wanted >> *next & 1) {
            config[call->param] = call->values[*next];
            m->calls++;
            *out |= (uint64_t)holds(m, call->constraint, config) << *next;
        }
    }
    return 0;
}

static const rft_sweep_vt with_along = {.constraint = ask, .constraint_along = ask_along};
static const rft_sweep_vt without = {.constraint = ask};

static made *made_new(void) {
    made *m = rft_alloc(sizeof *m);
    m->arena = rft_arena_new();
    m->variant = (rft_variant){.name = "made", .params = m->params, .constraints = m->constraints};
    m->sweep = (rft_sweep){.variants = &m->variant, .variant_count = 1, .vt = &with_along, .self = m};
    return m;
}

static void made_free(made *m) {
    rft_arena_free(m->arena);
    free(m);
}

static void add_param(made *m, size_t count) {
    rft_param *param = &m->params[m->variant.param_count];
    param->name = rft_arena_printf(m->arena, "P%zu", m->variant.param_count++);
    param->values = rft_arena_calloc(m->arena, count, sizeof *param->values);
    param->value_count = count;
    for (size_t i = 0; i < count; i++) {
        param->values[i] = rft_value_int((int64_t)i);
    }
    param->default_value = rft_value_int(0);
}

/* `compiled`: the space may see the expression; else it has to ask. */
static void add_rule(made *m, const char *text, bool compiled) {
    const char *names[PARAMS];
    size_t index = m->variant.constraint_count++;
    rft_constraint *c = &m->constraints[index];
    *c = (rft_constraint){.text = rft_arena_strdup(m->arena, text)};
    c->params = rft_arena_calloc(m->arena, PARAMS, sizeof *c->params);
    c->slots = rft_arena_calloc(m->arena, PARAMS, sizeof *c->slots);
    c->slot_count = m->variant.param_count;
    for (size_t i = 0; i < m->variant.param_count; i++) {
        char name[24];
        names[i] = m->params[i].name;
        snprintf(name, sizeof name, "%s ", names[i]); /* rules have a blank behind every name */
        if (strstr(text, name)) {
            c->params[c->param_count++] = i;
            c->slots[i] = (rft_constraint_slot){RFT_SLOT_PARAM, i};
        }
    }
    rft_expr_names known = {.names = names, .count = m->variant.param_count};
    m->exprs[index] = rft_expr_parse(m->arena, text, &known);
    assert_non_null(m->exprs[index]);
    c->expr = compiled ? m->exprs[index] : NULL;
}

static bool is_valid(const made *m, const rft_value *config) {
    for (size_t c = 0; c < m->variant.constraint_count; c++) {
        if (!holds(m, c, config)) {
            return false;
        }
    }
    return true;
}

static void random_rule(made *m, uint64_t *random) {
    static const char *const forms[] = {"P%zu <= P%zu + 1",
                                        "P%zu %% (P%zu + 1) == 0",
                                        "P%zu * P%zu < 12 or P%zu == 1",
                                        "P%zu + P%zu + P%zu ~= 6",
                                        "P%zu >= 1 and P%zu < 5",
                                        "P%zu + P%zu > 4",
                                        "(P%zu + P%zu * P%zu + P%zu ) %% 3 ~= 1",
                                        "P%zu ~= 2 or P%zu > 0 and P%zu / 2 < 2"};
    char text[160];
    size_t n = m->variant.param_count;
    snprintf(text, sizeof text, forms[rft_random_below(random, sizeof forms / sizeof forms[0])],
             (size_t)rft_random_below(random, n), (size_t)rft_random_below(random, n),
             (size_t)rft_random_below(random, n), (size_t)rft_random_below(random, n));
    /* "P3 <= ..." needs its blank also at the end */
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, " ");
    add_rule(m, text, rft_random_below(random, 3) > 0);
}

static rft_space *space_of(made *m, uint64_t max_edges) {
    rft_space *space = NULL;
    rft_err err = RFT_ERR_INIT;
    rft_space_opts opts = {.max_edges = max_edges};
    if (rft_space_new(&space, &m->sweep, 0, NULL, &opts, &err) != 0) {
        fail_msg("%s", err.message);
    }
    return space;
}

/* Every configuration of the product, in the order of parameters. False behind the last. */
static bool next_config(const made *m, uint16_t *at, rft_value *config) {
    size_t i = m->variant.param_count;
    while (i > 0 && (size_t)at[i - 1] + 1 == m->params[i - 1].value_count) {
        at[--i] = 0;
    }
    if (i > 0) {
        at[i - 1]++;
    }
    for (size_t p = 0; p < m->variant.param_count; p++) {
        config[p] = m->params[p].values[at[p]];
    }
    return i > 0;
}

/* Against the product, one by one; returns how many are valid. */
static uint64_t check_all(const made *m, const rft_space *space, bool in_order) {
    rft_value config[PARAMS], got[PARAMS];
    uint16_t at[PARAMS] = {0};
    uint64_t valid = 0;
    for (size_t p = 0; p < m->variant.param_count; p++) {
        config[p] = m->params[p].values[0];
    }
    do {
        uint64_t index = rft_space_find(space, config);
        assert_true((index != UINT64_MAX) == is_valid(m, config));
        if (index != UINT64_MAX) {
            assert_true(index < rft_space_index_end(space));
            assert_true(!in_order || index == valid);
            rft_space_get(space, index, got);
            assert_true(rft_values_equal(got, config, m->variant.param_count));
            valid++;
        }
    } while (next_config(m, at, config));
    return valid;
}

static void check_list(const made *m, const rft_space *space) {
    uint64_t count = rft_space_count(space), listed = 0;
    size_t params = m->variant.param_count;
    uint16_t rows[7 * PARAMS], at[PARAMS];
    while (listed < count) {
        size_t given = rft_space_list(space, listed, 7, rows);
        assert_true(given == 7 || listed + given == count);
        for (size_t i = 0; i < given; i++) {
            rft_space_positions(space, listed + i, at);
            assert_memory_equal(at, rows + i * params, params * sizeof *at);
        }
        listed += given;
    }
    assert_int_equal(rft_space_list(space, count, 7, rows), 0);
}

static void random_spaces(void **state) {
    (void)state;
    uint64_t random = 5, exact = 0, estimated = 0, empty = 0;
    for (int round = 0; round < (SANITIZED ? 100 : 400); round++) {
        made *m = made_new();
        size_t params = 1 + (size_t)rft_random_below(&random, 7), rules = (size_t)rft_random_below(&random, 15),
               values = 0;
        for (size_t i = 0; i < params; i++) {
            add_param(m, 1 + (size_t)rft_random_below(&random, 5));
            values += m->params[i].value_count;
        }
        for (size_t i = 0; i < rules; i++) {
            random_rule(m, &random);
        }
        m->sweep.vt = round % 2 ? &with_along : &without;
        rft_space *space = space_of(m, 0);
        assert_true(rft_space_exact(space));
        assert_string_equal(rft_space_count_basis(space), "exact");
        uint64_t valid = check_all(m, space, true);
        assert_int_equal(rft_space_count(space), valid);
        check_list(m, space);
        rft_space_free(space);
        empty += valid == 0;
        /* The same where the diagram may only have a few edges. */
        space = valid == 0 ? NULL : space_of(m, values + rft_random_below(&random, 10));
        if (space) {
            exact += rft_space_exact(space);
            estimated += !rft_space_exact(space);
            assert_int_equal(check_all(m, space, false), valid);
            double ratio = (double)rft_space_count(space) / (double)valid;
            assert_true(rft_space_exact(space) ? ratio == 1 : ratio > 0.5 && ratio < 2);
            assert_true(rft_space_exact(space) || strstr(rft_space_count_basis(space), "drawn are valid"));
            for (int i = 0; i < 20; i++) {
                rft_value config[PARAMS];
                rft_space_get(space, rft_space_sample(space, rft_random_next(&random)), config);
                assert_true(is_valid(m, config));
            }
            rft_space_free(space);
        }
        made_free(m);
    }
    print_message("with few edges: %llu exact, %llu estimated; %llu empty\n", (unsigned long long)exact,
                  (unsigned long long)estimated, (unsigned long long)empty);
    assert_true(exact > 20 && estimated > (SANITIZED ? 0 : 20) && empty > 5);
}

/* ---- huge ---- */

/* Draws a thousand different ones through the strategy. */
static void draw_a_thousand(const made *m, const rft_space *space) {
    rft_strategy *strategy = NULL;
    uint64_t drawn[1000];
    rft_value config[PARAMS];
    assert_int_equal(rft_strategy_new(&strategy, "random", space, &(rft_strategy_opts){.seed = 3}, NULL), 0);
    assert_int_equal(strategy->ask(strategy, drawn, 1000), 1000);
    for (int i = 0; i < 1000; i++) {
        rft_space_get(space, drawn[i], config);
        assert_true(is_valid(m, config));
        assert_true(rft_space_find(space, config) == drawn[i]);
    }
    strategy->free(strategy);
}

static void many_parts(void **state) {
    (void)state;
    made *m = made_new();
    uint64_t expected = 1;
    for (size_t i = 0; i < 16; i++) {
        add_param(m, 10);
    }
    for (size_t i = 0; i < 8; i++) { /* pairs that lie far apart: parts whose parameters interleave */
        char text[64];
        snprintf(text, sizeof text, "P%zu <= P%zu ", i, i + 8);
        add_rule(m, text, i % 2 == 0);
        expected *= 55;
    }
    rft_space *space = space_of(m, 0);
    assert_true(rft_space_exact(space) && rft_space_count(space) == expected); /* 8.4e13 */
    assert_true(rft_space_size_bytes(space) < 100000);
    assert_true(m->calls <= 8 * 100);
    draw_a_thousand(m, space);
    rft_space_free(space);
    made_free(m);
}

static void one_chain(void **state) {
    (void)state;
    made *m = made_new();
    uint64_t ways[10], expected = 0;
    for (size_t i = 0; i < 16; i++) {
        add_param(m, 10);
    }
    for (size_t i = 0; i + 1 < 16; i++) {
        char text[64];
        snprintf(text, sizeof text, "math.abs(P%zu - P%zu ) <= 3", i, i + 1);
        add_rule(m, text, true);
    }
    for (size_t v = 0; v < 10; v++) {
        ways[v] = 1;
    }
    for (size_t i = 0; i + 1 < 16; i++) { /* the same by sums over the neighbours */
        uint64_t next[10] = {0};
        for (int v = 0; v < 10; v++) {
            for (int w = 0; w < 10; w++) {
                next[v] += abs(v - w) <= 3 ? ways[w] : 0;
            }
        }
        memcpy(ways, next, sizeof ways);
    }
    for (size_t v = 0; v < 10; v++) {
        expected += ways[v];
    }
    rft_space *space = space_of(m, 0);
    assert_true(expected > 1000000000000 && rft_space_exact(space) && rft_space_count(space) == expected);
    assert_true(rft_space_size_bytes(space) < 20000);
    draw_a_thousand(m, space);
    rft_space_free(space);
    made_free(m);
}

/* Constraints that bind what lies far apart: exact only in another order, in which indices then count. */
static void another_order(void **state) {
    (void)state;
    made *m = made_new();
    for (size_t i = 0; i < 16; i++) {
        add_param(m, 10);
    }
    add_rule(m, "(P0 + P8 ) % 3 == (P1 + P9 ) % 3", true);
    for (size_t i = 1; i < 8; i++) {
        char text[100];
        snprintf(text, sizeof text, "(P%zu + P%zu ) %% 3 == 0 or P%zu > P%zu ", i, i + 8, i - 1, i);
        add_rule(m, text, true);
    }
    rft_space *space = space_of(m, 60000);
    assert_true(rft_space_exact(space));
    uint64_t random = 1, count = rft_space_count(space);
    for (int i = 0; i < 2000; i++) {
        rft_value config[PARAMS];
        uint64_t index = rft_space_sample(space, rft_random_next(&random));
        assert_true(index < count);
        rft_space_get(space, index, config);
        assert_true(is_valid(m, config) && rft_space_find(space, config) == index);
    }
    rft_space_free(space);
    made_free(m);
}

static void beyond_the_limit(void **state) {
    (void)state;
    made *m = made_new();
    char text[200] = "(0";
    for (size_t i = 0; i < 13; i++) {
        add_param(m, 10);
        snprintf(text + strlen(text), sizeof text - strlen(text), " + P%zu * %d", i, 1 + (int)(i * i * 37 % 101));
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), ") %% 101 == 0");
    add_rule(m, text, true);
    add_rule(m, "P0 < P1 ", true);
    clock_t start = clock();
    rft_space *space = space_of(m, 0);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("10^13 combinations of one constraint on all: %s, after %.2f s\n", rft_space_count_basis(space),
                  seconds);
    assert_false(rft_space_exact(space));
    double expected = 45e11 / 101;
    assert_true((double)rft_space_count(space) > 0.7 * expected && (double)rft_space_count(space) < 1.3 * expected);
    uint64_t random = 9, before = 0;
    for (int i = 0; i < 200; i++) {
        rft_value config[PARAMS];
        uint64_t index = rft_space_sample(space, rft_random_next(&random));
        rft_space_get(space, index, config);
        assert_true(index != before && is_valid(m, config));
        before = index;
    }
    rft_space_free(space);
    add_rule(m, "P2 + P3 + P4 + P5 + P6 + P7 + P8 + P9 + P10 + P11 + P12 == 3.5", true);
    rft_err err = RFT_ERR_INIT;
    int rc = rft_space_new(&space, &m->sweep, 0, NULL, &(rft_space_opts){.max_edges = 1000}, &err);
    assert_int_equal(rc, RFT_E_LIMIT); /* never guessed to be empty */
    assert_non_null(strstr(err.message, "none of 1000000 configurations drawn"));
    made_free(m);
}

static void more_than_64_bits(void **state) {
    (void)state;
    made *m = made_new();
    for (size_t i = 0; i < 16; i++) {
        add_param(m, 100);
    }
    rft_space *space = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_space_new(&space, &m->sweep, 0, NULL, NULL, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "64 bits"));
    made_free(m);
}

/* A constraint on everything that nothing can be shared under. */
static void the_memory_of_a_million(void **state) {
    (void)state;
    made *m = made_new();
    add_param(m, 130);
    add_param(m, 130);
    add_param(m, 130);
    add_rule(m, "(P0 * 7919 + P1 * 104729 + P2 * 1299709 + P0 * P1 * P2 ) * 2654435761 % 4294967296 >= 2147483648",
             true);
    rft_space *space = space_of(m, 0);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    print_message("%llu valid of %llu, %.1f MB stored, peak memory %.1f MB\n",
                  (unsigned long long)rft_space_count(space), (unsigned long long)rft_space_cartesian(space),
                  (double)rft_space_size_bytes(space) / 1e6, (double)usage.ru_maxrss / 1e3);
    assert_true(rft_space_exact(space) && rft_space_count(space) > 1000000);
    assert_true(rft_space_size_bytes(space) < 40e6);
    assert_true(SANITIZED || usage.ru_maxrss < 150000);
    rft_space_free(space);
    made_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_memory_of_a_million), /* first: the peak is the process's */
        cmocka_unit_test(random_spaces),
        cmocka_unit_test(many_parts),
        cmocka_unit_test(one_chain),
        cmocka_unit_test(another_order),
        cmocka_unit_test(beyond_the_limit),
        cmocka_unit_test(more_than_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
