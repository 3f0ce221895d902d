/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mistakes that `rooftune check` cannot tell (tests/cli/cases/mistakes.sh has those that it does): the first
 * verified launch of a run does, with the element and what it should be.
 */
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

/* The first is right. */
static const char *const variants[] = {"right", "inputs swapped", "output read first", "tail left out",
                                       "another constant"};
enum { COUNT = sizeof variants / sizeof *variants };

static size_t variant_of(const rft_run *run, const rft_point *point) {
    const char *name = run->sweeps[point->sweep].sweep.variants[point->variant].name;
    size_t i = 0;
    while (i < COUNT && strcmp(variants[i], name) != 0) {
        i++;
    }
    assert_true(i < COUNT);
    return i;
}

static void the_first_verified_launch_tells(void **state) {
    (void)state;
    bool seen[COUNT] = {false};
    real_program_expect(0, WORDS("run", real_program_file("tests/gpu/sweeps/mistakes.lua"), "-o", "mistakes.db",
                                 "--no-report", TIMES_ONLY));
    rft_run *run = real_program_load("mistakes.db");
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        const char *text = real_program_point_text(run, point);
        size_t variant = variant_of(run, point);
        bool right = rft_outcome_is_measured(point->outcome);
        printf("    %s\n", text);
        if (variant == 0 ? !right : point->outcome != RFT_OUTCOME_WRONG_RESULT) {
            fail_msg("%s", text);
        }
        if (variant > 0) {
            real_program_said(text, "c[");
        }
        seen[variant] = true;
    }
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(seen[i]);
    }
    rft_run_free(run);
}

int gpu_mistakes(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_verified_launch_tells)};
    return real_program_tests(tests, sizeof tests / sizeof *tests, 0, NULL);
}
