/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main job on a real device, as a user does it: run, show, best, report, export, replay of the export; the same
 * command again; a run that is interrupted, then killed, then continued to a final round of three processes.
 */
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SWEEP "docs/examples/saxpy.lua"
#define MAIN_JOB "run", real_program_file(SWEEP), "-o", "run.db", "--counters", "none", "--energy", "none"

static rft_run *the_run; /* of run.db */

static void a_run_measures_everything(void **state) {
    (void)state;
    real_program_expect(0, WORDS(MAIN_JOB));
    real_program_said(real_program_err(), "36 of 36 valid");
    real_program_said(real_program_out(), "run.pdf");
    assert_true(real_program_has_file("run.pdf"));
    the_run = real_program_load("run.db");
    assert_true(the_run->info.finished_unix_ns > the_run->info.started_unix_ns);
    assert_null(the_run->info.replay_of);
    assert_int_equal(the_run->point_count, 48); /* 12 configurations, 3 sizes and the odd one */
    for (size_t i = 0; i < the_run->point_count; i++) {
        const rft_point *point = &the_run->points[i];
        assert_int_equal(point->id, i + 1);
        if (!rft_outcome_is_measured(point->outcome)) {
            fail_msg("%s", real_program_point_text(the_run, point));
        }
    }
}

/* Each process takes a block of samples; of three and more, what another run would read is not far. Returns the number
 * of timed problems whose best was in so many processes. */
static size_t expect_processes(const rft_run *run, size_t wanted) {
    size_t count = 0;
    for (size_t p = 0; p < run->sweeps[0].sweep.problem_count; p++) {
        const rft_point *best = rft_run_best(run, 0, SIZE_MAX, p);
        const rft_measurement *m = best ? &best->rounds[1] : NULL;
        if (!m || m->process_count < 2) { /* odd; one process knows of no other */
            continue;
        }
        for (size_t i = 0; i < m->process_count; i++) {
            assert_true(m->process_n[i] >= 3);
        }
        printf("    %s: %.2f us, another run of %zu processes %.2f to %.2f\n", real_program_point_text(run, best),
               m->repeat.figure * 1e6, m->process_count, m->repeat.repeat_low * 1e6, m->repeat.repeat_high * 1e6);
        assert_true(m->repeat.repeat_low <= m->repeat.figure && m->repeat.figure <= m->repeat.repeat_high);
        assert_true(m->process_count < 3 || m->repeat.repeat_high < 1.5 * m->repeat.figure);
        count += m->process_count == wanted;
    }
    return count;
}

/* The largest size is bound by device memory: 3 GiB cannot come from a cache. */
static void the_numbers_are_possible(void **state) {
    (void)state;
    assert_non_null(the_run);
    const rft_ceiling *ceiling = &the_run->ceilings.items[RFT_CEILING_DRAM_2TO1];
    if (!ceiling->measured) {
        fail_msg("the ceiling of 2 reads : 1 write was not measured: %s", ceiling->reason);
    }
    const rft_point *best = rft_run_best(the_run, 0, SIZE_MAX, the_run->sweeps[0].sweep.problem_count - 1);
    assert_non_null(best);
    double rate = 12.0 * 268435456.0 / rft_point_median_s(best);
    printf("    %s: %.0f GB/s; ceiling %.0f GB/s, limit %.0f GB/s\n", real_program_point_text(the_run, best),
           rate * 1e-9, ceiling->stats.median * 1e-9, ceiling->limit * 1e-9);
    assert_true(rate > 0.5 * ceiling->stats.median);
    assert_true(rate < 1.05 * ceiling->stats.median);
    assert_true(isnan(ceiling->limit) || rate < ceiling->limit);
    assert_true(best->rounds[1].n >= 10);
    expect_processes(the_run, 1); /* as many as it took */
    assert_int_equal(best->facts.spill_bytes, 0);
    assert_true(best->facts.registers > 0 && best->facts.occupancy_frac > 0);
}

