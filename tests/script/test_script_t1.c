/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces in T1: Python lists are folded to values, Python conditions mean the same in Lua, and everything else is
 * refused with its place. What is expected is what CPython 3 says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/sweep/space.h"
#include "script/python/python.h"
#include "script/script.h"

#include <string.h>

static void lists_are_folded(void **state) {
    (void)state;
    static const struct {
        const char *python, *values;
    } lists[] = {
        {"[1, 2, 3]", "1 2 3"},
        {" [ 1,2 , ] ", "1 2"},
        {"(4, 8)", "4 8"},
        {"[True, False]", "true false"},
        {"['a', \"b c\"]", "a b c"},
        {"[0.5, 1e3, .25]", "0.5 1000 0.25"},
        {"range(4)", "0 1 2 3"},
        {"list(range(32, 97, 32))", "32 64 96"},
        {"range(5, 0, -2)", "5 3 1"},
        {"[1, 2, 4] + list(range(8, 24+1, 8))", "1 2 4 8 16 24"},
        {"[2**i for i in range(0, 6)]", "1 2 4 8 16 32"},
        {"[i*j_ for j_ in [3]]", NULL},
        {"[i for i in range(1, 20) if i % 3 == 0 and i != 9]", "3 6 12 15 18"},
        {"[-2**2, (-2)**2, 2**-1, 2**3**2]", "-4 4 0.5 512"},
        {"[-7//2, -7%2, 7//-2, 7%-2, 7/2, -7.5//2]", "-4 1 -4 -1 3.5 -4"},
        {"[min(3, 1, 2), max(1, 2), abs(-3), int(3.9), int(-3.9), float(2)]", "1 2 3 3 -3 2"},
        {"[1 < 2 < 3, 1 < 3 < 2, 2 in [1, 2], 2 not in (1, 2), not 0, 0 or 5, 3 and 0]",
         "true false true false true 5 0"},
        {"[]", ""},
        {"[9223372036854775807 % -2, 9223372036854775807 // -2]", "-1 -4611686018427387904"},
        {"[9223372036854775807]", "9223372036854775807"},
        {"[9223372036854775807 + 1]", NULL},
        {"[2**63]", NULL},
        {"[10**100]", NULL},
        {"[0**0, 1**999999999999, (-1)**3]", "1 1 -1"},
        {"[1//0]", NULL},
        {"[1.0 % 0]", NULL},
        {"[1e308*10]", NULL},
        {"[99999999999999999999]", NULL},
        {"[0x10]", NULL},
        {"[1_000]", NULL},
        {"range(70000)", NULL},
        {"range(1, 10, 0)", NULL},
        {"range(0.5)", NULL},
        {"[x]", NULL},
        {"[[1], [2]]", NULL},
        {"[[i for i in [1]] for j in [1]]", NULL},
        {"[i for i in range(3) for j in range(3)]", NULL},
        {"7", NULL},
        {"'abc'", NULL},
        {"['a' + 'b']", NULL},
        {"['a' < 1]", NULL},
        {"[1, 2", NULL},
        {"[1 2]", NULL},
        {"", NULL},
        {"['a", NULL},
        {"['\\n']", NULL},
        {"[lambda: 1]", NULL},
        {"[__import__('os').system('true')]", NULL},
        {"[open('x')]", NULL},
        {"[(1).real]", NULL},
        {"[1 if True else 2]", NULL},
        {"[1, 2][0]", NULL},
        {"[1 << 3]", NULL},
        {"[~1]", NULL},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        rft_arena *arena = rft_arena_new();
        rft_py_node *node = NULL;
        rft_value *values = NULL;
        size_t count = 0;
        rft_py_error error = {.message = ""};
        bool good =
            rft_py_parse(&node, lists[i].python, arena, &error) && rft_py_values(&values, &count, node, arena, &error);
        rft_str text = RFT_STR_INIT;
        for (size_t k = 0; k < count; k++) {
            rft_str_add(&text, k ? " " : "");
            rft_value_format(&text, &values[k]);
        }
        if (good != (lists[i].values != NULL) || (good && strcmp(rft_str_get(&text), lists[i].values) != 0)) {
            fail_msg("%s: %s%s", lists[i].python, rft_str_get(&text), error.message);
        }
        assert_true(good || (error.message[0] && error.at <= strlen(lists[i].python)));
        rft_str_clear(&text);
        rft_arena_free(arena);
    }
}

