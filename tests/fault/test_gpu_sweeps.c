/* SPDX-License-Identifier: Apache-2.0 */
/* The sweeps of the GPU tests, on a machine without one: every configuration on every problem is spelled out and
 * compiled for sm_90a with its reference, so that time on a GPU is not spent on misspellings. */
#include "kernels/kernel_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARCH "sm_90a"

static rft_compiler *the_compiler;

typedef struct pass {
    rft_gpu_info gpu;
    rft_arena *arena;
    kernel_case_units units;
    size_t points;
} pass;

/* Does the sweep mean this configuration to fail before it is launched? */
static bool must_fail(const rft_sweep *sweep, const rft_value *config, const char *how) {
    const rft_variant *variant = &sweep->variants[0];
    return variant->param_count > 0 && strcmp(variant->params[0].name, "FAULT") == 0 &&
           strcmp(config[0].as.text, how) == 0;
}

static void check_point(pass *run, const rft_sweep *sweep, size_t variant, size_t problem, const rft_value *config) {
    const char *what = kernel_case_text(sweep, variant, problem, config, run->arena);
    rft_point_spec spec;
    rft_err err = RFT_ERR_INIT;
    run->points++;
    int rc = sweep->vt->point(sweep->self, variant, sweep->problems[problem].values, config, run->arena, &spec, &err);
    if (must_fail(sweep, config, "script_error")) {
        assert_int_equal(rc, RFT_E_SCRIPT);
        return;
    }
    if (rc != 0) {
        fail_msg("%s: %s: %s", what, err.place, err.message);
    }
    kernel_case_add(&run->units, &spec.check.reference->unit, what, false);
    if (must_fail(sweep, config, "does_not_compile")) {
        rft_compile_result result = kernel_case_compile(the_compiler, &spec.unit, ARCH, run->arena);
        assert_false(result.ok);
        assert_non_null(strstr(result.log, "asked not to compile"));
        return;
    }
    kernel_case_add(&run->units, &spec.unit, what, false);
}

static void check_file(pass *run, const char *path) {
    rft_script *script = kernel_case_load(path, &run->gpu); /* an absolute path stands alone */
    for (size_t i = 0; i < rft_script_sweep_count(script); i++) {
        const rft_sweep *sweep = rft_script_sweep(script, i);
        for (size_t at = 0; at < sweep->variant_count * sweep->problem_count; at++) {
            size_t variant = at / sweep->problem_count, problem = at % sweep->problem_count;
            rft_space *space = NULL;
            rft_err err = RFT_ERR_INIT;
            if (rft_space_new(&space, sweep, variant, sweep->problems[problem].values, NULL, &err) != 0) {
                fail_msg("%s: %s", sweep->name, err.message);
            }
            assert_true(rft_space_count(space) > 0);
            for (uint64_t c = 0; c < rft_space_count(space); c++) {
                size_t count = sweep->variants[variant].param_count;
                rft_value *config = rft_arena_calloc(run->arena, count + 1, sizeof *config);
                rft_space_get(space, c, config);
                check_point(run, sweep, variant, problem, config);
            }
            rft_space_free(space);
        }
    }
    rft_script_free(script);
}

static void check_files(const char *const *paths, size_t count) {
    pass *run = calloc(1, sizeof *run);
    assert_non_null(run);
    run->arena = rft_arena_new();
    run->gpu = kernel_case_gpu(ARCH);
    for (size_t i = 0; i < count; i++) {
        check_file(run, paths[i]);
    }
    for (size_t i = 0; i < run->units.count; i++) {
        kernel_case_compile_all(the_compiler, &run->units.items[i], ARCH, true, run->arena);
    }
    printf("%zu points, %zu kernels compiled in %zu units\n", run->points, run->units.name_count, run->units.count);
    assert_true(run->units.name_count >= 3);
    kernel_case_units_free(&run->units);
    rft_arena_free(run->arena);
    free(run);
}

static void the_faults_compile(void **state) {
    (void)state;
    check_files(
        (const char *const[]){RFT_SOURCE_DIR "/tests/fault/fault.lua", RFT_SOURCE_DIR "/tests/fault/outside.lua"}, 2);
}

static void the_language_sweeps_compile(void **state) {
    static const char folder[] = RFT_SOURCE_DIR "/tests/gpu/sweeps";
    (void)state;
    char **names = NULL, *paths[64] = {NULL};
    size_t count = 0, kept = 0;
    assert_int_equal(rft_fs_list(&names, &count, folder, ".lua", NULL), 0);
    assert_in_range(count, 10, 64);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], "short_measure.lua") != 0) { /* required by the others */
            paths[kept++] = rft_fs_join(folder, names[i]);
        }
    }
    check_files((const char *const *)paths, kept);
    for (size_t i = 0; i < kept; i++) {
        free(paths[i]);
    }
    rft_fs_list_free(names, count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_faults_compile),
        cmocka_unit_test(the_language_sweeps_compile),
    };
    the_compiler = kernel_case_compiler();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    the_compiler->free(the_compiler);
    return failed;
}
