/* SPDX-License-Identifier: Apache-2.0 */
/* One point through the protocol: order of events, samples, stopping, limits, faults. */
#include "measure/measure_fixture.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int count(const char *text, const char *part) {
    int found = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) {
        found++;
    }
    return found;
}

static void set_times(fixture *f, const char *symbol, double seconds) {
    rft_scripted_gpu_times(f->scripted, symbol, &seconds, 1);
}

/* ---- samples ---- */

static void test_samples(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    set_times(&f, "good", 20e-6);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    const rft_measurement *m = &f.result.measurement;
    assert_int_equal(m->n, 10);
    assert_int_equal(m->stop, RFT_STOP_SETTLED);
    assert_int_equal(m->cache, RFT_CACHE_COLD);
    for (size_t i = 0; i < m->n; i++) {
        assert_true(fabs(m->samples_s[i] - 20e-6) < 1e-12);
    }
    assert_true(fabs(m->stats.median - 20e-6) < 1e-12);
    assert_true(fabs(m->clock_mhz - 1980.0) < 1.0);
    assert_true(m->wall_s > 0.0 && m->verify_s > 0.0 && m->verify_s < m->wall_s);
    assert_null(m->step_s);
    /* verified, which is the first of 3 to warm up, 10 samples; of the last one it was known that it would do */
    assert_int_equal(rft_scripted_launches(f.scripted, "good"), 13);
    fixture_stop(&f);
}

/* Runs of a kernel of 6 ms are worth more than a warm-up of three; a second one of 2 ms is enough. */
static void test_warm_up(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    set_times(&f, "good", 6e-3);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(f.result.measurement.n, 10);
    assert_int_equal(rft_scripted_launches(f.scripted, "good"), 1 + 10);
    set_times(&f, "good", 2e-3);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_launches(f.scripted, "good"), 11 + 2 + 10);
    fixture_stop(&f);
}

static void wait_to_be_asked(void *payload, rft_phase phase, size_t buffer) {
    const rft_clock *clock = payload;
    (void)buffer;
    if (phase == RFT_PHASE_COMPARE) {
        clock->sleep_ns(clock->self, INT64_C(1000000000000));
    }
}

/* Where it is measured before it is asked for: that wait does not count as its time. */
static void test_what_waits_to_be_asked_for_is_not_late(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    f.request.enter = wait_to_be_asked;
    f.request.payload = (void *)(uintptr_t)rft_scripted_gpu_clock(f.scripted);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    fixture_stop(&f);
}

/* What the device worked on, by its own events: nothing of flushing, holding and waiting. */
static void test_busy(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    double reference_s = 5e-3, compare_s = 70e-6, flush_s = 1e-3;
    set_times(&f, "good", 1e-3);
    set_times(&f, "reference", reference_s);
    set_times(&f, "rft_compare_kernel", compare_s);
    set_times(&f, "rft_checksum_kernel", compare_s);
    set_times(&f, "rft_flush_write_kernel", flush_s);
    double folds_s = 2 * rft_scripted_defaults().speeds.launch_s;
    double judging_s = 2 * (compare_s + folds_s) + compare_s + folds_s; /* out and acc; in */
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    double first_s = f.result.measurement.busy_s;
    assert_true(fabs(first_s - (reference_s + judging_s + (1 + 2 + 10) * 1e-3)) < 10e-6);
    assert_true(f.result.measurement.wall_s > first_s + 10 * flush_s);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_true(fabs(first_s - f.result.measurement.busy_s - reference_s) < 10e-6); /* once a problem */
    f.request.verify_only = true;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_true(fabs(f.result.measurement.busy_s - (judging_s + 1e-3)) < 10e-6);
    f.launches[0].block[0] = 2048;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_SKIPPED);
    assert_true(f.result.measurement.busy_s == 0.0);
    f.launches[0].block[0] = 128;
    rft_scripted_gpu_fault(f.scripted, "good", RFT_SCRIPTED_ILLEGAL, 0);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_LAUNCH_FAILED);
    assert_true(isnan(f.result.measurement.busy_s)); /* events cannot be read any more */
    fixture_stop(&f);
}

