/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/measure_fixture.h"
#include "support/plain_reference.h"

#include <math.h>
#include <string.h>

/* Arguments: acc, in, out, scratch. */
static void run_good(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu, (void)self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0f * in[i] + acc[i];
        acc[i] += 1.0f;
    }
}

/* acc, in, out, n: fp64 as model/sweep/spec.h says. */
static void run_reference(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu, (void)self;
    double *acc = RFT_SCRIPTED_POINTER(launch, 0, double), *out = RFT_SCRIPTED_POINTER(launch, 2, double);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    int64_t n = RFT_SCRIPTED_ARG(launch, 3, int64_t);
    for (int64_t i = 0; i < n; i++) {
        out[i] = 2.0 * in[i] + acc[i];
        acc[i] += 1.0;
    }
}

static void make_spec(fixture *f) {
    static const char *const names[] = {"acc", "in", "out", "scratch"};
    static const rft_buffer_role roles[] = {RFT_BUFFER_INOUT, RFT_BUFFER_INPUT, RFT_BUFFER_OUTPUT, RFT_BUFFER_TEMP};
    for (size_t i = 0; i < BUFFER_COUNT; i++) {
        f->buffers[i] = (rft_buffer){.name = names[i], .type = RFT_TYPE_F32, .count = ELEMENTS, .role = roles[i]};
        if (roles[i] == RFT_BUFFER_INPUT || roles[i] == RFT_BUFFER_INOUT) {
            f->buffers[i].fill = (rft_fill){.kind = RFT_FILL_UNIFORM, .low = -1.0, .high = 1.0};
        }
        f->args[i] = (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = i};
    }
    for (size_t i = 0; i < 3; i++) {
        f->launches[i] = (rft_launch){.kind = RFT_LAUNCH_KERNEL,
                                      .args = f->args,
                                      .arg_count = BUFFER_COUNT,
                                      .grid = {8, 1, 1},
                                      .block = {128, 1, 1},
                                      .cluster = {1, 1, 1}};
    }
    f->problem[0] = rft_value_int(ELEMENTS);
    f->spec = (rft_point_spec){.buffers = f->buffers,
                               .buffer_count = BUFFER_COUNT,
                               .launches = f->launches,
                               .launch_count = 1,
                               .check = {.tol = NAN, .length = 1.0},
                               .traffic = rft_traffic_unknown()};
}

static void compile(fixture *f, const char *name, rft_compile_result *out) {
    rft_compile_request request = {
        .source_name = "test.cu", .source_text = "", .names = &name, .name_count = 1, .arch = "sm_90a"};
    assert_int_equal(f->compiler->compile(f->compiler, &request, f->arena, out, &f->err), 0);
}

void fixture_start(fixture *f, const rft_scripted_opts *opts) {
    *f = (fixture){.arena = rft_arena_new()};
    f->scripted = rft_scripted_gpu_new(opts);
    f->gpu = rft_scripted_gpu_device(f->scripted);
    f->compiler = rft_scripted_compiler_new();
    rft_scripted_gpu_kernel(f->scripted, "good", run_good, NULL);
    rft_scripted_gpu_kernel(f->scripted, "reference", run_reference, NULL);
    assert_int_equal(
        rft_protocol_new(&f->probe, f->gpu, f->compiler, rft_scripted_gpu_clock(f->scripted), NULL, &f->err), 0);
    make_spec(f);
    compile(f, "reference", &f->reference);
    f->request = (rft_probe_request){.spec = &f->spec,
                                     .unit = &f->unit,
                                     .reference = &f->reference,
                                     .problem_key = "n=1000",
                                     .measure = RFT_MEASURE_OPTS_INIT};
}

void fixture_stop(fixture *f) {
    f->probe->free(f->probe);
    f->compiler->free(f->compiler);
    rft_scripted_gpu_free(f->scripted);
    rft_arena_free(f->arena);
}

void fixture_type(fixture *f, rft_type type) {
    for (size_t i = 0; i < BUFFER_COUNT; i++) {
        f->buffers[i].type = type;
    }
}

void fixture_compile(fixture *f, const char *name) {
    compile(f, name, &f->unit);
    for (size_t i = 0; i < f->spec.launch_count; i++) {
        if (f->spec.launches[i].kind == RFT_LAUNCH_KERNEL) {
            f->spec.launches[i].entry = name;
        }
    }
}

void fixture_reference(fixture *f, const char *name) {
    const rft_reference_dims dims = {.values = f->problem, .count = 1};
    f->spec.check.reference = plain_reference(&f->spec, name, &dims, f->arena);
}

int fixture_measure(fixture *f, const char *name) {
    fixture_compile(f, name);
    fixture_reference(f, "reference");
    return f->probe->measure(f->probe, &f->request, f->arena, &f->result, &f->err);
}

rft_outcome fixture_outcome(fixture *f, const char *name) {
    int rc = fixture_measure(f, name);
    if (rc != 0) {
        print_error("%s\n", f->err.message);
    }
    assert_int_equal(rc, 0);
    return f->result.outcome;
}