/* Loads a space of a in {0, 1, 2, 3}, b in {0.5, 1, 2}, t in {True, False}, s in {"x", "yy"} and counts. */
static int load(const char *conditions, uint64_t *count, rft_err *err) {
    rft_str json = RFT_STR_INIT, lua = RFT_STR_INIT;
    rft_script *script = NULL;
    rft_space *space = NULL;
    rft_gpu_info gpu;
    rft_str_addf(&json,
                 "{\"ConfigurationSpace\":{\"TuningParameters\":["
                 "{\"Name\":\"a\",\"Type\":\"int\",\"Values\":\"range(4)\"},"
                 "{\"Name\":\"b\",\"Type\":\"float\",\"Values\":\"[0.5, 1.0, 2]\"},"
                 "{\"Name\":\"t\",\"Type\":\"bool\",\"Values\":\"[True, 0]\"},"
                 "{\"Name\":\"s\",\"Type\":\"string\",\"Values\":\"['x', 'yy']\"}],\"Conditions\":[%s]}}",
                 conditions);
    int code = rft_script_t1_text(&lua, json.data, json.length, "space.json", err);
    if (!code) {
        assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_90a", err), 0);
        rft_script_opts opts = {.gpu = &gpu};
        if (rft_script_load_text(&script, "space.json", lua.data, lua.length, &opts, err) != 0) {
            fail_msg("%s\n%s: %s", lua.data, err->place, err->message);
        }
        const rft_sweep *sweep = rft_script_sweep(script, 0);
        assert_true(sweep->bare_space);
        if (rft_space_new(&space, sweep, 0, sweep->problems[0].values, NULL, err) != 0) {
            fail_msg("%s\n%s", lua.data, err->message);
        }
        *count = rft_space_count(space);
        if (rft_space_errors(space) > 0) {
            fail_msg("%s\n%s", lua.data, rft_space_first_error(space));
        }
        rft_space_free(space);
    }
    rft_script_free(script);
    rft_str_clear(&json);
    rft_str_clear(&lua);
    return code;
}

