/* SPDX-License-Identifier: Apache-2.0 */
/* Links between cards: the table of a terminal and of JSON, and what a card's page says of its own. */
#include "report/trace_pages.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"
#include "support/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static rft_stats rate_of(double rate) {
    const double rates[] = {rate, rate, rate};
    return rft_stats_of(rates, 3);
}

/* Devices 0 and 2, which reach each other. */
static rft_links two_cards(rft_link items[2]) {
    rft_links links = {.card_count = 2, .ordinals = {0, 2}, .items = items, .count = 2};
    for (size_t i = 0; i < 2; i++) {
        items[i] = (rft_link){i, 1 - i, i == 0, rate_of(i ? 40e9 : 390e9), rate_of(700e9)};
        links.h2d[i] = rate_of(50e9);
        links.d2h[i] = rate_of(45e9);
    }
    return links;
}

static void assert_has(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("\"%s\" is not in:\n%s", part, text);
    }
}

static void every_pair_has_a_line(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_link items[2];
    const rft_links links = two_cards(items);
    rft_str out = RFT_STR_INIT;
    rft_print_text(&out, rft_finding_links(&links, arena), &(rft_print_opts){.full = true});
    assert_has(rft_str_get(&out), "peer to peer");
    assert_has(rft_str_get(&out), "through the host");
    assert_has(rft_str_get(&out), "390   GB/s");
    assert_has(rft_str_get(&out), "All 2 cards at once: 100 GB/s from the host, 90.0 GB/s to it.");
    rft_str_clear(&out);
    json_t *json = rft_print_json(rft_finding_links(&links, arena));
    const json_t *rows = json_object_get(json, "links");
    assert_int_equal(json_array_size(rows), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(rows, 1), "from")), 2);
    assert_true(json_number_value(json_object_get(json_array_get(rows, 0), "one_way")) == 390e9);
    assert_true(json_number_value(json_object_get(json, "h2d_all")) == 100e9);
    json_decref(json);
    rft_arena_free(arena);
}

static void a_card_says_what_it_copies_among_others(void **state) {
    (void)state;
    rft_run *run = sample_full();
    trace_pages alone = trace_of(run, NULL);
    assert_true(trace_says(&alone, "links between cards"));
    rft_link items[2];
    const rft_links links = two_cards(items);
    rft_links_put(&links, 0, 1, run->arena, &run->ceilings);
    trace_pages beside = trace_of(run, NULL);
    assert_false(trace_says(&beside, "links between cards"));
    assert_true(trace_says(&beside, "copy to another card"));
    trace_clear(&alone);
    trace_clear(&beside);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_has_a_line),
        cmocka_unit_test(a_card_says_what_it_copies_among_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
