/* SPDX-License-Identifier: Apache-2.0 */
/* The probe in a device worker: what it passes on, what its death costs, and what a worker's own failure says. */
#include "run/scene_probe.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void facts_and_ceilings_come_over(void **state) {
    (void)state;
    scene s;
    rft_gpu_info gpu;
    rft_env env = {0};
    rft_ceilings ceilings;
    setenv("SCRIPTED_MEMORY_MIB", "64", 1); /* a copy of a quarter takes longer than its launch */
    scene_open(&s, 1);
    assert_int_equal(s.probe->device(s.probe, s.arena, &gpu, &env, &s.err), RFT_OK);
    assert_string_equal(gpu.name, "Scripted GPU");
    assert_string_equal(rft_env_value(&env, "nvrtc.version"), "scripted");
    assert_string_equal(rft_env_get(&env, "driver.version")->reason, "a scripted gpu has no driver");
    assert_int_equal(s.probe->ceilings(s.probe, NULL, s.arena, &ceilings, &s.err), RFT_OK);
    double rate = rft_ceilings_rate(&ceilings, RFT_CEILING_DRAM_COPY);
    assert_true(fabs(rate / 4.25e12 - 1) < 0.05);
    assert_true(ceilings.items[RFT_CEILING_TENSOR_FP8].measured);
    const rft_ceilings_request request = {.wanted = RFT_CEILING_BIT(RFT_CEILING_FP32), .soak_s = 1.5};
    assert_int_equal(s.probe->ceilings(s.probe, &request, s.arena, &ceilings, &s.err), RFT_OK);
    assert_true(ceilings.items[RFT_CEILING_FP32].sustained.n > 10);
    assert_false(ceilings.items[RFT_CEILING_TENSOR_FP8].measured);
    assert_string_equal(ceilings.items[RFT_CEILING_TENSOR_FP8].reason, rft_ceiling_not_asked(RFT_CEILING_TENSOR_FP8));
    scene_close(&s);
    unsetenv("SCRIPTED_MEMORY_MIB");
}

/* Counting opens the profiler: it has a process of its own, and whatever is timed next has another. */
static void counting_and_timing_share_no_process(void **state) {
    (void)state;
    const rft_counter_set set = rft_counter_set_default();
    scene s;
    rft_probe_result timed;
    rft_count_result counted;
    rft_ceilings ceilings;
    scene_open(&s, 1);
    assert_int_equal(scene_measure(&s, "ok", &timed), RFT_OK);
    long first = scene_device_worker(&s);
    assert_int_equal(timed.process, 1);
    assert_int_equal(scene_count(&s, "ok", &set, &counted), RFT_OK);
    long second = scene_device_worker(&s);
    assert_true(counted.counters.passes > 0 && !counted.worker_lost);
    assert_int_equal(scene_count(&s, "ok", &set, &counted), RFT_OK);
    assert_true(second != first && scene_device_worker(&s) == second);
    assert_int_equal(scene_measure(&s, "ok", &timed), RFT_OK);
    assert_int_equal(timed.outcome, RFT_OUTCOME_OK);
    assert_int_equal(timed.process, 3);
    assert_int_equal(scene_count(&s, "ok", &set, &counted), RFT_OK);
    assert_int_equal(s.probe->ceilings(s.probe, NULL, s.arena, &ceilings, &s.err), RFT_OK);
    assert_int_equal(scene_measure(&s, "ok", &timed), RFT_OK);
    assert_int_equal(timed.process, 5);
    scene_close(&s);
}

