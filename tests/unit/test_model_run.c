/* SPDX-License-Identifier: Apache-2.0 */
/* A run as data: environment, ceilings' names, who is best, and how problems and configurations read. */
#include "model_fixture.h"

static void environment_keeps_values_and_reasons(void **state) {
    (void)state;
    rft_run *run = rft_run_new();
    for (int i = 0; i < 100; i++) {
        rft_env_set(&run->env, run->arena, rft_arena_printf(run->arena, "key.%d", i), "value", NULL);
    }
    rft_env_set(&run->env, run->arena, "key.7", NULL, "no permission");
    rft_env_set(&run->env, run->arena, "key.8", "other", NULL);
    assert_int_equal(run->env.count, 100);
    assert_null(rft_env_value(&run->env, "key.7"));
    assert_string_equal(rft_env_get(&run->env, "key.7")->reason, "no permission");
    assert_string_equal(rft_env_value(&run->env, "key.8"), "other");
    assert_null(rft_env_get(&run->env, "key.8")->reason);
    assert_string_equal(rft_env_value(&run->env, "key.99"), "value");
    assert_null(rft_env_get(&run->env, "key.100"));
    rft_run_free(run);
    rft_run_free(NULL);
}

static void a_new_run_knows_nothing(void **state) {
    (void)state;
    rft_run *run = rft_run_new();
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        rft_ceiling_id id;
        assert_true(isnan(rft_ceilings_rate(&run->ceilings, (rft_ceiling_id)i)));
        assert_non_null(run->ceilings.items[i].reason);
        assert_true(rft_ceiling_from_name(&id, rft_ceiling_name((rft_ceiling_id)i)));
        assert_int_equal(id, i);
    }
    assert_string_equal(rft_ceiling_unit(RFT_CEILING_LAUNCH), "s");
    assert_string_equal(rft_ceiling_label(RFT_CEILING_DRAM_2TO1), "device memory, 2 reads : 1 write");
    assert_string_equal(rft_ceiling_name(RFT_CEILING_COUNT), "none");
    assert_true(isnan(rft_ceilings_rate(&run->ceilings, RFT_CEILING_COUNT)));
    rft_facts facts = rft_facts_unknown();
    assert_true(facts.registers == -1 && isnan(facts.occupancy_frac) && facts.cubin_hash == NULL);
    rft_run_free(run);
}

static rft_run *three_tiles(void) {
    rft_run *run = fixture_run();
    fixture_axis(run, "n", true, true);
    fixture_param(run, 0, "TILE", (const int64_t[]){16, 32, 64}, 3);
    fixture_param(run, 0, "PAD", (const int64_t[]){1}, 1);
    fixture_problem(run, (const int64_t[]){1024});
    fixture_problem(run, (const int64_t[]){333});
    run->sweeps[0].sweep.problems[1].odd = true;
    return run;
}

static void best_is_the_fastest_candidate(void **state) {
    (void)state;
    rft_run *run = three_tiles();
    assert_null(rft_run_best(run, 0, 0, 0));
    rft_point *slow = fixture_point(run, 0, (const int64_t[]){16, 1}, 3e-3);
    rft_point *fast = fixture_point(run, 0, (const int64_t[]){32, 1}, 2e-3);
    rft_point *wrong = fixture_point(run, 0, (const int64_t[]){64, 1}, 1e-3);
    rft_point *alias = fixture_point(run, 0, (const int64_t[]){64, 1}, 1e-3);
    fixture_point(run, 1, (const int64_t[]){16, 1}, 1e-4); /* on the odd problem */
    wrong->outcome = RFT_OUTCOME_WRONG_RESULT;
    alias->alias_of = fast->id;
    slow->is_default = true;
    assert_true(isnan(rft_point_median_s(wrong)));
    assert_ptr_equal(rft_run_best(run, 0, 0, 0), fast);
    assert_ptr_equal(rft_run_best(run, 0, SIZE_MAX, 0), fast);
    assert_null(rft_run_best(run, 0, 1, 0));
    assert_null(rft_run_best(run, 0, 0, 1));
    assert_ptr_equal(rft_run_default(run, 0, 0, 0), slow);
    assert_null(rft_run_default(run, 0, 0, 1));
    const rft_point **ranked;
    assert_int_equal(rft_run_ranked(run, 0, SIZE_MAX, 0, run->arena, &ranked), 2);
    assert_ptr_equal(ranked[0], fast);
    assert_ptr_equal(ranked[1], slow);
    slow->outcome = RFT_OUTCOME_NOISY; /* verified and measured all the same */
    assert_int_equal(rft_run_ranked(run, 0, 0, 0, run->arena, &ranked), 2);
    rft_run_free(run);
}

