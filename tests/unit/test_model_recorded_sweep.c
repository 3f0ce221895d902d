/* SPDX-License-Identifier: Apache-2.0 */
/* A stored run as sweeps to ask again: its spaces are exactly its points. */
#include "unit/model_fixture.h"

#include "model/run/recorded_sweep.h"
#include "model/sweep/space.h"

#include <math.h>
#include <string.h>

#define PARAMS 3

static const int64_t configs[][PARAMS] = {{1, 10, 7}, {1, 20, 7}, {2, 10, 7}, {4, 20, 7}, {4, 30, 7}, {1, 30, 7}};
#define POINTS (sizeof configs / sizeof configs[0])

/* One sweep of two problems, n = 1 and n = 2; the last two points are on the second, the last of them has no record. */
static rft_run *recorded_run(void) {
    rft_run *run = rft_run_new();
    rft_arena *arena = run->arena;
    static const int64_t lists[PARAMS][3] = {{1, 2, 4}, {10, 20, 30}, {7}};
    static const size_t counts[PARAMS] = {3, 3, 1};
    static const char *const names[PARAMS] = {"A", "B", "C"};
    run->info.id = "0123456789ab";
    run->sweep_count = 1;
    run->sweeps = rft_arena_calloc(arena, 1, sizeof *run->sweeps);
    rft_sweep *sweep = &run->sweeps[0].sweep;
    *sweep = (rft_sweep){.name = "s", .path = "s", .axis_count = 1, .problem_count = 2, .variant_count = 1};
    sweep->axes = rft_arena_calloc(arena, 1, sizeof *sweep->axes);
    sweep->axes[0].name = "n";
    sweep->problems = rft_arena_calloc(arena, 2, sizeof *sweep->problems);
    for (int64_t p = 0; p < 2; p++) {
        sweep->problems[p].values = rft_arena_calloc(arena, 1, sizeof(rft_value));
        sweep->problems[p].values[0] = rft_value_int(p + 1);
    }
    sweep->variants = rft_arena_calloc(arena, 1, sizeof *sweep->variants);
    sweep->variants[0] = (rft_variant){.name = "v", .kernel = "k", .source = "", .entry = "", .param_count = PARAMS};
    sweep->variants[0].params = rft_arena_calloc(arena, PARAMS, sizeof(rft_param));
    for (size_t i = 0; i < PARAMS; i++) {
        rft_param *param = &sweep->variants[0].params[i];
        *param = (rft_param){.name = names[i], .help = "", .value_count = counts[i]};
        param->values = rft_arena_calloc(arena, counts[i], sizeof(rft_value));
        for (size_t k = 0; k < counts[i]; k++) {
            param->values[k] = rft_value_int(lists[i][k]);
        }
        param->default_value = param->values[0];
    }
    run->point_count = POINTS;
    run->points = rft_arena_calloc(arena, POINTS, sizeof *run->points);
    for (size_t i = 0; i < POINTS; i++) {
        rft_point *point = &run->points[i];
        *point = (rft_point){.id = (int64_t)i + 1, .problem = i < 4 ? 0 : 1, .traffic = rft_traffic_unknown()};
        point->outcome = i + 1 == POINTS ? RFT_OUTCOME_NOT_RECORDED : i == 1 ? RFT_OUTCOME_CRASHED : RFT_OUTCOME_OK;
        point->work.bytes_read = 100.0 * (double)(i + 1);
        point->config = rft_arena_calloc(arena, PARAMS, sizeof(rft_value));
        for (size_t k = 0; k < PARAMS; k++) {
            point->config[k] = rft_value_int(configs[i][k]);
        }
    }
    run->points[2].alias_of = 1;
    return run;
}

static void spaces_are_the_points(void **state) {
    (void)state;
    rft_run *run = recorded_run();
    rft_recorded *recorded = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_recorded_new(&recorded, run, "r.json", &err), RFT_OK);
    assert_int_equal(rft_recorded_count(recorded), 1);
    const rft_sweep *sweep = rft_recorded_sweep(recorded, 0);
    assert_true(sweep->bare_space);
    for (size_t p = 0; p < 2; p++) {
        rft_space *space = NULL;
        assert_int_equal(rft_space_new(&space, sweep, 0, sweep->problems[p].values, NULL, &err), RFT_OK);
        assert_int_equal(rft_space_count(space), p == 0 ? 4 : 1);
        assert_int_equal(rft_space_cartesian(space), 9);
        for (size_t i = 0; i < POINTS; i++) {
            bool there = run->points[i].problem == p && run->points[i].outcome != RFT_OUTCOME_NOT_RECORDED;
            assert_int_equal(rft_space_find(space, run->points[i].config) != UINT64_MAX, there);
        }
        rft_space_free(space);
    }
    rft_recorded_free(recorded);
    rft_run_free(run);
}

static void points_keep_what_was_recorded(void **state) {
    (void)state;
    rft_run *run = recorded_run();
    rft_recorded *recorded = NULL;
    rft_err err = RFT_ERR_INIT;
    rft_arena *arena = rft_arena_new();
    assert_int_equal(rft_recorded_new(&recorded, run, "r.json", &err), RFT_OK);
    const rft_sweep *sweep = rft_recorded_sweep(recorded, 0);
    const char *sources[3];
    for (size_t i = 0; i < 3; i++) {
        rft_point_spec spec;
        assert_int_equal(
            sweep->vt->point(sweep->self, 0, sweep->problems[0].values, run->points[i].config, arena, &spec, &err),
            RFT_OK);
        assert_true(spec.work.bytes_read == 100.0 * (double)(i + 1));
        assert_true(spec.launch_count == 0 && spec.unit.name_count == 0 && spec.check.reference->unit.name_count == 0);
        sources[i] = spec.check.reference->told;
    }
    assert_string_not_equal(sources[0], sources[1]); /* the same code may be launched otherwise */
    assert_string_equal(sources[0], sources[2]);     /* an alias */
    run->point_count = 0;
    rft_recorded *none = NULL;
    assert_int_equal(rft_recorded_new(&none, run, "r.json", &err), RFT_E_SPACE);
    assert_null(none);
    rft_recorded_free(recorded);
    rft_arena_free(arena);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spaces_are_the_points),
        cmocka_unit_test(points_keep_what_was_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
