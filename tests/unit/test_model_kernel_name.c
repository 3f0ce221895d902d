/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel as a profiler names it, held against what a point launches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "model/sweep/kernel_name.h"

static void the_base_is_the_name_alone(void **state) {
    static const char *const rows[][2] = {
        {"gemv<4, 256>", "gemv"},
        {"ns::gemv <4>", "gemv"},
        {"saxpy", "saxpy"},
        {"void at::scan<(int)4>(const float *)", "scan"},
        {"_Z4gemvILi4EEvPKf", "gemv"},
        {"void <unnamed>::scan<(int)4>(int)", "scan"},
        {"void copy<A<<unnamed>::B>>(int)", "copy"},
        {"_ZN2ns5inner4gemvILi4EEEvPKf", "gemv"},
        {"_Z99x", ""},
        {"", ""},
    };
    rft_arena *arena = rft_arena_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(rft_kernel_base_name(rows[i][0], arena), rows[i][1]);
    }
    rft_arena_free(arena);
    (void)state;
}

static void names_and_numbers_are_compared(void **state) {
    static const struct {
        const char *shown, *entry;
        rft_kernel_likeness want;
    } rows[] = {
        {"saxpy", "saxpy", RFT_KERNEL_SAME},
        {"saxpy(float *, int)", "saxpy", RFT_KERNEL_SAME},
        {"saxpy2(float *)", "saxpy", RFT_KERNEL_OTHER},
        {"my_saxpy(float *)", "saxpy", RFT_KERNEL_OTHER},
        {"void gemv<(int)4, (int)256>(const float *, float *)", "gemv<4, 256>", RFT_KERNEL_SAME},
        {"void gemv<(int)1, (int)256>(const float *, float *)", "gemv<4, 256>", RFT_KERNEL_OTHER_ARGUMENTS},
        {"void ns::gemv<4, 256, float>(float)", "ns::gemv<4, 256>", RFT_KERNEL_SAME},
        {"void (anonymous namespace)::gemv<(bool)1>(T1)", "gemv<true>", RFT_KERNEL_SAME},
        {"void gemv<(bool)0>(T1)", "gemv<true>", RFT_KERNEL_OTHER_ARGUMENTS},
        {"void <unnamed>::gemv<4, 1>(const __half *)", "gemv<4, 1>", RFT_KERNEL_SAME},
        {"void unnamed>::gemv<(int)8>(const float *)", "gemv<4>", RFT_KERNEL_OTHER_ARGUMENTS},
        {"unnamed>::saxpy(float, const float *)", "saxpy", RFT_KERNEL_SAME},
        {"void gemv<(unsigned int)8, A<(int)2, (int)3>, (int)-1>(T1)", "gemv<8u, A<2, 4>, -1>", RFT_KERNEL_SAME},
        {"void gemv<(int)8>(T1)", "gemv<2 * 4>", RFT_KERNEL_SAME}, /* an expression is not compared */
        {"void copy<gemv<(int)4>>(T1)", "gemv<4>", RFT_KERNEL_OTHER},
        {"void gemv::run<(int)4>(T1)", "gemv<4>", RFT_KERNEL_OTHER},
        {"run(gemv, int)", "gemv", RFT_KERNEL_OTHER},
        {"gemv", "gemv<4>", RFT_KERNEL_SAME}, /* ncu --print-kernel-base function */
        {"_Z4gemvILi4EEvPKf", "gemv<4>", RFT_KERNEL_SAME},
        {"_Z5gemv2ILi4EEvPKf", "gemv<4>", RFT_KERNEL_OTHER},
        {"void gemv<(int)4>(const float *)", "_Z4gemvILi4EEvPKf", RFT_KERNEL_SAME},
        {"", "gemv", RFT_KERNEL_OTHER},
        {"gemv<<<<", "", RFT_KERNEL_OTHER},
        {"void gemv<(int)4", "gemv<4, 5>", RFT_KERNEL_SAME},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rft_kernel_compare(rows[i].shown, rows[i].entry) != rows[i].want) {
            fail_msg("%s against %s", rows[i].shown, rows[i].entry);
        }
    }
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_base_is_the_name_alone),
        cmocka_unit_test(names_and_numbers_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
