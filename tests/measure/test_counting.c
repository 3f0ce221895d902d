/* SPDX-License-Identifier: Apache-2.0 */
/* A point's counters through the protocol, on the scripted GPU: what runs inside a counted range and what before it. */
#include "measure/measure_fixture.h"

#include "support/scripted_counting.h"

#include <math.h>
#include <string.h>

typedef struct scripted {
    fixture f;
    rft_scripted_counting *counting; /* the protocol's */
    unsigned opened;
    int refusal; /* of opening; RFT_OK: none */
    rft_count_result result;
} scripted;

static void values(void *self, rft_counters *out) {
    (void)self;
    out->values[RFT_COUNTER_DRAM_READ] = 8.0 * ELEMENTS;
    out->values[RFT_COUNTER_DRAM_WRITE] = 4.0 * ELEMENTS;
    out->values[RFT_COUNTER_WARPS_ACTIVE] = 7.0; /* a share: cannot be */
    out->values[RFT_COUNTER_TENSOR_BF16] = 0.0;
}

static int open_counting(void *self, rft_gpu *gpu, rft_counting **out, rft_err *err) {
    scripted *s = self;
    s->opened++;
    assert_ptr_equal(gpu, s->f.gpu);
    if (s->refusal != RFT_OK) {
        rft_err_set(err, s->refusal, "no profiler");
        return rft_err_remedy(err, "install one");
    }
    s->counting = rft_scripted_counting_new(s->f.scripted, values, NULL);
    *out = rft_scripted_counting_device(s->counting);
    return RFT_OK;
}

static void start(scripted *s) {
    *s = (scripted){.opened = 0};
    fixture_start(&s->f, NULL);
    const rft_counting_source source = {open_counting, s};
    rft_protocol_use_counting(s->f.probe, &source);
    assert_int_equal(fixture_outcome(&s->f, "good"), RFT_OUTCOME_OK);
}

static int count(scripted *s, const rft_counter_set *set) {
    return s->f.probe->count(s->f.probe, &s->f.request, set, s->f.arena, &s->result, &s->f.err);
}

static size_t occurrences(const char *text, const char *part) {
    size_t found = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) {
        found++;
    }
    return found;
}

static void only_the_launches_are_in_the_range(void **state) {
    (void)state;
    scripted s;
    start(&s);
    s.f.spec.launch_count = 2;
    s.f.launches[1].entry = s.f.launches[0].entry;
    const rft_counter_set set = rft_counter_set_default();
    assert_int_equal(s.opened, 0); /* timing does without */
    assert_int_equal(count(&s, &set), RFT_OK);
    assert_int_equal(rft_scripted_counting_calls(s.counting, RFT_SCRIPTED_START), 3);
    const char *inside = rft_scripted_counting_inside(s.counting);
    const char *before = rft_scripted_counting_before(s.counting);
    assert_int_equal(occurrences(inside, "launch good"), 2);
    assert_int_equal(occurrences(inside, "launch "), 2);
    assert_null(strstr(inside, "record")); /* nothing is timed */
    const char *restored = strstr(before, "copy ");
    const char *flushed = strstr(before, "flush_write");
    assert_non_null(restored);
    assert_non_null(flushed);
    assert_non_null(strstr(flushed, "flush_read"));
    assert_true(restored < flushed); /* restoring warms the cache */
    assert_false(s.result.worker_lost);
    assert_int_equal(s.result.counters.passes, 3);
    assert_true(s.result.counters.values[RFT_COUNTER_DRAM_READ] == 8.0 * ELEMENTS);
    assert_string_equal(s.result.counters.reasons[RFT_COUNTER_TENSOR_BF16], RFT_COUNTER_NOT_ASKED);
    assert_true(isnan(s.result.counters.values[RFT_COUNTER_WARPS_ACTIVE]));
    assert_non_null(s.result.counters.reasons[RFT_COUNTER_WARPS_ACTIVE]); /* withdrawn: above 1 */
    assert_int_equal(count(&s, &set), RFT_OK);
    assert_int_equal(s.opened, 1);
    fixture_stop(&s.f);
}

