/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void adds(void **state) {
    (void)state;
    rft_str str = RFT_STR_INIT;
    assert_string_equal(rft_str_get(&str), "");
    rft_str_add(&str, "ab");
    rft_str_add_n(&str, "cdef", 2);
    rft_str_add_char(&str, '!');
    rft_str_addf(&str, "%d%s", 7, "x");
    assert_string_equal(rft_str_get(&str), "abcd!7x");
    assert_int_equal(str.length, 7);
    rft_str_truncate(&str, 100);
    assert_int_equal(str.length, 7);
    rft_str_truncate(&str, 2);
    assert_string_equal(rft_str_get(&str), "ab");
    char *taken = rft_str_take(&str);
    assert_string_equal(taken, "ab");
    free(taken);
    assert_string_equal(rft_str_get(&str), "");
    taken = rft_str_take(&str);
    assert_string_equal(taken, "");
    free(taken);
}

static void long_formats_are_not_cut(void **state) {
    (void)state;
    char text[3000];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (size_t length = 250; length < 260; length++) { /* around the size of the buffer inside */
        rft_str str = RFT_STR_INIT;
        rft_str_add(&str, "<");
        rft_str_addf(&str, "%.*s>", (int)length, text);
        assert_int_equal(str.length, length + 2);
        assert_int_equal(strlen(str.data), length + 2);
        rft_str_clear(&str);
    }
    rft_str str = RFT_STR_INIT;
    rft_str_addf(&str, "%s", text);
    assert_string_equal(str.data, text);
    rft_str_clear(&str);
}

static void expect_double(double value, const char *expected) {
    rft_str str = RFT_STR_INIT;
    rft_str_add_double(&str, value);
    assert_string_equal(str.data, expected);
    rft_str_clear(&str);
}

static void expect_int(int64_t value, const char *expected) {
    rft_str str = RFT_STR_INIT;
    rft_str_add_int(&str, value);
    assert_string_equal(str.data, expected);
    rft_str_clear(&str);
}

static void ints(void **state) {
    (void)state;
    expect_int(0, "0");
    expect_int(-7, "-7");
    expect_int(10, "10");
    expect_int(INT64_MAX, "9223372036854775807");
    expect_int(INT64_MIN, "-9223372036854775808");
}

static void doubles_are_short(void **state) {
    (void)state;
    expect_double(0.1, "0.1");
    expect_double(4096, "4096");
    expect_double(-4096, "-4096");
    expect_double(9007199254740991.0, "9007199254740991");
    expect_double(2.7e-06, "2.7e-06");
    expect_double(1e300, "1e+300");
    expect_double(0, "0");
    expect_double(-0.0, "-0");
    expect_double(NAN, "nan");
    expect_double(-NAN, "nan");
    expect_double(INFINITY, "inf");
    expect_double(-INFINITY, "-inf");
    expect_double(DBL_TRUE_MIN, "5e-324");
    expect_double(0.1 + 0.2, "0.30000000000000004");
}

static void doubles_read_back(void **state) {
    (void)state;
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        double value, back = NAN;
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        rft_str str = RFT_STR_INIT;
        rft_str_add_double(&str, value);
        assert_true(rft_text_to_double(str.data, &back));
        assert_memory_equal(&back, &value, sizeof value);
        rft_str_clear(&str);
    }
}

static void fixed(void **state) {
    (void)state;
    rft_str str = RFT_STR_INIT;
    rft_str_add_fixed(&str, 1234.5678, 2);
    rft_str_add_char(&str, ' ');
    rft_str_add_fixed(&str, 0.5, 0);
    rft_str_add_char(&str, ' ');
    rft_str_add_fixed(&str, -NAN, 3);
    rft_str_add_char(&str, ' ');
    rft_str_add_fixed(&str, -INFINITY, 3);
    rft_str_add_char(&str, ' ');
    rft_str_add_fixed(&str, -0.004, 2); /* no number has the sign of nothing */
    rft_str_add_char(&str, ' ');
    rft_str_add_fixed(&str, -0.006, 2);
    assert_string_equal(str.data, "1234.57 0 nan -inf 0.00 -0.01");
    rft_str_clear(&str);
}

static void text_to_number(void **state) {
    (void)state;
    double real = 7;
    int64_t whole = 7;
    assert_true(rft_text_to_double("-1.5e3", &real));
    assert_float_equal(real, -1500, 0);
    static const char *const bad[] = {"", " 1", "1 ", "1,5", "abc", "nan", "inf", "1e999", "1.5x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(rft_text_to_double(bad[i], &real));
        assert_false(rft_text_to_int64(bad[i], &whole));
    }
    assert_false(rft_text_to_double(NULL, &real));
    assert_false(rft_text_to_int64("1.5", &whole));
    assert_false(rft_text_to_int64("9223372036854775808", &whole));
    assert_int_equal(whole, 7);
    assert_true(rft_text_to_int64("-9223372036854775808", &whole));
    assert_true(whole == INT64_MIN);
}