static void the_environment_is_recorded(void **state) {
    (void)state;
    assert_non_null(the_run);
    static const char *const keys[] = {"gpu.name",         "gpu.arch",           "driver.cuda",
                                       "nvrtc.version",    "host.cpu",           "host.kernel",
                                       "rooftune.version", "nvml.power_limit_w", "host.cores",
                                       "cupti.version",    "cublaslt.version",   "nvml.mps_processes",
                                       "host.locale",      "rooftune.compiler",  "nvml.application_sm_clock_mhz"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const rft_env_item *item = rft_env_get(&the_run->env, keys[i]);
        if (!item) {
            fail_msg("the run does not mention %s", keys[i]);
            return;
        }
        assert_true((item->value && *item->value) || (item->reason && *item->reason));
    }
    assert_string_equal(rft_env_value(&the_run->env, "gpu.name"), the_run->gpu.name);
}

static void the_same_command_again_measures_nothing(void **state) {
    (void)state;
    assert_non_null(the_run);
    real_program_expect(0, WORDS(MAIN_JOB));
    real_program_said(real_program_err(), "finished");
    rft_run *again = real_program_load("run.db");
    assert_string_equal(again->info.id, the_run->info.id);
    assert_int_equal(again->point_count, the_run->point_count);
    assert_int_equal(again->info.finished_unix_ns, the_run->info.finished_unix_ns);
    rft_run_free(again);
}

static void a_run_can_be_shown_and_reported(void **state) {
    (void)state;
    assert_non_null(the_run);
    real_program_expect(0, WORDS("show", "run.db"));
    real_program_said(real_program_out(), the_run->gpu.name);
    real_program_expect(0, WORDS("best", "run.db"));
    real_program_said(real_program_out(), "VEC");
    real_program_expect(0, WORDS("report", "run.db", "-o", "again.pdf"));
    assert_true(real_program_has_file("again.pdf"));
}

/* The best of each problem, by configuration and median. A recording has 9 digits of each sample. */
static void expect_same_bests(rft_run *a, rft_run *b) {
    const rft_sweep *sweep = &a->sweeps[0].sweep;
    assert_int_equal(sweep->problem_count, b->sweeps[0].sweep.problem_count);
    for (size_t p = 0; p < sweep->problem_count; p++) {
        const rft_point *x = rft_run_best(a, 0, SIZE_MAX, p), *y = rft_run_best(b, 0, SIZE_MAX, p);
        assert_int_equal(x == NULL, y == NULL);
        double apart = x && y ? fabs(rft_point_median_s(x) / rft_point_median_s(y) - 1) : 0;
        if (x && (!rft_values_equal(x->config, y->config, sweep->variants[0].param_count) || !(apart < 1e-7))) {
            fail_msg("%s in %.9g s, but %s in %.9g s", real_program_point_text(a, x), rft_point_median_s(x),
                     real_program_point_text(b, y), rft_point_median_s(y));
        }
    }
}

static void a_replay_of_the_export_finds_the_same(void **state) {
    (void)state;
    assert_non_null(the_run);
    real_program_expect(0, WORDS("export", "run.db", "-o", "run.json.gz"));
    real_program_expect(0, WORDS("run", real_program_file(SWEEP), "-d", "replay:run.json.gz", "-o", "replay.db"));
    rft_run *replay = real_program_load("replay.db");
    assert_string_equal(replay->info.replay_of, the_run->info.id);
    assert_int_equal(replay->point_count, the_run->point_count);
    assert_true(replay->info.recompiled > 0);
    assert_int_equal(replay->info.recompiled_same, replay->info.recompiled);
    expect_same_bests(the_run, replay);
    rft_run_free(replay);

    rft_run *recording = real_program_load("run.json.gz");
    expect_same_bests(the_run, recording);
    rft_run_free(recording);
}

/* ---- stopped and continued ---- */

