/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled expressions against Lua itself: thousands of random ones, evaluated by both. */
#include "script_case.h"

#include "base/hash.h"
#include "base/json.h"
#include "model/sweep/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES 4
#define VALUES 7

static const char *const names[NAMES] = {"A", "B", "C", "D"};

/* ---- random expressions ---- */

static size_t below(uint64_t *random, size_t n) {
    return (size_t)rft_random_below(random, n);
}

static void add_truth(rft_str *out, uint64_t *random, int depth);

static void add_number(rft_str *out, uint64_t *random, int depth) {
    static const char *const atoms[] = {"0",
                                        "1",
                                        "2",
                                        "3",
                                        "7",
                                        "64",
                                        "1023",
                                        "0.5",
                                        "2.",
                                        ".25",
                                        "1e3",
                                        "0x1F",
                                        "math.pi",
                                        "9223372036854775807",
                                        "0.0",
                                        "63",
                                        "10.5",
                                        "4.0",
                                        "math.huge",
                                        "1.5e-3",
                                        "math.mininteger",
                                        "3",
                                        "2",
                                        "5",
                                        "16",
                                        "32",
                                        "9007199254740993"};
    static const char *const operators[] = {"+", "-", "*",  "/",  "//", "%",  "^", "&",
                                            "|", "~", "<<", ">>", "%",  "//", "*"};
    static const char *const functions[] = {"math.floor", "math.ceil", "math.abs", "math.sqrt"};
    size_t kind = depth <= 0 ? below(random, 2) : below(random, 12);
    if (kind == 0) {
        rft_str_add(out, atoms[below(random, sizeof atoms / sizeof atoms[0])]);
    } else if (kind <= 2 || depth <= 0) {
        rft_str_add(out, names[below(random, NAMES)]);
    } else if (kind == 3) {
        rft_str_add(out, below(random, 4) ? "-" : "~");
        rft_str_add(out, " ");
        add_number(out, random, depth - 1);
    } else if (kind == 4) {
        rft_str_addf(out, "%s(", functions[below(random, 4)]);
        add_number(out, random, depth - 1);
        rft_str_add(out, ")");
    } else if (kind == 5) {
        rft_str_addf(out, "math.%s(", below(random, 2) ? "min" : "max");
        add_number(out, random, depth - 1);
        rft_str_add(out, ", ");
        add_number(out, random, depth - 1);
        rft_str_add(out, ")");
    } else if (kind == 6) {
        rft_str_add(out, "(");
        add_truth(out, random, depth - 1);
        rft_str_add(out, " and ");
        add_number(out, random, depth - 1);
        rft_str_add(out, " or ");
        add_number(out, random, depth - 1);
        rft_str_add(out, ")");
    } else if (kind == 7 && below(random, 20) == 0) {
        rft_str_add(out, below(random, 2) ? "'half'" : "true"); /* of the wrong kind: an error in Lua */
    } else {
        bool brackets = below(random, 2) != 0;
        rft_str_add(out, brackets ? "(" : "");
        add_number(out, random, depth - 1);
        rft_str_addf(out, " %s ", operators[below(random, sizeof operators / sizeof operators[0])]);
        add_number(out, random, depth - 1);
        rft_str_add(out, brackets ? ")" : "");
    }
}

static void add_truth(rft_str *out, uint64_t *random, int depth) {
    static const char *const operators[] = {"<", "<=", ">", ">=", "==", "~="};
    size_t kind = depth <= 0 ? 0 : below(random, 6);
    if (kind == 1) {
        rft_str_add(out, "not (");
        add_truth(out, random, depth - 1);
        rft_str_add(out, ")");
    } else if (kind == 2 || kind == 3) {
        rft_str_add(out, "(");
        add_truth(out, random, depth - 1);
        rft_str_add(out, below(random, 2) ? " and " : " or ");
        add_truth(out, random, depth - 1);
        rft_str_add(out, ")");
    } else if (kind == 4 && below(random, 5) == 0) {
        rft_str_add(out, below(random, 2) ? "'tma' == 'tma'" : "'half' ~= 3");
    } else {
        rft_str_add(out, "(");
        add_number(out, random, depth - 1);
        rft_str_addf(out, " %s ", operators[below(random, 6)]);
        add_number(out, random, depth - 1);
        rft_str_add(out, ")");
    }
}

