/* SPDX-License-Identifier: Apache-2.0 */
/* What a script cannot do: reach the machine, run for ever, eat memory, or get around either from inside C. */
#include "script_case.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Runs a statement; the error's message must contain `part`. */
static void refuse(script_case *test, const char *statement, const char *part) {
    case_refuse(test, statement, RFT_E_SCRIPT, "case.lua", part, NULL);
}

static void test_forbidden_names(void **state) {
    static const char *const names[] = {"io",           "os",           "debug",      "package", "coroutine",
                                        "load",         "loadfile",     "loadstring", "dofile",  "collectgarbage",
                                        "setmetatable", "getmetatable", "rawset",     "rawget",  "xpcall",
                                        "next",         "_G",           "_ENV.io"};
    char text[100];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(text, sizeof(text), "local x = %s", names[i]);
        refuse(*state, text, "unknown name");
    }
    static const char *const fields[] = {"string.dump", "string.pack", "math.random", "math.randomseed"};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        snprintf(text, sizeof(text), "%s('x')", fields[i]);
        refuse(*state, text, "unknown name");
    }
    refuse(*state, "local s = ('x'); s:dump()",
           "unknown name \"string.dump\""); /* the metatable of texts is the same table */
}

static void test_bytecode(void **state) {
    refuse(*state, "\x1bLua\x54", "binary chunk");
}

static void test_globals_are_read_only(void **state) {
    refuse(*state, "foo = 1", "would become a global name");
    assert_contains(((script_case *)*state)->err.remedy, "local");
    refuse(*state, "values = nil", "would become a global name");
    refuse(*state, "local x = vlues(1)", "did you mean \"values\"?");
}

/* Of the processor: what else the machine does is not counted. */
static double used_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Each must end soon after the limit of 0.2 s, whatever it tries. */
static void test_endless(void **state) {
    static const char *const loops[] = {
        "while true do end",
        "local function f() return f() end f()",
        "while true do pcall(error) end",
        "local function f() while true do end end while true do pcall(f) end",
        "pcall(function() pcall(function() while true do end end) while true do end end) while true do end",
        "local s = ('x'):rep(1000000) while true do pcall(function() return s .. s end) end",
        "local t = {} for i = 1, 300 do t[i] = ('x'):rep(15000000) .. i end",
        "while true do pcall(string.rep, 'x', 2^40) end",
        "local t = {} for i = 1, 100000 do t[i] = i end while true do table.sort(t) table.concat(t) end",
        "while true do for k in pairs(string) do end end",
        "local s = ('a'):rep(1000) while true do s:find('a-b') end",
        "repeat local ok = pcall(require, 'nothing') until false",
        "local n = 0 for i = 1, math.huge do n = n + i end",
        "table.sort({ 3, 1, 2 }, function(a, b) while true do end end)",
        "('x'):gsub('x', function() while true do end end)",
    };
    script_case *test = *state;
    test->opts.call_limit_s = 0.2;
    for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
        double begin_s = used_s();
        int code = case_try(test, loops[i]);
        double seconds = used_s() - begin_s;
        assert_true(code == RFT_E_SCRIPT || code == RFT_E_SCRIPT_STOPPED);
        if (seconds > 3) { /* generous: sanitizers */
            fail_msg("%s: ended after %.1f s", loops[i], seconds);
        }
        if (!strstr(test->err.message, "limit")) {
            fail_msg("%s: %s", loops[i], test->err.message);
        }
    }
    assert_contains(test->err.message, "traceback");
}

