/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics on a real device: a run measures the ceilings of those that its script names, and kernels that do little else
 * are held back by them. gpu_ceilings has the bands of the rates.
 */
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/roofline/bound.h"

#include <stdio.h>

static rft_run *the_run; /* of atomics.db */

static void a_run_measures_what_its_script_names(void **state) {
    (void)state;
    real_program_expect(0, WORDS("run", real_program_file("tests/gpu/sweeps/atomics.lua"), "-o", "atomics.db",
                                 "--no-report", "--ceilings", "again", ONE_PROCESS, "--counters", "all"));
    the_run = real_program_load("atomics.db");
    assert_true(the_run->ceilings.items[RFT_CEILING_ATOMICS_L2_ONE].measured);
    assert_false(the_run->ceilings.items[RFT_CEILING_ATOMICS_L2_F32].measured);
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
        cmocka_unit_test(kernels_are_bound_by_them),
    };
    return real_program_tests(tests, sizeof tests / sizeof *tests, 0, NULL);
}
