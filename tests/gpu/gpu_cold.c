/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cold cache is cold for everyone: lines that a configuration asked to stay in L2 (evict last) help neither its own
 * next sample nor that of another one that shares its buffers. In the final round they take turns, in the first each is
 * alone: who asks for nothing takes as long in both.
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

#define APART_FRAC 0.015 /* 2.6 % were seen where written lines outlived the flush */

static const rft_point *point_of(const rft_run *run, int64_t stay) {
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (!run->sweeps[0].sweep.problems[point->problem].odd && point->config[0].as.integer == stay) {
            return point;
        }
    }
    fail_msg("no point with STAY = %d", (int)stay);
    return NULL;
}

static void what_stays_does_not_help(void **state) {
    (void)state;
    real_program_expect(
        0, WORDS("run", real_program_file("tests/gpu/sweeps/stays.lua"), "-o", "stays.db", "--no-report", TIMES_ONLY));
    rft_run *run = real_program_load("stays.db");
    double bytes = 2 * 4.0 * 16777216;
    for (int64_t stay = 0; stay < 3; stay++) {
        const rft_point *point = point_of(run, stay);
        double first_s = point->rounds[0].stats.median, turns_s = point->rounds[1].stats.median;
        printf("    STAY=%d: %.2f us alone (%.0f GB/s), %.2f us in turns\n", (int)stay, first_s * 1e6,
               bytes / first_s * 1e-9, turns_s * 1e6);
    }
    const rft_point *plain = point_of(run, 0);
    if (plain->rounds[1].n > 0) { /* else it was not among the best, by far */
        double apart = plain->rounds[1].stats.median / plain->rounds[0].stats.median - 1;
        if (!(fabs(apart) <= APART_FRAC)) {
            fail_msg("who asks for nothing takes %+.1f %% in turns with those who ask to stay", apart * 100);
        }
    }
    rft_run_free(run);
}

int gpu_cold(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_stays_does_not_help)};
    return real_program_tests(tests, sizeof tests / sizeof *tests, 80, "priorities of lines");
}
