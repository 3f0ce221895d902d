/* SPDX-License-Identifier: Apache-2.0 */
/* What ends a run instead of costing a point: it says why and what to do, and what was stored stays. */
#include "run/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect_error(scene *s, int rc, int code, const char *message_part, const char *remedy_part) {
    if (rc != code || !strstr(s->err.message, message_part) || !strstr(s->err.remedy, remedy_part)) {
        fail_msg("%d %s: %s (%s); expected %d ... %s ... (... %s ...)", rc, s->err.place, s->err.message, s->err.remedy,
                 code, message_part, remedy_part);
    }
}

static void a_source_that_is_not_there(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scripted_sweep_opts opts = {.source = "missing.cu"};
    scene_sweep(&s, &opts);
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_SOURCE, "missing.cu", "");
    scene_close(&s);
}

static void a_reference_that_is_not_there(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.reference = "nowhere.cu"};
    scene_sweep(&s, &opts);
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_SOURCE, "nowhere.cu", "");
    assert_int_equal(scene_load(&s, "a.db")->point_count, 0);
    scene_close(&s);
}

static void a_reference_that_does_not_compile(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.reference = "broken.cu", .speeds = {1, 2, 3}};
    scene_sweep(&s, &opts);
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_SOURCE, "error: no such", "correct the reference");
    assert_non_null(strstr(s.err.place, "broken.cu"));
    scene_close(&s);
}

/* Of a sweep that comes later: said before that is reached. */
static void a_reference_of_a_later_sweep_that_does_not_compile(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts good = {.speeds = {1, 2, 3}, .sizes = {1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000}};
    scripted_sweep_opts bad = {.name = "later", .reference = "broken.cu"};
    scene_sweep(&s, &good);
    scene_sweep(&s, &bad);
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_SOURCE, "error: no such", "correct the reference");
    assert_in_range(scene_load(&s, "a.db")->point_count, 0, 23);
    scene_close(&s);
}

static void a_sweep_of_which_nothing_fits(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scripted_sweep_opts opts = {.fates = {"too_large"}, .speeds = {1, 2}};
    scene_sweep(&s, &opts);
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_NOTHING,
                 "each of 2 configurations exceeds it; the first: ", "`rooftune check`");
    assert_int_equal(s.measured, 0);
    scene_close(&s);
}

static void an_unknown_strategy(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scripted_sweep_opts opts = {.speeds = {1}};
    scene_sweep(&s, &opts);
    s.sweeps[0]->search.strategy = "exhaustiv";
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_USAGE, "exhaustiv", "exhaustive");
    scene_close(&s);
}

static void constraints_that_leave_nothing(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scripted_sweep_opts opts = {.speeds = {1000, 2000}, .constrained = true};
    scene_sweep(&s, &opts);
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_SPACE, "10 * SPEED <= n", "loosen `where`");
    scene_close(&s);
}

/* The program is replaced while it runs: no worker can be started any more. */
static void a_worker_program_that_is_not_there(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {1, 2, 3}};
    scene_sweep(&s, &opts);
    assert_int_equal(unlink(s.program), 0);
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_WORKER, "cannot start a worker process", "moved or replaced");
    /* The device's worker lives, compilers cannot be started. */
    assert_int_equal(remove(scene_path(&s, "a.db")), 0);
    assert_int_equal(symlink(scene_worker_program(), s.program), 0);
    rft_gpu_info gpu;
    rft_env env = {0};
    assert_int_equal(s.probe->device(s.probe, s.arena, &gpu, &env, &s.err), RFT_OK);
    assert_int_equal(unlink(s.program), 0);
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_WORKER, "cannot start a worker process", "moved or replaced");
    assert_int_equal(scene_load(&s, "a.db")->point_count, 0);
    scene_close(&s);
}

static void workers_that_end_at_once(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 2);
    scripted_sweep_opts opts = {.speeds = {1, 2, 3}};
    scene_sweep(&s, &opts);
    setenv("SCRIPTED_EXIT", "127", 1);
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_WORKER, "ended with status 127", "rooftune devices");
    unsetenv("SCRIPTED_EXIT");
    assert_int_equal(remove(scene_path(&s, "a.db")), 0);
    /* The device's worker is there, the compilers are not. */
    rft_gpu_info gpu;
    rft_env env = {0};
    assert_int_equal(s.probe->device(s.probe, s.arena, &gpu, &env, &s.err), RFT_OK);
    setenv("SCRIPTED_EXIT", "127", 1);
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_WORKER, "before it answered anything", "rooftune devices");
    unsetenv("SCRIPTED_EXIT");
    while (!rft_compile_pool_idle(s.pool)) { /* those that were started already end as well */
        rft_loop_turn(s.loop);
        scene_sleep_s(0.001);
    }
    scene_run(&s, "a.db");
    scene_close(&s);
}

static void no_driver(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scripted_sweep_opts opts = {.speeds = {1}};
    scene_sweep(&s, &opts);
    scene_file(&s, "lost", "");
    setenv("SCRIPTED_NO_DRIVER", scene_path(&s, "lost"), 1);
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_DEVICE, "there is no driver any more", "install one");
    unsetenv("SCRIPTED_NO_DRIVER");
    scene_close(&s);
}

typedef struct losing {
    scene *scene;
    unsigned after;
} losing;

/* After some points the driver goes away; the next fault shows it. */
static void lose_driver(void *payload, const rft_exec_progress *now) {
    losing *l = payload;
    if (now->done == l->after) {
        scene_file(l->scene, "lost", "");
    }
}

static void a_device_that_is_lost_ends_the_run(void **state) {
    (void)state;
    scene s;
    scene_open(&s, 1);
    scripted_sweep_opts opts = {.fates = {"sticky"}, .speeds = {1, 2, 3, 4, 5, 6}};
    scene_sweep(&s, &opts);
    setenv("SCRIPTED_NO_DRIVER", scene_path(&s, "lost"), 1);
    losing l = {&s, 3};
    s.progress_hook = lose_driver;
    s.hook_payload = &l;
    expect_error(&s, scene_session(&s, "a.db", 1), RFT_E_DEVICE, "there is no driver any more", "install one");
    const rft_run *stored = scene_load(&s, "a.db");
    assert_in_range(stored->point_count, 3, 4); /* one is told while the next is measured */
    assert_int_equal(stored->info.finished_unix_ns, 0);
    assert_int_equal(unlink(scene_path(&s, "lost")), 0);
    unsetenv("SCRIPTED_NO_DRIVER");
    s.progress_hook = NULL;
    const rft_run *run = scene_run(&s, "a.db");
    assert_int_equal(run->point_count, 6);
    scene_expect_once(run);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reference_of_a_later_sweep_that_does_not_compile),
        cmocka_unit_test(a_sweep_of_which_nothing_fits),
        cmocka_unit_test(a_source_that_is_not_there),
        cmocka_unit_test(a_reference_that_is_not_there),
        cmocka_unit_test(a_reference_that_does_not_compile),
        cmocka_unit_test(an_unknown_strategy),
        cmocka_unit_test(constraints_that_leave_nothing),
        cmocka_unit_test(a_worker_program_that_is_not_there),
        cmocka_unit_test(workers_that_end_at_once),
        cmocka_unit_test(no_driver),
        cmocka_unit_test(a_device_that_is_lost_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
