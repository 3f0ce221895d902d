/* SPDX-License-Identifier: Apache-2.0 */
/* The compile pool alone: one compile a request, no waiting that is not a compile, crashes and limits. */
#include "run/scene_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void the_same_request_is_compiled_once(void **state) {
    (void)state;
    scene s;
    bool late = false;
    scene_open(&s, 3);
    setenv("SCRIPTED_LOG", scene_path(&s, "log"), 1);
    rft_ticket first = scene_submit(&s, "ok", 1, 10);
    rft_ticket other = scene_submit(&s, "ok", 2, 10);
    assert_true(first != other);
    assert_true(first == scene_submit(&s, "ok", 1, 10));
    const rft_compile_result *result = scene_result(&s, first, &late);
    assert_true(result->ok && !late);
    assert_true(first == scene_submit(&s, "ok", 1, 10));
    assert_ptr_equal(scene_result(&s, first, &late), result);
    assert_string_not_equal(scene_result(&s, other, &late)->cubin_hash, result->cubin_hash);
    assert_int_equal(scene_lines(&s, "log"), 2);
    unsetenv("SCRIPTED_LOG");
    scene_close(&s);
}

static void a_worker_says_what_compiler_it_has(void **state) {
    (void)state;
    scene s;
    bool late = false;
    rft_compiler_facts facts = {0};
    rft_err err = RFT_ERR_INIT;
    scene_open(&s, 2);
    assert_int_equal(rft_compile_pool_compiler(s.pool, "sm_90a", &facts, &err), RFT_OK);
    assert_true(facts.knows_arch);
    assert_true(*facts.version != '\0');
    assert_true(scene_result(&s, scene_submit(&s, "ok", 1, 10), &late)->ok); /* and compiles as ever */
    scene_close(&s);

    scene_open(&s, 2);
    setenv("SCRIPTED_EXIT", "9", 1);
    assert_int_equal(rft_compile_pool_compiler(s.pool, "sm_90a", &facts, &err), RFT_E_WORKER);
    assert_non_null(strstr(err.message, "ended with status 9 before it answered anything"));
    unsetenv("SCRIPTED_EXIT");
    scene_close(&s);
}

/* As the executor does it: 32 ahead, waited for in order. */
static double compile_many(size_t workers, int count) {
    enum { AHEAD = 32 };
    scene s;
    bool late = false;
    rft_ticket ring[AHEAD];
    scene_open(&s, workers);
    for (size_t i = 0; i < workers; i++) { /* starting workers is not what is measured */
        ring[i] = scene_submit(&s, "ok", -1 - (int)i, 60);
    }
    for (size_t i = 0; i < workers; i++) {
        scene_result(&s, ring[i], &late);
    }
    double begun_s = scene_now_s();
    for (int i = 0; i < count + AHEAD; i++) {
        if (i >= AHEAD) {
            assert_true(scene_result(&s, ring[i % AHEAD], &late)->ok);
            rft_compile_pool_release(s.pool, ring[i % AHEAD]);
        }
        if (i < count) {
            ring[i % AHEAD] = scene_submit(&s, "ok", i, 60);
        }
    }
    double took_s = scene_now_s() - begun_s;
    scene_close(&s);
    return took_s;
}

static void waiting_adds_nothing(void **state) {
    (void)state;
    double one_s = compile_many(1, 2000);
    double four_s = compile_many(4, 2000);
    printf("    2000 requests: %.0f us each with one worker, %.0f us with four\n", one_s / 2000 * 1e6,
           four_s / 2000 * 1e6);
    assert_true(one_s < 25 && four_s < 25); /* turns of 20 ms would be 40 s; a sanitizer makes forking slow */
}

/* While the loop is waited on for something else, answers are taken and the queue goes on. */
static void the_queue_goes_on_while_the_device_is_waited_for(void **state) {
    (void)state;
    scene s;
    rft_ticket tickets[20];
    bool late = false;
    scene_open(&s, 1);
    scene_result(&s, scene_submit(&s, "ok", 99, 10), &late);
    setenv("SCRIPTED_LOG", scene_path(&s, "log"), 1);
    tickets[0] =
        scene_submit(&s, "compile_crash", 0, 10); /* a worker that must be replaced meanwhile, by one that logs */
    for (int i = 1; i < 20; i++) {
        tickets[i] = scene_submit(&s, i == 7 ? "compile_endless" : "ok", i, i == 7 ? 0.2 : 10);
    }
    double end_s = scene_now_s() + 20;
    bool all = false;
    while (!all && scene_now_s() < end_s) {
        rft_loop_turn(s.loop);
        scene_sleep_s(0.002);
        all = rft_compile_pool_idle(s.pool);
    }
    assert_true(all);
    double begun_s = scene_now_s();
    for (int i = 1; i < 20; i++) {
        const rft_compile_result *result = scene_result(&s, tickets[i], &late);
        assert_int_equal(result->ok, i != 7);
        assert_int_equal(late, i == 7);
    }
    assert_true(scene_now_s() - begun_s < (SANITIZED ? 1.0 : 0.1));
    assert_false(scene_result(&s, tickets[0], &late)->ok);
    unsetenv("SCRIPTED_LOG");
    scene_close(&s);
}

