/* SPDX-License-Identifier: Apache-2.0 */
/* Points spelled out: buffers, launches, macros and entries, the reference, work and traffic. */
#include "script_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const rft_value thousand[] = {{RFT_VALUE_INT, {.integer = 1000}}};

static void point(script_case *test, const rft_value *config) {
    if (case_point(test, thousand, config) != 0) {
        fail_msg("%s: %s", test->err.place, test->err.message);
    }
}

static void refuse_point(script_case *test, const rft_value *config, const char *place, const char *message) {
    assert_int_equal(case_point(test, thousand, config), RFT_E_SCRIPT);
    assert_contains(test->err.place, place);
    assert_contains(test->err.message, message);
}

/* "-DA=1 -DB=2" */
static void assert_options(const rft_unit_spec *unit, const char *expected) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < unit->option_count; i++) {
        rft_str_addf(&text, "%s%s", i ? " " : "", unit->options[i]);
    }
    assert_string_equal(rft_str_get(&text), expected);
    rft_str_clear(&text);
}

static void test_saxpy(void **state) {
    script_case *test = *state;
    const rft_sweep *sweep = case_load(test, case_saxpy("", ""));
    const rft_value config[] = {rft_value_int(4), rft_value_int(128)};
    point(test, config);
    const rft_point_spec *spec = &test->spec;
    assert_int_equal(spec->buffer_count, 2);
    assert_string_equal(spec->buffers[0].name, "x");
    assert_int_equal(spec->buffers[0].role, RFT_BUFFER_INPUT);
    assert_int_equal(spec->buffers[0].type, RFT_TYPE_F32);
    assert_int_equal(spec->buffers[0].count, 1000);
    assert_int_equal(spec->buffers[0].fill.kind, RFT_FILL_UNIFORM);
    assert_true(spec->buffers[0].fill.low == -1 && spec->buffers[0].fill.high == 1);
    assert_int_equal(spec->buffers[1].role, RFT_BUFFER_INOUT);
    assert_int_equal(spec->launch_count, 1);
    assert_int_equal(spec->prepare_count, 0);
    const rft_launch *launch = &spec->launches[0];
    assert_int_equal(launch->kind, RFT_LAUNCH_KERNEL);
    assert_string_equal(launch->entry, "saxpy<4>");
    assert_ptr_equal(launch->entry, spec->unit.names[0]);
    assert_int_equal(spec->unit.name_count, 1);
    assert_options(&spec->unit, "-DBLOCK=128");
    assert_string_equal(spec->unit.source, CASE_FOLDER "saxpy.cu");
    assert_int_equal(launch->grid[0], 2);
    assert_int_equal(launch->grid[1], 1);
    assert_int_equal(launch->block[0], 128);
    assert_int_equal(launch->cluster[2], 1);
    assert_int_equal(launch->shared_bytes, 0);
    assert_int_equal(launch->window.bytes, 0);
    assert_int_equal(launch->arg_count, 4);
    assert_int_equal(launch->args[0].kind, RFT_ARG_BUFFER);
    assert_int_equal(launch->args[1].buffer, 1);
    assert_int_equal(launch->args[2].type, RFT_TYPE_F32);
    float two;
    memcpy(&two, launch->args[2].scalar, sizeof(two));
    assert_true(two == 2.0f);
    int64_t count;
    memcpy(&count, launch->args[3].scalar, sizeof(count));
    assert_int_equal(count, 1000);
    assert_true(spec->work.pipe_ops[RFT_PIPE_FP32] == 2000);
    assert_true(spec->work.bytes_read == 8000 && spec->work.bytes_written == 4000);
    assert_false(spec->traffic.present);
    assert_string_equal(spec->check.reference->unit.names[0], "saxpy_reference");
    assert_int_equal(spec->check.reference->unit.option_count, 0);
    assert_true(isnan(spec->check.tol) && spec->check.length == 1 && isnan(spec->check.buffer_tol[1]));
    const rft_launch *reference = spec->check.reference->launches;
    assert_int_equal(reference->arg_count, 3); /* x, y, n */
    memcpy(&count, reference->args[2].scalar, sizeof(count));
    assert_int_equal(count, 1000);
    assert_int_equal(reference->grid[0], 4);
    assert_int_equal(reference->block[0], 256);
    assert_null(sweep->item_name);
}

