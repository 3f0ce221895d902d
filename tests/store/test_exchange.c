/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other tuners: what becomes of them, that what is written reads back the same, and what is said of files that
 * are cut off or lie. The fixtures' numbers are invented. */
#include "store/store_test.h"

#include "base/fs.h"
#include "model/run/run_foreign.h"
#include "store/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIXTURES RFT_SOURCE_DIR "/tests/store/exchange/"

static rft_run *load(const char *path) {
    rft_run *run = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_store_load(&run, path, &err) != RFT_OK) {
        fail_msg("%s: %s: %s", path, err.place, err.message);
    }
    return run;
}

static const rft_variant *space(const rft_run *run) {
    return &run->sweeps[0].sweep.variants[0];
}

/* "32 64 128" */
static void expect_values(const rft_run *run, size_t param, const char *expected) {
    rft_str text = RFT_STR_INIT;
    const rft_param *p = &space(run)->params[param];
    for (size_t i = 0; i < p->value_count; i++) {
        rft_str_add(&text, i ? " " : "");
        rft_value_format(&text, &p->values[i]);
    }
    assert_string_equal(rft_str_get(&text), expected);
    rft_str_clear(&text);
}

static void expect_near(double got, double expected) {
    if (!(fabs(got - expected) <= 1e-12 * fabs(expected))) {
        fail_msg("%.17g is not %.17g", got, expected);
    }
}

static void expect_same_rate(double got, double expected) {
    assert_true(isnan(got) == isnan(expected));
    if (!isnan(expected)) {
        expect_near(got, expected);
    }
}

static void expect_outcome(const rft_run *run, size_t index, rft_outcome outcome, const char *reason) {
    assert_string_equal(rft_outcome_name(run->points[index].outcome), rft_outcome_name(outcome));
    assert_string_equal(run->points[index].reason, reason);
    assert_true(run->points[index].rounds[0].n == 0 && isnan(rft_point_median_s(&run->points[index])));
}

/* What no file of another tuner can say is null with a reason, and never 0. */
static void expect_nothing_invented(const rft_run *run) {
    assert_true(run->sweep_count == 1 && run->sweeps[0].sweep.bare_space);
    assert_true(run->sweeps[0].sweep.axis_count == 0 && run->sweeps[0].sweep.problem_count == 1);
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        assert_false(run->ceilings.items[i].measured);
        assert_string_equal(run->ceilings.items[i].reason, RFT_FOREIGN_NO_CEILING);
    }
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *p = &run->points[i];
        assert_false(p->verification.done);
        assert_false(p->traffic.present);
        assert_true(p->facts.registers == -1 && isnan(p->facts.occupancy_frac) && isnan(p->rounds[0].clock_mhz));
        assert_true(p->id == (int64_t)i + 1);
    }
    assert_true(isnan(run->info.elapsed_s) && isnan(run->info.busy_s));
}

static void t4_of_others(void **state) {
    (void)state;
    rft_run *run = load(FIXTURES "tiny.t4.json");
    expect_nothing_invented(run);
    assert_string_equal(rft_run_foreign(run), "T4");
    assert_string_equal(run->sweeps[0].sweep.name, "tiny");
    assert_string_equal(run->gpu.name, "device not recorded");
    assert_int_equal(run->point_count, 7);
    assert_int_equal(space(run)->param_count, 4);
    expect_values(run, 0, "32 64 128");
    expect_values(run, 1, "col row");
    expect_values(run, 2, "0.5 1 2"); /* 2.0 is 2 */
    expect_values(run, 3, "false true");
    const rft_measurement *m = &run->points[0].rounds[0];
    assert_int_equal(m->n, 3);
    expect_near(m->stats.median, 0.005);
    expect_near(run->points[0].facts.compile_s, 0.25);
    expect_near(m->verify_s, 0.002);
    expect_near(m->wall_s, 0.021); /* all but compiling: 4 + 5 + 6 + 3 + 1 + 2 ms */
    m = &run->points[1].rounds[0];
    expect_same_rate(run->points[0].rounds[0].recorded_bytes_s, 0.6e9);
    expect_same_rate(m->recorded_bytes_s, 2e9); /* by its unit */
    assert_int_equal(m->n, 1);                  /* the measurement, in its own unit; the schema's name of compiling */
    expect_near(m->stats.median, 0.0015);
    expect_near(run->points[1].facts.compile_s, 0.125);
    expect_outcome(run, 2, RFT_OUTCOME_COMPILE_FAILED, "the recording says: compile (CompilationFailedConfig)");
    expect_outcome(run, 3, RFT_OUTCOME_LAUNCH_FAILED, "the recording says: runtime");
    expect_outcome(run, 4, RFT_OUTCOME_TIMED_OUT, "the recording says: timeout");
    expect_outcome(run, 5, RFT_OUTCOME_WRONG_RESULT, "the recording says: correctness");
    expect_outcome(run, 6, RFT_OUTCOME_SKIPPED, "the recording says: constraints");
    assert_true(isnan(run->points[3].facts.compile_s));
    assert_true(run->info.started_unix_ns == 1709208001 * INT64_C(1000000000)); /* date -d '2024-02-29 12:00:01Z' +%s */
    assert_true(run->info.finished_unix_ns == 1709208003 * INT64_C(1000000000));
    assert_true(run->sweeps[0].cartesian[0] == 3 * 2 * 3 * 2 && run->sweeps[0].valid[0] == 7);
    assert_ptr_equal(rft_run_best(run, 0, SIZE_MAX, 0), &run->points[1]);
    rft_run_free(run);
}

