/* SPDX-License-Identifier: Apache-2.0 */
/* Limits from nine made-up cards, written by `report --limits-out`, and deliveries held to them by `rooftune test`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "cli/cli.h"
#include "store/sample_run.h"
#include "store/store.h"
#include "support/sample.h"
#include "unit/noise.h"

#include <stdlib.h>
#include <string.h>

#define CARDS 9
#define PROCESSES 6
#define SAMPLES 10 /* of a process */

/* ---- cards ---- */

/* Every time `slower` times as long, its processes 0.2 % apart. */
static void measure(rft_run *run, double slower, uint64_t *seed) {
    for (size_t i = 0; i < run->point_count; i++) {
        rft_measurement *m = &run->points[i].rounds[0];
        if (m->n == 0) {
            continue;
        }
        double median = m->stats.median * slower;
        m->n = PROCESSES * SAMPLES;
        m->samples_s = rft_arena_calloc(run->arena, m->n, sizeof *m->samples_s);
        m->clocks_mhz = NULL;
        m->process_n = rft_arena_calloc(run->arena, PROCESSES, sizeof *m->process_n);
        m->process_count = PROCESSES;
        for (size_t p = 0; p < PROCESSES; p++) {
            double own = median * exp(0.001 * noise_normal(seed));
            m->process_n[p] = SAMPLES;
            for (size_t k = 0; k < SAMPLES; k++) {
                m->samples_s[p * SAMPLES + k] = own * (1.0 + 1e-4 * noise_normal(seed));
            }
        }
        m->stats = rft_stats_of(m->samples_s, m->n);
    }
}

/* A card of the delivery: memory and kernels `slower` times as slow as the ninth of the reference cards is. */
static rft_run *card(int number, double slower) {
    uint64_t seed = 77 + (uint64_t)number;
    rft_run *run = sample_empty();
    sample_add_copy(run);
    run->gpu.uuid = rft_arena_printf(run->arena, "GPU-%08x-89ab-cdef-0123-456789abcdef", (unsigned)number);
    run->info.id = rft_arena_printf(run->arena, "%012x", (unsigned)number);
    double own = slower * exp(0.004 * noise_normal(&seed));
    measure(run, own, &seed);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        double about = run->ceilings.items[id].stats.median * exp(0.004 * noise_normal(&seed)), samples[11];
        for (size_t i = 0; i < 11; i++) {
            samples[i] = about / (id == RFT_CEILING_DRAM_READ ? slower : 1.0) * (1.0 + 1e-4 * noise_normal(&seed));
        }
        run->ceilings.items[id].stats = rft_stats_of(samples, run->ceilings.items[id].measured ? 11 : 0);
    }
    return run;
}

static const char *put_in(rft_run *run, const char *path) {
    rft_err err = RFT_ERR_INIT;
    if (rft_recording_write(run, path, &err) != RFT_OK) {
        fail_msg("%s: %s", path, err.message);
    }
    return path;
}

static const char *put(rft_run *run, int slot, const char *name) {
    return put_in(run, rft_arena_strdup(run->arena, temporary_path(slot, name)));
}

/* ---- commands ---- */

static rft_str said = RFT_STR_INIT;
static rft_err error;

typedef int command(rft_cli *cli, int argc, char **argv, rft_err *err);

/* Exit status; what it printed is in `said`, what it complained of in `error`. */
static int call(command *run, const char **words, int count) {
    rft_cli cli = {.out = tmpfile(), .talk = stderr, .program = "/nowhere/rooftune"};
    char *argv[24];
    char text[4096];
    for (int i = 0; i < count; i++) {
        argv[i] = (char *)words[i];
    }
    rft_err_clear(&error);
    int rc = run(&cli, count, argv, &error);
    rft_str_truncate(&said, 0);
    rewind(cli.out);
    for (size_t got; (got = fread(text, 1, sizeof text, cli.out)) > 0;) {
        rft_str_add_n(&said, text, got);
    }
    fclose(cli.out);
    return rft_code_exit_status(rc);
}

static char limits_path[512], report_path[512];

static json_t *tested(const char *const *paths, int count, int status) {
    const char *words[16] = {limits_path};
    json_t *root = NULL;
    for (int i = 0; i < count; i++) {
        words[1 + i] = paths[i];
    }
    words[1 + count] = "--json=-";
    int got = call(rft_cmd_test, words, count + 2);
    if (got != status) {
        fail_msg("exit status %d, not %d: %s\n%s", got, status, error.message, rft_str_get(&said));
    }
    assert_int_equal(rft_json_parse(&root, rft_str_get(&said), said.length, "test", NULL), 0);
    return root;
}

