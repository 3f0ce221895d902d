/* SPDX-License-Identifier: Apache-2.0 */
/* Plan, compile, probe, store: what every way of failing becomes, aliases, the odd size, the final round. */
#include "run/scene.h"

#include <math.h>
#include <string.h>

enum { ODD = 0, SMALL = 1, LARGE = 2 };

static void every_way_to_fail_costs_one_point(void **state) {
    (void)state;
    const struct {
        const char *fate;
        rft_outcome outcome;
        const char *reason;
    } rows[] = {
        {"ok", RFT_OUTCOME_OK, NULL},
        {"fill_ok", RFT_OUTCOME_OK, NULL},
        {"script_error", RFT_OUTCOME_SCRIPT_FAILED, "scripted.lua:7: attempt to call a nil value"},
        {"too_large", RFT_OUTCOME_SKIPPED, "2048"},
        {"much_shared", RFT_OUTCOME_SKIPPED, "1048576 bytes of shared memory"},
        {"compile_refused", RFT_OUTCOME_COMPILE_FAILED, "victim.cu(3): error: no such \xef\xbf\xbdtype\xef\xbf\xbd"},
        {"compile_crash", RFT_OUTCOME_COMPILE_FAILED, "the compiler's process was ended by signal 6"},
        {"compile_endless", RFT_OUTCOME_TIMED_OUT, "no end after 1.5 s: compiling was ended"},
        {"killed", RFT_OUTCOME_CRASHED, "the device worker was ended by signal 9"},
        {"exits", RFT_OUTCOME_CRASHED, "the device worker ended with status 3"},
        {"garbage", RFT_OUTCOME_CRASHED, "sent bytes that are not a frame"},
        {"hangs", RFT_OUTCOME_TIMED_OUT, "no end after 2 s: the kernel was launched and did not return"},
        {"sticky", RFT_OUTCOME_LAUNCH_FAILED, "illegal memory access"},
        {"wrong", RFT_OUTCOME_WRONG_RESULT, "y[999]"},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    scene s;
    scripted_sweep_opts opts = {.speeds = {20}};
    scene_open(&s, 2);
    for (size_t i = 0; i < ROWS; i++) {
        opts.fates[i] = rows[i].fate;
    }
    scene_sweep(&s, &opts);
    opts = (scripted_sweep_opts){.name = "sound", .speeds = {1, 2, 3, 4, 5, 6, 7, 8}};
    scene_sweep(&s, &opts);
    rft_run *run = scene_run(&s, "a.db");
    scene_expect_once(run);
    assert_int_equal(run->point_count, ROWS + 8);
    for (size_t i = 0; i < ROWS; i++) {
        scene_expect(run, scene_point(run, 0, rows[i].fate, 20), rows[i].outcome, rows[i].reason);
    }
    for (size_t i = ROWS; i < run->point_count; i++) {
        scene_expect(run, &run->points[i], RFT_OUTCOME_OK, NULL);
    }
    assert_int_equal(s.last.failed, ROWS - 2);
    assert_int_equal(s.last.done, ROWS + 8);
    assert_int_equal(s.last.planned, ROWS + 8);
    assert_true(run->info.finished_unix_ns > run->info.started_unix_ns);
    assert_null(run->sweeps[0].unexplored);
    scene_close(&s);
}

static void what_failed_carries_what_is_known_and_nothing_else(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scripted_sweep_opts opts = {.fates = {"ok", "compile_refused", "script_error", "wrong", "exits"}};
    scene_sweep(&s, &opts);
    rft_run *run = scene_run(&s, "a.db");
    const rft_point *refused = scene_point(run, 0, "compile_refused", 10);
    assert_non_null(strstr(refused->log, "and more"));
    assert_null(refused->facts.cubin_hash);
    assert_int_equal(refused->facts.registers, -1);
    assert_int_equal(refused->block[0], 128);
    const rft_point *script = scene_point(run, 0, "script_error", 10);
    assert_false(script->has_launch || script->traffic.present);
    assert_true(isnan(script->traffic.level_bytes[RFT_LEVEL_DRAM]));
    const rft_point *wrong = scene_point(run, 0, "wrong", 10);
    assert_true(wrong->verification.done && wrong->verification.wrong_count == 1);
    assert_int_equal(wrong->rounds[0].n, 0);
    assert_true(isnan(wrong->rounds[0].stats.median));
    const rft_point *crashed = scene_point(run, 0, "exits", 10);
    assert_int_equal(crashed->facts.registers, 32);
    assert_int_equal(crashed->facts.blocks_per_sm, -1);
    const rft_point *ok = scene_point(run, 0, "ok", 10);
    assert_true(ok->is_default && ok->has_launch && ok->facts.occupancy_frac > 0);
    assert_true(ok->rounds[0].n >= 10 && ok->verification.done);
    assert_true(ok->work.bytes_read == 4000 && fabs(rft_point_median_s(ok) - 10e-6) < 1e-7);
    assert_ptr_equal(rft_run_default(run, 0, 0, 0), ok);
    scene_close(&s);
}

static void aliases_share_numbers_and_are_no_candidates(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {
        .fates = {"ok", "wrong"}, .speeds = {20, 10}, .cosmetics = 3, .sizes = {1000, 2000}, .odd = 1001};
    scene_sweep(&s, &opts);
    rft_run *run = scene_run(&s, "a.db");
    scene_expect_once(run);
    assert_int_equal(run->point_count, 3 * 12);
    assert_int_equal(s.last.aliases, 2 * 2 * 2 + 2 * 4); /* what is wrong on the odd size is not asked again */
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (!point->alias_of) {
            continue;
        }
        const rft_point *target = &run->points[point->alias_of - 1];
        assert_true(target->id < point->id && target->alias_of == 0);
        assert_int_equal(point->problem, target->problem);
        assert_int_equal(point->outcome, target->outcome);
        assert_string_equal(point->facts.cubin_hash, target->facts.cubin_hash);
        for (int round = 0; round < RFT_ROUNDS; round++) {
            assert_int_equal(point->rounds[round].n, target->rounds[round].n);
        }
        assert_false(rft_run_is_candidate(run, point));
    }
    /* 4 on the odd size, 2 and 2 timed; of these the faster ones again in the final round */
    assert_int_equal(s.measured, 4 + 2 + 2 + 2);
    scene_close(&s);
}

