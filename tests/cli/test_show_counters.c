/* SPDX-License-Identifier: Apache-2.0 */
/* Counters as a user sees them: `show`, `show --point`, JSON. */
#include "store/store_test.h"
#include "support/sample.h"

#include "base/json.h"
#include "cli/show_data.h"
#include "cli/show_point.h"
#include "cli/show_text.h"
#include "reports/findings/findings.h"
#include "reports/print/print.h"

#include <math.h>
#include <string.h>

static void has(const rft_str *text, const char *part) {
    if (!strstr(rft_str_get(text), part)) {
        fail_msg("not there: %s\n%s", part, rft_str_get(text));
    }
}

static void a_point_shows_what_was_counted_and_why_not(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_str text = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    rft_point *best = sample_best(run, 1);
    best->work.bytes_read = 1e9;
    assert_int_equal(rft_show_point(&text, run, best->id, &err), RFT_OK);
    has(&text, "counted in 14 runs of its own, with the cache cold");
    has(&text, "device memory, read");
    has(&text, "537.4 MB");
    has(&text, "bank conflicts");
    has(&text, "0 wavefronts");
    has(&text, "lts__t_sectors.sum");
    has(&text, "142857142.85714287");
    has(&text, "the chip has \"none\"");
    has(&text, "warps_active_frac: above 1");
    has(&text, "disagrees: dram reads: counted 537.4 MB, declared 1.000 GB (46.3 % less)");
    assert_null(strstr(rft_str_get(&text), RFT_COUNTER_NOT_ASKED));
    rft_str_truncate(&text, 0);
    assert_int_equal(rft_show_point(&text, run, 4711, &err), RFT_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "no point 4711"));
    assert_true(err.remedy[0] != '\0');
    rft_str_clear(&text);
    rft_run_free(run);
}

static void a_sweep_shows_the_counters_of_its_best(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_str text = RFT_STR_INIT;
    rft_show_run(&text, run, &(rft_show_opts){.ascii = true, .full = true});
    has(&text, "Hardware counters of the best (runs of their own)");
    const char *row = strstr(rft_str_get(&text), " 537.4 MB ");
    assert_non_null(row);
    while (row[-1] != '\n') {
        row--;
    }
    assert_true(rft_text_starts(row, "    n=16384 "));
    rft_str_truncate(&text, 0);
    const rft_counter_set set = rft_counter_set_default();
    const rft_counters refused = rft_counters_refused(&set, "no permission (ERR_NVGPUCTRPERM)", run->arena);
    sample_best(run, 1)->counters = &refused;
    rft_show_run(&text, run, &(rft_show_opts){.ascii = true, .full = true});
    has(&text, "no permission (ERR_NVGPUCTRPERM)");
    assert_null(strstr(rft_str_get(&text), "537.4 MB"));
    rft_str_clear(&text);
    rft_run_free(run);
}

/* Of every problem's best what it read, as a share of what it declares. */
static void a_sweep_tells_the_two_largest_disagreements(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_arena *arena = rft_arena_new();
    rft_str text = RFT_STR_INIT;
    rft_point *best = sample_best(run, 1);
    rft_counters counters = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    best->counters = &counters;
    best->work.bytes_read = 1e9;
    counters.passes = 3;
    counters.values[RFT_COUNTER_DRAM_READ] = 1.2e9;
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        best->work.pipe_ops[i] = 0;
    }
    best->work.pipe_ops[RFT_PIPE_FP32] = best->work.pipe_ops[RFT_PIPE_FP64] = 2e9;
    counters.values[RFT_COUNTER_FADD] = counters.values[RFT_COUNTER_FMUL] = 0;
    counters.values[RFT_COUNTER_FFMA] = 1.3e9;
    counters.values[RFT_COUNTER_DADD] = counters.values[RFT_COUNTER_DMUL] = 0;
    counters.values[RFT_COUNTER_DFMA] = 1.1e9;
    rft_print_text(&text, rft_finding_counted(run, best->sweep, false, arena), &(rft_print_opts){.indent = 4});
    has(&text, "Where counted and declared work are more than 5 % apart");
    has(&text, "(30.0 %");
    has(&text, "(20.0 %");
    assert_true(strstr(rft_str_get(&text), "(30.0 %") < strstr(rft_str_get(&text), "(20.0 %"));
    assert_null(strstr(rft_str_get(&text), "(10.0 %"));
    has(&text, "    1 more such place; all of them with --full.\n");
    json_t *object = rft_print_json(rft_finding_counters(run, best, arena));
    assert_int_equal(json_array_size(json_object_get(object, "disagreements")), 3);
    json_decref(object);
    rft_str_clear(&text);
    rft_arena_free(arena);
    rft_run_free(run);
}

static void json_has_values_reasons_and_disagreements(void **state) {
    (void)state;
    rft_run *run = sample_findings();
    rft_arena *arena = rft_arena_new();
    rft_point *best = sample_best(run, 1);
    best->work.bytes_read = 1e9;
    json_t *object = rft_print_json(rft_finding_counters(run, best, arena));
    const json_t *values = json_object_get(object, "values"), *reasons = json_object_get(object, "reasons");
    assert_int_equal(json_integer_value(json_object_get(object, "passes")), 14);
    assert_true(json_number_value(json_object_get(values, "dram_read_bytes")) == 537440583.68);
    assert_true(json_is_null(json_object_get(values, "warps_active_frac")));
    assert_string_equal(json_string_value(json_object_get(reasons, "warps_active_frac")), "above 1");
    const json_t *apart = json_array_get(json_object_get(object, "disagreements"), 0);
    assert_string_equal(json_string_value(json_object_get(apart, "what")), "dram reads");
    assert_true(json_number_value(json_object_get(apart, "declared")) == 1e9);
    json_decref(object);
    const rft_point *small = sample_best_on(run, 1, sample_timed(run, 1, 0));
    object = rft_print_json(rft_finding_counters(run, small, arena));
    assert_null(json_object_get(json_object_get(object, "values"), "tensor_bf16_ops")); /* not asked for */
    json_decref(object);
    best->counters = NULL;
    object = rft_print_json(rft_finding_counters(run, best, arena));
    assert_true(json_is_null(object));
    json_decref(object);
    rft_arena_free(arena);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_shows_what_was_counted_and_why_not),
        cmocka_unit_test(a_sweep_shows_the_counters_of_its_best),
        cmocka_unit_test(a_sweep_tells_the_two_largest_disagreements),
        cmocka_unit_test(json_has_values_reasons_and_disagreements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
