/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of every shipped kernel compile for every supported generation; the default configurations do not spill. */
#include "kernels/kernel_case.h"

#include "base/fs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define USUAL "sm_90a"
#define FP8_SHARE 3 /* of what sm_89 compiles */
#define OTHER_SHARE 24

static rft_compiler *the_compiler;

/* One architecture's pass over the sweeps. */
typedef struct pass {
    const char *arch;
    bool is_usual;
    /* Of the sweeps in hand: */
    bool is_recorded; /* by an H200, for which the usual architecture compiles: test_recordings compiles more of it */
    bool with_references;
    rft_script *older; /* of the usual architecture: what sm_80 has of them; else NULL */
    rft_gpu_info gpu;
    rft_arena *arena;
    kernel_case_units units;
} pass;

typedef struct sample {
    const rft_sweep *sweep;
    size_t variant, problem;
    const rft_value *config;
    bool is_default;
} sample;

/* sm_89, which is sm_80 but for its fp8. */
static bool is_ada(const pass *run) {
    return run->gpu.cc_major == 8 && run->gpu.cc_minor == 9;
}

static void add_unit(pass *run, const sample *s, const rft_unit_spec *unit, bool is_judged) {
    const char *what = kernel_case_text(s->sweep, s->variant, s->problem, s->config, run->arena);
    kernel_case_add(&run->units, unit, what, is_judged);
}

/* Has the card of `script` a configuration of that variant? */
static bool has_variant(const rft_script *script, const char *sweep, size_t variant) {
    uint64_t count = 0;
    for (size_t i = 0; i < rft_script_sweep_count(script); i++) {
        const rft_sweep *s = rft_script_sweep(script, i);
        rft_space *space = NULL;
        if (strcmp(s->name, sweep) == 0 && variant < s->variant_count) {
            assert_int_equal(rft_space_new(&space, s, variant, s->problems[0].values, NULL, NULL), 0);
            count = rft_space_count(space);
            rft_space_free(space);
        }
    }
    return count > 0;
}

/* Spills of defaults are judged on sm_80, and on sm_90a those of what sm_80 has not: there kernels are optimised as a
 * run has them. What is compiled for other cards is the same code but tcgen05's, with as many registers, and five
 * sixths of the time is optimising. All with RFT_ALL_DRAWS. */
static bool judges_spills(const pass *run, const sample *s) {
#ifdef RFT_ALL_DRAWS
    return run && s->is_default;
#else
    return s->is_default && run->gpu.cc_major < 10 && !is_ada(run) &&
           !(run->is_usual && has_variant(run->older, s->sweep->name, s->variant));
#endif
}

/* As a run has it, with all of its names: where the unit itself asks for how ptxas optimises. */
static bool is_never_quick(const kernel_case_unit *unit) {
#ifdef RFT_ALL_DRAWS
    return unit;
#else
    size_t options = 0;
    for (size_t i = 0; i < unit->unit.option_count; i++) {
        options += strncmp(unit->unit.options[i], "-X", 2) == 0;
    }
    return options > 0;
#endif
}

/* Waits that ptxas writes itself (C7517) and that are known: where decode_mla scales its sums down, once a maximum has
 * risen, and behind the last product where an epilogue leaves C in fp32. Recorded, the latter are as fast as tiles that
 * need none. */
static bool is_own_wait(const char *log, const char *what) {
    const char *known = strstr(what, "decode_mla") ? "(C7517)" : "matmul_wgmma_epilogueI13__nv_bfloat16f";
    for (; *log; log += strcspn(log, "\n"), log += *log == '\n') {
        const char *end = log + strcspn(log, "\n"), *note = strstr(log, "(C7517)"), *of = strstr(log, known);
        if (!note || note > end || !of || of > end) {
            return false;
        }
    }
    return true;
}

static void compile_names(const pass *run, const kernel_case_unit *unit, bool quick) {
    rft_compile_result result = kernel_case_compile_all(the_compiler, unit, run->arch, quick, run->arena);
    if (!is_own_wait(result.log, unit->names[0].what)) { /* warnings too: a user would read them a hundred times */
        fail_msg("%s for %s says: %s", unit->names[0].what, run->arch, result.log);
    }
    for (size_t i = 0; i < result.entry_count; i++) {
        const rft_compiled_entry *entry = &result.entries[i];
        assert_string_equal(entry->name, unit->names[i].name);
        assert_in_range(entry->registers, 1, 255);
        if (unit->names[i].is_judged && (entry->spill_store_bytes != 0 || entry->spill_load_bytes != 0)) {
            fail_msg("%s for %s: %s spills %d + %d bytes", unit->names[i].what, run->arch, entry->name,
                     entry->spill_store_bytes, entry->spill_load_bytes);
        }
    }
}

