/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts that mean harm, each in a process of its own: however one tries, it ends within its limits of time, memory
 * and output, by an error or by the watch, and says nothing that differs from run to run. */
#include "script_case.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALL_S 0.05
#define ALL_S 0.2
#define GRACE_S 0.1
#define MEMORY ((size_t)48 << 20)
#define PATIENCE_S 6.0 /* generous: sanitizers, and machines with much else to do */
#define MOST_KIB (1L << 20)

/* What a child ends with; bits, to say which may be. */
enum { LOADED = 1, FAILED = 2, STOPPED = 4, STUCK = 8, MISJUDGED = 16 };

typedef struct ending {
    int status;
    double seconds;
    long most_kib;
} ending;

static double now_s(void) {
    const rft_clock *clock = rft_clock_system();
    return (double)clock->monotonic_ns(clock->self) * 1e-9;
}

static void on_stuck(void *payload, const rft_err *err) {
    (void)payload;
    bool told = err->code == RFT_E_SCRIPT_STOPPED && strstr(err->place, "case.lua") && *err->message && *err->remedy;
    _exit(told ? STUCK : MISJUDGED);
}

/* Loads the script, and asks everything that a sweep can be asked. */
static int ask_all(script_case *test, const char *text) {
    const rft_value problem[] = {rft_value_int(1 << 20)}, config[] = {rft_value_int(1), rft_value_int(128)};
    int rc = case_try(test, text);
    const rft_sweep *sweep = rc == 0 ? rft_script_sweep(test->script, 0) : NULL;
    for (size_t i = 0; sweep && i < sweep->variants[0].constraint_count && rc != RFT_E_SCRIPT_STOPPED; i++) {
        for (int turn = 0; turn < 100 && rc != RFT_E_SCRIPT_STOPPED; turn++) {
            bool holds = false;
            rc = sweep->vt->constraint(sweep->self, 0, i, problem, config, &holds, &test->err);
        }
    }
    for (int turn = 0; sweep && turn < 100 && rc != RFT_E_SCRIPT_STOPPED; turn++) {
        rc = case_point(test, problem, config);
    }
    return rc;
}

/* In the child. Whatever was stopped stays so, at once. */
static int run_one(script_case *test, const char *text) {
    test->opts.call_limit_s = CALL_S;
    test->opts.all_limit_s = ALL_S;
    test->opts.grace_s = GRACE_S;
    test->opts.memory_limit_bytes = MEMORY;
    test->opts.stuck = on_stuck;
    int rc = ask_all(test, text);
    if (rc == RFT_E_SCRIPT_STOPPED && test->script) {
        double begin_s = now_s();
        const rft_value problem[] = {rft_value_int(1 << 20)}, config[] = {rft_value_int(1), rft_value_int(128)};
        for (int i = 0; i < 1000; i++) {
            if (case_point(test, problem, config) != RFT_E_SCRIPT_STOPPED) {
                return MISJUDGED;
            }
        }
        return now_s() - begin_s < 1 ? STOPPED : MISJUDGED;
    }
    bool told = rc == 0 || (*test->err.message && (rc == RFT_E_SCRIPT_STOPPED || rc == RFT_E_SCRIPT));
    return !told ? MISJUDGED : rc == 0 ? LOADED : rc == RFT_E_SCRIPT_STOPPED ? STOPPED : FAILED;
}

static ending end_of(script_case *test, const char *text) {
    ending end = {0};
    struct rusage used = {0};
    int status = 0;
    double begin_s = now_s();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        _exit(run_one(test, text));
    }
    assert_true(child > 0);
    assert_int_equal(wait4(child, &status, 0, &used), child);
    end.seconds = now_s() - begin_s;
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    end.most_kib = used.ru_maxrss;
    return end;
}

/* As one of `allowed`, within the limits. */
static int hold(script_case *test, const char *text, int allowed) {
    ending end = end_of(test, text);
    if (end.status < 0 || !(end.status & allowed)) {
        fail_msg("ended with %d, none of %d, after %.2f s:\n%.2000s", end.status, allowed, end.seconds, text);
    }
    if (end.seconds > PATIENCE_S || end.most_kib > MOST_KIB) {
        fail_msg("took %.2f s and %ld KiB:\n%.2000s", end.seconds, end.most_kib, text);
    }
    return end.status;
}

