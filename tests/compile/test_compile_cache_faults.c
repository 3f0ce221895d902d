/* SPDX-License-Identifier: Apache-2.0 */
/* What can happen to the folder of the cubin cache: damaged files, no permission, a full disk, no folder at all; and
 * that it stays below its size. Whatever happens, every compile is answered, and rightly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "compile/cache_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- damaged files ---- */
static void set_content(const char *path, const char *data, size_t size) {
    assert_int_equal(rft_fs_put(path, data, size, false, NULL), 0);
}

/* Asks twice: compiled anew, and mended by that. */
static void is_mended(cache_fixture *f) {
    rft_compile_request request = cache_request(f);
    rft_compile_result result = cache_ask(f, &request);
    assert_false(result.from_cache);
    assert_true(cache_is_right(f, &request, &result));
    result = cache_ask(f, &request);
    assert_true(result.from_cache);
    assert_true(cache_is_right(f, &request, &result));
}

static void a_file_cut_off_anywhere_is_mended(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f);
    cache_ask(f, &request);
    char *path = cache_only_entry(f), *data = NULL;
    size_t size = 0;
    assert_int_equal(rft_fs_read(&data, &size, path, 0, NULL), 0);
    for (size_t length = 0; length < size; length++) {
        set_content(path, data, length);
        is_mended(f);
    }
    set_content(path, data, size);
    assert_true(cache_ask(f, &request).from_cache);
    assert_int_equal(f->warnings, 0);
    free(data);
    free(path);
}

static void a_byte_altered_anywhere_is_mended(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f);
    cache_ask(f, &request);
    char *path = cache_only_entry(f), *data = NULL;
    size_t size = 0;
    assert_int_equal(rft_fs_read(&data, &size, path, 0, NULL), 0);
    for (size_t i = 0; i < size; i++) {
        /* The dashes that fill the header are in the hash too. */
        data[i] ^= (char)(1 << i % 8);
        set_content(path, data, size);
        data[i] ^= (char)(1 << i % 8);
        is_mended(f);
    }
    free(data);
    free(path);
}

/* Whole, but the answer to another question. */
static void an_entry_under_anothers_name_is_mended(void **state) {
    cache_fixture *f = *state;
    rft_compile_request other = cache_request_of_text(f, 1);
    cache_ask(f, &other);
    char *stranger = cache_only_entry(f), *data = NULL;
    size_t size = 0;
    assert_int_equal(rft_fs_read(&data, &size, stranger, 0, NULL), 0);
    assert_int_equal(unlink(stranger), 0);
    rft_compile_request request = cache_request(f);
    cache_ask(f, &request);
    char *path = cache_only_entry(f);
    set_content(path, data, size);
    is_mended(f);
    free(data);
    free(path);
    free(stranger);
}

static void what_is_no_file_is_left_alone(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f), other = cache_request_of_text(f, 1);
    cache_ask(f, &request);
    char *path = cache_only_entry(f);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    for (int i = 0; i < 3; i++) {
        rft_compile_result result = cache_ask(f, &request);
        assert_false(result.from_cache);
        assert_true(cache_is_right(f, &request, &result));
    }
    assert_true(rft_fs_is_folder(path));
    assert_int_equal(f->warnings, 1);
    assert_non_null(strstr(f->last_warning, path));
    cache_ask(f, &other); /* the others are kept as before */
    assert_true(cache_ask(f, &other).from_cache);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0666), 0); /* it has no writer: reading would never end */
    is_mended(f);
    free(path);
}

/* ---- folders that cannot be written ---- */
static void warns_once_and_compiles(cache_fixture *f, const char *named) {
    rft_compile_request request = cache_request(f);
    int before = cache_compiles(f);
    f->warnings = 0;
    cache_reopen(f);
    assert_int_equal(f->warnings, 1);
    assert_non_null(strstr(f->last_warning, named));
    for (int i = 0; i < 2; i++) {
        rft_compile_result result = cache_ask(f, &request);
        assert_false(result.from_cache);
        assert_true(cache_is_right(f, &request, &result));
    }
    assert_int_equal(cache_compiles(f), before + 2);
    assert_int_equal(f->warnings, 1);
}

