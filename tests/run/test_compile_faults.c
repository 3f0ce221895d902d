/* SPDX-License-Identifier: Apache-2.0 */
/* Compilers that crash, exit, eat memory or answer nonsense, and workers that are taken away: one request each at most,
 * and the next one is served. */
#include "run/scene_probe.h"

#include "base/fs.h"
#include "run/compile/compile_memory.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LITTLE_MEMORY ((uint64_t)128 << 20)

/* A scene whose compilers may take this much. */
static void open_with(scene *s, const rft_compile_pool_opts *wanted) {
    rft_err err = RFT_ERR_INIT;
    scene_open(s, 1);
    rft_compile_pool_free(s->pool);
    rft_compile_pool_opts opts = *wanted;
    opts.loop = s->loop;
    opts.program = s->program;
    assert_int_equal(rft_compile_pool_new(&s->pool, &opts, &err), RFT_OK);
}

static void expect_next_request(scene *s) {
    static int number = 1000;
    bool late = false;
    unsetenv("SCRIPTED_ANSWER");
    unsetenv("SCRIPTED_ONCE");
    assert_true(scene_result(s, scene_submit(s, "ok", number++, 10), &late)->ok);
}

/* A child that has answered ends a moment later. */
static void expect_workers(scene *s, size_t count, long *ids, size_t most) {
    double end_s = scene_now_s() + 10;
    while (scene_processes(s, NULL, 0) > count && scene_now_s() < end_s) {
        scene_sleep_s(0.002);
    }
    assert_int_equal(scene_processes(s, ids, most), count);
}

static void a_compiler_that_eats_memory_costs_one_configuration(void **state) {
    (void)state;
    scene s;
    bool late = false;
    struct rusage usage;
    open_with(&s, &(rft_compile_pool_opts){
                      .workers = 1, .memory_bytes = LITTLE_MEMORY, .alone_bytes = LITTLE_MEMORY + (32 << 20)});
    const rft_compile_result *result = scene_result(&s, scene_submit(&s, "compile_memory", 1, 20), &late);
    assert_false(result->ok || late);
    assert_string_equal(result->log,
                        "the compiler's process was ended by signal 6 (Aborted), twice, the second time alone; it may "
                        "use at most 160 MiB");
    expect_next_request(&s);
    expect_workers(&s, 1, NULL, 0); /* the same one */
    scene_close(&s);
    getrusage(RUSAGE_CHILDREN, &usage);
    assert_true(usage.ru_maxrss < 512 << 10); /* KiB; what it had before, a sanitizer's shadow included, and 128 MiB */
}

static void a_compiler_that_is_short_of_memory_gets_more(void **state) {
    (void)state;
    scene s;
    bool late = false;
    open_with(&s,
              &(rft_compile_pool_opts){.workers = 1, .memory_bytes = LITTLE_MEMORY, .alone_bytes = 4 * LITTLE_MEMORY});
    assert_true(scene_result(&s, scene_submit(&s, "compile_hungry", 1, 20), &late)->ok);
    expect_next_request(&s);
    scene_close(&s);
}

/* The system ended it because the machine was short of memory: with nothing beside it it may do. */
static void a_compiler_that_was_killed_is_tried_again_alone(void **state) {
    (void)state;
    enum { OTHERS = 8 };
    scene s;
    bool late = false;
    rft_ticket others[OTHERS];
    scene_open(&s, 3);
    setenv("SCRIPTED_ONCE", scene_path(&s, "struck"), 1);
    setenv("SCRIPTED_BUSY", scene_path(&s, "busy"), 1);
    assert_int_equal(rft_fs_make_folders(scene_path(&s, "busy"), &s.err), RFT_OK);
    for (int i = 0; i < OTHERS / 2; i++) {
        others[i] = scene_submit(&s, "compile_slow", i, 20);
    }
    rft_ticket killed = scene_submit(&s, "compile_killed_once", 100, 20);
    for (int i = OTHERS / 2; i < OTHERS; i++) {
        others[i] = scene_submit(&s, "compile_slow", i, 20);
    }
    const rft_compile_result *result = scene_result(&s, killed, &late);
    if (!result->ok) {
        fail_msg("%s", result->log);
    }
    assert_true(rft_fs_exists(scene_path(&s, "struck")));
    for (int i = 0; i < OTHERS; i++) {
        assert_true(scene_result(&s, others[i], &late)->ok);
    }
    unsetenv("SCRIPTED_BUSY");
    assert_int_equal(rmdir(scene_path(&s, "busy")), 0);
    expect_next_request(&s);
    scene_close(&s);
}

