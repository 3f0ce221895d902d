/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons as pages: two runs, a slower device, eight of them, prices, a run without anything; the same bytes again.
 */
#include "report/trace_pages.h"
#include "reports/findings/compare_findings.h"
#include "reports/print/print.h"
#include "reports/report.h"
#include "support/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The sample as another device would measure it: every time `slower` times as slow, every ceiling `lower` times as low.
 */
static rft_run *on_other_device(const char *id, const char *device, double slower, double lower) {
    rft_run *run = sample_full();
    run->info.id = rft_arena_strdup(run->arena, id);
    run->gpu.name = device;
    run->gpu.uuid = rft_arena_printf(run->arena, "GPU-%s-1111-2222", id);
    for (size_t i = 0; i < run->point_count; i++) {
        for (int round = 0; round < RFT_ROUNDS; round++) {
            rft_measurement *m = &run->points[i].rounds[round];
            for (size_t k = 0; k < m->n; k++) {
                m->samples_s[k] *= slower;
            }
            m->stats = m->n ? rft_stats_of(m->samples_s, m->n) : m->stats;
        }
    }
    for (int c = 0; c < RFT_CEILING_COUNT; c++) {
        rft_ceiling *ceiling = &run->ceilings.items[c];
        if (ceiling->measured && c != RFT_CEILING_LAUNCH) {
            double rate = ceiling->stats.median / lower;
            ceiling->stats = rft_stats_of(&rate, 1);
        }
    }
    return run;
}

static rft_run *on_device(const char *id, const char *device, double slower) {
    return on_other_device(id, device, slower, slower);
}

typedef struct compared {
    rft_arena *arena;
    rft_compare *compare;
    rft_run *runs[RFT_COMPARE_MOST];
    size_t count;
} compared;

static compared compare_runs(rft_run *const *runs, size_t count, double price) {
    static const char *const paths[] = {"a.db", "folder/b.db", "c.db", "d.db", "e.db", "f.db", "g.db", "h.json.gz"};
    compared out = {.arena = rft_arena_new(), .count = count};
    rft_compare_input inputs[RFT_COMPARE_MOST];
    rft_err err = RFT_ERR_INIT;
    for (size_t i = 0; i < count; i++) {
        out.runs[i] = runs[i];
        inputs[i] = (rft_compare_input){
            .run = runs[i], .path = paths[i], .price = {.amount = price, .currency = "EUR", .date = "2026-11-01"}};
    }
    if (rft_compare_runs(&out.compare, inputs, count, out.arena, &err) != 0) {
        fail_msg("%s", err.message);
    }
    return out;
}

static void release(compared *of) {
    rft_arena_free(of->arena);
    for (size_t i = 0; i < of->count; i++) {
        rft_run_free(of->runs[i]);
    }
}

static trace_pages pages_of(const compared *of) {
    rft_str raw = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_compare_trace(of->compare, &raw, &err), 0);
    trace_pages pages = trace_read(&raw);
    trace_assert_sound(&pages);
    return pages;
}

static void test_a_slower_device(void **state) {
    (void)state;
    rft_run *runs[] = {on_device("0123456789ab", "Quick Card", 1.0), on_device("ba9876543210", "Slow Card", 1.5)};
    compared of = compare_runs(runs, 2, NAN);
    trace_pages pages = pages_of(&of);
    assert_true(trace_page_says(&pages, 1, "Slow Card against Quick Card"));
    assert_true(trace_page_says(&pages, 1, "slower in all"));
    assert_true(trace_says(&pages, "SLOWER"));
    assert_false(trace_says(&pages, "FASTER in"));
    assert_true(trace_says(&pages, "0.667\xc3\x97"));
    /* every workload is on the pages, with both times */
    for (size_t w = 0; w < of.compare->workload_count; w++) {
        const rft_compare_workload *workload = &of.compare->workloads[w];
        assert_int_equal(workload->figures[1].verdict, RFT_COMPARE_SLOWER);
        assert_true(trace_says(&pages, workload->sweep_name));
    }
    assert_true(trace_says(&pages, "A: memory") && trace_says(&pages, "B: memory"));
    assert_true(trace_says(&pages, "0123456789ab") && trace_says(&pages, "ba9876543210"));
    assert_true(trace_says(&pages, "Which configurations carry over"));
    assert_true(trace_says(&pages, "Base of peak; the rest is what the one costs"));
    assert_true(trace_says(&pages, "A, B")); /* tried the same: one row */
    assert_true(trace_says(&pages, "Base and peak: one configuration, or the best for each problem"));
    assert_true(trace_page_says(&pages, 1, "workload (number in the table)")); /* the chart */
    assert_false(trace_says(&pages, "Useful rate per price"));
    assert_false(trace_says(&pages, "folder/")); /* nothing of this machine */
    trace_clear(&pages);
    release(&of);
}