static void a_folder_that_cannot_be_made_warns_once(void **state) {
    cache_fixture *f = *state;
    char *blocked = scratch_write(&f->s, "file", "a file, no folder");
    char *below = rft_fs_join(blocked, "cache");
    f->opts.folder = blocked;
    warns_once_and_compiles(f, "file");
    f->opts.folder = below;
    warns_once_and_compiles(f, "file");
    f->opts.folder = "/proc/self/rooftune";
    warns_once_and_compiles(f, "/proc/self/rooftune");
    f->opts.is_told = true; /* by another process of the run */
    f->warnings = 0;
    cache_reopen(f);
    assert_int_equal(f->warnings, 0);
    free(below);
    free(blocked);
}

/* Permissions do not hold for root, who becomes another user for the time. */
static void a_folder_that_may_only_be_read_is_read(void **state) {
    cache_fixture *f = *state;
    const bool is_root = geteuid() == 0;
    rft_compile_request request = cache_request(f), other = cache_request_of_text(f, 1);
    cache_ask(f, &request);
    char *path = cache_only_entry(f);
    assert_int_equal(chmod(f->s.folder, 0755), 0);
    assert_int_equal(chmod(f->folder, 0555), 0);
    if (is_root) {
        assert_int_equal(seteuid(65534), 0);
    }
    cache_reopen(f);
    rft_compile_result kept = cache_ask(f, &request), made = cache_ask(f, &other);
    bool again = cache_ask(f, &other).from_cache;
    if (is_root) {
        assert_int_equal(seteuid(0), 0);
    }
    assert_int_equal(chmod(f->folder, 0755), 0);
    assert_true(kept.from_cache);
    assert_true(cache_is_right(f, &other, &made));
    assert_false(again);
    assert_int_equal(f->warnings, 1);
    assert_non_null(strstr(f->last_warning, f->folder));
    free(path);
}

/* Entries are code: what somebody else may have put there is not run. */
static void a_folder_of_others_is_not_read(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f);
    cache_ask(f, &request);
    assert_int_equal(chmod(f->folder, 0777), 0);
    warns_once_and_compiles(f, "may be written by anyone, who would choose what runs on your GPU");
    assert_int_equal(chmod(f->folder, 0755), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(f->folder, 65534, 65534), 0);
        warns_once_and_compiles(f, "belongs to another user");
        assert_int_equal(chown(f->folder, 0, 0), 0);
    }
    cache_reopen(f);
    assert_true(cache_ask(f, &request).from_cache);
}

static void a_folder_that_goes_away_is_made_again(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f);
    cache_ask(f, &request);
    scratch_remove(f->folder);
    is_mended(f);
    assert_int_equal(f->warnings, 0);
    scratch_remove(f->folder);
    free(scratch_write(&f->s, "cache/below", "a file in its place"));
    assert_true(cache_ask(f, &request).ok);
    assert_true(cache_ask(f, &request).ok);
    assert_int_equal(f->warnings, 1);
}

/* ---- a full disk ---- */
/* A limit on the size of files ends a write in the middle, as a full disk does. */
static void limit_files_to(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk_leaves_nothing(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f);
    signal(SIGXFSZ, SIG_IGN); /* as main() does */
    cache_ask(f, &request);
    const size_t size = (size_t)cache_total_bytes(f);
    for (size_t room = 1; room < size; room += 1 + size / 20) {
        f->opts.named_temporaries = room % 2 == 0;
        scratch_remove(f->folder);
        f->warnings = 0;
        cache_reopen(f);
        limit_files_to(room);
        rft_compile_result result = cache_ask(f, &request);
        rft_compile_result again = cache_ask(f, &request);
        limit_files_to(RLIM_INFINITY);
        assert_true(cache_is_right(f, &request, &result));
        assert_false(again.from_cache);
        assert_int_equal(f->warnings, 1);
        assert_non_null(strstr(f->last_warning, "no longer cached"));
        assert_int_equal(cache_count_files(f, NULL), 1); /* .lock */
    }
}

/* An old entry that is damaged and cannot be replaced is no answer either. */
static void a_full_disk_keeps_no_damaged_entry_alive(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f);
    signal(SIGXFSZ, SIG_IGN);
    cache_ask(f, &request);
    char *path = cache_only_entry(f);
    assert_int_equal(truncate(path, 100), 0);
    limit_files_to(200);
    rft_compile_result result = cache_ask(f, &request);
    bool again = cache_ask(f, &request).from_cache;
    limit_files_to(RLIM_INFINITY);
    assert_true(cache_is_right(f, &request, &result));
    assert_false(again);
    free(path);
}

