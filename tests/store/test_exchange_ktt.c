/* SPDX-License-Identifier: Apache-2.0 */
/* Results of KTT as a run: invented.ktt.json (made-up numbers, six configurations), and files that are wrong. */
#include "store/store_test.h"

#include "base/fs.h"
#include "base/json.h"
#include "model/roofline/bound.h"
#include "model/roofline/counted.h"
#include "store/recording.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIXTURE RFT_SOURCE_DIR "/tests/store/invented.ktt.json"

static rft_run *load(void) {
    rft_run *run = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_store_load(&run, FIXTURE, &err)) {
        fail_msg("%s", err.message);
    }
    return run;
}

static void a_kernel_becomes_a_sweep(void **state) {
    (void)state;
    rft_run *run = load();
    rft_arena *arena = rft_arena_new();
    assert_string_equal(run->gpu.name, "Invented GPU (made-up numbers, nothing was measured)");
    assert_string_equal(run->info.tool_version, "reading KTT 2.1.0");
    assert_true(run->info.started_unix_ns == INT64_C(1709208000) * 1000000000); /* 2024-02-29 12:00 UTC */
    assert_int_equal(run->sweep_count, 1);
    const rft_sweep *sweep = &run->sweeps[0].sweep;
    assert_string_equal(sweep->name, "Invented");
    assert_string_equal(sweep->variants[0].entry, "invented");
    assert_int_equal(sweep->variants[0].param_count, 3);
    assert_int_equal(sweep->variants[0].params[0].value_count, 3); /* 64, 128, 256, in order */
    assert_int_equal(sweep->variants[0].params[0].values[2].as.integer, 256);
    assert_int_equal(sweep->variants[0].params[2].values[0].kind, RFT_VALUE_REAL);
    assert_int_equal(run->sweeps[0].cartesian[0], 6);
    assert_int_equal(run->sweeps[0].valid[0], 6);
    assert_null(run->sweeps[0].unexplored); /* every combination is there */
    const rft_point *best = rft_run_best(run, 0, SIZE_MAX, 0);
    assert_int_equal(best->id, 2);
    assert_float_equal(rft_point_median_s(best), 80e-6, 1e-15);
    assert_string_equal(rft_run_config_text(run, best, true, arena), "BLOCK=64 TILE=2");
    assert_int_equal(best->facts.registers, 32);
    assert_int_equal(best->facts.shared_static_bytes, 2048);
    assert_int_equal(best->facts.spill_bytes, -1); /* not stored by KTT, not 0 */
    assert_true(best->has_launch && best->grid[0] == 2048 && best->block[1] == 2);
    assert_false(best->verification.done);
    assert_int_equal(run->points[4].outcome, RFT_OUTCOME_LAUNCH_FAILED);
    assert_string_equal(run->points[4].reason, "KTT says ComputationFailed");
    assert_int_equal(run->points[5].outcome, RFT_OUTCOME_WRONG_RESULT);
    assert_true(isnan(rft_point_median_s(&run->points[5])));
    rft_arena_free(arena);
    rft_run_free(run);
}

static void counters_are_counted_traffic(void **state) {
    (void)state;
    rft_run *run = load();
    const rft_point *point = &run->points[3];
    rft_traffic counted = rft_counted_traffic(point);
    assert_float_equal(counted.level_bytes[RFT_LEVEL_DRAM], 32 * 5.5e6, 1);
    assert_float_equal(counted.dram_read_frac, 3.0 / 5.5, 1e-12);
    assert_float_equal(counted.level_bytes[RFT_LEVEL_L2], 32 * 7e6, 1);
    assert_float_equal(counted.level_bytes[RFT_LEVEL_SHARED], 128 * 3.5e6, 1);
    assert_true(isnan(counted.level_bytes[RFT_LEVEL_L1]));
    assert_float_equal(counted.warp_instructions, 2.5e6, 1e-3);
    /* The sum over FADD, FMUL and FFMA is no count of any of them, but it is the slots of the pipe. */
    assert_true(isnan(point->counters->values[RFT_COUNTER_FFMA]));
    assert_true(isnan(counted.pipe_ops[RFT_PIPE_FP32]));
    assert_true(point->traffic.present && point->traffic.evidence == RFT_EVIDENCE_COUNTED);
    assert_float_equal(point->traffic.pipe_ops[RFT_PIPE_FP32], 6.4e8, 1);
    assert_int_equal(point->counters->raw_count, 10);
    assert_string_equal(point->counters->raw[9].name, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed");
    assert_float_equal(point->counters->raw[9].value, 40.0, 0);
    assert_ptr_equal(point->counters->raw[9].name, run->points[0].counters->raw[9].name); /* shared, not copied */
    assert_null(run->points[4].counters);
    /* No ceiling is made up. */
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_UNKNOWN);
    rft_run_free(run);
}

