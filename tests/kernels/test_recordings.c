/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Do the recordings under sweeps/recorded still describe the kernels that ship? A sample of each is compiled again by
 * the program's own compile workers with the NVRTC version that the recording names, and must give the same cubin; no
 * point may beat the hardware's limits. NVRTC makes a rare kernel differently from process to process
 * (docs/processes.md), so DIFFERENT_MOST of all samples may differ, and are printed; a recording whose kernels were
 * changed differs in all of its samples, and fails.
 */
#include "kernels/kernel_case.h"

#include "base/fs.h"
#include "model/roofline/bound.h"
#include "model/roofline/placement.h"
#include "run/compile/compile_pool.h"
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A recording is of another kernel where no sample has the cubin that is recorded: the first that has it is enough. All
 * are compiled with RFT_ALL_DRAWS. */
#ifdef RFT_ALL_DRAWS
#define SAMPLES 12
#define ONE_IS_ENOUGH false
#else
#define SAMPLES 2
#define ONE_IS_ENOUGH true
#endif
#define DIFFERENT_MOST 0.12
#define RECORDED RFT_SOURCE_DIR "/sweeps/recorded"

typedef struct fixture {
    rft_compiler *compiler; /* NULL: no NVRTC here; for its version */
    rft_loop *loop;
    rft_compile_pool *pool;
    rft_arena *arena;
    size_t compiled, different; /* over all recordings */
} fixture;

/* As a run compiles it: in a worker of the program. */
static const rft_compile_result *compile(fixture *f, const rft_unit_spec *unit, const char *arch) {
    rft_compile_request request = rft_compile_request_of(unit, arch);
    const rft_compile_result *result = NULL;
    bool timed_out = false;
    rft_err err = RFT_ERR_INIT;
    rft_ticket ticket = rft_compile_pool_submit(f->pool, &request, 60.0);
    if (rft_compile_pool_wait(f->pool, ticket, &result, &timed_out, &err) != 0) {
        fail_msg("%s: %s", unit->source, err.message);
    }
    return result;
}

static const rft_sweep *sweep_named(const rft_script *script, const char *name) {
    for (size_t i = 0; i < rft_script_sweep_count(script); i++) {
        if (strcmp(rft_script_sweep(script, i)->name, name) == 0) {
            return rft_script_sweep(script, i);
        }
    }
    return NULL;
}

/* The recorded point's place in the sweep as it is now; false when it is no longer there. */
static bool find_point(const rft_sweep *recorded, const rft_point *point, const rft_sweep *now, size_t *variant,
                       size_t *problem) {
    const rft_variant *was = &recorded->variants[point->variant];
    *variant = 0;
    while (*variant < now->variant_count && strcmp(now->variants[*variant].name, was->name) != 0) {
        (*variant)++;
    }
    *problem = 0;
    while (*problem < now->problem_count &&
           !(recorded->axis_count == now->axis_count &&
             rft_values_equal(now->problems[*problem].values, recorded->problems[point->problem].values,
                              now->axis_count))) {
        (*problem)++;
    }
    return *variant < now->variant_count && *problem < now->problem_count &&
           now->variants[*variant].param_count == was->param_count;
}

/* NULL when the point compiles, else what is wrong. *different says that the cubin is not the recorded one. */
static const char *recompile(fixture *f, const rft_run *run, const rft_point *point, const rft_script *script,
                             const char **different) {
    const rft_sweep *recorded = &run->sweeps[point->sweep].sweep;
    const rft_sweep *now = sweep_named(script, recorded->name);
    size_t variant, problem;
    if (now == NULL || !find_point(recorded, point, now, &variant, &problem)) {
        return rft_arena_printf(f->arena, "point %lld: the sweep %s no longer has it", (long long)point->id,
                                recorded->name);
    }
    rft_point_spec spec = kernel_case_point(now, variant, problem, point->config, f->arena);
    const rft_compile_result *result = compile(f, &spec.unit, run->gpu.arch);
    const char *what = kernel_case_text(now, variant, problem, point->config, f->arena);
    if (!result->ok) {
        return rft_arena_printf(f->arena, "%s: %s", what, result->log);
    }
    *different = strcmp(result->cubin_hash, point->facts.cubin_hash) == 0
                     ? NULL
                     : rft_arena_printf(f->arena, "%s: cubin %.12s, recorded %.12s", what, result->cubin_hash,
                                        point->facts.cubin_hash);
    return NULL;
}

