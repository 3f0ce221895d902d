/* SPDX-License-Identifier: Apache-2.0 */
/* What is on the pages of an ordinary run. */
#include "report/trace_pages.h"
#include "support/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int draw_sample(void **state) {
    rft_run *run = sample_full();
    trace_pages *pages = rft_alloc(sizeof *pages);
    *pages = trace_of(run, NULL);
    rft_run_free(run);
    *state = pages;
    return 0;
}

static int drop_sample(void **state) {
    trace_clear(*state);
    free(*state);
    return 0;
}

static void test_nothing_overlaps_or_leaves_the_page(void **state) {
    trace_assert_sound(*state);
}

static void test_cover_says_what_was_measured_and_how_good_it_is(void **state) {
    const trace_pages *pages = *state;
    const char *wanted[] = {"NVIDIA H200: what it does",
                            "How fast it is beside a reference card cannot be told.",
                            "of its own limits",
                            "How sure that is",
                            "one card, host not recorded, one day, one run.",
                            "a slow card near its own limit is still slow"};
    const char *about[] = {"0000:19:00.0",
                           "HBM3e",
                           "580.159.04 (CUDA 13.0)",
                           "2026-11-21 09:30:00 UTC",
                           "copy_scale, gemv_fp16, matmul_fp32",
                           "rooftune 0.1.0, revision de4eaff"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (!trace_page_says(pages, 1, wanted[i])) {
            fail_msg("the cover does not say \"%s\"", wanted[i]);
        }
    }
    for (size_t i = 0; i < sizeof about / sizeof *about; i++) {
        if (!trace_says(pages, about[i])) {
            fail_msg("no page says \"%s\"", about[i]);
        }
    }
    assert_int_equal(trace_pages_saying(pages, "replayed recording"), 0);
}

static void test_the_card_has_its_ridge_points(void **state) {
    const trace_pages *pages = *state;
    assert_true(trace_says(pages, "Ridge, op/B dram read"));
    assert_int_equal(trace_pages_saying(pages, "Ridge points: work of fewer operations per byte of that level"), 1);
}

static void test_every_chapter_is_there_with_a_bookmark(void **state) {
    const trace_pages *pages = *state;
    const char *chapters[] = {
        "|Summary\n",         "|This card\n",         "|Rooflines\n",           "|Sweep copy_scale\n",
        "|Sweep gemv_fp16\n", "|Sweep matmul_fp32\n", "|How to read a sweep\n", "|Method and trust\n",
        "|Conformance\n",     "|Appendix\n"};
    const char *at = rft_str_get(&pages->raw);
    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++) {
        char wanted[80];
        const char *found = NULL, *line = at;
        while ((line = strstr(line, "bookmark 1 ")) != NULL && !found) {
            snprintf(wanted, sizeof wanted, "%s", chapters[i]);
            const char *bar = strchr(line, '|');
            found = bar && strncmp(bar, wanted, strlen(wanted)) == 0 ? line : NULL;
            line++;
        }
        if (!found) {
            fail_msg("no bookmark%s", chapters[i]);
        }
        at = found; /* and in this order */
    }
}

static void test_summary_links_lead_to_placed_sections(void **state) {
    const trace_pages *pages = *state;
    const char *raw = rft_str_get(&pages->raw);
    size_t links = 0;
    for (const char *line = strstr(raw, "\nlink "); line; line = strstr(line + 1, "\nlink ")) {
        char anchor[64], wanted[80];
        assert_int_equal(sscanf(line, "\nlink %*f %*f %*f %*f %63s", anchor), 1);
        snprintf(wanted, sizeof wanted, "\nplace %s ", anchor);
        assert_non_null(strstr(raw, wanted));
        links++;
    }
    /* 3 families of the answer, 15 rows and 3 sweeps of the summary, 13 problems in the sweeps' chapters, and 11 of the
     * contents */
    assert_int_equal(links, 45);
}