static void expect_kt(const rft_run *run, size_t points) {
    expect_nothing_invented(run);
    assert_string_equal(rft_run_foreign(run), "a Kernel Tuner cache");
    assert_string_equal(run->sweeps[0].sweep.name, "tiny");
    assert_string_equal(run->gpu.name, "Invented GPU 9000");
    assert_string_equal(rft_env_value(&run->env, "recording.problem_size"), "[512,512]");
    assert_int_equal(run->point_count, points);
    expect_values(run, 0, "128 32 64"); /* as the file lists them */
    expect_values(run, 1, "1 2");
    assert_true(run->sweeps[0].cartesian[0] == 6 && run->sweeps[0].valid[0] == points);
    const rft_measurement *m = &run->points[0].rounds[0];
    assert_int_equal(m->n, 3);
    expect_near(m->stats.median, 0.002);
    expect_near(m->wall_s, 0.016); /* 4 + 9 (the runs are in it) + 1 + 2 ms */
    expect_near(run->points[0].facts.compile_s, 0.1);
    expect_same_rate(m->recorded_flop_s, 12.5e9);
    m = &run->points[1].rounds[0];
    assert_int_equal(m->n, 1);
    expect_near(m->stats.median, 0.003);
    expect_same_rate(m->recorded_flop_s, 25e6 / 0.003);
    expect_same_rate(m->recorded_bytes_s, NAN);
    expect_outcome(run, 2, RFT_OUTCOME_LAUNCH_FAILED, "the recording says: RuntimeFailedConfig");
}

static void kernel_tuner_caches(void **state) {
    (void)state;
    rft_run *run = load(FIXTURES "tiny.kt.json");
    expect_kt(run, 5);
    expect_outcome(run, 3, RFT_OUTCOME_COMPILE_FAILED, "the recording says: CompilationFailedConfig");
    expect_outcome(run, 4, RFT_OUTCOME_SKIPPED, "the recording says: InvalidConfig");
    assert_null(run->sweeps[0].unexplored);
    rft_run_free(run);
}

/* A tuner that was stopped leaves its file without the braces at the end, or in the middle of an entry. */
static void unfinished_caches(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_fs_read(&text, &size, FIXTURES "tiny.kt.json", 0, &err), 0);
    char *fourth = strstr(text, "\n\"32,2\"");
    const struct {
        const char *end;
        const char *after;
    } cuts[] = {{fourth, ""}, {fourth - 1, ""}, {fourth + 1, ""}, {fourth + 40, ""}, {fourth, "\n\n"}};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        rft_str cut = RFT_STR_INIT;
        rft_run *run = NULL;
        rft_str_add_n(&cut, text, (size_t)(cuts[i].end - text));
        rft_str_add(&cut, cuts[i].after);
        if (rft_recording_parse(&run, cut.data, cut.length, "tiny.kt.json", &err) != 0) {
            fail_msg("cut %zu: %s", i, err.message);
        }
        expect_kt(run, 3);
        assert_string_equal(run->sweeps[0].unexplored, "the tuner was stopped: its cache file has no end");
        rft_run_free(run);
        rft_str_clear(&cut);
    }
    free(text);
}

/* ---- and back ---- */