/* The counts are CPython's, by itertools.product and eval. */
static void conditions_mean_the_same(void **state) {
    (void)state;
    static const struct {
        const char *python;
        uint64_t count;
    } conditions[] = {
        {"a", 36},
        {"t", 24},
        {"not a", 12},
        {"not t", 24},
        {"a == 1", 12},
        {"a != 1", 36},
        {"0 < a <= 2", 24},
        {"0 < a < b", 4},
        {"a < b or t", 32},
        {"a and t", 18},
        {"t == 1", 24},
        {"t == a", 12},
        {"t != 0", 24},
        {"t + a == 2", 12},
        {"a - t > 0", 30},
        {"t == True", 24},
        {"a == True", 12},
        {"t == (a > 1)", 24},
        {"a % 2 == 0", 24},
        {"a // 2 == 1", 24},
        {"a / 2 == b", 8},
        {"a ** 2 > 3", 24},
        {"2 ** a == 4", 12},
        {"-a < -1", 24},
        {"min(a, b) == 1", 16},
        {"max(a, b, 1) > 1", 32},
        {"abs(a - 2) == 1", 24},
        {"int(a / 2) == 1", 24},
        {"int(-a / 2) == -1", 24},
        {"a in [1, 2]", 24},
        {"a not in (1, 2)", 24},
        {"a in range(0, 4, 2)", 24},
        {"a in []", 0},
        {"b in [0.5]", 16},
        {"t in [True]", 24},
        {"a in [True, 3]", 24},
        {"s == 'x'", 24},
        {"s != 'x' and a", 18},
        {"s in ['x', 'z']", 24},
        {"s < 'y'", 24},
        {"a * b >= 1 and not (t and s == 'x')", 24},
        {"not a == 1", 36},
        {"not not a", 36},
        {"1 <= a <= 2 <= b", 8},
        {"a == 1 == t", 6},
        {"(a)", 36},
        {"a*2-1 in [1, 3]", 24},
        {"not (a > 1 or b < 1)", 16},
        {"True", 48},
        {"a or b > 1", 40},
        {"a - 1", 36},
        {"1 < 2", 48},
    };
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        rft_str text = RFT_STR_INIT;
        rft_err err = RFT_ERR_INIT;
        uint64_t count = 0;
        rft_str_addf(&text, "{\"Expression\":\"%s\",\"Parameters\":[\"a\"]}", conditions[i].python);
        if (load(rft_str_get(&text), &count, &err) != 0) {
            fail_msg("%s: %s", conditions[i].python, err.message);
        }
        if (count != conditions[i].count) {
            fail_msg("%s: %llu, not %llu", conditions[i].python, (unsigned long long)count,
                     (unsigned long long)conditions[i].count);
        }
        rft_str_clear(&text);
    }
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *condition, *said;
    } refused[] = {
        {"{\"Expression\":\"a < q\"}",
         "Conditions[0].Expression: \"q\" is not a parameter of the space, at character 5"},
        {"{\"Expression\":\"a & 1\"}", "\"& 1\" is not understood here, at character 3"},
        {"{\"Expression\":\"a is 1\"}", "not understood"},
        {"{\"Expression\":\"s < 1\"}", "a text is compared with a number"},
        {"{\"Expression\":\"s == 1\"}", "a text is compared with a number"},
        {"{\"Expression\":\"s * 2 > 1\"}", "texts cannot be computed with"},
        {"{\"Expression\":\"s\"}", "a text is not a condition"},
        {"{\"Expression\":\"'x'\"}", "a text is not a condition"},
        {"{\"Expression\":\"(a or 1) * 2 > 1\"}", "not understood as numbers"},
        {"{\"Expression\":\"len(s) > 1\"}", "len() with 1 arguments is not understood"},
        {"{\"Expression\":\"__import__('os').system('true')\"}", "members and indices"},
        {"{\"Expression\":\"os.system\"}", "members and indices"},
        {"{\"Expression\":\"a[0] > 1\"}", "members and indices"},
        {"{\"Expression\":\"max(a) > 1\"}", "max() with 1 arguments is not understood"},
        {"{\"Expression\":\"a if t else b\"}", "not understood here"},
        {"{\"Expression\":\"lambda: 1\"}", "\"lambda\" is not understood"},
        {"{\"Expression\":\"[1, 2]\"}", "a list is understood behind `in` alone"},
        {"{\"Expression\":\"a in [a, 2]\"}", "\"a\" has no value here"},
        {"{\"Expression\":\"\"}", "ends too early"},
        {"{\"Expression\":\"a <\"}", "ends too early"},
        {"{\"Expression\":\"((a)\"}", "expected )"},
        {"{\"Expression\":7}", "Conditions[0].Expression: expected a Python condition in a text"},
        {"{}", "Conditions[0].Expression: expected"},
        {"7", "Conditions[0].Expression: expected"},
        {"{\"Expression\":\"a\",\"Parameters\":[\"q\"]}", "Conditions[0].Parameters[0]: expected the name"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        rft_err err = RFT_ERR_INIT;
        uint64_t count = 0;
        assert_int_equal(load(refused[i].condition, &count, &err), RFT_E_SCRIPT);
        if (!strstr(err.message, refused[i].said) || !err.remedy[0] || strcmp(err.place, "space.json") != 0) {
            fail_msg("%s: %s", refused[i].condition, err.message);
        }
    }
    rft_str deep = RFT_STR_INIT;
    for (int kind = 0; kind < 4; kind++) {
        static const char *const starts[] = {"(", "-", "not ", "2**"};
        rft_arena *arena = rft_arena_new();
        rft_py_node *node = NULL;
        rft_py_error error;
        rft_str_truncate(&deep, 0);
        for (int i = 0; i < 100000; i++) {
            rft_str_add(&deep, starts[kind]);
        }
        assert_false(rft_py_parse(&node, rft_str_get(&deep), arena, &error));
        assert_non_null(strstr(error.message, "nested more than"));
        rft_arena_free(arena);
    }
    rft_str_clear(&deep);
}