/* The check of a limit whose name begins so, of the only card. */
static const json_t *check_of(const json_t *root, const char *limit) {
    const json_t *checks = json_object_get(root, "checks");
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *one = json_array_get(checks, i);
        if (rft_text_starts(rft_json_text_or(one, "limit", ""), limit)) {
            return one;
        }
    }
    fail_msg("no limit %s", limit);
    return NULL;
}

static void assert_check(const json_t *root, const char *limit, const char *verdict, const char *code) {
    const json_t *check = check_of(root, limit);
    if (strcmp(rft_json_text_or(check, "verdict", ""), verdict) != 0 ||
        strcmp(rft_json_text_or(check, "code", ""), code) != 0) {
        char *text = rft_json_dump(check, NULL);
        fail_msg("not %s, %s: %s", verdict, code, text);
    }
}

/* One delivered card; `run` is freed. */
static json_t *tested_run(rft_run *run, int status) {
    const char *path = put(run, 1, "delivered.json.gz");
    json_t *root = tested(&path, 1, status);
    rft_run_free(run);
    return root;
}

static int make_limits(void **state) {
    const char *paths[CARDS];
    rft_run *runs[CARDS];
    (void)state;
    rft_text_format(limits_path, sizeof limits_path, "%s", temporary_path(2, "limits.lua"));
    char *folder = rft_fs_folder(temporary_path(0, "a.json.gz"));
    for (int i = 0; i < CARDS; i++) {
        runs[i] = card(i + 1, 1.0);
        paths[i] = put_in(runs[i], rft_arena_printf(runs[i]->arena, "%s/card%d.json.gz", folder, i));
    }
    rft_text_format(report_path, sizeof report_path, "%s", temporary_path(3, "limits.md"));
    const char *words[] = {paths[0], "--reference", folder, "--part=1", "-o", report_path, "--limits-out", limits_path};
    int status = call(rft_cmd_report, words, 8);
    free(folder);
    for (int i = 0; i < CARDS; i++) {
        rft_run_free(runs[i]);
    }
    if (status != 0) {
        fail_msg("%s", error.message);
    }
    return 0;
}

/* ---- cases ---- */

static void the_file_says_where_limits_are_from(void **state) {
    char *text = NULL;
    size_t size = 0;
    (void)state;
    assert_int_equal(rft_fs_read(&text, &size, limits_path, 0, NULL), 0);
    assert_true(rft_text_starts(text, "-- Acceptance limits, written by rooftune; 9 reference cards"));
    assert_non_null(strstr(text, "ISO 16269-6:2014"));
    assert_non_null(strstr(text, "JCGM 106:2012"));
    assert_non_null(strstr(text, "{ ceiling = \"dram_read\", at_least = 4."));
    assert_non_null(strstr(text, "from = \"tolerance\", cards = 9"));
    assert_non_null(strstr(text, "{ sweep = \"copy_scale\", problem = { n = 268435456 }, at_most = "));
    assert_null(strstr(text, "contract"));
    assert_null(strstr(text, "launch"));
    free(text);
    assert_int_equal(rft_fs_read(&text, &size, report_path, 0, NULL), 0);
    assert_non_null(strstr(text, "# Acceptance test"));
    assert_non_null(strstr(text, "tolerance, 9 cards"));
    free(text);
}

static void a_card_like_the_others_passes(void **state) {
    (void)state;
    json_t *root = tested_run(card(20, 1.0), 0);
    assert_string_equal(rft_json_text_or(root, "verdict", ""), "PASS");
    assert_check(root, "device memory, read", "PASS", "met");
    assert_check(root, "copy_scale n=268435456", "PASS", "met");
    assert_true(json_number_value(json_object_get(root, "buyers_risk")) < 0.05);
    assert_true(json_is_null(json_object_get(root, "sellers_risk")));
    json_decref(root);
}

