/* SPDX-License-Identifier: Apache-2.0 */
/* What a script's tables become: parameters, axes, problems, constraints, options. */
#include "script_case.h"

#include "model/sweep/space.h"

#include <stdio.h>
#include <string.h>

static script_case *test_of(void **state) {
    return *state;
}

static void assert_text(const rft_value *value, const char *expected) {
    rft_str text = RFT_STR_INIT;
    rft_value_format(&text, value);
    assert_string_equal(rft_str_get(&text), expected);
    rft_str_clear(&text);
}

static uint64_t valid_count(const rft_sweep *sweep, size_t variant, size_t problem) {
    rft_space *space = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_space_new(&space, sweep, variant, sweep->problems[problem].values, NULL, &err) != 0) {
        return err.code == RFT_E_SPACE ? 0 : UINT64_MAX;
    }
    uint64_t count = rft_space_count(space);
    rft_space_free(space);
    return count;
}

static void test_saxpy_file(void **state) {
    script_case *test = *state;
    assert_int_equal(rft_script_load(&test->script, CASE_FOLDER "saxpy.lua", &test->opts, &test->err), 0);
    assert_int_equal(rft_script_sweep_count(test->script), 1);
    const rft_sweep *sweep = rft_script_sweep(test->script, 0);
    assert_string_equal(sweep->name, "saxpy");
    assert_string_equal(sweep->path, CASE_FOLDER "saxpy.lua");
    assert_int_equal(strlen(sweep->script_hash), 64);
    assert_int_equal(sweep->axis_count, 1);
    assert_true(sweep->axes[0].swept && sweep->axes[0].along && !sweep->axes[0].compiled);
    assert_int_equal(sweep->axes[0].values[2].as.integer, 1 << 28);
    assert_int_equal(sweep->axes[0].values[2].kind, RFT_VALUE_INT); /* 2^28 is a float in Lua */
    assert_int_equal(sweep->problem_count, 4);
    assert_true(sweep->problems[0].odd);
    assert_int_equal(sweep->problems[0].values[0].as.integer, (1 << 20) + 3);
    assert_int_equal(sweep->variant_count, 1);
    const rft_variant *variant = &sweep->variants[0];
    assert_string_equal(variant->name, "saxpy");
    assert_string_equal(variant->kernel, "saxpy");
    assert_string_equal(variant->source, CASE_FOLDER "saxpy.cu");
    assert_string_equal(variant->entry, "saxpy<VEC>");
    assert_int_equal(variant->param_count, 2);
    assert_string_equal(variant->params[0].help, "floats per load");
    assert_true(variant->params[0].in_entry && !variant->params[1].in_entry);
    assert_int_equal(variant->params[1].default_value.as.integer, 256);
    assert_int_equal(variant->params[1].value_count, 4);
    assert_int_equal(valid_count(sweep, 0, 1), 12);
    assert_string_equal(sweep->search.strategy, "auto");
    assert_null(rft_script_sweep(test->script, 1));
}

static void test_values(void **state) {
    const rft_sweep *sweep = case_load(
        *state, "return sweep { tune = { AA = range(1, 2, 0.25), BB = range(10, 1 + 9), CC = pow2_values(2, 16),\n"
                "DD = values({ 'x', 'y' }), EE = values(true, false), FF = 7, GG = range(0, 1, 0.1) } }");
    assert_true(sweep->bare_space);
    const rft_variant *variant = &sweep->variants[0];
    static const char *const expected[] = {"1 1.25 1.5 1.75 2", "10", "2 4 8 16", "x y", "true false", "7"};
    for (size_t i = 0; i < 6; i++) {
        rft_str text = RFT_STR_INIT;
        for (size_t k = 0; k < variant->params[i].value_count; k++) {
            rft_str_add(&text, k ? " " : "");
            rft_value_format(&text, &variant->params[i].values[k]);
        }
        assert_string_equal(rft_str_get(&text), expected[i]);
        rft_str_clear(&text);
    }
    assert_int_equal(variant->params[6].value_count, 11); /* rounding must not lose the last one */
    assert_int_equal(sweep->problem_count, 1);
    assert_int_equal(valid_count(sweep, 0, 0), 5 * 4 * 2 * 2 * 11);
    rft_point_spec spec;
    rft_err err = RFT_ERR_INIT;
    /* Nothing to compile or launch, so that a recording can be asked about it. */
    assert_int_equal(sweep->vt->point(sweep->self, 0, NULL, NULL, NULL, &spec, &err), RFT_OK);
    assert_true(spec.launch_count == 0 && spec.unit.name_count == 0 && !spec.traffic.present);
}

