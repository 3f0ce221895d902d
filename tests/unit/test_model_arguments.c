/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch gives against what a kernel takes: what is refused, in which words, and what must not be. */
#include "model_fixture.h"

#include "model/sweep/arguments.h"
#include "support/plain_reference.h"

#include <string.h>

enum { X, Y, H, BYTES, INDEX, PACKED, SCRATCH, BUFFERS };

static rft_buffer buffers[BUFFERS] = {
    [X] = {"x", RFT_TYPE_F32, 64, RFT_BUFFER_INPUT, {0}},
    [Y] = {"y", RFT_TYPE_F32, 64, RFT_BUFFER_INOUT, {0}},
    [H] = {"h", RFT_TYPE_F16, 64, RFT_BUFFER_INPUT, {0}},
    [BYTES] = {"bytes", RFT_TYPE_I8, 64, RFT_BUFFER_INPUT, {0}},
    [INDEX] = {"index", RFT_TYPE_I32, 64, RFT_BUFFER_INPUT, {0}},
    [PACKED] = {"packed", RFT_TYPE_U32, 64, RFT_BUFFER_INPUT, {0}},
    [SCRATCH] = {"scratch", RFT_TYPE_F32, 64, RFT_BUFFER_TEMP, {0}},
};

static rft_arg buffer(size_t index) {
    return (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = index};
}

static rft_arg map(size_t index) {
    return (rft_arg){.kind = RFT_ARG_TENSOR_MAP, .buffer = index};
}

static rft_arg whole(rft_type type, int64_t value) {
    rft_arg arg = {.kind = RFT_ARG_SCALAR, .type = type};
    memcpy(arg.scalar, &value, rft_type_bytes(type));
    return arg;
}

static rft_arg real(float value) {
    rft_arg arg = {.kind = RFT_ARG_SCALAR, .type = RFT_TYPE_F32};
    memcpy(arg.scalar, &value, sizeof value);
    return arg;
}

static void expect(const char *symbol, const rft_arg *args, size_t count, const char *wanted) {
    rft_arena *arena = rft_arena_new();
    rft_point_spec spec = {.buffers = buffers, .buffer_count = BUFFERS};
    rft_launch launch = {.args = (rft_arg *)(uintptr_t)args, .arg_count = count};
    rft_signature takes;
    rft_signature_read(&takes, "k", symbol, NULL, 0);
    assert_true(takes.count >= 0);
    const char *wrong = rft_arguments_wrong(&spec, &launch, &takes, arena);
    if ((wrong == NULL) != (wanted == NULL) || (wanted && strcmp(wrong, wanted) != 0)) {
        fail_msg("%s: %s", symbol, wrong ? wrong : "nothing is wrong");
    }
    rft_arena_free(arena);
}

#define EXPECT(symbol, wanted, ...)                                                                                    \
    expect(symbol, (rft_arg[]){__VA_ARGS__}, sizeof((rft_arg[]){__VA_ARGS__}) / sizeof(rft_arg), wanted)

static rft_arg structure(uint64_t bytes) {
    return (rft_arg){.kind = RFT_ARG_STRUCT, .bytes = bytes, .layout = "i32 at 0, x at 8"};
}

/* Of a struct's type a symbol has the name alone: its size is in the cubin. */
static const char *judge_sized(const char *symbol, uint32_t bytes, rft_arg arg, rft_arena *arena) {
    rft_point_spec spec = {.buffers = buffers, .buffer_count = BUFFERS};
    rft_launch launch = {.args = &arg, .arg_count = 1};
    rft_signature takes;
    rft_signature_read(&takes, "k", symbol, &bytes, bytes ? 1 : 0);
    return rft_arguments_wrong(&spec, &launch, &takes, arena);
}

static void structs_are_compared_by_size(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    assert_null(judge_sized("_Z1k1P", 16, structure(16), arena));
    assert_null(judge_sized("_Z1k1P", 0, structure(16), arena));
    assert_null(judge_sized("k", 16, structure(16), arena));
    static const char fields[] = "; give it the kernel's fields, in their order";
    const char *wrong = judge_sized("_Z1k1P", 24, structure(16), arena);
    assert_string_equal(wrong, rft_arena_printf(arena,
                                                "argument 1 of k is a struct of 16 bytes (i32 at 0, x at 8): it takes "
                                                "24 bytes%s",
                                                fields));
    wrong = judge_sized("k", 8, structure(16), arena);
    assert_non_null(strstr(wrong, "it takes 8 bytes"));
    wrong = judge_sized("_Z1kf", 4, structure(4), arena);
    assert_non_null(strstr(wrong, "it takes float, 4 bytes; write f32(...)"));
    wrong = judge_sized("_Z1kPf", 8, structure(8), arena);
    assert_non_null(strstr(wrong, "it takes float *; give a buffer, like b.x"));
    wrong = judge_sized("_Z1k1P", 24, whole(RFT_TYPE_I32, 1), arena);
    assert_string_equal(
        wrong, "argument 1 of k is i32(1), 4 bytes: it takes 24 bytes; a struct is written struct { i32(...), b.x }");
    rft_arena_free(arena);
}

