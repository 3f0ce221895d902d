/* SPDX-License-Identifier: Apache-2.0 */
/* The page "Mix": figures, shares, what is missing, and layouts that are no choice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/trace_pages.h"
#include "support/sample.h"

#include <stdio.h>
#include <string.h>

/* The first timed problem of a sweep as JSON, all dimensions. */
static void add_item(rft_str *json, const rft_run *run, size_t sweep, double count) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    size_t problem = data->problems[0].odd ? 1 : 0;
    rft_str_addf(json, "%s{\"operation\":\"%s\",\"count\":", strchr(rft_str_get(json), '}') ? "," : "", data->name);
    rft_str_add_double(json, count);
    rft_str_add(json, ",\"problem\":{");
    for (size_t a = 0; a < data->axis_count; a++) {
        rft_str_addf(json, "%s\"%s\":", a ? "," : "", data->axes[a].name);
        rft_value_format(json, &data->problems[problem].values[a]);
    }
    rft_str_add(json, "}}");
}

typedef struct drawn {
    rft_run *run;
    rft_arena *arena;
    trace_pages pages;
    const rft_mix_total *total;
} drawn;

/* A report of part 1 with the mix of these items; `more` goes behind them. */
static drawn draw(rft_run *run, const char *name, const char *items, const char *more) {
    drawn out = {.run = run, .arena = rft_arena_new()};
    rft_err err = RFT_ERR_INIT;
    rft_mix_book *book = rft_mix_book_new(out.arena);
    const char *json = rft_arena_printf(out.arena, "{\"name\":\"%s\",\"unit\":\"token\",\"per\":8,\"items\":[%s]%s}",
                                        name, items, more);
    rft_mix_total *total = NULL;
    if (rft_mix_book_add(book, json, "m.lua", out.arena, &err) != 0 ||
        rft_mix_total_of(&total, &book->mixes[0], book, (const rft_run *[]){run}, 1, out.arena, &err) != 0) {
        fail_msg("%s", err.message);
    }
    rft_report_opts opts = {.part = 1, .book = book, .mixes = &total, .mix_count = 1};
    out.pages = trace_of(run, &opts);
    out.total = total;
    return out;
}

static void says(const drawn *of, const char *text) {
    if (!trace_says(&of->pages, text)) {
        fail_msg("no page says \"%s\"", text);
    }
}

static void end(drawn *of) {
    trace_clear(&of->pages);
    rft_arena_free(of->arena);
    rft_run_free(of->run);
}

static void test_figures_and_shares(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_str items = RFT_STR_INIT;
    add_item(&items, run, 0, 160);
    add_item(&items, run, 1, 4);
    add_item(&items, run, 2, 1);
    drawn of =
        draw(run, "decode", rft_str_get(&items),
             ",\"prices\":{\"currency\":\"EUR\",\"date\":\"2026-11\",\"years\":4,\"kwh\":0.3,\"devices\":{\"NVIDIA "
             "H200\":32000}},\"names\":{\"NVIDIA H200\":\"rack 3\"},\"remarks\":[\"A remark.\"]");
    assert_int_equal(of.total->missing_count, 0);
    trace_assert_sound(&of.pages);
    says(&of, "Mix");
    /* Bars in the table are the first page's picture. */
    assert_true(trace_page_says(&of.pages, 1, "Of limit (the bar; its mark is 100 %)"));
    assert_false(trace_page_says(&of.pages, 1, "How much of its measured limit"));
    says(&of, "(rack 3), 3 operations. Covers the listed kernels only");
    says(&of, "8 tokens a pass");
    says(&of, "By operation");
    says(&of, run->sweeps[0].sweep.name);
    says(&of, "A remark.");
    char text[64];
    snprintf(text, sizeof text, "%s", rft_mix_number_text(of.total->units_s.value, of.arena));
    says(&of, text);
    rft_str_clear(&items);
    end(&of);
}

static void test_no_total_without_a_part(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_str items = RFT_STR_INIT;
    add_item(&items, run, 0, 160);
    rft_str_add(&items, ",{\"operation\":\"attention\",\"problem\":{\"n\":7},\"count\":2}");
    drawn of = draw(run, "decode", rft_str_get(&items), "");
    trace_assert_sound(&of.pages);
    says(&of, "No total: 1 of 2 operations have no time, as the table says.");
    says(&of, "attention n=7");
    says(&of, "no sweep or kernel of that name");
    assert_false(trace_says(&of.pages, "time of a pass"));
    assert_false(trace_says(&of.pages, "tokens/s"));
    assert_false(trace_says(&of.pages, "By operation"));
    rft_str_clear(&items);
    end(&of);
}

/* Sixty operations, long names, counts of every size; then everything by one operation. */
static void test_unusual_layouts(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_str items = RFT_STR_INIT;
    for (size_t i = 0; i < 60; i++) {
        add_item(&items, run, i % 3, i ? 1e6 * (double)i + 0.5 : 1e-6);
    }
    drawn of = draw(run,
                    "a name of a workload that goes on and on, with more in it than any buyer would ever write down on "
                    "one line of a page, and then some",
                    rft_str_get(&items), "");
    trace_assert_sound(&of.pages);
    says(&of, "no prices are given");
    end(&of);
    rft_str_truncate(&items, 0);
    run = sample_empty();
    sample_add_single(run);
    add_item(&items, run, 0, 1);
    of = draw(run, "one", rft_str_get(&items), "");
    trace_assert_sound(&of.pages);
    says(&of, "1 operation.");
    says(&of, "held back by one thing");
    rft_str_clear(&items);
    end(&of);
}

/* Prices and remarks alone, and no --mix at all. */
static void test_without_operations(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    rft_mix_book *book = rft_mix_book_new(arena);
    assert_int_equal(rft_mix_book_add(book, "{\"items\":{},\"remarks\":[\"A remark.\"]}", "m.lua", arena, &err), 0);
    rft_report_opts opts = {.part = 1, .book = book};
    trace_pages pages = trace_of(run, &opts), plain = trace_of(run, &(rft_report_opts){.part = 1});
    trace_assert_sound(&pages);
    assert_true(trace_says(&pages, "A remark.") && trace_says(&pages, "Remarks"));
    assert_false(trace_says(&pages, "tokens/s"));
    assert_false(trace_says(&plain, "Remarks"));
    trace_clear(&pages);
    trace_clear(&plain);
    rft_arena_free(arena);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_and_shares),
        cmocka_unit_test(test_no_total_without_a_part),
        cmocka_unit_test(test_unusual_layouts),
        cmocka_unit_test(test_without_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
