/* SPDX-License-Identifier: Apache-2.0 */
#include "base/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

static void durations(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } cases[] = {{"250us", 250e-6}, {"2s", 2},       {"10m", 600},     {"10min", 600}, {"1.5h", 5400},
                 {"7d", 604800},    {"3", 3},        {"0", 0},         {".5s", 0.5},   {"1e3ms", 1},
                 {" 2 s", 2},       {"40ns", 40e-9}, {"1E-3s", 0.001}, {"2.s", 2.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_err err = RFT_ERR_INIT;
        double seconds = -1;
        assert_int_equal(rft_units_parse_seconds(&seconds, cases[i].text, &err), 0);
        assert_float_equal(seconds, cases[i].seconds, 1e-12 * cases[i].seconds);
    }
}

static void bad_durations_say_why_and_what_to_write(void **state) {
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {{"", "does not start with a number"},
                 {"abc", "does not start with a number"},
                 {"nan", "does not start with a number"},
                 {"inf", "does not start with a number"},
                 {"0x10", "unknown unit x10"},
                 {"-1s", "negative"},
                 {"10x", "unknown unit x"},
                 {"10M", "unknown unit M"},
                 {"2s3", "unknown unit s3"},
                 {"1,5s", "unknown unit ,5s"},
                 {"1e999", "too large"},
                 {"1e308d", "too large"},
                 {"1e", "unknown unit e"},
                 {"11111111111111111111111111111111111111111111111111111111111111111111", "too long"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_err err = RFT_ERR_INIT;
        double seconds = -7;
        assert_int_equal(rft_units_parse_seconds(&seconds, cases[i].text, &err), RFT_E_USAGE);
        assert_float_equal(seconds, -7, 0);
        assert_non_null(strstr(err.message, cases[i].why));
        assert_non_null(strstr(err.message, "is not a duration"));
        assert_non_null(strstr(err.remedy, "250us"));
        assert_int_equal(rft_units_parse_seconds(&seconds, cases[i].text, NULL), RFT_E_USAGE);
    }
}

static void sizes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {{"64MiB", 64u << 20}, {"2GB", 2000000000},    {"512", 512}, {"1.5KiB", 1536}, {"0B", 0},
                 {"1kB", 1000},        {"3TiB", (3ull << 40)}, {"1.4", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t bytes = 99;
        assert_int_equal(rft_units_parse_bytes(&bytes, cases[i].text, NULL), 0);
        assert_true(bytes == cases[i].bytes);
    }
    static const char *const bad[] = {"64mib", "1s", "-1", "1e30", "x", "18446744073709551616", "64 M iB"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rft_err err = RFT_ERR_INIT;
        uint64_t bytes = 99;
        assert_int_equal(rft_units_parse_bytes(&bytes, bad[i], &err), RFT_E_USAGE);
        assert_true(bytes == 99);
        assert_non_null(strstr(err.message, bad[i]));
        assert_non_null(strstr(err.remedy, "64MiB"));
    }
}

static void constants_agree_with_the_parsers(void **state) {
    (void)state;
    size_t count = 0;
    for (const rft_unit *unit = rft_units_constants(); unit->name; unit++, count++) {
        char text[16] = "1";
        double seconds = 0;
        uint64_t bytes = 0;
        strcat(text, unit->name);
        if (rft_units_parse_bytes(&bytes, text, NULL) == 0) {
            assert_float_equal((double)bytes, unit->factor, 0);
        } else {
            assert_int_equal(rft_units_parse_seconds(&seconds, text, NULL), 0);
            assert_float_equal(seconds, unit->factor, 0);
        }
        assert_string_not_equal(unit->name, "m"); /* a problem dimension's name */
    }
    assert_in_range(count, 10, 20);
}

static void si(void **state) {
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *unit, *expected;
    } cases[] = {{4.31e12, 3, "B/s", "4.31 TB/s"},
                 {999.96, 3, "B", "1.00 kB"},
                 {999.4, 3, "B", "999 B"},
                 {999.4, 4, "B", "999.4 B"},
                 {1.23e-6, 3, "s", "1.23 us"},
                 {0, 3, "B/s", "0 B/s"},
                 {NAN, 3, "B/s", "n/a"},
                 {INFINITY, 3, "B/s", "inf B/s"},
                 {-2.5e6, 3, "B", "-2.50 MB"},
                 {123456, 2, "B", "120 kB"},
                 {1, 1, "", "1"},
                 {1500, 2, "", "1.5 k"},
                 {0, 3, "", "0"},
                 {1e-12, 3, "s", "0.00100 ns"},
                 {5e21, 2, "B", "5000 EB"},
                 {9.999e-10, 3, "s", "1.00 ns"},
                 {38.25e12, 9, "FLOP/s", "38.2500000 TFLOP/s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        rft_units_format_si(text, sizeof text, cases[i].value, cases[i].digits, cases[i].unit);
        assert_string_equal(text, cases[i].expected);
    }
    char tiny[4];
    assert_string_equal(rft_units_format_si(tiny, sizeof tiny, 4.31e12, 3, "B/s"), "4.3");
}

static void seconds_bytes_counts(void **state) {
    (void)state;
    char text[64];
    static const struct {
        double seconds;
        const char *expected;
    } cases[] = {{2.7e-6, "2.70 us"}, {1.25e-3, "1.25 ms"}, {250, "4 min 10 s"}, {59.9, "59.9 s"}, {59.97, "1 min"},
                 {3600, "1 h"},       {7261, "2 h 1 min"},  {183600, "2 d 3 h"}, {120, "2 min"},   {3599.7, "1 h"},
                 {86399, "1 d"},      {0, "0 s"},           {NAN, "n/a"},        {-90, "-90.0 s"}, {INFINITY, "inf s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(rft_units_format_seconds(text, sizeof text, cases[i].seconds, 3), cases[i].expected);
    }
    assert_string_equal(rft_units_format_bytes(text, sizeof text, 65536), "64 KiB");
    assert_string_equal(rft_units_format_bytes(text, sizeof text, 0), "0 B");
    assert_string_equal(rft_units_format_bytes(text, sizeof text, 1023), "1023 B");
    assert_string_equal(rft_units_format_bytes(text, sizeof text, 1048575), "1 MiB");
    assert_string_equal(rft_units_format_bytes(text, sizeof text, 3774873), "3.6 MiB");
    assert_string_equal(rft_units_format_bytes(text, sizeof text, UINT64_MAX), "16 EiB");
    assert_string_equal(rft_units_format_count(text, sizeof text, 1536), "1,536");
    assert_string_equal(rft_units_format_count(text, sizeof text, 999), "999");
    assert_string_equal(rft_units_format_count(text, sizeof text, 0), "0");
    assert_string_equal(rft_units_format_count(text, sizeof text, UINT64_MAX), "18,446,744,073,709,551,615");
}

static void times(void **state) {
    (void)state;
    char text[64];
    const int64_t second = 1000000000;
    assert_string_equal(rft_units_format_utc(text, sizeof text, 1795253400 * second), "2026-11-21 09:30:00 UTC");
    assert_string_equal(rft_units_format_iso(text, sizeof text, 1795253400 * second + 999999999),
                        "2026-11-21T09:30:00Z");
    assert_string_equal(rft_units_format_iso(text, sizeof text, 0), "1970-01-01T00:00:00Z");
    assert_string_equal(rft_units_format_iso(text, sizeof text, -1), "1969-12-31T23:59:59Z");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations), cmocka_unit_test(bad_durations_say_why_and_what_to_write),
        cmocka_unit_test(sizes),     cmocka_unit_test(constants_agree_with_the_parsers),
        cmocka_unit_test(si),        cmocka_unit_test(seconds_bytes_counts),
        cmocka_unit_test(times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
