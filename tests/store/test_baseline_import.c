/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines that others measured: what is taken, and what is said of files that hold no baselines. */
#include "store/sample_run.h"
#include "store/store_test.h"

#include "model/run/baseline.h"
#include "store/store.h"

#include <math.h>
#include <string.h>

/* Of the sample's problems gemv_fp16 has n = 1024 and 4096 (and an odd one), the other sweep causal. */
static rft_run *bare_run(void) {
    rft_run *run = sample_run_new();
    run->baseline_count = 0;
    return run;
}

static int import(rft_run *run, const char *text, rft_import_counts *counts, rft_err *err) {
    rft_err_clear(err);
    return rft_baselines_import(run, text, strlen(text), "mine.csv", counts, err);
}

static void expect_taken(const char *text, size_t taken, size_t elsewhere) {
    rft_run *run = bare_run();
    rft_err err = RFT_ERR_INIT;
    rft_import_counts counts = {0};
    if (import(run, text, &counts, &err) != RFT_OK) {
        fail_msg("%s: %s\n%s", err.place, err.message, text);
    }
    assert_int_equal(counts.taken, taken);
    assert_int_equal(counts.elsewhere, elsewhere);
    assert_int_equal(run->baseline_count, taken);
    const rft_baseline *b = &run->baselines[0];
    assert_false(b->same_protocol);
    assert_string_equal(b->which, RFT_BASELINE_GIVEN);
    assert_string_equal(b->name, "torch, compiled");
    assert_string_equal(b->source, "do_bench \"here\"");
    assert_true(b->sweep == 0 && b->problem == 2);
    assert_true(fabs(b->measurement.stats.median - 0.00123) < 1e-12);
    assert_true(fabs(b->measurement.stats.low - 0.0012) < 1e-12 && fabs(b->measurement.stats.high - 0.00125) < 1e-12);
    assert_true(b->measurement.n == 0 && !b->verification.done && b->outcome == RFT_OUTCOME_OK);
    if (taken > 1) {
        b = &run->baselines[1];
        assert_true(b->sweep == 0 && b->problem == 1);
        assert_true(isnan(b->measurement.stats.low) && isnan(b->measurement.stats.high));
    }
    rft_run_free(run);
}

static void json_and_csv_say_the_same(void **state) {
    (void)state;
    expect_taken(
        "[{\"name\": \"torch, compiled\", \"problem\": {\"n\": 4096}, \"seconds\": 0.00123, \"low\": 0.0012,\n"
        "  \"high\": \"1.25ms\", \"source\": \"do_bench \\\"here\\\"\"},\n"
        " {\"name\": \"torch, compiled\", \"n\": 1024.0, \"seconds\": \"500us\", \"source\": \"x\", \"low\": null},\n"
        " {\"name\": \"torch, compiled\", \"n\": 77, \"seconds\": 1, \"source\": \"x\"}]",
        2, 1);
    expect_taken("{\"baselines\": [{\"name\": \"torch, compiled\", \"sweep\": \"gemv_fp16\", \"n\": 4096,\n"
                 "  \"seconds\": 0.00123, \"low\": 0.0012, \"high\": 0.00125, \"source\": \"do_bench \\\"here\\\"\"}]}",
                 1, 0);
    expect_taken("name,n,seconds,low,high,source\r\n"
                 "\"torch, compiled\", 4096 ,1.23ms,0.0012,0.00125,\"do_bench \"\"here\"\"\"\r\n"
                 "\r\n"
                 "other,1024,500us,,,x\n"
                 "other,1027,500us,,,the odd size is no problem\n",
                 2, 1);
}

/* The same name again takes the place of what was imported before, and never of what was measured. */
static void a_second_file_replaces(void **state) {
    (void)state;
    rft_run *run = sample_run_new();
    size_t before = run->baseline_count;
    rft_err err = RFT_ERR_INIT;
    rft_import_counts counts = {0};
    assert_int_equal(import(run, "name,n,seconds,source\ntorch.matmul,4096,250us,again\ncuBLASLt,4096,1us,elsewhere\n",
                            &counts, &err),
                     RFT_OK);
    assert_int_equal(counts.taken, 2);
    assert_int_equal(run->baseline_count, before + 1);
    rft_baseline like = {.problem = 2, .name = "torch.matmul", .which = RFT_BASELINE_GIVEN};
    assert_true(rft_run_find_baseline(run, &like)->measurement.stats.median == 250e-6);
    like = (rft_baseline){.problem = 2, .name = "cuBLASLt", .which = RFT_BASELINE_BEST, .same_protocol = true};
    assert_int_equal(rft_run_find_baseline(run, &like)->measurement.n, 20);
    /* Into the file and back. */
    const char *path = temporary_path(0, "run.db");
    rft_store *store = NULL;
    rft_run *stored = NULL;
    assert_int_equal(rft_store_open(&store, path, RFT_STORE_CREATE, &err), 0);
    assert_int_equal(rft_store_put_run(store, run, &err), 0);
    for (size_t i = 0; i < run->point_count; i++) {
        assert_int_equal(rft_store_put_point(store, &run->points[i], &err), 0);
    }
    assert_int_equal(rft_store_put_baselines(store, run->baselines, run->baseline_count, &run->info, &err), 0);
    rft_store_close(store);
    assert_int_equal(rft_store_load(&stored, path, &err), 0);
    assert_runs_equal(stored, run, 0.0);
    rft_run_free(stored);
    rft_run_free(run);
}