static rft_value random_value(uint64_t *random) {
    static const int64_t whole[] = {0, 0, 1, 2, 3, -1, -2, -7, 4, 8, 16, 31, 1024, INT64_MAX, INT64_MIN, -64, 64};
    static const double real[] = {0.5, -0.5, 2.25, -3.75, 1e-3, 1e18 + 0.0, 1e300, 9007199254740994.0 * 3, -1e19};
    return below(random, 3) ? rft_value_int(whole[below(random, sizeof whole / sizeof whole[0])])
                            : (rft_value){RFT_VALUE_REAL, {.real = real[below(random, sizeof real / sizeof real[0])]}};
}

/* ---- against Lua ---- */

/* As the Lua function `shown` below writes it. */
static void show(char *out, size_t size, bool decided, const rft_expr_value *value) {
    if (!decided) {
        snprintf(out, size, "error");
    } else if (value->kind == RFT_EXPR_INT) {
        snprintf(out, size, "i%lld", (long long)value->as.integer);
    } else if (value->kind == RFT_EXPR_REAL) {
        snprintf(out, size, isnan(value->as.real) ? "nan" : "f%a", value->as.real);
    } else if (value->kind == RFT_EXPR_BOOL) {
        snprintf(out, size, value->as.integer ? "true" : "false");
    } else {
        snprintf(out, size, "t%s", value->as.text);
    }
}

static const char head[] = "local function shown(f)\n"
                           "  local well, v = pcall(f)\n"
                           "  if not well then return 'error' end\n"
                           "  if math.type(v) == 'integer' then return string.format('i%d', v) end\n"
                           "  if math.type(v) == 'float' then return v ~= v and 'nan' or string.format('f%a', v) end\n"
                           "  return type(v) == 'string' and 't' .. v or tostring(v)\n"
                           "end\nlocal out = {}\n";

static void add_value(rft_str *out, const rft_value *value) {
    if (value->kind == RFT_VALUE_INT) {
        rft_str_addf(out, "math.tointeger('%lld')", (long long)value->as.integer);
    } else {
        char text[64];
        snprintf(text, sizeof text, "%a", value->as.real);
        rft_str_add(out, text);
    }
}

#define BATCH 100

/* One batch: the same values for 100 expressions; adds how many were decided. */
static void compare_batch(script_case *test, uint64_t *random, size_t *decided, size_t *errors) {
    rft_arena *arena = rft_arena_new();
    rft_expr_names known = {.names = names, .count = NAMES};
    rft_expr_value slots[NAMES];
    rft_str script = RFT_STR_INIT;
    const char *texts[BATCH];
    rft_str_add(&script, head);
    for (size_t i = 0; i < NAMES; i++) {
        rft_value value = random_value(random);
        slots[i] = rft_expr_value_of(&value);
        rft_str_addf(&script, "local %s = ", names[i]);
        add_value(&script, &value);
        rft_str_add(&script, "\n");
    }
    for (size_t i = 0; i < BATCH; i++) {
        rft_str text = RFT_STR_INIT;
        (below(random, 2) ? add_number : add_truth)(&text, random, 4);
        texts[i] = rft_arena_strdup(arena, rft_str_get(&text));
        rft_str_addf(&script, "out[%zu] = shown(function() return %s end)\n", i + 1, texts[i]);
        rft_str_clear(&text);
    }
    rft_str_add(&script, "return out\n");
    char *json = NULL;
    if (rft_script_eval_table(&json, "random.lua", rft_str_get(&script), &test->opts, &test->err) != 0) {
        fail_msg("%s\n%s", test->err.message, rft_str_get(&script));
    }
    json_t *answers = NULL;
    assert_int_equal(rft_json_parse(&answers, json, strlen(json), "answers", &test->err), 0);
    for (size_t i = 0; i < BATCH; i++) {
        const char *lua = json_string_value(json_array_get(answers, i));
        rft_expr *expr = rft_expr_parse(arena, texts[i], &known);
        if (expr == NULL) {
            fail_msg("not compiled: %s", texts[i]);
        }
        rft_expr_value value = {0};
        bool known_here = rft_expr_eval(expr, slots, &value);
        char shown[64];
        show(shown, sizeof shown, known_here, &value);
        /* Undecided only where Lua raises an error; there, a decision would be wrong. */
        if (strcmp(shown, lua) != 0) {
            fail_msg("%s\nLua %s, compiled %s\n%s", texts[i], lua, shown, rft_str_get(&script));
        }
        *decided += known_here;
        *errors += !known_here;
    }
    json_decref(answers);
    free(json);
    rft_str_clear(&script);
    rft_arena_free(arena);
}

