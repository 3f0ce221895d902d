/* SPDX-License-Identifier: Apache-2.0 */
/* One finding by hand, in every printer's words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reports/doc.h"
#include "reports/print/layout.h"
#include "reports/print/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAME, TIME, SHARE, WHY, CODE, FIELDS };

static const rft_trait fields[FIELDS] = {
    [NAME] = {.key = "name", .title = "Name"},
    [TIME] = {.key = "time_s", .title = "Time alone", .style = RFT_AS_SI, .unit = "s", .align = RFT_ALIGN_DECIMAL},
    [SHARE] = {.key = "frac", .title = "Share", .style = RFT_AS_PERCENT, .align = RFT_ALIGN_DECIMAL},
    [WHY] = {.title = "Why", .wraps = true},
    [CODE] = {.key = "code"},
};

static rft_finding *sample(rft_arena *arena, const char *why) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, 0, 2, "What took %s", "long");
    rft_finding_set(f, "all", rft_datum_flag(true));
    rft_cell_table *table = rft_finding_table(f, "rows", fields, FIELDS);
    for (int i = 0; i < 3; i++) {
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[NAME] = rft_datum_text(i == 0 ? "first" : i == 1 ? "second" : "the | third");
        cells[TIME] = rft_datum_number(i == 0 ? 1.5e-6 : i == 1 ? 123e-6 : (double)NAN);
        cells[SHARE] = rft_datum_number(0.1234 * (i + 1));
        cells[WHY] = rft_datum_text(why);
        cells[CODE] = rft_datum_count(i);
    }
    table->rows[2].cells[TIME].note = "Not timed.";
    rft_finding_note(f, RFT_IN_FULL, "Only in full.");
    rft_finding_note(f, RFT_ON_PAGE, "Only on a page.");
    return f;
}

static void a_terminal_has_80_columns(void **state) {
    rft_arena *arena = rft_arena_new();
    rft_str text = RFT_STR_INIT;
    (void)state;
    rft_print_text(&text, sample(arena, "short"), &(rft_print_opts){.indent = 2});
    assert_string_equal(rft_str_get(&text), "\nWhat took long\n"
                                            "  Name         Time alone  Share  Why\n"
                                            "  first           1.50 us   12 %  short\n"
                                            "  second        123    us   25 %  short\n"
                                            "  the | third     n/a (a)   37 %  short\n"
                                            "  (a) Not timed.\n");
    const char *longer = "because of a reason that takes many words, which must be wrapped within a column of its own, "
                         "however long it may be";
    rft_str_truncate(&text, 0);
    rft_print_text(&text, sample(arena, longer), &(rft_print_opts){.indent = 2, .full = true});
    assert_non_null(strstr(rft_str_get(&text), "Only in full.\n"));
    assert_null(strstr(rft_str_get(&text), "Only on a page"));
    char *line = strtok(text.data, "\n");
    for (; line; line = strtok(NULL, "\n")) {
        assert_true(rft_layout_columns(line) <= RFT_LAYOUT_WIDTH);
    }
    rft_str_clear(&text);
    rft_print_text(&text, sample(arena, "of a size, optN=16777216"),
                   &(rft_print_opts){.indent = 37}); /* room for 12 columns */
    assert_non_null(strstr(rft_str_get(&text), "optN=16777216"));
    rft_str_clear(&text);
    rft_arena_free(arena);
}

static void absent_is_null_for_programs(void **state) {
    rft_arena *arena = rft_arena_new();
    (void)state;
    json_t *root = rft_print_json(sample(arena, "why"));
    char *text = rft_json_dump(root, NULL);
    assert_string_equal(text, "{\"all\":true,\"rows\":[{\"name\":\"first\",\"time_s\":1.5e-06,\"frac\":0.1234,"
                              "\"code\":0},{\"name\":\"second\",\"time_s\":0.000123,\"frac\":0.2468,\"code\":1},"
                              "{\"name\":\"the | third\",\"time_s\":null,\"frac\":0.3702,\"code\":2}]}");
    free(text);
    json_decref(root);
    root = rft_print_json(NULL);
    assert_true(json_is_null(root));
    json_decref(root);
    rft_arena_free(arena);
}

static void a_page_becomes_markdown(void **state) {
    rft_arena *arena = rft_arena_new();
    rft_doc doc = {.arena = arena, .footer_left = "the end"};
    rft_str text = RFT_STR_INIT;
    (void)state;
    rft_print_page(&doc, sample(arena, "a *star* of <b>, and a_name"));
    rft_doc_spell_units(&doc);
    rft_print_markdown(&text, &doc);
    assert_string_equal(rft_str_get(&text), "\n## What took long\n\n"
                                            "| Name | Time alone | Share (%) | Why |\n"
                                            "| --- | ---: | ---: | --- |\n"
                                            "| first | 1.50 \xc2\xb5s | 12.3 | a \\*star\\* of \\<b\\>, and a_name |\n"
                                            "| second | 123 \xc2\xb5s | 24.7 | a \\*star\\* of \\<b\\>, and a_name |\n"
                                            "| the \\| third | n/a (a) | 37.0 | a \\*star\\* of \\<b\\>, and a_name |\n"
                                            "\n(a) Not timed.\n\nOnly on a page.\n\nthe end\n");
    rft_str_clear(&text);
    rft_arena_free(arena);
}