/* Clearly slower than the best so far: five samples do, whatever they look like. */
static void test_race(void **state) {
    (void)state;
    fixture f;
    double wild[] = {3e-3, 9e-3, 2e-3, 7e-3, 5e-3};
    fixture_start(&f, NULL);
    rft_scripted_gpu_times(f.scripted, "good", wild, 5);
    f.request.rival_s = 1e-3;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK); /* not noisy */
    assert_null(f.result.reason);
    assert_int_equal(f.result.measurement.n, 5);
    assert_int_equal(f.result.measurement.stop, RFT_STOP_SLOWER);
    assert_int_equal(rft_scripted_launches(f.scripted, "good"), 1 + 5); /* and no sixth was begun */
    f.request.rival_s = 0.0;
    assert_true(rft_outcome_is_measured(fixture_outcome(&f, "good")));
    assert_true(f.result.measurement.n >= 10);
    set_times(&f, "good", 1.05e-3);
    f.request.rival_s = 1e-3;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(f.result.measurement.n, 10);
    assert_int_equal(f.result.measurement.stop, RFT_STOP_SETTLED);
    fixture_stop(&f);
}

/* Far slower than others: the verified run and one sample tell it, or three samples. Its run alone does where it takes
 * far longer than what a first launch may. */
static void test_few_samples(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const rft_measurement *m = &f.result.measurement;
    f.request.rival_s = 1e-3;
    f.request.few = rft_race_limits_of(1e-3, 1e-3, 0.0, false);
    rft_scripted_gpu_host(f.scripted, "good", 0.0);
    set_times(&f, "good", 1.6e-3);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_true(m->n == 1 && m->stop == RFT_STOP_SLOWER && !m->stats.interval_is_95);
    assert_true(fabs(m->first_run_s - 1.6e-3) < 1e-9 && fabs(m->samples_s[0] - 1.6e-3) < 1e-9 && m->clocks_mhz[0] > 0);
    assert_int_equal(rft_scripted_launches(f.scripted, "good"), 2);
    assert_true(m->busy_s < 4e-3);
    set_times(&f, "good", 1.3e-3);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_true(m->n == 3 && m->stop == RFT_STOP_SLOWER);
    set_times(&f, "good", 250e-3);
    f.request.measure.point_timeout_s = 0.4;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_true(m->n == 1 && m->stop == RFT_STOP_SLOWER && m->samples_s[0] == m->first_run_s && isnan(m->clock_mhz));
    assert_int_equal(rft_scripted_launches(f.scripted, "good"), 2 + 2 + 3 + 1);
    fixture_stop(&f);
}

/* Where samples lie close together, a run of 0.5 ms or more tells alone what is 1.3 times slower: at a clock that is
 * known, and without what the host took to queue it. */
static void test_the_run_alone(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const rft_measurement *m = &f.result.measurement;
    set_times(&f, "good", 1e-3);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK); /* the device is awake */
    const unsigned before = rft_scripted_launches(f.scripted, "good");
    f.request.rival_s = 1e-3;
    f.request.few = rft_race_limits_of(1e-3, 1e-3, 0.0, true);
    rft_scripted_gpu_host(f.scripted, "good", 0.0);
    set_times(&f, "good", 1.4e-3);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_true(m->n == 1 && m->stop == RFT_STOP_SLOWER && m->samples_s[0] == m->first_run_s && m->clocks_mhz[0] > 0);
    assert_int_equal(rft_scripted_launches(f.scripted, "good") - before, 1);
    assert_true(f.result.verification.done);
    set_times(&f, "good", 1.25e-3);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_launches(f.scripted, "good") - before, 1 + 2);
    set_times(&f, "good", 1.4e-3);
    rft_scripted_gpu_host(f.scripted, "good", 0.2e-3); /* without them it is 1.2 ms */
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_launches(f.scripted, "good") - before, 1 + 2 + 2);
    rft_scripted_gpu_host(f.scripted, "good", 0.0);
    set_times(&f, "good", 1.06e-3);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_true(m->n == 6 && m->stop == RFT_STOP_SLOWER && m->stats.interval_is_95);
    set_times(&f, "good", 1.4e-3);
    f.request.few.clock_mhz = 3000.0; /* beside one that ran at 1.5 times this clock nothing is told */
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_true(m->n >= 10 && m->samples_s[0] > 1.39e-3);
    fixture_stop(&f);
}