static const char axes_kernel[] =
    "problem = { 'm', 'n', 'causal', 'k' }, compiled = { 'causal' },\n"
    "buffers = function(p) return { x = input(f32, p.m * p.n), y = inout(f32, p.m * p.k) } end,\n"
    "launch = function(p, c, gpu, b) return { args = { b.x, b.y }, grid = p.m, block = 32 } end,\n"
    "work = function(p) return { read = p.m, write = p.n, items = { 'token', p.m } } end";

static void test_axes(void **state) {
    const rft_sweep *sweep =
        case_load(*state, case_saxpy(axes_kernel, "over = { n = refine(pow2_values(32, 128), 3), m = values(8, 64), "
                                                  "causal = values(false, true) },\n"
                                                  "with = { k = function(p) return p.m * p.n / 2 end }"));
    assert_int_equal(sweep->axis_count, 4);
    assert_string_equal(sweep->axes[3].name, "k"); /* the order of `problem`, not of the table */
    assert_int_equal(sweep->axes[1].refine_depth, 3);
    assert_true(sweep->axes[2].compiled && !sweep->axes[2].along);
    assert_false(sweep->axes[3].swept || sweep->axes[3].along);
    assert_int_equal(sweep->axes[3].value_count, 0);
    assert_int_equal(sweep->problem_count, 13);
    /* odd: m = 8 is small enough, n becomes 35, causal stays, k follows from them */
    assert_true(sweep->problems[0].odd);
    assert_int_equal(sweep->problems[0].values[0].as.integer, 8);
    assert_int_equal(sweep->problems[0].values[1].as.integer, 35);
    assert_text(&sweep->problems[0].values[2], "false");
    assert_int_equal(sweep->problems[0].values[3].as.integer, 140);
    /* row-major, the last swept axis fastest */
    assert_int_equal(sweep->problems[2].values[0].as.integer, 8);
    assert_int_equal(sweep->problems[2].values[1].as.integer, 32);
    assert_text(&sweep->problems[2].values[2], "true");
    assert_int_equal(sweep->problems[12].values[3].as.integer, 64 * 128 / 2);
    assert_string_equal(sweep->item_name, "token");
    rft_value values[4] = {rft_value_int(10), rft_value_int(7), rft_value_bool(true), rft_value_int(0)};
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(sweep->vt->complete(sweep->self, values, test_of(state)->arena, &err), 0);
    assert_int_equal(values[3].as.integer, 35);
}

static void test_along(void **state) {
    static const char with[] = "over = { n = values(1, 2), m = values(8, 9), causal = values(true, false) }, "
                               "with = { k = 5 }";
    char text[300];
    snprintf(text, sizeof(text), "%s, along = 'm'", with);
    const rft_sweep *sweep = case_load(*state, case_saxpy(axes_kernel, text));
    assert_true(sweep->axes[0].along && !sweep->axes[1].along);
    snprintf(text, sizeof(text), "%s, along = { 'n', 'q' }", with);
    case_refuse(*state, case_saxpy(axes_kernel, text), RFT_E_SCRIPT, "case.lua", "sweep.along[2]", NULL);
    snprintf(text, sizeof(text), "%s, along = 'causal'", with);
    case_refuse(*state, case_saxpy(axes_kernel, text), RFT_E_SCRIPT, NULL, "not swept over numbers", NULL);
}