/* Loops that the hook sees. */
static void test_loops(void **state) {
    static const char *const loops[] = {
        "::again:: goto again",
        "for i = 1, math.maxinteger do end",
        "for x = 1, math.huge do end",
        "for x = 0, 1e300, 1e-300 do end",
        "local function f() return f() end f()",
        "local function loop() while true do end end while true do pcall(loop) end",
        "while true do pcall(pcall, pcall, pcall, error) end",
        "local function f() pcall(f) f() end while true do pcall(f) end",
        "local ok, e = pcall(values) while true do e = tostring(e) .. '' end",
        "while true do local ok, e = pcall(error, {}) end",
        "local function f() error(f) end while true do pcall(f) end",
        "while true do for k in pairs(math) do end end",
        "while true do (''):rep(1000000) end",
        "local s = ('x'):rep(1000) for c in s:rep(1600):gmatch('.') do for d in s:rep(1000):gmatch('.') do end end",
        "local n = 0 while true do n = n ~ (n << 1) + 1 // 1 end",
        "local t = { 2, 1 } while true do table.sort(t, function(a, b) return a < b end) end",
        "local t = {} for i = 1, 1e9 do table.insert(t, 1, i) if #t > 50000 then t = {} end end",
        "while true do select('#', table.unpack({ 1, 2, 3 })) end",
        "while true do require('nothing') end",
        "while true do pcall(require, 'nothing') end",
        "while true do pcall(kernel, {}) pcall(sweep, {}) end",
        "while true do print() end",
        "local t <close> = nil while true do end",
        "while true do string.format('%s', function() end) end",
    };
    for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
        /* Some of them end by an error of their own. */
        hold(*state, loops[i], STOPPED | FAILED);
    }
}

/* Functions of a sweep that do not end, asked for one configuration after the other: the first is the last. */
static void test_functions(void **state) {
    static const char *const parts[][2] = {
        {"launch = function() while true do end end", ""},
        {"work = function() while true do end end", ""},
        {"buffers = function() while true do end end", ""},
        {"options = function() while true do end end", ""},
        {"traffic = function() while true do end end", ""},
        {"check = { reference = 'saxpy.cu:saxpy_reference', length = function() while true do end end }", ""},
        {"problem = { 'n', 'k' }", "with = { k = function() while true do end end }"},
        {"", "where = { function(VEC) while true do end end }"},
        {"", "where = { function(VEC) pcall(function() while true do end end) return true end }"},
        {"", "where = { 'VEC > 0', '(function() while true do end end)()' }"},
        {"", "where = { { 'VEC', function() while true do end end } }"},
        /* each in time, all together not */
        {"", "where = { function(VEC) local n = 0 for i = 1, 3e5 do n = n + i end return n > 0 end }"},
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        hold(*state, case_saxpy(parts[i][0], parts[i][1]), STOPPED);
    }
}

/* Work inside C, where no hook runs: the watch ends the process, unless it comes back just in time. */
static void test_inside_c(void **state) {
    int seen = 0;
    static const char *const calls[] = {
        /* keys that collide in a table of 2^19 places, which the last of them makes; and in two smaller ones */
        "local m = (1 << 19) - 1 local t = {} for i = 1, (1 << 18) + 1 do t[i * m] = i end",
        "local m = ((1 << 17) - 1) * ((1 << 18) - 1) local t = {} for i = 1, 140000 do t[i * m] = i end",
        ("local m = ((1 << 15) - 1) * ((1 << 16) - 1) local t = {} for i = 1, 60000 do t[i * m] = i end\n"
         "while true do for k in pairs(t) do end end"),
        "while true do string.find(('a'):rep(10000), 'a-b') end",
        "while true do local s = ('x'):rep(8000000):gsub('x', '%0') end",
        "while true do local s = ('x'):rep(8000000):gsub('', '%0') end",
        "while true do ('x'):rep(16000000):reverse():upper():lower() end",
        "local t = {} for i = 1, 500000 do t[i] = ('x'):rep(20) .. i end while true do table.sort(t) end",
        "local t = {} for i = 1, 200000 do t[i] = 'x' end while true do table.concat(t, ('y'):rep(40)) end",
        "local t = {} for i = 1, 900000 do t[i] = i end while true do table.move(t, 1, 900000, 2) end",
        "while true do utf8.len(('x'):rep(16000000)) end",
        "local t = {} for i = 1, 300000 do t['k' .. i] = i end while true do pairs(t) end",
    };
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        seen |= hold(*state, calls[i], STUCK | STOPPED);
    }
    assert_true(seen & STUCK); /* else nothing of this was tried */
}

