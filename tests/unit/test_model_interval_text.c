/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals in words: both forms, digits, and that what is printed holds what was measured. */
#include "model_fixture.h"

#include "base/hash.h"
#include "model/stats/interval_text.h"

#include <stdio.h>
#include <stdlib.h>

#define PM "\xc2\xb1"

static void both_forms(void **state) {
    (void)state;
    static const struct {
        double value, low, high, factor;
        const char *unit, *text, *interval;
    } cases[] = {
        {3.230e-3, 3.2265e-3, 3.2335e-3, 0, "s", "3.230 ms", PM "0.11 %"},
        {3.230e-3, 3.22e-3, 3.31e-3, 0, "s", "3.23 ms", "[3.22, 3.31]"},
        {3.2349e-3, 3.2301e-3, 3.2512e-3, 0, "s", "3.235 ms", "[3.230, 3.252]"}, /* outward */
        {120.4e-6, 120.2e-6, 120.66e-6, 1e-6, NULL, "120.40", "[120.20, 120.66]"},
        {4.27e12, 4.26e12, 4.28e12, 0, "B/s", "4.270 TB/s", PM "0.24 %"},
        {1e-3, 0.8e-3, 1.2e-3, 0, "s", "1.00 ms", PM "20 %"},
        {1e-3, 1e-3, 1e-3, 0, "s", "1.0000 ms", PM "0.00 %"},
        {999.7e-6, 998e-6, 1004e-6, 0, "s", "1.000 ms", "[0.998, 1.004]"},
        {5473.0, 5465.2, 5489.9, 1.0, NULL, "5473", "[5465, 5490]"},
        {2.5e-6, NAN, NAN, 0, "s", "2.50 us", NULL},
        {2.5e-6, NAN, NAN, 1e-6, "s", "2.50", NULL},
        {NAN, NAN, NAN, 0, "s", "n/a", NULL},
    };
    rft_arena *arena = rft_arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_interval_text text = rft_interval_text_of(cases[i].value, cases[i].low, cases[i].high, cases[i].factor,
                                                      cases[i].unit ? cases[i].unit : "", arena);
        printf("%s %s\n", text.value, text.interval ? text.interval : "-");
        assert_string_equal(text.value, cases[i].text);
        assert_true((text.interval == NULL) == (cases[i].interval == NULL));
        if (text.interval) {
            assert_string_equal(text.interval, cases[i].interval);
        }
    }
    rft_stats few = {.n = 3, .median = 1e-3, .low = 0.9e-3, .high = 1.2e-3};
    assert_null(rft_stats_text(&few, 0.0, "s", arena).interval); /* a range is no interval */
    assert_string_equal(rft_interval_ends_text(3.22e-3, 3.31e-3, "s", arena), "3.22 to 3.31 ms");
    assert_string_equal(rft_interval_ends_text(0.73, 0.752, "", arena), "0.730 to 0.752"); /* no "730 to 752 m" */
    assert_null(rft_interval_ends_text(NAN, NAN, "s", arena));
    rft_arena_free(arena);
}

/* Reads the text back: its ends lie outside of the interval, by little. */
static void print_holds_the_interval(void **state) {
    (void)state;
    uint64_t seed = 3;
    size_t ends = 0, symmetric = 0;
    rft_arena *arena = rft_arena_new();
    for (int i = 0; i < 20000; i++) {
        double value = pow(10.0, 6.0 * rft_random_unit(&seed) - 3.0), spread = pow(10.0, -4.0 * rft_random_unit(&seed));
        double low = value * (1.0 - spread * rft_random_unit(&seed)),
               high = value * (1.0 + spread * rft_random_unit(&seed));
        rft_interval_text text = rft_interval_text_of(value, low, high, 1.0, "", arena);
        double shown = strtod(text.value, NULL), from, to;
        if (*text.interval == '[') {
            ends++;
            assert_int_equal(sscanf(text.interval, "[%lf, %lf]", &from, &to), 2);
        } else {
            double half = strtod(text.interval + strlen(PM), NULL) / 100.0 * value;
            symmetric++;
            from = shown - half;
            to = shown + half;
        }
        double room = (*text.interval == '[' ? 0.0 : 0.17 * (high - low) / 2.0 + 5e-5 * value) + 1e-9 * value,
               wider = (high - low) * 0.7 + 4e-4 * value;
        if (!(from <= low + room && to >= high - room && to - from <= high - low + wider)) {
            fail_msg("%s %s of %.9g [%.9g, %.9g]", text.value, text.interval, value, low, high);
        }
    }
    printf("%zu with their ends, %zu symmetric\n", ends, symmetric);
    assert_true(ends > 1000 && symmetric > 100);
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_forms), cmocka_unit_test(print_holds_the_interval)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