static void the_same_as_lua(void **state) {
    uint64_t random = 20261121;
    size_t decided = 0, errors = 0;
    for (int i = 0; i < 200; i++) {
        compare_batch(*state, &random, &decided, &errors);
    }
    print_message("%zu expressions: %zu values alike, %zu errors alike\n", decided + errors, decided, errors);
    assert_true(decided > 10000 && errors > 500);
}

/* ---- the code over many values against one evaluation at a time ---- */

static void compare_code(const rft_expr *expr, const rft_expr_slot *lists, size_t varying, const char *text) {
    rft_expr_code *code = rft_expr_specialise(expr, lists, varying);
    uint16_t at[NAMES] = {0};
    for (size_t combination = 0; code && combination < VALUES * VALUES * VALUES; combination++) {
        size_t rest = combination;
        rft_expr_value slots[NAMES], value;
        for (size_t i = 0; i < NAMES; i++) {
            at[i] = i == varying ? 0 : (uint16_t)(rest % lists[i].count);
            rest /= i == varying ? 1 : VALUES;
            slots[i] = rft_expr_value_of(&lists[i].values[at[i]]);
        }
        for (size_t word = 0; word * 64 < lists[varying].count; word++) {
            uint64_t truth, unknown;
            rft_expr_run(code, at, word, &truth, &unknown);
            for (size_t bit = 0; bit < 64 && word * 64 + bit < lists[varying].count; bit++) {
                slots[varying] = rft_expr_value_of(&lists[varying].values[word * 64 + bit]);
                bool decided = rft_expr_eval(expr, slots, &value);
                bool expected = decided && value.kind == RFT_EXPR_BOOL && value.as.integer;
                /* Rounding a real too large for an integer is left to Lua by the code alone. */
                bool left = strstr(text, "math.floor") || strstr(text, "math.ceil");
                if ((unknown >> bit & 1) ? decided && !left : !decided || expected != (truth >> bit & 1)) {
                    fail_msg("%s along %s: combination %zu, value %zu", text, names[varying], combination,
                             word * 64 + bit);
                }
            }
        }
    }
    rft_expr_code_free(code);
}

static void code_is_the_same_as_one_by_one(void **state) {
    (void)state;
    uint64_t random = 7;
    size_t specialised = 0;
    for (int i = 0; i < 4000; i++) {
        rft_arena *arena = rft_arena_new();
        rft_expr_names known = {.names = names, .count = NAMES};
        rft_value values[NAMES][130];
        rft_expr_slot lists[NAMES];
        size_t varying = below(&random, NAMES);
        for (size_t n = 0; n < NAMES; n++) {
            size_t count = n == varying && i % 20 == 0 ? 130 : 1 + below(&random, VALUES);
            bool real = below(&random, 4) == 0;
            for (size_t v = 0; v < count; v++) {
                do {
                    values[n][v] = random_value(&random);
                } while ((values[n][v].kind == RFT_VALUE_REAL) != real && i % 50 != 1);
            }
            lists[n] = (rft_expr_slot){values[n], count};
        }
        rft_str text = RFT_STR_INIT;
        add_truth(&text, &random, 4);
        rft_expr *expr = rft_expr_parse(arena, rft_str_get(&text), &known);
        assert_non_null(expr);
        rft_expr_code *code = rft_expr_specialise(expr, lists, varying);
        specialised += code != NULL;
        rft_expr_code_free(code);
        compare_code(expr, lists, varying, rft_str_get(&text));
        rft_str_clear(&text);
        rft_arena_free(arena);
    }
    print_message("%zu of 4000 became code\n", specialised);
    assert_true(specialised > 1000);
}

/* ---- what is compiled, and what is left to Lua ---- */

static bool sm_count(void *payload, const char *name, rft_value *out) {
    (void)payload;
    *out = rft_value_int(132);
    return strcmp(name, "gpu.sm_count") == 0;
}