static void test_every_page_has_its_number_and_the_runs_id(void **state) {
    const trace_pages *pages = *state;
    for (int page = 1; page <= pages->pages; page++) {
        char wanted[40];
        snprintf(wanted, sizeof wanted, "page %d of %d", page, pages->pages);
        assert_true(trace_page_says(pages, page, wanted));
        assert_true(trace_page_says(pages, page, "run 3f2a9c41d07b"));
    }
}

static void test_ties_are_printed_as_ties(void **state) {
    assert_true(trace_says(*state, "A tie with VEC=8 BLOCK=256."));
    assert_true(trace_says(*state, "1 ="));
}

static void test_ceilings_have_basis_and_reasons(void **state) {
    const trace_pages *pages = *state;
    assert_true(trace_says(pages, "3201 MHz x 2 x 6144 bit"));
    assert_true(trace_says(pages, "Basis: H200 datasheet."));
    assert_true(trace_says(pages, "4.270 TB/s"));
    assert_true(trace_says(
        pages, "INT8 tensor, copy from host (pinned), copy to host (pinned), copies from and to host at once "
               "(pinned)."));
    assert_true(trace_says(pages, "copy, 16-byte loads"));
}

static void test_roofline_labels_ceilings_ridges_and_bests(void **state) {
    const trace_pages *pages = *state;
    /* The datasheet's line would lie on it. */
    assert_true(trace_says(pages, "FP32, measured 62.1 TFLOP/s (datasheet 66.9 TFLOP/s)"));
    assert_true(trace_says(pages, "L2, measured 9.60 TB/s"));
    /* 62.1 / 4.37 */
    assert_true(trace_says(pages, "ridge 14.2"));
    assert_true(trace_says(pages, "gemv_fp16 n=16384: 3.95 TB/s"));
    assert_true(trace_says(pages, "useful rate (TFLOP/s)"));
}

static void test_ladder_names_variants_and_speedups(void **state) {
    const trace_pages *pages = *state;
    assert_true(trace_says(pages, "x in shared memory"));
    assert_true(trace_says(pages, "register-tiled"));
    assert_true(trace_says(pages, "over previous"));
    assert_true(trace_says(pages, "1.00\xc3\x97"));
}

static void test_failures_have_counts_reasons_and_an_example(void **state) {
    const trace_pages *pages = *state;
    assert_true(trace_says(pages, "compile_failed"));
    assert_true(trace_says(pages, "identifier \"frag\" is undefined"));
    assert_true(trace_says(pages, "wrong_result"));
    assert_true(trace_says(pages, "needs 98.5 KiB of shared memory"));
}

static void test_transitions_tell_what_they_cannot_tell(void **state) {
    const trace_pages *pages = *state;
    assert_true(trace_says(pages, "unclear"));
    rft_run *run = sample_full();
    trace_pages full = trace_of(run, &(rft_report_opts){.full = true}); /* parameters and lines without a change, too */
    assert_true(trace_says(&full, "not explored"));
    assert_true(trace_says(&full, "declared work does not depend on parameters"));
    trace_clear(&full);
    rft_run_free(run);
}