/* A slow first run is no more than a hint, and one slow sample behind a fast one is not even that. */
static void test_few_samples_must_agree(void **state) {
    (void)state;
    fixture f;
    double slow_first[] = {9e-3, 1e-3}, slow_sample[] = {1e-3, 1e-3, 1e-3, 9e-3, 1e-3};
    fixture_start(&f, NULL);
    const rft_measurement *m = &f.result.measurement;
    f.request.rival_s = 1e-3;
    f.request.few = rft_race_limits_of(1e-3, 1e-3, 0.0, false);
    rft_scripted_gpu_times(f.scripted, "good", slow_first, 2);
    assert_true(rft_outcome_is_measured(fixture_outcome(&f, "good")));
    assert_true(m->n >= 5);
    rft_scripted_gpu_times(f.scripted, "good", slow_sample, 5);
    assert_true(rft_outcome_is_measured(fixture_outcome(&f, "good")));
    assert_true(m->n >= 5);
    f.request.few = rft_race_limits_of(1e-3, 1e-3, 0.5, false); /* where samples were seen 50 % above their medians */
    set_times(&f, "good", 1.7e-3);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(m->n, 5);
    f.request.few =
        rft_race_limits_of(20e-6, 20e-6, 0.0, false); /* the host's gap may be all that is slow in a short run */
    f.request.rival_s = 20e-6;
    set_times(&f, "good", 45e-6);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(m->n, 3);
    fixture_stop(&f);
}

/* The last sample, launch by launch. */
static void test_order(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    set_times(&f, "good", 20e-6);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    rft_scripted_history_clear(f.scripted);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    static const char sample[] = "copy 4000\n"
                                 "launch rft_flush_write_kernel\n"
                                 "launch rft_flush_read_kernel\n"
                                 "launch rft_block_kernel\n"
                                 "launch rft_stamp_kernel\n"
                                 "record\n"
                                 "launch good\n"
                                 "record\n"
                                 "launch rft_stamp_kernel\n"
                                 "record\n";
    assert_int_equal(count(rft_scripted_history(f.scripted), sample), 10);
    assert_null(strstr(strstr(rft_scripted_history(f.scripted), sample), "sync")); /* one by one, without a stop */
    const char *verified = strstr(rft_scripted_history(f.scripted), "launch rft_compare_kernel");
    assert_non_null(verified);
    assert_true(strstr(rft_scripted_history(f.scripted), sample) > verified);
    f.request.measure.cache = RFT_CACHE_HOT;
    rft_scripted_history_clear(f.scripted);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(count(rft_scripted_history(f.scripted), "flush"), 0);
    assert_int_equal(count(rft_scripted_history(f.scripted), "copy 4000\nlaunch rft_block_kernel"), 10);
    assert_int_equal(f.result.measurement.cache, RFT_CACHE_HOT);
    fixture_stop(&f);
}

/* The kernel adds to the inout: had it not been restored, launches would see different values. */
typedef struct witness {
    float first;
    bool same;
    unsigned launches;
} witness;

static void run_witness(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    witness *w = self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    w->first = w->launches++ ? w->first : acc[0];
    w->same = w->same && acc[0] == w->first;
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0f * in[i] + acc[i];
        acc[i] += 1.0f;
    }
}

static void test_inout_restored(void **state) {
    (void)state;
    fixture f;
    witness w = {.same = true};
    fixture_start(&f, NULL);
    rft_scripted_gpu_kernel(f.scripted, "witness", run_witness, &w);
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    assert_int_equal(w.launches, 13);
    assert_true(w.same);
    fixture_stop(&f);
}

static void test_stop_rule(void **state) {
    (void)state;
    fixture f;
    double uneven[40];
    fixture_start(&f, NULL);
    for (size_t i = 0; i < 40; i++) {
        uneven[i] = 20e-6 + (double)(i * 7 % 40) * 1e-7;
    }
    rft_scripted_gpu_times(f.scripted, "good", uneven, 40);
    f.request.measure.max_samples = 25;
    f.request.measure.noise_frac = 1e-9;
    f.request.measure.min_samples = 12;
    assert_true(rft_outcome_is_measured(fixture_outcome(&f, "good")));
    assert_int_equal(f.result.measurement.n, 25);
    assert_int_equal(f.result.measurement.stop, RFT_STOP_SAMPLES);
    double slow = 0.1; /* 4 * max_seconds ends it before 10 samples are there */
    rft_scripted_gpu_times(f.scripted, "good", &slow, 1);
    f.request.measure = (rft_measure_opts)RFT_MEASURE_OPTS_INIT;
    f.request.measure.max_seconds = 0.1;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(f.result.measurement.stop, RFT_STOP_TIME);
    assert_int_equal(f.result.measurement.n, 4);
    fixture_stop(&f);
}