static void the_subset(void **state) {
    (void)state;
    static const char *const compiled[] = {"A",
                                           "1",
                                           "A<B",
                                           "(A)",
                                           "not A == B",
                                           "A^B^C",
                                           "-A^2",
                                           "true",
                                           "gpu.sm_count * A > 5",
                                           "A %2==0 and B//3~=C",
                                           "\tA\n<\rB",
                                           "'x' == \"x\"",
                                           "math.min(A,B,C,1)>0",
                                           "A<<1",
                                           "0xFf == A"};
    static const char *const left[] = {"",         "A +",         "A B",
                                       "A..B",     "#A",          "f(A)",
                                       "A.x",      "gpu.nothing", "{}",
                                       "A = 1",    "nil",         "'a\\n' == A",
                                       "A -- why", "1e",          "0x",
                                       "0x1p4",    "3x",          "1..2",
                                       "E",        "math.min(A)", "math.fmod(A, B)",
                                       "math",     "return A",    "function() end",
                                       "(A",       "A)",          "A, B",
                                       "...",      "A ! B",       "A and",
                                       "'open",    "1_000",       "gpu"};
    rft_arena *arena = rft_arena_new();
    rft_expr_names known = {.names = names, .count = NAMES, .constant = sm_count};
    for (size_t i = 0; i < sizeof compiled / sizeof compiled[0]; i++) {
        if (!rft_expr_parse(arena, compiled[i], &known)) {
            fail_msg("not compiled: %s", compiled[i]);
        }
    }
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        if (rft_expr_parse(arena, left[i], &known)) {
            fail_msg("compiled: %s", left[i]);
        }
    }
    char deep[1200];
    memset(deep, '(', 300);
    memset(deep + 300, '1', 1);
    memset(deep + 301, ')', 300);
    deep[601] = '\0';
    assert_null(rft_expr_parse(arena, deep, &known));
    rft_arena_free(arena);
}

/* As constraints of a sweep: a text, and the same as a function. */
static void texts_and_functions_mean_the_same(void **state) {
    script_case *test = *state;
    const rft_sweep *sweep = case_load(
        test, "return sweep { tune = { AA = range(-3, 4), BB = range(-2, 2), CC = values(0.5, 1, 2), DD = values(true, "
              "false), "
              "EE = values('half', 'float') }, where = {\n"
              "'AA % BB == 0 or AA // 2 > BB', function(AA, BB) return AA % BB == 0 or AA // 2 > BB end,\n"
              "'AA * CC >= 1 and DD or AA < 0', function(AA, CC, DD) return AA * CC >= 1 and DD or AA < 0 end,\n"
              "'EE == \"half\" or CC ~= 0.5', function(EE, CC) return EE == 'half' or CC ~= 0.5 end,\n"
              "'gpu.sms > AA * KiB', function(AA, gpu) return gpu.sms > AA * KiB end,\n"
              "'EE:len() == 4', function(EE) return EE:len() == 4 end,\n"
              "'BB / 0 > AA and gpu.arch ~= \"sm_80\"', function(AA, BB, gpu) return BB / 0 > AA and gpu.arch ~= "
              "'sm_80' end } }");
    const rft_variant *variant = &sweep->variants[0];
    for (size_t c = 0; c < variant->constraint_count; c += 2) {
        assert_true((variant->constraints[c].expr == NULL) == (c == 8)); /* a method: Lua's */
        assert_null(variant->constraints[c + 1].expr);
        uint64_t counts[2], errors[2];
        for (size_t form = 0; form < 2; form++) {
            bool unused[12];
            for (size_t i = 0; i < 12; i++) {
                unused[i] = i != c + form;
            }
            rft_space *space = NULL;
            rft_space_opts opts = {.unused = unused};
            assert_int_equal(rft_space_new(&space, sweep, 0, sweep->problems[0].values, &opts, &test->err), 0);
            counts[form] = rft_space_count(space);
            errors[form] = rft_space_errors(space);
            if (c == 0) {
                assert_contains(rft_space_first_error(space), "AA=-3 BB=0: ");
                assert_contains(rft_space_first_error(space), "attempt to perform 'n%0'");
            }
            rft_space_free(space);
        }
        assert_true(counts[0] == counts[1] && errors[0] == errors[1]);
        assert_true(counts[0] > 0 && (counts[0] < 8 * 5 * 3 * 2 * 2));
        assert_int_equal(errors[0], c == 0 ? 8 : 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_as_lua, case_setup, case_teardown),
        cmocka_unit_test(code_is_the_same_as_one_by_one),
        cmocka_unit_test(the_subset),
        cmocka_unit_test_setup_teardown(texts_and_functions_mean_the_same, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
