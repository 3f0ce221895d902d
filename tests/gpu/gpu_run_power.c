/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Power through the program itself on a real device: a run whose soak is interrupted and continued, watts and joules of
 * its copy that comes from device memory, the device at rest, three seconds of load. Where the device has no sensor,
 * the reason is what is tested.
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
#include "model/roofline/placement.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SWEEP "tests/gpu/sweeps/copy_power.lua"

static rft_run *the_run; /* of power.db */

static const rft_point *the_best(const rft_run *run) {
    return rft_run_best(run, 0, SIZE_MAX, rft_run_largest(run, 0));
}

static void expect_plausible(const rft_load *load, double least_w) {
    assert_non_null(load->source);
    assert_true(load->power_w > least_w && load->power_w < 2000.0);
    assert_true(load->uncertainty_frac > 0.0 && load->uncertainty_frac < 0.1);
}

#define MEASURE(soak)                                                                                                  \
    WORDS("run", real_program_file(SWEEP), "-o", "power.db", "--no-report", "--energy", "best", "--soak", soak,        \
          "--processes", "1", "--counters", "none")

/* The loads before the soak are in the file. */
static bool has_come_to_the_soak(const rft_run *run) {
    const rft_point *best = run && run->point_count ? the_best(run) : NULL;
    bool timed = best && best->rounds[RFT_ROUNDS - 1].n > 0;
    return timed && run->idle && (!run->idle->source || best->loads[RFT_LOAD_ENERGY]);
}

/* Waits until the run soaks, then Ctrl-C: at once, nothing of the soak is kept, and the same command takes it anew. */
static void an_interrupted_soak(void **state) {
    (void)state;
    pid_t child = real_program_start(MEASURE("600s"));
    bool soaks = false;
    for (int i = 0; i < 1200 && !soaks && real_program_is_running(child); i++) {
        usleep(50000);
        rft_run *run = real_program_try_load("power.db");
        soaks = has_come_to_the_soak(run);
        rft_run_free(run);
    }
    assert_true(soaks);
    usleep(500000);
    assert_true(real_program_is_running(child));
    time_t asked = time(NULL);
    kill(child, SIGINT);
    int status = real_program_wait(child);
    assert_int_not_equal(status, 0);
    assert_true(time(NULL) - asked < 30);
    rft_run *half = real_program_load("power.db");
    assert_int_equal(half->info.finished_unix_ns, 0);
    assert_null(the_best(half)->loads[RFT_LOAD_SOAK]);
    rft_run_free(half);
    real_program_expect(0, MEASURE("3s"));
    the_run = real_program_load("power.db");
    assert_true(the_run->info.finished_unix_ns != 0);
    assert_non_null(the_best(the_run)->loads[RFT_LOAD_SOAK]);
}

static void a_run_reads_the_sensor(void **state) {
    (void)state;
    assert_non_null(the_run);
    const rft_point *best = the_best(the_run);
    assert_non_null(best);
    assert_non_null(the_run->idle);
    if (!the_run->idle->source) {
        printf("    no sensor here: %s\n", the_run->idle->energy_reason);
        assert_true(the_run->idle->energy_reason && *the_run->idle->energy_reason);
        assert_null(best->loads[RFT_LOAD_ENERGY]);
        return;
    }
    const rft_load *energy = best->loads[RFT_LOAD_ENERGY];
    assert_non_null(energy);
    expect_plausible(the_run->idle, 5.0);
    expect_plausible(energy, 1.1 * the_run->idle->power_w);
    double bytes = rft_work_bytes(&best->work);
    printf("    at rest %.1f W +-%.1f %%; %s: %.1f W +-%.1f %%, %.4f J a run, %.2f GB/s/W, window %.2f s, %.0f MHz\n",
           the_run->idle->power_w, the_run->idle->uncertainty_frac * 100, real_program_point_text(the_run, best),
           energy->power_w, energy->uncertainty_frac * 100, energy->joules_per_run,
           rft_load_per_joule(energy, bytes) * 1e-9, energy->window_s, energy->clock_mhz);
    if (strstr(the_run->gpu.name, "H200") || strstr(the_run->gpu.name, "H100")) {
        assert_true(energy->power_w > 100.0 && energy->power_w < 750.0);
    }
    /* 2 GiB a run do not come from a cache: back to back is no faster than a sample, and little slower */
    assert_true(fabs(energy->run_s / rft_point_median_s(best) - 1.0) < 0.1);
    assert_true(fabs(energy->joules_per_run / (energy->power_w * energy->window_s / (double)energy->runs) - 1) < 1e-6);
    assert_true(energy->window_s >= 1.0 && energy->window_s < 4.5 && !energy->restored);
}

static void a_soak_has_its_own_time(void **state) {
    (void)state;
    assert_non_null(the_run);
    const rft_point *best = the_best(the_run);
    const rft_load *soak = best->loads[RFT_LOAD_SOAK];
    assert_non_null(soak);
    assert_null(soak->reason);
    double ratio = rft_point_sustained_s(best) / rft_point_median_s(best);
    printf("    burst %.1f us, sustained %.1f us (%.3f), %zu of %zu samples, %.0f MHz, %.1f W, %.0f to %.0f C\n",
           rft_point_median_s(best) * 1e6, rft_point_sustained_s(best) * 1e6, ratio, soak->stats.n, soak->n,
           soak->clock_mhz, soak->power_w, soak->temperature_start_c, soak->temperature_end_c);
    assert_true(ratio > 0.8 && ratio < 1.2);
    assert_true(soak->stats.n >= 5 && soak->stats.n < soak->n);
    assert_true(soak->at_s[soak->n - 1] > 2.5 && soak->at_s[soak->n - 1] < 4.0);
    rft_placement place = rft_placement_of(the_run, best);
    rft_placement sustained = rft_placement_sustained(the_run, best);
    printf("    %.1f %% of the burst ceiling, %.1f %% of the sustained one\n", place.efficiency_frac * 100,
           sustained.efficiency_frac * 100);
    assert_true(sustained.efficiency_frac > 0.5 && sustained.efficiency_frac < 1.1);
}

static void they_are_shown(void **state) {
    (void)state;
    assert_non_null(the_run);
    real_program_expect(0, WORDS("show", "power.db"));
    real_program_said(real_program_out(), "under load for 3 s");
    real_program_said(real_program_out(), the_run->idle->source ? "launches back to back" : "Power is not known: ");
    real_program_said(real_program_out(), "Energy");
    real_program_expect(0, WORDS("export", "power.db", "-o", "power.json.gz"));
    real_program_expect(
        0, WORDS("run", real_program_file(SWEEP), "-d", "replay:power.json.gz", "-o", "replay.db", "--no-report"));
    rft_run *replay = real_program_load("replay.db");
    const rft_point *best = the_best(replay);
    assert_non_null(best);
    assert_non_null(best->loads[RFT_LOAD_SOAK]);
    assert_true(fabs(rft_point_sustained_s(best) / rft_point_sustained_s(the_best(the_run)) - 1.0) < 1e-6);
    rft_run_free(replay);
}

int gpu_run_power(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupted_soak),
        cmocka_unit_test(a_run_reads_the_sensor),
        cmocka_unit_test(a_soak_has_its_own_time),
        cmocka_unit_test(they_are_shown),
    };
    return real_program_tests(tests, sizeof tests / sizeof *tests, 0, NULL);
}
