/* SPDX-License-Identifier: Apache-2.0 */
/* Answers from a recording, asked by a sweep whose axes and parameters have changed places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/replay.h"

#include <math.h>
#include <string.h>

enum { POINTS = 6 };

typedef struct recording {
    rft_run *run;
    rft_probe *probe;
    rft_arena *arena;
    rft_sweep asking; /* the script of today */
    rft_variant variants[2];
    rft_axis axes[2];
    rft_param params[2];
    rft_value problem[2], config[2];
    rft_problem problem_now;
    rft_probe_request request;
    rft_probe_result result;
    rft_err err;
} recording;

static double samples_a[] = {3e-6, 1e-6, 2e-6}, clocks_a[] = {1980.0, 1965.0, 1950.0};
static double samples_b[] = {4e-6, 5e-6}, steps[] = {1e-6, 3e-6};

static void add_sweep(rft_run *run) {
    static rft_axis axes[] = {{.name = "n"}, {.name = "m"}};
    static rft_param params[] = {{.name = "BLOCK"}, {.name = "COPY"}};
    static rft_variant variants[] = {{.name = "naive", .params = params, .param_count = 2},
                                     {.name = "fused", .params = params, .param_count = 2}};
    static rft_value problems_values[3][2];
    static rft_problem problems[3];
    const int n[] = {1024, 2048, 1000};
    for (size_t i = 0; i < 3; i++) {
        problems_values[i][0] = rft_value_int(n[i]);
        problems_values[i][1] = rft_value_int(7);
        problems[i] = (rft_problem){problems_values[i], i == 2, 0};
    }
    run->sweeps = rft_arena_calloc(run->arena, 1, sizeof *run->sweeps);
    run->sweep_count = 1;
    run->sweeps[0].sweep = (rft_sweep){.name = "gemv",
                                       .axes = axes,
                                       .axis_count = 2,
                                       .problems = problems,
                                       .problem_count = 3,
                                       .variants = variants,
                                       .variant_count = 2};
}

static rft_value *config_of(rft_arena *arena, int block, const char *copy) {
    rft_value *config = rft_arena_calloc(arena, 2, sizeof *config);
    config[0] = rft_value_int(block);
    config[1] = rft_value_text(copy);
    return config;
}

static void add_points(rft_run *run) {
    rft_arena *a = run->arena;
    run->points = rft_arena_calloc(a, POINTS, sizeof *run->points);
    run->point_count = POINTS;
    rft_point *p = run->points;
    for (size_t i = 0; i < POINTS; i++) {
        p[i] = (rft_point){.id = 10 + (int64_t)i, .facts = rft_facts_unknown()};
    }
    p[0].config = config_of(a, 128, "ld");
    p[0].facts.registers = 40;
    p[0].facts.cubin_hash = "abc";
    p[0].verification = (rft_verification){.done = true, .worst_frac = 0.25, .buffer = "y", .total_count = 8};
    p[0].rounds[0] = (rft_measurement){
        .samples_s = samples_a, .n = 3, .stats = rft_stats_of(samples_a, 3), .stop = RFT_STOP_SETTLED};
    p[0].rounds[0].clocks_mhz = clocks_a;
    p[0].rounds[0].batch = 8;
    p[0].rounds[1] = (rft_measurement){
        .samples_s = samples_b, .n = 2, .stats = rft_stats_of(samples_b, 2), .step_s = steps, .step_count = 2};
    p[1].config = config_of(a, 128, "tma"); /* the same cubin and launch as p[0] */
    p[1].alias_of = 10;
    p[2].config = config_of(a, 256, "ld");
    p[2].outcome = RFT_OUTCOME_COMPILE_FAILED;
    p[2].reason = "it does not compile";
    p[2].log = "k.cu(1): error";
    p[3].config = config_of(a, 128, "ld"); /* the odd problem: verified only */
    p[3].problem = 2;
    p[3].verification = (rft_verification){.done = true, .worst_frac = 0.5, .buffer = "y"};
    p[4].config = config_of(a, 512, "ld");
    p[4].alias_of = 99; /* not there */
    p[5].config = config_of(a, 128, "ld");
    p[5].variant = 1;
    p[5].outcome = RFT_OUTCOME_NOISY;
    p[5].reason = "restless";
    p[5].rounds[0] = (rft_measurement){.samples_s = samples_b, .n = 2, .stats = rft_stats_of(samples_b, 2)};
}

