/* SPDX-License-Identifier: Apache-2.0 */
/* The chapter of a sweep and that of transitions: what report.md asks of them is there, and says what is so. */
#include "model/roofline/placement.h"
#include "report/trace_pages.h"
#include "support/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void assert_says(const trace_pages *pages, const char *const *texts) {
    for (; *texts; texts++) {
        if (!trace_says(pages, *texts)) {
            fail_msg("the report does not say \"%s\"", *texts);
        }
    }
}

static size_t lines_of(const trace_pages *pages, const char *operation) {
    size_t count = 0, length = strlen(operation);
    for (const char *line = rft_str_get(&pages->raw); line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        count += strncmp(line, operation, length) == 0;
    }
    return count;
}

static void test_ladder_says_what_was_moved_and_what_changed(void **state) {
    (void)state;
    rft_run *run = sample_full();
    trace_pages pages = trace_of(run, &(rft_report_opts){.full = true});
    trace_assert_sound(&pages);
    assert_says(&pages, (const char *const[]){"useful", "moved", "Explains the step: ",
                                              "Useful rate of each variant's best, with the speed-up over the first.",
                                              "Bars: filled the variants, hollow the baselines", NULL});
    trace_clear(&pages);
    rft_run_free(run);
}

/* 40 configurations of which the 17th is the best and the 5th within 5 % of it. */
static void test_progress_tells_when_the_best_was_met(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    sample_add_many(run, 40);
    for (size_t i = 0; i < run->point_count; i++) {
        rft_measurement *sweep = &run->points[i].rounds[0];
        double time_s = i == 16 ? 0.010 : i == 4 ? 0.0102 : 0.020 + 0.0001 * (double)i;
        for (size_t k = 0; k < sweep->n; k++) {
            sweep->samples_s[k] = time_s;
        }
        sweep->stats = rft_stats_of(sweep->samples_s, sweep->n);
        sweep->wall_s = 0.5;
    }
    trace_pages pages = trace_of(run, &(rft_report_opts){.full = true});
    trace_assert_sound(&pages);
    assert_says(&pages,
                (const char *const[]){"Progress of the search, by evaluations", "Progress of the search, by time",
                                      "the best was met at evaluation 17 of 40, 8.50 s of 20.0 s",
                                      "95 % of its rate at evaluation 5.", "best so far", NULL});
    trace_clear(&pages);
    for (size_t i = 0; i < run->point_count; i++) {
        run->points[i].rounds[0].wall_s = 0; /* an older recording */
    }
    pages = trace_of(run, NULL);
    assert_true(trace_says(&pages, "the best was met at evaluation 17 of 40; 95 %"));
    assert_false(trace_says(&pages, "by time"));
    trace_clear(&pages);
    rft_run_free(run);
}

/* The turn of the sample lies at m = 14.4: it stands in the chart with its interval. */
static void test_transitions_have_their_chart(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    sample_add_turn(run);
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    bool found = false;
    for (size_t i = 0; i < pages.count; i++) {
        double where, low, high;
        if (sscanf(pages.texts[i].text, "%lf [%lf, %lf]", &where, &low, &high) == 3) {
            assert_true(where > 13 && where < 16 && low <= 14.4 && high >= 14.4);
            found = true;
        }
    }
    assert_true(found);
    assert_says(&pages, (const char *const[]){"Dashed: where the times turn", "memory ceiling", NULL});
    trace_clear(&pages);
    rft_run_free(run);
}

/* Seconds (of the processor) are printed, not judged: the machine is not known. Bytes and marks are. */
static void test_fifty_thousand_points_are_few_marks(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    sample_add_many(run, 50000);
    rft_str pdf = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    clock_t from = clock();
    assert_int_equal(rft_report_pdf(run, NULL, &pdf, &err), 0);
    print_message("50,000 points: %.2f s, %zu bytes\n", (double)(clock() - from) / CLOCKS_PER_SEC, pdf.length);
    assert_true(pdf.length > 10000 && pdf.length < 1000000);
    rft_str_clear(&pdf);
    trace_pages pages = trace_of(run, NULL);
    trace_assert_sound(&pages);
    /* Density: five charts of cells, none with more than fit into it, and never one mark a point. */
    size_t marks = lines_of(&pages, "rect ") + lines_of(&pages, "area ");
    print_message("%zu marks on %d pages\n", marks, pages.pages);
    assert_true(marks > 1000 && marks < 25000);
    assert_true(pages.pages < 25);
    assert_says(&pages, (const char *const[]){"Distribution of 50,000 configurations", "Heat map", "to 24 columns",
                                              "Progress of the search, by evaluations", NULL});
    trace_clear(&pages);
    rft_run_free(run);
}

