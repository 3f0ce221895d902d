/* SPDX-License-Identifier: Apache-2.0 */
/* A run as a recording and back; files that are no recording. */
#include "store/sample_run.h"
#include "store/store_test.h"

#include "base/fs.h"
#include "store/recording.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(const rft_run *run, size_t *size) {
    rft_str text = RFT_STR_INIT;
    rft_recording_text(run, &text);
    *size = text.length;
    return rft_str_take(&text);
}

static void a_run_comes_back_as_it_was(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.json.gz");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    assert_int_equal(rft_recording_write(run, path, &err), 0);
    assert_true(rft_fs_is_gzip(path));
    if (rft_store_load(&back, path, &err)) {
        fail_msg("%s", err.message);
    }
    assert_runs_equal(back, run, 1e-8);
    rft_run_free(back);
    rft_run_free(run);
}

/* Equal times must stay equal, or a replay chooses others: events tell milliseconds as float. */
static void samples_come_back_to_the_bit(void **state) {
    (void)state;
    static const float event_ms[] = {60.7519989e-3f, 60.7520027e-3f, 4.76799998e-3f, 2.89951992f, 23.5896492f, 1e-5f};
    const char *path = temporary_path(0, "run.json.gz");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_large(1, sizeof event_ms / sizeof *event_ms), *back = NULL;
    rft_measurement *m = &run->points[0].rounds[0];
    for (size_t i = 0; i < m->n; i++) {
        m->samples_s[i] = (double)event_ms[i] * 1e-3;
    }
    assert_int_equal(rft_recording_write(run, path, &err), 0);
    assert_int_equal(rft_recording_read(&back, path, &err), 0);
    assert_int_equal(back->points[0].rounds[0].n, m->n);
    assert_memory_equal(back->points[0].rounds[0].samples_s, m->samples_s, m->n * sizeof *m->samples_s);
    rft_run_free(back);
    rft_run_free(run);
}

static void equal_runs_give_equal_bytes(void **state) {
    (void)state;
    const char *first = temporary_path(0, "a.json.gz"), *second = temporary_path(1, "b.json.gz");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    char *a = NULL, *b = NULL;
    size_t a_size = 0, b_size = 0;
    assert_int_equal(rft_recording_write(run, first, &err), 0);
    assert_int_equal(rft_recording_read(&back, first, &err), 0);
    /* Also what was read and written again: rounding happens once. */
    assert_int_equal(rft_recording_write(back, second, &err), 0);
    assert_int_equal(rft_fs_read(&a, &a_size, first, 0, &err), 0);
    assert_int_equal(rft_fs_read(&b, &b_size, second, 0, &err), 0);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size);
    free(a);
    free(b);
    rft_run_free(back);
    rft_run_free(run);
}

static void a_recording_survives_the_store(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *stored = NULL;
    rft_store *store = NULL;
    size_t a_size = 0, b_size = 0;
    assert_int_equal(rft_store_open(&store, path, RFT_STORE_CREATE, &err), 0);
    assert_int_equal(rft_store_put_run(store, run, &err), 0);
    for (size_t i = 0; i < run->point_count; i++) {
        assert_int_equal(rft_store_put_point(store, &run->points[i], &err), 0);
    }
    rft_store_close(store);
    assert_int_equal(rft_store_load(&stored, path, &err), 0);
    char *a = text_of(run, &a_size), *b = text_of(stored, &b_size);
    assert_string_equal(a, b);
    free(a);
    free(b);
    rft_run_free(stored);
    rft_run_free(run);
}

