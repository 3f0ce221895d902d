/* SPDX-License-Identifier: Apache-2.0 */
/* The device worker dies or misbehaves at every step: each time there is a clean outcome, no hang, and the next point
 * is measured as if nothing had been. */
#include "run/scene_probe.h"
#include "support/sanitized.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void forget_faults(void) {
    unsetenv("SCRIPTED_DIE_AT");
    unsetenv("SCRIPTED_ANSWER");
    unsetenv("SCRIPTED_ONCE");
}

static int sound(void **state) {
    (void)state;
    forget_faults(); /* of a test that failed in the middle */
    unsetenv("SCRIPTED_EXIT");
    return 0;
}

static void expect_said(const char *said, const char *part) {
    if (!said || !strstr(said, part)) {
        fail_msg("\"%s\" does not say \"%s\"", said ? said : "(nothing)", part);
    }
}

static void expect_next_point(scene *s) {
    rft_probe_result result;
    forget_faults();
    if (scene_measure(s, "ok", &result) != RFT_OK) {
        fail_msg("the next point: %s (%s)", s->err.message, s->err.remedy);
    }
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    assert_true(result.measurement.n > 0);
    assert_int_equal(result.workers_lost, 0);
}

/* Killed at step K of a new worker, in both attempts. False when K lies beyond the last step. */
static bool dies_twice(scene *s, unsigned k, unsigned *opening, unsigned *measuring) {
    rft_probe_result result;
    char step[16];
    snprintf(step, sizeof step, "%u", k);
    scene_lose_device_worker(s);
    setenv("SCRIPTED_DIE_AT", step, 1);
    int rc = scene_measure(s, "ok", &result);
    forget_faults();
    if (rc == RFT_OK && result.outcome == RFT_OUTCOME_OK) {
        return false;
    }
    if (rc != RFT_OK) {
        assert_int_equal(rc, RFT_E_WORKER);
        expect_said(s->err.message, "was ended by signal 9 (Killed) while it answered \"device\"");
        assert_true(strlen(s->err.remedy) > 10);
        ++*opening;
    } else {
        assert_int_equal(result.outcome, RFT_OUTCOME_CRASHED);
        assert_string_equal(result.reason, "the device worker was ended by signal 9 (Killed), twice");
        assert_int_equal(result.workers_lost, 2);
        assert_int_equal(result.measurement.n, 0);
        ++*measuring;
    }
    expect_next_point(s);
    return true;
}

/* The same step of a point, but an accident. */
static void dies_once(scene *s, unsigned k) {
    rft_probe_result result;
    char step[16];
    const char *struck = scene_path(s, "struck");
    snprintf(step, sizeof step, "%u", k);
    scene_lose_device_worker(s);
    setenv("SCRIPTED_DIE_AT", step, 1);
    setenv("SCRIPTED_ONCE", struck, 1);
    assert_int_equal(scene_measure(s, "ok", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_OK);
    assert_int_equal(result.workers_lost, 1);
    assert_int_equal(unlink(struck), 0);
    scene_lose_device_worker(s); /* it would die at that step again */
    expect_next_point(s);
}

/* The last step of opening the device and measuring a point; by halving. */
static unsigned last_step(scene *s) {
    unsigned ignored = 0, low = 1, high = 1 << 16;
    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;
        *(dies_twice(s, middle, &ignored, &ignored) ? &low : &high) = middle;
    }
    return low;
}

/* Each of the first and of the last; between them lie thousands of launches that wake the GPU up, one like the other.
 */
/* Of the first and of the last steps: all of those. */
enum { EACH = SANITIZED ? 20 : 60 };

static void a_worker_dies_at_every_step_of_a_point(void **state) {
    (void)state;
    enum { SPREAD = 8, OPENING_MOST = 16 };
    scene s;
    scene_open(&s, 1);
    unsigned opening = 0, measuring = 0, last = last_step(&s);
    for (unsigned k = 1; k <= last; k++) {
        bool between = k > EACH && k + EACH < last;
        if (between && k % (last / SPREAD) != 0) {
            continue;
        }
        assert_true(dies_twice(&s, k, &opening, &measuring));
        if (k % 8 == 0 && k > OPENING_MOST) {
            dies_once(&s, k);
        }
    }
    printf("    %u steps: died at %u while opening the device and at %u in a point\n", last, opening, measuring);
    assert_in_range(opening, 2, OPENING_MOST);
    assert_true(measuring >= 2 * EACH - opening);
    scene_close(&s);
}

