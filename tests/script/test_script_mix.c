/* SPDX-License-Identifier: Apache-2.0 */
/* mix{}: what is refused, with the path of the key and what to write instead; what comes out. */
#include "script_case.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static int read_mix(script_case *test, const char *text, char **json) {
    rft_err_clear(&test->err);
    return rft_script_eval_table(json, "m.lua", text, &test->opts, &test->err);
}

#define ONE "{ 'gemv', { n = 8 }, count = 2 }"

static void test_refused(void **state) {
    static const struct {
        const char *body, *message, *remedy;
    } cases[] = {
        {"name = 'x', { 'gemv', { n = 8 } }", "mix[1].count: the count is missing", "count = 160"},
        {"name = 'x', { 'gemv', { n = 8 }, count = -3 }", "mix[1].count: must be more than 0", "leave it out"},
        {"name = 'x', { 'gemv', { n = 8 }, count = 1e16 }", "mix[1].count: expected a number, 0 to 1000000000000000",
         ""},
        {"name = 'x', { 'gemv', { n = 8 }, count = '2' }", "mix[1].count: expected a number", ""},
        {"name = 'x', { 'gemv', { n = 8 }, cuont = 2 }", "did you mean \"count\"?", ""},
        {"name = 'x', { 'gemv', count = 2 }", "mix[1][2]: expected a table", ""},
        {"name = 'x', { 'gemv', { 8 }, count = 2 }", "mix[1][2]: expected dimensions by name", "{ m = 32"},
        {"name = 'x', { 'gemv', { n = {} }, count = 2 }", "mix[1][2].n: expected a number, a boolean or text", ""},
        {"name = 'x', { 'gemv', { n = 0/0 }, count = 2 }", "mix[1][2].n: the value is not a finite number", ""},
        {"name = 'x', { '', { n = 8 }, count = 2 }", "mix[1][1]: the text is empty", ""},
        {"name = 'x', { gemv, { n = 8 }, count = 2 }", "unknown name \"gemv\"", ""},
        {"name = 'x', 7", "mix[1]: expected a table", ""},
        {"name = 'x', " ONE ", nil, " ONE, "mix", ""},
        {ONE, "mix.name: expected text", ""},
        {"name = 'x'", "the mix has no operations", "count = 160"},
        {"nam = 'x', " ONE, "mix.nam: unknown key, did you mean \"name\"?", ""},
        {"name = 'x', per = 32, " ONE, "mix.per: per needs a unit", "unit = \"token\""},
        {"name = 'x', unit = 7, " ONE, "mix.unit: expected text, got 7", ""},
        {"name = 'x', unit = 'token', per = -1, " ONE, "mix.per: must be more than 0", ""},
        {"prices = 7", "mix.prices: expected a table", ""},
        {"prices = { kwh = 0.3 }", "mix.prices.currency: prices need their currency", "EUR"},
        {"prices = { kwh = 0.3, currency = 'EUR' }", "mix.prices.date: prices need their date", "2026-11"},
        {"prices = { kw = 0.3 }", "mix.prices.kw: unknown key, did you mean \"kwh\"?", ""},
        {"prices = { kwh = '0.3' }", "mix.prices.kwh: expected a number", ""},
        {"prices = { years = 0 }", "mix.prices.years: must be more than 0", ""},
        {"prices = { date = 'last May' }", "mix.prices.date: \"last May\" is no date", "2026-11"},
        {"prices = { currency = 'a currency with a name' }", "mix.prices.currency: the currency is longer", ""},
        {"prices = { devices = { 32000 } }", "mix.prices.devices: expected prices by a device's name, got the key 1",
         "rooftune devices"},
        {"prices = { devices = { ['NVIDIA H200'] = '32000' } }", "mix.prices.devices.NVIDIA H200: expected a number",
         ""},
        {"prices = { utilisation = 60 }", "mix.prices.utilisation: must be more than 0 and at most 1", "60 % is 0.6"},
        {"prices = { pue = 0.9 }", "mix.prices.pue: must be 1 or more", "such as 1.3"},
        {"prices = { host = 3 }", "mix.prices.host: expected a table", ""},
        {"prices = { host = { power = 3 } }", "mix.prices.host.power: unknown key", ""},
        {"prices = { host = { price = 3 } }", "mix.prices.currency: prices need their currency", "EUR"},
        {"name = 'x', cards = 1.5, " ONE, "mix.cards: expected a whole number", ""},
        {"name = 'x', cards = 0, " ONE, "mix.cards: 0 is outside 1 to 1000000", ""},
        {"name = 'x', memory = { weights = -1 }, " ONE, "mix.memory.weights: must be more than 0", "leave it out"},
        {"name = 'x', memory = { weight = 1 }, " ONE, "mix.memory.weight: unknown key, did you mean \"weights\"?", ""},
        {"memory = { weights = 1 }, remarks = { 'x' }", "mix.memory: belongs to a mix with operations", ""},
        {"name = 'x', sweeps = 'gemv.lua', " ONE, "mix.sweeps: expected a table", ""},
        {"names = { 'x' }", "mix.names: expected names by a device's name", ""},
        {"names = { H200 = 3 }", "mix.names.H200: expected text, got 3", ""},
        {"remarks = 'x'", "mix.remarks: expected a table", ""},
        {"remarks = { '' }", "mix.remarks[1]: the text is empty", ""},
        {"remarks = { a = 'x' }", "mix.remarks: expected a list", ""},
    };
    script_case *test = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300], *json = NULL;
        snprintf(text, sizeof text, "-- a line before\nreturn mix { %s }", cases[i].body);
        assert_int_equal(read_mix(test, text, &json), RFT_E_SCRIPT);
        assert_null(json);
        assert_contains(test->err.message, cases[i].message);
        assert_contains(test->err.remedy, cases[i].remedy);
        assert_contains(test->err.place, "m.lua:2");
    }
}