static void what_is_wrong_is_said_with_its_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *place, *message, *remedy;
        int code;
    } cases[] = {
        {"", "mine.csv: line 1", "the first line names the columns", "name,n,seconds,source", RFT_E_RECORDING},
        {"name,seconds\n", "mine.csv: line 1", "the first line names", NULL, RFT_E_RECORDING},
        {"name,n,seconds,source\na,4096,1,x\nb,4096,1\n", "mine.csv: line 3", "3 cells for 4 columns", "quotes",
         RFT_E_RECORDING},
        {"name,n,seconds,source\n,4096,1,x\n", "line 2", "name is missing", "seconds", RFT_E_RECORDING},
        {"name,n,seconds,source\na,4096,1,\n", "line 2", "source is missing", "do_bench", RFT_E_RECORDING},
        {"name,n,seconds,source\na,4096,fast,x\n", "line 2", "seconds is no time: \"fast\"", "1.23ms", RFT_E_RECORDING},
        {"name,n,seconds,source\na,4096,0,x\n", "line 2", "seconds is no time", NULL, RFT_E_RECORDING},
        {"name,n,seconds,source\na,4096,-1,x\n", "line 2", "seconds is no time", NULL, RFT_E_RECORDING},
        {"name,n,seconds,low,source\na,4096,1,1,x\n", "line 2", "low is there without high", "both", RFT_E_RECORDING},
        {"name,n,seconds,low,high,source\na,4096,3,1,2,x\n", "line 2", "outside low and high", NULL, RFT_E_RECORDING},
        {"name,nn,seconds,source\na,4096,1,x\n", "line 2", "no sweep of the run has an axis \"nn\"", "axis",
         RFT_E_RECORDING},
        {"name,scale,seconds,source,n\na,,1,x,\n", "line 2", "problems of the run fit", "more of its axes",
         RFT_E_RECORDING},
        {"name,n,seconds,source\na,4096,1,x\na,4096,2,y\n", "line 3", "a is there twice", "other names",
         RFT_E_RECORDING},
        {"name,n,seconds,source\na,5,1,x\na,6,2,y\n", "mine.csv", "none of the 2 baselines", "rooftune show",
         RFT_E_NOT_FOUND},
        {"[", "mine.csv", "", "a file of baselines is JSON", RFT_E_RECORDING},
        {"{\"rows\": []}", "mine.csv", "there is no list", "\"problem\"", RFT_E_RECORDING},
        {"[7]", "baselines[0]", "it is no object", NULL, RFT_E_RECORDING},
        {"[{\"name\": [1]}]", "baselines[0]", "name is not a single value", NULL, RFT_E_RECORDING},
        {"[{\"problem\": 4096}]", "baselines[0]", "problem is not an object", "{ \"n\": 4096 }", RFT_E_RECORDING},
        {"[{\"name\": \"a\\nb\", \"n\": 4096, \"seconds\": 1, \"source\": \"x\"}]", "baselines[0]",
         "name: expected one line", "one line", RFT_E_RECORDING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_run *run = bare_run();
        rft_err err = RFT_ERR_INIT;
        rft_import_counts counts = {0};
        int rc = import(run, cases[i].text, &counts, &err);
        if (rc != cases[i].code || !strstr(err.message, cases[i].message) ||
            (*err.place && !strstr(err.place, cases[i].place)) || !*err.remedy ||
            (cases[i].remedy && !strstr(err.remedy, cases[i].remedy))) {
            fail_msg("%d %s: %s (%s)\nof:\n%s", rc, err.place, err.message, err.remedy, cases[i].text);
        }
        assert_int_equal(run->baseline_count, 0);
        rft_run_free(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_and_csv_say_the_same),
        cmocka_unit_test(a_second_file_replaces),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, remove_temporary_paths);
}