static void test_noisy(void **state) {
    (void)state;
    fixture f;
    double times[64];
    fixture_start(&f, NULL);
    for (size_t i = 0; i < 64; i++) {
        times[i] = 10e-6 * (1.0 + (double)(i * 37 % 64) / 8.0);
    }
    rft_scripted_gpu_times(f.scripted, "good", times, 64);
    f.request.measure.max_samples = 20;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_NOISY);
    assert_non_null(strstr(f.result.reason, "after 20 samples"));
    assert_int_equal(f.result.measurement.n, 20);
    assert_int_equal(f.result.measurement.stop, RFT_STOP_SAMPLES);
    fixture_stop(&f);
}

static void test_clock_not_plausible(void **state) {
    (void)state;
    fixture f;
    rft_scripted_opts opts = rft_scripted_defaults();
    opts.clock_mhz = 9000.0; /* 4.5 times the device's maximum */
    fixture_start(&f, &opts);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_true(isnan(f.result.measurement.clock_mhz));
    assert_int_equal(f.result.measurement.n, 10);
    fixture_stop(&f);
}

/* ---- several launches ---- */

static void test_steps(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    f.spec.launch_count = 3;
    f.launches[1] = (rft_launch){.kind = RFT_LAUNCH_MEMSET, .memset_buffer = BUFFER_ACC, .memset_byte = 0};
    f.launches[2].grid[0] = 16;
    /* One run adds 1, sets acc to 0 and adds 1 again: out = 2 * in, acc = 1. */
    set_times(&f, "good", 30e-6);
    f.request.verify_only = true;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_WRONG_RESULT);
    rft_scripted_history_clear(f.scripted);
    f.launches[1].memset_buffer = BUFFER_SCRATCH;
    f.launches[2] = f.launches[1];
    f.launches[2].memset_byte = 7;
    f.request.verify_only = false;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_null(f.result.measurement.step_s);
    f.request.round = 1;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_int_equal(f.result.measurement.step_count, 3);
    assert_true(fabs(f.result.measurement.step_s[0] - 30e-6) < 1e-12);
    assert_true(f.result.measurement.step_s[1] < 2e-6);
    assert_true(fabs(f.result.measurement.stats.median - 32e-6) < 1e-9);
    assert_non_null(strstr(rft_scripted_history(f.scripted), "set 7 4000"));
    fixture_stop(&f);
}

/* So many launches cannot be queued behind the blocking kernel; it is left out. */
static void test_many_launches(void **state) {
    (void)state;
    fixture f;
    rft_launch *many = calloc(400, sizeof *many);
    fixture_start(&f, NULL);
    for (size_t i = 0; i < 400; i++) {
        many[i] = (rft_launch){.kind = RFT_LAUNCH_MEMSET, .memset_buffer = BUFFER_SCRATCH};
    }
    many[0] = f.launches[0];
    f.spec.launches = many;
    f.spec.launch_count = 400;
    many[0].entry = "good";
    rft_scripted_history_clear(f.scripted);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    const char *history = strstr(rft_scripted_history(f.scripted), "launch rft_compare_kernel");
    assert_int_equal(count(history, "launch rft_stamp_kernel\nrecord\nlaunch good"), 10);
    assert_int_equal(count(history, "launch rft_block_kernel\nlaunch rft_stamp_kernel\nrecord\nlaunch good"), 0);
    free(many);
    fixture_stop(&f);
}

/* A launch that waits for the stream while the blocking kernel holds it: given up after a second, measured without. */
static void run_waiting(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    fixture *f = self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0f * in[i] + acc[i];
        acc[i] += 1.0f;
    }
    assert_int_equal(f->gpu->vt->sync(f->gpu, NULL), 0);
}

static void test_waiting_launch(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_scripted_gpu_kernel(f.scripted, "waiting", run_waiting, &f);
    double before_s = rft_scripted_now_s(f.scripted);
    assert_int_equal(fixture_outcome(&f, "waiting"), RFT_OUTCOME_OK);
    double took_s = rft_scripted_now_s(f.scripted) - before_s;
    assert_true(took_s > 1.0 && took_s < 2.0); /* once, not in every sample */
    assert_true(f.result.measurement.stats.max < 1e-4);
    before_s = rft_scripted_now_s(f.scripted);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK); /* the next point is held again */
    assert_true(rft_scripted_now_s(f.scripted) - before_s < 0.5);
    fixture_stop(&f);
}

