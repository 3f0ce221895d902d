/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of a sweep against variables of compiled code: names, sizes, and what is said. */
#include "model_fixture.h"

#include "model/sweep/constants.h"
#include "model/sweep/mangled.h"

#include <string.h>

#define NONE "conv.cu has no __constant__ or __device__ variable of this name"

static const rft_variable variables[] = {{"d_filter", "d_filter", 900, true, true},
                                         {"_ZN2ns1kE", "ns::k", 32, true, true},
                                         {"counter", "counter", 4, false, true}};

static void expect(rft_buffer constant, size_t count, bool of_reference, const char *wanted) {
    rft_arena *arena = rft_arena_new();
    constant.role = RFT_BUFFER_CONSTANT;
    rft_point_spec spec = {.buffers = &constant, .buffer_count = 1};
    const char *wrong = rft_constants_wrong(&spec, variables, count, "conv.cu", of_reference, arena);
    if ((wrong == NULL) != (wanted == NULL) || (wanted && strcmp(wrong, wanted) != 0)) {
        fail_msg("%s: %s", constant.name, wrong ? wrong : "nothing is wrong");
    }
    rft_arena_free(arena);
}

static void what_fits_is_taken(void **state) {
    (void)state;
    expect((rft_buffer){.name = "d_filter", .type = RFT_TYPE_F32, .count = 225}, 3, false, NULL);
    expect((rft_buffer){.name = "d_filter", .type = RFT_TYPE_U8, .count = 900}, 3, false, NULL);
    expect((rft_buffer){.name = "ns::k", .type = RFT_TYPE_F64, .count = 4}, 3, false, NULL);
    expect((rft_buffer){.name = "_ZN2ns1kE", .type = RFT_TYPE_F64, .count = 4}, 3, false, NULL);
    expect((rft_buffer){.name = "counter", .type = RFT_TYPE_U32, .count = 1}, 3, false, NULL);
    expect((rft_buffer){.name = "elsewhere", .type = RFT_TYPE_U32, .count = 1}, 3, true, NULL);
}

static void what_does_not_is_told(void **state) {
    (void)state;
    expect((rft_buffer){.name = "d_filtr", .type = RFT_TYPE_F32, .count = 225}, 3, false,
           "constant d_filtr: " NONE ", did you mean \"d_filter\"?");
    expect((rft_buffer){.name = "k", .type = RFT_TYPE_F32, .count = 225}, 3, false,
           "constant k: " NONE ", did you mean \"ns::k\"?");
    expect((rft_buffer){.name = "weights", .type = RFT_TYPE_F32, .count = 225}, 3, false,
           "constant weights: " NONE "; it has d_filter, ns::k, counter");
    expect((rft_buffer){.name = "weights", .type = RFT_TYPE_F32, .count = 225}, 0, false,
           "constant weights: " NONE "; it has none at all");
    expect((rft_buffer){.name = "d_filter", .type = RFT_TYPE_F32, .count = 224}, 3, true,
           "constant d_filter: 224 f32 are 896 bytes, the variable in conv.cu has 900; write f32, 225");
    expect((rft_buffer){.name = "counter", .type = RFT_TYPE_I64, .count = 1}, 3, false,
           "constant counter: 1 i64 are 8 bytes, the variable in conv.cu has 4");
}

static void what_nothing_fills_is_found(void **state) {
    (void)state;
    static const rft_variable zeros[] = {{"__of_a_header", "__of_a_header", 4, true, true},
                                         {"_ZN2ns1kE", "ns::k", 32, true, true},
                                         {"scratch", "scratch", 4, false, true},
                                         {"table", "table", 4, true, false},
                                         {"d_filter", "d_filter", 900, true, true}};
    rft_buffer buffers[] = {{.name = "d_filter", .role = RFT_BUFFER_INPUT},
                            {.name = "ns::k", .type = RFT_TYPE_F64, .count = 4, .role = RFT_BUFFER_CONSTANT}};
    rft_point_spec spec = {.buffers = buffers, .buffer_count = 1};
    assert_ptr_equal(rft_constants_unfilled(&spec, zeros, 5), &zeros[1]);
    spec.buffer_count = 2;
    assert_ptr_equal(rft_constants_unfilled(&spec, zeros, 5), &zeros[4]);
    assert_null(rft_constants_unfilled(&spec, zeros, 4));
}

static void names_are_those_of_the_source(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"d_filter", "d_filter"},
        {"_ZN2ns8d_filterE", "ns::d_filter"},
        {"_ZL8d_filter", "d_filter"},
        {"_ZN2nsL1xE", "ns::x"},
        {"_ZN39_INTERNAL_00000000_4_a_cu_480e3a35_16872ns41_GLOBAL__N__00000000_4_a_cu_480e3a35_16873hidE", "ns::hid"},
        {"_ZN12_GLOBAL__N_18d_filterE", "d_filter"},
        {"_Z4coefILi4EE", "_Z4coefILi4EE"},
        {"_ZN2ns9d_filterE", "_ZN2ns9d_filterE"},
        {"_ZN12_GLOBAL__N_1E", "_ZN12_GLOBAL__N_1E"},
        {"_ZN", "_ZN"},
        {"_Z99999999999999999999x", "_Z99999999999999999999x"},
        {"", ""},
    };
    rft_arena *arena = rft_arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(rft_mangled_variable(cases[i][0], arena), cases[i][1]);
    }
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_fits_is_taken), cmocka_unit_test(what_does_not_is_told),
                                       cmocka_unit_test(what_nothing_fills_is_found),
                                       cmocka_unit_test(names_are_those_of_the_source)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
