/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuBLASLt in a kernel's place on a real device, as a user has it: every kind of number verified against the shipped
 * reference, shown, counted and replayed; a run without the library; and the linear layer in fp16, whose times grow
 * with m only where the tensor units hold them back.
 */
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 8 };

static bool is_candidate(const rft_point *point) {
    return rft_outcome_is_measured(point->outcome);
}

/* The first of the list must be right on every problem, odd ones too. */
static void check_points(const rft_run *run) {
    size_t measured = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        const char *sweep = run->sweeps[point->sweep].sweep.name;
        bool odd = run->sweeps[point->sweep].sweep.problems[point->problem].odd;
        bool has_math = strcmp(sweep, "fp8") != 0 || real_program_cc() >= 89;
        if (point->outcome == RFT_OUTCOME_WRONG_RESULT || point->outcome == RFT_OUTCOME_LAUNCH_FAILED) {
            fail_msg("%s", real_program_point_text(run, point));
        }
        if (!is_candidate(point)) {
            assert_non_null(point->reason);
            assert_true(odd || !has_math || point->config[0].as.integer > 0);
            continue;
        }
        measured++;
        assert_true(point->verification.done && point->verification.worst_frac <= 1);
        assert_null(point->facts.cubin_hash);
        assert_false(point->has_launch);
        assert_true(odd || rft_point_median_s(point) > 0);
    }
    printf("    %zu of %zu points measured\n", measured, run->point_count);
    for (size_t s = 0; s < run->sweep_count; s++) {
        size_t problems = run->sweeps[s].sweep.problem_count;
        const rft_point *best = rft_run_best(run, s, SIZE_MAX, problems - 1);
        bool has_math = strcmp(run->sweeps[s].sweep.name, "fp8") != 0 || real_program_cc() >= 89;
        if (best) {
            const rft_verification *v = &best->verification;
            printf("    %s: %.2f us, worst error %.3f of %.2g, %llu elements\n", run->sweeps[s].sweep.name,
                   rft_point_median_s(best) * 1e6, v->worst_frac, v->tol, (unsigned long long)v->total_count);
        }
        assert_true(best || !has_math);
    }
}

static void every_kind_of_number_is_verified(void **state) {
    (void)state;
    real_program_expect(0, WORDS("run", real_program_file("tests/gpu/sweeps/vendor_kernel.lua"), "-o", "kinds.db",
                                 "--no-report", TIMES_ONLY));
    rft_run *run = real_program_load("kinds.db");
    assert_int_equal(run->sweep_count, SWEEPS);
    check_points(run);
    rft_run_free(run);
    real_program_expect(0, WORDS("show", "kinds.db"));
    real_program_said(real_program_out(), "cuBLASLt");
    real_program_expect(0, WORDS("report", "kinds.db", "-o", "kinds.pdf"));
    real_program_expect(0, WORDS("export", "kinds.db", "-o", "kinds.json.gz"));
    real_program_expect(0, WORDS("run", real_program_file("tests/gpu/sweeps/vendor_kernel.lua"), "-d",
                                 "replay:kinds.json.gz", "-o", "replay.db", "--no-report"));
    run = real_program_load("replay.db");
    check_points(run);
    rft_run_free(run);
}

static void one_point_names_the_algorithm(void **state) {
    (void)state;
    real_program_expect(0, WORDS("point", real_program_file("tests/gpu/sweeps/vendor_kernel.lua"), "--sweep", "fp16",
                                 "--at", "m=320", "--set", "ALGO=1"));
    real_program_said(real_program_out(), "outcome        ok");
    real_program_said(real_program_out(), "library        cuBLASLt");
    real_program_said(real_program_out(), "algo ");
}

static void without_the_library_points_are_skipped(void **state) {
    (void)state;
    setenv("RFT_CUBLASLT", "off", 1);
    int status = real_program(WORDS("run", real_program_file("tests/gpu/sweeps/vendor_kernel.lua"), "-o", "without.db",
                                    "--no-report", TIMES_ONLY));
    unsetenv("RFT_CUBLASLT");
    printf("    exit status %d\n", status);
    rft_run *run = real_program_load("without.db");
    assert_true(run->point_count > 0);
    for (size_t i = 0; i < run->point_count; i++) {
        assert_int_equal(run->points[i].outcome, RFT_OUTCOME_SKIPPED);
        assert_non_null(strstr(run->points[i].reason, "cuBLASLt is switched off: RFT_CUBLASLT=off"));
    }
    rft_run_free(run);
}

static double time_of(const rft_run *run, int64_t m) {
    const rft_sweep *sweep = &run->sweeps[0].sweep;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        const rft_point *best = rft_run_best(run, 0, SIZE_MAX, p);
        if (!sweep->problems[p].odd && sweep->problems[p].values[0].as.integer == m && best) {
            return rft_point_median_s(best);
        }
    }
    fail_msg("nothing measured at m = %lld", (long long)m);
    return NAN;
}

static void a_linear_layer_turns(void **state) {
    (void)state;
    real_program_expect(0, WORDS("run", real_program_file("sweeps/linear_fp16.lua"), "-o", "linear.db", "--no-report",
                                 "--at", "m=1", "--at", "m=16", "--at", "m=2048", "--at", "m=4096", TIMES_ONLY, "--",
                                 "4096"));
    rft_run *run = real_program_load("linear.db");
    double few_s = time_of(run, 1), some_s = time_of(run, 16), half_s = time_of(run, 2048), many_s = time_of(run, 4096);
    printf("    n = k = 4096: m = 1 %.2f us, 16 %.2f us, 2048 %.2f us, 4096 %.2f us\n", few_s * 1e6, some_s * 1e6,
           half_s * 1e6, many_s * 1e6);
    assert_true(some_s < 2 * few_s);                             /* W is read once, whatever m is */
    assert_true(many_s > 1.5 * half_s && many_s < 2.7 * half_s); /* twice the work takes twice the time */
    rft_run_free(run);
}

int gpu_run_vendor(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_number_is_verified),
        cmocka_unit_test(one_point_names_the_algorithm),
        cmocka_unit_test(without_the_library_points_are_skipped),
        cmocka_unit_test(a_linear_layer_turns),
    };
    return real_program_tests(tests, sizeof tests / sizeof *tests, 80, "bf16 and tf32");
}
