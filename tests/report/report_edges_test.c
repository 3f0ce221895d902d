/* SPDX-License-Identifier: Apache-2.0 */
/* Runs at the edge: each must give a sound report that says what is missing. */
#include "report/trace_pages.h"
#include "support/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Draws, checks the layout, looks for the texts (NULL ends the list), frees the run. */
static void assert_report_of(rft_run *run, const rft_report_opts *opts, const char *const *texts) {
    trace_pages pages = trace_of(run, opts);
    trace_assert_sound(&pages);
    for (; *texts; texts++) {
        if (!trace_says(&pages, *texts)) {
            fail_msg("the report does not say \"%s\"", *texts);
        }
    }
    trace_clear(&pages);
    rft_run_free(run);
}

static void assert_report(rft_run *run, const char *const *texts) {
    assert_report_of(run, NULL, texts);
}

static void test_run_without_sweeps(void **state) {
    (void)state;
    assert_report(sample_empty(), (const char *const[]){"No valid measurement", "The run has no problems",
                                                        "No roofline is drawn", "the run has no sweep", NULL});
}

static void test_bare_run(void **state) {
    (void)state;
    assert_report(rft_run_new(),
                  (const char *const[]){"not known", "No ceiling was measured", "No environment was recorded", NULL});
}

/* What `show` is tested on. */
static void test_every_finding_at_once(void **state) {
    (void)state;
    assert_report_of(sample_findings(), &(rft_report_opts){.full = true},
                     (const char *const[]){"The device drifted",
                                           "1 of 1 points ran below the run's steady clock (1 temperature)",
                                           "Beside the baselines", "Power and energy", "Burst and sustained",
                                           "Hardware counters, the large set", "scan<256, true>", NULL});
}

static void test_sweep_without_points(void **state) {
    (void)state;
    rft_run *run = sample_full();
    run->point_count = 0;
    assert_report(run, (const char *const[]){"No valid measurement", "No configuration of it was taken up.",
                                             "No configuration was taken up.", NULL});
}

static void test_one_point(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    sample_add_single(run);
    assert_report(run, (const char *const[]){"single n=67108864", "No parameter was measured at more than one value",
                                             "fewer than two values were measured", NULL});
}

/* As if refine() had added m = 8 between 4 and 16. */
static void test_added_points_are_marked(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    size_t s = sample_add_turn(run);
    rft_sweep *sweep = &run->sweeps[s].sweep;
    rft_axis *axis = &sweep->axes[0];
    axis->refine_depth = 2;
    for (size_t i = 3; i + 1 < axis->value_count; i++) {
        axis->values[i] = axis->values[i + 1];
    }
    axis->value_count--;
    sweep->problems[3].refined = 1;
    assert_report_of(
        run, &(rft_report_opts){.full = true},
        (const char *const[]){"Refined: 3 configurations measured there, from the winners of m=4 and m=16.",
                              "Refined: m=8 (3). In brackets: configurations measured there",
                              "halved up to 2 times where the bound changes", "values that refine() added", NULL});
}

static void test_all_failed(void **state) {
    (void)state;
    rft_run *run = sample_full();
    sample_fail_all(run, RFT_OUTCOME_COMPILE_FAILED, "nvrtc: error: invalid value for --gpu-architecture (-arch)");
    assert_report(run, (const char *const[]){"points: compile_failed, nvrtc: error: invalid value",
                                             "invalid value for --gpu-architecture",
                                             "No configuration of this sweep gave a valid measurement.", "n/a", NULL});
}

/* The most frequent kinds are shown, however late they came. */
static void test_many_kinds_of_failures(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    sample_add_many(run, 200);
    sample_fail_all(run, RFT_OUTCOME_CRASHED, "the frequent one, attempt 7");
    for (size_t i = 0; i < 50; i++) {
        run->points[i].reason = rft_arena_printf(run->arena, "kind %c%c", 'a' + (char)(i / 26), 'a' + (char)(i % 26));
    }
    assert_report(
        run, (const char *const[]){"the frequent one, attempt 7", "kind aa", "11 points more for other reasons", NULL});
}

static void test_none_verified(void **state) {
    (void)state;
    rft_run *run = sample_full();
    sample_unverify_all(run);
    assert_report(run, (const char *const[]){"Not verified:", "n/a: nothing was verified", NULL});
}

static void test_no_ceilings(void **state) {
    (void)state;
    rft_run *run = sample_full();
    sample_forget_ceilings(run);
    assert_report(run, (const char *const[]){"No ceiling was measured in this run", "no device at hand",
                                             "no measured ceiling to judge it by",
                                             "The ceiling that would bound this problem was not measured.", NULL});
}

static void test_few_samples_have_no_interval(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    sample_add_single(run);
    rft_measurement *round = &run->points[0].rounds[0];
    round->n = 3;
    round->stats = rft_stats_of(round->samples_s, 3);
    assert_report(run, (const char *const[]){"Too few samples for a 95 % interval", NULL});
}