static void wrong_arguments_are_told(void **state) {
    (void)state;
    EXPECT("_Z1kPKfPffx", "argument 4 of k is i32(7), 4 bytes: it takes long long, 8 bytes; write i64(...)", buffer(X),
           buffer(Y), real(2), whole(RFT_TYPE_I32, 7));
    EXPECT("_Z1kPKfPffx", "argument 3 of k is i64(7), 8 bytes: it takes float, 4 bytes; arguments 3 and 4 are swapped?",
           buffer(X), buffer(Y), whole(RFT_TYPE_I64, 7), real(2));
    EXPECT("_Z1kPKfPffx", "k takes 4 parameters, 3 are given: x, y, one i64", buffer(X), buffer(Y),
           whole(RFT_TYPE_I64, 7));
    EXPECT("_Z1kPKd",
           "argument 1 of k is the buffer x of f32: it takes double *; declare the buffer as f64, or write float * in "
           "the kernel",
           buffer(X));
    EXPECT("_Z1kPK13__nv_bfloat16",
           "argument 1 of k is the buffer h of f16: it takes __nv_bfloat16 *; declare the buffer as bf16, or write "
           "__half * in the kernel",
           buffer(H));
    EXPECT("_Z1kPfPi", "argument 1 of k is the buffer index of i32: it takes float *; arguments 1 and 2 are swapped?",
           buffer(INDEX), buffer(X));
    EXPECT("_Z1kPfi", "argument 1 of k is i32(-7), 4 bytes: it takes float *; arguments 1 and 2 are swapped?",
           whole(RFT_TYPE_I32, -7), buffer(X));
    EXPECT("_Z1kf", "argument 1 of k is the buffer x of f32: it takes float, 4 bytes", buffer(X));
    EXPECT("_Z1ki", "argument 1 of k is i64(4294967296), 8 bytes: it takes int, 4 bytes; write i32(...)",
           whole(RFT_TYPE_I64, (int64_t)1 << 32));
    EXPECT("_Z1kPf", "argument 1 of k is a tensor map of x: it takes float *", map(X));
}

/* Three that could each change places name none. */
static void a_swap_is_named_only_where_it_is_the_only_one(void **state) {
    (void)state;
    EXPECT("_Z1kfii", "argument 1 of k is i32(1), 4 bytes: it takes float, 4 bytes; write f32(...)",
           whole(RFT_TYPE_I32, 1), real(2), real(2));
}

static void what_can_be_right_is_passed_over(void **state) {
    (void)state;
    EXPECT("_Z1kPKfPffx", NULL, buffer(X), buffer(Y), real(2), whole(RFT_TYPE_I64, 7));
    EXPECT("_Z1kPKfPffx", NULL, buffer(X), buffer(Y), real(2), whole(RFT_TYPE_U64, 7), whole(RFT_TYPE_I32, 1));
    EXPECT("_Z1kPKvPcPhPjPyPi", NULL, buffer(X), buffer(X), buffer(X), buffer(X), buffer(X), buffer(BYTES));
    EXPECT("_Z1kP6float4P5__mapPPf", NULL, buffer(X), buffer(X), buffer(X));
    EXPECT("_Z1kPKfPdPK6__half", NULL, buffer(BYTES), buffer(SCRATCH), buffer(PACKED));
    EXPECT("_Z1kPjjmhb", NULL, buffer(INDEX), whole(RFT_TYPE_I32, 7), buffer(X), whole(RFT_TYPE_I8, -1),
           whole(RFT_TYPE_U8, 1));
    EXPECT("_Z1kiijPf", NULL, whole(RFT_TYPE_I64, 7), whole(RFT_TYPE_I64, -7), whole(RFT_TYPE_I64, 0xFFFFFFFF),
           whole(RFT_TYPE_I64, 0));
    EXPECT("_Z1kffid", NULL, whole(RFT_TYPE_U32, 0x3F800000), whole(RFT_TYPE_I32, 0), real(0), whole(RFT_TYPE_I64, 0));
    EXPECT("_Z1k4mode4packS_", NULL, whole(RFT_TYPE_I32, 7), buffer(X), map(X));
    EXPECT("_Z1k14CUtensorMap_st", NULL, map(X));
}

static const char *doubt(const char *symbol, rft_arg arg, rft_arena *arena) {
    rft_point_spec spec = {.buffers = buffers, .buffer_count = BUFFERS};
    rft_launch launch = {.args = &arg, .arg_count = 1};
    rft_signature takes;
    rft_signature_read(&takes, "k", symbol, NULL, 0);
    assert_null(rft_arguments_wrong(&spec, &launch, &takes, arena));
    return rft_arguments_other_type(&spec, &launch, &takes, arena);
}

static rft_arg cast(size_t index, rft_type type) {
    return (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = index, .type = type, .is_cast = true};
}