static void files_that_lie(void **state) {
    (void)state;
    static const struct {
        const char *json, *said;
    } files[] = {
        {"{", "is not JSON"},
        {"{\"ConfigurationSpace\":7}", "TuningParameters: expected a list"},
        {"{\"ConfigurationSpace\":{\"TuningParameters\":[]}}", "TuningParameters: expected a list"},
        {"{\"ConfigurationSpace\":{\"TuningParameters\":[7]}}", "TuningParameters[0].Name: expected"},
#define PARAMETER(name, type, values)                                                                                  \
    "{\"ConfigurationSpace\":{\"TuningParameters\":[{\"Name\":" name ",\"Type\":" type ",\"Values\":" values "}]}}"
        {PARAMETER("\"end\"", "\"int\"", "\"[1]\""), "TuningParameters[0].Name: expected"},
        {PARAMETER("\"a b\"", "\"int\"", "\"[1]\""), "TuningParameters[0].Name: expected"},
        {PARAMETER("\"a\\\"] = os\"", "\"int\"", "\"[1]\""), "TuningParameters[0].Name: expected"},
        {PARAMETER("\"a\"", "\"complex\"", "\"[1]\""), "TuningParameters[0].Type: expected"},
        {PARAMETER("\"a\"", "\"int\"", "7"), "TuningParameters[0].Values: expected a Python list"},
        {PARAMETER("\"a\"", "\"int\"", "[1, [2]]"), "TuningParameters[0].Values[1]: expected numbers, texts"},
        {PARAMETER("\"a\"", "\"int\"", "\"[]\""), "TuningParameters[0].Values: expected at least one"},
        {PARAMETER("\"a\"", "\"int\"", "\"[1, 0.5]\""), "TuningParameters[0].Values, value 2: expected values of"},
        {PARAMETER("\"a\"", "\"uint\"", "\"[-1]\""), "value 1: expected"},
        {PARAMETER("\"a\"", "\"bool\"", "\"[2]\""), "value 1: expected"},
        {PARAMETER("\"a\"", "\"string\"", "\"[1]\""), "value 1: expected"},
        {PARAMETER("\"a\"", "\"int\"", "\"['1']\""), "value 1: expected"},
        {"{\"ConfigurationSpace\":{\"TuningParameters\":[{\"Name\":\"a\",\"Type\":\"int\",\"Values\":\"[1]\"},"
         "{\"Name\":\"a\",\"Type\":\"int\",\"Values\":\"[1]\"}]}}",
         "TuningParameters[1].Name: expected a name that no other"},
        {"{\"ConfigurationSpace\":{\"TuningParameters\":[{\"Name\":\"a\",\"Type\":\"int\",\"Values\":\"[1]\"}],"
         "\"Conditions\":{}}}",
         "Conditions: expected a list"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        rft_str lua = RFT_STR_INIT;
        rft_err err = RFT_ERR_INIT;
        assert_int_equal(rft_script_t1_text(&lua, files[i].json, strlen(files[i].json), "space.json", &err),
                         RFT_E_SCRIPT);
        if (!strstr(err.message, files[i].said)) {
            fail_msg("%s: %s", files[i].json, err.message);
        }
        rft_str_clear(&lua);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_folded),
        cmocka_unit_test(conditions_mean_the_same),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(files_that_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
