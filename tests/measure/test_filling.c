/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that the sweep's own kernels fill, and inputs from files: what they hold, and who is told of what they do
 * wrong.
 */
#include "measure/measure_fixture.h"

#include "base/npy.h"
#include "measure/protocol_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES_FRONT 128

/* in[i] = i % 7 + first[0] where `first` is acc's original; acc[i] = seed % 5. */
typedef struct filling {
    fixture f;
    rft_filler fills[2];
    rft_arg args[2][5];
    rft_compile_result codes[2];
    const rft_compile_result *of_buffers[BUFFER_COUNT];
    int runs[2];
    uint64_t seeds[2];
    bool writes_outside, writes_nan, is_uneven;
} filling;

static void fill_acc(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    filling *t = self;
    float *out = RFT_SCRIPTED_POINTER(launch, 0, float);
    t->runs[BUFFER_ACC]++;
    t->seeds[BUFFER_ACC] = RFT_SCRIPTED_ARG(launch, 2, uint64_t);
    for (uint64_t i = 0; i < RFT_SCRIPTED_ARG(launch, 1, uint64_t); i++) {
        out[i] = (float)(t->seeds[BUFFER_ACC] % 5);
    }
}

static void fill_in(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    filling *t = self;
    float *out = RFT_SCRIPTED_POINTER(launch, 0, float), *first = RFT_SCRIPTED_POINTER(launch, 3, float);
    uint64_t count = RFT_SCRIPTED_ARG(launch, 1, uint64_t);
    t->runs[BUFFER_IN]++;
    t->seeds[BUFFER_IN] = RFT_SCRIPTED_ARG(launch, 2, uint64_t);
    assert_int_equal(RFT_SCRIPTED_ARG(launch, 4, int32_t), 7);
    for (uint64_t i = 0; i < count; i++) {
        out[i] = (float)(i % 7) + first[0];
    }
    out[0] += t->is_uneven ? (float)t->runs[BUFFER_IN] : 0.0f;
    out[5] = t->writes_nan ? NAN : out[5];
    if (t->writes_outside) {
        out[count] = 1.0f;
    }
}

static void compile_fill(filling *t, size_t which, const char *name) {
    rft_compile_request request = {
        .source_name = "fill.cu", .source_text = "", .names = &name, .name_count = 1, .arch = "sm_90a"};
    assert_int_equal(t->f.compiler->compile(t->f.compiler, &request, t->f.arena, &t->codes[which], &t->f.err), 0);
    t->of_buffers[which] = &t->codes[which];
}

static void fill_by(filling *t, size_t buffer, const char *name, size_t arg_count) {
    uint64_t count = ELEMENTS, stands = 1;
    int32_t seven = 7;
    rft_arg *args = t->args[buffer];
    args[0] = (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = buffer};
    args[1] = args[2] = (rft_arg){.kind = RFT_ARG_SCALAR, .type = RFT_TYPE_U64};
    memcpy(args[1].scalar, &count, sizeof count);
    memcpy(args[2].scalar, &stands, sizeof stands);
    args[3] = (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = BUFFER_ACC};
    args[4] = (rft_arg){.kind = RFT_ARG_SCALAR, .type = RFT_TYPE_I32};
    memcpy(args[4].scalar, &seven, sizeof seven);
    t->fills[buffer] = (rft_filler){.shown = buffer == BUFFER_IN ? "fill.cu:fill_in" : "fill.cu:fill_acc",
                                    .launch = {.kind = RFT_LAUNCH_KERNEL,
                                               .entry = name,
                                               .args = args,
                                               .arg_count = arg_count,
                                               .grid = {4, 1, 1},
                                               .block = {256, 1, 1},
                                               .cluster = {1, 1, 1}}};
    t->f.buffers[buffer].fill = (rft_fill){.kind = RFT_FILL_KERNEL, .identity = name, .kernel = &t->fills[buffer]};
    compile_fill(t, buffer, name);
}

static void start(filling *t) {
    *t = (filling){0};
    fixture_start(&t->f, NULL);
    rft_scripted_gpu_kernel(t->f.scripted, "fill_acc", fill_acc, t);
    rft_scripted_gpu_kernel(t->f.scripted, "fill_in", fill_in, t);
    fill_by(t, BUFFER_ACC, "fill_acc", 3);
    fill_by(t, BUFFER_IN, "fill_in", 5);
    t->f.request.fills = t->of_buffers;
}