static void test_problem_list(void **state) {
    static const char *const ways[] = {
        "problems = { { m = 64, n = 4, causal = true }, { m = 20, n = 30, causal = false } }, with = { k = 3 }",
        "over = problems { { m = 64, n = 4, causal = true }, { m = 20, n = 30, causal = false } }, with = { k = 3 }"};
    for (int i = 0; i < 2; i++) {
        char text[300];
        snprintf(text, sizeof(text), "%s%s", i == 0 ? "" : "", ways[i]);
        const char *script = case_saxpy(axes_kernel, text);
        char changed[8000];
        snprintf(changed, sizeof(changed), "%s", script);
        if (i == 0) { /* the case's own `over` must go */
            char *own = strstr(changed, "over = { n = values(2^20, 2^24) },");
            memset(own, ' ', strlen("over = { n = values(2^20, 2^24) },"));
        }
        const rft_sweep *sweep = case_load(*state, changed);
        assert_int_equal(sweep->problem_count, 3);
        assert_false(sweep->axes[0].swept || sweep->axes[0].along);
        assert_int_equal(sweep->problems[1].values[0].as.integer, 64);
        assert_int_equal(sweep->problems[2].values[3].as.integer, 3);
        assert_true(sweep->problems[0].odd); /* of the smaller one: 64 x 4 */
        assert_int_equal(sweep->problems[0].values[0].as.integer, 67);
        assert_int_equal(sweep->problems[0].values[1].as.integer, 4);
    }
    case_refuse(*state, case_saxpy("", "over = problems { { n = 1 }, { n = 1 } }"), RFT_E_SCRIPT, NULL, "listed twice",
                NULL);
    case_refuse(*state, case_saxpy("", "over = problems { { q = 1 } }"), RFT_E_SCRIPT, NULL, "no dimension \"q\"",
                NULL);
    case_refuse(*state, case_saxpy("", "over = problems { { } }"), RFT_E_SCRIPT, NULL, "the dimension is missing",
                NULL);
    case_refuse(*state, case_saxpy("", "over = problems { }"), RFT_E_SPACE, NULL, "problems", NULL);
    case_refuse(*state, case_saxpy("", "problems = { { n = 1 } }"), RFT_E_SCRIPT, NULL, "in place of over", NULL);
}

static void test_odd(void **state) {
    const rft_sweep *sweep = case_load(*state, case_saxpy("check = { reference = 'saxpy.cu:r', odd = false }", ""));
    assert_int_equal(sweep->problem_count, 2);
    assert_false(sweep->problems[0].odd);
    sweep = case_load(*state, case_saxpy("check = { reference = 'saxpy.cu:r', odd = { n = 1021 } }", ""));
    assert_int_equal(sweep->problem_count, 3);
    assert_int_equal(sweep->problems[0].values[0].as.integer, 1021);
    sweep = case_load(*state, case_saxpy("check = { reference = 'saxpy.cu:r', odd = { {}, { n = 77 }, { n = 9 } } }",
                                         "over = { n = values(9, 64) }"));
    assert_int_equal(sweep->problem_count, 3); /* {}: of 9, which stays; and 9 is timed */
    assert_true(sweep->problems[0].odd);
    assert_int_equal(sweep->problems[0].values[0].as.integer, 77);
    assert_false(sweep->problems[1].odd);
    sweep = case_load(*state, case_saxpy("", "over = { n = values(5, 9) }")); /* small sizes are odd enough */
    assert_int_equal(sweep->problem_count, 2);
    sweep = case_load(*state, case_saxpy("compiled = { 'nn' }, problem = { 'nn' },"
                                         "buffers = function(p) return { y = output(f32, p.nn) } end,"
                                         "launch = function(p, c, gpu, b) return { grid = 1, block = 1 } end,"
                                         "work = function(p) return { } end",
                                         "over = { nn = values(512) }"));
    assert_int_equal(sweep->problem_count, 1); /* compiled: 515 would be another kernel */
    case_refuse(*state, case_saxpy("check = { reference = 'saxpy.cu:r', odd = { nn = 3 } }", ""), RFT_E_SCRIPT, NULL,
                "kernel.check.odd.nn", NULL);
    case_refuse(*state, case_saxpy("check = { reference = 'saxpy.cu:r', odd = { {}, { nn = 3 } } }", ""), RFT_E_SCRIPT,
                NULL, "kernel.check.odd[2].nn", NULL);
}