static void test_macros(void **state) {
    script_case *test = *state;
    case_load(test, case_saxpy("params = { { 'VEC', 1 }, { 'COPY', 'ld' }, { 'TT', ctype 'half' }, { 'GUARD', true },"
                               "  { 'RATIO', 0.5 }, { 'BLOCK', 256 } },"
                               "entry = { 'ns::VEC::k<VEC, VECTOR, 0xVEC>', 'tail<BLOCK>' },"
                               "options = function(c, gpu) return { '-lineinfo', '-Iinclude', '-DARCH_is=' .. gpu.arch,"
                               "  c.COPY == 'tma' and '-DTMA' or nil } end",
                               "tune = { COPY = values('ld', 'tma'), TT = values(ctype 'float', ctype 'unsigned int'),"
                               "  RATIO = values(0.5, 1, 1.25) }"));
    const rft_value config[] = {rft_value_int(8),     rft_value_text("tma"), rft_value_text("unsigned int"),
                                rft_value_bool(true), rft_value_real(1.25),  rft_value_int(64)};
    point(test, config);
    assert_string_equal(test->spec.launches[0].entry, "ns::VEC::k<8, VECTOR, 0xVEC>");
    assert_options(&test->spec.unit, "-DCOPY_ld=1 -DCOPY_tma=2 -DCOPY=2 -DTT=unsigned int -DGUARD=1 -DRATIO=1.25 "
                                     "-lineinfo -I" CASE_FOLDER "include -DARCH_is=sm_90a -DTMA");
    const rft_value other[] = {rft_value_int(8),      rft_value_text("ld"), rft_value_text("half"),
                               rft_value_bool(false), rft_value_real(1.0),  rft_value_int(64)};
    point(test, other);
    assert_options(&test->spec.unit, "-DCOPY_ld=1 -DCOPY_tma=2 -DCOPY=1 -DTT=half -DGUARD=0 -DRATIO=1 -lineinfo "
                                     "-I" CASE_FOLDER "include -DARCH_is=sm_90a");
}

static void test_compiled_axes(void **state) {
    script_case *test = *state;
    const rft_sweep *sweep =
        case_load(test, case_saxpy("problem = { 'n', 'd', 'causal', 'kind' }, compiled = { 'd', 'causal', 'kind' },"
                                   "entry = 'attn<VEC, d>', check = { reference = 'saxpy.cu:r', options = { '-DX' } }",
                                   "over = { n = values(64), d = values(64, 128), causal = values(true, false),"
                                   "  kind = values('full', 'local') }"));
    assert_int_equal(sweep->problem_count, 9); /* with an odd one: n = 67 */
    assert_int_equal(sweep->problems[0].values[0].as.integer, 67);
    assert_int_equal(sweep->problems[0].values[1].as.integer, 64);
    const rft_value problem[] = {rft_value_int(64), rft_value_int(128), rft_value_bool(true), rft_value_text("local")};
    const rft_value config[] = {rft_value_int(2), rft_value_int(32)};
    assert_int_equal(case_point(test, problem, config), 0);
    assert_string_equal(test->spec.unit.names[0], "attn<2, 128>");
    assert_options(&test->spec.unit, "-DBLOCK=32 -Dcausal=1 -Dkind_full=1 -Dkind_local=2 -Dkind=2");
    /* one letter is no macro; a text reaches the reference as its number */
    assert_options(&test->spec.check.reference->unit, "-Dcausal=1 -Dkind_full=1 -Dkind_local=2 -Dkind=2 -DX");
    const rft_launch *reference = test->spec.check.reference->launches;
    assert_int_equal(reference->arg_count, 6); /* x, y, n, d, causal, kind */
    assert_int_equal(reference->args[5].scalar[0], 2);
    assert_true(!reference->args[2].is_macro && !reference->args[3].is_macro && reference->args[4].is_macro);
    case_refuse(test, case_saxpy("compiled = { 'n' }", ""), RFT_E_SCRIPT, NULL, "kernel.compiled[1]", "longer name");
    case_refuse(test, case_saxpy("problem = { 'kind' }", "over = { kind = values('x', 'y') }"), RFT_E_SCRIPT, NULL,
                "must be compiled", NULL);
}

