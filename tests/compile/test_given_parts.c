/* SPDX-License-Identifier: Apache-2.0 */
/* What a given binary tells of itself: its architecture, and the kernels of PTX. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/compile/cubin_elf.h"
#include "gpu/compile/ptx_scan.h"

#include <string.h>

static void what_runs_on_what(void **state) {
    (void)state;
    static const struct {
        const char *made_for, *device;
        bool cubin, ptx;
    } cases[] = {
        {"sm_90", "sm_90a", true, true},     {"sm_90a", "sm_90a", true, true},  {"sm_80", "sm_90a", false, true},
        {"sm_80", "sm_86", true, true},      {"sm_86", "sm_80", false, false},  {"sm_90a", "sm_100a", false, false},
        {"sm_100a", "sm_103", false, false}, {"sm_100f", "sm_103", true, true}, {"sm_100f", "sm_120", false, false},
        {"sm_120", "sm_90", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_arch made_for = rft_arch_of(cases[i].made_for), device = rft_arch_of(cases[i].device);
        assert_true(rft_arch_runs_cubin(made_for, device) == cases[i].cubin);
        assert_true(rft_arch_takes_ptx(made_for, device) == cases[i].ptx);
    }
    assert_int_equal(rft_arch_of("sm_90ab").number, 0);
    assert_int_equal(rft_arch_of("compute_90").number, 0);
    assert_int_equal(rft_arch_of(NULL).number, 0);
}

/* CUDA 12 and 13 write the architecture at different places of the header. */
static void the_header_says_the_architecture(void **state) {
    (void)state;
    static const struct {
        unsigned char os_abi;
        uint32_t flags;
        int number;
        char suffix;
    } cases[] = {{0x33, 0x5a055a, 90, '\0'},  {0x33, 0x5a0d5a, 90, 'a'},   {0x33, 0x4b0550, 80, '\0'},
                 {0x41, 0x6005a04, 90, '\0'}, {0x41, 0x600640a, 100, 'a'}, {0x41, 0x6007802, 120, '\0'}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_cubin_elf elf = {.header = {.e_flags = cases[i].flags}};
        elf.header.e_ident[EI_OSABI] = cases[i].os_abi;
        rft_arch arch = rft_cubin_arch(&elf);
        assert_int_equal(arch.number, cases[i].number);
        assert_int_equal(arch.suffix, cases[i].suffix);
    }
}

static void kernels_of_ptx_are_read(void **state) {
    (void)state;
    static const char text[] =
        "// .entry no(\n/* .version 1.0\n.entry no( */\n.version 8.7\n.target sm_90a, texmode_independent\n"
        ".visible .entry first(\n\t.param .u64 .ptr .global .align 16 first_0, // the rows\n"
        "\t.param .align 8 .b8 first_1[24],\n\t.param .f32 first_2\n)\n.maxntid 16, 16\n.minnctapersm 2\n{ ret; }\n"
        ".func (.param .b32 r) helper(.param .b32 x) { }\n"
        ".weak .entry second()\n.reqntid 128\n.reqnctapercluster 2, 1, 1\n{ }\n.entry third{ }\n"
        ".entry broken(.param .u64 a[, .param b";
    char version[16], target[16];
    rft_ptx_entry entry;
    rft_ptx_text at = {text, text + sizeof text - 1};
    assert_true(rft_ptx_head(text, sizeof text - 1, version, target));
    assert_string_equal(version, "8.7");
    assert_string_equal(target, "sm_90a");
    assert_true(rft_ptx_has_functions(text, sizeof text - 1));
    assert_true(rft_ptx_next(&at, &entry));
    assert_int_equal(entry.name.length, 5);
    assert_int_equal(entry.param_count, 3);
    assert_int_equal(entry.param_bytes[0], 8);
    assert_int_equal(entry.param_bytes[1], 24);
    assert_int_equal(entry.param_bytes[2], 4);
    assert_int_equal(entry.needs.threads_max, 256);
    assert_int_equal(entry.needs.block[0], 0);
    assert_true(rft_ptx_find(text, sizeof text - 1, "second", &entry));
    assert_int_equal(entry.param_count, 0);
    assert_int_equal(entry.needs.block[0], 128);
    assert_int_equal(entry.needs.block[2], 1);
    assert_int_equal(entry.needs.cluster[0], 2);
    assert_true(rft_ptx_find(text, sizeof text - 1, "third", &entry));
    assert_true(rft_ptx_find(text, sizeof text - 1, "broken", &entry));
    assert_int_equal(entry.param_count, 0);
    assert_false(rft_ptx_find(text, sizeof text - 1, "no", &entry));
    assert_false(rft_ptx_find(text, sizeof text - 1, "helper", &entry));
    assert_false(rft_ptx_head("hello", 5, version, target));
}

static void variables_of_code_are_read(void **state) {
    (void)state;
    static const char text[] = "// .const .f32 nothing;\n.version 9.0\n.target sm_90a\n"
                               ".visible .const .align 4 .b8 _ZN2ns7weightsE[36];\n"
                               ".global .align 16 .v4 .f32 corners[2][3] = {0f3F800000, /* ; */ 0f40000000};\n"
                               ".global .align 1 .b8 $str[4] = {104, 105};\n"
                               ".global .u64 counter;\n.global .b8 endless[99999999999999999999];\n"
                               ".visible .entry k(.param .u64 p) { .const .f32 inner; { .global .u32 x; } }\n"
                               "} .const .f64 last = 0d3FF0000000000000;\n.const .f32";
    rft_arena *arena = rft_arena_new();
    rft_variable *variables = NULL;
    assert_int_equal(rft_code_variables(text, sizeof text - 1, &variables, arena), 4);
    assert_string_equal(variables[0].name, "ns::weights");
    assert_string_equal(variables[0].symbol, "_ZN2ns7weightsE");
    assert_true(variables[0].bytes == 36 && variables[0].is_constant && variables[0].is_zero);
    assert_string_equal(variables[1].name, "corners");
    assert_true(variables[1].bytes == 96 && !variables[1].is_constant && !variables[1].is_zero);
    assert_true(variables[2].bytes == 8 && variables[2].is_zero);
    assert_string_equal(variables[3].name, "last");
    assert_true(variables[3].bytes == 8 && !variables[3].is_zero);
    for (size_t n = 0; n < sizeof text; n++) {
        assert_true(rft_code_variables(text, n, &variables, arena) <= 5);
    }
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_runs_on_what),
        cmocka_unit_test(the_header_says_the_architecture),
        cmocka_unit_test(kernels_of_ptx_are_read),
        cmocka_unit_test(variables_of_code_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
