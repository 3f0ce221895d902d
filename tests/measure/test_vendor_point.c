/* SPDX-License-Identifier: Apache-2.0 */
/* A point that calls the vendor's library: verified and timed as kernels are, and skipped with its reason where the
 * library, an algorithm or memory is not to be had. */
#include "measure/measure_fixture.h"

#include "support/plain_reference.h"
#include "support/scripted_vendor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 24, COLUMNS = 40, DEPTH = 32 };

typedef struct vendor_case {
    fixture f;
    rft_scripted_vendor_opts opts;
    rft_buffer buffers[3];
    rft_launch launch;
    rft_value problem[3];
    rft_compile_result nothing;
    bool is_missing;
    int opened;
} vendor_case;

/* a, b, c, m, n, k */
static void run_reference(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    const float *a = RFT_SCRIPTED_POINTER(launch, 0, const float), *b = RFT_SCRIPTED_POINTER(launch, 1, const float);
    double *c = RFT_SCRIPTED_POINTER(launch, 2, double);
    int64_t m = RFT_SCRIPTED_ARG(launch, 3, int64_t), n = RFT_SCRIPTED_ARG(launch, 4, int64_t);
    int64_t depth = RFT_SCRIPTED_ARG(launch, 5, int64_t);
    (void)gpu, (void)self;
    for (int64_t i = 0; i < m * n; i++) {
        double sum = 0.0;
        for (int64_t k = 0; k < depth; k++) {
            sum += (double)a[i / n * depth + k] * (double)b[k * n + i % n];
        }
        c[i] = sum;
    }
}

static int open_vendor(void *self, rft_gpu *gpu, rft_vendor **out, rft_err *err) {
    vendor_case *c = self;
    (void)gpu;
    c->opened++;
    if (c->is_missing) {
        rft_err_set(err, RFT_E_NOT_FOUND, "cuBLASLt was not found:\n  /here/libcublasLt.so.13");
        return rft_err_remedy(err, "install it");
    }
    *out = rft_scripted_vendor_new(c->f.scripted, &c->opts);
    return RFT_OK;
}

static void start(vendor_case *c) {
    *c = (vendor_case){.opts = {.algo_count = 3, .seconds = {30e-6, 10e-6, 20e-6}, .workspace_bytes = 4096},
                       .nothing = {.ok = true, .log = ""}};
    fixture_start(&c->f, NULL);
    rft_scripted_gpu_kernel(c->f.scripted, "reference", run_reference, NULL);
    const rft_fill fill = {.kind = RFT_FILL_UNIFORM, .low = -1.0, .high = 1.0};
    c->buffers[0] = (rft_buffer){"a", RFT_TYPE_F32, ROWS * DEPTH, RFT_BUFFER_INPUT, fill};
    c->buffers[1] = (rft_buffer){"b", RFT_TYPE_F32, DEPTH * COLUMNS, RFT_BUFFER_INPUT, fill};
    c->buffers[2] = (rft_buffer){"c", RFT_TYPE_F32, ROWS * COLUMNS, RFT_BUFFER_OUTPUT, {0}};
    const int sizes[] = {ROWS, COLUMNS, DEPTH};
    for (size_t i = 0; i < 3; i++) {
        c->problem[i] = rft_value_int(sizes[i]);
    }
    c->launch =
        (rft_launch){.kind = RFT_LAUNCH_VENDOR,
                     .vendor = {.math = RFT_VENDOR_FP32, .a = 0, .b = 1, .d = 2, .m = ROWS, .n = COLUMNS, .k = DEPTH}};
    c->f.spec = (rft_point_spec){.buffers = c->buffers,
                                 .buffer_count = 3,
                                 .launches = &c->launch,
                                 .launch_count = 1,
                                 .check = {.tol = NAN, .length = DEPTH},
                                 .traffic = rft_traffic_unknown()};
    const rft_reference_dims dims = {.values = c->problem, .count = 3};
    c->f.spec.check.reference = plain_reference(&c->f.spec, "reference", &dims, c->f.arena);
    c->f.request.unit = &c->nothing;
    const rft_vendor_source source = {open_vendor, c};
    rft_protocol_use_vendor(c->f.probe, &source);
}

static void stop(vendor_case *c) {
    fixture_stop(&c->f);
    assert_int_equal(rft_scripted_vendors_alive(), 0); /* plans and library are given back */
}

static rft_outcome measure(vendor_case *c, int algo) {
    c->launch.vendor.algo = algo;
    int rc = c->f.probe->measure(c->f.probe, &c->f.request, c->f.arena, &c->f.result, &c->f.err);
    if (rc != RFT_OK) {
        fail_msg("%d: %s", rc, c->f.err.message);
    }
    return c->f.result.outcome;
}