static void it_is_t4_for_everybody_else(void **state) {
    (void)state;
    rft_run *run = sample_run_new();
    rft_err err = RFT_ERR_INIT;
    size_t size = 0;
    char *text = text_of(run, &size);
    json_t *root = NULL;
    assert_int_equal(rft_json_parse(&root, text, size, "t4", &err), 0);
    const json_t *results = json_object_get(root, "results"), *best = json_array_get(results, 1);
    assert_int_equal(json_array_size(results), run->point_count);
    assert_string_equal(json_string_value(json_object_get(best, "invalidity")), "correct");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(best, "configuration"), "n")), 4096);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(best, "configuration"), "BLOCK")), 256);
    const json_t *runtimes = json_object_get(json_object_get(best, "times"), "runtimes");
    assert_int_equal(json_array_size(runtimes), 20);
    double ms = json_number_value(json_array_get(runtimes, 0));
    assert_true(ms > 0.69 && ms < 0.71);
    const json_t *time = json_array_get(json_object_get(best, "measurements"), 0);
    assert_string_equal(json_string_value(json_object_get(time, "name")), "time");
    double median_ms = json_number_value(json_object_get(time, "value")); /* of the final round */
    assert_true(median_ms > 0.79 && median_ms < 0.81);
    const json_t *alias = json_array_get(results, 2);
    assert_int_equal(json_array_size(json_object_get(json_object_get(alias, "times"), "runtimes")), 0);
    static const char *const invalidities[] = {"correct",     "constraints", "constraints", "compile", "runtime",
                                               "correctness", "timeout",     "runtime",     "runtime"};
    for (size_t i = 0; i < sizeof invalidities / sizeof invalidities[0]; i++) {
        const json_t *result = json_array_get(results, 3 + i);
        assert_string_equal(json_string_value(json_object_get(result, "invalidity")), invalidities[i]);
    }
    json_decref(root);
    free(text);
    rft_run_free(run);
}

/* 0.2.0 writes fields that have another name since by both; either is read. */
static void former_names_are_written_and_read(void **state) {
    (void)state;
    static const char *const names[][2] = {{"round1_throttled_frac", "round1_affected_frac"},
                                           {"round1_throttled_below_mhz", "round1_steady_mhz"},
                                           {"round1_throttled_by", "round1_throttle_cause"}};
    rft_run *run = sample_run_new();
    size_t size = 0;
    char *text = text_of(run, &size);
    for (size_t keep = 0; keep < 2; keep++) {
        json_t *root = NULL;
        rft_run *back = NULL;
        rft_err err = RFT_ERR_INIT;
        assert_int_equal(rft_json_parse(&root, text, size, "R", &err), 0);
        json_t *points = json_object_get(json_object_get(root, "rooftune"), "points");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            assert_true(json_equal(json_object_get(points, names[i][0]), json_object_get(points, names[i][1])));
            assert_int_equal(json_object_del(points, names[i][1 - keep]), 0);
        }
        size_t half_size = 0;
        char *half = rft_json_dump(root, &half_size);
        assert_int_equal(rft_recording_parse(&back, half, half_size, "R", &err), 0);
        assert_runs_equal(back, run, 1e-8);
        free(half);
        json_decref(root);
        rft_run_free(back);
    }
    free(text);
    rft_run_free(run);
}

static void a_large_run_stays_small(void **state) {
    (void)state;
    const char *path = temporary_path(0, "large.json.gz");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_large(5000, 20), *back = NULL;
    char *data = NULL;
    size_t size = 0;
    assert_int_equal(rft_recording_write(run, path, &err), 0);
    assert_int_equal(rft_fs_read(&data, &size, path, 0, &err), 0);
    print_message("5000 points x 20 samples: %zu bytes\n", size);
    assert_true(size < 2000000);
    assert_int_equal(rft_recording_read(&back, path, &err), 0);
    assert_runs_equal(back, run, 1e-8);
    free(data);
    rft_run_free(back);
    rft_run_free(run);
}

static void logs_are_cut_and_made_readable(void **state) {
    (void)state;
    rft_run *run = sample_run_new(), *back = NULL;
    rft_err err = RFT_ERR_INIT;
    size_t size = 0;
    char log[5000];
    for (size_t i = 0; i + 2 < sizeof log; i += 2) {
        memcpy(log + i, "\xc3\xa4", 2); /* cut must not leave half of it */
    }
    log[sizeof log - 2] = '\0';
    run->points[4].log = log;
    run->points[5].log = "bad \xff byte, half \xe2\x82";
    run->points[5].reason = "\x01";
    char *text = text_of(run, &size);
    assert_int_equal(rft_recording_parse(&back, text, size, "logs", &err), 0);
    assert_int_equal(strlen(back->points[4].log), 2048);
    assert_string_equal(back->points[5].log, "bad \xef\xbf\xbd byte, half \xef\xbf\xbd\xef\xbf\xbd");
    assert_string_equal(back->points[5].reason, "\x01");
    free(text);
    rft_run_free(back);
    rft_run_free(run);
}

