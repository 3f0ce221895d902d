/* SPDX-License-Identifier: Apache-2.0 */
/* Bad input: every message has its place, the path of the key, the nearest name, and what to do. */
#include "script_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct refusal {
    const char *kernel, *sweep; /* as for case_saxpy() */
    int code;
    const char *place, *message, *remedy;
} refusal;

static void refuse_all(script_case *test, const refusal *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        case_refuse(test, case_saxpy(cases[i].kernel, cases[i].sweep), cases[i].code, cases[i].place, cases[i].message,
                    cases[i].remedy);
    }
}

static void test_syntax_and_run_time(void **state) {
    case_refuse(*state, "return sweep {\n  over = = 3 }", RFT_E_SCRIPT, "case.lua:2", "unexpected symbol near '='",
                NULL);
    case_refuse(*state, "local t = nil\nreturn t.x", RFT_E_SCRIPT, "case.lua:2", "attempt to index a nil value", NULL);
    case_refuse(*state, "local function f() local t = nil; return 1 + t.x end\nlocal x = f()", RFT_E_SCRIPT,
                "case.lua:1", "traceback:\n  case.lua:1: in ", NULL);
    assert_contains(((script_case *)*state)->err.message, "\n  case.lua:2: in the file itself");
    case_refuse(*state, "error('no such card')", RFT_E_SCRIPT, "case.lua:1", "no such card", NULL);
    case_refuse(*state, "assert(false, 'told you')", RFT_E_SCRIPT, "case.lua:1", "told you", NULL);
}