/* The same number spread over 500 problems of an axis. */
static void test_many_problems_stay_small(void **state) {
    (void)state;
    enum { PROBLEMS = 500, POINTS = 50000 };
    rft_run *run = sample_empty();
    sample_add_many(run, POINTS);
    rft_run_sweep *kept = &run->sweeps[0];
    rft_sweep *sweep = &kept->sweep;
    rft_problem *problems = rft_arena_calloc(run->arena, PROBLEMS, sizeof *problems);
    rft_value *values = rft_arena_calloc(run->arena, PROBLEMS, sizeof *values);
    kept->cartesian = rft_arena_calloc(run->arena, PROBLEMS, sizeof *kept->cartesian);
    kept->valid = rft_arena_calloc(run->arena, PROBLEMS, sizeof *kept->valid);
    for (size_t p = 0; p < PROBLEMS; p++) {
        problems[p] = sweep->problems[0];
        problems[p].values =
            rft_arena_memdup(run->arena, sweep->problems[0].values, sweep->axis_count * sizeof *values);
        values[p] = problems[p].values[0] = rft_value_int((int64_t)(p + 1) * 64);
        kept->cartesian[p] = kept->valid[p] = POINTS / PROBLEMS;
    }
    sweep->problems = problems;
    sweep->problem_count = PROBLEMS;
    sweep->axes[0].values = values;
    sweep->axes[0].value_count = PROBLEMS;
    for (size_t i = 0; i < run->point_count; i++) {
        run->points[i].problem = i % PROBLEMS;
    }
    rft_str pdf = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    clock_t from = clock();
    assert_int_equal(rft_report_pdf(run, NULL, &pdf, &err), 0);
    print_message("500 problems: %.2f s, %zu bytes\n", (double)(clock() - from) / CLOCKS_PER_SEC, pdf.length);
    assert_true(pdf.length > 10000 && pdf.length < 2000000);
    rft_str_clear(&pdf);
    rft_run_free(run);
}

/* The best of the last round, the default of the first alone: the ratio is of the first. */
static void test_a_ratio_over_the_default_is_of_one_round(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_point *best = sample_best(run, 1);
    rft_point *standard = (rft_point *)rft_run_default(run, 1, best->variant, best->problem);
    assert_true(standard && standard != best);
    best->rounds[1] = best->rounds[0];
    best->rounds[0].stats.median = rft_point_median_s(standard) / 1.5; /* it was faster there than it is now */
    trace_pages pages = trace_of(run, NULL);
    assert_says(&pages, (const char *const[]){"1.50\xc3\x97 over the default configuration", NULL});
    trace_clear(&pages);
    best->rounds[1].n = 0;
    rft_run_free(run);
}

enum { COPY, GEMV, MATMUL };

static rft_point *longest_of(rft_run *run, size_t sweep) {
    const rft_point *found = NULL;
    for (size_t p = 0; p < run->sweeps[sweep].sweep.problem_count; p++) {
        const rft_point *best = run->sweeps[sweep].sweep.problems[p].odd ? NULL : rft_run_best(run, sweep, SIZE_MAX, p);
        found = best && (!found || rft_point_median_s(best) > rft_point_median_s(found)) ? best : found;
    }
    return (rft_point *)found;
}

/* What a launch takes in the round that is reported. */
static void takes(rft_point *point, double factor, double clock_mhz) {
    rft_measurement *m = (rft_measurement *)rft_point_measurement(point);
    double *const all[] = {&m->stats.min, &m->stats.q1,   &m->stats.median, &m->stats.q3,
                           &m->stats.max, &m->stats.mean, &m->stats.low,    &m->stats.high};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] *= factor;
    }
    m->clock_mhz = clock_mhz;
}

/* Times beat a roof; what beats an author's figure of the traffic beats no roof. */
static void test_above_a_roof_is_told_with_its_cause(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_point *point = longest_of(run, MATMUL);
    trace_pages pages = trace_of(run, &(rft_report_opts){.part = 0});
    assert_false(trace_says(&pages, "above the measured roof"));
    trace_clear(&pages);
    point->traffic.present = true;
    point->traffic.level_bytes[RFT_LEVEL_L2] = 1e15;
    pages = trace_of(run, &(rft_report_opts){.part = 0});
    assert_says(&pages, (const char *const[]){"lies under the roof but took less time than the traffic that", NULL});
    assert_false(trace_says(&pages, "above the measured roof"));
    trace_clear(&pages);
    takes(point, 1e-3, 1980);
    pages = trace_of(run, &(rft_report_opts){.part = 0});
    assert_says(&pages,
                (const char *const[]){"above the measured roof by more than the uncertainty, by cause: ", NULL});
    trace_clear(&pages);
    rft_run_free(run);
}

