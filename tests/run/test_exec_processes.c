/* SPDX-License-Identifier: Apache-2.0 */
/* The final round in several device processes: who takes which block, what a stop, a crash and a replay make of it, and
 * when it ends. */
#include "run/scene_probe.h"

#include "model/run/baseline.h"
#include "run/plan/job.h"
#include "run/process_round.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED_MOST = 400, SHORT_BLOCK = 25, LONG_BLOCK = 20 };

/* Three finalists on each of two problems. */
static const scripted_sweep_opts close_by = {
    .speeds = {1000, 1001, 1002, 1300, 1400}, .sizes = {1000, 2000}, .baselines = {"the library"}};

/* What was asked in the final round. */
typedef struct asked_block {
    unsigned process;
    int64_t n, speed; /* speed 0: a baseline */
    bool verified;
    uint64_t draw;
    bool held;
    int64_t samples;
} asked_block;

typedef struct listener {
    asked_block asked[ASKED_MOST];
    size_t count;
} listener;

static listener heard;

static void hear(void *payload, const rft_probe_request *asked, const rft_probe_result *got) {
    listener *l = payload;
    if (asked->round > 0 && !asked->load.wanted) {
        assert_true(l->count < ASKED_MOST);
        l->asked[l->count++] = (asked_block){.process = got->process,
                                             .n = asked->problem->values[0].as.integer,
                                             .speed = asked->config ? asked->config[PARAM_SPEED].as.integer : 0,
                                             .verified = asked->verified,
                                             .draw = asked->draw,
                                             .held = asked->held,
                                             .samples = asked->measure.max_samples};
    }
}

static void open_scene(scene *s, const scripted_sweep_opts *opts, int processes) {
    scene_open(s, 2);
    scene_sweep(s, opts)->measure.processes = processes;
    heard.count = 0;
    s->measured_hook = hear;
    s->hook_payload = &heard;
}

static const rft_measurement *final_of(const rft_run *run, size_t problem, int speed) {
    const rft_point *point = scene_point(run, problem, "ok", speed);
    assert_non_null(point);
    return &point->rounds[1];
}

static void expect_blocks(const rft_measurement *m, size_t processes, size_t block, rft_stop_reason stop) {
    assert_int_equal(m->process_count, processes);
    for (size_t i = 0; i < processes; i++) {
        assert_int_equal(m->process_n[i], block);
    }
    assert_int_equal(m->n, processes * block);
    assert_int_equal(m->stats.n, m->n);
    assert_int_equal(m->stop, stop);
}

static void expect_all(const rft_run *run, size_t processes) {
    for (size_t problem = 0; problem < 2; problem++) {
        for (int speed = 1000; speed <= 1002; speed++) {
            expect_blocks(final_of(run, problem, speed), processes, LONG_BLOCK, RFT_STOP_SAMPLES);
        }
        assert_int_equal(final_of(run, problem, 1300)->n, 0);
    }
    assert_int_equal(run->baseline_count, 4);
    for (size_t i = 0; i < 4; i++) {
        expect_blocks(&run->baselines[i].measurement, processes, SHORT_BLOCK, RFT_STOP_SAMPLES);
        assert_int_equal(run->baselines[i].algo_at, strcmp(run->baselines[i].which, RFT_BASELINE_BEST) == 0 ? 2 : 0);
    }
}