static void test_found_transition_has_place_and_interval(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    sample_add_turn(run);
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    /* the truth, 62.1 / 4.31, is 14.4 */
    assert_true(trace_says(&pages, "skinny: m found dram FP32 14.4 14.2\xe2\x80\x93"
                                   "14.8 14.4 (13.9) declared slope 0.00 to 1.00 of time per byte over intensity"));
    assert_true(trace_says(&pages, "memory ceiling"));
    /* the fit of the same line: what the samples scatter under 92 % of both ceilings, drawn and in a table */
    assert_true(trace_says(&pages, "What these kernels reach"));
    assert_true(trace_says(&pages, "fit: skinny"));
    assert_true(trace_says(&pages, "knee 14.4"));
    assert_true(trace_says(&pages, "skinny: m, 9 values 3.93 TB/s (3.90\xe2\x80\x93"
                                   "3.96 TB/s), 91 % 56.4 TFLOP/s ("));
    assert_true(trace_says(&pages, "(a) the times are explained without a fixed overhead"));
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_environment_has_values_and_reasons(void **state) {
    const trace_pages *pages = *state;
    assert_true(trace_says(pages, "n/a: the container hides other processes"));
    assert_true(trace_says(pages, "gpu.power_limit_w 700"));
    assert_true(trace_says(pages, "rooftune run sweeps/copy_scale.lua"));
}

static void test_method_counts_verification_and_tolerance(void **state) {
    const trace_pages *pages = *state;
    assert_true(trace_says(pages, "1.2e-6"));
    assert_true(trace_says(pages, "2.72 \xc2\xb5s for an empty kernel"));
    assert_true(trace_says(pages, "10 to 100"));
}

static void test_replay_is_on_every_page(void **state) {
    (void)state;
    rft_run *run = sample_full();
    sample_make_replay(run);
    trace_pages pages = trace_of(run, NULL);
    assert_int_equal(trace_pages_saying(&pages, "replayed recording, NVIDIA H200, 2026-11-21"), pages.pages);
    assert_true(trace_page_says(&pages, 1, "This is a replayed recording"));
    assert_true(trace_says(&pages, "no GPU was used"));
    trace_assert_sound(&pages);
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_part_one_is_short_and_part_two_is_the_rest(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_report_opts buyer = {.part = 1}, engineer = {.part = 2};
    trace_pages one = trace_of(run, &buyer), two = trace_of(run, &engineer);
    assert_true(one.pages <= 4);
    assert_true(trace_says(&one, "Useful rate"));
    assert_false(trace_says(&one, "Bound transitions"));
    assert_false(trace_says(&two, "Speed beside"));
    assert_true(trace_says(&two, "Bound transitions"));
    trace_assert_sound(&one);
    trace_assert_sound(&two);
    trace_clear(&one);
    trace_clear(&two);
    rft_run_free(run);
}

static void test_full_lists_every_point(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_report_opts full = {.full = true};
    trace_pages pages = trace_of(run, &full);
    char last[32];
    snprintf(last, sizeof last, " %zu matmul_fp32 ", run->point_count);
    assert_true(trace_says(&pages, last));
    assert_true(trace_says(&pages, "Best and worst on gemv_fp16 n=2048"));
    trace_assert_sound(&pages);
    trace_clear(&pages);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_overlaps_or_leaves_the_page),
        cmocka_unit_test(test_cover_says_what_was_measured_and_how_good_it_is),
        cmocka_unit_test(test_the_card_has_its_ridge_points),
        cmocka_unit_test(test_every_chapter_is_there_with_a_bookmark),
        cmocka_unit_test(test_summary_links_lead_to_placed_sections),
        cmocka_unit_test(test_every_page_has_its_number_and_the_runs_id),
        cmocka_unit_test(test_ties_are_printed_as_ties),
        cmocka_unit_test(test_ceilings_have_basis_and_reasons),
        cmocka_unit_test(test_roofline_labels_ceilings_ridges_and_bests),
        cmocka_unit_test(test_ladder_names_variants_and_speedups),
        cmocka_unit_test(test_failures_have_counts_reasons_and_an_example),
        cmocka_unit_test(test_transitions_tell_what_they_cannot_tell),
        cmocka_unit_test(test_found_transition_has_place_and_interval),
        cmocka_unit_test(test_environment_has_values_and_reasons),
        cmocka_unit_test(test_method_counts_verification_and_tolerance),
        cmocka_unit_test(test_replay_is_on_every_page),
        cmocka_unit_test(test_part_one_is_short_and_part_two_is_the_rest),
        cmocka_unit_test(test_full_lists_every_point),
    };
    return cmocka_run_group_tests(tests, draw_sample, drop_sample);
}