static void test_constraints(void **state) {
    const rft_sweep *sweep =
        case_load(*state, case_saxpy("", "where = { function(VEC, gpu) return VEC < 4 and gpu.sms > 100 end,\n"
                                         "  'VEC * BLOCK <= 256', { 'BLOCK', 'n', function(a, b) return a < b end },\n"
                                         "  'n > 4', 'math.max(VEC, 1) >= 1 and \"VEK\" ~= gpu.arch -- BLK',\n"
                                         "  'return VEC ~= 3' }"));
    const rft_variant *variant = &sweep->variants[0];
    assert_int_equal(variant->constraint_count, 6);
    assert_string_equal(variant->constraints[0].text, "function at case.lua:15");
    assert_int_equal(variant->constraints[0].param_count, 1);
    assert_int_equal(variant->constraints[0].axis_count, 0);
    assert_string_equal(variant->constraints[1].text, "VEC * BLOCK <= 256");
    assert_int_equal(variant->constraints[1].param_count, 2);
    assert_int_equal(variant->constraints[1].params[1], 1);
    assert_int_equal(variant->constraints[2].param_count, 1);
    assert_int_equal(variant->constraints[2].axis_count, 1);
    assert_contains(variant->constraints[2].text, "function of BLOCK, n");
    assert_int_equal(variant->constraints[3].param_count, 0);
    assert_int_equal(variant->constraints[3].axis_count, 1);
    /* VEC 1, 2 x BLOCK 128, 256 less 2 x 256 */
    assert_int_equal(valid_count(sweep, 0, 1), 3);
    rft_value problem[] = {rft_value_int(100)}, config[] = {rft_value_int(2), rft_value_int(256)};
    bool holds = true;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(sweep->vt->constraint(sweep->self, 0, 1, problem, config, &holds, &err), 0);
    assert_false(holds);
    assert_int_equal(sweep->vt->constraint(sweep->self, 0, 2, problem, config, &holds, &err), 0);
    assert_false(holds); /* 256 < 100 */
    problem[0] = rft_value_int(1 << 20);
    assert_int_equal(sweep->vt->constraint(sweep->self, 0, 2, problem, config, &holds, &err), 0);
    assert_true(holds);
}

static void test_constraint_errors_at_run_time(void **state) {
    const rft_sweep *sweep = case_load(*state, case_saxpy("", "where = { function(VEC) return VEC.x.y end,\n"
                                                              "  'gpu.smss > 1' }"));
    rft_value problem[] = {rft_value_int(4)}, config[] = {rft_value_int(2), rft_value_int(256)};
    bool holds = true;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(sweep->vt->constraint(sweep->self, 0, 0, problem, config, &holds, &err), RFT_E_SCRIPT);
    assert_false(holds);
    assert_string_equal(err.place, "case.lua:15");
    assert_contains(err.message, "attempt to index a number value");
    assert_contains(err.message, "traceback");
    assert_int_equal(sweep->vt->constraint(sweep->self, 0, 1, problem, config, &holds, &err), RFT_E_SCRIPT);
    assert_contains(err.message, "gpu.smss: unknown name, did you mean \"sms\"?");
    assert_contains(err.place, "gpu.smss");
}

/* A dimension may have the name of a unit; in a constraint it is the dimension. */
static void test_constraint_names_hide_units(void **state) {
    const rft_sweep *sweep =
        case_load(*state, case_saxpy("problem = { 's' }, buffers = function(p) return { y = output(f32, p.s) } end,"
                                     "launch = function(p, c, gpu, b) return { grid = 1, block = 1 } end,"
                                     "work = function(p) return { } end",
                                     "over = { s = values(3, 70) }, where = { 's > 5 * min' }"));
    assert_int_equal(sweep->variants[0].constraints[0].axis_count, 1);
    sweep = case_load(*state, case_saxpy("", "over = { n = values(3, 70) }, where = { 'n > s' }"));
    assert_int_equal(sweep->variants[0].constraints[0].axis_count, 1); /* s is the second here */
}

static const char ladder[] =
    "local function step(params, entry)\n"
    "  return kernel { source = 'saxpy.cu', entry = entry, problem = { 'n' }, params = params,\n"
    "    buffers = function(p) return { y = output(f32, p.n) } end,\n"
    "    launch = function(p, c, gpu, b) return { args = { b.y }, grid = 1, block = c.BLOCK } end,\n"
    "    work = function(p) return { fp32 = p.n } end, check = { reference = 'saxpy.cu:r' } }\n"
    "end\n"
    "local plain = step({ { 'BLOCK', 64 } }, 'plain')\n"
    "local wide = step({ { 'VEC', 2 }, { 'BLOCK', 32 } }, 'wide<VEC>')\n";