static void what_is_wrong_on_the_odd_size_is_not_timed(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.fates = {"ok", "odd_wrong"}, .sizes = {1000, 2000}, .odd = 1001};
    scene_sweep(&s, &opts);
    rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 6);
    const rft_point *odd = scene_point(run, ODD, "odd_wrong", 10);
    scene_expect(run, odd, RFT_OUTCOME_WRONG_RESULT, "y[1000]");
    for (size_t p = SMALL; p <= LARGE; p++) {
        const rft_point *point = scene_point(run, p, "odd_wrong", 10);
        scene_expect(run, point, RFT_OUTCOME_WRONG_RESULT, "wrong on the odd size n=1001: ");
        assert_non_null(strstr(point->reason, odd->reason));
        assert_int_equal(point->rounds[0].n, 0);
        assert_true(point->id > odd->id);
    }
    const rft_point *right = scene_point(run, ODD, "ok", 10);
    scene_expect(run, right, RFT_OUTCOME_OK, NULL);
    assert_true(right->verification.done && right->rounds[0].n == 0);
    scene_close(&s);
}

/* Of 40 configurations a budget of 4 takes 4 on each problem: the others are not verified on the odd size either. */
static void a_budget_is_not_spent_on_the_odd_size(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scripted_sweep_opts opts = {.sizes = {1000}, .odd = 1001};
    for (int i = 0; i < 40; i++) {
        opts.speeds[i] = 10 + i;
    }
    scene_sweep(&s, &opts);
    s.sweeps[0]->search.budget_points = 4;
    rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 8);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(run->points[i].problem, ODD);
        assert_int_equal(run->points[i + 4].problem, SMALL);
        assert_true(rft_values_equal(run->points[i].config, run->points[i + 4].config, PARAM_COUNT));
    }
    assert_string_equal(run->sweeps[0].unexplored, "36 configurations left untried: the budget ended");
    assert_int_equal(s.last.planned, 8);
    scene_close(&s);
}

static void the_best_few_are_measured_again(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {1000, 1004, 1008, 1012, 1016, 1019, 1040, 1100}, .variants = 2};
    rft_sweep *sweep = scene_sweep(&s, &opts);
    sweep->variants[1].params[PARAM_SPEED].values[0] = rft_value_int(5000); /* a slow ladder step */
    sweep->variants[1].params[PARAM_SPEED].value_count = 1;
    rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 9);
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        bool again = point->variant == 1 || point->config[PARAM_SPEED].as.integer <= 1016; /* RFT_FINALISTS */
        assert_int_equal(point->rounds[1].n > 0, again);
        assert_true(!again || point->rounds[1].n >= 10);
    }
    const rft_point *best = rft_run_best(run, 0, SIZE_MAX, 0);
    assert_int_equal(best->config[PARAM_SPEED].as.integer, 1000);
    assert_true(s.last.final_round);
    scene_close(&s);
}

/* Two that cannot be the best any more keep the best company: three are measured again where three are within 5 %. */
static void at_least_three_are_measured_again(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {1000, 1030, 1040, 1045, 1100}};
    scene_sweep(&s, &opts);
    rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 5);
    for (size_t i = 0; i < run->point_count; i++) {
        bool again = run->points[i].config[PARAM_SPEED].as.integer <= 1040;
        assert_int_equal(run->points[i].rounds[1].n > 0, again);
    }
    scene_close(&s);
}

static void two_sweeps_share_a_run(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts first = {.name = "first", .speeds = {10, 20}};
    scripted_sweep_opts second = {.name = "second", .speeds = {10, 20}, .sizes = {100, 1000}, .constrained = true};
    scene_sweep(&s, &first);
    scene_sweep(&s, &second);
    rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->sweep_count, 2);
    assert_int_equal(run->sweeps[1].valid[0], 1); /* SPEED <= n / 10 */
    assert_int_equal(run->sweeps[1].valid[1], 2);
    assert_int_equal(run->point_count, 2 + 1 + 2);
    assert_int_equal(s.last.aliases, 0); /* not across sweeps */
    assert_string_equal(run->sweeps[0].sweep.path, "scripted.lua");
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_fail_costs_one_point),
        cmocka_unit_test(what_failed_carries_what_is_known_and_nothing_else),
        cmocka_unit_test(aliases_share_numbers_and_are_no_candidates),
        cmocka_unit_test(what_is_wrong_on_the_odd_size_is_not_timed),
        cmocka_unit_test(a_budget_is_not_spent_on_the_odd_size),
        cmocka_unit_test(the_best_few_are_measured_again),
        cmocka_unit_test(at_least_three_are_measured_again),
        cmocka_unit_test(two_sweeps_share_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
