/* SPDX-License-Identifier: Apache-2.0 */
/* What a newcomer writes, by habit of another language or by guess: each mistake gives the line of the key, the cause
 * and what to write. */
#include "script_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL                                                                                                         \
    "return sweep {\n  kernel = kernel {\n    source = 'saxpy.cu', entry = 'saxpy<VEC>', problem = { 'n' },\n"         \
    "    params = { { 'VEC', 1 }, { 'BLOCK', 256 } },\n"
#define BUFFERS "    buffers = function(p) return { x = input(f32, p.n), y = inout(f32, p.n) } end,\n"
#define LAUNCH                                                                                                         \
    "    launch = function(p, c, gpu, b)\n      return { args = { b.x },\n        grid = 1,\n"                         \
    "        block = c.BLOCK }\n    end,\n"
#define WORK "    work = function(p) return { fp32 = p.n, bytes = p.n } end,\n"
#define CHECK "    check = { reference = 'saxpy.cu:saxpy_reference' },\n  },\n"
#define SWEEP "  over = { n = values(1024) },\n"
#define ALL KERNEL BUFFERS LAUNCH WORK CHECK SWEEP

typedef struct mistake {
    const char *text, *place, *message, *remedy;
} mistake;

static void refuse_all(script_case *test, const mistake *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        case_refuse(test, cases[i].text, RFT_E_SCRIPT, cases[i].place, cases[i].message, cases[i].remedy);
    }
}
#define REFUSE(cases) refuse_all(*state, cases, sizeof(cases) / sizeof((cases)[0]))

static void test_lines_of_keys(void **state) {
    static const mistake cases[] = {
        {ALL "  tune = {\n    VEC = values(1),\n    BLOK = values(1) } }", "case.lua:17", "sweep.tune.BLOK", NULL},
        {ALL "  ovr = 1 }", "case.lua:15", "sweep.ovr", NULL},
        {ALL "  where = {\n    'VEC > 0',\n    'BLK > 0' } }", "case.lua:17", "sweep.where[2]", NULL},
        {ALL "  tune = { VEC = values(1,\n    2,\n    'x') } }", "case.lua:17", "sweep.tune.VEC[3]", NULL},
        {KERNEL "    -- works = { 1 }\n    name = [[\nworks = 1]],\n    works = 7 } }", "case.lua:8", "kernel.works",
         NULL},
        {KERNEL BUFFERS LAUNCH WORK "    check = { reference = 'saxpy.cu:r',\n      odd = 7 } } }", "case.lua:13",
         "kernel.check.odd: expected a table", "odd = { n = 1021 }"},
        {KERNEL BUFFERS "    launch = function(p, c, gpu, b)\n      local grid = { grid = 1 }\n      return {\n"
                        "        grid = 0,\n        block = 1 }\n    end,\n" WORK CHECK SWEEP "}",
         "case.lua:9", "for n=1024 VEC=1 BLOCK=256: launch.grid: 0 is outside 1 to", "rounds up"},
        /* two returns: which of them it was is not known */
        {KERNEL BUFFERS "    launch = function(p, c, gpu, b)\n      if p.n == 1 then return { grid = 1 } end\n"
                        "      return { grid = 0, block = 1 }\n    end,\n" WORK CHECK SWEEP "}",
         "case.lua:6", "launch.grid", NULL},
        /* what is no table in the text: the line of the last key that is one */
        {"local t = { VEK = 1 }\n" ALL "  tune = t }", "case.lua:16", "sweep.tune.VEK", NULL},
    };
    REFUSE(cases);
}

static void test_other_languages(void **state) {
    static const mistake cases[] = {
        {"return sweep {\n  over = [1, 2] }", "case.lua:2", "unexpected symbol", "in braces"},
        {"local x = values([1])", "case.lua:1", "unexpected symbol", "values take none"},
        {"local x = { 1,\n// a comment\n}", "case.lua:2", "unexpected symbol near '//'", "begins with --"},
        {"return sweep {\n  entry: \"saxpy\" }", "case.lua:2", NULL, "followed by =, not by a colon"},
        {"local a = 1 != 2", "case.lua:1", NULL, "write ~="},
        {"local a = 'x != y'; local b = 1 && 2", "case.lua:1", NULL, "write and"},
        {"local a = true || false", "case.lua:1", NULL, "write or"},
        {"local a = !true", "case.lua:1", NULL, "write not"},
        {"local a = 1\na += 1", "case.lua:2", NULL, "n = n + 1"},
        {"return sweep {\n  in = 1 }", "case.lua:2", "near 'in'", "call it in_"},
        {"local a = { block = (1, 1) }", "case.lua:1", "')' expected near ','", "braces: block = { c.BLOCK, 1, 1 }"},
        {"local a = { b = 1\n  c = 2 }", "case.lua:2", "'}' expected", "comma missing"},
        {"local a = True", "case.lua:1", "unknown name \"True\"", "write true"},
        {"local a = None", "case.lua:1", "unknown name \"None\"", "write nil"},
        {ALL "  where = { 'VEC = 4' } }", "case.lua:15", "is a statement", "compare with =="},
        {ALL "  where = { 'VEC > 1 && VEC < 4' } }", "case.lua:15", "not valid Lua", "write and"},
        {ALL "  where = { 'VEC > 1 || VEC < 4' } }", "case.lua:15", "not valid Lua", "write or"},
        {ALL "  where = { 'VEC != 3' } }", "case.lua:15", "not valid Lua", "write ~="},
    };
    REFUSE(cases);
    case_load(*state,
              ALL "  where = { 'if VEC == 1 then return true end; return VEC < 4' } }"); /* statements that return are
                                                                                            no mistake */
}