static void test_work_without_operations_or_bytes(void **state) {
    (void)state;
    rft_run *run = sample_full();
    for (size_t i = 0; i < run->point_count; i++) {
        memset(&run->points[i].work, 0, sizeof run->points[i].work);
    }
    assert_report(run, (const char *const[]){"No roofline is drawn", NULL});
}

/* 900 bytes without a place to break, and 900 with. */
static void test_very_long_names(void **state) {
    (void)state;
    rft_run *run = sample_full();
    char solid[901], loose[901];
    memset(solid, 'W', 900);
    for (int i = 0; i < 900; i++) {
        loose[i] = i % 7 == 6 ? ' ' : 'm';
    }
    solid[900] = loose[900] = '\0';
    run->gpu.name = solid;
    run->info.command = solid;
    run->sweeps[0].sweep.name = solid;
    run->sweeps[1].sweep.name = loose;
    run->sweeps[2].sweep.variants[0].name = solid;
    run->sweeps[2].sweep.variants[2].params[0].name = solid;
    run->sweeps[2].sweep.variants[2].constraints[0].text = loose;
    run->ceilings.items[RFT_CEILING_FP32].kernel = loose;
    rft_env_set(&run->env, run->arena, solid, loose, NULL);
    assert_report(run, (const char *const[]){"WWWW", NULL});
}

static void test_foreign_characters_are_replaced_and_said_so(void **state) {
    (void)state;
    rft_run *run = sample_full();
    run->sweeps[0].sweep.name = "\xe8\xa1\x8c\xe5\x88\x97"; /* two Chinese characters */
    run->sweeps[1].sweep.name = "Gr\xc3\xb6\xc3\x9f"
                                "e \xe2\x89\xa5 5 \xff";
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    assert_true(trace_says(&pages, "Sweep ??"));
    assert_true(trace_says(&pages, "Gr\xc3\xb6\xc3\x9f"
                                   "e >= 5 ?"));
    assert_true(trace_page_says(&pages, 1, "characters that the PDF's fonts lack"));
    assert_true(trace_pages_saying(&pages, "the PDF's fonts lack") < pages.pages);
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_names_of_the_page_syntax_stay_text(void **state) {
    (void)state;
    rft_run *run = sample_full();
    run->sweeps[0].sweep.name = "a) (b \\ %PDF <</X>> 100% %s %n";
    assert_report(run, (const char *const[]){"a) (b \\ %PDF <</X>> 100% %s %n", NULL});
}

static void test_text_values_on_an_axis(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_sweep *sweep = &run->sweeps[0].sweep;
    static const char *const names[] = {"random", "sorted", "zipf"};
    for (size_t i = 0; i < 3; i++) {
        sweep->problems[i].values[0] = rft_value_text(names[i]);
        sweep->axes[0].values[i] = sweep->problems[i].values[0];
    }
    assert_report(run, (const char *const[]){"copy_scale n=zipf", "random, sorted, zipf", NULL});
}

static void test_point_above_its_roof_is_told(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    sample_add_single(run);
    rft_measurement *round = &run->points[0].rounds[0];
    for (size_t i = 0; i < round->n; i++) {
        round->samples_s[i] /= 1.3;
    }
    round->stats = rft_stats_of(round->samples_s, round->n);
    assert_report(run, (const char *const[]){"no cause shows: the ceiling of", " % of its roof: no cause shows", NULL});
}

static void test_many_points_stay_small_and_quick(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    sample_add_many(run, 50000);
    rft_str pdf = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_report_pdf(run, NULL, &pdf, &err), 0);
    assert_true(pdf.length < 5u * 1000 * 1000);
    assert_true(pdf.length > 10000);
    rft_str_clear(&pdf);
    assert_report(run, (const char *const[]){"all 50,000 measured points", "50,000", NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_without_sweeps),
        cmocka_unit_test(test_bare_run),
        cmocka_unit_test(test_every_finding_at_once),
        cmocka_unit_test(test_sweep_without_points),
        cmocka_unit_test(test_one_point),
        cmocka_unit_test(test_added_points_are_marked),
        cmocka_unit_test(test_all_failed),
        cmocka_unit_test(test_many_kinds_of_failures),
        cmocka_unit_test(test_none_verified),
        cmocka_unit_test(test_no_ceilings),
        cmocka_unit_test(test_few_samples_have_no_interval),
        cmocka_unit_test(test_work_without_operations_or_bytes),
        cmocka_unit_test(test_very_long_names),
        cmocka_unit_test(test_foreign_characters_are_replaced_and_said_so),
        cmocka_unit_test(test_names_of_the_page_syntax_stay_text),
        cmocka_unit_test(test_text_values_on_an_axis),
        cmocka_unit_test(test_point_above_its_roof_is_told),
        cmocka_unit_test(test_many_points_stay_small_and_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
