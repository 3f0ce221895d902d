/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled dimension goes to a reference as an argument only where its kernel has a parameter for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/plan/job.h"
#include "run/plan/signatures.h"
#include "support/plain_reference.h"

static void expect(const char *symbol, size_t arguments, int64_t third) {
    rft_arena *arena = rft_arena_new();
    rft_buffer buffers[] = {{.name = "x", .type = RFT_TYPE_F32, .count = 8, .role = RFT_BUFFER_INPUT},
                            {.name = "y", .type = RFT_TYPE_F32, .count = 8, .role = RFT_BUFFER_OUTPUT}};
    rft_point_spec spec = {.buffers = buffers, .buffer_count = 2};
    const rft_value values[] = {rft_value_int(3), rft_value_int(1024), rft_value_int(7)};
    const bool is_macro[] = {true, false, true};
    const rft_reference_dims dims = {.values = values, .is_macro = is_macro, .count = 3};
    rft_point_spec *reference = plain_reference(&spec, "ref", &dims, arena);
    rft_compiled_entry entry = {.name = "ref", .symbol = symbol};
    const rft_compile_result compiled = {.ok = true, .entries = &entry, .entry_count = 1};
    char before[RFT_HASH_HEX_SIZE], after[RFT_HASH_HEX_SIZE];
    spec.check.reference = reference;
    rft_job_reference_key(&spec, before);
    for (int again = 0; again < 2; again++) { /* what is settled stays */
        rft_signatures_settle(reference, &compiled);
        const rft_launch *launch = reference->launches;
        assert_int_equal(launch->arg_count, arguments);
        int64_t value = launch->args[2].scalar[0] | launch->args[2].scalar[1] << 8;
        assert_int_equal(value, third);
        rft_job_reference_key(&spec, after); /* the same results, whether there is code yet or not */
        assert_string_equal(before, after);
    }
    rft_arena_free(arena);
}

static void macros_are_left_out_where_nothing_takes_them(void **state) {
    (void)state;
    expect("_Z3refPKfPdxxx", 5, 3); /* all three dimensions, as ever */
    expect("_Z3refPKfPdx", 3, 1024);
    expect("_Z3refPKfPdxx", 5, 3); /* neither: the first ones, as ever */
    expect("_Z3refPKfPd", 5, 3);
    expect("ref", 5, 3); /* unknown */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(macros_are_left_out_where_nothing_takes_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
