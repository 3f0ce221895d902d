/* SPDX-License-Identifier: Apache-2.0 */
/* What a report says of drift and of points whose clock was held down, and of runs that did not look. */
#include "report/trace_pages.h"
#include "support/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void says(const trace_pages *pages, const char *text) {
    if (!trace_says(pages, text)) {
        fail_msg("the report does not say \"%s\"", text);
    }
}

static void test_a_run_that_drifted_says_so_on_its_first_page(void **state) {
    (void)state;
    rft_run *run = sample_full();
    sample_add_readings(run, 0.02);
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    says(&pages, "The device drifted: the reference became 2.0 % slower over 58 min (30 readings)");
    assert_true(trace_pages_saying(&pages, "the reference became 2.0 %") >= 2); /* and where to trust it by */
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_a_steady_run_says_it_where_it_is_asked(void **state) {
    (void)state;
    rft_run *run = sample_full();
    sample_add_readings(run, 0.0);
    trace_pages pages = trace_of(run, NULL);
    assert_int_equal(trace_pages_saying(&pages, "The device drifted"), 0);
    says(&pages, "no drift: 30 readings of the reference over 58 min");
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_throttled_points_are_counted_with_their_causes(void **state) {
    (void)state;
    rft_run *run = sample_full();
    size_t affected = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        rft_measurement *m = &run->points[i].rounds[0];
        m->attempts = m->n > 0 ? 1 : 0;
        m->throttled_frac = 0.0;
        run->points[i].rounds[1] = rft_measurement_none();
        if (m->n > 0 && affected < 2 && run->points[i].alias_of == 0 && run->points[i].outcome == RFT_OUTCOME_OK) {
            affected++;
            sample_throttle(m);
        }
    }
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    says(&pages, "points ran below the run's steady clock (2 temperature); 2 were measured again");
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_an_old_run_says_that_it_was_not_looked_for(void **state) {
    (void)state;
    rft_run *run = sample_full();
    trace_pages pages = trace_of(run, NULL);
    says(&pages, "n/a: clocks were not read, or not recorded");
    says(&pages, "n/a: no reference was measured again, or it was not recorded");
    trace_clear(&pages);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_that_drifted_says_so_on_its_first_page),
        cmocka_unit_test(test_a_steady_run_says_it_where_it_is_asked),
        cmocka_unit_test(test_throttled_points_are_counted_with_their_causes),
        cmocka_unit_test(test_an_old_run_says_that_it_was_not_looked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