/* Of a problem that the script itself has: what refine() added is not there. */
static bool can_be_made_again(const rft_run *run, const rft_point *point) {
    return point->facts.cubin_hash && run->sweeps[point->sweep].sweep.problems[point->problem].refined == 0;
}

/* Of the points of the same variant the one that took least to compile: if the kernel changed, all of them changed. */
static const rft_point *quickest_like(const rft_run *run, const rft_point *point) {
    const rft_point *quickest = point;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *other = &run->points[i];
        if (other->sweep == point->sweep && other->variant == point->variant && can_be_made_again(run, other) &&
            other->facts.compile_s > 0.0 &&
            !(quickest->facts.compile_s > 0.0 && quickest->facts.compile_s <= other->facts.compile_s)) {
            quickest = other;
        }
    }
    return quickest;
}

/* Recompiles up to SAMPLES points, evenly spaced among those with a cubin, and counts. NULL, or the first complaint. */
static const char *check_cubins(fixture *f, const rft_run *run, const rft_script *script) {
    const size_t before = f->compiled;
    size_t candidates = 0, seen = 0;
    bool enough = false;
    for (size_t i = 0; i < run->point_count; i++) {
        candidates += can_be_made_again(run, &run->points[i]);
    }
    for (size_t i = 0; i < run->point_count && !enough; i++) {
        if (!can_be_made_again(run, &run->points[i])) {
            continue;
        }
        if (candidates <= SAMPLES || seen * SAMPLES / candidates != (seen + 1) * SAMPLES / candidates) {
            const char *different = NULL;
            const bool is_likely_alone = ONE_IS_ENOUGH && f->compiled == before;
            const rft_point *point = is_likely_alone ? quickest_like(run, &run->points[i]) : &run->points[i];
            const char *wrong = recompile(f, run, point, script, &different);
            if (wrong) {
                return wrong;
            }
            f->compiled++;
            if (different) {
                f->different++;
                printf("  %s\n", different);
            }
            enough = ONE_IS_ENOUGH && !different && candidates > SAMPLES;
        }
        seen++;
    }
    return NULL;
}

/* What was recorded is no longer what ships; one sample alone may be NVRTC's doing. */
static bool is_of_another_kernel(size_t compiled, size_t different) {
    return compiled > 1 && different == compiled;
}

/* NULL, or the first point that took less time than the hardware's own limits allow. */
static const char *check_limits(const rft_run *run, rft_arena *arena, size_t *judged) {
    *judged = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        double median_s = rft_point_median_s(&run->points[i]);
        rft_placement placement = rft_placement_of(run, &run->points[i]);
        if (isnan(median_s) || isnan(placement.limit_s)) {
            continue;
        }
        (*judged)++;
        if (median_s < placement.limit_s) {
            return rft_arena_printf(arena, "point %lld took %g s, the hardware needs %g s",
                                    (long long)run->points[i].id, median_s, placement.limit_s);
        }
    }
    return NULL;
}

/* Nothing of a vendor's library is compiled here. */
static bool is_of_library(const rft_run *run) {
    bool all = true;
    for (size_t s = 0; s < run->sweep_count; s++) {
        for (size_t v = 0; v < run->sweeps[s].sweep.variant_count; v++) {
            all = all && strcmp(run->sweeps[s].sweep.variants[v].entry, "cuBLASLt") == 0;
        }
    }
    return all;
}

#define ARGS_MOST 8

