/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a run (model/run/field.h): each is described, null means what its kind says, and the page that lists
 * them for readers is made of them: `test_fields write` writes it. */
#include "store/store_test.h"

#include "base/fs.h"
#include "base/str.h"
#include "model/run/field.h"
#include "model/run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void every_field_is_described(void **state) {
    (void)state;
    for (size_t t = 0; t < RFT_FIELDS_COUNT; t++) {
        const rft_fields *fields = rft_fields_all[t];
        for (size_t i = 0; i < fields->count; i++) {
            const rft_field *field = &fields->items[i];
            size_t length = field->help ? strlen(field->help) : 0;
            bool named = strspn(field->name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(field->name);
            if (!named || length == 0 || length > 110 || field->help[length - 1] == '.' || strchr(field->help, '\n')) {
                fail_msg("%s.%s: a name, and a sentence without a full stop", fields->name, field->name);
            }
            for (size_t k = 0; k < i; k++) {
                assert_string_not_equal(field->name, fields->items[k].name);
            }
        }
    }
}

static void units_follow_from_names(void **state) {
    (void)state;
    const rft_field rows[] = {{.name = "wall_s"}, {.name = "clock_mhz"}, {.name = "waves"}, {.name = "x", .unit = "J"}};
    const char *const units[] = {"s", "MHz", "", "J"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(rft_field_unit(&rows[i]), units[i]);
    }
}

static void nothing_known_is_what_null_reads_as(void **state) {
    (void)state;
    rft_measurement m = rft_measurement_none();
    rft_facts facts = rft_facts_unknown();
    assert_true(isnan(m.clock_mhz) && isnan(m.busy_s) && isnan(m.throttled_frac) && m.wall_s == 0.0);
    assert_true(!m.samples_s && m.n == 0 && m.batch == 0 && m.stop == RFT_STOP_NOT_YET && !m.throttled_by);
    assert_true(facts.registers == -1 && facts.shared_static_bytes == -1 && isnan(facts.compile_s) &&
                !facts.from_cache);
    assert_int_equal(rft_field_shown(&rft_fields_measurement.items[2], &m).kind, RFT_CONTENT_NULL); /* batch */
}

static void lists_beside_samples_are_as_long(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    double samples[] = {1e-6, 2e-6}, clocks[] = {1980.0, NAN, 1.0}, none[] = {0.0};
    rft_measurement m = rft_measurement_none(), copy;
    const rft_field *fields = rft_fields_measurement.items;
    size_t at = 0;
    while (strcmp(fields[at].name, "samples") != 0) {
        at++;
    }
    rft_content content = {.kind = RFT_CONTENT_REALS, .reals = samples, .count = 2};
    assert_null(rft_field_set(&fields[at], &m, &content, arena));
    content = (rft_content){.kind = RFT_CONTENT_REALS, .reals = clocks, .count = 3};
    assert_non_null(rft_field_set(&fields[at + 1], &m, &content, arena));
    content.count = 2;
    assert_null(rft_field_set(&fields[at + 1], &m, &content, arena));
    assert_true(m.n == 2 && m.samples_s == samples && m.clocks_mhz == clocks);
    copy = rft_measurement_copy(&m, arena);
    assert_true(copy.samples_s != samples && copy.samples_s[1] == 2e-6 && copy.clocks_mhz[0] == 1980.0 && !copy.step_s);
    content = (rft_content){.kind = RFT_CONTENT_REALS, .reals = none, .count = 1};
    const char *expected = rft_field_set(&fields[at], &m, &content, arena);
    assert_string_equal(expected, "a number from 1e-12 to 1000000000, found 0 at [0]");
    rft_arena_free(arena);
}

/* ---- the page ---- */

#define BEGIN "<!-- fields: `build/tests/test_fields write` writes this table -->\n"
#define END "<!-- end of fields -->\n"

static void add_rows(rft_str *out, const rft_fields *fields) {
    for (size_t i = 0; i < fields->count; i++) {
        const rft_field *field = &fields->items[i];
        const char *unit = rft_field_unit(field);
        bool json = field->flags & RFT_FIELD_SHOWN, csv = field->flags & RFT_FIELD_CSV;
        if (json || csv) {
            rft_str_addf(out, "| `%s` | %s | %s%s%s%s |\n", field->name,
                         json && csv ? "both"
                         : csv       ? "CSV"
                                     : "JSON",
                         field->help, *unit ? " (" : "", unit, *unit ? ")" : "");
        }
    }
}

static void add_table(rft_str *out) {
    rft_str_add(out, BEGIN "| field | in | |\n| --- | --- | --- |\n");
    add_rows(out, &rft_fields_point);
    add_rows(out, &rft_fields_facts);
    add_rows(out, &rft_fields_measurement);
    add_rows(out, &rft_fields_load);
    rft_str_add(out, END);
}

/* The page with the table as it has to be. Heap. */
static char *page_made(const char *page) {
    const char *begin = strstr(page, BEGIN), *end = strstr(page, END);
    rft_str out = RFT_STR_INIT;
    if (!begin || !end) {
        return NULL;
    }
    rft_str_add_n(&out, page, (size_t)(begin - page));
    add_table(&out);
    rft_str_add(&out, end + strlen(END));
    return rft_str_take(&out);
}

static void the_page_lists_them(void **state) {
    (void)state;
    char *page = NULL;
    size_t size = 0;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fs_read(&page, &size, RFT_SHOW_PAGE, 0, &err), 0);
    char *made = page_made(page);
    assert_non_null(made);
    if (strcmp(page, made) != 0) {
        fail_msg("docs/show.md has another table of fields: `build/tests/test_fields write` writes it anew");
    }
    free(made);
    free(page);
}

static int write_page(void) {
    char *page = NULL;
    size_t size = 0;
    rft_err err = RFT_ERR_INIT;
    int code = rft_fs_read(&page, &size, RFT_SHOW_PAGE, 0, &err);
    char *made = code ? NULL : page_made(page);
    code = made ? rft_fs_write_atomic(RFT_SHOW_PAGE, made, strlen(made), &err) : RFT_E_IO;
    free(made);
    free(page);
    return code ? 1 : 0;
}

static void expect_9_digits(double value) {
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    if (rft_round_9_digits(value) != strtod(text, NULL)) {
        fail_msg("%.17g becomes %.17g, not %s", value, rft_round_9_digits(value), text);
    }
}

/* Of floats, of what lies in the middle of two such numbers or beside it, and where there is a digit more or less. */
static void nine_digits_are_those_of_the_text(void **state) {
    (void)state;
    expect_9_digits(0.0);
    for (double power = 1e-20; power < 1e20; power *= 10) {
        for (unsigned i = 0; i < 300; i++) {
            const double number = 1.0 + i / 37.0, middle = (123456789.5 + i * 2345678) / 1e8 * power;
            expect_9_digits((double)(float)(power * number));
            expect_9_digits(-power * number);
            expect_9_digits(middle);
            expect_9_digits(middle * (1 + 1e-15));
            expect_9_digits(nextafter(power, i % 2 ? 0.0 : INFINITY));
        }
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "write") == 0) {
        return write_page();
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_field_is_described),
                                       cmocka_unit_test(units_follow_from_names),
                                       cmocka_unit_test(nothing_known_is_what_null_reads_as),
                                       cmocka_unit_test(lists_beside_samples_are_as_long),
                                       cmocka_unit_test(nine_digits_are_those_of_the_text),
                                       cmocka_unit_test(the_page_lists_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
