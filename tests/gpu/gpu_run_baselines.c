/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baselines on a real device, as a user has them: cuBLASLt beside the fp32 matrix kernels and beside plain kernels of
 * every other type, verified against their references and shown; and a run without the library.
 */
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"

#include "model/run/baseline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 2048 };

/* What an H200 gives at this size with a cold cache: wide, since clocks and power limits differ. */
typedef struct expected {
    const char *sweep, *name;
    double low_tera, high_tera;
} expected;

static bool is_h200(const rft_run *run) {
    return strstr(run->gpu.name, "H200") && !strstr(run->gpu.name, "MIG");
}

static size_t sweep_of(const rft_run *run, const char *name) {
    for (size_t s = 0; s < run->sweep_count; s++) {
        if (strcmp(run->sweeps[s].sweep.name, name) == 0) {
            return s;
        }
    }
    fail_msg("there is no sweep %s", name);
    return 0;
}

static const rft_baseline *find(const rft_run *run, const expected *e, const char *which) {
    size_t s = sweep_of(run, e->sweep);
    rft_baseline like = {.sweep = s,
                         .problem = run->sweeps[s].sweep.problem_count - 1,
                         .name = e->name,
                         .which = which,
                         .same_protocol = true};
    const rft_baseline *found = rft_run_find_baseline(run, &like);
    if (!found) {
        fail_msg("there is no %s of %s, %s", e->name, e->sweep, which);
    }
    return found;
}

static double tera(const rft_baseline *b) {
    return 2.0 * SIDE * (double)SIDE * SIDE / b->measurement.stats.median * 1e-12;
}

static void check_one(const rft_run *run, const expected *e) {
    const rft_baseline *best = find(run, e, RFT_BASELINE_BEST), *first = find(run, e, RFT_BASELINE_FIRST);
    const rft_baseline *both[] = {best, first};
    if (best->outcome == RFT_OUTCOME_SKIPPED && run->gpu.cc_major < 9) {
        printf("    %s, %s: %s\n", e->sweep, e->name, best->reason);
        assert_true(best->reason && *best->reason);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        const rft_baseline *b = both[i];
        if (!rft_outcome_is_measured(b->outcome)) {
            fail_msg("%s, %s, %s: %s: %s", e->sweep, e->name, b->which, rft_outcome_name(b->outcome), b->reason);
        }
        const rft_verification *v = &b->verification;
        printf("    %s, %s, %s: %.1f Tera/s +- %.2f %%, n = %zu, %.0f MHz, worst error %.3f of %.2g; %s; %s of %d\n",
               e->sweep, e->name, b->which, tera(b), rft_stats_half_width_frac(&b->measurement.stats) * 100,
               b->measurement.n, b->measurement.clock_mhz, v->worst_frac, v->tol, b->library, b->algo, b->tried);
        assert_true(v->done && v->worst_frac <= 1);
        assert_int_equal(v->total_count, SIDE * SIDE);
        assert_true(b->measurement.n >= 5);
        assert_int_equal(b->measurement.cache, RFT_CACHE_COLD);
        assert_true(b->library && b->algo && b->tried >= 1);
        assert_true(!is_h200(run) || (tera(b) >= e->low_tera * (i ? 0.5 : 1.0) && tera(b) <= e->high_tera));
    }
    assert_true(best->measurement.stats.median <= first->measurement.stats.median);
}