/* Blocks of one draw follow each other, those of a problem too, and every draw has a process of its own. */
static void every_finalist_takes_a_block_in_each_process(void **state) {
    (void)state;
    enum { PROCESSES = 4, BLOCKS = 2 * (3 + 2) };
    scene s;
    open_scene(&s, &close_by, PROCESSES);
    const rft_run *run = scene_run(&s, "a.db");
    expect_all(run, PROCESSES);
    assert_string_equal(s.last_doing, "final round, process 4 of 4");
    assert_int_equal(heard.count, PROCESSES * BLOCKS);
    bool same_order = true;
    for (size_t i = 0; i < heard.count; i++) {
        const asked_block *now = &heard.asked[i], *first = &heard.asked[i - i % BLOCKS];
        assert_int_equal(now->process, first->process);
        assert_true(now->draw == first->draw && now->draw != 0);
        assert_int_equal(now->verified, i >= BLOCKS); /* compared in the first */
        assert_int_equal(now->samples, now->speed ? LONG_BLOCK : SHORT_BLOCK);
        assert_int_equal(now->n, heard.asked[i - i % (BLOCKS / 2)].n);
        if (i >= BLOCKS) {
            assert_int_equal(first->process, heard.asked[i - i % BLOCKS - BLOCKS].process + 1);
            assert_true(first->draw != heard.asked[i - i % BLOCKS - BLOCKS].draw);
        }
        same_order = same_order && now->speed == heard.asked[i % BLOCKS].speed && now->n == heard.asked[i % BLOCKS].n;
    }
    assert_false(same_order);
    unsigned measured = s.measured;
    scene_run(&s, "a.db"); /* it is all there */
    assert_int_equal(s.measured, measured);
    s.sweeps[0]->measure.processes = 6;
    expect_all(scene_run(&s, "a.db"), 6); /* two more are asked for */
    scene_close(&s);
}

/* Half a second a launch, and two for all of a point: there is room for two samples behind the first run. In later
 * processes one will do. */
static void a_block_fits_the_time_limit(void **state) {
    (void)state;
    const scripted_sweep_opts slow = {.speeds = {500000}};
    scene s;
    open_scene(&s, &slow, 3);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->points[0].outcome, RFT_OUTCOME_OK);
    const rft_measurement *m = &run->points[0].rounds[1];
    const size_t blocks[] = {2, 1, 1};
    assert_int_equal(m->process_count, 3);
    assert_memory_equal(m->process_n, blocks, sizeof blocks);
    assert_int_equal(m->stop, RFT_STOP_SAMPLES);
    scene_close(&s);
}

static int give_fast_ceilings(void *payload, rft_err *err) {
    scene *s = payload;
    int rc = scene_give_ceilings(s, err);
    s->opts.run->ceilings.items[RFT_CEILING_FP32].clock_mhz = 2200;
    return rc;
}

/* All points, and the library, run at 1980 MHz: below the clock of the ceiling in the second run. */
static void what_ran_below_the_runs_clock_is_held(void **state) {
    (void)state;
    scene s;
    size_t held[] = {0, 0};
    for (int i = 0; i < 2; i++) {
        open_scene(&s, &close_by, 2);
        s.opts.ceilings = i ? give_fast_ceilings : NULL;
        const rft_run *run = scene_run(&s, "a.db");
        for (size_t k = 0; k < heard.count; k++) {
            held[i] += heard.asked[k].held;
        }
        assert_int_equal(held[i], i ? heard.count : 0);
        const rft_measurement *m = final_of(run, 0, 1000);
        assert_int_equal(m->process_count, 2);
        for (size_t k = 0; i && k < m->process_count; k++) { /* two windows of 20 ms */
            assert_true((double)m->process_n[k] * m->stats.median > 0.02);
        }
        scene_close(&s);
    }
}

static void one_process_is_what_it_was(void **state) {
    (void)state;
    scene s;
    open_scene(&s, &close_by, 1);
    const rft_run *run = scene_run(&s, "a.db");
    for (size_t i = 0; i < heard.count; i++) {
        assert_true(heard.asked[i].draw == 0 && heard.asked[i].process == 1);
    }
    const rft_measurement *m = final_of(run, 0, 1000);
    assert_int_equal(m->turns, 2);
    expect_blocks(m, 1, 10, RFT_STOP_SETTLED);
    expect_blocks(&run->baselines[0].measurement, 1, run->baselines[0].measurement.n, RFT_STOP_SETTLED);
    scene_close(&s);
}

