/* SPDX-License-Identifier: Apache-2.0 */
/* stdout and stderr in one pipe: what was written first stands first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/plain_stream.h"

#include <unistd.h>

static void messages_follow_the_results_before_them(void **state) {
    (void)state;
    int ends[2];
    char text[32] = "";
    assert_int_equal(pipe(ends), 0);
    FILE *results = rft_plain_stream(ends[1], _IOFBF, NULL), *open = results;
    FILE *talk = rft_plain_stream(ends[1], _IONBF, &open);
    fputs("result, ", results);
    fputs("warning, ", talk);
    fputs("more, ", results);
    assert_int_equal(fclose(results), 0);
    open = NULL; /* from here on there is nothing to wait for */
    fputs("error", talk);
    assert_int_equal(fclose(talk), 0);
    close(ends[1]);
    assert_int_equal(read(ends[0], text, sizeof text), 28);
    assert_memory_equal(text, "result, warning, more, error", 28);
    close(ends[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages_follow_the_results_before_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