/* ---- inputs ---- */

typedef struct seen {
    float in[ELEMENTS];
} seen;

static void run_looking(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    memcpy(((seen *)self)->in, in, sizeof((seen *)self)->in);
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0f * in[i] + acc[i];
        acc[i] += 1.0f;
    }
}

static void test_inputs(void **state) {
    (void)state;
    fixture f;
    seen first, second;
    fixture_start(&f, NULL);
    rft_scripted_gpu_kernel(f.scripted, "one", run_looking, &first);
    rft_scripted_gpu_kernel(f.scripted, "two", run_looking, &second);
    assert_int_equal(fixture_outcome(&f, "one"), RFT_OUTCOME_OK);
    assert_int_equal(fixture_outcome(&f, "two"), RFT_OUTCOME_OK);
    assert_memory_equal(first.in, second.in, sizeof first.in);
    assert_int_equal(rft_scripted_launches(f.scripted, "rft_fill_kernel"), 2); /* in and acc, once */
    f.request.problem_key = "n=1001";                                          /* made anew, but from the same seed */
    assert_int_equal(fixture_outcome(&f, "two"), RFT_OUTCOME_OK);
    assert_memory_equal(first.in, second.in, sizeof first.in);
    f.request.measure.seed = 2;
    assert_int_equal(fixture_outcome(&f, "two"), RFT_OUTCOME_OK);
    assert_memory_not_equal(first.in, second.in, sizeof first.in);
    fixture_stop(&f);
}

/* ---- what does not fit ---- */

static void test_memory(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    f.buffers[BUFFER_SCRATCH].count = 30ull << 20;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_SKIPPED);
    assert_non_null(strstr(f.result.reason, "needs 124"));
    assert_non_null(strstr(f.result.reason, " free"));
    assert_int_equal(rft_scripted_launches(f.scripted, "good"), 0);
    f.buffers[BUFFER_SCRATCH].count = ELEMENTS;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    fixture_stop(&f);
}

static void expect_skipped(fixture *f, const char *part) {
    assert_int_equal(fixture_outcome(f, "good"), RFT_OUTCOME_SKIPPED);
    if (!strstr(f->result.reason, part)) {
        print_error("\"%s\" does not mention \"%s\"\n", f->result.reason, part);
    }
    assert_non_null(strstr(f->result.reason, part));
    assert_int_equal(rft_scripted_launches(f->scripted, "good"), 0);
}

static void test_limits(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const rft_launch plain = f.launches[0];
    f.launches[0].block[0] = 2048;
    expect_skipped(&f, "block of 2048 x 1 x 1");
    f.launches[0].block[0] = 512;
    f.launches[0].block[1] = 4;
    expect_skipped(&f, "2048 threads per block, the device allows 1024");
    f.launches[0] = plain;
    f.launches[0].shared_bytes = 300000;
    expect_skipped(&f, "300000 bytes of shared memory");
    f.launches[0] = plain;
    f.launches[0].grid[1] = 70000;
    expect_skipped(&f, "grid of 8 x 70000 x 1");
    f.launches[0] = plain;
    f.launches[0].cluster[0] = 3;
    expect_skipped(&f, "no multiple of the cluster's 3");
    f.launches[0] = plain;
    f.launches[0].cooperative = true;
    f.launches[0].grid[0] = 1 << 20;
    expect_skipped(&f, "fit at once");
    f.launches[0] = plain;
    rft_scripted_gpu_facts(
        f.scripted, "good",
        &(rft_function_facts){.registers = 255, .shared_static_bytes = 200000, .max_threads_per_block = 256});
    f.launches[0].block[0] = 512;
    expect_skipped(&f, "its 255 registers allow 256");
    f.launches[0] = plain;
    f.launches[0].shared_bytes = 100000;
    expect_skipped(&f, "(200000 static)");
    fixture_stop(&f);
}

