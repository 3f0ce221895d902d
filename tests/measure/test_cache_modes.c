/* SPDX-License-Identifier: Apache-2.0 */
/* What the cache holds when a sample begins: rotating copies and what is aimed at them; batches near the timer floor,
 * and the warm-up that waits for the clock. */
#include "measure/measure_fixture.h"

#include <math.h>
#include <string.h>

#define SEEN 2048
#define SETS 43 /* the three buffers of 4000 bytes that launches get, 4096 apart, beyond twice 256 KiB */

static void set_times(fixture *f, const char *symbol, double seconds) {
    rft_scripted_gpu_times(f->scripted, symbol, &seconds, 1);
}

/* out = 2 * in + acc; writes acc too where that is an inout. Keeps where every run found its buffers. */
typedef struct witness {
    const float *in[SEEN];
    const void *map[SEEN];
    float *out[SEEN];
    float first_in[ELEMENTS];
    unsigned runs;
    bool writes, same; /* the contents were those of the first run, each time */
    float first_acc;
    int moves_clock; /* runs for which the clock goes on rising */
} witness;

static void run_witness(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    witness *w = self;
    float *acc = RFT_SCRIPTED_POINTER(launch, 0, float), *out = RFT_SCRIPTED_POINTER(launch, 2, float);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    assert_true(w->runs < SEEN);
    if (w->runs == 0) {
        memcpy(w->first_in, in, sizeof w->first_in);
        w->first_acc = acc[0];
        w->same = true;
    }
    w->same = w->same && memcmp(w->first_in, in, sizeof w->first_in) == 0 && acc[0] == w->first_acc;
    w->in[w->runs] = in;
    w->out[w->runs] = out;
    w->map[w->runs] = RFT_SCRIPTED_POINTER(launch, 3, const void); /* the scripted driver's maps begin with the base */
    w->runs++;
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0f * in[i] + acc[i];
        acc[i] += w->writes ? 1.0f : 0.0f;
    }
    if (w->moves_clock > 0) {
        rft_scripted_gpu_clock_mhz(gpu, 1000.0 + 100.0 * w->runs);
        w->moves_clock--;
    }
}

static void run_reference(rft_scripted_gpu *gpu, const rft_gpu_launch *launch, void *self) {
    (void)gpu, (void)self;
    const float *acc = RFT_SCRIPTED_POINTER(launch, 0, const float);
    const float *in = RFT_SCRIPTED_POINTER(launch, 1, const float);
    double *out = RFT_SCRIPTED_POINTER(launch, 2, double);
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 2.0 * in[i] + acc[i];
    }
}

static void start(fixture *f, witness *w, const rft_scripted_opts *opts) {
    *w = (witness){.writes = true};
    fixture_start(f, opts);
    rft_scripted_gpu_kernel(f->scripted, "witness", run_witness, w);
    set_times(f, "witness", 200e-6);
    f->args[3] = (rft_arg){.kind = RFT_ARG_TENSOR_MAP, .buffer = BUFFER_IN, .map = {.rank = 1, .dims = {ELEMENTS}}};
}

/* acc becomes an input: a run may follow another. */
static void without_inouts(fixture *f, witness *w) {
    f->buffers[BUFFER_ACC].role = RFT_BUFFER_INPUT;
    rft_scripted_gpu_kernel(f->scripted, "reference", run_reference, NULL);
    w->writes = false;
}

/* ---- rotating ---- */

static void every_run_has_buffers_of_its_own(void **state) {
    (void)state;
    fixture f;
    witness w;
    start(&f, &w, NULL);
    f.request.measure.cache = RFT_CACHE_ROTATING;
    f.request.measure.min_samples = f.request.measure.max_samples = 60;
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    assert_int_equal(f.result.measurement.cache, RFT_CACHE_ROTATING);
    assert_int_equal(f.result.measurement.batch, 1);
    assert_true(f.result.verification.done);
    assert_true(w.same); /* inputs are equal, and inouts restored, in every copy */
    for (unsigned i = 0; i < w.runs; i++) {
        assert_ptr_equal(w.map[i], w.in[i]);
        for (unsigned k = 0; k < i; k++) {
            assert_int_equal(w.in[i] == w.in[k], (i - k) % SETS == 0);
            assert_int_equal(w.out[i] == w.out[k], (i - k) % SETS == 0);
        }
    }
    /* nothing is flushed but once, before the first of them */
    const char *flush = strstr(rft_scripted_history(f.scripted), "launch rft_flush_write_kernel");
    assert_non_null(flush);
    const char *sample = strstr(rft_scripted_history(f.scripted), "launch rft_stamp_kernel\nrecord\nlaunch witness");
    assert_null(strstr(sample, "rft_flush"));
    fixture_stop(&f);
}