static void test_kernel_keys(void **state) {
    static const refusal cases[] = {
        {"blok = 1", "", RFT_E_SCRIPT, "case.lua:", "kernel.blok: unknown key", "known: name, source"},
        {"sauce = 1", "", RFT_E_SCRIPT, "case.lua:", "kernel.sauce: unknown key, did you mean \"source\"?", NULL},
        {"[1] = 1", "", RFT_E_SCRIPT, "case.lua:", "kernel: unknown key: 1", NULL},
        {"source = 'none.cu'", "", RFT_E_SOURCE, "case.lua:", "kernel.source: there is no file",
         "relative to the file"},
        {"source = 7", "", RFT_E_SCRIPT, "case.lua:", "kernel.source: expected text, got 7", NULL},
        {"entry = {}", "", RFT_E_SCRIPT, NULL, "kernel.entry", NULL},
        {"problem = { 'n', 'n' }", "", RFT_E_SCRIPT, NULL, "kernel.problem[2]: \"n\" is there twice", NULL},
        {"problem = { 'n m' }", "", RFT_E_SCRIPT, NULL, "\"n m\" is not a name", NULL},
        {"problem = { 'end' }", "", RFT_E_SCRIPT, NULL, "Lua keyword", NULL},
        {"problem = { 'gpu' }", "", RFT_E_SCRIPT, NULL, "kernel.problem[1]", NULL},
        {"problem = { 'n', nil, 'm' }", "", RFT_E_SCRIPT, NULL, "gap", NULL},
        {"params = { { 'V', 1 } }", "", RFT_E_SCRIPT, NULL, "kernel.params[1][1]", "longer name"},
        {"params = { { 'int', 1 } }", "", RFT_E_SCRIPT, NULL, "reserved", NULL},
        {"params = { { '__AB', 1 } }", "", RFT_E_SCRIPT, NULL, "reserved", NULL},
        {"params = { { '_AB', 1 } }", "", RFT_E_SCRIPT, NULL, "reserved", NULL},
        {"params = { { 'threadIdx', 1 } }", "", RFT_E_SCRIPT, NULL, "reserved", NULL},
        {"params = { { 'while', 1 } }", "", RFT_E_SCRIPT, NULL, "keyword", NULL},
        {"params = { { 'AA', 1 }, { 'AA', 2 } }", "", RFT_E_SCRIPT, NULL, "\"AA\" is there twice", NULL},
        {"problem = { 'NN' }, params = { { 'NN', 1 } }", "", RFT_E_SCRIPT, NULL, "\"NN\" is there twice", NULL},
        {"params = { { 'AA' } }", "", RFT_E_SCRIPT, NULL, "expected { \"NAME\", default, \"help\" }", NULL},
        {"params = { AA = 1 }", "", RFT_E_SCRIPT, NULL, "kernel.params: expected a list", NULL},
        {"params = { { 'AA', 0/0 } }", "", RFT_E_SCRIPT, NULL, "not a finite number", NULL},
        {"params = { { 'AA', {} } }", "", RFT_E_SCRIPT, NULL, "expected a number, a boolean or text", NULL},
        {"compiled = { 'm' }", "", RFT_E_SCRIPT, NULL, "no dimension of the problem is named \"m\"", NULL},
        {"launch = 7", "", RFT_E_SCRIPT, NULL, "kernel.launch: expected a function, got 7", NULL},
        {"launch = math.max", "", RFT_E_SCRIPT, NULL, "kernel.launch: expected a function", NULL},
        {"check = {}", "", RFT_E_SCRIPT, NULL, "kernel.check: the key \"reference\" is missing", "verified"},
        {"check = { reference = 'saxpy.cu' }", "", RFT_E_SCRIPT, NULL, "expected \"FILE.cu:NAME\"", NULL},
        {"check = { reference = 'none.cu:r' }", "", RFT_E_SOURCE, NULL, "kernel.check.reference", NULL},
        {"check = { refrence = 'saxpy.cu:r' }", "", RFT_E_SCRIPT, NULL, "missing", NULL},
        {"check = { reference = 'saxpy.cu:r', tool = 1 }", "", RFT_E_SCRIPT, NULL,
         "kernel.check.tool: unknown key, did you mean \"tol\"?", NULL},
        {"check = { reference = 'saxpy.cu:r', z = { tol = 1 } }", "", RFT_E_SCRIPT, NULL,
         "check.z: no output buffer has this name", "known: y"},
        {"check = { reference = 'saxpy.cu:r', tol = -1 }", "", RFT_E_SCRIPT, NULL,
         "kernel.check.tol: expected a number, 0 or more", NULL},
        {"check = { reference = 'saxpy.cu:r', length = 0 }", "", RFT_E_SCRIPT, NULL, "kernel.check.length", NULL},
    };
    refuse_all(*state, cases, sizeof(cases) / sizeof(cases[0]));
    case_refuse(*state, "kernel { }", RFT_E_SCRIPT, "case.lua:1", "kernel: the key \"source\" is missing", NULL);
    case_refuse(*state, "kernel 'x'", RFT_E_SCRIPT, "case.lua:1", "kernel: expected a table, got the text \"x\"", NULL);
}