/* Loops in C that no hook sees. */
static void test_long_c_calls(void **state) {
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"string.find(('a'):rep(20000), 'a-a-a-a-b')", "could backtrack too long on 20000 bytes"},
        {"string.match(('a'):rep(20000), '.-.-.-.-b')", "string.match"},
        {"for x in ('a'):rep(20000):gmatch('a*a*a*b') do end", "string.gmatch"},
        {"string.gsub(('a'):rep(20000), 'a*a*a*b', '')", "string.gsub"},
        {"string.find(('a'):rep(300000), ('a?'):rep(40) .. 'b')", "could backtrack"},
        {"string.find(('('):rep(100000), '%b()')", "could backtrack"},
        {"local s = ('a'):rep(8000000) s:find(('a'):rep(4000000) .. 'b', 1, true)", "could backtrack"},
        {"string.find(('a'):rep(100000), '[' .. ('b'):rep(100000) .. ']-c')", "could backtrack"},
        {"table.move({}, 1, 2^60, 2)", "table.move"},
        {"('x'):rep(2^40)", "string.rep"},
        {"('x'):rep(2^62)", "string.rep"},
        {"local s, t = ('x'):rep(8000000), {} for i = 1, 1000 do t[i] = s end table.sort(t)", "table.sort"},
        {"table.concat({}, 'x', 1, 2^60)", "invalid value"},
        {"table.unpack({}, 1, 2^30)", "too many results"},
        {"range(1, 2^50)", "more than"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double begin_s = used_s();
        refuse(*state, cases[i].text, cases[i].part);
        assert_true(used_s() - begin_s < 3);
    }
    /* This one only looks endless. */
    case_load(*state, case_saxpy("", "name = 'n' .. (''):rep(2^60)"));
}

/* What a sweep may well do must not be refused. */
static void test_ordinary_patterns(void **state) {
    script_case *test = *state;
    case_load(test, case_saxpy("", "name = (('  %s_%d  '):format('a', 12):match('^%s*(.-)%s*$'))"));
    assert_string_equal(rft_script_sweep(test->script, 0)->name, "a_12");
    case_load(test, case_saxpy("", "name = ('x, y,z'):gsub('%s*,%s*', '_')"));
    assert_string_equal(rft_script_sweep(test->script, 0)->name, "x_y_z");
    case_load(test, case_saxpy("", "name = (('k=v'):rep(3000, ' '):gsub('%w+=%w+', 'a'):sub(1, 3))"));
    assert_string_equal(rft_script_sweep(test->script, 0)->name, "a a");
}

static void test_memory(void **state) {
    script_case *test = *state;
    static const char *const eaters[] = {
        "local t = {} while true do t[#t + 1] = ('x'):rep(1000000) end",
        "local s = 'x' while true do s = s .. s end",
        "local t = {} for i = 1, 1e9 do t[i] = i end",
        "local t = {} for i = 1, 1e9 do t['k' .. i] = {} end",
        "local t = {} for i = 1, 1000 do t[i] = ('x'):rep(100000) end return table.concat(t, ('y'):rep(100000))",
    };
    test->opts.memory_limit_bytes = (size_t)32 << 20;
    test->opts.call_limit_s = 100; /* on a busy machine, too, memory is what ends them */
    for (size_t i = 0; i < sizeof(eaters) / sizeof(eaters[0]); i++) {
        refuse(test, eaters[i], "out of memory");
    }
    /* What constructors keep lies outside of Lua's heap. */
    refuse(test,
           case_saxpy("", "name = (function() local s = ('x'):rep(16000) while true do\n"
                          "  pcall(sweep, { name = s, tune = { AA = values(s) } }) end end)()"),
           "out of memory");
    refuse(test, "local s = ('x'):rep(20000) return sweep { name = s }", "longer than 16384 bytes");
    test->opts.memory_limit_bytes = 1000;
    assert_int_equal(case_try(test, "return 1"), RFT_E_LIMIT);
    test->opts.memory_limit_bytes = 12000; /* less than the sandbox itself needs */
    assert_int_equal(case_try(test, "return 1"), RFT_E_SCRIPT);
    assert_contains(test->err.message, "out of memory");
}