static void test_equal_runs(void **state) {
    (void)state;
    rft_run *runs[] = {on_device("0123456789ab", "Quick Card", 1.0), on_device("ba9876543210", "Quick Card", 1.0)};
    compared of = compare_runs(runs, 2, NAN);
    trace_pages pages = pages_of(&of);
    assert_int_equal(of.compare->scores[1].counts[RFT_COMPARE_SLOWER], 0);
    assert_int_equal(of.compare->scores[1].counts[RFT_COMPARE_FASTER], 0);
    assert_true(of.compare->scores[1].counts[RFT_COMPARE_SAME] > 0);
    assert_true(trace_page_says(&pages, 1, "Quick Card: two runs"));
    assert_true(trace_says(&pages, "Variation among runs of one model"));
    assert_true(trace_says(&pages, "Quick Card: over"));
    trace_clear(&pages);
    release(&of);
}

static void test_eight_devices_with_prices(void **state) {
    (void)state;
    rft_run *runs[RFT_COMPARE_MOST];
    for (size_t i = 0; i < RFT_COMPARE_MOST; i++) {
        char id[16], name[64];
        rft_text_format(id, sizeof id, "%012zu", i + 1);
        rft_text_format(name, sizeof name, "A Card With a Rather Long Name %c", (int)('P' + i));
        runs[i] = on_device(id, "", 0.8 + 0.1 * (double)i);
        runs[i]->gpu.name = rft_arena_strdup(runs[i]->arena, name);
    }
    compared of = compare_runs(runs, RFT_COMPARE_MOST, 30000.0);
    trace_pages pages = pages_of(&of);
    assert_true(trace_page_says(&pages, 1, "8 runs"));
    assert_true(trace_says(&pages, "Useful rate per price"));
    assert_true(trace_says(&pages, "EUR, 2026-11-01"));
    for (size_t i = 0; i < RFT_COMPARE_MOST; i++) {
        assert_true(trace_says(&pages, of.compare->sides[i].run->info.id));
    }
    trace_clear(&pages);
    release(&of);
}

/* Seven equal cards share a row of base and peak for each sweep, the slow one has its own; of four each has. */
static void test_equal_cards_share_a_row(void **state) {
    (void)state;
    rft_run *runs[RFT_COMPARE_MOST];
    for (size_t count = 4; count <= RFT_COMPARE_MOST; count += 4) {
        for (size_t i = 0; i < count; i++) {
            char id[16];
            rft_text_format(id, sizeof id, "%012zu", i + 1);
            runs[i] = on_device(id, "Card", i == 2 ? 1.5 : 1.0);
        }
        compared of = compare_runs(runs, count, NAN);
        rft_str text = RFT_STR_INIT;
        rft_print_text(&text, rft_finding_compared_bases(of.compare, of.arena), &(rft_print_opts){.label = ""});
        bool many = count > 4;
        assert_true((strstr(rft_str_get(&text), "A, B, D to H, gemv_fp16: ") != NULL) == many);
        assert_non_null(strstr(rft_str_get(&text), "C, gemv_fp16: "));
        assert_true((strstr(rft_str_get(&text), "\nB, gemv_fp16: ") != NULL) == !many);
        assert_true((strstr(rft_str_get(&text), "not told apart from A share a row") != NULL) == many);
        rft_str_clear(&text);
        release(&of);
    }
}

