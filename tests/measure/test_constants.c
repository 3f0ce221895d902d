/* SPDX-License-Identifier: Apache-2.0 */
/* Constants: what variables of the code hold before anything runs, in kernels and references. */
#include "measure/measure_fixture.h"

#include "base/str.h"

#include <string.h>

#define CONSTANT BUFFER_COUNT

typedef struct variables {
    float scale;      /* __constant__ */
    float weights[4]; /* __device__, in a namespace */
} variables;

typedef struct constants_fixture {
    fixture f;
    variables memory;
    rft_buffer buffers[BUFFER_COUNT + 2];
    bool writes; /* the kernel writes to a variable */
} constants_fixture;

static const char declarations[] = "// .const .f32 nothing;\n"
                                   ".visible .const .align 4 .f32 scale;\n"
                                   ".visible .global .align 4 .b8 _ZN2ns7weightsE[16] = {1, 2};\n"
                                   ".visible .entry k() { .const .f32 inner; }\n";

/* out = in * scale + weights[i % 4]; acc is as the reference wants it. */
static void run_scaled(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    constants_fixture *c = self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = in[i] * c->memory.scale + c->memory.weights[i % 4];
        acc[i] += 1.0f;
    }
    c->memory.weights[3] += c->writes ? 1.0f : 0.0f;
}

static void run_scaled_reference(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    const constants_fixture *c = self;
    double *acc = RFT_SCRIPTED_POINTER(launch, 0, double), *out = RFT_SCRIPTED_POINTER(launch, 2, double);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    assert_int_equal(RFT_SCRIPTED_ARG(launch, 3, int64_t), ELEMENTS); /* constants are no arguments */
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = (double)in[i] * 3.0 + c->memory.weights[i % 4];
        acc[i] += 1.0;
    }
}

static void add_declarations(fixture *f, rft_compile_result *code) {
    rft_str text = RFT_STR_INIT;
    rft_str_add_n(&text, code->cubin, code->cubin_bytes);
    rft_str_add(&text, declarations);
    code->cubin = rft_arena_strdup(f->arena, rft_str_get(&text));
    code->cubin_bytes = text.length;
    rft_str_clear(&text);
}

static void start(constants_fixture *c) {
    *c = (constants_fixture){0};
    fixture *f = &c->f;
    fixture_start(f, NULL);
    memcpy(c->buffers, f->buffers, sizeof f->buffers);
    c->buffers[CONSTANT] = (rft_buffer){.name = "ns::weights",
                                        .type = RFT_TYPE_F32,
                                        .count = 4,
                                        .role = RFT_BUFFER_CONSTANT,
                                        .fill = {.kind = RFT_FILL_UNIFORM, .low = 1.0, .high = 2.0}};
    c->buffers[CONSTANT + 1] = (rft_buffer){.name = "scale",
                                            .type = RFT_TYPE_F32,
                                            .count = 1,
                                            .role = RFT_BUFFER_CONSTANT,
                                            .fill = {.kind = RFT_FILL_GIVEN, .identity = "00004040"}}; /* 3 */
    f->spec.buffers = c->buffers;
    f->spec.buffer_count = BUFFER_COUNT + 2;
    rft_scripted_gpu_variable(f->scripted, "scale", &c->memory.scale, sizeof c->memory.scale);
    rft_scripted_gpu_variable(f->scripted, "_ZN2ns7weightsE", c->memory.weights, sizeof c->memory.weights);
    rft_scripted_gpu_kernel(f->scripted, "scaled", run_scaled, c);
    rft_scripted_gpu_kernel(f->scripted, "reference", run_scaled_reference, c);
    add_declarations(f, &f->reference);
    fixture_compile(f, "scaled");
    add_declarations(f, &f->unit);
}

static rft_outcome measure(constants_fixture *c) {
    fixture_reference(&c->f, "reference");
    assert_int_equal(c->f.probe->measure(c->f.probe, &c->f.request, c->f.arena, &c->f.result, &c->f.err), 0);
    return c->f.result.outcome;
}

