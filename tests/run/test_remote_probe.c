/* SPDX-License-Identifier: Apache-2.0 */
/* The probe in a device worker: what it passes on, what its death costs, and what a worker's own failure says. */
#include "run/scene.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long worker_of(scene *s) {
    rft_arena *arena = rft_arena_new();
    rft_gpu_info gpu;
    rft_env env = {0};
    if (s->probe->device(s->probe, arena, &gpu, &env, &s->err) != RFT_OK) {
        fail_msg("%s (%s)", s->err.message, s->err.remedy);
    }
    long id = atol(rft_env_value(&env, "scripted.pid"));
    rft_arena_free(arena);
    return id;
}

static const rft_compile_result *compiled(scene *s, const rft_unit_spec *unit) {
    const rft_compile_result *result = NULL;
    bool late = false;
    rft_compile_request request = {.source_name = "victim.cu",
                                   .source_text = "",
                                   .names = unit->names,
                                   .name_count = unit->name_count,
                                   .options = (const char *const *)unit->options,
                                   .option_count = unit->option_count,
                                   .arch = "sm_90a"};
    rft_ticket ticket = rft_compile_pool_submit(s->pool, &request, 10);
    assert_int_equal(rft_compile_pool_wait(s->pool, ticket, &result, &late, &s->err), RFT_OK);
    assert_true(result->ok);
    return result;
}

/* Measures n = 1000 with that fate; the scene's first sweep has it as its only one. */
static int measure(scene *s, const char *fate, rft_probe_result *out) {
    s->sweep_count = 0;
    scripted_sweep_opts opts = {.fates = {fate}};
    rft_sweep *sweep = scene_sweep(s, &opts);
    rft_value config[PARAM_COUNT];
    for (size_t i = 0; i < PARAM_COUNT; i++) {
        config[i] = sweep->variants[0].params[i].default_value;
    }
    rft_point_spec *spec = rft_arena_alloc(s->arena, sizeof *spec);
    assert_int_equal(sweep->vt->point(sweep->self, 0, sweep->problems[0].values, config, s->arena, spec, &s->err), 0);
    rft_probe_request request = {.sweep = sweep,
                                 .problem = &sweep->problems[0],
                                 .config = config,
                                 .spec = spec,
                                 .unit = compiled(s, &spec->unit),
                                 .reference = compiled(s, &spec->check.unit),
                                 .problem_key = "n=1000",
                                 .measure = sweep->measure};
    request.measure.point_timeout_s = 1.5;
    return s->probe->measure(s->probe, &request, s->arena, out, &s->err);
}

static void facts_and_ceilings_come_over(void **state) {
    (void)state;
    scene s;
    rft_gpu_info gpu;
    rft_env env = {0};
    rft_ceilings ceilings;
    scene_open(&s, 1);
    assert_int_equal(s.probe->device(s.probe, s.arena, &gpu, &env, &s.err), RFT_OK);
    assert_string_equal(gpu.name, "Scripted GPU");
    assert_string_equal(rft_env_value(&env, "nvrtc.version"), "scripted");
    assert_string_equal(rft_env_get(&env, "driver.version")->reason, "a scripted gpu has no driver");
    assert_int_equal(s.probe->ceilings(s.probe, s.arena, &ceilings, &s.err), RFT_OK);
    double rate = rft_ceilings_rate(&ceilings, RFT_CEILING_DRAM_COPY);
    assert_true(fabs(rate / 4.25e12 - 1) < 0.05);
    assert_false(ceilings.items[RFT_CEILING_TENSOR_FP8].measured);
    assert_true(strlen(ceilings.items[RFT_CEILING_TENSOR_FP8].reason) > 0);
    scene_close(&s);
}

static void a_point_that_takes_its_worker_down_is_followed_by_a_new_one(void **state) {
    (void)state;
    const struct {
        const char *fate;
        rft_outcome outcome;
    } rows[] = {{"killed", RFT_OUTCOME_CRASHED},
                {"exits", RFT_OUTCOME_CRASHED},
                {"garbage", RFT_OUTCOME_CRASHED},
                {"hangs", RFT_OUTCOME_TIMED_OUT},
                {"sticky", RFT_OUTCOME_LAUNCH_FAILED}};
    scene s;
    scene_open(&s, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rft_probe_result result;
        long before = worker_of(&s);
        assert_int_equal(measure(&s, rows[i].fate, &result), RFT_OK);
        assert_int_equal(result.outcome, rows[i].outcome);
        assert_true(result.reason && *result.reason);
        assert_int_equal(result.measurement.n, 0);
        assert_int_equal(measure(&s, "ok", &result), RFT_OK);
        assert_int_equal(result.outcome, RFT_OUTCOME_OK);
        assert_true(worker_of(&s) != before);
    }
    scene_close(&s);
}

static void a_point_that_fails_alone_keeps_its_worker(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    long before = worker_of(&s);
    assert_int_equal(measure(&s, "wrong", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_WRONG_RESULT);
    assert_true(worker_of(&s) == before);
    scene_close(&s);
}

/* Not the next point's fault. */
static void a_worker_that_died_while_idle_is_replaced(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    kill((pid_t)worker_of(&s), SIGKILL);
    scene_sleep_s(0.05);
    assert_int_equal(measure(&s, "ok", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    scene_close(&s);
}

static void a_new_worker_without_a_device_is_an_error(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    setenv("SCRIPTED_NO_DRIVER", scene_path(&s, "lost"), 1);
    assert_int_equal(measure(&s, "killed", &result), RFT_OK);
    scene_file(&s, "lost", "");
    assert_int_equal(measure(&s, "ok", &result), RFT_E_DEVICE);
    assert_string_equal(s.err.message, "there is no driver any more");
    assert_string_equal(s.err.remedy, "install one");
    assert_int_equal(unlink(scene_path(&s, "lost")), 0);
    assert_int_equal(measure(&s, "ok", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    unsetenv("SCRIPTED_NO_DRIVER");
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_and_ceilings_come_over),
        cmocka_unit_test(a_point_that_takes_its_worker_down_is_followed_by_a_new_one),
        cmocka_unit_test(a_point_that_fails_alone_keeps_its_worker),
        cmocka_unit_test(a_worker_that_died_while_idle_is_replaced),
        cmocka_unit_test(a_new_worker_without_a_device_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
