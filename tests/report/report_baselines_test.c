/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines on paper: measured here, missing, imported. */
#include "report/trace_pages.h"
#include "support/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_they_stand_beside_the_best(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    sample_add_copy(run);
    size_t s = sample_add_matmul(run);
    sample_add_baseline(run, s, sample_timed(run, s, 0), "cuBLASLt", RFT_BASELINE_BEST, 1.0);
    sample_add_baseline(run, s, sample_timed(run, s, 0), "cuBLASLt", RFT_BASELINE_FIRST, 1.25);
    sample_add_baseline(run, s, sample_timed(run, s, 1), "cuBLASLt", RFT_BASELINE_BEST, 0.8);
    sample_add_baseline(run, s, sample_timed(run, s, 1), "torch.matmul", RFT_BASELINE_GIVEN, 0.5);
    sample_miss_baseline(run, s, sample_timed(run, s, 2));
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    assert_true(trace_says(&pages, "Beside the baselines"));
    assert_true(trace_says(&pages, "cuBLASLt, best of 8 heuristics"));
    assert_true(trace_says(&pages, "cuBLASLt, first heuristic"));
    assert_true(trace_says(&pages, "cuBLASLt 13.1.0: algo 66, tile 128x256."));
    assert_true(trace_says(&pages, "a tie"));
    assert_true(trace_says(&pages, "faster"));
    assert_true(trace_says(&pages, "slower"));
    assert_true(trace_says(&pages, "80.0"));
    assert_true(trace_says(&pages, "125.0"));
    /* Another protocol is labelled, and nothing is judged by it. */
    assert_true(trace_says(&pages, "torch.matmul (other protocol)"));
    assert_true(trace_says(&pages, "not judged"));
    assert_true(trace_says(&pages, "Imported, measured by another protocol: do_bench, 2026-11-20."));
    assert_true(trace_says(&pages, "how they were taken is not known here"));
    /* What is missing has its reason. */
    assert_true(trace_says(&pages, "skipped: cuBLASLt was not found; remedy: install it."));
    /* The summary: a column, and of what it is told once. */
    assert_true(trace_says(&pages, "over vendor"));
    assert_true(trace_says(&pages, "1.00\xc3\x97 tie"));
    assert_true(trace_says(&pages, "0.800\xc3\x97"));
    assert_true(trace_says(&pages, "Over vendor: cuBLASLt."));
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_imported_ones_alone_keep_their_label(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    size_t s = sample_add_copy(run);
    sample_add_baseline(run, s, sample_timed(run, s, 0), "cudaMemcpy", RFT_BASELINE_GIVEN, 1.0);
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    assert_true(trace_says(&pages, "Over vendor: cudaMemcpy (other protocol)."));
    assert_false(trace_says(&pages, "1.00\xc3\x97 tie")); /* though the medians are the same */
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_without_any_nothing_is_said(void **state) {
    (void)state;
    rft_run *run = sample_full();
    trace_pages pages = trace_of(run, NULL);
    assert_false(trace_says(&pages, "Beside the baselines"));
    assert_false(trace_says(&pages, "over vendor"));
    trace_clear(&pages);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_they_stand_beside_the_best),
        cmocka_unit_test(test_imported_ones_alone_keep_their_label),
        cmocka_unit_test(test_without_any_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
