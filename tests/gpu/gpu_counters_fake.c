/* SPDX-License-Identifier: Apache-2.0 */
/* cupti*.c against a libcupti and a libcuda of our own, on any machine: the order of calls, passes, what refusals turn
 * into, and that nothing is asked of CUPTI after a fault. LD_LIBRARY_PATH must lead to the fakes (ctest sets it). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/counting.h"
#include "gpu/fake_cupti.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fake_cupti_state *fake;
static const char *const folders[] = {RFT_FAKE_FOLDER};
static const rft_library_places places = {.folders = folders, .count = 1, .named_count = 1};

typedef struct fixture {
    rft_arena *arena;
    rft_gpu *gpu;
    rft_module *module;
    rft_counting *counting;
} fixture;

static void launch(fixture *f, const char *symbol) {
    rft_function *function = NULL;
    int argument[3] = {0};
    void *values[] = {&argument[0], &argument[1], &argument[2]};
    assert_int_equal(f->gpu->vt->function(f->gpu, f->module, symbol, &function, NULL), 0);
    rft_gpu_launch one = {
        .function = function, .grid = {1, 1, 1}, .block = {32, 1, 1}, .cluster = {1, 1, 1}, .values = values};
    assert_int_equal(f->gpu->vt->launch(f->gpu, &one, NULL), 0);
}

static fixture open_gpu(void) {
    fixture f = {.arena = rft_arena_new()};
    rft_err err = RFT_ERR_INIT;
    if (rft_cuda_open(&f.gpu, 0, &err) != 0 || f.gpu->vt->module_load(f.gpu, "code", 4, &f.module, &err) != 0) {
        fail_msg("%s", err.message);
    }
    return f;
}

static fixture open_counting(void) {
    fixture f = open_gpu();
    rft_err err = RFT_ERR_INIT;
    if (rft_cupti_open(&f.counting, f.gpu, &places, &err) != 0) {
        fail_msg("%s", err.message);
    }
    return f;
}

static void close_all(fixture *f) {
    if (f->counting) {
        f->counting->vt->close(f->counting);
    }
    f->gpu->vt->module_free(f->gpu, f->module);
    f->gpu->vt->close(f->gpu);
    rft_arena_free(f->arena);
    assert_int_equal(fake->hosts, 0);
}

/* One session as a caller runs it; returns the number of passes. */
static int count(fixture *f, const rft_counter_set *set, rft_counters *out) {
    rft_counting *c = f->counting;
    rft_err err = RFT_ERR_INIT;
    int passes = 0, done = 0;
    bool again = true;
    assert_int_equal(c->vt->begin(c, set, &passes, &err), 0);
    while (again && passes > 0) {
        assert_int_equal(c->vt->start(c, &err), 0);
        launch(f, "plain");
        assert_int_equal(c->vt->stop(c, &again, &err), 0);
        assert_int_equal(fake->in_range, 0);
        done++;
    }
    assert_int_equal(done, passes);
    if (c->vt->end(c, out, f->arena, &err) != 0) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(fake->profilers, passes > 0); /* the next session of this set finds it attached */
    return passes;
}

static void a_session_counts_in_passes(void **state) {
    (void)state;
    fixture f = open_counting();
    rft_counters got;
    rft_counter_set set = rft_counter_set_default();
    assert_int_equal(count(&f, &set, &got), 3); /* 24 metrics, ten a pass */
    assert_int_equal(got.passes, 3);
    /* factor x the value of the fake */
    assert_true(fabs(got.values[RFT_COUNTER_TIME] - 1e-9 * 22) < 1e-15);
    assert_true(got.values[RFT_COUNTER_DRAM_READ] == 20);
    assert_true(got.values[RFT_COUNTER_L1_LOAD] == 128.0 * strlen("l1tex__lsu_writeback_active_mem_lgds.sum"));
    assert_null(got.reasons[RFT_COUNTER_DRAM_READ]);
    assert_true(isnan(got.values[RFT_COUNTER_STALL_WAIT]));
    assert_string_equal(got.reasons[RFT_COUNTER_STALL_WAIT], "not asked for");

    set = rft_counter_set_all();
    count(&f, &set, &got);
    assert_true(isnan(got.values[RFT_COUNTER_STALL_GMMA]));
    assert_non_null(strstr(got.reasons[RFT_COUNTER_STALL_GMMA], "GH100"));
    assert_true(got.values[RFT_COUNTER_L2_ATOMIC] ==
                strlen("lts__t_sectors_srcunit_tex_op_atom.sum") + strlen("lts__t_sectors_srcunit_tex_op_red.sum"));
    close_all(&f);
    assert_int_equal(fake->initialized, 0);
}