static void test_sweep_keys(void **state) {
    static const refusal cases[] = {
        {"", "ovr = 1", RFT_E_SCRIPT, "case.lua:", "sweep.ovr: unknown key, did you mean \"over\"?", NULL},
        {"", "name = string.rep('x', 257)", RFT_E_SCRIPT,
         "case.lua:", "name: expected one line of at most 256 bytes, found 257", "shorter"},
        {"", "name = 'a\\27b'", RFT_E_SCRIPT, "case.lua:", "one line without control characters", NULL},
        {"", "over = { n = values() }", RFT_E_SPACE, "case.lua:", "sweep.over.n: the list of values is empty", NULL},
        {"", "over = { n = range(5, 1) }", RFT_E_SPACE, "case.lua:", "sweep.over.n", NULL},
        {"", "over = { n = 4 }", RFT_E_SCRIPT, "case.lua:", "sweep.over.n: expected values(...)", "with"},
        {"", "over = { m = values(4) }", RFT_E_SCRIPT, NULL, "no dimension \"m\"", "known: n"},
        {"", "over = { n = values(4, 4.0) }", RFT_E_SCRIPT, NULL, "sweep.over.n[2]: the value is there twice", NULL},
        {"", "over = { n = values(4, true) }", RFT_E_SCRIPT, NULL, "cannot be mixed", NULL},
        {"", "over = { n = values({ 1, {} }) }", RFT_E_SCRIPT, NULL, "values[2]: expected a number", NULL},
        {"", "over = { values(4) }", RFT_E_SCRIPT, NULL, "sweep.over: expected NAME = ..., got a list", NULL},
        {"", "over = { }", RFT_E_SCRIPT, NULL, "the problem's dimension \"n\" has no value", "with"},
        {"", "with = { n = 4 }", RFT_E_SCRIPT, NULL, "sweep.with.n: the dimension is in over already", NULL},
        {"", "over = { n = refine(values(1, 2), 0) }", RFT_E_SCRIPT, NULL, "refine.depth: 0 is outside 1 to 20", NULL},
        {"", "over = { n = refine(values(1, 2), 21) }", RFT_E_SCRIPT, NULL, "refine.depth: 21 is outside 1 to 20",
         NULL},
        {"", "over = { n = refine(values(1, 2)) }", RFT_E_SCRIPT, NULL, "refine.depth: expected", NULL},
        {"", "over = { n = refine({ 1, 2 }, 1) }", RFT_E_SCRIPT, NULL, "refine: expected values(...)", NULL},
        {"", "over = { n = refine(refine(values(1, 2), 1), 1) }", RFT_E_SCRIPT, NULL, "refined already", "once"},
        {"", "over = { n = refine(values('a', 'b'), 1) }", RFT_E_SCRIPT, NULL, "must be compiled", NULL},
        {"", "over = { n = refine(values(false, true), 1) }", RFT_E_SCRIPT, NULL,
         "sweep.over.n: only a dimension of numbers can be refined", "take refine() away"},
        {"", "over = { n = refine(values(1, 2), 1) }, along = {}", RFT_E_SCRIPT, NULL,
         "sweep.over.n: refine() bisects where the bound changes along it", "name it in along"},
        {"", "over = { n = pow2_values(0, 12) }", RFT_E_SCRIPT, NULL, "powers of two", "values, not exponents"},
        {"", "over = { n = range(1, 8, 0) }", RFT_E_SCRIPT, NULL, "step must be greater", NULL},
        {"", "over = { n = range(1, 1e9) }", RFT_E_SCRIPT, NULL, "more than 65535 values", "larger step"},
        {"", "tune = { VEK = values(1) }", RFT_E_SCRIPT, NULL,
         "sweep.tune.VEK: the kernel has no such parameter, did you mean \"VEC\"?", NULL},
        {"", "tune = 7", RFT_E_SCRIPT, NULL, "sweep.tune: expected a table, got 7", NULL},
        {"", "tune = { VEC = {} }", RFT_E_SCRIPT, NULL, "sweep.tune.VEC: expected values(...)", NULL},
        {"", "tune = { VEC = values('a') }", RFT_E_SCRIPT, NULL, "another kind than the parameter's default", NULL},
        {"", "tune = { VEC = refine(values(1, 2), 1) }", RFT_E_SCRIPT, NULL, "refine() is for the dimensions",
         "all its values"},
        {"params = { { 'COPY', 'a b' } }, entry = 'k'", "tune = {}", RFT_E_SCRIPT, NULL, "params.COPY", "ctype"},
        {"", "where = { function(VEK) return true end }", RFT_E_SCRIPT, NULL,
         "sweep.where[1]: no parameter or dimension is named \"VEK\", did you mean \"VEC\"?", NULL},
        {"", "where = { 'VEC > BLOK' }", RFT_E_SCRIPT, NULL, "did you mean \"BLOCK\"?", NULL},
        {"", "where = { 'VEC >' }", RFT_E_SCRIPT, NULL, "sweep.where[1]: not valid Lua: unexpected symbol", NULL},
        {"", "where = { function(...) return true end }", RFT_E_SCRIPT, NULL, "varargs", "name what it needs"},
        {"", "where = { { 'VEK', function(x) return true end } }", RFT_E_SCRIPT, NULL, "did you mean \"VEC\"", NULL},
        {"", "where = { { 'VEC' } }", RFT_E_SCRIPT, NULL, "expected { \"A\", \"B\", function }", NULL},
        {"", "where = { 7 }", RFT_E_SCRIPT, NULL, "sweep.where[1]: expected a function, text", NULL},
        {"", "where = 'VEC > 1'", RFT_E_SCRIPT, NULL, "sweep.where: expected a table", NULL},
        {"", "name = 'a/b'", RFT_E_SCRIPT, NULL, "sweep.name", NULL},
        {"", "note = 7", RFT_E_SCRIPT, NULL, "sweep.note: expected", NULL},
        {"", "diagnostic = 1", RFT_E_SCRIPT, NULL, "sweep.diagnostic: expected true or false, got 1", NULL},
        {"", "baseline = { 'cublas' }", RFT_E_SCRIPT, NULL, "unknown baseline \"cublas\", did you mean", NULL},
        {"", "measure = { cash = 'cold' }", RFT_E_SCRIPT, NULL,
         "sweep.measure.cash: unknown key, did you mean \"cache\"", NULL},
        {"", "measure = { cache = 'warm' }", RFT_E_SCRIPT, NULL,
         "expected \"cold\", \"hot\" or \"rotating\", got \"warm\"", NULL},
        {"", "measure = { timeout = '2 parsecs' }", RFT_E_SCRIPT, NULL, "sweep.measure.timeout", "2s"},
        {"", "measure = { timeout = 0 }", RFT_E_SCRIPT, NULL, "longer than 0", NULL},
        {"", "measure = { min_samples = 20, max_samples = 10 }", RFT_E_SCRIPT, NULL, "less than min_samples", NULL},
        {"", "measure = { min_samples = 2.5 }", RFT_E_SCRIPT, NULL, "expected a whole number", NULL},
        {"", "search = { budget = 0 }", RFT_E_SCRIPT, NULL, "sweep.search.budget: 0 is too small", NULL},
        {"", "search = { budgt = 1 }", RFT_E_SCRIPT, NULL, "did you mean \"budget\"?", NULL},
        {"", "over = { n = values(1, 2) }, with = { n = function() end }", RFT_E_SCRIPT, NULL, "in over already", NULL},
    };
    refuse_all(*state, cases, sizeof(cases) / sizeof(cases[0]));
    case_refuse(*state, "return sweep { kernel = 7 }", RFT_E_SCRIPT, "case.lua:1", "sweep.kernel: expected kernel",
                NULL);
    case_refuse(*state, "return sweep { }", RFT_E_SCRIPT, "case.lua:1", "the key \"kernel\" is missing", NULL);
    case_refuse(*state, "return sweep { tune = {}, over = {} }", RFT_E_SCRIPT, NULL, "without a kernel", NULL);
    case_refuse(*state, "return sweep { kernel = vendor.matmul { } }", RFT_E_SCRIPT, "case.lua:1",
                "say what it multiplies in", "math =");
    case_refuse(*state, "return vendor.matmull", RFT_E_SCRIPT, "case.lua:1", "did you mean \"matmul\"?", NULL);
}