/* The script with the arguments that the run had: what follows " -- " in its command. */
static rft_script *load_as_recorded(const rft_run *run, rft_arena *arena) {
    const char *args[ARGS_MOST];
    size_t count = 0;
    const char *behind = strstr(run->info.command, " -- ");
    char *rest = NULL;
    char *words = rft_arena_strdup(arena, behind ? behind + strlen(" -- ") : "");
    for (char *word = strtok_r(words, " ", &rest); word && count < ARGS_MOST; word = strtok_r(NULL, " ", &rest)) {
        args[count++] = word;
    }
    return kernel_case_load_with(rft_fs_name(run->sweeps[0].sweep.path), &run->gpu, args, count);
}

static void check_recording(fixture *f, const char *path) {
    rft_run *run = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_recording_read(&run, path, &err) != 0) {
        fail_msg("%s: %s", path, err.message);
    }
    assert_true(run->sweep_count > 0 && run->point_count > 0);
    size_t judged = 0, compiled = f->compiled, different = f->different;
    const char *wrong = check_limits(run, f->arena, &judged);
    if (wrong) {
        fail_msg("%s: %s", path, wrong);
    }
    assert_true(judged > 0);
    const char *version = rft_env_value(&run->env, "nvrtc.version");
    if (version == NULL) {
        fail_msg("%s does not say which NVRTC compiled it", path);
    }
    if (f->compiler == NULL || strcmp(f->compiler->version(f->compiler), version) != 0) {
        printf("%s: %zu points within the limits; not recompiled: it used NVRTC %s, here is %s\n", rft_fs_name(path),
               judged, version, f->compiler ? f->compiler->version(f->compiler) : "none");
    } else {
        rft_script *script = load_as_recorded(run, f->arena);
        wrong = check_cubins(f, run, script);
        if (wrong) {
            fail_msg("%s: %s", path, wrong);
        }
        assert_true(f->compiled > compiled || is_of_library(run));
        if (is_of_another_kernel(f->compiled - compiled, f->different - different)) {
            fail_msg("%s: every sample is compiled to another cubin: record it again", path);
        }
        printf("%s: %zu points within the limits, %zu recompiled, %zu to another cubin\n", rft_fs_name(path), judged,
               f->compiled - compiled, f->different - different);
        rft_script_free(script);
    }
    rft_run_free(run);
}

static void recordings_hold(void **state) {
    fixture *f = *state;
    char **folders = NULL;
    size_t folder_count = 0, recordings = 0;
    if (rft_fs_list(&folders, &folder_count, RECORDED, NULL, NULL) != 0) {
        folder_count = 0;
    }
    for (size_t i = 0; i < folder_count; i++) {
        char **names = NULL;
        size_t count = 0;
        char *folder = rft_fs_join(RECORDED, folders[i]);
        if (rft_fs_is_folder(folder)) {
            assert_int_equal(rft_fs_list(&names, &count, folder, ".json.gz", NULL), 0);
        }
        for (size_t j = 0; j < count; j++) {
            char *path = rft_fs_join(folder, names[j]);
            check_recording(f, path);
            free(path);
        }
        recordings += count;
        rft_fs_list_free(names, count);
        free(folder);
    }
    rft_fs_list_free(folders, folder_count);
    if (recordings == 0) {
        printf("no recordings under sweeps/recorded yet\n");
    }
    if ((double)f->different > DIFFERENT_MOST * (double)f->compiled) {
        fail_msg("%zu of %zu recompiled configurations give another cubin than the recordings'", f->different,
                 f->compiled);
    }
}

/* ---- the checks themselves, on a run made here ---- */