/* The same sweep, asked today with axes and parameters the other way round. */
static void make_request(recording *r) {
    r->axes[0] = (rft_axis){.name = "m"};
    r->axes[1] = (rft_axis){.name = "n"};
    r->params[0] = (rft_param){.name = "COPY"};
    r->params[1] = (rft_param){.name = "BLOCK"};
    r->variants[0] = (rft_variant){.name = "fused", .params = r->params, .param_count = 2};
    r->variants[1] = (rft_variant){.name = "naive", .params = r->params, .param_count = 2};
    r->asking =
        (rft_sweep){.name = "gemv", .axes = r->axes, .axis_count = 2, .variants = r->variants, .variant_count = 2};
    r->problem_now.values = r->problem;
    r->request =
        (rft_probe_request){.sweep = &r->asking, .variant = 1, .problem = &r->problem_now, .config = r->config};
}

static void start(recording *r) {
    *r = (recording){.run = rft_run_new(), .arena = rft_arena_new()};
    add_sweep(r->run);
    add_points(r->run);
    make_request(r);
    assert_int_equal(rft_replay_new(&r->probe, r->run, &r->err), 0);
}

static void stop(recording *r) {
    r->probe->free(r->probe);
    rft_arena_free(r->arena);
    rft_run_free(r->run);
}

static rft_outcome ask(recording *r, int n, int block, const char *copy) {
    r->problem[0] = rft_value_int(7);
    r->problem[1] = rft_value_int(n);
    r->config[0] = rft_value_text(copy);
    r->config[1] = rft_value_int(block);
    assert_int_equal(r->probe->measure(r->probe, &r->request, r->arena, &r->result, &r->err), 0);
    return r->result.outcome;
}

static void test_found(void **state) {
    (void)state;
    recording r;
    start(&r);
    assert_int_equal(ask(&r, 1024, 128, "ld"), RFT_OUTCOME_OK);
    assert_int_equal(r.result.measurement.n, 3);
    assert_memory_equal(r.result.measurement.samples_s, samples_a, sizeof samples_a);
    assert_true(r.result.measurement.samples_s != samples_a); /* a copy that outlives the recording */
    assert_memory_equal(r.result.measurement.clocks_mhz, clocks_a, sizeof clocks_a);
    assert_true(r.result.measurement.clocks_mhz != clocks_a);
    assert_int_equal(r.result.measurement.batch, 8);
    assert_true(r.result.measurement.stats.median == 2e-6);
    assert_int_equal(r.result.measurement.stop, RFT_STOP_SETTLED);
    assert_int_equal(r.result.facts.registers, 40);
    assert_string_equal(r.result.facts.cubin_hash, "abc");
    assert_true(r.result.verification.done && r.result.verification.worst_frac == 0.25);
    r.request.measure.mode = RFT_TIMING_GRAPH; /* its times are of launches one by one */
    assert_int_equal(ask(&r, 1024, 128, "ld"), RFT_OUTCOME_NOT_RECORDED);
    assert_string_equal(r.result.reason,
                        "the recording timed its launches one by one, the sweep asks for a CUDA graph");
    stop(&r);
}

static void test_rounds(void **state) {
    (void)state;
    recording r;
    start(&r);
    r.request.round = 1;
    assert_int_equal(ask(&r, 1024, 128, "ld"), RFT_OUTCOME_OK);
    assert_int_equal(r.result.measurement.n, 2);
    assert_int_equal(r.result.measurement.step_count, 2);
    assert_memory_equal(r.result.measurement.step_s, steps, sizeof steps);
    r.request.variant = 0;
    assert_int_equal(ask(&r, 1024, 128, "ld"), RFT_OUTCOME_NOT_RECORDED);
    assert_string_equal(r.result.reason, "the point was not in the recording's final round");
    r.request.round = 0;
    assert_int_equal(ask(&r, 1024, 128, "ld"), RFT_OUTCOME_NOISY);
    assert_string_equal(r.result.reason, "restless");
    stop(&r);
}

static void test_alias(void **state) {
    (void)state;
    recording r;
    start(&r);
    assert_int_equal(ask(&r, 1024, 128, "tma"), RFT_OUTCOME_OK);
    assert_int_equal(r.result.measurement.n, 3);
    assert_int_equal(r.result.facts.registers, 40);
    assert_int_equal(ask(&r, 1024, 512, "ld"), RFT_OUTCOME_NOT_RECORDED);
    assert_string_equal(r.result.reason, "the recording lacks the point that this one is an alias of");
    stop(&r);
}

static void test_failed(void **state) {
    (void)state;
    recording r;
    start(&r);
    assert_int_equal(ask(&r, 1024, 256, "ld"), RFT_OUTCOME_COMPILE_FAILED);
    assert_string_equal(r.result.reason, "it does not compile");
    assert_string_equal(r.result.log, "k.cu(1): error");
    assert_int_equal(r.result.measurement.n, 0);
    stop(&r);
}

