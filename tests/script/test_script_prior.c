/* SPDX-License-Identifier: Apache-2.0 */
/* prior(p, c, gpu, t): of a kernel and of a variant, what it is given, and what it may give. */
#include "script_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const rft_value thousand[] = {{RFT_VALUE_INT, {.integer = 1000}}};

static double prior_of(script_case *test, const rft_sweep *sweep, size_t variant, const rft_value *config) {
    double prior = -1;
    rft_err_clear(&test->err);
    if (sweep->vt->prior(sweep->self, variant, thousand, config, &prior, &test->err) != 0) {
        fail_msg("%s: %s", test->err.place, test->err.message);
    }
    return prior;
}

static void test_a_kernel_has_one(void **state) {
    script_case *test = *state;
    const rft_value config[] = {rft_value_int(4), rft_value_int(128)};
    const rft_sweep *sweep =
        case_load(test, case_saxpy("prior = function(p, c, gpu) return p.n / (c.VEC * c.BLOCK) + gpu.sms end,", ""));
    assert_true(prior_of(test, sweep, 0, config) == 1000.0 / 512 + test->gpu.sms);
    sweep = case_load(test, case_saxpy("", ""));
    assert_true(prior_of(test, sweep, 0, config) == 0); /* none: no opinion */
}

static void test_a_variants_own_goes_before_its_kernels(void **state) {
    script_case *test = *state;
    const rft_value config[] = {rft_value_int(4), rft_value_int(128)};
    const char *text = case_saxpy("prior = function() return 1 end,", "");
    char ladder[8000];
    const char *sweep_at = strstr(text, "return sweep");
    assert_non_null(sweep_at);
    snprintf(ladder, sizeof(ladder),
             "%.*s return sweep { over = { n = values(1000) }, variants = { { 'a', kernel = kernel(facts) },\n"
             "  { 'b', kernel = kernel(facts), prior = function(p, c) return 2 * c.VEC end } } }",
             (int)(sweep_at - text), text);
    const rft_sweep *sweep = case_load(test, ladder);
    assert_true(prior_of(test, sweep, 0, config) == 1);
    assert_true(prior_of(test, sweep, 1, config) == 8);
}

/* The times are those of the floor: what pruning believes, without a second model. */
static void test_times_at_the_limits(void **state) {
    script_case *test = *state;
    const rft_value config[] = {rft_value_int(4), rft_value_int(128)};
    test->gpu.memory_clock_khz = 2619000;
    test->gpu.memory_bus_bits = 5120;
    test->gpu.sm_clock_khz = 1980000;
    test->gpu.sms = 132;
    static const char traffic[] = "traffic = function(p, c) return { dram = 12e9, fp32 = 2e9 * c.VEC } end,\n";
    char kernel[1000];
    snprintf(kernel, sizeof(kernel), "%s prior = function(p, c, gpu, t) return t.fp32 end,", traffic);
    double fp32_s = prior_of(test, case_load(test, case_saxpy(kernel, "")), 0, config);
    assert_true(fabs(fp32_s / (8e9 / (132 * 128 * 2 * 1.98e9)) - 1) < 1e-9);
    snprintf(kernel, sizeof(kernel), "%s prior = function(p, c, gpu, t) return t.dram end,", traffic);
    double dram_s = prior_of(test, case_load(test, case_saxpy(kernel, "")), 0, config);
    assert_true(fabs(dram_s / (12e9 / (2619e6 * 2 * 5120 / 8)) - 1) < 1e-9);
    snprintf(kernel, sizeof(kernel), "%s prior = function(p, c, gpu, t) return t.floor end,", traffic);
    double floor_s = prior_of(test, case_load(test, case_saxpy(kernel, "")), 0, config);
    assert_true(floor_s == fp32_s); /* modelled DRAM traffic is no bound: the L2 may keep it */
    snprintf(kernel, sizeof(kernel), "%s prior = function(p, c, gpu, t) return 1 + t.tensor_fp16 + t.l2 end,", traffic);
    assert_true(prior_of(test, case_load(test, case_saxpy(kernel, "")), 0, config) == 1); /* not known is 0 */
    snprintf(kernel, sizeof(kernel), "%s prior = function(p, c, gpu, t) return 2 * t.tensor_fp16 end,", traffic);
    assert_true(prior_of(test, case_load(test, case_saxpy(kernel, "")), 0, config) == 0); /* no opinion on this card */
}

static void test_mistakes_are_told_at_load(void **state) {
    script_case *test = *state;
    static const struct {
        const char *prior, *message, *remedy;
    } cases[] = {
        {"function() end", "prior: expected a number above 0, got nothing (nil): does it return anything?",
         "the larger number"},
        {"function() return 0 end", "prior: expected a number above 0, got 0", "the larger number"},
        {"function() return -3 end", "prior: expected a number above 0, got -3", "the larger number"},
        {"function() return 0 / 0 end", "prior: expected a number above 0, got", "the larger number"},
        {"function() return 1 / 0 end", "prior: expected a number above 0, got", "the larger number"},
        {"function() return '3' end", "prior: expected a number above 0, got the text", "the larger number"},
        {"function(p, c) return c.VECS end", "c.VECS: unknown name, did you mean \"VEC\"?", NULL},
        {"function(p, c, gpu, t) return t.dramm end", "t.dramm: unknown name, did you mean \"dram\"?", NULL},
        {"function(p, c, t) return t.dram end", "by its position the parameter is gpu", "prior with (p, c, gpu, t)"},
        {"7", "kernel.prior: expected a function, got 7", "prior = function(p, c, gpu, t)"},
        {"(function() local n = 0; return function() n = n + 1; return n end end)()",
         "two calls for the same configuration gave different numbers", "use p, c, gpu and t alone"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char kernel[400];
        snprintf(kernel, sizeof(kernel), "prior = %s,", cases[i].prior);
        case_refuse(test, case_saxpy(kernel, ""), RFT_E_SCRIPT, "case.lua:", cases[i].message, cases[i].remedy);
    }
}

/* Elsewhere than at the configuration that loading tries: the point is named. */
static void test_a_mistake_names_its_configuration(void **state) {
    script_case *test = *state;
    const rft_value config[] = {rft_value_int(4), rft_value_int(128)};
    const rft_sweep *sweep =
        case_load(test, case_saxpy("prior = function(p, c) return c.VEC == 4 and -1 or 1 end,", ""));
    double prior = 0;
    assert_int_equal(sweep->vt->prior(sweep->self, 0, thousand, config, &prior, &test->err), RFT_E_SCRIPT);
    assert_contains(test->err.message, "for n=1000 VEC=4 BLOCK=128");
    assert_true(prior == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_kernel_has_one, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_a_variants_own_goes_before_its_kernels, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_times_at_the_limits, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_mistakes_are_told_at_load, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_a_mistake_names_its_configuration, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