/* Every pair is judged, both ways alike; a matrix, a sentence a card, and every card's mark on the chart. */
static void test_all_pairs(void **state) {
    (void)state;
    enum { COUNT = 5 };
    rft_run *runs[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        char id[16], name[16];
        rft_text_format(id, sizeof id, "%012zu", i + 1);
        rft_text_format(name, sizeof name, "Card %zu", i);
        runs[i] = on_device(id, "", i == 3 ? 1.4 : 1.0 + 0.2 * (double)i); /* cards 2 and 3 are the same */
        runs[i]->gpu.name = rft_arena_strdup(runs[i]->arena, name);
    }
    compared of = compare_runs(runs, COUNT, NAN);
    for (size_t a = 0; a < COUNT; a++) {
        for (size_t b = 0; b < COUNT; b++) {
            const rft_compare_score *one = &of.compare->scores[a * COUNT + b],
                                    *back = &of.compare->scores[b * COUNT + a];
            assert_int_equal(one->judged, a == b ? 0 : of.compare->workload_count);
            assert_int_equal(one->counts[RFT_COMPARE_FASTER], back->counts[RFT_COMPARE_SLOWER]);
            assert_true(a == b || fabs(one->mean.ratio * back->mean.ratio - 1) < 1e-9);
        }
    }
    assert_true(fabs(of.compare->scores[1 * COUNT + 4].mean.ratio - 1.2 / 1.8) < 1e-3);
    trace_pages pages = pages_of(&of);
    assert_true(trace_page_says(&pages, 1, "A (Card 0): fastest in all"));
    assert_true(trace_page_says(&pages, 1, "E (Card 4): fastest in none of"));
    assert_true(trace_page_says(&pages, 1, "from 0.556\xc3\x97 the speed of A to 0.778\xc3\x97 the speed of C"));
    assert_true(trace_says(&pages, "Every run against every other"));
    /* of more than four runs: the speed and how many workloads, then the interval */
    assert_true(trace_says(&pages, "0.667\xc3\x97 -"));
    size_t corners[2] = {0};
    for (size_t i = 0; i < pages.mark_count && pages.marks[i].page == 1; i++) {
        corners[0] += pages.marks[i].corners == 4;
        corners[1] += pages.marks[i].corners == 12;
    }
    assert_true(corners[0] > 0 && corners[1] > 0);
    trace_clear(&pages);
    release(&of);
}