/* The names that are judged, and the others quickly. */
static void compile_unit(const pass *run, const kernel_case_unit *unit) {
    if (is_never_quick(unit)) {
        compile_names(run, unit, false);
        return;
    }
    for (int judged = 0; judged < 2; judged++) {
        kernel_case_unit part = {.unit = unit->unit};
        part.names = rft_arena_calloc(run->arena, unit->count, sizeof *part.names);
        for (size_t i = 0; i < unit->count; i++) {
            if (unit->names[i].is_judged == (judged == 1)) {
                part.names[part.count++] = unit->names[i];
            }
        }
        if (part.count > 0) {
            compile_names(run, &part, !judged);
        }
    }
}

static void add_sample(pass *run, const sample *s) {
    rft_point_spec spec = kernel_case_point(s->sweep, s->variant, s->problem, s->config, run->arena);
    add_unit(run, s, &spec.unit, judges_spills(run, s));
    if (run->with_references) {
        add_unit(run, s, &spec.check.reference->unit, false);
    }
}

/* Of the first and the last valid configuration the usual architecture compiles one where nothing is recorded, the
 * others one in eight, in turn. All with RFT_ALL_DRAWS. */
static bool takes_end(const pass *run, size_t variant, uint64_t end) {
#ifdef RFT_ALL_DRAWS
    (void)variant;
    return run && end < 2;
#else
    return !run->is_recorded && (variant + (size_t)run->gpu.cc_major / 2 + end) % (run->is_usual ? 2 : 8) == 0;
#endif
}

/* The middle problem of a recorded sweep was compiled and measured by the run, and test_recordings compiles some of it.
 * sm_80 compiles the odd one or this one. All with RFT_ALL_DRAWS. */
static bool takes_middle(const pass *run, size_t variant) {
#ifdef RFT_ALL_DRAWS
    return run || variant;
#else
    return run->is_usual ? !run->is_recorded : run->gpu.cc_major != 8 || variant % 2 == 0;
#endif
}

/* sm_100a and sm_120a know the same instructions but tcgen05, which tests of its own compile: sm_120a, whose shared
 * memory is the smaller, compiles every default, sm_100a every other one. All with RFT_ALL_DRAWS. */
static bool takes_default(const pass *run, size_t variant) {
#ifdef RFT_ALL_DRAWS
    return run || variant;
#else
    return run->gpu.cc_major != 10 || variant % 2 == 0;
#endif
}

/* The default configuration; with `ends` the first and the last valid one of the problem besides. */
static void add_variant(pass *run, const rft_sweep *sweep, size_t variant, size_t problem, bool ends) {
    rft_err err = RFT_ERR_INIT;
    rft_space *space = NULL;
    const rft_variant *v = &sweep->variants[variant];
    if (takes_default(run, variant)) {
        add_sample(run, &(sample){sweep, variant, problem, kernel_case_default(v, run->arena), true});
    }
    if (rft_space_new(&space, sweep, variant, sweep->problems[problem].values, NULL, &err) != 0) {
        fail_msg("%s: %s", sweep->name, err.message);
    }
    uint64_t count = rft_space_count(space);
    if (count > 0 && strstr(v->kernel, "wgmma") && !run->is_usual) {
        fail_msg("%s, %s: wgmma is asked for on %s", sweep->name, v->name, run->arch);
    }
    for (uint64_t end = 0; end < 2 && count > 0 && ends; end++) {
        if (takes_end(run, variant, end)) {
            rft_value *config = rft_arena_calloc(run->arena, v->param_count + 1, sizeof(*config));
            rft_space_get(space, end * (count - 1), config);
            add_sample(run, &(sample){sweep, variant, problem, config, false});
        }
    }
    rft_space_free(space);
}

/* Its code paths depend on the sizes, not on the architecture. Of a recorded sweep the usual architecture compiles what
 * sm_80 has not, and sm_80 this problem of every other variant. */
static bool takes_odd(const pass *run, const rft_sweep *sweep, size_t variant) {
#ifdef RFT_ALL_DRAWS
    return run && sweep && variant < sweep->variant_count;
#else
    return run->is_usual ? !run->is_recorded || !has_variant(run->older, sweep->name, variant)
                         : run->gpu.cc_major == 8 && variant % 2 == 1;
#endif
}

/* A reference has no instruction of one architecture: the usual one compiles all, the others a third each. */
static bool takes_references(const pass *run, size_t sweep) {
#ifdef RFT_ALL_DRAWS
    return run || sweep;
#else
    return run->is_usual || (!is_ada(run) && (sweep + (size_t)run->gpu.cc_major / 2) % 3 == 0);
#endif
}