/* One written before there were busy seconds and lost workers: absent, not refused. */
static void an_older_recording_lacks_what_came_later(void **state) {
    (void)state;
    static const char *const later[] = {"workers_lost", "round0_busy_s", "round1_busy_s"};
    static const char *const sums[] = {"elapsed_s", "busy_s", "compile_s"};
    rft_run *run = sample_run_new(), *back = NULL;
    rft_err err = RFT_ERR_INIT;
    json_t *root = NULL;
    size_t size = 0;
    char *text = text_of(run, &size);
    assert_int_equal(rft_json_parse(&root, text, size, "new", &err), 0);
    free(text);
    json_t *section = json_object_get(root, "rooftune");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(json_object_del(json_object_get(section, "points"), later[i]), 0);
        assert_int_equal(json_object_del(json_object_get(section, "run"), sums[i]), 0);
    }
    assert_int_equal(json_object_del(json_object_get(section, "ceilings"), "atomics_l2"), 0);
    text = rft_json_dump(root, &size);
    json_decref(root);
    if (rft_recording_parse(&back, text, size, "old", &err)) {
        fail_msg("%s", err.message);
    }
    assert_string_equal(back->ceilings.items[RFT_CEILING_ATOMICS_L2].reason, "not recorded");
    assert_true(isnan(back->info.elapsed_s) && isnan(back->info.busy_s) && isnan(back->info.compile_s));
    assert_int_equal(back->point_count, run->point_count);
    for (size_t i = 0; i < back->point_count; i++) {
        assert_int_equal(back->points[i].workers_lost, 0);
        assert_true(isnan(back->points[i].rounds[0].busy_s) && isnan(back->points[i].rounds[1].busy_s));
    }
    assert_true(back->points[1].rounds[1].n == run->points[1].rounds[1].n);
    free(text);
    rft_run_free(back);
    rft_run_free(run);
}

static void an_empty_run_is_a_run(void **state) {
    (void)state;
    rft_run *run = sample_run_new(), *back = NULL;
    rft_err err = RFT_ERR_INIT;
    size_t size = 0;
    run->point_count = run->sweep_count = run->baseline_count = run->reference_count = 0;
    char *text = text_of(run, &size);
    if (rft_recording_parse(&back, text, size, "empty", &err)) {
        fail_msg("%s", err.message);
    }
    assert_runs_equal(back, run, 0.0);
    free(text);
    rft_run_free(back);
    rft_run_free(run);
}

/* ---- what is no recording ---- */

/* `text` with the first `from` replaced; owned by the caller. */
static char *replaced(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    if (at == NULL) {
        fail_msg("no %s in the recording", from);
    }
    rft_str out = RFT_STR_INIT;
    rft_str_add_n(&out, text, (size_t)(at - text));
    rft_str_add(&out, to);
    rft_str_add(&out, at + strlen(from));
    return rft_str_take(&out);
}

