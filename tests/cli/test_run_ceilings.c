/* SPDX-License-Identifier: Apache-2.0 */
/* Ceilings come after the first point: a run that was stopped before has none, says why, can be shown and drawn, and
 * gets them when it continues. */
#include "cli/run_ceilings.h"

#include "base/clock.h"
#include "base/fs.h"
#include "cli/show_data.h"
#include "cli/show_text.h"
#include "reports/report.h"
#include "store/sample_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RATE 3.0e12

static int asked;
static rft_ceiling_set wanted; /* by the last request */

/* Device memory alone can be read. */
static int ceilings(rft_probe *self, const rft_ceilings_request *request, rft_arena *arena, rft_ceilings *out,
                    rft_err *err) {
    static const double samples[] = {RATE, RATE, RATE};
    (void)self;
    (void)arena;
    (void)err;
    asked++;
    wanted = request ? request->wanted : RFT_CEILINGS_ALL;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        out->items[id] = rft_ceiling_none("the probe of this test does not measure it");
    }
    const rft_clock *clock = rft_clock_system();
    out->busy_s = 0.5;
    out->items[RFT_CEILING_DRAM_READ].measured_unix_ns = clock->unix_ns(clock->self);
    out->items[RFT_CEILING_DRAM_READ].measured = true;
    out->items[RFT_CEILING_DRAM_READ].reason = NULL;
    out->items[RFT_CEILING_DRAM_READ].stats = rft_stats_of(samples, 3);
    return RFT_OK;
}

static void hear(void *self, rft_log_level level, const char *text) {
    (void)level;
    rft_str_addf(self, "%s\n", text);
}

static void put_first_session(rft_cli *cli, const char *path) {
    rft_run *run = sample_run_new();
    rft_err err = RFT_ERR_INIT;
    rft_run_ceilings c = {.cli = cli, .run = run};
    rft_run *empty = rft_run_new();
    run->ceilings = empty->ceilings;
    run->info.finished_unix_ns = 0;
    rft_run_free(empty);
    assert_false(rft_run_ceilings_due(run)); /* "not measured" for good is not "not yet" */
    assert_int_equal(rft_run_ceilings_postpone(&c, &err), RFT_OK);
    assert_true(rft_run_ceilings_due(run));
    assert_int_equal(rft_store_open(&c.store, path, RFT_STORE_CREATE, &err), RFT_OK);
    assert_int_equal(rft_store_put_run(c.store, run, &err), RFT_OK);
    for (size_t i = 0; i < run->point_count; i++) {
        assert_int_equal(rft_store_put_point(c.store, &run->points[i], &err), RFT_OK);
    }
    rft_store_close(c.store);
    rft_run_free(run);
}

static void show_and_draw(const rft_run *run, const char *pdf) {
    rft_report_opts opts = RFT_REPORT_OPTS_INIT;
    rft_str text = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    rft_show_run(&text, run, &(rft_show_opts){0});
    assert_non_null(strstr(rft_str_get(&text), "Not measured ("));
    rft_str_truncate(&text, 0);
    rft_show_summary(&text, run);
    rft_show_json(&text, run);
    assert_non_null(strstr(rft_str_get(&text), "not measured yet"));
    rft_show_csv(&text, run);
    assert_null(strstr(rft_str_get(&text), "nan"));
    assert_int_equal(rft_report_write(run, &opts, RFT_REPORT_PDF, pdf, &err), RFT_OK);
    assert_true(rft_fs_exists(pdf));
    rft_str_clear(&text);
}

static void test_a_continued_run_gets_them(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_str said = RFT_STR_INIT;
    rft_cli cli = {.program = "/nowhere/rooftune", .log = {.line = hear, .self = &said}};
    rft_err err = RFT_ERR_INIT;
    rft_run *run = NULL;
    rft_probe probe = {.ceilings = ceilings};
    put_first_session(&cli, path);

    assert_int_equal(rft_store_load(&run, path, &err), RFT_OK);
    assert_true(rft_run_ceilings_due(run));
    show_and_draw(run, temporary_path(1, "run.pdf"));
    rft_run_ceilings c = {.cli = &cli, .probe = &probe, .run = run};
    assert_int_equal(rft_store_open(&c.store, path, RFT_STORE_WRITE, &err), RFT_OK);
    assert_int_equal(rft_run_ceilings_measure(&c, &err), RFT_OK);
    assert_int_equal(asked, 1);
    assert_non_null(strstr(rft_str_get(&said), "measuring the ceilings of "));
    assert_false(rft_run_ceilings_due(run));
    rft_store_close(c.store);
    rft_run_free(run);

    assert_int_equal(rft_store_load(&run, path, &err), RFT_OK);
    assert_false(rft_run_ceilings_due(run));
    assert_true(rft_ceilings_rate(&run->ceilings, RFT_CEILING_DRAM_READ) == RATE);
    assert_string_equal(run->ceilings.items[RFT_CEILING_FP32].reason, "the probe of this test does not measure it");
    rft_run_free(run);
    rft_str_clear(&said);
}