/* Children of a process, as the compile worker has for every request, do not warn each for themselves. */
static void children_share_the_warning(void **state) {
    cache_fixture *f = *state;
    signal(SIGXFSZ, SIG_IGN);
    int warnings = 0;
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            rft_compile_request request = cache_request_of_text(f, i);
            limit_files_to(10);
            _exit(cache_ask(f, &request).ok ? f->warnings : 99);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        warnings += WEXITSTATUS(status);
    }
    assert_int_equal(warnings, 1);
}

static void processes_of_a_run_share_the_warning(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f);
    signal(SIGXFSZ, SIG_IGN);
    f->opts.run_id = 4711;
    cache_reopen(f);
    const uint64_t runs[] = {4711, 4711, 4712};
    rft_compiler *others[3];
    counting_compiler inner = f->inner;
    for (int i = 0; i < 3; i++) {
        rft_compile_cache_opts opts = f->opts;
        opts.run_id = runs[i];
        others[i] = rft_compile_cache_new(&inner.base, &opts);
    }
    limit_files_to(10);
    int after[4] = {0};
    cache_ask(f, &request);
    after[3] = f->warnings;
    for (int i = 0; i < 3; i++) {
        rft_compile_result result;
        assert_int_equal(others[i]->compile(others[i], &request, f->arena, &result, NULL), 0);
        after[i] = f->warnings;
    }
    limit_files_to(RLIM_INFINITY);
    for (int i = 0; i < 3; i++) {
        others[i]->free(others[i]);
    }
    assert_int_equal(after[3], 1);
    assert_int_equal(after[1], 1);
    assert_int_equal(after[2], 2); /* another run's user is told too */
}

/* ---- room ---- */
static char *old_entry(cache_fixture *f, int n, off_t bytes, int64_t age_s) {
    char name[128];
    snprintf(name, sizeof name, "cache/below/%064x.rftc", (unsigned)n);
    char *path = scratch_write(&f->s, name, "x");
    assert_int_equal(truncate(path, bytes), 0); /* sparse: no disk is used */
    cache_age(path, age_s);
    return path;
}

static void the_oldest_make_room(void **state) {
    cache_fixture *f = *state;
    char *paths[3];
    for (int i = 0; i < 3; i++) {
        paths[i] = old_entry(f, i, 450000000, 1000 - i);
    }
    char *dear = scratch_write(&f->s, "cache/below/thesis.txt", "not the cache's");
    assert_int_equal(truncate(dear, 2000000000), 0);
    cache_age(dear, 100000);
    cache_reopen(f);
    assert_true(rft_fs_exists(paths[0])); /* room was looked for a moment ago */
    cache_age_stamp(f);
    cache_reopen(f);
    assert_false(rft_fs_exists(paths[0]));
    assert_true(rft_fs_exists(paths[1]));
    assert_true(rft_fs_exists(paths[2]));
    assert_true(rft_fs_exists(dear));
    f->opts.limit_bytes = 500000000;
    cache_age_stamp(f);
    cache_reopen(f);
    assert_false(rft_fs_exists(paths[1]));
    assert_true(rft_fs_exists(paths[2]));
    for (int i = 0; i < 3; i++) {
        free(paths[i]);
    }
    free(dear);
}

static void what_is_used_stays(void **state) {
    cache_fixture *f = *state;
    rft_compile_request request = cache_request(f);
    cache_ask(f, &request);
    char *path = cache_only_entry(f);
    cache_age(path, 5000);
    char *younger = old_entry(f, 1, 2000000000, 1000);
    assert_true(cache_ask(f, &request).from_cache);
    cache_age_stamp(f);
    cache_reopen(f);
    assert_false(rft_fs_exists(younger));
    assert_true(cache_ask(f, &request).from_cache);
    free(younger);
    free(path);
}

