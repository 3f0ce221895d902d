/* SPDX-License-Identifier: Apache-2.0 */
/* One point alone: compiled only, and measured. */
#include "run/scene.h"

#include "run/once.h"

#include <string.h>

typedef struct once_case {
    scene scene;
    rft_gpu_info gpu;
    rft_once_result result;
} once_case;

static int once(once_case *c, const char *fate, bool measured) {
    scripted_sweep_opts opts = {.fates = {fate}};
    rft_value config[PARAM_COUNT];
    c->scene.sweep_count = 0;
    rft_sweep *sweep = scene_sweep(&c->scene, &opts);
    for (size_t i = 0; i < PARAM_COUNT; i++) {
        config[i] = sweep->variants[0].params[i].default_value;
    }
    rft_gpu_info_for_arch(&c->gpu, "sm_90a", NULL);
    rft_once_request request = {.sweep = sweep,
                                .problem = sweep->problems[0].values,
                                .config = config,
                                .gpu = &c->gpu,
                                .pool = c->scene.pool,
                                .probe = measured ? c->scene.probe : NULL};
    return rft_once(&request, c->scene.arena, &c->result, &c->scene.err);
}

static void compiled_only(void **state) {
    (void)state;
    once_case c;
    scene_open(&c.scene, 1);
    assert_int_equal(once(&c, "ok", false), RFT_OK);
    assert_true(c.result.compiled->ok);
    assert_int_equal(c.result.facts.registers, 32);
    assert_int_equal(c.result.block[0], 128);
    assert_int_equal(c.result.spec.buffer_count, 2);
    assert_int_equal(c.scene.measured, 0);
    assert_int_equal(once(&c, "compile_refused", false), RFT_OK);
    assert_int_equal(c.result.probed.outcome, RFT_OUTCOME_COMPILE_FAILED);
    assert_non_null(strstr(c.result.probed.log, "and more"));
    assert_int_equal(once(&c, "script_error", false), RFT_OK);
    assert_int_equal(c.result.probed.outcome, RFT_OUTCOME_SCRIPT_FAILED);
    assert_null(c.result.compiled);
    scene_close(&c.scene);
}

static void measured(void **state) {
    (void)state;
    once_case c;
    scene_open(&c.scene, 1);
    assert_int_equal(once(&c, "ok", true), RFT_OK);
    assert_int_equal(c.result.probed.outcome, RFT_OUTCOME_OK);
    assert_true(c.result.probed.measurement.n >= 10);
    assert_int_equal(once(&c, "too_large", true), RFT_OK);
    assert_int_equal(c.result.probed.outcome, RFT_OUTCOME_SKIPPED);
    assert_int_equal(once(&c, "exits", true), RFT_OK);
    assert_int_equal(c.result.probed.outcome, RFT_OUTCOME_CRASHED);
    scene_close(&c.scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(compiled_only), cmocka_unit_test(measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