static void a_hot_point_is_counted_as_the_run_before_left_it(void **state) {
    (void)state;
    scripted s;
    start(&s);
    s.f.request.measure.cache = RFT_CACHE_HOT;
    const rft_counter_set set = rft_counter_set_all();
    assert_int_equal(count(&s, &set), RFT_OK);
    assert_int_equal(s.result.counters.passes, 14);
    assert_null(strstr(rft_scripted_counting_before(s.counting), "flush_write"));
    assert_true(s.result.counters.values[RFT_COUNTER_TENSOR_BF16] == 0.0);
    fixture_stop(&s.f);
}

static void a_refusal_comes_with_its_remedy(void **state) {
    (void)state;
    scripted s;
    const rft_counter_set set = rft_counter_set_default();
    start(&s);
    s.refusal = RFT_E_NOT_FOUND;
    for (int i = 0; i < 2; i++) { /* it is looked for once */
        rft_err_clear(&s.f.err);
        assert_int_equal(count(&s, &set), RFT_E_NOT_FOUND);
        assert_string_equal(s.f.err.message, "no profiler");
        assert_string_equal(s.f.err.remedy, "install one");
    }
    assert_int_equal(s.opened, 1);
    assert_int_equal(fixture_outcome(&s.f, "good"), RFT_OUTCOME_OK); /* timing goes on */
    fixture_stop(&s.f);
}

/* The first session of a process tells whether it may count at all; a later failure is this point's alone. */
static void a_later_failure_is_the_points_own(void **state) {
    (void)state;
    const rft_counter_set set = rft_counter_set_default();
    for (int step = 0; step < RFT_SCRIPTED_STEPS; step++) {
        scripted s;
        start(&s);
        assert_int_equal(count(&s, &set), RFT_OK);
        unsigned calls = rft_scripted_counting_calls(s.counting, (rft_scripted_step)step);
        rft_scripted_counting_fail(s.counting, (rft_scripted_step)step, RFT_E_LIMIT, calls);
        assert_int_equal(count(&s, &set), RFT_OK);
        assert_true(isnan(s.result.counters.values[RFT_COUNTER_DRAM_READ]));
        assert_non_null(strstr(s.result.counters.reasons[RFT_COUNTER_DRAM_READ], "ERR_NVGPUCTRPERM"));
        assert_string_equal(s.result.counters.reasons[RFT_COUNTER_TENSOR_BF16], RFT_COUNTER_NOT_ASKED);
        assert_false(rft_scripted_counting_is_open(s.counting));
        rft_scripted_counting_fail(s.counting, (rft_scripted_step)step, RFT_OK, 0);
        assert_int_equal(count(&s, &set), RFT_OK);
        assert_true(s.result.counters.values[RFT_COUNTER_DRAM_READ] == 8.0 * ELEMENTS);
        fixture_stop(&s.f);
    }
}

static void a_refused_first_session_is_a_refusal(void **state) {
    (void)state;
    const rft_counter_set set = rft_counter_set_default();
    scripted s;
    start(&s);
    const rft_counter_set nothing = rft_counter_set_none();
    assert_int_equal(count(&s, &nothing), RFT_OK); /* opens, counts nothing */
    rft_scripted_counting_fail(s.counting, RFT_SCRIPTED_START, RFT_E_LIMIT, 0);
    assert_int_equal(count(&s, &set), RFT_E_LIMIT);
    assert_non_null(strstr(s.f.err.message, "ERR_NVGPUCTRPERM"));
    assert_string_equal(s.f.err.remedy, "allow it, or --counters none");
    assert_false(rft_scripted_counting_is_open(s.counting));
    fixture_stop(&s.f);
}