/* A fifth of a second for each of 12 large points: it does not end before it is stopped, however warm the caches are,
 * and its file stays small enough to be looked into twenty times a second. */
#define TO_BE_STOPPED                                                                                                  \
    WORDS("run", real_program_file(SWEEP), "-o", "stopped.db", "--no-report", "--min-time", "0.2s", "--at",            \
          "n=268435456", "--processes", "3", "--energy", "none", "--counters", "none")
enum { STOPPED_POINTS = 24 }; /* each on the odd size too, which is checked only */

/* Starts the run, waits until the file holds `count` more points than `before`, sends the signal; the exit status. */
static int stop_after(size_t before, size_t count, int signal_number) {
    pid_t child = real_program_start(TO_BE_STOPPED);
    assert_true(child > 0);
    size_t points = 0;
    while (points < before + count && real_program_is_running(child)) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        rft_run *run = real_program_try_load("stopped.db");
        points = run ? run->point_count : 0;
        rft_run_free(run);
    }
    kill(child, signal_number);
    return real_program_wait(child);
}

static bool same_samples(const rft_measurement *a, const rft_measurement *b) {
    return a->n == b->n && (a->n == 0 || memcmp(a->samples_s, b->samples_s, a->n * sizeof *a->samples_s) == 0);
}

/* Every point of `before` is still there, untouched, and there are more. */
static void expect_continued(const rft_run *before, const rft_run *after) {
    assert_string_equal(before->info.id, after->info.id);
    assert_true(after->point_count > before->point_count);
    for (size_t i = 0; i < before->point_count; i++) {
        const rft_point *a = &before->points[i], *b = &after->points[i];
        assert_int_equal(a->id, b->id);
        assert_int_equal(a->problem, b->problem);
        assert_true(rft_values_equal(a->config, b->config, 2));
        assert_int_equal(a->outcome, b->outcome);
        assert_true(same_samples(&a->rounds[0], &b->rounds[0]));
    }
    for (size_t i = 0; i < after->point_count; i++) {
        for (size_t k = 0; k < i; k++) {
            const rft_point *a = &after->points[i], *b = &after->points[k];
            assert_false(a->problem == b->problem && rft_values_equal(a->config, b->config, 2));
        }
    }
}

static void a_stopped_run_continues(void **state) {
    (void)state;
    assert_int_equal(stop_after(0, 5, SIGINT), 130);
    real_program_said(real_program_err(), "continue with: ");
    rft_run *first = real_program_load("stopped.db");
    printf("    interrupted with %zu points\n", first->point_count);
    assert_int_equal(first->info.finished_unix_ns, 0);
    assert_in_range(first->point_count, 5, STOPPED_POINTS - 1);

    assert_int_equal(stop_after(first->point_count, 3, SIGKILL), 128 + SIGKILL);
    rft_run *second = real_program_load("stopped.db");
    printf("    killed with %zu points\n", second->point_count);
    assert_int_equal(second->info.finished_unix_ns, 0);
    expect_continued(first, second);

    real_program_expect(0, TO_BE_STOPPED);
    rft_run *third = real_program_load("stopped.db");
    assert_true(third->info.finished_unix_ns > 0);
    assert_int_equal(third->point_count, STOPPED_POINTS);
    expect_continued(second, third);
    assert_int_equal(expect_processes(third, 3), 1);
    rft_run_free(first);
    rft_run_free(second);
    rft_run_free(third);
}

int gpu_run(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_measures_everything),       cmocka_unit_test(the_numbers_are_possible),
        cmocka_unit_test(the_environment_is_recorded),     cmocka_unit_test(the_same_command_again_measures_nothing),
        cmocka_unit_test(a_run_can_be_shown_and_reported), cmocka_unit_test(a_replay_of_the_export_finds_the_same),
        cmocka_unit_test(a_stopped_run_continues),
    };
    return real_program_tests(tests, sizeof tests / sizeof *tests, 0, NULL);
}