static void the_place_of_a_mistake_is_named(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *said;
        int code;
    } mistakes[] = {
        {"\"rooftune\":", "\"other\":", "R: results[", RFT_E_RECORDING}, /* read as plain T4 */
        {"\"schema\":1", "\"schema\":99", "newer schema 99 (written by rooftune 0.1.0)", RFT_E_SCHEMA},
        {"\"schema\":1", "\"schema\":0", "older schema 0", RFT_E_SCHEMA},
        {"\"schema\":1", "\"schema\":\"1\"", "rooftune.schema", RFT_E_RECORDING},
        {"\"seed\":", "\"seed\":\"x\",\"sed\":", "rooftune.run.seed: expected a whole number", RFT_E_RECORDING},
        {"\"sms\":", "\"sms\":1e99,\"s\":", "rooftune.gpu.sms: expected a whole number", RFT_E_RECORDING},
        {"\"env\":[", "\"env\":[7,", "rooftune.env[0]: expected [key", RFT_E_RECORDING},
        {"\"dram_copy\":{\"measured\":true", "\"dram_copy\":{\"measured\":2",
         "rooftune.ceilings.dram_copy.measured: expected true or false", RFT_E_RECORDING},
        {"\"sweeps\":[", "\"sweeps\":[3,", "rooftune.sweeps[0]: expected an object", RFT_E_RECORDING},
        {"\"axes\":[{", "\"axes\":[{\"values\":1},{", "rooftune.sweeps[0].axes[0]", RFT_E_RECORDING},
        {"\"values\":[1027,0.1]", "\"values\":[1027]", "problems[0].values: expected a value for every axis",
         RFT_E_RECORDING},
        {"\"params\":[{", "\"params\":[[],{", "variants[0].params[0]: expected an object", RFT_E_RECORDING},
        {"\"params\":[0,1]", "\"params\":[0,-1]", "constraints[0].params: expected indices", RFT_E_RECORDING},
        {"\"valid\":[0,", "\"valid\":[", "rooftune.sweeps[0].valid: expected a number for every", RFT_E_RECORDING},
        {"\"id\":[1,2", "\"id\":[2,2", "rooftune.points.id[1]: expected ascending ids", RFT_E_RECORDING},
        {"\"id\":[1,2", "\"id\":[1", "rooftune.points.id: expected a list with an entry", RFT_E_RECORDING},
        {"\"sweep\":[0,", "\"sweep\":[2,", "rooftune.points.sweep[0]: expected the index", RFT_E_RECORDING},
        {"\"variant\":[1,", "\"variant\":[9223372036854775807,", "rooftune.points.variant[0]", RFT_E_RECORDING},
        {"\"problem\":[0,", "\"problem\":[-1,", "rooftune.points.problem[0]", RFT_E_RECORDING},
        {"\"outcome\":[\"ok\"", "\"outcome\":[\"good\"", "rooftune.points.outcome[0]: expected an outcome",
         RFT_E_RECORDING},
        {"\"alias_of\":[0,0,2", "\"alias_of\":[0,0,9999", "alias_of of point 3", RFT_E_RECORDING},
        {"\"registers\":[32,", "\"registers\":[{},", "rooftune.points.registers[0]", RFT_E_RECORDING},
        {"\"round1_cache\":[null,\"rotating\"", "\"round1_cache\":[null,\"warm\"",
         "expected \"cold\", \"hot\" or \"rotating\"", RFT_E_RECORDING},
        {"\"round1_sample_ms\":[null,[", "\"round1_sample_ms\":[null,[null,", "rooftune.points.round1_sample_ms[1]",
         RFT_E_RECORDING},
        {"\"round1_sample_mhz\":[null,[", "\"round1_sample_mhz\":[null,[1980,",
         "sample_mhz[1]: expected a clock for each", RFT_E_RECORDING},
        {"\"round1_sample_mhz\":[null,[1965.25", "\"round1_sample_mhz\":[null,[[]",
         "sample_mhz[1][0]: expected a number", RFT_E_RECORDING},
        {"\"runtimes\":[0.", "\"runtimes\":[[],0.", "results[1].times.runtimes", RFT_E_RECORDING},
        {"\"configuration\":{", "\"configuration\":{\"VEC\":{},\"B\":{", "is not JSON", RFT_E_RECORDING},
        {"\"results\":[", "\"results\":[], \"more\":[", "rooftune.points.id: expected a list", RFT_E_RECORDING},
        {"\"results\":[", "\"results\":[{},", "rooftune.points.", RFT_E_RECORDING},
        /* Numbers to divide by, multiply or count to. */
        {"\"sms\":", "\"sms\":-1,\"s\":", "rooftune.gpu.sms: expected a number from 0 to 65536, found -1",
         RFT_E_RECORDING},
        {"\"warp_size\":32", "\"warp_size\":2000000000", "gpu.warp_size: expected a number from 0 to 1024, found",
         RFT_E_RECORDING},
        {"\"datasheet\":4", "\"datasheet\":0,\"d\":4", "dram_copy.datasheet: expected a number from", RFT_E_RECORDING},
        {"\"refine_depth\":2", "\"refine_depth\":64", "axes[0].refine_depth: expected a number from 0 to 20, found 64",
         RFT_E_RECORDING},
        {"\"grid_z\":[1", "\"grid_z\":[9007199254740992", "rooftune.points.grid_z[0]: expected a number from 0 to",
         RFT_E_RECORDING},
        {"\"block_x\":[256", "\"block_x\":[-256", "rooftune.points.block_x[0]: expected a number from 0 to",
         RFT_E_RECORDING},
        {"\"waves\":[62.06", "\"waves\":[1e308", "rooftune.points.waves[0]: expected a number from 0 to",
         RFT_E_RECORDING},
        {"\"waves\":[62.06", "\"waves\":[\"inf\"",
         "rooftune.points.waves[0]: expected a number from 0 to 1e+18, found inf", RFT_E_RECORDING},
        {"\"work_bytes_read\":[33554432.5", "\"work_bytes_read\":[-1", "rooftune.points.work_bytes_read[0]",
         RFT_E_RECORDING},
        {"\"finished_unix_ns\":1", "\"finished_unix_ns\":-1", "run.finished_unix_ns: expected a number from 0",
         RFT_E_RECORDING},
        {"\"runtimes\":[0.", "\"runtimes\":[-0.",
         "R: points[1].rounds[0].samples: expected a number from 1e-12 to "
         "1000000000, found -0.0007",
         RFT_E_RECORDING},
        {"\"runtimes\":[0.700431466", "\"runtimes\":[0",
         "samples: expected a number from 1e-12 to 1000000000, found 0 at [0]", RFT_E_RECORDING},
        {"\"runtimes\":[0.", "\"runtimes\":[1e300,0.", "points[1].rounds[0]", RFT_E_RECORDING},
        /* Names. */
        {"\"name\":\"gemv_fp16\"", "\"name\":\"a\\nb\"",
         "R: sweeps[0].name: expected one line without control characters, "
         "found one of code 10",
         RFT_E_RECORDING}};
    rft_run *run = sample_run_new();
    size_t size = 0;
    char *text = text_of(run, &size);
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        rft_err err = RFT_ERR_INIT;
        rft_run *back = NULL;
        char *wrong = replaced(text, mistakes[i].from, mistakes[i].to);
        int code = rft_recording_parse(&back, wrong, strlen(wrong), "R", &err);
        if (code != mistakes[i].code || strstr(err.message, mistakes[i].said) == NULL) {
            fail_msg("%s: %d, \"%s\"", mistakes[i].to, code, err.message);
        }
        assert_null(back);
        free(wrong);
    }
    free(text);
    rft_run_free(run);
}