static void fp32_beside_our_kernels(void **state) {
    static const expected e = {"matmul_fp32", "cuBLASLt", 40, 60};
    (void)state;
    /* The sweep as it is, with three of its sizes and few configurations of each variant. */
    real_program_expect(0, WORDS("run", real_program_file("sweeps/matmul_fp32.lua"), "--at", "n=128", "--at", "n=512",
                                 "--at", "n=2048", "--budget", "24", "-o", "all.db", "--no-report", TIMES_ONLY));
    rft_run *run = real_program_load("all.db");
    size_t measured = 0;
    for (size_t i = 0; i < run->baseline_count; i++) {
        measured += rft_baseline_is_measured(&run->baselines[i]);
    }
    assert_int_equal(run->baseline_count, 6); /* the best and the first heuristic of each size */
    assert_int_equal(measured, 6);
    size_t s = sweep_of(run, "matmul_fp32");
    for (size_t p = 0; p < run->sweeps[s].sweep.problem_count; p++) {
        const rft_problem *problem = &run->sweeps[s].sweep.problems[p];
        rft_baseline like = {.sweep = s, .problem = p, .name = e.name, .which = "best", .same_protocol = true};
        if (problem->odd || problem->values[0].as.integer != SIDE) {
            continue;
        }
        const rft_baseline *b = rft_run_find_baseline(run, &like);
        const rft_point *ours = rft_run_best(run, s, SIZE_MAX, p);
        assert_non_null(b);
        assert_non_null(ours);
        printf("    cuBLASLt fp32: %.1f TFLOP/s; %s\n", tera(b), rft_versus_text(run, ours, b, run->arena));
        assert_true(b->verification.done && b->verification.worst_frac <= 1);
        assert_true(!is_h200(run) || (tera(b) >= e.low_tera && tera(b) <= e.high_tera));
    }
    rft_run_free(run);
    real_program_expect(0, WORDS("show", "all.db", "--full"));
    real_program_said(real_program_out(), "of cuBLASLt");
    real_program_said(real_program_out(), "first heuristic");
    real_program_said(real_program_out(), " algo ");
    real_program_expect(0, WORDS("report", "all.db", "-o", "all.pdf"));
    assert_true(real_program_has_file("all.pdf"));
}

static void every_type_is_verified(void **state) {
    static const expected all[] = {{"fp32", "cuBLASLt", 40, 60},    {"fp32", "cuBLASLt tf32", 150, 535},
                                   {"fp16", "cuBLASLt", 250, 1071}, {"bf16", "cuBLASLt", 250, 1071},
                                   {"fp8", "cuBLASLt", 300, 2141},  {"int8", "cuBLASLt", 300, 2141}};
    (void)state;
    real_program_expect(0, WORDS("run", real_program_file("tests/gpu/sweeps/baseline.lua"), "-o", "types.db",
                                 "--no-report", TIMES_ONLY));
    rft_run *run = real_program_load("types.db");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        check_one(run, &all[i]);
    }
    rft_run_free(run);
    /* A replay carries them. */
    real_program_expect(0, WORDS("export", "types.db", "-o", "types.json.gz"));
    real_program_expect(0, WORDS("run", real_program_file("tests/gpu/sweeps/baseline.lua"), "-d",
                                 "replay:types.json.gz", "-o", "replay.db", "--no-report"));
    run = real_program_load("replay.db");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        find(run, &all[i], RFT_BASELINE_BEST);
    }
    rft_run_free(run);
}

static void without_the_library_the_run_goes_on(void **state) {
    (void)state;
    setenv("RFT_CUBLASLT", "off", 1);
    real_program_expect(0, WORDS("run", real_program_file("tests/gpu/sweeps/baseline.lua"), "-o", "without.db",
                                 "--no-report", TIMES_ONLY));
    unsetenv("RFT_CUBLASLT");
    real_program_said(real_program_err(), "cuBLASLt is switched off: RFT_CUBLASLT=off");
    rft_run *run = real_program_load("without.db");
    assert_int_equal(run->baseline_count, 12);
    for (size_t i = 0; i < run->baseline_count; i++) {
        assert_int_equal(run->baselines[i].outcome, RFT_OUTCOME_SKIPPED);
        assert_true(isnan(run->baselines[i].measurement.stats.median));
    }
    assert_true(run->info.finished_unix_ns > 0);
    rft_run_free(run);
    real_program_expect(0, WORDS("show", "without.db"));
    real_program_said(real_program_out(), "cuBLASLt is switched off");
}

int gpu_run_baselines(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_verified),
        cmocka_unit_test(without_the_library_the_run_goes_on),
        cmocka_unit_test(fp32_beside_our_kernels),
    };
    return real_program_tests(tests, sizeof tests / sizeof *tests, 89, "fp8");
}
