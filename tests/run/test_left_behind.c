/* SPDX-License-Identifier: Apache-2.0 */
/* However a coordinator ends, and whenever: no process of its own is left, no temporary file, no core file. */
#include "run/scene_probe.h"

#include "base/fs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum ending { ENDING_WELL, ENDING_IN_ERROR, ENDING_BY_SIGNAL } ending;

static const scripted_sweep_opts mixed = {.fates = {"ok", "killed", "compile_crash", "compile_endless", "hangs"},
                                          .speeds = {1, 2}};

/* The coordinator, in a process of its own: nothing is freed, nothing is closed. */
static _Noreturn void coordinate(scene *s, ending end) {
    setenv("TMPDIR", scene_path(s, "tmp"), 1);
    if (chdir(scene_path(s, "cwd")) != 0) {
        _exit(9);
    }
    s->sweep_count = 0;
    scene_workers(s, 2);
    rft_sweep *sweep = scene_sweep(s, &mixed);
    sweep->measure.point_timeout_s = SCENE_POINT_S;
    sweep->measure.compile_timeout_s = 0.5;
    if (end == ENDING_IN_ERROR) {
        scene_submit(s, "compile_endless", 1, 2);
        scene_device_worker(s);
        unlink(s->program); /* no worker can be started any more */
    } else if (end == ENDING_BY_SIGNAL) {
        sweep->measure.point_timeout_s = 60;
        sweep->measure.compile_timeout_s = 60;
    }
    int rc = scene_session(s, "a.db", 1);
    _exit(rc == RFT_OK ? 0 : 1);
}

static void make_folders(scene *s) {
    assert_int_equal(mkdir(scene_path(s, "tmp"), 0777), 0);
    assert_int_equal(mkdir(scene_path(s, "cwd"), 0777), 0);
}

/* Fails unless they are empty. */
static void expect_nothing_left(scene *s) {
    if (!scene_wait_end(s, 5)) {
        long ids[8];
        size_t count = scene_processes(s, ids, 8);
        fail_msg("%zu processes are left, one is %ld", count, count ? ids[0] : 0);
    }
    assert_int_equal(rmdir(scene_path(s, "tmp")), 0);
    assert_int_equal(rmdir(scene_path(s, "cwd")), 0);
}

static int wait_for(pid_t child) {
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* A coordinator of its own leaves that exit status, and nothing else. */
static void ends_by_itself(scene *s, ending how, int expected) {
    make_folders(s);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        coordinate(s, how);
    }
    int status = wait_for(child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == expected);
    expect_nothing_left(s);
}

static void after_a_normal_end(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    ends_by_itself(&s, ENDING_WELL, 0);
    assert_int_equal(scene_load(&s, "a.db")->point_count, 10);
    scene_close(&s);
}

static void after_an_error(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    ends_by_itself(&s, ENDING_IN_ERROR, 1);
    scene_close(&s);
}

/* Signals that nothing was set up for: the coordinator has no say in it. */
static void after_a_signal_at_any_moment(void **state) {
    (void)state;
    static const int signals[] = {SIGKILL, SIGINT, SIGTERM, SIGHUP};
    unsigned seed = 12345;
    for (int i = 0; i < 24; i++) {
        scene s;
        scene_open(&s, 1);
        make_folders(&s);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            coordinate(&s, ENDING_BY_SIGNAL);
        }
        seed = seed * 1103515245u + 12345u;
        scene_sleep_s((double)(seed >> 16 & 0x3ff) / 1024 *
                      (i < 12 ? 0.03 : 0.4)); /* while all starts; in the middle */
        kill(child, signals[i % 4]);
        int status = wait_for(child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i % 4]);
        expect_nothing_left(&s);
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_a_normal_end),
        cmocka_unit_test(after_an_error),
        cmocka_unit_test(after_a_signal_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
