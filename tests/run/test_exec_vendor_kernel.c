/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor's library in a kernel's place: searched, raced, taken to the final round, recorded and replayed like a
 * kernel, with nothing compiled for it but the reference. */
#include "run/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the worker's list of ten: 15 us, wrong, 12 us, 13 us; the last is beyond its end. */
static const scripted_sweep_opts asked = {.speeds = {1, 2, 3, 4, 11}, .sizes = {1000}, .odd = 1001, .library = true};

static const rft_point *find(const rft_run *run, size_t problem, int place) {
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->problem == problem && point->config[PARAM_SPEED].as.integer == place) {
            return point;
        }
    }
    fail_msg("no point of place %d", place);
    return NULL;
}

static void expect_measured(const rft_run *run) {
    static const double times_s[] = {15e-6, NAN, 12e-6, 13e-6};
    assert_int_equal(run->point_count, 10);
    for (int place = 1; place <= 4; place++) {
        const rft_point *point = find(run, 1, place);
        assert_int_equal(point->alias_of, 0); /* another algorithm is another point */
        assert_null(point->facts.cubin_hash);
        assert_true(point->facts.registers < 0 && point->facts.blocks_per_sm <= 0);
        assert_false(point->has_launch);
        if (place == 2) {
            assert_int_equal(point->outcome, RFT_OUTCOME_WRONG_RESULT);
            assert_non_null(strstr(point->reason, "wrong on the odd size"));
            continue;
        }
        assert_int_equal(point->outcome, RFT_OUTCOME_OK);
        assert_true(point->verification.done);
        assert_true(fabs(rft_point_median_s(point) / times_s[place - 1] - 1) < 1e-3);
    }
    assert_int_equal(find(run, 1, 11)->outcome, RFT_OUTCOME_SKIPPED);
    assert_string_equal(find(run, 1, 11)->reason, "the library's list has 10 algorithms, not 11");
    const rft_point *best = rft_run_best(run, 0, SIZE_MAX, 1);
    assert_ptr_equal(best, find(run, 1, 3));
    assert_true(best->rounds[1].n > 0); /* the final round */
}

static void it_is_searched_like_a_kernel(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scene_sweep(&s, &asked);
    expect_measured(scene_run(&s, "a.db"));
    scene_close(&s);
}

static void a_replay_tells_the_same(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scene_sweep(&s, &asked);
    const rft_run *recorded = scene_run(&s, "recorded.db");
    scene_replay(&s, "recorded.db");
    const rft_run *run = scene_run(&s, "replay.db");
    expect_measured(run);
    assert_int_equal(run->info.recompiled, 0); /* there is nothing that could be compiled again */
    const rft_measurement *a = rft_point_measurement(find(recorded, 1, 3)), *b = rft_point_measurement(find(run, 1, 3));
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->samples_s, b->samples_s, a->n * sizeof(double));
    scene_close(&s);
}

static void without_the_library_every_point_says_why(void **state) {
    (void)state;
    scene s;
    setenv("SCRIPTED_NO_VENDOR", "1", 1);
    scene_open(&s, 1);
    scene_sweep(&s, &asked);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 10);
    for (size_t i = 0; i < run->point_count; i++) {
        assert_int_equal(run->points[i].outcome, RFT_OUTCOME_SKIPPED);
        assert_string_equal(run->points[i].reason,
                            "the scripted library was not found; remedy: unset SCRIPTED_NO_VENDOR");
    }
    assert_null(rft_run_best(run, 0, SIZE_MAX, 1));
    unsetenv("SCRIPTED_NO_VENDOR");
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_searched_like_a_kernel),
        cmocka_unit_test(a_replay_tells_the_same),
        cmocka_unit_test(without_the_library_every_point_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