static const rft_kept *kept_named(const fixture *f, const char *name) {
    const rft_protocol *p = (const rft_protocol *)f->probe;
    for (size_t i = 0; i < p->kept.count; i++) {
        if (strcmp(p->kept.buffers[i].name, name) == 0) {
            return &p->kept.buffers[i];
        }
    }
    return NULL;
}

static float first_of(fixture *f, const char *name) {
    float value = NAN;
    assert_non_null(kept_named(f, name));
    assert_int_equal(f->gpu->vt->read(f->gpu, &value, kept_named(f, name)->data, sizeof value, &f->err), 0);
    return value;
}

/* Sorted by name acc is before in; its original is what in is made from. */
static void each_is_filled_behind_what_it_is_made_from(void **state) {
    (void)state;
    filling t;
    start(&t);
    assert_int_equal(fixture_outcome(&t.f, "good"), RFT_OUTCOME_OK);
    assert_true(t.f.result.measurement.n > 0);
    assert_int_equal(t.runs[BUFFER_IN], 2); /* twice, to see that it does the same */
    assert_int_equal(t.seeds[BUFFER_ACC], rft_fill_seed("acc", 1));
    assert_true(t.seeds[BUFFER_IN] == rft_fill_seed("in", 1) && t.seeds[BUFFER_IN] != t.seeds[BUFFER_ACC]);
    assert_true(first_of(&t.f, "in") == (float)(rft_fill_seed("acc", 1) % 5));
    assert_int_equal(fixture_outcome(&t.f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(t.runs[BUFFER_IN], 2); /* kept */
    t.f.buffers[BUFFER_IN].fill.identity = "another";
    assert_int_equal(fixture_outcome(&t.f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(t.runs[BUFFER_IN], 4);
    t.f.request.measure.seed = 2;
    assert_int_equal(fixture_outcome(&t.f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(t.seeds[BUFFER_IN], rft_fill_seed("in", 2));
    fixture_stop(&t.f);
}

static void names_are_no_order(void **state) {
    (void)state;
    filling t;
    start(&t);
    t.args[BUFFER_ACC][3] = t.args[BUFFER_IN][3]; /* acc is made from in, which comes behind it */
    t.args[BUFFER_ACC][3].buffer = BUFFER_IN;
    t.fills[BUFFER_ACC].launch.arg_count = 4;
    t.args[BUFFER_IN][3].buffer = BUFFER_IN;
    assert_int_equal(fixture_outcome(&t.f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(t.runs[BUFFER_ACC], 2);
    fixture_stop(&t.f);
}

static void refused(filling *t, rft_outcome outcome, const char *told) {
    assert_int_equal(fixture_outcome(&t->f, "good"), outcome);
    if (!strstr(t->f.result.reason, told)) {
        fail_msg("\"%s\" does not say \"%s\"", t->f.result.reason, told);
    }
    assert_int_equal(t->f.result.measurement.n, 0);
}

static void what_a_fill_does_wrong_is_told_of_it(void **state) {
    (void)state;
    filling t;
    start(&t);
    t.writes_outside = true;
    refused(&t, RFT_OUTCOME_WRONG_RESULT,
            "not verified: the fill of in (fill.cu:fill_in) wrote outside of in: 1 element behind its end (in[1000]");
    t.writes_outside = false;
    t.is_uneven = true;
    refused(&t, RFT_OUTCOME_WRONG_RESULT, "the fill of in (fill.cu:fill_in) gives other contents when it is run again");
    t.is_uneven = false;
    t.writes_nan = true;
    refused(&t, RFT_OUTCOME_WRONG_RESULT,
            "the fill of in (fill.cu:fill_in) holds NaN in 1 of 1000 elements, the first in in[5]");
    t.f.spec.check.tol = 0; /* compared bit by bit: NaN may be meant, and is wrong as a result */
    assert_int_equal(fixture_outcome(&t.f, "good"), RFT_OUTCOME_WRONG_RESULT);
    assert_non_null(strstr(t.f.result.reason, "the reference says"));
    t.f.spec.check.tol = NAN;
    t.writes_nan = false;
    t.codes[BUFFER_IN].ok = false;
    refused(&t, RFT_OUTCOME_WRONG_RESULT, "the fill of in (fill.cu:fill_in) does not compile");
    t.codes[BUFFER_IN].ok = true;
    t.f.request.fills = NULL;
    refused(&t, RFT_OUTCOME_WRONG_RESULT, "the fill of acc (fill.cu:fill_acc) was not compiled");
    t.f.request.fills = t.of_buffers;
    assert_int_equal(fixture_outcome(&t.f, "good"), RFT_OUTCOME_OK); /* nothing of it is left */
    t.f.buffers[BUFFER_IN].fill.identity = "another";
    rft_scripted_gpu_fault(t.f.scripted, "fill_in", RFT_SCRIPTED_REFUSED, 0);
    refused(&t, RFT_OUTCOME_LAUNCH_FAILED, "the fill of in (fill.cu:fill_in): ");
    rft_scripted_gpu_fault(t.f.scripted, "fill_in", RFT_SCRIPTED_ILLEGAL, 0);
    refused(&t, RFT_OUTCOME_LAUNCH_FAILED, "the fill of in (fill.cu:fill_in): an illegal memory access");
    fixture_stop(&t.f);
}

/* What does not end is told by the phase, and only a fill is to blame for a fill. */
typedef struct phases {
    rft_phase seen[16];
    size_t buffers[16], count;
} phases;

static void note_phase(void *payload, rft_phase phase, size_t buffer) {
    phases *p = payload;
    assert_true(p->count < 16);
    p->seen[p->count] = phase;
    p->buffers[p->count++] = buffer;
}

static void each_fill_is_a_phase_of_its_own(void **state) {
    (void)state;
    filling t;
    phases p = {.count = 0};
    start(&t);
    t.f.request.enter = note_phase;
    t.f.request.payload = &p;
    assert_int_equal(fixture_outcome(&t.f, "good"), RFT_OUTCOME_OK);
    assert_true(p.count > 5 && p.seen[0] == RFT_PHASE_FILL && p.seen[1] == RFT_PHASE_PREPARE);
    assert_true(p.seen[2] == RFT_PHASE_FILL && p.seen[3] == RFT_PHASE_PREPARE && p.seen[4] == RFT_PHASE_REFERENCE);
    assert_true(p.buffers[0] == BUFFER_ACC && p.buffers[2] == BUFFER_IN);
    p.count = 0;
    assert_int_equal(fixture_outcome(&t.f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(p.seen[0], RFT_PHASE_RUN); /* all is kept */
    fixture_stop(&t.f);
}

/* ---- from a file ---- */

static void write_npy(const char *path, float first) {
    char front[FILES_FRONT];
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    memset(front, ' ', sizeof front);
    memcpy(front, "\x93NUMPY\x01\x00\x76\x00", 10);
    int length =
        snprintf(front + 10, sizeof front - 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", ELEMENTS);
    front[10 + length] = ' ';
    front[FILES_FRONT - 1] = '\n';
    assert_int_equal(fwrite(front, 1, sizeof front, file), sizeof front);
    for (int i = 0; i < ELEMENTS; i++) {
        float value = first + (float)i;
        assert_int_equal(fwrite(&value, sizeof value, 1, file), 1);
    }
    fclose(file);
}

static void a_file_s_elements_are_the_input(void **state) {
    (void)state;
    char path[] = "/tmp/rft-filling-XXXXXX";
    int fd = mkstemp(path);
    rft_npy npy;
    rft_npy_file file;
    filling t;
    start(&t);
    close(fd);
    write_npy(path, 0.5f);
    assert_int_equal(rft_npy_look(&npy, &file, path, &t.f.err), 0);
    assert_int_equal(npy.offset_bytes, FILES_FRONT);
    t.f.buffers[BUFFER_IN].fill = (rft_fill){.kind = RFT_FILL_FILE, .identity = path, .file = &file};
    assert_int_equal(fixture_outcome(&t.f, "good"), RFT_OUTCOME_OK);
    assert_true(first_of(&t.f, "in") == 0.5f);
    assert_int_equal(t.runs[BUFFER_IN], 0);
    t.f.request.problem_key = "n=1001"; /* is read anew */
    write_npy(path, NAN);
    assert_int_equal(rft_npy_look(&npy, &file, path, &t.f.err), 0);
    refused(&t, RFT_OUTCOME_WRONG_RESULT, "holds NaN in 1000 of 1000 elements, the first in in[0]");
    file.modified_ns--;
    refused(&t, RFT_OUTCOME_LAUNCH_FAILED, "the input in: ");
    assert_non_null(strstr(t.f.result.reason, "was written to since the sweep was read"));
    remove(path);
    refused(&t, RFT_OUTCOME_LAUNCH_FAILED, "No such file");
    fixture_stop(&t.f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_filled_behind_what_it_is_made_from),
        cmocka_unit_test(names_are_no_order),
        cmocka_unit_test(what_a_fill_does_wrong_is_told_of_it),
        cmocka_unit_test(each_fill_is_a_phase_of_its_own),
        cmocka_unit_test(a_file_s_elements_are_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
