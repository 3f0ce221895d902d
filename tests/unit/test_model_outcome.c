/* SPDX-License-Identifier: Apache-2.0 */
/* Failures that say the same but for their numbers are one kind. */
#include "model/sweep/outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect_kind(const char *reason, const char *want) {
    rft_str got = RFT_STR_INIT;
    rft_outcome_reason_kind(&got, reason);
    assert_string_equal(rft_str_get(&got), want);
    rft_str_clear(&got);
}

static void test_numbers_do_not_count(void **state) {
    (void)state;
    expect_kind("needs 6.0 of 3.6 GiB", "needs # of # GiB");
    expect_kind("needs 1,536 of 9 GiB, too much", "needs # of # GiB, too much");
    expect_kind("block.x is 2048, the device allows 1024", "block.x is #, the device allows #");
    expect_kind("y[17] is -1.5e-05, the reference 2.25", "y[#] is #, the reference #");
    expect_kind("y[3] is 0.25, the reference -3", "y[#] is #, the reference #");
    expect_kind("y[3] is 1E+30, the reference 1e30", "y[#] is #, the reference #");
    expect_kind("fault at 0x7f3ab000 in block 0x1F", "fault at # in block #");
    expect_kind("128-256", "#-#");
    expect_kind("2 errors, 3e and 4.", "# errors, #e and #.");
    expect_kind("ends with 7", "ends with #");
}

static void test_words_count(void **state) {
    (void)state;
    expect_kind("y[3] is nan", "y[#] is nan");
    expect_kind("y[3] is -inf", "y[#] is -inf");
    expect_kind("first line 1\nsecond line", "first line #");
    expect_kind("", "");
    expect_kind(NULL, "");
    expect_kind("gr\xc3\xb6\xc3\x9f"
                "er",
                "gr\xc3\xb6\xc3\x9f"
                "er");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_do_not_count),
        cmocka_unit_test(test_words_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