/* Whichever allocation is the one that fails: an error, no abort and (under a sanitizer) no leak. */
static void test_memory_everywhere(void **state) {
    script_case *test = *state;
    const char *text = case_saxpy("options = function(c) return { '-DX=' .. ('y'):rep(c.VEC * 500) } end",
                                  "where = { 'VEC < 4 or BLOCK < 200', function(gpu) return gpu.sms > 1 end }");
    size_t refused = 0, loaded = 0;
    for (size_t limit = 4000; limit < 120000; limit += 211) {
        test->opts.memory_limit_bytes = limit;
        int code = case_try(test, text);
        assert_true(code == 0 || code == RFT_E_LIMIT || code == RFT_E_SCRIPT);
        refused += code != 0;
        loaded += code == 0;
        if (code == 0) {
            const rft_value problem[] = {rft_value_int(4096)}, config[] = {rft_value_int(4), rft_value_int(128)};
            code = case_point(test, problem, config);
            assert_true(code == 0 || code == RFT_E_SCRIPT);
        } else if (code == RFT_E_SCRIPT) {
            assert_contains(test->err.message, "memory");
        }
    }
    assert_true(refused > 20 && loaded > 20);
}

static void test_recursion(void **state) {
    refuse(*state, "local function f(x) return 1 + f(x) end f(1)", "stack overflow");
    assert_contains(((script_case *)*state)->err.message, "more");
    refuse(*state, "local function f() return pcall(f) end return f(), error('deep')", "deep");
    char nested[6000];
    memset(nested, '(', 3000);
    strcpy(nested + 3000, "1");
    refuse(*state, nested, "overflow");
}

static void test_error_values(void **state) {
    refuse(*state, "error({})", "with a table");
    refuse(*state, "error(nil)", "with a nil");
    refuse(*state, "error('plain', 0)", "plain");
    /* A refusal can be caught and shown, and does not spoil the next call. */
    script_case *test = *state;
    case_load(test, case_saxpy("", "name = select(2, pcall(values, {}, 1)) and 'caught'"));
    refuse(test, "local ok, e = pcall(ceil_div, 1, 0) error(tostring(e), 0)", "ceil_div.b");
    refuse(test, "local ok, e = pcall(ceil_div, 1, 0) error(e)", "ceil_div.b: 0 is too small");
}

static void test_print_and_arguments(void **state) {
    script_case *test = *state;
    const char *args[] = {"fast", "7"};
    test->opts.args = args;
    test->opts.arg_count = 2;
    const rft_sweep *sweep = case_load(test, "print('hello', 1, nil, arg[1])\nprint(#arg)\n"
                                             "return sweep { tune = { AA = values(tonumber(arg[2])) } }");
    assert_string_equal(rft_str_get(&test->said), "hello\t1\tnil\tfast\n2\n");
    assert_int_equal(sweep->variants[0].params[0].values[0].as.integer, 7);
    char with[65];
    strcpy(with, sweep->script_hash);
    test->opts.arg_count = 1;
    sweep = case_load(test, "return sweep { tune = { AA = values(1) } }");
    test->opts.arg_count = 0;
    char without[65];
    strcpy(without, sweep->script_hash);
    sweep = case_load(test, "return sweep { tune = { AA = values(1) } }");
    assert_string_not_equal(sweep->script_hash, without); /* other arguments may mean another sweep */
    assert_string_not_equal(with, without);
}

static void test_pairs_order(void **state) {
    script_case *test = *state;
    case_try(test, "local t = { z = 1, a = 2, [10] = 3, [2] = 4, [1.5] = 5, [true] = 6, B = 7 }\n"
                   "local s = '' for k in pairs(t) do s = s .. tostring(k) .. ' ' end print(s)\n"
                   "for k in pairs({ x = 1, y = 2 }) do t[k] = nil end error('end', 0)");
    assert_contains(rft_str_get(&test->said), "1.5 2 10 B a z true ");
    refuse(test, "for k in pairs({ [{}] = 1 }) do end", "has no order");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_forbidden_names, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_bytecode, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_globals_are_read_only, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_endless, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_long_c_calls, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_ordinary_patterns, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_memory, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_memory_everywhere, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_recursion, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_error_values, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_print_and_arguments, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_pairs_order, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