/* An algorithm of a library is nothing to compile with. */
static void test_a_library_has_nothing_to_paste(void **state) {
    (void)state;
    for (int library = 0; library < 2; library++) {
        rft_run *run = sample_full();
        rft_variant *variant = &run->sweeps[MATMUL].sweep.variants[longest_of(run, MATMUL)->variant];
        variant->source = library ? "vendor_matmul.lua" : variant->source;
        trace_pages pages = trace_of(run, &(rft_report_opts){.summary = true});
        assert_true(trace_says(&pages, "Ready to paste: matmul_fp32") == !library);
        assert_true(trace_says(&pages, ", the vendor's library, so that there is nothing to paste: ") == library);
        assert_says(&pages, (const char *const[]){"rooftune report RUN.db -o REPORT.pdf --summary", NULL});
        trace_clear(&pages);
        rft_run_free(run);
    }
}

/* A sweep that explains the card has its line in the short form; a long list is cut nowhere, it is summed up. */
static void test_what_explains_the_card_has_its_line(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    size_t s = sample_add_gemv(run);
    for (int lesson = 0; lesson < 2; lesson++) {
        run->sweeps[s].sweep.diagnostic = lesson;
        trace_pages pages = trace_of(run, &(rft_report_opts){.summary = true});
        assert_true(trace_says(&pages, "Next step: ") == !lesson);
        assert_true(trace_says(&pages, "Along n") == lesson);
        assert_false(trace_says(&pages, "Along the axes"));
        trace_clear(&pages);
    }
    rft_run_free(run);
}

/* Of many sweeps: behind all others, in no summary, without advice, which says of the others each way once. */
static void test_experiments_stand_apart(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    for (int i = 0; i < 12; i++) {
        size_t s = i > 8 ? sample_add_copy(run) : sample_add_gemv(run);
        rft_sweep *sweep = &run->sweeps[s].sweep;
        sweep->name = rft_arena_printf(run->arena, "gemv_%d", i);
        sweep->diagnostic = i == 3;
        sweep->note = i == 3 ? "What its line shows." : NULL;
        if (i == 11) { /* no line, so that it is told what its parameter does */
            sweep->diagnostic = 1;
            sweep->note = "What its parameters show.";
            sweep->axes[0].swept = sweep->axes[0].along = false;
        }
        for (size_t v = 0; v < sweep->variant_count; v++) {
            sweep->variants[v].source = "kernels/gemv_of_a_kind.cu";
        }
    }
    trace_pages pages = trace_of(run, &(rft_report_opts){.summary = true});
    trace_assert_sound(&pages);
    assert_says(&pages, (const char *const[]){"Each explains the card; none is a workload",
                                              "Experiments, which explain the card, have chapters",
                                              "Ready to paste: gemv_2 n=16384, gemv_of_a_kind.cu", NULL});
    assert_int_equal(trace_pages_saying(&pages, "Other work: fewer bytes"), 1);
    assert_says(&pages, (const char *const[]){"such a way is told of the first sweep that it suits", NULL});
    assert_true(trace_says(&pages, "gemv_2: n, 5 values") && !trace_says(&pages, "gemv_3: n, 5 values"));
    assert_false(trace_says(&pages, "Sweep gemv_3"));
    assert_false(trace_says(&pages, "Ready to paste: gemv_3"));
    assert_true(trace_says(&pages, "costs at best"));
    assert_false(trace_says(&pages, "for want of room"));
    const char *raw = rft_str_get(&pages.raw), *last = strstr(raw, "|Sweep gemv_10\n");
    assert_non_null(last);
    assert_non_null(strstr(last, "|Experiments\n"));
    assert_null(strstr(raw, "|gemv_3 n=16384: "));
    trace_clear(&pages);
    rft_run_free(run);
}

