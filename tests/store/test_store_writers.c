/* SPDX-License-Identifier: Apache-2.0 */
/* Two writers, a killed one, a full disk, a place that cannot be written. */
#include "store/sample_run.h"
#include "store/store_test.h"

#include "base/fs.h"
#include "base/str.h"
#include "store/store.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *beside(const char *path, const char *suffix) {
    static char name[600];
    rft_text_format(name, sizeof name, "%s%s", path, suffix);
    return name;
}

static rft_store *started(const rft_run *run, const char *path) {
    rft_err err = RFT_ERR_INIT;
    rft_store *store = NULL;
    if (rft_store_open(&store, path, RFT_STORE_CREATE, &err) || rft_store_put_run(store, run, &err)) {
        fail_msg("%s", err.message);
    }
    return store;
}

static void the_second_writer_is_refused(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    rft_store *first = started(run, path), *second = NULL;
    assert_int_equal(rft_store_open(&second, path, RFT_STORE_WRITE, &err), RFT_E_STORE);
    assert_non_null(strstr(err.message, "another rooftune is writing"));
    assert_true(err.remedy[0] != '\0');
    /* Readers are welcome meanwhile. */
    assert_int_equal(rft_store_put_point(first, &run->points[0], &err), 0);
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_int_equal(back->point_count, 1);
    rft_run_free(back);
    rft_store_close(first);
    assert_false(rft_fs_exists(beside(path, "-lock")));
    assert_false(rft_fs_exists(beside(path, "-wal")));
    assert_int_equal(rft_store_open(&second, path, RFT_STORE_WRITE, &err), 0);
    rft_store_close(second);
    rft_run_free(run);
}

static void assert_one_whole_file(const char *path) {
    static const char *const suffixes[] = {"-wal", "-shm", "-journal", "-lock"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        assert_false(rft_fs_exists(beside(path, suffixes[i])));
    }
}