#define IM2COL(dims, corners)                                                                                          \
    "{ grid = 1, block = 1, args = { tensor_map(b.x, " dims ", { box = { 4, 8 }, im2col = { " corners " } }) } }"
static const struct {
    const char *launch, *message;
} launches[] = {
    {"{ arg = {}, grid = 1, block = 1 }", "launch.arg: unknown key, did you mean \"args\"?"},
    {"{ grid = 1 }", "launch: the key \"block\" is missing"},
    {"{ block = 1 }", "launch: the key \"grid\" is missing"},
    {"{ grid = 1, block = 0 }", "launch.block: 0 is outside 1 to 1048576"},
    {"{ grid = p.n / 3, block = 1 }", "launch.grid: expected a whole number"},
    {"{ grid = { 1, 2, 3, 4 }, block = 1 }", "launch.grid: 4 elements, at most 3"},
    {"{ grid = 1, block = { 1, 'x' } }", "launch.block[2]: expected a whole number, got the text \"x\""},
    {"{ grid = 1, block = resident() }", "resident() is for grid"},
    {"{ grid = 1, block = 1, args = { p.n } }", "launch.args[1]: a plain number has no type"},
    {"{ grid = 1, block = 1, args = { b.x, true } }", "launch.args[2]: a plain number has no type"},
    {"{ grid = 1, block = 1, args = { {} } }", "launch.args[1]: expected a buffer like b.x"},
    {"{ grid = 1, block = 1, args = { b.x, nil, b.y } }", "gap"},
    {"{ grid = 1, block = 1, args = { i32(2^40) } }", "i32: 1099511627776 does not fit"},
    {"{ grid = 1, block = 1, args = { u8(-1) } }", "u8: -1 does not fit"},
    {"{ grid = 1, block = 1, args = { i64(0.5) } }", "i64: expected a whole number"},
    {"{ grid = 1, block = 1, args = { f32('2') } }", "f32: expected a number"},
    {"{ grid = 1, block = 1, args = { b.x:offset(2^40) } }", "outside the buffer"},
    {"{ grid = 1, block = 1, args = { b.x:as(\"u32\") } }", "an element type, like u32"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x:as(u32), { 8 }, { box = { 8 } }) } }", "not as another type"},
    {"{ grid = 1, block = 1, args = { b.x.offst } }", "a buffer has no \"offst\""},
    {"{ grid = 1, block = 1, pdl = 1 }", "launch.pdl: expected true or false, got 1"},
    {"{ grid = 1, block = 1, shared = -4 }", "launch.shared: -4 is outside 0 to 1099511627776"},
    {"{ grid = 1, block = 1, window = { bufer = b.x } }", "launch.window.bufer: unknown key, did you mean"},
    {"{ grid = 1, block = 1, window = { } }", "launch.window.buffer: expected a buffer"},
    {"{ grid = 1, block = 1, window = { buffer = b.x, hit_ratio = 2 } }", "launch.window.hit_ratio"},
    {"{ grid = 1, block = 1, window = { buffer = b.x, bytes = 2^50 } }", "launch.window.bytes"},
    {"{ { grid = 1, block = 1 }, { grid = 1 } }", "launch[2]: the key \"block\" is missing"},
    {"{ memset(b.x, 256) }", "memset.byte: 256 is outside 0 to 255"},
    {"{ memset(b.x, 0) }", "no kernel is launched"},
    {"{ memset(7, 0) }", "memset: expected a buffer of b"},
    {"{}", "no kernel is launched"},
    {"nil", "launch: the function returned nothing; is return forgotten?"},
    {"7", "launch: expected a table, got 7"},
    {"{ p.m }", "p.m: unknown name"},
    {"{ c.BLOK }", "c.BLOK: unknown name, did you mean \"BLOCK\"?"},
    {"{ gpu.sm }", "gpu.sm: unknown name, did you mean \"sms\"?"},
    {"{ b.X }", "b.X: unknown name"},
    {"(function() p.n = 1 end)()", "p cannot be changed"},
    {"(function() gpu.sms = 1 end)()", "gpu cannot be changed"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x, { 64, 2 }, { box = { 64 } }) } }", "tensor_map.box"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x, { 64, 2 }, { boks = 1 }) } }", "did you mean \"box\"?"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x, { 63, 2 }, { box = { 4, 1 } }) } }", "multiples of 16"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x, { 64, 2^30 }, { box = { 4, 1 } }) } }", "the map needs"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x, { 64 }, { box = { 64 }, swizzle = 64 }) } }", "wider than"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x, { 64 }, { box = { 64 }, swizzle = 48 }) } }", "not one of"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x, { 64 }, { box = { 64 }, tf32 = 1 }) } }", "tf32"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x, { 64 }, { box = { 512 } }) } }", "outside 1 to 256"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x, { 64, 2 }, { box = { 4, 1 }, strides = { 300 } }) } }",
     "multiples of 16"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x, { 2^32, 2^32, 2^32, 2^32, 2^32 }, { box = { 4, 1, 1, 1, 1 } "
     "}) "
     "} }",
     "tensor_map"},
    {IM2COL("{ 64, 2 }", "lower = {}, upper = {}"), "three to five dimensions"},
    {IM2COL("{ 4, 4, 2, 2 }", "lower = { -1 }, upper = { 0, 0 }"), "of 4 dimensions 2 have pixels"},
    {IM2COL("{ 4, 4, 2, 2 }", "lower = { -129, 0 }, upper = { 0, 0 }"), "outside -128 to 127"},
    {IM2COL("{ 4, 4, 2, 2 }", "lower = { 0, 0 }"), "tensor_map.im2col.upper"},
    {IM2COL("{ 4, 4, 2, 2 }", "lower = { 0, 1 }, upper = { 0, -1 }"), "no pixel lies between"},
    {IM2COL("{ 4, 4, 2, 2 }", "lower = { 0, 0 }, uper = { 0, 0 }"), "did you mean \"upper\"?"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x, { 4, 4, 2, 2 }, { box = { 4, 1, 1, 1 }, im2col = { lower = { 0, "
     "0 }, upper = { 0, 0 } } }) } }",
     "a box of 2 numbers"},
    {"{ grid = 1, block = 1, args = { tensor_map(b.x, { 4, 4, 2, 2 }, { box = { 4, 1025 }, im2col = { lower = { 0, 0 "
     "}, upper = { 0, 0 } } }) } }",
     "outside 1 to 1024"},
};

static const struct {
    const char *buffers, *message;
} buffers[] = {
    {"{}", "a kernel needs at least one buffer"},
    {"{ x = 7 }", "buffers.x: expected input(...)"},
    {"{ input(f32, 1) }", "buffers: expected NAME = input(...)"},
    {"{ x = input(f32, 1) }", "nothing is written"},
    {"{ y = output(f32, 0) }", "output.n: 0 is outside 1 to"},
    {"{ y = output(f32) }", "output.n: expected a whole number, got nothing"},
    {"{ y = output(7, 1) }", "output.type: expected an element type"},
    {"{ y = output(f32, 1, uniform(0, 1)) }", "output.fill"},
    {"{ y = input(f32, 1, 7) }", "input.fill: expected uniform(a, b), integers{...}, from"},
    {"{ y = input(f32, 1, uniform(2, 1)) }", "uniform: the first limit must not be above"},
    {"{ y = input(i32, 1, integers { below = 0 }) }", "integers.below"},
    {"{ y = input(i32, 1, integers { below = 5, order = 'zip' }) }", "did you mean \"zipf\"?"},
};

/* Misspelt keys in what the functions return are found when the script is loaded, not in every point. */
static void test_returned_tables(void **state) {
    char text[600];
    for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++) {
        snprintf(text, sizeof(text), "launch = function(p, c, gpu, b) return %s end", launches[i].launch);
        case_refuse(*state, case_saxpy(text, ""), RFT_E_SCRIPT, "case.lua:14", launches[i].message, NULL);
    }
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) {
        snprintf(text, sizeof(text),
                 "buffers = function(p) return %s end,\nlaunch = function() return { grid = 1, block = 1 } end",
                 buffers[i].buffers);
        case_refuse(*state, case_saxpy(text, ""), RFT_E_SCRIPT, "case.lua:14", buffers[i].message, NULL);
    }
    static const refusal rest[] = {
        {"work = function(p) return { fp33 = 1 } end", "", RFT_E_SCRIPT, "case.lua:14", "work.fp33: unknown key", NULL},
        {"work = function(p) return { fp32 = -1 } end", "", RFT_E_SCRIPT, NULL, "work.fp32: expected a number, 0",
         NULL},
        {"work = function(p) return { atomics_l2 = 1 } end", "", RFT_E_SCRIPT, NULL, "work.atomics_l2: unknown key",
         "atomics"},
        {"work = function(p) return { atomics = 5 } end", "", RFT_E_SCRIPT, NULL, "work.atomics: expected a table",
         NULL},
        {"traffic = function(p) return { atomics = { l3 = 1 } } end", "", RFT_E_SCRIPT, NULL,
         "traffic.atomics.l3: unknown key", "l2_one"},
        {"traffic = function(p) return { atomics = { l2 = -1 } } end", "", RFT_E_SCRIPT, NULL,
         "traffic.atomics.l2: expected a number, 0", NULL},
        {"work = function(p) return { bytes = 1, read = 1 } end", "", RFT_E_SCRIPT, NULL, "give one or the other",
         NULL},
        {"work = function(p) return { items = 5 } end", "", RFT_E_SCRIPT, NULL, "work.items: expected a table", NULL},
        {"work = function(p) end", "", RFT_E_SCRIPT, "case.lua:14", "work: the function returned nothing", NULL},
        {"traffic = function(p) return { drum = 1 } end", "", RFT_E_SCRIPT, "case.lua:14",
         "traffic.drum: unknown key, did you mean \"dram\"?", NULL},
        {"traffic = function(p) return { dram = 1, dram_read = 1 } end", "", RFT_E_SCRIPT, NULL, "one or the other",
         NULL},
        {"prepare = function(p) return { grid = 1 } end", "", RFT_E_SCRIPT, "case.lua:14", "prepare: the key \"block\"",
         NULL},
    };
    refuse_all(*state, rest, sizeof(rest) / sizeof(rest[0]));
}

