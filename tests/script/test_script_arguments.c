/* SPDX-License-Identifier: Apache-2.0 */
/* Structs by value and constants, spelled out: layouts, bytes, and what is refused. */
#include "script_case.h"

#include <stdio.h>
#include <string.h>

static const rft_value thousand[] = {{RFT_VALUE_INT, {.integer = 1000}}};
static const rft_value config[] = {{RFT_VALUE_INT, {.integer = 4}}, {RFT_VALUE_INT, {.integer = 128}}};

/* A sweep whose launch has these arguments, and whose kernel has these fields besides. */
static const char *with(const char *args, const char *kernel) {
    static char text[4096];
    snprintf(text, sizeof text,
             "return sweep { kernel = kernel { source = 'saxpy.cu', entry = 'saxpy<VEC>', problem = { 'n' },\n"
             "params = { { 'VEC', 1 }, { 'BLOCK', 256 } },\n"
             "buffers = function(p) return { x = input(f32, p.n), y = inout(f32, p.n) } end,\n"
             "launch = function(p, c, gpu, b) return { args = { %s }, grid = 1, block = c.BLOCK } end,\n"
             "work = function(p) return { bytes = 8 } end, check = { reference = 'saxpy.cu:saxpy_reference' },\n"
             "%s }, over = { n = values(1000) }, tune = { VEC = values(4), BLOCK = values(128) } }",
             args, kernel);
    return text;
}

static const rft_point_spec *spell(script_case *test, const char *args, const char *kernel) {
    case_load(test, with(args, kernel));
    if (case_point(test, thousand, config) != 0) {
        fail_msg("%s: %s", test->err.place, test->err.message);
    }
    return &test->spec;
}

static void expect_struct(script_case *test, const char *args, const char *hex, const char *layout) {
    const rft_arg *arg = spell(test, args, "")->launches[0].args;
    assert_int_equal(arg->kind, RFT_ARG_STRUCT);
    assert_string_equal(arg->hex, hex);
    assert_string_equal(arg->layout, layout);
    assert_int_equal(arg->bytes, strlen(hex) / 2);
}

static void structs_are_laid_out_as_c_does(void **state) {
    script_case *test = *state;
    expect_struct(test, "struct { i8(1), i32(2), i16(3) }", "010000000200000003000000", "i8 at 0, i32 at 4, i16 at 8");
    expect_struct(test, "struct { { u8(1), u8(2), u8(3) }, f64(1) }", "0102030000000000000000000000f03f",
                  "u8 at 0, u8 at 1, u8 at 2, f64 at 8");
    expect_struct(test, "struct { i8(1), struct { i8(2), i32(3) }, i8(4) }",
                  "0100000002000000030000000400000"
                  "0",
                  "i8 at 0, a struct of 8 bytes at 4, i8 at 12");
    expect_struct(test, "struct { align = 16, i32(1) }", "01000000000000000000000000000000", "i32 at 0");
    expect_struct(test, "struct {}", "00", "");
}

static void buffers_stand_in_structs(void **state) {
    script_case *test = *state;
    expect_struct(test, "struct { i32(7), b.y, struct { f32(0), b.x:offset(4) } }",
                  "0700000000000000"
                  "0000000000000000"
                  "0000000000000000"
                  "0000000000000000",
                  "i32 at 0, y at 8, a struct of 16 bytes at 16");
    const rft_arg *arg = test->spec.launches[0].args;
    assert_int_equal(arg->field_count, 2);
    assert_true(arg->fields[0].at == 8 && arg->fields[0].buffer == 1);
    assert_true(arg->fields[1].at == 24 && arg->fields[1].buffer == 0 && arg->fields[1].offset_bytes == 4);
}

/* A layout that is long ends in dots, and as a whole field. */
static void long_layouts_are_cut(void **state) {
    script_case *test = *state;
    const rft_arg *arg =
        spell(test, "(function() local t = {} for i = 1, 300 do t[i] = f32(i) end return struct(t) end)()", "")
            ->launches[0]
            .args;
    assert_int_equal(arg->bytes, 1200);
    assert_true(strlen(arg->layout) < 200);
    assert_string_equal(arg->layout + strlen(arg->layout) - 5, ", ...");
}

static void refuse(script_case *test, const char *args, const char *kernel, const char *message, const char *remedy) {
    case_refuse(test, with(args, kernel), RFT_E_SCRIPT, NULL, message, remedy);
}