static void test_facts(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_scripted_gpu_facts(f.scripted, "good", &(rft_function_facts){.registers = 40, .max_threads_per_block = 1024});
    f.launches[0].shared_bytes = 100 << 10;
    f.launches[0].grid[0] = 0; /* resident() */
    f.launches[0].block[0] = 256;
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    const rft_facts *facts = &f.result.facts;
    assert_int_equal(facts->registers, 40);
    assert_int_equal(facts->shared_dynamic_bytes, 100 << 10);
    assert_int_equal(facts->blocks_per_sm, 2);
    assert_true(fabs(facts->occupancy_frac - 0.25) < 1e-12);
    assert_true(fabs(facts->waves - 1.0) < 1e-12);
    assert_string_equal(facts->cubin_hash, f.unit.cubin_hash);
    assert_non_null(strstr(rft_scripted_history(f.scripted), "shared good 102400"));
    fixture_stop(&f);
}

/* ---- what goes wrong ---- */

static void test_timeout(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    set_times(&f, "good", 4.0);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK); /* one sample is all its time allows */
    assert_int_equal(f.result.measurement.n, 1);
    f.request.measure.max_seconds = 100.0; /* more samples would fit, but not into the point's time */
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_TIMED_OUT);
    assert_non_null(strstr(f.result.reason, "12.0 s have passed after timing it, measure.timeout is 10 s"));
    set_times(&f, "good", 6.0);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_TIMED_OUT);
    assert_string_equal(f.result.reason, "6.0 s have passed after its first run, a sample would take 6.0 s more, "
                                         "measure.timeout is 10 s");
    assert_int_equal(f.result.measurement.n, 0);
    set_times(&f, "good", 12.0);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_TIMED_OUT);
    assert_non_null(strstr(f.result.reason, "12.0 s have passed after its first run"));
    assert_int_equal(f.result.measurement.n, 0);
    fixture_stop(&f);
}

static void test_refused(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_scripted_gpu_fault(f.scripted, "bad", RFT_SCRIPTED_REFUSED, 0);
    assert_int_equal(fixture_outcome(&f, "bad"), RFT_OUTCOME_LAUNCH_FAILED);
    assert_non_null(strstr(f.result.reason, "too many resources"));
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    /* Refused in the middle of a sample: the blocking kernel must not be left spinning. */
    rft_scripted_gpu_fault(f.scripted, "good", RFT_SCRIPTED_REFUSED, 6);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_LAUNCH_FAILED);
    rft_scripted_gpu_fault(f.scripted, "good", RFT_SCRIPTED_NO_FAULT, 0);
    double before_s = rft_scripted_now_s(f.scripted);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    assert_true(rft_scripted_now_s(f.scripted) - before_s < 0.9);
    fixture_stop(&f);
}

/* Code is unloaded while no answer is waited for, at the latest before the next point's is loaded. */
static void test_rest(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    assert_int_equal(fixture_outcome(&f, "good<1>"), RFT_OUTCOME_OK);
    rft_scripted_history_clear(f.scripted);
    f.probe->rest(f.probe);
    assert_string_equal(rft_scripted_history(f.scripted), "unload\n");
    f.probe->rest(f.probe);
    assert_int_equal(count(rft_scripted_history(f.scripted), "unload"), 1);
    assert_int_equal(fixture_outcome(&f, "good<2>"), RFT_OUTCOME_OK);
    assert_int_equal(count(rft_scripted_history(f.scripted), "unload"), 1);
    assert_int_equal(fixture_outcome(&f, "good<3>"), RFT_OUTCOME_OK);
    assert_int_equal(count(rft_scripted_history(f.scripted), "unload"), 2);
    assert_true(strstr(rft_scripted_history(f.scripted), "unload\nset") != NULL);
    fixture_stop(&f);
}

