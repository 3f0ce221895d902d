/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hardware counters through the program itself on a real device: what a run counts beside what it declares, a run that
 * counts nothing, one without CUPTI, one point, a replay. Where the device gives no counters, the reason is what is
 * tested.
 */
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "model/roofline/bound.h"
#include "model/roofline/counted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWEEP "docs/examples/saxpy.lua"

static rft_run *counted_run; /* of counted.db; counters may be refused in it */
static const char *refusal;  /* why; NULL: counted */

static const rft_point *best_of_largest(const rft_run *run) {
    return rft_run_best(run, 0, SIZE_MAX, run->sweeps[0].sweep.problem_count - 1);
}

static void a_run_counts_after_it_has_timed(void **state) {
    (void)state;
    real_program_expect(0, WORDS("run", real_program_file(SWEEP), "-o", "counted.db", "--no-report", ONE_PROCESS));
    real_program_said(real_program_err(), "counters default");
    counted_run = real_program_load("counted.db");
    const rft_point *best = best_of_largest(counted_run);
    assert_non_null(best);
    assert_non_null(best->counters);
    refusal = rft_counted_missing(best);
    if (refusal) { /* said once, with what to do; the run is whole */
        printf("    no counters here: %s\n", refusal);
        real_program_said(real_program_err(), refusal);
        real_program_said(real_program_err(), "remedy: ");
        assert_true(best->rounds[0].n > 0);
        return;
    }
    rft_arena *arena = rft_arena_new();
    double n = 268435456.0;
    const double *values = best->counters->values;
    printf("    %s: read %.6g of %.6g B, written %.6g of %.6g B, %.6g fma, %s\n",
           real_program_point_text(counted_run, best), values[RFT_COUNTER_DRAM_READ], best->work.bytes_read,
           values[RFT_COUNTER_DRAM_WRITE], best->work.bytes_written, values[RFT_COUNTER_FFMA],
           rft_counter_text(RFT_COUNTER_WARPS_ACTIVE, values[RFT_COUNTER_WARPS_ACTIVE], arena));
    assert_true(best->work.bytes_read == 8 * n && best->work.bytes_written == 4 * n); /* declared stays */
    assert_true(fabs(values[RFT_COUNTER_DRAM_READ] / best->work.bytes_read - 1) < 0.02);
    assert_true(fabs(2 * values[RFT_COUNTER_FFMA] / (2 * n) - 1) < 0.01);
    if (best->work.bytes_written > 10.0 * (double)counted_run->gpu.l2_bytes) {
        assert_true(fabs(values[RFT_COUNTER_DRAM_WRITE] / best->work.bytes_written - 1) < 0.02);
    }
    rft_disagreement apart[RFT_DISAGREEMENTS_MAX];
    size_t disagreements = rft_counted_disagreements(counted_run, best, arena, apart);
    if (disagreements) {
        fail_msg("%s", apart[0].text);
    }
    rft_bound bound = rft_bound_of(counted_run, best);
    printf("    %s\n", rft_bound_text(&bound, arena));
    assert_int_equal(bound.resource, RFT_RESOURCE_DRAM);
    assert_int_equal(bound.evidence, RFT_EVIDENCE_COUNTED);
    assert_true(bound.over_roof_frac < 1.05);
    rft_arena_free(arena);
}

static void the_chosen_have_their_sets(void **state) {
    (void)state;
    assert_non_null(counted_run);
    rft_arena *arena = rft_arena_new();
    rft_counted_choice *choices = NULL;
    size_t count = rft_counted_choose(counted_run, 0, arena, &choices);
    assert_true(count >= counted_run->sweeps[0].sweep.problem_count - 1);
    size_t left_out = 0;
    for (size_t i = 0; i < count && !refusal; i++) {
        const rft_counters *counters = choices[i].point->counters;
        assert_non_null(counters);
        const char *stalled = counters->reasons[RFT_COUNTER_STALL_LONG_SCOREBOARD];
        bool late = rft_counted_left_out(counters);
        left_out += late ? 1 : 0;
        assert_true(!late || choices[i].turn > RFT_COUNTED_TURN_LARGEST); /* there is a second for the best */
        assert_true((counters->passes >= 1) == !late);
        assert_true(isnan(counters->values[RFT_COUNTER_STALL_LONG_SCOREBOARD]) == (late || !choices[i].large));
        assert_true(choices[i].large || rft_text_equal(stalled, RFT_COUNTER_NOT_ASKED));
    }
    printf("    %zu points counted, %zu left out for time\n", count - left_out, left_out);
    rft_arena_free(arena);
}

