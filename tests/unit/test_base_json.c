/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fs.h"
#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *parse(const char *text) {
    json_t *value = NULL;
    assert_int_equal(rft_json_parse(&value, text, strlen(text), "test", NULL), 0);
    return value;
}

static void what_is_not_json_is_placed(void **state) {
    (void)state;
    static const char *const bad[] = {"",           "{",    "{\"a\":}", "[1,2",      "hello",
                                      "{\"a\":1}x", "[01]", "[nan]",    "[\"\xff\"]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rft_err err = RFT_ERR_INIT;
        json_t *value = (json_t *)&err;
        assert_int_equal(rft_json_parse(&value, bad[i], strlen(bad[i]), "quick.json", &err), RFT_E_RECORDING);
        assert_null(value);
        assert_non_null(strstr(err.message, "quick.json is not JSON"));
        assert_memory_equal(err.place, "quick.json:", 11);
    }
    rft_err err = RFT_ERR_INIT;
    json_t *value = NULL;
    assert_int_equal(rft_json_parse(&value, "{\n \"a\": tru\n}", 13, "f", &err), RFT_E_RECORDING);
    assert_memory_equal(err.place, "f:2:", 4);
}

static void deep_nesting_is_refused(void **state) {
    (void)state;
    size_t size = 100000;
    char *deep = malloc(size);
    assert_non_null(deep);
    memset(deep, '[', size);
    json_t *value = NULL;
    assert_int_equal(rft_json_parse(&value, deep, size, "deep", NULL), RFT_E_RECORDING);
    free(deep);
}

/* Small values cost much more than their bytes, so they are counted before the tree is built. */
static void swarms_of_values_are_refused(void **state) {
    (void)state;
    size_t count = 2000000, size = 3 * count + 1;
    char *swarm = malloc(size);
    assert_non_null(swarm);
    for (size_t i = 0; i < count; i++) {
        memcpy(swarm + 1 + 3 * i, "{},", 3);
    }
    swarm[0] = '[';
    swarm[size - 1] = ']';
    json_t *value = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_json_parse(&value, swarm, size, "swarm", &err), RFT_E_RECORDING);
    assert_non_null(strstr(err.message, "so many small values"));
    assert_null(value);
    free(swarm);
}

static void a_key_stands_once(void **state) {
    (void)state;
    json_t *value = NULL;
    rft_err err = RFT_ERR_INIT;
    const char *text = "{\"a\": 1, \"a\": 2}";
    assert_int_equal(rft_json_parse(&value, text, strlen(text), "twice", &err), RFT_E_RECORDING);
    assert_non_null(strstr(err.message, "duplicate object key"));
}

static void getters(void **state) {
    (void)state;
    json_t *object = parse("{\"t\":\"x\",\"i\":3,\"w\":4.0,\"r\":2.5,\"n\":null,\"a\":[1],\"o\":{},\"b\":true,"
                           "\"big\":1e300}");
    const char *text = NULL;
    json_t *inner = NULL;
    assert_int_equal(rft_json_text(&text, object, "t", "p", NULL), 0);
    assert_string_equal(text, "x");
    assert_int_equal(rft_json_array(&inner, object, "a", "p", NULL), 0);
    assert_int_equal(rft_json_object(&inner, object, "o", "p", NULL), 0);

    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_json_array(&inner, object, "t", "recording.points[12]", &err), RFT_E_RECORDING);
    assert_string_equal(err.message, "recording.points[12].t: expected an array, found a text");
    assert_int_equal(rft_json_text(&text, object, "gone", "recording", &err), RFT_E_RECORDING);
    assert_string_equal(err.message, "recording.gone: missing, expected a text");
    assert_int_equal(rft_json_object(&inner, object, "b", "", &err), RFT_E_RECORDING);
    assert_string_equal(err.message, "b: expected an object, found true");

    assert_string_equal(rft_json_text_or(object, "gone", "f"), "f");
    assert_string_equal(rft_json_text_or(object, "n", "f"), "f");
    assert_string_equal(rft_json_text_or(object, "t", "f"), "x");
    assert_int_equal(rft_json_int_or(object, "w", -1), 4);
    assert_int_equal(rft_json_int_or(object, "big", -1), -1);
    assert_int_equal(rft_json_int_or(object, "n", 7), 7);
    assert_int_equal(rft_json_int_or(object, "i", 7), 3);
    assert_float_equal(rft_json_real_or(object, "n", 7), 7, 0);
    assert_float_equal(rft_json_real_or(object, "r", 7), 2.5, 0);
    assert_true(rft_json_bool_or(object, "b", false));
    assert_true(rft_json_bool_or(object, "gone", true));
    json_decref(object);
}

static void expect_dump(const char *text) {
    json_t *value = parse(text);
    size_t size = 0;
    char *dumped = rft_json_dump(value, &size);
    assert_string_equal(dumped, text);
    assert_int_equal(size, strlen(text));
    free(dumped);
    json_decref(value);
}

static void dumps_read_back_as_they_were(void **state) {
    (void)state;
    expect_dump("{\"z\":1,\"a\":[0.1,2.0,-3,1e+300,2.7e-06],\"m\":{\"k\":null,\"t\":true,\"f\":false}}");
    expect_dump("[\"quote \\\" slash \\\\ line\\n bell\\u0007 \xC3\xA9\"]");
    expect_dump("[]");
    expect_dump("[9223372036854775807,-9223372036854775808]");
}

static void absent_is_not_zero(void **state) {
    (void)state;
    json_t *values = json_array();
    json_array_append_new(values, rft_json_real_new(NAN));
    json_array_append_new(values, rft_json_real_new(-INFINITY));
    json_array_append_new(values, rft_json_real_new(0));
    char *dumped = rft_json_dump(values, NULL);
    assert_string_equal(dumped, "[null,null,0.0]");
    free(dumped);
    json_decref(values);
}

static void files_plain_and_gzip(void **state) {
    (void)state;
    char folder[] = "/tmp/rooftune-json-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *path = rft_fs_join(folder, "a.json");
    json_t *value = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fs_write_atomic(path, "{\"a\":1}", 7, NULL), 0);
    assert_int_equal(rft_json_read_file(&value, path, 0, &err), 0);
    json_decref(value);
    assert_int_equal(rft_fs_write_gzip(path, "{\"a\":1}", 7, NULL), 0);
    assert_int_equal(rft_json_read_file(&value, path, 0, &err), 0);
    assert_int_equal(rft_json_int_or(value, "a", 0), 1);
    json_decref(value);
    assert_int_equal(rft_json_read_file(&value, path, 6, &err), RFT_E_LIMIT);
    assert_null(value);
    assert_int_equal(rft_fs_remove(path, NULL), 0);
    assert_int_equal(rft_json_read_file(&value, path, 0, &err), RFT_E_IO);
    free(path);
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_json_is_placed),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(swarms_of_values_are_refused),
        cmocka_unit_test(a_key_stands_once),
        cmocka_unit_test(getters),
        cmocka_unit_test(dumps_read_back_as_they_were),
        cmocka_unit_test(absent_is_not_zero),
        cmocka_unit_test(files_plain_and_gzip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
