/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a GPU between processes: one has it, the other is told who; it goes with its process, however that goes.
 */
#include "cli/gpu_lock.h"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct said {
    char text[1024];
} said;

static void hear(void *self, rft_log_level level, const char *text) {
    (void)level;
    snprintf(((said *)self)->text, sizeof((said *)self)->text, "%s", text);
}

/* Of this process alone: tests that run side by side do not meet. */
static const char *own_uuid(const char *end) {
    static char uuid[64];
    snprintf(uuid, sizeof uuid, "GPU-test-%ld-%s", (long)getpid(), end);
    return uuid;
}

/* A child that has the lock until it is killed. */
static pid_t start_holder(const char *uuid) {
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        rft_gpu_lock *lock = NULL;
        rft_gpu_lock_opts opts = {.uuid = uuid, .device = "test"};
        int rc = rft_gpu_lock_take(&lock, &opts, NULL);
        if (rc == 0 && lock && write(ready[1], "x", 1) == 1) {
            pause();
        }
        _exit(1);
    }
    assert_true(pid > 0);
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

static void end_holder(pid_t pid) {
    int status = 0;
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
}

static void test_busy_names_the_holder(void **state) {
    (void)state;
    const char *uuid = own_uuid("busy");
    rft_gpu_lock *lock = NULL;
    rft_gpu_lock_opts opts = {.uuid = uuid, .device = "NVIDIA Test"};
    rft_err err = RFT_ERR_INIT;
    char who[64];
    pid_t pid = start_holder(uuid);
    assert_int_equal(rft_gpu_lock_take(&lock, &opts, &err), RFT_E_BUSY);
    assert_null(lock);
    snprintf(who, sizeof who, "(process %ld: test_gpu_lock", (long)pid);
    assert_non_null(strstr(err.message, who));
    assert_non_null(strstr(err.message, uuid));
    assert_string_equal(err.place, "NVIDIA Test");
    assert_non_null(strstr(err.remedy, "--wait"));

    rft_gpu_lock_opts other = {.uuid = own_uuid("other"), .device = "another one"};
    assert_int_equal(rft_gpu_lock_take(&lock, &other, &err), RFT_OK);
    assert_non_null(lock);
    rft_gpu_lock_free(lock);

    end_holder(pid);
    opts.uuid = own_uuid("busy");
    assert_int_equal(rft_gpu_lock_take(&lock, &opts, &err), RFT_OK);
    assert_non_null(lock);
    rft_gpu_lock_free(lock);
    assert_int_equal(rft_gpu_lock_take(&lock, &opts, &err), RFT_OK); /* given back */
    rft_gpu_lock_free(lock);
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The holder is killed a little later; the one that waits has said for whom, and has the lock at once then. */
static void test_waiting(void **state) {
    (void)state;
    const char *uuid = own_uuid("wait");
    said heard = {""};
    rft_log log = {.line = hear, .self = &heard};
    rft_gpu_lock *lock = NULL;
    rft_gpu_lock_opts opts = {.uuid = uuid, .device = "test", .wait = true, .log = &log};
    rft_err err = RFT_ERR_INIT;
    char who[64];
    pid_t holder = start_holder(uuid);
    pid_t killer = fork();
    if (killer == 0) {
        struct timespec pause_s = {0, 400000000};
        nanosleep(&pause_s, NULL);
        kill(holder, SIGKILL);
        _exit(0);
    }
    double began_s = now_s();
    assert_int_equal(rft_gpu_lock_take(&lock, &opts, &err), RFT_OK);
    double waited_s = now_s() - began_s;
    assert_non_null(lock);
    assert_true(waited_s > 0.3 && waited_s < 5.0);
    snprintf(who, sizeof who, "in use by another rooftune (process %ld", (long)holder);
    assert_non_null(strstr(heard.text, "waiting for GPU-test-"));
    assert_non_null(strstr(heard.text, who));
    rft_gpu_lock_free(lock);
    assert_int_equal(waitpid(killer, NULL, 0), killer);
    assert_int_equal(waitpid(holder, NULL, 0), holder);
}

/* Many at once: one has it at a time, and all have had it. */
static void test_crowd(void **state) {
    (void)state;
    enum { CROWD = 12 };
    const char *uuid = own_uuid("crowd");
    char path[] = "/tmp/rooftune-lock-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    for (int i = 0; i < CROWD; i++) {
        if (fork() == 0) {
            rft_gpu_lock *lock = NULL;
            rft_gpu_lock_opts opts = {.uuid = uuid, .device = "test", .wait = true};
            struct timespec pause_s = {0, 2000000};
            char inside = 0;
            bool alone = rft_gpu_lock_take(&lock, &opts, NULL) == RFT_OK && lock && pread(file, &inside, 1, 0) <= 1 &&
                         inside == 0;
            bool noted = pwrite(file, "\1", 1, 0) == 1;
            nanosleep(&pause_s, NULL);
            noted = noted && pwrite(file, "\0", 1, 0) == 1;
            rft_gpu_lock_free(lock);
            _exit(alone && noted ? 0 : 1);
        }
    }
    for (int i = 0; i < CROWD; i++) {
        int status = 0;
        assert_true(wait(&status) > 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    close(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_busy_names_the_holder),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
