/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `run --sanitize best` on a real device. A tool of our own starts what it is given and finds nothing: so the device is
 * free when it comes, and the point runs. Where CUDA's own is installed it finds the read that padding hides.
 */
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTSIDE real_program_file("tests/fault/outside.lua"), "--at", "n=1000"

static const char *the_path; /* as this test found it */

static const char tool[] = "#!/bin/sh\n"
                           "while [ \"${1#--}\" != \"$1\" ]; do shift 2; done\n" /* each option has a value */
                           "\"$@\"\n"
                           "status=$?\n"
                           "echo '========= ERROR SUMMARY: 0 errors'\n"
                           "exit $status\n";

/* The folder of that tool, in front of all others. */
static void use_own_tool(void) {
    static char folder[] = "/tmp/rft-sanitizer-XXXXXX";
    char file[64], path[4096];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/compute-sanitizer", folder);
    snprintf(path, sizeof path, "%s:%s", folder, the_path);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(tool, out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod(file, 0700), 0);
    assert_int_equal(setenv("PATH", path, 1), 0);
}

static size_t said(const rft_run *run, const char *part) {
    size_t count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        const char *words = point->alias_of ? NULL : point->verification.sanitizer;
        if (words) {
            printf("    %s: %s\n", real_program_point_text(run, point), words);
        }
        count += words && strstr(words, part) ? 1 : 0;
    }
    return count;
}

static void the_bests_run_once_more(void **state) {
    (void)state;
    use_own_tool();
    real_program_expect(0, WORDS("run", OUTSIDE, "-o", "own.db", "--sanitize", "best", "--no-report", TIMES_ONLY));
    rft_run *run = real_program_load("own.db");
    assert_int_equal(said(run, "clean"), 3); /* both bests; of `reads` the odd size too */
    rft_run_free(run);
    real_program_expect(0, WORDS("show", "own.db"));
    real_program_said(real_program_out(), "Accesses outside of buffers");
    setenv("PATH", the_path, 1);
}

static void a_read_outside_is_found_where_the_tool_is(void **state) {
    (void)state;
    int status = real_program(WORDS("run", OUTSIDE, "-o", "real.db", "--sanitize", "best", "--no-report", TIMES_ONLY));
    rft_run *run = real_program_load("real.db");
    size_t without = said(run, "not run: compute-sanitizer is not installed");
    if (without > 0) {
        assert_int_equal(status, 0);
        real_program_said(real_program_err(), "compute-sanitizer is neither on PATH nor in CUDA's folder");
    } else {
        assert_int_equal(status, 5);
        assert_int_equal(said(run, "Invalid __global__ read of size 4 bytes"), 2);
        assert_int_equal(said(run, "clean"), 1);
    }
    rft_run_free(run);
}

int gpu_sanitize(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bests_run_once_more),
        cmocka_unit_test(a_read_outside_is_found_where_the_tool_is),
    };
    the_path = getenv("PATH") ? strdup(getenv("PATH")) : "/usr/bin:/bin";
    return real_program_tests(tests, sizeof tests / sizeof *tests, 0, NULL);
}