static void test_variants(void **state) {
    char text[3000];
    snprintf(text, sizeof(text),
             "%s return sweep { variants = { { 'one', kernel = plain, where = { 'BLOCK < 100' } },\n"
             "  { 'two', kernel = wide, tune = { VEC = values(1, 2, 4), BLOCK = values(32, 96) } } },\n"
             "  tune = { BLOCK = values(64, 128, 256) }, over = { n = values(8, 16) },\n"
             "  where = { 'BLOCK >= 64', 'VEC * BLOCK < 300', 'n > 4' } }",
             ladder);
    const rft_sweep *sweep = case_load(*state, text);
    assert_int_equal(sweep->variant_count, 2);
    assert_string_equal(sweep->variants[0].name, "one");
    assert_string_equal(sweep->variants[1].entry, "wide<VEC>");
    assert_int_equal(sweep->variants[0].params[0].value_count, 3);
    assert_int_equal(sweep->variants[1].params[1].value_count, 2); /* its own tune wins */
    assert_int_equal(sweep->variants[0].constraint_count, 3);      /* BLOCK, n, its own */
    assert_int_equal(sweep->variants[1].constraint_count, 3);      /* BLOCK, VEC * BLOCK, n */
    assert_int_equal(valid_count(sweep, 0, 0), 1);                 /* 64 */
    assert_int_equal(valid_count(sweep, 1, 0), 2);                 /* BLOCK 96 with VEC 1, 2 */
    snprintf(text, sizeof(text), "%s return sweep { variants = { { 'x', kernel = plain }, { 'x', kernel = wide } } }",
             ladder);
    case_refuse(*state, text, RFT_E_SCRIPT, NULL, "two variants are named", NULL);
    snprintf(text, sizeof(text),
             "%s return sweep { variants = { { 'x', kernel = plain }, { 'y', kernel = wide } },\n"
             "over = { n = values(1) }, where = { 'VEK > 1' } }",
             ladder);
    case_refuse(*state, text, RFT_E_SCRIPT, NULL, "did you mean \"VEC\"?", NULL);
    snprintf(text, sizeof(text), "%s return sweep { variants = { }, over = { n = values(1) } }", ladder);
    case_refuse(*state, text, RFT_E_SPACE, NULL, "sweep.variants", NULL);
    snprintf(text, sizeof(text), "%s return sweep { kernel = plain, variants = { { 'x', kernel = plain } } }", ladder);
    case_refuse(*state, text, RFT_E_SCRIPT, NULL, "both kernel and variants", NULL);
    case_refuse(*state,
                "local function k(d) return kernel { source = 'saxpy.cu', entry = 'e', problem = d,\n"
                "buffers = function() end, launch = function() end, work = function() end,\n"
                "check = { reference = 'saxpy.cu:r' } } end\n"
                "return sweep { variants = { { 'x', kernel = k { 'n' } }, { 'y', kernel = k { 'm' } } } }",
                RFT_E_SCRIPT, "case.lua:4", "sweep.variants[2].kernel", NULL);
}

static void test_options(void **state) {
    script_case *test = *state;
    const rft_sweep *sweep = case_load(
        test,
        case_saxpy(
            "",
            "name = 'mine',\n"
            "measure = { cache = 'hot', mode = 'graph', timeout = '2s', compile_timeout = 5 * min,\n"
            "  min_samples = 5, max_samples = 50, noise = 0.01, max_time = 250 * ms, min_time = '0.1s', seed = 9 },\n"
            "search = { strategy = 'random', budget = '10m', seed = 3 }"));
    assert_string_equal(sweep->name, "mine");
    assert_int_equal(sweep->measure.cache, RFT_CACHE_HOT);
    assert_int_equal(sweep->measure.mode, RFT_TIMING_GRAPH);
    assert_true(sweep->measure.point_timeout_s == 2 && sweep->measure.compile_timeout_s == 300);
    assert_true(sweep->measure.min_samples == 5 && sweep->measure.max_samples == 50);
    assert_true(sweep->measure.noise_frac == 0.01 && sweep->measure.max_seconds == 0.25 &&
                sweep->measure.min_seconds == 0.1 && sweep->measure.seed == 9);
    assert_string_equal(sweep->search.strategy, "random");
    assert_true(sweep->search.budget_s == 600 && sweep->search.budget_points == 0);
    assert_true(sweep->search.seed == 3 && sweep->search.seed_given);
    assert_int_equal(sweep->baseline_count, 0);
    assert_int_equal(sweep->diagnostic, 0);
    sweep = case_load(test, case_saxpy("", "diagnostic = true, note = 'Why.'"));
    assert_int_equal(sweep->diagnostic, 1);
    assert_string_equal(sweep->note, "Why.");
    sweep = case_load(test, case_saxpy("", "measure = { cache = 'rotating' }"));
    assert_int_equal(sweep->measure.cache, RFT_CACHE_ROTATING);
    sweep = case_load(test, case_saxpy("", "search = { budget = 500 }"));
    assert_int_equal(sweep->search.budget_points, 500);
    assert_true(sweep->search.budget_s == 0 && !sweep->search.seed_given && sweep->search.seed == 1);
    assert_true(sweep->measure.min_samples == 10 && sweep->measure.point_timeout_s == 10);
}