static void test_not_recorded(void **state) {
    (void)state;
    recording r;
    start(&r);
    assert_int_equal(ask(&r, 1025, 128, "ld"), RFT_OUTCOME_NOT_RECORDED);
    assert_string_equal(r.result.reason, "the recording has no such point");
    assert_int_equal(r.result.measurement.n, 0);
    assert_null(r.result.measurement.samples_s);
    assert_false(r.result.verification.done);
    assert_int_equal(r.result.facts.registers, -1);
    assert_int_equal(ask(&r, 2048, 128, "ld"), RFT_OUTCOME_NOT_RECORDED);
    assert_int_equal(ask(&r, 1024, 128, "st"), RFT_OUTCOME_NOT_RECORDED);
    r.asking.name = "gemm";
    assert_int_equal(ask(&r, 1024, 128, "ld"), RFT_OUTCOME_NOT_RECORDED);
    r.asking.name = "gemv";
    r.params[1].name = "THREADS";
    assert_int_equal(ask(&r, 1024, 128, "ld"), RFT_OUTCOME_NOT_RECORDED);
    r.params[1].name = "BLOCK";
    r.variants[1].param_count = 1; /* a parameter fewer */
    assert_int_equal(ask(&r, 1024, 128, "ld"), RFT_OUTCOME_NOT_RECORDED);
    stop(&r);
}

static void test_verify_only(void **state) {
    (void)state;
    recording r;
    start(&r);
    r.request.verify_only = true;
    assert_int_equal(ask(&r, 1000, 128, "ld"), RFT_OUTCOME_OK);
    assert_true(r.result.verification.done && r.result.verification.worst_frac == 0.5);
    assert_int_equal(r.result.measurement.n, 0);
    r.request.variant = 0;
    assert_int_equal(ask(&r, 1024, 128, "ld"), RFT_OUTCOME_NOT_RECORDED);
    assert_string_equal(r.result.reason, "the recording has no verification of this point");
    r.request.variant = 1;
    r.request.verify_only = false;
    assert_int_equal(ask(&r, 1000, 128, "ld"), RFT_OUTCOME_NOT_RECORDED);
    assert_string_equal(r.result.reason, "the recording has no samples of this point");
    stop(&r);
}

static void test_device(void **state) {
    (void)state;
    recording r;
    start(&r);
    rft_gpu_info gpu;
    rft_env env = {0};
    rft_ceilings ceilings;
    rft_gpu_info_for_arch(&r.run->gpu, "sm_90a", &r.err);
    rft_env_set(&r.run->env, r.run->arena, "host.cpu", "some cpu", NULL);
    rft_env_set(&r.run->env, r.run->arena, "nvml.power_w", NULL, "no NVML");
    r.run->ceilings.items[RFT_CEILING_FP32] = (rft_ceiling){.measured = true, .kernel = "fma", .clock_mhz = 1980.0};
    assert_int_equal(r.probe->device(r.probe, r.arena, &gpu, &env, &r.err), 0);
    assert_int_equal(gpu.sms, 132);
    assert_string_equal(rft_env_value(&env, "host.cpu"), "some cpu");
    assert_string_equal(rft_env_get(&env, "nvml.power_w")->reason, "no NVML");
    assert_int_equal(r.probe->ceilings(r.probe, NULL, r.arena, &ceilings, &r.err), 0);
    assert_true(ceilings.items[RFT_CEILING_FP32].measured);
    assert_string_equal(ceilings.items[RFT_CEILING_FP32].kernel, "fma");
    assert_ptr_not_equal(ceilings.items[RFT_CEILING_FP32].kernel, r.run->ceilings.items[RFT_CEILING_FP32].kernel);
    stop(&r);
}

static void test_empty(void **state) {
    (void)state;
    recording r;
    start(&r);
    rft_probe *probe = NULL;
    r.run->point_count = 0;
    assert_int_equal(rft_replay_new(&probe, r.run, &r.err), 0);
    r.problem[0] = r.problem[1] = r.config[0] = r.config[1] = rft_value_int(1);
    assert_int_equal(probe->measure(probe, &r.request, r.arena, &r.result, &r.err), 0);
    assert_int_equal(r.result.outcome, RFT_OUTCOME_NOT_RECORDED);
    probe->free(probe);
    r.run->point_count = POINTS;
    stop(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),  cmocka_unit_test(test_rounds),       cmocka_unit_test(test_alias),
        cmocka_unit_test(test_failed), cmocka_unit_test(test_not_recorded), cmocka_unit_test(test_verify_only),
        cmocka_unit_test(test_device), cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