static void expect_same_points(const rft_run *a, const rft_run *b) {
    assert_int_equal(a->point_count, b->point_count);
    assert_int_equal(space(a)->param_count, space(b)->param_count);
    for (size_t i = 0; i < a->point_count; i++) {
        const rft_point *x = &a->points[i], *y = &b->points[i];
        const rft_measurement *m = &x->rounds[0], *n = &y->rounds[0];
        assert_true(rft_values_equal(x->config, y->config, space(a)->param_count));
        assert_int_equal(x->outcome, y->outcome);
        assert_int_equal(m->n, n->n);
        for (size_t k = 0; k < m->n; k++) {
            expect_near(n->samples_s[k], m->samples_s[k]);
        }
        assert_true(fabs(m->wall_s - n->wall_s) < 1e-9 && fabs(m->verify_s - n->verify_s) < 1e-9);
        assert_true(fabs(x->facts.compile_s - y->facts.compile_s) < 1e-9 || isnan(x->facts.compile_s));
        expect_same_rate(m->recorded_s, n->recorded_s);
        expect_same_rate(m->recorded_flop_s, n->recorded_flop_s);
        expect_same_rate(m->recorded_bytes_s, n->recorded_bytes_s);
    }
    assert_string_equal(a->gpu.name, b->gpu.name);
    assert_true((rft_run_device(a) == NULL) == (rft_run_device(b) == NULL));
    assert_true(a->info.started_unix_ns == b->info.started_unix_ns);
    for (size_t i = 0; i < space(a)->param_count; i++) {
        assert_string_equal(space(a)->params[i].name, space(b)->params[i].name);
        assert_int_equal(space(a)->params[i].value_count, space(b)->params[i].value_count);
    }
}