/* Macros are all that is known of what crashed: those that are no numbers can stand in a name's place. */
static void a_compiler_that_faults_names_the_macros(void **state) {
    (void)state;
    scene s;
    bool late = false;
    open_with(&s, &(rft_compile_pool_opts){.workers = 1});
    const rft_compile_result *result = scene_result(&s, scene_submit(&s, "compile_fault", 1, 20), &late);
    assert_false(result->ok || late);
    assert_non_null(strstr(result->log, "signal 11 (Segmentation fault)"));
    assert_non_null(strstr(result->log, "the macros here: -DFATE=compile_fault. Name such a parameter in entry"));
    expect_next_request(&s);
    scene_close(&s);
}

static void a_compiler_that_is_killed_twice_is_to_blame(void **state) {
    (void)state;
    scene s;
    bool late = false;
    open_with(&s, &(rft_compile_pool_opts){.workers = 2, .alone_bytes = (uint64_t)64 << 30});
    const rft_compile_result *result = scene_result(&s, scene_submit(&s, "compile_killed", 1, 20), &late);
    assert_false(result->ok || late);
    assert_string_equal(result->log, "the compiler's process was ended by signal 9 (Killed), twice, the second time "
                                     "alone; it may use at most 64 GiB");
    expect_next_request(&s);
    scene_close(&s);
}

static void the_share_of_a_worker_is_within_limits(void **state) {
    (void)state;
    assert_true(rft_compile_memory_bytes(1) <= RFT_COMPILE_MEMORY_MAX);
    assert_true(rft_compile_memory_bytes(0) == rft_compile_memory_bytes(1));
    assert_true(rft_compile_memory_bytes(100000) == RFT_COMPILE_MEMORY_MIN);
    assert_true(rft_compile_memory_bytes(2) <= rft_compile_memory_bytes(1));
    assert_true(rft_compile_memory_bytes(1) <= rft_compile_memory_alone_bytes());
}

static void a_compiler_that_exits_costs_one_configuration(void **state) {
    (void)state;
    scene s;
    bool late = false;
    scene_open(&s, 1);
    const rft_compile_result *result = scene_result(&s, scene_submit(&s, "compile_exit", 1, 20), &late);
    assert_false(result->ok || late);
    assert_non_null(strstr(result->log, "the compiler's process ended with status 1; it may use at most "));
    expect_next_request(&s);
    scene_close(&s);
}

/* The worker and, while it compiles, its child. */
static long worker_with_child(scene *s, long *child) {
    long ids[4], parent = 0;
    assert_true(scene_wait_processes(s, 2, 10));
    size_t count = scene_processes(s, ids, 4);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++) {
        char path[64], line[256];
        snprintf(path, sizeof path, "/proc/%ld/stat", ids[i]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        fclose(file);
        long of = atol(strrchr(line, ')') + 4); /* ") S PARENT" */
        if (of == (long)getpid()) {
            parent = ids[i];
            *child = ids[1 - i];
        }
    }
    assert_true(parent > 0);
    return parent;
}

static void a_compiling_process_is_the_first_to_go(void **state) {
    (void)state;
    scene s;
    long child = 0;
    char path[64];
    char *text = NULL;
    size_t size = 0;
    scene_open(&s, 1);
    rft_ticket ticket = scene_submit(&s, "compile_endless", 1, 60);
    worker_with_child(&s, &child);
    scene_sleep_s(0.1);
    snprintf(path, sizeof path, "/proc/%ld/oom_score_adj", child);
    assert_int_equal(rft_fs_read(&text, &size, path, 0, &s.err), RFT_OK);
    assert_int_equal(atoi(text), 1000);
    free(text);
    rft_compile_pool_release(s.pool, ticket);
    scene_close(&s); /* with the child in it */
}

/* Killed from outside: the child goes too, and the request is served by another worker. */
static void a_worker_that_is_taken_away_costs_nothing(void **state) {
    (void)state;
    scene s;
    bool late = false;
    long child = 0;
    scene_open(&s, 1);
    setenv("SCRIPTED_ONCE", scene_path(&s, "struck"), 1);
    rft_ticket ticket = scene_submit(&s, "compile_endless_once", 1, 20);
    long worker = worker_with_child(&s, &child);
    while (!rft_fs_exists(scene_path(&s, "struck"))) {
        scene_sleep_s(0.005);
    }
    kill((pid_t)worker, SIGKILL);
    assert_true(scene_wait_end(&s, 5)); /* the loop has not been looked after: no new one yet */
    assert_true(scene_result(&s, ticket, &late)->ok);
    assert_false(late);
    expect_next_request(&s);
    scene_close(&s);
}