static void a_fault_in_a_counted_launch_is_told(void **state) {
    (void)state;
    const rft_counter_set set = rft_counter_set_default();
    scripted s;
    start(&s);
    rft_scripted_gpu_fault(s.f.scripted, "good", RFT_SCRIPTED_ILLEGAL, 2);
    assert_int_equal(count(&s, &set), RFT_OK);
    assert_non_null(strstr(s.result.counters.reasons[RFT_COUNTER_DRAM_READ], "the counted launch failed: "));
    rft_err_clear(&s.f.err);
    assert_int_equal(count(&s, &set), RFT_E_DEVICE); /* the context is gone */
    fixture_stop(&s.f);
}

/* Whoever asks must take another process: a time that was taken beside the profiler is no time. */
static void nothing_is_timed_once_the_profiler_is_open(void **state) {
    (void)state;
    scripted s;
    rft_probe_result result;
    rft_ceilings ceilings;
    rft_load idle;
    const rft_load_order order = {.wanted = true, .kind = RFT_LOAD_IDLE, .seconds = 1.0};
    const rft_counter_set nothing = rft_counter_set_none();
    start(&s);
    rft_probe *probe = s.f.probe;
    assert_int_equal(count(&s, &nothing), RFT_OK); /* opens it */
    assert_int_equal(probe->measure(probe, &s.f.request, s.f.arena, &result, &s.f.err), RFT_E_INTERNAL);
    assert_non_null(strstr(s.f.err.message, "the profiler was opened in this process"));
    assert_int_equal(probe->ceilings(probe, NULL, s.f.arena, &ceilings, &s.f.err), RFT_E_INTERNAL);
    assert_int_equal(probe->idle(probe, &order, s.f.arena, &idle, &s.f.err), RFT_E_INTERNAL);
    s.f.request.verify_only = true;
    assert_int_equal(probe->measure(probe, &s.f.request, s.f.arena, &result, &s.f.err), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    fixture_stop(&s.f);
}

static void what_cannot_be_launched_has_its_reason(void **state) {
    (void)state;
    const rft_counter_set set = rft_counter_set_default();
    scripted s;
    start(&s);
    s.f.launches[0].block[0] = 4096;
    assert_int_equal(count(&s, &set), RFT_OK);
    assert_non_null(strstr(s.result.counters.reasons[RFT_COUNTER_DRAM_READ], "block of 4096"));
    assert_int_equal(s.result.counters.passes, 0);
    fixture_stop(&s.f);
}

/* The profiler stays attached from point to point: what it has seen running is unloaded when it is detached. */
static void counted_code_stays_loaded(void **state) {
    (void)state;
    const rft_counter_set set = rft_counter_set_default();
    scripted s;
    start(&s);
    assert_int_equal(count(&s, &set), RFT_OK);
    rft_scripted_history_clear(s.f.scripted);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(count(&s, &set), RFT_OK);
    }
    assert_null(strstr(rft_scripted_history(s.f.scripted), "unload"));
    assert_int_equal(rft_scripted_counting_detached(s.counting), 0);
    assert_int_equal(count(&s, &set), RFT_OK);
    assert_int_equal(occurrences(rft_scripted_history(s.f.scripted), "unload"), 64);
    assert_int_equal(rft_scripted_counting_detached(s.counting), 1);
    fixture_stop(&s.f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_launches_are_in_the_range),
        cmocka_unit_test(a_hot_point_is_counted_as_the_run_before_left_it),
        cmocka_unit_test(a_refusal_comes_with_its_remedy),
        cmocka_unit_test(a_later_failure_is_the_points_own),
        cmocka_unit_test(a_refused_first_session_is_a_refusal),
        cmocka_unit_test(a_fault_in_a_counted_launch_is_told),
        cmocka_unit_test(nothing_is_timed_once_the_profiler_is_open),
        cmocka_unit_test(what_cannot_be_launched_has_its_reason),
        cmocka_unit_test(counted_code_stays_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