/* Whatever the process does between two turns, samples of two are told apart. */
static void lose_the_worker(void *payload, const rft_probe_request *asked, const rft_probe_result *got) {
    (void)got;
    if (asked->round > 0 && asked->turn == 0) {
        scene_lose_device_worker(payload);
    }
}

static void turns_in_two_processes_are_two_processes(void **state) {
    (void)state;
    scene s;
    open_scene(&s, &close_by, 1);
    s.measured_hook = lose_the_worker;
    s.hook_payload = &s;
    const rft_run *run = scene_run(&s, "a.db");
    expect_blocks(final_of(run, 0, 1000), 2, 5, RFT_STOP_SETTLED);
    scene_close(&s);
}

/* After every eleven requests: each block is there once, and a process that was begun is ended first. */
static void a_stopped_run_goes_on(void **state) {
    (void)state;
    scene s;
    unsigned sessions = 0;
    open_scene(&s, &close_by, 4);
    scene_run(&s, "whole.db");
    unsigned at_one_go = s.measured;
    s.measured = 0;
    s.stopped = true;
    for (s.stop_measured = 11; s.stopped; s.stop_measured += 11) {
        assert_true(++sessions < 40);
        assert_int_equal(scene_session(&s, "parts.db", 1), RFT_OK);
        const rft_run *now = scene_load(&s, "parts.db");
        size_t least = SIZE_MAX, most = 0;
        for (int speed = 1000; speed <= 1002 && now->point_count == 10; speed++) {
            size_t count = final_of(now, 0, speed)->process_count;
            least = count < least ? count : least;
            most = count > most ? count : most;
        }
        assert_true(least == SIZE_MAX || most - least <= 1);
    }
    assert_true(sessions > 4);
    expect_all(scene_load(&s, "parts.db"), 4);
    assert_true(s.measured <= at_one_go + 3 * 9); /* a race that was stopped is run again */
    scene_close(&s);
}

static char said[2000];

static void listen_to(void *self, rft_log_level level, const char *text) {
    (void)self;
    if (level == RFT_LOG_WARN) {
        rft_text_format(said, sizeof said, "%s", text);
    }
}

/* In the third process: its block is missing, and nothing else. In the first it is no finalist any more. */
static void a_crash_costs_its_block(void **state) {
    (void)state;
    static const rft_log log = {.line = listen_to};
    scene s;
    open_scene(&s, &close_by, 3);
    s.opts.log = &log;
    s.doomed = "2000 ok 1001 0";
    s.doomed_turn = 2;
    const rft_run *run = scene_run(&s, "a.db");
    expect_blocks(final_of(run, 1, 1001), 2, LONG_BLOCK, RFT_STOP_SAMPLES);
    expect_blocks(final_of(run, 1, 1000), 3, LONG_BLOCK, RFT_STOP_SAMPLES);
    expect_blocks(final_of(run, 0, 1001), 3, LONG_BLOCK, RFT_STOP_SAMPLES);
    assert_int_equal(scene_point(run, 1, "ok", 1001)->outcome, RFT_OUTCOME_OK);
    assert_non_null(strstr(said, "a process of the final round has no samples of point "));
    assert_non_null(strstr(said, "(crashed): doomed"));
    s.doomed_turn = 0;
    run = scene_run(&s, "b.db");
    scene_expect(run, scene_point(run, 1, "ok", 1001), RFT_OUTCOME_CRASHED, "in the final round: doomed");
    expect_blocks(final_of(run, 1, 1000), 3, LONG_BLOCK, RFT_STOP_SAMPLES);
    assert_int_equal(s.last.failed, 1);
    scene_close(&s);
}

/* Between two requests, in the third: another takes its place. */
static void lose_the_third(void *payload, const rft_probe_request *asked, const rft_probe_result *got) {
    scene *s = payload;
    if (asked->round > 0 && got->process == 3 && asked->turn == 2) {
        scene_lose_device_worker(s);
    }
}