static void test_with_errors(void **state) {
    static const refusal cases[] = {
        {"problem = { 'n', 'k' }", "with = { k = function(p) return p.k end }", RFT_E_SCRIPT, NULL, "p.k: unknown name",
         NULL},
        {"problem = { 'n', 'k' }", "with = { k = function(p) return 'x' end }", RFT_E_SCRIPT, NULL,
         "with.k: the function must return a number", NULL},
        {"problem = { 'n', 'k' }", "with = { k = function(p) end }", RFT_E_SCRIPT, NULL, "with.k: expected a number",
         NULL},
        {"problem = { 'n', 'k' }", "with = { k = values(1) }", RFT_E_SCRIPT, NULL, "sweep.with.k", NULL},
    };
    refuse_all(*state, cases, sizeof(cases) / sizeof(cases[0]));
}

static void test_files(void **state) {
    script_case *test = *state;
    assert_int_equal(rft_script_load(&test->script, CASE_FOLDER "none.lua", &test->opts, &test->err), RFT_E_IO);
    assert_null(test->script);
    assert_contains(test->err.message, "none.lua");
    assert_int_equal(rft_script_load(&test->script, CASE_FOLDER, &test->opts, &test->err), RFT_E_IO);
    char *large = rft_alloc(600000);
    memset(large, ' ', 599999);
    large[0] = 'x';
    assert_int_equal(case_try(test, large), RFT_E_SCRIPT);
    free(large);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_syntax_and_run_time, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_kernel_keys, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_sweep_keys, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_returned_tables, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_with_errors, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_files, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