static void the_same_set_is_arranged_once(void **state) {
    (void)state;
    fixture f = open_counting();
    rft_counters got;
    rft_counter_set set = rft_counter_set_default(), all = rft_counter_set_all();
    int before = fake->configs, attached = fake->attached;
    for (int i = 0; i < 20; i++) {
        count(&f, &set, &got);
    }
    assert_int_equal(fake->configs, before + 1);
    assert_int_equal(fake->hosts, 1); /* it evaluates */
    assert_int_equal(fake->attached, attached + 1);
    count(&f, &all, &got);
    assert_int_equal(fake->configs, before + 2);
    assert_int_equal(fake->attached, attached + 2);
    f.counting->vt->detach(f.counting);
    assert_int_equal(fake->profilers, 0);
    count(&f, &all, &got);
    assert_int_equal(fake->attached, attached + 3);
    rft_counter_plan plan;
    assert_int_equal(f.counting->vt->plan(f.counting, &all, &plan, f.arena, NULL), 0);
    assert_int_equal(fake->configs, before + 2);
    assert_string_equal(plan.chip, "GH100");
    close_all(&f);
}

static void raw_names_and_empty_sets(void **state) {
    (void)state;
    fixture f = open_counting();
    rft_counters got;
    rft_counter_set set;
    assert_int_equal(rft_counter_set_parse(&set, "dram_read_bytes,a__b.sum,a__nonsense.sum", f.arena, NULL), 0);
    assert_int_equal(count(&f, &set, &got), 1);
    assert_int_equal(got.raw_count, 2);
    assert_true(got.raw[0].value == 8 && got.raw[0].reason == NULL);
    assert_true(isnan(got.raw[1].value) && strstr(got.raw[1].reason, "GH100") != NULL);
    assert_int_equal(rft_counter_set_parse(&set, "a__nonsense.sum", f.arena, NULL), 0);
    assert_int_equal(count(&f, &set, &got), 0);
    assert_true(isnan(got.raw[0].value) && got.raw[0].reason != NULL);
    assert_int_equal(got.passes, 0);
    set = rft_counter_set_none();
    assert_int_equal(count(&f, &set, &got), 0);
    close_all(&f);
}

/* What is not allowed, and what a user can do. */
static void refusals_have_remedies(void **state) {
    (void)state;
    static const struct {
        const char *mode;
        int code;
        const char *message, *remedy;
    } cases[] = {
        {"old", RFT_E_NOT_FOUND, "works with those of CUDA 12 to 13", "pip install nvidia-cuda-cupti"},
        {"privileges", RFT_E_LIMIT, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)",
         "NVreg_RestrictProfilingToAdminUsers=0"},
        {"vgpu", RFT_E_LIMIT, "virtual GPU", "--counters none"},
        {"confidential", RFT_E_LIMIT, "confidential computing", "--counters none"},
        {"chip", RFT_E_LIMIT, "GX999", "newer CUDA release"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f = open_gpu();
        rft_err err = RFT_ERR_INIT;
        setenv("FAKE_CUPTI", cases[i].mode, 1);
        assert_int_equal(rft_cupti_open(&f.counting, f.gpu, &places, &err), cases[i].code);
        assert_null(f.counting);
        if (!strstr(err.message, cases[i].message) || !strstr(err.remedy, cases[i].remedy)) {
            fail_msg("%s: %s / %s", cases[i].mode, err.message, err.remedy);
        }
        setenv("FAKE_CUPTI", "", 1);
        launch(&f, "plain"); /* the device works on */
        assert_int_equal(f.gpu->vt->sync(f.gpu, NULL), 0);
        close_all(&f);
        assert_int_equal(fake->initialized, 0);
    }
}

/* Another profiler comes and goes: the next session is none the worse. */
static void a_session_refused_is_not_the_last(void **state) {
    (void)state;
    fixture f = open_counting();
    rft_counters got;
    rft_counter_set set = rft_counter_set_default();
    rft_err err = RFT_ERR_INIT;
    int passes = 99;
    setenv("FAKE_CUPTI", "busy", 1);
    assert_int_equal(f.counting->vt->begin(f.counting, &set, &passes, &err), RFT_E_LIMIT);
    setenv("FAKE_CUPTI", "", 1);
    assert_int_equal(passes, 0);
    assert_non_null(strstr(err.message, "HARDWARE_BUSY"));
    assert_non_null(strstr(err.remedy, "another profiler"));
    assert_int_equal(count(&f, &set, &got), 3);
    close_all(&f);
}