/* The buffers alone are larger than twice the cache: no copies. */
static void large_buffers_need_no_copies(void **state) {
    (void)state;
    fixture f;
    witness w;
    rft_scripted_opts opts = rft_scripted_defaults();
    opts.info.l2_bytes = 4096;
    start(&f, &w, &opts);
    f.request.measure.cache = RFT_CACHE_ROTATING;
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    assert_true(w.runs > 10 && w.same);
    for (unsigned i = 1; i < w.runs; i++) {
        assert_ptr_equal(w.in[i], w.in[0]);
    }
    fixture_stop(&f);
}

static void copies_that_do_not_fit_are_a_reason(void **state) {
    (void)state;
    fixture f;
    witness w;
    start(&f, &w, NULL);
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    uint64_t used_bytes = rft_scripted_memory_used(f.scripted);
    fixture_stop(&f);
    rft_scripted_opts opts = rft_scripted_defaults();
    opts.info.memory_bytes = (int64_t)used_bytes + (100 << 10);
    start(&f, &w, &opts);
    f.request.measure.cache = RFT_CACHE_ROTATING;
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_SKIPPED);
    assert_string_equal(f.result.reason,
                        "measure.cache = \"rotating\" needs 504 KiB for 42 more copies of the buffers, "
                        "100 KiB are free; \"cold\" needs none");
    f.request.measure.cache = RFT_CACHE_COLD; /* the device is as it was */
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    fixture_stop(&f);
}

/* The copies' memory is there for the next point's buffers. */
static void copies_make_room(void **state) {
    (void)state;
    fixture f;
    witness w;
    start(&f, &w, NULL);
    f.request.measure.cache = RFT_CACHE_ROTATING;
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    uint64_t used_bytes = rft_scripted_memory_used(f.scripted);
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_memory_used(f.scripted), used_bytes); /* taken once */
    f.request.measure.cache = RFT_CACHE_COLD;
    f.request.problem_key = "another";
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    assert_int_equal(used_bytes - rft_scripted_memory_used(f.scripted), (SETS - 1) * 3 * 4096);
    fixture_stop(&f);
}

/* ---- batches ---- */

static void a_hot_kernel_near_the_floor_is_batched(void **state) {
    (void)state;
    fixture f;
    witness w;
    start(&f, &w, NULL);
    without_inouts(&f, &w);
    set_times(&f, "witness", 5e-6);
    set_times(&f, "rft_empty_kernel", 2.7e-6);
    f.request.measure.cache = RFT_CACHE_HOT;
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    const rft_measurement *m = &f.result.measurement;
    assert_int_equal(m->batch, 64); /* 100 x 2.7 us of runs of 5 us */
    assert_int_equal(m->n, 10);
    assert_int_equal(w.runs,
                     3 + 1 + 11 * 64); /* verified and warm-up, the one that told, the graph once, the samples */
    double judging_s = m->busy_s - w.runs * 5e-6; /* each of them counts: the graph's first launch, too */
    assert_true(judging_s > 0 && judging_s < 0.1e-3);
    const char *sample = "launch rft_stamp_kernel\nrecord\ngraph\nlaunch witness\nlaunch witness\n";
    assert_non_null(strstr(rft_scripted_history(f.scripted), sample));
    assert_true(fabs(m->stats.median - 5e-6) < 1e-10);
    assert_true(fabs(m->floor_s - 2.7e-6) < 1e-9);
    assert_true(isnan(rft_measurement_near_floor_s(m, NULL))); /* the batch hides it */
    assert_true(fabs(rft_measurement_cycles(m) - 5e-6 * 1980e6) < 10.0);
    /* the floor is read once, and not for what is far from it */
    unsigned empty = rft_scripted_launches(f.scripted, "rft_empty_kernel");
    w.runs = 0;
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK); /* its graph is recorded while it is judged */
    assert_int_equal(f.result.measurement.batch, 64);
    assert_int_equal(w.runs, 3 + 1 + 11 * 64);
    assert_int_equal(rft_scripted_graphs(f.scripted), 0);
    set_times(&f, "witness", 200e-6);
    w.runs = 0;
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    assert_int_equal(rft_scripted_launches(f.scripted, "rft_empty_kernel"), empty);
    assert_int_equal(f.result.measurement.batch, 1);
    assert_true(isnan(f.result.measurement.floor_s));
    fixture_stop(&f);
}

typedef struct at_work {
    const fixture *f;
    int untimed, timed;
    bool behind_graph; /* and nothing else */
} at_work;

static void look_at_work(void *payload, bool timed) {
    at_work *at = payload;
    const char *history = rft_scripted_history(at->f->scripted), *graph = strstr(history, "\ngraph\n");
    at->untimed += timed ? 0 : 1;
    at->timed += timed ? 1 : 0;
    if (!timed) {
        at->behind_graph = graph && !strstr(graph, "sync") && !strstr(graph, "rft_block_kernel");
    }
}

