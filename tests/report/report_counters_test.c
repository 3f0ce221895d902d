/* SPDX-License-Identifier: Apache-2.0 */
/* What a report says of hardware counters: counted, refused, never asked for. */
#include "report/trace_pages.h"
#include "support/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/roofline/counted.h"

static void says(const trace_pages *pages, const char *text) {
    if (!trace_says(pages, text)) {
        fail_msg("the report does not say \"%s\"", text);
    }
}

static void test_counters_of_the_best_and_what_disagrees(void **state) {
    (void)state;
    rft_run *run = sample_full();
    sample_count(run);
    trace_pages pages = trace_of(run, NULL); /* a sentence; the tables are of --full */
    says(&pages, "L2 hits 25.0 %");
    trace_clear(&pages);
    pages = trace_of(run, &(rft_report_opts){.full = true});
    trace_assert_sound(&pages);
    assert_int_equal(trace_pages_saying(&pages, "Hardware counters, the large set"), 1);
    says(&pages, "87.0 %"); /* occupancy */
    says(&pages, "25.0 %"); /* hits of the L2 */
    says(&pages, "32 B");   /* useful bytes */
    says(&pages, "dram reads: counted ");
    says(&pages, "(20.0 % more)");
    says(&pages, "Nowhere are counted and declared work more than 5 % apart."); /* the other sweeps */
    says(&pages, "CUPTI has no such counter for GH100");
    says(&pages, "waiting for global or local memory");
    says(&pages, "3.12 warps to ");
    says(&pages, "in runs of their own");
    says(&pages, "counted"); /* the evidence of a bound */
    trace_clear(&pages);
    rft_run_free(run);
}

/* The second to the tenth of the first sweep that has so many: the range is of what was counted, and says so. */
static void test_what_was_left_out_is_told(void **state) {
    (void)state;
    rft_run *run = sample_full();
    sample_count(run);
    rft_counted_choice *choices = NULL;
    size_t count = rft_counted_choose(run, 0, run->arena, &choices), left_out = 0;
    const rft_counter_set set = rft_counter_set_all();
    for (size_t i = 0; i < count; i++) {
        if (choices[i].turn == RFT_COUNTED_TURN_AMONG_BEST && choices[i].place > 2) {
            rft_counters none = rft_counters_refused(&set, RFT_COUNTED_LEFT_OUT, run->arena);
            run->points[choices[i].point->id - 1].counters = rft_counters_copy(&none, run->arena);
            left_out++;
        }
    }
    assert_true(left_out > 0);
    trace_pages pages = trace_of(run, &(rft_report_opts){.full = true});
    trace_assert_sound(&pages);
    says(&pages, "Of the ten best ");
    says(&pages, rft_arena_printf(run->arena, "%zu were left out: counting may take a quarter", left_out));
    trace_clear(&pages);
    rft_run_free(run);
}

/* Both sides of every rung of the ladder, with what their warps wait for. */
static void test_the_best_of_every_variant_is_counted(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_counted_choice *choices = NULL;
    size_t count = rft_counted_choose(run, 1, run->arena, &choices), problem = rft_counted_ladder(run, 1);
    assert_int_equal(run->sweeps[1].sweep.variant_count, 3);
    for (size_t v = 0; v < 3; v++) {
        const rft_point *best = rft_run_best(run, 1, v, problem);
        bool found = false;
        assert_non_null(best);
        for (size_t i = 0; i < count; i++) {
            found = found || (choices[i].point == best && choices[i].large);
        }
        assert_true(found);
    }
    rft_run_free(run);
}

static void test_a_refusal_is_told_with_its_reason(void **state) {
    (void)state;
    rft_run *run = sample_full();
    sample_refuse_counters(run, "collecting: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)");
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    says(&pages, "None were counted: collecting: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35).");
    says(&pages, "none: collecting: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)");
    assert_int_equal(trace_pages_saying(&pages, "the large set"), 0);
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_a_run_without_counters_says_so_once(void **state) {
    (void)state;
    rft_run *run = sample_full();
    trace_pages pages = trace_of(run, NULL);
    says(&pages, "none: not counted, or not recorded");
    assert_int_equal(trace_pages_saying(&pages, "Hardware counters"), 1);
    trace_clear(&pages);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters_of_the_best_and_what_disagrees),
        cmocka_unit_test(test_what_was_left_out_is_told),
        cmocka_unit_test(test_the_best_of_every_variant_is_counted),
        cmocka_unit_test(test_a_refusal_is_told_with_its_reason),
        cmocka_unit_test(test_a_run_without_counters_says_so_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