static void a_run_may_do_without(void **state) {
    (void)state;
    assert_non_null(counted_run);
    real_program_expect(
        0, WORDS("run", real_program_file(SWEEP), "-o", "plain.db", "--no-report", "--at", "n=268435456", TIMES_ONLY));
    real_program_said(real_program_err(), "counters off (--counters none)");
    rft_run *plain = real_program_load("plain.db");
    for (size_t i = 0; i < plain->point_count; i++) {
        assert_null(plain->points[i].counters);
    }
    const rft_point *a = best_of_largest(counted_run), *b = best_of_largest(plain);
    double apart = rft_point_median_s(a) / rft_point_median_s(b) - 1;
    printf("    best of the largest: %+.2f %% against a run that counts nothing\n", 100 * apart);
    assert_true(fabs(apart) < 0.03); /* counting comes after all timing */
    rft_run_free(plain);
}

static void without_cupti_the_run_goes_on(void **state) {
    (void)state;
    setenv("RFT_CUPTI", "off", 1);
    real_program_expect(
        0, WORDS("run", real_program_file(SWEEP), "-o", "off.db", "--no-report", "--budget", "3", ONE_PROCESS));
    unsetenv("RFT_CUPTI");
    real_program_said(real_program_err(), "CUPTI is switched off");
    rft_run *run = real_program_load("off.db");
    assert_true(run->info.finished_unix_ns != 0);
    size_t refused = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_counters *counters = run->points[i].counters;
        if (counters) {
            refused++;
            assert_true(isnan(counters->values[RFT_COUNTER_DRAM_READ]));
            assert_non_null(strstr(counters->reasons[RFT_COUNTER_DRAM_READ], "RFT_CUPTI=off"));
        }
    }
    assert_true(refused > 0);
    rft_run_free(run);
}

static void one_point_is_counted(void **state) {
    (void)state;
    const char *const ways[] = {"--counters", "--in-process"};
    for (size_t i = 0; i < 2; i++) {
        const char *words[] = {"point",
                               real_program_file(SWEEP),
                               "--at",
                               "n=16777216",
                               "--counters",
                               "dram_read_bytes,fp32_fma",
                               i ? ways[1] : NULL,
                               NULL};
        real_program_expect(0, words);
        real_program_said(real_program_out(), "verified");
        if (refusal) {
            real_program_said(real_program_out(), "counters       none: ");
        } else {
            real_program_said(real_program_out(), "device memory, read");
            real_program_said(real_program_out(), "FP32 multiply-adds");
        }
    }
}

static void a_replay_has_the_same_counters(void **state) {
    (void)state;
    assert_non_null(counted_run);
    real_program_expect(0, WORDS("export", "counted.db", "-o", "counted.json.gz"));
    real_program_expect(
        0, WORDS("run", real_program_file(SWEEP), "-d", "replay:counted.json.gz", "-o", "replay.db", "--no-report"));
    real_program_said(real_program_err(), "counters as recorded");
    rft_run *replay = real_program_load("replay.db");
    const rft_point *best = best_of_largest(counted_run), *again = best_of_largest(replay);
    assert_non_null(again->counters);
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        double x = best->counters->values[i], y = again->counters->values[i];
        assert_true((isnan(x) && isnan(y)) || x == y);
    }
    rft_run_free(replay);
    real_program_expect(0, WORDS("show", "counted.db"));
    real_program_said(real_program_out(), "hardware counters");
}

int gpu_run_counters(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_counts_after_it_has_timed),
        cmocka_unit_test(the_chosen_have_their_sets),
        cmocka_unit_test(a_run_may_do_without),
        cmocka_unit_test(without_cupti_the_run_goes_on),
        cmocka_unit_test(one_point_is_counted),
        cmocka_unit_test(a_replay_has_the_same_counters),
    };
    return real_program_tests(tests, sizeof tests / sizeof *tests, 0, NULL);
}