/* Code that was expected is loaded before it is asked for, and no second time; what was expected in vain is let go. */
static void test_expected(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    assert_int_equal(fixture_outcome(&f, "good<1>"), RFT_OUTCOME_OK);
    f.probe->rest(f.probe);
    fixture_compile(&f, "good<2>");
    unsigned before = rft_scripted_loads(f.scripted);
    f.probe->expect(f.probe, &f.request);
    assert_int_equal(rft_scripted_loads(f.scripted), before + 1);
    assert_int_equal(fixture_outcome(&f, "good<2>"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_loads(f.scripted), before + 1);
    f.probe->rest(f.probe);
    f.probe->expect(f.probe, &f.request);
    rft_scripted_history_clear(f.scripted);
    assert_int_equal(fixture_outcome(&f, "good<3>"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_loads(f.scripted), before + 3);
    assert_int_equal(count(rft_scripted_history(f.scripted), "unload"), 0);
    f.probe->expect(f.probe, &f.request);
    assert_int_equal(count(rft_scripted_history(f.scripted), "unload"), 1);
    fixture_stop(&f);
}

/* Too few arguments: said in words, before the driver reads beyond them. */
static void test_parameters(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_scripted_gpu_params(f.scripted, "good", 4);
    rft_scripted_gpu_params(f.scripted, "reference", 4);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    rft_scripted_gpu_params(f.scripted, "good", 6);
    f.args[3] = (rft_arg){.kind = RFT_ARG_SCALAR, .type = RFT_TYPE_I64};
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_LAUNCH_FAILED);
    assert_string_equal(f.result.reason, "good takes 6 parameters, 4 are given: acc, in, out, one i64");
    f.args[3] = (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = BUFFER_SCRATCH};
    rft_scripted_gpu_params(f.scripted, "good", 3); /* one too many is never read */
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    rft_scripted_gpu_params(f.scripted, "reference", 5);
    f.request.problem_key = "n=1001";
    unsigned launches = rft_scripted_launches(f.scripted, "reference");
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_LAUNCH_FAILED);
    assert_string_equal(f.result.reason,
                        "not verified: the reference reference: reference takes 5 parameters, 4 are given: "
                        "acc, in, out, one i64");
    assert_int_equal(rft_scripted_launches(f.scripted, "reference"), launches);
    fixture_stop(&f);
}

static void test_sticky(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_scripted_gpu_fault(f.scripted, "good<3>", RFT_SCRIPTED_ILLEGAL, 0);
    assert_int_equal(fixture_outcome(&f, "good<2>"), RFT_OUTCOME_OK);
    assert_int_equal(fixture_outcome(&f, "good<3>"), RFT_OUTCOME_LAUNCH_FAILED);
    assert_string_equal(f.result.reason, "an illegal memory access was encountered");
    assert_int_equal(fixture_measure(&f, "good<2>"), RFT_E_DEVICE);
    assert_non_null(strstr(f.err.message, "an illegal memory access was encountered"));
    rft_ceilings ceilings;
    assert_int_equal(f.probe->ceilings(f.probe, NULL, f.arena, &ceilings, &f.err), RFT_E_DEVICE);
    fixture_stop(&f);
}

static void test_not_compiled(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_compile_result broken = {.log = "k.cu(1): error: no"};
    f.launches[0].entry = "good";
    f.request.unit = &broken;
    assert_int_equal(f.probe->measure(f.probe, &f.request, f.arena, &f.result, &f.err), 0);
    assert_int_equal(f.result.outcome, RFT_OUTCOME_COMPILE_FAILED);
    assert_string_equal(f.result.log, "k.cu(1): error: no");
    fixture_stop(&f);
}

/* rooftune's own kernels failing to compile is no point's fault. */
static void test_own_kernels(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_scripted_compiler_fail(f.compiler, "rft_compare_kernel", "ptxas fatal");
    assert_int_equal(fixture_measure(&f, "good"), RFT_E_COMPILER);
    assert_non_null(strstr(f.err.message, "ptxas fatal"));
    rft_scripted_compiler_fail(f.compiler, NULL, NULL);
    assert_int_equal(fixture_outcome(&f, "good"), RFT_OUTCOME_OK);
    fixture_stop(&f);
}

static void test_device(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rft_gpu_info gpu;
    rft_env env = {0};
    assert_int_equal(f.probe->device(f.probe, f.arena, &gpu, &env, &f.err), 0);
    assert_string_equal(gpu.name, "Scripted GPU");
    assert_string_equal(rft_env_value(&env, "gpu.name"), "Scripted GPU");
    assert_null(rft_env_value(&env, "driver.version"));
    fixture_stop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_what_waits_to_be_asked_for_is_not_late),
        cmocka_unit_test(test_warm_up),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_race),
        cmocka_unit_test(test_few_samples),
        cmocka_unit_test(test_the_run_alone),
        cmocka_unit_test(test_few_samples_must_agree),
        cmocka_unit_test(test_inout_restored),
        cmocka_unit_test(test_stop_rule),
        cmocka_unit_test(test_noisy),
        cmocka_unit_test(test_clock_not_plausible),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_many_launches),
        cmocka_unit_test(test_waiting_launch),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_timeout),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_sticky),
        cmocka_unit_test(test_not_compiled),
        cmocka_unit_test(test_own_kernels),
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