static void it_is_verified_and_timed_as_a_kernel_is(void **state) {
    (void)state;
    vendor_case c;
    start(&c);
    for (int algo = 0; algo < 3; algo++) {
        assert_int_equal(measure(&c, algo), RFT_OUTCOME_OK);
        const rft_probe_result *r = &c.f.result;
        assert_null(r->reason);
        assert_true(r->verification.done && r->verification.worst_frac > 0.0 && r->verification.worst_frac < 1.0);
        assert_int_equal(r->verification.total_count, ROWS * COLUMNS);
        assert_string_equal(r->verification.buffer, "c");
        assert_true(r->measurement.n >= 5);
        assert_true(fabs(r->measurement.stats.median / c.opts.seconds[algo] - 1.0) < 1e-3);
        assert_true(isfinite(r->measurement.clock_mhz));
        assert_string_equal(r->library, "cuBLASLt 99.1.2"); /* and not where it lies */
        char name[16];
        snprintf(name, sizeof name, "algo %d", 60 + algo);
        assert_string_equal(r->algo, name);
        assert_int_equal(r->algo_count, 3);
    }
    assert_int_equal(c.opened, 1);
    assert_int_equal(rft_scripted_launches(c.f.scripted, "reference"), 1); /* kept, as between configurations */
    /* the cache is cold */
    assert_non_null(strstr(rft_scripted_history(c.f.scripted), "rft_flush"));
    stop(&c);
}

static void a_wrong_result_is_no_baseline(void **state) {
    (void)state;
    vendor_case c;
    start(&c);
    c.opts.wrong = 2;
    assert_int_equal(measure(&c, 1), RFT_OUTCOME_WRONG_RESULT);
    assert_non_null(strstr(c.f.result.reason, "c[0] is "));
    assert_int_equal(c.f.result.measurement.n, 0);
    assert_int_equal(measure(&c, 0), RFT_OUTCOME_OK);
    stop(&c);
}

static void a_slow_algorithm_leaves_the_race(void **state) {
    (void)state;
    vendor_case c;
    start(&c);
    c.f.request.rival_s = 10e-6;
    assert_int_equal(measure(&c, 0), RFT_OUTCOME_OK);
    assert_int_equal(c.f.result.measurement.stop, RFT_STOP_SLOWER);
    stop(&c);
}

static void what_is_missing_is_said_once_looked_for_once(void **state) {
    (void)state;
    vendor_case c;
    start(&c);
    c.is_missing = true;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(measure(&c, i), RFT_OUTCOME_SKIPPED);
        assert_string_equal(c.f.result.reason, "cuBLASLt was not found; remedy: install it");
        assert_null(c.f.result.library);
        assert_int_equal(c.f.result.algo_count, 0);
    }
    assert_int_equal(c.opened, 1);
    stop(&c);
    start(&c); /* nothing that could open one */
    rft_protocol_use_vendor(c.f.probe, &(rft_vendor_source){NULL, NULL});
    assert_int_equal(measure(&c, 0), RFT_OUTCOME_SKIPPED);
    assert_non_null(strstr(c.f.result.reason, "no vendor library"));
    stop(&c);
}

static void refusals_are_outcomes_with_the_librarys_words(void **state) {
    (void)state;
    vendor_case c;
    start(&c);
    c.opts.no_plan = "cuBLASLt has no algorithm for this";
    assert_int_equal(measure(&c, 0), RFT_OUTCOME_SKIPPED);
    assert_string_equal(c.f.result.reason, "cuBLASLt has no algorithm for this; remedy: take other sizes");
    c.opts.no_plan = NULL;
    assert_int_equal(measure(&c, 3), RFT_OUTCOME_SKIPPED);
    assert_string_equal(c.f.result.reason, "the library's list has 3 algorithms, not 4");
    c.opts.refused = 1;
    assert_int_equal(measure(&c, 0), RFT_OUTCOME_LAUNCH_FAILED);
    assert_string_equal(c.f.result.reason, "cuBLASLt refuses algo 60");
    c.opts.workspace_bytes = 1ull << 40;
    assert_int_equal(measure(&c, 1), RFT_OUTCOME_SKIPPED);
    assert_non_null(strstr(c.f.result.reason, "no memory for the library's workspace of 1 TiB"));
    c.opts.workspace_bytes = 0;
    assert_int_equal(measure(&c, 1), RFT_OUTCOME_OK);
    stop(&c);
}

/* Kernels of other points go on as before, and the workspace is not held while they run. */
static void between_kernels(void **state) {
    (void)state;
    vendor_case c;
    start(&c);
    const rft_point_spec vendor_spec = c.f.spec;
    assert_int_equal(measure(&c, 0), RFT_OUTCOME_OK);
    c.f.probe->rest(c.f.probe);
    uint64_t resting = rft_scripted_memory_used(c.f.scripted);
    assert_int_equal(measure(&c, 0), RFT_OUTCOME_OK);
    assert_true(rft_scripted_memory_used(c.f.scripted) >= resting + 4096);
    c.f.probe->rest(c.f.probe);
    assert_int_equal(rft_scripted_memory_used(c.f.scripted), resting);
    assert_int_equal(rft_scripted_vendors_alive(), 1); /* the library alone */
    c.f.spec = vendor_spec;
    assert_int_equal(measure(&c, 2), RFT_OUTCOME_OK);
    stop(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_verified_and_timed_as_a_kernel_is),
        cmocka_unit_test(a_wrong_result_is_no_baseline),
        cmocka_unit_test(a_slow_algorithm_leaves_the_race),
        cmocka_unit_test(what_is_missing_is_said_once_looked_for_once),
        cmocka_unit_test(refusals_are_outcomes_with_the_librarys_words),
        cmocka_unit_test(between_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