/* Where notes leave room for lines alone they have the ladder in words. */
static void test_the_shortest_form_has_the_ladder(void **state) {
    (void)state;
    char note[8001];
    rft_run *run = sample_empty();
    for (size_t i = 0; i < sizeof note; i++) {
        note[i] = "words "[i % 6];
    }
    note[sizeof note - 1] = '\0';
    for (int i = 0; i < 12; i++) {
        size_t s = sample_add_gemv(run);
        run->sweeps[s].sweep.name = rft_arena_printf(run->arena, "gemv_%d", i);
        run->sweeps[s].sweep.note = note;
    }
    trace_pages pages = trace_of(run, &(rft_report_opts){.summary = true});
    assert_says(&pages, (const char *const[]){"n: 1024, 2048 \xe2\x80\xa6 (5 in all) \xe2\x80\xa6 16384. ",
                                              "Ladder on n=16384, each over the one before: naive ", ". In all ",
                                              " Explains the largest step, ", NULL});
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_many_sweeps_are_summed_up(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    for (int i = 0; i < 70; i++) {
        rft_env_set(&run->env, run->arena, rft_arena_printf(run->arena, "source.kernel_%d.cu", i),
                    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", NULL);
    }
    for (int i = 0; i < 26; i++) {
        size_t s = sample_add_gemv(run);
        run->sweeps[s].sweep.name = rft_arena_printf(run->arena, "gemv_%d", i);
        run->sweeps[s].sweep.measure.max_samples += i == 3;
    }
    for (size_t i = 0; i < run->point_count; i++) {
        run->points[i].verification.done = false;
    }
    trace_pages pages = trace_of(run, &(rft_report_opts){.summary = true});
    assert_says(&pages, (const char *const[]){"all others", "; not gemv_0 and 25 more", "The first 12 of 64 digits",
                                              "0123456789ab", NULL});
    assert_false(trace_says(&pages, "0123456789abc"));
    trace_clear(&pages);
    rft_run_free(run);
}

/* 70 % of the ceiling is near only what the clock allows. */
static void test_near_a_ceiling_at_which_clock(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_point *point = longest_of(run, MATMUL);
    double frac = rft_placement_of(run, point).efficiency_frac;
    takes(point, frac / 0.72, 1980 * 0.85); /* still the best */
    trace_pages pages = trace_of(run, &(rft_report_opts){.part = 0});
    assert_says(&pages, (const char *const[]){" ceiling: near its ceiling at its clock (84.", NULL});
    trace_clear(&pages);
    /* it does eleven times what its work declares, so 9 % of that are all that its clock allows */
    rft_counters counters = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    counters.values[RFT_COUNTER_FFMA] = 1.1 * point->work.pipe_ops[RFT_PIPE_FP32] / 2;
    counters.values[RFT_COUNTER_FADD] = counters.values[RFT_COUNTER_FMUL] = 0;
    point->counters = &counters;
    point->work.pipe_ops[RFT_PIPE_FP32] /= 10;
    pages = trace_of(run, &(rft_report_opts){.part = 0});
    assert_says(&pages,
                (const char *const[]){" of what FP32 does at its clock of 1683 MHz, held back by clock, the cause "
                                      "of which is not known: it does 11.0 times the operations it must (counted)",
                                      NULL});
    trace_clear(&pages);
    rft_run_free(run);
}

/* The best reads 1.5 times as slow in the final round, which has no other: it is as far ahead as it was. */
static void test_ranks_are_of_one_round(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_point *point = longest_of(run, MATMUL);
    trace_pages pages = trace_of(run, &(rft_report_opts){.full = true});
    assert_false(trace_says(&pages, "Both of the first round,"));
    trace_clear(&pages);
    point->rounds[RFT_ROUNDS - 1] = point->rounds[0];
    takes(point, 1.5, 1980);
    assert_ptr_equal(rft_run_best(run, MATMUL, SIZE_MAX, point->problem), point);
    pages = trace_of(run, &(rft_report_opts){.full = true});
    assert_says(&pages, (const char *const[]){"Both of the first round,", NULL});
    trace_clear(&pages);
    rft_run_free(run);
}

/* A configuration that has no room ends between two of its values. */
static void test_names_are_cut_between_words(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_variant *variant = &run->sweeps[MATMUL].sweep.variants[longest_of(run, MATMUL)->variant];
    for (size_t i = 0; i < variant->param_count; i++) {
        variant->params[i].name = rft_arena_printf(run->arena, "A_PARAMETER_OF_A_LONG_NAME_%zu_END", i);
    }
    trace_pages pages = trace_of(run, &(rft_report_opts){.part = 1});
    const char *cut = strstr(rft_str_get(&pages.raw), "\xe2\x80\xa6");
    assert_non_null(cut);
    for (; cut; cut = strstr(cut + 1, "\xe2\x80\xa6")) {
        assert_true(cut[-1] == ' ');
    }
    trace_clear(&pages);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ladder_says_what_was_moved_and_what_changed),
        cmocka_unit_test(test_above_a_roof_is_told_with_its_cause),
        cmocka_unit_test(test_a_library_has_nothing_to_paste),
        cmocka_unit_test(test_what_explains_the_card_has_its_line),
        cmocka_unit_test(test_many_sweeps_are_summed_up),
        cmocka_unit_test(test_experiments_stand_apart),
        cmocka_unit_test(test_the_shortest_form_has_the_ladder),
        cmocka_unit_test(test_near_a_ceiling_at_which_clock),
        cmocka_unit_test(test_names_are_cut_between_words),
        cmocka_unit_test(test_ranks_are_of_one_round),
        cmocka_unit_test(test_progress_tells_when_the_best_was_met),
        cmocka_unit_test(test_transitions_have_their_chart),
        cmocka_unit_test(test_a_ratio_over_the_default_is_of_one_round),
        cmocka_unit_test(test_fifty_thousand_points_are_few_marks),
        cmocka_unit_test(test_many_problems_stay_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
