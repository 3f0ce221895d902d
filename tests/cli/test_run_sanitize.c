/* SPDX-License-Identifier: Apache-2.0 */
/* `run --sanitize best` with a compute-sanitizer of our own: whom it is asked about, what becomes of its words. */
#include "cli/run_sanitize.h"

#include "base/fs.h"
#include "cli/show_data.h"
#include "cli/show_text.h"
#include "store/sample_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ONE_READ                                                                                                       \
    "========= COMPUTE-SANITIZER\n"                                                                                    \
    "gemv, naive: n=1000\n"                                                                                            \
    "========= Invalid __global__ read of size 4 bytes\n"                                                              \
    "=========     at outside(float *, long long)+0x110 in fault_outside.cu:49\n"                                      \
    "=========     by thread (0,0,0) in block (0,0,0)\n"                                                               \
    "=========     Access at 0x7f6510c00fa0 is out of bounds\n"                                                        \
    "=========     and is 1 bytes after the nearest allocation at 0x7f6510c00000 of size 4,000 bytes\n"                \
    "========= \n"                                                                                                     \
    "========= Invalid __global__ write of size 2 bytes\n"                                                             \
    "=========     at another()+0x10 in x.cu:1\n"

static void expect_said(const char *output, int status, const char *want) {
    rft_arena *arena = rft_arena_new();
    assert_string_equal(rft_sanitizer_said(output, status, arena), want);
    rft_arena_free(arena);
}

static void its_words_are_understood(void **state) {
    (void)state;
    expect_said("========= COMPUTE-SANITIZER\noutcome ok\n========= ERROR SUMMARY: 0 errors\n", 0, "clean");
    expect_said(
        ONE_READ "========= ERROR SUMMARY: 2 errors\n", 1,
        "2 errors: Invalid __global__ read of size 4 bytes, at outside(float *, long long)+0x110 in "
        "fault_outside.cu:49, and is 1 bytes after the nearest allocation at 0x7f6510c00000 of size 4,000 bytes");
    expect_said("========= Warning: something\n========= ERROR SUMMARY: 1 error\n", 0, "1 error");
    /* Nothing was found because nothing ran. */
    expect_said("rooftune: the GPU is in use by process 7\n  remedy: wait\n========= ERROR SUMMARY: 0 errors\n", 17,
                "not run: rooftune: the GPU is in use by process 7");
    expect_said("========= COMPUTE-SANITIZER\n"
                "========= Error: process didn't terminate successfully\n"
                "========= Error: Target application terminated before first instrumented API call\n"
                "========= Tracking kernels launched by child processes requires another option.\n",
                255, "not run: Error: Target application terminated before first instrumented API call");
    expect_said("", 127, "not run: compute-sanitizer ended with status 127");
    expect_said("========= COMPUTE-SANITIZER\n", 0, "not run: COMPUTE-SANITIZER");
}

typedef struct scene {
    rft_run_file file;
    rft_run_options o;
    rft_cli cli;
    rft_err err;
    const char *tool, *asked;
    char *talk;
    size_t talk_size;
} scene;

static const char *const files[] = {"first file.lua", "second.lua"};

static rft_run_sanitize of(scene *s) {
    return (rft_run_sanitize){&s->cli, &s->o, s->tool, files, &s->file};
}

/* A tool that notes what it is given, a line a word, and says `says`. */
static void start(scene *s, int slot, const char *says) {
    *s = (scene){.tool = NULL};
    s->asked = strdup(temporary_path(slot, "asked"));
    s->tool = strdup(temporary_path(slot, "compute-sanitizer"));
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "#!/bin/sh\nprintf '%%s\\n' \"$@\" end >>'%s'\ncat <<'END'\n%sEND\n", s->asked, says);
    assert_int_equal(rft_fs_write_atomic(s->tool, rft_str_get(&text), text.length, &s->err), 0);
    assert_int_equal(chmod(s->tool, 0700), 0);
    rft_str_clear(&text);
    s->cli = (rft_cli){.program = "/nowhere/rooftune", .invoked_as = "rooftune"};
    s->cli.talk = open_memstream(&s->talk, &s->talk_size);
    s->file.path = strdup(temporary_path(slot, "run.db"));
    s->file.run = sample_run_new();
    assert_int_equal(rft_store_open(&s->file.store, s->file.path, RFT_STORE_CREATE, &s->err), 0);
    assert_int_equal(rft_store_put_whole(s->file.store, s->file.run, &s->err), 0);
}

static void stop(scene *s) {
    rft_store_close(s->file.store);
    rft_run_free(s->file.run);
    fclose(s->cli.talk);
    free(s->talk);
    free((char *)(uintptr_t)s->file.path);
    free((char *)(uintptr_t)s->asked);
    free((char *)(uintptr_t)s->tool);
}

static size_t asked_times(const scene *s) {
    char *text = NULL;
    size_t size = 0, times = 0;
    rft_err none = RFT_ERR_INIT;
    if (rft_fs_read(&text, &size, s->asked, 1 << 20, &none) != 0) {
        return 0;
    }
    for (const char *at = text; (at = strstr(at, "\nend\n")) != NULL; at++) {
        times++;
    }
    free(text);
    return times;
}

static size_t told(const rft_run *run, const char *said) {
    size_t count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        count += !point->alias_of && point->verification.sanitizer && strcmp(point->verification.sanitizer, said) == 0;
    }
    return count;
}