static void a_request_that_ends_two_workers_is_to_blame(void **state) {
    (void)state;
    static const struct {
        const char *answer, *told;
    } rows[] = {{"1:cut:3", "the compile worker was ended by signal 9 (Killed), twice"},
                {"1:cut:120", "the compile worker was ended by signal 9 (Killed), twice"},
                {"1:huge_blob", "the compile worker sent bytes that are not a frame and was ended, twice"},
                {"1:no_json", "the compile worker sent bytes that are not a frame and was ended, twice"},
                {"1:no_object", "the compile worker sent an answer without a request and was ended, twice"},
                {"1:mute", "the compile worker closed its output and was ended, twice"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene s;
        bool late = false;
        scene_open(&s, 1);
        setenv("SCRIPTED_ANSWER", rows[i].answer, 1);
        const rft_compile_result *result = scene_result(&s, scene_submit(&s, "ok", 1, 20), &late);
        if (result->ok || late || strcmp(result->log, rows[i].told) != 0) {
            fail_msg("%s: ok %d, late %d, \"%s\"", rows[i].answer, result->ok, late, result->log);
        }
        rft_compile_pool_free(s.pool); /* its worker would spoil the first answer of the next as well */
        rft_err err = RFT_ERR_INIT;
        rft_compile_pool_opts opts = {.loop = s.loop, .program = s.program, .workers = 1};
        assert_int_equal(rft_compile_pool_new(&s.pool, &opts, &err), RFT_OK);
        expect_next_request(&s);
        scene_close(&s);
    }
}

static void an_answer_of_the_wrong_shape_is_an_error(void **state) {
    (void)state;
    scene s;
    bool late = false;
    const rft_compile_result *result = NULL;
    scene_open(&s, 1);
    setenv("SCRIPTED_ANSWER", "1:wrong_shape", 1);
    rft_ticket ticket = scene_submit(&s, "ok", 1, 20);
    assert_int_equal(rft_compile_pool_wait(s.pool, ticket, &result, &late, &s.err), RFT_E_WORKER);
    assert_string_equal(s.err.place, "a compile worker's answer");
    assert_non_null(strstr(s.err.remedy, "replaced while it ran"));
    expect_next_request(&s);
    scene_close(&s);
}

/* The second answer is taken neither for the next request's nor for the next worker's. */
static void a_second_answer_counts_for_nothing(void **state) {
    (void)state;
    scene s;
    bool late = false;
    rft_ticket tickets[6];
    char hashes[6][65];
    scene_open(&s, 1);
    setenv("SCRIPTED_ANSWER", "2:double", 1);
    for (int i = 0; i < 6; i++) {
        tickets[i] = scene_submit(&s, "ok", i, 20);
    }
    for (int i = 0; i < 6; i++) {
        const rft_compile_result *result = scene_result(&s, tickets[i], &late);
        assert_true(result->ok);
        memcpy(hashes[i], result->cubin_hash, sizeof hashes[i]);
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(hashes[i], hashes[k]);
        }
    }
    expect_next_request(&s);
    scene_close(&s);
}

static void slow_answers_are_waited_for(void **state) {
    (void)state;
    scene s;
    bool late = false;
    scene_open(&s, 1);
    setenv("SCRIPTED_ANSWER", "1:slow:50", 1);
    assert_true(scene_result(&s, scene_submit(&s, "ok", 1, 20), &late)->ok && !late);
    rft_ticket ticket = scene_submit(&s, "ok", 2, 20);
    assert_true(scene_result(&s, ticket, &late)->ok && !late);
    expect_next_request(&s);
    scene_close(&s);
}

static void a_program_that_vanishes_is_an_error_with_a_remedy(void **state) {
    (void)state;
    scene s;
    bool late = false;
    const rft_compile_result *result = NULL;
    scene_open(&s, 1);
    assert_int_equal(unlink(s.program), 0);
    rft_ticket ticket = scene_submit(&s, "ok", 1, 20);
    assert_int_equal(rft_compile_pool_wait(s.pool, ticket, &result, &late, &s.err), RFT_E_WORKER);
    assert_non_null(strstr(s.err.remedy, "moved or replaced"));
    assert_int_equal(rft_compile_pool_start(s.pool, 1, &s.err), RFT_E_WORKER);
    assert_int_equal(symlink(scene_worker_program(), s.program), 0);
    assert_true(scene_result(&s, ticket, &late)->ok);
    scene_close(&s);
}

/* They start at the same time, without a request, and take what comes. */
static void workers_can_be_started_early(void **state) {
    (void)state;
    scene s;
    bool late = false;
    long before[4], after[4];
    scene_open(&s, 3);
    assert_int_equal(rft_compile_pool_start(s.pool, 9, &s.err), RFT_OK);
    assert_true(scene_wait_processes(&s, 3, 10));
    expect_workers(&s, 3, before, 4);
    assert_true(rft_compile_pool_idle(s.pool));
    assert_true(rft_compile_pool_seconds(s.pool) == 0);
    for (int i = 0; i < 3; i++) {
        assert_true(scene_result(&s, scene_submit(&s, "ok", i, 10), &late)->ok);
    }
    expect_workers(&s, 3, after, 4);
    assert_memory_equal(before, after, 3 * sizeof *before);
    scene_close(&s);
}

