/* SPDX-License-Identifier: Apache-2.0 */
/* A point that is launched again and again: what goes wrong now and then only. */
#include "measure/measure_fixture.h"

#include <string.h>

/* The verified run is the first launch. */
typedef struct now_and_then {
    int launches;
    int wrong_at, unwritten_at, spoils_at; /* launches; 0: none */
    int rounds_every;                      /* launches; 0: none. The last bit of an element is another one */
} now_and_then;

static void run_now_and_then(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    now_and_then *n = self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    float *in = RFT_SCRIPTED_POINTER(launch, 1, float);
    int now = ++n->launches;
    for (int i = 0; i < ELEMENTS; i++) {
        if (now != n->unwritten_at || i != 321) {
            out[i] = 2.0f * in[i] + acc[i];
        }
        acc[i] += 1.0f;
    }
    if (now == n->wrong_at) {
        out[5] = 77.0f;
    }
    if (now == n->spoils_at) {
        in[17] = 0.5f;
    }
    if (n->rounds_every > 0 && now % n->rounds_every == 0) {
        uint32_t bits;
        memcpy(&bits, &out[9], sizeof bits);
        bits ^= 1;
        memcpy(&out[9], &bits, sizeof bits);
    }
}

static rft_outcome repeat(fixture *f, int repeats, now_and_then *n) {
    f->request.repeats = repeats;
    f->request.verify_only = true;
    rft_scripted_gpu_kernel(f->scripted, "now and then", run_now_and_then, n);
    return fixture_outcome(f, "now and then");
}

static void all_are_alike(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    now_and_then n = {0};
    assert_int_equal(repeat(&f, 120, &n), RFT_OUTCOME_OK);
    assert_int_equal(n.launches, 121);
    assert_int_equal(f.result.repeats, 120);
    assert_int_equal(f.result.repeats_differ, 0);
    assert_int_equal(f.result.measurement.n, 0);
    assert_true(f.result.verification.done);
    assert_int_equal(repeat(&f, 0, &n), RFT_OUTCOME_OK); /* not asked for */
    assert_int_equal(n.launches, 122);
    assert_int_equal(f.result.repeats, 0);
    fixture_stop(&f);
}

static void other_bits_are_counted(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    now_and_then n = {.rounds_every = 10};
    assert_int_equal(repeat(&f, 120, &n), RFT_OUTCOME_OK);
    assert_int_equal(f.result.repeats, 120);
    assert_int_equal(f.result.repeats_differ, 12);
    fixture_stop(&f);
}

static void one_wrong_launch_is_found(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    now_and_then n = {.wrong_at = 1 + 77};
    assert_int_equal(repeat(&f, 120, &n), RFT_OUTCOME_WRONG_RESULT);
    assert_non_null(strstr(f.result.reason, "launch 77 of 120: out[5] is 77, the reference says "));
    n = (now_and_then){.unwritten_at = 1 + 120};
    assert_int_equal(repeat(&f, 120, &n), RFT_OUTCOME_WRONG_RESULT);
    assert_non_null(strstr(f.result.reason, "launch 120 of 120: out[321] is "));
    assert_non_null(strstr(f.result.reason, "not written"));
    n = (now_and_then){.spoils_at = 1 + 40};
    assert_int_equal(repeat(&f, 120, &n), RFT_OUTCOME_WRONG_RESULT);
    assert_non_null(f.result.reason);
    n = (now_and_then){.spoils_at = 1 + 120}; /* none reads it any more */
    assert_int_equal(repeat(&f, 120, &n), RFT_OUTCOME_WRONG_RESULT);
    assert_string_equal(f.result.reason, "the kernel wrote to its input in");
    fixture_stop(&f);
}

static void they_end_in_time(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    now_and_then n = {0};
    f.request.measure.point_timeout_s = 1.0;
    rft_scripted_gpu_times(f.scripted, "now and then", &(double){0.1}, 1);
    assert_int_equal(repeat(&f, 120, &n), RFT_OUTCOME_TIMED_OUT);
    assert_non_null(strstr(f.result.reason, "launching it again and again"));
    assert_int_equal(n.launches, 51);
    fixture_stop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_alike),
        cmocka_unit_test(other_bits_are_counted),
        cmocka_unit_test(one_wrong_launch_is_found),
        cmocka_unit_test(they_end_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