static void test_left_out(void **state) {
    static const mistake cases[] = {
        {"local f = io.open('x')", "case.lua:1", "unknown name \"io\"", "reads no files"},
        {"local f = os.getenv('x')", "case.lua:1", "unknown name \"os\"", "neither the environment nor the time"},
        {"local f = math.random(3)", "case.lua:1", "unknown name \"math.random\"", "says the same whenever"},
        {"local f = math.flor(3)", "case.lua:1", "unknown name \"math.flor\", did you mean \"floor\"?", "known: abs"},
        {"local f = ('x'):uper()", "case.lua:1", "unknown name \"string.uper\", did you mean \"upper\"?", NULL},
    };
    REFUSE(cases);
}

static void test_how_it_is_written(void **state) {
    static const mistake cases[] = {
        {ALL "  tune = { VEC = { 1, 2 } } }", "case.lua:15", "got a table", "write values(1, 2, 4) in place of"},
        {ALL "  tune = { VEC = values('1', '2') } }", "case.lua:15", "of another kind", "drop the quotes: 1"},
        {ALL "  tune = { VEC = values(1, '2') } }", "case.lua:15", "cannot be mixed", "drop the quotes: 2"},
        {ALL "  where = 'VEC > 1' }", "case.lua:15", "expected a table", "where = { \"VEC * BLOCK <= 1024\" }"},
        {"return sweep {\n  kernel = { source = 'saxpy.cu' } }", "case.lua:2", "expected kernel { ... }",
         "kernel = kernel {"},
        {"return sweep { kernel = kernel {\n  source = 'saxpy.cu', entry = 'saxpy',\n  problem = 'n' } }", "case.lua:3",
         "expected a table, got the text \"n\"", "problem = { \"n\" }"},
        {"return sweep { kernel = kernel { source = 'saxpy.cu', entry = 'saxpy', problem = { 'n' },\n"
         "  params = { VEC = 1 } } }",
         "case.lua:2", "it has the key VEC", "params = { { \"VEC\", 1"},
        {"local x = input('f32', 4)", "case.lua:1", "input.type", "a type without quotes"},
        {"local x = f32('2.0')", "case.lua:1", "got the text \"2.0\"", "drop the quotes: 2.0"},
        {"return sweep { kernel = kernel { source = 'saxpy.cu', entry = 'saxpy', problem = { 'n' },\n" BUFFERS
         "  launch = function() end } }",
         NULL, "the key \"work\" is missing", "add work = function(p) return"},
        {KERNEL BUFFERS LAUNCH WORK "    check = { reference = 'saxpy.cu:r', tolerance = 1 } } }", "case.lua:12",
         "did you mean \"tol\"?", NULL},
        {"local x = input(f32, 1365.5)", "case.lua:1", "got the number 1365.5", "ceil_div"},
    };
    REFUSE(cases);
}

static void test_functions(void **state) {
    static const mistake cases[] = {
        {KERNEL BUFFERS "    launch = function(p, c, gpu, b)\n      local l = { grid = 1 }\n    end,\n" WORK CHECK SWEEP
                        "}",
         "case.lua:6", "launch: the function returned nothing", "return { ... }"},
        {KERNEL BUFFERS LAUNCH "    work = function(p) local w = { fp32 = 1 } end,\n" CHECK SWEEP "}", "case.lua:11",
         "work: the function returned nothing", "return { ... }"},
        {KERNEL BUFFERS "    launch = function(p, c, b)\n      return { args = { b.x } }\n    end,\n" WORK CHECK SWEEP
                        "}",
         "case.lua:7", "gpu.x: unknown name; by its position", "(p, c, gpu, b)"},
        {KERNEL BUFFERS LAUNCH "    work = function(p, c) return { fp32 = c.VEC } end,\n" CHECK SWEEP "}",
         "case.lua:11", "local 'c'", "work is called with p alone"},
    };
    REFUSE(cases);
}

static void test_no_work(void **state) {
    script_case *test = *state;
    case_load(test, KERNEL BUFFERS LAUNCH "    work = function(p) return {} end,\n" CHECK SWEEP "}");
    assert_contains(rft_str_get(&test->said), "case.lua:2: work of variant saxpy is nothing");
    rft_str_clear(&test->said);
    case_load(test, ALL "}");
    assert_null(strstr(rft_str_get(&test->said), "is nothing"));
}

static void test_known_once(void **state) {
    script_case *test = *state;
    case_refuse(test,
                "local s = kernel {\n  source = 'saxpy.cu', entry = 'saxpy<VEC>', problem = { 'n' },\n"
                "  params = { { 'VEC', 1 }, { 'BLOCK', 256 } },\n" BUFFERS LAUNCH WORK
                "  check = { reference = 'saxpy.cu:saxpy_reference' } }\n"
                "return sweep { variants = { { 'a', kernel = s }, { 'b', kernel = s } }, over = { n = values(4) },\n"
                "  tune = { WARPS = values(1) } }",
                RFT_E_SCRIPT, "case.lua:13", "sweep.tune.WARPS", "known: VEC, BLOCK");
    assert_string_equal(test->err.remedy,
                        "name it in the kernel's params: { \"WARPS\", DEFAULT, \"help\" }; known: VEC, BLOCK");
}

static void test_not_a_sweep(void **state) {
    script_case *test = *state;
    rft_script *script = NULL;
    assert_int_equal(rft_script_load(&script, CASE_FOLDER "saxpy.cu", &test->opts, &test->err), RFT_E_SCRIPT);
    assert_contains(test->err.message, "saxpy.cu is a kernel's source, not a sweep");
    assert_contains(test->err.remedy, "name the Lua file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines_of_keys, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_other_languages, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_left_out, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_how_it_is_written, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_functions, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_no_work, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_known_once, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_not_a_sweep, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