static void test_read(void **state) {
    script_case *test = *state;
    char *text = NULL;
    const char *lua =
        "return mix { name = 'd', unit = 'token', per = 2^5, { 'a', { n = 2^13, s = 'x', t = true }, count = 0.5 },\n"
        "  { 'b', {}, count = 3 }, names = { ['GPU-1'] = 'rack' }, remarks = { 'r' },\n"
        "  prices = { currency = 'EUR', date = '2026-11-21', devices = { ['NVIDIA H200'] = 32000 } } }";
    if (read_mix(test, lua, &text) != 0) {
        fail_msg("%s: %s", test->err.place, test->err.message);
    }
    json_t *mix = json_loads(text, 0, NULL);
    const json_t *items = json_object_get(mix, "items"), *first = json_array_get(items, 0);
    const json_t *problem = json_object_get(first, "problem");
    assert_int_equal(json_array_size(items), 2);
    assert_true(json_is_integer(json_object_get(problem, "n")));
    assert_int_equal(json_integer_value(json_object_get(problem, "n")), 8192);
    assert_string_equal(json_string_value(json_object_get(problem, "s")), "x");
    assert_true(json_is_true(json_object_get(problem, "t")));
    assert_true(json_number_value(json_object_get(first, "count")) == 0.5);
    assert_true(json_number_value(json_object_get(mix, "per")) == 32);
    const json_t *prices = json_object_get(mix, "prices");
    assert_true(json_number_value(json_object_get(json_object_get(prices, "devices"), "NVIDIA H200")) == 32000);
    assert_null(json_object_get(prices, "kwh"));
    json_decref(mix);
    free(text);
    assert_int_equal(read_mix(test, "return mix { prices = { years = 3 } }", &text), 0);
    assert_string_equal(text, "{\"items\":{},\"prices\":{\"years\":3}}");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_refused, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_read, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