static void it_survives_store_and_recording(void **state) {
    (void)state;
    rft_run *run = load(), *back = NULL;
    rft_str first = RFT_STR_INIT, second = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    rft_recording_text(run, &first);
    if (rft_recording_parse(&back, rft_str_get(&first), first.length, "again", &err)) {
        fail_msg("%s", err.message);
    }
    rft_recording_text(back, &second);
    assert_string_equal(rft_str_get(&first), rft_str_get(&second));
    assert_float_equal(back->points[3].traffic.pipe_ops[RFT_PIPE_FP32], 6.4e8, 1);
    assert_int_equal(back->points[3].traffic.evidence, RFT_EVIDENCE_COUNTED);
    rft_str_clear(&first);
    rft_str_clear(&second);
    rft_run_free(back);
    rft_run_free(run);
}

/* The fixture with one text in place of another. */
static void refused(const char *from, const char *to, const char *message) {
    char *text = NULL;
    size_t size = 0;
    rft_err err = RFT_ERR_INIT;
    rft_run *run = NULL;
    assert_int_equal(rft_fs_read(&text, &size, FIXTURE, 0, &err), 0);
    const char *at = strstr(text, from);
    assert_non_null(at);
    rft_str wrong = RFT_STR_INIT;
    rft_str_addf(&wrong, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    int code = rft_recording_parse(&run, rft_str_get(&wrong), wrong.length, "F", &err);
    if (code != RFT_E_RECORDING || strstr(err.message, message) == NULL) {
        fail_msg("%s -> %s: %d, %s", from, to, code, err.message);
    }
    assert_null(run);
    assert_true(err.remedy[0] != '\0');
    rft_str_clear(&wrong);
    free(text);
}

static void what_is_wrong_is_named(void **state) {
    (void)state;
    refused("\"Microseconds\"", "\"Fortnights\"", "F: Metadata.TimeUnit: expected Nanoseconds, Microseconds");
    refused("\"TimeUnit\"", "\"Time\"", "F: Metadata.TimeUnit: expected a text");
    refused("\"2.1.0\"", "2.1", "F: Metadata.KttVersion: expected a text");
    refused("\"Results\"", "\"Result\"", "F: Results: expected a list");
    refused("\"Ok\"", "\"Fine\"", "F: Results[0].Status: expected Ok, ");
    refused("\"TotalDuration\": 80.0", "\"TotalDuration\": \"80\"", "F: Results[1].TotalDuration: expected a positive");
    refused("\"TotalDuration\": 80.0", "\"TotalDuration\": -80.0", "F: Results[1].TotalDuration: expected a positive");
    refused("\"Value\": 64", "\"Value\": \"64\"",
            "F: Results[0].Configuration[0].Value: expected a value of its ValueT");
    refused("\"Value\": 64", "\"Value\": -64", "F: Results[0].Configuration[0].Value: expected a value of its ValueT");
    refused("\"Value\": 64", "\"Value\": [[[64]]]", "F: Results[0].Configuration[0].Value");
    refused("\"Name\": \"TILE\"", "\"Name\": \"BLOCK\"", "F: Results[0].Configuration[1].Name: expected every param");
    refused("\"BLOCK\",\n     \"Value\": 128", "\"B\",\n     \"Value\": 128",
            "F: Results[2].Configuration[0].Name: expected the same parameters");
    refused("\"Value\": 1000000.0", "\"Value\": null",
            "F: Results[0].ComputationResults[0].ProfilingData.Counters.Value: expected a number");
    refused("\"Name\": \"dram__sectors_write.sum\"", "\"Name\": \"dram__sectors_read.sum\"",
            "ProfilingData.Counters.Name: expected every counter once");
    refused("\"RegistersCount\": 32", "\"RegistersCount\": -1", "F: Results[0].ComputationResults[0].CompilationData");
    refused("\"Counters\": [", "\"Counters\": 1, \"Others\": [", "ProfilingData.Counters: expected a list");
}

static void a_truncated_file_is_refused(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    rft_err err = RFT_ERR_INIT;
    rft_run *run = NULL;
    assert_int_equal(rft_fs_read(&text, &size, FIXTURE, 0, &err), 0);
    for (size_t kept = 0; kept + 2 < size; kept += 97) {
        assert_int_equal(rft_recording_parse(&run, text, kept, "cut", &err), RFT_E_RECORDING);
        assert_null(run);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_becomes_a_sweep),        cmocka_unit_test(counters_are_counted_traffic),
        cmocka_unit_test(it_survives_store_and_recording), cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(a_truncated_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
