/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes over one cubin cache: one of them compiles what all want, none waits for ever, none ever gets
 * another's code, and one that is killed at any moment leaves nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/hash.h"
#include "compile/cache_fixture.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int64_t now_ns(void) {
    const rft_clock *clock = rft_clock_system();
    return clock->monotonic_ns(clock->self);
}

static void pause_ns(int64_t duration_ns) {
    const rft_clock *clock = rft_clock_system();
    clock->sleep_ns(clock->self, duration_ns);
}

/* A process of its own that opens the cache and answers one request; exit status 1: right, +2: from the cache. */
static pid_t start_asking(cache_fixture *f, int n) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        rft_compile_request request = cache_request_of_text(f, n);
        cache_reopen(f);
        rft_compile_result result = cache_ask(f, &request);
        _exit((cache_is_right(f, &request, &result) ? 1 : 0) | (result.from_cache ? 2 : 0));
    }
    return child;
}

static int exit_status(pid_t child) {
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void kill_now(pid_t child) {
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void wait_until_begun(const cache_fixture *f, int count) {
    for (int i = 0; atomic_load(&f->inner.counts->begun) < count; i++) {
        assert_true(i < 10000);
        pause_ns(1000000);
    }
}

/* ---- one key ---- */
static void what_several_want_at_once_is_compiled_once(void **state) {
    cache_fixture *f = *state;
    f->inner.takes_ns = 300000000;
    pid_t children[6];
    for (int c = 0; c < 6; c++) {
        children[c] = start_asking(f, c / 3); /* two keys, three processes each */
    }
    int from_cache = 0;
    for (int c = 0; c < 6; c++) {
        int status = exit_status(children[c]);
        assert_true(status & 1);
        from_cache += status >> 1;
    }
    assert_int_equal(cache_compiles(f), 2);
    assert_int_equal(from_cache, 4);
    assert_int_equal(cache_count_files(f, NULL), 3); /* two entries and .lock */
}

/* Also when the lock was opened before the fork, as a compile worker's is. */
static void the_lock_of_one_that_is_killed_is_free(void **state) {
    cache_fixture *f = *state;
    f->inner.takes_ns = 60000000000;
    pid_t killed = fork();
    assert_true(killed >= 0);
    if (killed == 0) {
        rft_compile_request request = cache_request_of_text(f, 1);
        cache_ask(f, &request);
        _exit(0);
    }
    wait_until_begun(f, 1);
    f->inner.takes_ns = 0;
    int64_t start_ns = now_ns();
    pid_t other = start_asking(f, 1);
    pause_ns(100000000);
    assert_int_equal(cache_compiles(f), 0); /* it waits */
    kill_now(killed);
    assert_int_equal(exit_status(other), 1);
    assert_true(now_ns() - start_ns < 3000000000); /* less than it would have waited */
    assert_int_equal(cache_compiles(f), 1);
}

static void waiting_has_an_end(void **state) {
    cache_fixture *f = *state;
    f->inner.takes_ns = 60000000000;
    pid_t slow = start_asking(f, 1);
    wait_until_begun(f, 1);
    f->inner.takes_ns = 0;
    f->opts.wait_s = 0.2;
    int64_t start_ns = now_ns();
    assert_int_equal(exit_status(start_asking(f, 1)), 1);
    int64_t took_ns = now_ns() - start_ns;
    assert_true(took_ns >= 200000000 && took_ns < 5000000000);
    assert_int_equal(exit_status(start_asking(f, 1)), 3); /* what it made is kept, whoever has the lock */
    kill_now(slow);
}

static void a_source_that_does_not_compile_fails_for_all(void **state) {
    cache_fixture *f = *state;
    f->inner.takes_ns = 100000000;
    f->inner.fails = true;
    pid_t children[2] = {start_asking(f, 1), start_asking(f, 1)};
    assert_int_equal(exit_status(children[0]), 0);
    assert_int_equal(exit_status(children[1]), 0);
    assert_int_equal(cache_compiles(f), 2);
}

/* A folder where the lock file should be stands for a file system without locks. */
static void without_locks_everything_else_works(void **state) {
    cache_fixture *f = *state;
    char *lock = rft_fs_join(f->folder, ".lock");
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(mkdir(lock, 0777), 0);
    assert_int_equal(exit_status(start_asking(f, 1)), 1);
    assert_int_equal(exit_status(start_asking(f, 1)), 3);
    f->opts.limit_bytes = 100;
    cache_reopen(f); /* room is made all the same */
    assert_int_equal(cache_count_files(f, ".rftc"), 0);
    assert_int_equal(f->warnings, 0);
    free(lock);
}

/* ---- a crowd ---- */
enum { CROWD = 8, CROWD_ASKS = 400, CROWD_KEYS = 40 };

static _Noreturn void be_one_of_the_crowd(cache_fixture *f, uint64_t seed) {
    bool ok = true;
    cache_reopen(f);
    for (int i = 0; i < CROWD_ASKS && ok; i++) {
        rft_compile_request request = cache_request_of_text(f, (int)rft_random_below(&seed, CROWD_KEYS));
        rft_compile_result result = cache_ask(f, &request);
        ok = cache_is_right(f, &request, &result);
        if (i % 50 == 49) {
            cache_age_stamp(f);
            cache_reopen(f);
        }
        rft_arena_reset(f->arena);
    }
    _exit(ok && f->warnings == 0 ? 0 : 1);
}

/* The folder holds a quarter of what is asked for: every process writes, reads and evicts all the time. */
static void a_crowd_never_gets_wrong_code(void **state) {
    cache_fixture *f = *state;
    pid_t children[CROWD];
    f->inner.code_bytes = 8000;
    f->opts.limit_bytes = (uint64_t)CROWD_KEYS * 9000 / 4;
    for (int c = 0; c < CROWD; c++) {
        children[c] = fork();
        assert_true(children[c] >= 0);
        if (children[c] == 0) {
            be_one_of_the_crowd(f, (uint64_t)c + 1);
        }
    }
    for (int c = 0; c < CROWD; c++) {
        assert_int_equal(exit_status(children[c]), 0);
    }
    cache_age_stamp(f);
    cache_reopen(f);
    assert_true(cache_total_bytes(f) <= f->opts.limit_bytes);
    assert_int_equal(cache_count_files(f, NULL), cache_count_files(f, ".rftc") + 1);
    assert_true(cache_compiles(f) < CROWD * CROWD_ASKS); /* it was of use */
    print_message("%d asks, %d compiles\n", CROWD * CROWD_ASKS, cache_compiles(f));
}

/* ---- killed at any moment ---- */
enum { KILLS = 200, KILL_KEYS = 60 };

static _Noreturn void write_for_ever(cache_fixture *f, uint64_t seed) {
    cache_reopen(f);
    for (;;) {
        rft_compile_request request = cache_request_of_text(f, (int)rft_random_below(&seed, KILL_KEYS));
        cache_ask(f, &request);
        rft_arena_reset(f->arena);
    }
}

static void kill_writers(cache_fixture *f) {
    uint64_t seed = 5;
    f->inner.code_bytes = 50000;
    f->opts.limit_bytes = 30 * 51000; /* so that there is always something to write */
    for (int k = 0; k < KILLS; k++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            write_for_ever(f, (uint64_t)k);
        }
        pause_ns((int64_t)rft_random_below(&seed, 8000000));
        kill_now(child);
    }
}

/* Every entry that exists is whole: of all keys exactly those without a file are compiled. */
static void all_entries_are_whole(cache_fixture *f) {
    f->opts.limit_bytes = 0;
    cache_reopen(f);
    size_t there = cache_count_files(f, ".rftc");
    int before = cache_compiles(f);
    for (int n = 0; n < KILL_KEYS; n++) {
        rft_compile_request request = cache_request_of_text(f, n);
        rft_compile_result result = cache_ask(f, &request);
        assert_true(cache_is_right(f, &request, &result));
    }
    assert_true(there > 0);
    assert_int_equal(cache_compiles(f) - before, KILL_KEYS - (int)there);
}

static void writers_killed_at_any_moment_leave_nothing(void **state) {
    cache_fixture *f = *state;
    kill_writers(f);
    assert_int_equal(cache_count_files(f, NULL), cache_count_files(f, ".rftc") + 1);
    all_entries_are_whole(f);
}

static void what_they_leave_where_files_need_names_is_removed(void **state) {
    cache_fixture *f = *state;
    f->opts.named_temporaries = true;
    kill_writers(f);
    char **left = NULL;
    size_t count = 0;
    assert_int_equal(rft_fs_list(&left, &count, f->folder, ".tmp", NULL), 0);
    for (size_t i = 0; i < count; i++) {
        char *path = rft_fs_join(f->folder, left[i]);
        cache_age(path, 60);
        free(path);
    }
    rft_fs_list_free(left, count);
    print_message("%zu temporaries of %d killed writers\n", count, KILLS);
    cache_age_stamp(f);
    cache_reopen(f);
    assert_int_equal(cache_count_files(f, NULL), cache_count_files(f, ".rftc") + 1);
    all_entries_are_whole(f);
}

int main(void) {
#define CACHE_TEST(f) cmocka_unit_test_setup_teardown(f, cache_set_up, cache_tear_down)
    const struct CMUnitTest tests[] = {
        CACHE_TEST(what_several_want_at_once_is_compiled_once),
        CACHE_TEST(the_lock_of_one_that_is_killed_is_free),
        CACHE_TEST(waiting_has_an_end),
        CACHE_TEST(a_source_that_does_not_compile_fails_for_all),
        CACHE_TEST(without_locks_everything_else_works),
        CACHE_TEST(a_crowd_never_gets_wrong_code),
        CACHE_TEST(writers_killed_at_any_moment_leave_nothing),
        CACHE_TEST(what_they_leave_where_files_need_names_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