static void crashes_and_limits_cost_one_request_each(void **state) {
    (void)state;
    scene s;
    bool late = false;
    scene_open(&s, 2);
    rft_ticket sound = scene_submit(&s, "ok", 1, 10);
    rft_ticket crash = scene_submit(&s, "compile_crash", 2, 10);
    rft_ticket endless = scene_submit(&s, "compile_endless", 3, 0.3);
    rft_ticket refused = scene_submit(&s, "compile_refused", 4, 10);
    rft_ticket last = scene_submit(&s, "ok", 5, 10);
    assert_true(scene_result(&s, sound, &late)->ok && scene_result(&s, last, &late)->ok);
    const rft_compile_result *result = scene_result(&s, crash, &late);
    assert_true(!result->ok && !late && strstr(result->log, "signal 6"));
    result = scene_result(&s, endless, &late);
    assert_true(!result->ok && late && strstr(result->log, "no end after 0.3 s"));
    result = scene_result(&s, refused, &late);
    assert_true(!result->ok && !late && strstr(result->log, "and more"));
    scene_close(&s);
}

/* What is not waited for any more is not compiled; asked for again, it is. */
static void released_requests_leave_the_queue(void **state) {
    (void)state;
    scene s;
    bool late = false;
    rft_ticket tickets[10];
    scene_open(&s, 1);
    setenv("SCRIPTED_LOG", scene_path(&s, "log"), 1);
    rft_ticket first = scene_submit(&s, "compile_endless", 0, 0.3);
    for (int i = 0; i < 10; i++) {
        tickets[i] = scene_submit(&s, "ok", i, 10);
    }
    for (int i = 0; i < 9; i++) {
        rft_compile_pool_release(s.pool, tickets[i]);
    }
    assert_true(scene_result(&s, tickets[9], &late)->ok);
    assert_int_equal(scene_lines(&s, "log"), 2);
    assert_true(scene_result(&s, scene_submit(&s, "ok", 3, 10), &late)->ok);
    assert_int_equal(scene_lines(&s, "log"), 3);
    scene_result(&s, first, &late);
    assert_true(late);
    unsetenv("SCRIPTED_LOG");
    scene_close(&s);
}

static void results_not_looked_at_are_forgotten(void **state) {
    (void)state;
    scene s;
    bool late = false;
    rft_err err = RFT_ERR_INIT;
    scene_open(&s, 1);
    rft_compile_pool_free(s.pool);
    rft_compile_pool_opts opts = {.loop = s.loop, .program = s.program, .workers = 1, .kept_bytes = 1};
    assert_int_equal(rft_compile_pool_new(&s.pool, &opts, &err), RFT_OK);
    setenv("SCRIPTED_LOG", scene_path(&s, "log"), 1);
    rft_ticket looked_at = scene_submit(&s, "ok", 1, 10);
    rft_ticket twice = scene_submit(&s, "ok", 2, 10);
    assert_true(scene_submit(&s, "ok", 2, 10) == twice);
    const rft_compile_result *result = scene_result(&s, looked_at, &late);
    char hash[65];
    memcpy(hash, scene_result(&s, twice, &late)->cubin_hash, sizeof hash);
    rft_compile_pool_release(s.pool, twice);
    assert_true(scene_submit(&s, "ok", 2, 10) == twice);
    assert_int_equal(scene_lines(&s, "log"), 2); /* there was one user left */
    rft_compile_pool_release(s.pool, twice);
    rft_compile_pool_release(s.pool, twice);
    assert_string_equal(scene_result(&s, scene_submit(&s, "ok", 2, 10), &late)->cubin_hash, hash);
    assert_int_equal(scene_lines(&s, "log"), 3);
    assert_ptr_equal(scene_result(&s, looked_at, &late), result);
    unsetenv("SCRIPTED_LOG");
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_request_is_compiled_once),
        cmocka_unit_test(a_worker_says_what_compiler_it_has),
        cmocka_unit_test(waiting_adds_nothing),
        cmocka_unit_test(the_queue_goes_on_while_the_device_is_waited_for),
        cmocka_unit_test(crashes_and_limits_cost_one_request_each),
        cmocka_unit_test(released_requests_leave_the_queue),
        cmocka_unit_test(results_not_looked_at_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