static void a_slow_card_fails(void **state) {
    (void)state;
    json_t *root = tested_run(card(21, 1.15), 1);
    assert_check(root, "device memory, read", "FAIL", "slower");
    assert_check(root, "copy_scale n=268435456", "FAIL", "slower");
    assert_check(root, "FP32 FMA", "PASS", "met");
    assert_true(json_number_value(json_object_get(root, "sellers_risk")) < 0.05);
    assert_non_null(strstr(error.message, "FAIL: 1 of 1 cards misses a limit"));
    assert_true(*error.remedy);
    json_decref(root);
}

/* A card at the limit itself: measuring leaves it open. */
static void a_card_at_the_limit_is_undecided(void **state) {
    (void)state;
    json_t *root = tested_run(card(22, 1.0), 0);
    double bound = json_number_value(json_object_get(check_of(root, "device memory, read"), "bound"));
    json_decref(root);
    rft_run *run = card(22, 1.0);
    double samples[11];
    for (size_t i = 0; i < 11; i++) {
        samples[i] = bound * (1.0 + 1e-5 * ((double)i - 5.0));
    }
    run->ceilings.items[RFT_CEILING_DRAM_READ].stats = rft_stats_of(samples, 11);
    root = tested_run(run, 20);
    assert_check(root, "device memory, read", "UNDECIDED", "near");
    assert_check(root, "copy_scale", "PASS", "met");
    json_decref(root);
}

static void what_cannot_be_judged_says_why(void **state) {
    (void)state;
    rft_run *run = card(23, 1.0);
    run->gpu.name = "NVIDIA H100";
    json_t *root = tested_run(run, 20);
    assert_check(root, "device memory, read", "UNDECIDED", "other_device");
    const json_t *first = json_array_get(json_object_get(root, "cards"), 0);
    assert_non_null(strstr(rft_json_text_or(first, "reason", ""), "the limits are of NVIDIA H200"));
    json_decref(root);

    run = card(23, 1.0);
    run->ceilings.items[RFT_CEILING_FP32] = rft_ceiling_none("the compiler was not there");
    root = tested_run(run, 20);
    assert_check(root, "FP32 FMA", "UNDECIDED", "missing");
    assert_non_null(strstr(rft_json_text_or(check_of(root, "FP32 FMA"), "reason", ""), "the compiler was not there"));
    json_decref(root);

    run = card(23, 1.0);
    run->sweeps[0].sweep.problems[2].values[0] = rft_value_int(1 << 27);
    root = tested_run(run, 20);
    assert_check(root, "copy_scale", "UNDECIDED", "other_problem");
    json_decref(root);

    run = card(23, 1.0);
    run->sweeps[0].sweep.script_hash = "0f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    root = tested_run(run, 20);
    assert_check(root, "copy_scale", "UNDECIDED", "other_source");
    assert_check(root, "device memory, read", "PASS", "met");
    json_decref(root);
}

/* FAIL goes before UNDECIDED, and a card that misses a limit is named. */
static void a_delivery_is_as_its_worst_card(void **state) {
    (void)state;
    rft_run *runs[] = {card(24, 1.0), card(25, 1.15), card(26, 1.0)};
    runs[2]->gpu.name = "NVIDIA H100";
    const char *paths[] = {put(runs[0], 4, "a.json.gz"), put(runs[1], 4, "b.json.gz"), put(runs[2], 4, "c.json.gz")};
    json_decref(tested(paths, 3, 1));
    assert_non_null(
        strstr(error.message, "1 of 3 cards misses a limit, 1 of 3 cards is undecided, 1 of 3 cards meets"));
    const char *words[] = {limits_path, paths[0], paths[1], paths[2]};
    assert_int_equal(call(rft_cmd_test, words, 4), 1);
    assert_non_null(strstr(rft_str_get(&said), "GPU-00000019  device memory, read"));
    assert_non_null(strstr(rft_str_get(&said), "Buyer's risk"));
    assert_null(strstr(rft_str_get(&said), "GPU-00000018  device memory")); /* what passes is a count */
    for (int i = 0; i < 3; i++) {
        rft_run_free(runs[i]);
    }
}

static int clean(void **state) {
    rft_str_clear(&said);
    return remove_temporary_paths(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_says_where_limits_are_from),
        cmocka_unit_test(a_card_like_the_others_passes),
        cmocka_unit_test(a_slow_card_fails),
        cmocka_unit_test(a_card_at_the_limit_is_undecided),
        cmocka_unit_test(what_cannot_be_judged_says_why),
        cmocka_unit_test(a_delivery_is_as_its_worst_card),
    };
    return cmocka_run_group_tests(tests, make_limits, clean);
}