static const char several_launches[] =
    "buffers = function(p, c) return { a = input(bf16, p.n * 64, uniform(0, 2)), part = temp(f32, p.n * c.VEC),\n"
    "    ids = input(i32, p.n, integers { below = 100, order = 'zipf' }), y = output(f16, p.n) } end,\n"
    "  prepare = function(p, c, gpu, b) return { entry = 'pack<VEC>', args = { b.a }, grid = 1, block = 32 } end,\n"
    "  launch = function(p, c, gpu, b) return {\n"
    "    memset(b.part, 255),\n"
    "    { args = { tensor_map(b.a, { 64, p.n }, { box = { 64, 128 }, swizzle = 128, l2_promotion = 256 }),\n"
    "        b.part, b.part:offset(16):as(u32):offset(4), u8(255), f16(-1.5), bf16(1), e4m3(1000), i32(-2), f64(0.1) "
    "},\n"
    "      grid = resident(), block = { 32, 4, 2 }, cluster = { 2, 1, 1 }, shared = 1024, cooperative = true },\n"
    "    { entry = 'fold<BLOCK>', args = { b.part, b.y }, grid = { 3, 2 }, block = c.BLOCK, pdl = true,\n"
    "      window = { buffer = b.part, offset = 8, bytes = 4000, hit_ratio = 0.5 } },\n"
    "    { entry = 'fold<BLOCK>', args = { tensor_map(b.a, { 8, 4, 2, p.n }, { box = { 8, 257 },\n"
    "        im2col = { lower = { -1, -128 }, upper = { 0, 127 } } }), b.y }, grid = 1, block = 64,\n"
    "      window = { buffer = b.ids } },\n"
    "  } end,\n"
    "  traffic = function(p, c, gpu) return { dram_read = 300, dram_write = 100, l2 = 5, issue = 9, fp32 = 7,\n"
    "    atomics = { shared = 3, l2_f32_one = 4 } } end,\n"
    "  work = function(p) return { tensor_bf16 = 10, atomics = { l2 = p.n }, read = 1, write = 2, items = { 'row', p.n "
    "} } end,\n"
    "  check = { reference = 'saxpy.cu:ns::r', tol = 0.25, length = function(p) return p.n end, y = { tol = 0.5 } }";