static void a_worker_that_dies_is_replaced(void **state) {
    (void)state;
    scene s;
    open_scene(&s, &close_by, 4);
    s.measured_hook = lose_the_third;
    s.hook_payload = &s;
    expect_all(scene_run(&s, "a.db"), 4);
    scene_close(&s);
}

static void a_replay_has_the_processes(void **state) {
    (void)state;
    scene s;
    open_scene(&s, &close_by, 3);
    const rft_run *recorded = scene_run(&s, "recorded.db");
    s.sweeps[0]->measure.processes = 7;
    s.measured_hook = NULL;
    scene_replay(&s, "recorded.db");
    const rft_run *run = scene_run(&s, "replay.db");
    expect_all(run, 3);
    const rft_measurement *a = final_of(recorded, 1, 1002), *b = final_of(run, 1, 1002);
    assert_memory_equal(a->samples_s, b->samples_s, a->n * sizeof(double));
    scene_close(&s);
}

/* What fills its inputs is compiled in each process anew. */
static void a_baseline_has_its_inputs_in_each_process(void **state) {
    (void)state;
    scripted_sweep_opts opts = close_by;
    opts.fates[0] = "fill_ok";
    scene s;
    open_scene(&s, &opts, 3);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->baseline_count, 4);
    for (size_t i = 0; i < run->baseline_count; i++) {
        expect_blocks(&run->baselines[i].measurement, 3, SHORT_BLOCK, RFT_STOP_SAMPLES);
    }
    scene_close(&s);
}

static void what_was_compared_brings_no_reference(void **state) {
    (void)state;
    scene s;
    open_scene(&s, &close_by, 1);
    rft_run run = {.arena = s.arena, .gpu = scene_run(&s, "a.db")->gpu};
    rft_plan plan = {.sweeps = (const rft_sweep **)s.sweeps, .sweep_count = 1};
    const rft_exec_opts opts = {.plan = &plan, .run = &run, .pool = s.pool};
    rft_value config[PARAM_COUNT];
    for (size_t i = 0; i < PARAM_COUNT; i++) {
        config[i] = s.sweeps[0]->variants[0].params[i].default_value;
    }
    for (int verified = 0; verified < 2; verified++) {
        rft_job *job = rft_job_new(&opts, (rft_job_place){.problem = 1}, config);
        job->verified = verified != 0;
        rft_job_compile(&opts, job);
        assert_false(job->failed);
        assert_int_equal(job->reference_count, verified ? 0 : 1);
        rft_job_free(job);
    }
    scene_close(&s);
}

/* ---- when it is not said how many ---- */

/* Time passes when something is measured: `first_s` before the final round, `block_s` in it. */
typedef struct work_clock {
    rft_clock clock;
    scene *s;
    double first_s, block_s;
} work_clock;

static int64_t worked_ns(void *self) {
    const work_clock *c = self;
    return 1000000000 +
           (int64_t)(((double)(c->s->measured - heard.count) * c->first_s + (double)heard.count * c->block_s) * 1e9);
}

static void no_sleep(void *self, int64_t duration_ns) {
    (void)self, (void)duration_ns;
}

static char scatter_from[300];

/* The processes of the final round scatter: launches take longer and longer, and the order is another in each.
 * Processes to come may have been begun while the first point was compiled: a file tells them, as what is set now would
 * not. */
static void scatter(void *payload, const rft_exec_progress *now) {
    (void)payload;
    if (now->final_round) {
        fclose(fopen(scatter_from, "w"));
    }
}