/* Where the next point's code may be loaded: while a graph runs for the first time, or what takes long is compared; of
 * others there is time while the first run and samples are in flight, though nothing may be loaded then. */
static void the_device_is_at_work_behind_a_graph(void **state) {
    (void)state;
    for (int near = 0; near < 2; near++) {
        fixture f;
        witness w;
        start(&f, &w, NULL);
        without_inouts(&f, &w);
        at_work at = {.f = &f};
        set_times(&f, "witness", near ? 5e-6 : 200e-6);
        set_times(&f, "rft_empty_kernel", 2.7e-6);
        f.request.measure.cache = RFT_CACHE_HOT;
        f.request.works = look_at_work;
        f.request.payload = &at;
        assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
        assert_int_equal(at.untimed, near);
        assert_int_equal(at.timed, 1 + f.result.measurement.n);
        assert_int_equal(at.behind_graph, near);
        fixture_stop(&f);
    }
}

static void put_memset_first(fixture *f) {
    f->spec.launch_count = 2;
    f->launches[1] = f->launches[0];
    f->launches[0] = (rft_launch){.kind = RFT_LAUNCH_MEMSET, .memset_buffer = BUFFER_SCRATCH, .memset_byte = 7};
}

/* A memset is part of every run; without graphs runs are launched one by one. */
static void runs_of_several_steps_are_batched(void **state) {
    (void)state;
    fixture f;
    witness w;
    rft_scripted_opts opts = rft_scripted_defaults();
    for (int graphs = 0; graphs < 2; graphs++) {
        opts.no_graphs = !graphs;
        start(&f, &w, &opts);
        without_inouts(&f, &w);
        put_memset_first(&f);
        set_times(&f, "witness", 5e-6);
        set_times(&f, "rft_empty_kernel", 2.7e-6);
        f.request.measure.cache = RFT_CACHE_HOT;
        assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
        assert_int_equal(f.result.measurement.batch, 64);
        assert_int_equal(f.result.measurement.n, 10);
        assert_true(fabs(f.result.measurement.stats.median - 6e-6) < 1e-9); /* the scripted memset takes 1 us */
        const char *run = "set 7 4000\nlaunch witness\nset 7 4000\nlaunch witness\n";
        assert_non_null(strstr(rft_scripted_history(f.scripted), run));
        assert_int_equal(strstr(rft_scripted_history(f.scripted), "\ngraph\n") != NULL, graphs);
        fixture_stop(&f);
    }
}

/* ---- measure.mode = "graph" ---- */

/* Graphs keep the addresses of their recording: each run still has the set whose turn it is, restored. */
static void graphs_take_the_sets_in_turn(void **state) {
    (void)state;
    fixture f;
    witness w;
    rft_scripted_opts opts = rft_scripted_defaults();
    opts.recorded_args = 4;
    for (int near = 0; near < 2; near++) { /* a run a graph, and all sets in one */
        start(&f, &w, &opts);
        set_times(&f, "witness", near ? 5e-6 : 200e-6);
        set_times(&f, "rft_empty_kernel", 2.7e-6);
        f.request.measure.cache = RFT_CACHE_ROTATING;
        f.request.measure.mode = RFT_TIMING_GRAPH;
        f.request.measure.min_samples = f.request.measure.max_samples = near ? 10 : 100;
        assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
        assert_int_equal(f.result.measurement.mode, RFT_TIMING_GRAPH);
        assert_int_equal(f.result.measurement.batch, near ? 64 : 1);
        assert_true(w.same);
        unsigned first = w.runs - (unsigned)f.result.measurement.n * (near ? 64 : 1);
        for (unsigned i = first; i < w.runs; i++) {
            for (unsigned k = first; k < i; k++) {
                assert_int_equal(w.in[i] == w.in[k], (i - k) % 64 == 0); /* 43, made a power of two */
            }
        }
        const char *sample = "launch rft_stamp_kernel\nrecord\ngraph\nlaunch witness\n";
        assert_non_null(strstr(rft_scripted_history(f.scripted), sample));
        fixture_stop(&f);
    }
}

/* A cold sample is one graph of all launches; what a driver cannot record is not measured otherwise, and leaves no
 * graph. */