/* As slow as its ceilings are low; as slow under the same ceilings; slower although its ceilings are higher. */
static void test_what_the_ceilings_explain(void **state) {
    (void)state;
    static const struct {
        double lower;
        const char *says;
    } cases[] = {{1.5, "50 % of 50 %"},
                 {1.0, "none of 50 %: they are the same"},
                 {1 / 1.25, "none of 50 %: by them it would be 20 %"},
                 {2.0, "all of 50 %: they allow 100 %"},
                 {1.2, "20 % of 50 %"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_run *runs[] = {on_device("0123456789ab", "Quick Card", 1.0),
                           on_other_device("ba9876543210", "Slow Card", 1.5, cases[i].lower)};
        compared of = compare_runs(runs, 2, NAN);
        assert_true(of.compare->scores[1].roofed > 0);
        assert_true(fabs(of.compare->scores[1].roofed_mean * 1.5 - 1) < 0.01);
        assert_true(fabs(of.compare->scores[1].roofs_mean * cases[i].lower - 1) < 0.01);
        trace_pages pages = pages_of(&of);
        if (!trace_says(&pages, cases[i].says)) {
            fail_msg("no \"%s\"", cases[i].says);
        }
        trace_clear(&pages);
        release(&of);
    }
}

/* A doubt is told as one: no mean speed beside it, on any page. */
static void test_what_is_ambiguous_has_no_speed(void **state) {
    (void)state;
    rft_run *runs[] = {on_device("0123456789ab", "Quick Card", 1.0), on_device("ba9876543210", "Quick Card", 1.007),
                       on_device("ba9876543211", "Slow Card", 1.5)};
    for (size_t i = 0; i < runs[1]->point_count; i++) { /* too few samples for an interval */
        for (int round = 0; round < RFT_ROUNDS; round++) {
            rft_measurement *m = &runs[1]->points[i].rounds[round];
            m->n = m->n > 3 ? 3 : m->n;
            m->stats = m->n ? rft_stats_of(m->samples_s, m->n) : m->stats;
        }
    }
    compared of = compare_runs(runs, 3, NAN);
    assert_int_equal(of.compare->scores[1].counts[RFT_COMPARE_AMBIGUOUS], of.compare->workload_count);
    trace_pages pages = pages_of(&of);
    assert_true(trace_page_says(&pages, 1, "unclear against B"));
    assert_true(trace_page_says(&pages, 1, "unclear ?"));
    assert_true(trace_page_says(&pages, 1, "B (Quick Card) against A (Quick Card): ambiguous in all"));
    assert_false(trace_page_says(&pages, 1, "the speed of B"));
    trace_clear(&pages);
    release(&of);
}

static void test_nothing_measured_on_one_side(void **state) {
    (void)state;
    rft_run *runs[] = {on_device("0123456789ab", "Quick Card", 1.0), on_device("ba9876543210", "Odd Card", 1.0)};
    sample_fail_all(runs[1], RFT_OUTCOME_SKIPPED, "needs sm_90a");
    sample_forget_ceilings(runs[0]);
    compared of = compare_runs(runs, 2, NAN);
    trace_pages pages = pages_of(&of);
    assert_true(trace_page_says(&pages, 1, "nothing can be judged"));
    assert_true(trace_page_says(&pages, 1, "No speed against A is told of B: no workload that was measured on both."));
    assert_false(trace_says(&pages, "workload (number in the table)")); /* no empty chart */
    assert_true(trace_says(&pages, "no native path for"));
    assert_true(trace_says(&pages, "needs sm_90a"));
    trace_clear(&pages);
    release(&of);
}

static void test_same_runs_same_bytes(void **state) {
    (void)state;
    rft_str bytes[2] = {RFT_STR_INIT, RFT_STR_INIT};
    for (size_t i = 0; i < 2; i++) {
        rft_run *runs[] = {on_device("0123456789ab", "Quick Card", 1.0), on_device("ba9876543210", "Slow Card", 1.02)};
        compared of = compare_runs(runs, 2, NAN);
        rft_err err = RFT_ERR_INIT;
        assert_int_equal(rft_compare_pdf(of.compare, &bytes[i], &err), 0);
        release(&of);
    }
    assert_int_equal(bytes[0].length, bytes[1].length);
    assert_memory_equal(bytes[0].data, bytes[1].data, bytes[0].length);
    assert_memory_equal(bytes[0].data, "%PDF-", 5);
    rft_str_clear(&bytes[0]);
    rft_str_clear(&bytes[1]);
}

static void test_errors_name_the_file(void **state) {
    (void)state;
    rft_run *runs[] = {on_device("0123456789ab", "Quick Card", 1.0), on_device("ba9876543210", "Slow Card", 1.5)};
    compared of = compare_runs(runs, 2, NAN);
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_compare_write(of.compare, RFT_REPORT_PDF, "/nowhere/at/all.pdf", &err), RFT_E_IO);
    assert_true(strstr(err.place, "/nowhere/at/all.pdf") || strstr(err.message, "/nowhere/at/all.pdf"));
    release(&of);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_slower_device),
        cmocka_unit_test(test_equal_runs),
        cmocka_unit_test(test_eight_devices_with_prices),
        cmocka_unit_test(test_equal_cards_share_a_row),
        cmocka_unit_test(test_nothing_measured_on_one_side),
        cmocka_unit_test(test_all_pairs),
        cmocka_unit_test(test_what_the_ceilings_explain),
        cmocka_unit_test(test_what_is_ambiguous_has_no_speed),
        cmocka_unit_test(test_same_runs_same_bytes),
        cmocka_unit_test(test_errors_name_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