/* What compiles for sm_100a and not for sm_120a, or the other way round, is rare: they share the variants. sm_89 takes
 * one in three of fp8 and one in 24 of the others, a different one in each sweep. All with RFT_ALL_DRAWS. */
static bool takes_variant(const pass *run, const rft_sweep *sweep, size_t place, size_t variant) {
#ifdef RFT_ALL_DRAWS
    (void)variant, (void)place;
    return run && sweep;
#else
    if (is_ada(run)) {
        return (place + variant) % (strstr(sweep->variants[variant].kernel, "fp8") ? FP8_SHARE : OTHER_SHARE) == 0;
    }
    return run->gpu.cc_major < 10 || (variant + (run->gpu.cc_major >= 12)) % 2 == 0;
#endif
}

/* The first odd problem that some configuration of the variant is valid on, as a run takes it; else the first. */
static size_t odd_problem(const rft_sweep *sweep, size_t variant) {
    for (size_t p = 0; p < sweep->problem_count && sweep->problems[p].odd; p++) {
        rft_space *space = NULL;
        assert_int_equal(rft_space_new(&space, sweep, variant, sweep->problems[p].values, NULL, NULL), 0);
        const uint64_t count = rft_space_count(space);
        rft_space_free(space);
        if (count > 0) {
            return p;
        }
    }
    return 0;
}

/* By an H200, for which the usual architecture compiles. */
static bool is_recorded(const pass *run, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/sweeps/recorded/nvidia-h200/%.*s.json.gz", RFT_SOURCE_DIR, (int)strcspn(name, "."),
             name);
    return run->is_usual && rft_fs_exists(path);
}

/* And what sm_80 has of them, where it is asked for. */
static rft_script *load_sweeps(pass *run, const char *name) {
    rft_gpu_info oldest = kernel_case_gpu("sm_80");
    rft_script_free(run->older);
    run->older = run->is_usual ? kernel_case_load(name, &oldest) : NULL;
    return kernel_case_load(name, &run->gpu);
}

/* The odd problem (other code paths) and one in the middle. */
static void add_sweeps(pass *run, const char *name, size_t place) {
    rft_script *script = load_sweeps(run, name);
    run->is_recorded = is_recorded(run, name);
    run->with_references = takes_references(run, place);
    for (size_t i = 0; i < rft_script_sweep_count(script); i++) {
        const rft_sweep *sweep = rft_script_sweep(script, i);
        assert_true(sweep->problem_count >= 2);
        assert_true(sweep->problems[0].odd);
        for (size_t variant = 0; variant < sweep->variant_count; variant++) {
            if (!takes_variant(run, sweep, place + i, variant)) {
                continue;
            }
            if (takes_odd(run, sweep, variant)) {
                add_variant(run, sweep, variant, odd_problem(sweep, variant), !takes_middle(run, variant));
            }
            if (takes_middle(run, variant)) {
                add_variant(run, sweep, variant, sweep->problem_count / 2, true);
            }
        }
    }
    rft_script_free(script);
}

/* Every kind of number and layout of the library's reference. */
static void add_references(pass *run) {
    rft_script *script = load_sweeps(run, "../tests/gpu/sweeps/vendor_kernel.lua");
    run->is_recorded = false;
    run->with_references = true;
    for (size_t i = 0; i < rft_script_sweep_count(script); i++) {
        add_variant(run, rft_script_sweep(script, i), 0, 0, true);
    }
    rft_script_free(script);
}

static void samples_compile(void **state) {
    const char *arch = *state;
    pass run = {
        .arch = arch, .is_usual = strcmp(arch, USUAL) == 0, .gpu = kernel_case_gpu(arch), .arena = rft_arena_new()};
    char **names = NULL;
    size_t count = 0;
    kernel_case_sweeps(&names, &count);
    for (size_t i = 0; i < count; i++) {
        add_sweeps(&run, names[i], i);
    }
    rft_fs_list_free(names, count);
    if (takes_references(&run, count)) {
        add_references(&run);
    }
    for (size_t i = 0; i < run.units.count; i++) {
        compile_unit(&run, &run.units.items[i]);
    }
    printf("%s: %zu kernels compiled in %zu units\n", arch, run.units.name_count, run.units.count);
    assert_true(run.units.name_count >= (is_ada(&run) ? 25 : 40));
    kernel_case_units_free(&run.units);
    rft_script_free(run.older);
    rft_arena_free(run.arena);
}

int main(int argc, char **argv) {
    struct CMUnitTest tests[] = {cmocka_unit_test(samples_compile)};
    static char usual[] = USUAL;
    tests[0].initial_state = argc > 1 ? argv[1] : usual;
    the_compiler = kernel_case_compiler();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    the_compiler->free(the_compiler);
    return failed;
}