static void a_worker_dies_at_steps_of_the_ceilings(void **state) {
    (void)state;
    char step[16];
    bool beyond = false;
    unsigned died = 0;
    for (unsigned k = 1; !beyond; k += 1 + k / 6) {
        scene s;
        rft_ceilings ceilings;
        assert_true(k < 100000);
        scene_open(&s, 1);
        snprintf(step, sizeof step, "%u", k);
        setenv("SCRIPTED_DIE_AT", step, 1);
        int rc = s.probe->ceilings(s.probe, NULL, s.arena, &ceilings, &s.err);
        beyond = rc == RFT_OK;
        if (!beyond) {
            assert_int_equal(rc, RFT_E_WORKER);
            expect_said(s.err.message, "was ended by signal 9 (Killed) while it answered \"ceilings\"");
            died++;
        }
        expect_next_point(&s);
        scene_close(&s);
    }
    assert_true(died >= 10);
}

static void a_worker_that_ends_before_it_reads_is_an_error(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    rft_gpu_info gpu;
    scene_open(&s, 1);
    setenv("SCRIPTED_EXIT", "3", 1);
    assert_int_equal(rft_remote_probe_identify(s.remote, s.arena, &gpu, &s.err), RFT_E_WORKER);
    expect_said(s.err.message, "the device worker ended with status 3 while it answered \"identify\"");
    unsetenv("SCRIPTED_EXIT");
    assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
    scene_close(&s);
}

/* The answers to "device" (1) and to the point (2); what the user is told when both workers do so. */
static void spoiled_answers_cost_one_point(void **state) {
    (void)state;
    static const struct {
        const char *answer, *told;
    } rows[] = {
        {"cut:0", "was ended by signal 9 (Killed)"},
        {"cut:3", "was ended by signal 9 (Killed)"},
        {"cut:10", "was ended by signal 9 (Killed)"},
        {"cut:16", "was ended by signal 9 (Killed)"},
        {"cut:40", "was ended by signal 9 (Killed)"},
        {"huge_head", "sent bytes that are not a frame and was ended"},
        {"huge_blob", "sent bytes that are not a frame and was ended"},
        {"no_json", "sent bytes that are not a frame and was ended"},
        {"no_object", "sent an answer without a request and was ended"},
        {"mute", "closed its output and was ended"},
    };
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        scene s;
        rft_probe_result result;
        char answer[32];
        bool opening = i % 2 == 0;
        scene_open(&s, 1);
        snprintf(answer, sizeof answer, "%d:%s", opening ? 1 : 2, rows[i / 2].answer);
        rft_err_clear(&s.err);
        /* compiled before, by workers whose answers are as they should be */
        assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
        scene_lose_device_worker(&s);
        setenv("SCRIPTED_ANSWER", answer, 1);
        int rc = scene_measure(&s, "ok", &result);
        if (opening) {
            assert_int_equal(rc, RFT_E_WORKER);
            expect_said(s.err.message, rows[i / 2].told);
            assert_true(strlen(s.err.remedy) > 10);
        } else {
            assert_int_equal(rc, RFT_OK);
            assert_int_equal(result.outcome, RFT_OUTCOME_CRASHED);
            expect_said(result.reason, rows[i / 2].told);
            expect_said(result.reason, ", twice");
            assert_int_equal(result.workers_lost, 2);
        }
        expect_next_point(&s);
        scene_close(&s);
    }
}

/* Gigabytes that a header promises are not taken from the system for it. */
static void impossible_sizes_take_no_memory(void **state) {
    (void)state;
    scene s;
    rft_gpu_info gpu;
    struct rusage before, after;
    scene_open(&s, 1);
    getrusage(RUSAGE_SELF, &before);
    setenv("SCRIPTED_ANSWER", "1:huge_blob", 1);
    assert_int_equal(rft_remote_probe_identify(s.remote, s.arena, &gpu, &s.err), RFT_E_WORKER);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 64 << 10); /* KiB */
    expect_next_point(&s);
    scene_close(&s);
}

