/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets of points and of time. */
#include "run/scene.h"
#include "support/sanitized.h"

#include <string.h>

static void a_budget_of_points_is_shared_by_the_parts(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {1, 2, 3, 4, 5, 6, 7, 8}, .sizes = {1000, 2000}, .variants = 2};
    rft_sweep *sweep = scene_sweep(&s, &opts);
    sweep->search.budget_points = 8;
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 8);
    unsigned counts[2][2] = {{0}};
    for (size_t i = 0; i < run->point_count; i++) {
        counts[run->points[i].variant][run->points[i].problem]++;
    }
    assert_int_equal(counts[0][0] * counts[0][1] * counts[1][0] * counts[1][1], 16);
    assert_string_equal(run->sweeps[0].unexplored, "24 configurations left untried: the budget ended");
    assert_int_equal(s.last.planned, 8);
    assert_true(run->info.finished_unix_ns > 0);
    scene_close(&s);
}

/* Without an end to its time it would take 5 s: 50 configurations that wait for the compiler. */
static void a_budget_of_time_ends_a_part_at_once(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.fates = {"compile_endless"}};
    for (int i = 0; i < 50; i++) {
        opts.speeds[i] = i + 1;
    }
    rft_sweep *sweep = scene_sweep(&s, &opts);
    sweep->measure.compile_timeout_s = 0.2;
    sweep->search.budget_s = 0.5;
    double begun_s = scene_now_s();
    const rft_run *run = scene_run(&s, "a.db");
    double took_s = scene_now_s() - begun_s;
    assert_true(took_s < (SANITIZED ? 10 : 2.5)); /* not the whole of what was compiled ahead: 32 of 0.1 s */
    assert_in_range(run->point_count, 1, 30);
    assert_non_null(strstr(run->sweeps[0].unexplored, "the budget ended"));
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_of_points_is_shared_by_the_parts),
        cmocka_unit_test(a_budget_of_time_ends_a_part_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
