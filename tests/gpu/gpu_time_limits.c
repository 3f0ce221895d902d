/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.timeout on a device (tests/gpu/sweeps/time_limits.lua): a kernel that never ends costs that, counted from its
 * launch, plus 3 s until the next point is measured; a slow kernel, a reference of 2.2 s and gigabytes of inputs cost
 * what they take.
 */
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"

#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_S 1.0
#define AFTERWARDS_S 3.0 /* of a host that starts this run's first worker in half of that; else twice what it took */

static rft_run *the_run;

static const rft_point *point_of(size_t sweep, int64_t wait_ms) {
    for (size_t i = 0; i < the_run->point_count; i++) {
        const rft_point *point = &the_run->points[i];
        if (point->sweep == sweep && point->config[0].as.integer == wait_ms) {
            return point;
        }
    }
    fail_msg("sweep %zu has no point with WAIT_MS = %d", sweep, (int)wait_ms);
    return NULL;
}

/* Of what the last run wrote to its stdout: when each point, or the ceilings, were known. */
typedef struct moment {
    double at_s, wall_s;
    bool endless;
} moment;

static size_t read_moments(moment *out, size_t most) {
    size_t count = 0;
    char *text = strdup(real_program_out()), *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line && count < most; line = strtok_r(NULL, "\n", &rest)) {
        json_t *event = NULL;
        rft_err err = RFT_ERR_INIT;
        if (rft_json_parse(&event, line, strlen(line), "event", &err) != RFT_OK) {
            continue;
        }
        const char *what = rft_json_text_or(event, "event", "");
        bool is_point = strcmp(what, "point") == 0;
        if (is_point || strcmp(what, "ceilings") == 0) {
            const rft_point *point = NULL;
            for (size_t i = 0; is_point && i < the_run->point_count; i++) {
                point = the_run->points[i].id == rft_json_int_or(event, "point", 0) ? &the_run->points[i] : point;
            }
            out[count++] = (moment){.at_s = rft_json_real_or(event, "at_s", 0),
                                    .wall_s = point ? point->rounds[0].wall_s : 0,
                                    .endless = point && point->outcome == RFT_OUTCOME_TIMED_OUT};
        }
        json_decref(event);
    }
    free(text);
    return count;
}

static void an_endless_kernel_costs_its_timeout_and_three_seconds(void **state) {
    (void)state;
    enum { MOST = 64 };
    moment moments[MOST] = {0};
    size_t endless = 0;
    real_program_expect(0, WORDS("run", real_program_file("tests/gpu/sweeps/time_limits.lua"), "-o", "limits.db",
                                 "--no-report", "--events", "-", TIMES_ONLY));
    the_run = real_program_load("limits.db");
    for (size_t i = 0; i < the_run->point_count; i++) {
        printf("    %s\n", real_program_point_text(the_run, &the_run->points[i]));
    }
    size_t count = read_moments(moments, MOST);
    assert_true(count >= the_run->point_count);
    printf("    first point: %.2f s\n", moments[0].at_s);
    for (size_t i = 1; i + 1 < count; i++) {
        if (moments[i].endless) {
            /* From the end of the point before, which is before the launch, to the beginning of the one behind. */
            double took_s = moments[i + 1].at_s - moments[i + 1].wall_s - moments[i - 1].at_s;
            printf("    endless: %.2f s in all, %.2f s of it until it was told\n", took_s,
                   moments[i].at_s - moments[i - 1].at_s);
            assert_true(took_s >= TIMEOUT_S && took_s <= TIMEOUT_S + fmax(AFTERWARDS_S, 2.0 * moments[0].at_s));
            endless++;
        }
    }
    if (endless != 1) {
        fail_msg("%zu endless points between two others: choose another seed", endless);
    }
    const rft_point *point = point_of(0, -1);
    assert_int_equal(point->outcome, RFT_OUTCOME_TIMED_OUT);
    assert_non_null(strstr(point->reason, "no end after 1 s: the kernel was launched and did not return"));
    assert_int_equal(point->workers_lost, 1);
}

static void what_is_slow_is_not_cut(void **state) {
    (void)state;
    assert_non_null(the_run);
    const rft_point *const slow[] = {point_of(1, 0), point_of(1, 200), point_of(2, 0)};
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        if (!rft_outcome_is_measured(slow[i]->outcome) || slow[i]->workers_lost > 0) {
            fail_msg("%s", real_program_point_text(the_run, slow[i]));
        }
        assert_true(slow[i]->verification.done && slow[i]->verification.wrong_count == 0);
    }
    assert_true(slow[1]->rounds[0].stats.median >= 0.2);
}

int gpu_time_limits(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_endless_kernel_costs_its_timeout_and_three_seconds),
        cmocka_unit_test(what_is_slow_is_not_cut),
    };
    return real_program_tests(tests, sizeof tests / sizeof *tests, 0, NULL);
}