/* Two compiled points of quick.lua's first sweep, as a run on an H100 would have left them. */
static rft_run *small_run(fixture *f, const rft_script *script) {
    const rft_sweep *sweep = rft_script_sweep(script, 0);
    rft_run *run = rft_run_new();
    run->gpu = kernel_case_gpu("sm_90a");
    run->sweeps = rft_arena_calloc(run->arena, 1, sizeof(*run->sweeps));
    run->sweeps[0].sweep = *sweep;
    run->sweep_count = 1;
    run->points = rft_arena_calloc(run->arena, 2, sizeof(*run->points));
    run->point_count = 2;
    for (size_t i = 0; i < 2; i++) {
        rft_value *config = kernel_case_default(&sweep->variants[0], run->arena);
        rft_point_spec spec = kernel_case_point(sweep, 0, i + 1, config, run->arena);
        rft_point *point = &run->points[i];
        *point = (rft_point){.id = (int64_t)i + 1, .problem = i + 1, .config = config, .facts = rft_facts_unknown()};
        point->work = spec.work;
        point->traffic = spec.traffic;
        if (f->compiler) {
            const rft_compile_result *result = compile(f, &spec.unit, "sm_90a");
            assert_true(result->ok);
            point->facts.cubin_hash = rft_arena_strdup(run->arena, result->cubin_hash);
        }
    }
    return run;
}

static void a_changed_cubin_is_found(void **state) {
    fixture *f = *state;
    if (f->compiler == NULL) {
        skip();
    }
    rft_gpu_info gpu = kernel_case_gpu("sm_90a");
    rft_script *script = kernel_case_load("quick.lua", &gpu);
    rft_run *run = small_run(f, script);
    assert_null(check_cubins(f, run, script));
    assert_int_equal(f->compiled, 2);
    assert_int_equal(f->different, 0);
    run->points[1].facts.cubin_hash = "0000000000000000000000000000000000000000000000000000000000000000";
    assert_null(check_cubins(f, run, script));
    assert_int_equal(f->different, 1);
    assert_false(is_of_another_kernel(2, 1) || is_of_another_kernel(1, 1));
    assert_true(is_of_another_kernel(2, 2));
    f->compiled = f->different = 0;
    rft_run_free(run);
    rft_script_free(script);
}

static void a_point_beyond_the_hardware_is_found(void **state) {
    fixture *f = *state;
    rft_gpu_info gpu = kernel_case_gpu("sm_90a");
    rft_script *script = kernel_case_load("quick.lua", &gpu);
    rft_run *run = small_run(f, script);
    for (size_t i = 0; i < RFT_CEILING_COUNT; i++) {
        run->ceilings.items[i].limit = NAN;
    }
    run->ceilings.items[RFT_CEILING_DRAM_COPY].limit = 4.8e12;
    run->ceilings.items[RFT_CEILING_DRAM_COPY].measured = true;
    double sample_s = 1.0; /* slower than anything */
    rft_point *point = &run->points[1];
    point->rounds[0] = (rft_measurement){.samples_s = &sample_s, .n = 1, .stats = {.n = 1, .median = 1.0}};
    size_t judged = 0;
    assert_null(check_limits(run, f->arena, &judged));
    assert_int_equal(judged, 1);
    point->rounds[0].stats.median = 1e-12;
    assert_non_null(check_limits(run, f->arena, &judged));
    rft_run_free(run);
    rft_script_free(script);
}

static int setup(void **state) {
    static fixture the_fixture;
    rft_err err = RFT_ERR_INIT;
    the_fixture.arena = rft_arena_new();
    if (rft_nvrtc_new(&the_fixture.compiler, NULL, &err) != 0) {
        the_fixture.compiler = NULL;
        printf("nothing is recompiled: %s\n", err.message);
    }
    static const char *kernels[] = {RFT_SOURCE_DIR "/kernels"}; /* borrowed by the pool */
    rft_compile_pool_opts opts = {
        .program = RFT_ROOFTUNE, .workers = 2, .roots = {.folders = kernels, .count = 1, .capacity = 1}};
    assert_int_equal(rft_loop_new(&the_fixture.loop, &err), 0);
    opts.loop = the_fixture.loop;
    assert_int_equal(rft_compile_pool_new(&the_fixture.pool, &opts, &err), 0);
    *state = &the_fixture;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    if (f->compiler) {
        f->compiler->free(f->compiler);
    }
    rft_compile_pool_free(f->pool);
    rft_loop_free(f->loop);
    rft_arena_free(f->arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_cubin_is_found),
        cmocka_unit_test(a_point_beyond_the_hardware_is_found),
        cmocka_unit_test(recordings_hold),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
