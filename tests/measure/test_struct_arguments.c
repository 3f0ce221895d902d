/* SPDX-License-Identifier: Apache-2.0 */
/* Structs by value: bytes and addresses as the kernel gets them, on every copy of the buffers. */
#include "measure/measure_fixture.h"

#include <string.h>

typedef struct arguments {
    int32_t twos;
    rft_device_ptr in;
    struct {
        float factor;
        rft_device_ptr out;
    } inner;
} arguments;

static const char bytes_text[] = "020000000000000000000000000000000000004000000000"
                                 "0000000000000000";

static rft_device_ptr seen_in[2]; /* the first, and the last other one */

static void run_struct(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu, (void)self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float);
    const arguments *a = launch->values[1];
    const float *in = (const float *)(uintptr_t)a->in;
    float *out = (float *)(uintptr_t)a->inner.out;
    assert_int_equal(a->twos, 2);
    seen_in[0] = seen_in[0] ? seen_in[0] : a->in;
    seen_in[1] = a->in != seen_in[0] ? a->in : seen_in[1];
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = a->inner.factor * in[i] + acc[i];
        acc[i] += 1.0f;
    }
}

static void start(fixture *f, rft_arg fields[2]) {
    fixture_start(f, NULL);
    memset(seen_in, 0, sizeof seen_in);
    rft_scripted_gpu_kernel(f->scripted, "structured", run_struct, NULL);
    fields[0] = (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = BUFFER_IN, .at = offsetof(arguments, in)};
    fields[1] = (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = BUFFER_OUT, .at = offsetof(arguments, inner.out)};
    f->args[1] = (rft_arg){.kind = RFT_ARG_STRUCT,
                           .hex = bytes_text,
                           .bytes = sizeof(arguments),
                           .layout = "",
                           .fields = fields,
                           .field_count = 2};
    f->launches[0].arg_count = 2;
}

static void a_struct_arrives_whole(void **state) {
    (void)state;
    fixture f;
    rft_arg fields[2];
    start(&f, fields);
    assert_int_equal(sizeof bytes_text - 1, 2 * sizeof(arguments));
    assert_int_equal(fixture_outcome(&f, "structured"), RFT_OUTCOME_OK);
    assert_true(seen_in[0] != 0 && seen_in[1] == 0);
    fixture_stop(&f);
}

static void its_addresses_follow_the_copies(void **state) {
    (void)state;
    fixture f;
    rft_arg fields[2];
    start(&f, fields);
    f.request.measure.cache = RFT_CACHE_ROTATING;
    assert_int_equal(fixture_outcome(&f, "structured"), RFT_OUTCOME_OK);
    assert_true(seen_in[1] != 0);
    fixture_stop(&f);
}

/* Of code that the coordinator cannot read the driver knows the sizes. */
static void another_size_is_no_launch(void **state) {
    (void)state;
    static const uint32_t sizes[] = {8, 40};
    fixture f;
    rft_arg fields[2];
    start(&f, fields);
    rft_scripted_gpu_params(f.scripted, "structured", 2);
    assert_int_equal(fixture_outcome(&f, "structured"), RFT_OUTCOME_OK);
    rft_scripted_gpu_param_sizes(f.scripted, "structured", sizes);
    assert_int_equal(fixture_outcome(&f, "structured"), RFT_OUTCOME_LAUNCH_FAILED);
    assert_string_equal(f.result.reason, "argument 2 of structured is a struct of 32 bytes (empty): it takes 40 bytes; "
                                         "give it the kernel's fields, in their order");
    fixture_stop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_struct_arrives_whole),
                                       cmocka_unit_test(its_addresses_follow_the_copies),
                                       cmocka_unit_test(another_size_is_no_launch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
