/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every way a configuration can fail on a device (tests/fault/fault.lua), in one run of the program: each becomes the
 * outcome of its own point, with a reason, and the points after it are measured as if nothing had happened.
 * The endless kernel is ended half a second after measure.timeout (1 s), the slow one (1.05 s) says itself that it is
 * late. Faults that the driver tells of have 20 s: how soon it does so is not rooftune's.
 */
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct expectation {
    const char *fault;
    rft_outcome outcome;
    const char *reason; /* a part of it */
} expectation;

static const expectation expectations[] = {
    {"none", RFT_OUTCOME_OK, NULL},
    {"out_of_bounds", RFT_OUTCOME_LAUNCH_FAILED, "CUDA_ERROR_"},
    {"misaligned", RFT_OUTCOME_LAUNCH_FAILED, "CUDA_ERROR_"},
    {"trap", RFT_OUTCOME_LAUNCH_FAILED, "CUDA_ERROR_"},
    {"assertion", RFT_OUTCOME_LAUNCH_FAILED, "CUDA_ERROR_ASSERT"},
    {"stack_overflow", RFT_OUTCOME_LAUNCH_FAILED, "CUDA_ERROR_"},
    {"wrong_result", RFT_OUTCOME_WRONG_RESULT, "y[65535] is "},
    {"nan", RFT_OUTCOME_WRONG_RESULT, "NaN"},
    {"unwritten", RFT_OUTCOME_WRONG_RESULT, "not written"},
    {"unstable", RFT_OUTCOME_WRONG_RESULT, "y["},
    {"writes_input", RFT_OUTCOME_WRONG_RESULT, "wrote to its input x"},
    {"writes_constant", RFT_OUTCOME_WRONG_RESULT, "wrote to its constant unchanging"},
    {"endless", RFT_OUTCOME_TIMED_OUT, "the worker was ended"},
    {"slow", RFT_OUTCOME_TIMED_OUT, "measure.timeout is 1 s"},
    {"too_many_threads", RFT_OUTCOME_SKIPPED, "2048"},
    {"too_much_shared", RFT_OUTCOME_SKIPPED, "shared memory"},
    {"too_much_memory", RFT_OUTCOME_SKIPPED, "needs "},
    {"does_not_fit_at_once", RFT_OUTCOME_SKIPPED, "fit at once"},
    {"too_large_cluster", RFT_OUTCOME_SKIPPED, "cluster"},
    {"does_not_compile", RFT_OUTCOME_COMPILE_FAILED, "asked not to compile"},
    {"script_error", RFT_OUTCOME_SCRIPT_FAILED, "this configuration has no launch"},
};
enum { FAULT_COUNT = sizeof expectations / sizeof *expectations, NONE_COUNT = 4, OUTSIDE_POINTS = 4 * 8 + 2 };
enum { FAULTS, ODD_SIZE, LATE, OUTSIDE, READS, SWEEPS }; /* in the order of the files */

static rft_run *the_run;

/* The next point of the fault, NULL after the last. */
static const rft_point *next_point(size_t sweep, const char *value, const rft_point *after) {
    size_t first = after ? (size_t)(after - the_run->points) + 1 : 0;
    for (size_t i = first; i < the_run->point_count; i++) {
        const rft_point *point = &the_run->points[i];
        if (point->sweep == sweep && strcmp(point->config[0].as.text, value) == 0) {
            return point;
        }
    }
    return NULL;
}

/* Of the sweep it is in, and the first of these. */
static const rft_point *fault_point(const char *fault) {
    const rft_point *point = next_point(FAULTS, fault, NULL);
    return point ? point : next_point(LATE, fault, NULL);
}

static void the_run_goes_on_to_its_end(void **state) {
    (void)state;
    real_program_expect(0, WORDS("run", real_program_file("tests/fault/fault.lua"), "--in-order",
                                 real_program_file("tests/fault/outside.lua"), "-o", "faults.db", TIMES_ONLY));
    the_run = real_program_load("faults.db");
    assert_true(the_run->info.finished_unix_ns > 0);
    assert_int_equal(the_run->sweep_count, SWEEPS);
    for (size_t i = 0; i < the_run->point_count; i++) {
        printf("    %s\n", real_program_point_text(the_run, &the_run->points[i]));
    }
    assert_int_equal(the_run->point_count, FAULT_COUNT - 1 + 2 * NONE_COUNT + 6 + OUTSIDE_POINTS);
    assert_true(real_program_has_file("faults.pdf"));
}

