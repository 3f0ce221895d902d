/* SPDX-License-Identifier: Apache-2.0 */
/* References of other shapes than one thread an element: geometry, several launches with scratch, a variant. */
#include "measure/measure_fixture.h"
#include "model/sweep/reference_spec.h"

#include <math.h>
#include <string.h>

typedef struct seen {
    unsigned grid, block, shared;
    const void *scratch;
    int error; /* added to what is right, in whole units */
    bool writes_behind, writes_input;
} seen;

/* acc, in, out, scratch: scratch = 2 in. */
static void run_first(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    seen *s = self;
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    double *scratch = RFT_SCRIPTED_POINTER(launch, 3, double);
    s->scratch = scratch;
    assert_true(isnan(scratch[0]));
    for (int i = 0; i < ELEMENTS + s->writes_behind; i++) {
        scratch[i] = 2.0 * (i < ELEMENTS ? in[i] : 0.0);
    }
}

/* out = scratch + acc, acc += 1. */
static void run_second(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    seen *s = self;
    double *acc = RFT_SCRIPTED_POINTER(launch, 0, double), *out = RFT_SCRIPTED_POINTER(launch, 2, double);
    const double *scratch = RFT_SCRIPTED_POINTER(launch, 3, const double);
    s->grid = launch->grid[0];
    s->block = launch->block[1];
    s->shared = launch->shared_bytes;
    assert_ptr_equal(scratch, s->scratch);
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = scratch[i] + acc[i] + s->error;
        acc[i] += 1.0;
    }
    if (s->writes_input) {
        RFT_SCRIPTED_POINTER(launch, 1, float)[7] += 1.0f;
    }
}

/* As "good", but for the error. */
static void run_naive(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    const seen *s = self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0f * in[i] + acc[i] + (float)s->error;
        acc[i] += 1.0f;
    }
}

static rft_compile_result compiled(fixture *f, const char *const *names, size_t count) {
    rft_compile_result result;
    rft_compile_request request = {
        .source_name = "r.cu", .source_text = "", .names = names, .name_count = count, .arch = "sm_90a"};
    assert_int_equal(f->compiler->compile(f->compiler, &request, f->arena, &result, &f->err), 0);
    return result;
}

/* Two launches with a temp buffer of doubles between them. */
static void use_steps(fixture *f, seen *s) {
    static const char *const names[] = {"first", "second"};
    rft_point_spec *reference = rft_reference_spec_new(&f->spec, "r.cu", f->arena);
    assert_int_equal(reference->buffer_count, 3);
    reference->buffers[reference->buffer_count++] =
        (rft_buffer){.name = "s", .type = RFT_TYPE_F64, .count = ELEMENTS, .role = RFT_BUFFER_TEMP};
    rft_launch *launches = rft_arena_calloc(f->arena, 2, sizeof *launches);
    for (size_t i = 0; i < 2; i++) {
        launches[i] = (rft_launch){.kind = RFT_LAUNCH_KERNEL,
                                   .entry = names[i],
                                   .grid = {3, 1, 1},
                                   .block = {32, 4, 1},
                                   .shared_bytes = 512,
                                   .cluster = {1, 1, 1},
                                   .args = rft_arena_calloc(f->arena, 4, sizeof(rft_arg)),
                                   .arg_count = 4};
        for (size_t k = 0; k < 4; k++) {
            launches[i].args[k] = (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = k};
        }
    }
    reference->launches = launches;
    reference->launch_count = 2;
    f->spec.check.reference = reference;
    f->reference = compiled(f, names, 2);
    rft_scripted_gpu_kernel(f->scripted, "first", run_first, s);
    rft_scripted_gpu_kernel(f->scripted, "second", run_second, s);
    fixture_compile(f, "good");
}

/* The variant "naive", which has a reference of its own where `has_truth`. */
static void use_variant(fixture *f, seen *s, bool has_truth) {
    static const char *const naive = "naive", *const truth = "reference";
    fixture_compile(f, "good");
    rft_point_spec *reference = rft_arena_memdup(f->arena, &f->spec, sizeof f->spec);
    reference->told = "variant naive (BLOCK=64)";
    reference->is_variant = true;
    reference->launches = rft_arena_memdup(f->arena, f->launches, sizeof *f->launches);
    reference->launches[0].entry = naive;
    fixture_reference(f, truth);
    reference->check.reference = has_truth ? f->spec.check.reference : NULL;
    f->spec.check.reference = reference;
    f->reference = compiled(f, &naive, 1);
    rft_compile_result of_truth = compiled(f, &truth, 1);
    f->request.truth = has_truth ? rft_arena_memdup(f->arena, &of_truth, sizeof of_truth) : NULL;
    rft_scripted_gpu_kernel(f->scripted, "naive", run_naive, s);
}

static rft_outcome measure(fixture *f) {
    assert_int_equal(f->probe->measure(f->probe, &f->request, f->arena, &f->result, &f->err), 0);
    return f->result.outcome;
}