static void what_is_written_reads_back(void **state) {
    (void)state;
    static const char *const files[] = {FIXTURES "tiny.t4.json", FIXTURES "tiny.kt.json"};
    static const char *const names[] = {"back.json", "back.json.gz"};
    char folder[] = "/tmp/rft-exchange-XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    for (size_t f = 0; f < 2; f++) {
        rft_run *run = load(files[f]);
        for (int kind = 0; kind < 2; kind++) {
            rft_err err = RFT_ERR_INIT;
            size_t count = 0;
            rft_exchange_pick pick = {0, 0, 0};
            snprintf(path, sizeof path, "%s/%s", folder, names[kind]);
            assert_int_equal(rft_exchange_write(run, &pick, (rft_exchange_kind)kind, path, &count, &err), 0);
            assert_int_equal(count, run->point_count);
            rft_run *back = load(path);
            assert_string_equal(rft_run_foreign(back), kind == RFT_EXCHANGE_KT ? "a Kernel Tuner cache" : "T4");
            if (kind == RFT_EXCHANGE_KT && f == 0) { /* it knows neither timeouts nor wrong results */
                assert_int_equal(back->points[4].outcome, RFT_OUTCOME_LAUNCH_FAILED);
                assert_int_equal(back->points[5].outcome, RFT_OUTCOME_LAUNCH_FAILED);
                back->points[4].outcome = RFT_OUTCOME_TIMED_OUT;
                back->points[5].outcome = RFT_OUTCOME_WRONG_RESULT;
            }
            expect_same_points(run, back);
            rft_run_free(back);
            assert_int_equal(unlink(path), 0);
        }
        rft_run_free(run);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* Through rooftune's own recording nothing is lost, the mark of a foreign run neither. */
static void kept_in_a_recording(void **state) {
    (void)state;
    rft_run *run = load(FIXTURES "tiny.kt.json"), *back = NULL;
    rft_str text = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    rft_recording_text(run, &text);
    assert_int_equal(rft_recording_parse(&back, text.data, text.length, "back", &err), 0);
    expect_same_points(run, back);
    expect_kt(back, 5);
    rft_run_free(back);
    rft_run_free(run);
    rft_str_clear(&text);
}

/* ---- bad input ---- */

#define RESULT(configuration, more)                                                                                    \
    "{\"results\":[{\"configuration\":" configuration ",\"invalidity\":\"correct\"," more "}]}"
#define CACHE(keys, params, entry)                                                                                     \
    "{\"tune_params_keys\":" keys ",\"tune_params\":" params ",\"cache\":{\"1\":" entry "}}"

static void files_that_lie(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } bad[] = {
        {"{}", "no rooftune section"},
        {"[]", "no rooftune section"},
        {"{\"results\":[]}", "results: expected a list of 1 to"},
        {"{\"results\":[7]}", "results[0].configuration: expected an object"},
        {RESULT("{}", "\"times\":{}"), "results[0].configuration: expected an object of 1 to"},
        {RESULT("{\"x\":null}", "\"times\":{\"runtimes\":[1]}"), "results[0].configuration: expected"},
        {RESULT("{\"x\":[1]}", "\"times\":{\"runtimes\":[1]}"), "results[0].configuration: expected"},
        {RESULT("{\"x\":1}", "\"times\":{\"runtimes\":[]}"), "results[0]: expected times.runtimes, or a measurement"},
        {RESULT("{\"x\":1}", "\"times\":{\"runtimes\":[1,\"2\"]}"), "results[0].times.runtimes[1]: expected"},
        {RESULT("{\"x\":1}", "\"times\":{\"runtimes\":[-1]}"), "results[0].times.runtimes[0]: expected"},
        {RESULT("{\"x\":1}", "\"times\":{\"runtimes\":{\"a\":1}}"), "results[0].times.runtimes: expected a list"},
        {RESULT("{\"x\":1}", "\"times\":[1]"), "results[0].times: expected an object"},
        {RESULT("{\"x\":1}", "\"times\":{\"validation\":\"long\"}"), "results[0].times.validation: expected"},
        {RESULT("{\"x\":1}", "\"measurements\":[{\"name\":\"time\",\"value\":1,\"unit\":\"h\"}]"),
         "results[0].measurements[0].unit: expected a unit of time"},
        {"{\"metadata\":{\"timeunit\":\"fortnights\"},\"results\":[1]}", "metadata.timeunit: expected"},
        {"{\"results\":[{\"configuration\":{\"x\":1},\"invalidity\":\"odd\"}]}", "results[0].invalidity: expected"},
        {"{\"results\":[{\"configuration\":{\"x\":1}}]}", "results[0].invalidity: expected"},
        {"{\"results\":[{\"configuration\":{\"x\":1},\"invalidity\":\"compile\"},"
         "{\"configuration\":{\"y\":1},\"invalidity\":\"compile\"}]}",
         "results[1].configuration: expected"},
        {"{\"Metadata\":{\"KttVersion\":1}}", "Metadata"},
        {"{\"ConfigurationSpace\":{}}", "is T1"},
        {CACHE("[]", "{}", "{}"), "tune_params_keys: expected"},
        {CACHE("[1]", "{}", "{}"), "tune_params_keys[0]: expected a name"},
        {CACHE("[\"x\"]", "{}", "{\"x\":1,\"time\":1}"), "tune_params.x: expected a list"},
        {CACHE("[\"x\"]", "{\"x\":[1,null]}", "{\"x\":1,\"time\":1}"), "tune_params.x: expected"},
        {CACHE("[\"x\"]", "{\"x\":[1]}", "{\"y\":1,\"time\":1}"), "cache[\"1\"]: expected an object with every"},
        {CACHE("[\"x\"]", "{\"x\":[1]}", "[1]"), "cache[\"1\"]: expected an object with every"},
        {CACHE("[\"x\"]", "{\"x\":[1]}", "{\"x\":1,\"time\":\"soon\"}"), "cache[\"1\"].time: expected"},
        {CACHE("[\"x\"]", "{\"x\":[1]}", "{\"x\":1}"), "cache[\"1\"].time: expected"},
        {CACHE("[\"x\"]", "{\"x\":[1]}", "{\"x\":1,\"time\":1,\"times\":[null]}"), "cache[\"1\"].times: expected"},
        {CACHE("[\"x\"]", "{\"x\":[1]}", "{\"x\":1,\"time\":1,\"compile_time\":\"?\"}"), "compile_time: expected"},
        {"{\"tune_params_keys\":[\"x\"],\"cache\":{}}", "cache: expected"},
        {"{\"tune_params_keys\":[\"x\"],\"cache\":[", "is not JSON"},
        {"{\"tune_params_keys\"", "is not JSON"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rft_run *run = NULL;
        rft_err err = RFT_ERR_INIT;
        int code = rft_recording_parse(&run, bad[i].text, strlen(bad[i].text), "bad.json", &err);
        assert_int_equal(code, RFT_E_RECORDING);
        assert_null(run);
        if (!strstr(err.message, bad[i].expected) || !strstr(err.message, "bad.json")) {
            fail_msg("%s\nsays: %s\nnot:  %s", bad[i].text, err.message, bad[i].expected);
        }
    }
}

static void deep_and_wide(void **state) {
    (void)state;
    rft_str text = RFT_STR_INIT;
    rft_run *run = NULL;
    rft_err err = RFT_ERR_INIT;
    rft_str_add(&text, "{\"results\":");
    for (int i = 0; i < 100000; i++) {
        rft_str_add_char(&text, '[');
    }
    assert_int_equal(rft_recording_parse(&run, text.data, text.length, "deep.json", &err), RFT_E_RECORDING);
    rft_str_truncate(&text, 0);
    rft_str_add(&text, "{\"results\":[{\"invalidity\":\"compile\",\"configuration\":{");
    for (int i = 0; i < 10001; i++) {
        rft_str_addf(&text, "%s\"p%d\":1", i ? "," : "", i);
    }
    rft_str_add(&text, "}}]}");
    assert_int_equal(rft_recording_parse(&run, text.data, text.length, "wide.json", &err), RFT_E_RECORDING);
    assert_non_null(strstr(err.message, "10,000 parameters"));
    rft_str_clear(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t4_of_others),        cmocka_unit_test(kernel_tuner_caches),
        cmocka_unit_test(unfinished_caches),   cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(kept_in_a_recording), cmocka_unit_test(files_that_lie),
        cmocka_unit_test(deep_and_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
