/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h and log.h: the two objects that are passed down. */
#include "base/clock.h"
#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void the_host_clock_runs(void **state) {
    (void)state;
    const rft_clock *clock = rft_clock_system();
    int64_t before = clock->monotonic_ns(clock->self);
    clock->sleep_ns(clock->self, 5000000);
    int64_t after = clock->monotonic_ns(clock->self);
    assert_true(after - before >= 5000000);
    clock->sleep_ns(clock->self, -1);
    clock->sleep_ns(clock->self, 0);
    assert_true(clock->unix_ns(clock->self) > (int64_t)1700000000 * 1000000000);
}

typedef struct heard {
    rft_log_level level;
    char text[600];
    int lines;
} heard;

static void hear(void *self, rft_log_level level, const char *text) {
    heard *what = self;
    what->level = level;
    what->lines++;
    strncpy(what->text, text, sizeof what->text - 1);
}

static void lines_reach_the_object(void **state) {
    (void)state;
    heard what = {0};
    rft_log log = {hear, &what};
    rft_log_debug(&log, "%s", "fine");
    assert_int_equal(what.level, RFT_LOG_DEBUG);
    rft_log_info(&log, "%d of %d", 1536, 9216);
    assert_int_equal(what.level, RFT_LOG_INFO);
    assert_string_equal(what.text, "1536 of 9216");
    rft_log_warn(&log, "%500s", "x");
    assert_int_equal(what.level, RFT_LOG_WARN);
    assert_int_equal(strlen(what.text), 500);
    assert_int_equal(what.lines, 3);
    rft_log_warn(NULL, "not listened to");
    rft_log deaf = {NULL, NULL};
    rft_log_warn(&deaf, "not listened to");
    assert_int_equal(what.lines, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_clock_runs),
        cmocka_unit_test(lines_reach_the_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