static void test_launches(void **state) {
    script_case *test = *state;
    const rft_sweep *sweep = case_load(test, case_saxpy(several_launches, ""));
    assert_string_equal(sweep->item_name, "row");
    const rft_value config[] = {rft_value_int(4), rft_value_int(128)};
    point(test, config);
    const rft_point_spec *spec = &test->spec;
    assert_string_equal(spec->buffers[1].name, "ids");
    assert_int_equal(spec->buffers[1].fill.kind, RFT_FILL_INTEGERS);
    assert_int_equal(spec->buffers[1].fill.order, RFT_ORDER_ZIPF);
    assert_int_equal(spec->buffers[2].count, 4000); /* a temp may depend on the configuration */
    assert_int_equal(spec->prepare_count, 1);
    assert_int_equal(spec->launch_count, 4);
    assert_int_equal(spec->launches[0].kind, RFT_LAUNCH_MEMSET);
    assert_int_equal(spec->launches[0].memset_buffer, 2);
    assert_int_equal(spec->launches[0].memset_byte, 255);
    assert_int_equal(spec->unit.name_count, 3);
    assert_string_equal(spec->unit.names[0], "pack<4>");
    assert_string_equal(spec->unit.names[1], "saxpy<4>");
    assert_string_equal(spec->unit.names[2], "fold<128>");
    assert_options(&spec->unit, ""); /* BLOCK is named in a launch's entry: a macro would break its template */
    const rft_launch *launch = &spec->launches[1];
    assert_int_equal(launch->grid[0], 0);
    assert_int_equal(launch->block[1], 4);
    assert_int_equal(launch->cluster[0], 2);
    assert_true(launch->cooperative && !launch->pdl && launch->shared_bytes == 1024);
    const rft_tensor_map *map = &launch->args[0].map;
    assert_int_equal(launch->args[0].kind, RFT_ARG_TENSOR_MAP);
    assert_int_equal(launch->args[0].buffer, 0);
    assert_int_equal(map->rank, 2);
    assert_int_equal(map->dims[1], 1000);
    assert_int_equal(map->strides[0], 0);
    assert_int_equal(map->box[1], 128);
    assert_true(map->swizzle == 128 && map->l2_promotion == 256 && !map->tf32);
    assert_int_equal(launch->args[2].offset_bytes, 20);
    assert_true(launch->args[2].is_cast && launch->args[2].type == RFT_TYPE_U32 && !launch->args[1].is_cast);
    static const unsigned char bytes[][4] = {{0xff}, {0x00, 0xbe}, {0x80, 0x3f}, {0x7e}, {0xfe, 0xff, 0xff, 0xff}};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(launch->args[3 + i].kind, RFT_ARG_SCALAR);
        assert_memory_equal(launch->args[3 + i].scalar, bytes[i], rft_type_bytes(launch->args[3 + i].type));
    }
    launch = &spec->launches[2];
    assert_true(launch->pdl && launch->grid[1] == 2);
    assert_true(launch->window.buffer == 2 && launch->window.offset_bytes == 8 && launch->window.bytes == 4000);
    assert_true(launch->window.hit_ratio == 0.5);
    assert_int_equal(spec->launches[3].window.bytes, 4000); /* the whole of ids */
    map = &spec->launches[3].args[0].map;
    assert_true(map->im2col && map->rank == 4 && map->dims[3] == 1000 && map->box[1] == 257);
    assert_true(map->lower[0] == -1 && map->lower[1] == -128 && map->upper[0] == 0 && map->upper[1] == 127);
    assert_true(spec->traffic.present && spec->traffic.evidence == RFT_EVIDENCE_MODELLED);
    assert_true(spec->traffic.level_bytes[RFT_LEVEL_DRAM] == 400 && spec->traffic.dram_read_frac == 0.75);
    assert_true(isnan(spec->traffic.level_bytes[RFT_LEVEL_L1]) && spec->traffic.warp_instructions == 9);
    assert_true(spec->traffic.pipe_ops[RFT_PIPE_FP32] == 7 && isnan(spec->traffic.pipe_ops[RFT_PIPE_SFU]));
    const double *moved = spec->traffic.pipe_ops, *declared = spec->work.pipe_ops;
    assert_true(moved[RFT_PIPE_ATOMICS_SHARED] == 3 && moved[RFT_PIPE_ATOMICS_L2_F32_ONE] == 4);
    assert_true(isnan(moved[RFT_PIPE_ATOMICS_L2])); /* then the work's stands */
    assert_true(declared[RFT_PIPE_ATOMICS_L2] == 1000 && declared[RFT_PIPE_ATOMICS_SHARED] == 0);
    assert_true(spec->work.bytes_read == 1 && spec->work.bytes_written == 2 && spec->work.items == 1000);
    assert_true(spec->check.tol == 0.25 && spec->check.length == 1000 && spec->check.buffer_tol[3] == 0.5);
    assert_string_equal(spec->check.reference->unit.names[0], "ns::r");
}