static void counts_that_were_lost_are_an_error(void **state) {
    (void)state;
    fixture f = open_counting();
    rft_counting *c = f.counting;
    rft_counter_set set;
    rft_counters got;
    rft_err err = RFT_ERR_INIT;
    int passes = 0;
    bool again = false;
    assert_int_equal(rft_counter_set_parse(&set, "dram_read_bytes", f.arena, NULL), 0);
    setenv("FAKE_CUPTI", "dropped", 1);
    assert_int_equal(c->vt->begin(c, &set, &passes, &err), 0);
    assert_int_equal(c->vt->start(c, &err), 0);
    assert_int_equal(c->vt->stop(c, &again, &err), 0);
    assert_int_equal(c->vt->end(c, &got, f.arena, &err), RFT_E_LIMIT);
    assert_non_null(strstr(err.message, "dropped"));
    assert_int_equal(fake->profilers, 0);
    setenv("FAKE_CUPTI", "", 1);

    /* Ended too early, also in the middle of a pass. */
    set = rft_counter_set_default();
    for (int in_pass = 0; in_pass < 2; in_pass++) {
        assert_int_equal(c->vt->begin(c, &set, &passes, &err), 0);
        assert_int_equal(c->vt->start(c, &err), 0);
        if (!in_pass) {
            assert_int_equal(c->vt->stop(c, &again, &err), 0);
            assert_true(again);
        }
        assert_int_equal(c->vt->end(c, &got, f.arena, &err), RFT_E_LIMIT);
        assert_non_null(strstr(err.message, "3 passes"));
        assert_int_equal(fake->profilers + fake->in_range, 0);
    }
    assert_int_equal(count(&f, &set, &got), 3);

    /* Out of order. */
    assert_int_equal(c->vt->start(c, &err), RFT_E_INTERNAL);
    assert_int_equal(c->vt->stop(c, &again, &err), RFT_E_INTERNAL);
    assert_int_equal(c->vt->end(c, &got, f.arena, &err), RFT_E_INTERNAL);
    /* Closed with a session open. */
    assert_int_equal(c->vt->begin(c, &set, &passes, &err), 0);
    assert_int_equal(c->vt->start(c, &err), 0);
    close_all(&f);
    assert_int_equal(fake->profilers + fake->initialized, 0);
}

/* Last: the fake driver stays poisoned. */
static void after_a_fault_cupti_is_asked_nothing(void **state) {
    (void)state;
    fixture f = open_counting();
    rft_counting *c = f.counting;
    rft_counter_set set = rft_counter_set_default();
    rft_counters got;
    rft_err err = RFT_ERR_INIT;
    int passes = 0;
    bool again = true;
    assert_int_equal(c->vt->begin(c, &set, &passes, &err), 0);
    assert_int_equal(c->vt->start(c, &err), 0);
    launch(&f, "fault");
    int calls = fake->calls;
    assert_int_equal(c->vt->stop(c, &again, &err), RFT_E_DEVICE);
    assert_non_null(strstr(err.message, "ILLEGAL_ADDRESS"));
    assert_false(again);
    assert_true(f.gpu->vt->sticky(f.gpu));
    assert_int_equal(c->vt->start(c, &err), RFT_E_DEVICE);
    assert_int_equal(c->vt->end(c, &got, f.arena, &err), RFT_E_DEVICE);
    assert_int_equal(c->vt->begin(c, &set, &passes, &err), RFT_E_DEVICE);
    assert_int_equal(fake->calls, calls);
    close_all(&f);
    assert_int_equal(fake->calls, calls + 1); /* the host's object, which knows no device */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_counts_in_passes),
        cmocka_unit_test(the_same_set_is_arranged_once),
        cmocka_unit_test(raw_names_and_empty_sets),
        cmocka_unit_test(refusals_have_remedies),
        cmocka_unit_test(a_session_refused_is_not_the_last),
        cmocka_unit_test(counts_that_were_lost_are_an_error),
        cmocka_unit_test(after_a_fault_cupti_is_asked_nothing),
    };
    void *library = dlopen(RFT_FAKE_FOLDER "/" RFT_FAKE_CUPTI, RTLD_NOW);
    fake = library ? dlsym(library, "fake_cupti") : NULL;
    if (!fake) {
        printf("the test's own libcupti is not there: %s\n", RFT_FAKE_FOLDER);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