static void the_final_round_decides(void **state) {
    (void)state;
    rft_run *run = three_tiles();
    rft_point *a = fixture_point(run, 0, (const int64_t[]){16, 1}, 2.00e-3);
    rft_point *b = fixture_point(run, 0, (const int64_t[]){32, 1}, 2.01e-3);
    rft_point *c = fixture_point(run, 0, (const int64_t[]){64, 1}, 2.05e-3);
    a->rounds[1] = fixture_measurement(run, 2.10e-3);
    b->rounds[1] = fixture_measurement(run, 2.08e-3);
    const rft_point **ranked;
    assert_int_equal(rft_run_ranked(run, 0, 0, 0, run->arena, &ranked), 3);
    /* c's 2.05 ms come from a cooler minute: it was not in the final */
    assert_ptr_equal(ranked[0], b);
    assert_ptr_equal(ranked[1], a);
    assert_ptr_equal(ranked[2], c);
    assert_ptr_equal(rft_run_best(run, 0, 0, 0), b);
    assert_ptr_equal(rft_point_measurement(b), &b->rounds[1]);
    assert_ptr_equal(rft_point_measurement(c), &c->rounds[0]);
    rft_run_free(run);
}

static void equal_times_go_to_the_earlier(void **state) {
    (void)state;
    rft_run *run = three_tiles();
    rft_point *a = fixture_point(run, 0, (const int64_t[]){64, 1}, 2e-3);
    fixture_point(run, 0, (const int64_t[]){16, 1}, 2e-3);
    assert_ptr_equal(rft_run_best(run, 0, 0, 0), a);
    rft_run_free(run);
}

static void problems_and_configurations_as_text(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    fixture_axis(run, "m", true, true);
    fixture_axis(run, "n", false, false);
    fixture_param(run, 0, "TILE", (const int64_t[]){16, 32}, 2);
    fixture_param(run, 0, "PAD", (const int64_t[]){1}, 1);
    fixture_problem(run, (const int64_t[]){64, 8192});
    const rft_point *point = fixture_point(run, 0, (const int64_t[]){32, 1}, 1e-3);
    assert_string_equal(rft_run_problem_text(run, 0, 0, true, run->arena), "m=64");
    assert_string_equal(rft_run_problem_text(run, 0, 0, false, run->arena), "m=64 n=8192");
    assert_string_equal(rft_run_config_text(run, point, true, run->arena), "TILE=32");
    assert_string_equal(rft_run_config_text(run, point, false, run->arena), "TILE=32 PAD=1");
    run->sweeps[0].sweep.axes[0].swept = false; /* a list of problems */
    assert_string_equal(rft_run_problem_text(run, 0, 0, true, run->arena), "m=64 n=8192");
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environment_keeps_values_and_reasons), cmocka_unit_test(a_new_run_knows_nothing),
        cmocka_unit_test(best_is_the_fastest_candidate),        cmocka_unit_test(the_final_round_decides),
        cmocka_unit_test(equal_times_go_to_the_earlier),        cmocka_unit_test(problems_and_configurations_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