static void each_fault_has_its_outcome_and_reason(void **state) {
    (void)state;
    assert_non_null(the_run);
    int wrong = 0;
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        const expectation *e = &expectations[i];
        const rft_point *point = fault_point(e->fault);
        if (!point) {
            fail_msg("there is no point with FAULT=%s", e->fault);
            return;
        }
        bool reason_fits = e->reason ? point->reason && strstr(point->reason, e->reason) : !point->reason;
        if (point->outcome != e->outcome || !reason_fits) {
            print_error("%s\n    expected %s with \"%s\"\n", real_program_point_text(the_run, point),
                        rft_outcome_name(e->outcome), e->reason ? e->reason : "");
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void what_is_wrong_is_counted(void **state) {
    (void)state;
    assert_non_null(the_run);
    const uint64_t n = 65536;
    const struct {
        const char *fault;
        uint64_t wrong;
    } rows[] = {{"wrong_result", 1}, {"nan", (n - 8) / 1000 + 1}, {"unwritten", n / 2}, {"unstable", n}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rft_verification *v = &fault_point(rows[i].fault)->verification;
        assert_true(v->done);
        assert_int_equal(v->total_count, n);
        assert_int_equal(v->wrong_count, rows[i].wrong);
        assert_string_equal(v->buffer, "y");
        assert_false(v->worst_frac <= 1); /* an infinite one is stored as unknown */
    }
    const rft_verification *one = &fault_point("wrong_result")->verification;
    assert_int_equal(one->index, n - 1);
    assert_true(fabs(one->got - one->want - 1) < 1e-5 && fabs(one->worst_abs_error - 1) < 1e-5);
}

static void nothing_that_failed_has_samples(void **state) {
    (void)state;
    assert_non_null(the_run);
    for (size_t i = 0; i < the_run->point_count; i++) {
        const rft_point *point = &the_run->points[i];
        bool odd = the_run->sweeps[point->sweep].sweep.problems[point->problem].odd;
        if (!rft_outcome_is_measured(point->outcome) || odd) {
            assert_int_equal(point->rounds[0].n, 0);
            assert_int_equal(point->rounds[1].n, 0);
        } else {
            size_t least = point->rounds[0].stop == RFT_STOP_SLOWER ? 1 : 10; /* one may tell that it is far slower */
            assert_true(point->rounds[0].n >= least);
        }
    }
}

static void a_sound_configuration_works_before_and_after_and_is_best(void **state) {
    (void)state;
    assert_non_null(the_run);
    int64_t first_fault = INT64_MAX, last = 0, late_last = 0;
    int sound = 0;
    for (size_t i = 1; i < FAULT_COUNT; i++) {
        const rft_point *point = fault_point(expectations[i].fault);
        if (point->outcome == RFT_OUTCOME_LAUNCH_FAILED && point->id < first_fault) {
            first_fault = point->id;
        }
    }
    for (const rft_point *point = NULL; (point = next_point(FAULTS, "none", point));) {
        if (point->outcome != RFT_OUTCOME_OK) {
            fail_msg("%s", real_program_point_text(the_run, point));
        }
        assert_true(point->verification.done && point->verification.wrong_count == 0);
        last = point->id > last ? point->id : last;
        sound++;
    }
    assert_int_equal(sound, NONE_COUNT);
    for (const rft_point *point = NULL; (point = next_point(LATE, "none", point));) {
        assert_true(point->outcome == RFT_OUTCOME_OK && point->verification.wrong_count == 0);
        late_last = point->id > late_last ? point->id : late_last;
    }
    assert_true(late_last > next_point(LATE, "endless", NULL)->id);
    assert_true(last > first_fault); /* the order is fixed by the seed */
    const rft_point *best = rft_run_best(the_run, FAULTS, SIZE_MAX, 0);
    assert_non_null(best);
    assert_string_equal(best->config[0].as.text, "none");
    assert_true(best->rounds[1].n >= 10); /* the final round came after all faults */
}

/* The odd size finds what the even one hides; printing harms nothing. */
static void wrong_on_the_odd_size_is_wrong(void **state) {
    (void)state;
    assert_non_null(the_run);
    const char *const values[] = {"guarded", "dropped", "prints"};
    for (size_t i = 0; i < 3; i++) {
        const rft_point *odd = next_point(ODD_SIZE, values[i], NULL);
        assert_non_null(odd);
        assert_true(the_run->sweeps[ODD_SIZE].sweep.problems[odd->problem].odd);
        const rft_point *even = next_point(ODD_SIZE, values[i], odd);
        assert_non_null(even);
        rft_outcome expected = i == 1 ? RFT_OUTCOME_WRONG_RESULT : RFT_OUTCOME_OK;
        if (odd->outcome != expected || even->outcome != expected) {
            fail_msg("%s; %s", real_program_point_text(the_run, odd), real_program_point_text(the_run, even));
        }
        if (i == 1) {
            assert_non_null(strstr(even->reason, "odd size n=65539"));
            assert_int_equal(odd->verification.wrong_count, 3);
        }
    }
}

/* On every size, whole pages or not: the reason names the buffer and the place. What is read is not seen. */
static void what_is_written_outside_is_told(void **state) {
    static const struct {
        const char *where, *buffer;
        bool behind;
    } rows[] = {{"behind_output", "y", true}, {"before_output", "y", false},    {"behind_input", "x", true},
                {"before_input", "x", false}, {"behind_temp", "scratch", true}, {"before_temp", "scratch", false},
                {"copied", "y", true},        {"nowhere", NULL, false},         {"read", NULL, false}};
    (void)state;
    assert_non_null(the_run);
    int points = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (const rft_point *point = NULL;
             (point = next_point(strcmp(rows[i].where, "read") == 0 ? READS : OUTSIDE, rows[i].where, point));
             points++) {
            long long n = the_run->sweeps[point->sweep].sweep.problems[point->problem].values[0].as.integer;
            char told[128];
            /* Not the byte: one in 256 values begins with the byte that was there. */
            snprintf(told, sizeof told, "wrote outside of %s: 1 element %s (%s[%lld], byte ",
                     rows[i].buffer ? rows[i].buffer : "", rows[i].behind ? "behind its end" : "before its start",
                     rows[i].buffer ? rows[i].buffer : "", rows[i].behind ? n : -1);
            bool fits = rows[i].buffer ? point->outcome == RFT_OUTCOME_WRONG_RESULT && strstr(point->reason, told)
                                       : point->outcome == RFT_OUTCOME_OK;
            if (!fits) {
                fail_msg("%s\n    expected \"%s\"", real_program_point_text(the_run, point), told);
            }
        }
    }
    assert_int_equal(points, OUTSIDE_POINTS);
}

static void the_findings_can_be_shown(void **state) {
    (void)state;
    assert_non_null(the_run);
    real_program_expect(0, WORDS("show", "faults.db"));
    real_program_said(real_program_out(), "launch_failed");
    real_program_said(real_program_out(), "timed_out");
    real_program_expect(0, WORDS("best", "faults.db"));
    real_program_said(real_program_out(), "none");
}

int gpu_faults(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_run_goes_on_to_its_end),
        cmocka_unit_test(each_fault_has_its_outcome_and_reason),
        cmocka_unit_test(what_is_wrong_is_counted),
        cmocka_unit_test(nothing_that_failed_has_samples),
        cmocka_unit_test(a_sound_configuration_works_before_and_after_and_is_best),
        cmocka_unit_test(wrong_on_the_odd_size_is_wrong),
        cmocka_unit_test(what_is_written_outside_is_told),
        cmocka_unit_test(the_findings_can_be_shown),
    };
    return real_program_tests(tests, sizeof tests / sizeof *tests, 0, NULL);
}