/* The parser, where no hook runs either. */
static void test_parser(void **state) {
    static const struct {
        const char *begin, *piece, *end;
        size_t count;
    } sources[] = {
        {"return ", "(", "1", 200000},
        {"return ", "{", "", 200000},
        {"return ", "not ", "1", 120000},
        {"local x = 1 return x", ".. x", "", 100000},
        {"", "do ", "", 150000},
        {"", "local a ", "", 60000},
        {"return { ", "1,", "}", 250000},
        {"return ", "-", "1", 500000},
        {"", "if a then ", "", 50000},
        {"", "function f() ", "", 35000},
        {"return [", "=", "[", 500000},
        {"--[", "=", "[", 500000},
        {"return '", "\\u{7FFFFFFF}", "'", 40000},
    };
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        rft_str text = RFT_STR_INIT;
        rft_str_add(&text, sources[i].begin);
        for (size_t k = 0; k < sources[i].count; k++) {
            rft_str_add(&text, sources[i].piece);
        }
        rft_str_add(&text, sources[i].end);
        hold(*state, rft_str_get(&text), FAILED | STOPPED | STUCK);
        rft_str_clear(&text);
    }
    rft_str labels = RFT_STR_INIT;
    for (int i = 0; i < 24000; i++) {
        rft_str_addf(&labels, "goto l%d ::l%d:: ", i, i);
    }
    hold(*state, rft_str_get(&labels), FAILED | STOPPED | STUCK);
    rft_str_clear(&labels);
}

static void test_memory_and_depth(void **state) {
    static const char *const eaters[] = {
        "local s = ('x'):rep(1000000) return (s:gsub('x', ('%0'):rep(1000)))",
        "return (('x'):rep(1000000):gsub('x', function(c) return c:rep(1000) end))",
        "return (('x'):rep(1000000):gsub('x', { x = ('y'):rep(1000) }))",
        "local t = {} for i = 1, 1000 do t[i] = ('x'):rep(1000000) end",
        "local s = 'x' while true do s = s .. s end",
        "local t = {} while true do t = { t } end",
        "local t = {} while true do t[#t + 1] = function() return t end end",
        "return table.concat({ 'x' }, 'y', -2^40, 1)",
        "return string.format('%99.99f', 1e308):rep(1e6)",
        "return string.format(('%s'):rep(1e6), table.unpack({}, 1, 240))",
        "local function f(...) return f(1, ...) end return f()",
        "local function f() return 1 + f() end return f()",
        "local function f() return pcall(f) end return f(), error('deep')",
        "local function f(s) return (s:gsub('.', f)) end return f('x')",
        "local t = {} table.sort({ 3, 2, 1 }, function(a, b) table.sort({ 3, 2, 1 }, t.f) return true end) error('x')",
        "local t = {} for i = 1, 200 do t[i] = i * 7 % 200 end table.sort(t, function() return true end) error('x')",
        "error(setmetatable)",
        "error({})",
        "coroutine.wrap(function() while true do end end)()",
        "local t <close> = {}",
        "return ('x')(1)",
        "for i = 1, 10, 0 do end",
        "return 1 // 0, 1 % 0",
        "return math.tointeger(2^63), 2^63 | 0",
    };
    for (size_t i = 0; i < sizeof(eaters) / sizeof(eaters[0]); i++) {
        hold(*state, eaters[i], FAILED | STOPPED | STUCK);
    }
}

/* ---- what they say ---- */

static void test_print_is_capped(void **state) {
    script_case *test = *state;
    case_try(test, "for i = 1, 100000 do print(('x'):rep(30)) end error('end', 0)");
    assert_in_range(test->said.length, 64 << 10, (64 << 10) + 200);
    assert_contains(rft_str_get(&test->said), "\nprint: what follows is not shown");
    rft_str_clear(&test->said);
    case_try(test, "print(('y'):rep(1000000)) error('end', 0)");
    assert_in_range(test->said.length, 4000, 4001);
    rft_str_clear(&test->said);
    /* Also where each configuration prints. */
    case_load(test, case_saxpy("work = function(p) print(('z'):rep(3000)) return { fp32 = p.n, bytes = p.n } end", ""));
    const rft_value problem[] = {rft_value_int(1 << 20)}, config[] = {rft_value_int(1), rft_value_int(128)};
    for (int i = 0; i < 100; i++) {
        assert_int_equal(case_point(test, problem, config), 0);
    }
    assert_true(test->said.length < (70 << 10));
}