static void a_point_of_several_launches_is_one_graph(void **state) {
    (void)state;
    fixture f;
    witness w;
    rft_scripted_opts opts = rft_scripted_defaults();
    const char *const refusals[] = {
        NULL, "measure.mode = \"graph\": the driver has no graphs; \"events\" needs no graph",
        "measure.mode = \"graph\": launching: not while a graph is recorded; \"events\" needs no graph"};
    for (int i = 0; i < 3; i++) {
        opts.no_graphs = i == 1;
        opts.refuses_recorded = i == 2;
        start(&f, &w, &opts);
        put_memset_first(&f);
        f.request.measure.mode = RFT_TIMING_GRAPH;
        assert_int_equal(fixture_outcome(&f, "witness"), refusals[i] ? RFT_OUTCOME_SKIPPED : RFT_OUTCOME_OK);
        assert_int_equal(rft_scripted_graphs(f.scripted), 0);
        if (!refusals[i]) {
            const char *sample = "launch rft_stamp_kernel\nrecord\ngraph\nset 7 4000\nlaunch witness\nrecord\n";
            assert_non_null(strstr(rft_scripted_history(f.scripted), sample));
            assert_true(w.same && fabs(f.result.measurement.stats.median - 201e-6) < 1e-9);
        } else {
            assert_string_equal(f.result.reason, refusals[i]);
        }
        fixture_stop(&f);
    }
}

static void a_cold_kernel_near_the_floor_says_so(void **state) {
    (void)state;
    fixture f;
    witness w;
    start(&f, &w, NULL);
    without_inouts(&f, &w);
    set_times(&f, "witness", 5e-6);
    set_times(&f, "rft_empty_kernel", 2.7e-6);
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    const rft_measurement *m = &f.result.measurement;
    assert_int_equal(m->batch, 1);
    assert_true(fabs(m->stats.median - 5e-6) < 1e-10); /* nothing was subtracted */
    assert_true(fabs(rft_measurement_near_floor_s(m, NULL) - 2.7e-6) < 1e-9);
    set_times(&f, "witness", 40e-6);
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    assert_true(isnan(rft_measurement_near_floor_s(&f.result.measurement, NULL)));
    fixture_stop(&f);
}

/* A run that changes its inouts must find them restored: hot it is alone, rotating there are that many copies. */
static void inouts_limit_a_batch(void **state) {
    (void)state;
    fixture f;
    witness w;
    start(&f, &w, NULL);
    set_times(&f, "witness", 5e-6);
    f.request.measure.cache = RFT_CACHE_HOT;
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    assert_int_equal(f.result.measurement.batch, 1);
    assert_true(isfinite(rft_measurement_near_floor_s(&f.result.measurement, NULL)));
    w.runs = 0;
    f.request.measure.cache = RFT_CACHE_ROTATING;
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    assert_int_equal(f.result.measurement.batch, 32); /* of 33 copies */
    assert_int_equal(w.runs, 3 + 1 + 10 * 32);
    assert_true(w.same);
    for (unsigned i = 1; i < w.runs; i++) {
        assert_true(w.in[i] != w.in[i - 1]);
        assert_ptr_equal(w.map[i], w.in[i]);
    }
    fixture_stop(&f);
}

/* ---- the clock ---- */

static void warm_up_lasts_until_the_clock_holds_still(void **state) {
    (void)state;
    fixture f;
    witness w;
    start(&f, &w, NULL);
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK); /* wakes the device */
    w.runs = 0;
    w.moves_clock = 3 + 4; /* all of the warm-up, and the first four samples */
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    const rft_measurement *m = &f.result.measurement;
    assert_int_equal(m->n, 10);
    assert_true(w.runs > 3 + 10 && w.runs <= 3 + 10 + 4);
    for (size_t i = 0; i < m->n; i++) {
        assert_true(fabs(m->clocks_mhz[i] - 1700.0) < 20.0); /* where it came to rest */
    }
    assert_true(fabs(m->clock_mhz - 1700.0) < 1.0);
    w.runs = 0;
    w.moves_clock = 1000; /* it never does: given up on, and every sample counts */
    assert_int_equal(fixture_outcome(&f, "witness"), RFT_OUTCOME_OK);
    assert_int_equal(m->n, 10);
    assert_true(w.runs <= 3 + 10 + 8);
    fixture_stop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_has_buffers_of_its_own),
        cmocka_unit_test(large_buffers_need_no_copies),
        cmocka_unit_test(copies_that_do_not_fit_are_a_reason),
        cmocka_unit_test(copies_make_room),
        cmocka_unit_test(a_hot_kernel_near_the_floor_is_batched),
        cmocka_unit_test(the_device_is_at_work_behind_a_graph),
        cmocka_unit_test(runs_of_several_steps_are_batched),
        cmocka_unit_test(graphs_take_the_sets_in_turn),
        cmocka_unit_test(a_point_of_several_launches_is_one_graph),
        cmocka_unit_test(a_cold_kernel_near_the_floor_says_so),
        cmocka_unit_test(inouts_limit_a_batch),
        cmocka_unit_test(warm_up_lasts_until_the_clock_holds_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