/* A new run on a card whose ceilings are kept takes them, says how old they are, and measures the others alone. */
static void test_kept_ones_are_taken(void **state) {
    (void)state;
    rft_str said = RFT_STR_INIT;
    rft_cli cli = {.program = "/nowhere/rooftune", .log = {.line = hear, .self = &said}};
    rft_err err = RFT_ERR_INIT;
    rft_probe probe = {.ceilings = ceilings};
    rft_run *first = sample_run_new(), *second = sample_run_new(), *third = sample_run_new();
    first->gpu.uuid = second->gpu.uuid = third->gpu.uuid = "GPU-of-this-test";
    rft_run_ceilings c = {.cli = &cli, .probe = &probe, .run = first};
    const char *path = temporary_path(2, "kept.db");
    assert_int_equal(rft_run_ceilings_postpone(&c, &err), RFT_OK);
    assert_int_equal(rft_run_ceilings_due(first), RFT_CEILINGS_ALL);
    assert_null(strstr(rft_str_get(&said), "are taken"));
    assert_int_equal(rft_store_open(&c.store, path, RFT_STORE_CREATE, &err), RFT_OK);
    assert_int_equal(rft_store_put_run(c.store, first, &err), RFT_OK);
    assert_int_equal(rft_run_ceilings_measure(&c, &err), RFT_OK);
    assert_int_equal(wanted, RFT_CEILINGS_ALL);
    rft_store_close(c.store);

    struct timespec second_ns = {1, 200000000};
    nanosleep(&second_ns, NULL); /* "1 s ago" */
    c = (rft_run_ceilings){.cli = &cli, .probe = &probe, .run = second};
    rft_str_truncate(&said, 0);
    assert_int_equal(rft_run_ceilings_postpone(&c, &err), RFT_OK);
    assert_non_null(strstr(rft_str_get(&said), "some ceilings measured "));
    assert_non_null(strstr(rft_str_get(&said), "--ceilings again measures anew"));
    assert_int_equal(rft_run_ceilings_due(second), RFT_CEILINGS_ALL & ~RFT_CEILING_BIT(RFT_CEILING_DRAM_READ));
    assert_true(rft_ceilings_rate(&second->ceilings, RFT_CEILING_DRAM_READ) == RATE);
    assert_true(isfinite(second->ceilings.items[RFT_CEILING_DRAM_READ].limit)); /* of this program, not of the file */

    c = (rft_run_ceilings){.cli = &cli, .probe = &probe, .run = third, .again = true};
    rft_str_truncate(&said, 0);
    assert_int_equal(rft_run_ceilings_postpone(&c, &err), RFT_OK);
    assert_int_equal(rft_run_ceilings_due(third), RFT_CEILINGS_ALL);
    assert_null(strstr(rft_str_get(&said), "are taken"));
    rft_run_free(first);
    rft_run_free(second);
    rft_run_free(third);
    rft_str_clear(&said);
}

/* What cannot be kept costs nothing but the next run's half second. */
static void test_an_unwritable_cache_is_no_error(void **state) {
    (void)state;
    rft_cli cli = {.program = "/nowhere/rooftune"};
    rft_err err = RFT_ERR_INIT;
    rft_probe probe = {.ceilings = ceilings};
    rft_run *run = sample_run_new();
    rft_run_ceilings c = {.cli = &cli, .probe = &probe, .run = run};
    const char *file = temporary_path(3, "file");
    assert_int_equal(rft_fs_write_atomic(file, "x", 1, &err), RFT_OK);
    setenv("RFT_CACHE", file, 1);
    assert_int_equal(rft_run_ceilings_postpone(&c, &err), RFT_OK);
    assert_int_equal(rft_store_open(&c.store, temporary_path(4, "unkept.db"), RFT_STORE_CREATE, &err), RFT_OK);
    assert_int_equal(rft_store_put_run(c.store, run, &err), RFT_OK);
    assert_int_equal(rft_run_ceilings_measure(&c, &err), RFT_OK);
    assert_true(rft_ceilings_rate(&run->ceilings, RFT_CEILING_DRAM_READ) == RATE);
    rft_store_close(c.store);
    rft_run_free(run);
}

static int take_cache(void **state) {
    static char folder[] = "/tmp/rft-ceilings-XXXXXX";
    *state = mkdtemp(folder);
    return *state ? setenv("RFT_CACHE", folder, 1) : -1;
}

static int drop_cache(void **state) {
    char command[96];
    rft_text_format(command, sizeof command, "rm -r %s", (const char *)*state);
    return system(command) != 0 || remove_temporary_paths(state) != 0 ? -1 : 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_continued_run_gets_them),
                                       cmocka_unit_test(test_kept_ones_are_taken),
                                       cmocka_unit_test(test_an_unwritable_cache_is_no_error)};
    return cmocka_run_group_tests(tests, take_cache, drop_cache);
}