static void test_no_addresses(void **state) {
    script_case *test = *state;
    case_try(test, "print(tostring(print), {}, function() end, f32, vendor)\n"
                   "print(string.format('%s|%p|%-9p|%s|%%p|%5.1f|%d', print, {}, {}, {}, 2.5, 7))\n"
                   "print(tostring(nil), tostring(1.5), tostring('a'), tostring(true), string.format('%q', 'x'))\n"
                   "error(string.format('%p', table), 0)");
    const char *said = rft_str_get(&test->said);
    assert_null(strstr(said, "0x"));
    assert_contains(said, "function\ttable\tfunction\t");
    assert_contains(said, "function|table|table    |table|%p|  2.5|7\n");
    assert_contains(said, "nil\t1.5\ta\ttrue\t\"x\"\n");
    assert_string_equal(test->err.message, "table\ntraceback:\n  case.lua:4: in the file itself");
    const rft_value problem[] = {rft_value_int(1 << 20)}, config[] = {rft_value_int(1), rft_value_int(128)};
    const rft_sweep *sweep = case_load(test, case_saxpy("", "where = { function(VEC) return print end }"));
    bool holds = false;
    assert_int_equal(sweep->vt->constraint(sweep->self, 0, 0, problem, config, &holds, &test->err), RFT_E_SCRIPT);
    assert_contains(test->err.message, "the constraint gave function, not");
    case_refuse(test, "string.format('%s %s', 1)", RFT_E_SCRIPT, "case.lua", "#3 to 'format'", NULL);
    case_refuse(test, "string.format('%y', 1)", RFT_E_SCRIPT, "case.lua", "invalid conversion '%y'", NULL);
    case_refuse(test, "string.format('%', 1)", RFT_E_SCRIPT, "case.lua", "invalid conversion '%'", NULL);
}

static void slow_line(void *self, rft_log_level level, const char *text) {
    (void)self, (void)level, (void)text;
    usleep(60000);
}

/* A terminal that takes nothing in is not the script's fault. */
static void test_slow_log(void **state) {
    script_case *test = *state;
    rft_log slow = {slow_line, NULL};
    test->opts.log = &slow;
    test->opts.call_limit_s = 0.1;
    assert_int_equal(case_try(test, "for i = 1, 10 do print(i) end return sweep { tune = { AA = values(1) } }"), 0);
}

/* Many calls, each of them in time: the limit on all of them holds, and says so. */
static void test_all_together(void **state) {
    script_case *test = *state;
    const rft_value problem[] = {rft_value_int(1 << 20)}, config[] = {rft_value_int(1), rft_value_int(128)};
    test->opts.all_limit_s = 0.1;
    static atomic_llong spent_us;   /* outlives the script */
    atomic_store(&spent_us, 60000); /* by another script of the same command */
    test->opts.spent_us = &spent_us;
    const rft_sweep *sweep = case_load(
        test, case_saxpy("", "where = { function(VEC) local n = 0 for i = 1, 2e5 do n = n + i end return n > 0 end }"));
    int rc = 0;
    double begin_s = now_s();
    while (rc == 0 && now_s() - begin_s < PATIENCE_S) {
        bool holds = false;
        rc = sweep->vt->constraint(sweep->self, 0, 0, problem, config, &holds, &test->err);
    }
    assert_int_equal(rc, RFT_E_SCRIPT_STOPPED);
    assert_int_equal(rft_code_exit_status(rc), 3);
    assert_contains(test->err.message, "for all calls into scripts together");
    assert_true(atomic_load(&spent_us) >= 100000 && now_s() - begin_s < 10);
    assert_contains(test->err.place, "case.lua");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_loops, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_functions, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_inside_c, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_parser, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_memory_and_depth, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_print_is_capped, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_no_addresses, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_slow_log, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_all_together, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