/* Processor time where a request was answered, the limit where it was not. */
static void core_seconds_add_up(void **state) {
    (void)state;
    scene s;
    bool late = false;
    scene_open(&s, 1);
    scene_result(&s, scene_submit(&s, "ok", 1, 10), &late);
    double answered_s = rft_compile_pool_seconds(s.pool);
    assert_true(answered_s > 0 && answered_s < 1);
    scene_result(&s, scene_submit(&s, "ok", 1, 10), &late); /* known */
    assert_true(rft_compile_pool_seconds(s.pool) == answered_s);
    scene_result(&s, scene_submit(&s, "compile_endless", 2, 0.3), &late);
    assert_true(late);
    double ended_s = rft_compile_pool_seconds(s.pool) - answered_s;
    assert_true(ended_s >= 0.299 && ended_s < 3);
    double before_s = rft_compile_pool_seconds(s.pool);
    scene_result(&s, scene_submit(&s, "compile_crash", 3, 10), &late);
    assert_true(rft_compile_pool_seconds(s.pool) > before_s);
    scene_close(&s);
}

static size_t heap_bytes(void) {
    return mallinfo2().uordblks + mallinfo2().hblkhd; /* 0 under a sanitizer */
}

/* A million configurations are asked for one after another: what is done with leaves nothing behind. */
static void memory_does_not_grow_with_the_number_of_requests(void **state) {
    (void)state;
    enum { DROPPED = 100000, ANSWERED = 3000, KEPT_BYTES = 1 << 20 };
    scene s;
    bool late = false;
    open_with(&s, &(rft_compile_pool_opts){.workers = 1, .kept_bytes = KEPT_BYTES});
    assert_true(scene_result(&s, scene_submit(&s, "ok", -1, 60), &late)->ok);
    rft_ticket busy = scene_submit(&s, "compile_endless", -2, 60);
    rft_arena *arena = s.arena;
    size_t before = heap_bytes();
    for (int i = 0; i < DROPPED; i++) {
        s.arena = i % 100 == 0 ? rft_arena_new() : s.arena; /* of the requests' texts */
        rft_compile_pool_release(s.pool, scene_submit(&s, "ok", i, 60));
        if (i % 100 == 99) {
            rft_arena_free(s.arena);
        }
    }
    s.arena = arena;
    printf("    %d requests that came and went: %.1f KiB\n", DROPPED, ((double)heap_bytes() - (double)before) / 1024);
    assert_true(heap_bytes() < before + (256 << 10));
    rft_compile_pool_release(s.pool, busy);
    scene_close(&s);
    open_with(&s, &(rft_compile_pool_opts){.workers = 1, .kept_bytes = KEPT_BYTES});
    before = heap_bytes();
    for (int i = 0; i < ANSWERED; i++) {
        rft_ticket ticket = scene_submit(&s, "ok", i, 60);
        assert_true(scene_result(&s, ticket, &late)->ok);
        rft_compile_pool_release(s.pool, ticket);
    }
    size_t texts = rft_arena_used_bytes(s.arena);
    printf("    %d answered: %.1f KiB\n", ANSWERED, ((double)heap_bytes() - (double)before - (double)texts) / 1024);
    assert_true(heap_bytes() < before + 2 * texts + 2 * KEPT_BYTES);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compiler_that_eats_memory_costs_one_configuration),
        cmocka_unit_test(a_compiler_that_is_short_of_memory_gets_more),
        cmocka_unit_test(a_compiler_that_was_killed_is_tried_again_alone),
        cmocka_unit_test(a_compiler_that_is_killed_twice_is_to_blame),
        cmocka_unit_test(a_compiler_that_faults_names_the_macros),
        cmocka_unit_test(the_share_of_a_worker_is_within_limits),
        cmocka_unit_test(a_compiler_that_exits_costs_one_configuration),
        cmocka_unit_test(a_compiling_process_is_the_first_to_go),
        cmocka_unit_test(a_worker_that_is_taken_away_costs_nothing),
        cmocka_unit_test(a_request_that_ends_two_workers_is_to_blame),
        cmocka_unit_test(an_answer_of_the_wrong_shape_is_an_error),
        cmocka_unit_test(a_second_answer_counts_for_nothing),
        cmocka_unit_test(slow_answers_are_waited_for),
        cmocka_unit_test(a_program_that_vanishes_is_an_error_with_a_remedy),
        cmocka_unit_test(workers_can_be_started_early),
        cmocka_unit_test(core_seconds_add_up),
        cmocka_unit_test(memory_does_not_grow_with_the_number_of_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