/* A frame of another program version is the installation's fault: an error, not a crashed kernel. */
static void an_answer_of_the_wrong_shape_is_an_error(void **state) {
    (void)state;
    for (int number = 1; number <= 2; number++) {
        scene s;
        rft_probe_result result;
        char answer[32];
        scene_open(&s, 1);
        assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
        scene_lose_device_worker(&s);
        snprintf(answer, sizeof answer, "%d:wrong_shape", number);
        setenv("SCRIPTED_ANSWER", answer, 1);
        rft_gpu_info gpu;
        rft_env env = {0};
        int rc = number == 1 ? s.probe->device(s.probe, s.arena, &gpu, &env, &s.err) : scene_measure(&s, "ok", &result);
        assert_int_equal(rc, RFT_E_WORKER);
        expect_said(s.err.place, "the device worker's answer");
        expect_said(s.err.remedy, "replaced while it ran");
        expect_next_point(&s);
        scene_close(&s);
    }
}

/* Neither passes for the answer to the next point, whose worker is replaced. */
static void answers_not_asked_for_count_for_nothing(void **state) {
    (void)state;
    const char *rows[] = {"2:double", "2:stray", "1:double"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene s;
        rft_probe_result result;
        scene_open(&s, 1);
        assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK); /* compiled, by a worker with sound answers */
        scene_lose_device_worker(&s);
        setenv("SCRIPTED_ANSWER", rows[i], 1);
        setenv("SCRIPTED_ONCE", scene_path(&s, "struck"), 1);
        assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
        assert_int_equal(result.outcome, RFT_OUTCOME_OK);
        scene_sleep_s(0.5); /* the stray one has come */
        assert_int_equal(scene_measure(&s, "wrong", &result), RFT_OK);
        assert_int_equal(result.outcome, RFT_OUTCOME_WRONG_RESULT);
        expect_next_point(&s);
        scene_close(&s);
    }
}

static void slow_answers_are_waited_for(void **state) {
    (void)state;
    char late[32];
    const char *rows[] = {"1:slow:20", "2:slow:20", late};
    snprintf(late, sizeof late, "2:late:%.0f", 1e3 * 0.7 * (SCENE_POINT_S + 0.5));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene s;
        rft_probe_result result;
        scene_open(&s, 1);
        assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
        scene_lose_device_worker(&s);
        setenv("SCRIPTED_ANSWER", rows[i], 1);
        assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
        assert_int_equal(result.outcome, RFT_OUTCOME_OK);
        assert_int_equal(result.workers_lost, 0);
        expect_next_point(&s);
        scene_close(&s);
    }
}

static void an_answer_after_the_limit_is_not(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
    scene_lose_device_worker(&s);
    setenv("SCRIPTED_ANSWER", "2:late:30000", 1);
    assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_TIMED_OUT);
    assert_int_equal(result.workers_lost, 1); /* a limit is no accident: not repeated */
    expect_next_point(&s);
    scene_close(&s);
}