static void mistakes_in_structs_are_told(void **state) {
    script_case *test = *state;
    refuse(test, "struct { n = i32(1) }", "", "struct.n: fields have no names", "in their order");
    refuse(test, "struct { 5 }", "", "struct[1]: a plain number has no type", "i32(...)");
    refuse(test, "struct { algin = 4 }", "", "did you mean \"align\"?", "known: align");
    refuse(test, "struct { align = 3 }", "", "3 is no power of two", "16 for a float4");
    refuse(test, "struct { 'x' }", "", "struct[1]: expected a typed scalar", NULL);
    refuse(test, "struct { { { i32(1) }, {} }, { nil, 3 } }", "", "struct[2]", NULL);
    refuse(test, "{ i32(1), b.x }", "", "tensor_map(...) or struct { ... }, got a table", NULL);
    refuse(test, "struct(5)", "", "struct: expected a table", NULL);
    refuse(test, "texture(b.x)", "", "unknown name \"texture\"", "give the kernel a buffer");
    refuse(test, "(function() local t = {} for i = 1, 5000 do t[i] = f64(i) end return struct(t) end)()", "",
           "32764 bytes together", "a buffer");
    refuse(test, "(function() local t = {} for i = 1, 65 do t[i] = b.x end return struct(t) end)()", "",
           "more than 64 buffers in a struct", NULL);
    refuse(test, "(function() local t = i32(1) for i = 1, 20 do t = { t } end return struct { t } end)()", "",
           "expected a typed scalar", NULL);
}

static const rft_buffer *find(const rft_point_spec *spec, const char *name) {
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (strcmp(spec->buffers[i].name, name) == 0) {
            return &spec->buffers[i];
        }
    }
    fail_msg("no %s", name);
    return NULL;
}

static void constants_are_inputs_behind_the_buffers(void **state) {
    script_case *test = *state;
    static const char table[] =
        "constants = { ['&ns::a'] = input(f32, 9), z = struct { i32(1), f32(2) }, a = i16(-2) },";
    const rft_point_spec *spec = spell(test, "b.x, b.y", table);
    assert_int_equal(spec->buffer_count, 5);
    assert_string_equal(spec->buffers[1].name, "y");
    for (size_t i = 2; i < 5; i++) {
        assert_int_equal(spec->buffers[i].role, RFT_BUFFER_CONSTANT);
    }
    const rft_buffer *filter = find(spec, "ns::a");
    assert_true(filter->count == 9 && filter->fill.kind == RFT_FILL_UNIFORM && filter->fill.low == -1);
    assert_string_equal(find(spec, "a")->fill.identity, "feff");
    assert_int_equal(find(spec, "z")->count, 8);
    assert_string_equal(find(spec, "z")->fill.identity, "0100000000000040");
    assert_true(spec->work.bytes_read > 0);
    spec =
        spell(test, "b.x, b.y", "constants = function(p) return { d = input(i32, p.n, integers { below = 5 }) } end,");
    assert_int_equal(find(spec, "d")->count, 1000);
    assert_int_equal(find(spec, "d")->fill.below, 5);
}

static void mistakes_in_constants_are_told(void **state) {
    script_case *test = *state;
    refuse(test, "b.x", "constants = { a = output(f32, 9) },", "kernel.constants.a: a constant is filled",
           "input(TYPE, n)");
    refuse(test, "b.x", "constants = { a = 5 },", "kernel.constants.a: expected input(...)", "constants = {");
    refuse(test, "b.x", "constants = { input(f32, 9) },", "expected VARIABLE = input(...), got a list", NULL);
    refuse(test, "b.x", "constants = 5,", "kernel.constants: expected a table", NULL);
    refuse(test, "b.x", "constants = { a = f32(1), ['&a'] = f32(2) },", "\"a\" is there twice", NULL);
    refuse(test, "b.x", "constants = function(p) return { a = temp(f32, 9) } end,", "constants.a: a constant is", NULL);
    refuse(test, "b.x", "constants = function(p) end,", "constants: the function returned nothing", NULL);
    refuse(test, "b.x", "constants = { ['coef<4>'] = f32(1) },", "\"coef<4>\" is no variable's name", "by its symbol");
    refuse(test, "b.x", "constants = { ['a b'] = f32(1) },", "\"a b\" is no variable's name", NULL);
    refuse(test, "b.x", "constants = { ['ns::'] = f32(1) },", "\"ns::\" is no variable's name", NULL);
    refuse(test, "b.x", "constants = { ['&'] = f32(1) },", "\"\" is no variable's name", NULL);
    refuse(test, "b.x", "constant_memory = {},", "did you mean \"constants\"?", NULL);
    refuse(test, "b.x",
           "constants = (function() local t = {} for i = 1, 62 do t['a' .. i] = f32(i) end return t end)(),",
           "more than 63 buffers and constants", NULL);
    refuse(test, "b.a", "constants = { a = f32(1) },", "launch.args[1]: expected a buffer like b.x", NULL);
    refuse(test, "b.a", "constants = { a = f32(1) },", "got a constant, which kernels read by its name", NULL);
    spell(test, "b.x", "constants = { x = f32(1) },"); /* the buffer of the same name */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(structs_are_laid_out_as_c_does, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(buffers_stand_in_structs, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(long_layouts_are_cut, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(mistakes_in_structs_are_told, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(constants_are_inputs_behind_the_buffers, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(mistakes_in_constants_are_told, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