static void several_launches_with_scratch(void **state) {
    (void)state;
    fixture f;
    seen s = {0};
    fixture_start(&f, NULL);
    use_steps(&f, &s);
    assert_int_equal(measure(&f), RFT_OUTCOME_OK);
    assert_true(s.grid == 3 && s.block == 4 && s.shared == 512);
    uint64_t used = rft_scripted_memory_used(f.scripted);
    assert_int_equal(measure(&f), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_launches(f.scripted, "second"), 1); /* once a problem */
    f.request.problem_key = "again";
    assert_int_equal(measure(&f), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_memory_used(f.scripted), used); /* its scratch is given back */
    s.error = 1;
    f.request.problem_key = "wrong";
    assert_int_equal(measure(&f), RFT_OUTCOME_WRONG_RESULT);
    fixture_stop(&f);
}

static void it_must_keep_to_its_memory(void **state) {
    (void)state;
    fixture f;
    seen s = {.writes_behind = true};
    fixture_start(&f, NULL);
    use_steps(&f, &s);
    assert_int_equal(measure(&f), RFT_OUTCOME_WRONG_RESULT);
    assert_non_null(strstr(f.result.reason, "not verified: the reference r.cu wrote outside of s: 1 element behind"));
    s = (seen){.writes_input = true};
    assert_int_equal(measure(&f), RFT_OUTCOME_WRONG_RESULT);
    assert_string_equal(f.result.reason, "not verified: the reference r.cu wrote to the input in");
    assert_int_equal(rft_scripted_launches(f.scripted, "good"), 0);
    fixture_stop(&f);
}

static void what_cannot_run_is_told(void **state) {
    (void)state;
    fixture f;
    seen s = {0};
    fixture_start(&f, NULL);
    use_steps(&f, &s);
    rft_point_spec *reference = f.spec.check.reference;
    reference->buffers[3].count = 1u << 30;
    assert_int_equal(measure(&f), RFT_OUTCOME_SKIPPED);
    assert_non_null(strstr(f.result.reason, "needs 8"));
    reference->buffers[3].count = ELEMENTS;
    reference->launches[1].block[0] = 2048;
    assert_int_equal(measure(&f), RFT_OUTCOME_SKIPPED);
    assert_non_null(strstr(f.result.reason, "not verified: the reference r.cu: block of 2048 x 4 x 1"));
    reference->launches[1].block[0] = 32;
    rft_scripted_gpu_params(f.scripted, "second", 5);
    assert_int_equal(measure(&f), RFT_OUTCOME_LAUNCH_FAILED);
    assert_string_equal(f.result.reason, "not verified: the reference r.cu: second takes 5 parameters, 4 are given: "
                                         "acc, in, out, s");
    rft_scripted_gpu_params(f.scripted, "second", 4);
    rft_scripted_gpu_fault(f.scripted, "first", RFT_SCRIPTED_ILLEGAL, 0);
    assert_int_equal(measure(&f), RFT_OUTCOME_LAUNCH_FAILED);
    assert_non_null(strstr(f.result.reason, "the reference r.cu: "));
    fixture_stop(&f);
}

static void a_variant_is_the_truth(void **state) {
    (void)state;
    fixture f;
    seen s = {0};
    fixture_start(&f, NULL);
    use_variant(&f, &s, false);
    assert_int_equal(measure(&f), RFT_OUTCOME_OK);
    assert_int_equal(measure(&f), RFT_OUTCOME_OK);
    assert_true(f.result.verification.worst_frac == 0.0);
    assert_int_equal(rft_scripted_launches(f.scripted, "naive"), 1);
    s.error = 1;
    f.request.problem_key = "wrong";
    assert_int_equal(measure(&f), RFT_OUTCOME_WRONG_RESULT);
    assert_non_null(strstr(f.result.reason, ", the reference says "));
    fixture_stop(&f);
}

static void a_variant_is_verified_first(void **state) {
    (void)state;
    fixture f;
    seen s = {0};
    fixture_start(&f, NULL);
    use_variant(&f, &s, true);
    assert_int_equal(measure(&f), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_launches(f.scripted, "reference"), 1);
    assert_int_equal(rft_scripted_launches(f.scripted, "naive"), 1);
    unsigned good = rft_scripted_launches(f.scripted, "good");
    s.error = 1;
    f.request.problem_key = "wrong";
    assert_int_equal(measure(&f), RFT_OUTCOME_WRONG_RESULT);
    assert_non_null(
        strstr(f.result.reason, "not verified: the reference variant naive (BLOCK=64) is wrong itself: out["));
    assert_int_equal(rft_scripted_launches(f.scripted, "good"), good);
    s.error = 0;
    f.request.truth = NULL;
    assert_int_equal(measure(&f), RFT_OUTCOME_WRONG_RESULT);
    assert_non_null(strstr(f.result.reason, "there is no reference"));
    fixture_stop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_launches_with_scratch), cmocka_unit_test(it_must_keep_to_its_memory),
        cmocka_unit_test(what_cannot_run_is_told),       cmocka_unit_test(a_variant_is_the_truth),
        cmocka_unit_test(a_variant_is_verified_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