/* What would end a block, begin a style, or turn the writing round. */
static void hostile_texts_stay_texts_in_markdown(void **state) {
    rft_arena *arena = rft_arena_new();
    rft_doc doc = {.arena = arena, .footer_left = "&amp; \xe2\x80\xae end"};
    rft_str text = RFT_STR_INIT;
    (void)state;
    rft_doc_text(&doc, RFT_TEXT_MONO, "a\n```\n<script>");
    rft_doc_text(&doc, RFT_TEXT_BODY, "12. <i>\xff 1.5");
    rft_print_markdown(&text, &doc);
    assert_string_equal(rft_str_get(&text), "\n````\na\n```\n<script>\n````\n\n12\\. \\<i\\>\\\\xff 1.5\n"
                                            "\n\\&amp; \\\\u202e end\n");
    rft_str_clear(&text);
    rft_arena_free(arena);
}

static void draw_nothing(rft_str *out, const rft_chart *chart, size_t beside) {
    rft_str_addf(out, "<svg>%s of %zu</svg>\n", *chart->title == '<' ? "hostile" : chart->title, beside);
}

static void a_page_becomes_html(void **state) {
    rft_arena *arena = rft_arena_new();
    rft_doc doc = {.arena = arena, .title = "</title>", .footer_left = "the \x1b end", .author = "\"A\""};
    rft_chart *chart = rft_chart_new(arena, "<>", 100);
    rft_str text = RFT_STR_INIT;
    (void)state;
    rft_doc_heading(&doc, 1, "One & all", "cover");
    rft_print_page(&doc, sample(arena, "'<script>'"));
    doc.blocks[2].table->rows[0].link = "cover";
    doc.blocks[2].table->rows[1].link = "nowhere";
    rft_doc_charts(&doc, &chart, 1);
    rft_doc_text(&doc, RFT_TEXT_MONO, "</pre>");
    rft_doc_spell_units(&doc);
    rft_print_html(&text, &doc, draw_nothing);
    assert_non_null(strstr(rft_str_get(&text), "<title>&lt;/title&gt;</title>\n"
                                               "<meta name=\"author\" content=\"&quot;A&quot;\"/>\n"));
    const char *body = strstr(rft_str_get(&text), "<body>");
    assert_non_null(body);
    assert_string_equal(
        body,
        "<body>\n<h1 id=\"cover\">One &amp; all</h1>\n<h3>What took long</h3>\n<div class=\"table\"><table>\n"
        "<thead><tr><th scope=\"col\">Name</th><th scope=\"col\" class=\"right\">Time alone</th>"
        "<th scope=\"col\" class=\"right\">Share<br/><small>%</small></th><th scope=\"col\">Why</th></tr></thead>\n"
        "<tbody>\n"
        "<tr><td><a href=\"#cover\">first</a></td><td class=\"right\">1.50 \xc2\xb5s</td>"
        "<td class=\"right\">12.3</td><td>&#39;&lt;script&gt;&#39;</td></tr>\n"
        "<tr><td>second</td><td class=\"right\">123 \xc2\xb5s</td>"
        "<td class=\"right\">24.7</td><td>&#39;&lt;script&gt;&#39;</td></tr>\n"
        "<tr><td>the | third</td><td class=\"right\">n/a (a)</td>"
        "<td class=\"right\">37.0</td><td>&#39;&lt;script&gt;&#39;</td></tr>\n"
        "</tbody></table></div>\n<p class=\"note\">(a) Not timed.</p>\n<p class=\"note\">Only on a page.</p>\n"
        "<div class=\"charts\">\n<figure aria-label=\"&lt;&gt;\">\n<svg>hostile of 1</svg>\n</figure>\n</div>\n"
        "<pre>&lt;/pre&gt;</pre>\n"
        "<footer><p class=\"note\">the \\u001b end</p></footer>\n</body>\n</html>\n");
    rft_str_clear(&text);
    rft_arena_free(arena);
}

/* A spreadsheet computes what begins like a formula: such a text is marked, numbers stay what they are. */
static void no_text_is_a_formula_in_csv(void **state) {
    static const char *const cells[][2] = {
        {"=1+1", "'=1+1"},
        {"+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"},
        {"-2,5", "\"'-2,5\""},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"-2.5", "-2.5"},
        {"+1e-6", "+1e-6"},
        {"-", "-"},
        {"n=4096 B=2", "n=4096 B=2"},
        {"say \"=1\"", "\"say \"\"=1\"\"\""},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        rft_str text = RFT_STR_INIT;
        rft_csv_add_text(&text, cells[i][0]);
        assert_string_equal(rft_str_get(&text), cells[i][1]);
        rft_str_clear(&text);
    }
}

/* A text of a file may be long: each line is found without a look at all that is left. */
static void long_texts_are_wrapped_soon(void **state) {
    enum { LONG = 400000 };
    rft_arena *arena = rft_arena_new();
    rft_str text = RFT_STR_INIT;
    char *why = rft_arena_alloc(arena, LONG + 1);
    clock_t begun = clock();
    (void)state;
    memset(why, 'x', LONG);
    why[LONG] = '\0';
    rft_print_text(&text, sample(arena, why), &(rft_print_opts){.full = true});
    assert_true(text.length > 3 * LONG);
    assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 3.0);
    rft_str_clear(&text);
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_has_80_columns),  cmocka_unit_test(absent_is_null_for_programs),
        cmocka_unit_test(a_page_becomes_markdown),    cmocka_unit_test(hostile_texts_stay_texts_in_markdown),
        cmocka_unit_test(a_page_becomes_html),        cmocka_unit_test(no_text_is_a_formula_in_csv),
        cmocka_unit_test(long_texts_are_wrapped_soon)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
