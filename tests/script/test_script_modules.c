/* SPDX-License-Identifier: Apache-2.0 */
/* require(): where files are found, that each runs once, what enters the hash; and data files as JSON. */
#include "script_case.h"

#include "support/sanitized.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES RFT_SOURCE_DIR "/tests/script/cases/"

static void test_lookup(void **state) {
    script_case *test = *state;
    int code = rft_script_load(&test->script, CASES "deep/deeper/modules.lua", &test->opts, &test->err);
    if (code != 0) {
        fail_msg("%s: %s", test->err.place, test->err.message);
    }
    assert_string_equal(rft_str_get(&test->said), "base runs\n64\n"); /* base ran once for three who asked */
    const rft_sweep *sweep = rft_script_sweep(test->script, 0);
    assert_string_equal(sweep->name, "modules");
    assert_string_equal(sweep->variants[0].kernel, "plain");
    assert_contains(sweep->variants[0].source, "/tests/script/cases/kernels/plain.cu"); /* relative to plain.lua */
    assert_int_equal(case_point(test, sweep->problems[0].values, NULL), 0);
    assert_contains(test->spec.unit.options[0], "/tests/script/cases/kernels/include");
    assert_contains(test->spec.check.reference->unit.source, "/tests/script/cases/kernels/plain.cu");
}

static void test_module_folders(void **state) {
    script_case *test = *state;
    const char *text = "return sweep { kernel = require 'kernels.plain', over = { n = values(4) } }";
    assert_int_equal(rft_script_load_text(&test->script, "/nowhere/x.lua", text, strlen(text), &test->opts, &test->err),
                     RFT_E_SCRIPT);
    assert_contains(test->err.message, "require: no file kernels/plain.lua");
    assert_string_equal(test->err.place, "x.lua:1");
    const char *folders[] = {RFT_SOURCE_DIR "/harness", CASES};
    test->opts.module_folders = folders;
    test->opts.module_folder_count = 2;
    assert_int_equal(rft_script_load_text(&test->script, "/nowhere/x.lua", text, strlen(text), &test->opts, &test->err),
                     0);
}

static int load_in_cases(script_case *test, const char *text) {
    rft_script_free(test->script);
    rft_err_clear(&test->err);
    return rft_script_load_text(&test->script, CASES "inline.lua", text, strlen(text), &test->opts, &test->err);
}

/* A family's folder may be named or left out; two files of one name must be told apart. */
static void test_families(void **state) {
    script_case *test = *state;
    const char *flat = "local a, b = require 'kernels.inner', require 'kernels.family.inner' "
                       "assert(a == b and a.base.size == 64 and require 'kernels.other.twice' == 'other') "
                       "return sweep { kernel = require 'kernels.plain', over = { n = values(4) } }";
    int code = load_in_cases(test, flat);
    if (code != 0) {
        fail_msg("%s: %s", test->err.place, test->err.message);
    }
    assert_string_equal(rft_str_get(&test->said), "inner runs\nbase runs\n");
    assert_int_equal(load_in_cases(test, "require 'kernels.twice'"), RFT_E_SCRIPT);
    assert_contains(test->err.message, "there are kernels/family/twice.lua and kernels/other/twice.lua");
    assert_contains(test->err.remedy, "name the folder too");
    assert_int_equal(load_in_cases(test, "require 'family.missing'"), RFT_E_SCRIPT);
    assert_contains(test->err.message, "require: no file family/missing.lua");
}

static void test_refused(void **state) {
    script_case *test = *state;
    assert_int_equal(load_in_cases(test, "require 'kernels.circle'"), RFT_E_SCRIPT);
    assert_contains(test->err.message, "requires itself in a circle");
    assert_string_equal(test->err.place, "kernels/circle_back.lua:2");
    assert_contains(test->err.message, "inline.lua:1: in the file itself");
    assert_int_equal(load_in_cases(test, "require 'kernels.broken'"), RFT_E_SCRIPT);
    assert_string_equal(test->err.place, "kernels/broken.lua:2");
    assert_contains(test->err.message, "traceback");
    assert_int_equal(load_in_cases(test, "pcall(require, 'kernels.broken') require 'kernels.broken'"), RFT_E_SCRIPT);
    assert_contains(test->err.message, "failed before");
    static const char *const names[] = {"../kernels/base", "/etc/passwd",   "kernels..base",
                                        ".kernels",        "kernels.base.", "",
                                        "kernels/base",    "kernels\\base", "kernels.base\n"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char text[100];
        snprintf(text, sizeof(text), "require [[%s]]", names[i]);
        assert_int_equal(load_in_cases(test, text), RFT_E_SCRIPT);
        if (i != 8) { /* a long bracket keeps the line break at the end */
            assert_contains(test->err.message, "is not a name");
        }
    }
    assert_int_equal(load_in_cases(test, "require(7)"), RFT_E_SCRIPT);
    assert_int_equal(load_in_cases(test, "require 'inline'"), RFT_E_SCRIPT);
}