static void what_passes_and_is_seldom_meant_is_told(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    assert_string_equal(
        doubt("_Z1kPKj", buffer(X), arena),
        "argument 1 of k is the buffer x of f32: it takes unsigned int *; declare the buffer as u32, or "
        "write float * in the kernel; where the bits are meant, give b.x:as(u32)");
    assert_non_null(doubt("_Z1kPi", buffer(X), arena));
    assert_non_null(doubt("_Z1kPf", buffer(PACKED), arena)); /* whole numbers for reals */
    assert_non_null(doubt("_Z1kPs", buffer(H), arena));
    assert_non_null(doubt("_Z1kPs", buffer(INDEX), arena)); /* half of each */
    assert_non_null(doubt("_Z1kPb", buffer(X), arena));
    assert_null(doubt("_Z1kPj", cast(X, RFT_TYPE_U32), arena));
    assert_null(doubt("_Z1kPj", buffer(INDEX), arena));
    assert_null(doubt("_Z1kPj", buffer(H), arena));  /* packed by two */
    assert_null(doubt("_Z1kPKh", buffer(X), arena)); /* bytes to copy */
    assert_null(doubt("_Z1kPv", buffer(X), arena));
    assert_null(doubt("_Z1kPj", buffer(SCRATCH), arena));
    assert_null(doubt("_Z1kPb", buffer(BYTES), arena));
    rft_arg index_as_real = cast(INDEX, RFT_TYPE_F32); /* refused without */
    assert_null(doubt("_Z1kPf", index_as_real, arena));
    rft_arena_free(arena);
}

static void sizes_tell_what_symbols_do_not(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_arg args[] = {buffer(X), whole(RFT_TYPE_I32, 7)};
    rft_point_spec spec = {.buffers = buffers, .buffer_count = BUFFERS};
    rft_launch launch = {.args = args, .arg_count = 2};
    rft_signature takes;
    rft_signature_read(&takes, "k", "k", (uint32_t[]){8, 8}, 2);
    assert_string_equal(
        rft_arguments_wrong(&spec, &launch, &takes, arena),
        "argument 2 of k is i32(7), 4 bytes: it takes 8 bytes; give it a type of 8 bytes, or struct { ... }");
    rft_signature_read(&takes, "k", "k", (uint32_t[]){4, 4}, 2);
    assert_string_equal(rft_arguments_wrong(&spec, &launch, &takes, arena),
                        "argument 1 of k is the buffer x of f32: it takes 4 bytes");
    rft_signature_read(&takes, "k", "k", (uint32_t[]){8, 4, 4}, 3);
    assert_string_equal(rft_arguments_wrong(&spec, &launch, &takes, arena),
                        "k takes 3 parameters, 2 are given: x, one i32");
    rft_signature_read(&takes, "k", "k", (uint32_t[]){8, 4}, 2);
    assert_null(rft_arguments_wrong(&spec, &launch, &takes, arena));
    rft_signature_read(&takes, "k", "k", NULL, 0);
    assert_int_equal(takes.count, -1);
    assert_null(rft_arguments_wrong(&spec, &launch, &takes, arena));
    rft_arena_free(arena);
}

static void expect_reference(const char *symbol, const rft_value *problem, const char *wanted) {
    rft_arena *arena = rft_arena_new();
    const rft_point_spec spec = {.buffers = buffers, .buffer_count = 2};
    const rft_reference_dims dims = {.values = problem, .count = 1};
    const rft_point_spec *reference = plain_reference(&spec, "ref", &dims, arena);
    rft_signature takes;
    rft_signature_read(&takes, "ref", symbol, NULL, 0);
    const char *wrong = rft_arguments_wrong(reference, reference->launches, &takes, arena);
    if ((wrong == NULL) != (wanted == NULL) || (wanted && strcmp(wrong, wanted) != 0)) {
        fail_msg("%s: %s", symbol, wrong ? wrong : "nothing is wrong");
    }
    rft_arena_free(arena);
}

static void references_are_held_to_their_order(void **state) {
    (void)state;
    rft_value n = rft_value_int(7), half = rft_value_real(0.5);
    expect_reference("_Z3refPKfPdx", &n, NULL);
    expect_reference("_Z3refPKfPdi", &n, NULL); /* its lower half */
    expect_reference("_Z3refPKfPd", &n, NULL);  /* what is not taken is not read */
    expect_reference("_Z3refPKfPfx", &n,
                     "argument 2 of ref is the buffer y of f64, as outputs go to the reference: it takes float *; "
                     "write double * there");
    expect_reference("_Z3refxPKfPd", &n,
                     "argument 1 of ref is the buffer x of f32: it takes long long, 8 bytes; write float * there");
    expect_reference("_Z3refPKfPdxx", &n, "ref takes 4 parameters, 3 are given: x, y, one i64");
    expect_reference("_Z3refPKfPdf", &half,
                     "argument 3 of ref is f64(...), 8 bytes: it takes float, 4 bytes; write double there");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structs_are_compared_by_size),
        cmocka_unit_test(wrong_arguments_are_told),
        cmocka_unit_test(a_swap_is_named_only_where_it_is_the_only_one),
        cmocka_unit_test(what_can_be_right_is_passed_over),
        cmocka_unit_test(what_passes_and_is_seldom_meant_is_told),
        cmocka_unit_test(sizes_tell_what_symbols_do_not),
        cmocka_unit_test(references_are_held_to_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