/* Reference codes from the formats' definitions (IEEE 754, OCP 8-bit floating point). */
static void test_scalars(void **state) {
    static const struct {
        const char *text;
        uint64_t code;
    } cases[] = {
        {"f16(1)", 0x3c00},
        {"f16(65504)", 0x7bff},
        {"f16(65520)", 0x7c00},
        {"f16(-2^-24)", 0x8001},
        {"f16(2^-25)", 0x0000},
        {"f16(0.1)", 0x2e66},
        {"f16(2049)", 0x6800},
        {"f16(2051)", 0x6802},
        {"f16(2^-14 - 2^-26)", 0x400},
        {"f16(math.huge)", 0x7c00},
        {"bf16(1/3)", 0x3eab},
        {"bf16(-1e39)", 0xff80},
        {"e4m3(448)", 0x7e},
        {"e4m3(1e9)", 0x7e},
        {"e4m3(2^-9)", 0x01},
        {"e4m3(-0.4375)", 0xae},
        {"e5m2(57344)", 0x7b},
        {"e5m2(1e9)", 0x7c},
        {"e5m2(0.3)", 0x35},
        {"i8(-128)", 0x80},
        {"u16(65535)", 0xffff},
        {"u32(2^32 - 1)", 0xffffffff},
        {"u8(true)", 1},
        {"i64(-1)", UINT64_MAX},
        {"f32(-0.0)", 0x80000000},
    };
    script_case *test = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char kernel[200];
        snprintf(kernel, sizeof(kernel),
                 "launch = function(p, c, gpu, b) return { args = { %s }, grid = 1, block = 1 } end", cases[i].text);
        case_load(test, case_saxpy(kernel, ""));
        const rft_value config[] = {rft_value_int(1), rft_value_int(128)};
        point(test, config);
        const rft_arg *arg = &test->spec.launches[0].args[0];
        uint64_t code = 0;
        for (int k = 7; k >= 0; k--) {
            code = code << 8 | arg->scalar[k];
        }
        if (code != cases[i].code) {
            fail_msg("%s: 0x%llx, expected 0x%llx", cases[i].text, (unsigned long long)code,
                     (unsigned long long)cases[i].code);
        }
    }
}

static void test_inputs_are_fixed(void **state) {
    script_case *test = *state;
    const rft_value base[] = {rft_value_int(1), rft_value_int(256)};
    const rft_value other[] = {rft_value_int(4), rft_value_int(256)};
    case_load(
        test,
        case_saxpy("buffers = function(p, c) return { x = input(f32, p.n * c.VEC), y = inout(f32, p.n) } end", ""));
    point(test, base);
    refuse_point(test, other, "case.lua:14", "buffers.x: an input must not depend on the configuration");
    case_load(test, case_saxpy("buffers = function(p, c) return { x = input(f32, p.n),"
                               "[c.VEC == 1 and 'y' or 'z'] = inout(f32, p.n), w = temp(f32, c.VEC) } end,"
                               "launch = function(p, c, gpu, b) return { args = { b.w }, grid = 1, block = 1 } end",
                               ""));
    point(test, base);
    refuse_point(test, other, "case.lua:14", "must not depend on the configuration");
}

/* A buffer kept from an earlier point would point into memory that is gone. */
static void test_stale_handles(void **state) {
    script_case *test = *state;
    const rft_value config[] = {rft_value_int(1), rft_value_int(256)};
    const char *text = case_saxpy("launch = (function() local old return function(p, c, gpu, b) old = old or b.x\n"
                                  "  return { args = { old }, grid = 1, block = 1 } end end)()",
                                  "");
    case_load(test, text);
    refuse_point(test, config, "case.lua:14", "launch.args[1]: this buffer belongs to an earlier point");
}

static void test_run_time_errors(void **state) {
    script_case *test = *state;
    const rft_value config[] = {rft_value_int(2), rft_value_int(256)};
    /* Only VEC = 2 goes wrong, so loading succeeds. */
    case_load(test, case_saxpy("launch = function(p, c, gpu, b)\n"
                               "  local function inner() return b.z end\n"
                               "  if c.VEC == 2 then local r = inner() return r end\n"
                               "  return { args = { b.x }, grid = 1, block = 1 } end",
                               ""));
    refuse_point(test, config, "case.lua:15", "b.z: unknown name");
    assert_contains(test->err.message, "traceback:\n  case.lua:15: in");
    assert_contains(test->err.message, "case.lua:16: in ");
    case_load(test, case_saxpy("work = function(p) return { fp32 = p.n == 1000 and nil + 1 or 1 } end", ""));
    refuse_point(test, config, "case.lua:14", "arithmetic on a nil value");
    case_load(test, case_saxpy("options = function(c) if c.VEC == 2 then return { 1 } end return { } end", ""));
    refuse_point(test, config, "case.lua:14", "options[1]: expected text, got 1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_saxpy, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_macros, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_compiled_axes, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_launches, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_scalars, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_inputs_are_fixed, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_stale_handles, case_setup, case_teardown),
        cmocka_unit_test_setup_teardown(test_run_time_errors, case_setup, case_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
