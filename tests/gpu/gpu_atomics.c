/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics on a real device: their ceilings and that of INT32 are what the hardware can be, and kernels that do little
 * else are held back by them. The rates by the cycle are printed; bands are those of any device, and of an H200.
 */
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/roofline/bound.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static rft_run *the_run; /* of atomics.db */

static void a_run_measures_what_its_script_names(void **state) {
    (void)state;
    real_program_expect(0, WORDS("run", real_program_file("tests/gpu/sweeps/atomics.lua"), "-o", "atomics.db",
                                 "--no-report", "--ceilings", "again", ONE_PROCESS, "--counters", "all"));
    the_run = real_program_load("atomics.db");
    assert_true(the_run->ceilings.items[RFT_CEILING_ATOMICS_L2_ONE].measured);
    assert_false(the_run->ceilings.items[RFT_CEILING_ATOMICS_L2_F32].measured);
    real_program_expect(0, WORDS("ceilings"));
}

/* Per cycle of the device, or of an SM. One word takes about one addition a cycle of the L2, whoever asks, unless the
 * lanes of a warp are put together on the way; 32 banks serve an SM. */
static void ceilings_are_possible(void **state) {
    static const struct {
        rft_ceiling_id id;
        bool of_an_sm;
        double low, high;           /* of any device */
        double h200_low, h200_high; /* 0: nothing is known */
    } rows[] = {
        {RFT_CEILING_INT32, true, 60, 260, 120, 200},
        {RFT_CEILING_ATOMICS_SHARED, true, 4, 32.1, 0, 0},
        {RFT_CEILING_ATOMICS_SHARED_ONE, true, 0.05, 32.1, 0, 0},
        {RFT_CEILING_ATOMICS_L2, false, 4, 512, 20, 200},
        {RFT_CEILING_ATOMICS_L2_ONE, false, 0.1, 32.1, 0.5, 32.1}, /* 0.63 with a lane of each warp */
        {RFT_CEILING_ATOMICS_SHARED_F32, true, 0.1, 32.1, 0, 0},
        {RFT_CEILING_ATOMICS_SHARED_F32_ONE, true, 0.001, 2, 0, 0},
        {RFT_CEILING_ATOMICS_L2_F32, false, 4, 512, 10, 200},
        {RFT_CEILING_ATOMICS_L2_F32_ONE, false, 0.05, 32.1, 0.2, 0.6}, /* 0.29: a sum by an atomic a thread */
    };
    (void)state;
    assert_non_null(the_run);
    real_program_expect(0, WORDS("run", real_program_file("tests/gpu/sweeps/atomics.lua"), "-o", "kept.db",
                                 "--no-report", "--at", "bins=1", TIMES_ONLY));
    rft_run *run = real_program_load("kept.db"); /* takes what `ceilings` kept: all of them */
    const bool h200 = strcmp(run->gpu.name, "NVIDIA H200") == 0;
    int missed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rft_ceiling *ceiling = &run->ceilings.items[rows[i].id];
        double cycle = rft_ceilings_per_cycle(&run->ceilings, rows[i].id) / (rows[i].of_an_sm ? run->gpu.sms : 1);
        bool known = h200 && rows[i].h200_high > 0;
        double low = known ? rows[i].h200_low : rows[i].low, high = known ? rows[i].h200_high : rows[i].high;
        bool in = cycle >= low && cycle <= high;
        printf("    %-24s %.4g/s, %.4g a cycle%s%s: %s\n", rft_ceiling_name(rows[i].id), ceiling->stats.median, cycle,
               rows[i].of_an_sm ? " and SM" : "", in ? "" : " IS NOT IN ITS BAND",
               ceiling->measured ? ceiling->kernel : ceiling->reason);
        missed += !in;
    }
    rft_run_free(run);
    assert_int_equal(missed, 0);
}

static void kernels_are_bound_by_them(void **state) {
    static const rft_pipe pipes[] = {RFT_PIPE_ATOMICS_L2_ONE, RFT_PIPE_ATOMICS_L2, RFT_PIPE_ATOMICS_SHARED};
    (void)state;
    assert_non_null(the_run);
    int missed = 0;
    for (size_t sweep = 0; sweep < the_run->sweep_count; sweep++) {
        const rft_point *best = rft_run_best(the_run, sweep, SIZE_MAX, the_run->sweeps[sweep].sweep.problem_count - 1);
        assert_non_null(best);
        rft_bound bound = rft_bound_whole_of(the_run, best);
        printf("    %s: %s\n", real_program_point_text(the_run, best), rft_bound_text(&bound, the_run->arena));
        for (size_t i = 0; i < bound.share_count; i++) {
            printf("        %s %.0f %%\n", rft_resource_name(bound.shares[i].resource, bound.shares[i].pipe),
                   100 * bound.shares[i].frac);
        }
        missed += !(bound.resource == RFT_RESOURCE_PIPE && bound.pipe == pipes[sweep]);
    }
    rft_run_free(the_run);
    assert_int_equal(missed, 0);
}

int gpu_atomics(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_measures_what_its_script_names),
        cmocka_unit_test(ceilings_are_possible),
        cmocka_unit_test(kernels_are_bound_by_them),
    };
    return real_program_tests(tests, sizeof tests / sizeof *tests, 0, NULL);
}