/* Killed when all was written and nothing was closed. `path` is left as it was then. */
static void leave_unclosed(const rft_run *run, const char *path) {
    rft_err err = RFT_ERR_INIT;
    pid_t child = fork();
    if (child == 0) {
        rft_store *store = NULL;
        int code = rft_store_open(&store, path, RFT_STORE_CREATE, &err);
        code = code ? code : rft_store_put_whole(store, run, &err);
        raise(code ? SIGABRT : SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    assert_true(rft_fs_exists(beside(path, "-wal")) && rft_fs_exists(beside(path, "-lock")));
}

/* cp takes the file alone: behind the next opener all is in it. */
static void what_a_killed_run_left_is_put_into_its_file(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db"), *copy = temporary_path(1, "copy.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    char *data = NULL;
    size_t size = 0;
    leave_unclosed(run, path);
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_one_whole_file(path);
    rft_run_free(back);
    assert_int_equal(rft_fs_read(&data, &size, path, 0, &err), 0);
    assert_int_equal(rft_fs_put(copy, data, size, false, &err), 0);
    assert_int_equal(rft_store_load(&back, copy, &err), 0);
    assert_runs_equal(back, run, 0.0);
    rft_run_free(back);
    free(data);
    /* The index of a log that is gone: its deletion failed. */
    assert_int_equal(rft_fs_put(beside(path, "-shm"), "\0\0\0", 3, false, &err), 0);
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_one_whole_file(path);
    rft_run_free(back);
    rft_run_free(run);
}

/* SQLite begins an index that was left by cutting it to three bytes. */
static void an_index_that_was_being_made_is_no_foreign_file(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    leave_unclosed(run, path);
    assert_int_equal(truncate(beside(path, "-shm"), 3), 0);
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_runs_equal(back, run, 0.0);
    assert_one_whole_file(path);
    rft_run_free(back);
    rft_run_free(run);
}

/* An import that was killed when all was committed: it is refused the second time, and its file is made whole. */
static void who_is_refused_makes_the_file_whole(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    rft_store *store = NULL;
    leave_unclosed(run, path);
    assert_int_equal(rft_store_open(&store, path, RFT_STORE_CREATE, &err), RFT_E_STORE);
    assert_non_null(strstr(err.message, "exists already"));
    assert_one_whole_file(path);
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_runs_equal(back, run, 0.0);
    rft_run_free(back);
    rft_run_free(run);
}

/* A reader tidies up nothing that a writer is at. */
static void a_reader_leaves_a_writer_alone(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    int told[2], go[2];
    char byte = 0;
    assert_int_equal(pipe(told) | pipe(go), 0);
    pid_t child = fork();
    if (child == 0) {
        rft_store *store = NULL;
        int code = rft_store_open(&store, path, RFT_STORE_CREATE, &err);
        code = code ? code : rft_store_put_run(store, run, &err);
        code = code ? code : rft_store_put_point(store, &run->points[0], &err);
        code = write(told[1], "", 1) == 1 && read(go[0], &byte, 1) == 1 ? code : -1;
        code = code ? code : rft_store_put_point(store, &run->points[1], &err);
        rft_store_close(store);
        _exit(code != 0);
    }
    assert_int_equal(read(told[0], &byte, 1), 1);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(rft_store_load(&back, path, &err), 0);
        assert_int_equal(back->point_count, 1);
        rft_run_free(back);
        assert_true(rft_fs_exists(beside(path, "-wal")) && rft_fs_exists(beside(path, "-lock")));
    }
    assert_int_equal(write(go[1], "", 1), 1);
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_one_whole_file(path);
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_int_equal(back->point_count, 2);
    rft_run_free(back);
    rft_run_free(run);
}

static void committed_points_survive_a_killed_writer(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_large(400, 20), *back = NULL;
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t child = fork();
    if (child == 0) {
        rft_store *store = NULL;
        int code = rft_store_open(&store, path, RFT_STORE_CREATE, &err);
        code = code ? code : rft_store_put_run(store, run, &err);
        for (size_t i = 0; i < run->point_count && !code; i++) {
            code = rft_store_put_point(store, &run->points[i], &err);
            code = write(told[1], "", 1) == 1 ? code : -1;
        }
        pause();
        _exit(1);
    }
    char byte;
    for (size_t i = 0; i < 250; i++) {
        assert_int_equal(read(told[0], &byte, 1), 1);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(rft_fs_exists(beside(path, "-wal"))); /* nothing was tidied up */
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_one_whole_file(path); /* a reader did it */
    assert_true(back->point_count >= 250);
    for (size_t i = 0; i < back->point_count; i++) {
        assert_int_equal(back->points[i].rounds[0].n, 20);
        assert_memory_equal(back->points[i].rounds[0].samples_s, run->points[i].rounds[0].samples_s,
                            20 * sizeof(double));
    }
    rft_run_free(back);
    /* The lock died with its holder: the run goes on. */
    rft_store *store = NULL;
    assert_int_equal(rft_store_open(&store, path, RFT_STORE_WRITE, &err), 0);
    assert_int_equal(rft_store_put_point(store, &run->points[399], &err), 0);
    rft_store_close(store);
    close(told[0]);
    close(told[1]);
    rft_run_free(run);
}

/* Writes points until one fails; then what was committed is there, and with room again the run goes on. */
static void fill_up(const rft_run *run, const char *path, rft_store *store, const char *remedy,
                    void (*make_room)(void)) {
    rft_err err = RFT_ERR_INIT;
    rft_run *back = NULL;
    size_t put = 0;
    int code = 0;
    while (put < run->point_count && !code) {
        code = rft_store_put_point(store, &run->points[put], &err);
        put += code == 0;
    }
    assert_int_equal(code, RFT_E_STORE);
    assert_true(put > 0);
    if (strstr(err.message, "disk full") == NULL || strstr(err.message, path) == NULL) {
        fail_msg("said \"%s\"", err.message);
    }
    assert_non_null(strstr(err.remedy, remedy));
    make_room();
    rft_store_close(store);
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_int_equal(back->point_count, put);
    rft_run_free(back);
    assert_int_equal(rft_store_open(&store, path, RFT_STORE_WRITE, &err), 0);
    assert_int_equal(rft_store_put_point(store, &run->points[put], &err), 0);
    rft_store_close(store);
}

static void lift_limit(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void a_file_that_may_not_grow_is_a_full_disk(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_run *run = sample_run_large(5000, 20);
    rft_store *store = started(run, path);
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 1 << 20;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    fill_up(run, path, store, "allow larger files (ulimit -f)", lift_limit);
    rft_run_free(run);
}

/* There was room for the log, and there is none for the file. */
static void a_file_that_cannot_be_completed_is_told(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    rft_store *store = started(run, path);
    struct rlimit limit;
    for (size_t i = 0; i < run->point_count; i++) {
        assert_int_equal(rft_store_put_point(store, &run->points[i], &err), 0);
    }
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 1 << 12;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(rft_store_complete(store, &err), RFT_E_STORE);
    assert_non_null(strstr(err.message, "disk full while making one file"));
    assert_non_null(strstr(err.remedy, "nothing is lost"));
    rft_store_close(store);
    lift_limit();
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_int_equal(back->point_count, run->point_count);
    assert_one_whole_file(path);
    rft_run_free(back);
    rft_run_free(run);
}

/* SQLite alone would write on into a file without a name. */
static void a_removed_file_is_told(void **state) {
    (void)state;
    const char *path = temporary_path(0, "run.db"), *aside = temporary_path(1, "aside.db");
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    rft_store *store = started(run, path);
    assert_int_equal(rft_store_put_point(store, &run->points[0], &err), 0);
    assert_int_equal(rename(path, aside), 0);
    assert_int_equal(rft_store_put_point(store, &run->points[1], &err), RFT_E_STORE);
    assert_non_null(strstr(err.message, "was removed, renamed or replaced"));
    assert_true(err.remedy[0] != '\0');
    assert_int_equal(rft_store_finish(store, &run->info, &err), RFT_E_STORE);
    assert_int_equal(rename(aside, path), 0);
    assert_int_equal(rft_store_put_point(store, &run->points[1], &err), 0);
    rft_store_close(store);
    assert_int_equal(rft_store_load(&back, path, &err), 0);
    assert_int_equal(back->point_count, 2);
    rft_run_free(back);
    rft_run_free(run);
}

static char mounted[512];

static void grow_mount(void) {
    assert_int_equal(mount("none", mounted, "tmpfs", MS_REMOUNT, "size=64m"), 0);
}

static void a_full_disk_loses_nothing(void **state) {
    (void)state;
    rft_text_format(mounted, sizeof mounted, "%s", temporary_path(0, "disk"));
    assert_int_equal(mkdir(mounted, 0700), 0);
    if (mount("none", mounted, "tmpfs", 0, "size=1m") != 0) {
        print_message("no right to mount a small disk\n");
        skip();
    }
    char path[600];
    rft_text_format(path, sizeof path, "%s/run.db", mounted);
    rft_run *run = sample_run_large(5000, 20);
    fill_up(run, path, started(run, path), "make room", grow_mount);
    /* Not even room for the tables: no half file is left behind. */
    assert_int_equal(mount("none", mounted, "tmpfs", MS_REMOUNT, "size=64m"), 0);
    unlink(path);
    assert_int_equal(mount("none", mounted, "tmpfs", MS_REMOUNT, "size=8k"), 0);
    rft_err err = RFT_ERR_INIT;
    rft_store *store = NULL;
    int code = rft_store_open(&store, path, RFT_STORE_CREATE, &err);
    assert_int_equal(code, RFT_E_STORE);
    assert_non_null(strstr(err.message, "disk full"));
    assert_false(rft_fs_exists(path));
    umount(mounted);
    rft_run_free(run);
}

static void a_run_is_read_where_nothing_can_be_written(void **state) {
    (void)state;
    rft_text_format(mounted, sizeof mounted, "%s", temporary_path(0, "disk"));
    assert_int_equal(mkdir(mounted, 0700), 0);
    if (mount("none", mounted, "tmpfs", 0, "size=16m") != 0) {
        skip();
    }
    char path[600];
    rft_text_format(path, sizeof path, "%s/what? a%%20#run.db", mounted);
    rft_err err = RFT_ERR_INIT;
    rft_run *run = sample_run_new(), *back = NULL;
    rft_store *store = started(run, path);
    assert_int_equal(rft_store_put_point(store, &run->points[0], &err), 0);
    rft_store_close(store);
    assert_int_equal(mount("none", mounted, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
    if (rft_store_load(&back, path, &err)) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(back->point_count, 1);
    rft_run_free(back);
    assert_int_not_equal(rft_store_open(&store, path, RFT_STORE_WRITE, &err), 0);
    assert_int_equal(err.code, RFT_E_IO);
    /* One whose writer was killed has a part of it in the log. */
    assert_int_equal(mount("none", mounted, "tmpfs", MS_REMOUNT, "size=16m"), 0);
    rft_text_format(path, sizeof path, "%s/killed.db", mounted);
    leave_unclosed(run, path);
    for (int with_index = 1; with_index >= 0; with_index--) {
        if (!with_index) {
            assert_int_equal(mount("none", mounted, "tmpfs", MS_REMOUNT, "size=16m"), 0);
            unlink(beside(path, "-shm"));
        }
        assert_int_equal(mount("none", mounted, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
        if (rft_store_load(&back, path, &err)) {
            fail_msg("%s", err.message);
        }
        assert_runs_equal(back, run, 0.0);
        rft_run_free(back);
    }
    umount(mounted);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_a_killed_run_left_is_put_into_its_file),
                                       cmocka_unit_test(an_index_that_was_being_made_is_no_foreign_file),
                                       cmocka_unit_test(who_is_refused_makes_the_file_whole),
                                       cmocka_unit_test(a_file_that_cannot_be_completed_is_told),
                                       cmocka_unit_test(a_reader_leaves_a_writer_alone),
                                       cmocka_unit_test(the_second_writer_is_refused),
                                       cmocka_unit_test(committed_points_survive_a_killed_writer),
                                       cmocka_unit_test(a_removed_file_is_told),
                                       cmocka_unit_test(a_file_that_may_not_grow_is_a_full_disk),
                                       cmocka_unit_test(a_full_disk_loses_nothing),
                                       cmocka_unit_test(a_run_is_read_where_nothing_can_be_written)};
    return cmocka_run_group_tests(tests, NULL, remove_temporary_paths);
}