/* 16 MiB that stay in the pipe. */
static void a_worker_that_reads_no_more_is_ended_by_the_limit(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    setenv("SCRIPTED_ANSWER", "1:stop", 1);
    (void)scene_device_worker(&s);
    forget_faults();
    double begun_s = scene_now_s();
    assert_int_equal(scene_measure_large(&s, 16u << 20, &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_TIMED_OUT);
    assert_true(scene_now_s() - begun_s < SCENE_POINT_S + 10);
    expect_next_point(&s);
    scene_close(&s);
}

static void what_a_point_cost_is_counted(void **state) {
    (void)state;
    static const struct {
        const char *fate, *reason;
        int lost;
    } rows[] = {{"ok", NULL, 0},
                {"wrong", "", 0},
                {"sticky", "", 1},
                {"hangs", "no end after ", 1},
                {"killed", "the device worker was ended by signal 9 (Killed), twice", 2},
                {"exits", "the device worker ended with status 3, twice", 2},
                {"garbage", "the device worker sent bytes that are not a frame and was ended, twice", 2}};
    scene s;
    scene_open(&s, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rft_probe_result result;
        assert_int_equal(scene_measure(&s, rows[i].fate, &result), RFT_OK);
        assert_int_equal(result.workers_lost, rows[i].lost);
        if (rows[i].reason) {
            expect_said(result.reason, rows[i].reason);
        }
    }
    scene_close(&s);
}

static void two_different_ends_are_both_told(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    setenv("SCRIPTED_ONCE", scene_path(&s, "struck"), 1);
    assert_int_equal(scene_measure(&s, "killed_then_exits", &result), RFT_OK);
    assert_int_equal(result.outcome, RFT_OUTCOME_CRASHED);
    assert_string_equal(result.reason,
                        "the device worker was ended by signal 9 (Killed), then another ended with status 3");
    assert_int_equal(result.workers_lost, 2);
    expect_next_point(&s);
    scene_close(&s);
}

static void a_program_that_vanishes_is_an_error_with_a_remedy(void **state) {
    (void)state;
    scene s;
    rft_probe_result result;
    scene_open(&s, 1);
    assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK);
    assert_int_equal(unlink(s.program), 0);
    assert_int_equal(scene_measure(&s, "ok", &result), RFT_OK); /* those that live go on */
    scene_lose_device_worker(&s);
    assert_int_equal(scene_measure(&s, "ok", &result), RFT_E_WORKER);
    expect_said(s.err.message, "cannot start a worker process");
    expect_said(s.err.remedy, "moved or replaced");
    assert_int_equal(symlink(scene_worker_program(), s.program), 0);
    expect_next_point(&s);
    scene_close(&s);
}

/* In a child without privileges, to which the limit applies. */
static int without_processes(scene *s) {
    struct rlimit none = {1, 1};
    rft_probe *probe = NULL;
    rft_loop *loop = NULL;
    rft_gpu_info gpu;
    rft_err err = RFT_ERR_INIT;
    if ((getuid() == 0 && setuid(65534) != 0) || setrlimit(RLIMIT_NPROC, &none) != 0) {
        return 77;
    }
    rft_loop_new(&loop, &err);
    rft_remote_probe_opts opts = {.loop = loop, .program = s->program};
    rft_remote_probe_new(&probe, &opts, &err);
    int rc = rft_remote_probe_identify(probe, s->arena, &gpu, &err);
    bool said =
        rc == RFT_E_WORKER && strstr(err.message, "cannot start a worker process") && strstr(err.remedy, "ulimit -u");
    probe->free(probe);
    rft_loop_free(loop);
    return said ? 0 : 1;
}

static void no_process_left_is_an_error_with_a_remedy(void **state) {
    (void)state;
    scene s;
    int status = 0;
    scene_open(&s, 1);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(without_processes(&s));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    scene_close(&s);
    if (WEXITSTATUS(status) == 77) {
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_worker_dies_at_every_step_of_a_point, sound),
        cmocka_unit_test_setup(a_worker_dies_at_steps_of_the_ceilings, sound),
        cmocka_unit_test_setup(a_worker_that_ends_before_it_reads_is_an_error, sound),
        cmocka_unit_test_setup(spoiled_answers_cost_one_point, sound),
        cmocka_unit_test_setup(impossible_sizes_take_no_memory, sound),
        cmocka_unit_test_setup(an_answer_of_the_wrong_shape_is_an_error, sound),
        cmocka_unit_test_setup(answers_not_asked_for_count_for_nothing, sound),
        cmocka_unit_test_setup(slow_answers_are_waited_for, sound),
        cmocka_unit_test_setup(an_answer_after_the_limit_is_not, sound),
        cmocka_unit_test_setup(a_worker_that_reads_no_more_is_ended_by_the_limit, sound),
        cmocka_unit_test_setup(what_a_point_cost_is_counted, sound),
        cmocka_unit_test_setup(two_different_ends_are_both_told, sound),
        cmocka_unit_test_setup(a_program_that_vanishes_is_an_error_with_a_remedy, sound),
        cmocka_unit_test_setup(no_process_left_is_an_error_with_a_remedy, sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
