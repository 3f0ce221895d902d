/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void set_clears_what_an_older_error_left(void **state) {
    (void)state;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_err_set(&err, RFT_E_IO, "cannot read %s", "a.lua"), RFT_E_IO);
    assert_int_equal(rft_err_place(&err, "a.lua:%d", 12), RFT_E_IO);
    assert_int_equal(rft_err_remedy(&err, "check the %s", "spelling"), RFT_E_IO);
    assert_string_equal(err.message, "cannot read a.lua");
    assert_string_equal(err.place, "a.lua:12");
    assert_string_equal(err.remedy, "check the spelling");

    assert_int_equal(rft_err_set(&err, RFT_E_USAGE, "no"), RFT_E_USAGE);
    assert_string_equal(err.place, "");
    assert_string_equal(err.remedy, "");
    rft_err_clear(&err);
    assert_int_equal(err.code, 0);
    assert_string_equal(err.message, "");
}

static void null_is_accepted(void **state) {
    (void)state;
    assert_int_equal(rft_err_set(NULL, RFT_E_LIMIT, "x"), RFT_E_LIMIT);
    assert_int_equal(rft_err_place(NULL, "x"), RFT_E_INTERNAL);   /* never success */
    assert_int_equal(rft_err_remedy(NULL, "x"), RFT_E_INTERNAL);  /* never success */
    assert_int_equal(rft_err_context(NULL, "x"), RFT_E_INTERNAL); /* never success */
    rft_err_clear(NULL);
}

static void context_is_prefixed_and_keeps_the_rest(void **state) {
    (void)state;
    rft_err err = RFT_ERR_INIT;
    rft_err_set(&err, RFT_E_SOURCE, "does not compile");
    rft_err_remedy(&err, "see the log");
    assert_int_equal(rft_err_context(&err, "kernel %s", "saxpy"), RFT_E_SOURCE);
    rft_err_context(&err, "sweep %s", "quick");
    assert_string_equal(err.message, "sweep quick: kernel saxpy: does not compile");
    assert_string_equal(err.remedy, "see the log");
}

static void a_message_may_quote_the_error_it_replaces(void **state) {
    (void)state;
    rft_err err = RFT_ERR_INIT;
    rft_err_set(&err, RFT_E_IO, "disk full");
    rft_err_set(&err, RFT_E_STORE, "%s (while committing)", err.message);
    assert_string_equal(err.message, "disk full (while committing)");
}

static void what_does_not_fit_ends_in_dots_and_stays_utf8(void **state) {
    (void)state;
    rft_err err = RFT_ERR_INIT;
    char text[4000];
    for (size_t i = 0; i + 2 < sizeof text; i += 2) {
        memcpy(text + i, "\xC3\xA9", 2);
    }
    text[sizeof text - 2] = '\0';
    for (int shift = 0; shift < 2; shift++) {
        rft_err_set(&err, RFT_E_SOURCE, "%s%s", shift ? "x" : "", text);
        size_t length = strlen(err.message);
        assert_in_range(length, sizeof err.message - 4, sizeof err.message - 1);
        assert_string_equal(err.message + length - 3, "...");
        assert_int_equal((unsigned char)err.message[length - 4], 0xA9); /* a whole character before the dots */
    }
    rft_err_context(&err, "%s", text);
    assert_true(strlen(err.message) < sizeof err.message);
    rft_err_place(&err, "%s", text);
    assert_true(strlen(err.place) < sizeof err.place);
}

static void every_code_has_its_own_exit_status_and_text(void **state) {
    (void)state;
    static const int codes[] = {
#define CODE(name, exit_status, text) RFT_E_##name,
        RFT_CODE_MAP(CODE)
#undef CODE
    };
    size_t count = sizeof codes / sizeof *codes;
    for (size_t i = 0; i < count; i++) {
        assert_true(codes[i] < 0);
        assert_int_equal(rft_code_exit_status(codes[i]), -codes[i]);
        assert_true(strlen(rft_code_text(codes[i])) > 5);
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(codes[i], codes[j]);
            assert_string_not_equal(rft_code_text(codes[i]), rft_code_text(codes[j]));
        }
    }
    assert_int_equal(rft_code_exit_status(0), 0);
    assert_string_equal(rft_code_text(0), "ok");
    assert_int_equal(rft_code_exit_status(-999), 70);
    assert_int_equal(rft_code_exit_status(5), 70);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_clears_what_an_older_error_left),
        cmocka_unit_test(null_is_accepted),
        cmocka_unit_test(context_is_prefixed_and_keeps_the_rest),
        cmocka_unit_test(a_message_may_quote_the_error_it_replaces),
        cmocka_unit_test(what_does_not_fit_ends_in_dots_and_stays_utf8),
        cmocka_unit_test(every_code_has_its_own_exit_status_and_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
