/* SPDX-License-Identifier: Apache-2.0 */
/* A point of several launches as `rooftune show` has it: each launch with its time and bound, as text and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/show_point.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"
#include "support/sample.h"

#include <string.h>

static void as_text(void **state) {
    rft_run *run = sample_findings();
    rft_str out = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    (void)state;
    assert_int_equal(rft_show_point(&out, run, sample_best(run, 2)->id, &err), RFT_OK);
    const char *text = rft_str_get(&out);
    assert_non_null(strstr(text, "launches     1. memset \"part\": 100.0 us, 0 %; "));
    assert_non_null(strstr(text, "\n             2. scan<256, true>: 24.23 ms, 100 %; "));
    assert_non_null(strstr(text, "timed alone behind the ones before it"));
    rft_str_clear(&out);
    rft_run_free(run);
}

static void as_json(void **state) {
    rft_run *run = sample_findings();
    (void)state;
    rft_point *point = sample_best(run, 2);
    json_t *list = rft_print_json(rft_finding_steps(run, point, run->arena));
    assert_int_equal(json_array_size(list), 2);
    const json_t *second = json_array_get(list, 1);
    assert_string_equal(json_string_value(json_object_get(second, "name")), "scan<256, true>");
    assert_true(json_real_value(json_object_get(second, "seconds")) == point->rounds[1].step_s[1]);
    assert_non_null(json_string_value(json_object_get(second, "bound")));
    json_decref(list);
    /* a launch that says nothing of itself */
    point->steps[1].traffic.present = false;
    list = rft_print_json(rft_finding_steps(run, point, run->arena));
    second = json_array_get(list, 1);
    assert_string_equal(json_string_value(json_object_get(second, "bound")), "unknown");
    assert_true(json_is_null(json_object_get(second, "bound_frac")));
    assert_string_equal(json_string_value(json_object_get(second, "reason")), "the launch declares no work of its own");
    json_decref(list);
    list = rft_print_json(rft_finding_steps(run, &run->points[0], run->arena));
    assert_true(json_is_null(list));
    json_decref(list);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_text), cmocka_unit_test(as_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