static void they_are_there_before_anything_runs(void **state) {
    (void)state;
    constants_fixture c;
    start(&c);
    assert_int_equal(measure(&c), RFT_OUTCOME_OK);
    assert_true(c.memory.scale == 3.0f);
    float first = c.memory.weights[0];
    assert_true(first >= 1.0f && first < 2.0f && first != c.memory.weights[1]);
    /* Another module's variables begin as its code has them. */
    memset(&c.memory, 0, sizeof c.memory);
    c.f.request.verified = true;
    assert_int_equal(measure(&c), RFT_OUTCOME_OK);
    assert_true(c.memory.scale == 3.0f && c.memory.weights[0] == first);
    fixture_stop(&c.f);
}

static void rotating_copies_leave_them(void **state) {
    (void)state;
    constants_fixture c;
    start(&c);
    c.f.request.measure.cache = RFT_CACHE_ROTATING;
    assert_int_equal(measure(&c), RFT_OUTCOME_OK);
    assert_true(c.memory.scale == 3.0f);
    fixture_stop(&c.f);
}

static void a_kernel_may_not_write_them(void **state) {
    (void)state;
    constants_fixture c;
    start(&c);
    c.writes = true;
    assert_int_equal(measure(&c), RFT_OUTCOME_WRONG_RESULT);
    assert_string_equal(c.f.result.reason, "the kernel wrote to its constant ns::weights");
    fixture_stop(&c.f);
}

static void what_is_not_there_fails(void **state) {
    (void)state;
    constants_fixture c;
    start(&c);
    c.buffers[CONSTANT].count = 5;
    assert_int_equal(measure(&c), RFT_OUTCOME_LAUNCH_FAILED);
    assert_string_equal(c.f.result.reason, "constant ns::weights has 16 bytes, 20 are given");
    c.buffers[CONSTANT].count = 4;
    c.buffers[CONSTANT].name = "ns::inner";
    assert_int_equal(measure(&c), RFT_OUTCOME_LAUNCH_FAILED);
    assert_string_equal(c.f.result.reason, "the code has no variable ns::inner");
    fixture_stop(&c.f);
}

/* The reference's results are of these constants: with others it runs again. */
static void the_reference_follows(void **state) {
    (void)state;
    constants_fixture c;
    start(&c);
    assert_int_equal(measure(&c), RFT_OUTCOME_OK);
    assert_int_equal(measure(&c), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_launches(c.f.scripted, "reference"), 1);
    c.buffers[CONSTANT].fill.high = 8.0;
    assert_int_equal(measure(&c), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_launches(c.f.scripted, "reference"), 2);
    c.buffers[CONSTANT + 1].fill.identity = "00004041"; /* not what the reference multiplies by */
    assert_int_equal(measure(&c), RFT_OUTCOME_WRONG_RESULT);
    assert_int_equal(rft_scripted_launches(c.f.scripted, "reference"), 3);
    c.f.spec.buffer_count = BUFFER_COUNT + 1;
    measure(&c);
    assert_int_equal(rft_scripted_launches(c.f.scripted, "reference"), 4);
    fixture_stop(&c.f);
}

/* The host code of a filter copies one array to a buffer for the plain kernel, and to a variable of the same name. */
static void a_buffer_may_have_their_name(void **state) {
    (void)state;
    constants_fixture c;
    start(&c);
    rft_buffer *in = &c.buffers[1];
    assert_string_equal(in->name, "in");
    in->name = "scale";
    assert_int_equal(measure(&c), RFT_OUTCOME_OK);
    assert_true(c.memory.scale == 3.0f);
    assert_int_equal(rft_scripted_launches(c.f.scripted, "reference"), 1);
    fixture_stop(&c.f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_there_before_anything_runs),
        cmocka_unit_test(rotating_copies_leave_them),
        cmocka_unit_test(a_kernel_may_not_write_them),
        cmocka_unit_test(what_is_not_there_fails),
        cmocka_unit_test(the_reference_follows),
        cmocka_unit_test(a_buffer_may_have_their_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