static int read_code(const char *path, rft_err *err) {
    rft_run *back = NULL;
    int code = rft_store_load(&back, path, err);
    assert_int_equal(code != 0, back == NULL);
    rft_run_free(back);
    return code;
}

static void broken_files_are_told_apart(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.json.gz"), *plain = temporary_path(1, "run.json");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new();
    char *data = NULL;
    size_t size = 0;
    assert_int_equal(read_code("/nowhere/run.json.gz", &err), RFT_E_IO);
    assert_int_equal(rft_recording_write(run, path, &err), 0);
    assert_int_equal(rft_fs_read(&data, &size, path, 0, &err), 0);
    assert_int_equal(rft_fs_write_atomic(path, data, size / 2, &err), 0);
    assert_int_equal(read_code(path, &err), RFT_E_RECORDING);
    assert_non_null(strstr(err.message, "truncated"));
    assert_int_equal(rft_fs_write_atomic(path, "{}", 2, &err), 0);
    assert_int_equal(read_code(path, &err), RFT_E_RECORDING);
    assert_non_null(strstr(err.message, "not a gzip file"));
    assert_int_equal(rft_fs_write_gzip(path, "nonsense", 8, &err), 0);
    assert_int_equal(read_code(path, &err), RFT_E_RECORDING);
    assert_non_null(strstr(err.message, "not JSON"));
    assert_int_equal(rft_fs_write_gzip(path, "[1, 2]", 6, &err), 0);
    assert_int_equal(read_code(path, &err), RFT_E_RECORDING);
    assert_non_null(strstr(err.message, "no rooftune section"));
    assert_true(err.remedy[0] != '\0');
    assert_int_equal(rft_recording_write(run, plain, &err), 0); /* uncompressed: for eyes */
    assert_false(rft_fs_is_gzip(plain));
    assert_int_equal(read_code(plain, &err), 0);
    assert_int_equal(rft_recording_write(run, "/nowhere/run.json.gz", &err), RFT_E_IO);
    free(data);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_comes_back_as_it_was),
                                       cmocka_unit_test(samples_come_back_to_the_bit),
                                       cmocka_unit_test(equal_runs_give_equal_bytes),
                                       cmocka_unit_test(a_recording_survives_the_store),
                                       cmocka_unit_test(it_is_t4_for_everybody_else),
                                       cmocka_unit_test(former_names_are_written_and_read),
                                       cmocka_unit_test(a_large_run_stays_small),
                                       cmocka_unit_test(logs_are_cut_and_made_readable),
                                       cmocka_unit_test(an_older_recording_lacks_what_came_later),
                                       cmocka_unit_test(an_empty_run_is_a_run),
                                       cmocka_unit_test(the_place_of_a_mistake_is_named),
                                       cmocka_unit_test(broken_files_are_told_apart)};
    return cmocka_run_group_tests(tests, NULL, remove_temporary_paths);
}