/* The hash stands for the script and all it requires. */
static void test_hash(void **state) {
    script_case *test = *state;
    static const char tail[] = "return sweep { tune = { AA = values(1) } }";
    char text[200], plain[65];
    assert_int_equal(load_in_cases(test, tail), 0);
    snprintf(plain, sizeof(plain), "%s", rft_script_sweep(test->script, 0)->script_hash);
    assert_int_equal(load_in_cases(test, tail), 0);
    assert_string_equal(rft_script_sweep(test->script, 0)->script_hash, plain);
    snprintf(text, sizeof(text), "%s ", tail);
    assert_int_equal(load_in_cases(test, text), 0);
    assert_string_not_equal(rft_script_sweep(test->script, 0)->script_hash, plain);
    char base[65], near[65];
    snprintf(text, sizeof(text), "local f = arg[1] and require(arg[1]) %s", tail);
    const char *args[] = {"kernels.base"};
    test->opts.args = args;
    test->opts.arg_count = 1;
    assert_int_equal(load_in_cases(test, text), 0);
    snprintf(base, sizeof(base), "%s", rft_script_sweep(test->script, 0)->script_hash);
    args[0] = "kernels.plain";
    assert_int_equal(load_in_cases(test, text), 0);
    snprintf(near, sizeof(near), "%s", rft_script_sweep(test->script, 0)->script_hash);
    assert_string_not_equal(base, near);
}

static void test_data_file(void **state) {
    script_case *test = *state;
    char *text = NULL;
    int code = rft_script_read_table(&text, CASES "data.lua", NULL, &test->err);
    if (code != 0) {
        fail_msg("%s: %s", test->err.place, test->err.message);
    }
    json_t *data = json_loads(text, 0, NULL);
    assert_non_null(data);
    assert_true(json_real_value(json_array_get(json_object_get(data, "list"), 1)) == 2.5);
    assert_true(json_equal(json_object_get(data, "list"), json_object_get(data, "again")));
    assert_true(json_is_null(json_object_get(data, "none")));
    assert_true(json_integer_value(json_object_get(data, "big")) == 1099511627776);
    const json_t *nested = json_object_get(data, "nested");
    assert_string_equal(json_string_value(json_object_get(nested, "a")), "quote \" and \\ and \n");
    assert_true(json_is_true(json_object_get(nested, "b")) && json_is_object(json_object_get(nested, "c")));
    const json_t *mix = json_object_get(data, "mix");
    const json_t *items = json_object_get(mix, "items");
    assert_string_equal(json_string_value(json_object_get(mix, "unit")), "token");
    assert_int_equal(json_array_size(items), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(items, 0), "count")), 160);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(items, 1), "count")), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(items, 1), "operation")), "copy");
    json_decref(data);
    free(text);
}

/* Writes text to a file and reads it as data. */
static int read_data(script_case *test, const char *text, char **json) {
    char path[] = "/tmp/rft_data_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *stream = fdopen(file, "w");
    fputs(text, stream);
    fclose(stream);
    rft_err_clear(&test->err);
    int code = rft_script_read_table(json, path, NULL, &test->err);
    remove(path);
    return code;
}

static void test_bad_data(void **state) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"return 7", "expected a table, got 7"},
        {"", "expected a table, got nothing"},
        {"return { f = print }", "cannot hold a function"},
        {"return { 1, a = 2 }", "both names and positions"},
        {"return { 1, nil, 3 }", "gap"},
        {"return { [1.5] = 3 }", "keys must be texts"},
        {"return { [true] = 3 }", "keys must be texts"},
        {"local t = {} t.t = t return t", "nested too deeply"},
        {"local t = {} for i = 1, 50 do t = { t, t } end return t", "larger than 16 MiB"},
        {"local t = {} for i = 1, 5000 do t['k' .. i] = 1 end return t", "more than 512 names"},
        {"return os.getenv('HOME')", "unknown name \"os\""},
        {"return mix { { 'x' } }", "mix.name: expected text"},
        {"return mix { name = 'x' }", "the mix has no operations"},
        {"return mix { name = 'x', { 'a', { m = 1 }, cuont = 1 } }", "did you mean \"count\"?"},
    };
    script_case *test = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (SANITIZED && strstr(cases[i].message, "16 MiB")) {
            continue; /* on a busy machine it would come to the limit of 10 s before */
        }
        char *json = NULL;
        assert_int_equal(read_data(test, cases[i].text, &json), RFT_E_SCRIPT);
        assert_null(json);
        assert_contains(test->err.message, cases[i].message);
    }
    char *json = NULL;
    assert_int_equal(read_data(test, "return {}", &json), 0);
    assert_string_equal(json, "{}");
    free(json);
    assert_int_equal(rft_script_read_table(&json, CASES "none.lua", NULL, &test->err), RFT_E_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lookup, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_module_folders, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_families, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_refused, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_hash, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_data_file, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_bad_data, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
