/* SPDX-License-Identifier: Apache-2.0 */
/* Advice as a user sees it: `show` of a sweep, and the JSON. */
#include "store/store_test.h"
#include "support/sample.h"

#include "base/json.h"
#include "cli/show_text.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"

#include <math.h>
#include <string.h>

/* A point that reads as fast as it likes is given a roof: a quarter of its time at the read ceiling. It alone is
 * counted, so no other point tells of what its counters suggest. */
static rft_point *a_slow_reader(rft_run *run, rft_counters *counters) {
    rft_point *best = sample_best(run, 0);
    rft_ceiling *read = &run->ceilings.items[RFT_CEILING_DRAM_READ];
    double rate = 4e12;
    read->measured = true;
    read->at_least = false;
    read->stats = rft_stats_of(&rate, 1);
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        best->work.pipe_ops[i] = 0.0;
    }
    best->work.bytes_written = 0.0;
    best->work.bytes_read = 0.25 * rate * rft_point_median_s(best);
    for (size_t i = 0; i < run->point_count; i++) {
        run->points[i].counters = NULL;
        run->points[i].traffic = rft_traffic_unknown();
    }
    *counters = rft_counters_unknown("not asked for");
    counters->passes = 1;
    counters->values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 4.0;
    counters->values[RFT_COUNTER_L2_READ] = best->work.bytes_read;
    counters->values[RFT_COUNTER_L2_WRITE] = 0.0;
    best->counters = counters;
    return best;
}

static const rft_print_opts indented = {.indent = 4};

static void has(const rft_str *text, const char *part) {
    if (!strstr(rft_str_get(text), part)) {
        fail_msg("not there: %s\n%s", part, rft_str_get(text));
    }
}

static void a_sweep_shows_three_at_most(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_counters counters;
    rft_str text = RFT_STR_INIT;
    const rft_point *best = a_slow_reader(run, &counters);
    rft_print_text(&text, rft_finding_advice(run, best, run->arena), &indented);
    has(&text, "  advice for ");
    has(&text, "    fix coalescing: loads use 4.0 B of the 32 B of a sector;");
    has(&text, "75 %");
    has(&text, "Not evaluated, for want");
    has(&text, "(sectors_per_load)");
    size_t lines = 0;
    for (const char *at = rft_str_get(&text); (at = strstr(at, "at most ")) != NULL; at++) {
        lines++;
    }
    assert_true(lines >= 1 && lines <= 3);
    rft_str_truncate(&text, 0);
    rft_show_run(&text, run, &(rft_show_opts){.ascii = true});
    has(&text, "fix coalescing: loads use 4.0 B");
    rft_str_clear(&text);
    rft_run_free(run);
}

static void at_the_ceiling_it_says_so(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_counters counters;
    rft_str text = RFT_STR_INIT;
    rft_point *best = a_slow_reader(run, &counters);
    best->work.bytes_read *= 3.92;
    rft_print_text(&text, rft_finding_advice(run, best, run->arena), &indented);
    has(&text, "    at 98 % of its ceiling, device memory, read:");
    assert_null(strstr(rft_str_get(&text), "fix coalescing"));
    assert_null(strstr(rft_str_get(&text), "Not evaluated"));
    rft_str_clear(&text);
    rft_run_free(run);
}

static void json_has_numbers_bounds_and_what_is_missing(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_counters counters;
    json_t *object = rft_print_json(rft_finding_advice(run, a_slow_reader(run, &counters), run->arena));
    const json_t *first = json_array_get(json_object_get(object, "same_work"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "rule")), "coalesce");
    assert_true(fabs(json_number_value(json_object_get(first, "gain_frac")) - 0.75) < 1e-6);
    assert_string_equal(json_string_value(json_object_get(first, "evidence")), "counted");
    const json_t *number = json_array_get(json_object_get(first, "numbers"), 0);
    assert_string_equal(json_string_value(json_object_get(number, "name")), "load_bytes_per_sector");
    assert_true(json_number_value(json_object_get(number, "value")) == 4.0);
    assert_true(json_number_value(json_object_get(number, "threshold")) == 28.0);
    assert_true(json_is_null(json_object_get(object, "nothing")));
    const json_t *missing = json_array_get(json_object_get(object, "not_evaluated"), 0);
    assert_string_equal(json_string_value(json_object_get(missing, "reason")), "not asked for");
    json_decref(object);
    rft_run_free(run);
}

/* All other points of the problem use whole sectors, and none is faster. */
static void what_points_tried_in_vain_is_told_as_that(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_counters counters, fine;
    rft_point *best = a_slow_reader(run, &counters);
    fine = counters;
    fine.values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 32.0;
    size_t others = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        rft_point *point = &run->points[i];
        if (point != best && point->sweep == best->sweep && point->problem == best->problem &&
            rft_run_is_candidate(run, point)) {
            point->counters = &fine;
            others++;
        }
    }
    assert_true(others >= 3);
    rft_str text = RFT_STR_INIT;
    const rft_finding *finding = rft_finding_advice(run, best, run->arena);
    rft_print_text(&text, finding, &indented);
    assert_null(strstr(rft_str_get(&text), "fix coalescing"));
    has(&text, "    useful bytes a sector loaded: tried, 16 points, 15 of them with more: best");
    json_t *object = rft_print_json(finding);
    const json_t *tried = json_array_get(json_object_get(object, "tried"), 0);
    assert_string_equal(json_string_value(json_object_get(tried, "quantity")), "useful bytes a sector loaded");
    assert_string_equal(json_string_value(json_object_get(tried, "direction")), "more");
    assert_int_equal(json_integer_value(json_object_get(tried, "there")), others);
    assert_true(json_is_true(json_object_get(tried, "in_vain")));
    assert_int_equal(json_array_size(json_object_get(tried, "bins")), 2);
    json_decref(object);
    rft_str_clear(&text);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_shows_three_at_most),
        cmocka_unit_test(what_points_tried_in_vain_is_told_as_that),
        cmocka_unit_test(at_the_ceiling_it_says_so),
        cmocka_unit_test(json_has_numbers_bounds_and_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