static long long free_after(scene *s, uint64_t draw, unsigned process) {
    rft_gpu_info gpu;
    rft_env env = {0};
    rft_probe_result result;
    assert_int_equal(scene_measure_draw(s, draw, &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    assert_int_equal(result.process, process);
    assert_int_equal(s->probe->device(s->probe, s->arena, &gpu, &env, &s->err), RFT_OK);
    return atoll(rft_env_value(&env, "scripted.free"));
}

/* Behind a spacer of so many pages of 2 MiB; the first has none. */
static void every_draw_has_a_process_and_a_layout(void **state) {
    (void)state;
    enum { DRAWS = 6, PAGE = 2 << 20 };
    scene s;
    setenv("SCRIPTED_MEMORY_MIB", "4096", 1);
    scene_open(&s, 1);
    long long none = free_after(&s, 0, 1), least = INT64_MAX, most = 0;
    const size_t processes = scene_processes(&s, NULL, 0);
    for (uint64_t draw = 1; draw <= DRAWS; draw++) {
        long long spacer = none - free_after(&s, draw, (unsigned)draw + 1);
        assert_int_equal(scene_processes(&s, NULL, 0),
                         processes + 1); /* the one before is gone, the next one is there */
        assert_true(spacer > 0 && spacer % PAGE == 0 && spacer <= (4096 / 32 << 20));
        least = spacer < least ? spacer : least;
        most = spacer > most ? spacer : most;
        assert_true(none - free_after(&s, draw, (unsigned)draw + 1) == spacer);
    }
    assert_true(most >= least + 8 * PAGE);
    (void)free_after(&s, 0, DRAWS + 1); /* whichever there is */
    scene_lose_device_worker(&s);
    assert_true(none - free_after(&s, DRAWS, DRAWS + 2) >= PAGE); /* the same draw goes on in another */
    scene_close(&s);
    unsetenv("SCRIPTED_MEMORY_MIB");
}

static void a_point_that_takes_its_worker_down_is_followed_by_a_new_one(void **state) {
    (void)state;
    const struct {
        const char *fate;
        rft_outcome outcome;
    } rows[] = {{"killed", RFT_OUTCOME_CRASHED},
                {"exits", RFT_OUTCOME_CRASHED},
                {"garbage", RFT_OUTCOME_CRASHED},
                {"hangs", RFT_OUTCOME_TIMED_OUT},
                {"sticky", RFT_OUTCOME_LAUNCH_FAILED}};
    scene s;
    scene_open(&s, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rft_probe_result result;
        long before = scene_device_worker(&s);
        assert_int_equal(scene_measure(&s, rows[i].fate, &result), RFT_OK);
        assert_int_equal(result.outcome, rows[i].outcome);
        assert_true(result.reason && *result.reason);
        assert_int_equal(result.measurement.n, 0);
        assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
        assert_int_equal(result.outcome, RFT_OUTCOME_OK);
        assert_true(scene_device_worker(&s) != before);
    }
    scene_close(&s);
}

static void a_point_that_fails_alone_keeps_its_worker(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    long before = scene_device_worker(&s);
    assert_int_equal(scene_measure(&s, "wrong", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_WRONG_RESULT);
    assert_true(scene_device_worker(&s) == before);
    scene_close(&s);
}

/* Answer and death are heard of at once: the request that follows in the same breath must not wait for ever. */
static void a_worker_that_dies_behind_its_answer_is_replaced(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    pid_t stopped = getpid();
    scene_open(&s, 1);
    setenv("SCRIPTED_DIES_OPENED", "1", 1);
    setenv("SCRIPTED_ONCE", scene_path(&s, "struck"), 1);
    pid_t waker = fork();
    if (waker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    while (waker == 0) {
        scene_sleep_s(1);
        kill(stopped, SIGCONT);
    }
    assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
    kill(waker, SIGKILL);
    waitpid(waker, NULL, 0);
    unsetenv("SCRIPTED_DIES_OPENED");
    unsetenv("SCRIPTED_ONCE");
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    assert_int_equal(result.workers_lost, 1);
    scene_close(&s);
}

/* Not the next point's fault. */
static void a_worker_that_died_while_idle_is_replaced(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    scene_lose_device_worker(&s);
    assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    scene_close(&s);
}

static void a_new_worker_without_a_device_is_an_error(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    setenv("SCRIPTED_NO_DRIVER", scene_path(&s, "lost"), 1);
    assert_int_equal(scene_measure(&s, "killed", &result), RFT_OK);
    scene_file(&s, "lost", "");
    assert_int_equal(scene_measure(&s, "ok", &result), RFT_E_DEVICE);
    assert_string_equal(s.err.message, "there is no driver any more");
    assert_string_equal(s.err.remedy, "install one");
    assert_int_equal(unlink(scene_path(&s, "lost")), 0);
    assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    unsetenv("SCRIPTED_NO_DRIVER");
    scene_close(&s);
}

static bool is_among(long id, const long *ids, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (ids[i] == id) {
            return true;
        }
    }
    return false;
}

/* They are taken one after the other, and no other is started while there is one. */
static void processes_that_follow_are_there_ahead(void **state) {
    (void)state;
    scene s;
    long ids[4];
    scene_open(&s, 1);
    rft_probe_result result;
    rft_gpu_info gpu;
    rft_env env = {0};
    assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
    const size_t before = scene_processes(&s, NULL, 0);
    s.probe->follow(s.probe, 2);
    s.probe->follow(s.probe, 2); /* once is enough */
    assert_int_equal(scene_processes(&s, NULL, 0), before + 2);
    const size_t count = scene_processes(&s, ids, 4);
    for (uint64_t draw = 1; draw <= 2; draw++) {
        assert_int_equal(scene_measure_draw(&s, draw, &result), RFT_OK);
        assert_int_equal(s.probe->device(s.probe, s.arena, &gpu, &env, &s.err), RFT_OK);
        assert_true(is_among(atol(rft_env_value(&env, "scripted.pid")), ids, count < 4 ? count : 4));
        assert_int_equal(scene_processes(&s, NULL, 0), before + 1);
    }
    scene_close(&s);
}

/* Started, asked who it is and told to open the device, while the caller does something else. */
static void a_device_can_be_known_and_opened_early(void **state) {
    (void)state;
    scene s;
    rft_gpu_info gpu;
    rft_env env = {0};
    long ids[2];
    scene_open(&s, 1);
    assert_int_equal(rft_remote_probe_start(s.remote, &s.err), RFT_OK);
    assert_true(scene_wait_processes(&s, 1, 10));
    assert_int_equal(rft_remote_probe_identify(s.remote, s.arena, &gpu, &s.err), RFT_OK);
    assert_string_equal(gpu.uuid, "GPU-scripted");
    assert_int_equal(scene_processes(&s, ids, 2), 1);
    assert_int_equal(rft_remote_probe_open(s.remote, &s.err), RFT_OK);
    assert_int_equal(rft_remote_probe_open(s.remote, &s.err), RFT_OK); /* once is enough */
    assert_int_equal(s.probe->device(s.probe, s.arena, &gpu, &env, &s.err), RFT_OK);
    assert_int_equal(atol(rft_env_value(&env, "scripted.pid")), ids[0]);
    assert_int_equal(rft_remote_probe_open(s.remote, &s.err), RFT_OK); /* it is */
    assert_int_equal(rft_remote_probe_identify(s.remote, s.arena, &gpu, &s.err), RFT_OK);
    scene_close(&s);
}

/* Whatever comes after it: the early answer is never taken for another's. */
static void an_early_opening_may_be_followed_by_anything(void **state) {
    (void)state;
    for (int next = 0; next < 3; next++) {
        scene s;
        rft_gpu_info gpu;
        rft_ceilings ceilings;
        rft_probe_result result;
        scene_open(&s, 1);
        assert_int_equal(rft_remote_probe_open(s.remote, &s.err), RFT_OK);
        if (next == 0) {
            assert_int_equal(rft_remote_probe_identify(s.remote, s.arena, &gpu, &s.err), RFT_OK);
        } else if (next == 1) {
            assert_int_equal(s.probe->ceilings(s.probe, NULL, s.arena, &ceilings, &s.err), RFT_OK);
        } else {
            scene_lose_device_worker(&s); /* before it was asked for what it found */
        }
        assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
        assert_int_equal(result.outcome, RFT_OUTCOME_OK);
        scene_close(&s);
    }
}

/* What was expected is asked for by its name alone; what comes instead, or to a new worker, in full. */
static void what_is_expected_is_measured_as_ever(void **state) {
    (void)state;
    static const struct {
        const char *expected, *asked;
        bool loses;
        rft_outcome outcome;
    } rows[] = {{"ok", "ok", false, RFT_OUTCOME_OK},
                {"wrong", "wrong", false, RFT_OUTCOME_WRONG_RESULT},
                {"wrong", "ok", false, RFT_OUTCOME_OK},
                {"ok", "ok", true, RFT_OUTCOME_OK},
                {"killed", "killed", false, RFT_OUTCOME_CRASHED},
                {"hangs", "hangs", false, RFT_OUTCOME_TIMED_OUT}};
    scene s;
    scene_open(&s, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rft_probe_result result;
        scene_device_worker(&s);
        scene_expect_next(&s, "wrong");
        scene_expect_next(&s, rows[i].expected);
        if (rows[i].loses) {
            scene_lose_device_worker(&s);
        }
        assert_int_equal(scene_measure(&s, rows[i].asked, &result), RFT_OK);
        assert_int_equal(result.outcome, rows[i].outcome);
        assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
        assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    }
    scene_close(&s);
}

/* ---- phases: each has a limit of its own ---- */

#define LONG_GRACE_S 60.0

/* Counted from the launch: other work has the grace, a launch has not. */
static void a_launch_that_does_not_return_costs_its_timeout(void **state) {
    (void)state;
    static const struct {
        const char *fate, *reason;
        double most_s;
    } rows[] = {{"hangs", "no end after 1 s: the kernel was launched and did not return; the worker was ended", 1 + 3},
                {"hangs_later", "no end after 2 s of timing: the first run had ended, a later one did not", 2 + 3}};
    scene s;
    scene_open(&s, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rft_probe_result result;
        double begun_s = scene_now_s();
        assert_int_equal(scene_measure_within(&s, rows[i].fate, 1.0, LONG_GRACE_S, &result), RFT_OK);
        double took_s = scene_now_s() - begun_s;
        assert_int_equal(result.outcome, RFT_OUTCOME_TIMED_OUT);
        assert_non_null(strstr(result.reason, rows[i].reason));
        assert_int_equal(result.workers_lost, 1);
        if (took_s > rows[i].most_s * (SANITIZED ? 4 : 1)) {
            fail_msg("%s: %.1f s", rows[i].fate, took_s);
        }
    }
    scene_close(&s);
}

static void a_slow_reference_is_waited_for(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    setenv("SCRIPTED_REFERENCE_S", "2.2", 1); /* a launch of the point would be ended after 1.5 s */
    assert_int_equal(scene_measure_within(&s, "ok", 1.0, LONG_GRACE_S, &result), RFT_OK);
    unsetenv("SCRIPTED_REFERENCE_S");
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    assert_int_equal(result.workers_lost, 0);
    scene_close(&s);
}

/* Nothing can be verified without it: that is known after the first point of the problem. */
static void a_reference_that_does_not_end_is_launched_once(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    setenv("SCRIPTED_REFERENCE_S", "1000", 1);
    assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_TIMED_OUT);
    assert_non_null(strstr(result.reason, "the reference reference (1024 threads in all) did not end in "));
    assert_int_equal(result.workers_lost, 1);
    assert_int_equal(scene_measure(&s, "wrong", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_TIMED_OUT);
    assert_non_null(strstr(result.reason, "it was not launched again"));
    assert_int_equal(result.workers_lost, 0);
    unsetenv("SCRIPTED_REFERENCE_S");
    scene_close(&s);
}

static void a_fill_that_does_not_end_is_launched_once(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    assert_int_equal(scene_measure(&s, "fill_ok", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    assert_int_equal(scene_measure(&s, "fill_hangs", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_TIMED_OUT);
    assert_non_null(strstr(result.reason, "the fill of x (victim.cu:filler) did not end in "));
    assert_int_equal(result.workers_lost, 1);
    assert_int_equal(scene_measure(&s, "fill_hangs", &result), RFT_OK);
    assert_non_null(strstr(result.reason, "did not end for another point of this problem: it was not launched again"));
    assert_int_equal(result.workers_lost, 0);
    assert_int_equal(scene_measure(&s, "fill_ok", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    scene_close(&s);
}

static void without_a_driver_nothing_is_identified(void **state) {
    (void)state;
    scene s;
    rft_gpu_info gpu;
    scene_open(&s, 1);
    scene_file(&s, "lost", "");
    setenv("SCRIPTED_NO_DRIVER", scene_path(&s, "lost"), 1);
    assert_int_equal(rft_remote_probe_identify(s.remote, s.arena, &gpu, &s.err), RFT_E_DEVICE);
    assert_string_equal(s.err.remedy, "install one");
    unsetenv("SCRIPTED_NO_DRIVER");
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_and_ceilings_come_over),
        cmocka_unit_test(every_draw_has_a_process_and_a_layout),
        cmocka_unit_test(processes_that_follow_are_there_ahead),
        cmocka_unit_test(counting_and_timing_share_no_process),
        cmocka_unit_test(a_point_that_takes_its_worker_down_is_followed_by_a_new_one),
        cmocka_unit_test(a_point_that_fails_alone_keeps_its_worker),
        cmocka_unit_test(a_worker_that_dies_behind_its_answer_is_replaced),
        cmocka_unit_test(a_worker_that_died_while_idle_is_replaced),
        cmocka_unit_test(a_new_worker_without_a_device_is_an_error),
        cmocka_unit_test(a_device_can_be_known_and_opened_early),
        cmocka_unit_test(an_early_opening_may_be_followed_by_anything),
        cmocka_unit_test(what_is_expected_is_measured_as_ever),
        cmocka_unit_test(a_launch_that_does_not_return_costs_its_timeout),
        cmocka_unit_test(a_slow_reference_is_waited_for),
        cmocka_unit_test(a_reference_that_does_not_end_is_launched_once),
        cmocka_unit_test(a_fill_that_does_not_end_is_launched_once),
        cmocka_unit_test(without_a_driver_nothing_is_identified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