static void comparisons(void **state) {
    (void)state;
    assert_true(rft_text_equal(NULL, NULL));
    assert_false(rft_text_equal(NULL, ""));
    assert_false(rft_text_equal("a", NULL));
    assert_true(rft_text_equal("a", "a"));
    assert_true(rft_text_starts("saxpy.cu", "saxpy"));
    assert_false(rft_text_starts("sax", "saxpy"));
    assert_true(rft_text_ends("saxpy.cu", ".cu"));
    assert_false(rft_text_ends("cu", ".cu"));
}

static void nearest(void **state) {
    (void)state;
    static const char *const keys[] = {"grid", "block", "shared", "cluster", "m", "n"};
    static const struct {
        const char *word, *expected;
    } cases[] = {{"blok", "block"},
                 {"blcok", "block"},
                 {"BLOCK", "block"},
                 {"blocks", "block"},
                 {"clutser", "cluster"},
                 {"sharde", "shared"},
                 {"zzz", NULL},
                 {"k", NULL},
                 {"", NULL},
                 {"N", "n"},
                 {"gird", "grid"},
                 {"completely_different", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = rft_text_nearest(cases[i].word, keys, sizeof keys / sizeof *keys);
        if (cases[i].expected) {
            assert_non_null(found);
            assert_string_equal(found, cases[i].expected);
        } else {
            assert_null(found);
        }
    }
    assert_null(rft_text_nearest("x", NULL, 0));
}

/* "1,5" is what a German printf writes and strtod reads. */
static void numbers_do_not_follow_the_locale(void **state) {
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        print_message("no de_DE locale on this machine\n");
        skip();
    }
    char plain[32];
    snprintf(plain, sizeof plain, "%.1f", 1.5);
    assert_string_equal(plain, "1,5"); /* the trap is set */

    rft_str str = RFT_STR_INIT;
    rft_str_add_double(&str, 1.5);
    rft_str_add_char(&str, ' ');
    rft_str_add_fixed(&str, 2.25, 2);
    rft_str_addf(&str, " %g", 3.5);
    assert_string_equal(str.data, "1.5 2.25 3.5");
    rft_str_clear(&str);

    double value = 0;
    assert_true(rft_text_to_double("1.5", &value));
    assert_float_equal(value, 1.5, 0);
    assert_false(rft_text_to_double("1,5", &value));

    rft_err err = RFT_ERR_INIT;
    rft_err_set(&err, RFT_E_LIMIT, "needs %.1f of %.1f GiB", 6.0, 3.6);
    assert_string_equal(err.message, "needs 6.0 of 3.6 GiB");

    rft_arena *arena = rft_arena_new();
    assert_string_equal(rft_arena_printf(arena, "%.2f", 0.25), "0.25");
    rft_arena_free(arena);

    char text[64];
    assert_string_equal(rft_units_format_si(text, sizeof text, 4.31e12, 3, "B/s"), "4.31 TB/s");
    assert_string_equal(rft_units_format_seconds(text, sizeof text, 2.7e-6, 3), "2.70 us");
    assert_string_equal(rft_units_format_bytes(text, sizeof text, 1536), "1.5 KiB");
    assert_int_equal(rft_units_parse_seconds(&value, "1.5h", NULL), 0);
    assert_float_equal(value, 5400, 0);
    setlocale(LC_ALL, "C");
}

static void test_bytes(void **state) {
    (void)state;
    static const unsigned char bytes[] = {0x00, 0x9a, 0xff};
    unsigned char back[3] = {0};
    char text[7];
    rft_text_of_bytes(text, bytes, 3);
    assert_string_equal(text, "009aff");
    assert_true(rft_text_to_bytes(text, back, 3));
    assert_memory_equal(back, bytes, 3);
    assert_false(rft_text_to_bytes("009af", back, 3));
    assert_false(rft_text_to_bytes("009aff0", back, 3));
    assert_false(rft_text_to_bytes("009afg", back, 3));
    assert_false(rft_text_to_bytes("009aff", back, 2));
    assert_true(rft_text_to_bytes("", back, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(adds),
        cmocka_unit_test(long_formats_are_not_cut),
        cmocka_unit_test(ints),
        cmocka_unit_test(doubles_are_short),
        cmocka_unit_test(doubles_read_back),
        cmocka_unit_test(fixed),
        cmocka_unit_test(text_to_number),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(nearest),
        cmocka_unit_test(numbers_do_not_follow_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