/* The best of the first sweep was right on the odd size, too. */
static void verify_on_the_odd_size(rft_run *run) {
    const rft_point *best = rft_run_best(run, 0, SIZE_MAX, rft_run_largest(run, 0));
    assert_non_null(best);
    for (size_t i = 0; i < run->point_count; i++) {
        rft_point *point = &run->points[i];
        if (point->sweep == 0 && run->sweeps[0].sweep.problems[point->problem].odd) {
            point->outcome = RFT_OUTCOME_OK;
            point->variant = best->variant;
            point->config = best->config;
            point->alias_of = 0;
            return;
        }
    }
    fail_msg("the sample has no point on an odd size");
}

static void bests_are_asked_about_once(void **state) {
    (void)state;
    scene s;
    start(&s, 0, "========= ERROR SUMMARY: 0 errors\n");
    verify_on_the_odd_size(s.file.run);
    s.o.device = "1";
    s.o.script_args = (rft_words){(const char *[]){"--n", "5"}, 2};
    rft_run_sanitize sanitize = of(&s);
    assert_int_equal(rft_run_sanitize_all(&sanitize, &s.err), 0);
    assert_int_equal(rft_run_sanitize_verdict(&sanitize, &s.err), 0);
    size_t times = asked_times(&s);
    size_t bests = 0;
    for (size_t i = 0; i < s.file.run->sweep_count; i++) {
        bests += rft_run_largest(s.file.run, i) != SIZE_MAX;
    }
    assert_int_equal(times, bests + 1);
    assert_int_equal(told(s.file.run, "clean"), times);
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(rft_fs_read(&text, &size, s.asked, 1 << 20, &s.err), 0);
    const rft_sweep *sweep = &s.file.run->sweeps[0].sweep;
    rft_str want = RFT_STR_INIT;
    rft_str_addf(&want,
                 "--tool\nmemcheck\n--target-processes\napplication-only\n--report-api-errors\nno\n--padding\n65536\n"
                 "/nowhere/rooftune\npoint\nfirst file.lua\n--sweep\n%s\n--variant\n",
                 sweep->name);
    assert_int_equal(strncmp(text, rft_str_get(&want), want.length), 0);
    assert_non_null(strstr(text, "\n--bare\n--timeout\n1h\n--at\n"));
    assert_non_null(strstr(text, "\n-d\n1\n--\n--n\n5\nend\n"));
    rft_str_clear(&want);
    free(text);
    /* The same command again finds it stored. */
    assert_int_equal(rft_run_sanitize_all(&sanitize, &s.err), 0);
    assert_int_equal(asked_times(&s), times);
    stop(&s);
}

static void errors_are_stored_shown_and_a_status(void **state) {
    (void)state;
    scene s;
    start(&s, 1, ONE_READ "========= ERROR SUMMARY: 2 errors\n");
    rft_run_sanitize sanitize = of(&s);
    assert_int_equal(rft_run_sanitize_all(&sanitize, &s.err), 0);
    assert_int_equal(rft_run_sanitize_verdict(&sanitize, &s.err), RFT_E_SOURCE);
    assert_non_null(strstr(s.err.message, "compute-sanitizer found 2 errors: Invalid __global__ read of size 4 bytes"));
    assert_non_null(strstr(s.err.remedy, "compute-sanitizer --tool memcheck "));
    assert_non_null(strstr(s.err.remedy, "rooftune point 'first file.lua' --sweep "));
    rft_store_close(s.file.store);
    s.file.store = NULL;
    rft_run *read = NULL;
    rft_str text = RFT_STR_INIT;
    assert_int_equal(rft_store_load(&read, s.file.path, &s.err), 0);
    rft_show_run(&text, read, &(rft_show_opts){0});
    assert_non_null(strstr(rft_str_get(&text), "Accesses outside of buffers"));
    assert_non_null(strstr(rft_str_get(&text), "2 errors: Invalid __global__ read of size 4 bytes"));
    rft_str_truncate(&text, 0);
    rft_show_json(&text, read);
    assert_non_null(strstr(rft_str_get(&text), "\"sanitizer\":\"2 errors: Invalid"));
    rft_str_clear(&text);
    rft_run_free(read);
    /* A finished run has no writer: one is opened. What has errors is not asked again. */
    assert_int_equal(rft_run_sanitize_all(&sanitize, &s.err), 0);
    stop(&s);
}

static void without_the_tool_that_is_said_and_checked_later(void **state) {
    (void)state;
    scene s;
    start(&s, 2, "========= ERROR SUMMARY: 0 errors\n");
    rft_run_sanitize sanitize = of(&s);
    sanitize.tool = NULL;
    assert_int_equal(rft_run_sanitize_all(&sanitize, &s.err), 0);
    assert_int_equal(rft_run_sanitize_verdict(&sanitize, &s.err), 0);
    assert_int_equal(asked_times(&s), 0);
    size_t points = told(s.file.run, "not run: compute-sanitizer is not installed");
    assert_true(points > 0);
    sanitize.tool = s.tool;
    assert_int_equal(rft_run_sanitize_all(&sanitize, &s.err), 0);
    assert_int_equal(told(s.file.run, "clean"), points);
    stop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(its_words_are_understood),
                                       cmocka_unit_test(bests_are_asked_about_once),
                                       cmocka_unit_test(errors_are_stored_shown_and_a_status),
                                       cmocka_unit_test(without_the_tool_that_is_said_and_checked_later)};
    return cmocka_run_group_tests(tests, NULL, remove_temporary_paths);
}