static void test_lists_of_sweeps(void **state) {
    script_case *test = *state;
    case_load(test, "return { sweep { tune = { AA = values(1) } }, sweep { name = 'x', tune = { AA = values(1) } } }");
    assert_int_equal(rft_script_sweep_count(test->script), 2);
    assert_string_equal(rft_script_sweep(test->script, 0)->name, "case_1");
    assert_string_equal(rft_script_sweep(test->script, 1)->name, "x");
    case_refuse(test, "local s = sweep { tune = { AA = values(1) } } return { s, s }", RFT_E_SCRIPT, NULL,
                "returned twice", NULL);
    case_refuse(test,
                "return { sweep { name = 'x', tune = { AA = 1 } }, sweep { name = 'x', tune = { AA = values(1) } } }",
                RFT_E_SCRIPT, NULL, "two sweeps are named \"x\"", NULL);
    case_refuse(test, "local x = 1", RFT_E_SCRIPT, "case.lua", "returns nothing", "return sweep");
    case_refuse(test, "return { kernel = 7 }", RFT_E_SCRIPT, "case.lua", "a table that is no sweep",
                "return sweep { ... }");
    case_refuse(
        test, "return mix { name = 'a', unit = 'token', per = 1, sweeps = { 'a.lua' }, { 'a', { n = 1 }, count = 1 } }",
        RFT_E_SCRIPT, "case.lua", "this is a mix, no sweep", "--mix FILE");
    case_refuse(test, "return {}", RFT_E_SCRIPT, "case.lua", "empty list", "return sweep");
    case_refuse(test, "return 7", RFT_E_SCRIPT, "case.lua", "expected sweep", NULL);
    case_refuse(test, "return { 7 }", RFT_E_SCRIPT, "case.lua", "return[1]", NULL);
}

/* Sizes that depend on the card: a function stands in place of the table. */
static void test_sizes_of_the_card(void **state) {
    script_case *test = test_of(state);
    static const char *const by_memory =
        "over = function(gpu) return { n = require('kernels.fitting')(gpu, 20, 2^10, 2^20, 2^28) } end";
    test->gpu.memory_free_bytes = (int64_t)2 << 30;
    const rft_sweep *sweep = case_load(test, case_saxpy("", by_memory));
    assert_int_equal(sweep->axes[0].value_count, 3);
    assert_int_equal(sweep->axes[0].values[1].as.integer, 1 << 20);
    assert_int_equal(sweep->axes[0].values[2].as.integer, 1 << 26); /* 20 bytes each of 85 % of 2 GiB */
    test->gpu.memory_free_bytes = (int64_t)64 << 30;
    sweep = case_load(test, case_saxpy("", by_memory));
    assert_int_equal(sweep->axes[0].values[2].as.integer, 1 << 28);
    case_refuse(test, case_saxpy("", "over = function(gpu) return 7 end"), RFT_E_SCRIPT, "case.lua", "sweep.over",
                NULL);
    case_refuse(test, case_saxpy("", "over = function(gpu) return { n = values(gpu.memory) } end"), RFT_E_SCRIPT,
                "case.lua", "gpu.memory", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_saxpy_file, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_values, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_axes, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_along, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_problem_list, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_odd, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_constraints, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_constraint_errors_at_run_time, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_constraint_names_hide_units, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_variants, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_options, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_lists_of_sweeps, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_sizes_of_the_card, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