static void a_long_run_stays_below_the_limit(void **state) {
    cache_fixture *f = *state;
    const uint64_t limit = 65536;
    f->inner.code_bytes = 4000;
    f->opts.limit_bytes = limit;
    cache_reopen(f);
    for (int i = 0; i < 100; i++) {
        rft_compile_request request = cache_request_of_text(f, i);
        cache_ask(f, &request);
        assert_true(cache_ask(f, &request).from_cache); /* never the newest that goes */
        assert_true(cache_total_bytes(f) <= limit);
    }
    assert_true(cache_count_files(f, ".rftc") >= 10);
    f->inner.code_bytes = (size_t)limit + 1;
    rft_compile_request huge = cache_request_of_text(f, 1000);
    cache_ask(f, &huge);
    assert_false(cache_ask(f, &huge).from_cache); /* one that would fill it is not kept */
    assert_true(cache_count_files(f, ".rftc") >= 10);
}

/* Temporary files exist only where files need names; those of dead writers go, that of a living one stays. */
static void temporaries_of_the_dead_are_removed(void **state) {
    cache_fixture *f = *state;
    char name[128];
    char *paths[3];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "cache/below/%064x.rftc.%d.0.tmp", 7u, 100 + i);
        paths[i] = scratch_write(&f->s, name, "half");
        cache_age(paths[i], i == 2 ? 0 : 60);
    }
    int living = open(paths[1], O_RDONLY);
    assert_int_equal(flock(living, LOCK_EX), 0);
    cache_age_stamp(f);
    cache_reopen(f);
    assert_false(rft_fs_exists(paths[0]));
    assert_true(rft_fs_exists(paths[1]));
    assert_true(rft_fs_exists(paths[2])); /* too young to tell */
    close(living);
    cache_age(paths[2], 60);
    cache_age_stamp(f);
    cache_reopen(f);
    assert_int_equal(cache_count_files(f, ".tmp"), 0);
    for (int i = 0; i < 3; i++) {
        free(paths[i]);
    }
}

/* Fourteen workers open it at the start of every run. */
static void a_full_folder_opens_quickly(void **state) {
    cache_fixture *f = *state;
    const rft_clock *clock = rft_clock_system();
    char *first = old_entry(f, 0, 10000, 100);
    for (int i = 1; i < 20000; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s/%064x.rftc", f->folder, (unsigned)i);
        assert_int_equal(link(first, name), 0);
    }
    int64_t best_ns = INT64_MAX, with_room_ns = INT64_MAX;
    for (int i = 0; i < 10; i++) {
        int64_t start_ns = clock->monotonic_ns(clock->self);
        cache_reopen(f);
        int64_t took_ns = clock->monotonic_ns(clock->self) - start_ns;
        best_ns = took_ns < best_ns ? took_ns : best_ns;
    }
    for (int i = 0; i < 3; i++) {
        cache_age_stamp(f);
        int64_t start_ns = clock->monotonic_ns(clock->self);
        cache_reopen(f);
        int64_t took_ns = clock->monotonic_ns(clock->self) - start_ns;
        with_room_ns = took_ns < with_room_ns ? took_ns : with_room_ns;
    }
    print_message("20000 entries: opened in %.3f ms, in %.1f ms when room is looked for\n", (double)best_ns * 1e-6,
                  (double)with_room_ns * 1e-6);
    assert_true(best_ns < 10000000);
    assert_int_equal(cache_count_files(f, ".rftc"), 20000);
    free(first);
}

int main(void) {
#define CACHE_TEST(f) cmocka_unit_test_setup_teardown(f, cache_set_up, cache_tear_down)
    const struct CMUnitTest tests[] = {
        CACHE_TEST(a_file_cut_off_anywhere_is_mended),
        CACHE_TEST(a_byte_altered_anywhere_is_mended),
        CACHE_TEST(an_entry_under_anothers_name_is_mended),
        CACHE_TEST(what_is_no_file_is_left_alone),
        CACHE_TEST(a_folder_that_cannot_be_made_warns_once),
        CACHE_TEST(a_folder_that_may_only_be_read_is_read),
        CACHE_TEST(a_folder_of_others_is_not_read),
        CACHE_TEST(a_folder_that_goes_away_is_made_again),
        CACHE_TEST(a_full_disk_leaves_nothing),
        CACHE_TEST(a_full_disk_keeps_no_damaged_entry_alive),
        CACHE_TEST(children_share_the_warning),
        CACHE_TEST(processes_of_a_run_share_the_warning),
        CACHE_TEST(the_oldest_make_room),
        CACHE_TEST(what_is_used_stays),
        CACHE_TEST(a_long_run_stays_below_the_limit),
        CACHE_TEST(temporaries_of_the_dead_are_removed),
        CACHE_TEST(a_full_folder_opens_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