/* A process has six blocks. */
static size_t processes_after(double first_round_s, double process_s, bool scatters, rft_stop_reason stop) {
    scene s;
    scripted_sweep_opts opts = close_by;
    opts.baselines[0] = NULL;
    open_scene(&s, &opts, RFT_PROCESSES_AUTO);
    work_clock clock = {{worked_ns, worked_ns, no_sleep, &clock}, &s, first_round_s / 10, process_s / 6};
    s.clock = &clock.clock;
    s.progress_hook = scatters ? scatter : NULL;
    rft_text_format(scatter_from, sizeof scatter_from, "%s/scatter", s.folder);
    setenv("SCRIPTED_DRIFT_FROM", scatter_from, 1);
    setenv("SCRIPTED_DRIFT_PPM", "1000", 1);
    const rft_run *run = scene_run(&s, "a.db");
    unsetenv("SCRIPTED_DRIFT_PPM");
    unsetenv("SCRIPTED_DRIFT_FROM");
    size_t count = final_of(run, 0, 1000)->process_count;
    expect_blocks(final_of(run, 1, 1002), count, LONG_BLOCK, stop);
    unsigned measured = s.measured;
    scene_run(&s, "a.db");
    assert_int_equal(s.measured, measured);
    scene_close(&s);
    return count;
}

static void it_ends_when_enough_is_known_or_spent(void **state) {
    (void)state;
    assert_int_equal(processes_after(0.1, 0.6, true, RFT_STOP_TIME), RFT_PROCESSES_ENOUGH);
    assert_int_equal(processes_after(0.1, 1.1, true, RFT_STOP_TIME), 5); /* 4.4 of 5 s behind the first */
    assert_int_equal(processes_after(0.1, 9.0, true, RFT_STOP_TIME), RFT_PROCESSES_LEAST);
    assert_int_equal(processes_after(20.1, 0.6, true, RFT_STOP_TIME), 12);   /* 6.6 of 27.3 s, and not 7.2 of 27.9 */
    assert_int_equal(processes_after(9.1, 0.6, false, RFT_STOP_SETTLED), 6); /* two problems: each on its own */
    assert_int_equal(processes_after(900, 0.6, true, RFT_STOP_SAMPLES), RFT_PROCESSES_MOST);
}

/* Only the median of the later ones counts: what takes long does not take it ten times in each. */
static void later_blocks_of_long_kernels_are_short(void **state) {
    (void)state;
    scene s;
    scripted_sweep_opts opts = close_by;
    const int64_t speeds[] = {15000, 15001};
    memset(opts.speeds, 0, sizeof opts.speeds);
    memcpy(opts.speeds, speeds, sizeof speeds);
    open_scene(&s, &opts, 3);
    const rft_measurement *m = final_of(scene_run(&s, "a.db"), 0, 15000);
    assert_int_equal(m->process_count, 3);
    assert_int_equal(m->process_n[0], 10);
    assert_int_equal(m->process_n[1], 3);
    assert_int_equal(m->process_n[2], 3);
    scene_close(&s);
}

/* They load the driver while the first point is compiled. */
static void processes_to_come_are_told(void **state) {
    (void)state;
    scene s;
    open_scene(&s, &(scripted_sweep_opts){.fates = {"compile_slow"}, .speeds = {1000}, .sizes = {1000}}, 2);
    setenv("SCRIPTED_BUSY", s.folder, 1);
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(s.followed, 2);
    assert_int_equal(run->points[0].rounds[1].process_count, 2);
    unsetenv("SCRIPTED_BUSY");
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_to_come_are_told),
        cmocka_unit_test(later_blocks_of_long_kernels_are_short),
        cmocka_unit_test(every_finalist_takes_a_block_in_each_process),
        cmocka_unit_test(a_block_fits_the_time_limit),
        cmocka_unit_test(what_ran_below_the_runs_clock_is_held),
        cmocka_unit_test(one_process_is_what_it_was),
        cmocka_unit_test(turns_in_two_processes_are_two_processes),
        cmocka_unit_test(a_stopped_run_goes_on),
        cmocka_unit_test(a_crash_costs_its_block),
        cmocka_unit_test(a_worker_that_dies_is_replaced),
        cmocka_unit_test(a_replay_has_the_processes),
        cmocka_unit_test(a_baseline_has_its_inputs_in_each_process),
        cmocka_unit_test(what_was_compared_brings_no_reference),
        cmocka_unit_test(it_ends_when_enough_is_known_or_spent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
